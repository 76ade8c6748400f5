"""Three versions of a file with what is the same thing in them told."""

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from mind.documents import archive
from mind.documents.merge import order
from mind.documents.merge.pairing import Pairing, Pairs, sections
from mind.documents.merge.parts import Undecided, together
from mind.documents.merge.units import Text, Unit

BASE, OURS, THEIRS = 0, 1, 2
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_Sequences = tuple[list[int], list[int], list[int]]


@dataclass(slots=True)
class Node:
    """One thing: the number of its unit in the base, ours and theirs, and the section it goes to.

    Attributes:
        at: The numbers; None where it is not there.
        target: Number of a section of the merged file.
    """

    at: tuple[int | None, int | None, int | None]
    target: int = 0


class Versions:
    """The base, ours and theirs of one file.

    Args:
        texts: In this order.
        name: Of the file.
    """

    def __init__(self, texts: tuple[Text, Text, Text], name: str) -> None:
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
        """What ``node`` is on a side."""
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
        fresh = [at for at in range(len(ours.sections)) if at not in self._to_base[OURS]]
        others = [at for at in range(len(theirs.sections)) if at not in self._to_base[THEIRS]]
        for at in fresh:
            same = next((one for one in others if theirs.sections[one] == ours.sections[at]), None)
            if same is not None:
                others.remove(same)
            made.append([None, at, same])
        return made + [[None, None, at] for at in others]

    def _section_numbers(self) -> tuple[Pairs, Pairs, Pairs]:
        found: tuple[Pairs, Pairs, Pairs] = ({}, {}, {})
        for number, places in enumerate(self._sections):
            for side, at in enumerate(places):
                if at is not None:
                    found[side][at] = number
        return found

    def section_order(self, living: Collection[int]) -> list[int]:
        """Numbers of the sections that are to stand in the file, in order."""
        base, ours, theirs = (
            [
                self.section_of[side][at]
                for at in range(len(self.texts[side].sections))
                if self.section_of[side][at] in living
            ]
            for side in (BASE, OURS, THEIRS)
        )
        descending = any(self._descends(side) for side in (OURS, THEIRS))
        return order.weave(base, ours, theirs, order.by_day(self._day, descending=descending))

    def _day(self, section: int) -> str:
        """The day in the heading of a section; "" if it is not one of a day."""
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
        same.here()  # what both added is no edit of what one of them took out
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
        """What of a side is in the base, as it was or with other fields."""
        base, own = self.texts[BASE], self.texts[side]
        pairing = Pairing(base, own, self._to_base[side], reminder=self.is_reminders)
        pairing.same()
        if self.is_archive:
            pairing.by(block_key, anywhere=True)
            pairing.leave("block")  # two blocks are alike whatever they keep
        else:
            pairing.named()
            pairing.worded(anywhere=True)
        return pairing

    def _added(self, ours: Collection[int], theirs: Collection[int]) -> Pairing:
        """To pair what ours added with what theirs added."""
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
        """Whether two additions can be one; what says different things stays two."""
        one, other = self.texts[OURS].units[ours], self.texts[THEIRS].units[theirs]
        if not one.is_entry or not self.is_reminders:
            return True
        try:
            together(b"", one.body, other.body, reminder=True)
        except Undecided:
            return False
        return True

    def inside(self, staying: Collection[int]) -> dict[int, _Sequences]:
        """By section the numbers of its nodes, as the base, ours and theirs have them in order."""
        found: dict[int, _Sequences] = defaultdict(lambda: ([], [], []))
        for side in (BASE, OURS, THEIRS):
            numbers = {node.at[side]: at for at, node in enumerate(self.nodes)}
            for place, unit in enumerate(self.texts[side].units):
                at = numbers[place]
                if at in staying and self.nodes[at].target == self.section_of[side][unit.section]:
                    found[self.nodes[at].target][side].append(at)
        return found


def block_key(one: Unit) -> tuple[str, bytes] | None:
    """What tells a block of the archive: the id and the text that it keeps."""
    found = archive.blocks(one.body + b"\n") if one.kind == "block" else []
    return (found[0].id, found[0].text) if found else None
