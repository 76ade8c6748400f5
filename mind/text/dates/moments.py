"""Moments as people write them.

A small grammar covers what is common and what a general library gets wrong; other languages are
put into its words first. dateparser is asked for what is left of them.

A day without a time of day means 9:00 in the morning, or at once if that is over today. Minutes
and hours are counted exactly, days and longer by the calendar.
"""

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from mind.text.dates.clock import END_OF_DAY, Clock, Unclear, at, clock_only, without_clock
from mind.text.dates.days import fold
from mind.text.dates.durations import after, duration
from mind.text.dates.named import day_of, is_end
from mind.text.dates.words import UNCLEAR, in_english

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
