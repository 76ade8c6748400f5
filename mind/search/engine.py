"""Finding entries: candidates from the index, ranked, with what matched and why."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

from mind.domain.entry import Noted
from mind.domain.errors import ConfigError, InputError
from mind.ranking import Query, Weights
from mind.ranking.signals import label
from mind.search import rerank, supersession
from mind.search.query import Asked
from mind.search.results import Found, Hit
from mind.search.semantic import Meaning
from mind.storage.index import Answer, Index, Order, Request, Scored, Sense
from mind.storage.project import Project
from mind.text.terms import query_terms

_MOST = 100
"""Most hits of an answer, and matches that are put in the order of time."""
JUDGED = 20
"""Best hits that a reranker reads again."""
POOL = 12
"""Best hits that are told apart by their days."""
_FURTHEST = 1_000_000
_log = logging.getLogger("mind.search")

Through = Callable[[Request], Answer]
"""What gives the best entries for a request: an index, or a mirror of many."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the hits are shown."""

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


def compared(  # noqa: PLR0913, PLR0917 - those of find
    project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page, through: Through
) -> Found:
    """Hits of the words; none if there are none to compare."""
    if not asked.text:
        return Found(query="", hits=(), total=0, asked=asked)
    sense, reason = meaning.of(asked.text, index)
    period = (asked.period.start, asked.period.end) if asked.period else None
    query = Query(asked.text, period, asked.about)
    weights, problems = _weights(project)
    by_time = asked.order != "relevance"
    judge = "" if by_time else project.settings.search_reranker
    end = page.offset + page.limit
    first = 0 if by_time or judge or page.offset < POOL else page.offset
    last = _MOST if by_time else max(end, JUDGED if judge else POOL)
    answer = through(
        Request(
            query=query,
            weights=weights,
            sense=sense,
            which=asked.which,
            limit=last - first,
            offset=first,
            today=asked.today,
        )
    )
    hits = [_hit(one, query) for one in answer.best]
    if judge:
        hits, problem = _judged(project, judge, asked.text, hits)
        problems += (problem,) if problem else ()
    if by_time:
        hits = in_time(hits, asked.order)
    elif not first and not asked.period:  # who asks for a time wants what was said then
        project_of = {id(one.entry): one.project for one in answer.best}
        pool = [project_of[id(hit.entry)] for hit in hits[:POOL]]
        hits = _latest_first(index, sense, asked.text, hits, pool)
    return Found(
        query=asked.text,
        hits=tuple(hits[page.offset - first : end - first]),
        total=len(answer.best) if by_time else answer.weighed,
        offset=page.offset,
        asked=asked,
        lexical_only=reason,
        candidates=dict(answer.candidates),
        problems=problems,
    )


def _latest_first(
    index: Index, sense: Sense | None, query: str, hits: list[Hit], projects: Sequence[int]
) -> list[Hit]:
    """Hits of which none stands before one that put it right in all likelihood.

    Args:
        index: For vectors, and for when what was noted.
        sense: Of the query, if there is a model.
        query: As asked.
        hits: The best first.
        projects: Of the first of them: what one notes puts nothing of another right.
    """
    pool = hits[: len(projects)]
    is_one = len({*projects}) == 1  # else the log here is not that of all
    noted = index.usage.noted([hit.entry.id for hit in pool]) if is_one else {}
    answers = [_answer(hit, noted.get(hit.entry.id)) for hit in pool]
    near = index.cosines(sense.vectors, [one.text for one in answers]) if sense else {}
    known: dict[int, list[tuple[int, float]]] = {}
    for project in {*projects}:
        own = [at for at, one in enumerate(projects) if one == project]
        known |= _known(query, answers, own, near)
    for at, ((by, _), *_others) in known.items():
        newer = hits[by].entry.id
        hits[at] = replace(hits[at], stale=(f"newer: {newer} of {answers[by].day}",))
    first = {
        at: [by for by, likely in later if likely >= supersession.FIRST]
        for at, later in known.items()
    }
    return [hits[at] for at in supersession.newest_first(len(pool), first)] + hits[len(pool) :]


def _known(
    query: str,
    answers: Sequence[supersession.Answer],
    own: Sequence[int],
    near: Mapping[tuple[int, int], float],
) -> dict[int, list[tuple[int, float]]]:
    """What may have put those of ``own`` right, all by their numbers among ``answers``."""
    found = supersession.later(
        query,
        [answers[at] for at in own],
        lambda one, other: near.get((own[one], own[other])),
    )
    return {own[at]: [(own[by], likely) for by, likely in later] for at, later in found.items()}


def _answer(hit: Hit, noted: Noted | None) -> supersession.Answer:
    """What a commit did stays done: nothing comes earlier or later than that.

    What a session left behind stands under the day on which that ended, and what was corrected
    under the day of its first words: the log knows better. A day before the log's was meant.
    """
    one = hit.entry
    day, at = None if one.commit else one.date, None
    if day and noted and (noted.corrected or noted.day <= day):
        day, at = noted.day, noted.at
    return supersession.Answer(
        text=one.text,
        kind=one.kind,
        day=day,
        likelihood=hit.likelihood,
        place=(one.source, one.line),
        at=at,
        session=noted.session if noted else "",
    )


def _judged(project: Project, judge: str, query: str, hits: list[Hit]) -> tuple[list[Hit], str]:
    """The best hits in the order of the judge that is installed, and what kept it from judging."""
    seconds = project.settings.search_reranker_seconds
    texts = [hit.entry.text for hit in hits[:JUDGED]]
    order, problem = rerank.reordered(judge, query, texts, seconds)
    return [hits[at] for at in order] + hits[JUDGED:], problem


def _weights(project: Project) -> tuple[Weights, tuple[str, ...]]:
    """A setting that is wrong has no effect; it does not take the memory away."""
    try:
        return Weights.of(project.settings.search_weights), ()
    except ConfigError as error:
        return Weights(), (f"{error} Until then the setting has no effect.",)


def in_time(hits: list[Hit], order: str) -> list[Hit]:
    """In the order of their days; those without one come last, equals stay as they are."""
    dated = [hit for hit in hits if hit.entry.date]
    dated.sort(key=lambda hit: hit.entry.date or date.min, reverse=order == "newest")
    return [*dated, *(hit for hit in hits if not hit.entry.date)]


def listed(index: Index, asked: Asked, page: Page) -> Found:
    """Entries that pass the filters and stand in the period, in the order of time."""
    which = asked.which
    if asked.period:
        which = replace(which, since=asked.period.start, until=asked.period.end)
    order: Order = "oldest" if asked.order == "oldest" else "newest"
    shown = index.page(which, order, page.limit, page.offset)
    is_last = len(shown) < page.limit and (shown or not page.offset)
    return Found(
        query="",
        hits=tuple(Hit(entry=entry, score=0.0, relevance="listed") for entry in shown),
        total=page.offset + len(shown) if is_last else index.count(which),
        offset=page.offset,
        asked=asked,
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
