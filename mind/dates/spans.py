"""Periods as people write them, seen from today and looking back: "last week", "in March".

A whole phrase is read by :func:`parse_period`; in a query, :func:`periods_in` finds what is
surely a time and nothing else: not "march through the list", "may fail" or "the last migration".

A week, month, quarter or year is the calendar's ("last week" is Monday to Sunday); "the last
week", "past week" and "the last 10 days" are counted back from today. A month, day or weekday
without a year or week is the most recent one.
"""

from dataclasses import dataclass
from datetime import date

from mind.dates.guards import is_apart, is_meant
from mind.dates.periods import Period
from mind.dates.points import Text
from mind.dates.ranges import span
from mind.dates.tokens import Token, tokens

__all__ = ["LONGEST_QUERY", "Found", "Period", "parse_period", "periods_in"]

LONGEST_QUERY = 4_000
"""Characters of a query that are looked at."""
_LONGEST_PHRASE = 120
_SURE = 2
_END = ("!", "?", ".", ",", ";")


@dataclass(frozen=True, slots=True)
class Found:
    """A period that a query names.

    Attributes:
        period: Its days.
        start: The character where its words begin, the preposition with them.
        end: The character behind them.
        words: The words as written.
    """

    period: Period
    start: int
    end: int
    words: str


def parse_period(text: str, today: date, week_starts: int = 0) -> Period | None:
    """The period that all of ``text`` names; None if it is none, or not clear.

    Args:
        text: In English, Spanish, German, French, Portuguese, Russian, Chinese or Japanese.
        today: The day it is seen from.
        week_starts: 0 if weeks begin on Monday, up to 6 for Sunday.
    """
    phrase = " ".join(text[: 2 * _LONGEST_PHRASE].split())
    if len(phrase) > _LONGEST_PHRASE:
        return None
    read = tokens(phrase)
    while read and read[-1].text in _END and not read[-1].means:
        read.pop()
    if not read:
        return None
    found = span(_text(read, today, week_starts), 0, alone=True)
    return found.period if found and found.next == len(read) else None


def periods_in(text: str, today: date, week_starts: int = 0) -> list[Found]:
    """The periods that a query names beside other words, in their order.

    Args:
        text: Its first :data:`LONGEST_QUERY` characters are looked at.
        today: The day it is seen from.
        week_starts: As for :func:`parse_period`.
    """
    query = text[:LONGEST_QUERY]
    read = _text(tokens(query), today, week_starts)
    result: list[Found] = []
    at = 0
    while at < len(read.tokens):
        token = read.tokens[at]
        speaks = bool(token.means) or token.shape not in ("word", "junk")
        found = span(read, at, alone=False) if speaks else None
        start = token.start
        end = read.tokens[found.next - 1].end if found else start
        if (
            found is None
            or found.sure < _SURE
            or not is_apart(query, start, end)
            or not is_meant(read, at, found.next)
        ):
            at += 1
            continue
        result.append(Found(found.period, start, end, query[start:end]))
        at = found.next
    return result


def _text(read: list[Token], today: date, week_starts: int) -> Text:
    return Text(read, today, week_starts, frozenset(token.text for token in read))
