"""`mind mcp`: the MCP server."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)


def mcp(
    context: typer.Context,
    toolsets: Annotated[
        str,
        typer.Option(
            help="Toolsets to offer, separated by commas: core, search, time, graph, curate, "
            "files; or `all`."
        ),
    ] = "core",
) -> None:
    """Serve this memory to an agent over MCP on standard input and output."""
    context.obj(toolsets)
