"""`mind recall`, `log`, `status`, reminders and others: the commands of a working session."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from mind.cli.output import AsJson, Keywords, for_a_shell, present, problems, program, say, table
from mind.documents.reminders import Reminder
from mind.domain.entry import LOGGED, counted
from mind.domain.errors import InputError
from mind.memory import wording
from mind.memory.answers import (
    BlockerLogged,
    Logged,
    Loop,
    MemoryStatus,
    Recall,
)
from mind.memory.memory import Memory
from mind.memory.wording import Calls


def recall(
    force: Annotated[bool, typer.Option("--force", help="Rebuild the index first.")] = False,
    session_id: Annotated[
        str | None, typer.Option(help="The client's id for its session.", metavar="ID")
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            help="What you are about to do: of the entries that the block omits, the closest to it "
            "come first.",
            metavar="TEXT",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show the context for a session, and refresh the context block in CLAUDE.md.

    A new session begins after 30 idle minutes (session.gap_minutes). Lasting notes of the previous
    session then move from SESSION.md to MEMORY.md.
    """
    found = Memory.open().recall(force=force, session_id=session_id, task=task)
    present(found, _show_recall, as_json=as_json)


def _show_recall(answer: Recall) -> None:
    say(wording.recall(replace(answer, due=(), problems=()), ALL))
    if any(len(entry.told) > wording.WITH_REASON for entry in answer.omitted):
        say("To show a shortened entry, run `mind show ID`.")
    for name in answer.written:
        say(f"Updated {name}.")


def session(as_json: AsJson = False) -> None:
    """Show the notes of the current session."""
    view = Memory.open().session()
    present(view, wording.session(view, ALL), as_json=as_json)


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


def sync(as_json: AsJson = False) -> None:
    """Index changed memory files, MEMORY: comments and commits, and refresh the context block."""
    done = Memory.open().checkpoint()
    present(done, wording.synced(replace(done, problems=())), as_json=as_json)


checkpoint = sync


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


def show_logged(logged: Logged) -> None:
    """Print what was written, with related entries, warnings and reminders."""
    say(wording.logged(logged, ALL, COMMANDS))


def _log_command(entry: str, replaced: Sequence[str]) -> str:
    options = " ".join(f"--replaces {one}" for one in replaced or ["ID"])
    return f"`{program()} log {entry} {options}{' --acknowledge' if replaced else ''}`"


def _loops(loops: Sequence[Loop]) -> list[str]:
    """Render the rejected approaches that come back."""
    lines = []
    for loop in loops:
        day = f" on {loop.earlier.date.isoformat()}" if loop.earlier.date else ""
        sure = f"{loop.severity.value}, {loop.score:.2f}"
        lines.append(f"! {loop.judgement}{day} ({sure}): {loop.earlier.told} [{loop.earlier.id}]")
        lines.append(f"  matched: {loop.matched}")
        lines.append(f"  from: {loop.earlier.where}")
        if loop.alternative:
            lines.append(f"  instead: {loop.alternative}")
    # the advice is the same for each
    return [*lines, f"  do: {for_a_shell(loops[0].way_out)}"] if loops else []


ALL = sys.maxsize
"""The length to which commands cut their answers: they show all."""
COMMANDS = Calls(_log_command, lambda one: f"To record it, run `{program()} confirm {one}`", _loops)


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
    from mind.cli.search import show_hits  # noqa: PLC0415 - only for this command

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
