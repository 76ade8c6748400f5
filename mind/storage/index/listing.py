"""Listing entries: in the order of the files or of time, page by page, and what is beside one."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from mind.domain.entry import Entry
from mind.storage.index.filters import Filter, marks
from mind.storage.index.rows import COLUMNS, FORWARD, IN_TIME, NEWEST, PLACE, entry_of, storable

Order = Literal["files", "newest", "oldest"]
_DATED, _UNDATED = "e.date > ''", "e.date = ''"
_RUNS = {
    "newest": (("e.date >= ''", NEWEST),),
    "oldest": ((_DATED, IN_TIME), (_UNDATED, FORWARD)),
}
"""Order → parts of it that SQLite can walk through without sorting every entry."""


def page(
    db: sqlite3.Connection, which: Filter, order: Order, limit: int = -1, offset: int = 0
) -> list[Entry]:
    """Entries that pass; those without a date come last in an order of time.

    Args:
        db: The index.
        which: Only these.
        order: Of the files, or of time.
        limit: Most entries; -1 for all.
        offset: How many of the first to leave out.
    """
    clauses, values = which.clauses()
    where = " AND ".join(clauses)
    if order != "files" and len(which.kinds) > 1 and limit >= 0:
        where, values = _first_of_each_kind(which, order, limit + offset)
    if order == "files":
        return select(db, where, values, FORWARD, limit, offset)
    if order == "newest":  # every date is at least '', which makes SQLite walk along the dates
        return select(db, f"{where} AND e.date >= ''", values, NEWEST, limit, offset)
    has_date = f"{where} AND {_DATED}"
    dated = select(db, has_date, values, IN_TIME, limit, offset)
    left = limit - len(dated) if limit >= 0 else -1
    if not left or which.since or which.until:
        return dated
    passed = 0 if dated else offset - _count(db, has_date, values)
    return dated + select(db, f"{where} AND {_UNDATED}", values, FORWARD, left, max(0, passed))


def _first_of_each_kind(which: Filter, order: Order, most: int) -> tuple[str, list[object]]:
    """A clause for the first of each kind, with its values.

    Along the dates of one kind there is an index; several kinds at once would all be sorted.
    """
    parts: list[str] = []
    values: list[object] = []
    for kind in which.kinds:
        clauses, of_kind = replace(which, kinds=(kind,)).clauses()
        where = " AND ".join(clauses)
        for dated, falling in _RUNS[order]:
            parts.append(
                f"SELECT * FROM (SELECT e.rowid FROM entry e {PLACE} WHERE {where} AND {dated} "
                f"ORDER BY {falling} LIMIT ?)"
            )
            values += [*of_kind, most]
    return f"e.rowid IN ({' UNION ALL '.join(parts)})", values


def count(db: sqlite3.Connection, which: Filter) -> int:
    """How many entries pass."""
    clauses, values = which.clauses()
    return _count(db, " AND ".join(clauses), values)


def beside(
    db: sqlite3.Connection, entry: Entry, before: int, after: int
) -> tuple[list[Entry], list[Entry]]:
    """What was noted just before an entry and just after it, each oldest first.

    What has no date has the lines around it instead.
    """
    place = db.execute(
        f"SELECT {IN_TIME} FROM entry e {PLACE} WHERE e.shown AND e.id = ?", (storable(entry.id),)
    ).fetchone()
    if place is None:
        return [], []
    if not place[0]:
        return _lines_beside(db, place, before, after)
    falling = ", ".join(f"{column} DESC" for column in IN_TIME.split(", "))
    here = f"({IN_TIME}) {{}} ({marks(place)})"
    values = [place[0], *place]
    earlier = f"e.shown AND e.date > '' AND e.date <= ? AND {here.format('<')}"
    later = f"e.shown AND e.date >= ? AND {here.format('>')}"
    return (
        select(db, earlier, values, falling, before)[::-1],
        select(db, later, values, IN_TIME, after),
    )


def _lines_beside(
    db: sqlite3.Connection, place: Sequence[object], before: int, after: int
) -> tuple[list[Entry], list[Entry]]:
    values = [place[2], place[3], place[4]]
    here = "e.shown AND p.path = ? AND (p.ordinal, e.position) {} (?, ?)"
    falling = "p.ordinal DESC, e.position DESC"
    return (
        select(db, here.format("<"), values, falling, before)[::-1],
        select(db, here.format(">"), values, "p.ordinal, e.position", after),
    )


def select(  # noqa: PLR0913, PLR0917 - the parts of one statement
    db: sqlite3.Connection,
    where: str,
    values: Sequence[object],
    order: str,
    limit: int,
    offset: int = 0,
) -> list[Entry]:
    """The entries of a statement."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        [*values, limit, offset],
    )
    return [entry_of(row) for row in rows]


def _count(db: sqlite3.Connection, where: str, values: Sequence[object]) -> int:
    found: int = db.execute(f"SELECT count(*) FROM entry e WHERE {where}", values).fetchone()[0]
    return found
