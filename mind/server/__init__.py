"""The MCP server: tools parse, call `Memory`, and render. Standard output is the protocol's."""

from mind.server.app import INSTRUCTIONS, build, list_tools, run

__all__ = ["INSTRUCTIONS", "build", "list_tools", "run"]
