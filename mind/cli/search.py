"""`mind search`: find entries."""

from typing import Annotated, Any

import typer

from mind.answers import Found, Hit
from mind.cli.output import AsJson, entry_json, problems, say, show_json, table
from mind.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(search)


def search(
    query: Annotated[list[str], typer.Argument(help="Words in any order; nothing is syntax.")],
    kind: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", help="Only this type; may be repeated.", metavar="TYPE"),
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--all", "-a", help="Search every registered project.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most hits, 1-100.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find what memory holds about something."""
    found = Memory.open().search(
        " ".join(query), kinds=kind or [], everywhere=everywhere, limit=limit
    )
    if as_json:
        show_json([_hit_json(hit) for hit in found.hits])
    else:
        show_hits(found)
    problems(found.problems)


def _hit_json(hit: Hit) -> dict[str, Any]:
    extra = {"score": hit.score, "relevance": hit.relevance, "matched": list(hit.matched)}
    return entry_json(hit.entry) | extra | {"project": hit.project or None}


def show_hits(found: Found) -> None:
    """Print hits, one a row."""
    if not found.hits:
        say(f"Nothing found for {found.query!r}.")
        return
    rows = [
        (
            hit.entry.id,
            hit.entry.date.isoformat() if hit.entry.date else "-",
            hit.entry.kind.value,
            hit.relevance,
            hit.entry.title,
            f"{hit.project}: {hit.entry.where}" if hit.project else hit.entry.where,
        )
        for hit in found.hits
    ]
    table(("id", "date", "type", "relevance", "title", "where"), rows)
    for reminder in found.reminders:
        say(f"Reminder {reminder.id}: {reminder.text}")
