"""Recording of entries and global gotchas."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mind.documents import memory_file
from mind.domain.entry import Kind
from mind.domain.errors import FileError, InputError
from mind.memory import (
    amend,
    checks,
    curation,
    gotchas,
    new_text,
    read,
    reminders,
    search,
    session,
    validation,
    verdicts,
)
from mind.memory.answers import (
    BlockerLogged,
    Curated,
    Logged,
)
from mind.memory.new_text import NewText
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.storage import files, pending

if TYPE_CHECKING:
    from mind.memory.gotchas import Gotcha
    from mind.memory.tidy import TidyPlan


def log(  # noqa: PLR0913 - the fields of an entry, by name only
    at: Workspace,
    message: str,
    kind: str = "",
    *,
    acknowledge: bool = False,
    replaces: str | Sequence[str] = (),
    about: str = "",
    confidence: float | None = None,
    source: str = "",
    keywords: Sequence[str] = (),
) -> Logged:
    """Record one entry, in SESSION.md or MEMORY.md depending on its kind.

    The entry is checked first (see :mod:`mind.memory.new_text`). Duplicates are not written
    again. A claim about the user waits for :meth:`confirm`; until then the entries it replaces
    stay.

    Args:
        at: The workspace.
        message: One fact with its reason; with ``replaces``, it may be the id of an entry.
        kind: Kind of the entry; "" for that which the message announces.
        acknowledge: Record it even if it is short-lived or was archived before; also replace
            protected entries.
        replaces: Ids of entries it supersedes; they are archived.
        about: "user" for a claim about the user, "project" for none, "" to decide by its words.
        confidence: Confidence of the author, 0–1; stored as a field.
        source: Source of the fact; stored as a field.
        keywords: Other names of what it is about; stored as a field.

    Raises:
        InputError: An empty or oversized message, an unknown kind or subject, or one of the errors
            of :mod:`mind.memory.validation`; nothing was changed.
        NotFound: No entry has an id in ``replaces``, or the id given as message; nothing was
            changed.
        Protected: A replaced entry is a goal, a lesson or pinned; nothing was changed.
        FileError: The file cannot be written; nothing was changed.
    """
    new = new_text.read(at, message, kind, confidence=confidence, source=source, keywords=keywords)
    if about not in ("", "user", "project"):
        raise InputError(f"about is {about!r}", remedy="Use user or project, or omit it.")
    visit = at.visit()
    ids = dict.fromkeys([replaces] if isinstance(replaces, str) else replaces)
    ids.pop("", None)
    there = amend.named(at, new.text) if ids else None
    by = there.kind if there else new.kind
    old = [amend.to_replace(at, one, by, acknowledge=acknowledge) for one in ids]
    if there:
        done = Logged(entry=there, file=there.source, known=True, promoted=visit.promoted)
    else:
        new.replaces = tuple(one.id for one in old)
        try:
            new.examine(at, about=about, acknowledge=acknowledge)
        finally:  # a failure of the derived index must not prevent recording
            if new.refusal is not new_text.UNCHECKED:
                done = _record(at, visit, new, acknowledge=acknowledge)
    return amend.replacing(at, visit, done, [] if done.pending else old, acknowledge=acknowledge)


def confirm(
    at: Workspace, identifier: str, *, accept: bool = True
) -> "Logged | Curated | TidyPlan | pending.Pending":
    """Record or drop a pending claim about the user, and return it.

    Raises:
        NotFound: No claim with this id is pending; it may have expired.
    """
    visit = at.visit()
    with not_echoed(identifier):
        one = pending.take(at.project, identifier, visit.now)
    if not accept:
        at.note(visit, "cancel")
        return one
    try:
        done: Logged | Curated | TidyPlan
        if len(one.ids) == 1:
            done = amend.updated(at, visit, read.entry(at, one.ids[0]), one.message)
        elif one.ids:
            from mind.memory import tidy  # noqa: PLC0415 - only for a summary

            done = tidy.consolidated(at, visit, one.ids, one.message, acknowledge=one.acknowledged)
        else:
            old = amend.still_to_replace(at, one)
            new = NewText(
                kind=one.kind,
                text=one.message,
                message=one.message,
                line=memory_file.line_for(one.kind, one.message, at.project.settings),
                day=visit.now.date(),
                replaces=tuple(entry.id for entry in old),
            )
            new.text = new.entry(at.project.settings).text  # without the fields that log added
            try:
                new.examine(at, about="project", acknowledge=True)
            finally:  # as for a new one
                if new.refusal is not new_text.UNCHECKED:
                    logged = _record(at, visit, new, acknowledge=True)
            done = amend.replacing(at, visit, logged, old, acknowledge=one.acknowledged)
    except (FileError, InputError):  # it stays pending: the user need not be asked twice
        pending.put_back(at.project, one)
        raise
    at.note(visit, "confirm")
    return done


def _record(at: Workspace, visit: Visit, new: NewText, *, acknowledge: bool) -> Logged:
    """Write a new entry, unless it is known or a claim that must be confirmed first."""
    is_noted = new.kind.traits.noted
    path = at.project.session if is_noted else at.project.memory
    waits = new.admit(at, visit, acknowledge=acknowledge)
    if waits is None and new.same is None:
        if is_noted:
            session.record(at.project, new.line, new.day, visit)
        else:
            files.append(path, session.of_day(at.project, new.line, new.day))
    entry, name = new.entry(at.project.settings), at.project.relative(path)
    if waits:
        return Logged(entry=entry, file="", pending=waits, promoted=visit.promoted)
    if new.same is not None:
        at.note(visit, "corroborate", [new.same.id])
        same = curation.give_keywords(at.project, new.same, entry.keywords)
        return Logged(entry=same, file=same.source, known=True, promoted=visit.promoted)
    entry = replace(entry, source=name)
    if new.replaces or new.is_twin or (is_noted and _is_repeated(at, new)):
        entry = read.placed(at, Logged(entry=entry, file=name)).entry
    similar = new.related
    if any(one.status for one in similar):  # the new entry may be the fix
        similar = tuple(verdicts.settled(at.refreshed(), similar))
    at.note(
        visit,
        "log",
        [entry.id],
        kind=new.kind.value,
        overridden=list(new.overridden) or None,
        against=[loop.earlier.id for loop in new.loops] or None,
    )
    return Logged(
        entry=entry,
        file=name,
        loops=new.loops,
        perhaps=new.perhaps,
        reminders=reminders.triggered(at.project, new.text, visit.now),
        contradicts=new.contradicts,
        related=similar,
        overridden=new.overridden,
        promoted=visit.promoted,
        is_passing=is_noted and session.kept_as(entry, at.project.settings) is None,
    )


def _is_repeated(at: Workspace, new: NewText) -> bool:
    """Return True if the words of a note may occur more than once, which makes its id another."""
    said = new.text.strip().partition("\n")[0].encode("utf-8", "replace")
    sources = (files.read(path) for path in (at.project.session, at.project.memory))
    return sum(source.count(said) for source in sources) > 1


def blocker(at: Workspace, description: str, keywords: Sequence[str] = ()) -> BlockerLogged:
    """Log a blocker and search memory for related entries."""
    validation.refuse_secrets(*keywords)
    logged = log(at, description, Kind.BLOCKER.value)
    query = " ".join((*keywords, description))
    found = search.search(at, query)
    hits = tuple(hit for hit in found.hits if hit.entry.id != logged.entry.id)
    others = found.total - (len(found.hits) - len(hits))
    return BlockerLogged(logged=logged, found=replace(found, hits=hits, total=others))


def add_global_edge(  # noqa: PLR0913 - the fields of a gotcha, by name only
    at: Workspace,
    *,
    title: str,
    description: str,
    workaround: str,
    stack: Sequence[str] = (),
    pattern: str = "",
    severity: str = "medium",
) -> "Gotcha":
    """Record a gotcha for all projects of this user."""
    at.refuse_all()
    validation.refuse_secrets(title, description, workaround, pattern, *stack)
    added = gotchas.new_global(title, description, workaround, stack, pattern, severity)
    checks.add_global(added)
    return added
