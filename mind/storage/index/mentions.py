"""Which entries name which things, and how the things are related: written with each entry."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from json import dumps
from math import log
from typing import NamedTuple

from mind.domain.entry import Entry, Kind
from mind.storage.index.filters import Filter
from mind.storage.index.rows import storable
from mind.text.entities import key_of, scan
from mind.text.relations import relations

_POSTINGS = 12_000
"""Mentions that are read for one question, as in the full text: past that, the rarest things."""
_FEW = 2_000
"""The same for a search, where things are one branch of several."""
_MOST = 200
"""Things of one entry; an entry that names more is a list."""


class Named(NamedTuple):
    """What an entry names and states.

    Attributes:
        things: Each key, with the name as written and its kind.
        relations: Keys of subject, predicate and object, and the names of both.
    """

    things: list[tuple[str, tuple[str, str]]]
    relations: list[tuple[str, str, str, str, str]]


def of(entry: Entry) -> Named:
    """What ``entry`` names and states."""
    text = storable(entry.text)
    named: dict[str, tuple[str, str]] = {}
    stated: list[tuple[str, str, str, str, str]] = []
    for start, end, kind, key in scan(text):
        if key not in named or named[key][1] == "start":
            named[key] = (text[start:end], kind)
    for tag in entry.tags:
        named.setdefault(key_of(storable(tag)), (storable(tag), "tag"))
    for one in relations(text) if entry.kind is Kind.RELATION else ():
        subject, predicate, object_ = one.keys
        named[subject], named[object_] = (one.subject, "link"), (one.object, "link")
        stated.append((subject, predicate, object_, one.subject, one.object))
    return Named(list(named.items())[:_MOST], stated)


def add(
    db: sqlite3.Connection,
    mentioned: Sequence[tuple[str | int, ...]],
    stated: Sequence[tuple[str | int, ...]],
) -> None:
    """Note what entries name and state, as rows of the two tables."""
    db.executemany("INSERT INTO mention VALUES (?, ?, ?, ?)", mentioned)
    db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", stated)


def remove(db: sqlite3.Connection, piece: int) -> None:
    """Forget what the entries of ``piece`` name and state."""
    for table in ("mention", "edge"):
        db.execute(
            f"DELETE FROM {table} WHERE entry IN (SELECT rowid FROM entry WHERE piece = ?)",
            (piece,),
        )


def frequency(db: sqlite3.Connection, keys: Iterable[str], most: int = -1) -> dict[str, int]:
    """Of each of ``keys`` that is named at all: how many entries name it, ``most`` at the most."""
    rows = db.execute(
        "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM mention WHERE key = value LIMIT ?)) "
        "FROM json_each(?)",
        (most, listed(keys)),
    )
    return {key: count for key, count in rows if count}


def named(db: sqlite3.Connection, keys: Iterable[str]) -> set[str]:
    """Those of ``keys`` that some entry names, and not only at the beginning of a sentence."""
    rows = db.execute(
        "SELECT value FROM json_each(?) "
        "WHERE EXISTS (SELECT 1 FROM mention WHERE key = value AND kind <> 'start')",
        (listed(keys),),
    )
    return {row[0] for row in rows}


def rarity(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, float]:
    """Of each of ``keys`` that is named at all: log(1 + N/n) for n of N entries that name it."""
    counts = frequency(db, keys)
    total = db.execute("SELECT documents FROM total").fetchone()[0]
    return {key: log(1 + total / count) for key, count in counts.items()}


def naming(
    db: sqlite3.Connection, rarities: Mapping[str, float], which: Filter, limit: int
) -> list[tuple[int, float]]:
    """(row, sum of rarities) of the entries that pass and name most of the things, best first."""
    where, values = which.clauses()
    weights: dict[tuple[int, str], float] = {}
    for row, name, key in db.execute(
        "SELECT DISTINCT m.entry, e.id, m.key FROM mention m JOIN entry e ON e.rowid = m.entry "
        f"WHERE m.key IN (SELECT value FROM json_each(?)) AND {' AND '.join(where)}",
        (listed(_affordable(frequency(db, rarities))), *values),
    ):
        weights[row, name] = weights.get((row, name), 0.0) + rarities[key]
    order = sorted(weights.items(), key=lambda one: (-round(one[1], 9), one[0][1]))
    return [(row, weight) for (row, _), weight in order[:limit]]


def shares(
    db: sqlite3.Connection, rows: Sequence[int], rarities: Mapping[str, float]
) -> dict[int, float]:
    """Of each of ``rows``: how much of the things it names, by rarity, 0–1."""
    whole = sum(rarities.values()) or 1.0
    found: dict[int, float] = {}
    if rarities:
        for row, key in db.execute(
            "SELECT DISTINCT entry, key FROM mention "
            "WHERE entry IN (SELECT value FROM json_each(?)) "
            "AND key IN (SELECT value FROM json_each(?))",
            (dumps(list(rows)), listed(rarities)),
        ):
            found[row] = found.get(row, 0.0) + rarities[key] / whole
    return found


def _affordable(counts: Mapping[str, int]) -> list[str]:
    taken: list[str] = []
    spent = 0
    for count, key in sorted((count, key) for key, count in counts.items()):
        spent += count
        if taken and spent > _FEW:
            break
        taken.append(key)
    return taken


def listed(keys: Iterable[str]) -> str:
    """``keys`` as SQL reads them."""
    return dumps([storable(key) for key in keys])


def common(db: sqlite3.Connection, most: int) -> dict[str, int]:
    """Keys of the things that count most → how many entries name each.

    Those of relations come first; a word that only ever begins a sentence is none.
    """
    rows = db.execute(
        "SELECT key, count(*), EXISTS (SELECT 1 FROM edge WHERE subject = key OR object = key) "
        "FROM mention JOIN entry e ON e.rowid = mention.entry WHERE e.shown "
        "GROUP BY key HAVING min(mention.kind = 'start') = 0 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?",
        (most,),
    )
    return {key: entries for key, entries, _ in rows}


def together(db: sqlite3.Connection, keys: str, most: int) -> list[tuple[str, str, int]]:
    """Pairs of ``keys`` (:func:`listed`) that the latest entries name, and how many name both."""
    rows = db.execute(
        "WITH wanted AS (SELECT value FROM json_each(?)), "
        "latest AS (SELECT key, entry FROM mention JOIN entry e ON e.rowid = mention.entry "
        "WHERE key IN wanted AND e.shown ORDER BY e.date DESC, e.id LIMIT ?) "
        "SELECT a.key, b.key, count(*) FROM latest a JOIN latest b "
        "ON a.entry = b.entry AND a.key < b.key GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?",
        (keys, _POSTINGS, most),
    )
    return [(one, other, entries) for one, other, entries in rows]
