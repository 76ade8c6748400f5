"""Entries in the index: updated chunk by chunk as files change, read back as values."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from json import dumps, loads
from random import shuffle
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from mind.domain.entry import Entry
from mind.storage.index import prepared, retrieval, selection
from mind.storage.index.connection import Connected, sure
from mind.storage.index.graph import Graph
from mind.storage.index.prepared import Chunk, Rows, insert, rows_of
from mind.storage.index.rejections import Rejections
from mind.storage.index.retrieval import QueryVector
from mind.storage.index.selection import (
    COLUMNS,
    EVERY,
    FORWARD,
    NEWEST,
    PLACE,
    THERE,
    Aliases,
    Filter,
    Order,
    by_row,
    entry_of,
    storable,
)
from mind.storage.index.usage import Usage
from mind.storage.index.vectors import Missing, Vectors, name_of, rename

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.storage.index.outbox import Outbox

T = TypeVar("T")
_OF_ENTRIES = (
    "source",
    "chunk",
    "prepared",
    "entry",
    "mention",
    "edge",
    "rejection",
    "rejection_key",
)
_FEW = 1
"""Most chunks parsed within a write transaction: one added entry, or one edited section."""
VECTORS = "vectors of "
"""Prefix of a note, followed by a profile: up to which row each text had a vector of it."""
_SECONDS = 0.25
"""Seconds of parsing between two transactions: the work a killed process loses."""


@dataclass(frozen=True, slots=True)
class RefreshedEntries:
    """Changes made by a refresh.

    Attributes:
        added: Number of added entries.
        removed: Number of removed entries.
        gone: Removed entries whose id no longer exists, if others were added.
        new: Added entries with new text, if others are gone.
    """

    added: int = 0
    removed: int = 0
    gone: tuple[Entry, ...] = ()
    new: tuple[Entry, ...] = ()

    def __add__(self, other: "RefreshedEntries") -> "RefreshedEntries":
        return RefreshedEntries(self.added + other.added, self.removed + other.removed)


def _batch(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Rows]]:
    """The first of ``chunks``, as many as can be parsed within the time limit."""
    until = monotonic() + _SECONDS
    for chunk in chunks:
        yield chunk, rows_of(chunk)
        if monotonic() > until:
            return


@sure
class Index(Connected):
    """One connection to a project's derived index.

    Args:
        path: The database file; ``None`` for an index in memory.
        seconds: Time limit for building it before the caller answers; None: until it is complete.
    """

    @property
    def usage(self) -> Usage:
        """Use counts."""
        return Usage(self)

    @property
    def aliases(self) -> Aliases:
        """Former ids of edited entries."""
        return Aliases(self)

    @property
    def graph(self) -> Graph:
        """Named things and their relations."""
        return Graph(self)

    @property
    def rejections(self) -> Rejections:
        """Rows of what entries advise against."""
        return Rejections(self)

    @property
    def outbox(self) -> "Outbox":
        """Changes not yet sent to the mirror."""
        from mind.storage.index.outbox import Outbox  # noqa: PLC0415 - only with a mirror

        return Outbox(self)

    def clear(self) -> None:
        """Delete all entries; the next refresh reads every source again.

        Vectors stay, because they belong to texts rather than entries.
        """
        with self.writing():
            for table in _OF_ENTRIES:
                self.db.execute(f"DELETE FROM {table}")
            self.db.execute(
                f"DELETE FROM meta WHERE key <> 'generation' AND key NOT GLOB '{VECTORS}*'"
            )
            self.db.execute("INSERT INTO words (words) VALUES ('delete-all')")
            self.db.execute("UPDATE total SET documents = 0, length = 0")

    def forget(self) -> None:
        """Delete everything, vectors included."""
        self.clear()
        with self.writing():
            self.db.execute("DELETE FROM vector")
            self.db.execute("DELETE FROM meta")
            rename(self.db)

    def is_much(self, path: str, chunks: Sequence[Chunk]) -> bool:
        """True if ``chunks`` are enough work to be parsed ahead of the update."""
        return len(prepared.lacking(self.db, path, chunks)) > _FEW

    def prepare(self, path: str, chunks: Sequence[Chunk]) -> float:
        """Parse ``chunks`` in batches, store each, and return the completed share, 0–1.

        The result is below 1 only if the time limit passed. Several processes may do so at once.
        """
        lacking = prepared.lacking(self.db, path, chunks)
        shuffle(lacking)  # other processes do the same: each starts at a random place
        while len(lacking) > _FEW:
            made = list(_batch(lacking))
            with self.writing():
                prepared.keep(self.db, path, made)
            lacking = prepared.lacking(self.db, path, lacking[len(made) :])
            if self.is_late and len(lacking) > _FEW:
                return 1 - len(lacking) / len(chunks)
        return 1.0

    rows = prepared.kept
    drop_prepared = prepared.drop

    def stamps(self) -> dict[str, str]:
        """Path of every source → its stamp when it was indexed."""
        return dict(self.db.execute("SELECT path, stamp FROM source"))

    def paths(self, family: str) -> list[str]:
        """Sources of one family."""
        rows = self.db.execute("SELECT path FROM source WHERE family = ?", (family,))
        return [row[0] for row in rows]

    def replace(  # noqa: PLR0913 - the properties of a source, by name only
        self,
        path: str,
        *,
        family: str,
        rank: int,
        stamp: str,
        chunks: Sequence[Chunk],
        first: int = 0,
    ) -> RefreshedEntries:
        """Replace the content of ``path`` by ``chunks``; those with a known digest are not parsed.

        Chunks before position ``first`` are kept.
        """
        self.db.execute(
            "INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", (path, family, rank, stamp)
        )
        known: dict[bytes, list[tuple[int, int, int, int]]] = {}
        rows = self.db.execute(
            "SELECT digest, id, ordinal, line, offset FROM chunk "
            "WHERE path = ? AND ordinal >= ? ORDER BY ordinal DESC",
            (path, first),
        )
        for digest, *rest in rows:
            known.setdefault(digest, []).append((rest[0], rest[1], rest[2], rest[3]))
        added: list[str] = []
        moved = False
        for ordinal, chunk in enumerate(chunks, first):
            same = known.get(chunk.digest)
            if same:
                moved |= self._move(same.pop(), ordinal, chunk)
            else:
                added += self._insert(path, ordinal, chunk)
        old = [row[0] for same in known.values() for row in same]
        self.drop_prepared(path)
        before = self._of_chunks(old) if added else []
        removed = [base for row in old for base in self._delete(row)]
        prepared.number(self.db, {*added, *removed, *(prepared.repeated(self.db) if moved else ())})
        lost = self._lost([str(row[0]) for row in before])
        gone = tuple(entry_of(row) for row in before if row[0] in lost)
        new = set(added).difference(str(row[0]) for row in before) if gone else ()
        return RefreshedEntries(len(added), len(removed), gone, tuple(self._alone(new)))

    def _of_chunks(self, chunks: Sequence[int]) -> list[tuple[object, ...]]:
        """Visible rows of chunks that make up their entries."""
        return self.db.execute(
            f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE e.shown "
            f"AND e.chunk IN (SELECT value FROM json_each(?)) ORDER BY {FORWARD}",
            (dumps(list(chunks)),),
        ).fetchall()

    def _lost(self, ids: Sequence[str]) -> set[str]:
        """Subset of ``ids`` that no entry has any more."""
        rows = self.db.execute(
            f"SELECT value FROM json_each(?) WHERE NOT EXISTS ({THERE} value)", (dumps(ids),)
        )
        return {row[0] for row in rows}

    def _alone(self, bases: Collection[str]) -> list[Entry]:
        """Entries with these ids whose text no other entry has."""
        if not bases:
            return []
        others = "SELECT 1 FROM entry o WHERE o.base = e.base AND o.rowid <> e.rowid"
        where = f"e.base IN (SELECT value FROM json_each(?)) AND NOT EXISTS ({others})"
        return selection.select(self.db, where, [dumps(sorted(bases))], FORWARD, -1)

    def extend(
        self, path: str, *, family: str, rank: int, stamp: str, chunks: Sequence[Chunk]
    ) -> RefreshedEntries:
        """Append ``chunks`` to the content of ``path``."""
        last = self.db.execute("SELECT max(ordinal) FROM chunk WHERE path = ?", (path,)).fetchone()
        first = 0 if last[0] is None else last[0] + 1
        return self.replace(path, family=family, rank=rank, stamp=stamp, chunks=chunks, first=first)

    def trim(self, path: str, most: int) -> RefreshedEntries:
        """Delete all but the last ``most`` chunks of ``path``."""
        rows = self.db.execute(
            "SELECT id FROM chunk WHERE path = ? ORDER BY ordinal DESC LIMIT -1 OFFSET ?",
            (path, most),
        ).fetchall()
        removed = [base for (chunk,) in rows for base in self._delete(chunk)]
        prepared.number(self.db, set(removed))
        return RefreshedEntries(removed=len(removed))

    def drop(self, path: str) -> RefreshedEntries:
        """Delete a source and its entries."""
        removed = self.trim(path, 0)
        self.db.execute("DELETE FROM source WHERE path = ?", (path,))
        return removed

    def _move(self, row: tuple[int, int, int, int], ordinal: int, chunk: Chunk) -> bool:
        """Update the position of a known chunk; return whether its order changed."""
        if row[1:] != (ordinal, chunk.line, chunk.offset):
            self.db.execute(
                "UPDATE chunk SET ordinal = ?, line = ?, offset = ? WHERE id = ?",
                (ordinal, chunk.line, chunk.offset, row[0]),
            )
        return row[1] != ordinal

    def _insert(self, path: str, ordinal: int, chunk: Chunk) -> list[str]:
        number = self.db.execute(
            "INSERT INTO chunk (path, ordinal, digest, line, offset) VALUES (?, ?, ?, ?, ?) "
            "RETURNING id",
            (path, ordinal, chunk.digest, chunk.line, chunk.offset),
        ).fetchone()[0]
        rows = self.rows(path, chunk)
        insert(self.db, number, rows)
        return [str(one[0]) for one in rows.entries]

    def _delete(self, chunk: int) -> list[str]:
        rows = self.db.execute(
            "SELECT rowid, base, terms FROM entry WHERE chunk = ?", (chunk,)
        ).fetchall()
        retrieval.remove(self.db, [(row, terms) for row, _, terms in rows])
        for table in ("mention", "edge"):  # rows of rejections wait for the same words to return
            self.db.execute(
                f"DELETE FROM {table} WHERE entry IN (SELECT rowid FROM entry WHERE chunk = ?)",
                (chunk,),
            )
        self.db.execute("DELETE FROM entry WHERE chunk = ?", (chunk,))
        self.db.execute("DELETE FROM chunk WHERE id = ?", (chunk,))
        return [row[1] for row in rows]

    def parsed(self, path: str, chunks: Sequence[Chunk]) -> list[Entry]:
        """Entries of a version of ``path``, not numbered; only unknown chunks are parsed."""
        known = dict(self.db.execute("SELECT digest, id FROM chunk WHERE path = ?", (path,)))
        as_parsed = "base, kind, date, status, text, payload, ?, ?"
        wanted = f"SELECT {as_parsed} FROM entry WHERE chunk = ? ORDER BY position"
        found: list[Entry] = []
        for one in chunks:
            if number := known.get(one.digest):
                found += map(entry_of, self.db.execute(wanted, (one.line, one.offset, number)))
            else:
                found += one.parse()
        return found

    def get(self, identifier: str) -> Entry | None:
        """Entry with this id, following edits of it."""
        wanted = storable(identifier)
        found = self._named(wanted) or self._named(self.aliases.followed(wanted))
        return found[0] if found else None

    def _named(self, identifier: str) -> list[Entry]:
        return selection.select(self.db, "e.shown AND e.id = ?", [identifier], FORWARD, 1)

    def entries(
        self, which: Filter = EVERY, *, newest_first: bool = False, limit: int = -1
    ) -> list[Entry]:
        """Entries that pass the filter, in file order or newest first."""
        return self.page(which, "newest" if newest_first else "files", limit)

    def saying(self, which: Filter, *fields: str) -> list[Entry]:
        """Entries that pass the filter and have one of these inline fields, newest first."""
        clauses, values = which.clauses()
        said = " OR ".join(["instr(e.payload, ?)"] * len(fields))
        where = " AND ".join([*clauses, selection.WITH_FIELDS, f"({said})"])
        found = selection.select(
            self.db, where, [*values, *(f'"{one}"' for one in fields)], NEWEST, -1
        )
        return [one for one in found if any(name in one.fields for name in fields)]

    def page(self, which: Filter, order: Order, limit: int, offset: int = 0) -> list[Entry]:
        """Page of the entries that pass the filter; by time, undated ones come last.

        Args:
            which: The filters.
            order: File order, or an order of time.
            limit: Maximum number of entries; -1 for all.
            offset: Number of entries to skip.
        """
        where, values = which.clauses()
        if order == "newest":  # always true, and makes SQLite use the index on dates
            where.append("e.date >= ''")
        in_order = selection.ORDERS[order]
        if order == "oldest" and which.since and not which.running:  # none is undated
            in_order = selection.IN_TIME
        return selection.select(self.db, " AND ".join(where), values, in_order, limit, offset)

    def count(self, which: Filter = EVERY) -> int:
        """Number of entries that pass the filter."""
        where, values = which.clauses()
        found = self.db.execute(
            f"SELECT count(*) FROM entry e WHERE {' AND '.join(where)}", values
        ).fetchone()
        return int(found[0])

    def noted(self, which: Filter) -> list[Entry]:
        """Undated notes of running sessions that pass the filter, newest first."""
        where, values = which.clauses()
        where.append(selection.NOTED)
        return selection.select(self.db, " AND ".join(where), values, FORWARD, -1)[::-1]

    beside = selection.beside

    def match(
        self,
        terms: Sequence[str],
        which: Filter = EVERY,
        *,
        limit: int = 50,
        postings: int = retrieval.POSTINGS,
    ) -> list[tuple[Entry, float]]:
        """Entries with any of ``terms``, best first, with their BM25 score (higher is better).

        If more than ``postings`` entries match, only the rarest terms are looked up.
        """
        with self.reading():
            frequency = dict(self.db.execute(*retrieval.frequencies(terms)))
            match = retrieval.expression(terms, frequency, postings)
            found = self.db.execute(*retrieval.matches(match, which, limit)).fetchall()
            known = by_row(self.db, [row for row, _ in found])
        return [(known[row], score) for row, score in found]

    def nearest(self, sense: QueryVector, which: Filter, most: int) -> list[tuple[Entry, float]]:
        """Entries nearest to ``sense`` by vector, with the cosine, nearest first."""
        with self.reading():
            found = sense.vectors.near(self.db, sense.vector, which, most)
            known = by_row(self.db, [row for row, _ in found])
        return [(known[row], cosine) for row, cosine in found]

    retrieve = retrieval.retrieve

    def numbered(self, rows: Sequence[int]) -> list[Entry]:
        """Entries with these row numbers, in their order."""
        known = by_row(self.db, rows)
        return [known[row] for row in rows]

    def different(self) -> list[int]:
        """Row number of the first entry with each distinct text, in file order."""
        rows = self.db.execute(
            f"SELECT e.content, e.rowid FROM entry e {PLACE} WHERE e.shown ORDER BY {FORWARD}"
        )
        first: dict[int, int] = {}
        for content, row in rows:
            first.setdefault(content, row)
        return list(first.values())

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Number of entries per term; terms without entries are left out."""
        return dict(self.db.execute(*retrieval.frequencies(terms)))

    def counts(self, column: str) -> dict[str, int]:
        """Number of entries by ``kind`` or by ``family``."""
        name = {"kind": "e.kind", "family": "s.family"}[column]
        rows = self.db.execute(
            f"SELECT {name}, count(*) FROM entry e {PLACE} "
            "WHERE e.shown GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return dict(rows.fetchall())

    def masked(self) -> int:
        """Number of masked credentials in the entries."""
        row = self.db.execute(
            "SELECT coalesce(sum(json_extract(payload, '$.masked')), 0) FROM entry "
            "WHERE shown AND instr(payload, '\"masked\":')"
        ).fetchone()
        return int(row[0])

    facets = selection.facets

    def days(self) -> tuple[date | None, date | None]:
        """First and last day of any entry."""
        row = self.db.execute(
            "SELECT min(e.date), max(e.date) FROM entry e WHERE e.shown AND e.date <> ''"
        ).fetchone()
        first, last = (date.fromisoformat(day) if day else None for day in row)
        return first, last

    def without_vector(self, vectors: Vectors, most: int) -> list[Missing]:
        """Texts without a vector of this profile, unordered."""
        known = int(self.meta(f"{VECTORS}{vectors.profile}") or 0)
        rows = self.db.execute(
            "SELECT content, text FROM entry WHERE rowid > ? AND content IN "
            "(SELECT content FROM entry WHERE rowid > ? "
            "EXCEPT SELECT content FROM vector WHERE profile = ? "
            "AND content IN (SELECT content FROM entry WHERE rowid > ?) LIMIT ?) GROUP BY content",
            (known, known, vectors.profile, known, most),
        )
        return [Missing(content, text) for content, text in rows]

    def lacking_vectors(self, vectors: Vectors, texts: Sequence[Missing]) -> list[Missing]:
        """Subset of ``texts``, some hundreds at most, that still has no vector."""
        there = vectors.floats(self.db, [one.content for one in texts])
        return [one for one in texts if one.content not in there]

    def keep_vectors(
        self, vectors: Vectors, contents: Sequence[int], floats: "NDArray[np.float32]"
    ) -> None:
        """Store the vectors, (texts x dimension), of texts."""
        with self.writing():
            vectors.store(self.db, contents, floats)

    def complete_vectors(self, vectors: Vectors, last: int, name: str) -> None:
        """Record that every text up to row ``last`` has a vector; delete obsolete vectors.

        ``name`` is the index name from before the missing texts were listed. If it has changed,
        vectors were dropped meanwhile.
        """
        with self.writing():
            if self.name != name:
                return
            vectors.sweep(self.db)
            self.note(f"{VECTORS}{vectors.profile}", str(last))
            self.db.execute(
                f"DELETE FROM meta WHERE key GLOB '{VECTORS}*' AND key <> ? AND NOT EXISTS "
                f"(SELECT 1 FROM vector WHERE profile = substr(key, {len(VECTORS) + 1}))",
                (f"{VECTORS}{vectors.profile}",),
            )

    def has_vectors(self, profile: str) -> bool:
        """True if every text had a vector of this profile once; newer ones may lack theirs."""
        return self.meta(f"{VECTORS}{profile}") != ""

    @property
    def last_row(self) -> int:
        """Row number of the newest entry ever."""
        return int(self.db.execute("SELECT last FROM total").fetchone()[0])

    @property
    def name(self) -> str:
        """Name that changes when the index is rebuilt or vectors are dropped."""
        return name_of(self.db)

    def dimension(self, profile: str) -> int:
        """Length of the vectors of this profile; 0 if there are none."""
        row = self.db.execute(
            "SELECT length(floats) / 2 FROM vector WHERE profile = ? LIMIT 1", (profile,)
        ).fetchone()
        return int(row[0]) if row else 0

    def has_all_vectors(self, profile: str) -> bool:
        """True if no entry was added since all had a vector."""
        return self.meta(f"{VECTORS}{profile}") == str(self.last_row)

    def count_vectors(self, profile: str) -> tuple[int, int]:
        """Numbers of distinct texts: those with a vector of this profile, and all."""
        return (
            self.db.execute(
                "SELECT count(DISTINCT e.content) FROM entry e "
                "JOIN vector v ON v.content = e.content AND v.profile = ?",
                (profile,),
            ).fetchone()[0],
            self.db.execute("SELECT count(DISTINCT content) FROM entry").fetchone()[0],
        )

    def kept(self, name: str, key: str, make: Callable[[], T]) -> T:
        """Result of ``make``, a JSON value, reused while ``key`` is the same and not ""."""
        if not key or self.meta(f"{name}-key") != key:
            made = make()
            self.keep({f"{name}-key": key, name: dumps(made)})
        found: T = loads(self.meta(name))
        return found

    def keep(self, notes: Mapping[str, str]) -> None:
        """Store several notes, all or none."""
        with self.writing():
            for key, value in notes.items():
                self.note(key, value)
