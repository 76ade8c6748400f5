"""`mind ui`: the page to browse and curate memory with."""

import os
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ui)


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
