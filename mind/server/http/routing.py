"""Routes: what resources declare, and the checks and answers they share."""

import hashlib
import inspect
import json
import re
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
from mind.memory.plain import plain
from mind.server.http.access import Refused
from mind.server.http.models import Among
from mind.storage.tokens import Scope
from mind.text.secrets import mask

if TYPE_CHECKING:
    from mind.memory.memory import Memory
    from mind.server.http.access import Grant
    from mind.server.http.app import Service


JSON = "application/json"
PROBLEM = "application/problem+json"
"""The media type of an error (RFC 9457, section 3)."""
T = TypeVar("T", bound=Callable[..., Any])
TITLES = {
    304: "Nothing has changed since the version in If-None-Match",
    400: "The request does not fit its description",
    401: "A token is needed",
    403: "Not allowed",
    404: "Not found",
    405: "Not done here",
    408: "The request took too long",
    409: "It cannot be done as things are, or several projects could be meant",
    412: "It was changed meanwhile",
    413: "The body is too large",
    415: "The body is no JSON",
    421: "Another host",
    422: "It was understood and cannot be used",
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
"""The status of an error and of what is derived from it; of any other, 500."""
_INVALID = {
    "missing": "is missing",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "string_too_short": "is shorter than {min_length} characters",
    "string_too_long": "is longer than {max_length} characters",
    "string_pattern_mismatch": "does not match {pattern}",
    "greater_than_equal": "is below {ge}",
    "less_than_equal": "is above {le}",
    "too_short": "has fewer than {min_length} items",
    "too_long": "has more than {max_length} items",
    "literal_error": "is none of {expected}",
    "string_unicode": "contains half of a character",
}
"""Messages for the validation errors of pydantic, by type."""


def encoded(value: object) -> bytes:
    """Encode values as JSON; lone surrogates, which no reader takes, become question marks."""
    text = json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=plain
    )
    return text.encode("utf-8", "replace")


def etag(body: bytes) -> str:
    """Return the strong validator of an answer: a hash of its bytes, so it cannot be out of date.

    An answer depends on more than the files of memory: the day, the usage log, what git says of
    cited paths. A hash of the files alone would call an answer current that is not.
    """
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def matches(header: str, tag: str) -> bool:
    """Return True if a list of versions names ``tag``; "*" names any (RFC 9110, section 13.1)."""
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return "*" in named or tag in named


def check_match(header: str, current: Callable[[], object]) -> None:
    """Check If-Match, as sent, against what ``current`` gives now; "" checks nothing.

    Raises:
        Refused: It is another version (412).
    """
    if header and not matches(header, etag(encoded(current()))):
        raise Refused(
            412, "the entry was changed meanwhile", remedy="Read it again, and send its new ETag."
        )


def status_of(error: MindError) -> int:
    """Return the status that an error is answered with."""
    if isinstance(error, Refused):
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
        "title": TITLES.get(status, "It failed"),
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
    """Put the first validation error into words."""
    first = error.errors()[0]
    kind, (_, *place) = first["type"], first["loc"]
    name = str(place[0]) if place else "the body"
    if kind == "json_invalid":
        return Refused(400, "the body is not JSON", remedy="Correct it.")
    if kind == "extra_forbidden":
        message = f"there is no member {name!r}"
    elif not place:
        return Refused(400, "the body is no object", remedy="Send an object.")
    else:
        message = f"{name} " + _INVALID.get(kind, first["msg"]).format(**first.get("ctx", {}))
    status = 422 if kind == "string_unicode" else 400
    return Refused(status, message, remedy="Correct it and send it again.", parameter=name)


class Route(APIRoute):
    """A route that checks the caller, the parameters' names and the body before it runs."""

    @cached_property
    def _query(self) -> Mapping[str, Any]:
        """The types of the query parameters, by name."""
        flat = get_flat_params(self.dependant)
        kinds = {one.alias: one.field_info for one in flat}
        return {n: i.annotation for n, i in kinds.items() if isinstance(i, params.Query)}

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return what answers."""
        return partial(self._handle, super().get_route_handler())

    async def _handle(self, run: Callable[[Request], Any], request: Request) -> Response:
        service: Service = request.app.state.service
        needed = (self.openapi_extra or {}).get("x-scope")
        request.state.grant = service.grant(request, needed and Scope(needed))
        self._check_query(request.query_params.multi_items())
        sent = await self._body(service, request)
        answer: Response = await run(_replaced(request, sent))
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
        """Check names and forms: pydantic would take the last of two values, and "yes" for true.

        Raises:
            Refused: One is unknown, repeated, or not written as JSON writes it (400).
        """
        seen = set()
        for name, value in sent:
            kind = self._query.get(name)
            wrong = ""
            if name not in self._query:
                raise Refused(
                    400,
                    f"there is no parameter {name!r}",
                    remedy=f"Parameters: {', '.join(self._query) or 'none'}.",
                    parameter=name,
                )
            if kind is int and not re.fullmatch(r"-?(0|[1-9]\d{0,8})", value):
                wrong = "must be a whole number"
            elif kind is bool and value not in ("true", "false"):
                wrong = "must be true or false"
            elif kind in (int, bool, str) and name in seen:
                wrong = "is given more than once"
            if wrong:
                remedy = "Correct it and send it again."
                raise Refused(400, f"{name} {wrong}", remedy=remedy, parameter=name)
            seen.add(name)

    async def _body(self, service: "Service", request: Request) -> bytes:
        sent = await service.body(request)
        if not sent.strip():
            return b"{}" if self.body_field else b""
        if not self.body_field:
            raise Refused(400, "this takes no body", remedy="Send none.")
        if not request.headers.get("content-type", "").lower().startswith(JSON):
            raise Refused(415, "the body is not JSON", remedy=f"Send it as {JSON}.")
        return sent


def _replaced(request: Request, body: bytes) -> Request:
    """Return the request with a body that was read and is JSON."""

    async def received() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    there = [one for one in request.scope["headers"] if one[0] != b"content-type"]
    return Request(
        {**request.scope, "headers": [*there, (b"content-type", JSON.encode())]}, received
    )


class Caller:
    """The caller of a request, and the threads that its work runs in."""

    def __init__(self, request: Request) -> None:
        self.service: Service = request.app.state.service
        self.grant: Grant = request.state.grant
        self.is_read = request.method == "GET"

    async def answer(self, work: Callable[[], object]) -> Response:
        """Answer with what ``work`` gives in a thread."""
        body = await self.service.in_thread(lambda: encoded(work()))
        return Response(body, media_type=JSON)


class Project(Caller):
    """The project that a request names."""

    def __init__(self, request: Request, name: str) -> None:
        super().__init__(request)
        self.place = self.service.served.place(name, self.grant)

    async def __call__(self, work: "Callable[[Memory], object]") -> Response:
        """Answer with what ``work`` gives of the project's memory."""
        return await self.answer(
            lambda: self.service.on_memory(self.place, self.grant, work, keep=self.is_read)
        )


_NAME = "Name or id of the project, as /api/v1/projects lists it; needed if there are several."


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
    """Operations that belong together.

    Args:
        group: Their heading in the documentation.
    """

    def __init__(self, group: str) -> None:
        super().__init__(tags=[group], route_class=Route)

    def operation(  # noqa: PLR0913 - what is published of it
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

        A plain function is given the memory of the project, in a thread, and returns what is to be
        encoded. A coroutine answers by itself.

        Args:
            method: "GET", "POST" …
            path: With ``{name}`` for parameters.
            answer: Model of the answer.
            scope: The scope that a token needs; None: no token is needed.
            status: Of success.
            refusals: Statuses besides those that every operation has.
            media: Whose media type the answer has.
        """

        def added(run: T) -> T:
            endpoint = run if inspect.iscoroutinefunction(run) else _on_memory(run)
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


def _on_memory(run: Callable[..., object]) -> Callable[..., Any]:
    """Make a function of a memory and parameters answer requests."""
    signature = inspect.signature(run)
    taken = list(signature.parameters.values())[1:]

    async def answered(at: Project, **given: object) -> Response:
        return await at(lambda memory: run(memory, **given))

    at = inspect.Parameter("at", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=At)
    made = signature.replace(parameters=[at, *taken], return_annotation=Response)
    answered.__doc__ = run.__doc__
    answered.__signature__ = made  # type: ignore[attr-defined] # what FastAPI reads
    return answered


def _refusal(status: int) -> dict[str, Any]:
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    content = {} if status == 304 else {"content": {PROBLEM: schema}}
    return {"description": TITLES[status], **content}


class Body(BaseModel):
    """The members of a body; there are no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


def text(about: str, most: int = 200, **more: Any) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare a text in the query."""
    return Query(max_length=most, description=about, **more)


def words(about: str, most: int = 200) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare a text in the query that is not blank."""
    return text(about, most, min_length=1, pattern=r"\S")


def whole(low: int, high: int, about: str) -> Any:  # noqa: ANN401 - FastAPI's
    """Declare a whole number in the query."""
    return Query(ge=low, le=high, description=about)


def member(about: str, most: int = 200, **more: Any) -> Any:  # noqa: ANN401 - pydantic's
    """Declare a text in the body; one without a default is required, and not blank."""
    needed: dict[str, Any] = {} if "default" in more else {"min_length": 1, "pattern": r"\S"}
    return Field(max_length=most, description=about, **needed, **more)


KindName = Annotated[str, Among(Kind)]
Kinds = Annotated[Sequence[KindName], Query(max_length=20, description="Only these; repeatable.")]
Offset = Annotated[int, whole(0, 1_000_000, "Skip the first N results.")]
Id = Annotated[
    str,
    PathParameter(
        min_length=1,
        max_length=200,
        pattern=r"^[^/?#]+$",
        description="Id of an entry, as a search lists it.",
    ),
]
