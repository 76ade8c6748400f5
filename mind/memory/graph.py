"""Relations between things: recorded in MEMORY.md, traversed in the index."""

from typing import cast, get_args

from mind.documents import memory_file
from mind.domain.errors import InputError
from mind.memory import sync, verdicts
from mind.memory.answers import Related, RelationWalk
from mind.memory.validation import refuse_secrets
from mind.memory.workspace import Workspace
from mind.storage import files
from mind.storage.index import DEEPEST, Direction
from mind.text import secrets
from mind.text.entities import key_of
from mind.text.relations import Relation, name_of, predicate_of, relation

_NAMING = 5
_NAMES = "As in: auth depends-on redis; names without [ ] | and line breaks."


def stated(subject: str, predicate: str, object_: str) -> Relation:
    """Return the relation of these three, if it can be written.

    Raises:
        InputError: It cannot.
    """
    made = Relation(name_of(subject), predicate_of(predicate), name_of(object_))
    for what, value in (
        ("subject", made.subject),
        ("predicate", made.predicate),
        ("object", made.object),
    ):
        if not value:
            raise InputError(f"the {what} is empty", remedy=_NAMES)
    if made.keys[0] == made.keys[2]:
        raise InputError(
            f"{made.subject!r} and {made.object!r} are names of the same thing",
            remedy="Relate two different things.",
        )
    if relation(str(made)) != made or not str(made).isprintable():
        raise InputError("this cannot be written as a relation", remedy=_NAMES)
    return made


def relate(at: Workspace, subject: str, predicate: str, object: str) -> Related:  # noqa: A002 - its name everywhere
    """Record a relation between two things under the relations in MEMORY.md, once.

    Raises:
        InputError: A part is empty, too long, a credential or cannot be written, or both names are
            of the same thing.
        FileError: The file cannot be written; nothing was changed.
    """
    refuse_secrets(subject, predicate, object)
    made = stated(subject, predicate, object)
    visit, project = at.visit(), at.project
    name = project.relative(project.memory)
    changed = files.edit(
        project.memory,
        lambda source: memory_file.add_relations(source, [(made, "")], name, project.settings),
        create=True,
    )
    return Related(relation=made, file=name, known=not changed, promoted=visit.promoted)


def traverse(
    at: Workspace,
    start: str,
    depth: int = 1,
    predicate: str | None = None,
    direction: str = "both",
) -> RelationWalk:
    """Return relations around a thing, nearest first, and entries that name it, newest first.

    Args:
        at: The workspace.
        start: A name in any spelling; ``same-as`` relations make names one thing.
        depth: How many relations away, 1–3.
        predicate: Only along this one.
        direction: "out" from subject to object, "in" the other way, or "both".

    Raises:
        InputError: No start, or a depth or direction out of range.
    """
    name = name_of(start)
    if not name:
        raise InputError("the start is empty", remedy="Name a thing: a component, a file, a term.")
    if not 1 <= depth <= DEEPEST:
        raise InputError(f"depth is {depth}", remedy=f"Use a depth from 1 to {DEEPEST}.")
    if direction not in get_args(Direction):
        raise InputError(f"direction is {direction!r}", remedy="Use out, in or both.")
    along = predicate_of(predicate) if predicate else ""
    visit = at.visit()
    report = sync.refresh(at.project, at.index)
    keys = [key_of(name)]
    graph = at.index.graph
    steps = graph.traverse(keys, depth, along or None, cast("Direction", direction))
    return RelationWalk(
        start=secrets.mask(name),
        aliases=tuple(graph.names(graph.aliases(keys)[1:])),
        steps=tuple(steps),
        entries=tuple(verdicts.settled(at.index, graph.entries(keys, _NAMING))),
        problems=(*visit.problems, *report.problems),
    )
