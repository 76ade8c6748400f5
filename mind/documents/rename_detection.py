"""Pair new entries with those they were edited from by hand; pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest

from mind.domain.entry import Entry
from mind.text.similarity import similarity

ALIKE = 0.6
"""Similarity above which an entry counts as an edit of another."""
_MOST = 10_000
"""Total comparisons: with many changes, each entry is compared with those nearest to it."""
_Pair = tuple[float, int, Entry, Entry]
"""(Negative similarity, distance in lines, old, new) of two entries."""


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
    there: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for one in new:
        there[one.section].append(one)
    most = max(1, _MOST // max(1, len(gone)))
    for old in gone:
        near = [(abs(one.line - old.line), one) for one in there[old.section]]
        for distance, one in nsmallest(most, near, key=lambda pair: pair[0]):
            score = similarity(old.text, one.text)
            if score >= ALIKE:
                yield -score, distance, old, one
