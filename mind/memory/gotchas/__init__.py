"""Gotchas of the project, of the user, and of common platforms."""

from mind.memory.gotchas.known import (
    SEVERITIES,
    Gotcha,
    dump_global,
    from_entry,
    load_builtin,
    load_global,
    new_global,
    skipped,
)
from mind.memory.gotchas.matching import SECONDS, Edge, check, in_order
from mind.memory.gotchas.stacks import detect_stacks, named_stacks, unknown_stacks

__all__ = [
    "SECONDS",
    "SEVERITIES",
    "Edge",
    "Gotcha",
    "check",
    "detect_stacks",
    "dump_global",
    "from_entry",
    "in_order",
    "load_builtin",
    "load_global",
    "named_stacks",
    "new_global",
    "skipped",
    "unknown_stacks",
]
