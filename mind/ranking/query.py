"""A query as the signals need it."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cached_property

from mind.ranking.passages import pairs_of
from mind.text.terms import STOP_WORDS, query_terms, telling, terms

_WHEN = re.compile(
    r"\W*(?:when|wann|quand|cu[aá]ndo|quando|когда|什么时候|いつ)\b"
    r"|(?s:.*)\b(?:what|which) (?:year|month|week|day|date)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(r"--?[A-Za-z][\w-]*|\.?\w+(?:[._/:-]\w+)*")
_SHAPED = re.compile(r"-|\.|.+[._/:-]|_|[A-Z]{2}|\w*[a-z\d][A-Z]|\d+[A-Za-z]|[A-Za-z]\w*\d")
_LONGEST_NAME = 100
_GRAM = 4
_MOST_GRAMS = 120
_MOST_CODES = 32
_MOST_READ = 4_000
_BEGINNING = 600
"""Characters in which a query asks when, if it does."""


class Query:
    """A query as the signals need it.

    Args:
        text: As asked; nothing in it is syntax.
        period: Days that it speaks of, the first and the last.
        about: The text without the words for them, if that says anything.
    """

    def __init__(
        self, text: str, period: tuple[date | None, date | None] | None = None, about: str = ""
    ) -> None:
        self.text = text
        self.period = period
        self.terms = query_terms(text)
        self.about = query_terms(about) if about else self.terms

    def means(self, day: str) -> bool:
        """Whether ``day``, ISO, is one of those that it speaks of; "" is none."""
        if self.period is None or not day:
            return False
        start, end = self.period
        return (not start or day >= start.isoformat()) and (not end or day <= end.isoformat())

    @cached_property
    def words(self) -> list[str]:
        """Those that tell something, as written."""
        return telling(self.text)

    @cached_property
    def pairs(self) -> set[tuple[str, str]]:
        """Terms that stand side by side once stop words are left out."""
        return pairs_of(terms(" ".join(self.words)))

    @cached_property
    def codes(self) -> list[str]:
        """What looks like code, folded, each once: options, paths, calls, `quoted`, camelCase."""
        found = (piece for word in self.text[:_MOST_READ].split() for piece in _codes(word))
        return list(dict.fromkeys(found))[:_MOST_CODES]

    @cached_property
    def grams(self) -> list[str]:
        """Fours of characters, each once."""
        text = " ".join(word.casefold() for word in self.words)
        found = (text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1))
        return list(dict.fromkeys(found))[:_MOST_GRAMS]

    @cached_property
    def names(self) -> set[str]:
        """Words with a capital, folded."""
        return {word.casefold() for word in self.words if word[:1].isupper()}

    @cached_property
    def asks_when(self) -> bool:
        """Whether the answer is a time."""
        return _WHEN.match(self.text[:_BEGINNING]) is not None


def _codes(word: str) -> Iterator[str]:
    """Those in a word as it stands between spaces, so that the order of the words is nothing."""
    for piece in _PIECE.finditer(word[:_LONGEST_NAME]):
        name = piece[0].casefold()
        if len(name) > 1 and name not in STOP_WORDS and _is_code(piece, word):
            yield name


def _is_code(piece: re.Match[str], word: str) -> bool:
    called = word[piece.end() : piece.end() + 1] in {"=", "("}
    return called or "`" in word or _SHAPED.match(piece[0]) is not None
