"""A session from its first call to its end, and what of it goes into memory.

What is kept is added to MEMORY.md; what it replaces goes to the archive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path

from mind.documents import notebook, parser
from mind.domain.entry import Entry, Kind, content_id
from mind.domain.errors import FileError, IndexIncomplete
from mind.memory import session, sync
from mind.memory.answers import Promoted
from mind.memory.session import Promotion, Running, State
from mind.storage import files
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.storage.templates import text as template
from mind.text import secrets
from mind.text.terms import query_terms

_RESEMBLING = 20
_TOUCH_MILLISECONDS = 60_000
"""Activity of the most recent session is noted this often at most: a recall that finds nothing new
writes nothing."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One call: when it came, which session it belongs to, and what it began with.

    Attributes:
        now: When.
        state: Of the session.
        new: The call began a new session.
        promoted: What the session before left behind.
        problems: What could not be written, each with its remedy.
    """

    now: datetime
    state: State
    new: bool = False
    promoted: tuple[Promoted, ...] = ()
    problems: list[str] = field(default_factory=list)


def enter(
    project: Project,
    index: Callable[[], Index],
    now: datetime,
    session_id: str | None,
    event: str | None,
) -> Visit:
    """Begin a call: continue its session, or begin one; close the sessions that are over.

    Where the state cannot be written (a read-only checkout), the call goes on and says so.

    Raises:
        NewerVersion: A newer version of Mind wrote the settings or the state.
    """
    project.readable()
    gap = timedelta(minutes=project.settings.session_gap_minutes)
    running = _running(project)
    own = running.of_call(now, gap, session_id, event)
    visit = Visit(now=now, state=own or State())
    news = own is not running.newest or _is_news(visit.state, now, session_id)
    if not news and not running.over(now, gap, own):
        return visit
    try:
        with files.lock(project.lock):
            _enter(project, index, visit, session_id, event)
    except FileError as error:
        visit.problems.append(str(error))
    except IndexIncomplete:  # a later call closes and begins; this one says what its answer lacks
        return visit
    return visit


def _running(project: Project) -> Running:
    return Running.from_json(files.read_json(project.state))


def _is_news(state: State, now: datetime, session_id: str | None) -> bool:
    """True if the state has to be written: of a call a minute after the last one, or a new name."""
    later = session.touched(state, now, session_id)
    idle = later.last_activity - state.last_activity
    return idle >= _TOUCH_MILLISECONDS or later.session_ids != state.session_ids


def _enter(
    project: Project,
    index: Callable[[], Index],
    visit: Visit,
    session_id: str | None,
    event: str | None,
) -> None:
    """Decide with the lock held: another process may have been first."""
    gap = timedelta(minutes=project.settings.session_gap_minutes)
    running = _running(project)
    own = running.of_call(visit.now, gap, session_id, event)
    over = running.over(visit.now, gap, own)
    running = running.without(*over)
    if own is None:
        visit.promoted = _closed(project, index(), over, running, visit.now)
        visit.new = True
        running = _with_something_to_keep(project, running)
        visit.state = session.begun(visit.now, session_id, running.free_part(visit.now))
    else:
        visit.promoted = _closed(project, index(), over, running, visit.now) if over else ()
        visit.state = session.touched(own, visit.now, session_id)
    _store(project, running.with_newest(visit.state))


def _with_something_to_keep(project: Project, running: Running) -> Running:
    """The sessions that are worth remembering: where nobody noted anything, hardly any is."""
    if files.read(project.session) not in (b"", template("SESSION.md").encode()):
        return running
    return Running(tuple(one for one in running.sessions if one.muted))


def _store(project: Project, running: Running) -> None:
    files.write_json(project.state, running.to_json())


def _closed(
    project: Project, index: Index, over: Sequence[State], running: Running, now: datetime
) -> tuple[Promoted, ...]:
    """Close sessions, and parts of SESSION.md that no session writes any more."""
    sync.refresh_whole(project, index, sources=False)
    taken = {one.part for one in running.sessions}
    left = [
        State(part=part)
        for part in notebook.session_parts(files.read(project.session))
        if part not in taken and part not in {one.part for one in over}
    ]
    return tuple(kept for one in (*over, *left) for kept in close(project, index, one, now))


def end(
    project: Project, index: Callable[[], Index], now: datetime, session_id: str
) -> tuple[Promoted, ...]:
    """Close the session that a client names, because the client said that it is over.

    Raises:
        FileError: A file cannot be written.
        IndexIncomplete: It is closed by a later call.
    """
    with files.lock(project.lock):
        running = _running(project)
        over = [one for one in running.sessions if session_id in one.session_ids]
        if not over:
            return ()
        running = running.without(*over)
        promoted = _closed(project, index(), over, running, now)
        _store(project, running)
    return promoted


def remember(project: Project, visit: Visit, memory_hash: str) -> None:
    """Note the memory that this session saw."""
    if memory_hash == visit.state.memory_hash:
        return
    try:
        keep(project, visit, replace(visit.state, memory_hash=memory_hash))
    except FileError as error:
        visit.state = replace(visit.state, memory_hash=memory_hash)
        visit.problems.append(str(error))


def keep(project: Project, visit: Visit, state: State) -> None:
    """Write what the session is to remember; ``visit`` goes on with it.

    Raises:
        FileError: It cannot be written.
    """
    with files.lock(project.lock):
        _hold(project, visit, state)


def _hold(project: Project, visit: Visit, state: State) -> None:
    """Write the state of the visit; the caller holds the lock.

    Another session may have begun since the visit did, and taken the part of one that had noted
    nothing: then this one gets another.
    """
    running = _running(project).without(state)
    if any(one.part == state.part for one in running.sessions):
        state = replace(state, part=running.free_part(visit.now))
    _store(project, running.with_newest(state))
    visit.state = state


def close(project: Project, index: Index, state: State, now: datetime) -> list[Promoted]:
    """End the session in ``state``: promote its items, clear its part.

    The caller holds the project's lock and has refreshed the index. Memory is written before the
    part is cleared, so that a crash in between repeats the promotion, which then finds
    everything known.
    """
    blank = template("SESSION.md").encode()
    source = _part(files.read(project.session), state.part)
    entries = (
        parser.parse(source, project.relative(project.session), project.settings)
        if source.strip() and source != blank
        else []
    )
    decisions = session.promote(entries, lambda entry: _resembling(index, entry), project.settings)
    if any(decision.outcome in ("added", "linked", "superseded") for decision in decisions):
        _write(project, decisions, now.date())
    if source and source != blank:
        files.write(project.last_session, secrets.mask_bytes(source))
        files.edit(
            project.session,
            lambda now_there: notebook.without_part(now_there, state.part, source, blank),
        )
    return [Promoted(outcome=one.outcome, entry=one.entry, other=one.other) for one in decisions]


def _part(source: bytes, part: str) -> bytes:
    """The text of a session's part; nothing if there is none."""
    span = notebook.session_parts(source).get(part)
    return source[span.start : span.end] if span else b""


def _resembling(index: Index, entry: Entry) -> list[Entry]:
    found = index.match(query_terms(entry.text), Filter(families=("memory",)), limit=_RESEMBLING)
    return [other for other, _ in found]


def _write(project: Project, decisions: Sequence[Promotion], day: date) -> None:
    replaced: list[tuple[Entry, str]] = []
    for decision in decisions:
        if decision.outcome not in ("added", "linked", "superseded"):
            continue
        text = notebook.unlabelled(decision.kind, decision.entry.text)
        message = text
        if decision.other is not None:
            relation = "related" if decision.outcome == "linked" else "supersedes"
            message += f" [{relation}:: {decision.other.id}]"
            if decision.outcome == "superseded":
                is_same = text == decision.entry.text
                replaced.append(
                    (decision.other, decision.entry.id if is_same else content_id(text))
                )
        append(project, notebook.line_for(decision.kind, message), day)
    for entry, by in replaced:
        from mind.memory import curation  # noqa: PLC0415 - only where a session replaces something

        curation.forget(project, entry, "superseded by a later entry", day, replaced_by=by)


def record(project: Project, kind: Kind, line: str, visit: Visit) -> Path:
    """Write ``line`` into the file that ``kind`` belongs to, and say which that is.

    Args:
        project: Whose memory.
        kind: Of the entry.
        line: As it is written.
        visit: Whose day it gets, and whose session's part of SESSION.md.
    """
    if kind not in notebook.SESSION_SECTIONS:
        files.append(project.memory, _of_day(project, line, visit.now.date()))
        return project.memory
    with files.lock(project.lock):  # nobody takes the part before the note is there
        running = _running(project)
        if visit.state.last_activity and running == running.without(visit.state):
            _hold(project, visit, visit.state)
        files.edit(
            project.session,
            lambda source: notebook.add_to_session(source, kind, line, visit.state.part),
            create=True,
        )
    return project.session


def append(project: Project, line: str, day: date) -> None:
    """Add ``line`` to MEMORY.md under the heading of ``day``."""
    files.append(project.memory, _of_day(project, line, day))


def _of_day(project: Project, line: str, day: date) -> Callable[[bytes], bytes]:
    """Makes of the end of MEMORY.md what is added for ``line``."""

    def compose(tail: bytes) -> bytes:
        added = notebook.append_to_day(tail, line, day, whole=False)
        if added is None:
            added = notebook.append_to_day(files.read(project.memory), line, day, whole=True)
        return added or b""

    return compose
