"""New content is written beside a file, and then takes its place at once."""

import contextlib
import json
import os
import re
import time
from pathlib import Path

from mind.storage.files.content import BOM, opened, read, resolved, translating
from mind.storage.files.system import (
    BINARY,
    lives,
    replace,
    set_mode,
    sync_file,
    sync_folder,
    take_after,
)

_LEFT = re.compile(r"\.(?P<name>.+)\.(?P<process>\d+)(?P<chance>-[0-9a-f]{8})?\.tmp")
MINUTE = 60


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data`` where the descriptor stands."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def written(
    path: Path, data: bytes, *, like: int | None = None, mode: int | None = None, sync: bool = True
) -> Path:
    """A new file beside ``path`` that holds ``data``.

    Args:
        path: The file whose place it will take.
        data: All of the content.
        like: A descriptor; the new file gets its mode, owner and extended attributes.
        mode: Else the mode; by default what the umask leaves of 666.
        sync: Wait until it is on disk.

    Raises:
        OwnerLost: Only an administrator may give the new file the owner that ``like`` has.
        OSError: It cannot be written; there is no new file.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    private = like is not None or mode is not None
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600 if private else 0o666
    )
    try:
        write_all(descriptor, data)
        if like is not None:
            take_after(descriptor, like)
        elif mode is not None:
            set_mode(descriptor, temporary, mode)
        if sync:
            sync_file(descriptor)
    except BaseException:
        os.close(descriptor)
        discard(temporary)
        raise
    os.close(descriptor)
    return temporary


def discard(path: Path) -> None:
    """Delete a file of our own; it does not matter if that fails."""
    with contextlib.suppress(OSError):
        path.unlink()


def left_behind(path: Path) -> list[Path]:
    """Files that a killed process left beside ``path`` over a minute ago."""
    return orphans(path.parent, re.compile(re.escape(path.name)))


def orphans(folder: Path, names: re.Pattern[str], *, own: bool = False) -> list[Path]:
    """Return what processes that are gone left over a minute ago beside files in ``folder``.

    Args:
        folder: Where the files are.
        names: Of the files.
        own: Nobody else writes them: a name without characters by chance, as hooks gave them once,
            is none of a user's file.
    """
    now, found = time.time(), []
    with os.scandir(folder) as rows:
        for row in rows:
            left = _LEFT.fullmatch(row.name)
            if left is None or names.fullmatch(left["name"]) is None:
                continue
            if left["chance"] is None and not own:
                continue
            with contextlib.suppress(OSError):
                status = row.stat(follow_symlinks=False)
                is_old = now - max(status.st_mtime, status.st_ctime) > MINUTE
                if is_old and not lives(int(left["process"])):
                    found.append(folder / row.name)
    return found


def write(path: Path, data: bytes, *, mode: int | None = None, sync: bool = True) -> None:
    """Put ``data`` into one of Mind's own files, whole or not at all.

    A symbolic link stays and its target is replaced.

    Args:
        path: The file.
        data: All of its content.
        mode: Its permissions; by default those it has, or what the umask leaves of 666.
        sync: Survive a power failure. Without, an empty or older file may be found after one.

    Raises:
        FileError: It cannot be written; it is as it was before.
    """
    with translating(path):
        real = resolved(path)
        new = written(real, data, mode=_mode(real) if mode is None else mode, sync=sync)
        try:
            replace(new, real)
        finally:
            discard(new)
        if sync:
            sync_folder(real.parent)


def _mode(path: Path) -> int | None:
    try:
        descriptor = opened(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except PermissionError:
        return path.stat().st_mode & 0o777
    try:
        return os.fstat(descriptor).st_mode & 0o777
    finally:
        os.close(descriptor)


def write_json(path: Path, value: object, *, mode: int | None = None, sync: bool = True) -> None:
    """Put ``value`` into a JSON file; the same content writes nothing.

    A file there that is broken, or holds another type of value, is kept aside as ``NAME.broken``.

    Raises:
        FileError: It cannot be written; it is as it was before.
    """
    data = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    before = read(path)
    if before == data:
        return
    if _is_foreign(before, value):
        with translating(path):
            aside = _unused(path, before)
        write(aside, before, mode=0o600)
    write(path, data, mode=mode, sync=sync)


def _is_foreign(before: bytes, value: object) -> bool:
    text = before.removeprefix(BOM).strip()
    if not text:
        return False
    try:
        there = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return bool(there) and type(there) is not type(value)


def _unused(path: Path, content: bytes) -> Path:
    """Return where to keep ``content`` aside without overwriting what was kept before."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.broken" + (f"-{number}" if number > 1 else ""))
        if not aside.exists() or read(aside) == content:
            return aside
        number += 1
