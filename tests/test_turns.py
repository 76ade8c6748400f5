"""Processes that write one index take turns; who waited does not do what others did meanwhile."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

from mind.domain.entry import Kind
from mind.memory import sync, validation
from mind.memory.memory import Memory
from mind.storage.index import Index, RefreshedEntries, connection


@contextmanager
def somebody_writes(path: Path) -> Iterator[sqlite3.Connection]:
    """Another connection that is in the middle of a write, until it commits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def sleeping(patch: pytest.MonkeyPatch, instead: Callable[[float], None]) -> None:
    """Let ``instead`` be what a waiting writer does between two attempts."""
    patch.setattr(connection, "time", SimpleNamespace(sleep=instead, monotonic=monotonic))


def test_who_waits_longer_asks_more_often_and_gets_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.db"
    with closing(Index(path)) as index, somebody_writes(path) as other:
        pauses: list[float] = []

        def asked(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 60:
                other.execute("COMMIT")

        sleeping(monkeypatch, asked)
        with index.writing():
            index.note("key", "mine")
        assert index.meta("key") == "mine"
    assert len(pauses) == 60
    assert pauses == sorted(pauses, reverse=True)
    assert pauses[0] > 10 * pauses[-1]


def test_somebody_who_never_ends_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.db"
    monkeypatch.setattr(connection, "_PATIENCE", 0.05)
    with closing(Index(path)), somebody_writes(path), closing(sqlite3.connect(path)) as mine:
        before = mine.execute("PRAGMA busy_timeout").fetchone()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            connection.begin(mine)
        assert mine.execute("PRAGMA busy_timeout").fetchone() == before


def test_what_waiting_cannot_help_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sleeping(monkeypatch, lambda _: pytest.fail("it waited"))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as mine:
        connection.begin(mine)
        with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
            connection.begin(mine)


@contextmanager
def read_by_another(
    memory: Memory, patch: pytest.MonkeyPatch, *, later: str = ""
) -> Iterator[None]:
    """While the block waits for its turn, another process reads MEMORY.md, with one more line.

    ``later`` is appended behind what that read.
    """
    project = memory.project
    waits, began = threading.Event(), threading.Event()

    def other() -> None:
        with closing(Index(project.cache / "index.db")) as index, index.writing():
            began.set()
            assert waits.wait(30)
            append(memory, "decided: kafka holds the events")
            assert sync._read(project, index, project.memory, "memory", []).added
            if later:
                append(memory, later)

    thread = threading.Thread(target=other)
    thread.start()
    assert began.wait(30)

    def told(seconds: float) -> None:
        waits.set()
        sleep(seconds)

    sleeping(patch, told)
    try:
        yield
    finally:
        waits.set()
        thread.join()


def append(memory: Memory, line: str) -> None:
    with memory.project.memory.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def shown(memory: Memory) -> list[str]:
    return [one.text for one in memory.index.entries()]


def test_what_others_read_meanwhile_is_not_read_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.log("redis holds the queue", "decision")
    sync.refresh(memory.project, memory.index)
    append(memory, "decided: rabbit was tried")
    with read_by_another(memory, monkeypatch):
        assert (
            sync.refresh(memory.project, memory.index, sources=False).change == RefreshedEntries()
        )
    assert shown(memory) == [
        "redis holds the queue",
        "rabbit was tried",
        "kafka holds the events",
    ]


@pytest.mark.parametrize(
    ("later", "is_read"),
    [("decided: node 22 builds it", False), ("decided: the page needs no build", True)],
)
def test_who_only_asks_for_one_line_leaves_the_few_that_came_since(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, later: str, is_read: bool
) -> None:
    memory.log("redis holds the queue", "decision")
    sync.refresh(memory.project, memory.index)
    for at in range(100):
        append(memory, f"decided: the service number {at} listens on port 80{at}")
    with read_by_another(memory, monkeypatch, later=later):
        text = "the page needs no build"
        same = validation.duplicate(memory.project, memory.index, text, Kind.DECISION)
    assert (same is not None) is is_read
    assert (later.removeprefix("decided: ") in shown(memory)) is is_read
