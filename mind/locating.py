"""Where an entry stands: in a file as it is now, by whole lines."""

from dataclasses import replace

from mind import parser
from mind.entry import Entry, Span
from mind.errors import NotFound
from mind.project import Project

_BOM = b"\xef\xbb\xbf"


def located(project: Project, source: bytes, entry: Entry) -> Entry:
    """``entry`` in ``source``, by whole lines: at its span, or wherever it has moved to.

    Raises:
        NotFound: It is no longer there.
    """
    there = alone(project, source, entry.span, entry)
    if there is not None and there.text == entry.text:
        return there
    found = [
        one
        for one in parser.parse(source, entry.source, project.settings)
        if one.text == entry.text
    ]
    if not found:
        raise NotFound(f"{entry.id} is no longer in {entry.source}", remedy="Search for it again.")
    nearest = min(found, key=lambda one: abs(one.line - entry.line))
    return replace(nearest, span=_with_indentation(source, nearest.span))


def _with_indentation(source: bytes, span: Span) -> Span:
    """``span`` with the white space before it on its first line."""
    begin = len(source[: span.start].rstrip(b" \t\x0b\x0c"))
    return Span(begin, span.end) if _begins_line(source, begin) else span


def _begins_line(source: bytes, at: int) -> bool:
    return at == 0 or source[at - 1 : at] in (b"\n", b"\r") or source[:at] == _BOM


def _ends_line(source: bytes, at: int) -> bool:
    """Whether a line ends at ``at``: half of one can read as an entry that was there."""
    ends = source[at - 1 : at] in (b"\n", b"\r") or source[at : at + 1] in (b"", b"\r", b"\n")
    return at <= len(source) and ends


def again(project: Project, before: bytes, after: bytes, entry: Entry, size: int) -> Entry | None:
    """What ``entry`` has become, of ``size`` bytes now; read by itself if it could be before."""
    span = Span(entry.span.start, entry.span.start + size)
    known = alone(project, before, entry.span, entry)
    if known is not None and known.text == entry.text:
        return alone(project, after, span, entry)
    return within(project, after, entry.source, span)


def alone(project: Project, source: bytes, span: Span, like: Entry) -> Entry | None:
    """The entry that ``span`` of ``source`` is, read by itself, if it is just one."""
    if not (_begins_line(source, span.start) and _ends_line(source, span.end)):
        return None
    start = parser.Start(
        tuple((level, text) for level, text in enumerate(like.section, 1)), like.line, span.start
    )
    text = source[span.start : span.end]
    found = parser.parse(text, like.source, project.settings, start)
    return found[0] if len(found) == 1 else None


def within(project: Project, source: bytes, name: str, span: Span) -> Entry | None:
    """The first entry that begins within ``span`` of ``source``, read with all of the file."""
    entries = parser.parse(source, name, project.settings)
    return next((one for one in entries if span.start <= one.span.start < span.end), None)
