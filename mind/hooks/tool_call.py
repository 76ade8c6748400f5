"""Tool calls: an edit or command about to be done, as far as warnings may apply to it."""

import os

from mind.text.matching import programs

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.place import HookProject

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
COMMANDS = ("Bash", "PowerShell")

_MOST = 200_000
"""Maximum characters that are checked."""
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_RUNNING = ("run", "exec", "compose", "tool", "x")


class ToolCall:
    """One tool call.

    Attributes:
        path: Path of the edited file, relative to the project; "" for a command.
        text: The new text, or the parts of the command that do something.
        before: The text it replaces.
        said: The agent's description of the command.
        heads: The first two words of each part of the command.
    """

    __slots__ = ("before", "heads", "path", "said", "text")

    def __init__(self, text: str, *, before: str = "", path: str = "", said: str = "") -> None:
        self.text = text
        self.before = before
        self.path = path
        self.said = said
        self.heads: list[str] = []


def relative(place: "HookProject", path: str) -> str:
    """Return ``path`` relative to the project, with ``/``; "" if outside it or in the memory."""
    root, full = os.path.realpath(place.root), os.path.realpath(os.path.join(place.root, path))
    inside = full.startswith(root.rstrip(os.sep) + os.sep)
    memory = os.path.realpath(place.folder)
    if not inside or full.startswith(memory + os.sep):
        return ""
    return os.path.relpath(full, root).replace(os.sep, "/")


def edited(tool: str, given: "dict[str, Any]") -> str:
    """Return the path that a tool edits, as given."""
    return _text(given.get("notebook_path" if tool == "NotebookEdit" else "file_path"))


def of_event(place: "HookProject", tool: str, given: "dict[str, Any]") -> ToolCall | None:
    """Return a call of ``tool``, parsed; None for prose, other tools, or files elsewhere."""
    if tool in COMMANDS:
        return _command(_text(given.get("command"))[:_MOST], _text(given.get("description")))
    path = relative(place, edited(tool, given)) if tool in EDITS else ""
    if not path or (path.lower().endswith(_PROSE) and not _lists_packages(path)):
        return None
    before, after = _change(place, path, tool, given)
    return ToolCall(after[:_MOST], before=before[:_MOST], path=path)


def _lists_packages(path: str) -> bool:
    if not path.lower().endswith(".txt"):
        return False
    from mind.text.matching import acts  # noqa: PLC0415 - only for such a file

    return acts.is_manifest(path)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _change(place: "HookProject", path: str, tool: str, given: "dict[str, Any]") -> tuple[str, str]:
    if tool == "Write":
        return _there(os.path.join(place.root, path)), _text(given.get("content"))
    if tool == "NotebookEdit":
        return "", _text(given.get("new_source"))
    edits = given.get("edits") if tool == "MultiEdit" else [given]
    pairs = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    old = "\n".join(_text(one.get("old_string")) for one in pairs)
    return old, "\n".join(_text(one.get("new_string")) for one in pairs)


def _there(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _command(command: str, said: str) -> ToolCall:
    parts, heads = [], []
    for part in programs.parts(command):
        words = programs.unwrapped(part.split())
        if not words or programs.only_looks(words):
            continue
        parts.append(part.strip())
        heads.append(head(words))
    call = ToolCall("\n".join(parts), said=said[:500] if parts else "")
    call.heads = [one for one in heads if one]
    return call


def head(words: list[str]) -> str:
    """Return a command's first two words, or three if the second only runs the third.

    "" if an option, a path or a value is among them.
    """
    count = 3 if len(words) > 1 and words[1].lower() in _RUNNING else 2
    named = [word.lower() for word in words[:count] if _is_name(word)]
    return " ".join(named) if len(named) == count else ""


def _is_name(word: str) -> bool:
    plain = "".join(c for c in word if c not in "-_.+:")
    return word[:1].isalpha() and plain.isascii() and plain.isalnum()
