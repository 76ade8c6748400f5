"""Days and calendar units relative to today, which a range expression can refer to.

A rule takes the text and a position, and returns the time there or None. Its certainty says where
it counts: 2 anywhere in a query, 1 after a preposition, 0 only if the query has nothing else.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mind.text.dates.days import day_from, heading_date
from mind.text.dates.lexicon import ENGLISH, EVERY, LANGUAGES, DateText, DateToken
from mind.text.dates.periods import months, months_later, shifted, unit_at

SOFT = ("march", "may")
"""Months that are also verbs."""
_FRENCH = frozenset("le la les des une est nous avons pour que quoi qu d".split())
"""Next to one of these, "hier" is yesterday, not the German "here"."""
_UNITS = {"workdays": "workday", "years": "year", "days": "day"}
"""Kinds of words that always stand for the same unit."""
_SPELLED = ("unit", "years", "days")
_FEW = (2, 5)
"""Value of "a few": minimum, maximum."""


@dataclass(frozen=True, slots=True)
class TimePoint:
    """A time found by a rule.

    Attributes:
        start: The first day.
        end: The last day.
        next: The position after it.
        sure: Certainty, see the module.
        langs: Possible languages.
        yearless: Whether its year was inferred, so that a range may change it.
        exact: The exact day, if a single one is needed: "since two weeks ago".
    """

    start: date
    end: date
    next: int
    sure: int = 2
    langs: int = EVERY
    yearless: bool = False
    exact: date | None = None


Rule = Callable[[DateText, int], TimePoint | None]


def day_word(text: DateText, at: int) -> TimePoint | None:
    """Yesterday, today, last night, this morning."""
    for kind in ("day", "weak") if text.ahead else ("day", "weak", "night"):
        found = text.says(at, kind)
        if found:
            sure = 2 if kind != "weak" or (found.value == -1 and text.words & _FRENCH) else 0
            day = text.today + timedelta(days=int(found.value))
            end = text.today if kind == "night" else day
            return TimePoint(day, end, text.skip(at + 1, "part"), sure, found.langs)
    return None


def written(text: DateText, at: int) -> TimePoint | None:
    """A date, week, month or quarter in digits."""
    if at >= len(text.tokens):
        return None
    token = text.tokens[at]
    numbers = [int(one) for one in re.findall(r"\d+", token.text)]
    if token.shape == "day":
        day = heading_date(token.text)
        sure = 0 if ":" in token.text else 2  # with a time of day it comes from a log
        return TimePoint(day, day, at + 1, sure) if day else None
    if token.shape == "week":
        monday = date.fromisocalendar(numbers[0], numbers[1], 1)
        return TimePoint(monday, monday + timedelta(days=6), at + 1)
    if token.shape == "month":
        return TimePoint(*months(date(numbers[0], numbers[1], 1), 1), at + 1)
    if token.shape == "quarter":
        return TimePoint(*months(date(numbers[0], 3 * numbers[1] - 2, 1), 3), at + 1)
    return None


def ordinal_day(text: DateText, at: int) -> TimePoint | None:
    """The 5th, and ahead also "5 числа" and 5日: the last or next one in a month that has it."""
    at = text.skip(at, "the")
    number = text.number(at)
    sign = text.ahead and text.says(at + 1, "day_sign") is not None
    if number is None or not (sign or text.tokens[at].nth):
        return None
    for away in range(3):  # one of two months in a row has a 31st, one of three a 30th
        first = months_later(text.today.replace(day=1), away if text.ahead else -away)
        day = day_from(first.year, first.month, number)
        if day and text.is_near(day):
            return TimePoint(day, day, at + 1 + sign, 0)
    return None


def count(text: DateText, at: int) -> int | None:
    """A number in digits or as a word."""
    number = text.number(at)
    said = None if number is not None else text.says(at, "number")
    return int(said.value) if said else number


def calendar_unit(text: DateText, at: int) -> TimePoint | None:
    """Last week, this month, la semana pasada, and the week before last."""
    article = text.says(at, "the")
    begin = at + 1 if article else at
    found = text.says(begin, "rel")
    unit = text.says(begin + 1, "unit", found.langs) if found else None
    if unit and article and found and found.value == -1 and article.langs & found.langs & ENGLISH:
        return None  # "the last week" is the seven days up to now
    if unit is None:
        unit = text.says(begin, "unit")
        found = text.says(begin + 1, "rel", unit.langs & ~ENGLISH) if unit else None
    if found is None or unit is None or unit.value in ("minute", "hour"):
        return None
    days = unit_at(str(unit.value), text.today, int(found.value))
    return TimePoint(*days, begin + 2, 0 if unit.value == "day" else 2, unit.langs)


def weekend(text: DateText, at: int) -> TimePoint | None:
    """The weekend: the most recently begun."""
    unit = text.says(text.skip(at, "the"), "unit")
    if unit is None or unit.value != "weekend":
        return None
    ahead = 0 if text.today.weekday() > 4 else -1
    return TimePoint(
        *unit_at("weekend", text.today, ahead), text.skip(at, "the") + 1, 1, unit.langs
    )


def amount(text: DateText, at: int) -> tuple[int, int, str, int, int] | None:
    """(min, max, unit, position after, languages) of "10 days", "a few weeks", 一周."""
    begin = at + (text.is_sign(at, "a") and text.says(at + 1, "few") is not None)
    few = text.says(begin, "few")
    number = 0 if few else count(text, begin)
    unit = text.first(begin + 1, *_SPELLED)
    if number is None or unit is None or unit.value == "weekend":
        return None
    least, most = _FEW if few else (number, number)
    return least, most, _UNITS.get(unit.kind) or str(unit.value), begin + 2, unit.langs


def rolling(text: DateText, at: int) -> TimePoint | None:
    """The last 10 days, the past week, los últimos tres meses, 过去10天: up to today."""
    article = text.says(at, "the")
    begin = at + 1 if article else at
    word = text.first(begin, "past", "rel")
    if word and (word.kind == "past" or word.value == -1):
        english = article is not None and bool(article.langs & word.langs & ENGLISH)
        return _rolling(text, begin + 1, english or word.kind == "past", word.langs)
    size = amount(text, begin)  # les 10 derniers jours
    return _between(text, begin, article is not None) if size is None else None


def _rolling(text: DateText, at: int, open_ended: bool, langs: int) -> TimePoint | None:
    size = amount(text, at)
    if size is None:
        unit = text.says(at, "unit", langs)
        if unit is None or not open_ended or unit.value == "weekend":
            return None
        sure = 0 if unit.value in ("day", "hour", "minute") else 2
        return _up_to(text, 1, str(unit.value), at + 1, sure)
    return _up_to(text, size[1], size[2], size[3], 2) if size[4] & langs else None


def _between(text: DateText, at: int, article: bool) -> TimePoint | None:
    """A number before the word: les 10 derniers jours, die 10 letzten Tage."""
    number = count(text, at) if article else None
    word = text.first(at + 1, "past", "rel")
    unit = text.says(at + 2, "unit", word.langs & ~ENGLISH) if word else None
    if not number or word is None or unit is None or word.value not in (0, -1):
        return None
    return _up_to(text, number, str(unit.value), at + 3, 2)


def _up_to(text: DateText, count: int, unit: str, end: int, sure: int) -> TimePoint:
    end += text.is_sign(end, "间", "間")
    return TimePoint(shifted(text.today, -count, unit), text.today, end, sure)


def ago(text: DateText, at: int) -> TimePoint | None:
    """Two weeks ago, hace dos semanas, vor 3 Tagen, неделю назад, 两周前."""
    first = text.says(at, "ago_first")
    size = amount(text, at + 1) if first else amount(text, at)
    if size is None and not first:
        unit = text.says(at, "unit", LANGUAGES["ru"])
        size = (1, 1, str(unit.value), at + 1, LANGUAGES["ru"]) if unit else None
    if size is None:
        return None
    least, most, named, end, langs = size
    word = first or text.says(end, "ago")
    if word is None or not word.langs & langs:
        return None
    end += first is None
    today = text.today
    exact = shifted(today, -most, named)
    if least != most:
        return TimePoint(exact, shifted(today, -least, named), end)
    if named in ("minute", "hour"):
        whole = most // (1440 if named == "minute" else 24)
        return TimePoint(exact, today - timedelta(days=whole), end)
    around = unit_at("week" if named == "fortnight" else named, exact, 0)
    return TimePoint(*around, end, exact=exact)


def ahead(text: DateText, at: int) -> TimePoint | None:
    """The day of "in 3 days", "3 weeks from now". Looks like a duration, so never certain."""
    first = text.says(at, "ahead")
    size = amount(text, at + 1) if first else amount(text, at)
    if size is None:
        return None
    _, most, unit, end, langs = size
    hours = unit in ("minute", "hour")  # a moment, not a day
    if hours or (first is None and text.says(end, "hence", langs) is None):
        return None
    day = shifted(text.today, most, unit)
    return TimePoint(day, day, end + (first is None), 0, exact=day)


def year_at(text: DateText, at: int) -> tuple[int, int] | None:
    """A year after a month or quarter, and the position after it: "2025", "of last year"."""
    at = text.skip(at, "of", "in", "the")
    number = text.number(at)
    if number is not None and 1900 <= number < 2200:
        return number, at + 1 + (text.says(at + 1, "year_sign") is not None)
    found = text.first(at, "rel", "unit")
    relative = calendar_unit(text, at) if found else None
    if relative and relative.exact is None and (relative.end - relative.start).days > 360:
        return relative.start.year, relative.next
    return None


def year(text: DateText, at: int) -> TimePoint | None:
    """A year alone."""
    number = text.number(at)
    if number is None or not 1900 <= number < 2200:
        return None
    sign = text.says(at + 1, "year_sign") is not None
    near = -20 <= number - text.today.year <= 5
    sure = (2 if sign else 1) if near else 0
    return TimePoint(date(number, 1, 1), date(number, 12, 31), at + 1 + sign, sure)


def duration(read: Sequence[DateToken]) -> list[tuple[float, str]] | None:
    """(count, unit) of each part of "in 2 weeks", "in 1 hour 30 minutes"; None if it is none."""
    text = DateText(read, date.min)
    at = int(text.says(0, "ahead") is not None)
    end = len(read)
    if not at and text.says(end - 1, "hence"):
        end -= 1
    short = at == 0 and end == len(read)  # "3 days" counts, "3d" and "15h" do not
    found: list[tuple[float, str]] = []
    while at < end:
        said = text.first(at, "number", "fraction")
        number, at = _count(text, at, alone=not (short or found))
        half = text.says(at, "plus_half")
        at += half is not None
        unit = unit_name(text, at, said.langs if said else EVERY)
        if number is None or unit is None or (short and not _is_word(text, at)):
            return None
        at += 1
        if half is None and (half := text.says(at, "plus_half")):
            at += 1
        if half and not half.value:
            return None
        found.append((number + float(half.value if half else 0), unit))
        at += text.is_sign(at, ",")
        at += at + 1 < end and text.says(at, "and") is not None
    return found or None


def _is_word(text: DateText, at: int) -> bool:
    """Return whether the unit is a whole word: not "d" or 分."""
    kinds = text.tokens[at].means.keys()
    return len(text.tokens[at].text) > 1 and bool(kinds & {"unit", "workdays"})


def _count(text: DateText, at: int, *, alone: bool) -> tuple[float | None, int]:
    """Return the count of the following unit; a unit alone counts as one: "через час"."""
    fraction = text.says(at, "fraction")
    if fraction:
        return float(fraction.value), at + 1
    decimal = re.fullmatch(r"\d+[.,]\d+", text.tokens[at].text) if at < len(text.tokens) else None
    if decimal:
        return float(decimal[0].replace(",", ".")), at + 1
    number = count(text, at)
    if number is None:
        russian = text.says(at, "unit", LANGUAGES["ru"]) is not None
        return (1, at) if alone and russian else (None, at)
    return number, at + 1 + text.is_sign(at + 1, "-")


def unit_name(text: DateText, at: int, langs: int = EVERY) -> str | None:
    """The unit at ``at``, if a duration can have it."""
    kinds = (*_SPELLED, "short_unit", "workdays")
    said = next((one for kind in kinds if (one := text.says(at, kind, langs))), None)
    name = (_UNITS.get(said.kind) or str(said.value)) if said else None
    return None if name in {"weekend", "quarter"} else name
