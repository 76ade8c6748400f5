"""A change to one file, as a plan shows and makes it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None where it does not exist; ``mode`` of a new one."""

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int | None = None
