"""`mind health`: how well a memory is, as text, JSON or a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, say, show_json
from mind.memory import curate
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from mind.memory.health import Health


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(health)


def health(
    days: Annotated[int, typer.Option("--days", "-d", help="Use is counted in, 1-3660.")] = 30,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page with charts instead.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is used, stale, wrong or there twice, and what to do about it.

    The page is one file without scripts; it asks for nothing from anywhere.
    """
    memory = Memory.open()
    found = memory.health(days)
    if html is not None:
        curate.write_health(found, html)
        if not as_json:
            say(f"Wrote {html}.")
    if as_json:
        show_json(found)
    elif html is None:
        _show(found)


def _show(found: "Health") -> None:
    from mind.memory.health.wording import sections  # noqa: PLC0415 - only for this command

    say(f"{found.project} on {found.day}")
    for title, lines in sections(found):
        say()
        say(f"{title}:")
        for line in lines:
            say(f"  {line}")
