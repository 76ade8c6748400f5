"""The merge itself: units of three versions become one text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from mind.documents.merge import order
from mind.documents.merge.deciding import Decided, Notice, Textual, decide
from mind.documents.merge.nodes import BASE, OURS, THEIRS, Node, Versions
from mind.documents.merge.units import BOM, Text, cut, style

T = TypeVar("T")
_STACKED = {"line", "item", "row"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What became of three versions.

    Attributes:
        source: The file.
        notices: What a person should know.
        conflicts: How many things a person has to decide.
    """

    source: bytes
    notices: tuple[Notice, ...] = ()
    conflicts: int = 0


def merge(  # noqa: PLR0913 - three versions, and how they are told apart
    base: bytes, ours: bytes, theirs: bytes, name: str, textual: Textual, *, marks: int = 7
) -> Merged:
    """What ``ours`` and ``theirs`` each changed in ``base``, together.

    Args:
        base: The common ancestor; b"" if there is none.
        ours: One side.
        theirs: The other.
        name: Of the file: MEMORY.md, REMINDERS.md or ARCHIVE.md, in any folder.
        textual: Merges a paragraph that both changed, as git merges text.
        marks: Characters of a conflict marker.
    """
    if theirs in (ours, base):
        return Merged(source=ours)
    if ours == base:
        return Merged(source=theirs)
    texts = [cut(one, name) for one in _styled(base, ours, theirs)]
    versions = Versions((texts[0], texts[1], texts[2]), name)
    decided = [decide(node, versions, textual, marks) for node in versions.nodes]
    return Merged(
        source=_written(versions, decided, style(ours)),
        notices=tuple(one.notice for one in decided if one.notice),
        conflicts=sum(one.conflicts for one in decided),
    )


def _styled(base: bytes, ours: bytes, theirs: bytes) -> Sequence[bytes]:
    """The versions with the line ends of the side that changed them, where each has one kind."""
    wanted = _either(style(base), style(ours), style(theirs))
    return [
        one.replace(b"\r\n", b"\n").replace(b"\n", wanted)
        if wanted and style(one) not in (b"", wanted)
        else one
        for one in (base, ours, theirs)
    ]


def _either(base: T, ours: T, theirs: T) -> T:
    """What one side changed; what ours has if both did."""
    return theirs if ours == base else ours


def _written(versions: Versions, decided: Sequence[Decided], newline: bytes) -> bytes:
    placed = _placed(versions, decided)
    base, ours, theirs = versions.texts
    newline = _either(base.newline, ours.newline, theirs.newline)
    made = [_either(base.lead, ours.lead, theirs.lead)]
    for number, at in enumerate(placed):
        one, node = decided[at], versions.nodes[at]
        made += [one.body, newline]
        if number + 1 == len(placed):
            made.append(_either(*(_last_gap(text) for text in versions.texts)))
            break
        if one.closing:
            made += [one.closing, newline]
        made.append(_gap(node, versions.nodes[placed[number + 1]], versions, newline))
    source = b"".join(made)
    if placed and not _either(base.ended, ours.ended, theirs.ended):
        source = source.removesuffix(newline)
    return (BOM if _either(base.bom, ours.bom, theirs.bom) else b"") + source


def _last_gap(text: Text) -> bytes:
    return text.units[-1].gap if text.units else b""


def _placed(versions: Versions, decided: Sequence[Decided]) -> list[int]:
    """The numbers of the nodes that stay, in the order in which they stand."""
    nodes = versions.nodes
    staying = {at for at, one in enumerate(decided) if one.stays}
    living = {nodes[at].target for at in staying}
    staying |= {at for at, node in enumerate(nodes) if _heads(node, versions) in living}
    inside = versions.inside(staying)
    placed: list[int] = []
    for section in versions.section_order(living):
        placed += order.weave(*inside[section], order.one_after_the_other)
    return placed


def _heads(node: Node, versions: Versions) -> int | None:
    """The section that a heading begins; None for anything else."""
    units = (versions.unit(node, side) for side in (BASE, OURS, THEIRS))
    return node.target if any(one and one.kind == "heading" for one in units) else None


def _gap(one: Node, after: Node, versions: Versions, newline: bytes) -> bytes:
    """The blank lines between two things that come one after the other in the merged file."""
    told = [_beside(one, after, versions, side) for side in (BASE, OURS, THEIRS)]
    base, ours, theirs = told
    if ours is not None and theirs is not None:
        return theirs if ours == base else ours
    if ours is not None or theirs is not None:
        return ours if ours is not None else theirs or b""
    return _new_gap(one, after, versions, newline)


def _beside(one: Node, after: Node, versions: Versions, side: int) -> bytes | None:
    """The gap between two things, if they stand side by side in one version."""
    first, second = one.at[side], after.at[side]
    if first is None or second != first + 1:
        return None
    return versions.texts[side].units[first].gap


def _new_gap(one: Node, after: Node, versions: Versions, newline: bytes) -> bytes:
    """The gap between what was never side by side: as tight as such things stand, never tighter."""
    gaps = []
    kinds = []
    for side in (THEIRS, OURS):
        unit, follower = versions.unit(one, side), versions.unit(after, side)
        if unit is not None:
            gaps.append(unit.gap)
            kinds.append(unit.kind)
        if follower is not None:
            place = after.at[side] or 0
            gaps.append(versions.texts[side].units[place - 1].gap if place else newline)
            kinds.append(follower.kind)
    if len(set(kinds)) == 1 and kinds[0] in _STACKED:
        return min(gaps, key=len)
    return max(gaps, key=len) or newline
