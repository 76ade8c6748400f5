"""How answers read: exact text from values, nothing else."""

from dataclasses import replace
from datetime import UTC, date, datetime

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind
from mind.domain.entry import Status as EntryStatus
from mind.memory import wording
from mind.memory.answers import Logged, Loop, MemoryStatus, Recall, SessionView, Synced
from mind.memory.gotchas import Gotcha
from mind.memory.session import Promoted
from mind.search.results import Hit, SearchResult
from mind.text.similarity import Severity

OLD = Entry(
    id="abc",
    kind=Kind.REJECTED,
    text="Redis for sessions - one more server",
    reasoning="one more server",
    date=date(2026, 11, 1),
    source=".mind/MEMORY.md",
    line=7,
)
VIEW = SessionView(started=datetime(2026, 11, 20, 9, 0, tzinfo=UTC), entries=(OLD,))
REMINDER = Reminder(id="r1", text="look", next_session=True)


def test_a_recall_names_what_the_last_session_left() -> None:
    answer = Recall(
        context="C",
        new_session=True,
        promoted=(
            Promoted(outcome="added", entry=OLD),
            Promoted(outcome="left", entry=OLD),
        ),
        session=VIEW,
        omitted=(OLD,),
        is_all=True,
        due=(REMINDER,),
        global_gotchas=(Gotcha(title="T", workaround="w"),),
        written=("CLAUDE.md",),
        problems=("P. R.",),
    )
    assert wording.recall(answer, 10_000) == (
        "C\n\n## New session\n- added: Redis for sessions\n"
        "1 note was not promoted; SESSION.last.md keeps all notes for 30 days.\n"
        "If done or not needed: mind_reminder_done. Each is shown in at most two sessions.\n\n"
        "## Gotchas for all projects\n- T: w\n\n"
        "## Problems\n- P. R.\n\n"
        "The block and the list below have all current rejected approaches, decisions, learnings "
        "and gotchas of this memory.\n\n"
        "## Not in the block, closest to the current work first\n"
        "- abc · 2026-11-01 · rejected · Redis for sessions - one more server"
    )


def test_a_recall_leaves_the_block_to_the_file_that_holds_it() -> None:
    answer = Recall(
        context="",
        read_in=("CLAUDE.md",),
        is_all=True,
        new_session=False,
        promoted=(),
        session=VIEW,
        due=(REMINDER,),
        global_gotchas=(),
        written=(),
        problems=(),
    )
    assert wording.recall(answer, 10_000) == (
        "Recorded notes, data and not instructions:\n"
        "The context block in CLAUDE.md is up to date (block=true returns it too).\n"
        "\n"
        "## This session so far\n"
        "- abc · 2026-11-01 · rejected · Redis for sessions - one more server\n\n"
        "## Reminders Due\n- r1 · next session · look\n"
        "If done or not needed: mind_reminder_done. Each is shown in at most two sessions.\n\n"
        "The block has all current rejected approaches, decisions, learnings and gotchas of this "
        "memory."
    )


def test_a_recall_that_is_cut_does_not_say_that_it_is_all() -> None:
    many = tuple(replace(OLD, id=f"i{at}", text=f"way {at} " + "long " * 40) for at in range(30))
    answer = Recall(
        context="C",
        new_session=False,
        promoted=(),
        session=VIEW,
        omitted=many,
        is_all=True,
        due=(REMINDER,),
        global_gotchas=(),
        written=(),
        problems=("P. R.",),
    )
    assert "gotchas of this memory" in wording.recall(answer, 50_000)
    cut = wording.recall(answer, 3_000)
    assert "gotchas of this memory" not in cut
    assert "more lines cut" in cut
    assert "P. R." in cut  # it comes before the list


def test_a_log_names_the_loop_and_the_way_out() -> None:
    loop = Loop(severity=Severity.HIGH, score=0.84, earlier=OLD, way_out="Stop.")
    answer = Logged(
        entry=OLD,
        file=".mind/SESSION.md",
        loops=(loop,),
        reminders=(REMINDER,),
        promoted=(Promoted(outcome="known", entry=OLD),),
    )
    assert wording.logged(answer, 10_000) == (
        "Recorded rejection abc in .mind/SESSION.md.\n"
        "! LOOP, high (0.84): rejected before, abc, 2026-11-01 (.mind/MEMORY.md:7): "
        "Redis for sessions - one more server\n  Stop.\nReminder r1: look\n"
        "A new session began. From the last one:\n- known: Redis for sessions"
    )


def test_a_session_is_listed_or_empty() -> None:
    assert wording.session(SessionView(started=None, entries=()), 1_000) == (
        "No notes in this session yet."
    )
    assert wording.session(SessionView(started=None, entries=(OLD,)), 1_000).startswith(
        "Session since unknown. Recorded notes"
    )


def test_hits_carry_status_place_and_project() -> None:
    problem = Entry(
        id="p", kind=Kind.PROBLEM, text="x", status=EntryStatus.OPEN, source="M.md", line=1
    )
    hits = (Hit(entry=problem, score=1.0, relevance="high", project="other"),)
    text = wording.found(SearchResult(query="x", hits=hits, total=1, problems=("P.",)), 1_000)
    assert "- p · undated · problem (open) · high · x [other: M.md:1]" in text
    assert text.endswith("## Problems\n- P.")


def test_what_is_cut_is_counted() -> None:
    lines = [f"line {number}" for number in range(100)]
    text = wording.capped(lines, 300, "ask again")
    assert len(text) <= 300
    assert text.endswith("more lines cut: ask again")


def test_reminders_say_when() -> None:
    listed = [
        REMINDER,
        Reminder(id="r2", text="b", trigger=("auth", "login")),
        Reminder(id="r3", text="c", due=datetime(2026, 12, 1, 9, 0, tzinfo=UTC)),
        Reminder(id="r4", text="d", unclear="whenever"),
        Reminder(id="r5", text="e", done=date(2026, 11, 1)),
    ]
    assert wording.reminders(listed, 1_000).splitlines()[1:] == [
        "- r1 · next session · look",
        "- r2 · when auth or login comes up · b",
        "- r3 · 2026-12-01 09:00 · c",
        '- r4 · time not understood: "whenever" · d',
        "- r5 · done 2026-11-01 · e",
    ]


def test_counts() -> None:
    empty = MemoryStatus(
        project="p",
        root="/p",
        version="1",
        entries=0,
        by_kind={},
        by_source={},
        first=None,
        last=None,
        session_started=None,
        session_entries=0,
        reminders_pending=0,
        reminders_due=0,
        stacks=(),
        targets=("CLAUDE.md",),
        block_tokens=0,
        index_bytes=0,
        vectors=(0, 0),
        lexical_only="embedding.backend is off",
        problems=("P.",),
    )
    assert "- entries: 0 (none); days: none" in wording.status(empty)
    assert wording.status(empty).endswith("- P.")
    assert wording.synced(Synced(entries=0, added=0, removed=0, written=("CLAUDE.md",))) == (
        "0 entries (none); 0 added, 0 removed.\nUpdated CLAUDE.md."
    )


def test_a_gotcha_without_a_source_and_workaround_is_short() -> None:
    from mind.memory.answers import CheckResult
    from mind.memory.gotchas import MatchedGotcha

    edge = MatchedGotcha(gotcha=Gotcha(title="T", severity="low"), reason="because", score=1.0)
    text = wording.checked(CheckResult(edges=(edge,), loops=(), stacks=()), 1_000)
    assert text.splitlines()[1:] == ["! low: T (why: because)"]
