"""The whole text of a Markdown note, in parts of at most :data:`wording.MOST` characters; pure.

A part begins with its headings and the lead-in of its list on the line of its text; headings and
leads within it, paragraphs, lists, tables and code are lines as they are. Comments, queries of
Obsidian, stubs, short headings without text, and what is only links are dropped; code that is too
long is named.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import dropwhile, groupby

from mind.documents import markdown
from mind.documents.markdown import Block
from mind.sources import prose
from mind.sources.importers import wording

_LONGEST, _MOST_LINES = 400_000, 400
_WIKILINK = re.compile(r"!?\[\[[^\[\]]*\]\]")
_LINK = re.compile(r"(?<!!)\[\[[^\[\]]*\]\]")
_TAG = re.compile(r"(?<!\S)#[^\W\d][\w/-]*")
_LABELS = re.compile(r"(?:[^\w\n:]*[^\s:]{1,30}(?:[ \t][^\s:]{1,30})?[^\w\n:]*:)*+[\W_]*")
"""Matches labels of one or two words with nothing behind them; longer ones are a statement."""
_WORD = re.compile(r"[^\W_]")
_CALLOUT = re.compile(r"\A\[![^\[\]]+\][+-]?\s*")
_DROPPED = re.compile(rb"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\[-\]")
LONGEST_LEAD = 200
"""Maximum characters of a paragraph that announces a list."""
_LEAST_WORDS, _LONGEST_TITLE = 4, 300
_ENDS = (".", "!", "?", "。", "！", "？", ";", ":", "：")
_OPEN_ENDS = (":", "：")
_IN_CODE = ("`", "(code in ")


@dataclass(slots=True)
class _Piece:
    """Markdown of a note, and the headings and lead-ins above it."""

    text: str
    headings: tuple[str, ...] = ()
    is_code: bool = False


def heading(title: str) -> str:
    """Return a title as it stands before a text: plain, safe and not too long."""
    return wording.cut(bare(wording.plain(title)).strip("# "), _LONGEST_TITLE)


def bare(heading_: str) -> str:
    """Return a heading without bold type, which it has by itself, and a colon at its end."""
    return _BOLD.sub(r"\g<said>", heading_).strip("*_: ")


_HASHES = re.compile(r"\A#{1,6} ")
_NUMBER = re.compile(r"\A\d{1,3}[.)]\s+")
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
        """Return the Markdown of a block: an item, in parts if it is long; the rows of a table.

        Args:
            block: The block.
            where: The file.
        """
        self._where = where
        if block.type == "table":
            rows = map(prose.plain, markdown.rows(block))
            return [one.text for one in self._said(map(_Piece, rows))]
        whole = self._markdown(block)
        if block.type == "item" and len(whole) > self._most:
            block = replace(block, type="list", children=(block,))
        elif block.type == "item":
            return [one.text for one in self._said([_Piece(whole)])]
        return [_with_headings(one.headings, one.text) for one in self._said(self._of(block))]

    def lines(self, where: str, blocks: Sequence[Block] = ()) -> list[str]:
        """Return the parts; the last names the file if something is missing.

        Args:
            where: The file.
            blocks: Its blocks; by default all.
        """
        self._where = where
        found = self._pieces(blocks or markdown.parse(self._source).blocks)
        pieces = list(dropwhile(_is_links, found))  # such as to the day before
        packed = list(_packed(pieces, self._most))
        apart = list(_packed(pieces, self._most, apart=True)) if len(packed) > 1 else packed
        packed = apart if len(apart) <= _MOST_LINES else packed
        made = [
            wording.titled(self._title, one)
            for one in packed
            if wording.says_something(_left(one)) or (self._title and one.startswith(_IN_CODE))
        ]
        if len(made) > _MOST_LINES:
            made, self.is_complete = made[:_MOST_LINES], False
        if made and not self.is_complete:
            made[-1] = prose.stacked((made[-1], f"({where})"))
        return made

    def _pieces(self, blocks: Sequence[Block]) -> Iterator[_Piece]:
        headings: list[tuple[int, str]] = []
        is_used = True
        lead = ""
        blocks = list(wording.without_contents(blocks))
        for block, below in zip(blocks, [*blocks[1:], None], strict=False):
            if block.type == "heading":
                if not is_used and block.level <= headings[-1][0]:
                    yield from _statement(headings)
                said = bare(prose.own(block))
                headings = [one for one in headings if one[0] < block.level]
                is_used = not said or wording.same(said, self._title)
                line = f"{'#' * block.level} {prose.markdown(block)}"
                headings += [] if is_used else [(block.level, line)]
                continue
            path = tuple(said for _, said in headings)
            above, lead = lead, self._lead(block, below)
            found = [] if lead else self._said(self._of(block))
            if above and found:
                path = (*path, above)
            elif above and not any(one.line in self._taken for one in block.children):
                found = [_Piece(above)]
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
            and (one.is_code or not _is_stub(one.text))
            and not wording.same(one.text, self._title)
        ]

    def _lead(self, block: Block, below: Block | None) -> str:
        """Return the text of a paragraph that announces the block below it; "" for none."""
        if below is None or block.type != "paragraph" or block.line in self._taken:
            return ""
        said = wording.safe(_CALLOUT.sub("", self._markdown(block)))
        is_line = len(block.lines) == 1 and not said.endswith(_ENDS)
        announces = is_line and below.type == "list"
        is_short = len(said) <= LONGEST_LEAD and "\n" not in said and prose.plain(said) != ""
        is_lead = _is_open(said) or announces
        return said if is_short and below.type != "heading" and is_lead else ""

    def _of(self, block: Block) -> Iterator[_Piece]:
        if block.type == "quote":
            yield from self._pieces(block.children)
        elif block.type == "list":
            for item in map(self._left, block.children):
                yield from self._items(item) if item else ()
        elif block.type == "table" and block.children:
            yield from self._rows(block)
        elif block.type == "code":
            yield from self._coded(block)
        elif block.type in ("paragraph", "html") and block.line not in self._taken:
            yield _Piece(_CALLOUT.sub("", self._markdown(block)))

    def _coded(self, block: Block) -> Iterator[_Piece]:
        if _ADMONITION.match(block.lines[0].text):
            inner = "\n".join(line.text for line in block.lines[1:-1])
            apart = WholeNote(self._title, inner)
            yield from apart._pieces(wording.blocks(inner))
        else:
            yield _Piece(self._markdown(block), is_code=True)

    def _left(self, item: Block) -> Block | None:
        """Return what is left of an item to take."""
        return prose.in_state(item, {True}) if item.line in self._taken else item

    def _items(self, item: Block) -> Iterator[_Piece]:
        """Yield an item; what is below it one by one if that is too long for a part."""
        said = self._markdown(item)
        if len(said) <= self._most // 2 or not item.children:
            yield _Piece(prose.listed(said, item.marker) if said else "")
            return
        own = self._markdown(replace(item, children=()))
        below = self._pieces(item.children)
        if len(own) > LONGEST_LEAD or "\n" in own:
            yield _Piece(prose.listed(own, item.marker))
            own = ""
        yield from (replace(one, headings=(*filter(None, [own]), *one.headings)) for one in below)

    def _rows(self, table: Block) -> Iterator[_Piece]:
        """Yield a table; if it is too long for a part, its rows, each with the table's head."""
        if len(said := self._markdown(table)) <= self._most or len(table.children) < 3:
            yield _Piece(said)
            return
        head, *rows = table.children
        half = len(rows) // 2
        for part in (rows[:half], rows[half:]):
            yield from self._rows(replace(table, children=(head, *part)))

    def _markdown(self, block: Block) -> str:
        """Return the Markdown of a block, without what is too long."""
        if block.type == "code":
            said = wording.code(block)
            return f"(code in {self._where})" if said is None else said
        if block.type == "list":
            items = ((self._markdown(one), one.marker) for one in block.children)
            return "\n".join(prose.listed(text, marker) for text, marker in items if text)
        if block.type == "table":
            return prose.markdown(block)
        is_off = is_dropped(self._source, block)
        own = replace(block, children=(), checked=None if is_off else block.checked)
        said = f"{prose.markdown(own)} (dropped)" if is_off else prose.markdown(own)
        return prose.stacked((said, *map(self._markdown, block.children)))


def _is_links(piece: _Piece) -> bool:
    """Return True for a paragraph with nothing but links to other notes."""
    left, count = _LINK.subn("", piece.text)
    return bool(count) and not piece.headings and not _WORD.search(left)


def is_dropped(source: bytes, item: Block) -> bool:
    """Return True for a task that was given up: its box has a dash."""
    return _DROPPED.match(source, item.span.start, item.span.end) is not None


def _left(said: str) -> str:
    """Return what a text says beside links, tags, and labels that only these follow."""
    bare = _WIKILINK.sub("", said)
    lines = _TAG.sub("", bare).split("\n")
    return "" if all(map(_LABELS.fullmatch, lines)) else prose.plain(bare)


def _is_stub(said: str) -> bool:
    return wording.is_stub(said) and len(said.split()) < _LEAST_WORDS


def _is_open(said: str) -> bool:
    return said.rstrip("*_ ").endswith(_OPEN_ENDS)


def _statement(headings: Sequence[tuple[int, str]]) -> Iterator[_Piece]:
    """Yield the last heading as a text, if it has several words or leads to a text elsewhere."""
    *above, (_, last) = headings
    said = _inline(last)
    if len(said.split()) >= _LEAST_WORDS or "](" in said:
        yield _Piece(said, tuple(name for _, name in above))


def _packed(pieces: Iterable[_Piece], most: int, *, apart: bool = False) -> Iterator[str]:
    """Join pieces to parts of at most ``most`` characters, headings before what is below them.

    What has the same headings is only parted if it does not fit into a part. If ``apart``, all of
    a part is below the headings that it begins with.
    """
    made, above, first = "", tuple[str, ...](), tuple[str, ...]()
    for headings, group in groupby(pieces, key=lambda one: one.headings):
        texts = [text for piece in _with_formulas(group) for text in _fitting(piece, most)]
        whole = _stacked(texts)
        below = (*headings[_shared(headings, above) :], whole)
        joined = _stacked((made, *below)) if made else _with_headings(headings, whole)
        path = tuple(one for one in headings if _HASHES.match(one))
        first = first if made and apart else path
        if len(joined) <= most and path[: len(first)] == first:
            made, above = joined, headings
            continue
        if made:
            yield made
            made, above = "", ()
        *full, last = _filled(texts, headings, most)
        yield from full
        made, above, first = last, headings, path
    if made:
        yield made


def _with_formulas(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Join the pieces of a formula that has blank lines."""
    made: list[_Piece] = []
    for piece in pieces:
        if made and not made[-1].is_code and wording.is_in_formula(made[-1].text):
            made[-1] = replace(made[-1], text=f"{made[-1].text}\n\n{piece.text}")
        else:
            made.append(piece)
    return made


def _filled(texts: Sequence[str], headings: Sequence[str], most: int) -> Iterator[str]:
    """Yield texts below their headings, as many as fit into each part."""
    taken: list[str] = []
    for text in texts:
        if taken and len(_with_headings(headings, _stacked((*taken, text)))) > most:
            lead = taken[1:][-1:] if _is_open(taken[-1]) else []
            yield _with_headings(headings, _stacked(taken[: -len(lead) or None]))
            taken = lead
        taken.append(text)
    yield _with_headings(headings, _stacked(taken))


def _fitting(piece: _Piece, most: int) -> list[str]:
    """Return the text of a piece, in parts that fit with its headings."""
    room = max(most - len(_with_headings(piece.headings, "")), most // 3)
    return [piece.text] if piece.is_code else wording.split(piece.text, room)


def _shared(headings: Sequence[str], above: Sequence[str]) -> int:
    """Return the number of outer headings that are the same."""
    pairs = zip(headings, above, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other),
        min(len(headings), len(above)),
    )


def _with_headings(headings: Sequence[str], text: str) -> str:
    """Return a text as a statement: after headings, the last of which announces it."""
    named = " ".join(wording.announced(_inline(one)) for one in headings)
    return f"{named}{wording.set_off(text)}" if named and text else named or text


def _inline(above: str) -> str:
    """Return a heading without its number, or a lead-in, as it stands before a text."""
    return _NUMBER.sub("", bare(prose.plain(above))) if _HASHES.match(above) else above


_stacked = partial(prose.stacked, paragraphs=True)
