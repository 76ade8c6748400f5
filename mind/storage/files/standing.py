"""What stands at a path, and putting something else there without losing what came between."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mind.storage.files import beside, inplace, system
from mind.storage.files.content import (
    NO_STAMP,
    Stamp,
    is_quiet,
    opened,
    read,
    stamp,
    wait_until_quiet,
    whole,
)
from mind.storage.files.faults import UNSUPPORTED
from mind.storage.files.recent import Ring

_NOT_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)


class Standing(NamedTuple):
    """A file as it was found.

    Attributes:
        path: Its name.
        there: Whether there is one.
        content: All its bytes.
        stamp: Taken before they were read.
        descriptor: Of the file, open; None where an open file cannot be replaced.
        ours: Mind itself wrote it last.
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
        """Of the file, as it is now."""
        return self.path.stat() if self.descriptor is None else os.fstat(self.descriptor)

    def now(self) -> bytes:
        """All its bytes, as they are now."""
        return read(self.path) if self.descriptor is None else whole(self.descriptor, self.path)


class Done(NamedTuple):
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


@contextlib.contextmanager
def standing_at(path: Path, ring: Ring | None) -> Iterator[Standing]:
    """What stands at ``path``, kept open meanwhile.

    Raises:
        FileError: It is no regular file, is too large, or may not be read.
    """
    try:
        descriptor = opened(path, os.O_RDONLY)
    except FileNotFoundError:
        yield Standing(path, there=False)
        return
    try:
        found = stamp(os.fstat(descriptor))
        content = whole(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    last = ring.last() if ring else None
    ours = last is not None and last.stamp == found
    standing = Standing(path, True, content, found, descriptor, ours, ours or last is None)
    if not system.KEEPS_OPEN:
        os.close(descriptor)
        yield standing._replace(descriptor=None)
        return
    try:
        yield standing
    finally:
        os.close(descriptor)


def is_complete(standing: Standing) -> bool:
    """Whether the content is what somebody meant to save; if not, waits for who is writing it."""
    if not standing.there or standing.ours or is_quiet(standing.status()):
        return True
    wait_until_quiet(standing.status)
    return False


def put(path: Path, standing: Standing, after: bytes, *, patient: bool) -> Done | None:
    """Put ``after`` where ``standing`` is; None if that has to be tried again: nothing was done.

    Args:
        path: The file.
        standing: What was found there.
        after: What is to stand there.
        patient: Wait for who seems to be writing the file.
    """
    if after == standing.content:
        return Done(after, after, after, NO_STAMP)
    if patient and not is_complete(standing):
        return None
    if not standing.there:
        return _created(path, after)
    if standing.status().st_nlink > 1:
        return _put_inside(path, standing, after)
    try:
        new = beside.written(path, after, like=standing.descriptor)
        return _put_instead(path, new, standing, after)
    except (system.OwnerLost, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _NOT_BESIDE:
            raise
        return _put_inside(path, standing, after)


def _created(path: Path, after: bytes) -> Done | None:
    new = beside.written(path, after)
    try:
        _link(new, path)
    except FileExistsError:
        return None
    finally:
        beside.discard(new)
    system.sync_folder(path.parent)
    return Done(b"", b"", after, NO_STAMP)


def _link(new: Path, path: Path) -> None:
    """Give ``new`` the name ``path`` too; unlike a renaming, that overwrites nothing."""
    try:
        path.hardlink_to(new)
    except OSError as error:
        if error.errno not in _NOT_BESIDE and error.errno not in UNSUPPORTED:
            raise
        system.replace(new, path)


def _put_inside(path: Path, standing: Standing, after: bytes) -> Done | None:
    if not inplace.put(path, standing.content, after):
        return None
    return Done(standing.content, standing.content, after, NO_STAMP)


def _put_instead(path: Path, new: Path, standing: Standing, after: bytes) -> Done | None:
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
    done = Done(standing.content, standing.content, after, made)
    return _exchanged(path, new, standing, done) if exchanged else _replaced(path, standing, done)


def _exchanged(path: Path, old: Path, standing: Standing, done: Done) -> Done | None:
    """Look at what was replaced; if somebody had just saved it, put it back at once."""
    try:
        if _is_unchanged(old, standing):
            system.sync_folder(path.parent)
            if is_complete(standing) or _is_unchanged(old, standing):
                beside.discard(old)
                return done
    except OSError:  # it cannot be looked at: it stays where it is
        return done
    return _put_back(path, old, done)


def _put_back(path: Path, old: Path, done: Done) -> Done | None:
    try:
        system.exchange(old, path)
    except FileNotFoundError:  # somebody deleted the file in this instant
        system.replace(old, path)
        return None
    except OSError:
        return done._replace(stamp=NO_STAMP, late=read(old), displaced=old)
    if read(old) != done.after:
        return done._replace(stamp=NO_STAMP, late=read(old), displaced=old)
    beside.discard(old)
    return None


def _replaced(path: Path, standing: Standing, done: Done) -> Done:
    """Without a way to put it back, what was saved into the replaced file has to be merged."""
    system.sync_folder(path.parent)
    if standing.descriptor is None:  # nobody else had it open either
        return done
    try:
        is_complete(standing)
        content = standing.now()
    except OSError:  # it cannot be looked at
        return done
    if content in (b"", standing.content):
        return done
    kept = beside.written(path, content, like=standing.descriptor)
    return done._replace(late=content, displaced=kept)


def _is_unchanged(path: Path, standing: Standing) -> bool:
    """Whether ``path``, the file's name or the one it was given, still names the same content."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    return stamp(status) == standing.stamp and standing.now() == standing.content
