"""Sending in the background of a server: when something changed, and again after a failure."""

import logging
from collections.abc import Callable
from contextlib import closing
from time import monotonic, time

from mind.domain.errors import MindError
from mind.memory import sync
from mind.memory.mirror.sending import drain, pause
from mind.search.semantic import Meaning
from mind.storage.index import Index
from mind.storage.mirror import identity
from mind.storage.mirror.address import is_configured
from mind.storage.project import Project

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
        if not (is_configured(project.settings) and identity.is_chosen(project)):
            return None
        left = self._due - monotonic()
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
        self._failures, self._due, self._looked = 0, 0.0, monotonic()
        return None

    def _is_idle(self, project: Project, index: Index, meaning: Meaning) -> bool:
        """Whether nothing waits, and the mirror was seen to be as it was left not long ago."""
        if self._looked is None or monotonic() - self._looked > _TRUSTED:
            return False
        sync.refresh(project, index)
        index.outbox.collect(time(), meaning.profile)
        return not index.outbox.backlog().pending

    def _later(self) -> float:
        seconds = pause(self._failures)
        self._failures, self._due = self._failures + 1, monotonic() + seconds
        return seconds
