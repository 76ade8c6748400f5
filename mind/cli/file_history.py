"""`mind history`: what was done to a file, and why."""

from pathlib import Path
from typing import Annotated

import typer

from mind.cli.output import AsJson, note, problems, say, show_json, table
from mind.memory.memory import Memory
from mind.sources.file_history import Change


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(history)


def history(
    path: Annotated[str, typer.Argument(help="A file; it may be gone, or have another name now.")],
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most changes, 1-100.")] = 20,
    offset: Annotated[int, typer.Option(help="Leave out so many of the newest.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the edits, commits and memories of a file, newest first."""
    memory = Memory.open()
    here = Path.cwd() / path
    is_here = here.exists() and here.is_relative_to(memory.project.root)
    found = memory.file_history(str(here) if is_here else path, limit=limit, offset=offset)
    if as_json:
        show_json(found)
        return
    if found.changes:
        table(("day", "what", "id", "title"), [_row(one) for one in found.changes])
    else:
        say("No more changes." if found.total else f"Nothing is known of {found.path}.")
    if found.names:
        note(f"{found.path} was {', '.join(found.names)} before.")
    last = found.offset + len(found.changes)
    if last < found.total:
        note(f"{last} of {found.total}; --offset {last} shows more.")
    problems(found.problems)


def _row(one: Change) -> tuple[str, str, str, str]:
    times = f" ×{one.times}" if one.times > 1 else ""
    day = one.day.isoformat() if one.day else "undated"
    return day, f"{one.what}{times}", one.id, one.title
