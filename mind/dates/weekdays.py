"""Days of the week, and weeks by number."""

from datetime import date, timedelta

from mind.dates.lengths import calendar_unit
from mind.dates.lexicon import Meaning
from mind.dates.monthly import year_at
from mind.dates.points import ENGLISH, Point, Text


def weekday(text: Text, at: int) -> Point | None:
    """The most recent day of that name, or last week's, this or the next one."""
    start = text.skip(at, "the")
    rel = text.says(start, "rel")
    named, weak = _weekday_name(text, start + 1 if rel else start)
    if named is None:
        return None
    end = start + (2 if rel else 1)
    after = text.says(end, "rel", named.langs & ~ENGLISH)
    rel, end = (rel, end) if rel else (after, end + 1 if after else end)
    whole = calendar_unit(text, text.skip(end, "of", "in")) if not rel else None
    if whole and (whole.end - whole.start).days == 6:
        return _in_week(text, whole, int(named.value), whole.next)
    if rel and not rel.langs & named.langs:
        return None
    day = _named_day(text.today, int(named.value), int(rel.value) if rel else None)
    sure = (0 if weak else 1) if rel is None else 2
    return Point(day, day, text.skip(end, "part"), sure, named.langs)


def _weekday_name(text: Text, at: int) -> tuple[Meaning | None, bool]:
    found = text.says(at, "weekday")
    return (found, False) if found else (text.says(at, "weak_weekday"), True)


def _in_week(text: Text, week: Point, number: int, end: int) -> Point:
    day = week.start + timedelta(days=(number - text.week_starts) % 7)
    return Point(day, day, text.skip(end, "part"), 2, week.langs)


def weekday_of_week(text: Text, at: int) -> Point | None:
    """先週の月曜日, last week's Monday."""
    week = calendar_unit(text, at)
    if week is None or (week.end - week.start).days != 6:
        return None
    end = week.next
    if text.is_sign(end, "'") and text.is_sign(end + 1, "s"):
        end += 2
    end = text.skip(end + text.is_sign(end, ","), "of", "in")
    named, _ = _weekday_name(text, end)
    return _in_week(text, week, int(named.value), end + 1) if named else None


def _named_day(today: date, number: int, rel: int | None) -> date:
    back = (today.weekday() - number) % 7
    if rel is None:
        return today - timedelta(days=back)
    if rel == 0:
        return today + timedelta(days=number - today.weekday())
    if rel == 1:
        return today + timedelta(days=7 - back)
    return today - timedelta(days=(back or 7) + 7 * (-1 - rel))


def week_number(text: Text, at: int) -> Point | None:
    """Week 12 of 2026, KW 12."""
    number = text.number(at + 1) if text.says(at, "week_number") else None
    if number is None:
        return None
    after = year_at(text, at + 2 + text.is_sign(at + 2, ",", "/"))
    today = text.today
    if after:
        monday = date.fromisocalendar(after[0], number, 1)
    else:
        monday = date.fromisocalendar(today.year, number, 1)
        if monday > today:
            monday = date.fromisocalendar(today.year - 1, number, 1)
    end = after[1] if after else at + 2
    return Point(monday, monday + timedelta(days=6), end, 2 if after else 1)
