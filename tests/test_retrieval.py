"""The branches of a search: what each finds, and what the answer says about it."""

import pytest

from mind.memory.memory import Memory
from mind.ranking import Candidate, Corpus, EntryText, Query, Shortlist, Weights, rank
from mind.search.results import Hit
from mind.storage.index import Index, IndexRequest
from mind.storage.index.retrieval import title_length
from mind.text.terms import terms


def by_text(memory: Memory, query: str) -> dict[str, Hit]:
    return {hit.entry.text: hit for hit in memory.search(query).hits}


def test_what_names_the_same_thing_is_found_however_it_is_spelt(memory: Memory) -> None:
    memory.log("Retries live in RetryPolicy now", "decision")
    memory.log("Chose SQLite for the cache", "decision")
    found = by_text(memory, "retry_policy")
    hit = found["Retries live in RetryPolicy now"]
    assert hit.places["names"] == 1
    assert hit.signals["names"] > 0
    assert "Chose SQLite for the cache" not in found


def test_an_entry_that_is_related_is_found_without_a_word_in_common(memory: Memory) -> None:
    memory.log("Sessions time out in `AuthService` after an hour", "problem")
    memory.log("`TokenStore` loses its keys on restart", "gotcha")
    memory.log("Lunch is at noon", "note")
    assert "`TokenStore` loses its keys on restart" not in by_text(memory, "sessions time out")
    memory.relate("AuthService", "depends-on", "TokenStore")
    found = by_text(memory, "sessions time out")
    hit = found["`TokenStore` loses its keys on restart"]
    assert set(hit.places) == {"graph"}
    assert "Lunch is at noon" not in found


@pytest.mark.parametrize(
    ("entry", "query"),
    [
        ("RabbitMQ delivers the invoices", "which message queue is there"),
        ("RabbitMQ delivers the invoices", "is there a message queue."),
        ("No ORM - plans of queries stay visible", "a model with SQLAlchemy"),
        ("Kubernetes runs the workers", "k8s"),
        ("An end-to-end test needs the mail server", "tests in Playwright"),
    ],
)
def test_an_entry_is_found_by_another_name_of_what_it_is_about(
    memory: Memory, entry: str, query: str
) -> None:
    for at in range(8):
        memory.log(f"Lunch on day {at} is at noon", "note")
    memory.log(entry, "note")
    (hit,) = memory.search(query).hits
    assert hit.entry.text == entry
    assert hit.places["synonyms"] == 1
    assert hit.signals["synonyms"] > 0


def test_an_entry_that_has_the_words_comes_before_one_with_another_name(memory: Memory) -> None:
    memory.log("Celery sends the mails", "decision")
    memory.log("The task queue is drained before a release", "learned")
    found = [hit.entry.text for hit in memory.search("drained task queue").hits]
    assert found == ["The task queue is drained before a release", "Celery sends the mails"]


def test_an_everyday_word_is_no_other_name(memory: Memory) -> None:
    memory.log("The standard case is tried first", "note")  # "standard" is a linter too
    assert not memory.search("linter").hits


def test_a_name_with_a_sign_is_not_found_without_it(memory: Memory) -> None:
    memory.log("The standup begins at 1 sharp", "note")
    assert not memory.search("unpinned dependencies").hits  # also called "1.+"


def test_filters_hold_for_every_branch(memory: Memory) -> None:
    memory.log("Retries live in RetryPolicy now", "decision")
    memory.log("RetryPolicy ignores jitter", "gotcha")
    found = memory.search("kind:gotcha retry_policy").hits
    assert [hit.entry.text for hit in found] == ["RetryPolicy ignores jitter"]


def test_newer_entries_come_first_among_equals(memory: Memory) -> None:
    text = memory.project.memory.read_text(encoding="utf-8")
    days = "## 2024-01-01\n\n- decided: the cache keeps 100 keys here\n\n"
    days += "## 2026-01-01\n\n- decided: the cache keeps 200 keys here\n"
    memory.project.memory.write_text(text + days, encoding="utf-8")
    found = memory.search("what the cache keeps").hits
    assert [hit.entry.text.split()[3] for hit in found] == ["200", "100"]


def test_every_weight_can_be_set(memory: Memory) -> None:
    memory.log("The cache is slow", "problem")
    memory.configure("search.weights", '{"words": 0, "title": 5}')
    signals = memory.search("cache slow").hits[0].signals
    assert "words" not in signals
    assert signals["title"] == max(signals.values())


def test_an_empty_index_answers_nothing() -> None:
    index = Index(None)
    answer = index.retrieve(IndexRequest(query=Query("anything `at_all`"), weights=Weights()))
    assert (answer.best, answer.weighed) == ((), 0)
    index.close()


def test_names_count_as_they_are_weighed() -> None:
    query = Query("cache")
    wanted = frozenset(query.terms)
    texts = ["the cache is slow", "the cache is cold"]
    candidates = [
        Candidate(at, EntryText(text, terms(text), 4, wanted)) for at, text in enumerate(texts)
    ]
    known = Shortlist(candidates, Corpus(9, 4, {"cach": 2}), None, [0.0, 1.0])
    assert [one.row for one in rank(query, known, Weights())] == [1, 0]
    assert [one.row for one in rank(query, known, Weights(names=0))] == [0, 1]


@pytest.mark.parametrize(
    "trailer",
    [", closes #12", " (#41)", " Co-authored-by: Ann <a@b.c>", " Refs: abc", " https://a.b/c x"],
)
def test_references_are_no_part_of_what_a_title_covers(trailer: str) -> None:
    assert title_length("Drop the connection pool" + trailer) == len(
        "Drop the connection pool".split()
    )
    assert title_length("see #12") == 2
