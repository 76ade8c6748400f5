"""Fences and comments that nothing ends: what is written behind them is not read."""

import re
from typing import NamedTuple

from mind.documents.markdown.blocks import parse
from mind.documents.markdown.raw import closing_of
from mind.documents.markdown.sections import sections

_FENCE = re.compile(rb"`{3,}|~{3,}")


class Unended(NamedTuple):
    """A fence or comment that runs to the end.

    Attributes:
        start: Where its first line begins.
        end: The line that would end it, without a line end.
    """

    start: int
    end: bytes


def unended(source: bytes) -> Unended | None:
    """The fence or comment that is open at the end of ``source``, if there is one."""
    last = sections(source)[-1].span
    section = source[last.start : last.end]
    for block in parse(section).blocks[-1:]:
        text = section[block.span.start : block.span.end].strip()
        fence = _FENCE.match(text)
        if block.type == "html":
            end = closing_of(text)
        elif block.type == "code" and fence and not _is_closed(text, fence.group()):
            end = fence.group()
        else:
            end = b""
        if end:
            before = source[: last.start + block.span.start]
            return Unended(len(before.rstrip(b" \t")), end)
    return None


def closing(source: bytes, newline: bytes) -> bytes:
    """The line that ends what is open at the end of ``source``; nothing if nothing is."""
    found = unended(source)
    return found.end + newline if found else b""


def _is_closed(text: bytes, fence: bytes) -> bool:
    lines = text.splitlines()
    last = lines[-1].strip() if len(lines) > 1 else b""
    return len(last) >= len(fence) and not last.strip(fence[:1])
