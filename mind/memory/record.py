"""Recording of entries, relations, reminders and global gotchas."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from mind.documents import memory_file, parser
from mind.documents.reminders import Reminder
from mind.domain.entry import KEYWORDS, LOGGED, Entry, Kind, content_id, parse_kind
from mind.domain.errors import FileError, InputError
from mind.memory import (
    amend,
    checks,
    curation,
    gotchas,
    read,
    search,
    session,
    tidy,
    validation,
    verdicts,
)
from mind.memory import reminders as agenda
from mind.memory.answers import (
    BlockerLogged,
    Curated,
    Logged,
)
from mind.memory.session import Visit
from mind.memory.workspace import Workspace, not_echoed
from mind.search import supersession
from mind.storage import files, pending
from mind.text import durability

if TYPE_CHECKING:
    from mind.memory.gotchas import Gotcha
    from mind.text.changes import ChangedValue


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

    The entry is checked first (see :mod:`mind.memory.validation`). Duplicates are not written
    again. A claim about the user waits for :meth:`confirm`; until then the entries it replaces
    stay.

    Args:
        at: The workspace.
        message: One fact with its reason; with ``replaces``, it may be the id of an entry.
        kind: Kind of the entry; "" for that which the message announces (see :func:`as_read`).
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
    validation.refuse_secrets(message, kind, source, *keywords)
    fields = _fields(confidence, source, keywords)
    wanted, message = as_read(at, message, parse_kind(kind, LOGGED) if kind else None)
    line = memory_file.with_fields(memory_file.line_for(wanted, message), fields)
    message = memory_file.unlabelled(wanted, message)
    validation.refuse_tags(message, at.project.settings)
    if about not in _ABOUT:
        raise InputError(f"about is {about!r}", remedy="Use user or project, or omit it.")
    visit = at.visit()
    ids = (replaces,) if isinstance(replaces, str) else tuple(dict.fromkeys(replaces))
    there = amend.named(at, message) if any(ids) else None
    by = there.kind if there else wanted
    old = [one for name in ids if (one := amend.to_replace(at, name, by, acknowledge=acknowledge))]
    if there:
        known = Logged(entry=there, file=there.source, known=True, promoted=visit.promoted)
        return amend.replacing(at, visit, known, old, acknowledge=acknowledge)
    overridden = amend.durable(at, visit, message, wanted, acknowledge=acknowledge)
    waits = amend.claimed(
        at,
        visit,
        memory_file.with_fields(message, fields),
        wanted,
        replaces=" ".join(one.id for one in old),
        about=about,
        acknowledge=acknowledge,
    )
    if waits:
        entry = entry_of(at, wanted, line, message, visit.now.date())
        return Logged(entry=entry, file="", pending=waits, promoted=visit.promoted)
    done = _record(
        at,
        visit,
        wanted,
        line,
        message,
        overridden,
        acknowledge=acknowledge,
        besides=[one.id for one in old],
    )
    if done.known:
        names = fields[KEYWORDS].split(",")
        done = replace(done, entry=curation.give_keywords(at.project, done.entry, names))
    return amend.replacing(at, visit, done, old, acknowledge=acknowledge)


def as_read(at: Workspace, message: str, kind: Kind | None) -> tuple[Kind, str]:
    """Return the kind of a message, and the message without a label that gives it.

    By default it is the kind that the message announces ("We decided against X", "Bug: …") unless
    that is short-lived. Others are experiences, and a goal needs its label.
    """
    label = parser.labelled(message, at.project.settings)
    if label and kind in (None, label[0]):
        return label
    if kind is None:
        said = parser.keyword_line(message, at.project.settings)
        is_lasting = said in _READ and not durability.transient(message)
        kind = said if said and is_lasting else Kind.EXPERIENCE
    return kind, message


_READ = frozenset(LOGGED) - {Kind.GOAL, Kind.NOTE}
_ABOUT = ("", "user", "project")


def _fields(confidence: float | None, source: str, keywords: Sequence[str]) -> dict[str, str]:
    if confidence is not None and not 0 <= confidence <= 1:
        raise InputError(f"confidence is {confidence}", remedy="Use a number from 0 to 1.")
    return {
        "confidence": "" if confidence is None else f"{confidence:g}",
        "source": source,
        KEYWORDS: amend.keywords_field(keywords),
    }


def confirm(
    at: Workspace, identifier: str, *, accept: bool = True
) -> "Logged | Curated | tidy.TidyPlan | pending.Pending":
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
    if one.ids:
        amended = amend.confirmed(at, visit, one)
        at.note(visit, "confirm")
        return amended
    line = memory_file.line_for(one.kind, one.message)
    try:
        old = amend.still_to_replace(at, one)
        done = _record(
            at,
            visit,
            one.kind,
            line,
            one.message,
            (),
            acknowledge=True,
            besides=[entry.id for entry in old],
        )
        done = amend.replacing(at, visit, done, old, acknowledge=one.acknowledged)
    except (FileError, InputError):  # it stays pending: the user need not be asked twice
        pending.put_back(at.project, one)
        raise
    at.note(visit, "confirm")
    return done


def _record(  # noqa: PLR0913, PLR0917 - results of the checks
    at: Workspace,
    visit: Visit,
    kind: Kind,
    line: str,
    message: str,
    overridden: tuple[str, ...],
    *,
    acknowledge: bool,
    besides: Collection[str] = (),
) -> Logged:
    back = checks.Objections()
    known = validation.MemoryTexts()
    contradicted: list[tuple[Entry, ChangedValue]] = []
    is_noted = kind.traits.noted
    path = at.project.session if is_noted else at.project.memory
    once = bool(besides)
    today = visit.now.date()
    try:
        if kind in checks.REPEATING:
            back = amend.returning(at, message, kind, besides)
            against = [one.earlier.id for one in back.loops if one.severity != "moderate"]
            line = memory_file.linked(line, kind, against)
        if once or kind in validation.NAMING:
            sense = at.meaning.at_hand(message, at.index)
            known = validation.known(
                at.project, at.index, message, kind, sense=sense, once=once, today=today
            )
            contradicted = supersession.replaced_by(at.index, message, kind)
    finally:  # a failure of the derived index must not prevent recording
        if known.same is None:
            if not acknowledge:
                validation.refuse_forgotten(at.project, message, kind, today)
            if is_noted:
                session.record(at.project, kind, line, visit)
            else:
                files.append(path, session.of_day(at.project, line, today))
    if (same := known.same) is not None:
        at.note(visit, "corroborate", [same.id])
        return Logged(entry=same, file=same.source, known=True, promoted=visit.promoted)
    name = at.project.relative(path)
    entry = replace(entry_of(at, kind, line, message, today), source=name)
    if once or any(one.id == entry.id for one in known.related):  # the same words may occur twice
        entry = read.placed(at, Logged(entry=entry, file=name)).entry
    named = {entry.id, *besides, *(loop.earlier.id for loop in back.loops)}
    contradicted = [one for one in contradicted if one[0].id not in named]
    near = {one.id: one for one in (*(old for old, _ in contradicted), *known.related)}
    similar = [one for one in near.values() if one.id not in named][: validation.MOST_NAMED]
    has_status = any(one.status for one in similar)  # the new entry may be the fix
    similar = verdicts.settled(at.refreshed(), similar) if has_status else similar
    at.note(
        visit,
        "log",
        [entry.id],
        kind=kind.value,
        overridden=list(overridden) or None,
        against=[loop.earlier.id for loop in back.loops] or None,
    )
    return Logged(
        entry=entry,
        file=name,
        loops=back.loops,
        perhaps=tuple(one for one in back.related if one.id not in named.union(near)),
        reminders=agenda.triggered(at.project, message, visit.now),
        contradicts=tuple((one, how.old, how.new) for one, how in contradicted),
        related=tuple(similar),
        overridden=overridden,
        promoted=visit.promoted,
        is_passing=is_noted and session.kept_as(entry, at.project.settings) is None,
    )


def entry_of(at: Workspace, kind: Kind, line: str, message: str, day: date) -> Entry:
    """Return the entry that ``line`` with ``message`` becomes when it is recorded."""
    text = " ".join(message.split())
    entry = parser.parse_line(line, at.project.settings)
    base = entry or Entry(id=content_id(text), kind=kind, text=text)
    return replace(base, kind=kind, date=day)


def blocker(at: Workspace, description: str, keywords: Sequence[str] = ()) -> BlockerLogged:
    """Log a blocker and search memory for related entries."""
    validation.refuse_secrets(*keywords)
    logged = log(at, description, Kind.BLOCKER.value)
    query = " ".join((*keywords, description))
    found = search.search(at, query)
    hits = tuple(hit for hit in found.hits if hit.entry.id != logged.entry.id)
    return BlockerLogged(logged=logged, found=replace(found, hits=hits))


def reminders(at: Workspace, *, everything: bool = False) -> list[Reminder]:
    """Return pending reminders; with ``everything``, completed ones too."""
    now = at.visit().now
    return (agenda.listed if everything else agenda.pending)(at.project, now)


def remind(at: Workspace, message: str, when: str = "") -> Reminder:
    """Set a reminder.

    Args:
        at: The workspace.
        message: Text of the reminder.
        when: A time, "next session" or "when I mention X"; "" for the time or condition at the
            start or end of the message, else the next session.

    Raises:
        DateNotUnderstood: ``when`` is not a time Mind understands, or the message seems to contain
            such a time.
    """
    validation.refuse_secrets(message, when)
    return agenda.add(at.project, at.visit(), message, when)


def reminder_done(at: Workspace, reminder_id: str, *, dismiss: bool = False) -> Reminder:
    """Mark a reminder as done; a recurring one only for this time.

    Args:
        at: The workspace.
        reminder_id: Id of the reminder.
        dismiss: Cancel it instead, even if it recurs.

    Raises:
        NotFound: No pending reminder has this id.
    """
    with not_echoed(reminder_id):
        return agenda.complete(at.project, at.visit(), reminder_id, dismiss=dismiss)


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
