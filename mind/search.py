"""Finding entries: candidates from the index, ranked, with what matched and why."""

from contextlib import closing
from dataclasses import replace

from mind import project as projects
from mind import sync
from mind.answers import Found, Hit
from mind.errors import MindError
from mind.index import Filter, Index, Request, Scored
from mind.meaning import Meaning
from mind.project import Project
from mind.ranking import Query, Weights
from mind.terms import query_terms


def find(  # noqa: PLR0913, PLR0917 - where to look, and what for
    project: Project, index: Index, meaning: Meaning, query: str, which: Filter, most: int
) -> Found:
    """The ``most`` best entries of a project for ``query`` (see :mod:`mind.ranking`)."""
    report = sync.refresh(project, index, sources=False)
    sense, reason = meaning.of(query, index)
    asked = Request(
        query=Query(query),
        weights=Weights.of(project.settings.search_weights),
        sense=sense,
        which=which,
        limit=most,
    )
    answer = index.retrieve(asked)
    return Found(
        query=query,
        hits=tuple(_hit(one, asked.query) for one in answer.best),
        total=answer.weighed,
        lexical_only=reason,
        problems=report.problems,
    )


def widened(found: Found, project: Project, meaning: Meaning, which: Filter, most: int) -> Found:
    """``found`` with the best entries of every other registered project, each with its name."""
    hits, problems, total = list(found.hits), list(found.problems), found.total
    for root in projects.registered():
        if root == project.root:
            continue
        other = Project(root)
        try:
            with closing(Index(other.cache / "index.db")) as index:
                more = find(other, index, meaning.beside(), found.query, which, most)
        except MindError as error:
            problems.append(f"{other.name}: {error}")
            continue
        hits += [replace(hit, project=other.name) for hit in more.hits]
        problems += more.problems
        total += more.total
    hits.sort(key=lambda hit: (-hit.score, hit.entry.id))
    return replace(found, hits=tuple(hits[:most]), total=total, problems=tuple(problems))


def _hit(one: Scored, query: Query) -> Hit:
    found = set(one.ranked.matched)
    matched = tuple(word for word in query.words if set(query_terms(word)) & found)
    coverage = len(found) / (len(query.terms) or 1)
    return Hit(
        entry=one.entry,
        score=max(0.0, one.ranked.score),
        relevance="high" if coverage >= 0.75 else "medium" if coverage >= 0.40 else "low",
        matched=tuple(dict.fromkeys(matched)),
        places=dict(one.places),
        signals=dict(one.ranked.signals),
    )
