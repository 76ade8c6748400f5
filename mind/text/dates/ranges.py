"""Ranges: since, before, after, until a time; between two times, from … to."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple, TypeVar

from mind.text.dates.days import day_from
from mind.text.dates.lexicon import EASTERN, ENGLISH, EVERY, DateText, Unclear
from mind.text.dates.periods import Period, months, months_later, part, shifted, unit_at
from mind.text.dates.points import (  # fmt: skip
    SOFT,
    Rule,
    TimePoint,
    ago,
    ahead,
    amount,
    calendar_unit,
    count,
    day_word,
    ordinal_day,
    rolling,
    weekend,
    written,
    year,
    year_at,
)


class _Part(NamedTuple):
    """A named part of a year: first month, number of months, and the position after it.

    ``sure`` is its certainty alone; ``kind`` is month, 月 (a month by number), quarter, season or
    weak_season.
    """

    kind: str
    first: int
    size: int
    next: int
    sure: int
    langs: int


def _month_name(text: DateText, at: int) -> _Part | None:
    """A month by its name, or by its number and the sign 月."""
    for kind in ("month", "short_month"):
        found = text.says(at, kind)
        if found:
            return _Part("month", int(found.value), 1, at + 1, int(kind == "month"), found.langs)
    number = count(text, at)
    if number and 1 <= number <= 12 and text.says(at + 1, "month_sign"):
        return _Part("月", number, 1, at + 2, 2, EVERY)
    return None


def dated(text: DateText, at: int) -> TimePoint | None:
    """A day of a month: "20 November", "November 20th, 2026", 2026年11月20日."""
    return _eastern(text, at) or _day_first(text, at) or _month_first(text, at)


def _eastern(text: DateText, at: int) -> TimePoint | None:
    """2026年3月1日, 去年3月1日."""
    before = year_at(text, at)
    behind = text.skip(before[1], "of") if before else at
    number, day = count(text, behind), _day_number(text, behind + 2)
    signs = text.says(behind + 1, "month_sign") and text.says(behind + 3, "day_sign")
    found = day_from(before[0], number or 0, day) if before and day and signs else None
    return TimePoint(found, found, behind + 4) if found else None


def _day_number(text: DateText, at: int) -> int | None:
    number = text.number(at)
    return number if number and 1 <= number <= 31 else None


def _day_first(text: DateText, at: int) -> TimePoint | None:
    day = _day_number(text, at)
    if day is None:
        return None
    behind = text.skip(at + 1 + text.is_sign(at + 1, "."), "of")
    named = _month_name(text, behind)
    if named is None or text.says(behind + 1, "month_sign"):
        return None
    strong = named.sure > 0 or bool(named.langs)
    return _day_of(text, day, named, named.next, 2 if strong else 0)


def _month_first(text: DateText, at: int) -> TimePoint | None:
    named = _month_name(text, at)
    if named is None:
        return None
    end = text.skip(named.next + text.is_sign(named.next, "."), "the")
    day = _day_number(text, end)
    sign = text.says(end + 1, "day_sign") is not None
    english = bool(named.langs & ENGLISH) and named.sure < 2
    if day is None or not (sign or english):
        return None
    return _day_of(text, day, named, end + 1 + sign, 2)


def _day_of(text: DateText, day: int, month: _Part, end: int, sure: int) -> TimePoint | None:
    followed = year_at(text, end + text.is_sign(end, ".", ","))
    if followed:
        found = day_from(followed[0], month.first, day)
        return TimePoint(found, found, followed[1], sure, month.langs) if found else None
    found = nearest(text, month.first, day)
    return TimePoint(found, found, end, sure, month.langs, yearless=True) if found else None


def nearest(text: DateText, number: int, day: int) -> date | None:
    """The last such day of a month; ahead, the next one."""
    years = (away if text.ahead else -away for away in range(9))  # 29 February: up to eight
    days = (day_from(text.today.year + away, number, day) for away in years)
    return next((found for found in days if found and text.is_near(found)), None)


def _part_name(text: DateText, at: int) -> _Part | None:
    named = _month_name(text, at)
    if named:
        return named
    season = text.first(at, "season", "weak_season")
    if season and text.ahead:  # nobody wants a reminder on its first day
        return None
    if season:
        sure = int(season.kind == "season" and bool(season.langs & ENGLISH))
        return _Part(season.kind, 3 * int(season.value) + 3, 3, at + 1, sure, season.langs)
    short = text.first(at, "quarter", "halves")
    if short:
        size = 3 if short.kind == "quarter" else 6
        return _Part("quarter", size * (int(short.value) - 1) + 1, size, at + 1, size == 3, EVERY)
    at += text.says(at, "nth_sign") is not None
    nth = text.says(at, "nth")
    number = int(nth.value) if nth else text.number(at) or 0
    end = at + 1 + text.is_sign(at + 1, ".")
    unit = text.says(end, "unit")
    size = 3 if unit and unit.value == "quarter" else 6 if text.says(end, "half") else 13
    if not 0 < number * size <= 12:
        return None
    return _Part("quarter", size * (number - 1) + 1, size, end + 1, 0, EVERY)


def part_of_year(text: DateText, at: int) -> TimePoint | None:
    """March 2025, last March, Q1, the first quarter of last year, last summer, 去年3月.

    Without a year, the most recently begun.
    """
    before = year_at(text, at)
    named = _part_name(text, text.skip(before[1], "of")) if before else None
    if before and named and named.kind not in {"month", "weak_season"}:
        return TimePoint(*_of_year(named, before[0]), named.next)
    begin = text.skip(at, "the")
    rel = text.says(begin, "rel")
    place = begin + (rel is not None)
    named = _part_name(text, place)
    if named is None or (begin > at and named.size == 1) or (rel and not rel.langs & named.langs):
        return None
    end = named.next
    after = None if rel else year_at(text, end + text.is_sign(end, ".", ",", "/", "-"))
    if after:
        sure = 2 if named.langs else 0
        return TimePoint(*_of_year(named, after[0]), after[1], sure, named.langs)
    if rel is None and (rel := text.says(end, "rel", named.langs & ~ENGLISH)):
        end += 1
    if rel:
        return _relative_part(text, named, int(rel.value), place, end)
    start, last = [one for one in _around(named, text.today) if one[0] <= text.today][-1]
    return TimePoint(start, last, end, named.sure, named.langs, "season" not in named.kind)


def _relative_part(
    text: DateText, named: _Part, ahead: int, place: int, end: int
) -> TimePoint | None:
    """Last, this or next March or summer; "this may" and "the last fall" are uncertain."""
    if text.ahead or named.kind == "quarter" or (named.size == 1 and ahead < -1):
        return None
    sure = 0 if ahead == 0 and text.is_sign(place, *SOFT) else 2
    sure = 0 if named.kind == "weak_season" and ahead != -1 else sure
    every = _around(named, text.today)
    if ahead < 0:
        days = [one for one in every if one[1] < text.today][ahead]
    elif ahead:
        days = next(one for one in every if one[0] > text.today)
    else:
        days = _of_year(named, text.today.year)
    return TimePoint(*days, end, sure, named.langs)


def _around(named: _Part, today: date) -> list[tuple[date, date]]:
    return [_of_year(named, one) for one in range(today.year - 2, today.year + 3)]


def _of_year(named: _Part, number: int) -> tuple[date, date]:
    """Meteorological seasons of the north; a winter belongs to the year in which it begins."""
    return months(date(number, named.first, 1), named.size)


_WHOLES = (part_of_year, calendar_unit, year, written)


def edge(text: DateText, at: int) -> TimePoint | None:
    """Early 2025, mid-March, Ende letzten Monats, fin de mars."""
    found = whole_of_edge(text, at)
    if found is None:
        return None
    which, whole = found
    start, end = part(whole.start, whole.end, which)
    return TimePoint(start, end, whole.next, min(whole.sure, 1) + 1, whole.langs, whole.yearless)


def whole_of_edge(text: DateText, at: int) -> tuple[int, TimePoint] | None:
    """Return the third (0, 1 or 2) and the period that it is part of."""
    found = text.says(at, "edge")
    if found is None:
        return None
    begin = at + 1 + text.is_sign(at + 1, "-")
    begin = text.skip(begin, "of", "the")
    whole = next((point for rule in _WHOLES if (point := rule(text, begin))), None)
    whole = whole or _this_unit(text, begin)
    if whole is None or (whole.end - whole.start).days < 3:
        return None
    return int(found.value), whole


def _this_unit(text: DateText, at: int) -> TimePoint | None:
    """The year in "beginning of the year"; never certain: "end of the week" can be a name."""
    unit = text.says(at, "unit")
    if unit is None or unit.value in ("minute", "hour"):
        return None
    return TimePoint(*unit_at(str(unit.value), text.today, 0), at + 1, -1, unit.langs)


def weekday(text: DateText, at: int) -> TimePoint | None:
    """The most recent weekday of that name, or that of last, this or next week."""
    start = text.skip(at, "the")
    rel = before = text.says(start, "rel")
    named = text.first(start + 1 if rel else start, "weekday", "weak_weekday")
    if named is None:
        return None
    end = start + (2 if rel else 1)
    whole = None if rel else calendar_unit(text, text.skip(end, "of", "in"))
    if whole and (whole.end - whole.start).days == 6:
        return _in_week(text, whole, int(named.value), whole.next)
    after = text.says(end, "rel", named.langs & ~ENGLISH)
    rel, end = (rel, end) if rel else (after, end + 1 if after else end)
    if rel and not rel.langs & named.langs:
        return None
    said = text.tokens[start if rel is before else end - 1].means
    plain = rel is None or (text.ahead and "coming" in said)
    day = _named_day(text, int(named.value), None if plain or rel is None else int(rel.value))
    sure = int(named.kind == "weekday") if rel is None else 2
    return TimePoint(day, day, text.skip(end, "part"), sure, named.langs)


def _in_week(text: DateText, week: TimePoint, number: int, end: int) -> TimePoint:
    day = week.start + timedelta(days=number)
    return TimePoint(day, day, text.skip(end, "part"), 2, week.langs)


def weekday_of_week(text: DateText, at: int) -> TimePoint | None:
    """先週の月曜日, last week's Monday."""
    week = calendar_unit(text, at)
    if week is None or (week.end - week.start).days != 6:
        return None
    end = week.next
    if text.is_sign(end, "'") and text.is_sign(end + 1, "s"):
        end += 2
    end = text.skip(end + text.is_sign(end, ","), "of", "in")
    named = text.first(end, "weekday", "weak_weekday")
    return _in_week(text, week, int(named.value), end + 1) if named else None


def _named_day(text: DateText, number: int, rel: int | None) -> date:
    today = text.today
    back = (today.weekday() - number) % 7
    if text.ahead:
        return _coming_day(text, (7 - back) % 7, number, rel)
    if rel is None:
        return today - timedelta(days=back)
    if rel == 0:
        return today + timedelta(days=number - today.weekday())
    if rel == 1:
        return today + timedelta(days=7 - back)
    return today - timedelta(days=(back or 7) + 7 * (-1 - rel))


def _coming_day(text: DateText, away: int, number: int, rel: int | None) -> date:
    """The next day of that name; today only if there is time left.

    Raises:
        Unclear: "Next friday" on a Wednesday, "this wednesday" on a Wednesday.
    """
    coming = text.today + timedelta(days=away or 7)
    if rel == 1 and coming != text.today + timedelta(days=7 + number - text.today.weekday()):
        raise Unclear
    if rel == 1:
        return coming
    if (rel or 0) < 0 or (rel == 0 and away == 0 and not text.later):
        raise Unclear
    return text.today if away == 0 and text.later else coming


def week_number(text: DateText, at: int) -> TimePoint | None:
    """Week 12 of 2026, KW 12."""
    number = text.number(at + 1) if text.says(at, "week_number") else None
    if number is None:
        return None
    after = year_at(text, at + 2 + text.is_sign(at + 2, ",", "/"))
    monday = date.fromisocalendar(after[0] if after else text.today.year, number, 1)
    if not after and monday > text.today:
        monday = date.fromisocalendar(text.today.year - 1, number, 1)
    end = after[1] if after else at + 2
    return TimePoint(monday, monday + timedelta(days=6), end, 2 if after else 1)


_DAY = timedelta(days=1)
_RULES: tuple[Rule, ...] = (
    day_word, written, dated, ago, rolling, weekday_of_week, weekday, edge, part_of_year,
    week_number, calendar_unit, weekend, year, ahead, ordinal_day,
)  # fmt: skip


class FoundPeriod(NamedTuple):
    """A parsed period, the position after it, and its certainty (see ``points``)."""

    period: Period
    next: int
    sure: int


def point(text: DateText, at: int) -> TimePoint | None:
    """The longest time that any rule finds at ``at``."""
    if at not in text.known:
        recurring = at > 0 and text.says(at - 1, "every")  # "every monday" is not a day
        ended = at >= len(text.tokens)
        text.known[at] = None if ended or recurring else _longest(_RULES, text, at)
    found: TimePoint | None = text.known[at]
    return found


_Found = TypeVar("_Found", TimePoint, FoundPeriod)


def _longest(rules: Iterable[Callable[..., _Found | None]], *asked: object) -> _Found | None:
    """The longest of what the rules find."""
    best: _Found | None = None
    for rule in rules:
        try:
            found = rule(*asked)
        except (ValueError, OverflowError):  # an invalid calendar day
            continue
        if found and (best is None or found.next > best.next):
            best = found
    return best


def span(text: DateText, at: int, *, alone: bool) -> FoundPeriod | None:
    """Return the period at ``at``; ``alone`` if the text must have nothing else."""
    rules = (_days_of_a_month, _two, _length, _open, _closed, _simple)
    return _longest(rules, text, at, alone)


def _behind(text: DateText, at: int) -> TimePoint | None:
    """A time at ``at``, optionally after an article of its language."""
    found, article = point(text, at), text.says(at, "the")
    other = point(text, at + 1) if article else None
    if article is None or other is None or not article.langs & other.langs:
        return found
    return other if found is None or other.next > found.next else found


def _simple(text: DateText, at: int, alone: bool) -> FoundPeriod | None:
    """A time, optionally after "in" or "from"."""
    bare = _behind(text, at)
    word = text.first(at, "in", "from")
    found = _behind(text, at + 1) if word else None
    if word is None or found is None or (bare and bare.next > found.next):
        return FoundPeriod(Period(bare.start, bare.end), bare.next, bare.sure) if bare else None
    end, start, last = found.next, found.start, found.end
    onwards = word.kind == "from" and text.says(end, "onwards") is not None
    soft = word.kind == "from" and not onwards and _is_soft(text, found)
    sure = found.sure + (bool(word.langs & found.langs) and not soft)
    if onwards or (word.kind == "from" and alone):
        return FoundPeriod(Period(found.exact or start, None), end + onwards, sure)
    return FoundPeriod(Period(start, last), end, sure)


def _is_soft(text: DateText, found: TimePoint) -> bool:
    return found.yearless and text.tokens[found.next - 1].text in SOFT


def _open(text: DateText, at: int, _alone: bool) -> FoundPeriod | None:
    """Since, before, after, until: unbounded on one side."""
    word = text.first(at, *_SIDES)
    found = _behind(text, at + 1) if word else None
    if word is None or found is None:
        return None
    sure = found.sure + (word.kind != "by" and bool(word.langs & found.langs))
    end = found.next
    if word.kind == "since":
        end += text.says(end, "onwards") is not None
    return FoundPeriod(_side(found, _with_edge(text, at + 1, word.kind)), end, sure)


def _with_edge(text: DateText, at: int, kind: str) -> str:
    """The side that is meant: before the end of a period is until its end."""
    begin = text.skip(at, "the")
    named = None if text.says(begin, "rough") else whole_of_edge(text, begin)
    return _WITH_EDGE.get((kind, named[0]), kind) if named else kind


_SIDES = ("since", "before", "after", "until", "by")
_WITH_EDGE = {("before", 2): "until", ("after", 0): "since"}
"""Before the end of a period reaches to its end; after its beginning, from its beginning."""
_THEN = {"onwards": "since", "then_before": "before", "then_after": "after", "then_until": "until"}


def _side(found: TimePoint, kind: str) -> Period:
    if kind == "since":
        return Period(found.exact or found.start, None)
    if kind == "after":
        return Period((found.exact or found.end) + _DAY, None)
    if kind == "before":
        return Period(None, (found.exact or found.start) - _DAY)
    return Period(None, found.exact or found.end)


def _closed(text: DateText, at: int, alone: bool) -> FoundPeriod | None:
    """A time followed by its relation, as in Chinese and Japanese; "2026-01-01.."."""
    if text.is_sign(at, ".."):
        found = point(text, at + 1)
        return FoundPeriod(Period(None, found.end), found.next, found.sure) if found else None
    found = point(text, at)
    if found is None:
        return None
    if text.is_sign(found.next, ".."):
        return FoundPeriod(Period(found.start, None), found.next + 1, found.sure)
    for kind, side in _THEN.items():
        word = text.says(found.next, kind, EVERY if alone else EASTERN)
        if word:
            meant = _with_edge(text, at, side)
            return FoundPeriod(_side(found, meant), found.next + 1, found.sure + 1)
    return None


def _length(text: DateText, at: int, _alone: bool) -> FoundPeriod | None:
    """Older than 3 months, newer than a week, seit drei Wochen."""
    word = text.first(at, "older", "newer", "since")
    size = amount(text, at + 1) if word else None
    if word is None or size is None or not word.langs & size[4]:
        return None
    day = shifted(text.today, -size[1], size[2])
    if word.kind == "older":
        return FoundPeriod(Period(None, day), size[3], 0)
    return FoundPeriod(Period(day, None), size[3], 2 if word.kind == "since" else 0)


def _two(text: DateText, at: int, _alone: bool) -> FoundPeriod | None:
    """Between A and B, from A to B, A..B."""
    word = text.first(at, "between", "from", "since")
    first = _behind(text, at + 1) if word else None
    word = word if first else None
    first = first or point(text, at)
    if first is None:
        return None
    parted = _parted(text, first.next, word.kind if word else "")
    second = _behind(text, parted) if parted else None
    if second is None:
        return None
    sure = min(first.sure, second.sure) + (word is not None)
    end = second.next + (text.says(second.next, "then_until") is not None)
    first, second = _same_years(first, second)
    days = first.start, first.end, second.start, second.end
    return FoundPeriod(Period(min(days), max(days)), end, sure)


def _parted(text: DateText, at: int, kind: str) -> int | None:
    """The position after the separator of a range's two sides; None if there is none."""
    sign = text.says(at, "and") if kind == "between" else text.says(at, "to")
    if sign or text.is_sign(at, "/", "-", ".."):
        return text.skip(at + 1, "the")
    return None


def _same_years(first: TimePoint, second: TimePoint) -> tuple[TimePoint, TimePoint]:
    """A side without a year takes it from the other, keeping the order of the two."""
    if first.yearless and not second.yearless:
        gap = second.start.year - first.start.year
        first = moved(first, gap)
    elif second.yearless and not first.yearless:
        second = moved(second, first.start.year - second.start.year)
        second = moved(second, 1) if second.end < first.start else second
    if first.yearless and first.start > second.end:
        first = moved(first, -1)
    return first, second


def moved(found: TimePoint, years: int) -> TimePoint:
    """``found`` in another year."""
    start = months_later(found.start, 12 * years)
    if (found.end + _DAY).day == 1:  # a month stays whole, also February
        end = months_later(found.end + _DAY, 12 * years) - _DAY
    else:
        end = months_later(found.end, 12 * years)
    return replace(found, start=start, end=end)


def _days_of_a_month(text: DateText, at: int, _alone: bool) -> FoundPeriod | None:
    """Between 3 and 9 May, May 3-9, vom 3. bis 9. Mai, 3月3日到9日."""
    word = text.first(at, "between", "from", "since")
    kind = word.kind if word else ""
    begin = at + 1 if word or text.says(at, "in") else at
    begin = text.skip(begin, "the")
    return _numbers_first(text, begin, kind) or _month_leads(text, begin, kind)


def _numbers_first(text: DateText, at: int, kind: str) -> FoundPeriod | None:
    day = text.number(at)
    parted = _parted(text, at + 1 + text.is_sign(at + 1, "."), kind) if day else None
    last = dated(text, parted) if parted else None
    if day is None or last is None or last.start != last.end:
        return None
    first = last.start.replace(day=day)
    return FoundPeriod(Period(first, last.end), last.next, last.sure) if first <= last.end else None


def _month_leads(text: DateText, at: int, kind: str) -> FoundPeriod | None:
    first = dated(text, at)
    parted = _parted(text, first.next, kind) if first else None
    day = text.number(parted) if parted else None
    if first is None or parted is None or day is None:
        return None
    end = parted + 1
    end += text.says(end, "day_sign") is not None
    end += text.says(end, "then_until") is not None
    followed = year_at(text, end + text.is_sign(end, ",")) if first.yearless else None
    start = first.start
    if followed:
        start, end = start.replace(year=followed[0]), followed[1]
    last = start.replace(day=day)
    return FoundPeriod(Period(start, last), end, first.sure) if start < last else None
