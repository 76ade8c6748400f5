"""`mind export` and `mind import`: a memory in one file, and back."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind import files
from mind.cli.output import AsJson, note, say, show_json
from mind.cli.progress import progress
from mind.errors import PathOutside
from mind.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mind.importing import Imported
    from mind.sources.exposed import Exposed


class Format(StrEnum):
    """How an export is written."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(export)
    app.command("import")(import_)


def export(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file.", metavar="FILE"),
    ] = None,
    how: Annotated[
        Format,
        typer.Option("--format", help="`jsonl` for `mind import` and programs, or `markdown`."),
    ] = Format.JSONL,
    with_archive: Annotated[
        bool, typer.Option("--archive/--no-archive", help="With what was taken out of memory.")
    ] = True,
    with_reminders: Annotated[
        bool, typer.Option("--reminders/--no-reminders", help="With the reminders.")
    ] = True,
) -> None:
    """Write all of this memory as one file, to move it, keep it or read it.

    The JSON Lines hold every file as it is, and each entry as an object. The notes of the running
    session are not in it.
    """
    memory = Memory.open()
    if output is not None and output.absolute().parent == memory.project.folder.absolute():
        raise PathOutside(
            f"{output} is in the memory itself", remedy="Name a file outside of the memory."
        )
    made = memory.export(how.value, with_archive=with_archive, with_reminders=with_reminders)
    if output is None:
        sys.stdout.write(made.text)
    else:
        files.write(output, made.text.encode("utf-8"))
        note(
            f"Wrote {made.entries} entries, {made.archived} archived and {made.reminders} "
            f"reminders to {output}."
        )
    _warn(made.exposed)


def _warn(exposed: "Sequence[Exposed]") -> None:
    for one in exposed:
        note(f"! {one.path}:{one.line} holds a credential ({one.name}), and so does the export.")
    if exposed:
        note("Revoke it, take it out of the file, and export again before you pass this on.")


def import_(
    path: Annotated[Path, typer.Argument(help="What `mind export` wrote.", metavar="FILE")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what `mind export` wrote.

    Where there is no memory yet, the files come back byte for byte. Else what is new is added under
    its day; what memory says already or was made to forget, and credentials, are left out. Running
    it again changes nothing.
    """
    with progress(as_json=as_json) as told:
        done = Memory.open().import_(path, dry_run=dry_run, progress=told)
    if as_json:
        show_json(_json(done))
    else:
        _show(done)


def _json(done: "Imported") -> dict[str, object]:
    return {
        "project": done.project,
        "added": done.count("added"),
        "known": done.count("known"),
        "refused": done.count("refused"),
        "transient": done.transient,
        "whole": done.whole,
        "written": done.written,
        "dry_run": done.dry_run,
        "records": done.rows,
    }


def _show(done: "Imported") -> None:
    would = "Would add" if done.dry_run else "Added"
    say(
        f"{would} {done.count('added')} from {done.project}; {done.count('known')} known already, "
        f"{done.count('refused')} refused."
    )
    if done.dry_run:
        for row in done.of("added"):
            say(f"  + {row.record} {row.id} {_short(row.text)}")
    for row in done.of("refused"):
        say(f"  - {row.record} {row.id} {_short(row.text)}".rstrip() + f": {row.reason}")
    if done.transient:
        note(f"{done.transient} of them may not be true for long; `mind search` shows their dates.")
    for name in done.written:
        say(f"{'Would change' if done.dry_run else 'Changed'} {name}.")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 80 else f"{plain[:79]}…"
