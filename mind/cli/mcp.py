"""`mind mcp`: the MCP server."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)


def mcp(
    toolsets: Annotated[
        str, typer.Option(help="Toolsets to offer, separated by commas, or `all`.")
    ] = "core",
) -> None:
    """Serve this memory to an agent over MCP on standard input and output."""
    from mind import server  # noqa: PLC0415 - the SDK takes a second to load

    server.run(None, toolsets=toolsets)
