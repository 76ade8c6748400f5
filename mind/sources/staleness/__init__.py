"""Staleness: detection of cited files, symbols and commands that are gone, changed or moved."""

from mind.sources.staleness.citing import is_surely_a_file, paths_in
from mind.sources.staleness.looking import (
    STALE_AFTER,
    EntryWarning,
    PathState,
    changes,
    flags,
    known_on,
    of_entries,
    verification,
    verified,
)

__all__ = [
    "STALE_AFTER",
    "EntryWarning",
    "PathState",
    "changes",
    "flags",
    "is_surely_a_file",
    "known_on",
    "of_entries",
    "paths_in",
    "verification",
    "verified",
]
