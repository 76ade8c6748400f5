"""The application: operations, MCP, events and the page, behind one gate."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from mind.domain.errors import MindError
from mind.memory import overview
from mind.memory.memory import Memory
from mind.server.http import events, openapi, page, problem, schema
from mind.server.http.access import NOBODY, Access, Grant, check_scope, check_whole
from mind.server.http.finding import FINDING
from mind.server.http.kept import Kept
from mind.server.http.limits import Limits, Rate, Slots, body_of
from mind.server.http.matching import etag, matches
from mind.server.http.metrics import MEDIA, Metrics
from mind.server.http.operation import Call, Operation
from mind.server.http.overview import OVERVIEW
from mind.server.http.problem import Refused
from mind.server.http.recording import RECORDING
from mind.server.http.served import Place, Served
from mind.server.http.service import SERVICE
from mind.storage.tokens import Scope

OPERATIONS = (*SERVICE, *FINDING, *OVERVIEW, *RECORDING)
JSON = "application/json"
T = TypeVar("T")


class McpEndpoint(Protocol):
    """What answers at /mcp: made by the adapter that owns the protocol."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """While this is entered it answers."""

    async def answer(
        self, request: Request, body: bytes, run: "Runner", *, may_write: bool
    ) -> Response:
        """Answer one request.

        Args:
            request: Whose body was read.
            body: It.
            run: Runs a function on the memory that is meant, in a thread.
            may_write: Whether tools that write may be called.
        """


class Runner(Protocol):
    """Runs a function on a memory, in a thread."""

    async def __call__(self, work: Callable[[Memory], T], /, *, keep: bool) -> T:
        """What it gives; with ``keep``, of one that stays open."""


Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True)
class Service:
    """Everything that requests are answered with.

    Attributes:
        served: The projects.
        access: The tokens.
        limits: What is not exceeded.
        mcp: What answers at /mcp.
        changed: Called after each call on a memory.
        leaving: Whether the service ends.
    """

    served: Served
    access: Access
    limits: Limits
    mcp: McpEndpoint
    changed: Callable[[], None] = lambda: None
    leaving: Callable[[], bool] = lambda: False
    metrics: Metrics = field(default_factory=Metrics)

    @cached_property
    def threads(self) -> ThreadPoolExecutor:
        """Those that run operations."""
        return ThreadPoolExecutor(self.limits.threads, thread_name_prefix="operation")

    @cached_property
    def running(self) -> Slots:
        """Places for operations."""
        return Slots(self.limits.running, "operations")

    @cached_property
    def listening(self) -> Slots:
        """Places for streams of events."""
        return Slots(self.limits.listeners, "listeners")

    @cached_property
    def rate(self) -> Rate:
        """Of requests."""
        return Rate(self.limits.rate, self.limits.burst)

    @cached_property
    def failures(self) -> Rate:
        """Of wrong tokens."""
        return Rate(self.limits.failures / 10, self.limits.failures)

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """While it serves."""
        async with self.mcp.running():
            yield
        self.kept.close_in(self.threads, self.limits.threads)
        self.threads.shutdown(wait=True)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """What ``work`` gives in one of the threads."""
        async with self.running.one():
            return await asyncio.get_running_loop().run_in_executor(self.threads, work)

    def grant(self, request: Request, wanted: Scope | None) -> Grant:
        """What the request may do; counts it.

        Raises:
            Refused: Too little, or too often.
        """
        client = request.client.host if request.client else ""
        if wanted is None:
            self.rate.take(client)
            return NOBODY
        self.failures.check(client)
        try:
            grant = self.access.grant(request.headers.get("authorization", ""))
        except Refused:
            self.failures.take(client)
            raise
        request.state.token = grant.name
        self.rate.take(f"token {grant.name}")
        check_scope(grant, wanted)
        if self.access.is_unnoted(grant):
            self.threads.submit(self.access.note, grant)
        return grant

    @cached_property
    def kept(self) -> Kept:
        """Memories that stay open."""
        return Kept(self.served)

    def on_memory(
        self, place: Place, grant: Grant, work: Callable[[Memory], T], *, keep: bool = False
    ) -> T:
        """What ``work`` gives of a memory; with ``keep``, which stays open in this thread."""

        def limited(memory: Memory) -> T:
            memory.workspace.sees_others = grant.opens_all and self.served.serves_all
            return work(memory)

        try:
            return self.kept.use(place, limited, keep=keep)
        finally:
            self.changed()


def endpoints(service: Service) -> dict[str, dict[str, Endpoint]]:
    """What answers: path, with its parameters in braces → method → how."""
    found: dict[str, dict[str, Endpoint]] = {}
    for one in OPERATIONS:
        found.setdefault(one.path, {})[one.method] = partial(_operate, service, one)
    document = problem.encoded(openapi.document(OPERATIONS))
    found["/openapi.json"] = {"GET": partial(_document, service, document)}
    found["/metrics"] = {"GET": partial(_metrics, service)}
    found["/api/v1/events"] = {"GET": partial(_events, service)}
    found["/mcp"] = {"POST": partial(_mcp, service)}
    for path, (file, media) in page.files().items():
        found[path] = {"GET": partial(_file, file=file, media=media)}
    return found


async def _operate(service: Service, one: Operation, request: Request) -> Response:
    grant = service.grant(request, one.scope)
    if one.of_all:
        check_whole(grant)
    given = dict(_from_path(one, request)) | _from_query(one, request)
    body = await _body(service, one, request)
    given |= schema.completed(one.at("body"), body)
    place = service.served.place(given.pop("project", ""), grant) if one.of_project else None
    call = partial(
        Call,
        given=given,
        served=service.served,
        grant=grant,
        if_match=request.headers.get("if-match", "") if one.may_match else "",
        exchange=service.access.exchange,
    )

    def work() -> bytes:
        if place is None:
            return problem.encoded(one.run(call()))
        done = service.on_memory(
            place, grant, lambda memory: one.run(call(memory=memory)), keep=one.is_read
        )
        return problem.encoded(done)

    return _answered(request, one, await service.in_thread(work))


def _answered(request: Request, one: Operation, body: bytes) -> Response:
    if not one.is_read:
        return Response(body, one.status, media_type=JSON)
    headers = {"ETag": etag(body), "Cache-Control": "private, no-cache"}
    if matches(request.headers.get("if-none-match", ""), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(body, one.status, headers=headers, media_type=JSON)


def _from_path(one: Operation, request: Request) -> Mapping[str, Any]:
    return schema.completed(one.at("path"), request.path_params)


def _from_query(one: Operation, request: Request) -> dict[str, Any]:
    return schema.from_query(one.at("query"), request.query_params.multi_items())


async def _body(service: Service, one: Operation, request: Request) -> Mapping[str, Any]:
    """The members of the body."""
    sent = await _bytes(service, request)
    if not one.has_body or not sent:
        if sent.strip():
            raise Refused(400, "this takes no body", remedy="Send none.")
        return {}
    if not request.headers.get("content-type", "").lower().startswith(JSON):
        raise Refused(415, "the body is not JSON", remedy=f"Send it as {JSON}.")
    try:
        value = json.loads(sent)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON", remedy="Correct it.") from None
    if not isinstance(value, dict):
        raise Refused(400, "the body is no object", remedy="Send an object.")
    return value


async def _bytes(service: Service, request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    return await body_of(request.receive, service.limits, declared)  # type: ignore[arg-type] # ASGI's receive


async def _document(service: Service, document: bytes, request: Request) -> Response:
    service.grant(request, None)
    return Response(document, media_type=JSON, headers={"ETag": etag(document)})


async def _metrics(service: Service, request: Request) -> Response:
    service.grant(request, Scope.READ)
    schema.from_query((), request.query_params.multi_items())
    service.metrics.gauges |= {
        "running": service.running.taken,
        "listeners": service.listening.taken,
    }
    return Response(service.metrics.text(), media_type=MEDIA)


_OF_EVENTS = (schema.Field(name="project", schema=schema.text(200), about=""),)


_STREAM = "text/event-stream"


class _Listened(StreamingResponse):
    """A stream of events, whose place is given back however it ends."""

    def __init__(self, told: AsyncIterator[bytes], leave: Callable[[], None]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(told, media_type=_STREAM, headers=headers)
        self._leave = leave

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


async def _events(service: Service, request: Request) -> Response:
    grant = service.grant(request, Scope.READ)
    given = schema.from_query(_OF_EVENTS, request.query_params.multi_items())
    place = service.served.place(given.get("project", ""), grant)
    if request.method == "HEAD":
        return Response(media_type=_STREAM)
    memory = service.served.open(place)
    told = events.changes(
        partial(overview.versions, memory.workspace),
        service.leaving,
        request.headers.get("last-event-id", ""),
    )
    return _Listened(told, service.listening.taken_one())


async def _mcp(service: Service, request: Request) -> Response:
    grant = service.grant(request, Scope.READ)
    body = await _bytes(service, request)
    name = request.query_params.get("project", "")

    async def run(work: Callable[[Memory], T], /, *, keep: bool) -> T:
        place = service.served.place(name, grant)
        return await service.in_thread(partial(service.on_memory, place, grant, work, keep=keep))

    return await service.mcp.answer(request, body, run, may_write=grant.scope.allows(Scope.WRITE))


async def _file(request: Request, *, file: Any, media: str) -> Response:  # noqa: ANN401 - a path
    headers = {"Content-Security-Policy": page.POLICY, "Cache-Control": "no-cache"}
    answer = FileResponse(file, media_type=media, headers=headers)
    answer.set_stat_headers(await asyncio.to_thread(file.stat))
    if matches(request.headers.get("if-none-match", ""), answer.headers["etag"]):
        # what a browser has gets the headers of this answer: they must not close the page
        return Response(status_code=304, headers=headers | {"ETag": answer.headers["etag"]})
    return answer


def answered_error(error: MindError) -> Response:
    """The answer to a request that failed."""
    status = problem.status_of(error)
    headers = error.headers if isinstance(error, Refused) else {}
    if status == 503 and "Retry-After" not in headers:
        headers = {**headers, "Retry-After": "1"}
    return Response(
        problem.encoded(problem.details(error)),
        status,
        headers={**headers, "Cache-Control": "no-store"},
        media_type=problem.MEDIA,
    )
