"""Counting entries by what they are: kinds, tags and years."""

import sqlite3

from mind.index.filters import Filter


def facets(
    db: sqlite3.Connection, which: Filter, most: int
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Entries that pass, by kind, by tag and by year.

    Args:
        db: The index.
        which: Only these.
        most: Tags that are counted, the most common first.
    """
    clauses, values = which.clauses()
    where = " AND ".join(clauses)
    kinds = db.execute(
        f"SELECT e.kind, count(*) FROM entry e WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1", values
    ).fetchall()
    years = db.execute(
        f"SELECT substr(e.date, 1, 4), count(*) FROM entry e WHERE {where} GROUP BY 1 "
        "ORDER BY 1 DESC",
        values,
    ).fetchall()
    tags = db.execute(
        "SELECT fold(held.value), count(*) FROM entry e, json_each(e.payload, '$.tags') AS held "
        f"WHERE {where} AND instr(e.payload, '\"tags\"') GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        [*values, most],
    ).fetchall()
    return dict(kinds), dict(tags), dict(years)
