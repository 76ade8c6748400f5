"""`mind blame`, `mind log-history`, `mind diff`: a memory through the commits of its repository.

`mind merge-file` stands here for its help; git's own calls never come this far.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import AsJson, note, say, show_json, table
from mind.memory.memory import Memory
from mind.memory.plain import entry_json, version_json

if TYPE_CHECKING:
    from mind.memory.entry_history import Difference, Life, Version

_CUT = "The history of this clone was cut: it may be older. `git fetch --unshallow` gets the rest."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(blame)
    app.command("log-history")(log_history)
    app.command()(diff)
    app.command("merge-file", hidden=True)(merge_file)


def blame(
    identifier: Annotated[
        str, typer.Argument(help="Of an entry, in memory or archived.", metavar="ID")
    ],
    as_json: AsJson = False,
) -> None:
    """Show who wrote an entry and who changed it last, when, and in which commits.

    An entry is followed through corrections, edits by hand and moves to the archive and back, and
    through branches and merges. What is not committed yet says so.
    """
    found = Memory.open().life(identifier)
    if as_json:
        both = {"wrote": version_json(found.wrote), "changed": version_json(found.changed)}
        show_json({"id": found.id, "where": found.where, **both, "shallow": found.cut})
        return
    say(f"{found.id}  {found.where}")
    rows = [found.wrote]
    if found.changed is not found.wrote:
        rows.append(found.changed)
    table(("what", "when", "who", "commit", "subject"), [_row(one) for one in rows])
    say(found.changed.text)
    _tell_cut(found)


def log_history(
    identifier: Annotated[
        str, typer.Argument(help="Of an entry, in memory or archived.", metavar="ID")
    ],
    as_json: AsJson = False,
) -> None:
    """Show every version of an entry, the latest first, with the commit that made it.

    Corrections and edits by hand are told by the id or by likeness (0.6 and above, in the same
    section); so is what was archived, why, and what came back.
    """
    found = Memory.open().life(identifier)
    if as_json:
        versions = [version_json(one) for one in found.versions]
        show_json(
            {"id": found.id, "where": found.where, "versions": versions, "shallow": found.cut}
        )
        return
    for one in found.versions:
        what, when, who, commit, subject = _row(one)
        why = f" ({one.reason})" if one.reason else ""
        say(f"{what}{why}  {when}  {who}  {commit}  {subject}".rstrip())
        for line in one.text.splitlines():
            say(f"    {line}")
    _tell_cut(found)


def _row(one: "Version") -> tuple[str, str, str, str, str]:
    if one.commit is None:
        return one.what, "now", "you", "-", "not committed yet"
    commit = one.commit
    when = commit.at.strftime("%Y-%m-%d %H:%M")
    return one.what, when, f"{commit.author} <{commit.email}>", commit.id[:10], commit.subject


def _tell_cut(found: "Life") -> None:
    if found.cut:
        note(_CUT)


def diff(
    revisions: Annotated[
        str,
        typer.Argument(
            help="OLD..NEW, or OLD alone: up to the files as they are.", metavar="[REV..REV]"
        ),
    ] = "HEAD",
    as_json: AsJson = False,
) -> None:
    """Show which entries were added, changed, archived and removed between two revisions.

    `mind diff` shows what is not committed; `mind diff main..topic` what a branch brings, before it
    is merged; `mind diff v1.2` all since a release.
    """
    found = Memory.open().difference(revisions)
    if as_json:
        show_json(_difference_json(found))
        return
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
    if rows:
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
    ours: Annotated[Path, typer.Argument(help="One side; gets the result.")],
    theirs: Annotated[Path, typer.Argument(help="The other side.")],
    name: Annotated[str, typer.Argument(help="Where the file stands.", metavar="PATH")],
    marks: Annotated[int, typer.Argument(help="Characters of a conflict marker.")] = 7,
) -> None:
    """Merge one file of a memory entry by entry, for git.

    `mind init` makes git run this for MEMORY.md, REMINDERS.md and ARCHIVE.md. Exit codes: 0 merged;
    1 there is a conflict to decide, between git's ordinary markers.
    """
    from mind.setup.git import driver  # noqa: PLC0415 - only git asks for it

    raise typer.Exit(driver.main([str(base), str(ours), str(theirs), name, str(marks)]))
