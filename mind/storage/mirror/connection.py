"""One connection to the mirror: what it waits for ends, and its errors are Mind's."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mind.domain.errors import DependencyMissing, MirrorError
from mind.storage.mirror.address import INSTALL, Address

if TYPE_CHECKING:
    from typing import TypeAlias

    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

CONNECT_SECONDS = 3
STATEMENT_SECONDS = 20.0
"""Longest statement when changes are sent."""
SEARCH_SECONDS = 3.0
"""Longest search, all of its statements together: then the local one answers."""

_DENIED = (
    "Ask the owner of the database to run `mind mirror sync` once, which makes or mends the "
    "tables, and then SELECT mind.admit('LOGIN', 'TEAM')."
)


class Lost(MirrorError):
    """The mirror cannot be reached, or does not answer."""

    default_remedy = (
        "Nothing is lost: what waits is sent when it answers again. Check the network and the "
        "server; see `mind mirror status`."
    )


class Refused(MirrorError):
    """The mirror answered, and refused."""


@contextmanager
def connected(address: Address, seconds: float = STATEMENT_SECONDS) -> "Iterator[Connection]":
    """A connection that commits each statement by itself, with timeouts on either side.

    Args:
        address: Of the mirror.
        seconds: The longest statement.

    Raises:
        Lost: It cannot be reached, or does not answer in time.
        Refused: It answered with an error.
    """
    import psycopg  # noqa: PLC0415 - only with a mirror

    limit = int(seconds * 1000)
    options = address.parameters.get("options", "")
    with translated():
        connection = psycopg.connect(
            psycopg.conninfo.make_conninfo(
                **{
                    **address.parameters,
                    "connect_timeout": str(CONNECT_SECONDS),
                    "application_name": "mind",
                    "options": f"{options} -c statement_timeout={limit} -c lock_timeout={limit} "
                    "-c idle_in_transaction_session_timeout=60000 -c search_path=mind,public "
                    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 "
                    "-c tcp_keepalives_count=3",
                    "keepalives_idle": "5",
                    "keepalives_interval": "2",
                    "keepalives_count": "3",
                    "tcp_user_timeout": "10000",
                    "target_session_attrs": "read-write",
                }
            ),
            autocommit=True,
        )
    try:
        with translated():
            yield connection
    finally:
        with suppress(psycopg.Error):
            connection.close()


def know_vectors(connection: "Connection") -> None:
    """Let the connection read and write vectors; the extension is there.

    Raises:
        DependencyMissing: pgvector is not installed here.
    """
    try:
        from pgvector.psycopg import register_vector  # noqa: PLC0415 - only with a mirror
    except ImportError as error:
        raise DependencyMissing(
            "the mirror needs pgvector, which is not installed", remedy=f"Run `{INSTALL}`."
        ) from error
    register_vector(connection)


@contextmanager
def within(connection: "Connection", seconds: float) -> Iterator[None]:
    """Cut the connection if what is done with it takes longer: a server may just be silent.

    A statement's timeout is the server's, which a stopped server or a cut wire does not keep.
    """
    guard = threading.Timer(seconds, _cut, (connection,))
    guard.daemon = True
    guard.start()
    try:
        yield
    finally:
        guard.cancel()


def _cut(connection: "Connection") -> None:
    import psycopg  # noqa: PLC0415 - as below

    with suppress(psycopg.Error, OSError):  # closed already: nothing waits for it
        one = socket.socket(fileno=os.dup(connection.fileno()))
        try:
            one.shutdown(socket.SHUT_RDWR)
        finally:
            one.close()


@contextmanager
def translated() -> Iterator[None]:
    """Errors of psycopg as Mind's; a password is in none of them.

    Raises:
        Lost: The connection broke, or never was.
        Refused: Anything else.
    """
    import psycopg  # noqa: PLC0415 - as above

    try:
        yield
    except psycopg.Error as error:
        said = " ".join((error.diag.message_primary or str(error)).split())[:300]
        remedy = _DENIED if error.sqlstate == "42501" else None
        raise _kind(error)(f"the mirror: {said}", remedy=remedy, sqlstate=error.sqlstate) from error


def _kind(error: "psycopg.Error") -> Callable[..., MirrorError]:
    """Lost where connections break (08, 57) or servers lack what they need (53, 58)."""
    import psycopg  # noqa: PLC0415 - as above

    state = error.sqlstate or ""
    is_lost = isinstance(error, psycopg.OperationalError) and (
        not state or state.startswith(("08", "53", "57", "58"))
    )
    return Lost if is_lost else Refused
