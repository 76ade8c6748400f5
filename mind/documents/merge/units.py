"""A file as the units that are merged: headings, entries, paragraphs, fences; every byte is in one.

This is a scan of lines, not the parser: git calls it three times in a merge, and nothing is to be
understood here but where one thing ends and the next begins.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mind.documents import archive, markdown
from mind.documents.markdown import opens_fence, opens_html

BOM = b"\xef\xbb\xbf"
Key = tuple[tuple[int, str], ...]

_ATX = re.compile(rb"#{1,6}(?:[ \t\r\n]|$)")
_ITEM = re.compile(rb"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\S|[ \t]*$)")
_LABEL = re.compile(rb"[^\W\d_][^:\r\n|`<>]{1,39}:[ \t]+\S")
_LINE_END = re.compile(rb"(?:\r\n|\r|\n)\Z")
_CONFLICT = re.compile(rb"(?:<{7}|={7}|>{7}|\|{7})(?:[ \r\n]|\Z)")
_FRONT = re.compile(rb"---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)")


@dataclass(slots=True)
class Unit:
    """One thing that stands in a file.

    Attributes:
        kind: "heading", "line" (as Mind writes an entry), "item" of a list, "row" of a table,
            "block" of the archive, "raw" (a fence, HTML, front matter), "mark" of a conflict that
            somebody left, or "prose".
        body: Its bytes, without the end of its last line.
        end: Of its last line.
        gap: The blank lines after it.
        section: The number of the section it stands in.
        closing: What would have to close it, if anything came after it.
    """

    kind: str
    body: bytes
    end: bytes
    gap: bytes = b""
    section: int = 0
    closing: bytes = b""

    @property
    def is_entry(self) -> bool:
        """Whether it is one thing that is remembered, rather than text."""
        return self.kind in {"line", "item", "row", "block"}


@dataclass(slots=True)
class Text:
    """A file in units.

    Attributes:
        bom: Whether it begins with a byte order mark.
        lead: Blank lines before the first unit.
        units: In order.
        sections: The headings above each section, its own last.
        ended: Whether its last line has an end.
        newline: The end that most of its lines have.
    """

    bom: bool
    lead: bytes = b""
    units: list[Unit] = field(default_factory=list)
    sections: list[Key] = field(default_factory=list)
    ended: bool = True
    newline: bytes = b"\n"


def style(source: bytes) -> bytes:
    r"""The line end of a file where all are the same; b"" if they are mixed or there are none."""
    windows, lines = source.count(b"\r\n"), source.count(b"\n")
    if source.count(b"\r") != windows or windows not in (0, lines) or not lines:
        return b""
    return b"\r\n" if windows else b"\n"


def cut(source: bytes, name: str) -> Text:
    """The units of ``source``.

    Args:
        source: A file; any bytes.
        name: Of the file; what stands in ARCHIVE.md is cut in blocks.
    """
    text = Text(bom=source.startswith(BOM), newline=style(source) or b"\n")
    source = source.removeprefix(BOM)
    text.ended = source.endswith((b"\n", b"\r")) or not source
    if not text.ended:
        source += text.newline
    if name.endswith("ARCHIVE.md"):
        _cut_archive(text, source)
    else:
        _cut_sections(text, source)
    return text


def _cut_archive(text: Text, source: bytes) -> None:
    text.sections.append(())
    at = 0
    for one in archive.blocks(source):
        _scan(text, source[at : one.span.start], 0)
        body = source[one.span.start : one.span.end]
        _add(text, "block", body.rstrip(b"\r\n"), body[len(body.rstrip(b"\r\n")) :], 0)
        at = one.span.end
    _scan(text, source[at:], 0)


def _cut_sections(text: Text, source: bytes) -> None:
    for section in markdown.sections(source):
        number = len(text.sections)
        text.sections.append(tuple((level, title.strip()) for level, title in section.headings))
        body = source[section.span.start : section.span.end]
        if not section.headings:
            front = _FRONT.match(body) if not section.span.start else None
            if front:
                _add(text, "raw", *_split(front.group()), number)
            _scan(text, body[front.end() if front else 0 :], number)
            continue
        lines = body.splitlines(keepends=True)
        size = 1 if _ATX.match(lines[0]) else 2
        _add(text, "heading", *_split(b"".join(lines[:size])), number)
        _scan(text, b"".join(lines[size:]), number)


def _split(line: bytes) -> tuple[bytes, bytes]:
    end = _LINE_END.search(line)
    return (line[: end.start()], end.group()) if end else (line, b"")


def _add(text: Text, kind: str, body: bytes, ends: bytes, section: int) -> None:
    """Add a unit; ``ends`` are the end of its last line and blank lines after it."""
    end = next(iter(ends.splitlines(keepends=True)), b"")
    text.units.append(Unit(kind, body, end, ends[len(end) :], section))


def _scan(text: Text, source: bytes, section: int) -> None:
    for kind, lines, closing in _Scan(source).units():
        whole = b"".join(lines)
        if not kind:
            if text.units:
                text.units[-1].gap += whole
            else:
                text.lead += whole
            continue
        body, end = _split(whole)
        text.units.append(Unit(kind, body, end, b"", section, closing))


class _Scan:
    """Lines of a section, grouped."""

    def __init__(self, source: bytes) -> None:
        self._lines = source.splitlines(keepends=True)
        self._at = 0

    def units(self) -> Iterator[tuple[str, list[bytes], bytes]]:
        """(kind, lines, what would close it) of each; the kind of blank lines is ""."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip():
                self._at += 1
                yield "", [line], b""
            else:
                yield self._unit(line)

    def _unit(self, line: bytes) -> tuple[str, list[bytes], bytes]:
        start = self._at
        self._at += 1
        bare = line.strip()
        kind = _kind(line)
        closing = b""
        ends = opens_fence(bare) or opens_html(bare, in_paragraph=False)
        if ends:
            kind = "raw"
            if not (bare.startswith(b"<") and ends(bare)):
                closing = self._raw(ends, bare)
        elif kind == "item":
            self._item(len(line) - len(line.lstrip(b" \t")))
        elif kind == "line":
            self._follow()
        elif kind == "prose":
            self._paragraph()
        return kind, self._lines[start : self._at], closing

    def _raw(self, ends: object, opening: bytes) -> bytes:
        """Go to the end of a fence or of raw HTML; what closes it if nothing does."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip(b"\r\n")
            if ends(line):  # type: ignore[operator] # a predicate of a line
                self._at += bool(line.strip())
                return b""
            self._at += 1
        fence = re.match(rb"`{3,}|~{3,}", opening)
        return fence.group() if fence else markdown.closing_of(opening)

    def _follow(self) -> None:
        """Go past the lines that continue an entry."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            bare = line.strip()
            if not bare or (_kind(line) != "prose" and not _is_continuation(line)) or _opens(bare):
                return
            self._at += 1

    def _item(self, indent: int) -> None:
        """Go past what belongs to an item: what is indented more, and a paragraph's next lines."""
        while True:
            self._follow()
            after = self._at
            while after < len(self._lines) and not self._lines[after].strip():
                after += 1
            if after >= len(self._lines):
                return
            line = self._lines[after]
            deeper = len(line) - len(line.lstrip(b" \t")) >= indent + 2
            fence = opens_fence(line.strip())
            if not deeper or (_ITEM.match(line.lstrip(b" \t")) and not fence):
                return
            if after == self._at and not fence:
                return
            self._at = after + 1
            if fence:
                self._raw(fence, line.strip())

    def _paragraph(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.strip() or _kind(line) != "prose" or _opens(line.strip()):
                return
            self._at += 1


def _opens(bare: bytes) -> bool:
    return opens_fence(bare) is not None or opens_html(bare, in_paragraph=True) is not None


def _is_continuation(line: bytes) -> bool:
    return line.startswith((b"  ", b"\t")) and not _ITEM.match(line.lstrip(b" \t"))


def _kind(line: bytes) -> str:
    bare = line.strip()
    if _CONFLICT.match(line):
        return "mark"
    if _ITEM.match(bare):
        return "item"
    if bare.startswith(b"|"):
        return "row"
    return "line" if _LABEL.match(line) else "prose"
