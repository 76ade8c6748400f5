"""What a session was given of files, kept so that another process of it goes on.

A folder a session, named after its digest: ``c-…`` where the client named it, ``p-…`` where it is
that of one process, since nothing tells what two clients without names have seen. A file in it for
each part of a file that was read: compressed, readable by its owner only. Credentials are masked
before it comes here.
"""

import contextlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from mind.domain.errors import FileError
from mind.memory.file_reads.forgetting import (
    FOLDER,
    digest,
    named,
    records,
    remove,
    remove_folder,
    sessions,
)
from mind.storage import files

MOST_BYTES = 16_000_000
"""Of all sessions together."""
MOST_RECORDS = 2_000
CUT = -1

LONGEST = timedelta(days=7)
"""How long a record is kept that nobody needs."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a session was given.

    Attributes:
        text: All of it.
        lines: How many lines that is; :data:`CUT` if it is the beginning of one.
        complete: Nothing is missing of what was asked for.
    """

    text: str
    lines: int
    complete: bool


class Kept:
    """What one session knows of one file.

    Args:
        cache: ``.mind/cache``.
        client: The client's name for its session; "" if it gave none.
        session: Mind's name for it: what another one was given does not count.
        path: The file.
    """

    def __init__(self, cache: Path, client: str, session: str, path: Path) -> None:
        self._top = cache / FOLDER
        self._folder = self._top / named(client)
        self._about = f"{session}\0{path}"

    def _file(self, start: int, limit: int) -> Path:
        return self._folder / digest(f"{self._about}\0{start}\0{limit}")

    def get(self, start: int, limit: int) -> Known | None:
        """What was given of the lines from ``start`` on; None if nothing was."""
        if self._top.is_symlink():
            return None
        try:
            row = json.loads(zlib.decompress(files.read(self._file(start, limit))))
            known = Known(row["text"], row["lines"], row["complete"])
        except (FileError, ValueError, TypeError, LookupError, zlib.error):
            return None  # never written, or damaged
        types = (type(known.text), type(known.lines), type(known.complete))
        return known if types == (str, int, bool) else None

    def put(self, start: int, limit: int, known: Known, now: datetime) -> None:
        """Keep it. Where that fails, the file is given whole again."""
        row = {"text": known.text, "lines": known.lines, "complete": known.complete}
        path = self._file(start, limit)
        if self._top.is_symlink():
            return
        with contextlib.suppress(OSError, FileError):
            is_new = not path.exists()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = zlib.compress(json.dumps(row).encode())
            files.write(path, data, mode=0o600, sync=False)
            os.utime(path, (now.timestamp(), now.timestamp()))
            if is_new:
                _prune(self._top, now)


def _prune(top: Path, now: datetime) -> None:
    """Delete what is too old, and then the oldest of what is too much."""
    oldest = (now - LONGEST).timestamp()
    room, records = MOST_BYTES, MOST_RECORDS
    for modified, size, path in sorted(_sizes(top), reverse=True):
        room, records = room - size, records - 1
        if modified < oldest or room < 0 or records < 0:
            remove(str(path))
    for folder in map(Path, sessions(str(top))):
        remove_folder(str(folder))


def _sizes(top: Path) -> Iterator[tuple[float, int, Path]]:
    for folder in map(Path, sessions(str(top))):
        for path in map(Path, records(str(folder))):
            with contextlib.suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path
