"""Names of the files that Mind creates in a memory's folder; it deletes no others."""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.storage.files import is_link
from mind.storage.files.recent import FOLDER

_CACHE = (
    r"(?:index|documents|commits)\.db(?:-(?:journal|shm|wal))?",
    r"(?:events\.)?lock",
    r"tidied",
    r"probe[\w.-]*",
    r"hooks\.log(?:\.1)?",
    r"hooks/(?:known\.json|notes\.jsonl|entries\.txt|session-[\w-]+\.json|touched|lock)",
    r"reads/[cp]-[0-9a-f]{24}/[0-9a-f]{24}",
)
_MEMORY = (
    r"(?:MEMORY|SESSION|SESSION\.last|REMINDERS|ARCHIVE)\.md",
    r"(?:config|state|pending)\.json(?:\.broken(?:-\d+)?)?",
    r"events[\w.-]*\.jsonl",
    r"\.gitignore|\.gitattributes",
)
_BESIDE = r"(?:.+/)?\.[^/]+\.(?:tmp|journal[^/]*)"
"""Temporary files of atomic writes, and journals that undo interrupted writes."""

_DERIVED = re.compile("|".join((*_CACHE, _BESIDE)))
_OWN = re.compile("|".join((*_MEMORY, _BESIDE)))


def derived(cache: Path) -> Iterator[Path]:
    """The files that Mind created in a cache, and links with such names; links are not followed."""
    return _below(cache, cache, _DERIVED)


def own(folder: Path) -> Iterator[Path]:
    """The files that Mind created in the folder of a memory, except its cache."""
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
    """Return the content of a folder; nothing if it is a link, or does not exist."""
    if is_link(folder) or not folder.is_dir():
        return []
    return sorted(folder.iterdir())
