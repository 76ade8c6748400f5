"""Detect text that will be outdated within a week, or is about a person."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from mind.text import languages, lazy_pattern, table

MOST_READ = 20_000
"""Maximum characters of a text that are read."""

_MENTIONED = lazy_pattern(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^`].*?``|`[^`\n]+`"
    r'|"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|»[^«\n]{1,300}«'
    r"|(?<![\w'])'[^'\n]{1,100}'(?![\w'])|‘[^’\n]{1,100}’(?!\w)"
    r"|\b[a-z][a-z0-9+.-]*://[^\s<>]+|<!--.*?(?:-->|\Z)|\[\[[^\]\n]{1,200}\]\]",
    re.DOTALL,
)
_CONDITION = lazy_pattern(
    r"\b(?:if|when|whenever|while(?! (?:we|i)\b)|unless|until|once|whether|in case|as long as|"
    r"wenn|falls|sobald|solange|während|ob|si|lorsque|quand|cuando|mientras|hasta)\b",
    re.IGNORECASE,
)
_END = lazy_pattern(r"[.!?;]\s|\n|[。！？]")
_FOLDED = lazy_pattern(r"(?<=\S)[\n\t](?=[ \t]*[^\s\-*+#>|\d])")
"""A line break within a paragraph."""
_BACK = 80


def spoken(text: str) -> str:
    """Blank out quotations, code and addresses in ``text``.

    Lines of a paragraph are joined. The result is as long as the part of ``text`` that is read
    (:data:`MOST_READ`).
    """
    said = _MENTIONED.sub(lambda found: "\0" * len(found[0]), text[:MOST_READ])
    return _FOLDED.sub(" ", said)


def clause_before(said: str, at: int) -> str:
    """Return the text before ``at`` in its sentence, at most 80 characters."""
    before = said[max(0, at - _BACK) : at]
    ends = [found.end() for found in _END.finditer(before)]
    return before[ends[-1] :] if ends else before


def is_conditional(said: str, at: int) -> bool:
    """Return whether ``at`` is in a conditional clause, as in "while X is running"."""
    return _CONDITION.search(clause_before(said, at)) is not None


def begins_clause(said: str, at: int) -> bool:
    """Return whether a sentence, or the text after a colon or dash, begins at ``at``."""
    before = said[:at].rstrip(" \t*_#>([-–—•")
    return not before or before[-1] in ".!?;:\n|"


_ADVICE = {
    "dated": "Say what was decided or measured on that date, rather than how things are as of it.",
    "state": "Say since which date it is so, or what was decided; leave the passing state out.",
    "calendar": 'Give the date, as in "on 2026-11-20": the day on which it is read is another one.',
    "recent": "Say what was done and why, without how long ago; entries carry their date.",
    "flight": "Say what was decided or found out, or log it as a todo; where the work stands will "
    "change.",
    "repository": "Leave it out: git tells the state of the working tree, and it changes by the "
    "hour.",
    "novelty": 'Name it, or say what it replaced; "new" and "now" wear off.',
}
"""Suggested rewording of each sort of phrase."""
_INDENT = lazy_pattern(r"(?:\A|\n) +")
_PART = lazy_pattern(r"\{([a-z_]+)\}")


class Phrase(NamedTuple):
    """A phrase to search for.

    Attributes:
        name: The phrase as shown to users.
        pattern: Expression for it and the context it requires.
        sort: What makes it short-lived: a key of ``_ADVICE``.
        english: Whether it is English.
    """

    name: str
    pattern: re.Pattern[str]
    sort: str
    english: bool


@cache
def phrases() -> tuple[Phrase, ...]:
    """All phrases; if two match, the earlier one gives the name."""
    return tuple(
        Phrase(
            name,
            re.compile(rf"(?<![\w@/.\-])(?:{one})(?![\w@/\-(=]|\.\w)", re.IGNORECASE),
            sort,
            language == "en",
        )
        for language in _languages()
        for sort, rows in table(f"durability/{language}")["phrases"].items()
        for name, written in rows.items()
        for one in _whole(language, written if isinstance(written, list) else [written])
    )


def _languages() -> list[str]:
    """English first: its phrases provide the names shared by several languages."""
    return sorted(languages("durability"), key="en".__ne__)


def _whole(language: str, written: list[str]) -> Iterator[str]:
    """One-line expressions with named parts inserted."""
    parts = table(f"durability/{language}").get("parts", {})
    for text in written:
        whole = text
        while _PART.search(whole):
            whole = _PART.sub(lambda found: _INDENT.sub("", parts[found[1]]), whole)
        yield _INDENT.sub("", whole)


_CASED = lazy_pattern(r"\[A-Z\]|\\bI[ (]")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Expressions for claims about a person."""
    claims = (
        claim
        for language in _languages()
        for claim in _whole(language, table(f"durability/{language}")["person"]["claims"])
    )
    return tuple(re.compile(one if _CASED.search(one) else f"(?i:{one})") for one in claims)


def about_user(text: str) -> str | None:
    """The words that make ``text`` a claim about a person, as written; None if there are none.

    Only clear forms: "the user prefers", "I work at", "my time zone is", "Anna likes short
    answers". Not a program's behaviour ("user must be logged in", "the user model has a field",
    "when the user prefers reduced motion"), a team's decision ("we prefer composition") or a
    quotation. Only the first 20,000 characters are read.
    """
    said = spoken(text)
    found = [
        match
        for pattern in _patterns()
        for match in pattern.finditer(said)
        if not is_conditional(said, match.start())
    ]
    if not found:
        return None
    first = min(found, key=lambda match: match.start())
    return " ".join(first[0].split())


_WIDTH = 60
_DAY = r"(?:today|yesterday|tomorrow|now|(?:this |last |next )?(?:week|month|year))"
_NAMING = lazy_pattern(
    r"(?:\b(?:to|as|than|before|after|the|a|an|of|means?|equals?|called|named|words?|like|"
    r"default is|relative|between|says?|shows?|display\w*|formats?|renders?|pars\w+|understands?)"
    rf"|\b{_DAY}\W+(?:and|or)?)\W*$",
    re.IGNORECASE,
)
"""Before a calendar word: it is a value, not a day."""
_DEFINED = lazy_pattern(
    r"\W{0,2}(?:is|are|means?|resolves?|returns?|maps?|parses?|counts?|refers?|stands?|in utc|"
    rf"button|view|tab|widget|filter|column|marker|cell|page|(?:and |or )?{_DAY})\b|[/|]",
    re.IGNORECASE,
)
"""After a calendar word: it is a value, not a day."""
_OLD = lazy_pattern(
    r"\b(?:old|existing|previous|former|replac\w+|instead"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)\b",
    re.IGNORECASE,
)
"""In the sentence of "new": the version it is compared with, or its introduction."""
_FORMER = lazy_pattern(r"\b(?:old|existing|previous|former)\b", re.IGNORECASE)
"""Shortly after "new", also in the next sentence: the version it is compared with."""
_SENTENCE = lazy_pattern(r"[.!?](?=\s)|\n")
_NEXT_WORD = lazy_pattern(r" ([^\W\d_]{2,})")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’]\w+)?")


class Marker(NamedTuple):
    """An expression that makes a statement short-lived.

    Attributes:
        phrase: The phrase in the table, with placeholders in ``<>``.
        words: The matching words of the text.
        advice: Suggested rewording, in one or two sentences.
    """

    phrase: str
    words: str
    advice: str


def transient(text: str) -> list[Marker]:
    """Find the expressions that make ``text`` short-lived, in order of appearance.

    Quotations, code, names in title case ("Today Show"), "today's", domains and conditional clauses
    ("while a sync is in progress") are ignored. Covers English, and the most common phrases of
    German, French and Spanish. Only the first 20,000 characters are read. Each phrase is reported
    once.
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
        Marker(phrase.name, text[start:end], _ADVICE[phrase.sort]) for start, end, phrase in taken
    ]


def _tells(phrase: Phrase, said: str, start: int, end: int) -> bool:
    """Return whether the match is a statement about the present."""
    if phrase.english and _is_name(said, start, end):
        return False
    if phrase.sort == "dated":
        return True
    if phrase.sort == "calendar" and _is_value(said, start, end):
        return False
    if phrase.sort == "novelty" and (
        _OLD.search(_sentence(said, start, end)) or _FORMER.search(said, end, end + _WIDTH)
    ):
        return False
    return not is_conditional(said, start)


def _sentence(said: str, start: int, end: int) -> str:
    """The text before and after in the same sentence, within 200 characters."""
    before = _SENTENCE.split(said[max(0, start - 200) : start])[-1]
    return before + _SENTENCE.split(said[end : end + 200], maxsplit=1)[0]


def _is_name(said: str, start: int, end: int) -> bool:
    """Return whether the match is in title case beyond the start of a sentence."""
    words = [found[0] for found in _WORD.finditer(said, start, end)]
    if not words or not all(word.istitle() for word in words):
        return False
    if not begins_clause(said, start):
        return True
    after = _NEXT_WORD.match(said, end)
    return after[1].istitle() if after else len(words) > 1


def _is_value(said: str, start: int, end: int) -> bool:
    """Return whether a calendar word is a value, as in "tomorrow is computed in UTC"."""
    if _DEFINED.match(said, end):
        return True
    return _NAMING.search(clause_before(said, start)) is not None
