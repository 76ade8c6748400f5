"""Verdict on entries: contradicted, superseded, stale, checked or unchecked; and usage counts.

Verdicts are computed only here and are the same in every interface. Counts of uses and sessions
follow the usage log: events removed from it no longer count.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType

from mind.documents import parser
from mind.domain.entry import STRUCK_OUT, Entry, Kind, Status, judgement
from mind.domain.errors import FileError
from mind.search import supersession
from mind.search.results import UNCHECKED, Verdict
from mind.search.supersession import KnownSuccessors, Successor
from mind.sources import staleness
from mind.sources.staleness import EntryWarning
from mind.storage import events
from mind.storage.events import Event, LogExtent
from mind.storage.index import Filter, Index, RefreshedEntries
from mind.storage.project import Project
from mind.text.terms import query_terms

_UNNOTED = 65536
"""Unread bytes of the log without a use that are reread rather than recorded by a write."""
_PAIRS = 100
"""Maximum number of aliases per event."""
_KEY = "events"


def refresh(project: Project, index: Index) -> None:
    """Count new events of the log; recount everything if the log was replaced."""
    with contextlib.suppress(FileError, OSError):  # an unreadable log counts as empty
        _count(project, index)


def _count(project: Project, index: Index) -> None:
    there = events.extent(project.events)
    told = index.meta(_KEY)
    archives, inode, offset, mark = json.loads(told) if told else ("", 0, 0, "")
    if (archives, inode) == (there.archives, there.inode) and offset <= there.size:
        if offset == there.size:
            return
        added = events.since(project.events, offset, mark)
        if added is not None:
            if added.events or added.end - offset > _UNNOTED:
                with index.writing():
                    if index.meta(_KEY) == told:  # no other process did
                        _add(index, added.events)
                        _note(index, there._replace(size=added.end), added.mark)
            return
    _count_anew(project, index, there)


def _count_anew(project: Project, index: Index, there: LogExtent) -> None:
    happened = events.events(project.events)
    mark = events.marked(project.events, there.size) if there.size else ""
    if events.extent(project.events) != there:
        return  # changed meanwhile: the read may have ended mid-event; retry next time
    with index.writing():
        index.usage.clear()
        index.aliases.clear()
        _add(index, happened)
        _note(index, there, mark)


def _add(index: Index, happened: "tuple[Event, ...]") -> None:
    index.usage.add(events.uses(happened))
    index.usage.note(events.noted(happened))
    index.usage.dispute(events.disputed(happened))
    index.aliases.add(events.aliases(happened))


def _note(index: Index, there: LogExtent, mark: str) -> None:
    index.note(_KEY, json.dumps([*there, mark]))


def disputes(index: Index, entries: Sequence[Entry]) -> dict[str, EntryWarning]:
    """Return warnings by id about entries that were contradicted and not verified since."""
    checked = {one.id: staleness.verified(one) for one in entries}
    return {
        one: EntryWarning(f"contradicted on {day}", "contradicted")
        for one, day in index.usage.disputed([*checked]).items()
        if (known := checked[one]) is None or known <= day
    }


def note_edits(project: Project, index: Index, *changes: RefreshedEntries) -> None:
    """Log which new entries are edits of old ones, so that uses and IDs follow them.

    This is logged even if uses are not, as it cannot be recovered once the index is deleted.

    Archived entries do not count as edited.

    Args:
        project: The project.
        index: Its index.
        changes: Changes by file; edits are matched within one file only.
    """
    edited = [one for one in changes if one.gone and one.new]
    if not edited:
        return
    from mind.documents import rename_detection  # noqa: PLC0415 - only after an edit
    from mind.storage import archives  # noqa: PLC0415 - as above

    try:
        known = archives.read(project.archive)
    except FileError:  # then edited and archived entries cannot be distinguished
        return
    archived = {one.id for one in known if one.replaced_by != one.id}
    found = [
        (old, new)
        for change in edited
        for old, new in rename_detection.pairs(
            [one for one in change.gone if one.id not in archived], change.new
        )
        if index.aliases.named(old) != new
    ]
    now = datetime.now(UTC)
    for at in range(0, len(found), _PAIRS):
        ids = tuple(one for pair in found[at : at + _PAIRS] for one in pair)
        event = Event(at=now, session="", name="alias", ids=ids)
        events.keep(project.events, event, project.settings)


_WAITING = (Status.OPEN, Status.BLOCKED)
_NONE = ("",)
"""Ids that no entry has."""
_POSTINGS = 200
"""Maximum entries per word when looking for the fix of a problem; common words are skipped."""


def is_resolved(
    index: Index, problem: Entry, families: tuple[str, ...] = ("memory", "comments", "commits")
) -> bool:
    """Return whether a later entry of ``families`` says that ``problem`` is fixed."""
    if problem.status not in _WAITING or not problem.kind.traits.trouble:
        return False
    which = Filter(kinds=(Kind.PROGRESS,), families=families)
    fixes = index.match(query_terms(problem.text), which, limit=12, postings=_POSTINGS)
    return any(_is_later(fix, problem) and parser.resolves(fix, problem) for fix, _ in fixes)


def settled(index: Index, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries with their current status: resolved, if a later entry fixes them."""
    return [
        replace(one, status=Status.RESOLVED) if is_resolved(index, one) else one for one in entries
    ]


def by_status(index: Index, which: Filter) -> Filter:
    """Return a filter in which a problem that a later entry fixes has the status "resolved"."""
    fixed = _fixed(index) if which.status else ()
    if not fixed:
        return which
    ids = [
        one.id
        for status in Status
        for one in index.entries(replace(which, status=status))
        if which.status is (Status.RESOLVED if one.id in fixed else status)
    ]
    return replace(which, status=None, ids=tuple(ids) or _NONE)


def _fixed(index: Index) -> frozenset[str]:
    """Return the ids of problems that later entries fix, kept until an entry changes."""

    def found() -> list[str]:
        waiting = [one for status in _WAITING for one in index.entries(Filter(status=status))]
        return [one.id for one in waiting if is_resolved(index, one)]

    return frozenset(index.kept("fixed", index.meta("generation"), found))


def _is_later(fix: Entry, problem: Entry) -> bool:
    if fix.source == problem.source and fix.line and problem.line:
        return fix.line > problem.line
    return bool(fix.date and problem.date and fix.date >= problem.date)


_DRIFT = frozenset({"gone", "moved", "lost", "commits"})


def of_entries(
    root: Path,
    index: Index,
    entries: Sequence[Entry],
    today: date | None,
    known: KnownSuccessors = MappingProxyType({}),
) -> dict[str, Verdict]:
    """Return the verdicts on entries of one project, by their ids.

    Args:
        root: Root of the project.
        index: An up-to-date index.
        entries: Entries of this project.
        today: The current day; None to skip the checks of files and git.
        known: Successors that need not be looked for.
    """
    disputed = disputes(index, entries)
    new = [one for one in entries if one.id not in known]
    later = {**known, **supersession.successors(index, new)}
    found = {one.id: _of_memory(disputed.get(one.id, ""), later.get(one.id)) for one in entries}
    struck = Verdict(state="superseded", reasons=(EntryWarning(STRUCK_OUT, "superseded"),))
    found |= {one.id: struck for one in entries if one.is_struck and found[one.id].is_current}
    for decision, against in despite_told(index, entries).items():
        found[decision] = replace(found[decision], despite=against)
    if today is None:
        return found
    flags = staleness.of_entries(root, entries, today)
    return {
        one.id: _with_flags(found[one.id], one, stale, today)
        for one, stale in zip(entries, flags, strict=True)
    }


def successors(index: Index, entries: Sequence[Entry]) -> KnownSuccessors:
    """Return the successors of entries, kept until an entry changes or a use is logged."""
    key = f"{index.meta('generation')} {index.meta(_KEY)}"
    is_known = index.meta("successors-key") == key
    known: dict[str, list[str]] = json.loads(index.meta("successors")) if is_known else {}
    if new := [one for one in entries if one.id not in known]:
        for one, by in supersession.successors(index, new).items():
            known[one] = [by.id, str(by.day or ""), by.how, by.old, by.new] if by else []
        index.keep({"successors-key": key, "successors": json.dumps(known)})
    return {one.id: _successor(*known[one.id]) for one in entries}


def _successor(by: str = "", day: str = "", *rest: str) -> Successor | None:
    how, old, new = rest or ("",) * 3
    on = date.fromisoformat(day) if day else None
    return Successor(id=by, day=on, how=how, old=old, new=new) if by else None


def _of_memory(disputed: str, later: Successor | None) -> Verdict:
    if later is None:
        return Verdict(state="contradicted", reasons=(disputed,)) if disputed else UNCHECKED
    return Verdict(
        state="contradicted" if disputed else "superseded",
        reasons=(*((disputed,) if disputed else ()), told(later)),
        by=later.id,
        old=later.old,
        new=later.new,
    )


def _with_flags(known: Verdict, entry: Entry, stale: Sequence[str], today: date) -> Verdict:
    """Extend a verdict by the state of cited files, symbols and commands."""
    state = known.state
    if known.is_current:
        checked = staleness.verification(entry, today) == "fresh"
        state = "stale" if stale else "checked" if checked else "unchecked"
    return replace(known, state=state, reasons=(*known.reasons, *stale))


def told(later: Successor) -> EntryWarning:
    """Return a warning about the superseding entry, with old and new value if known."""
    day = f" of {later.day}" if later.day else ""
    values = f": {later.old} → {later.new}" if later.old and later.new else ""
    how = judgement(Kind.DECISION) if later.how == "decided" else "superseded"
    return EntryWarning(f"{how} by {later.id}{day}{values}", "superseded")


def drift(known: Verdict) -> tuple[EntryWarning, ...]:
    """Return the reasons of a verdict that concern cited files, symbols and commands."""
    flags = (one for one in known.reasons if isinstance(one, EntryWarning))
    return tuple(one for one in flags if one.kind in _DRIFT)


def despite(
    index: Index, entries: Iterable[Entry], families: tuple[str, ...] = ()
) -> dict[str, list[Entry]]:
    """Return the rejections that decisions override and that are still in memory, by decision ID.

    Args:
        index: An up-to-date index.
        entries: The decisions.
        families: Families of the rejections, found by current ID only; if empty, rejections are
            found in all families, and also by the ID before an edit.
    """
    found: dict[str, list[Entry]] = {}
    for one in entries:
        if not one.despite:
            continue
        if families:
            known = {it.id: it for it in index.entries(Filter(ids=one.despite, families=families))}
            against = [known.get(named) for named in one.despite]
        else:
            against = list(map(index.get, one.despite))
        there = [it for it in against if it is not None and not it.is_struck]
        found |= {one.id: there} if there else {}
    return found


def despite_told(index: Index, entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """Return the result of :func:`despite` as text."""
    found = despite(index, entries)
    return {decision: tuple(map(_rejected, against)) for decision, against in found.items()}


def _rejected(rejection: Entry) -> str:
    """Return a rejection as text, with its day and reason."""
    day = f" of {rejection.date}" if rejection.date else ""
    reason = rejection.reasoning if rejection.reasoning not in rejection.text else ""
    return f"rejected {rejection.id}{day}: {rejection.text}{f' - {reason}' if reason else ''}"


def outdated(
    index: Index,
    entries: Sequence[Entry],
    families: tuple[str, ...],
    *,
    contradicted: bool = True,
    linked: Mapping[str, Successor] | None = None,
) -> dict[str, date | None]:
    """Return ids of entries that must not be shown as current, with the day of what replaced them.

    Args:
        index: An up-to-date index.
        entries: The entries to check.
        families: Families of the entries that may supersede them.
        contradicted: Include entries contradicted in this machine's usage log; if False, the log
            is not used.
        linked: The result of :func:`supersession.links`, if known.
    """
    found = supersession.successors(index, entries, families, logged=contradicted, linked=linked)
    disputed = disputes(index, entries) if contradicted else ()
    return dict.fromkeys(disputed) | {one: later.day for one, later in found.items() if later}
