"""`mind doctor`: find out what is wrong, and what to do about it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, note, say, show_json
from mind.setup.doctor import examine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.setup.doctor import Check

_CODES = {"fine": 0, "warning": 1, "broken": 2}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended safely, and look again.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what --fix would do.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Start no process (server, hooks, git), read no model again."),
    ] = False,
    start: Annotated[
        bool,
        typer.Option(
            "--start",
            help="Ask for each registered command that is not Mind's own whether to start it.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check installation, files, index, block, server and hooks; say how to mend each.

    Exit code: 0 all well, 1 only warnings, 2 something is broken.
    """
    checks = examine(
        quick=quick, fix=fix and not dry_run, confirm=_confirmed if start else _refused
    )
    if as_json:
        show_json(checks)
    else:
        _show(checks, would=dry_run)
    code = max(_CODES[check.verdict.value] for check in checks)
    if code:
        raise typer.Exit(code)


def _refused(_place: str, _command: str) -> bool:
    """Start nothing but Mind's own commands."""
    return False


def _confirmed(place: str, command: str) -> bool:
    """Ask whether to start ``command``, which is shown in full."""
    if not sys.stdin.isatty():
        note(f"{place}: not started, as there is no terminal to confirm it: {command}")
        return False
    note(f"{place} starts a command that is not Mind's own, with your rights:\n\n    {command}\n")
    return typer.confirm("Start it?", default=False, err=True)


def _show(checks: "Sequence[Check]", *, would: bool) -> None:
    for check in checks:
        say(f"{check.verdict.value:>7}  {check.name}: {check.detail}")
        if check.mended:
            say(f"         ✓ mended: {check.mending}")
        if check.remedy:
            say(f"         → {check.remedy}")
        if would and check.mending:
            say(f"         → --fix would {check.mending}")
    waiting = sum(bool(check.mending) and not check.mended for check in checks)
    if waiting and not would:
        say(f"`mind doctor --fix` mends {waiting} of these.")
