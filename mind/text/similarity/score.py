"""How alike two texts are, from 0 to 1, calibrated so that the thresholds mean what they say.

Three overlaps of TF-IDF vectors are averaged: of words, of characters, and how much of the shorter
text the longer one covers. The average is then stretched, so that .60, .80 and .95 stand where,
on pairs of bug titles, changelog lines and commits that people had marked as the same or not, four
fifths, nine tenths and nearly all of what is called the same is the same.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from mind.domain import caching
from mind.domain.entry import normalise
from mind.text.similarity.direction import opposed
from mind.text.similarity.words import weight, words

_WEIGHTS = (0.3, 0.2, 0.5)
_STRETCH = ((0.0, 0.0), (0.70, 0.60), (0.83, 0.80), (0.95, 0.95), (1.0, 1.0))
_MOST_CHARACTERS = 4_000
_ROUNDING = 1e-9
OPPOSED_AT_MOST = 0.45

Vector = dict[str, float]


def _weighed(text: str) -> Vector:
    counts = Counter(words(text[:_MOST_CHARACTERS]))
    return {word: (1 + math.log(count)) * weight(word) for word, count in counts.items()}


@caching.of_texts
def _words_of(text: str) -> Vector:
    return _unit(_weighed(text))


@caching.of_texts
def _grams_of(text: str) -> Vector:
    return _grams(_weighed(text))


def _grams(weighed: Vector) -> Vector:
    """Of three and four characters, scaled to length one."""
    grams: Vector = {}
    for word, value in weighed.items():
        padded = f" {word} "
        share = [padded[at : at + size] for size in (3, 4) for at in range(len(padded) - size + 1)]
        for gram in share or [padded]:
            grams[gram] = grams.get(gram, 0.0) + value / math.sqrt(len(share) or 1)
    return _unit(grams)


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {key: value / length for key, value in vector.items()} if length else {}


def _dot(a: Vector, b: Vector) -> float:
    if len(a) > len(b):
        a, b = b, a
    return sum(value * b[key] for key, value in a.items() if key in b)


def _covered(a: Vector, b: Vector) -> float:
    """How much of the smaller vector's squared weight is in the other; of two alike, the most."""
    sides = [(a, b), (b, a)]
    fewest = min(len(a), len(b))
    return max(
        sum(value * value for key, value in one.items() if key in other)
        for one, other in sides
        if len(one) == fewest
    )


def features(a: str, b: str) -> list[float]:
    """Cosine of words, cosine of characters, and coverage of the shorter text, each 0–1."""
    words_a, words_b = _words_of(a), _words_of(b)
    if not words_a or not words_b:
        return [0.0, 0.0, 0.0]
    return [
        _dot(words_a, words_b),
        _dot(_grams_of(a), _grams_of(b)),
        _covered(words_a, words_b),
    ]


def may_reach(a: str, b: str, least: float) -> bool:
    """Whether :func:`similarity` can be ``least`` or more.

    False is sure, and takes a third of its time: words alone tell it.
    """
    words_a, words_b = _words_of(a), _words_of(b)
    if not words_a or not words_b:
        return True
    by_word, by_character, covered = _WEIGHTS
    most = by_word * _dot(words_a, words_b) + by_character + covered * _covered(words_a, words_b)
    return _stretched(min(most + _ROUNDING, 1.0)) >= least


def similarity(a: str, b: str) -> float:
    """How alike ``a`` and ``b`` are: 0–1, symmetric; the same text is 1.

    Texts that say opposite things about the same subject never reach .60.
    """
    if normalise(a) == normalise(b):
        return 1.0
    average = sum(w * v for w, v in zip(_WEIGHTS, features(a, b), strict=True))
    score = _stretched(min(average, 1.0))
    return min(score, OPPOSED_AT_MOST) if score > OPPOSED_AT_MOST and opposed(a, b) else score


def _stretched(average: float) -> float:
    return stretched(average, _STRETCH)


def stretched(value: float, knots: Sequence[tuple[float, float]]) -> float:
    """Piecewise linear between ``knots``, the last of which is the most there is."""
    for (x0, y0), (x1, y1) in pairwise(knots):
        if value <= x1:
            return y0 + (y1 - y0) * (value - x0) / (x1 - x0)
    return knots[-1][1]  # pragma: no cover - only by rounding
