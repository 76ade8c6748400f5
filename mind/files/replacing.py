"""Changing a file anywhere: the new content takes the place of the old one in one step.

Editors take no lock. So the file is compared before it is replaced, what was replaced is looked
at once more, and what somebody saved in between is changed instead, not overwritten.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mind.errors import ChangedMeanwhile
from mind.files import beside, inplace, recent
from mind.files.appending import put_back
from mind.files.content import (
    NO_STAMP,
    Stamp,
    is_quiet,
    opened,
    read,
    resolved,
    stamp,
    wait_until_quiet,
    whole,
)
from mind.files.faults import UNSUPPORTED, failure
from mind.files.locks import own_lock
from mind.files.merging import merge
from mind.files.recent import Record, Ring

Change = Callable[[bytes], bytes]

PATIENCE_SECONDS = 5.0
"""How long an edit tries again while somebody else keeps changing the file."""

_WEEK = 7 * 24 * 3600
_NOT_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)


def edit(path: Path, change: Change, *, create: bool = False) -> bool:
    """Replace the content of ``path`` by ``change(content)``; equal bytes write nothing.

    ``change`` may be called several times: it is applied to whatever the file holds when it is
    replaced. Mode, owner, hard links and a symbolic link stay.

    Args:
        path: The file.
        change: Gets all bytes, ``b""`` for a missing file, and gives all bytes.
        create: Make the file if it is missing; else it stays missing.

    Returns:
        Whether the file was changed.

    Raises:
        FileError: It cannot be written; it is as it was before.
        ChangedMeanwhile: Somebody else kept changing it.
    """
    with own_lock(path):
        ring = recent.ring_of(path)
        if ring is not None:
            put_back(path, ring)
        real = resolved(path)
        with _translating(path):
            inplace.recover(real)
        done = _edited(real, change, ring, create=create)
        if done is None:
            return False
        _sweep(real, done.after)
        if ring is not None:
            _note(ring, path, done)
        return True


@contextlib.contextmanager
def _translating(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failure(error, path) from error


class _Standing(NamedTuple):
    """The file as it was found.

    Attributes:
        descriptor: Of the file, -1 if there is none.
        content: All its bytes.
        stamp: Taken before they were read.
        ours: Mind itself wrote it last.
        vouched: No addition is missing from it.
    """

    descriptor: int
    content: bytes
    stamp: Stamp
    ours: bool
    vouched: bool


class _Done(NamedTuple):
    """A replacement that was made.

    Attributes:
        source: What was changed.
        before: What stood there; the same, unless somebody saved meanwhile.
        after: What stands there now.
        stamp: Of the new file; none if an addition may be missing from it.
        late: What somebody else saved into the old one meanwhile, if anything.
        displaced: The old file, kept until ``late`` is safe.
    """

    source: bytes
    before: bytes
    after: bytes
    stamp: Stamp
    late: bytes | None = None
    displaced: Path | None = None


def _edited(path: Path, change: Change, ring: Ring | None, *, create: bool) -> _Done | None:
    """Change until it holds; None if there is nothing to change."""
    done: _Done | None = None
    for patient in _attempts():
        with _standing(path, ring) as standing:
            if standing.descriptor < 0 and not create and done is None:
                return None
            source, after = _wanted(change, standing, done)
            made = _made(path, standing, after, patient=patient)
        if made is None:
            continue
        made = made._replace(source=source)
        if done is not None:
            _let_go(done)
            made = made._replace(stamp=NO_STAMP)
        if made.late is None:
            return made if done is not None or after != source else None
        done = made
    raise _given_up(path, done)


def _attempts() -> Iterator[bool]:
    """Whether to wait for who is writing the file: every other time, as long as patience lasts."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    patient = True
    while time.monotonic() < deadline:
        yield patient
        patient = not patient


def _wanted(change: Change, standing: _Standing, done: _Done | None) -> tuple[bytes, bytes]:
    """What to change, and what it becomes.

    Usually that is what stands there. If something was saved into the file that we replaced, it
    is that; if yet another version was put in place of ours, it is all of them together.
    """
    if done is None or done.late is None:
        return standing.content, change(standing.content)
    saved = merge(done.before, done.source, done.late)
    if standing.content == done.after or standing.descriptor < 0:
        return saved, change(saved)
    source = merge(done.before, standing.content, saved)
    return source, merge(done.before, source, done.after)  # it may hold the change already


def _made(path: Path, standing: _Standing, after: bytes, *, patient: bool) -> _Done | None:
    """Put ``after`` there; None if that has to be tried again."""
    if after == standing.content:
        return _Done(after, after, after, NO_STAMP)
    if patient and not _is_complete(standing):
        return None
    made = _put(path, standing, after)
    return made if made is None or standing.vouched else made._replace(stamp=NO_STAMP)


def _let_go(done: _Done) -> None:
    if done.displaced is not None:
        beside.discard(done.displaced)


def _given_up(path: Path, done: _Done | None) -> ChangedMeanwhile:
    if done is None:
        return ChangedMeanwhile(f"{path} keeps changing", path=str(path))
    kept = str(done.displaced)
    return ChangedMeanwhile(
        f"{path} keeps changing",
        remedy=f"Close it in the editor; what was saved while it changed is in {kept}.",
        path=str(path),
        kept=kept,
    )


@contextlib.contextmanager
def _standing(path: Path, ring: Ring | None) -> Iterator[_Standing]:
    with _translating(path):
        try:
            descriptor = opened(path, os.O_RDONLY)
        except FileNotFoundError:
            descriptor = -1
    if descriptor < 0:
        yield _Standing(-1, b"", NO_STAMP, ours=False, vouched=False)
        return
    try:
        with _translating(path):
            found = stamp(os.fstat(descriptor))
            content = whole(descriptor, path)
        last = ring.last() if ring else None
        ours = last is not None and last.stamp == found
        yield _Standing(descriptor, content, found, ours=ours, vouched=ours or last is None)
    finally:
        os.close(descriptor)


def _is_complete(standing: _Standing) -> bool:
    """Whether the content is what somebody meant to save; if not, waits for who is writing it."""
    if standing.descriptor < 0 or standing.ours or is_quiet(os.fstat(standing.descriptor)):
        return True
    wait_until_quiet(standing.descriptor)
    return False


def _put(path: Path, standing: _Standing, after: bytes) -> _Done | None:
    """Put ``after`` where ``standing`` is; None if that has changed: nothing was done."""
    with _translating(path):
        if standing.descriptor < 0:
            return _created(path, after)
        if os.fstat(standing.descriptor).st_nlink > 1:
            return _put_inside(path, standing, after)
        try:
            return _put_instead(path, standing, after)
        except beside.OwnerLost:
            return _put_inside(path, standing, after)
        except OSError as error:
            if error.errno not in _NOT_BESIDE:
                raise
            return _put_inside(path, standing, after)


def _created(path: Path, after: bytes) -> _Done | None:
    new = beside.written(path, after)
    try:
        made = stamp(os.stat(new))  # noqa: PTH116 - beside the other calls that a fault test breaks
        os.link(new, path)  # unlike a renaming, fails if somebody else made the file
    except FileExistsError:
        return None
    except OSError as error:
        if error.errno not in _NOT_BESIDE and error.errno not in UNSUPPORTED:
            raise
        beside.replace(new, path)
    finally:
        beside.discard(new)
    beside.sync_folder(path.parent)
    return _Done(b"", b"", after, made)


def _put_inside(path: Path, standing: _Standing, after: bytes) -> _Done | None:
    if not inplace.put(path, standing.content, after):
        return None
    return _Done(standing.content, standing.content, after, stamp(path.stat()))


def _put_instead(path: Path, standing: _Standing, after: bytes) -> _Done | None:
    new = beside.written(path, after, like=standing.descriptor)
    try:
        made = stamp(new.stat())
        if not _is_unchanged(path, standing):
            beside.discard(new)
            return None
        exchanged = _took_place(new, path)
    except OSError:
        beside.discard(new)
        raise
    beside.sync_folder(path.parent)
    late = _late(standing, new if exchanged else None)
    displaced = new if exchanged else None
    done = _Done(standing.content, standing.content, after, made, late, displaced)
    if late is None:
        _let_go(done)
    return done


def _took_place(new: Path, path: Path) -> bool:
    """Put ``new`` in the place of ``path``; True if ``new`` names the old file now."""
    if beside.exchange(new, path):
        return True
    beside.replace(new, path)
    return False


def _is_unchanged(path: Path, standing: _Standing) -> bool:
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    return stamp(status) == standing.stamp and (
        whole(standing.descriptor, path) == standing.content
    )


def _late(standing: _Standing, displaced: Path | None) -> bytes | None:
    """What somebody saved between the comparison and the replacement, if anything.

    It is in the old file, or, if an editor had put its own file in place, in that one.
    """
    if displaced is None:
        return _late_in(standing.descriptor, standing)
    descriptor = opened(displaced, os.O_RDONLY)
    try:
        return _late_in(descriptor, standing)
    finally:
        os.close(descriptor)


def _late_in(descriptor: int, standing: _Standing) -> bytes | None:
    status = os.fstat(descriptor)
    if stamp(status) != standing.stamp or not (standing.ours or is_quiet(status)):
        wait_until_quiet(descriptor)
    content = whole(descriptor, Path())
    return None if content in (b"", standing.content) else content


# --- afterwards ---------------------------------------------------------------------------


def _note(ring: Ring, path: Path, done: _Done) -> None:
    """Remember what was inserted, and forget what was taken out."""
    now = time.time_ns()
    inserted = recent.insertion(done.source, done.after)
    if inserted:
        offset, data = inserted
        anchor = recent.anchor_of(done.source) if offset == len(done.source) else b""
        ring.add(Record(data, offset, now, anchor, recent.branch_of(path), stamp=done.stamp))
        return
    kept = [one for one in ring.load() if one.data and not _took_out(one.data, done)]
    ring.save([*kept, Record(b"", 0, now, stamp=done.stamp)])


def _took_out(data: bytes, done: _Done) -> bool:
    return recent.is_in(data, done.source) and not recent.is_in(data, done.after)


def _sweep(path: Path, content: bytes) -> None:
    """Delete what killed processes left beside the file, if nothing is in it that is not here."""
    with contextlib.suppress(OSError):
        for left in beside.left_behind(path):
            old = time.time() - left.stat().st_mtime > _WEEK
            if old or recent.is_in(read(left), content):
                beside.discard(left)
