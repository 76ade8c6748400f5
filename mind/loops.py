"""Loop detection: a rejected approach that comes back."""

from mind.answers import Loop
from mind.config import Settings
from mind.entry import Kind, title_of
from mind.index import Filter, Index
from mind.similarity import severity, similarity
from mind.terms import query_terms

_CANDIDATES = 25
_MOST = 3
_POSTINGS = 3_000
_WAY_OUT = (
    "Stop and say what is different this time. If nothing is, take another approach, or record "
    "what blocks you with mind_blocker."
)


def find(index: Index, text: str, settings: Settings) -> tuple[Loop, ...]:
    """Earlier rejections that ``text`` repeats, most similar first, three at most."""
    found = []
    for earlier, _ in index.match(
        query_terms(text),
        Filter(kinds=(Kind.REJECTED,)),
        limit=_CANDIDATES,
        postings=_POSTINGS,
    ):
        # the approach alone counts as well as the approach with its reason
        score = max(
            similarity(text, earlier.text), similarity(title_of(text), title_of(earlier.text))
        )
        level = severity(score, settings)
        if level is not None:
            found.append(Loop(severity=level, score=score, earlier=earlier, way_out=_WAY_OUT))
    return tuple(sorted(found, key=lambda loop: -loop.score)[:_MOST])
