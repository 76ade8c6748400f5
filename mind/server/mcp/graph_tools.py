"""The toolset ``graph``: relate things, and walk their relations."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.server.mcp import entries, render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.memory.answers import Related, Walk
    from mind.memory.memory import Memory
    from mind.storage.index import Step


def _relate(memory: "Memory", given: Mapping[str, Any]) -> str:
    return related(memory.relate(given["subject"], given["predicate"], given["object"]))


def _traverse(memory: "Memory", given: Mapping[str, Any]) -> str:
    walk = memory.traverse(
        given["start"], given["depth"], given["predicate"] or None, given["direction"]
    )
    return walked(walk, memory.project.settings.reply_max_characters)


def related(answer: "Related") -> str:
    """A relation that was written, or stood there already."""
    done = "Known already" if answer.known else f"Recorded in {answer.file}"
    return f"{done}: {entries.short(str(answer.relation))}"


def walked(answer: "Walk", limit: int) -> str:
    """Relations, nearest first, and entries that name the start."""
    start = entries.short(answer.start)
    also = f" (also: {entries.short(', '.join(answer.aliases))})" if answer.aliases else ""
    lines = [f"{len(answer.steps)} relations from {start}{also}. {render.NOTICE}"]
    lines += map(_step, answer.steps)
    if answer.entries:
        lines += ["", f"Entries that name {start}, newest first:"]
        lines += map(entries.line, answer.entries)
    if not answer.steps and not answer.entries:
        lines = [f"Nothing is known by the name {start!r}. mind_search looks for words."]
    lines += render.problem_lines(answer.problems)
    return render.capped(lines, limit, "use a smaller depth or a predicate")


def _step(step: "Step") -> str:
    one = step.edge
    relation = f"[[{one.subject}]] {one.predicate} [[{one.object}]]"
    return f"- {step.depth} · {entries.short(relation)} [{entries.short(one.entry.where)}]"


GRAPH = (
    Tool(
        name="mind_relate",
        title="Relate",
        description="Record how two things (components, files, people, terms) are related. The "
        "predicate same-as makes two names one thing.",
        properties={
            "subject": TEXT,
            "predicate": TEXT | {"description": "As in depends-on, uses, owns, same-as"},
            "object": TEXT,
        },
        required=("subject", "predicate", "object"),
        run=_relate,
        idempotent=True,
    ),
    Tool(
        name="mind_traverse",
        title="Traverse",
        description="Walk recorded relations from a thing, and list entries that name it. Use to "
        "see what a change affects.",
        properties={
            "start": TEXT | {"description": "Name of a thing"},
            "depth": {"type": "integer", "default": 1, "description": "1-3"},
            "predicate": TEXT | {"default": "", "description": "Only along this one"},
            "direction": {"type": "string", "enum": ["out", "in", "both"], "default": "both"},
        },
        required=("start",),
        run=_traverse,
        reads_only=True,
        idempotent=True,
    ),
)
