"""`mind clients`: which clients know Mind's server."""

from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, note, say, show_json, table
from mind.setup import install

if TYPE_CHECKING:
    from mind.setup.clients.registrations import Registration


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(clients)


def clients(
    every: Annotated[
        bool, typer.Option("--all", "-a", help="List clients that are not on this machine too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List clients: where each looks for servers, and whether it finds Mind's there."""
    found = install.registrations()
    if as_json:
        show_json([{**_plain(one), "state": state(one)} for one in found])
        return
    shown = [one for one in found if every or one.installed or one.command or one.problem]
    if shown:
        table(
            ("client", "scope", "file", "state", "command"),
            [
                (
                    one.client,
                    one.scope,
                    install.shown(one.path),
                    state(one),
                    " ".join(one.command or ()),
                )
                for one in shown
            ],
        )
    for one in found:
        if one.problem:
            note(f"! {one.problem}. {one.remedy}")
    if len(shown) < len(found):
        others = len({one.client for one in found} - {one.client for one in shown})
        say(f"{others} more are not on this machine: `mind clients --all`.")


def state(one: "Registration") -> str:
    """In a word: registered, gone (its program is), damaged (the file is), or not registered."""
    if one.problem:
        return "damaged"
    if one.command is None:
        return "not registered"
    return "registered" if one.there else "gone"


def _plain(one: "Registration") -> dict[str, object]:
    return {
        "client": one.client,
        "scope": one.scope,
        "file": one.path,
        "installed": one.installed,
        "registered": one.command is not None,
        "command": one.command,
        "there": one.there,
        "problem": one.problem or None,
    }
