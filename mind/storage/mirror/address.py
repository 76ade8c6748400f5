"""Where the mirror is, and how safely it is spoken to."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mind.domain.errors import ConfigError, DependencyMissing
from mind.domain.settings import Settings
from mind.storage.home import home

VARIABLE = "MIND_MIRROR_DSN"
INSTALL = "pip install 'mind-lens[postgres]'"
_STRENGTH = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class Address:
    """What libpq connects with.

    Attributes:
        parameters: By name; among them always sslmode.
        shown: The place without credentials.
        is_local: It is this machine.
    """

    parameters: Mapping[str, str]
    shown: str
    is_local: bool


def is_configured(settings: Settings) -> bool:
    """Whether the user has a mirror."""
    return bool(os.environ.get(VARIABLE) or settings.mirror_dsn)


def address(settings: Settings) -> Address:
    """The mirror of the settings; the environment variable wins.

    Raises:
        ConfigError: There is none, it cannot be understood, it would be spoken to less safely than
            mirror.tls says, or others can read its password.
        DependencyMissing: psycopg is not installed.
    """
    named = os.environ.get(VARIABLE)
    given = _parsed(named or settings.mirror_dsn)
    if not named and given.get("password"):
        _check_private(home() / "config.toml")
    is_local = all(_is_local(one) for one in _hosts(given))
    parameters = {**given, **_encryption(given, settings.mirror_tls, is_local=is_local)}
    shown = f"{_hosts(given)[0] or 'local socket'}/{given.get('dbname', '')}"
    return Address(parameters, shown, is_local)


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
    except ProgrammingError:  # its text may repeat the password
        raise ConfigError(
            "mirror.dsn cannot be understood",
            remedy="Write postgresql://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE.",
        ) from None


def _hosts(given: Mapping[str, str]) -> list[str]:
    """Every host that libpq may connect to; "" is the local socket."""
    if "service" in given or os.environ.get("PGSERVICE"):
        return ["(service)"]  # a file of libpq's says where: taken for another machine
    named = given.get("host", os.environ.get("PGHOST", ""))
    at = given.get("hostaddr", os.environ.get("PGHOSTADDR", ""))
    return [*named.split(","), *(at.split(",") if at else [])]


def _is_local(host: str) -> bool:
    return not host or host.startswith(("/", "@")) or host in _LOCAL


def _encryption(given: Mapping[str, str], weakest: str, *, is_local: bool) -> dict[str, str]:
    """sslmode, and where the authorities are that vouch for the server.

    What libpq would take from PGSSLMODE is taken as if it stood in the dsn: nothing outside of
    mirror.tls makes the connection weaker.
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
    if mode == "verify-full" and not known and not _default_authorities().exists():
        return {"sslmode": mode, "sslrootcert": "system"}
    return {"sslmode": mode}


def _default_authorities() -> Path:
    return Path.home() / ".postgresql" / "root.crt"


def _check_private(path: Path) -> None:
    if os.name != "posix" or not path.exists():
        return
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(
            f"{path} holds the mirror's password, and others can read it",
            remedy=f"Run `chmod 600 {path}`, or keep the password in ~/.pgpass.",
            path=str(path),
        )
