"""Counts of a memory: size, age, growth, what was checked, and what became of cited paths."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path

from mind.domain.entry import Entry, Layer
from mind.memory import debt, validation, verdicts
from mind.memory.health.report import (
    Counted,
    Drift,
    Drifted,
    Growth,
    Limits,
    Listed,
    Named,
    Superseded,
    Typo,
    Verification,
    Week,
)
from mind.memory.health.signals import monday
from mind.ranking import heat as ageing
from mind.ranking.heat import Band, Uses
from mind.search.results import Verdict
from mind.sources import staleness

_WEEKS = 104
"""Most weeks that growth is told of one by one."""
_NO_DAYS: Sequence[date] = ()

Verdicts = Mapping[str, Verdict]
"""Id of an entry → the verdict on it."""
_STATES = ("contradicted", "superseded", "stale", "unchecked", "checked")
Heats = Mapping[str, float]
"""Id of an entry → how much it is in use, 0–100."""


def heats(entries: Sequence[Entry], used: Mapping[str, Sequence[date]], today: date) -> Heats:
    """Return how much each entry is in use."""
    return {
        one.id: ageing.heat(Uses.of(used.get(one.id, _NO_DAYS), today), one, today)
        for one in entries
    }


def bands(heat: Heats) -> dict[str, int]:
    """Entries in each band, the warmest first."""
    counts = Counter(ageing.band(one) for one in heat.values())
    return {one.value: counts[one] for one in Band}


def states(known: Verdicts) -> dict[str, int]:
    """Entries by the state of their verdict, the worst first."""
    counts = Counter(one.state for one in known.values())
    return {one: counts[one] for one in _STATES}


def superseded(entries: Sequence[Entry], known: Verdicts, limits: Limits) -> Listed[Superseded]:
    """Entries that later ones replace."""
    found = [
        Superseded(Named.of(one), known[one.id].by, known[one.id].reasons[0])
        for one in entries
        if known[one.id].state == "superseded"
    ]
    return Listed.of(found, limits.shown)


def layers(entries: Sequence[Entry]) -> dict[str, int]:
    """Entries of each layer that has any, the most first."""
    counts = Counter(one.layer for one in entries)
    order = list(Layer)
    return {
        one.value: counts[one] for one in sorted(counts, key=lambda k: (-counts[k], order.index(k)))
    }


def expired(entries: Sequence[Entry], today: date) -> int:
    """Entries whose last day is over."""
    return sum(ageing.is_expired(one, today, staleness.verified(one)) for one in entries)


def growth(entries: Sequence[Entry], today: date) -> Growth:
    """Entries by week, from their days; a day to come counts as this week."""
    last = monday(today)
    added = Counter(min(monday(one.date), last) for one in entries if one.date)
    undated = sum(one.date is None for one in entries)
    if not added:
        return Growth(undated=undated)
    start = max(min(added), last - timedelta(weeks=_WEEKS - 1))
    earlier = total = sum(count for week, count in added.items() if week < start)
    weeks = []
    for at in range((last - start).days // 7 + 1):
        week = start + timedelta(weeks=at)
        total += added[week]
        weeks.append(Week(week, added[week], total))
    return Growth(earlier, undated, tuple(weeks))


def verification(
    entries: Sequence[Entry], used: Mapping[str, Sequence[date]], today: date, limits: Limits
) -> Verification:
    """Return what was checked of the entries that say how things are."""
    lasting = [one for one in entries if one.kind in validation.LASTING]
    state = {one.id: staleness.verification(one, today) for one in lasting}
    counts = Counter(state.values())
    owed = [
        Counted(Named.of(one), len(used[one.id]))
        for one in lasting
        if state[one.id] != "fresh" and one.id in used
    ]
    owed.sort(key=lambda one: (-one.times, one.entry.id))
    recent = [
        one
        for one in lasting
        if state[one.id] == "never" and not (one.date and today - one.date > debt.OLD)
    ]
    return Verification(
        never=counts["never"],
        recent=len(recent),
        stale=counts["stale"],
        fresh=counts["fresh"],
        most_used=Listed.of(owed, limits.shown),
    )


def drift(root: Path, entries: Sequence[Entry], known: Verdicts, limits: Limits) -> Drift:
    """Return what became of the paths that entries cite, by their verdicts."""
    at = root.as_posix()
    citing = [one for one in entries if staleness.paths_in(one.text, at)]
    gone: list[Drifted] = []
    changed: list[Drifted] = []
    for one in citing:
        about = verdicts.drift(known[one.id])
        if any(flag.kind == "gone" for flag in about):
            gone.append(Drifted(Named.of(one), about))
        elif about:
            changed.append(Drifted(Named.of(one), about))
    gone.sort(key=lambda one: -len(one.told))
    changed.sort(key=lambda one: _rank(one.told))
    return Drift(
        citing=len(citing),
        gone=len(gone),
        changed=len(changed),
        entries=Listed.of([*gone, *changed], limits.shown),
    )


def _rank(told: Sequence[staleness.Flag]) -> tuple[bool, int]:
    """Return what was renamed or lost first, then what saw the most commits."""
    return all(flag.kind == "commits" for flag in told), -max(flag.commits for flag in told)


_SHORTEST_TAG, _LONGEST_TAG = 4, 40
_SHORT_TAG = 6
"""Letters of a tag up to which only one may differ."""
_DIGIT = re.compile(r"\d")


def typos(entries: Sequence[Entry], limits: Limits) -> list[Typo]:
    """Rare tags that differ from a common one by a letter or two.

    Tags of up to three letters are as often two names (``ui``, ``ux``) as one misspelt, and what
    differs by a digit is (``v1``, ``v2``): neither is told.
    """
    counts = Counter(tag.casefold() for one in entries for tag in dict.fromkeys(one.tags))
    known = [tag for tag in counts if _SHORTEST_TAG <= len(tag) <= _LONGEST_TAG]
    common: dict[str, list[str]] = defaultdict(list)
    for tag in known:
        if counts[tag] >= limits.common:
            for form in _shortened(tag, limits.typo):
                common[form].append(tag)
    found = []
    for tag in known:
        if counts[tag] > limits.rare:
            continue
        near = {other for form in _shortened(tag, limits.typo) for other in common.get(form, ())}
        meant = [other for other in near if _is_typo(tag, other, limits.typo)]
        if meant:
            best = min(meant, key=lambda other: (distance(tag, other), -counts[other], other))
            found.append(Typo(tag, counts[tag], best, counts[best]))
    return sorted(found, key=lambda one: (-one.common_entries, one.tag))


def _is_typo(tag: str, other: str, letters: int) -> bool:
    most = 1 if len(tag) <= _SHORT_TAG else letters
    same_digits = _DIGIT.findall(tag) == _DIGIT.findall(other)
    return same_digits and 0 < distance(tag, other) <= most


def _shortened(tag: str, letters: int) -> set[str]:
    """``tag`` with up to ``letters`` letters left out, in every way."""
    return {
        "".join(letter for at, letter in enumerate(tag) if at not in left)
        for count in range(letters + 1)
        for left in combinations(range(len(tag)), count)
    }


def distance(one: str, other: str) -> int:
    """Letters to add, drop, change or swap with the next to make ``other`` of ``one``.

    That is the Levenshtein distance with swaps of neighbours (optimal string alignment).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, 1):
            cost = min(before[to] + 1, row[-1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and (letter, wanted) == (other[to - 2], one[at - 2]):
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
    return row[-1]
