"""Which of several answers a later one may have put right."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from mind import corrections
from mind.corrections import Answer
from mind.entry import Kind
from mind.memory import Memory
from tests.conftest import Clock

DAY = date(2026, 3, 1)


def found(
    query: str,
    texts: Sequence[str],
    kind: Kind = Kind.DECISION,
    near: float | None = None,
    days: Sequence[int | None] = (0, 7, 14),
) -> dict[int, int]:
    answers = [
        Answer(text, kind, None if day is None else DAY + timedelta(days=day), 0.4)
        for text, day in zip(texts, days, strict=False)
    ]
    known = corrections.later(query, answers, lambda *_: near)
    return {at: by for at, (by, _) in known.items()}


RETRIES = ["The retry limit is 5.", "Retries are limited to 8 attempts."]


def test_the_later_of_two_answers_about_the_same_may_have_put_the_earlier_right() -> None:
    assert found("what is the retry limit", RETRIES) == {0: 1}
    assert found("what is the retry limit", RETRIES, near=0.8) == {0: 1}
    assert found("what is the retry limit", RETRIES[::-1]) == {0: 1}


@pytest.mark.parametrize(
    ("texts", "kind", "days"),
    [
        (RETRIES, Kind.DECISION, (0, 0)),
        (RETRIES, Kind.DECISION, (None, 3)),
        (RETRIES, Kind.DECISION, (0, None)),
        (RETRIES, Kind.TODO, (0, 3)),
        (["Ann: the retry limit is 5", "Ben: the retry limit is 8"], Kind.NOTE, (0, 3)),
        (["The retry limit is 5.", "Lunch is at noon."], Kind.DECISION, (0, 3)),
        (["Add a retry limit", "Document how uploads are signed"], Kind.DECISION, (0, 3)),
    ],
)
def test_what_is_of_one_day_said_done_or_about_something_else_is_left_alone(
    texts: Sequence[str], kind: Kind, days: Sequence[int | None]
) -> None:
    assert found("what is the retry limit", texts, kind, days=days) == {}


def test_the_likeliest_of_several_is_told() -> None:
    texts = [*RETRIES, "The office plants are watered on Mondays."]
    assert found("what is the retry limit", texts) == {0: 1}


def test_hits_stand_behind_what_put_them_right() -> None:
    assert corrections.newest_first(4, {}) == [0, 1, 2, 3]
    assert corrections.newest_first(4, {0: 2}) == [2, 0, 1, 3]
    assert corrections.newest_first(4, {0: 1, 1: 3}) == [3, 1, 0, 2]
    assert corrections.newest_first(3, {2: 0}) == [0, 1, 2]


def test_a_search_tells_of_the_later_fact_first_and_marks_the_earlier(
    memory: Memory, clock: Clock
) -> None:
    old = memory.log("Login sessions are kept in Redis, one key for each login", "decision")
    clock.forward(days=9)
    new = memory.log("Login sessions are kept in signed cookies now, not on the server", "decision")
    hits = memory.search("where are login sessions kept").hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()
    assert hits[1].stale[0] == f"newer: {new.entry.id} of {clock().date()}"
