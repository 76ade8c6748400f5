"""Ids that entries had before they were edited by hand, as the usage log tells them."""

import sqlite3
from collections.abc import Mapping

THERE = "SELECT 1 FROM entry t WHERE t.shown AND t.id ="
"""Begins a query for whether an entry has an id: then that id is its own, and no alias."""
BECAME = (
    "(WITH RECURSIVE became (id) AS (SELECT value FROM json_each(?) "
    "UNION SELECT a.new FROM became b JOIN alias a ON a.old = b.id "
    f"WHERE NOT EXISTS ({THERE} b.id)) SELECT id FROM became)"
)
"""The ids of a list that is bound as JSON, and what they became up to where an entry is there."""


class Aliases:
    """What ids became. A chain of edits is followed until an entry is there."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, pairs: Mapping[str, str]) -> None:
        """Note what ids became, old → new; what was noted of an old one before is over."""
        self._db.executemany("INSERT OR REPLACE INTO alias VALUES (?, ?)", list(pairs.items()))

    def clear(self) -> None:
        """Forget all."""
        self._db.execute("DELETE FROM alias")

    def named(self, old: str) -> str:
        """What ``old`` became in one step; "" if that is not known."""
        row = self._db.execute("SELECT new FROM alias WHERE old = ?", (old,)).fetchone()
        return str(row[0]) if row else ""

    def followed(self, old: str) -> str:
        """The id of the entry that ``old`` became; "" if there is none."""
        seen = {old}
        at = self.named(old)
        while at and at not in seen:
            if self._db.execute(f"{THERE} ?", (at,)).fetchone():
                return at
            seen.add(at)
            at = self.named(at)
        return ""

    def gone(self) -> dict[str, str]:
        """Every id that no entry has any more and became another, with that of an entry."""
        rows = self._db.execute(f"SELECT old FROM alias WHERE NOT EXISTS ({THERE} old)").fetchall()
        found = {old: self.followed(old) for (old,) in rows}
        return {old: new for old, new in found.items() if new}
