"""Plain Markdown files and Obsidian notes: what Mind's parser finds, else what they are about.

Where a note announces nothing ("decided: …", "## Gotchas"), it is a note with title and text.
Problems that are solved there stay there.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.documents import parser
from mind.domain.entry import Entry, Kind, Status
from mind.sources.importers import folder, wording
from mind.sources.importers.folder import Text
from mind.sources.importers.values import EMPTY, SETTLED, Importer, Reading, Surroundings
from mind.sources.remembered import Remembered

MARKDOWN, OBSIDIAN = "markdown", "obsidian"
_NAMED = ("tags", "tag", "aliases", "alias", "cssclass", "cssclasses")
_LINKS = re.compile(r"\s*(?:\"?\[\[[^\[\]]+\]\]\"?\s*,?\s*)+")
_LINK = re.compile(r"\[\[([^\[\]|#]+)")
_SURE = 0.65
_GUESSED = ("plain", "words", "sentence", "question", "says", "lead")
"""How an entry was recognised where nothing announces it."""
_TEMPLATES = frozenset({"templates", "template", "_templates"})
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]+\}\}|<%.*?%>", re.DOTALL)


def nowhere(_around: Surroundings) -> list[Path]:
    """Plain files have no usual place."""
    return []


def vaults(around: Surroundings) -> list[Path]:
    """The project where it is a vault, or has one."""
    below = ("", "docs", "notes", "vault", "obsidian")
    return [*around.named("OBSIDIAN_VAULT"), *(around.root / name for name in below)]


def is_vault(path: Path) -> bool:
    """Return whether Obsidian keeps its settings there."""
    return (path / ".obsidian").is_dir()


def read_files(path: Path, reading: Reading) -> Iterator[Remembered]:
    """Return what is said in a folder's Markdown files, or in one file."""
    return _read(path, reading, MARKDOWN)


def read_vault(path: Path, reading: Reading) -> Iterator[Remembered]:
    """Return what is said in a vault's notes; links in front matter are relations."""
    return _read(path, reading, OBSIDIAN)


def _read(path: Path, reading: Reading, source: str) -> Iterator[Remembered]:
    for text in folder.texts(path, reading):
        if path.is_dir() and _is_template(text):
            reading.leave_out(EMPTY)
            continue
        settled = reading.left_out[SETTLED]
        found = list(_note(text, reading, source))
        if not found and reading.left_out[SETTLED] == settled:
            reading.leave_out(EMPTY)
        yield from found


def _is_template(text: Text) -> bool:
    folders = {part.casefold() for part in Path(text.name).parts[:-1]}
    return bool(folders & _TEMPLATES or _PLACEHOLDER.search(text.note.body[:2_000]))


def _note(text: Text, reading: Reading, source: str) -> Iterator[Remembered]:
    note, name = text.note, Path(text.name).with_suffix("").as_posix()
    title = note.text("title") or wording.title_in(note.body) or Path(name).name
    day = wording.day(note.text("date", "created", "created_at"), reading.zone)
    day = day or wording.day_in_name(text.path)
    where = reading.place_of(text.path)
    own = wording.tags(note.texts("tags", "tag"))
    parsed = [
        one
        for one in _entries(text, reading)
        if wording.says_something(one.text) and _is_announced(one)
    ]
    entries = [one for one in parsed if one.status is not Status.RESOLVED]
    reading.leave_out(SETTLED, len(parsed) - len(entries))
    for one in entries:
        said = wording.plain(one.text)
        yield Remembered(
            text=said,
            kind=one.kind,
            source=source,
            key=wording.key(name, one.id),
            day=one.date or day,
            place=f"{where}:{one.line}",
            tags=wording.tags(own, said),
        )
    body = [] if parsed else wording.paragraphs(note.body)
    told = wording.gist(title, body, where if text.path.is_relative_to(reading.root) else "")
    if told:
        yield Remembered(
            text=told,
            kind=Kind.NOTE,
            source=source,
            key=wording.key(name),
            day=day,
            place=where,
            tags=wording.tags(own, told),
        )
    if source == OBSIDIAN:
        yield from _related(text, title, reading)


def _is_announced(entry: Entry) -> bool:
    """Return whether a label, a heading or a box tells the kind.

    What only sounds like one is prose.
    """
    return entry.confidence >= _SURE and not entry.why.startswith(_GUESSED)


def _entries(text: Text, reading: Reading) -> list[Entry]:
    source = text.note.body.encode("utf-8", "replace")
    found = parser.parse(source, text.name, reading.settings)
    return parser.number_and_resolve(found)


def _related(text: Text, title: str, reading: Reading) -> Iterator[Remembered]:
    for field, values in text.note.fields.items():
        if field in _NAMED or not values or not all(map(_LINKS.fullmatch, values)):
            continue
        for target in (name for value in values for name in _LINK.findall(value)):
            made = wording.related(title, field, target)
            if made is not None:
                yield Remembered(
                    text=str(made),
                    kind=Kind.RELATION,
                    source=OBSIDIAN,
                    key=wording.key(text.name, f"rel-{wording.digest(str(made))}"),
                    place=reading.place_of(text.path),
                )


IMPORTERS = (
    Importer(
        name=OBSIDIAN,
        about="notes of an Obsidian vault",
        places=vaults,
        read=read_vault,
        where="a vault here or in `docs`, `notes`; `$OBSIDIAN_VAULT`",
        gives="what Mind's parser finds, else the note's text; links in front matter: relations",
        is_there=is_vault,
    ),
    Importer(
        name=MARKDOWN,
        about="Markdown files; say which",
        places=nowhere,
        read=read_files,
        where="none: name a file or folder",
        gives="as for obsidian, without relations",
    ),
)
