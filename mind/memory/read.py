"""Read use cases: entries by id, day or file, status, sessions and checks."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mind.domain.entry import Entry, parse_kind
from mind.domain.errors import InputError, NotFound, check_range
from mind.memory import curation, search, verdicts
from mind.memory import session as sessions
from mind.memory.answers import (
    ArchivedEntries,
    CheckResult,
    Logged,
    SessionView,
)
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.search.query import as_id, day_named
from mind.search.results import Details, NearbyEntries, SearchResult, Timeline, Verdict
from mind.sources import staleness
from mind.storage import pending
from mind.storage.index import Filter, Index
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.memory.file_reads.giving import ReadAnswer
    from mind.sources.available import AvailableStore
    from mind.sources.exposed import Exposed
    from mind.sources.file_history import FileHistory
    from mind.text.dates.asked import RequestedTime

_MOST_REPEATS = 50
"""Maximum entries with the same words among which the last is looked up."""


def when(at: Workspace, text: str) -> "RequestedTime":
    """Parse a date expression; release names are looked up in the repository.

    Raises:
        DateNotUnderstood: Not a time Mind understands.
    """
    from mind.text.dates.asked import understand  # noqa: PLC0415 - words of nine languages

    with not_echoed(text):
        return understand(text, at.now(), at.releases)


def session(at: Workspace) -> SessionView:
    """Return the running session and its notes."""
    visit = at.visit()
    return session_view(at.project, at.refreshed(), visit)


def session_view(project: Project, index: Index, visit: Visit) -> SessionView:
    """Return the session of a visit and its notes."""
    entries = index.entries(Filter(families=("session",)))
    own = [one for one in entries if sessions.part_of(one) == visit.state.part]
    last = project.last_session
    return SessionView(
        started=visit.state.started,
        entries=tuple(own),
        ended=project.relative(last) if last.is_file() else "",
        waiting=len(entries) - len(own),
    )


def get(at: Workspace, ids: Sequence[str]) -> Details:
    """Return the entries with these ids, in full.

    Raises:
        InputError: No ids are given, or more than 50.
    """
    from mind.search import timeline as history  # noqa: PLC0415 - only where entries are listed

    visit = at.visit()
    found = history.details(at.refreshed(), ids)
    found = replace(found, entries=tuple(verdicts.settled(at.index, found.entries)))
    own = [one.id for one in found.entries]
    if found.missing:
        beside = {
            one: search.entry_elsewhere(at.project, one, wide=at.sees_others)
            for one in found.missing
        }
        more = tuple(one for one in beside.values() if one is not None)
        missing = tuple(one for one in found.missing if beside[one] is None)
        found = replace(found, entries=(*found.entries, *more), missing=missing)
    at.note(visit, "get", own)
    return replace(found, verdicts=judged(at, found.entries, visit.now.date()))


def judged(at: Workspace, entries: Sequence[Entry], today: date) -> dict[str, Verdict]:
    """Return the verdicts on entries, by their ids."""
    return verdicts.of_entries(at.project.root, at.index, entries, today)


def timeline(at: Workspace, anchor: str, *, before: int = 5, after: int = 5) -> Timeline:
    """Return the entries recorded just before and after an entry.

    Args:
        at: The workspace.
        anchor: Id of the entry, or a query whose best match is used.
        before: Number of earlier entries, 0–50.
        after: Number of later entries, 0–50.

    Raises:
        InputError: No anchor, or a number out of range.
        NotFound: No entry has this id or matches.
    """
    from mind.search import timeline as history  # noqa: PLC0415 - only where entries are listed

    if not anchor.strip():
        raise InputError("the anchor is empty", remedy="Give an id or search words.")
    today = at.visit().now.date()
    with not_echoed(anchor):
        entry = at.refreshed().get(as_id(anchor))
        if entry is None:
            hits = search.search(at, anchor, limit=1).hits
            if not hits:
                raise NotFound(
                    f"there is no entry {anchor!r}", remedy="Use an id that a search lists."
                )
            entry = hits[0].entry
        found = history.timeline(at.index, entry, before, after)
    shown = verdicts.settled(at.index, (*found.before, found.anchor, *found.after))
    middle = len(found.before)
    return replace(
        found,
        before=tuple(shown[:middle]),
        anchor=shown[middle],
        after=tuple(shown[middle + 1 :]),
        verdicts=judged(at, shown, today),
    )


def around(
    at: Workspace, anchor: str, *, days: int = 7, kinds: Sequence[str] = (), limit: int = 20
) -> NearbyEntries:
    """Return the entries of the days around an entry or a date, closest first.

    Args:
        at: The workspace.
        anchor: An id, or a date expression.
        days: Number of days before and after, 0–3660.
        kinds: Only entries of these kinds.
        limit: Maximum number of entries, 1–50.

    Raises:
        DateNotUnderstood: The anchor is neither.
        InputError: An unknown kind, an entry without a date, or a number out of range.
    """
    from mind.search import timeline as history  # noqa: PLC0415 - only where entries are listed

    which = Filter(kinds=tuple(parse_kind(kind) for kind in kinds))
    today = at.visit().now.date()
    with not_echoed(anchor):
        entry = at.refreshed().get(as_id(anchor))
        is_note = entry and entry.source == at.project.relative(at.project.session)
        day = entry and (entry.date or (today if is_note else None))
        if entry is not None and day is None:
            raise InputError(
                f"{entry.id} has no date", remedy="Use mind_timeline for the entries around it."
            )
        day = day or day_named(anchor.strip())
        if day is None:
            meant = when(at, anchor)
            day = (meant.period.start if meant.period else None) or meant.day
        found = history.around(at.index, day, days, which, limit, today)
    entries = tuple(verdicts.settled(at.index, found.entries))
    return replace(found, entries=entries, verdicts=judged(at, entries, today))


def index_entries(at: Workspace) -> list[Entry]:
    """Return all entries, in file order."""
    at.visit()
    return at.refreshed().entries()


def edges(at: Workspace, intent: str, code: str = "", stack: Sequence[str] = ()) -> CheckResult:
    """Check ``intent`` or ``code`` against gotchas and rejected approaches."""
    from mind.memory import checks  # noqa: PLC0415 - the matching of plans: 15 ms

    visit = at.visit()
    code = checks.without_memory(at.project, code)
    found = checks.check(at.project, at.refreshed(), at.meaning, intent, code, stack, now=visit.now)
    if found.loops:
        at.note(visit, "warned", [one.earlier.id for one in found.loops])
    others = search.always_searched(at.project, wide=at.sees_others)
    named = (one for one in others if one.name)
    return checks.with_others(at.project, found, named, intent, code)


def entry(at: Workspace, identifier: str) -> Entry:
    """Return the entry with an id.

    Raises:
        NotFound: No entry has this id.
    """
    return at.refreshed().get(as_id(identifier)) or refuse_missing(at, [identifier])


def refuse_missing(at: Workspace, ids: Sequence[str]) -> NoReturn:
    """Reject ids that no entry has.

    Raises:
        NotFound: Always; the remedy says if one of them is archived.
    """
    wanted = {as_id(one) for one in ids}
    gone = next((one for one in curation.archived(at.project) if one.id in wanted), None)
    with not_echoed(*ids):
        raise NotFound.entry(*ids, archived=f"{gone.day} ({gone.reason})" if gone else "")


def changes(at: Workspace, identifier: str) -> list[str]:
    """Return the commits to the files an entry cites, since it was last known to be true.

    Raises:
        NotFound: No entry has this id.
    """
    return staleness.changes(at.project.root, entry(at, identifier))


def scan(at: Workspace, *, history: bool = False) -> "list[Exposed]":
    """Find secrets in the files, comments and commits of this memory; starts no session.

    Args:
        at: The workspace.
        history: Also scan the git history of these files.

    Raises:
        FileError: A file, or the history, cannot be read.
    """
    from mind.sources import exposed  # noqa: PLC0415 - 150 patterns that no search needs

    root = at.project.root
    found = list(exposed.in_files(root, at.project.folder))
    if not at.project.is_own:
        found += exposed.in_sources(root, at.project.settings)
    return [*found, *exposed.in_history(root, at.project.folder)] if history else found


def archive(at: Workspace, query: str = "", *, limit: int = 50, offset: int = 0) -> ArchivedEntries:
    """Return archived entries, latest first; with a query, only those with all its words."""
    check_range("limit", limit, 1, 1000)
    check_range("offset", offset, 0, 1_000_000)
    found = curation.archived(at.project, query)
    return ArchivedEntries(blocks=tuple(found[offset : offset + limit]), total=len(found))


def stores(at: Workspace) -> "list[AvailableStore]":
    """Find the memory stores of other tools for this project; starts no session."""
    from mind.sources import available  # noqa: PLC0415 - rarely needed

    return available.offers(at.project, at.now())


def waiting(at: Workspace) -> "list[pending.Pending]":
    """Return claims about the user that wait for confirmation."""
    return pending.listed(at.project, at.now())


def read_file(  # noqa: PLR0913 - independent options, by name only
    at: Workspace,
    path: str,
    *,
    offset: int = 1,
    limit: int = 0,
    whole: bool = False,
    roots: Sequence[Path] = (),
) -> "ReadAnswer":
    """Return a file, or its changes since this session read it (:mod:`mind.memory.file_reads`).

    Args:
        at: The workspace.
        path: Path relative to the project, or absolute.
        offset: First line, counted from 1.
        limit: Number of lines; 0 for as many as fit.
        whole: Return it in full even if the session has read it.
        roots: Further folders that may be read.
    """
    from mind.memory.file_reads import giving  # noqa: PLC0415 - only where a file is read

    visit = at.visit()
    return giving.give(
        giving.ReadRequest(path=path, start=offset, limit=limit, whole=whole),
        root=at.project.root,
        others=roots,
        cache=at.project.cache,
        client=at.client or "",
        session=visit.state.name,
        most=at.project.settings.reply_max_characters,
        now=visit.now,
    )


def placed(at: Workspace, logged: Logged) -> Logged:
    """Return ``logged`` with the entry's current line and section in its file."""
    one = logged.entry
    if logged.pending or one.line:
        return logged
    repeats = (f"{one.id}-{number}" for number in range(2, _MOST_REPEATS + 1))
    which = Filter(ids=(one.id, *repeats))
    found = [
        there
        for there in at.refreshed().entries(which)
        if there.source == one.source and there.id in which.ids
    ]
    return replace(logged, entry=max(found, key=lambda there: there.line, default=one))


def file_history(at: Workspace, path: str, *, limit: int = 20, offset: int = 0) -> "FileHistory":
    """Return the history of a file (see :func:`mind.sources.file_history.of_file`)."""
    from mind.sources import file_history as histories  # noqa: PLC0415 - only for this

    check_range("limit", limit, 1, histories.MOST)
    check_range("offset", offset, 0, histories.FURTHEST)
    page, zone = slice(offset, offset + limit), at.visit().now.tzinfo
    return histories.of_file(at.project, at.refreshed(), path, page, zone)


def search_at(at: Workspace, /, revision: str, query: str, **how: Any) -> SearchResult:  # noqa: ANN401 - passed on
    """Search the memory at a git revision; options as for :func:`mind.memory.search.search`."""
    from mind.memory import entry_history  # noqa: PLC0415 - the history of git: 15 ms

    with entry_history.at(at.project, revision) as old:
        then = Workspace(old, clock=at.clock, meaning=at.models)
        then.sees_others = False  # other memories do not have this revision
        try:
            return search.search(then, query, **how)
        finally:
            then.close()
