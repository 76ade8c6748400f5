"""Vectors in the index: which are near, what is made again, and what is never compared."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from mind.domain.entry import Entry, Kind, content_id
from mind.ranking import Query, Weights
from mind.storage.index import EVERY, Chunk, Filter, Index, IndexRequest, QueryVector, Vectors
from mind.storage.index.vectors import content_of, windows

DIMENSION = 96


@pytest.fixture
def index() -> Iterator[Index]:
    opened = Index(None)
    yield opened
    opened.close()


def put(index: Index, texts: list[str], *, path: str = "m.md", kind: Kind = Kind.NOTE) -> None:
    entries = [
        Entry(id=content_id(text), kind=kind, text=text, source=path, date=date(2026, 1, 1))
        for text in texts
    ]
    chunk = Chunk(digest=repr(texts).encode(), line=1, offset=0, parse=lambda: entries)
    with index.writing():
        index.replace(path, family="memory", rank=0, stamp=str(texts), chunks=[chunk])


def directions(count: int, seed: int = 5) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    lengths: np.ndarray = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / lengths, dtype=np.float32)


def keep(index: Index, vectors: Vectors, texts: list[str], made: np.ndarray) -> None:
    index.keep_vectors(vectors, [content_of(text) for text in texts], made)


def near(
    index: Index, vectors: Vectors, query: np.ndarray, which: Filter = EVERY, limit: int = 5
) -> list[str]:
    asked = IndexRequest(
        query=Query("zzzz"),
        weights=Weights(),
        sense=QueryVector(query, vectors),
        which=which,
        limit=limit,
    )
    return [one.entry.text for one in index.retrieve(asked).best]


def test_the_nearest_are_found_without_a_word_in_common(index: Index) -> None:
    texts = [f"entry {number}" for number in range(50)]
    made = directions(50)
    put(index, texts)
    vectors = Vectors("a")
    keep(index, vectors, texts, made)
    for number in (0, 17, 49):
        assert near(index, vectors, made[number])[0] == f"entry {number}"


def test_of_many_those_that_share_most_signs_are_weighed_exactly(index: Index) -> None:
    texts = [f"entry {number}" for number in range(3_000)]
    made = directions(3_000)
    put(index, texts)
    vectors = Vectors("a")
    keep(index, vectors, texts, made)
    for at, noise in enumerate(directions(20, seed=8)):
        query = made[at] + noise
        query /= np.linalg.norm(query)
        cosines = made @ query
        got = near(index, vectors, query, limit=30)
        assert got[0] == texts[int(cosines.argmax())] == f"entry {at}"
        order = [float(cosines[texts.index(text)]) for text in got]
        assert order == pytest.approx(sorted(order, reverse=True), abs=1e-3)


def test_a_filter_holds_for_what_is_near_too(index: Index) -> None:
    texts = [f"entry {number}" for number in range(600)]
    rare = [f"rare {number}" for number in range(3)]
    made = directions(603)
    put(index, texts)
    put(index, rare, path="r.md", kind=Kind.GOTCHA)
    vectors = Vectors("a")
    keep(index, vectors, [*texts, *rare], made)
    away = -made[600]  # all others are nearer
    assert set(near(index, vectors, away, Filter(kinds=(Kind.GOTCHA,)))) == set(rare)
    assert near(index, vectors, away, Filter(kinds=(Kind.DECISION,))) == []


def test_what_is_added_is_found_and_what_is_gone_is_not(index: Index) -> None:
    made = directions(3)
    put(index, ["one", "two"])
    vectors = Vectors("a")
    keep(index, vectors, ["one", "two"], made[:2])
    assert near(index, vectors, made[2], limit=9) != []
    put(index, ["two", "three"])
    assert [one.text for one in index.without_vector(vectors, -1)] == ["three"]
    keep(index, vectors, ["three"], made[2:])
    assert near(index, vectors, made[2])[0] == "three"
    assert "one" not in near(index, vectors, made[0], limit=9)


def test_what_is_gone_takes_no_place_of_what_is_there(index: Index) -> None:
    made = directions(200)
    gone = [f"gone {number}" for number in range(199)]
    put(index, [*gone, "here"])
    vectors = Vectors("a")
    keep(index, vectors, [*gone, "here"], made)
    put(index, ["here"])
    assert near(index, vectors, -made[199]) == ["here"]


def test_vectors_of_another_profile_are_never_compared(index: Index) -> None:
    made = directions(2)
    put(index, ["one", "two"])
    ours, others = Vectors("ours"), Vectors("others")
    keep(index, others, ["one", "two"], made)
    assert near(index, ours, made[0]) == []
    assert len(index.without_vector(ours, -1)) == 2
    keep(index, ours, ["two"], made[:1])
    assert near(index, ours, made[0]) == ["two"]
    assert not index.has_vectors("ours")
    index.complete_vectors(ours, index.last_row, index.name)
    assert index.has_vectors("ours")
    assert index.count_vectors("others") == (2, 2)


def test_an_index_that_was_made_anew_is_read_anew(tmp_path: Path) -> None:
    made = directions(3)
    vectors = Vectors("a")
    for texts in (["one", "two"], ["three", "four"]):
        path = tmp_path / f"{texts[0]}.db"
        index = Index(path)
        put(index, texts)
        keep(index, vectors, texts, made[:2])
        assert near(index, vectors, made[0])[0] == texts[0]
        index.close()


def test_rebuilding_keeps_vectors_and_forgetting_does_not(index: Index) -> None:
    vectors = Vectors("a")
    put(index, ["one"])
    keep(index, vectors, ["one"], directions(1))
    index.complete_vectors(vectors, index.last_row, index.name)
    index.clear()
    put(index, ["one"])
    assert index.has_vectors("a")
    assert index.without_vector(vectors, -1) == []
    index.forget()
    put(index, ["one"])
    assert not index.has_vectors("a")
    assert len(index.without_vector(vectors, -1)) == 1


def test_of_other_profiles_the_one_written_last_stays(index: Index) -> None:
    put(index, ["one"])
    for profile in ("oldest", "older", "ours"):
        vectors = Vectors(profile)
        keep(index, vectors, ["one"], directions(1))
        index.complete_vectors(vectors, index.last_row, index.name)
    assert [index.has_vectors(profile) for profile in ("oldest", "older", "ours")] == [
        False,
        True,
        True,
    ]
    assert index.count_vectors("oldest") == (0, 1)


def test_what_is_in_memory_of_dropped_vectors_counts_no_more(index: Index) -> None:
    texts = [f"entry {number}" for number in range(600)]
    made = directions(600)
    query = made[0] + made[1]
    query /= np.linalg.norm(query)
    put(index, texts)
    first = Vectors("first")
    keep(index, first, texts[2:], np.tile(query, (598, 1)))
    assert near(index, first, query) != []
    for profile in ("second", "third"):
        others = Vectors(profile)
        keep(index, others, texts, made)
        index.complete_vectors(others, index.last_row, index.name)
    assert index.count_vectors("first") == (0, 600)
    keep(index, first, texts, made)
    assert set(near(index, first, query, limit=2)) == set(texts[:2])


def test_vectors_that_were_dropped_meanwhile_are_not_taken_for_made(index: Index) -> None:
    put(index, ["one"])
    vectors = Vectors("a")
    last, name = index.last_row, index.name
    keep(index, vectors, ["one"], directions(1))
    index.forget()
    put(index, ["one"])
    index.complete_vectors(vectors, last, name)
    assert not index.has_vectors("a")


def test_vectors_of_entries_that_are_gone_are_dropped_once_they_are_many(index: Index) -> None:
    vectors = Vectors("a")
    gone = [f"gone {number}" for number in range(1_200)]
    put(index, gone)
    keep(index, vectors, gone, directions(1_200))
    put(index, ["stays", *gone[:100]])
    keep(index, vectors, ["stays"], directions(1, seed=2))
    index.complete_vectors(vectors, index.last_row, index.name)
    put(index, ["stays", "gone 0", "gone 1199"])
    assert [one.text for one in index.without_vector(vectors, -1)] == ["gone 1199"]


def test_a_window_without_vectors_has_no_cosine() -> None:
    one = directions(1)[0]
    assert windows({}, one, [[1, 2], []]) == [None, None]
    assert windows({1: one}, one, [[1, 2]]) == [pytest.approx(1, abs=1e-5)]
    assert windows({1: one, 2: -one}, one, [[1, 2]]) == [None]


def test_entries_whose_vector_is_not_made_yet_are_neither_near_nor_far(index: Index) -> None:
    made = directions(3)
    texts = ["the cache is slow", "the cache is cold", "the cache is warm"]
    put(index, texts)
    vectors = Vectors("a")
    keep(index, vectors, texts[:2], np.stack([made[0], -made[0]]))
    asked = IndexRequest(
        query=Query("cache"), weights=Weights(), sense=QueryVector(made[0], vectors), limit=3
    )
    answer = index.retrieve(asked)
    order = [one.entry.text for one in answer.best]
    assert order == ["the cache is slow", "the cache is warm", "the cache is cold"]
    assert answer.best[0].places["meaning"] == 1
    assert "meaning" not in answer.best[1].places
