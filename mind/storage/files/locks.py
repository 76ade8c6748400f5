"""One writer at a time, among all threads and processes of this machine."""

import contextlib
import os
import time
from _thread import get_ident
from collections.abc import Iterator
from pathlib import Path

from mind.domain.errors import LockTimeout
from mind.storage.files.content import failure
from mind.storage.files.inside import boundary_of, check
from mind.storage.files.system import NO_FOLLOW, NO_WAIT, release, try_lock

_LONGEST_PAUSE, _SHORTEST_PAUSE = 0.008, 0.004
"""Seconds between two tries, on average. More tries would take the processor from the holder; who
has waited longer tries a little more often, so that everybody's turn comes."""

_MOST_TURNS = 6
"""How often the time to wait begins anew, because the lock changed hands meanwhile: on a slow
machine that many writers share, everybody waits long for a holder who is quick."""

_FLAGS = os.O_CREAT | NO_FOLLOW | NO_WAIT
_depth: dict[tuple[int, int, str], int] = {}
"""How often each holder entered: (process, thread, lock file) → depth. A forked child, which
inherits this table, is another process and holds nothing."""


@contextlib.contextmanager
def lock(path: Path, timeout: float = 10.0) -> Iterator[None]:
    """Hold the lock file ``path`` alone; its folder is made if need be.

    The operating system releases it when its holder dies. The thread that holds it may enter
    again. Reading needs no lock.

    Args:
        path: The lock file. It stays there, empty; deleting it is harmless.
        timeout: Seconds to wait for one holder.

    Raises:
        LeadsOutside: It leads out of its repository.
        LockTimeout: Somebody else held it all the time.
        FileError: The lock file cannot be made, or the file system has no locks.
    """
    path = path.absolute()
    check(path)
    key = (os.getpid(), get_ident(), str(path))
    if key in _depth:
        _depth[key] += 1
        try:
            yield
        finally:
            _depth[key] -= 1
        return
    descriptor = _acquired(path, timeout)
    _depth[key] = 1
    try:
        yield
    finally:
        del _depth[key]
        release(descriptor)
        os.close(descriptor)


def _acquired(path: Path, timeout: float) -> int:
    try:
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
    except OSError as error:
        raise failure(error, path) from error


def _wait(descriptor: int, path: Path, timeout: float) -> None:
    """Lock an open file as soon as nobody else holds it."""
    turn, turns = 0, 0
    deadline = 0.0
    while not try_lock(descriptor):
        left = deadline - time.monotonic()
        if left <= 0:
            held = os.fstat(descriptor).st_mtime_ns
            if held == turn or turns > _MOST_TURNS:
                raise LockTimeout(
                    f"another process has held {path} for over {timeout:g} s", path=str(path)
                )
            turn, turns = held, turns + 1
            deadline, left = time.monotonic() + timeout, timeout
        pause = _SHORTEST_PAUSE + (_LONGEST_PAUSE - _SHORTEST_PAUSE) * left / max(timeout, 0.001)
        time.sleep(max(0, min(pause * (0.5 + os.urandom(1)[0] / 255), left)))


def _tell_that_it_is_held(descriptor: int) -> None:
    """Give the lock file the time, by which those who wait see that its holder is another."""
    if os.utime in os.supports_fd:
        with contextlib.suppress(OSError):  # another user's
            os.utime(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | _FLAGS, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | _FLAGS, 0o666)
    except PermissionError:  # another user's lock file can be locked without writing it
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | _FLAGS & ~os.O_CREAT)
        raise


def _is_current(descriptor: int, path: Path) -> bool:
    """Tell whether the lock file was not deleted, and perhaps made anew, meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def holds_memory(folder: Path) -> bool:
    """Tell Mind's folders from others: by the name, or by what the first call makes there."""
    if folder.name == ".mind":
        return True
    return (folder / "cache" / "lock").is_file() and (folder / "state.json").is_file()


def cache_of(path: Path) -> Path | None:
    """The cache that serves ``path``: of the nearest ``.mind`` above or beside it.

    A memory that is not called ``.mind`` serves only what stands directly in it.
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
    """The lock that Mind's writers of ``path`` take; none outside a project."""
    cache = cache_of(path)
    return lock(cache / "lock") if cache else contextlib.nullcontext()
