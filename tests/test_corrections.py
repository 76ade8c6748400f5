"""Which of several answers a later one may have put right."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Kind
from mind.memory.memory import Memory
from mind.search import supersession
from mind.search.supersession import Answer
from tests.conftest import Clock

DAY = date(2026, 3, 1)


def found(
    query: str,
    texts: Sequence[str],
    kind: Kind = Kind.DECISION,
    *,
    near: float | None = None,
    days: Sequence[int | None] = (0, 7, 14),
    likelihoods: Sequence[float] = (0.4, 0.4, 0.4),
    sessions: Sequence[str] = ("", "", ""),
) -> dict[int, int]:
    """Number of each answer that a later one may have put right, and of the likeliest later one.

    Answers of one day stand in one file, one after the other.
    """
    answers = [
        Answer(
            text,
            kind,
            None if day is None else DAY + timedelta(days=day),
            likelihood,
            place=("MEMORY.md", at),
            session=session,
        )
        for at, (text, day, likelihood, session) in enumerate(
            zip(texts, days, likelihoods, sessions, strict=False)
        )
    ]
    known = supersession.later(query, answers, lambda *_: near)
    return {at: later[0][0] for at, later in known.items()}


RETRIES = ["The retry limit is 5.", "Retries are limited to 8 attempts."]


def test_the_later_of_two_answers_about_the_same_may_have_put_the_earlier_right() -> None:
    assert found("what is the retry limit", RETRIES) == {0: 1}
    assert found("what is the retry limit", RETRIES, near=0.8) == {0: 1}
    assert found("what is the retry limit", RETRIES[::-1]) == {0: 1}


@pytest.mark.parametrize(
    ("texts", "kind", "days"),
    [
        (RETRIES, Kind.DECISION, (None, 3)),
        (RETRIES, Kind.DECISION, (0, None)),
        (RETRIES, Kind.TODO, (0, 3)),
        (["Ann: the retry limit is 5", "Ben: the retry limit is 8"], Kind.NOTE, (0, 3)),
        (["The retry limit is 5.", "Lunch is at noon."], Kind.DECISION, (0, 3)),
        (["Add a retry limit", "Document how uploads are signed"], Kind.DECISION, (0, 3)),
    ],
)
def test_what_has_no_day_was_said_done_or_is_about_something_else_is_left_alone(
    texts: Sequence[str], kind: Kind, days: Sequence[int | None]
) -> None:
    assert found("what is the retry limit", texts, kind, days=days) == {}


def test_the_likeliest_of_several_is_told() -> None:
    texts = [*RETRIES, "The office plants are watered on Mondays."]
    assert found("what is the retry limit", texts) == {0: 1}


PORTS = [
    "The auth service listens on port 8443 inside the cluster; the ingress forwards to it.",
    "The auth service moved to port 9443 when the sidecar came; the old port is closed.",
]
OTHER_PORTS = [
    "Billing is reachable inside the cluster at 7001.",
    "The auth service listens on port 8443 inside the cluster.",
    "Billing was moved to 7002 inside the cluster.",
]


def test_what_tells_of_a_change_need_not_answer_the_query_as_well() -> None:
    query, likelihoods = "which port does the auth service listen on", (0.6, 0.01)
    assert found(query, PORTS, near=0.7, likelihoods=likelihoods) == {0: 1}
    assert found(query, PORTS, likelihoods=likelihoods) == {0: 1}
    plain = [PORTS[0], "The auth service has port 9443 in the plan of the sidecar."]
    assert found(query, plain, near=0.7, likelihoods=likelihoods) == {}


def test_what_tells_of_a_change_is_about_the_nearest_of_the_earlier_ones() -> None:
    query = "which port does the auth service listen on inside the cluster"
    assert found(query, OTHER_PORTS, likelihoods=(0.1, 0.6, 0.01)) == {0: 2}


def test_one_that_tells_of_a_change_itself_is_left_to_what_answers_as_well() -> None:
    texts = ["The auth service moved to port 9443.", "Mobile builds moved to the new port pool."]
    assert found("which port has auth", texts, near=0.5, likelihoods=(0.6, 0.01)) == {}


def test_who_asks_for_what_only_the_earlier_one_says_is_not_sent_on() -> None:
    texts = [
        "The throughput monitor publishes its dashboard at board-summit, by shift.",
        "The throughput monitor counts cancelled orders apart from what was done.",
    ]
    assert found("what does the throughput monitor count", texts, near=0.6) == {0: 1}
    assert found("which dashboard has the throughput monitor", texts, near=0.6) == {}


def test_notes_of_one_session_complete_each_other() -> None:
    """Unless one tells of a change."""
    limits = ["Uploads of the app may have 25 MB.", "The app shows uploads by day, 25 a page."]
    query = "how large may uploads of the app be"
    one_day, sessions = (0, 0), ("monday 1", "monday 2")
    assert found(query, limits) == {0: 1}
    assert found(query, limits, days=one_day) == {}
    assert found(query, limits, days=one_day, sessions=("monday 1", "")) == {}
    assert found(query, limits, days=one_day, sessions=sessions) == {0: 1}
    assert found(query, limits, days=(0, 1), sessions=("over midnight", "over midnight")) == {}
    assert found("which port has auth", PORTS, days=one_day) == {0: 1}
    assert found("what is the retry limit", RETRIES, near=0.9, days=one_day) == {}


def test_of_one_day_only_notes_of_one_file_follow_each_other() -> None:
    answers = [
        Answer(PORTS[0], Kind.DECISION, DAY, 0.4, place=("MEMORY.md", 9)),
        Answer(PORTS[1], Kind.DECISION, DAY, 0.4, place=("SESSION.md", 12)),
    ]
    assert supersession.later("which port has auth", answers, lambda *_: None) == {}


def test_hits_stand_behind_all_that_may_have_put_them_right() -> None:
    assert supersession.newest_first(4, {}) == [0, 1, 2, 3]
    assert supersession.newest_first(4, {0: [2]}) == [2, 0, 1, 3]
    assert supersession.newest_first(4, {0: [1], 1: [3]}) == [3, 1, 0, 2]
    assert supersession.newest_first(4, {0: [3, 2]}) == [3, 2, 0, 1]
    assert supersession.newest_first(3, {2: [0]}) == [0, 1, 2]


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


def test_two_sessions_of_one_day_tell_the_later_fact_from_the_earlier(
    memory: Memory, clock: Clock
) -> None:
    old = memory.log("Attachments of the app may have 25 MB at most.", "decision")
    clock.forward(hours=2)
    memory.recall()
    new = memory.log("Attachments of the app may have at most 100 MB.", "decision")
    assert old.entry.date == new.entry.date
    hits = memory.search("how large may attachments of the app be").hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[1].stale[0].startswith(f"newer: {new.entry.id}")


PORT = "which port has the auth service"


@pytest.mark.parametrize("later", [timedelta(hours=2), timedelta(days=1)])
def test_what_a_session_left_behind_is_as_old_as_the_log_says(
    memory: Memory, clock: Clock, later: timedelta
) -> None:
    """It is written into MEMORY.md below what was noted after it, under the day of the end."""
    lesson = "We learned that the auth service listens on port 9443 in the cluster."
    old = memory.log(lesson, "experience")
    clock.forward(minutes=5)
    new = memory.log("The auth service was moved to 9555, since port 9443 is taken.", "decision")
    day = clock().date()
    clock.now += later
    assert [one.entry.id for one in memory.recall().promoted] == [old.entry.id]
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()
    assert hits[1].stale[0] == f"newer: {new.entry.id} of {day}"


@pytest.mark.parametrize("later", [timedelta(hours=2), timedelta(days=3)])
def test_what_was_corrected_in_its_place_is_as_new_as_its_words(
    memory: Memory, clock: Clock, later: timedelta
) -> None:
    one = memory.log("The auth service listens on port 8443 in the cluster.", "decision")
    clock.forward(minutes=5)
    other = memory.log("The auth service moved to port 9443 in the cluster.", "decision")
    clock.now += later
    memory.update(one.entry.id, "The auth service was moved to port 9555 in the cluster.")
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [one.entry.id, other.entry.id]
    assert hits[0].stale == ()
    assert hits[1].stale[0] == f"newer: {one.entry.id} of {clock().date()}"


def test_what_was_dated_back_stays_so(memory: Memory, clock: Clock) -> None:
    new = memory.log("The auth service moved to port 9443 in the cluster.", "decision")
    clock.forward(days=1)
    old = memory.log("2026-01-05: The auth service moved to port 8443 in the cluster.", "decision")
    hits = memory.search(PORT).hits
    assert [hit.entry.id for hit in hits] == [new.entry.id, old.entry.id]
    assert hits[0].stale == ()


def test_a_typo_put_right_by_hand_leaves_a_note_in_its_session(
    memory: Memory, clock: Clock
) -> None:
    memory.log("Attachments of the app may have 25 MB at msot.", "decision")
    clock.forward(hours=2)
    memory.recall()
    new = memory.log("Attachments of the app may have at most 100 MB.", "decision")
    path = memory.project.memory
    path.write_bytes(path.read_bytes().replace(b"msot", b"most"))
    hits = memory.search("how large may attachments of the app be").hits
    assert hits[0].entry.id == new.entry.id
    assert hits[1].stale[0].startswith(f"newer: {new.entry.id}")


@given(st.data())
def test_every_hit_stays_and_stands_behind_what_put_it_right(data: st.DataObject) -> None:
    answers = data.draw(
        st.lists(
            st.builds(
                Answer,
                st.sampled_from([*PORTS, *OTHER_PORTS]),
                st.sampled_from([Kind.DECISION, Kind.PROBLEM]),
                st.sampled_from([None, DAY, DAY + timedelta(days=1)]),
                st.sampled_from([0.01, 0.5]),
                place=st.tuples(st.sampled_from(["MEMORY.md", "notes.md"]), st.integers(1, 4)),
                at=st.sampled_from([None, 1.0, 2.0]),
                session=st.sampled_from(["", "one", "other"]),
            ),
            max_size=9,
        )
    )
    known = supersession.later(PORT, answers, lambda *_: None)
    first = {at: [by for by, _ in found] for at, found in known.items()}
    order = supersession.newest_first(len(answers), first)
    assert sorted(order) == [*range(len(answers))]
    assert all(order.index(by) < order.index(at) for at in first for by in first[at])
