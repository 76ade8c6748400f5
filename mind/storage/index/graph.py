"""Graph of the things that entries name, and of the relations between them."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from math import log
from typing import TYPE_CHECKING, Literal

from mind.domain.entry import SAME_AS, Entry, Kind
from mind.storage.index.connection import IndexPart, sure
from mind.storage.index.selection import (
    COLUMNS,
    FORWARD,
    NEWEST,
    PLACE,
    Filter,
    affordable,
    entry_of,
    select,
    storable,
)
from mind.text.entities import key_of, phrases, scan, windows

if TYPE_CHECKING:
    from mind.text.relations import Relation

_POSTINGS = 12_000
"""Most mentions read at once, as in full-text search; beyond that, of the rarest things only."""
_FEW = 2_000
"""The same for a search, where the graph is one of several branches."""
_MOST = 200
"""Most things per entry; an entry that names more is a list."""

_Named = tuple[int, str]
"""Row and id of an entry."""


_Things = list[tuple[str, tuple[str, str]]]
"""Each key, with the name as written and its kind."""
_Relations = list[tuple[str, str, str, str, str]]
"""Keys of subject, predicate and object, and the names of subject and object."""


def mentioned(entry: Entry) -> tuple[_Things, _Relations]:
    """Names and statements of ``entry``."""
    text = storable(entry.text)
    named: dict[str, tuple[str, str]] = {}
    stated: _Relations = []
    for start, end, kind, key in scan(text):
        if key not in named or named[key][1] == "start":
            named[key] = (text[start:end], kind)
    for tag in entry.tags:
        named.setdefault(key_of(storable(tag)), (storable(tag), "tag"))
    for one in _stated(text) if entry.kind is Kind.RELATION else ():
        subject, predicate, object_ = one.keys
        named[subject], named[object_] = (one.subject, "link"), (one.object, "link")
        stated.append((subject, predicate, object_, one.subject, one.object))
    return list(named.items())[:_MOST], stated


def _stated(text: str) -> "tuple[Relation, ...]":
    from mind.text.relations import relations  # noqa: PLC0415 - few entries are relations

    return relations(text)


def frequency(db: sqlite3.Connection, keys: Iterable[str], most: int = -1) -> dict[str, int]:
    """Number of entries that name each of ``keys``, at most ``most``; unnamed ones are left out."""
    rows = db.execute(
        "SELECT value, (SELECT count(*) FROM (SELECT 1 FROM mention WHERE key = value LIMIT ?)) "
        "FROM json_each(?)",
        (most, listed(keys)),
    )
    return {key: count for key, count in rows if count}


def rarity(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, float]:
    """Rarity of each named one of ``keys``: log(1 + N/n) for n of N entries that name it."""
    counts = frequency(db, keys)
    total = db.execute("SELECT documents FROM total").fetchone()[0]
    return {key: log(1 + total / count) for key, count in counts.items()}


def naming(
    db: sqlite3.Connection, rarities: Mapping[str, float], which: Filter, limit: int
) -> list[tuple[int, float]]:
    """(row, sum of rarities) of the entries that pass and name most of the things, best first."""
    where, values = which.clauses()
    counts = frequency(db, rarities)
    things = affordable(sorted(counts, key=lambda key: (counts[key], key)), counts, _FEW)
    weights: dict[_Named, float] = {}
    for row, name, key in db.execute(
        "SELECT DISTINCT m.entry, e.id, m.key FROM mention m JOIN entry e ON e.rowid = m.entry "
        f"WHERE m.key IN (SELECT value FROM json_each(?)) AND {' AND '.join(where)}",
        (listed(things), *values),
    ):
        weights[row, name] = weights.get((row, name), 0.0) + rarities[key]
    return _best(weights, limit)


def shares(
    db: sqlite3.Connection, rows: Sequence[int], rarities: Mapping[str, float]
) -> dict[int, float]:
    """Share of the things that each of ``rows`` names, weighted by rarity, 0–1."""
    whole = sum(rarities.values()) or 1.0
    found: dict[int, float] = {}
    for row, key in db.execute(
        "SELECT DISTINCT entry, key FROM mention "
        "WHERE entry IN (SELECT value FROM json_each(?)) "
        "AND key IN (SELECT value FROM json_each(?))",
        (dumps(list(rows)), listed(rarities)),
    ):
        found[row] = found.get(row, 0.0) + rarities[key] / whole
    return found


def listed(keys: Iterable[str]) -> str:
    """``keys`` as an SQL parameter."""
    return dumps([storable(key) for key in keys])


Direction = Literal["out", "in", "both"]
DEEPEST = 3
_DAMPING = 0.5
"""Weight factor per relation step."""
_MOST_STEPS = 200
_MOST_NAMES = 64
"""Most names of one thing; a longer chain of aliases is a mistake in the data."""


_COMMON = 400
"""Number of entries above which a shared thing does not connect two of them."""
_MOST_ENTRIES = 4_000


def around(db: sqlite3.Connection, seeds: Sequence[int], limit: int) -> list[tuple[int, float]]:
    """(row, weight) of entries near the rows ``seeds`` in the graph; earlier seeds weigh more.

    They name a thing that a seed names, or one up to two relations away, aliases included.
    """
    weights = {row: 1 / at for at, row in enumerate(seeds, 1)}
    things: dict[str, float] = {}
    for key, row in db.execute(
        "SELECT key, entry FROM mention WHERE kind <> 'start' "
        "AND entry IN (SELECT value FROM json_each(?))",
        (dumps(list(weights)),),
    ):
        things[key] = max(things.get(key, 0.0), weights[row])
    things = _with_related(db, _with_related(db, things))
    counts = frequency(db, things, _COMMON + 1)
    telling = [key for key, count in counts.items() if count <= _COMMON]
    telling.sort(key=lambda key: (-things[key], counts[key], key))
    total = db.execute("SELECT documents FROM total").fetchone()[0]
    scores: dict[_Named, float] = {}
    for key in affordable(telling, counts, _MOST_ENTRIES):
        weight = things[key] * log(1 + total / counts[key])
        for row, name in db.execute(
            "SELECT e.rowid, e.id FROM mention m JOIN entry e ON e.rowid = m.entry "
            "WHERE m.key = ? AND m.kind <> 'start' AND e.shown",
            (key,),
        ):
            if row not in weights:
                scores[row, name] = scores.get((row, name), 0.0) + weight
    return _best(scores, limit)


def _best(scores: Mapping[_Named, float], limit: int) -> list[tuple[int, float]]:
    order = sorted(scores.items(), key=lambda one: (-round(one[1], 9), one[0][1]))
    return [(row, score) for (row, _), score in order[:limit]]


def _with_related(db: sqlite3.Connection, things: Mapping[str, float]) -> dict[str, float]:
    """``things``, and those one relation away with half their weight."""
    found = dict(things)
    for here, there in (("subject", "object"), ("object", "subject")):
        for near, far in db.execute(
            f"SELECT g.{here}, g.{there} FROM edge g JOIN entry e ON e.rowid = g.entry "
            f"WHERE e.shown AND g.{here} IN (SELECT value FROM json_each(?)) LIMIT ?",
            (listed(things), _MOST_ENTRIES),
        ):
            found[far] = max(found.get(far, 0.0), _DAMPING * things[near])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation and the entry that states it.

    Attributes:
        subject: Name as written.
        predicate: In lower case, joined by hyphens.
        object: Name as written.
        subject_key: Normalised key, equal for all spellings.
        object_key: The same for the object.
        entry: The entry that states it.
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
        inward: Whether it was walked in reverse, from object to subject.
        weight: damping^(depth - 1), 0–1.
    """

    depth: int
    edge: Edge
    inward: bool
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCount:
    """A thing in its most frequent spelling, and the number of entries that name it."""

    name: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation between two things, by name."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPair:
    """Two things named by the same entries, and the number of these entries."""

    one: str
    other: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Overview of the graph.

    Attributes:
        things: Things in relations first, then the most frequently named ones.
        relations: Relations between them, as stated.
        together: Pairs that recent entries name together, most frequent first.
    """

    things: tuple[EntityCount, ...]
    relations: tuple[Link, ...]
    together: tuple[EntityPair, ...]


@sure
class Graph(IndexPart):
    """The graph in an index."""

    def named_in(self, text: str, *, lowercase: bool = True) -> list[str]:
        """Keys of the things named in ``text``, which may be a query.

        Args:
            text: The text as written.
            lowercase: Also find capitalised names that are written in lower case.
        """
        told = [one.key for one in scan(text) if one.kind != "start"]
        if lowercase:
            maybe = {key for window in windows(text) for key, _, _ in window}
            named = self.db.execute(
                "SELECT value FROM json_each(?) "
                "WHERE EXISTS (SELECT 1 FROM mention WHERE key = value AND kind <> 'start')",
                (listed(maybe),),
            )
            told += [key for key, _, _ in phrases(text, {row[0] for row in named})]
        return list(dict.fromkeys(told))

    def entries(self, keys: Sequence[str], limit: int = 10) -> list[Entry]:
        """Entries, except relations, that name any of ``keys`` or aliases, newest first."""
        where = (
            "e.shown AND e.kind <> 'relation' AND e.rowid IN (SELECT entry FROM mention "
            "WHERE key IN (SELECT value FROM json_each(?)))"
        )
        return select(self.db, where, [listed(self.aliases(keys))], NEWEST, limit)

    def names(self, keys: Sequence[str]) -> list[str]:
        """Most frequent spelling of each of ``keys``."""
        rows = self.db.execute(
            "SELECT key, name FROM mention WHERE key IN (SELECT value FROM json_each(?)) "
            "GROUP BY key, name ORDER BY count(*), name DESC",
            (listed(keys),),
        )
        written = dict(rows.fetchall())
        return [written.get(key, key) for key in keys]

    def aliases(self, keys: Sequence[str]) -> list[str]:
        """``keys`` and their aliases by ``same-as``."""
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
        """The ``limit`` most important things, and their relations.

        Words that only occur at the start of a sentence are left out.
        """
        rows = self.db.execute(
            "SELECT key, count(*), EXISTS (SELECT 1 FROM edge WHERE subject = key OR object = key) "
            "FROM mention JOIN entry e ON e.rowid = mention.entry WHERE e.shown GROUP BY key "
            "HAVING min(mention.kind = 'start') = 0 ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?",
            (limit,),
        )
        counted = {key: entries for key, entries, _ in rows}
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
        together = self.db.execute(
            "WITH wanted AS (SELECT value FROM json_each(?)), "
            "latest AS (SELECT key, entry FROM mention JOIN entry e ON e.rowid = mention.entry "
            "WHERE key IN wanted AND e.shown ORDER BY e.date DESC, e.id LIMIT ?) "
            "SELECT a.key, b.key, count(*) FROM latest a JOIN latest b "
            "ON a.entry = b.entry AND a.key < b.key GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?",
            (wanted, _POSTINGS, _MOST_STEPS // 2),
        )
        return Overview(
            things=tuple(EntityCount(name=names[key], entries=n) for key, n in counted.items()),
            relations=tuple(
                Link(subject=names[one], predicate=how, object=names[other])
                for one, how, other in stated
            ),
            together=tuple(
                EntityPair(one=names[one], other=names[other], entries=n)
                for one, other, n in together
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
            start: Keys; aliases are included.
            depth: Maximum number of steps, 1–3.
            predicate: Only follow this predicate.
            direction: "out" from subject to object, "in" from object to subject.
        """
        steps: list[GraphStep] = []
        walked: set[tuple[str, str, str]] = set()
        front = self.aliases(start)
        reached = set(front)
        for far in range(1, min(depth, DEEPEST) + 1):
            edges = self._edges(front, predicate, direction)
            here = set(front)
            fresh = []
            for edge in edges:
                triple = (edge.subject_key, edge.predicate, edge.object_key)
                if triple not in walked:
                    walked.add(triple)
                    weight = _DAMPING ** (far - 1)
                    inward = direction == "in" or (
                        direction == "both" and edge.subject_key not in here
                    )
                    steps.append(GraphStep(depth=far, edge=edge, inward=inward, weight=weight))
                    fresh += [triple[0], triple[2]]
            front = self.aliases([key for key in dict.fromkeys(fresh) if key not in reached])
            reached.update(front)
        return steps[:_MOST_STEPS]
