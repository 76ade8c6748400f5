"""Times that come back: "every monday", "every day at 9", "every first of the month".

They come back on certain days, or are counted from the day on which they were set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from mind.text.dates.lexicon import Text, Token, Unclear
from mind.text.dates.moments import (
    END_OF_DAY,
    LATE,
    MORNING,
    Clock,
    after,
    bare,
    folded_with_clocks,
    months_of,
    wall,
    without_clock,
)
from mind.text.dates.points import count, duration, unit_name
from mind.text.dates.ranges import dated, whole_of_edge

_DAY = timedelta(days=1)
_LONGEST_UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 31, "year": 366}
"""The most days of a unit."""
_EIGHT_YEARS = 9 * 366
"""Days in which everything comes back, 29 February too."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The rhythm in which something comes back.

    Attributes:
        clock: The time of day.
        on: Whether it comes back on a day; None if it is counted.
        every: (count, unit) counted from the day it was set on.
    """

    clock: Clock
    on: Callable[[date], bool] | None = None
    every: tuple[int, str] = (1, "day")

    def next(self, start: datetime, since: datetime) -> datetime:
        """The first occurrence after ``since``; ``start`` is when it was set.

        Raises:
            Unclear: There is none, as of 30 February.
        """
        if self.on is None:
            return self._counted(start, since)
        for days in range(_EIGHT_YEARS):
            day = since.date() + timedelta(days=days)
            if self.on(day) and (found := wall(day, self.clock, since)) > since:
                return found
        raise Unclear

    def latest(self, start: datetime, now: datetime) -> datetime | None:
        """The last occurrence up to ``now``; None before the first one after ``start``."""
        if self.on is None:
            before, following = None, self._counted(start, start)
            while following <= now:
                before, following = following, self._counted(start, following)
            return before
        for days in range(min((now - start).days + 2, _EIGHT_YEARS)):
            day = now.date() - timedelta(days=days)
            if self.on(day) and start < (found := wall(day, self.clock, now)) <= now:
                return found
        return None

    def _counted(self, start: datetime, since: datetime) -> datetime:
        count, unit = self.every
        turns = max(1, (since - start).days // (count * _LONGEST_UNITS[unit]))
        while True:
            found = after([(count * turns, unit)], self.clock, start)
            if found is None:
                raise Unclear
            if found > since:
                return found
            turns += 1


def rhythm(text: str) -> Rhythm | None:
    """Return what "every …" means; None if ``text`` is no such time, or not clear."""
    plain = folded_with_clocks(text)
    try:
        return _rhythm(*without_clock(plain)) if plain else None
    except (ValueError, OverflowError):
        return None


def _rhythm(read: list[Token], clock: Clock) -> Rhythm | None:
    at = next((at for at, one in enumerate(read) if "every" in one.means), None)
    if at is None:
        return None
    words = bare([one for one in read[at + 1 :] if "every" not in one.means])
    on_time = Clock(clock.at or MORNING, clock.zone)
    if not words and not at:
        return Rhythm(on_time, lambda _day: True) if clock.at else None
    found = None if at else _counted(words, on_time)
    if found is None:
        on, is_end = _recurring(bare(read[:at]), words) or (None, False)
        ends = is_end and clock.at is None
        found = Rhythm(Clock(END_OF_DAY) if ends else on_time, on) if on else None
    return found


def _counted(words: list[Token], clock: Clock) -> Rhythm | None:
    """Each week, every two months: from the day it was set on."""
    text = Text(words, date.min)
    other = text.says(0, "other") is not None and len(words) > 1
    pieces = duration(words[1:] if other else words)
    if pieces is None and (unit := unit_name(text, int(other))) and len(words) == 1 + other:
        pieces = [(1, unit)]
    if pieces is None:
        return None
    number, unit = pieces[0][0] * (1 + other), pieces[0][1]
    if len(pieces) > 1 or number != int(number) or not number or unit in {"minute", "hour"}:
        raise Unclear
    if unit == "workday" and number > 1:
        raise Unclear
    if number == 1 and unit in {"day", "workday"}:
        return Rhythm(clock, lambda day: unit == "day" or day.weekday() < 5)
    return Rhythm(clock, None, (int(number), unit))


_Recurring = tuple[Callable[[date], bool], bool] | None
"""Whether it comes back on a day, and whether that is the end of something."""
_LEAP_YEAR = date(2024, 1, 1)


def _recurring(before: list[Token], words: list[Token]) -> _Recurring:
    """Return what comes back on the days that the words name, before "every" and behind it."""
    text = Text(words, _LEAP_YEAR, ahead=True)
    unit, behind = text.says(0, "unit"), before or bare(words[1:])
    if before and (len(words) != 1 or not unit or unit.value != "month"):
        return None
    if unit and behind and unit.value in _WITHIN:
        # every week on monday, the 1st of every month
        return _WITHIN[str(unit.value)](Text(behind, _LEAP_YEAR, ahead=True), True)
    rules = (_weekly, _yearly, _end_of, _monthly)
    return next((found for rule in rules if (found := rule(text, False))), None)


def _weekly(text: Text, _whole: bool) -> _Recurring:
    unit = text.says(0, "unit")
    if len(text.tokens) == 1 and unit and unit.value == "weekend":
        return (lambda day: day.weekday() == 5), False
    named = [text.first(at, "weekday", "weak_weekday") for at in range(0, len(text.tokens), 2)]
    apart = range(1, len(text.tokens), 2)
    if not all(named) or not all(text.is_sign(at, ",") or text.says(at, "and") for at in apart):
        return None
    numbers = {one.value for one in named if one}  # every monday, wednesday and friday
    if not numbers or len(apart) >= len(named):
        return None
    return (lambda day: day.weekday() in numbers), False


def _end_of(text: Text, _whole: bool) -> _Recurring:
    end = len(text.tokens)
    edge = whole_of_edge(text, 0)
    if not edge or edge[0] != LATE or edge[1].next != end or not text.says(end - 1, "unit"):
        return None
    size = months_of(edge[1])
    if (edge[1].end - edge[1].start).days < 27:  # a week has no last day of a month
        return None
    return (lambda day: (day + _DAY).day == 1 and day.month % size == 0), True


def _monthly(text: Text, whole: bool) -> _Recurring:
    """The 5th, or the first or last day of the month."""
    first, last, unit = text.says(0, "nth"), text.says(0, "rel"), text.says(1, "unit")
    sign = text.says(1, "day_sign") is not None
    at = 1 + (sign or (unit is not None and unit.value == "day"))
    behind = text.skip(at, "of", "in", "the")
    month = text.says(behind, "unit")
    if month and month.value == "month" and behind > 1:
        at, whole = behind + 1, True
    if at != len(text.tokens):
        return None
    if whole and last and last.value == -1:
        return (lambda day: (day + _DAY).day == 1), True
    number = count(text, 0) if sign or text.tokens[0].nth else None
    number = 1 if whole and first and first.value == 1 else number
    return None if number not in range(1, 32) else ((lambda day: day.day == number), False)


def _yearly(text: Text, _whole: bool) -> _Recurring:
    day = dated(text, 0)
    if day is None or not day.yearless or day.next != len(text.tokens):
        return None
    named = day.start.month, day.start.day
    return (lambda day: (day.month, day.day) == named), False


_WITHIN = {"day": _monthly, "week": _weekly, "month": _monthly, "year": _yearly}
