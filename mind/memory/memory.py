"""`Memory`: the library's interface. Commands and tools call it and render the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

import mind.memory as use_cases
from mind.memory import workspace
from mind.memory.workspace import Workspace
from mind.storage import project as places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mind.search.semantic import ProjectVectors
    from mind.storage.project import Project

P = ParamSpec("P")
T = TypeVar("T")


class UseCase(Generic[P, T]):
    """A function of a :class:`Workspace` as a method; its module is imported when it is called.

    Args:
        named: Returns the function.
    """

    def __init__(self, named: Callable[[], Callable[Concatenate[Workspace, P], T]]) -> None:
        self._named = named

    def __get__(self, memory: Workspace | None, owner: type) -> Callable[P, T]:
        """Bind the function to ``memory``, as Python binds the functions of a class."""
        return cast("Callable[P, T]", self._named().__get__(memory, owner))


class Memory(Workspace):
    """A project's memory. Each call reads the current files; only open files outlive a call.

    Each method is one use case, a function in a module of this package.
    """

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        *,
        session_id: str | None = None,
        meaning: Callable[[Project], ProjectVectors] | None = None,
    ) -> Self:
        """Open the memory of the project at ``start`` (see :func:`mind.storage.project.find`).

        Raises:
            ProjectError: No project was found.
        """
        return cls(places.find(start), session_id=session_id, meaning=meaning)

    parse = staticmethod(workspace.parse)
    projects = staticmethod(workspace.projects)
    configure = workspace.configure

    search = UseCase(lambda: use_cases.search.search)
    search_at = UseCase(lambda: use_cases.read.search_at)
    recent = UseCase(lambda: use_cases.search.recent)
    get = UseCase(lambda: use_cases.read.get)
    timeline = UseCase(lambda: use_cases.read.timeline)
    around = UseCase(lambda: use_cases.read.around)
    index_entries = UseCase(lambda: use_cases.read.index_entries)
    traverse = UseCase(lambda: use_cases.graph.traverse)
    edges = UseCase(lambda: use_cases.read.edges)
    prepared = UseCase(lambda: use_cases.checks.prepared)
    current = UseCase(lambda: use_cases.context.current)
    when = UseCase(lambda: use_cases.read.when)

    recall = UseCase(lambda: use_cases.recall.recall)
    checkpoint = UseCase(lambda: use_cases.recall.checkpoint)
    build_index = UseCase(lambda: use_cases.recall.build_index)
    session = UseCase(lambda: use_cases.read.session)
    end_session = UseCase(lambda: use_cases.recall.end_session)

    log = UseCase(lambda: use_cases.record.log)
    placed = UseCase(lambda: use_cases.read.placed)
    confirm = UseCase(lambda: use_cases.record.confirm)
    waiting = UseCase(lambda: use_cases.read.waiting)
    blocker = UseCase(lambda: use_cases.record.blocker)
    relate = UseCase(lambda: use_cases.graph.relate)
    add_global_edge = UseCase(lambda: use_cases.record.add_global_edge)
    reminders = UseCase(lambda: use_cases.reminders.overview)
    remind = UseCase(lambda: use_cases.reminders.remind)
    due = UseCase(lambda: use_cases.reminders.due)
    reminder_done = UseCase(lambda: use_cases.reminders.reminder_done)

    update = UseCase(lambda: use_cases.amend.update)
    forget = UseCase(lambda: use_cases.amend.forget)
    restore = UseCase(lambda: use_cases.amend.restore)
    consolidate = UseCase(lambda: use_cases.tidy.consolidate)
    verify = UseCase(lambda: use_cases.amend.verify)
    record_use = UseCase(lambda: use_cases.amend.record_use)
    tidy = UseCase(lambda: use_cases.tidy.run)
    tidy_if_due = UseCase(lambda: use_cases.tidy.run_if_due)
    archive = UseCase(lambda: use_cases.read.archive)
    prune = UseCase(lambda: use_cases.amend.prune)
    tags = UseCase(lambda: use_cases.tags.overview)
    rename_tag = UseCase(lambda: use_cases.tags.rename)
    mute_tag = UseCase(lambda: use_cases.tags.mute)
    has_tag = UseCase(lambda: use_cases.tags.has_tag)
    unmute_tag = UseCase(lambda: use_cases.tags.unmute)

    status = UseCase(lambda: use_cases.status.status)
    health = UseCase(lambda: use_cases.health.examine)
    debt = UseCase(lambda: use_cases.health.owed)
    scan = UseCase(lambda: use_cases.read.scan)
    benchmark = UseCase(lambda: use_cases.benchmark.measure)
    export = UseCase(lambda: use_cases.exporting.export)
    import_ = UseCase(lambda: use_cases.jsonl_import.import_)
    import_from = UseCase(lambda: use_cases.importing.run)
    stores = UseCase(lambda: use_cases.read.stores)

    read_file = UseCase(lambda: use_cases.read.read_file)
    file_history = UseCase(lambda: use_cases.read.file_history)
    changes = UseCase(lambda: use_cases.read.changes)
    life = UseCase(lambda: use_cases.entry_history.life)
    difference = UseCase(lambda: use_cases.entry_history.difference)
