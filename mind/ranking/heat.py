"""Ageing of memories: lifetime, use, and candidates for archiving.

Values and formulas come from chest-memory (heat, risk of forgetting). Nothing here reads a clock
or removes anything. Times are in days.
"""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from mind.domain.entry import (
    DEFAULT_IMPORTANCE,
    ORIGIN,
    RECORD,
    REPOSITORY,
    Entry,
    Layer,
    importance,
    is_pinned,
    iso_day,
)

TTL: Mapping[Layer, int | None] = {
    Layer.GOAL: None,
    Layer.CONTEXT: 30,
    Layer.EMOTION: 14,
    Layer.IMPLEMENTATION: 90,
    Layer.REALIZE: None,
    Layer.LEARNING: 365,
}
"""Lifetime in days of each layer; None: no expiry."""

ARCHIVE_FROM = 200.0
"""Risk from which an unprotected memory is archived."""

_PROTECTED = frozenset({Layer.GOAL, Layer.REALIZE})
_NEVER = "never"


class Band(StrEnum):
    """Warmth class of a memory by heat: from 70, from 40, from 20, and below."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    FROZEN = "frozen"


_BANDS = ((70.0, Band.HOT), (40.0, Band.WARM), (20.0, Band.COLD))


def signals(fields: Mapping[str, str], today: date) -> dict[str, float]:
    """Search signals from an entry's own fields (see ``mind.ranking``).

    "importance" ranges from -1 (lowest) to 1 (pinned, or highest importance); "expired" is -1
    after the ``expires`` date; "imported" is -1 for an imported entry, but for the
    project's own decision records and facts. Missing fields are left out.
    """
    found = {}
    weight = 1.0 if is_pinned(fields) else 2 * (importance(fields) - DEFAULT_IMPORTANCE)
    if weight:
        found["importance"] = weight
    said = _said_day(fields)
    if said is not None and said < today:
        found["expired"] = -1.0
    if not fields.get(ORIGIN, RECORD).startswith((RECORD, REPOSITORY)):
        found["imported"] = -1.0
    return found


def protection(entry: Entry) -> str:
    """Name what protects an entry: "pinned", or the kind or layer of a goal or lesson, or "".

    Protected entries are never archived automatically; a caller needs an explicit override.
    """
    if is_pinned(entry.fields):
        return "pinned"
    layer = entry.layer
    if layer not in _PROTECTED:
        return ""
    return entry.kind.value if entry.kind.traits.layer is layer else layer.value


def is_protected(entry: Entry) -> bool:
    """Return whether the entry is protected (see :func:`protection`)."""
    return bool(protection(entry))


def expires(entry: Entry, since: date | None = None) -> date | None:
    """Last day on which the entry is valid; None if it does not expire.

    Set by ``[expires:: 2026-12-31]`` or ``[expires:: never]``. Without a valid value it is the
    entry's day plus the TTL of its layer; protected or undated entries then do not expire.

    Args:
        entry: The entry.
        since: Start of the lifetime if later than the entry's own day, for example the day of
            the last verification.
    """
    if entry.fields.get("expires", "").strip().lower() == _NEVER:
        return None
    return _said_day(entry.fields) or _outlived(entry, since)


def _said_day(fields: Mapping[str, str]) -> date | None:
    return iso_day(fields.get("expires", "").strip()[:10])


def _outlived(entry: Entry, since: date | None) -> date | None:
    life = None if _is_lasting(entry) else TTL[entry.layer]
    born = max((day for day in (entry.date, since) if day), default=None)
    if life is None or born is None or is_protected(entry):
        return None
    try:
        return born + timedelta(days=life)
    except OverflowError:  # the year 9999 means "always"
        return None


def _is_lasting(entry: Entry) -> bool:
    """Return whether an entry without a date of expiry lasts whatever its layer.

    That is what somebody wrote by hand without a label, and what was imported with the date of its
    source: its age says nothing about its use here.
    """
    return ORIGIN in entry.fields or bool(entry.why and not entry.why.startswith("keyword"))


def is_expired(entry: Entry, today: date, since: date | None = None) -> bool:
    """Return whether the entry's last day (see :func:`expires`) has passed."""
    last = expires(entry, since)
    return last is not None and last < today


class Uses(NamedTuple):
    """Use counts of a memory.

    Attributes:
        last_30: Uses within the last 30 days, including today.
        last_90: Uses within the last 90 days, including the last 30.
        total: All uses.
        last: Day of the last use; None if never used.
    """

    last_30: int = 0
    last_90: int = 0
    total: int = 0
    last: date | None = None

    @classmethod
    def of(cls, days: Iterable[date], today: date) -> "Uses":
        """Count ``days``, one per use, in any order.

        Days after ``today`` (from a wrong clock) count as today.
        """
        ages = [max(0, (today - day).days) for day in days]
        if not ages:
            return cls()
        return cls(
            last_30=sum(age < 30 for age in ages),
            last_90=sum(age < 90 for age in ages),
            total=len(ages),
            last=today - timedelta(days=min(ages)),
        )


def idle(uses: Uses, entry: Entry, today: date) -> int | None:
    """Days since the last use or the entry's own date, whichever is later.

    None if neither is known.
    """
    last = max((day for day in (uses.last, entry.date) if day), default=None)
    return None if last is None else max(0, (today - last).days)


def heat(uses: Uses, entry: Entry, today: date) -> float:
    """Heat of the entry, its current level of use, 0–100.

    The sum of: 3 per use in the last 30 days (at most 30); 1 per use in the last 90 days (at most
    20); recency, +20 up to 7 days after the last use or the entry's date, −10 after more than 90;
    tenure, ½ per use ever (at most 15); importance × 15. Formula: chest-memory, which also uses
    the count of all uses as tenure.
    """
    frequency = min(30, 3 * uses.last_30) + min(20, uses.last_90)
    tenure = min(15.0, 0.5 * uses.total)
    score = frequency + tenure + _recency(idle(uses, entry, today)) + 15 * importance(entry.fields)
    return min(100.0, max(0.0, score))


def _recency(days: int | None) -> int:
    if days is None or 7 < days <= 90:
        return 0
    return 20 if days <= 7 else -10


def band(score: float) -> Band:
    """Band of a heat of 0–100."""
    return next((name for least, name in _BANDS if score >= least), Band.FROZEN)


def risk(uses: Uses, entry: Entry, today: date) -> float:
    """Risk of forgetting: how dispensable the entry is, from 0, unbounded.

    (1 − heat / 100) × (1 − importance) × t (1 + t / 30), where t is the number of days since the
    last use or the entry's date. 0 for protected and undated entries. Formula: chest-memory, after
    Ebbinghaus.
    """
    days = idle(uses, entry, today)
    if days is None or is_protected(entry):
        return 0.0
    dispensable = (1 - heat(uses, entry, today) / 100) * (1 - importance(entry.fields))
    return dispensable * days * (1 + days / 30)
