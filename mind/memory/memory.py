"""`Memory`: the one way to a project's memory. A command or a tool calls it and renders."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, Unpack

from mind.memory.workspace import Workspace
from mind.storage import project as places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from mind.documents.archive import Archived
    from mind.documents.reminders import Reminder
    from mind.domain.entry import Entry
    from mind.memory import answers, benchmark, checks, importing
    from mind.memory.adopting import Adopted, How
    from mind.memory.benchmark import Benchmark
    from mind.memory.debt import Debt
    from mind.memory.entry_history import Difference, Life
    from mind.memory.exporting import Exported, Format
    from mind.memory.file_reads.giving import Given
    from mind.memory.gotchas import Gotcha
    from mind.memory.health import Health, Limits
    from mind.memory.importing import Imported
    from mind.memory.scopes import Renamed, Scopes
    from mind.memory.tidy import Plan
    from mind.search import semantic
    from mind.search.results import Around, Details, SearchResult, Timeline
    from mind.search.semantic import Meaning
    from mind.sources.exposed import Exposed
    from mind.sources.file_history import FileHistory
    from mind.sources.offering import Offer
    from mind.storage import pending
    from mind.storage.index import Index
    from mind.storage.journal import Value
    from mind.storage.project import Project
    from mind.text.dates.asked import When


class Memory:
    """A project's memory, as of each call: no state is kept between calls but open files.

    Each method is a use case, in a module of this package that is imported when it is called.

    Args:
        project: Whose memory.
        clock: Gives the aware time of a call; the system's by default.
        session_id: The client's name for its session, for calls that give none.
        meaning: Gives the embedding model of a project, where it is kept open between calls.
        seconds: How long the index may be built before a call answers from its last state.
    """

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], datetime] | None = None,
        session_id: str | None = None,
        meaning: Callable[[Project], Meaning] | None = None,
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
        meaning: Callable[[Project], Meaning] | None = None,
    ) -> Self:
        """The memory of the project that serves ``start`` (see :func:`mind.storage.project.find`).

        Raises:
            ProjectError: There is no project here.
        """
        return cls(places.find(start), session_id=session_id, meaning=meaning)

    @property
    def project(self) -> Project:
        """Whose memory it is."""
        return self.workspace.project

    @property
    def index(self) -> Index:
        """The derived index, opened on first use."""
        return self.workspace.index

    @property
    def meaning(self) -> Meaning:
        """The embedding model and its vectors, if there is one."""
        return self.workspace.meaning

    def now(self) -> datetime:
        """The time, in the project's zone."""
        return self.workspace.now()

    def close(self) -> None:
        """Release the index, and make sure that late clobbered entries are put back."""
        self.workspace.close()

    def when(self, text: str) -> When:
        """The meaning of words about time; releases are the repository's."""
        from mind.memory import read

        return read.when(self.workspace, text)

    def session(self) -> answers.SessionView:
        """The running session and what its buffer holds."""
        from mind.memory import read

        return read.session(self.workspace)

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
        """The entries that match ``query`` best."""
        from mind.memory import search

        return search.search(
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
        """The entries with these ids, whole."""
        from mind.memory import read

        return read.get(self.workspace, ids)

    def timeline(self, anchor: str, *, before: int = 5, after: int = 5) -> Timeline:
        """Entries noted around an entry."""
        from mind.memory import read

        return read.timeline(self.workspace, anchor, before=before, after=after)

    def around(
        self, anchor: str, *, days: int = 7, kinds: Sequence[str] = (), limit: int = 20
    ) -> Around:
        """Entries of the days around an entry or a date, nearest first."""
        from mind.memory import read

        return read.around(self.workspace, anchor, days=days, kinds=kinds, limit=limit)

    def recent(
        self, *, kinds: Sequence[str] = (), limit: int = 10, offset: int = 0
    ) -> SearchResult:
        """The latest entries, newest first."""
        from mind.memory import search

        return search.recent(self.workspace, kinds=kinds, limit=limit, offset=offset)

    def index_entries(self) -> list[Entry]:
        """Every entry, in the order of the files."""
        from mind.memory import read

        return read.index_entries(self.workspace)

    def status(self) -> answers.Status:
        """Counts, dates and problems of this memory."""
        from mind.memory import read

        return read.status(self.workspace)

    def edges(self, intent: str, code: str = "", stack: Sequence[str] = ()) -> answers.Checked:
        """Check ``intent`` or ``code`` for known problems before it is done."""
        from mind.memory import read

        return read.edges(self.workspace, intent, code, stack)

    def brought_up(self, text: str) -> tuple[Reminder, ...]:
        """Pending reminders that ``text`` brings up; no session begins."""
        from mind.memory import read

        return read.brought_up(self.workspace, text)

    def due(self) -> list[Reminder]:
        """Pending reminders whose time has come in this session."""
        from mind.memory import read

        return read.due(self.workspace)

    def record(
        self, name: str, session: str, data: Mapping[str, Value], ids: Sequence[str] = ()
    ) -> str:
        """Write an event of a session into the usage log, or say why not; no session begins."""
        from mind.memory import read

        return read.note_event(self.workspace, name, session, data, ids)

    def prepared(self) -> checks.Prepared:
        """All that may warn or remind (see :mod:`mind.memory.checks`); no session begins."""
        from mind.memory import read

        return read.prepared(self.workspace)

    def current(self) -> list[Entry]:
        """All entries but those that another one outdates or that somebody contradicted."""
        from mind.memory import read

        return read.current(self.workspace)

    def traverse(
        self, start: str, depth: int = 1, predicate: str | None = None, direction: str = "both"
    ) -> answers.Walk:
        """Relations around a thing, and entries that name it (see :mod:`mind.memory.graph`)."""
        from mind.memory import read

        return read.traverse(self.workspace, start, depth, predicate, direction)

    def update(self, identifier: str, text: str, *, acknowledge: bool = False) -> answers.Curated:
        """Correct an entry in its place; the old words go to the archive."""
        from mind.memory import amend

        return amend.update(self.workspace, identifier, text, acknowledge=acknowledge)

    def forget(
        self, identifier: str, reason: str, *, replaced_by: str = "", acknowledge: bool = False
    ) -> answers.Curated:
        """Move an entry to the archive, and those that stand within it too."""
        from mind.memory import amend

        return amend.forget(
            self.workspace, identifier, reason, replaced_by=replaced_by, acknowledge=acknowledge
        )

    def restore(self, identifier: str) -> answers.Curated:
        """Put back what was archived under an id last, where it stood."""
        from mind.memory import amend

        return amend.restore(self.workspace, identifier)

    def consolidate(self, ids: Sequence[str], summary: str, *, acknowledge: bool = False) -> Plan:
        """Put one learning in the place of several entries, which go to the archive."""
        from mind.memory import amend

        return amend.consolidate(self.workspace, ids, summary, acknowledge=acknowledge)

    def verify(self, identifier: str, note: str = "") -> answers.Curated:
        """Note that an entry was checked today and still holds: ``[verified:: DATE]``."""
        from mind.memory import amend

        return amend.verify(self.workspace, identifier, note)

    def debt(self, limit: int = 20) -> Debt:
        """Entries that most need somebody to check whether they still hold."""
        from mind.memory import curate

        return curate.debt(self.workspace, limit)

    def changes(self, identifier: str) -> list[str]:
        """The latest commits to the files that an entry cites, since it was true."""
        from mind.memory import read

        return read.changes(self.workspace, identifier)

    def scopes(self) -> Scopes:
        """The tags of this memory, the most common first, and the other projects there are."""
        from mind.memory import curate

        return curate.scopes(self.workspace)

    def rename_scope(
        self, old: str, new: str, *, archive: bool = True, dry_run: bool = False
    ) -> Renamed:
        """Give a tag another name everywhere (see :func:`mind.memory.scopes.rename`)."""
        from mind.memory import curate

        return curate.rename_scope(self.workspace, old, new, archive=archive, dry_run=dry_run)

    def mute_scope(self, tag: str) -> tuple[str, ...]:
        """Leave a tag's entries out of what this session searches and recalls; all muted ones."""
        from mind.memory import curate

        return curate.mute_scope(self.workspace, tag)

    def has_scope(self, tag: str) -> bool:
        """True if an entry has a tag, whatever its case."""
        from mind.memory import curate

        return curate.has_scope(self.workspace, tag)

    def unmute_scope(self, tag: str) -> tuple[str, ...]:
        """No longer leave a tag's entries out; the ones that are still muted."""
        from mind.memory import curate

        return curate.unmute_scope(self.workspace, tag)

    def record_use(self, ids: Sequence[str], outcome: str, note: str = "") -> answers.Used:
        """Note in the usage log what became of entries that were read."""
        from mind.memory import curate

        return curate.record_use(self.workspace, ids, outcome, note)

    def health(self, days: int = 30, limits: Limits | None = None) -> Health:
        """The health of this memory (see :func:`mind.memory.health.examine`)."""
        from mind.memory import curate

        return curate.health(self.workspace, days, limits)

    def scan(self, *, history: bool = False) -> list[Exposed]:
        """Credentials in the files, comments and commits of this memory; no session begins."""
        from mind.memory import read

        return read.scan(self.workspace, history=history)

    def archive(self, query: str = "", *, limit: int = 50, offset: int = 0) -> answers.Archive:
        """Archived entries, the latest first; with a query only those with its words."""
        from mind.memory import read

        return read.archive(self.workspace, query, limit=limit, offset=offset)

    def prune(self, older_than: int, *, dry_run: bool = False) -> Sequence[Archived]:
        """Delete from the archive for good what was taken out longer ago than some days."""
        from mind.memory import curate

        return curate.prune(self.workspace, older_than, dry_run=dry_run)

    def export(
        self, how: Format = "jsonl", *, with_archive: bool = True, with_reminders: bool = True
    ) -> Exported:
        """This memory in one file; no session begins (see :mod:`mind.memory.exporting`)."""
        from mind.memory import curate

        return curate.export(
            self.workspace, how, with_archive=with_archive, with_reminders=with_reminders
        )

    def import_(
        self,
        path: Path,
        *,
        dry_run: bool = False,
        progress: importing.Progress = lambda _what, _done, _total: None,
    ) -> Imported:
        """Take in what an export holds (see :mod:`mind.memory.importing`)."""
        from mind.memory import curate

        return curate.import_(self.workspace, path, dry_run=dry_run, progress=progress)

    def import_from(self, source: str, path: Path | None = None, **how: Unpack[How]) -> Adopted:
        """Take in what another tool remembers (see :func:`mind.memory.adopting.run`)."""
        from mind.memory import curate

        return curate.import_from(self.workspace, source, path, **how)

    def stores(self) -> list[Offer]:
        """Stores of other tools that are found here; no session begins."""
        from mind.memory import read

        return read.stores(self.workspace)

    def tidy(self, *, dry_run: bool = False, by_hand: bool = True) -> Plan:
        """Archive what lived its time and what says the same twice; list what one can sum up."""
        from mind.memory import curate

        return curate.tidy(self.workspace, dry_run=dry_run, by_hand=by_hand)

    def tidy_if_due(self) -> Plan | None:
        """As :meth:`tidy`, by itself: at most once in a while, unless that is switched off."""
        from mind.memory import curate

        return curate.tidy_if_due(self.workspace)

    def waiting(self) -> list[pending.Pending]:
        """Claims about the person that wait to be confirmed."""
        from mind.memory import read

        return read.waiting(self.workspace)

    def read_file(
        self,
        path: str,
        *,
        offset: int = 1,
        limit: int = 0,
        whole: bool = False,
        roots: Sequence[Path] = (),
    ) -> Given:
        """A file, or what changed since this session read it."""
        from mind.memory import read

        return read.read_file(
            self.workspace, path, offset=offset, limit=limit, whole=whole, roots=roots
        )

    def placed(self, logged: answers.Logged) -> answers.Logged:
        """``logged`` with its entry as it stands in the file now: its line and its section."""
        from mind.memory import read

        return read.placed(self.workspace, logged)

    def file_history(self, path: str, *, limit: int = 20, offset: int = 0) -> FileHistory:
        """The history of a file (see :func:`mind.sources.file_history.of_file`)."""
        from mind.memory import read

        return read.file_history(self.workspace, path, limit=limit, offset=offset)

    def benchmark(
        self,
        *,
        entries: int = 200,
        seed: int = 0,
        progress: benchmark.Progress = lambda _what, _done, _total: None,
    ) -> Benchmark:
        """Measure how well and fast search finds this memory's own entries; no session begins."""
        from mind.memory import read

        return read.benchmark(self.workspace, entries=entries, seed=seed, progress=progress)

    def search_at(self, revision: str, query: str, **how: Any) -> SearchResult:  # noqa: ANN401 - passed on
        """As :meth:`search`, in the memory as it was at a revision."""
        from mind.memory import read

        return read.search_at(self.workspace, revision, query, **how)

    def life(self, identifier: str) -> Life:
        """Every version of an entry that git knows (see :func:`mind.memory.entry_history`)."""
        from mind.memory import read

        return read.life(self.workspace, identifier)

    def difference(self, revisions: str) -> Difference:
        """Changes between two revisions (see :func:`mind.memory.entry_history.difference`)."""
        from mind.memory import read

        return read.difference(self.workspace, revisions)

    def recall(
        self,
        *,
        force: bool = False,
        session_id: str | None = None,
        event: str | None = None,
        block: bool = True,
        omitted: bool = True,
    ) -> answers.Recall:
        """The context to start from; a call that finds nothing new writes nothing."""
        from mind.memory import recall

        return recall.recall(
            self.workspace,
            force=force,
            session_id=session_id,
            event=event,
            block=block,
            omitted=omitted,
        )

    def end_session(self, session_id: str) -> answers.Synced:
        """Close the session that a client says is over, and bring the block up to date."""
        from mind.memory import recall

        return recall.end_session(self.workspace, session_id)

    def build_index(
        self, *, rebuild: bool = False, progress: semantic.Progress = lambda _done, _all: None
    ) -> answers.Indexed:
        """Bring the index up to date, and make the vectors that are missing."""
        from mind.memory import recall

        return recall.build_index(self.workspace, rebuild=rebuild, progress=progress)

    @staticmethod
    def parse(path: Path | None = None) -> answers.Parsed:
        """Read a Markdown file, the project's MEMORY.md by default: entries, and what is none."""
        from mind.memory import settings

        return settings.parse(path)

    def configure(self, key: str, value: str | None, *, user: bool = False) -> None:
        """Set ``key`` to ``value`` (JSON or plain text), or back to its default with None."""
        from mind.memory import settings

        settings.configure(self.workspace, key, value, user=user)

    @staticmethod
    def projects(*, prune: bool = False) -> tuple[list[Path], list[Path]]:
        """The registered projects, and those that ``prune`` took off the list."""
        from mind.memory import settings

        return settings.projects(prune=prune)

    def checkpoint(self) -> answers.Synced:
        """Read everything that changed: files, comments, commits; refresh the block."""
        from mind.memory import recall

        return recall.checkpoint(self.workspace)

    def log(  # noqa: PLR0913 - the fields of an entry, by name only
        self,
        message: str,
        kind: str = "experience",
        *,
        acknowledge: bool = False,
        replaces: str | Sequence[str] = (),
        about: str = "",
        confidence: float | None = None,
        source: str = "",
    ) -> answers.Logged:
        """Record one entry: in SESSION.md or MEMORY.md, as its kind says."""
        from mind.memory import record

        return record.log(
            self.workspace,
            message,
            kind,
            acknowledge=acknowledge,
            replaces=replaces,
            about=about,
            confidence=confidence,
            source=source,
        )

    def confirm(
        self, identifier: str, *, accept: bool = True
    ) -> answers.Logged | answers.Curated | Plan | pending.Pending:
        """Record a claim about the person that waits, or drop it; which is returned."""
        from mind.memory import record

        return record.confirm(self.workspace, identifier, accept=accept)

    def blocker(self, description: str, keywords: Sequence[str] = ()) -> answers.Blocked:
        """Record what blocks, and search memory for what is known about it."""
        from mind.memory import record

        return record.blocker(self.workspace, description, keywords)

    def relate(self, subject: str, predicate: str, object: str) -> answers.Related:  # noqa: A002 - its name everywhere
        """Record how two things are related, once (see :mod:`mind.memory.graph`)."""
        from mind.memory import record

        return record.relate(self.workspace, subject, predicate, object)

    def reminders(self, *, everything: bool = False) -> list[Reminder]:
        """Pending reminders; with ``everything``, the completed ones too."""
        from mind.memory import record

        return record.reminders(self.workspace, everything=everything)

    def remind(self, message: str, when: str = "") -> Reminder:
        """Set a reminder."""
        from mind.memory import record

        return record.remind(self.workspace, message, when)

    def reminder_done(self, reminder_id: str, *, dismiss: bool = False) -> Reminder:
        """Tick a reminder off; one that comes back, for this time."""
        from mind.memory import record

        return record.reminder_done(self.workspace, reminder_id, dismiss=dismiss)

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
        """Record a gotcha for every project of this user."""
        from mind.memory import record

        return record.add_global_edge(
            self.workspace,
            title=title,
            description=description,
            workaround=workaround,
            stack=stack,
            pattern=pattern,
            severity=severity,
        )
