"""`mind log` and `mind blocker`: record something."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from mind.cli.output import AsJson, for_a_shell, problems, program, say, show_json
from mind.cli.search import show_hits
from mind.domain.errors import InputError
from mind.memory.answers import Logged
from mind.memory.memory import Memory
from mind.storage.pending import Pending


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(log)
    app.command()(blocker)


Acknowledge = Annotated[
    bool,
    typer.Option(
        "--acknowledge",
        "-y",
        help="Record it although it will not be true for long, or was forgotten before; with "
        "--replaces, also archive a protected entry.",
    ),
]


def log(
    message: Annotated[
        list[str], typer.Argument(help="What to remember; `-` reads it from a pipe.")
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--type",
            "-t",
            help="decision, learning, problem, progress, gotcha, goal, todo and note go to "
            "MEMORY.md; experience, blocker, assumption and rejected to SESSION.md.",
            metavar="TYPE",
        ),
    ] = "experience",
    acknowledge: Acknowledge = False,
    replaces: Annotated[
        list[str] | None,
        typer.Option(
            help="An entry that no longer holds; it goes to the archive. May be repeated.",
            metavar="ID",
        ),
    ] = None,
    about: Annotated[
        str,
        typer.Option(
            help="user: a claim about the person, to be confirmed; project: none.", metavar="WHO"
        ),
    ] = "",
    confidence: Annotated[
        float | None, typer.Option(help="How sure you are, 0-1.", metavar="SHARE")
    ] = None,
    source: Annotated[str, typer.Option(help="Where it comes from.")] = "",
    as_json: AsJson = False,
) -> None:
    """Record one entry.

    mind log -t decision "SQLite over Postgres - one file, no server"

    What memory says already is not written twice, but for progress of another day and the session's
    own notes; credentials never. A claim about a person waits for `mind confirm`.
    """
    memory = Memory.open()
    logged = memory.log(
        _text(message),
        kind,
        acknowledge=acknowledge,
        replaces=replaces or (),
        about=about,
        confidence=confidence,
        source=source,
    )
    if as_json:
        show_json(memory.placed(logged))
        return
    show_logged(logged)


def _text(words: list[str]) -> str:
    if words == ["-"]:
        if sys.stdin.isatty():
            raise InputError("`-` reads from a pipe, and there is none")
        return sys.stdin.read()
    return " ".join(words)


def show_pending(waits: Pending) -> None:
    """Print that a claim waits for a yes."""
    say(f'"{waits.phrase}" is a claim about a person.')
    say(f"Record it with `{program()} confirm {waits.id}` within an hour.")
    if waits.replaces:
        say(f"It replaces {waits.replaces}, which goes to the archive then.")


def show_logged(logged: Logged) -> None:
    """Print what was written, and what it brought up."""
    one = logged.entry
    if logged.known:
        done = "Done" if logged.replaced else "Known already"
        say(f"{done}: {one.id} {one.where} {one.title}")
        _show_replaced(logged)
        return
    if logged.pending:
        show_pending(logged.pending)
        return
    say(f"Recorded {one.kind.value} {one.id} in {logged.file}")
    _show_replaced(logged)
    for old, was, now in logged.contradicts:
        values = f" ({was} → {now})" if was and now else ""
        say(f"Contradicts{values}: {old.id} {old.where} {old.title}")
    named = {old.id for old, _, _ in logged.contradicts}
    for other in logged.related:
        if other.id not in named:
            say(f"Near to it: {other.id} {other.where} {other.title}")
    if logged.related:
        say(f"If one no longer holds: `{program()} log {one.id} --replaces ID`")
    _show_loops(logged)
    for reminder in logged.reminders:
        say(f"Reminder {reminder.id}: {reminder.text}")


def _show_loops(logged: Logged) -> None:
    for loop in logged.loops:
        day = f" on {loop.earlier.date.isoformat()}" if loop.earlier.date else ""
        say(
            f"! {loop.severity.value} ({loop.score:.2f}): rejected before{day}: {loop.earlier.text}"
        )
        if loop.alternative:
            say(f"  instead: {loop.alternative}")
        say(f"  {for_a_shell(loop.way_out)}")
    for other in logged.perhaps:
        say(f"Perhaps related: {other.id} {other.where} {other.title}")


def _show_replaced(logged: Logged) -> None:
    for gone in (logged.replaced, *logged.replaced_too) if logged.replaced else ():
        say(f"It replaces {gone.entry.id}, which is in the archive now.")
        for one in gone.along:
            say(f"With it, from within it: {one.id} {one.title}")
        show_overridden(gone.protected)


def show_overridden(protected: Sequence[str]) -> None:
    """Print which protected entries were archived."""
    if protected:
        say(f"Protection overridden: {', '.join(protected)}.")


def blocker(
    description: Annotated[list[str], typer.Argument(help="What blocks the work.")],
    keyword: Annotated[
        list[str] | None, typer.Option("--keyword", "-k", help="More words to search for.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Record what blocks, and search memory for what is known about it."""
    memory = Memory.open()
    answer = memory.blocker(_text(description), keyword or [])
    if as_json:
        show_json(replace(answer, logged=memory.placed(answer.logged)))
        return
    show_logged(answer.logged)
    if answer.found.hits:
        say("What memory holds about it:")
    show_hits(answer.found)
    problems(answer.found.problems)
