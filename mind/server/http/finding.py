"""Operations that read a memory."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from mind.documents.reminders import Reminder
from mind.domain.entry import Kind, Status
from mind.domain.errors import NotFound
from mind.memory import overview, plain, search
from mind.memory.overview import Facets, Past
from mind.search.query import ORDERS
from mind.search.results import Found
from mind.server.http import shapes
from mind.server.http.operation import Call, Operation
from mind.server.http.schema import Field, Schema, text, texts, whole
from mind.server.http.shapes import Shapes, members, nullable, ref, several
from mind.text.language import LANGUAGES

KINDS: Schema = {"type": "string", "enum": [kind.value for kind in Kind]}
ID = Field(
    name="id",
    schema=text(200, minLength=1, pattern=r"^[^/?#]+$"),
    about="Id of an entry, as a search lists it.",
    place="path",
    required=True,
)
_KIND = Field(name="kind", schema=texts(KINDS, 20, default=[]), about="Only these; repeatable.")
_LIMIT = whole(1, 100, default=10)
OFFSET = Field(
    name="offset",
    schema=whole(0, 1_000_000, default=0),
    about="How many of the first to leave out.",
)
_WHEN = 'A date or a period: "2026-03-01", "last week", a release such as "v1.2".'


def _search(call: Call) -> dict[str, Any]:
    named = ("since", "until", "tag", "status", "order")
    given = {name: call[name] for name in named if call.given.get(name)}
    if not call["noted"]:
        call.project.workspace.is_noted = False
    spoken = {"lang": ",".join(call["lang"])} if call["lang"] else {}
    at = call.project.workspace
    find = partial(overview.browse if call["facets"] else search.search, at)
    answer = find(
        call["q"],
        kinds=call["kind"],
        limit=call["limit"],
        offset=call["offset"],
        filters=given | spoken,
    )
    found, facets = (answer, None) if isinstance(answer, Found) else answer
    asked = found.asked
    return {
        "query": found.query,
        "hits": [plain.hit_json(hit) for hit in found.hits],
        "total": found.total,
        "offset": found.offset,
        "limit": call["limit"],
        "facets": plain.plain(facets),
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


def _search_shape(made: Shapes) -> shapes.Json:
    filters = {"type": "object", "additionalProperties": shapes.TEXT}
    understood = members(
        {"text": shapes.TEXT, "filters": filters, "order": shapes.TEXT, "ignored": shapes.TEXTS}
    )
    return members(
        {
            "query": shapes.TEXT,
            "hits": several(ref("Hit")),
            "total": shapes.WHOLE,
            "offset": shapes.WHOLE,
            "limit": shapes.WHOLE,
            "facets": nullable(made.of(Facets)),
            "understood": understood,
            "lexical_only": shapes.TEXT,
            "candidates": shapes.COUNTS,
            "reminders": several(made.of(Reminder)),
            "problems": shapes.TEXTS,
        }
    )


def _recent(call: Call) -> dict[str, Any]:
    found = call.project.recent(kinds=call["kind"], limit=call["limit"], offset=call["offset"])
    return {
        "entries": [plain.entry_json(hit.entry, hit.stale) for hit in found.hits],
        "total": found.total,
        "offset": found.offset,
        "problems": list(found.problems),
    }


def entry_of(call: Call) -> Mapping[str, Any]:
    """The entry that a call names.

    Raises:
        NotFound: There is none.
    """
    found = plain.details_json(call.project.get([call["id"]]))
    if not found:
        raise NotFound(f"there is no entry {call['id']!r}", remedy="Use an id that a search lists.")
    return found[0]


def _batch(call: Call) -> dict[str, Any]:
    found = call.project.get(call["ids"])
    return {
        "entries": plain.details_json(found),
        "missing": list(found.missing),
        "edited": found.edited,
    }


def _timeline(call: Call) -> dict[str, Any]:
    return plain.timeline_json(
        call.project.timeline(call["anchor"], before=call["before"], after=call["after"])
    )


def _around(call: Call) -> dict[str, Any]:
    found = call.project.around(
        call["anchor"], days=call["days"], kinds=call["kind"], limit=call["limit"]
    )
    return {
        "day": found.day.isoformat(),
        "days": found.days,
        "entries": [plain.entry_json(one) for one in found.entries],
        "total": found.total,
    }


def _history(call: Call) -> dict[str, Any]:
    found: Past = overview.past(call.project.workspace, call["id"])
    return {
        "entry": plain.entry_json(found.entry) if found.entry else None,
        "earlier": [plain.archived_json(one) for one in found.earlier],
        "versions": [plain.version_json(one) for one in found.versions],
        "commits": list(found.commits),
    }


_VERSION = members(
    {
        "what": shapes.TEXT,
        "commit": {
            "anyOf": [
                members(
                    {
                        "id": shapes.TEXT,
                        "author": shapes.TEXT,
                        "email": shapes.TEXT,
                        "at": {"type": "string", "format": "date-time"},
                        "subject": shapes.TEXT,
                    }
                ),
                {"type": "null"},
            ]
        },
        "text": shapes.TEXT,
        "reason": shapes.TEXT,
    }
)
ENTRIES = several(ref("Entry"))

FINDING = (
    Operation(
        name="search",
        method="GET",
        path="/api/v1/search",
        group="Finding",
        about="The entries that match best, and facets if they are asked for.",
        fields=(
            Field(
                name="q",
                schema=text(2_000, minLength=1, pattern=r"\S"),
                about="Words in any order; filters may stand among them: kind:decision tag:db.",
                required=True,
            ),
            _KIND,
            Field(name="since", schema=text(200), about=_WHEN),
            Field(name="until", schema=text(200), about=_WHEN),
            Field(name="tag", schema=text(200), about="Only with this tag, without its hash."),
            Field(
                name="status",
                schema={"type": "string", "enum": [one.value for one in Status]},
                about="Only these.",
            ),
            Field(
                name="lang",
                schema=texts({"type": "string", "enum": sorted(LANGUAGES)}, 20, default=[]),
                about="Only in these languages; repeatable.",
            ),
            Field(name="order", schema={"type": "string", "enum": list(ORDERS)}, about="How."),
            Field(
                name="facets",
                schema={"type": "boolean", "default": False},
                about="Count what matches by kind, tag, year and so on; it takes longer.",
            ),
            Field(name="limit", schema=_LIMIT, about="Most hits."),
            OFFSET,
            Field(
                name="noted",
                schema={"type": "boolean", "default": True},
                about="Write it into the usage log; false for searches with each letter typed.",
            ),
        ),
        run=_search,
        answer=_search_shape,
    ),
    Operation(
        name="recent",
        method="GET",
        path="/api/v1/recent",
        group="Finding",
        about="The latest entries, newest first.",
        fields=(_KIND, Field(name="limit", schema=_LIMIT, about="Most entries."), OFFSET),
        run=_recent,
        answer=lambda _: members(
            {
                "entries": ENTRIES,
                "total": shapes.WHOLE,
                "offset": shapes.WHOLE,
                "problems": shapes.TEXTS,
            }
        ),
    ),
    Operation(
        name="entry",
        method="GET",
        path="/api/v1/entries/{id}",
        group="Finding",
        about="An entry in full. Its ETag is what If-Match of an update wants.",
        fields=(ID,),
        run=entry_of,
        answer=lambda _: ref("Entry"),
        refusals=(404,),
    ),
    Operation(
        name="entries",
        method="POST",
        path="/api/v1/entries/batch",
        group="Finding",
        about="Several entries in full.",
        fields=(
            Field(
                name="ids",
                schema=texts(text(200, minLength=1, pattern=r"\w"), 50, minItems=1),
                about="Ids, as a search lists them.",
                place="body",
                required=True,
            ),
        ),
        run=_batch,
        answer=lambda _: members(
            {
                "entries": ENTRIES,
                "missing": shapes.TEXTS,
                "edited": {"type": "object", "additionalProperties": shapes.TEXT},
            }
        ),
    ),
    Operation(
        name="history",
        method="GET",
        path="/api/v1/entries/{id}/history",
        group="Finding",
        about="What became of an entry: its earlier words, why they left, and what changed since.",
        fields=(ID,),
        run=_history,
        answer=lambda _: members(
            {
                "entry": nullable(ref("Entry")),
                "earlier": several(ref("Archived")),
                "versions": several(_VERSION),
                "commits": shapes.TEXTS,
            }
        ),
        refusals=(404,),
    ),
    Operation(
        name="timeline",
        method="GET",
        path="/api/v1/timeline",
        group="Finding",
        about="What was noted just before and after an entry, oldest first.",
        fields=(
            Field(
                name="anchor",
                schema=text(2_000, minLength=1, pattern=r"\S"),
                about="An id, or words: the best match for them.",
                required=True,
            ),
            Field(name="before", schema=whole(0, 50, default=5), about="Earlier entries."),
            Field(name="after", schema=whole(0, 50, default=5), about="Later ones."),
        ),
        run=_timeline,
        answer=lambda _: members({"anchor": ref("Entry"), "before": ENTRIES, "after": ENTRIES}),
        refusals=(404,),
    ),
    Operation(
        name="around",
        method="GET",
        path="/api/v1/around",
        group="Finding",
        about="Entries of the days around an entry or a date, nearest first.",
        fields=(
            Field(
                name="anchor",
                schema=text(200, minLength=1, pattern=r"\S"),
                about='An id, or a date: "2026-03-01", "last friday".',
                required=True,
            ),
            Field(name="days", schema=whole(0, 3_660, default=7), about="Before and after."),
            _KIND,
            Field(name="limit", schema=whole(1, 50, default=20), about="Most entries."),
        ),
        run=_around,
        answer=lambda _: members(
            {
                "day": shapes.DAY,
                "days": shapes.WHOLE,
                "entries": ENTRIES,
                "total": shapes.WHOLE,
            }
        ),
        refusals=(404,),
    ),
)
