"""`mind serve`: the HTTP service."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes any that is free.")] = 8765,
    project: Annotated[
        list[Path] | None,
        typer.Option(help="Serve the project in this folder; may be repeated.", metavar="PATH"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Serve every registered project.")
    ] = False,
    toolsets: Annotated[
        str, typer.Option(help="Toolsets of MCP, separated by commas, or `all`.")
    ] = "core",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name this service goes by; may be repeated.", metavar="NAME"),
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option(help="Believe a proxy on this machine who asks.")
    ] = False,
    rate: Annotated[
        float | None, typer.Option(help="Requests a second of one caller; 0: any number.")
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Print a link to the page, with a token for this run.")
    ] = False,
) -> None:
    """Serve memories over HTTP: a REST API, MCP at /mcp, and a page.

    On this machine alone by default, where a token for this run is printed unless `mind token add`
    made some. Elsewhere a token is needed, and a proxy that speaks TLS.
    """
    context.obj.http(
        host=host,
        port=port,
        projects=tuple(project or ()),
        everything=everything,
        toolsets=toolsets,
        hosts=tuple(allow_host or ()),
        behind_proxy=behind_proxy,
        rate=rate,
        page=page,
    )
