"""`mind reminders`, `mind remind`, `mind done`: what to be reminded of."""

from datetime import date
from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json, table
from mind.documents.reminders import Reminder
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(reminders)
    app.command()(remind)
    app.command()(done)


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
    """When a reminder fires, for a person."""
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
