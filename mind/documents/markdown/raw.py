"""Fences and raw HTML: what opens a stretch that is not read as Markdown, and what ends it.

The rules are CommonMark's (0.31, "Fenced code blocks" and "HTML blocks"). A fence, and HTML of
the kinds 1 to 5 such as a comment, run to the end of the file if nothing ends them.
"""

import re
from collections.abc import Callable
from functools import partial

Ends = Callable[[bytes], object]
"""Whether a line is the last of what was opened, as a truth value."""

_FENCE = re.compile(rb"(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = re.compile(rb" {0,3}(`+|~+)[ \t]*$")
_KINDS = (
    (
        re.compile(rb"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
        re.compile(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(rb"<!--"), re.compile(rb"-->")),
    (re.compile(rb"<\?"), re.compile(rb"\?>")),
    (re.compile(rb"<![A-Za-z]"), re.compile(rb">")),
    (re.compile(rb"<!\[CDATA\["), re.compile(rb"\]\]>")),
)
_BLOCK_NAMES = (
    b"address article aside base basefont blockquote body caption center col colgroup dd details "
    b"dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    b"head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    b"p param search section summary table tbody td tfoot th thead title tr track ul"
).split()
_BLOCK_TAG = re.compile(rb"</?(?:%b)(?=\s|/?>|$)" % b"|".join(_BLOCK_NAMES), re.IGNORECASE)
_ATTRIBUTE = (
    rb"\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?"
)
_ANY_TAG = re.compile(
    rb"<[A-Za-z][A-Za-z0-9-]*(?:%b)*\s*/?>\s*$|</[A-Za-z][A-Za-z0-9-]*\s*>\s*$" % _ATTRIBUTE
)


def is_blank(line: bytes) -> bool:
    """Whether ``line`` holds nothing but spaces and tabs."""
    return not line.strip(b" \t")


def opens_fence(text: bytes) -> Ends | None:
    """What ends the fence that ``text``, without its indentation, opens; None if it opens none."""
    fence = _FENCE.match(text)
    return partial(_ends_fence, fence[1]) if fence else None


def opens_html(text: bytes, *, in_paragraph: bool) -> Ends | None:
    """What ends the HTML block that ``text``, without its indentation, opens.

    Asked about the opening line too: a comment may end where it began.

    Args:
        text: The line.
        in_paragraph: Whether a paragraph is open, which a tag of any other name cannot end.
    """
    for opening, closing in _KINDS:
        if opening.match(text):
            return closing.search
    if _BLOCK_TAG.match(text) or (not in_paragraph and _ANY_TAG.match(text)):
        return is_blank
    return None


_CLOSINGS = (None, b"-->", b"?>", b">", b"]]>")
"""What ends each of the kinds; of the first, the tag that was opened."""


def closing_of(block: bytes) -> bytes:
    """What ends the HTML block that runs to the end of a file; b"" if it is ended, or is none."""
    for (opening, closing), text in zip(_KINDS, _CLOSINGS, strict=True):
        begun = opening.match(block)
        if begun:
            ended = closing.search(block)
            return b"" if ended else text or b"</" + begun.group()[1:] + b">"
    return b""


def _ends_fence(opening: bytes, line: bytes) -> bool:
    end = _FENCE_END.match(line)
    return end is not None and end[1].startswith(opening)
