"""Defects that users of an earlier tool met, and that have no other home among the tests."""

import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mind.memory import wording
from mind.memory.memory import Memory
from mind.storage.project import Project

PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))


def test_lesson_nothing_waits_for_the_network(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    memory.log("SQLite over Postgres", "decision")
    memory.log("Redis for sessions", "rejected")
    memory.remind("look", "heute in einer Woche")
    memory.edges("use Redis")
    assert memory.recall().problems == ()


def test_lesson_no_dependency_weighs_gigabytes() -> None:
    names = " ".join(PYPROJECT["project"]["dependencies"])
    for heavy in ("torch", "tensorflow", "transformers", "scikit-learn", "numpy", "scipy"):
        assert heavy not in names


def test_lesson_every_dependency_has_a_range_with_an_end() -> None:
    for requirement in PYPROJECT["project"]["dependencies"]:
        assert ">=" in requirement
        assert ",<" in requirement


def test_lesson_a_reply_is_the_answer_and_nothing_else(memory: Memory) -> None:
    reply = wording.logged(memory.log("SQLite over Postgres", "decision"), 12_000)
    assert len(reply) < 80


def test_lesson_no_heavy_library_is_loaded_for_a_repeat(project: Project) -> None:
    script = (
        "import sys\n"
        "from mind.memory.memory import Memory\n"
        "memory = Memory.open()\n"
        "memory.log('Redis for the sessions of users', 'rejected')\n"
        "assert memory.log('keep sessions of users in Redis', 'rejected').loops\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project.root,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.strip() == "[]"


def test_lesson_a_failure_in_what_is_derived_does_not_lose_the_entry(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever breaks while looking for repeats, the entry is on disk or the call is an error."""

    def explode(*_arguments: Any, **_named: Any) -> None:
        raise RuntimeError("the index is broken")

    monkeypatch.setattr("mind.storage.index.Index.match", explode)
    with pytest.raises(RuntimeError):
        memory.log("SQLite over Postgres", "decision")
    assert "SQLite over Postgres" in memory.project.memory.read_text("utf-8")
    with pytest.raises(RuntimeError):
        memory.log("Redis for sessions", "rejected")
    assert "Redis" in memory.project.session.read_text("utf-8")
