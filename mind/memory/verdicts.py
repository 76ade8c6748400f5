"""Verdicts on entries: contradicted, superseded, stale, verified or unverified.

They are computed only here, and shown identically by every interface.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from mind.domain.entry import Entry
from mind.memory import usage
from mind.search import supersession
from mind.search.results import UNCHECKED, Verdict
from mind.search.supersession import Successor
from mind.sources import staleness
from mind.sources.staleness import Flag
from mind.storage.index import Filter, Index

_DRIFT = frozenset({"gone", "moved", "lost", "commits"})


def of_entries(
    root: Path, index: Index, entries: Sequence[Entry], today: date | None
) -> dict[str, Verdict]:
    """Return the verdicts on entries of one project, by their ids.

    Args:
        root: Of the project.
        index: Up to date.
        entries: Of this project.
        today: The day on which they are read; None leaves out what the files and git say.
    """
    disputed = usage.disputed(index, entries)
    later = supersession.successors(index, entries)
    found = {one.id: _of_memory(disputed.get(one.id, ""), later.get(one.id)) for one in entries}
    for decision, against in despite_told(index, entries).items():
        found[decision] = replace(found[decision], despite=against)
    return of_files(root, entries, found, today) if today else found


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


def of_files(
    root: Path, entries: Sequence[Entry], known: Mapping[str, Verdict], today: date
) -> dict[str, Verdict]:
    """``known`` verdicts with what became of the files, symbols and commands that entries cite."""
    flags = staleness.of_entries(root, entries, today)
    return {
        one.id: _with_flags(known.get(one.id, UNCHECKED), one, stale, today)
        for one, stale in zip(entries, flags, strict=True)
    }


def _with_flags(known: Verdict, entry: Entry, stale: Sequence[str], today: date) -> Verdict:
    state = known.state
    if known.is_current:
        checked = staleness.verification(entry, today) == "fresh"
        state = "stale" if stale else "checked" if checked else "unchecked"
    return replace(known, state=state, reasons=(*known.reasons, *stale))


def told(later: Successor) -> Flag:
    """Return a warning about the superseding entry, with old and new value if known."""
    day = f" of {later.day}" if later.day else ""
    values = f": {later.old} → {later.new}" if later.old and later.new else ""
    return Flag(f"superseded by {later.id}{day}{values}", "superseded")


def drift(known: Verdict) -> tuple[Flag, ...]:
    """Those of a verdict's reasons that tell what became of what the entry cites."""
    flags = (one for one in known.reasons if isinstance(one, Flag))
    return tuple(one for one in flags if one.kind in _DRIFT)


def despite(
    index: Index, entries: Iterable[Entry], families: tuple[str, ...] = ()
) -> dict[str, list[Entry]]:
    """The rejections that decisions go against and that are still in memory, by their ids.

    Args:
        index: Up to date.
        entries: Those in question.
        families: Of the rejections, found by their own ids alone; from anywhere, and also where
            they were edited since, if there are none.
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
        there = [it for it in against if it is not None]
        found |= {one.id: there} if there else {}
    return found


def despite_told(index: Index, entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """As :func:`despite`, in words."""
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
) -> set[str]:
    """Return ids of entries that must not be shown as current.

    Args:
        index: Up to date.
        entries: Those in question.
        families: Of the entries that may supersede them.
        contradicted: Those too that this machine's usage log says are wrong. Without it, the log
            is not asked at all.
    """
    gone = {*supersession.successors(index, entries, families, logged=contradicted)}
    return gone | usage.disputed(index, entries).keys() if contradicted else gone
