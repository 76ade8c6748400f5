"""What staleness costs a search: `python -m tests.bench.drift [SIZE]…`, 50,000 entries by default.

A repository of 300 files and 400 commits, in which files were changed, renamed and deleted and
functions went; a memory of which every entry cites a file, and one of three a function of it: the
worst that can be.
The same searches run with staleness and without, in turns, by wall clock: git runs beside.
"""

import argparse
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from unittest import mock

from mind.domain.entry import Entry
from mind.memory.memory import Memory
from mind.setup import install
from mind.sources import staleness
from mind.storage.project import Project
from tests.bench import retrieval

FILES, COMMITS, SEARCHES = 300, 400, 200
_MOST_RATIO = 1.3
_FIRST_DAY = "2026-01-01"


def _name(number: int) -> str:
    return f"src/part{number % 17}/file{number}.py"


def repository(root: Path) -> None:
    """A history by `git fast-import`: files come, change, are renamed, deleted, lose functions."""
    chosen = random.Random(5)
    texts = {_name(at): [f"def work_{at}_{one}(): ..." for one in range(30)] for at in range(FILES)}
    stream = []

    def commit(number: int, *changes: str) -> None:
        when = f"x <x@x> {1_767_268_800 + 3_600 * 12 * number} +0000"
        stream.append(f"commit refs/heads/main\ncommitter {when}\ndata 1\nx\n{''.join(changes)}\n")

    def put(name: str) -> str:
        data = "\n".join(texts[name]) + "\n"
        return f"M 100644 inline {name}\ndata {len(data)}\n{data}\n"

    commit(0, *map(put, texts))
    for number in range(1, COMMITS):
        name = chosen.choice([*texts])
        match chosen.randint(0, 9):
            case 0:
                texts[new := f"lib/new{number}.py"] = texts.pop(name)
                commit(number, f"R {name} {new}\n")
            case 1:
                del texts[name]
                commit(number, f"D {name}\n")
            case 2 | 3:
                texts[name].pop(chosen.randrange(len(texts[name])))
                commit(number, put(name))
            case _:
                texts[name].append(f"def more_{number}(): ...")
                commit(number, put(name))
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input="".join(stream).encode(), check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard"], check=True)


def filled(root: Path, size: int) -> Path:
    """A project whose memory holds ``size`` entries, many of which cite files and functions."""
    chosen = random.Random(7)
    root.mkdir(parents=True)
    repository(root)
    install.apply(install.plan(root))
    lines = ["# Memory", "", f"## {_FIRST_DAY}", ""]
    for number in range(size):
        at = chosen.randrange(FILES)
        one = chosen.randrange(30)
        cited = f", see {_name(at)}" if number % 3 else f": `work_{at}_{one}` in {_name(at)}"
        lines.append(f"- decided: {_said(number)}{cited}")
    Project(root).memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def _said(number: int) -> str:
    """Words that few others have: a search for some of them finds other entries each time."""
    chosen = random.Random(number)
    made = ("".join(chosen.choices("bdfgklmnprst", k=2)) for _ in range(6))
    return " ".join(f"{one[0]}a{one[1]}o{chosen.choice('lmnrst')}" for one in made)


def _query(number: int) -> str:
    return " ".join(_said(number).split()[1:4])


@contextmanager
def _without() -> Iterator[None]:
    def nothing(root: Path, entries: Sequence[Entry], today: date) -> list[tuple[str, ...]]:
        del root, today
        return [()] * len(entries)

    with mock.patch.object(staleness, "of_entries", nothing):
        yield


def _spent(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def measured(root: Path, size: int) -> list[tuple[str, float, float]]:
    """Milliseconds of a search without staleness and with it, by what git had been asked."""
    memory = Memory.open(root)
    memory.search(_query(0))
    queries = [_query(at) for at in range(0, size, max(1, size // SEARCHES))]
    found: list[tuple[str, list[float], list[float]]] = []
    with _without():
        for text in queries:
            memory.search(text)
    for name in ("new hits", "known hits", "known hits"):
        plain, judged = list[float](), list[float]()
        for text in queries:
            with _without():
                plain.append(_spent(partial(memory.search, text)))
            judged.append(_spent(partial(memory.search, text)))
        found.append((name, plain, judged))
    flags = [flag for text in queries for hit in memory.search(text).hits for flag in hit.stale]
    for sort in ("is gone", "is now", "since", "is gone from"):
        assert any(sort in flag for flag in flags), sort
    memory.close()
    return [
        (f"{name}, {kind.__name__}", kind(plain), kind(judged))
        for kind in (statistics.median, statistics.fmean)
        for name, plain, judged in found
    ]


def main(sizes: Sequence[int]) -> int:
    """Print the table; exit status 1 if it costs too much."""
    worst = 0.0
    print(f"{'ms a search':24}{'without':>10}{'with':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder, retrieval.own_home(Path(folder) / "home"):
        for size in sizes:
            root = filled(Path(folder) / str(size), size)
            Memory.open(root).configure("embedding.backend", "off")
            print(f"{size:,} entries")
            for name, plain, judged in measured(root, size):
                print(f"  {name:22}{plain:10.1f}{judged:10.1f}{judged / plain:8.2f}", flush=True)
                worst = max(worst, judged / plain)
    return int(worst > _MOST_RATIO)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What staleness costs a search.")
    parser.add_argument("sizes", nargs="*", type=int)
    raise SystemExit(main(parser.parse_args().sizes or [50_000]))
