"""Add and remove tables of TOML text without changing any other byte.

The text is cut into statements: the fewest lines that are valid TOML by themselves, so that text in
a multi-line string is not taken for a heading. Takes time linear in the length.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mind.domain.errors import FileError

_PIECE = re.compile(
    r"""
    "{3} (?: [^"\\]++ | \\. | "{1,2}+ (?!") )*+ "{3,5}  # strings of several lines
    | '{3} (?: [^']++ | '{1,2}+ (?!') )*+ '{3,5}
    | " (?: [^"\\\n]++ | \\. )*+ "
    | ' [^'\n]*+ '
    | \# [^\n]*+
    | [^"'\#\[\]{}\n]++
    | .
    """,
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """Lines that set a value, or the heading of a table.

    Attributes:
        start: Offset of the first.
        end: After their last line end.
        path: The full key path, including the table's; () for blank lines and comments.
        heading: Whether they are a table's heading.
    """

    start: int
    end: int
    path: tuple[str, ...]
    heading: bool


def load(text: str) -> dict[str, object]:
    """Parse ``text``.

    Raises:
        FileError: It is not valid TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(str(error), _line_of(error, text)) from error
    except RecursionError as error:
        raise _unusable("it is nested too deeply", 1) from error


def line(text: str, path: Sequence[str]) -> int:
    """The 1-based line of ``text`` at which ``path`` begins."""
    wanted = tuple(path)
    found = (one.start for one in _statements(text) if one.path[: len(wanted)] == wanted)
    return text.count("\n", 0, next(found, 0)) + 1


def put(text: str, path: Sequence[str], value: object) -> str:
    """Set ``path`` to ``value``: a table at the end, other values in their table.

    Raises:
        FileError: It is not valid TOML, or has no table at ``path[:-1]`` with a heading of its own.
    """
    load(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    statements = list(_statements(text))
    there = next((one for one in statements if one.path == tuple(path)), None)
    if isinstance(value, Mapping):
        gap = newline if text else ""
        return text + gap + _table(path, value).replace("\n", newline)
    if there:
        key, comment = _around_value(text[there.start : there.end])
        line = f"{key} {_written(value)}{comment}"
        return text[: there.start] + line + text[there.end :]
    line = f"{path[-1]} = {_written(value)}{newline}"
    table = [one for one in statements if one.path == tuple(path[:-1]) and one.heading]
    if not table:
        raise _unusable(f"[{'.'.join(path[:-1])}] has no heading of its own", 1)
    return text[: table[0].end] + line + text[table[0].end :]


def take(text: str, path: Sequence[str]) -> str:
    """Remove ``path`` and its subtables, and one blank line before; an emptied table stays.

    Comments and blank lines after it belong to the next statement and stay.
    """
    load(text)
    wanted = tuple(path)
    kept: list[str] = []
    end, is_table = -1, False
    for one in _statements(text):
        if one.path[: len(wanted)] != wanted:
            kept.append(text[one.start : one.end])
            continue
        if end != one.start and kept and not kept[-1].strip():
            kept[-1] = ""  # the separator added by :func:`put`
        end, is_table = one.end, is_table or one.heading
    if end == len(text) and is_table and kept and kept[-1].strip():  # no final line end
        kept[-1] = kept[-1].removesuffix("\n").removesuffix("\r")
    return "".join(kept)


def _statements(text: str) -> Iterator[_Statement]:
    """Cut valid TOML ``text`` into statements that tile it."""
    table: tuple[str, ...] = ()
    start = 0
    for end in _ends(text):
        piece = text[start:end]
        said = tomllib.loads(piece)
        heading = piece.lstrip().startswith("[")
        keys = _keys(said)
        if heading:
            table = keys
        yield _Statement(start, end, keys if heading else (*table, *keys) if keys else (), heading)
        start = end


def _ends(text: str) -> Iterator[int]:
    """Yield the ends of statements: after line ends outside strings and brackets."""
    depth = end = 0
    for found in _PIECE.finditer(text):
        piece, end = found.group(), found.end()
        depth += (piece in "[{") - (piece in "]}")
        if piece == "\n" and not depth:
            yield end
    if text and text[-1:] != "\n":
        yield end


def _keys(said: Mapping[str, object]) -> tuple[str, ...]:
    """The keys that a statement sets; a table in an array counts as the array."""
    keys: list[str] = []
    value: object = said
    while isinstance(value, Mapping) and len(value) == 1:
        ((key, value),) = value.items()
        keys.append(key)
    return tuple(keys)


def _around_value(statement: str) -> tuple[str, str]:
    """Return the text around a statement's value: its key, and a comment."""
    depth, key, behind = 0, 0, len(statement.rstrip("\r\n"))
    for found in _PIECE.finditer(statement):
        piece = found.group()
        if not key and piece[0] not in "\"'" and "=" in piece:
            key = found.start() + piece.index("=") + 1
        depth += (piece in "[{") - (piece in "]}")
        if piece.startswith("#") and not depth:
            behind = len(statement[: found.start()].rstrip(" \t"))
    return statement[:key], statement[behind:]


def _table(path: Sequence[str], value: Mapping[str, object]) -> str:
    lines = [f"[{'.'.join(path)}]"]
    lines += [f"{key} = {_written(inner)}" for key, inner in value.items()]
    return "\n".join(lines) + "\n"


def _written(value: object) -> str:
    import tomli_w  # noqa: PLC0415 - only clients with TOML settings need it

    if isinstance(value, list):
        return f"[{', '.join(_written(one) for one in value)}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def _line_of(error: tomllib.TOMLDecodeError, text: str) -> int:
    """The line number in Python's error message, its only source before 3.14."""
    words = str(error).replace(",", " ").replace(")", " ").split()
    if "line" in words:
        return int(words[words.index("line") + 1])
    return text.rstrip("\n").count("\n") + 1


def _unusable(reason: str, line: int) -> FileError:
    return FileError(
        f"not TOML that can be edited: {reason}",
        remedy="Correct the file, or add the entry by hand.",
        line=line,
    )
