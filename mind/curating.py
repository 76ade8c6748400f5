"""Keeping a memory true: checking entries off, correcting, forgetting and restoring them."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mind import files, history, staleness, sync
from mind.amending import Amending
from mind.answers import Archive, Curated, Used
from mind.deferred import Deferred
from mind.errors import InputError, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Unpack

    from mind import curation, debt, gate, pending, scopes, tidying
    from mind.adopting import Adopted, How
    from mind.archive import Archived
    from mind.debt import Debt
    from mind.exporting import Exported, Format
    from mind.health import Health, Limits
    from mind.importing import Imported, Progress
    from mind.offering import Offer
    from mind.scopes import Renamed, Scopes
    from mind.sources.exposed import Exposed
    from mind.tidying import Plan

    Taken = TypeVar("Taken", Imported, Adopted)
else:
    curation, pending = Deferred("curation"), Deferred("pending")
    debt, gate = Deferred("debt"), Deferred("gate")
    scopes, tidying = Deferred("scopes"), Deferred("tidying")


class Outcome(StrEnum):
    """What became of an entry that was read.

    It helped; it did not matter; it is wrong; it was wrong and stands corrected now.
    """

    APPLIED = "applied"
    IGNORED = "ignored"
    CONTRADICTED = "contradicted"
    CORRECTED = "corrected"


class Curating(Amending):
    """A project's memory, read and curated; arguments are those of :class:`Reading`."""

    def verify(self, identifier: str, note: str = "") -> Curated:
        """Note that an entry was checked today and still holds: ``[verified:: DATE]``.

        Raises:
            NotFound: Nothing has this id.
            InputError: It stands in no file of the memory.
        """
        gate.refuse_secrets(note)
        visit = self._visit()
        day = visit.now.date().isoformat()
        entry = curation.mark(self.project, self._entry(identifier), {"verified": day})
        self._note(visit, "verify", [entry.id], note=" ".join(note.split())[:_NOTE])
        return self._curated(entry, visit)

    def debt(self, limit: int = 20) -> "Debt":
        """Entries that most need somebody to check whether they still hold.

        Raises:
            InputError: The limit is not 1 to 1000.
        """
        if not 1 <= limit <= 1000:
            raise InputError(f"limit is {limit}", remedy="Use a limit from 1 to 1000.")
        today = self._visit().now.date()
        return self._current(lambda: debt.owed(self.project, self.index, today, limit))

    def changes(self, identifier: str) -> list[str]:
        """The latest commits to the files that an entry cites, since it was true.

        Raises:
            NotFound: Nothing has this id.
        """
        return staleness.changes(self.project.root, self._entry(identifier))

    def scopes(self) -> "Scopes":
        """The tags of this memory, the most common first, and the other projects there are."""
        muted = self._visit().state.muted
        return self._current(lambda: scopes.overview(self.project, self.index, muted))

    def rename_scope(
        self, old: str, new: str, *, archive: bool = True, dry_run: bool = False
    ) -> "Renamed":
        """Give a tag another name everywhere (see :func:`mind.scopes.rename`).

        Raises:
            InputError: One cannot be a tag, both are the same, or the new one is not allowed.
            NotFound: Nothing has the old one.
        """
        visit = self._visit()
        done = scopes.rename(self.project, old, new, archived=archive, dry_run=dry_run)
        if not dry_run:
            self._note(visit, "rename")
        return done

    def mute_scope(self, tag: str) -> tuple[str, ...]:
        """Leave a tag's entries out of what this session searches and recalls; all muted ones.

        Raises:
            InputError: It cannot be a tag.
        """
        return scopes.mute(self.project, self._visit(), tag, muted=True)

    def has_scope(self, tag: str) -> bool:
        """Whether an entry has a tag, whatever its case.

        Raises:
            InputError: It cannot be a tag.
        """
        name = scopes.named(tag).casefold()
        return any(one.name.casefold() == name for one in self.scopes().tags)

    def unmute_scope(self, tag: str) -> tuple[str, ...]:
        """No longer leave a tag's entries out; the ones that are still muted.

        Raises:
            InputError: It cannot be a tag.
        """
        return scopes.mute(self.project, self._visit(), tag, muted=False)

    def record_use(self, ids: Sequence[str], outcome: str, note: str = "") -> Used:
        """Note in the usage log what became of entries that were read.

        Args:
            ids: Theirs, 1 to 50.
            outcome: One of :class:`Outcome`.
            note: In what way; 200 characters of it are kept.

        Raises:
            InputError: An unknown outcome, no ids or too many, or a credential in the note.
            NotFound: Nothing has any of the ids.
        """
        wanted = _outcome(outcome)
        gate.refuse_secrets(note)
        visit = self._visit()
        found = self._current(lambda: history.details(self.index, ids))
        if not found.entries:
            raise NotFound(
                f"nothing has the id {', '.join(found.missing)}", remedy="Search for it again."
            )
        known = [one.id for one in found.entries]
        problem = self._note(
            visit, "use", known, outcome=wanted.value, note=" ".join(note.split())[:_NOTE]
        )
        if not self.project.settings.events_enabled:
            problem = "Nothing was kept: the setting events.enabled is off."
        return Used(
            entries=found.entries, outcome=wanted.value, missing=found.missing, problem=problem
        )

    def health(self, days: int = 30, limits: "Limits | None" = None) -> "Health":
        """How well this memory is (see :func:`mind.health.examine`).

        Raises:
            InputError: The days are out of range.
        """
        from mind import health  # noqa: PLC0415 - searches do without

        visit = self._visit()
        return self.index.sure(
            lambda: health.examine(self.project, self.index, visit.now, days, limits)
        )

    @staticmethod
    def write_health(found: "Health", path: Path) -> None:
        """Write an examination as a page that everybody may read.

        Raises:
            InputError: There is another file at ``path``; it stays as it is.
            FileError: The page cannot be written.
        """
        from mind.health import page  # noqa: PLC0415 - only for a page

        known = files.read(path)
        if known and page.GENERATOR.encode() not in known[:2_000]:
            raise InputError(f"{path} is another file", remedy="Name a file that is not there yet.")
        files.write(path, page.html(found).encode(), mode=0o644)

    def scan(self, *, history: bool = False) -> "list[Exposed]":
        """Credentials in the files, comments and commits of this memory; no session begins.

        Args:
            history: Look through what git keeps of these files too.

        Raises:
            FileError: A file, or the history, cannot be read.
        """
        from mind.sources import exposed  # noqa: PLC0415 - 150 patterns, of no use to a search

        root = self.project.root
        found = list(exposed.in_files(root, self.project.folder))
        if not self.project.is_own:
            found += exposed.in_sources(root, self.project.settings)
        return [*found, *exposed.in_history(root, self.project.folder)] if history else found

    def archive(self, query: str = "", *, limit: int = 50, offset: int = 0) -> Archive:
        """What was taken out of memory, the latest first; with a query only what has its words."""
        if not 1 <= limit <= 1000 or offset < 0:
            raise InputError("limit is 1 to 1000, and offset not below 0")
        found = curation.archived(self.project, query)
        return Archive(blocks=tuple(found[offset : offset + limit]), total=len(found))

    def prune(self, older_than: int, *, dry_run: bool = False) -> "Sequence[Archived]":
        """Delete from the archive for good what was taken out longer ago than some days.

        Raises:
            InputError: The days are below 1.
        """
        if older_than < 1:
            raise InputError("the days must be 1 or more")
        before = self.now().date() - timedelta(days=older_than)
        return curation.prune(self.project, before, dry_run=dry_run)

    def export(
        self, how: "Format" = "jsonl", *, with_archive: bool = True, with_reminders: bool = True
    ) -> "Exported":
        """This memory in one file; no session begins (see :mod:`mind.exporting`)."""
        from mind import exporting  # noqa: PLC0415 - hardly ever needed

        today = self.now().date()
        return exporting.export(
            self.project, today, how, with_archive=with_archive, with_reminders=with_reminders
        )

    def import_(
        self,
        path: Path,
        *,
        dry_run: bool = False,
        progress: "Progress" = lambda _what, _done, _total: None,
    ) -> "Imported":
        """Take in what an export holds (see :mod:`mind.importing`).

        Args:
            path: What :meth:`export` made.
            dry_run: Only say what would be done; no session begins.
            progress: Told how far it is.

        Raises:
            NotFound: There is no such file.
            NotAnExport: A line of it is none of an export; nothing was changed.
            FileError: A file cannot be read or written.
        """
        from mind import importing  # noqa: PLC0415 - hardly ever needed

        if not path.is_file():
            raise NotFound(f"{path} is not a file", remedy="Name a file of `mind export`.")
        return self._taken_in(
            lambda now: importing.run(
                self.project, self.index, path, now=now, dry_run=dry_run, progress=progress
            ),
            dry_run,
        )

    def import_from(self, source: str, path: Path | None = None, **how: "Unpack[How]") -> "Adopted":
        """Take in what another tool remembers (see :func:`mind.adopting.run`).

        Raises:
            InputError: There is no tool of this name.
            NotFound: Nothing of it is there.
            FileError: The store cannot be read, or MEMORY.md not written.
        """
        from mind import adopting  # noqa: PLC0415 - hardly ever needed

        return self._taken_in(
            lambda now: adopting.run(self.project, self.index, source, path, now=now, **how),
            how.get("dry_run", False),
        )

    def stores(self) -> "list[Offer]":
        """Stores of other tools that are found here; no session begins."""
        from mind import offering  # noqa: PLC0415 - hardly ever needed

        return offering.offers(self.project, self.now())

    def _taken_in(self, work: "Callable[[datetime], Taken]", dry_run: bool) -> "Taken":
        visit = None if dry_run else self._visit()

        def taken() -> "Taken":
            sync.refresh_whole(self.project, self.index)
            return work(visit.now if visit else self.now())

        done = self.index.sure(taken)
        if visit and done.written:
            self._note(visit, "import", added=done.count("added"), refused=done.count("refused"))
        return done

    def tidy(self, *, dry_run: bool = False, by_hand: bool = True) -> "Plan":
        """Archive what lived its time, what says the same twice, and what can be said in one.

        Args:
            dry_run: Only say what would be done.
            by_hand: Somebody asked for it; else only what Mind wrote is looked at.
        """
        visit = self._visit()
        today = visit.now.date()
        alone = nullcontext() if dry_run else files.lock(self.project.lock)
        with alone:  # of two sweeps at once, the second finds nothing left
            planned = self._current(
                lambda: tidying.plan(self.project, self.index, today, by_hand=by_hand)
            )
            if planned.steps and not dry_run:
                tidying.carry_out(self.project, planned.steps, today)
        if planned.steps and not dry_run:
            ids = [one.id for step in planned.steps for one in step.entries]
            self._note(visit, "tidy", ids)
        return replace(planned, done=not dry_run)

    def tidy_if_due(self) -> "Plan | None":
        """As :meth:`tidy`, by itself: at most once in a while, unless that is switched off."""
        if not self.project.settings.tidy_automatic or not tidying.is_due(self.project, self.now()):
            return None
        return self.tidy(by_hand=False)

    def waiting(self) -> "list[pending.Pending]":
        """Claims about the person that wait to be confirmed."""
        return pending.listed(self.project, self.now())


_NOTE = 200
"""Characters of a note that the usage log keeps."""


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name.strip().lower())
    except ValueError:
        accepted = ", ".join(Outcome)
        raise InputError(f"unknown outcome {name!r}", remedy=f"Use one of: {accepted}.") from None
