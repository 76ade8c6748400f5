"""Names that git tracks, files that it wrote, and its settings, read without running git.

Imports only ``os`` and ``time``, because hooks use it.
"""

import os
import time

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ENTRY = 40
"""Bytes of an entry before its object name."""
_FLAGS = 2
_LOCK_SECONDS = 60
_SPLIT = b"link"
"""Extension that names a shared index with most of the entries."""


def read(path: "str | os.PathLike[str]") -> bytes:
    """Return the bytes of a file; empty if it cannot be read or is not a regular file."""
    if not os.path.isfile(path):  # opening a pipe would block
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def settings(content: str) -> "Iterator[tuple[str, str, str]]":
    """Section, key and value of each line of a git configuration, as git-config(1) has them.

    Section (without its name in quotes) and key are in lower case; a key without a value is "true".
    """
    section = ""
    for line in content.split("\n"):
        rest = line.strip()
        if rest.startswith("["):
            head, _, rest = rest[1:].partition("]")
            section = head.partition('"')[0].strip().lower()
        key, has_value, value = rest.partition("=")
        if key.strip():
            yield section, key.strip().lower(), value.strip() if has_value else "true"


def stamp(path: "str | os.PathLike[str]") -> str:
    """Return a value that changes when the file changes; "" if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def worktree(start: str) -> tuple[str, str]:
    """Top of the worktree around ``start``, and its git folder; "" for none.

    Args:
        start: A real path.
    """
    folder = start
    while True:
        pointer = os.path.join(folder, ".git")
        if os.path.lexists(pointer):
            return folder, _git_folder(pointer)
        parent = os.path.dirname(folder)
        if parent == folder:
            return "", ""
        folder = parent


def around(start: str) -> str:
    """Worktree around ``start``, unless that also contains the user's home.

    Args:
        start: A real path; returned unchanged if there is no repository.
    """
    top, _ = worktree(start)
    return top if top and not holds(top, os.path.realpath(os.path.expanduser("~"))) else start


def holds(folder: str, path: str) -> bool:
    """Return whether ``path`` is ``folder`` or below it; both are real paths."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _git_folder(pointer: str) -> str:
    if not os.path.isfile(pointer):
        return pointer
    named = os.fsdecode(read(pointer)).removeprefix("gitdir:").strip()
    return os.path.join(os.path.dirname(pointer), named)


def tracked(folder: str, names: "tuple[str, ...]") -> frozenset[str]:
    """Subset of ``names`` that git tracks in ``folder``, as files or as folders with contents.

    A link counts as its target. Case is ignored, because some file systems ignore it.

    Args:
        folder: A real path.
        names: Names of files and folders in it.
    """
    top, git = worktree(folder)
    if not git:
        return frozenset()
    wanted = {}
    for name in names:
        path = os.path.join(folder, name)
        wanted[_indexed(path, top)] = name
        if os.path.islink(path):
            wanted[_indexed(os.path.realpath(path), top)] = name
    above, own = os.path.split(folder)
    is_folded = os.path.lexists(os.path.join(above, own.swapcase()))
    common = b"" if is_folded else os.path.commonpath(wanted)
    found: set[str] = set()
    for content in _indexes(git):
        if _may_hold(content, common, wanted):
            found |= _found(content, wanted, 32 if _is_long(git) else 20)
    return frozenset(found)


def _indexed(path: str, top: str) -> bytes:
    """Path ``path`` as spelled in an index."""
    return os.fsencode(os.path.relpath(path, top)).replace(b"\\", b"/")


def _indexes(git: str) -> "list[bytes]":
    """The index, and the shared one if it is split."""
    own = read(os.path.join(git, "index"))
    try:
        names = os.listdir(git) if _SPLIT in own else []
    except OSError:
        names = []
    shared = [name for name in names if name.startswith("sharedindex.")]
    return [own, *(read(os.path.join(git, name)) for name in shared)]


def common(git: str) -> str:
    """Git folder of the repository to which a worktree belongs."""
    named = os.fsdecode(read(os.path.join(git, "commondir"))).strip()
    return os.path.normpath(os.path.join(git, named))


def _is_long(git: str) -> bool:
    """True if object names are SHA-256."""
    config = read(os.path.join(common(git), "config")).lower()
    return b"objectformat" in config and b"sha256" in config


def is_locked(path: str) -> bool:
    """Return whether git is changing the index of the worktree around ``path``, a real path.

    A lock from more than a minute ago was left by a crash.
    """
    _, git = worktree(os.path.dirname(path))
    try:
        locked = os.lstat(os.path.join(git, "index.lock")).st_mtime
    except OSError:
        return False
    return bool(git) and time.time() - locked < _LOCK_SECONDS


def _may_hold(content: bytes, common: bytes, wanted: "Iterable[bytes]") -> bool:
    """Check quickly whether a name may be in an index.

    An index can have megabytes; its paths are sorted.

    Args:
        content: The index.
        common: Folder that contains all names.
        wanted: The names, from the top of the worktree.
    """
    if content[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):  # other versions compress paths
        return True
    first, last = content.find(common), content.rfind(common)
    near = content[first : last + max(map(len, wanted))].lower() if first >= 0 else b""
    return any(one.lower() in near for one in wanted)


def _found(content: bytes, wanted: "dict[bytes, str]", digest: int) -> set[str]:
    folded = {one.lower(): name for one, name in wanted.items()}
    return {
        name
        for path in _paths(content, int.from_bytes(content[4:8], "big"), digest)
        for one, name in folded.items()
        if (path.lower() + b"/").startswith(one + b"/")
    }


def _paths(content: bytes, version: int, digest: int) -> "Iterator[bytes]":
    """Paths in an index of version 2, 3 or 4; none if it is not an index.

    See gitformat-index(5).
    """
    if content[:4] != b"DIRC" or version not in (2, 3, 4):
        return
    at, last = 12, b""
    for _ in range(int.from_bytes(content[8:12], "big")):
        flags = at + _ENTRY + digest
        is_extended = version > 2 and content[flags : flags + 1] > b"" and content[flags] & 0x40
        begin = flags + _FLAGS + (2 if is_extended else 0)
        if version == 4:
            strip, begin = _number(content, begin)
            end = content.find(b"\0", begin)
            last = last[: len(last) - strip] + content[begin:end]
            at = end + 1
        else:
            end = content.find(b"\0", begin)
            last = content[begin:end]
            at += (end - at + 8) // 8 * 8
        if end < 0:
            return
        yield last


def _number(content: bytes, at: int) -> "tuple[int, int]":
    """Variable-length number, encoded as in pack files, and its end."""
    byte = content[at] if at < len(content) else 0
    value = byte & 0x7F
    while byte & 0x80 and at + 1 < len(content):
        at += 1
        byte = content[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1
