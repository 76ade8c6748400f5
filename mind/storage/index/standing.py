"""How candidates stand beside their words: how they are used, and what they say of themselves."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from mind.storage.index.usage import Usage

_SAYS = ("importance", "pinned", "expires")
"""Fields that a search heeds."""


def standing(
    db: sqlite3.Connection,
    rows: Sequence[int],
    today: date,
    weigh: Callable[[Mapping[str, str], date], Mapping[str, float]],
) -> dict[str, list[float]]:
    """Signals of entries, in the order of ``rows``; one that none of them has is left out.

    Args:
        db: The index.
        rows: Numbers of entries.
        today: Uses count by their age.
        weigh: Gives the signals of an entry's fields.
    """
    usage = Usage(db)
    found: dict[str, dict[int, float]] = {}
    if usage.is_known:
        found = {"heat": usage.heat(rows, today), "momentum": usage.momentum(rows, today)}
    for row, fields in _fields(db, rows):
        for name, value in weigh(fields, today).items():
            found.setdefault(name, {})[row] = value
    return {name: [of.get(row, 0.0) for row in rows] for name, of in found.items() if of}


def _fields(db: sqlite3.Connection, rows: Sequence[int]) -> list[tuple[int, dict[str, str]]]:
    said = " OR ".join(f"""payload LIKE '%"{name}"%'""" for name in _SAYS)
    found = db.execute(
        "SELECT rowid, payload FROM entry "
        f"WHERE rowid IN ({', '.join(map(str, rows))}) AND ({said})"
    )
    return [(row, json.loads(payload).get("fields", {})) for row, payload in found]
