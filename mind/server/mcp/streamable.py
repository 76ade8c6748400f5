"""MCP over HTTP: stateless, one JSON answer per request.

The HTTP service authenticates the caller and runs tools on the requested memory.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response

from mind.domain.errors import InputError, MindError
from mind.memory import wording
from mind.memory.memory import Memory
from mind.server.mcp import app
from mind.server.mcp.tool import Tool
from mind.server.mcp.tools import TOOLSETS

_STATE = "mind.call"
"""Key in the ASGI scope for the caller's rights and the function that runs tools."""
_FILES = "files"
_LONGEST_BODY = 1_048_576
"""Bytes; the HTTP service allows as many."""


Run = Callable[[Callable[[Memory], tuple[str, bool]], bool], Awaitable[tuple[str, bool]]]
"""Function that runs a tool call on the requested memory, in a thread: the call, and whether the
memory stays open for the next one because nothing is written."""


class Endpoint:
    """The MCP endpoint at one address.

    Args:
        toolsets: Comma-separated names, or "all".

    Raises:
        InputError: A toolset is unknown.
    """

    def __init__(self, toolsets: str = "core") -> None:
        server = app.build(_closed, _without_files(toolsets), call=_called)
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=_LONGEST_BODY
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the endpoint until the context exits."""
        return self._manager.run()

    async def answer(self, request: Request, body: bytes, run: Run, *, may_write: bool) -> Response:
        """Answer one request.

        Args:
            request: The request; its body has been read.
            body: The body.
            run: Runs a function on the requested memory, in a thread.
            may_write: True if tools that write may be called.
        """
        scope = {**request.scope, _STATE: (run, may_write)}
        return _Answer(self._manager, scope, body)


class _Answer(Response):
    """The SDK's answer, which the SDK sends itself."""

    def __init__(
        self, manager: StreamableHTTPSessionManager, scope: dict[str, Any], body: bytes
    ) -> None:
        super().__init__()
        self._manager, self._scope, self._body = manager, scope, body

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Send it; the SDK receives the body that was read."""
        del scope
        left = [{"type": "http.request", "body": self._body, "more_body": False}]

        async def replayed() -> MutableMapping[str, Any]:
            return left.pop() if left else await receive()

        await self._manager.handle_request(self._scope, replayed, send)


def _without_files(toolsets: str) -> str:
    """Return the toolsets without ``files``, which returns files of the project.

    Raises:
        InputError: ``files`` was requested by name.
    """
    named = [name.strip() for name in toolsets.split(",")]
    if _FILES in named:
        raise InputError(
            "the toolset files is not served over a network",
            remedy="Omit it; `mind mcp --remote` reads files on the client's machine.",
        )
    return ",".join(name for name in TOOLSETS if name != _FILES) if "all" in named else toolsets


def _closed() -> Memory:
    raise InputError("there is no memory outside of a request")


async def _called(
    tool: Tool, name: str, arguments: Mapping[str, Any] | None, request: object
) -> tuple[str, bool]:
    """Answer a call: the text and whether it failed."""
    asked: tuple[Run, bool] = getattr(request, "scope", {})[_STATE]
    run, may_write = asked
    if not tool.reads_only and not may_write:
        refusal = InputError(
            f"{tool.name} writes, but this token is read-only",
            remedy="Use a token with the scope write.",
        )
        return wording.failed(refusal), True
    try:
        return await run(
            lambda memory: app.answer(
                tool, name, dict(arguments or {}), lambda: memory, (), keep=tool.reads_only
            ),
            tool.reads_only,
        )
    except MindError as error:
        return wording.failed(error), True
