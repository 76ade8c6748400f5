"""Statements: bullets, table rows and paragraphs with content.

Blocks without a statement (headings, labels, code, templates, lists of links) are left out, with
the reason. A label or heading becomes the lead of the block below it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from mind.documents.markdown import Block, Line, rows, walk
from mind.documents.parser.drafts import STRUCK
from mind.documents.parser.lexicon import (
    CJK,
    CONTENTS,
    NOT_TITLES,
    Lexicon,
    field_of,
    is_empty,
    is_one_of,
    label_of,
    marker,
    pattern,
    read,
    sign_of,
    state_of,
    undated,
)
from mind.documents.parser.place import ANNOUNCED
from mind.domain.entry import Kind, Span
from mind.text import lazy_pattern
from mind.text.dates import heading_date

COLON_END = lazy_pattern(r"[:：]\s?(?:\*\*|__|\*|_)?\s?$")
_ALL_BOLD = lazy_pattern(r"(\*\*|__)(?!\s)[^*_]{2,80}?\1\s?[:：]?")
SENTENCE_END = lazy_pattern(r"[.!?。！？][\"'”’»)\]*_`]*$")
_ABBREVIATED = lazy_pattern(
    r"(?:\b\w|\b(?:e\.g|i\.e|etc|vs|ca|z\.b|usw|bzw|no|nr|st|mr|dr|approx))\.$", re.IGNORECASE
)
_NOT_STARTED = lazy_pattern(r"[a-zà-öø-ÿа-я(,;–—-]")
_LINK = lazy_pattern(
    r"!?\[[^\[\]]*\]\([^()\s]*(?:\s[^()]*)?\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\[[^\[\]]*\]|<?https?://[^\s>]+>?"
)
_CODE = lazy_pattern(r"(?<!`)(`++)[^`]++\1(?!`)")
_BLANK_FORM = lazy_pattern(r"\b(?:YYYY|JJJJ|AAAA)\b|^[<{].*[>}]$|^\[[A-Z][^\]]*\]$")
WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_COUNTER = lazy_pattern(r"[#№]|id|nr\.?|no\.?|n°|num(?:ber)?|номер|编号|番号|序号", re.IGNORECASE)
_STAMP = pattern("stamps")
QUESTION = pattern("questions")
ANSWER = pattern("answers")

_GLYPH = lazy_pattern(r"[•‣▪◦·–—→]\s+(?=\S)|-(?=[^\W\d_])")
_CLOCK = lazy_pattern(r"\[?\d\d?[:.]\d\d(?:[:.]\d\d)?\]?\s+(?=\S)")
LABEL = lazy_pattern(
    r"(?:\*\*|__)?[^\W\d_][^:：*_`\n.!?]{0,39}(?:\*\*|__)?\s?[:：](?:\*\*|__)?(?=\s+\S|$)"
)

GENERAL = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.GOAL, Kind.EXPERIENCE})
"""Kinds whose keywords may be part of any text: "error:" below "Decisions"."""
OPEN_TO_THEM = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.TODO})
"""Kinds of sections in which those keywords count."""
LABEL_WORDS = 3
_LEAD_WORDS = 12
_ALONE_WORDS = 5
_SHORT_BOLD = 6


class Lead(NamedTuple):
    """A text above a statement other than a heading: a label, callout or column header.

    Attributes:
        kind: The kind it announces.
        name: Its text.
    """

    kind: Kind | None = None
    name: str = ""


@dataclass(slots=True)
class Statement:
    """A statement.

    Attributes:
        form: "mind" for a line in Mind's own form, "item", "row", "paragraph", "quote", or "dated"
            for a paragraph that begins with a date.
        text: Its own text on one line, without list marker and checkbox.
        first: Its first line, 1-based.
        last: The last line of its text.
        span: Its bytes, whole lines.
        checked: State of a task's checkbox.
        parts: Details merged into it: (field or "", text).
        code: Code below it.
        day: The day of the line above that is only a date.
    """

    form: str
    text: str
    first: int
    last: int
    span: Span
    lead: Lead = field(default_factory=Lead)
    checked: bool | None = None
    parts: list[tuple[str, str]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    lines: tuple[Line, ...] = ()
    day: date | None = None

    def reach(self, line: int, end: int) -> None:
        """Extend the statement to ``line``, byte ``end``."""
        self.last = max(self.last, line)
        if end > self.span.end:
            self.span = Span(self.span.start, end)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Lines that are not an entry, with the reason."""

    line: int
    end: int
    why: str


_COLUMNS = ANNOUNCED | {Kind.ASSUMPTION, Kind.TODO}
_ASIDE = frozenset({"date", "status"})


_CODE_MARK = "…"
_STOPS = lazy_pattern(r"[.!?:;,。！？：；，…][*_~`)\]」]*$")


def nothing(text: str) -> str:
    """Return why ``text`` is not a statement; "" if it is one."""
    return next((why for why, applies in _NOTHING if applies(text)), "")


def _is_unfilled(text: str) -> bool:
    head, rest = label_of(text)
    short = len(WORD.findall(text)) <= LABEL_WORDS
    return bool(head) and is_empty(rest) and (short or not COLON_END.search(text))


_NOTHING: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("empty", is_empty),
    ("stamp", lambda text: _STAMP.search(text.strip("*_ ()[]"))),
    ("code", lambda text: not _CODE.sub("", text).strip(" *_.,;:")),
    ("links", lambda text: not WORD.search(_LINK.sub("", text))),
    ("empty", _is_unfilled),
)
"""Reasons for leaving a text out, in the order of the checks."""


def names(text: str, item: Block, words: Lexicon) -> bool:
    """Return whether an item only introduces the list below it."""
    head, rest = label_of(text)
    if item.checked is not None or _CODE.search(text) or (head and not is_empty(rest)):
        return False
    found = WORD.findall(text)
    if len(found) > LABEL_WORDS:
        return False
    if COLON_END.search(text):
        return len(found[-1]) > 2 or bool(CJK.search(text))
    return read(text, words) is None


def key_of(header: Sequence[str], words: Lexicon, section: Kind | None) -> tuple[int, Kind | None]:
    """The column with the statement, and the kind that its header gives in the ``section``."""
    for at, cell in enumerate(header[:3]):
        kind = words.label(cell)
        common = words.label_form(cell) in NOT_TITLES and kind is not Kind.GOTCHA
        common = common or (kind in GENERAL and section not in OPEN_TO_THEM | {None})
        if kind in _COLUMNS and not common:
            return at, kind
    for at, cell in enumerate(header):
        if not _COUNTER.fullmatch(cell.strip(". ") or "#") and field_of(cell) not in _ASIDE:
            return at, None
    return 0, None


def is_label(text: str, following: str, words: Lexicon) -> bool:
    """Return whether a paragraph only introduces the block below it."""
    count = len(WORD.findall(text))
    reading = read(text, words)
    opened = reading is not None and reading.force == "opener" and count > LABEL_WORDS
    if opened or (reading is not None and reading.force == "marker"):
        return False
    if _ALL_BOLD.fullmatch(text):
        return count <= _SHORT_BOLD or bool(COLON_END.search(text))
    if following == "code" and count > 2:
        return False
    if following == "list" and is_one_of(text, CONTENTS):
        return True
    return bool(COLON_END.search(text)) and count <= _LEAD_WORDS


def is_field(text: str, first: str, words: Lexicon) -> bool:
    """Return whether a line is a labelled field of the statement that began with ``first``."""
    if not field_of(label_of(text)[0]):
        return False
    found = marker(text, words)
    if undated(first):
        return True
    own = found is not None and found.strong
    return not own and marker(first, words) is not None


def row_of(row: Block, header: Sequence[str], key: int, lead: Lead) -> Statement | None:
    """The statement of a table row; None if it is blank or a form to fill in."""
    cells = [cell.strip() for cell in row.cells]
    if key >= len(cells) or is_empty(cells[key]) or any(_BLANK_FORM.search(cell) for cell in cells):
        return None
    made = Statement("row", cells[key].strip("*_ "), row.line, row.end, row.span, lead)
    # what is struck through or rejected is recognised at the beginning
    is_first = STRUCK.match(made.text) or lead.kind is Kind.REJECTED
    for at, cell in enumerate(cells[: len(header)]):
        is_told = not is_empty(cell) or field_of(header[at]) == "status"  # "pending"
        if at == key or not is_told or _COUNTER.fullmatch(header[at].strip(". ") or "#"):
            continue
        told = _parts_of(cell, field_of(header[at]))
        before = at == 0 and key == 1 and not is_first and any(map(str.isalpha, cell))
        made.parts += [(ABOUT, cell)] if before and told == [("", cell)] else told
    return made


ABOUT = "about"  # a cell before that of the statement: "VAT id" before "validate with VIES"


def _parts_of(cell: str, name: str) -> list[tuple[str, str]]:
    """The fields of a cell; what only a field of its own would hide stays in the text."""
    state = state_of(cell) if name in ("", "status") else ""
    if state and len(cell.split()) < 3:
        return [("status", cell)]
    if name == "status":
        return [*([("status", cell)] if state else []), ("", cell)]
    is_worded = name == "date" and heading_date(cell) is None and re.search(r"[^\W\d_]", cell)
    shown = name in ("what", "meta") or is_worded
    return [("" if shown else name, cell)]


def ends_there(before: str, text: str) -> bool:
    """Return whether a sentence ends with one line and another begins with the next."""
    if before.rstrip("*_ ").endswith(("。", "！", "？")):
        return True
    ended = SENTENCE_END.search(before) and not _ABBREVIATED.search(before)
    return bool(ended) and not _NOT_STARTED.match(text)


def stand_alone(items: Block, words: Lexicon) -> bool:
    """Return whether most items of a nested list are statements of their own."""
    alone = 0
    for item in items.children:
        text = item.text
        said = _CODE.sub("x", text)
        if field_of(label_of(text)[0]):
            continue
        long = len(WORD.findall(said)) >= _ALONE_WORDS or len(CJK.findall(said)) > 10
        alone += long or bool(SENTENCE_END.search(text)) or read(text, words) is not None
    return 2 * alone >= len(items.children)


def flat(block: Block) -> str:
    """The text of a block and all nested blocks."""
    own = block.text
    return " ".join([own, *below(block)]).strip()


def below(block: Block) -> list[str]:
    """The texts of all nested blocks, in order, without code."""
    return [
        one.text for one in walk(block.children) if one.type in ("item", "paragraph") and one.lines
    ]


def told_below(block: Block) -> str:
    """The texts of all nested blocks as they stand, in order, with "…" for code."""
    said = ""
    for text in _told(block.children):
        between = " " if not said or _STOPS.search(said) or text == _CODE_MARK else "; "
        said = f"{said}{between}{text}".strip()
    return said.removesuffix(f" {_CODE_MARK}")


_BOXES = {True: "[x] ", False: "[ ] ", None: ""}


def _told(blocks: Iterable[Block]) -> Iterator[str]:
    for one in blocks:
        own = one.text.strip()
        if one.type == "table":
            yield from rows(one)
            continue
        if one.type == "code":
            yield _CODE_MARK
        elif own:
            number = f"{one.marker} " if one.marker[:1].isdigit() else ""
            yield f"{number}{_BOXES[one.checked]}{own}"
        yield from _told(one.children)


MARKUP = {"html": "HTML or comment", "heading": "heading"}


def names_contents(block: Block) -> bool:
    """Return whether a block is the heading of a table of contents."""
    return (
        block.type == "heading" and bool(block.lines) and is_one_of(block.lines[0].text, CONTENTS)
    )


def is_like(text: str, first: str) -> bool:
    """Return whether a line has the same form as the first one: a list without bullets."""
    alike = any(form.match(text) and form.match(first) for form in (_GLYPH, _CLOCK, LABEL))
    return alike or bool(sign_of(text) and sign_of(first))
