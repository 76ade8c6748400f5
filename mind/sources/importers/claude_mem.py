"""claude-mem: the observations and session summaries in its database.

An observation has a title, a subtitle, a narrative, facts and a type. Of a summary, what was
learned and completed, the notes and the next steps are read; what was completed and comes next
begins with the request.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import database, memory_text, wording
from mind.sources.importers.database import Row
from mind.sources.importers.values import (
    SENSITIVE,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "claude-mem"
_KINDS = {
    "decision": Kind.DECISION,
    "bugfix": Kind.PROGRESS,
    "discovery": Kind.LEARNING,
    "feature": Kind.PROGRESS,
    "refactor": Kind.PROGRESS,
    "change": Kind.PROGRESS,
    "security_alert": Kind.GOTCHA,
    "security_note": Kind.GOTCHA,
    "gotcha": Kind.GOTCHA,
}
_SUMMARIES = (
    ("learned", "", Kind.LEARNING),
    ("completed", "", Kind.PROGRESS),
    ("notes", "", Kind.NOTE),
    ("next_steps", "Next steps", Kind.NOTE),  # no to-do: a later session may have done it
)
_ASKED = frozenset({"completed", "next_steps"})
"""Parts of a summary that only the request explains."""


def places(around: Surroundings) -> list[Path]:
    """Return the path of its database."""
    folders = [*around.named("CLAUDE_MEM_DATA_DIR"), around.home / ".claude-mem"]
    return [folder / "claude-mem.db" for folder in folders]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the observations and summaries of this project."""
    with database.opened(path, reading, ("observations",)) as found:
        for row in found.rows("observations"):
            if _belongs(row, reading):
                yield from _observation(row, reading)
        for row in found.rows("session_summaries"):
            if _belongs(row, reading):
                yield from _summary(row, reading)


def _belongs(row: Row, reading: ImporterInput) -> bool:
    named = [str(row.get(name) or "") for name in ("merged_into_project", "project")]
    return reading.belongs(part for name in named for part in name.split("/"))  # of a worktree


def _observation(row: Row, reading: ImporterInput) -> Iterator[ImportedNote]:
    named = str(row.get("type") or "")
    if named == "sensitive":  # marked there as not to leave the machine
        reading.leave_out(SENSITIVE)
        return
    subtitle, narrative = (str(row.get(name) or "") for name in ("subtitle", "narrative"))
    told = ["" if subtitle in narrative else subtitle, narrative, _facts(row)]
    body = "\n\n".join(filter(None, told)) or str(row.get("text") or "")
    memory = ImportedNote(
        text=body,
        kind=_KINDS.get(named, Kind.NOTE),
        source=NAME,
        key=wording.key(f"obs-{row['id']}"),
        day=wording.day(row.get("created_at_epoch") or row.get("created_at"), reading.zone),
        place=f"observation {row['id']}",
    )
    found = memory_text.texts(str(row.get("title") or ""), body, memory.place)
    yield from reading.counted(memory_text.notes(memory, found))


def _facts(row: Row) -> str:
    """Return its facts, a JSON list, as items."""
    try:
        told = json.loads(str(row.get("facts") or "[]"))
    except (ValueError, RecursionError):
        return ""
    facts = map(str, told) if isinstance(told, list) else ()
    return "\n".join(f"- {' '.join(one.split())}" for one in facts)


def _summary(row: Row, reading: ImporterInput) -> Iterator[ImportedNote]:
    for name, title, kind in _SUMMARIES:
        memory = ImportedNote(
            text=str(row.get(name) or ""),
            kind=kind,
            source=NAME,
            key=wording.key(f"sum-{row['id']}-{name}"),
            day=wording.day(row.get("created_at_epoch") or row.get("created_at"), reading.zone),
            place=f"session summary {row['id']}",
        )
        if memory.text:
            asked = wording.plain(str(row.get("request") or "")) if name in _ASKED else ""
            found = memory_text.texts("", memory.text, memory.place)
            named = wording.titled(asked[: wording.MOST], title) or asked[: wording.MOST]
            yield from memory_text.notes(memory, (wording.titled(named, one) for one in found))


IMPORTERS = (
    Importer(
        name=NAME,
        about="claude-mem's observations and session summaries",
        places=places,
        read=read,
        where="`$CLAUDE_MEM_DATA_DIR` or `~/.claude-mem`, `claude-mem.db`",
        gives=(
            "decision; discovery: learning; bugfix, feature, refactor, change: progress; "
            "security: gotcha; of summaries what was learned and completed; notes and next "
            "steps: note"
        ),
        is_file=True,
    ),
)
