"""The kind of a statement: by its keyword, its place or its words."""

from typing import NamedTuple

from mind.documents.parser.drafts import REMEDY, RESOLVED, STRUCK, UNRESOLVED, Draft
from mind.documents.parser.lexicon import (
    Announcement,
    Force,
    Lexicon,
    is_hypothetical,
    is_negated,
    is_question,
    label_of,
    read,
    sign_of,
    state_of,
    undated,
)
from mind.documents.parser.place import HeadingContext
from mind.documents.parser.statements import (
    ABOUT,
    GENERAL,
    OPEN_TO_THEM,
    QUESTION,
    Statement,
)
from mind.domain.entry import Kind, Span
from mind.text.relations import relation

_CONFIDENCE: dict[Force, float] = {
    "mind": 0.95,
    "marker": 0.8,
    "opener": 0.7,
    "sentence": 0.6,
    "sign": 0.6,
}
_BOXED = frozenset({None, Kind.TODO, Kind.PROGRESS, Kind.NOTE})
"""Kinds of sections whose items with a box are todos."""
_DENIABLE = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.LEARNING})
"""Kinds that are not hinted at by words after a negation."""
_OF_A_FILE = frozenset({Kind.LEARNING, Kind.GOTCHA})
"""Kinds that a file's title may give to its whole content."""
_HINTED = 300
TICKED = "ticked box"
"""Evidence of an entry that is done because its box is ticked."""


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
    # the items of a list do not repeat the label above it, unless that only gives their kind
    is_topic = made.form == "item" and words.heading(made.lead.name) is None
    drafted = Draft(
        kind=found.kind,
        text=": ".join([*(text for name, text in made.parts if name == ABOUT), found.text]),
        confidence=found.sure,
        why=found.why,
        line=made.first + shift[0],
        end=made.last + shift[0],
        span=Span(made.span.start + shift[1], made.span.end + shift[1]),
        said=made.text,
        beside=made.lead.name if is_topic else "",
        code=tuple(made.code),
        checked=made.checked,
        day=made.day,
    )
    for name, text in made.parts:
        if name != ABOUT:
            drafted.add(name, text)
    return drafted


def _verdict(made: Statement, place: HeadingContext, words: Lexicon) -> StatementKind:
    text = made.text
    if place.mode == "relation" and ("[[" in text or relation(text)):
        return StatementKind(Kind.RELATION, text, 0.9, f'section "{place.name}"')
    bare = STRUCK.sub(r"\g<text>", text, count=1)
    reading = read(bare, words)
    marked = reading is not None and reading.force == "marker"
    if not marked and (is_question(text) or (made.lines and _is_asked(made.lines[0].text))):
        return _asked(made)
    if made.form == "dated":
        return _dated(made, place, words)
    return (
        _stated(made, place)
        or _boxed(made, reading, place)
        or _in_section(made, reading, place)
        or _read(reading)
        or _hinted(made, words, place)
        or StatementKind(Kind.NOTE, _unsigned(text), 0.5, f"plain {made.form}")
    )


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


def _asked(made: Statement) -> StatementKind:
    """An open question, or a note of one with its answer."""
    if len(made.lines) < 2 or is_question(made.text):
        return StatementKind(Kind.TODO, _unsigned(made.text), 0.5, "question")
    return StatementKind(Kind.NOTE, made.text, 0.6, "question and answer")


def _stated(made: Statement, place: HeadingContext) -> StatementKind | None:
    """A table row whose status column gives its kind."""
    if made.form != "row":
        return None
    state = next((state_of(text) for name, text in made.parts if name == "status"), "")
    if state == "open" and place.kind is Kind.DECISION:
        state = Kind.TODO
    if state not in ("rejected", "decision", "todo"):
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
    if reading is None or reading.force == "sentence":
        kind = Kind.TODO if base is not Kind.PROGRESS else Kind.PROGRESS
        return StatementKind(kind, text, 0.55, TICKED)
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
    return reading.strong and (reading.kind not in GENERAL or base in OPEN_TO_THEM)


def _read(reading: Announcement | None) -> StatementKind | None:
    """A statement that announces its own kind."""
    if reading is None:
        return None
    if reading.kind is Kind.GOAL and reading.force == "marker" and not reading.strong:
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
