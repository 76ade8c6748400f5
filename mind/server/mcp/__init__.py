"""The MCP server: tools parse, call `Memory`, and render. Standard output is for the protocol only.

Importing this package does not import the SDK, which takes over a third of a second, so that signal
handlers are installed first.
"""

from mind.server.mcp.stdio import run

__all__ = ["run"]
