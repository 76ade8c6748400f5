"""Writing new content: to a temporary file that replaces the original, or in place.

New content is written beside a file and replaces it atomically. Where replacing is impossible (a
hard link, another owner, a file mounted into a container, a read-only folder), the file is
overwritten. Old and new content are journalled first, and the next edit undoes a truncated write.
"""

import contextlib
import json
import os
import re
import struct
import time
from itertools import zip_longest
from pathlib import Path
from zlib import crc32

from mind.storage.files.content import BOM, held, opened, read, resolved, translating, whole
from mind.storage.files.system import (
    BINARY,
    cache_of,
    lives,
    replace,
    set_mode,
    sync_file,
    sync_folder,
    take_after,
)
from mind.text import lazy_pattern

_LEFT = lazy_pattern(r"\.(?P<name>.+)\.(?P<process>\d+)-[0-9a-f]{8}\.tmp")
MINUTE = 60


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data`` at the descriptor's position."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def written(
    path: Path, data: bytes, *, like: int | None = None, mode: int | None = None, sync: bool = True
) -> Path:
    """Create a file with ``data`` beside ``path``.

    Args:
        path: The file it will replace.
        data: The complete content.
        like: Descriptor whose mode, owner and extended attributes the new file gets.
        mode: Otherwise its mode; by default 666 minus the umask.
        sync: Wait until it is on disk.

    Raises:
        OSError: It cannot be written, or only an administrator may set the owner of ``like``; the
            new file is removed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    private = like is not None or mode is not None
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600 if private else 0o666
    )
    try:
        with held(descriptor):
            write_all(descriptor, data)
            if like is not None:
                take_after(descriptor, like)
            elif mode is not None:
                set_mode(descriptor, temporary, mode)
            if sync:
                sync_file(descriptor)
    except BaseException:
        discard(temporary)
        raise
    return temporary


def discard(path: Path) -> None:
    """Delete one of Mind's files, ignoring errors."""
    with contextlib.suppress(OSError):
        path.unlink()


def left_behind(path: Path) -> list[Path]:
    """Files that a killed process left beside ``path`` over a minute ago."""
    return orphans(path.parent, re.compile(re.escape(path.name)))


def orphans(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """Temporary files that dead processes left over a minute ago in ``folder``.

    Args:
        folder: Folder of the files.
        names: Pattern of the files' names.
    """
    now, found = time.time(), []
    with os.scandir(folder) as rows:
        for row in rows:
            left = _LEFT.fullmatch(row.name)
            if left is None or names.fullmatch(left["name"]) is None:
                continue
            with contextlib.suppress(OSError):
                status = row.stat(follow_symlinks=False)
                is_old = now - max(status.st_mtime, status.st_ctime) > MINUTE
                if is_old and not lives(int(left["process"])):
                    found.append(folder / row.name)
    return found


def write(path: Path, data: bytes, *, mode: int | None = None, sync: bool = True) -> None:
    """Write ``data`` to one of Mind's own files, all or nothing.

    A symbolic link stays and its target is replaced.

    Args:
        path: The file.
        data: The complete content.
        mode: Its permissions; by default the current ones, or 666 minus the umask.
        sync: Survive a power failure. Otherwise an empty or older file may remain after one.

    Raises:
        FileError: It cannot be written; it is unchanged.
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
        with held(opened(path, os.O_RDONLY)) as descriptor:
            return os.fstat(descriptor).st_mode & 0o777
    except FileNotFoundError:
        return None
    except PermissionError:
        return path.stat().st_mode & 0o777


def write_json(path: Path, value: object, *, mode: int | None = None, sync: bool = True) -> None:
    """Write ``value`` to a JSON file, unless the content is the same.

    A broken file, or one with another type of value, is kept as ``NAME.broken``.

    Raises:
        FileError: It cannot be written; it is unchanged.
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
    """Free path to keep ``content`` without overwriting earlier copies."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.broken" + (f"-{number}" if number > 1 else ""))
        if not aside.exists() or read(aside) == content:
            return aside
        number += 1


_HEAD = struct.Struct("<8sQQ")
_MAGIC = b"MINDjrn1"


def put(path: Path, before: bytes, after: bytes) -> bool:
    """Replace the file's content ``before`` with ``after``.

    Returns:
        False if the file has other content; nothing was changed.

    Raises:
        OSError: It cannot be written; it is unchanged.
    """
    with held(opened(path, os.O_RDWR)) as descriptor:
        journal = _kept(path, before, after)
        try:
            if whole(descriptor, path) != before:
                discard(journal)
                return False
            _overwrite(descriptor, after)
        except OSError:
            _overwrite(descriptor, before)
            discard(journal)
            raise
        discard(journal)
        return True


def recover(path: Path) -> None:
    """Undo an interrupted write.

    Later changes by the user stay, and the journal is kept under another name.

    Raises:
        OSError: The file cannot be written.
    """
    for journal in _places(path):
        with contextlib.suppress(FileNotFoundError):
            contents = _contents(read(journal)) if journal.exists() else None
            if contents:
                _recover_from(journal, path, *contents)


def _recover_from(journal: Path, path: Path, before: bytes, after: bytes) -> None:
    with held(opened(path, os.O_RDWR)) as descriptor:
        content = whole(descriptor, path)
        if content not in (before, after):
            if not _is_torn(content, before, after):
                replace(journal, journal.with_name(f"{journal.name}.old"))
                return
            _overwrite(descriptor, before)
    discard(journal)


def _is_torn(content: bytes, before: bytes, after: bytes) -> bool:
    """Return whether every byte of ``content`` matches ``before`` or ``after`` at its offset."""
    return all(
        byte in pair for byte, *pair in zip_longest(content, before, after) if byte is not None
    )


def _overwrite(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    write_all(descriptor, content)
    os.ftruncate(descriptor, len(content))
    sync_file(descriptor)


def _places(path: Path) -> list[Path]:
    """Possible places of a journal: beside the file, else in Mind's cache."""
    name = f".{path.name}.journal"
    cache = cache_of(path)
    return [path.with_name(name)] + (
        [cache / f"{name}-{crc32(os.fsencode(path)):08x}"] if cache else []
    )


def _kept(path: Path, before: bytes, after: bytes) -> Path:
    data = _HEAD.pack(_MAGIC, len(before), len(after)) + before + after
    problem: OSError | None = None
    for journal in _places(path):
        try:
            new = written(journal, data, mode=0o600)
            replace(new, journal)
        except OSError as error:
            problem = problem or error
            continue
        sync_folder(journal.parent)
        return journal
    assert problem is not None  # noqa: S101 - every attempt failed
    raise problem


def _contents(journal: bytes) -> tuple[bytes, bytes] | None:
    """Old and new content of a journal; None if it is not one of Mind's."""
    if len(journal) < _HEAD.size:
        return None
    magic, first, second = _HEAD.unpack_from(journal)
    if magic != _MAGIC or len(journal) != _HEAD.size + first + second:
        return None
    body = journal[_HEAD.size :]
    return body[:first], body[first:]
