"""What may have made an entry untrue since: what it cites is gone, was changed, or moved away."""

from mind.sources.staleness.changes import changes
from mind.sources.staleness.citing import is_surely_a_file, paths_in
from mind.sources.staleness.entries import of_entries
from mind.sources.staleness.judging import (
    STALE_AFTER,
    Cited,
    Flag,
    flags,
    known_on,
    verification,
    verified,
)

__all__ = [
    "STALE_AFTER",
    "Cited",
    "Flag",
    "changes",
    "flags",
    "is_surely_a_file",
    "known_on",
    "of_entries",
    "paths_in",
    "verification",
    "verified",
]
