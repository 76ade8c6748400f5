"""chest-memory: the memories in its database, by layer, and the edges between its entities.

Archived and superseded memories are skipped, and so are full session logs, file edits and moods.
"""

from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import database, memory_text, wording
from mind.sources.importers.database import Database, Row
from mind.sources.importers.values import (
    EMPTY,
    GONE,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "chest-memory"
_KINDS = {
    "goal": Kind.GOAL,
    "context": Kind.NOTE,
    "implementation": Kind.PROGRESS,
    "realize": Kind.GOTCHA,
    "learning": Kind.LEARNING,
}
_PROJECTS = frozenset({"project", "repository", "repo"})


def places(around: Surroundings) -> list[Path]:
    """Return the path of its database."""
    folders = [*around.named("CHEST_DATA_DIR"), around.home / ".chest-memory"]
    return [*around.named("CHEST_DB_PATH"), *(folder / "chest.db" for folder in folders)]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the active memories, and the relations between entities."""
    with database.opened(path, reading, ("memories",)) as found:
        entities = {row.get("id"): row for row in found.rows("entities")}
        for row in found.rows("memories"):
            yield from _memory(row, entities.get(row.get("entity_id"), {}), reading)
        yield from _edges(found, entities, reading)


def _memory(row: Row, entity: Row, reading: ImporterInput) -> Iterator[ImportedNote]:
    if row.get("archived_at") or row.get("superseded_by_id"):
        reading.leave_out(GONE)
        return
    kind = _KINDS.get(str(row.get("layer")))
    place = f"memory {row['id']}"
    found = memory_text.texts("", str(row.get("content") or ""), place)
    if kind is None or not found or found[0].startswith(("{", "[{")):
        reading.leave_out(EMPTY)
        return
    name = wording.plain(str(entity.get("name") or ""))
    is_project = str(entity.get("kind") or "").casefold() in _PROJECTS
    if not reading.belongs([Path(name).name] if is_project else []):
        return
    about = "" if is_project or "/" in name else name
    memory = ImportedNote(
        text="",
        kind=kind,
        source=NAME,
        key=wording.key(f"mem-{row['id']}"),
        day=wording.day(row.get("created_at"), reading.zone),
        place=place,
    )
    yield from memory_text.notes(memory, (wording.about(about, said) for said in found))


def _edges(
    found: Database, entities: dict[object, Row], reading: ImporterInput
) -> Iterator[ImportedNote]:
    for row in found.rows("edges"):
        ends = [entities.get(row.get(end), {}).get("name") for end in ("from_id", "to_id")]
        made = wording.related(
            str(ends[0] or ""), str(row.get("relation") or ""), str(ends[1] or "")
        )
        if made is None:
            reading.leave_out(EMPTY)
            continue
        yield ImportedNote(
            text=made[0],
            kind=made[1],
            source=NAME,
            key=wording.key(f"edge-{row['id']}"),
            day=wording.day(row.get("created_at"), reading.zone),
            place=f"edge {row['id']}",
        )


IMPORTERS = (
    Importer(
        name=NAME,
        about="chest-memory's memories and edges",
        places=places,
        read=read,
        where="`$CHEST_DB_PATH`; `$CHEST_DATA_DIR` or `~/.chest-memory`, `chest.db`",
        gives=(
            "goal; realize: gotcha; learning; implementation: progress; context: note; edges: "
            "relations"
        ),
        is_file=True,
    ),
)
