"""Pair the units of three versions, and order them: by words, block id or similarity."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mind.documents import archive
from mind.documents.merge.units import Undecided, Unit, UnitText, is_lasting, parts, together

T = TypeVar("T", bound=Hashable)
Between = Callable[[list[T], list[T]], list[T]]
"""Orders what only one side and only the other has at the same position."""


def weave(
    base: Sequence[T], ours: Sequence[T], theirs: Sequence[T], between: Between[T]
) -> list[T]:
    """Merge two orders; each element of ``ours`` or ``theirs`` occurs once.

    The order of the side that changed it wins, ``ours`` if both did.

    Args:
        base: The original order; its elements may be gone.
        ours: One order.
        theirs: The other.
        between: Orders additions at the same position.
    """
    shared = set(ours) & set(theirs)
    known = [one for one in base if one in shared]
    kept = shared.intersection(known)
    moved = [one for one in ours if one in kept] != known
    order = [one for one in (ours if moved else theirs) if one in shared]
    before_ours, before_theirs = _runs(ours, shared), _runs(theirs, shared)
    woven: list[T] = []
    for place in (None, *order):
        woven += [] if place is None else [place]
        woven += between(before_ours.get(place, []), before_theirs.get(place, []))
    return woven


def _runs(side: Sequence[T], shared: set[T]) -> dict[T | None, list[T]]:
    """Group the elements unique to this side by the shared element before them.

    None for those at the beginning.
    """
    runs: dict[T | None, list[T]] = {}
    last: T | None = None
    for one in side:
        if one in shared:
            last = one
        else:
            runs.setdefault(last, []).append(one)
    return runs


def one_after_the_other(ours: list[T], theirs: list[T]) -> list[T]:
    """``ours`` first."""
    return ours + theirs


def by_day(day: Callable[[T], str], *, descending: bool) -> Between[T]:
    """Merge runs of days by day if each run is sorted; else concatenate them."""

    def between(ours: list[T], theirs: list[T]) -> list[T]:
        runs = (ours, theirs)
        if not ours or not theirs or not all(_is_ordered(run, day, descending) for run in runs):
            return ours + theirs
        return sorted(ours + theirs, key=day, reverse=descending)

    return between


def _is_ordered(run: Sequence[T], day: Callable[[T], str], descending: bool) -> bool:
    days = [day(one) for one in run]
    return all(days) and days == sorted(days, reverse=descending)


Pairs = dict[int, int]
"""Numbers of one version → numbers of the other."""

_ALIKE = 0.60
"""Similarity above which a removed and an added entry of a section are the same, edited."""
_RESEMBLING = 0.30
"""The same threshold for entries at the same position."""
_BESIDE = 0.20
"""Bonus for equal neighbours, which tells identical paragraphs apart."""
_MOST = 40_000
"""Maximum number of pairs compared in one section."""
_BASE_ID = re.compile(rb"-\d+$")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_UNESCAPED = re.compile(r"\\([\\|^])")


def sections(old: UnitText, new: UnitText) -> Pairs:
    """Map sections of ``new`` to those of ``old``.

    By headings; a section with changed headings by its contents.
    """
    found = _in_order(dict(enumerate(new.sections)), dict(enumerate(old.sections)))
    left = [at for at in range(len(old.sections)) if at not in set(found.values())]
    missing = [at for at in range(len(new.sections)) if at not in found]
    if not left or not missing:
        return found
    was, now = _contents(old), _contents(new)
    for at in missing:
        shared = [(len(now[at] & was[one]), -one) for one in left]
        most, one = max(shared, default=(0, 0))
        if most * 2 >= min(len(was[-one]), len(now[at])) and most:
            found[at] = -one
            left.remove(-one)
    return found


def _contents(text: UnitText) -> dict[int, set[bytes]]:
    found: dict[int, set[bytes]] = defaultdict(set)
    for one in text.units:
        if one.kind != "heading":
            found[one.section].add(one.body)
    return found


def _in_order(new: Mapping[int, Hashable], old: Mapping[int, Hashable]) -> Pairs:
    """Pairs of numbers with equal keys, in order of occurrence."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for at in sorted(old, reverse=True):
        places[old[at]].append(at)
    return {at: places[new[at]].pop() for at in sorted(new) if places[new[at]]}


class Pairing:
    """Pairs units of ``new`` with those of ``old``.

    Args:
        old: One version.
        new: Another.
        within: Numbers of sections of ``new`` → those of ``old``.
        reminder: Whether the units are reminders.
        only: Numbers of ``old`` and ``new`` to consider; all by default.
    """

    def __init__(
        self,
        old: UnitText,
        new: UnitText,
        within: Pairs,
        *,
        reminder: bool,
        only: tuple[Iterable[int], Iterable[int]] | None = None,
    ) -> None:
        self.old, self.new = old, new
        self.found: Pairs = {}
        self._within = within
        self._reminder = reminder
        some = only or (range(len(old.units)), range(len(new.units)))
        self._open_old, self._open_new = set(some[0]), set(some[1])
        self._headings()

    def _headings(self) -> None:
        old = self.old.units
        was = {old[at].section: at for at in self._open_old if old[at].kind == "heading"}
        self._open_old -= set(was.values())
        for at in sorted(self._open_new):
            one = self.new.units[at]
            if one.kind == "heading":
                self._open_new.discard(at)
                there = was.get(self._within.get(one.section, -1))
                if there is not None:
                    self.found[at] = there

    def same(self) -> None:
        """Pair units with equal bytes, in the same section first, then anywhere."""
        self.by(lambda one: one.body, anywhere=False)
        self.by(lambda one: one.body, anywhere=True)

    def here(self) -> None:
        """Pair units with equal bytes in the same section."""
        self.by(lambda one: one.body, anywhere=False)

    def named(self) -> None:
        """Pair units with the same id, written or derived from the text."""
        self.by(self._written, anywhere=True)
        new = self._ids(self._open_new, self.new, self._open_old, self.old)
        old = self._ids(self._open_old, self.old, self._open_new, self.new)
        self._all(new, old)

    def _ids(
        self, own: Iterable[int], text: UnitText, others: Iterable[int], other: UnitText
    ) -> dict[int, Hashable]:
        """The ids of units, written or, if one of ``others`` has it written, derived from the text.

        An entry's id is written when it is first edited, and is derived from its original text.
        """
        known = {at: self._written(text.units[at]) for at in own}
        wanted = {
            _BASE_ID.sub(b"", name) for at in others if (name := self._written(other.units[at]))
        }
        found: dict[int, Hashable] = {}
        for at, name in known.items():
            if name:
                found[at] = _BASE_ID.sub(b"", name)
            elif wanted and (text.units[at].is_entry or text.units[at].kind == "prose"):
                made = self._made(text.units[at])
                if made in wanted:
                    found[at] = made
        return found

    def _all(self, new: Mapping[int, Hashable], old: Mapping[int, Hashable]) -> None:
        for at, there in _in_order(new, old).items():
            self._pair(there, at)

    def _made(self, one: Unit) -> bytes:
        """The derived id of an entry without a written one."""
        if self._reminder:
            from mind.domain.entry import content_id  # noqa: PLC0415 - few merges need one

            words = parts(one.body, reminder=True).words.decode("utf-8", "replace")
            return b"r" + content_id(_UNESCAPED.sub(r"\1", words))[:7].encode()
        from mind.documents import parser  # noqa: PLC0415 - takes 30 ms to load
        from mind.domain.settings import Settings  # noqa: PLC0415 - the same

        found = parser.parse_line(one.body.decode("utf-8", "surrogateescape"), Settings())
        return found.id.encode() if found else b""

    def worded(self, *, anywhere: bool) -> None:
        """Pair units with equal text but other fields or checkbox."""
        self.by(self._words, anywhere=False)
        if anywhere:
            self.by(self._words, anywhere=True)

    def dated(self) -> None:
        """Pair labelled entries with equal text below headings with a day, whichever day it is.

        A conflict settled by hand can leave an entry below the heading of another day. Progress
        can be made twice.
        """
        self._all(self._dated(self._open_new, self.new), self._dated(self._open_old, self.old))

    def _dated(self, numbers: Iterable[int], text: UnitText) -> dict[int, Hashable]:
        """The text of the labelled entries below headings with a day."""
        days = {at for at, keys in enumerate(text.sections) if keys and _DAY.match(keys[-1][1])}
        found: dict[int, Hashable] = {}
        for at in numbers:
            one = text.units[at]
            if one.section in days and (words := self._words(one)) and is_lasting(words):
                found[at] = words
        return found

    @property
    def unknown(self) -> set[int]:
        """Numbers of ``new`` that are unpaired."""
        return {at for at in range(len(self.new.units)) if at not in self.found}

    def drop(self, numbers: Iterable[int]) -> None:
        """Exclude these numbers of ``new`` from pairing."""
        self._open_new -= set(numbers)

    def leave(self, kind: str) -> None:
        """Exclude units of this kind from pairing by similarity."""
        self._open_old = {at for at in self._open_old if self.old.units[at].kind != kind}
        self._open_new = {at for at in self._open_new if self.new.units[at].kind != kind}

    def alike(self) -> None:
        """Pair similar units of a section, then additions with removals at the same position."""
        by_section: dict[int, list[int]] = defaultdict(list)
        for at in sorted(self._open_old):
            by_section[self.old.units[at].section].append(at)
        fresh: dict[int, list[int]] = defaultdict(list)
        for at in sorted(self._open_new):
            there = self._within.get(self.new.units[at].section)
            if there in by_section:
                fresh[there].append(at)
        for there, came in fresh.items():
            if len(came) * len(by_section[there]) <= _MOST:
                self._nearest(by_section[there], came)
        self._in_place()

    def _nearest(self, went: Sequence[int], came: Sequence[int]) -> None:
        from mind.text.similarity import similarity  # noqa: PLC0415 - few merges compare texts

        said_old = {at: self._said(self.old.units[at]) for at in went}
        said_new = {at: self._said(self.new.units[at]) for at in came}
        scored = [
            (score + _BESIDE * self._is_beside(old, new), -old, -new)
            for old in went
            for new in came
            if self.old.units[old].is_entry == self.new.units[new].is_entry
            and (score := similarity(said_old[old], said_new[new])) >= _ALIKE
        ]
        for _, old, new in sorted(scored, reverse=True):
            if -old in self._open_old and -new in self._open_new:
                self._pair(-old, -new)

    def _is_beside(self, old: int, new: int) -> bool:
        """Return whether two units have a paired neighbour in common."""
        return any(self.found.get(new + by) == old + by for by in (-1, 1))

    def _in_place(self) -> None:
        """Pair an addition with a removal of the same kind at the same position.

        Entries must also be somewhat similar.
        """
        back = {old: new for new, old in self.found.items()}
        for at in sorted(self._open_old):
            one = self.old.units[at]
            before = back.get(at - 1) if at else -1
            after = back.get(at + 1) if at + 1 < len(self.old.units) else len(self.new.units)
            if before is None or after != before + 2 or before + 1 not in self._open_new:
                continue
            other = self.new.units[before + 1]
            if other.kind == one.kind and (not one.is_entry or self._resembles(one, other)):
                self._pair(at, before + 1)

    def _resembles(self, one: Unit, other: Unit) -> bool:
        from mind.text.similarity import similarity  # noqa: PLC0415 - few merges compare texts

        return similarity(self._said(one), self._said(other)) >= _RESEMBLING

    def _said(self, one: Unit) -> str:
        return parts(one.body, reminder=self._reminder).words.decode("utf-8", "replace")

    def _written(self, one: Unit) -> bytes | None:
        return parts(one.body, reminder=self._reminder).id or None if one.is_entry else None

    def _words(self, one: Unit) -> bytes | None:
        return parts(one.body, reminder=self._reminder).words or None if one.is_entry else None

    def by(self, key: Callable[[Unit], Hashable | None], *, anywhere: bool) -> None:
        """Pair units with equal keys, in the same section or ``anywhere``; None is not a key."""
        new = {at: key(self.new.units[at]) for at in self._open_new}
        old = {at: key(self.old.units[at]) for at in self._open_old}
        new = {at: value for at, value in new.items() if value is not None}
        old = {at: value for at, value in old.items() if value is not None}
        if not anywhere:
            new = {
                at: (there, value)
                for at, value in new.items()
                if (there := self._within.get(self.new.units[at].section)) is not None
            }
            old = {at: (self.old.units[at].section, value) for at, value in old.items()}
        self._all(new, old)

    def _pair(self, old: int, new: int) -> None:
        self.found[new] = old
        self._open_old.discard(old)
        self._open_new.discard(new)


BASE, OURS, THEIRS = 0, 1, 2
_Sequences = tuple[list[int], list[int], list[int]]


@dataclass(slots=True)
class Node:
    """A merge node: its unit's number in base, ours and theirs, and its target section.

    Attributes:
        at: The numbers; None where it is absent.
        target: Number of a section of the merged file.
    """

    at: tuple[int | None, int | None, int | None]
    target: int = 0


class Versions:
    """The base, ours and theirs of one file.

    Args:
        texts: Base, ours and theirs.
        name: Of the file.
    """

    def __init__(self, texts: tuple[UnitText, UnitText, UnitText], name: str) -> None:
        self.texts = texts
        self.is_archive = name.endswith("ARCHIVE.md")
        self.is_reminders = name.endswith("REMINDERS.md")
        base, ours, theirs = texts
        self._to_base: tuple[Pairs, Pairs, Pairs] = (
            {},
            sections(base, ours),
            sections(base, theirs),
        )
        self._sections = self._joined_sections()
        self.section_of = self._section_numbers()
        self.nodes = self._joined_units()
        for node in self.nodes:
            node.target = self._target(node)

    def unit(self, node: Node, side: int) -> Unit | None:
        """Return the unit of ``node`` on a side; None if absent."""
        at = node.at[side]
        return None if at is None else self.texts[side].units[at]

    # --- sections --------------------------------------------------------------------------

    def _joined_sections(self) -> list[list[int | None]]:
        """(base, ours, theirs) of every section."""
        base, ours, theirs = self.texts
        to_ours = {old: new for new, old in self._to_base[OURS].items()}
        to_theirs = {old: new for new, old in self._to_base[THEIRS].items()}
        made: list[list[int | None]] = [
            [at, to_ours.get(at), to_theirs.get(at)] for at in range(len(base.sections))
        ]
        fresh, others = (
            {at: key for at, key in enumerate(text.sections) if at not in known}
            for text, known in ((ours, self._to_base[OURS]), (theirs, self._to_base[THEIRS]))
        )
        same = _in_order(fresh, others)
        made += [[None, at, same.get(at)] for at in fresh]
        return made + [[None, None, at] for at in others if at not in same.values()]

    def _section_numbers(self) -> tuple[Pairs, Pairs, Pairs]:
        found: tuple[Pairs, Pairs, Pairs] = ({}, {}, {})
        for number, places in enumerate(self._sections):
            for side, at in enumerate(places):
                if at is not None:
                    found[side][at] = number
        return found

    def section_order(self, living: Collection[int]) -> list[int]:
        """Numbers of the sections in the merged file, in order."""
        base, ours, theirs = (
            [
                self.section_of[side][at]
                for at in range(len(self.texts[side].sections))
                if self.section_of[side][at] in living
            ]
            for side in (BASE, OURS, THEIRS)
        )
        descending = any(self._descends(side) for side in (OURS, THEIRS))
        return weave(base, ours, theirs, by_day(self._day, descending=descending))

    def _day(self, section: int) -> str:
        """The day in a section's heading; "" if it has none."""
        for side in (OURS, THEIRS):
            at = self._sections[section][side]
            if at is not None:
                keys = self.texts[side].sections[at]
                found = _DAY.match(keys[-1][1]) if keys else None
                return found.group() if found else ""
        return ""

    def _descends(self, side: int) -> bool:
        titles = (keys[-1][1] for keys in self.texts[side].sections if keys)
        days = [found.group() for title in titles if (found := _DAY.match(title))]
        return len(set(days)) > 1 and days == sorted(days, reverse=True)

    def _target(self, node: Node) -> int:
        base, ours, theirs = (
            None if at is None else self.section_of[side][self.texts[side].units[at].section]
            for side, at in enumerate(node.at)
        )
        there = ours if theirs is None or (ours is not None and ours != base) else theirs
        return base or 0 if there is None else there

    # --- units -----------------------------------------------------------------------------

    def _joined_units(self) -> list[Node]:
        base, ours, theirs = self.texts
        one, other = self._known(OURS), self._known(THEIRS)
        same = self._added(one.unknown, other.unknown)
        same.here()  # an addition on both sides is not an edit of an entry that one side removed
        same.dated()
        one.drop(same.found)
        other.drop(same.found.values())
        one.alike()
        other.alike()
        added = self._added(one.unknown, other.unknown)
        if self.is_archive:
            added.by(block_key, anywhere=True)
        else:
            added.named()
            added.worded(anywhere=False)
            added.dated()
        both = same.found | {at: to for at, to in added.found.items() if self._is_one(at, to)}
        to_ours, to_theirs = (
            {old: new for new, old in pairing.found.items()} for pairing in (one, other)
        )
        made = [Node((at, to_ours.get(at), to_theirs.get(at))) for at in range(len(base.units))]
        made += [
            Node((None, at, both.get(at))) for at in range(len(ours.units)) if at not in one.found
        ]
        taken = {*both.values(), *other.found}
        return made + [Node((None, None, at)) for at in range(len(theirs.units)) if at not in taken]

    def _known(self, side: int) -> Pairing:
        """Pair units of a side with those of the base that differ at most in fields."""
        base, own = self.texts[BASE], self.texts[side]
        pairing = Pairing(base, own, self._to_base[side], reminder=self.is_reminders)
        pairing.same()
        if self.is_archive:
            pairing.by(block_key, anywhere=True)
            pairing.leave("block")  # similarity is meaningless for blocks, whose format dominates
        else:
            pairing.named()
            pairing.worded(anywhere=True)
        return pairing

    def _added(self, ours: Collection[int], theirs: Collection[int]) -> Pairing:
        """Pair additions of ours with additions of theirs."""
        within = {
            at: other for _, at, other in self._sections if at is not None and other is not None
        }
        return Pairing(
            self.texts[THEIRS],
            self.texts[OURS],
            within,
            reminder=self.is_reminders,
            only=(theirs, ours),
        )

    def _is_one(self, ours: int, theirs: int) -> bool:
        """Return whether two additions are the same; different texts stay separate."""
        one, other = self.texts[OURS].units[ours], self.texts[THEIRS].units[theirs]
        if not one.is_entry or not self.is_reminders:
            return True
        try:
            together(b"", one.body, other.body, reminder=True)
        except Undecided:
            return False
        return True

    def inside(self, staying: Collection[int]) -> dict[int, _Sequences]:
        """By section, its node numbers in the order of the base, ours and theirs."""
        found: dict[int, _Sequences] = defaultdict(lambda: ([], [], []))
        for side in (BASE, OURS, THEIRS):
            numbers = {node.at[side]: at for at, node in enumerate(self.nodes)}
            for place, unit in enumerate(self.texts[side].units):
                at = numbers[place]
                if at in staying and self.nodes[at].target == self.section_of[side][unit.section]:
                    found[self.nodes[at].target][side].append(at)
        return found


def block_key(one: Unit) -> tuple[str, bytes] | None:
    """Return the identity of an archive block: id and stored text."""
    found = archive.blocks(one.body + b"\n") if one.kind == "block" else []
    return (found[0].id, found[0].text) if found else None
