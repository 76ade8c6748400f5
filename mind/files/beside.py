"""New content is written beside a file, and then takes its place at once."""

import contextlib
import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mind.files.faults import UNSUPPORTED

_BINARY = getattr(os, "O_BINARY", 0)
_LEFT = re.compile(r"\.(?P<name>.+)\.(?P<process>\d+)(?P<chance>-[0-9a-f]{8})?\.tmp")
MINUTE = 60
Swap = Callable[[bytes, bytes], int]
_FORBIDDEN = (errno.EACCES, errno.EPERM)


class OwnerLost(Exception):
    """The new file cannot be given to the owner of the old one."""


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data`` where the descriptor stands."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def written(
    path: Path, data: bytes, *, like: int | None = None, mode: int | None = None, sync: bool = True
) -> Path:
    """A new file beside ``path`` that holds ``data``.

    Args:
        path: The file whose place it will take.
        data: All of the content.
        like: A descriptor; the new file gets its mode, owner and extended attributes.
        mode: Else the mode; by default what the umask leaves of 666.
        sync: Wait until it is on disk.

    Raises:
        OwnerLost: Only an administrator may give the new file the owner that ``like`` has.
        OSError: It cannot be written; there is no new file.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    private = like is not None or mode is not None
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600 if private else 0o666
    )
    try:
        write_all(descriptor, data)
        if like is not None:
            _take_after(descriptor, like)
        elif mode is not None:
            _set_mode(descriptor, temporary, mode)
        if sync:
            sync_file(descriptor)
    except BaseException:
        os.close(descriptor)
        discard(temporary)
        raise
    os.close(descriptor)
    return temporary


def _set_mode(descriptor: int, path: Path, mode: int) -> None:
    if sys.platform == "win32":  # pragma: no cover - there it is set by path
        path.chmod(mode)
    else:
        os.fchmod(descriptor, mode)


def _take_after(descriptor: int, like: int) -> None:
    if sys.platform == "win32":  # pragma: no cover - a new file inherits its rights from the folder
        return
    old, new = os.fstat(like), os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError as error:
            raise OwnerLost from error
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    if sys.platform == "linux":
        _take_attributes(descriptor, like)


def _take_attributes(descriptor: int, like: int) -> None:
    """Access control lists and labels, as far as the file system lets them be copied."""
    with contextlib.suppress(OSError):
        for name in os.listxattr(like):
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(like, name))


def discard(path: Path) -> None:
    """Delete a file of our own; it does not matter if that fails."""
    with contextlib.suppress(OSError):
        path.unlink()


def replace(new: Path, path: Path) -> None:
    """Put ``new`` in the place of ``path``; waits where another program holds ``path`` open.

    Raises:
        OSError: It cannot be done; both are as they were.
    """
    deadline = time.monotonic() + 2
    while True:
        try:
            os.replace(new, path)  # noqa: PTH105 - one system call, seen as such by the fault tests
        except PermissionError as error:
            # Windows refuses while an editor or a virus scanner has the file open.
            held = sys.platform == "win32" and error.errno in _FORBIDDEN
            if not held or time.monotonic() > deadline:
                raise
            time.sleep(0.01)  # pragma: no cover - Windows only
        else:
            return


def exchange(one: Path, two: Path) -> bool:
    """Swap two files in one step, so that whatever stood at ``two`` can be looked at.

    Returns:
        False where the system cannot, or does not let us; nothing was changed.

    Raises:
        OSError: It cannot be done for another reason; both are as they were.
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
    """Wait until the content is on disk, where the file system can tell.

    Raises:
        OSError: It may not be.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def sync_folder(folder: Path) -> None:
    """Wait until the names in ``folder`` are on disk.

    Where that cannot be had, a power failure may bring the former file back, whole.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def left_behind(path: Path) -> list[Path]:
    """Files that a killed process left beside ``path`` over a minute ago."""
    return orphans(path.parent, re.compile(re.escape(path.name)))


def orphans(folder: Path, names: re.Pattern[str], *, own: bool = False) -> list[Path]:
    """What processes that are gone left over a minute ago beside files in ``folder``.

    Args:
        folder: Where the files are.
        names: Of the files.
        own: Nobody else writes them: a name without characters by chance, as hooks gave them once,
            is none of a user's file.
    """
    now, found = time.time(), []
    with os.scandir(folder) as rows:
        for row in rows:
            left = _LEFT.fullmatch(row.name)
            if left is None or names.fullmatch(left["name"]) is None:
                continue
            if left["chance"] is None and not own:
                continue
            with contextlib.suppress(OSError):
                status = row.stat(follow_symlinks=False)
                is_old = now - max(status.st_mtime, status.st_ctime) > MINUTE
                if is_old and not _lives(int(left["process"])):
                    found.append(folder / row.name)
    return found


if sys.platform == "win32":  # pragma: no cover - a signal of 0 would end the process there

    def _lives(_process: int) -> bool:
        return False

else:

    def _lives(process: int) -> bool:
        """Whether a process of this number runs; one of somebody else's counts."""
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return True
        return True
