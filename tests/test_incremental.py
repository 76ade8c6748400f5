"""An index that follows a file through its edits answers as one that is made of the last version.

`test_index.py` has this for chunks that a test makes up, `test_chunks.py` for lines that are
appended. Here files are edited anywhere, and what a search finds is compared, with its scores, and
which texts still have no vector.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mind.memory import sync
from mind.ranking import Query, Weights
from mind.setup import install
from mind.storage.index import EVERY, Index, IndexRequest, QueryVector, Vectors
from mind.storage.project import Project
from tests.effort import tries

BLOCKS = (
    "## 2026-11-20\n\n",
    "## 2026-11-21\n\n",
    "# Gotchas\n\n",
    "## Talk\n\n",
    "decided: SQLite for the cache\n",
    "decided: SQLite for the cache\n",
    "learned: the cache is cold\n  after a deploy\n",
    "problem: the deploy deadlocks\r\n",
    "fixed: the deploy deadlocks no more\n",
    "- Anna: did you see the cache?\n- Ben: yes, since Tuesday\n- Anna: and SQLite?\n",
    "### Decision 4: a queue\n\n- **Why:** because of the cache\n",
    "- loose item about SQLite #web\n",
    "```\ndecided: in a fence\n```\n",
    "```\n",
    "<!--\n",
    "<!-- decided: hidden -->\n",
    "Title of the cache\n====\n",
    "[2026-01-20 09:00] - dated deploy\n",
    "gotcha: café 数据库 -> 连接池\n",
    "rejected: Redis for the queue - one more server\n",
    "no line end",
    "\n",
    "- [ ] todo: warm the cache\n",
)
BUSY = "".join(f"learned: fact {number} about the cache\n" for number in range(220))
EQUAL = BUSY.replace("fact", "item")
QUERIES = ("SQLite cache", "when did the deploy deadlock", "Anna", "数据库 queue café", "nothing")
STEP = st.tuples(
    st.sampled_from(("append", "insert", "delete", "replace", "move", "touch")),
    st.integers(0, 40),
    st.sampled_from(BLOCKS),
)
START = st.lists(st.sampled_from(BLOCKS), max_size=10)


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project whose MEMORY.md the tests write."""
    root = tmp_path_factory.mktemp("edited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIND_HOME", str(root / "home"))
        install.apply(install.plan(root))
        yield Project(root)


def changed(blocks: list[str], how: str, at: int, block: str) -> list[str]:
    """The blocks of a file after an edit."""
    at = at % (len(blocks) + 1)
    match how:
        case "append":
            return [*blocks, block]
        case "insert":
            return [*blocks[:at], block, *blocks[at:]]
        case "delete":
            return blocks[:at] + blocks[at + 1 :]
        case "replace":
            return [*blocks[:at], block, *blocks[at + 1 :]]
        case "move":
            return blocks[at:] + blocks[:at]
        case _:
            return blocks


def write(path: Path, blocks: list[str]) -> None:
    """As an editor saves: another file in the same place."""
    copy = path.with_name("copy")
    copy.write_bytes("".join(blocks).encode())
    copy.replace(path)


def vector(text: str) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """A direction that depends on the text alone."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    made = np.random.default_rng(seed).normal(size=64).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made), dtype=np.float32)


def found(index: Index, query: str, vectors: Vectors | None) -> list[object]:
    """What is found, best first: its score, its signals, its place in each branch."""
    sense = QueryVector(vector(query), vectors) if vectors else None
    answer = index.retrieve(
        IndexRequest(query=Query(query), weights=Weights(), sense=sense, which=EVERY, limit=1_000)
    )
    return [
        (one.entry.id, one.ranked.score, dict(one.ranked.signals), dict(one.places))
        for one in answer.best
    ]


def make(index: Index, vectors: Vectors, most: int) -> None:
    """Vectors for some of the texts that have none."""
    missing = sorted(index.without_vector(vectors, -1), key=lambda one: one.content)[:most]
    if missing:
        floats = np.stack([vector(one.text) for one in missing])
        index.keep_vectors(vectors, [one.content for one in missing], floats)


@given(START, st.lists(STEP, min_size=1, max_size=6), st.integers(0, 3))
@example([BLOCKS[0], BUSY], [("append", 0, BLOCKS[4]), ("insert", 1, BLOCKS[13])], 2)
@example([BLOCKS[0], BUSY, BLOCKS[1], EQUAL], [("insert", 1, BLOCKS[4])], 0)
@example([BLOCKS[0], BUSY, BLOCKS[6]], [("delete", 2, ""), ("append", 0, BLOCKS[6])], 1)
@settings(deadline=None, max_examples=tries(10, 60), suppress_health_check=[HealthCheck.too_slow])
def test_any_sequence_of_edits_answers_as_the_last_version(
    edited: Project, start: list[str], steps: list[tuple[str, int, str]], each: int
) -> None:
    vectors, others = Vectors("p"), Vectors("p")
    with closing(Index(None)) as kept, closing(Index(None)) as fresh:
        blocks = start
        for step in (("touch", 0, ""), *steps):
            blocks = changed(blocks, *step)
            write(edited.memory, blocks)
            sync.refresh(edited, kept, sources=False)
            make(kept, vectors, each)
        sync.refresh(edited, fresh, sources=False)
        assert kept.entries() == fresh.entries()
        assert kept.counts("kind") == fresh.counts("kind")
        for query in QUERIES:
            assert found(kept, query, None) == found(fresh, query, None), query
        have = {one.content for one in kept.without_vector(vectors, -1)}
        for one in fresh.without_vector(others, -1):
            if one.content not in have:
                fresh.keep_vectors(others, [one.content], vector(one.text)[None])
        assert have == {one.content for one in fresh.without_vector(others, -1)}
        if kept.count_vectors("p")[1] <= 30:  # of more, the nearest are weighed
            for query in QUERIES:
                assert found(kept, query, vectors) == found(fresh, query, others), query
