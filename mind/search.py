"""Finding entries: candidates from the index, ranked, with what matched and why."""

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date

from mind import project as projects
from mind import sync
from mind.answers import Found, Hit
from mind.asking import Asked
from mind.errors import InputError, MindError
from mind.index import Filter, Index, Request, Scored
from mind.meaning import Meaning
from mind.project import Project
from mind.ranking import Query, Weights
from mind.ranking.relevance import label
from mind.terms import query_terms

_MOST = 100
"""Most hits of an answer, and matches that are put in the order of time."""
_FURTHEST = 10_000


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the hits are shown.

    Raises:
        InputError: A number is out of range.
    """

    limit: int = 10
    offset: int = 0

    def __post_init__(self) -> None:
        """Check both."""
        if not 1 <= self.limit <= _MOST:
            raise InputError(f"limit is {self.limit}", remedy=f"Use a limit from 1 to {_MOST}.")
        if not 0 <= self.offset <= _FURTHEST:
            raise InputError(
                f"offset is {self.offset}", remedy=f"Use an offset from 0 to {_FURTHEST}."
            )


def find(project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page) -> Found:
    """The best entries of a project for a query (see :mod:`mind.ranking`).

    A query of filters alone is answered with the entries that pass, newest first.
    """
    return index.sure(lambda: _found(project, index, meaning, asked, page))


def _found(project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page) -> Found:
    report = sync.refresh(project, index, sources=False)
    if not asked.text.strip():
        return _listed(index, asked, asked.which, page, report.problems)
    sense, reason = meaning.of(asked.text, index)
    query = Query(asked.text, (asked.period.start, asked.period.end) if asked.period else None)
    by_time = asked.order != "relevance"
    request = Request(
        query=query,
        weights=Weights.of(project.settings.search_weights),
        sense=sense,
        which=asked.which,
        limit=_MOST if by_time else page.offset + page.limit,
    )
    answer = index.retrieve(request)
    if not answer.best and asked.period:  # "what did we do last week": there is nothing to compare
        then = replace(asked.which, since=asked.period.start, until=asked.period.end)
        return _listed(index, asked, then, page, report.problems)
    hits = [_hit(one, query) for one in answer.best]
    if by_time:
        hits.sort(key=lambda hit: hit.entry.date or date.min, reverse=asked.order == "newest")
    return Found(
        query=asked.text,
        hits=tuple(hits[page.offset : page.offset + page.limit]),
        total=answer.weighed,
        offset=page.offset,
        asked=asked,
        lexical_only=reason,
        problems=report.problems,
    )


def _listed(
    index: Index, asked: Asked, which: Filter, page: Page, problems: tuple[str, ...]
) -> Found:
    entries = index.entries(which, newest_first=asked.order != "oldest")
    if asked.order == "oldest":
        entries.sort(key=lambda entry: entry.date or date.max)
    shown = entries[page.offset : page.offset + page.limit]
    return Found(
        query="",
        hits=tuple(Hit(entry=entry, score=0.0, relevance="listed") for entry in shown),
        total=len(entries),
        offset=page.offset,
        asked=asked,
        problems=problems,
    )


def everywhere(project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page) -> Found:
    """As :func:`find`, with the entries of every other registered project, each with its name."""
    first = Page(min(_MOST, page.offset + page.limit))
    found = find(project, index, meaning, asked, first)
    hits, problems, total = list(found.hits), list(found.problems), found.total
    for root in projects.registered():
        if root == project.root:
            continue
        other = Project(root)
        try:
            with closing(Index(other.cache / "index.db")) as opened:
                more = find(other, opened, meaning.beside(), asked, first)
        except MindError as error:
            problems.append(f"{other.name}: {error}")
            continue
        hits += [replace(hit, project=other.name) for hit in more.hits]
        problems += more.problems
        total += more.total
    match asked.order:
        case "relevance":
            hits.sort(key=lambda hit: (-hit.score, hit.entry.id))
        case order:
            hits.sort(key=lambda hit: hit.entry.date or date.min, reverse=order == "newest")
    return replace(
        found,
        hits=tuple(hits[page.offset : page.offset + page.limit]),
        offset=page.offset,
        total=total,
        problems=tuple(problems),
    )


def _hit(one: Scored, query: Query) -> Hit:
    found = set(one.ranked.matched)
    matched = tuple(word for word in query.words if set(query_terms(word)) & found)
    return Hit(
        entry=one.entry,
        score=max(0.0, one.ranked.score),
        likelihood=round(one.ranked.likelihood, 3),
        relevance=label(one.ranked.likelihood),
        matched=tuple(dict.fromkeys(matched)),
        places=dict(one.places),
        signals=dict(one.ranked.signals),
    )
