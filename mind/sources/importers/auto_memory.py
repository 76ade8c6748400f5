"""Claude Code's auto-memory of a project: one fact per file, and an index of them.

The type of a topic file says what it is about: the user's working preferences (feedback), the
user, the project, or references to other places. Lines of MEMORY.md that only link to such a file
are skipped.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources.importers import folder, wording
from mind.sources.importers.folder import ImportedFile
from mind.sources.importers.values import EMPTY, Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "auto-memory"
_KINDS = {
    "feedback": Kind.LEARNING,
    "project": Kind.LEARNING,
    "reference": Kind.NOTE,
    "user": Kind.NOTE,
}
_POINTER = re.compile(r"\[[^\[\]]+\]\((?!\w+:)[^()\s]+\.md\)")
_PART = re.compile(r"\*\*(Why|How to apply):?\*\*:?\s*", re.IGNORECASE)
_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9]")


def places(around: Surroundings) -> list[Path]:
    """Return the auto-memory folder, named after the repository's path with "-" for other signs."""
    slugs = [_NOT_IN_SLUG.sub("-", str(root)) for root in (around.main or around.root, around.root)]
    return [projects(around) / slug / "memory" for slug in dict.fromkeys(slugs)]


def projects(around: Surroundings) -> Path:
    """Return Claude Code's folder of project data."""
    configured = [*around.named("CLAUDE_CONFIG_DIR"), around.home / ".claude"]
    return configured[0] / "projects"


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield the facts of a folder, and those only in its index."""
    for text in folder.texts(path, reading):
        found = list(_index(text, reading) if text.name == "MEMORY.md" else _topic(text, reading))
        if not found and text.name != "MEMORY.md":
            reading.leave_out(EMPTY)
        yield from found


def _topic(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    note = text.note
    named = note.text("metadata.type", "type").casefold()
    title = note.text("description") or wording.title_in(note.body) or note.text("name")
    said = wording.cut(_joined(list(wording.paragraphs(note.body)), title))
    if not wording.says_something(said):
        return
    yield ImportedNote(
        text=said,
        kind=_KINDS.get(named, Kind.NOTE),
        source=NAME,
        key=wording.key(Path(text.name).with_suffix("").as_posix()),
        day=wording.day(note.text("created", "date", "metadata.created"), reading.zone)
        or wording.day_in_name(text.path),
        place=text.name,
    )


def _joined(texts: list[str], title: str) -> str:
    """Join a fact with its reason and its application."""
    parts = [_PART.sub(r"\1: ", one) for one in texts]
    head = wording.gist(title if len(title) < 60 else "", parts[:1])
    more = [wording.plain(one) for one in parts[1:] if one.startswith(("Why:", "How to apply:"))]
    return " ".join([head or wording.plain(title), *more])


def _index(text: ImportedFile, reading: ImporterInput) -> Iterator[ImportedNote]:
    for headings, body in wording.sections(text.note.body):
        for said in wording.paragraphs(body):
            what = wording.cut(wording.plain(said.removeprefix("• ")))
            if _POINTER.search(said) or what.endswith(":") or not wording.says_something(what):
                continue
            about = headings[-1] if len(headings) > 1 else ""
            yield ImportedNote(
                text=wording.gist(about, [what]),
                kind=Kind.LEARNING,
                source=NAME,
                key=wording.key("MEMORY", wording.digest(what)),
                place=reading.place_of(text.path),
            )


IMPORTERS = (
    Importer(
        name=NAME,
        about="Claude Code's auto-memory of this project",
        places=places,
        read=read,
        where="`$CLAUDE_CONFIG_DIR` or `~/.claude`, `projects/…/memory` of the repository",
        gives="feedback and project: learning; user and reference: note; with Why and How to apply",
    ),
)
