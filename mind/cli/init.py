"""`mind init`: set Mind up in a repository."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli import offers
from mind.cli.output import AsJson, note, problems, program, say, show_json
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup.clients import claude_plugin
from mind.setup.clients.command import openings
from mind.setup.clients.known import CLIENTS
from mind.setup.clients.places import this_machine
from mind.setup.clients.registrations import is_installed
from mind.storage import process
from mind.storage import project as projects
from mind.storage.home import own_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.memory.adopting import Adopted
    from mind.memory.answers import Synced
    from mind.setup.install import Plan

_SECONDS = 20


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
    client: Annotated[
        list[str] | None,
        typer.Option(
            help="Tell this client of the server; may be repeated. `detected`: all that are found "
            "here. `mind clients` lists them.",
            metavar="NAME",
        ),
    ] = None,
    user: Annotated[
        bool,
        typer.Option(
            "--user",
            help="Once for all projects: your own memory, and clients in your own files. With "
            "--client, this repository too.",
        ),
    ] = False,
    show: Annotated[
        bool, typer.Option("--print", help="Print what to paste into its file; touch nothing.")
    ] = False,
    hooks: Annotated[
        bool,
        typer.Option(
            "--hooks",
            help="Have Claude Code run Mind at its events, without the plugin: "
            ".claude/settings.json, or settings.local.json with --private.",
        ),
    ] = False,
    git_hooks: Annotated[
        bool,
        typer.Option(
            "--git-hooks", help="Let git bring the index up to date after a commit and a merge."
        ),
    ] = False,
    pre_commit: Annotated[
        bool,
        typer.Option(
            "--pre-commit",
            help="Let git stop a commit that brings back what was rejected (`mind edges -`).",
        ),
    ] = False,
    look: Annotated[
        bool,
        typer.Option(
            "--import/--no-import", help="Look for what the repository says already, and offer it."
        ),
    ] = True,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Record what is offered without asking.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes and offers, and write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Set Mind up in a repository: .mind/, the context block, the MCP server.

    Then it shows what the repository says already: the goal from the README, stack and commands
    from the manifests, decision records, breaking changes, a memory bank. It is recorded once you
    agree, or with --yes. Documents such as AGENTS.md and CONTRIBUTING.md are searched where they
    stand. What other tools keep for you alone, as transcripts, is only named.

    Running it again changes nothing that is there; it repairs what is missing. The block goes to
    CLAUDE.md, or to AGENTS.md where only that exists, and Claude Code is told of the server; with
    --client others are, and the block goes where they read it. In a git repository,
    git merges the memory entry by entry from then on, in this clone. Your own memory (`mind
    --global init`) and one that MIND_DIR names get their files alone.
    """
    if show:
        _print(install.snippets(path, clients=client or [], user=user), as_json=as_json)
        return
    client = client or (_of_the_person() if user and path is None else [])
    plan = install.plan(
        path,
        private=private,
        targets=target or [],
        clients=client,
        user=user,
        hooks=hooks,
        git_hooks=git_hooks,
        pre_commit=pre_commit,
    )
    plugin = claude_plugin.enabled(plan.root)
    looks = look and not plan.apart
    if dry_run:
        show_plan(plan, as_json=as_json)
        if looks and not as_json:
            offers.show_raw(plan.root)
        return
    install.apply(plan)
    memory = Memory.open(None if plan.apart else plan.root)
    offered = offers.proposed(memory) if looks else []
    if as_json:
        _tell(plan, memory, offered, yes=yes)
        return
    for step in plan.changes:
        say(f"{step.action:>6}  {plan.name(step)}")
    for one in plan.notes:
        say(one)
    if looks:
        offers.show(memory, offered)
        offers.record(memory, offered, yes=yes)
        offers.name_others(memory)
    synced = memory.checkpoint()
    _introduce(plan)
    _say_next(synced, "" if plan.apart else plugin, apart=plan.apart is not None)


def _of_the_person() -> list[str]:
    """Use the person's own memory from here on; the clients that are to be told of it."""
    projects.use(own_memory())
    machine = this_machine()
    return [one.name for one in CLIENTS if is_installed(one, machine)] or ["claude-code"]


def _say_next(synced: "Synced", plugin: str, *, apart: bool) -> None:
    found = ", ".join(f"{count} from {name}" for name, count in synced.by_source.items())
    say(f"Memory is ready: {synced.entries} entries" + (f" ({found})." if found else "."))
    if plugin:
        say(f"Claude Code's plugin {plugin} brings the server and the hooks.")
    if apart:
        say("`mind init` sets up a repository; its searches look into this memory too.")
    start = "" if apart else "start your agent here, or "
    say(f"Next: {start}record something: {program()} log -t decision TEXT")
    problems(synced.problems)


def _tell(plan: "Plan", memory: Memory, offered: "Sequence[Adopted]", *, yes: bool) -> None:
    """Print what was done as JSON; nothing is asked."""
    taken = offers.taken_in(memory, offered) if yes else 0
    synced = memory.checkpoint()
    _introduce(plan)
    show_json(
        {
            "root": plan.root,
            "changes": _changes(plan),
            "notes": plan.notes,
            "proposed": [row for one in offered for row in one.new],
            "imported": taken,
            "synced": synced,
        }
    )


def _introduce(plan: "Plan") -> None:
    """Have a server answer what clients ask first, so that the first session finds it ready.

    On a busy machine the SDK takes seconds to load, and the model's first turn does not wait. A
    server that does not come is the business of ``mind doctor``.
    """
    for opening in () if plan.apart else openings():
        with contextlib.suppress(OSError, process.Unanswered):
            process.run_mind(plan.root, "mcp", feed=opening, seconds=_SECONDS)


def _print(snippets: "list[tuple[str, str, str]]", *, as_json: bool) -> None:
    if as_json:
        show_json(
            [{"client": client, "file": file, "text": text} for client, file, text in snippets]
        )
        return
    for client, file, text in snippets:
        note(f"{client}: put this into {file}")
        say(text.rstrip("\n"))


def _changes(plan: "Plan") -> list[dict[str, str]]:
    return [{"action": step.action, "file": plan.name(step)} for step in plan.changes]


def show_plan(plan: "Plan", *, as_json: bool) -> None:
    """Print what a plan would change."""
    if as_json:
        show_json(
            {
                "root": plan.root,
                "changes": _changes(plan),
                "notes": plan.notes,
                "diff": plan.diff(),
            }
        )
        return
    say(plan.diff().rstrip("\n") or "Nothing to change.")
    for one in plan.notes:
        say(one)
