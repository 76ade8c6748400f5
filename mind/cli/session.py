"""`mind recall`, `log`, `status`, reminders and others: the commands of a working session."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from mind.cli.output import AsJson, Keywords, for_a_shell, present, problems, program, say, table
from mind.cli.search import show_hits
from mind.documents.reminders import Reminder
from mind.domain.entry import LOGGED, Entry, counted
from mind.domain.errors import InputError
from mind.memory.answers import (
    BlockerLogged,
    Logged,
    Loop,
    MemoryStatus,
    Recall,
    SessionView,
    Synced,
    left_out,
)
from mind.memory.memory import Memory
from mind.memory.session import Promoted
from mind.storage.pending import Pending

_LONGEST = 600
"""Characters of an entry that ``mind recall`` shows."""


def recall(
    force: Annotated[bool, typer.Option("--force", help="Rebuild the index first.")] = False,
    session_id: Annotated[
        str | None, typer.Option(help="The client's id for its session.", metavar="ID")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the context for a session, and refresh the context block in CLAUDE.md.

    A new session begins after 30 idle minutes (session.gap_minutes). Lasting notes of the previous
    session then move from SESSION.md to MEMORY.md.
    """
    present(Memory.open().recall(force=force, session_id=session_id), _show_recall, as_json=as_json)


def _show_recall(answer: Recall) -> None:
    say(answer.context)
    if answer.omitted:
        say(f"\n{answer.completeness}\n" if answer.is_all else "")
        say("## Not in the context block, most relevant to current work first")
    for entry in answer.omitted:
        despite = "".join(f"; despite {one}" for one in answer.despite.get(entry.id, ()))
        text, mark = entry.told[:_LONGEST], "…" if len(entry.told) > _LONGEST else ""
        say(f"- {entry.kind.value}: {text}{mark} ({entry.id}){despite}")
    if any(len(entry.told) > _LONGEST for entry in answer.omitted):
        say("To show a shortened entry, run `mind show ID`.")
    if answer.new_session:
        say("\nA new session began.")
    _show_promoted(answer.promoted)
    if answer.global_gotchas:
        say("\n## Gotchas for all projects")
    for one in answer.global_gotchas:
        say(f"- {one.title}: {one.workaround or one.description}")
    for name in answer.written:
        say(f"Updated {name}.")
    problems(answer.problems)


def _show_promoted(promoted: tuple[Promoted, ...]) -> None:
    for one in promoted:
        if one.outcome != "left":
            other = f" ({one.other.id})" if one.other else ""
            say(f"- {one.outcome}{other}: {one.entry.title}")
    if left := left_out(promoted):
        say(left)


def session(as_json: AsJson = False) -> None:
    """Show the notes of the current session."""
    present(Memory.open().session(), _show_session, as_json=as_json)


def _show_session(view: SessionView) -> None:
    if view.started:
        say(f"Session since {view.started.astimezone().strftime('%Y-%m-%d %H:%M')}")
    for entry in view.entries:
        say(f"- {entry.kind.value}: {entry.told}")
    if not view.entries:
        say("No notes yet. Run `mind log TEXT` to add one.")
    if view.waiting:
        say(f"{view.elsewhere}; `{program()} recent` lists the latest entries.")
    if view.ended:
        say(f"Notes of ended sessions are kept for 30 days in {view.ended}.")


def status(as_json: AsJson = False) -> None:
    """Show the size and state of this memory, and its problems."""
    present(Memory.open().status(), _show_status, as_json=as_json)


def _show_status(found: MemoryStatus) -> None:
    kinds = ", ".join(counted(count, kind) for kind, count in found.by_kind.items()) or "none"
    sources = ", ".join(f"{count} from {name}" for name, count in found.by_source.items())
    rows = [
        ("project", f"{found.project} ({found.root})"),
        ("entries", f"{found.entries}: {kinds}"),
        ("sources", sources or "none"),
        ("days", f"{found.first} to {found.last}" if found.first else "none"),
        ("session", counted(found.session_entries, "note")),
        ("reminders", f"{found.reminders_pending} pending, {found.reminders_due} due"),
        ("stacks", ", ".join(found.stacks) or "none detected"),
        ("block", f"{', '.join(found.targets) or 'none'}, ~{found.block_tokens} tokens"),
        ("search", found.searching),
        ("index", f"{found.index_bytes / 1e6:,.1f} MB"),
        ("version", found.version),
    ]
    table(("", ""), rows)
    problems(found.problems)


def sync(as_json: AsJson = False) -> None:
    """Index changed memory files, MEMORY: comments and commits, and refresh the context block."""
    present(Memory.open().checkpoint(), _show_synced, as_json=as_json)


checkpoint = sync


def _show_synced(done: Synced) -> None:
    sources = ", ".join(f"{count} from {name}" for name, count in done.by_source.items())
    counts = f"{done.added} added, {done.removed} removed"
    say(f"{counted(done.entries, 'entry')} ({sources or 'none yet'}): {counts}")
    for name in done.written:
        say(f"Updated {name}.")
    problems(done.problems)


Acknowledge = Annotated[
    bool,
    typer.Option(
        "--acknowledge",
        "-y",
        help="Record it even if it is short-lived, known or forgotten before.",
    ),
]
AcknowledgeReplacing = Annotated[
    bool,
    typer.Option(
        "--acknowledge",
        "-y",
        help="Record it even if it is short-lived or was forgotten before, and even if it replaces "
        "a protected entry.",
    ),
]


def log(
    message: Annotated[
        list[str], typer.Argument(help="The text to record; `-` reads standard input.")
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--type",
            "-t",
            help="Type of the entry. "
            f"{', '.join(one for one in LOGGED if not one.traits.noted)} are written to MEMORY.md; "
            f"{', '.join(one for one in LOGGED if one.traits.noted)} to "
            "SESSION.md. Default: what the message announces (`decided: …`, we chose …), else "
            "experience.",
            metavar="TYPE",
        ),
    ] = "",
    acknowledge: AcknowledgeReplacing = False,
    replaces: Annotated[
        list[str] | None,
        typer.Option(
            help="Id of an entry that this one replaces; it is archived. Progress resolves a "
            "problem, blocker or todo instead, which stays. Repeatable.",
            metavar="ID",
        ),
    ] = None,
    about: Annotated[
        str,
        typer.Option(
            help="`user` marks a claim about the person, which must be confirmed; `project` marks "
            "none. Default: detected from the text.",
            metavar="WHO",
        ),
    ] = "",
    confidence: Annotated[
        float | None, typer.Option(help="Your confidence, 0-1.", metavar="SHARE")
    ] = None,
    source: Annotated[str, typer.Option(help="Where the information comes from.")] = "",
    keyword: Keywords = None,
    as_json: AsJson = False,
) -> None:
    """Record an entry.

    mind log -t decision "SQLite over Postgres - one file, no server"

    Secrets are rejected. A duplicate is not written again, except progress from another day and
    session notes. A claim about a person waits for `mind confirm`.
    """
    memory = Memory.open()
    logged = memory.log(
        _text(message),
        kind,
        acknowledge=acknowledge,
        replaces=replaces or (),
        about=about,
        confidence=confidence,
        source=source,
        keywords=keyword or (),
    )
    present(logged, show_logged, as_json=as_json, form=memory.placed)


def _text(words: list[str]) -> str:
    if words == ["-"]:
        if sys.stdin.isatty():
            raise InputError(
                "`-` reads standard input, which is a terminal", remedy="Pipe the text to it."
            )
        return sys.stdin.read()
    return " ".join(words)


def show_pending(waits: Pending) -> None:
    """Print that a claim waits for confirmation."""
    say(f'Not recorded yet: "{waits.phrase}" is a claim about a person.')
    say(f"To record it, run `{program()} confirm {waits.id}` within an hour.")
    if waits.replaces:
        say(f"It will replace {waits.replaces}, which is then archived.")


def show_logged(logged: Logged) -> None:
    """Print what was written, with related entries, warnings and reminders."""
    one = logged.entry
    if logged.known:
        done = "Kept" if logged.replaced or logged.closed else "Already recorded as"
        say(f"{done} {one.id} {one.where} {one.title}")
        _show_replaced(logged)
        return
    if logged.pending:
        show_pending(logged.pending)
        return
    say(f"Recorded {one.kind.traits.noun} {one.id} in {logged.file}")
    if logged.is_passing:
        say("It is dropped when the session ends. Log what should last with `-t learning`.")
    _show_replaced(logged)
    _show_related(logged)
    show_loops(logged.loops, logged.perhaps)
    if overruled := logged.overruled:
        options = " ".join(f"--replaces {one}" for one in overruled)
        call = f"{program()} log {logged.entry.id} {options} --acknowledge"
        say(f"If that no longer holds: `{call}`.")
    for reminder in logged.reminders:
        say(f"Reminder {reminder.id}: {reminder.text}")


def _show_related(logged: Logged) -> None:
    for old, was, now in logged.contradicts:
        values = f" ({was} → {now})" if was and now else ""
        say(f"Contradicts{values}: {old.id} {old.where} {old.title}")
    named = {old.id for old, _, _ in logged.contradicts}
    for other in logged.related:
        if other.id not in named:
            say(f"Similar: {other.id} {other.where} {other.title}")
    if asked := logged.question(f"`{program()} log {logged.entry.id} --replaces ID`"):
        say(asked)


def show_loops(loops: Sequence[Loop], perhaps: Sequence[Entry]) -> None:
    """Print the rejected approaches that come back, and entries that may be related."""
    for loop in loops:
        day = f" on {loop.earlier.date.isoformat()}" if loop.earlier.date else ""
        sure = f"{loop.severity.value}, {loop.score:.2f}"
        say(f"! {loop.judgement}{day} ({sure}): {loop.earlier.told} [{loop.earlier.id}]")
        say(f"  matched: {loop.matched}")
        say(f"  from: {loop.earlier.where}")
        if loop.alternative:
            say(f"  instead: {loop.alternative}")
    if loops:  # the advice is the same for each
        say(f"  do: {for_a_shell(loops[0].way_out)}")
    for one in perhaps:
        say(f"Possibly related: {one.id} {one.where} {one.title}")


def _show_replaced(logged: Logged) -> None:
    for one in logged.closed:
        say(f"Closes: {one.id} {one.where} {one.title}")
    for gone in (logged.replaced, *logged.replaced_too) if logged.replaced else ():
        say(f"Replaced {gone.entry.id}, which is now in the archive.")
        for one in gone.along:
            say(f"Archived with it, as part of it: {one.id} {one.title}")
        show_overridden(gone.protected)


def show_overridden(protected: Sequence[str]) -> None:
    """Print the protected entries that were archived."""
    if protected:
        say(f"Protection overridden: {', '.join(protected)}.")


def blocker(
    description: Annotated[list[str], typer.Argument(help="Description of the blocker.")],
    keyword: Annotated[
        list[str] | None,
        typer.Option("--keyword", "-k", help="Extra search keyword. Repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Record a blocker and show related entries."""
    memory = Memory.open()
    answer = memory.blocker(_text(description), keyword or [])
    present(
        answer,
        _show_blocked,
        as_json=as_json,
        form=lambda blocked: replace(blocked, logged=memory.placed(blocked.logged)),
    )


def _show_blocked(answer: BlockerLogged) -> None:
    show_logged(answer.logged)
    if answer.found.hits:
        say("Related entries:")
    show_hits(answer.found)
    problems(answer.found.problems)


def reminders(
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Include completed reminders.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List pending reminders."""
    listed = Memory.open().reminders(everything=everything)
    present(listed, _show_reminders if listed else _NO_REMINDERS, as_json=as_json)


_NO_REMINDERS = "No reminders. Run `mind remind TEXT --when WHEN` to set one."


def _show_reminders(listed: Sequence[Reminder]) -> None:
    rows = [
        (one.id, one.when, str(one.shown) if one.shown and not one.done else "", one.text)
        for one in listed
    ]
    table(("id", "when", "shown", "reminder"), rows)


def remind(
    message: Annotated[list[str], typer.Argument(help="Text of the reminder.")],
    at: Annotated[
        str,
        typer.Option(
            "--when",
            "-w",
            help='"next session", "tomorrow 9am", "in 3 days", "20 December", "every monday", '
            '"when I mention X". Default: the time or condition at the start or end of the text, '
            "else the next session.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Set a reminder for a time, the next session, or the next mention of a word."""
    added = Memory.open().remind(" ".join(message), at)
    present(added, f"Reminder {added.id} ({added.when}): {added.text}", as_json=as_json)


def done(
    reminder_id: Annotated[
        str, typer.Argument(help="Id of the reminder, as listed by `mind reminders`.")
    ],
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Dismiss it; a recurring reminder does not recur.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Mark a reminder as done; a recurring one ("every monday") stays for its next date."""
    completed = Memory.open().reminder_done(reminder_id, dismiss=dismiss)
    said = "Dismissed" if dismiss else "Done"
    again = f" (next: {completed.when})" if completed.done is None else ""
    present(completed, f"{said}: {completed.text}{again}", as_json=as_json)
