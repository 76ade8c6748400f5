"""The deed: what is about to be written or run, as far as memory may have a say in it."""

import os

from mind.text.matching import programs

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from mind.hooks.place import Place

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
COMMANDS = ("Bash", "PowerShell")

_MOST = 200_000
"""Characters that are looked at."""
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_RUNNING = ("run", "exec", "compose", "tool", "x")


class Deed:
    """One call of a tool.

    Attributes:
        path: Of the file to be edited, relative to the project; "" for a command.
        text: What it will hold that it does not hold yet, or the parts of the command that do
            something.
        before: What stands in its place now.
        said: What the agent says about the command.
        heads: The first two words of each part of the command.
    """

    __slots__ = ("before", "heads", "path", "said", "text")

    def __init__(self, text: str, *, before: str = "", path: str = "", said: str = "") -> None:
        self.text = text
        self.before = before
        self.path = path
        self.said = said
        self.heads: list[str] = []


def relative(place: "Place", path: str) -> str:
    """``path`` from the project's root with ``/``; "" for one outside, or in the memory."""
    root, full = os.path.realpath(place.root), os.path.realpath(os.path.join(place.root, path))
    inside = full.startswith(root.rstrip(os.sep) + os.sep)
    memory = os.path.realpath(place.folder)
    if not inside or full.startswith(memory + os.sep):
        return ""
    return os.path.relpath(full, root).replace(os.sep, "/")


def edited(tool: str, given: "dict[str, Any]") -> str:
    """The path that a tool edits, as it is given."""
    return _text(given.get("notebook_path" if tool == "NotebookEdit" else "file_path"))


def of_event(place: "Place", tool: str, given: "dict[str, Any]") -> Deed | None:
    """Return what a call of ``tool`` is about to do.

    None for what is prose, or none of our business.
    """
    if tool in COMMANDS:
        return _command(_text(given.get("command"))[:_MOST], _text(given.get("description")))
    path = relative(place, edited(tool, given)) if tool in EDITS else ""
    if not path or path.lower().endswith(_PROSE):
        return None
    before, after = _change(place, path, tool, given)
    return Deed(after[:_MOST], before=before[:_MOST], path=path)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _change(place: "Place", path: str, tool: str, given: "dict[str, Any]") -> tuple[str, str]:
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


def _command(command: str, said: str) -> Deed:
    parts, heads = [], []
    for part in command.replace("&&", ";").replace("|", ";").replace("\n", ";").split(";"):
        words = programs.unwrapped(part.split())
        if not words or programs.only_looks(words):
            continue
        parts.append(part.strip())
        heads.append(head(words))
    deed = Deed("\n".join(parts), said=said[:500] if parts else "")
    deed.heads = [one for one in heads if one]
    return deed


def head(words: list[str]) -> str:
    """Name a command by its first two words, or three where the second only runs them.

    "" for one with an option, a path or a value so early.
    """
    count = 3 if len(words) > 1 and words[1].lower() in _RUNNING else 2
    named = [word.lower() for word in words[:count] if _is_name(word)]
    return " ".join(named) if len(named) == count else ""


def _is_name(word: str) -> bool:
    plain = "".join(c for c in word if c not in "-_.+:")
    return word[:1].isalpha() and plain.isascii() and plain.isalnum()
