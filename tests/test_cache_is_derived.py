"""Deleting ``.mind/cache/`` changes no answer, and a clone gives the same ones."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mind.memory import Memory
from mind.plain import plain
from mind.project import Project

Git = Callable[..., str]
FACTS = (
    "decided: SQLite over Postgres for the ledger",
    "learned: the ledger locks under load",
    "problem: the import of old ledgers is slow",
    "fixed: the import of old ledgers takes a second now",
    "rejected: Redis for the ledger - one more server",
    "gotcha: `parse_ledger` in app.py reads twice -> cache it",
    "- [ ] todo: index the ledger",
    "decided: Postgres over SQLite for the ledger, as of version 2",
)
STEP = st.tuples(
    st.sampled_from(("memory", "comment", "commit", "drop comment", "edit", "recall")),
    st.integers(0, len(FACTS) - 1),
)


def answers(root: Path) -> str:
    """What the read commands say of a memory."""
    memory = Memory(Project(root))
    try:
        entries = memory.search("ledger", limit=50)
        ids = [hit.entry.id for hit in entries.hits]
        said = [
            [
                (hit.entry.id, hit.entry.text, round(hit.score, 6), hit.stale)
                for hit in entries.hits
            ],
            memory.get(ids[:50]) if ids else None,
            [hit.entry.id for hit in memory.recent(limit=50).hits],
            memory.around("today", limit=50),
            memory.timeline(ids[0]) if ids else None,
            memory.traverse("ledger"),
            memory.edges("use Redis for the ledger", "parse_ledger(x)"),
            [one.id for one in memory.index_entries()],
            memory.recall().context,
            memory.status().entries,
        ]
    finally:
        memory.close()
    return json.dumps(plain(said), indent=1, default=str)


def carry_out(root: Path, git: Git, step: tuple[str, int]) -> None:
    what, number = step
    fact = FACTS[number]
    source = root / "src" / f"part{number % 3}.py"
    match what:
        case "memory":
            with (root / ".mind" / "MEMORY.md").open("a", encoding="utf-8") as file:
                file.write(f"\n- {fact}\n")
        case "comment":
            source.parent.mkdir(exist_ok=True)
            source.write_text(f"# MEMORY: {fact}\nx = {number}\n", encoding="utf-8")
        case "drop comment":
            source.unlink(missing_ok=True)
        case "commit":
            git("add", "-A", cwd=root)
            git("commit", "--quiet", "--allow-empty", "-m", f"Work {number}\n\n{fact}", cwd=root)
        case "edit":
            path = root / ".mind" / "MEMORY.md"
            path.write_text(path.read_text("utf-8").replace("ledger", "books", 1), "utf-8")
        case _:
            memory = Memory(Project(root))
            memory.recall()
            memory.close()


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(STEP, min_size=2, max_size=7))
def test_no_answer_changes_when_the_cache_is_deleted(
    git: Git, tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        root = Path(folder) / "books"
        git("init", "--quiet", "--initial-branch=main", str(root))
        Memory.apply(Memory.plan(root))
        Memory(Project(root)).configure("events.enabled", "false")  # asking counts as a use
        for step in steps:
            carry_out(root, git, step)
        before = answers(root)
        shutil.rmtree(root / ".mind" / "cache")
        assert answers(root) == before


@pytest.mark.parametrize("what", ["search", "show", "recent"])
def test_a_fresh_clone_finds_comments_and_commits_at_once(
    repository: Path, git: Git, tmp_path: Path, what: str
) -> None:
    Memory.apply(Memory.plan(repository))
    (repository / "app.py").write_text("# MEMORY: decided: parse by hand\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "Work\n\nlearned: parsers are slow")
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(repository), str(clone))
    known = {one.text: one.id for one in Memory(Project(repository)).index_entries()}
    memory = Memory(Project(clone))
    if what == "search":
        assert {hit.entry.text for hit in memory.search("parse parsers").hits} == known.keys()
    elif what == "show":
        assert {one.text for one in memory.get(list(known.values())).entries} == known.keys()
    else:
        assert {hit.entry.text for hit in memory.recent().hits} == known.keys()
