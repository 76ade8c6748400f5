"""The folders that a client states as its roots, asked for when a path leads out of the project.

Revisions of the protocol differ in how a server asks: up to 2025-11-25 by a request of its own,
then by an answer that the client completes. Whoever does not say that it has roots, or does not
tell them in time, has none.
"""

import logging
from pathlib import Path
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, InputRequiredResult, ListRootsRequest, ListRootsResult

_KEY = "roots"
_SECONDS = 2.0
_FIRST_WITHOUT_REQUESTS = "2026-07-28"
_log = logging.getLogger("mind.server")


async def stated(
    context: ServerRequestContext[Any, Any], params: CallToolRequestParams
) -> tuple[Path, ...] | InputRequiredResult:
    """The client's roots, or the answer that asks for them."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return ()
    if context.protocol_version >= _FIRST_WITHOUT_REQUESTS:
        told = (params.input_responses or {}).get(_KEY)
        if told is None:
            return InputRequiredResult(input_requests={_KEY: ListRootsRequest()})
        return _paths(told) if isinstance(told, ListRootsResult) else ()
    try:
        return _paths(
            await context.session.send_request(
                ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_SECONDS
            )
        )
    except Exception as error:  # the boundary: whatever the client does wrong, it has no roots
        _log.info("the client does not tell its roots: %s", error)
        return ()


def _paths(told: ListRootsResult) -> tuple[Path, ...]:
    from mind.memory.file_reads.giving import roots_of  # noqa: PLC0415 - only where a file is read

    return roots_of(str(one.uri) for one in told.roots)
