"""Access control: bearer tokens, host and origin checks, rate and size limits."""

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    MutableMapping,
)
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
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
"""Maximum callers tracked at once; the one idle longest is dropped first."""


class RequestRefused(MindError):
    """A request that the service refuses before any use case runs.

    Args:
        status: HTTP status.
        message: What happened.
        remedy: What to do about it.
        headers: Extra response headers.
    """

    code = "refused"
    default_remedy = "See /openapi.json for the API."

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


NOBODY = Token(name="", scope=Scope.READ, digest="", created=date.min)
"""A caller without a token."""


class Access:
    """The tokens currently in the file, and the token of this run.

    Args:
        clock: Returns the current time, with a time zone.
        run: Secret of this run's token; "" for none.
        code: One-time code that can be exchanged for that secret; "" for none.
    """

    def __init__(self, clock: Callable[[], datetime], run: str = "", code: str = "") -> None:
        self._clock = clock
        self._secret, self._code = run, code
        own = Token(
            name="this-run",
            scope=Scope.ADMIN,
            digest=tokens.digest(run),
            created=clock().date(),
        )
        self._run = (own,) if run else ()
        self._noted: dict[str, object] = {}

    def exchange(self, code: str) -> str:
        """Exchange the one-time code for the secret of this run.

        The address a browser is started with appears in the process list and in its history, so
        it must not contain a lasting secret.

        Raises:
            RequestRefused: The code is wrong or was used (404).
        """
        given, known = code.encode("utf-8", "replace"), self._code.encode()
        if not known or not hmac.compare_digest(given, known):
            raise RequestRefused(
                404,
                "this address was already used, or is from an earlier run",
                remedy="Run `mind ui` again and use the address it opens.",
            )
        self._code = ""
        return self._secret

    def grant(self, header: str) -> Token:
        """Return the token in the Authorization header.

        Raises:
            RequestRefused: The header has no valid token (401).
        """
        kind, _, secret = header.partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise _unknown("no token was sent", _CHALLENGE)
        # other processes may change the listed tokens at any time
        found = tokens.matching(secret.strip(), (*tokens.listed(), *self._run))
        invalid = _CHALLENGE + ', error="invalid_token"'
        if found is None:
            raise _unknown("the token is not valid", invalid)
        if found.is_expired(self._clock()):
            raise _unknown("the token has expired", invalid)
        return found

    def is_unnoted(self, grant: Token) -> bool:
        """Return whether today's use of a token is not recorded yet, and mark it as recorded."""
        day = self._clock().date()
        if grant.name in ("", "this-run") or self._noted.get(grant.name) == day:
            return False
        self._noted[grant.name] = day
        return True

    def note(self, grant: Token) -> None:
        """Record that a token was used today; a write error is ignored and tried again later."""
        try:
            tokens.note_use(grant.name, self._clock().date())
        except FileError:
            self._noted.pop(grant.name, None)


def check_scope(grant: Token, wanted: Scope) -> None:
    """Check that a grant includes a scope.

    Raises:
        RequestRefused: It does not (403).
    """
    if not grant.scope.allows(wanted):
        raise RequestRefused(
            403,
            f"this needs the scope {wanted.value}, but the token has {grant.scope.value}",
            remedy=f"Create a token with `mind token add NAME --scope {wanted.value}`.",
        )


def check_whole(grant: Token) -> None:
    """Check that a grant has access to every project.

    Raises:
        RequestRefused: It is limited to some projects (403).
    """
    if grant.projects:
        raise RequestRefused(
            403,
            "this concerns all projects, but the token is limited to some",
            remedy="Use a token created without --project.",
        )


def _unknown(message: str, challenge: str) -> RequestRefused:
    return RequestRefused(
        401,
        message,
        remedy="Send `Authorization: Bearer TOKEN`; create a token with `mind token add NAME`.",
        headers={"WWW-Authenticate": challenge},
    )


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is reachable only from this machine."""
    address = _address(host)
    return host.lower() in LOOPBACK or (address is not None and address.is_loopback)


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


class Hosts:
    """Host names of this service, checked against DNS rebinding.

    A rebound name reaches the service with that name in the Host header; an attacker cannot turn
    it into an IP address. On a network any IP address is accepted; on loopback only its own names.

    Args:
        bound: Address the service is bound to.
        named: Further allowed names.
    """

    def __init__(self, bound: str, named: Collection[str] = ()) -> None:
        self._named = {one.lower().rstrip(".") for one in named}
        self._any_address = not is_loopback(bound)
        self._named |= LOOPBACK | {bound.lower()}

    def check(self, host: str, origin: str, fetched: str) -> None:
        """Check the headers Host, Origin and Sec-Fetch-Site.

        Raises:
            RequestRefused: The host name is not allowed (421), or the origin is another (403).
        """
        name = _name(f"//{host}")
        if name not in self._named and not (self._any_address and _address(name)):
            raise RequestRefused(
                421,
                "this host name is not allowed",
                remedy="Allow it with `mind serve --allow-host NAME`.",
            )
        own = ("", f"http://{host}".lower(), f"https://{host}".lower())
        if origin.lower() not in own or fetched not in ("", "same-origin", "none"):
            raise RequestRefused(
                403, "cross-origin requests are not allowed", remedy="Use the page at / instead."
            )


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimits:
    """Limits of the service.

    Attributes:
        body: Maximum body size, bytes.
        body_seconds: Time limit for receiving a body.
        head_seconds: Time limit for receiving a request line and its headers.
        rate: Sustained requests per second, per token or address; 0 for no limit.
        burst: Maximum requests at once after a pause.
        failures: Maximum wrong tokens at once, per address; a tenth of it per second, sustained.
        running: Maximum operations at once, running or waiting for a thread.
        threads: Number of threads that run them.
        listeners: Maximum event streams at once.
        connections: Maximum connections at once.
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
    """Token-bucket rate limiter, one bucket per caller.

    Args:
        rate: Requests per second; 0 or less for no limit.
        burst: Size of a bucket.
        clock: Returns the time in seconds.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one request.

        Raises:
            RequestRefused: The limit is exceeded (429).
        """
        self.check(caller)
        if self._rate > 0:
            level, at = self._levels[caller]
            self._levels[caller] = (level - 1, at)

    def check(self, caller: str) -> None:
        """Check the limit without counting a request.

        Raises:
            RequestRefused: One more request would exceed the limit (429).
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
            raise RequestRefused(
                429,
                "too many requests",
                remedy=f"Wait {wait} s.",
                headers={"Retry-After": str(wait)},
            )


class Slots:
    """A limited number of concurrent slots."""

    def __init__(self, most: int, what: str) -> None:
        self._most, self._what = most, what
        self.taken = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold one slot until the block ends.

        Raises:
            RequestRefused: None is free (503).
        """
        self.take()
        try:
            yield
        finally:
            self.leave()

    def take(self) -> None:
        """Take one slot.

        Raises:
            RequestRefused: None is free (503).
        """
        if self.taken >= self._most:
            raise RequestRefused(
                503,
                f"the limit of {self._most} concurrent {self._what} is reached",
                remedy="Try again in a moment.",
                headers={"Retry-After": "1"},
            )
        self.taken += 1

    def leave(self) -> None:
        """Free one slot."""
        self.taken -= 1


Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


def limited(receive: Receive, limits: RateLimits, declared: str) -> Receive:
    """Return ``receive`` that refuses a body too large (413) or too slow (408).

    Args:
        receive: Receives the parts of a request.
        limits: The limits.
        declared: Header Content-Length.
    """
    size = int(declared) if declared.isdigit() else 0
    seen, is_whole = 0, False
    until = asyncio.get_running_loop().time() + limits.body_seconds

    async def received() -> Message:
        nonlocal seen, is_whole
        if is_whole:
            return await receive()
        if size > limits.body:
            raise _too_large(limits)
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            slow = f"the body did not arrive within {limits.body_seconds:g} s"
            raise _hung_up(408, slow, "Send it faster.") from None
        seen += len(message.get("body", b""))
        if seen > limits.body:
            raise _too_large(limits)
        is_whole = not message.get("more_body", False)
        return message

    return received


def _too_large(limits: RateLimits) -> RequestRefused:
    return _hung_up(413, f"the body is larger than {limits.body:,} bytes", "Send a smaller body.")


def _hung_up(status: int, message: str, remedy: str) -> RequestRefused:
    return RequestRefused(status, message, remedy=remedy, headers={"Connection": "close"})
