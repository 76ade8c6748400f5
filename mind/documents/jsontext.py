"""Add and remove members of JSON text without changing any other byte.

A path leads to a member through the keys of objects and the positions in lists. The text may have
comments and trailing commas, as editors' settings do. They are blanked to find the structure, so
that offsets stay the same.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined] # public, but not in typeshed
from typing import Any

from mind.domain.errors import FileError

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENTS = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?(?:\*/|(?P<open>\Z))", re.DOTALL)
"""A string or a comment. One without an end is a match too, or each search for it would be long."""
_COMMAS = re.compile(rf'{_STRING}|(?<=[\w\]}}"])\s*,(?=\s*[}}\]])', re.DOTALL)
_TAIL = re.compile(r"(?:[ \t]*(?:/\*.*?\*/|//[^\r\n]*))*", re.DOTALL)
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"
_BLANK = _BOM + " \t\r\n"

Path = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object, or an element of a list with its position as the key."""

    key: str | int
    start: int  # of the key's quotation mark
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Container:
    """An object or a list."""

    start: int  # of the brace
    end: int  # after the closing brace
    members: tuple[_Member, ...]

    def get(self, key: str | int) -> _Member | None:
        """The effective member: the last one if a key occurs twice."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def load(text: str, *, strict: bool = False) -> dict[str, object]:
    """Parse ``text``; blank text is an empty object.

    Args:
        text: JSON text.
        strict: Reject comments and trailing commas, as its reader does.

    Raises:
        FileError: It is not a JSON object.
    """
    plain = (text if strict else _plain(text)).removeprefix(_BOM)
    try:
        value = json.loads(plain) if plain.strip() else {}
    except json.JSONDecodeError as error:
        raise _unusable(str(error), error.lineno) from error
    except RecursionError as error:
        raise _unusable("it is nested too deeply", 1) from error
    if not isinstance(value, dict):
        raise _unusable(f"it holds {type(value).__name__}", 1)
    return value


def value_at(text: str, path: Path) -> object:
    """The value at ``path``, or None if it is absent.

    Raises:
        FileError: ``text`` is not a JSON object.
    """
    value: Any = load(text)
    for key in path:
        if not isinstance(value, list if isinstance(key, int) else dict):
            return None
        value = dict(enumerate(value) if isinstance(key, int) else value).get(key)
    return value


def comments(text: str) -> str:
    """The comments in ``text``, without white space; "" if there are none."""
    found = (one.group() for one in _COMMENTS.finditer(text))
    return _squeezed("".join(one for one in found if not one.startswith('"')))


def line(text: str, path: Path) -> int:
    """The 1-based line of ``path``, or of its deepest part that exists."""
    return _line(text, max((one.start for _, one in _steps(text, path) if one), default=0))


def hollow(text: str, path: Path) -> tuple[int, str] | None:
    """The empty object or list on the way to ``path``: its depth and its text.

    None if the last one on the way has members, or if there is no text.
    """
    steps = _steps(text, path)
    if not steps or steps[-1][0].members:
        return None
    return len(steps) - 1, text[steps[-1][0].start : steps[-1][0].end]


def put(text: str, path: Path, value: object) -> str:
    """Set ``path`` to ``value`` in ``text``, creating missing objects and lists.

    A position at the end of a list, or after it, appends ``value``.

    Raises:
        FileError: ``text`` is not a JSON object, or a value on the path is of another kind.
    """
    if not _plain(text).strip(_BLANK):
        text += "\n{}\n" if _is_in_comment(text) else "{}\n"
    steps = _steps(text, path)
    found, member = steps[-1]
    depth = len(steps)
    if member is None:
        return _inserted(text, found, path[depth - 1 :], value, depth)
    if depth < len(path):
        kind = "a list" if isinstance(path[depth], int) else "an object"
        raise _unusable(f"{path[depth - 1]!r} is not {kind}", _line(text, member.value))
    return text[: member.value] + _dumped(value, depth, text) + text[member.end :]


def take(text: str, path: Path, *, was: tuple[int, str] | None = None) -> str:
    """Remove the member at ``path``, and objects and lists that this leaves empty.

    Args:
        text: A JSON object.
        path: The place of the member.
        was: The result of :func:`hollow` before the member was added.
    """
    steps = [(found, member) for found, member in _steps(text, path) if member]
    if len(steps) < len(path):
        return text
    for depth in reversed(range(len(path))):
        found, member = steps[depth]
        left = _without(text, found, member)
        inside = left[found.start + 1 : found.end - 1 - len(text) + len(left)]
        if was and was[0] == depth and _squeezed(inside) == _squeezed(was[1][1:-1]):
            return text[: found.start] + was[1] + text[found.end :]
        if inside.strip():
            return left
        if depth and comments(text[steps[depth - 1][1].start : found.start]):
            break
    return text[: found.start + 1] + text[found.end - 1 :]


def _without(text: str, found: _Container, member: _Member) -> str:
    """``text`` without a member and a comma; comments beside it stay."""
    bare, at = _blanked(text), found.members.index(member)
    comma = _after_space(bare, member.end)
    if at < len(found.members) - 1:
        following = _after_space(text, comma + 1)
        return text[: member.start] + text[member.end : comma] + text[following:]
    rest = text[member.end :]
    if bare[comma] == ",":
        rest = text[member.end : comma] + text[comma + 1 :]
    before = text[: member.start].rstrip(" \t\r\n")
    if _is_in_comment(before) and rest.lstrip(" \t")[:1] not in "\r\n":
        before = text[: member.start]
    if at and bare[comma] != ",":
        comma = bare.index(",", found.members[at - 1].end)
        before = before[:comma] + before[comma + 1 :]
    return before + rest


def _is_in_comment(text: str) -> bool:
    """Return whether what follows ``text`` on its last line belongs to a comment."""
    found = list(_COMMENTS.finditer(text))
    return bool(found) and found[-1].end() == len(text) and found[-1].group().startswith("//")


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _blanked(text: str) -> str:
    """``text`` with spaces in place of comments."""
    return _COMMENTS.sub(_blank, text)


def _plain(text: str) -> str:
    """``text`` with spaces in place of comments and trailing commas: plain JSON."""
    return _COMMAS.sub(_blank, _blanked(text))


def _blank(found: re.Match[str]) -> str:
    said = found.group()
    is_kept = said.startswith('"') or found.lastgroup == "open"
    return said if is_kept else re.sub(r"[^\r\n]", " ", said)


def _unusable(reason: str, line: int) -> FileError:
    return FileError(
        f"not a JSON object that can be edited: {reason}",
        remedy="Correct the file, or add the entry by hand.",
        line=line,
    )


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _steps(text: str, path: Path) -> list[tuple[_Container, _Member | None]]:
    """The objects and lists on the way to ``path``, each with its member that is on the way."""
    load(text)
    plain = _plain(text)
    steps: list[tuple[_Container, _Member | None]] = []
    at = _after_space(plain, plain.startswith(_BOM))
    for key in path:
        if plain[at : at + 1] != ("[" if isinstance(key, int) else "{"):
            break
        found = _container(plain, at)
        member = found.get(key)
        steps.append((found, member))
        if member is None:
            break
        at = member.value
    return steps


def _container(text: str, start: int) -> _Container:
    members: list[_Member] = []
    at = _after_space(text, start + 1)
    while text[at] not in "}]":
        key: str | int = len(members)
        value = at
        if text[start] == "{":
            key, end = scanstring(text, at + 1)
            value = _after_space(text, _after_space(text, end) + 1)
        _, value_end = _DECODER.raw_decode(text, value)
        members.append(_Member(key, at, value, value_end))
        at = _after_space(text, value_end)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return _Container(start, at + 1, tuple(members))


def _inserted(text: str, found: _Container, path: Path, value: object, depth: int) -> str:
    key = path[0]
    for inner in reversed(path[1:]):
        value = [value] if isinstance(inner, int) else {inner: value}
    named = f"{json.dumps(key)}: " if isinstance(key, str) else ""
    unit, newline = _unit(text), _newline(text)
    line = f"{newline}{unit * depth}{named}{_dumped(value, depth, text)}"
    if not found.members:
        before, after = text[: found.end - 1].rstrip(" \t\r\n"), text[found.end - 1 :]
        return f"{before}{line}{newline}{unit * (depth - 1)}{after}"
    last = found.members[-1].end
    comma = _after_space(_blanked(text), last)
    if text[comma] == ",":  # the user's style
        at = _after_comments(text, comma + 1)
        return f"{text[:at]}{line},{text[at:]}"
    at = _after_comments(text, last)
    return f"{text[:last]},{text[last:at]}{line}{text[at:]}"


def _after_comments(text: str, at: int) -> int:
    """The end of the comments that follow ``at`` on its line."""
    found = _TAIL.match(text, at)
    return found.end() if found else at


def _unit(text: str) -> str:
    indent = re.search(r"\n([ \t]+)[^\s/*]", text)
    return indent.group(1) if indent else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dumped(value: object, depth: int, text: str) -> str:
    """``value`` as JSON in the style of ``text``."""
    unit = _unit(text)
    dumped = json.dumps(value, indent=unit if unit.strip(" ") else len(unit), ensure_ascii=False)
    return dumped.replace("\n", _newline(text) + unit * depth)
