"""A memory as a whole: things, relations, tags, the archive, figures."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from fastapi.responses import Response

from mind.memory import answers, overview, plain
from mind.memory.health.report import Health
from mind.server.http.routing import (
    ARCHIVED,
    ENTRIES,
    STEP,
    Among,
    At,
    Offset,
    Resource,
    model,
    several,
    shape,
    text,
    whole,
    words,
)
from mind.storage.index import Overview

if TYPE_CHECKING:
    from mind.memory.memory import Memory

resource = Resource("Overview")


@resource.operation("GET", "/api/v1/things", model(Overview))
async def things(at: At, limit: Annotated[int, whole(1, 200, "Most things.")] = 80) -> Response:
    """The things that entries name most, and how they are related."""
    return await at(lambda memory: plain.plain(overview.things(memory.workspace, limit)))


@resource.operation(
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
async def graph(
    at: At,
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
) -> Response:
    """Relations around a thing, nearest first, and the entries that name it."""

    def walked(memory: "Memory") -> object:
        walk = memory.traverse(start, depth, predicate or None, direction)
        return plain.walk_json(walk) | {"problems": list(walk.problems)}

    return await at(walked)


@resource.operation(
    "GET",
    "/api/v1/archive",
    shape("Archive", archived=several(ARCHIVED), total=int, offset=int),
)
async def archive(
    at: At,
    q: Annotated[str, text("Only what has all these words.", 2_000)] = "",
    limit: Annotated[int, whole(1, 1_000, "Most of them.")] = 50,
    offset: Offset = 0,
) -> Response:
    """What was forgotten, corrected or superseded, the latest first."""

    def kept(memory: "Memory") -> object:
        found = memory.archive(q, limit=limit, offset=offset)
        archived = [plain.archived_json(one) for one in found.blocks]
        return {"archived": archived, "total": found.total, "offset": offset}

    return await at(kept)


_TAG = shape("Tag", name=str, entries=int, share=float, last=date | None, like=str, muted=bool)


@resource.operation(
    "GET",
    "/api/v1/tags",
    shape("Tags", tags=several(_TAG), untagged=int, allowed=list[str]),
)
async def tags(at: At) -> Response:
    """The tags there are, the most common first."""
    shown = ("name", "entries", "share", "last", "like", "muted")

    def listed(memory: "Memory") -> object:
        found = memory.scopes()
        return {
            "tags": [
                {name: plain.plain(getattr(one, name)) for name in shown} for one in found.tags
            ],
            "untagged": found.untagged,
            "allowed": list(found.allowed),
        }

    return await at(listed)


@resource.operation("GET", "/api/v1/status", model(answers.Status))
async def status(at: At) -> Response:
    """Counts, dates and problems of a memory."""
    return await at(lambda memory: plain.plain(memory.status()))


@resource.operation("GET", "/api/v1/health", model(Health))
async def health(
    at: At, days: Annotated[int, whole(1, 3_660, "Use is counted in.")] = 30
) -> Response:
    """What is used, stale, wrong or there twice, and what to do about it."""
    return await at(lambda memory: plain.plain(memory.health(days)))
