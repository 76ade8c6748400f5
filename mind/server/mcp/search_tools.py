"""The toolsets ``search``, ``graph`` and ``files``: browse entries, relations and files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mind.domain.entry import counted
from mind.memory import wording
from mind.server.mcp.tool import Texts, Toolset, longest
from mind.storage.index import GraphStep

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.sources.file_history import FileChange, FileHistory
SEARCH, GRAPH, FILES = Toolset(), Toolset(), Toolset()
Types = Annotated[Texts, "Only these types"]


@SEARCH.tool(
    "Timeline",
    "List the entries recorded just before and after an entry, for example a search hit.",
    reads_only=True,
)
def _timeline(
    memory: "Memory",
    anchor: Annotated[str, "An id, or a query whose best match is used"],
    depth_before: Annotated[int, "0-50"] = 5,
    depth_after: Annotated[int, "0-50"] = 5,
) -> str:
    found = memory.timeline(anchor, before=depth_before, after=depth_after)
    return wording.timeline(found, longest(memory))


@SEARCH.tool(
    "Get",
    "Show entries in full, by the ids that a search lists. Ask for several at once.",
    reads_only=True,
)
def _get(memory: "Memory", ids: Texts) -> str:
    return wording.details(memory.get(ids), longest(memory))


@SEARCH.tool(
    "Recall around",
    "List the entries recorded in the days around a date or an entry, closest first.",
    reads_only=True,
)
def _recall_around(
    memory: "Memory",
    anchor: Annotated[str, 'An id, or a date: "2026-03-01", "last Friday"'],
    days: Annotated[int, "Days before and after"] = 7,
    types: Types = (),
    limit: Annotated[int, "1-50"] = 20,
) -> str:
    found = memory.around(anchor, days=days, kinds=types, limit=limit)
    return wording.around(found, longest(memory))


@SEARCH.tool("List recent", "List the latest entries, newest first.", reads_only=True)
def _list_recent(
    memory: "Memory",
    types: Types = (),
    limit: Annotated[int, "1-100"] = 10,
    offset: int = 0,
) -> str:
    found = memory.recent(kinds=types, limit=limit, offset=offset)
    return wording.found(found, longest(memory), expanded=0)


@GRAPH.tool(
    "Relate",
    "Record a relation between two things (components, files, people, terms). The predicate "
    "same-as makes two names stand for the same thing.",
    idempotent=True,
)
def _relate(
    memory: "Memory",
    subject: str,
    predicate: Annotated[str, "For example depends-on, uses, owns, same-as"],
    object: str,
) -> str:
    return wording.related(memory.relate(subject, predicate, object))


@GRAPH.tool(
    "Traverse",
    "Follow recorded relations from a thing, and list entries that name it. Use it to see what a "
    "change affects.",
    reads_only=True,
)
def _traverse(
    memory: "Memory",
    start: Annotated[str, "Name of a thing"],
    depth: Annotated[int, "1-3"] = 1,
    predicate: Annotated[str, "Follow only this predicate"] = "",
    direction: Literal["out", "in", "both"] = "both",
) -> str:
    walk = memory.traverse(start, depth, predicate or None, direction)
    start = wording.short(walk.start)
    also = f" (also: {wording.short(', '.join(walk.aliases))})" if walk.aliases else ""
    lines = [f"{counted(len(walk.steps), 'relation')} from {start}{also}. {wording.NOTICE}"]
    lines += map(_step, walk.steps)
    if walk.entries:
        lines += ["", f"Entries that name {start}, newest first:"]
        lines += map(wording.entry_line, walk.entries)
    if not walk.steps and not walk.entries:
        lines = [f"No relation or entry names {start!r}. Use mind_search to search by words."]
    lines += wording.problem_lines(walk.problems)
    return wording.capped(lines, longest(memory), "use a smaller depth or a predicate")


@FILES.tool(
    "Read",
    "Read a text file: in full the first time in a session, later only the changes since, as diff "
    "hunks without context lines. Use it for files you read repeatedly. Set whole=true if you no "
    "longer have the unchanged parts (in a subagent, or after compaction).",
    reads_only=True,
)
def _read(
    memory: "Memory",
    path: Annotated[str, "Absolute, or relative to the project"],
    offset: Annotated[int, "First line, counted from 1"] = 1,
    limit: Annotated[int, "Number of lines; 0: as many as fit"] = 0,
    whole: Annotated[bool, "Return the full file again"] = False,
    *,
    roots: Sequence[Path] = (),
) -> str:
    return memory.read_file(path, offset=offset, limit=limit, whole=whole, roots=roots).text


@FILES.tool(
    "File history",
    "List what was done to a file and why: edits with the request behind each, commits, and memory "
    "entries that cite it. Newest first; follows renames.",
    reads_only=True,
)
def _file_history(
    memory: "Memory",
    path: Annotated[str, "Relative to the project; the file may be deleted"],
    limit: Annotated[int, "1-100"] = 20,
    offset: int = 0,
) -> str:
    return history(memory.file_history(path, limit=limit, offset=offset), longest(memory))


def _step(step: GraphStep) -> str:
    one = step.edge
    relation = f"[[{one.subject}]] {one.predicate} [[{one.object}]]"
    return f"- {step.depth} · {wording.short(relation)} [{wording.short(one.entry.where)}]"


def history(found: "FileHistory", limit: int) -> str:
    """Render the changes to a file, one per line."""
    path = wording.short(found.path)
    problems = wording.problem_lines(found.problems)
    if not found.changes:
        none = f"No recorded changes to {path}."
        nothing = f"There are only {found.total} changes." if found.total else none
        return wording.capped([nothing, *problems], limit, "run `mind doctor`")
    was = f" (was {wording.short(', '.join(found.names))})" if found.names else ""
    first, last = found.offset + 1, found.offset + len(found.changes)
    lines = [
        f"{first}-{last} of {found.total} changes to {path}{was}, newest first. {wording.NOTICE}"
    ]
    lines += map(line, found.changes)
    if last < found.total:
        lines.append(f"For more, set offset to {last}")
    return wording.capped([*lines, *problems], limit, "use a smaller limit, or offset")


def line(one: "FileChange") -> str:
    """Render a change: date, action and reason."""
    day = one.day.isoformat() if one.day else "undated"
    times = f" ×{one.times}" if one.times > 1 else ""
    tool = f" ({wording.short(one.tool, 40)})" if one.tool else ""
    what = f"{one.what}{times}{tool}" if one.what == "edit" else f"{one.what} {one.id}"
    return f"- {day} · {what} · {wording.short(one.title) or 'no reason recorded'}"
