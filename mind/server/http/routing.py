"""Routes: the declarations of resources, and the checks and answers they share."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
)

from fastapi import APIRouter, Depends, Query, Request, params
from fastapi import Path as PathParameter
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from mind.domain import errors
from mind.domain.entry import Kind
from mind.domain.errors import MindError
from mind.memory.as_json import plain
from mind.server.http.access import RequestRefused
from mind.server.http.models import among
from mind.storage.tokens import Scope, Token
from mind.text.secrets import mask

if TYPE_CHECKING:
    from mind.server.http.app import Service


JSON = "application/json"
PROBLEM = "application/problem+json"
"""The media type of an error (RFC 9457, section 3)."""
T = TypeVar("T", bound=Callable[..., Any])
TITLES = {
    304: "Not changed since the version in If-None-Match",
    400: "Invalid request",
    401: "Token required",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timed out",
    409: "Conflict with the current state, or the project is ambiguous",
    412: "Changed since it was read",
    413: "Body too large",
    415: "Body is not JSON",
    421: "Host not allowed",
    422: "Valid request, but the content was rejected",
    429: "Too many requests",
    501: "Not installed",
    503: "Busy; try again",
}
_STATUS: Mapping[type[MindError], int] = {
    errors.NotFound: 404,
    errors.InputError: 422,
    errors.Protected: 409,
    errors.ChangedMeanwhile: 409,
    errors.NotText: 409,
    errors.MarkersDamaged: 409,
    errors.ConfigError: 409,
    errors.LockTimeout: 503,
    errors.DependencyMissing: 501,
    errors.ProjectError: 404,
    errors.NewerVersion: 409,
}
"""HTTP status by error class, subclasses included; 500 for any other."""


def encoded(value: object) -> bytes:
    """Encode values as JSON; lone surrogates, which are invalid, become question marks."""
    text = json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=plain
    )
    return text.encode("utf-8", "replace")


def etag(body: bytes) -> str:
    """Return the strong validator of an answer: a hash of its bytes.

    An answer depends on more than the files of memory: the day, the usage log, and git's state of
    cited paths. A hash of the files alone would miss such changes.
    """
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def matches(header: str, tag: str) -> bool:
    """Return True if a list of versions names ``tag``; "*" names any (RFC 9110, section 13.1)."""
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return "*" in named or tag in named


def check_match(header: str, current: Callable[[], object]) -> None:
    """Check an If-Match header against the current version; "" checks nothing.

    Raises:
        RequestRefused: The version differs (412).
    """
    if header and not matches(header, etag(encoded(current()))):
        raise RequestRefused(
            412, "the entry changed since you read it", remedy="Read it again; send its new ETag."
        )


def status_of(error: MindError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, RequestRefused):
        return error.status
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


def details(error: MindError) -> dict[str, Any]:
    """Return the members of a problem document (RFC 9457)."""
    status = status_of(error)
    more = {
        name: mask(value) if isinstance(value, str) else value
        for name, value in error.data.items()
        if isinstance(value, str | int | float) and name not in ("path", "status")
    }
    return {
        "type": f"https://mind-lens.invalid/problems/{error.code}",
        "title": TITLES.get(status, "Internal error"),
        "status": status,
        "detail": f"{mask(error.message)}.",
        "remedy": mask(error.remedy),
        "code": error.code,
        **more,
    }


def refused(error: MindError) -> Response:
    """Answer a request that failed."""
    status = status_of(error)
    headers = {"Retry-After": "1"} if status == 503 else {}
    headers |= {"Cache-Control": "no-store"} | getattr(error, "headers", {})
    return Response(encoded(details(error)), status, headers=headers, media_type=PROBLEM)


def invalid(error: RequestValidationError) -> MindError:
    """Convert the first validation error to a message."""
    first = error.errors()[0]
    place = first["loc"][1:]
    name = str(place[0]) if place and first["type"] != "json_invalid" else "the body"
    status = 422 if first["type"] == "string_unicode" else 400  # fits the schema
    message = f"{name}: {first['msg']}"
    return RequestRefused(status, message, remedy="Fix it and send it again.", parameter=name)


class Route(APIRoute):
    """A route that checks the caller, the parameters' names and the body before it runs."""

    @cached_property
    def _query(self) -> Mapping[str, Any]:
        """Return the types of the query parameters, by name."""
        flat = get_flat_params(self.dependant)
        kinds = {one.alias: one.field_info for one in flat}
        return {n: i.annotation for n, i in kinds.items() if isinstance(i, params.Query)}

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return the function that answers requests."""
        return partial(self._handle, super().get_route_handler())

    async def _handle(self, run: Callable[[Request], Any], request: Request) -> Response:
        service: Service = request.app.state.service
        needed = (self.openapi_extra or {}).get("x-scope")
        request.state.grant = service.grant(request, needed and Scope(needed))
        self._check_query(request.query_params.multi_items())
        await self._check_body(request)
        answer: Response = await run(request)
        if answer.status_code == 200 and self.status_code:
            answer.status_code = self.status_code
        if "GET" not in (self.methods or ()) or answer.media_type != JSON:
            return answer
        headers = {"ETag": etag(bytes(answer.body)), "Cache-Control": "private, no-cache"}
        if matches(request.headers.get("if-none-match", ""), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        answer.headers.update(headers)
        return answer

    def _check_query(self, sent: Sequence[tuple[str, str]]) -> None:
        """Check the names, and booleans, of which pydantic would also accept "yes" or "1".

        FastAPI would take the last of several values.

        Raises:
            RequestRefused: A parameter is unknown, or not true or false, or given twice (400).
        """
        seen: set[str] = set()
        for name, value in sent:
            if name not in self._query:
                message = f"unknown parameter {name!r}"
                remedy = f"Parameters: {', '.join(self._query) or 'none'}."
                raise RequestRefused(400, message, remedy=remedy, parameter=name)
            if name in seen and self._query[name] in (int, bool, str):
                message, remedy = f"{name} is given more than once", "Send it once."
                raise RequestRefused(400, message, remedy=remedy, parameter=name)
            seen.add(name)
            if self._query[name] is bool and value not in ("true", "false"):
                message, remedy = f"{name} must be true or false", "Fix it and send it again."
                raise RequestRefused(400, message, remedy=remedy, parameter=name)

    async def _check_body(self, request: Request) -> None:
        """Read the body, which the request keeps, and check that it may have one.

        Raises:
            RequestRefused: It is too large or slow (413, 408), not JSON (415), or unexpected (400).
        """
        if not (await request.body()).strip():
            return
        if not self.body_field:
            raise RequestRefused(400, "this operation takes no body", remedy="Send no body.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise RequestRefused(415, "the body is not JSON", remedy=f"Send it as {JSON}.")


class Caller:
    """The caller of a request, and the threads that its work runs in."""

    def __init__(self, request: Request) -> None:
        self.service: Service = request.app.state.service
        self.grant: Token = request.state.grant
        self.is_read = request.method == "GET"

    def do(self, work: Callable[[Any], object]) -> object:
        """Return what ``work`` does with this caller."""
        return work(self)

    async def answer(self, work: Callable[[Any], object]) -> Response:
        """Do ``work`` in a thread and answer with its result."""
        body = await self.service.in_thread(lambda: encoded(self.do(work)))
        return Response(body, media_type=JSON)


class Project(Caller):
    """The project that a request names."""

    def __init__(self, request: Request, name: str) -> None:
        super().__init__(request)
        self.place = self.service.served.place(name, self.grant)

    def do(self, work: Callable[[Any], object]) -> object:
        """Return what ``work`` does with the project's memory."""
        return self.service.on_memory(self.place, self.grant, work, keep=self.is_read)


_NAME = "Name or id of the project, from /api/v1/projects; required if there are several."


async def _caller(request: Request) -> Caller:
    return Caller(request)


async def _project(
    request: Request,
    project: Annotated[str, Query(max_length=200, description=_NAME)] = "",
) -> Project:
    return Project(request, project)


Anyone = Annotated[Caller, Depends(_caller)]
At = Annotated[Project, Depends(_project)]


class Resource(APIRouter):
    """Group of related operations.

    Args:
        group: Heading in the documentation.
    """

    def __init__(self, group: str) -> None:
        super().__init__(tags=[group], route_class=Route)

    def operation(  # noqa: PLR0913 - independent options
        self,
        method: str,
        path: str,
        answer: Any = None,  # noqa: ANN401 - any type
        *,
        scope: Scope | None = Scope.READ,
        status: int = 200,
        refusals: Iterable[int] = (),
        media: type[Response] = JSONResponse,
    ) -> Callable[[T], T]:
        """Register a function under its name; the first line of its docstring is the summary.

        A plain function is called in a thread, with the caller if its first parameter is one, else
        with the project's memory, and returns the value to encode. A coroutine builds its own
        response.

        Args:
            method: "GET", "POST" …
            path: Path, with ``{name}`` for parameters.
            answer: Model of the answer.
            scope: Scope that the token needs; None if no token is needed.
            status: Status on success.
            refusals: Error statuses besides those of every operation.
            media: Response class that sets the media type.
        """

        def added(run: T) -> T:
            endpoint = run if inspect.iscoroutinefunction(run) else _in_thread(run)
            taken = inspect.signature(endpoint).parameters.values()
            hints = [one.annotation for one in taken]
            found = {400, 429, 503, *refusals}
            found |= {401, 403} if scope else set()
            found |= {404, 409} if At in hints else set()
            found |= {422} if hints != [Anyone] else set()
            found |= {304} if method == "GET" and media is JSONResponse else set()
            if any(isinstance(one, type) and issubclass(one, Body) for one in hints):
                found |= {413, 415}
            told: dict[int | str, dict[str, Any]] = {one: _refusal(one) for one in sorted(found)}
            if 304 in found:
                told[status] = {"headers": {"ETag": {"schema": {"type": "string"}}}}
            extra = {"x-scope": scope.value} if scope else {}
            self.add_api_route(
                path,
                endpoint,
                methods=[method],
                operation_id=run.__name__,
                summary=(run.__doc__ or "").partition("\n")[0],
                description=" ",
                status_code=status,
                response_model=answer,
                response_class=media,
                response_description="Done",
                responses=told,
                openapi_extra=extra | {"security": [{"token": []}] if scope else []},
            )
            return run

        return added


def _in_thread(run: Callable[..., object]) -> Callable[..., Any]:
    """Wrap a function of a caller or a memory, and of parameters, as an endpoint."""
    signature = inspect.signature(run)
    first, *taken = signature.parameters.values()

    async def answered(caller: Caller, **given: object) -> Response:
        return await caller.answer(partial(run, **given))

    kind = Anyone if first.annotation == Anyone else At
    caller = inspect.Parameter("caller", first.kind, annotation=kind)
    made = signature.replace(parameters=[caller, *taken], return_annotation=Response)
    answered.__doc__ = run.__doc__
    answered.__signature__ = made  # type: ignore[attr-defined] # what FastAPI reads
    return answered


def _refusal(status: int) -> dict[str, Any]:
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    content = {} if status == 304 else {"content": {PROBLEM: schema}}
    return {"description": TITLES[status], **content}


class Body(BaseModel):
    """Request body; unknown members are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)


def text(about: str, most: int = 200, **more: Any) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare a string query parameter."""
    return Query(max_length=most, description=about, **more)


def words(about: str, most: int = 200) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare a non-blank string query parameter."""
    return text(about, most, min_length=1, pattern=r"\S")


def whole(low: int, high: int, about: str) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare an integer query parameter."""
    return Query(ge=low, le=high, description=about)


def member(about: str, most: int = 200, **more: Any) -> Any:  # noqa: ANN401 - pydantic's
    """Declare a string member of a body; without a default it is required and not blank."""
    needed: dict[str, Any] = {} if "default" in more else {"min_length": 1, "pattern": r"\S"}
    return Field(max_length=most, description=about, **needed, **more)


KindName = Annotated[str, among(Kind)]
Kinds = Annotated[
    Sequence[KindName], Query(max_length=20, description="Only entries of these kinds; repeatable.")
]
Offset = Annotated[int, whole(0, 1_000_000, "Skip the first N results.")]
Id = Annotated[
    str,
    PathParameter(
        min_length=1,
        max_length=200,
        pattern=r"^[^/?#]+$",
        description="Id of an entry, as listed by a search.",
    ),
]
