"""Finding entries: words of the query in the index, re-ranked, with what matched."""

from collections.abc import Sequence
from dataclasses import replace

from mind import sync
from mind.answers import Hit
from mind.entry import Entry, Kind
from mind.errors import MindError
from mind.index import Index
from mind.project import Project
from mind.ranking import Query, Ranked, Weights
from mind.terms import query_terms


def search(index: Index, query: str, *, kinds: Sequence[Kind] = (), limit: int = 10) -> list[Hit]:
    """The ``limit`` best entries for ``query``, best first (see :mod:`mind.ranking`)."""
    asked = Query(query)
    ranked, _ = index.rank(asked, Weights(), kinds=kinds, limit=limit)
    return [_hit(entry, one, asked) for entry, one in ranked]


def _hit(entry: Entry, ranked: Ranked, query: Query) -> Hit:
    matched = tuple(word for word in query.words if set(query_terms(word)) & set(ranked.matched))
    coverage = len(ranked.matched) / len(query.terms)
    return Hit(
        entry=entry,
        score=max(0.0, ranked.score),
        relevance="high" if coverage >= 0.75 else "medium" if coverage >= 0.40 else "low",
        matched=tuple(dict.fromkeys(matched)),
    )


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
