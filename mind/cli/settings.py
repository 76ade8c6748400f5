"""`mind config`, `projects`, `clients`, `skills`, `uninstall`: settings and registrations."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.app import group
from mind.cli.init import show_plan
from mind.cli.output import AsJson, DryRun, note, present, say, show_json, table
from mind.domain.errors import InputError, MindError
from mind.domain.settings import known
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup import skills as door
from mind.setup.clients.skill_text import State
from mind.storage.project import find

if TYPE_CHECKING:
    from mind.setup.clients.registrations import Registration
    from mind.setup.install import Plan


def config(
    key: Annotated[str | None, typer.Argument(help="A key such as session.gap_minutes.")] = None,
    value: Annotated[str | None, typer.Argument(help="Its new value; JSON for lists.")] = None,
    user: Annotated[
        bool, typer.Option("--user", help="Change your own settings, for all projects.")
    ] = False,
    unset: Annotated[bool, typer.Option("--unset", help="Return KEY to its default.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show every setting, one of them, or change one.

    Project settings are in .mind/config.json, yours in ~/.mind/config.toml.
    """
    memory = Memory.open()
    if key and (value is not None or unset):
        memory.configure(key, None if unset else value, user=user)
    if key:
        known(key)
    rows = [row for row in memory.project.settings.describe() if key in (None, row[0])]
    if as_json:
        show_json({name: now for name, _, now, _ in rows})
    elif key:
        say("\n".join(f"{now}" for _, _, now, _ in rows))
    else:
        table(
            ("key", "type", "value", "meaning"),
            [(name, kind, str(now), doc) for name, kind, now, doc in rows],
        )


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
    dry_run: DryRun = False,
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


skills = group("Give agents that have no plugin the skill that says how to use Mind.")

Client = Annotated[
    list[str] | None,
    typer.Option(help="Whose folder for skills; may be repeated.", metavar="NAME"),
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Another folder for skills, as ~/.claude/skills.", metavar="DIR"),
]


@skills.command("install")
def install_skill(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Copy the skill into this project: `.claude/skills/mind/`, or a client's folder.

    Running it again changes nothing; after an update of Mind it brings the new text. What somebody
    changed is never overwritten. Claude Code's plugin has the skill already.
    """
    wanted = door.places(_root(folder), client or ["claude-code"], folder)
    _carry_out(door.plan(wanted), dry_run=dry_run, as_json=as_json)


@skills.command("remove")
def remove_skill(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Take the skill out again, wherever it was installed in this project and is unchanged."""
    planned, changed = door.plan_removal(door.places(_root(folder), client or [], folder))
    for place in changed:
        note(f"! {place.path} was changed, or is not Mind's; delete it by hand if you want.")
    _carry_out(planned, dry_run=dry_run, as_json=as_json)


@skills.command("list")
def list_skills(folder: Folder = None, as_json: AsJson = False) -> None:
    """List where the skill is, and whether it is the one of this version."""
    rows = [
        {"path": place.path, "state": _state_of_skill(place), "clients": place.clients}
        for place in door.places(_root(folder), [], folder)
    ]
    present(rows, _show_skills, as_json=as_json)


def _show_skills(rows: Sequence[dict[str, Any]]) -> None:
    found = [row for row in rows if row["state"] != State.ABSENT]
    if not found:
        say("Nowhere yet: `mind skills install`.")
        return
    table(
        ("state", "file", "read by"),
        [(str(row["state"]), str(row["path"]), ", ".join(row["clients"])) for row in found],
    )


def _state_of_skill(place: door.Place) -> str:
    try:
        return place.state
    except MindError as error:
        return error.message


def _root(folder: Path | None) -> Path | None:
    return None if folder else find().root


def _carry_out(planned: Sequence["Plan"], *, dry_run: bool, as_json: bool) -> None:
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
