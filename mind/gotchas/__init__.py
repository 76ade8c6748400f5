"""What is known to go wrong: gotchas of the project, of the user, and of common platforms."""

from mind.gotchas.known import (
    SEVERITIES,
    Gotcha,
    dump_global,
    from_entry,
    load_builtin,
    load_global,
    new_global,
    skipped,
)
from mind.gotchas.matching import SECONDS, Edge, check
from mind.gotchas.stacks import detect_stacks

__all__ = [
    "SECONDS",
    "SEVERITIES",
    "Edge",
    "Gotcha",
    "check",
    "detect_stacks",
    "dump_global",
    "from_entry",
    "load_builtin",
    "load_global",
    "new_global",
    "skipped",
]
