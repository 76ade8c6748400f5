"""PostgreSQL connections: address, transport security and timeouts."""

import os
import socket
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ConfigError, DependencyMissing, MirrorError
from mind.domain.settings import Settings
from mind.storage.boundary import home

if TYPE_CHECKING:
    from typing import TypeAlias

    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]


VARIABLE = "MIND_MIRROR_DSN"
INSTALL = "pip install 'mind-lens[postgres]'"
_STRENGTH = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class Address:
    """Connection parameters for libpq.

    Attributes:
        parameters: Parameters by name, always including sslmode.
        shown: The address without credentials.
    """

    parameters: Mapping[str, str]
    shown: str


def is_configured(settings: Settings) -> bool:
    """True if the user has configured a mirror."""
    return bool(os.environ.get(VARIABLE) or settings.mirror_dsn)


def address(settings: Settings) -> Address:
    """Address of the configured mirror; the environment variable wins.

    Raises:
        ConfigError: No mirror is configured, its address is invalid or less secure than mirror.tls
            requires, or other users can read the file with its password.
        DependencyMissing: psycopg is not installed.
    """
    named = os.environ.get(VARIABLE)
    given = _parsed(named or settings.mirror_dsn)
    if not named and given.get("password"):
        _check_private(home() / "config.toml")
    is_local = all(_is_local(one) for one in _hosts(given))
    parameters = {**given, **_encryption(given, settings.mirror_tls, is_local=is_local)}
    shown = f"{_hosts(given)[0] or 'local socket'}/{given.get('dbname', '')}"
    return Address(parameters, shown)


def _parsed(dsn: str) -> dict[str, str]:
    if not dsn:
        raise ConfigError(
            "no mirror is configured",
            remedy="Run `mind config --user mirror.dsn postgresql://HOST/DATABASE`, or set "
            f"{VARIABLE}.",
        )
    try:
        from psycopg import ProgrammingError, conninfo  # noqa: PLC0415 - only with a mirror
    except ImportError as error:
        raise DependencyMissing(
            "the mirror needs psycopg and pgvector, which are not installed",
            remedy=f"Run `{INSTALL}`.",
        ) from error
    try:
        return {name: str(value) for name, value in conninfo.conninfo_to_dict(dsn).items()}
    except ProgrammingError:  # its message may contain the password
        raise ConfigError(
            "mirror.dsn cannot be understood",
            remedy="Write postgresql://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE.",
        ) from None


def _hosts(given: Mapping[str, str]) -> list[str]:
    """All hosts that libpq may connect to; "" is the local socket."""
    if "service" in given or os.environ.get("PGSERVICE"):
        return ["(service)"]  # the host is in a libpq service file: treated as remote
    named = given.get("host", os.environ.get("PGHOST", ""))
    at = given.get("hostaddr", os.environ.get("PGHOSTADDR", ""))
    return [*named.split(","), *(at.split(",") if at else [])]


def _is_local(host: str) -> bool:
    return not host or host.startswith(("/", "@")) or host in _LOCAL


def _encryption(given: Mapping[str, str], weakest: str, *, is_local: bool) -> dict[str, str]:
    """sslmode, and the certificate authorities for the server.

    Values that libpq would take from PGSSLMODE are treated as part of the DSN, so that only
    mirror.tls can weaken the connection.
    """
    asked = given.get("sslmode", os.environ.get("PGSSLMODE", ""))
    if is_local:
        return {"sslmode": asked or "prefer"}
    if weakest not in ("verify-full", "verify-ca", "require", "disable"):
        raise ConfigError(
            f"mirror.tls is {weakest!r}",
            remedy="Set it to verify-full, verify-ca, require or disable.",
            key="mirror.tls",
        )
    mode = asked or weakest
    if mode not in _STRENGTH or _STRENGTH.index(mode) < _STRENGTH.index(weakest):
        raise ConfigError(
            f"the mirror is on another machine, and sslmode={mode} is weaker than "
            f"mirror.tls={weakest}: somebody between could read or change the memory",
            remedy="Take sslmode out of the dsn. If you mean it: "
            f"`mind config --user mirror.tls {mode}`.",
            key="mirror.tls",
        )
    known = given.get("sslrootcert") or os.environ.get("PGSSLROOTCERT")
    by_default = Path.home() / ".postgresql" / "root.crt"
    if mode == "verify-full" and not known and not by_default.exists():
        return {"sslmode": mode, "sslrootcert": "system"}
    return {"sslmode": mode}


def _check_private(path: Path) -> None:
    if os.name != "posix" or not path.exists():
        return
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(
            f"{path} holds the mirror's password, and others can read it",
            remedy=f"Run `chmod 600 {path}`, or keep the password in ~/.pgpass.",
            path=str(path),
        )


CONNECT_SECONDS = 3
STATEMENT_SECONDS = 20.0
"""Statement timeout when sending changes."""
SEARCH_SECONDS = 3.0
"""Timeout of a search, all statements together; afterwards the local index answers."""

_DENIED = (
    "Ask the owner of the database to run `mind mirror sync` once, which makes or mends the "
    "tables, and then SELECT mind.admit('LOGIN', 'TEAM')."
)


_IN_USE = "2BP01"
_REMEDIES = {
    "42501": _DENIED,
    _IN_USE: "Drop or move that: Mind did not make it. Or use another database.",
}


_LOST = ("08", "53", "57", "58")
"""Classes of SQLSTATE of a lost connection (08, 57) or a failing server (53, 58)."""


class MirrorUnreachable(MirrorError):
    """The mirror is unreachable, or does not answer."""

    default_remedy = (
        "Nothing is lost: what waits is sent when it answers again. Check the network, the "
        "server, and the address, user and password in mirror.dsn, MIND_MIRROR_DSN or ~/.pgpass."
    )


class MirrorRefused(MirrorError):
    """The mirror returned an error."""


@contextmanager
def connected(address: Address, seconds: float = STATEMENT_SECONDS) -> "Iterator[Connection]":
    """Open an autocommit connection with timeouts on both sides.

    Args:
        address: Address of the mirror.
        seconds: Statement timeout.

    Raises:
        MirrorUnreachable: The server is unreachable, or does not answer in time.
        MirrorRefused: The server returned an error.
    """
    import psycopg  # noqa: PLC0415 - only with a mirror

    limit = int(seconds * 1000)
    options = address.parameters.get("options", "")
    parameters = {
        **address.parameters,
        "connect_timeout": str(CONNECT_SECONDS),
        "application_name": "mind",
        "options": f"{options} -c statement_timeout={limit} -c lock_timeout={limit} "
        "-c idle_in_transaction_session_timeout=60000 -c search_path=mind,public "
        "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3",
        "keepalives_idle": "5",
        "keepalives_interval": "2",
        "keepalives_count": "3",
        "tcp_user_timeout": "10000",
        "target_session_attrs": "read-write",
    }
    with translated():
        where = psycopg.conninfo.make_conninfo(**parameters)
        with closing(psycopg.connect(where, autocommit=True)) as connection:
            yield connection


def know_vectors(connection: "Connection") -> None:
    """Register vector types on the connection; the server has the extension.

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
    """Close the connection if the block takes longer than ``seconds``.

    The statement timeout is enforced by the server, so it fails if the server or the network hangs.
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

    with (
        suppress(psycopg.Error, OSError),  # already closed
        socket.socket(fileno=os.dup(connection.fileno())) as one,
    ):
        one.shutdown(socket.SHUT_RDWR)


@contextmanager
def translated() -> Iterator[None]:
    """Convert psycopg errors to Mind's; no message contains a password.

    Raises:
        MirrorUnreachable: The connection broke, or could not be opened.
        MirrorRefused: Any other error.
    """
    import psycopg  # noqa: PLC0415 - as above

    try:
        yield
    except psycopg.Error as error:
        state = error.sqlstate
        told = error.diag.message_detail if state == _IN_USE else error.diag.message_primary
        said = " ".join((told or str(error)).split())[:300]
        is_lost = isinstance(error, psycopg.OperationalError) and (
            not state or state.startswith(_LOST)
        )
        raise (MirrorUnreachable if is_lost else MirrorRefused)(
            f"the mirror: {said}", remedy=_REMEDIES.get(state or ""), sqlstate=state
        ) from error
