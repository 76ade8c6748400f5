"""claude-mem: the observations and session summaries in its database.

An observation has a title, a narrative and a type. Of a summary, the learned and completed parts
are read; request, investigation and next steps are short-lived and skipped.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import database, wording
from mind.sources.importers.database import Row
from mind.sources.importers.values import (
    ELSEWHERE,
    EMPTY,
    SENSITIVE,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "claude-mem"
_KINDS = {
    "decision": Kind.DECISION,
    "bugfix": Kind.LEARNING,
    "discovery": Kind.LEARNING,
    "feature": Kind.PROGRESS,
    "refactor": Kind.PROGRESS,
    "change": Kind.PROGRESS,
    "security_alert": Kind.GOTCHA,
    "security_note": Kind.GOTCHA,
    "gotcha": Kind.GOTCHA,
}
_SUMMARIES = (("learned", Kind.LEARNING), ("completed", Kind.PROGRESS))


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
    own = reading.belongs(part for name in named for part in name.split("/"))  # repository/worktree
    if not own:
        reading.leave_out(ELSEWHERE)
    return own


def _observation(row: Row, reading: ImporterInput) -> Iterator[ImportedNote]:
    named = str(row.get("type") or "")
    if named == "sensitive":  # marked there as not to leave the machine
        reading.leave_out(SENSITIVE)
        return
    title = str(row.get("title") or "")
    body = str(row.get("narrative") or "") or _facts(row) or str(row.get("text") or "")
    said = wording.gist(title, wording.blocks(body or str(row.get("subtitle") or "")))
    if not said:
        reading.leave_out(EMPTY)
        return
    yield ImportedNote(
        text=said,
        kind=_KINDS.get(named, Kind.NOTE),
        source=NAME,
        key=wording.key(f"obs-{row['id']}"),
        day=wording.day(row.get("created_at_epoch") or row.get("created_at"), reading.zone),
        place=f"observation {row['id']}",
    )


def _facts(row: Row) -> str:
    """Return its facts, a JSON list, as one paragraph."""
    try:
        told = json.loads(str(row.get("facts") or "[]"))
    except (ValueError, RecursionError):
        return ""
    return " ".join(map(str, told)) if isinstance(told, list) else ""


def _summary(row: Row, reading: ImporterInput) -> Iterator[ImportedNote]:
    for name, kind in _SUMMARIES:
        said = wording.gist("", wording.blocks(str(row.get(name) or "")))
        if said:
            yield ImportedNote(
                text=said,
                kind=kind,
                source=NAME,
                key=wording.key(f"sum-{row['id']}-{name}"),
                day=wording.day(row.get("created_at_epoch") or row.get("created_at"), reading.zone),
                place=f"session summary {row['id']}",
            )


IMPORTERS = (
    Importer(
        name=NAME,
        about="claude-mem's observations and session summaries",
        places=places,
        read=read,
        where="`$CLAUDE_MEM_DATA_DIR` or `~/.claude-mem`, `claude-mem.db`",
        gives=(
            "decision; bugfix, discovery: learning; feature, refactor, change: progress; "
            "security: gotcha; of summaries what was learned and completed"
        ),
        is_file=True,
    ),
)
