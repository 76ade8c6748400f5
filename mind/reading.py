"""Reading a project's memory: what it holds, found and listed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Self, TypeVar

from mind import (
    agenda,
    asking,
    caching,
    dates,
    files,
    history,
    journal,
    lifecycle,
    search,
    secrets,
    session,
    staleness,
    sync,
    usage,
)
from mind import project as projects
from mind.answers import (
    Around,
    Checked,
    Details,
    Found,
    SessionView,
    Status,
    Timeline,
    Walk,
)
from mind.asking import Asked, as_id, day_named
from mind.dates.understood import When, understand
from mind.deferred import Deferred
from mind.entry import Entry, parse_kind
from mind.errors import InputError, NotFound
from mind.home import home
from mind.index import Filter, Index
from mind.journal import Event, Value
from mind.lifecycle import Visit
from mind.meaning import Meaning
from mind.mirror.address import is_configured
from mind.project import Project
from mind.reminders import Reminder
from mind.search import Page

T = TypeVar("T")

if TYPE_CHECKING:
    from mind import checks, curation, gate, graph, mirroring
    from mind.dates.period import Period
    from mind.dates.references import Reference
else:
    checks, gate, graph = Deferred("checks"), Deferred("gate"), Deferred("graph")
    curation, mirroring = Deferred("curation"), Deferred("mirroring")


@contextmanager
def not_echoed(*asked: str) -> Iterator[None]:
    """Tell what is wrong with what was ``asked`` for, unless that is a credential itself.

    Raises:
        Secret: It is one.
    """
    try:
        yield
    except InputError:
        gate.refuse_secrets(*asked)
        raise


class Reading:
    """A project's memory, as of each call: no state is kept between calls but open files.

    Args:
        project: Whose memory.
        clock: Gives the aware time of a call; the system's by default.
        session_id: The client's name for its session, for calls that give none.
        meaning: Gives the embedding model of a project, where it is kept open between calls.
        seconds: How long the index may be built before a call answers from its last complete
            state, and says so; None: until it is complete.
    """

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], datetime] | None = None,
        session_id: str | None = None,
        meaning: Callable[[Project], Meaning] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.project = project
        self._seconds = seconds
        self._meaning = meaning
        self._session_id = session_id
        self._clock = clock or self._system_time

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        *,
        session_id: str | None = None,
        meaning: Callable[[Project], Meaning] | None = None,
    ) -> Self:
        """The memory of the project that serves ``start`` (see :func:`mind.project.find`).

        Raises:
            ProjectError: There is no project here.
        """
        return cls(projects.find(start), session_id=session_id, meaning=meaning)

    def _system_time(self) -> datetime:
        return datetime.now(dates.zone(self.project.settings.time_zone))

    def now(self) -> datetime:
        """The time, in the project's zone."""
        return self._clock()

    def when(self, text: str) -> When:
        """What words about time mean now; releases are the repository's.

        Raises:
            DateNotUnderstood: They name no time.
        """
        with not_echoed(text):
            return understand(text, self.now(), self._releases)

    def _releases(self, reference: "Reference") -> "Period | None":
        from mind.sources.releases import Releases  # noqa: PLC0415 - only when one is named

        return Releases(self.project.root)(reference)

    @cached_property
    def index(self) -> Index:
        """The derived index, opened on first use."""
        return Index(self.project.cache / "index.db", seconds=self._seconds)

    @cached_property
    def meaning(self) -> Meaning:
        """The embedding model and its vectors, if there is one."""
        if self._meaning is not None:
            return self._meaning(self.project)
        return Meaning(self.project.settings, home())

    def close(self) -> None:
        """Release the index, and make sure that late clobbered entries are put back."""
        if "index" in self.__dict__:
            self.index.close()
            del self.index
        self._settle()

    def _settle(self) -> None:
        files.settle(self.project.memory)
        if files.left_out(self.project.memory):
            curation.archive_left_out(self.project, self._clock().date())

    def _visit(self, session_id: str | None = None, event: str | None = None) -> Visit:
        """Every call begins here: a session that ended in the meantime is closed first."""
        caching.trim()
        self._settle()
        named = session_id or self._session_id
        return lifecycle.enter(self.project, lambda: self.index, self._clock(), named, event)

    def _mirror_warnings(self) -> tuple[str, ...]:
        """What is wrong with the mirror, if there is one."""
        told: tuple[str, ...] = (
            self.index.sure(lambda: mirroring.warnings(self.project, self.index))
            if is_configured(self.project.settings)
            else ()
        )
        return told

    def session(self) -> SessionView:
        """The running session and what its buffer holds."""
        visit = self._visit()
        return self._current(lambda: self._session_view(visit))

    def _session_view(self, visit: Visit) -> SessionView:
        entries = self.index.entries(Filter(families=("session",)))
        own = [one for one in entries if session.part_of(one) == visit.state.part]
        return SessionView(started=visit.state.started, entries=tuple(own))

    def search(  # noqa: PLR0913 - independent options, by name only
        self,
        query: str,
        *,
        kinds: Sequence[str] = (),
        everywhere: bool = False,
        limit: int | None = None,
        offset: int = 0,
        filters: Mapping[str, str] = MappingProxyType({}),
        mirror: bool | None = None,
    ) -> Found:
        """The entries that match ``query`` best.

        Args:
            query: Words, and filters (see :mod:`mind.asking`); nothing in it is wrong.
            kinds: Only these kinds.
            everywhere: Search every registered project.
            limit: Most hits, 1–100; the setting ``search.limit`` by default.
            offset: How many of the best hits to leave out.
            filters: "since", "until", "tag", "status", "lang" and "order", as they can stand in a
                query.
            mirror: Search in the mirror (see :mod:`mind.mirroring`); None: as the settings say.

        Raises:
            InputError: An empty query, an unknown kind or filter, or a number out of range.
        """
        start = perf_counter()
        if not query.strip():
            raise InputError("the query is empty", remedy="Say in a few words what to look for.")
        most = self.project.settings.search_limit if limit is None else limit
        page = Page(most, offset).check()
        visit = self._visit()
        with not_echoed(*kinds, *filters.values()):
            which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
            asked = asking.understand(query, visit.now, self._releases, which, filters)
        asked = asking.without(asked, visit.state.muted)
        find = search.everywhere if everywhere else search.find
        if self.project.settings.mirror_search if mirror is None else mirror:
            find = mirroring.everywhere if everywhere else mirroring.find
        found = find(self.project, self.index, self.meaning, asked, page)
        shown = secrets.mask(query)
        answer = replace(
            found,
            query=shown,
            reminders=agenda.triggered(self.project, query, visit.now),
            problems=(*visit.problems, *found.problems),
        )
        search.log(answer, perf_counter() - start)
        said = journal.said(shown, keep=self.project.settings.events_queries)
        self._note(visit, "search", [hit.entry.id for hit in answer.hits], **said)
        return answer

    def get(self, ids: Sequence[str]) -> Details:
        """The entries with these ids, whole.

        Raises:
            InputError: There are no ids, or over 50.
        """
        visit = self._visit()
        found = self._current(lambda: history.details(self.index, ids))
        self._note(visit, "get", [one.id for one in found.entries])
        return replace(found, stale=self._stale(found.entries, visit.now.date()))

    def _stale(self, entries: Sequence[Entry], today: date) -> dict[str, tuple[str, ...]]:
        """What speaks against entries, by their ids."""
        disputed = self.index.sure(lambda: usage.disputed(self.index, entries))
        told = staleness.of_entries(self.project.root, entries, today)
        found = {
            one.id: (*([disputed[one.id]] if one.id in disputed else []), *stale)
            for one, stale in zip(entries, told, strict=True)
        }
        return {one: stale for one, stale in found.items() if stale}

    def timeline(self, anchor: str, *, before: int = 5, after: int = 5) -> Timeline:
        """What was noted around an entry.

        Args:
            anchor: Its id, or words that it is the best match for.
            before: How many earlier entries, 0–50.
            after: How many later ones.

        Raises:
            InputError: No anchor, or a number out of range.
            NotFound: Nothing has this id, and nothing matches.
        """
        if not anchor.strip():
            raise InputError("there is no anchor", remedy="Give an id, or words to look for.")
        today = self._visit().now.date()

        def timeline() -> Timeline:
            try:
                entry = history.by_id(self.index, anchor)
            except NotFound:
                hits = self.search(anchor, limit=1).hits
                if not hits:
                    raise
                entry = hits[0].entry
            return history.timeline(self.index, entry, before, after)

        with not_echoed(anchor):
            found = self._current(timeline)
        shown = (*found.before, found.anchor, *found.after)
        return replace(found, stale=self._stale(shown, today))

    def around(
        self, anchor: str, *, days: int = 7, kinds: Sequence[str] = (), limit: int = 20
    ) -> Around:
        """Entries of the days around an entry or a date, nearest first.

        Args:
            anchor: An id, or a date in any form that is understood.
            days: How many before and after, 0–3660.
            kinds: Only these kinds.
            limit: Most entries, 1–50.

        Raises:
            DateNotUnderstood: It is neither.
            InputError: An unknown kind, an entry without a date, or a number out of range.
        """
        which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
        self._visit()

        def around() -> Around:
            entry = self.index.get(as_id(anchor))
            if entry is not None and entry.date is None:
                raise InputError(
                    f"{entry.id} has no date", remedy="Use mind_timeline for the lines around it."
                )
            day = entry.date if entry else day_named(anchor.strip())
            if day is None:
                meant = self.when(anchor)
                day = (meant.period.start if meant.period else None) or meant.day
            return history.around(self.index, day, days, which, limit)

        with not_echoed(anchor):
            return self._current(around)

    def recent(self, *, kinds: Sequence[str] = (), limit: int = 10, offset: int = 0) -> Found:
        """The latest entries, newest first.

        Raises:
            InputError: An unknown kind, or a number out of range.
        """
        page = Page(limit, offset).check()
        which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
        visit = self._visit()
        asked = Asked(text="", which=which, order="newest", today=visit.now.date())
        asked = asking.without(asked, visit.state.muted)
        return search.find(self.project, self.index, self.meaning, asked, page)

    def _current(self, read: Callable[[], T]) -> T:
        """What ``read`` finds in the index, brought up to date."""

        def fresh() -> T:
            sync.refresh(self.project, self.index)
            return read()

        return self.index.sure(fresh)

    def _note(self, visit: Visit, name: str, ids: Sequence[str] = (), **data: Value) -> str:
        """Write into the usage log, or say why not; what it lacks costs nobody an answer."""
        event = Event(
            at=visit.now,
            session=visit.state.name,
            name=name,
            ids=tuple(ids),
            data={key: value for key, value in data.items() if value not in ("", None)},
        )
        return journal.record(self.project.events, event, self.project.settings)

    def status(self) -> Status:
        """Counts, dates and problems of this memory."""
        visit = self._visit()
        pending = agenda.pending(self.project, visit.now, visit.state.name)
        from mind import health  # noqa: PLC0415 - it knows the clients too

        return self.index.sure(
            lambda: health.status(self.project, self.index, self.meaning, visit, pending)
        )

    def index_entries(self) -> list[Entry]:
        """Every entry, in the order of the files."""
        self._visit()

        def entries() -> list[Entry]:
            sync.refresh(self.project, self.index)
            return self.index.entries()

        return self.index.sure(entries)

    def edges(self, intent: str, code: str = "", stack: Sequence[str] = ()) -> Checked:
        """What is known to go wrong with ``intent`` or ``code``, before it is done."""
        now = self._visit().now
        return self._current(
            lambda: checks.check(
                self.project, self.index, self.meaning, intent, code, stack, now=now
            )
        )

    def brought_up(self, text: str) -> tuple[Reminder, ...]:
        """Pending reminders that ``text`` brings up; no session begins."""
        return agenda.triggered(self.project, text, self.now())

    def due(self) -> list[Reminder]:
        """Pending reminders whose time has come in this session."""
        return agenda.due(self.project, self._visit())

    def record(self, name: str, session: str, data: Mapping[str, Value]) -> str:
        """Write an event of a session into the usage log, or say why not; no session begins."""
        event = Event(at=self.now(), session=session, name=name, data=data)
        return journal.record(self.project.events, event, self.project.settings)

    def prepared(self) -> "checks.Prepared":
        """All that may warn or remind (see :func:`mind.checks.prepared`); no session begins."""
        return self._current(lambda: checks.prepared(self.project, self.index, self.now()))

    def traverse(
        self, start: str, depth: int = 1, predicate: str | None = None, direction: str = "both"
    ) -> Walk:
        """Relations around a thing, and entries that name it (see :func:`mind.graph.traverse`)."""
        asked = graph.asked(start, depth, predicate, direction)
        visit = self._visit()
        found = self.index.sure(lambda: graph.traverse(self.project, self.index, visit, asked))
        return replace(found, start=secrets.mask(found.start))
