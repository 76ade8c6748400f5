"""The toolset ``curate``: keep a memory true."""

from typing import TYPE_CHECKING, Annotated, Literal

from mind.domain.errors import InputError
from mind.server.mcp import render
from mind.server.mcp.tool import Texts, Toolset, longest

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.answers import Archive, Curated, Used
    from mind.memory.memory import Memory
    from mind.memory.scopes import Scope, Scopes
    from mind.memory.tidy import Plan, Step

CURATE = Toolset()
Id = Annotated[str, "Id of an entry"]
_TITLE = 160


def verified(done: "Curated") -> str:
    """An entry that was checked."""
    return f"Verified {render.entry_line(done.entry)[2:]}"


def corrected(done: "Curated") -> str:
    """The entry with its new words, or who is to say yes to them."""
    if done.pending:
        return render.pending(done.pending)
    return f"Corrected {render.entry_line(done.entry)[2:]}\nThe old words are in the archive."


def forgotten(done: "Curated", undo: str) -> str:
    """An entry that went to the archive, and the call that puts it back."""
    back = (
        f"{undo} puts all of it back, by any of these ids."
        if done.along
        else f"{undo} puts it back."
    )
    over = render.overridden(done.protected)
    return f"Archived {render.entry_line(done.entry)[2:]}{_along(done)}{over}\n{back}"


def _along(done: "Curated") -> str:
    """Return what stood within an entry and went where that went."""
    if not done.along:
        return ""
    within = "\n".join(f"  {render.entry_line(one)}" for one in done.along)
    return f"\nWith it, what stood within it:\n{within}"


def restored(done: "Curated") -> str:
    """An entry that was put back."""
    return f"Restored {render.entry_line(done.entry)[2:]}{_along(done)}{_was(done)}"


def _was(done: "Curated") -> str:
    was = done.archived
    if was is None:
        return ""
    return f"\nIt had been archived on {was.day.isoformat()}: {render.short(was.reason)}"


def archived(found: "Archive", limit: int) -> str:
    """Return what was taken out of memory, a line each."""
    if not found.blocks:
        return "Nothing was archived." if not found.total else f"No more than {found.total}."
    lines = [
        f"{len(found.blocks)} of {found.total} archived entries, latest first. {render.NOTICE}"
    ]
    return render.capped([*lines, *map(_block, found.blocks)], limit, "use a query or offset")


def _block(one: "Archived") -> str:
    text = one.text.decode("utf-8", "replace").strip()
    by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
    why = f"{render.short(one.reason, _TITLE)}{by}"
    return f"- {one.id} · {one.day.isoformat()} · {render.short(text, _TITLE)} [{why}]"


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
    return f"Dropped: {render.short(done.message)}" if isinstance(done, Pending) else "Done."


def _grouped(plan: "Plan", limit: int) -> str:
    """List what one summary each could replace."""
    if not plan.groups:
        return plan.missing or "No entries say nearly the same."
    lines = ["Give the ids of a group and one summary of it:"]
    for number, group in enumerate(plan.groups, 1):
        lines += [f"Group {number}:", *map(render.entry_line, group)]
    return render.capped(lines, limit, "sum up these first")


def tidied(done: "Plan", limit: int) -> str:
    """Return what left memory, and what took its place."""
    if done.pending:
        return render.pending(done.pending)
    lines = [line for step in done.steps for line in _step(step)]
    if done.protected:
        lines.append(render.overridden(done.protected).strip())
    return render.capped(lines, limit, "see mind_archive")


def _step(step: "Step") -> list[str]:
    told = f"{step.what}: {render.short(step.reason)}"
    new = [f"  now: {render.short(step.line)} ^{step.replacement}"] if step.line else []
    return [told, *(f"  {render.entry_line(one)}" for one in step.entries), *new]


def used(done: "Used") -> str:
    """Return what became of entries, as it was noted."""
    missing = ", ".join(render.short(one) for one in done.missing)
    lines = [f"Noted as {done.outcome}: {', '.join(one.id for one in done.entries)}."]
    if done.problem:
        lines = [render.short(done.problem)]
    if missing:
        lines.append(f"No entry has the id {missing}.")
    return "\n".join(lines)


def overview(found: "Scopes", limit: int) -> str:
    """The tags, a line each."""
    lines = [f"{len(found.tags)} tags; {found.untagged} entries have none. {render.NOTICE}"]
    if found.allowed:
        lines.append(f"New entries may have only: {', '.join(found.allowed)}.")
    if found.others:
        lines.append(f"Other projects (mind_search with scope all): {', '.join(found.others)}.")
    return render.capped([*lines, *map(_scope_line, found.tags)], limit, "the rest are rarer")


def _scope_line(one: "Scope") -> str:
    last = f" · last {one.last.isoformat()}" if one.last else ""
    like = f" · misspelled #{one.like}?" if one.like else ""
    muted = " · muted" if one.muted else ""
    return f"- #{one.name} · {one.entries} ({one.share:.0%}){last}{like}{muted}"


@CURATE.tool(
    "Verify",
    "Note that you checked an entry against reality today and it still holds.",
    idempotent=True,
)
def _verify(memory: "Memory", id: Id, note: Annotated[str, "How it was checked"] = "") -> str:
    return verified(memory.verify(id, note))


@CURATE.tool(
    "Forget",
    "Move an entry that is wrong or of no use any more to the archive. Goals, lessons and pinned "
    "entries are protected: they need acknowledge.",
)
def _forget(
    memory: "Memory",
    id: Id,
    reason: Annotated[str, "Why; told to whoever notes the same again"],
    replaced_by: Annotated[str, "Id of what is true instead"] = "",
    acknowledge: bool = False,
) -> str:
    done = memory.forget(id, reason, replaced_by=replaced_by, acknowledge=acknowledge)
    return forgotten(done, "mind_restore")


@CURATE.tool("Restore", "Put an archived entry back where it stood.")
def _restore(memory: "Memory", id: Id) -> str:
    return restored(memory.restore(id))


@CURATE.tool(
    "Archive",
    "List what was forgotten, corrected or superseded, with dates and reasons.",
    reads_only=True,
)
def _archive(
    memory: "Memory",
    query: Annotated[str, "Only what has all these words"] = "",
    limit: Annotated[int, "1-1000"] = 20,
    offset: int = 0,
) -> str:
    return archived(memory.archive(query, limit=limit, offset=offset), longest(memory))


@CURATE.tool(
    "Consolidate",
    "Record your summary, a learning, in place of several entries, which are archived. Without "
    "arguments: list entries that say nearly the same.",
)
def _consolidate(
    memory: "Memory",
    ids: Annotated[Texts, "Two or more"] = (),
    summary: Annotated[str, "What is to be remembered of them"] = "",
    acknowledge: bool = False,
) -> str:
    if not ids and not summary:
        return _grouped(memory.tidy(dry_run=True), longest(memory))
    return tidied(memory.consolidate(ids, summary, acknowledge=acknowledge), longest(memory))


@CURATE.tool(
    "Confirm",
    "Record a pending claim about the user, after asking them; accept=false drops it.",
)
def _confirm(memory: "Memory", id: Annotated[str, "As it was given"], accept: bool = True) -> str:
    return confirmed(memory.confirm(id, accept=accept), longest(memory))


@CURATE.tool(
    "Record use",
    "Say what became of entries you read: applied (it helped), ignored, contradicted (it is "
    "wrong), corrected (it was wrong, you put it right).",
)
def _record_use(
    memory: "Memory",
    ids: Annotated[Texts, "Ids of entries"],
    outcome: Literal["applied", "ignored", "contradicted", "corrected"],
    note: Annotated[str, "In what way"] = "",
) -> str:
    return used(memory.record_use(ids, outcome, note))


@CURATE.tool(
    "Health",
    "What to mend in this memory: contradictions, dead weight, duplicates, cited files that "
    "changed, what was never verified; with the command for each.",
    reads_only=True,
)
def _health(memory: "Memory", days: Annotated[int, "Use is counted in, 1-3660"] = 30) -> str:
    return render.health(memory.health(days), longest(memory))


@CURATE.tool(
    "Scopes",
    "Tags of this memory: list them, rename one everywhere, or mute one so that searches of this "
    "session leave it out (a tag: filter still finds it).",
)
def _scopes(
    memory: "Memory",
    action: Literal["overview", "rename", "mute", "unmute"] = "overview",
    scope: Annotated[str, "A tag, for the other actions"] = "",
    new_name: Annotated[str, "For rename"] = "",
) -> str:
    if action == "overview":
        return overview(memory.scopes(), longest(memory))
    if not scope.strip():
        raise InputError(f"{action} needs a scope", remedy="Name a tag.")
    if action == "rename":
        done = memory.rename_scope(scope, new_name)
        where = ", ".join(f"{count} in {file}" for file, count in done.files.items())
        return f"#{done.old} is now #{done.new}: {where}."
    tags = memory.mute_scope(scope) if action == "mute" else memory.unmute_scope(scope)
    names = ", ".join(f"#{tag}" for tag in tags)
    unknown = action == "mute" and not memory.has_scope(scope)
    warning = f" No entry has the tag #{scope.strip().lstrip('#')}." * unknown
    return f"Muted until the session ends: {names}.{warning}" if tags else "No tag is muted."
