"""The mirror of a project: what waits for it, sending, comparing, and searching it.

Nothing here is waited for by what writes memory: a server sends in the background, `mind mirror
sync` when it is called, and whatever fails is told and tried again.
"""

import json
import logging
import time
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from random import uniform
from typing import TYPE_CHECKING

from mind.domain.errors import MindError, MirrorError
from mind.memory import sync
from mind.search.semantic import Meaning
from mind.storage.index import Index
from mind.storage.index.outbox import Backlog
from mind.storage.mirror import postgres, publishing, schema
from mind.storage.mirror.postgres import Address, address, is_configured
from mind.storage.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mind.storage.mirror.postgres import Connection
    from mind.storage.mirror.publishing import Home


STAMP = "mirror stamp"
"""The note of what the last batch left in the mirror: another one there tells that it changed."""


def home_of(connection: "Connection", project: Project, team: int) -> "Home | None":
    """The clone's place in the mirror; None if it never was sent."""
    key = project.settings.mirror_project
    return publishing.registered(connection, team, key, publishing.clone(project))


@contextmanager
def opened(
    project: Project, where: Address, *, making: bool, seconds: float | None = None
) -> "Iterator[tuple[Connection, int]]":
    """A connection to a mirror that has every table, and the number of the project's team."""
    longest = postgres.STATEMENT_SECONDS if seconds is None else seconds
    with postgres.connected(where, longest) as found:
        if making:
            schema.ensure(found, project.settings.mirror_team)
        elif schema.version(found) < schema.VERSION:
            raise MirrorError("the mirror has no tables yet", remedy="Run `mind mirror sync`.")
        postgres.know_vectors(found)
        yield found, schema.team_number(found, project.settings.mirror_team)


BATCH = 100
FIRST_SECONDS, LAST_SECONDS = 1.0, 30.0
"""What is waited after a failure, doubled from one to the next."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The outcome of sending.

    Attributes:
        sent: Changes that the mirror took.
        refused: Changes that it did not take, with its reasons.
        pending: What still waits.
        compared: It had to be compared with the mirror first, entry by entry.
        first: The project is new in the mirror.
        profile: The model whose vectors went along; "" for none.
    """

    sent: int
    refused: tuple[str, ...]
    pending: int
    compared: bool
    first: bool
    profile: str


def drain(
    project: Project,
    index: Index,
    meaning: Meaning,
    *,
    progress: Progress = lambda _done, _all: None,
    go_on: Callable[[], bool] = lambda: True,
) -> Sent:
    """Send what waits, in batches; compare with the mirror first if it is not as it was left.

    Args:
        project: One that the user chose to mirror (see :mod:`mind.storage.mirror.publishing`).
        index: Its index.
        meaning: Vectors of its model go along.
        progress: Told after each batch how many changes are done, and of how many.
        go_on: Asked before each batch.

    Raises:
        MirrorError: It cannot be reached, or refuses altogether; what was not sent waits.
        ConfigError: There is none, or it would be spoken to less safely than it has to be.
        DependencyMissing: psycopg or pgvector is not installed.
    """
    return index.sure(lambda: _drained(project, index, meaning, progress, go_on))


def _drained(
    project: Project, index: Index, meaning: Meaning, progress: Progress, go_on: Callable[[], bool]
) -> Sent:
    where = address(project.settings)
    sync.refresh(project, index)
    profile = meaning.profile
    index.outbox.collect(time.time(), profile)
    with opened(project, where, making=True) as (connection, team):
        home = publishing.register(
            connection,
            team,
            project.settings.mirror_project,
            project.name,
            publishing.clone(project),
        )
        home = publishing.only_sender(connection, home)
        table = _table(connection, index, profile)
        compared = home.stamp != index.meta(STAMP) or not home.stamp
        if compared:
            index.outbox.reconcile(publishing.holdings(connection, home, table), time.time())
        done = _emptied(connection, index, home, table, progress, go_on)
        if done.sent or compared:
            publishing.count(connection, home)
    return replace(done, compared=compared, first=not home.stamp, profile=profile)


def _table(connection: "Connection", index: Index, profile: str) -> str:
    if not profile:
        return ""
    dimension = index.dimension(profile)
    return publishing.table_of(connection, profile, dimension) if dimension else ""


def _emptied(  # noqa: PLR0913, PLR0917 - one step of the one above
    connection: "Connection",
    index: Index,
    home: "Home",
    table: str,
    progress: Progress,
    go_on: Callable[[], bool],
) -> Sent:
    box = index.outbox
    total = box.backlog().pending
    sent = 0
    refused: list[str] = []
    while go_on():
        batch = box.batch(BATCH, time.time())
        if not batch and index.meta(STAMP) == home.stamp != "":
            break
        done = publishing.send(connection, home, batch, table)
        with index.writing():
            box.sent(done.numbers)
            for one in batch:
                if one.number in done.refused:
                    due = time.time() + pause(one.attempts)
                    box.refused(one.number, done.refused[one.number], due)
            index.note(STAMP, done.stamp)
        sent += len(done.numbers)
        refused += done.refused.values()
        home = replace(home, stamp=done.stamp)
        progress(sent + len(refused), total)
    return Sent(
        sent=sent,
        refused=tuple(refused),
        pending=box.backlog().pending,
        compared=False,
        first=False,
        profile="",
    )


def pause(failures: int) -> float:
    """Seconds to wait after so many failures: 1 to 30, doubled each time, or up to half less."""
    return float(min(LAST_SECONDS, FIRST_SECONDS * 2.0 ** min(failures, 10))) * uniform(0.5, 1.0)  # noqa: S311 - no secret


def choose(project: Project) -> Project:
    """Let a project be mirrored from now on, under a name that its clones will share.

    Raises:
        ConfigError: No mirror is configured.
        FileError: The settings cannot be written.
    """
    from mind.storage import settings_file  # noqa: PLC0415 - only the first time

    address(project.settings)
    if not project.settings.mirror_project:
        settings_file.configure(project.config, "mirror.project", json.dumps(publishing.new_key()))
        project = project.anew()
    publishing.choose(project)
    return project


def rebuild(project: Project, index: Index, *, every_clone: bool = False) -> None:
    """Take what this clone sent out of the mirror, or what every clone did; sync sends it anew."""
    where = address(project.settings)
    with opened(project, where, making=True) as (connection, team):
        home = home_of(connection, project, team)
        if home:
            publishing.clear(connection, home, every_clone=every_clone)
    index.note(STAMP, "")  # first: without it all is compared, whatever is forgotten
    index.outbox.forget()


_TRUSTED = 300.0
"""Seconds after which the mirror is looked at, even if nothing waits: somebody may have restored
or emptied it."""
_log = logging.getLogger("mind.mirror")


class Drainer:
    """Sends what waits, and knows when to try again; for one thread."""

    def __init__(self) -> None:
        self._failures = 0
        self._due = 0.0
        self._looked: float | None = None

    def step(self, project: Project, meaning: Meaning, go_on: Callable[[], bool]) -> float | None:
        """Send what waits if it is time; the seconds until the next try, or None if all is sent."""
        if not (is_configured(project.settings) and publishing.is_chosen(project)):
            return None
        left = self._due - time.monotonic()
        if left > 0:
            return left
        try:
            with closing(Index(project.cache / "index.db")) as index:
                if self._is_idle(project, index, meaning):
                    return None
                done = drain(project, index, meaning, go_on=go_on)
        except MindError as error:
            _log.warning("not mirrored: %s", error)
            return self._later()
        if done.sent:
            self._failures = 0  # it answers: what it refused waits for a time of its own
        if done.pending:
            return self._later()
        self._failures, self._due, self._looked = 0, 0.0, time.monotonic()
        return None

    def _is_idle(self, project: Project, index: Index, meaning: Meaning) -> bool:
        """True if nothing waits, and the mirror was seen to be as it was left not long ago."""
        if self._looked is None or time.monotonic() - self._looked > _TRUSTED:
            return False
        sync.refresh(project, index)
        index.outbox.collect(time.time(), meaning.profile)
        return not index.outbox.backlog().pending

    def _later(self) -> float:
        seconds = pause(self._failures)
        self._failures, self._due = self._failures + 1, time.monotonic() + seconds
        return seconds


MOST_PENDING, LONGEST_SECONDS = 1_000, 3_600.0
"""What may wait, and how long, before it is told at every turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a mirror.

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
    """Warnings about the queue, without asking the mirror; none where none is configured."""
    if not (is_configured(project.settings) and publishing.is_chosen(project) and index.is_kept):
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
    """The state of the mirror; ``ask`` it too."""
    settings = project.settings
    sync.refresh(project, index)
    chosen = publishing.is_chosen(project)
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
