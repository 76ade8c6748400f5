"""What a note replaces by its id: unknown ids, the same words twice, what stands within."""

import re
from pathlib import Path

import pytest

from mind.domain.entry import Kind, Status
from mind.domain.errors import FileError, InputError, NotFound, Protected
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.conftest import Run

TTL = "sessions live in Redis with a lifetime of an hour"
NESTED = (
    "# Memory\n\n- decided: keep the sessions in Redis ^redis1\n"
    "  - learned: Redis loses the sessions at a restart ^restart1\n"
)


def given(memory: Memory, text: str, session: str = "") -> list[str]:
    """What an index says of these files: ids."""
    memory.recall()
    memory.project.memory.write_text(text, encoding="utf-8")
    if session:
        memory.project.session.write_text(session, encoding="utf-8")
    return [one.id for one in memory.index_entries()]


def said(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "wrong", ["zzzz1111", " ^restart ", "[[q7q7q7q7]]", "q7q7q7q7-2", "redis2"]
)
def test_an_id_that_nothing_has_is_no_note(memory: Memory, wrong: str) -> None:
    given(memory, NESTED)
    with pytest.raises(NotFound, match="no entry has the id") as caught:
        memory.log(wrong, "decision", replaces="redis1")
    assert "in words" in caught.value.remedy
    assert said(memory.project.memory) == NESTED


@pytest.mark.parametrize("words", ["Postgres", "^ means the root", "数据库", "Postgres 17"])
def test_few_words_replace_an_entry_too(memory: Memory, words: str) -> None:
    given(memory, NESTED)
    assert memory.log(words, "decision", replaces="restart1").replaced


def test_what_stands_within_an_entry_does_not_take_its_place(memory: Memory) -> None:
    given(memory, NESTED)
    for message in ("restart1", "Redis loses the sessions at a restart"):
        with pytest.raises(InputError, match="restart1 is nested in redis1"):
            memory.log(message, "learning", replaces="redis1")
    with pytest.raises(InputError, match="restart1 is nested in redis1"):
        memory.forget("redis1", "no longer", replaced_by="restart1")
    assert said(memory.project.memory) == NESTED
    assert memory.log("redis1", replaces="restart1").entry.id == "redis1"


@pytest.mark.parametrize("kind", ["learning", "gotcha", "progress", "rejected"])
def test_the_same_words_of_another_kind_replace_an_entry(memory: Memory, kind: str) -> None:
    (old,) = given(memory, f"# Memory\n\n- decided: {TTL}\n")
    done = memory.log(TTL, kind, replaces=old)
    assert done.replaced
    assert not done.related
    left = memory.index_entries()
    assert [(one.id, one.kind.value, one.text) for one in left] == [(done.entry.id, kind, TTL)]


def test_what_was_assumed_is_learned_in_the_same_words(memory: Memory) -> None:
    (old,) = given(memory, "# Memory\n", f"# Session\n\n## Assumptions\n\n- {TTL}\n")
    done = memory.log(TTL, "learning", replaces=old)
    assert done.replaced
    assert TTL not in said(memory.project.session)
    assert said(memory.project.memory).count(TTL) == 1
    assert [one.id for one in memory.index_entries()] == [done.entry.id]


def test_a_repeat_has_its_number_no_more_when_the_first_is_gone(memory: Memory) -> None:
    first, second, _ = given(
        memory, f"# Memory\n\n- decided: {TTL}\n- learned: {TTL}\n- learned: {TTL} or two\n"
    )
    done = memory.log(second, replaces=first)
    assert (done.entry.id, done.entry.where) == (first, ".mind/MEMORY.md:3")
    done = memory.log(f"{TTL} in Paris", "decision", replaces=first)
    assert done.replaced
    assert memory.get([done.entry.id]).entries


def test_the_repeats_of_what_is_replaced_keep_nobody_from_an_answer(memory: Memory) -> None:
    first, *_ = given(
        memory, f"# Memory\n\n- decided: {TTL}\n- learned: {TTL}\n- learned: {TTL}.\n"
    )
    done = memory.log("sessions live in Postgres with a lifetime", "decision", replaces=first)
    assert done.replaced
    assert memory.get([one.id for one in done.related] or [first]).missing == ()


def test_a_note_may_take_the_block_id_of_what_it_replaces(memory: Memory) -> None:
    given(memory, NESTED)
    done = memory.log("Redis keeps the sessions ^restart1", "learning", replaces="restart1")
    assert done.entry.id == "restart1"
    assert memory.get(["restart1"]).entries[0].text == "Redis keeps the sessions"


def test_an_answer_does_not_name_a_note_by_the_id_of_another(memory: Memory) -> None:
    (old,) = given(memory, f"# Memory\n\n- decided: {TTL}\n")
    done = memory.log(TTL, "learning")
    assert [one.id for one in done.related] == [old]
    assert done.entry.id == f"{old}-2"
    assert memory.log(done.entry.id, replaces=old).replaced


@pytest.mark.parametrize("kind", ["experience", "blocker", "assumption", "progress", "decision"])
def test_what_is_said_again_since_the_old_one_could_not_leave_is_there_once(
    memory: Memory, kind: str
) -> None:
    given(memory, NESTED)
    memory.project.archive.mkdir()
    for _ in "12":
        with pytest.raises(FileError):
            memory.log("the shop has long dashes", kind, replaces="restart1")
    memory.project.archive.rmdir()
    assert memory.log("the shop has long dashes", kind, replaces="restart1").replaced
    assert (said(memory.project.session) + said(memory.project.memory)).count("dashes") == 1


def test_an_assumption_about_the_person_is_there_once_however_often_it_is_confirmed(
    memory: Memory,
) -> None:
    given(memory, NESTED)
    waits = memory.log("the user prefers dashes", "assumption", replaces="restart1").pending
    assert waits
    memory.project.archive.mkdir()
    for _ in "12":
        with pytest.raises(FileError):
            memory.confirm(waits.id)
    memory.project.archive.rmdir()
    memory.confirm(waits.id)
    assert said(memory.project.session).count("dashes") == 1


def test_a_claim_waits_on_if_it_stands_within_what_it_replaces(memory: Memory) -> None:
    claim = "the user prefers short answers"
    text = f"# Memory\n\n- decided: how we talk ^talk1\n  - learned: {claim} ^short1\n"
    given(memory, text)
    waits = memory.log(claim, "learning", replaces="talk1").pending
    assert waits
    with pytest.raises(InputError, match="is nested in"):
        memory.confirm(waits.id)
    assert [one.id for one in memory.waiting()] == [waits.id]
    assert said(memory.project.memory) == text


def test_a_note_of_the_session_is_not_known_to_long_term_memory(memory: Memory) -> None:
    given(memory, "# Memory\n", f"# Session\n\n- note: {TTL}\n")
    assert not memory.log(TTL, "note").known
    assert TTL in said(memory.project.memory)
    assert memory.log(TTL, "note").known


def test_progress_closes_what_it_replaces_and_leaves_it_in_its_place(
    memory: Memory,
) -> None:
    text = (
        "# Memory\n\n## 2026-11-19\n\n- problem: the dashboard polls the status ^polls111\n"
        "- [ ] todo: write the runbook ^runbook1\n- decided: the status is polled ^decided1\n"
    )
    memory.project.memory.write_text(text, encoding="utf-8")
    blocked = memory.log("no access to the status server", "blocker").entry.id
    fix = memory.log("the dashboard gets the status by server-sent events", "progress").entry.id
    wanted = ["polls111", "runbook1", "decided1", blocked]
    done = memory.log(fix, "progress", replaces=wanted)
    assert [one.id for one in done.closed] == ["polls111", "runbook1", blocked]
    assert done.replaced is not None
    assert done.replaced.entry.id == "decided1"
    kept = said(memory.project.memory)
    assert f"- problem: the dashboard polls the status [resolved:: {fix}] ^polls111\n" in kept
    assert f"- [x] todo: write the runbook [resolved:: {fix}] ^runbook1\n" in kept
    assert f"[resolved:: {fix}]" in said(memory.project.session)
    assert memory.archive().total == 1
    assert {one.status for one in memory.get(["polls111", "runbook1", blocked]).entries} == {
        Status.RESOLVED
    }
    with pytest.raises(Protected):
        memory.log("the status is polled once a day", "decision", replaces="polls111")
    assert "status server" not in memory.recall().context
    memory.project.memory.write_text(kept.replace("[x]", "[ ]"), encoding="utf-8")
    (todo,) = memory.get(["runbook1"]).entries
    assert todo.status is Status.OPEN


def test_what_cannot_be_marked_is_replaced_only_if_that_is_meant(memory: Memory) -> None:
    text = "# Memory\n\n| Problem | Status |\n|---|---|\n| the dashboard polls | open |\n"
    memory.project.memory.write_text(text, encoding="utf-8")
    (row,) = (one.id for one in memory.index_entries() if one.kind is Kind.PROBLEM)
    with pytest.raises(InputError, match="is protected"):
        memory.log("the dashboard gets events", "progress", replaces=row)
    assert said(memory.project.memory) == text
    memory.log("the dashboard gets events", "progress", replaces=row, acknowledge=True)
    assert "polls" in said(memory.project.archive)


def test_an_open_problem_is_named_first_and_no_imported_note(memory: Memory) -> None:
    notes = [f"Fix the cryptic refund sign on page {one}" for one in "abcde"]
    lines = [f"- note: {text} [from:: claude-mem:{at}]" for at, text in enumerate(notes)]
    lines += ["- progress: refund sign page", "- learned: Refund sign: brackets are negative"]
    lines += ["- problem: Refunds imported with a positive sign are counted as spend ^openprob"]
    given(memory, "# M\n\n## 2026-03-01\n\n" + "\n".join(lines) + "\n")
    told = memory.log("Refund sign problem is solved", "progress").related
    assert told[0].id == "openprob"
    assert Kind.NOTE not in {one.kind for one in told}
    told = memory.log("The refund sign comes from the brackets", "decision").related
    assert {one.kind for one in told} == {Kind.LEARNING}


def test_progress_names_what_it_may_close_and_each_entry_once(here: Project, mind: Run) -> None:
    def ids(told: str) -> list[str]:
        return re.findall(
            r"^(?:Similar|Contradicts[^:]*|Possibly related): (\w+)", told, re.MULTILINE
        )

    todo = mind("log", "-t", "todo", "write the runbook for a lost provider")[1].split()[2]
    mind("log", "-t", "rejected", "polling the status every second - slow")
    out = mind("log", "-t", "progress", "runbook for a lost provider is in docs/lost.md")[1]
    own = out.split()[2]
    assert ids(out) == [todo]
    assert (
        f"Does it close {todo}? If so: `mind log {own} --replaces ID`. If not, do nothing." in out
    )
    assert f"Closes: {todo} " in mind("log", own, "--replaces", todo)[1]
    out = mind("log", "-t", "progress", "the runbook for a lost provider is in the wiki")[1]
    assert todo not in ids(out)
    out = mind("log", "-t", "learning", "polling the status every second is slow")[1]
    assert len(ids(out)) == len(set(ids(out))) == 1
    assert "Does it" not in out
