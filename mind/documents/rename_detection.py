"""Pairing of a new entry with the one that an edit by hand made it of; pure."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from mind.domain.entry import Entry
from mind.text.similarity import similarity, weight, words

ALIKE = 0.6
"""Similarity from which one is taken for an edit of the other."""
_MOST = 20
"""New entries that one is compared with: those that share the rarest words with it."""
_ALL = 10_000
"""Comparisons in all: where thousands changed at once, each is compared with fewer."""
_COMMON = 200
"""Entries around its place that are looked at for a word that more have."""
_Pair = tuple[float, int, Entry, Entry]
"""How alike two are, negative; how far apart they stand among their like; the old and the new."""


def pairs(gone: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[str, str]]:
    """Ids of entries that are gone, each with that of the new one in its section most like it.

    The most alike are paired first, and each entry once; of equals those that stand nearest.
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
    """Finds, of the new entries of a section, those that share the rarest words with another."""

    def __init__(self, entries: Sequence[Entry], most: int) -> None:
        self.entries = entries
        self._most = most
        self._having: dict[str, list[int]] = defaultdict(list)
        if len(entries) > most:
            for place, one in enumerate(entries):
                for word in frozenset(words(one.text)):
                    self._having[word].append(place)

    def __call__(self, at: int, old: Entry) -> Sequence[int]:
        """Places of those, the best first, as ``old`` stands at the place ``at``."""
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
        """Of many that share a word, those around ``at``."""
        middle = bisect_left(places, at)
        return places[max(0, middle - _COMMON // 2) : middle + _COMMON // 2]
