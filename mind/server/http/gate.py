"""The gate before every answer: whose name and origin it is, which route, errors, log, figures."""

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from mind.domain.errors import InputError, MindError
from mind.server.http.access import Hosts
from mind.server.http.app import Endpoint, Service, answered_error, endpoints
from mind.server.http.problem import Refused

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_log = logging.getLogger("mind.http")

HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)
"""On every answer."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Those that are counted by name: anybody may invent others."""
_CLOSED = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
"""On every answer that is not of the page."""


class Gate:
    """The ASGI application.

    Args:
        service: What answers.
        hosts: By which names.
    """

    def __init__(self, service: Service, hosts: Hosts) -> None:
        self._service = service
        self._hosts = hosts
        self._routes = [
            (path, *compile_path(path)[::2], methods)
            for path, methods in endpoints(service).items()
        ]
        self._exact = {path: one for path, *_, one in self._routes if "{" not in path}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one connection's event."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._service.alive():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        began, known = perf_counter(), Request(scope, receive)
        number, route, status = uuid4().hex[:12], "", 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _completed(message["headers"], number)
            await send(message)

        try:
            route, answer = await self._found(scope, known, number)
            await answer(scope, receive, sending)
        except ConnectionError:
            status = status or 499  # the caller has left; nobody is answered
        finally:
            self._tell(known, route, status, perf_counter() - began, number)

    async def _found(self, scope: Message, request: Request, number: str) -> tuple[str, Response]:
        """The template of the route, and the answer."""
        route = ""
        try:
            heads = request.headers
            self._hosts.check(
                heads.get("host", ""), heads.get("origin", ""), heads.get("sec-fetch-site", "")
            )
            route, endpoint = self._routed(scope, request)
            return route, await endpoint(request)
        except InputError as error:
            if error.data.get("parameter") is not None:
                error = Refused(400, error.message, remedy=error.remedy, **error.data)  # type: ignore[assignment] # both have what is told
            return route, self._refused(error)
        except MindError as error:
            return route, self._refused(error)
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - the boundary: the reason goes to the log
            _log.exception("failed", extra={"request": number, "route": route})
            failed = Refused(500, "it failed unexpectedly", remedy=f"See the log for {number}.")
            return route, self._refused(failed)

    def _refused(self, error: MindError) -> Response:
        answer = answered_error(error)
        self._service.metrics.refused[f"{answer.status_code}"] += 1
        return answer

    def _routed(self, scope: Message, request: Request) -> tuple[str, Endpoint]:
        path, methods = scope["path"], self._exact.get(scope["path"])
        route = path
        if methods is None:
            route, methods = self._matched(scope, path)
        method = request.method
        wanted = "GET" if method == "HEAD" and "GET" in methods else method
        if wanted not in methods:
            allowed = ", ".join(sorted(methods))
            raise Refused(
                405,
                f"{method[:20]} is not done here",
                remedy=f"Use {allowed}.",
                headers={"Allow": allowed},
            )
        return route, methods[wanted]

    def _matched(self, scope: Message, path: str) -> tuple[str, dict[str, Endpoint]]:
        for route, pattern, _, methods in self._routes:
            found = pattern.match(path)
            if found and "{" in route:
                scope["path_params"] = found.groupdict()
                return route, methods
        raise Refused(404, "there is nothing at this address", remedy="See /openapi.json.")

    def _tell(self, request: Request, route: str, status: int, seconds: float, number: str) -> None:
        method = request.method if request.method in _METHODS else "OTHER"
        self._service.metrics.add(route or "none", method, status, seconds)
        _log.info(
            "answered",
            extra={
                "request": number,
                "route": route or "none",
                "method": method,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "token": getattr(request.state, "token", ""),
                "client": request.client.host if request.client else "",
            },
        )


def _completed(headers: list[tuple[bytes, bytes]], number: str) -> list[tuple[bytes, bytes]]:
    there = {name.lower() for name, _ in headers}
    more = [*HEADERS, ("X-Request-Id", number), _CLOSED]
    return [
        *headers,
        *(
            (name.lower().encode(), value.encode())
            for name, value in more
            if name.lower().encode() not in there
        ),
    ]
