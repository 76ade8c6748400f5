"""Several sessions at once: each keeps its own notes until it ends itself."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from mind.documents import memory_file
from mind.documents.memory_file import (
    add_to_session,
    last_ended,
    session_parts,
    with_ended,
    without_part,
)
from mind.documents.parser import parse
from mind.domain.errors import FileError
from mind.domain.settings import Settings
from mind.hooks import events
from mind.memory import reminders, session, wording
from mind.memory.answers import left_out
from mind.memory.memory import Memory
from mind.memory.session import Sessions, SessionState, begun
from mind.storage.project import Project
from mind.storage.templates import text as template
from tests import hooking
from tests.conftest import Clock, Run

BLANK = template("SESSION.md").encode()
DAY = date(2026, 11, 20)


def of(project: Project, clock: Clock, session: str | None) -> Memory:
    return Memory(project, clock=clock, session_id=session)


def notes(project: Project) -> str:
    return project.session.read_text(encoding="utf-8")


def kept(project: Project) -> str:
    return project.memory.read_text(encoding="utf-8")


def test_two_clients_that_take_turns_lose_and_promote_nothing(
    project: Project, clock: Clock
) -> None:
    for number in range(3):
        for name in ("one", "two"):
            memory = of(project, clock, name)
            memory.recall()
            memory.log(f"{name} waits for answer {number} from its vendor", "blocker")
            memory.close()
            clock.forward(minutes=5)
    assert notes(project).count("waits for answer") == 6
    assert "waits for answer" not in kept(project)
    for name in ("one", "two"):
        shown = of(project, clock, name).session().entries
        assert [one.text.partition(" ")[0] for one in shown] == [name] * 3


def test_a_session_that_its_client_ends_is_promoted_once_and_the_others_stay(
    project: Project, clock: Clock
) -> None:
    for name in ("one", "two", "three"):
        of(project, clock, name).log(f"{name} waits for an answer from its vendor", "blocker")
    of(project, clock, None).log("the shell waits for a key of the vendor", "blocker")
    of(project, clock, "two").end_session("two")
    assert "two waits" in kept(project)
    assert "two waits" not in notes(project)
    assert kept(project).count("waits") == 1
    for name in ("one", "three", "the shell"):
        assert f"{name} waits" in notes(project)
    of(project, clock, "two").end_session("two")
    assert kept(project).count("two waits") == 1


@pytest.mark.parametrize(
    "text",
    [
        "client {0} waits for the vendor key number {0}1",
        "client {0} waits for the vendor key",
        "shard {1}/3 waits for a window",
        "{2} waits for an answer from its vendor",
        "the move to {2} waits for a licence",
    ],
)
@pytest.mark.parametrize("case", [str, str.lower])
def test_notes_that_differ_in_a_letter_a_number_or_a_name_are_all_promoted(
    project: Project, clock: Clock, text: str, case: Callable[[str], str]
) -> None:
    said = [
        case(text.format(*one))
        for one in (("A", 1, "Paris"), ("B", 2, "Berlin"), ("C", 3, "Berliner"))
    ]
    for name, one in zip("xyz", said, strict=True):
        of(project, clock, name).log(one, "blocker")
    for name in "xyz":
        of(project, clock, name).end_session(name)
    for one in said:
        assert kept(project).count(f"{one}\n") + kept(project).count(f"{one} [") == 1


def test_a_note_that_is_not_promoted_is_told_and_kept_whatever_sessions_end_after_it(
    project: Project, clock: Clock
) -> None:
    of(project, clock, "one").log("looked around a little", "experience")
    of(project, clock, "two").log("the build waits for a licence", "blocker")
    of(project, clock, "three").log("The build waits for a licence.", "blocker")
    for name in ("one", "two", "three"):
        of(project, clock, name).end_session(name)
    ended = project.last_session.read_text(encoding="utf-8")
    for text in ("around a little", "the build waits", "The build waits"):
        assert ended.count(text) == 1
    marks = [line.partition(": ")[2] for line in ended.splitlines() if "Session ended" in line]
    assert marks == ["1 left -->", "1 added -->", "1 known -->"]
    assert of(project, clock, "four").session().ended == ".mind/SESSION.last.md"
    of(project, clock, "four").log("looked elsewhere", "experience")
    clock.forward(days=31)
    answer = of(project, clock, "five").recall()
    assert left_out(answer.promoted).startswith("1 note was not promoted")
    assert answer.session.ended == ".mind/SESSION.last.md"
    ended = project.last_session.read_text(encoding="utf-8")
    assert "looked elsewhere" in ended
    assert "around a little" not in ended


def test_sessions_that_end_at_once_with_the_same_note_leave_one(
    project: Project, clock: Clock
) -> None:
    of(project, clock, "one").log("the build waits for a licence", "blocker")
    of(project, clock, "two").log("The build waits for a licence.", "blocker")
    with project.session.open("ab") as file:
        file.write(b"blocker: **the build** waits for a licence\n")
    clock.forward(hours=10)
    answer = of(project, clock, "three").recall()
    assert [one.outcome for one in answer.promoted] == ["added", "known", "left"]
    assert kept(project).count("build") == 1


def test_a_session_that_cannot_be_cleared_is_put_away_once(
    project: Project, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise FileError("it cannot be written")

    of(project, clock, "one").log("looked around a little", "experience")
    clock.forward(hours=10)
    with monkeypatch.context() as broken:
        broken.setattr(memory_file, "without_part", fail)
        for name in ("two", "three"):
            assert of(project, clock, name).recall().problems
    of(project, clock, "four").recall()
    ended = project.last_session.read_text(encoding="utf-8")
    assert ended.count("looked around") == ended.count("Session ended") == 1
    assert "looked around" not in notes(project)


def test_an_open_fence_in_a_note_hides_no_session_that_ends_later() -> None:
    now = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    kept = with_ended(b"learned: a\n\n```\nopen", b"learned: b\n", now, "1 left")
    assert last_ended(kept) == b"learned: b\n"
    assert [one.text for one in parse(kept, "SESSION.last.md", Settings())][-1] == "b"


def test_the_same_words_of_another_kind_are_promoted(project: Project, clock: Clock) -> None:
    of(project, clock, "one").log("Redis for the sessions", "decision")
    of(project, clock, "one").log("Redis for the sessions", "rejected")
    of(project, clock, "one").end_session("one")
    assert "rejected: Redis for the sessions" in kept(project)


def test_an_idle_session_ends_and_one_that_is_resumed_goes_on(
    project: Project, clock: Clock
) -> None:
    of(project, clock, "killed").log("the build waits for a licence", "blocker")
    of(project, clock, "resumed").log("the deploy waits for a window", "blocker")
    clock.forward(minutes=40)
    answer = of(project, clock, "resumed").recall(event="resume")
    assert not answer.new_session
    assert [one.entry.text for one in answer.promoted] == ["the build waits for a licence"]
    assert "the deploy waits" in notes(project)
    assert "the deploy waits" not in kept(project)
    clock.forward(minutes=40)
    answer = of(project, clock, "another").recall()
    assert answer.new_session
    assert [one.entry.text for one in answer.promoted] == ["the deploy waits for a window"]
    assert project.session.read_bytes() == BLANK
    assert kept(project).count("waits for") == 2


@pytest.mark.parametrize("event", ["resume", "compact"])
def test_a_session_that_goes_on_after_it_was_closed_has_a_part_of_its_own(
    project: Project, clock: Clock, event: str
) -> None:
    of(project, clock, "closed").log("staging waits for its database", "blocker")
    of(project, clock, "other").log("the build waits for a licence", "blocker")
    of(project, clock, "closed").end_session("closed")
    assert of(project, clock, "closed").recall(event=event).new_session
    of(project, clock, "closed").log("the deploy waits for a window", "blocker")
    of(project, clock, "closed").end_session("closed")
    assert kept(project).count("waits for") == 2
    assert "the build waits for a licence" in notes(project)
    assert "the build waits for a licence" not in kept(project)


def test_a_resumed_client_never_takes_over_the_session_of_another(project: Project) -> None:
    hooking.start(project, "a")
    events.answer(hooking.event(project, "SessionEnd", "a", reason="other"))
    hooking.start(project, "b")
    hooking.start(project, "a", "resume")  # nobody noted anything yet: answered by the short way
    memory = Memory(project, session_id="b")
    memory.log("the build waits for a licence", "blocker")
    memory.close()
    events.answer(hooking.event(project, "SessionEnd", "a", reason="other"))
    assert "the build waits" in notes(project)
    assert "the build waits" not in kept(project)


def test_a_session_that_begins_while_another_is_at_its_first_call_has_a_part_of_its_own(
    project: Project, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody noted anything, the state forgets a session that makes its first call."""
    record = session.record

    def meanwhile(*arguments: Any) -> None:
        monkeypatch.setattr(session, "record", record)
        clock.forward(seconds=1)
        of(project, clock, "two").recall()
        record(*arguments)

    monkeypatch.setattr(session, "record", meanwhile)
    of(project, clock, "one").log("one waits for its vendor", "blocker")
    of(project, clock, "two").log("two waits for its vendor", "blocker")
    of(project, clock, "two").end_session("two")
    assert "two waits" in kept(project)
    assert "one waits" not in kept(project)
    assert "one waits" in notes(project)


def test_two_that_begin_at_once_share_no_part(
    project: Project, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_shown = reminders.note_shown

    def meanwhile(*arguments: Any) -> None:
        monkeypatch.setattr(reminders, "note_shown", note_shown)
        clock.forward(seconds=1)
        of(project, clock, "two").recall()
        note_shown(*arguments)

    monkeypatch.setattr(reminders, "note_shown", meanwhile)
    of(project, clock, "one").recall()
    for name in ("one", "two"):
        of(project, clock, name).log(f"{name} waits for its vendor", "blocker")
    of(project, clock, "two").end_session("two")
    assert "one waits" not in kept(project)
    assert "one waits" in notes(project)


def test_a_call_without_a_name_belongs_to_the_most_recent_session(
    project: Project, clock: Clock
) -> None:
    of(project, clock, "one").log("one waits for its vendor", "blocker")
    clock.forward(minutes=2)
    of(project, clock, "two").log("two waits for its vendor", "blocker")
    of(project, clock, None).log("the shell found a broken cable", "blocker")
    of(project, clock, "two").end_session("two")
    assert "broken cable" in kept(project)
    assert "one waits" not in kept(project)


def test_three_clients_with_hooks_one_killed_one_resumed_and_the_shell(project: Project) -> None:
    waits = {"a": "the build waits for a licence", "b": "staging waits for its database"}
    waits["c"] = "review waits for the security team"
    for name, text in waits.items():
        hooking.start(project, name)
        memory = Memory(project, session_id=name)
        memory.log(text, "blocker")
        memory.close()
    memory = Memory(project)
    memory.log("nobody waits for the printer", "blocker")  # of c, the most recent
    memory.close()
    assert kept(project).count("waits for") == 0
    events.answer(hooking.event(project, "SessionEnd", "a", reason="other"))
    hooking.start(project, "b", "resume")
    assert kept(project).count("waits for") == 1
    events.answer(hooking.event(project, "SessionEnd", "b", reason="other"))
    assert kept(project).count("waits for") == 2
    now = json.loads(project.state.read_bytes())
    now["last_activity"] -= 3_600_000  # c was killed, an hour ago
    project.state.write_text(json.dumps(now), encoding="utf-8")
    hooking.start(project, "d")
    assert kept(project).count("waits for") == 4
    assert project.session.read_bytes() == BLANK
    for text in waits.values():
        assert kept(project).count(text) == 1


def test_of_sessions_that_take_turns_the_latest_call_tells_which_is_the_most_recent(
    project: Project, clock: Clock
) -> None:
    for name in ("one", "two"):
        of(project, clock, name).log(f"{name} waits for its vendor", "blocker")
        clock.forward(seconds=2)
    of(project, clock, "one").session()
    of(project, clock, None).log("the shell found a broken cable", "blocker")
    of(project, clock, "two").end_session("two")
    assert "broken cable" in notes(project)
    of(project, clock, "one").end_session("one")
    assert "broken cable" in kept(project)


def test_a_file_of_the_version_before_is_one_part_and_its_state_one_session(
    project: Project, clock: Clock
) -> None:
    project.session.write_text(
        "# Current Session\n\n## Blockers\n\nblocker: the old build waits for a key\n",
        encoding="utf-8",
    )
    begun_ = begun(clock(), "old").to_json()
    project.state.write_text(json.dumps(begun_), encoding="utf-8")
    of(project, clock, "new").log("the new build waits for a key", "blocker")
    assert [one.text for one in of(project, clock, "old").session().entries] == [
        "the old build waits for a key"
    ]
    of(project, clock, "new").end_session("new")
    assert "the new build" in kept(project)
    assert "the old build" in notes(project)


def test_a_part_that_no_session_writes_any_more_is_promoted(project: Project, clock: Clock) -> None:
    """The version before writes a state that knows one session alone."""
    of(project, clock, "one").log("one waits for its vendor", "blocker")
    of(project, clock, "two").log("two waits for its vendor", "blocker")
    state = json.loads(project.state.read_bytes())
    state.pop("others")
    project.state.write_text(json.dumps(state), encoding="utf-8")
    clock.forward(minutes=40)
    of(project, clock, "three").recall()
    assert kept(project).count("waits for its vendor") == 2


def test_running_sessions_survive_a_round_trip(clock: Clock) -> None:
    running = Sessions((begun(clock(), "a"), begun(clock(), "b", "Session 2026-11-20 10:00:00")))
    assert Sessions.from_json(running.to_json()) == running
    assert SessionState.from_json(running.to_json()) == running.newest
    assert running.free_part(clock()) == "Session 2026-11-20 10:00:00 (2)"
    assert Sessions.from_json({"others": 3}) == Sessions()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_come_and_go_without_touching_each_other(end: str) -> None:
    blank = BLANK.replace(b"\n", end.encode())
    parts = ("", "Session 2026-11-20 10:00:00", "Session 2026-11-20 11:00:00")
    source = blank
    for part in parts:
        for number in range(2):
            source = add_to_session(source, f"blocker: {number} of {part}", DAY, part)
    assert list(session_parts(source)) == list(parts)
    for gone in parts:
        span = session_parts(source)[gone]
        left = without_part(source, gone, source[span.start : span.end], blank)
        for part in parts:
            there = f"blocker: 1 of {part}{end}".encode() in left
            assert there is (part != gone)
        again = add_to_session(left, "blocker: later", DAY, gone)
        assert b"blocker: later" in again
    for part in parts:
        span = session_parts(source)[part]
        source = without_part(source, part, source[span.start : span.end], blank)
    assert source == blank


def test_a_note_keeps_the_day_on_which_it_was_logged(project: Project, clock: Clock) -> None:
    of(project, clock, "one").log("matviews for reports - refresh locks the table", "rejected")
    clock.forward(days=2)
    memory = of(project, clock, "one")
    memory.log("review apps on every push - too many certificates", "rejected")
    assert [one.date for one in memory.session().entries] == [DAY, date(2026, 11, 22)]
    clock.forward(days=7)
    of(project, clock, "two").recall()
    of(project, clock, "two").log("Postgres 17", "decision")
    days = [line for line in kept(project).splitlines() if line.startswith("## 2026")]
    assert days == ["## 2026-11-20", "## 2026-11-22", "## 2026-11-29"]


def test_what_an_editor_wrote_into_a_closed_part_stays() -> None:
    part = "Session 2026-11-20 10:00:00"
    source = add_to_session(BLANK, "blocker: one", DAY, part)
    span = session_parts(source)[part]
    closed = source[span.start : span.end]
    left = without_part(source + b"blocker: two\n", part, closed, BLANK)
    assert b"blocker: two" in left
    assert b"blocker: one" not in left


def test_a_session_without_notes_says_that_others_have_some(here: Project, mind: Run) -> None:
    clock = Clock(datetime.now(UTC))
    for name, text in (("one", "tried gevent, it blocks"), ("one", "tried uvloop, it is fast")):
        of(here, clock, name).log(text)
        told = wording.session(of(here, clock, "two").session(), 1_000)
        assert told.startswith("No notes in this session yet.")
    assert "2 notes of other sessions wait in .mind/SESSION.md." in told
    assert of(here, clock, "one").session().waiting == 0
    of(here, clock, "two").recall()
    out = mind("session")[1]
    assert "No notes in this session yet." in out
    assert "2 notes of other sessions wait in .mind/SESSION.md." in out
    assert "tried gevent" in mind("recent")[1]
