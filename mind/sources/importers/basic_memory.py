"""basic-memory: notes with observations (``- [decision] …``) and relations (``- uses [[redis]]``).

Each observation becomes an entry, each relation a relation; the rest of the note becomes one entry
with its title.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import prose
from mind.sources.importers import folder, memory_text, record_status, whole_note, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import (
    GONE,
    KINDS,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote
from mind.text.entities import page_of

NAME = "basic-memory"
_KINDS = KINDS | {
    "design": Kind.DECISION,
    "choice": Kind.DECISION,
    "issue": Kind.PROBLEM,
    "bug": Kind.PROBLEM,
    "pitfall": Kind.GOTCHA,
    "warning": Kind.GOTCHA,
    "caveat": Kind.GOTCHA,
    "requirement": Kind.GOAL,
    "task": Kind.TODO,
    "action": Kind.TODO,
    "done": Kind.PROGRESS,
    "lesson": Kind.LEARNING,
    "insight": Kind.LEARNING,
    "fact": Kind.LEARNING,
    "tech": Kind.LEARNING,
    "technique": Kind.LEARNING,
    "solution": Kind.LEARNING,
    "tip": Kind.LEARNING,
}
"""Kinds by category name."""
_CATEGORY = re.compile(r"\[([^\[\]()\n]{2,60})\]\s+(\S.*)", re.DOTALL)
_CLOCK = re.compile(r"[\d:., -]+")
_RELATION = re.compile(
    r"(\"[^\"\n]+\"|'[^'\n]+'|[^\s\[\]]+)\s+\[\[([^\[\]|\n]+)(?:\|[^\]\n]*)?\]\](?:\s*\(.*\))?"
)


def places(around: Surroundings) -> list[Path]:
    """Return the folder of the environment variable, then the user's.

    Of the projects in the tool's settings, the one with the repository's name, else the default.
    """
    folders = [*around.named("BASIC_MEMORY_CONFIG_DIR"), around.home / ".basic-memory"]
    own, default = _configured(folders[0] / "config.json", around)
    return [*around.named("BASIC_MEMORY_HOME"), *(own or [*default, around.home / "basic-memory"])]


def _configured(settings: Path, around: Surroundings) -> tuple[list[Path], list[Path]]:
    """Return the folders of the repository's own project and of the default one."""
    try:
        told = json.loads(settings.read_text("utf-8"))
        paths = {
            name: around.expanded(one["path"] if isinstance(one, dict) else one)
            for name, one in told["projects"].items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return [], []
    names = {root.name.casefold() for root in (around.root, around.main or around.root)}
    own = [path for name, path in paths.items() if name.casefold() in names]
    return own, [path for name, path in paths.items() if name == told.get("default_project")]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the observations, relations and remaining text of a folder's notes."""
    for text in folder.texts(path, reading):
        if record_status.validity(text.note.text("status")) == "ended":
            reading.leave_out(GONE)
            continue
        yield from reading.counted(_note(text, reading))


def _note(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    note = text.note
    named = note.text("permalink") or Path(text.name).with_suffix("").as_posix()
    title = note.text("title") or wording.title_in(note.body) or Path(text.name).stem
    memory = ImportedNote(
        text=note.body,
        kind=_KINDS.get(note.text("type").casefold(), Kind.NOTE),
        source=NAME,
        key=wording.key(named),
        day=wording.day(note.text("created", "date"), reading.zone)
        or wording.day_in_name(text.path),
        place=reading.place_of(text.path),
    )
    taken = set[int]()
    for item in (item for block in wording.blocks(note.body) for item in block.children):
        one = _observed(title, item)
        if one is not None:
            taken.add(item.line)
            what, kind = one
            about = "rel" if kind is Kind.RELATION else "obs"
            key = wording.key(named, f"{about}-{wording.digest(prose.own(item))}")
            parts = (wording.about(title, part) for part in wording.split(what, wording.MOST))
            yield from memory_text.notes(replace(memory, kind=kind, key=key), parts)
    tags = wording.tags(note.texts("tags"))
    rest = whole_note.WholeNote(whole_note.heading(title), note.body, taken).lines(text.name)
    yield from memory_text.notes(replace(memory, tags=tags), rest)


def _observed(title: str, item: Block) -> tuple[str, Kind] | None:
    """Return an item's observation or relation and its kind; None if it is neither."""
    line = prose.own(item) if item.type == "item" else ""
    relation = _RELATION.fullmatch(line)
    if relation:
        return wording.related(title, relation[1].strip("\"'"), page_of(relation[2]))
    found = _CATEGORY.fullmatch(line)
    if found is None or _CLOCK.fullmatch(found[1]):
        return None
    what = wording.plain(found[2])
    if not wording.says_something(what):
        return None
    what = prose.stacked((what, *map(prose.markdown, item.children)))
    return what, _KINDS.get(found[1].strip().casefold(), Kind.NOTE)


IMPORTERS = (
    Importer(
        name=NAME,
        about="basic-memory's notes, observations and relations",
        places=places,
        read=read,
        where=(
            "`$BASIC_MEMORY_HOME`; the project of the repository's name in `~/.basic-memory`, else "
            "the default one and `~/basic-memory`"
        ),
        gives=(
            "`[category]` observations by their category, else notes; relations; a note's own "
            "text: note"
        ),
    ),
)
