"""Searching the mirror; where it cannot answer as well as the local index, that does."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from mind.domain.errors import MindError, MirrorError
from mind.memory import search, sync
from mind.memory.mirror.opening import STAMP, home_of, opened
from mind.search.engine import Page
from mind.search.query import Asked
from mind.search.results import Found
from mind.search.semantic import Meaning
from mind.storage.index import Answer, Index, Request
from mind.storage.mirror import identity, publishing
from mind.storage.mirror.address import address
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.storage.mirror.connection import Connection
    from mind.storage.mirror.retrieval import Where


def find(  # noqa: PLR0913 - those of mind.memory.search.find
    project: Project,
    index: Index,
    meaning: Meaning,
    asked: Asked,
    page: Page,
    *,
    everywhere: bool = False,
) -> Found:
    """As :func:`mind.memory.search.find`, or ``everywhere`` of it, but through the mirror.

    Where the mirror cannot answer as well as the index here would, that answers, and the reason is
    told in ``fallback``.
    """
    local = search.find_everywhere if everywhere else search.find
    try:
        if not asked.text:
            raise MirrorError("there are no words to compare")
        return _found(project, index, meaning, asked, page, everywhere=everywhere)
    except MindError as error:
        reason = error.message
        return replace(local(project, index, meaning, asked, page), fallback=reason)


def everywhere(project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page) -> Found:
    """As :func:`find`, in every project of the team, whichever machine it is on."""
    return find(project, index, meaning, asked, page, everywhere=True)


def _found(  # noqa: PLR0913 - those of the one above
    project: Project, index: Index, meaning: Meaning, asked: Asked, page: Page, *, everywhere: bool
) -> Found:
    from mind.storage.mirror import connection as connections  # noqa: PLC0415 - with psycopg
    from mind.storage.mirror import retrieval  # noqa: PLC0415 - the same

    if not identity.is_chosen(project):
        raise MirrorError("this project is not mirrored", remedy="Run `mind mirror sync`.")
    where = address(project.settings)
    projects: dict[int, str] = {}
    seconds = connections.SEARCH_SECONDS
    with (
        opened(project, where, making=False, seconds=seconds) as (connection, team),
        connections.within(connection, seconds),
    ):
        searched = _searched(connection, project, index, meaning, team, everywhere=everywhere)

        def through(request: Request) -> Answer:
            whole = replace(request, today=asked.today)
            answer, names = retrieval.retrieve(connection, whole, searched)
            projects.update(
                (id(one.entry), name) for one, name in zip(answer.best, names, strict=True)
            )
            return answer

        # what speaks against entries of other projects, their own folders would have to tell
        plain = replace(asked, today=None) if everywhere else asked
        found = search.find(project, index, meaning, plain, page, through)
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
    meaning: Meaning,
    team: int,
    *,
    everywhere: bool,
) -> "Where":
    """What is searched, if the mirror is up to date and has vectors of this model."""
    from mind.storage.mirror import branches, retrieval  # noqa: PLC0415 - with psycopg

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
    scope = branches.scope(connection, team, None if everywhere else home.project)
    return retrieval.Where(scope, home.clone, table)
