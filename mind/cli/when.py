"""`mind when`: which time is meant by words."""

from datetime import datetime
from typing import Annotated

import typer

from mind import dates
from mind.cli.output import AsJson, show_json, table
from mind.dates.understood import When, understand
from mind.errors import ProjectError
from mind.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(when)


def when(
    text: Annotated[
        list[str], typer.Argument(help='"last week", "since March", "friday 3pm", "Q1 2026".')
    ],
    as_json: AsJson = False,
) -> None:
    """Show which days, or which moment, is meant by words in one of eight languages.

    A search looks back for them, a reminder ahead: both readings are shown.
    """
    found = understand(" ".join(text), _now())
    if as_json:
        show_json(found)
        return
    table(("", ""), _rows(found))


def _now() -> datetime:
    """In the project's zone; outside of one, in the system's."""
    try:
        return Memory.open().now()
    except ProjectError:
        return datetime.now(dates.zone(""))


def _rows(found: When) -> list[tuple[str, str]]:
    rows = []
    if found.period:
        rows.append(("days", f"{found.start or '…'} to {found.end or '…'}"))
    if found.moment:
        rows.append(("moment", found.moment.isoformat(timespec="minutes")))
    return [*rows, ("weekday", found.weekday), ("seen from now", found.relative)]
