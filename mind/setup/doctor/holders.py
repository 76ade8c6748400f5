"""Which process holds a lock, where the system tells."""

import time
from dataclasses import dataclass
from pathlib import Path

_LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process: its number, its command line, and for how many whole minutes it runs."""

    number: int
    command: str
    minutes: int


def holder(lock: Path) -> Holder | None:
    """The process that holds the lock file ``lock``; None where the system does not tell.

    Linux lists locks in ``/proc/locks``, as in ``1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF``.
    """
    try:
        inode = lock.stat().st_ino
        rows = [row.split() for row in _LOCKS.read_text("ascii", "replace").splitlines()]
    except OSError:
        return None
    numbers = [row[4] for row in rows if len(row) > 5 and row[5].endswith(f":{inode}")]
    return _described(int(numbers[0])) if numbers and numbers[0].isdigit() else None


def _described(number: int) -> Holder | None:
    process = Path("/proc") / str(number)
    try:
        words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        began = process.stat().st_mtime
    except OSError:  # it ended meanwhile
        return None
    return Holder(number, " ".join(words).strip()[:200], max(0, int(time.time() - began)) // 60)
