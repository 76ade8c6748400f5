"""Figures of a memory: age, verifications, usage signals."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from mind.domain.entry import Entry, Kind, Layer, Status
from mind.domain.errors import check_range
from mind.memory import tags, verdicts
from mind.memory.health.report import (
    Drift,
    Drifted,
    EntryCount,
    EntryRef,
    EventCount,
    Markers,
    Superseded,
    Thresholds,
    TopList,
    Typo,
    Verification,
    Warnings,
)
from mind.memory.workspace import Workspace
from mind.search.results import Verdict
from mind.sources import staleness
from mind.storage.events import Event, contradicts
from mind.storage.index import Filter

OLD = timedelta(days=90)
"""Age from which an unverified entry should be checked."""
_ORDER = ("contradicted", "superseded", "drifted", "stale", "never")


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCheck:
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

    owed: tuple[DueCheck, ...]
    counts: dict[str, int] = field(default_factory=dict)


def owed(at: Workspace, limit: int = 20) -> Debt:
    """Return entries that state how things are and need a check, most urgent first.

    The order is: contradicted or superseded; a cited file gone or changed; last check old; old and
    never checked. Within each group, the most used come first.

    Raises:
        InputError: The limit is out of range.
    """
    check_range("limit", limit, 1, 1000)
    today, index = at.visit().now.date(), at.refreshed()
    kinds = tuple(one for one in Kind if one.traits.lasting or one is Kind.PROBLEM)
    which = Filter(families=("memory",), kinds=kinds)
    entries = [one for one in index.entries(which) if one.status is not Status.RESOLVED]
    uses = {one: len(days) for one, days in index.usage.days().items()}
    later = verdicts.successors(index, entries)
    known = verdicts.of_entries(at.project.root, index, entries, today, later)
    found = [
        DueCheck(entry=entry, why=why, stale=known[entry.id].reasons, uses=uses.get(entry.id, 0))
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


def _urgency(one: DueCheck) -> tuple[int, int, date]:
    return _ORDER.index(one.why), -one.uses, staleness.known_on(one.entry) or date.min


_LONGEST_TIMELINE = 20


def contradicted(events: Sequence[Event]) -> dict[str, tuple[Event, tuple[EventCount, ...]]]:
    """Return contradicted entries not verified since, with all actions on them."""
    since: dict[str, Event] = {}
    for event in events:
        wrong = contradicts(event)
        for one in event.ids:
            if wrong:
                since.setdefault(one, event)
            elif wrong is False:
                since.pop(one, None)
    timelines = _timelines(events, since)
    return {one: (event, timelines[one]) for one, event in since.items()}


def _timelines(
    events: Iterable[Event], wanted: Mapping[str, Event]
) -> dict[str, tuple[EventCount, ...]]:
    told: dict[str, list[EventCount]] = {one: [] for one in wanted}
    for event in events:
        if event.name != "search":
            for one in told.keys() & event.ids:
                told[one].append(_happened(event))
    return {one: tuple(happened[-_LONGEST_TIMELINE:]) for one, happened in told.items()}


def _happened(event: Event) -> EventCount:
    what = str(event.data.get("outcome", "")) if event.name == "use" else event.name
    return EventCount(event.at, what or event.name, str(event.data.get("note", "")))


def applied(events: Iterable[Event]) -> list[str]:
    """Return IDs of entries reported as applied, one per use."""
    return [
        one
        for event in events
        if event.name == "use" and event.data.get("outcome") == "applied"
        for one in event.ids
    ]


def markers(events: Iterable[Event]) -> Markers:
    """Count warnings about short-lived statements, and how often they were overridden."""
    told = list(events)
    overridden = [_phrases(event, "overridden") for event in told]
    refused = [_phrases(event, "markers") for event in told if event.name == "refused"]
    return Markers(
        logged=sum(
            event.name == "log" or bool(phrases)
            for event, phrases in zip(told, overridden, strict=True)
        ),
        overridden=sum(map(bool, overridden)),
        phrases=_counted(overridden),
        refused=len(refused),
        refusals=_counted(refused),
    )


def warnings(events: Iterable[Event]) -> Warnings:
    """Count the warnings of each rejection or gotcha, and how often they were overridden."""
    shown: set[tuple[str, str]] = set()
    overridden: set[tuple[str, str]] = set()
    for event in events:
        if event.name in ("warned", "overrode"):
            told = {(event.session, one) for one in event.ids}
        else:
            told = {(event.session, one) for one in _phrases(event, "against")}
        shown |= told
        if event.name != "warned":
            overridden |= told
    times = Counter(identifier for _, identifier in overridden)
    entries = tuple(sorted(times.items(), key=lambda one: (-one[1], one[0])))
    return Warnings(len(shown), len(overridden), entries)


def _phrases(event: Event, key: str) -> list[str]:
    told = event.data.get(key)
    return [str(one) for one in told] if isinstance(told, list) else []


def _counted(phrases: Iterable[Sequence[str]]) -> tuple[tuple[str, int], ...]:
    counts = Counter(phrase.casefold() for one in phrases for phrase in one)
    return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


Verdicts = Mapping[str, Verdict]
"""Verdicts by entry ID."""


def superseded(
    entries: Sequence[Entry], known: Verdicts, limits: Thresholds
) -> TopList[Superseded]:
    """Return entries that later ones supersede."""
    found = [
        Superseded(EntryRef.of(one), known[one.id].by, known[one.id].reasons[0])
        for one in entries
        if known[one.id].state == "superseded" and known[one.id].by
    ]
    return TopList.of(found, limits.shown)


def layers(entries: Sequence[Entry]) -> dict[str, int]:
    """Count entries by layer, the largest first."""
    counts = Counter(one.layer for one in entries)
    order = list(Layer)
    largest = sorted(counts, key=lambda one: (-counts[one], order.index(one)))
    return {one.value: counts[one] for one in largest}


def verification(
    entries: Sequence[Entry], used: Mapping[str, Sequence[date]], today: date, limits: Thresholds
) -> Verification:
    """Return the state of verifications of entries that state how things are."""
    lasting = [one for one in entries if one.kind.traits.lasting]
    state = {one.id: staleness.verification(one, today) for one in lasting}
    counts = Counter(state.values())
    owed = [
        EntryCount(EntryRef.of(one), len(used[one.id]))
        for one in lasting
        if state[one.id] != "fresh" and one.id in used
    ]
    owed.sort(key=lambda one: (-one.times, one.entry.id))
    recent = [
        one
        for one in lasting
        if state[one.id] == "never" and not (one.date and today - one.date > OLD)
    ]
    return Verification(
        never=counts["never"],
        recent=len(recent),
        stale=counts["stale"],
        fresh=counts["fresh"],
        most_used=TopList.of(owed, limits.shown),
    )


def drift(root: Path, entries: Sequence[Entry], known: Verdicts, limits: Thresholds) -> Drift:
    """Return the state of the paths that entries cite, from their verdicts."""
    at = root.as_posix()
    citing = [one for one in entries if staleness.paths_in(one.text, at)]
    gone: list[Drifted] = []
    changed: list[Drifted] = []
    for one in citing:
        about = verdicts.drift(known[one.id])
        if any(flag.kind == "gone" for flag in about):
            gone.append(Drifted(EntryRef.of(one), about))
        elif about:
            changed.append(Drifted(EntryRef.of(one), about))
    gone.sort(key=lambda one: -len(one.told))
    changed.sort(key=lambda one: _rank(one.told))
    return Drift(
        citing=len(citing),
        gone=len(gone),
        changed=len(changed),
        entries=TopList.of([*gone, *changed], limits.shown),
    )


def _rank(told: Sequence[staleness.EntryWarning]) -> tuple[bool, int]:
    """Return the sort key: renamed or lost first, then the most commits."""
    return all(flag.kind == "commits" for flag in told), -max(flag.commits for flag in told)


def typos(entries: Sequence[Entry]) -> list[Typo]:
    """Return rare tags that may misspell a common one (see :func:`mind.memory.tags.like`)."""
    counts = Counter(tag for one in entries for tag in {tag.casefold() for tag in one.tags})
    found = [
        Typo(tag, counts[tag], meant, counts[meant])
        for tag in counts
        if (meant := tags.like(tag, counts))
    ]
    return sorted(found, key=lambda one: (-one.common_entries, one.tag))
