"""Both readings of a text that names a time: looking back, and looking ahead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING

from mind.domain.errors import DateNotUnderstood
from mind.text import languages, table
from mind.text.dates.days import fold, months, said_in
from mind.text.dates.periods import Period, relative, weekday_name

if TYPE_CHECKING:
    from mind.text.dates.asked import Reference


_NAMING = ("day", "weak", "night", "this_part", "part", "unit", "season", "weekday", "number 6 +")
"""Meanings whose words name a time by themselves (see ``lexicon``)."""
_COUNTING = ("rel", "past", "few", "number", "nth")
"""Meanings that make a time of a word as short as the French "an"."""
_RELEASED = ("last", "latest", "previous")
_SHORT = 2


def may_name_a_time(text: str) -> bool:
    """Whether ``text`` has a digit, a letter that is not ASCII, or a word that times are made of.

    If not, there is no time in it, and no release either.
    """
    if not text.isascii() or any(character.isdigit() for character in text):
        return True
    words = set(re.findall("[a-z]+", text.lower()))
    naming, short = _naming()
    return not words.isdisjoint(naming) or any(
        not words.isdisjoint(units) and not words.isdisjoint(beside) for units, beside in short
    )


@cache
def _naming() -> tuple[set[str], list[tuple[set[str], set[str]]]]:
    """The longest word of each form that names a time; and short ones, with words beside them."""
    naming, short = {*_RELEASED, *months()}, []
    for language in languages("dates"):
        units: set[str] = set()
        beside: set[str] = set()
        for meaning, forms in table(f"dates/{language}")["meanings"].items():
            kind = meaning.removeprefix("weak_")
            words = {max(re.findall(r"\w+|$", fold(form)), key=len) for form in said_in(forms)}
            if kind.startswith(_NAMING):
                units |= words
            elif kind.startswith(_COUNTING):
                beside |= words
        naming |= {word for word in units if len(word) > _SHORT}
        short.append(({word for word in units if len(word) <= _SHORT}, beside))
    return naming, short


_REMEDY = (
    'Use "yesterday", "last week", "in March", "Q1 2026", "since Monday", '
    '"2026-03-01..2026-03-31", "tomorrow 9am", "in 3 days" or "20 December".'
)


@dataclass(frozen=True, slots=True)
class When:
    """What a text says about time.

    Attributes:
        text: As given.
        now: From when it is seen.
        period: The days, as a search reads it, perhaps open on one side; None if none are named.
        moment: The moment, as a reminder reads it; None if none is named.
        day: Of the moment, or else the period's first or only known one.
        weekday: Of that day, in English.
        relative: Of the moment, or else of that day.
    """

    text: str
    now: datetime
    period: "Period | None"
    moment: datetime | None
    day: date
    weekday: str
    relative: str


def understand(
    text: str,
    now: datetime,
    released: Callable[["Reference"], "Period | None"] = lambda _reference: None,
) -> When:
    """What ``text`` says about time, seen from ``now``.

    "Friday" is the last one in a search and the next one for a reminder: both are told.

    Args:
        text: In one of eight languages.
        now: Aware; days begin and end in its zone.
        released: As for :func:`mind.text.dates.asked.time_asked`.

    Raises:
        DateNotUnderstood: It says nothing that is understood.
    """
    from mind.text.dates.asked import parse_period, time_asked  # noqa: PLC0415 - words of 8 languages
    from mind.text.dates.moments import moment  # noqa: PLC0415 - the same

    period = parse_period(text, now.date())
    if period is None:
        asked = time_asked(text, now, released)
        period = Period(asked.start, asked.end) if asked and not asked.rest else None
    found = moment(text, now)
    day = found or (period.start or period.end if period else None)
    if day is None:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        raise DateNotUnderstood(f"{shown!r} names no time that is understood", remedy=_REMEDY)
    return When(
        text=text,
        now=now,
        period=period,
        moment=found,
        day=found.date() if found else day,
        weekday=weekday_name(day),
        relative=relative(day, now),
    )
