"""The workspace of a use case: a project, its index, its model, the time and the session."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from mind.domain import caching
from mind.domain.errors import InputError
from mind.memory import session, sync
from mind.memory.session import Visit
from mind.search.semantic import Meaning
from mind.storage import files, journal
from mind.storage.home import home
from mind.storage.index import Index
from mind.storage.journal import Event, Value
from mind.storage.project import Project
from mind.text import dates

if TYPE_CHECKING:
    from mind.text.dates.asked import Reference
    from mind.text.dates.periods import Period

T = TypeVar("T")


@contextmanager
def not_echoed(*asked: str) -> Iterator[None]:
    """Tell what is wrong with what was ``asked`` for, unless that is a credential itself.

    Raises:
        Secret: It is one.
    """
    try:
        yield
    except InputError:
        from mind.memory import validation  # noqa: PLC0415 - only where something is wrong

        validation.refuse_secrets(*asked)
        raise


class Workspace:
    """A project with what is opened for it on first use: its index and its model.

    Args:
        project: Whose memory.
        clock: Gives the aware time of a call; the system's by default.
        client: The client's name for its session, for calls that give none.
        models: Gives the embedding model of a project, where it is kept open between calls.
        seconds: How long the index may be built before a call answers from its last complete
            state, and says so; None: until it is complete.
    """

    sees_others = True
    """Whether whoever asks may know of the other memories of this user, and write for all."""
    is_noted = True
    """Whether the log of events is written, until :meth:`renew`.

    Whoever searches with each letter that is typed would make half words of searches that missed,
    and dead weight of what they found.
    """

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], datetime] | None = None,
        client: str | None = None,
        models: Callable[[Project], Meaning] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.project = project
        self.client = client
        self.models = models
        self.clock = clock
        self._seconds = seconds

    def now(self) -> datetime:
        """The time, in the project's zone."""
        if self.clock is not None:
            return self.clock()
        return datetime.now(dates.zone(self.project.settings.time_zone))

    def releases(self, reference: "Reference") -> "Period | None":
        """The time that a release of the repository stands for."""
        from mind.sources.git.releases import Releases  # noqa: PLC0415 - only when one is named

        return Releases(self.project.root)(reference)

    @cached_property
    def index(self) -> Index:
        """The derived index, opened on first use."""
        return Index(self.project.cache / "index.db", seconds=self._seconds)

    @cached_property
    def meaning(self) -> Meaning:
        """The embedding model and its vectors, if there is one."""
        if self.models is not None:
            return self.models(self.project)
        return Meaning(self.project.settings, home())

    def renew(self) -> None:
        """Read the settings anew, for who keeps this open between calls."""
        self.project = self.project.anew()
        self.is_noted = True
        self.__dict__.pop("meaning", None)

    def close(self) -> None:
        """Release the index, and make sure that late clobbered entries are put back."""
        if "index" in self.__dict__:
            self.index.close()
            del self.index
        self.settle()

    def settle(self) -> None:
        """Put back entries that another program took out of MEMORY.md with an old copy of it."""
        files.settle(self.project.memory)
        if files.left_out(self.project.memory):
            from mind.memory import curation  # noqa: PLC0415 - hardly ever needed

            curation.archive_left_out(self.project, self.now().date())

    def visit(self, session_id: str | None = None, event: str | None = None) -> Visit:
        """Begin a call: a session that ended in the meantime is closed first."""
        caching.trim()
        self.settle()
        named = session_id or self.client
        return session.enter(self.project, lambda: self.index, self.now(), named, event)

    def current(self) -> Index:
        """The index, brought up to date."""
        sync.refresh(self.project, self.index)
        return self.index

    def note(self, visit: Visit, name: str, ids: Sequence[str] = (), **data: Value) -> str:
        """Write into the log of events, or say why not; what it lacks costs nobody an answer."""
        if not self.is_noted:
            return ""
        event = Event(
            at=visit.now,
            session=visit.state.name,
            name=name,
            ids=tuple(ids),
            data={key: value for key, value in data.items() if value not in ("", None)},
        )
        return journal.record(self.project.events, event, self.project.settings)

    def refuse_all(self) -> None:
        """Refuse what concerns every memory of this user to who may know only of this one.

        Raises:
            InputError: It is not for who asks.
        """
        if not self.sees_others:
            raise InputError(
                "this concerns every project, which this service does not open to you",
                remedy="Ask for one project.",
            )

    def alone(self, work: Callable[[], T]) -> T:
        """Run ``work`` while no other of Mind's processes changes this memory.

        Raises:
            LockTimeout: Somebody else holds the lock for too long.
        """
        with files.lock(self.project.lock):
            return work()
