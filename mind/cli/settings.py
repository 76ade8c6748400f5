"""`mind config`, `projects`, `clients`, `skills`, `uninstall`: settings and installation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mind.cli.app import group
from mind.cli.init import show_plan
from mind.cli.output import AsJson, DryRun, note, present, say, show_json, table
from mind.domain.errors import InputError, MindError
from mind.domain.settings import known
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup import skills as installing
from mind.setup.clients import known as supported
from mind.setup.clients.registrations import Registration
from mind.setup.clients.skill_text import SkillState
from mind.setup.install import InstallPlan
from mind.storage.project import find


def config(
    key: Annotated[
        str | None, typer.Argument(help="Name of a setting, such as session.gap_minutes.")
    ] = None,
    value: Annotated[
        str | None, typer.Argument(help="The new value; JSON for lists and tables.")
    ] = None,
    user: Annotated[
        bool, typer.Option("--user", help="Change your user settings, for all projects.")
    ] = False,
    unset: Annotated[
        bool, typer.Option("--unset", help="Remove KEY, so that its default applies.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show all settings, or show or change one.

    Project settings are in .mind/config.json, user settings in ~/.mind/config.toml.
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
        if value is not None or unset:
            own = memory.project.relative(memory.project.config)
            note(f"Saved in {'~/.mind/config.toml' if user else own}.")
    else:
        table(
            ("key", "type", "value", "description"),
            [(name, kind, str(now), doc) for name, kind, now, doc in rows],
        )


def projects(
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove projects that no longer exist from the list.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the registered projects, which `mind search --all` searches."""
    roots, gone = Memory.projects(prune=prune)
    if as_json:
        show_json([{"name": root.name, "path": root} for root in roots])
        return
    for root in gone:
        say(f"No longer exists: {root}")
    table(
        ("name", "path"),
        [(root.name, str(root)) for root in roots],
        none="No projects yet. Run `mind init` in a repository to register it.",
    )


def clients(
    every: Annotated[
        bool, typer.Option("--all", "-a", help="Include clients not found on this machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List clients, their configuration files, and whether Mind is registered there."""
    found = install.registrations()
    if as_json:
        show_json(
            [
                {
                    "client": one.client,
                    "scope": one.scope,
                    "file": one.path,
                    "installed": one.installed,
                    "registered": one.command is not None,
                    "command": one.command,
                    "there": one.there,
                    "problem": one.problem or None,
                    "state": state(one),
                }
                for one in found
            ]
        )
        return
    shown = [one for one in found if every or one.installed or one.command or one.problem]
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
        say(f"{others} more clients are not on this machine; see `mind clients --all`.")


def state(one: Registration) -> str:
    """One of registered, gone (the program is missing), damaged (the file is), not registered.

    Or "by hand", if Mind does not read files of the client's format.
    """
    if one.problem:
        return "damaged"
    if one.command is None:
        return "by hand" if supported.client(one.client).by_hand else "not registered"
    return "registered" if one.there else "gone"


def uninstall(
    path: Annotated[
        Path | None,
        typer.Argument(help="The repository. Default: the current folder.", metavar="PATH"),
    ] = None,
    purge: Annotated[
        bool,
        typer.Option("--purge", help="Also delete the memory in .mind/, after a confirmation."),
    ] = False,
    client: Annotated[
        list[str] | None,
        typer.Option(
            help="Remove only this client's setup, including from your user configuration. "
            "Repeatable.",
            metavar="NAME",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Remove what `mind init` added: the context block, client registrations, the cache.

    The memory stays in .mind/ unless you pass --purge. User-level registrations that other projects
    need are kept, unless you name the client with --client.
    """
    if client and purge:
        raise InputError("--client and --purge exclude each other", remedy="Use one of them.")
    plan = install.plan_removal(path, purge=purge, clients=client or [])
    if purge and not yes and not dry_run:
        typer.confirm("Delete .mind/ with the whole memory?", abort=True)
    if not dry_run:
        install.apply(plan)
    if dry_run or as_json:
        show_plan(plan, as_json=as_json)
        return
    for step in plan.changes:
        say(f"{step.action:>6}  {plan.name(step)}")
    kept = "The memory was deleted." if purge else f"The memory stays in {plan.apart or '.mind/'}."
    say(kept if plan.changes else "Nothing to remove.")


skills = group("Install the skill that teaches agents to use Mind, for clients without a plugin.")

Client = Annotated[
    list[str] | None,
    typer.Option(help="Client whose skills folder to use. Repeatable.", metavar="NAME"),
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Use this skills folder instead, such as ~/.claude/skills.", metavar="DIR"),
]


@skills.command("install")
def install_skill(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Install the skill in this project: in `.claude/skills/mind/`, or a client's folder.

    Run it again after updating Mind to update the skill. A skill that you edited is never
    overwritten. The Claude Code plugin already includes the skill.
    """
    wanted = installing.places(_root(folder), client or ["claude-code"], folder)
    _carry_out(installing.plan(wanted), dry_run=dry_run, as_json=as_json)


@skills.command("remove")
def remove_skill(
    client: Client = None, folder: Folder = None, dry_run: DryRun = False, as_json: AsJson = False
) -> None:
    """Remove the skill from this project, wherever it is unchanged."""
    plan, changed = installing.plan_removal(installing.places(_root(folder), client or [], folder))
    for place in changed:
        note(f"! {place.path} was edited, or is not Mind's. Delete it yourself to remove it.")
    _carry_out(plan, dry_run=dry_run, as_json=as_json)


@skills.command("list")
def list_skills(folder: Folder = None, as_json: AsJson = False) -> None:
    """List where the skill is installed, and whether it is up to date."""
    rows = [
        {"path": place.path, "state": _state_of_skill(place), "clients": place.clients}
        for place in installing.places(_root(folder), [], folder)
    ]
    present(rows, _show_skills, as_json=as_json)


def _show_skills(rows: Sequence[dict[str, Any]]) -> None:
    table(
        ("state", "file", "read by"),
        [
            (str(row["state"]), str(row["path"]), ", ".join(row["clients"]))
            for row in rows
            if row["state"] != SkillState.ABSENT
        ],
        none="Not installed. Run `mind skills install`.",
    )


def _state_of_skill(place: installing.SkillFolder) -> str:
    try:
        return place.state
    except MindError as error:
        return error.message


def _root(folder: Path | None) -> Path | None:
    return None if folder else find().root


def _carry_out(plan: InstallPlan, *, dry_run: bool, as_json: bool) -> None:
    if dry_run:
        told = plan.diff().rstrip("\n")
    else:
        install.apply(plan)
        told = "\n".join(f"{step.action:>6}  {step.path}" for step in plan.changes)
    rows = [{"action": step.action, "file": step.path} for step in plan.changes]
    present(rows, told or "Nothing to change.", as_json=as_json)
