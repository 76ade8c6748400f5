"""Whether a file is a sound index: asked by `mind doctor`, never on the way to an answer."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mind.domain.errors import FileError
from mind.storage.index.schema import APPLICATION_ID, VERSION, is_damage, removed

_DAMAGED = "is damaged"
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Soundness:
    """What was seen of an index.

    Attributes:
        fault: What is wrong with it, as in "is damaged"; "" if nothing.
        outdated: Another version made it, which is all that is wrong: it is made anew when used.
        entries: How many it has.
        busy: It could not be looked at: another process keeps it, or it may not be written.
    """

    fault: str = ""
    outdated: bool = False
    entries: int = 0
    busy: bool = False


def soundness(path: Path, *, thorough: bool = True) -> Soundness:
    """Look at the index in ``path``, which exists; nothing is repaired or made anew.

    Args:
        path: The file.
        thorough: Compare tables with their indexes too, which takes about as long as reading all.
    """
    place = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(place, uri=True, isolation_level=None, timeout=_PATIENCE)
        ) as opened:
            return _seen(opened, "integrity_check" if thorough else "quick_check")
    except sqlite3.DatabaseError as error:
        return Soundness(_DAMAGED) if is_damage(error) else Soundness(busy=True)


def _seen(opened: sqlite3.Connection, check: str) -> Soundness:
    mark = opened.execute("PRAGMA application_id").fetchone()[0]
    version = opened.execute("PRAGMA user_version").fetchone()[0]
    if not mark and not opened.execute("SELECT 1 FROM sqlite_master").fetchone():
        return Soundness()  # nothing was put in it yet
    if mark != APPLICATION_ID:
        return Soundness("is no index of Mind's")
    if version != VERSION:
        return Soundness(f"has version {version}, and this Mind uses {VERSION}", outdated=True)
    if opened.execute(f"PRAGMA {check}(1)").fetchone()[0] != "ok":
        return Soundness(_DAMAGED)
    opened.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    entries = opened.execute("SELECT count(*) FROM entry").fetchone()[0]
    if opened.execute("SELECT documents FROM total").fetchone() != (entries,):
        return Soundness("counts its entries wrongly")
    return Soundness(entries=entries)


def discard(path: Path) -> None:
    """Delete the index in ``path``; who has it open makes another.

    Raises:
        FileError: It cannot be deleted.
    """
    if not removed(path):
        raise FileError(f"{path} cannot be deleted", path=str(path))
