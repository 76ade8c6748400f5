"""Boundary of a repository: its paths must not lead outside, and its state must be local.

A clone controls its file names: ``.mind/cache`` may be a link to the user's documents, and
``.mind/state.json`` may be tracked with arbitrary content. So every access to a project's files
first resolves the path here, and local state that git tracks is stored elsewhere. Imports only
``os``, because hooks use it.
"""

import os

from mind.storage import gitindex

TYPE_CHECKING = False  # typing takes milliseconds, which matters in hooks
if TYPE_CHECKING:
    from pathlib import Path

MACHINE = (
    "SESSION.md", "SESSION.last.md", "state.json", "events.jsonl", "pending.json",
    "reminders.json", "cache", ".recent.tmp",
)  # fmt: skip
"""Machine-local names in the folder of a memory; git should ignore them."""


def absolute(path: "str | os.PathLike[str]") -> str:
    """Absolute ``path`` without "..", as in a shell; links are not resolved."""
    return os.path.abspath(path)


def user_folder() -> str:
    """``MIND_HOME``, else ``~/.mind``."""
    return os.environ.get("MIND_HOME") or os.path.join(os.path.expanduser("~"), ".mind")


def home() -> "Path":
    """:func:`user_folder` as a path."""
    from pathlib import Path  # noqa: PLC0415 - hooks do without

    return Path(user_folder())


def own_memory() -> "Path":
    """Folder of the user's own memory, which belongs to no project."""
    return home() / "memory"


def is_project(folder: "str | os.PathLike[str]") -> bool:
    """Return whether ``folder`` contains a project's memory, not the user's own settings."""
    memory = os.path.join(folder, ".mind")
    if not os.path.isdir(memory) or os.fspath(folder) == absolute(os.path.expanduser("~")):
        return False
    try:
        return not os.path.samefile(memory, user_folder())
    except OSError:  # the user has no folder yet
        return True


def project_above(start: str) -> str:
    """Return the nearest folder with a memory, from ``start`` upwards; "" if there is none.

    The search stays within the nearest git repository: a nested clone, a submodule and a linked
    worktree have a memory of their own.
    """
    folder = absolute(start)
    while not is_project(folder):
        parent = os.path.dirname(folder)
        if parent == folder or os.path.lexists(os.path.join(folder, ".git")):
            return ""
        folder = parent
    return folder


class Boundary:
    """The boundary of one project's files.

    Args:
        root: The project's folder, as the user named it.
        folder: The memory's folder: ``.mind`` in ``root``, or one that the user named.

    Attributes:
        root: Absolute path of ``root``.
        folder: Absolute path of ``folder``.
    """

    __slots__ = ("_inside", "_tracked", "folder", "root")

    def __init__(self, root: str, folder: str) -> None:
        self.root = os.path.abspath(root)
        self.folder = os.path.abspath(folder)
        self._inside: tuple[str, ...] | None = None
        self._tracked: tuple[str, ...] | None = None

    @property
    def is_apart(self) -> bool:
        """True if the user chose the folder of the memory; it may be anywhere."""
        return self.folder != os.path.join(self.root, ".mind")

    @property
    def inside(self) -> tuple[str, ...]:
        """The real folders that may contain the project's files.

        The whole worktree is included, so that a package can share a file with its repository; a
        repository that is the user's home is not.
        """
        if self._inside is None:
            start = os.path.realpath(self.folder if self.is_apart else self.root)
            kept = os.path.realpath(os.path.join(user_folder(), "local"))
            self._inside = (gitindex.around(start), kept)
        return self._inside

    def crossing(self, path: str, *, named: bool = False) -> tuple[str, str] | None:
        """The link by which ``path`` leads outside, and its target; None if it stays inside.

        Git's folder counts as outside for paths that are not in it, because files written there can
        start programs.

        Args:
            path: Absolute path, as it will be opened. If it leads outside without a link, it is
                returned itself.
            named: The path comes from a file of the repository; otherwise from Mind, which may mean
                git's folder.
        """
        try:
            real = os.path.realpath(path)
        except ValueError:  # a NUL
            return path, path
        stays = real == self._plain(path) or self._is_of_git(path, real)
        if self._holds(real) or (stays and not (named and _is_gits(real))):
            return None
        return self._link(path) or (path, real)

    def _is_of_git(self, path: str, real: str) -> bool:
        """True if both are in git's folder of this repository, and that is not a link."""
        own = os.path.join(self.root, ".git")
        plain = os.path.join(os.path.realpath(self.root), ".git")
        return (
            gitindex.holds(own, path)
            and gitindex.holds(plain, real)
            and os.path.realpath(own) == plain
        )

    def _holds(self, real: str) -> bool:
        return any(
            gitindex.holds(one, real) and not _is_gits(real[len(one) :]) for one in self.inside
        )

    def _plain(self, path: str) -> str:
        """Absolute ``path`` if no name below the root is a link; "" if it leaves the root."""
        below = os.path.relpath(path, self.root)
        if ".." in path.split(os.sep) or below.startswith(os.pardir):
            return ""
        return os.path.join(os.path.realpath(self.root), below)

    def _link(self, path: str) -> tuple[str, str] | None:
        """First component of ``path`` that is a link out of the boundary."""
        at = self.root
        if not path.startswith(at + os.sep):
            return None
        for part in path[len(self.root) :].split(os.sep):
            at = os.path.join(at, part)
            if part and os.path.islink(at) and not self._holds(os.path.realpath(at)):
                folder, name = os.path.split(at)
                return os.path.join(os.path.realpath(folder), name), os.path.realpath(at)
        return None

    @property
    def tracked(self) -> tuple[str, ...]:
        """Machine-local state that git tracks: names of :data:`MACHINE`, in their order."""
        if self._tracked is None:
            names = gitindex.tracked(os.path.realpath(self.folder), MACHINE)
            self._tracked = tuple(name for name in MACHINE if name in names)
        return self._tracked

    @property
    def state(self) -> str:
        """Folder of machine-local state: the memory's, unless git tracks any of that state.

        In that case it is in the user's own folder, where it may not exist yet, and the state in
        the repository is ignored.
        """
        if not self.tracked:
            return self.folder
        from hashlib import blake2b  # noqa: PLC0415 - only where git tracks local state

        real = os.path.realpath(self.folder)
        digest = blake2b(os.fsencode(real), digest_size=5).hexdigest()
        name = os.path.basename(os.path.realpath(self.root)) or "root"
        return os.path.join(user_folder(), "local", f"{name}-{digest}")


def _is_gits(path: str) -> bool:
    """True if a path leads into git's folder, ignoring case."""
    return ".git" in path.lower().replace("\\", "/").split("/")
