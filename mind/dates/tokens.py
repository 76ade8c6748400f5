"""A text cut into what may speak of a time: numbers, dates, and words of the lexicon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from mind.dates.days import fold
from mind.dates.lexicon import Form, Meaning, forms

_EAST = "\u3005\u3040-\u30ff\u3400-\u9fff"
_END = rf"(?![^\W{_EAST}])"
_DAY = r"\d{4}(?:(?P<s>[-/])\d{1,2}(?P=s)\d{1,2}|\.\d{2}\.\d{2})"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?"
_TOKEN = re.compile(
    rf"(?P<day>{_DAY}(?:[t ]{_CLOCK})?|(?:\d{{1,2}}\. ?\d{{1,2}}\. ?|\d{{1,2}}(?P<z>[-/])\d{{1,2}}(?P=z))\d{{4}})"
    rf"{_END}(?![-.]\d)"
    rf"|(?P<week>\d{{4}}-?w\d{{1,2}}){_END}"
    rf"|(?P<quarter>\d{{4}}[-/ ]?q[1-4]){_END}"
    rf"|(?P<month>\d{{4}}[-/]\d{{2}}){_END}(?![-/.]\d)"
    rf"|(?P<junk>\d+(?:[.,:]\d+)+[^\W{_EAST}]*)"
    rf"|(?P<number>\d{{1,9}})(?P<nth>st|nd|rd|th|er|o|°|-?го)?{_END}"
    rf"|(?P<word>[^\W{_EAST}]+|[{_EAST}]|\.{{2,3}}|[^\w\s])"
)  # fmt: skip
_ENGLISH_TO = Meaning("to", 0, 255)
_SIGNS = {sign: {"to": _ENGLISH_TO, "dash": _ENGLISH_TO} for sign in ("-", "..", "...", "~")}
_NOTHING: dict[str, Meaning] = {}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text.

    Attributes:
        text: Folded.
        start: Where it begins in the text as it was given.
        end: Where it ends there.
        shape: ``day``, ``week``, ``quarter``, ``month``, ``number``, ``junk`` or ``word``.
        means: What the lexicon says, by kind.
        nth: It is a number written as an ordinal: "3rd".
    """

    text: str
    start: int
    end: int
    shape: str
    means: dict[str, Meaning] = field(default_factory=dict)
    nth: bool = False

    @property
    def number(self) -> int | None:
        """Its value if it is written in digits and small enough for a date."""
        return int(self.text) if self.shape == "number" and len(self.text) <= 4 else None


@lru_cache(4096)
def _folded(character: str) -> str:
    return fold(character).replace("’", "'").replace("…", "...")


def _with_places(text: str) -> tuple[str, list[int] | None]:
    """``text`` folded, and from where in it each character comes; None if from the same place."""
    if text.isascii():
        return text.lower(), None
    pieces = [_folded(character) for character in text]
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``; those of a form of several words are one."""
    folded, places = _with_places(text)
    found = list(_TOKEN.finditer(folded))
    words = [one.group() for one in found]
    known = forms()
    result: list[Token] = []
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
    candidates: list[tuple[Form, tuple[dict[str, Meaning], ...]]], words: list[str], at: int
) -> tuple[int, tuple[dict[str, Meaning], ...]]:
    for form, meanings in candidates:
        if tuple(words[at : at + len(form)]) == form:
            return len(form), meanings
    return 1, ()


def _made(
    begin: "re.Match[str]",
    words: list[str],
    place: tuple[int, int],
    meanings: tuple[dict[str, Meaning], ...],
) -> Iterator[Token]:
    shape = begin.lastgroup or "word"
    if shape == "nth":
        yield Token(begin["number"], *place, "number", nth=True)
    elif meanings:
        for one in meanings:
            yield Token(" ".join(words), *place, "word", one)
    else:
        yield Token(words[0], *place, shape, _SIGNS.get(words[0], _NOTHING))
