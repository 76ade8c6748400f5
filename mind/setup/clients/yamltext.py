"""Edits that add keys to YAML text and remove them, with every other byte unchanged.

PyYAML gives the position of each node; new text is spliced in there.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mind.domain.errors import DependencyMissing, FileError

_PLAIN = re.compile(r"[A-Za-z/][\w./-]*")
_RESERVED = frozenset("true false yes no on off null y n".split())

_Tree = Any
"""A node of PyYAML, which has no type annotations."""


def load(text: str) -> dict[str, object]:
    """Parse ``text``.

    Raises:
        FileError: It is not a YAML mapping.
        DependencyMissing: PyYAML is not installed.
    """
    root = _root(text)
    value = _value(root, ()) if root is not None else {}
    return value if isinstance(value, dict) else {}


def line(text: str, path: Sequence[str]) -> int:
    """The 1-based line of the value at ``path``, or of the deepest part of it that exists."""
    found, at = _root(text), 0
    for key in path:
        member = _get(found, key)
        if member is None:
            break
        at, found = member[0].start_mark.line, member[1]
    return int(at) + 1


def hollow(text: str, path: Sequence[str]) -> tuple[int, str] | None:
    """The empty mapping where ``path`` ends in ``text``: its depth and its text."""
    found, depth = _root(text), 0
    if _is_braces(found):
        return 0, text
    member = None
    for key in path[:-1]:
        following = _get(found, key)
        if following is None:
            break
        member, found, depth = following, following[1], depth + 1
    if member is None or _is_filled(found):
        return None
    return depth, text[_colon(text, member[0]) : _end(found)]


def put(text: str, path: Sequence[str], value: object) -> str:
    """``text`` with ``value`` at ``path``; missing mappings on the way are created.

    Raises:
        FileError: It, or a value on the way, is not a YAML mapping, or is one in braces.
        DependencyMissing: PyYAML is not installed.
    """
    found, member, depth = _root(text), None, 0
    while depth < len(path) and (following := _get(found, path[depth])):
        member, found, depth = following, following[1], depth + 1
    if member and depth == len(path):
        start = _colon(text, member[0])
        return f"{text[:start]} {_flow(value)}{text[_end(found) :]}"
    if member is None:
        rest = text[: found.start_mark.index] + text[_end(found) :] if _is_braces(found) else text
        return _after(rest if rest.strip() else "", len(text), _block(path, value, 0))
    if not _is_filled(found):
        return _filled(text, member, _block(path[depth:], value, member[0].start_mark.column + 2))
    if not _is_mapping(found) or found.flow_style:
        raise _unusable(
            f"{path[depth - 1]!r} is not a mapping on lines of its own",
            found.start_mark.line + 1,
        )
    column = found.value[0][0].start_mark.column
    unit = max(column - member[0].start_mark.column, 2) if member else 2
    return _after(text, _end(found), _block(path[depth:], value, column, unit))


def take(text: str, path: Sequence[str], *, was: tuple[int, str] | None = None) -> str:
    """``text`` without the value at ``path``, and without mappings that this leaves empty.

    Args:
        text: A YAML mapping.
        path: The keys that lead to the value to remove.
        was: The result of :func:`hollow` before it was added; that mapping stays.

    Raises:
        FileError: It is in braces, or shares its line with something else.
        DependencyMissing: PyYAML is not installed.
    """
    found, member = _root(text), None
    for depth, key in enumerate(path):
        above, member = member, _get(found, key)
        if member is None:
            return text
        if depth == len(path) - 1 and depth and len(found.value) == 1:
            return _hollowed(text, path, above, was)
        found = member[1]
    left = _without(text, member) if member else text
    return was[1] if was and was[0] == 0 and not left.strip() else left


def _hollowed(
    text: str, path: Sequence[str], above: tuple[_Tree, _Tree] | None, was: tuple[int, str] | None
) -> str:
    if above is None or not was or was[0] != len(path) - 1:
        return take(text, path[:-1], was=was)
    if not was[1].strip():
        return _without(text, above[1].value[0])
    start, first = _colon(text, above[0]), above[1].value[0][0]
    between = text[start : text.rfind("\n", 0, first.start_mark.index) + 1]
    comments = between.rstrip() if between.strip() else ""  # these are the user's, whenever added
    return text[:start] + was[1] + comments + text[_end(above[1]) :]


def _root(text: str) -> _Tree:
    try:
        import yaml  # noqa: PLC0415 - only clients with YAML settings need it
    except ImportError as error:
        raise DependencyMissing(
            "YAML cannot be edited without PyYAML",
            remedy="Run `pip install 'mind-lens[yaml]'`, or run `mind init --client NAME --print` "
            "and paste its output.",
        ) from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _unusable(str(error.problem), mark.line + 1 if mark else 1) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise _unusable(str(error), 1) from error
    if root is not None and not _is_mapping(root) and _is_filled(root):
        raise _unusable("it is not a mapping", 1)
    return root if _is_mapping(root) else None


def _is_mapping(node: _Tree) -> bool:
    return node is not None and node.id == "mapping"


def _is_filled(node: _Tree) -> bool:
    """True if ``node`` is neither missing, null nor an empty collection."""
    return node is not None and not node.tag.endswith(":null") and bool(node.value)


def _is_braces(root: _Tree) -> bool:
    return _is_mapping(root) and bool(root.flow_style) and not root.value


def _get(node: _Tree, key: str) -> tuple[_Tree, _Tree] | None:
    if not _is_mapping(node):
        return None
    found = [one for one in node.value if one[0].id == "scalar" and one[0].value == key]
    return found[-1] if found else None


def _value(node: _Tree, above: tuple[int, ...]) -> object:
    """The value of ``node`` in JSON types, as far as possible."""
    if id(node) in above:
        raise _unusable("it contains itself", node.start_mark.line + 1)
    above = (*above, id(node))
    if node.id == "mapping":
        return {str(_value(key, above)): _value(inner, above) for key, inner in node.value}
    if node.id == "sequence":
        return [_value(inner, above) for inner in node.value]
    kind = node.tag.rpartition(":")[2]
    if kind in ("null", "bool", "int"):
        return _constant(kind, node.value)
    return node.value if kind == "str" else f"{node.tag} {node.value}"


def _constant(kind: str, said: str) -> object:
    if kind == "null":
        return None
    if kind == "bool":
        return said.lower() in ("true", "yes", "on")
    return int(said) if said.isdecimal() else f"int {said}"


def _colon(text: str, key: _Tree) -> int:
    return text.index(":", key.end_mark.index) + 1


def _end(node: _Tree) -> int:
    """The position after the last character of ``node``.

    PyYAML itself reports the start of the next node for a block.
    """
    if node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if node.id == "mapping" else last)
    return int(node.end_mark.index)


def _without(text: str, member: tuple[_Tree, _Tree]) -> str:
    key, value = member
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    if text[start : key.start_mark.index].strip():
        raise _unusable(f"{key.value!r} is not on lines of its own", key.start_mark.line + 1)
    end = _line_end(text, _end(value))
    if end == len(text) and not text.endswith("\n"):
        return text[:start].removesuffix("\n").removesuffix("\r")
    return text[:start] + text[end:]


def _line_end(text: str, at: int) -> int:
    """The end of the line that ``at`` is on; ``at`` itself at the start of a line."""
    if text[:at].endswith("\n"):
        return at
    return text.find("\n", at) + 1 or len(text)


def _after(text: str, at: int, lines: list[str]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(lines)
    at = _line_end(text, at) if at < len(text) else at
    if text[:at] and not text[:at].endswith("\n"):  # like the file, without a final line end
        return text[:at] + newline + block
    return text[:at] + block + newline + text[at:]


def _filled(text: str, member: tuple[_Tree, _Tree], lines: list[str]) -> str:
    """``text`` with ``lines`` as the value of a key that has none, or empty braces."""
    start, end = _colon(text, member[0]), _end(member[1])
    return _after(text[:start] + text[end:], start, lines)


def _block(path: Sequence[str], value: object, column: int, unit: int = 2) -> list[str]:
    lines = [f"{' ' * (column + unit * depth)}{key}:" for depth, key in enumerate(path)]
    if not isinstance(value, Mapping):
        return [*lines[:-1], f"{lines[-1]} {_flow(value)}"]
    indent = " " * (column + unit * len(path))
    return [*lines, *(f"{indent}{key}: {_flow(inner)}" for key, inner in value.items())]


def _flow(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def _unusable(reason: str, line: int) -> FileError:
    return FileError(
        f"this YAML cannot be edited: {reason}",
        remedy="Correct the file, or add the entry by hand.",
        line=line,
    )
