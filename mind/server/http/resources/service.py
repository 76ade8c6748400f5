"""Service operations: projects, capabilities, tokens and events."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import closing
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Header, Path, Request
from fastapi.responses import Response, StreamingResponse

from mind import __version__
from mind.domain.errors import MindError
from mind.memory import overview
from mind.server.http.access import RequestRefused, check_whole
from mind.server.http.models import members, several, shape
from mind.server.http.routing import Anyone, At, Body, Resource, member
from mind.storage import tokens as stored
from mind.storage.tokens import Scope

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.server.http.app import ServedProject, ServedProjects

API = "1.0"
"""Version of the REST API; the major number changes with breaking changes."""
PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""MCP revisions supported at /mcp."""
_log = logging.getLogger("mind.http")
_LOOK = 1.0
"""Seconds between checks for changes; each takes six `stat` calls."""
_BEAT = 15.0
"""Seconds of silence after which a comment keeps the stream alive."""
_STATE = shape("State", status=str)
_REBUILT = shape("Rebuilt", entries=int, vectors=int, problems=list[str])
_TOKEN = shape(
    "Token",
    name=str,
    scope=str,
    created=date,
    expires=datetime | None,
    used=date | None,
    projects=list[str],
)
resource = Resource("Service")


@resource.operation("GET", "/healthz", _STATE, scope=None)
def healthz(_caller: Anyone) -> object:
    """Check that the process is alive."""
    return {"status": "ok"}


@resource.operation("GET", "/readyz", _STATE, scope=None)
def readyz(caller: Anyone) -> object:
    """Check that a memory can be opened."""
    served = caller.service.served
    if all(_opens(served, place) for place in served.places(caller.grant)[:1]):
        return {"status": "ready"}
    # no details: the caller has no token
    remedy = "Run `mind doctor` on the server."
    raise RequestRefused(503, "the memory cannot be opened", remedy=remedy)


def _opens(served: "ServedProjects", place: "ServedProject") -> bool:
    """Return whether a memory opens; the reason it does not goes to the log."""
    if not place.project.folder.is_dir():  # the index would be made in memory instead
        return False
    try:
        with closing(served.open(place)) as memory:
            memory.index.meta("memory_hash")
    except MindError:
        _log.exception("not ready")
        return False
    return True


@resource.operation(
    "GET",
    "/capabilities",
    shape(
        "Capabilities",
        name=str,
        version=str,
        api=shape("Api", version=str, base=str, openapi=str),
        mcp=shape("Mcp", endpoint=str, protocols=list[str], stateless=bool),
        auth=shape("Auth", scheme=str, scopes=list[str]),
        features=list[str],
    ),
    scope=None,
)
def capabilities(_caller: Anyone) -> object:
    """Get versions and capabilities."""
    return {
        "name": "mind",
        "version": __version__,
        "api": {"version": API, "base": "/api/v1", "openapi": "/openapi.json"},
        "mcp": {"endpoint": "/mcp", "protocols": list(PROTOCOLS), "stateless": True},
        "auth": {"scheme": "bearer", "scopes": [one.value for one in Scope]},
        "features": ["facets", "etag", "if-match", "events"],
    }


class Code(Body):
    """A one-time code for this run's token."""

    code: str = member("The code after `#code=` in the address.")


@resource.operation(
    "POST", "/api/v1/session", shape("Session", token=str), scope=None, refusals=[404]
)
def session(caller: Anyone, sent: Code) -> object:
    """Exchange the one-time code in the address that `mind ui` opened for this run's token."""
    return {"token": caller.service.access.exchange(sent.code)}


@resource.operation(
    "GET",
    "/api/v1/projects",
    shape("Projects", projects=several(shape("Served", id=str, name=str))),
)
def projects(caller: Anyone) -> object:
    """List the projects that the token has access to."""
    there = caller.service.served.places(caller.grant)
    return {"projects": [{"id": one.id, "name": one.project.name} for one in there]}


@resource.operation(
    "GET",
    "/api/v1/tokens",
    shape("Tokens", tokens=several(_TOKEN)),
    scope=Scope.ADMIN,
)
def tokens(caller: Anyone) -> object:
    """List tokens, without their secrets. Not for tokens limited to projects."""
    check_whole(caller.grant)
    return {"tokens": [members(_TOKEN, one) for one in stored.listed()]}


@resource.operation(
    "DELETE",
    "/api/v1/tokens/{name}",
    shape("Revoked", revoked=str),
    scope=Scope.ADMIN,
    refusals=[404],
)
def revoke(
    caller: Anyone,
    name: Annotated[
        str,
        Path(min_length=1, max_length=64, pattern=r"^[^/?#]+$", description="Name of the token."),
    ],
) -> object:
    """Revoke a token at once. Not for tokens limited to projects."""
    check_whole(caller.grant)
    return {"revoked": stored.revoke(name).name}


@resource.operation("POST", "/api/v1/index/rebuild", _REBUILT, scope=Scope.ADMIN)
def rebuild(memory: "Memory") -> object:
    """Delete the index and rebuild it."""
    return members(_REBUILT, memory.build_index(rebuild=True))


class EventStream(StreamingResponse):
    """An event stream that frees its slot however it ends."""

    media_type = "text/event-stream"

    def __init__(self, told: AsyncIterator[bytes], leave: Callable[[], None]) -> None:
        super().__init__(told, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._leave = leave

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


@resource.operation("GET", "/api/v1/events", media=EventStream)
async def events(
    at: At,
    request: Request,
    last_event_id: Annotated[
        str, Header(alias="Last-Event-ID", description="The version the client saw last.")
    ] = "",
) -> Response:
    """Stream server-sent events, one for each change to a memory's files."""
    if request.scope["mind.method"] == "HEAD":
        return Response(media_type=EventStream.media_type)
    service = at.service
    memory = service.served.open(at.place)
    told = changes(partial(overview.versions, memory), service.leaving, last_event_id)
    service.listening.take()
    return EventStream(told, service.listening.leave)


async def changes(
    look: Callable[[], Mapping[str, str]],
    leaving: Callable[[], bool],
    last: str = "",
    every: float = _LOOK,
) -> AsyncIterator[bytes]:
    """Yield events until the service ends.

    Args:
        look: Returns the stamp of each file.
        leaving: Returns whether the service is stopping.
        last: The version the listener saw last; a newer one is sent at once.
        every: Seconds between checks.
    """
    known = dict(look())
    version = overview.version_of(known)
    name = "changed" if last not in ("", version) else "hello"
    yield _event(name, version, list(known) if name == "changed" else [])
    silent = 0.0
    while not leaving():
        await asyncio.sleep(every)
        now = dict(look())
        if now != known:
            files = [file for file in now if now[file] != known.get(file)]
            known, silent = now, 0.0
            yield _event("changed", overview.version_of(now), files)
        else:
            silent += every
        if silent >= _BEAT:
            silent = 0.0
            yield b": still here\n\n"


def _event(name: str, version: str, files: list[str]) -> bytes:
    data = json.dumps({"version": version, "files": files})
    return f"event: {name}\nid: {version}\ndata: {data}\n\n".encode()
