"""Locating entries in the current file, by whole lines."""

import re
from dataclasses import replace

from mind.documents import parser
from mind.domain.entry import Entry, Span, unnumbered
from mind.domain.errors import NotFound
from mind.storage.files.content import BOM
from mind.storage.project import Project

_BLANK = b" \t\x0b\x0c"
_WIDEST = 400
_BEGINNING = 60
_MOST_LINES = 50
"""Maximum candidate lines tried before the whole file is read."""


def located(project: Project, source: bytes, entry: Entry) -> Entry:
    """Find ``entry`` in ``source``, by whole lines: at its span, or where it has moved.

    Raises:
        NotFound: It no longer exists.
    """
    there = alone(project, source, entry.span, entry)
    if there is not None and _is_same(there, entry):
        return there
    if moved := _moved(project, source, entry):
        return moved
    found = [
        one for one in parser.parse(source, entry.source, project.settings) if _is_same(one, entry)
    ]
    if not found:
        raise NotFound(f"{entry.id} is no longer in {entry.source}", remedy="Search for it again.")
    nearest = min(found, key=lambda one: abs(one.line - entry.line))
    return replace(nearest, span=_with_indentation(source, nearest.span))


def _moved(project: Project, source: bytes, entry: Entry) -> Entry | None:
    """Return ``entry`` at its shifted position, if it can be found without parsing the whole file.

    Other processes append concurrently, and parsing 50,000 entries takes seconds.
    """
    size = entry.span.end - entry.span.start
    spans = [
        Span(begin, begin + _indentation(source, begin) + size)
        for begin in _lines_with(source, entry.text)
    ]
    there = [one for one in spans if _reads_as(project, source, one, entry)]
    if len(there) != 1 or source.count(source[there[0].start : there[0].end].strip()) != 1:
        return None
    begin = there[0].start
    for section in parser.chunks(source, entry.source, project.settings):
        if section.span.start <= begin < section.span.end:
            line = section.line + source.count(b"\n", section.span.start, begin)
            start = parser.ChunkStart(section.headings, line, begin)
            text = source[begin : there[0].end]
            found = parser.parse(text, entry.source, project.settings, start)[0]
            return replace(found, span=_with_indentation(source, found.span))
    return None  # pragma: no cover - sections tile a source


def _indentation(source: bytes, begin: int) -> int:
    """Return the length of a line's indentation, which is not part of an entry's span."""
    line = source[begin : begin + _WIDEST]
    return len(line) - len(line.lstrip(_BLANK))


def _reads_as(project: Project, source: bytes, span: Span, entry: Entry) -> bool:
    there = alone(project, source, span, entry)
    return there is not None and _is_same(there, entry)


def _is_same(one: Entry, entry: Entry) -> bool:
    """Return True if the texts are equal; masked texts are compared by ID."""
    if one.masked or entry.masked:
        return one.id in (entry.id, unnumbered(entry.id))
    return one.text == entry.text


def _lines_with(source: bytes, text: str) -> list[int]:
    """Return starts of lines with the rarest initial word of ``text``; none if there are many."""
    words = [word.encode() for word in re.findall(r"\w+", text[:_BEGINNING])]
    if not words or source.count(b"\r") != source.count(b"\r\n"):  # lone \r also ends lines
        return []
    word = min(words, key=source.count)
    found: dict[int, None] = {}
    at = source.find(word)
    while at >= 0 and len(found) <= _MOST_LINES:
        found[source.rfind(b"\n", 0, at) + 1] = None
        at = source.find(word, at + 1)
    return list(found) if len(found) <= _MOST_LINES else []


def _with_indentation(source: bytes, span: Span) -> Span:
    """Extend ``span`` by the indentation of its first line."""
    begin = len(source[: span.start].rstrip(_BLANK))
    return Span(begin, span.end) if _begins_line(source, begin) else span


def _begins_line(source: bytes, at: int) -> bool:
    return at == 0 or source[at - 1 : at] in (b"\n", b"\r") or source[:at] == BOM


def _ends_line(source: bytes, at: int) -> bool:
    """Return True if a line ends at ``at``: part of a line could parse as another entry."""
    ends = source[at - 1 : at] in (b"\n", b"\r") or source[at : at + 1] in (b"", b"\r", b"\n")
    return at <= len(source) and ends


def again(project: Project, before: bytes, after: bytes, entry: Entry, size: int) -> Entry | None:
    """Return the current form of ``entry``, ``size`` bytes long; parsed alone if possible."""
    span = Span(entry.span.start, entry.span.start + size)
    known = alone(project, before, entry.span, entry)
    if known is not None and _is_same(known, entry):
        return alone(project, after, span, entry)
    return within(project, after, entry.source, span)


def alone(project: Project, source: bytes, span: Span, like: Entry) -> Entry | None:
    """Parse ``span`` of ``source`` alone; None unless it is exactly one entry."""
    if not (_begins_line(source, span.start) and _ends_line(source, span.end)):
        return None
    start = parser.ChunkStart(
        tuple((level, text) for level, text in enumerate(like.section, 1)), like.line, span.start
    )
    found = parser.parse(source[span.start : span.end], like.source, project.settings, start)
    return found[0] if len(found) == 1 else None


def within(project: Project, source: bytes, name: str, span: Span) -> Entry | None:
    """Parse the whole file; return the first entry that begins within ``span``."""
    entries = parser.parse(source, name, project.settings)
    return next((one for one in entries if span.start <= one.span.start < span.end), None)
