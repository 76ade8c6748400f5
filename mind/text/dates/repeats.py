"""Times that come back: "every monday", "every day at 9", "every first of the month".

A rhythm is either a time that the grammar of moments knows, asked again from each occurrence on, or
a number of weeks, months or years counted from the day that it was set on.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from mind.text.dates.days import fold
from mind.text.dates.moments import (
    END_OF_DAY,
    MORNING,
    Clock,
    Unclear,
    after,
    at,
    day_of,
    duration,
    is_end,
    without_clock,
)
from mind.text.dates.words import UNCLEAR, in_english

_LONGEST = 120
_EVERY = re.compile(r"(?:every|each) (?:(?:and every|day (?=at\b)) )?")
_ADVERBS = {
    "daily": "every day", "weekly": "every week", "monthly": "every month", "yearly": "every year",
    "annually": "every year", "on weekdays": "every weekday", "weekdays": "every weekday",
}  # fmt: skip
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WEEKLY = re.compile(rf"(?:(?:on )?({_WEEKDAY})s|week (?:on )?({_WEEKDAY}))$")
_OF_MONTH = r"(?: (?:of|in) (?:the|each|every) month)"
_MONTHLY = re.compile(
    rf"(?:month on )?(?:the )?(\d{{1,2}})(?:st|nd|rd|th)(?: day)?{_OF_MONTH}?$"
    rf"|(?:the )?(first|last)(?: day)?{_OF_MONTH}$|month on the (first|last)(?: day)?$"
)
_THE_DAY = re.compile(
    r"(?:the )?(\d{1,2}(?:st|nd|rd|th)) (?:(?:of|de|du|des) )?(?:every|each) months?$"
)
_YEARLY = re.compile(r"year on ")
_LONGEST_UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 31, "year": 366}
"""The most days of a unit."""
_SPANS = (1, 8, 32, 367, 9 * 366)
"""Days back in which there is an occurrence: of days, weeks, months, years, and 29 February."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When something comes back.

    Attributes:
        words: What the grammar of moments is asked again; "" if it is counted.
        clock: The time of day.
        pieces: What is counted from the day it was set on, if that is a multiple of a unit.
    """

    words: str
    clock: Clock
    pieces: tuple[tuple[float, str], ...] = ()

    def next(self, start: datetime, since: datetime) -> datetime:
        """The first occurrence after ``since``; ``start`` is when it was set.

        Raises:
            Unclear: There is none, as of 30 February.
        """
        if self.pieces:
            return self._counted(start, since)
        base = since
        for _ in range(_SPANS[-1]):
            found = self._day(base)
            if found is not None and found > since:
                return found
            base = datetime.combine(base.date() + timedelta(days=1), time(), tzinfo=since.tzinfo)
        raise Unclear

    def latest(self, start: datetime, now: datetime) -> datetime | None:
        """The last occurrence up to ``now``; None before the first one after ``start``."""
        before = start
        for days in _SPANS:
            since = max(start, now - timedelta(days=days))
            found = self.next(start, since)
            if found <= now:
                before = found
                break
            if since == start:
                return None
        following = self.next(start, before)
        while following <= now:
            before, following = following, self.next(start, following)
        return before

    def _day(self, base: datetime) -> datetime | None:
        if self.words in {"day", "weekday"}:
            busy = self.words == "day" or base.weekday() < 5
            return at(base.date(), self.clock, base) if busy else None
        day = day_of(self.words, base, self.clock)
        return at(day, self.clock, base) if day else None

    def _counted(self, start: datetime, since: datetime) -> datetime:
        count, unit = self.pieces[0]
        turns = max(1, (since - start).days // int(count * _LONGEST_UNITS[unit]))
        while True:
            found = after([(count * turns, unit)], self.clock, start)
            if found is None:
                raise Unclear
            if found > since:
                return found
            turns += 1


def rhythm(text: str) -> Rhythm | None:
    """What "every …" means; None if ``text`` is no such time, or not clear."""
    folded = " ".join(fold(text[: 2 * _LONGEST]).split()).rstrip("!,;. ")
    if not folded or len(folded) > _LONGEST:
        return None
    try:
        return _rhythm(in_english(folded))
    except (ValueError, OverflowError):
        return None


def _rhythm(english: str) -> Rhythm | None:
    rest, clock = without_clock(english)
    if clock is None or UNCLEAR in english or (clock.vague and clock.at and clock.at.hour < 7):
        return None
    rest = " ".join(re.sub(r"^(?:on|at) |[ ,]+(?:on|at)?$", "", rest).split())
    rest = _THE_DAY.sub(r"every \1", _ADVERBS.get(rest, rest))
    plural = _WEEKLY.match(rest)
    begun = _EVERY.match(rest)
    if begun is None and not plural:
        daily = rest == "every" and clock.at is not None
        return Rhythm("day", clock) if daily else None
    words = rest[begun.end() :] if begun else rest
    return _counted(words, clock) or _asked(words, clock)


def _counted(words: str, clock: Clock) -> Rhythm | None:
    """Each week, every two months: from the day it was set on."""
    words = re.sub(r"^(?:other|second) (?=\w)", "2 ", words)
    if words in {"days", "1 day"}:
        words = "day"
    if words in {"day", "weekday", "working day", "business day", "business days"}:
        return _sure(Rhythm("day" if words == "day" else "weekday", clock))
    pieces = duration(f"in {words}")
    if pieces is None or len(pieces) != 1 or pieces[0][0] != int(pieces[0][0]) or not pieces[0][0]:
        return None
    if pieces[0][1] in {"minute", "hour", "business day"}:
        raise Unclear
    return Rhythm("", _with_time(clock), tuple(pieces))


def _asked(words: str, clock: Clock) -> Rhythm | None:
    weekly = _WEEKLY.match(words)
    words = (weekly[1] or weekly[2]) if weekly else _YEARLY.sub("", words)
    words = "saturday" if words == "weekend" else words
    monthly = _MONTHLY.match(words)
    if monthly:
        edge = monthly[2] or monthly[3]
        words = f"{monthly[1] or 1}th" if edge != "last" else "end of month"
    return _sure(Rhythm(words, clock))


_COMING_BACK = re.compile(
    rf"(?:day|weekday|{_WEEKDAY}|end of (?:the )?(?:month|quarter|year)|\d+th"
    r"|\d{1,2}(?:st|nd|rd|th|\.)? ?(?:of )?[^\W\d_]{3,10}"
    r"|[^\W\d_]{3,10} \d{1,2}(?:st|nd|rd|th)?)$"
)
"""What comes back, unlike "tomorrow" or "20 December 2027"."""


def _sure(made: Rhythm) -> Rhythm | None:
    """``made`` with its time of day, if what it asks is a time that comes back."""
    if not _COMING_BACK.match(made.words):
        return None
    clock = END_OF_DAY if made.clock.at is None and is_end(made.words) else _with_time(made.clock)
    made = replace(made, clock=clock)
    sample = datetime(2026, 1, 1, tzinfo=clock.zone).astimezone()
    return made if made.next(sample, sample) else None


def _with_time(clock: Clock) -> Clock:
    return Clock(clock.at or MORNING, clock.zone)
