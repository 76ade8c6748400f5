"""Similarity of two texts, and whether they state opposites."""

from enum import StrEnum

from mind.text.similarity.words import literal, said, says_the_same, weight, words

TYPE_CHECKING = False  # importing typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    from mind.domain.settings import Settings
    from mind.text.similarity.score import features, opposed, similarity, without_shared_choice

__all__ = [
    "Severity",
    "features",
    "literal",
    "opposed",
    "said",
    "says_the_same",
    "severity",
    "similarity",
    "weight",
    "without_shared_choice",
    "words",
]


class Severity(StrEnum):
    """Certainty that an approach is one that was rejected before."""

    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


def severity(score: float, settings: "Settings") -> Severity | None:
    """The severity of a similarity; None below the lowest threshold."""
    if score > settings.similarity_critical:
        return Severity.CRITICAL
    if score > settings.similarity_high:
        return Severity.HIGH
    return Severity.MODERATE if score > settings.similarity_moderate else None


def __getattr__(name: str) -> object:
    """Import the similarity measure on first use: hooks only tokenise."""
    if name not in __all__:
        raise AttributeError(name)
    from importlib import import_module  # noqa: PLC0415 - see above

    found: object = getattr(import_module("mind.text.similarity.score"), name)
    globals()[name] = found
    return found
