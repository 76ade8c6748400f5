"""The toolset ``core``, which is always served; `mind_update` joins it in ``curate_tools``."""

from typing import TYPE_CHECKING, Annotated, Literal

from mind.domain.entry import LOGGED
from mind.memory import wording
from mind.server.mcp.tool import Texts, Toolset, longest

if TYPE_CHECKING:
    from mind.memory.memory import Memory

CORE = Toolset()


@CORE.tool(
    "Recall",
    "Get entries that the context block omits, closest to your task first, and due "
    "reminders. Call first if the block says so; block=true if you see no block.",
    idempotent=True,
    always=True,
)
def _recall(
    memory: "Memory", task: str = "", block: bool = False, force_refresh: bool = False
) -> str:
    found = memory.recall(force=force_refresh, block=block, task=task)
    return wording.recall(found, longest(memory))


@CORE.tool(
    "Log",
    "Record one fact with its reason. "
    f"{', '.join(kind for kind in LOGGED if kind.traits.noted)} go to this "
    "session's notes and are promoted when it ends; other types go to long-term memory. Warns of "
    "earlier rejections. replaces: ids it supersedes. about=user: a claim about the user.",
    always=True,
)
def _log(
    memory: "Memory",
    message: str,
    type: Annotated[str, {"enum": ["", *LOGGED]}] = "",
    acknowledge: bool = False,
    replaces: Texts = (),
    about: Literal["", "user", "project"] = "",
    confidence: float | None = None,
    source: str = "",
    keywords: Annotated[
        Texts, "Of rejected, gotcha: 3-10 names it would come back by: packages, calls, synonyms"
    ] = (),
) -> str:  # fmt: skip
    logged = memory.log(
        message,
        type,
        acknowledge=acknowledge,
        replaces=replaces,
        about=about,
        confidence=confidence,
        source=source,
        keywords=keywords,
    )
    return wording.logged(logged, longest(memory))


@CORE.tool("Session", "List this session's notes. Use when you lose track.", reads_only=True)
def _session(memory: "Memory") -> str:
    return wording.session(memory.session(), longest(memory))


@CORE.tool(
    "Search",
    "Search memory. Lists the best matches with id, date, type, title and place. Filters go in "
    'the query: kind:decision since:"last week" until: tag: status:open project: order:newest id:',
    reads_only=True,
)
def _search(
    memory: "Memory",
    query: str,
    types: Annotated[Texts, "Only these types"] = (),
    scope: Annotated[Literal["project", "all"], "all: all projects of this user"] = "project",
    limit: Annotated[int, "1-100"] = 10,
    offset: int = 0,
    expand_top: Annotated[int, "Hits shown in full"] = 1,
) -> str:
    everywhere = scope == "all"
    found = memory.search(query, kinds=types, everywhere=everywhere, limit=limit, offset=offset)
    return wording.found(found, longest(memory), expand_top)


@CORE.tool("Status", "Show counts, dates and problems of the memory.", reads_only=True)
def _status(memory: "Memory") -> str:
    return wording.status(memory.status(), longest(memory))


@CORE.tool("Reminders", "List pending reminders with their ids.", reads_only=True)
def _reminders(memory: "Memory", all: Annotated[bool, "Include completed ones"] = False) -> str:
    return wording.reminders(memory.reminders(everything=all), longest(memory))


@CORE.tool(
    "Blocker",
    "Log a blocker and search memory for related entries. Use when stuck, or when the same thing "
    "failed twice.",
)
def _blocker(
    memory: "Memory",
    description: str,
    keywords: Annotated[Texts, "Extra search words"] = (),
) -> str:
    return wording.blocked(memory.blocker(description, keywords), longest(memory))


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
    return wording.reminder_set(memory.remind(message, when))


@CORE.tool("Reminder done", "Mark a reminder as done.")
def _reminder_done(
    memory: "Memory", id: str, dismiss: Annotated[bool, "Cancel it instead"] = False
) -> str:
    done = memory.reminder_done(id, dismiss=dismiss)
    again = "" if done.done else f" (next: {wording.short(done.when, wording.TITLE)})"
    return f"Done: {wording.short(done.text)}{again}"


@CORE.tool(
    "Edges",
    "Check what you plan to do against project gotchas, known platform gotchas and rejected "
    "approaches. Call before risky code or choosing an approach.",
    reads_only=True,
)
def _edges(
    memory: "Memory",
    intent: Annotated[str, "What you are about to do, in one sentence"],
    code: Annotated[str, "The code, if written"] = "",
    stack: Annotated[Texts, "Detected if empty"] = (),
) -> str:
    return wording.checked(memory.edges(intent, code, stack), longest(memory))


@CORE.tool(
    "Checkpoint",
    "Read everything that changed (memory files, MEMORY: comments, commits) and refresh the "
    "context block.",
    idempotent=True,
)
def _checkpoint(memory: "Memory") -> str:
    return wording.synced(memory.checkpoint(), longest(memory))


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
    stack: Annotated[Texts, "E.g. nextjs, postgres"] = (),
    pattern: Annotated[str, "Regex that matches the code"] = "",
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
    return f"Recorded for all projects: {wording.short(added.title, wording.TITLE)}."
