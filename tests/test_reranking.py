"""A reranker: an installed package that reads the best hits again, in its time or not at all."""

import sys
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.search import engine

CODE = """
import threading

RELEASED = threading.Event()


def by_length(query, texts):
    return [len(text) for text in texts]


def slow(query, texts):
    RELEASED.wait(30)
    return by_length(query, texts)


def broken(query, texts):
    raise ValueError("no judgement today")


def short(query, texts):
    return [1.0]


def unsure(query, texts):
    return [float("nan"), 1.0, 2.0]
"""
POINTS = """[mind.rerankers]
by_length = judges_of_test:by_length
slow = judges_of_test:slow
broken = judges_of_test:broken
short = judges_of_test:short
unsure = judges_of_test:unsure
missing = judges_of_test:nobody
"""
TEXTS = ("The cache is slow", "The cache is slow on Mondays", "The cache was slow before the fix")


@pytest.fixture(autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with judges, on the path as any package is."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "judges_of_test.py").write_text(CODE, encoding="utf-8")
    about = folder / "judges_of_test-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: judges-of-test\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "judges_of_test", raising=False)
    engine._installed.cache_clear()
    return folder


@pytest.fixture(autouse=True)
def texts(memory: Memory) -> None:
    for text in TEXTS:
        memory.log(text, "problem")


def found(memory: Memory, limit: int = 10, offset: int = 0) -> list[str]:
    hits = memory.search("cache slow", limit=limit, offset=offset).hits
    return [hit.entry.text for hit in hits]


def test_the_best_hits_are_read_again(memory: Memory) -> None:
    before = found(memory)
    memory.configure("search.reranker", "by_length")
    after = found(memory)
    assert after == sorted(TEXTS, key=len, reverse=True) != before
    assert [found(memory, limit=1, offset=at)[0] for at in range(3)] == after


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        ("nobody", "no reranker 'nobody' is installed"),
        ("missing", "no reranker 'missing' is installed"),
        ("broken", "the reranker broken failed"),
        ("short", "the reranker short failed"),
        ("unsure", "the reranker unsure failed"),
    ],
)
def test_a_search_goes_on_without_a_judge_that_fails(
    memory: Memory, judge: str, reason: str
) -> None:
    before = found(memory)
    memory.configure("search.reranker", judge)
    assert found(memory) == before
    assert reason in memory.search("cache slow").problems[0]


def test_nobody_waits_for_a_judge_that_is_late(memory: Memory) -> None:
    before = found(memory)
    memory.configure("search.reranker", "slow")
    memory.configure("search.reranker_seconds", "0.05")
    late = memory.search("cache slow")
    assert [hit.entry.text for hit in late.hits] == before
    assert late.problems == ("the reranker slow took longer than 0.05 s",)
    assert "still at work" in memory.search("cache slow").problems[0]
    sys.modules["judges_of_test"].RELEASED.set()
    memory.configure("search.reranker_seconds", "30")
    with engine._busy:  # once it is done
        pass
    assert found(memory) == sorted(TEXTS, key=len, reverse=True)


def test_lists_in_the_order_of_time_are_not_judged(memory: Memory) -> None:
    memory.configure("search.reranker", "broken")
    assert memory.search("cache slow order:newest").problems == ()
