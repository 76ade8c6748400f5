"""`mind projects`: the projects of this user."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json, table
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(projects)


def projects(
    prune: Annotated[
        bool, typer.Option("--prune", help="Take projects that are gone off the list.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the registered projects, which `mind search --all` covers."""
    roots, gone = Memory.projects(prune=prune)
    if as_json:
        show_json([{"name": root.name, "path": root} for root in roots])
        return
    for root in gone:
        say(f"Gone: {root}")
    if roots:
        table(("name", "path"), [(root.name, str(root)) for root in roots])
    else:
        say("No projects yet. `mind init` registers one.")
