"""`mind update`, `forget`, `archive`, `tidy`, `tags` and others: change recorded entries."""

from collections.abc import Sequence
from typing import Annotated

import typer

from mind.cli.app import group
from mind.cli.output import (
    AsJson,
    DryRun,
    Keywords,
    note,
    note_missing,
    present,
    problems,
    program,
    say,
    table,
)
from mind.cli.session import (
    ALL,
    COMMANDS,
    Acknowledge,
    AcknowledgeReplacing,
)
from mind.documents.archive import Archived
from mind.domain.entry import counted
from mind.domain.errors import InputError, NotFound
from mind.memory import wording
from mind.memory.amend import Outcome
from mind.memory.answers import ArchivedEntries, Curated
from mind.memory.as_json import curated_json
from mind.memory.memory import Memory
from mind.memory.tags import TagOverview
from mind.memory.tidy import CAP, TidyPlan
from mind.storage.pending import Pending

Id = Annotated[
    str, typer.Argument(help="Id of an entry, as listed by `mind search`.", metavar="ID")
]

archive = group("List, show and delete archived entries.")


def update(
    identifier: Id,
    text: Annotated[list[str] | None, typer.Argument(help="The full new text.")] = None,
    keyword: Keywords = None,
    acknowledge: Acknowledge = False,
    as_json: AsJson = False,
) -> None:
    """Correct an entry in place, or set its keywords; `-k ""` removes them.

    It keeps its id, date and type; the old text is archived. A text of one line leaves what
    `mind show` shows below the old one; one of several lines replaces that too. It is rejected if
    it duplicates an active or forgotten entry. A claim about a person waits for `mind confirm`.
    """
    done = Memory.open().update(
        identifier, " ".join(text or ()), keywords=keyword or (), acknowledge=acknowledge
    )
    present(done, wording.corrected(done, COMMANDS), as_json=as_json, form=curated_json)


def forget(
    identifier: Id,
    reason: Annotated[
        str,
        typer.Option("--reason", "-r", help="Reason, shown if the same is recorded again."),
    ],
    replaced_by: Annotated[
        str, typer.Option(help="Id of the entry that replaces it.", metavar="ID")
    ] = "",
    acknowledge: Annotated[
        bool,
        typer.Option("--acknowledge", "-y", help="Archive it even if it is protected."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Move an entry to .mind/ARCHIVE.md; `mind restore` undoes it.

    Goals, problems, blockers, gotchas, rejected approaches and pinned entries ([pinned:: yes]) are
    protected and need --acknowledge.
    """
    done = Memory.open().forget(
        identifier, reason, replaced_by=replaced_by, acknowledge=acknowledge
    )
    undo = f"run `{program()} restore {done.entry.id}`"
    present(done, wording.forgotten(done, undo), as_json=as_json, form=curated_json)


def restore(identifier: Id, as_json: AsJson = False) -> None:
    """Restore an archived entry to its original place, byte for byte.

    An earlier wording of a current entry takes its place; that one is archived.
    """
    present(Memory.open().restore(identifier), wording.restored, as_json=as_json, form=curated_json)


def confirm(
    identifier: Annotated[
        str,
        typer.Argument(help="Id printed by `mind log`. Default: list the waiting claims."),
    ] = "",
    drop: Annotated[bool, typer.Option("--drop", help="Discard the claim.")] = False,
    as_json: AsJson = False,
) -> None:
    """Record a waiting claim about a person, or discard it."""
    memory = Memory.open()
    if not identifier:
        present(memory.waiting(), _show_waiting, as_json=as_json)
        return
    done = memory.confirm(identifier, accept=not drop)
    present(
        done,
        wording.confirmed(done, ALL, COMMANDS),
        as_json=as_json,
        form=lambda done: curated_json(done) if isinstance(done, Curated) else done,
    )


def _show_waiting(waiting: Sequence[Pending]) -> None:
    table(
        ("id", "type", "replaces", "text"),
        [(one.id, one.kind.value, ", ".join(one.changes) or "-", one.message) for one in waiting],
        none="No claims are waiting.",
    )


def tidy(
    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of the entries that --summary replaces.", metavar="[ID]..."),
    ] = None,
    summary: Annotated[
        str,
        typer.Option("--summary", "-s", help="A learning that replaces the entries given by ID."),
    ] = "",
    dry_run: DryRun = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Maximum number of entries to archive.")
    ] = CAP,
    acknowledge: AcknowledgeReplacing = False,
    as_json: AsJson = False,
) -> None:
    """Archive expired and duplicate entries; list groups that one summary could replace.

    With IDs and --summary, instead record the summary and archive these entries. Goals, problems,
    gotchas, rejected approaches and pinned entries ([pinned:: yes]) are never archived
    automatically. Nothing is deleted: `mind restore` brings each entry back.
    """
    memory = Memory.open()
    if ids or summary:
        done = memory.consolidate(ids or [], summary, acknowledge=acknowledge)
        present(done, wording.consolidated(done, ALL, COMMANDS), as_json=as_json)
    else:
        present(memory.tidy(dry_run=dry_run, limit=limit), _show_tidied, as_json=as_json)


def _show_tidied(done: TidyPlan) -> None:
    rows = [
        (step.what, one.id, str(one.date or "-"), one.title, step.reason)
        for step in done.steps
        for one in step.entries
    ]
    table(("what", "id", "date", "title", "reason"), rows)
    say(f"{counted(len(rows), 'entry')} {'archived' if done.done else 'would be archived'}.")
    if done.left:
        note(
            f"{done.left:,} more remain: one run archives at most {CAP} by default. Add "
            f"`--limit {len(rows) + done.left}` to archive all."
        )
    _show_groups(done)


def _show_groups(done: TidyPlan) -> None:
    for alike in done.groups:
        say("Similar entries that one summary could replace:")
        table(("id", "date", "title"), [(one.id, str(one.date), one.title) for one in alike])
    if done.missing:
        note(done.missing)
    if done.groups:
        note(f'To merge a group, run {program()} tidy ID ID --summary "…"')


def use(
    ids: Annotated[
        list[str], typer.Argument(help="Entry ids, as listed by `mind search`.", metavar="ID...")
    ],
    outcome: Annotated[
        Outcome,
        typer.Option(
            "--outcome",
            "-o",
            help="applied: it helped; ignored: it did not matter; contradicted: it is wrong; "
            "corrected: it was wrong and is now correct.",
        ),
    ] = Outcome.APPLIED,
    why: Annotated[str, typer.Option("--note", help="A note on the outcome.")] = "",
    as_json: AsJson = False,
) -> None:
    """Record whether entries helped; `mind health` counts it."""
    done = Memory.open().record_use(ids, outcome, why)
    recorded = f"Recorded as {done.outcome}: {', '.join(one.id for one in done.entries)}"
    present(done, "" if done.problem else recorded, as_json=as_json)
    problems([done.problem] if done.problem else [])
    if done.missing:
        note_missing(done.missing)
        raise typer.Exit(1)


@archive.command("list")
def list_(
    query: Annotated[
        list[str] | None, typer.Argument(help="Only entries that contain all these words.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Maximum number of entries.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List archived entries, newest first."""
    found = Memory.open().archive(" ".join(query or []), limit=limit)
    present(found, _show_archive, as_json=as_json, form=lambda archive: archive.blocks)


def _show_archive(found: ArchivedEntries) -> None:
    rows = [(one.id, one.day.isoformat(), one.reason, one.one_line) for one in found.blocks]
    table(("id", "date", "reason", "text"), rows, none="No archived entries.")
    if found.total > len(found.blocks):
        note(f"{found.total - len(found.blocks)} more; raise --limit to see them.")


@archive.command()
def show(identifier: Id, as_json: AsJson = False) -> None:
    """Show an archived entry in full."""
    found = [
        one for one in Memory.open().archive(limit=1000).blocks if one.id == identifier.lstrip("^")
    ]
    if not found:
        raise NotFound(
            f"no archived entry has the id {identifier!r}",
            remedy="List archived entries with `mind archive list`.",
        )
    present(found, _show_archived, as_json=as_json)


def _show_archived(found: Sequence[Archived]) -> None:
    for one in found:
        by = f"; replaced by {one.replaced_by}" if one.replaced_by not in ("", one.id) else ""
        say(f"{one.id} archived on {one.day.isoformat()}: {one.reason}{by}")
        section = f", section {' › '.join(one.section)}" if one.section else ""
        say(f"from {one.file}:{one.line}{section}")
        say(one.text.decode("utf-8", "replace").rstrip())


@archive.command()
def prune(
    older_than: Annotated[
        int,
        typer.Option(
            "--older-than", help="Delete entries archived more than DAYS ago.", metavar="DAYS"
        ),
    ],
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Permanently delete old archived entries."""
    memory = Memory.open()
    old = memory.prune(older_than, dry_run=True)
    if old and not dry_run:
        if not yes:
            typer.confirm(f"Permanently delete {len(old)} archived entries?", abort=True)
        old = memory.prune(older_than)
    lines = [f"{one.id} {one.day.isoformat()} {one.one_line}" for one in old]
    lines.append(f"{len(old)} {'would be deleted' if dry_run else 'deleted'}.")
    present(old, "\n".join(lines), as_json=as_json)


Tag = Annotated[str, typer.Argument(help="A tag, with or without `#`.", metavar="TAG")]

tags = group("List, rename and mute tags (#tag).", alone=True)
scopes = tags
"""The name of the command before it was called `tags`."""


@tags.callback()
def overview(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tags, as `mind tags list` does."""
    command = context.invoked_subcommand
    if command is None:
        list_tags(as_json=as_json)
    elif as_json:
        raise InputError(
            "--json must follow the command", remedy=f"Use `mind tags {command} --json`."
        )


@tags.command("list")
def list_tags(as_json: AsJson = False) -> None:
    """List tags, most used first, and flag those that may be misspelled."""
    present(Memory.open().tags(), _show_tags, as_json=as_json)


def _show_tags(found: TagOverview) -> None:
    rows = [
        (
            f"#{one.name}",
            str(one.entries),
            f"{one.share:.0%}",
            str(one.last or "-"),
            " ".join((f"#{one.like}?" * bool(one.like), "muted" * one.muted)).strip(),
        )
        for one in found.tags
    ]
    table(("tag", "entries", "share", "last", ""), rows)
    note(f"{found.untagged} entries of {found.project} have no tag.")
    if found.allowed:
        note(f"Tags allowed on new entries: {', '.join(found.allowed)}.")
    if found.others:
        note(f"Other projects, included by `mind search --all`: {', '.join(found.others)}.")


@tags.command()
def rename(
    old: Tag,
    new: Tag,
    archived: Annotated[
        bool, typer.Option("--archive/--no-archive", help="Include the archive.")
    ] = True,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Rename a tag everywhere except in code, links and headings."""
    done = Memory.open().rename_tag(old, new, archive=archived, dry_run=dry_run)
    would = "Would rename" if dry_run else "Renamed"
    name = f"{would} #{done.old} to #{done.new}"
    lines = (f"{name}: {count} in {file}" for file, count in done.files.items())
    present(done, "\n".join(lines), as_json=as_json)


@tags.command()
def mute(tag: Tag, as_json: AsJson = False) -> None:
    """Hide a tag's entries from search and recall until this session ends."""
    memory = Memory.open()
    _muted(memory.mute_tag(tag), as_json=as_json)
    if not memory.has_tag(tag):
        name = tag.lstrip("#")
        problems([f"No entry has the tag #{name}. Run `{program()} tags` to list the tags."])


@tags.command()
def unmute(tag: Tag, as_json: AsJson = False) -> None:
    """Show a muted tag's entries again."""
    _muted(Memory.open().unmute_tag(tag), as_json=as_json)


def _muted(muted: tuple[str, ...], *, as_json: bool) -> None:
    names = ", ".join(f"#{tag}" for tag in muted)
    told = f"Muted until the session ends: {names}." if muted else "No tags are muted."
    present(muted, told, as_json=as_json)
