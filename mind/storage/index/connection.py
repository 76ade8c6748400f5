"""The connection to the index: one writer, many readers, and another file when one is damaged."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TypeVar

from mind.storage.index.schema import connect, connect_after
from mind.storage.index.turns import begin

T = TypeVar("T")


class Connected:
    """One connection to the derived index of a project.

    Args:
        path: The database file; ``None`` for an index that lives and dies with this object.
        seconds: How long it may be built before its caller answers; None: until it is complete.

    Attributes:
        partial: What to say of answers that are not of all that there is; "" for nothing.
    """

    def __init__(self, path: Path | None, *, seconds: float | None = None) -> None:
        self._path = path
        self._until = None if seconds is None else monotonic() + seconds
        self.partial = ""
        self._db = connect(path)

    @property
    def is_kept(self) -> bool:
        """Whether it is a file; else it lives and dies with this object."""
        return bool(self._db.execute("PRAGMA database_list").fetchone()[2])

    @property
    def is_late(self) -> bool:
        """Whether the time to build it is over."""
        return self._until is not None and monotonic() > self._until

    def close(self) -> None:
        """Release the file."""
        self._db.close()

    def sure(self, work: Callable[[], T]) -> T:
        """What ``work`` gives, which may be done again: with this index or, if it fails, another.

        A file that turns out to be damaged, or was deleted behind this connection, is made anew.
        Where another process keeps it locked, or nothing can be written, the other index lives in
        memory. ``work`` has to bring it up to date itself.
        """
        for path in (self._path, None):
            try:
                return work()
            except sqlite3.DatabaseError as error:
                self._db.close()
                self._db = connect_after(error, path)
        return work()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One writer at a time; readers keep the state before until the block ends."""
        begin(self._db)
        try:
            yield
        except BaseException:
            with suppress(sqlite3.DatabaseError):  # what broke first is told
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the index until the block ends, whatever others write meanwhile."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.DatabaseError):
                self._db.execute("ROLLBACK")
