"""The mirror of a project: queue, sending, search, comparison and status.

Writes to memory never wait for the mirror: a server sends in the background, `mind mirror sync` on
request. Failures are reported and retried.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from random import uniform
from typing import TYPE_CHECKING

from mind.domain.errors import MindError, MirrorError
from mind.memory import search, sync
from mind.search import query as parsing
from mind.search.engine import Page
from mind.search.query import ParsedQuery
from mind.search.results import SearchResult
from mind.search.semantic import ProjectVectors
from mind.storage import files
from mind.storage.index import Index, IndexAnswer, IndexRequest
from mind.storage.index.outbox import Backlog
from mind.storage.mirror import postgres, publishing, retrieval, schema
from mind.storage.mirror.postgres import Address, MirrorUnreachable, address, is_configured
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.storage.mirror.postgres import Connection
    from mind.storage.mirror.publishing import CloneNumber
    from mind.storage.mirror.retrieval import MirrorFilter


STAMP = "mirror stamp"
"""Note with the mirror's stamp after the last batch; another stamp there means that it changed."""


def home_of(connection: "Connection", project: Project, team: int) -> "CloneNumber | None":
    """Return the clone's row in the mirror; None if it was never sent."""
    key = project.settings.mirror_project
    return publishing.registered(connection, team, key, publishing.clone(project))


@contextmanager
def opened(
    project: Project, where: Address, *, making: bool, seconds: float | None = None
) -> "Iterator[tuple[Connection, int]]":
    """Open a connection to a mirror with all tables; also yield the id of the project's team."""
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
"""Seconds to wait after a failure, doubled each time."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """The result of sending to the mirror.

    Attributes:
        sent: Number of accepted changes.
        refused: Reasons for rejected changes.
        pending: Number of changes still queued.
        compared: True if all entries had to be compared with the mirror first.
        first: True if the project is new in the mirror.
        profile: Model of the sent vectors; "" for none.
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
    meaning: ProjectVectors,
    *,
    progress: Progress = lambda _done, _all: None,
    go_on: Callable[[], bool] = lambda: True,
) -> SendResult:
    """Send queued changes in batches; compare with the mirror first if it changed by other means.

    Args:
        project: A project the user chose to mirror (see :mod:`mind.storage.mirror.publishing`).
        index: Its index.
        meaning: Embedding model; its vectors are sent along.
        progress: Called after each batch with the number of sent changes and the total.
        go_on: Called before each batch; returns False to stop.

    Raises:
        MirrorError: The mirror is unreachable or rejects everything; unsent changes stay queued.
        ConfigError: No mirror is configured, or its connection is not secure enough.
        DependencyMissing: psycopg or pgvector is not installed.
    """
    return index.sure(lambda: _drained(project, index, meaning, progress, go_on))


def _drained(
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    progress: Progress,
    go_on: Callable[[], bool],
) -> SendResult:
    where = address(project.settings)
    sync.refresh(project, index)
    profile = meaning.profile
    index.outbox.collect(time.time(), profile)
    with opened(project, where, making=True) as (connection, team):
        home = publishing.register(connection, team, project)
        home = publishing.only_sender(connection, home)
        table = _table(connection, index, profile)
        compared = home.stamp != index.meta(STAMP) or not home.stamp
        if compared:
            index.outbox.reconcile(publishing.holdings(connection, home, table), time.time())
        done = _emptied(connection, index, home, table, progress, go_on)
        if done.sent or compared:
            publishing.count(connection, home)
    index.note(_SILENT, "")
    return replace(done, compared=compared, first=home.is_new, profile=profile)


def _table(connection: "Connection", index: Index, profile: str) -> str:
    if not profile:
        return ""
    dimension = index.dimension(profile)
    return publishing.table_of(connection, profile, dimension) if dimension else ""


def _emptied(  # noqa: PLR0913, PLR0917 - one step of the one above
    connection: "Connection",
    index: Index,
    home: "CloneNumber",
    table: str,
    progress: Progress,
    go_on: Callable[[], bool],
) -> SendResult:
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
    return SendResult(
        sent=sent,
        refused=tuple(refused),
        pending=box.backlog().pending,
        compared=False,
        first=False,
        profile="",
    )


def pause(failures: int) -> float:
    """Return seconds to wait after a number of failures: 1 to 30, doubling, with jitter."""
    return float(min(LAST_SECONDS, FIRST_SECONDS * 2.0 ** min(failures, 10))) * uniform(0.5, 1.0)  # noqa: S311 - no secret


def choose(project: Project) -> Project:
    """Enable mirroring of a project, under a name that its clones share.

    Raises:
        ConfigError: No mirror is configured.
        FileError: The settings cannot be written.
    """
    from mind.storage import settings_file  # noqa: PLC0415 - only the first time

    address(project.settings)
    with files.lock(project.lock):  # two first syncs must agree on one name
        project = project.anew()
        if not project.settings.mirror_project:
            key = json.dumps(publishing.new_key())
            settings_file.configure(project.config, "mirror.project", key)
            project = project.anew()
    publishing.choose(project)
    return project


def rebuild(project: Project, index: Index, *, every_clone: bool = False) -> None:
    """Delete this clone's entries, or all clones', from the mirror; a sync sends them again.

    Raises:
        MirrorError: The user did not choose to mirror this project.
    """
    where = address(project.settings)
    if not publishing.is_chosen(project):
        raise MirrorError("this project is not mirrored", remedy="Run `mind mirror sync`.")
    with opened(project, where, making=True) as (connection, team):
        home = home_of(connection, project, team)
        if home:
            publishing.clear(connection, home, every_clone=every_clone)
    index.note(STAMP, "")  # first: without it everything is compared, even after a crash
    index.outbox.forget()


_TRUSTED = 300.0
"""Seconds after which the mirror is checked even if nothing is queued: it may have been restored
or emptied."""
_log = logging.getLogger("mind.mirror")


class OutboxSender:
    """Sender of queued changes with retries; for one thread."""

    def __init__(self) -> None:
        self._failures = 0
        self._due = 0.0
        self._looked: float | None = None

    def step(
        self, project: Project, meaning: ProjectVectors, go_on: Callable[[], bool]
    ) -> float | None:
        """Send queued changes if due; return seconds until the next try, None if all is sent."""
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
            self._failures = 0  # reachable: rejected changes have their own retry time
        if done.pending:
            return self._later()
        self._failures, self._due, self._looked = 0, 0.0, time.monotonic()
        return None

    def _is_idle(self, project: Project, index: Index, meaning: ProjectVectors) -> bool:
        """Return whether nothing is queued and the mirror was recently found unchanged."""
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
"""Number and age of queued changes from which every answer warns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorState:
    """The status of a mirror.

    Attributes:
        configured: True if the user has configured a mirror.
        chosen: True if this project is mirrored.
        place: Address of the mirror, without credentials.
        team: Team of the project.
        project: Name of the project there; "" before the first sync.
        backlog: The queue.
        entries: Number of entries to mirror.
        profile: The local embedding model; "" without one.
        reached: True if the mirror answered.
        held: Number of this clone's entries in the mirror.
        vectors: Number of those with a vector of this model; the others are found lexically only.
        clones: Folders that send to this project.
        problem: Reason why it did not answer; "" if it did or was not asked.
        warnings: Problems to look into.
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
    """Return warnings about the queue, without asking the mirror; none if not configured."""
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
        found.append(f"The mirror rejects some entries: {backlog.error}. {remedy}")
    return tuple(found)


def state(
    project: Project, index: Index, meaning: ProjectVectors, *, ask: bool = True
) -> MirrorState:
    """Return the status of the mirror; ``ask`` also queries it."""
    settings = project.settings
    sync.refresh(project, index)
    chosen = publishing.is_chosen(project)
    now = time.time()
    if chosen and is_configured(settings):
        index.outbox.collect(now, meaning.profile)
    backlog = index.outbox.backlog()
    found = MirrorState(
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


def _asked(project: Project, where: Address, found: MirrorState) -> MirrorState:
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


PAUSE, _WAITED = 60.0, 1.0
"""Seconds without searches of the mirror after one had to wait; a closed port refuses at once."""
_SILENT = "mirror silent"
"""Note with the time when the mirror kept a search waiting, for all processes, and its address."""


def find(  # noqa: PLR0913 - those of mind.memory.search.find
    project: Project,
    index: Index,
    meaning: ProjectVectors,
    asked: ParsedQuery,
    page: Page,
    *,
    everywhere: bool = False,
    always: bool = False,
) -> SearchResult:
    """Search like :func:`mind.memory.search.find`, or in all projects, through the mirror.

    If the mirror cannot answer as well as the local index, the index is used, and ``fallback`` has
    the reason. A mirror that kept a search waiting is not queried for a minute, unless ``always``;
    that was said then, so ``fallback`` is empty.
    """
    reason, began = "", time.monotonic()
    try:
        if not asked.text:
            raise MirrorError("the query has no words to compare")
        if always or not _is_silent(project, index):
            return _retrieved(project, index, meaning, asked, page, everywhere=everywhere)
    except MindError as error:
        reason = error.message
        if isinstance(error, MirrorUnreachable) and time.monotonic() - began >= _WAITED:
            index.note(_SILENT, f"{time.time()} {address(project.settings).shown}")
            reason += "; searches do not wait for it again for a minute"
    beside = search.all_memories(project) if everywhere else ()
    found = search.find(project, index, meaning, asked, page, beside)
    return replace(found, fallback=reason)


def _is_silent(project: Project, index: Index) -> bool:
    """Return True if this mirror kept a search waiting less than a minute ago."""
    at, _, place = index.meta(_SILENT).partition(" ")
    return place == address(project.settings).shown and 0 <= time.time() - float(at) < PAUSE


def _retrieved(  # noqa: PLR0913 - those of the one above
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
        there = find(project, index, meaning, asked, page, always=True)
        if there.fallback:
            reasons.append(there.fallback)
            continue
        here = search.find(project, index, meaning, asked, page)
        one, other = ({hit.entry.id for hit in found.hits} for found in (here, there))
        shares.append(len(one & other) / len(one | other) if one or other else 1.0)
    mean = sum(shares) / len(shares) if shares else None
    return Parity(jaccard=mean, queries=len(shares), fallbacks=tuple(dict.fromkeys(reasons)))
