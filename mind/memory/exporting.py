"""A memory in one file: JSON Lines for another Mind or a program, Markdown for a reader."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from mind import __version__
from mind.documents import archive, parser, records, reminders
from mind.documents.archive import Archived
from mind.documents.records import ARCHIVE, MEMORY, REMINDERS
from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind
from mind.memory import curation
from mind.storage import files
from mind.storage.project import Project
from mind.text import dates, secrets

if TYPE_CHECKING:
    from mind.sources.git.exposed import Exposed

Format = Literal["jsonl", "markdown"]

_TITLES = {
    Kind.GOAL: "Goals",
    Kind.DECISION: "Decisions",
    Kind.LEARNING: "Learnings",
    Kind.GOTCHA: "Gotchas",
    Kind.REJECTED: "Rejected",
    Kind.PROBLEM: "Problems",
    Kind.BLOCKER: "Blockers",
    Kind.TODO: "To do",
    Kind.PROGRESS: "Progress",
    Kind.ASSUMPTION: "Assumptions",
    Kind.EXPERIENCE: "Experience",
    Kind.RELATION: "Relations",
    Kind.NOTE: "Notes",
}
"""Kinds in the order of the Markdown document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An export.

    Attributes:
        text: All of it.
        entries: How many there are in it.
        archived: The same of what was taken out of memory.
        reminders: The same.
        session: Notes of running sessions, which are left out.
        exposed: Credentials in the files; the export has masks in their place.
    """

    text: str
    entries: int
    archived: int
    reminders: int
    session: int
    exposed: "tuple[Exposed, ...]"


@dataclass(frozen=True, slots=True)
class _Held:
    """What a memory holds; files that are not there are left out."""

    files: dict[str, bytes]
    entries: Sequence[Entry]
    archived: Sequence[tuple[Archived, str]]
    reminders: Sequence[Reminder]


def export(
    project: Project,
    day: date,
    how: Format = "jsonl",
    *,
    with_archive: bool = True,
    with_reminders: bool = True,
) -> Exported:
    """Everything in the files of a memory but credentials, without the running session.

    Args:
        project: Whose memory.
        day: Today.
        how: "jsonl" can be imported, "markdown" is for reading.
        with_archive: What was taken out of memory too.
        with_reminders: Reminders too.

    Raises:
        FileError: A file cannot be read.
    """
    left_out = {ARCHIVE: not with_archive, REMINDERS: not with_reminders}
    names = [name for name in records.NAMES if not left_out.get(name)]
    held = _held(project, names)
    text = _lines(project, day, held) if how == "jsonl" else _document(project, day, held)
    return Exported(
        text="".join(text),
        entries=len(held.entries),
        archived=len(held.archived),
        reminders=len(held.reminders),
        session=_noted(project),
        exposed=_exposed(project, held.files),
    )


def _held(project: Project, names: Sequence[str]) -> _Held:
    paths = {name: project.folder / name for name in names}
    read = {
        name: secrets.mask_bytes(files.read(path)) for name, path in paths.items() if path.exists()
    }
    source = read.get(MEMORY, b"")
    entries = parser.parse(source, project.relative(project.memory), project.settings)
    gone = archive.blocks(read.get(ARCHIVE, b""))
    zone = dates.zone(project.settings.time_zone)
    return _Held(
        read,
        parser.number_and_resolve(entries),
        [(one, _said(project, one)) for one in gone],
        reminders.parse(read.get(REMINDERS, b""), zone),
    )


def _noted(project: Project) -> int:
    """Notes of the sessions that run."""
    name = project.relative(project.session)
    return len(parser.parse(files.read(project.session), name, project.settings))


def _said(project: Project, one: Archived) -> str:
    entry = curation.entry_of(project, one)
    return entry.text if entry else " ".join(one.text.decode("utf-8", "replace").split())


def _exposed(project: Project, names: Iterable[str]) -> "tuple[Exposed, ...]":
    from mind.sources.git import exposed  # noqa: PLC0415 - 150 patterns, of no use to a search

    found = exposed.in_files(project.root, project.folder)
    shown = {project.relative(project.folder / name) for name in names}
    return tuple(one for one in found if one.path in shown)


def _lines(project: Project, day: date, held: _Held) -> Iterator[str]:
    """Files first: an export that was cut off later still has them."""
    yield records.line(records.header(project.name, day, __version__))
    for name, source in held.files.items():
        yield records.line(records.file(name, source))
    for entry in held.entries:
        yield records.line(records.entry(entry, MEMORY))
    for one, text in held.archived:
        yield records.line(records.archived(one, text))
    for reminder in held.reminders:
        yield records.line(records.reminder(reminder))


def _document(project: Project, day: date, held: _Held) -> Iterator[str]:
    counts = [f"{len(held.entries)} entries"]
    counts += [f"{len(held.archived)} archived"] if ARCHIVE in held.files else []
    counts += [f"{len(held.reminders)} reminders"] if REMINDERS in held.files else []
    yield f"# Memory of {project.name}\n\nExported on {day.isoformat()}: {', '.join(counts)}.\n"
    for kind, title in _TITLES.items():
        own = [one for one in held.entries if one.kind is kind]
        yield from _section(title, own)
    if held.reminders:
        yield "\n## Reminders\n\n"
        yield from (_reminder(one, project) for one in held.reminders)
    if held.archived:
        yield "\n## Archive\n\n"
        yield from (_archived(one, text) for one, text in reversed(held.archived))


def _section(title: str, entries: Sequence[Entry]) -> Iterator[str]:
    if not entries:
        return
    yield f"\n## {title}\n"
    ordered = sorted(entries, key=lambda one: one.date or date.min, reverse=True)
    for day, of_day in groupby(ordered, key=lambda one: one.date):
        yield f"\n### {day.isoformat() if day else 'Without a date'}\n\n"
        for one in of_day:
            status = f", {one.status.value}" if one.status else ""
            fields = "".join(f", {name} {value}" for name, value in one.fields.items())
            where = f"{one.where}, under {' › '.join(one.section)}" if one.section else one.where
            yield f"- {_plain(one.text)} ({where}{status}{_plain(fields)}, {one.id})\n"


def _reminder(one: Reminder, project: Project) -> str:
    when = [f"due {one.due:%Y-%m-%d %H:%M}"] if one.due else []
    when += [one.every] if one.every else []
    when += ["next session"] if one.next_session else []
    when += [f"when {' or '.join(one.trigger)}"] if one.trigger else []
    when += [f"due {one.unclear}"] if one.unclear else []
    told = "; ".join([*when, f"{project.relative(project.reminders)}:{one.line}", one.id])
    return f"- [{'x' if one.done else ' '}] {_plain(one.text)} ({_plain(told)})\n"


def _archived(one: Archived, text: str) -> str:
    by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
    kind = f"{one.kind.value}, " if one.kind else ""
    left = f"archived on {one.day.isoformat()}: {one.reason}{by}"
    return f"- {_plain(text)} ({kind}{one.file}:{one.line}, {_plain(left)}, {one.id})\n"


def _plain(text: str) -> str:
    """``text`` on one line, where it begins no comment that would hide what follows."""
    said = " ".join(text.encode("utf-8", "replace").decode().split())
    return said.replace("<!--", "&lt;!--")
