"""`mind recall` and `mind session`: where work stands."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json
from mind.memory.answers import Promoted, SessionView
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(recall)
    app.command()(session)


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
        say(f"- {entry.kind.value}: {entry.text} ({entry.id})")
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
