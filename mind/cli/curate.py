"""`mind update`, `forget`, `archive`, `tidy`, `scopes` and the like: change what is recorded."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from mind.cli.app import group
from mind.cli.output import (
    AsJson,
    DryRun,
    note,
    note_missing,
    present,
    problems,
    program,
    say,
    show_json,
    table,
)
from mind.cli.session import Acknowledge, show_logged, show_overridden, show_pending
from mind.documents.archive import Archived
from mind.domain.errors import InputError, NotFound
from mind.memory.answers import Archive, Curated, Logged
from mind.memory.curate import Outcome
from mind.memory.memory import Memory
from mind.memory.plain import curated_json
from mind.memory.scopes import Scopes
from mind.memory.tidy import Plan
from mind.storage.pending import Pending

Id = Annotated[str, typer.Argument(help="Id of an entry, as searches list it.", metavar="ID")]

archive = group("What was forgotten, corrected or superseded.")


def _done(curated: Curated, what: str, *, as_json: bool) -> None:
    present(curated, partial(_show_done, what), as_json=as_json, form=curated_json)


def _show_done(what: str, curated: Curated) -> None:
    say(f"{what} {curated.entry.id}: {curated.entry.title} [{curated.entry.where}]")
    if what == "Restored" and curated.archived:
        say(f"It had been archived on {curated.archived.day}: {curated.archived.reason}")
    if what == "Archived":
        say(f"`{program()} restore {curated.entry.id}` puts it back.")
    for one in curated.along:
        say(f"  with it {one.id}: {one.title}")
    show_overridden(curated.protected)


def update(
    identifier: Id,
    text: Annotated[list[str], typer.Argument(help="The whole new text.")],
    acknowledge: Acknowledge = False,
    as_json: AsJson = False,
) -> None:
    """Correct an entry in its place.

    It keeps its id, date and type; the old words go to the archive. What another entry says, or
    was forgotten, is told and not written. A claim about a person waits for `mind confirm`.
    """
    done = Memory.open().update(identifier, " ".join(text), acknowledge=acknowledge)
    if done.pending and not as_json:
        show_pending(done.pending)
        return
    _done(done, "Corrected", as_json=as_json)


def forget(
    identifier: Id,
    reason: Annotated[
        str, typer.Option("--reason", "-r", help="Why; told to whoever notes the same again.")
    ],
    replaced_by: Annotated[
        str, typer.Option(help="Id of the entry that is true instead.", metavar="ID")
    ] = "",
    acknowledge: Annotated[
        bool,
        typer.Option("--acknowledge", "-y", help="Also if it is a goal, a lesson or pinned."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Move an entry to .mind/ARCHIVE.md; `mind restore` puts it back where it stood.

    Goals, problems, blockers, gotchas, rejected approaches and pinned entries ([pinned:: yes]) are
    protected: they need --acknowledge.
    """
    done = Memory.open().forget(
        identifier, reason, replaced_by=replaced_by, acknowledge=acknowledge
    )
    _done(done, "Archived", as_json=as_json)


def restore(identifier: Id, as_json: AsJson = False) -> None:
    """Put an archived entry back where it stood, byte for byte."""
    _done(Memory.open().restore(identifier), "Restored", as_json=as_json)


def confirm(
    identifier: Annotated[
        str, typer.Argument(help="What `mind log` gave; without, what waits is listed.")
    ] = "",
    drop: Annotated[bool, typer.Option("--drop", help="Drop it instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Record a claim about a person that waits for a yes, or drop it."""
    memory = Memory.open()
    if not identifier:
        present(memory.waiting(), _show_waiting, as_json=as_json)
        return
    done = memory.confirm(identifier, accept=not drop)
    if isinstance(done, Curated):
        _done(done, "Corrected", as_json=as_json)
    else:
        present(done, _show_confirmed, as_json=as_json)


def _show_waiting(waiting: Sequence[Pending]) -> None:
    if not waiting:
        note("Nothing waits.")
        return
    table(
        ("id", "type", "instead of", "text"),
        [(one.id, one.kind.value, ", ".join(one.changes) or "-", one.message) for one in waiting],
    )


def _show_confirmed(done: Logged | Plan | Pending) -> None:
    if isinstance(done, Logged):
        show_logged(done)
    elif isinstance(done, Plan):
        say("\n".join(f"Recorded: {step.line}" for step in done.steps))
        show_overridden(done.protected)
    else:
        say(f"Dropped: {done.message}")


def tidy(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Entries that --summary replaces.", metavar="[ID]...")
    ] = None,
    summary: Annotated[
        str,
        typer.Option("--summary", "-s", help="One learning instead of the entries with the IDs."),
    ] = "",
    dry_run: DryRun = False,
    acknowledge: Acknowledge = False,
    as_json: AsJson = False,
) -> None:
    """Archive expired and repeated entries; list those that one summary could replace.

    With IDs and --summary, record the summary and archive these entries instead. Goals, problems,
    gotchas, rejected approaches and pinned entries ([pinned:: yes]) stay. Nothing is deleted:
    `mind restore` puts each entry back.
    """
    memory = Memory.open()
    if ids or summary:
        done = memory.consolidate(ids or [], summary, acknowledge=acknowledge)
    else:
        done = memory.tidy(dry_run=dry_run)
    present(done, _tidied, as_json=as_json)


def _tidied(done: Plan) -> None:
    if done.pending:
        show_pending(done.pending)
        return
    rows = [
        (step.what, one.id, str(one.date or "-"), one.title, step.reason)
        for step in done.steps
        for one in step.entries
    ]
    if rows:
        table(("what", "id", "date", "title", "reason"), rows)
    for step in done.steps:
        if step.line:
            say(f"Recorded: {step.line}")
    show_overridden(done.protected)
    say(f"{len(rows)} entries {'archived' if done.done else 'would be archived'}.")
    if done.left:
        note(f"{done.left} more next time: one sweep moves 200 at most.")
    _show_groups(done)


def _show_groups(done: Plan) -> None:
    for alike in done.groups:
        say("Nearly the same, for one summary:")
        table(("id", "date", "title"), [(one.id, str(one.date), one.title) for one in alike])
    if done.missing:
        note(done.missing)
    if done.groups:
        note(f'Sum up a group: {program()} tidy ID ID --summary "…"')


def use(
    ids: Annotated[list[str], typer.Argument(help="Ids as a search lists them.", metavar="ID...")],
    outcome: Annotated[
        Outcome,
        typer.Option(
            "--outcome",
            "-o",
            help="It helped; did not matter; is wrong; was wrong and stands corrected.",
        ),
    ] = Outcome.APPLIED,
    why: Annotated[str, typer.Option("--note", help="In what way.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say what became of entries that you read; `mind health` counts it."""
    done = Memory.open().record_use(ids, outcome, why)
    if as_json:
        show_json(done)
    elif not done.problem:
        say(f"Noted as {done.outcome}: {', '.join(one.id for one in done.entries)}")
    problems([done.problem] if done.problem else [])
    if done.missing:
        note_missing(done.missing)
        raise typer.Exit(1)


@archive.command("list")
def list_(
    query: Annotated[list[str] | None, typer.Argument(help="Only what has all words.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most rows.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List what was taken out of memory, the latest first."""
    found = Memory.open().archive(" ".join(query or []), limit=limit)
    present(found, _show_archive, as_json=as_json, form=lambda archive: archive.blocks)


def _show_archive(found: Archive) -> None:
    if not found.blocks:
        note("Nothing was archived.")
        return
    rows = [(one.id, one.day.isoformat(), one.reason, _text(one)) for one in found.blocks]
    table(("id", "date", "reason", "text"), rows)
    if found.total > len(found.blocks):
        note(f"{found.total - len(found.blocks)} more; see --limit.")


@archive.command()
def show(identifier: Id, as_json: AsJson = False) -> None:
    """Show an archived entry whole."""
    found = [
        one for one in Memory.open().archive(limit=1000).blocks if one.id == identifier.lstrip("^")
    ]
    if not found:
        raise NotFound(
            f"nothing in the archive has the id {identifier!r}",
            remedy="`mind archive list` shows what was forgotten.",
        )
    present(found, _show_archived, as_json=as_json)


def _show_archived(found: Sequence[Archived]) -> None:
    for one in found:
        by = f"; replaced by {one.replaced_by}" if one.replaced_by not in ("", one.id) else ""
        say(f"{one.id} archived on {one.day.isoformat()}: {one.reason}{by}")
        say(f"from {one.file}:{one.line}, under {' › '.join(one.section) or 'the top'}")
        say(one.text.decode("utf-8", "replace").rstrip())


@archive.command()
def prune(
    older_than: Annotated[
        int, typer.Option("--older-than", help="Days since it was archived.", metavar="DAYS")
    ],
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete for good what was archived long ago. Nothing else in Mind deletes."""
    memory = Memory.open()
    old = memory.prune(older_than, dry_run=True)
    if old and not dry_run:
        if not yes:
            typer.confirm(f"Delete {len(old)} archived entries for good?", abort=True)
        old = memory.prune(older_than)
    lines = [f"{one.id} {one.day.isoformat()} {_text(one)}" for one in old]
    lines.append(f"{len(old)} {'would be deleted' if dry_run else 'deleted'}.")
    present(old, "\n".join(lines), as_json=as_json)


def _text(one: Archived) -> str:
    return " ".join(one.text.decode("utf-8", "replace").split())


Tag = Annotated[str, typer.Argument(help="With its hash or without.", metavar="TAG")]

scopes = group("Tags (#tag) and projects: what a memory is divided into.", alone=True)


@scopes.callback()
def overview(context: typer.Context, as_json: AsJson = False) -> None:
    """List the tags, as `mind scopes list` does."""
    command = context.invoked_subcommand
    if command is None:
        list_scopes(as_json=as_json)
    elif as_json:
        raise InputError(
            "--json stands before the command", remedy=f"Use `mind scopes {command} --json`."
        )


@scopes.command("list")
def list_scopes(as_json: AsJson = False) -> None:
    """List the tags, the most common first; rare ones that may be misspelled are told."""
    present(Memory.open().scopes(), _show_scopes, as_json=as_json)


def _show_scopes(found: Scopes) -> None:
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
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Give a tag another name everywhere, but not in code, links and headings."""
    done = Memory.open().rename_scope(old, new, archive=archived, dry_run=dry_run)
    would = "would be" if dry_run else "is now"
    lines = (f"#{done.old} {would} #{done.new}: {n} in {file}" for file, n in done.files.items())
    present(done, "\n".join(lines), as_json=as_json)


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
    names = ", ".join(f"#{tag}" for tag in tags)
    told = f"Muted until the session ends: {names}." if tags else "No tag is muted."
    present(tags, told, as_json=as_json)
