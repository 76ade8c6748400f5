"""Chunks parsed ahead of an update, stored in batches so that a killed process loses only one.

Parsing takes most of the time of a build, and needs no lock. Results wait in a table that readers
ignore, until the whole source can be updated at once.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from json import dumps
from typing import NamedTuple

from mind.domain.entry import Entry, is_fixed, unfenced
from mind.storage.index import graph, retrieval
from mind.storage.index.connection import Connected
from mind.storage.index.selection import FORWARD, PLACE, day_of, payload, storable
from mind.storage.index.vectors import content_of

Values = tuple[str | int, ...]


class Rows(NamedTuple):
    """Rows of a chunk's entries, with positions instead of row numbers.

    Attributes:
        entries: id, kind, date, status, language, text, content, terms, title, payload.
        mentions: key, position, name, kind.
        edges: position, subject, predicate, object, name of the subject, name of the object.
    """

    entries: Sequence[Values]
    mentions: Sequence[Values]
    edges: Sequence[Values]

    def to_json(self) -> str:
        """Serialise to JSON."""
        return json.dumps(self, ensure_ascii=False, separators=(",", ":"))

    @property
    def digest(self) -> bytes:
        """Digest that is equal for equal entries."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A unit of parsing within a source: a section, a comment file, a commit.

    Attributes:
        digest: Digest of everything its entries depend on; equal digests mean equal entries.
        line: First line, 1-based; entries are stored relative to it and may move with it.
        offset: First byte.
        parse: Returns the entries, with lines and spans in the whole source; called only for a
            new digest.
        rows: Parsed rows, if available.
    """

    digest: bytes
    line: int
    offset: int
    parse: Callable[[], Iterable[Entry]] = tuple
    rows: Rows | None = None


def rows_of(chunk: Chunk) -> Rows:
    """Parse ``chunk``, and return the rows of its entries."""
    if chunk.rows is not None:
        return chunk.rows
    from mind.text.language import language  # noqa: PLC0415 - 10 ms, only for new chunks

    entries = list(chunk.parse())
    named = [graph.mentioned(entry) for entry in entries]
    return Rows(
        [
            (
                entry.id,
                entry.kind.value,
                day_of(entry.date),
                entry.status.value if entry.status else "",
                language(entry.text),
                text := storable(entry.text),
                content_of(text),
                retrieval.stored(
                    " ".join(
                        (
                            *(entry.text, *entry.tags, *entry.links, *entry.keywords),
                            *(entry.beside, *map(unfenced, entry.code)),
                        )
                    ).rstrip()
                ),
                retrieval.title_length(entry.text),
                payload(entry, chunk.line, chunk.offset),
            )
            for entry in entries
        ],
        [(key, at, *of) for at, (things, _) in enumerate(named) for key, of in things],
        [(at, *of) for at, (_, relations) in enumerate(named) for of in relations],
    )


def insert(db: sqlite3.Connection, number: int, rows: Rows) -> None:
    """Insert the entries of the chunk ``number`` with new, highest row numbers."""
    first = db.execute("SELECT last + 1 FROM total").fetchone()[0]
    db.execute("UPDATE total SET last = last + ?", (len(rows.entries),))
    db.executemany(
        "INSERT INTO entry (rowid, chunk, position, base, id, shown, kind, date, status, "
        "language, text, content, terms, title, payload) "
        "VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(first + at, number, at, one[0], *one) for at, one in enumerate(rows.entries)],
    )
    retrieval.add(db, [(first + at, str(one[7])) for at, one in enumerate(rows.entries)])
    db.executemany(
        "INSERT INTO mention VALUES (?, ?, ?, ?)",
        [(key, first + int(at), *of) for key, at, *of in rows.mentions],
    )
    db.executemany(
        "INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)",
        [(first + int(at), *of) for at, *of in rows.edges],
    )


def lacking(db: sqlite3.Connection, path: str, chunks: Iterable[Chunk]) -> list[Chunk]:
    """Subset of the ``chunks`` of a source that is neither prepared nor indexed."""
    rows = db.execute(
        "SELECT digest FROM chunk WHERE path = ? UNION SELECT digest FROM prepared WHERE path = ?",
        (path, path),
    )
    known = {digest for (digest,) in rows}
    return [one for one in chunks if one.digest not in known]


def keep(db: sqlite3.Connection, path: str, made: Iterable[tuple[Chunk, Rows]]) -> None:
    """Store the rows of chunks."""
    db.executemany(
        "INSERT OR REPLACE INTO prepared VALUES (?, ?, ?)",
        [(path, chunk.digest, rows.to_json()) for chunk, rows in made],
    )


def kept(index: Connected, path: str, chunk: Chunk) -> Rows:
    """Rows of a chunk of the source ``path``: prepared, or parsed now."""
    found = index.db.execute(
        "SELECT rows FROM prepared WHERE path = ? AND digest = ?", (path, chunk.digest)
    ).fetchone()
    return Rows(*json.loads(found[0])) if found else rows_of(chunk)


def drop(index: Connected, path: str) -> None:
    """Delete the prepared chunks of a source, once indexed or outdated."""
    index.db.execute("DELETE FROM prepared WHERE path = ?", (path,))


def repeated(db: sqlite3.Connection) -> list[str]:
    """Base ids shared by several entries, whose numbering depends on the order."""
    rows = db.execute("SELECT DISTINCT base FROM entry WHERE id <> base OR NOT shown")
    return [row[0] for row in rows]


def number(db: sqlite3.Connection, bases: Iterable[str]) -> None:
    """Number entries with the same base id; hide comments and commits that repeat memory.

    Of the entries of a file, those with a fixed id come first.
    """
    unnumbered = db.execute(  # most stand for a single entry
        "SELECT base FROM entry WHERE base IN (SELECT value FROM json_each(?)) GROUP BY base "
        "HAVING count(*) > 1 OR max(id <> base) OR NOT min(shown)",
        (dumps(list(bases)),),
    )
    for (base,) in unnumbered.fetchall():
        rows = db.execute(
            f"SELECT e.rowid, s.family, e.id, e.shown, p.path, e.text FROM entry e {PLACE} "
            f"WHERE e.base = ? ORDER BY {FORWARD}",
            (base,),
        ).fetchall()
        files = {path: at for at, path in enumerate(dict.fromkeys(row[4] for row in rows))}
        rows.sort(key=lambda row: (files[row[4]], not is_fixed(base, row[5])))
        count = 0
        for rowid, family, identifier, shown, _, _ in rows:
            visible = int(not count or family in ("memory", "session"))
            count += visible
            wanted = base if count <= 1 else f"{base}-{count}"
            if (identifier, shown) != (wanted, visible):
                db.execute(
                    "UPDATE entry SET id = ?, shown = ? WHERE rowid = ?", (wanted, visible, rowid)
                )
