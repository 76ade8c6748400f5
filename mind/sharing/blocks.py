"""A marked block of lines in a file that belongs to somebody else."""

import re

BEGIN, END = "# >>> mind{} >>>", "# <<< mind{} <<<"


def put(source: bytes, lines: list[str], name: str = "", *, after_first: bool = False) -> bytes:
    """``source`` with the block of ``name`` holding ``lines``; in its place if it is there.

    Args:
        source: A file of lines.
        lines: Of the block, without the marks.
        name: Tells several blocks of one file apart.
        after_first: A new block goes behind the first line, not to the end.
    """
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    block = newline.join(
        line.encode("utf-8", "surrogateescape")
        for line in (*_marks(name)[:1], *lines, _marks(name)[1])
    )
    found = _pattern(name).search(source)
    if found:
        return source[: found.start()] + block + newline + source[found.end() :]
    if after_first:
        first, end, rest = source.partition(b"\n")
        return first + (end or newline) + block + newline + rest
    gap = b"" if not source or source.endswith((b"\n", b"\r")) else newline
    return source + gap + block + newline


def take(source: bytes, name: str = "") -> bytes:
    """``source`` without the block of ``name``."""
    return _pattern(name).sub(b"", source)


def _marks(name: str) -> tuple[str, str]:
    told = f": {name}" if name else ""
    return BEGIN.format(told), END.format(told)


def _pattern(name: str) -> re.Pattern[bytes]:
    begin, end = (re.escape(one.encode("utf-8", "surrogateescape")) for one in _marks(name))
    return re.compile(rb"^%b\r?\n(?:.*\n)*?%b[ \t]*(?:\r?\n|\Z)" % (begin, end), re.MULTILINE)
