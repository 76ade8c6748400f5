"""`mind parse`: the entries of a file, and what in it is none, with the reasons."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json, table
from mind.domain.entry import Entry
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(parse)


def parse(
    file: Annotated[
        Path | None, typer.Argument(help="A Markdown file; the project's MEMORY.md by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the entries of a Markdown file with their reasons, and what was left out, and why."""
    parsed = Memory.parse(file)
    if as_json:
        show_json(parsed)
        return
    if parsed.entries:
        _show(parsed.entries)
    else:
        say("No entries. A line such as `decided: SQLite over Postgres - one file` is one.")
    if parsed.left_out:
        say("Left out:")
        table(("line", "why"), [(_lines(one.line, one.end), one.why) for one in parsed.left_out])


def _show(entries: Sequence[Entry]) -> None:
    rows = [
        (
            _lines(one.line, one.end),
            one.kind.value + (f" ({one.status.value})" if one.status else ""),
            f"{one.confidence:.2f}",
            one.date.isoformat() if one.date else "-",
            one.title,
            one.why,
        )
        for one in entries
    ]
    table(("line", "type", "sure", "date", "title", "why"), rows)


def _lines(first: int, last: int) -> str:
    return f"{first}-{last}" if first != last else str(first)
