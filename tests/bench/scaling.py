"""Search by the size of a memory: `python -m tests.bench.scaling [--plots FOLDER] [SIZE]…`.

Every figure is CPU time of a process of its own: the index built from the file, the first search
of a process (imports included), a search when warm, one entry appended and found, memory. With a
model, vectors are random ones of its dimension, since making them is measured elsewhere; the query
is embedded as it is.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from mind.memory import sync
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project
from tests.bench import retrieval
from tests.bench.servers import sentence

SIZES = (1_000, 10_000, 50_000)
SEARCHES = 200
_BATCH = 5_000
_FIRST = """
import time
began = time.process_time()
import sys
from pathlib import Path
from mind.memory.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
found = memory.search(sys.argv[2])
print((time.process_time() - began) * 1000)
"""


def filled(root: Path, size: int) -> Path:
    """A project whose memory holds ``size`` entries, forty a day."""
    root.mkdir(parents=True)
    install.apply(install.plan(root))
    lines = ["# Memory"]
    for number in range(size):
        if number % 40 == 0:
            month, day = divmod(number // 40 % 336, 28)
            lines += ["", f"## {2000 + number // 40 // 336}-{month + 1:02}-{day + 1:02}", ""]
        lines.append(f"- decided: {sentence(number)}")
    Project(root).memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def query(number: int) -> str:
    """Three words of an entry."""
    return " ".join(sentence(number).split()[1:9:3])


def cpu(work: Callable[[], object]) -> float:
    """CPU milliseconds."""
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """p50 and p95."""
    ordered = sorted(times)
    return {"p50": ordered[len(ordered) // 2], "p95": ordered[int(0.95 * len(ordered))]}


def measured(root: Path, size: int) -> dict[str, Any]:
    """The figures of one memory; called in a process of its own."""
    memory = Memory.open(root)
    build = cpu(lambda: sync.refresh(memory.project, memory.index))
    found: dict[str, Any] = {"entries/s": 1000 * size / build if size else 0}
    if memory.meaning.profile:
        _give_vectors(memory)
    memory.close()
    found["first"] = first(root, size)
    memory = Memory.open(root)
    if memory.meaning.profile:
        assert not memory.search(query(0)).lexical_only
    for number in range(20):
        memory.search(query(number))
    step = max(1, size // SEARCHES)
    found |= percentiles(
        [cpu(partial(memory.search, query(at))) for at in range(0, step * SEARCHES, step)]
    )
    found["append"] = percentiles([_appended(memory, number) for number in range(11)])["p50"]
    found["MB"] = psutil.Process().memory_info().rss / 2**20
    memory.close()
    return found


def first(root: Path, size: int) -> float:
    """The first search of a process, imports included."""
    done = subprocess.run(
        [sys.executable, "-c", _FIRST, str(root), query(size // 2)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def _appended(memory: Memory, number: int) -> float:
    """A search for an entry that was logged just now."""
    memory.log(f"Appended fact {number} about zebra{number} crossings", "decision")
    found: list[str] = []
    spent = cpu(lambda: found.append(memory.search(f"zebra{number}").hits[0].entry.text))
    assert f"zebra{number}" in found[0]
    return spent


def _give_vectors(memory: Memory) -> None:
    import numpy as np

    from mind.storage.index import Vectors

    random = np.random.default_rng(3)
    vectors = Vectors(memory.meaning.profile)
    while missing := memory.index.without_vector(vectors, _BATCH):
        made = random.normal(size=(len(missing), 384)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        memory.index.keep_vectors(vectors, [one.content for one in missing], made)
    memory.index.complete_vectors(vectors, memory.index.last_row, memory.index.name)


def main(sizes: Sequence[int] = SIZES, plots: Path | None = None) -> None:
    """Print the table."""
    columns = ("entries/s", "first", "p50", "p95", "append", "MB")
    drawn: dict[str, dict[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder, retrieval.own_home(Path(folder) / "home"):
        has_model = retrieval.model()
        for kind in ("lexical only", "with vectors") if has_model else ("lexical only",):
            print(f"\n{kind:14}" + "".join(f"{column:>12}" for column in columns))
            for size in sizes:
                root = filled(Path(folder) / kind / str(size), size)
                if kind == "lexical only":
                    Memory.open(root).configure("embedding.backend", "off")
                done = subprocess.run(
                    [sys.executable, "-m", "tests.bench.scaling", "--one", str(root), str(size)],
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                found = json.loads(done.stdout)
                drawn.setdefault(f"Mind, {kind}", {})[size] = found["p50"]
                cells = "".join(f"{found[column]:12,.1f}" for column in columns)
                print(f"{size:14,}{cells}", flush=True)
    if plots is not None:
        from tests.bench import plots as drawing

        drawing.scaling(drawn, plots)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Search by the size of a memory.")
    parser.add_argument("sizes", nargs="*", type=int)
    parser.add_argument("--one", type=Path, help="measure this project alone, and print JSON")
    parser.add_argument("--plots", type=Path, help="folder for PNG and SVG")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one, given.sizes[0])))
    else:
        main(given.sizes or SIZES, given.plots)
