"""`mind mcp`: the MCP server."""

from typing import Annotated

import typer

_VARIABLE = "MIND_TOKEN"


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
    remote: Annotated[
        str,
        typer.Option(help="Forward to the service (`mind serve`) at this address.", metavar="URL"),
    ] = "",
    token_env: Annotated[
        str, typer.Option(help="The variable that holds its token.", metavar="NAME")
    ] = _VARIABLE,
) -> None:
    """Serve this memory to an agent over MCP on standard input and output.

    With --remote it is a memory elsewhere: https://mind.example.org, or with ?project=NAME behind
    it. Code that is checked with mind_edges stays on this machine.
    """
    forwarding = (remote, token_env) if remote else ()
    context.obj.mcp(toolsets, *forwarding)
