"""The boundary of a repository: no path that it names leads outside, and no state comes with it.

A clone decides what the names in it are: ``.mind/cache`` may be a link to somebody's documents,
and ``.mind/state.json`` may be tracked and say whatever its author wants. So every access to a
project's files asks here first where the path really leads, and what belongs to one machine is
kept elsewhere where git tracks it. Imports only ``os``: hooks ask too.
"""

import os

from mind.storage import gitindex

MACHINE = (
    "SESSION.md", "SESSION.last.md", "state.json", "events.jsonl", "pending.json",
    "reminders.json", "cache", ".recent.tmp",
)  # fmt: skip
"""Names in the folder of a memory that belong to one machine; git should ignore them."""


def absolute(path: "str | os.PathLike[str]") -> str:
    """``path`` from the root and without "..", as a shell understands it: links stay."""
    return os.path.abspath(path)


def user_folder() -> str:
    """``MIND_HOME``, else ``~/.mind``."""
    return os.environ.get("MIND_HOME") or os.path.join(os.path.expanduser("~"), ".mind")


class Boundary:
    """The boundary of one project's files.

    Args:
        root: The project's folder, as the user named it.
        folder: The folder of its memory: ``.mind`` in ``root``, or one that the user named.

    Attributes:
        root: The same, absolute.
        folder: The same, absolute.
    """

    __slots__ = ("_inside", "_tracked", "folder", "root")

    def __init__(self, root: str, folder: str) -> None:
        self.root = os.path.abspath(root)
        self.folder = os.path.abspath(folder)
        self._inside: tuple[str, ...] | None = None
        self._tracked: tuple[str, ...] | None = None

    @property
    def is_apart(self) -> bool:
        """True if the user named the folder of the memory itself: it may be anywhere."""
        return self.folder != os.path.join(self.root, ".mind")

    @property
    def inside(self) -> tuple[str, ...]:
        """The real folders in which the project's files may be.

        The whole worktree counts, so that a package may share a file with the repository around
        it; a repository that is the user's home does not.
        """
        if self._inside is None:
            start = os.path.realpath(self.folder if self.is_apart else self.root)
            kept = os.path.realpath(os.path.join(user_folder(), "local"))
            self._inside = (gitindex.around(start), kept)
        return self._inside

    def crossing(self, path: str, *, named: bool = False) -> tuple[str, str] | None:
        """The link by which ``path`` leads outside, and where to; None if it stays inside.

        Git's own folder is outside for all that is not in it: what is written there can start
        programs.

        Args:
            path: Absolute, as it is going to be opened. One that needs no link to leave is told
                itself.
            named: The repository names it in a file; else Mind does, which may mean git's folder.
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
        """True if both are in git's folder of this repository, which is no link."""
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
        """The place of ``path`` if no name below the root is a link; "" if it leaves the root."""
        below = os.path.relpath(path, self.root)
        if ".." in path.split(os.sep) or below.startswith(os.pardir):
            return ""
        return os.path.join(os.path.realpath(self.root), below)

    def _link(self, path: str) -> tuple[str, str] | None:
        """The first name on the way to ``path`` that is a link out of the boundary."""
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
        """State of this machine that git tracks: names of :data:`MACHINE`, in their order."""
        if self._tracked is None:
            names = gitindex.tracked(os.path.realpath(self.folder), MACHINE)
            self._tracked = tuple(name for name in MACHINE if name in names)
        return self._tracked

    @property
    def state(self) -> str:
        """The folder of this machine's state: that of the memory, unless git tracks any of it.

        Then it is one of the user's own, and what came with the repository is ignored.
        """
        return self.kept if self.tracked else self.folder

    @property
    def kept(self) -> str:
        """The user's own folder for the state of this project, there or not."""
        from hashlib import blake2b  # noqa: PLC0415 - only where git tracks what it should not

        real = os.path.realpath(self.folder)
        digest = blake2b(os.fsencode(real), digest_size=5).hexdigest()
        name = os.path.basename(os.path.realpath(self.root)) or "root"
        return os.path.join(user_folder(), "local", f"{name}-{digest}")


def _is_gits(path: str) -> bool:
    """True if a path leads into git's folder, in upper or lower case."""
    return ".git" in path.lower().replace("\\", "/").split("/")
