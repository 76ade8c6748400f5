"""Both readings of a text that names a time: looking back, and looking ahead."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from mind.domain.errors import DateNotUnderstood

if TYPE_CHECKING:
    from mind.text.dates.period import Period
    from mind.text.dates.references import Reference

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
    from mind.text.dates.period import Period  # noqa: PLC0415 - the same
    from mind.text.dates.periods import weekday_name  # noqa: PLC0415 - the same
    from mind.text.dates.relative import relative  # noqa: PLC0415 - the same

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
