"""`mind init`: set Mind up in a repository, and offer to record what is found there."""

import contextlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import (
    AsJson,
    DryRun,
    is_terminal,
    note,
    present,
    problems,
    program,
    progress,
    say,
    show_json,
)
from mind.domain.entry import DOCUMENT, Entry, Kind, counted
from mind.domain.errors import MindError
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup.clients import claude_hooks
from mind.setup.clients.command import openings
from mind.setup.clients.known import CLIENTS
from mind.setup.clients.registrations import is_installed, this_machine
from mind.sources import available, commits, project_docs, transcripts
from mind.sources.git import log
from mind.sources.importers import commits as turned_down
from mind.sources.importers import memory_bank, repository
from mind.sources.staleness import naming
from mind.storage import process
from mind.storage import project as projects
from mind.storage.boundary import own_memory
from mind.storage.index import Index
from mind.storage.project import Project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.memory.answers import Synced
    from mind.memory.importing import ImportReport, SourceReport
    from mind.setup.install import InstallPlan

_SECONDS = 20
_SHOWN = 12
"""Entries of one source that are shown; the rest are only counted."""
_WIDTH = 110
_YEARS = 2
"""Age in years from which decision records and other notes are only named, unless all code that
they name is still there: of 50 records so old readers found half outdated, of 19 younger ones 2."""


def init(
    path: Annotated[
        Path | None,
        typer.Argument(help="The repository. Default: the current folder.", metavar="PATH"),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Keep the memory out of git.")] = False,
    target: Annotated[
        list[str] | None,
        typer.Option(help="File to put the context block in. Repeatable.", metavar="FILE"),
    ] = None,
    client: Annotated[
        list[str] | None,
        typer.Option(
            help="Register the server with this client. Repeatable. `detected` means every client "
            "found on this machine; `mind clients` lists them.",
            metavar="NAME",
        ),
    ] = None,
    user: Annotated[
        bool,
        typer.Option(
            "--user",
            help="Register clients in your user configuration, for all projects. Without --client "
            "and PATH, set up your personal memory instead of a repository.",
        ),
    ] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--print", help="Print the configuration to paste into the client's file, and exit."
        ),
    ] = False,
    hooks: Annotated[
        bool,
        typer.Option(
            "--hooks",
            help="Install Claude Code hooks in .claude/settings.json, or settings.local.json with "
            "--private. The plugin already includes them.",
        ),
    ] = False,
    git_hooks: Annotated[
        bool,
        typer.Option(
            "--git-hooks", help="Install git hooks that update the index after commits and merges."
        ),
    ] = False,
    pre_commit: Annotated[
        bool,
        typer.Option(
            "--pre-commit",
            help="Install a git hook that blocks commits of rejected approaches (`mind edges -`).",
        ),
    ] = False,
    look: Annotated[
        bool,
        typer.Option(
            "--import/--no-import", help="Offer to record what the repository already documents."
        ),
    ] = True,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Record everything offered, without asking.")
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Set Mind up in a repository: .mind/, the context block, the MCP server.

    It then offers entries found in the repository: the goal from the README, the stack and commands
    from manifests, decision records, breaking changes, a memory bank. They are recorded if you
    agree, or with --yes; records over two years old only if the code still has all that they
    name. Documents such as
    AGENTS.md and CONTRIBUTING.md are searched in place.
    Your personal data in other tools, such as transcripts, is never imported without asking.

    Running it again keeps what is there and repairs what is missing. The context block goes to
    CLAUDE.md, or to AGENTS.md if only that exists, and the server is registered with Claude Code;
    --client registers it with other clients and puts the block in the files they read. In a git
    repository, git in this clone then merges the memory entry by entry. For your personal memory
    (`mind --global init`), and one set by MIND_DIR, only the memory's files are created.
    """
    if show:
        made = install.snippets(path, clients=client or [], user=user)
        rows = [dict(zip(("client", "file", "text"), one, strict=True)) for one in made]
        present(rows, _show_snippets, as_json=as_json)
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
    plugin = claude_hooks.enabled(plan.root)
    looks = look and not plan.apart
    if dry_run:
        show_plan(
            plan, _proposed(_in_mind(plan.root), as_json=as_json) if looks else [], as_json=as_json
        )
        return
    install.apply(plan)
    memory = Memory.open(None if plan.apart else plan.root)
    offered = _proposed(memory, as_json=as_json) if looks else []
    if as_json:
        _tell(plan, memory, offered, yes=yes)
        return
    for step in plan.changes:
        say(f"{step.action:>6}  {plan.name(step)}")
    for one in plan.notes:
        say(one)
    if looks:
        show_offers(offered)
        record(memory, offered, yes=yes)
        _offer_turned_down(memory)
        _name_others(memory)
    synced = memory.checkpoint()
    if looks:
        _show_commits(memory)
        _index(memory)
    _introduce(plan)
    _say_next(synced, "" if plan.apart else plugin, apart=plan.apart is not None)


def _of_the_person() -> list[str]:
    """Switch to the user's own memory, and return the clients to register."""
    projects.use(own_memory())
    machine = this_machine()
    return [one.name for one in CLIENTS if is_installed(one, machine)] or ["claude-code"]


def _say_next(synced: "Synced", plugin: str, *, apart: bool) -> None:
    found = ", ".join(f"{count} from {name}" for name, count in synced.by_source.items())
    say(f"Memory is ready: {counted(synced.entries, 'entry')}" + (f" ({found})." if found else "."))
    if plugin:
        say(f"The Claude Code plugin {plugin} provides the server and the hooks.")
    if apart:
        say("Run `mind init` in a repository to set it up; its searches include this memory.")
    start = "start your agent here, or " if not apart else ""
    say(f"Next: {start}record an entry with `{program()} log -t decision TEXT`.")
    problems(synced.problems)


def _tell(
    plan: "InstallPlan", memory: Memory, offered: "Sequence[ImportReport]", *, yes: bool
) -> None:
    """Print what was done as JSON, without asking anything."""
    taken = taken_in(memory, offered) if yes else 0
    synced = memory.checkpoint()
    _introduce(plan)
    show_json(
        {
            "root": plan.root,
            "changes": _changes(plan),
            "notes": plan.notes,
            "proposed": [row for one in offered for row in one.new],
            "imported": taken,
            "from_commits": [
                {"kind": one.kind.value, "text": one.text, "commit": one.commit}
                for one in _from_commits(memory)
            ],
            "turned_down": [
                {"text": one.text, "commit": one.commit} for one in _turned_down(memory)
            ],
            "synced": synced,
        }
    )


def _introduce(plan: "InstallPlan") -> None:
    """Run a server once to cache its answers to a client's first requests.

    On a busy machine the SDK takes seconds to load, and the model's first turn does not wait.
    Failures are ignored here; ``mind doctor`` reports them.
    """
    for opening in () if plan.apart else openings():
        with contextlib.suppress(OSError, process.Unanswered):
            process.run_mind(plan.root, "mcp", feed=opening, seconds=_SECONDS)


def _show_snippets(rows: "list[dict[str, str]]") -> None:
    for one in rows:
        note(f"{one['client']}: add this to {one['file']}")
        say(one["text"].rstrip("\n"))


def _changes(plan: "InstallPlan") -> list[dict[str, str]]:
    return [{"action": step.action, "file": plan.name(step)} for step in plan.changes]


def show_plan(
    plan: "InstallPlan", offered: "Sequence[ImportReport] | None" = None, *, as_json: bool
) -> None:
    """Print what a plan would change, and the entries it would offer."""
    if as_json:
        told = {
            "root": plan.root,
            "changes": _changes(plan),
            "notes": plan.notes,
            "diff": plan.diff(),
        }
        if offered is not None:
            told["proposed"] = [row for one in offered for row in one.new]
        show_json(told)
        return
    say(plan.diff().rstrip("\n") or "Nothing to change.")
    for one in plan.notes:
        say(one)
    show_offers(offered or ())


def _in_mind(root: Path) -> Memory:
    """Return a memory that may not exist yet; its index is in memory, so nothing is written."""
    memory = Memory(Project(root))
    memory.index = Index(None)
    return memory


def _proposed(memory: Memory, *, as_json: bool) -> "list[ImportReport]":
    """Return a dry-run report for each importer that finds something in the repository.

    Of records and notes only some are in it; what manifests and a README say holds at any age.
    """
    found: list[ImportReport] = []
    for name in dict.fromkeys(
        one.name for one, _ in available.here(memory.project) if one.is_shared
    ):
        try:
            with progress(as_json=as_json) as told:
                done = memory.import_from(name, dry_run=True, progress=told)
        except MindError as error:
            note(f"{name}: {error}")
            continue
        if name != repository.NAME:
            _leave_out(memory, done)
        found += [done] if done.new or not {_OLD, _THERE, _MANY}.isdisjoint(done.left_out) else []
    return found


_OLD, _THERE = f"over {_YEARS} years old", "that search finds in their files"
_MANY, _MOST = "in all, too many to look through here", 100
_COPIED = frozenset(
    one.value for one in Kind if one not in (Kind.NOTE, Kind.PROGRESS) and not one.traits.has_status
)
"""Kinds of a memory in the repository's own files that are worth a copy: the block and warnings
need them. Search reads those files anyway, and a copy of what is open there would stay open."""


def _leave_out(memory: Memory, done: "ImportReport") -> None:
    """Leave out what is old, unless the code still has all that it names.

    Also what is open, done, of no kind or of the moment in files that search reads.
    """
    root = memory.project.root
    files = {row.key: row.place.partition(":")[0] for row in done.new}
    is_bank = done.source == memory_bank.NAME
    passing = {one for one in files.values() if is_bank and memory_bank.is_of_the_moment(one)}
    aged = log.older(root, {files[row.key]: row.day for row in done.new}, _YEARS)
    told = {row.key: row.text for row in done.new if files[row.key] in aged}
    kept, old = naming.still_true(root, told) if told else set(), set(told)
    if sum(row.kind in _COPIED and row.key not in old - kept for row in done.new) <= _MOST:
        old -= kept
    is_searched = memory.project.settings.capture_documents
    there = {*project_docs.paths(root), *project_docs.further(root)} if is_searched else ()
    why = {
        row.key: _OLD if row.key in old else _THERE
        for row in done.new
        if row.key in old
        or (files[row.key] in there and (row.kind not in _COPIED or files[row.key] in passing))
    }
    if sum(row.key not in why and row.kind is not Kind.REJECTED for row in done.new) > _MOST:
        why = {row.key: _MANY for row in done.new}
    done.left_out |= Counter(why.values())
    done.rows = [row for row in done.rows if row.key not in why]


def show_offers(offered: "Sequence[ImportReport]") -> None:
    """Print the entries on offer, by source and type."""
    for one in offered:
        say(f"{one.source}: {_by_kind(one.new) or 'nothing to record by itself'}")
        for row in one.new[:_SHOWN]:
            _say_row(row.kind, row.text, row.place)
        if len(one.new) > _SHOWN:
            say(f"  … and {len(one.new) - _SHOWN} more")
        for why in (_OLD, _THERE, _MANY):
            if count := one.left_out.get(why):
                call = f"`{program()} import {one.source}` records them too"
                say(f"  Left out: {counted(count, 'entry')} {why}; {call}")


def _by_kind(found: "Sequence[Entry | SourceReport]") -> str:
    kinds = Counter(one.kind for one in found)
    return ", ".join(counted(count, kind) for kind, count in kinds.items())


def _say_row(kind: str, text: str, place: str) -> None:
    text = " ".join(text.split()).removesuffix(f" ({place})")
    short = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1].rstrip()}…"
    say(f"  {kind:<9} {short}  ({place})")


def _from_commits(memory: Memory) -> "list[Entry]":
    return [one for one in memory.index_entries() if one.source == "git"]


def _show_commits(memory: Memory) -> None:
    """Print the entries that commit messages mark."""
    if found := _from_commits(memory):
        _say_latest(f"Read from commit messages, and found by search: {_by_kind(found)}", found)


def _offer_turned_down(memory: Memory) -> None:
    """Print what commits turned down, of which half holds, and ask whether to record it."""
    if found := _turned_down(memory):
        noun = "approach" if len(found) == 1 else "approaches"
        told = f"Not recorded: {len(found):,} {noun} that commits reverted or rejected"
        _say_latest(f"{told}; `{program()} import commits` records them as rejected", found)
        if is_terminal() and typer.confirm("Record these? Do so if most of them still hold."):
            done = memory.import_from(turned_down.NAME)
            say(f"Recorded {counted(done.count('added'), 'entry')} in .mind/MEMORY.md.")


def _index(memory: Memory) -> None:
    """Read the project's documents and commit messages, so that no search waits for it."""
    if is_terminal():
        note("Reading documents and commit messages for search…")
    memory.build_index()


def _say_latest(heading: str, found: "Sequence[Entry]") -> None:
    say(heading + (f"; the latest {_SHOWN}:" if len(found) > _SHOWN else ":"))
    for one in found[-_SHOWN:]:
        _say_row(one.kind if one.why != DOCUMENT else "revert", one.text, one.commit[:10])


def _turned_down(memory: Memory) -> "list[Entry]":
    settings = memory.project.settings
    if not settings.capture_commits:
        return []
    root, most = memory.project.root, settings.capture_max_commits
    found = [one for _, one in commits.reverts(root, settings, most)]
    found += commits.alternatives(root, settings, most)
    if not found:
        return []
    new = {row.place for row in memory.import_from(turned_down.NAME, dry_run=True).new}
    return [one for one in found if turned_down.place(one) in new]


def record(memory: Memory, offered: "Sequence[ImportReport]", *, yes: bool) -> None:
    """Record the entries on offer if the user agrees."""
    count = sum(len(one.new) for one in offered)
    if not count:
        return
    if not yes and not is_terminal():
        say("Nothing recorded yet. To record these, run `mind init --yes` or `mind import SOURCE`.")
    elif yes or typer.confirm(
        f"Record {counted(count, 'entry')} in .mind/MEMORY.md?", default=True
    ):
        say(f"Recorded {counted(taken_in(memory, offered), 'entry')} in .mind/MEMORY.md.")


def taken_in(memory: Memory, offered: "Sequence[ImportReport]") -> int:
    """Record the entries on offer, and return how many were added."""
    return sum(
        memory.import_from(one.source, only={row.key for row in one.new}).count("added")
        for one in offered
    )


def _name_others(memory: Memory) -> None:
    """For each tool with personal data, ask whether to import it, or only name it."""
    others = dict.fromkeys(
        (one.name, one.about)
        for one, _ in available.here(memory.project)
        if not one.is_shared and one.name != turned_down.NAME
    )
    for name, about in others:
        if name == transcripts.SOURCE or not is_terminal():
            say(f"Also on this machine: {about}. See `mind import {name} --dry-run`.")
        elif typer.confirm(f"Also on this machine: {about}. Import those of this project?"):
            say(f"Added {counted(memory.import_from(name).count('added'), 'entry')} from {name}.")
