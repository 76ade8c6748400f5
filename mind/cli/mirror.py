"""`mind mirror`: the mirror of this project in PostgreSQL."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, note, present, problems, progress, say, show_json, table
from mind.domain.errors import InputError, MirrorError
from mind.memory import mirror as mirroring
from mind.memory import mirror_search
from mind.memory.memory import Memory

mirror = group(
    "Mirror memories into PostgreSQL, to search those of many projects and machines as one."
)


@mirror.command()
def status(as_json: AsJson = False) -> None:
    """Show where the mirror is, what it holds, and what waits to be sent."""
    memory = Memory.open()
    found = mirroring.state(memory.project, memory.index, memory.meaning)
    present(found, _show, as_json=as_json)


def _show(found: mirroring.State) -> None:
    if not found.configured:
        say("No mirror. `mind config --user mirror.dsn postgresql://HOST/DATABASE` names one.")
        return
    if not found.chosen:
        say(f"{found.place}: this project is not mirrored. `mind mirror sync` begins it.")
    else:
        table(("", ""), _rows(found))
    problems((*((found.problem,) if found.problem else ()), *found.warnings))


def _rows(found: mirroring.State) -> list[tuple[str, str]]:
    waiting = f"{found.backlog.pending:,} changes"
    if found.backlog.failed:
        waiting += f", {found.backlog.failed:,} of them refused: {found.backlog.error}"
    if not found.profile:
        vectors = "none: there is no embedding model here"
    else:
        without = found.held - found.vectors
        vectors = f"{found.vectors:,} of {found.profile}"
        vectors += f"; {without:,} entries are there by their words alone" if without else ""
    there = [
        ("holds", f"{found.held:,} of {found.entries:,} entries"),
        ("vectors", vectors),
        ("clones", ", ".join(found.clones) or "none yet"),
    ]
    return [
        ("mirror", found.place),
        ("team", found.team),
        ("project", found.project),
        *(there if found.reached else []),
        ("waiting", waiting),
    ]


@mirror.command()
def sync(as_json: AsJson = False) -> None:
    """Send what changed to the mirror; the first time, begin to mirror this project.

    That writes mirror.project into .mind/config.json: commit it, so that other clones send to the
    same project. From then on a running server sends changes by itself, in the background.
    """
    memory = Memory.open()
    memory.workspace.project = mirroring.choose(memory.project)
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
            f"the mirror refused {len(done.refused)} of the changes: {done.refused[0]}",
            remedy="The others were sent; these are tried again. See `mind mirror status`.",
        )


def _show_sent(memory: Memory, done: mirroring.Sent) -> None:
    compared = ", after every entry was compared" if done.compared and not done.first else ""
    say(f"{done.sent:,} changes sent{compared}; {done.pending:,} wait.")
    if not done.profile:
        note("Without vectors: there is no embedding model here (see `mind models`).")
    if done.first:
        settings = memory.project.relative(memory.project.config)
        say(f"This project is new in the mirror. Commit {settings} so that its clones share it.")


@mirror.command()
def rebuild(
    every_clone: Annotated[
        bool,
        typer.Option(
            "--every-clone", help="Take out what other clones sent too; they send it again."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take what this clone sent out of the mirror, and send it anew.

    With --every-clone, entries of folders that are no more are gone for good.
    """
    memory = Memory.open()
    mirroring.rebuild(memory.project, memory.index, every_clone=every_clone)
    sync(as_json=as_json)


@mirror.command()
def verify(
    queries: Annotated[
        Path | None,
        typer.Option(
            "--parity", help="Search for each line of this file here and there.", metavar="QUERIES"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the mirror with the files, entry by entry; exit code 1 if they differ."""
    memory = Memory.open()
    found = mirror_search.verify(memory.project, memory.meaning)
    compared = None
    if queries is not None:
        compared = mirror_search.parity(
            memory.project, memory.index, memory.meaning, _lines(queries), memory.now()
        )
    if as_json:
        show_json({"verified": found, "parity": compared})
    else:
        say(f"{found.entries:,} entries in the files; {found.vectors:,} vectors in the mirror.")
        for name, ids in (
            ("missing", found.missing),
            ("too much", found.extra),
            ("different", found.different),
        ):
            if ids:
                say(f"{len(ids):,} {name} in the mirror: {', '.join(ids[:10])}")
        if compared:
            _tell_parity(compared)
    if not found.is_exact:
        raise MirrorError(
            "the mirror differs from the files",
            remedy="Run `mind mirror sync`; if that does not help, `mind mirror rebuild`.",
        )
    if not as_json:
        say("The mirror equals the files.")


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read", remedy="Name a text file with a query in each line."
        ) from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tell_parity(compared: mirror_search.Parity) -> None:
    if compared.jaccard is not None:
        say(
            f"Best five hits, here and there: {compared.jaccard:.3f} in common on average, of "
            f"{compared.queries:,} queries."
        )
    for reason in compared.fallbacks:
        note(f"Not compared: {reason}.")
