"""What Markdown is made of here: lines, blocks, sections, documents, edits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mind.domain.entry import Span
from mind.domain.errors import InputError


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
            "rule", "definition" (of a link) or "front_matter".
        span: Its bytes: whole lines, from the start of its first to the end of its last, line end
            included. The marks of the containers around a nested block stand inside its span.
        line: First line, 1-based.
        end: Last line that is not blank, inclusive.
        level: Of a heading 1–6; how deep a list or item is nested, 0 at the top.
        lines: Its own text: of a heading, a paragraph, code with its fences, HTML, a row, an item's
            first paragraph. A line of odd white space alone has the text "".
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
