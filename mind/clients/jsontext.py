"""Members added to and taken out of JSON text, with every other byte left as it is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined] # public, but not in typeshed

from mind.errors import FileError

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


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
        return next((one for one in self.members if one.key == key), None)


def value_at(text: str, path: Sequence[str]) -> object:
    """The value at ``path``, or None where there is none.

    Raises:
        FileError: ``text`` is not a JSON object.
    """
    value = _loaded(text)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def put(text: str, path: Sequence[str], value: object) -> str:
    """``text`` with ``value`` at ``path``; missing objects on the way are made.

    Raises:
        FileError: ``text`` is not a JSON object, or something on the way is not one.
    """
    if not text.strip():
        return _nested(path, value) + "\n"
    _loaded(text)
    found = _object(text, _after_space(text, 1 if text.startswith("\ufeff") else 0))
    for depth, key in enumerate(path):
        member = found.get(key)
        if member is None:
            return _inserted(text, found, path[depth:], value, depth + 1)
        if depth == len(path) - 1:
            return (
                text[: member.value] + _dumped(value, depth + 1, _unit(text)) + text[member.end :]
            )
        if text[member.value] != "{":
            raise _unusable(f"{key!r} is not an object")
        found = _object(text, member.value)
    return text


def take(text: str, path: Sequence[str]) -> str:
    """``text`` without the member at ``path``, and without objects that this leaves empty."""
    if value_at(text, path) is None:
        return text
    found = _object(text, _after_space(text, 1 if text.startswith("\ufeff") else 0))
    for key in path[:-1]:
        member = found.get(key)
        found = _object(text, member.value) if member else found
    member = found.get(path[-1])
    if member is None:
        return text
    if len(found.members) == 1 and len(path) > 1:
        return take(text, path[:-1])
    start, end = _removal(found, member)
    return text[:start] + text[end:]


def _removal(found: _Object, member: _Member) -> tuple[int, int]:
    at = found.members.index(member)
    if at:
        return found.members[at - 1].end, member.end
    if len(found.members) > 1:
        return member.start, found.members[1].start
    return found.start + 1, found.end - 1


def _loaded(text: str) -> object:
    try:
        value = json.loads(text.removeprefix("\ufeff") or "{}")
    except ValueError as error:
        raise _unusable(str(error)) from error
    if not isinstance(value, dict):
        raise _unusable(f"it holds {type(value).__name__}")
    return value


def _unusable(reason: str) -> FileError:
    return FileError(
        f"not a JSON object that can be edited: {reason}",
        remedy="Correct the file, or add the entry by hand.",
    )


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


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


def _inserted(text: str, found: _Object, path: Sequence[str], value: object, depth: int) -> str:
    unit, newline = _unit(text), "\r\n" if "\r\n" in text else "\n"
    for key in reversed(path[1:]):
        value = {key: value}
    member = f"{json.dumps(path[0])}: {_dumped(value, depth, unit)}".replace("\n", newline)
    if found.members:
        at = found.members[-1].end
        return f"{text[:at]},{newline}{unit * depth}{member}{text[at:]}"
    inner = f"{newline}{unit * depth}{member}{newline}{unit * (depth - 1)}"
    return text[: found.start + 1] + inner + text[found.end - 1 :]


def _unit(text: str) -> str:
    indent = re.search(r"\n([ \t]+)\S", text)
    return indent.group(1) if indent else "  "


def _dumped(value: object, depth: int, unit: str) -> str:
    dumped = json.dumps(value, indent=unit if unit.strip(" ") else len(unit), ensure_ascii=False)
    return dumped.replace("\n", "\n" + unit * depth)


def _nested(path: Sequence[str], value: object) -> str:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value, indent=2, ensure_ascii=False)
