"""Names of the files that Mind makes in the folder of a memory: nothing else of it is deleted."""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.storage.files import is_link
from mind.storage.files.recent import FOLDER

_CACHE = (
    r"(?:index|documents)\.db(?:-(?:journal|shm|wal))?",
    r"(?:events\.)?lock",
    r"recent-[\w.]+",  # of earlier versions
    r"tidied",
    r"probe[\w.-]*",
    r"hooks\.log(?:\.1)?",
    r"hooks/(?:known\.json|notes\.jsonl|entries\.txt|session-[\w-]+\.json|touched|lock)",
    r"reads/[cp]-[0-9a-f]{24}/[0-9a-f]{24}",
)
_MEMORY = (
    r"(?:MEMORY|SESSION|SESSION\.last|REMINDERS|ARCHIVE)\.md",
    r"(?:config|state|pending)\.json(?:\.broken(?:-\d+)?)?",
    r"events[\w.-]*\.jsonl(?:\.gz)?",
    r"\.gitignore|\.gitattributes",
)
_BESIDE = r"(?:.+/)?\.[^/]+\.(?:tmp|journal[^/]*)"
"""New content before it takes the place of the old, and what a cut-short write is taken back by."""

_DERIVED = re.compile("|".join((*_CACHE, _BESIDE)))
_OWN = re.compile("|".join((*_MEMORY, _BESIDE)))


def derived(cache: Path) -> Iterator[Path]:
    """The files that Mind made in a cache, and links by their names; no link is followed."""
    return _below(cache, cache, _DERIVED)


def own(folder: Path) -> Iterator[Path]:
    """The files that Mind made in the folder of a memory, but for its cache."""
    for path in (*_listed(folder), *_listed(folder / FOLDER)):
        name = path.name if path.parent == folder else f"{path.name}.md"
        if _OWN.fullmatch(name) and (is_link(path) or path.is_file()):
            yield path


def _below(folder: Path, top: Path, shape: re.Pattern[str]) -> Iterator[Path]:
    for path in _listed(folder):
        if path.is_dir() and not is_link(path):
            yield from _below(path, top, shape)
        elif shape.fullmatch(path.relative_to(top).as_posix()):
            yield path


def _listed(folder: Path) -> list[Path]:
    """Return what is in a folder; nothing of one that is a link, or not there."""
    if is_link(folder) or not folder.is_dir():
        return []
    return sorted(folder.iterdir())
