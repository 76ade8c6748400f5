"""The toolset ``curate``: keep a memory true."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.server.mcp import entries, render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.answers import Archive, Curated, Used
    from mind.memory.memory import Memory
    from mind.memory.tidy import Plan, Step

_ID = TEXT | {"description": "Id of an entry"}
_ACKNOWLEDGE = {"type": "boolean", "default": False}
_TITLE = 160


def verified(done: "Curated") -> str:
    """An entry that was checked."""
    return f"Verified {entries.line(done.entry)[2:]}"


def corrected(done: "Curated") -> str:
    """The entry with its new words, or who is to say yes to them."""
    if done.pending:
        return render.pending(done.pending)
    return f"Corrected {entries.line(done.entry)[2:]}\nThe old words are in the archive."


def _forget(memory: "Memory", given: Mapping[str, Any]) -> str:
    done = memory.forget(
        given["id"],
        given["reason"],
        replaced_by=given["replaced_by"],
        acknowledge=given["acknowledge"],
    )
    return forgotten(done, "mind_restore")


def forgotten(done: "Curated", undo: str) -> str:
    """An entry that went to the archive, and the call that puts it back."""
    back = (
        f"{undo} puts all of it back, by any of these ids."
        if done.along
        else f"{undo} puts it back."
    )
    over = render.overridden(done.protected)
    return f"Archived {entries.line(done.entry)[2:]}{_along(done)}{over}\n{back}"


def _along(done: "Curated") -> str:
    """What stood within an entry and went where that went."""
    if not done.along:
        return ""
    within = "\n".join(f"  {entries.line(one)}" for one in done.along)
    return f"\nWith it, what stood within it:\n{within}"


def restored(done: "Curated") -> str:
    """An entry that was put back."""
    return f"Restored {entries.line(done.entry)[2:]}{_along(done)}{_was(done)}"


def _was(done: "Curated") -> str:
    was = done.archived
    if was is None:
        return ""
    return f"\nIt had been archived on {was.day.isoformat()}: {entries.short(was.reason)}"


def _archive(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.archive(given["query"], limit=given["limit"], offset=given["offset"])
    return archived(found, memory.project.settings.reply_max_characters)


def archived(found: "Archive", limit: int) -> str:
    """What was taken out of memory, a line each."""
    if not found.blocks:
        return "Nothing was archived." if not found.total else f"No more than {found.total}."
    lines = [
        f"{len(found.blocks)} of {found.total} archived entries, latest first. {render.NOTICE}"
    ]
    return render.capped([*lines, *map(_block, found.blocks)], limit, "use a query or offset")


def _block(one: "Archived") -> str:
    text = one.text.decode("utf-8", "replace").strip()
    by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
    why = f"{entries.short(one.reason, _TITLE)}{by}"
    return f"- {one.id} · {one.day.isoformat()} · {entries.short(text, _TITLE)} [{why}]"


def confirmed(done: object, limit: int) -> str:
    """A claim that was recorded, or dropped."""
    from mind.memory.answers import Curated, Logged  # noqa: PLC0415 - only to tell the answers apart
    from mind.memory.tidy import Plan  # noqa: PLC0415 - the same
    from mind.storage.pending import Pending  # noqa: PLC0415 - the same

    if isinstance(done, Logged):
        return render.logged(done, limit)
    if isinstance(done, Curated):
        return corrected(done)
    if isinstance(done, Plan):
        return tidied(done, limit)
    return f"Dropped: {entries.short(done.message)}" if isinstance(done, Pending) else "Done."


def _consolidate(memory: "Memory", given: Mapping[str, Any]) -> str:
    limit = memory.project.settings.reply_max_characters
    if not given["ids"] and not given["summary"]:
        return _grouped(memory.tidy(dry_run=True), limit)
    done = memory.consolidate(given["ids"], given["summary"], acknowledge=given["acknowledge"])
    return tidied(done, limit)


def _grouped(plan: "Plan", limit: int) -> str:
    """List what one summary each could replace."""
    if not plan.groups:
        return plan.missing or "No entries say nearly the same."
    lines = ["Give the ids of a group and one summary of it:"]
    for number, group in enumerate(plan.groups, 1):
        lines += [f"Group {number}:", *map(entries.line, group)]
    return render.capped(lines, limit, "sum up these first")


def tidied(done: "Plan", limit: int) -> str:
    """What left memory, and what took its place."""
    if done.pending:
        return render.pending(done.pending)
    lines = [line for step in done.steps for line in _step(step)]
    if done.protected:
        lines.append(render.overridden(done.protected).strip())
    return render.capped(lines, limit, "see mind_archive")


def _step(step: "Step") -> list[str]:
    told = f"{step.what}: {entries.short(step.reason)}"
    new = [f"  now: {entries.short(step.line)} ^{step.replacement}"] if step.line else []
    return [told, *(f"  {entries.line(one)}" for one in step.entries), *new]


def used(done: "Used") -> str:
    """What became of entries, as it was noted."""
    missing = ", ".join(entries.short(one) for one in done.missing)
    lines = [f"Noted as {done.outcome}: {', '.join(one.id for one in done.entries)}."]
    if done.problem:
        lines = [entries.short(done.problem)]
    if missing:
        lines.append(f"No entry has the id {missing}.")
    return "\n".join(lines)


def _health(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.health(given["days"])
    return render.health(found, memory.project.settings.reply_max_characters)


CURATE = (
    Tool(
        name="mind_verify",
        title="Verify",
        description="Note that you checked an entry against reality today and it still holds.",
        properties={"id": _ID, "note": TEXT | {"default": "", "description": "How it was checked"}},
        required=("id",),
        run=lambda memory, given: verified(memory.verify(given["id"], given["note"])),
        idempotent=True,
    ),
    Tool(
        name="mind_forget",
        title="Forget",
        description="Move an entry that is wrong or of no use any more to the archive. Goals, "
        "lessons and pinned entries are protected: they need acknowledge.",
        properties={
            "id": _ID,
            "reason": TEXT | {"description": "Why; told to whoever notes the same again"},
            "replaced_by": TEXT | {"default": "", "description": "Id of what is true instead"},
            "acknowledge": _ACKNOWLEDGE,
        },
        required=("id", "reason"),
        run=_forget,
    ),
    Tool(
        name="mind_restore",
        title="Restore",
        description="Put an archived entry back where it stood.",
        properties={"id": _ID},
        required=("id",),
        run=lambda memory, given: restored(memory.restore(given["id"])),
    ),
    Tool(
        name="mind_archive",
        title="Archive",
        description="List what was forgotten, corrected or superseded, with dates and reasons.",
        properties={
            "query": TEXT | {"default": "", "description": "Only what has all these words"},
            "limit": {"type": "integer", "default": 20, "description": "1-1000"},
            "offset": {"type": "integer", "default": 0},
        },
        run=_archive,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_consolidate",
        title="Consolidate",
        description="Record your summary, a learning, in place of several entries, which are "
        "archived. Without arguments: list entries that say nearly the same.",
        properties={
            "ids": {
                "type": "array",
                "items": {"type": "string"},
                "default": [],
                "description": "Two or more",
            },
            "summary": TEXT | {"default": "", "description": "What is to be remembered of them"},
            "acknowledge": _ACKNOWLEDGE,
        },
        run=_consolidate,
    ),
    Tool(
        name="mind_confirm",
        title="Confirm",
        description="Record a pending claim about the user, after asking them; accept=false drops "
        "it.",
        properties={
            "id": TEXT | {"description": "As it was given"},
            "accept": {"type": "boolean", "default": True},
        },
        required=("id",),
        run=lambda memory, given: confirmed(
            memory.confirm(given["id"], accept=given["accept"]),
            memory.project.settings.reply_max_characters,
        ),
    ),
    Tool(
        name="mind_record_use",
        title="Record use",
        description="Say what became of entries you read: applied (it helped), ignored, "
        "contradicted (it is wrong), corrected (it was wrong, you put it right).",
        properties={
            "ids": {"type": "array", "items": TEXT, "description": "Ids of entries"},
            "outcome": TEXT | {"enum": ["applied", "ignored", "contradicted", "corrected"]},
            "note": TEXT | {"default": "", "description": "In what way"},
        },
        required=("ids", "outcome"),
        run=lambda memory, given: used(
            memory.record_use(given["ids"], given["outcome"], given["note"])
        ),
    ),
    Tool(
        name="mind_health",
        title="Health",
        description="What to mend in this memory: contradictions, dead weight, duplicates, cited "
        "files that changed, what was never verified; with the command for each.",
        properties={
            "days": {"type": "integer", "default": 30, "description": "Use is counted in, 1-3660"}
        },
        run=_health,
        reads_only=True,
        idempotent=True,
    ),
)
