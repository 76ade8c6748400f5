"""Pair new entries with those they were edited from by hand; pure."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from mind.domain.entry import Entry
from mind.text.similarity import similarity, weight, words

ALIKE = 0.6
"""Similarity above which an entry counts as an edit of another."""
_MOST = 20
"""New entries compared per removed one: those that share its rarest words."""
_ALL = 10_000
"""Total comparisons: with thousands of changes, each entry gets fewer."""
_COMMON = 200
"""Neighbouring entries considered for a word that more entries have."""
_Pair = tuple[float, int, Entry, Entry]
"""(Negative similarity, distance in position, old, new) of two entries."""


def pairs(gone: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[str, str]]:
    """Pairs of ids: removed entry, and the most similar new one of its section.

    The most similar pair first, each entry once; ties go to the nearest.
    """
    scored = sorted(_scored(gone, new), key=lambda pair: (*pair[:2], pair[2].line, pair[3].line))
    taken: set[str] = set()
    found: list[tuple[str, str]] = []
    for _, _, old, one in scored:
        if taken.isdisjoint((old.id, one.id)):
            taken |= {old.id, one.id}
            found.append((old.id, one.id))
    return found


def _scored(gone: Sequence[Entry], new: Sequence[Entry]) -> Iterator[_Pair]:
    there = _by_section(new)
    most = min(_MOST, max(1, _ALL // max(1, len(gone))))
    for section, olds in _by_section(gone).items():
        near = _Near(there.get(section, ()), most)
        for at, old in enumerate(olds):
            for place in near(at, old):
                score = similarity(old.text, near.entries[place].text)
                if score >= ALIKE:
                    yield -score, abs(place - at), old, near.entries[place]


def _by_section(entries: Sequence[Entry]) -> dict[tuple[str, ...], list[Entry]]:
    found: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for one in sorted(entries, key=lambda one: one.line):
        found[one.section].append(one)
    return found


class _Near:
    """Finds the new entries of a section that share the rarest words with a given one."""

    def __init__(self, entries: Sequence[Entry], most: int) -> None:
        self.entries = entries
        self._most = most
        self._having: dict[str, list[int]] = defaultdict(list)
        if len(entries) > most:
            for place, one in enumerate(entries):
                for word in frozenset(words(one.text)):
                    self._having[word].append(place)

    def __call__(self, at: int, old: Entry) -> Sequence[int]:
        """Positions of those, best first, for ``old`` at position ``at``."""
        if len(self.entries) <= self._most:
            return range(len(self.entries))
        shared: dict[int, float] = defaultdict(float)
        for word in sorted(frozenset(words(old.text))):
            for place in self._nearest(self._having.get(word, ()), at):
                shared[place] += weight(word)
        found = sorted(shared, key=lambda place: (-shared[place], abs(place - at), place))
        return found[: self._most]

    @staticmethod
    def _nearest(places: Sequence[int], at: int) -> Sequence[int]:
        """Of many positions that share a word, those around ``at``."""
        middle = bisect_left(places, at)
        return places[max(0, middle - _COMMON // 2) : middle + _COMMON // 2]
