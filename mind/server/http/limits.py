"""How much one caller, and all of them together, may ask for."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from time import monotonic

from mind.server.http.problem import Refused

_MOST_CALLERS = 10_000
"""Callers that are counted at once; the one that was silent for longest is forgotten first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is not exceeded.

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

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """One of them, until the block ends.

        Raises:
            Refused: None is free (503).
        """
        leave = self.taken_one()
        try:
            yield
        finally:
            leave()

    def taken_one(self) -> Callable[[], None]:
        """Take one of them; what is returned gives it back.

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

        def leave() -> None:
            self.taken -= 1

        return leave


async def body_of(
    receive: Callable[[], "asyncio.Future[dict[str, object]]"], limits: Limits, declared: str
) -> bytes:
    """A body, once all of it is there.

    Raises:
        Refused: It is too large (413), or comes too slowly (408).
        ConnectionError: The caller has left.
    """
    if declared.isdigit() and int(declared) > limits.body:
        raise _too_large(limits)
    parts = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ConnectionError("the caller has left")
                parts += message.get("body", b"")  # type: ignore[arg-type] # bytes, by ASGI
                if len(parts) > limits.body:
                    raise _too_large(limits)
                if not message.get("more_body", False):
                    return bytes(parts)
    except TimeoutError:
        raise Refused(
            408,
            f"the body did not arrive within {limits.body_seconds:g} s",
            remedy="Send it at once.",
            headers={"Connection": "close"},
        ) from None


def _too_large(limits: Limits) -> Refused:
    return Refused(
        413,
        f"the body is larger than {limits.body:,} bytes",
        remedy="Send less at once.",
        headers={"Connection": "close"},
    )
