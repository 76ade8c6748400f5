"""Publishing: registers the project, and sends changes in batches, or singly if one is rejected."""

import json
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.storage import files
from mind.storage.boundary import home
from mind.storage.index.outbox import MirrorRecord, Queued, hash_of
from mind.storage.mirror.postgres import MirrorRefused, translated
from mind.storage.project import Project

if TYPE_CHECKING:
    from mind.storage.mirror.postgres import Connection


@dataclass(frozen=True, slots=True)
class Clone:
    """A memory folder on one machine.

    Attributes:
        key: Stable key of the folder and user, independent of the cache.
        place: Readable location.
    """

    key: str
    place: str


def _path() -> Path:
    return home() / "mirror.json"


def _known() -> tuple[str, list[str]]:
    """Name of this machine, "" if not yet assigned, and the mirrored folders."""
    data = files.read_json(_path())
    if not isinstance(data, dict):
        return "", []
    machine, folders = data.get("machine"), data.get("folders")
    return (
        machine if isinstance(machine, str) else "",
        [one for one in folders if isinstance(one, str)] if isinstance(folders, list) else [],
    )


def is_chosen(project: Project) -> bool:
    """True if the user ran `mind mirror sync` here; the repository's settings are not enough."""
    return bool(project.settings.mirror_project) and str(project.folder) in _known()[1]


def choose(project: Project) -> None:
    """Allow servers to send changes of this project from now on."""
    machine, folders = _known()
    if machine and str(project.folder) in folders:
        return
    home().mkdir(mode=0o700, parents=True, exist_ok=True)
    with files.lock(_path().with_suffix(".lock")):
        machine, folders = _known()
        data = {
            "machine": machine or secrets.token_hex(8),
            "folders": sorted({*folders, str(project.folder)}),
        }
        files.write_json(_path(), data, mode=0o600)


def clone(project: Project) -> Clone:
    """The clone of this project on this machine."""
    machine = _known()[0]
    data = f"{machine}\0{project.folder}".encode("utf-8", "surrogateescape")
    key = blake2b(data, digest_size=8).hexdigest()
    return Clone(key, f"{socket.gethostname()}:{project.root.name}")


def new_key() -> str:
    """New unique key for a project in the mirror."""
    return secrets.token_hex(8)


_MOST_TERMS = 20_000
"""Most distinct terms indexed per entry; a tsvector is limited to one megabyte."""


@dataclass(frozen=True, slots=True)
class CloneNumber:
    """Numbers that identify a clone in the mirror.

    Attributes:
        team: Number of the team.
        project: Number of the project.
        clone: Number of the clone.
        stamp: Stamp of the last batch; "" for a new clone.
        is_new: True if the project was just added.
    """

    team: int
    project: int
    clone: int
    stamp: str
    is_new: bool = False


_LONGEST_NAME = 80
"""Characters of a chosen name, which stands in one line with each hit of all members."""


def register(connection: "Connection", team: int, project: Project) -> CloneNumber:
    """Numbers of a project and its clone, created if new.

    The first clone names the project, after its folder; mirror.name renames it for all clones.
    """
    settings, here = project.settings, clone(project)
    chosen = " ".join(settings.mirror_name.split())[:_LONGEST_NAME]
    added = connection.execute(
        "INSERT INTO mind.project AS known (team, key, name) VALUES (%s, %s, %s) "
        "ON CONFLICT (team, key) DO UPDATE SET name = coalesce(nullif(%s, ''), known.name) "
        "RETURNING number, xmax = 0",
        (
            team,
            settings.mirror_project,
            chosen or project.name,
            chosen,
        ),
    ).fetchone()
    assert added is not None  # noqa: S101 - an upsert returns its row
    row = connection.execute(
        "INSERT INTO mind.clone (team, project, key, place) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (project, key) DO UPDATE SET place = excluded.place, seen = now() "
        "RETURNING number, stamp",
        (team, added[0], here.key, here.place),
    ).fetchone()
    assert row is not None  # noqa: S101 - an upsert returns its row
    return CloneNumber(team, int(added[0]), int(row[0]), str(row[1]), is_new=bool(added[1]))


def only_sender(connection: "Connection", home: CloneNumber) -> CloneNumber:
    """Wait until no other process sends for this clone; return its current numbers and stamp.

    The lock ends with the connection.
    """
    connection.execute("SELECT pg_advisory_lock(%s, %s)", (0x4D43, home.clone % 2**31))
    row = connection.execute(
        "SELECT stamp FROM mind.clone WHERE team = %s AND number = %s", (home.team, home.clone)
    ).fetchone()
    return replace(home, stamp=str(row[0]) if row else "")


def registered(connection: "Connection", team: int, key: str, clone: Clone) -> CloneNumber | None:
    """Numbers of a registered clone; None if it is not registered. Writes nothing."""
    row = connection.execute(
        "SELECT p.number, c.number, c.stamp FROM mind.project p "
        "JOIN mind.clone c ON c.project = p.number "
        "WHERE p.team = %s AND p.key = %s AND c.key = %s",
        (team, key, clone.key),
    ).fetchone()
    return CloneNumber(team, int(row[0]), int(row[1]), str(row[2])) if row else None


def table_of(connection: "Connection", profile: str, dimension: int) -> str:
    """Vector table of a model, created if new."""
    row = connection.execute("SELECT mind.add_profile(%s, %s)", (profile, dimension)).fetchone()
    assert row is not None  # noqa: S101 - a function returns a row
    return f"vector_{row[0]}"


def found_table(connection: "Connection", profile: str) -> str:
    """Vector table of a model; "" if there is none."""
    row = connection.execute(
        "SELECT number FROM mind.profile WHERE name = %s", (profile,)
    ).fetchone()
    return f"vector_{row[0]}" if row else ""


def holdings(
    connection: "Connection", home: CloneNumber, table: str
) -> dict[str, tuple[str, bool]]:
    """Id → hash of this clone's entries in the mirror, and whether the vector is there too."""
    has = f"EXISTS (SELECT 1 FROM mind.{table} v WHERE v.team = h.team AND v.entry = h.entry)"
    rows = connection.execute(
        f"SELECT h.id, e.hash, {has if table else 'false'} FROM mind.holding h "
        "JOIN mind.entry e ON e.team = h.team AND e.number = h.entry "
        "WHERE h.team = %s AND h.clone = %s".encode(),
        (home.team, home.clone),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Outcome of sending a batch.

    Attributes:
        numbers: Numbers of the changes that the mirror now has.
        refused: Number → reason, for rejected changes.
        stamp: Stamp of the batch in the mirror.
    """

    numbers: tuple[int, ...]
    refused: dict[int, str]
    stamp: str


def send(
    connection: "Connection", home: CloneNumber, batch: Sequence[Queued], table: str
) -> BatchResult:
    """Send a batch in one transaction; if a row is rejected, send the others without it.

    Raises:
        MirrorUnreachable: The connection broke. The batch was applied completely or not at all;
            resending is idempotent.
    """
    try:
        return _sent(connection, home, batch, table, singly=False)
    except MirrorRefused:
        return _sent(connection, home, batch, table, singly=True)


def _sent(
    connection: "Connection",
    home: CloneNumber,
    batch: Sequence[Queued],
    table: str,
    *,
    singly: bool,
) -> BatchResult:
    stamp = secrets.token_hex(8)
    refused: dict[int, str] = {}
    with translated(), connection.transaction():
        _lock(connection, home)
        if singly:
            for one in batch:
                try:
                    with translated(), connection.transaction():
                        _apply(connection, home, one, table)
                except MirrorRefused as error:
                    refused[one.number] = error.message
        else:
            with connection.pipeline():
                for one in batch:
                    _apply(connection, home, one, table)
        done = connection.execute(
            "UPDATE mind.clone SET stamp = %s, seen = now() WHERE team = %s AND number = %s",
            (stamp, home.team, home.clone),
        )
        if not done.rowcount:
            raise MirrorRefused("the mirror: this clone was taken out of it", remedy="Try again.")
    return BatchResult(
        tuple(one.number for one in batch if one.number not in refused), refused, stamp
    )


def _lock(connection: "Connection", home: CloneNumber) -> None:
    """Serialise the clones of a project, because the last holder of an entry deletes it."""
    connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (0x4D49, home.project % 2**31))


def _apply(connection: "Connection", home: CloneNumber, one: Queued, table: str) -> None:
    if one.record is None:
        _release(connection, home, one.id, keep="")
        return
    if one.whole:
        connection.execute(_INSERT, _row(home, one.record, one.hash))
        connection.execute(
            "INSERT INTO mind.holding (team, clone, id, entry) "
            "SELECT team, %s, id, number FROM mind.entry "
            "WHERE project = %s AND id = %s AND hash = %s "
            "ON CONFLICT (clone, id) DO UPDATE SET entry = excluded.entry",
            (home.clone, home.project, one.id, one.hash),
        )
        _release(connection, home, one.id, keep=one.hash)
    if table and one.vector:
        connection.execute(
            f"INSERT INTO mind.{table} (team, project, entry, embedding) "
            "SELECT team, project, number, %s FROM mind.entry "
            "WHERE project = %s AND id = %s AND hash = %s "
            "ON CONFLICT (team, entry) DO UPDATE SET embedding = excluded.embedding".encode(),
            (_halves(one.vector), home.project, one.id, one.hash),
        )


def _release(connection: "Connection", home: CloneNumber, name: str, keep: str) -> None:
    """Remove the clone from an entry unless kept, and delete versions without any clone."""
    if not keep:
        connection.execute(
            "DELETE FROM mind.holding WHERE team = %s AND clone = %s AND id = %s",
            (home.team, home.clone, name),
        )
    connection.execute(
        "DELETE FROM mind.entry e WHERE e.project = %s AND e.id = %s AND e.hash <> %s "
        "AND NOT EXISTS (SELECT 1 FROM mind.holding h "
        "WHERE h.team = e.team AND h.entry = e.number)",
        (home.project, name, keep),
    )


def _halves(vector: bytes) -> Any:  # noqa: ANN401 - pgvector's own
    import numpy as np  # noqa: PLC0415 - installed if there are vectors
    from pgvector import HalfVector  # noqa: PLC0415 - only with a mirror

    return HalfVector(np.frombuffer(vector, dtype=np.float16))


def count(connection: "Connection", home: CloneNumber) -> None:
    """Store number and total length of the project's entries, for ranking."""
    connection.execute(
        "UPDATE mind.project p SET (documents, length) = "
        "(SELECT count(*), coalesce(sum(e.length), 0) FROM mind.entry e "
        "WHERE e.project = p.number) WHERE p.team = %s AND p.number = %s",
        (home.team, home.project),
    )


def clear(connection: "Connection", home: CloneNumber, *, every_clone: bool) -> None:
    """Remove the holdings of this clone or of every clone; each sends its own again."""
    with connection.transaction():
        _lock(connection, home)
        of = "project = %s" if every_clone else "number = %s"
        connection.execute(
            f"DELETE FROM mind.clone WHERE team = %s AND {of}".encode(),
            (home.team, home.project if every_clone else home.clone),
        )
        connection.execute(
            "DELETE FROM mind.entry e WHERE e.project = %s AND NOT EXISTS "
            "(SELECT 1 FROM mind.holding h WHERE h.team = e.team AND h.entry = e.number)",
            (home.project,),
        )


_COLUMNS = (
    "id hash kind day status language family path line start body terms title length payload "
    "things before after tags sections"
).split()
_INSERT = (
    f"INSERT INTO mind.entry (team, project, {', '.join(_COLUMNS)}, words) "
    f"VALUES (%(team)s, %(project)s, {', '.join(f'%({one})s' for one in _COLUMNS)}, "
    "array_to_tsvector(%(words)s)) ON CONFLICT (project, id, hash) DO UPDATE SET "
    "line = excluded.line, start = excluded.start, payload = excluded.payload"
).encode()


def _row(home: CloneNumber, record: MirrorRecord, digest: str) -> dict[str, object]:
    rest = json.loads(record["payload"])
    held = record["terms"].split()
    words = list(dict.fromkeys(held))[:_MOST_TERMS]
    return {
        **record,
        "team": home.team,
        "project": home.project,
        "hash": digest,
        "start": record["offset"],
        "body": record["text"],
        "length": len(held),
        "tags": folded(rest.get("tags", ())),
        "sections": folded(rest.get("section", ())),
        "words": [
            *words,
            *(f"={key}" for key in record["things"] if len(key.encode()) < 2000),
            f"@{home.project}",
            f"#{home.team}",
        ],
    }


def folded(texts: Sequence[str]) -> list[str]:
    """Texts folded as in filters, without NUL."""
    return [one.replace("\0", " ").encode("utf-8", "replace").decode().casefold() for one in texts]


_AT_ONCE = 2_000
_HASHED = (
    "e.id, e.kind, e.day, e.status, e.language, e.family, e.path, e.body AS text, e.terms, "
    "e.title, e.payload, e.things, e.before, e.after"
)
"""Columns of a record that its hash is made of."""


def hashes(connection: "Connection", home: "CloneNumber") -> dict[str, str]:
    """Id → hash of a clone's entries in the mirror, computed from the columns.

    Detects rows modified manually or by disk errors.
    """
    from psycopg.rows import dict_row  # noqa: PLC0415 - only with a mirror

    found: dict[str, str] = {}
    with (
        connection.transaction(),
        connection.cursor(name="mind_verify", row_factory=dict_row) as cursor,
    ):
        cursor.itersize = _AT_ONCE
        cursor.execute(
            f"SELECT {_HASHED} FROM mind.holding h "
            "JOIN mind.entry e ON e.team = h.team AND e.number = h.entry "
            "WHERE h.team = %s AND h.clone = %s".encode(),
            (home.team, home.clone),
        )
        for row in cursor:
            found[row["id"]] = hash_of(row)
    return found
