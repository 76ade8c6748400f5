"""Moments as people write them.

A small grammar covers what is common and what a general library gets wrong; other languages are
put into its words first. dateparser is asked for what is left of them.

A day without a time of day means 9:00 in the morning, or at once if that is over today. Minutes
and hours are counted exactly, days and longer by the calendar.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from mind.text.dates.days import day_from, days_in, fold, months
from mind.text.dates.periods import months_later
from mind.text.dates.words import UNCLEAR, in_english, numbers

MORNING = time(9)

_PARTS = {
    "morning": time(9), "noon": time(12), "midday": time(12), "afternoon": time(14),
    "end of day": time(17), "end of the day": time(17), "eod": time(17), "evening": time(18),
    "night": time(20), "midnight": time(0),
}  # fmt: skip
_HOURS = {
    "morning": (0, 11), "noon": (11, 14), "midday": (11, 14), "afternoon": (12, 20),
    "end of day": (15, 20), "end of the day": (15, 20), "eod": (15, 20), "evening": (16, 23),
    "night": (18, 23), "midnight": (0, 0),
}  # fmt: skip
"""The first and the last hour that a part of the day can have beside it."""
_PART = re.compile(
    rf"\b(?:in the |at |on the |(this ))?({'|'.join(sorted(_PARTS, key=len, reverse=True))})\b"
)
_CLOCK = re.compile(
    r"(?P<at>(?:\bat|@) ?)?(?<![\w:./-])(?P<hour>\d{1,2})"
    r"(?:[:h](?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?)?"
    r"(?: ?(?P<half>[ap]m)\b)?(?: ?(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})\b)?(?![\w:./])"
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day.

    Attributes:
        at: None if the text names none.
        zone: The offset it was given with.
        today: It is said to be today's.
        floor: If it is over today, it means at once.
        midnight: It is said as such, which leaves open of which day.
        vague: It can be one of the morning or of the evening: "at 5:30".
    """

    at: time | None = None
    zone: tzinfo | None = None
    today: bool = False
    floor: bool = False
    midnight: bool = False
    vague: bool = False


END_OF_DAY = Clock(_PARTS["eod"])


class Unclear(ValueError):
    """Words that can mean two times, so that no other reading of them is tried."""


def without_clock(text: str) -> tuple[str, Clock | None]:
    """``text`` without its time of day, and that; no clock at all if there are several."""
    text = re.sub(r"(\d{4}-\d{2}-\d{2})t(?=\d)", r"\1 ", text)
    if text == "tonight":
        return "today", Clock(_PARTS["night"], floor=True)
    text = re.sub(r"\btonight\b", "today night", text)
    parts = list(_PART.finditer(text))
    rest = _PART.sub(" ", text)
    clocks = [found for found in _CLOCK.finditer(rest) if _is_clock(found, bool(parts))]
    if len(parts) > 1 or len(clocks) > 1:
        return text, None
    part = parts[0][2] if parts else ""
    today = bool(parts and parts[0][1])
    if not clocks:
        named = _PARTS.get(part)
        return " ".join(rest.split()), Clock(named, today=today, midnight=part == "midnight")
    found = clocks[0]
    begin = rest[: found.start()]
    rest = f"{begin} {rest[found.end() :]}"
    clock = Clock(
        _time(found, part),
        _zone(found["zone"]),
        today=today,
        vague=not (part or found["half"] or found["zone"] or _ISO.search(begin))
        and found["hour"] in _HALVED,
    )
    return " ".join(rest.split()), clock


_ISO = re.compile(r"\d{4}-\d{2}-\d{2} ?$")
"""Before a time: that is written with all 24 hours."""
_HALVED = frozenset(map(str, range(1, 12)))
"""Hours of either half of the day, as one of 24 would not be written."""


def _is_clock(found: "re.Match[str]", has_part: bool) -> bool:
    """A number alone is a time only behind "at", and then only if its half of the day is clear."""
    if found["minute"] or found["half"]:
        return True
    return bool(found["at"]) and (has_part or 7 <= int(found["hour"]) <= 23)


def _time(found: "re.Match[str]", part: str) -> time:
    """The time that is meant; in a part of the day, the only one that lies in it."""
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            raise Unclear
        hour = hour % 12 + (12 if found["half"] == "pm" else 0)
    first, last = _HOURS.get(part, (0, 23))
    both = (hour,) if found["half"] or hour >= 12 or not part else (hour, hour + 12)
    meant = [one for one in both if first <= one <= last]
    if len(meant) != 1:
        raise Unclear
    return time(meant[0], minute)


def _zone(text: str | None) -> tzinfo | None:
    if not text:
        return None
    if text[0] not in "+-":
        return UTC
    away = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-away if text[0] == "-" else away)


def clock_only(clock: Clock, now: datetime) -> datetime | None:
    """The next moment at that time: today's, or tomorrow's if that is over.

    Raises:
        Unclear: "at 9:30" at 10:00 may mean this evening.
    """
    if clock.at is None:
        return None
    today = now.astimezone(clock.zone).date() if clock.zone else now.date()
    found = wall(today, clock, now)
    if found > now or clock.today:
        return found
    if clock.vague:
        raise Unclear
    return wall(today + timedelta(days=1), clock, now)


def at(day: date, clock: Clock, now: datetime) -> datetime:
    """That day at that time; see the module for a day without one.

    Raises:
        Unclear: "Tomorrow at midnight" is the beginning or the end of that day; today's is its end.
    """
    if clock.midnight and day != now.date():
        raise Unclear
    if clock.midnight:
        day += timedelta(days=1)
    found = wall(day, clock, now)
    over = found < now and day == now.date()
    return now if over and (clock.at is None or clock.floor) else found


def wall(day: date, clock: Clock, now: datetime) -> datetime:
    """What the clock on the wall shows; an hour that summer time skips moves on by one."""
    local = datetime.combine(day, clock.at or MORNING, tzinfo=clock.zone or now.tzinfo)
    return local.astimezone(UTC).astimezone(now.tzinfo)


_UNITS = {
    "minute": "minute", "min": "minute", "m": "minute", "hour": "hour", "hr": "hour", "h": "hour",
    "day": "day", "d": "day", "week": "week", "wk": "week", "w": "week", "fortnight": "fortnight",
    "month": "month", "mo": "month", "year": "year", "yr": "year", "y": "year",
    "business day": "business day", "working day": "business day", "workday": "business day",
}  # fmt: skip
_UNIT = "(?P<unit>" + "|".join(sorted(_UNITS, key=len, reverse=True)) + r")s?(?![^\W\d])"
_EXACT = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_ONE = re.compile(_UNIT)
_IN = re.compile(r"(?:in|after|within) ")
_FROM_NOW = re.compile(r" (?:from now|from today|later|hence)$")


def duration(text: str) -> list[tuple[float, str]] | None:
    """(count, unit) of each part of "in 2 weeks", "in 1 hour 30 minutes"; None if it is none."""
    plain = _FROM_NOW.sub("", _IN.sub("", text, count=1))
    short = plain == text  # neither "in" nor "from now": "3 days" counts, "3d" and "15h" do not
    if not short and _ONE.match(plain):  # "через час"
        plain = f"1 {plain}"
    found: list[tuple[float, str]] = []
    while plain:
        piece = _piece().match(plain)
        if not piece or (short and len(piece["unit"]) < 3):
            return None
        found.append((_number(piece["number"]), _UNITS[piece["unit"]]))
        plain = re.sub(r"^(?:,|(?: (?:and|y|und|et|e|и)\b))?\s*", "", plain[piece.end() :])
    return found or None


def _piece() -> "re.Pattern[str]":
    words = "|".join(re.escape(word) for word in sorted(numbers(), key=len, reverse=True))
    return re.compile(rf"(?:an? )?(?P<number>\d+(?:[.,]\d+)?|\b(?:{words})\b)[ -]?{_UNIT}")


def _number(text: str) -> float:
    known = numbers().get(text)
    return float(text.replace(",", ".")) if known is None else known


def after(pieces: list[tuple[float, str]], clock: Clock | None, now: datetime) -> datetime | None:
    """The moment so long after ``now``; None for half a month, or hours that end at a time."""
    exact, day = timedelta(), now.date()
    for count, unit in pieces:
        if unit in _EXACT and (unit != "day" or count != int(count)):
            exact += _EXACT[unit] * count
        elif count != int(count):
            return None
        else:
            day = _later(day, int(count), unit)
    if exact and clock:
        return None
    if not exact:
        return at(day, clock or Clock(), now)
    start = datetime.combine(day, now.time(), tzinfo=now.tzinfo)
    return (start.astimezone(UTC) + exact).astimezone(now.tzinfo)


def _later(day: date, count: int, unit: str) -> date:
    if unit == "business day":
        return _business_days(day, count)
    if unit in ("month", "year"):
        return months_later(day, count * (12 if unit == "year" else 1))
    return day + timedelta(days=count * {"day": 1, "week": 7, "fortnight": 14}[unit])


def _business_days(day: date, count: int) -> date:
    weeks, rest = divmod(count, 5)
    day += timedelta(weeks=weeks)
    while rest or day.weekday() > 4:
        day += timedelta(days=1)
        rest -= day.weekday() < 5 and rest > 0
    return day


_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed weds",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
_WEEKDAY = "(?P<weekday>" + "|".join(sorted(_WEEKDAYS, key=len, reverse=True)) + ")"
_NAMED = re.compile(
    r"(?:(?:(?P<this>this)|coming|(?P<in>(?:this|next) week)|(?P<next>next)),? (?:on )?)?"
    rf"{_WEEKDAY}"
    r"(?:,? (?:of )?(?P<week>(?:this|next) week)| (?P<then>next)| coming)?$"
)
_PERIOD = re.compile(
    r"(?:(?P<edge>start|beginning|end) of )?(?:the )?(?:this |(?P<next>next ))?"
    r"(?P<unit>week|month|quarter|year)$"
)
_SHORT = {
    "eow": "end of week",
    "eom": "end of month",
    "eoq": "end of quarter",
    "eoy": "end of year",
}
_OF_MONTH = re.compile(r"(?P<edge>start|beginning|end) of (?:the )?(?=[^\W\d_]{3})")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)$")
_QUARTER = re.compile(r"q([1-4])(?:[ /-]?(\d{4}))?$|(\d{4})[ /-]?q([1-4])$")
_DAY_MONTH = re.compile(
    r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.|er|o|°)? ?(?:of |de )?(?P<m>[^\W\d_]{3,10})\.?$"
    r"|(?P<m2>[^\W\d_]{3,10})\.? (?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?$"
    r"|(?P<d3>\d{1,2})\. ?(?P<m3>\d{1,2})\.$"
)
_MONTH = re.compile(r"(in )?([^\W\d_]{3,10})(?:,? (?:of |de )?((?:19|20|21)\d{2}))?$")


def day_of(text: str, now: datetime, clock: Clock) -> date | None:
    """The day that all of ``text`` names, seen from ``now``.

    Args:
        text: Folded and in English, without a time of day.
        now: Aware.
        clock: The time of day that stood beside it: "friday 5pm" is today on a Friday at noon.

    Raises:
        Unclear: It can be either of two days.
    """
    today = now.date()
    simple = {"yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}.get(text)
    if simple is not None:
        return today + timedelta(days=simple)
    return (
        _named_day(text, now, clock)
        or _period(_SHORT.get(text, text), today)
        or _weekend(text, today)
        or _ordinal(text, today)
        or _quarter(text, today)
        or _calendar_day(text, today)
        or _month(text, today)
    )


def _named_day(text: str, now: datetime, clock: Clock) -> date | None:
    found = _NAMED.match(text)
    if not found:
        return None
    today = now.date()
    number = _WEEKDAYS[found["weekday"]]
    ahead = (number - today.weekday()) % 7
    week = found["in"] or found["week"]
    coming, next_week = ahead or 7, 7 - today.weekday() + number
    if week:
        return today + timedelta(days=next_week - 7 * week.startswith("this"))
    if found["next"] or found["then"]:
        if coming != next_week:
            raise Unclear  # "next friday" on a Wednesday
        return today + timedelta(days=coming)
    if ahead == 0 and clock.at and wall(today, clock, now) > now:
        return today
    if ahead == 0 and found["this"]:
        raise Unclear
    return today + timedelta(days=coming)


def is_end(text: str) -> bool:
    """Whether it names the end of a week or of something longer."""
    return _SHORT.get(text, text).startswith("end of ")


def _period(text: str, today: date) -> date | None:
    found = _PERIOD.match(text)
    if not found or not (found["edge"] or found["next"]):
        return None
    first = _first_of(found["unit"], today, 1 if found["next"] else 0)
    if found["edge"] != "end":
        return first
    if found["unit"] == "week":
        friday = first + timedelta(days=4)
        if friday < today:
            raise Unclear
        return friday
    return _first_of(found["unit"], first, 1) - timedelta(days=1)


def _first_of(unit: str, day: date, ahead: int) -> date:
    if unit == "week":
        return day + timedelta(days=7 * ahead - day.weekday())
    size = {"month": 1, "quarter": 3, "year": 12}[unit]
    return months_later(day.replace(day=1), ahead * size - (day.month - 1) % size)


def _weekend(text: str, today: date) -> date | None:
    if text not in ("weekend", "this weekend", "the weekend", "next weekend"):
        return None
    saturday = today + timedelta(days=5 - today.weekday())
    if text == "next weekend" and saturday > today:
        raise Unclear
    return saturday + timedelta(days=7) if text == "next weekend" else max(saturday, today)


def _ordinal(text: str, today: date) -> date | None:
    found = _ORDINAL.match(text)
    if not found:
        return None
    for ahead in range(9):  # the 31st is never more than two months away, the 29th neither
        first = _first_of("month", today, ahead)
        day = day_from(first.year, first.month, found[1])
        if day and day >= today:
            return day
    return None


def _quarter(text: str, today: date) -> date | None:
    found = _QUARTER.match(text)
    if not found:
        return None
    number, year = int(found[1] or found[4]), found[2] or found[3]
    first = date(int(year) if year else today.year, 3 * number - 2, 1)
    return first if year or first >= today else first.replace(year=today.year + 1)


def _calendar_day(text: str, today: date) -> date | None:
    """A day by number and month, perhaps behind the name of its weekday."""
    weekday = re.match(rf"{_WEEKDAY},? (?:the )?(?=\w)", text)
    plain = text[weekday.end() :] if weekday else text
    day = _whole_day(plain) or _day_without_year(plain, today)
    if day and weekday and day.weekday() != _WEEKDAYS[weekday["weekday"]]:
        return None
    return day


def _whole_day(text: str) -> date | None:
    return next((day for begin, end, day in days_in(text) if (begin, end) == (0, len(text))), None)


def _day_without_year(text: str, today: date) -> date | None:
    found = _DAY_MONTH.match(text)
    if not found:
        return None
    number = found["d"] or found["d2"] or found["d3"]
    month = found["m"] or found["m2"] or found["m3"]
    for year in range(today.year, today.year + 9):  # 29 February may be eight years away
        day = day_from(year, month, number)
        if day and day >= today:
            return day
    return None


def _month(text: str, today: date) -> date | None:
    """The first of "December 2027" or "in December", the last of "end of December"."""
    edge = _OF_MONTH.match(text)
    found = _MONTH.match(text[edge.end() :] if edge else text)
    if not found or found[2] not in months() or not (found[1] or found[3] or edge):
        return None
    year = int(found[3]) if found[3] else today.year
    first = date(year, months()[found[2]], 1)
    days = [
        months_later(one, 1) - timedelta(days=1) if edge and edge["edge"] == "end" else one
        for one in (first, months_later(first, 12))
    ]
    return days[0] if found[3] or days[0] >= today else days[1]


FORMS: Sequence[tuple[str, str]] = (
    ("tomorrow, day after tomorrow, today", "that day at 9:00"),
    ("tomorrow morning, tonight, friday afternoon", "9:00, 20:00, 14:00; evening is 18:00"),
    ("monday, on friday", "the coming one, never today unless a later time is given"),
    ("next monday", "the coming one, unless one of this week is still to come"),
    ("friday 3pm, tomorrow at 15:30, monday noon", "that day at that time"),
    ("at 15:30, noon, 3pm, midnight", "today, or tomorrow if that is over; not at 5 or at 5:30"),
    ("in 30 minutes, in half an hour, in 2 hours", "exactly so long from now"),
    ("in 3 days, in two weeks, in a month", "that day at 9:00"),
    ("in 3 business days", "Monday to Friday, without holidays"),
    ("next week, next month, next quarter, next year", "its first day"),
    ("monday next week, next week friday", "the day of that week, Monday first"),
    ("end of week, end of month, end of year, eom", "Friday, the last day, at 17:00"),
    ("end of november, beginning of december", "the last day of it at 17:00, the first"),
    ("weekend", "its Saturday"),
    ("eod, tomorrow eod", "17:00"),
    ("20 December, December 20, on the 5th", "the next such day"),
    ("20 December 2027, 20.12.2027, December 2027", "that day; the first of that month"),
    ("2027-12-20, 2027-12-20 14:30, 2027-12-20T14:30Z", "with or without an offset"),
    ("20/12/2027", "only where day and month cannot be mistaken: not 01/02/2027"),
    ("Q1 2028", "the quarter's first day"),
    ("every monday, every weekday at 9, every 2 weeks", "each time anew"),
    ("every first of the month, every 20 december", "the same"),
    ("mañana, übermorgen, demain à 15h, amanhã, завтра, 下周一, 明日", "the same in 7 languages"),
)
"""Accepted forms, separated by commas, and what they mean."""

_LONGEST = 120
_FARTHEST = timedelta(days=36525)
_FILLERS = re.compile(r"^(?:(?:on|by|at|the|of|from)\b ?)+|[ ,]+(?:on|at|by|of|the)?$|^[ ,]+")


def moment(text: str, now: datetime) -> datetime | None:
    """The moment that ``text`` means, seen from ``now``, over or not; None if it is not clear.

    Args:
        text: One of :data:`FORMS`, in any case.
        now: An aware moment; the answer is in its zone.
    """
    folded = " ".join(fold(text[: 2 * _LONGEST]).split()).rstrip("!,;").rstrip()
    if not folded or len(folded) > _LONGEST or not re.search(r"\w", folded):
        return None
    try:
        english = in_english(folded)
        found = _understood(english, now)
        if found is None and not _CLOCK_FACE.search(english):
            found = _foreign(folded, now)
        return found if found and abs(found - now) < _FARTHEST else None
    except (ValueError, OverflowError, OSError):  # OSError: before 1970 in Windows' own zone
        return None


def _understood(text: str, now: datetime) -> datetime | None:
    if UNCLEAR in text or "every" in text.split():  # what comes back is for ``repeats``
        raise Unclear
    pieces = duration(text)
    if pieces is not None:
        return after(pieces, None, now)
    rest, clock = without_clock(text)
    if clock is None:
        return None
    if clock.vague and clock.at and clock.at.hour < 7:
        raise Unclear
    rest = _FILLERS.sub("", _FILLERS.sub("", rest))
    if not rest:
        return clock_only(clock, now)
    pieces = duration(rest)
    if pieces is not None:
        return after(pieces, clock, now)
    day = day_of(rest, now, clock)
    if day and clock.at is None and is_end(rest):
        clock = END_OF_DAY
    return at(day, clock, now) if day else None


# --- the rest -----------------------------------------------------------------------------

_CLOCK_FACE = re.compile(r"\bat \d|\d[:h]\d")
"""With a time of day dateparser guesses: "morgen um 15 uhr" is 16:00 to it."""
_HINTS = {
    "es": "hace dentro dia dias semana semanas hora horas minutos mes meses ano anos",
    "de": "vor tag tage tagen woche wochen stunde stunden minuten monat monate monaten jahr jahren",
    "fr": "dans jour jours semaine semaines heure heures mois ans",
    "pt": "ha daqui dia dias semana semanas hora horas minutos mes meses ano anos",
}


_LINKS = frozenset("a al de del du e el en et la le o os um und y в и с in on today".split())
"""Words that a date can do without, or what they are in English."""


def _languages(folded: str) -> list[str]:
    """What the text can be in; Chinese and Japanese dates are misread too often to be asked for."""
    if re.search("[\u0400-\u04ff]", folded):
        return ["ru"]
    words = set(re.findall(r"\w+", folded))
    return [language for language, hints in _HINTS.items() if words & set(hints.split())]


def _foreign(folded: str, now: datetime) -> datetime | None:
    languages = _languages(folded)
    if not languages:
        return None
    found = _guessed(folded, languages, now)
    if found in {None, now.replace(tzinfo=None)}:  # "this week" is not now
        return None
    if not _is_all_consumed(folded, languages, now, found):
        return None
    if found.time() in (now.time(), time()):
        return at(found.date(), Clock(), now)
    return found.replace(tzinfo=now.tzinfo)


def _guessed(folded: str, languages: list[str], now: datetime) -> datetime | None:
    import dateparser  # noqa: PLC0415 - a tenth of a second, and rarely asked

    return dateparser.parse(
        folded,
        languages=languages,
        settings={
            "RELATIVE_BASE": now.replace(tzinfo=None),
            "PREFER_DATES_FROM": "future",
            "REQUIRE_PARTS": ["day", "month"],
            "DATE_ORDER": "DMY",
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )


def _is_all_consumed(folded: str, languages: list[str], now: datetime, found: datetime) -> bool:
    """Whether each word counts: dateparser passes over what it does not know ("завтра в 5")."""
    words = folded.split()
    rests = (
        " ".join((*words[:at], *words[at + 1 :]))
        for at, word in enumerate(words)
        if word not in _LINKS and in_english(word) not in _LINKS
    )
    return all(_guessed(rest, languages, now) != found for rest in rests if rest)
