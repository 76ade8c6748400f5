"""The tools of the toolset ``time``: what time it is, and what words about time mean."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from mind import dates
from mind.dates.relative import LANGUAGES, calendar_context, relative, weekday_name
from mind.dates.understood import When, understand
from mind.errors import InputError
from mind.server.tools import Tool

if TYPE_CHECKING:
    from mind.dates.periods import Period
    from mind.dates.relative import Calendar
    from mind.memory import Memory

_WEEK_STARTS = {"monday": 0, "saturday": 5, "sunday": 6}
_TEXT = {"type": "string"}


def _now(memory: "Memory", given: Mapping[str, Any]) -> str:
    now = memory.now()
    name = given["time_zone"]
    if name and not dates.is_zone(name):
        raise InputError(
            f"unknown time zone {name!r}", remedy='Use an IANA name such as "Europe/Madrid".'
        )
    if name:
        now = now.astimezone(dates.zone(name))
    context = calendar_context(now)
    zone = now.tzname() or "no zone"
    return f"{_moment(now)} {zone} · ISO week {context.iso_week} · Q{context.quarter}"


def _parse_date(memory: "Memory", given: Mapping[str, Any]) -> str:
    return _when(understand(given["text"], memory.now()))


def _relative(memory: "Memory", given: Mapping[str, Any]) -> str:
    now = memory.now()
    return relative(_day_or_moment(given["date"], now), now, given["language"])


def _calendar_context(memory: "Memory", given: Mapping[str, Any]) -> str:
    now = memory.now()
    day = _day_or_moment(given["date"], now) if given["date"] else now
    return _calendar(calendar_context(day, _WEEK_STARTS[given["week_starts"]]))


def _day_or_moment(text: str, now: datetime) -> date:
    """In ISO form, in the zone of ``now`` if it names none; or in words."""
    plain = text.strip()
    try:
        if len(plain) <= 10:
            return date.fromisoformat(plain)
        moment = datetime.fromisoformat(plain)
        return moment.astimezone() if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    except (ValueError, OverflowError, OSError):
        found = understand(text, now)
    return found.moment or found.start or found.end or now


def _moment(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='seconds')} {weekday_name(moment)}"


def _day(day: date | None) -> str:
    return f"{day} ({weekday_name(day)})" if day else "open"


def _days(period: "Period") -> str:
    return f"{period.start} to {period.end}"


def _when(found: When) -> str:
    lines = []
    if found.period:
        lines.append(f"Days, looking back: {_day(found.start)} to {_day(found.end)}")
    if found.moment:
        lines.append(f"Moment, looking ahead: {_moment(found.moment)}")
    return "\n".join([*lines, f"Relative: {found.relative}"])


def _calendar(one: "Calendar") -> str:
    return "\n".join(
        (
            f"{_day(one.day)}, {'weekend' if one.weekend else 'working day'}, day "
            f"{one.day_of_year} of {366 if one.leap_year else 365}",
            f"- week: {one.iso_year}-W{one.iso_week:02}, {_days(one.week)}",
            f"- month: {_days(one.month)}, {one.days_left_in_month} days left",
            f"- quarter: Q{one.quarter}, {_days(one.quarter_days)}, "
            f"{one.days_left_in_quarter} days left",
            f"- year: {one.days_left_in_year} days left",
            f"- working days: {_day(one.previous_working_day)} before, "
            f"{_day(one.next_working_day)} after",
        )
    )


TIME = (
    Tool(
        name="mind_now",
        title="Now",
        description="The date, time, weekday and zone. Use before you write or compare dates.",
        properties={
            "time_zone": _TEXT | {"default": "", "description": "IANA name; the project's if empty"}
        },
        run=_now,
        reads_only=True,
    ),
    Tool(
        name="mind_parse_date",
        title="Parse date",
        description="Which days or moment words mean, in eight languages: last week, in March, "
        "friday 3pm, Q1 2026, since Monday, 2026-03-01..2026-03-31.",
        properties={"text": _TEXT},
        required=("text",),
        run=_parse_date,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_relative",
        title="Relative date",
        description="A date as people say it: 3 days ago, in 2 weeks, last Tuesday.",
        properties={
            "date": _TEXT | {"description": "ISO day or moment, or words"},
            "language": {"type": "string", "enum": list(LANGUAGES), "default": "en"},
        },
        required=("date",),
        run=_relative,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_calendar_context",
        title="Calendar context",
        description="Week, month, quarter and year around a day: first and last days, days left, "
        "ISO week, weekend, working day before and after.",
        properties={
            "date": _TEXT | {"default": "", "description": "ISO day or words; today if empty"},
            "week_starts": {"type": "string", "enum": list(_WEEK_STARTS), "default": "monday"},
        },
        run=_calendar_context,
        reads_only=True,
        idempotent=True,
    ),
)
"""Added to the server as the toolset ``time``."""
