"""The MCP server: lists tools, calls them, and turns errors into answers."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ToolDefinition

from mind import __version__
from mind.domain.errors import MindError, PathOutside, ProjectError
from mind.memory import wording
from mind.memory.memory import Memory
from mind.server.mcp import wire
from mind.server.mcp.tool import Tool
from mind.server.mcp.tools import INSTRUCTIONS, chosen
from mind.storage.process import GIT_SECONDS, Patience

_UNEXPECTED = (
    "failed unexpectedly; no data was lost. Run `mind doctor` in the project. The server's "
    "standard error shows the cause."
)
_FRESH = CacheHint(ttl_ms=3_600_000)
"""Instructions and tools do not change while the server runs."""
_log = logging.getLogger("mind.server")

Opener = Callable[[], Memory]
OpenerIn = Callable[[Path], Memory]
Caller = Callable[[Tool, str, dict[str, Any] | None, object], Awaitable[tuple[str, bool]]]
"""Function that answers a call: tool, called name, arguments, HTTP request."""


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=tool.reads_only,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta={"anthropic/alwaysLoad": True} if tool.always else None,
    )


def build(
    open_memory: Opener,
    toolsets: str = "core",
    after: Callable[[], None] = lambda: None,
    open_in: OpenerIn | None = None,
    call: Caller | None = None,
) -> Server[Any]:
    """Build a server whose tools work on the memory that ``open_memory`` opens for each call.

    Args:
        open_memory: Opens the memory.
        toolsets: Comma-separated names, or "all".
        after: Called after each tool call.
        open_in: Opens the memory of a folder that the client declares as a root, if
            ``open_memory`` finds none: a client for all projects may start the server anywhere.
            None if the project was named.
        call: Answers calls instead of the local tools.

    Raises:
        InputError: A toolset is unknown.
    """
    tools = {tool.name: tool for tool in chosen(toolsets)}
    definitions = [_definition(tool) for tool in tools.values()]
    turn = anyio.Lock()

    async def answered(
        tool: Tool,
        params: CallToolRequestParams,
        opener: Opener,
        others: Sequence[Path] | None = None,
    ) -> tuple[str, bool]:
        """Answer in a thread, one call at a time; pings are answered meanwhile."""
        work = partial(answer, tool, params.name, params.arguments, opener, others)
        async with turn:
            return await anyio.to_thread.run_sync(work)

    async def listed(_context: object, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=definitions)

    async def called(
        context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        tool = tools.get(params.name)
        if (
            tool is None
        ):  # the protocol requires an error here; tool errors are answers for the model
            raise MCPError(INVALID_PARAMS, f"unknown tool {params.name[:100]!r}; list the tools")
        if call is not None:
            text, failed = await call(tool, params.name, params.arguments, context.request)
        else:
            try:
                text, failed = await answered(tool, params, open_memory)
            except (PathOutside, ProjectError):
                others = await wire.roots(context, params)
                if isinstance(others, InputRequiredResult):
                    return others
                opener = _first(open_memory, open_in, others)
                text, failed = await answered(tool, params, opener, others)
            after()
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "mind",
        title="Mind",
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints={"server/discover": _FRESH, "tools/list": _FRESH},
        get_tool_input_schema=lambda name: tools[name].schema if name in tools else None,
        on_list_tools=listed,
        on_call_tool=called,
    )


def answer(  # noqa: PLR0913 - independent options, by name only
    tool: Tool,
    name: str,
    arguments: dict[str, Any] | None,
    open_memory: Opener,
    others: Sequence[Path] | None = None,
    *,
    keep: bool = False,
) -> tuple[str, bool]:
    """Answer a call: the text and whether it failed. The only place where errors become answers.

    Args:
        tool: The called tool.
        name: The name it was called by.
        arguments: The arguments as given.
        open_memory: Opens the memory.
        others: Further folders that a rooted tool may read; None if the client was not asked yet.
        keep: Leave the memory open after a successful call; the caller closes it.

    Raises:
        PathOutside: A rooted tool needs the client's roots.
        ProjectError: No memory was found; the client's roots may have one.
    """
    memory: Memory | None = None
    try:
        checked = tool.check(arguments or {})
        if tool.rooted:
            checked["roots"] = others or ()
        with Patience(GIT_SECONDS) as waiting:
            memory = open_memory()
            text = tool.run(memory, **checked).encode("utf-8", "replace").decode("utf-8")
        if waiting.problem and waiting.problem not in text:
            text += f"\n- {waiting.problem}"
    except MindError as error:
        asks = isinstance(error, ProjectError) or (isinstance(error, PathOutside) and tool.rooted)
        if asks and others is None:
            raise
        return wording.failed(error), True
    except Exception:  # the boundary: the reason goes to the log, not to the model
        _log.exception("%s failed", name)
        return f"{name} {_UNEXPECTED}", True
    else:
        memory = None if keep else memory
        return text, False
    finally:
        if memory is not None:
            _close(memory)


def _first(open_memory: Opener, open_in: OpenerIn | None, others: Sequence[Path]) -> Opener:
    """Return an opener that falls back to the first of ``others`` with a memory."""

    def opened() -> Memory:
        try:
            return open_memory()
        except ProjectError:
            if open_in is None:
                raise
            for folder in others:
                with suppress(ProjectError):
                    return open_in(folder)
            raise

    return opened


def _close(memory: Memory) -> None:
    """Close ``memory``; errors are logged and do not change the call's answer."""
    try:
        memory.close()
    except MindError as error:
        _log.warning("closing failed: %s", error)
    except Exception:  # the same boundary, after the answer is known
        _log.exception("closing failed")


async def list_tools(toolsets: str = "core") -> list[dict[str, Any]]:
    """Return the tools as sent to clients."""
    return [
        _definition(tool).model_dump(by_alias=True, exclude_none=True, mode="json")
        for tool in chosen(toolsets)
    ]
