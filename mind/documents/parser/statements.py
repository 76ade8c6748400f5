"""Statements: bullets, table rows and paragraphs with content, and the kind of each.

Blocks without a statement (headings, labels, code, templates, lists of links) are left out, with
the reason. A label or heading becomes the lead of the block below it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from textwrap import dedent
from typing import NamedTuple

from mind.documents.markdown import Block, Line
from mind.documents.parser.drafts import REMEDY, RESOLVED, STRUCK, UNRESOLVED, Draft, bare
from mind.documents.parser.lexicon import (
    CJK,
    CONTENTS,
    NOT_TITLES,
    Announcement,
    Force,
    Lexicon,
    field_of,
    is_dated_line,
    is_empty,
    is_hypothetical,
    is_negated,
    is_one_of,
    is_question,
    label_of,
    marker,
    pattern,
    read,
    sign_of,
    state_of,
    undated,
)
from mind.documents.parser.place import ANNOUNCED, HeadingContext
from mind.domain.entry import Kind, Layer, Span
from mind.text.dates import heading_date
from mind.text.relations import relation

COLON_END = re.compile(r"[:：]\s?(?:\*\*|__|\*|_)?\s?$")
_ALL_BOLD = re.compile(r"(\*\*|__)(?!\s)[^*_]{2,80}?\1\s?[:：]?")
SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»)\]*_`]*$")
_ABBREVIATED = re.compile(
    r"(?:\b\w|\b(?:e\.g|i\.e|etc|vs|ca|z\.b|usw|bzw|no|nr|st|mr|dr|approx))\.$", re.IGNORECASE
)
_NOT_STARTED = re.compile(r"[a-zà-öø-ÿа-я(,;–—-]")
_LINK = re.compile(
    r"!?\[[^\[\]]*\]\([^()\s]*(?:\s[^()]*)?\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\[[^\[\]]*\]|<?https?://[^\s>]+>?"
)
_CODE = re.compile(r"(?<!`)(`++)[^`]++\1(?!`)")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BLANK_FORM = re.compile(r"\b(?:YYYY|JJJJ|AAAA)\b|^[<{].*[>}]$|^\[[A-Z][^\]]*\]$")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_COUNTER = re.compile(r"[#№]|id|nr\.?|no\.?|n°|num(?:ber)?|номер|编号|番号|序号", re.IGNORECASE)
_STAMP = pattern("stamps")
QUESTION = pattern("questions")
ANSWER = pattern("answers")
_UNSETTLED = pattern("unsettled")

_GLYPH = re.compile(r"[•‣▪◦·–—→]\s+(?=\S)|-(?=[^\W\d_])")
_CLOCK = re.compile(r"\[?\d\d?[:.]\d\d(?:[:.]\d\d)?\]?\s+(?=\S)")
LABEL = re.compile(
    r"(?:\*\*|__)?[^\W\d_][^:：*_`\n.!?]{0,39}(?:\*\*|__)?\s?[:：](?:\*\*|__)?(?=\s+\S|$)"
)

SPEAKER = re.compile(r"(?!\d)[^\W_a-z]\w{1,15}:\s")
"""Beginning of a message in a chat."""
_LABEL_WORDS = 3
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


def nothing(text: str) -> str:
    """Return why ``text`` is not a statement; "" if it is one."""
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
"""Reasons for leaving a text out, in the order of the checks."""


def names(text: str, item: Block, words: Lexicon) -> bool:
    """Return whether an item only introduces the list below it."""
    head, rest = label_of(text)
    if item.checked is not None or _CODE.search(text) or (head and not is_empty(rest)):
        return False
    found = _WORD.findall(text)
    if len(found) > _LABEL_WORDS or SENTENCE_END.search(text):
        return bool(COLON_END.search(text)) and words.label(bare(text)) is not None
    if COLON_END.search(text):
        return len(found[-1]) > 2 or bool(CJK.search(text))
    reading = read(text, words)
    return reading is None or reading.force == "sentence"


def key_of(
    header: Sequence[str], words: Lexicon, section: Kind | None = None
) -> tuple[int, Kind | None]:
    """The column with the statement, and the kind that its header gives in the ``section``."""
    for at, cell in enumerate(header[:3]):
        kind = words.label(cell)
        common = words.label_form(cell) in NOT_TITLES and kind is not Kind.GOTCHA
        if kind in _COLUMNS and not common:
            general = kind in _GENERAL and section not in _OPEN_TO_THEM | {None}
            return at, None if general else kind
    for at, cell in enumerate(header):
        if not _COUNTER.fullmatch(cell.strip(". ") or "#") and field_of(cell) not in _ASIDE:
            return at, None
    return 0, None


def is_label(text: str, following: str, words: Lexicon) -> bool:
    """Return whether a paragraph only introduces the block below it."""
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
    """Return whether a line is a labelled field of the statement that began with ``first``."""
    if not field_of(label_of(text)[0]):
        return False
    found = marker(text, words)
    if is_dated_line(first):
        return True
    own = found is not None and found.strong
    return not own and marker(first, words) is not None


def field_at(line: Line) -> str:
    """The record field of a line's label; "" if none."""
    return field_of(label_of(line.text)[0])


def row_of(row: Block, header: Sequence[str], key: int, lead: Lead) -> Statement | None:
    """The statement of a table row; None if it is blank or a form to fill in."""
    cells = [cell.strip() for cell in row.cells]
    if key >= len(cells) or is_empty(cells[key]) or any(_BLANK_FORM.search(cell) for cell in cells):
        return None
    made = Statement("row", cells[key].strip("*_ "), row.line, row.end, row.span, lead)
    # what was rejected, or struck through, is recognised at the beginning
    in_front = lead.kind is not Kind.REJECTED and not STRUCK.match(made.text)
    for at, cell in enumerate(cells[: len(header)]):
        if at == key or is_empty(cell) or _COUNTER.fullmatch(header[at].strip(". ") or "#"):
            continue
        told = _parts_of(cell, field_of(header[at]))
        before = in_front and at < key and field_of(header[at]) != "meta"
        made.parts += [(_ABOUT, cell)] if before and told == [("", cell)] else told
    remark = next((text for name, text in made.parts if name == _REMARKED), "")
    if remark:  # what another column argues was an argument for it
        names = {"why": "context", _REMARKED: "why"}
        made.parts = [(names.get(name, name), text) for name, text in made.parts]
    return made


_REMARK = re.compile(r"\s+[-–—]\s+|[:：,，;]\s*")
_REMARKED = "remark"
_ABOUT = "about"  # a cell before that of the statement: "VAT id" before "validate with VIES"


def _parts_of(cell: str, name: str) -> list[tuple[str, str]]:
    """The fields of a cell; what only a field of its own would hide stays in the text."""
    state = state_of(cell) if name in ("", "status") else ""
    if state and len(cell.split()) < 3:
        return [("status", cell)]
    if state == "rejected" and name:
        word, *remark = _REMARK.split(cell, maxsplit=1)
        if remark and len(word.split()) < 3 and len(remark[0].split()) > 1:
            return [("status", cell), (_REMARKED, remark[0])]
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
        text = " ".join(line.text for line in item.lines)
        said = _CODE.sub("x", text)
        if field_of(label_of(text)[0]):
            continue
        long = len(_WORD.findall(said)) >= _ALONE_WORDS or len(CJK.findall(said)) > 10
        alone += long or bool(SENTENCE_END.search(text)) or read(text, words) is not None
    return 2 * alone >= len(items.children)


def code_of(block: Block) -> str:
    """The code of a block between fences, which indented code and an open block lack."""
    lines = [line.text for line in block.lines]
    fence = _FENCE.match(lines[0])
    if fence is None:
        return "\n".join(["~~~", dedent("\n".join(lines)), "~~~"])
    closed = len(lines) > 1 and lines[-1].strip().startswith(fence[0])
    return "\n".join(lines if closed else [*lines, fence[0]])


def flat(block: Block) -> str:
    """The text of a block and all nested blocks."""
    own = " ".join(line.text for line in block.lines)
    return " ".join([own, *below(block)]).strip()


def below(block: Block) -> list[str]:
    """The texts of all nested blocks, in order, with "…" for code between them."""
    texts = [
        "…" if one.type == "code" else " ".join(line.text for line in one.lines)
        for one in within(block)
        if one.type in ("item", "paragraph", "code")
    ]
    while texts and texts[-1] == "…":
        texts.pop()
    return [text for text in texts if text]


def within(block: Block) -> Iterator[Block]:
    """All nested blocks, in order."""
    waiting = list(reversed(block.children))
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.children)


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


_CONFIDENCE: dict[Force, float] = {
    "mind": 0.95,
    "marker": 0.8,
    "opener": 0.7,
    "sentence": 0.6,
    "sign": 0.6,
}
_GENERAL = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.GOAL, Kind.EXPERIENCE})
"""Kinds whose keywords may be part of any text: "error:" below "Decisions"."""
_OPEN_TO_THEM = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.TODO})
"""Kinds of sections in which those keywords count."""
_BOXED = frozenset({None, Kind.TODO, Kind.PROGRESS, Kind.NOTE})
"""Kinds of sections whose items with a box are todos."""
_DENIABLE = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.LEARNING})
"""Kinds that are not hinted at by words after a negation."""
_OF_A_FILE = frozenset({Kind.LEARNING, Kind.GOTCHA})
"""Kinds that a file's title may give to its whole content."""
_HINTED = 300


class StatementKind(NamedTuple):
    """The kind of a statement, and the evidence.

    Attributes:
        text: Its text without the keyword.
        sure: 0–1, before adjustment for reasons and vagueness.
        why: The evidence, for display.
    """

    kind: Kind
    text: str
    sure: float
    why: str


def draft(made: Statement, place: HeadingContext, words: Lexicon, shift: tuple[int, int]) -> Draft:
    """Make the draft of an entry from the statement ``made``.

    Args:
        made: A statement.
        place: The context given by the headings above.
        words: The vocabulary.
        shift: Number of lines and bytes before its section.
    """
    found = _verdict(made, place, words)
    drafted = Draft(
        kind=found.kind,
        text=": ".join([*(text for name, text in made.parts if name == _ABOUT), found.text]),
        confidence=found.sure,
        why=found.why,
        line=made.first + shift[0],
        end=made.last + shift[0],
        span=Span(made.span.start + shift[1], made.span.end + shift[1]),
        said=made.text,
        beside="\n".join(_topic(made, words)),
        code=tuple(made.code),
        checked=made.checked,
        day=made.day,
    )
    for name, text in made.parts:
        if name != _ABOUT:
            drafted.add(name, text)
    for name in _topic(made, words):
        about(drafted, name, made.lead.kind or place.kind)
    return drafted


def _topic(made: Statement, words: Lexicon) -> list[str]:
    """The label above a list, which its items do not repeat; not one that only gives their kind."""
    is_topic = made.form == "item" and made.lead.name and words.heading(made.lead.name) is None
    return [made.lead.name] if is_topic else []


def about(drafted: Draft, name: str, section: Kind | None, *, alone: bool = False) -> None:
    """Put a label or heading above an entry in front of it, where its text needs one.

    Args:
        drafted: The entry.
        name: The label or heading.
        section: The kind that the place gives; a trap or a rejection needs its subject.
        alone: Whether nothing else is below the name, so that both are one statement.
    """
    short = len(_WORD.findall(name)) <= _LABEL_WORDS
    needed = short and section is not None and section.traits.layer is Layer.REALIZE
    if section in ANNOUNCED and (alone or needed):
        drafted.under(name)


def _verdict(made: Statement, place: HeadingContext, words: Lexicon) -> StatementKind:
    text = made.text
    if place.mode == "relation" and ("[[" in text or relation(text)):
        return StatementKind(Kind.RELATION, text, 0.9, f'section "{place.name}"')
    bare = STRUCK.sub(r"\g<text>", text, count=1)
    reading = read(bare, words)
    marked = reading is not None and reading.force == "marker"
    if not marked and (is_question(text) or (made.lines and _is_asked(made.lines[0].text))):
        return _asked(made, words)
    if made.form == "dated":
        return _dated(made, place, words)
    found = (
        _stated(made)
        or _boxed(made, reading, place)
        or _in_section(made, reading, place)
        or _read(reading, place)
        or _hinted(made, words, place)
        or StatementKind(Kind.NOTE, _unsigned(text), 0.5, f"plain {made.form}")
    )
    is_sure = found.kind is not Kind.DECISION or found.sure >= _CONFIDENCE["marker"]
    is_open = not is_sure and _UNSETTLED.search(text)
    return StatementKind(Kind.TODO, text, 0.5, "not decided yet") if is_open else found


def _dated(made: Statement, place: HeadingContext, words: Lexicon) -> StatementKind:
    """``[2026-01-20 09:00] - text``: its section's kind unless a keyword gives another."""
    text = undated(made.text) or made.text
    reading = read(text, words)
    if reading is not None and (place.kind is None or reading.strong):
        return StatementKind(reading.kind, reading.text.strip("*_ "), 0.65, reading.why)
    kind = place.kind or (Kind.DECISION if made.parts else Kind.PROGRESS)
    return StatementKind(kind, text.strip("*_ "), 0.65, "dated line")


def _is_asked(text: str) -> bool:
    return is_question(text) or QUESTION.match(text) is not None


def _answer_behind(text: str) -> str:
    """The answer on the line of its question: "Q: do we need it? A: no"."""
    _, mark, rest = text.replace("？", "?").partition("?")
    return rest.lstrip("*_ ") if mark and ANSWER.match(rest.lstrip("*_ ")) else ""


def _asked(made: Statement, words: Lexicon) -> StatementKind:
    """An open question; one with an answer has the answer's kind."""
    text = made.text
    answer = " ".join(line.text for line in made.lines[1:]) or _answer_behind(text)
    if not answer or is_question(text):
        return StatementKind(Kind.TODO, _unsigned(text), 0.5, "question")
    reading = read(ANSWER.sub("", answer).lstrip("*_ "), words)
    plain = reading is not None and reading.force in ("marker", "opener")
    kind = reading.kind if reading is not None and plain else Kind.NOTE
    return StatementKind(kind, text, 0.6, "question and answer")


def _stated(made: Statement) -> StatementKind | None:
    """A table row whose status column gives its kind."""
    if made.form != "row":
        return None
    state = next((state_of(text) for name, text in made.parts if name == "status"), "")
    if state == "proposed" and made.lead.kind is Kind.DECISION:
        return StatementKind(Kind.NOTE, made.text, 0.6, "status column")
    if state not in ("rejected", "decision"):
        return None
    return StatementKind(Kind(state), made.text, 0.7, "status column")


def _boxed(
    made: Statement, reading: Announcement | None, place: HeadingContext
) -> StatementKind | None:
    """``- [ ]``, also ticked, is a todo unless it has a keyword of its own."""
    if made.checked is None:
        return None
    base, _ = _base(made, place)
    kept = base is not None and base.traits.trouble if not made.checked else base not in _BOXED
    if kept and place.weight != "title":
        return None
    marked = reading is not None and reading.force == "marker"
    text = reading.text if reading is not None and marked else made.text
    if not made.checked:
        return StatementKind(Kind.TODO, text, 0.6, "open box")
    told = reading is not None and reading.force != "sentence"
    if reading is None or not told or reading.kind in (Kind.TODO, Kind.GOAL):
        kind = Kind.TODO if base is not Kind.PROGRESS else Kind.PROGRESS
        return StatementKind(kind, text, 0.55, "ticked box")
    return StatementKind(reading.kind, text, _sure(reading), reading.why)


def _base(made: Statement, place: HeadingContext) -> tuple[Kind | None, str]:
    """The kind given by a lead or heading, and the evidence."""
    if made.lead.kind is not None:
        return made.lead.kind, f'lead "{made.lead.name}"'
    if place.kind is None or place.kind is Kind.RELATION:
        return None, ""
    of_a_file = place.kind in _OF_A_FILE and len(place.section) > 1
    prose = made.form in ("paragraph", "quote") and not of_a_file
    of_a_day = place.mode == "log" and made.form not in ("row", "dated")
    if place.weight == "title" and (prose or of_a_day):
        return None, ""
    return place.kind, f'section "{place.name}"'


def _in_section(
    made: Statement, reading: Announcement | None, place: HeadingContext
) -> StatementKind | None:
    """A statement below a lead or heading that gives its kind."""
    base, why = _base(made, place)
    by_title = place.weight == "title" and made.lead.kind is None
    if base is None or (by_title and reading is not None and _speaks(reading, base)):
        return None
    if made.form in ("paragraph", "quote") and reading is not None:
        own = place.mode == "log" or (reading.force == "marker" and reading.strong)
        kind, told = (reading.kind, reading.why) if own else (base, why)
        return StatementKind(kind, reading.text, _sure(reading), told)
    marked = reading is not None and reading.force == "marker"
    if reading is not None and marked and (reading.kind is base or _overrides(reading, base)):
        return StatementKind(reading.kind, reading.text, _sure(reading), reading.why)
    if base is Kind.NOTE:
        return None
    signed = reading is not None and reading.force == "sign"
    text = reading.text if reading is not None and signed else made.text
    return StatementKind(base, text, 0.5 if by_title else 0.65, why)


def _speaks(reading: Announcement, base: Kind) -> bool:
    """Return whether a statement's own words override a kind given by the file's title."""
    return (reading.force == "marker" and reading.strong) or base not in _OF_A_FILE


def _overrides(reading: Announcement, base: Kind) -> bool:
    """Return whether an item's own keyword overrides its section's heading."""
    if not reading.strong or base is Kind.EXPERIENCE:
        return False
    return reading.kind not in _GENERAL or base in _OPEN_TO_THEM


def _read(reading: Announcement | None, place: HeadingContext) -> StatementKind | None:
    """A statement that announces its own kind."""
    if reading is None:
        return None
    weak = reading.kind is Kind.GOAL and reading.force == "marker" and not reading.strong
    if weak and place.mode != "state":
        return None
    if reading.kind is Kind.NOTE and reading.force == "marker" and not reading.strong:
        return None
    return StatementKind(reading.kind, reading.text, _sure(reading), reading.why)


def _hinted(made: Statement, words: Lexicon, place: HeadingContext) -> StatementKind | None:
    """A kind suggested only by words within the statement."""
    text = made.text.removeprefix("~~")[:_HINTED]
    whole = _unsigned(made.text)
    if _remedied(made):
        return StatementKind(Kind.PROBLEM, whole, 0.55, "says that it is solved")
    if is_hypothetical(text):
        return None
    for kind, expression in words.hints:
        found = expression.search(text)
        if found and not (kind in _DENIABLE and is_negated(text, found.start())):
            return StatementKind(kind, whole, 0.5, f'words "{found.group().strip()[:40]}"')
    if (
        made.form == "item"
        and not label_of(made.text)[0]
        and place.title is not None
        and place.title.role == "log"
    ):
        return StatementKind(Kind.PROGRESS, whole, 0.5, "item of a day")
    return None


def _remedied(made: Statement) -> bool:
    """Return whether a statement ends with its outcome or gives its remedy."""
    said = made.text
    return bool(RESOLVED.search(said[1:]) or REMEDY.search(said) or UNRESOLVED.search(said))


def _sure(reading: Announcement) -> float:
    marked = reading.force == "marker" and reading.strong
    return 0.9 if marked else _CONFIDENCE[reading.force]


def _unsigned(text: str) -> str:
    """``text`` without its leading pictograph."""
    sign = sign_of(text)
    return text.removeprefix(sign).lstrip("\ufe0f ") if sign else text
