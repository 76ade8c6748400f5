"""Reading files: path checks, contents, and detection of writes in progress.

A project is enclosed once. From then on, every path below it is resolved before it is read,
written, replaced or deleted, and rejected if it leads outside (:mod:`mind.storage.boundary`). Paths
outside enclosed projects are the user's own and are not checked.
"""

import contextlib
import errno
import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mind.domain.errors import FileError, LeadsOutside, NotText
from mind.domain.settings import load_around
from mind.storage.boundary import Boundary, absolute, home

_enclosed: dict[str, Boundary] = {}
"""Boundaries by the folder they enclose, as the user named it."""


def enclose(root: Path, folder: Path) -> Boundary:
    """Create the boundary of a project and enforce it in this process.

    Args:
        root: The project's folder.
        folder: The memory's folder.
    """
    boundary = Boundary(str(root), str(folder))
    _enclosed[boundary.folder if boundary.is_apart else boundary.root] = boundary
    return boundary


def keep(boundary: Boundary) -> Path:
    """Folder of machine-local state, whose files get the same boundary."""
    if boundary.state != boundary.folder:
        _enclosed[boundary.state] = boundary
    return Path(boundary.state)


def boundary_of(path: Path) -> Boundary | None:
    """Boundary that applies to ``path``: of the nearest enclosed folder above it."""
    place = Path(absolute(path))
    for at in (place, *place.parents):
        found = _enclosed.get(str(at))
        if found is not None:
            return found
    return None


def check(path: Path, within: Boundary | None = None) -> None:
    """Check the real location of ``path`` before any access.

    Args:
        path: The file or folder; it may not exist.
        within: Boundary of the project whose file names the path; by default Mind names it, and
            the boundary of its folder applies.

    Raises:
        LeadsOutside: It is outside the repository, and the user did not allow it.
    """
    boundary = within or boundary_of(path)
    named = within is not None
    crossing = boundary.crossing(str(path.absolute()), named=named) if boundary else None
    if crossing is not None:
        allow(*crossing)


def allow(link: str, target: str) -> None:
    """Check that the user allowed a link to lead out of its repository.

    Raises:
        LeadsOutside: The user's own settings do not list it.
    """
    own, _ = load_around(None, home() / "config.toml")  # an invalid file allows nothing
    if f"{link} -> {target}" not in own.links_allowed:
        raise LeadsOutside(link, target)


def is_inside(path: Path, within: Boundary | None = None) -> bool:
    """Return whether ``path`` may be opened (see :func:`check`)."""
    try:
        check(path, within)
    except LeadsOutside:
        return False
    return True


_REMEDIES = {
    errno.ENOSPC: "Free some disk space, then try again; nothing was changed.",
    errno.EDQUOT: "Your disk quota is used up: delete something, then try again; nothing was "
    "changed.",
    errno.EFBIG: "The file is at the size limit: move what is old into another file; nothing was "
    "changed.",
    errno.EROFS: "It is on a read-only file system: what is there can be read, not changed.",
    errno.EACCES: "Give yourself permission to write the file and its folder (chmod u+w), then "
    "try again; nothing was changed.",
    errno.EPERM: "The system protects the file (another owner, or an immutable flag): lift that, "
    "then try again; nothing was changed.",
    errno.ENOENT: "Its folder is missing: create it; `mind init` makes those of a memory.",
    errno.ENOTDIR: "A file stands where its folder should be: move that file away.",
    errno.EISDIR: "A folder stands where the file should be: move that folder away.",
    errno.ELOOP: "The symbolic link leads back to itself: delete the link.",
    errno.EMFILE: "The process has too many files open: restart it; nothing was changed.",
    errno.ENOLCK: "The file system cannot lock files: move the project to a local disk.",
    errno.EOPNOTSUPP: "The file system cannot do this: move the project to a local disk.",
}
_ALSO = {errno.ENFILE: errno.EMFILE, errno.ENOTSUP: errno.EOPNOTSUPP}

UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
"""Error codes of file systems that do not support a call."""


def failure(error: OSError, path: Path) -> FileError:
    """Exception to raise for ``error`` on ``path``."""
    number = error.errno or 0
    return FileError(
        f"{path}: {(error.strerror or str(error)).lower()}",
        remedy=_REMEDIES.get(_ALSO.get(number, number)),
        path=str(path),
        errno=errno.errorcode.get(number, str(number)),
    )


@contextlib.contextmanager
def translating(path: Path) -> Iterator[None]:
    """Convert OS errors in the block to a :class:`FileError` on ``path``."""
    try:
        yield
    except OSError as error:
        raise failure(error, path) from error


LARGEST = 64 * 1024 * 1024
"""Size limit of files that are read, in bytes."""

QUIET_SECONDS = 0.025
"""Seconds without a write after which a file counts as complete."""

QUIET_EMPTY_SECONDS = 2.0
"""The same for an empty file: an editor may be about to rewrite it."""

_SKEW_SECONDS = 1.0  # a timestamp in the future means that the clocks differ

BOM = b"\xef\xbb\xbf"

_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_SPECIAL = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


Look = Callable[[], os.stat_result]
"""Callback that returns the current status of a file."""


class GitMove(NamedTuple):
    """Names of the versions before and after HEAD moved, and whether a person committed."""

    before: str
    after: str
    by_hand: bool


class GitVersions(NamedTuple):
    """Git's versions of a file; none if it does not track the file, or cannot be asked.

    Attributes:
        contents: Those that it keeps by name: a hash, "HEAD", or "" for the index.
        moves: Moves of HEAD, newest first, after the step from HEAD to the index.
    """

    contents: Mapping[str, bytes] = MappingProxyType({})
    moves: Sequence[GitMove] = ()


class Stamp(NamedTuple):
    """Fingerprint of a file's state, taken without reading it."""

    inode: int
    size: int
    modified: int


NO_STAMP = Stamp(0, 0, 0)


def stamp(status: os.stat_result) -> Stamp:
    """Stamp from the result of ``os.fstat``; ``modified`` is in nanoseconds."""
    return Stamp(status.st_ino & (2**64 - 1), status.st_size, status.st_mtime_ns)


@contextlib.contextmanager
def held(descriptor: int) -> Iterator[int]:
    """Close an open file at the end of the block."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def opened(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open the regular file ``path`` and return a descriptor; never blocks on a pipe or device.

    Raises:
        OSError: As from ``os.open``.
        LeadsOutside: It leads out of its repository.
        FileError: It is not a regular file.
    """
    check(path)
    descriptor = os.open(path, flags | _FLAGS, mode)
    try:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    if kind == stat.S_IFREG:
        return descriptor
    os.close(descriptor)
    raise FileError(
        f"{path} is {_SPECIAL.get(kind, 'no file')}",
        remedy="Move it away, and put a text file in its place.",
        path=str(path),
    )


def whole(descriptor: int, path: Path) -> bytes:
    """All bytes of an open file.

    Raises:
        FileError: There are more than :data:`LARGEST`.
    """
    size = os.fstat(descriptor).st_size
    if size > LARGEST:
        raise FileError(
            f"{path} has {size:,} bytes, more than {LARGEST:,}",
            remedy="Split it, or move what is old into another file.",
            path=str(path),
        )
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, max(size, 65536)):
        parts.append(part)
    return b"".join(parts)


def part(descriptor: int, offset: int, count: int) -> bytes:
    """Up to ``count`` bytes from ``offset``; a negative one counts from the end of the file."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    start = offset if offset >= 0 else max(0, size + offset)
    os.lseek(descriptor, start, os.SEEK_SET)
    count = min(count, max(0, size - start))  # read allocates all that is requested
    parts = []
    while count and (piece := os.read(descriptor, count)):
        parts.append(piece)
        count -= len(piece)
    return b"".join(parts)


def read(path: Path) -> bytes:
    """All bytes of ``path``; ``b""`` if it does not exist. Needs no lock.

    Raises:
        FileError: It is not a regular file, exceeds :data:`LARGEST` bytes, or is not readable.
    """
    try:
        with held(opened(path, os.O_RDONLY)) as descriptor:
            return whole(descriptor, path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        problem = failure(error, path)
        if error.errno == errno.EACCES:
            problem.remedy = "Give yourself permission to read it (chmod u+r)."
        raise problem from error


def part_of(path: Path, offset: int, count: int) -> bytes:
    """Like :func:`part`, of the file ``path``; ``b""`` if it is missing.

    Raises:
        FileError: It is not a regular file, or is not readable.
    """
    with (
        translating(path),
        contextlib.suppress(FileNotFoundError),
        held(opened(path, os.O_RDONLY)) as descriptor,
    ):
        return part(descriptor, offset, count)
    return b""


def resolved(path: Path) -> Path:
    """Resolve the symbolic links of ``path``; a link to itself is left as is.

    Raises:
        LeadsOutside: The target is outside of its repository.
    """
    check(path)
    return Path(os.path.realpath(path))


def refuse_other_encodings(data: bytes, path: Path) -> None:
    """Refuse to change UTF-16 and UTF-32 text, which added UTF-8 would corrupt.

    Raises:
        NotText: It begins with a byte order mark of UTF-16 or UTF-32.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        raise NotText(f"{path.name} is UTF-16 or UTF-32, not UTF-8", path=str(path), line=1)


def decode(data: bytes, path: Path) -> str:
    """The text of ``data`` without a byte order mark.

    Raises:
        NotText: It is not UTF-8; the message names the first bad line.
    """
    try:
        return data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotText(
            f"{path.name}:{line} is not UTF-8",
            path=str(path),
            line=line,
        ) from error


def read_json(path: Path) -> object:
    """The value in a JSON file; None if it is missing, empty or broken.

    Raises:
        FileError: It is not a regular file, is too large, or is not readable.
    """
    try:
        return json.loads(read(path).removeprefix(BOM))
    except (ValueError, RecursionError):
        return None


def is_quiet(status: os.stat_result, factor: int = 1, *, least: int = 0) -> bool:
    """Return whether the file seems complete, with no write in progress.

    An editor that saves in place empties the file first, so its content is then incomplete.

    Args:
        status: Status of the file.
        factor: Multiplier of the waiting times.
        least: Size in bytes up to which a file counts as empty.
    """
    needed = factor * (QUIET_SECONDS if status.st_size > least else QUIET_EMPTY_SECONDS)
    age = time.time() - status.st_mtime
    return age >= needed or age < -_SKEW_SECONDS


def wait_until_quiet(look: Look) -> None:
    """Wait until the file is quiet, within a limit if it keeps changing."""
    wait_while_empty(look)
    deadline = time.monotonic() + 2 * QUIET_SECONDS
    while not is_quiet(look()) and time.monotonic() < deadline:
        time.sleep(0.002)


def wait_while_empty(look: Look, least: int = 0) -> None:
    """Wait for an editor that emptied the file to rewrite it.

    Args:
        look: Returns the file's status.
        least: Size in bytes up to which a file counts as empty.
    """
    deadline = time.monotonic() + QUIET_EMPTY_SECONDS
    while time.monotonic() < deadline:
        status = look()
        if status.st_size > least or is_quiet(status, least=least):
            return
        time.sleep(0.002)
