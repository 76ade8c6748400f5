"""Finding entries: words of the query in the index, re-ranked, with what matched."""

from collections.abc import Sequence
from dataclasses import replace

from mind import sync
from mind.answers import Hit
from mind.entry import Entry, Kind, normalise
from mind.errors import MindError
from mind.index import Index, query_terms
from mind.project import Project

_CANDIDATES = 60
_COVERAGE_WEIGHT = 0.5


def search(index: Index, query: str, *, kinds: Sequence[Kind] = (), limit: int = 10) -> list[Hit]:
    """The ``limit`` best entries for ``query``, best first.

    Score: BM25 relative to the best candidate × (0.5 + 0.5 × share of query terms found), so that
    word order never matters and a hit with all the words beats one with a rare one.
    """
    terms = query_terms(query)
    found = index.match(terms, kinds=kinds, limit=max(_CANDIDATES, 3 * limit))
    best = max((bm25 for _, bm25 in found), default=0.0) or 1.0
    hits = [_hit(entry, bm25 / best, terms) for entry, bm25 in found]
    hits.sort(key=lambda hit: (-hit.score, hit.entry.id))
    return hits[:limit]


def _hit(entry: Entry, strength: float, terms: Sequence[str]) -> Hit:
    matched = matched_terms(entry.text, terms)
    coverage = len(matched) / len(terms)
    score = strength * (1 - _COVERAGE_WEIGHT + _COVERAGE_WEIGHT * coverage)
    return Hit(
        entry=entry,
        score=round(max(0.0, score), 4),
        relevance="high" if coverage >= 0.75 else "medium" if coverage >= 0.40 else "low",
        matched=matched,
    )


def matched_terms(text: str, terms: Sequence[str]) -> tuple[str, ...]:
    """Those of ``terms`` that ``text`` has, whole or by their stem (all but the last letters)."""
    folded = normalise(text)
    return tuple(term for term in terms if _stem(term.casefold()) in folded)


def _stem(word: str) -> str:
    return word[: max(4, len(word) - 3)] if word.isascii() else word


def elsewhere(
    project: Project, query: str, *, kinds: Sequence[Kind] = (), limit: int = 10
) -> tuple[list[Hit], list[str]]:
    """The best entries of another project, each with its name, and what could not be read."""
    try:
        index = Index(project.cache / "index.db")
        try:
            report = sync.refresh(project, index, sources=False)
            hits = search(index, query, kinds=kinds, limit=limit)
        finally:
            index.close()
    except MindError as error:
        return [], [f"{project.name}: {error}"]
    return [replace(hit, project=project.name) for hit in hits], list(report.problems)
