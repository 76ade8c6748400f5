"""Memories that processes index, and how their index differs from one that is made anew."""

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from mind.memory import search as answering
from mind.memory import sync
from mind.memory.memory import Memory
from mind.search.engine import Page
from mind.search.query import ParsedQuery
from mind.search.results import SearchResult
from mind.search.semantic import ProjectVectors
from mind.storage.boundary import home
from mind.storage.index import Index, Vectors
from mind.storage.project import Project

STEMS = "cache login token index branch deploy".split()
WORDS = [a + b + c for a in STEMS for b in "abcdefghijklmnopqrst" for c in ("", *"kqxz")]
QUERIES = (
    "cachea logina",
    "deployb of the branchq",
    "tokenc branche",
    "none like it",
    "cachef",
)
SIDES = ("", "-wal", "-shm")


# --- the processes ------------------------------------------------------------------------


def start(*arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.indexing", *map(str, arguments)],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def output(process: "subprocess.Popen[str]") -> str:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out


class Other:
    """Another process that keeps the index open."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.process = start("answer", project.root)

    def search(self, query: str) -> dict[str, float]:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(query + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        answers, problems = json.loads(line)
        assert problems == []
        return dict(answers)

    def close(self) -> None:
        output(self.process)


# --- what is compared ---------------------------------------------------------------------


def lines(pick: random.Random, count: int) -> str:
    return "".join(
        f"- {pick.choice(('decided', 'learned', 'gotcha'))}: {' '.join(pick.choices(WORDS, k=7))} "
        f"{pick.randrange(10**6)}\n"
        for _ in range(count)
    )


def write(project: Project, pick: random.Random, days: int, each: int) -> None:
    """A memory of so many days with so many entries."""
    text = "# Memory\n"
    for day in range(days):
        text += f"\n## 2026-{day // 28 + 1:02}-{day % 28 + 1:02}\n\n{lines(pick, each)}"
    project.memory.write_text(text, encoding="utf-8")


def edit(project: Project, pick: random.Random) -> None:
    """Something else in some days: lines gone, lines new, days swapped."""
    days = project.memory.read_text(encoding="utf-8").split("\n## ")
    for _ in range(pick.randrange(1, 12)):
        at = pick.randrange(1, len(days))
        kept = days[at].splitlines(keepends=True)
        days[at] = "".join(one for one in kept if pick.random() < 0.9) + lines(pick, 3)
        other = pick.randrange(1, len(days))
        days[at], days[other] = days[other], days[at]
    project.memory.write_text("\n## ".join(days), encoding="utf-8")


def finding(project: Project, index: Index, meaning: ProjectVectors, query: str) -> SearchResult:
    return answering.find(project, index, meaning, ParsedQuery(text=query), Page(100))


def scores(found: SearchResult) -> dict[str, float]:
    return {hit.entry.id: hit.score for hit in found.hits}


def anew(project: Project, query: str) -> dict[str, float]:
    """What an index that is made for this one search finds."""
    with closing(Index(None)) as index:
        return scores(finding(project, index, ProjectVectors(project.settings, home()), query))


def differences(project: Project, *, sound: bool = False) -> list[str]:
    """How the index of ``project``, once searched, differs from one that is made anew.

    ``sound`` asks SQLite too; damage that no answer meets is noticed when one does.
    """
    with closing(Memory(project)) as memory, closing(Index(None)) as fresh:
        meaning = ProjectVectors(project.settings, home())
        found = [memory.search(query, limit=100) for query in QUERIES]
        memory.build_index()
        found = [memory.search(query, limit=100) for query in QUERIES]
        sync.refresh(project, fresh)
        meaning.fill(fresh)
        wrong = [f"{one.query}: {one.problems}" for one in found if one.problems]
        for one in found:
            wanted = scores(finding(project, fresh, meaning, one.query))
            wrong += _apart(one.query, scores(one), wanted)
        if memory.index.entries() != fresh.entries():
            wrong.append("other entries")
        profile = Vectors(meaning.profile)
        if meaning.profile and memory.index.without_vector(profile, -1):
            wrong.append("vectors are missing")
        if memory.index.count_vectors(meaning.profile) != fresh.count_vectors(meaning.profile):
            wrong.append("another number of vectors")
        if leftovers(memory.index.db) != leftovers(fresh.db):
            wrong.append("rows that nobody asked for")
        if sound:
            found_by = memory.index.db.execute("PRAGMA integrity_check").fetchall()
            wrong += [said for (said,) in found_by if said != "ok"]
    known = {"lock", "events.lock"}
    known |= {f"{name}.db{side}" for name in ("index", "documents", "commits") for side in SIDES}
    strange = {path.name for path in project.cache.iterdir()} - known
    return [*wrong, *strange]


def _apart(query: str, seen: dict[str, float], wanted: dict[str, float]) -> list[str]:
    """Other hits, or other scores: vectors made in other batches differ in the fourth place."""
    both = seen.keys() & wanted.keys()
    most = max((abs(seen[one] - wanted[one]) for one in both), default=0.0)
    others = seen.keys() ^ wanted.keys()
    return (
        [f"{query}: {len(others)} other hits, scores {most:.4f} apart"]
        if others or most > 0.002
        else []
    )


def leftovers(db: sqlite3.Connection) -> list[object]:
    """Figures that rows nobody asked for would change."""
    return [
        db.execute(statement).fetchall()
        for statement in (
            "SELECT documents, length FROM total",
            "SELECT count(*) FROM entry",
            "SELECT count(*) FROM entry WHERE chunk NOT IN (SELECT id FROM chunk)",
            "SELECT count(*) FROM chunk WHERE path NOT IN (SELECT path FROM source)",
            "SELECT path, count(*) FROM chunk GROUP BY path ORDER BY path",
            "SELECT term, doc, cnt FROM vocabulary ORDER BY term",
        )
    ]
