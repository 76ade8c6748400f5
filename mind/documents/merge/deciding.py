"""What becomes of one thing that two sides may have changed."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from mind.documents.merge.nodes import BASE, OURS, THEIRS, Node, Versions
from mind.documents.merge.parts import Undecided, parts, together
from mind.documents.merge.units import Unit

Textual = Callable[[bytes, bytes, bytes, int], tuple[bytes, int]]
"""Base, ours, theirs and the size of a marker → the text, and how many conflicts it has."""

_LONGEST = 80
_REASON = re.compile(rb"^- reason: ([^\r\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person should know of a merge.

    Attributes:
        what: "conflict" if it is left to them; "kept" if what one side took away was changed on
            the other; "done" if a reminder was completed on one side and changed on the other.
        about: The beginning of what it is about.
        text: In words.
    """

    what: str
    about: str
    text: str


@dataclass(slots=True)
class Decided:
    """What becomes of a node.

    Attributes:
        body: Its bytes, without the end of the last line.
        stays: Whether it is in the merged file.
        closing: What has to close it, if anything comes after it.
        notice: What to tell.
        conflicts: How many things are left to a person.
    """

    body: bytes
    stays: bool = True
    closing: bytes = b""
    notice: Notice | None = None
    conflicts: int = 0


def decide(node: Node, versions: Versions, textual: Textual, marks: int) -> Decided:
    """What becomes of ``node``."""
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
    """What both sides changed, or added."""
    if versions.is_archive and ours.kind == "block":
        return _block(ours.body, theirs.body)
    if ours.is_entry and theirs.is_entry:
        return _entry(old, ours.body, theirs.body, versions, marks)
    if ours.kind == "heading":
        return _conflict(ours.body, theirs.body, marks, "heading")
    return _text(old, ours, theirs, textual, marks)


def _taken(one: Unit) -> Decided:
    return Decided(one.body, closing=one.closing)


def _one_sided(base: Unit | None, one: Unit | None, versions: Versions) -> Decided:
    """What only one side has, or none."""
    if one is None:
        return Decided(base.body if base else b"", stays=False)
    made = _taken(one)
    if base is None:
        return made
    if one.body == base.body or (versions.is_archive and one.kind == "block"):
        made.stays = False  # what left the archive is back in memory, or was deleted for good
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
    """Of two that both sides added under one id, the one that has it from its words alone.

    The other was edited since: an entry gets its id written when that happens.
    """
    named = [bool(parts(one, reminder=False).id) for one in (ours, theirs)]
    words = [parts(one, reminder=False).words for one in (ours, theirs)]
    if named[0] == named[1] or words[0] == words[1]:
        return None
    return theirs if named[0] else ours


def _block(ours: bytes, theirs: bytes) -> Decided:
    """One block of what both sides took to the archive: the first by day, with both reasons."""
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
    """The beginning of what somebody wrote."""
    text = " ".join(body.decode("utf-8", "replace").split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
