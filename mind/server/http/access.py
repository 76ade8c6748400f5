"""Access control: bearer tokens, the origin of a browser's requests, rates and limits."""

import asyncio
import hmac
import ipaddress
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from mind.domain.errors import FileError, MindError
from mind.storage import tokens
from mind.storage.tokens import Scope, Token

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CHALLENGE = 'Bearer realm="mind"'
_MOST_CALLERS = 10_000
"""Callers that are counted at once; the one that was silent for longest is forgotten first."""


class Refused(MindError):
    """A request that the service itself refuses.

    Args:
        status: HTTP's.
        message: What happened.
        remedy: What to do about it.
        headers: More that the answer carries.
    """

    code = "refused"
    default_remedy = "See /openapi.json for what this service does."

    def __init__(
        self,
        status: int,
        message: str,
        *,
        remedy: str | None = None,
        headers: Mapping[str, str] | None = None,
        **data: object,
    ) -> None:
        super().__init__(message, remedy=remedy, **data)
        self.status = status
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The rights of a caller.

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
        """Return whether it opens every project that is served."""
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
        """Return what the header Authorization allows.

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
        """Return whether its use on this day still has to be noted.

        It counts as noted from now on.
        """
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
    """Return whether only this machine reaches ``host``."""
    if host.lower() in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Hosts:
    """Names of this service: a browser that was led here by another name sends that one.

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
        """Tell whether a page from ``origin`` is this service's own: of the same name and port."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds that are not exceeded.

    Attributes:
        body: Bytes of a body.
        body_seconds: For a body to arrive.
        head_seconds: For a request line and its headers to arrive.
        rate: Requests a second, of one token or address, in the long run; 0: any number.
        burst: Requests at once after a silence.
        failures: Wrong tokens of one address, at once; a tenth as many a second in the long run.
        running: Operations at once, running or waiting for a thread.
        threads: That run them.
        listeners: Streams of events at once.
        connections: At once.
    """

    body: int = 1_048_576
    body_seconds: float = 15.0
    head_seconds: float = 10.0
    rate: float = 50.0
    burst: int = 200
    failures: int = 20
    running: int = 64
    threads: int = 4
    listeners: int = 32
    connections: int = 512


class Rate:
    """Buckets that fill up at a constant rate, one a caller; each request takes one drop.

    Args:
        rate: Drops a second; 0 or less: nothing is counted.
        burst: Of a full bucket.
        clock: Gives seconds.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one request.

        Raises:
            Refused: It is one too many (429).
        """
        self.check(caller)
        if self._rate > 0:
            level, at = self._levels[caller]
            self._levels[caller] = (level - 1, at)

    def check(self, caller: str) -> None:
        """Count nothing.

        Raises:
            Refused: One more would be too many (429).
        """
        if self._rate <= 0:
            return
        now = self._clock()
        level, at = self._levels.pop(caller, (float(self._burst), now))
        level = min(self._burst, level + (now - at) * self._rate)
        self._levels[caller] = (level, now)
        if len(self._levels) > _MOST_CALLERS:
            self._levels.popitem(last=False)
        if level < 1:
            wait = max(1, ceil((1 - level) / self._rate))
            raise Refused(
                429,
                "too many requests",
                remedy=f"Wait {wait} s.",
                headers={"Retry-After": str(wait)},
            )


class Slots:
    """Places for what goes on at once."""

    def __init__(self, most: int, what: str) -> None:
        self._most, self._what = most, what
        self.taken = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """One of them, until the block ends.

        Raises:
            Refused: None is free (503).
        """
        self.take()
        try:
            yield
        finally:
            self.leave()

    def take(self) -> None:
        """Take one of them.

        Raises:
            Refused: None is free (503).
        """
        if self.taken >= self._most:
            raise Refused(
                503,
                f"{self._most} {self._what} at once are the most",
                remedy="Try again in a moment.",
                headers={"Retry-After": "1"},
            )
        self.taken += 1

    def leave(self) -> None:
        """Give one back."""
        self.taken -= 1


async def body_of(
    receive: Callable[[], Awaitable[Any]], limits: Limits, declared: str = ""
) -> bytes:
    """Read a whole body.

    Raises:
        Refused: It is too large (413), or comes too slowly (408).
        ConnectionError: The caller has left.
    """
    parts = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            more = not (declared.isdigit() and int(declared) > limits.body)
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise ConnectionError("the caller has left")
                parts += message.get("body", b"")
                if len(parts) > limits.body:
                    break
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        raise Refused(
            408,
            f"the body did not arrive within {limits.body_seconds:g} s",
            remedy="Send it at once.",
            headers={"Connection": "close"},
        ) from None
    raise Refused(
        413,
        f"the body is larger than {limits.body:,} bytes",
        remedy="Send less at once.",
        headers={"Connection": "close"},
    )
