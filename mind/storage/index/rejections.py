"""Rows of what entries advise against, with which acts are compared.

Preparing a row takes half a millisecond, so that rows are kept until their entry changes: also if
others beside it do, with which it is read again.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import dumps, loads
from typing import TYPE_CHECKING, Any

from mind import __version__
from mind.domain.entry import Entry, Kind, normalise, title_of
from mind.storage.index.connection import IndexPart, sure
from mind.storage.index.selection import COLUMNS, FORWARD, PLACE, entry_of, select

if TYPE_CHECKING:
    from mind.text.matching.acts import Act
    from mind.text.matching.candidates import Rarity

Row = dict[str, Any]

_STATE, _RARITY = "rejections", "rejections-rarity"
"""Notes of the index: what its rows were made of, and the weights of words."""
_SHARE = 8
"""Weights are computed again once one in so many entries is new, or gone."""
_SMALL = 100
"""Of a memory that is smaller than this, so many entries count as there."""
_LESSONS = dumps([one.value for one in Kind if one.traits.lesson])
_THERE = "rejection r JOIN entry e ON e.rowid = r.entry"
_SHOWN = f"{_THERE} AND e.shown"
_GONE = "entry NOT IN (SELECT rowid FROM entry)"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Rows of entries, to be stored.

    Attributes:
        last: The last row of the index that was read.
        of: Number of entries that the weights were computed of.
        beside: Number of all entries of the index then.
        new: Number of entries with other words that were prepared since.
        rows: Row number of the entry, the digest of what it says, the row, its keys.
        moved: Row number of the entry whose rows are those of an equal one that is gone, and of
            that one.
        rarity: The weights of words; None: as stored. With new ones, all rows are replaced.
    """

    last: int
    of: int
    beside: int
    new: int
    rows: Sequence[tuple[int, bytes, str, set[str]]]
    moved: Sequence[tuple[int, int]]
    rarity: "Rarity | None"


@sure
class Rejections(IndexPart):
    """Rows of what the entries of an index advise against.

    The weight of a word depends on how many of these entries have it, and on whether many of the
    others do. All weights are computed only once an eighth of these entries, or of all, is new or
    gone; until then new entries get those of before.
    """

    def refresh(self, project: str) -> None:
        """Prepare the rows of new entries; ``project`` is the name of theirs."""
        made_for = [__version__, project]
        while True:
            state = self.index.meta(_STATE)
            known = loads(state) if state else {}
            is_same = known.get("for") == made_for
            if is_same and known["last"] == self._last():
                return
            made = self._prepared(known if is_same else {}, project)
            counts = {"of": made.of, "beside": made.beside, "new": made.new}
            told = dumps({"for": made_for, "last": made.last, **counts})
            with self.index.writing():
                if self.index.meta(_STATE) == state:  # no other process was first
                    self._store(made)
                    self.index.note(_STATE, told)

    def _last(self) -> int:
        return int(self.db.execute("SELECT last FROM total").fetchone()[0])

    def _prepared(self, known: Mapping[str, Any], project: str) -> _Prepared:
        from mind.text.matching.candidates import Rarity  # noqa: PLC0415 - only for new entries

        with self.index.reading():
            last = self._last()
            gone = self._gone() if known else {}
            found = self._advising(known["last"] if known else 0, gone)
            there = self.db.execute(f"SELECT count(DISTINCT r.entry) FROM {_THERE}").fetchone()[0]
            moved = [(row, gone[said].pop()) for row, said, _ in found if gone.get(said)]
            same = {row for row, _ in moved}
            new = [one for one in found if one[0] not in same]
            since = known["new"] + len(new) if known else 0
            changed = max(since, abs(there + len(found) - known["of"])) if known else 0
            everything = self._size()
            if known and not (
                (new and changed * _SHARE > known["of"])
                or (there and _has_outgrown(known["beside"], everything))
            ):
                rarity = Rarity.loads(self.index.meta(_RARITY)) if new else Rarity(())
                rows = [*_rows(new, rarity)]
                return _Prepared(last, known["of"], known["beside"], since, rows, moved, None)
            found = self._advising(0, {}) if known else found
            texts = [text for (text,) in self.db.execute("SELECT text FROM entry WHERE shown")]
        rarity = Rarity((one.statement for _, _, one in found), project, texts)
        rows = [*_rows(found, rarity)]
        return _Prepared(last, len(found), everything, 0, rows, (), rarity)

    def _size(self) -> int:
        return int(self.db.execute("SELECT documents FROM total").fetchone()[0])

    def _gone(self) -> dict[bytes, list[int]]:
        """Digests of what entries said that are gone, each with their row numbers."""
        found: dict[bytes, list[int]] = {}
        for said, entry in self.db.execute(
            f"SELECT DISTINCT said, entry FROM rejection WHERE {_GONE}"
        ):
            found.setdefault(said, []).append(entry)
        return found

    def _advising(self, last: int, gone: Mapping[bytes, object]) -> list[tuple[int, bytes, Entry]]:
        """Row number, digest and entry of those after row ``last`` that advise against something.

        What entries that are ``gone`` said is not examined again.
        """
        from mind.text.matching.subjects import subjects_of  # noqa: PLC0415 - only for new entries

        rows = self.db.execute(
            f"SELECT e.rowid, {COLUMNS} FROM entry e {PLACE} WHERE e.rowid > ? "
            "AND +e.kind IN (SELECT value FROM json_each(?))",
            (last, _LESSONS),
        )
        entries = [(row, entry_of(values)) for row, *values in rows]
        return [
            (row, said, one)
            for row, one in entries
            if not one.is_struck
            and ((said := _digest(one)) in gone or subjects_of(one.kind.value, one.statement))
        ]

    def _store(self, made: _Prepared) -> None:
        if made.rarity is not None:
            self.db.execute("DELETE FROM rejection")
            self.db.execute("DELETE FROM rejection_key")
            self.index.note(_RARITY, made.rarity.dumps())
        self.db.executemany("UPDATE rejection SET entry = ? WHERE entry = ?", made.moved)
        for entry, said, row, keys in made.rows:
            found = self.db.execute(
                "INSERT INTO rejection (entry, said, row) SELECT rowid, ?, ? FROM entry "
                "WHERE rowid = ? RETURNING id",
                (said, row, entry),
            ).fetchone()
            if found:
                keyed = [(key, found[0]) for key in sorted(keys)]
                self.db.executemany("INSERT OR IGNORE INTO rejection_key VALUES (?, ?)", keyed)
        self.db.execute(
            f"DELETE FROM rejection_key WHERE rejection IN (SELECT id FROM rejection WHERE {_GONE})"
        )
        self.db.execute(f"DELETE FROM rejection WHERE {_GONE}")

    def __len__(self) -> int:
        found = self.db.execute("SELECT count(*) FROM rejection WHERE row <> ''").fetchone()
        return int(found[0])

    def compared(self, act: "Act") -> list[Row]:
        """Rows that share enough with an act to be compared with it, in order."""
        from mind.text.matching.score import likely  # noqa: PLC0415 - for checks, unlike hooks

        with self.index.reading():  # another process may number the rows anew at any time
            return self._read(
                "r.id IN (SELECT value FROM json_each(?))", dumps(likely(act, self._having))
            )

    def _having(self, key: str) -> list[int]:
        """Numbers of the rows with a key (:func:`mind.text.matching.score.keys_of`)."""
        found = self.db.execute("SELECT rejection FROM rejection_key WHERE key = ?", (key,))
        return [one for (one,) in found]

    def of(self, identifier: str) -> list[Row]:
        """Rows of an entry."""
        return self._read("e.id = ?", identifier)

    def _read(self, where: str, value: str) -> list[Row]:
        found = self.db.execute(
            f"SELECT e.id, r.row FROM {_SHOWN} WHERE {where} AND r.row <> '' ORDER BY r.id",
            (value,),
        )
        return [{"id": identifier, **loads(row)} for identifier, row in found]

    def saying(self, text: str) -> str:
        """Id of the last entry with the same words, or first sentence; "" if there is none."""
        found = self.db.execute(
            f"SELECT e.id FROM rejection_key k JOIN {_SHOWN} AND r.id = k.rejection "
            "WHERE k.key = ? ORDER BY r.id DESC LIMIT 1",
            (_said(text),),
        ).fetchone()
        return str(found[0]) if found else ""

    def among(self, ids: Sequence[str]) -> set[str]:
        """Subset of ``ids`` whose entries advise against something."""
        found = self.db.execute(
            f"SELECT e.id FROM {_SHOWN} WHERE e.id IN (SELECT value FROM json_each(?))",
            (dumps(list(ids)),),
        )
        return {one for (one,) in found}

    def entries(self) -> list[Entry]:
        """Entries that advise against something, in file order."""
        where = "e.shown AND e.rowid IN (SELECT entry FROM rejection)"
        return select(self.db, where, [], FORWARD, -1)

    def subjects(self) -> dict[str, list[Row]]:
        """All rows by the id of their entry."""
        found: dict[str, list[Row]] = {}
        for row in self._read("?", "1"):
            found.setdefault(row["id"], []).append(row)
        return found


def _has_outgrown(before: int, now: int) -> bool:
    """Return whether a memory has so many other entries that its words weigh something else."""
    return abs(now - before) * _SHARE > max(before, _SMALL)


def _digest(entry: Entry) -> bytes:
    """A digest of what the rows of an entry are made of."""
    said = "\0".join((entry.kind.value, entry.statement, *entry.keywords))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=12).digest()


def _rows(
    entries: Iterable[tuple[int, bytes, Entry]], rarity: "Rarity"
) -> Iterator[tuple[int, bytes, str, set[str]]]:
    """Yield the rows of entries with their keys; "" for an entry whose words tell nothing."""
    from mind.text.matching import candidates, score  # noqa: PLC0415 - only for new entries

    for at, told, one in entries:
        texts = {one.statement, title_of(one.statement)}
        # of a decision, the words are what was chosen
        said = {_said(text) for text in texts} if one.kind is not Kind.DECISION else set()
        rows = list(candidates.rows_of(one.kind.value, one.statement, rarity, one.keywords))
        for row in rows:
            yield at, told, dumps(row, separators=(",", ":")), score.keys_of(row) | said
        if not rows:
            yield at, told, "", said


def _said(text: str) -> str:
    """Key of an entry's words, which no word has."""
    return f'"{hashlib.blake2b(normalise(text).encode(), digest_size=12).hexdigest()}'
