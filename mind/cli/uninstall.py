"""`mind uninstall`: take Mind out of a repository."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.init import show_plan
from mind.cli.output import AsJson, say
from mind.domain.errors import InputError
from mind.setup import install

if TYPE_CHECKING:
    from mind.setup.install import Plan


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(uninstall)


def uninstall(
    path: Annotated[
        Path | None,
        typer.Argument(help="The repository; this folder by default.", metavar="PATH"),
    ] = None,
    purge: Annotated[
        bool, typer.Option("--purge", help="Delete the memory in .mind/ too; asks first.")
    ] = False,
    client: Annotated[
        list[str] | None,
        typer.Option(
            help="Take back what was done for this client alone, in your own files too; may be "
            "repeated.",
            metavar="NAME",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes as a diff and write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take back what `mind init` added: the block, the server's registrations, the cache.

    The memory itself stays in .mind/ unless --purge. In your own files clients stay registered
    that other projects use too; --client takes them back in any case.
    """
    if client and purge:
        raise InputError("--purge is for all of Mind", remedy="Leave --client or --purge out.")
    plan = install.plan_removal(path, purge=purge, clients=client or [])
    if dry_run:
        show_plan(plan, as_json=as_json)
        return
    if purge and not yes:
        typer.confirm("Delete all of .mind/, memory included?", abort=True)
    install.apply(plan)
    if as_json:
        show_plan(plan, as_json=True)
        return
    for step in plan.changes:
        say(f"{step.action:>6}  {plan.name(step)}")
    say(_outcome(plan, purge=purge))


def _outcome(plan: "Plan", *, purge: bool) -> str:
    if not plan.changes:
        return "Nothing to take back."
    return "The memory is deleted." if purge else f"The memory stays in {plan.apart or '.mind/'}."
