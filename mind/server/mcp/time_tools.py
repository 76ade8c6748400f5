"""The toolset ``time``: the current time, and parsing of dates."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from mind.domain.errors import InputError
from mind.server.mcp.tool import Toolset
from mind.text import dates
from mind.text.dates.periods import LANGUAGES, Period, calendar_around, relative, weekday_name

if TYPE_CHECKING:
    from mind.memory.memory import Memory

TIME = Toolset()
_WEEK_STARTS = {"monday": 0, "saturday": 5, "sunday": 6}


@TIME.tool("Now", "Get the current date, time, weekday and time zone.", reads_only=True)
def _now(memory: "Memory", time_zone: str = "") -> str:
    now = memory.now()
    if time_zone and not dates.is_zone(time_zone):
        raise InputError(
            f"unknown time zone {time_zone!r}", remedy='Use an IANA name such as "Europe/Madrid".'
        )
    if time_zone:
        now = now.astimezone(dates.zone(time_zone))
    return f"{_moment(now)}, {now.tzname()}, {calendar_around(now.date()).iso_week}"


@TIME.tool(
    "Parse date",
    "Parse a date expression into days or a point in time: "
    '"last week", "since March", "friday 3pm", "before v1.2".',
    reads_only=True,
)
def _parse_date(memory: "Memory", text: str) -> str:
    found = memory.when(text)
    lines = []
    if found.period:
        lines.append(f"As past days: {_day(found.period.start)} to {_day(found.period.end)}")
    if found.moment:
        label = "Recurs, next at" if found.recurs else "As a future time"
        lines.append(f"{label}: {_moment(found.moment)}")
    return "\n".join([*lines, f"Relative: {found.relative}"])


@TIME.tool("Relative date", 'Express a date in words: "3 days ago".', reads_only=True)
def _relative(
    memory: "Memory", date: str, language: Annotated[str, {"enum": list(LANGUAGES)}] = "en"
) -> str:
    return relative(_meant(memory, date), memory.now(), language)


@TIME.tool(
    "Calendar context",
    "Get the week, month, quarter and year of a day, and the working days before and after it.",
    reads_only=True,
)
def _calendar_context(
    memory: "Memory",
    date: Annotated[str, "Today by default"] = "",
    week_starts: Literal["monday", "saturday", "sunday"] = "monday",
) -> str:
    meant = _meant(memory, date) if date else memory.now()
    day = meant.date() if isinstance(meant, datetime) else meant
    one = calendar_around(day, _WEEK_STARTS[week_starts])
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
    """Parse a date expression; an ISO time without a zone is in the project's zone."""
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
