"""`mind doctor`: find out what is wrong, and what to do about it."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, say, show_json
from mind.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    quick: Annotated[
        bool, typer.Option("--quick", help="Do not start the MCP server to try it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check installation, files, block, registration and server; say how to mend each.

    Exit code: 0 all well, 1 something is broken, 2 only warnings.
    """
    checks = Memory.examine(start_server=not quick)
    if as_json:
        show_json(checks)
    else:
        for check in checks:
            say(f"{check.verdict.value:>7}  {check.name}: {check.detail}")
            if check.remedy:
                say(f"         → {check.remedy}")
    verdicts = {check.verdict.value for check in checks}
    if "broken" in verdicts:
        raise typer.Exit(1)
    if "warning" in verdicts:
        raise typer.Exit(2)
