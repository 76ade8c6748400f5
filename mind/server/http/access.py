"""Who may ask: tokens, and from where a browser may be sent here."""

import hmac
import ipaddress
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from mind.domain.errors import FileError
from mind.server.http.problem import Refused
from mind.storage import tokens
from mind.storage.tokens import Scope, Token

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CHALLENGE = 'Bearer realm="mind"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What somebody is allowed.

    Attributes:
        name: Of the token; "" for nobody.
        scope: What it allows.
        projects: Names or ids of the projects it opens; empty: all.
    """

    name: str
    scope: Scope
    projects: tuple[str, ...] = ()

    @property
    def opens_all(self) -> bool:
        """Whether it opens every project that is served."""
        return not self.projects


NOBODY = Grant(name="", scope=Scope.READ)


class Access:
    """The tokens, as the file says at the moment, and one of this run.

    Args:
        clock: Gives the aware time.
        run: The secret of this run alone; "" for none.
        code: What the secret of this run is given for, once; "" for nothing.
    """

    def __init__(self, clock: Callable[[], datetime], run: str = "", code: str = "") -> None:
        self._clock = clock
        self._secret, self._code = run, code
        self._run = (
            Token(
                name="this-run",
                scope=Scope.ADMIN,
                digest=tokens.digest(run),
                created=clock().date(),
            )
            if run
            else None
        )
        self._stamp: tuple[int, int, int] | None = None
        self._known: Sequence[Token] = ()
        self._noted: dict[str, object] = {}

    def known(self) -> Sequence[Token]:
        """The tokens there are: one that was revoked opens nothing any more."""
        try:
            status = tokens.path().stat()
            stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
        except OSError:
            stamp = (0, 0, 0)
        if stamp != self._stamp:
            self._known = tokens.listed() if stamp != (0, 0, 0) else ()
            self._stamp = stamp
        return (*self._known, self._run) if self._run else self._known

    def exchange(self, code: str) -> str:
        """The secret of this run, for its code, once.

        An address that a browser is started with is seen in the list of processes and stays in its
        history: what stands there must not open anything for long.

        Raises:
            Refused: It is another code, or was used (404).
        """
        given, known = code.encode("utf-8", "replace"), self._code.encode()
        if not known or not hmac.compare_digest(given, known):
            raise Refused(
                404,
                "this address was used already, or is of an earlier run",
                remedy="Run `mind ui` again, and use the address that it opens.",
            )
        self._code = ""
        return self._secret

    def grant(self, header: str) -> Grant:
        """What the header Authorization allows.

        Raises:
            Refused: It holds no token, or none that opens anything (401).
        """
        kind, _, secret = header.partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise _unknown("no token was sent", _CHALLENGE)
        found = tokens.matching(secret.strip(), self.known())
        invalid = _CHALLENGE + ', error="invalid_token"'
        if found is None:
            raise _unknown("nothing is opened by this token", invalid)
        if found.is_expired(self._clock()):
            raise _unknown("the token has expired", invalid)
        return Grant(name=found.name, scope=found.scope, projects=found.projects)

    def is_unnoted(self, grant: Grant) -> bool:
        """Whether its use on this day still has to be noted; it counts as noted from now on."""
        day = self._clock().date()
        if grant.name in ("", "this-run") or self._noted.get(grant.name) == day:
            return False
        self._noted[grant.name] = day
        return True

    def note(self, grant: Grant) -> None:
        """Note that a token was used; where that cannot be written, nobody has to wait for it."""
        try:
            tokens.note_use(grant.name, self._clock().date())
        except FileError:
            self._noted.pop(grant.name, None)


def check_scope(grant: Grant, wanted: Scope) -> None:
    """Nothing, if a grant is enough.

    Raises:
        Refused: It is not (403).
    """
    if not grant.scope.allows(wanted):
        raise Refused(
            403,
            f"this needs the scope {wanted.value}, and the token has {grant.scope.value}",
            remedy=f"Make a token with `mind token add NAME --scope {wanted.value}`.",
        )


def check_whole(grant: Grant) -> None:
    """Nothing, if a grant opens every project.

    Raises:
        Refused: It is limited to some (403).
    """
    if not grant.opens_all:
        raise Refused(
            403,
            "this concerns every project, and the token opens only some",
            remedy="Use a token that was made without --project.",
        )


def _unknown(message: str, challenge: str) -> Refused:
    return Refused(
        401,
        message,
        remedy="Send the header `Authorization: Bearer TOKEN`; `mind token add NAME` makes one.",
        headers={"WWW-Authenticate": challenge},
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    if host.lower() in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Hosts:
    """Which names this service goes by: a browser that was led here by another sends that one.

    A page of a stranger cannot make a browser send an address in place of a name, so on a network
    any address is right; on loopback only its own names are.

    Args:
        bound: What the service is bound to.
        named: Names it may be called by besides.
    """

    def __init__(self, bound: str, named: Collection[str] = ()) -> None:
        self._named = {one.lower().rstrip(".") for one in named}
        self._any_address = not is_loopback(bound)
        self._named |= LOOPBACK | {bound.lower()}

    def check(self, host: str, origin: str, fetched: str) -> None:
        """Nothing, if the headers Host, Origin and Sec-Fetch-Site are right.

        Raises:
            Refused: The request is meant for another name (421), or comes from another place
                (403).
        """
        name = _name(f"//{host}")
        if not self._is_known(name):
            raise Refused(
                421,
                "this service does not go by that name",
                remedy="Name it with `mind serve --allow-host NAME`.",
            )
        if origin and not self._is_own(origin, host):
            raise _elsewhere()
        if fetched not in ("", "same-origin", "none"):
            raise _elsewhere()

    def _is_known(self, name: str) -> bool:
        return name in self._named or (self._any_address and _is_address(name))

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page from ``origin`` is this service's own: of the same name and port."""
        parts = urlsplit(origin) if "://" in origin else None
        if parts is None or parts.scheme not in ("http", "https"):
            return False
        return parts.netloc.lower() == host.lower()


def _elsewhere() -> Refused:
    return Refused(
        403, "pages of another origin are not answered", remedy="Use the page at / instead."
    )


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
