"""`mind search` and `mind when`: find entries, and show how a date expression is parsed."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, is_terminal, note, present, say, table
from mind.domain.entry import ORIGIN, title_of
from mind.domain.errors import InputError, ProjectError
from mind.memory.memory import Memory
from mind.search.results import Hit, SearchResult
from mind.text import dates

if TYPE_CHECKING:
    from mind.text.dates.asked import RequestedTime


def _hits_json(found: SearchResult) -> list[dict[str, object]]:
    from mind.memory.as_json import hit_json  # noqa: PLC0415 - only where JSON is asked for

    return [hit_json(hit) for hit in found.hits]


def search(
    query: Annotated[
        list[str], typer.Argument(help="Words in any order, and filters such as kind:decision.")
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", help="Only entries of this type. Repeatable.", metavar="TYPE"),
    ] = None,
    everywhere: Annotated[
        bool,
        typer.Option(
            "--all",
            "--all-projects",
            "-a",
            help="Search all registered projects and your personal memory.",
        ),
    ] = False,
    since: Annotated[
        str,
        typer.Option(
            help='Only entries from this day on: "2026-03-01", "last week", a release.',
            metavar="WHEN",
        ),
    ] = "",
    until: Annotated[str, typer.Option(help="Only entries up to this day.", metavar="WHEN")] = "",
    tag: Annotated[str, typer.Option(help="Only entries with this tag.")] = "",
    status: Annotated[
        str, typer.Option(help="Only entries with this status: open, resolved or blocked.")
    ] = "",
    lang: Annotated[
        str,
        typer.Option(
            help='Only entries in this language: "en", or several: "de,fr".', metavar="CODE"
        ),
    ] = "",
    order: Annotated[str, typer.Option(help="Sort order: relevance, newest or oldest.")] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="Maximum number of results, 1-100.")
    ] = None,
    offset: Annotated[int, typer.Option(help="Skip the first N results.", metavar="N")] = 0,
    revision: Annotated[
        str,
        typer.Option(
            "--at", help="Search the memory as of this commit, tag or branch.", metavar="REV"
        ),
    ] = "",
    mirror: Annotated[
        bool | None,
        typer.Option(
            "--mirror/--local",
            help="Search the mirror, or this machine. Default: the setting mirror.search.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", "-x", help="Show how each score was computed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search the memory.

    Matches words, and meaning if an embedding model is installed (see `mind models`). The setting
    search.weights changes how much each signal shown by --explain counts.

    The query may contain filters: kind:decision since:"last week" until:v1.2 on:yesterday tag:db
    section:Gotchas status:open lang:de id:a1b2c3d4 order:newest project:NAME. If the query mentions
    a time, entries from that time rank higher. A query of only a time or filters lists all matching
    entries, newest first. Results include the project's documents and your personal memory, marked
    `global`.

    `--at v1.2` searches the files of .mind/ as of that commit, with its settings, but without code
    comments, commit messages and vectors. It checks nothing out and stores nothing.
    """
    given = {
        "since": since,
        "until": until,
        "tag": tag,
        "status": status,
        "lang": lang,
        "order": order,
    }
    if revision and everywhere:
        raise InputError("--at and --all exclude each other", remedy="Use one of them.")
    memory = Memory.open()
    find = partial(memory.search_at, revision) if revision else memory.search
    found = find(
        " ".join(query),
        kinds=kind or [],
        everywhere=everywhere,
        limit=limit,
        offset=offset,
        filters={name: value for name, value in given.items() if value},
        mirror=mirror,
    )
    shown = show_reasons if explain else show_hits
    present(found, shown, as_json=as_json, form=_hits_json)
    _note_time(found)
    _note_more(found)
    if found.parsed.ignored:
        note(f"Not a filter; searched as text: {' '.join(found.parsed.ignored)}")
    if found.fallback:
        note(f"Searched locally, not in the mirror: {found.fallback}.")


def _note_time(found: SearchResult) -> None:
    period = found.parsed.period
    if found.hits and period:
        how = "" if found.hits[0].relevance == "listed" else " preferred"
        note(f"{period.start or '…'} to {period.end or '…'}{how}.")


def _note_more(found: SearchResult) -> None:
    """Say that a list goes on; ranked hits end where a reader stops."""
    listed = bool(found.hits) and found.hits[-1].relevance == "listed"
    if listed and found.offset + len(found.hits) < found.total:
        note(f"{len(found.hits)} of {found.total} entries; --limit and --offset show more.")


def show_reasons(found: SearchResult) -> None:
    """Print hits with their rank in each branch and the contribution of each signal."""
    for number, hit in enumerate(found.hits, 1):
        say(f"{number}. {hit.score:.3f} {hit.entry.id} {title_of(hit.text)}")
        places = [f"#{place} by {branch}" for branch, place in hit.places.items()]
        other = "matches the filters" if hit.relevance == "listed" else "next to another hit"
        places = places or [other]
        if hit.relevance != "listed":
            places.append(f"{hit.relevance} relevance ({hit.likelihood:.2f})")
        origin = f", from {hit.entry.fields[ORIGIN]}" if ORIGIN in hit.entry.fields else ""
        say(f"   found: {', '.join(places)}; {hit.entry.where}{origin}")
        parts = sorted(hit.signals.items(), key=lambda part: -abs(part[1]))
        if parts:
            say(f"   {' '.join(f'{name} {value:+.3f}' for name, value in parts)}")
        if hit.matched:
            say(f"   matched: {', '.join(hit.matched)}")
        if hit.stale:
            say(f"   stale: {'; '.join(hit.stale)}")
        for despite in hit.verdict.despite:
            say(f"   despite {despite}")
    done = "ranked" if any(hit.relevance != "listed" for hit in found.hits) else "matching"
    say(f"Showing {len(found.hits)} of {found.total} {done} entries.")
    if found.lexical_only:
        say(f"Lexical only: {found.lexical_only}.")


def show_hits(found: SearchResult) -> None:
    """Print one hit per row, with its warnings.

    Warnings go below the title on a terminal; in a pipe, in a last column that exists only if
    there are any.
    """
    if not found.hits:
        from mind.memory.wording import nothing  # noqa: PLC0415 - only for this answer

        say(nothing(found))
        return
    aside = not is_terminal() and any(hit.verdict.told for hit in found.hits)
    rows = [(*_row(hit), "; ".join(hit.verdict.told)) if aside else _row(hit) for hit in found.hits]
    table(("id", "date", "type", "relevance", "title", "where"), rows)
    for reminder in found.reminders:
        say(f"Reminder {reminder.id}: {reminder.text}")


def _row(hit: Hit) -> tuple[str, ...]:
    against = [f"! {told}" for told in hit.verdict.told] if is_terminal() else []
    return (
        hit.entry.id,
        str(hit.entry.date or "-"),
        hit.entry.kind.value,
        "-" if hit.relevance == "listed" else hit.relevance,
        "\n".join((title_of(hit.text), *against)),
        f"{hit.project}: {hit.entry.where}" if hit.project else hit.entry.where,
    )


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
    """Show how a date expression is parsed, in nine languages and, for days, seven more.

    Searches look back ("Friday" is last Friday) and reminders look ahead, so both readings are
    shown. Releases are the repository's tags.
    """
    present(_understood(" ".join(text)), _show_when, as_json=as_json)


def _understood(text: str) -> "RequestedTime":
    """Parse in the project's time zone, with its releases; outside a project, in the system's."""
    try:
        return Memory.open().when(text)
    except ProjectError:
        from mind.text.dates.asked import understand  # noqa: PLC0415 - only for this command

        return understand(text, datetime.now(dates.zone("")))


def _show_when(found: "RequestedTime") -> None:
    rows = []
    if found.period:
        rows.append(("days", f"{found.period.start or '…'} to {found.period.end or '…'}"))
    if found.moment:
        rows.append(
            ("next" if found.recurs else "time", found.moment.isoformat(timespec="minutes"))
        )
    table(("", ""), [*rows, ("weekday", found.weekday), ("relative", found.relative)])
