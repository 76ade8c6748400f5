"""Text vectors in the index: stored by content, pre-selected by sign bits.

The sign of each coordinate is a bit, and the number of equal bits approximates the similarity of
two vectors. A search compares the bits of all vectors, which fit into memory (48 bytes an entry at
384 dimensions), and computes the cosine of the nearest few hundred.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from json import dumps
from typing import TYPE_CHECKING

from mind.storage.index.selection import Filter, marks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Words = NDArray[np.uint64]
    Contents = NDArray[np.int64]

_ROUGHLY = 400
"""Candidates by sign bits whose cosine is computed; a tenth finds nearly all of the best 30."""
_LOST = 100
"""Vectors of removed texts that are kept in case they return, or a quarter of all, if that is more.
They take places among the candidates."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A text without a vector."""

    content: int
    text: str


def content_of(text: str) -> int:
    """Content hash of a text: signed 64 bits, as SQLite stores integers."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class Vectors:
    """Vectors of one profile, with the sign bits of all of them cached in memory.

    Can be used with successive indexes of one project: the cache is reloaded after a rebuild. Not
    thread-safe.

    Args:
        profile: Profile of the vectors; others are never compared.
    """

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self._made = ""
        self._last = 0
        self._contents: Contents | None = None
        self._signs: Words | None = None

    def store(self, db: sqlite3.Connection, contents: Sequence[int], vectors: "Floats") -> None:
        """Store the vectors, (texts x dimension), of ``contents``."""
        import numpy as np  # noqa: PLC0415 - only with a model

        signs = _signs(vectors).T
        halves = vectors.astype(np.float16)
        db.executemany(
            "INSERT OR IGNORE INTO vector (profile, content, signs, floats) VALUES (?, ?, ?, ?)",
            [
                (self.profile, content, sign.tobytes(), half.tobytes())
                for content, sign, half in zip(contents, signs, halves, strict=True)
            ],
        )

    def sweep(self, db: sqlite3.Connection) -> None:
        """Delete vectors of older profiles, and vectors of removed entries once there are many.

        The most recently written other profile stays: two processes with different models would
        otherwise keep deleting each other's vectors.
        """
        dropped = db.execute(
            "DELETE FROM vector WHERE profile <> ? AND profile <> coalesce((SELECT profile "
            "FROM vector WHERE profile <> ? ORDER BY id DESC LIMIT 1), '')",
            (self.profile, self.profile),
        ).rowcount
        gone = "content NOT IN (SELECT content FROM entry)"
        kept, lost = db.execute(f"SELECT count(*), coalesce(sum({gone}), 0) FROM vector").fetchone()
        if lost > _LOST and lost > kept // 4:
            dropped += db.execute(f"DELETE FROM vector WHERE {gone}").rowcount
        if dropped:
            rename(db)

    def near(
        self, db: sqlite3.Connection, query: "Floats", which: Filter, most: int
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the ``most`` entries nearest to the vector ``query``, nearest first."""
        import numpy as np  # noqa: PLC0415 - only with a model

        floats = self.floats(db, self._roughly(db, query, which))
        if not floats:
            return []
        cosines = dict(zip(floats, (np.stack([*floats.values()]) @ query).tolist(), strict=True))
        known = dumps(list(cosines))  # vectors remain for texts that were edited since
        where, values = which.clauses()
        rows = db.execute(  # a cross join looks them up one by one: filters may pass nearly all
            "SELECT e.rowid, e.content FROM json_each(?) AS named CROSS JOIN entry e "
            f"ON e.content = named.value WHERE {' AND '.join(where)} ORDER BY e.id",
            [known, *values],
        )
        found = [(row, cosines[content]) for row, content in rows]
        return sorted(found, key=lambda one: -one[1])[:most]

    def floats(self, db: sqlite3.Connection, contents: Iterable[int]) -> dict[int, "Floats"]:
        """Vectors of ``contents``, where available."""
        import numpy as np  # noqa: PLC0415 - only with a model

        wanted = list(dict.fromkeys(contents))
        rows = db.execute(
            "SELECT content, floats FROM vector "
            f"WHERE profile = ? AND content IN ({marks(wanted)})",
            [self.profile, *wanted],
        )
        return {
            content: np.frombuffer(blob, dtype=np.float16).astype(np.float32)
            for content, blob in rows
        }

    def _roughly(self, db: sqlite3.Connection, query: "Floats", which: Filter) -> list[int]:
        """Contents that share the most sign bits with ``query``."""
        import numpy as np  # noqa: PLC0415 - only with a model

        self._refresh(db)
        contents, signs = self._contents, self._signs
        if contents is None or signs is None:
            return []
        wanted = _signs(query[None])
        apart = np.zeros(len(contents), dtype=np.uint16)
        for word, one in zip(signs, wanted, strict=True):
            apart += np.bitwise_count(word ^ one)
        if not which.is_open:
            where, values = which.clauses()
            rows = db.execute(f"SELECT e.content FROM entry e WHERE {' AND '.join(where)}", values)
            passing = np.isin(contents, [content for (content,) in rows])
            contents, apart = contents[passing], apart[passing]
        nearest = contents[np.lexsort((contents, apart))[:_ROUGHLY]]
        return [int(one) for one in nearest]

    def _refresh(self, db: sqlite3.Connection) -> None:
        """Read the sign bits added since the last call."""
        import numpy as np  # noqa: PLC0415 - only with a model

        made = name_of(db)
        if made != self._made:
            self._made, self._last, self._contents, self._signs = made, 0, None, None
        last = db.execute("SELECT max(id) FROM vector").fetchone()[0] or 0
        if last == self._last:
            return
        # the first read scans an index of all signs, later ones only the new rows
        where = "id > ?" if self._last else "+id > ?"
        rows = db.execute(
            f"SELECT content, signs FROM vector WHERE profile = ? AND {where} AND id <= ?",
            (self.profile, self._last, last),
        ).fetchall()
        self._last = last
        if not rows:
            return
        contents = np.array([row[0] for row in rows], dtype=np.int64)
        signs = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.uint64)
        signs = signs.reshape(len(rows), -1).T
        if self._contents is not None and self._signs is not None:
            contents = np.concatenate((self._contents, contents))
            signs = np.concatenate((self._signs, signs), axis=1)
        self._contents, self._signs = contents, np.ascontiguousarray(signs)


def name_of(db: sqlite3.Connection) -> str:
    """Name of the index; changes when it is rebuilt or vectors are dropped."""
    return str(db.execute("SELECT name FROM made").fetchone()[0])


def rename(db: sqlite3.Connection) -> None:
    """Change the name, so that other processes notice dropped vectors."""
    db.execute("UPDATE made SET name = hex(randomblob(8))")


def _signs(vectors: "Floats") -> "Words":
    """Sign bits of ``vectors``, (texts x dimension), as (words of 64 bits x texts)."""
    import numpy as np  # noqa: PLC0415 - only with a model

    bits = np.packbits(vectors > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded.view(np.uint64).T)


def windows(
    floats: Mapping[int, "Floats"], query: "Floats", groups: Sequence[Sequence[int]]
) -> list[float | None]:
    """Cosine of ``query`` with each group's mean vector; None for groups without vectors."""
    import numpy as np  # noqa: PLC0415 - only with a model

    found: list[float | None] = []
    for group in groups:
        held = [floats[content] for content in group if content in floats]
        mean = np.mean(held, axis=0) if held else None
        length = float(np.linalg.norm(mean)) if mean is not None else 0.0
        found.append(float(mean @ query) / length if mean is not None and length else None)
    return found
