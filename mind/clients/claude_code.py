"""Claude Code: the project's ``.mcp.json``."""

import shutil
import sys
from pathlib import Path

from mind.clients import jsontext

FILE = ".mcp.json"
_PATH = ("mcpServers", "mind")


def command() -> list[str]:
    """How the server is started: ``mind mcp`` where that is on PATH, else by its full path.

    The short form is the same on every machine of a team; the long one works from a virtual
    environment that is not active.
    """
    if shutil.which("mind"):
        return ["mind", "mcp"]
    beside = Path(sys.executable).with_name("mind.exe" if sys.platform == "win32" else "mind")
    if beside.is_file():
        return [str(beside), "mcp"]
    return [sys.executable, "-P", "-m", "mind", "mcp"]


def register(text: str) -> str:
    """``.mcp.json`` with Mind's server; unchanged if it has one, whatever its command."""
    if jsontext.value_at(text or "{}", _PATH) is not None:
        return text
    program, *arguments = command()
    entry = {"type": "stdio", "command": program, "args": arguments}
    return jsontext.put(text, _PATH, entry)


def unregister(text: str) -> str:
    """``.mcp.json`` without Mind's server; "" if nothing else was in it."""
    left = jsontext.take(text, _PATH) if text.strip() else text
    return "" if jsontext.value_at(left or "{}", ()) == {} else left


def registered(text: str) -> list[str] | None:
    """The command that is registered, or None."""
    entry = jsontext.value_at(text or "{}", _PATH)
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return None
    arguments = entry.get("args", [])
    return (
        [entry["command"], *(str(one) for one in arguments)]
        if isinstance(arguments, list)
        else None
    )


def repointed(text: str) -> str:
    """``.mcp.json`` with Mind's server started by :func:`command`, its own arguments kept."""
    known = registered(text) or []
    program, *arguments = command()
    own = known[known.index("mcp") + 1 :] if "mcp" in known else []
    text = jsontext.put(text, (*_PATH, "command"), program)
    return jsontext.put(text, (*_PATH, "args"), [*arguments, *own])
