"""`mind mcp`, `serve`, `ui` and `token`: the servers, and access tokens."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, note, present, say, show_json, table
from mind.memory.as_json import plain
from mind.storage import tokens
from mind.storage.tokens import Token


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 picks a free one.")] = 8765,
    project: Annotated[
        list[Path] | None,
        typer.Option(help="Serve the project in this folder. Repeatable.", metavar="PATH"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Serve all registered projects.")
    ] = False,
    toolsets: Annotated[
        str, typer.Option(help="MCP toolsets to offer, comma-separated, or `all`.")
    ] = "core",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Host name to accept requests for. Repeatable.", metavar="NAME"),
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option(help="Trust forwarded headers from a local reverse proxy.")
    ] = False,
    rate: Annotated[
        float | None,
        typer.Option(help="Maximum requests per second per caller; 0 means no limit."),
    ] = None,
    page: Annotated[
        bool,
        typer.Option("--page", help="Print a link to the web page, with a token for this run."),
    ] = False,
) -> None:
    """Serve memories over HTTP: a REST API, MCP at /mcp, and a web page.

    By default it listens on this machine only, and prints a token for this run unless you created
    one with `mind token add`. To serve other machines, create a token and use a TLS proxy.
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


_VARIABLE = "MIND_TOKEN"


def mcp(
    context: typer.Context,
    toolsets: Annotated[
        str,
        typer.Option(
            help="Toolsets to offer, comma-separated: core, search, time, graph, curate, files; or "
            "`all`."
        ),
    ] = "core",
    remote: Annotated[
        str,
        typer.Option(help="Forward to the `mind serve` service at this address.", metavar="URL"),
    ] = "",
    token_env: Annotated[
        str,
        typer.Option(help="Environment variable with the service's token.", metavar="NAME"),
    ] = _VARIABLE,
) -> None:
    """Serve this memory to an agent over MCP on standard input and output.

    With --remote, serve the memory of another machine, for example https://mind.example.org or
    https://mind.example.org?project=NAME. Code checked with mind_edges stays on this machine.
    """
    forwarding = (remote, token_env) if remote else ()
    context.obj.mcp(toolsets, *forwarding)


def ui(
    context: typer.Context,
    opened: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in your browser.")
    ] = True,
    port: Annotated[int, typer.Option(help="Port; 0 picks a free one.")] = 8766,
    project: Annotated[
        list[Path] | None,
        typer.Option(help="Show the project in this folder. Repeatable.", metavar="PATH"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show all registered projects.")
    ] = False,
) -> None:
    """Browse this memory in a browser: search, timeline, graph, health, reminders, archive.

    The page is served on this machine only, until you press Ctrl-C. The printed address works once;
    for another browser, run the command again.
    """
    context.obj.http(
        port=port,
        projects=tuple(project or ()),
        everything=everything,
        page=True,
        shown=_open if opened else lambda _address: None,
    )


def _open(address: str) -> None:
    """Open the page in the background, unless there is no graphical browser."""
    import webbrowser  # noqa: PLC0415 - only for this command
    from threading import Thread  # noqa: PLC0415 - the same

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # a text-mode browser would take over the service's terminal
    if type(browser) is webbrowser.GenericBrowser and not os.environ.get("BROWSER"):
        return
    Thread(target=browser.open, args=(address,), daemon=True).start()


token = group("Create, list and revoke access tokens for `mind serve`.")


@token.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the token.")],
    scope: Annotated[str, typer.Option(help="Scope: read, write or admin.")] = "read",
    expires: Annotated[str, typer.Option(help="Lifetime: 12h, 30d, 8w. Default: no expiry.")] = "",
    project: Annotated[
        list[str] | None,
        typer.Option(help="Name or id of a project it gives access to. Repeatable. Default: all."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a token. It is shown only once, as Mind stores only its hash."""
    secret, made = tokens.add(
        name, scope, datetime.now(UTC), expires=expires, projects=project or []
    )
    if as_json:
        show_json({**_json(made), "token": secret})
        return
    say(secret)
    end = f", until {made.expires:%Y-%m-%d %H:%M} UTC" if made.expires else ""
    note(f"Token {made.name}, scope {made.scope.value}{end}. It will not be shown again.")


@token.command("list")
def list_(as_json: AsJson = False) -> None:
    """List tokens, without their secrets."""
    present(tokens.listed(), _show_tokens, as_json=as_json, form=lambda known: [*map(_json, known)])


def _show_tokens(known: Sequence[Token]) -> None:
    now = datetime.now(UTC)
    rows = [
        (
            one.name,
            one.scope.value,
            one.created.isoformat(),
            _end(one, now),
            str(one.used or "never"),
            ", ".join(one.projects) or "all",
        )
        for one in known
    ]
    table(
        ("name", "scope", "created", "expires", "last used", "projects"),
        rows,
        none="No tokens. Run `mind token add NAME` to create one.",
    )


@token.command()
def revoke(
    name: Annotated[str, typer.Argument(help="Name of the token, as listed by `mind token list`.")],
    as_json: AsJson = False,
) -> None:
    """Revoke a token; running services reject it from now on."""
    gone = tokens.revoke(name)
    present(gone, f"Revoked {gone.name}.", as_json=as_json, form=_json)


def _json(one: Token) -> dict[str, Any]:
    shown: dict[str, Any] = plain(one)
    del shown["digest"]
    return shown


def _end(one: Token, now: datetime) -> str:
    if one.expires is None:
        return "never"
    return "expired" if one.is_expired(now) else one.expires.date().isoformat()
