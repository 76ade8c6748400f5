"""The latest additions to a memory file, so that an editor's older copy loses none of them.

An editor or a tool that read the file before Mind added a line, and saves its copy afterwards,
drops that line without anybody noticing. So the latest additions are remembered in
``.mind/.recent.tmp/NAME``: where each stands, what it says, and what the file looked like then.
Whoever works on the file next compares: one look at the file's stamp in the usual case, all of
the file only if somebody else wrote it.

What is missing then was taken out on purpose if a later addition is there: whoever saved the file
had both. What was added moments before is put back. Of anything else nobody can tell, so it goes
to the archive; and so does what seems to be taken out while editors overwrite each other, since
nobody meant what they leave. Of what is decided the ring keeps digests: a line that was archived,
and comes back with an editor's copy, is Mind's, not the rewording of another.
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

from mind.storage.files.beside import discard, write_all, written
from mind.storage.files.content import NO_STAMP, Stamp, boundary_of, check
from mind.storage.files.system import cache_of, holds_memory, replace

WINDOW_SECONDS = 10.0
"""An addition that goes away within this time after it was made is put back; one that goes away
later, with all that were made after it, is archived."""

AGAIN_SECONDS = 1.0
"""One that was put back and goes away again within this time fell to the same tool: no person
is so fast. Later it was meant."""

UNREST_SECONDS = 60.0
"""After an addition was put back nobody's deletion is believed for so long."""

SMALL_SECONDS = 4.0
"""A file that has been that small for so long is no longer being saved: that is what it says."""

SMALL = -1
"""The offset in a record without data that says since when the file has been so small."""

MOST_TIMES = 6
"""How often one addition is put back at most."""

FOLDER = ".recent.tmp"
"""In the folder of a memory. Git ignores the name: ``.mind/.gitignore`` has always said so."""

_RING_BYTES = 256 * 1024
"""A ring that grows beyond that forgets its older half."""
_ANCHOR_BYTES = 400
_NEAR_BYTES = 64 * 1024
_BULLETS = tuple(sign + blank for sign in (b"-", b"*", b"+") for blank in (b" ", b"\t"))
_DIGEST_BYTES = 16
_MOST_DIGESTS = 4_000
_SAME, _RESEMBLES = 0.85, 0.6
_MAGIC = b"MINDrec1"
_HEAD = struct.Struct("<8sqqQQqBBHHI")  # see _packed
_TAIL = struct.Struct("<I8s")
_NANO = 10**9


class Addition(NamedTuple):
    """One addition.

    Attributes:
        data: The bytes; ``b""`` in a record that only notes the stamp, or digests.
        offset: Where they stood.
        at: When they were written, in nanoseconds since 1970.
        anchor: The lines before and after them, as :func:`anchor_of` them; without ``data``, the
            digests that :func:`decided` keeps.
        branch: What git had checked out, the same.
        times: How often they were put back; 0 again once the file has them only once.
        owed: They are missing and have to be put back when the file is quiet.
        left_out: They are missing, and nobody can tell why; they have to be archived.
        follows_left_out: Some record before this one is ``left_out``.
        stamp: Of the file after this addition; :data:`NO_STAMP` if it has to be compared anyway.
    """

    data: bytes
    offset: int
    at: int
    anchor: bytes = b""
    branch: bytes = b""
    times: int = 0
    owed: bool = False
    left_out: bool = False
    follows_left_out: bool = False
    stamp: Stamp = NO_STAMP


def decided(record: Addition) -> Addition:
    """Return what is kept of an addition whose fate is known: enough to know its lines again."""
    lines = _key_lines(record.data)[:_MOST_DIGESTS]
    return Addition(b"", 0, record.at, anchor=b"".join(map(digest_of, lines)))


class Ring:
    """The additions to one file; whoever writes it holds the lock of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def last(self) -> Addition | None:
        """The newest record; one whose stamp fits nothing if the ring was cut short by a crash."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            try:
                return self._last_of(descriptor)
            finally:
                os.close(descriptor)
        return None

    @staticmethod
    def _last_of(descriptor: int) -> Addition | None:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if not size:
            return None
        broken = Addition(b"", 0, time.time_ns())
        if size < _TAIL.size:
            return broken
        os.lseek(descriptor, size - _TAIL.size, os.SEEK_SET)
        length, magic = _TAIL.unpack(os.read(descriptor, _TAIL.size))
        if magic != _MAGIC or length + _TAIL.size > size:
            return broken
        os.lseek(descriptor, size - _TAIL.size - length, os.SEEK_SET)
        return next(iter(_unpacked(os.read(descriptor, length + _TAIL.size))), broken)

    def vouches_for(self, found: Stamp) -> bool:
        """Return whether nothing is missing from a file with this stamp."""
        last = self.last()
        return last is None or last.stamp == found

    def load(self) -> list[Addition]:
        """All records that can be read, oldest first."""
        try:
            return _unpacked(self.path.read_bytes())
        except OSError:
            return []

    def add(self, record: Addition) -> bool:
        """Append ``record``; of too many the older half goes.

        Returns:
            False if it cannot be written; that costs only the protection.
        """
        last = self.last()
        if last is not None:
            record = record._replace(follows_left_out=last.follows_left_out)
        packed = _packed(record)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            descriptor = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o600)
            try:
                size = os.lseek(descriptor, 0, os.SEEK_END)
                write_all(descriptor, packed)
            finally:
                os.close(descriptor)
            if size + len(packed) > _RING_BYTES:
                self.save(_newer_half(self.load()))
            return True
        return False

    def save(self, records: Sequence[Addition]) -> None:
        """Keep ``records`` alone. Failing costs only the protection."""
        if not records:
            discard(self.path)
            return
        left_out = any(one.left_out for one in records)
        records = [*records[:-1], records[-1]._replace(follows_left_out=left_out)]
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
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
    ring = cache.parent / FOLDER / path.stem
    check(ring)
    return Ring(ring)


def _is_in_memory(path: Path) -> bool:
    boundary = boundary_of(path)
    if boundary is None:
        return holds_memory(path.parent)
    return str(path.parent) in (boundary.folder, boundary.state)


def insertion(before: bytes, after: bytes) -> tuple[int, bytes] | None:
    """Find where whole lines were inserted into ``before``, if that is all that changed."""
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
    """Return what git has checked out where ``path`` is: switching branches is no accident."""
    head = path.absolute().parent.parent / ".git" / "HEAD"
    try:
        return digest_of(head.read_bytes()[:200]) if head.is_file() else b""
    except OSError:
        return b""


def anchor_of(before: bytes, after: bytes = b"") -> bytes:
    """The last line of ``before`` that is not blank, and the first one of ``after``."""
    above, below = _lines(before[-_NEAR_BYTES:]), _lines(after[:_NEAR_BYTES])
    return digest_of(above[-1] if above else b"") + digest_of(below[0] if below else b"")


def digest_of(text: bytes) -> bytes:
    """Shorten the user's own words, which may hold a credential, to what can be compared."""
    return blake2b(text[:_ANCHOR_BYTES], digest_size=_DIGEST_BYTES).digest()


def _newer_half(records: Sequence[Addition]) -> list[Addition]:
    """The newer of ``records``, and those for which something has yet to be done."""
    room = _RING_BYTES // 2
    kept = []
    for one in reversed(records):
        room -= len(_packed(one))
        if room > 0 or one.owed or one.left_out:
            kept.append(one)
    return kept[::-1]


def _packed(record: Addition) -> bytes:
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
        record.owed | record.left_out << 1 | record.follows_left_out << 2,
        len(anchor),
        len(branch),
        len(record.data),
    )
    return head + body + _TAIL.pack(len(head) + len(body), _MAGIC)


def _unpacked(source: bytes) -> list[Addition]:
    found = []
    at = 0
    while at + _HEAD.size <= len(source):
        magic, when, offset, inode, size, modified, times, flags, first, second, third = (
            _HEAD.unpack_from(source, at)
        )
        start = at + _HEAD.size
        middle, end = start + first, start + first + second + third
        if magic != _MAGIC or source[end : end + _TAIL.size] != _TAIL.pack(end - at, _MAGIC):
            break
        found.append(
            Addition(
                data=source[middle + second : end],
                offset=offset,
                at=when,
                anchor=source[start:middle],
                branch=source[middle : middle + second],
                times=times,
                owed=bool(flags & 1),
                left_out=bool(flags & 2),
                follows_left_out=bool(flags & 4),
                stamp=Stamp(inode, size, modified),
            )
        )
        at = end + _TAIL.size
    return found


# --- what is missing ----------------------------------------------------------------------


def least_size(records: Sequence[Addition]) -> int:
    """A quarter of the bytes that the file had last: one of fewer is being saved, or torn."""
    known = (one.stamp.size for one in reversed(records) if one.stamp != NO_STAMP)
    return next(known, 0) // 4


def small_since(records: Sequence[Addition], now: int) -> int:
    """The time when the file was first seen below :func:`least_size`; ``now`` by default."""
    return next((one.at for one in records if one.offset == SMALL), now)


def doubled(records: Sequence[Addition], content: bytes) -> list[Addition]:
    """Those that were put back into a file whose editor had them after all: it has them twice."""
    there = Counter(_lines(content))
    known = Counter(line for one in records for line in _key_lines(one.data))
    return [
        one
        for one in records
        if one.times and all(there[line] > known[line] for line in _key_lines(one.data))
    ]


def without(content: bytes, record: Addition) -> bytes:
    """``content`` without the last copy of what ``record`` added, if it stands in there twice."""
    data = b"\n" + record.data.strip(b"\r\n")
    first, last = content.find(data), content.rfind(data)
    end = last + len(data)
    if first == last or content[end : end + 1] not in (b"", b"\n", b"\r"):
        return content
    return content[:last] + content[end:]


class AdditionFates(NamedTuple):
    """The fate of the additions: still there, to be put back, to be archived, decided."""

    kept: list[Addition]
    lost: list[Addition]
    left_out: list[Addition]
    decided: list[Addition]


def judge(  # noqa: PLR0913 - what is known of a file
    records: Sequence[Addition],
    content: bytes,
    *,
    modified: int,
    now: int,
    branch: bytes,
    is_small: bool = False,
) -> AdditionFates:
    """Tell what is there, what an older copy lacks, and of what nobody can tell why it is gone.

    What was taken out on purpose, or reworded, is decided.

    Args:
        records: The ring, oldest first.
        content: The file.
        modified: When it was last written.
        now: Both in nanoseconds since 1970.
        branch: What git has checked out.
        is_small: It has lost most of its bytes. If editors overwrite each other, one of them read
            a file that another had just emptied: nobody means that.
    """
    found, missing, meant = _compared(records, content)
    known = _digests(records) if missing else frozenset()
    is_torn = is_small and _is_restless(records, modified)
    for record in missing:
        if record.owed:
            found.lost.append(record)
        elif (resemblance := _reworded(record, content, known)) >= _SAME:
            meant.append(record)
        elif resemblance >= _RESEMBLES:  # both would stand side by side
            found.left_out.append(record._replace(left_out=True))
        elif _is_accident(record, modified, now, branch) or (
            is_torn and record.times < MOST_TIMES and record.branch == branch
        ):
            found.lost.append(record)
        elif record.branch == branch:
            found.left_out.append(record._replace(left_out=True))
        else:
            found.decided.append(decided(record))
    if _is_restless([*records, *found.lost], modified):
        found.left_out.extend(one._replace(left_out=True) for one in meant)
    else:
        found.decided.extend(map(decided, meant))
    return found


def _is_restless(records: Sequence[Addition], modified: int) -> bool:
    """Tell whether an older copy overwrote an addition shortly before the file was written."""
    return any(
        (one.times or one.owed) and modified - one.at < UNREST_SECONDS * _NANO for one in records
    )


def _compared(
    records: Sequence[Addition], content: bytes
) -> tuple[AdditionFates, list[Addition], list[Addition]]:
    """Return what is known of ``records`` already, what is missing, and what a person took out."""
    there = Counter(_lines(content))
    found = AdditionFates([], [], [], [])
    missing: list[Addition] = []
    meant: list[Addition] = []
    for record in records:
        if record.left_out:
            found.left_out.append(record)
        elif not record.data:
            found.decided.extend([record] if record.anchor else [])
        elif not _taken(_key_lines(record.data), there):
            missing.append(record)
        else:
            found.kept.append(record._replace(owed=False))
            if missing and _is_vouched(record):
                missing, taken_out = _divided(missing, record, content)
                meant.extend(taken_out)
    return found, missing, meant


def _divided(
    missing: Sequence[Addition], later: Addition, content: bytes
) -> tuple[list[Addition], list[Addition]]:
    """Divide what is missing: perhaps by accident, or taken out by whoever had ``later`` too.

    What stands behind a deleted line moves up. If ``later`` did not, an editor that had emptied
    the file wrote its older copy over the beginning of what was added meanwhile.
    """
    stays = content.startswith(later.data, later.offset)
    missed: list[Addition] = []
    taken_out: list[Addition] = []
    for one in missing:
        by_accident = one.owed or (stays and one.offset < later.offset)
        (missed if by_accident else taken_out).append(one)
    return missed, taken_out


def _digests(records: Sequence[Addition]) -> frozenset[bytes]:
    """Of every line that Mind is known to have added, though it may be gone since."""
    kept = (one.anchor for one in records if not one.data)
    added = (digest_of(line) for one in records for line in _key_lines(one.data))
    size = _DIGEST_BYTES
    return frozenset(added).union(
        one[at : at + size] for one in kept for at in range(0, len(one), size)
    )


def _is_vouched(record: Addition) -> bool:
    """Return whether all that was added earlier was there too when ``record`` was added."""
    return record.stamp != NO_STAMP and not record.times and not record.owed


def is_in(data: bytes, content: bytes) -> bool:
    """Return whether the lines of ``data`` are in ``content``, wherever they stand."""
    return _taken(_key_lines(data), Counter(_lines(content)))


def are_in(records: Sequence[Addition], content: bytes) -> bool:
    """Return whether all that was added is in ``content``, but for what has to be archived."""
    there = Counter(_lines(content))
    return all(_taken(_key_lines(one.data), there) for one in records if not one.left_out)


def remaining(records: Sequence[Addition], source: bytes, after: bytes) -> list[Addition]:
    """The records; those that are in ``source`` and no longer in ``after`` are decided.

    The caller holds a lock, and of a busy memory there are hundreds: both are cut once.
    """
    before, since = Counter(_lines(source)), Counter(_lines(after))

    def is_taken_out(record: Addition) -> bool:
        lines = _key_lines(record.data)
        return bool(lines) and _holds(before, lines) and not _holds(since, lines)

    return [decided(one) if is_taken_out(one) else one for one in records]


def _taken(lines: Sequence[bytes], there: "Counter[bytes]") -> bool:
    if not _holds(there, lines):
        return False
    there.subtract(lines)
    return True


def _holds(there: "Counter[bytes]", lines: Sequence[bytes]) -> bool:
    return all(there[line] >= count for line, count in Counter(lines).items())


def _lines(content: bytes) -> list[bytes]:
    """Lines without what may change and says nothing: line ends, bullets, white space around."""
    stripped = map(bytes.strip, content.replace(b"\r", b"\n").split(b"\n"))
    bare = (line[2:].lstrip() if line[:2] in _BULLETS else line for line in stripped)
    return [line for line in bare if line]


def _key_lines(data: bytes) -> list[bytes]:
    """The lines that make an addition; headings that came with it only if there is nothing else."""
    lines = _lines(data)
    return [line for line in lines if not line.startswith(b"#")] or lines


def _is_accident(record: Addition, modified: int, now: int, branch: bytes) -> bool:
    limit = AGAIN_SECONDS if record.times else WINDOW_SECONDS
    soon = min(now, modified) - record.at < limit * _NANO
    return soon and record.times < MOST_TIMES and record.branch == branch


def _reworded(record: Addition, content: bytes, known: frozenset[bytes]) -> float:
    """Return how much the line in its place resembles the addition, 0–1; 0 if none does.

    That is a line that follows the same one as before and is not Mind's; the line that followed
    the addition before is not meant.
    """
    if record.times:  # it was missing before
        return 0.0
    lines = [line[:_ANCHOR_BYTES] for line in _lines(content)]
    digests = list(map(digest_of, lines))
    above, below = record.anchor[:_DIGEST_BYTES], record.anchor[_DIGEST_BYTES:]
    if digests.count(above) != 1:
        return 0.0
    at = digests.index(above) + 1
    came_along = {line[:_ANCHOR_BYTES] for line in _lines(record.data)}
    while at < len(lines) and lines[at] in came_along:  # a heading
        at += 1
    following = lines[at : at + 1] if digests[at : at + 1] != [below] else []
    mine = _key_lines(record.data)
    if not following or not mine or digests[at] in known:
        return 0.0
    from difflib import SequenceMatcher  # noqa: PLC0415 - only when something is missing

    one, other = (
        line[:_ANCHOR_BYTES].decode("utf-8", "replace") for line in (mine[0], following[0])
    )
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
