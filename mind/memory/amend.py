"""Changing what memory says: correcting, summing up, forgetting and restoring entries.

New words pass the gate as a whole, as those of a new entry do (see :mod:`mind.memory.validation`).
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mind.domain.entry import Entry, Kind
from mind.domain.errors import FileError, InputError, NotFound, Protected
from mind.memory import curation, loops, read, sync
from mind.memory import tidy as tidying
from mind.memory import validation as gate
from mind.memory.answers import (
    Curated,
    Logged,
)
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.search.query import as_id
from mind.storage import files, pending
from mind.text import durability, secrets

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.memory.tidy import Plan
    from mind.storage.pending import Pending

NOTE = 200
"""Characters of a note that the usage log keeps."""
_LIKE_ID = re.compile(r"\^\S+|[a-hjkmnp-tv-z]{8}|(?=\S*\d)[A-Za-z\d_-]+")

"""One word that may be an id; of sentences that are to replace something none is so short."""


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


def update(at: Workspace, identifier: str, text: str, *, acknowledge: bool = False) -> Curated:
    """Correct an entry in its place; the old words go to the archive.

    A claim about the person waits to be confirmed.

    Args:
        at: Whose memory.
        identifier: Its id.
        text: All of its new words.
        acknowledge: They are to stay although they will not be true for long, another entry
            says the same, or the same was taken out of memory before.

    Raises:
        NotFound: Nothing has this id.
        InputError: The text cannot be recorded, or the entry stands in no file of the memory;
            or one of the errors of :mod:`mind.memory.validation`. Nothing was changed.
    """
    gate.refuse_secrets(text)
    gate.refuse_scopes(text, at.project.settings)
    visit = at.visit()
    entry = read.entry(at, identifier)
    overridden = durable(at, visit, text, entry.kind, acknowledge=acknowledge)
    waits = claimed(at, visit, text, entry.kind, [entry.id], acknowledge=acknowledge)
    if waits:
        return Curated(entry=entry, file=entry.source, pending=waits, promoted=visit.promoted)
    if not acknowledge:
        refuse_known(at, text, entry.kind, [entry.id])
    return _updated(at, visit, entry, text, overridden)


def _updated(
    at: Workspace, visit: Visit, entry: Entry, text: str, overridden: Sequence[str] = ()
) -> Curated:
    done = curation.rewrite(at.project, entry, text, visit.now.date())
    at.note(visit, "update", [done.id], overridden=list(overridden) or None)
    return curated(done, visit, curation.archived(at.project)[0])


def forget(
    at: Workspace, identifier: str, reason: str, *, replaced_by: str = "", acknowledge: bool = False
) -> Curated:
    """Move an entry to the archive, and those that stand within it too.

    Args:
        at: Whose memory.
        identifier: Its id.
        reason: Why; whoever wants to record the same again is told.
        replaced_by: Id of what takes its place, if anything does.
        acknowledge: It is to leave although it is protected (see :mod:`mind.ranking.heat`).

    Raises:
        NotFound: Nothing has one of the ids.
        InputError: No reason, or the entry stands in no file of the memory.
        Protected: It is a goal, a lesson or pinned, or an entry within it is.
    """
    why = curation.checked_reason(reason)
    gate.refuse_secrets(why)
    visit = at.visit()
    entry = read.entry(at, identifier)
    by = read.entry(at, replaced_by) if replaced_by else None
    if by:
        _refuse_within(by, entry)
    return _left(at, visit, entry, why, by.id if by else "", acknowledge=acknowledge)


def _left(  # noqa: PLR0913 - and why it leaves
    at: Workspace, visit: Visit, entry: Entry, why: str, by: str, *, acknowledge: bool
) -> Curated:
    kept = curation.forget(
        at.project, entry, why, visit.now.date(), replaced_by=by, acknowledge=acknowledge
    )
    along = curation.within(at.project, kept)
    left = [entry, *along]
    protected = curation.refuse_protected(left, acknowledge=True)
    ids = [one.id for one in left]
    at.note(visit, "forget", ids, protected=list(protected) or None)
    return replace(curated(entry, visit, kept), along=along, protected=protected)


def replacing(
    at: Workspace, visit: Visit, done: Logged, old: Sequence[Entry], *, acknowledge: bool
) -> Logged:
    """Take out what a note replaces. An id may be that of the note, if that says the same."""
    leaving = [one for one in old if not (done.known and one.id == done.entry.id)]
    if not leaving:
        return done
    for one in leaving if done.known else ():
        _refuse_within(done.entry, one)
    why = "a later entry puts it right"
    gone = [_left(at, visit, one, why, done.entry.id, acknowledge=acknowledge) for one in leaving]
    left = {done.entry.id, *(one.id for one in leaving)}
    left |= {inner.id for one in gone for inner in one.along}
    near = [one.id for one in done.related if one.id not in left]
    # a repeat of what is gone has its number no more, and lines moved
    own = [one.archived.replaced_by for one in gone if one.archived]
    own += [one.id for one in leaving]
    get = at.current().get
    there, related = ([one for one in map(get, ids) if one] for ids in (own, near))
    return replace(
        done,
        entry=there[0] if there else done.entry,
        replaced=gone[0],
        replaced_too=tuple(gone[1:]),
        related=tuple(related),
        contradicts=tuple(one for one in done.contradicts if one[0].id not in left),
        loops=tuple(one for one in done.loops if one.earlier.id not in left),
    )


def restore(at: Workspace, identifier: str) -> Curated:
    """Put back what was archived under an id last, where it stood (:func:`curation.restore`).

    Raises:
        NotFound: The archive has no such id.
    """
    visit = at.visit()
    with not_echoed(identifier):
        back = curation.restore(at.project, identifier)
    at.note(visit, "restore", [back.was.id, *(one.id for one in back.along)])
    return replace(curated(back.entry, visit, back.was), along=back.along)


def consolidate(
    at: Workspace, ids: Sequence[str], summary: str, *, acknowledge: bool = False
) -> "Plan":
    """Put one learning in the place of several entries, which go to the archive.

    A claim about the person waits to be confirmed.

    Args:
        at: Whose memory.
        ids: Of two entries or more.
        summary: What is to be remembered of them.
        acknowledge: As for :meth:`update`; protected entries may leave too.

    Raises:
        NotFound: Nothing has one of the ids.
        Protected: An entry is a goal, a lesson or pinned.
        InputError: The summary cannot be recorded, or an entry stands in no file of memory; or
            one of the errors of :mod:`mind.memory.validation`. Nothing was changed.
    """
    gate.refuse_secrets(summary)
    gate.refuse_scopes(summary, at.project.settings)
    visit = at.visit()
    overridden = durable(at, visit, summary, Kind.LEARNING, acknowledge=acknowledge)
    entries = [read.entry(at, one) for one in dict.fromkeys(ids)]
    step = tidying.consolidation(entries, summary)
    known = [one.id for one in step.entries]
    curation.check_leaving(at.project, step.entries, acknowledge=acknowledge)
    waits = claimed(at, visit, summary, Kind.LEARNING, known, acknowledge=acknowledge)
    if waits:
        return tidying.Plan((), pending=waits)
    if not acknowledge:
        refuse_known(at, summary, Kind.LEARNING, known)
    return _consolidated(at, visit, ids, summary, overridden, acknowledge=acknowledge)


def _consolidated(  # noqa: PLR0913 - what the gate found out
    at: Workspace,
    visit: Visit,
    ids: Sequence[str],
    summary: str,
    overridden: Sequence[str] = (),
    *,
    acknowledge: bool,
) -> "Plan":
    with files.lock(at.project.lock):
        step = tidying.consolidation([read.entry(at, one) for one in dict.fromkeys(ids)], summary)
        tidying.carry_out(at.project, [step], visit.now.date(), acknowledge=acknowledge)
    known = [one.id for one in step.entries]
    protected = curation.refuse_protected(step.entries, acknowledge=True)
    at.note(
        visit,
        "consolidate",
        known,
        overridden=list(overridden) or None,
        protected=list(protected) or None,
    )
    return tidying.Plan((step,), done=True, protected=protected)


def durable(
    at: Workspace, visit: Visit, text: str, kind: Kind, *, acknowledge: bool
) -> tuple[str, ...]:
    """The phrases of what will not be true for long, which the caller overrides.

    Raises:
        Transient: There are some, and they are not overridden; the usage log counts them.
    """
    try:
        return gate.refuse_transient(text, kind, acknowledged=acknowledge)
    except gate.Transient as error:
        at.note(visit, "refused", markers=error.data["phrases"])
        raise


def claimed(  # noqa: PLR0913, PLR0917 - the fields of a claim
    at: Workspace,
    visit: Visit,
    text: str,
    kind: Kind,
    ids: Sequence[str] = (),
    replaces: str = "",
    *,
    about: str = "",
    acknowledge: bool,
) -> "Pending | None":
    """Return what waits for a yes, if ``text`` is a claim about the person, worded or declared."""
    phrase = durability.about_user(text) if kind in gate.LASTING and not about else None
    if about == "user":
        phrase = " ".join(text.split())
    if not phrase:
        return None
    return pending.add(
        at.project, kind, text, phrase, visit.now, ids, replaces, acknowledged=acknowledge
    )


def refuse_known(at: Workspace, text: str, kind: Kind, instead: Sequence[str]) -> None:
    """Refuse what memory says already, but for the entries that it is to replace.

    Raises:
        Repeated: An entry says the same.
        Forgotten: It was taken out of memory.
    """
    today = at.now().date()
    gate.refuse_known(at.project, at.current(), text, kind, today=today, instead=instead)


def returning(
    at: Workspace, message: str, kind: Kind, besides: Collection[str] = ()
) -> "loops.Returning":
    """Earlier rejections of what a note does, proposes or turns down again, but for one."""
    sync.refresh(at.project, at.index, sources=False)
    sense = at.meaning.at_hand(message, at.index)
    back = loops.of_note(at.index, message, kind, at.project.settings, sense)
    others = tuple(one for one in back.loops if one.earlier.id not in besides)
    return replace(back, loops=others)


def confirmed(at: Workspace, visit: Visit, one: "Pending") -> "Curated | Plan":
    """Do what waited for a yes."""
    try:
        if len(one.ids) == 1:
            return _updated(at, visit, read.entry(at, one.ids[0]), one.message)
        return _consolidated(at, visit, one.ids, one.message, acknowledge=one.acknowledged)
    except (FileError, InputError):  # it waits on: nobody should have to be asked twice
        pending.put_back(at.project, one)
        raise


def to_replace(at: Workspace, identifier: str, *, acknowledge: bool) -> Entry | None:
    """The entry that a new one is to replace; None if none is named.

    Raises:
        NotFound: Nothing has this id.
        InputError: It stands in no file of the memory.
        Protected: It is a goal, a lesson or pinned.
    """
    if not identifier:
        return None
    old = read.entry(at, identifier)
    curation.check_leaving(at.project, [old], acknowledge=acknowledge)
    return old


def named(at: Workspace, message: str) -> Entry | None:
    """The entry whose id ``message`` is, if that is all it is.

    Raises:
        NotFound: It looks like an id, and nothing has it.
    """
    identifier = as_id(message)
    found = at.current().get(identifier) if identifier else None
    if found is None and _LIKE_ID.fullmatch(message.strip("[] \t\r\n")):
        raise NotFound(
            f"there is no entry {secrets.mask(message.strip())!r}",
            remedy="Use an id that a search lists, or say in words what holds now.",
        )
    return found


def still_to_replace(at: Workspace, one: "Pending") -> list[Entry]:
    """Those of a claim: what is gone by the time of the yes needs no replacing."""
    found = []
    for name in one.replaces.split():
        try:
            old = to_replace(at, name, acknowledge=one.acknowledged)
        except Protected:
            raise
        except InputError:
            continue
        found += [old] if old else []
    return found


def curated(entry: Entry, visit: Visit, archived: "Archived | None" = None) -> Curated:
    """The answer about an entry that was changed."""
    return Curated(entry=entry, file=entry.source, archived=archived, promoted=visit.promoted)


def verify(at: Workspace, identifier: str, note: str = "") -> Curated:
    """Note that an entry was checked today and still holds: ``[verified:: DATE]``.

    Raises:
        NotFound: Nothing has this id.
        InputError: It stands in no file of the memory.
    """
    gate.refuse_secrets(note)
    visit = at.visit()
    day = visit.now.date().isoformat()
    entry = curation.mark(at.project, read.entry(at, identifier), {"verified": day})
    at.note(visit, "verify", [entry.id], note=" ".join(note.split())[:NOTE])
    return curated(entry, visit)
