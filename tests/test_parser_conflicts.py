"""Entries of a file in which git left a conflict."""

import pytest

from mind.documents.parser import chunks, parse
from mind.domain.settings import Settings

SIDES = """## 2026-11-20

decided: Redis holds the queue
<<<<<<< HEAD
decided: MongoDB holds the catalogue
||||||| base
=======
decided: SQLite holds the catalogue
>>>>>>> other
decided: pnpm over npm
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_both_sides_are_read_and_no_mark_is(newline: str) -> None:
    source = SIDES.replace("\n", newline).encode()
    found = parse(source, "MEMORY.md", Settings())
    assert [one.text for one in found] == [
        "Redis holds the queue",
        "MongoDB holds the catalogue",
        "SQLite holds the catalogue",
        "pnpm over npm",
    ]
    assert [one.line for one in found] == [3, 5, 8, 10]
    assert len(chunks(source, "MEMORY.md", Settings())) == 1
