"""Entries that most need to be verified."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from mind.domain.entry import Entry, Kind, Status
from mind.memory import validation
from mind.sources import staleness
from mind.storage.index import Filter, Index
from mind.storage.project import Project

OLD = timedelta(days=90)
"""An entry that nobody checked needs it when it is older."""
_KINDS = (*sorted(validation.LASTING), Kind.PROBLEM)
_ORDER = ("drifted", "stale", "never")
_PART = 500
"""Entries whose paths git is asked for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An entry that needs a check.

    Attributes:
        entry: It.
        why: "drifted" (what it cites is gone or was changed), "stale" (its last check is old) or
            "never" (nobody checked it, and it is old).
        stale: What speaks against it.
        uses: How often it was used.
    """

    entry: Entry
    why: str
    stale: tuple[str, ...] = ()
    uses: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """Entries that need a check, the most urgent first; ``counts``: how many there are, by why."""

    owed: tuple[Owed, ...]
    counts: dict[str, int] = field(default_factory=dict)


def owed(project: Project, index: Index, today: date, limit: int) -> Debt:
    """Entries that say how things are, the ones that most need a check first.

    Those come first of which something that they cite is gone or was changed, then those whose
    check is old, then old ones that were never checked; in each group the most used first.
    """
    which = Filter(families=("memory",), kinds=tuple(_KINDS))
    entries = [one for one in index.entries(which) if one.status is not Status.RESOLVED]
    uses = {one: len(days) for one, days in index.usage.days().items()}
    found = [
        Owed(entry=entry, why=why, stale=stale, uses=uses.get(entry.id, 0))
        for entry, stale in _judged(project, entries, today)
        if (why := _why(entry, stale, today))
    ]
    found.sort(key=_urgency)
    counts = Counter(one.why for one in found)
    return Debt(
        owed=tuple(found[:limit]), counts={why: counts[why] for why in _ORDER if counts[why]}
    )


def _judged(
    project: Project, entries: Sequence[Entry], today: date
) -> Iterator[tuple[Entry, tuple[str, ...]]]:
    for at in range(0, len(entries), _PART):
        part = entries[at : at + _PART]
        yield from zip(part, staleness.of_entries(project.root, part, today), strict=True)


def _why(entry: Entry, stale: Sequence[str], today: date) -> str:
    state = staleness.verification(entry, today)
    if len(stale) > (state == "stale"):  # an old check is told among what speaks against it
        return "drifted"
    if state == "stale":
        return "stale"
    is_old = entry.date is not None and today - entry.date > OLD
    return "never" if state == "never" and is_old else ""


def _urgency(one: Owed) -> tuple[int, int, date]:
    return _ORDER.index(one.why), -one.uses, staleness.known_on(one.entry) or date.min
