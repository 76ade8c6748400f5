"""Entries that most need to be verified."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta

from mind.domain.entry import Entry, Kind, Status
from mind.memory import validation, verdicts
from mind.search.results import Verdict
from mind.sources import staleness
from mind.storage.index import Filter, Index
from mind.storage.project import Project

OLD = timedelta(days=90)
"""Age from which an unverified entry should be checked."""
_KINDS = (*sorted(validation.LASTING), Kind.PROBLEM)
_ORDER = ("contradicted", "superseded", "drifted", "stale", "never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An entry that needs a check.

    Attributes:
        entry: The entry.
        why: "contradicted" (recorded so), "superseded" (a later entry replaces it), "drifted"
            (a cited file is gone or changed), "stale" (its last check is old) or "never" (it is
            old and was never checked).
        stale: Reasons to doubt it.
        uses: Number of uses.
    """

    entry: Entry
    why: str
    stale: tuple[str, ...] = ()
    uses: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """Entries that need a check, most urgent first; ``counts`` by reason."""

    owed: tuple[Owed, ...]
    counts: dict[str, int] = field(default_factory=dict)


def owed(project: Project, index: Index, today: date, limit: int) -> Debt:
    """Return entries that state how things are and need a check, most urgent first.

    The order is: contradicted or superseded; a cited file gone or changed; last check old; old and
    never checked. Within each group, the most used come first.
    """
    which = Filter(families=("memory",), kinds=tuple(_KINDS))
    entries = [one for one in index.entries(which) if one.status is not Status.RESOLVED]
    uses = {one: len(days) for one, days in index.usage.days().items()}
    known = verdicts.of_entries(project.root, index, entries, today)
    found = [
        Owed(entry=entry, why=why, stale=known[entry.id].reasons, uses=uses.get(entry.id, 0))
        for entry in entries
        if (why := _why(entry, known[entry.id], today))
    ]
    found.sort(key=_urgency)
    counts = Counter(one.why for one in found)
    return Debt(
        owed=tuple(found[:limit]), counts={why: counts[why] for why in _ORDER if counts[why]}
    )


def _why(entry: Entry, known: Verdict, today: date) -> str:
    state = staleness.verification(entry, today)
    if not known.is_current:
        return known.state
    if verdicts.drift(known):
        return "drifted"
    if state == "stale":
        return "stale"
    is_old = entry.date is not None and today - entry.date > OLD
    return "never" if state == "never" and is_old else ""


def _urgency(one: Owed) -> tuple[int, int, date]:
    return _ORDER.index(one.why), -one.uses, staleness.known_on(one.entry) or date.min
