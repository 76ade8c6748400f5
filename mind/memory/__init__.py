"""The use cases of a memory, and `Memory`, through which adapters call them.

A module of use cases is imported when it is first asked for: a search loads no code for recording.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "amend",
    "benchmark",
    "checks",
    "context",
    "entry_history",
    "exporting",
    "graph",
    "health",
    "importing",
    "jsonl_import",
    "read",
    "recall",
    "record",
    "reminders",
    "search",
    "status",
    "tags",
    "tidy",
    "workspace",
]

if TYPE_CHECKING:
    from mind.memory import (
        amend,
        benchmark,
        checks,
        context,
        entry_history,
        exporting,
        graph,
        health,
        importing,
        jsonl_import,
        read,
        recall,
        record,
        reminders,
        search,
        status,
        tags,
        tidy,
        workspace,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
