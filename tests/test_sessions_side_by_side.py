"""Several sessions at once: each keeps its own notes until it ends itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from mind.documents.notebook import add_to_session, session_parts, without_part
from mind.domain.entry import Kind
from mind.hooks import events
from mind.memory import session
from mind.memory.memory import Memory
from mind.memory.session import Running, State, begun
from mind.storage.project import Project
from mind.storage.templates import text as template
from tests import hooking
from tests.conftest import Clock

BLANK = template("SESSION.md").encode()


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

    def meanwhile(*arguments: Any) -> Path:
        monkeypatch.setattr(session, "record", record)
        clock.forward(seconds=1)
        of(project, clock, "two").recall()
        return record(*arguments)

    monkeypatch.setattr(session, "record", meanwhile)
    of(project, clock, "one").log("one waits for its vendor", "blocker")
    of(project, clock, "two").log("two waits for its vendor", "blocker")
    of(project, clock, "two").end_session("two")
    assert "two waits" in kept(project)
    assert "one waits" not in kept(project)
    assert "one waits" in notes(project)


def test_two_that_begin_at_once_remember_the_memory_they_saw_and_share_no_part(
    project: Project, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember = session.remember

    def meanwhile(*arguments: Any) -> None:
        monkeypatch.setattr(session, "remember", remember)
        clock.forward(seconds=1)
        of(project, clock, "two").recall()
        remember(*arguments)

    monkeypatch.setattr(session, "remember", meanwhile)
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
    running = Running((begun(clock(), "a"), begun(clock(), "b", "Session 2026-11-20 10:00:00")))
    assert Running.from_json(running.to_json()) == running
    assert State.from_json(running.to_json()) == running.newest
    assert running.free_part(clock()) == "Session 2026-11-20 10:00:00 (2)"
    assert Running.from_json({"others": 3}) == Running()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_come_and_go_without_touching_each_other(end: str) -> None:
    blank = BLANK.replace(b"\n", end.encode())
    parts = ("", "Session 2026-11-20 10:00:00", "Session 2026-11-20 11:00:00")
    source = blank
    for part in parts:
        for number in range(2):
            source = add_to_session(source, Kind.BLOCKER, f"blocker: {number} of {part}", part)
    assert list(session_parts(source)) == list(parts)
    for gone in parts:
        span = session_parts(source)[gone]
        left = without_part(source, gone, source[span.start : span.end], blank)
        for part in parts:
            there = f"blocker: 1 of {part}{end}".encode() in left
            assert there is (part != gone)
        again = add_to_session(left, Kind.BLOCKER, "blocker: later", gone)
        assert b"blocker: later" in again
    for part in parts:
        span = session_parts(source)[part]
        source = without_part(source, part, source[span.start : span.end], blank)
    assert source == blank


def test_what_an_editor_wrote_into_a_closed_part_stays() -> None:
    part = "Session 2026-11-20 10:00:00"
    source = add_to_session(BLANK, Kind.BLOCKER, "blocker: one", part)
    span = session_parts(source)[part]
    closed = source[span.start : span.end]
    left = without_part(source + b"blocker: two\n", part, closed, BLANK)
    assert b"blocker: two" in left
    assert b"blocker: one" not in left
