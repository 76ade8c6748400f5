"""`mind timeline`, `show`, `history`, `blame` and others: the history of entries and files."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import AsJson, note, note_missing, present, say, table
from mind.cli.search import show_hits
from mind.domain.entry import DESPITE, Entry
from mind.memory.as_json import details_json, entry_json, timeline_json, version_json
from mind.memory.memory import Memory
from mind.memory.overview import markdown_of
from mind.search.results import Details, NearbyEntries, Timeline
from mind.sources.file_history import FileChange, FileHistory

if TYPE_CHECKING:
    from mind.memory.entry_history import Difference, EntryHistory, EntryVersion


Kinds = Annotated[
    list[str] | None,
    typer.Option("--type", "-t", help="Only entries of this type. Repeatable.", metavar="TYPE"),
]


def timeline(
    anchor: Annotated[
        list[str], typer.Argument(help="An entry's id, or a query; its best match is used.")
    ],
    before: Annotated[
        int, typer.Option("--before", "-b", help="Number of earlier entries, 0-50.")
    ] = 5,
    after: Annotated[int, typer.Option("--after", "-a", help="Number of later entries, 0-50.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the entries recorded just before and after an entry, oldest first."""
    found = Memory.open().timeline(" ".join(anchor), before=before, after=after)
    present(found, _show_timeline, as_json=as_json, form=timeline_json)


def _show_timeline(found: Timeline) -> None:
    rows = [("", one) for one in found.before]
    rows += [(">", found.anchor), *(("", one) for one in found.after)]
    table(
        ("", "id", "date", "type", "title", "where"),
        [(mark, *_row(one)) for mark, one in rows],
    )


def show(
    ids: Annotated[
        list[str], typer.Argument(help="Entry ids, as listed by `mind search`.", metavar="ID...")
    ],
    as_json: AsJson = False,
) -> None:
    """Show entries in full."""
    memory = Memory.open()
    found = memory.get(ids)
    present(found, partial(_show, memory), as_json=as_json, form=details_json)
    for old, new in found.edited.items():
        note(f"{old} was edited; its id is now {new}.")
    if found.missing:
        note_missing(found.missing)
        raise typer.Exit(1)


def _show(memory: Memory, found: Details) -> None:
    from mind.text.language import foreign  # noqa: PLC0415 - takes 10 ms, only needed here

    for one in found.entries:
        rows = [
            ("id", one.id),
            ("type", f"{one.kind.value}{f' ({one.status.value})' if one.status else ''}"),
            ("date", str(one.date or "-")),
            ("text", one.statement),
            ("why", one.reasoning),
            ("instead of", ", ".join(one.alternatives)),
            ("workaround", one.workaround),
            ("section", " > ".join(one.section)),
            ("tags", ", ".join(one.tags)),
            ("links", ", ".join(one.links)),
            ("language", foreign(one.text)),
            ("where", one.where),
            *((name, value) for name, value in one.fields.items() if name != DESPITE),
            *((DESPITE, told) for told in found.verdicts[one.id].despite),
            ("stale", "; ".join(found.verdicts[one.id].reasons)),
        ]
        table(("", ""), [row for row in rows if row[1]])
        below = markdown_of(memory, one).splitlines()[1:] if one.lead else one.code_lines
        for line in below:
            say(f"  {line}".rstrip())
        say("")


def around(
    anchor: Annotated[
        list[str], typer.Argument(help='An entry\'s id, or a date: "2026-03-01", "last friday".')
    ],
    days: Annotated[int, typer.Option("--days", "-d", help="Number of days before and after.")] = 7,
    kind: Kinds = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="Maximum number of entries, 1-50.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Show the entries recorded around an entry or a date, nearest first."""
    found = Memory.open().around(" ".join(anchor), days=days, kinds=kind or [], limit=limit)
    present(found, _show_around, as_json=as_json, form=lambda around: around.entries)


def _show_around(found: NearbyEntries) -> None:
    table(
        ("id", "date", "type", "title", "where"),
        [_row(one) for one in found.entries],
        none=f"No entries within {found.days} days of {found.day}.",
    )
    if found.total > len(found.entries):
        say(f"{found.total - len(found.entries)} more within {found.days} days of {found.day}.")


def recent(
    kind: Kinds = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="Maximum number of entries, 1-100.")
    ] = 10,
    offset: Annotated[
        int, typer.Option("--offset", help="Skip the first N entries.", metavar="N")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the latest entries, newest first."""
    found = Memory.open().recent(kinds=kind or [], limit=limit, offset=offset)
    present(
        found,
        show_hits,
        as_json=as_json,
        form=lambda found: [entry_json(hit.entry, hit.verdict) for hit in found.hits],
    )


def _row(one: Entry) -> tuple[str, str, str, str, str]:
    return one.id, str(one.date or "-"), one.kind.value, one.title, one.where


_CUT = "This is a shallow clone: the entry may be older. Run `git fetch --unshallow` for the rest."


def blame(
    identifier: Annotated[
        str, typer.Argument(help="Id of an entry, active or archived.", metavar="ID")
    ],
    as_json: AsJson = False,
) -> None:
    """Show who wrote an entry and who changed it last, when, and in which commits.

    Follows the entry through corrections, manual edits, moves to the archive and back, branches
    and merges. Uncommitted changes are marked.
    """
    present(
        Memory.open().life(identifier),
        _show_blame,
        as_json=as_json,
        form=lambda found: _life_json(
            found, wrote=version_json(found.wrote), changed=version_json(found.changed)
        ),
    )


def _life_json(found: "EntryHistory", **versions: object) -> dict[str, object]:
    return {"id": found.id, "where": found.where, **versions, "shallow": found.cut}


def _show_blame(found: "EntryHistory") -> None:
    say(f"{found.id}  {found.where}")
    rows = [found.wrote]
    if found.changed is not found.wrote:
        rows.append(found.changed)
    table(("what", "when", "who", "commit", "subject"), [_row_of_version(one) for one in rows])
    say(found.changed.text)
    _tell_cut(found)


def log_history(
    identifier: Annotated[
        str, typer.Argument(help="Id of an entry, active or archived.", metavar="ID")
    ],
    as_json: AsJson = False,
) -> None:
    """Show every version of an entry with its commit, newest first.

    Includes when and why it was archived, and when it was restored. Versions are matched by id, or
    by a similarity of 0.6 or more within the same section.
    """
    present(
        Memory.open().life(identifier),
        _show_life,
        as_json=as_json,
        form=lambda found: _life_json(found, versions=[*map(version_json, found.versions)]),
    )


def _show_life(found: "EntryHistory") -> None:
    for one in found.versions:
        what, when, who, commit, subject = _row_of_version(one)
        why = f" ({one.reason})" if one.reason else ""
        say(f"{what}{why}  {when}  {who}  {commit}  {subject}".rstrip())
        for line in one.text.splitlines():
            say(f"    {line}")
    _tell_cut(found)


def _row_of_version(one: "EntryVersion") -> tuple[str, str, str, str, str]:
    if one.commit is None:
        return one.what, "now", "you", "-", "not committed yet"
    commit = one.commit
    when = commit.at.strftime("%Y-%m-%d %H:%M")
    return one.what, when, f"{commit.author} <{commit.email}>", commit.id[:10], commit.subject


def _tell_cut(found: "EntryHistory") -> None:
    if found.cut:
        note(_CUT)


def diff(
    revisions: Annotated[
        str,
        typer.Argument(
            help="OLD..NEW; OLD...NEW for what changed on NEW since it branched off OLD; or OLD to "
            "compare with the working tree.",
            metavar="[REV..REV]",
        ),
    ] = "HEAD",
    as_json: AsJson = False,
) -> None:
    """Show which entries were added, changed, archived and removed between two revisions.

    `mind diff` shows uncommitted changes, `mind diff main...topic` the changes of a branch before
    you merge it, and `mind diff v1.2` all changes since a release.
    """
    found = Memory.open().difference(revisions)
    present(found, _show_difference, as_json=as_json, form=_difference_json)


def _show_difference(found: "Difference") -> None:
    rows = [("+", one.id, one.kind.value, one.text) for one in found.added]
    for change in found.changed:
        rows.append(("~", change.after.id, change.after.kind.value, change.after.text))
        if change.before.text != change.after.text:
            rows.append(("", "", "was", change.before.text))
    rows += [
        ("a", one.id, one.kind.value if one.kind else "-", f"{one.reason}: {_text(one.text)}")
        for one in found.archived
    ]
    rows += [("-", one.id, one.kind.value, one.text) for one in found.removed]
    table(("", "id", "type", "text"), rows)
    note(
        f"{len(found.added)} added (+), {len(found.changed)} changed (~), "
        f"{len(found.archived)} archived (a), {len(found.removed)} removed (-)."
    )


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace").strip()


def _difference_json(found: "Difference") -> dict[str, Any]:
    return {
        "old": found.old,
        "new": found.new or None,
        "added": [entry_json(one) for one in found.added],
        "changed": [
            {"before": entry_json(one.before), "after": entry_json(one.after)}
            for one in found.changed
        ],
        "archived": [
            {"id": one.id, "day": one.day, "reason": one.reason, "text": _text(one.text)}
            for one in found.archived
        ],
        "removed": [entry_json(one) for one in found.removed],
    }


def merge_file(
    base: Annotated[Path, typer.Argument(help="The common ancestor.")],
    ours: Annotated[Path, typer.Argument(help="Our side; receives the result.")],
    theirs: Annotated[Path, typer.Argument(help="Their side.")],
    name: Annotated[
        str, typer.Argument(help="Path of the file in the repository.", metavar="PATH")
    ],
    marks: Annotated[int, typer.Argument(help="Length of a conflict marker.")] = 7,
) -> None:
    """Merge one memory file entry by entry, as git's merge driver.

    `mind init` configures git to run this for MEMORY.md, REMINDERS.md and ARCHIVE.md. Exit codes:
    0 merged, 1 conflicts left between git's usual markers.
    """
    from mind.setup.git import driver  # noqa: PLC0415 - only git asks for it

    raise typer.Exit(driver.main([str(base), str(ours), str(theirs), name, str(marks)]))


def history(
    path: Annotated[str, typer.Argument(help="A file; it may since have been deleted or renamed.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", help="Maximum number of changes, 1-100.")
    ] = 20,
    offset: Annotated[int, typer.Option(help="Skip the N newest changes.", metavar="N")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show the edits and commits of a file, and the entries about it, newest first."""
    memory = Memory.open()
    here = Path.cwd() / path
    is_here = here.exists() and here.is_relative_to(memory.project.root)
    found = memory.file_history(str(here) if is_here else path, limit=limit, offset=offset)
    present(found, _show_changes, as_json=as_json)


def _show_changes(found: FileHistory) -> None:
    table(
        ("day", "what", "id", "title"),
        [_row_of_file(one) for one in found.changes],
        none="No more changes." if found.total else f"No history for {found.path}.",
    )
    if found.names:
        note(f"Earlier names of {found.path}: {', '.join(found.names)}.")
    last = found.offset + len(found.changes)
    if last < found.total:
        note(f"Showing {last} of {found.total}; use --offset {last} for more.")


def _row_of_file(one: FileChange) -> tuple[str, str, str, str]:
    times = f" ×{one.times}" if one.times > 1 else ""
    return str(one.day or "undated"), f"{one.what}{times}", one.id, one.title
