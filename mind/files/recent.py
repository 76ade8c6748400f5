"""What was added to a memory file in the last seconds, so that it can be put back.

An editor or a tool that read the file before Mind added a line, and saves its copy just after,
drops that line without anybody noticing. So each addition is remembered for a moment in
``.mind/cache/recent-NAME``: where it stands, what it says, and what the file looked like then.
Whoever works on the file next compares: one look at the file's stamp in the usual case, all of
the file only if somebody else wrote it.
"""

import contextlib
import os
import struct
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mind.files.beside import discard, replace, write_all, written
from mind.files.content import NO_STAMP, Stamp
from mind.files.inside import boundary_of, check
from mind.files.locks import cache_of, holds_memory

WINDOW_SECONDS = 10.0
"""An addition that goes away within this time after it was made is put back."""

AGAIN_SECONDS = 1.0
"""One that was put back and goes away again within this time fell to the same tool: no person
is so fast. Later it was meant."""

MOST_TIMES = 6
"""How often one addition is put back at most."""

_RING_BYTES = 256 * 1024
_ANCHOR_BYTES = 400
_RESEMBLES = 0.85
_MAGIC = b"MINDrec1"
_HEAD = struct.Struct("<8sqqQQqBBHHI")  # see _packed
_TAIL = struct.Struct("<I8s")
_NANO = 10**9


class Record(NamedTuple):
    """One addition.

    Attributes:
        data: The bytes; ``b""`` in a record that only notes the stamp.
        offset: Where they stood.
        at: When they were written, in nanoseconds since 1970.
        anchor: The line before them, if they were the end of the file, as :func:`digest_of` it.
        branch: What git had checked out, the same.
        times: How often they were put back.
        owed: They are missing and have to be put back when the file is quiet.
        stamp: Of the file after this addition; :data:`NO_STAMP` if it has to be compared anyway.
    """

    data: bytes
    offset: int
    at: int
    anchor: bytes = b""
    branch: bytes = b""
    times: int = 0
    owed: bool = False
    stamp: Stamp = NO_STAMP


class Ring:
    """The additions to one file; whoever writes it holds the lock of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def last(self) -> Record | None:
        """The newest record; one whose stamp fits nothing if the ring was cut short by a crash."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            try:
                return self._last_of(descriptor)
            finally:
                os.close(descriptor)
        return None

    @staticmethod
    def _last_of(descriptor: int) -> Record | None:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if not size:
            return None
        broken = Record(b"", 0, time.time_ns())
        if size < _TAIL.size:
            return broken
        os.lseek(descriptor, size - _TAIL.size, os.SEEK_SET)
        length, magic = _TAIL.unpack(os.read(descriptor, _TAIL.size))
        if magic != _MAGIC or length + _TAIL.size > size:
            return broken
        os.lseek(descriptor, size - _TAIL.size - length, os.SEEK_SET)
        return next(iter(_unpacked(os.read(descriptor, length + _TAIL.size))), broken)

    def vouches_for(self, found: Stamp) -> bool:
        """Whether nothing is missing from a file with this stamp."""
        last = self.last()
        return last is None or last.stamp == found

    def load(self) -> list[Record]:
        """All records that can be read, oldest first."""
        try:
            return _unpacked(self.path.read_bytes())
        except OSError:
            return []

    def add(self, record: Record) -> bool:
        """Append ``record``; what is long past goes.

        Returns:
            False if it cannot be written; that costs only the protection.
        """
        packed = _packed(record)
        last = self.last()
        stale = last is not None and last.stamp != NO_STAMP and _is_past(last, record.at)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if stale else 0)
        with contextlib.suppress(OSError):
            descriptor = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o600)
            try:
                size = os.lseek(descriptor, 0, os.SEEK_END)
                write_all(descriptor, packed)
            finally:
                os.close(descriptor)
            if size // _RING_BYTES != (size + len(packed)) // _RING_BYTES:
                self.save([one for one in self.load() if one.owed or not _is_past(one, record.at)])
            return True
        return False

    def save(self, records: Sequence[Record]) -> None:
        """Keep ``records`` alone. Failing costs only the protection."""
        if not records:
            discard(self.path)
            return
        with contextlib.suppress(OSError):
            new = written(self.path, b"".join(map(_packed, records)), mode=0o600, sync=False)
            try:
                replace(new, self.path)
            finally:
                discard(new)


def ring_of(path: Path) -> Ring | None:
    """The ring of a memory file: of a Markdown file in a memory itself, and of no other."""
    if path.suffix != ".md" or not _is_in_memory(path.absolute()):
        return None
    cache = cache_of(path)
    if cache is None:
        return None
    ring = cache / f"recent-{path.stem}"
    check(ring)
    return Ring(ring)


def _is_in_memory(path: Path) -> bool:
    boundary = boundary_of(path)
    if boundary is None:
        return holds_memory(path.parent)
    return str(path.parent) in (boundary.folder, boundary.state)


def insertion(before: bytes, after: bytes) -> tuple[int, bytes] | None:
    """Where whole lines were inserted into ``before``, and which, if that is all that changed."""
    count = len(after) - len(before)
    if count <= 0:
        return None
    start = _common_length(before, after)
    if before[start:] != after[start + count :]:
        return None
    while (
        start
        and before[start - 1 : start] != b"\n"
        and after[start - 1] == after[start + count - 1]
    ):
        start -= 1  # the same text, seen as beginning where a line begins
    whole_lines = not start or before[start - 1 : start] == b"\n" or start == len(before)
    return (start, after[start : start + count]) if whole_lines else None


def _common_length(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def branch_of(path: Path) -> bytes:
    """What git has checked out where ``path`` is: switching branches is no accident."""
    head = path.absolute().parent.parent / ".git" / "HEAD"
    try:
        return digest_of(head.read_bytes()[:200]) if head.is_file() else b""
    except OSError:
        return b""


def anchor_of(before: bytes) -> bytes:
    """The last line of ``before`` that is not blank."""
    return digest_of(before.rstrip().rpartition(b"\n")[2].strip())


def digest_of(text: bytes) -> bytes:
    """What is kept of the user's own words, which may hold a credential: enough to compare."""
    return blake2b(text[:_ANCHOR_BYTES], digest_size=16).digest()


def _is_past(record: Record, now: int) -> bool:
    return not 0 <= now - record.at <= WINDOW_SECONDS * _NANO


def _packed(record: Record) -> bytes:
    anchor, branch = record.anchor, record.branch
    body = anchor + branch + record.data
    head = _HEAD.pack(
        _MAGIC,
        record.at,
        record.offset,
        record.stamp.inode,
        record.stamp.size,
        record.stamp.modified,
        record.times,
        record.owed,
        len(anchor),
        len(branch),
        len(record.data),
    )
    return head + body + _TAIL.pack(len(head) + len(body), _MAGIC)


def _unpacked(source: bytes) -> list[Record]:
    found = []
    at = 0
    while at + _HEAD.size <= len(source):
        magic, when, offset, inode, size, modified, times, owed, first, second, third = (
            _HEAD.unpack_from(source, at)
        )
        start = at + _HEAD.size
        middle, end = start + first, start + first + second + third
        if magic != _MAGIC or source[end : end + _TAIL.size] != _TAIL.pack(end - at, _MAGIC):
            break
        found.append(
            Record(
                data=source[middle + second : end],
                offset=offset,
                at=when,
                anchor=source[start:middle],
                branch=source[middle : middle + second],
                times=times,
                owed=bool(owed),
                stamp=Stamp(inode, size, modified),
            )
        )
        at = end + _TAIL.size
    return found


# --- what is missing ----------------------------------------------------------------------


class Verdict(NamedTuple):
    """What became of the additions: those still there, and those to put back."""

    kept: list[Record]
    lost: list[Record]


def judge(
    records: Sequence[Record], content: bytes, *, modified: int, now: int, branch: bytes
) -> Verdict:
    """Tell what is there, what was lost to an older copy, and what was taken out on purpose.

    Args:
        records: The ring, oldest first.
        content: The file.
        modified: When it was last written.
        now: Both in nanoseconds since 1970.
        branch: What git has checked out.
    """
    there = Counter(_lines(content))
    known = {line for record in records for line in _key_lines(record.data)}
    kept, lost = [], []
    for record in records:
        if not record.data:
            continue
        if _taken(_key_lines(record.data), there):
            if not _is_past(record, now):
                kept.append(record._replace(owed=False))
        elif _is_accident(record, modified, now, branch) and not _was_edited(
            record, content, known
        ):
            lost.append(record)
    return Verdict(kept, lost)


def is_in(data: bytes, content: bytes) -> bool:
    """Whether the lines of ``data`` are in ``content``, wherever they stand."""
    return _taken(_key_lines(data), Counter(_lines(content)))


def remaining(records: Sequence[Record], source: bytes, after: bytes) -> list[Record]:
    """The records but those that are in ``source`` and no longer in ``after``.

    The caller holds a lock, and of a busy memory there are hundreds: both are cut once.
    """
    before, since = Counter(_lines(source)), Counter(_lines(after))

    def is_taken_out(record: Record) -> bool:
        lines = _key_lines(record.data)
        return _holds(before, lines) and not _holds(since, lines)

    return [one for one in records if not (one.data and is_taken_out(one))]


def _taken(lines: Sequence[bytes], there: "Counter[bytes]") -> bool:
    if not _holds(there, lines):
        return False
    there.subtract(lines)
    return True


def _holds(there: "Counter[bytes]", lines: Sequence[bytes]) -> bool:
    return all(there[line] >= count for line, count in Counter(lines).items())


def _lines(content: bytes) -> list[bytes]:
    """Lines without what an editor may change by itself: line ends and white space around them."""
    return [line for line in map(bytes.strip, content.split(b"\n")) if line]


def _key_lines(data: bytes) -> list[bytes]:
    """The lines that make an addition; headings that came with it only if there is nothing else."""
    lines = _lines(data)
    return [line for line in lines if not line.startswith(b"#")] or lines


def _is_accident(record: Record, modified: int, now: int, branch: bytes) -> bool:
    if record.owed:
        return True
    limit = AGAIN_SECONDS if record.times else WINDOW_SECONDS
    soon = min(now, modified) - record.at < limit * _NANO
    return soon and record.times < MOST_TIMES and record.branch == branch


def _was_edited(record: Record, content: bytes, known: set[bytes]) -> bool:
    """Whether a person reworded the line: a similar one that is not ours follows its anchor."""
    if record.owed or record.times:  # it was missing before
        return False
    lines = [line[:_ANCHOR_BYTES] for line in _lines(content)]
    digests = list(map(digest_of, lines))
    if digests.count(record.anchor) != 1:
        return False
    following = lines[digests.index(record.anchor) + 1 :][:1]
    mine = _key_lines(record.data)
    if not following or not mine or following[0] in {line[:_ANCHOR_BYTES] for line in known}:
        return False
    from difflib import SequenceMatcher  # noqa: PLC0415 - only when something is missing

    one, other = (
        line[:_ANCHOR_BYTES].decode("utf-8", "replace") for line in (mine[0], following[0])
    )
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _RESEMBLES
