"""A connection to the mirror of a project, and where the project is in it."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

from mind.domain.errors import MirrorError
from mind.storage.mirror import identity, publishing
from mind.storage.mirror.address import Address
from mind.storage.mirror.migrations import VERSION
from mind.storage.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mind.storage.mirror.connection import Connection
    from mind.storage.mirror.publishing import Home

STAMP = "mirror stamp"
"""The note of what the last batch left in the mirror: another one there tells that it changed."""


def home_of(connection: "Connection", project: Project, team: int) -> "Home | None":
    """Where the clone is in the mirror; None if it never was sent."""
    key = project.settings.mirror_project
    return publishing.registered(connection, team, key, identity.clone(project))


@contextmanager
def opened(
    project: Project, where: Address, *, making: bool, seconds: float | None = None
) -> "Iterator[tuple[Connection, int]]":
    """A connection to a mirror that has every table, and the number of the project's team."""
    from mind.storage.mirror import connection, schema  # noqa: PLC0415 - with psycopg

    longest = connection.STATEMENT_SECONDS if seconds is None else seconds
    with connection.connected(where, longest) as found:
        if making:
            schema.ensure(found, project.settings.mirror_team)
        elif schema.version(found) < VERSION:
            raise MirrorError("the mirror has no tables yet", remedy="Run `mind mirror sync`.")
        connection.know_vectors(found)
        yield found, schema.team_number(found, project.settings.mirror_team)
