"""Days, months, weeks, quarters and years by their names: what a relation can be put before.

A rule takes the text and a place in it, and gives what stands there or None. How sure it is says
where it counts: 2 anywhere in a query, 1 behind a preposition, 0 only if nothing else is said.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta

from mind.dates.days import day_from, heading_date
from mind.dates.durations import months_later
from mind.dates.lexicon import EVERY, LANGUAGES, Meaning
from mind.dates.periods import months
from mind.dates.tokens import Token

ENGLISH = 1
EASTERN = LANGUAGES["zh"] | LANGUAGES["ja"]
SOFT = ("march", "may")
"""Months that are verbs as well."""
_FRENCH = {"le", "la", "les", "des", "une", "est", "nous", "avons", "pour", "que", "quoi", "qu", "d"}


@dataclass(frozen=True, slots=True)
class Text:
    """What is read: its tokens, and from which day it is seen."""

    tokens: Sequence[Token]
    today: date
    week_starts: int = 0
    words: Set[str] = frozenset()

    def says(self, at: int, kind: str, langs: int = EVERY) -> Meaning | None:
        """What the token there means as a ``kind``, in one of these languages."""
        found = self.tokens[at].means.get(kind) if at < len(self.tokens) else None
        return found if found and (found.langs & langs or not found.langs) else None

    def number(self, at: int) -> int | None:
        """The number there in digits."""
        return self.tokens[at].number if at < len(self.tokens) else None

    def skip(self, at: int, *kinds: str) -> int:
        """Behind up to three tokens of these kinds."""
        for _ in range(3):
            if not any(self.says(at, kind) for kind in kinds):
                break
            at += 1
        return at

    def is_sign(self, at: int, *signs: str) -> bool:
        """Whether one of these characters stands there."""
        return at < len(self.tokens) and self.tokens[at].text in signs


@dataclass(frozen=True, slots=True)
class Point:
    """What a rule found.

    Attributes:
        start: The first day.
        end: The last day.
        next: The place behind it.
        sure: See the module.
        langs: The languages it can be in.
        yearless: Its year was concluded: a range may move it.
        exact: The day that is meant when one is asked for: "since two weeks ago".
    """

    start: date
    end: date
    next: int
    sure: int = 2
    langs: int = EVERY
    yearless: bool = False
    exact: date | None = None


Rule = Callable[[Text, int], Point | None]


def day_word(text: Text, at: int) -> Point | None:
    """Yesterday, today, last night, this morning."""
    for kind, sure in (("day", 2), ("weak", 0), ("this_part", 2), ("night", 2)):
        found = text.says(at, kind)
        if found:
            sure = 2 if found.value == -1 and text.words & _FRENCH else sure
            day = text.today + timedelta(days=int(found.value))
            end = text.today if kind == "night" else day
            return Point(day, end, text.skip(at + 1, "part"), sure, found.langs)
    return None


def written(text: Text, at: int) -> Point | None:
    """A date, week, month or quarter in digits."""
    token = text.tokens[at]
    numbers = [int(one) for one in re.findall(r"\d+", token.text)]
    if token.shape == "day":
        day = heading_date(token.text)
        return Point(day, day, at + 1) if day else None
    if token.shape == "week":
        monday = date.fromisocalendar(numbers[0], numbers[1], 1)
        return Point(monday, monday + timedelta(days=6), at + 1)
    if token.shape == "month":
        return Point(*months(date(*numbers, 1), 1), at + 1)
    if token.shape == "quarter":
        return Point(*months(date(numbers[0], 3 * numbers[1] - 2, 1), 3), at + 1)
    return None


def ordinal_day(text: Text, at: int) -> Point | None:
    """The 5th: this month's or the last one's that has such a day."""
    at = text.skip(at, "the")
    if at >= len(text.tokens) or not text.tokens[at].nth:
        return None
    for back in range(3):
        first = months_later(text.today.replace(day=1), -back)
        day = day_from(first.year, first.month, text.tokens[at].text)
        if day and day <= text.today:
            return Point(day, day, at + 1, 0)
    return None


def count(text: Text, at: int) -> int | None:
    """A number in digits or as a word."""
    number = text.number(at)
    said = None if number is not None else text.says(at, "number")
    return int(said.value) if said else number
