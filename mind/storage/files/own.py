"""Mind's own small files, replaced whole: nobody else writes them."""

import json
import os
from pathlib import Path

from mind.storage.files.beside import discard, written
from mind.storage.files.content import BOM, opened, read, resolved
from mind.storage.files.faults import translating
from mind.storage.files.system import replace, sync_folder


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
    """Where to keep ``content`` aside without overwriting what was kept before."""
    number = 1
    while True:
        aside = path.with_name(f"{path.name}.broken" + (f"-{number}" if number > 1 else ""))
        if not aside.exists() or read(aside) == content:
            return aside
        number += 1
