"""Changing what memory says: correcting, summing up, forgetting and restoring entries.

New words pass the gate as a whole, as those of a new entry do (see :mod:`mind.gate`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mind import files, history, secrets
from mind.answers import Curated, Logged, Loop
from mind.asking import as_id
from mind.deferred import Deferred
from mind.entry import Entry, Kind
from mind.errors import FileError, InputError, NotFound, Protected
from mind.lifecycle import Visit
from mind.reading import Reading, not_echoed

if TYPE_CHECKING:
    from mind import curation, durability, gate, loops, pending, tidying
    from mind.archive import Archived
    from mind.pending import Pending
    from mind.tidying import Plan
else:
    curation, durability, loops = Deferred("curation"), Deferred("durability"), Deferred("loops")
    gate, pending, tidying = Deferred("gate"), Deferred("pending"), Deferred("tidying")

_LIKE_ID = re.compile(r"\^\S+|[a-hjkmnp-tv-z]{8}|(?=\S*\d)[A-Za-z\d_-]+")
"""One word that may be an id; of sentences that are to replace something none is so short."""


class Amending(Reading):
    """A project's memory, read and amended; arguments are those of :class:`Reading`."""

    def update(self, identifier: str, text: str, *, acknowledge: bool = False) -> Curated:
        """Correct an entry in its place; the old words go to the archive.

        A claim about the person waits to be confirmed.

        Args:
            identifier: Its id.
            text: All of its new words.
            acknowledge: They are to stay although they will not be true for long, another entry
                says the same, or the same was taken out of memory before.

        Raises:
            NotFound: Nothing has this id.
            InputError: The text cannot be recorded, or the entry stands in no file of the memory;
                or one of the errors of :mod:`mind.gate`. Nothing was changed.
        """
        gate.refuse_secrets(text)
        gate.refuse_scopes(text, self.project.settings)
        visit = self._visit()
        entry = self._entry(identifier)
        overridden = self._durable(visit, text, entry.kind, acknowledge=acknowledge)
        waits = self._claimed(visit, text, entry.kind, [entry.id], acknowledge=acknowledge)
        if waits:
            return Curated(entry=entry, file=entry.source, pending=waits, promoted=visit.promoted)
        if not acknowledge:
            self._refuse_known(text, entry.kind, [entry.id])
        return self._updated(visit, entry, text, overridden)

    def _updated(
        self, visit: Visit, entry: Entry, text: str, overridden: Sequence[str] = ()
    ) -> Curated:
        done = curation.rewrite(self.project, entry, text, visit.now.date())
        self._note(visit, "update", [done.id], overridden=list(overridden) or None)
        return self._curated(done, visit, curation.archived(self.project)[0])

    def forget(
        self, identifier: str, reason: str, *, replaced_by: str = "", acknowledge: bool = False
    ) -> Curated:
        """Move an entry to the archive, and those that stand within it too.

        Args:
            identifier: Its id.
            reason: Why; whoever wants to record the same again is told.
            replaced_by: Id of what takes its place, if anything does.
            acknowledge: It is to leave although it is protected (see :mod:`mind.ageing`).

        Raises:
            NotFound: Nothing has one of the ids.
            InputError: No reason, or the entry stands in no file of the memory.
            Protected: It is a goal, a lesson or pinned, or an entry within it is.
        """
        why = curation.checked_reason(reason)
        gate.refuse_secrets(why)
        visit = self._visit()
        entry = self._entry(identifier)
        by = self._entry(replaced_by) if replaced_by else None
        if by:
            _refuse_within(by, entry)
        return self._left(visit, entry, why, by.id if by else "", acknowledge=acknowledge)

    def _left(self, visit: Visit, entry: Entry, why: str, by: str, *, acknowledge: bool) -> Curated:
        kept = curation.forget(
            self.project, entry, why, visit.now.date(), replaced_by=by, acknowledge=acknowledge
        )
        along = curation.within(self.project, kept)
        left = [entry, *along]
        protected = curation.refuse_protected(left, acknowledge=True)
        ids = [one.id for one in left]
        self._note(visit, "forget", ids, protected=list(protected) or None)
        return replace(self._curated(entry, visit, kept), along=along, protected=protected)

    def _replacing(
        self, visit: Visit, done: Logged, old: Entry | None, *, acknowledge: bool
    ) -> Logged:
        """Take out what a note replaces. Its id may be that of the note, if that says the same."""
        if old is None or (done.known and old.id == done.entry.id):
            return done
        if done.known:
            _refuse_within(done.entry, old)
        why = "a later entry puts it right"
        gone = self._left(visit, old, why, done.entry.id, acknowledge=acknowledge)
        left = {done.entry.id, old.id, *(one.id for one in gone.along)}
        near = [one.id for one in done.related if one.id not in left]
        # a repeat of what is gone has its number no more, and lines moved
        own = (gone.archived.replaced_by if gone.archived else "", old.id)

        def now() -> tuple[list[Entry], list[Entry]]:
            get = self.index.get
            return [one for one in map(get, own) if one], [one for one in map(get, near) if one]

        there, related = self._current(now)
        entry = there[0] if there else done.entry
        loops = tuple(one for one in done.loops if one.earlier.id not in left)
        return replace(done, entry=entry, replaced=gone, related=tuple(related), loops=loops)

    def restore(self, identifier: str) -> Curated:
        """Put back what was archived under an id last, where it stood (:func:`curation.restore`).

        Raises:
            NotFound: The archive has no such id.
        """
        visit = self._visit()
        with not_echoed(identifier):
            back = curation.restore(self.project, identifier)
        self._note(visit, "restore", [back.was.id, *(one.id for one in back.along)])
        return replace(self._curated(back.entry, visit, back.was), along=back.along)

    def consolidate(self, ids: Sequence[str], summary: str, *, acknowledge: bool = False) -> "Plan":
        """Put one learning in the place of several entries, which go to the archive.

        A claim about the person waits to be confirmed.

        Args:
            ids: Of two entries or more.
            summary: What is to be remembered of them.
            acknowledge: As for :meth:`update`; protected entries may leave too.

        Raises:
            NotFound: Nothing has one of the ids.
            Protected: An entry is a goal, a lesson or pinned.
            InputError: The summary cannot be recorded, or an entry stands in no file of memory; or
                one of the errors of :mod:`mind.gate`. Nothing was changed.
        """
        gate.refuse_secrets(summary)
        gate.refuse_scopes(summary, self.project.settings)
        visit = self._visit()
        overridden = self._durable(visit, summary, Kind.LEARNING, acknowledge=acknowledge)
        entries = [self._entry(one) for one in dict.fromkeys(ids)]
        step = tidying.consolidation(entries, summary)
        known = [one.id for one in step.entries]
        curation.check_leaving(self.project, step.entries, acknowledge=acknowledge)
        waits = self._claimed(visit, summary, Kind.LEARNING, known, acknowledge=acknowledge)
        if waits:
            return tidying.Plan((), pending=waits)
        if not acknowledge:
            self._refuse_known(summary, Kind.LEARNING, known)
        return self._consolidated(visit, ids, summary, overridden, acknowledge=acknowledge)

    def _consolidated(
        self,
        visit: Visit,
        ids: Sequence[str],
        summary: str,
        overridden: Sequence[str] = (),
        *,
        acknowledge: bool,
    ) -> "Plan":
        with files.lock(self.project.lock):
            step = tidying.consolidation([self._entry(one) for one in dict.fromkeys(ids)], summary)
            tidying.carry_out(self.project, [step], visit.now.date(), acknowledge=acknowledge)
        known = [one.id for one in step.entries]
        protected = curation.refuse_protected(step.entries, acknowledge=True)
        self._note(
            visit,
            "consolidate",
            known,
            overridden=list(overridden) or None,
            protected=list(protected) or None,
        )
        return tidying.Plan((step,), done=True, protected=protected)

    def _durable(
        self, visit: Visit, text: str, kind: Kind, *, acknowledge: bool
    ) -> tuple[str, ...]:
        """The phrases of what will not be true for long, which the caller overrides.

        Raises:
            Transient: There are some, and they are not overridden; the usage log counts them.
        """
        try:
            return gate.refuse_transient(text, kind, acknowledged=acknowledge)
        except gate.Transient as error:
            self._note(visit, "refused", markers=error.data["phrases"])
            raise

    def _claimed(  # noqa: PLR0913 - the fields of a claim
        self,
        visit: Visit,
        text: str,
        kind: Kind,
        ids: Sequence[str] = (),
        replaces: str = "",
        *,
        acknowledge: bool,
    ) -> "Pending | None":
        """What waits for a yes, if ``text`` is a claim about the person."""
        phrase = durability.about_user(text) if kind in gate.LASTING else None
        if not phrase:
            return None
        return pending.add(
            self.project, kind, text, phrase, visit.now, ids, replaces, acknowledged=acknowledge
        )

    def _refuse_known(self, text: str, kind: Kind, instead: Sequence[str]) -> None:
        today = self.now().date()
        self._current(
            lambda: gate.refuse_known(
                self.project, self.index, text, kind, today=today, instead=instead
            )
        )

    def _known(self, message: str, kind: Kind, *, once: bool = False) -> "gate.Known":
        """What says the same already, if there is to be one of it, and what is near."""
        sense = self.meaning.at_hand(message, self.index)
        today = self.now().date()
        return gate.known(
            self.project, self.index, message, kind, sense=sense, once=once, today=today
        )

    def _repeats(self, message: str) -> tuple[Loop, ...]:
        """Earlier rejections of the same."""
        sense = self.meaning.at_hand(message, self.index)
        return loops.find(self.index, message, self.project.settings, sense)

    def _confirmed(self, visit: Visit, one: "Pending") -> "Curated | Plan":
        """Do what waited for a yes."""
        try:
            if len(one.ids) == 1:
                return self._updated(visit, self._entry(one.ids[0]), one.message)
            return self._consolidated(visit, one.ids, one.message, acknowledge=one.acknowledged)
        except (FileError, InputError):  # it waits on: nobody should have to be asked twice
            pending.put_back(self.project, one)
            raise

    def _to_replace(self, identifier: str, *, acknowledge: bool) -> Entry | None:
        """The entry that a new one is to replace; None if none is named.

        Raises:
            NotFound: Nothing has this id.
            InputError: It stands in no file of the memory.
            Protected: It is a goal, a lesson or pinned.
        """
        if not identifier:
            return None
        old = self._entry(identifier)
        curation.check_leaving(self.project, [old], acknowledge=acknowledge)
        return old

    def _named(self, message: str) -> Entry | None:
        """The entry whose id ``message`` is, if that is all it is.

        Raises:
            NotFound: It looks like an id, and nothing has it.
        """
        identifier = as_id(message)
        found = self._current(lambda: self.index.get(identifier)) if identifier else None
        if found is None and _LIKE_ID.fullmatch(message.strip("[] \t\r\n")):
            raise NotFound(
                f"there is no entry {secrets.mask(message.strip())!r}",
                remedy="Use an id that a search lists, or say in words what holds now.",
            )
        return found

    def _still_to_replace(self, one: "Pending") -> Entry | None:
        """The same of a claim: what is gone by the time of the yes needs no replacing."""
        try:
            return self._to_replace(one.replaces, acknowledge=one.acknowledged)
        except Protected:
            raise
        except InputError:
            return None

    def _entry(self, identifier: str) -> Entry:
        with not_echoed(identifier):
            return self._current(lambda: history.by_id(self.index, identifier))

    def _curated(self, entry: Entry, visit: Visit, archived: "Archived | None" = None) -> Curated:
        return Curated(entry=entry, file=entry.source, archived=archived, promoted=visit.promoted)


def _refuse_within(by: Entry, old: Entry) -> None:
    """See to it that what takes the place of an entry is still there when that has left.

    Raises:
        InputError: It is the entry itself, or stands within it.
    """
    if by.id == old.id:
        raise InputError(f"{by.id} cannot take its own place")
    inner, outer = by.span, old.span
    if by.source == old.source and outer.start <= inner.start and inner.end <= outer.end:
        raise InputError(
            f"{by.id} stands within {old.id} and would leave with it; nothing was changed",
            remedy=f"Move it out of {old.id} first, or correct {old.id} in its place.",
        )
