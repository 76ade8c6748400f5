"""Reading a memory."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from mind.documents.reminders import Reminder
from mind.domain.entry import Status
from mind.domain.errors import NotFound
from mind.memory import overview, plain
from mind.memory import search as searching
from mind.memory.overview import Facets
from mind.search.query import ORDERS
from mind.search.results import SearchResult
from mind.server.http.routing import (
    ARCHIVED,
    ENTRIES,
    ENTRY,
    HIT,
    Among,
    At,
    Body,
    Id,
    Kinds,
    Offset,
    Resource,
    model,
    several,
    shape,
    text,
    whole,
    words,
)
from mind.text.language import LANGUAGES

if TYPE_CHECKING:
    from mind.memory.memory import Memory

resource = Resource("Finding")
_WHEN = 'A date or a period: "2026-03-01", "last week", a release such as "v1.2".'
Limit = Annotated[int, whole(1, 100, "Most of them.")]
Period = Annotated[str, text(_WHEN)]
_UNDERSTOOD = shape("Understood", text=str, filters=dict[str, str], order=str, ignored=list[str])


@resource.operation(
    "GET",
    "/api/v1/search",
    shape(
        "Search",
        query=str,
        hits=several(HIT),
        total=int,
        offset=int,
        limit=int,
        facets=model(Facets) | None,
        understood=_UNDERSTOOD,
        lexical_only=str,
        candidates=dict[str, int],
        reminders=several(model(Reminder)),
        problems=list[str],
    ),
)
async def search(
    at: At,
    q: Annotated[
        str,
        words("Words in any order; filters may stand among them: kind:decision tag:db.", 2_000),
    ],
    kind: Kinds = (),
    since: Period = "",
    until: Period = "",
    tag: Annotated[str, text("Only with this tag, without its hash.")] = "",
    status: Annotated[
        Annotated[str, Among(Status)] | None, Query(description="Only these.")
    ] = None,
    lang: Annotated[
        Sequence[Annotated[str, Among(sorted(LANGUAGES))]],
        text("Only in these languages; repeatable.", 20),
    ] = (),
    order: Annotated[Annotated[str, Among(ORDERS)] | None, Query(description="How.")] = None,
    facets: Annotated[
        bool,
        Query(description="Count what matches by kind, tag, year and so on; it takes longer."),
    ] = False,
    limit: Limit = 10,
    offset: Offset = 0,
    noted: Annotated[
        bool,
        Query(
            description="Write it into the usage log; false for searches with each letter typed."
        ),
    ] = True,
) -> Response:
    """The entries that match best, and facets if they are asked for."""
    named = {"since": since, "until": until, "tag": tag, "status": status, "order": order}
    filters = {name: value for name, value in named.items() if value}
    filters |= {"lang": ",".join(lang)} if lang else {}

    def found(memory: "Memory") -> object:
        if not noted:
            memory.workspace.is_noted = False
        find = partial(overview.browse if facets else searching.search, memory.workspace)
        answer = find(q, kinds=kind, limit=limit, offset=offset, filters=filters)
        found, counts = (answer, None) if isinstance(answer, SearchResult) else answer
        asked = found.parsed
        return {
            "query": found.query,
            "hits": [plain.hit_json(hit) for hit in found.hits],
            "total": found.total,
            "offset": found.offset,
            "limit": limit,
            "facets": plain.plain(counts),
            "understood": {
                "text": asked.text,
                "filters": asked.filters,
                "order": asked.order,
                "ignored": list(asked.ignored),
            },
            "lexical_only": found.lexical_only,
            "candidates": found.candidates,
            "reminders": plain.plain(found.reminders),
            "problems": list(found.problems),
        }

    return await at(found)


@resource.operation(
    "GET",
    "/api/v1/recent",
    shape("Recent", entries=ENTRIES, total=int, offset=int, problems=list[str]),
)
async def recent(at: At, kind: Kinds = (), limit: Limit = 10, offset: Offset = 0) -> Response:
    """The latest entries, newest first."""

    def listed(memory: "Memory") -> object:
        found = memory.recent(kinds=kind, limit=limit, offset=offset)
        return {
            "entries": [plain.entry_json(hit.entry, hit.verdict) for hit in found.hits],
            "total": found.total,
            "offset": found.offset,
            "problems": list(found.problems),
        }

    return await at(listed)


def entry_of(memory: "Memory", identifier: str) -> Mapping[str, Any]:
    """Return an entry in full.

    Raises:
        NotFound: There is none.
    """
    found = memory.get([identifier])
    if not found.entries:
        raise NotFound(f"there is no entry {identifier!r}", remedy="Use an id that a search lists.")
    html = overview.html_of(memory.workspace, found.entries[0])
    return plain.details_json(found)[0] | {"html": html}


@resource.operation("GET", "/api/v1/entries/{id}", shape("EntryInFull", ENTRY, html=str))
async def entry(at: At, id: Id) -> Response:
    """An entry in full, as HTML too. Its ETag is what If-Match of an update wants."""
    return await at(lambda memory: entry_of(memory, id))


class Ids(Body):
    """Ids of entries."""

    ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]],
        Field(min_length=1, max_length=50, description="Ids, as a search lists them."),
    ]


@resource.operation(
    "POST",
    "/api/v1/entries/batch",
    shape("Batch", entries=ENTRIES, missing=list[str], edited=dict[str, str]),
)
async def entries(at: At, sent: Ids) -> Response:
    """Several entries in full."""

    def read(memory: "Memory") -> object:
        found = memory.get(sent.ids)
        return {
            "entries": plain.details_json(found),
            "missing": list(found.missing),
            "edited": found.edited,
        }

    return await at(read)


_COMMIT = shape("Commit", id=str, author=str, email=str, at=datetime, subject=str)
_VERSION = shape("Version", what=str, commit=_COMMIT | None, text=str, reason=str)


@resource.operation(
    "GET",
    "/api/v1/entries/{id}/history",
    shape(
        "History",
        entry=ENTRY | None,
        earlier=several(ARCHIVED),
        versions=several(_VERSION),
        commits=list[str],
    ),
)
async def history(at: At, id: Id) -> Response:
    """What became of an entry: its earlier words, why they left, and what changed since."""

    def past(memory: "Memory") -> object:
        found = overview.past(memory.workspace, id)
        return {
            "entry": plain.entry_json(found.entry) if found.entry else None,
            "earlier": [plain.archived_json(one) for one in found.earlier],
            "versions": [plain.version_json(one) for one in found.versions],
            "commits": list(found.commits),
        }

    return await at(past)


@resource.operation(
    "GET", "/api/v1/timeline", shape("Timeline", anchor=ENTRY, before=ENTRIES, after=ENTRIES)
)
async def timeline(
    at: At,
    anchor: Annotated[
        str,
        words("An id, or words: the best match for them.", 2_000),
    ],
    before: Annotated[int, whole(0, 50, "Earlier entries.")] = 5,
    after: Annotated[int, whole(0, 50, "Later ones.")] = 5,
) -> Response:
    """What was noted just before and after an entry, oldest first."""
    return await at(
        lambda memory: plain.timeline_json(memory.timeline(anchor, before=before, after=after))
    )


@resource.operation(
    "GET", "/api/v1/around", shape("Around", day=date, days=int, entries=ENTRIES, total=int)
)
async def around(
    at: At,
    anchor: Annotated[
        str,
        words('An id, or a date: "2026-03-01", "last friday".'),
    ],
    days: Annotated[int, whole(0, 3_660, "Before and after.")] = 7,
    kind: Kinds = (),
    limit: Annotated[int, whole(1, 50, "Most entries.")] = 20,
) -> Response:
    """Entries of the days around an entry or a date, nearest first."""

    def near(memory: "Memory") -> object:
        found = memory.around(anchor, days=days, kinds=kind, limit=limit)
        return {
            "day": found.day.isoformat(),
            "days": found.days,
            "entries": [plain.entry_json(one) for one in found.entries],
            "total": found.total,
        }

    return await at(near)
