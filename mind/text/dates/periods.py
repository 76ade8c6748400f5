"""Periods of whole days, and the arithmetic of the calendar."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mind.domain.errors import InputError
from mind.text import languages, table


@dataclass(frozen=True, slots=True)
class Period:
    """Days from one to another.

    Attributes:
        start: The first day; None if it has no beginning.
        end: The last day, which belongs to it; None if it has no end.
    """

    start: date | None
    end: date | None


_DAY = timedelta(days=1)
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def weekday_name(day: date) -> str:
    """The English name of the day of the week."""
    return _WEEKDAYS[day.weekday()]


def months_later(day: date, count: int) -> date:
    """The same day ``count`` months later, or the last of that month if it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


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


@dataclass(frozen=True, slots=True)
class Calendar:
    """The position of a day in its week, month, quarter and year.

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
        week, month, quarter, year = (
            Period(*unit_at(unit, day, 0, week_starts))
            for unit in ("week", "month", "quarter", "year")
        )
        iso_year, iso_week, weekday = day.isocalendar()
        before = day - timedelta(days={1: 3, 7: 2}.get(weekday, 1))
        after = day + timedelta(days={5: 3, 6: 2}.get(weekday, 1))
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"the calendar around {day} is not known", remedy="Use a day from year 2 to 9998."
        ) from error
    name = f"{iso_year}-W{iso_week:02}"
    return Calendar(day, name, week, month, quarter, year, before, after)


_RELATIVE_UNITS = ("minute", "hour", "day", "week", "month", "year")
LANGUAGES = languages("dates")
"""In which :func:`relative` speaks."""


def relative(moment: date | datetime, now: datetime, language: str = "en") -> str:
    """``moment`` seen from ``now``, in one of :data:`LANGUAGES`.

    Hours and minutes are told on the same day, days up to two weeks, weeks up to two months;
    what is over of a month or year does not count. In English, days of the week have their names:
    :func:`mind.text.dates.asked.parse_period` reads a past day back as that day.

    Args:
        moment: Aware; or a day, for which no hours are told.
        now: Aware; days begin and end in its zone.
        language: Two letters.

    Raises:
        InputError: The language is another one.
    """
    if language not in LANGUAGES:
        raise InputError(
            f"unknown language {language!r}", remedy=f"Use one of: {', '.join(LANGUAGES)}."
        )
    if not isinstance(moment, datetime):
        return _days(moment, now.date(), language)
    moment = moment.astimezone(now.tzinfo)
    away = moment.astimezone(UTC) - now.astimezone(UTC)  # by the clock, not by the wall
    minutes = abs(away) // timedelta(minutes=1) * (-1 if away < timedelta() else 1)
    if abs(minutes) < 60 or moment.date() == now.date():
        return _minutes(minutes, language)
    return _days(moment.date(), now.date(), language)


def _words(language: str) -> dict[str, str]:
    return dict(table(f"dates/{language}")["relative"])


def _minutes(count: int, language: str) -> str:
    if not count:
        return _words(language)["days"].split()[0]
    if abs(count) < 60:
        return _said(count, "minute", language)
    return _said(count // 60 if count > 0 else -(-count // 60), "hour", language)


def _days(day: date, today: date, language: str) -> str:
    away = (day - today).days
    if abs(away) < 2:
        return _words(language)["days"].split()[2 + away]
    if language == "en" and 4 <= abs(away) <= 6:
        return f"{'on' if away > 0 else 'last'} {weekday_name(day)}"
    count, unit = _counted(min(day, today), max(day, today))
    return _said(count if away > 0 else -count, unit, language)


def _counted(first: date, last: date) -> tuple[int, str]:
    days = (last - first).days
    if days < 14:
        return days, "day"
    if days < 60:
        return days // 7, "week"
    months = (last.year - first.year) * 12 + last.month - first.month
    if last.day < first.day and last < months_later(first, months):
        months -= 1
    return (max(2, months), "month") if months < 12 else (months // 12, "year")


def _said(count: int, unit: str, language: str) -> str:
    words = _words(language)
    forms = words["units"].split("|")[_RELATIVE_UNITS.index(unit)].split()
    size = abs(count)
    name = forms[_plural(size, language) if len(forms) > 1 else 0]
    number = str(size)
    if size == 1 and language == "en":
        number = "an" if unit == "hour" else "a"
    gap = "" if language in ("zh", "ja") else " "
    return words["future" if count > 0 else "past"].format(f"{number}{gap}{name}")


def _plural(count: int, language: str) -> int:
    """Return which form: one or more.

    In Russian one, a few, or many (rules of the Unicode CLDR).
    """
    if language != "ru":
        return int(count > 1)
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14 else 2
