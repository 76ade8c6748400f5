"""The project's reminders, read from and written to REMINDERS.md."""

from mind import dates, files, reminders
from mind.lifecycle import Visit
from mind.project import Project
from mind.reminders import Reminder


def listed(project: Project) -> list[Reminder]:
    """All reminders, completed ones included."""
    zone = dates.zone(project.settings.time_zone)
    return reminders.parse(files.read(project.reminders), zone)


def pending(project: Project) -> list[Reminder]:
    """Reminders that are not completed."""
    if not reminders.likely(files.read(project.reminders)):  # the usual case needs no parser
        return []
    return [one for one in listed(project) if one.done is None]


def due(project: Project, visit: Visit) -> list[Reminder]:
    """Pending reminders whose time has come in this session."""
    return reminders.due(pending(project), visit.now, visit.state.name)


def triggered(project: Project, text: str) -> tuple[Reminder, ...]:
    """Pending reminders that ``text`` brings up."""
    return tuple(reminders.triggered(pending(project), text))


def add(project: Project, visit: Visit, message: str, when: str) -> Reminder:
    """Write a reminder down.

    Raises:
        DateNotUnderstood: ``when`` is no form that is understood.
    """
    added: list[Reminder] = []

    def change(source: bytes) -> bytes:
        text, one = reminders.add(source, message, when, visit.now, session=visit.state.name)
        added[:] = [one]
        return text

    files.edit(project.reminders, change, create=True)
    return added[0]


def complete(project: Project, visit: Visit, identifier: str) -> Reminder:
    """Tick a reminder off.

    Raises:
        NotFound: No pending reminder has this id.
    """
    completed: list[Reminder] = []

    def change(source: bytes) -> bytes:
        text, one = reminders.complete(source, identifier, visit.now)
        completed[:] = [one]
        return text

    files.edit(project.reminders, change, create=True)
    return completed[0]
