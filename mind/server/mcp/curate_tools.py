"""The toolset ``curate``, and `mind_update` of ``core``, which does the most common of it."""

from typing import TYPE_CHECKING, Annotated, Literal

from mind.domain.errors import InputError
from mind.memory import wording
from mind.memory.answers import ArchivedEntries
from mind.server.mcp.core_tools import CORE
from mind.server.mcp.tool import Texts, Toolset, longest

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.memory import Memory
    from mind.memory.tags import TagCount, TagOverview
    from mind.memory.tidy import TidyPlan

CURATE = Toolset()
Id = Annotated[str, "Id of an entry"]


def _archived(found: ArchivedEntries, limit: int) -> str:
    """Render archived entries, one per line."""
    if not found.blocks:
        none = "No archived entries."
        return f"There are only {found.total} archived entries." if found.total else none
    lines = [
        f"{len(found.blocks)} of {found.total} archived entries, latest first. {wording.NOTICE}"
    ]
    return wording.capped([*lines, *map(_block, found.blocks)], limit, "use a query or offset")


def _block(one: "Archived") -> str:
    text = one.text.decode("utf-8", "replace").strip()
    by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
    why = f"{wording.short(one.reason, wording.TITLE)}{by}"
    return f"- {one.id} · {one.day.isoformat()} · {wording.short(text, wording.TITLE)} [{why}]"


def _grouped(plan: "TidyPlan", limit: int) -> str:
    """List groups of similar entries that a summary could replace."""
    if not plan.groups:
        return plan.missing or "No near-duplicate entries found."
    lines = ["Call again with the ids of one group and a summary of it:"]
    for number, group in enumerate(plan.groups, 1):
        lines += [f"Group {number}:", *map(wording.entry_line, group)]
    return wording.capped(lines, limit, "merge these first")


def _tags_shown(found: "TagOverview", limit: int) -> str:
    """Render the tags, one per line."""
    lines = [f"{len(found.tags)} tags; {found.untagged} entries have none. {wording.NOTICE}"]
    if found.allowed:
        lines.append(f"Tags allowed in new entries: {', '.join(found.allowed)}.")
    if found.others:
        lines.append(f"Other projects (mind_search with scope all): {', '.join(found.others)}.")
    return wording.capped([*lines, *map(_tag_line, found.tags)], limit, "these are rarer")


def _tag_line(one: "TagCount") -> str:
    last = f" · last {one.last.isoformat()}" if one.last else ""
    like = f" · misspelled #{one.like}?" if one.like else ""
    muted = " · muted" if one.muted else ""
    return f"- #{one.name} · {one.entries} ({one.share:.0%}){last}{like}{muted}"


@CURATE.tool(
    "Verify",
    "Record that you checked an entry today and it is still true.",
    idempotent=True,
)
def _verify(memory: "Memory", id: Id, note: Annotated[str, "How you checked it"] = "") -> str:
    return f"Verified {wording.entry_line(memory.verify(id, note).entry)[2:]}"


@CURATE.tool(
    "Forget",
    "Archive an entry that is wrong or no longer useful. Goals, lessons and pinned entries are "
    "protected: set acknowledge=true for them.",
)
def _forget(
    memory: "Memory",
    id: Id,
    reason: Annotated[str, "Why; shown when the same is logged again"],
    replaced_by: Annotated[str, "Id of the entry that replaces it"] = "",
    acknowledge: bool = False,
) -> str:
    done = memory.forget(id, reason, replaced_by=replaced_by, acknowledge=acknowledge)
    return wording.forgotten(done, "call mind_restore")


@CURATE.tool("Restore", "Put an archived entry back in its place.")
def _restore(memory: "Memory", id: Id) -> str:
    return wording.restored(memory.restore(id))


@CURATE.tool(
    "Archive",
    "List forgotten, corrected and superseded entries, with dates and reasons.",
    reads_only=True,
)
def _archive(
    memory: "Memory",
    query: Annotated[str, "Only entries with all these words"] = "",
    limit: Annotated[int, "1-1000"] = 20,
    offset: int = 0,
) -> str:
    return _archived(memory.archive(query, limit=limit, offset=offset), longest(memory))


@CURATE.tool(
    "Consolidate",
    "Replace several entries by your summary, recorded as a learning, and archive them. Without "
    "arguments: list groups of similar entries.",
)
def _consolidate(
    memory: "Memory",
    ids: Annotated[Texts, "Two or more"] = (),
    summary: Annotated[str, "The entry that replaces them"] = "",
    acknowledge: bool = False,
) -> str:
    if not ids and not summary:
        return _grouped(memory.tidy(dry_run=True), longest(memory))
    done = memory.consolidate(ids, summary, acknowledge=acknowledge)
    return wording.consolidated(done, longest(memory))


@CURATE.tool(
    "Confirm",
    "Record a pending claim about the user, after asking them; accept=false drops it.",
)
def _confirm(
    memory: "Memory", id: Annotated[str, "Id of the pending claim"], accept: bool = True
) -> str:
    return wording.confirmed(memory.confirm(id, accept=accept), longest(memory))


@CURATE.tool(
    "Record use",
    "Record whether entries you read helped: applied (it helped), ignored, contradicted (it is "
    "wrong), corrected (it was wrong and you fixed it).",
)
def _record_use(
    memory: "Memory",
    ids: Annotated[Texts, "Ids of entries"],
    outcome: Literal["applied", "ignored", "contradicted", "corrected"],
    note: Annotated[str, "Details"] = "",
) -> str:
    done = memory.record_use(ids, outcome, note)
    recorded = f"Recorded as {done.outcome}: {', '.join(one.id for one in done.entries)}."
    lines = [wording.short(done.problem) if done.problem else recorded]
    if done.missing:
        lines.append(f"No entry has the id {', '.join(map(wording.short, done.missing))}.")
    return "\n".join(lines)


@CURATE.tool(
    "Health",
    "List what to fix in this memory: contradictions, unused entries, duplicates, cited files that "
    "changed, unverified entries; with the command for each.",
    reads_only=True,
)
def _health(
    memory: "Memory", days: Annotated[int, "Period in which use is counted, 1-3660"] = 30
) -> str:
    return wording.health(memory.health(days), longest(memory))


@CURATE.tool(
    "Tags",
    "List this memory's tags, rename one everywhere, or mute one to exclude it from this session's "
    "searches (a tag: filter still finds it).",
)
def _scopes(
    memory: "Memory",
    action: Literal["overview", "rename", "mute", "unmute"] = "overview",
    scope: Annotated[str, "Tag; required except for overview"] = "",
    new_name: Annotated[str, "New tag, for rename"] = "",
) -> str:
    if action == "overview":
        return _tags_shown(memory.tags(), longest(memory))
    if not scope.strip():
        raise InputError(f"{action} needs a tag", remedy="Name it in the parameter `scope`.")
    if action == "rename":
        done = memory.rename_tag(scope, new_name)
        where = ", ".join(f"{count} in {file}" for file, count in done.files.items())
        return f"#{done.old} is now #{done.new}: {where}."
    tags = memory.mute_tag(scope) if action == "mute" else memory.unmute_tag(scope)
    names = ", ".join(f"#{tag}" for tag in tags)
    unknown = action == "mute" and not memory.has_tag(scope)
    warning = f" No entry has the tag #{scope.strip().lstrip('#')}." * unknown
    return f"Muted until the session ends: {names}.{warning}" if tags else "No tag is muted."


@CORE.tool(
    "Update",
    "Change or rate an entry. correct: text is the new wording; or only keywords. forget: text is "
    "the reason; restore undoes it. verify: still true. confirm, drop: a pending claim, after "
    "asking the user. applied, ignored, contradicted, corrected: whether an entry helped.",
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
    keywords: Texts = (),
) -> str:  # fmt: skip
    match action:
        case "correct":
            done = memory.update(id, text, keywords=keywords, acknowledge=acknowledge)
            return wording.corrected(done)
        case "forget":
            done = memory.forget(id, text, replaced_by=replaced_by, acknowledge=acknowledge)
            return wording.forgotten(done, "call mind_update with action=restore")
        case "restore":
            return _restore(memory, id)
        case "verify":
            return _verify(memory, id, text)
        case "confirm" | "drop":
            return _confirm(memory, id, action == "confirm")
        case _:
            return _record_use(memory, [id], action, text)
