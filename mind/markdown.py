"""Markdown text ↔ blocks with exact byte spans, and edits by splice.

The grammar is CommonMark with tables, as markdown-it-py understands it; its line maps become byte
spans here. A file is first cut into sections at its headings by a line scan, and each section is
parsed on its own: the blocks of a file are by definition those of its sections, so that a change
in one of them never needs the others.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from mind.entry import Span
from mind.errors import InputError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(rb" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(rb"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(rb"(=+|-+)[ \t]*$")
_RAW_OPENING = re.compile(
    rb" {0,3}(?:(<!--)|<(script|pre|style|textarea)(?=[ \t>]|$))", re.IGNORECASE
)
_NOT_PLAIN = re.compile(rb"[ \t>#<|`~]|[-+*][ \t]|\d{1,9}[.)][ \t]|[-*_=]+[ \t]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block's own text, without list markers, quote marks and line end."""

    number: int
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A block and where it stands.

    Attributes:
        type: "heading", "paragraph", "list", "item", "quote", "code", "html", "table", "row",
            "rule" or "front_matter".
        span: Its bytes, from the start of its first line to the end of its last, line end
            included; a nested block begins at its own marker or text.
        line: First line, 1-based.
        end: Last line that is not blank, inclusive.
        level: Of a heading 1–6; how deep a list or item is nested, 0 at the top.
        lines: Its own text: of a heading, a paragraph, code, HTML, an item's first paragraph.
        children: Items of a list, rows of a table, blocks in a quote or behind an item's text.
        ordered: Whether a list's items are numbered.
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
    ordered: bool = False
    marker: str = ""
    checked: bool | None = None
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A parsed file: its bytes, its top-level blocks, its line end and byte order mark."""

    source: bytes
    blocks: tuple[Block, ...]
    newline: bytes
    bom: bool

    def walk(self) -> Iterator[Block]:
        """Every block, parents before their children."""
        waiting = list(reversed(self.blocks))
        while waiting:
            block = waiting.pop()
            yield block
            waiting += reversed(block.children)


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a file from one heading to the next.

    Attributes:
        span: Its bytes.
        line: Its first line, 1-based.
        headings: (level, text) of the headings it stands under, its own last; empty before the
            first heading.
    """

    span: Span
    line: int
    headings: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``span`` by ``text``; an empty span inserts."""

    span: Span
    text: bytes


def splice(source: bytes, edits: Iterable[Edit]) -> bytes:
    """``source`` with ``edits`` made; every byte outside their spans stays.

    Raises:
        InputError: Two edits overlap, or one lies outside the source.
    """
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        if not at <= edit.span.start <= edit.span.end <= len(source):
            raise InputError(f"edit {edit.span.start}–{edit.span.end} overlaps or is out of range")
        parts += (source[at : edit.span.start], edit.text)
        at = edit.span.end
    return b"".join((*parts, source[at:]))


# --- sections -----------------------------------------------------------------------------


def sections(source: bytes) -> list[Section]:
    """Cut ``source`` at its headings; the sections in order make up the whole of it.

    A heading is an ATX heading at the start of a line, or a line of text between blank lines that
    is underlined, outside fences, HTML comments and front matter.
    """
    found: list[Section] = []
    stack: tuple[tuple[int, str], ...] = ()
    begin, first = 0, 1
    for number, start, level, title in _headings(source):
        if start > begin:
            found.append(Section(Span(begin, start), first, stack))
        begin, first = start, number
        stack = (*(one for one in stack if one[0] < level), (level, title))
    if begin < len(source) or not found:
        found.append(Section(Span(begin, len(source)), first, stack))
    return found


def _lines(source: bytes) -> list[tuple[int, bytes]]:
    """(offset, line without its end) of every line."""
    start = len(_BOM) if source.startswith(_BOM) else 0
    return [
        (found.start(), found.group().rstrip(b"\r\n")) for found in _LINE.finditer(source, start)
    ]


def _headings(source: bytes) -> Iterator[tuple[int, int, int, str]]:
    """(line number, offset, level, text) of every heading that begins a section."""
    lines = _lines(source)
    closing: bytes | None = None
    for at in range(_front_matter(lines), len(lines)):
        offset, line = lines[at]
        if closing is not None:
            closing = None if _closes(line, closing) else closing
        elif line.startswith(b"#"):
            atx = _ATX.match(line)
            if atx:
                yield at + 1, offset, len(atx[1]), _decoded(atx[2] or b"").strip()
        elif line[:4].lstrip(b" ")[:1] in (b"`", b"~", b"<"):
            closing = _opens(line)
        elif line[:1] in (b"=", b"-") and _is_underlined(lines, at):
            title = lines[at - 1]
            yield at, title[0], 1 if line.startswith(b"=") else 2, _decoded(title[1]).strip()


def _is_underlined(lines: list[tuple[int, bytes]], at: int) -> bool:
    if at == 0 or not _UNDERLINE.match(lines[at][1]):
        return False
    title = lines[at - 1][1]
    before = lines[at - 2][1] if at > 1 else b""
    return bool(title.strip()) and not _NOT_PLAIN.match(title) and not before.strip()


def _opens(line: bytes) -> bytes | None:
    """What closes the fence or raw HTML that ``line`` opens; None if it opens none."""
    fence = _FENCE.match(line)
    if fence:
        return fence[1]
    raw = _RAW_OPENING.match(line)
    if not raw:
        return None
    closing = b"-->" if raw[1] else b"</" + raw[2].lower() + b">"
    return None if closing in line[raw.end(1 if raw[1] else 2) :].lower() else closing


def _closes(line: bytes, closing: bytes) -> bool:
    if closing[:1] in (b"`", b"~"):
        text = line.strip(b" \t")
        return len(text) >= len(closing) and not text.strip(closing[:1])
    return closing in line.lower()


def _front_matter(lines: list[tuple[int, bytes]]) -> int:
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


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


# --- blocks -------------------------------------------------------------------------------


def parse(source: bytes) -> Document:
    """The blocks of ``source``; any bytes are accepted."""
    blocks: list[Block] = []
    front = _front_matter(_lines(source))
    for section in sections(source):
        begin = section.span.start
        text = source[begin : section.span.end]
        if begin == 0 and front:
            blocks.append(_front_block(source, front))
        reader = _Reader(text, begin, section.line, skip=front if begin == 0 else 0)
        blocks += reader.blocks(heading=bool(section.headings))
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    return Document(source, tuple(blocks), newline, source.startswith(_BOM))


def _front_block(source: bytes, count: int) -> Block:
    lines = _lines(source)
    end = lines[count][0] if count < len(lines) else len(source)
    own = tuple(
        Line(number, Span(offset, offset + len(text)), _decoded(text))
        for number, (offset, text) in enumerate(lines[:count], 1)
    )
    return Block("front_matter", Span(lines[0][0], end), 1, count, lines=own)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - not needed to append a line

    grammar = MarkdownIt("commonmark").enable("table")
    grammar.core.ruler.enableOnly(["normalize", "block"])
    return grammar


_TYPES = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "paragraph_open": "leaf",
    "heading_open": "leaf",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}
_TASK = re.compile(r"\[([ xX\-/])\](?:\s+|$)")


class _Reader:
    """Turns the tokens of one section into blocks."""

    def __init__(self, text: bytes, offset: int, line: int, *, skip: int) -> None:
        self._lines = _lines(text)
        self._ends = [start for start, _ in self._lines[1:]] + [len(text)]
        self._offset = offset
        self._first = line
        decoded = [_decoded(one) for _, one in self._lines]
        self._text = decoded
        plain = "\n".join([""] * skip + decoded[skip:])
        self._tokens = _markdown().parse(plain)
        self._at = 0

    def blocks(self, *, heading: bool) -> list[Block]:
        """All top-level blocks; only the first may be a heading."""
        found = self._siblings(None, 0)
        return [
            block
            if block.type != "heading" or (heading and at == 0 and block.line == self._first)
            else replace(block, type="paragraph", level=0)
            for at, block in enumerate(found)
        ]

    def _siblings(self, until: str | None, depth: int) -> list[Block]:
        found: list[Block] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.type == until:
                break
            block = self._block(token, depth)
            if block is not None:
                found.append(block)
        return found

    def _block(self, token: "Token", depth: int) -> Block | None:
        kind = _TYPES.get(token.type)
        if kind == "list":
            return self._list(token, depth)
        if kind == "quote":
            children = self._siblings("blockquote_close", depth)
            return self._made("quote", token, children=tuple(children))
        if kind == "table":
            return self._table(token)
        if kind == "leaf":
            return self._leaf(token)
        if kind is None:
            return None
        return self._made("rule", token) if kind == "rule" else self._raw(kind, token)

    def _made(self, kind: str, token: "Token", **more: object) -> Block:
        first, last = token.map or [0, 1]
        last = min(max(last, first + 1), len(self._lines))
        first = min(first, len(self._lines) - 1)
        while last - 1 > first and not self._text[last - 1].strip():
            last -= 1
        span = Span(self._offset + self._lines[first][0], self._offset + self._ends[last - 1])
        return Block(kind, span, self._first + first, self._first + last - 1, **more)  # type: ignore[arg-type]

    def _own(self, first: int, texts: list[str]) -> tuple[Line, ...]:
        own = []
        for number, text in enumerate(texts, first):
            raw = self._text[number]
            stripped = text.strip()
            column = max(raw.rfind(stripped), 0)
            start = self._offset + self._lines[number][0]
            begin = start + len(raw[:column].encode("utf-8", "surrogateescape"))
            size = len(stripped.encode("utf-8", "surrogateescape"))
            end = min(begin + size, start + len(self._lines[number][1]))
            shown = raw[column : column + len(stripped)]
            own.append(Line(self._first + number, Span(begin, end), shown))
        return tuple(own)

    def _leaf(self, token: "Token") -> Block:
        inline = self._tokens[self._at]
        self._at += 2  # the inline token and the closing one
        first = (token.map or [0, 1])[0]
        own = self._own(first, inline.content.split("\n")) if inline.content else ()
        if token.type == "paragraph_open":
            return self._made("paragraph", token, lines=own)
        return self._made("heading", token, lines=own, level=int(token.tag[1]))

    def _raw(self, kind: str, token: "Token") -> Block:
        block = self._made(kind, token)
        first, last = block.line - self._first, block.end - self._first
        own = tuple(
            Line(
                self._first + number,
                Span(
                    self._offset + self._lines[number][0],
                    self._offset + self._lines[number][0] + len(self._lines[number][1]),
                ),
                self._text[number],
            )
            for number in range(first, last + 1)
        )
        return replace(block, lines=own)

    def _list(self, token: "Token", depth: int) -> Block:
        ordered = token.type == "ordered_list_open"
        items = []
        while self._tokens[self._at].type == "list_item_open":
            opening = self._tokens[self._at]
            self._at += 1
            children = self._siblings("list_item_close", depth + 1)
            items.append(self._item(opening, children, depth, ordered=ordered))
        self._at += 1
        return self._made("list", token, children=tuple(items), level=depth, ordered=ordered)

    def _item(self, token: "Token", children: list[Block], depth: int, *, ordered: bool) -> Block:
        own: tuple[Line, ...] = ()
        checked = None
        if children and children[0].type == "paragraph":
            own, children = children[0].lines, children[1:]
            task = _TASK.match(own[0].text) if own else None
            if task:
                checked = task[1] in "xX"
                size = len(task[0])
                start = own[0].span.start + size
                own = (
                    Line(own[0].number, Span(start, own[0].span.end), own[0].text[size:]),
                    *own[1:],
                )
        marker = f"{token.info}{token.markup}" if ordered else token.markup
        return self._made(
            "item",
            token,
            lines=own,
            children=tuple(children),
            level=depth,
            ordered=ordered,
            marker=marker,
            checked=checked,
        )

    def _table(self, token: "Token") -> Block:
        rows = []
        while self._tokens[self._at].type != "table_close":
            opening = self._tokens[self._at]
            self._at += 1
            if opening.type == "tr_open":
                cells = []
                while self._tokens[self._at].type != "tr_close":
                    if self._tokens[self._at].type == "inline":
                        cells.append(self._tokens[self._at].content)
                    self._at += 1
                row = self._made("row", opening, cells=tuple(cells))
                number = row.line - self._first
                rows.append(replace(row, lines=self._own(number, [self._text[number]])))
        self._at += 1
        return self._made("table", token, children=tuple(rows))
