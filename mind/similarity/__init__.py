"""How alike two texts are, and whether they pull in opposite directions."""

from enum import StrEnum

from mind.config import Settings
from mind.similarity.direction import opposed
from mind.similarity.score import features, similarity
from mind.similarity.words import literal, weight, words

__all__ = [
    "Severity",
    "features",
    "literal",
    "opposed",
    "severity",
    "similarity",
    "weight",
    "words",
]


class Severity(StrEnum):
    """How surely an approach is one that was rejected before."""

    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


def severity(score: float, settings: Settings) -> Severity | None:
    """The severity of a similarity; None below the lowest threshold."""
    if score > settings.similarity_critical:
        return Severity.CRITICAL
    if score > settings.similarity_high:
        return Severity.HIGH
    return Severity.MODERATE if score > settings.similarity_moderate else None
