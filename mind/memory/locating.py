"""Locating entries in the current file, by whole lines."""

from dataclasses import replace

from mind.documents import parser
from mind.domain.entry import Entry, Span, unnumbered
from mind.domain.errors import NotFound
from mind.storage.files.content import BOM
from mind.storage.project import Project

_BLANK = b" \t\x0b\x0c"


def located(project: Project, source: bytes, entry: Entry) -> Entry:
    """Find ``entry`` in ``source``, by whole lines: at its span, or where it has moved.

    Raises:
        NotFound: It no longer exists.
    """
    there = alone(project, source, entry.span, entry)
    if there is not None and _reads_alike(there, entry):
        return there
    found = [
        one for one in parser.parse(source, entry.source, project.settings) if _is_same(one, entry)
    ]
    if not found:
        raise NotFound(f"{entry.id} is no longer in {entry.source}", remedy="Search for it again.")
    nearest = min(found, key=lambda one: abs(one.line - entry.line))
    return replace(nearest, span=_with_indentation(source, nearest.span))


def _is_same(one: Entry, entry: Entry) -> bool:
    """Return True if the texts are equal; masked texts are compared by ID."""
    if one.masked or entry.masked:
        return one.id in (entry.id, unnumbered(entry.id))
    return one.text == entry.text


def _reads_alike(alone: Entry, entry: Entry) -> bool:
    """Return whether lines parsed alone are the entry; a row of a table may become a note."""
    return alone.kind is entry.kind and _is_same(alone, entry)


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
    if known is not None and _reads_alike(known, entry):
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
