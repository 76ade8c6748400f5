"""ARCHIVE.md on disk (see :mod:`mind.documents.archive`)."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mind.documents import archive
from mind.storage import files

_REPORTED_DAYS = 7
_LATEST_BYTES = 65_536


def missing(path: Path, today: date) -> str:
    """Notice about entries that recently went missing; "" if there are none.

    Args:
        path: Path of the archive, of which the end is read.
        today: Today's date.
    """
    latest = files.end_of(path, _LATEST_BYTES)
    if archive.MISSING.encode() not in latest:
        return ""
    found = [
        one.id
        for one in archive.blocks(latest)
        if one.reason == archive.MISSING and (today - one.day).days < _REPORTED_DAYS
    ]
    if not found:
        return ""
    several = "1 entry is" if len(found) == 1 else f"{len(found)} entries are"
    return (
        f"{several} {archive.MISSING}, and kept in ARCHIVE.md: {', '.join(found[-5:])}. "
        f"`mind restore {found[-1]}` puts one back; nothing has to be done if it was deleted."
    )


def read(path: Path, saying: Sequence[bytes] = ()) -> list[archive.Archived]:
    """Contents of the archive at ``path``, in the format of :func:`blocks`."""
    return archive.blocks(files.read(path), saying)
