"""Cut a file into sections at its headings, by scanning its lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mind.domain.entry import Span
from mind.domain.errors import InputError
from mind.text import lazy_pattern


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block's text, without list markers, quote markers and line end.

    ``indent`` is the number of columns by which a line of a paragraph is indented in its block.
    """

    number: int
    span: Span
    text: str
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """A block and its position.

    Attributes:
        type: "heading", "paragraph", "list", "item", "quote", "code", "html", "table", "row",
            "rule", "definition" (of a link) or "front_matter".
        span: Its bytes: whole lines, from the start of its first to the end of its last, line end
            included. Markers of the surrounding containers are included.
        line: First line, 1-based.
        end: Last line that is not blank, inclusive.
        level: Of a heading 1–6; nesting depth of a list or item, 0 at the top.
        lines: Its own text: of a heading, a paragraph, code with its fences, HTML, a row, an item's
            first paragraph. A line with only unusual white space has the text "".
        children: Items of a list, rows of a table, blocks in a quote or after an item's text.
        marker: Of an item: ``-``, ``*``, ``+`` or its number.
        checked: Of an item with a task box.
        cells: Of a row; the first row of a table is its header.
    """

    type: str
    span: Span
    line: int
    end: int
    level: int = 0
    lines: tuple[Line, ...] = ()
    children: tuple["Block", ...] = ()
    marker: str = ""
    checked: bool | None = None
    cells: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Its own text on one line."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True)
class Document:
    """A parsed file: bytes and top-level blocks."""

    source: bytes
    blocks: tuple[Block, ...]

    def walk(self) -> Iterator[Block]:
        """Every block, parents before their children."""
        return walk(self.blocks)


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """``blocks`` and all nested ones in order, parents before their children."""
    waiting = list(reversed(blocks))
    while waiting:
        block = waiting.pop()
        yield block
        waiting += reversed(block.children)


class Section(NamedTuple):
    """The part of a file from one heading to the next.

    Attributes:
        span: Its bytes.
        line: Its first line, 1-based.
        headings: (level, text) of the headings above, its own last; empty before the
            first heading.
    """

    span: Span
    line: int
    headings: tuple[tuple[int, str], ...]


class Edit(NamedTuple):
    """Replace ``span`` with ``text``; an empty span inserts."""

    span: Span
    text: bytes


def splice(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply ``edits`` to ``source``; bytes outside their spans are unchanged.

    Raises:
        InputError: Two edits overlap, or one is outside the source.
    """
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        if not at <= edit.span.start <= edit.span.end <= len(source):
            raise InputError(f"edit {edit.span.start}–{edit.span.end} overlaps or is out of range")
        parts += (source[at : edit.span.start], edit.text)
        at = edit.span.end
    return b"".join((*parts, source[at:]))


Ends = Callable[[bytes], object]
"""Predicate: truthy if a line closes the open block."""

_FENCE = lazy_pattern(rb"(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_END = lazy_pattern(rb" {0,3}(`+|~+)[ \t]*$")
_KINDS = (
    (
        lazy_pattern(rb"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE),
        lazy_pattern(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (lazy_pattern(rb"<!--"), lazy_pattern(rb"-->")),
    (lazy_pattern(rb"<\?"), lazy_pattern(rb"\?>")),
    (lazy_pattern(rb"<![A-Za-z]"), lazy_pattern(rb">")),
    (lazy_pattern(rb"<!\[CDATA\["), lazy_pattern(rb"\]\]>")),
)
_BLOCK_NAMES = (
    b"address article aside base basefont blockquote body caption center col colgroup dd details "
    b"dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    b"head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    b"p param search section summary table tbody td tfoot th thead title tr track ul"
).split()
_BLOCK_TAG = lazy_pattern(rb"</?(?:%b)(?=\s|/?>|$)" % b"|".join(_BLOCK_NAMES), re.IGNORECASE)
_ATTRIBUTE = (
    rb"\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?"
)
_ANY_TAG = lazy_pattern(
    rb"<[A-Za-z][A-Za-z0-9-]*(?:%b)*\s*/?>\s*$|</[A-Za-z][A-Za-z0-9-]*\s*>\s*$" % _ATTRIBUTE
)


def is_blank(line: bytes) -> bool:
    """Return whether ``line`` has only spaces and tabs."""
    return not line.strip(b" \t")


def opens_fence(text: bytes) -> Ends | None:
    """Return the predicate for the end of the fence that ``text`` (unindented) opens.

    None if it opens none.
    """
    fence = _FENCE.match(text)
    return partial(_ends_fence, fence[1]) if fence else None


def opens_html(text: bytes, *, in_paragraph: bool) -> Ends | None:
    """Return the predicate for the end of the HTML block that ``text`` (unindented) opens.

    Also applies to the opening line: a comment may end there.

    Args:
        text: The line.
        in_paragraph: Whether a paragraph is open, which other tags cannot interrupt.
    """
    for opening, closing in _KINDS:
        if opening.match(text):
            return closing.search
    if _BLOCK_TAG.match(text) or (not in_paragraph and _ANY_TAG.match(text)):
        return is_blank
    return None


_CLOSINGS = (None, b"-->", b"?>", b">", b"]]>")
"""Closing text of each kind; for the first, derived from the opening tag."""


def line_end(source: bytes) -> bytes:
    """The line end of most lines of ``source``."""
    return b"\r\n" if 2 * source.count(b"\r\n") > source.count(b"\n") else b"\n"


def closing_of(block: bytes) -> bytes:
    """Return the text that closes the HTML block open at the end of a file.

    b"" if there is none.
    """
    for (opening, closing), text in zip(_KINDS, _CLOSINGS, strict=True):
        begun = opening.match(block)
        if begun:
            ended = closing.search(block)
            return b"" if ended else text or b"</" + begun.group()[1:] + b">"
    return b""


def _ends_fence(opening: bytes, line: bytes) -> bool:
    end = _FENCE_END.match(line)
    return end is not None and end[1].startswith(opening)


_BOM = b"\xef\xbb\xbf"
_LINE = lazy_pattern(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ATX = lazy_pattern(rb"#{1,6}(?=[ \t]|$)")
_UNDERLINE = lazy_pattern(rb"(?:=+|-+)[ \t]*$")
_RULE = lazy_pattern(rb"(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$")
_MARKER = lazy_pattern(rb"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_NO_TITLE = lazy_pattern(rb"[ \t]|\||.*\|[ \t]*$|\[.*\]:")
_INDENTS = b" \t"


def sections(source: bytes) -> list[Section]:
    """Cut ``source`` at its headings; the sections tile it.

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
    """Return the number of lines of front matter."""
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
    """Decode ``text`` so that encoding restores the same bytes."""
    return text.decode("utf-8", "surrogateescape")


def atx_title(text: str) -> str:
    """The text of an ATX heading without opening and closing marks."""
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
    """State of the heading scan before the next line.

    A heading at the start of a line ends whatever is open in a list item. Items are therefore
    tracked only by their indentation: a fence with that indentation belongs to the item and ends
    with it.
    """

    def __init__(self) -> None:
        self._ends: Ends | None = None  # the fence or raw HTML that is open
        self._item = 0  # columns of indentation that belong to the open list item
        self._hollow = False  # the open item has no text yet: a blank line ends it
        self._paragraph = False  # a paragraph may go on with the next line
        self._blank = True  # the last line was blank, or there is none
        self._alone = False  # the last line may be a heading, if it is underlined

    def read(self, line: bytes) -> int:
        """Process a line: return its heading level, negative if it underlines one, else 0."""
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
        """Return whether a line begins a block other than a paragraph, updating the state."""
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
    """Columns of the leading white space of ``text``, which starts at ``column``."""
    at = column
    for byte in text[: len(text) - len(text.lstrip(_INDENTS))]:
        at += 4 - at % 4 if byte == 9 else 1
    return at - column


_STRUCTURE = lazy_pattern(
    r"#{1,6}(?:\s|$)|>|`{3}|~{3}|<|\||=+\s*$|[-+*](?:\s|$)|(?:[-*_]\s*){3,}$|\[[^\]]*\]:|"
    r"\\|[-:][-:|\s]*$"
)
_NUMBER = lazy_pattern(r"\d{1,9}(?=[.)](?:\s|$))")


def escaped(line: str) -> str:
    """Escape ``line`` if it would begin a block at the start of a line."""
    number = _NUMBER.match(line)
    if number:
        return f"{number.group()}\\{line[number.end() :]}"
    return f"\\{line}" if _STRUCTURE.match(line) else line
