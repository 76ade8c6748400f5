"""Ids of entries with the same text: the first has the plain one, those behind it a number."""

import sqlite3
from collections.abc import Iterable
from json import dumps

from mind.storage.index.rows import FORWARD, PLACE


def repeated(db: sqlite3.Connection) -> list[str]:
    """Bases that several entries have: their numbers depend on the order."""
    rows = db.execute("SELECT DISTINCT base FROM entry WHERE id <> base OR NOT shown")
    return [row[0] for row in rows]


def number(db: sqlite3.Connection, bases: Iterable[str]) -> None:
    """Give repeats their numbers; a comment or commit that repeats memory is not shown."""
    for base in _unnumbered(db, bases):
        rows = db.execute(
            f"SELECT e.rowid, s.family, e.id, e.shown FROM entry e {PLACE} "
            f"WHERE e.base = ? ORDER BY {FORWARD}",
            (base,),
        ).fetchall()
        count = 0
        for rowid, family, identifier, shown in rows:
            visible = int(not count or family in ("memory", "session"))
            count += visible
            wanted = base if count <= 1 else f"{base}-{count}"
            if (identifier, shown) != (wanted, visible):
                db.execute(
                    "UPDATE entry SET id = ?, shown = ? WHERE rowid = ?", (wanted, visible, rowid)
                )


def _unnumbered(db: sqlite3.Connection, bases: Iterable[str]) -> list[str]:
    """Those of ``bases`` whose numbers may be wrong: nearly all stand for one entry."""
    rows = db.execute(
        "SELECT base FROM entry WHERE base IN (SELECT value FROM json_each(?)) GROUP BY base "
        "HAVING count(*) > 1 OR max(id <> base) OR NOT min(shown)",
        (dumps(list(bases)),),
    )
    return [row[0] for row in rows]
