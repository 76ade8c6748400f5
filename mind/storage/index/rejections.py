"""Rows of what entries advise against, with which acts are compared.

Preparing a row takes half a millisecond, so that rows are kept until their entry changes.
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
"""Weights are computed again once the number of entries has changed by one in so many."""
_LESSONS = dumps([one.value for one in Kind if one.traits.lesson])
_THERE = "(SELECT rowid FROM entry)"
_SHOWN = "rejection r JOIN entry e ON e.rowid = r.entry AND e.shown"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Rows of entries, to be stored.

    Attributes:
        last: The last row of the index that was read.
        of: Number of entries that the weights were computed of.
        moved: New and former row number of entries whose section was read again.
        rows: Row number of the entry, its digest, the row, its keys.
        rarity: The weights of words; None: as stored. With new ones, all rows are replaced.
    """

    last: int
    of: int
    moved: Sequence[tuple[int, int]]
    rows: Sequence[tuple[int, bytes, str, set[str]]]
    rarity: "Rarity | None" = None


@sure
class Rejections(IndexPart):
    """Rows of what the entries of an index advise against.

    The weight of a word depends on how many entries have it. Weights of all entries are computed
    only if the number of entries has changed by an eighth; new entries get those of before.
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
            told = dumps({"for": made_for, "last": made.last, "of": made.of})
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
            if known:
                gone = self._gone()
                there = self.db.execute("SELECT count(DISTINCT entry) FROM rejection").fetchone()[0]
                entries = self._lessons(known["last"])
                moved = [(at, gone[of].pop()) for at, of, _ in entries if gone.get(of)]
                known_rows = {at for at, _ in moved}
                found = _advising(one for one in entries if one[0] not in known_rows)
                total = there - sum(map(len, gone.values())) + len(found)
                if abs(total - known["of"]) * _SHARE <= known["of"] or not found:
                    rarity = Rarity.loads(self.index.meta(_RARITY)) if found else Rarity(())
                    return _Prepared(last, known["of"], moved, [*_rows(found, rarity)])
            found = _advising(self._lessons(0))
        rarity = Rarity((one.statement for *_, one in found), project)
        return _Prepared(last, len(found), [], [*_rows(found, rarity)], rarity)

    def _lessons(self, last: int) -> "list[_Found]":
        """Entries after row ``last`` of the kinds that may advise against something."""
        rows = self.db.execute(
            f"SELECT e.rowid, {COLUMNS} FROM entry e {PLACE} WHERE e.rowid > ? "
            "AND +e.kind IN (SELECT value FROM json_each(?))",
            (last, _LESSONS),
        )
        entries = ((row, entry_of(values)) for row, *values in rows)
        return [(row, _digest(one), one) for row, one in entries]

    def _gone(self) -> dict[bytes, list[int]]:
        """Digests of entries whose rows are left without them, with their former row numbers."""
        found: dict[bytes, list[int]] = {}
        for digest, entry in self.db.execute(
            f"SELECT DISTINCT digest, entry FROM rejection WHERE entry NOT IN {_THERE}"
        ):
            found.setdefault(digest, []).append(entry)
        return found

    def _store(self, made: _Prepared) -> None:
        for now, before in made.moved:
            self.db.execute("UPDATE rejection SET entry = ? WHERE entry = ?", (now, before))
        left = f"entry NOT IN {_THERE}" if made.rarity is None else "1"
        self.db.execute(
            f"DELETE FROM rejection_key WHERE rejection IN (SELECT id FROM rejection WHERE {left})"
        )
        self.db.execute(f"DELETE FROM rejection WHERE {left}")
        if made.rarity is not None:
            self.index.note(_RARITY, made.rarity.dumps())
        for entry, digest, row, keys in made.rows:
            (number,) = self.db.execute(
                "INSERT INTO rejection (entry, digest, row) VALUES (?, ?, ?) RETURNING id",
                (entry, digest, row),
            ).fetchone()
            keyed = [(key, number) for key in sorted(keys)]
            self.db.executemany("INSERT OR IGNORE INTO rejection_key VALUES (?, ?)", keyed)

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


_Found = tuple[int, bytes, Entry]
"""Row number, digest and entry."""


def _digest(entry: Entry) -> bytes:
    """Digest of what the rows of an entry are made of."""
    made_of = repr((entry.kind.value, entry.is_struck, entry.statement, entry.keywords))
    return hashlib.blake2b(made_of.encode("utf-8", "replace"), digest_size=12).digest()


def _advising(entries: Iterable[_Found]) -> list[_Found]:
    """Return the entries that advise against something."""
    from mind.text.matching.subjects import subjects_of  # noqa: PLC0415 - only for new entries

    return [
        (at, digest, one)
        for at, digest, one in entries
        if not one.is_struck and subjects_of(one.kind.value, one.statement)
    ]


def _rows(
    entries: Iterable[_Found], rarity: "Rarity"
) -> Iterator[tuple[int, bytes, str, set[str]]]:
    """Yield the rows of entries with their keys; "" for an entry whose words tell nothing."""
    from mind.text.matching import candidates, score  # noqa: PLC0415 - only for new entries

    for at, digest, one in entries:
        texts = {one.statement, title_of(one.statement)}
        # of a decision, the words are what was chosen
        said = {_said(text) for text in texts} if one.kind is not Kind.DECISION else set()
        rows = list(candidates.rows_of(one.kind.value, one.statement, rarity, one.keywords))
        for row in rows:
            yield at, digest, dumps(row, separators=(",", ":")), score.keys_of(row) | said
        if not rows:
            yield at, digest, "", said


def _said(text: str) -> str:
    """Key of an entry's words, which no word has."""
    return f'"{hashlib.blake2b(normalise(text).encode(), digest_size=12).hexdigest()}'
