"""Usage log counts in the index: uses, sessions, and new ids of hand-edited entries.

The counts follow the log: events removed from it no longer count.
"""

import contextlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime

from mind.domain.entry import Entry
from mind.domain.errors import FileError
from mind.sources import staleness
from mind.sources.staleness import Flag
from mind.storage import journal
from mind.storage.index import Change, Index
from mind.storage.journal import Event, Extent
from mind.storage.project import Project

_UNNOTED = 65536
"""Bytes of the log without a use that are read again rather than noted with a write."""
_PAIRS = 100
"""Aliases that one event tells."""
_KEY = "events"


def refresh(project: Project, index: Index) -> None:
    """Count what the log tells since the last time; all of it if it is not the one it was."""
    with contextlib.suppress(FileError, OSError):  # a log that is somebody else's tells nothing
        _count(project, index)


def _count(project: Project, index: Index) -> None:
    there = journal.extent(project.events)
    told = index.meta(_KEY)
    archives, inode, offset, mark = json.loads(told) if told else ("", 0, 0, "")
    if (archives, inode) == (there.archives, there.inode) and offset <= there.size:
        if offset == there.size:
            return
        added = journal.since(project.events, offset, mark)
        if added is not None:
            if added.events or added.end - offset > _UNNOTED:
                with index.writing():
                    if index.meta(_KEY) == told:  # nobody else did
                        _add(index, added.events)
                        _note(index, there._replace(size=added.end), added.mark)
            return
    _count_anew(project, index, there)


def _count_anew(project: Project, index: Index, there: Extent) -> None:
    happened = journal.events(project.events)
    mark = journal.marked(project.events, there.size) if there.size else ""
    if journal.extent(project.events) != there:
        return  # written meanwhile: what was read may end anywhere; the next time tells
    with index.writing():
        index.usage.clear()
        index.aliases.clear()
        _add(index, happened)
        _note(index, there, mark)


def _add(index: Index, happened: "tuple[Event, ...]") -> None:
    index.usage.add(journal.uses(happened))
    index.usage.note(journal.noted(happened))
    index.usage.dispute(journal.disputed(happened))
    index.aliases.add(journal.aliases(happened))


def _note(index: Index, there: Extent, mark: str) -> None:
    index.note(_KEY, json.dumps([*there, mark]))


def disputed(index: Index, entries: Sequence[Entry]) -> dict[str, Flag]:
    """Return warnings by id about entries that were contradicted and not verified since."""
    checked = {one.id: staleness.verified(one) for one in entries}
    return {
        one: Flag(f"contradicted on {day}", "contradicted")
        for one, day in index.usage.disputed([*checked]).items()
        if (known := checked[one]) is None or known <= day
    }


def note_edits(project: Project, index: Index, *changes: Change) -> None:
    """Tell the log which new entries are edits of old ones, for uses and ids to follow them.

    Nothing else knows it once the index is deleted, so it is kept where uses are not logged too.

    What was taken to the archive was not edited.

    Args:
        project: Whose log.
        index: What it followed so far.
        changes: One a file; nothing is an edit of what stood in another.
    """
    edited = [one for one in changes if one.gone and one.new]
    if not edited:
        return
    from mind.documents import edits  # noqa: PLC0415 - only for what somebody edited
    from mind.storage import archives  # noqa: PLC0415 - as above

    try:
        known = archives.read(project.archive)
    except FileError:  # then what was edited cannot be told from what was archived
        return
    archived = {one.id for one in known if one.replaced_by != one.id}
    found = [
        (old, new)
        for change in edited
        for old, new in edits.pairs(
            [one for one in change.gone if one.id not in archived], change.new
        )
        if index.aliases.named(old) != new
    ]
    now = datetime.now(UTC)
    for at in range(0, len(found), _PAIRS):
        ids = tuple(one for pair in found[at : at + _PAIRS] for one in pair)
        event = Event(at=now, session="", name="alias", ids=ids)
        journal.keep(project.events, event, project.settings)
