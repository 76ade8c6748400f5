"""What stands before a point or between two: since, before, after, until, between, from … to."""

from dataclasses import dataclass, replace
from datetime import timedelta

from mind.text.dates.durations import months_later
from mind.text.dates.lexicon import EASTERN, EVERY
from mind.text.dates.parts import (  # fmt: skip
    dated,
    edge,
    month,
    quarter,
    relative_month,
    week_number,
    weekday,
    weekday_of_week,
    year,
    year_at,
    year_season,
)
from mind.text.dates.period import Period
from mind.text.dates.periods import shifted
from mind.text.dates.points import (  # fmt: skip
    SOFT,
    Point,
    Rule,
    ago,
    ahead,
    amount,
    calendar_unit,
    day_word,
    ordinal_day,
    rolling,
    weekend,
    written,
)
from mind.text.dates.tokens import Text

_DAY = timedelta(days=1)
_RULES: tuple[Rule, ...] = (
    day_word, written, dated, ago, rolling, weekday_of_week, weekday, relative_month, edge,
    quarter, year_season, week_number, calendar_unit, weekend, month, year, ahead, ordinal_day,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A period that was read, the place behind it, and how sure it is (see ``points``)."""

    period: Period
    next: int
    sure: int


def point(text: Text, at: int) -> Point | None:
    """The longest that any rule reads there."""
    if at not in text.known:
        text.known[at] = _longest(text, at)
    found: Point | None = text.known[at]
    return found


def _longest(text: Text, at: int) -> Point | None:
    best: Point | None = None
    for rule in _RULES if at < len(text.tokens) else ():
        try:
            found = rule(text, at)
        except (ValueError, OverflowError):  # a day that is not in the calendar
            continue
        if found and (best is None or found.next > best.next):
            best = found
    return best


def span(text: Text, at: int, *, alone: bool) -> Span | None:
    """What is said there about a time; ``alone`` where nothing else may be said."""
    best: Span | None = None
    for rule in (_days_of_a_month, _two, _length, _open, _closed, _simple):
        try:
            found = rule(text, at, alone)
        except (ValueError, OverflowError):
            continue
        if found and (best is None or found.next > best.next):
            best = found
    return best


def _behind(text: Text, at: int) -> Point | None:
    """A point there, perhaps behind an article of its language."""
    found, article = point(text, at), text.says(at, "the")
    other = point(text, at + 1) if article else None
    if article is None or other is None or not article.langs & other.langs:
        return found
    return other if found is None or other.next > found.next else found


def _simple(text: Text, at: int, alone: bool) -> Span | None:
    """A point, perhaps behind "in" or "from"."""
    bare = _behind(text, at)
    word = text.says(at, "in") or text.says(at, "from")
    found = _behind(text, at + 1) if word else None
    if word is None or found is None or (bare and bare.next > found.next):
        return Span(Period(bare.start, bare.end), bare.next, bare.sure) if bare else None
    end, start, last = found.next, found.start, found.end
    onwards = word.kind == "from" and text.says(end, "onwards") is not None
    soft = word.kind == "from" and not onwards and _is_soft(text, found)
    sure = found.sure + (bool(word.langs & found.langs) and not soft)
    if onwards or (word.kind == "from" and alone):
        return Span(Period(found.exact or start, None), end + onwards, sure)
    return Span(Period(start, last), end, sure)


def _is_soft(text: Text, found: Point) -> bool:
    return found.yearless and text.tokens[found.next - 1].text in SOFT


def _open(text: Text, at: int, _alone: bool) -> Span | None:
    """Since, before, after, until; open on one side."""
    word = next((said for kind in _SIDES if (said := text.says(at, kind))), None)
    found = _behind(text, at + 1) if word else None
    if word is None or found is None:
        return None
    sure = found.sure + (word.kind != "by" and bool(word.langs & found.langs))
    end = found.next
    if word.kind == "since":
        end += text.says(end, "onwards") is not None
    return Span(_side(found, word.kind), end, sure)


_SIDES = ("since", "before", "after", "until", "by")
_THEN = {"onwards": "since", "then_before": "before", "then_after": "after", "then_until": "until"}


def _side(found: Point, kind: str) -> Period:
    if kind == "since":
        return Period(found.exact or found.start, None)
    if kind == "after":
        return Period((found.exact or found.end) + _DAY, None)
    if kind == "before":
        return Period(None, (found.exact or found.start) - _DAY)
    return Period(None, found.exact or found.end)


def _closed(text: Text, at: int, alone: bool) -> Span | None:
    """A point with the relation behind it, as Chinese and Japanese have it; "2026-01-01.."."""
    if text.is_sign(at, ".."):
        found = point(text, at + 1)
        return Span(Period(None, found.end), found.next, found.sure) if found else None
    found = point(text, at)
    if found is None:
        return None
    if text.is_sign(found.next, ".."):
        return Span(Period(found.start, None), found.next + 1, found.sure)
    for kind, side in _THEN.items():
        word = text.says(found.next, kind, EVERY if alone else EASTERN)
        if word:
            return Span(_side(found, side), found.next + 1, found.sure + 1)
    return None


def _length(text: Text, at: int, _alone: bool) -> Span | None:
    """Older than 3 months, newer than a week, seit drei Wochen."""
    word = text.says(at, "older") or text.says(at, "newer") or text.says(at, "since")
    size = amount(text, at + 1) if word else None
    if word is None or size is None or not word.langs & size[4]:
        return None
    day = shifted(text.today, -size[1], size[2])
    if word.kind == "older":
        return Span(Period(None, day), size[3], 0)
    return Span(Period(day, None), size[3], 2 if word.kind == "since" else 0)


def _two(text: Text, at: int, _alone: bool) -> Span | None:
    """Between A and B, from A to B, A..B."""
    word = text.says(at, "between") or text.says(at, "from") or text.says(at, "since")
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
    return Span(Period(min(days), max(days)), end, sure)


def _parted(text: Text, at: int, kind: str) -> int | None:
    """The place behind what parts the two sides of a range; None if nothing does."""
    sign = text.says(at, "and") if kind == "between" else text.says(at, "to")
    if sign or text.is_sign(at, "/", "-", ".."):
        return text.skip(at + 1, "the")
    return None


def _same_years(first: Point, second: Point) -> tuple[Point, Point]:
    """A side that names no year takes it from the other, in the order of the two."""
    if first.yearless and not second.yearless:
        gap = second.start.year - first.start.year
        first = _moved(first, gap)
    elif second.yearless and not first.yearless:
        second = _moved(second, first.start.year - second.start.year)
        second = _moved(second, 1) if second.end < first.start else second
    if first.yearless and first.start > second.end:
        first = _moved(first, -1)
    return first, second


def _moved(found: Point, years: int) -> Point:
    start, end = months_later(found.start, 12 * years), found.end
    if (found.end + _DAY).day == 1:  # a month stays whole, a February too
        end = months_later(found.end + _DAY, 12 * years) - _DAY
    else:
        end = months_later(found.end, 12 * years)
    return replace(found, start=start, end=end)


def _days_of_a_month(text: Text, at: int, _alone: bool) -> Span | None:
    """Between 3 and 9 May, May 3-9, vom 3. bis 9. Mai, 3月3日到9日."""
    word = text.says(at, "between") or text.says(at, "from") or text.says(at, "since")
    kind = word.kind if word else ""
    begin = at + 1 if word or text.says(at, "in") else at
    begin = text.skip(begin, "the")
    return _numbers_first(text, begin, kind) or _month_leads(text, begin, kind)


def _numbers_first(text: Text, at: int, kind: str) -> Span | None:
    day = text.number(at)
    parted = _parted(text, at + 1 + text.is_sign(at + 1, "."), kind) if day else None
    last = dated(text, parted) if parted else None
    if day is None or last is None or last.start != last.end:
        return None
    first = last.start.replace(day=day)
    return Span(Period(first, last.end), last.next, last.sure) if first <= last.end else None


def _month_leads(text: Text, at: int, kind: str) -> Span | None:
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
    return Span(Period(start, last), end, first.sure) if start < last else None
