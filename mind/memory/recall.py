"""Session start, index updates, and refreshing the context block."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mind.documents.reminders import Reminder
from mind.memory import context, gotchas, read, reminders, search, session, sync, verdicts
from mind.memory.answers import Indexed, Recall, Synced
from mind.memory.session import SessionState, Visit
from mind.memory.status import mirror_warnings
from mind.memory.workspace import Workspace
from mind.search.semantic import Progress
from mind.storage import archives
from mind.text import secrets
from mind.text.terms import query_terms

if TYPE_CHECKING:
    from mind.domain.entry import Entry
    from mind.memory.sync import Report


def recall(  # noqa: PLR0913 - independent options, by name only
    at: Workspace,
    *,
    force: bool = False,
    session_id: str | None = None,
    event: str | None = None,
    block: bool = True,
    omitted: bool = True,
    task: str = "",
) -> Recall:
    """Return the context for starting work; writes files only if something changed.

    Args:
        at: The workspace.
        force: Rebuild the index and the block.
        session_id: The client's session id.
        event: The client's reason: startup, resume, clear or compact.
        block: Include the context block even if a file already contains it.
        omitted: Include the entries that the block has no room for.
        task: What is about to be done; of the omitted entries the closest to it come first. If
            it has no words, the closest to the session's notes and the last edits.
    """
    visit = at.visit(session_id, event)
    task = task if query_terms(task) else ""
    due = reminders.due(at, visit)
    if force:
        at.index.clear()
    report, bodies = _block(at, due)
    view = read.session_view(at.project, at.index, visit)
    problems = [*visit.problems, *report.problems]
    # an incomplete block is not written to files
    complete = report.is_complete
    placed = context.refresh_targets(at.project, bodies) if complete else context.Placed()
    read_there = () if block else placed.same
    shown = bodies.tracked if read_there else bodies.own
    reminders.note_shown(at.project, visit, due)
    muted = visit.state.muted
    if muted and not read_there:  # blocks in files are never muted
        shown = context.block(at.project, at.index, due, report.problems, muted=muted)
    missing = archives.missing(
        at.project.archive, visit.now.date(), at.project.cache / "missing.json"
    )
    left_out: list[Entry] = []
    is_all = shown.is_complete
    if omitted and (read_there or not shown.is_complete):
        work = task or context.work(at.project, view.entries, visit.now)
        left_out, is_all = context.omitted(at.index, shown, work, muted=muted)
    return Recall(
        context="" if read_there else shown.body,
        read_in=read_there,
        omitted=tuple(left_out),
        task=secrets.mask(task),
        is_all=is_all and complete and not (problems or muted),
        despite=verdicts.despite_told(at.index, left_out),
        new_session=visit.new,
        promoted=visit.promoted,
        session=view,
        due=tuple(due),
        global_gotchas=gotchas.of_every_project(at.project.root),
        written=placed.changed,
        problems=(*problems, *placed.problems, *filter(None, [missing]), *mirror_warnings(at)),
    )


def _block(at: Workspace, due: Sequence[Reminder]) -> "tuple[Report, context.Bodies]":
    """Update the index; return the report and the block."""
    report = sync.refresh(at.project, at.index)
    own = context.block(at.project, at.index, due, report.problems)
    return report, context.Bodies(context.tracked_block(at.project, at.index), own)


def end_session(at: Workspace, session_id: str) -> Synced:
    """End a client's session and update the context block.

    Raises:
        FileError: The promoted notes cannot be written.
    """
    now = at.now()
    promoted = session.end(at.project, lambda: at.index, now, session_id)
    return _synced(at, session.Visit(now=now, state=SessionState(), promoted=promoted))


def build_index(
    at: Workspace, *, rebuild: bool = False, progress: Progress = lambda _done, _all: None
) -> Indexed:
    """Update the index, and those of documents and commit messages; compute missing vectors.

    Args:
        at: The workspace.
        rebuild: Delete the index and its vectors first.
        progress: Called with the number of computed vectors and the total.

    Raises:
        ModelError: The embedding model cannot be run.
    """
    visit = at.visit()
    if rebuild:
        at.index.forget()
    report = sync.refresh(at.project, at.index)
    search.refresh_documents(at.project)
    made = at.meaning.fill(at.index, progress)
    profile = at.meaning.profile
    return Indexed(
        entries=sum(at.index.counts("family").values()),
        added=report.change.added,
        removed=report.change.removed,
        profile=profile,
        vectors=at.index.count_vectors(profile)[0],
        made=made,
        lexical_only=at.meaning.lacking(at.index),
        problems=(*visit.problems, *report.problems),
    )


def checkpoint(at: Workspace) -> Synced:
    """Read changed files, comments and commits, and refresh the context block."""
    return _synced(at, at.visit())


def _synced(at: Workspace, visit: Visit) -> Synced:
    due = reminders.due(at, visit)
    report, bodies = _block(at, due)
    counts = at.index.counts("family")
    complete = report.is_complete
    placed = context.refresh_targets(at.project, bodies) if complete else context.Placed()
    return Synced(
        entries=sum(counts.values()),
        added=report.change.added,
        removed=report.change.removed,
        by_source=counts,
        written=placed.changed,
        problems=(*visit.problems, *report.problems, *placed.problems),
        promoted=visit.promoted,
    )
