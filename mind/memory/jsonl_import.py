"""Import of an export: copied as it is into an empty memory, else merged.

Merging applies the same checks as recording (:mod:`mind.memory.validation`): credentials are
rejected, duplicates and forgotten entries are skipped. A second import adds nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from mind.documents import archive, jsonl_export
from mind.documents.archive import Archived
from mind.documents.jsonl_export import ARCHIVE, MEMORY, REMINDERS, Export
from mind.documents.reminders import Reminder
from mind.documents.reminders.writing import take
from mind.domain.entry import normalise
from mind.domain.errors import ChangedMeanwhile, FileError, NotFound
from mind.memory import curation
from mind.memory.importing import (
    Candidate,
    ExportImportReport,
    Import,
    Progress,
    RecordOutcome,
    credentials,
    taken_in,
)
from mind.memory.workspace import Workspace
from mind.storage import files
from mind.storage.project import Project
from mind.storage.templates import text as template
from mind.text import secrets


@dataclass(slots=True)
class ExportImport(Import):
    """An import of an export under way.

    Attributes:
        export: The export.
        now: Current time in the project's time zone.
    """

    is_whole: ClassVar[bool] = True
    alike: ClassVar[bool] = False
    export: Export
    now: datetime
    rows: list[RecordOutcome] = field(default_factory=list, init=False)

    def run(self) -> ExportImportReport:
        """Import everything.

        Raises:
            FileError: A file cannot be written or changed meanwhile; earlier files are written.
        """
        whole = tuple(name for name in self.export.files if self._is_free(name))
        if MEMORY not in whole and self.export.entries:
            self.rows += self.take(self._entries(), len(self.export.entries))
        if ARCHIVE not in whole:
            self._archived()
        if REMINDERS not in whole and self.export.reminders:
            self._reminders()
        for name in whole:
            self._take_over(name)
        return ExportImportReport(
            source=self.export.project,
            whole=whole,
            rows=self.rows,
            written=tuple(self.written),
            dry_run=self.dry_run,
        )

    # --- files that are taken over ------------------------------------------------------------

    def _is_free(self, name: str) -> bool:
        """Return whether a file of the export can be copied as it is.

        The archive records forgotten entries, so it is considered together with the memory.
        """
        if secrets.find(self.export.files[name].decode("utf-8", "replace")):
            return False
        names = [name] if name == REMINDERS else [MEMORY, ARCHIVE]
        there = {one: files.read(self.project.folder / one) for one in names}
        return all(is_blank(self.project, one, source) for one, source in there.items())

    def _take_over(self, name: str) -> None:
        self.rows += {
            MEMORY: [
                RecordOutcome("entry", one.id, one.text, kind=one.kind)
                for one in self.export.entries
            ],
            ARCHIVE: [
                RecordOutcome("archived", one.id, one.one_line) for one, _ in self.export.blocks
            ],
            REMINDERS: [
                RecordOutcome("reminder", one.id, one.text) for one in self.export.reminders
            ],
        }[name]

        def instead(there: bytes) -> bytes:
            if not is_blank(self.project, name, there):
                raise ChangedMeanwhile(f"{name} changed meanwhile")
            return self.export.files[name]

        self.edit(self.project.folder / name, instead)

    # --- files that are merged ----------------------------------------------------------------

    def _entries(self) -> Iterator[Candidate[RecordOutcome]]:
        for one in self.export.entries:
            below = self.export.below.get(one.id, "")
            row = RecordOutcome("entry", one.id, one.text, kind=one.kind)
            refused = _refused(row, one.whole, below, *one.fields.values(), *one.section)
            verdict = (refused.outcome, refused.reason) if refused else None
            yield Candidate(one, refused or row, verdict, below)

    def _archived(self) -> None:
        known = {_mark_of(one) for one in archive.blocks(files.read(self.project.archive))}
        added = b""
        for one, block in self.export.blocks:
            row = RecordOutcome("archived", one.id, one.one_line)
            if refused := _refused(row, block.decode("utf-8", "replace")):
                row = refused
            elif _mark_of(one) in known:
                row = replace(row, outcome="known", reason="it is in the archive")
            else:
                known.add(_mark_of(one))
                added += _apart(block)
            self.rows.append(row)
        if added:
            self.written[self.project.relative(self.project.archive)] = None
        if added and not self.dry_run:
            curation.add_archived(self.project, added)

    def _reminders(self) -> None:
        rows: list[RecordOutcome] = []

        def with_them(source: bytes) -> bytes:
            rows.clear()
            for at, one in enumerate(self.export.reminders):
                self.progress("reminders", at, len(self.export.reminders))
                source, row = self._reminded(source, one)
                rows.append(row)
            return source

        self.edit(self.project.reminders, with_them)
        self.rows += rows

    def _reminded(self, source: bytes, one: Reminder) -> tuple[bytes, RecordOutcome]:
        row = RecordOutcome("reminder", one.id, one.text)
        if refused := _refused(row, one.text, *one.trigger):
            return source, refused
        try:
            after = take(source, one, self.now)
        except FileError as error:
            return source, replace(row, outcome="refused", reason=error.message)
        known = replace(row, outcome="known", reason="it is set already")
        return after, known if after == source else row


def _refused(row: RecordOutcome, *texts: str) -> RecordOutcome | None:
    """Return the outcome of a record with a credential; None if it has none."""
    found = credentials(*texts)
    return replace(row, text="", outcome="refused", reason=found) if found else None


def import_(
    at: Workspace,
    path: Path,
    *,
    dry_run: bool = False,
    progress: Progress = lambda _what, _done, _total: None,
) -> ExportImportReport:
    """Import an exported memory.

    Args:
        at: The workspace.
        path: File written by :func:`mind.memory.exporting.export`.
        dry_run: Only report what would be done; starts no session.
        progress: Called with the progress.

    Raises:
        NotFound: The file does not exist.
        NotAnExport: A line is not part of an export; nothing was changed.
        FileError: A file cannot be read or written.
    """
    if not path.is_file():
        raise NotFound(f"{path} is not a file", remedy="Give a file written by `mind export`.")
    export = jsonl_export.read(files.read(path))
    return taken_in(
        at,
        lambda now: ExportImport(at.project, at.index, dry_run, progress, export, now).run(),
        dry_run,
    )


def is_blank(project: Project, name: str, source: bytes) -> bool:
    """Return whether a file has only the content of a new one."""
    bare = source.replace(b"\r\n", b"\n")
    return not bare.strip() or bare == template(name, name=project.name).encode()


def _mark_of(one: Archived) -> tuple[str, str, str]:
    """Return a key that identifies a block of an archive."""
    return one.id, one.day.isoformat(), normalise(one.one_line)


def _apart(block: bytes) -> bytes:
    """Return a block with the blank line that ends it."""
    newline = b"\r\n" if b"\r\n" in block else b"\n"
    return block.rstrip(b"\r\n") + newline * 2
