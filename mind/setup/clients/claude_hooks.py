"""Claude Code: Mind's hooks in its settings, and detection of Mind's plugin; pure.

The plugin provides the server, hooks and skill by itself. Settings may contain comments and
trailing commas. Every byte that is not Mind's stays; hooks are edited one list element at a time.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mind.documents import jsontext
from mind.domain.errors import FileError
from mind.setup.clients.command import installed, resolved
from mind.storage import files, process

SERVER = ["mind", "mcp"]
"""The command of its server; Claude Code drops it if the project registers the same command."""


def enabled(root: Path) -> str:
    """The plugin that is enabled in ``root``, as ``mind@marketplace``; "" if none is.

    As in Claude Code, the project's local settings take precedence over its shared ones, and those
    over the user's. Unreadable files are ignored.
    """
    said: dict[str, bool] = {}
    for path in settings_files(root):
        for name, value in _named(path):
            said.setdefault(name, value)
    return next((name for name, value in said.items() if value), "")


def settings_files(root: Path) -> tuple[Path, ...]:
    """The project's local settings, its shared ones, and the user's."""
    user = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    own = root / ".claude"
    return own / "settings.local.json", own / "settings.json", user / "settings.json"


def _named(path: Path) -> Iterator[tuple[str, bool]]:
    try:
        text = files.decode(files.read(path), path)
        plugins = jsontext.value_at(text, ("enabledPlugins",))
    except FileError:
        return
    for name, value in plugins.items() if isinstance(plugins, dict) else ():
        if name.startswith("mind@"):
            yield name, value is not False


SHARED = ".claude/settings.json"
OWN = ".claude/settings.local.json"

_EDITS = "Edit|Write|MultiEdit|NotebookEdit"
_COMMANDS = "Bash|PowerShell"
EVENTS: dict[str, tuple[str, int]] = {
    "SessionStart": ("", 30),
    "UserPromptSubmit": ("", 10),
    "PreToolUse": (f"{_EDITS}|{_COMMANDS}", 10),
    "PostToolUse": (f"{_EDITS}|{_COMMANDS}", 10),
    "PostToolUseFailure": (_COMMANDS, 10),
    "PreCompact": ("", 20),
    "Stop": ("", 30),
    "SessionEnd": ("", 5),
}
"""Event → matcher ("" for all) and timeout in seconds."""

_OURS = re.compile(r"(?<![\w-])mind-hook(?![\w-])")


def program(root: Path) -> str:
    """The program of the hooks: ``mind-hook`` if it is on PATH, else its full path."""
    return "mind-hook" if process.find("mind-hook", root) else str(installed("mind-hook"))


def own(command: str, root: Path) -> str | None:
    """The full path of Mind's program if a hook runs it as :func:`add` writes it, else None."""
    found = process.find("mind-hook", root)
    for one in ("mind-hook", str(installed("mind-hook")), *([found] if found else [])):
        forms = one, f'"{one}"', _command(one, shared=True)["command"]
        if command in forms:
            return resolved(one, "mind-hook", root)
    return None


def add(text: str, program: str, *, shared: bool) -> str:
    """``text`` with Mind's hook for each event; existing ones are changed to ``program``.

    Args:
        text: The settings; "" if there are none.
        program: ``mind-hook``, or the path to it.
        shared: True if others get the file through git and may not have the program, so a shell
            checks for it first. Otherwise it is run without a shell.

    Raises:
        FileError: ``text`` is not a JSON object, or its hooks have an unknown form.
    """
    for event, (matcher, timeout) in EVENTS.items():
        handler = {"type": "command", **_command(program, shared=shared), "timeout": timeout}
        text = _with(text, event, matcher, handler)
    return text


def hollow(text: str) -> dict[str, str]:
    """Return what :func:`remove` needs to restore ``text`` to its state before :func:`add`.

    Returns:
        Place → text of empty containers: "hooks" or "hooks.EVENT"; "" is the whole text.
    """
    if not jsontext.load(text):
        return {"": text}
    if hooks := _hooks(text):
        said = {f"hooks.{event}": jsontext.hollow(text, ("hooks", event, 0)) for event in hooks}
    else:
        said = {"hooks": jsontext.hollow(text, ("hooks", ""))}
    return {place: one[1] for place, one in said.items() if one}


def remove(text: str, was: Mapping[str, str] | None = None) -> str:
    """``text`` without Mind's hooks and containers that this leaves empty; "" if nothing is left.

    Args:
        text: The settings.
        was: The result of :func:`hollow` before, if known; these containers are restored.
    """
    if not present(text):
        return text
    was = was or {}
    for event in list(_hooks(text)):
        while path := _place(text, event):
            text = _without(text, path, was)
    if "" not in was:
        is_empty = not jsontext.load(text) and not jsontext.comments(text)
        return "" if is_empty else text
    same = {"".join(was[""].split()), "".join(f"{was['']}{{}}".split())}
    return was[""] if "".join(text.split()) in same else text


def _without(text: str, path: Sequence[str | int], was: Mapping[str, str]) -> str:
    """``text`` without the handler at ``path``, and without its group if nothing else is in it."""
    outer = {depth: was.get(".".join(map(str, path[:depth]))) for depth in (2, 1)}
    hollow = next(((depth, said) for depth, said in outer.items() if said), None)
    left = jsontext.take(text, path, was=(len(path) - 1, "[]"))
    if len(_list(jsontext.value_at(text, path[:-1]))) > 1:
        return left
    whole = jsontext.take(text, path[:3], was=hollow)
    return whole if jsontext.comments(whole) == jsontext.comments(left) else left


def present(text: str) -> bool:
    """True if ``text`` has a hook of Mind."""
    return bool(_OURS.search(text)) and any(_place(text, event) for event in _hooks(text))


def _command(program: str, *, shared: bool) -> dict[str, object]:
    if not shared:
        return {"command": program, "args": []}
    quoted = program if re.fullmatch(r"[\w./+-]+", program) else f'"{program}"'
    return {"command": f"command -v {quoted} >/dev/null 2>&1 || exit 0; {quoted}"}


def _with(text: str, event: str, matcher: str, handler: dict[str, object]) -> str:
    path: Sequence[str | int] = _place(text, event)
    if not path:
        group = {"matcher": matcher, "hooks": [handler]} if matcher else {"hooks": [handler]}
        path = ("hooks", event, len(_list(_hooks(text).get(event))))
        return jsontext.put(text, path, group)
    old = jsontext.value_at(text, path)
    kept = old if isinstance(old, dict) else {}
    new = {**handler, **{key: value for key, value in kept.items() if key not in _FORM}}
    return text if new == old else jsontext.put(text, path, new)


_FORM = ("type", "command", "args")


def _place(text: str, event: str) -> tuple[str | int, ...]:
    """Find Mind's first handler of ``event``: ("hooks", event, group, "hooks", number)."""
    found = handlers({event: _hooks(text).get(event)})
    return next((path for path, handler in found if _is_ours(handler)), ())


def handlers(hooks: object) -> Iterator[tuple[tuple[str, str, int, str, int], dict[str, object]]]:
    """Yield each handler in the ``hooks`` of settings, with its path; other values are skipped."""
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(_list(groups)):
            inner = _list(group.get("hooks")) if isinstance(group, dict) else []
            for at, handler in enumerate(inner):
                if isinstance(handler, dict):
                    yield ("hooks", event, number, "hooks", at), handler


def _is_ours(handler: dict[str, object]) -> bool:
    said = [handler.get("command"), *_list(handler.get("args"))]
    return any(_OURS.search(one) for one in said if isinstance(one, str))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _hooks(text: str) -> dict[str, object]:
    hooks = jsontext.load(text).get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        raise FileError(
            "these Claude Code settings cannot be edited: the hooks are not lists by event",
            remedy="Correct the file, or install the plugin instead: `claude plugin install mind`.",
        )
    return hooks
