"""Sending what waits, and choosing what is sent at all."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import uniform
from typing import TYPE_CHECKING

from mind.memory import sync
from mind.memory.mirror.opening import STAMP, home_of, opened
from mind.search.semantic import Meaning
from mind.storage.index import Index
from mind.storage.mirror import identity, publishing
from mind.storage.mirror.address import address
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.storage.mirror.connection import Connection
    from mind.storage.mirror.publishing import Home

BATCH = 100
FIRST_SECONDS, LAST_SECONDS = 1.0, 30.0
"""What is waited after a failure, doubled from one to the next."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What was sent.

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
        project: One that the user chose to mirror (see :mod:`mind.storage.mirror.identity`).
        index: Its index.
        meaning: Vectors of its model go along.
        progress: Told after each batch how many changes are done, and of how many.
        go_on: Asked before each batch.

    Raises:
        MirrorError: It cannot be reached, or refuses altogether; what was not sent waits.
        ConfigError: There is none, or it would be spoken to less safely than it has to be.
        DependencyMissing: psycopg or pgvector is not installed.
    """
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
            identity.clone(project),
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
        settings_file.configure(project.config, "mirror.project", json.dumps(identity.new_key()))
        project = project.anew()
    identity.choose(project)
    return project


def rebuild(project: Project, index: Index, *, every_clone: bool = False) -> None:
    """Take what this clone sent out of the mirror, or what every clone did; sync sends it anew."""
    where = address(project.settings)
    with opened(project, where, making=True) as (connection, team):
        home = home_of(connection, project, team)
        if home:
            publishing.clear(connection, home, every_clone=every_clone)
    with index.writing():
        index.outbox.forget()
        index.note(STAMP, "")
