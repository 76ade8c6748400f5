"""ARCHIVE.md on disk (see :mod:`mind.documents.archive`)."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mind.documents import archive
from mind.storage import files

_REPORTED_DAYS = 7
_LATEST_BYTES = 65_536


def missing(path: Path, today: date) -> str:
    """A notice about entries that went missing lately; "" if there is none.

    Args:
        path: Of the archive; its end is looked at.
        today: The day.
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
    """The contents of the archive at ``path``, as :func:`blocks` gives them."""
    return archive.blocks(files.read(path), saying)
