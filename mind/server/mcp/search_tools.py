"""The toolsets ``search``, ``graph`` and ``files``: look at entries, relations and files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mind.server.mcp import render
from mind.server.mcp.tool import Texts, Toolset, longest

if TYPE_CHECKING:
    from mind.memory.answers import Related, Walk
    from mind.memory.memory import Memory
    from mind.sources.file_history import Change, FileHistory
    from mind.storage.index import Step

SEARCH, GRAPH, FILES = Toolset(), Toolset(), Toolset()
Types = Annotated[Texts, "Only these types"]


@SEARCH.tool(
    "Timeline",
    "What was noted just before and after an entry: the context of a search hit.",
    reads_only=True,
)
def _timeline(
    memory: "Memory",
    anchor: Annotated[str, "An id, or words: the best match for them"],
    depth_before: Annotated[int, "0-50"] = 5,
    depth_after: Annotated[int, "0-50"] = 5,
) -> str:
    found = memory.timeline(anchor, before=depth_before, after=depth_after)
    return render.timeline(found, longest(memory))


@SEARCH.tool(
    "Get",
    "Entries in full, by the ids that a search lists. Ask for several at once.",
    reads_only=True,
)
def _get(memory: "Memory", ids: Texts) -> str:
    return render.details(memory.get(ids), longest(memory))


@SEARCH.tool(
    "Recall around",
    "What was noted in the days around a date or an entry, nearest first.",
    reads_only=True,
)
def _recall_around(
    memory: "Memory",
    anchor: Annotated[str, 'An id, or a date: "2026-03-01", "last Friday"'],
    days: Annotated[int, "Before and after"] = 7,
    types: Types = (),
    limit: Annotated[int, "1-50"] = 20,
) -> str:
    found = memory.around(anchor, days=days, kinds=types, limit=limit)
    return render.around(found, longest(memory))


@SEARCH.tool("List recent", "The latest entries, newest first.", reads_only=True)
def _list_recent(
    memory: "Memory",
    types: Types = (),
    limit: Annotated[int, "1-100"] = 10,
    offset: int = 0,
) -> str:
    found = memory.recent(kinds=types, limit=limit, offset=offset)
    return render.found(found, longest(memory), expanded=0)


@GRAPH.tool(
    "Relate",
    "Record how two things (components, files, people, terms) are related. The predicate same-as "
    "makes two names one thing.",
    idempotent=True,
)
def _relate(
    memory: "Memory",
    subject: str,
    predicate: Annotated[str, "As in depends-on, uses, owns, same-as"],
    object: str,
) -> str:
    return related(memory.relate(subject, predicate, object))


@GRAPH.tool(
    "Traverse",
    "Walk recorded relations from a thing, and list entries that name it. Use to see what a change "
    "affects.",
    reads_only=True,
)
def _traverse(
    memory: "Memory",
    start: Annotated[str, "Name of a thing"],
    depth: Annotated[int, "1-3"] = 1,
    predicate: Annotated[str, "Only along this one"] = "",
    direction: Literal["out", "in", "both"] = "both",
) -> str:
    walk = memory.traverse(start, depth, predicate or None, direction)
    return walked(walk, longest(memory))


@FILES.tool(
    "Read",
    "Read a text file: whole the first time in a session, later only what changed since, as hunks "
    "of a diff without context. Use it for files you read again. Set whole if you do not have what "
    "it says is unchanged (a subagent, after compaction).",
    reads_only=True,
)
def _read(
    memory: "Memory",
    path: Annotated[str, "From the project's folder, or absolute"],
    offset: Annotated[int, "First line, from 1"] = 1,
    limit: Annotated[int, "Lines; 0: all that fit"] = 0,
    whole: Annotated[bool, "Give it all again"] = False,
    *,
    roots: Sequence[Path] = (),
) -> str:
    return memory.read_file(path, offset=offset, limit=limit, whole=whole, roots=roots).text


@FILES.tool(
    "File history",
    "What was done to a file and why: edits with the request behind each, commits, and entries of "
    "memory that cite it; newest first, renames followed.",
    reads_only=True,
)
def _file_history(
    memory: "Memory",
    path: Annotated[str, "From the project's folder; it may be gone"],
    limit: Annotated[int, "1-100"] = 20,
    offset: int = 0,
) -> str:
    return history(memory.file_history(path, limit=limit, offset=offset), longest(memory))


def related(answer: "Related") -> str:
    """A relation that was written, or stood there already."""
    done = "Known already" if answer.known else f"Recorded in {answer.file}"
    return f"{done}: {render.short(str(answer.relation))}"


def walked(answer: "Walk", limit: int) -> str:
    """Relations, nearest first, and entries that name the start."""
    start = render.short(answer.start)
    also = f" (also: {render.short(', '.join(answer.aliases))})" if answer.aliases else ""
    lines = [f"{len(answer.steps)} relations from {start}{also}. {render.NOTICE}"]
    lines += map(_step, answer.steps)
    if answer.entries:
        lines += ["", f"Entries that name {start}, newest first:"]
        lines += map(render.entry_line, answer.entries)
    if not answer.steps and not answer.entries:
        lines = [f"Nothing is known by the name {start!r}. mind_search looks for words."]
    lines += render.problem_lines(answer.problems)
    return render.capped(lines, limit, "use a smaller depth or a predicate")


def _step(step: "Step") -> str:
    one = step.edge
    relation = f"[[{one.subject}]] {one.predicate} [[{one.object}]]"
    return f"- {step.depth} · {render.short(relation)} [{render.short(one.entry.where)}]"


def history(found: "FileHistory", limit: int) -> str:
    """Return what was done to a file, a line each."""
    path = render.short(found.path)
    problems = render.problem_lines(found.problems)
    if not found.changes:
        nothing = f"No more than {found.total}." if found.total else f"Nothing is known of {path}."
        return render.capped([nothing, *problems], limit, "run `mind doctor`")
    was = f" (was {render.short(', '.join(found.names))})" if found.names else ""
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
    tool = f" ({render.short(one.tool, 40)})" if one.tool else ""
    what = f"{one.what}{times}{tool}" if one.what == "edit" else f"{one.what} {one.id}"
    return f"- {day} · {what} · {render.short(one.title) or 'no intent known'}"
