"""The whole text of a Markdown note, on lines of at most :data:`wording.MOST` characters; pure.

Headings and the lead-in of a list stand before the first text below them, and again on each
further line; items and rows are separated by semicolons, nested items are in parentheses, code is
in backticks, ⏎ is a line end. Comments, images, link lists, queries of Obsidian, stubs and short
headings without text are dropped; code that is too long is named.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.sources import prose
from mind.sources.importers import wording

_LONGEST, _LONGEST_PARAGRAPH, _MOST_LINES = 400_000, 20_000, 400
_WIKILINK = re.compile(r"!?\[\[[^\[\]]*\]\]")
_WORD = re.compile(r"[^\W_]")
_CALLOUT = re.compile(r"\A\[![^\[\]]+\][+-]?[\s⏎]*")
_DROPPED = re.compile(rb"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[-\]")
LONGEST_LEAD = 200
"""Maximum characters of a paragraph that announces a list."""
_LEAST_WORDS, _LONGEST_TITLE = 4, 300
_ENDS = (".", "!", "?", "。", "！", "？", ";", ":", "：")
_OPEN_ENDS = (":", "：")
_IMAGE, _NO_IMAGE = re.compile(r"!\["), "(image)"
_IN_CODE = ("`", "(code in ")
_ENDS_IN_WORD = re.compile(r"(?:^|\s)\W*[^\W\d_]+\W*$")
"""Matches prose: a command often ends in a path, an option or a number."""


@dataclass(slots=True)
class _Piece:
    """A text of a note, its type, and the headings and lead-ins above it."""

    text: str
    type: str = ""
    headings: tuple[str, ...] = ()


def heading(title: str) -> str:
    """Return a title as it stands before a text: plain, safe and not too long."""
    return wording.cut(_bare(wording.plain(title)).strip("# "), _LONGEST_TITLE)


def _bare(heading_: str) -> str:
    """Return a heading without bold type, which it has by itself."""
    return _BOLD.sub(r"\g<said>", heading_).strip("* ")


_BOLD = re.compile(r"\*\*(?P<said>(?=\S)[^\n]+?)\*\*")
_ADMONITION = re.compile(r"\s*(?:```|~~~)+\s*ad-\w")
"""The fence of a callout of Obsidian's Admonition plugin, which is no code."""


class WholeNote:
    """The text of a note.

    Args:
        title: Title of the note, from :func:`heading`; omitted where the text repeats it.
        body: Markdown without front matter.
        taken: First lines of paragraphs and items to skip, apart from what is done below them.
    """

    def __init__(self, title: str, body: str, taken: Container[int] = ()) -> None:
        self._title = title
        self._taken = taken
        self._source = body[:_LONGEST].encode("utf-8", "replace")
        self._most = wording.MOST - len(title) - 2
        self._where = ""
        self.is_complete = len(body) <= _LONGEST

    def texts(self, block: Block, where: str) -> list[str]:
        """Return the texts of a block: an item, or more if it is long; rows of a table.

        Args:
            block: The block.
            where: The file.
        """
        self._where = where
        found = self._items(block) if block.type == "item" else self._of(block)
        return [_together("", one, _Piece("")) for one in self._said(found)]

    def lines(self, where: str, blocks: Sequence[Block] = ()) -> list[str]:
        """Return the text; the last line names the file if something is missing.

        Args:
            where: The file.
            blocks: Its blocks; by default all.
        """
        self._where = where
        pieces = self._pieces(blocks or markdown.parse(self._source).blocks)
        made = [
            wording.titled(self._title, one)
            for one in _packed(pieces, self._most)
            if wording.says_something(_WIKILINK.sub("", one))
            or (self._title and one.startswith(_IN_CODE))
        ]
        if len(made) > _MOST_LINES:
            made, self.is_complete = made[:_MOST_LINES], False
        if made and not self.is_complete:
            made[-1] = f"{made[-1]} ({where})"
        return made

    def _pieces(self, blocks: Sequence[Block]) -> Iterator[_Piece]:
        headings: list[tuple[int, str]] = []
        is_used = True
        lead = ""
        for block, below in zip(blocks, [*blocks[1:], None], strict=False):
            if block.type == "heading":
                if not is_used and block.level <= headings[-1][0]:
                    yield from _statement(headings)
                said = _bare(prose.own(block)).strip(": ")
                headings = [one for one in headings if one[0] < block.level]
                is_used = not said or wording.same(said, self._title)
                headings += [] if is_used else [(block.level, said)]
                continue
            path = tuple(said for _, said in headings)
            above, lead = lead, self._lead(block, below)
            found = [] if lead else self._said(self._of(block))
            if above and found:
                path = (*path, above)
            elif above and not any(one.line in self._taken for one in block.children):
                trace = f" {_NO_IMAGE}" if _has_image(block) else ""
                found = [_Piece(f"{above}{trace}", "paragraph")]
            is_used = is_used or bool(found)
            yield from (replace(one, headings=(*path, *one.headings)) for one in found)
        if not is_used:
            yield from _statement(headings)

    def _said(self, pieces: Iterable[_Piece]) -> list[_Piece]:
        """Return the pieces that are neither stubs nor the title again."""
        found = [replace(one, text=wording.safe(one.text)) for one in pieces]
        return [
            one
            for one in found
            if one.text
            and (one.type == "code" or not _is_stub(one.text))
            and not wording.same(one.text, self._title)
        ]

    def _lead(self, block: Block, below: Block | None) -> str:
        """Return the text of a paragraph that announces the block below it; "" for none."""
        if below is None or block.type != "paragraph" or block.line in self._taken:
            return ""
        said = wording.safe(self._own(block))
        is_open = _is_open(said)
        is_line = len(block.lines) == 1 and not said.endswith(_ENDS)
        announces = is_line and below.type == "list"
        is_short = 0 < len(said) <= LONGEST_LEAD and not said.endswith(_NO_IMAGE)
        return said if is_short and below.type != "heading" and (is_open or announces) else ""

    def _of(self, block: Block) -> Iterator[_Piece]:
        if block.type == "quote":
            yield from self._pieces(block.children)
        elif block.type == "list":
            for item in map(self._left, block.children):
                yield from self._items(item) if item else ()
        elif block.type == "table" and block.children:
            yield from (_Piece(said, "item") for said, _ in wording.rows(block))
        elif block.type == "code":
            yield from self._coded(block)
        elif block.type in ("paragraph", "html") and block.line not in self._taken:
            said = _CALLOUT.sub("", self._own(block))
            if _WORD.search(_WIKILINK.sub("", said)) or not _WIKILINK.search(said):
                yield _Piece(said, "paragraph")

    def _coded(self, block: Block) -> Iterator[_Piece]:
        if _ADMONITION.match(block.lines[0].text):
            inner = "\n".join(line.text for line in block.lines[1:-1])
            apart = WholeNote(self._title, inner)
            yield from apart._pieces(wording.blocks(inner))
        else:
            yield _Piece(self._code(block), "code")

    def _left(self, item: Block) -> Block | None:
        """Return what is left of an item to take."""
        return prose.in_state(item, {True}) if item.line in self._taken else item

    def _items(self, item: Block) -> Iterator[_Piece]:
        """Yield an item; what is below it one by one if that is too long for a line."""
        said = self._item(item)
        if len(said) <= self._most // 2 or not item.children:
            yield _Piece(said, "item")
            return
        own = self._item(replace(item, children=()))
        below = self._pieces(item.children)
        if len(own) > LONGEST_LEAD:
            yield _Piece(own, "item")
            own = ""
        yield from (replace(one, headings=(*filter(None, [own]), *one.headings)) for one in below)

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
        if _is_open(own) and not inner and any(map(_has_image, item.children)):
            own = f"{own} {_NO_IMAGE}"
        if item.type in ("list", "quote"):
            return "; ".join(one.rstrip(" ;") for one in inner)
        if item.type == "item" and depth > 0 and own and inner:
            return f"{own} ({'; '.join(inner)})"
        return prose.joined([own], inner)

    def _own(self, block: Block) -> str:
        raw = _raw(block)
        self.is_complete = self.is_complete and len(raw) <= _LONGEST_PARAGRAPH
        raw = raw[:_LONGEST_PARAGRAPH]
        said = prose.plain(raw) if block.type == "html" else prose.lines(raw)
        return f"{said} {_NO_IMAGE}" if _is_open(said) and _has_image(block) else said

    def _state(self, item: Block) -> str:
        if item.checked is None:
            return ""
        if is_dropped(self._source, item):
            return " (dropped)"
        return " (done)" if item.checked else " (open)"

    def _code(self, block: Block) -> str:
        said = wording.code(block)
        return f"(code in {self._where})" if said is None else said


def is_dropped(source: bytes, item: Block) -> bool:
    """Return True for a task that was given up: its box has a dash."""
    return _DROPPED.match(source, item.span.start, item.span.end) is not None


def _is_stub(said: str) -> bool:
    return wording.is_stub(said) and len(said.split()) < _LEAST_WORDS


def _is_open(said: str) -> bool:
    return said.rstrip("*_ ").endswith(_OPEN_ENDS)


def _raw(block: Block) -> str:
    return "\n".join(line.text for line in block.lines)


def _has_image(block: Block) -> bool:
    return _IMAGE.search(_raw(block)) is not None


def _statement(headings: Sequence[tuple[int, str]]) -> Iterator[_Piece]:
    """Yield the last heading as a text, if nothing is below it and it has several words."""
    *above, (_, said) = headings
    if len(said.split()) >= _LEAST_WORDS:
        yield _Piece(said, "paragraph", tuple(name for _, name in above))


def _packed(pieces: Iterable[_Piece], most: int) -> Iterator[str]:
    """Join pieces to lines of at most ``most`` characters, headings before what is below them.

    What has the same headings is only parted if it does not fit into a line.
    """
    line, before = "", _Piece("")
    for _, group in groupby(pieces, key=lambda one: one.headings):
        parts = [part for piece in group for part in _parts(piece, most)]
        joined, last = line, before
        for part in parts:
            joined, last = _together(joined, part, last), part
        alone = len(joined) - len(line) + sum(len(name) + 2 for name in parts[0].headings)
        if line and len(joined) > most >= alone:
            yield line
            line, before = "", _Piece("")
        for part in parts:
            more = _together(line, part, before)
            if line and len(more) > most:
                yield line
                more = _together("", part, _Piece(""))
            line, before = more, part
    if line:
        yield line


def _parts(piece: _Piece, most: int) -> list[_Piece]:
    """Return a piece, or parts of it that fit into a line with its headings."""
    room = max(most - len(_together("", replace(piece, text=""), _Piece(""))), most // 3)
    texts = [piece.text] if piece.type == "code" else wording.split(piece.text, room)
    return [replace(piece, text=one) for one in texts]


def _together(line: str, piece: _Piece, before: _Piece) -> str:
    shared = 0
    for one, other in zip(piece.headings, before.headings, strict=False):
        if one != other:
            break
        shared += 1
    new = [wording.announced(one) for one in piece.headings[shared:]]
    text = " ".join((*new, piece.text))
    if not line:
        return text
    if line.endswith(_ENDS) or (piece.type == "code" and not new):
        return f"{line} {text}"
    if piece.type == before.type == "item" and not new:
        return f"{line}; {text}"
    is_meant = piece.type == before.type == "paragraph" and not new
    if before.type == "paragraph" and (
        is_meant or not _ENDS_IN_WORD.search(before.text[-LONGEST_LEAD:])
    ):
        return f"{line} ⏎ {text}"
    return f"{line}. {text}"
