"""`mind export` and `mind import`: write a memory to one file, and read one in."""

import sys
from collections import Counter
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import (
    AsJson,
    DryRun,
    is_terminal,
    note,
    present,
    progress,
    say,
    show_json,
    table,
)
from mind.domain.entry import counted
from mind.domain.errors import InputError, PathOutside
from mind.memory.memory import Memory
from mind.storage import files
from mind.storage.process import write_utf8
from mind.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mind.memory.exporting import Exported
    from mind.memory.importing import Report


_TALK = "claude-code"
"""The source from which only chosen sentences are imported."""


class Format(StrEnum):
    """The format of an export."""

    JSONL = "jsonl"
    HTML = "html"


def export(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to this file. Default: standard output.", metavar="FILE"
        ),
    ] = None,
    how: Annotated[
        Format,
        typer.Option(
            "--format",
            help="`jsonl` for `mind import` and programs; `html` for people.",
        ),
    ] = Format.JSONL,
    with_archive: Annotated[
        bool, typer.Option("--archive/--no-archive", help="Include archived entries.")
    ] = True,
    with_reminders: Annotated[
        bool, typer.Option("--reminders/--no-reminders", help="Include reminders.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --output, print a summary as JSON.")
    ] = False,
) -> None:
    """Export this memory to one file, to move, back up or read it.

    The JSON Lines format contains every file unchanged, and each entry as an object. Notes of
    running sessions are left out and counted: the lasting ones move to memory when their session
    ends. An earlier export in FILE is replaced; any other file is never overwritten.
    """
    if as_json and output is None:
        raise InputError(
            "--json needs --output",
            remedy="Pass --output FILE, or omit --json: the export itself is JSON Lines.",
        )
    memory = Memory.open()
    if output is not None and output.absolute().parent == memory.project.folder.absolute():
        raise PathOutside(
            f"{output} is in the memory's own folder", remedy="Choose a file outside of it."
        )
    if output is not None:
        _refuse_another(output)
    made = memory.export(how.value, with_archive=with_archive, with_reminders=with_reminders)
    if output is not None:
        files.write(output, made.text.encode("utf-8"))
    elif is_terminal():
        sys.stdout.write(visible(made.text))
    else:
        write_utf8(made.text)
    if as_json:
        told = {
            name: getattr(made, name)
            for name in ("entries", "archived", "reminders", "session", "exposed")
        }
        show_json({"file": output, **told})
    elif output is not None:
        note(
            f"Wrote {counted(made.entries, 'entry')}, {made.archived} archived and "
            f"{counted(made.reminders, 'reminder')} to {output}."
        )
    _warn(made)


def _refuse_another(output: Path) -> None:
    from mind.memory.exporting import GENERATOR  # noqa: PLC0415 - hardly ever needed

    known = files.read(output) if output.is_file() else None
    if (
        known
        and not known.startswith(b'{"record": "header"')
        and GENERATOR.encode() not in known[:2_000]
    ):
        raise InputError(
            f"{output} exists and is not an export", remedy="Choose a new file, or delete this one."
        )


def _warn(made: "Exported") -> None:
    if made.session:
        note(
            f"! The export lacks {made.session} notes of running sessions. Export again after "
            "those sessions end: the lasting notes are in memory then."
        )
    for one in made.exposed:
        note(f"! {one.path}:{one.line} contains a secret ({one.name}), masked in the export.")
    if made.exposed:
        note("Revoke it, then remove it from the file.")


def import_(
    source: Annotated[
        str, typer.Argument(help="A file from `mind export`, or a tool.", metavar="[SOURCE]")
    ] = "",
    path: Annotated[
        Path | None,
        typer.Argument(
            help="Path of the tool's data. Default: its usual location.", metavar="[PATH]"
        ),
    ] = None,
    found: Annotated[
        bool, typer.Option("--list", help="List the supported tools and the data found here.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Include what the tool filed under other projects.")
    ] = False,
    dry_run: DryRun = False,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Record all sentences found by claude-code, unasked."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import an export of Mind, or the memory of another tool.

    If SOURCE is an export and there is no memory yet, its files are restored byte for byte.
    Otherwise new entries are added under their date; duplicates, forgotten entries and secrets are
    left out. Importing twice changes nothing.

    If SOURCE is a tool, its data is only read. Each entry records its origin
    ([from:: adr:0001-redis]) and is not imported again; it is archived if the origin is no longer
    in force, unless you changed, restored or pinned it. An entry of unknown type becomes a note.
    --list shows the supported tools; --dry-run shows what would be added.

    claude-code reads session transcripts: it shows sentences that may be worth keeping, and records
    those you accept. An agent should record what a colleague would want to know with `mind log`.
    """
    memory = Memory.open()
    if found or not source:
        _list(memory, as_json=as_json)
        return
    is_export = path is None and _is_export(source)
    is_asked = not is_export and source == _TALK and not (yes or as_json)
    chosen = _asked(memory, path) if is_asked else None
    done: Report[Any]
    with progress(as_json=as_json) as told:
        if is_export:
            done = memory.import_(Path(source), dry_run=dry_run, progress=told)
        else:
            done = memory.import_from(
                source, path, everything=everything, dry_run=dry_run or chosen == set(),
                progress=told, only=chosen,
            )  # fmt: skip
    present(done, _show, as_json=as_json, form=partial(_report, is_export=is_export))


def _asked(memory: Memory, path: Path | None) -> set[str]:
    """Show candidate sentences of sessions, and return those the user accepts."""
    rows = memory.import_from(_TALK, path, dry_run=True).new
    chosen = set[str]()
    is_asked = is_terminal() and sys.stdin.isatty()
    for at, row in enumerate(rows, 1):
        say(f"{at}. {row.text}  ({row.place})")
        if is_asked:
            answer: str = typer.prompt("   Record it? y, n or q", default="n")
            if answer.lower().startswith("q"):
                break
            chosen |= {row.key} if answer.lower().startswith("y") else set()
    if rows and not is_asked:
        say("To record these, use `mind log` for what matters, or --yes for all of them.")
    return chosen


def _is_export(source: str) -> bool:
    """True if ``source`` is the path of a file rather than the name of a tool."""
    from mind.sources.importers import importers  # noqa: PLC0415 - only for an import

    path = Path(source)
    is_path = len(path.parts) > 1 or bool(path.suffix)
    return source not in importers() and (is_path or path.exists())


def _list(memory: Memory, *, as_json: bool) -> None:
    offers = memory.stores()
    if as_json:
        show_json(offers)
        return
    from mind.sources.importers import importers  # noqa: PLC0415 - only for an import

    rows = [
        (one.source, one.problem or f"{one.memories:,}", _left_out(one.left_out) or "-", one.place)
        for one in offers
    ]
    if rows:
        table(("source", "memories", "left out", "location"), rows)
        say("Run `mind import SOURCE --dry-run` to see what would be added.")
    else:
        say("No data of another tool found at its usual location.")
    found = {one.source for one in offers}
    others = {one.name: one.about for one in importers().values() if one.name not in found}
    if others:
        say("Other tools, for `mind import SOURCE PATH`:")
        table(("source", "data"), sorted(others.items()))


def _left_out(counts: "Mapping[str, int]") -> str:
    return ", ".join(f"{count:,} {why}" for why, count in counts.items())


def _report(done: "Report[Any]", *, is_export: bool) -> dict[str, object]:
    """Return the JSON form of an import: where it came from, counts, and rows."""
    told: dict[str, object] = {"project" if is_export else "source": done.source}
    told |= {} if is_export else {"places": done.places}
    told |= {name: done.count(name) for name in ("added", "known", "refused")}
    more = {"archived": done.count("archived"), "left_out": done.left_out}
    told |= {"whole": done.whole} if is_export else more
    return told | {"written": done.written, "dry_run": done.dry_run, "records": done.rows}


def _show(done: "Report[Any]") -> None:
    for place in done.places:
        say(f"Read {place}.")
    would = "Would add" if done.dry_run else "Added"
    say(
        f"{would} {done.count('added')} from {done.source}; "
        f"{done.count('known')} already recorded, {done.count('refused')} rejected."
    )
    if done.places and done.new:
        kinds = Counter(row.kind for row in done.new)
        say(f"By kind: {', '.join(counted(count, kind) for kind, count in kinds.most_common())}.")
    if done.left_out:
        say(f"Left out: {_left_out(done.left_out)}.")
    if count := done.count("archived"):
        would = "Would archive" if done.dry_run else "Archived"
        say(f"{would} {counted(count, 'entry')} no longer in force; `mind restore ID` undoes it.")
    _show_rows(done)


def _show_rows(done: "Report[Any]") -> None:
    for row in done.rows:
        said = f"{row.kind or row.record} {row.id} {_short(row.text)}".rstrip()
        if row.outcome in ("refused", "archived", "kept"):
            say(f"  - {said}: {row.reason}")
        elif row.outcome == "added" and done.dry_run:
            say(f"  + {said}")
    for name in done.written:
        say(f"{'Would change' if done.dry_run else 'Changed'} {name}.")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 80 else f"{plain[:79]}…"
