"""bettermemory: a folder of notes with front matter, one memory each; tombstones are skipped."""

from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, wording
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
        made = _remembered(text, identifier, scopes, reading)
        if made is None:
            reading.leave_out(EMPTY)
        else:
            yield made


def _remembered(
    text: ImportedFile, identifier: str, scopes: list[str], reading: ImporterInput
) -> ImportedNote | None:
    where = reading.place_of(text.path)
    said = wording.gist(wording.title_in(text.note.body), wording.blocks(text.note.body))
    if not said:
        return None
    return ImportedNote(
        text=said,
        kind=_KINDS.get(text.note.text("category"), Kind.LEARNING),
        source=NAME,
        key=wording.key(identifier),
        day=wording.day(text.note.text("created"), reading.zone) or wording.day_in_name(text.path),
        place=where,
        tags=wording.tags((one for one in scopes if not one.startswith(_PROJECT)), said),
    )


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
