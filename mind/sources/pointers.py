"""Pointers from git's folder into other repositories, which a copied folder can hold.

Nobody can clone them, since git tracks nothing in ``.git``, but an unpacked archive can have them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mind.storage.gitindex import holds

_WORKTREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_BARE = re.compile(r"^\s*bare\s*(?:=\s*(?:true|yes|on|1)\s*)?$", re.MULTILINE | re.IGNORECASE)
_LINKED = ("", "objects", "objects/pack", "objects/info")
"""Folders of git's folder in which links are looked for."""


def elsewhere(top: Path, git: Path) -> tuple[str, str] | None:
    """The path that takes git to a repository of which ``top`` is no worktree, and where to.

    The git folder of a linked worktree or a submodule is in another place too, but it names the
    worktree in turn, and its author is the user. One of ``git init --separate-git-dir`` names none,
    and is in no other worktree.

    Args:
        top: The top of a worktree.
        git: What ``.git`` in it is or names.
    """
    real, worktree = os.path.realpath(git), os.path.realpath(top)
    if not holds(worktree, real):
        return None if _serves(Path(real), worktree) else (str(top / ".git"), real)
    for path, target in _pointers(git):
        led = os.path.realpath(target)
        if not holds(worktree, led):
            return path, led
    return None


def _serves(git: Path, worktree: str) -> bool:
    """Whether ``git`` says that ``worktree`` is its own, or stands apart and serves no other."""
    pointer = text_of(git / "gitdir")
    settings = text_of(git / "config") + "\n" + text_of(git / "config.worktree")
    named = _WORKTREE.search(settings)
    if pointer:
        return os.path.realpath(git / pointer) == str(Path(worktree, ".git"))
    if named:
        return os.path.realpath(git / named[1].strip('"')) == worktree
    return git.name != ".git" and not _BARE.search(settings)


def _pointers(git: Path) -> Iterator[tuple[str, str]]:
    """Every path in git's folder that stands for another one, and that one."""
    common = git / "commondir"
    if text_of(common):
        yield str(common), str(git / text_of(common))
    alternates = git / "objects" / "info" / "alternates"
    for line in text_of(alternates).splitlines():
        yield str(alternates), str(git / "objects" / line.strip('"'))
    for folder in (*_LINKED, *(at for at, _, _ in os.walk(git / "refs"))):
        yield from ((path, path) for path in _links(git / folder))


def _links(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [one.path for one in found if one.is_symlink()]
    except OSError:
        return []


def text_of(path: Path) -> str:
    """The stripped text of one of git's small files; "" if it cannot be read."""
    return bytes_of(path).decode("utf-8", "surrogateescape").strip()


def bytes_of(path: Path) -> bytes:
    """One of git's files; b"" if it cannot be read, or is no file: reading a pipe would hang."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
