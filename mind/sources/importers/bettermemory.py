"""bettermemory: a folder of notes with front matter, one memory each; tombstones are skipped."""

from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, memory_text, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import (
    DAMAGED,
    ELSEWHERE,
    EMPTY,
    Importer,
    ImporterInput,
    Surroundings,
)
from mind.sources.remembered import ImportedNote

NAME = "bettermemory"
_PROJECT = ("projects:", "project:")
_KINDS = {"fact": Kind.LEARNING, "user-inference": Kind.NOTE, "ambient": Kind.NOTE}


def places(around: Surroundings) -> list[Path]:
    """Return the folders of the environment variable, the project and the user."""
    named = around.named("BETTERMEMORY_DIR")
    return named or [around.root / ".claude-memory", around.home / ".claude-memory"]


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield its active memories of this project, or of none."""
    for text in folder.texts(path, reading, deep=False):
        identifier = text.note.text("id")
        if not identifier:
            reading.leave_out(DAMAGED)
            continue
        scopes = text.note.texts("scopes")
        own = [one.partition(":")[2] for one in scopes if one.startswith(_PROJECT)]
        if not reading.belongs(own):
            reading.leave_out(ELSEWHERE)
            continue
        made = list(_remembered(text, identifier, scopes, reading))
        if not made:
            reading.leave_out(EMPTY)
        yield from made


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
