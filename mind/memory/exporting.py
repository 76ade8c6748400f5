"""Export of a memory as one file.

JSON Lines are for programs, HTML for readers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from mind import __version__
from mind.documents import archive, jsonl_export, memory_file, parser, reminders
from mind.documents.archive import Archived
from mind.documents.jsonl_export import ARCHIVE, MEMORY, REMINDERS
from mind.documents.reminders import Reminder
from mind.domain.entry import Entry, Kind, counted
from mind.memory import curation
from mind.memory.workspace import Workspace
from mind.storage import files, templates
from mind.storage.project import Project
from mind.text import dates, secrets
from mind.text.visible import visible

if TYPE_CHECKING:
    from mind.sources.exposed import Exposed

Format = Literal["jsonl", "html"]
GENERATOR = "mind export"
"""Generator name that identifies an HTML export."""

_FIRST = (
    Kind.GOAL, Kind.DECISION, Kind.LEARNING, Kind.GOTCHA, Kind.REJECTED, Kind.PROBLEM,
    Kind.BLOCKER, Kind.TODO, Kind.PROGRESS,
)  # fmt: skip
"""Kinds with which the page begins, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """An export.

    Attributes:
        text: The whole export.
        entries: Number of entries in it.
        archived: Number of archived entries in it.
        reminders: Number of reminders in it.
        session: Number of notes of running sessions, which are omitted.
        exposed: Credentials in the files; they are masked in the export.
    """

    text: str
    entries: int
    archived: int
    reminders: int
    session: int
    exposed: "tuple[Exposed, ...]"


@dataclass(frozen=True, slots=True)
class _Held:
    """The existing files of a memory, parsed."""

    files: dict[str, bytes]
    entries: Sequence[Entry]
    archived: Sequence[tuple[Archived, str]]
    reminders: Sequence[Reminder]


def export(
    at: Workspace,
    how: Format = "jsonl",
    *,
    with_archive: bool = True,
    with_reminders: bool = True,
) -> Exported:
    """Export the files of a memory, without credentials and the running session; starts none.

    Args:
        at: The workspace.
        how: "jsonl" can be imported; "html" is for reading.
        with_archive: Include archived entries.
        with_reminders: Include reminders.

    Raises:
        FileError: A file cannot be read.
    """
    project, day = at.project, at.now().date()
    left_out = {ARCHIVE: not with_archive, REMINDERS: not with_reminders}
    names = [name for name in jsonl_export.NAMES if not left_out.get(name)]
    held = _held(project, names)
    text = (_lines if how == "jsonl" else _page)(project, day, held)
    name = project.relative(project.session)
    notes = parser.parse(files.read(project.session), name, project.settings)
    return Exported(
        text="".join(text),
        entries=len(held.entries),
        archived=len(held.archived),
        reminders=len(held.reminders),
        session=len(notes),
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


def _said(project: Project, one: Archived) -> str:
    entry = curation.entry_of(project, one)
    return entry.text if entry else one.one_line


def _exposed(project: Project, names: Iterable[str]) -> "tuple[Exposed, ...]":
    from mind.sources import exposed  # noqa: PLC0415 - 150 patterns that no search needs

    found = exposed.in_files(project.root, project.folder)
    shown = {project.relative(project.folder / name) for name in names}
    return tuple(one for one in found if one.path in shown)


def _lines(project: Project, day: date, held: _Held) -> Iterator[str]:
    """Yield JSON lines, files first, so that a truncated export still has them."""
    yield jsonl_export.line(jsonl_export.header(project.name, day, __version__))
    for name, source in held.files.items():
        yield jsonl_export.line(jsonl_export.file(name, source))
    below = memory_file.told_below(held.files.get(MEMORY, b""), held.entries)
    for entry in held.entries:
        yield jsonl_export.line(jsonl_export.entry(entry, below.get(entry.id, "")))
    for one, text in held.archived:
        yield jsonl_export.line(jsonl_export.archived(one, text))
    for reminder in held.reminders:
        yield jsonl_export.line(jsonl_export.reminder(reminder))


def _page(project: Project, day: date, held: _Held) -> Iterator[str]:
    """Yield one HTML file without scripts or external resources."""
    from mind.documents import html  # noqa: PLC0415 - only for a page

    def article(markdown: str, facts: str, box: str = "") -> str:
        return f"<article>{box}{html.rendered(visible(markdown))}{fact(facts)}</article>"

    def fact(facts: str) -> str:
        return f'<div class="muted">{escape(visible(facts))}</div>'

    title, source = escape(visible(f"Memory of {project.name}")), held.files.get(MEMORY, b"")
    parts = [f"<header><h1>{title}</h1><p class=muted>{_summary(day, held)}</p></header>"]
    parts.append('<main id="main">')
    for name, dated in _sections(held.entries):
        parts.append(f"<h2>{name}</h2>")
        for heading, entries in dated:
            parts.append(f"<h3>{heading}</h3>")
            parts += [article(html.source_of(one, source), _facts(one)) for one in entries]
    parts += ["<h2>Reminders</h2>"] if held.reminders else []
    parts += [
        article(one.text, _facts_of_reminder(one, project), "☑ " if one.done else "☐ ")
        for one in held.reminders
    ]
    parts += ["<h2>Archive</h2>"] if held.archived else []
    parts += [article(text, _facts_of_archived(one)) for one, text in reversed(held.archived)]
    body = "\n".join([*parts, "</main>"]).replace("{", "&#123;")
    title = title.replace("{", "&#123;")
    yield templates.text("report.html", generator=GENERATOR, title=title, body=body)


def _summary(day: date, held: _Held) -> str:
    counts = [counted(len(held.entries), "entry")]
    counts += [f"{len(held.archived)} archived"] if ARCHIVE in held.files else []
    counts += [f"{len(held.reminders)} reminders"] if REMINDERS in held.files else []
    return f"Exported on {day.isoformat()}: {', '.join(counts)}."


def _sections(
    entries: Sequence[Entry],
) -> Iterator[tuple[str, Iterator[tuple[str, Iterator[Entry]]]]]:
    """Yield entries by kind and day, latest first."""
    for kind in dict.fromkeys((*_FIRST, *Kind)):
        own = [one for one in entries if one.kind is kind]
        own.sort(key=lambda one: one.date or date.min, reverse=True)
        days = groupby(own, key=lambda one: one.date.isoformat() if one.date else "Without a date")
        if own:
            yield kind.traits.plural, days


def _facts(one: Entry) -> str:
    status = f", {one.status.value}" if one.status else ""
    fields = "".join(f", {name} {value}" for name, value in one.fields.items())
    where = f"{one.where}, under {' › '.join(one.section)}" if one.section else one.where
    return f"{where}{status}{fields}, {one.id}"


def _facts_of_reminder(one: Reminder, project: Project) -> str:
    when = [f"due {one.due:%Y-%m-%d %H:%M}"] if one.due else []
    when += [one.every] if one.every else []
    when += ["next session"] if one.next_session else []
    when += [f"when {' or '.join(one.trigger)}"] if one.trigger else []
    when += [f"due {one.unclear}"] if one.unclear else []
    return "; ".join([*when, f"{project.relative(project.reminders)}:{one.line}", one.id])


def _facts_of_archived(one: Archived) -> str:
    by = f", replaced by {one.replaced_by}" if one.replaced_by else ""
    kind = f"{one.kind.value}, " if one.kind else ""
    left = f"archived on {one.day.isoformat()}: {one.reason}{by}"
    return f"{kind}{one.file}:{one.line}, {left}, {one.id}"
