"""A session from its first call to its end, and what of it goes into memory.

What is kept is added to MEMORY.md; what it replaces goes to the archive.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from mind import files, parser, reminders, session, sync
from mind.answers import Promoted
from mind.deferred import Deferred
from mind.entry import Entry, Kind
from mind.errors import FileError, InputError
from mind.index import Filter, Index
from mind.project import Project
from mind.reminders import Reminder
from mind.session import Promotion, State
from mind.templates import text as template
from mind.terms import query_terms

if TYPE_CHECKING:
    from mind import curation, notebook
else:
    curation, notebook = Deferred("curation"), Deferred("notebook")

_RESEMBLING = 20
_TOUCH_MILLISECONDS = 60_000
"""Activity is noted this often at most: a recall that finds nothing new writes nothing."""


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
    """Begin a call: continue the session, or close it and begin another.

    Where the state cannot be written (a read-only checkout), the call goes on and says so.
    """
    visit = Visit(now=now, state=State.from_json(files.read_json(project.state)))
    gap = timedelta(minutes=project.settings.session_gap_minutes)

    def anew() -> bool:
        return session.begins_anew(visit.state, now, gap, session_id, event)

    try:
        if anew():
            with files.lock(project.lock):
                visit.state = State.from_json(files.read_json(project.state))
                if anew():  # no other process was first
                    visit.new = True
                    _begin(project, index(), visit, session_id)
        else:
            _touch(project, visit, session_id)
    except FileError as error:
        visit.problems.append(str(error))
    return visit


def _begin(project: Project, index: Index, visit: Visit, session_id: str | None) -> None:
    ended, visit.state = visit.state, session.begun(visit.now, session_id)

    def closed() -> list[Promoted]:
        sync.refresh(project, index, sources=False)
        return close(project, index, ended, visit.now)

    visit.promoted = tuple(index.sure(closed))
    files.write_json(project.state, visit.state.to_json())


def _touch(project: Project, visit: Visit, session_id: str | None) -> None:
    before, visit.state = visit.state, session.touched(visit.state, visit.now, session_id)
    idle = visit.state.last_activity - before.last_activity
    if idle >= _TOUCH_MILLISECONDS or visit.state.session_ids != before.session_ids:
        files.write_json(project.state, visit.state.to_json())


def remember(project: Project, visit: Visit, due: Sequence[Reminder], memory_hash: str) -> None:
    """Note which "next session" reminders this session was shown, and the memory it saw."""
    shown = tuple(dict.fromkeys((*visit.state.shown, *(one.id for one in due if one.next_session))))
    state = replace(visit.state, shown=shown, memory_hash=memory_hash)
    if (shown, memory_hash) == (visit.state.shown, visit.state.memory_hash):
        return
    visit.state = state
    try:
        files.write_json(project.state, state.to_json())
    except FileError as error:
        visit.problems.append(str(error))


def keep(project: Project, visit: Visit, state: State) -> None:
    """Write what the session is to remember; ``visit`` goes on with it.

    Raises:
        FileError: It cannot be written.
    """
    files.write_json(project.state, state.to_json())
    visit.state = state


def close(project: Project, index: Index, state: State, now: datetime) -> list[Promoted]:
    """End the session in ``state``: promote its items, clear its buffer, tick off reminders.

    The caller holds the project's lock and has refreshed the index. Memory is written before the
    buffer is cleared, so that a crash in between repeats the promotion, which then finds
    everything known.
    """
    _complete_shown(project, state, now)
    source, blank = files.read(project.session), template("SESSION.md").encode()
    entries = (
        parser.parse(source, project.relative(project.session), project.settings)
        if source.strip() and source != blank
        else []
    )
    decisions = session.promote(entries, lambda entry: _resembling(index, entry), project.settings)
    if any(decision.outcome in ("added", "linked", "superseded") for decision in decisions):
        _write(project, decisions, now.date())
    if source and source != blank:
        files.write(project.last_session, source)
        files.edit(project.session, lambda now_there: _without(now_there, source, blank))
    return [Promoted(outcome=one.outcome, entry=one.entry, other=one.other) for one in decisions]


def _without(source: bytes, closed: bytes, blank: bytes) -> bytes:
    """A fresh buffer, with what was written into it since it was read for closing."""
    return blank if source == closed else blank + source.removeprefix(closed)


def _resembling(index: Index, entry: Entry) -> list[Entry]:
    found = index.match(query_terms(entry.text), Filter(families=("memory",)), limit=_RESEMBLING)
    return [other for other, _ in found]


def _write(project: Project, decisions: Sequence[Promotion], day: date) -> None:
    replaced: list[tuple[Entry, str]] = []
    for decision in decisions:
        if decision.outcome not in ("added", "linked", "superseded"):
            continue
        message = decision.entry.text
        if decision.other is not None:
            relation = "related" if decision.outcome == "linked" else "supersedes"
            message += f" [{relation}:: {decision.other.id}]"
            if decision.outcome == "superseded":
                replaced.append((decision.other, decision.entry.id))
        append(project, notebook.line_for(decision.kind, message), day)
    for entry, by in replaced:
        curation.forget(project, entry, "superseded by a later entry", day, replaced_by=by)


def record(project: Project, kind: Kind, line: str, day: date) -> Path:
    """Write ``line`` into the file that ``kind`` belongs to, and say which that is."""
    if kind not in notebook.SESSION_SECTIONS:
        append(project, line, day)
        return project.memory
    files.edit(
        project.session, lambda source: notebook.add_to_session(source, kind, line), create=True
    )
    return project.session


def append(project: Project, line: str, day: date) -> None:
    """Add ``line`` to MEMORY.md under the heading of ``day``."""
    path = project.memory

    def compose(tail: bytes) -> bytes:
        added = notebook.append_to_day(tail, line, day, whole=False)
        if added is None:
            added = notebook.append_to_day(files.read(path), line, day, whole=True)
        return added or b""

    files.append(path, compose)


def _complete_shown(project: Project, state: State, now: datetime) -> None:
    for identifier in state.shown:

        def complete(source: bytes, wanted: str = identifier) -> bytes:
            try:
                return reminders.complete(source, wanted, now)[0]
            except InputError:  # done or deleted by hand in the meantime
                return source

        files.edit(project.reminders, complete)
