"""Outbox of the mirror: a queue of changes to send.

Rows are only appended, once per (id, hash), and deleted when sent. The current state is sent, so
their order does not matter, and sending is idempotent.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from mind.storage.index.connection import IndexPart, sure
from mind.storage.index.selection import PLACE, marks, storable

_BEFORE, _AFTER = 3, 2
_SEEN = "outbox read"
"""Name of the note with the last queued state."""
_PUT, _VECTOR, _DROP = "put", "vector", "drop"
_AT_ONCE = 500
"""Most entries read by one statement."""


MirrorRecord = dict[str, Any]
"""An entry as stored in a mirror: what :data:`_COLUMNS` names, and

- ``things``: keys of the things it names, sorted;
- ``before``, ``after``: ids of up to three entries before it in its section, nearest last, and of
  up to two after it, nearest first.
"""

_COLUMNS = {
    "id": "e.id",
    "kind": "e.kind",
    "day": "e.date",
    "status": "e.status",
    "language": "e.language",
    "family": "s.family",
    "path": "s.path",
    "text": "e.text",
    "terms": "e.terms",
    "title": "e.title",
    "payload": "e.payload",
    "line": "p.line",
    "offset": "p.offset",
}
"""Key of a record → its column in the index.

``line`` and ``offset`` are those of its section; they are not hashed, since they change with other
entries."""


def hash_of(record: MirrorRecord) -> str:
    """Content hash, independent of the position in the file: 32 hexadecimal digits."""
    rest = json.loads(record["payload"])
    rest.pop("at", None)
    hashed = {key: value for key, value in record.items() if key not in ("line", "offset")}
    data = json.dumps({**hashed, "payload": rest}, sort_keys=True).encode()
    return blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A change to send.

    Attributes:
        number: Row number.
        id: Id of the entry.
        hash: Hash of its content.
        record: Its content; None if the entry is gone.
        vector: 16-bit floats.
        whole: Send the entry itself, not only its vector.
        attempts: Number of failed attempts.
    """

    number: int
    id: str
    hash: str
    record: MirrorRecord | None = None
    vector: bytes = b""
    whole: bool = True
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """State of the queue.

    Attributes:
        pending: Number of queued changes.
        oldest: Time of the first queued change, in seconds since 1970; None if there is none.
        failed: Number of changes that the mirror rejected.
        attempts: Highest number of rejections of one change.
        error: Reason of the latest rejection.
    """

    pending: int = 0
    oldest: float | None = None
    failed: int = 0
    attempts: int = 0
    error: str = ""


@sure
class Outbox(IndexPart):
    """The queue in an index; every operation is a separate transaction."""

    def collect(self, now: float, profile: str = "") -> None:
        """Queue the changes since the last call.

        Args:
            now: Seconds since 1970.
            profile: Also queue vectors of this model; "" for none.
        """
        state = self._state(profile)
        if state in ("", self.index.meta(_SEEN)):
            return
        with self.index.writing():
            self._queue_gone(now)
            self._queue_changed(now)
            if profile:
                self._queue_vectors(now, profile)
            self.index.note(_SEEN, state)

    def _state(self, profile: str) -> str:
        """Fingerprint that changes when something is to be queued; "" during a full reread."""
        stamps = self.db.execute("SELECT path, stamp FROM source ORDER BY path").fetchall()
        if not stamps:
            return ""
        last = self.db.execute("SELECT last FROM total").fetchone()[0]
        vectors = self.db.execute("SELECT max(id) FROM vector WHERE ?", (bool(profile),))
        data = repr((stamps, last, profile, vectors.fetchone()[0]))
        return blake2b(data.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()

    def _queue_gone(self, now: float) -> None:
        gone = self.db.execute(
            "SELECT id FROM outgoing o WHERE NOT EXISTS "
            "(SELECT 1 FROM entry e WHERE e.id = o.id AND e.shown)"
        ).fetchall()
        self.db.executemany("DELETE FROM outgoing WHERE id = ?", gone)
        self._append(now, ((name, "", _DROP) for (name,) in gone))

    def _queue_changed(self, now: float) -> None:
        changed = self.db.execute(
            "SELECT e.rowid, e.chunk FROM entry e WHERE e.shown AND NOT EXISTS "
            "(SELECT 1 FROM outgoing o WHERE o.id = e.id AND o.entry = e.rowid)"
        ).fetchall()
        near = sorted({row + step for row, _ in changed for step in range(-_AFTER, _BEFORE + 1)})
        known: dict[str, str] = dict(self.db.execute("SELECT id, hash FROM outgoing").fetchall())
        queued: list[tuple[str, str, str]] = []
        for at in range(0, len(near), _AT_ONCE):
            for row, one in self._records(near[at : at + _AT_ONCE]).items():
                name, digest = one["id"], hash_of(one)
                if known.get(name) != digest:
                    queued.append((name, digest, _PUT))
                    self.db.execute(
                        "INSERT OR REPLACE INTO outgoing VALUES (?, ?, ?, '')",
                        (name, row, digest),
                    )
                else:
                    self.db.execute("UPDATE outgoing SET entry = ? WHERE id = ?", (row, name))
        self._append(now, queued)

    def _queue_vectors(self, now: float, profile: str) -> None:
        """Queue vectors of entries that are not queued themselves, as these include theirs."""
        made = self.db.execute(
            "SELECT o.id, o.hash, EXISTS (SELECT 1 FROM outbox b "
            "WHERE b.id = o.id AND b.hash = o.hash AND b.what = ?) "
            "FROM outgoing o JOIN entry e ON e.rowid = o.entry WHERE o.profile <> ? "
            "AND EXISTS (SELECT 1 FROM vector v WHERE v.profile = ? AND v.content = e.content)",
            (_PUT, profile, profile),
        ).fetchall()
        self.db.executemany(
            "UPDATE outgoing SET profile = ? WHERE id = ?", [(profile, row[0]) for row in made]
        )
        self._append(now, ((row[0], row[1], _VECTOR) for row in made if not row[2]))

    def _append(self, now: float, rows: Iterable[tuple[str, str, str]]) -> None:
        self.db.executemany(
            "INSERT OR IGNORE INTO outbox (id, hash, what, queued) VALUES (?, ?, ?, ?)",
            [(*row, now) for row in rows],
        )

    def reconcile(self, there: Mapping[str, tuple[str, bool]], now: float) -> None:
        """Replace the queue by the differences from a mirror.

        Args:
            there: Id → hash in the mirror, and whether the mirror has the vector.
            now: Seconds since 1970.
        """
        rows = self.db.execute("SELECT id, hash, profile FROM outgoing").fetchall()
        wanted = {row[0] for row in rows}
        queued = [(one, "", _DROP) for one in there if one not in wanted]
        for one, digest, profile in rows:
            held, has_vector = there.get(one, ("", False))
            if held != digest:
                queued.append((one, digest, _PUT))
            elif profile and not has_vector:
                queued.append((one, digest, _VECTOR))
        with self.index.writing():
            self.db.execute("DELETE FROM outbox")
            self._append(now, queued)

    def batch(self, most: int, now: float) -> list[Queued]:
        """The first changes that are due; obsolete ones are deleted.

        Args:
            most: Batch size.
            now: Seconds since 1970.
        """
        self.db.execute(
            "DELETE FROM outbox WHERE CASE what WHEN 'drop' "
            "THEN EXISTS (SELECT 1 FROM outgoing o WHERE o.id = outbox.id) "
            "ELSE NOT EXISTS (SELECT 1 FROM outgoing o "
            "WHERE o.id = outbox.id AND o.hash = outbox.hash) END"
        )
        rows = self.db.execute(
            "SELECT b.number, b.id, b.hash, b.what, b.attempts, o.entry, o.profile "
            "FROM outbox b LEFT JOIN outgoing o ON o.id = b.id "
            "WHERE b.due <= ? ORDER BY b.attempts, b.number LIMIT ?",
            (now, most),
        ).fetchall()
        numbers = [row[5] for row in rows if row[5] is not None]
        records, vectors = self._records(numbers), self._vectors(numbers)
        made = []
        for number, name, digest, what, attempts, entry, profile in rows:
            record = records.get(entry)
            if what != _DROP and (record is None or record["id"] != name):
                continue  # its row was deleted; the next collect queues it
            made.append(
                Queued(
                    number=number,
                    id=name,
                    hash=digest,
                    record=record if what != _DROP else None,
                    vector=vectors.get((entry, profile), b""),
                    whole=what != _VECTOR,
                    attempts=attempts,
                )
            )
        return made

    def sent(self, numbers: Sequence[int]) -> None:
        """Remove sent changes from the queue."""
        self.db.executemany("DELETE FROM outbox WHERE number = ?", [(one,) for one in numbers])

    def refused(self, number: int, error: str, due: float) -> None:
        """Keep a rejected change, and retry it no earlier than ``due``."""
        self.db.execute(
            "UPDATE outbox SET attempts = attempts + 1, error = ?, due = ? WHERE number = ?",
            (storable(error), due, number),
        )

    def backlog(self) -> Backlog:
        """Current state of the queue."""
        pending, oldest, failed, attempts = self.db.execute(
            "SELECT count(*), min(queued), count(*) FILTER (WHERE attempts > 0), "
            "coalesce(max(attempts), 0) FROM outbox"
        ).fetchone()
        row = self.db.execute(
            "SELECT error FROM outbox WHERE error <> '' ORDER BY due DESC LIMIT 1"
        ).fetchone()
        return Backlog(
            pending=pending,
            oldest=oldest,
            failed=failed,
            attempts=attempts,
            error=row[0] if row else "",
        )

    def expected(self) -> dict[str, str]:
        """Id → hash of all entries the mirror should have, as of the last collect."""
        return dict(self.db.execute("SELECT id, hash FROM outgoing").fetchall())

    def forget(self) -> None:
        """Reset: empty the queue and forget what was sent."""
        with self.index.writing():
            self.db.execute("DELETE FROM outgoing")
            self.db.execute("DELETE FROM outbox")
            self.db.execute("DELETE FROM meta WHERE key = ?", (_SEEN,))

    def _vectors(self, rows: Sequence[int]) -> dict[tuple[int, str], bytes]:
        found = self.db.execute(
            "SELECT e.rowid, v.profile, v.floats FROM entry e "
            "JOIN vector v ON v.content = e.content "
            f"WHERE e.rowid IN ({marks(rows)})",
            list(rows),
        )
        return {(row, profile): floats for row, profile, floats in found}

    def _records(self, rows: Sequence[int]) -> dict[int, MirrorRecord]:
        """Visible entries with these row numbers."""
        around = {row + step for row in rows for step in range(-_BEFORE, _AFTER + 1)}
        numbers = ", ".join(map(str, around))
        chunks: dict[int, tuple[int, str]] = {
            row: (chunk, name)
            for row, chunk, name in self.db.execute(
                f"SELECT rowid, chunk, id FROM entry WHERE shown AND rowid IN ({numbers})"
            )
        }
        things: dict[int, set[str]] = {}
        wanted = ", ".join(map(str, rows))
        for row, key in self.db.execute(
            f"SELECT entry, key FROM mention WHERE entry IN ({wanted})"
        ):
            things.setdefault(row, set()).add(key)
        found = self.db.execute(
            f"SELECT e.rowid, {', '.join(_COLUMNS.values())} "
            f"FROM entry e {PLACE} WHERE e.shown AND e.rowid IN ({wanted})"
        ).fetchall()

        def beside(row: int, steps: range) -> list[str]:
            here = chunks[row][0]
            near = [chunks[row + step] for step in steps if row + step in chunks]
            return [name for chunk, name in near if chunk == here]

        return {
            row: {
                **dict(zip(_COLUMNS, values, strict=True)),
                "things": sorted(things.get(row, ())),
                "before": beside(row, range(-_BEFORE, 0)),
                "after": beside(row, range(1, _AFTER + 1)),
            }
            for row, *values in found
        }
