"""Days as headings name them, in eight languages, without a library."""

import re
from datetime import UTC, date, datetime, tzinfo

MONTHS: dict[str, int] = {}
for _names in (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
):
    MONTHS |= {name: number for number, name in enumerate(_names.split(), 1)}
MONTHS |= {"sept": 9, "mär": 3, "okt": 10, "dez": 12, "ago": 8, "dic": 12, "ene": 1}
MONTH = "(" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")\.?(?!\w)"

_ISO = re.compile(r"(?<![\d.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d])")
_COMPACT = re.compile(r"(?<![0-9A-Za-z])(?:[A-Z]{2,5}-)?((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)")
_EAST = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日?")
_POINTS = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?![\d])")
_DAY_MONTH = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.|º|er)?(?:\s+(?:de|of))?\s+{MONTH},?(?:\s+(?:de|of))?\s+(\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"(?<!\w){MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)", re.IGNORECASE
)


def heading_date(text: str) -> date | None:
    """The day that ``text`` names with year, month and day, in any common form; None if none.

    ``D.M.YYYY`` is day first. ``A/B/YYYY`` counts only when it can be read one way.
    """
    found = _ISO.search(text)
    if found:
        return day_from(found[1], found[3], found[4])
    for pattern, order in (
        (_EAST, (1, 2, 3)),
        (_POINTS, (3, 2, 1)),
        (_DAY_MONTH, (3, 2, 1)),
        (_MONTH_DAY, (3, 1, 2)),
        (_COMPACT, (1, 2, 3)),
    ):
        found = pattern.search(text)
        if found:
            return day_from(*(found[group] for group in order))
    return _slashed(text)


SLASHES = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])")


def _slashed(text: str) -> date | None:
    found = SLASHES.search(text)
    if not found:
        return None
    first, second = int(found[1]), int(found[2])
    if first > 12:
        return day_from(found[3], second, first)
    return day_from(found[3], first, second) if second > 12 or first == second else None


def day_from(year: str | int, month: str | int, day: str | int) -> date | None:
    """The day of three parts, the month by number or name; None if there is no such day."""
    number = MONTHS.get(str(month).casefold()) or (int(month) if str(month).isdigit() else 0)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


def zone(name: str) -> tzinfo:
    """The zone called ``name``; the system's for ``""`` or a name that is unknown here."""
    if name:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only when configured

        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            return zone("")
    return datetime.now(UTC).astimezone().tzinfo or UTC
