"""Following the usage log: whether it is the one that was read, and what was added since."""

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

from mind.storage import journal
from mind.storage.files.content import opened, part
from mind.storage.files.faults import translating
from mind.storage.journal import Event

_MOST_NEW = 1 << 20
"""Bytes that are read at once of what is new."""
_MARKED = 128
"""Bytes by which a log is known again: the time of its last event is among them."""
_COUNTED = re.compile(rb'"name":\s*"(?:get|use|alias|log|update|verify|forget)"')


class Extent(NamedTuple):
    """The extent of a log, seen without reading it.

    Attributes:
        archives: A digest of their names; "" if there are none.
        inode: Of the file; 0 if there is none.
        size: Of it, in bytes.
    """

    archives: str = ""
    inode: int = 0
    size: int = 0


def extent(path: Path) -> Extent:
    """The extent of the log: a look at its folder and its file."""
    begin = f"{path.stem}-"
    names = {name.removesuffix(".gz") for name in journal.beside(path) if name.startswith(begin)}
    told = "/".join(sorted(names)).encode("utf-8", "surrogateescape")
    archives = hashlib.blake2b(told, digest_size=8).hexdigest() if names else ""
    with translating(path):
        try:
            status = path.stat()
        except FileNotFoundError:
            return Extent(archives)
    return Extent(archives, status.st_ino, status.st_size)


class Part(NamedTuple):
    """The part of a log from an offset on.

    Attributes:
        events: Those that tell of uses, aliases, and of what was noted, corrected or checked.
        end: Where its whole lines end.
        mark: Tells whether what stands before that is the same later on.
    """

    events: tuple[Event, ...]
    end: int
    mark: str


def since(path: Path, offset: int, mark: str) -> Part | None:
    """The events written behind ``offset``; None if the log before it is not what it was.

    Args:
        path: ``.mind/events.jsonl``.
        offset: Where whole lines ended.
        mark: Of what stood before that, as it was told then.
    """
    begin = max(0, offset - _MARKED)
    with translating(path):
        try:
            descriptor = opened(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            content = part(descriptor, begin, offset - begin + _MOST_NEW)
        finally:
            os.close(descriptor)
    before, added = content[: offset - begin], content[offset - begin :]
    if _mark(before) != mark:
        return None
    end = offset + added.rfind(b"\n") + 1
    lines = [line for line in journal.lines_of(added[: end - offset]) if _COUNTED.search(line)]
    found = tuple(parsed[0] for line in lines if (parsed := journal.event_of(line)))
    return Part(found, end, _mark(content[: end - begin]))


def marked(path: Path, size: int) -> str:
    """The mark of the log up to ``size``."""
    begin = max(0, size - _MARKED)
    with translating(path):
        descriptor = opened(path, os.O_RDONLY)
        try:
            return _mark(part(descriptor, begin, size - begin))
        finally:
            os.close(descriptor)


def _mark(before: bytes) -> str:
    return hashlib.blake2b(before[-_MARKED:], digest_size=4).hexdigest() if before else ""
