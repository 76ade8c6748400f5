"""Bringing the schema of a mirror up to date, by whoever comes first."""

from typing import TYPE_CHECKING

from mind.storage.mirror.connection import Refused
from mind.storage.mirror.migrations import LOCK, STEPS, VERSION

if TYPE_CHECKING:
    from mind.storage.mirror.connection import Connection


def version(connection: "Connection") -> int:
    """The last step that was done; 0 in an empty database."""
    if "version" not in _tables(connection):
        return 0
    row = connection.execute("SELECT coalesce(max(number), 0) FROM mind.version").fetchone()
    return int(row[0]) if row else 0


def _tables(connection: "Connection") -> set[str]:
    """Tables that there are.

    They are read from the catalogue: to_regclass may answer from what this session knew before it
    waited for the lock.
    """
    rows = connection.execute(
        "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'mind' AND relkind = 'r'"
    )
    return {row[0] for row in rows}


def ensure(connection: "Connection", team: str) -> None:
    """Do the steps that are missing, and see that the team is one that this login belongs to.

    Any number of clients may do so at once: one does the steps, and the others wait. Only the owner
    of the database, or who may create in it, can do steps; others need none to be missing.

    Raises:
        Refused: Steps are missing and this login may not do them, the schema is of a newer Mind,
            or the login is no member of the team.
    """
    if _checked(version(connection)) < VERSION or not _is_whole(connection):
        _make(connection, team)
    if _team(connection, team) is None:
        _join(connection, team)


def _make(connection: "Connection", team: str) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        done = _checked(version(connection))
        members: list[tuple[str, str]] = []
        if not _is_whole(connection):
            members = _members(connection)
            connection.execute("DROP SCHEMA IF EXISTS mind CASCADE")
            done = 0
        for number, step in enumerate(STEPS[done:], done + 1):
            connection.execute(step.encode())
            connection.execute("INSERT INTO mind.version (number) VALUES (%s)", (number,))
        for role, of in members:
            connection.execute("SELECT mind.admit(%s, %s)", (role, of))
        if not done:
            connection.execute("SELECT mind.admit(session_user, %s)", (team,))


def _members(connection: "Connection") -> list[tuple[str, str]]:
    """Who belongs to which team: when tables were dropped, only that could not be sent again."""
    if not _tables(connection) >= {"member", "team"}:
        return []
    rows = connection.execute(
        "SELECT m.role::text, t.name FROM mind.member m JOIN mind.team t ON t.number = m.team "
        "JOIN pg_roles r ON r.rolname = m.role"
    )
    return [(role, team) for role, team in rows]


_NEEDED = frozenset("team member project clone entry holding profile".split())


def _is_whole(connection: "Connection") -> bool:
    """Whether every table is there, with those of the vectors."""
    there = _tables(connection)
    if not there >= _NEEDED:
        return False
    rows = connection.execute("SELECT number FROM mind.profile")
    return there >= {f"vector_{number}" for (number,) in rows}


def _checked(found: int) -> int:
    if found > VERSION:
        raise Refused(
            f"the mirror has schema {found}, and this Mind knows {VERSION}",
            remedy="Install the newer Mind here too; until then the local index answers.",
        )
    return found


def _team(connection: "Connection", team: str) -> int | None:
    row = connection.execute("SELECT number FROM mind.team WHERE name = %s", (team,)).fetchone()
    member = connection.execute("SELECT mind.teams()").fetchone()
    return int(row[0]) if row and member and row[0] in member[0] else None


def _join(connection: "Connection", team: str) -> None:
    """The owner may found teams; anybody else asks the owner."""
    row = connection.execute(
        "SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace "
        "WHERE nspname = 'mind'"
    ).fetchone()
    if not row or not row[0]:
        raise Refused(
            f"your login is no member of the team {team!r}",
            remedy=f"Ask the owner of the database for: SELECT mind.admit('LOGIN', '{team}')",
        )
    connection.execute("SELECT mind.admit(session_user, %s)", (team,))


def team_number(connection: "Connection", team: str) -> int:
    """The number of a team that this login belongs to.

    Raises:
        Refused: It does not.
    """
    found = _team(connection, team)
    if found is None:
        raise Refused(
            f"your login is no member of the team {team!r}",
            remedy=f"Ask the owner of the database for: SELECT mind.admit('LOGIN', '{team}')",
        )
    return found
