"""Periods of whole days, and calendar arithmetic."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mind.domain.errors import InputError
from mind.text import languages, table


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days.

    Attributes:
        start: The first day; None if unbounded.
        end: The last day, inclusive; None if unbounded.
    """

    start: date | None
    end: date | None


_DAY = timedelta(days=1)
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def weekday_name(day: date) -> str:
    """The English name of the weekday."""
    return _WEEKDAYS[day.weekday()]


def months_later(day: date, count: int) -> date:
    """The same day ``count`` months later, or the last of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def week_of(day: date, week_starts: int = 0) -> date:
    """The first day of the week of ``day``; ``week_starts`` is 0 for Monday, 6 for Sunday."""
    return day - timedelta(days=(day.weekday() - week_starts) % 7)


def months(first: date, count: int) -> tuple[date, date]:
    """``count`` whole months starting with that of ``first``."""
    return first, months_later(first, count) - _DAY


def unit_at(unit: str, today: date, ahead: int, week_starts: int = 0) -> tuple[date, date]:
    """The calendar day, week, weekend, month, quarter or year ``ahead`` units from today's."""
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
    """The day ``count`` units from today; minutes and hours only into the past, in whole days."""
    if unit in ("minute", "hour"):
        return today + timedelta(days=count // {"minute": 1440, "hour": 24}[unit])
    if unit in _MONTHS:
        return months_later(today, count * _MONTHS[unit])
    if unit == "workday":
        return _workdays_later(today, count)
    return today + timedelta(days=count * {"day": 1, "fortnight": 14}.get(unit, 7))


def _workdays_later(day: date, count: int) -> date:
    """The weekday after ``count`` others, Monday to Friday; holidays are ignored."""
    weeks, rest = divmod(count, 5)
    day += timedelta(weeks=weeks)
    while rest or day.weekday() > 4:
        day += _DAY
        rest -= day.weekday() < 5 and rest > 0
    return day


def part(start: date, end: date, which: int) -> tuple[date, date]:
    """The early (0), middle (1) or late (2) third; in whole months if longer than a month."""
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
        iso_week: As "2026-W47"; its year may differ from the day's around New Year.
        week: From its first day, as ``week_starts`` says, to its last.
        month: First and last day of the month.
        quarter: First and last day of the quarter.
        year: First and last day of the year.
        working_day_before: The previous weekday, Monday to Friday; holidays are ignored.
        working_day_after: The next weekday.
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
    """The position of ``day`` in the calendar; ``week_starts`` is 0 for Monday, 6 for Sunday.

    Raises:
        InputError: A part of it is before the year 1 or after the year 9999.
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
"""Languages of :func:`relative`."""


def relative(moment: date | datetime, now: datetime, language: str = "en") -> str:
    """``moment`` relative to ``now``, as text in one of :data:`LANGUAGES`.

    Hours and minutes are used on the same day, days up to two weeks, weeks up to two months;
    incomplete months and years are not counted. In English, days 4 to 6 days away are named by
    weekday: :func:`mind.text.dates.asked.parse_period` parses a past day back to the same day.

    Args:
        moment: Aware; or a day, for which no hours are given.
        now: Aware; days begin and end in its zone.
        language: Two letters.

    Raises:
        InputError: The language is not supported.
    """
    if language not in LANGUAGES:
        raise InputError(
            f"unknown language {language!r}", remedy=f"Use one of: {', '.join(LANGUAGES)}."
        )
    if not isinstance(moment, datetime):
        return _days(moment, now.date(), language)
    moment = moment.astimezone(now.tzinfo)
    away = moment.astimezone(UTC) - now.astimezone(UTC)  # elapsed time, not wall-clock time
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
    """Return the plural form for ``count``.

    In Russian one, few or many (Unicode CLDR rules).
    """
    if language != "ru":
        return int(count > 1)
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14 else 2
