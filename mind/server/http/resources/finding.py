"""Read operations: entries, and the memory as a whole."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from mind.documents.reminders import Reminder
from mind.domain.entry import Status
from mind.domain.errors import NotFound
from mind.memory import answers, as_json, overview
from mind.memory import search as searching
from mind.memory.health.report import Health
from mind.memory.memory import Memory
from mind.search.query import ORDERS
from mind.search.results import SearchResult
from mind.server.http.models import (
    ARCHIVED,
    ENTRIES,
    ENTRY,
    HIT,
    STEP,
    among,
    members,
    model,
    several,
    shape,
)
from mind.server.http.routing import Body, Id, Kinds, Offset, Resource, text, whole, words
from mind.storage.index import Facets, Overview
from mind.text import LANGUAGES

resource = Resource("Finding")
_WHEN = 'Date or period: "2026-03-01", "last week", a release such as "v1.2".'
Limit = Annotated[int, whole(1, 100, "Maximum number of results.")]
Period = Annotated[str, text(_WHEN)]
_UNDERSTOOD = shape("Understood", text=str, filters=dict[str, str], order=str, ignored=list[str])


_SEARCH = shape(
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
)
_RECENT = shape("Recent", entries=ENTRIES, total=int, offset=int, problems=list[str])
_BATCH = shape("Batch", entries=ENTRIES, missing=list[str], edited=dict[str, str])
_AROUND = shape("Around", day=date, days=int, entries=ENTRIES, total=int)


@resource.operation("GET", "/api/v1/search", _SEARCH)
def search(
    memory: Memory,
    q: Annotated[
        str,
        words("Words in any order; may include filters: kind:decision tag:db.", 2_000),
    ],
    kind: Kinds = (),
    since: Period = "",
    until: Period = "",
    tag: Annotated[str, text("Only entries with this tag (without #).")] = "",
    status: Annotated[
        Annotated[str, among(Status)] | None, Query(description="Only entries with this status.")
    ] = None,
    lang: Annotated[
        Sequence[Annotated[str, among(sorted(LANGUAGES))]],
        text("Only entries in these languages; repeatable.", 20),
    ] = (),
    order: Annotated[Annotated[str, among(ORDERS)] | None, Query(description="Sort order.")] = None,
    facets: Annotated[
        bool,
        Query(description="Also count matches by kind, tag, year and so on; takes longer."),
    ] = False,
    limit: Limit = 10,
    offset: Offset = 0,
    noted: Annotated[
        bool,
        Query(description="Write the search to the usage log. Use false for search-as-you-type."),
    ] = True,
) -> object:
    """Search entries; best matches first, with facets on request."""
    named = {
        "since": since,
        "until": until,
        "tag": tag,
        "status": status,
        "order": order,
        "lang": ",".join(lang),
    }
    filters = {name: value for name, value in named.items() if value}
    if not noted:
        memory.is_noted = False
    find = partial(overview.browse if facets else searching.search, memory)
    answer = find(q, kinds=kind, limit=limit, offset=offset, filters=filters)
    found, counts = (answer, None) if isinstance(answer, SearchResult) else answer
    understood = members(_UNDERSTOOD, found.parsed)
    hits = [as_json.hit_json(hit) for hit in found.hits]
    return members(_SEARCH, found, hits=hits, limit=limit, facets=counts, understood=understood)


@resource.operation("GET", "/api/v1/recent", _RECENT)
def recent(memory: Memory, kind: Kinds = (), limit: Limit = 10, offset: Offset = 0) -> object:
    """List the latest entries, newest first."""
    found = memory.recent(kinds=kind, limit=limit, offset=offset)
    entries = [as_json.entry_json(hit.entry, hit.verdict) for hit in found.hits]
    return members(_RECENT, found, entries=entries)


def entry_of(memory: Memory, identifier: str) -> Mapping[str, Any]:
    """Return an entry in full.

    Raises:
        NotFound: No entry has this id.
    """
    found = memory.get([identifier])
    if not found.entries:
        raise NotFound.entry(identifier)
    html = overview.html_of(memory, found.entries[0])
    return as_json.details_json(found)[0] | {"html": html}


@resource.operation("GET", "/api/v1/entries/{id}", shape("EntryInFull", ENTRY, html=str))
def entry(memory: Memory, id: Id) -> object:
    """Get an entry in full, also as HTML. Send its ETag as If-Match to update it."""
    return entry_of(memory, id)


class Ids(Body):
    """Ids of entries."""

    ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]],
        Field(min_length=1, max_length=50, description="Ids, as listed by a search."),
    ]


@resource.operation("POST", "/api/v1/entries/batch", _BATCH)
def entries(memory: Memory, sent: Ids) -> object:
    """Get several entries in full."""
    found = memory.get(sent.ids)
    return members(_BATCH, found, entries=as_json.details_json(found))


_COMMIT = shape("Commit", id=str, author=str, email=str, at=datetime, subject=str)
_VERSION = shape("Version", what=str, commit=_COMMIT | None, text=str, reason=str)


_HISTORY = shape(
    "History",
    entry=ENTRY | None,
    earlier=several(ARCHIVED),
    versions=several(_VERSION),
    commits=list[str],
)


@resource.operation("GET", "/api/v1/entries/{id}/history", _HISTORY)
def history(memory: Memory, id: Id) -> object:
    """Get the history of an entry: earlier versions, why they changed, and later commits."""
    found = overview.past(memory, id)
    return members(_HISTORY, found, versions=[as_json.version_json(one) for one in found.versions])


@resource.operation(
    "GET", "/api/v1/timeline", shape("Timeline", anchor=ENTRY, before=ENTRIES, after=ENTRIES)
)
def timeline(
    memory: Memory,
    anchor: Annotated[
        str,
        words("An id, or a query whose best match is used.", 2_000),
    ],
    before: Annotated[int, whole(0, 50, "Number of earlier entries.")] = 5,
    after: Annotated[int, whole(0, 50, "Number of later entries.")] = 5,
) -> object:
    """List the entries recorded just before and after an entry, oldest first."""
    return as_json.timeline_json(memory.timeline(anchor, before=before, after=after))


@resource.operation("GET", "/api/v1/around", _AROUND)
def around(
    memory: Memory,
    anchor: Annotated[
        str,
        words('Id or date: "2026-03-01", "last friday".'),
    ],
    days: Annotated[int, whole(0, 3_660, "Days before and after.")] = 7,
    kind: Kinds = (),
    limit: Annotated[int, whole(1, 50, "Maximum number of entries.")] = 20,
) -> object:
    """List the entries of the days around an entry or a date, closest first."""
    return members(_AROUND, memory.around(anchor, days=days, kinds=kind, limit=limit))


whole_memory = Resource("Overview")


@whole_memory.operation("GET", "/api/v1/things", model(Overview))
def things(
    memory: Memory, limit: Annotated[int, whole(1, 200, "Maximum number of things.")] = 80
) -> object:
    """List the things that entries name most often, and their relations."""
    return overview.things(memory, limit)


@whole_memory.operation(
    "GET",
    "/api/v1/graph",
    shape(
        "Walk",
        start=str,
        aliases=list[str],
        steps=several(STEP),
        entries=ENTRIES,
        problems=list[str],
    ),
)
def graph(
    memory: Memory,
    start: Annotated[
        str,
        words("Name of a thing, in any spelling variant."),
    ],
    depth: Annotated[int, whole(1, 3, "Maximum number of steps.")] = 1,
    predicate: Annotated[str, text("Follow only this predicate.")] = "",
    direction: Annotated[
        Annotated[str, among(("out", "in", "both"))],
        Query(description="`out`: from subject to object; `in`: the reverse."),
    ] = "both",
) -> object:
    """Get the relations around a thing, nearest first, and the entries that name it."""
    walk = memory.traverse(start, depth, predicate or None, direction)
    return as_json.walk_json(walk) | {"problems": list(walk.problems)}


@whole_memory.operation(
    "GET",
    "/api/v1/archive",
    shape("Archive", archived=several(ARCHIVED), total=int, offset=int),
)
def archive(
    memory: Memory,
    q: Annotated[str, text("Only entries with all these words.", 2_000)] = "",
    limit: Annotated[int, whole(1, 1_000, "Maximum number of results.")] = 50,
    offset: Offset = 0,
) -> object:
    """List forgotten, corrected and superseded entries, latest first."""
    found = memory.archive(q, limit=limit, offset=offset)
    return {"archived": found.blocks, "total": found.total, "offset": offset}


_TAG = shape("Tag", name=str, entries=int, share=float, last=date | None, like=str, muted=bool)


_TAGS = shape("Tags", tags=several(_TAG), untagged=int, allowed=list[str])


@whole_memory.operation("GET", "/api/v1/tags", _TAGS)
def tags(memory: Memory) -> object:
    """List the tags, most common first."""
    found = memory.tags()
    return members(_TAGS, found, tags=[members(_TAG, one) for one in found.tags])


@whole_memory.operation("GET", "/api/v1/status", model(answers.MemoryStatus))
def status(memory: Memory) -> object:
    """Get counts, dates and problems of a memory."""
    return memory.status()


@whole_memory.operation("GET", "/api/v1/health", model(Health))
def health(
    memory: Memory, days: Annotated[int, whole(1, 3_660, "Period in which use is counted.")] = 30
) -> object:
    """Get the health of a memory: used, stale, wrong and duplicate entries, and what to do."""
    return memory.health(days)
