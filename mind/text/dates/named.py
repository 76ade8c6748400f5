"""Days by name: "next monday", "end of month", "20 December", "Q1 2027"."""

import re
from datetime import date, datetime, timedelta

from mind.text.dates.clock import Clock, Unclear, wall
from mind.text.dates.days import MONTHS, day_from, days_in
from mind.text.dates.durations import months_later

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
    if not found or found[2] not in MONTHS or not (found[1] or found[3] or edge):
        return None
    year = int(found[3]) if found[3] else today.year
    first = date(year, MONTHS[found[2]], 1)
    days = [
        months_later(one, 1) - timedelta(days=1) if edge and edge["edge"] == "end" else one
        for one in (first, months_later(first, 12))
    ]
    return days[0] if found[3] or days[0] >= today else days[1]
