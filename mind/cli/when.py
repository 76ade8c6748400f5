"""`mind when`: which time is meant by words."""

from datetime import datetime
from typing import Annotated

import typer

from mind.cli.output import AsJson, show_json, table
from mind.domain.errors import ProjectError
from mind.memory.memory import Memory
from mind.text import dates
from mind.text.dates.understood import When, understand


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(when)


def when(
    text: Annotated[
        list[str],
        typer.Argument(
            help='"last week", "in March", "since 12 May", "2026-03-01..2026-03-31", "Q1 2026", '
            '"letzte Woche", "friday 3pm", "in 3 days", "before v1.2".'
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show which days, or which moment, words about time mean, in one of eight languages.

    A search looks back ("Friday" is the last one), a reminder ahead: both readings are shown.
    Releases are the repository's tags.
    """
    found = _understood(" ".join(text))
    if as_json:
        show_json(found)
        return
    table(("", ""), _rows(found))


def _understood(text: str) -> When:
    """In the project's zone, with its releases; outside of one, in the system's zone."""
    try:
        memory = Memory.open()
    except ProjectError:
        return understand(text, datetime.now(dates.zone("")))
    try:
        return memory.when(text)
    finally:
        memory.close()


def _rows(found: When) -> list[tuple[str, str]]:
    rows = []
    if found.period:
        rows.append(("days", f"{found.period.start or '…'} to {found.period.end or '…'}"))
    if found.moment:
        rows.append(("moment", found.moment.isoformat(timespec="minutes")))
    return [*rows, ("weekday", found.weekday), ("seen from now", found.relative)]
