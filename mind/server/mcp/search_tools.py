"""The tools of the toolset ``search``: what happened around a hit, and all that is known of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.server.mcp import render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.memory.memory import Memory

_TEXTS = {"type": "array", "items": {"type": "string"}}
_TYPES = _TEXTS | {"default": [], "description": "Only these types"}


def _limit(memory: "Memory") -> int:
    return memory.project.settings.reply_max_characters


def _timeline(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.timeline(
        given["anchor"], before=given["depth_before"], after=given["depth_after"]
    )
    return render.timeline(found, _limit(memory))


def _get(memory: "Memory", given: Mapping[str, Any]) -> str:
    return render.details(memory.get(given["ids"]), _limit(memory))


def _around(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.around(
        given["anchor"], days=given["days"], kinds=given["types"], limit=given["limit"]
    )
    return render.around(found, _limit(memory))


def _recent(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.recent(kinds=given["types"], limit=given["limit"], offset=given["offset"])
    return render.found(found, _limit(memory), expanded=0)


SEARCH = (
    Tool(
        name="mind_timeline",
        title="Timeline",
        description="What was noted just before and after an entry: the context of a search hit.",
        properties={
            "anchor": TEXT | {"description": "An id, or words: the best match for them"},
            "depth_before": {"type": "integer", "default": 5, "description": "0-50"},
            "depth_after": {"type": "integer", "default": 5, "description": "0-50"},
        },
        required=("anchor",),
        run=_timeline,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_get",
        title="Get",
        description="Entries in full, by the ids that a search lists. Ask for several at once.",
        properties={"ids": _TEXTS},
        required=("ids",),
        run=_get,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_recall_around",
        title="Recall around",
        description="What was noted in the days around a date or an entry, nearest first.",
        properties={
            "anchor": TEXT | {"description": 'An id, or a date: "2026-03-01", "last Friday"'},
            "days": {"type": "integer", "default": 7, "description": "Before and after"},
            "types": _TYPES,
            "limit": {"type": "integer", "default": 20, "description": "1-50"},
        },
        required=("anchor",),
        run=_around,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_list_recent",
        title="List recent",
        description="The latest entries, newest first.",
        properties={
            "types": _TYPES,
            "limit": {"type": "integer", "default": 10, "description": "1-100"},
            "offset": {"type": "integer", "default": 0},
        },
        run=_recent,
        reads_only=True,
        idempotent=True,
    ),
)
