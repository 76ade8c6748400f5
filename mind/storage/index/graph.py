"""The graph of things: which entries name them, and the relations that entries state."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from mind.domain.entry import Entry
from mind.storage.index import mentions
from mind.storage.index.rows import COLUMNS, FORWARD, NEWEST, PLACE, entry_of
from mind.text.entities import entities, phrases, windows
from mind.text.relations import SAME_AS

Direction = Literal["out", "in", "both"]
DEEPEST = 3
_DAMPING = 0.5
"""How much a thing that is one relation further away counts."""
_MOST_STEPS = 200
_MOST_NAMES = 64
"""Names of one thing; a chain of aliases that is longer is a mistake somewhere."""


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
class Step:
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
class Thing:
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
class Together:
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

    things: tuple[Thing, ...]
    relations: tuple[Link, ...]
    together: tuple[Together, ...]


class Graph:
    """The graph in an index.

    Args:
        db: The index.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def named_in(self, text: str, *, lowercase: bool = True) -> list[str]:
        """Keys of the things that ``text``, perhaps a query, names.

        Args:
            text: As somebody wrote it.
            lowercase: Names that entries spell with capitals are seen without them too.
        """
        told = [one.key for one in entities(text)]
        if lowercase:
            maybe = {key for window in windows(text) for key, _, _ in window}
            told += [key for key, _, _ in phrases(text, mentions.named(self._db, maybe))]
        return list(dict.fromkeys(told))

    def entries(self, keys: Sequence[str], limit: int = 10) -> list[Entry]:
        """Entries, but relations, that name some of ``keys`` or their aliases, newest first."""
        rows = self._db.execute(
            f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE e.shown AND e.kind <> 'relation' "
            "AND e.rowid IN (SELECT entry FROM mention WHERE key IN "
            f"(SELECT value FROM json_each(?))) ORDER BY {NEWEST} LIMIT ?",
            (mentions.listed(self.aliases(keys)), limit),
        )
        return [entry_of(row) for row in rows]

    def names(self, keys: Sequence[str]) -> list[str]:
        """How each of ``keys`` is written most often."""
        rows = self._db.execute(
            "SELECT key, name FROM mention WHERE key IN (SELECT value FROM json_each(?)) "
            "GROUP BY key, name ORDER BY count(*), name DESC",
            (mentions.listed(keys),),
        )
        written = dict(rows.fetchall())
        return [written.get(key, key) for key in keys]

    def aliases(self, keys: Sequence[str]) -> list[str]:
        """``keys``, and what ``same-as`` says are other names of the same things."""
        known = list(dict.fromkeys(keys))
        fresh = known
        while fresh and len(known) < len(keys) + _MOST_NAMES:
            rows = self._db.execute(
                "SELECT subject, object FROM edge JOIN entry e ON e.rowid = edge.entry "
                "WHERE predicate = ? AND e.shown AND "
                "(subject IN (SELECT value FROM json_each(?)) "
                "OR object IN (SELECT value FROM json_each(?)))",
                (SAME_AS, *(mentions.listed(fresh),) * 2),
            )
            found = sorted({key for row in rows for key in row} - set(known))
            known, fresh = known + found, found
        return known

    def overview(self, limit: int) -> Overview:
        """The ``limit`` things that count most, and how they are related."""
        counted = mentions.common(self._db, limit)
        names = dict(zip(counted, self.names(list(counted)), strict=True))
        wanted = mentions.listed(counted)
        both = " AND ".join(
            f"g.{side} IN (SELECT value FROM json_each(?))" for side in ("subject", "object")
        )
        stated = self._db.execute(
            "SELECT DISTINCT g.subject, g.predicate, g.object FROM edge g "
            f"JOIN entry e ON e.rowid = g.entry WHERE e.shown AND {both} ORDER BY 1, 2, 3 LIMIT ?",
            (wanted, wanted, _MOST_STEPS),
        )
        beside = mentions.together(self._db, wanted, _MOST_STEPS // 2)
        return Overview(
            things=tuple(Thing(name=names[key], entries=n) for key, n in counted.items()),
            relations=tuple(
                Link(subject=names[one], predicate=how, object=names[other])
                for one, how, other in stated
            ),
            together=tuple(
                Together(one=names[one], other=names[other], entries=n) for one, other, n in beside
            ),
        )

    def _edges(
        self, keys: Sequence[str], predicate: str | None, direction: Direction
    ) -> list[Edge]:
        sides = {"out": ("subject",), "in": ("object",), "both": ("subject", "object")}[direction]
        wanted = mentions.listed(keys)
        where = " OR ".join(f"g.{side} IN (SELECT value FROM json_each(?))" for side in sides)
        rows = self._db.execute(
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
    ) -> list[Step]:
        """Walk relations from the things with keys ``start``, nearest first.

        Args:
            start: Keys; their aliases are the same things.
            depth: How many relations away, 1–3.
            predicate: Only along this one.
            direction: "out" from subject to object, "in" from object to subject.
        """
        steps: list[Step] = []
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
                    steps.append(Step(depth=far, edge=edge, inward=inside(edge), weight=weight))
                    fresh += [triple[0], triple[2]]
            front = self.aliases([key for key in dict.fromkeys(fresh) if key not in reached])
            reached.update(front)
        return steps[:_MOST_STEPS]


def _is_inward(front: set[str], direction: Direction, edge: Edge) -> bool:
    return direction == "in" or (direction == "both" and edge.subject_key not in front)
