"""How the mirror of a project stands."""

import time
from dataclasses import dataclass, replace

from mind.domain.errors import MindError
from mind.memory import sync
from mind.memory.mirror.opening import home_of, opened
from mind.search.semantic import Meaning
from mind.storage.index import Backlog, Index
from mind.storage.mirror import identity, publishing
from mind.storage.mirror.address import Address, address, is_configured
from mind.storage.project import Project

MOST_PENDING, LONGEST_SECONDS = 1_000, 3_600.0
"""What may wait, and how long, before it is told at every turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a mirror stands.

    Attributes:
        configured: The user has one.
        chosen: This project is sent to it.
        place: Where it is, without credentials.
        team: The project's.
        project: Its name there; "" before the first sync.
        backlog: What waits.
        entries: What it has to hold.
        profile: The embedding model here; "" if there is none.
        reached: It answered.
        held: Entries that it has of this clone.
        vectors: Those with a vector of this model; the others can be found by words alone.
        clones: Folders that send to this project.
        problem: Why it did not answer; "" if it did or was not asked.
        warnings: What should be looked at.
    """

    configured: bool
    chosen: bool
    place: str = ""
    team: str = ""
    project: str = ""
    backlog: Backlog
    entries: int = 0
    profile: str = ""
    reached: bool = False
    held: int = 0
    vectors: int = 0
    clones: tuple[str, ...] = ()
    problem: str = ""
    warnings: tuple[str, ...] = ()


def warnings(project: Project, index: Index) -> tuple[str, ...]:
    """What to tell of the queue; nothing is asked of the mirror, and nothing for who has none."""
    if not (is_configured(project.settings) and identity.is_chosen(project) and index.is_kept):
        return ()
    now = time.time()
    index.outbox.collect(now)
    return _warnings(index.outbox.backlog(), now)


def _warnings(backlog: Backlog, now: float) -> tuple[str, ...]:
    age = now - backlog.oldest if backlog.oldest is not None else 0.0
    remedy = "Run `mind mirror sync`, or `mind mirror status` to see why."
    found = []
    if backlog.pending >= MOST_PENDING:
        found.append(f"{MOST_PENDING:,} changes or more wait for the mirror. {remedy}")
    if age >= LONGEST_SECONDS:
        found.append(f"Changes have waited for the mirror for an hour or more. {remedy}")
    if backlog.failed:
        found.append(f"The mirror refuses some entries: {backlog.error}. {remedy}")
    return tuple(found)


def state(project: Project, index: Index, meaning: Meaning, *, ask: bool = True) -> State:
    """How the mirror stands; ``ask`` it too."""
    settings = project.settings
    sync.refresh(project, index)
    chosen = identity.is_chosen(project)
    now = time.time()
    if chosen and is_configured(settings):
        index.outbox.collect(now, meaning.profile)
    backlog = index.outbox.backlog()
    found = State(
        configured=is_configured(settings),
        chosen=chosen,
        team=settings.mirror_team,
        project=settings.mirror_project,
        backlog=backlog,
        entries=len(index.outbox.expected()),
        profile=meaning.profile,
        warnings=_warnings(backlog, now),
    )
    if not found.configured:
        return found
    try:
        where = address(settings)
        found = replace(found, place=where.shown)
        return _asked(project, where, found) if ask and chosen else found
    except MindError as error:
        return replace(found, problem=str(error))


def _asked(project: Project, where: Address, found: State) -> State:
    with opened(project, where, making=False) as (connection, team):
        home = home_of(connection, project, team)
        if home is None:
            return replace(found, reached=True)
        table = publishing.found_table(connection, found.profile) if found.profile else ""
        there = publishing.holdings(connection, home, table)
        places = connection.execute(
            "SELECT place FROM mind.clone WHERE team = %s AND project = %s ORDER BY number",
            (home.team, home.project),
        ).fetchall()
    return replace(
        found,
        reached=True,
        held=len(there),
        vectors=sum(has for _, has in there.values()),
        clones=tuple(row[0] for row in places),
    )
