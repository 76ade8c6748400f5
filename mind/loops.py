"""Loop detection: a rejected approach that comes back."""

from mind.answers import Loop
from mind.config import Settings
from mind.entry import Kind
from mind.index import Filter, Index, Sense
from mind.likeness import Likeness
from mind.similarity import severity

_MOST = 3
_WAY_OUT = (
    "Stop and say what is different this time. If nothing is, take another approach, or record "
    "what blocks you with mind_blocker."
)


def find(
    index: Index, text: str, settings: Settings, sense: Sense | None = None
) -> tuple[Loop, ...]:
    """Earlier rejections that ``text`` repeats, most similar first, three at most.

    Args:
        index: Up to date.
        text: What is about to be done, or was rejected now.
        settings: With the thresholds.
        sense: What it means, if a model is at hand.
    """
    found = []
    likeness = Likeness(index, text, sense)
    for earlier in likeness.near(Filter(kinds=(Kind.REJECTED,))):
        score = likeness.of(earlier)
        level = severity(score, settings)
        if level is not None:
            found.append(Loop(severity=level, score=score, earlier=earlier, way_out=_WAY_OUT))
    return tuple(sorted(found, key=lambda loop: -loop.score)[:_MOST])
