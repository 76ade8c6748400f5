"""Reverts in the commit history that say why: rejected approaches, if they still hold.

Of those with a reason, readers found half or fewer still in force, so that they are never recorded
unasked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Kind
from mind.sources import commits
from mind.sources.importers import wording
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "reverts"
_UNDONE = re.compile(
    r"(?P<before>.*?)[Rr]evert:? (?P<quote>\"?)(?P<undone>.+?)(?P=quote): (?P<why>.+)"
)


def places(around: Surroundings) -> list[Path]:
    """Return the project."""
    return [around.root]


def is_there(place: Path) -> bool:
    """Return True for a worktree."""
    return (place / ".git").exists()


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield what was undone, with the reason."""
    for one in commits.reverts(path, reading.settings, reading.settings.capture_max_commits):
        found = _UNDONE.fullmatch(one.text)
        said = f"{found['undone']} - {found['why']}" if found else one.text
        yield ImportedNote(
            text=wording.safe(said),
            kind=Kind.REJECTED,
            source=NAME,
            key=one.commit[:12],
            day=one.date,
            place=f"commit {one.commit[:10]}",
        )


IMPORTERS = (
    Importer(
        name=NAME,
        about="reverts in the commit history that say why",
        places=places,
        read=read,
        where="this repository",
        gives="rejected approaches",
        is_there=is_there,
    ),
)
