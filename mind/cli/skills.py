"""`mind skills`: the skill for agents that have no plugin."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mind.cli.commands import Summaries
from mind.cli.output import AsJson, note, say, show_json, table
from mind.domain.errors import MindError
from mind.setup import skills as door
from mind.setup.clients.skill_text import State
from mind.setup.install import Plan
from mind.storage.project import find

skills = typer.Typer(
    cls=Summaries,
    help="Give agents that have no plugin the skill that says how to use Mind.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Client = Annotated[
    list[str] | None,
    typer.Option(help="Whose folder for skills; may be repeated.", metavar="NAME"),
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Another folder for skills, as ~/.claude/skills.", metavar="DIR"),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show the changes as a diff and write nothing.")
]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    app.add_typer(skills, name="skills")


@skills.command()
def install(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Copy the skill into this project: `.claude/skills/mind/`, or a client's folder.

    Running it again changes nothing; after an update of Mind it brings the new text. What somebody
    changed is never overwritten. Claude Code's plugin has the skill already.
    """
    wanted = door.places(_root(folder), client or ["claude-code"], folder)
    _carry_out(door.plan(wanted), dry_run=dry_run, as_json=as_json)


@skills.command()
def remove(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Take the skill out again, wherever it was installed in this project and is unchanged."""
    planned, changed = door.plan_removal(door.places(_root(folder), client or [], folder))
    for place in changed:
        note(f"! {place.path} was changed, or is not Mind's; delete it by hand if you want.")
    _carry_out(planned, dry_run=dry_run, as_json=as_json)


@skills.command("list")
def list_(folder: Folder = None, as_json: AsJson = False) -> None:
    """List where the skill is, and whether it is the one of this version."""
    rows = [
        {"path": place.path, "state": _state(place), "clients": place.clients}
        for place in door.places(_root(folder), [], folder)
    ]
    if as_json:
        show_json(rows)
        return
    found = [row for row in rows if row["state"] != State.ABSENT]
    if not found:
        say("Nowhere yet: `mind skills install`.")
        return
    table(
        ("state", "file", "read by"),
        [
            (str(row["state"]), str(row["path"]), ", ".join(map(str, row["clients"])))  # type: ignore[call-overload] # clients are a tuple
            for row in found
        ],
    )


def _state(place: door.Place) -> str:
    try:
        return place.state
    except MindError as error:
        return error.message


def _root(folder: Path | None) -> Path | None:
    return None if folder else find().root


def _carry_out(planned: Sequence[Plan], *, dry_run: bool, as_json: bool) -> None:
    steps = [step for one in planned for step in one.changes]
    if not dry_run:
        door.apply(planned)
    if as_json:
        show_json([{"action": step.action, "file": step.path} for step in steps])
        return
    if dry_run:
        say("".join(one.diff() for one in planned).rstrip("\n") or "Nothing to change.")
        return
    for step in steps:
        say(f"{step.action:>6}  {step.path}")
    if not steps:
        say("Nothing to change.")
