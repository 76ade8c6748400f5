"""Ageing of memories: their life, their use, and what may be let go of.

Values and formulas are of chest-memory (heat, risk of forgetting); nothing here reads a clock or
removes anything. Times are in days.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from mind.domain.entry import DEFAULT_IMPORTANCE, LAYER_OF, ORIGIN, Entry, Kind, Layer
from mind.domain.entry import importance as _importance
from mind.domain.entry import is_pinned as _pinned

TTL: Mapping[Layer, int | None] = {
    Layer.GOAL: None,
    Layer.CONTEXT: 30,
    Layer.EMOTION: 14,
    Layer.IMPLEMENTATION: 90,
    Layer.REALIZE: None,
    Layer.LEARNING: 365,
}
"""Days that a memory of each layer lives; None: it does not expire."""

COMPRESS_FROM, ARCHIVE_FROM = 50.0, 200.0
"""Risks from which a memory is summarised, and moved to the archive."""

_PROTECTED = frozenset({Layer.GOAL, Layer.REALIZE})
_YES = frozenset({"yes", "true", "on", "1"})
_NEVER = "never"


class Band(StrEnum):
    """The warmth of a memory by its heat: from 70, from 40, from 20, and below."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    FROZEN = "frozen"


class Fate(StrEnum):
    """The fate of a memory by its risk: below 50, from 50, and from 200."""

    KEEP = "keep"
    COMPRESS = "compress"
    ARCHIVE = "archive"


_BANDS = ((70.0, Band.HOT), (40.0, Band.WARM), (20.0, Band.COLD))


def ttl(layer: Layer) -> int | None:
    """Days that a memory of ``layer`` lives; None if it does not expire."""
    return TTL[layer]


def importance(entry: Entry) -> float:
    """Return how important the entry is, 0–1: ``[importance:: 0.9]``, else 0.5.

    A value that is no number, or not within 0–1, is as if it had not been written.
    """
    return _importance(entry.fields)


def is_pinned(entry: Entry) -> bool:
    """Tell whether somebody wants it kept: ``[pinned:: yes]``, or an importance from 0.9."""
    return _pinned(entry.fields)


def signals(fields: Mapping[str, str], today: date) -> dict[str, float]:
    """Return what an entry's fields say for and against it in a search (see ``mind.ranking``).

    "importance" is between -1 (not important at all) and 1 (pinned, or as important as can be);
    "expired" is -1 after the day that ``expires`` names. What is not said is left out.
    """
    found = {}
    weight = 1.0 if _pinned(fields) else 2 * (_importance(fields) - DEFAULT_IMPORTANCE)
    if weight:
        found["importance"] = weight
    said = _said_day(fields)
    if said is not None and said < today:
        found["expired"] = -1.0
    return found


def protection(entry: Entry) -> str:
    """Name what protects an entry: "pinned", or the kind or layer of a goal or lesson, or "".

    Nothing automatic archives a protected entry, and a caller only with an explicit override.
    """
    if is_pinned(entry):
        return "pinned"
    layer = entry.layer
    if layer not in _PROTECTED:
        return ""
    return entry.kind.value if LAYER_OF[entry.kind] is layer else layer.value


def is_protected(entry: Entry) -> bool:
    """Return whether something protects the entry (see :func:`protection`)."""
    return bool(protection(entry))


def expires(entry: Entry, since: date | None = None) -> date | None:
    """The last day on which the entry holds; None if it does not expire.

    ``[expires:: 2026-12-31]`` says it, and ``[expires:: never]``. Without, or if that is no date,
    it is the entry's day and the TTL of its layer; an entry that is protected, or without a day,
    does not expire then.

    Args:
        entry: It.
        since: The day from which its life counts if that is later than its own, such as the day
            on which it was last verified.
    """
    if entry.fields.get("expires", "").strip().lower() == _NEVER:
        return None
    return _said_day(entry.fields) or _outlived(entry, since)


def _said_day(fields: Mapping[str, str]) -> date | None:
    said = fields.get("expires")
    if not said:
        return None
    try:
        return date.fromisoformat(said.strip()[:10])
    except ValueError:
        return None


def _outlived(entry: Entry, since: date | None) -> date | None:
    life = None if _by_a_person(entry) else ttl(entry.layer)
    born = max((day for day in (entry.date, since) if day), default=None)
    if life is None or born is None or is_protected(entry):
        return None
    try:
        return born + timedelta(days=life)
    except OverflowError:  # a year of 9999 stands for "always"
        return None


def _by_a_person(entry: Entry) -> bool:
    """Return whether an entry is a note without the keyword that Mind writes, nor imported."""
    own = bool(entry.why) and not entry.why.startswith("keyword")
    return entry.kind is Kind.NOTE and own and ORIGIN not in entry.fields


def is_expired(entry: Entry, today: date, since: date | None = None) -> bool:
    """Return whether the entry's last day (see :func:`expires`) is over."""
    last = expires(entry, since)
    return last is not None and last < today


@dataclass(frozen=True, slots=True)
class Uses:
    """Counts of the uses of a memory.

    Attributes:
        last_30: Uses within the last 30 days, today's included.
        last_90: Within the last 90 days; those of the last 30 days are among them.
        total: All of them.
        last: Day of the last one; None if there was none.
    """

    last_30: int = 0
    last_90: int = 0
    total: int = 0
    last: date | None = None

    @classmethod
    def of(cls, days: Iterable[date], today: date) -> "Uses":
        """Count ``days``, one a use, in any order.

        Days after ``today`` (of a clock that was wrong) count as today.
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
    """Days since the last use or, if that is later, since the entry was written.

    None if neither is known: then nothing can be said about its age.
    """
    last = max((day for day in (uses.last, entry.date) if day), default=None)
    return None if last is None else max(0, (today - last).days)


def heat(uses: Uses, entry: Entry, today: date) -> float:
    """Return how much the entry is in use, 0–100.

    The sum of: 3 a use of the last 30 days (at most 30); 1 a use of the last 90 days (at most 20);
    recency, +20 up to 7 days after the last use or after it was written, −10 after more than 90;
    tenure, ½ a use ever (at most 15); importance × 15. Formula: chest-memory; what it calls tenure
    is the count of all uses there too.
    """
    frequency = min(30, 3 * uses.last_30) + min(20, uses.last_90)
    tenure = min(15.0, 0.5 * uses.total)
    score = frequency + tenure + _recency(idle(uses, entry, today)) + 15 * importance(entry)
    return min(100.0, max(0.0, score))


def _recency(days: int | None) -> int:
    if days is None or 7 < days <= 90:
        return 0
    return 20 if days <= 7 else -10


def band(score: float) -> Band:
    """The band of a heat of 0–100."""
    return next((name for least, name in _BANDS if score >= least), Band.FROZEN)


def risk(uses: Uses, entry: Entry, today: date) -> float:
    """Return how little would be lost by forgetting the entry, from 0 without a limit.

    It is (1 − heat / 100) × (1 − importance) × t (1 + t / 30), where t are the days since the last
    use or since it was written. 0 for what is protected, and for what has no known day. Formula:
    chest-memory, after Ebbinghaus.
    """
    days = idle(uses, entry, today)
    if days is None or is_protected(entry):
        return 0.0
    return risk_of(heat(uses, entry, today), importance(entry), days)


def risk_of(score: float, weight: float, days: float) -> float:
    """The same of a heat of 0–100, an importance of 0–1 and a number of days."""
    return (1 - score / 100) * (1 - weight) * days * (1 + days / 30)


def fate(at_risk: float) -> Fate:
    """Return what becomes of a memory of such a risk, if nothing protects it."""
    if at_risk >= ARCHIVE_FROM:
        return Fate.ARCHIVE
    return Fate.COMPRESS if at_risk >= COMPRESS_FROM else Fate.KEEP
