"""The tools of the toolset ``core``, which is always there."""

from typing import TYPE_CHECKING, Annotated, Literal

from mind.server.mcp import curate_tools, render
from mind.server.mcp.tool import Texts, Toolset, longest

if TYPE_CHECKING:
    from mind.memory.memory import Memory

CORE = Toolset()


@CORE.tool(
    "Recall",
    "What the context block leaves out, nearest to current work first; due reminders. Call first "
    "if the block says so, or for the block.",
    idempotent=True,
    always=True,
)
def _recall(memory: "Memory", block: bool = False, force_refresh: bool = False) -> str:
    return render.recall(memory.recall(force=force_refresh, block=block), longest(memory))


@CORE.tool(
    "Log",
    "Remember one fact, with its reason. experience, blocker, assumption and rejected belong to "
    "this session and are promoted when it ends; the rest goes to long-term memory. A rejected "
    "approach is compared with earlier ones. replaces: ids of entries that no longer hold. "
    "about=user: a claim about the person.",
    always=True,
)
def _log(
    memory: "Memory",
    message: str,
    type: Literal[
        "experience", "blocker", "assumption", "rejected", "decision", "learning", "problem",
        "progress", "gotcha", "goal", "todo", "note",
    ] = "experience",
    acknowledge: bool = False,
    replaces: Texts = (),
    about: Literal["", "user", "project"] = "",
    confidence: float | None = None,
    source: str = "",
) -> str:  # fmt: skip
    logged = memory.log(
        message,
        type,
        acknowledge=acknowledge,
        replaces=replaces,
        about=about,
        confidence=confidence,
        source=source,
    )
    return render.logged(logged, longest(memory))


@CORE.tool(
    "Session", "What this session has noted so far. Use when you feel lost.", reads_only=True
)
def _session(memory: "Memory") -> str:
    return render.session(memory.session(), longest(memory))


@CORE.tool(
    "Search",
    "Search memory. Lists the best entries with id, date, type, title and place. Filters go in "
    'the query: kind:decision since:"last week" until: tag: status:open project: order:newest id:',
    reads_only=True,
)
def _search(
    memory: "Memory",
    query: str,
    types: Annotated[Texts, "Only these types"] = (),
    scope: Annotated[Literal["project", "all"], "all: every project of this user"] = "project",
    limit: Annotated[int, "1-100"] = 10,
    offset: int = 0,
    expand_top: Annotated[int, "Hits shown in full"] = 1,
) -> str:
    everywhere = scope == "all"
    found = memory.search(query, kinds=types, everywhere=everywhere, limit=limit, offset=offset)
    return render.found(found, longest(memory), expand_top)


@CORE.tool("Status", "Counts, dates and problems of the memory.", reads_only=True)
def _status(memory: "Memory") -> str:
    return render.status(memory.status(), longest(memory))


@CORE.tool("Reminders", "List pending reminders with their ids.", reads_only=True)
def _reminders(memory: "Memory", all: Annotated[bool, "Completed ones too"] = False) -> str:
    return render.reminders(memory.reminders(everything=all), longest(memory))


@CORE.tool(
    "Blocker",
    "Record what blocks you and search memory for it. Use when stuck, or when the same thing "
    "failed twice.",
)
def _blocker(
    memory: "Memory",
    description: str,
    keywords: Annotated[Texts, "More words to search for"] = (),
) -> str:
    return render.blocked(memory.blocker(description, keywords), longest(memory))


@CORE.tool("Remind", "Set a reminder.", idempotent=True)
def _remind(
    memory: "Memory",
    message: str,
    when: Annotated[
        str,
        '"next session", "tomorrow 9am", "in 3 days", "2026-12-20 14:30", "every monday", "when I '
        'mention auth"',
    ],
) -> str:
    return render.reminder_set(memory.remind(message, when))


@CORE.tool("Reminder done", "Tick a reminder off.")
def _reminder_done(
    memory: "Memory", id: str, dismiss: Annotated[bool, "Give it up"] = False
) -> str:
    return render.reminder_done(memory.reminder_done(id, dismiss=dismiss))


@CORE.tool(
    "Edges",
    "Check what you are about to do against this project's gotchas, known platform gotchas and "
    "rejected approaches. Call before risky code or a choice of approach.",
    reads_only=True,
)
def _edges(
    memory: "Memory",
    intent: Annotated[str, "What you are about to do, in a sentence"],
    code: Annotated[str, "The code, if written"] = "",
    stack: Annotated[Texts, "Detected if empty"] = (),
) -> str:
    return render.checked(memory.edges(intent, code, stack), longest(memory))


@CORE.tool(
    "Checkpoint",
    "Read everything that changed (memory files, MEMORY: comments, commits) and refresh the "
    "context block.",
    idempotent=True,
)
def _checkpoint(memory: "Memory") -> str:
    return render.synced(memory.checkpoint(), longest(memory))


@CORE.tool(
    "Add global edge",
    "Record a gotcha of a platform or library for all projects of this user.",
    idempotent=True,
)
def _add_global_edge(
    memory: "Memory",
    title: str,
    description: Annotated[str, "What goes wrong and why"],
    workaround: str,
    stack: Annotated[Texts, "As in nextjs, postgres"] = (),
    pattern: Annotated[str, "Regular expression on code"] = "",
    severity: Literal["low", "medium", "high", "critical"] = "medium",
) -> str:
    added = memory.add_global_edge(
        title=title,
        description=description,
        workaround=workaround,
        stack=stack,
        pattern=pattern,
        severity=severity,
    )
    return render.global_gotcha(added)


@CORE.tool(
    "Update",
    "One entry. correct: text is its new words. forget: text is why; restore undoes it. verify: it "
    "holds. confirm, drop: a pending claim, after asking the user. applied, ignored, contradicted, "
    "corrected: what became of what you read.",
)
def _update(
    memory: "Memory",
    id: str,
    action: Literal[
        "correct", "forget", "restore", "verify", "confirm", "drop", "applied", "ignored",
        "contradicted", "corrected",
    ] = "correct",
    text: str = "",
    replaced_by: str = "",
    acknowledge: bool = False,
) -> str:  # fmt: skip
    match action:
        case "correct":
            return curate_tools.corrected(memory.update(id, text, acknowledge=acknowledge))
        case "forget":
            done = memory.forget(id, text, replaced_by=replaced_by, acknowledge=acknowledge)
            return curate_tools.forgotten(done, "mind_update with action=restore")
        case "restore":
            return curate_tools.restored(memory.restore(id))
        case "verify":
            return curate_tools.verified(memory.verify(id, text))
        case "confirm" | "drop":
            answer = memory.confirm(id, accept=action == "confirm")
            return curate_tools.confirmed(answer, longest(memory))
        case _:
            return curate_tools.used(memory.record_use([id], action, text))
