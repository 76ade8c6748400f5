"""What the mirror really holds, to be compared with the files."""

from typing import TYPE_CHECKING

from mind.storage.index import Record

if TYPE_CHECKING:
    from mind.storage.mirror.connection import Connection
    from mind.storage.mirror.publishing import Home

_AT_ONCE = 2_000


def hashes(connection: "Connection", home: "Home") -> dict[str, str]:
    """Id → hash of what a clone has there, reckoned from the columns and not read from one.

    What a hand, or a disk, changed in the mirror is seen by it.
    """
    found: dict[str, str] = {}
    with connection.transaction(), connection.cursor(name="mind_verify") as cursor:
        cursor.itersize = _AT_ONCE
        cursor.execute(
            "SELECT e.id, e.kind, e.day, e.status, e.language, e.family, e.path, e.body, e.terms, "
            "e.title, e.payload, e.things, e.before, e.after FROM mind.holding h "
            "JOIN mind.entry e ON e.team = h.team AND e.number = h.entry "
            "WHERE h.team = %s AND h.clone = %s",
            (home.team, home.clone),
        )
        for row in cursor:
            record = Record(
                id=row[0],
                kind=row[1],
                day=row[2],
                status=row[3],
                language=row[4],
                family=row[5],
                path=row[6],
                text=row[7],
                terms=row[8],
                title=row[9],
                payload=row[10],
                things=tuple(row[11]),
                before=tuple(row[12]),
                after=tuple(row[13]),
                line=0,
                offset=0,
            )
            found[record.id] = record.hash
    return found
