"""Running the service: socket, server, the token of a run, log and shutdown."""

import asyncio
import json
import logging
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from mind.domain.errors import InputError, check_range
from mind.server.http import Serving
from mind.server.http.access import Access, Hosts, RateLimits, is_loopback
from mind.server.http.app import FrontApplication, Meanings, ServedProjects, Service
from mind.storage import tokens

if TYPE_CHECKING:
    from mind.server.mcp.streamable import Endpoint

_GRACE = 10
"""Seconds that running requests have when the service stops."""
_IDLE = 15
"""Seconds until an idle connection is closed."""
_HEAD = 32_768
"""Maximum bytes of a request line and its headers."""
_KEPT = ("event", "request", "route", "method", "status", "ms", "token", "client", "reason")
"""Members of a log line: no secrets, queries, bodies or ids."""


def serve(
    serving: Serving,
    endpoint: "Callable[[str], Endpoint]",
    meanings: Meanings | None,
    changed: Callable[[], None],
) -> None:
    """Serve until a signal arrives; see :func:`mind.server.http.run`."""
    secret = _secret(serving)
    code = tokens.new_secret() if serving.shown else ""
    begin_log()
    limits = _limits(serving)
    running = server(limits, behind_proxy=serving.behind_proxy)
    service = Service(
        served=ServedProjects(serving.projects, everything=serving.everything, meanings=meanings),
        access=Access(lambda: datetime.now(UTC), secret, code),
        limits=limits,
        mcp=endpoint(serving.toolsets),
        changed=changed,
        leaving=lambda: running.should_exit,
    )
    bound = listen(serving.host, serving.port)
    host = f"[{serving.host}]" if ":" in serving.host else serving.host
    address = f"http://{host}:{bound.getsockname()[1]}"
    running.config.app = FrontApplication(service, Hosts(serving.host, serving.hosts))
    # browsers never send the part after #, so no log contains the secret
    secrets = f"#code={code}" if code else f"#token={secret}" if secret else ""
    sys.stdout.write(f"Serving at {address}/{secrets}\n")
    sys.stdout.flush()
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn handles them only while it serves
        signal.signal(number, lambda *_: sys.exit(0))
    if serving.shown:
        serving.shown(f"{address}/#code={code}")
    running.run(sockets=[bound])


def _secret(serving: Serving) -> str:
    """Create the token of this run; "" if usable tokens exist.

    Raises:
        InputError: The service would be reachable from a network without any token.
    """
    now = datetime.now(UTC)
    usable = any(not one.is_expired(now) for one in tokens.listed())
    if is_loopback(serving.host):
        return tokens.new_secret() if serving.page or not usable else ""
    if not usable:
        raise InputError(
            f"{serving.host} is reachable from other machines, but no token exists",
            remedy="Create one with `mind token add NAME`, or omit --host.",
        )
    return ""


def _limits(serving: Serving) -> RateLimits:
    if serving.rate is None:
        return RateLimits()
    if serving.rate <= 0:
        return RateLimits(rate=0, failures=0)
    return RateLimits(rate=serving.rate, burst=max(1, int(serving.rate * 4)))


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        InputError: The address cannot be bound.
    """
    check_range("port", port, 0, 65_535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with the protocol named, asyncio sets TCP_NODELAY; else each answer takes 40 ms longer
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(256)
    except OSError as error:
        bound.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            remedy="Use another --port (0 for any free one), or stop the program that uses it.",
        ) from error
    bound.set_inheritable(False)
    return bound


def server(limits: RateLimits, *, behind_proxy: bool) -> uvicorn.Server:
    """Return a server; its application is set later."""

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
    """HTTP protocol with a time limit for receiving a request head.

    uvicorn closes connections that are idle after an answer, but waits forever for a first
    request, and for the rest of one that has begun.
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


class JsonLines(logging.Formatter):
    """Formatter that writes records as JSON lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        told |= {name: vars(record)[name] for name in _KEPT if name in vars(record)}
        if record.exc_info and record.exc_info[0]:  # its message may quote a request
            frames = traceback.extract_tb(record.exc_info[2])
            told["error"] = record.exc_info[0].__name__
            told["at"] = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        return json.dumps(told, ensure_ascii=False)


def begin_log() -> None:
    """Write the log to standard error."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(JsonLines())
    for name in ("mind.http", "mind.server", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [shown]
        logger.setLevel(logging.INFO if name == "mind.http" else logging.WARNING)
        logger.propagate = False
