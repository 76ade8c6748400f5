"""Supersession: later entries that replaced earlier ones, by links in files or text evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import log
from typing import NamedTuple

from mind.domain.entry import ORIGIN, Entry, Kind, RecordedAt
from mind.search.results import Hit
from mind.storage.index import Filter, Index
from mind.text import lazy_pattern
from mind.text.changes import ChangedValue, Usual, change, opening, states
from mind.text.terms import query_terms

_PASSING = frozenset({Kind.RELATION, Kind.TODO, Kind.EXPERIENCE, Kind.REJECTED, Kind.GOAL})
"""Kinds whose later entries add to earlier ones instead of superseding them."""
_LASTING = _PASSING | {Kind.PROGRESS}
"""Kinds that nothing supersedes: completed work, too, stays completed."""
_TOLD = frozenset({Kind.LEARNING, Kind.PROGRESS, Kind.GOTCHA})
"""Kinds that record the outcome of a problem; a decision may address it but does not end it."""
_CHOSEN = frozenset({Kind.DECISION, Kind.GOTCHA})
"""Kinds whose entries may state something in a phrase without a verb."""
_SPOKEN = lazy_pattern(r"(?:\[[^\]]*\]\s*)?[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?:\s")
BY, WAS = ("superseded-by", "superseded_by", "replaced-by"), ("supersedes", "replaces")
"""Fields of an entry that name its successor, and its predecessor."""
_FAMILIES = ("memory", "session", "comments")
_LIKELY = {"limit": 10, "postings": 200}
"""Candidates: the entries that contain the rarest words of a text."""
_SMALL, _UNUSUAL = 100, 3.0
"""Entries, and the logarithm of the share that has a word, from which that word is usual."""
_NAMED = lazy_pattern(r"[\w-]+")


_MARKED, _SURELY_MARKED = 0.4, 0.5
"""Least likelihood for a supersession by kind: decisions and gotchas have one value at a time;
other kinds may have several."""


def evidence(old: Entry, new: Entry, usual: Usual = ()) -> ChangedValue | None:
    """The evidence in two texts that the later entry supersedes the earlier one, if certain.

    Args:
        old: The earlier entry.
        new: The later one.
        usual: Words of ``old`` that are usual in the memory, see :func:`_usual`.
    """
    if _may_overrule(old, new):
        from mind.text.matching.subjects import overrules  # noqa: PLC0415 - only for decisions

        if overrules(opening(new.statement), opening(old.statement)):
            return ChangedValue(1.0, "decided")
    found = _changed(old, new, usual)
    if found is None or (found.how == "value" and old.kind.traits.trouble):  # problems accumulate
        return None
    least = _MARKED if old.kind in _CHOSEN | {Kind.LEARNING} else _SURELY_MARKED
    return found if found.likelihood >= least else None


def _changed(old: Entry, new: Entry, usual: Usual) -> ChangedValue | None:
    """The change that the later entry states.

    A report of work may only say that ``old`` was carried out, so it has to name the new value.
    """
    may = _can_change(old) and _may_replace(old, new)
    found = change(old.text, new.text, usual) if may else None
    is_report = new.kind is Kind.PROGRESS and not old.kind.traits.trouble
    return None if found and is_report and not found.new else found


def _usual(index: Index, size: int, text: str) -> Usual:
    """The words of ``text`` that more than a twentieth of ``size`` entries have, and their weight.

    The first hundred entries are counted as having none of them: in a small memory, several entries
    about one subject make no word usual.
    """
    frequency = index.frequency(query_terms(text))
    shares = ((term, log((size + _SMALL) / has) / _UNUSUAL) for term, has in frequency.items())
    return tuple(sorted((term, round(share, 2)) for term, share in shares if share < 1))


def _can_change(old: Entry) -> bool:
    """Return whether an entry states something that can change."""
    has_kind = not old.commit and old.kind not in _LASTING
    return has_kind and states(old.text, is_decided=old.kind in _CHOSEN)


def _may_replace(old: Entry, new: Entry) -> bool:
    """Return whether ``new`` can be the successor of ``old``, which can change.

    Their order in time is not checked.
    """
    return (
        not new.commit
        and ORIGIN not in new.fields  # a passage of a document is no statement of today
        and new.kind not in _PASSING
        and (not old.kind.traits.trouble or new.kind.traits.trouble or new.kind in _TOLD)
        and not (_SPOKEN.match(old.text) and _SPOKEN.match(new.text))
    )


def _may_overrule(old: Entry, new: Entry) -> bool:
    return old.kind is new.kind is Kind.DECISION and ORIGIN not in new.fields and not new.commit


class RecordedMoment(NamedTuple):
    """Moment an entry was recorded: day, time if the log has it, and position in the file."""

    day: date | None
    at: float | None
    source: str
    line: int

    def is_before(self, other: "RecordedMoment") -> bool:
        """Return whether it was recorded first: by day, then time, else by line in the same file.

        Unknown if only one of the two has a time.
        """
        if self.day is None or other.day is None or self.day != other.day:
            return self.day is not None and other.day is not None and self.day < other.day
        if self.at != other.at:
            return self.at is not None and other.at is not None and self.at < other.at
        return self.source == other.source and self.line < other.line


def moment(entry: Entry, noted: RecordedAt | None = None) -> RecordedMoment:
    """Moment an entry was recorded, from the usage log where possible.

    Entries left by a session carry the day the session ended, and corrected entries the day of
    the first version, so the log is more precise. A day before the log's is kept as intended.
    """
    day, at = entry.date, None
    if day and noted and (noted.corrected or noted.day <= day):
        day, at = noted.day, noted.at
    return RecordedMoment(day, at, entry.source, entry.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """The entry that replaced another.

    Attributes:
        id: Id of the later entry.
        entry: The entry; None if the id is unknown here.
        day: Day it was recorded, if known.
        how: "linked", "value", "stated", or "decided" of what a decision turned down.
        old: The outdated value; "" if it cannot be identified.
        new: The current value.
    """

    id: str
    entry: Entry | None = None
    day: date | None = None
    how: str = "linked"
    old: str = ""
    new: str = ""


KnownSuccessors = Mapping[str, Successor | None]
"""Id of an entry → its successor; None if it was looked for and there is none."""


def successors(
    index: Index,
    entries: Sequence[Entry],
    families: tuple[str, ...] = _FAMILIES,
    *,
    logged: bool = True,
    linked: Mapping[str, Successor] | None = None,
) -> dict[str, Successor | None]:
    """Successors of entries by their ids; None for an entry that has none.

    A link in the files wins over text evidence, and the likeliest successor over others. A check
    refutes evidence: an entry verified after the later one was recorded remains valid.

    Args:
        index: An up-to-date index.
        entries: The entries to check.
        families: Families of sources for possible successors.
        logged: Use the recording times of the usage log.
        linked: The result of :func:`links`, if known.
    """
    linked = links(index, families) if linked is None and entries else linked or {}
    found = {one.id: linked.get(one.id) for one in entries}
    which = Filter(families=families)
    size = index.count() if entries else 0
    for old in entries:
        can_change = _can_change(old)
        if found[old.id] or old.date is None or not (can_change or old.kind is Kind.DECISION):
            continue
        likely = index.match(query_terms(old.text), which, **_LIKELY) if can_change else []
        if old.kind is Kind.DECISION:  # its title alone names what was chosen
            decisions = replace(which, kinds=(Kind.DECISION,))
            likely += index.match(query_terms(opening(old.statement)), decisions, **_LIKELY)
        others = [
            one
            for one in {one.id: one for one, _ in likely}.values()
            if one.id != old.id
            and one.id not in linked
            and not one.is_struck
            and ((can_change and _may_replace(old, one)) or _may_overrule(old, one))
        ]
        ids = [old.id, *(one.id for one in others)]
        usual = _usual(index, size, old.text) if others else ()
        noted = index.usage.noted(ids) if others and logged else {}
        was = moment(old, noted.get(old.id))
        checked = old.fields.get("verified", "")[:10]
        later = [
            (one, how)
            for one in others
            if was.is_before(then := moment(one, noted.get(one.id)))
            and checked < str(then.day)
            and (how := evidence(old, one, usual))
        ]
        if later:
            new, how = max(later, key=lambda pair: pair[1].likelihood)
            day = moment(new, noted.get(new.id)).day
            found[old.id] = Successor(
                id=new.id, entry=new, day=day, how=how.how, old=how.old, new=how.new
            )
    return found


def _link(by: str, entry: Entry | None) -> Successor:
    return Successor(id=by, entry=entry, day=entry.date if entry else None)


def links(index: Index, families: tuple[str, ...] = _FAMILIES) -> dict[str, Successor]:
    """Successors that the files name, by the ids of the entries that they replaced."""
    found: dict[str, Successor] = {}
    for one in index.saying(Filter(families=families), *BY, *WAS):
        for name in BY:
            for by in _NAMED.findall(one.fields.get(name, ""))[:1]:
                found[one.id] = _link(by, index.get(by))
        for name in WAS:
            for was in _NAMED.findall(one.fields.get(name, "")):
                found.setdefault(was, _link(one.id, one))
    return found


def replaced_by(index: Index, text: str, kind: Kind) -> list[tuple[Entry, ChangedValue]]:
    """Entries that a new note supersedes by the evidence in its text, likeliest first."""
    new, size = Entry(id="", kind=kind, text=text), index.count()
    found = [
        (old, how)
        for old, _ in index.match(query_terms(text), Filter(families=_FAMILIES), **_LIKELY)
        if (how := _changed(old, new, _usual(index, size, old.text)))
    ]
    return sorted(found, key=lambda one: -one[1].likelihood)


def current_first(hits: list[Hit], known: KnownSuccessors) -> list[Hit]:
    """Hits, reordered so that each superseded one directly follows its successor.

    A successor that is not a hit itself is inserted before it.
    """
    by_id = {hit.entry.id: hit for hit in hits}
    order: dict[str, Hit] = {}

    def put(hit: Hit, seen: frozenset[str]) -> None:
        one = hit.entry.id
        if one in order or one in seen:
            return
        later = known.get(one)
        if later and later.entry:
            put(by_id.get(later.id) or replace(hit, entry=later.entry), seen | {one})
        order.setdefault(one, hit)

    for hit in hits:
        put(hit, frozenset())
    return list(order.values())
