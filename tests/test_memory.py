"""What a user sees of memory: through the one door, on real files in a real repository."""

import gc
import os
import re
import weakref
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mind.domain.entry import Kind
from mind.domain.errors import DateNotUnderstood, InputError, NotFound, NotText, ProjectError
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project
from mind.text.similarity import Severity
from tests.conftest import Clock, by_hand

WATCHED = ("CLAUDE.md", ".mind/MEMORY.md", ".mind/SESSION.md", ".mind/REMINDERS.md")


def stamps(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        name: ((root / name).read_bytes(), (root / name).stat().st_mtime_ns) for name in WATCHED
    }


def test_long_term_kinds_go_to_memory_under_the_day(memory: Memory) -> None:
    logged = memory.log("SQLite over Postgres - one file", "decision")
    assert logged.file == ".mind/MEMORY.md"
    text = memory.project.memory.read_text(encoding="utf-8")
    assert text.endswith("## 2026-11-20\n\n- decided: SQLite over Postgres - one file\n")


def test_the_second_entry_of_a_day_stands_under_the_same_heading(memory: Memory) -> None:
    memory.log("one", "learning")
    memory.log("two", "problem")
    text = memory.project.memory.read_text(encoding="utf-8")
    assert text.count("## 2026-11-20") == 1
    assert text.endswith("- learned: one\n- problem: two\n")


@pytest.mark.parametrize("kind", ["experience", "blocker", "rejected", "assumption"])
def test_session_kinds_go_to_the_session_under_their_day(memory: Memory, kind: str) -> None:
    assert memory.log("something happened", kind).file == ".mind/SESSION.md"
    text = memory.project.session.read_text(encoding="utf-8")
    assert text.endswith(f"\n\n## 2026-11-20\n\n- {kind}: something happened\n")


@pytest.mark.parametrize("kind", ["decision", "learning", "rejected", "gotcha", "todo", "note"])
@pytest.mark.parametrize(
    "message",
    [
        "one line",
        "two\nlines",
        "# not a heading\n## 2020-01-01\ndecided: not another entry",
        "a\n\nb\n\n\nc",
        "list:\n- a\n- b\n1. c",
        "code:\n```\nx = 1\n```",
        "<!-- comment\n--> after",
        "> quoted\n> more",
        "| a | b |\n|---|---|",
        "title\n=====",
        "rule\n---\nmore",
        "<!-- MIND:END -->",
        "emoji 🎉 and 中文\r\nand \ttabs",
        "[ref]: https://example.org",
    ],
)
def test_any_message_comes_back_as_exactly_one_entry(
    memory: Memory, message: str, kind: str
) -> None:
    logged = memory.log(message, kind)
    entries = memory.index_entries()
    assert [one.kind.value for one in entries] == [kind]
    assert entries[0].id == logged.entry.id
    plain = "list: a; b; c" if message.startswith("list") else " ".join(message.split())
    assert entries[0].whole.replace("\\", "") == plain.replace("\\", "")


LISTED = """\
The image has no browser:
- same fonts everywhere
- small
  - 40 MB

```sh
pnpm pdf

pnpm check
```
See ADR 3."""


def test_a_list_and_a_fence_are_written_as_by_hand_and_read_back(memory: Memory) -> None:
    done = memory.log(LISTED, "gotcha", keywords=["pdfmake"]).entry
    first, *rest = LISTED.split("\n")
    lines = [f"- gotcha: {first} [keywords:: pdfmake]", *(f"  {one}".rstrip() for one in rest)]
    source = memory.project.memory.read_text(encoding="utf-8")
    assert source.endswith("\n".join(["", *lines, ""]))
    (entry,) = memory.index_entries()
    assert entry.text == f"{first} same fonts everywhere; small 40 MB; … See ADR 3."
    assert entry.code == done.code == ("```sh\npnpm pdf\n\npnpm check\n```",)
    assert memory.log(LISTED, "gotcha").entry.id == entry.id == done.id
    memory.log("the next one", "note")
    assert [one.text for one in memory.index_entries()][1:] == ["the next one"]


@pytest.mark.parametrize(
    "further", ["- decided: b", "- [ ] b", "```\nb", "```\nb\n```py", "# b\n- c", "> b\n- c"]
)
def test_what_would_not_be_read_back_is_escaped(memory: Memory, further: str) -> None:
    memory.log(f"a:\n{further}", "gotcha")
    assert len(memory.index_entries()) == 1
    assert f"a:\n  \\{further[:3]}" in memory.project.memory.read_text(encoding="utf-8")


def test_lesson_a_newline_in_a_message_forges_no_entry_and_no_section(memory: Memory) -> None:
    memory.log("fine\n## 2020-01-01\n\ndecided: forged\n<!-- MIND:END -->", "learning")
    assert [(one.kind, one.date) for one in memory.index_entries()] == [
        (Kind.LEARNING, memory.now().date())
    ]


@pytest.mark.parametrize("message", ["", "   ", "\n\n", "\0", "x" * 20_001])
def test_what_cannot_be_remembered_is_refused_and_changes_nothing(
    memory: Memory, message: str
) -> None:
    before = stamps(memory.project.root)
    with pytest.raises(InputError):
        memory.log(message, "decision")
    with pytest.raises(InputError, match="Use one of"):
        memory.log("fine", "relation")
    with pytest.raises(InputError, match="unknown type"):
        memory.log("fine", "mood")
    assert stamps(memory.project.root) == before


def test_lesson_the_parser_recognises_what_the_tool_writes(memory: Memory) -> None:
    for kind in ("decision", "problem", "learning", "progress", "gotcha", "goal", "todo", "note"):
        memory.log(f"about {kind}", kind)
    assert [one.kind.value for one in memory.index_entries()] == [
        "decision",
        "problem",
        "learning",
        "progress",
        "gotcha",
        "goal",
        "todo",
        "note",
    ]


def test_lesson_todays_entry_has_todays_date(memory: Memory) -> None:
    path = memory.project.memory
    path.write_text("# P\n\n## 2024-01-01\n\ndecided: old\n", encoding="utf-8")
    memory.log("new", "decision")
    dates = {one.text: str(one.date) for one in memory.index_entries()}
    assert dates == {"old": "2024-01-01", "new": "2026-11-20"}


def test_an_entry_is_found_after_an_open_fence_or_comment(memory: Memory) -> None:
    for left_open in ("```\ncode", "<!-- a comment"):
        memory.close()
        by_hand(memory, f"# P\n\n{left_open}\n")
        memory.log("still seen", "decision")
        assert [one.text for one in memory.index_entries()] == ["still seen"]


def test_a_rejected_approach_that_comes_back_is_reported_with_its_reason(memory: Memory) -> None:
    assert memory.log("Redis for session storage - one more server", "rejected").loops == ()
    again = memory.log("store the sessions in Redis", "rejected")
    assert again.loops[0].severity in (Severity.HIGH, Severity.CRITICAL)
    assert again.loops[0].earlier.text.endswith("one more server")
    assert again.loops[0].way_out


def test_a_rejection_is_remembered_across_sessions(memory: Memory, clock: Clock) -> None:
    memory.log("GraphQL for the public API - clients only need three calls", "rejected")
    clock.forward(hours=3)
    again = memory.log("use GraphQL for the public API", "rejected")
    assert again.loops[0].earlier.source == ".mind/MEMORY.md"


def test_a_note_is_promoted_with_its_code(memory: Memory, clock: Clock) -> None:
    memory.log("Puppeteer for the invoices - 400 MB:\n```sh\npnpm add puppeteer\n```", "rejected")
    clock.forward(hours=3)
    memory.recall()
    (entry,) = memory.index_entries()
    assert (entry.source, entry.code) == (
        ".mind/MEMORY.md", ("```sh\npnpm add puppeteer\n```",)
    )  # fmt: skip


def test_a_gap_ends_the_session_and_promotes_what_is_worth_keeping(
    memory: Memory, clock: Clock
) -> None:
    memory.recall()
    memory.log("Redis for sessions - one more server", "rejected")
    memory.log("looked around a little", "experience")
    memory.log("the login test fails because the clock is frozen", "experience")
    clock.forward(minutes=31)
    answer = memory.recall()
    assert answer.new_session
    assert {one.entry.text.split()[0]: one.outcome for one in answer.promoted} == {
        "looked": "left",
        "the": "added",
        "Redis": "added",
    }
    text = memory.project.memory.read_text(encoding="utf-8")
    assert "rejected: Redis for sessions - one more server" in text
    assert "learned: the login test fails because the clock is frozen" in text
    assert "looked around" not in text
    assert answer.session.entries == ()
    assert "looked around" in (memory.project.folder / "SESSION.last.md").read_text("utf-8")


def test_notes_are_promoted_to_the_sections_of_their_days(memory: Memory, clock: Clock) -> None:
    memory.log("a lesson of the first day: the clock of the CI machine is slow", "experience")
    clock.forward(minutes=29)
    memory.log("tabs in Makefiles because make needs them", "decision")
    first = clock.now.date()
    note = memory.project.session
    before = (first - timedelta(days=1)).isoformat()
    said = "- learned: mmap crashes on ARM because of alignment"
    note.write_text(f"{note.read_text('utf-8')}\n## {before}\n\n{said}\n", "utf-8")
    clock.forward(minutes=31)
    memory.log("spaces in YAML because tabs fail there", "decision")
    text = memory.project.memory.read_text(encoding="utf-8")
    assert re.findall(r"^## (\d{4}-.*)", text, re.MULTILINE) == [before, first.isoformat()]
    assert text.index(before) < text.index("mmap") < text.index(first.isoformat())


@pytest.mark.parametrize("days", [0, 1])
def test_a_note_that_is_no_line_of_memory_does_not_keep_its_session_open(
    memory: Memory, clock: Clock, days: int
) -> None:
    memory.recall()
    note, day = memory.project.session, clock.now.date() - timedelta(days=days)
    said = "- rejected: \x07\x07\x07\n- Relation: orders refer to users, and the cascade fails\n"
    note.write_text(f"{note.read_text('utf-8')}\n## {day}\n\n{said}- learned: b\n", "utf-8")
    clock.forward(minutes=31)
    assert [one.outcome for one in memory.recall().promoted][-1] == "added"
    assert "learned: b" in memory.project.memory.read_text(encoding="utf-8")
    clock.forward(minutes=31)
    assert memory.recall().promoted == ()


@pytest.mark.parametrize("days", [0, 1])
def test_a_note_longer_than_a_message_may_be_is_promoted(
    memory: Memory, clock: Clock, days: int
) -> None:
    note, day = memory.project.session, clock.now.date() - timedelta(days=days)
    log = "".join(f"  step {number} of the deploy went well\n" for number in range(900))
    memory.recall()
    said = f"- learned: the deploy stops where the queue is not drained\n{log}"
    note.write_text(f"{note.read_text('utf-8')}\n## {day}\n\n{said}", "utf-8")
    clock.forward(minutes=31)
    assert [one.outcome for one in memory.recall().promoted] == ["added"]
    text = memory.project.memory.read_text(encoding="utf-8")
    assert "queue is not drained step 0 of" in text
    assert "step 899 of the deploy went well" in text


def test_within_the_gap_the_session_goes_on(memory: Memory, clock: Clock) -> None:
    memory.log("a note", "experience")
    clock.forward(minutes=29)
    answer = memory.recall()
    assert not answer.new_session
    assert [one.text for one in answer.session.entries] == ["a note"]


def test_lesson_a_log_before_the_first_recall_does_not_hide_the_gap(
    memory: Memory, clock: Clock
) -> None:
    memory.log("Redis for sessions - one more server", "rejected")
    clock.forward(hours=2)
    logged = memory.log("a new day", "experience")
    assert [one.outcome for one in logged.promoted] == ["added"]
    assert "Redis" in memory.project.memory.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.session(),
        lambda memory: memory.search("redis"),
        lambda memory: memory.status(),
        lambda memory: memory.reminders(),
        lambda memory: memory.edges("do something"),
        lambda memory: memory.checkpoint(),
        lambda memory: memory.blocker("stuck"),
        lambda memory: memory.remind("x", "tomorrow"),
    ],
)
def test_every_tool_notices_the_gap(
    memory: Memory, clock: Clock, call: Callable[[Memory], object]
) -> None:
    memory.log("Redis for sessions - one more server", "rejected")
    clock.forward(hours=2)
    call(memory)
    assert "Redis" in memory.project.memory.read_text(encoding="utf-8")


def test_what_memory_knows_already_is_not_promoted_again(memory: Memory, clock: Clock) -> None:
    memory.log("Redis for sessions - one more server", "rejected")
    clock.forward(hours=1)
    memory.recall()
    memory.log("Redis for sessions - one more server", "rejected")
    clock.forward(hours=1)
    assert [one.outcome for one in memory.recall().promoted] == ["known"]
    assert memory.project.memory.read_text(encoding="utf-8").count("Redis") == 1


def test_a_refined_assumption_supersedes_the_old_one_which_goes_to_the_archive(
    memory: Memory, clock: Clock
) -> None:
    memory.log("the export file uses the cp1252 encoding", "assumption")
    clock.forward(hours=1)
    memory.recall()
    before = memory.project.memory.read_text(encoding="utf-8")
    memory.log("the export file uses the cp1252 encoding on Windows", "assumption")
    clock.forward(hours=1)
    assert [one.outcome for one in memory.recall().promoted] == ["superseded"]
    after = memory.project.memory.read_text(encoding="utf-8")
    line = "assumption: the export file uses the cp1252 encoding\n"
    assert line in before
    assert line not in after
    archive = memory.project.archive.read_text(encoding="utf-8")
    assert line in archive
    assert "superseded" in archive
    assert "2026-11-20" in archive


def test_lesson_superseding_takes_out_its_own_line_and_no_other(
    memory: Memory, clock: Clock
) -> None:
    text = "# P\n\n## 2026-11-01\n\nlearned: caching by path is safe for builds\ndecided: keep\n"
    memory.project.memory.write_text(text, encoding="utf-8")
    memory.log("learned: caching by path is safe for builds of one branch", "experience")
    clock.forward(hours=1)
    assert [one.outcome for one in memory.recall().promoted] == ["superseded"]
    after = memory.project.memory.read_text(encoding="utf-8")
    assert after.startswith("# P\n\n## 2026-11-01\n\ndecided: keep\n")


def test_a_named_session_outlives_gaps_and_compaction(memory: Memory, clock: Clock) -> None:
    assert memory.recall(session_id="a", event="startup").new_session
    clock.forward(hours=5)
    assert not memory.recall(session_id="a", event="compact").new_session
    assert not memory.recall(session_id="a", event="resume").new_session
    assert not memory.recall(event="resume").new_session
    assert memory.recall(session_id="c", event="clear").new_session
    assert not memory.recall(session_id="c").new_session


def test_a_hundred_recalls_change_no_byte(memory: Memory, clock: Clock) -> None:
    for kind in ("decision", "gotcha", "problem", "rejected"):
        memory.log(f"something about {kind}", kind)
    memory.recall()
    before = stamps(memory.project.root)
    state = memory.project.state.read_bytes()
    for _ in range(100):
        clock.forward(seconds=0.5)
        assert memory.recall().written == ()
    assert stamps(memory.project.root) == before
    assert memory.project.state.read_bytes() == state


def test_deleting_the_cache_changes_no_answer(memory: Memory) -> None:
    memory.log("SQLite over Postgres - one file", "decision")
    memory.log("Redis for sessions - one more server", "rejected")
    context, hits = memory.recall().context, memory.search("sqlite file").hits
    memory.close()
    for path in memory.project.cache.iterdir():
        path.unlink()
    assert memory.recall().context == context
    assert memory.search("sqlite file").hits == hits
    assert memory.recall(force=True).context == context


def test_a_hand_edit_is_memory_at_once(memory: Memory) -> None:
    memory.recall()
    with memory.project.memory.open("a", encoding="utf-8") as file:
        file.write("\n## 2026-11-20\n\n- **Decided:** tabs over spaces because of width\n")
    assert [hit.entry.title for hit in memory.search("tabs spaces").hits] == [
        "tabs over spaces because of width"
    ]


def test_the_block_shows_state_decisions_loops_gotchas(memory: Memory) -> None:
    memory.project.memory.write_text(
        "# P\n\n## Project State\n\n- Goal: ship the importer\n- Blocked: None\n\n"
        "## Gotchas\n\n- The vendor counts pages from 1 -> start at page=1\n\n"
        "## 2026-11-01\n\nproblem: the import of old files is slow\n"
        "problem: login fails on Safari\n"
        "fixed: login on Safari works now, a cookie flag was missing\n",
        encoding="utf-8",
    )
    context = memory.recall().context
    assert "ship the importer" in context
    assert "counts pages from 1" in context
    assert "the import of old files is slow" in context
    loops = context.split("## Open Loops")[1].split("##")[0]
    assert "Safari" not in loops
    lasting = context[context.index("## Project State") :]
    assert (memory.project.root / "CLAUDE.md").read_text("utf-8").count(lasting) == 1


def test_search_finds_by_type_and_word_order_does_not_matter(memory: Memory) -> None:
    memory.log("parseDate fails on Safari", "problem")
    memory.log("Safari needs a vendor prefix", "learning")
    assert [hit.entry.kind for hit in memory.search("safari", kinds=["learning"]).hits] == [
        Kind.LEARNING
    ]
    assert memory.search("Safari date").hits[0].entry == memory.search("date safari").hits[0].entry
    assert memory.search("Safari fails").hits[0].relevance == "high"
    assert memory.search("nothing of the kind").hits == ()


@pytest.mark.parametrize("limit", [-1, 0, 101])
def test_lesson_a_limit_that_makes_no_sense_is_an_error(memory: Memory, limit: int) -> None:
    with pytest.raises(InputError, match="1 to 100"):
        memory.search("x", limit=limit)
    with pytest.raises(InputError, match="empty"):
        memory.search("  ")


def test_search_reaches_all_registered_projects(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    root = tmp_path_factory.mktemp("other")
    install.apply(install.plan(root))
    other = Memory(Project(root), clock=clock)
    other.log("Kafka keeps messages for a week", "learning")
    other.close()
    assert memory.search("kafka messages").hits == ()
    hits = memory.search("kafka messages", everywhere=True).hits
    assert [(hit.project, hit.entry.kind) for hit in hits] == [(root.name, Kind.LEARNING)]


def test_a_blocker_is_recorded_and_memory_searched(memory: Memory) -> None:
    memory.log("the sandbox has no DNS -> use the hosts file", "gotcha")
    answer = memory.blocker("the request to the sandbox times out", ["DNS"])
    assert answer.logged.file == ".mind/SESSION.md"
    assert [hit.entry.kind for hit in answer.found.hits] == [Kind.GOTCHA]


def test_reminders_by_time_session_and_word(memory: Memory, clock: Clock) -> None:
    memory.remind("check the audit", "tomorrow 9am")
    memory.remind("look at the import", "next session")
    memory.remind("the token table has no index", "when I mention auth")
    assert memory.recall().due == ()
    assert [one.text for one in memory.search("the auth flow").reminders] == [
        "the token table has no index"
    ]
    assert memory.log("changed the auth flow", "progress").reminders
    assert memory.edges("rewrite auth").reminders
    clock.forward(hours=1)
    assert [one.text for one in memory.recall().due] == ["look at the import"]
    clock.forward(days=1)
    assert [one.told for one in memory.recall().due] == [
        "check the audit",
        f"look at the import (shown before on {clock().date() - timedelta(days=1)})",
    ]
    texts = {one.text: one.done is not None for one in memory.reminders(everything=True)}
    assert not texts["look at the import"]
    done = memory.reminder_done(memory.reminders()[0].id)
    assert done.done is not None
    assert len(memory.reminders()) == 2


def test_lesson_next_session_does_not_fire_in_the_same_session(memory: Memory) -> None:
    memory.recall()
    memory.remind("later", "next session")
    assert memory.recall().due == ()


def test_what_is_no_time_is_refused_with_examples(memory: Memory) -> None:
    before = stamps(memory.project.root)
    with pytest.raises(DateNotUnderstood, match="next session"):
        memory.remind("x", "2026-13-45")
    with pytest.raises(NotFound, match="Pending"):
        memory.reminder_done("nothing")
    assert stamps(memory.project.root) == before


def test_edges_finds_gotchas_of_the_project_the_platform_and_the_user(memory: Memory) -> None:
    (memory.project.root / "package.json").write_text(
        '{"dependencies": {"react": "19", "express": "5"}}', encoding="utf-8"
    )
    memory.log("the vendor API counts pages from 1 -> start at page=1", "gotcha")
    memory.add_global_edge(
        title="Express 5 rejects bare wildcards", description="", workaround="name them",
        stack=["express"],
    )  # fmt: skip
    checked = memory.edges("count the pages of the vendor API from 0", "items.sort()\n")
    assert {one.gotcha.origin for one in checked.edges} == {"project", "built-in"}
    assert {"react", "express"} <= set(checked.stacks)
    again = memory.edges("use bare wildcards in express")
    assert [one.gotcha.title for one in again.edges] == ["Express 5 rejects bare wildcards"]
    assert memory.recall().global_gotchas[0].workaround == "name them"


def test_lesson_a_missing_code_does_not_crash_the_check(memory: Memory) -> None:
    memory.add_global_edge(title="x", description="y", workaround="z", pattern="foo")
    assert memory.edges("nothing in common").edges == ()


def test_edges_warns_of_a_rejected_approach_before_it_is_tried(memory: Memory) -> None:
    memory.log("Redis for session storage - one more server", "rejected")
    checked = memory.edges("keep sessions in Redis storage")
    assert checked.loops[0].earlier.text == "Redis for session storage - one more server"
    assert memory.edges("").loops == ()


def test_lesson_a_button_matches_nothing(memory: Memory) -> None:
    memory.add_global_edge(title="A trap", description="a", workaround="b")
    assert memory.edges("add a button").edges == ()


def test_comments_and_commits_come_and_go_with_where_they_stand(
    memory: Memory, git: Callable[..., str]
) -> None:
    source = memory.project.root / "app.py"
    source.write_text("x = 1  # MEMORY: decided: one over two - simpler\n", encoding="utf-8")
    git("add", "app.py")
    git("commit", "-qm", "Add the app\n\ngotcha: the app needs a port -> set PORT")
    synced = memory.checkpoint()
    assert synced.by_source == {"comments": 1, "commits": 1}
    entries = {one.kind: one.where for one in memory.index_entries()}
    assert entries[Kind.DECISION] == "app.py:1"
    assert entries[Kind.GOTCHA].startswith("commit ")
    source.write_text("x = 1\n", encoding="utf-8")
    git("commit", "-q", "--amend", "-m", "Add the app")
    assert memory.checkpoint().by_source == {}


def test_what_stands_in_memory_and_in_a_commit_is_one_entry(
    memory: Memory, git: Callable[..., str]
) -> None:
    memory.log("SQLite over Postgres", "decision")
    git("commit", "-q", "--allow-empty", "-m", "Choose\n\ndecided: SQLite over Postgres")
    memory.checkpoint()
    assert [one.source for one in memory.index_entries()] == [".mind/MEMORY.md"]


def test_status_counts_what_is_there(memory: Memory) -> None:
    memory.log("one", "decision")
    memory.log("two", "experience")
    memory.remind("x", "tomorrow")
    status = memory.status()
    assert status.by_kind == {"decision": 1, "experience": 1}
    assert (status.session_entries, status.reminders_pending, status.reminders_due) == (1, 1, 0)
    assert status.targets == ("CLAUDE.md",)


def test_settings_are_set_and_unset(memory: Memory) -> None:
    memory.configure("session.gap_minutes", "45")
    assert memory.project.settings.session_gap_minutes == 45
    memory.configure("session.gap_minutes", None)
    assert memory.project.config.read_text("utf-8").strip() == "{}"
    memory.configure("search.limit", "5", user=True)
    assert memory.project.settings.search_limit == 5
    memory.configure("search.limit", None, user=True)
    assert memory.project.settings.search_limit == 10


def test_parse_works_in_and_outside_of_a_project(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    path = outside / "notes.md"
    path.write_text("decided: x over y\n", encoding="utf-8")
    monkeypatch.chdir(outside)
    assert [one.kind for one in Memory.parse(path).entries] == [Kind.DECISION]
    with pytest.raises(NotFound):
        Memory.parse(outside / "nothing.md")
    with pytest.raises(ProjectError):
        Memory.parse()
    monkeypatch.chdir(memory.project.root)
    memory.log("a over b", "decision")
    assert [one.text for one in Memory.parse().entries] == ["a over b"]


def test_capture_can_be_switched_off(memory: Memory, git: Callable[..., str]) -> None:
    (memory.project.root / "app.py").write_text("# MEMORY: gotcha: one\n", encoding="utf-8")
    git("add", "app.py")
    git("commit", "-qm", "Add\n\ndecided: two over three")
    assert memory.checkpoint().by_source == {"comments": 1, "commits": 1}
    memory.configure("capture.comments", "false")
    assert memory.checkpoint().by_source == {"commits": 1}
    memory.configure("capture.commits", "false")
    assert memory.checkpoint().by_source == {}
    memory.configure("capture.commits", "true")
    assert memory.checkpoint().by_source == {"commits": 1}


def test_commits_leave_with_the_repository(memory: Memory, git: Callable[..., str]) -> None:
    git("commit", "-q", "--allow-empty", "-m", "Choose\n\ndecided: two over three")
    assert memory.checkpoint().by_source == {"commits": 1}
    git("commit", "-q", "--allow-empty", "-m", "More\n\nlearned: four is enough")
    assert memory.checkpoint().by_source == {"commits": 2}
    (memory.project.root / ".git").rename(memory.project.root / "elsewhere")
    assert memory.checkpoint().by_source == {}


def test_a_problem_is_closed_by_a_later_commit(memory: Memory, git: Callable[..., str]) -> None:
    memory.log("the importer leaks file handles", "problem")
    assert "leaks file handles" in memory.recall().context.partition("## Open Loops")[2]
    message = "Close\n\nMEMORY: progress: the importer leaks no file handles any more"
    git("commit", "-q", "--allow-empty", "--date", "2026-11-25T10:00:00Z", "-m", message)
    assert "## Open Loops" not in memory.recall().context


def test_a_long_day_is_indexed_in_parts(memory: Memory) -> None:
    lines = "".join(f"learned: fact number {number}\n" for number in range(500))
    memory.project.memory.write_text(f"## 2026-11-20\n\n{lines}", encoding="utf-8")
    assert len(memory.index_entries()) == 500
    memory.log("one more", "learning")
    entries = memory.index_entries()
    assert len(entries) == 501
    assert [one.line for one in entries] == [*range(3, 503), 503]
    assert memory.index_entries()[-1].text == "one more"


def test_in_a_recorded_conversation_the_answer_is_found_beside_the_question(
    memory: Memory, project: Project
) -> None:
    project.memory.write_text(
        "# Talk\n\n"
        "- learned: Ben: Which database did you take?\n"
        "- learned: Anna: We went for the small one.\n"
        "- decided: Anna: No more meetings.\n"
        "- learned: Ben: My holiday was long.\n\n"
        "# Notes\n\n"
        "- learned: Postgres: needs a vacuum.\n",
        encoding="utf-8",
    )
    texts = [hit.entry.text for hit in memory.search("which database did Anna take").hits]
    assert "Anna: We went for the small one." in texts
    assert "Postgres: needs a vacuum." not in texts
    learned = memory.search("which database did Anna take", kinds=["learning"]).hits
    assert "Anna: No more meetings." not in [hit.entry.text for hit in learned]


def test_a_state_that_cannot_be_written_is_reported_and_memory_is_read_on(
    memory: Memory, project: Project, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.log("one", "decision")
    memory.recall()
    clock.forward(hours=2)
    replace = os.replace

    def refuse(source: str, target: str) -> None:
        if str(target).endswith("state.json"):
            raise PermissionError(13, "Permission denied", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    recall = memory.recall()
    assert "one" in recall.context
    assert recall.problems


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("kind", ["decision", "experience"])
def test_a_file_of_another_encoding_gets_no_tail_in_utf_8(
    memory: Memory, encoding: str, kind: str
) -> None:
    path = memory.project.memory if kind == "decision" else memory.project.session
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    source = mark + "# Memory\n\n- decided: tabs\n".encode(encoding)
    path.write_bytes(source)
    with pytest.raises(NotText, match="UTF-16"):
        memory.log("SQLite over Postgres", kind)
    assert path.read_bytes() == source


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("learning", "learned: caches need a warm-up"),
        ("learning", "Learning: learned: caches need a warm-up"),
        ("decision", "decided: caches need a warm-up"),
        ("gotcha", "gotcha: caches need a warm-up"),
        ("goal", "Goal: caches need a warm-up"),
        ("progress", "progress: caches need a warm-up"),
    ],
)
def test_a_label_that_the_caller_wrote_is_not_written_twice(
    memory: Memory, kind: str, message: str
) -> None:
    done = memory.log(message, kind)
    assert done.entry.text == "caches need a warm-up"
    assert memory.index_entries()[0].id == done.entry.id
    last = memory.project.memory.read_text("utf-8").splitlines()[-1]
    assert last == f"- {Kind(kind).traits.keyword}: caches need a warm-up"
    assert memory.log("caches need a warm-up", kind).known


def test_code_in_a_message_names_no_alternative_and_no_reason(memory: Memory) -> None:
    message = "Warm the cache:\n```sh\nmake  # not memcached, because it is cold\n```\nIt works."
    entry = memory.log(message, "decision").entry
    assert (entry.alternatives, entry.reasoning) == ((), "")
    (kept,) = memory.index_entries()
    assert (kept.id, kept.alternatives, kept.reasoning) == (entry.id, (), "")
    message = "Set the pool:\n~~~sql\nSET x = 1; -- not 2\n~~~\nbecause ten starve the workers"
    entry = memory.log(message, "decision").entry
    assert (entry.alternatives, entry.reasoning) == ((), "ten starve the workers")


def test_a_label_of_another_kind_and_a_word_with_a_colon_stay(memory: Memory) -> None:
    for message in ("problem: the cache is cold", "decided:now", "learned:"):
        assert memory.log(message, "learning", acknowledge=True).entry.text == message


@pytest.mark.parametrize(
    ("message", "kind", "line"),
    [
        ("decided: SQLite over Postgres", Kind.DECISION, "- decided: SQLite over Postgres"),
        ("Gotcha: redis loses keys", Kind.GOTCHA, "- gotcha: redis loses keys"),
        ("rejected: Kafka - slow", Kind.REJECTED, "- rejected: Kafka - slow"),
        ("tip: warm up the caches", Kind.LEARNING, "- learned: tip: warm up the caches"),
        (
            "We decided against Prisma: it is slow",
            Kind.REJECTED,
            "- rejected: We decided against Prisma: it is slow",
        ),
        ("We chose Kysely over Prisma", Kind.DECISION, "- decided: We chose Kysely over Prisma"),
        ("Bug: reads come late", Kind.PROBLEM, "- problem: Bug: reads come late"),
        (
            "The problem was solved by a restart",
            Kind.EXPERIENCE,
            "- experience: The problem was solved by a restart",
        ),
        ("Our goal is to sell more", Kind.EXPERIENCE, "- experience: Our goal is to sell more"),
        ("The build takes a while", Kind.EXPERIENCE, "- experience: The build takes a while"),
        ("decided:now", Kind.DECISION, "- decided: decided:now"),
        ("todo:\n\n  write docs", Kind.TODO, "- todo: write docs"),
    ],
)
def test_a_label_gives_the_kind_where_none_is_given(
    memory: Memory, message: str, kind: Kind, line: str
) -> None:
    done = memory.log(message)
    assert done.entry.kind is kind
    assert line in (memory.project.root / done.file).read_text("utf-8").splitlines()
    assert memory.log(f"learned: {message}", "experience").entry.kind is Kind.EXPERIENCE


def test_a_correction_and_a_summary_have_one_label(memory: Memory) -> None:
    one = memory.log("caches need a warm-up", "learning").entry.id
    memory.update(one, "learned: caches need a long warm-up")
    two = memory.log("the pool holds ten connections", "learning").entry.id
    assert "\n- learned: caches need a long warm-up" in memory.project.memory.read_text("utf-8")
    done = memory.consolidate([one, two], "learned: caches and pools need a warm-up")
    (left,) = memory.index_entries()
    assert (left.id, left.text) == (done.steps[0].replacement, "caches and pools need a warm-up")


def test_promotion_writes_one_label(memory: Memory, clock: Clock) -> None:
    memory.log("learned: the queue drops jobs at noon because of cron")
    memory.log("rejected: Redis for sessions, because it loses carts", "rejected")
    clock.forward(hours=1)
    memory.recall()
    said = memory.project.memory.read_text("utf-8")
    assert "\n- learned: the queue drops jobs at noon because of cron\n" in said
    assert "\n- rejected: Redis for sessions, because it loses carts\n" in said


def test_a_closed_memory_leaves_nothing_for_the_collector_of_cycles(project: Project) -> None:
    """A server opens a memory for each call; what a cycle keeps would pile up between its runs."""
    memory = Memory(project)
    memory.log("SQLite over Postgres - one file", "decision")
    memory.search("database")
    memory.edges("use Postgres", "import psycopg")
    memory.recall()
    gc.collect()
    gc.disable()
    try:
        index = weakref.ref(memory.index)
        memory.close()
        del memory
        assert index() is None
    finally:
        gc.enable()


def test_a_correction_with_the_label_of_another_type_names_the_remedy(memory: Memory) -> None:
    note = memory.log("Elasticsearch for the parcel search", "note").entry
    before = memory.project.memory.read_bytes()
    with pytest.raises(
        InputError, match=f"begins like a rejected, and {note.id} is a note"
    ) as told:
        memory.update(note.id, "Rejected: Elasticsearch for the parcel search - too heavy")
    assert "Log it as rejected" in (told.value.remedy or "")
    assert memory.project.memory.read_bytes() == before
    same = memory.update(note.id, "note: OpenSearch for the parcel search")
    assert same.entry.text == "OpenSearch for the parcel search"


def test_a_note_that_its_session_drops_says_so(memory: Memory) -> None:
    assert memory.log("the build took ten minutes today", "experience", acknowledge=True).is_passing
    assert not memory.log("slow because the cache was cold", "experience").is_passing
    assert not memory.log("caches are cold on mondays", "learning").is_passing
    assert not memory.log("caches are shared by all runners", "assumption").is_passing


@pytest.mark.parametrize(("first", "last"), [(b"\n", b"\r\n"), (b"\r\n", b"\n")])
def test_most_lines_decide_how_lines_end(memory: Memory, first: bytes, last: bytes) -> None:
    source = first.join((b"# M", b"", b"## 2026-11-19", b"", b"- decided: one", b"- note: two"))
    memory.project.memory.write_bytes(source + last)
    known = memory.log("three", "decision").entry
    memory.log("four", "learning")
    memory.update(known.id, "three\nand a half")
    memory.relate("a", "uses", "b")
    after = memory.project.memory.read_bytes()
    assert after.count(last) - after.count(b"\r\n") * (last == b"\n") == 1
