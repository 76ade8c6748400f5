"""`Memory`: the one door to a project's memory. A command or a tool calls it and renders."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind import agenda, files, lifecycle, parser, sync
from mind import project as projects
from mind.answers import (
    Blocked,
    Curated,
    Indexed,
    Logged,
    Loop,
    Recall,
    Related,
    SessionView,
    Synced,
)
from mind.browsing import Browsing
from mind.config import Settings
from mind.curating import Curating
from mind.deferred import Deferred
from mind.entry import Entry, Kind, content_id, parse_kind
from mind.errors import FileError, InputError, NotFound, ProjectError
from mind.home import home, own_memory
from mind.installing import Installing
from mind.lifecycle import Visit
from mind.looking_back import LookingBack
from mind.meaning import Progress
from mind.reading import not_echoed
from mind.reminders import Reminder
from mind.session import State

if TYPE_CHECKING:
    from mind import (
        archive,
        briefing,
        checks,
        gate,
        gotchas,
        graph,
        installation,
        notebook,
        pending,
        tidying,
    )
    from mind.doctor import Check
    from mind.gotchas import Gotcha
    from mind.sync import Report
else:
    archive, briefing = Deferred("archive"), Deferred("briefing")
    checks, gate = Deferred("checks"), Deferred("gate")
    gotchas, graph = Deferred("gotchas"), Deferred("graph")
    installation = Deferred("installation")
    notebook, pending = Deferred("notebook"), Deferred("pending")


class Memory(Installing, Curating, Browsing, LookingBack):
    """A project's memory, read and written; arguments are those of :class:`Curating`."""

    @staticmethod
    def use_own(*, make: bool = False) -> None:
        """Work from now on, in this process and those it starts, on the user's own memory.

        Args:
            make: Make it if it is not there.
        """
        projects.use(own_memory())
        if make:
            installation.apply(installation.plan())

    def recall(
        self, *, force: bool = False, session_id: str | None = None, event: str | None = None
    ) -> Recall:
        """The context to start from; a call that finds nothing new writes nothing.

        Args:
            force: Build the index and the block anew.
            session_id: The client's name for its session.
            event: Why the client asks: startup, resume, clear or compact.
        """
        visit = self._visit(session_id, event)
        due = agenda.due(self.project, visit)

        def read() -> "tuple[Report, briefing.Bodies, SessionView]":
            if force:
                self.index.clear()
            report, bodies = self._block(visit, due)
            return report, bodies, self._session_view(visit)

        report, bodies, view = self.index.sure(read)
        body = bodies.own
        problems = [*visit.problems, *report.problems]
        written, trouble = self._placed(report, bodies)
        lifecycle.remember(self.project, visit, report.memory_hash)
        agenda.note_shown(self.project, visit, due)
        muted = visit.state.muted
        if muted:  # what stands in files stays whole
            body = self.index.sure(
                lambda: briefing.block(
                    self.project, self.index, visit.now.date(), due, report.problems, muted=muted
                )
            )
        return Recall(
            context=body,
            new_session=visit.new,
            promoted=visit.promoted,
            session=view,
            due=tuple(due),
            global_gotchas=checks.of_every_project(self.project),
            written=tuple(written),
            problems=(*problems, *trouble, *self._missing(visit), *self._mirror_warnings()),
        )

    def _missing(self, visit: Visit) -> "tuple[str, ...]":
        told = archive.missing(self.project.archive, visit.now.date())
        return (told,) if told else ()

    def _block(self, visit: Visit, due: Sequence[Reminder]) -> "tuple[Report, briefing.Bodies]":
        """Bring the index up to date; what that did, and the block."""
        report = sync.refresh(self.project, self.index)
        own = briefing.block(self.project, self.index, visit.now.date(), due, report.problems)
        return report, briefing.Bodies(briefing.tracked_block(self.project, self.index), own)

    def _placed(self, report: "Report", bodies: "briefing.Bodies") -> tuple[list[str], list[str]]:
        """Put the block into its files, unless it lacks what is still to be read."""
        if not report.is_complete:
            return [], []
        return briefing.refresh_targets(self.project, bodies)

    def end_session(self, session_id: str) -> Synced:
        """Close the session that a client says is over, and bring the block up to date.

        Raises:
            FileError: What it leaves cannot be written.
        """
        now = self.now()
        promoted = lifecycle.end(self.project, lambda: self.index, now, session_id)
        return self._synced(lifecycle.Visit(now=now, state=State(), promoted=promoted))

    def build_index(
        self, *, rebuild: bool = False, progress: Progress = lambda _done, _all: None
    ) -> Indexed:
        """Bring the index up to date, and make the vectors that are missing.

        Args:
            rebuild: Throw it away first, vectors too.
            progress: Told how many vectors are made, and of how many.

        Raises:
            ModelError: The embedding model cannot be run.
        """
        visit = self._visit()

        def build() -> Indexed:
            if rebuild:
                self.index.forget()
            report = sync.refresh(self.project, self.index)
            made = self.meaning.fill(self.index, progress)
            profile = self.meaning.profile
            return Indexed(
                entries=sum(self.index.counts("family").values()),
                added=report.change.added,
                removed=report.change.removed,
                profile=profile,
                vectors=self.index.count_vectors(profile)[0],
                made=made,
                lexical_only=self.meaning.lacking(self.index),
                problems=(*visit.problems, *report.problems),
            )

        return self.index.sure(build)

    @staticmethod
    def examine(start: Path | None = None, **how: Any) -> "list[Check]":  # noqa: ANN401 - passed on
        """What ``mind doctor`` looks at (see :func:`mind.doctor.examine`)."""
        from mind import doctor  # noqa: PLC0415 - it knows the clients too

        return doctor.examine(start, **how)

    @staticmethod
    def parse(path: Path | None = None) -> list[Entry]:
        """What the parser understands in a Markdown file, the project's MEMORY.md by default.

        Outside a project the default settings apply.
        """
        try:
            project = projects.find()
        except ProjectError:
            if path is None:
                raise
            project = None
        file = path or (project or projects.find()).memory
        if not file.is_file():
            raise NotFound(f"{file} is not a file", remedy="Name a Markdown file.")
        settings = project.settings if project else Settings()
        entries = parser.parse(files.read(file), file.as_posix(), settings)
        return parser.number_and_resolve(entries)

    def configure(self, key: str, value: str | None, *, user: bool = False) -> None:
        """Set ``key`` to ``value`` (JSON or plain text), or back to its default with None.

        Raises:
            ConfigError: The key is unknown, or the value does not fit it.
        """
        path = home() / "config.toml" if user else self.project.config
        installation.configure(path, key, value)
        self.project = self.project.anew()

    @staticmethod
    def projects(*, prune: bool = False) -> tuple[list[Path], list[Path]]:
        """The registered projects, and those that ``prune`` took off the list."""
        gone = projects.prune() if prune else []
        return projects.registered(), gone

    def checkpoint(self) -> Synced:
        """Read everything that changed: files, comments, commits; refresh the block."""
        return self._synced(self._visit())

    def _synced(self, visit: Visit) -> Synced:
        due = agenda.due(self.project, visit)

        def read() -> "tuple[Report, briefing.Bodies, dict[str, int]]":
            return *self._block(visit, due), self.index.counts("family")

        report, bodies, counts = self.index.sure(read)
        written, trouble = self._placed(report, bodies)
        return Synced(
            entries=sum(counts.values()),
            added=report.change.added,
            removed=report.change.removed,
            by_source=counts,
            written=tuple(written),
            problems=(*visit.problems, *report.problems, *trouble),
            promoted=visit.promoted,
        )

    def log(
        self,
        message: str,
        kind: str = "experience",
        *,
        acknowledge: bool = False,
        replaces: str = "",
    ) -> Logged:
        """Record one entry: in SESSION.md or MEMORY.md, as its kind says (see :mod:`mind.gate`).

        What memory says already is not written again. A claim about the person waits for
        :meth:`confirm`; until then what it replaces stays.

        Args:
            message: One fact, with its reason; with ``replaces``, the id of an entry will do.
            kind: What it is.
            acknowledge: It is to stay although it will not be true for long, or was taken out of
                memory before; what it replaces may be protected.
            replaces: Id of an entry that no longer holds; it goes to the archive.

        Raises:
            InputError: An empty or oversized message, an unknown kind, or one of the errors of
                :mod:`mind.gate`; nothing was changed.
            NotFound: There is no entry to replace, or none of the id that is the message; nothing
                was changed.
            Protected: What it replaces is a goal, a lesson or pinned; nothing was changed.
            FileError: The file cannot be written; nothing was changed.
        """
        gate.refuse_secrets(message, kind)
        wanted = parse_kind(kind)
        line = notebook.line_for(wanted, message)
        message = notebook.unlabelled(wanted, message)
        gate.refuse_scopes(message, self.project.settings)
        visit = self._visit()
        old = self._to_replace(replaces, acknowledge=acknowledge)
        if old and (there := self._named(message)):
            known = Logged(entry=there, file=there.source, known=True, promoted=visit.promoted)
            return self._replacing(visit, known, old, acknowledge=acknowledge)
        overridden = self._durable(visit, message, wanted, acknowledge=acknowledge)
        waits = self._claimed(
            visit, message, wanted, replaces=old.id if old else "", acknowledge=acknowledge
        )
        if waits:
            entry = self._entry_of(wanted, line, message, visit)
            return Logged(entry=entry, file="", pending=waits, promoted=visit.promoted)
        done = self._record(
            visit, wanted, line, message, overridden, acknowledge=acknowledge, once=old is not None
        )
        return self._replacing(visit, done, old, acknowledge=acknowledge)

    def confirm(
        self, identifier: str, *, accept: bool = True
    ) -> "Logged | Curated | tidying.Plan | pending.Pending":
        """Record a claim about the person that waits, or drop it; which is returned.

        Raises:
            NotFound: None waits by this id, or not any more.
        """
        visit = self._visit()
        with not_echoed(identifier):
            one = pending.take(self.project, identifier, visit.now)
        if not accept:
            self._note(visit, "cancel")
            return one
        if one.ids:
            amended = self._confirmed(visit, one)
            self._note(visit, "confirm")
            return amended
        line = notebook.line_for(one.kind, one.message)
        try:
            old = self._still_to_replace(one)
            done = self._record(
                visit, one.kind, line, one.message, (), acknowledge=True, once=old is not None
            )
            done = self._replacing(visit, done, old, acknowledge=one.acknowledged)
        except (FileError, InputError):  # it waits on: nobody should have to be asked twice
            pending.put_back(self.project, one)
            raise
        self._note(visit, "confirm")
        return done

    def _record(  # noqa: PLR0913 - what the gate found out
        self,
        visit: Visit,
        kind: Kind,
        line: str,
        message: str,
        overridden: tuple[str, ...],
        *,
        acknowledge: bool,
        once: bool = False,
    ) -> Logged:
        repeats: tuple[Loop, ...] = ()
        known = gate.Known()
        path: Path | None = None
        today = visit.now.date()
        try:
            if kind is Kind.REJECTED:
                repeats = self._current(lambda: self._repeats(message))
            if once or kind in gate.NAMING:
                known = self.index.sure(lambda: self._known(message, kind, once=once))
        finally:  # whatever breaks in what is derived, the entry is written
            if known.same is None:
                if not acknowledge:
                    gate.refuse_forgotten(self.project, message, kind, today)
                path = lifecycle.record(self.project, kind, line, visit)
        if known.same is not None or path is None:
            same = known.same or self._entry_of(kind, line, message, visit)
            return Logged(entry=same, file=same.source, known=True, promoted=visit.promoted)
        name = self.project.relative(path)
        entry = replace(self._entry_of(kind, line, message, visit), source=name)
        if once or any(one.id == entry.id for one in known.related):  # its words may be there twice
            entry = self.placed(Logged(entry=entry, file=name)).entry
        named = {entry.id, *(loop.earlier.id for loop in repeats)}
        self._note(visit, "log", [entry.id], kind=kind.value, overridden=list(overridden) or None)
        return Logged(
            entry=entry,
            file=name,
            loops=repeats,
            reminders=agenda.triggered(self.project, message, visit.now),
            related=tuple(one for one in known.related if one.id not in named),
            overridden=overridden,
            promoted=visit.promoted,
        )

    def _entry_of(self, kind: Kind, line: str, message: str, visit: Visit) -> Entry:
        text = " ".join(message.split())
        entry = parser.parse_line(line, self.project.settings)
        base = entry or Entry(id=content_id(text), kind=kind, text=text)
        return replace(base, kind=kind, date=visit.now.date())

    def blocker(self, description: str, keywords: Sequence[str] = ()) -> Blocked:
        """Record what blocks, and search memory for what is known about it."""
        gate.refuse_secrets(*keywords)
        logged = self.log(description, Kind.BLOCKER.value)
        query = " ".join((*keywords, description))
        found = self.search(query)
        hits = tuple(hit for hit in found.hits if hit.entry.id != logged.entry.id)
        return Blocked(logged=logged, found=replace(found, hits=hits))

    def relate(self, subject: str, predicate: str, object: str) -> Related:  # noqa: A002 - its name everywhere
        """Record how two things are related, once (see :mod:`mind.graph`)."""
        gate.refuse_secrets(subject, predicate, object)
        made = graph.stated(subject, predicate, object)
        return graph.relate(self.project, self._visit(), made)

    def reminders(self, *, everything: bool = False) -> list[Reminder]:
        """Pending reminders; with ``everything``, the completed ones too."""
        now = self._visit().now
        return (agenda.listed if everything else agenda.pending)(self.project, now)

    def remind(self, message: str, when: str = "") -> Reminder:
        """Set a reminder.

        Args:
            message: What to be reminded of.
            when: A time, "next session" or "when I mention X"; "" for the time that the message
                begins or ends with, or the next session if it names none.

        Raises:
            DateNotUnderstood: ``when`` is no form that is understood, or the message may name a
                time that is not.
        """
        gate.refuse_secrets(message, when)
        return agenda.add(self.project, self._visit(), message, when)

    def reminder_done(self, reminder_id: str, *, dismiss: bool = False) -> Reminder:
        """Tick a reminder off; one that comes back, for this time.

        Args:
            reminder_id: As the lists show it.
            dismiss: Give it up instead: it does not come back.

        Raises:
            NotFound: No pending reminder has this id.
        """
        with not_echoed(reminder_id):
            return agenda.complete(self.project, self._visit(), reminder_id, dismiss=dismiss)

    def add_global_edge(  # noqa: PLR0913 - the fields of a gotcha, by name only
        self,
        *,
        title: str,
        description: str,
        workaround: str,
        stack: Sequence[str] = (),
        pattern: str = "",
        severity: str = "medium",
    ) -> "Gotcha":
        """Record a gotcha for every project of this user."""
        gate.refuse_secrets(title, description, workaround, pattern, *stack)
        added = gotchas.new_global(title, description, workaround, stack, pattern, severity)
        checks.add_global(added)
        return added
