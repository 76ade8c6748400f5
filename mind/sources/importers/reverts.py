"""Reverts in the commit history that say why: rejected approaches, if they still hold.

Of those with a reason, readers found half or fewer still in force, so that they are never recorded
unasked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Entry, Kind
from mind.sources import commits
from mind.sources.git.repository import folder_of
from mind.sources.importers import wording
from mind.sources.importers.values import Importer, ImporterInput, Surroundings
from mind.sources.remembered import ImportedNote

NAME = "reverts"
_REVERT = re.compile(r"(?:\w+(?:\([^()]*\))?!?: ?)?revert:?\s+", re.IGNORECASE)


def places(around: Surroundings) -> list[Path]:
    """Return the project."""
    return [around.root]


def is_there(folder: Path) -> bool:
    """Return True for a worktree, or a folder of one."""
    return folder_of(folder) is not None


def place(one: Entry) -> str:
    """Return the location of a revert, for display."""
    return f"commit {one.commit[:10]}"


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield what was undone, with the reason."""
    for subject, one in commits.reverts(
        path, reading.settings, reading.settings.capture_max_commits
    ):
        undone = _REVERT.sub("", subject, count=1)
        if undone.startswith('"'):  # Revert "…" (#12)
            before, _, after = undone[1:].rpartition('"')
            undone = before + after
        said = f"{undone} - {one.text.removeprefix(subject).lstrip(': ')}"
        yield ImportedNote(
            text=wording.safe(said),
            kind=Kind.REJECTED,
            source=NAME,
            key=one.commit[:12],
            day=one.date,
            place=place(one),
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
