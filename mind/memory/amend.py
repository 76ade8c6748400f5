"""Curation use cases: correct, replace, forget, restore, verify and prune entries, note their use.

New text passes the same checks as a new entry (see :mod:`mind.memory.new_text`).
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from mind.domain.entry import KEYWORDS, RESOLVED_BY, Entry, Kind, resolves
from mind.domain.errors import InputError, NotFound, Protected
from mind.memory import curation, new_text, read, validation
from mind.memory.answers import Curated, Logged, Used
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.search.query import as_id
from mind.text import lazy_pattern, secrets

if TYPE_CHECKING:
    from mind.documents.archive import Archived
    from mind.storage.pending import Pending

NOTE = 200
"""Characters of a note that the usage log keeps."""
_LIKE_ID = lazy_pattern(r"\^\S+|[a-hjkmnp-tv-z]{8}|(?=\S*\d)[A-Za-z\d_-]+")
"""Pattern of a single word that may be an id; a replacing sentence is never that short."""


def _refuse_within(by: Entry, old: Entry) -> None:
    """Check that the replacement of an entry does not leave with it.

    Raises:
        InputError: The replacement is the entry itself, or is nested in it.
    """
    if by.id == old.id:
        raise InputError(f"{by.id} cannot replace itself")
    inner, outer = by.span, old.span
    if by.source == old.source and outer.start <= inner.start and inner.end <= outer.end:
        raise InputError(
            f"{by.id} is nested in {old.id} and would be archived with it; nothing was changed",
            remedy=f"Move it out of {old.id} first, or correct {old.id} in place.",
        )


def update(
    at: Workspace,
    identifier: str,
    text: str = "",
    *,
    keywords: Sequence[str] = (),
    acknowledge: bool = False,
) -> Curated:
    """Correct an entry in place, or set its keywords.

    The old version of a corrected text goes to the archive. A claim about the user waits for
    confirmation.

    Args:
        at: The workspace.
        identifier: Id of the entry.
        text: The full new text; "" keeps the text.
        keywords: All keywords of the entry; none keeps those it has, and "" alone removes them.
        acknowledge: Record the text even if it is short-lived, a duplicate of another entry, or
            was archived before.

    Raises:
        NotFound: No entry has this id.
        InputError: The text cannot be recorded, or the entry is not in a file of the memory;
            or one of the errors of :mod:`mind.memory.validation`. Nothing was changed.
    """
    validation.refuse_secrets(text, *keywords)
    if not keywords and not text.strip():
        raise InputError("nothing to change", remedy="Give the new text, or keywords.")
    named = new_text.keywords_field([one for one in keywords if one.strip()])
    names = {KEYWORDS: named} if keywords else {}
    visit = at.visit()
    entry = read.entry(at, identifier)
    if names:
        curation.mark(at.project, entry, names, dry_run=True)
    new = new_text.correcting(at, entry, text) if text.strip() else None
    if new is None or (names and new.text.strip() == entry.statement):
        entry = curation.mark(at.project, entry, names)
        at.note(visit, "update", [entry.id])
        return Curated(entry=entry, promoted=visit.promoted)
    curation.refuse_unchanged(entry, new.text)
    new.examine(at, acknowledge=acknowledge)
    if waits := new.admit(at, visit, acknowledge=acknowledge):
        entry = curation.mark(at.project, entry, names) if names else entry
        return Curated(entry=entry, pending=waits, promoted=visit.promoted)
    done = updated(at, visit, entry, new.text, new.overridden)
    if not names:
        return done
    return replace(done, entry=curation.mark(at.project, done.entry, names))


def updated(
    at: Workspace, visit: Visit, entry: Entry, text: str, overridden: Sequence[str] = ()
) -> Curated:
    """Replace the text of an entry; the old version goes to the archive."""
    done = curation.rewrite(at.project, entry, text, visit.now.date())
    at.note(visit, "update", [done.id], overridden=list(overridden) or None)
    return Curated(entry=done, archived=curation.archived(at.project)[0], promoted=visit.promoted)


def forget(
    at: Workspace, identifier: str, reason: str, *, replaced_by: str = "", acknowledge: bool = False
) -> Curated:
    """Archive an entry, with its nested entries.

    Args:
        at: The workspace.
        identifier: Id of the entry.
        reason: The reason; it is shown when the same is logged again.
        replaced_by: Id of the entry that replaces it, if any.
        acknowledge: Archive it even if it is protected (see :mod:`mind.ranking.heat`).

    Raises:
        NotFound: No entry has one of the ids.
        InputError: The reason is empty, or the entry is not in a file of the memory.
        Protected: The entry, or one nested in it, is a goal, a lesson or pinned.
    """
    why = curation.checked_reason(reason)
    validation.refuse_secrets(why)
    visit = at.visit()
    entry = read.entry(at, identifier)
    by = read.entry(at, replaced_by) if replaced_by else None
    if by:
        _refuse_within(by, entry)
    return _left(at, visit, entry, why, by.id if by else "", acknowledge=acknowledge)


def _left(  # noqa: PLR0913 - the fields of the archived entry
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
    return Curated(
        entry=entry, archived=kept, along=along, protected=protected, promoted=visit.promoted
    )


def replacing(
    at: Workspace, visit: Visit, done: Logged, old: Sequence[Entry], *, acknowledge: bool
) -> Logged:
    """Resolve or archive the entries that a new one replaces, except the new entry itself."""
    leaving = [one for one in old if not (done.known and one.id == done.entry.id)]
    if closing := [one for one in leaving if _can_close(at, done.entry.kind, one)]:
        leaving = [one for one in leaving if one not in closing]
        done = _closing(at, visit, done, closing)
    if not leaving:
        return done
    for one in leaving if done.known else ():
        _refuse_within(done.entry, one)
    why = "replaced by a newer entry"
    gone = [_left(at, visit, one, why, done.entry.id, acknowledge=acknowledge) for one in leaving]
    left = {done.entry.id, *(one.id for one in leaving)}
    left |= {inner.id for one in gone for inner in one.along}
    near = [one.id for one in done.related if one.id not in left]
    # ids of repeats (ID-2) and line numbers have changed
    own = [one.archived.replaced_by for one in gone if one.archived]
    own += [one.id for one in leaving]
    get = at.refreshed().get
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


def _can_close(at: Workspace, kind: Kind, old: Entry) -> bool:
    """Return whether an entry of ``kind`` resolves ``old``, and ``old`` can say so in its place."""
    if not resolves(kind, old.kind):
        return False
    try:
        curation.mark(at.project, old, {RESOLVED_BY: old.id}, dry_run=True)
    except InputError:
        return False
    return True


def _closing(at: Workspace, visit: Visit, done: Logged, old: Sequence[Entry]) -> Logged:
    """Resolve the entries that a new one closes; they stay in their places."""
    by = {RESOLVED_BY: read.placed(at, done).entry.id}
    closed = tuple(curation.mark(at.project, one, by) for one in old)
    at.note(visit, "resolve", [one.id for one in old])
    ids = {one.id for one in old}
    return replace(
        done,
        closed=closed,
        related=tuple(one for one in done.related if one.id not in ids),
        contradicts=tuple(one for one in done.contradicts if one[0].id not in ids),
        perhaps=tuple(one for one in done.perhaps if one.id not in ids),
    )


def restore(at: Workspace, identifier: str) -> Curated:
    """Restore the latest archived entry with this id to its place (:func:`curation.restore`).

    Raises:
        NotFound: No archived entry has this id.
        InputError: The current entry with this id is not in a file of the memory.
    """
    visit = at.visit()
    live = at.refreshed().get(as_id(identifier) or identifier)
    with not_echoed(identifier):
        back = curation.restore(at.project, identifier, live, visit.now.date())
    at.note(visit, "restore", [back.was.id, *(one.id for one in back.along)])
    return Curated(entry=back.entry, archived=back.was, along=back.along, promoted=visit.promoted)


def to_replace(at: Workspace, identifier: str, kind: Kind, *, acknowledge: bool) -> Entry:
    """Return the entry that a new one of ``kind`` is to replace.

    Raises:
        NotFound: No entry has this id.
        InputError: The entry is not in a file of the memory.
        Protected: It is a goal, a lesson or pinned.
    """
    old = read.entry(at, identifier)
    if not _can_close(at, kind, old):
        curation.check_leaving(at.project, [old], acknowledge=acknowledge)
    return old


def named(at: Workspace, message: str) -> Entry | None:
    """Return the entry named by ``message``, if the message is only an id.

    Raises:
        NotFound: It looks like an id, but no entry has it.
    """
    identifier = as_id(message)
    found = at.refreshed().get(identifier) if identifier else None
    if found is None and _LIKE_ID.fullmatch(message.strip("[] \t\r\n")):
        raise NotFound(
            f"no entry has the id {secrets.mask(message.strip())!r}",
            remedy="Use an id from a search, or write the new fact out in words.",
        )
    return found


def still_to_replace(at: Workspace, one: "Pending") -> list[Entry]:
    """Return the entries a claim replaces that still exist when it is confirmed."""
    found = []
    for name in one.replaces.split():
        try:
            found.append(to_replace(at, name, one.kind, acknowledge=one.acknowledged))
        except Protected:
            raise
        except InputError:
            continue
    return found


def verify(at: Workspace, identifier: str, note: str = "") -> Curated:
    """Mark an entry as verified today: ``[verified:: DATE]``.

    Raises:
        NotFound: No entry has this id.
        InputError: The entry is not in a file of the memory.
    """
    validation.refuse_secrets(note)
    visit = at.visit()
    day = visit.now.date().isoformat()
    entry = curation.mark(at.project, read.entry(at, identifier), {"verified": day})
    at.note(visit, "verify", [entry.id], note=" ".join(note.split())[:NOTE])
    return Curated(entry=entry, promoted=visit.promoted)


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
    from mind.search import timeline  # noqa: PLC0415 - only where entries are listed

    wanted = _outcome(outcome)
    validation.refuse_secrets(note)
    visit = at.visit()
    found = timeline.details(at.refreshed(), ids)
    if not found.entries:
        read.refuse_missing(at, found.missing)
    known = [one.id for one in found.entries]
    problem = at.note(visit, "use", known, outcome=wanted.value, note=" ".join(note.split())[:NOTE])
    if not at.project.settings.events_enabled:
        problem = "Not recorded: the setting events.enabled is off."
    return Used(entries=found.entries, outcome=wanted.value, missing=found.missing, problem=problem)


def prune(at: Workspace, older_than: int, *, dry_run: bool = False) -> "Sequence[Archived]":
    """Permanently delete entries archived more than ``older_than`` days ago.

    Raises:
        InputError: The number of days is below 1.
    """
    if older_than < 1:
        raise InputError("the number of days must be at least 1")
    before = at.now().date() - timedelta(days=older_than)
    return curation.prune(at.project, before, dry_run=dry_run)
