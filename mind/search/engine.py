"""Search: candidates from the index, ranked, with what matched and why.

An installed reranker reorders the best hits. It is an entry point of the group
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
from mind.domain.errors import ConfigError, check_range
from mind.ranking import Query, Weights
from mind.ranking.signals import label
from mind.search import supersession
from mind.search.query import ParsedQuery
from mind.search.results import Hit, SearchResult
from mind.search.semantic import ProjectVectors
from mind.search.supersession import KnownSuccessors
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
"""Relevance score of each text for the query; higher is better, on any scale."""

_log = logging.getLogger("mind.search")
_busy = threading.Lock()
"""Lock held while a reranker runs, even past its deadline: a second run would only slow it down."""


def reordered(name: str, query: str, texts: Sequence[str], seconds: float) -> tuple[list[int], str]:
    """Order in which the reranker ``name`` puts ``texts``, as positions.

    Args:
        name: Name of the entry point.
        query: The query as given.
        texts: Best first.
        seconds: Deadline.

    Returns:
        Positions, best first, and why the reranker was not applied ("" if it was); the order is
        then unchanged.
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
        if any(map(isnan, scores)):  # NaN cannot be sorted
            raise ValueError("a score is not a number")
        answer += scores
    except Exception:  # noqa: BLE001 - third-party code must not break the search
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
"""Most hits in an answer, and most matches sorted by date."""
JUDGED = 20
"""Number of best hits passed to a reranker."""
POOL = 12
"""Number of best hits among which current entries precede the ones they superseded."""
_FURTHEST = 1_000_000
_OF_STATEMENTS = Weights(around=0.0, title=0.0, synonyms=0.0, meaning=20.0)
"""Weights for comparing two statements: neighbours, title and other names are ignored, and meaning
outweighs words."""
_LEAST, _LEAST_MEANT, _AS_NEAR = 0.1, 0.2, 0.5
"""Thresholds for similar entries: least score, least cosine, least share of the best score."""
_OPENING = 300
"""Characters of an entry that say what it is about; a long record shares words with anything."""

Through = Callable[[IndexRequest], IndexAnswer]
"""Source of the best entries for a request: the local index, or a mirror."""


@dataclass(frozen=True, slots=True)
class Page:
    """Paging of the hits."""

    limit: int = 10
    offset: int = 0

    def check(self) -> Self:
        """Return itself if valid.

        Raises:
            InputError: A number is out of range.
        """
        check_range("limit", self.limit, 1, _MOST)
        check_range("offset", self.offset, 0, _FURTHEST)
        return self


def find(  # noqa: PLR0913, PLR0917 - candidate lookup is a rarely used extra
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    asked: ParsedQuery,
    most: int,
    through: Through | None = None,
) -> SearchResult:
    """Hits for the words of a query, none if it has no words.

    Args:
        project: Project whose settings apply.
        index: An up-to-date index.
        meaning: The embedding model.
        asked: The query.
        most: Maximum number of hits.
        through: Source of candidates; the index by default.
    """
    if not asked.text:
        return SearchResult(query="", hits=(), total=0, parsed=asked)
    by_time = asked.order != "relevance"
    judge = "" if by_time or asked.today is None else project.settings.search_reranker
    weights, problems = _weights(project)
    sense, reason = meaning.of(asked.text, index)
    period = (asked.period.start, asked.period.end) if asked.period else None
    request = IndexRequest(
        query=Query(asked.text, period, asked.about),
        weights=weights,
        sense=sense,
        which=asked.which,
        limit=_MOST if by_time else most,
        today=asked.today,
        lowercase_names=project.settings.search_lowercase_names,
    )
    answer = (through or index.retrieve)(request)
    hits = [_hit(one, request.query) for one in answer.best]
    if judge:
        hits, problem = _judged(project, judge, asked.text, hits)
        problems += (problem,) if problem else ()
    return SearchResult(
        query=asked.text,
        hits=tuple(in_time(hits, asked.order)[:most] if by_time else hits),
        total=len(hits) if by_time else answer.weighed,
        parsed=asked,
        lexical_only=reason,
        candidates=dict(answer.candidates),
        problems=problems,
    )


def leading(found: SearchResult) -> list[Entry]:
    """The best entries, which must not precede those that superseded them.

    There are none in an order of time, or if the query names a time: it wants what was noted then.
    """
    asked = found.parsed
    is_free = asked.order != "relevance" or asked.period
    return [] if is_free else [hit.entry for hit in found.hits[:POOL]]


def current_first(index: Index, found: SearchResult, known: KnownSuccessors) -> SearchResult:
    """Return ``found``, reordered so that no leading entry precedes the one that superseded it."""
    shown = _shown(index, found.parsed.which, found.hits, known)
    if not any(shown.values()):
        return found
    first = supersession.current_first(list(found.hits[:POOL]), shown)
    there = {hit.entry.id for hit in first}
    hits = (*first, *(hit for hit in found.hits[POOL:] if hit.entry.id not in there))
    return replace(found, hits=hits, total=max(found.total, len(hits)))


def similar(
    index: Index, statement: str, sense: QueryVector | None, which: Filter, most: int
) -> list[Entry]:
    """The entries most similar to a statement, best first.

    Args:
        index: An up-to-date index.
        statement: Plain text, not parsed as a query.
        sense: Its vector, if there is a model.
        which: Filter on the entries.
        most: Maximum number of entries.
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
            similarity(statement, one.entry.text[:_OPENING]) >= _LEAST
            or meant.get(one.entry.id, 0.0) >= _LEAST_MEANT
        )
    ]


def _shown(
    index: Index, which: Filter, hits: Sequence[Hit], known: KnownSuccessors
) -> KnownSuccessors:
    """Successors that are hits or pass the filter: the others are not shown."""
    absent = {one.id for one in known.values() if one} - {hit.entry.id for hit in hits}
    if not absent or which.is_open:
        return known
    passing = () if which.ids else index.entries(replace(which, ids=tuple(absent)))
    left_out = absent - {one.id for one in passing}
    return {old: None if new and new.id in left_out else new for old, new in known.items()}


def _judged(project: Project, judge: str, query: str, hits: list[Hit]) -> tuple[list[Hit], str]:
    """The best hits as reordered by the installed reranker, and why it was not applied."""
    seconds = project.settings.search_reranker_seconds
    texts = [hit.entry.text for hit in hits[:JUDGED]]
    order, problem = reordered(judge, query, texts, seconds)
    return [hits[at] for at in order] + hits[JUDGED:], problem


def _weights(project: Project) -> tuple[Weights, tuple[str, ...]]:
    """The project's ranking weights; an invalid setting is ignored, not fatal."""
    try:
        return Weights.of(project.settings.search_weights), ()
    except ConfigError as error:
        return Weights(), (secrets.mask(f"{error} Until then the setting has no effect."),)


def in_time(hits: list[Hit], order: str) -> list[Hit]:
    """Hits sorted by date; undated ones come last, ties keep their order."""
    dated = [hit for hit in hits if hit.entry.date]
    dated.sort(key=lambda hit: hit.entry.date or date.min, reverse=order == "newest")
    return [*dated, *(hit for hit in hits if not hit.entry.date)]


def or_listed(index: Index, found: SearchResult, most: int) -> SearchResult:
    """Return ``found``, else a list by time; entries that mention a day of the period come first.

    A query of only filters and times returns the matching entries, newest first; so does a query
    with a time whose words match nothing. An id alone returns its entry.
    """
    asked, period = found.parsed, found.parsed.period
    if not found.total and asked.text and index.get(asked.text):
        asked = replace(asked, text="", which=replace(asked.which, ids=(asked.text,)))
    if not found.total and (period or not asked.text):
        found = replace(_listed(index, asked, most), problems=found.problems)
    if period is None or asked.order != "relevance":
        return found
    start, end = period.start or period.end, period.end or period.start
    if start is None or end is None:
        return found
    from mind.search import timeline  # noqa: PLC0415 - only for queries with a time

    named = timeline.occurring(index, start, end, asked.which)
    by_id = {hit.entry.id: hit for hit in found.hits}
    first = [by_id.get(one.id, _in_list(one)) for one in named[:most]]
    there = {hit.entry.id for hit in first}
    rest = [hit for hit in found.hits if hit.entry.id not in there]
    hits = (*first, *rest)[:most]
    return replace(found, hits=hits, total=max(found.total, len(hits)))


_LASTING = ("memory", "comments", "commits")
"""Families of a memory's sources, without notes of running sessions."""


def _in_list(entry: Entry) -> Hit:
    return Hit(entry=entry, score=0.0, relevance="listed")


def _listed(index: Index, asked: ParsedQuery, most: int) -> SearchResult:
    """Entries that pass the filters and lie in the period, sorted by date."""
    which = asked.which
    if asked.period:
        which = which.within(asked.period.start, asked.period.end, asked.today)
    order: Order = "oldest" if asked.order == "oldest" else "newest"
    noted: list[Entry] = []
    if not which.families and order == "newest":  # most notes of running sessions are undated
        noted = index.entries(replace(which, families=("session",)))[::-1]
    rest = replace(which, families=_LASTING) if noted else which
    shown = noted[:most]
    shown += index.page(rest, order, most - len(shown))
    return SearchResult(
        query="",
        hits=tuple(map(_in_list, shown)),
        total=len(shown) if len(shown) < most else index.count(which),
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
