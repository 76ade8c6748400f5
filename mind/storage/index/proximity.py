"""Which entries stand near others in the graph, by the things that both name."""

import sqlite3
from collections.abc import Mapping, Sequence
from json import dumps
from math import log

from mind.storage.index import mentions
from mind.text.relations import SAME_AS

_DAMPING = 0.5
_Named = tuple[int, str]
"""Row and id of an entry."""
_COMMON = 400
"""A thing that more entries name than that says nothing about two of them."""
_MOST_THINGS = 200
_MOST_ENTRIES = 4_000


def around(db: sqlite3.Connection, seeds: Sequence[int], limit: int) -> dict[int, float]:
    """Rows near the rows ``seeds``, the first of which weighs most, after one hop and two; 0–1."""
    weights = {row: 1 / at for at, row in enumerate(seeds, 1)}
    things = _same(db, _named(db, weights))
    for key, weight in _same(db, _related(db, things)).items():
        things[key] = max(things.get(key, 0.0), _DAMPING * weight)
    scores = _naming(db, things, _DAMPING, set(seeds))
    return {row: score for (row, _), score in _best(scores, limit)}


def _best(
    scores: Mapping[tuple[int, str], float], limit: int
) -> list[tuple[tuple[int, str], float]]:
    found = [one for one in scores.items() if one[1]]
    return sorted(found, key=lambda one: (-one[1], one[0][1]))[:limit]


def _named(db: sqlite3.Connection, rows: Mapping[int, float]) -> dict[str, float]:
    """Things that the entries name, each with the weight of the heaviest one."""
    found: dict[str, float] = {}
    for key, row in db.execute(
        "SELECT key, entry FROM mention WHERE kind <> 'start' "
        "AND entry IN (SELECT value FROM json_each(?))",
        (dumps(list(rows)),),
    ):
        found[key] = max(found.get(key, 0.0), rows[row])
    return _heaviest(found)


def _heaviest(things: dict[str, float]) -> dict[str, float]:
    order = sorted(things, key=lambda key: (-things[key], key))
    return {key: things[key] for key in order[:_MOST_THINGS]}


def _same(db: sqlite3.Connection, things: Mapping[str, float]) -> dict[str, float]:
    """``things`` with their other names, which are no further away."""
    known = dict(things)
    fresh = known
    while fresh and len(known) < _MOST_THINGS + len(things):
        found = _across(db, fresh, "=")
        fresh = {key: weight for key, weight in found.items() if key not in known}
        known.update(fresh)
    return known


def _related(db: sqlite3.Connection, things: Mapping[str, float]) -> dict[str, float]:
    return _heaviest(_across(db, things, "<>"))


def _across(db: sqlite3.Connection, things: Mapping[str, float], sign: str) -> dict[str, float]:
    """Things one relation away: aliases for "=", what is related otherwise for "<>"."""
    found: dict[str, float] = {}
    wanted = mentions.listed(things)
    for here, there in (("subject", "object"), ("object", "subject")):
        for near, far in db.execute(
            f"SELECT g.{here}, g.{there} FROM edge g JOIN entry e ON e.rowid = g.entry "
            f"WHERE e.shown AND g.predicate {sign} ? "
            f"AND g.{here} IN (SELECT value FROM json_each(?)) LIMIT {_MOST_ENTRIES}",
            (SAME_AS, wanted),
        ):
            found[far] = max(found.get(far, 0.0), things[near])
    return found


def _naming(
    db: sqlite3.Connection, things: Mapping[str, float], damping: float, seeds: set[int]
) -> dict[_Named, float]:
    """(row, id) of entries but ``seeds``: 1 - Π(1 - damping · weight · rarity) of things."""
    counts = mentions.frequency(db, things, _COMMON + 1)
    total = db.execute("SELECT documents FROM total").fetchone()[0]
    scores: dict[_Named, float] = {}
    for key in _telling(counts, things):
        share = damping * things[key] * log(1 + total / counts[key]) / log(1 + total)
        for row, name in db.execute(
            "SELECT e.rowid, e.id FROM mention m JOIN entry e ON e.rowid = m.entry "
            "WHERE m.key = ? AND m.kind <> 'start' AND e.shown",
            (key,),
        ):
            if row not in seeds:
                scores[row, name] = 1 - (1 - scores.get((row, name), 0.0)) * (1 - share)
    return scores


def _telling(counts: Mapping[str, int], things: Mapping[str, float]) -> Sequence[str]:
    """Things that are looked up, those that count most first: rare ones near the seeds."""
    order = sorted(
        (key for key, count in counts.items() if count <= _COMMON),
        key=lambda key: (-things[key], counts[key], key),
    )
    taken, spent = [], 0
    for key in order:
        spent += counts[key]
        if spent > _MOST_ENTRIES:
            break
        taken.append(key)
    return taken
