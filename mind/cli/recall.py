"""`mind recall`, `session`, `status` and reminders: where the work stands."""

from datetime import date
from typing import Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json, table
from mind.documents.reminders import Reminder
from mind.domain.entry import counted
from mind.memory.answers import Promoted, SessionView, Status
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(recall)
    app.command()(session)
    app.command()(status)
    app.command()(sync)
    app.command("checkpoint", hidden=True)(sync)
    app.command()(reminders)
    app.command()(remind)
    app.command()(done)


def recall(
    force: Annotated[bool, typer.Option("--force", help="Build the index anew first.")] = False,
    session_id: Annotated[
        str | None, typer.Option(help="The client's name for its session.", metavar="ID")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the context to start from, and refresh the block in CLAUDE.md.

    After 30 idle minutes (session.gap_minutes) a new session begins: what the last one noted in
    SESSION.md and is worth keeping moves to MEMORY.md.
    """
    answer = Memory.open().recall(force=force, session_id=session_id)
    if as_json:
        show_json(answer)
        return
    say(answer.context)
    if answer.omitted:
        say("\n## Not in the block, nearest to current work first")
    for entry in answer.omitted:
        despite = "".join(f"; despite {one}" for one in answer.despite.get(entry.id, ()))
        say(f"- {entry.kind.value}: {entry.text} ({entry.id}){despite}")
    if answer.new_session:
        say("\nA new session began.")
    _show_promoted(answer.promoted)
    if answer.global_gotchas:
        say("\n## Gotchas of every project")
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


def session(as_json: AsJson = False) -> None:
    """Show what the running session has noted so far."""
    view = Memory.open().session()
    if as_json:
        show_json(view)
        return
    _show_session(view)


def _show_session(view: SessionView) -> None:
    if view.started:
        say(f"Session since {view.started.astimezone().strftime('%Y-%m-%d %H:%M')}")
    for entry in view.entries:
        say(f"- {entry.kind.value}: {entry.text}")
    if not view.entries:
        say("Nothing noted yet. `mind log TEXT` notes what happens.")


def status(as_json: AsJson = False) -> None:
    """Show what this memory holds and what is wrong with it."""
    found = Memory.open().status()
    if as_json:
        show_json(found)
        return
    kinds = ", ".join(counted(count, kind) for kind, count in found.by_kind.items()) or "none"
    sources = ", ".join(f"{count} from {name}" for name, count in found.by_source.items())
    rows = [
        ("project", f"{found.project} ({found.root})"),
        ("entries", f"{found.entries}: {kinds}"),
        ("sources", sources or "none"),
        ("days", f"{found.first} to {found.last}" if found.first else "none"),
        ("session", f"{found.session_entries} notes"),
        ("reminders", f"{found.reminders_pending} pending, {found.reminders_due} due"),
        ("stacks", ", ".join(found.stacks) or "none detected"),
        ("block", f"{', '.join(found.targets) or 'none'}, about {found.block_tokens} tokens"),
        ("search", _searching(found)),
        ("index", f"{found.index_bytes / 1e6:,.1f} MB"),
        ("version", found.version),
    ]
    table(("", ""), rows)
    problems(found.problems)


def _searching(found: Status) -> str:
    if found.lexical_only:
        return f"lexical only: {found.lexical_only}"
    made, texts = found.vectors
    return f"by words and by meaning; vectors of {made:,} of {texts:,} texts"


def sync(as_json: AsJson = False) -> None:
    """Read what changed in memory files, MEMORY: comments and commits; refresh the block."""
    done = Memory.open().checkpoint()
    if as_json:
        show_json(done)
        return
    sources = ", ".join(f"{count} from {name}" for name, count in done.by_source.items())
    say(f"{done.entries} entries ({sources or 'none yet'}); {done.added} new, {done.removed} gone")
    for name in done.written:
        say(f"Updated {name}.")
    problems(done.problems)


def reminders(
    everything: Annotated[bool, typer.Option("--all", "-a", help="Completed ones too.")] = False,
    as_json: AsJson = False,
) -> None:
    """List reminders."""
    listed = Memory.open().reminders(everything=everything)
    if as_json:
        show_json(listed)
    elif listed:
        rows = [(one.id, when(one), _shown(one), one.text) for one in listed]
        table(("id", "when", "shown", "reminder"), rows)
    else:
        say("No reminders. `mind remind TEXT --when WHEN` sets one.")


def when(reminder: Reminder) -> str:
    """The trigger of a reminder, for a person."""
    if reminder.done:
        return "done" if reminder.done == date.min else f"done {reminder.done.isoformat()}"
    if reminder.next_session:
        return "next session"
    if reminder.trigger:
        return f"when {' or '.join(reminder.trigger)} comes up"
    if reminder.due is None:
        return f'time not understood: "{reminder.unclear}"' if reminder.unclear else "no time"
    moment = reminder.due.strftime("%Y-%m-%d %H:%M")
    return f"{reminder.every}: {moment}" if reminder.every else moment


def _shown(reminder: Reminder) -> str:
    return reminder.shown.isoformat() if reminder.shown and not reminder.done else ""


def remind(
    message: Annotated[list[str], typer.Argument(help="What to be reminded of.")],
    at: Annotated[
        str,
        typer.Option(
            "--when",
            "-w",
            help='"next session", "tomorrow 9am", "in 3 days", "20 December", "every monday", '
            '"when I mention X". Without it, the time that the text begins or ends with, else '
            "the next session.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Set a reminder for a time, for the next session, or for when a word comes up."""
    added = Memory.open().remind(" ".join(message), at)
    if as_json:
        show_json(added)
        return
    say(f"Reminder {added.id} ({when(added)}): {added.text}")


def done(
    reminder_id: Annotated[str, typer.Argument(help="The id, as `mind reminders` shows it.")],
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Give it up: one that comes back does not any more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tick a reminder off; one that comes back ("every monday"), for this time."""
    completed = Memory.open().reminder_done(reminder_id, dismiss=dismiss)
    if as_json:
        show_json(completed)
        return
    said = "Dismissed" if dismiss else "Done"
    again = f" (again {when(completed)})" if completed.done is None else ""
    say(f"{said}: {completed.text}{again}")
