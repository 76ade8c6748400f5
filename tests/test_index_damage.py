"""An index that is deleted, cut or overwritten, also while it is open: it is made anew."""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage.index import Index
from mind.storage.project import Project
from tests.effort import tries
from tests.index_stories import QUERIES, SIDES, Other, anew, differences, edit, write


def replace(path: Path, data: bytes) -> None:
    """Other bytes in the same file, as whoever has it open sees them too."""
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(data)


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def cut(path: Path, part: float) -> None:
    os.truncate(path, int(path.stat().st_size * part))


def lose(path: Path, *sides: str) -> None:
    for side in sides:
        path.with_name(path.name + side).unlink(missing_ok=True)


def foreign(path: Path) -> None:
    lose(path, *SIDES)
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE entry (x)")


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "the file is gone": lambda db, _: lose(db, ""),
    "all files are gone": lambda db, _: lose(db, *SIDES),
    "the log is gone": lambda _, wal: lose(wal, ""),
    "the file is empty": lambda db, _: cut(db, 0),
    "half of the file is gone": lambda db, _: cut(db, 0.5),
    "the file ends within a page": lambda db, _: cut(db, 0.77),
    "the file is garbage": lambda db, _: replace(db, b"garbage " * 9_000),
    "the head is zeros": lambda db, _: overwrite(db, 0, bytes(4096)),
    "the schema is garbage": lambda db, _: overwrite(db, 100, b"\xa5" * 3_000),
    "the middle is garbage": lambda db, _: overwrite(db, 4096 * 3, b"\xa5" * 4096 * 30),
    "the log is empty": lambda _, wal: cut(wal, 0),
    "half of the log is gone": lambda _, wal: cut(wal, 0.5),
    "the log is garbage": lambda _, wal: replace(wal, b"garbage " * 9_000),
    "it is another database": lambda db, _: foreign(db),
}


@contextmanager
def in_use(project: Project) -> Iterator[Other]:
    other = Other(project)
    try:
        yield other
    finally:
        other.close()


def damage(project: Project, name: str) -> None:
    path = project.cache / "index.db"
    wal = path.with_name("index.db-wal")
    if not wal.exists():
        wal.touch()
    DAMAGES[name](path, wal)


def damage_in_use(project: Project, pick: random.Random, name: str, other: Other) -> list[str]:
    """What another process and this one then answer wrongly."""
    other.search("cachea")
    edit(project, pick)
    other.search("logina")
    damage(project, name)
    wrong = [
        query
        for query in QUERIES[: tries(2, 5)]
        if other.search(query) != pytest.approx(anew(project, query))
    ]
    wrong += differences(project)
    edit(project, pick)
    if other.search("cachea") != pytest.approx(anew(project, "cachea")):
        wrong.append("after an edit")
    return [f"{name}: {one}" for one in wrong]


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_index_is_made_anew(project: Project, name: str) -> None:
    write(project, random.Random(5), 6, 20)  # noqa: S311 - as above
    with closing(Memory(project)) as memory:
        memory.search("cachea")
    damage(project, name)
    assert differences(project) == []


def test_an_index_that_is_damaged_while_it_is_open_is_made_anew(project: Project) -> None:
    pick = random.Random(6)  # noqa: S311 - as above
    write(project, pick, 6, 20)
    with in_use(project) as other:
        wrong = [one for name in DAMAGES for one in damage_in_use(project, pick, name, other)]
    assert wrong == []


def test_an_index_is_not_thrown_away_for_what_another_would_not_cure(project: Project) -> None:
    path = project.cache / "index.db"
    with closing(Index(path)) as index:
        index.note("kept", "yes")
    stale = Index(path)
    stale.close()
    with pytest.raises(sqlite3.ProgrammingError):
        stale.meta("kept")
    with closing(Index(path)) as index:
        assert index.meta("kept") == "yes"
