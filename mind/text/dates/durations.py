"""How long from now: "in 30 minutes", "in 3 business days"."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta

from mind.text.dates.clock import Clock, at
from mind.text.dates.words import numbers

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


def months_later(day: date, count: int) -> date:
    """The same day ``count`` months later, or the last of that month if it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
