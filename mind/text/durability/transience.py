"""Statements that will not be true in a week: where they are, and how to say it instead."""

import re
from dataclasses import dataclass

from mind.text.durability.phrases import CALENDAR, DATED, NOVELTY, Phrase, phrases
from mind.text.durability.wording import begins_clause, clause_before, is_conditional, spoken

_WIDTH = 60
_DAY = r"(?:today|yesterday|tomorrow|now|(?:this |last |next )?(?:week|month|year))"
_NAMING = re.compile(
    r"(?:\b(?:to|as|than|before|after|the|a|an|of|means?|equals?|called|named|words?|like|"
    r"default is|relative|between|says?|shows?|display\w*|formats?|renders?|pars\w+|understands?)"
    rf"|\b{_DAY}\W+(?:and|or)?)\W*$",
    re.IGNORECASE,
)
"""Before a word of the calendar: it is spoken of as a value, not as a day."""
_DEFINED = re.compile(
    r"\W{0,2}(?:is|are|means?|resolves?|returns?|maps?|parses?|counts?|refers?|stands?|in utc|"
    rf"button|view|tab|widget|filter|column|marker|cell|page|(?:and |or )?{_DAY})\b|[/|]",
    re.IGNORECASE,
)
"""The same, after it."""
_OLD = re.compile(
    r"\b(?:old|existing|previous|former|replac\w+|instead"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)\b",
    re.IGNORECASE,
)
"""In the sentence of something new: what it is newer than, or since when it is there."""
_FORMER = re.compile(r"\b(?:old|existing|previous|former)\b", re.IGNORECASE)
"""Shortly after it, in the next sentence too: what it is newer than."""
_SENTENCE = re.compile(r"[.!?](?=\s)|\n")
_NEXT_WORD = re.compile(r" ([^\W\d_]{2,})")
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")


@dataclass(frozen=True, slots=True)
class Marker:
    """A sign that a statement will not be true in a week.

    Attributes:
        phrase: The phrase of the table; what it stands for is in ``<>``.
        words: How the text has it.
        snippet: The words around it, at most 60 characters.
        advice: How to say it instead, in one or two sentences.
    """

    phrase: str
    words: str
    snippet: str
    advice: str


def transient(text: str) -> list[Marker]:
    """Where ``text`` says what will not be true in a week, in the order of the text.

    What it only quotes, code, names in title case ("Today Show"), "today's" and domains are passed
    over, and so is what is said of a case ("while a sync is in progress"). English first; the
    commonest phrases of German, French and Spanish.
    Only its first 20,000 characters are looked at. Each phrase is reported once.
    """
    said = spoken(text)
    found: dict[str, tuple[int, int, Phrase]] = {}
    for phrase in phrases():
        for match in phrase.pattern.finditer(said):
            start, end = match.span()
            if phrase.name not in found and _tells(phrase, said, start, end):
                found[phrase.name] = (start, end, phrase)
    taken: list[tuple[int, int, Phrase]] = []
    for start, end, phrase in found.values():
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, phrase))
    taken.sort(key=lambda one: one[0])
    return [
        Marker(phrase.name, text[start:end], _snippet(text, start, end), phrase.advice)
        for start, end, phrase in taken
    ]


def _tells(phrase: Phrase, said: str, start: int, end: int) -> bool:
    """Whether the match is a statement about now."""
    if phrase.english and _is_name(said, start, end):
        return False
    if phrase.advice is DATED:
        return True
    if phrase.advice is CALENDAR and _is_value(said, start, end):
        return False
    if phrase.advice is NOVELTY and (
        _OLD.search(_sentence(said, start, end)) or _FORMER.search(said, end, end + _WIDTH)
    ):
        return False
    return not is_conditional(said, start)


def _sentence(said: str, start: int, end: int) -> str:
    """What is said before and after, in the same sentence and within 200 characters of it."""
    before = _SENTENCE.split(said[max(0, start - 200) : start])[-1]
    return before + _SENTENCE.split(said[end : end + 200], maxsplit=1)[0]


def _is_name(said: str, start: int, end: int) -> bool:
    """Whether the match is in title case, and more than the beginning of a sentence is."""
    words = [found[0] for found in _WORD.finditer(said, start, end)]
    if not words or not all(word.istitle() for word in words):
        return False
    if not begins_clause(said, start):
        return True
    after = _NEXT_WORD.match(said, end)
    return after[1].istitle() if after else len(words) > 1


def _is_value(said: str, start: int, end: int) -> bool:
    """Whether a word of the calendar stands for a value, as in "tomorrow is computed in UTC"."""
    if _DEFINED.match(said, end):
        return True
    return _NAMING.search(clause_before(said, start)) is not None


def _snippet(text: str, start: int, end: int) -> str:
    """The words around a match, on one line, cut between words."""
    around = max(0, _WIDTH - 2 - (end - start)) // 2
    left, right = max(0, start - around), min(len(text), end + around)
    piece = " ".join(text[left:right].split())
    if left and " " in text[left:start] and not text[left - 1].isspace():
        piece = piece.partition(" ")[2]
    if right < len(text) and " " in text[end:right] and not text[right].isspace():
        piece = piece.rpartition(" ")[0]
    piece = ("…" if left else "") + piece + ("…" if right < len(text) else "")
    return piece[:_WIDTH]
