"""How alike a text and the entries of a memory are, by words and, with a model, by meaning.

What stands around both in the memory is looked up, since it tells what their likeness is worth
(:mod:`mind.similarity.surroundings`).
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from mind.entry import Entry, normalise, title_of
from mind.index import EVERY, Filter, Index, Sense
from mind.similarity import NEIGHBOURS, Surroundings, alike, similarity
from mind.terms import query_terms

_POSTINGS = 3_000
"""Entries that the rare terms of a text are looked up in."""
_NEAREST = 20
"""Of the nearest by meaning; a few more than count."""
_LOOKED_AT, _COMPARED = 25, 6
"""Entries that are looked at, by words and by meaning, and how many of these closely."""
_WORTH = 0.35
"""Likeness by words alone, or half of words and meaning, from which the surroundings may matter."""
_NEAR, _AS_NEAR = 0.2, 0.6
"""The least cosine of what is about the same, and how near it is at least, of the nearest."""
_HUBNESS, _POOL = 0.3, 40
"""How much it counts that an entry is near to others as well, and how many of them there are."""
_SPARE = 2
"""The text itself and what it is compared with, which are no neighbours."""


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


class Likeness:
    """Compares one text with entries.

    Args:
        index: Up to date.
        text: The text.
        sense: What it means; without it, and with entries that have no vector yet, words decide.
    """

    def __init__(self, index: Index, text: str, sense: Sense | None = None) -> None:
        self.index = index
        self.text = text
        self.sense = sense

    def near(self, which: Filter) -> list[Entry]:
        """Entries that may be like it, by words or by meaning, the nearest first; a few."""
        found = self.index.match(
            query_terms(self.text), which, limit=_LOOKED_AT, postings=_POSTINGS
        )
        if self.sense:
            found += self.index.nearest(self.sense, which, _LOOKED_AT)
        rough = {one.id: (self._roughly(one), one) for one, _ in found}
        worth = sorted(rough.values(), key=lambda pair: -pair[0])[:_COMPARED]
        return [one for score, one in worth if score >= _WORTH]

    def _roughly(self, other: Entry) -> float:
        """How alike they are whatever is around them; it takes a tenth of the time."""
        plain = similarity(self.text, other.text)
        titles = similarity(_approach(self.text), _approach(other.text))
        cosine = self._cosine(self._sense_of(other.text))
        return max(plain, titles, (plain + cosine) / 2 if cosine else 0.0)

    def of(self, other: Entry) -> float:
        """How alike the text and an entry are, 0–1 (:func:`mind.similarity.alike`).

        Their first sentences alone count as well: an approach is the same whatever the reasons.
        """
        sense = self._sense_of(other.text)
        cosine = self._cosine(sense)
        both = {normalise(self.text), normalise(other.text)}
        own = _without(both, self._own)
        others = _without(both, self._neighbours(other.text, sense))
        score = alike(self.text, other.text, own, others, cosine)
        titles = _approach(self.text), _approach(other.text)
        if titles == (self.text, other.text):
            return score
        return max(score, alike(*titles, _approaches(own), _approaches(others), cosine))

    @cached_property
    def _entries(self) -> int:
        return self.index.count()

    @cached_property
    def _own(self) -> "_Neighbours":
        return self._neighbours(self.text, self.sense)

    def _sense_of(self, text: str) -> Sense | None:
        if self.sense is None:
            return None
        vector = self.index.vector(self.sense.vectors, text)
        return None if vector is None else Sense(vector, self.sense.vectors)

    def _cosine(self, other: Sense | None) -> float | None:
        return float(self.sense.vector @ other.vector) if self.sense and other else None

    def _neighbours(self, text: str, sense: Sense | None) -> "_Neighbours":
        words = self.index.match(query_terms(text), limit=NEIGHBOURS + _SPARE, postings=_POSTINGS)
        near = self.index.nearest(sense, EVERY, _NEAREST) if sense else []
        return _Neighbours(
            self._entries,
            tuple(one.text for one, _ in words),
            tuple((one.text, cosine) for one, cosine in near),
        )


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """What is found around a text, which may be itself."""

    entries: int
    texts: tuple[str, ...]
    near: tuple[tuple[str, float], ...]


def _approach(text: str) -> str:
    """The first sentence, without the reasons; a long one is whole."""
    title = title_of(text)
    return text if title.endswith("…") else title


def _approaches(around: Surroundings) -> Surroundings:
    return replace(around, texts=[_approach(one) for one in around.texts])


def _without(both: Collection[str], found: _Neighbours) -> Surroundings:
    return Surroundings(
        texts=[one for one in found.texts if normalise(one) not in both][:NEIGHBOURS],
        entries=found.entries,
        cosines=[cosine for one, cosine in found.near if normalise(one) not in both],
    )
