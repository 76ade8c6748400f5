"""Sections of nothing but lines as Mind writes them, read without a Markdown parser.

A busy day has hundreds of them. They are also what must come back exactly as it was logged,
whatever Markdown would make of the message.
"""

import re

from mind.documents.parser.drafts import Draft
from mind.documents.parser.lines import Reading, canonical, is_empty
from mind.domain.entry import Span

_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_NUMBER = re.compile(r"(\d{1,9})\\(?=[.)])")


def is_plain(body: bytes) -> bool:
    """Whether ``body`` (a section without its heading) holds only Mind's own lines."""
    if b"\r" in body.replace(b"\r\n", b"\n"):
        return False
    within = False
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        if not line.strip():
            within = False
        elif line.startswith("  ") and line[2:3].strip() and within:
            continue
        elif canonical(line) is None:
            return False
        else:
            within = True
    return True


def drafts(body: bytes, line: int, offset: int) -> list[Draft]:
    """The entries of a plain ``body`` that begins at ``line`` and ``offset`` of its file."""
    found: list[Draft] = []
    at = offset
    for number, raw in enumerate(body.split(b"\n"), line):
        text = raw.decode("utf-8", "surrogateescape").rstrip("\r")
        end = min(at + len(raw) + 1, offset + len(body))
        reading = canonical(text)
        if reading is not None:
            found.append(from_reading(reading, number, Span(at, end)))
        elif text.strip():
            continue_with(found[-1], text, number, end)
        at = end
    return found


def from_reading(reading: Reading, line: int, span: Span) -> Draft:
    """The entry that a line in Mind's own form begins."""
    return Draft(
        kind=reading.kind,
        text=reading.text,
        confidence=0.3 if is_empty(reading.text) else 0.95,
        why=reading.why,
        line=line,
        end=line,
        span=span,
        said=reading.text,
        exact=True,
    )


def continue_with(draft: Draft, text: str, line: int, end: int) -> None:
    """Add an indented line, without the backslash that kept it from being Markdown."""
    draft.more.append(unescaped(text.strip()))
    draft.reach(line, end)


def unescaped(text: str) -> str:
    """``text`` without the backslash before what would begin a block."""
    numbered = _NUMBER.match(text)
    if numbered:
        return numbered.group(1) + text[numbered.end() :]
    return _ESCAPED.sub("", text, count=1) if text.startswith("\\") else text
