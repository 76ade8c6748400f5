"""Add and remove members of JSON text without changing any other byte.

With ``comments``, the text may have comments and trailing commas, as editors' settings do. They are
blanked to find the structure, so that offsets stay the same.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined] # public, but not in typeshed

from mind.domain.errors import FileError

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENTS = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_COMMAS = re.compile(rf'{_STRING}|(?<=[\w\]}}"])\s*,(?=\s*[}}\]])', re.DOTALL)
_TAIL = re.compile(r"(?:[ \t]*(?:/\*.*?\*/|//[^\r\n]*))*", re.DOTALL)
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int  # of the key's quotation mark
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    start: int  # of the brace
    end: int  # after the closing brace
    members: tuple[_Member, ...]

    def get(self, key: str) -> _Member | None:
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

    def before(self, at: int) -> int:
        """Return the start of the white space that ends at ``at``."""
        return len(self.text[:at].rstrip(" \t\r\n"))


def load(text: str, *, comments: bool = False) -> dict[str, object]:
    """Parse ``text``; blank text is an empty object.

    Raises:
        FileError: It is not a JSON object.
    """
    return _loaded(_source(text, comments=comments).bare)


def value_at(text: str, path: Sequence[str], *, comments: bool = False) -> object:
    """The value at ``path``, or None if it is absent.

    Raises:
        FileError: ``text`` is not a JSON object.
    """
    value: object = load(text, comments=comments)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def line(text: str, path: Sequence[str], *, comments: bool = False) -> int:
    """The 1-based line of ``path``, or of its deepest part that exists."""
    source = _source(text, comments=comments)
    at, found = 0, _root(source)
    for key in path:
        member = found.get(key)
        if member is None:
            break
        at = member.start
        if source.bare[member.value] != "{":
            break
        found = _object(source.bare, member.value)
    return _line(text, at)


def hollow(text: str, path: Sequence[str], *, comments: bool = False) -> tuple[int, str] | None:
    """The empty object on the way to ``path``: its depth and its text.

    None if the last object on the way has members, or if there is no text.
    """
    source = _source(text, comments=comments)
    if not source.bare.strip(_BOM + " \t\r\n"):
        return None
    found, depth = _root(source), 0
    for key in path[:-1]:
        member = found.get(key)
        if member is None or source.bare[member.value] != "{":
            break
        found, depth = _object(source.bare, member.value), depth + 1
    return None if found.members else (depth, text[found.start : found.end])


def put(text: str, path: Sequence[str], value: object, *, comments: bool = False) -> str:
    """Set ``path`` to ``value`` in ``text``, creating missing objects.

    Raises:
        FileError: ``text`` is not a JSON object, or a value on the path is not one.
    """
    source = _source(text, comments=comments)
    if not source.bare.strip():
        return text + _nested(path, value) + "\n"
    _loaded(source.bare)
    found = _root(source)
    for depth, key in enumerate(path):
        member = found.get(key)
        if member is None:
            return _inserted(source, found, path[depth:], value, depth + 1)
        if depth == len(path) - 1:
            new = _dumped(value, depth + 1, _unit(text))
            return text[: member.value] + new + text[member.end :]
        if source.bare[member.value] != "{":
            raise _unusable(f"{key!r} is not an object", _line(text, member.value))
        found = _object(source.bare, member.value)
    return text


def take(
    text: str, path: Sequence[str], *, comments: bool = False, was: tuple[int, str] | None = None
) -> str:
    """Remove the member at ``path``, and objects that this leaves empty.

    Args:
        text: A JSON object.
        path: The keys that lead to the member.
        comments: Whether comments and trailing commas are accepted.
        was: The result of :func:`hollow` before the member was added.
    """
    source = _source(text, comments=comments)
    found = _holder(source, path)
    member = found.get(path[-1]) if found else None
    if found is None or member is None:
        return text
    if len(found.members) > 1:
        return _without(source, found, member)
    left = _emptied(source, found, member)
    depth = len(path) - 1
    if was and was[0] == depth and _squeezed(left) == _squeezed(was[1][1:-1]):
        return text[: found.start] + was[1] + text[found.end :]
    if depth and not left.strip(" \t\r\n"):
        return take(text, path[:-1], comments=comments, was=was)
    return joined(text[: found.start + 1] + left, text[found.end - 1 :])


def joined(left: str, right: str) -> str:
    """Join two texts, with a line break if ``left`` ends in a comment."""
    last = None
    for last in _COMMENTS.finditer(left):  # noqa: B007 - only the last value is used
        pass
    is_open = last is not None and last.end() == len(left) and last.group().startswith("//")
    return f"{left}\n{right}" if is_open and right.lstrip(" \t")[:1] not in "\r\n" else left + right


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _holder(source: _Source, path: Sequence[str]) -> _Object | None:
    """The object that may contain the member at ``path``."""
    if not source.bare.strip():
        return None
    found = _root(source)
    for key in path[:-1]:
        member = found.get(key)
        if member is None or source.bare[member.value] != "{":
            return None
        found = _object(source.bare, member.value)
    return found


def _emptied(source: _Source, found: _Object, member: _Member) -> str:
    """Return the rest of an object without its only ``member``: comments, or ""."""
    comma = source.comma.find(",", member.end, found.end - 1)
    text, end = source.text, member.end
    left = text[found.start + 1 : source.before(member.start)]
    if comma >= 0:
        left, end = left + text[end:comma].rstrip(), comma + 1
    left = joined(left, text[end : found.end - 1])
    return left if left.strip() else ""


def _without(source: _Source, found: _Object, member: _Member) -> str:
    text, at = source.text, found.members.index(member)
    space = source.before(member.start)
    if at < len(found.members) - 1:
        following = found.members[at + 1].start
        comma = source.comma.index(",", member.end) + 1
        beside = text[member.end : comma - 1]
        if (beside + text[comma:following]).strip():
            return joined(text[:space] + beside.rstrip(), text[comma:])
        return text[: member.start] + text[following:]
    comma = source.comma.find(",", member.end, found.end - 1)
    if comma >= 0:
        return joined(text[:space] + text[member.end : comma].rstrip(), text[comma + 1 :])
    before = source.comma.index(",", found.members[at - 1].end)
    kept = text[:before] + text[before + 1 : max(space, before + 1)]
    return joined(kept, text[member.end :])


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


def _root(source: _Source) -> _Object:
    _loaded(source.bare)
    return _object(source.bare, _after_space(source.bare, source.bare.startswith(_BOM)))


def _object(text: str, start: int) -> _Object:
    members: list[_Member] = []
    at = _after_space(text, start + 1)
    while text[at] != "}":
        key, end = scanstring(text, at + 1)
        value = _after_space(text, _after_space(text, end) + 1)
        _, value_end = _DECODER.raw_decode(text, value)
        members.append(_Member(key, at, value, value_end))
        at = _after_space(text, value_end)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return _Object(start, at + 1, tuple(members))


def _inserted(
    source: _Source, found: _Object, path: Sequence[str], value: object, depth: int
) -> str:
    text = source.text
    unit, newline = _unit(text), "\r\n" if "\r\n" in text else "\n"
    for key in reversed(path[1:]):
        value = {key: value}
    member = f"{json.dumps(path[0])}: {_dumped(value, depth, unit)}".replace("\n", newline)
    line = f"{newline}{unit * depth}{member}"
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


def _dumped(value: object, depth: int, unit: str) -> str:
    dumped = json.dumps(value, indent=unit if unit.strip(" ") else len(unit), ensure_ascii=False)
    return dumped.replace("\n", "\n" + unit * depth)


def _nested(path: Sequence[str], value: object) -> str:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)
