"""The MCP server: tools parse, call `Memory`, and render. Standard output is the protocol's.

Importing this package does not import the SDK, which takes a good third of a second; so a signal
that arrives meanwhile finds a handler.
"""

from typing import TYPE_CHECKING, Any

from mind.server.mcp.stdio import run

if TYPE_CHECKING:
    from mind.server.mcp.app import build, list_tools
    from mind.server.mcp.tools import INSTRUCTIONS

__all__ = ["INSTRUCTIONS", "build", "list_tools", "run"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whichever it is
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mind.server.mcp import app  # noqa: PLC0415 - brings the SDK

    return getattr(app, name)
