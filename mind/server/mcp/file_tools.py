"""The toolset ``files``: read only what changed, and see why it did."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.server.mcp import entries, render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.sources.file_history import Change, FileHistory


def _read(memory: "Memory", given: Mapping[str, Any]) -> str:
    return memory.read_file(
        given["path"],
        offset=given["offset"],
        limit=given["limit"],
        whole=given["whole"],
        roots=given["roots"],
    ).text


def _file_history(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.file_history(given["path"], limit=given["limit"], offset=given["offset"])
    return history(found, memory.project.settings.reply_max_characters)


def history(found: "FileHistory", limit: int) -> str:
    """What was done to a file, a line each."""
    path = entries.short(found.path)
    problems = render.problem_lines(found.problems)
    if not found.changes:
        nothing = f"No more than {found.total}." if found.total else f"Nothing is known of {path}."
        return render.capped([nothing, *problems], limit, "run `mind doctor`")
    was = f" (was {entries.short(', '.join(found.names))})" if found.names else ""
    first, last = found.offset + 1, found.offset + len(found.changes)
    lines = [
        f"{first}-{last} of {found.total} changes to {path}{was}, newest first. {render.NOTICE}"
    ]
    lines += map(line, found.changes)
    if last < found.total:
        lines.append(f"More: offset {last}")
    return render.capped([*lines, *problems], limit, "use a smaller limit, or offset")


def line(one: "Change") -> str:
    """A change: when, what, and why."""
    day = one.day.isoformat() if one.day else "undated"
    times = f" ×{one.times}" if one.times > 1 else ""
    tool = f" ({entries.short(one.tool, 40)})" if one.tool else ""
    what = f"{one.what}{times}{tool}" if one.what == "edit" else f"{one.what} {one.id}"
    return f"- {day} · {what} · {entries.short(one.title) or 'no intent known'}"


FILES = (
    Tool(
        name="mind_read",
        title="Read",
        description="Read a text file: whole the first time in a session, later only what changed "
        "since, as hunks of a diff without context. Use it for files you read again. Set whole if "
        "you do not have what it says is unchanged (a subagent, after compaction).",
        properties={
            "path": TEXT | {"description": "From the project's folder, or absolute"},
            "offset": {"type": "integer", "default": 1, "description": "First line, from 1"},
            "limit": {"type": "integer", "default": 0, "description": "Lines; 0: all that fit"},
            "whole": {"type": "boolean", "default": False, "description": "Give it all again"},
        },
        required=("path",),
        run=_read,
        reads_only=True,
        idempotent=True,
        rooted=True,
    ),
    Tool(
        name="mind_file_history",
        title="File history",
        description="What was done to a file and why: edits with the request behind each, commits, "
        "and entries of memory that cite it; newest first, renames followed.",
        properties={
            "path": TEXT | {"description": "From the project's folder; it may be gone"},
            "limit": {"type": "integer", "default": 20, "description": "1-100"},
            "offset": {"type": "integer", "default": 0},
        },
        required=("path",),
        run=_file_history,
        reads_only=True,
        idempotent=True,
    ),
)
