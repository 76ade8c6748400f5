"""The place in which a hostile repository is built: the repository, and what lies around it."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.hostile_repositories.template import EMPTY_MARKER, made

PROGRAMS = Path(sys.executable).parent
"""Where ``mind`` and ``mind-hook`` of this installation are."""
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
_LENGTH = len(EMPTY_MARKER)


@dataclass(frozen=True)
class Site:
    """A user's machine in a folder, with one repository on it.

    Attributes:
        base: Holds all of it.
        number: Tells this one from others: the markers carry it.
        guarded: Further files and folders that may not change.
        brought: Files of the repository that hold forged state, from ``base``.
    """

    base: Path
    number: int
    guarded: list[Path] = field(default_factory=list)
    brought: set[str] = field(default_factory=set)

    @property
    def repo(self) -> Path:
        """The repository that somebody else made."""
        return self.base / "work" / "app"

    @property
    def mind(self) -> Path:
        """Its memory."""
        return self.repo / ".mind"

    @property
    def outside(self) -> Path:
        """What the repository must not reach; the user's home is in it."""
        return self.base / "outside"

    @property
    def home(self) -> Path:
        """The user's home."""
        return self.outside / "home"

    @property
    def own(self) -> Path:
        """MIND_HOME, the one place besides the repository that Mind may write to."""
        return self.base / "own"

    @property
    def temporary(self) -> Path:
        """For temporary files."""
        return self.base / "tmp"

    @property
    def started(self) -> Path:
        """A folder in which every command of the repository leaves a file."""
        return self.base / "started"

    @property
    def marker(self) -> str:
        """Part of every file outside: it may be in no answer and in no file of Mind's."""
        return f"zq{self.number:0{_LENGTH - 2}x}"

    @property
    def forged(self) -> str:
        """Part of machine state that the repository brought: it may be in no answer."""
        return f"zx{self.number:0{_LENGTH - 2}x}"

    # --- building -----------------------------------------------------------------------------

    def write(self, name: str, text: str | bytes, *, mode: int | None = None) -> Path:
        """Write a file of the repository; what is there is replaced, with folders as needed."""
        return put(self.repo / name, text, mode=mode)

    def secret(self, name: str, text: str | bytes | None = None) -> Path:
        """A file of the user's outside of the repository, with the marker in it."""
        said = f"# secret {self.marker}\n" if text is None else text
        return put(self.outside / name, said)

    def link(self, name: str, target: str | Path) -> Path:
        """Put a link into the repository, in the place of whatever is there."""
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        remove(path)
        path.symlink_to(target)
        return path

    def relative(self, name: str, target: Path) -> str:
        """``target`` as a link called ``name`` would name it relatively."""
        return os.path.relpath(target, (self.repo / name).parent)

    def moved(self, name: str, to: str) -> Path:
        """Move a file or folder within the repository and leave a relative link."""
        there = self.repo / to
        there.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(self.repo / name):
            (self.repo / name).rename(there)
        return self.link(name, self.relative(name, there))

    def touching(self, name: str) -> str:
        """A shell command that leaves a trace."""
        return f"touch {self.started / name}"

    def script(self, name: str, trace: str = "") -> Path:
        """A program in the repository that leaves a trace, and passes its input on."""
        text = f"#!/bin/sh\n{self.touching(trace or Path(name).name)}\ncat\n"
        return self.write(name, text, mode=0o755)

    def git(self, *arguments: str, feed: str | None = None) -> str:
        """Run git in the repository, as its author does."""
        return git(self.repo, *arguments, feed=feed)

    def commit(self, *names: str, message: str = "Add more") -> None:
        """Commit these files, or all, ignored ones too."""
        self.git("add", "--force", "--", *(names or (".",)))
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def environment(self) -> dict[str, str]:
        """What the user's processes run with."""
        return {
            "PATH": f"{PROGRAMS}:{SYSTEM}",
            "HOME": str(self.home),
            "MIND_HOME": str(self.own),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "USER_SECRET": self.marker,
            "COLUMNS": "400",
            "GIT_CONFIG_NOSYSTEM": "1",
            **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
        }


_GIT = {
    "PATH": SYSTEM,
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Stranger",
    "GIT_AUTHOR_EMAIL": "stranger@example.org",
    "GIT_COMMITTER_NAME": "Stranger",
    "GIT_COMMITTER_EMAIL": "stranger@example.org",
    "GIT_AUTHOR_DATE": "2026-11-01T10:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-01T10:00:00Z",
}


def git(folder: Path, *arguments: str, feed: str | None = None) -> str:
    """Run git in ``folder``."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=_GIT, input=feed, check=True, capture_output=True,
        encoding="utf-8",
    )  # fmt: skip
    return done.stdout.strip()


def put(path: Path, text: str | bytes, *, mode: int | None = None) -> Path:
    """Write a file; what is there is replaced, with folders as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(path)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if mode is not None:
        path.chmod(mode)
    return path


def remove(path: Path) -> None:
    """Delete a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@cache
def template() -> Path:
    """The folder of what sites are copied from; made once a process."""
    return made(Path(mkdtemp(prefix="mind-template-")))


def site(base: Path, number: int) -> Site:
    """A fresh machine in ``base`` (which is emptied) with an ordinary repository on it."""
    remove(base)
    here = Site(base, number)
    shutil.copytree(template() / "app", here.repo, symlinks=True)
    shutil.copytree(template() / "own", here.own)
    for folder in (here.home, here.temporary, here.started):
        folder.mkdir(parents=True)
    here.secret("home/.bashrc", f"export SECRET={here.marker}\n")
    here.secret("home/docs/letter.md", f"# Letter\n\n- decided: {here.marker} letter\n")
    here.secret("home/docs/deep/photo.bin", f"{here.marker}\0\1\2".encode())
    here.secret("notes.md", f"# Notes\n\n- decided: {here.marker} notes - outside\n")
    return here


def index_of_another(here: Site) -> bytes:
    """An index of another project, whose entries carry the marker."""
    return (template() / "index.db").read_bytes().replace(EMPTY_MARKER, here.marker.encode())
