"""Writing into a file itself, where nothing can take its place.

A hard link, a file of another owner, a file mounted by itself into a container, a folder that may
not be written: there a new file would be another file. So the old and the new content are first
put into a journal; a write that is cut short is taken back when the file is edited next.
"""

import contextlib
import os
import struct
from itertools import zip_longest
from pathlib import Path
from zlib import crc32

from mind.storage.files.beside import discard, write_all, written
from mind.storage.files.content import opened, read, whole
from mind.storage.files.locks import cache_of
from mind.storage.files.system import replace, sync_file, sync_folder

_HEAD = struct.Struct("<8sQQ")
_MAGIC = b"MINDjrn1"


def put(path: Path, before: bytes, after: bytes) -> bool:
    """Make ``after`` of the file, if it still holds ``before``.

    Returns:
        False if it holds something else: nothing was changed.

    Raises:
        OSError: It cannot be written; it is as it was before.
    """
    descriptor = opened(path, os.O_RDWR)
    try:
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
    finally:
        os.close(descriptor)


def recover(path: Path) -> None:
    """Take back a write that was cut short.

    What a person wrote since stays, and so does the journal, under another name.

    Raises:
        OSError: The file cannot be written.
    """
    for journal in _places(path):
        with contextlib.suppress(FileNotFoundError):
            contents = _contents(read(journal)) if journal.exists() else None
            if contents:
                _recover_from(journal, path, *contents)


def _recover_from(journal: Path, path: Path, before: bytes, after: bytes) -> None:
    descriptor = opened(path, os.O_RDWR)
    try:
        content = whole(descriptor, path)
        if content not in (before, after):
            if not _is_torn(content, before, after):
                replace(journal, journal.with_name(f"{journal.name}.old"))
                return
            _overwrite(descriptor, before)
    finally:
        os.close(descriptor)
    discard(journal)


def _is_torn(content: bytes, before: bytes, after: bytes) -> bool:
    """Tell whether every byte of ``content`` is that of ``before`` or ``after`` in its place."""
    return all(
        byte in pair for byte, *pair in zip_longest(content, before, after) if byte is not None
    )


def _overwrite(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    write_all(descriptor, content)
    os.ftruncate(descriptor, len(content))
    sync_file(descriptor)


def _places(path: Path) -> list[Path]:
    """Return where a journal may be: beside the file, else in Mind's cache."""
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
    assert problem is not None  # noqa: S101 - there is always a place to try
    raise problem


def _contents(journal: bytes) -> tuple[bytes, bytes] | None:
    """Return what the file held and was to hold; None if this is no journal of ours."""
    if len(journal) < _HEAD.size:
        return None
    magic, first, second = _HEAD.unpack_from(journal)
    if magic != _MAGIC or len(journal) != _HEAD.size + first + second:
        return None
    body = journal[_HEAD.size :]
    return body[:first], body[first:]
