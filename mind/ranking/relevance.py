"""How likely it is that an entry answers the query.

Scores compare the candidates of one query with each other: the best of several that are no answer
has a high one too. So what it shares with the query counts as well. The figures are a logistic
regression on hits for questions about conversations and for changelog lines, and for the same
queries put to the other memory, where nothing is an answer; ``docs/benchmarks`` says how well they
hold.
"""

from math import exp
from typing import Literal

Relevance = Literal["high", "medium", "low"]

_HIGH, _MEDIUM = 0.5, 0.15
_ALL = 0.999


def likelihood(score: float, covered: float, cosine: float | None) -> float:
    """The probability that an entry answers.

    Args:
        score: Its score, 0–1.
        covered: Share of the query's terms that it has, rarer ones counting more.
        cosine: Of its vector and the query's, if both are known.
    """
    if cosine is None:
        fitted = _logistic(12.1 * score + 1.3 * covered - 8.6)
    else:
        fitted = _logistic(11.7 * score + 0.4 * covered + 4.8 * cosine - 10.9)
    # queries of those sets are sentences; an entry with all of a few words is what they asked for
    return max(fitted, _HIGH) if covered > _ALL else fitted


def label(probability: float) -> Relevance:
    """High from one half, medium from .15."""
    return "high" if probability >= _HIGH else "medium" if probability >= _MEDIUM else "low"


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))
