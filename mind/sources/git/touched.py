"""Which commits changed a file, and which files the repository tracks: for judging old entries."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

from mind.sources.git.repository import ask, folder_of
from mind.sources.pointers import bytes_of, text_of

_SECONDS = 1.0
"""A search waits no longer for git."""
MOST = 5_000
"""Commits that are listed."""
_SLACK = timedelta(days=2)
"""A day begins at other moments elsewhere."""
_BARE = re.compile(r"^\s*bare\s*=\s*true", re.IGNORECASE | re.MULTILINE)
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Checkout:
    """What a worktree tracks.

    Attributes:
        names: Git's index as it is stored, where it holds whole names; else empty.
        submodules: Their folders.
        partial: Not every tracked file is in it (a sparse checkout), or no file at all (a bare
            one), or the index cannot tell.
    """

    names: bytes
    submodules: tuple[str, ...]
    partial: bool
    _known: dict[str, bool] = field(default_factory=dict, compare=False)

    def elsewhere(self, path: str) -> bool:
        """Whether a tracked file or folder further down is called ``path`` too."""
        if path not in self._known:
            name = b"/" + path.encode("utf-8", "surrogateescape")
            self._known[path] = any(self._holds(name + end) for end in (b"\0", b"/"))
        return self._known[path]

    def _holds(self, ending: bytes) -> bool:
        """Before a name stands its length, which can be a slash too, behind a low byte."""
        at = self.names.find(ending)
        while at > 0 and self.names[at - 1] < 0x20:
            at = self.names.find(ending, at + 1)
        return at > 0


def checkout(top: Path) -> Checkout:
    """What the worktree that begins at ``top`` tracks, read from git's own files."""
    folder = folder_of(top) or top
    try:
        now = (folder / "index").stat()
    except OSError:
        return _checkout(top, folder, (0, 0))
    return _checkout(top, folder, (now.st_mtime_ns, now.st_size))


@lru_cache(maxsize=4)
def _checkout(top: Path, folder: Path, _stamp: tuple[int, int]) -> Checkout:
    """Read again when git wrote its index: a search need not look through all of it twice."""
    names = _index(folder)
    sparse = (folder / "info" / "sparse-checkout").exists()
    bare = _BARE.search(text_of(folder / "config")) is not None
    return Checkout(
        names=names,
        submodules=tuple(_SUBMODULE.findall(text_of(top / ".gitmodules"))),
        partial=sparse or bare or not names,
    )


def is_shallow(top: Path) -> bool:
    """Whether the history was cut: its first commit then seems to add every file."""
    folder = folder_of(top) or top
    return (folder / text_of(folder / "commondir") / "shallow").exists()


def _index(folder: Path) -> bytes:
    """Empty in version 4, which shortens names, and where there is none."""
    data = bytes_of(folder / "index")
    return data if data[:8] in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3") else b""


def touched(
    top: Path, head: str, paths: Iterable[str], since: date | None
) -> list[tuple[date, list[str]]] | None:
    """Commits up to ``head`` that changed ``paths``: their days and the files, newest first.

    Args:
        top: Where the worktree begins; paths begin there.
        head: The hash of a commit.
        paths: Files or folders, which need not exist any more; none for all there are.
        since: Earlier commits are left out; None for none.

    Returns:
        None if git cannot tell, or not soon enough.
    """
    answer = ask(
        top, "log", "-z", "--name-only", "--no-renames", "--no-relative", "--no-follow",
        "--full-history", f"--max-count={MOST}", *bound(since),
        "--format=tformat:%x01%cs", head, "--", *(f":(top,literal){path}" for path in paths),
        seconds=_SECONDS,
    )  # fmt: skip
    return _commits(answer.output) if answer.status == 0 else None


def everything(top: Path, head: str) -> dict[str, list[date]] | None:
    """For every file there was the days of the commits that changed it, newest first.

    Returns:
        None if git cannot tell, or not soon enough, or if there are too many commits.
    """
    commits = touched(top, head, (), None)
    if commits is None or len(commits) >= MOST:
        return None
    days: dict[str, list[date]] = {}
    for day, names in commits:
        for name in names:
            days.setdefault(name, []).append(day)
    return days


def bound(since: date | None) -> list[str]:
    """The option that leaves out what is before a day."""
    if since is None or since - date.min <= _SLACK:
        return []
    return [f"--since={since - _SLACK}T00:00:00"]


def _commits(output: bytes) -> list[tuple[date, list[str]]]:
    found: list[tuple[date, list[str]]] = []
    for part in output.decode("utf-8", "surrogateescape").split("\0"):
        text = part.lstrip("\n")
        if text.startswith("\x01"):
            found.append((date.fromisoformat(text[1:11]), []))
        elif text:
            found[-1][1].append(text)
    return found
