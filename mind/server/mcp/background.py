"""Background work: loading the model, computing vectors, mirroring, tidying."""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING

from mind.domain.errors import MindError
from mind.search.semantic import ProjectVectors
from mind.storage.boundary import home
from mind.storage.index import Index
from mind.storage.mirror.postgres import is_configured
from mind.storage.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from mind.memory.mirror import OutboxSender

_SETTLED = 120.0
"""Seconds until a server tidies, so that short-lived servers do not."""
_BETWEEN = 600.0
"""Seconds between checks of whether tidying is due."""
_log = logging.getLogger("mind.server")


class Background:
    """A thread that computes vectors between calls, sends to the mirror, and tidies at times."""

    def __init__(self) -> None:
        self._known: dict[object, ProjectVectors] = {}
        self._current: tuple[Project, ProjectVectors] | None = None
        self._filled: tuple[Path, int, str] | None = None
        self._own = threading.local()
        self._drainer: OutboxSender | None = None
        self._patience: float | None = None
        self._tidies_at = monotonic() + _SETTLED
        self._wanted = threading.Event()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def meaning(self, project: Project) -> ProjectVectors:
        """Return the model for a project, opened once; from now on its vectors are computed."""
        has = project.settings
        key = (project.root, has.embedding_model, has.embedding_backend, has.embedding_threads)
        known = self._known.setdefault(key, ProjectVectors(has, home(), patient=False))
        self._current = (project, known)
        return known

    def of_thread(self, project: Project) -> ProjectVectors:
        """Return the model for concurrent threads; each has its own vectors."""
        shared = self.meaning(project)
        own: dict[int, tuple[ProjectVectors, ProjectVectors]] = self._own.__dict__.setdefault(
            "known", {}
        )
        if id(shared) not in own:
            own[id(shared)] = (shared, shared.beside(project.settings))
        return own[id(shared)][1]

    def wake(self) -> None:
        """Check for missing vectors and other work, as something may have changed."""
        if self._current is None:
            return
        project, meaning = self._current
        if not (meaning.profile or self._is_settled or is_configured(project.settings)):
            return
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="background", daemon=True)
            self._thread.start()

    @property
    def _is_settled(self) -> bool:
        return monotonic() >= self._tidies_at

    def end(self) -> None:
        """Stop after the current batch."""
        self._ended.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            self._wanted.wait(self._patience)
            if self._ended.is_set():
                return
            self._wanted.clear()
            for work in (self._fill, self._mirror, self._tidy):
                self._try(work)

    def _try(self, work: Callable[[Project, ProjectVectors], None]) -> None:
        """Do some of the work; nothing that fails ends the thread or changes the files."""
        if self._current is None:
            return
        try:
            work(*self._current)
        except MindError as error:  # it is tried again when something changed
            _log.warning("%s: %s", work.__name__.strip("_"), error)
        except Exception:  # the boundary of this thread
            _log.exception("%s failed", work.__name__.strip("_"))

    def _fill(self, project: Project, meaning: ProjectVectors) -> None:
        """Compute missing vectors, once for each state of the index."""
        if not meaning.profile:
            return
        with closing(Index(project.cache / "index.db")) as index:
            state = (project.root, index.last_row, meaning.lacking(index))
            if state != self._filled and index.is_kept:
                self._filled = state
                meaning.fill(index, go_on=lambda: not self._ended.is_set())
                self._filled = (*state[:2], meaning.lacking(index))

    def _mirror(self, project: Project, meaning: ProjectVectors) -> None:
        """Send queued changes; a failure is retried even without further calls."""
        if not is_configured(project.settings):
            return
        from mind.memory.mirror import OutboxSender  # noqa: PLC0415 - only with a mirror

        self._drainer = self._drainer or OutboxSender()
        self._patience = self._drainer.step(
            project, meaning, go_on=lambda: not self._ended.is_set()
        )

    def _tidy(self, project: Project, _meaning: ProjectVectors) -> None:
        """Tidy if it is due, once the server has run for a while."""
        if not self._is_settled:
            return
        from mind.memory.memory import Memory  # noqa: PLC0415 - after the handshake, not before

        self._tidies_at = monotonic() + _BETWEEN
        with closing(Memory(project)) as memory:
            memory.tidy_if_due()
