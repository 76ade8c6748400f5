"""Projects: root, paths of the memory, and the user's list of projects."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mind.domain.errors import FileError, LeadsOutside, NewerVersion, ProjectError
from mind.domain.settings import Settings, load_around
from mind.storage import files, gitindex
from mind.storage.boundary import Boundary, absolute, home, is_project, own_memory, project_above
from mind.text import lazy_pattern
from mind.text.secrets import mask

SCHEMA_VERSION = 1
"""Version of the settings and state formats that this version of Mind uses."""


@dataclass(frozen=True)
class Project:
    """A folder with a ``.mind``, and the paths of its memory's files.

    Attributes:
        root: Base of relative paths.
        apart: Folder of the memory if it is not ``.mind`` in ``root``.
    """

    root: Path
    apart: Path | None = None

    def __post_init__(self) -> None:
        """Confine the project's files to its repository."""
        if not self.is_own:
            files.enclose(self.root, self.folder)

    @property
    def name(self) -> str:
        """The folder's name."""
        return "global" if self.is_own else self.root.name

    @cached_property
    def folder(self) -> Path:
        """``.mind``, or the folder used instead."""
        return self.apart or self.root / ".mind"

    @property
    def is_own(self) -> bool:
        """Return whether this is the user's own memory, which belongs to no project."""
        return self.apart is not None and self.apart == own_memory().absolute()

    def anew(self) -> "Project":
        """Copy of this project without cached settings."""
        return Project(self.root, self.apart)

    @cached_property
    def boundary(self) -> Boundary | None:
        """Boundary of the project's files; None for the user's own memory."""
        return None if self.is_own else files.boundary_of(self.folder)

    @cached_property
    def machine(self) -> Path:
        """Folder of machine-local state: ``folder``, unless git tracks any of that state."""
        return files.content.keep(self.boundary) if self.boundary else self.folder

    @property
    def memory(self) -> Path:
        """Long-term memory."""
        return self.folder / "MEMORY.md"

    @property
    def session(self) -> Path:
        """Buffer of the running session."""
        return self.machine / "SESSION.md"

    @property
    def last_session(self) -> Path:
        """Buffer of the previous session."""
        return self.machine / "SESSION.last.md"

    @property
    def reminders(self) -> Path:
        """Time and context reminders."""
        return self.folder / "REMINDERS.md"

    @property
    def reminder_marks(self) -> Path:
        """Times when reminders were shown here, and when hand-written times were first read."""
        return self.machine / "reminders.json"

    @property
    def archive(self) -> Path:
        """Superseded and forgotten entries."""
        return self.folder / "ARCHIVE.md"

    @property
    def texts(self) -> tuple[Path, ...]:
        """The memory's own texts."""
        return (self.memory, self.session, self.last_session, self.reminders, self.archive)

    @property
    def config(self) -> Path:
        """The project's settings."""
        return self.folder / "config.json"

    @property
    def state(self) -> Path:
        """Last activity and the running session."""
        return self.machine / "state.json"

    @property
    def events(self) -> Path:
        """The usage log."""
        return self.machine / "events.jsonl"

    @property
    def pending(self) -> Path:
        """Claims about the person that await confirmation."""
        return self.machine / "pending.json"

    @property
    def cache(self) -> Path:
        """Derived data."""
        return self.machine / "cache"

    @property
    def lock(self) -> Path:
        """Lock that Mind's writers take."""
        return self.machine / "cache" / "lock"

    def readable(self) -> "Project":
        """Return the project, unless a newer version of Mind wrote its settings or state.

        Raises:
            NewerVersion: One did, in an unknown format.
        """
        for path in (self.config, self.state):
            try:
                data = files.read_json(path)
            except FileError:  # reported when its content is read
                continue
            version = data.get("schema_version") if isinstance(data, dict) else None
            if isinstance(version, int) and version > SCHEMA_VERSION:
                raise NewerVersion(self.relative(path), version, SCHEMA_VERSION)
        return self

    @property
    def settings(self) -> Settings:
        """Effective settings; an invalid file is ignored."""
        return self._loaded[0]

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems with the settings, and with state that git tracks, each with its remedy."""
        tracked = self.boundary.tracked if self.boundary else ()
        wrong = map(mask, self._loaded[1])  # may quote values of the settings
        return (*wrong, *([self._ignored(tracked)] if tracked else []))

    def _ignored(self, tracked: Sequence[str]) -> str:
        names = [self._shown(self.folder / name) for name in tracked]
        return (
            f"Git tracks {', '.join(names)}, which belong to one machine: they are ignored. "
            f"Run `git rm -r --cached {' '.join(names)}` and commit that."
        )

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    @cached_property
    def _loaded(self) -> tuple[Settings, tuple[str, ...]]:
        own = home() / "config.toml"
        try:
            files.check(self.config)
        except LeadsOutside as error:
            return load_around(None, own)[0], (str(error),)
        return load_around(self.config, own)

    def relative(self, path: Path) -> str:
        """``path`` relative to the project's root, with ``/``.

        Machine-local state is shown under its usual name even if it is stored elsewhere.
        """
        if path.is_relative_to(self.machine):
            path = self.folder / path.relative_to(self.machine)
        return self._shown(path)


def find(start: Path | None = None) -> Project:
    """The project that serves ``start``.

    An explicit ``start`` wins over ``MIND_DIR``, which wins over ``MIND_PROJECT``, which wins over
    ``CLAUDE_PROJECT_DIR``, which wins over the working directory. ``MIND_DIR`` is the folder of a
    memory, whatever its name. The others are start folders: the project is the nearest folder
    upwards with a ``.mind``. The user's own ``~/.mind`` never counts, and the search stays within
    the nearest git repository.

    Raises:
        ProjectError: No project found; the remedy explains how to create one.
    """
    memory = None if start else named_memory()
    if memory is not None:
        return _existing(memory).readable()
    named = start or os.environ.get("MIND_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
    origin = _absolute(named)
    if not origin.is_dir():
        raise ProjectError(f"{origin} is not a directory", path=str(origin))
    root = project_above(str(origin))
    if not root:
        within = " within its git repository" if gitindex.worktree(str(origin))[0] else ""
        raise ProjectError(f"no .mind in {origin} or above it{within}", path=str(origin))
    return Project(Path(root)).readable()


def _absolute(named: "str | Path | None") -> Path:
    """Absolute path of ``named``, or the working folder.

    Raises:
        ProjectError: The working folder was deleted.
    """
    try:
        return Path(absolute(Path(named).expanduser())) if named else Path.cwd()
    except FileNotFoundError:
        raise ProjectError(
            "the working folder was deleted", remedy="Change to a folder that is there."
        ) from None


def use(folder: Path) -> None:
    """Use ``folder`` as the memory, for this process and its children."""
    os.environ["MIND_DIR"] = str(folder.absolute())


def named_memory() -> Project | None:
    """Memory in the folder that ``MIND_DIR`` names, which may not exist; None if it is not set."""
    named = os.environ.get("MIND_DIR")
    if not named:
        return None
    folder = Path(named).expanduser().absolute()
    if folder == own_memory().absolute():
        return Project(folder, folder)
    return Project(folder.parent) if folder.name == ".mind" else Project(folder.parent, folder)


def _existing(project: Project) -> Project:
    if project.folder.is_dir():
        return project
    if project.is_own:
        raise ProjectError(
            "you have no memory of your own yet",
            remedy="Run `mind --global init`, or record something: `mind --global log TEXT`.",
            path=str(project.folder),
        )
    raise ProjectError(
        f"MIND_DIR names {project.folder}, which is not a directory",
        remedy="Correct or unset it, or run `mind init` to make a memory there.",
        path=str(project.folder),
    )


def others(than: Project) -> list[Project]:
    """All other memories of this user: those of registered projects, and the user's own."""
    found = [Project(root) for root in registered()]
    own = own_memory().absolute()
    found += [Project(own, own)] if own.is_dir() else []
    return [one for one in found if one.folder != than.folder]


def registered() -> list[Path]:
    """Roots of registered projects that exist, in order of registration."""
    return [root for root in _listed() if is_project(root)]


def register(root: Path) -> bool:
    """Add ``root`` to the user's list; False if it was already listed.

    It replaces a missing folder with the same git remote, because the project has moved.
    """
    listed = _listed()
    of = remote(root)
    if root in listed:
        if of not in {"", listed[root]}:
            _store({**listed, root: of})
        return False
    staying = {one: its for one, its in listed.items() if not of or its != of or one.exists()}
    _store({**staying, root: of})
    return True


def unregister(root: Path) -> bool:
    """Remove ``root`` from the user's list; False if it was not listed."""
    listed = _listed()
    if root not in listed:
        return False
    del listed[root]
    _store(listed)
    return True


def prune() -> list[Path]:
    """Remove missing projects from the list, and return them."""
    listed = _listed()
    gone = [root for root in listed if not is_project(root)]
    if gone:
        _store({root: of for root, of in listed.items() if root not in gone})
    return gone


def _listed() -> dict[Path, str]:
    """Root of each project in the user's list → its git remote, "" if none is known."""
    data = files.read_json(home() / "projects.json")
    rows = data.get("projects") if isinstance(data, dict) else None
    return {
        Path(row["path"]): row.get("remote") or ""
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and isinstance(row.get("path"), str)
    }


_ADDRESS = lazy_pattern(
    r"(?:[a-z+]+://)?(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+(?=/))?[:/]+(?P<path>.+)"
)


def remote(root: Path) -> str:
    """First git remote of ``root``, as "host/owner/name"; "" if there is none."""
    _, git = gitindex.worktree(os.path.realpath(root))
    config = (
        gitindex.read(f"{gitindex.common(git)}/config").decode("utf-8", "replace") if git else ""
    )
    urls = (
        value.split()[0]
        for section, key, value in gitindex.settings(config)
        if (section, key) == ("remote", "url") and value
    )
    address = _ADDRESS.fullmatch(next(urls, ""))
    if address is None:
        return ""
    return f"{address['host']}/{address['path'].strip('/').removesuffix('.git')}".casefold()


def worktrees(root: Path) -> list[tuple[Path, str]]:
    """Other worktrees of the project's repository that contain it, each with its branch.

    Only worktrees made by git count: repository and worktree must refer to each other.
    """
    top, git = gitindex.worktree(os.path.realpath(root))
    own = Path(git)
    common = Path(gitindex.common(git))
    names_it = str(common.parent) if common == own else _text(own / "gitdir").removesuffix("/.git")
    if not git or names_it != top:  # a pointer from the repository itself may lead anywhere
        return []
    places = [(common.parent, common)] if common.name == ".git" else []
    with suppress(OSError):
        for one in sorted((common / "worktrees").iterdir()):
            pointer = Path(_text(one / "gitdir"))
            if _text(pointer) == f"gitdir: {one}":
                places.append((pointer.parent, one))
    below = os.path.relpath(os.path.realpath(root), top)
    return [
        (place / below if below != "." else place, _text(folder / "HEAD").rpartition("heads/")[2])
        for place, folder in places
        if str(place) != top and is_project(place / below)
    ]


def _text(path: Path) -> str:
    return gitindex.read(path).decode("utf-8", "replace").strip()


def _store(listed: Mapping[Path, str]) -> None:
    """Store the list; remotes that were not known yet are looked up."""
    own = home()
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    rows = [
        {"name": root.name, "path": str(root)}
        | ({"remote": of} if (of := known or remote(root)) else {})
        for root, known in listed.items()
    ]
    files.write_json(own / "projects.json", {"schema_version": 1, "projects": rows})
