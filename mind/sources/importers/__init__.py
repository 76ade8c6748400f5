"""Stores of other tools, and how their memories are read: a table of sources, a module each.

They are only read. What cannot be read is passed over and counted; nothing that is found there is
taken to be more than text.
"""

from collections.abc import Iterator
from pathlib import Path

from mind.sources.importers import (
    adr,
    auto_memory,
    basic_memory,
    bettermemory,
    chest_memory,
    claude_code,
    claude_mem,
    free_text,
    memory_bank,
    server_memory,
)
from mind.sources.importers.values import Reading, Store, Surroundings

__all__ = ["STORES", "Reading", "Store", "Surroundings", "found"]

_ALL = (
    Store(
        name=auto_memory.NAME,
        what="Claude Code's auto-memory of this project",
        places=auto_memory.places,
        read=auto_memory.read,
    ),
    Store(
        name=claude_code.NAME,
        what="statements and fixed failures in Claude Code's sessions",
        places=claude_code.places,
        read=claude_code.read,
    ),
    Store(
        name=bettermemory.NAME,
        what="bettermemory's notes",
        places=bettermemory.places,
        read=bettermemory.read,
    ),
    Store(
        name=basic_memory.NAME,
        what="basic-memory's notes, observations and relations",
        places=basic_memory.places,
        read=basic_memory.read,
    ),
    Store(
        name=claude_mem.NAME,
        what="claude-mem's observations and session summaries",
        places=claude_mem.places,
        read=claude_mem.read,
        is_file=True,
    ),
    Store(
        name=chest_memory.NAME,
        what="chest-memory's memories and edges",
        places=chest_memory.places,
        read=chest_memory.read,
        is_file=True,
    ),
    Store(
        name=server_memory.NAME,
        what="the graph of @modelcontextprotocol/server-memory",
        places=server_memory.places,
        read=server_memory.read,
        is_file=True,
    ),
    Store(
        name=memory_bank.NAME,
        what="the memory bank of Cline or Roo",
        places=memory_bank.places,
        read=memory_bank.read,
    ),
    Store(name=adr.NAME, what="architecture decision records", places=adr.places, read=adr.read),
    Store(
        name=free_text.OBSIDIAN,
        what="notes of an Obsidian vault",
        places=free_text.vaults,
        read=free_text.read_vault,
        is_there=free_text.is_vault,
    ),
    Store(
        name=free_text.MARKDOWN,
        what="Markdown files; say which",
        places=free_text.nowhere,
        read=free_text.read_files,
    ),
)
STORES = {one.name: one for one in _ALL}
"""By the name that ``mind import`` takes."""


def found(store: Store, around: Surroundings) -> Iterator[Path]:
    """The usual places of ``store`` at which there is something.

    A link in the project that leads out of it is none: whoever wrote the repository chose it.
    """
    seen: set[Path] = set()
    for place in store.places(around):
        there = place.is_file() if store.is_file else place.is_dir()
        if not there or not store.is_there(place):
            continue
        real = place.resolve()
        leads_out = around.owns(place) and not around.owns(real, real=True)
        if real not in seen and not leads_out:
            seen.add(real)
            yield place
