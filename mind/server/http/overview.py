"""Operations that tell of a memory as a whole: relations, tags, the archive, figures."""

from typing import Any

from mind.memory import overview, plain
from mind.memory.answers import Status as Standing
from mind.memory.health.report import Health
from mind.server.http import shapes
from mind.server.http.finding import ENTRIES, OFFSET
from mind.server.http.operation import Call, Operation
from mind.server.http.schema import Field, text, whole
from mind.server.http.shapes import members, nullable, ref, several
from mind.storage.index import Overview


def _archive(call: Call) -> dict[str, Any]:
    found = call.project.archive(call["q"], limit=call["limit"], offset=call["offset"])
    return {
        "archived": [plain.archived_json(one) for one in found.blocks],
        "total": found.total,
        "offset": call["offset"],
    }


def _graph(call: Call) -> dict[str, Any]:
    walk = call.project.traverse(
        call["start"], call["depth"], call.given.get("predicate") or None, call["direction"]
    )
    return plain.walk_json(walk) | {"problems": list(walk.problems)}


def _tags(call: Call) -> dict[str, Any]:
    found = call.project.scopes()
    return {
        "tags": [
            {
                "name": one.name,
                "entries": one.entries,
                "share": one.share,
                "last": one.last.isoformat() if one.last else None,
                "like": one.like,
                "muted": one.muted,
            }
            for one in found.tags
        ],
        "untagged": found.untagged,
        "allowed": list(found.allowed),
    }


_TAG = members(
    {
        "name": shapes.TEXT,
        "entries": shapes.WHOLE,
        "share": shapes.NUMBER,
        "last": nullable(shapes.DAY),
        "like": shapes.TEXT,
        "muted": shapes.TRUTH,
    }
)

OVERVIEW = (
    Operation(
        name="things",
        method="GET",
        path="/api/v1/things",
        group="Overview",
        about="The things that entries name most, and how they are related.",
        fields=(Field(name="limit", schema=whole(1, 200, default=80), about="Most things."),),
        run=lambda call: plain.plain(overview.things(call.project.workspace, call["limit"])),
        answer=lambda made: made.of(Overview),
    ),
    Operation(
        name="graph",
        method="GET",
        path="/api/v1/graph",
        group="Overview",
        about="Relations around a thing, nearest first, and the entries that name it.",
        fields=(
            Field(
                name="start",
                schema=text(200, minLength=1, pattern=r"\S"),
                about="Name of a thing, in any spelling.",
                required=True,
            ),
            Field(name="depth", schema=whole(1, 3, default=1), about="Relations away."),
            Field(name="predicate", schema=text(200), about="Only along this one."),
            Field(
                name="direction",
                schema={"type": "string", "enum": ["out", "in", "both"], "default": "both"},
                about="From subject to object, the other way, or both.",
            ),
        ),
        run=_graph,
        answer=lambda _: members(
            {
                "start": shapes.TEXT,
                "aliases": shapes.TEXTS,
                "steps": several(ref("Step")),
                "entries": ENTRIES,
                "problems": shapes.TEXTS,
            }
        ),
    ),
    Operation(
        name="archive",
        method="GET",
        path="/api/v1/archive",
        group="Overview",
        about="What was forgotten, corrected or superseded, the latest first.",
        fields=(
            Field(name="q", schema=text(2_000, default=""), about="Only what has all these words."),
            Field(name="limit", schema=whole(1, 1_000, default=50), about="Most of them."),
            OFFSET,
        ),
        run=_archive,
        answer=lambda _: members(
            {
                "archived": several(ref("Archived")),
                "total": shapes.WHOLE,
                "offset": shapes.WHOLE,
            }
        ),
    ),
    Operation(
        name="tags",
        method="GET",
        path="/api/v1/tags",
        group="Overview",
        about="The tags there are, the most common first.",
        run=_tags,
        answer=lambda _: members(
            {"tags": several(_TAG), "untagged": shapes.WHOLE, "allowed": shapes.TEXTS}
        ),
    ),
    Operation(
        name="status",
        method="GET",
        path="/api/v1/status",
        group="Overview",
        about="Counts, dates and problems of a memory.",
        run=lambda call: plain.plain(call.project.status()),
        answer=lambda made: made.of(Standing),
    ),
    Operation(
        name="health",
        method="GET",
        path="/api/v1/health",
        group="Overview",
        about="What is used, stale, wrong or there twice, and what to do about it.",
        fields=(
            Field(name="days", schema=whole(1, 3_660, default=30), about="Use is counted in."),
        ),
        run=lambda call: plain.plain(call.project.health(call["days"])),
        answer=lambda made: made.of(Health),
    ),
)
