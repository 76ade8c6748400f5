"""Meanings of words in time expressions, for each language with a file.

The file of a language gives one or several meanings (``kind value``, joined by ``+`` where one word
has several meanings: 先週 is "last" and "week") and their forms. Less obvious kinds:

    day, weak       days from today; weak: the word has other meanings
    part            the hour of a part of the day (24 is midnight)
    rel, coming     last (-1), this (0), next (1); coming: the next such day, also of this week
    edge, rough     the early, middle or late third; rough: not a first or last day
    ago, hence      after an amount, ago_first and ahead before it
    at              before the hour: "at five"
    in_month        before the name of a month, which alone is ambiguous: "in may"
    for             before a time that is a purpose: "the report for friday"
    then_in         after a time, in languages with postpositions (に)
    alters          next to a time, changes its meaning: or, not, about
    limits          before a time, says how it belongs to the text: only, namely, but
    refers          to a time named before it: "by then"
    fraction        half an hour; other: every second one
    plus_half       and a half, after the number or the unit; 0 if it can be less
    years, days     units that are also signs in dates (年, 日)
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from mind.text import languages, lazy_pattern, table
from mind.text.dates.days import fold, month_names, months, said_in

LANGUAGES = {name: 1 << at for at, name in enumerate(languages("dates"))}
"""Bit of each language."""
EVERY = -1
ENGLISH = LANGUAGES["en"]
EASTERN = LANGUAGES["zh"] | LANGUAGES["ja"]


class Unclear(ValueError):
    """Ambiguous between two times, which also rules out any other reading."""


class WordMeaning(NamedTuple):
    """A meaning of a word: kind, value and languages (bit mask)."""

    kind: str
    value: float | str
    langs: int


Form = tuple[str, ...]
"""The tokens of a form, as split by this module."""

WORD = lazy_pattern(
    r"[\u3005\u3040-\u30ff\u3400-\u9fff]|[^\W\u3005\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]"
)
"""Pattern of a token; Chinese and Japanese characters are separate tokens."""


@cache
def forms() -> dict[str, list[tuple[Form, tuple[dict[str, WordMeaning], ...]]]]:
    """First token → forms (longest first), and meanings of the resulting tokens."""
    known: dict[Form, tuple[dict[str, WordMeaning], ...]] = {}
    for meanings, form in _all():
        key = tuple(WORD.findall(fold(form)))
        found = known.get(key, ())
        if len(found) != len(meanings):
            found = tuple({} for _ in meanings)
        known[key] = found
        for said, one in zip(found, meanings, strict=True):
            before = said.get(one.kind)
            langs = one.langs | (before.langs if before and before.value == one.value else 0)
            said[one.kind] = one._replace(langs=langs)
    table: dict[str, list[tuple[Form, tuple[dict[str, WordMeaning], ...]]]] = {}
    for key in sorted(known, key=len, reverse=True):
        table.setdefault(key[0], []).append((key, known[key]))
    return table


def _all() -> Iterator[tuple[tuple[WordMeaning, ...], str]]:
    whole = {month for name in LANGUAGES for month, _ in month_names(name, "full")}
    for name, langs in LANGUAGES.items():
        for meaning, said in table(f"dates/{name}")["meanings"].items():
            meanings = tuple(_meaning(one, langs) for one in meaning.split(" + "))
            yield from ((meanings, form) for form in said_in(said))
        for month, number in month_names(name, "full"):
            yield (WordMeaning("month", number, langs),), month
        for month, number in month_names(name, "short"):
            if month not in whole:
                yield (WordMeaning("short_month", number, langs if name == "en" else 0),), month


def _meaning(text: str, langs: int) -> WordMeaning:
    kind, value = text.split()
    if kind.endswith("unit"):
        return WordMeaning(kind, value, langs)
    return WordMeaning(kind, float(value) if "." in value else int(value), langs)


_EAST = "\u3005\u3040-\u30ff\u3400-\u9fff"
_END = rf"(?![^\W{_EAST}])"
_DAY = r"\d{4}(?:(?P<s>[-/])\d{1,2}(?P=s)\d{1,2}|\.\d{2}\.\d{2})"
_DAY_FIRST = r"(?:\d{1,2}\. ?\d{1,2}\. ?|\d{1,2}(?P<z>[-/])\d{1,2}(?P=z))"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?"
_TOKEN = lazy_pattern(
    rf"(?P<day>{_DAY}(?:[t ]{_CLOCK})?|{_DAY_FIRST}\d{{4}}){_END}(?![-.]\d)"
    rf"|(?P<week>\d{{4}}-?w\d{{1,2}}){_END}"
    rf"|(?P<quarter>\d{{4}}[-/ ]?q[1-4]){_END}"
    rf"|(?P<month>\d{{4}}[-/]\d{{2}}){_END}(?![-/.]\d)"
    rf"|(?P<junk>\d+(?:[.,:]\d+)+[^\W{_EAST}]*)"
    rf"|(?P<number>\d{{1,9}})(?P<nth>st|nd|rd|th|er|o|°|-?го)?{_END}"
    rf"|(?P<word>[^\W{_EAST}]+|[{_EAST}]|\.{{2,3}}|[^\w\s])"
)
_ENGLISH_TO = WordMeaning("to", 0, EVERY)
_SIGNS = {sign: {"to": _ENGLISH_TO, "dash": _ENGLISH_TO} for sign in ("-", "..", "...", "~")}
_NOTHING: dict[str, WordMeaning] = {}


@dataclass(frozen=True, slots=True)
class DateToken:
    """A token of the text.

    Attributes:
        text: Folded.
        start: Start offset in the original text.
        end: End offset in the original text.
        shape: ``day``, ``week``, ``quarter``, ``month``, ``number``, ``junk`` or ``word``.
        means: Its meanings in the lexicon, by kind.
        nth: Whether it is an ordinal number: "3rd".
    """

    text: str
    start: int
    end: int
    shape: str
    means: dict[str, WordMeaning] = field(default_factory=dict)
    nth: bool = False

    @property
    def number(self) -> int | None:
        """Its value if it is in digits and small enough for a date."""
        return int(self.text) if self.shape == "number" and len(self.text) <= 4 else None


@lru_cache(4096)
def _folded(character: str) -> str:
    return fold(character).replace("’", "'").replace("…", "...")


def _with_places(text: str) -> tuple[str, list[int] | None]:
    """``text`` folded, with the original offset of each character; None if unchanged."""
    if text.isascii():
        return text.lower(), None
    pieces = [_folded(character) for character in text]
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def tokens(text: str) -> list[DateToken]:
    """Tokenise ``text``; a form of several words is one token."""
    folded, places = _with_places(text)
    found = list(_TOKEN.finditer(folded))
    words = [one.group() for one in found]
    known = forms()
    result: list[DateToken] = []
    at = 0
    while at < len(found):
        begin = found[at]
        length, meanings = _longest(known.get(words[at], []), words, at)
        last = found[at + length - 1]
        start, end = begin.start(), last.end()
        if places is not None:
            start, end = places[start], places[end - 1] + 1
        result += _made(begin, words[at : at + length], (start, end), meanings)
        at += length
    return result


def _longest(
    candidates: list[tuple[Form, tuple[dict[str, WordMeaning], ...]]], words: list[str], at: int
) -> tuple[int, tuple[dict[str, WordMeaning], ...]]:
    for form, meanings in candidates:
        if tuple(words[at : at + len(form)]) == form:
            return len(form), meanings
    return 1, ()


def _made(
    begin: "re.Match[str]",
    words: list[str],
    place: tuple[int, int],
    meanings: tuple[dict[str, WordMeaning], ...],
) -> Iterator[DateToken]:
    shape = begin.lastgroup or "word"
    if shape == "nth":
        yield DateToken(begin["number"], *place, "number", nth=True)
    elif meanings:
        for one in meanings:
            yield DateToken(" ".join(words), *place, "word", one)
    else:
        yield DateToken(words[0], *place, shape, _SIGNS.get(words[0], _NOTHING))


@dataclass(frozen=True)
class DateText:
    """A text to parse, and the reference day.

    Attributes:
        tokens: In their order.
        today: The reference day.
        ahead: Read times as future; ambiguous ones are refused.
        later: Today counts as future.
    """

    tokens: Sequence[DateToken]
    today: date
    ahead: bool = False
    later: bool = False
    known: dict[int, Any] = field(default_factory=dict)
    """Cache of parse results by position."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The set of words."""
        return frozenset(token.text for token in self.tokens)

    def is_near(self, day: date) -> bool:
        """Return whether a day without a month or year may be meant: not over, or else not yet."""
        return day >= self.today if self.ahead else day <= self.today

    def says(self, at: int, kind: str, langs: int = EVERY) -> WordMeaning | None:
        """Return the token's meaning as ``kind`` in one of these languages, if any."""
        found = self.tokens[at].means.get(kind) if at < len(self.tokens) else None
        return found if found and (found.langs & langs or not found.langs) else None

    def first(self, at: int, *kinds: str) -> WordMeaning | None:
        """Return the token's first meaning among these kinds, if any."""
        return next((found for kind in kinds if (found := self.says(at, kind))), None)

    def number(self, at: int) -> int | None:
        """The number at ``at`` in digits, if any."""
        return self.tokens[at].number if at < len(self.tokens) else None

    def skip(self, at: int, *kinds: str) -> int:
        """The position after up to three tokens of these kinds."""
        for _ in range(3):
            if not any(self.says(at, kind) for kind in kinds):
                break
            at += 1
        return at

    def is_sign(self, at: int, *signs: str) -> bool:
        """Return whether the token at ``at`` is one of these characters."""
        return at < len(self.tokens) and self.tokens[at].text in signs


_NAMING = ("day", "weak", "night", "this_part", "part", "unit", "season", "weekday", "number 6 +")
"""Kinds of meanings that give a time by themselves."""
_COUNTING = ("rel", "past", "few", "number", "nth")
"""Kinds of meanings that turn the French "an", in English an article, into a time."""
_RELEASED = ("last", "latest", "previous")


def may_name_a_time(text: str) -> bool:
    """Return whether ``text`` has a digit, a non-ASCII letter, or a word for a time.

    If not, it has neither a time nor a release.
    """
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    words = set(re.findall("[a-z]+", text.lower()))
    return not words.isdisjoint(_naming())


@cache
def _naming() -> set[str]:
    """The longest word of each form for a time; next to the French "an", any that counts."""
    naming = {*_RELEASED, *months()}
    for language in languages("dates"):
        kinds = (*_NAMING, *_COUNTING) if language == "fr" else _NAMING
        for meaning, forms in table(f"dates/{language}")["meanings"].items():
            if meaning.removeprefix("weak_").startswith(kinds):
                naming |= {max(re.findall(r"\w+|$", fold(one)), key=len) for one in said_in(forms)}
    return naming - {"an"}
