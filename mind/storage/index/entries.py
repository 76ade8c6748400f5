"""Entries in the index: replaced chunk by chunk as files change, read back as values."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from json import dumps
from random import shuffle
from time import monotonic
from typing import TYPE_CHECKING

from mind.domain.entry import Entry
from mind.ranking import Shortlist
from mind.storage.index import graph, prepared, retrieval, selection
from mind.storage.index.connection import Connected, sure
from mind.storage.index.graph import Graph
from mind.storage.index.prepared import Chunk, PreparedChunks, Rows, insert, rows_of
from mind.storage.index.retrieval import IndexAnswer, IndexRequest, QueryVector, best_of, shortlist
from mind.storage.index.selection import (
    COLUMNS,
    EVERY,
    FORWARD,
    NEWEST,
    PLACE,
    THERE,
    Aliases,
    Counts,
    Filter,
    Order,
    entry_of,
    facets,
    storable,
)
from mind.storage.index.usage import Usage
from mind.storage.index.vectors import Missing, Vectors, content_of, name_of, rename

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.storage.index.outbox import Outbox

_FEW = 1
"""Chunks that are parsed while a change is written: an entry was added, or one section edited."""
VECTORS = "vectors of "
"""Before a profile, in a note that each text had a vector of it, and up to which row."""
_SECONDS = 0.25
"""Of parsing between two transactions: what is lost with a process that is killed."""


@dataclass(frozen=True, slots=True)
class RefreshedEntries:
    """Entries that a refresh added and removed.

    Attributes:
        added: Their number.
        removed: The same.
        gone: Those removed whose id nothing has any more, if others were added.
        new: Those added whose text nothing had, if others are gone.
    """

    added: int = 0
    removed: int = 0
    gone: tuple[Entry, ...] = ()
    new: tuple[Entry, ...] = ()

    def __add__(self, other: "RefreshedEntries") -> "RefreshedEntries":
        return RefreshedEntries(self.added + other.added, self.removed + other.removed)


def _batch(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Rows]]:
    """The first of ``chunks``, parsed: as many as there is time for."""
    until = monotonic() + _SECONDS
    for chunk in chunks:
        yield chunk, rows_of(chunk)
        if monotonic() > until:
            return


@sure
class Index(Connected):
    """One connection to the derived index of a project.

    Args:
        path: The database file; ``None`` for an index that lives and dies with this object.
        seconds: How long it may be built before its caller answers; None: until it is complete.
    """

    @property
    def usage(self) -> Usage:
        """Counts of uses."""
        return Usage(self)

    @property
    def aliases(self) -> Aliases:
        """Ids that entries had before they were edited."""
        return Aliases(self)

    @property
    def graph(self) -> Graph:
        """Things that entries name, and their relations."""
        return Graph(self)

    @property
    def outbox(self) -> "Outbox":
        """Changes that the mirror does not have yet."""
        from mind.storage.index.outbox import Outbox  # noqa: PLC0415 - only where there is one

        return Outbox(self)

    def clear(self) -> None:
        """Forget everything that was read; the next refresh reads it all again.

        Vectors stay: they belong to texts, whatever entry has them.
        """
        with self.writing():
            for table in ("source", "chunk", "prepared", "entry", "mention", "edge"):
                self.db.execute(f"DELETE FROM {table}")
            self.db.execute(
                f"DELETE FROM meta WHERE key <> 'generation' AND key NOT GLOB '{VECTORS}*'"
            )
            self.db.execute("INSERT INTO words (words) VALUES ('delete-all')")
            self.db.execute("UPDATE total SET documents = 0, length = 0")

    def forget(self) -> None:
        """Forget vectors too: as if there had never been an index."""
        self.clear()
        with self.writing():
            self.db.execute("DELETE FROM vector")
            self.db.execute("DELETE FROM meta")
            rename(self.db)

    @property
    def _prepared(self) -> PreparedChunks:
        return PreparedChunks(self.db)

    def is_much(self, path: str, chunks: Sequence[Chunk]) -> bool:
        """True if ``chunks`` are to be prepared before they are put in place."""
        return len(self._prepared.lacking(path, chunks)) > _FEW

    def prepare(self, path: str, chunks: Sequence[Chunk]) -> float:
        """Parse ``chunks`` in batches, each of which is kept, and return how much is done, 0-1.

        That is 1 unless the time for it is over. Several processes may do so at once.
        """
        lacking = self._prepared.lacking(path, chunks)
        shuffle(lacking)  # others are at it too: each begins somewhere else
        while len(lacking) > _FEW:
            made = list(_batch(lacking))
            with self.writing():
                self._prepared.keep(path, made)
            lacking = self._prepared.lacking(path, lacking[len(made) :])
            if self.is_late and len(lacking) > _FEW:
                return 1 - len(lacking) / len(chunks)
        return 1.0

    def rows(self, path: str, chunk: Chunk) -> Rows:
        """The rows of a chunk of ``path``: prepared, or made now."""
        return self._prepared.rows(path, chunk)

    def drop_prepared(self, path: str) -> None:
        """Forget what was prepared for ``path``."""
        self._prepared.drop(path)

    def stamps(self) -> dict[str, str]:
        """Path of every source → the stamp it had when it was indexed."""
        return dict(self.db.execute("SELECT path, stamp FROM source"))

    def paths(self, family: str) -> list[str]:
        """Sources of one family."""
        rows = self.db.execute("SELECT path FROM source WHERE family = ?", (family,))
        return [row[0] for row in rows]

    def replace(  # noqa: PLR0913 - what a source is, by name only
        self,
        path: str,
        *,
        family: str,
        rank: int,
        stamp: str,
        chunks: Sequence[Chunk],
        first: int = 0,
    ) -> RefreshedEntries:
        """Make ``chunks`` the content of ``path``; those with a known digest are not parsed.

        Chunks before position ``first`` stay as they are.
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
        self._prepared.drop(path)
        before = self._of_chunks(old) if added else []
        removed = [base for row in old for base in self._delete(row)]
        prepared.number(self.db, {*added, *removed, *(prepared.repeated(self.db) if moved else ())})
        lost = self._lost([str(row[0]) for row in before])
        gone = tuple(entry_of(row) for row in before if row[0] in lost)
        new = set(added).difference(str(row[0]) for row in before) if gone else ()
        return RefreshedEntries(len(added), len(removed), gone, tuple(self._alone(new)))

    def _of_chunks(self, chunks: Sequence[int]) -> list[tuple[object, ...]]:
        """The rows shown of chunks: an entry is made of few of them."""
        return self.db.execute(
            f"SELECT {COLUMNS} FROM entry e {PLACE} WHERE e.shown "
            f"AND e.chunk IN (SELECT value FROM json_each(?)) ORDER BY {FORWARD}",
            (dumps(list(chunks)),),
        ).fetchall()

    def _lost(self, ids: Sequence[str]) -> set[str]:
        """Those of ``ids`` that no entry has any more."""
        rows = self.db.execute(
            f"SELECT value FROM json_each(?) WHERE NOT EXISTS ({THERE} value)", (dumps(ids),)
        )
        return {row[0] for row in rows}

    def _alone(self, bases: Collection[str]) -> list[Entry]:
        """The entries with these ids whose text no other has."""
        if not bases:
            return []
        others = "SELECT 1 FROM entry o WHERE o.base = e.base AND o.rowid <> e.rowid"
        where = f"e.base IN (SELECT value FROM json_each(?)) AND NOT EXISTS ({others})"
        return selection.select(self.db, where, [dumps(sorted(bases))], FORWARD, -1)

    def extend(
        self, path: str, *, family: str, rank: int, stamp: str, chunks: Sequence[Chunk]
    ) -> RefreshedEntries:
        """Add ``chunks`` behind what ``path`` holds already."""
        self.db.execute(
            "INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", (path, family, rank, stamp)
        )
        last = self.db.execute("SELECT max(ordinal) FROM chunk WHERE path = ?", (path,)).fetchone()[
            0
        ]
        first = 0 if last is None else last + 1
        added = [
            base for at, chunk in enumerate(chunks, first) for base in self._insert(path, at, chunk)
        ]
        self._prepared.drop(path)
        prepared.number(self.db, set(added))
        return RefreshedEntries(added=len(added))

    def trim(self, path: str, most: int) -> RefreshedEntries:
        """Forget what stands before the last ``most`` chunks of ``path``."""
        rows = self.db.execute(
            "SELECT id FROM chunk WHERE path = ? ORDER BY ordinal DESC LIMIT -1 OFFSET ?",
            (path, most),
        ).fetchall()
        removed = [base for (chunk,) in rows for base in self._delete(chunk)]
        prepared.number(self.db, set(removed))
        return RefreshedEntries(removed=len(removed))

    def drop(self, path: str) -> RefreshedEntries:
        """Forget a source that is gone."""
        rows = self.db.execute("SELECT id FROM chunk WHERE path = ?", (path,)).fetchall()
        removed = [base for (chunk,) in rows for base in self._delete(chunk)]
        self.db.execute("DELETE FROM source WHERE path = ?", (path,))
        prepared.number(self.db, set(removed))
        return RefreshedEntries(removed=len(removed))

    def _move(self, row: tuple[int, int, int, int], ordinal: int, chunk: Chunk) -> bool:
        """Note where a known chunk stands now; whether its place in the order changed."""
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
        rows = self._prepared.rows(path, chunk)
        insert(self.db, number, rows)
        return [str(one[0]) for one in rows.entries]

    def _delete(self, chunk: int) -> list[str]:
        rows = self.db.execute(
            "SELECT rowid, base, terms FROM entry WHERE chunk = ?", (chunk,)
        ).fetchall()
        retrieval.remove(self.db, [(row, terms) for row, _, terms in rows])
        graph.remove_mentions(self.db, chunk)
        self.db.execute("DELETE FROM entry WHERE chunk = ?", (chunk,))
        self.db.execute("DELETE FROM chunk WHERE id = ?", (chunk,))
        return [row[1] for row in rows]

    def get(self, identifier: str) -> Entry | None:
        """The entry with this id, or the one that it became by edits."""
        wanted = storable(identifier)
        for one in (wanted, self.aliases.followed(wanted)):
            rows = selection.select(self.db, "e.shown AND e.id = ?", [one], FORWARD, 1)
            if rows:
                return rows[0]
        return None

    def entries(
        self, which: Filter = EVERY, *, newest_first: bool = False, limit: int = -1
    ) -> list[Entry]:
        """Entries that pass, in the order of the files or newest first."""
        return selection.page(self.db, which, "newest" if newest_first else "files", limit)

    def saying(self, which: Filter, *fields: str) -> list[Entry]:
        """Entries that pass and have one of these inline fields, newest first."""
        clauses, values = which.clauses()
        said = " OR ".join(["instr(e.payload, ?)"] * len(fields))
        where = " AND ".join([*clauses, f"({said})"])
        found = selection.select(
            self.db, where, [*values, *(f'"{one}"' for one in fields)], NEWEST, -1
        )
        return [one for one in found if any(name in one.fields for name in fields)]

    def page(self, which: Filter, order: Order, limit: int, offset: int = 0) -> list[Entry]:
        """Some of the entries that pass; those without a date come last in an order of time."""
        return selection.page(self.db, which, order, limit, offset)

    def count(self, which: Filter = EVERY) -> int:
        """The number of entries that pass."""
        return selection.count(self.db, which)

    def beside(self, entry: Entry, before: int, after: int) -> tuple[list[Entry], list[Entry]]:
        """Entries noted just before an entry and just after it, each oldest first.

        What has no date has the lines around it instead.
        """
        return selection.beside(self.db, entry, before, after)

    def match(
        self,
        terms: Sequence[str],
        which: Filter = EVERY,
        *,
        limit: int = 50,
        postings: int = retrieval.POSTINGS,
    ) -> list[tuple[Entry, float]]:
        """Entries with any of ``terms``, best first, with their BM25 score (higher is better).

        Of terms that more than ``postings`` entries have together, the rarest are looked up.
        """
        with self.reading():
            frequency = retrieval.corpus(self.db, terms).frequency
            match = retrieval.expression(terms, frequency, postings)
            found = retrieval.best(self.db, match, which, limit)
            known = self._by_row([row for row, _ in found])
        return [(known[row], score) for row, score in found]

    def nearest(self, sense: QueryVector, which: Filter, most: int) -> list[tuple[Entry, float]]:
        """Entries nearest to ``sense`` by their vectors, with the cosine, nearest first."""
        with self.reading():
            found = sense.vectors.near(self.db, sense.vector, which, most)
            known = self._by_row([row for row, _ in found])
        return [(known[row], cosine) for row, cosine in found]

    def retrieve(self, asked: IndexRequest) -> IndexAnswer:
        """The best entries for what is asked."""
        with self.reading():
            known, places = shortlist(self, asked)
            return best_of(self.db, asked, known, places, self._by_row)

    def shortlist(self, asked: IndexRequest) -> Shortlist:
        """The candidates that :meth:`retrieve` ranks."""
        return shortlist(self, asked)[0]

    def lines(self, rows: Sequence[int]) -> list[int]:
        """First lines of the entries with these numbers, in their order."""
        return [entry.line for entry in self.numbered(rows)]

    def numbered(self, rows: Sequence[int]) -> list[Entry]:
        """The entries with these numbers, in their order."""
        known = self._by_row(rows)
        return [known[row] for row in rows]

    def different(self) -> list[int]:
        """The number of the first entry with each text, in the order of the files."""
        rows = self.db.execute(
            f"SELECT e.content, e.rowid FROM entry e {PLACE} WHERE e.shown ORDER BY {FORWARD}"
        )
        first: dict[int, int] = {}
        for content, row in rows:
            first.setdefault(content, row)
        return list(first.values())

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Each of ``terms`` that entries have → how many have it."""
        return retrieval.corpus(self.db, terms).frequency

    def _by_row(self, rows: Sequence[int]) -> dict[int, Entry]:
        found = self.db.execute(
            f"SELECT e.rowid, {COLUMNS} FROM entry e {PLACE} "
            f"WHERE e.rowid IN ({', '.join(map(str, rows))})"
        )
        return {row[0]: entry_of(row[1:]) for row in found}

    def counts(self, column: str) -> dict[str, int]:
        """Numbers of entries by ``kind`` or by ``family``."""
        name = {"kind": "e.kind", "family": "s.family"}[column]
        rows = self.db.execute(
            f"SELECT {name}, count(*) FROM entry e {PLACE} "
            "WHERE e.shown GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return dict(rows.fetchall())

    def masked(self) -> int:
        """The number of masked credentials in the entries."""
        row = self.db.execute(
            "SELECT coalesce(sum(json_extract(payload, '$.masked')), 0) FROM entry "
            "WHERE shown AND instr(payload, '\"masked\":')"
        ).fetchone()
        return int(row[0])

    def facets(self, which: Filter, most: int) -> Counts:
        """Entries that pass, by what they are; of tags the ``most`` common ones."""
        return facets(self.db, which, most)

    def days(self, families: Sequence[str] = ()) -> tuple[date | None, date | None]:
        """The first and the last day that an entry has."""
        where, values = Filter(families=tuple(families)).clauses()
        row = self.db.execute(
            f"SELECT min(e.date), max(e.date) FROM entry e {PLACE} "
            f"WHERE e.date <> '' AND {' AND '.join(where)}",
            values,
        ).fetchone()
        first, last = (date.fromisoformat(day) if day else None for day in row)
        return first, last

    def without_vector(self, vectors: Vectors, most: int) -> list[Missing]:
        """Texts that have no vector of this profile yet."""
        known = int(self.meta(f"{VECTORS}{vectors.profile}") or 0)
        return vectors.missing(self.db, most, behind=known)

    def lacking_vectors(self, vectors: Vectors, texts: Sequence[Missing]) -> list[Missing]:
        """Those of ``texts`` that nobody made a vector of meanwhile."""
        return vectors.lacking(self.db, texts)

    def keep_vectors(
        self, vectors: Vectors, contents: Sequence[int], floats: "NDArray[np.float32]"
    ) -> None:
        """Keep the vectors, (texts x dimension), of texts."""
        with self.writing():
            vectors.store(self.db, contents, floats)

    def complete_vectors(self, vectors: Vectors, last: int, name: str) -> None:
        """Note that every text up to row ``last`` has a vector; drop what is of no more use.

        ``name`` is the one from before it was asked what is missing. If it is another now, vectors
        were dropped meanwhile.
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
        """True if every text had a vector of this profile once; new ones may lack theirs."""
        return self.meta(f"{VECTORS}{profile}") != ""

    @property
    def last_row(self) -> int:
        """The number of the newest entry there ever was."""
        last: int = self.db.execute("SELECT last FROM total").fetchone()[0]
        return last

    @property
    def name(self) -> str:
        """Another one once the index was made anew, or vectors were dropped."""
        return name_of(self.db)

    def dimension(self, profile: str) -> int:
        """The length of a vector of this profile; 0 if there is none."""
        row = self.db.execute(
            "SELECT length(floats) / 2 FROM vector WHERE profile = ? LIMIT 1", (profile,)
        ).fetchone()
        return int(row[0]) if row else 0

    def has_all_vectors(self, profile: str) -> bool:
        """True if no entry is newer than those that all had one."""
        return self.meta(f"{VECTORS}{profile}") == str(self.last_row)

    def count_vectors(self, profile: str) -> tuple[int, int]:
        """Numbers of different texts: with a vector of this profile, and in all."""
        return (
            self.db.execute(
                "SELECT count(DISTINCT e.content) FROM entry e "
                "JOIN vector v ON v.content = e.content AND v.profile = ?",
                (profile,),
            ).fetchone()[0],
            self.db.execute("SELECT count(DISTINCT content) FROM entry").fetchone()[0],
        )

    def vector(self, vectors: Vectors, text: str) -> "NDArray[np.float32] | None":
        """That of a text, if it was made."""
        content = content_of(text)
        return vectors.floats(self.db, [content]).get(content)

    def meta(self, key: str) -> str:
        """A note kept beside the entries; '' when there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def note(self, key: str, value: str) -> None:
        """Keep a note beside the entries."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def keep(self, notes: Mapping[str, str]) -> None:
        """Keep several notes, or none of them."""
        with self.writing():
            for key, value in notes.items():
                self.note(key, value)
