"""Years, months, and the days of them."""

from datetime import date

from mind.dates.days import day_from
from mind.dates.lengths import calendar_unit
from mind.dates.periods import months
from mind.dates.points import ENGLISH, EVERY, SOFT, Point, Text, count

def year_at(text: Text, at: int) -> tuple[int, int] | None:
    """A year behind a month or quarter, and the place behind it: "2025", "of last year"."""
    at = text.skip(at, "of", "in", "the")
    number = text.number(at)
    if number is not None and 1900 <= number < 2200:
        end = at + 1
        if text.says(end, "year_sign"):
            end += 1 + text.is_sign(end + 1, ".")
        return number, end
    found = text.says(at, "rel") or text.says(at, "unit")
    relative = calendar_unit(text, at) if found else None
    if relative and relative.exact is None and (relative.end - relative.start).days > 360:
        return relative.start.year, relative.next
    return None


def year(text: Text, at: int) -> Point | None:
    """A year alone."""
    number = text.number(at)
    if number is None or not 1900 <= number < 2200:
        return None
    sign = text.says(at + 1, "year_sign")
    end = at + 1
    if sign:
        end += 1 + text.is_sign(end + 1, ".")
    near = -30 <= number - text.today.year <= 5
    sure = (2 if sign else 1) if near else 0
    return Point(date(number, 1, 1), date(number, 12, 31), end, sure)


def month(text: Text, at: int) -> Point | None:
    """A month by name, perhaps with its year; one that is to come is last year's."""
    named = _month_name(text, at)
    if named is None:
        return None
    number, end, sure, langs = named
    followed = year_at(text, end + text.is_sign(end, ".", ","))
    if followed:
        first = date(followed[0], number, 1)
        return Point(*months(first, 1), followed[1], 2 if langs else 0, langs)
    today = text.today
    first = date(today.year - (number > today.month), number, 1)
    return Point(*months(first, 1), end, sure, langs, yearless=True)


def _month_name(text: Text, at: int) -> tuple[int, int, int, int] | None:
    """Its number, the place behind it, how sure it is alone, and its languages."""
    found = text.says(at, "month")
    if found:
        return int(found.value), at + 1, 1, found.langs
    found = text.says(at, "short_month")
    if found:
        return int(found.value), at + 1, 0, found.langs
    number = count(text, at)
    if number and 1 <= number <= 12 and text.says(at + 1, "month_sign"):
        return number, at + 2, 2, EVERY
    return None


def relative_month(text: Text, at: int) -> Point | None:
    """Last March, next May; "this may" is none."""
    rel = text.says(at, "rel")
    if rel:
        named = _month_name(text, at + 1)
        end = at + 2
    else:
        named = _month_name(text, at)
        end = at + 2
        rel = text.says(at + 1, "rel", named[3] & ~ENGLISH) if named else None
    if not named or not rel or not named[3] & rel.langs:
        return None
    today, number = text.today, named[0]
    year_of = {
        -1: today.year - (number >= today.month),
        0: today.year,
        1: today.year + (number <= today.month),
    }.get(int(rel.value))
    if year_of is None:
        return None
    sure = 0 if rel.value == 0 and text.is_sign(end - 1, *SOFT) else 2
    return Point(*months(date(year_of, number, 1), 1), end, sure, named[3])


def dated(text: Text, at: int) -> Point | None:
    """A day of a month: "20 November", "November 20th, 2026", 2026年11月20日."""
    return _eastern(text, at) or _day_first(text, at) or _month_first(text, at)


def _eastern(text: Text, at: int) -> Point | None:
    """2026年3月 and 2026年3月1日, 去年3月1日."""
    before = year_at(text, at)
    if before is None:
        return None
    behind = text.skip(before[1], "of")
    number = count(text, behind)
    if not number or number > 12 or not text.says(behind + 1, "month_sign"):
        return None
    first = date(before[0], number, 1)
    day = _day_number(text, behind + 2)
    if day and text.says(behind + 3, "day_sign"):
        found = day_from(before[0], number, day)
        return Point(found, found, behind + 4) if found else None
    return Point(*months(first, 1), behind + 2)


def _day_number(text: Text, at: int) -> int | None:
    number = text.number(at)
    return number if number and 1 <= number <= 31 else None


def _day_first(text: Text, at: int) -> Point | None:
    day = _day_number(text, at)
    if day is None:
        return None
    behind = text.skip(at + 1 + text.is_sign(at + 1, "."), "of")
    named = _month_name(text, behind)
    if named is None or text.says(behind + 1, "month_sign"):
        return None
    number, end, sure, langs = named
    strong = sure > 0 or bool(langs)
    return _day_of(text, day, number, end, 2 if strong else 0, langs)


def _month_first(text: Text, at: int) -> Point | None:
    named = _month_name(text, at)
    if named is None:
        return None
    number, end, sure, langs = named
    end = text.skip(end + text.is_sign(end, "."), "the")
    day = _day_number(text, end)
    english = bool(langs & ENGLISH)
    if day is None or (text.says(end + 1, "day_sign") is None and not langs):
        return None
    sign = text.says(end + 1, "day_sign") is not None
    if not sign and (not english or sure == 2):
        return None
    return _day_of(text, day, number, end + 1 + sign, 2, langs)


def _day_of(  # noqa: PLR0913, PLR0917 - the parts of a date, and where they stand
    text: Text, day: int, number: int, end: int, sure: int, langs: int
) -> Point | None:
    followed = year_at(text, end + text.is_sign(end, ".", ","))
    if followed:
        found = day_from(followed[0], number, day)
        return Point(found, found, followed[1], sure, langs) if found else None
    today = text.today
    for back in range(9):  # 29 February may be eight years ago
        found = day_from(today.year - back, number, day)
        if found and found <= today:
            return Point(found, found, end, sure, langs, yearless=True)
    return None
