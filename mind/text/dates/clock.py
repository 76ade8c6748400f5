"""The time of day: in a text, and on a day."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

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
