"""Taking turns at writing the index, among the threads and processes that share it."""

import sqlite3
import time

_PATIENCE = 10.0
"""Seconds until somebody else is taken to have hung."""
_LONGEST_PAUSE, _SHORTEST_PAUSE, _HURRY = 0.016, 0.001, 0.9
"""Who has waited longer asks more often, so that everybody's turn comes. SQLite itself does the
opposite: whoever waits is asked to wait longer each time, and newcomers overtake it for seconds."""


def begin(db: sqlite3.Connection) -> None:
    """Begin a transaction that writes, as soon as no other one does.

    Raises:
        sqlite3.OperationalError: Another one wrote all the time (SQLITE_BUSY), or it cannot begin.
    """
    until = time.monotonic() + _PATIENCE
    usual = db.execute("PRAGMA busy_timeout").fetchone()[0]
    pause = _LONGEST_PAUSE
    db.execute("PRAGMA busy_timeout = 0")
    try:
        while not _began(db, last=time.monotonic() > until):
            time.sleep(pause)
            pause = max(pause * _HURRY, _SHORTEST_PAUSE)
    finally:
        db.execute(f"PRAGMA busy_timeout = {usual}")


def _began(db: sqlite3.Connection, *, last: bool) -> bool:
    try:
        db.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if last or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
