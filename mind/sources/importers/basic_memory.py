"""basic-memory: notes with observations (``- [decision] …``) and relations (``- uses [[redis]]``).

Each observation becomes an entry, each relation a relation; the rest of the note becomes one entry
with its title.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mind.documents.markdown import Block
from mind.domain.entry import Kind, normalise
from mind.sources import prose
from mind.sources.importers import folder, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import EMPTY, Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "basic-memory"
KINDS = {
    "decision": Kind.DECISION,
    "design": Kind.DECISION,
    "choice": Kind.DECISION,
    "problem": Kind.PROBLEM,
    "issue": Kind.PROBLEM,
    "bug": Kind.PROBLEM,
    "gotcha": Kind.GOTCHA,
    "pitfall": Kind.GOTCHA,
    "warning": Kind.GOTCHA,
    "caveat": Kind.GOTCHA,
    "rejected": Kind.REJECTED,
    "goal": Kind.GOAL,
    "requirement": Kind.GOAL,
    "todo": Kind.TODO,
    "task": Kind.TODO,
    "action": Kind.TODO,
    "assumption": Kind.ASSUMPTION,
    "done": Kind.PROGRESS,
    "progress": Kind.PROGRESS,
    "learning": Kind.LEARNING,
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
    """Return the folder of the environment variable, then the user's."""
    return [*around.named("BASIC_MEMORY_HOME"), around.home / "basic-memory"]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the observations, relations and remaining text of a folder's notes."""
    for text in folder.texts(path, reading):
        yield from _note(text, reading)


def _note(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    note = text.note
    named = note.text("permalink") or str(Path(text.name).with_suffix("").as_posix())
    title = note.text("title") or wording.title_in(note.body) or Path(text.name).stem
    day = wording.day(note.text("created", "date"), reading.zone) or wording.day_in_name(text.path)
    where = reading.place_of(text.path)
    rest: list[Block] = []
    found = 0
    for block in wording.blocks(note.body):
        left = []
        for item in block.children:
            one = _observed(title, item)
            if one is None:
                left.append(item)
                continue
            found += 1
            what, kind = one
            about = "rel" if kind is Kind.RELATION else "obs"
            yield ImportedNote(
                text=what,
                kind=kind,
                source=NAME,
                key=wording.key(named, f"{about}-{wording.digest(prose.own(item))}"),
                day=day,
                place=where,
            )
        rest.append(replace(block, children=tuple(left)))
    told = wording.gist(title, rest)
    if told:
        yield ImportedNote(
            text=told,
            kind=KINDS.get(note.text("type").casefold(), Kind.NOTE),
            source=NAME,
            key=wording.key(named),
            day=day,
            place=where,
            tags=wording.tags(note.texts("tags"), told),
        )
    elif not found:
        reading.leave_out(EMPTY)


def _observed(title: str, item: Block) -> tuple[str, Kind] | None:
    """Return an item's observation or relation and its kind; None if it is neither."""
    line = prose.own(item) if item.type == "item" else ""
    relation = _RELATION.fullmatch(line)
    made = wording.related(title, relation[1].strip("\"'"), relation[2]) if relation else None
    if made is not None:
        return str(made), Kind.RELATION
    found = _CATEGORY.fullmatch(line)
    if found is None or _CLOCK.fullmatch(found[1]):
        return None
    what = wording.cut(wording.plain(found[2]))
    if not wording.says_something(what):
        return None
    if normalise(title) not in normalise(what):
        what = f"{wording.plain(title)}: {what}"
    return what, KINDS.get(found[1].strip().casefold(), Kind.NOTE)


IMPORTERS = (
    Importer(
        name=NAME,
        about="basic-memory's notes, observations and relations",
        places=places,
        read=read,
        where="`$BASIC_MEMORY_HOME`, `~/basic-memory`",
        gives=(
            "`[category]` observations by their category, else notes; relations; a note's own "
            "text: note"
        ),
    ),
)
