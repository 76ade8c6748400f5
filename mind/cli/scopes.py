"""`mind scopes`: the tags of a memory: listed, renamed, muted."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, note, problems, program, say, show_json, table
from mind.cli.summaries import Summaries
from mind.domain.errors import InputError
from mind.memory.memory import Memory

Tag = Annotated[str, typer.Argument(help="With its hash or without.", metavar="TAG")]

scopes = typer.Typer(
    cls=Summaries,
    help="Tags (#tag) and projects: what a memory is divided into.",
    rich_markup_mode=None,
    invoke_without_command=True,
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(scopes, name="scopes")


@scopes.callback()
def overview(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tags, as `mind scopes list` does."""
    command = context.invoked_subcommand
    if command is None:
        list_(as_json=as_json)
    elif as_json:
        raise InputError(
            "--json stands before the command", remedy=f"Use `mind scopes {command} --json`."
        )


@scopes.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the tags, the most common first; rare ones that may be misspelled are told."""
    found = Memory.open().scopes()
    if as_json:
        show_json(found)
        return
    rows = [
        (
            f"#{one.name}",
            str(one.entries),
            f"{one.share:.0%}",
            one.last.isoformat() if one.last else "-",
            " ".join(
                (f"#{one.like}?" * bool(one.like), "muted" * one.muted),
            ).strip(),
        )
        for one in found.tags
    ]
    if rows:
        table(("tag", "entries", "share", "last", ""), rows)
    note(f"{found.untagged} entries of {found.project} have no tag.")
    if found.allowed:
        note(f"New entries may have: {', '.join(found.allowed)}.")
    if found.others:
        note(f"Other projects, which `mind search --all` searches: {', '.join(found.others)}.")


@scopes.command()
def rename(
    old: Tag,
    new: Tag,
    archived: Annotated[
        bool, typer.Option("--archive/--no-archive", help="In the archive too.")
    ] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give a tag another name everywhere, but not in code, links and headings."""
    done = Memory.open().rename_scope(old, new, archive=archived, dry_run=dry_run)
    if as_json:
        show_json(done)
        return
    would = "would be" if dry_run else "is now"
    for file, count in done.files.items():
        say(f"#{done.old} {would} #{done.new}: {count} in {file}")


@scopes.command()
def mute(tag: Tag, as_json: AsJson = False) -> None:
    """Leave a tag's entries out of searches and recalls until this session ends."""
    memory = Memory.open()
    _muted(memory.mute_scope(tag), as_json=as_json)
    if not memory.has_scope(tag):
        problems([f"No entry has the tag #{tag.lstrip('#')}. `{program()} scopes` lists those."])


@scopes.command()
def unmute(tag: Tag, as_json: AsJson = False) -> None:
    """Search a tag's entries again."""
    _muted(Memory.open().unmute_scope(tag), as_json=as_json)


def _muted(tags: tuple[str, ...], *, as_json: bool) -> None:
    if as_json:
        show_json(tags)
    else:
        names = ", ".join(f"#{tag}" for tag in tags)
        say(f"Muted until the session ends: {names}." if tags else "No tag is muted.")
