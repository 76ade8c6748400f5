"""Claude Code: its auto-memory of a project, and notes from the transcripts of its sessions.

The auto-memory has one fact per file, and an index of them. The type of a file says what it is
about: the user's working preferences (feedback), the user, the project, or references to other
places. Lines of MEMORY.md that only link to such a file are skipped. Transcripts of other projects
are found only if their folder or file is named.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mind.documents.markdown import Block
from mind.domain.entry import Kind
from mind.sources import prose, transcripts
from mind.sources.importers import folder, memory_text, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

MEMORY = "auto-memory"
_KINDS = {
    "feedback": Kind.LEARNING,
    "project": Kind.LEARNING,
    "reference": Kind.NOTE,
    "user": Kind.NOTE,
}
_POINTER = re.compile(r"\[[^\[\]]+\]\((?!\w+:)[^()\s]+\.md\)")
_PART = re.compile(r"\*\*(Why|How to apply):?\*\*:?\s*", re.IGNORECASE)
_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9]")


def memories(around: Surroundings) -> list[Path]:
    """Return the auto-memory folder, named after the repository's path with "-" for other signs."""
    slugs = [_NOT_IN_SLUG.sub("-", str(root)) for root in (around.main or around.root, around.root)]
    return [_projects(around) / slug / "memory" for slug in dict.fromkeys(slugs)]


def _projects(around: Surroundings) -> Path:
    """Return Claude Code's folder of project data."""
    configured = [*around.named("CLAUDE_CONFIG_DIR"), around.home / ".claude"]
    return configured[0] / "projects"


def _read_memory(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the facts of a folder, and those only in its index."""
    for text in folder.texts(path, reading):
        if text.name == "MEMORY.md":
            yield from _index(text, reading)
        else:
            yield from reading.counted(_topic(text, reading))


def _topic(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    note = text.note
    named = note.text("metadata.type", "type").casefold()
    title = note.text("description") or wording.title_in(note.body) or note.text("name")
    body = _PART.sub(r"\1: ", note.body)
    found = memory_text.texts(title if len(title) < 60 else "", body, text.name)
    memory = ImportedNote(
        text=body,
        kind=_KINDS.get(named, Kind.NOTE),
        source=MEMORY,
        key=wording.key(Path(text.name).with_suffix("").as_posix()),
        day=wording.day(note.text("created", "date", "metadata.created"), reading.zone)
        or wording.day_in_name(text.path),
        place=text.name,
    )
    yield from memory_text.notes(memory, found or memory_text.texts("", title, text.name))


def _index(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    for headings, body in wording.sections(text.note.body):
        for block in wording.blocks(body):
            yield from _facts(block, headings, reading.place_of(text.path))


def _facts(block: Block, headings: Sequence[str], place: str) -> Iterator[ImportedNote]:
    if block.type == "list":
        for item in block.children:
            yield from _facts(item, headings, place)
        return
    what, flat = wording.safe(prose.markdown(block)), wording.safe(prose.whole(block))
    if block.type == "heading" or _POINTER.search(what) or what.endswith(":"):
        return
    if wording.says_something(what):
        about = headings[-1] if len(headings) > 1 else ""
        memory = ImportedNote(
            text=what,
            kind=Kind.LEARNING,
            source=MEMORY,
            key=wording.key("MEMORY", wording.digest(wording.cut(flat))),
            place=place,
        )
        texts = wording.split(wording.titled(about, what), wording.MOST)
        yield from memory_text.notes(memory, texts)


def places(around: Surroundings) -> list[Path]:
    """Return the folder with the transcripts of all projects."""
    return [_projects(around)]


def _read_transcripts(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the notes of a transcript, of a folder of them, or of this project's."""
    if path.is_file():
        files = [path]
    elif path.name == "projects":
        files = transcripts.found(reading.root, path)
    else:
        files = sorted(one for one in path.glob("*.jsonl") if not one.is_symlink())
    return transcripts.remembered(files, reading.root, settings=reading.settings, zone=reading.zone)


IMPORTERS = (
    Importer(
        name=MEMORY,
        about="Claude Code's auto-memory of this project",
        places=memories,
        read=_read_memory,
        where="`$CLAUDE_CONFIG_DIR` or `~/.claude`, `projects/…/memory` of the repository",
        gives="feedback and project: learning; user and reference: note; with Why and How to apply",
    ),
    Importer(
        name=transcripts.SOURCE,
        about="statements and fixed failures in Claude Code's sessions",
        places=places,
        read=_read_transcripts,
        where="`$CLAUDE_CONFIG_DIR` or `~/.claude`, `projects/…` of the repository",
        gives="statements by what they announce",
    ),
)
