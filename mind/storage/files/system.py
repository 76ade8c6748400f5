"""Differences between operating systems, and file locks between processes.

Windows locks a byte of a file, refuses to replace an open file, cannot swap two files or sync a
folder, and has junctions besides symbolic links. All other code uses this module.
"""

import contextlib
import errno
import os
import stat
import sys
import time
from _thread import get_ident
from collections.abc import Callable, Iterator
from pathlib import Path

from mind.domain.errors import LockTimeout
from mind.storage.files.content import UNSUPPORTED, boundary_of, check, held, translating

BINARY = getattr(os, "O_BINARY", 0)
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Extra flag for :func:`os.open`, where available."""

KEEPS_OPEN = sys.platform != "win32"
"""True if an open file can be replaced."""

Swap = Callable[[bytes, bytes], int]
_FORBIDDEN = (errno.EACCES, errno.EPERM)
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT


def is_link(path: Path | str) -> bool:
    """Return whether ``path`` is a symbolic link or Windows junction, whatever its target."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION


if sys.platform == "win32":  # pragma: no cover - POSIX takes the other branch
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Lock an open file; False if it is already locked."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def release(descriptor: int) -> None:
        """Unlock an open file."""
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file; False if it is already locked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise
        return True

    def release(descriptor: int) -> None:
        """Unlock explicitly before closing, as a forked child may share the open file."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def set_mode(descriptor: int, path: Path, mode: int) -> None:
    """Give an open file at ``path`` the permissions ``mode``."""
    if sys.platform == "win32":  # pragma: no cover - there it is set by path
        path.chmod(mode)
    else:
        os.fchmod(descriptor, mode)


def take_after(descriptor: int, like: int) -> None:
    """Copy owner, permissions and attributes from one open file to another.

    Raises:
        PermissionError: Only an administrator may set that owner.
    """
    if sys.platform == "win32":  # a new file inherits its rights from the folder
        return
    old, new = os.fstat(like), os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    if sys.platform == "linux":
        _take_attributes(descriptor, like)


def _take_attributes(descriptor: int, like: int) -> None:
    """Copy access control lists and labels, as far as the file system allows."""
    with contextlib.suppress(OSError):
        for name in os.listxattr(like):
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(like, name))


def replace(new: Path, path: Path) -> None:
    """Replace ``path`` with ``new``; waits while another program has ``path`` open.

    Raises:
        OSError: It failed; both are unchanged.
    """
    deadline = time.monotonic() + 2
    while True:
        try:
            os.replace(new, path)  # noqa: PTH105 - one system call, seen as such by the fault tests
        except PermissionError as error:
            # Windows refuses while an editor or a virus scanner has the file open.
            held = not KEEPS_OPEN and error.errno in _FORBIDDEN
            if not held or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def exchange(one: Path, two: Path) -> bool:
    """Swap two files atomically, so that the old content of ``two`` can be examined.

    Returns:
        False if the system cannot or may not; nothing was changed.

    Raises:
        OSError: It failed for another reason; both are unchanged.
    """
    try:
        swap = _system_exchange()
    except (AttributeError, OSError):
        return False
    if swap is None:
        return False
    number = swap(os.fsencode(one), os.fsencode(two))
    if number in UNSUPPORTED or number in _FORBIDDEN:
        return False
    if number:
        raise OSError(number, os.strerror(number), str(two))
    return True


if sys.platform == "linux":

    def _system_exchange() -> Swap | None:
        from ctypes import CDLL, get_errno  # noqa: PLC0415 - only when a file is replaced

        here, exchanging = -100, 2  # AT_FDCWD, RENAME_EXCHANGE: linux/fcntl.h, linux/fs.h
        call = CDLL(None, use_errno=True).renameat2
        return lambda one, two: call(here, one, here, two, exchanging) and get_errno()

elif sys.platform == "darwin":  # pragma: no cover - macOS only

    def _system_exchange() -> Swap | None:
        from ctypes import CDLL, get_errno  # noqa: PLC0415 - as above

        call = CDLL(None, use_errno=True).renamex_np
        return lambda one, two: call(one, two, 2) and get_errno()  # RENAME_SWAP: sys/stdio.h

else:  # pragma: no cover - Windows has no such call

    def _system_exchange() -> Swap | None:
        return None


def sync_file(descriptor: int) -> None:
    """Flush the content to disk, where the file system supports it.

    Raises:
        OSError: It may not be on disk.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def sync_folder(folder: Path) -> None:
    """Flush the names in ``folder`` to disk.

    Where unsupported, a power failure may restore the previous file, intact.
    """
    with contextlib.suppress(OSError), held(os.open(folder, os.O_RDONLY)) as descriptor:
        os.fsync(descriptor)


if sys.platform == "win32":  # pragma: no cover - a signal of 0 would end the process there

    def lives(_process: int) -> bool:
        """Return False: no process is known to run."""
        return False

else:

    def lives(process: int) -> bool:
        """Return whether a process with this id runs, including other users'."""
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return True


_LONGEST_PAUSE, _SHORTEST_PAUSE = 0.008, 0.004
"""Mean seconds between two attempts. More attempts would slow the holder; longer waiters retry
slightly more often, for fairness."""

_MOST_TURNS = 6
"""Most restarts of the timeout because the lock changed hands: on a slow machine with many writers,
waiting is long though each holder is quick."""

_FLAGS = os.O_CREAT | NO_FOLLOW | NO_WAIT
_locked: set[tuple[int, int, str]] = set()
"""(process, thread, lock file) of each lock. A forked child inherits the set, but has another
process id and so holds nothing."""


@contextlib.contextmanager
def lock(path: Path, timeout: float = 10.0) -> Iterator[None]:
    """Hold an exclusive lock on the file ``path``; its folder is created if needed.

    The operating system releases it when the holder dies. It is reentrant per thread. Reading
    needs no lock.

    Args:
        path: The lock file. It stays, empty; deleting it is harmless.
        timeout: Seconds to wait for one holder.

    Raises:
        LeadsOutside: It leads out of its repository.
        LockTimeout: Another holder kept it throughout.
        FileError: The lock file cannot be created, or the file system has no locks.
    """
    path = path.absolute()
    check(path)
    key = (os.getpid(), get_ident(), str(path))
    if key in _locked:  # it ends with the outermost block
        yield
        return
    with held(_acquired(path, timeout)) as descriptor:
        _locked.add(key)
        try:
            yield
        finally:
            _locked.remove(key)
            release(descriptor)


def _acquired(path: Path, timeout: float) -> int:
    with translating(path):
        while True:
            descriptor = _opened(path)
            try:
                _wait(descriptor, path, timeout)
                if _is_current(descriptor, path):
                    _tell_that_it_is_held(descriptor)
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)


def _wait(descriptor: int, path: Path, timeout: float) -> None:
    """Lock an open file as soon as it is free."""
    turn, turns = 0, 0
    deadline = 0.0
    while not try_lock(descriptor):
        left = deadline - time.monotonic()
        if left <= 0:
            latest = os.fstat(descriptor).st_mtime_ns
            if latest == turn or turns > _MOST_TURNS:
                raise LockTimeout(
                    f"another process has held {path} for over {timeout:g} s", path=str(path)
                )
            turn, turns = latest, turns + 1
            deadline, left = time.monotonic() + timeout, timeout
        pause = _SHORTEST_PAUSE + (_LONGEST_PAUSE - _SHORTEST_PAUSE) * left / max(timeout, 0.001)
        time.sleep(max(0, min(pause * (0.5 + os.urandom(1)[0] / 255), left)))


def _tell_that_it_is_held(descriptor: int) -> None:
    """Update the lock file's timestamp, so that waiters notice a new holder."""
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # owned by another user
            os.utime(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | _FLAGS, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | _FLAGS, 0o666)
    except PermissionError:  # another user's lock file can be locked without write access
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | _FLAGS & ~os.O_CREAT)
        raise


def _is_current(descriptor: int, path: Path) -> bool:
    """Return whether the lock file was not deleted or recreated meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def holds_memory(folder: Path) -> bool:
    """Return whether a folder belongs to Mind: by name, or by files that its first use creates."""
    if folder.name == ".mind":
        return True
    return (folder / "cache" / "lock").is_file() and (folder / "state.json").is_file()


def cache_of(path: Path) -> Path | None:
    """Cache used for ``path``: of the nearest ``.mind`` above or beside it.

    A memory not called ``.mind`` covers only its direct contents.
    """
    boundary = boundary_of(path)
    if boundary is not None:
        return Path(boundary.state) / "cache"
    if holds_memory(path.absolute().parent):
        return path.absolute().parent / "cache"
    for folder in path.absolute().parents:
        if folder.name == ".mind":
            return folder / "cache"
        if (folder / ".mind").is_dir():
            return folder / ".mind" / "cache"
    return None


def own_lock(path: Path) -> contextlib.AbstractContextManager[None]:
    """Lock that Mind's writers of ``path`` take; a no-op outside a project."""
    cache = cache_of(path)
    return lock(cache / "lock") if cache else contextlib.nullcontext()
