"""The tool `mind_scopes`: tags, listed, renamed and muted."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mind.domain.errors import InputError
from mind.server.mcp import render
from mind.server.mcp.tool import TEXT, Tool

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.memory.scopes import Scope, Scopes


def _scopes(memory: "Memory", given: Mapping[str, Any]) -> str:
    action, scope = given["action"], given["scope"]
    if action == "overview":
        return overview(memory.scopes(), memory.project.settings.reply_max_characters)
    if not scope.strip():
        raise InputError(f"{action} needs a scope", remedy="Name a tag.")
    if action == "rename":
        done = memory.rename_scope(scope, given["new_name"])
        where = ", ".join(f"{count} in {file}" for file, count in done.files.items())
        return f"#{done.old} is now #{done.new}: {where}."
    tags = memory.mute_scope(scope) if action == "mute" else memory.unmute_scope(scope)
    names = ", ".join(f"#{tag}" for tag in tags)
    unknown = action == "mute" and not memory.has_scope(scope)
    warning = f" No entry has the tag #{scope.strip().lstrip('#')}." * unknown
    return f"Muted until the session ends: {names}.{warning}" if tags else "No tag is muted."


def overview(found: "Scopes", limit: int) -> str:
    """The tags, a line each."""
    lines = [f"{len(found.tags)} tags; {found.untagged} entries have none. {render.NOTICE}"]
    if found.allowed:
        lines.append(f"New entries may have only: {', '.join(found.allowed)}.")
    if found.others:
        lines.append(f"Other projects (mind_search with scope all): {', '.join(found.others)}.")
    return render.capped([*lines, *map(_line, found.tags)], limit, "the rest are rarer")


def _line(one: "Scope") -> str:
    last = f" · last {one.last.isoformat()}" if one.last else ""
    like = f" · misspelled #{one.like}?" if one.like else ""
    muted = " · muted" if one.muted else ""
    return f"- #{one.name} · {one.entries} ({one.share:.0%}){last}{like}{muted}"


SCOPES = (
    Tool(
        name="mind_scopes",
        title="Scopes",
        description="Tags of this memory: list them, rename one everywhere, or mute one so that "
        "searches of this session leave it out (a tag: filter still finds it).",
        properties={
            "action": TEXT
            | {"enum": ["overview", "rename", "mute", "unmute"], "default": "overview"},
            "scope": TEXT | {"default": "", "description": "A tag, for the other actions"},
            "new_name": TEXT | {"default": "", "description": "For rename"},
        },
        run=_scopes,
    ),
)
