"""`mind search` and `mind when`: find entries, and show how a date expression is parsed."""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, is_terminal, note, present, problems, say, table
from mind.domain.entry import ORIGIN
from mind.domain.errors import InputError, ProjectError
from mind.memory.memory import Memory
from mind.memory.plain import hit_json
from mind.search.results import Hit, SearchResult
from mind.text import dates

if TYPE_CHECKING:
    from mind.text.dates.asked import When


def search(
    query: Annotated[list[str], typer.Argument(help="Words in any order; nothing is syntax.")],
    kind: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", help="Only this type; may be repeated.", metavar="TYPE"),
    ] = None,
    everywhere: Annotated[
        bool,
        typer.Option(
            "--all",
            "--all-projects",
            "-a",
            help="Search every registered project, and your own memory.",
        ),
    ] = False,
    since: Annotated[
        str, typer.Option(help='Not before: "2026-03-01", "last week", a release.', metavar="WHEN")
    ] = "",
    until: Annotated[str, typer.Option(help="Not after.", metavar="WHEN")] = "",
    tag: Annotated[str, typer.Option(help="Only with this tag.")] = "",
    status: Annotated[str, typer.Option(help="Only open, resolved or blocked ones.")] = "",
    lang: Annotated[
        str, typer.Option(help="Only in this language: en, de,fr …", metavar="CODE")
    ] = "",
    order: Annotated[str, typer.Option(help="relevance, newest or oldest.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="Most hits, 1-100.")] = None,
    offset: Annotated[int, typer.Option(help="Leave out so many of the best.")] = 0,
    revision: Annotated[
        str,
        typer.Option("--at", help="As memory was at this commit, tag or branch.", metavar="REV"),
    ] = "",
    mirror: Annotated[
        bool | None,
        typer.Option(
            "--mirror/--local", help="Search in the mirror, or here; as mirror.search says."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", "-x", help="Show what made each hit's score.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find what memory holds about something.

    Words of the entries are compared, and what they mean if there is an embedding model (see
    `mind models`). The setting search.weights changes how much each signal of --explain counts.

    Filters can stand in the query too: kind:decision since:"last week" until:v1.2 on:yesterday
    tag:db section:Gotchas status:open lang:de id:a1b2c3d4 order:newest project:NAME. Entries of a
    time that the words speak of are preferred; a time or filters alone list what there is, newest
    first. Documents of the project are searched too, and your own memory, marked `global`.

    `--at v1.2` searches the files of .mind/ as that commit has them, with its settings; comments,
    commit messages and vectors are left out. Nothing is checked out, and nothing is kept.
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
    present(found, shown, as_json=as_json, form=lambda found: [hit_json(hit) for hit in found.hits])
    _note_time(found)
    if found.parsed.ignored:
        note(f"No filter, compared as words: {' '.join(found.parsed.ignored)}")
    if found.fallback:
        note(f"Searched here, not in the mirror: {found.fallback}.")
    problems(found.problems)


def _note_time(found: SearchResult) -> None:
    period = found.parsed.period
    if found.hits and period:
        how = "" if found.hits[0].relevance == "listed" else " preferred"
        note(f"{period.start or '…'} to {period.end or '…'}{how}.")


def show_reasons(found: SearchResult) -> None:
    """Print hits with the place each branch gave them and what each signal added."""
    for number, hit in enumerate(found.hits, 1):
        say(f"{number}. {hit.score:.3f} {hit.entry.id} {hit.entry.title}")
        places = [f"{place}. by {branch}" for branch, place in hit.places.items()]
        other = "passes the filters" if hit.relevance == "listed" else "beside another hit"
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
    done = "weighed" if any(hit.relevance != "listed" for hit in found.hits) else "listed"
    say(f"{len(found.hits)} of {found.total} entries {done}.")
    if found.lexical_only:
        say(f"Lexical only: {found.lexical_only}.")


def show_hits(found: SearchResult) -> None:
    """Print hits, one a row, with what speaks against them.

    On a terminal that stands below the title, in a pipe in a last column, if anything does.
    """
    if not found.hits:
        _show_nothing(found)
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
        "\n".join((hit.entry.title, *against)),
        f"{hit.project}: {hit.entry.where}" if hit.project else hit.entry.where,
    )


def _show_nothing(found: SearchResult) -> None:
    narrowed = f" ({found.parsed.narrowed})" if found.parsed.narrowed else ""
    if found.total:
        say(f"No more than {found.total} hits.")
    elif found.query:
        say(f"Nothing found for {found.query!r}{narrowed}.")
    else:
        say("Nothing recorded yet.")


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
    """Show which days, or which moment, words about time mean, in one of nine languages.

    A search looks back ("Friday" is the last one), a reminder ahead: both readings are shown.
    Releases are the repository's tags.
    """
    present(_understood(" ".join(text)), _show_when, as_json=as_json)


def _understood(text: str) -> "When":
    """In the project's zone, with its releases; outside of one, in the system's zone."""
    try:
        memory = Memory.open()
    except ProjectError:
        from mind.text.dates.asked import understand  # noqa: PLC0415 - for this command alone

        return understand(text, datetime.now(dates.zone("")))
    try:
        return memory.when(text)
    finally:
        memory.close()


def _show_when(found: "When") -> None:
    rows = []
    if found.period:
        rows.append(("days", f"{found.period.start or '…'} to {found.period.end or '…'}"))
    if found.moment:
        rows.append(("moment", found.moment.isoformat(timespec="minutes")))
    table(("", ""), [*rows, ("weekday", found.weekday), ("seen from now", found.relative)])
