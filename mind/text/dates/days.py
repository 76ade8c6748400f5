"""Parse days in headings, in nine languages, without a library."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache

from mind.text import languages, lazy_pattern, table

_DASHES = str.maketrans("‐‑‒–—−", "------")
_LONGEST = 400
_OPENING = 48
_YEAR = r"(?P<y>(?:19|20|21)\d{2})"
_WORD = r"(?P<m>[^\W\d_]{3,10})"
_DAY = r"(?P<d>\d{1,2})"
_GAP = r"(?:\s{1,3}|[./-])"
_PATTERNS = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d.]){_YEAR}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s){_DAY}(?!\d|\.\d)",
        rf"{_YEAR}\s?年\s?(?P<m>\d{{1,2}})\s?月\s?{_DAY}(?!\d)",
        rf"(?<![\d.]){_DAY}\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}(?!\d|\.\d)",
        rf"(?<!\w){_DAY}(?:st|nd|rd|th|er|o|°|\.|-?го)?{_GAP}?(?:(?:de|of)\s)?{_WORD}\.?,?{_GAP}?(?:(?:del?|of)\s)?{_YEAR}(?!\d)",
        rf"(?<!\w){_WORD}\.?{_GAP}{_DAY}(?:st|nd|rd|th)?(?:,?{_GAP}|,){_YEAR}(?!\d)",
        rf"(?<![\d.]){_YEAR},?{_GAP}{_WORD}\.?{_GAP}{_DAY}(?:st|nd|rd|th)?(?!\w)",
        # 20261120 is a day only behind a label (LRN-20261120-001) or before a time.
        rf"(?:(?<=[a-z][-_])|(?<!\w)(?=\d{{8}}[t_-]\d)){_YEAR}(?P<m>\d\d)(?P<d>\d\d)(?!\d)",
        rf"(?<![\d./-])(?P<a>\d{{1,2}})(?P<s>[-/])(?P<b>\d{{1,2}})(?P=s){_YEAR}(?!\d)",
    )
)


def fold(text: str) -> str:
    """``text`` in lower case with plain digits, spaces and dashes, and without accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(mark for mark in apart if not "\u0300" <= mark <= "\u036f")
    return unicodedata.normalize("NFC", bare).translate(_DASHES)


def said_in(forms: str) -> list[str]:
    """The forms in a line of a language's file."""
    return [" ".join(form.split()) for form in forms.split(",")]


def month_names(language: str, length: str) -> Iterator[tuple[str, int]]:
    """The names of months in a language, ``full`` or ``short``, folded, with their number."""
    for names in table(f"dates/{language}").get("months", {}).get(length, ()):
        for number, forms in enumerate(names.split(), 1):
            yield from ((fold(name), number) for name in forms.split("|"))


@cache
def months() -> dict[str, int]:
    """Month names and their abbreviations in every language, folded, to 1–12."""
    lengths = ("full", "short")
    return {
        name: number
        for language in languages("dates")
        for length in lengths
        for name, number in month_names(language, length)
    }


@cache
def weekdays() -> frozenset[str]:
    """Names and abbreviations of weekdays in every language, folded."""
    return frozenset(
        fold(name)
        for language in languages("dates")
        for kind, forms in table(f"dates/{language}").get("meanings", {}).items()
        if "weekday" in kind
        for name in said_in(forms)
    )


def heading_date(text: str) -> date | None:
    """The first day that ``text`` gives with year, month and day, in any common form.

    ``D.M.YYYY`` is day first. ``A/B/YYYY`` and ``A-B-YYYY`` count only if
    unambiguous. Two-digit years, invalid days and bare numbers are not dates.
    """
    found = min(days_in(fold(text[:_LONGEST])), default=None)
    return found[2] if found else None


def only_day(text: str) -> date | None:
    """The day that ``text`` is, with year, month and day, beside at most a name of a weekday."""
    folded = fold(text[:_LONGEST])
    start, end, day = min(days_in(folded), default=(0, 0, None))
    beside = re.findall(r"[^\W_]+", f"{folded[:start]} {folded[end:].lstrip('日号')}")
    return day if weekdays().issuperset(beside) else None


def leading_day(text: str) -> date | None:
    """The day with which ``text`` begins, behind at most a weekday, marks and brackets."""
    folded = fold(text[:_OPENING])
    start, _, day = min(days_in(folded), default=(0, 0, None))
    return day if weekdays().issuperset(re.findall(r"[^\W_]+", folded[:start])) else None


def days_in(folded: str) -> Iterator[tuple[int, int, date]]:
    """(start, end, day) of each day in a folded text, in no particular order."""
    if not re.search(r"\d{4}", folded):
        return
    for pattern in _PATTERNS:
        for found in pattern.finditer(folded):
            day = _day(found)
            if day:
                yield found.start(), found.end(), day


def _day(found: "re.Match[str]") -> date | None:
    parts = found.groupdict()
    if "m" in parts:
        return day_from(parts["y"], parts["m"], parts["d"])
    first, second = int(parts["a"]), int(parts["b"])
    if first > 12:
        return day_from(parts["y"], second, first)
    return day_from(parts["y"], first, second) if second > 12 or first == second else None


def day_from(year: str | int, month: str | int, day: str | int) -> date | None:
    """Build a day from its parts, the month as number or folded name; None if invalid."""
    number = int(month) if str(month).isdecimal() else months().get(str(month), 0)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


class _System(tzinfo):
    """The machine's zone, evaluated for each moment, so that daylight saving time is right.

    ``datetime.astimezone()`` alone gives today's fixed offset, wrong half a year from now.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        local = moment.replace(tzinfo=None).astimezone() if moment else datetime.now(UTC)
        return local.utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:  # noqa: ARG002 - the interface's
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        local = moment.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=self, fold=0)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)

    def __repr__(self) -> str:
        return "system"


_SYSTEM = _System()


def is_zone(name: str) -> bool:
    """Return whether this machine knows a zone of that name."""
    return zone(name) is not _SYSTEM


def zone(name: str) -> tzinfo:
    """The zone ``name``; the system's for ``""`` or an unknown name."""
    if not name:
        return _SYSTEM
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only when configured

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _SYSTEM
