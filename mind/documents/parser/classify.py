"""A statement → a draft of its entry: its kind, from its own words, what leads it, its headings."""

import re
from dataclasses import dataclass

from mind.documents.parser.drafts import Draft
from mind.documents.parser.lexicon import Lexicon, pattern, state_of
from mind.documents.parser.lines import (
    Force,
    Reading,
    is_hypothetical,
    is_negated,
    is_question,
    label_of,
    read,
    sign_of,
    undated,
)
from mind.documents.parser.place import Place
from mind.documents.parser.statements import Statement
from mind.domain.entry import Kind, Span
from mind.text.relations import relation

_CONFIDENCE: dict[Force, float] = {
    "mind": 0.95,
    "marker": 0.8,
    "opener": 0.7,
    "sentence": 0.6,
    "sign": 0.6,
}
_GENERAL = frozenset(
    {Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.TODO, Kind.GOAL, Kind.EXPERIENCE}
)
_OPEN_TO_THEM = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.NOTE, Kind.TODO})
_BOXED = frozenset({None, Kind.TODO, Kind.PROGRESS, Kind.NOTE})
_HAS_STATUS = frozenset({Kind.PROBLEM, Kind.TODO, Kind.BLOCKER})
_DENIABLE = frozenset({Kind.PROBLEM, Kind.PROGRESS, Kind.LEARNING})
_OF_A_FILE = frozenset({Kind.LEARNING, Kind.GOTCHA})
"""Kinds that a file's title gives to all that is said in it."""
_HINTED = 300
_STRUCK = re.compile(r"^~~(.+?)~~")
_SOLVED = pattern("resolved")
_REMEDY = pattern("remedy")
_QUESTION = pattern("questions")
_ANSWER = pattern("answers")
_REOPENED = pattern("unresolved")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kind of a statement.

    Attributes:
        text: Its words without the keyword that announced the kind.
        sure: 0–1, before reasons and vagueness are weighed.
        why: For a person.
    """

    kind: Kind
    text: str
    sure: float
    why: str


def draft(made: Statement, place: Place, words: Lexicon, shift: tuple[int, int]) -> Draft:
    """The draft of the entry that ``made`` is.

    Args:
        made: A statement.
        place: What the headings above it say.
        words: The vocabulary.
        shift: How many lines and bytes stand before its section.
    """
    found = _verdict(made, place, words)
    drafted = Draft(
        kind=found.kind,
        text=found.text,
        confidence=found.sure,
        why=found.why,
        line=made.first + shift[0],
        end=made.last + shift[0],
        span=Span(made.span.start + shift[1], made.span.end + shift[1]),
        said=made.text,
        beside="\n".join(made.code),
        checked=made.checked,
    )
    for name, text in made.parts:
        drafted.add(name, text)
    return drafted


def _verdict(made: Statement, place: Place, words: Lexicon) -> Verdict:
    text = made.text
    if place.mode == "relation" and ("[[" in text or relation(text)):
        return Verdict(Kind.RELATION, text, 0.9, f'section "{place.name}"')
    bare = _STRUCK.sub(r"\1", text, count=1)
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
    )
    return found or Verdict(Kind.NOTE, _unsigned(text), 0.5, f"plain {made.form}")


def _dated(made: Statement, place: Place, words: Lexicon) -> Verdict:
    """``[2026-01-20 09:00] - text``: of its section's kind unless a keyword says otherwise."""
    text = undated(made.text) or made.text
    reading = read(text, words)
    if reading is not None and (place.kind is None or reading.strong):
        return Verdict(reading.kind, reading.text.strip("*_ "), 0.65, reading.why)
    kind = place.kind or (Kind.DECISION if made.parts else Kind.PROGRESS)
    return Verdict(kind, text.strip("*_ "), 0.65, "dated line")


def _is_asked(text: str) -> bool:
    return is_question(text) or _QUESTION.match(text) is not None


def _asked(made: Statement, words: Lexicon) -> Verdict:
    """A question is to be answered; one with its answer is of the kind that the answer says."""
    text = made.text
    if len(made.lines) < 2 or is_question(text):
        return Verdict(Kind.TODO, _unsigned(text), 0.5, "question")
    answer = " ".join(line.text for line in made.lines[1:])
    reading = read(_ANSWER.sub("", answer).lstrip("*_ "), words)
    plain = reading is not None and reading.force in ("marker", "opener")
    kind = reading.kind if reading is not None and plain else Kind.NOTE
    return Verdict(kind, text, 0.6, "question and answer")


def _stated(made: Statement) -> Verdict | None:
    """A row whose status column says what became of it."""
    if made.form != "row":
        return None
    state = next((state_of(text) for name, text in made.parts if name == "status"), "")
    if state not in ("rejected", "decision"):
        return None
    return Verdict(Kind(state), made.text, 0.7, "status column")


def _boxed(made: Statement, reading: Reading | None, place: Place) -> Verdict | None:
    """``- [ ]`` is a todo, also when it is ticked, unless its own keyword says otherwise."""
    if made.checked is None:
        return None
    base, _ = _base(made, place)
    if base not in _BOXED and place.weight != "title":
        return None
    marked = reading is not None and reading.force == "marker"
    text = reading.text if reading is not None and marked else made.text
    if not made.checked:
        return Verdict(Kind.TODO, text, 0.6, "open box")
    told = reading is not None and reading.force != "sentence"
    if reading is None or not told or reading.kind in (Kind.TODO, Kind.GOAL):
        kind = Kind.TODO if base is not Kind.PROGRESS else Kind.PROGRESS
        return Verdict(kind, text, 0.55, "ticked box")
    return Verdict(reading.kind, text, _sure(reading), reading.why)


def _base(made: Statement, place: Place) -> tuple[Kind | None, str]:
    """The kind that a lead or a heading gives, and how that is said."""
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


def _in_section(made: Statement, reading: Reading | None, place: Place) -> Verdict | None:
    """A statement below a lead or heading that gives its kind."""
    base, why = _base(made, place)
    by_title = place.weight == "title" and made.lead.kind is None
    if base is None or (by_title and reading is not None and _speaks(reading, base)):
        return None
    if made.form in ("paragraph", "quote") and reading is not None:
        own = place.mode == "log" or (reading.force == "marker" and reading.strong)
        kind, told = (reading.kind, reading.why) if own else (base, why)
        return Verdict(kind, reading.text, _sure(reading), told)
    marked = reading is not None and reading.force == "marker"
    if reading is not None and marked and (reading.kind is base or _overrides(reading, base)):
        return Verdict(reading.kind, reading.text, _sure(reading), reading.why)
    if base is Kind.NOTE:
        return None
    signed = reading is not None and reading.force == "sign"
    text = reading.text if reading is not None and signed else made.text
    return Verdict(base, text, 0.5 if by_title else 0.65, why)


def _speaks(reading: Reading, base: Kind) -> bool:
    """Whether a statement's own words count where only the file's title gives a kind."""
    return (reading.force == "marker" and reading.strong) or base not in _OF_A_FILE


def _overrides(reading: Reading, base: Kind) -> bool:
    """Whether an item's own keyword speaks against its section's heading."""
    if not reading.strong or base is Kind.EXPERIENCE:
        return False
    return reading.kind not in _GENERAL or base in _OPEN_TO_THEM


def _read(reading: Reading | None, place: Place) -> Verdict | None:
    """A statement that says itself of what kind it is."""
    if reading is None:
        return None
    weak = reading.kind is Kind.GOAL and reading.force == "marker" and not reading.strong
    if weak and place.mode != "state":
        return None
    if reading.kind is Kind.NOTE and reading.force == "marker" and not reading.strong:
        return None
    return Verdict(reading.kind, reading.text, _sure(reading), reading.why)


def _hinted(made: Statement, words: Lexicon, place: Place) -> Verdict | None:
    """A kind that only the words within the statement suggest."""
    text = made.text.removeprefix("~~")[:_HINTED]
    whole = _unsigned(made.text)
    if _remedied(made):
        return Verdict(Kind.PROBLEM, whole, 0.55, "says that it is solved")
    if is_hypothetical(text):
        return None
    for kind, expression in words.hints:
        found = expression.search(text)
        if found and not (kind in _DENIABLE and is_negated(text, found.start())):
            return Verdict(kind, whole, 0.5, f'words "{found.group().strip()[:40]}"')
    if (
        made.form == "item"
        and not label_of(made.text)[0]
        and place.title is not None
        and place.title.role == "log"
    ):
        return Verdict(Kind.PROGRESS, whole, 0.5, "item of a day")
    return None


def _remedied(made: Statement) -> bool:
    """Whether a statement ends with what became of it, or gives its remedy."""
    said = made.text
    return bool(_SOLVED.search(said[1:]) or _REMEDY.search(said) or _REOPENED.search(said))


def _sure(reading: Reading) -> float:
    marked = reading.force == "marker" and reading.strong
    return 0.9 if marked else _CONFIDENCE[reading.force]


def _unsigned(text: str) -> str:
    """``text`` without the pictograph that it begins with."""
    sign = sign_of(text)
    return text.removeprefix(sign).lstrip("\ufe0f ") if sign else text
