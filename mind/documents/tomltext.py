"""Tables added to and taken out of TOML text, with every other byte left as it is.

The text is cut into statements: the fewest lines that are TOML by themselves, so that what looks
like a heading inside a string of several lines is none. That takes time in proportion to its
length.
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
    """Lines that set something, or the heading of a table.

    Attributes:
        start: Where they begin.
        end: After their last line end.
        path: The keys that lead to what they set, the table's included; () for blank lines and
            comments.
        heading: Whether they are a table's heading.
    """

    start: int
    end: int
    path: tuple[str, ...]
    heading: bool


def load(text: str) -> dict[str, object]:
    """Return what ``text`` says.

    Raises:
        FileError: It is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(str(error), _line_of(error, text)) from error
    except RecursionError as error:
        raise _unusable("it is nested too deeply", 1) from error


def line(text: str, path: Sequence[str]) -> int:
    """The line of ``text``, from 1, on which what ``path`` leads to begins."""
    wanted = tuple(path)
    found = (one.start for one in _statements(text) if one.path[: len(wanted)] == wanted)
    return text.count("\n", 0, next(found, 0)) + 1


def hollow(text: str, path: Sequence[str]) -> tuple[int, str] | None:
    """None: a table without keys stays where it is, see :func:`take`."""
    del text, path
    return None


def put(text: str, path: Sequence[str], value: object) -> str:
    """``text`` with ``value`` at ``path``: a table at the end, any other value in its table.

    Raises:
        FileError: It is no TOML, or has no table at ``path[:-1]`` with a heading of its own.
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


def take(text: str, path: Sequence[str], *, was: tuple[int, str] | None = None) -> str:
    """``text`` without what is set at ``path`` and below, and one blank line before it.

    Comments and blank lines after it belong to what follows, and stay.
    """
    del was
    load(text)
    wanted = tuple(path)
    kept: list[str] = []
    end, is_table = -1, False
    for one in _statements(text):
        if one.path[: len(wanted)] != wanted:
            kept.append(text[one.start : one.end])
            continue
        if end != one.start and kept:
            kept[-1] = _unparted(kept[-1])
        end, is_table = one.end, is_table or one.heading
    if end == len(text) and is_table and kept and kept[-1].strip():  # the file had no last line end
        kept[-1] = kept[-1].removesuffix("\n").removesuffix("\r")
    return "".join(kept)


def _unparted(line: str) -> str:
    """``line``, or "" if it is blank: the one that :func:`put` set between."""
    return line if line.strip() else ""


def _statements(text: str) -> Iterator[_Statement]:
    """``text`` in pieces that together are all of it; it is valid TOML."""
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
    """Yield where statements end: behind line ends outside of strings and brackets."""
    depth = end = 0
    for found in _PIECE.finditer(text):
        piece, end = found.group(), found.end()
        depth += (piece in "[{") - (piece in "]}")
        if piece == "\n" and not depth:
            yield end
    if text and text[-1:] != "\n":
        yield end


def _keys(said: Mapping[str, object]) -> tuple[str, ...]:
    """The keys that one statement names: a table in an array counts as the array."""
    keys: list[str] = []
    value: object = said
    while isinstance(value, Mapping) and len(value) == 1:
        ((key, value),) = value.items()
        keys.append(key)
    return tuple(keys)


def _around_value(statement: str) -> tuple[str, str]:
    """Give the text around the value that a statement sets: its key, and a comment."""
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
    """The line that Python's message names, which is its only place before 3.14."""
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
