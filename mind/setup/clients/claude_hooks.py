"""Claude Code: Mind's hooks in its settings, and detection of Mind's plugin; pure.

The plugin provides the server, hooks and skill by itself. Settings may contain comments and
trailing commas. Every byte that is not Mind's stays; hooks are edited one list element at a time.
"""

import json
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined] # public, but not in typeshed
from pathlib import Path

from mind.documents import jsontext
from mind.documents.jsontext import joined
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
        plugins = jsontext.value_at(text, ("enabledPlugins",), comments=True)
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
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_COMMAS = re.compile(rf'{_STRING}|(?<=[\w\]}}"])\s*,(?=\s*[}}\]])', re.DOTALL)
_SPACE = re.compile(r"[\ufeff \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Part:
    """A member of an object (with its key) or an element of a list, and its text positions."""

    key: str
    start: int
    value: int
    end: int


def program(root: Path) -> str:
    """The program of the hooks: ``mind-hook`` if it is on PATH, else its full path."""
    return "mind-hook" if process.find("mind-hook", root) else str(installed("mind-hook"))


def own(command: str, arguments: Sequence[object], root: Path) -> str | None:
    """The full path of Mind's program if a hook runs it as :func:`add` writes it, else None."""
    found = process.find("mind-hook", root)
    named = ("mind-hook", str(installed("mind-hook")), *([found] if found else []))
    meant = (one for one in named if command in _forms(one) and not arguments)
    return next((resolved(one, "mind-hook", root) for one in meant), None)


def _forms(program: str) -> tuple[str, ...]:
    """The shell commands that run only ``program``."""
    return program, f'"{program}"', str(_command(program, shared=True)["command"])


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
    if not _bare(text).strip("\ufeff \t\r\n"):
        text = joined(text, "{}\n")
    for event, (matcher, timeout) in EVENTS.items():
        handler = {"type": "command", **_command(program, shared=shared), "timeout": timeout}
        group: dict[str, object] = {"matcher": matcher} if matcher else {}
        group["hooks"] = [handler]
        text = _with(text, event, group)
    return text


def hollow(text: str) -> dict[str, str]:
    """Return what :func:`remove` needs to restore ``text`` to its state before :func:`add`.

    Returns:
        Place → text of empty containers: "hooks" or "hooks.EVENT"; "" is the whole text.
    """
    loaded = _loaded(text)
    if not loaded:
        return {"": text}
    bare, hooks = _bare(text), _hooks(text)
    places = [("hooks", event) for event, groups in hooks.items() if not groups]
    empty = [("hooks",)] if not hooks and "hooks" in loaded else places
    return {".".join(path): text[slice(*_span(bare, path))] for path in empty}


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
            text = _pruned(text, path, was)
    for name, said in was.items():
        text = _as_it_was(text, tuple(name.split(".", 1)) if name else (), said)
    return "" if _loaded(text) == {} and not _has_comment(text) and "" not in was else text


def _as_it_was(text: str, path: Sequence[str | int], said: str) -> str:
    """``text`` with ``said`` at ``path`` if that is empty now, also of new comments."""
    start, end = _span(_bare(text), path) if path else (0, len(text))
    now = text[start:end]
    same = {"".join(said.split()), "".join(f"{said}{{}}".split())}
    return text[:start] + said + text[end:] if "".join(now.split()) in same else text


def present(text: str) -> bool:
    """True if ``text`` has a hook of Mind."""
    return bool(_OURS.search(text)) and any(_place(text, event) for event in _hooks(text))


def _command(program: str, *, shared: bool) -> dict[str, object]:
    if not shared:
        return {"command": program, "args": []}
    quoted = program if re.fullmatch(r"[\w./+-]+", program) else f'"{program}"'
    return {"command": f"command -v {quoted} >/dev/null 2>&1 || exit 0; {quoted}"}


def _with(text: str, event: str, group: dict[str, object]) -> str:
    if path := _place(text, event):
        handler = group["hooks"]
        kept = {key: value for key, value in _at(text, path).items() if key not in _FORM}
        new = {**(handler[0] if isinstance(handler, list) else {}), **kept}
        return _replaced(text, path, new)
    if "hooks" not in _loaded(text):
        return _inserted(text, (), "hooks", {event: [group]})
    if event not in _hooks(text):
        return _inserted(text, ("hooks",), event, [group])
    return _inserted(text, ("hooks", event), "", group)


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
    hooks = _loaded(text).get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        raise _unusable("its hooks are not lists by event")
    return hooks


def _at(text: str, path: Sequence[str | int]) -> dict[str, object]:
    value: object = _loaded(text)
    for key in path:
        value = value[key]  # type: ignore[index] # the path was found in this text
    return value if isinstance(value, dict) else {}


# --- text ---------------------------------------------------------------------------------------


def _bare(text: str) -> str:
    """``text`` with comments and trailing commas blanked out: plain JSON at the same positions."""
    return _COMMAS.sub(_blank, _COMMENTS.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    said = found.group()
    return said if said.startswith('"') else re.sub(r"[^\r\n]", " ", said)


def _has_comment(text: str) -> bool:
    return any(not one.group().startswith('"') for one in _COMMENTS.finditer(text))


def _loaded(text: str) -> dict[str, object]:
    try:
        value = json.loads(_bare(text).strip("\ufeff \t\r\n") or "{}")
    except (ValueError, RecursionError) as error:
        raise _unusable(str(error)) from error
    if not isinstance(value, dict):
        raise _unusable(f"it contains {type(value).__name__}, not an object")
    return value


def _unusable(reason: str) -> FileError:
    return FileError(
        f"these Claude Code settings cannot be edited: {reason}",
        remedy="Correct the file, or install the plugin instead: `claude plugin install mind`.",
    )


def _space(bare: str, at: int) -> int:
    found = _SPACE.match(bare, at)
    return found.end() if found else at


def _parts(bare: str, start: int) -> Iterator[_Part]:
    """Yield the parts of the object or list that opens at ``start``."""
    at, closing = _space(bare, start + 1), "}" if bare[start] == "{" else "]"
    while bare[at] != closing:
        first, key = at, ""
        if closing == "}":
            key, end = scanstring(bare, at + 1)
            at = _space(bare, _space(bare, end) + 1)
        _, end = _DECODER.raw_decode(bare, at)
        yield _Part(key, first, at, end)
        at = _space(bare, end)
        if bare[at] == ",":
            at = _space(bare, at + 1)


def _find(bare: str, path: Sequence[str | int]) -> tuple[int, list[_Part]]:
    """Return where the container at ``path`` opens, and its parts."""
    start = _space(bare, 0)
    for key in path:
        parts = list(_parts(bare, start))
        wanted = [one for one in parts if one.key == key] if isinstance(key, str) else [parts[key]]
        start = wanted[-1].value  # of duplicate keys, the last one counts
    return start, list(_parts(bare, start))


def _span(bare: str, path: Sequence[str | int]) -> tuple[int, int]:
    """The start and end of the container at ``path``; (0, 0) if it does not exist."""
    try:
        start, _ = _find(bare, path)
    except IndexError:
        return 0, 0
    return start, _DECODER.raw_decode(bare, start)[1]


def _inserted(text: str, path: Sequence[str | int], key: str, value: object) -> str:
    """``text`` with ``value`` as the last part of the container at ``path``."""
    bare = _bare(text)
    start, parts = _find(bare, path)
    unit, newline = _unit(text), "\r\n" if "\r\n" in text else "\n"
    depth = len(path) + 1
    said = (f"{json.dumps(key)}: " if key else "") + _dumped(value, depth, unit)
    line = (newline + unit * depth + said).replace("\r\n", "\n").replace("\n", newline)
    if not parts:
        end = _DECODER.raw_decode(bare, start)[1] - 1
        inside = text[start + 1 : end].rstrip()
        return f"{text[: start + 1]}{inside}{line}{newline}{unit * (depth - 1)}{text[end:]}"
    last = parts[-1].end
    rest = _tail(text, last)
    if text[last:rest].lstrip().startswith(","):  # the user ends lists with a comma
        return f"{text[:rest]}{line},{text[rest:]}"
    return f"{text[:last]},{text[last:rest]}{line}{text[rest:]}"


_TAIL = re.compile(r"(?:\s*,)?(?:[ \t]*(?:/\*.*?\*/|//[^\r\n]*))*", re.DOTALL)


def _tail(text: str, at: int) -> int:
    """The end of a last part, including its comma and the comments on its line."""
    found = _TAIL.match(text, at)
    return found.end() if found else at


def _replaced(text: str, path: Sequence[str | int], value: dict[str, object]) -> str:
    if _at(text, path) == value:
        return text
    _, parts = _find(_bare(text), path[:-1])
    part = parts[int(path[-1])]
    newline = "\r\n" if "\r\n" in text else "\n"
    said = _dumped(value, len(path), _unit(text)).replace("\n", newline)
    return text[: part.value] + said + text[part.end :]


def _pruned(text: str, path: Sequence[str | int], kept: Container[str]) -> str:
    """``text`` without the handler at ``path``, and without containers that this leaves empty.

    Containers with a comment, and those at a place in ``kept``, stay.
    """
    bare = _bare(text)
    start, parts, at = _found(bare, path)
    for outer in (path[:3], path[:2], path[:1]):
        above, around, place = _found(bare, outer)
        one, inner = around[place], parts[at]
        beside = text[one.start : inner.start] + text[inner.end : one.end]
        if len(parts) > 1 or ".".join(map(str, outer)) in kept or _has_comment(beside):
            break
        start, parts, at = above, around, place
    return _without(text, start, parts, at)


def _found(bare: str, path: Sequence[str | int]) -> tuple[int, list[_Part], int]:
    """The start of the container of the part at ``path``, its parts, and the part's position."""
    start, parts = _find(bare, path[:-1])
    return start, parts, next(n for n, one in enumerate(parts) if path[-1] in (n, one.key))


def _without(text: str, start: int, parts: Sequence[_Part], at: int) -> str:
    """``text`` without one part and its comma; comments next to it stay."""
    commas = _COMMENTS.sub(_blank, text)
    part = parts[at]
    space = len(text[: part.start].rstrip())
    if at < len(parts) - 1:
        comma, following = commas.index(",", part.end) + 1, parts[at + 1].start
        beside = text[part.end : comma - 1]
        if (beside + text[comma:following]).strip():
            return joined(text[:space] + beside.rstrip(), text[comma:])
        return text[: part.start] + text[following:]
    closing = _space(_bare(text), part.end)
    trailing = commas.find(",", part.end, closing)
    if trailing >= 0:
        return joined(text[:space] + text[part.end : trailing].rstrip(), text[trailing + 1 :])
    if at:
        before = commas.index(",", parts[at - 1].end)
        kept = text[:before] + text[before + 1 : max(space, before + 1)]
        return joined(kept, text[part.end :])
    if not (text[start + 1 : space] + text[part.end : closing]).strip():
        return text[: start + 1] + text[closing:]
    return joined(joined(text[:space], text[part.end : closing]), text[closing:])


def _unit(text: str) -> str:
    indent = re.search(r"\n([ \t]+)[^\s/*]", text)
    return indent.group(1) if indent else "  "


def _dumped(value: object, depth: int, unit: str) -> str:
    dumped = json.dumps(value, indent=unit if unit.strip(" ") else len(unit), ensure_ascii=False)
    return dumped.replace("\n", "\n" + unit * depth)
