"""`mind graph` and `mind edges`: relations, rejected approaches and gotchas."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, for_a_shell, present, problems, say, table
from mind.domain.errors import REJECTED_BEFORE, InputError, NotFound
from mind.memory.answers import Checked, Loop, Walk
from mind.memory.memory import Memory
from mind.memory.plain import walk_json
from mind.storage import files

if TYPE_CHECKING:
    from mind.memory.gotchas import Edge


graph = group("Record how things are related, and walk their relations.")


@graph.command()
def relate(
    subject: Annotated[str, typer.Argument(help="A thing: a component, a file, a person, a term.")],
    predicate: Annotated[
        str,
        typer.Argument(help="What it does to the other, as in depends-on, uses, owns; same-as."),
    ],
    object_: Annotated[str, typer.Argument(help="The other thing.", metavar="OBJECT")],
    as_json: AsJson = False,
) -> None:
    """Record how two things are related, under "## Relations" in MEMORY.md.

    mind graph relate auth depends-on redis

    mind graph relate js same-as JavaScript makes both names one thing.
    """
    related = Memory.open().relate(subject, predicate, object_)
    done = "Known already" if related.known else f"Recorded in {related.file}"
    present(related, f"{done}: {related.relation}", as_json=as_json)


@graph.command()
def traverse(
    start: Annotated[str, typer.Argument(help="A thing, in any spelling.")],
    depth: Annotated[int, typer.Option("--depth", "-d", help="Relations away, 1-3.")] = 1,
    predicate: Annotated[
        str | None, typer.Option("--predicate", help="Only along this one.", metavar="PREDICATE")
    ] = None,
    direction: Annotated[
        str,
        typer.Option(help="out: from subject to object; in: the other way; both.", metavar="WAY"),
    ] = "both",
    as_json: AsJson = False,
) -> None:
    """Walk the relations of a thing, and list the entries that name it.

    mind graph traverse redis --direction in shows what depends on Redis, and what else is done to
    it.
    """
    walk = Memory.open().traverse(start, depth, predicate, direction)
    present(walk, _show, as_json=as_json, form=walk_json)
    problems(walk.problems)


def _show(walk: Walk) -> None:
    if not walk.steps and not walk.entries:
        say(f"Nothing is known by the name {walk.start!r}.")
        return
    if walk.aliases:
        say(f"{walk.start} is also called {', '.join(walk.aliases)}.")
    edges = [(step.depth, step.edge) for step in walk.steps]
    rows = [
        (str(depth), one.subject, one.predicate, one.object, one.entry.where)
        for depth, one in edges
    ]
    if rows:
        table(("depth", "subject", "predicate", "object", "where"), rows)
    else:
        say(f"No relations of {walk.start} are recorded.")
    if walk.entries:
        say("Named in:")
        named = [
            (one.id, str(one.date or "-"), one.kind.value, one.title, one.where)
            for one in walk.entries
        ]
        table(("id", "date", "type", "title", "where"), named)


def edges(
    intent: Annotated[
        list[str], typer.Argument(help="What is about to be done; `-` reads a diff from a pipe.")
    ],
    code: Annotated[
        Path | None,
        typer.Option(
            help="Check this file's code too; `-` reads it from a pipe.",
            metavar="FILE",
        ),
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(help="Check for this stack instead of the detected ones."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check an intent, code or a diff (`git diff | mind edges -`) for gotchas and rejections.

    Exit code: 3 if it brings back what was rejected before, else 0, also for gotchas and for what
    is perhaps related.
    """
    memory = Memory.open()
    is_diff = intent == ["-"]
    is_piped = is_diff or str(code) == "-"
    text = sys.stdin.read() if is_piped else ""
    if code and not is_piped:
        if not code.exists():
            raise NotFound(f"there is no file {code}", remedy="Name one that is there.")
        text = files.read(code).decode("utf-8", "replace")  # no link out of the repository
    intent = [] if is_diff else intent
    if not is_diff and not "".join((*intent, text)).strip():
        raise InputError(
            "the intent is empty", remedy="Say what is about to be done, or pass --code FILE."
        )
    checked = memory.edges(" ".join(intent), text, stack or [])
    present(checked, _show_warnings, as_json=as_json)
    if checked.loops:
        raise typer.Exit(REJECTED_BEFORE)


def _show_warnings(checked: Checked) -> None:
    for edge in checked.edges:
        _show_edge(edge)
    for loop in checked.loops:
        _show_loop(loop)
    if checked.loops:  # the same of each of them
        say(f"  do: {for_a_shell(checked.loops[0].way_out)}")
    for reminder in checked.reminders:
        say(f"Reminder {reminder.id}: {reminder.text}")
    if not checked.edges and not checked.loops:
        say("Nothing known against it.")
    for one in checked.perhaps:
        say(f"Perhaps related: {one.id} {one.where} {one.title}")
    problems(checked.problems)


def _show_edge(edge: "Edge") -> None:
    say(f"! [{edge.gotcha.severity}] {edge.gotcha.title}")
    say(f"  why: {edge.reason}")
    if edge.gotcha.workaround:
        say(f"  do: {edge.gotcha.workaround}")
    if edge.gotcha.reference:
        say(f"  see: {edge.gotcha.reference}")


def _show_loop(loop: Loop) -> None:
    day = f" on {loop.earlier.date.isoformat()}" if loop.earlier.date else ""
    say(f"! rejected before{day} ({loop.score:.2f}): {loop.earlier.text}")
    say(f"  matched: {loop.matched}")
    if loop.alternative:
        say(f"  instead: {loop.alternative}")


def add_global_edge(
    title: Annotated[str, typer.Argument(help="The gotcha in a few words.")],
    description: Annotated[str, typer.Option("--description", "-d", help="What goes wrong.")] = "",
    workaround: Annotated[str, typer.Option("--workaround", "-w", help="What to do.")] = "",
    stack: Annotated[
        list[str] | None, typer.Option(help="Only for this stack; may be repeated.")
    ] = None,
    pattern: Annotated[str, typer.Option(help="A regular expression on code.")] = "",
    severity: Annotated[str, typer.Option(help="low, medium, high or critical.")] = "medium",
    as_json: AsJson = False,
) -> None:
    """Record a gotcha for all of your projects."""
    added = Memory.open().add_global_edge(
        title=title,
        description=description,
        workaround=workaround,
        stack=stack or [],
        pattern=pattern,
        severity=severity,
    )
    present(added, f"Recorded for every project: {added.title}", as_json=as_json)
