"""`mind init`: set Mind up in a repository."""

from pathlib import Path
from typing import Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json
from mind.installation import Plan
from mind.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(init)


def init(
    path: Annotated[
        Path | None,
        typer.Argument(help="The repository; this folder by default.", metavar="PATH"),
    ] = None,
    private: Annotated[
        bool, typer.Option("--private", help="Keep the memory out of git altogether.")
    ] = False,
    target: Annotated[
        list[str] | None,
        typer.Option(help="File that carries the context block; may be repeated.", metavar="FILE"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes as a diff and write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Set Mind up in a repository: .mind/, the context block, the MCP server.

    Running it again changes nothing that is there; it repairs what is missing. The block goes to
    CLAUDE.md, or to AGENTS.md where only that exists. Your own memory (`mind --global init`)
    and one that MIND_DIR names get their files alone.
    """
    plan = Memory.plan(path, private=private, targets=target or [])
    if dry_run:
        show_plan(plan, as_json=as_json)
        return
    Memory.apply(plan)
    synced = Memory.open(None if plan.apart else plan.root).checkpoint()
    if as_json:
        show_json({"root": plan.root, "changes": _changes(plan), "synced": synced})
        return
    for step in plan.changes:
        say(f"{step.action:>6}  {step.path.relative_to(plan.root).as_posix()}")
    found = ", ".join(f"{count} from {name}" for name, count in synced.by_source.items())
    say(f"Memory is ready: {synced.entries} entries" + (f" ({found})." if found else "."))
    say("Next: start your agent here, or record something: mind log -t decision TEXT")
    problems(synced.problems)


def _changes(plan: Plan) -> list[dict[str, str]]:
    return [
        {"action": step.action, "file": step.path.relative_to(plan.root).as_posix()}
        for step in plan.changes
    ]


def show_plan(plan: Plan, *, as_json: bool) -> None:
    """Print what a plan would change."""
    if as_json:
        show_json({"root": plan.root, "changes": _changes(plan), "diff": plan.diff()})
        return
    say(plan.diff().rstrip("\n") or "Nothing to change.")
