"""The texts of a folder: no link out of it is followed, what is too large or no text is counted."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mind.sources.importers import frontmatter
from mind.sources.importers.frontmatter import Note
from mind.sources.importers.values import DAMAGED, EMPTY, LARGE, LINKED, UNREADABLE, Reading

LARGEST = 2_000_000
"""Bytes of the largest note that is read."""
MOST_FILES = 50_000
SUFFIXES = (".md", ".markdown")
_PASSED_OVER = frozenset(
    "node_modules __pycache__ venv site-packages vendor bower_components dist build".split()
)


@dataclass(frozen=True, slots=True)
class Text:
    """A file's path, the same below its folder with ``/``, and what it says."""

    path: Path
    name: str
    note: Note


def texts(folder: Path, reading: Reading, *, deep: bool = True) -> Iterator[Text]:
    """The notes of ``folder`` (or the one file that it is), by name; hidden ones are left out."""
    for path in paths(folder, reading, deep=deep):
        name = path.name if path == folder else path.relative_to(folder).as_posix()
        said = contents(path, reading)
        if said is None:
            continue
        if not said.strip():
            reading.leave_out(EMPTY)
            continue
        try:
            yield Text(path, name, frontmatter.split(said))
        except frontmatter.Broken:
            reading.leave_out(DAMAGED)


def paths(folder: Path, reading: Reading, *, deep: bool = True) -> list[Path]:
    """The Markdown files of ``folder``, sorted by their path; the folder itself may be a file."""
    if folder.is_file():
        return [folder]
    found: list[Path] = []
    for parent, folders, names in os.walk(folder, followlinks=False):
        here = Path(parent)
        reading.leave_out(LINKED, sum((here / name).is_symlink() for name in folders))
        folders[:] = sorted(one for one in folders if deep and not _is_passed_over(one))
        for name in sorted(names):
            path = here / name
            if not name.startswith(".") and name.lower().endswith(SUFFIXES):
                if path.is_symlink():
                    reading.leave_out(LINKED)
                else:
                    found.append(path)
        if len(found) > MOST_FILES:
            reading.leave_out(LARGE, len(found) - MOST_FILES)
            break
    return sorted(found[:MOST_FILES])


def _is_passed_over(name: str) -> bool:
    return name.startswith(".") or name in _PASSED_OVER


def contents(path: Path, reading: Reading, largest: int = LARGEST) -> str | None:
    """Return what a file says.

    None if it cannot be read, is too large or no text, which is counted.
    """
    try:
        if not path.is_file():  # who opens a pipe waits for ever
            reading.leave_out(UNREADABLE)
            return None
        if path.stat().st_size > largest:
            reading.leave_out(LARGE)
            return None
        source = path.read_bytes()
    except OSError:
        reading.leave_out(UNREADABLE)
        return None
    if b"\0" in source:
        reading.leave_out(DAMAGED)
        return None
    return source.decode("utf-8", "replace")
