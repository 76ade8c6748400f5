"""`mind graph` and `mind edges`: relations, rejected approaches and gotchas."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, present, say, table
from mind.cli.session import ALL, COMMANDS
from mind.domain.errors import REJECTED_BEFORE, InputError, NotFound
from mind.memory import wording
from mind.memory.answers import RelationWalk
from mind.memory.as_json import walk_json
from mind.memory.memory import Memory
from mind.storage import files

graph = group("Record and follow relations between things.")


@graph.command()
def relate(
    subject: Annotated[str, typer.Argument(help="A thing: a component, a file, a person, a term.")],
    predicate: Annotated[
        str,
        typer.Argument(help="The relation, such as depends-on, uses, owns or same-as."),
    ],
    object_: Annotated[str, typer.Argument(help="The other thing.", metavar="OBJECT")],
    as_json: AsJson = False,
) -> None:
    """Record a relation between two things, under "## Relations" in MEMORY.md.

    mind graph relate auth depends-on redis

    mind graph relate js same-as JavaScript (an alias: both names mean one thing)
    """
    present(Memory.open().relate(subject, predicate, object_), wording.related, as_json=as_json)


@graph.command()
def traverse(
    start: Annotated[str, typer.Argument(help="A thing, in any spelling.")],
    depth: Annotated[
        int, typer.Option("--depth", "-d", help="Number of relations to follow, 1-3.")
    ] = 1,
    predicate: Annotated[
        str | None,
        typer.Option("--predicate", help="Follow only this relation.", metavar="PREDICATE"),
    ] = None,
    direction: Annotated[
        str,
        typer.Option(
            help="out: from subject to object; in: from object to subject; both.", metavar="WAY"
        ),
    ] = "both",
    as_json: AsJson = False,
) -> None:
    """Follow the relations of a thing, and list the entries that mention it.

    `mind graph traverse redis --direction in` shows what depends on Redis, and all other relations
    to it.
    """
    walk = Memory.open().traverse(start, depth, predicate, direction)
    present(walk, _show, as_json=as_json, form=walk_json)


def _show(walk: RelationWalk) -> None:
    if not walk.steps and not walk.entries:
        say(f"No relations or entries for {walk.start!r}.")
        return
    if walk.aliases:
        say(f"{walk.start} is also called {', '.join(walk.aliases)}.")
    rows = [
        (
            str(step.depth),
            step.edge.subject,
            step.edge.predicate,
            step.edge.object,
            step.edge.entry.where,
        )
        for step in walk.steps
    ]
    if rows:
        table(("depth", "subject", "predicate", "object", "where"), rows)
    else:
        say(f"No relations of {walk.start}.")
    if walk.entries:
        say("Mentioned in:")
        named = [
            (one.id, str(one.date or "-"), one.kind.value, one.title, one.where)
            for one in walk.entries
        ]
        table(("id", "date", "type", "title", "where"), named)


def edges(
    intent: Annotated[
        list[str] | None,
        typer.Argument(help="What you plan to do; `-` reads a diff from standard input."),
    ] = None,
    code: Annotated[
        Path | None,
        typer.Option(
            help="Also check the code in this file; `-` reads standard input.",
            metavar="FILE",
        ),
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(help="Stack to check for, instead of the detected ones. Repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a plan, code or a diff for known gotchas and rejected approaches.

    For a diff, run `git diff | mind edges -`.

    Exit code: 3 if it brings back a rejected approach, else 0 (also with gotchas or possibly
    related entries).
    """
    memory = Memory.open()
    is_diff = intent == ["-"]
    is_piped = is_diff or str(code) == "-"
    text = sys.stdin.read() if is_piped else ""
    if code and not is_piped:
        if not code.exists():
            raise NotFound(f"there is no file {code}", remedy="Pass an existing file.")
        text = files.read(code).decode("utf-8", "replace")  # follows no link out of the repository
    intent = [] if is_diff else intent or []
    if not is_diff and not "".join((*intent, text)).strip():
        raise InputError(
            "the intent is empty", remedy="Describe what you plan to do, or pass --code FILE."
        )
    checked = memory.edges(" ".join(intent), text, stack or [])
    told = wording.checked(replace(checked, problems=()), ALL, COMMANDS)
    present(checked, told, as_json=as_json)
    if checked.loops:
        raise typer.Exit(REJECTED_BEFORE)


def add_global_edge(
    title: Annotated[str, typer.Argument(help="Short title of the gotcha.")],
    description: Annotated[str, typer.Option("--description", "-d", help="What goes wrong.")] = "",
    workaround: Annotated[str, typer.Option("--workaround", "-w", help="What to do.")] = "",
    stack: Annotated[
        list[str] | None, typer.Option(help="Stack it applies to. Repeatable. Default: all.")
    ] = None,
    pattern: Annotated[str, typer.Option(help="Regular expression that matches the code.")] = "",
    severity: Annotated[
        str, typer.Option(help="Severity: low, medium, high or critical.")
    ] = "medium",
    as_json: AsJson = False,
) -> None:
    """Record a gotcha for all your projects."""
    added = Memory.open().add_global_edge(
        title=title,
        description=description,
        workaround=workaround,
        stack=stack or [],
        pattern=pattern,
        severity=severity,
    )
    present(added, f"Recorded for all projects: {added.title}", as_json=as_json)
