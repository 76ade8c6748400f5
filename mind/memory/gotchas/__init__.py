"""Gotchas of the project, of the user, and of common platforms."""

from mind.memory.gotchas.known import (
    SEVERITIES,
    Gotcha,
    detect_stacks,
    dump_global,
    from_entry,
    load_builtin,
    load_global,
    named_stacks,
    new_global,
    of_every_project,
    of_user,
    skipped,
    unknown_stacks,
)
from mind.memory.gotchas.matching import SECONDS, MatchedGotcha, check, in_order

__all__ = [
    "SECONDS",
    "SEVERITIES",
    "Gotcha",
    "MatchedGotcha",
    "check",
    "detect_stacks",
    "dump_global",
    "from_entry",
    "in_order",
    "load_builtin",
    "load_global",
    "named_stacks",
    "new_global",
    "of_every_project",
    "of_user",
    "skipped",
    "unknown_stacks",
]
