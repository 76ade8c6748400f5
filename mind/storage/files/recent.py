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
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mind.domain.errors import FileError
from mind.storage.files.beside import discard, write, write_all
from mind.storage.files.content import (
    NO_STAMP,
    GitVersions,
    Stamp,
    boundary_of,
    check,
    held,
    part,
)
from mind.storage.files.system import BINARY, holds_memory

WINDOW_SECONDS = 10.0
"""An addition that vanishes within this time is restored; one that vanishes later, together with
all later additions, is archived."""

AGAIN_SECONDS = 1.0
"""A restored addition that vanishes within this time was dropped by the same tool; people are not
that fast. Later it was deleted on purpose."""

UNREST_SECONDS = 60.0
"""Period after a restoration in which no deletion counts as intended."""

MOST_TIMES = 40
"""Most times one addition is restored. Every editor that read the file before a restoration may
save its copy once, and others read that copy before the next restoration."""

FOLDER = ".recent.tmp"
"""Name in the memory's folder; every version of ``.mind/.gitignore`` ignores it."""

_RING_BYTES = 256 * 1024
"""Size at which a ring drops its older half."""
_LAST_BYTES = 16 * 1024
"""Most bytes of a record that is read without the others; a longer one forces a comparison."""
_ANCHOR_BYTES = 400
_NEAR_BYTES = 64 * 1024
_BULLETS = tuple(sign + blank for sign in (b"-", b"*", b"+") for blank in (b" ", b"\t"))
_DIGEST_BYTES = 16
_MOST_DIGESTS = 4_000
_COMPARED = 4_000
_SIMILAR = 0.6
_DAMAGES = (ValueError, TypeError, AttributeError, OverflowError, RecursionError)
_NANO = 10**9


class State(StrEnum):
    """State of an addition: in the file, or why not."""

    HERE = ""
    """In the file, as far as Mind knows."""
    OWED = "owed"
    """Missing, and to be restored once the file is quiet."""
    LEFT_OUT = "left out"
    """Missing for an unknown reason, and to be archived."""
    ASIDE = "aside"
    """Git took it out of the file and has it."""
    DECIDED = "decided"
    """Taken out on purpose, or archived: only digests of its lines are kept."""


class Addition(NamedTuple):
    """One addition.

    Attributes:
        data: The bytes; ``b""`` in a record of only a stamp or digests.
        offset: Their position.
        at: Time of writing, in nanoseconds since 1970.
        anchor: Digest of the lines before and after (:func:`anchor_of`); of a decided one, the
            digests of its lines.
        times: Number of restorations.
        state: Where it is.
        stamp: Stamp of the file after this addition; :data:`NO_STAMP` forces a comparison.
    """

    data: bytes
    offset: int
    at: int
    anchor: bytes = b""
    times: int = 0
    state: State = State.HERE
    stamp: Stamp = NO_STAMP

    @property
    def is_away(self) -> bool:
        """Return whether it is known that, and why, the addition is not in the file."""
        return self.state in (State.LEFT_OUT, State.ASIDE)

    def decided(self) -> "Addition":
        """Reduced record: enough to recognise its lines."""
        lines = _key_lines(self.data)[:_MOST_DIGESTS]
        digests = b"".join(map(digest_of, lines))
        return Addition(b"", 0, self.at, digests, state=State.DECIDED)


class Ring:
    """Additions to one file, a JSON array a line; writing requires the lock of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def last(self) -> Addition | None:
        """The newest record; one whose stamp matches nothing if it is torn or very long."""
        with (
            contextlib.suppress(OSError),
            held(os.open(self.path, os.O_RDONLY | BINARY)) as descriptor,
        ):
            tail = part(descriptor, -_LAST_BYTES, _LAST_BYTES)
            found = _unpacked(tail[tail.rfind(b"\n", 0, -1) + 1 :])
            return found[0] if found else Addition(b"", 0, time.time_ns()) if tail else None
        return None

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
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | BINARY
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            with held(os.open(self.path, flags, 0o600)) as descriptor:
                write_all(descriptor, _packed(record))
                is_full = os.lseek(descriptor, 0, os.SEEK_END) > _RING_BYTES
            if is_full:
                self.save(_newer_half(self.load()), record.stamp)
            return True
        return False

    def save(self, records: Iterable[Addition], state: Stamp = NO_STAMP) -> None:
        """Replace the records; the last one notes the file's stamp. Failure costs the protection.

        While one is left out, every access compares.
        """
        kept = [one for one in records if one.data or one.anchor]
        if not kept:
            discard(self.path)
            return
        with contextlib.suppress(OSError, FileError):
            self.path.parent.mkdir(exist_ok=True)
            is_due = any(one.state is State.LEFT_OUT for one in kept)
            kept.append(Addition(b"", 0, time.time_ns(), stamp=NO_STAMP if is_due else state))
            write(self.path, b"".join(map(_packed, kept)), mode=0o600, sync=False)


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
    pending = (State.OWED, State.LEFT_OUT)
    half = len(records) // 2
    return [one for at, one in enumerate(records) if at >= half or one.state in pending]


def _packed(record: Addition) -> bytes:
    data = record.data.decode("utf-8", "surrogateescape")
    row = json.dumps(
        [data, record.anchor.hex(), record.offset, record.at, *record[4:]], ensure_ascii=False
    )
    return row.encode("utf-8", "surrogateescape") + b"\n"


def _unpacked(source: bytes) -> list[Addition]:
    """Read whole lines; those that are damaged are left out."""
    found = []
    for line in source.split(b"\n")[:-1]:
        with contextlib.suppress(*_DAMAGES):
            row = json.loads(line.decode("utf-8", "surrogateescape"))
            data, anchor, offset, at, times, state, stamp = row
            found.append(
                Addition(
                    data.encode("utf-8", "surrogateescape"),
                    int(offset),
                    int(at),
                    bytes.fromhex(anchor),
                    int(times),
                    State(state),
                    Stamp(*map(int, stamp)),
                )
            )
    return found


# --- missing additions --------------------------------------------------------------------


def is_small(records: Sequence[Addition], content: bytes) -> bool:
    """Return whether a file with this content is being saved, or torn.

    Without Mind's later additions it then has no more than a quarter of the size that it had when
    Mind last knew all of it.
    """
    known = [at for at, one in enumerate(records) if one.stamp != NO_STAMP]
    since = records[known[-1] + 1 :] if known else ()
    there = Counter(_lines(content))
    added = sum(len(one.data) for one in since if _holds(there, _key_lines(one.data)))
    return len(content) - added <= least_size(records)


def least_size(records: Sequence[Addition]) -> int:
    """Quarter of the file's last known size; a smaller file is being saved, or torn."""
    known = (one.stamp.size for one in reversed(records) if one.stamp != NO_STAMP)
    return next(known, 0) // 4


def judge(
    records: Sequence[Addition], content: bytes, *, modified: int, now: int, is_small: bool = False
) -> list[Addition]:
    """The records with the states that follow from the file's content.

    A missing addition is decided if a person deleted or reworded it, owed if an older copy dropped
    it, and else left out.

    Args:
        records: The ring, oldest first.
        content: The file's content.
        modified: Time of its last write.
        now: Current time; both in nanoseconds since 1970.
        is_small: The file lost most of its bytes. If editors overwrite each other, one of them
            read a file that another had just emptied, which is not intended.
    """
    found = list(records)
    missing, meant, spare = _compared(found, content)
    is_restless = any(
        (one.times or one.state is State.OWED) and modified - one.at < UNREST_SECONDS * _NANO
        for one in records
    )
    shown = _shown(records, content, spare) if missing else None
    for at in missing:
        one = found[at]
        is_dropped = _is_accident(one, modified, now) or (
            is_small and is_restless and one.times < MOST_TIMES
        )
        if shown and one.state is not State.OWED and _is_changed(one, shown):
            meant.append(at)
        elif one.state is State.OWED or is_dropped:
            found[at] = one._replace(state=State.OWED)
        else:
            found[at] = one._replace(state=State.LEFT_OUT)
    for at in meant:  # no intention is believed while editors overwrite each other
        one = found[at]
        found[at] = one._replace(state=State.LEFT_OUT) if is_restless else one.decided()
    return found


def _compared(
    records: list[Addition], content: bytes
) -> tuple[list[int], list[int], "Counter[bytes]"]:
    """Note which additions are there.

    Returns:
        Positions of those that are missing, and of those that a person deleted; lines of
        ``content`` that are of no addition.
    """
    there = Counter(_lines(content))
    missing: list[int] = []
    meant: list[int] = []
    away = [at for at, one in enumerate(records) if one.is_away]
    for at, one in enumerate(records):
        if one.is_away or not one.data:
            continue
        if not take(one, there):
            missing.append(at)
            continue
        if _is_vouched(one):
            # who saved the file had it, unless it did not move up: then an editor that had emptied
            # the file wrote its older copy over the beginning of the additions made meanwhile
            stays = content.startswith(one.data, one.offset)
            early = [
                other for other in missing
                if records[other].state is State.OWED
                or (stays and records[other].offset < one.offset)
            ]  # fmt: skip
            meant += [other for other in missing if other not in early]
            missing = early
        records[at] = one._replace(state=State.HERE)
    for at in away:
        if take(records[at], there):
            records[at] = records[at]._replace(state=State.HERE, stamp=NO_STAMP)
    return missing, meant, there


def _digests(records: Sequence[Addition]) -> frozenset[bytes]:
    """Digests of every line that Mind is known to have added, even if gone since."""
    kept = (one.anchor for one in records if one.state is State.DECIDED)
    added = (digest_of(line) for one in records for line in _key_lines(one.data))
    size = _DIGEST_BYTES
    return frozenset(added).union(
        one[at : at + size] for one in kept for at in range(0, len(one), size)
    )


def _is_vouched(record: Addition) -> bool:
    """Return whether all earlier additions were present when ``record`` was added."""
    is_known = record.stamp != NO_STAMP and record.state is not State.OWED
    return is_known and not record.times


def is_in(data: bytes, content: bytes) -> bool:
    """Return whether ``content`` contains the lines of ``data``, in any place."""
    return _taken(_key_lines(data), Counter(_lines(content)))


def are_in(records: Sequence[Addition], content: bytes) -> bool:
    """Return whether ``content`` contains all additions, except those known to be elsewhere."""
    there = Counter(_lines(content))
    return all(take(one, there) for one in records if not one.is_away)


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
        one for one in records if not (one.is_away or one.state is State.OWED or take(one, there))
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
    return [one._replace(state=State.ASIDE) if one in taken_out else one for one in records]


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

    return [one.decided() if is_taken_out(one) else one for one in records]


def spare_lines(records: Sequence[Addition], content: bytes) -> "Counter[bytes]":
    """Lines that ``content`` has beyond those of the additions."""
    spare = Counter(_lines(content))
    spare.subtract(line for one in records for line in _key_lines(one.data))
    return spare


def has(record: Addition, spare: "Counter[bytes]") -> bool:
    """Return whether the lines of an addition are in ``spare``."""
    return _holds(spare, _key_lines(record.data))


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


class _Shown(NamedTuple):
    """The content of a file, read once for all that is missing from it.

    Attributes:
        lines: Its lines.
        digests: Their digests.
        known: Digests of the lines that Mind added.
        spare: Lines that are of no addition.
    """

    lines: list[bytes]
    digests: list[bytes]
    known: frozenset[bytes]
    spare: "Counter[bytes]"


def _shown(records: Sequence[Addition], content: bytes, spare: "Counter[bytes]") -> _Shown:
    lines = _lines(content)
    return _Shown(lines, list(map(digest_of, lines)), _digests(records), spare)


def _is_changed(record: Addition, shown: _Shown) -> bool:
    """Return whether a person changed an addition: who left most of its text in the file had it.

    So had who wrote something in its place: between the same lines as before, or something similar
    after the same line. Lines that Mind added elsewhere do not count.
    """
    lines, digests, known, spare = shown
    mine = _key_lines(record.data)
    if 2 * sum(len(line) for line in mine if spare[line] > 0) > sum(map(len, mine)):
        return True
    if record.times:  # it is no longer where its anchor says
        return False
    own = _lines(record.data)
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
