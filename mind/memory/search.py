"""Searching a memory, and noting what was searched for."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from itertools import accumulate
from time import perf_counter
from types import MappingProxyType

from mind.domain.entry import parse_kind
from mind.domain.errors import InputError, MindError
from mind.memory import agenda, neighbours, sync, verdicts
from mind.memory.neighbours import Neighbour
from mind.memory.workspace import Workspace, not_echoed
from mind.search import engine, timeline
from mind.search import query as parsing
from mind.search.engine import JUDGED, POOL, Page, Through, in_time
from mind.search.query import ParsedQuery
from mind.search.results import Hit, SearchResult, Verdict
from mind.search.semantic import Meaning
from mind.storage import journal
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.text import secrets
from mind.text.terms import query_terms

_log = logging.getLogger("mind.search")


def find(  # noqa: PLR0913, PLR0917 - and what is told of the hits, which few ask for
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: ParsedQuery,
    page: Page,
    through: Through | None = None,
    *,
    files: bool = True,
    judged: bool = True,
) -> SearchResult:
    """The best entries of a project for a query (see :mod:`mind.ranking`).

    A query of filters and times alone is answered with the entries that pass, newest first; so is
    one whose words match nothing but which speaks of a time.

    Args:
        project: Whose memory.
        index: Of it.
        meaning: Its embedding model.
        asked: The query.
        page: Which hits.
        through: How candidates are found; the index by default.
        files: Tell of each hit whether what it cites is still there.
        judged: Tell what became of each hit at all.
    """

    def best() -> SearchResult:
        found = _found(project, index, meaning, asked, page, through)
        if not judged:
            return found
        own = [hit.entry for hit in found.hits if not through or index.get(hit.entry.id)]
        today = asked.today if files else None
        return _judged(found, verdicts.of_entries(project.root, index, own, today))

    return index.sure(best)


def _judged(found: SearchResult, known: Mapping[str, Verdict]) -> SearchResult:
    hits = (replace(hit, verdict=known.get(hit.entry.id, hit.verdict)) for hit in found.hits)
    return replace(found, hits=tuple(hits))


def _found(  # noqa: PLR0913, PLR0917 - those of find
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: ParsedQuery,
    page: Page,
    through: Through | None,
) -> SearchResult:
    report = sync.refresh(project, index)
    found = engine.compared(project, index, meaning, asked, page, through or index.retrieve)
    if not found.total and (asked.period or not asked.text):
        found = engine.listed(index, asked, page)
    return replace(_with_named(index, found, page), problems=(*report.problems, *found.problems))


def _with_named(index: Index, found: SearchResult, page: Page) -> SearchResult:
    """Hits of a query that speaks of a time, those before the others that name a day of it."""
    period = found.parsed.period
    if period is None or page.offset or found.parsed.order != "relevance":
        return found
    start, end = period.start or period.end, period.end or period.start
    if start is None or end is None:
        return found
    named = timeline.occurring(index, start, end, found.parsed.which)
    by_id = {hit.entry.id: hit for hit in found.hits}
    first = [
        by_id.get(one.id, Hit(entry=one, score=0.0, relevance="listed"))
        for one in named[: page.limit]
    ]
    there = {hit.entry.id for hit in first}
    rest = [hit for hit in found.hits if hit.entry.id not in there]
    hits = (*first, *rest)[: page.limit]
    return replace(found, hits=hits, total=max(found.total, len(hits)))


def find_among(  # noqa: PLR0913, PLR0917 - those of find, and where else to look
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: ParsedQuery,
    page: Page,
    beside: Sequence[Neighbour],
    *,
    own: bool = True,
) -> SearchResult:
    """As :func:`find`, with what ``beside`` holds that the memory itself does not.

    Args:
        project: Whose memory.
        index: Of it.
        meaning: Its embedding model.
        asked: The query.
        page: Which hits.
        beside: Other memories and documents.
        own: Look into the memory itself too.
    """
    # of each, all whose order is not that of their scores: else what is merged differs by page
    first = Page(max(page.offset + page.limit, JUDGED, POOL))
    found = find(project, index, meaning, asked, first, judged=False)
    if not own:
        found = replace(found, hits=(), total=0, candidates={})
    problems, total, of = list(found.problems), found.total, [(project, found.hits)]
    candidates, lexical_only = Counter(found.candidates), found.lexical_only
    documents: Sequence[Hit] = ()
    for other in beside:
        if other.is_documents and not asked.text:
            continue
        label = other.name or "documents"
        try:
            more = _found_beside(other, meaning, asked, first)
        except MindError as error:
            problems.append(f"{label}: {error}")
            continue
        new = [hit for hit in more.hits if not (own and other.is_worktree and _holds(index, hit))]
        total += more.total - len(more.hits) + len(new)
        problems += [f"{label}: {problem}" for problem in more.problems]
        candidates.update(more.candidates)
        if other.is_documents:
            documents = new
            continue
        of.append((other.project, tuple(replace(hit, project=other.name) for hit in new)))
        if more.lexical_only and not lexical_only:
            lexical_only = f"{label}: {more.lexical_only}"
    hits = _with_documents(_merged([own for _, own in of], asked.order), documents)
    shown = hits[page.offset : page.offset + page.limit]
    return replace(
        found,
        hits=tuple(_flagged_of(index, of, shown, asked.today)),
        parsed=asked,
        offset=page.offset,
        total=total,
        candidates=dict(candidates),
        lexical_only=lexical_only,
        problems=tuple(problems),
    )


def _flagged_of(
    index: Index,
    of: Sequence[tuple[Project, Sequence[Hit]]],
    shown: list[Hit],
    today: date | None,
) -> list[Hit]:
    """Hits of several projects, with what became of what they cite; documents are as they are."""
    if today is None:
        return shown
    (project, mine), *others = of
    at = [number for number, hit in enumerate(shown) if any(hit is one for one in mine)]
    entries = [shown[number].entry for number in at]
    known = index.sure(lambda: verdicts.of_entries(project.root, index, entries, today))
    for number in at:
        found = known.get(shown[number].entry.id, shown[number].verdict)
        shown[number] = replace(shown[number], verdict=found)
    for where, held in others:
        at = [number for number, hit in enumerate(shown) if any(hit is one for one in held)]
        entries = [shown[number].entry for number in at]
        known = {shown[number].entry.id: shown[number].verdict for number in at}
        known = verdicts.of_files(where.root, entries, known, today)
        for number in at:
            shown[number] = replace(shown[number], verdict=known[shown[number].entry.id])
    return shown


def find_everywhere(
    project: Project, index: Index, meaning: Meaning, asked: ParsedQuery, page: Page
) -> SearchResult:
    """As :func:`find`, in every memory of the user, each hit with the name of its own."""
    return find_among(project, index, meaning, asked, page, neighbours.everywhere(project))


def _found_beside(
    other: Neighbour, meaning: Meaning, asked: ParsedQuery, page: Page
) -> SearchResult:
    with closing(Index(other.path)) as index:
        near = meaning.beside(other.project.settings)
        if not other.is_documents:
            return find(other.project, index, near, asked, page, files=False)

        def best() -> SearchResult:
            problems = other.refresh(index)
            plain = replace(asked, today=None)  # of documents neither use nor a judge counts
            found = engine.compared(other.project, index, near, plain, page, index.retrieve)
            return replace(found, problems=(*problems, *found.problems), lexical_only="")

        return index.sure(best)


def _holds(index: Index, hit: Hit) -> bool:
    """Whether the memory itself holds the entry that another worktree has."""
    same = index.get(hit.entry.id)
    return same is not None and same.text == hit.entry.text


_GRADES = ("listed", "low", "medium", "high")


def _with_documents(hits: Sequence[Hit], documents: Sequence[Hit]) -> list[Hit]:
    """Hits with passages of documents, which come behind what memory holds that is as relevant."""
    merged, left = list[Hit](), list(documents)
    for hit in hits:
        while left and _GRADES.index(left[0].relevance) > _GRADES.index(hit.relevance):
            merged.append(left.pop(0))
        merged.append(hit)
    return [*merged, *left]


def _merged(of_each: Sequence[Sequence[Hit]], order: str) -> list[Hit]:
    """The hits of several projects; what words found comes before what is only listed.

    Those of one project stay in their order: what stands before a hit counts as much as that.
    """
    hits = [hit for own in of_each for hit in own]
    if order != "relevance":
        return in_time(hits, order)
    counted: list[tuple[float, Hit]] = []
    for own in of_each:
        least = [*accumulate((hit.score for hit in own[::-1]), max)][::-1]
        counted += zip(least, own, strict=True)
    compared = [pair for pair in counted if pair[1].relevance != "listed"]
    compared.sort(key=lambda pair: -pair[0])
    listed = [hit for hit in hits if hit.relevance == "listed"]
    return [*(hit for _, hit in compared), *in_time(listed, "newest")]


def log_search(found: SearchResult, seconds: float) -> None:
    """Write one line about a search to the logger ``mind.search``; nothing of its words."""
    if not _log.isEnabledFor(logging.INFO):
        return
    _log.info(
        "terms=%d filters=%s candidates=%s hits=%d total=%d lexical_only=%s ms=%.1f",
        len(set(query_terms(found.parsed.text))),
        ",".join(found.parsed.filters) or "none",
        ",".join(f"{name}:{count}" for name, count in found.candidates.items()) or "none",
        len(found.hits),
        found.total,
        "yes" if found.lexical_only else "no",
        seconds * 1000,
    )


def search(  # noqa: PLR0913 - independent options, by name only
    at: Workspace,
    query: str,
    *,
    kinds: Sequence[str] = (),
    everywhere: bool = False,
    limit: int | None = None,
    offset: int = 0,
    filters: Mapping[str, str] = MappingProxyType({}),
    mirror: bool | None = None,
) -> SearchResult:
    """The entries that match ``query`` best.

    Args:
        at: Whose memory.
        query: Words, and filters (see :mod:`mind.search.query`); nothing in it is wrong.
        kinds: Only these kinds.
        everywhere: Search every registered project.
        limit: Most hits, 1–100; the setting ``search.limit`` by default.
        offset: How many of the best hits to leave out.
        filters: "since", "until", "tag", "status", "lang" and "order", as they can stand in a
            query.
        mirror: Search in the mirror (see :mod:`mind.memory.mirror`); None: as the settings say.

    Raises:
        InputError: An empty query, an unknown kind or filter, or a number out of range.
    """
    if everywhere:
        at.refuse_all()
    start = perf_counter()
    if not query.strip():
        raise InputError("the query is empty", remedy="Say in a few words what to look for.")
    most = at.project.settings.search_limit if limit is None else limit
    page = Page(most, offset).check()
    visit = at.visit()
    with not_echoed(*kinds, *filters.values()):
        which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
        asked = parsing.parse(query, visit.now, at.releases, which, filters)
    asked = parsing.without(asked, visit.state.muted)
    if at.project.settings.mirror_search if mirror is None else mirror:
        from mind.memory import mirror_search  # noqa: PLC0415 - only where there is one

        found = mirror_search.find(
            at.project, at.index, at.meaning, asked, page, everywhere=everywhere
        )
    else:
        found = _looked_for(at, asked, page, everywhere=everywhere)
    shown = secrets.mask(query)
    answer = replace(
        found,
        query=shown,
        reminders=agenda.triggered(at.project, query, visit.now),
        problems=(*visit.problems, *found.problems),
    )
    log_search(answer, perf_counter() - start)
    said = journal.said(shown, keep=at.project.settings.events_queries)
    at.note(visit, "search", [hit.entry.id for hit in answer.hits], **said)
    return answer


def _looked_for(at: Workspace, asked: ParsedQuery, page: Page, *, everywhere: bool) -> SearchResult:
    """What is found here, and in the memories that a query or its caller names."""
    if asked.projects:
        at.refuse_all()
        beside = neighbours.named(at.project, asked.projects)
        own = neighbours.is_named(at.project, asked.projects)
        found = find_among(at.project, at.index, at.meaning, asked, page, beside, own=own)
        if own or beside:
            return found
        unknown = f"no project is called {', '.join(asked.projects)}; `mind projects` lists them"
        return replace(found, problems=(unknown, *found.problems))
    if everywhere:
        return find_everywhere(at.project, at.index, at.meaning, asked, page)
    beside = neighbours.always(at.project, wide=at.sees_others)
    beside = [one for one in beside if asked.text or not one.is_documents]
    if not beside:
        return find(at.project, at.index, at.meaning, asked, page)
    return find_among(at.project, at.index, at.meaning, asked, page, beside)


def recent(
    at: Workspace, *, kinds: Sequence[str] = (), limit: int = 10, offset: int = 0
) -> SearchResult:
    """The latest entries, newest first.

    Raises:
        InputError: An unknown kind, or a number out of range.
    """
    page = Page(limit, offset).check()
    which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
    visit = at.visit()
    asked = ParsedQuery(text="", which=which, order="newest", today=visit.now.date())
    asked = parsing.without(asked, visit.state.muted)
    return find(at.project, at.index, at.meaning, asked, page)
