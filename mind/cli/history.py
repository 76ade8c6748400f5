"""`mind timeline`, `mind show`, `mind around` and `mind recent`: what stands behind a search."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, note, note_missing, problems, say, show_json, table
from mind.cli.search import show_hits
from mind.domain.entry import Entry
from mind.memory.memory import Memory
from mind.memory.plain import details_json, entry_json, timeline_json
from mind.search.results import Around, Details

Kinds = Annotated[
    list[str] | None,
    typer.Option("--type", "-t", help="Only this type; may be repeated.", metavar="TYPE"),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (timeline, show, around, recent):
        app.command()(command)


def timeline(
    anchor: Annotated[
        list[str], typer.Argument(help="An id, or words: the entry that matches them best.")
    ],
    before: Annotated[int, typer.Option("--before", "-b", help="Earlier entries, 0-50.")] = 5,
    after: Annotated[int, typer.Option("--after", "-a", help="Later entries, 0-50.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show what was noted just before and after an entry, oldest first."""
    found = Memory.open().timeline(" ".join(anchor), before=before, after=after)
    if as_json:
        show_json(timeline_json(found))
        return
    rows = [("", one) for one in found.before]
    rows += [(">", found.anchor), *(("", one) for one in found.after)]
    table(
        ("", "id", "date", "type", "title", "where"),
        [(mark, *_row(one)) for mark, one in rows],
    )


def show(
    ids: Annotated[list[str], typer.Argument(help="Ids as a search lists them.", metavar="ID...")],
    as_json: AsJson = False,
) -> None:
    """Show entries in full."""
    found = Memory.open().get(ids)
    if as_json:
        show_json(details_json(found))
    else:
        _show(found)
    for old, new in found.edited.items():
        note(f"{old} was edited: it is {new} now.")
    if found.missing:
        note_missing(found.missing)
        raise typer.Exit(1)


def _show(found: Details) -> None:
    from mind.text.language import foreign  # noqa: PLC0415 - 10 ms, only where it is shown

    for one in found.entries:
        rows = [
            ("id", one.id),
            ("type", f"{one.kind.value}{f' ({one.status.value})' if one.status else ''}"),
            ("date", one.date.isoformat() if one.date else "-"),
            ("text", one.text),
            ("why", one.reasoning),
            ("instead of", ", ".join(one.alternatives)),
            ("workaround", one.workaround),
            ("section", " > ".join(one.section)),
            ("tags", ", ".join(one.tags)),
            ("links", ", ".join(one.links)),
            ("language", foreign(one.text)),
            ("where", one.where),
            *one.fields.items(),
            ("stale", "; ".join(found.stale.get(one.id, ()))),
        ]
        table(("", ""), [row for row in rows if row[1]])
        say("")


def around(
    anchor: Annotated[
        list[str], typer.Argument(help='An id, or a date: "2026-03-01", "last friday".')
    ],
    days: Annotated[int, typer.Option("--days", "-d", help="Days before and after.")] = 7,
    kind: Kinds = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most entries, 1-50.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what was noted in the days around an entry or a date, nearest first."""
    found = Memory.open().around(" ".join(anchor), days=days, kinds=kind or [], limit=limit)
    if as_json:
        show_json([entry_json(one) for one in found.entries])
        return
    _show_around(found)


def _show_around(found: Around) -> None:
    if not found.entries:
        say(f"Nothing was noted within {found.days} days of {found.day}.")
        return
    table(("id", "date", "type", "title", "where"), [_row(one) for one in found.entries])
    if found.total > len(found.entries):
        say(f"{found.total - len(found.entries)} more within {found.days} days of {found.day}.")


def recent(
    kind: Kinds = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most entries, 1-100.")] = 10,
    offset: Annotated[int, typer.Option("--offset", help="Leave out so many.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the latest entries, newest first."""
    found = Memory.open().recent(kinds=kind or [], limit=limit, offset=offset)
    if as_json:
        show_json([entry_json(hit.entry, hit.stale) for hit in found.hits])
    else:
        show_hits(found)
    problems(found.problems)


def _row(one: Entry) -> tuple[str, str, str, str, str]:
    day = one.date.isoformat() if one.date else "-"
    return one.id, day, one.kind.value, one.title, one.where
