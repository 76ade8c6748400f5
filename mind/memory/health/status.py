"""The state of a memory."""

from mind import __version__
from mind.documents import context_block, reminders
from mind.documents.reminders import Reminder
from mind.memory import briefing, gotchas, mirror, sync
from mind.memory.answers import Status
from mind.memory.lifecycle import Visit
from mind.search.semantic import Meaning
from mind.storage.index import Filter, Index
from mind.storage.project import Project


def status(
    project: Project, index: Index, meaning: Meaning, visit: Visit, pending: list[Reminder]
) -> Status:
    """Counts, dates and problems of a memory."""
    report = sync.refresh(project, index)
    first, last = index.days()
    due = reminders.due(pending, visit.now, visit.state.name)
    return Status(
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
        targets=tuple(project.relative(path) for path in briefing.targets(project)),
        block_tokens=context_block.tokens(briefing.tracked_block(project, index).body),
        index_bytes=sum(
            path.stat().st_size for path in project.cache.glob("index.db*") if path.is_file()
        ),
        vectors=index.count_vectors(meaning.profile),
        lexical_only=meaning.lacking(index),
        problems=(
            *visit.problems,
            *report.problems,
            *_masked(index.masked()),
            *mirror.warnings(project, index),
        ),
    )


def _masked(count: int) -> tuple[str, ...]:
    """What to say of credentials in the sources of entries."""
    if not count:
        return ()
    said = "1 credential is" if count == 1 else f"{count} credentials are"
    return (f"{said} masked in what memory reads. Run `mind doctor` to see where.",)
