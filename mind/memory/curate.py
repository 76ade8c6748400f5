"""Maintenance use cases: tags, usage, health, tidying, export and import."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from mind.domain.errors import InputError, NotFound
from mind.memory import curation, read, sync, tags
from mind.memory import validation as gate
from mind.memory.amend import NOTE
from mind.memory.answers import (
    Used,
)
from mind.memory.health import figures as debts
from mind.memory.workspace import Workspace
from mind.search import timeline as history
from mind.storage import files


class Outcome(StrEnum):
    """The outcome of reading an entry.

    In order: it helped; it did not matter; it is wrong; it was wrong and has been corrected.
    """

    APPLIED = "applied"
    IGNORED = "ignored"
    CONTRADICTED = "contradicted"
    CORRECTED = "corrected"


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name.strip().lower())
    except ValueError:
        accepted = ", ".join(Outcome)
        raise InputError(f"unknown outcome {name!r}", remedy=f"Use one of: {accepted}.") from None


if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.exporting import Exported, Format
    from mind.memory.health import Health, Thresholds
    from mind.memory.health.figures import Debt
    from mind.memory.importing import ImportOptions, ImportReport
    from mind.memory.jsonl_import import ExportImportReport, Progress
    from mind.memory.tags import Renamed, TagOverview

    Taken = TypeVar("Taken", ExportImportReport, ImportReport)


def debt(at: Workspace, limit: int = 20) -> "Debt":
    """Return the entries that most need to be verified.

    Raises:
        InputError: The limit is not 1 to 1000.
    """
    if not 1 <= limit <= 1000:
        raise InputError(f"limit is {limit}", remedy="Use a limit from 1 to 1000.")
    today = at.visit().now.date()
    return debts.owed(at.project, at.current(), today, limit)


def tag_overview(at: Workspace) -> "TagOverview":
    """Return the tags of this memory, most common first, and the other known projects."""
    muted = at.visit().state.muted
    found = tags.overview(at.project, at.current(), muted)
    return found if at.sees_others else replace(found, others=())


def rename_tag(
    at: Workspace, old: str, new: str, *, archive: bool = True, dry_run: bool = False
) -> "Renamed":
    """Rename a tag everywhere (see :func:`mind.memory.tags.rename`).

    Raises:
        InputError: A name is not a valid tag, both are the same, or the new one is not allowed.
        NotFound: No entry has the old tag.
    """
    visit = at.visit()
    done = tags.rename(at.project, old, new, archived=archive, dry_run=dry_run)
    if not dry_run:
        at.note(visit, "rename")
    return done


def has_tag(at: Workspace, tag: str) -> bool:
    """Return whether any entry has this tag; case is ignored.

    Raises:
        InputError: The name is not a valid tag.
    """
    name = tags.named(tag).casefold()
    return any(one.name.casefold() == name for one in tag_overview(at).tags)


def record_use(at: Workspace, ids: Sequence[str], outcome: str, note: str = "") -> Used:
    """Record in the usage log whether entries helped.

    Args:
        at: The workspace.
        ids: Ids of the entries, 1 to 50.
        outcome: One of :class:`Outcome`.
        note: Details; 200 characters are kept.

    Raises:
        InputError: An unknown outcome, no ids or too many, or a credential in the note.
        NotFound: No entry has any of the ids.
    """
    wanted = _outcome(outcome)
    gate.refuse_secrets(note)
    visit = at.visit()
    found = history.details(at.current(), ids)
    if not found.entries:
        read.refuse_missing(at, found.missing)
    known = [one.id for one in found.entries]
    problem = at.note(visit, "use", known, outcome=wanted.value, note=" ".join(note.split())[:NOTE])
    if not at.project.settings.events_enabled:
        problem = "Not recorded: the setting events.enabled is off."
    return Used(entries=found.entries, outcome=wanted.value, missing=found.missing, problem=problem)


def health(at: Workspace, days: int = 30, limits: "Thresholds | None" = None) -> "Health":
    """Return the health report of this memory (see :func:`mind.memory.health.examine`).

    Raises:
        InputError: The number of days is out of range.
    """
    from mind.memory import health  # noqa: PLC0415 - searches do without

    visit = at.visit()
    return health.examine(at.project, at.index, visit.now, days, limits)


def write_health(found: "Health", path: Path) -> None:
    """Write a health report as an HTML page, readable by all users of the machine.

    Raises:
        InputError: ``path`` exists and is not such a page; it is not changed.
        FileError: The page cannot be written.
    """
    from mind.memory.health import wording  # noqa: PLC0415 - only for a page

    known = files.read(path)
    if known and wording.GENERATOR.encode() not in known[:2_000]:
        raise InputError(
            f"{path} exists and is not a health page", remedy="Use a path that does not exist yet."
        )
    files.write(path, wording.html(found).encode(), mode=0o644)


def prune(at: Workspace, older_than: int, *, dry_run: bool = False) -> "Sequence[Archived]":
    """Permanently delete entries archived more than ``older_than`` days ago.

    Raises:
        InputError: The number of days is below 1.
    """
    if older_than < 1:
        raise InputError("the number of days must be at least 1")
    before = at.now().date() - timedelta(days=older_than)
    return curation.prune(at.project, before, dry_run=dry_run)


def export(
    at: Workspace,
    how: "Format" = "jsonl",
    *,
    with_archive: bool = True,
    with_reminders: bool = True,
) -> "Exported":
    """Export this memory as one file; starts no session (see :mod:`mind.memory.exporting`)."""
    from mind.memory import exporting  # noqa: PLC0415 - hardly ever needed

    today = at.now().date()
    return exporting.export(
        at.project, today, how, with_archive=with_archive, with_reminders=with_reminders
    )


def import_(
    at: Workspace,
    path: Path,
    *,
    dry_run: bool = False,
    progress: "Progress" = lambda _what, _done, _total: None,
) -> "ExportImportReport":
    """Import an exported memory (see :mod:`mind.memory.jsonl_import`).

    Args:
        at: The workspace.
        path: File written by :func:`export`.
        dry_run: Only report what would be done; starts no session.
        progress: Called with the progress.

    Raises:
        NotFound: The file does not exist.
        NotAnExport: A line is not part of an export; nothing was changed.
        FileError: A file cannot be read or written.
    """
    from mind.documents import jsonl_export  # noqa: PLC0415 - hardly ever needed
    from mind.memory.jsonl_import import ExportImport  # noqa: PLC0415 - the same

    if not path.is_file():
        raise NotFound(f"{path} is not a file", remedy="Give a file written by `mind export`.")
    export = jsonl_export.read(files.read(path))
    return _taken_in(
        at,
        lambda now: ExportImport(at.project, at.index, export, now, dry_run, progress).run(),
        dry_run,
    )


def import_from(
    at: Workspace, source: str, path: Path | None = None, **how: "Unpack[ImportOptions]"
) -> "ImportReport":
    """Import the memory of another tool (see :func:`mind.memory.importing.run`).

    Raises:
        InputError: The tool is unknown.
        NotFound: The tool has no store here.
        FileError: The store cannot be read, or MEMORY.md cannot be written.
    """
    from mind.memory import importing  # noqa: PLC0415 - hardly ever needed

    return _taken_in(
        at,
        lambda now: importing.run(at.project, at.index, source, path, now=now, **how),
        how.get("dry_run", False),
    )


def _taken_in(at: Workspace, work: "Callable[[datetime], Taken]", dry_run: bool) -> "Taken":
    visit = None if dry_run else at.visit()
    sync.refresh_whole(at.project, at.index)
    done = work(visit.now if visit else at.now())
    if visit and done.written:
        at.note(visit, "import", added=done.count("added"), refused=done.count("refused"))
    return done
