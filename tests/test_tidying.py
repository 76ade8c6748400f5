"""Keeping a memory small: what lived its time, is said twice, or can be summed up."""

import json
import threading
from datetime import date

import pytest

from mind.domain.entry import Entry, Kind
from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.ranking import heat
from mind.search.semantic import ProjectVectors
from mind.server.mcp.background import Background
from mind.storage.events import Event
from mind.storage.project import Project
from tests.conftest import Clock

OLD = """# Memory

## 2026-01-05

progress: moved `src/cache.py` to its own package
progress: split `src/cache.py` into reader and writer
note: the office router is called lucy
decided: SQLite over Postgres
problem: the pool of connections leaks
note: keep this one [pinned:: yes]
note: and this [expires:: never]
todo: buy a domain [expires:: 2026-02-01]

## 2026-01-06

- the printer is on the second floor [expires:: 2026-02-01]
"""


def plan(memory: Memory, *, by_hand: bool = True) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for step in memory.tidy(dry_run=True, by_hand=by_hand).steps:
        found.setdefault(step.what, []).extend(one.text for one in step.entries)
    return found


def write(memory: Memory, text: str) -> None:
    memory.project.memory.write_text(text, encoding="utf-8")


def at(clock: Clock, day: str) -> None:
    clock.forward(days=(date.fromisoformat(day) - clock().date()).days)


def test_what_lived_its_time_and_was_not_used_leaves(memory: Memory, clock: Clock) -> None:
    write(memory, OLD)
    at(clock, "2026-11-20")
    leaving = plan(memory)
    assert set(leaving) == {"expired"}
    assert "the office router is called lucy" in leaving["expired"]
    assert "buy a domain" in leaving["expired"]
    told = " ".join(leaving["expired"])
    for stays in ("SQLite", "leaks", "keep this", "and this"):
        assert stays not in told
    before = memory.project.memory.read_bytes()
    done = memory.tidy()
    assert done.done
    assert b"lucy" not in memory.project.memory.read_bytes()
    assert memory.tidy().steps == ()
    for step in done.steps:
        for one in step.entries:
            memory.restore(one.id)
    assert memory.project.memory.read_bytes() == before


def test_what_people_wrote_is_only_moved_by_hand(memory: Memory, clock: Clock) -> None:
    write(memory, OLD)
    at(clock, "2026-11-20")
    by_hand, alone = plan(memory)["expired"], plan(memory, by_hand=False)["expired"]
    assert set(alone) < set(by_hand)
    assert [text for text in by_hand if text not in alone] == [
        text for text in by_hand if "printer" in text
    ]


def test_what_is_used_or_was_checked_stays(memory: Memory, clock: Clock) -> None:
    write(memory, OLD)
    at(clock, "2026-11-19")
    router = next(one for one in memory.index_entries() if "lucy" in one.text)
    memory.get([router.id])
    at(clock, "2026-11-20")
    assert router.text not in plan(memory)["expired"]
    todo = next(one for one in memory.index_entries() if "domain" in one.text)
    memory.verify(todo.id)
    assert todo.text in plan(memory)["expired"]  # it says itself until when


def test_what_differs_only_in_capitals_is_said_twice(memory: Memory, clock: Clock) -> None:
    write(
        memory,
        "# Memory\n\n## 2026-01-07\n\n"
        "learned: keep the fooBar out of the rowStore of the importer\n\n## 2026-01-08\n\n"
        "learned: keep the FOOBAR out of the rowstore of the importer\n",
    )
    at(clock, "2026-02-01")
    assert plan(memory)["superseded"] == ["keep the fooBar out of the rowStore of the importer"]


def test_what_says_nearly_the_same_is_listed_for_whoever_sums_it_up(
    memory: Memory, clock: Clock
) -> None:
    write(
        memory,
        OLD + "\n## 2026-01-07\n\n"
        "learned: the parser of tables copies each line twice\n"
        "learned: the table parser copies every line of it twice\n",
    )
    at(clock, "2026-03-01")
    (group,) = memory.tidy().groups
    assert [one.line for one in group] == [21, 20]
    assert memory.tidy(by_hand=False).groups == ()
    ids = [one.id for one in group]
    (step,) = memory.consolidate(ids, "the table parser copies each line twice").steps
    text = memory.project.memory.read_text("utf-8")
    assert "learned: the table parser copies each line twice" in text
    assert "of it twice" not in text
    new = next(one for one in memory.index_entries() if one.id == step.replacement)
    assert new.fields["consolidates"].split(", ") == ids
    assert {one.replaced_by for one in memory.archive("copies").blocks} == {new.id}
    assert memory.tidy().groups == ()


def test_what_a_later_entry_says_again_is_superseded(memory: Memory, clock: Clock) -> None:
    at(clock, "2026-11-20")
    write(
        memory,
        "## 2026-11-01\n\ndecided: the cache of pages lives in Redis for one hour\n"
        "decided: port 8080 serves the pages\nproblem: pages of the shop are slow\n\n"
        "## 2026-11-10\n\ndecided: The cache of pages lives in Redis for one hour.\n"
        "decided: port 8081 serves the pages\nproblem: pages of the shop are slow\n",
    )
    steps = memory.tidy().steps
    assert [(step.what, step.entries[0].line) for step in steps] == [("superseded", 3)]
    assert memory.archive().blocks[0].replaced_by == steps[0].replacement


def test_entries_with_other_code_or_another_option_do_not_repeat_each_other(
    memory: Memory, clock: Clock
) -> None:
    at(clock, "2026-11-20")
    write(
        memory,
        "## 2026-11-01\n\nlearned: start the server like this\n```sh\nPORT=8080 make\n```\n"
        "- learned: start the client with `-v` on each host\n- learned: the\n\n"
        "## 2026-11-10\n\nlearned: start the server like this\n```sh\nPORT=8081 make\n```\n"
        "- learned: start the client with `-V` on each host\n- learned: --\n",
    )
    assert "superseded" not in plan(memory)


def test_several_entries_are_put_together_by_hand(memory: Memory) -> None:
    ids = [
        memory.log(text, "learning").entry.id
        for text in ("the parser is slow on tables", "the parser copies each line twice")
    ]
    done = memory.consolidate(ids, "the parser is slow: it copies each line twice")
    assert done.steps[0].entries[0].kind is Kind.LEARNING
    left = [one.text for one in memory.index_entries()]
    assert left == ["the parser is slow: it copies each line twice"]
    with pytest.raises(InputError, match="nothing to consolidate"):
        memory.consolidate([memory.index_entries()[0].id], "x")


def test_one_sweep_moves_two_hundred_or_as_many_as_asked(memory: Memory, clock: Clock) -> None:
    lines = "".join(f"note: passing remark number {at} of the day\n" for at in range(230))
    write(memory, f"## 2026-01-05\n\n{lines}")
    at(clock, "2026-11-20")
    assert len(memory.tidy(dry_run=True, limit=230).steps) == 230
    first = memory.tidy()
    assert (sum(len(step.entries) for step in first.steps), first.left) == (200, 30)
    assert sum(len(step.entries) for step in memory.tidy(limit=500).steps) == 30
    assert memory.tidy().steps == ()


def test_a_sweep_by_itself_comes_once_in_a_while(memory: Memory, clock: Clock) -> None:
    write(memory, OLD)
    at(clock, "2026-11-20")
    assert memory.tidy_if_due() is not None
    assert "lucy" not in memory.project.memory.read_text("utf-8")
    clock.forward(hours=23)
    assert memory.tidy_if_due() is None
    clock.forward(hours=2)
    assert memory.tidy_if_due() is not None
    (memory.project.cache / "tidied").write_text("rubbish", "utf-8")
    assert memory.tidy_if_due() is not None
    memory.configure("tidy.automatic", "false")
    clock.forward(days=9)
    assert memory.tidy_if_due() is None


def test_a_server_that_has_served_for_a_while_sweeps_between_calls(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(memory, OLD)
    background = Background()
    background.meaning(memory.project)
    background.wake()
    assert background._thread is None
    monkeypatch.setattr(background, "_tidies_at", 0.0)
    swept = threading.Event()
    tidy = background._tidy

    def tidied(project: Project, meaning: ProjectVectors) -> None:
        tidy(project, meaning)
        swept.set()

    monkeypatch.setattr(background, "_tidy", tidied)
    background.wake()
    assert swept.wait(60)
    background.wake()  # within ten minutes nothing is looked at again
    assert not background._is_settled
    background.end()
    assert "lucy" not in memory.project.memory.read_text("utf-8")


def test_nothing_protected_ever_leaves(memory: Memory, clock: Clock) -> None:
    kinds = [kind for kind in Kind if kind is not Kind.RELATION]
    write(memory, "## 2020-01-05\n\n" + "".join(f"{k.value}: about the {k.value}\n" for k in kinds))
    at(clock, "2026-11-20")
    known: dict[str, Entry] = {one.id: one for one in memory.index_entries()}
    left = {one.id for step in memory.tidy().steps for one in step.entries}
    assert left
    assert not [one for one in left if heat.is_protected(known[one])]
    there = {one.id for one in memory.index_entries()}
    assert {one for one, entry in known.items() if heat.is_protected(entry)} <= there


def test_uses_of_the_log_are_counted_once(memory: Memory, clock: Clock) -> None:
    one = memory.log("the parser is slow on tables", "learning").entry
    for _ in range(3):
        memory.get([one.id])
        memory.search("parser")
    assert memory.index.usage.days() == {one.id: (clock().date(),) * 3}
    memory.project.events.unlink()
    event = Event(at=clock(), session="", name="get", ids=(one.id,))
    row = {"at": event.at.isoformat(), "session": "", "name": "get", "ids": [one.id], "data": {}}
    memory.project.events.write_text(json.dumps(row) + "\n", "utf-8")
    memory.search("parser")
    assert memory.index.usage.days() == {one.id: (clock().date(),)}
