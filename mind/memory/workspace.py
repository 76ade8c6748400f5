"""Workspace of a use case: project, settings, index, embedding model, clock and session."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mind.documents import parser
from mind.domain import caching
from mind.domain.errors import InputError, NotFound, ProjectError
from mind.domain.settings import Settings
from mind.memory import session, sync
from mind.memory.session import Visit
from mind.search.semantic import ProjectVectors
from mind.storage import events, files
from mind.storage import project as places
from mind.storage.boundary import home
from mind.storage.events import Event, Value
from mind.storage.index import Index
from mind.storage.project import Project
from mind.text import dates

if TYPE_CHECKING:
    from mind.memory.answers import Parsed
    from mind.text.dates.asked import Reference
    from mind.text.dates.periods import Period


@contextmanager
def not_echoed(*asked: str) -> Iterator[None]:
    """Replace an error that would quote a credential in ``asked``.

    Raises:
        SecretRefused: A text contains a credential.
    """
    try:
        yield
    except InputError:
        from mind.memory import validation  # noqa: PLC0415 - only on errors

        validation.refuse_secrets(*asked)
        raise


def _git_versions(path: Path) -> files.GitVersions:
    from mind.sources.git.revisions import versions  # noqa: PLC0415 - only if an entry is missing

    return versions(path)


class Workspace:
    """A project with its index and model, which are opened on first use.

    Args:
        project: The project.
        clock: Returns the current time, with a time zone; the system clock by default.
        session_id: The client's session id, used by calls that pass none.
        meaning: Returns the embedding model of a project, for callers that keep one loaded.
        seconds: Time limit for updating the index; after it, a call answers from the last complete
            state and says so. None for no limit.
    """

    sees_others = True
    """True if the caller may read the user's other memories and write global entries."""
    is_noted = True
    """True if events are written to the usage log; :meth:`renew` resets it.

    Search-as-you-type turns it off: it would log partial words as failed searches, and count the
    entries they find as shown.
    """

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], datetime] | None = None,
        session_id: str | None = None,
        meaning: Callable[[Project], ProjectVectors] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.project = project
        self.client = session_id
        self.models = meaning
        self.clock = clock
        self._seconds = seconds
        files.ask_git(_git_versions)

    def now(self) -> datetime:
        """Return the current time in the project's time zone."""
        if self.clock is not None:
            return self.clock()
        return datetime.now(dates.zone(self.project.settings.time_zone))

    def releases(self, reference: "Reference") -> "Period | None":
        """Return the period that a release name of the repository refers to."""
        from mind.sources.git.revisions import Releases  # noqa: PLC0415 - only when one is named

        return Releases(self.project.root)(reference)

    @cached_property
    def index(self) -> Index:
        """The search index, opened on first use; it is derived from the files."""
        return Index(self.project.cache / "index.db", seconds=self._seconds)

    @cached_property
    def meaning(self) -> ProjectVectors:
        """The embedding model and its vectors, if a model is installed."""
        if self.models is not None:
            return self.models(self.project)
        return ProjectVectors(self.project.settings, home())

    def renew(self) -> None:
        """Read the settings again, for long-lived callers."""
        self.project = self.project.anew()
        self.is_noted = True
        self.__dict__.pop("meaning", None)

    def close(self) -> None:
        """Close the index, after restoring entries that another program overwrote."""
        if "index" in self.__dict__:
            self.index.close()
            del self.index
        caching.clear()
        self.settle()

    def settle(self) -> None:
        """Restore entries that another program overwrote with an old copy of MEMORY.md."""
        files.settle(self.project.memory)
        if files.left_out(self.project.memory):
            from mind.memory import curation  # noqa: PLC0415 - rarely needed

            curation.archive_left_out(self.project, self.now().date())

    def visit(self, session_id: str | None = None, event: str | None = None) -> Visit:
        """Begin a call; a session that ended in the meantime is closed first."""
        self.settle()
        named = session_id or self.client
        return session.enter(self.project, lambda: self.index, self.now(), named, event)

    def refreshed(self) -> Index:
        """Update the index and return it."""
        sync.refresh(self.project, self.index)
        return self.index

    def note(self, visit: Visit, name: str, ids: Sequence[str] = (), **data: Value) -> str:
        """Write to the usage log; return the problem, if any, which must not fail the call."""
        if not self.is_noted:
            return ""
        event = Event(
            at=visit.now,
            session=visit.state.name,
            name=name,
            ids=tuple(ids),
            data={key: value for key, value in data.items() if value not in ("", None)},
        )
        return events.record(self.project.events, event, self.project.settings)

    def refuse_all(self) -> None:
        """Reject an operation on all memories of this user, if the caller may use only this one.

        Raises:
            InputError: The caller may use only this memory.
        """
        if not self.sees_others:
            raise InputError(
                "this concerns all projects, but you have access only to this one",
                remedy="Limit the request to this project.",
            )

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes of Mind from changing this memory during the block.

        Raises:
            LockTimeout: Another process holds the lock for too long.
        """
        return files.lock(self.project.lock)


def parse(path: Path | None = None) -> "Parsed":
    """Parse a Markdown file, MEMORY.md by default: entries, and lines that are none.

    Outside a project, the default settings apply.
    """
    from mind.memory.answers import Parsed  # noqa: PLC0415 - only needed here

    try:
        project = places.find()
    except ProjectError:
        if path is None:
            raise
        project = None
    file = path or (project or places.find()).memory
    if not file.is_file():
        raise NotFound(f"{file} is not a file", remedy="Give a Markdown file.")
    settings = project.settings if project else Settings()
    entries, left = parser.explain(files.read(file), file.as_posix(), settings)
    return Parsed(tuple(parser.number_and_resolve(entries)), tuple(left))


def configure(at: Workspace, key: str, value: str | None, *, user: bool = False) -> None:
    """Set ``key`` to ``value`` (JSON or plain text), or reset it with None.

    Raises:
        ConfigError: The key is unknown, or the value does not fit it.
    """
    path = home() / "config.toml" if user else at.project.config
    from mind.storage import settings_file  # noqa: PLC0415 - only when a setting changes

    settings_file.configure(path, key, value)
    at.project = at.project.anew()


def projects(*, prune: bool = False) -> tuple[list[Path], list[Path]]:
    """Return the registered projects, and those that ``prune`` removed from the list."""
    gone = places.prune() if prune else []
    return places.registered(), gone
