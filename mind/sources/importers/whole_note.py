"""The whole text of a Markdown note, on lines of at most :data:`wording.MOST` characters; pure.

Headings stand before the first text below them, items and rows are separated by semicolons, nested
items are in parentheses, code is in backticks. Comments, images, link lists, queries of Obsidian,
stubs and short headings without text are dropped; code that is too long stays in the file.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.sources import prose
from mind.sources.importers import wording

_LONGEST, _LONGEST_PARAGRAPH, _MOST_LINES = 200_000, 20_000, 150
_WIKILINK = re.compile(r"!?\[\[[^\[\]]*\]\]")
_WORD = re.compile(r"[^\W_]")
_CALLOUT = re.compile(r"\A\[![\w-]+\][+-]?\s*")
_DROPPED = re.compile(rb"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[-\]")
_LEAST_WORDS, _LONGEST_TITLE = 4, 300
_ENDS = (".", "!", "?", "。", "！", "？", ";")
_OPEN_ENDS = (":", "：")


@dataclass(slots=True)
class _Piece:
    """A text of a note: the headings above it, and whether it is an item or row, or code."""

    text: str
    headings: tuple[str, ...] = ()
    is_item: bool = False
    is_code: bool = False


def heading(title: str) -> str:
    """Return a title as it stands before a text: plain, safe and not too long."""
    return wording.cut(wording.plain(title).strip("#* "), _LONGEST_TITLE)


class WholeNote:
    """The text of a note.

    Args:
        title: Title of the note, from :func:`heading`; omitted where the text repeats it.
        body: Markdown without front matter.
        taken: First lines of paragraphs and items to skip.
    """

    def __init__(self, title: str, body: str, taken: Container[int] = ()) -> None:
        self._title = title
        self._taken = taken
        self._source = body[:_LONGEST].encode("utf-8", "replace")
        self.is_complete = len(body) <= _LONGEST

    def lines(self, where: str) -> list[str]:
        """Return the text; the last line names the file if something is missing.

        Args:
            where: The file.
        """
        pieces = self._pieces(markdown.parse(self._source).blocks)
        made = [
            wording.titled(self._title, one)
            for one in _packed(pieces, wording.MOST - len(self._title) - 2)
            if wording.says_something(_WIKILINK.sub("", one))
        ]
        if len(made) > _MOST_LINES:
            made, self.is_complete = made[:_MOST_LINES], False
        if made and not self.is_complete:
            made[-1] = f"{made[-1]} ({where})"
        return made

    def _pieces(self, blocks: Iterable[Block]) -> Iterator[_Piece]:
        headings: list[tuple[int, str]] = []
        is_used = True
        for block in blocks:
            if block.type == "heading":
                if not is_used and block.level <= headings[-1][0]:
                    yield from _statement(headings)
                said = prose.own(block).strip(": ")
                headings = [one for one in headings if one[0] < block.level]
                is_used = not said or wording.same(said, self._title)
                headings += [] if is_used else [(block.level, said)]
                continue
            path = tuple(said for _, said in headings)
            for piece in self._of(block):
                text = wording.safe(piece.text)
                is_stub = wording.is_stub(text) and len(text.split()) < _LEAST_WORDS
                if not is_stub and not wording.same(text, self._title):
                    is_used = True
                    yield replace(piece, text=text, headings=(*path, *piece.headings))
        if not is_used:
            yield from _statement(headings)

    def _of(self, block: Block) -> Iterator[_Piece]:
        if block.type == "quote":
            yield from self._pieces(block.children)
        elif block.type == "list":
            items = (self._item(one) for one in block.children if one.line not in self._taken)
            yield from (_Piece(said, is_item=True) for said in items if said)
        elif block.type == "table" and block.children:
            yield from (_Piece(said, is_item=True) for said, _ in wording.rows(block))
        elif block.type == "code":
            yield _Piece(self._code(block), is_code=True)
        elif block.type in ("paragraph", "html") and block.line not in self._taken:
            said = _CALLOUT.sub("", self._own(block))
            if _WORD.search(_WIKILINK.sub("", said)) or not _WIKILINK.search(said):
                yield _Piece(said)

    def _item(self, item: Block, depth: int = 0) -> str:
        """Return an item with what is below it: ``item: below (nested); below``."""
        if item.type == "table" and item.children:
            return "; ".join(said for said, _ in wording.rows(item))
        own = self._own(item) if item.type != "code" else self._code(item)
        if item.type == "item" and own:
            number = f"{item.marker} " if item.marker[:1].isdigit() else ""
            own = f"{number}{own}{self._state(item)}"
        inner = [self._item(one, depth + (one.type == "item")) for one in item.children]
        inner = [one for one in inner if one]
        if item.type in ("list", "quote"):
            return "; ".join(one.rstrip(" ;") for one in inner)
        if item.type == "item" and depth > 0 and own and inner:
            return f"{own} ({'; '.join(inner)})"
        return prose.joined([own], inner)

    def _own(self, block: Block) -> str:
        size = sum(len(line.text) for line in block.lines)
        if size <= _LONGEST_PARAGRAPH:
            return prose.own(block)
        self.is_complete = False
        return prose.plain("\n".join(line.text for line in block.lines)[:_LONGEST_PARAGRAPH])

    def _state(self, item: Block) -> str:
        if item.checked is None:
            return ""
        if item.checked:
            return " (done)"
        return " (dropped)" if is_dropped(self._source, item) else " (open)"

    def _code(self, block: Block) -> str:
        said = wording.code(block)
        self.is_complete = self.is_complete and said is not None
        return said or ""


def is_dropped(source: bytes, item: Block) -> bool:
    """Return True for a task that was given up: its box has a dash."""
    return _DROPPED.match(source, item.span.start, item.span.end) is not None


def _statement(headings: Sequence[tuple[int, str]]) -> Iterator[_Piece]:
    """Yield the last heading as a text, if nothing is below it and it has several words."""
    *above, (_, said) = headings
    if len(said.split()) >= _LEAST_WORDS:
        yield _Piece(said, tuple(name for _, name in above))


def _packed(pieces: Iterable[_Piece], most: int) -> Iterator[str]:
    """Join pieces to lines of at most ``most`` characters, headings before what is below them.

    A piece that announces the next one begins a line with it.
    """
    line = shorter = ""
    before = _Piece("")
    for piece in pieces:
        more = _together(line, piece, before)
        if line and len(more) > most:
            announces = bool(shorter) and before.text.endswith(_OPEN_ENDS)
            yield shorter if announces else line
            line = _together("", before, _Piece("")) if announces else ""
            more = _together(line, piece, before if announces else _Piece(""))
        *full, more = wording.split(more, most)
        yield from full
        line, shorter, before = more, "" if full else line, piece
    if line:
        yield line


def _together(line: str, piece: _Piece, before: _Piece) -> str:
    shared = 0
    for one, other in zip(piece.headings, before.headings, strict=False):
        if one != other:
            break
        shared += 1
    new = [f"{one}:" for one in piece.headings[shared:]]
    text = " ".join((*new, piece.text))
    if not line:
        return text
    if piece.is_item and before.is_item and not new and not line.endswith(_ENDS):
        return f"{line}; {text}"
    is_lead = piece.is_item and not before.is_item and not new
    if line.endswith((*_ENDS, *_OPEN_ENDS)) or (piece.is_code and not new):
        return f"{line} {text}"
    return f"{line}{':' if is_lead else '.'} {text}"
