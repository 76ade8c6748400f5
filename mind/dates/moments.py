"""Moments as people write them.

A small grammar covers what is common and what a general library gets wrong; dateparser is asked
for the rest, in the languages that the text can be in.

    "tomorrow", "tomorrow morning", "tonight", "monday", "next friday 3pm", "weekend"
    "in 30 minutes", "in half an hour", "in 2 weeks", "in 3 business days"
    "next week", "next month", "end of week", "end of month", "eom", "on the 5th"
    "20 December", "December 20, 2026", "2026-12-20", "2026-12-20 14:30", "at 15:30", "noon"
    "Q1 2027", and the same in Spanish, German, French, Portuguese, Russian, Chinese and Japanese

A day without a time of day means 9:00 in the morning.
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta

from mind.dates.days import MONTH, SLASHES, day_from, heading_date

MORNING = time(9, 0)
_LONGEST = 120
_FARTHEST_YEARS = 100

_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon lunes montag lundi segunda-feira понедельник",
            "tuesday tue tues martes dienstag mardi terça-feira вторник",
            "wednesday wed miércoles mittwoch mercredi quarta-feira среду",
            "thursday thu thur thurs jueves donnerstag jeudi quinta-feira четверг",
            "friday fri viernes freitag vendredi sexta-feira пятницу",
            "saturday sat sábado samstag samedi субботу",
            "sunday sun domingo sonntag dimanche воскресенье",
        )
    )
    for name in names.split()
}
_WEEKDAY = "(" + "|".join(sorted(_WEEKDAYS, key=len, reverse=True)) + ")"
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "couple of": 2, "a couple of": 2,
    "half an": 0.5, "half a": 0.5,
}  # fmt: skip
_NUMBER = r"(\d{1,6}(?:\.\d)?|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNITS = {
    "minute": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "hr": timedelta(hours=1),
    "h": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_PARTS_OF_DAY = {
    "morning": time(9),
    "noon": time(12),
    "midday": time(12),
    "afternoon": time(14),
    "evening": time(18),
    "tonight": time(20),
    "night": time(20),
    "midnight": time(0),
}
_CLOCK = re.compile(
    r"(?:^|\s)(?:at\s+)?(?:(\d{1,2})(?::(\d{2}))?\s*(am|pm)|(\d{1,2}):(\d{2})(?::\d{2})?)$"
)
_PART = re.compile(rf"(?:^|\s)(?:in\s+the\s+|this\s+|at\s+)?({'|'.join(_PARTS_OF_DAY)})$")
_DURATION = re.compile(
    rf"(?:in|after)?\s*{_NUMBER}\s+(business\s+days?|workdays?|working\s+days?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?)(?:\s+from\s+now)?$"
)
_NAMED_DAY = re.compile(
    rf"(?:(?:on|this|coming|el|am|na|no|в|во|le)\s+)?"
    rf"(?:next\s+|próximo\s+|próxima\s+|nächsten\s+|kommenden\s+)?{_WEEKDAY}(?:\s+prochain)?$"
)
_DAY_ONLY = re.compile(
    rf"(?:on\s+)?(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?{MONTH}(?:,?\s+(?:de\s+)?(\d{{4}}))?$",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(
    rf"(?:on\s+)?{MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?$", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?:on\s+)?(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)$")
_QUARTER = re.compile(r"q([1-4])(?:\s+(\d{4}))?$")
_ISO_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[t\s]+(\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)\s*(z|[+-]\d{2}:?\d{2})?)?$"
)
_REFUSED = re.compile(r"^\d+([/.,-]\d+)*$|^(?:soon|later|sometime|eventually|someday|asap)\b")


def parse_when(text: str, now: datetime) -> datetime | None:
    """The moment that ``text`` means, seen from ``now``; None if that is not clear.

    Args:
        text: One of the forms in the module's docstring, in any case.
        now: An aware moment; the answer is in its zone and lies after it, or on its day.
    """
    folded = " ".join(text.casefold().split()).strip(" .,!")
    if not folded or len(folded) > _LONGEST:
        return None
    try:
        found = _iso_moment(folded, now) or _moment(folded, now)
        if found is None and _may_be_foreign(folded):
            found = _foreign(folded, now)
    except (ValueError, OverflowError):
        return None
    if found is None or found.year - now.year > _FARTHEST_YEARS:
        return None
    return found if found >= now else None


def _iso_moment(text: str, now: datetime) -> datetime | None:
    found = _ISO_MOMENT.match(text)
    if not found:
        return None
    day = date.fromisoformat(found[1])
    if not found[2]:
        return _on(day, None, now)
    moment = datetime.fromisoformat(f"{found[1]}T{found[2]}")
    if not found[3]:
        return moment.replace(tzinfo=now.tzinfo)
    offset = found[3].replace("z", "+00:00")
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{offset}").astimezone(now.tzinfo)


def _on(day: date, clock: time | None, now: datetime) -> datetime:
    """That day at that time; a day without a time is the morning, today's is the next minute."""
    moment = datetime.combine(day, clock or MORNING, tzinfo=now.tzinfo)
    if clock is None and day == now.date() and moment < now:
        return now
    return moment


def _moment(text: str, now: datetime) -> datetime | None:
    duration = _DURATION.match(text)
    if duration:
        return _after(duration[1], duration[2], now)
    rest, clock = _time_of_day(text)
    if not rest:
        return _clock_only(clock, now) if clock else None
    day = _day_of(rest, now.date())
    if day is None:
        return None
    if clock == time(0) and "midnight" in text:
        day += timedelta(days=1)
    return _on(day, clock, now)


def _time_of_day(text: str) -> tuple[str, time | None]:
    """``text`` without its time of day, and that."""
    if text == "tonight":
        return "today", _PARTS_OF_DAY["tonight"]
    clock = _CLOCK.search(text)
    if clock:
        hour, minute = int(clock[1] or clock[4]), int(clock[2] or clock[5] or 0)
        if clock[3]:
            if not 1 <= hour <= 12:
                raise ValueError(text)
            hour = hour % 12 + (12 if clock[3] == "pm" else 0)
        return _without_at(text[: clock.start()]), time(hour, minute)
    part = _PART.search(text)
    if part:
        return _without_at(text[: part.start()]), _PARTS_OF_DAY[part[1]]
    return text, None


def _without_at(text: str) -> str:
    return re.sub(r"[\s,]*(?:\bat)?$", "", text)


def _clock_only(clock: time, now: datetime) -> datetime:
    today = datetime.combine(now.date(), clock, tzinfo=now.tzinfo)
    return (
        today
        if today > now
        else datetime.combine(now.date() + timedelta(days=1), clock, tzinfo=now.tzinfo)
    )


def _after(number: str, unit: str, now: datetime) -> datetime:
    count = float(_NUMBERS.get(number, 0) or number)
    if unit.startswith(("business", "work")):
        return _on(_business_days(now.date(), int(count)), None, now)
    name = unit.rstrip("s") or unit
    if name == "month":
        return _on(_months_later(now.date(), int(count)), now.timetz().replace(tzinfo=None), now)
    if name == "year":
        day = _months_later(now.date(), 12 * int(count))
        return _on(day, now.timetz().replace(tzinfo=None), now)
    return (now.astimezone(UTC) + _UNITS[name] * count).astimezone(now.tzinfo)


def _business_days(day: date, count: int) -> date:
    weeks, rest = divmod(count, 5)
    day += timedelta(weeks=weeks)
    while rest or day.weekday() > 4:
        day += timedelta(days=1)
        rest -= day.weekday() < 5 and rest > 0
    return day


def _months_later(day: date, count: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _day_of(text: str, today: date) -> date | None:
    relative = _relative_day(text, today)
    if relative is not None:
        return relative
    named = _NAMED_DAY.match(text)
    if named:
        ahead = (_WEEKDAYS[named[1]] - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead)
    quarter = _QUARTER.match(text)
    if quarter:
        return _quarter(int(quarter[1]), quarter[2], today)
    ordinal = _ORDINAL.match(text)
    if ordinal:
        return _next_ordinal(int(ordinal[1]), today)
    return _month_and_day(text, today) or heading_date(text)


def _relative_day(text: str, today: date) -> date | None:
    sunday = today + timedelta(days=6 - today.weekday())
    saturday = today + timedelta(days=(5 - today.weekday()) % 7)
    month_end = date(today.year, today.month, monthrange(today.year, today.month)[1])
    table = {
        "today": today,
        "tomorrow": today + timedelta(days=1),
        "the day after tomorrow": today + timedelta(days=2),
        "day after tomorrow": today + timedelta(days=2),
        "next week": today + timedelta(days=7 - today.weekday()),
        "next month": _months_later(today.replace(day=1), 1),
        "next year": date(today.year + 1, 1, 1),
        "end of month": month_end,
        "end of the month": month_end,
        "eom": month_end,
        "end of week": sunday - timedelta(days=2) if today.weekday() < 5 else sunday,
        "end of the week": sunday - timedelta(days=2) if today.weekday() < 5 else sunday,
        "eow": sunday - timedelta(days=2) if today.weekday() < 5 else sunday,
        "weekend": saturday,
        "this weekend": saturday,
        "the weekend": saturday,
        "next weekend": saturday + timedelta(days=7),
        "end of year": date(today.year, 12, 31),
        "end of the year": date(today.year, 12, 31),
    }
    return table.get(text)


def _quarter(number: int, year: str | None, today: date) -> date:
    first = date(int(year) if year else today.year, 3 * number - 2, 1)
    return first if year or first >= today else first.replace(year=today.year + 1)


def _next_ordinal(day: int, today: date) -> date | None:
    if not 1 <= day <= 31:
        return None
    for months in range(12):
        first = _months_later(today.replace(day=1), months)
        if day <= monthrange(first.year, first.month)[1] and first.replace(day=day) >= today:
            return first.replace(day=day)
    return None


def _month_and_day(text: str, today: date) -> date | None:
    found = _DAY_ONLY.match(text)
    day, month, year = (found[1], found[2], found[3]) if found else ("", "", None)
    if not found:
        found = _MONTH_ONLY.match(text)
        if not found:
            return None
        day, month, year = found[2], found[1], found[3]
    if year:
        return day_from(year, month, day)
    this = day_from(today.year, month, day)
    return this if this and this >= today else day_from(today.year + 1, month, day)


# --- the rest -----------------------------------------------------------------------------

_SCRIPTS = (
    (re.compile(r"[\u3040-\u30ff]"), ["ja"]),
    (re.compile(r"[\u4e00-\u9fff]"), ["zh", "ja"]),
    (re.compile(r"[\u0400-\u04ff]"), ["ru"]),
)
_HINTS = {
    "es": """mañana hoy pasado lunes martes miércoles jueves viernes sábado domingo dentro semana
        próxima próximo días horas""",
    "de": """morgen übermorgen heute montag dienstag mittwoch donnerstag freitag samstag sonntag
        woche nächste nächsten tagen stunden minuten wochen""",
    "fr": """demain après aujourd'hui lundi mardi mercredi jeudi vendredi samedi dimanche dans
        semaine prochaine prochain jours heures""",
    "pt": """amanhã hoje segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado
        domingo semana próxima dias horas daqui""",
    "en": "in next this on by from month year hours days",
}


def _languages(text: str) -> list[str]:
    for script, languages in _SCRIPTS:
        if script.search(text):
            return languages
    words = set(re.findall(r"[\w'-]+", text))
    return [language for language, hints in _HINTS.items() if words & set(hints.split())]


def _may_be_foreign(text: str) -> bool:
    return not _REFUSED.match(text) and not SLASHES.search(text) and bool(_languages(text))


def _foreign(text: str, now: datetime) -> datetime | None:
    import dateparser  # noqa: PLC0415 - a tenth of a second, and rarely asked

    found = dateparser.parse(
        text,
        languages=_languages(text),
        settings={
            "RELATIVE_BASE": now.replace(tzinfo=None),
            "PREFER_DATES_FROM": "future",
            "REQUIRE_PARTS": ["day", "month"],
            "DATE_ORDER": "DMY",
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    if found is None:
        return None
    if found.time() == now.time().replace(tzinfo=None) and not re.search(r"\d", text):
        return _on(found.date(), None, now)
    return found.replace(tzinfo=now.tzinfo)
