"""`Memory`: the library's interface. Commands and tools call it and render the answer."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

import mind.memory as use_cases
from mind.memory.workspace import Workspace
from mind.storage import project as places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from mind.documents.archive import Archived
    from mind.documents.reminders import Reminder
    from mind.domain.entry import Entry
    from mind.memory import answers, benchmark, checks, jsonl_import
    from mind.memory.benchmark import Benchmark
    from mind.memory.entry_history import Difference, EntryHistory
    from mind.memory.exporting import Exported, Format
    from mind.memory.file_reads.giving import ReadAnswer
    from mind.memory.gotchas import Gotcha
    from mind.memory.health import Health, Thresholds
    from mind.memory.health.figures import Debt
    from mind.memory.importing import ImportOptions, ImportReport
    from mind.memory.jsonl_import import ExportImportReport
    from mind.memory.tags import Renamed, TagOverview
    from mind.memory.tidy import TidyPlan
    from mind.search import semantic
    from mind.search.results import Details, NearbyEntries, SearchResult, Timeline
    from mind.search.semantic import ProjectVectors
    from mind.sources.available import AvailableStore
    from mind.sources.exposed import Exposed
    from mind.sources.file_history import FileHistory
    from mind.storage import pending
    from mind.storage.index import Index
    from mind.storage.project import Project
    from mind.text.dates.asked import RequestedTime


class Memory:
    """A project's memory. Each call reads the current files; only open files outlive a call.

    Each method is one use case, a function in a module of this package.

    Args:
        project: Project whose memory this is.
        clock: Returns the current time, with a time zone; the system clock by default.
        session_id: The client's session id, used by calls that pass none.
        meaning: Returns the embedding model of a project, for callers that keep one loaded.
        seconds: Time limit for updating the index; after it, a call uses the index as it is.
    """

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], datetime] | None = None,
        session_id: str | None = None,
        meaning: Callable[[Project], ProjectVectors] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.workspace = Workspace(
            project, clock=clock, client=session_id, models=meaning, seconds=seconds
        )

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        *,
        session_id: str | None = None,
        meaning: Callable[[Project], ProjectVectors] | None = None,
    ) -> Self:
        """Open the memory of the project at ``start`` (see :func:`mind.storage.project.find`).

        Raises:
            ProjectError: No project was found.
        """
        return cls(places.find(start), session_id=session_id, meaning=meaning)

    @property
    def project(self) -> Project:
        """The project of this memory."""
        return self.workspace.project

    @property
    def index(self) -> Index:
        """The search index, opened on first use; it is derived from the files."""
        return self.workspace.index

    @property
    def meaning(self) -> ProjectVectors:
        """The embedding model and its vectors, if a model is installed."""
        return self.workspace.meaning

    def now(self) -> datetime:
        """Return the current time in the project's time zone."""
        return self.workspace.now()

    def close(self) -> None:
        """Close the index, after restoring entries that another program overwrote."""
        self.workspace.close()

    def when(self, text: str) -> RequestedTime:
        """Parse a date expression; release names are looked up in the repository."""
        return use_cases.read.when(self.workspace, text)

    def session(self) -> answers.SessionView:
        """Return the running session and its notes."""
        return use_cases.read.session(self.workspace)

    def search(  # noqa: PLR0913 - independent options, by name only
        self,
        query: str,
        *,
        kinds: Sequence[str] = (),
        everywhere: bool = False,
        limit: int | None = None,
        offset: int = 0,
        filters: Mapping[str, str] = MappingProxyType({}),
        mirror: bool | None = None,
    ) -> SearchResult:
        """Return the entries that match ``query`` best."""
        return use_cases.search.search(
            self.workspace,
            query,
            kinds=kinds,
            everywhere=everywhere,
            limit=limit,
            offset=offset,
            filters=filters,
            mirror=mirror,
        )

    def get(self, ids: Sequence[str]) -> Details:
        """Return the entries with these ids, in full."""
        return use_cases.read.get(self.workspace, ids)

    def timeline(self, anchor: str, *, before: int = 5, after: int = 5) -> Timeline:
        """Return the entries recorded just before and after an entry."""
        return use_cases.read.timeline(self.workspace, anchor, before=before, after=after)

    def around(
        self, anchor: str, *, days: int = 7, kinds: Sequence[str] = (), limit: int = 20
    ) -> NearbyEntries:
        """Return the entries of the days around an entry or a date, closest first."""
        return use_cases.read.around(self.workspace, anchor, days=days, kinds=kinds, limit=limit)

    def recent(
        self, *, kinds: Sequence[str] = (), limit: int = 10, offset: int = 0
    ) -> SearchResult:
        """Return the latest entries, newest first."""
        return use_cases.search.recent(self.workspace, kinds=kinds, limit=limit, offset=offset)

    def index_entries(self) -> list[Entry]:
        """Return all entries, in file order."""
        return use_cases.read.index_entries(self.workspace)

    def status(self) -> answers.MemoryStatus:
        """Return counts, dates and problems of this memory."""
        return use_cases.health.status(self.workspace)

    def edges(self, intent: str, code: str = "", stack: Sequence[str] = ()) -> answers.CheckResult:
        """Check ``intent`` or ``code`` against gotchas and rejected approaches."""
        return use_cases.read.edges(self.workspace, intent, code, stack)

    def brought_up(self, text: str) -> tuple[Reminder, ...]:
        """Return pending reminders whose trigger occurs in ``text``; starts no session."""
        return use_cases.reminders.triggered(self.project, text, self.now())

    def due(self) -> list[Reminder]:
        """Return the reminders that are due in this session."""
        return use_cases.reminders.due(self.project, self.workspace.visit())

    def prepared(self) -> checks.PreparedChecks:
        """Return all that may warn or remind (:mod:`mind.memory.checks`); starts no session."""
        return use_cases.checks.prepared(self.project, self.workspace.current(), self.now())

    def current(self) -> list[Entry]:
        """Return all entries that are neither superseded nor contradicted."""
        return use_cases.context.current(self.workspace.current())

    def traverse(
        self, start: str, depth: int = 1, predicate: str | None = None, direction: str = "both"
    ) -> answers.RelationWalk:
        """Return relations around a thing and entries that name it (:mod:`mind.memory.graph`)."""
        return use_cases.graph.traverse(self.workspace, start, depth, predicate, direction)

    def update(
        self,
        identifier: str,
        text: str = "",
        *,
        keywords: Sequence[str] = (),
        acknowledge: bool = False,
    ) -> answers.Curated:
        """Correct an entry in place, or set its keywords."""
        return use_cases.amend.update(
            self.workspace, identifier, text, keywords=keywords, acknowledge=acknowledge
        )

    def forget(
        self, identifier: str, reason: str, *, replaced_by: str = "", acknowledge: bool = False
    ) -> answers.Curated:
        """Archive an entry, with its nested entries."""
        return use_cases.amend.forget(
            self.workspace, identifier, reason, replaced_by=replaced_by, acknowledge=acknowledge
        )

    def restore(self, identifier: str) -> answers.Curated:
        """Restore the latest archived entry with this id to its place."""
        return use_cases.amend.restore(self.workspace, identifier)

    def consolidate(
        self, ids: Sequence[str], summary: str, *, acknowledge: bool = False
    ) -> TidyPlan:
        """Replace several entries by one learning, and archive them."""
        return use_cases.amend.consolidate(self.workspace, ids, summary, acknowledge=acknowledge)

    def verify(self, identifier: str, note: str = "") -> answers.Curated:
        """Mark an entry as verified today: ``[verified:: DATE]``."""
        return use_cases.amend.verify(self.workspace, identifier, note)

    def debt(self, limit: int = 20) -> Debt:
        """Return the entries that most need to be verified."""
        return use_cases.health.owed(self.workspace, limit)

    def changes(self, identifier: str) -> list[str]:
        """Return the commits to the files an entry cites, since it was last known to be true."""
        return use_cases.read.changes(self.workspace, identifier)

    def tags(self) -> TagOverview:
        """Return the tags of this memory, most common first, and the other known projects."""
        return use_cases.tags.overview(self.workspace)

    def rename_tag(
        self, old: str, new: str, *, archive: bool = True, dry_run: bool = False
    ) -> Renamed:
        """Rename a tag everywhere (see :func:`mind.memory.tags.rename`)."""
        return use_cases.tags.rename(self.workspace, old, new, archive=archive, dry_run=dry_run)

    def mute_tag(self, tag: str) -> tuple[str, ...]:
        """Exclude a tag from this session's searches and recalls; return all muted tags."""
        return use_cases.tags.mute(self.workspace, tag)

    def has_tag(self, tag: str) -> bool:
        """Return whether any entry has this tag; case is ignored."""
        return use_cases.tags.has_tag(self.workspace, tag)

    def unmute_tag(self, tag: str) -> tuple[str, ...]:
        """Undo :meth:`mute_tag`; return the tags that are still muted."""
        return use_cases.tags.unmute(self.workspace, tag)

    def record_use(self, ids: Sequence[str], outcome: str, note: str = "") -> answers.Used:
        """Record in the usage log whether entries helped."""
        return use_cases.curate.record_use(self.workspace, ids, outcome, note)

    def health(self, days: int = 30, limits: Thresholds | None = None) -> Health:
        """Return the health report of this memory (see :func:`mind.memory.health.examine`)."""
        return use_cases.health.examine(self.workspace, days, limits)

    def scan(self, *, history: bool = False) -> list[Exposed]:
        """Find secrets in the files, comments and commits of this memory; starts no session."""
        return use_cases.read.scan(self.workspace, history=history)

    def archive(
        self, query: str = "", *, limit: int = 50, offset: int = 0
    ) -> answers.ArchivedEntries:
        """Return archived entries, latest first; with a query, only those with all its words."""
        return use_cases.read.archive(self.workspace, query, limit=limit, offset=offset)

    def prune(self, older_than: int, *, dry_run: bool = False) -> Sequence[Archived]:
        """Permanently delete entries archived more than ``older_than`` days ago."""
        return use_cases.curate.prune(self.workspace, older_than, dry_run=dry_run)

    def export(
        self, how: Format = "jsonl", *, with_archive: bool = True, with_reminders: bool = True
    ) -> Exported:
        """Export this memory as one file (see :mod:`mind.memory.exporting`); starts no session."""
        return use_cases.exporting.export(
            self.workspace, how, with_archive=with_archive, with_reminders=with_reminders
        )

    def import_(
        self,
        path: Path,
        *,
        dry_run: bool = False,
        progress: jsonl_import.Progress = lambda _what, _done, _total: None,
    ) -> ExportImportReport:
        """Import an exported memory (see :mod:`mind.memory.jsonl_import`)."""
        return use_cases.curate.import_(self.workspace, path, dry_run=dry_run, progress=progress)

    def import_from(
        self, source: str, path: Path | None = None, **how: Unpack[ImportOptions]
    ) -> ImportReport:
        """Import the memory of another tool (see :func:`mind.memory.importing.run`)."""
        return use_cases.curate.import_from(self.workspace, source, path, **how)

    def stores(self) -> list[AvailableStore]:
        """Find the memory stores of other tools for this project; starts no session."""
        return use_cases.read.stores(self.workspace)

    def tidy(self, *, dry_run: bool = False, by_hand: bool = True) -> TidyPlan:
        """Archive expired and duplicate entries; list similar ones that could be merged."""
        return use_cases.tidy.run(self.workspace, dry_run=dry_run, by_hand=by_hand)

    def tidy_if_due(self) -> TidyPlan | None:
        """Run :meth:`tidy` if it is enabled and the interval since the last run has passed."""
        return use_cases.tidy.run_if_due(self.workspace)

    def waiting(self) -> list[pending.Pending]:
        """Return claims about the user that wait for confirmation."""
        return use_cases.read.waiting(self.workspace)

    def read_file(
        self,
        path: str,
        *,
        offset: int = 1,
        limit: int = 0,
        whole: bool = False,
        roots: Sequence[Path] = (),
    ) -> ReadAnswer:
        """Return a file's text, or only the changes since this session last read it."""
        return use_cases.read.read_file(
            self.workspace, path, offset=offset, limit=limit, whole=whole, roots=roots
        )

    def placed(self, logged: answers.Logged) -> answers.Logged:
        """Return ``logged`` with the entry's current line and section in its file."""
        return use_cases.read.placed(self.workspace, logged)

    def file_history(self, path: str, *, limit: int = 20, offset: int = 0) -> FileHistory:
        """Return the history of a file (see :func:`mind.sources.file_history.of_file`)."""
        return use_cases.read.file_history(self.workspace, path, limit=limit, offset=offset)

    def benchmark(
        self,
        *,
        entries: int = 200,
        seed: int = 0,
        progress: benchmark.Progress = lambda _what, _done, _total: None,
    ) -> Benchmark:
        """Measure search quality and speed on this memory's own entries; starts no session."""
        return use_cases.read.benchmark(
            self.workspace, entries=entries, seed=seed, progress=progress
        )

    def search_at(self, revision: str, query: str, **how: Any) -> SearchResult:  # noqa: ANN401 - passed on
        """Search the memory as it was at a git revision; options as for :meth:`search`."""
        return use_cases.read.search_at(self.workspace, revision, query, **how)

    def life(self, identifier: str) -> EntryHistory:
        """Return every version of an entry in git (see :func:`mind.memory.entry_history`)."""
        return use_cases.entry_history.life(self.workspace, identifier)

    def difference(self, revisions: str) -> Difference:
        """Return changes between two revisions (:func:`mind.memory.entry_history.difference`)."""
        return use_cases.entry_history.difference(self.workspace, revisions)

    def recall(
        self,
        *,
        force: bool = False,
        session_id: str | None = None,
        event: str | None = None,
        block: bool = True,
        omitted: bool = True,
    ) -> answers.Recall:
        """Return the context for starting work; writes files only if something changed."""
        return use_cases.recall.recall(
            self.workspace,
            force=force,
            session_id=session_id,
            event=event,
            block=block,
            omitted=omitted,
        )

    def end_session(self, session_id: str) -> answers.Synced:
        """End a client's session and update the context block."""
        return use_cases.recall.end_session(self.workspace, session_id)

    def build_index(
        self, *, rebuild: bool = False, progress: semantic.Progress = lambda _done, _all: None
    ) -> answers.Indexed:
        """Update the index and compute missing vectors."""
        return use_cases.recall.build_index(self.workspace, rebuild=rebuild, progress=progress)

    @staticmethod
    def parse(path: Path | None = None) -> answers.Parsed:
        """Parse a Markdown file, MEMORY.md by default: entries, and lines that are none."""
        return use_cases.workspace.parse(path)

    def configure(self, key: str, value: str | None, *, user: bool = False) -> None:
        """Set ``key`` to ``value`` (JSON or plain text), or reset it with None."""
        use_cases.workspace.configure(self.workspace, key, value, user=user)

    @staticmethod
    def projects(*, prune: bool = False) -> tuple[list[Path], list[Path]]:
        """Return the registered projects, and those that ``prune`` removed from the list."""
        return use_cases.workspace.projects(prune=prune)

    def checkpoint(self) -> answers.Synced:
        """Read changed files, comments and commits, and refresh the context block."""
        return use_cases.recall.checkpoint(self.workspace)

    def log(  # noqa: PLR0913 - the fields of an entry, by name only
        self,
        message: str,
        kind: str = "",
        *,
        acknowledge: bool = False,
        replaces: str | Sequence[str] = (),
        about: str = "",
        confidence: float | None = None,
        source: str = "",
        keywords: Sequence[str] = (),
    ) -> answers.Logged:
        """Record one entry, in SESSION.md or MEMORY.md depending on its kind."""
        return use_cases.record.log(
            self.workspace,
            message,
            kind,
            acknowledge=acknowledge,
            replaces=replaces,
            about=about,
            confidence=confidence,
            source=source,
            keywords=keywords,
        )

    def confirm(
        self, identifier: str, *, accept: bool = True
    ) -> answers.Logged | answers.Curated | TidyPlan | pending.Pending:
        """Record or drop a pending claim about the user, and return it."""
        return use_cases.record.confirm(self.workspace, identifier, accept=accept)

    def blocker(self, description: str, keywords: Sequence[str] = ()) -> answers.BlockerLogged:
        """Log a blocker and search memory for related entries."""
        return use_cases.record.blocker(self.workspace, description, keywords)

    def relate(self, subject: str, predicate: str, object: str) -> answers.Related:  # noqa: A002 - its name everywhere
        """Record a relation between two things, once (see :mod:`mind.memory.graph`)."""
        return use_cases.graph.relate(self.workspace, subject, predicate, object)

    def reminders(self, *, everything: bool = False) -> list[Reminder]:
        """Return pending reminders; with ``everything``, completed ones too."""
        return use_cases.record.reminders(self.workspace, everything=everything)

    def remind(self, message: str, when: str = "") -> Reminder:
        """Set a reminder."""
        return use_cases.record.remind(self.workspace, message, when)

    def reminder_done(self, reminder_id: str, *, dismiss: bool = False) -> Reminder:
        """Mark a reminder as done; a recurring one only for this time."""
        return use_cases.record.reminder_done(self.workspace, reminder_id, dismiss=dismiss)

    def add_global_edge(  # noqa: PLR0913 - the fields of a gotcha, by name only
        self,
        *,
        title: str,
        description: str,
        workaround: str,
        stack: Sequence[str] = (),
        pattern: str = "",
        severity: str = "medium",
    ) -> Gotcha:
        """Record a gotcha for all projects of this user."""
        return use_cases.record.add_global_edge(
            self.workspace,
            title=title,
            description=description,
            workaround=workaround,
            stack=stack,
            pattern=pattern,
            severity=severity,
        )
