"""Reminders: reading and writing REMINDERS.md, and recording which were shown."""

import contextlib
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import partial

from mind.documents import reminders
from mind.documents.reminders import Reminder, ReminderRecords
from mind.domain.errors import FileError
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.sources.git.repository import ask
from mind.storage import files
from mind.storage.project import Project
from mind.text import dates


def listed(project: Project, now: datetime, session: str | None = None) -> list[Reminder]:
    """Return all reminders, completed ones included, each with its time.

    Args:
        project: The project.
        now: Current time, with a time zone; a new relative time counts from its day, or from the
            day of the commit that added it.
        session: The session to remind; None for a list.
    """
    source = files.read(project.reminders)
    zone = dates.zone(project.settings.time_zone)
    found = reminders.parse(source, zone)
    marks = _marks(project)
    unread = marks.unread(found)
    if unread:
        days = {one.id: _written(project, source, one) or now.date() for one in unread}
        marks = marks.read(days, unread)
        with contextlib.suppress(FileError):  # a read-only checkout: they count from each day anew
            _note(project, lambda known: known.read(days, unread))
    here = now.astimezone(zone)
    return [marks.applied(one, here, session) for one in found]


def pending(project: Project, now: datetime, session: str | None = None) -> list[Reminder]:
    """Return reminders that are not completed (see :func:`listed`)."""
    if not reminders.likely(files.read(project.reminders)):  # the usual case needs no parser
        return []
    return [one for one in listed(project, now, session) if one.done is None]


def due(at: Workspace, visit: Visit | None = None) -> list[Reminder]:
    """Return pending reminders to show in this session."""
    visit = visit or at.visit()
    name = visit.state.name
    return reminders.due(pending(at.project, visit.now, name), visit.now, name)


def note_shown(project: Project, visit: Visit, due: Sequence[Reminder]) -> None:
    """Record which reminders this session was shown; each is shown in at most two sessions."""
    name = visit.state.name
    if _marks(project).shown(due, name, visit.now) == _marks(project):
        return
    there = {one.id for one in pending(project, visit.now)}
    try:
        _note(project, lambda known: known.shown(due, name, visit.now).without_all_but(there))
    except FileError as error:
        visit.problems.append(str(error))


def triggered(project: Project, text: str, now: datetime) -> tuple[Reminder, ...]:
    """Return pending reminders whose trigger occurs in ``text``."""
    return tuple(reminders.triggered(pending(project, now), text))


def overview(at: Workspace, *, everything: bool = False) -> list[Reminder]:
    """Return pending reminders; with ``everything``, completed ones too."""
    now = at.visit().now
    return (listed if everything else pending)(at.project, now)


def remind(at: Workspace, message: str, when: str = "") -> Reminder:
    """Set a reminder.

    Args:
        at: The workspace.
        message: Text of the reminder.
        when: A time, "next session" or "when I mention X"; "" for the time or condition at the
            start or end of the message, else the next session.

    Raises:
        DateNotUnderstood: ``when`` is not a time Mind understands, or the message seems to contain
            such a time.
    """
    from mind.documents.reminders import writing  # noqa: PLC0415 - a search only reads them
    from mind.memory import validation  # noqa: PLC0415 - as above

    validation.refuse_secrets(message, when)
    visit = at.visit()
    name = visit.state.name
    return _changed(
        at.project,
        visit.now,
        lambda source: writing.add(source, message, when, visit.now, session=name),
    )


def reminder_done(at: Workspace, reminder_id: str, *, dismiss: bool = False) -> Reminder:
    """Mark a reminder as done; a recurring one only for this time.

    Args:
        at: The workspace.
        reminder_id: Id of the reminder.
        dismiss: Cancel it instead, even if it recurs.

    Raises:
        NotFound: No pending reminder has this id.
    """
    from mind.documents.reminders import writing  # noqa: PLC0415 - as above

    now = at.visit().now
    with not_echoed(reminder_id):
        return _changed(
            at.project,
            now,
            lambda source: writing.complete(source, reminder_id, now, dismiss=dismiss),
        )


def _changed(
    project: Project, now: datetime, change: Callable[[bytes], tuple[bytes, Reminder]]
) -> Reminder:
    """Change REMINDERS.md; return the reminder that ``change`` concerns."""
    made: list[Reminder] = []

    def compose(source: bytes) -> bytes:
        text, one = change(source)
        made[:] = [one]
        return text

    files.edit(project.reminders, compose, create=True)
    return ReminderRecords().applied(made[0], now, None)


# --- state of this machine ----------------------------------------------------------------


def _marks(project: Project) -> ReminderRecords:
    return ReminderRecords.from_json(files.read_json(project.reminder_marks))


def _note(project: Project, change: Callable[[ReminderRecords], ReminderRecords]) -> None:
    with files.lock(project.lock):
        if not project.reminder_marks.exists():
            files.edit(
                project.folder / ".gitignore", partial(_ignoring, project.reminder_marks.name)
            )
        files.write_json(project.reminder_marks, change(_marks(project)).to_json())


def _ignoring(name: str, source: bytes) -> bytes:
    """Return a .gitignore as earlier versions wrote it, with one more name."""
    lines = source.splitlines()
    if b"state.json" not in lines or name.encode() in lines:
        return source
    return source.rstrip(b"\r\n") + b"\n" + name.encode() + b"\n"


def _written(project: Project, source: bytes, one: Reminder) -> date | None:
    """Return the day of the commit that added a reminder's line; None if there is none."""
    line = source[one.span.start : one.span.end].decode("utf-8", "replace").strip().split("\n")[0]
    path = f":(literal){project.reminders.name}"
    if ask(project.folder, "grep", "-q", "-F", "-e", line, "HEAD", "--", path).status != 0:
        return None
    said = ask(project.folder, "log", "-1", "--format=%cI", f"-S{line}", "HEAD", "--", path)
    return dates.heading_date(said.output.decode("ascii", "replace").strip())
