"""`mind mcp`, `serve`, `ui` and `token`: the servers, and the tokens they accept."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, note, present, say, show_json, table
from mind.memory.plain import plain
from mind.storage import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.storage.tokens import Token


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


_VARIABLE = "MIND_TOKEN"


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


def ui(
    context: typer.Context,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = (
        True
    ),
    port: Annotated[int, typer.Option(help="Port; 0 takes any that is free.")] = 8766,
    project: Annotated[
        list[Path] | None,
        typer.Option(help="Show the project in this folder; may be repeated.", metavar="PATH"),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every registered project.")
    ] = False,
) -> None:
    """Browse this memory in the browser: search, timeline, graph, health, reminders, archive.

    The page is served to this machine alone until Ctrl-C. The address that is printed opens it
    once; run the command again for another browser.
    """
    context.obj.http(
        port=port,
        projects=tuple(project or ()),
        everything=everything,
        page=True,
        shown=_open if opened else _leave,
    )


def _leave(_address: str) -> None:
    """Open nothing: the address is printed."""


def _open(address: str) -> None:
    """Open the page in the background; without a browser that has a window the address is there."""
    import webbrowser  # noqa: PLC0415 - for this command alone
    from threading import Thread  # noqa: PLC0415 - the same

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # one that is made for the terminal would take it from the service
    if type(browser) is webbrowser.GenericBrowser and not os.environ.get("BROWSER"):
        return
    Thread(target=browser.open, args=(address,), daemon=True).start()


token = group("Make, list and revoke tokens for `mind serve`.")


@token.command()
def add(
    name: Annotated[str, typer.Argument(help="By which it is listed and revoked.")],
    scope: Annotated[str, typer.Option(help="read, write or admin.")] = "read",
    expires: Annotated[
        str, typer.Option(help="How long it is valid: 12h, 30d, 8w; for ever if left out.")
    ] = "",
    project: Annotated[
        list[str] | None,
        typer.Option(help="Name or id of a project it opens; may be repeated. All if left out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token. It is shown once: only a hash of it is kept."""
    secret, made = tokens.add(
        name, scope, datetime.now(UTC), expires=expires, projects=project or []
    )
    if as_json:
        show_json({**_json(made), "token": secret})
        return
    say(secret)
    end = f", until {made.expires:%Y-%m-%d %H:%M} UTC" if made.expires else ""
    note(f"Token {made.name} allows {made.scope.value}{end}. It is not shown again.")


@token.command("list")
def list_(as_json: AsJson = False) -> None:
    """List tokens; nothing of their secrets."""
    present(tokens.listed(), _show_tokens, as_json=as_json, form=lambda known: [*map(_json, known)])


def _show_tokens(known: "Sequence[Token]") -> None:
    if not known:
        note("No tokens. `mind token add NAME` makes one.")
        return
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
    table(("name", "scope", "made", "expires", "last used", "projects"), rows)


@token.command()
def revoke(
    name: Annotated[str, typer.Argument(help="As `mind token list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Take a token away; a running service refuses it from now on."""
    gone = tokens.revoke(name)
    present(gone, f"Revoked {gone.name}.", as_json=as_json, form=_json)


def _json(one: "Token") -> dict[str, Any]:
    shown: dict[str, Any] = plain(one)
    del shown["digest"]
    return shown


def _end(one: "Token", now: datetime) -> str:
    if one.expires is None:
        return "never"
    return "expired" if one.is_expired(now) else one.expires.date().isoformat()
