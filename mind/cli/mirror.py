"""`mind mirror`: the mirror of this project in PostgreSQL."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, note, present, problems, progress, say, show_json, table
from mind.domain.errors import InputError, MirrorError
from mind.memory import mirror as mirroring
from mind.memory.memory import Memory

mirror = group("Mirror memories to PostgreSQL, to search across projects and machines.")


@mirror.command()
def status(as_json: AsJson = False) -> None:
    """Show the mirror's location, contents and pending changes."""
    memory = Memory.open()
    found = mirroring.state(memory.project, memory.index, memory.meaning)
    present(found, _show, as_json=as_json)


def _show(found: mirroring.MirrorState) -> None:
    if not found.configured:
        say("No mirror. Set one: `mind config --user mirror.dsn postgresql://HOST/DATABASE`.")
        return
    if not found.chosen:
        say(f"{found.place}: this project is not mirrored. Run `mind mirror sync` to start.")
    else:
        table(("", ""), _rows(found))
    problems((*((found.problem,) if found.problem else ()), *found.warnings))


def _rows(found: mirroring.MirrorState) -> list[tuple[str, str]]:
    waiting = f"{found.backlog.pending:,} changes"
    if found.backlog.failed:
        waiting += f", {found.backlog.failed:,} of them rejected: {found.backlog.error}"
    if not found.profile:
        vectors = "none: no embedding model is installed"
    else:
        without = found.held - found.vectors
        vectors = f"{found.vectors:,} of {found.profile}"
        vectors += f"; {without:,} entries have none" if without else ""
    there = [
        ("mirrored", f"{found.held:,} of {found.entries:,} entries"),
        ("vectors", vectors),
        ("clones", ", ".join(found.clones) or "none yet"),
    ]
    return [
        ("mirror", found.place),
        ("team", found.team),
        ("project", found.project),
        *(there if found.reached else []),
        ("pending", waiting),
    ]


@mirror.command()
def sync(as_json: AsJson = False) -> None:
    """Send changes to the mirror; the first run starts mirroring this project.

    The first run writes mirror.project to .mind/config.json. Commit it, so that other clones send
    to the same project. From then on, a running server sends changes in the background.
    """
    memory = Memory.open()
    memory.project = mirroring.choose(memory.project)
    with progress(as_json=as_json) as shown:
        done = mirroring.drain(
            memory.project,
            memory.index,
            memory.meaning,
            progress=lambda at, of: shown("changes", at, of),
        )
    present(done, partial(_show_sent, memory), as_json=as_json)
    if done.refused:
        raise MirrorError(
            f"the mirror rejected {len(done.refused)} of the changes: {done.refused[0]}",
            remedy="The others were sent; these will be retried. See `mind mirror status`.",
        )


def _show_sent(memory: Memory, done: mirroring.SendResult) -> None:
    compared = " after a full comparison" if done.compared and not done.first else ""
    say(f"{done.sent:,} changes sent{compared}; {done.pending:,} pending.")
    if not done.profile:
        note("Sent without vectors: no embedding model is installed (see `mind models`).")
    if done.first:
        settings = memory.project.relative(memory.project.config)
        say(f"This project is new in the mirror. Commit {settings} so that other clones use it.")


@mirror.command()
def rebuild(
    every_clone: Annotated[
        bool,
        typer.Option(
            "--every-clone", help="Also delete what other clones sent; they send it again."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete this clone's data from the mirror and send it again.

    With --every-clone, entries of clones that no longer exist are lost from the mirror.
    """
    memory = Memory.open()
    mirroring.rebuild(memory.project, memory.index, every_clone=every_clone)
    sync(as_json=as_json)


@mirror.command()
def verify(
    queries: Annotated[
        Path | None,
        typer.Option(
            "--parity",
            help="Also compare search results for the queries in this file, one per line.",
            metavar="QUERIES",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the mirror with the files, entry by entry; exit code 1 if they differ."""
    memory = Memory.open()
    found = mirroring.verify(memory.project, memory.meaning)
    compared = None
    if queries is not None:
        compared = mirroring.parity(
            memory.project, memory.index, memory.meaning, _lines(queries), memory.now()
        )
    if as_json:
        show_json({"verified": found, "parity": compared})
    else:
        say(f"{found.entries:,} entries in the files; {found.vectors:,} vectors in the mirror.")
        for name, ids in (
            ("missing", found.missing),
            ("unexpected", found.extra),
            ("different", found.different),
        ):
            if ids:
                say(f"{len(ids):,} {name} in the mirror: {', '.join(ids[:10])}")
        if compared:
            _tell_parity(compared)
    if not found.is_exact:
        raise MirrorError(
            "the mirror differs from the files",
            remedy="Run `mind mirror sync`, or `mind mirror rebuild` if that does not help.",
        )
    if not as_json:
        say("The mirror matches the files.")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read", remedy="Pass a UTF-8 text file with one query per line."
        ) from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tell_parity(compared: mirroring.Parity) -> None:
    if compared.jaccard is not None:
        say(
            f"Top-5 results, local and mirror: mean Jaccard similarity {compared.jaccard:.3f} over "
            f"{compared.queries:,} queries."
        )
    for reason in compared.fallbacks:
        note(f"Not compared: {reason}.")
