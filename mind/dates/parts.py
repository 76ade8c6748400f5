"""Seasons, quarters and halves of a year, and the early, middle and late part of what has a name."""

from datetime import date

from mind.dates.lengths import calendar_unit
from mind.dates.monthly import month, relative_month, year, year_at
from mind.dates.periods import months, part, season
from mind.dates.points import ENGLISH, SOFT, Point, Text, written


def year_season(text: Text, at: int) -> Point | None:
    """Last summer, summer 2025, 去年夏天."""
    before = _season_year(text, at)
    begin = before[1] if before else text.skip(at, "the")
    rel = None if before else text.says(begin, "rel")
    begin += rel is not None
    found = text.says(begin, "season")
    weak = found is None
    found = found or text.says(begin, "weak_season")
    if found is None:
        return None
    number, end = int(found.value), begin + 1
    after = before or year_at(text, end)
    if after:
        return Point(*season(number, after[0]), before[1] + 1 if before else after[1], 2)
    if rel is None:
        rel = text.says(end, "rel", found.langs & ~ENGLISH)
        end += rel is not None
    ahead = int(rel.value) if rel else None
    sure = (1 if found.langs & ENGLISH else 0) if ahead is None else 2
    sure = 0 if weak and ahead != -1 else sure
    return Point(*_season_at(number, text.today, ahead), end, sure, found.langs)


def _season_year(text: Text, at: int) -> tuple[int, int] | None:
    """A year in front, as Chinese and Japanese have it."""
    found = year_at(text, at)
    if found is None or not text.says(text.skip(found[1], "of"), "season"):
        return None
    return found[0], text.skip(found[1], "of")


def _season_at(number: int, today: date, ahead: int | None) -> tuple[date, date]:
    if ahead == 0:
        return season(number, today.year)
    every = [season(number, year_of) for year_of in range(today.year - 2, today.year + 3)]
    if ahead == 1:
        return next(one for one in every if one[0] > today)
    if ahead is None:
        return [one for one in every if one[0] <= today][-1]
    return [one for one in every if one[1] < today][ahead]


def quarter(text: Text, at: int) -> Point | None:
    """Q1, Q1 2026, the first quarter of last year, 2026年第一季度, H1 2025."""
    before = year_at(text, at)
    begin = text.skip(before[1], "of") if before else text.skip(at, "the")
    named = _quarter_name(text, begin)
    if named is None:
        return None
    first, size, end, bare = named
    after = before or year_at(text, end + text.is_sign(end, "/", "-", ","))
    if after:
        return Point(*months(date(after[0], first, 1), size), end if before else after[1])
    today = text.today
    start = date(today.year - (first > today.month), first, 1)
    return Point(*months(start, size), end, bare, yearless=True)


def _quarter_name(text: Text, at: int) -> tuple[int, int, int, int] | None:
    """Its first month, how many it has, the place behind it, and how sure it is alone."""
    short = text.says(at, "quarter")
    if short:
        return 3 * int(short.value) - 2, 3, at + 1, 1
    half = text.says(at, "halves")
    if half:
        return 6 * int(half.value) - 5, 6, at + 1, 0
    at += text.says(at, "nth_sign") is not None
    nth = text.says(at, "nth")
    number = int(nth.value) if nth else text.number(at)
    end = at + 1 + text.is_sign(at + 1, ".")
    unit = text.says(end, "unit")
    if number and number <= 4 and unit and unit.value == "quarter":
        return 3 * number - 2, 3, end + 1, 0
    if number and number <= 2 and text.says(end, "half"):
        return 6 * number - 5, 6, end + 1, 0
    return None


_WHOLES = (relative_month, month, calendar_unit, quarter, year_season, year, written)


def edge(text: Text, at: int) -> Point | None:
    """Early 2025, mid-March, Ende letzten Monats, fin de mars."""
    found = text.says(at, "edge")
    if found is None:
        return None
    begin = at + 1 + text.is_sign(at + 1, "-")
    begin = text.skip(begin, "of", "the")
    whole = next((point for rule in _WHOLES if (point := rule(text, begin))), None)
    if whole is None or (whole.end - whole.start).days < 3:
        return None
    start, end = part(whole.start, whole.end, int(found.value))
    soft = whole.yearless and text.tokens[begin].text in SOFT
    return Point(start, end, whole.next, 1 if soft else 2, whole.langs, whole.yearless)
