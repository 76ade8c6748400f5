"""The lines of a transcript, one at a time, whatever their number, length and state."""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

Record = dict[str, Any]

_LONGEST = 32 * 1024 * 1024
"""Bytes of a line that is read; a longer one is passed over."""
_HEAD = 400
_FIRST = re.compile(rb'\{\s*"type"\s*:\s*"(?!user"|assistant")')
"""The beginning of a line of book-keeping: they name their type first."""
_ATTACHED = re.compile(rb'"attachment"\s*:\s*[{"]')
_QUEUED = re.compile(rb'"attachment"\s*:\s*\{\s*"type"\s*:\s*"queued_command"')
"""What the person says while the agent is at work is attached."""
_SPOKEN = re.compile(rb'"type"\s*:\s*"(?:user|assistant)"')
_TYPES = frozenset({"user", "assistant", "attachment"})
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def looked_at(path: Path, size: int | None = None) -> Iterator["Limited"]:
    """A file to read lines from; an empty one if it is not there, no file, or a link.

    Args:
        path: Which.
        size: Bytes after which nothing more is read; None for all.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK)
    except OSError:
        yield Limited(BytesIO(), 0)
        return
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        yield Limited(BytesIO(), 0)
        return
    with os.fdopen(handle, "rb", buffering=1 << 20) as source:
        yield Limited(source, size)


class Limited:
    """A file of which no more than ``size`` bytes are read; ``done`` tells how many were."""

    def __init__(self, source: BinaryIO, size: int | None) -> None:
        self._source = source
        self._size = size
        self.done = 0

    def lines(self) -> Iterator[bytes]:
        """Its lines, without those that are too long."""
        while self._size is None or self.done < self._size:
            line = self._next()
            if not line:
                return
            if len(line) >= _LONGEST and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = self._next()
                continue
            yield line

    def _next(self) -> bytes:
        try:
            line = self._source.readline(_LONGEST)
        except OSError:  # a disk that fails tells no more
            line = b""
        self.done += len(line)
        return line


def records(source: Limited, progress: Callable[[int], None] | None = None) -> Iterator[Record]:
    """What a person or the agent said or did, as Claude Code wrote it down.

    Lines of other types are passed over without being parsed, where their bytes tell; damaged ones
    are passed over too.

    Args:
        source: The file.
        progress: Told how many bytes were read, about every four million.
    """
    told = 0
    for line in source.lines():
        if progress and source.done - told >= 1 << 22:
            told = source.done
            progress(told)
        record = None if _is_noise(line) else _parsed(line)
        if record is not None and record.get("type") in _TYPES:
            yield record


def _is_noise(line: bytes) -> bool:
    head = line[:_HEAD]
    if _QUEUED.search(head):
        return False
    if _FIRST.match(head) or not _SPOKEN.search(line):
        return True
    attached, said = _ATTACHED.search(head), head.find(b'"message"')
    return attached is not None and (said < 0 or attached.start() < said)


def _parsed(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
