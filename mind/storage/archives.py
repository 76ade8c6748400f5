"""ARCHIVE.md on disk (see :mod:`mind.documents.archive`)."""

import contextlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mind.documents import archive
from mind.domain.errors import FileError
from mind.storage import files

_REPORTED_DAYS = 7
_LATEST_BYTES = 65_536


def missing(path: Path, today: date, told: Path) -> str:
    """Notice about entries that recently went missing, once for each; "" if there are none.

    Args:
        path: Path of the archive, of which the end is read.
        today: Today's date.
        told: File of the ids that were in a notice, to which these are added.
    """
    latest = files.part_of(path, -_LATEST_BYTES, _LATEST_BYTES)
    if archive.MISSING.encode() not in latest:
        return ""
    recently = [
        one.id
        for one in archive.blocks(latest)
        if one.reason == archive.MISSING and (today - one.day).days < _REPORTED_DAYS
    ]
    known = files.read_json(told)
    found = [one for one in recently if not (isinstance(known, list) and one in known)]
    if not found:
        return ""
    with contextlib.suppress(FileError):
        files.write_json(told, recently)
    several = "1 entry is" if len(found) == 1 else f"{len(found)} entries are"
    return (
        f"{several} {archive.MISSING}, and kept in ARCHIVE.md: {', '.join(found[-5:])}. "
        f"`mind restore {found[-1]}` puts one back; nothing has to be done if it was deleted."
    )


def read(path: Path, saying: Sequence[bytes] = ()) -> list[archive.Archived]:
    """Contents of the archive at ``path``, in the format of :func:`blocks`."""
    return archive.blocks(files.read(path), saying)
