"""Recent additions to a memory file, protected against older copies in editors.

A program that read the file before Mind added a line, and saves its copy afterwards, silently drops
that line. So the latest additions are recorded in ``.mind/.recent.tmp/NAME``: offset, text, and
the file's stamp afterwards. The next access compares: usually only the stamp, and the whole file
only if another program wrote it.

A missing addition was deleted on purpose if git took it out, or if a later addition is present,
because the program that saved the file had both. If it was added moments before, it is restored. In
all other cases, and while editors overwrite each other, it is archived, since the intent is
unknown. For decided additions the ring keeps digests, so that an archived line that returns with an
editor's copy is recognised as Mind's and not taken for a rewording.
"""

import contextlib
import os
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mind.storage.files.beside import discard, write_all, written
from mind.storage.files.content import (
    NO_STAMP,
    GitVersions,
    Stamp,
    boundary_of,
    check,
    held,
    part,
)
from mind.storage.files.system import BINARY, holds_memory, replace

WINDOW_SECONDS = 10.0
"""An addition that vanishes within this time is restored; one that vanishes later, together with
all later additions, is archived."""

AGAIN_SECONDS = 1.0
"""A restored addition that vanishes within this time was dropped by the same tool; people are not
that fast. Later it was deleted on purpose."""

UNREST_SECONDS = 60.0
"""Period after a restoration in which no deletion counts as intended."""

SMALL_SECONDS = 4.0
"""Time after which a shrunken file counts as complete rather than still being saved."""

SMALL = -1
"""Offset in a record without data that notes since when the file has been small."""

MOST_TIMES = 40
"""Most times one addition is restored. Every editor that read the file before a restoration may
save its copy once, and others read that copy before the next restoration."""

_LONGEST_WAIT = 8
"""Longest wait for a restoration: so many times the seconds after which a file counts as complete.
The sooner it comes, the fewer editors read a file without the addition."""

FOLDER = ".recent.tmp"
"""Name in the memory's folder; every version of ``.mind/.gitignore`` ignores it."""

_RING_BYTES = 256 * 1024
"""Size at which a ring drops its older half."""
_ANCHOR_BYTES = 400
_NEAR_BYTES = 64 * 1024
_BULLETS = tuple(sign + blank for sign in (b"-", b"*", b"+") for blank in (b" ", b"\t"))
_DIGEST_BYTES = 16
_MOST_DIGESTS = 4_000
_COMPARED = 4_000
_SIMILAR = 0.6
_MAGIC = b"MINDrec2"
_HEAD = struct.Struct("<8sqqQQqBBHI")  # layout: see _packed
_TAIL = struct.Struct("<I8s")
_NANO = 10**9


class Addition(NamedTuple):
    """One addition.

    Attributes:
        data: The bytes; ``b""`` in a record of only a stamp or digests.
        offset: Their position.
        at: Time of writing, in nanoseconds since 1970.
        anchor: Digest of the lines before and after (:func:`anchor_of`); without ``data``, the
            digests kept by :func:`decided`.
        times: Number of restorations; 0 again once the file has them only once, or they stood for
            ``UNREST_SECONDS``.
        owed: Missing, and to be restored once the file is quiet.
        left_out: Missing for an unknown reason, and to be archived.
        follows_left_out: Some earlier record is ``left_out``.
        was_restored: It was missing once: an editor that read it twice may save both copies.
        aside: Git took it out of the file and has it.
        stamp: Stamp of the file after this addition; :data:`NO_STAMP` forces a comparison.
    """

    data: bytes
    offset: int
    at: int
    anchor: bytes = b""
    times: int = 0
    owed: bool = False
    left_out: bool = False
    follows_left_out: bool = False
    was_restored: bool = False
    aside: bool = False
    stamp: Stamp = NO_STAMP


def decided(record: Addition) -> Addition:
    """Reduced record of a decided addition: enough to recognise its lines."""
    lines = _key_lines(record.data)[:_MOST_DIGESTS]
    return Addition(b"", 0, record.at, anchor=b"".join(map(digest_of, lines)))


class Ring:
    """Additions to one file; writing requires the lock of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def last(self) -> Addition | None:
        """The newest record; one whose stamp matches nothing if a crash truncated the ring."""
        with (
            contextlib.suppress(OSError),
            held(os.open(self.path, os.O_RDONLY | BINARY)) as descriptor,
        ):
            return self._last_of(descriptor)
        return None

    @staticmethod
    def _last_of(descriptor: int) -> Addition | None:
        size = os.lseek(descriptor, 0, os.SEEK_END)  # another process may append meanwhile
        if not size:
            return None
        tail = part(descriptor, max(0, size - _TAIL.size), _TAIL.size)
        length, magic = _TAIL.unpack(tail) if len(tail) == _TAIL.size else (0, b"")
        length += _TAIL.size
        begin = max(0, size - length)
        found = _unpacked(part(descriptor, begin, length)) if magic == _MAGIC else []
        return found[0] if len(found) == 1 else Addition(b"", 0, time.time_ns())

    def vouches_for(self, found: Stamp) -> bool:
        """Return whether a file with this stamp lacks no addition."""
        last = self.last()
        return last is None or last.stamp == found

    def load(self) -> list[Addition]:
        """All readable records, oldest first."""
        try:
            return _unpacked(self.path.read_bytes())
        except OSError:
            return []

    def add(self, record: Addition) -> bool:
        """Append ``record``; a full ring drops its older half.

        Returns:
            False if writing failed; only the protection is lost.
        """
        last = self.last()
        if last is not None:
            record = record._replace(follows_left_out=last.follows_left_out)
        packed = _packed(record)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            with held(os.open(self.path, flags, 0o600)) as descriptor:
                size = os.lseek(descriptor, 0, os.SEEK_END)
                write_all(descriptor, packed)
            if size + len(packed) > _RING_BYTES:
                self.save(_newer_half(self.load()))
            return True
        return False

    def save(self, records: Sequence[Addition]) -> None:
        """Replace the records. Failure costs only the protection."""
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
    """Ring of a memory file: only Markdown files directly in a memory have one."""
    boundary, folder = boundary_of(path), path.absolute().parent
    if boundary is None:
        machine, is_memory = folder, holds_memory(folder)
    else:
        machine = Path(boundary.state)
        is_memory = str(folder) in (boundary.folder, boundary.state)
    if path.suffix != ".md" or not is_memory:
        return None
    ring = _folder(machine, path.stem)
    check(ring)
    return Ring(ring)


@lru_cache(maxsize=16)
def _folder(machine: Path, name: str) -> Path:
    """Return the folder of a ring, kept for the reason given at ``connection._files_of``."""
    return machine / FOLDER / name


def anchor_of(before: bytes, after: bytes = b"") -> bytes:
    """The last non-blank line of ``before``, and the first of ``after``."""
    above, below = _lines(before[-_NEAR_BYTES:]), _lines(after[:_NEAR_BYTES])
    return digest_of(above[-1] if above else b"") + digest_of(below[0] if below else b"")


def digest_of(text: bytes) -> bytes:
    """Digest of user text, which may contain a credential, for comparisons."""
    return blake2b(text[:_ANCHOR_BYTES], digest_size=_DIGEST_BYTES).digest()


_NOTHING = digest_of(b"")


def _newer_half(records: Sequence[Addition]) -> list[Addition]:
    """The newer half of ``records``, and those with pending work."""
    room = _RING_BYTES // 2
    kept = []
    for one in reversed(records):
        room -= len(_packed(one))
        if room > 0 or one.owed or one.left_out:
            kept.append(one)
    return kept[::-1]


def _packed(record: Addition) -> bytes:
    body = record.anchor + record.data
    head = _HEAD.pack(
        _MAGIC,
        record.at,
        record.offset,
        record.stamp.inode,
        record.stamp.size,
        record.stamp.modified,
        record.times,
        record.owed
        | record.left_out << 1
        | record.follows_left_out << 2
        | record.was_restored << 3
        | record.aside << 4,
        len(record.anchor),
        len(record.data),
    )
    return head + body + _TAIL.pack(len(head) + len(body), _MAGIC)


def _unpacked(source: bytes) -> list[Addition]:
    found = []
    at = 0
    while at + _HEAD.size <= len(source):
        magic, when, offset, inode, size, modified, times, flags, first, second = _HEAD.unpack_from(
            source, at
        )
        start = at + _HEAD.size
        middle, end = start + first, start + first + second
        if magic != _MAGIC or source[end : end + _TAIL.size] != _TAIL.pack(end - at, _MAGIC):
            break
        found.append(
            Addition(
                data=source[middle:end],
                offset=offset,
                at=when,
                anchor=source[start:middle],
                times=times,
                owed=bool(flags & 1),
                left_out=bool(flags & 2),
                follows_left_out=bool(flags & 4),
                was_restored=bool(flags & 8),
                aside=bool(flags & 16),
                stamp=Stamp(inode, size, modified),
            )
        )
        at = end + _TAIL.size
    return found


# --- missing additions --------------------------------------------------------------------


def least_size(records: Sequence[Addition]) -> int:
    """Quarter of the file's last size; a smaller file is being saved, or torn."""
    known = (one.stamp.size for one in reversed(records) if one.stamp != NO_STAMP)
    return next(known, 0) // 4


def small_since(records: Sequence[Addition], now: int) -> int:
    """Time when the file was first seen below :func:`least_size`; ``now`` by default."""
    return next((one.at for one in records if one.offset == SMALL), now)


def size_of_others(records: Sequence[Addition], content: bytes) -> int:
    """Size of ``content`` without what Mind has added to it since it was first seen small."""
    since = small_since(records, sys.maxsize)
    there = Counter(_lines(content))
    added = (one.data for one in records if one.at >= since and _holds(there, _key_lines(one.data)))
    return len(content) - sum(map(len, added))


class AdditionFates(NamedTuple):
    """Additions by outcome: present, to be restored, to be archived, kept by git, decided."""

    kept: list[Addition]
    lost: list[Addition]
    left_out: list[Addition]
    aside: list[Addition]
    decided: list[Addition]


def judge(
    records: Sequence[Addition], content: bytes, *, modified: int, now: int, is_small: bool = False
) -> AdditionFates:
    """Classify the additions: present, dropped by an older copy, or missing for unknown reasons.

    Additions deleted or reworded on purpose are decided.

    Args:
        records: The ring, oldest first.
        content: The file's content.
        modified: Time of its last write.
        now: Current time; both in nanoseconds since 1970.
        is_small: The file lost most of its bytes. If editors overwrite each other, one of them
            read a file that another had just emptied, which is not intended.
    """
    records = [_rested(one, min(now, modified)) for one in records]
    found, missing, meant = _compared(records, content)
    known = _digests(records) if missing else frozenset()
    spare = spare_lines(found.kept, content) if missing else Counter()
    is_torn = is_small and _is_restless(records, modified)
    for record in missing:
        if record.owed:
            found.lost.append(record)
        elif _is_changed(record, content, known, spare):
            meant.append(record)
        elif _is_accident(record, modified, now) or (is_torn and record.times < MOST_TIMES):
            found.lost.append(record)
        else:
            found.left_out.append(record._replace(left_out=True))
    if _is_restless([*records, *found.lost], modified):
        found.left_out.extend(one._replace(left_out=True) for one in meant)
    else:
        found.decided.extend(map(decided, meant))
    return found


def waiting(record: Addition) -> int:
    """Return how many times as long as usual the file has to be quiet for a restoration."""
    return min(1 << record.times, _LONGEST_WAIT)


def _rested(record: Addition, lost: int) -> Addition:
    """Return ``record`` without its restorations if it was in place for long before it was lost."""
    stood = not record.owed and lost - record.at > UNREST_SECONDS * _NANO
    return record._replace(times=0) if record.times and stood else record


def _is_restless(records: Sequence[Addition], modified: int) -> bool:
    """Return whether an older copy overwrote an addition shortly before the file was written."""
    return any(
        (one.was_restored or one.owed) and modified - one.at < UNREST_SECONDS * _NANO
        for one in records
    )


def _compared(
    records: Sequence[Addition], content: bytes
) -> tuple[AdditionFates, list[Addition], list[Addition]]:
    """Outcomes known so far, missing additions, and those that a person deleted."""
    there = Counter(_lines(content))
    found = AdditionFates([], [], [], [], [])
    missing: list[Addition] = []
    meant: list[Addition] = []
    for record in (one for one in records if not _is_away(one)):
        if not record.data:
            found.decided.extend([record] if record.anchor else [])
        elif not _taken(_key_lines(record.data), there):
            missing.append(record)
        else:
            found.kept.append(record._replace(owed=False))
            if missing and _is_vouched(record):
                missing, taken_out = _divided(missing, record, content)
                meant.extend(taken_out)
    for record in filter(_is_away, records):
        if _taken(_key_lines(record.data), there):
            found.kept.append(record._replace(left_out=False, aside=False, stamp=NO_STAMP))
        else:
            (found.left_out if record.left_out else found.aside).append(record)
    return found, missing, meant


def _divided(
    missing: Sequence[Addition], later: Addition, content: bytes
) -> tuple[list[Addition], list[Addition]]:
    """Split missing additions: perhaps lost by accident, or deleted by a writer who had ``later``.

    Text after a deleted line moves up. If ``later`` did not move, an editor that had emptied the
    file wrote its older copy over the beginning of the additions made meanwhile.
    """
    stays = content.startswith(later.data, later.offset)
    missed: list[Addition] = []
    taken_out: list[Addition] = []
    for one in missing:
        by_accident = one.owed or (stays and one.offset < later.offset)
        (missed if by_accident else taken_out).append(one)
    return missed, taken_out


def _digests(records: Sequence[Addition]) -> frozenset[bytes]:
    """Digests of every line that Mind is known to have added, even if gone since."""
    kept = (one.anchor for one in records if not one.data)
    added = (digest_of(line) for one in records for line in _key_lines(one.data))
    size = _DIGEST_BYTES
    return frozenset(added).union(
        one[at : at + size] for one in kept for at in range(0, len(one), size)
    )


def _is_away(record: Addition) -> bool:
    """Return whether it is known that, and why, the addition is not in the file."""
    return record.left_out or record.aside


def _is_vouched(record: Addition) -> bool:
    """Return whether all earlier additions were present when ``record`` was added."""
    return record.stamp != NO_STAMP and not record.was_restored and not record.owed


def is_in(data: bytes, content: bytes) -> bool:
    """Return whether ``content`` contains the lines of ``data``, in any place."""
    return _taken(_key_lines(data), Counter(_lines(content)))


def are_in(records: Sequence[Addition], content: bytes) -> bool:
    """Return whether ``content`` contains all additions, except those known to be elsewhere."""
    there = Counter(_lines(content))
    return all(_taken(_key_lines(one.data), there) for one in records if not _is_away(one))


def set_aside(
    records: Sequence[Addition], content: bytes, versions: Callable[[], GitVersions]
) -> list[Addition]:
    """The records, with those that git took out of ``content`` marked so.

    Git has them, but not in its index, which it writes together with the file. What a person staged
    or committed without them counts too, unless it has a line that is in no other version of git:
    who saves an older copy has written something into it.

    Args:
        records: The ring, oldest first.
        content: The file's content.
        versions: Gives git's versions of the file; called if an addition is missing.
    """
    there = Counter(_lines(content))
    missing = [
        one
        for one in records
        if not (_is_away(one) or one.owed or _taken(_key_lines(one.data), there))
    ]
    if not missing:
        return list(records)
    contents, moves = versions()
    counted = {text: Counter(_lines(text)) for text in contents.values()}

    @cache
    def is_meant(at: int) -> bool:
        since = {name for one in moves[:at] for name in one[:2]} | {moves[at].after}
        others = (contents[name] for name in contents.keys() - since)
        known = {line for text in others for line in counted[text]}
        return not moves[at].by_hand or known.issuperset(_lines(contents.get(moves[at].after, b"")))

    def is_taken_out(record: Addition) -> bool:
        lines = _key_lines(record.data)
        having = {name for name, text in contents.items() if _holds(counted[text], lines)}
        if not having or moves[0].after in having:
            return False
        lost = [at for at, (old, new, _) in enumerate(moves) if old in having and new not in having]
        return all(map(is_meant, lost[:1]))

    taken_out = set(filter(is_taken_out, missing))
    return [one._replace(aside=True) if one in taken_out else one for one in records]


def remaining(
    records: Sequence[Addition], source: bytes, after: bytes, deleted: Collection[Addition] = ()
) -> list[Addition]:
    """The records, with those in ``source`` but no longer in ``after`` marked as decided.

    So are those in ``deleted``, if they are not in ``after``.

    Both texts are split once, because the caller holds a lock and there may be hundreds of records.
    """
    before, since = Counter(_lines(source)), Counter(_lines(after))

    def is_taken_out(record: Addition) -> bool:
        lines = _key_lines(record.data)
        was_there = bool(lines) and (record in deleted or _holds(before, lines))
        return was_there and not _holds(since, lines)

    return [decided(one) if is_taken_out(one) else one for one in records]


def spare_lines(records: Sequence[Addition], content: bytes) -> "Counter[bytes]":
    """Lines that ``content`` has beyond those of the additions."""
    spare = Counter(_lines(content))
    spare.subtract(line for one in records for line in _key_lines(one.data))
    return spare


def take(record: Addition, spare: "Counter[bytes]") -> bool:
    """Take the lines of an addition from ``spare``; False, and no change, if some are missing."""
    return _taken(_key_lines(record.data), spare)


def _taken(lines: Sequence[bytes], there: "Counter[bytes]") -> bool:
    if not _holds(there, lines):
        return False
    there.subtract(lines)
    return True


def _holds(there: "Counter[bytes]", lines: Sequence[bytes]) -> bool:
    return all(there[line] >= count for line, count in Counter(lines).items())


def _lines(content: bytes) -> list[bytes]:
    """Lines without insignificant parts: line ends, bullets, surrounding white space."""
    stripped = map(bytes.strip, content.replace(b"\r", b"\n").split(b"\n"))
    bare = (line[2:].lstrip() if line[:2] in _BULLETS else line for line in stripped)
    return [line for line in bare if line]


def _key_lines(data: bytes) -> list[bytes]:
    """Lines that identify an addition; its headings only if there is nothing else."""
    lines = _lines(data)
    return [line for line in lines if not line.startswith(b"#")] or lines


def _is_accident(record: Addition, modified: int, now: int) -> bool:
    limit = AGAIN_SECONDS if record.times else WINDOW_SECONDS
    soon = min(now, modified) - record.at < limit * _NANO
    return soon and record.times < MOST_TIMES


def _is_changed(
    record: Addition, content: bytes, known: frozenset[bytes], spare: "Counter[bytes]"
) -> bool:
    """Return whether a person changed an addition: who left most of its text in the file had it.

    So had who wrote something in its place: between the same lines as before, or something similar
    after the same line. Lines that Mind added elsewhere do not count.

    Args:
        record: The addition.
        content: The file's content.
        known: Digests of the lines that Mind added.
        spare: Lines of ``content`` that are of no other addition.
    """
    mine = _key_lines(record.data)
    if 2 * sum(len(line) for line in mine if spare[line] > 0) > sum(map(len, mine)):
        return True
    if record.times or record.was_restored:  # it is no longer where its anchor says
        return False
    lines, own = _lines(content), _lines(record.data)
    digests = list(map(digest_of, lines))
    above, below = record.anchor[:_DIGEST_BYTES], record.anchor[_DIGEST_BYTES:]
    if digests.count(above) != (above != _NOTHING):
        return False
    start = digests.index(above) + 1 if above != _NOTHING else 0
    is_between = below in digests[start:]
    end = digests.index(below, start) if is_between else start + len(own)
    new = [
        line
        for line, digest in zip(lines[start:end], digests[start:end], strict=False)
        if not line.startswith(b"#") and (line in own or digest not in known)
    ]
    if is_between or not new:
        return bool(new)
    from mind.text.similarity.score import similarity  # noqa: PLC0415 - rarely needed

    one, other = (b"\n".join(few)[:_COMPARED].decode("utf-8", "replace") for few in (mine, new))
    return similarity(one, other) >= _SIMILAR
