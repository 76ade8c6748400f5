"""Reading a memory: its entries, and the memory as a whole."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from pydantic import Field

from mind.documents.reminders import Reminder
from mind.domain.entry import Status
from mind.domain.errors import NotFound
from mind.memory import answers, overview, plain
from mind.memory import search as searching
from mind.memory.health.report import Health
from mind.memory.overview import Facets
from mind.search.query import ORDERS
from mind.search.results import SearchResult
from mind.server.http.models import (
    ARCHIVED,
    ENTRIES,
    ENTRY,
    HIT,
    STEP,
    Among,
    members,
    model,
    several,
    shape,
)
from mind.server.http.routing import Body, Id, Kinds, Offset, Resource, text, whole, words
from mind.storage.index import Overview
from mind.text.language import LANGUAGES

if TYPE_CHECKING:
    from mind.memory.memory import Memory

resource = Resource("Finding")
_WHEN = 'A date or a period: "2026-03-01", "last week", a release such as "v1.2".'
Limit = Annotated[int, whole(1, 100, "Most of them.")]
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
    memory: "Memory",
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
) -> object:
    """The entries that match best, and facets if they are asked for."""
    named = {"since": since, "until": until, "tag": tag, "status": status, "order": order}
    filters = {name: value for name, value in named.items() if value}
    filters |= {"lang": ",".join(lang)} if lang else {}

    if not noted:
        memory.workspace.is_noted = False
    find = partial(overview.browse if facets else searching.search, memory.workspace)
    answer = find(q, kinds=kind, limit=limit, offset=offset, filters=filters)
    found, counts = (answer, None) if isinstance(answer, SearchResult) else answer
    understood = members(_UNDERSTOOD, found.parsed)
    hits = [plain.hit_json(hit) for hit in found.hits]
    return members(_SEARCH, found, hits=hits, limit=limit, facets=counts, understood=understood)


@resource.operation("GET", "/api/v1/recent", _RECENT)
def recent(memory: "Memory", kind: Kinds = (), limit: Limit = 10, offset: Offset = 0) -> object:
    """The latest entries, newest first."""
    found = memory.recent(kinds=kind, limit=limit, offset=offset)
    entries = [plain.entry_json(hit.entry, hit.verdict) for hit in found.hits]
    return members(_RECENT, found, entries=entries)


def entry_of(memory: "Memory", identifier: str) -> Mapping[str, Any]:
    """An entry in full.

    Raises:
        NotFound: There is none.
    """
    found = memory.get([identifier])
    if not found.entries:
        raise NotFound(f"there is no entry {identifier!r}", remedy="Use an id that a search lists.")
    html = overview.html_of(memory.workspace, found.entries[0])
    return plain.details_json(found)[0] | {"html": html}


@resource.operation("GET", "/api/v1/entries/{id}", shape("EntryInFull", ENTRY, html=str))
def entry(memory: "Memory", id: Id) -> object:
    """An entry in full, as HTML too. Its ETag is what If-Match of an update wants."""
    return entry_of(memory, id)


class Ids(Body):
    """Ids of entries."""

    ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200, pattern=r"\w")]],
        Field(min_length=1, max_length=50, description="Ids, as a search lists them."),
    ]


@resource.operation("POST", "/api/v1/entries/batch", _BATCH)
def entries(memory: "Memory", sent: Ids) -> object:
    """Several entries in full."""
    found = memory.get(sent.ids)
    return members(_BATCH, found, entries=plain.details_json(found))


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
def history(memory: "Memory", id: Id) -> object:
    """The history of an entry: its earlier words, why they left, and what changed since."""
    found = overview.past(memory.workspace, id)
    return members(_HISTORY, found, versions=[plain.version_json(one) for one in found.versions])


@resource.operation(
    "GET", "/api/v1/timeline", shape("Timeline", anchor=ENTRY, before=ENTRIES, after=ENTRIES)
)
def timeline(
    memory: "Memory",
    anchor: Annotated[
        str,
        words("An id, or words: the best match for them.", 2_000),
    ],
    before: Annotated[int, whole(0, 50, "Earlier entries.")] = 5,
    after: Annotated[int, whole(0, 50, "Later ones.")] = 5,
) -> object:
    """Entries noted just before and after an entry, oldest first."""
    return plain.timeline_json(memory.timeline(anchor, before=before, after=after))


@resource.operation("GET", "/api/v1/around", _AROUND)
def around(
    memory: "Memory",
    anchor: Annotated[
        str,
        words('An id, or a date: "2026-03-01", "last friday".'),
    ],
    days: Annotated[int, whole(0, 3_660, "Before and after.")] = 7,
    kind: Kinds = (),
    limit: Annotated[int, whole(1, 50, "Most entries.")] = 20,
) -> object:
    """Entries of the days around an entry or a date, nearest first."""
    return members(_AROUND, memory.around(anchor, days=days, kinds=kind, limit=limit))


whole_memory = Resource("Overview")


@whole_memory.operation("GET", "/api/v1/things", model(Overview))
def things(memory: "Memory", limit: Annotated[int, whole(1, 200, "Most things.")] = 80) -> object:
    """The things that entries name most, and how they are related."""
    return overview.things(memory.workspace, limit)


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
    memory: "Memory",
    start: Annotated[
        str,
        words("Name of a thing, in any spelling."),
    ],
    depth: Annotated[int, whole(1, 3, "Relations away.")] = 1,
    predicate: Annotated[str, text("Only along this one.")] = "",
    direction: Annotated[
        Annotated[str, Among(("out", "in", "both"))],
        Query(description="From subject to object, the other way, or both."),
    ] = "both",
) -> object:
    """Relations around a thing, nearest first, and the entries that name it."""
    walk = memory.traverse(start, depth, predicate or None, direction)
    return plain.walk_json(walk) | {"problems": list(walk.problems)}


@whole_memory.operation(
    "GET",
    "/api/v1/archive",
    shape("Archive", archived=several(ARCHIVED), total=int, offset=int),
)
def archive(
    memory: "Memory",
    q: Annotated[str, text("Only what has all these words.", 2_000)] = "",
    limit: Annotated[int, whole(1, 1_000, "Most of them.")] = 50,
    offset: Offset = 0,
) -> object:
    """Entries that were forgotten, corrected or superseded, the latest first."""
    found = memory.archive(q, limit=limit, offset=offset)
    return {"archived": found.blocks, "total": found.total, "offset": offset}


_TAG = shape("Tag", name=str, entries=int, share=float, last=date | None, like=str, muted=bool)


_TAGS = shape("Tags", tags=several(_TAG), untagged=int, allowed=list[str])


@whole_memory.operation("GET", "/api/v1/tags", _TAGS)
def tags(memory: "Memory") -> object:
    """The tags there are, the most common first."""
    found = memory.scopes()
    return members(_TAGS, found, tags=[members(_TAG, one) for one in found.tags])


@whole_memory.operation("GET", "/api/v1/status", model(answers.Status))
def status(memory: "Memory") -> object:
    """Counts, dates and problems of a memory."""
    return memory.status()


@whole_memory.operation("GET", "/api/v1/health", model(Health))
def health(
    memory: "Memory", days: Annotated[int, whole(1, 3_660, "Use is counted in.")] = 30
) -> object:
    """The health of a memory: what is used, stale, wrong or there twice, and what to do."""
    return memory.health(days)
