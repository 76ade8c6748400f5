"""Names that git tracks, read from its index file; no git is started, and only ``os`` imported."""

import os

TYPE_CHECKING = False  # typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENTRY = 40
"""Bytes of an entry before its object name."""
_FLAGS = 2
_SPLIT = b"link"
"""The extension that names another file with most of the entries."""


def worktree(start: str) -> tuple[str, str]:
    """The top of the worktree that ``start`` is in, and git's folder for it; "" for none.

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


def _git_folder(pointer: str) -> str:
    if not os.path.isfile(pointer):
        return pointer
    named = os.fsdecode(_read(pointer)).removeprefix("gitdir:").strip()
    return os.path.join(os.path.dirname(pointer), named)


def tracked(folder: str, names: "tuple[str, ...]") -> frozenset[str]:
    """Which of ``names`` git tracks in ``folder``, as files or as folders with something in them.

    A link counts as what it leads to. Upper and lower case are the same here: on some file systems
    they name the same file.

    Args:
        folder: A real path.
        names: Of files and folders in it.
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
    found: set[str] = set()
    for content in _indexes(git):
        found |= _found(content, wanted, _is_long(git))
    return frozenset(found)


def _indexed(path: str, top: str) -> bytes:
    """How an index names ``path``, in lower case."""
    return os.fsencode(os.path.relpath(path, top)).replace(b"\\", b"/").lower()


def _indexes(git: str) -> "list[bytes]":
    """The index, and the one that it shares with others if it is split."""
    own = _read(os.path.join(git, "index"))
    if _SPLIT not in own:
        return [own]
    shared = [name for name in _names_in(git) if name.startswith("sharedindex.")]
    return [own, *(_read(os.path.join(git, name)) for name in shared)]


def _names_in(folder: str) -> "list[str]":
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_long(git: str) -> bool:
    """Object names are of SHA-256."""
    common = os.fsdecode(_read(os.path.join(git, "commondir"))).strip()
    config = _read(os.path.join(git, common, "config")).lower()
    return b"objectformat" in config and b"sha256" in config


def _found(content: bytes, wanted: "dict[bytes, str]", is_long: bool) -> set[str]:
    version = int.from_bytes(content[4:8], "big")
    small = content.lower()
    if version in (2, 3) and not any(one in small for one in wanted):
        return set()  # the usual case, told without reading entry by entry
    found = set()
    for path in _paths(content, version, 32 if is_long else 20):
        folded = path.lower()
        found |= {
            name for one, name in wanted.items() if folded == one or folded.startswith(one + b"/")
        }
    return found


def _paths(content: bytes, version: int, digest: int) -> "Iterator[bytes]":
    """The names in an index of version 2, 3 or 4; none of what is no index.

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
    """A number of variable length, as pack files have them, and where it ends."""
    byte = content[at] if at < len(content) else 0
    value = byte & 0x7F
    while byte & 0x80 and at + 1 < len(content):
        at += 1
        byte = content[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1


def _read(path: str) -> bytes:
    if not os.path.isfile(path):  # opening a pipe would wait for whoever writes into it
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
