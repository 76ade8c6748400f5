"""`mind index`: bring the search index up to date, or make it anew."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json
from mind.cli.progress import progress
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(index)


def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Throw the index away first, vectors too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Index what changed, and make the vectors that searches by meaning compare.

    Searches index what changed by themselves; this does it beforehand, and shows how far it is.
    Everything in the index comes from the files: deleting it loses nothing.
    """
    with progress(as_json=as_json) as shown:
        done = Memory.open().build_index(
            rebuild=rebuild, progress=lambda at, of: shown("vectors", at, of)
        )
    if as_json:
        show_json(done)
    else:
        say(f"{done.entries} entries; {done.added} new, {done.removed} gone")
        if done.lexical_only:
            say(f"Search is lexical only: {done.lexical_only}.")
        else:
            say(f"{done.vectors} vectors ({done.profile}); {done.made} new")
    problems(done.problems)
