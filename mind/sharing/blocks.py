"""A marked block of lines in a file that belongs to somebody else."""

import re

from mind.errors import FileError

BEGIN, END = "# >>> mind{} >>>", "# <<< mind{} <<<"


def put(source: bytes, lines: list[str], name: str = "", *, after_first: bool = False) -> bytes:
    """``source`` with the block of ``name`` holding ``lines``; in its place if it is there.

    Args:
        source: A file of lines.
        lines: Of the block, without the marks.
        name: Tells several blocks of one file apart.
        after_first: A new block goes behind the first line, not to the end.

    Raises:
        FileError: A mark is there without its other, or twice: whose lines are whose is unknown.
    """
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    block = newline.join(
        line.encode("utf-8", "surrogateescape")
        for line in (*_marks(name)[:1], *lines, _marks(name)[1])
    )
    found = _span(source, name)
    if found:
        return source[: found[0]] + block + newline + source[found[1] :]
    if after_first:
        first, end, rest = source.partition(b"\n")
        return first + (end or newline) + block + newline + rest
    gap = b"" if not source or source.endswith((b"\n", b"\r")) else newline
    return source + gap + block + newline


def take(source: bytes, name: str = "") -> bytes:
    """``source`` without the block of ``name``.

    Raises:
        FileError: As for :func:`put`.
    """
    found = _span(source, name)
    return source[: found[0]] + source[found[1] :] if found else source


def _marks(name: str) -> tuple[str, str]:
    told = f": {name}" if name else ""
    return BEGIN.format(told), END.format(told)


def _span(source: bytes, name: str) -> tuple[int, int] | None:
    """Where the block begins, and where the line of its last mark ends."""
    begins, ends = (_lines(source, mark) for mark in _marks(name))
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0].end() <= ends[0].start():
        return begins[0].start(), ends[0].end()
    raise FileError(
        f"the marks of Mind's block are damaged: {' … '.join(_marks(name))}",
        remedy="Delete both lines, and what is Mind's between them; then run the command again.",
    )


def _lines(source: bytes, mark: str) -> list[re.Match[bytes]]:
    told = re.escape(mark.encode("utf-8", "surrogateescape"))
    return list(re.finditer(rb"^%b[ \t]*(?:\r?\n|\Z)" % told, source, re.MULTILINE))
