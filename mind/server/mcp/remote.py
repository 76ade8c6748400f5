"""Forwarding tools to a service elsewhere; what reads the disk stays on this machine.

The code that `mind_edges` is given is not sent: it is checked here against what is known of
libraries, and the intent there against the memory. What the project is made with is looked up here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from mind.domain.errors import MindError
from mind.memory import checks
from mind.server.mcp import app, render
from mind.server.mcp.forwarding import LONGEST, Service
from mind.server.mcp.tool import Tool
from mind.server.mcp.tools import TOOLSETS

if TYPE_CHECKING:
    from mind.memory.memory import Memory

_ON_DISK = frozenset(tool.name for tool in TOOLSETS["files"])
"""Tools that read files of the project."""


class Remote:
    """What answers calls of tools instead of a memory on this machine.

    Args:
        service: Where.
        open_memory: Opens the memory on this machine, for what reads files.
    """

    def __init__(self, service: Service, open_memory: Callable[[], "Memory"]) -> None:
        self._service = service
        self._open_memory = open_memory

    async def call(
        self, tool: Tool, name: str, arguments: dict[str, Any] | None, _request: object
    ) -> tuple[str, bool]:
        """The text of a call and whether it failed."""
        return await anyio.to_thread.run_sync(self._called, tool, name, arguments or {})

    def _called(self, tool: Tool, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        if name in _ON_DISK:
            return app.answer(tool, name, dict(arguments), self._open_memory, ())
        try:
            given = tool.check(arguments)
            if name == "mind_edges":
                return self._edges(given)
            return self._service.tool(name, given)
        except MindError as error:
            return render.failed(error), True

    def _edges(self, given: Mapping[str, Any]) -> tuple[str, bool]:
        stack = given["stack"] or checks.stacks(Path.cwd())
        text, failed = self._service.tool("mind_edges", {"intent": given["intent"], "stack": stack})
        found = checks.of_code(given["code"], stack)
        if (found.edges or found.problems) and not failed:
            text = f"{text}\n\nIn the code, checked here:\n{render.checked(found, LONGEST)}"
        return text, failed
