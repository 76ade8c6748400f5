"""Location of the memory that serves an event, found without pathlib."""

import os
import stat
import time

from mind.storage.boundary import MACHINE, Boundary, user_folder

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable


class Place:
    """Folders of a memory, by the rules of :mod:`mind.storage.project`.

    Attributes:
        root: The folder that paths are relative to.
        folder: ``.mind``, or the folder used instead.
        hooks: Files that hooks keep between events; all derived, or of one session.
    """

    __slots__ = ("_boundary", "_state", "folder", "hooks", "root")

    def __init__(self, root: str, folder: str) -> None:
        self.root = root
        self.folder = folder
        is_own = folder == os.path.abspath(os.path.join(user_folder(), "memory"))
        self._boundary = None if is_own else Boundary(root, folder)
        self._state = self._boundary.state if self._boundary else folder
        self.hooks = self.of(os.path.join("cache", "hooks"))

    def of(self, name: str) -> str:
        """Return the path of a file of the memory; state that git tracks is kept elsewhere."""
        is_state = name.split(os.sep, 1)[0] in MACHINE
        return os.path.join(self._state if is_state else self.folder, name)

    def crossing(self) -> "tuple[str, str] | None":
        """Return the first link in the memory that leaves the repository, and its target."""
        if self._boundary is None:
            return None
        for name in (*_READ, os.path.join("cache", "hooks.log")):
            found = self._boundary.crossing(self.of(name))
            if found:
                return found
        for path in _links(self.hooks):
            found = self._boundary.crossing(path)
            if found:
                return found
        return None


_LARGEST_LOG = 100_000
_READ = ("MEMORY.md", "SESSION.md", "REMINDERS.md", "config.json", "state.json",
         "events.jsonl", "reminders.json")  # fmt: skip
"""Files that hooks read and write without opening the memory."""


def _links(folder: str) -> list[str]:
    """Return the folder and the links in it."""
    try:
        with os.scandir(folder) as rows:
            return [folder, *(row.path for row in rows if row.is_symlink())]
    except OSError:
        return [folder]


def find(cwd: str) -> Place | None:
    """Find the memory that serves ``cwd``, else the one the environment names; None if none."""
    own = user_folder()
    found = _above(cwd, own) if cwd else None
    if found is not None:
        return found
    named = os.environ.get("MIND_DIR")
    if named:
        folder = os.path.abspath(os.path.expanduser(named))
        own_memory = os.path.abspath(os.path.join(own, "memory"))
        root = folder if folder == own_memory else os.path.dirname(folder)
        return Place(root, folder) if os.path.isdir(folder) else None
    start = os.environ.get("MIND_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
    return _above(os.path.abspath(os.path.expanduser(start)), own) if start else None


def _above(start: str, own: str) -> Place | None:
    folder = os.path.abspath(start)
    while True:
        memory = os.path.join(folder, ".mind")
        if os.path.isdir(memory) and _is_project(folder, memory, own):
            return Place(folder, memory)
        parent = os.path.dirname(folder)
        if parent == folder or _is_worktree(folder):
            return None
        folder = parent


def _is_project(folder: str, memory: str, own: str) -> bool:
    try:
        if os.path.samefile(memory, own):
            return False
    except OSError:
        pass
    return folder != os.path.expanduser("~")


def _is_worktree(folder: str) -> bool:
    pointer = os.path.join(folder, ".git")
    if not os.path.isfile(pointer):
        return False
    return b"/worktrees/" in read(pointer).replace(b"\\", b"/")


def read(path: str) -> bytes:
    """Return the bytes of a file; empty if it cannot be read or is not a regular file."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def put(path: str, data: bytes, *, mode: int = 0o600, sync: bool = False) -> None:
    """Replace a file atomically."""
    folder, name = os.path.split(path)
    new = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(new, flags, 0o600)
    try:
        try:
            while data:
                data = data[os.write(descriptor, data) :]
            if mode != 0o600:
                os.chmod(new, mode)
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def stamp(path: str) -> str:
    """Return a value that changes when the file changes; "" if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def mode_of(path: str) -> int:
    """Return a file's permissions, or those the umask gives a new one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def locked(path: str, work: "Callable[[], object]") -> bool:
    """Run ``work`` while holding a lock file, unless another process holds it.

    Returns:
        False if another process holds it, or this system has no such locks; the slow path then
        waits for it.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        return False
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return False
        work()
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def complain(place: Place, message: str) -> None:
    """Write one line to ``hooks.log``, credentials masked; a full log becomes ``hooks.log.1``.

    An error message may name a file or repeat its input.
    """
    from mind.hooks.plain import redacted  # noqa: PLC0415 - only on errors

    path = place.of(os.path.join("cache", "hooks.log"))
    line = " ".join(redacted(message.encode("utf-8", "replace").decode()).split())[:2_000]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _LARGEST_LOG:
            os.replace(path, f"{path}.1")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"{moment} {line}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        return  # a hook has nowhere else to complain
