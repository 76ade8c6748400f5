"""Import of an export: copied as it is into an empty memory, else merged.

Merging applies the same checks as recording (:mod:`mind.memory.validation`): credentials are
rejected, duplicates and forgotten entries are skipped. A second import adds nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

from mind.documents import additions, archive, jsonl_export
from mind.documents.archive import Archived
from mind.documents.jsonl_export import ARCHIVE, MEMORY, REMINDERS, Export
from mind.documents.reminders import Reminder
from mind.documents.reminders.writing import take
from mind.domain.entry import Entry, Kind, normalise
from mind.domain.errors import ChangedMeanwhile, FileError, NotFound
from mind.memory import curation, sync, validation
from mind.memory.workspace import Workspace
from mind.storage import files
from mind.storage.index import Filter, Index
from mind.storage.project import Project
from mind.storage.templates import text as template
from mind.text import secrets
from mind.text.similarity import said

Progress = Callable[[str, int, int], None]
"""Called with the current step, the number of items done, and the total."""


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """The outcome for one record of an export.

    Attributes:
        record: "entry", "archived" or "reminder".
        id: Id of the record.
        text: Its text; "" if it contains a credential.
        outcome: "added", "known" or "refused".
        reason: Reason why it was not added; "" if it was.
        kind: Kind of an entry; "" for other records.
    """

    record: str
    id: str
    text: str
    outcome: str = "added"
    reason: str = ""
    kind: str = ""


@dataclass(slots=True, kw_only=True)
class ExportImportReport:
    """The outcome of an import, or of its dry run.

    Attributes:
        project: Name of the exported project.
        whole: Files that were copied as they are, because they were empty here.
        rows: Outcome for each record.
        written: Changed files.
        dry_run: True if nothing was written.
    """

    project: str
    whole: tuple[str, ...] = ()
    rows: list[RecordOutcome] = field(default_factory=list)
    written: tuple[str, ...] = ()
    dry_run: bool = False

    def count(self, outcome: str) -> int:
        """Return the number of records with an outcome."""
        return sum(row.outcome == outcome for row in self.rows)


@dataclass(slots=True)
class ExportImport:
    """An import under way.

    Attributes:
        project: The project to import into.
        index: Its index, up to date.
        export: The export.
        now: Current time in the project's time zone.
        dry_run: Write nothing.
        progress: Called with the progress.
    """

    project: Project
    index: Index
    export: Export
    now: datetime
    dry_run: bool
    progress: Progress
    done: ExportImportReport = field(init=False)

    def run(self) -> ExportImportReport:
        """Import everything.

        Raises:
            FileError: A file cannot be written or changed meanwhile; earlier files are written.
        """
        self.done = ExportImportReport(project=self.export.project, dry_run=self.dry_run)
        whole = [name for name in self.export.files if self._is_free(name)]
        self.done.whole = tuple(whole)
        if MEMORY not in whole:
            self._entries()
        if ARCHIVE not in whole:
            self._archived()
        if REMINDERS not in whole:
            self._reminders()
        for name in whole:
            self._take_over(name)
        return self.done

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
        rows = {
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
        }
        self.done.rows += rows[name]
        source = self.export.files[name]

        def instead(there: bytes) -> bytes:
            if not is_blank(self.project, name, there):
                raise ChangedMeanwhile(f"{name} changed meanwhile")
            return source

        self._edit(name, instead)

    def _edit(self, name: str, change: Callable[[bytes], bytes]) -> None:
        path = self.project.folder / name
        if edited(path, change, dry_run=self.dry_run):
            self.done.written += (self.project.relative(path),)

    # --- entries ------------------------------------------------------------------------------

    def _entries(self) -> None:
        wanted = self._judged()
        if not wanted:
            return
        name = self.project.relative(self.project.memory)
        made: list[additions.Additions] = []

        def with_them(source: bytes) -> bytes:
            known = KnownEntries(sync.entries(self.project, self.index, source))
            new = [one for one in wanted if not known.why(one)]
            made[:] = [additions.add(source, new, name, self.project.settings, self.export.below)]
            return made[0].source

        self._edit(MEMORY, with_them)
        rows = [RecordOutcome("entry", one.id, one.text, kind=one.kind) for one in made[0].added]
        rows += [
            RecordOutcome(
                "entry", one.entry.id, one.entry.text, "refused", one.reason, one.entry.kind
            )
            for one in made[0].refused
        ]
        rows += [
            RecordOutcome("entry", one.id, one.text, "known", "the relation is stated", one.kind)
            for one in made[0].stated
        ]
        self.done.rows += rows

    def _judged(self) -> list[Entry]:
        """Return the entries to import; the outcomes of the others are recorded."""
        known = KnownMemory(self.project, self.index)
        wanted: list[Entry] = []
        for at, one in enumerate(self.export.entries):
            self.progress("comparing", at, len(self.export.entries))
            found = credentials(
                one.whole, self.export.below.get(one.id, ""), *one.fields.values(), *one.section
            )
            if found:
                self.done.rows.append(
                    RecordOutcome("entry", one.id, "", "refused", found, one.kind)
                )
            elif (against := known.against(one)) is not None:
                self.done.rows.append(
                    RecordOutcome("entry", one.id, one.text, *against, kind=one.kind)
                )
            else:
                known.add(one, alike=False)  # a memory may say a thing twice
                wanted.append(one)
        return wanted

    # --- the archive --------------------------------------------------------------------------

    def _archived(self) -> None:
        known = {_mark_of(one) for one in archive.blocks(files.read(self.project.archive))}
        added = b""
        for one, block in self.export.blocks:
            found = credentials(block.decode("utf-8", "replace"))
            if found:
                self.done.rows.append(RecordOutcome("archived", one.id, "", "refused", found))
            elif _mark_of(one) in known:
                row = RecordOutcome(
                    "archived", one.id, one.one_line, "known", "it is in the archive"
                )
                self.done.rows.append(row)
            else:
                known.add(_mark_of(one))
                added += _apart(block)
                self.done.rows.append(RecordOutcome("archived", one.id, one.one_line))
        if added:
            self.done.written += (self.project.relative(self.project.archive),)
        if added and not self.dry_run:
            curation.add_archived(self.project, added)

    # --- reminders ----------------------------------------------------------------------------

    def _reminders(self) -> None:
        if not self.export.reminders:
            return
        rows: list[RecordOutcome] = []

        def with_them(source: bytes) -> bytes:
            rows.clear()
            for at, one in enumerate(self.export.reminders):
                self.progress("reminders", at, len(self.export.reminders))
                source, row = self._reminded(source, one)
                rows.append(row)
            return source

        self._edit(REMINDERS, with_them)
        self.done.rows += rows

    def _reminded(self, source: bytes, one: Reminder) -> tuple[bytes, RecordOutcome]:
        found = credentials(one.text, *one.trigger)
        if found:
            return source, RecordOutcome("reminder", one.id, "", "refused", found)
        try:
            after = take(source, one, self.now)
        except FileError as error:
            return source, RecordOutcome("reminder", one.id, one.text, "refused", error.message)
        if after == source:
            return source, RecordOutcome("reminder", one.id, one.text, "known", "it is set already")
        return after, RecordOutcome("reminder", one.id, one.text)


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
        lambda now: ExportImport(at.project, at.index, export, now, dry_run, progress).run(),
        dry_run,
    )


class TakenIn(Protocol):
    """Common part of the reports of imports."""

    written: tuple[str, ...]

    def count(self, outcome: str) -> int:
        """Return the number of records with an outcome."""


Taken = TypeVar("Taken", bound=TakenIn)


def taken_in(at: Workspace, work: Callable[[datetime], Taken], dry_run: bool) -> Taken:
    """Run an import on an up-to-date index, and log it; a dry run starts no session."""
    visit = None if dry_run else at.visit()
    sync.refresh_whole(at.project, at.index)
    done = work(visit.now if visit else at.now())
    if visit and done.written:
        at.note(visit, "import", added=done.count("added"), refused=done.count("refused"))
    return done


class KnownEntries:
    """Entries by id and by words."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._ids = {one.id: normalise(one.text) for one in entries}
        self._texts = {text: identifier for identifier, text in self._ids.items()}

    def add(self, entry: Entry) -> None:
        """Count it in."""
        text = normalise(entry.text)
        self._ids.setdefault(entry.id, text)
        self._texts.setdefault(text, entry.id)

    def why(self, entry: Entry) -> str:
        """Return the reason why ``entry`` is known; "" if it is not."""
        text = normalise(entry.text)
        if text in self._texts:
            return f"{self._texts[text]} says it"
        return f"{entry.id} has other words here" if entry.id in self._ids else ""


class KnownMemory:
    """Entries that a memory has or had, and those accepted for it."""

    def __init__(self, project: Project, index: Index) -> None:
        self._index = index
        self._entries = KnownEntries(index.entries())
        self._gone = validation.gone(project)

    def add(self, entry: Entry, *, alike: bool = True) -> None:
        """Add an accepted entry; if ``alike``, later ones with the same words are known too."""
        self._entries.add(entry)
        if alike:
            self._same.setdefault(_words_of(entry), entry.id)

    @cached_property
    def _same(self) -> dict[tuple[Kind, tuple[str, ...]], str]:
        """The ids of entries by kind and words."""
        known = self._index.entries(Filter(families=("memory",)))
        return {_words_of(one): one.id for one in reversed(known)}

    def against(self, entry: Entry) -> tuple[str, str] | None:
        """Return the outcome of an entry that is not imported, and the reason; None if it is."""
        why = self._entries.why(entry)
        if why or entry.kind not in validation.COMPARED:
            return ("known", why) if why else None
        if same := self._same.get(_words_of(entry)):
            return "known", f"{same} says the same"
        left = validation.same_among(self._gone, entry.text)
        return ("refused", f"forgotten on {left.day.isoformat()}: {left.reason}") if left else None


def _words_of(entry: Entry) -> tuple[Kind, tuple[str, ...]]:
    """Return the kind and the words of an entry, which its duplicates have too."""
    return entry.kind, said(entry.whole)


def edited(path: Path, change: Callable[[bytes], bytes], *, dry_run: bool) -> bool:
    """Apply ``change`` to a file, or only compute it; return whether it changes anything."""
    if dry_run:
        before = files.read(path)
        return change(before) != before
    return bool(files.edit(path, change, create=True))


def is_blank(project: Project, name: str, source: bytes) -> bool:
    """Return whether a file has only the content of a new one."""
    bare = source.replace(b"\r\n", b"\n")
    return not bare.strip() or bare == template(name, name=project.name).encode()


def credentials(*texts: str) -> str:
    """Return why texts are refused, with the types of their credentials; "" if there are none."""
    found = dict.fromkeys(one.name for text in texts for one in secrets.find(text))
    return f"contains a credential ({', '.join(found)})" if found else ""


def _mark_of(one: Archived) -> tuple[str, str, str]:
    """Return a key that identifies a block of an archive."""
    return one.id, one.day.isoformat(), normalise(one.one_line)


def _apart(block: bytes) -> bytes:
    """Return a block with the blank line that ends it."""
    newline = b"\r\n" if b"\r\n" in block else b"\n"
    return block.rstrip(b"\r\n") + newline * 2
