"""`mind scan`: credentials in what the memory is read from."""

from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, note, say, show_json
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.sources.git.exposed import Exposed

_ROTATE = (
    "First revoke each at its issuer and make a new one: whoever could read the file may have it. "
    "Then take it out of the line."
)
_REWRITE = (
    "A commit keeps it: after revoking, rewrite the history with `git filter-repo --replace-text` "
    "(a file of `VALUE==>removed` lines outside of the repository), force-push every branch and "
    "tag, and have every clone made anew."
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(scan)


def scan(
    history: Annotated[
        bool, typer.Option("--history", help="Also look through the git history of the files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look for credentials in the files, comments and commits that memory reads.

    Reports location and kind, never the value. In the index, answers and exports, each is masked.

    Exit code: 0 nothing found, 1 something found.
    """
    found = Memory.open().scan(history=history)
    if as_json:
        show_json(found)
    else:
        _show(found)
    if found:
        raise typer.Exit(1)


def _show(found: "Sequence[Exposed]") -> None:
    for one in found:
        commit = f"  in commit {one.commit[:12]}" if one.path and one.commit else ""
        say(f"{one.where}  {one.name}{commit}")
    if not found:
        say("No credentials found.")
        return
    note(_ROTATE)
    if any(one.commit for one in found):
        note(_REWRITE)
