"""A marked block of lines in a file that Mind does not own."""

import re

from mind.domain.errors import FileError

_JOINED = b" "
"""Suffix of the first mark: the file had no final line end, so Mind added one."""
BEGIN, END = "# >>> mind{} >>>", "# <<< mind{} <<<"


def put(source: bytes, lines: list[str], name: str = "", *, after_first: bool = False) -> bytes:
    """Insert or replace the block ``name`` with ``lines``.

    Args:
        source: A file of lines.
        lines: Of the block, without the marks.
        name: Identifies the block.
        after_first: Insert a new block after the first line, not at the end.

    Raises:
        FileError: A mark is duplicated or lacks its counterpart.
    """
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    found = _span(source, name)
    is_new = not found and not after_first
    is_joined = is_new and bool(source) and not source.endswith((b"\n", b"\r"))
    begin, end = (mark.encode("utf-8", "surrogateescape") for mark in _marks(name))
    if is_joined or (found and _is_joined(source, found)):
        begin += _JOINED
    said = (line.encode("utf-8", "surrogateescape") for line in lines)
    block = b"".join(line + newline for line in (begin, *said, end))
    if found:
        return source[: found[0]] + block + source[found[1] :]
    if after_first:
        first, ended, rest = source.partition(b"\n")
        return first + (ended or newline) + block + rest
    return source + newline * is_joined + block


def take(source: bytes, name: str = "") -> bytes:
    """Remove the block ``name`` from ``source``.

    Raises:
        FileError: As for :func:`put`.
    """
    found = _span(source, name)
    if not found:
        return source
    before, after = source[: found[0]], source[found[1] :]
    if not after and _is_joined(source, found):
        before = before.removesuffix(b"\n").removesuffix(b"\r")
    return before + after


def _is_joined(source: bytes, found: tuple[int, int]) -> bool:
    """Return whether Mind added the line end before the block."""
    return source[slice(*found)].splitlines()[0].endswith(_JOINED)


def _marks(name: str) -> tuple[str, str]:
    told = f": {name}" if name else ""
    return BEGIN.format(told), END.format(told)


def _span(source: bytes, name: str) -> tuple[int, int] | None:
    """Return the start of the block and the end of its last line."""
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
