"""Parse moments and recurring times: "friday 3pm", "every monday".

The vocabulary and the rules for days are those of searches, read as future (see ``points``).
Seven further languages are left to dateparser, where somebody types a time.

A day without a time of day means 9:00, or immediately if that has passed today. Minutes and hours
are counted exactly, days and longer units by the calendar.
"""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache, reduce
from operator import and_, or_

from mind.text import table
from mind.text.dates.days import fold, said_in
from mind.text.dates.lexicon import EVERY, LANGUAGES, DateText, DateToken, Unclear, tokens
from mind.text.dates.periods import shifted, week_of
from mind.text.dates.points import (
    TimePoint,
    ago,
    calendar_unit,
    day_word,
    duration,
    ordinal_day,
    written,
)
from mind.text.dates.ranges import (
    dated,
    moved,
    nearest,
    part_of_year,
    weekday,
    weekday_of_week,
    whole_of_edge,
)

MORNING, END_OF_DAY = time(9), time(17)
_NIGHT, _MIDNIGHT = 20, 24
_HOURS = {
    9: (0, 11), 12: (11, 14), 14: (12, 20), 17: (15, 20), 18: (16, 23), 20: (18, 23), 24: (0, 0),
}  # fmt: skip
"""Hour of a part of the day → the first and last hour that may be given with it."""
_EAST = r"[\u3040-\u30ff\u3400-\u9fff]"
_REWRITES = (
    (r"(\d{4}-\d{2}-\d{2})t(?=\d)", r"\1 "),
    (r"\bat (\d{1,2}): ", r"at \1:00 "),
    (r"(?<![\d.])(\d{1,2}\.) (\d{1,2}\.)(?! ?\d)", r"\1\2"),  # 24. 12.
    # joined, so that "am" stays English; elsewhere it is German
    (r"(?<=\d) ?([ap])\.? ?m\b\.?", r"\1m"),
    (rf"(?<={_EAST})(?=[\da-z@])|(?<=[\da-z])(?={_EAST})", " "),
)
_CLOCK = re.compile(
    r"(?P<at>(?:\bat|@) ?)?(?<![\w:./-])(?P<hour>\d{1,2})"
    r"(?:[:h](?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?)?"
    r"(?: ?(?P<half>[ap]m)\b)?(?: ?(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})\b)?(?![\w:./])"
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2} ?$")
"""Prefix of a time in 24-hour form."""
_HALVED = frozenset(map(str, range(1, 12)))
"""Hours that are ambiguous between morning and evening, unless written in 24-hour form."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day.

    Attributes:
        at: The time; None if the text has none.
        zone: The given offset.
        floor: If it has passed today, it means immediately.
        midnight: Written as "midnight", which is ambiguous about the day.
        vague: Ambiguous between morning and evening: "at 5:30".
    """

    at: time | None = None
    zone: tzinfo | None = None
    floor: bool = False
    midnight: bool = False
    vague: bool = False


@cache
def _forms_of_moments() -> "tuple[list[tuple[re.Pattern[str], str]], re.Pattern[str]]":
    """Patterns of times of day with their English form, and of unsupported idioms."""
    rows = [table(f"dates/{name}").get("moments", {}) for name in LANGUAGES]
    rewrites = [pair for one in rows for pair in one.get("rewrites", ())]
    unclear = [fold(form) for one in rows for form in said_in(one.get("unclear", "")) if form]
    compiled = [(re.compile(pattern), said) for pattern, said in (*rewrites, *_REWRITES)]
    return compiled, re.compile(rf"\b(?:{'|'.join(unclear)})\b")


def folded_with_clocks(text: str) -> str:
    """``text`` folded, with times of day in English form; "" if it is too long."""
    folded = " ".join(fold(text[: 2 * _LONGEST]).split()).rstrip("!,;").rstrip()
    if not folded or len(folded) > _LONGEST or has_an_idiom(folded):
        return ""
    rewrites, _ = _forms_of_moments()
    for pattern, replacement in rewrites:
        folded = pattern.sub(replacement, f"{folded} ")
    return " ".join(folded.split())


def has_an_idiom(folded: str) -> bool:
    """Return whether a folded text has an unsupported idiom."""
    return _forms_of_moments()[1].search(folded) is not None


def has_a_clock(plain: str) -> bool:
    """Return whether a text with English times has a time of day."""
    return any(_is_clock(found, has_part=True) for found in _CLOCK.finditer(plain))


def without_clock(text: str) -> tuple[list[DateToken], Clock]:
    """Split ``text`` into the tokens without its time of day, and that time.

    Raises:
        Unclear: There are several, or it is ambiguous.
    """
    parts = list({int(one.means["part"].value) for one in tokens(text) if "part" in one.means})
    clocks = [found for found in _CLOCK.finditer(text) if _is_clock(found, bool(parts))]
    if len(parts) > 1 or len(clocks) > 1:
        raise Unclear
    part = parts[0] if parts else None
    clock = Clock(
        None if part is None else time(part % 24), None, part == _NIGHT, part == _MIDNIGHT
    )
    if clocks:
        found = clocks[0]
        begin = text[: found.start()]
        clear = part is not None or found["half"] or found["zone"] or _ISO.search(begin)
        clock = Clock(
            _time(found, part),
            _zone(found["zone"]),
            vague=not clear and found["hour"] in _HALVED,
        )
        if clock.vague and clock.at and clock.at.hour < 7:
            raise Unclear
        text = f"{begin} {text[found.end() :]}"
    read = [one for one in tokens(text) if "part" not in one.means]
    _check_language(read)
    return bare(read), clock


def _is_clock(found: "re.Match[str]", has_part: bool) -> bool:
    """Return whether it is a time: a bare number needs "at" and an unambiguous half of the day."""
    if found["minute"] or found["half"]:
        return True
    return bool(found["at"]) and (has_part or 7 <= int(found["hour"]) <= 23)


def _time(found: "re.Match[str]", part: int | None) -> time:
    """The time; with a part of the day, the one within that part."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            raise Unclear
        hour = hour % 12 + (12 if found["half"] == "pm" else 0)
    first, last = (0, 23) if part is None else _HOURS[part]
    both = (hour,) if found["half"] or hour >= 12 or part is None else (hour, hour + 12)
    meant = [one for one in both if first <= one <= last]
    if len(meant) != 1:
        raise Unclear
    return time(meant[0], minute)


def _zone(text: str | None) -> tzinfo | None:
    if not text or text[0] not in "+-":
        return UTC if text else None
    return datetime.strptime(text, "%z").tzinfo


_LINKS = {"in", "the", "of", "from", "by"}
_NO_LINKS = {"ahead", "since", "number", "rel", "past"}


def bare(read: Sequence[DateToken]) -> list[DateToken]:
    """The tokens without optional words at the edges: "on", "am", "le"."""
    begin, end = 0, len(read)
    while begin < end and is_link(read[begin]):
        begin += 1
    while begin < end and (is_link(read[end - 1]) or "then_in" in read[end - 1].means):
        end -= 1
    return list(read[begin:end])


def is_link(token: DateToken) -> bool:
    """Return whether the word is optional at the beginning or end of a time."""
    kinds = token.means.keys()
    return token.text == "," or bool(kinds & _LINKS and not kinds & _NO_LINKS)


def _check_language(read: Sequence[DateToken]) -> None:
    """Check that one language has all the words.

    Raises:
        Unclear: None does: "no mañana" is not Portuguese.
    """
    if not common(read):
        raise Unclear


def common(read: Sequence[DateToken]) -> int:
    """Bit mask of the languages that have all the words."""
    return reduce(and_, (languages_of(one) or EVERY for one in read), EVERY)


def languages_of(token: DateToken) -> int:
    """Bit mask of the languages that have the word; 0 for a number or symbol."""
    return reduce(or_, (one.langs for one in token.means.values()), 0)


def _clock_only(clock: Clock, now: datetime) -> datetime | None:
    """The next moment with that time: today, or tomorrow if it has passed.

    Raises:
        Unclear: "at 9:30" at 10:00 may mean this evening.
    """
    if clock.at is None:
        return None
    today = now.astimezone(clock.zone).date() if clock.zone else now.date()
    found = wall(today, clock, now)
    if found <= now and clock.vague:
        raise Unclear
    return found if found > now else wall(today + timedelta(days=1), clock, now)


def _at(day: date, clock: Clock, now: datetime) -> datetime:
    """The moment of a day and time; see the module for a day without a time.

    Raises:
        Unclear: "Tomorrow at midnight" may be its beginning or its end; today's is its end.
    """
    if clock.midnight and day != now.date():
        raise Unclear
    if clock.midnight:
        day += timedelta(days=1)
    found = wall(day, clock, now)
    over = found < now and day == now.date()
    return now if over and (clock.at is None or clock.floor) else found


def wall(day: date, clock: Clock, now: datetime) -> datetime:
    """Local wall-clock time; one skipped by daylight saving time moves on by an hour."""
    local = datetime.combine(day, clock.at or MORNING, tzinfo=clock.zone or now.tzinfo)
    return local.astimezone(UTC).astimezone(now.tzinfo)


# --- durations ----------------------------------------------------------------------------

_EXACT = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}


def after(
    pieces: Sequence[tuple[float, str]], clock: Clock | None, now: datetime
) -> datetime | None:
    """The moment after a duration; None for half a month, or hours with a time of day."""
    exact, day = timedelta(), now.date()
    for number, unit in pieces:
        if unit in _EXACT and (unit != "day" or number != int(number)):
            exact += _EXACT[unit] * number
        elif number != int(number):
            return None
        else:
            day = shifted(day, int(number), unit)
    if exact and clock:
        return None
    if not exact:
        return _at(day, clock or Clock(), now)
    start = datetime.combine(day, now.time(), tzinfo=now.tzinfo)
    return (start.astimezone(UTC) + exact).astimezone(now.tzinfo)


# --- days ---------------------------------------------------------------------------------


def _day_of(
    read: Sequence[DateToken], now: datetime, clock: Clock, said_in: bool
) -> tuple[date, Clock] | None:
    """The day given by all the tokens, and its time of day.

    Raises:
        Unclear: It is ambiguous between two days.
    """
    later = clock.at is not None and wall(now.date(), clock, now) > now
    text = DateText(read, now.date(), ahead=True, later=later)
    begin = text.skip(1, "the") if text.says(0, "ahead") and text.says(0, "in_month") else 0
    for rule in _AFTER_IN if begin else _DAYS:
        found = rule(text, begin)
        if found and found.next == len(read):
            if rule is _edge and found.sure == LATE and clock.at is None:
                clock = Clock(END_OF_DAY)
            if found.sure == _UNSURE and not said_in:
                return None
            return found.exact or found.start, clock
    return None


def _forward(found: TimePoint, today: date, *, last: bool = False) -> TimePoint:
    """Move a period without a year to the next one that is not over, or has not begun."""
    is_past = (found.end if last else found.start) < today
    return moved(found, 1) if found.yearless and is_past else found


def months_of(found: TimePoint) -> int:
    """Return the number of months that it overlaps."""
    return (found.end.year - found.start.year) * 12 + found.end.month - found.start.month + 1


def _calendar_day(text: DateText, at: int) -> TimePoint | None:
    """A day by number and month, optionally after a weekday."""
    named = text.first(at, "weekday", "weak_weekday")
    if named:
        at = text.skip(at + 1 + text.is_sign(at + 1, ","), "the")
    found = dated(text, at) or written(text, at) or in_digits(text, at)
    if found and named and found.start.weekday() != named.value:
        raise Unclear
    return found


def in_digits(text: DateText, at: int) -> TimePoint | None:
    """A day such as 24.12., with a final full stop."""
    said = (
        re.fullmatch(r"(\d\d?)\.(\d\d?)", text.tokens[at].text)
        if text.is_sign(at + 1, ".")
        else None
    )
    day = nearest(text, int(said[2]), int(said[1])) if said else None
    return TimePoint(day, day, at + 2) if day else None


LATE, _UNSURE = 2, -1


def _edge(text: DateText, at: int) -> TimePoint | None:
    """The first day of "beginning of march", the last of "end of march", the end of a week."""
    which, whole = whole_of_edge(text, at) or (1, None)
    if whole is None or which == 1 or text.says(at, "rough"):
        return None
    if (whole.end - whole.start).days == 6 and which == LATE:
        friday = whole.start + timedelta(days=4)
        if friday < text.today:
            raise Unclear
        return TimePoint(friday, friday, whole.next, LATE)
    found = _forward(whole, text.today, last=which == LATE)
    day = found.end if which == LATE else found.start
    return TimePoint(day, day, whole.next, which)


def _unit(text: DateText, at: int) -> TimePoint | None:
    """Next week, month, quarter or year: its first day; a weekend is its Saturday."""
    alone = text.skip(at, "the")
    alone += (rel := text.says(alone, "rel")) is not None and rel.value == 0
    unit = text.says(alone, "unit")
    if unit and unit.value == "weekend" and alone + 1 == len(text.tokens):
        saturday = max(week_of(text.today) + timedelta(days=5), text.today)
        return TimePoint(saturday, saturday, alone + 1)
    found = calendar_unit(text, at)
    if found is None or found.start <= text.today or found.start == found.end:
        return None
    if found.end - found.start == timedelta(days=1) < found.start - text.today - timedelta(days=6):
        raise Unclear  # "next weekend" before this one
    return found


def _part(text: DateText, at: int) -> TimePoint | None:
    """The first day of a month or quarter; a month alone is uncertain."""
    found = part_of_year(text, at)
    if found is None or months_of(found) > 3:
        return None
    unsure = found.yearless and months_of(found) == 1
    return _forward(replace(found, sure=_UNSURE if unsure else 0), text.today)


def _ago(text: DateText, at: int) -> TimePoint | None:
    found = ago(text, at)
    return found if found and (found.exact or found.start == found.end) else None


_AFTER_IN = (_unit, _edge, _part, weekday_of_week)
_DAYS = (
    day_word, _calendar_day, weekday_of_week, weekday, _edge, _unit, _part, ordinal_day,
    _ago,
)  # fmt: skip


FORMS: Sequence[tuple[str, str]] = tuple(table("dates/en")["examples"].items())
"""Accepted forms, separated by commas, and their meaning."""

_LONGEST = 120
_FARTHEST = timedelta(days=36525)


def moment(text: str, now: datetime) -> datetime | None:
    """The moment that ``text`` means relative to ``now``, past or future; None if ambiguous.

    Args:
        text: One of :data:`FORMS`, in any case.
        now: An aware moment; the answer is in its zone.
    """
    plain = folded_with_clocks(text)
    if not plain:
        return None
    try:
        found = _understood(plain, now)
        return found if found and abs(found - now) < _FARTHEST else None
    except (ValueError, OverflowError, OSError):  # OSError: before 1970 in Windows' own zone
        return None


_FURTHER = ("cs", "ko", "nl", "pl", "sv", "tr", "uk")
"""Languages that are left to dateparser."""
_TELLING = re.compile(r"[^\W\d_]{4,}|[\uac00-\ud7af]|(?m:^[^\d\n]*+\d.*[^\W\d_]{3})")
"""A word that names a time, not only a particle."""
_UNORDERED = re.compile(r"(?<![\d/.-])\d{1,2}(?:[/-]|\s+)\d{1,2}(?![\d:.])")
"""Two numbers of which either may be the month."""
_UNITS = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))


def in_further_languages(text: str, now: datetime) -> datetime | None:
    """The moment that ``text`` names in a language without rules here; None if that is not sure.

    dateparser knows all its words, but guesses: "8 uur" is in eight hours for it, and "dnes večer"
    today. So every number has to be part of the result, or its distance from now, which no
    preference may change; a time of day needs minutes; and no longer word may be without effect.
    """
    import dateparser  # noqa: PLC0415 - takes 0.1 s and is rarely needed

    base = now.replace(tzinfo=None, second=0, microsecond=0)

    def read(said: str, prefer: str = "future") -> datetime | None:
        settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": prefer}
        return dateparser.parse(said, languages=_FURTHER, settings=settings)

    found = read(text) if _TELLING.search(text) and not _UNORDERED.search(text) else None
    if found is None or found.tzinfo is not None:
        return None
    numbers = {int(one) for one in re.findall(r"\d+", text)}
    named = {found.day, found.month, found.year, found.hour, found.minute}
    months = (found.year - base.year) * 12 + found.month - base.month
    apart = {months, *((found - base) // unit for unit in _UNITS)}
    is_amount = len(numbers) <= 1 and numbers <= apart and read(text, "past") == found
    is_day = ":" not in text and found.time() in {base.time(), time()}
    is_near = found.date() >= base.date() and (found.year in numbers or found.year - base.year < 2)
    last = monthrange(found.year, found.month)[1]
    is_month = months and found.day == min(base.day, last) and found.day not in numbers
    is_open = is_month and not is_amount
    is_clear = is_day or ":" in text or (found.minute and found.minute in numbers)
    if not is_near or is_open or not (is_amount or (is_clear and numbers <= named)):
        return None
    for word in re.findall(r"[^\W\d_]{4,}", text):
        rest = text.replace(word, " ")
        is_same = read(rest) == found and read(rest, "past") == read(text, "past")
        day = read(word)
        if is_same and (day is None or day.weekday() != found.weekday()):
            return None
    return _at(found.date(), Clock(), now) if is_day else found.replace(tzinfo=now.tzinfo)


_SLASHED = re.compile(r"(?<![\w/.-])(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?![\w/-])")
_HALF_DAY = re.compile(r"(?<![\w:./-])(\d{1,2})(?::(\d{2}))?(?![\w:./-])")


def ambiguity(text: str, now: datetime) -> str:
    """The two times that ``text`` may mean, and how to write them; "" if it is not ambiguous.

    "01/02/2027" is in January or February, "at 8" in the morning or in the evening.
    """
    for found, readings in ((_SLASHED.search(text), _days), (_HALF_DAY.search(text), _halves)):
        if found is None:
            continue
        both = readings(found, now)
        written = [text[: found.start()] + form + text[found.end() :] for _, form in both]
        if both[:1] != both[1:] and all(moment(one, now) for one in written):
            said = " or ".join(shown for shown, _ in both)
            return f"{said}: write " + " or ".join(f'"{one.strip()}"' for one in written)
    return ""


def _days(found: re.Match[str], now: datetime) -> list[tuple[str, str]]:
    """Both days that "01/02/2027" may mean, in words and as they are written clearly."""
    first, second, year = int(found[1]), int(found[3]), found[4]
    whole = int(year) % 2000 + 2000 if year else now.year
    try:
        both = [date(whole, second, first), date(whole, first, second)]
    except ValueError:
        return []
    told = [f"{day.day} {day:%B}" for day in both]
    return [(one, day.isoformat() if year else one) for one, day in zip(told, both, strict=True)]


def _halves(found: re.Match[str], _now: datetime) -> list[tuple[str, str]]:
    """Both hours that "8" may mean, in words and as they are written clearly."""
    hour, minute = int(found[1]), found[2] or "00"
    if not 0 < hour < 12:
        return []
    return [(f"{one}:{minute}", f"{one:02}:{minute}") for one in (hour, hour + 12)]


def _understood(text: str, now: datetime) -> datetime | None:
    read = tokens(text)
    if any("every" in one.means for one in read):  # recurring times are handled by ``rhythm``
        raise Unclear
    parts = tokens(_GLUED.sub(" ", text))
    pieces = duration(parts[1:] if _counts_from_today(parts) else parts)
    if pieces is not None:
        _check_language(read)
        return after(pieces, None, now)
    said_in = any(one.means.keys() & {"in_month", "by"} for one in read)
    read, clock = without_clock(text)
    if not read:
        return _clock_only(clock, now)
    pieces = duration(read)
    if pieces is not None:
        return after(pieces, clock, now)
    found = _day_of(read, now, clock, said_in)
    return _at(*found, now) if found else None


def _counts_from_today(read: Sequence[DateToken]) -> bool:
    """Return whether "today" precedes a duration: "heute in einer Woche"."""
    text = DateText(read, date.min)
    today = text.says(0, "day")
    return today is not None and today.value == 0 and text.says(1, "ahead") is not None


_GLUED = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)")
"""Separator of the parts of "in 1h30m"."""
