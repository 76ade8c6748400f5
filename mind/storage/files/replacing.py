"""Changing a file anywhere, by atomically replacing its content.

Editors take no lock. So the file is compared before it is replaced, the replaced file is checked
again, and a version saved in between is changed instead of overwritten.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mind.domain.errors import ChangedMeanwhile, FileError
from mind.storage.files import beside, recent, system
from mind.storage.files.appending import put_back
from mind.storage.files.content import (
    NO_STAMP,
    UNSUPPORTED,
    Stamp,
    held,
    is_quiet,
    opened,
    read,
    refuse_other_encodings,
    resolved,
    stamp,
    translating,
    wait_until_quiet,
    whole,
)
from mind.storage.files.recent import Addition, Ring
from mind.storage.files.system import own_lock

_NOT_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)


class FoundFile(NamedTuple):
    """A file as found before a change.

    Attributes:
        path: Its name.
        there: Whether it exists.
        content: All its bytes.
        stamp: Stamp from before they were read.
        descriptor: Open descriptor; None where an open file cannot be replaced.
        ours: Mind was the last writer.
        vouched: No addition is missing from it.
    """

    path: Path
    there: bool
    content: bytes = b""
    stamp: Stamp = NO_STAMP
    descriptor: int | None = None
    ours: bool = False
    vouched: bool = False

    def status(self) -> os.stat_result:
        """Current status of the file."""
        return self.path.stat() if self.descriptor is None else os.fstat(self.descriptor)

    def now(self) -> bytes:
        """Current content of the file."""
        return read(self.path) if self.descriptor is None else whole(self.descriptor, self.path)


class Replaced(NamedTuple):
    """A completed replacement.

    Attributes:
        source: Content that was changed.
        before: Content that was replaced; equal unless another program saved meanwhile.
        after: Current content.
        stamp: Stamp of the new file; none if an addition may be missing from it.
        late: Content saved into the old file meanwhile by another program, if any.
        displaced: The old file, kept until ``late`` is merged.
    """

    source: bytes
    before: bytes
    after: bytes
    stamp: Stamp
    late: bytes | None = None
    displaced: Path | None = None


@contextlib.contextmanager
def standing_at(path: Path, ring: Ring | None) -> Iterator[FoundFile]:
    """Yield the file at ``path``, kept open meanwhile.

    Raises:
        FileError: It is not a regular file, is too large, or is not readable.
    """
    try:
        descriptor = opened(path, os.O_RDONLY)
    except FileNotFoundError:
        yield FoundFile(path, there=False)
        return
    with held(descriptor):
        found = stamp(os.fstat(descriptor))
        content = whole(descriptor, path)
        last = ring.last() if ring else None
        ours = last is not None and last.stamp == found
        standing = FoundFile(path, True, content, found, descriptor, ours, ours or last is None)
        if system.KEEPS_OPEN:
            yield standing
            return
    yield standing._replace(descriptor=None)


def is_complete(standing: FoundFile) -> bool:
    """Return whether the content is a completely saved version.

    If not, waits for the writer.
    """
    if not standing.there or standing.ours or is_quiet(standing.status()):
        return True
    wait_until_quiet(standing.status)
    return False


def put(path: Path, standing: FoundFile, after: bytes, *, patient: bool) -> Replaced | None:
    """Replace the file found as ``standing`` with ``after``; None, and no change, to try again.

    Args:
        path: The file.
        standing: The file as found.
        after: The new content.
        patient: Wait for a writer that seems to be active.
    """
    if after == standing.content:
        return Replaced(after, after, after, NO_STAMP)
    if patient and not is_complete(standing):
        return None
    if not standing.there:
        return _created(path, after)
    if standing.status().st_nlink > 1:
        return _put_inside(path, standing, after)
    try:
        new = beside.written(path, after, like=standing.descriptor)
        return _put_instead(path, new, standing, after)
    except OSError as error:
        if error.errno not in _NOT_BESIDE:
            raise
        return _put_inside(path, standing, after)


def _created(path: Path, after: bytes) -> Replaced | None:
    new = beside.written(path, after)
    try:
        _link(new, path)
    except FileExistsError:
        return None
    finally:
        beside.discard(new)
    system.sync_folder(path.parent)
    return Replaced(b"", b"", after, NO_STAMP)


def _link(new: Path, path: Path) -> None:
    """Hard-link ``new`` to ``path``; unlike renaming, this overwrites nothing."""
    try:
        path.hardlink_to(new)
    except OSError as error:
        if error.errno not in _NOT_BESIDE and error.errno not in UNSUPPORTED:
            raise
        system.replace(new, path)


def _put_inside(path: Path, standing: FoundFile, after: bytes) -> Replaced | None:
    if not beside.put(path, standing.content, after):
        return None
    return Replaced(standing.content, standing.content, after, NO_STAMP)


def _put_instead(path: Path, new: Path, standing: FoundFile, after: bytes) -> Replaced | None:
    try:
        made = stamp(new.stat()) if standing.vouched else NO_STAMP
        if not _is_unchanged(path, standing):
            beside.discard(new)
            return None
        exchanged = system.exchange(new, path)
        if not exchanged:
            system.replace(new, path)
    except OSError:
        beside.discard(new)
        raise
    done = Replaced(standing.content, standing.content, after, made)
    return _exchanged(path, new, standing, done) if exchanged else _replaced(path, standing, done)


def _exchanged(path: Path, old: Path, standing: FoundFile, done: Replaced) -> Replaced | None:
    """Check the replaced file; if another program had just saved it, swap it back at once."""
    try:
        if _is_unchanged(old, standing):
            system.sync_folder(path.parent)
            if is_complete(standing) or _is_unchanged(old, standing):
                beside.discard(old)
                return done
    except OSError:  # it cannot be checked and stays in place
        return done
    return _put_back(path, old, done)


def _put_back(path: Path, old: Path, done: Replaced) -> Replaced | None:
    try:
        system.exchange(old, path)
    except FileNotFoundError:  # the file was deleted at this moment
        system.replace(old, path)
        return None
    except OSError:
        return done._replace(stamp=NO_STAMP, late=read(old), displaced=old)
    if read(old) != done.after:
        return done._replace(stamp=NO_STAMP, late=read(old), displaced=old)
    beside.discard(old)
    return None


def _replaced(path: Path, standing: FoundFile, done: Replaced) -> Replaced:
    """Record content saved into the replaced file, to be merged where it cannot be swapped back."""
    system.sync_folder(path.parent)
    if standing.descriptor is None:  # no other program had it open
        return done
    try:
        is_complete(standing)
        content = standing.now()
    except OSError:  # it cannot be checked
        return done
    if content in (b"", standing.content):
        return done
    kept = beside.written(path, content, like=standing.descriptor)
    return done._replace(late=content, displaced=kept)


def _is_unchanged(path: Path, standing: FoundFile) -> bool:
    """Return whether ``path``, the file's name or another, still has the same content."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    return stamp(status) == standing.stamp and standing.now() == standing.content


Change = Callable[[bytes], bytes]

PATIENCE_SECONDS = 5.0
"""Seconds an edit keeps retrying while another program changes the file."""

_WEEK = 7 * 24 * 3600


def edit(path: Path, change: Change, *, create: bool = False) -> bool:
    """Replace the content of ``path`` by ``change(content)``, unless it is equal.

    ``change`` may be called several times: it is applied to the content at the time of the
    replacement. Mode, owner, hard links and a symbolic link stay.

    Args:
        path: The file.
        change: Maps the old bytes, ``b""`` for a missing file, to the new bytes.
        create: Create a missing file.

    Returns:
        Whether the file was changed.

    Raises:
        FileError: It cannot be written; it is unchanged.
        ChangedMeanwhile: Another program kept changing it.
    """
    done: Replaced | None = None
    deleted: set[Addition] = set()
    with own_lock(path), translating(path):
        ring = recent.ring_of(path)
        put_back(path, ring)
        real = resolved(path)
        beside.recover(real)
        for patient in _attempts():
            with standing_at(real, ring) as standing, contextlib.ExitStack() as undo:
                if not (standing.there or create or done):
                    return False
                refuse_other_encodings(standing.content, real)
                source, after = _wanted(change, standing, done)
                _let_leave(ring, source, after, deleted, undo)
                made = put(real, standing, after, patient=patient)
                if made is None:
                    continue
                undo.pop_all()
            if done is None and after == source:
                return False
            made = made._replace(source=source)
            if done is not None:
                if done.displaced is not None:
                    beside.discard(done.displaced)
                made = made._replace(stamp=NO_STAMP)
            done = made
            if done.late is None:
                break
        else:
            raise _given_up(real, done)
        _sweep(real, done.after, ring)
        _note(ring, done)
    return True


def _attempts() -> Iterator[bool]:
    """Yield until the time limit whether to wait for writers: every other time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    patient = True
    while time.monotonic() < deadline:
        yield patient
        patient = not patient


def _wanted(change: Change, standing: FoundFile, done: Replaced | None) -> tuple[bytes, bytes]:
    """Content to change, and the result.

    Usually the current content. If another program saved into the replaced file, that version; if
    yet another version replaced ours, all of them merged.
    """
    if done is None or done.late is None:
        return standing.content, change(standing.content)
    saved = merge(done.before, done.source, done.late)
    if standing.content == done.after or not standing.there:
        return saved, change(saved)
    source = merge(done.before, standing.content, saved)
    return source, merge(done.before, source, done.after)  # it may already include the change


def _given_up(path: Path, done: Replaced | None) -> ChangedMeanwhile:
    if done is None:
        return ChangedMeanwhile(f"{path} keeps changing", path=str(path))
    kept = str(done.displaced)
    return ChangedMeanwhile(
        f"{path} keeps changing",
        remedy=f"Close it in the editor; what was saved while it changed is in {kept}.",
        path=str(path),
        kept=kept,
    )


def insertion(before: bytes, after: bytes) -> tuple[int, bytes] | None:
    """Offset and text of whole lines inserted into ``before``, if nothing else changed."""
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
        start -= 1  # the same insertion, aligned to the start of a line
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


def _note(ring: Ring | None, done: Replaced) -> None:
    """Record what was inserted; what was taken out is already marked."""
    if ring is None:
        return
    inserted = insertion(done.source, done.after)
    if inserted:
        offset, data = inserted
        anchor = recent.anchor_of(done.source[:offset], done.source[offset:])
        ring.add(Addition(data, offset, time.time_ns(), anchor, stamp=done.stamp))
    else:
        ring.save(ring.load(), done.stamp)


def _let_leave(
    ring: Ring | None,
    source: bytes,
    after: bytes,
    deleted: set[Addition],
    undo: contextlib.ExitStack,
) -> None:
    """Mark deletions as decided first, so that a crash right after does not restore them.

    Args:
        ring: Additions to the file.
        source: Content that is changed.
        after: New content.
        deleted: Additions deleted by earlier attempts, to which this one's are added. They stay
            deleted if an older copy without them made an attempt void.
        undo: Receives the removal of the marks, for when nothing is replaced.
    """
    if ring is None:
        return
    known = ring.load()
    kept = recent.remaining(known, source, after, deleted)
    if kept == known:
        return
    undo.callback(ring.save, known)
    ring.save(kept)
    if recent.is_in(after, source):  # nothing was reworded
        deleted.update(set(known) - set(kept))


def _sweep(path: Path, content: bytes, ring: Ring | None) -> None:
    """Delete temporary files of killed processes if all their content is in the file.

    Those of the ring always: they may have the text of entries that are taken out.
    """
    with contextlib.suppress(OSError, FileError):
        for left in beside.left_behind(ring.path) if ring else ():
            beside.discard(left)
    with contextlib.suppress(OSError, FileError):
        for left in beside.left_behind(path):
            old = time.time() - left.stat().st_mtime > _WEEK
            if old or recent.is_in(read(left), content):
                beside.discard(left)


Lines = list[bytes]


def merge(base: bytes, one: bytes, other: bytes) -> bytes:
    """Three-way merge of ``one`` and ``other`` with their common ``base``.

    Where both changed the same lines differently, both versions are kept, ``one`` first, so that
    nothing is lost and a person can resolve it.
    """
    if other in (one, base):
        return one
    if one == base:
        return other
    old = base.splitlines(keepends=True)
    left, right = one.splitlines(keepends=True), other.splitlines(keepends=True)
    result: Lines = []
    at = first = second = 0
    for start, end, a, b in [
        *_common(old, left, right),
        (len(old), len(old), len(left), len(right)),
    ]:
        result += _together(old[at:start], left[first:a], right[second:b])
        result += old[start:end]
        at, first, second = end, a + end - start, b + end - start
    # a former last line may now precede others
    ended = [line if line.endswith(b"\n") else line + b"\n" for line in result[:-1]]
    return b"".join(ended + result[-1:])


def _together(old: Lines, left: Lines, right: Lines) -> Lines:
    if left in (old, right):
        return right
    if right == old:
        return left
    return left + [line for line in right if line not in left]


def _common(
    old: Sequence[bytes], left: Sequence[bytes], right: Sequence[bytes]
) -> Iterator[tuple[int, int, int, int]]:
    """Runs of ``old`` that are in both: (start, end, start in left, start in right)."""
    in_left, in_right = _matching(old, left), _matching(old, right)
    at = 0
    while at < len(old):
        if at not in in_left or at not in in_right:
            at += 1
            continue
        end = at + 1
        while (
            in_left.get(end) == in_left[at] + end - at
            and in_right.get(end) == in_right[at] + end - at
        ):
            end += 1
        yield at, end, in_left[at], in_right[at]
        at = end


def _matching(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for concurrent saves

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {one.a + n: one.b + n for one in blocks for n in range(one.size)}
