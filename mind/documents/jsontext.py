"""Add and remove members of JSON text without changing any other byte.

A path leads to a member through the keys of objects and the positions in lists. With ``comments``,
the text may have comments and trailing commas, as editors' settings do. They are blanked to find
the structure, so that offsets stay the same.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined] # public, but not in typeshed
from typing import Any

from mind.domain.errors import FileError

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
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


@dataclass(frozen=True, slots=True)
class _Source:
    """The text, the text without comments, and that without trailing commas (plain JSON)."""

    text: str
    comma: str
    bare: str

    def tail(self, at: int) -> int:
        """Return the end of the comments that follow ``at`` on its line."""
        if self.text == self.bare:
            return at
        found = _TAIL.match(self.text, at)
        return found.end() if found else at

    def has_comment(self, start: int, end: int) -> bool:
        """Return whether there is a comment between the two positions."""
        return self.text[start:end] != self.comma[start:end]

    def before(self, at: int) -> int:
        """Return the start of the white space that ends at ``at``."""
        return len(self.text[:at].rstrip(" \t\r\n"))


def load(text: str, *, comments: bool = False) -> dict[str, object]:
    """Parse ``text``; blank text is an empty object.

    Raises:
        FileError: It is not a JSON object.
    """
    return _loaded(_source(text, comments=comments).bare)


def value_at(text: str, path: Path, *, comments: bool = False) -> object:
    """The value at ``path``, or None if it is absent.

    Raises:
        FileError: ``text`` is not a JSON object.
    """
    value: Any = load(text, comments=comments)
    for key in path:
        if not isinstance(value, list if isinstance(key, int) else dict):
            return None
        value = dict(enumerate(value) if isinstance(key, int) else value).get(key)
    return value


def comments(text: str) -> str:
    """The comments in ``text``, without white space; "" if there are none."""
    found = (one.group() for one in _COMMENTS.finditer(text))
    return _squeezed("".join(one for one in found if not one.startswith('"')))


def line(text: str, path: Path, *, comments: bool = False) -> int:
    """The 1-based line of ``path``, or of its deepest part that exists."""
    steps = _steps(_source(text, comments=comments), path)
    return _line(text, max((one.start for _, one in steps if one), default=0))


def hollow(text: str, path: Path, *, comments: bool = False) -> tuple[int, str] | None:
    """The empty object or list on the way to ``path``: its depth and its text.

    None if the last one on the way has members, or if there is no text.
    """
    steps = _steps(_source(text, comments=comments), path)
    if not steps or steps[-1][0].members:
        return None
    return len(steps) - 1, text[steps[-1][0].start : steps[-1][0].end]


def put(text: str, path: Path, value: object, *, comments: bool = False) -> str:
    """Set ``path`` to ``value`` in ``text``, creating missing objects and lists.

    A position at the end of a list, or after it, appends ``value``.

    Raises:
        FileError: ``text`` is not a JSON object, or a value on the path is of another kind.
    """
    source = _source(text, comments=comments)
    if not source.bare.strip(_BLANK):
        source = _source(_joined(text, "{}\n"), comments=comments)
    steps = _steps(source, path)
    found, member = steps[-1]
    depth = len(steps)
    if member is None:
        return _inserted(source, found, path[depth - 1 :], value, depth)
    if depth < len(path):
        kind = "a list" if isinstance(path[depth], int) else "an object"
        raise _unusable(f"{path[depth - 1]!r} is not {kind}", _line(text, member.value))
    new = _dumped(value, depth, source.text)
    return text[: member.value] + new + text[member.end :]


def take(
    text: str, path: Path, *, comments: bool = False, was: tuple[int, str] | None = None
) -> str:
    """Remove the member at ``path``, and objects and lists that this leaves empty.

    Args:
        text: A JSON object.
        path: The place of the member.
        comments: Whether comments and trailing commas are accepted.
        was: The result of :func:`hollow` before the member was added.
    """
    source = _source(text, comments=comments)
    steps = [(found, member) for found, member in _steps(source, path) if member]
    if len(steps) < len(path):
        return text
    for depth in reversed(range(len(path))):
        found, member = steps[depth]
        if len(found.members) > 1:
            return _without(source, found, member)
        left = _emptied(source, found, member)
        if was and was[0] == depth and _squeezed(left) == _squeezed(was[1][1:-1]):
            return text[: found.start] + was[1] + text[found.end :]
        if not depth or left or source.has_comment(steps[depth - 1][1].start, found.start):
            break
    return _joined(text[: found.start + 1] + left, text[found.end - 1 :])


def _joined(left: str, right: str) -> str:
    """Join two texts, with a line break if ``left`` ends in a comment."""
    last = None
    for last in _COMMENTS.finditer(left):  # noqa: B007 - only the last value is used
        pass
    is_open = last is not None and last.end() == len(left) and last.group().startswith("//")
    return f"{left}\n{right}" if is_open and right.lstrip(" \t")[:1] not in "\r\n" else left + right


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _emptied(source: _Source, found: _Container, member: _Member) -> str:
    """Return the rest of an object without its only ``member``: comments, or ""."""
    comma = source.comma.find(",", member.end, found.end - 1)
    text, end = source.text, member.end
    left = text[found.start + 1 : source.before(member.start)]
    if comma >= 0:
        left, end = left + text[end:comma].rstrip(), comma + 1
    left = _joined(left, text[end : found.end - 1])
    return left if left.strip() else ""


def _without(source: _Source, found: _Container, member: _Member) -> str:
    text, at = source.text, found.members.index(member)
    space = source.before(member.start)
    if at < len(found.members) - 1:
        following = found.members[at + 1].start
        comma = source.comma.index(",", member.end) + 1
        beside = text[member.end : comma - 1]
        if (beside + text[comma:following]).strip():
            return _joined(text[:space] + beside.rstrip(), text[comma:])
        return text[: member.start] + text[following:]
    comma = source.comma.find(",", member.end, found.end - 1)
    if comma >= 0:
        return _joined(text[:space] + text[member.end : comma].rstrip(), text[comma + 1 :])
    before = source.comma.index(",", found.members[at - 1].end)
    kept = text[:before] + text[before + 1 : max(space, before + 1)]
    return _joined(kept, text[member.end :])


def _source(text: str, *, comments: bool) -> _Source:
    if not comments:
        return _Source(text, text, text)
    comma = _COMMENTS.sub(_blank, text)
    return _Source(text, comma, _COMMAS.sub(_blank, comma))


def _blank(found: re.Match[str]) -> str:
    said = found.group()
    if said.startswith('"'):
        return said
    return "".join(one if one in "\r\n" else " " for one in said)


def _loaded(bare: str) -> dict[str, object]:
    text = bare.removeprefix(_BOM)
    try:
        value = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise _unusable(str(error), error.lineno) from error
    except RecursionError as error:
        raise _unusable("it is nested too deeply", 1) from error
    if not isinstance(value, dict):
        raise _unusable(f"it holds {type(value).__name__}", 1)
    return value


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


def _steps(source: _Source, path: Path) -> list[tuple[_Container, _Member | None]]:
    """The objects and lists on the way to ``path``, each with its member that is on the way."""
    _loaded(source.bare)
    steps: list[tuple[_Container, _Member | None]] = []
    at = _after_space(source.bare, source.bare.startswith(_BOM))
    for key in path:
        if source.bare[at : at + 1] != ("[" if isinstance(key, int) else "{"):
            break
        found = _container(source.bare, at)
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


def _inserted(source: _Source, found: _Container, path: Path, value: object, depth: int) -> str:
    text, key = source.text, path[0]
    for inner in reversed(path[1:]):
        value = [value] if isinstance(inner, int) else {inner: value}
    named = f"{json.dumps(key)}: " if isinstance(key, str) else ""
    unit, newline = _unit(text), _newline(text)
    line = f"{newline}{unit * depth}{named}{_dumped(value, depth, text)}"
    if not found.members:
        space = source.before(found.end - 1)
        return f"{text[:space]}{line}{newline}{unit * (depth - 1)}{text[found.end - 1 :]}"
    last = found.members[-1].end
    comma = source.comma.find(",", last, found.end - 1)
    if comma >= 0:  # the user's style
        at = source.tail(comma + 1)
        return f"{text[:at]}{line},{text[at:]}"
    at = source.tail(last)
    return f"{text[:last]},{text[last:at]}{line}{text[at:]}"


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
