"""Entries that are about the same as a text, by the meaning that a model gives both."""

from mind.domain.entry import Entry
from mind.storage.index import Filter, Index, Sense

_NEAR, _AS_NEAR = 0.2, 0.6
"""The least cosine of what is about the same, and how near it is at least, of the nearest."""
_HUBNESS, _POOL = 0.3, 40
"""How much it counts that an entry is near to others as well, and how many of them there are."""


def by_meaning(index: Index, sense: Sense, which: Filter, most: int) -> list[Entry]:
    """Entries about the same as a text, nearest first; what is near to all others comes later."""
    found = [one for one in index.nearest(sense, which, _POOL) if one[1] >= _NEAR]
    if not found:
        return []
    between = index.cosines(sense.vectors, [one.text for one, _ in found])
    others = max(1, len(found) - 1)
    nearness = []
    for at, (_, cosine) in enumerate(found):
        crowd = sum(between.get((at, other), 0.0) for other in range(len(found)) if other != at)
        nearness.append(cosine - _HUBNESS * crowd / others)
    least = min(max(nearness), _AS_NEAR * max(nearness))
    best = sorted(range(len(found)), key=lambda at: -nearness[at])
    return [found[at][0] for at in best[:most] if nearness[at] >= least]
