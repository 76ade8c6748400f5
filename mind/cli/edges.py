"""`mind edges` and `mind add-global-edge`: what goes wrong, before it does."""

import sys
from typing import Annotated

import typer

from mind.cli.output import AsJson, for_a_shell, problems, say, show_json
from mind.domain.errors import InputError
from mind.memory.answers import Checked, Loop
from mind.memory.gotchas import Edge
from mind.memory.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(edges)
    app.command("add-global-edge")(add_global_edge)


def edges(
    intent: Annotated[
        list[str], typer.Argument(help="What is about to be done; `-` reads a diff from a pipe.")
    ],
    code: Annotated[
        typer.FileText | None,
        typer.Option(
            help="Check this file's code too; `-` reads it from a pipe.",
            encoding="utf-8",
            errors="replace",
        ),
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(help="Check for this stack instead of the detected ones."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check an intent, code or a diff (`git diff | mind edges -`) for gotchas and rejections."""
    text = code.read() if code else ""
    if intent == ["-"]:
        intent, text = [], sys.stdin.read()
    if not "".join((*intent, text)).strip():
        raise InputError(
            "the intent is empty", remedy="Say what is about to be done, or pass --code FILE."
        )
    checked = Memory.open().edges(" ".join(intent), text, stack or [])
    if as_json:
        show_json(checked)
        return
    _show(checked)


def _show(checked: Checked) -> None:
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


def _show_edge(edge: Edge) -> None:
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
    if as_json:
        show_json(added)
        return
    say(f"Recorded for every project: {added.title}")
