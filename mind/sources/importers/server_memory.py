"""The official server-memory: a graph in JSON Lines, one entity or relation per line.

Each observation becomes an entry that names its entity; each relation becomes a relation.
Truncated lines are skipped. The graph has no dates.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mind.domain.entry import Kind
from mind.sources.importers import folder, memory_text, wording
from mind.sources.importers.values import (
    DAMAGED,
    EMPTY,
    KINDS,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "server-memory"
LARGEST = 64_000_000
"""Maximum size of a graph, in bytes."""
_KINDS = KINDS | {
    "bug": Kind.PROBLEM,
    "issue": Kind.PROBLEM,
    "pitfall": Kind.GOTCHA,
    "lesson": Kind.LEARNING,
    "task": Kind.TODO,
}
_NAMED = re.compile(r'"MEMORY_FILE_PATH"\s*:\s*"([^"\\]+)"')
_LARGEST_SETTINGS = 1_000_000


def places(around: Surroundings) -> list[Path]:
    """Return the file of the environment variable, or one in the project, not the package's own."""
    names = ("memory.jsonl", "memory.json", ".mcp/memory.jsonl", ".claude/memory.jsonl")
    own = [*_configured(around.root / ".mcp.json"), *names]
    inside = [one for one in map(around.expanded, own) if around.owns(one)]
    return [*around.named("MEMORY_FILE_PATH"), *inside]


def _configured(settings: Path) -> list[str]:
    """Return the files that a project's MCP settings name."""
    with contextlib.suppress(OSError):
        is_usual = settings.is_file() and not settings.is_symlink()
        if is_usual and settings.stat().st_size < _LARGEST_SETTINGS:
            return _NAMED.findall(settings.read_text("utf-8", "replace"))
    return []


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the observations and relations of a graph."""
    said = folder.contents(path, reading, LARGEST) or ""
    for line in said.split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            reading.leave_out(DAMAGED)
            continue
        kind = row.get("type") if isinstance(row, dict) else None
        if kind == "entity":
            yield from _entity(row, reading)
        elif kind == "relation":
            yield from _relation(row, reading)
        else:
            reading.leave_out(DAMAGED)


def _entity(row: dict[str, Any], reading: ImporterInput) -> Iterator[ImportedNote]:
    name, named = str(row.get("name") or ""), str(row.get("entityType") or "")
    observations = row.get("observations")
    told = observations if isinstance(observations, list) else []
    if not told:
        reading.leave_out(EMPTY)
    for one in map(str, told):
        found = memory_text.texts("", one, NAME) or [wording.plain(one)]
        texts = [wording.about(name, said) for said in found]
        if wording.is_stub(found[0]) or not wording.says_something(texts[0]):
            reading.leave_out(EMPTY)
            continue
        memory = ImportedNote(
            text=one,
            kind=_KINDS.get(named.strip().casefold(), Kind.NOTE),
            source=NAME,
            key=wording.key("obs", wording.digest(f"{name}\0{one}") + wording.digest(one)),
            place=name,
        )
        yield from memory_text.notes(memory, texts)


def _relation(row: dict[str, Any], reading: ImporterInput) -> Iterator[ImportedNote]:
    ends = [str(row.get(name) or "") for name in ("from", "relationType", "to")]
    made = wording.related(*ends)
    if made is None:
        reading.leave_out(EMPTY)
        return
    whole = "\0".join(ends)
    yield ImportedNote(
        text=made[0],
        kind=made[1],
        source=NAME,
        key=wording.key("rel", wording.digest(whole) + wording.digest(whole[::-1])),
        place=ends[0],
    )


IMPORTERS = (
    Importer(
        name=NAME,
        about="the graph of @modelcontextprotocol/server-memory",
        places=places,
        read=read,
        where="`$MEMORY_FILE_PATH`; here, the one that `.mcp.json` names, and `memory.jsonl`",
        gives="observations by the entity's type, else notes; relations",
        is_file=True,
    ),
)
