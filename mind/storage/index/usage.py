"""Usage statistics of entries, from the event log."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from mind.domain.entry import ORIGIN, RecordedAt
from mind.ranking.heat import signals
from mind.storage.index.connection import Connected, IndexPart, sure
from mind.storage.index.selection import GONE, THERE, Aliases

_HALF_LIFE = 30
"""Half-life of a use in days, for searches."""
_FULL = 10.0
"""Number of uses today that give the maximum heat."""
_BUSIEST = 100
_HAD = (
    "WITH RECURSIVE had (now, id) AS (SELECT value, value FROM json_each(?) "
    "UNION SELECT h.now, a.old FROM had h JOIN alias a ON a.new = h.id "
    f"WHERE NOT EXISTS ({THERE} a.old))"
)
"""CTE of the ids in a JSON parameter, each with its former ids."""


@sure
class Usage(IndexPart):
    """Use counts stored in an index."""

    def add(self, days: Mapping[str, Sequence[date]]) -> None:
        """Add uses: entry id → days."""
        counts = Counter((one, day.isoformat()) for one, found in days.items() for day in found)
        self.db.executemany(
            "INSERT INTO usage (id, day, count) VALUES (?, ?, ?) "
            "ON CONFLICT (id, day) DO UPDATE SET count = count + excluded.count",
            [(one, day, count) for (one, day), count in counts.items()],
        )

    def note(self, found: Mapping[str, RecordedAt]) -> None:
        """Store time and session in which entries were recorded, by id; the latest wins."""
        self.db.executemany(
            "INSERT INTO noted VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "at = excluded.at, day = excluded.day, session = excluded.session, "
            "corrected = excluded.corrected WHERE excluded.at >= at",
            [
                (one, when.at, when.day.isoformat(), when.session, when.corrected)
                for one, when in found.items()
            ],
        )

    def dispute(self, found: Iterable[tuple[str, float, date | None]]) -> None:
        """Store when entries were contradicted, or settled (no day); the latest wins."""
        self.db.executemany(
            "INSERT INTO disputed VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "at = excluded.at, day = excluded.day WHERE excluded.at >= at",
            [(one, at, day.isoformat() if day else "") for one, at, day in found],
        )

    def clear(self) -> None:
        """Delete all uses, recording times and contradictions."""
        self.db.execute("DELETE FROM usage")
        self.db.execute("DELETE FROM noted")
        self.db.execute("DELETE FROM disputed")

    def noted(self, ids: Sequence[str]) -> dict[str, RecordedAt]:
        """Recording times from the log, by id.

        Times recorded under former ids are included.
        """
        rows = self.db.execute(
            f"{_HAD} SELECT h.now, n.at, n.day, n.session, n.corrected "
            "FROM had h JOIN noted n ON n.id = h.id ORDER BY n.at",
            (json.dumps(ids),),
        )
        return {
            one: RecordedAt(at, date.fromisoformat(day), session, bool(corrected))
            for one, at, day, session, corrected in rows
        }

    def disputed(self, ids: Sequence[str]) -> dict[str, date]:
        """Days on which entries were contradicted, by id, without settled ones.

        Contradictions of former ids are included.
        """
        rows = self.db.execute(
            f"{_HAD} SELECT h.now, d.day FROM had h JOIN disputed d ON d.id = h.id ORDER BY d.at",
            (json.dumps(ids),),
        )
        return {one: date.fromisoformat(day) for one, day in dict(rows).items() if day}

    def days(self) -> dict[str, tuple[date, ...]]:
        """Days of use by current entry id, one per use, oldest first."""
        found: dict[str, tuple[date, ...]] = {}
        edited = Aliases(self.index).gone()
        for used, day, count in self.db.execute("SELECT id, day, count FROM usage ORDER BY day"):
            one = edited.get(used, used)
            found[one] = (*found.get(one, ()), *[date.fromisoformat(day)] * count)
        return found

    @property
    def is_known(self) -> bool:
        """True if any use is recorded."""
        return self.db.execute("SELECT 1 FROM usage LIMIT 1").fetchone() is not None

    def heat(self, rows: Sequence[int], today: date) -> dict[int, float]:
        """Heat of entries, 0–1, by row number; unused ones are left out.

        A use loses half its weight in 30 days; ten uses today give 1. Uses under former ids are
        included.
        """
        found: dict[int, float] = {}
        oldest = (today - timedelta(days=8 * _HALF_LIFE)).isoformat()
        for row, day, count in self.db.execute(
            "WITH RECURSIVE had (row, id) AS ("
            f"SELECT rowid, id FROM entry WHERE rowid IN ({', '.join(map(str, rows))}) "
            "UNION SELECT h.row, a.old FROM had h JOIN alias a ON a.new = h.id "
            f"WHERE NOT EXISTS ({THERE} a.old)) "
            "SELECT h.row, u.day, u.count FROM had h JOIN usage u ON u.id = h.id WHERE u.day >= ?",
            (oldest,),
        ):
            age = max(0, (today - date.fromisoformat(day)).days)
            found[row] = found.get(row, 0.0) + count * 0.5 ** (age / _HALF_LIFE)
        return {row: min(1.0, value / _FULL) for row, value in found.items()}

    def momentum(self, rows: Sequence[int], today: date) -> dict[int, float]:
        """Current use of the things that entries name, 0–1, by row number.

        For each entry, the uses in the last 30 days of other entries that name its most used thing;
        ten give 1. Only the 100 most used entries are read.
        """
        since = (today - timedelta(days=_HALF_LIFE)).isoformat()
        used: dict[int, int] = dict(
            self.db.execute(
                f"{GONE}, counted (now, day, count) AS (SELECT id, day, count FROM usage UNION ALL "
                "SELECT b.id, u.day, u.count FROM became b JOIN usage u ON u.id = b.old) "
                "SELECT e.rowid, SUM(c.count) FROM counted c JOIN entry e ON e.id = c.now "
                "WHERE c.day >= ? AND e.shown GROUP BY e.rowid ORDER BY 2 DESC, e.id LIMIT ?",
                (since, _BUSIEST),
            )
        )
        things: dict[str, int] = {}
        for key, row in self._naming(used):
            things[key] = things.get(key, 0) + used[row]
        found: dict[int, float] = {}
        for key, row in self._naming(rows):
            others = things.get(key, 0) - used.get(row, 0)
            if others > 0:
                found[row] = max(found.get(row, 0.0), min(1.0, others / _FULL))
        return found

    def _naming(self, rows: Iterable[int]) -> list[tuple[str, int]]:
        return self.db.execute(
            "SELECT key, entry FROM mention WHERE kind <> 'start' "
            f"AND entry IN ({', '.join(map(str, rows))})"
        ).fetchall()


_SAYS = ("importance", "pinned", "expires", ORIGIN)
"""Fields that affect ranking."""


def standing(index: Connected, rows: Sequence[int], today: date) -> dict[str, list[float]]:
    """Signals of use and of fields, in the order of ``rows``; those that no entry has are left out.

    Args:
        index: The index.
        rows: Row numbers.
        today: Reference day for the age of uses.
    """
    usage = Usage(index)
    found: dict[str, dict[int, float]] = {}
    if usage.is_known:
        found = {"heat": usage.heat(rows, today), "momentum": usage.momentum(rows, today)}
    said = " OR ".join(f"""payload LIKE '%"{name}"%'""" for name in _SAYS)
    for row, payload in index.db.execute(
        "SELECT rowid, payload FROM entry "
        f"WHERE rowid IN ({', '.join(map(str, rows))}) AND ({said})"
    ):
        for name, value in signals(json.loads(payload).get("fields", {}), today).items():
            found.setdefault(name, {})[row] = value
    return {name: [of.get(row, 0.0) for row in rows] for name, of in found.items() if of}
