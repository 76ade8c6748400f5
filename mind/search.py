"""Finding entries: candidates from the index, ranked, with what matched and why."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate
from typing import Self

from mind import corrections, reranking, staleness, sync, usage
from mind import project as projects
from mind.answers import Found, Hit
from mind.asking import Asked
from mind.entry import Noted
from mind.errors import ConfigError, InputError, MindError
from mind.index import Answer, Index, Order, Request, Scored, Sense
from mind.meaning import Meaning
from mind.project import Project
from mind.ranking import Query, Weights
from mind.ranking.relevance import label
from mind.terms import query_terms

_MOST = 100
"""Most hits of an answer, and matches that are put in the order of time."""
_JUDGED = 20
"""Best hits that a reranker reads again."""
_POOL = 12
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


def find(  # noqa: PLR0913, PLR0917 - and where else to look, which few ask for
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: Asked,
    page: Page,
    through: Through | None = None,
) -> Found:
    """The best entries of a project for a query (see :mod:`mind.ranking`).

    A query of filters and times alone is answered with the entries that pass, newest first; so is
    one whose words match nothing but which speaks of a time.
    """

    def best() -> Found:
        found = _found(project, index, meaning, asked, page, through)
        told = usage.disputed(index, [hit.entry for hit in found.hits])
        return replace(
            found,
            hits=tuple(
                replace(hit, stale=(told[hit.entry.id], *hit.stale))
                if hit.entry.id in told
                else hit
                for hit in found.hits
            ),
        )

    found = index.sure(best)
    return replace(found, hits=_flagged(project, found.hits, asked.today))


def _flagged(project: Project, hits: Sequence[Hit], today: date | None) -> tuple[Hit, ...]:
    """Hits of one project, with what speaks against them."""
    if today is None:
        return tuple(hits)
    told = staleness.of_entries(project.root, [hit.entry for hit in hits], today)
    return tuple(
        replace(hit, stale=(*hit.stale, *stale)) if stale else hit
        for hit, stale in zip(hits, told, strict=True)
    )


def log(found: Found, seconds: float) -> None:
    """Write one line about a search to the logger ``mind.search``; nothing of its words."""
    if not _log.isEnabledFor(logging.INFO):
        return
    _log.info(
        "terms=%d filters=%s candidates=%s hits=%d total=%d lexical_only=%s ms=%.1f",
        len(set(query_terms(found.asked.text))),
        ",".join(found.asked.filters) or "none",
        ",".join(f"{name}:{count}" for name, count in found.candidates.items()) or "none",
        len(found.hits),
        found.total,
        "yes" if found.lexical_only else "no",
        seconds * 1000,
    )


def _found(  # noqa: PLR0913, PLR0917 - those of find
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: Asked,
    page: Page,
    through: Through | None,
) -> Found:
    report = sync.refresh(project, index)
    found = _compared(project, index, meaning, asked, page, through or index.retrieve)
    if not found.total and (asked.period or not asked.text):
        found = _listed(index, asked, page)
    return replace(found, problems=(*report.problems, *found.problems))


def _compared(  # noqa: PLR0913, PLR0917 - those of find
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
    first = 0 if by_time or judge or page.offset < _POOL else page.offset
    last = _MOST if by_time else max(end, _JUDGED if judge else _POOL)
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
        hits = _in_time(hits, asked.order)
    elif not first and not asked.period:  # who asks for a time wants what was said then
        project_of = {id(one.entry): one.project for one in answer.best}
        pool = [project_of[id(hit.entry)] for hit in hits[:_POOL]]
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
        at: [by for by, likely in later if likely >= corrections.FIRST]
        for at, later in known.items()
    }
    return [hits[at] for at in corrections.newest_first(len(pool), first)] + hits[len(pool) :]


def _known(
    query: str,
    answers: Sequence[corrections.Answer],
    own: Sequence[int],
    near: Mapping[tuple[int, int], float],
) -> dict[int, list[tuple[int, float]]]:
    """What may have put those of ``own`` right, all by their numbers among ``answers``."""
    found = corrections.later(
        query,
        [answers[at] for at in own],
        lambda one, other: near.get((own[one], own[other])),
    )
    return {own[at]: [(own[by], likely) for by, likely in later] for at, later in found.items()}


def _answer(hit: Hit, noted: Noted | None) -> corrections.Answer:
    """What a commit did stays done: nothing comes earlier or later than that.

    What a session left behind stands under the day on which that ended, and what was corrected
    under the day of its first words: the log knows better. A day before the log's was meant.
    """
    one = hit.entry
    day, at = None if one.commit else one.date, None
    if day and noted and (noted.corrected or noted.day <= day):
        day, at = noted.day, noted.at
    return corrections.Answer(
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
    texts = [hit.entry.text for hit in hits[:_JUDGED]]
    order, problem = reranking.reordered(judge, query, texts, seconds)
    return [hits[at] for at in order] + hits[_JUDGED:], problem


def _weights(project: Project) -> tuple[Weights, tuple[str, ...]]:
    """A setting that is wrong has no effect; it does not take the memory away."""
    try:
        return Weights.of(project.settings.search_weights), ()
    except ConfigError as error:
        return Weights(), (f"{error} Until then the setting has no effect.",)


def _in_time(hits: list[Hit], order: str) -> list[Hit]:
    """In the order of their days; those without one come last, equals stay as they are."""
    dated = [hit for hit in hits if hit.entry.date]
    dated.sort(key=lambda hit: hit.entry.date or date.min, reverse=order == "newest")
    return [*dated, *(hit for hit in hits if not hit.entry.date)]


def _listed(index: Index, asked: Asked, page: Page) -> Found:
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


def everywhere(project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page) -> Found:
    """As :func:`find`, with the entries of every other memory of the user, each with its name."""
    # of each, all whose order is not that of their scores: else what is merged differs by page
    first = Page(max(page.offset + page.limit, _JUDGED, _POOL))
    plain = replace(asked, today=None)
    found = find(project, index, meaning, plain, first)
    problems, total, of = list(found.problems), found.total, [(project, found.hits)]
    candidates, lexical_only = Counter(found.candidates), found.lexical_only
    for other in projects.others(project):
        try:
            with closing(Index(other.cache / "index.db")) as opened:
                more = find(other, opened, meaning.beside(other.settings), plain, first)
        except MindError as error:
            problems.append(f"{other.name}: {error}")
            continue
        of.append((other, tuple(replace(hit, project=other.name) for hit in more.hits)))
        problems += [f"{other.name}: {problem}" for problem in more.problems]
        total += more.total
        candidates.update(more.candidates)
        if more.lexical_only and not lexical_only:
            lexical_only = f"{other.name}: {more.lexical_only}"
    hits = _merged([own for _, own in of], asked.order)
    shown = hits[page.offset : page.offset + page.limit]
    for where, own in of:
        at = [number for number, hit in enumerate(shown) if any(hit is one for one in own)]
        flagged = _flagged(where, [shown[number] for number in at], asked.today)
        for number, hit in zip(at, flagged, strict=True):
            shown[number] = hit
    return replace(
        found,
        hits=tuple(shown),
        asked=asked,
        offset=page.offset,
        total=total,
        candidates=dict(candidates),
        lexical_only=lexical_only,
        problems=tuple(problems),
    )


def _merged(of_each: Sequence[Sequence[Hit]], order: str) -> list[Hit]:
    """The hits of several projects; what words found comes before what is only listed.

    Those of one project stay in their order: what stands before a hit counts as much as that.
    """
    hits = [hit for own in of_each for hit in own]
    if order != "relevance":
        return _in_time(hits, order)
    counted: list[tuple[float, Hit]] = []
    for own in of_each:
        least = [*accumulate((hit.score for hit in own[::-1]), max)][::-1]
        counted += zip(least, own, strict=True)
    compared = [pair for pair in counted if pair[1].relevance != "listed"]
    compared.sort(key=lambda pair: -pair[0])
    listed = [hit for hit in hits if hit.relevance == "listed"]
    return [*(hit for _, hit in compared), *_in_time(listed, "newest")]


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
