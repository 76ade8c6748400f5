"""Blocks of one section → statements: each bullet, table row and paragraph that states something.

What states nothing by itself (headings, labels, code, templates, lists of links) is left out,
with the reason. A label, or a heading, is passed on to what stands below it as its lead.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mind.documents.markdown import Block, Line
from mind.documents.parser.lexicon import (
    CJK,
    CONTENTS,
    NOT_TITLES,
    Lexicon,
    field_of,
    is_one_of,
    pattern,
    state_of,
)
from mind.documents.parser.lines import is_dated_line, is_empty, label_of, marker, read, sign_of
from mind.domain.entry import Kind, Span

COLON_END = re.compile(r"[:：]\s?(?:\*\*|__|\*|_)?\s?$")
_ALL_BOLD = re.compile(r"(\*\*|__)(?!\s)[^*_]{2,80}?\1\s?[:：]?")
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»)\]*_`]*$")
_ABBREVIATED = re.compile(
    r"(?:\b\w|\b(?:e\.g|i\.e|etc|vs|ca|z\.b|usw|bzw|no|nr|st|mr|dr|approx))\.$", re.IGNORECASE
)
_NOT_STARTED = re.compile(r"[a-zà-öø-ÿа-я(,;–—-]")
_LINK = re.compile(
    r"!?\[[^\[\]]*\]\([^()\s]*(?:\s[^()]*)?\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\[[^\[\]]*\]|<?https?://[^\s>]+>?"
)
_CODE = re.compile(r"(?<!`)(`++)[^`]++\1(?!`)")
_FENCE = re.compile(r"(?:`{3}|~{3})")
_CALLOUT = re.compile(r"\[!(\w+)\][+-]?\s*")
_BLANK_FORM = re.compile(r"\b(?:YYYY|JJJJ|AAAA)\b|^[<{].*[>}]$|^\[[A-Z][^\]]*\]$")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_COUNTER = re.compile(r"[#№]|id|nr\.?|no\.?|n°|num(?:ber)?|номер|编号|番号|序号", re.IGNORECASE)
_STAMP = pattern("stamps")
_QUESTION = pattern("questions")
_ANSWER = pattern("answers")

_GLYPH = re.compile(r"[•‣▪◦·–—→]\s+(?=\S)")
_CLOCK = re.compile(r"\[?\d\d?[:.]\d\d(?:[:.]\d\d)?\]?\s+(?=\S)")
LABEL = re.compile(
    r"(?:\*\*|__)?[^\W\d_][^:：*_`\n.!?]{0,39}(?:\*\*|__)?\s?[:：](?:\*\*|__)?(?=\s+\S|$)"
)

_LABEL_WORDS = 3
_LEAD_WORDS = 12
_ALONE_WORDS = 5
_SHORT_BOLD = 6


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands above a statement, besides the headings: a label, a callout, a column's header.

    Attributes:
        kind: The kind it announces.
        name: Its words.
    """

    kind: Kind | None = None
    name: str = ""


@dataclass(slots=True)
class Statement:
    """Something that is stated.

    Attributes:
        form: "mind" for a line in Mind's own form, "item", "row", "paragraph", "quote", or "dated"
            for a paragraph that begins with a date.
        text: Its own words on one line, without list marker and box.
        first: Its first line, 1-based.
        last: The last line of its words.
        span: Its bytes, whole lines.
        checked: Of a task.
        parts: What is folded into it: (field or "", text).
        code: Code that stands below it.
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

    def reach(self, line: int, end: int) -> None:
        """Let the statement reach to ``line``, byte ``end``."""
        self.last = max(self.last, line)
        if end > self.span.end:
            self.span = Span(self.span.start, end)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Lines that are no entry, and why."""

    line: int
    end: int
    why: str


_COLUMNS = frozenset(
    {
        Kind.DECISION,
        Kind.REJECTED,
        Kind.LEARNING,
        Kind.GOTCHA,
        Kind.PROBLEM,
        Kind.BLOCKER,
        Kind.ASSUMPTION,
        Kind.TODO,
    }
)
_ASIDE = frozenset({"date", "status"})


def nothing(text: str) -> str:
    """Why ``text`` states nothing; "" if it states something."""
    return next((why for why, applies in _NOTHING if applies(text)), "")


def _is_unfilled(text: str) -> bool:
    head, rest = label_of(text)
    short = len(_WORD.findall(text)) <= _LABEL_WORDS
    return bool(head) and is_empty(rest) and (short or not COLON_END.search(text))


def _is_short(text: str) -> bool:
    words = _WORD.findall(text)
    return len(words) < 2 and len("".join(words)) < (2 if CJK.search(text) else 3)


_NOTHING: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("empty", is_empty),
    ("stamp", lambda text: _STAMP.search(text.strip("*_ ()[]"))),
    ("code", lambda text: not _CODE.sub("", text).strip(" *_.,;:")),
    ("links", lambda text: not _WORD.search(_LINK.sub("", text))),
    ("empty", _is_unfilled),
    ("too short", _is_short),
)
"""Reasons to leave a text out, in the order they are tried."""


def names(text: str, item: Block, words: Lexicon) -> bool:
    """Whether an item only names the list below it."""
    if item.checked is not None or _CODE.search(text):
        return False
    found = _WORD.findall(text)
    if len(found) > _LABEL_WORDS or _SENTENCE_END.search(text):
        return bool(COLON_END.search(text)) and words.label(bare(text)) is not None
    if COLON_END.search(text):
        return len(found[-1]) > 2 or bool(CJK.search(text))
    reading = read(text, words)
    return reading is None or reading.force == "sentence"


def key_of(header: Sequence[str], words: Lexicon) -> tuple[int, Kind | None]:
    """The column that says what is remembered, and the kind its header names."""
    for at, cell in enumerate(header[:3]):
        kind = words.label(cell)
        common = words.label_form(cell) in NOT_TITLES and kind is not Kind.GOTCHA
        if kind in _COLUMNS and not common:
            return at, kind
    for at, cell in enumerate(header):
        if not _COUNTER.fullmatch(cell.strip(". ") or "#") and field_of(cell) not in _ASIDE:
            return at, None
    return 0, None


def is_label(text: str, following: str, words: Lexicon) -> bool:
    """Whether a paragraph only names what stands below it."""
    count = len(_WORD.findall(text))
    reading = read(text, words)
    opened = reading is not None and reading.force == "opener" and count > _LABEL_WORDS
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
    """Whether a line is a labelled field of what began with the line ``first``."""
    if not field_of(label_of(text)[0]):
        return False
    found = marker(text, words)
    if is_dated_line(first):
        return True
    own = found is not None and found.strong
    return not own and marker(first, words) is not None


def field_at(line: Line) -> str:
    """The field of a record that a line is labelled with; "" if none."""
    return field_of(label_of(line.text)[0])


def row_of(row: Block, header: Sequence[str], key: int, lead: Lead) -> Statement | None:
    """The statement of a table's row; None if that is blank, or a form to fill in."""
    cells = [cell.strip() for cell in row.cells]
    if key >= len(cells) or is_empty(cells[key]) or any(_BLANK_FORM.search(cell) for cell in cells):
        return None
    made = Statement("row", cells[key].strip("*_ "), row.line, row.end, row.span, lead)
    for at, cell in enumerate(cells[: len(header)]):
        name = field_of(header[at])
        if at == key or is_empty(cell) or _COUNTER.fullmatch(header[at].strip(". ") or "#"):
            continue
        if not name and state_of(cell) and len(cell.split()) < 3:
            name = "status"
        made.parts.append(("" if name == "what" else name, cell))
    return made


def ends_there(before: str, text: str) -> bool:
    """Whether a sentence ends with one line and another begins with the next."""
    if before.rstrip("*_ ").endswith(("。", "！", "？")):
        return True
    ended = _SENTENCE_END.search(before) and not _ABBREVIATED.search(before)
    return bool(ended) and not _NOT_STARTED.match(text)


def stand_alone(items: Block, words: Lexicon) -> bool:
    """Whether most items of a nested list state something by themselves."""
    alone = 0
    for item in items.children:
        text = " ".join(line.text for line in item.lines)
        said = _CODE.sub("x", text)
        if field_of(label_of(text)[0]):
            continue
        long = len(_WORD.findall(said)) >= _ALONE_WORDS or len(CJK.findall(said)) > 10
        alone += long or bool(_SENTENCE_END.search(text)) or read(text, words) is not None
    return 2 * alone >= len(items.children)


def bare(text: str) -> str:
    """A label without its emphasis and colon."""
    return text.strip("*_ ").rstrip(":：").strip("*_ ")


def code_of(block: Block) -> str:
    """The text of code without its fences."""
    return "\n".join(line.text for line in block.lines if not _FENCE.match(line.text))


def flat(block: Block) -> str:
    """The text of a block with that of everything nested in it."""
    own = " ".join(line.text for line in block.lines)
    return " ".join([own, *below(block)]).strip()


def below(block: Block) -> list[str]:
    """The texts of everything nested in a block, in order."""
    texts: list[str] = []
    waiting = list(reversed(block.children))
    while waiting:
        one = waiting.pop()
        if one.type in ("item", "paragraph"):
            texts.append(" ".join(line.text for line in one.lines))
        waiting += reversed(one.children)
    return [text for text in texts if text]


MARKUP = {"html": "HTML or comment", "heading": "heading"}


def names_contents(block: Block) -> bool:
    """Whether a block is the heading of a table of contents."""
    return (
        block.type == "heading" and bool(block.lines) and is_one_of(block.lines[0].text, CONTENTS)
    )


def is_like(text: str, first: str) -> bool:
    """Whether a line begins in the same form as the first one: a list without bullets."""
    alike = any(form.match(text) and form.match(first) for form in (_GLYPH, _CLOCK, LABEL))
    return alike or bool(sign_of(text) and sign_of(first))
