"""What becomes of entries that another program dropped from MEMORY.md by saving an older copy."""

import json
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage import archives, files
from mind.storage.files import appending, recent
from mind.storage.files.recent import Addition
from mind.storage.project import Project
from tests.conftest import Clock, Run

LATE = 60
"""Seconds after which a copy is saved: too long to tell a copy from a deletion."""


def saved(project: Project, content: bytes, seconds: int = LATE) -> None:
    """An editor saves ``content``, some time after Mind wrote."""
    ring = recent.ring_of(project.memory)
    assert ring is not None
    ring.save([one._replace(at=one.at - seconds * 10**9) for one in ring.load()])
    new = project.memory.with_name("editor")
    new.write_bytes(content)
    quiet = time.time_ns() - 10**9
    os.utime(new, ns=(quiet, quiet))
    new.replace(project.memory)


def test_what_an_older_copy_dropped_is_in_the_archive_and_recall_says_so(
    here: Project, mind: Run
) -> None:
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    copy = here.memory.read_bytes()
    mind("log", "-t", "decision", "Redis holds the queue")
    mind("log", "-t", "learning", "Redis forgets after a restart")
    saved(here, copy + b"- decided: pnpm over npm\n")
    assert mind("status")[0] == 0
    kept = {one.id: one for one in archives.read(here.archive)}
    assert [one.text.strip() for one in kept.values()] == [
        b"decided: Redis holds the queue",
        b"learned: Redis forgets after a restart",
    ] or [b"Redis" in one.text for one in kept.values()] == [True, True]
    assert here.memory.read_bytes() == copy + b"- decided: pnpm over npm\n"
    told = "".join(mind("recall")[1:])
    assert "2 entries are missing after another program saved MEMORY.md" in told
    assert "missing" not in "".join(mind("recall")[1:])
    for identifier in kept:
        assert mind("restore", identifier)[0] == 0
    assert here.memory.read_bytes().count(b"Redis") == 2
    assert "another program" not in "".join(mind("recall")[1:])
    assert "another program" not in "".join(mind("status")[1:])


def test_an_entry_deleted_by_hand_before_a_later_one_stays_away(here: Project, mind: Run) -> None:
    mind("log", "-t", "decision", "Redis holds the queue")
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    lines = here.memory.read_bytes().splitlines(keepends=True)
    by_hand = b"".join(line for line in lines if b"Redis" not in line)
    here.memory.write_bytes(by_hand)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    assert mind("status")[0] == 0
    assert here.memory.read_bytes() == by_hand
    assert not here.archive.exists()


def test_each_is_reported_once_within_a_week(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    memory.log("Redis holds the queue", "decision")
    memory.close()
    saved(memory.project, b"# Memory\n")
    memory.close()
    today = clock().date()
    path = memory.project.archive
    assert archives.missing(path, today + timedelta(days=7), tmp_path / "a") == ""
    for told in (tmp_path / "a", tmp_path / "b"):
        assert "1 entry is missing" in archives.missing(path, today + timedelta(days=6), told)
        assert archives.missing(path, today, told) == ""


def test_what_was_recorded_before_the_cache_was_deleted_is_protected_too(
    here: Project, mind: Run
) -> None:
    copy = here.memory.read_bytes() if here.memory.exists() else b""
    mind("log", "-t", "decision", "Redis holds the queue")
    for path in sorted(here.cache.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    here.memory.write_bytes(copy + b"- decided: pnpm over npm\n")
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    mind("status")
    assert b"Redis holds the queue" in here.memory.read_bytes()
    assert here.memory.read_bytes().count(b"pnpm over npm") == 1


def test_what_was_put_back_stands_once_when_an_editor_saves_it_too(
    here: Project, mind: Run
) -> None:
    empty = here.memory.read_bytes() if here.memory.exists() else b"# Memory\n"
    mind("log", "-t", "decision", "Redis holds the queue")
    whole = here.memory.read_bytes()

    def saves(content: bytes) -> None:
        here.memory.write_bytes(content)
        os.utime(here.memory, ns=(time.time_ns() - 5 * 10**9,) * 2)
        mind("status")

    saves(empty)
    assert here.memory.read_bytes().count(b"Redis holds the queue") == 1
    put_back = here.memory.read_bytes()
    twice = whole + b"- decided: pnpm over npm\n" + put_back[len(empty) :]
    for _ in range(2):  # an editor had read it before the second copy was removed
        saves(twice)
        assert here.memory.read_bytes().count(b"Redis holds the queue") == 1
        assert here.memory.read_bytes().count(b"pnpm over npm") == 1


@pytest.mark.parametrize("opening", [b"<!-- later", b"```\n", b"# Later\n\n~~~ python\nx\n"])
def test_what_is_put_back_behind_an_open_comment_or_fence_is_read(
    here: Project, mind: Run, opening: bytes
) -> None:
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    copy = here.memory.read_bytes() + opening
    mind("log", "-t", "decision", "Redis holds the queue")
    here.memory.write_bytes(copy)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    found = mind("search", "queue", "--json")[1]
    assert [one["text"] for one in json.loads(found)] == ["Redis holds the queue"]
    assert here.memory.read_bytes().startswith(copy)
    assert here.memory.read_bytes().count(b"Redis") == 1


@pytest.mark.parametrize("ends", [b"\r", b"\r\n", b"\n"])
@pytest.mark.parametrize(
    "marks",
    [(b"- learned: ", b"learned: "), (b"- ", b"-\t"), (b"- ", b"* ")],
)
def test_a_copy_with_other_bullets_and_line_ends_doubles_nothing(
    here: Project, mind: Run, ends: bytes, marks: tuple[bytes, bytes]
) -> None:
    for number in range(6):
        mind("log", "-t", "learning", f"shard {number} holds the orders of year {number}")
    content = here.memory.read_bytes().replace(*marks)
    content = content.replace(b"\n", ends)
    here.memory.write_bytes(content)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    assert mind("status")[0] == 0
    assert here.memory.read_bytes() == content
    assert not here.archive.exists()


def test_a_correction_by_hand_moments_later_does_not_stand_beside_what_it_corrects(
    here: Project, mind: Run
) -> None:
    mind("log", "-t", "learning", "the importer needs a lock")
    content = here.memory.read_bytes()
    corrected = content.replace(b"needs a lock", b"needs no lock: it writes one file")
    here.memory.write_bytes(corrected)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    assert mind("status")[0] == 0
    assert here.memory.read_bytes() == corrected
    assert not here.archive.exists()


@pytest.mark.parametrize("seconds", [0, LATE])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the CSV export uses cp1252", "CSV exports are in Windows-1252 (cp1252), not UTF-8"),
        ("the proxy of Vite needs IPv4", "Vite: its proxy only works if the API listens on IPv4"),
    ],
)
def test_an_entry_reworded_by_hand_is_not_lost(
    here: Project, mind: Run, old: str, new: str, seconds: int
) -> None:
    mind("log", "-t", "gotcha", old)
    reworded = here.memory.read_bytes().replace(old.encode(), new.encode())
    saved(here, reworded, seconds)
    assert "missing" not in "".join(mind("recall")[1:])
    assert here.memory.read_bytes() == reworded
    assert not here.archive.exists()


@pytest.mark.parametrize("seconds", [0, LATE])
@pytest.mark.parametrize("new", [b"- decided: see ADR 2", b""])
def test_the_other_entries_of_an_import_are_not_lost_with_one_that_a_person_changed(
    here: Project, mind: Run, new: bytes, seconds: int
) -> None:
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    lines = [b"- decided: shard %d holds the orders of %d" % (n, 2000 + n) for n in range(5)]
    added = b"\n## Imported\n\n" + b"\n".join(lines) + b"\n"
    files.append(here.memory, lambda _: added)
    changed = here.memory.read_bytes().replace(lines[2], new)
    saved(here, changed, seconds)
    assert "missing" not in "".join(mind("recall")[1:])
    assert here.memory.read_bytes() == changed
    assert not here.archive.exists()


def test_an_entry_that_is_written_in_another_form_is_not_archived(here: Project, mind: Run) -> None:
    copy = here.memory.read_bytes() if here.memory.exists() else b"# Memory\n"
    mind("log", "-t", "decision", "Redis holds the queue")
    moved = copy + b"\n## Decisions\n\n- Redis holds the queue\n\n## Notes\n\n- x\n"
    saved(here, moved)
    assert "missing" not in "".join(mind("recall")[1:])
    assert here.memory.read_bytes() == moved
    assert not here.archive.exists()


def test_what_is_in_the_memory_again_is_not_restored_twice(here: Project, mind: Run) -> None:
    copy = here.memory.read_bytes() if here.memory.exists() else b"# Memory\n"
    mind("log", "-t", "decision", "Redis holds the queue")
    saved(here, copy)
    mind("status")
    (kept,) = archives.read(here.archive)
    again = copy + b"\n## Decisions\n\n- Redis holds the queue\n"
    here.memory.write_bytes(again)
    assert mind("restore", kept.id)[0] == 0
    assert here.memory.read_bytes() == again
    assert archives.read(here.archive) == []


@pytest.mark.parametrize("has_it", [True, False])
def test_nothing_is_put_back_into_a_text_of_another_encoding(
    here: Project, mind: Run, has_it: bool
) -> None:
    before = here.memory.read_bytes() if here.memory.exists() else b"# Memory\n"
    mind("log", "-t", "decision", "Redis holds the queue")
    saved_as = (here.memory.read_bytes() if has_it else before).decode().encode("utf-16")
    here.memory.write_bytes(saved_as)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    assert "UTF-16" in mind("log", "another note")[2]
    mind("status")
    assert here.memory.read_bytes() == saved_as
    here.memory.write_bytes(saved_as.decode("utf-16").encode())
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    mind("status")
    assert here.memory.read_bytes().count(b"Redis holds the queue") == 1


def test_a_file_that_editors_tore_gets_back_all_that_it_lost(here: Project, mind: Run) -> None:
    """One editor emptied the file, another read what Mind had added meanwhile, and saved that."""
    for number in range(40):
        mind("log", "-t", "learning", f"shard {number} holds the orders of year {number}")
    ring = recent.ring_of(here.memory)
    assert ring is not None
    first, *others = (one for one in ring.load() if one.data)
    later = [one._replace(at=one.at - LATE * 10**9) for one in others]
    ring.save([*later, first._replace(times=1, at=time.time_ns() - 10**9)])
    here.memory.write_bytes(b"# Memory\n\n" + first.data)
    mind("status")  # it is being saved; then it has been that small for too long
    os.utime(here.memory, ns=(time.time_ns() - 5 * 10**9,) * 2)
    mind("status")
    text = here.memory.read_bytes()
    assert all(text.count(b"of year %d\n" % number) == 1 for number in range(40))
    assert not here.archive.exists()


def test_what_is_put_back_into_a_file_just_emptied_does_not_count_as_its_content(
    here: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("Redis holds the queue", "MongoDB holds the catalogue", "pnpm, not npm"):
        mind("log", "-t", "decision", text)
    saved(here, here.memory.read_bytes())
    copy = here.memory.read_bytes()
    mind("log", "-t", "decision", "Postgres holds " + "all the rest, " * 20)
    here.memory.write_bytes(copy)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    with ExitStack() as stack:
        editors = []

        def emptied(content: bytes, lost: Sequence[Addition]) -> tuple[bytes, list[Addition]]:
            editors.append(stack.enter_context(here.memory.open("wb")))
            return again(content, lost)

        again, ring = appending._again, recent.ring_of(here.memory)
        with monkeypatch.context() as patch:
            patch.setattr(appending, "_again", emptied)
            assert appending.put_back(here.memory, ring) is None
        assert here.memory.read_bytes() == b""
        assert appending.put_back(here.memory, ring) is None  # another program is saving it
        assert not files.left_out(here.memory)
        editors[0].write(copy)
    os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
    assert mind("status")[0] == 0
    content = here.memory.read_bytes()
    assert [content.count(one) for one in (b"Redis", b"MongoDB", b"pnpm", b"Postgres")] == [1] * 4


def test_a_line_that_a_person_moves_after_it_was_put_back_is_not_lost(
    here: Project, mind: Run
) -> None:
    mind("log", "-t", "decision", "SQLite holds the index")
    empty = here.memory.read_bytes()

    def saves(content: bytes) -> None:
        here.memory.write_bytes(content)
        os.utime(here.memory, ns=(time.time_ns() - 10**9,) * 2)
        mind("status")

    mind("log", "-t", "decision", "Redis holds the queue")
    saves(empty)
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    line = b"- decided: Redis holds the queue\n"
    saves(here.memory.read_bytes() + line)  # pasted; Mind takes it for an editor's copy
    assert here.memory.read_bytes().count(line) == 1
    ring = recent.ring_of(here.memory)
    assert ring is not None
    ring.save([one._replace(at=one.at - 20 * 10**9) for one in ring.load()])
    saves(here.memory.read_bytes().replace(line, b""))  # cut at the old place
    there = here.memory.read_bytes() + (here.archive.read_bytes() if here.archive.exists() else b"")
    assert b"Redis holds the queue" in there
