"""Killed between two files, a process leaves an entry in both; none comes back twice."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from datetime import date

import pytest

from mind.documents import archive, parser
from mind.domain.entry import Entry
from mind.domain.errors import NotFound
from mind.memory import curation, duplicates
from mind.memory.memory import Memory
from mind.storage import archives
from mind.storage.project import Project

DAY = date(2026, 11, 20)
SOURCE = b"""# Memory

## Notes

- the pool holds ten connections
- [ ] todo: warm the cache
- the pool holds ten connections
- the pool holds ten connections

## 2026-11-20

decided: keep sessions on the server ^server1
- note: one outer thing
  - gotcha: an inner thing
  - learned: another inner thing

### Decision 4: a queue

- **Why:** because of the cache

## Notes

- the pool holds ten connections
- the last one"""


@pytest.fixture
def filled(memory: Memory) -> Project:
    memory.project.memory.write_bytes(SOURCE)
    return memory.project


def entries(project: Project) -> list[Entry]:
    path = project.memory
    found = parser.parse(path.read_bytes(), project.relative(path), project.settings)
    return parser.number_and_resolve(found)


DEATH = """
    import os, signal, sys
    from pathlib import Path
    from mind.storage import files
    from mind.memory.memory import Memory
    memory = Memory.open(Path(sys.argv[1]))
    edit = files.edit
    def dies(path, change, **options):
        if path.name == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)
        return edit(path, change, **options)
    files.edit = dies
    getattr(memory, sys.argv[3])(*sys.argv[4:])
"""


def killed(project: Project, before: str, *call: str) -> None:
    """Call the memory from a process that is killed before it edits a file."""
    root = str(project.root)
    code = textwrap.dedent(DEATH)
    done = subprocess.run([sys.executable, "-c", code, root, before, *call], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_killed_while_forgetting_or_restoring_nothing_is_doubled(
    memory: Memory, filled: Project
) -> None:
    killed(filled, "MEMORY.md", "forget", "server1", "no longer so")
    assert filled.memory.read_bytes() == SOURCE
    assert [one.id for one in archives.read(filled.archive)] == ["server1"]
    back = memory.restore("server1")
    assert back.entry.id == "server1"
    assert SOURCE.splitlines()[back.entry.line - 1].endswith(b"^server1")
    assert filled.memory.read_bytes() == SOURCE
    assert archives.read(filled.archive) == []
    memory.forget("server1", "no longer so")
    killed(filled, "ARCHIVE.md", "restore", "server1")
    assert filled.memory.read_bytes() == SOURCE
    memory.restore("server1")
    assert filled.memory.read_bytes() == SOURCE
    assert archives.read(filled.archive) == []


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_killed_while_correcting_the_old_words_are_not_doubled(
    memory: Memory, filled: Project
) -> None:
    killed(filled, "MEMORY.md", "update", "server1", "keep sessions in Redis")
    assert [one.id for one in duplicates.doubles(filled)] == ["server1"]
    memory.restore("server1")
    assert filled.memory.read_bytes() == SOURCE
    assert archives.read(filled.archive) == []


def test_words_that_were_corrected_back_are_no_double(memory: Memory, filled: Project) -> None:
    for text in ("keep sessions in Redis", "keep sessions on the server"):
        memory.update("server1", text)
    assert len(archives.read(filled.archive)) == 2
    assert duplicates.doubles(filled) == []


@pytest.mark.parametrize("seed", range(30))
def test_whatever_leaves_at_once_and_in_between_is_told_from_what_left(
    filled: Project, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some leave for good, others in one go in which the process dies; all come back once."""
    chance = random.Random(seed)  # noqa: S311 - an order, no secret
    everything = entries(filled)
    chance.shuffle(everything)
    half = chance.randrange(len(everything))
    for one in everything[:half]:
        now = [other for other in entries(filled) if other.text == one.text]
        if now:
            curation.forget(filled, chance.choice(now), "x", DAY, acknowledge=True)
    assert duplicates.doubles(filled) == []
    rest = filled.memory.read_bytes()
    some = [one for one in entries(filled) if chance.random() < 0.6]
    gone = archives.read(filled.archive)

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    if some:
        with monkeypatch.context() as dying:
            dying.setattr("mind.storage.files.edit", fails)
            leaving = [curation.Leaving(one, "x") for one in some]
            with pytest.raises(KeyboardInterrupt):
                curation.forget_all(filled, leaving, DAY, acknowledge=True)
    twice = archives.read(filled.archive)[len(gone) :]
    assert sorted(one.id for one in duplicates.doubles(filled)) == sorted(one.id for one in twice)
    duplicates.settle(filled)
    assert [one.text for one in archives.read(filled.archive)] == [one.text for one in gone]
    assert filled.memory.read_bytes() == rest
    for block in reversed(archives.read(filled.archive)):
        curation.restore(filled, block.id)
    assert sorted(filled.memory.read_bytes().splitlines()) == sorted(SOURCE.splitlines())
    assert archives.read(filled.archive) == []


def test_a_line_is_looked_for_under_its_own_headings() -> None:
    line = b"- the pool holds ten connections\n"
    assert len(archive.places(SOURCE, line, ("Memory", "Notes"))) == 4
    assert archive._copies_in(SOURCE, line, ("Memory", "Notes")) == 4
    assert archive.places(SOURCE, line, ("Memory",)) == []
    assert archive.places(SOURCE, b"", ()) == []
    assert archive.places(b"\xef\xbb\xbfx\rx y\nyx\nx", b"x", ()) == [3, 12]


# What stands within another entry


@pytest.fixture
def nest(memory: Memory, filled: Project) -> list[str]:
    """Ids of an entry and of two within it."""
    assert filled.memory.read_bytes() == SOURCE
    found = memory.index_entries()
    return [
        one.id
        for word in ("outer", "an inner", "another inner")
        for one in found
        if word in one.text
    ]


@pytest.mark.parametrize("which", range(3))
def test_what_stands_within_an_entry_is_told_and_comes_back_by_any_id(
    memory: Memory, filled: Project, nest: list[str], which: int
) -> None:
    assert len(nest) == 3
    memory.get(nest)
    gone = memory.forget(nest[0], "over", acknowledge=True)
    assert [one.id for one in gone.along] == nest[1:]
    assert b"inner" not in filled.memory.read_bytes()
    assert memory.get(nest).missing == tuple(nest)
    back = memory.restore(nest[which])
    assert back.entry.id == nest[0]
    assert [one.id for one in back.along] == nest[1:]
    assert filled.memory.read_bytes() == SOURCE
    assert not memory.get(nest).missing
    with pytest.raises(NotFound):
        memory.restore(nest[which])


def test_an_inner_entry_that_left_by_itself_comes_back_by_itself(
    memory: Memory, filled: Project, nest: list[str]
) -> None:
    assert not memory.forget(nest[1], "over", acknowledge=True).along
    rest = memory.forget(nest[0], "over", acknowledge=True).along
    assert [one.id for one in rest] == nest[2:]
    assert memory.restore(nest[0]).entry.id == nest[0]
    assert memory.restore(nest[1]).entry.id == nest[1]
    assert filled.memory.read_bytes() == SOURCE
