"""Periods of whole days, and the arithmetic of the calendar."""

from dataclasses import dataclass
from datetime import date, timedelta

from mind.domain.errors import InputError
from mind.text.dates.durations import months_later
from mind.text.dates.period import Period

_DAY = timedelta(days=1)
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def weekday_name(day: date) -> str:
    """The English name of the day of the week."""
    return _WEEKDAYS[day.weekday()]


def week_of(day: date, week_starts: int = 0) -> date:
    """The first day of the week around ``day``; ``week_starts`` is 0 for Monday, 6 for Sunday."""
    return day - timedelta(days=(day.weekday() - week_starts) % 7)


def months(first: date, count: int) -> tuple[date, date]:
    """``count`` whole months from the one that ``first`` begins."""
    return first, months_later(first, count) - _DAY


def unit_at(unit: str, today: date, ahead: int, week_starts: int = 0) -> tuple[date, date]:
    """The calendar's day, week, weekend, month, quarter or year, ``ahead`` of today's."""
    if unit == "weekend":
        return _weekend(today, ahead)
    if unit in ("day", "week", "fortnight"):
        size = {"day": 1, "week": 7, "fortnight": 14}[unit]
        start = today if unit == "day" else week_of(today, week_starts)
        start += timedelta(days=size * ahead)
        return start, start + timedelta(days=size - 1)
    size = _MONTHS[unit]
    first = today.replace(day=1)
    return months(months_later(first, size * ahead - (first.month - 1) % size), size)


def _weekend(today: date, ahead: int) -> tuple[date, date]:
    saturday = week_of(today) + timedelta(days=5 + 7 * ahead)
    return saturday, saturday + _DAY


def shifted(today: date, count: int, unit: str) -> date:
    """The day ``count`` units from today; minutes and hours only backwards, in whole days."""
    if unit in ("minute", "hour"):
        return today + timedelta(days=count // {"minute": 1440, "hour": 24}[unit])
    if unit in _MONTHS:
        return months_later(today, count * _MONTHS[unit])
    return today + timedelta(days=count * {"day": 1, "fortnight": 14}.get(unit, 7))


def part(start: date, end: date, which: int) -> tuple[date, date]:
    """The early (0), middle (1) or late (2) third; whole months of what is made of them."""
    length = (end - start).days + 1
    if length > 31:
        size = round(length / 30.44) // 3
        return months(months_later(start, size * which), size)
    if length > 7:
        first = start + timedelta(days=10 * which)
        return first, end if which == 2 else first + timedelta(days=9)
    third = -(-length // 3)
    first = (start, start + timedelta(days=length // 3), end - timedelta(days=third - 1))[which]
    return first, first + timedelta(days=third - 1)


def season(number: int, year: int) -> tuple[date, date]:
    """Spring is 0, winter 3: of meteorology, in the north; a winter's year is where it begins."""
    return months(date(year, 3 * number + 3, 1), 3)


@dataclass(frozen=True, slots=True)
class Calendar:
    """Where a day stands in its week, month, quarter and year.

    Attributes:
        day: That day.
        iso_week: As "2026-W47"; around New Year the year is another than the day's.
        week: From its first day, as ``week_starts`` says, to its last.
        month: The same, of the month.
        quarter: The same, of the quarter.
        year: The same, of the year.
        working_day_before: The last one, Monday to Friday; holidays are not known.
        working_day_after: The next one.
    """

    day: date
    iso_week: str
    week: Period
    month: Period
    quarter: Period
    year: Period
    working_day_before: date
    working_day_after: date


def calendar_around(day: date, week_starts: int = 0) -> Calendar:
    """The calendar around ``day``; ``week_starts`` is 0 for Monday, 6 for Sunday.

    Raises:
        InputError: A part of it is before the year 1 or behind the year 9999.
    """
    try:
        return _calendar(day, week_starts)
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"the calendar around {day} is not known", remedy="Use a day from year 2 to 9998."
        ) from error


def _calendar(day: date, week_starts: int) -> Calendar:
    week, month, quarter, year = (
        Period(*unit_at(unit, day, 0, week_starts)) for unit in ("week", "month", "quarter", "year")
    )
    iso_year, iso_week, weekday = day.isocalendar()
    return Calendar(
        day=day,
        iso_week=f"{iso_year}-W{iso_week:02}",
        week=week,
        month=month,
        quarter=quarter,
        year=year,
        working_day_before=day - timedelta(days={1: 3, 7: 2}.get(weekday, 1)),
        working_day_after=day + timedelta(days={5: 3, 6: 2}.get(weekday, 1)),
    )
