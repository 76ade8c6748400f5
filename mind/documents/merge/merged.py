"""The merge: units of three versions become one text."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mind.documents.merge import pairing
from mind.documents.merge.pairing import BASE, OURS, THEIRS, Node, Versions
from mind.documents.merge.units import BOM, Undecided, Unit, cut, parts, style, together

Textual = Callable[[bytes, bytes, bytes, int], tuple[bytes, int]]
"""Base, ours, theirs and marker size → the merged text and its number of conflicts."""

_LONGEST = 80
_REASON = re.compile(rb"^- reason: ([^\r\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about the merge for a person.

    Attributes:
        what: "conflict" if they must decide; "kept" if one side removed an item that the other
            changed; "done" if one side completed a reminder that the other changed.
        about: The beginning of the affected text.
        text: The message.
    """

    what: str
    about: str
    text: str


@dataclass(slots=True)
class Decided:
    """The merge result for a node.

    Attributes:
        body: Its bytes, without the end of the last line.
        stays: Whether it is in the merged file.
        closing: Text that must close it if anything follows.
        notice: Notice for the user.
        conflicts: Number of conflicts.
    """

    body: bytes
    stays: bool = True
    closing: bytes = b""
    notice: Notice | None = None
    conflicts: int = 0


def decide(node: Node, versions: Versions, textual: Textual, marks: int) -> Decided:
    """Decide how ``node`` is merged."""
    base, ours, theirs = (versions.unit(node, side) for side in (BASE, OURS, THEIRS))
    if ours is None or theirs is None:
        return _one_sided(base, ours or theirs, versions)
    if ours.body == theirs.body or (base and theirs.body == base.body):
        return _taken(ours)
    if base and ours.body == base.body:
        return _taken(theirs)
    return _both(base.body if base else b"", ours, theirs, versions, textual, marks)


def _both(  # noqa: PLR0913, PLR0917 - three versions, and how to merge them
    old: bytes, ours: Unit, theirs: Unit, versions: Versions, textual: Textual, marks: int
) -> Decided:
    """Merge a unit that both sides changed or added."""
    if versions.is_archive and ours.kind == "block":
        return _block(ours.body, theirs.body)
    if ours.is_entry or theirs.is_entry:  # a correction makes a paragraph a line
        return _entry(old, ours.body, theirs.body, versions, marks)
    if ours.kind == "heading":
        return _conflict(ours.body, theirs.body, marks, "heading")
    return _text(old, ours, theirs, textual, marks)


def _taken(one: Unit) -> Decided:
    return Decided(one.body, closing=one.closing)


def _one_sided(base: Unit | None, one: Unit | None, versions: Versions) -> Decided:
    """Merge a unit that only one side has, or none."""
    if one is None:
        return Decided(base.body if base else b"", stays=False)
    made = _taken(one)
    if base is None:
        return made
    if one.body == base.body or (versions.is_archive and one.kind == "block"):
        made.stays = False  # a block removed from the archive was restored or permanently deleted
        return made
    what = "entry" if one.is_entry else "text"
    made.notice = Notice(
        "kept", about(one.body), f"{what} taken away on one side and changed on the other: kept"
    )
    return made


def _entry(old: bytes, ours: bytes, theirs: bytes, versions: Versions, marks: int) -> Decided:
    reminder = versions.is_reminders
    original = None if old else _original(ours, theirs)
    if original is not None:
        return Decided(theirs if original is ours else ours)
    try:
        made = Decided(together(old, ours, theirs, reminder=reminder))
    except Undecided:
        return _conflict(ours, theirs, marks, "reminder" if reminder else "entry")
    boxes = {parts(one, reminder=True).box for one in (ours, theirs)} if reminder else set()
    if boxes & {b"x", b"X"} and len(boxes) > 1:
        text = "reminder completed on one side and changed on the other: done, with the change"
        made.notice = Notice("done", about(made.body), text)
    return made


def _original(ours: bytes, theirs: bytes) -> bytes | None:
    """Of two additions with the same id, the one whose id is derived from its text.

    The other was edited afterwards: editing an entry writes its id into it.
    """
    named = [bool(parts(one, reminder=False).id) for one in (ours, theirs)]
    words = [parts(one, reminder=False).words for one in (ours, theirs)]
    if named[0] == named[1] or words[0] == words[1]:
        return None
    return theirs if named[0] else ours


def _block(ours: bytes, theirs: bytes) -> Decided:
    """Merge a block that both sides archived: the earlier one, with both reasons."""
    first, other = sorted((ours, theirs))
    one, more = _REASON.search(first), _REASON.search(other)
    if one and more and one[1] != more[1] and more[1] not in one[1]:
        first = first[: one.end()] + b"; " + more[1] + first[one.end() :]
    return Decided(first)


def _text(old: bytes, ours: Unit, theirs: Unit, textual: Textual, marks: int) -> Decided:
    newline = ours.end or theirs.end or b"\n"
    made, conflicts = textual(
        old + newline if old else b"", ours.body + newline, theirs.body + newline, marks
    )
    body = made.removesuffix(newline)
    notice = None
    if conflicts:
        notice = Notice("conflict", about(ours.body), "text changed differently on both sides")
    return Decided(body, closing=ours.closing or theirs.closing, notice=notice, conflicts=conflicts)


def _conflict(ours: bytes, theirs: bytes, marks: int, what: str) -> Decided:
    newline = b"\r\n" if b"\r\n" in ours + theirs else b"\n"
    lines = (b"<" * marks + b" ours", ours, b"=" * marks, theirs, b">" * marks + b" theirs")
    notice = Notice("conflict", about(ours), f"{what} changed differently on both sides")
    return Decided(newline.join(lines), notice=notice, conflicts=1)


def about(body: bytes) -> str:
    """The beginning of a text."""
    text = " ".join(body.decode("utf-8", "replace").split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


T = TypeVar("T")
_STACKED = {"line", "item", "row"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The result of a three-way merge.

    Attributes:
        source: The file.
        notices: Notices for the user.
        conflicts: Number of conflicts.
    """

    source: bytes
    notices: tuple[Notice, ...] = ()
    conflicts: int = 0


def merge(  # noqa: PLR0913 - three versions, and how to merge them
    base: bytes, ours: bytes, theirs: bytes, name: str, textual: Textual, *, marks: int = 7
) -> Merged:
    """Merge the changes of ``ours`` and ``theirs`` to ``base``.

    Args:
        base: The common ancestor; b"" if there is none.
        ours: One side.
        theirs: The other.
        name: File name: MEMORY.md, REMINDERS.md or ARCHIVE.md, in any folder.
        textual: Line-based merge, as git's, for paragraphs that both changed.
        marks: Length of a conflict marker in characters.
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
    """The versions with the line ends of the side that changed them, if each is uniform."""
    wanted = _either(style(base), style(ours), style(theirs))
    return [
        one.replace(b"\r\n", b"\n").replace(b"\n", wanted)
        if wanted and style(one) not in (b"", wanted)
        else one
        for one in (base, ours, theirs)
    ]


def _either(base: T, ours: T, theirs: T) -> T:
    """Return the changed value; ours if both sides changed it."""
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
            gaps = (text.units[-1].gap if text.units else b"" for text in versions.texts)
            made.append(_either(*gaps))
            break
        if one.closing:
            made += [one.closing, newline]
        made.append(_gap(node, versions.nodes[placed[number + 1]], versions, newline))
    source = b"".join(made)
    if placed and not _either(base.ended, ours.ended, theirs.ended):
        source = source.removesuffix(newline)
    return (BOM if _either(base.bom, ours.bom, theirs.bom) else b"") + source


def _placed(versions: Versions, decided: Sequence[Decided]) -> list[int]:
    """The numbers of the remaining nodes, in file order."""
    nodes = versions.nodes
    staying = {at for at, one in enumerate(decided) if one.stays}
    living = {nodes[at].target for at in staying}
    staying |= {at for at, node in enumerate(nodes) if _heads(node, versions) in living}
    inside = versions.inside(staying)
    placed: list[int] = []
    for section in versions.section_order(living):
        placed += pairing.weave(*inside[section], pairing.one_after_the_other)
    return placed


def _heads(node: Node, versions: Versions) -> int | None:
    """The section that a heading begins; None for other nodes."""
    units = (versions.unit(node, side) for side in (BASE, OURS, THEIRS))
    return node.target if any(one and one.kind == "heading" for one in units) else None


def _gap(one: Node, after: Node, versions: Versions, newline: bytes) -> bytes:
    """The blank lines between two adjacent nodes of the merged file."""
    base, ours, theirs = (_beside(one, after, versions, side) for side in (BASE, OURS, THEIRS))
    if ours is None and theirs is None:
        return _new_gap(one, after, versions, newline)
    if ours is None or theirs is None:
        return ours or theirs or b""
    return theirs if ours == base else ours


def _beside(one: Node, after: Node, versions: Versions, side: int) -> bytes | None:
    """The gap between two nodes in a version where they are adjacent; else None."""
    first, second = one.at[side], after.at[side]
    if first is None or second != first + 1:
        return None
    return versions.texts[side].units[first].gap


def _new_gap(one: Node, after: Node, versions: Versions, newline: bytes) -> bytes:
    """The gap between nodes that were never adjacent; tight between entries of one kind."""
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
