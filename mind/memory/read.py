"""Reading a memory: what it holds, found by id, day or file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, parse_kind
from mind.domain.errors import InputError, NotFound
from mind.memory import (
    agenda,
    briefing,
    checks,
    curation,
    entry_history,
    graph,
    neighbours,
    search,
    verdicts,
)
from mind.memory import session as sessions
from mind.memory.answers import (
    Archive,
    Checked,
    Logged,
    SessionView,
    Status,
    Walk,
)
from mind.memory.file_reads import giving
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.search import timeline as history
from mind.search.query import as_id, day_named
from mind.search.results import Around, Details, SearchResult, Timeline, Verdict
from mind.sources import file_history as histories
from mind.sources import staleness
from mind.storage import journal, pending
from mind.storage.index import Filter, Index
from mind.storage.journal import Event, Value
from mind.storage.project import Project
from mind.text import secrets

if TYPE_CHECKING:
    from mind.memory.benchmark import Benchmark, Progress
    from mind.memory.entry_history import Difference, Life
    from mind.memory.file_reads.giving import Given
    from mind.sources.exposed import Exposed
    from mind.sources.file_history import FileHistory
    from mind.sources.offering import Offer
    from mind.text.dates.asked import When

_MOST_REPEATS = 50

"""Entries of the same words among which the last is looked for."""


def when(at: Workspace, text: str) -> "When":
    """Return what words about time mean now; releases are the repository's.

    Raises:
        DateNotUnderstood: They name no time.
    """
    from mind.text.dates.asked import understand  # noqa: PLC0415 - words of nine languages

    with not_echoed(text):
        return understand(text, at.now(), at.releases)


def session(at: Workspace) -> SessionView:
    """The running session and what its buffer holds."""
    visit = at.visit()
    return session_view(at.project, at.current(), visit)


def session_view(project: Project, index: Index, visit: Visit) -> SessionView:
    """Return what the session of a visit has in its buffer."""
    entries = index.entries(Filter(families=("session",)))
    own = [one for one in entries if sessions.part_of(one) == visit.state.part]
    last = project.last_session
    return SessionView(
        started=visit.state.started,
        entries=tuple(own),
        ended=project.relative(last) if last.is_file() else "",
    )


def get(at: Workspace, ids: Sequence[str]) -> Details:
    """The entries with these ids, whole.

    Raises:
        InputError: There are no ids, or over 50.
    """
    visit = at.visit()
    found = history.details(at.current(), ids)
    if found.missing:
        beside = {
            one: neighbours.entry(at.project, one, wide=at.sees_others) for one in found.missing
        }
        more = tuple(one for one in beside.values() if one is not None)
        missing = tuple(one for one in found.missing if beside[one] is None)
        found = replace(found, entries=(*found.entries, *more), missing=missing)
    at.note(visit, "get", [one.id for one in found.entries])
    return replace(found, verdicts=judged(at, found.entries, visit.now.date()))


def judged(at: Workspace, entries: Sequence[Entry], today: date) -> dict[str, Verdict]:
    """The verdicts on entries, by their ids."""
    return verdicts.of_entries(at.project.root, at.index, entries, today)


def timeline(at: Workspace, anchor: str, *, before: int = 5, after: int = 5) -> Timeline:
    """Return what was noted around an entry.

    Args:
        at: Whose memory.
        anchor: Its id, or words that it is the best match for.
        before: How many earlier entries, 0–50.
        after: How many later ones.

    Raises:
        InputError: No anchor, or a number out of range.
        NotFound: Nothing has this id, and nothing matches.
    """
    if not anchor.strip():
        raise InputError("there is no anchor", remedy="Give an id, or words to look for.")
    today = at.visit().now.date()
    with not_echoed(anchor):
        try:
            entry = history.by_id(at.current(), anchor)
        except NotFound:
            hits = search.search(at, anchor, limit=1).hits
            if not hits:
                raise
            entry = hits[0].entry
        found = history.timeline(at.index, entry, before, after)
    shown = (*found.before, found.anchor, *found.after)
    return replace(found, verdicts=judged(at, shown, today))


def around(
    at: Workspace, anchor: str, *, days: int = 7, kinds: Sequence[str] = (), limit: int = 20
) -> Around:
    """Entries of the days around an entry or a date, nearest first.

    Args:
        at: Whose memory.
        anchor: An id, or a date in any form that is understood.
        days: How many before and after, 0–3660.
        kinds: Only these kinds.
        limit: Most entries, 1–50.

    Raises:
        DateNotUnderstood: It is neither.
        InputError: An unknown kind, an entry without a date, or a number out of range.
    """
    which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
    at.visit()
    with not_echoed(anchor):
        entry = at.current().get(as_id(anchor))
        if entry is not None and entry.date is None:
            raise InputError(
                f"{entry.id} has no date", remedy="Use mind_timeline for the lines around it."
            )
        day = entry.date if entry else day_named(anchor.strip())
        if day is None:
            meant = when(at, anchor)
            day = (meant.period.start if meant.period else None) or meant.day
        found = history.around(at.index, day, days, which, limit)
    return replace(found, verdicts=judged(at, found.entries, at.now().date()))


def status(at: Workspace) -> Status:
    """Counts, dates and problems of this memory."""
    visit = at.visit()
    pending = agenda.pending(at.project, visit.now, visit.state.name)
    from mind.memory import health  # noqa: PLC0415 - it knows the clients too

    return health.status(at.project, at.index, at.meaning, visit, pending)


def index_entries(at: Workspace) -> list[Entry]:
    """Every entry, in the order of the files."""
    at.visit()
    return at.current().entries()


def edges(at: Workspace, intent: str, code: str = "", stack: Sequence[str] = ()) -> Checked:
    """Return what is known to go wrong with ``intent`` or ``code``, before it is done."""
    visit = at.visit()
    found = checks.check(at.project, at.current(), at.meaning, intent, code, stack, now=visit.now)
    if found.loops:
        at.note(visit, "warned", [one.earlier.id for one in found.loops])
    return found


def brought_up(at: Workspace, text: str) -> tuple[Reminder, ...]:
    """Pending reminders that ``text`` brings up; no session begins."""
    return agenda.triggered(at.project, text, at.now())


def due(at: Workspace) -> list[Reminder]:
    """Pending reminders whose time has come in this session."""
    return agenda.due(at.project, at.visit())


def note_event(
    at: Workspace, name: str, session: str, data: Mapping[str, Value], ids: Sequence[str] = ()
) -> str:
    """Write an event of a session into the usage log, or say why not; no session begins."""
    event = Event(at=at.now(), session=session, name=name, ids=tuple(ids), data=data)
    return journal.record(at.project.events, event, at.project.settings)


def prepared(at: Workspace) -> "checks.Prepared":
    """All that may warn or remind (see :mod:`mind.memory.checks`); no session begins."""
    return checks.prepared(at.project, at.current(), at.now())


def current(at: Workspace) -> list[Entry]:
    """All entries but those that another one outdates or that somebody contradicted."""
    return briefing.current(at.current())


def traverse(
    at: Workspace, start: str, depth: int = 1, predicate: str | None = None, direction: str = "both"
) -> Walk:
    """Relations around a thing, and entries that name it (see :mod:`mind.memory.graph`)."""
    asked = graph.asked(start, depth, predicate, direction)
    visit = at.visit()
    found = graph.traverse(at.project, at.index, visit, asked)
    return replace(found, start=secrets.mask(found.start))


def entry(at: Workspace, identifier: str) -> Entry:
    """The entry with an id.

    Raises:
        NotFound: Nothing has it.
    """
    with not_echoed(identifier):
        return history.by_id(at.current(), identifier)


def changes(at: Workspace, identifier: str) -> list[str]:
    """The latest commits to the files that an entry cites, since it was true.

    Raises:
        NotFound: Nothing has this id.
    """
    return staleness.changes(at.project.root, entry(at, identifier))


def scan(at: Workspace, *, history: bool = False) -> "list[Exposed]":
    """Credentials in the files, comments and commits of this memory; no session begins.

    Args:
        at: Whose memory.
        history: Look through what git keeps of these files too.

    Raises:
        FileError: A file, or the history, cannot be read.
    """
    from mind.sources import exposed  # noqa: PLC0415 - 150 patterns, of no use to a search

    root = at.project.root
    found = list(exposed.in_files(root, at.project.folder))
    if not at.project.is_own:
        found += exposed.in_sources(root, at.project.settings)
    return [*found, *exposed.in_history(root, at.project.folder)] if history else found


def archive(at: Workspace, query: str = "", *, limit: int = 50, offset: int = 0) -> Archive:
    """Return what was taken out of memory, the latest first.

    With a query only what has its words.
    """
    if not 1 <= limit <= 1000 or offset < 0:
        raise InputError("limit is 1 to 1000, and offset not below 0")
    found = curation.archived(at.project, query)
    return Archive(blocks=tuple(found[offset : offset + limit]), total=len(found))


def stores(at: Workspace) -> "list[Offer]":
    """Stores of other tools that are found here; no session begins."""
    from mind.sources import offering  # noqa: PLC0415 - hardly ever needed

    return offering.offers(at.project, at.now())


def waiting(at: Workspace) -> "list[pending.Pending]":
    """Claims about the person that wait to be confirmed."""
    return pending.listed(at.project, at.now())


def read_file(  # noqa: PLR0913 - independent options, by name only
    at: Workspace,
    path: str,
    *,
    offset: int = 1,
    limit: int = 0,
    whole: bool = False,
    roots: Sequence[Path] = (),
) -> "Given":
    """A file, or what changed since this session read it (see :mod:`mind.memory.file_reads`).

    Args:
        at: Whose memory.
        path: From the project's root, or absolute.
        offset: The first line, from 1.
        limit: How many lines; 0 for as many as fit.
        whole: Give it again, even if the session has it.
        roots: Folders besides the project that may be read.
    """
    visit = at.visit()
    return giving.give(
        giving.Asked(path=path, start=offset, limit=limit, whole=whole),
        root=at.project.root,
        others=roots,
        cache=at.project.cache,
        client=at.client or "",
        session=visit.state.name,
        most=at.project.settings.reply_max_characters,
        now=visit.now,
    )


def placed(at: Workspace, logged: Logged) -> Logged:
    """``logged`` with its entry as it stands in the file now: its line and its section."""
    one = logged.entry
    if logged.pending or one.line:
        return logged
    repeats = (f"{one.id}-{number}" for number in range(2, _MOST_REPEATS + 1))
    which = Filter(ids=(one.id, *repeats))
    found = [
        there
        for there in at.current().entries(which)
        if there.source == one.source and there.id in which.ids
    ]
    return replace(logged, entry=max(found, key=lambda there: there.line, default=one))


def file_history(at: Workspace, path: str, *, limit: int = 20, offset: int = 0) -> "FileHistory":
    """Return what was done to a file and why (see :func:`mind.sources.file_history.of_file`)."""
    asked = histories.Asked(path=path, limit=limit, offset=offset).check()
    zone = at.visit().now.tzinfo
    return histories.of_file(at.project, at.current(), asked, zone)


def benchmark(
    at: Workspace,
    *,
    entries: int = 200,
    seed: int = 0,
    progress: "Progress" = lambda _what, _done, _total: None,
) -> "Benchmark":
    """Return how well and how fast search finds this memory's own entries; no session begins.

    Arguments and errors are those of :func:`mind.memory.benchmark.measure`.
    """
    from mind.memory.benchmark import Reader, measure  # noqa: PLC0415 - searches do without

    reader = Reader(at.project, at.index, at.meaning, at.now(), at.releases)
    return measure(reader, entries=entries, seed=seed, progress=progress)


def search_at(at: Workspace, revision: str, query: str, **how: Any) -> SearchResult:  # noqa: ANN401 - passed on
    """As :func:`mind.memory.search.search`, in the memory as it was at a revision."""
    with entry_history.at(at.project, revision) as old:
        then = Workspace(old, clock=at.clock, models=at.models)
        then.sees_others = False  # of other memories there is no such revision
        try:
            return search.search(then, query, **how)
        finally:
            then.close()


def life(at: Workspace, identifier: str) -> "Life":
    """Every version of an entry that git knows (see :func:`mind.memory.entry_history`)."""
    return entry_history.life(at.project, at.current(), identifier)


def difference(at: Workspace, revisions: str) -> "Difference":
    """Compare two revisions (see :func:`mind.memory.entry_history.difference`)."""
    return entry_history.difference(at.project, revisions)
