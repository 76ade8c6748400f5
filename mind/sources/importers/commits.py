"""Approaches that commits turned down, with a reason; many do not hold any more.

Of reverts that say why, and of alternatives as in ``Rejected: X | reason``, readers found half or
fewer still in force, so that they are never recorded unasked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mind.domain.entry import Entry, Kind
from mind.sources import commits
from mind.sources.git import messages
from mind.sources.git.repository import folder_of
from mind.sources.importers import wording
from mind.sources.importers.values import Importer, ImporterInput
from mind.sources.remembered import ImportedNote

NAME = "commits"
_REVERT = re.compile(r"(?:\w+(?:\([^()]*\))?!?: ?)?revert:?\s+", re.IGNORECASE)


def place(one: Entry) -> str:
    """Return the commit, for display."""
    return f"commit {one.commit[:10]}"


def read(path: Path, reading: ImporterInput) -> Iterator[ImportedNote]:
    """Yield what was undone, or rejected for something else, with the reason."""
    most = reading.settings.capture_max_commits
    for subject, one in commits.reverts(path, reading.settings, most):
        undone = _REVERT.sub("", subject, count=1)
        if undone.startswith('"'):  # Revert "…" (#12)
            before, _, after = undone[1:].rpartition('"')
            undone = before + after
        said = f"{undone} - {one.text.removeprefix(subject).lstrip(': ')}"
        yield _note(said, one, one.commit[:12])
    for one in commits.alternatives(path, reading.settings, most):
        said = " - ".join(messages.alternative(one.text) or (one.text,))
        yield _note(said, one, wording.key(one.commit[:12], wording.digest(said)))


def _note(said: str, one: Entry, key: str) -> ImportedNote:
    return ImportedNote(
        text=wording.safe(said),
        kind=Kind.REJECTED,
        source=NAME,
        key=key,
        day=one.date,
        place=place(one),
    )


IMPORTERS = (
    Importer(
        name=NAME,
        about="what commits reverted or rejected, with a reason",
        places=lambda around: [around.root],
        read=read,
        where="this repository",
        gives="rejected approaches",
        is_there=lambda folder: folder_of(folder) is not None,
    ),
)
