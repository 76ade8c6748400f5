"""The socket and the server on it: uvicorn, with an end to callers who are slow on purpose."""

import asyncio
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mind.domain.errors import InputError
from mind.server.http.limits import Limits

_GRACE = 10
"""Seconds that requests have to end when the service does."""
_IDLE = 15
"""Seconds that a connection without a request stays open."""
_HEAD = 32_768
"""Bytes of a request line with its headers."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        InputError: It cannot be bound there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # named, so that asyncio knows that it may send without delay: else each answer waits 40 ms
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(256)
    except OSError as error:
        bound.close()
        raise InputError(
            f"{host}:{port} cannot be served: {error.strerror or error}",
            remedy="Use another --port (0 takes any), or end what uses this one.",
        ) from error
    bound.set_inheritable(False)
    return bound


def server(limits: Limits, *, behind_proxy: bool) -> uvicorn.Server:
    """A server whose application is set later."""

    class Patient(_Patient):
        seconds = limits.head_seconds

    config = uvicorn.Config(
        app="",
        http=Patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_GRACE,
        limit_concurrency=limits.connections,
        h11_max_incomplete_event_size=_HEAD,
    )
    return uvicorn.Server(config)


class _Patient(H11Protocol):
    """The protocol, which closes a connection whose request does not arrive in time.

    uvicorn ends connections that are idle after an answer, but waits for ever for a first request,
    and for the rest of one that has begun.
    """

    seconds = 10.0
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        if self._head is None and (before is None or before.response_complete):
            self._expect()
        super().data_received(data)
        if self.cycle is not before:
            self._arrived()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._head = self.loop.call_later(self.seconds, self._late)

    def _arrived(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        self._head = None
        if not self.transport.is_closing():
            self.transport.close()
