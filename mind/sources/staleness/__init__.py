"""What may have made an entry untrue since: what it cites is gone, was changed, or moved away."""

from mind.sources.staleness.citing import is_surely_a_file, paths_in
from mind.sources.staleness.looking import (
    STALE_AFTER,
    Cited,
    Flag,
    changes,
    flags,
    known_on,
    of_entries,
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
