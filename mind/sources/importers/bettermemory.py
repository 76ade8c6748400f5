"""bettermemory: a folder of notes with front matter, one memory each.

Tombstones, and memories that somebody superseded by another one, are skipped.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, memory_text, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import (
    DAMAGED,
    GONE,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "bettermemory"
_PROJECT = ("projects:", "project:")
_KINDS = {"fact": Kind.LEARNING, "user-inference": Kind.NOTE, "ambient": Kind.NOTE}
_SUPERSEDED = re.compile(r"target_id: (\w+)\n +type: supersedes\b")
"""A link in front matter, whose keys are sorted."""
_GUESSED = "set at write time"
"""The note of a link that the tool guessed from words: similar memories may both hold."""


def places(around: Surroundings) -> list[Path]:
    """Return the folders of the environment variable, the project and the user."""
    named = around.named("BETTERMEMORY_DIR")
    return named or [around.root / ".claude-memory", around.home / ".claude-memory"]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield its active memories of this project, or of none."""
    texts = list(folder.texts(path, reading, deep=False))
    superseded = {one for text in texts for one in _superseded(text)}
    for text in texts:
        identifier = text.note.text("id")
        if not identifier:
            reading.leave_out(DAMAGED)
            continue
        scopes = text.note.texts("scopes")
        own = [one.partition(":")[2] for one in scopes if one.startswith(_PROJECT)]
        if not reading.belongs(own):
            continue
        if identifier in superseded:
            reading.leave_out(GONE)
            continue
        yield from reading.counted(_remembered(text, identifier, scopes, reading))


def _superseded(text: ImportedFile) -> list[str]:
    """Return the ids of the memories that a memory supersedes."""
    if not text.note.fields.get("links"):
        return []
    head = text.path.read_text("utf-8", "replace").removesuffix(text.note.body)
    links = (one for one in head.split("\n- ") if _GUESSED not in one)
    return [found for one in links for found in _SUPERSEDED.findall(one)]


def _remembered(
    text: ImportedFile, identifier: str, scopes: list[str], reading: ImporterInput
) -> Iterator[ImportedNote]:
    memory = ImportedNote(
        text=text.note.body,
        kind=_KINDS.get(text.note.text("category"), Kind.LEARNING),
        source=NAME,
        key=wording.key(identifier),
        day=wording.day(text.note.text("created"), reading.zone) or wording.day_in_name(text.path),
        place=reading.place_of(text.path),
        tags=wording.tags(one for one in scopes if not one.startswith(_PROJECT)),
    )
    title = wording.title_in(memory.text)
    return memory_text.notes(memory, memory_text.texts(title, memory.text, text.name))


IMPORTERS = (
    Importer(
        name=NAME,
        about="bettermemory's notes",
        places=places,
        read=read,
        where="`$BETTERMEMORY_DIR`, else `.claude-memory` here and in the home",
        gives="fact: learning; user-inference, ambient: note; scopes: tags",
    ),
)
