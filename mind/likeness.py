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
_WORTH = 0.35
"""Likeness by words alone, or half of words and meaning, from which the surroundings may matter."""
_SPARE = 2
"""The text itself and what it is compared with, which are no neighbours."""


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

    def near(self, which: Filter, most: int) -> list[Entry]:
        """Entries that may be like it: the nearest by words, and as many by meaning."""
        found = self.index.match(query_terms(self.text), which, limit=most, postings=_POSTINGS)
        if self.sense:
            found += self.index.nearest(self.sense, which, most)
        return list({one.id: one for one, _ in found}.values())

    def may_count(self, other: Entry) -> bool:
        """Whether it is worth to look closer; it saves most of the time."""
        plain = similarity(self.text, other.text)
        titles = similarity(title_of(self.text), title_of(other.text))
        cosine = self._cosine(self._sense_of(other.text))
        return max(plain, titles, (plain + cosine) / 2 if cosine else 0.0) >= _WORTH

    def of(self, other: Entry) -> float:
        """How alike the text and an entry are, 0–1 (:func:`mind.similarity.alike`).

        Their titles alone count as well: an approach is the same whatever the reasons.
        """
        sense = self._sense_of(other.text)
        cosine = self._cosine(sense)
        both = {normalise(self.text), normalise(other.text)}
        own = _without(both, self._own if cosine is not None else replace(self._own, near=()))
        others = _without(both, self._neighbours(other.text, sense))
        return max(
            alike(self.text, other.text, own, others, cosine),
            alike(title_of(self.text), title_of(other.text), own, others),
        )

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


def _without(both: Collection[str], found: _Neighbours) -> Surroundings:
    return Surroundings(
        texts=[one for one in found.texts if normalise(one) not in both][:NEIGHBOURS],
        entries=found.entries,
        cosines=[cosine for one, cosine in found.near if normalise(one) not in both],
    )
