"""Read-only access to a tool's SQLite database: changes no row and creates no file next to it.

A copy of all its files is read, since opening the original can create files next to it. The copy is
repeated if the database changed meanwhile.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from mind.domain.errors import FileError
from mind.sources.importers.values import DAMAGED, ImporterInput

LARGEST = 1_000_000_000
"""Maximum size of a database, in bytes."""
_BESIDE = ("-wal", "-journal")
_TRIES = 5

Row = dict[str, object]
"""Values by lower-case column name."""


class Database:
    """Tables and columns by name, independent of the tool's version."""

    def __init__(self, db: sqlite3.Connection, reading: ImporterInput) -> None:
        self._db, self._reading = db, reading

    def columns(self, table: str) -> list[str]:
        """Return the lower-case columns of a table; none if there is no such table."""
        return [str(row[1]).casefold() for row in self._db.execute(f"PRAGMA table_info({table})")]

    def rows(self, table: str, order: str = "id") -> Iterator[Row]:
        """Yield all readable rows, ordered by a column; none if there is no such table.

        All rows after a damaged page count as one damaged item, as their number is unknown.
        """
        names = self.columns(table)
        if not names:
            return
        by = order if order in names else "rowid"
        try:
            for row in self._db.execute(f'SELECT * FROM "{table}" ORDER BY "{by}"'):
                yield dict(zip(names, row, strict=True))
        except sqlite3.DatabaseError:
            self._reading.leave_out(DAMAGED)


@contextmanager
def opened(path: Path, reading: ImporterInput, wanted: Sequence[str]) -> Iterator[Database]:
    """Open the database at ``path``.

    Args:
        path: Path of the file.
        reading: Counts damaged items.
        wanted: Required tables.

    Raises:
        FileError: Not a database with these tables, or unreadable.
    """
    try:
        with _connected(path) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.text_factory = lambda text: text.decode("utf-8", "replace")
            found = Database(db, reading)
            if not any(found.columns(table) for table in wanted):
                raise _wrong(path, f"has no table {' or '.join(wanted)}")
            yield found
    except sqlite3.DatabaseError as error:
        raise _wrong(path, f"cannot be read ({error})") from error
    except OSError as error:
        raise _wrong(path, f"cannot be read ({error.strerror or error})") from error


def _wrong(path: Path, why: str) -> FileError:
    return FileError(
        f"{path} {why}",
        remedy="Name the tool's database; nothing was changed.",
        path=str(path),
    )


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    status = path.stat()
    if status.st_size > LARGEST:
        raise _wrong(path, f"has {status.st_size:,} bytes, more than {LARGEST:,}")
    with TemporaryDirectory(prefix="mind-import-") as folder:
        copy = Path(folder) / "copy.db"
        _copy(path, copy)
        with closing(sqlite3.connect(copy)) as db:
            yield db


def _beside(path: Path, tail: str) -> Path:
    return path.with_name(path.name + tail)


def _copy(path: Path, copy: Path) -> None:
    """Copy a database with its log; repeat if it changes meanwhile."""
    for _ in range(_TRIES):
        before = _stamps(path)
        for tail in ("", *_BESIDE):
            beside = _beside(copy, tail)
            beside.unlink(missing_ok=True)
            if _beside(path, tail).exists():
                shutil.copyfile(_beside(path, tail), beside)
        if _stamps(path) == before:
            return


def _stamps(path: Path) -> list[tuple[int, int]]:
    stats = [_beside(path, tail) for tail in ("", *_BESIDE)]
    return [(one.stat().st_size, one.stat().st_mtime_ns) for one in stats if one.exists()]
