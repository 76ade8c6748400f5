"""The tools of the toolset ``time``: what time it is, and what words about time mean."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from mind.domain.errors import InputError
from mind.server.mcp.tool import TEXT, Tool
from mind.text import dates
from mind.text.dates.periods import LANGUAGES, Period, calendar_around, relative, weekday_name

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.text.dates.periods import Period

_WEEK_STARTS = {"monday": 0, "saturday": 5, "sunday": 6}


def _now(memory: "Memory", given: Mapping[str, Any]) -> str:
    now = memory.now()
    name = given["time_zone"]
    if name and not dates.is_zone(name):
        raise InputError(
            f"unknown time zone {name!r}", remedy='Use an IANA name such as "Europe/Madrid".'
        )
    if name:
        now = now.astimezone(dates.zone(name))
    return f"{_moment(now)}, {now.tzname()}, {calendar_around(now.date()).iso_week}"


def _parse_date(memory: "Memory", given: Mapping[str, Any]) -> str:
    found = memory.when(given["text"])
    lines = []
    if found.period:
        lines.append(f"Days, looking back: {_day(found.period.start)} to {_day(found.period.end)}")
    if found.moment:
        lines.append(f"Moment, looking ahead: {_moment(found.moment)}")
    return "\n".join([*lines, f"Relative: {found.relative}"])


def _relative(memory: "Memory", given: Mapping[str, Any]) -> str:
    return relative(_meant(memory, given["date"]), memory.now(), given["language"])


def _calendar_context(memory: "Memory", given: Mapping[str, Any]) -> str:
    meant = _meant(memory, given["date"]) if given["date"] else memory.now()
    day = meant.date() if isinstance(meant, datetime) else meant
    one = calendar_around(day, _WEEK_STARTS[given["week_starts"]])
    kind = "weekend" if day.weekday() > 4 else "working day"
    return "\n".join(
        (
            f"{_day(day)}, {kind}, day {day.timetuple().tm_yday} of the year",
            f"- week: {one.iso_week}, {_days(one.week, day)}",
            f"- month: {_days(one.month, day)}",
            f"- quarter: Q{(day.month + 2) // 3}, {_days(one.quarter, day)}",
            f"- year: {_days(one.year, day)}",
            f"- working day before: {_day(one.working_day_before)}",
            f"- working day after: {_day(one.working_day_after)}",
        )
    )


def _meant(memory: "Memory", text: str) -> date:
    """A day or moment in ISO form, in the project's zone if it names none; or in words."""
    plain, now = text.strip(), memory.now()
    try:
        if len(plain) <= 10:
            return date.fromisoformat(plain)
        moment = datetime.fromisoformat(plain)
        return (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)).astimezone(
            now.tzinfo
        )
    except (ValueError, OverflowError, OSError):
        found = memory.when(text)
    return found.moment or found.day


def _moment(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='seconds')} {weekday_name(moment)}"


def _day(day: date | None) -> str:
    return f"{day} ({weekday_name(day)})" if day else "open"


def _days(period: "Period", day: date) -> str:
    left = (period.end - day).days if period.end else 0
    return f"{period.start} to {period.end}, {left} {'day' if left == 1 else 'days'} left"


TIME = (
    Tool(
        name="mind_now",
        title="Now",
        description="Date, time, weekday, zone.",
        properties={"time_zone": TEXT | {"default": ""}},
        run=_now,
        reads_only=True,
    ),
    Tool(
        name="mind_parse_date",
        title="Parse date",
        description='Which days or moment words mean: "last week", "since March", "friday 3pm", '
        '"before v1.2".',
        properties={"text": TEXT},
        required=("text",),
        run=_parse_date,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="mind_relative",
        title="Relative date",
        description='A date as people say it: "3 days ago".',
        properties={
            "date": TEXT,
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
        description="Week, month, quarter and year around a day, and working days beside it.",
        properties={
            "date": TEXT | {"default": "", "description": "Today if empty"},
            "week_starts": {"type": "string", "enum": list(_WEEK_STARTS), "default": "monday"},
        },
        run=_calendar_context,
        reads_only=True,
        idempotent=True,
    ),
)
