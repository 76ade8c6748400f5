"""A query as the signals need it."""

import re
from datetime import date
from functools import cached_property

from mind.ranking.passages import pairs_of
from mind.terms import query_terms, telling, terms

_WHEN = re.compile(
    r"\W*(?:when|wann|quand|cu[aá]ndo|quando|когда|什么时候|いつ)\b"
    r"|(?s:.*)\b(?:what|which) (?:year|month|week|day|date)\b",
    re.IGNORECASE,
)
_GRAM = 4
_MOST_GRAMS = 120
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
