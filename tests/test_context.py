"""The marked block in a file that belongs to the user."""

import pytest

from mind import context
from mind.entry import Entry, Kind


def material(**more: object) -> context.Material:
    empty: dict[str, object] = {
        "entries": 1, "first": "2026-11-20", "last": "2026-11-20", "due": [], "recent": [],
        "state": [], "decisions": [], "loops": [], "gotchas": [], "latest": None, "warnings": [],
    }  # fmt: skip
    return context.Material(**(empty | more))  # type: ignore[arg-type]


def test_a_gotcha_stands_in_the_block_with_its_workaround() -> None:
    trap = Entry(id="a", kind=Kind.GOTCHA, text="Safari drops cookies", workaround="use the API")
    told = Entry(id="b", kind=Kind.GOTCHA, text="pnpm hoists -> pin it", workaround="pin it")
    body = context.render(material(gotchas=[trap, told]), 1_500)
    assert "Safari drops cookies → use the API" in body
    assert body.count("pin it") == 1


@pytest.mark.parametrize("before", [b"", b"# Rules\n", b"# Rules", b"\xef\xbb\xbf", b"a\r\nb\r\n"])
def test_a_block_comes_and_goes_without_a_trace(before: bytes) -> None:
    placed = context.place(before, "body")
    assert context.remove(placed) == before
    assert context.remove(before) == before
    again = context.place(placed, "other")
    assert again.replace(b"other", b"body") == placed


def test_a_block_at_the_very_end_keeps_its_missing_line_end() -> None:
    placed = context.place(b"# Rules\n", "body").rstrip(b"\n")
    assert context.place(placed, "other") == placed.replace(b"body", b"other")
