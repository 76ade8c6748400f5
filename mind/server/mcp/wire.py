"""The connection to a client: fixes around the SDK's transport, and the client's roots.

A language model may stop in the middle of an emoji. JSON then contains a lone surrogate, the SDK
silently drops such a line, and the client waits forever for its answer. And when input ends, the
SDK drops requests it has read but not started: the last note of a client that writes and exits
would be lost.

Protocol revisions differ in how a server asks for roots: up to 2025-11-25 with a request of its
own, later with an answer that the client completes. A client that does not declare roots, or does
not send them in time, has none.
"""

import json
import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    CallToolRequestParams,
    InputRequiredResult,
    JSONRPCRequest,
    ListRootsRequest,
    ListRootsResult,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from mind.server.mcp.stdio import Handshake, leave

_PATIENCE = 10.0
"""Seconds that unanswered requests have after the end of input."""
_ROOTS = "roots"
_ROOTS_SECONDS = 2.0
_FIRST_WITHOUT_REQUESTS = "2026-07-28"
_log = logging.getLogger("mind.server")

Received = SessionMessage | Exception


def serve(server: Server[Any], handshake: Handshake) -> None:
    """Run ``server`` on standard input and output until the client closes either.

    Args:
        server: The server; it first reads the lines that ``handshake`` has read.
        handshake: The handshake; it knows its answers, and caches further ones.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

    async def session() -> None:
        async with stdio_server() as (incoming, outgoing):
            answers = Answers(outgoing, handshake)
            requests = Requests(incoming, answers, handshake.lines)
            try:
                await server.run(requests, answers, server.create_initialization_options())
            except anyio.get_cancelled_exc_class():
                # output broke; the thread that waits for input would keep the process alive
                leave()
            finally:
                sys.stdout.flush()  # what was printed goes to standard error as long as we serve

    try:
        anyio.run(session)
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client left without waiting for its answer


class Answers(ObjectSendStream[SessionMessage]):
    """The stream to the client, with the unanswered requests."""

    def __init__(self, stream: Any, handshake: Handshake) -> None:  # noqa: ANN401 - not exported
        self._stream = stream
        self._handshake = handshake
        self._waiting: set[RequestId | None] = set()
        self._none_waits: anyio.Event | None = None

    async def send(self, item: SessionMessage, /) -> None:
        """Send ``item``, unless the client has this answer; an answer settles its request."""
        if isinstance(item.message, JSONRPCRequest):  # the server's own, by numbers of its own
            await self._stream.send(item)
            return
        request = getattr(item.message, "id", None)
        if self._handshake.is_new(request, getattr(item.message, "result", None)):
            await self._stream.send(item)
        self._waiting.discard(request)
        if self._none_waits and not self._waiting:
            self._none_waits.set()

    async def aclose(self) -> None:
        """Close the wrapped stream."""
        await self._stream.aclose()

    def expect(self, request: JSONRPCRequest) -> None:
        """Note that ``request`` was read."""
        self._waiting.add(request.id)
        self._handshake.expect(request.id, request.method, request.params)

    async def settled(self) -> None:
        """Wait until every request is answered, with a time limit."""
        if self._waiting:
            self._none_waits = anyio.Event()
            with anyio.move_on_after(_PATIENCE):
                await self._none_waits.wait()


class Requests(ObjectReceiveStream[Received]):
    """The stream from the client, with repaired lines; it ends when all requests are answered."""

    def __init__(self, stream: Any, answers: Answers, early: Iterable[bytes]) -> None:  # noqa: ANN401 - as above
        self._stream = stream
        self._answers = answers
        self._early = iter(early)

    @property
    def last_context(self) -> object:
        """The SDK's context of the last item."""
        return self._stream.last_context

    async def receive(self) -> Received:
        """Return the next item.

        Raises:
            anyio.EndOfStream: The client closed the stream, and every request is answered.
        """
        try:
            line = next(self._early, None)
            item = mended(parsed(line) if line is not None else await self._stream.receive())
        except anyio.EndOfStream:
            await self._answers.settled()
            raise
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
            self._answers.expect(item.message)
        return item

    async def aclose(self) -> None:
        """Close the wrapped stream."""
        await self._stream.aclose()


def parsed(line: bytes) -> Received:
    """Return the message in ``line``, or the error, as the SDK's reader does."""
    try:
        text = line.decode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error


def mended(item: Received) -> Received:
    """Return ``item``, or the message of a line that was invalid only for lone surrogates."""
    if not isinstance(item, ValidationError):
        return item
    line = item.errors()[0]["input"]
    if not isinstance(line, str):
        return item
    try:
        whole = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except (ValueError, RecursionError):
        return item


async def roots(
    context: ServerRequestContext[Any, Any], params: CallToolRequestParams
) -> tuple[Path, ...] | InputRequiredResult:
    """Return the client's roots, or the answer that asks for them."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return ()
    if context.protocol_version >= _FIRST_WITHOUT_REQUESTS:
        told = (params.input_responses or {}).get(_ROOTS)
        if told is None:
            return InputRequiredResult(input_requests={_ROOTS: ListRootsRequest()})
        return _paths(told) if isinstance(told, ListRootsResult) else ()
    try:
        return _paths(
            await context.session.send_request(
                ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS
            )
        )
    except Exception as error:  # the boundary: a client that fails here has no roots
        _log.info("the client did not send its roots: %s", error)
        return ()


def _paths(told: ListRootsResult) -> tuple[Path, ...]:
    from mind.memory.file_reads.giving import roots_of  # noqa: PLC0415 - only where a file is read

    return roots_of(str(one.uri) for one in told.roots)
