"""Processes that index: one may die at a statement, one keeps its index open.

Usage: python -m tests.indexing make ROOT HOW STATEMENT | answer ROOT
"""

import json
import os
import signal
import sys
from pathlib import Path

from mind.memory.memory import Memory
from mind.storage.index import entries
from mind.storage.project import Project


def make(root: Path, how: str, statement: str) -> None:
    """Bring the index up to date, vectors too; die at a statement, if there are so many.

    With "batches", only those that keep a chunk count, and a batch is one chunk.
    """
    kept = "INSERT OR REPLACE INTO prepared" if how == "batches" else ""
    if kept:
        entries._SECONDS = 0
    memory = Memory(Project(root))
    print("started", flush=True)  # noqa: T201 - what the test waits for
    done = 0

    def count(said: str) -> None:
        nonlocal done
        done += said.startswith(kept)
        if done == int(statement):
            os.kill(os.getpid(), signal.SIGKILL)

    memory.index.db.set_trace_callback(count)
    memory.build_index(rebuild=how == "rebuild")
    print(done, flush=True)  # noqa: T201 - as above
    memory.close()


def answer(root: Path) -> None:
    """Answer each query of standard input with one index that stays open."""
    memory = Memory(Project(root))
    for line in sys.stdin:
        found = memory.search(line.strip(), limit=100)
        answers = {hit.entry.id: hit.score for hit in found.hits}
        print(json.dumps([answers, found.problems]), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), *sys.argv[3:])
    else:
        answer(Path(sys.argv[2]))
