"""`mind graph`: how things are related."""

from typing import Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json, table
from mind.cli.summaries import Summaries
from mind.memory.answers import Walk
from mind.memory.memory import Memory
from mind.memory.plain import walk_json

graph = typer.Typer(
    cls=Summaries,
    help="Record how things are related, and walk their relations.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    app.add_typer(graph, name="graph")


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
    if as_json:
        show_json(related)
        return
    done = "Known already" if related.known else f"Recorded in {related.file}"
    say(f"{done}: {related.relation}")


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
    if as_json:
        show_json(walk_json(walk))
    else:
        _show(walk)
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
            (
                one.id,
                one.date.isoformat() if one.date else "-",
                one.kind.value,
                one.title,
                one.where,
            )
            for one in walk.entries
        ]
        table(("id", "date", "type", "title", "where"), named)
