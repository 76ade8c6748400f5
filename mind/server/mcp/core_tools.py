"""The tools of the toolset ``core``, which is always there."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.server.mcp import curate_tools, render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.memory.memory import Memory

_LOGGED = (
    "experience", "blocker", "assumption", "rejected", "decision", "learning", "problem",
    "progress", "gotcha", "goal", "todo", "note",
)  # fmt: skip
_TEXTS = {"type": "array", "items": {"type": "string"}}


def _recall(memory: "Memory", given: Mapping[str, Any]) -> str:
    answer = memory.recall(force=given["force_refresh"], block=given["block"])
    return render.recall(answer, _limit(memory))


def _log(memory: "Memory", given: Mapping[str, Any]) -> str:
    logged = memory.log(
        given["message"],
        given["type"],
        acknowledge=given["acknowledge"],
        replaces=given["replaces"],
        about=given["about"],
        confidence=given.get("confidence"),
        source=given["source"],
    )
    return render.logged(logged, _limit(memory))


def _search(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.search(
        given["query"],
        kinds=given["types"],
        everywhere=given["scope"] == "all",
        limit=given["limit"],
        offset=given["offset"],
    )
    return render.found(found, _limit(memory), given["expand_top"])


def _blocker(memory: "Memory", given: Mapping[str, Any]) -> str:
    answer = memory.blocker(given["description"], given["keywords"])
    return render.blocked(answer, _limit(memory))


def _edges(memory: "Memory", given: Mapping[str, Any]) -> str:
    checked = memory.edges(given["intent"], given["code"], given["stack"])
    return render.checked(checked, _limit(memory))


def _add_global_edge(memory: "Memory", given: Mapping[str, Any]) -> str:
    return render.global_gotcha(memory.add_global_edge(**given))


def _limit(memory: "Memory") -> int:
    return memory.project.settings.reply_max_characters


def _update(memory: "Memory", given: Mapping[str, Any]) -> str:
    identifier, text, action = given["id"], given["text"], given["action"]
    acknowledge = {"acknowledge": given["acknowledge"]}
    match action:
        case "correct":
            return curate_tools.corrected(memory.update(identifier, text, **acknowledge))
        case "forget":
            by = given["replaced_by"]
            done = memory.forget(identifier, text, replaced_by=by, **acknowledge)
            return curate_tools.forgotten(done, "mind_update with action=restore")
        case "restore":
            return curate_tools.restored(memory.restore(identifier))
        case "verify":
            return curate_tools.verified(memory.verify(identifier, text))
        case "confirm" | "drop":
            answer = memory.confirm(identifier, accept=action == "confirm")
            return curate_tools.confirmed(answer, _limit(memory))
        case _:
            return curate_tools.used(memory.record_use([identifier], action, text))


_ACTIONS = ("correct", "forget", "restore", "verify", "confirm", "drop", "applied", "ignored",
            "contradicted", "corrected")  # fmt: skip

CORE = (
    Tool(
        name="mind_recall",
        title="Recall",
        description="What the context block leaves out, nearest to current work first; due "
        "reminders. Call first if the block says so, or for the block.",
        properties={
            "block": {"type": "boolean", "default": False},
            "force_refresh": {"type": "boolean", "default": False},
        },
        run=_recall,
        idempotent=True,
        always=True,
    ),
    Tool(
        name="mind_log",
        title="Log",
        description="Remember one fact, with its reason. experience, blocker, assumption and "
        "rejected belong to this session and are promoted when it ends; the rest goes to "
        "long-term memory. A rejected approach is compared with earlier ones. replaces: ids of "
        "entries that no longer hold. about=user: a claim about the person.",
        properties={
            "message": TEXT,
            "type": {"type": "string", "enum": list(_LOGGED), "default": "experience"},
            "acknowledge": {"type": "boolean", "default": False},
            "replaces": _TEXTS | {"default": []},
            "about": TEXT | {"enum": ["", "user", "project"], "default": ""},
            "confidence": {"type": "number"},
            "source": TEXT | {"default": ""},
        },
        required=("message",),
        run=_log,
        always=True,
    ),
    Tool(
        name="mind_session",
        title="Session",
        description="What this session has noted so far. Use when you feel lost.",
        properties={},
        run=lambda memory, _: render.session(memory.session(), _limit(memory)),
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_search",
        title="Search",
        description="Search memory. Lists the best entries with id, date, type, title and place. "
        'Filters go in the query: kind:decision since:"last week" until: tag: status:open project: '
        "order:newest id:",
        properties={
            "query": TEXT,
            "types": _TEXTS | {"default": [], "description": "Only these types"},
            "scope": {
                "type": "string",
                "enum": ["project", "all"],
                "default": "project",
                "description": "all: every project of this user",
            },
            "limit": {"type": "integer", "default": 10, "description": "1-100"},
            "offset": {"type": "integer", "default": 0},
            "expand_top": {"type": "integer", "default": 1, "description": "Hits shown in full"},
        },
        required=("query",),
        run=_search,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_status",
        title="Status",
        description="Counts, dates and problems of the memory.",
        properties={},
        run=lambda memory, _: render.status(memory.status(), _limit(memory)),
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_reminders",
        title="Reminders",
        description="List pending reminders with their ids.",
        properties={
            "all": {"type": "boolean", "default": False, "description": "Completed ones too"}
        },
        run=lambda memory, given: render.reminders(
            memory.reminders(everything=given["all"]), _limit(memory)
        ),
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_blocker",
        title="Blocker",
        description="Record what blocks you and search memory for it. Use when stuck, or when the "
        "same thing failed twice.",
        properties={
            "description": TEXT,
            "keywords": _TEXTS | {"default": [], "description": "More words to search for"},
        },
        required=("description",),
        run=_blocker,
    ),
    Tool(
        name="mind_remind",
        title="Remind",
        description="Set a reminder.",
        properties={
            "message": TEXT,
            "when": {
                "type": "string",
                "description": '"next session", "tomorrow 9am", "in 3 days", '
                '"2026-12-20 14:30", "every monday", "when I mention auth"',
            },
        },
        required=("message", "when"),
        run=lambda memory, given: render.reminder_set(
            memory.remind(given["message"], given["when"])
        ),
        idempotent=True,
    ),
    Tool(
        name="mind_reminder_done",
        title="Reminder done",
        description="Tick a reminder off.",
        properties={
            "id": TEXT,
            "dismiss": {"type": "boolean", "default": False, "description": "Give it up"},
        },
        required=("id",),
        run=lambda memory, given: render.reminder_done(
            memory.reminder_done(given["id"], dismiss=given["dismiss"])
        ),
    ),
    Tool(
        name="mind_edges",
        title="Edges",
        description="Check what you are about to do against this project's gotchas, known platform "
        "gotchas and rejected approaches. Call before risky code or a choice of approach.",
        properties={
            "intent": TEXT | {"description": "What you are about to do, in a sentence"},
            "code": TEXT | {"default": "", "description": "The code, if written"},
            "stack": _TEXTS | {"default": [], "description": "Detected if empty"},
        },
        required=("intent",),
        run=_edges,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_checkpoint",
        title="Checkpoint",
        description="Read everything that changed (memory files, MEMORY: comments, commits) and "
        "refresh the context block.",
        properties={},
        run=lambda memory, _: render.synced(memory.checkpoint(), _limit(memory)),
        idempotent=True,
    ),
    Tool(
        name="mind_add_global_edge",
        title="Add global edge",
        description="Record a gotcha of a platform or library for all projects of this user.",
        properties={
            "title": TEXT,
            "description": TEXT | {"description": "What goes wrong and why"},
            "workaround": TEXT,
            "stack": _TEXTS | {"default": [], "description": "As in nextjs, postgres"},
            "pattern": TEXT | {"default": "", "description": "Regular expression on code"},
            "severity": {
                "type": "string",
                "enum": ["low", "medium", "high", "critical"],
                "default": "medium",
            },
        },
        required=("title", "description", "workaround"),
        run=_add_global_edge,
        idempotent=True,
    ),
    Tool(
        name="mind_update",
        title="Update",
        description="One entry. correct: text is its new words. forget: text is why; restore "
        "undoes it. verify: it holds. confirm, drop: a pending claim, after asking the user. "
        "applied, ignored, contradicted, corrected: what became of what you read.",
        properties={
            "id": TEXT,
            "action": TEXT | {"enum": list(_ACTIONS), "default": "correct"},
            "text": TEXT | {"default": ""},
            "replaced_by": TEXT | {"default": ""},
            "acknowledge": {"type": "boolean", "default": False},
        },
        required=("id",),
        run=_update,
    ),
)
