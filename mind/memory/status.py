"""Status of a memory: its size, and its problems."""

from mind import __version__
from mind.documents import context_block, reminders
from mind.memory import context, gotchas, sync
from mind.memory import reminders as agenda
from mind.memory.answers import MemoryStatus
from mind.memory.workspace import Workspace
from mind.storage.index import Filter
from mind.storage.mirror.postgres import is_configured


def status(at: Workspace) -> MemoryStatus:
    """Return counts, dates and problems of a memory."""
    visit, project, index = at.visit(), at.project, at.index
    pending = agenda.pending(project, visit.now, visit.state.name)
    report = sync.refresh(project, index)
    first, last = index.days()
    due = reminders.due(pending, visit.now, visit.state.name)
    return MemoryStatus(
        project=project.name,
        root=str(project.root),
        version=__version__,
        entries=sum(index.counts("kind").values()),
        by_kind=index.counts("kind"),
        by_source=index.counts("family"),
        first=first,
        last=last,
        session_started=visit.state.started,
        session_entries=len(index.entries(Filter(families=("session",)))),
        reminders_pending=len(pending),
        reminders_due=len(due),
        stacks=tuple(gotchas.detect_stacks(project.root)),
        targets=tuple(project.relative(path) for path in context.targets(project)),
        block_tokens=context_block.tokens(context.tracked_block(project, index).body),
        index_bytes=sum(
            path.stat().st_size for path in project.cache.glob("index.db*") if path.is_file()
        ),
        vectors=index.count_vectors(at.meaning.profile),
        lexical_only=at.meaning.lacking(index),
        problems=(
            *visit.problems,
            *report.problems,
            *_masked(index.masked()),
            *mirror_warnings(at),
        ),
    )


def _masked(count: int) -> tuple[str, ...]:
    """Return the notice about credentials in the sources of entries."""
    if not count:
        return ()
    said = "1 credential is" if count == 1 else f"{count} credentials are"
    return (f"{said} masked in what memory reads. Run `mind doctor` to see where.",)


def mirror_warnings(at: Workspace) -> tuple[str, ...]:
    """Return problems of the mirror, if one is configured."""
    if not is_configured(at.project.settings):
        return ()
    from mind.memory import mirror  # noqa: PLC0415 - only where there is one

    return mirror.warnings(at.project, at.index)
