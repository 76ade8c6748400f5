"""The graph: which entries name which things, and how the things are related."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from json import dumps
from math import log
from typing import Literal, NamedTuple

from mind.domain.entry import Entry, Kind
from mind.storage.index.connection import IndexPart, sure
from mind.storage.index.selection import COLUMNS, FORWARD, NEWEST, PLACE, Filter, entry_of, storable
from mind.text.entities import entities, key_of, phrases, scan, windows
from mind.text.relations import SAME_AS, relations

_POSTINGS = 12_000
"""Mentions that are read for one question, as in the full text: past that, the rarest things."""
_FEW = 2_000
"""The same for a search, where things are one branch of several."""
_MOST = 200
"""Things of one entry; an entry that names more is a list."""


class EntryNames(NamedTuple):
    """Names and statements of an entry.

    Attributes:
        things: Each key, with the name as written and its kind.
        relations: Keys of subject, predicate and object, and the names of both.
    """

    things: list[tuple[str, tuple[str, str]]]
    relations: list[tuple[str, str, str, str, str]]


def mentioned(entry: Entry) -> EntryNames:
    """Names and statements of ``entry``."""
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
    return EntryNames(list(named.items())[:_MOST], stated)


def add_mentions(
    db: sqlite3.Connection,
    mentioned: Sequence[tuple[str | int, ...]],
    stated: Sequence[tuple[str | int, ...]],
) -> None:
    """Note what entries name and state, as rows of the two tables."""
    db.executemany("INSERT INTO mention VALUES (?, ?, ?, ?)", mentioned)
    db.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", stated)


def remove_mentions(db: sqlite3.Connection, chunk: int) -> None:
    """Forget what the entries of ``chunk`` name and state."""
    for table in ("mention", "edge"):
        db.execute(
            f"DELETE FROM {table} WHERE entry IN (SELECT rowid FROM entry WHERE chunk = ?)",
            (chunk,),
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


Direction = Literal["out", "in", "both"]
DEEPEST = 3
_DAMPING = 0.5
"""How much a thing that is one relation further away counts."""
_MOST_STEPS = 200
_MOST_NAMES = 64
"""Names of one thing; a chain of aliases that is longer is a mistake somewhere."""


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
    wanted = listed(things)
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
    counts = frequency(db, things, _COMMON + 1)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation and the entry that states it.

    Attributes:
        subject: Name as written.
        predicate: In small letters, joined by hyphens.
        object: Name as written.
        subject_key: Equal for its other spellings.
        object_key: The same.
        entry: Where it stands.
    """

    subject: str
    predicate: str
    object: str
    subject_key: str
    object_key: str
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStep:
    """One relation on a walk.

    Attributes:
        depth: 1 for relations of the start.
        edge: The relation.
        inward: It was walked against its direction, from object to subject.
        weight: damping^(depth - 1), 0–1.
    """

    depth: int
    edge: Edge
    inward: bool
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCount:
    """A thing, as it is written most often, and how many entries name it."""

    name: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation between two things, by their names."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPair:
    """Two things that entries name together, and how many do."""

    one: str
    other: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The whole graph from afar.

    Attributes:
        things: Those that relations name come first, then those that most entries name.
        relations: Between them, as stated.
        together: Those that the latest entries name together, the most often first.
    """

    things: tuple[EntityCount, ...]
    relations: tuple[Link, ...]
    together: tuple[EntityPair, ...]


@sure
class Graph(IndexPart):
    """The graph in an index."""

    def named_in(self, text: str, *, lowercase: bool = True) -> list[str]:
        """Keys of the things that ``text``, perhaps a query, names.

        Args:
            text: As somebody wrote it.
            lowercase: Names that entries spell with capitals are seen without them too.
        """
        told = [one.key for one in entities(text)]
        if lowercase:
            maybe = {key for window in windows(text) for key, _, _ in window}
            told += [key for key, _, _ in phrases(text, named(self.db, maybe))]
        return list(dict.fromkeys(told))

    def entries(self, keys: Sequence[str], limit: int = 10) -> list[Entry]:
        """Entries, but relations, that name some of ``keys`` or their aliases, newest first."""
        rows = self.db.execute(
            f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE e.shown AND e.kind <> 'relation' "
            "AND e.rowid IN (SELECT entry FROM mention WHERE key IN "
            f"(SELECT value FROM json_each(?))) ORDER BY {NEWEST} LIMIT ?",
            (listed(self.aliases(keys)), limit),
        )
        return [entry_of(row) for row in rows]

    def names(self, keys: Sequence[str]) -> list[str]:
        """The most frequent spelling of each of ``keys``."""
        rows = self.db.execute(
            "SELECT key, name FROM mention WHERE key IN (SELECT value FROM json_each(?)) "
            "GROUP BY key, name ORDER BY count(*), name DESC",
            (listed(keys),),
        )
        written = dict(rows.fetchall())
        return [written.get(key, key) for key in keys]

    def aliases(self, keys: Sequence[str]) -> list[str]:
        """``keys``, and what ``same-as`` says are other names of the same things."""
        known = list(dict.fromkeys(keys))
        fresh = known
        while fresh and len(known) < len(keys) + _MOST_NAMES:
            rows = self.db.execute(
                "SELECT subject, object FROM edge JOIN entry e ON e.rowid = edge.entry "
                "WHERE predicate = ? AND e.shown AND "
                "(subject IN (SELECT value FROM json_each(?)) "
                "OR object IN (SELECT value FROM json_each(?)))",
                (SAME_AS, *(listed(fresh),) * 2),
            )
            found = sorted({key for row in rows for key in row} - set(known))
            known, fresh = known + found, found
        return known

    def overview(self, limit: int) -> Overview:
        """The ``limit`` things that count most, and how they are related."""
        counted = common(self.db, limit)
        names = dict(zip(counted, self.names(list(counted)), strict=True))
        wanted = listed(counted)
        both = " AND ".join(
            f"g.{side} IN (SELECT value FROM json_each(?))" for side in ("subject", "object")
        )
        stated = self.db.execute(
            "SELECT DISTINCT g.subject, g.predicate, g.object FROM edge g "
            f"JOIN entry e ON e.rowid = g.entry WHERE e.shown AND {both} ORDER BY 1, 2, 3 LIMIT ?",
            (wanted, wanted, _MOST_STEPS),
        )
        beside = together(self.db, wanted, _MOST_STEPS // 2)
        return Overview(
            things=tuple(EntityCount(name=names[key], entries=n) for key, n in counted.items()),
            relations=tuple(
                Link(subject=names[one], predicate=how, object=names[other])
                for one, how, other in stated
            ),
            together=tuple(
                EntityPair(one=names[one], other=names[other], entries=n)
                for one, other, n in beside
            ),
        )

    def _edges(
        self, keys: Sequence[str], predicate: str | None, direction: Direction
    ) -> list[Edge]:
        sides = {"out": ("subject",), "in": ("object",), "both": ("subject", "object")}[direction]
        wanted = listed(keys)
        where = " OR ".join(f"g.{side} IN (SELECT value FROM json_each(?))" for side in sides)
        rows = self.db.execute(
            "SELECT g.subject_name, g.predicate, g.object_name, g.subject, g.object, "
            f"{COLUMNS} FROM edge g JOIN entry e ON e.rowid = g.entry {PLACE} "
            f"WHERE e.shown AND ({where}) AND g.predicate {'=' if predicate else '<>'} ? "
            f"ORDER BY {FORWARD}, g.rowid LIMIT ?",
            (*(wanted,) * len(sides), predicate or SAME_AS, _MOST_STEPS),
        )
        return [
            Edge(
                subject=row[0],
                predicate=row[1],
                object=row[2],
                subject_key=row[3],
                object_key=row[4],
                entry=entry_of(row[5:]),
            )
            for row in rows
        ]

    def traverse(
        self,
        start: Sequence[str],
        depth: int = 1,
        predicate: str | None = None,
        direction: Direction = "both",
    ) -> list[GraphStep]:
        """Walk relations from the things with keys ``start``, nearest first.

        Args:
            start: Keys; their aliases are the same things.
            depth: How many relations away, 1–3.
            predicate: Only along this one.
            direction: "out" from subject to object, "in" from object to subject.
        """
        steps: list[GraphStep] = []
        walked: set[tuple[str, str, str]] = set()
        front = self.aliases(start)
        reached = set(front)
        for far in range(1, min(depth, DEEPEST) + 1):
            edges = self._edges(front, predicate, direction)
            inside = partial(_is_inward, set(front), direction)
            fresh = []
            for edge in edges:
                triple = (edge.subject_key, edge.predicate, edge.object_key)
                if triple not in walked:
                    walked.add(triple)
                    weight = _DAMPING ** (far - 1)
                    steps.append(
                        GraphStep(depth=far, edge=edge, inward=inside(edge), weight=weight)
                    )
                    fresh += [triple[0], triple[2]]
            front = self.aliases([key for key in dict.fromkeys(fresh) if key not in reached])
            reached.update(front)
        return steps[:_MOST_STEPS]


def _is_inward(front: set[str], direction: Direction, edge: Edge) -> bool:
    return direction == "in" or (direction == "both" and edge.subject_key not in front)
