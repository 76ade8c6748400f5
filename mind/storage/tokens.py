"""Tokens for the HTTP service: named, limited in scope and lifetime, stored as hashes.

A token is 256 random bits, which cannot be guessed. One SHA-256 is therefore as safe as a slow
hash, which protects *guessable* passwords; it takes microseconds per request, where a slow hash
would let strangers exhaust the processor.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from mind.domain.errors import InputError, NotFound
from mind.storage import files
from mind.storage.boundary import home

PREFIX = "mind_"
"""Prefix of every token, for scanners that detect leaked credentials."""
_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LIFE = re.compile(r"(\d{1,5})([dhw])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}
_MOST = 1_000


class Scope(StrEnum):
    """Permissions of a token: each scope includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def allows(self, wanted: "Scope") -> bool:
        """True if this scope includes ``wanted``."""
        order = list(Scope)
        return order.index(self) >= order.index(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The stored form of a token.

    Attributes:
        name: Name for lists, logs and revocation.
        scope: Permissions.
        digest: SHA-256 of the token, hexadecimal.
        created: Day of creation.
        expires: Time of expiry; None for never.
        used: Day of last use, if any.
        projects: Names or ids of the projects it can access; empty: all that are served.
    """

    name: str
    scope: Scope
    digest: str
    created: date
    expires: datetime | None = None
    used: date | None = None
    projects: tuple[str, ...] = ()

    def is_expired(self, now: datetime) -> bool:
        """True if the token has expired."""
        return self.expires is not None and self.expires <= now


def add(
    name: str,
    scope: str,
    now: datetime,
    *,
    expires: str = "",
    projects: Sequence[str] = (),
) -> tuple[str, Token]:
    """Create a token; return its secret, which is not stored, and the stored form.

    Args:
        name: 1-64 letters, digits, dots, hyphens, underscores.
        scope: "read", "write" or "admin".
        now: Timezone-aware time.
        expires: Lifetime as in "30d", "12h", "8w"; "" for no expiry.
        projects: Names or ids of the projects it can access; empty: all.

    Raises:
        InputError: The name is invalid or taken, or the scope or lifetime is invalid.
        FileError: The list cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a token", remedy="Use 1-64 letters, digits, dots, hyphens."
        )
    secret = new_secret()
    made = Token(
        name=name,
        scope=_scope(scope),
        digest=digest(secret),
        created=now.date(),
        expires=_end(expires, now),
        projects=tuple(projects),
    )
    with files.lock(_lock()):
        known = listed()
        if any(one.name == name for one in known):
            raise InputError(
                f"there is a token {name!r} already",
                remedy=f"Use another name, or `mind token revoke {name}` first.",
            )
        if len(known) >= _MOST:
            raise InputError(f"there are {_MOST} tokens", remedy="Revoke some.")
        _write([*known, made])
    return secret, made


def new_secret() -> str:
    """256 random bits in characters that need no quoting."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def digest(secret: str) -> str:
    """The stored form of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def revoke(name: str) -> Token:
    """Revoke a token.

    Raises:
        NotFound: No token has this name.
        FileError: The list cannot be written.
    """
    with files.lock(_lock()):
        known = listed()
        found = next((one for one in known if one.name == name), None)
        if found is None:
            raise NotFound(f"there is no token {name!r}", remedy="`mind token list` shows them.")
        _write([one for one in known if one.name != name])
    return found


def matching(secret: str, known: Iterable[Token]) -> Token | None:
    """Token that matches ``secret``; compares with every token in constant time."""
    wanted = digest(secret)
    found = None
    for one in known:
        if hmac.compare_digest(one.digest, wanted):
            found = one
    return found


def note_use(name: str, day: date) -> None:
    """Record the day of a token's last use; writes at most once a day.

    Raises:
        FileError: The list cannot be written.
    """
    with files.lock(_lock()):
        known = listed()
        noted = [replace(one, used=day) if one.name == name else one for one in known]
        if noted != known:
            _write(noted)


def listed() -> list[Token]:
    """All tokens, oldest first; damaged rows are skipped."""
    data = files.read_json(path())
    rows = data.get("tokens") if isinstance(data, dict) else None
    return [one for row in rows if (one := _read(row))] if isinstance(rows, list) else []


def path() -> Path:
    """Path of the token file."""
    return home() / "tokens.json"


def _lock() -> Path:
    home().mkdir(mode=0o700, parents=True, exist_ok=True)
    return home() / "lock"


def _write(known: Iterable[Token]) -> None:
    rows = [_row(one) for one in known]
    files.write_json(path(), {"schema_version": 1, "tokens": rows}, mode=0o600)


def _row(one: Token) -> dict[str, object]:
    row = asdict(one) | {
        "scope": one.scope.value,
        "created": one.created.isoformat(),
        "expires": one.expires.isoformat() if one.expires else None,
        "used": one.used.isoformat() if one.used else None,
        "projects": list(one.projects),
    }
    return {key: value for key, value in row.items() if value not in (None, [])}


def _read(row: object) -> Token | None:
    if not isinstance(row, Mapping):
        return None
    try:
        end, used = row.get("expires"), row.get("used")
        expires = datetime.fromisoformat(end) if end else None
        if expires and expires.tzinfo is None:
            return None
        return Token(
            name=str(row["name"]),
            scope=Scope(row["scope"]),
            digest=str(row["digest"]),
            created=date.fromisoformat(row["created"]),
            expires=expires,
            used=date.fromisoformat(used) if used else None,
            projects=tuple(map(str, row.get("projects", ()))),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _scope(name: str) -> Scope:
    try:
        return Scope(name.strip().lower())
    except ValueError:
        accepted = ", ".join(Scope)
        raise InputError(f"unknown scope {name!r}", remedy=f"Use one of: {accepted}.") from None


def _end(life: str, now: datetime) -> datetime | None:
    if not life:
        return None
    found = _LIFE.fullmatch(life.strip().lower())
    if not found or not int(found[1]):
        raise InputError(f"expires is {life!r}", remedy='Use "12h", "30d" or "8w".')
    return now + timedelta(hours=int(found[1]) * _HOURS[found[2]])
