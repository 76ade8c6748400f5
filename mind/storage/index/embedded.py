"""The vectors of an index: which there are, which are missing, and how near texts are by them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mind.storage.index.connection import Connected
from mind.storage.index.vectors import Missing, Vectors, content_of, name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTORS = "vectors of "
"""Before a profile, in a note that each text had a vector of it, and up to which row."""


class Embedded(Connected):
    """A connection to the index that also knows of vectors."""

    def without_vector(self, vectors: Vectors, most: int) -> list[Missing]:
        """Texts that have no vector of this profile yet."""
        known = int(self.meta(f"{VECTORS}{vectors.profile}") or 0)
        return vectors.missing(self._db, most, behind=known)

    def lacking_vectors(self, vectors: Vectors, texts: Sequence[Missing]) -> list[Missing]:
        """Those of ``texts`` that nobody made a vector of meanwhile."""
        return vectors.lacking(self._db, texts)

    def keep_vectors(
        self, vectors: Vectors, contents: Sequence[int], floats: "NDArray[np.float32]"
    ) -> None:
        """Keep the vectors, (texts x dimension), of texts."""
        with self.writing():
            vectors.store(self._db, contents, floats)

    def complete_vectors(self, vectors: Vectors, last: int, name: str) -> None:
        """Note that every text up to row ``last`` has a vector; drop what is of no more use.

        ``name`` is the one from before it was asked what is missing. If it is another now, vectors
        were dropped meanwhile.
        """
        with self.writing():
            if self.name != name:
                return
            vectors.sweep(self._db)
            self.note(f"{VECTORS}{vectors.profile}", str(last))
            self._db.execute(
                f"DELETE FROM meta WHERE key GLOB '{VECTORS}*' AND key <> ? AND NOT EXISTS "
                f"(SELECT 1 FROM vector WHERE profile = substr(key, {len(VECTORS) + 1}))",
                (f"{VECTORS}{vectors.profile}",),
            )

    def has_vectors(self, profile: str) -> bool:
        """Whether every text had a vector of this profile once; new ones may lack theirs."""
        return self.meta(f"{VECTORS}{profile}") != ""

    @property
    def last_row(self) -> int:
        """The number of the newest entry there ever was."""
        last: int = self._db.execute("SELECT last FROM total").fetchone()[0]
        return last

    @property
    def name(self) -> str:
        """Another one once the index was made anew, or vectors were dropped."""
        return name_of(self._db)

    def dimension(self, profile: str) -> int:
        """How many numbers a vector of this profile has; 0 if there is none."""
        row = self._db.execute(
            "SELECT length(floats) / 2 FROM vector WHERE profile = ? LIMIT 1", (profile,)
        ).fetchone()
        return int(row[0]) if row else 0

    def has_all_vectors(self, profile: str) -> bool:
        """Whether no entry is newer than those that all had one."""
        return self.meta(f"{VECTORS}{profile}") == str(self.last_row)

    def count_vectors(self, profile: str) -> tuple[int, int]:
        """How many different texts have a vector of this profile, of how many."""
        return (
            self._db.execute(
                "SELECT count(DISTINCT e.content) FROM entry e "
                "JOIN vector v ON v.content = e.content AND v.profile = ?",
                (profile,),
            ).fetchone()[0],
            self._db.execute("SELECT count(DISTINCT content) FROM entry").fetchone()[0],
        )

    def cosines(self, vectors: Vectors, texts: Sequence[str]) -> dict[tuple[int, int], float]:
        """Of the vectors of each two of ``texts``, by their numbers; of those that have one."""
        return vectors.between(self._db, texts)

    def vector(self, vectors: Vectors, text: str) -> "NDArray[np.float32] | None":
        """That of a text, if it was made."""
        content = content_of(text)
        return vectors.floats(self._db, [content]).get(content)

    def meta(self, key: str) -> str:
        """A note kept beside the entries; '' when there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def note(self, key: str, value: str) -> None:
        """Keep a note beside the entries."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
