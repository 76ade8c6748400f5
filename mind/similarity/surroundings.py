"""How alike two texts are, beyond how alike all is that stands around them in a memory.

Where a hundred entries begin with the same words, two that share these and no others are not the
same. So each text is compared with its neighbours too, and what a pair is alike more than they are
counts. That is CSLS (Conneau et al. 2018, arXiv:1710.04087) with changes: the ranks 6 to 15 count
instead of the first ten, so that an idea that was noted five times is still found the sixth time;
the nearer the pair, the less the neighbours count; and what more than five of them have in common
weighs less than it does elsewhere.

A memory tells that the better the more is in it. It counts as if a hundred more entries were there
of which nothing is known, and an empty one leaves the plain score.

The figures were chosen on the pairs that ``docs/benchmarks`` tells of, by ``tests/bench/pairs.py``.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from mind.entry import normalise
from mind.similarity.direction import opposed
from mind.similarity.score import OPPOSED_AT_MOST, Averaging, stretched
from mind.similarity.words import weight, words

NEIGHBOURS = 40
"""Texts nearest by words that are looked at."""
_FROM, _TO = 5, 15
_UNKNOWN = 100
"""Entries as of which nothing is known."""
_LIGHTEST = 0.05
_STRENGTH = 1.25
_USUAL_BY_WORDS, _USUAL_BY_BOTH = 0.12, 0.24
"""How alike a text and its neighbours are where nothing is known of them."""
_BY_WORDS = ((-1.0, 0.0), (0.0, 0.0), (0.69, 0.60), (0.83, 0.80), (0.91, 0.95), (1.0, 1.0))
_BY_BOTH = ((-1.0, 0.0), (0.0, 0.0), (0.71, 0.60), (0.87, 0.80), (0.91, 0.95), (1.0, 1.0))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is near to a text in a memory, itself and what it is compared with left out.

    Attributes:
        texts: The nearest by words, :data:`NEIGHBOURS` at most.
        entries: How many the memory has.
        cosines: Of the nearest by meaning, the nearest first; none without a model.
    """

    texts: Sequence[str] = ()
    entries: int = 0
    cosines: Sequence[float] = ()


def alike(
    a: str, b: str, around_a: Surroundings, around_b: Surroundings, cosine: float | None = None
) -> float:
    """How alike ``a`` and ``b`` are: 0–1, symmetric; the same text is 1.

    Texts that say opposite things about the same subject never reach .60.

    Args:
        a: A text.
        b: Another one.
        around_a: What is near to ``a``.
        around_b: What is near to ``b``.
        cosine: Of the vectors of both; None without a model.
    """
    if normalise(a) == normalise(b):
        return 1.0
    value = contrast(a, b, around_a, around_b, cosine)
    score = stretched(value, _BY_WORDS if cosine is None else _BY_BOTH)
    return min(score, OPPOSED_AT_MOST) if score > OPPOSED_AT_MOST and opposed(a, b) else score


def contrast(
    a: str, b: str, around_a: Surroundings, around_b: Surroundings, cosine: float | None
) -> float:
    """What :func:`alike` stretches: the mean of words and meaning, less by the neighbours'.

    The nearer two texts are, the less their neighbours matter: the same is the same anywhere.
    """
    average = Averaging(_weights(a, b, {*around_a.texts, *around_b.texts}))
    sides = ((a, around_a), (b, around_b))
    value = average(a, b)
    near = [_neighbourhood([average(text, one) for one in of.texts]) for text, of in sides]
    usual = _USUAL_BY_WORDS
    if cosine is not None:
        value = (value + max(cosine, 0.0)) / 2
        near = [
            (one + _neighbourhood(of.cosines)) / 2 for one, (_, of) in zip(near, sides, strict=True)
        ]
        usual = _USUAL_BY_BOTH
    entries = min(around_a.entries, around_b.entries)
    known = entries / (entries + _UNKNOWN)
    return value - _STRENGTH * known * (sum(near) / 2 - usual) * math.sqrt(max(0.0, 1 - value))


def _neighbourhood(near: Sequence[float]) -> float:
    """The mean of the ranks that count; a neighbour that is not there is as far as can be."""
    return sum(sorted(near, reverse=True)[_FROM:_TO]) / (_TO - _FROM)


def _weights(a: str, b: str, around: Collection[str]) -> Callable[[str], float]:
    """The rarity of the words of two texts, less for those that many of their neighbours have."""
    own = {*words(a), *words(b)}
    having: Counter[str] = Counter()
    for text in around:
        having.update(own.intersection(words(text)))
    of = len(around) + _UNKNOWN

    def weigh(word: str) -> float:
        usual = weight(word)
        others = max(0, having[word] - _FROM)
        here = -math.log((_UNKNOWN * math.exp(-usual) + others) / of)
        return max(_LIGHTEST, min(usual, here))

    return weigh
