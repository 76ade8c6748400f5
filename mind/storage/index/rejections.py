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
    from mind.text.matching.candidates import Rarity

Row = dict[str, Any]

_STATE, _RARITY = "rejections", "rejections-rarity"
"""Notes of the index: what its rows were made of, and the weights of words."""
_SHARE = 8
"""Weights are computed again once the number of entries has changed by one in so many."""
_LESSONS = dumps([one.value for one in Kind if one.traits.lesson])
_SHOWN = "rejection r JOIN entry e ON e.rowid = r.entry AND e.shown"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Rows of entries, to be stored.

    Attributes:
        last: The last row of the index that was read.
        of: Number of entries that the weights were computed of.
        rows: Row number of the entry, the row, its keys.
        rarity: The weights of words; None: as stored. With new ones, all rows are replaced.
    """

    last: int
    of: int
    rows: Sequence[tuple[int, str, set[str]]]
    rarity: "Rarity | None"


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
            found = self._advising(known["last"] if known else 0)
            there = self.db.execute("SELECT count(DISTINCT entry) FROM rejection").fetchone()[0]
            changed = abs(there + len(found) - known["of"]) if known else 0
            if known and not (found and changed * _SHARE > known["of"]):
                rarity = Rarity.loads(self.index.meta(_RARITY)) if found else Rarity(())
                return _Prepared(last, known["of"], [*_rows(found, rarity)], None)
            found = self._advising(0) if known else found
        rarity = Rarity((one.statement for _, one in found), project)
        return _Prepared(last, len(found), [*_rows(found, rarity)], rarity)

    def _advising(self, last: int) -> list[tuple[int, Entry]]:
        """Row number and entry of those after row ``last`` that advise against something."""
        from mind.text.matching.subjects import subjects_of  # noqa: PLC0415 - only for new entries

        rows = self.db.execute(
            f"SELECT e.rowid, {COLUMNS} FROM entry e {PLACE} WHERE e.rowid > ? "
            "AND +e.kind IN (SELECT value FROM json_each(?))",
            (last, _LESSONS),
        )
        entries = [(row, entry_of(values)) for row, *values in rows]
        return [
            (row, one)
            for row, one in entries
            if not one.is_struck and subjects_of(one.kind.value, one.statement)
        ]

    def _store(self, made: _Prepared) -> None:
        if made.rarity is not None:
            self.db.execute("DELETE FROM rejection")
            self.db.execute("DELETE FROM rejection_key")
            self.index.note(_RARITY, made.rarity.dumps())
        for entry, row, keys in made.rows:
            found = self.db.execute(
                "INSERT INTO rejection (entry, row) SELECT rowid, ? FROM entry WHERE rowid = ? "
                "RETURNING id",
                (row, entry),
            ).fetchone()
            if found:
                keyed = [(key, found[0]) for key in sorted(keys)]
                self.db.executemany("INSERT OR IGNORE INTO rejection_key VALUES (?, ?)", keyed)

    def __len__(self) -> int:
        found = self.db.execute(f"SELECT count(*) FROM {_SHOWN} WHERE r.row <> ''").fetchone()
        return int(found[0])

    def having(self, key: str) -> list[int]:
        """Numbers of the rows with a key (:func:`mind.text.matching.score.keys_of`)."""
        found = self.db.execute("SELECT rejection FROM rejection_key WHERE key = ?", (key,))
        return [one for (one,) in found]

    def rows(self, numbers: Iterable[int]) -> list[Row]:
        """Rows by their numbers, in order."""
        return self._read("r.id IN (SELECT value FROM json_each(?))", dumps(list(numbers)))

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


def _rows(
    entries: Iterable[tuple[int, Entry]], rarity: "Rarity"
) -> Iterator[tuple[int, str, set[str]]]:
    """Yield the rows of entries with their keys; "" for an entry whose words tell nothing."""
    from mind.text.matching import candidates, score  # noqa: PLC0415 - only for new entries

    for at, one in entries:
        texts = {one.statement, title_of(one.statement)}
        # of a decision, the words are what was chosen
        said = {_said(text) for text in texts} if one.kind is not Kind.DECISION else set()
        rows = list(candidates.rows_of(one.kind.value, one.statement, rarity, one.keywords))
        for row in rows:
            yield at, dumps(row, separators=(",", ":")), score.keys_of(row) | said
        if not rows:
            yield at, "", said


def _said(text: str) -> str:
    """Key of an entry's words, which no word has."""
    return f'"{hashlib.blake2b(normalise(text).encode(), digest_size=12).hexdigest()}'
