"""Both readings of a text that names a time: looking back, and looking ahead."""

from dataclasses import dataclass
from datetime import date, datetime

from mind.dates.moments import moment
from mind.dates.relative import relative, weekday_name
from mind.dates.spans import parse_period
from mind.errors import DateNotUnderstood

_REMEDY = (
    'Use "yesterday", "last week", "in March", "Q1 2026", "since Monday", "2026-03-01..2026-03-31", '
    '"tomorrow 9am", "in 3 days" or "20 December".'
)


@dataclass(frozen=True, slots=True)
class When:
    """What a text says about time.

    Attributes:
        text: As given.
        now: From when it is seen.
        start: The first day of the period, as a search reads it; None if it is open or there is
            no period.
        end: The last day; the same.
        period: Whether a period is named.
        moment: The moment, as a reminder reads it; None if none is named.
        relative: Of the moment, or else of the period's first or only known day.
        weekday: Of the same day, in English.
    """

    text: str
    now: datetime
    start: date | None
    end: date | None
    period: bool
    moment: datetime | None
    relative: str
    weekday: str


def understand(text: str, now: datetime, week_starts: int = 0) -> When:
    """What ``text`` says about time, seen from ``now``.

    "Friday" is the last one in a search and the next one for a reminder: both are told.

    Raises:
        DateNotUnderstood: It says nothing that is understood.
    """
    period = parse_period(text, now.date(), week_starts)
    found = moment(text, now)
    start, end = (period.start, period.end) if period else (None, None)
    day = found or start or end
    if day is None:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        raise DateNotUnderstood(f"{shown!r} names no time that is understood", remedy=_REMEDY)
    return When(
        text=text,
        now=now,
        start=start,
        end=end,
        period=period is not None,
        moment=found,
        relative=relative(day, now),
        weekday=weekday_name(day),
    )
