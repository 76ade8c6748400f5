"""When a session ends, and what becomes of its notes: decided on values alone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from mind.domain.entry import Entry, Kind, content_id
from mind.domain.settings import Settings
from mind.memory.session import SessionState, begins_anew, begun, kept_as, promote, touched

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
GAP = timedelta(minutes=30)


def entry(text: str, kind: Kind = Kind.LEARNING) -> Entry:
    return Entry(id=content_id(text), kind=kind, text=text)


def outcome(item: Entry, *memory: Entry) -> str:
    def resembling(_entry: Entry) -> Sequence[Entry]:
        return memory

    return promote([item], resembling, Settings())[0].outcome


def test_state_survives_a_round_trip() -> None:
    state = touched(begun(NOW, "a"), NOW, "b")
    assert SessionState.from_json(state.to_json()) == state
    assert state.session_ids == ("a", "b")
    assert state.started == NOW
    assert SessionState().started is None


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        3,
        {"last_activity": -1},
        {"last_activity": 2**60},
        {"shown": 3},
        {"session_ids": "a"},
    ],
)
def test_state_of_another_shape_is_empty(data: object) -> None:
    assert SessionState.from_json(data) == SessionState()


@pytest.mark.parametrize(
    ("minutes", "session_id", "event", "anew"),
    [
        (29, None, None, False),
        (30, None, None, False),
        (31, None, None, True),
        (-60, None, None, False),
        (5, "new", None, True),
        (500, "a", None, False),
        (500, "a", "resume", False),
        (500, None, "compact", False),
        (5, "new", "resume", True),  # of another client: this session is not its own
        (5, "new", "compact", True),
        (5, "a", "startup", False),
        (5, "b", "startup", True),
        (5, None, "clear", True),
    ],
)
def test_what_ends_a_named_session(
    minutes: int, session_id: str | None, event: str | None, *, anew: bool
) -> None:
    state = begun(NOW, "a")
    now = NOW + timedelta(minutes=minutes)
    assert begins_anew(state, now, GAP, session_id, event) is anew


def test_an_unnamed_session_takes_the_name_that_comes() -> None:
    state = begun(NOW, None)
    assert not begins_anew(state, NOW + timedelta(minutes=5), GAP, "a", None)
    assert begins_anew(state, NOW + timedelta(minutes=50), GAP, "a", None)
    assert begins_anew(SessionState(), NOW, GAP, None, "resume")


@pytest.mark.parametrize(
    ("text", "kind", "kept"),
    [
        ("looked around", Kind.EXPERIENCE, None),
        ("the test fails because the clock is frozen", Kind.EXPERIENCE, Kind.LEARNING),
        ("turns out the cache is per process", Kind.EXPERIENCE, Kind.LEARNING),
        ("gotcha: pages count from 1", Kind.EXPERIENCE, Kind.GOTCHA),
        ("decided: SQLite over Postgres", Kind.EXPERIENCE, Kind.DECISION),
        ("resulta que el puerto ya está en uso", Kind.EXPERIENCE, Kind.LEARNING),
        ("Redis for sessions", Kind.REJECTED, Kind.REJECTED),
        ("the API is stable", Kind.ASSUMPTION, Kind.ASSUMPTION),
        ("anything", Kind.NOTE, None),
    ],
)
def test_raw_experience_stays_out_unless_it_carries_a_lesson(
    text: str, kind: Kind, kept: Kind | None
) -> None:
    assert kept_as(entry(text, kind), Settings()) is kept


def test_the_outcomes_of_promotion() -> None:
    known = entry("the cache of pages is per process")
    assert outcome(entry("kafka keeps messages for a week")) == "added"
    assert outcome(entry("kafka keeps messages for a week"), known) == "added"
    assert outcome(entry("The cache of pages is per process"), known) == "known"
    longer = entry("the cache of pages is per process and never shared")
    assert outcome(longer, known) == "superseded"
    rejected = entry("Redis for the cache of pages", Kind.REJECTED)
    more = entry("Redis for the cache of pages and sessions", Kind.REJECTED)
    assert outcome(more, rejected) in ("known", "linked")


def test_a_contradiction_supersedes_what_it_contradicts() -> None:
    known = entry("enable the cache for pages", Kind.DECISION)
    assert outcome(entry("disable the cache for pages", Kind.DECISION), known) == "superseded"
    protected = entry("enable the cache for pages", Kind.GOTCHA)
    assert outcome(entry("disable the cache for pages", Kind.GOTCHA), protected) == "added"


def test_something_close_is_linked() -> None:
    known = entry("the importer reads the vendor file line by line to save memory")
    close = entry("the importer reads the vendor file by columns to save time")
    settings = Settings(promotion_link=0.4)
    (decision,) = promote([close], lambda _: [known], settings)
    assert (decision.outcome, decision.other) == ("linked", known)


def test_a_repeat_within_the_session_counts_once() -> None:
    items = [entry("kafka keeps messages"), entry("Kafka keeps **messages**")]
    assert [one.outcome for one in promote(items, lambda _: [], Settings())] == ["added", "left"]
