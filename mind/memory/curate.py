"""Maintenance use cases: tags, usage, health, tidying, export and import."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from mind.domain.errors import InputError, NotFound
from mind.memory import curation, read, sync, validation
from mind.memory.amend import NOTE
from mind.memory.answers import (
    Used,
)
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
    from mind.memory.health import Health
    from mind.memory.importing import ImportOptions, ImportReport
    from mind.memory.jsonl_import import ExportImportReport, Progress

    Taken = TypeVar("Taken", ExportImportReport, ImportReport)


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
    validation.refuse_secrets(note)
    visit = at.visit()
    found = history.details(at.refreshed(), ids)
    if not found.entries:
        read.refuse_missing(at, found.missing)
    known = [one.id for one in found.entries]
    problem = at.note(visit, "use", known, outcome=wanted.value, note=" ".join(note.split())[:NOTE])
    if not at.project.settings.events_enabled:
        problem = "Not recorded: the setting events.enabled is off."
    return Used(entries=found.entries, outcome=wanted.value, missing=found.missing, problem=problem)


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
