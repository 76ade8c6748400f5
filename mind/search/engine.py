"""Search: candidates from the index, ranked, with what matched and why.

An installed reranker reads the best hits again. It is an entry point of the group
``mind.rerankers``: a function of a query and texts that returns a number for each text. It has a
deadline; a search never fails or waits because of it.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from math import isnan
from typing import Self

from mind.domain.entry import Entry
from mind.domain.errors import ConfigError, InputError
from mind.ranking import Query, Weights
from mind.ranking.signals import label
from mind.search import supersession
from mind.search.query import ParsedQuery
from mind.search.results import Hit, SearchResult
from mind.search.semantic import ProjectVectors
from mind.search.supersession import Successor
from mind.storage.index import (
    Filter,
    Index,
    IndexAnswer,
    IndexRequest,
    Order,
    QueryVector,
    ScoredEntry,
)
from mind.storage.project import Project
from mind.text import secrets
from mind.text.similarity import similarity
from mind.text.terms import query_terms

GROUP = "mind.rerankers"

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each of the texts answers the query; higher is better, on any scale."""

_log = logging.getLogger("mind.search")
_busy = threading.Lock()
"""Held by a judge at work, however late: a second one would only make it later."""


def reordered(name: str, query: str, texts: Sequence[str], seconds: float) -> tuple[list[int], str]:
    """The order in which the judge ``name`` puts ``texts``, by their positions.

    Args:
        name: Of the entry point.
        query: As asked.
        texts: Best first.
        seconds: It has so long.

    Returns:
        Positions, best first, and what kept the judge from judging; then the order is as before.
    """
    as_before = list(range(len(texts)))
    judge = _installed(name)
    if judge is None:
        return as_before, f"no reranker {name!r} is installed (entry points of {GROUP})"
    if not _busy.acquire(blocking=False):
        return as_before, f"the reranker {name} is still at work on an earlier search"
    answer: list[float] = []
    thread = threading.Thread(
        target=_judge, args=(judge, query, texts, answer), name="reranker", daemon=True
    )
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        return as_before, f"the reranker {name} took longer than {seconds:g} s"
    if len(answer) != len(texts):
        return as_before, f"the reranker {name} failed: see the log"
    return sorted(as_before, key=lambda at: -answer[at]), ""


def _judge(judge: Reranker, query: str, texts: Sequence[str], answer: list[float]) -> None:
    try:
        scores = [float(score) for score in judge(query, texts)]
        if any(map(isnan, scores)):  # it has no place in an order
            raise ValueError("a score is not a number")
        answer += scores
    except Exception:  # noqa: BLE001 - the boundary to somebody else's code: the search goes on without
        _log.exception("the reranker failed")
    finally:
        _busy.release()


@cache
def _installed(name: str) -> Reranker | None:
    from importlib import metadata  # noqa: PLC0415 - takes 15 ms

    for point in metadata.entry_points(group=GROUP, name=name):
        try:
            loaded: Reranker = point.load()
        except Exception:  # noqa: BLE001 - the same boundary
            _log.exception("the reranker %s cannot be loaded", name)
            return None
        return loaded
    return None


_MOST = 100
"""Most hits of an answer, and matches that are put in the order of time."""
JUDGED = 20
"""Best hits that a reranker reads again."""
POOL = 12
"""Best hits among which current entries come before those that they replaced."""
_FURTHEST = 1_000_000
_OF_STATEMENTS = Weights(around=0.0, title=0.0, meaning=20.0)
"""Weights by which two statements are compared: neither what stands around one nor how it begins
counts, and its meaning before its words."""
_LEAST, _LEAST_MEANT, _AS_NEAR = 0.08, 0.2, 0.5
"""The least similarity or cosine of similar entries, and their least score, of the best one's."""

Through = Callable[[IndexRequest], IndexAnswer]
"""What gives the best entries for a request: an index, or a mirror of many."""


@dataclass(frozen=True, slots=True)
class Page:
    """A choice of the hits to show."""

    limit: int = 10
    offset: int = 0

    def check(self) -> Self:
        """Itself.

        Raises:
            InputError: A number is out of range.
        """
        if not 1 <= self.limit <= _MOST:
            raise InputError(f"limit is {self.limit}", remedy=f"Use a limit from 1 to {_MOST}.")
        if not 0 <= self.offset <= _FURTHEST:
            raise InputError(
                f"offset is {self.offset}", remedy=f"Use an offset from 0 to {_FURTHEST}."
            )
        return self


def find(  # noqa: PLR0913, PLR0917 - and how candidates are found, which few ask for
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    asked: ParsedQuery,
    page: Page,
    through: Through | None = None,
) -> SearchResult:
    """Hits of the words of a query; none if it has none.

    Args:
        project: Whose settings count.
        index: Up to date.
        meaning: The embedding model.
        asked: The query.
        page: Which hits.
        through: How candidates are found; the index by default.
    """
    if not asked.text:
        return SearchResult(query="", hits=(), total=0, parsed=asked)
    by_time = asked.order != "relevance"
    judge = "" if by_time or asked.today is None else project.settings.search_reranker
    end = page.offset + page.limit
    first = 0 if by_time or judge or page.offset < POOL else page.offset
    last = _MOST if by_time else max(end, JUDGED if judge else POOL)
    weights, problems = _weights(project)
    sense, reason = meaning.of(asked.text, index)
    period = (asked.period.start, asked.period.end) if asked.period else None
    request = IndexRequest(
        query=Query(asked.text, period, asked.about),
        weights=weights,
        sense=sense,
        which=asked.which,
        limit=last - first,
        offset=first,
        today=asked.today,
    )
    answer = (through or index.retrieve)(request)
    hits = [_hit(one, request.query) for one in answer.best]
    if judge:
        hits, problem = _judged(project, judge, asked.text, hits)
        problems += (problem,) if problem else ()
    if by_time:
        hits = in_time(hits, asked.order)
    elif not first and not asked.period:  # who asks for a time wants what was said then
        own = [hit.entry for hit in hits[:POOL] if through is None or index.get(hit.entry.id)]
        hits = _current_first(hits, supersession.successors(index, own))
    return SearchResult(
        query=asked.text,
        hits=tuple(hits[page.offset - first : end - first]),
        total=len(answer.best) if by_time else answer.weighed,
        offset=page.offset,
        parsed=asked,
        lexical_only=reason,
        candidates=dict(answer.candidates),
        problems=problems,
    )


def similar(
    index: Index, statement: str, sense: QueryVector | None, which: Filter, most: int
) -> list[Entry]:
    """The entries most similar to a statement, best first, as search finds them.

    Args:
        index: Up to date.
        statement: It is no query: nothing in it is syntax.
        sense: What it means, if there is a model.
        which: Only these entries.
        most: So many.
    """
    request = IndexRequest(
        query=Query(statement), weights=_OF_STATEMENTS, sense=sense, which=which, limit=most
    )
    found = index.retrieve(request).best
    meant = {one.id: cosine for one, cosine in index.nearest(sense, which, _MOST)} if sense else {}
    return [
        one.entry
        for one in found
        if one.ranked.score >= _AS_NEAR * found[0].ranked.score
        and (
            similarity(statement, one.entry.text) >= _LEAST
            or meant.get(one.entry.id, 0.0) >= _LEAST_MEANT
        )
    ]


def _current_first(hits: list[Hit], known: dict[str, Successor]) -> list[Hit]:
    """Hits of which none of the first stands before the entry that replaced it."""
    if not known:
        return hits
    first = supersession.current_first(hits[:POOL], known)
    there = {hit.entry.id for hit in first}
    return [*first, *(hit for hit in hits[POOL:] if hit.entry.id not in there)]


def _judged(project: Project, judge: str, query: str, hits: list[Hit]) -> tuple[list[Hit], str]:
    """The best hits in the order of the judge that is installed, and what kept it from judging."""
    seconds = project.settings.search_reranker_seconds
    texts = [hit.entry.text for hit in hits[:JUDGED]]
    order, problem = reordered(judge, query, texts, seconds)
    return [hits[at] for at in order] + hits[JUDGED:], problem


def _weights(project: Project) -> tuple[Weights, tuple[str, ...]]:
    """A setting that is wrong has no effect; it does not take the memory away."""
    try:
        return Weights.of(project.settings.search_weights), ()
    except ConfigError as error:
        return Weights(), (secrets.mask(f"{error} Until then the setting has no effect."),)


def in_time(hits: list[Hit], order: str) -> list[Hit]:
    """In the order of their days; those without one come last, equals stay as they are."""
    dated = [hit for hit in hits if hit.entry.date]
    dated.sort(key=lambda hit: hit.entry.date or date.min, reverse=order == "newest")
    return [*dated, *(hit for hit in hits if not hit.entry.date)]


def or_listed(index: Index, found: SearchResult, page: Page) -> SearchResult:
    """Give what was ``found`` by words, else by time; entries that name a day of it come first.

    A query of filters and times alone is answered with the entries that pass, newest first; so is
    one whose words match nothing but which speaks of a time.
    """
    asked, period = found.parsed, found.parsed.period
    if not found.total and (period or not asked.text):
        found = replace(_listed(index, asked, page), problems=found.problems)
    if period is None or page.offset or asked.order != "relevance":
        return found
    start, end = period.start or period.end, period.end or period.start
    if start is None or end is None:
        return found
    from mind.search import timeline  # noqa: PLC0415 - only of a query that speaks of a time

    named = timeline.occurring(index, start, end, asked.which)
    by_id = {hit.entry.id: hit for hit in found.hits}
    first = [by_id.get(one.id, _in_list(one)) for one in named[: page.limit]]
    there = {hit.entry.id for hit in first}
    rest = [hit for hit in found.hits if hit.entry.id not in there]
    hits = (*first, *rest)[: page.limit]
    return replace(found, hits=hits, total=max(found.total, len(hits)))


def _in_list(entry: Entry) -> Hit:
    return Hit(entry=entry, score=0.0, relevance="listed")


def _listed(index: Index, asked: ParsedQuery, page: Page) -> SearchResult:
    """Entries that pass the filters and stand in the period, in the order of time."""
    which = asked.which
    if asked.period:
        which = replace(which, since=asked.period.start, until=asked.period.end)
    order: Order = "oldest" if asked.order == "oldest" else "newest"
    shown = index.page(which, order, page.limit, page.offset)
    is_last = len(shown) < page.limit and (shown or not page.offset)
    return SearchResult(
        query="",
        hits=tuple(map(_in_list, shown)),
        total=page.offset + len(shown) if is_last else index.count(which),
        offset=page.offset,
        parsed=asked,
    )


def _hit(one: ScoredEntry, query: Query) -> Hit:
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
