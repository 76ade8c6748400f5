"""Cutting a file into sections at its headings, by a scan of its lines."""

import re
from collections.abc import Iterator

from mind.documents.markdown.raw import Ends, is_blank, opens_fence, opens_html
from mind.documents.markdown.values import Section
from mind.domain.entry import Span

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ATX = re.compile(rb"#{1,6}(?=[ \t]|$)")
_UNDERLINE = re.compile(rb"(?:=+|-+)[ \t]*$")
_RULE = re.compile(rb"(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$")
_MARKER = re.compile(rb"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_NO_TITLE = re.compile(rb"[ \t]|\||.*\|[ \t]*$|\[.*\]:")
_INDENTS = b" \t"


def sections(source: bytes) -> list[Section]:
    """Cut ``source`` at its headings; the sections in order make up the whole of it.

    A heading is an ATX heading at the start of a line, or a line of text between blank lines that
    is underlined, outside fences, raw HTML and front matter.
    """
    found: list[Section] = []
    stack: tuple[tuple[int, str], ...] = ()
    begin, first = 0, 1
    for number, start, level, title in _headings(source):
        if start > begin:
            found.append(Section(Span(begin, start), first, stack))
        begin, first = start, number
        stack = (*(one for one in stack if one[0] < level), (level, title))
    return [*found, Section(Span(begin, len(source)), first, stack)]


def numbered_lines(source: bytes) -> list[tuple[int, bytes]]:
    """(offset, line without its end) of every line."""
    start = len(_BOM) if source.startswith(_BOM) else 0
    return [
        (found.start(), found.group().rstrip(b"\r\n")) for found in _LINE.finditer(source, start)
    ]


def front_matter_lines(lines: list[tuple[int, bytes]]) -> int:
    """How many lines at the top are front matter."""
    if not lines or lines[0][1].rstrip() != b"---":
        return 0
    for at in range(1, len(lines)):
        text = lines[at][1].rstrip()
        if text in (b"---", b"..."):
            return at + 1
        if at == 1 and not re.match(rb"[\w\"'#-]", text):
            return 0
    return 0


def decoded(text: bytes) -> str:
    """``text`` as a string that encodes back to the same bytes."""
    return text.decode("utf-8", "surrogateescape")


def atx_title(text: str) -> str:
    """The text of an ATX heading behind its marks, without the marks that may close it."""
    title = text.strip(" \t")
    open_end = title.rstrip("#")
    if open_end != title and (not open_end or open_end[-1] in " \t"):
        title = open_end
    return title.strip()


def _headings(source: bytes) -> Iterator[tuple[int, int, int, str]]:
    """(line number, offset, level, text) of every heading that begins a section."""
    lines = numbered_lines(source)
    scan = _Scan()
    for at in range(front_matter_lines(lines), len(lines)):
        offset, line = lines[at]
        level = scan.read(line)
        if level > 0:
            yield at + 1, offset, level, atx_title(decoded(line[level:]))
        elif level < 0:
            offset, line = lines[at - 1]
            yield at, offset, -level, decoded(line).strip()


class _Scan:
    """What is open before the next line, as far as headings depend on it.

    Whatever is open in a list item ends at a heading, which stands at the start of a line. So an
    item only needs to be known by how far its text is indented: a fence that is indented as far
    belongs to the item, and is over when the item is.
    """

    def __init__(self) -> None:
        self._ends: Ends | None = None  # the fence or raw HTML that is open
        self._item = 0  # columns that a line is indented by to be in the open list item
        self._hollow = False  # the open item has no text yet: a blank line ends it
        self._paragraph = False  # a paragraph may go on with the next line
        self._blank = True  # the last line was blank, or there is none
        self._alone = False  # the last line may be a heading, if it is underlined

    def read(self, line: bytes) -> int:
        """Take the next line: the level of the heading it is, negative if it underlines one."""
        after_blank, self._blank = self._blank, is_blank(line)
        alone, self._alone = self._alone, False
        if self._ends:
            if self._ends(line):
                self._ends = None
        elif self._blank:
            self._paragraph = False
            self._item = 0 if self._hollow else self._item
        elif alone and _UNDERLINE.match(line):
            self._paragraph = False
            return -1 if line[:1] == b"=" else -2
        else:
            indent = _width(line) if line[:1] in (b" ", b"\t") else 0
            return self._text(line, indent, after_blank=after_blank)
        return 0

    def _text(self, line: bytes, indent: int, *, after_blank: bool) -> int:
        if self._item and indent >= self._item:
            self._paragraph, self._hollow = True, False
            return 0
        if after_blank or self._hollow:
            self._item = 0
        text = line.lstrip(_INDENTS)
        if indent < 4 and self._interrupts(text, indent):
            atx = _ATX.match(line)
            return atx.end() if atx else 0
        if not self._item:
            self._alone = after_blank and not indent and not _NO_TITLE.match(line)
        underlined = self._paragraph and not self._item and _UNDERLINE.match(text)
        self._paragraph = not underlined and (self._paragraph or indent < 4)
        return 0

    def _interrupts(self, text: bytes, indent: int) -> bool:
        """Whether a line begins something other than a paragraph; note what."""
        first = text[:1]
        if first == b"#":
            return bool(_ATX.match(text)) and self._begins()
        if first in (b"`", b"~"):
            self._ends = opens_fence(text)
            return self._ends is not None and self._begins()
        if first == b"<":
            return self._is_html(text)
        if first == b">":
            return self._begins(paragraph=True)
        if first in b"-_*" and _RULE.match(text):
            return self._begins()
        return self._is_item(text, indent)

    def _begins(self, *, paragraph: bool = False) -> bool:
        self._item, self._paragraph = 0, paragraph
        return True

    def _is_html(self, text: bytes) -> bool:
        ends = opens_html(text, in_paragraph=self._paragraph)
        if ends is None:
            return False
        self._ends = None if ends(text) else ends
        return self._begins()

    def _is_item(self, text: bytes, indent: int) -> bool:
        marker = _MARKER.match(text)
        if not marker:
            return False
        rest = text[marker.end() :]
        hollow = is_blank(rest)
        if self._paragraph and not self._item and (hollow or marker[1] not in (None, b"1")):
            return False  # such an item cannot interrupt a paragraph
        width = indent + marker.end()
        gap = _width(rest, width)
        self._item = width + (gap if gap <= 4 and not hollow else 1)
        self._paragraph, self._hollow = not hollow, hollow
        return True


def _width(text: bytes, column: int = 0) -> int:
    """Columns of the white space that ``text`` begins with, if it stands at ``column``."""
    at = column
    for byte in text[: len(text) - len(text.lstrip(_INDENTS))]:
        at += 4 - at % 4 if byte == 9 else 1
    return at - column
