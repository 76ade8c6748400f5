"""`mind parse`: what was understood in a file, and why."""

from pathlib import Path
from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json, table
from mind.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(parse)


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="A Markdown file; the project's MEMORY.md by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is understood in a Markdown file, line by line, with confidence and reason."""
    entries = Memory.parse(file)
    if as_json:
        show_json(entries)
        return
    if not entries:
        say("No entries. A line such as `decided: SQLite over Postgres - one file` is one.")
        return
    rows = [
        (
            f"{one.line}-{one.end}" if one.end != one.line else str(one.line),
            one.kind.value + (f" ({one.status.value})" if one.status else ""),
            f"{one.confidence:.2f}",
            one.date.isoformat() if one.date else "-",
            one.title,
            one.why,
        )
        for one in entries
    ]
    table(("line", "type", "sure", "date", "title", "why"), rows)
