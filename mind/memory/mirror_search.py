"""Search through the mirror, with the local index as fallback."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mind.domain.errors import MindError, MirrorError
from mind.memory import search, sync
from mind.memory.mirror import STAMP, home_of, opened
from mind.search import query as parsing
from mind.search.engine import Page
from mind.search.query import ParsedQuery
from mind.search.results import SearchResult
from mind.search.semantic import ProjectVectors
from mind.storage.index import Index, IndexAnswer, IndexRequest
from mind.storage.mirror import postgres, publishing, retrieval
from mind.storage.mirror.postgres import address
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.storage.mirror.postgres import Connection
    from mind.storage.mirror.retrieval import MirrorFilter


def find(  # noqa: PLR0913 - those of mind.memory.search.find
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    asked: ParsedQuery,
    page: Page,
    *,
    everywhere: bool = False,
) -> SearchResult:
    """Search like :func:`mind.memory.search.find`, or in all projects, through the mirror.

    If the mirror cannot answer as well as the local index, the index is used, and ``fallback`` has
    the reason.
    """
    try:
        if not asked.text:
            raise MirrorError("the query has no words to compare")
        return _found(project, index, meaning, asked, page, everywhere=everywhere)
    except MindError as error:
        reason = error.message
    beside = search.all_memories(project) if everywhere else ()
    found = search.find(project, index, meaning, asked, page, beside)
    return replace(found, fallback=reason)


def _found(  # noqa: PLR0913 - those of the one above
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    asked: ParsedQuery,
    page: Page,
    *,
    everywhere: bool,
) -> SearchResult:

    if not publishing.is_chosen(project):
        raise MirrorError("this project is not mirrored", remedy="Run `mind mirror sync`.")
    where = address(project.settings)
    projects: dict[int, str] = {}
    seconds = postgres.SEARCH_SECONDS
    with (
        opened(project, where, making=False, seconds=seconds) as (connection, team),
        postgres.within(connection, seconds),
    ):
        searched = _searched(connection, project, index, meaning, team, everywhere=everywhere)

        def through(request: IndexRequest) -> IndexAnswer:
            whole = replace(request, today=asked.today)
            answer, names = retrieval.retrieve(connection, whole, searched)
            projects.update(
                (id(one.entry), name) for one, name in zip(answer.best, names, strict=True)
            )
            return answer

        # warnings about files need those projects' folders
        plain = replace(asked, today=None) if everywhere else asked
        found = search.find(project, index, meaning, plain, page, through=through)
    own = {} if everywhere else {hit.entry.id: index.get(hit.entry.id) for hit in found.hits}
    hits = tuple(
        replace(
            hit,
            project=projects.get(id(hit.entry), "") if everywhere else "",
            entry=own.get(hit.entry.id) or hit.entry,
        )
        for hit in found.hits
    )
    return replace(found, hits=hits, mirrored=True)


def _searched(  # noqa: PLR0913 - those of the one above
    connection: "Connection",
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    team: int,
    *,
    everywhere: bool,
) -> "MirrorFilter":
    """Return the filter for the mirror if it is up to date and has vectors of this model."""
    home = home_of(connection, project, team)
    if home is None:
        raise MirrorError("this project is not in the mirror yet")
    if not everywhere:
        sync.refresh(project, index)
        index.outbox.collect(time.time())
        waiting = index.outbox.backlog().pending
        if waiting or home.stamp != index.meta(STAMP):
            raise MirrorError(f"the mirror is behind the files: {waiting or 'some'} changes wait")
    table = ""
    if meaning.profile and not meaning.lacking(index):
        table = publishing.found_table(connection, meaning.profile)
        if not table:
            raise MirrorError(f"the mirror has no vectors of {meaning.profile}")
    scope = retrieval.scope(connection, team, None if everywhere else home.project)
    return retrieval.MirrorFilter(scope, home.clone, table)


_BEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Comparison of the mirror with the files.

    Attributes:
        entries: Number of entries in the files.
        missing: IDs missing from the mirror.
        extra: IDs only in the mirror.
        different: IDs with different content.
        vectors: Number of mirrored entries with a vector of this model.
    """

    entries: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    different: tuple[str, ...]
    vectors: int = 0

    @property
    def is_exact(self) -> bool:
        """Return True if the mirror equals the files."""
        return not (self.missing or self.extra or self.different)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parity:
    """Comparison of the mirror's answers with those of the local index.

    Attributes:
        jaccard: Mean Jaccard index of the top five hits; None if no query was answered by both.
        queries: Number of queries answered by both.
        fallbacks: Reasons for the others.
    """

    jaccard: float | None
    queries: int
    fallbacks: tuple[str, ...] = ()


def verify(project: Project, meaning: ProjectVectors) -> Verified:
    """Compare every entry of the mirror with the files; reads both anew."""
    where = address(project.settings)
    with closing(Index(None)) as fresh:
        sync.refresh(project, fresh)
        fresh.outbox.collect(time.time())
        expected = fresh.outbox.expected()
    with opened(project, where, making=False) as (connection, team):
        home = home_of(connection, project, team)
        if home is None:
            raise MirrorError(
                "this project is not in the mirror yet", remedy="Run `mind mirror sync`."
            )
        there = publishing.hashes(connection, home)
        table = publishing.found_table(connection, meaning.profile) if meaning.profile else ""
        vectors = sum(has for _, has in publishing.holdings(connection, home, table).values())
    return Verified(
        entries=len(expected),
        missing=tuple(sorted(expected.keys() - there.keys())),
        extra=tuple(sorted(there.keys() - expected.keys())),
        different=tuple(
            sorted(one for one, digest in expected.items() if there.get(one, digest) != digest)
        ),
        vectors=vectors,
    )


def parity(
    project: Project, index: Index, meaning: ProjectVectors, queries: Sequence[str], now: datetime
) -> Parity:
    """Run ``queries`` locally and in the mirror, and compare the top five hits."""
    shares: list[float] = []
    reasons: list[str] = []
    page = Page(_BEST)
    for query in queries:
        asked = parsing.parse(query, now, lambda _one: None)
        there = find(project, index, meaning, asked, page)
        if there.fallback:
            reasons.append(there.fallback)
            continue
        here = search.find(project, index, meaning, asked, page)
        one, other = ({hit.entry.id for hit in found.hits} for found in (here, there))
        shares.append(len(one & other) / len(one | other) if one or other else 1.0)
    mean = sum(shares) / len(shares) if shares else None
    return Parity(jaccard=mean, queries=len(shares), fallbacks=tuple(dict.fromkeys(reasons)))
