"""The MCP server: tools parse, call `Memory`, and render. Standard output is for the protocol only.

Importing this package does not import the SDK, which takes over a third of a second, so that signal
handlers are installed first.
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
