"""Embedding: speed, start, memory and accuracy of every backend: `python -m tests.bench.embedding`.

Times are CPU milliseconds (user and system) of one process on one thread, so that other work on
the machine counts little. With a folder of evaluation sets, what is found by vectors alone is
measured too.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mind.domain.errors import ModelError
from mind.domain.settings import Settings
from mind.search.embedding import models, open_embedder
from mind.search.embedding.manifest import find

MODEL = "all-MiniLM-L6-v2"
NAME = "minilm"
ROUNDS = 300
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main(data: Path | None = None) -> None:
    """Install the model in a temporary folder, and measure it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        try:
            models.add(home, MODEL, NAME)
        except ModelError as error:
            print(f"nothing to measure: {error} (`make setup` installs it)")
            return
        if sys.platform == "darwin":
            models.build(home, NAME)
        speed(home)
        if data is not None:
            quality(home, data)


def speed(home: Path) -> None:
    """One row a backend, each measured in a process of its own."""
    about = find(home, NAME).manifest
    bare = cpu([sys.executable, "-c", "pass"])
    print(f"CPU ms, one thread; a start of Python alone takes {bare:.0f}, taken off the cold start")
    print(
        f"{'backend':<12}{'file MB':>8}{'cold':>6}{'RSS MB':>8}"
        + "".join(f"{f'{n} p{p}':>9}" for n in (1, 16) for p in (50, 95, 99))
    )
    for backend, main_ in about.backends.items():
        row = child("--measure", backend, str(home))
        first = child("--first", backend, str(home))
        size = sum(file.size for name, file in about.files.items() if name.startswith(main_)) / 1e6
        print(
            f"{backend:<12}{size:>8.1f}{first['cpu'] - bare:>6.0f}{first['rss']:>8.0f}"
            + "".join(f"{value:>9.2f}" for value in (*row["1"], *row["16"]))
        )


def child(*arguments: str) -> dict[str, Any]:
    """What this program prints with ``arguments`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.embedding", *arguments],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **ONE_THREAD},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cpu(command: Sequence[str]) -> float:
    """CPU milliseconds of a program, the least of five runs."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return 1000 * min(once() for _ in range(5))


def measure(backend: str, home: Path) -> dict[str, Any]:
    """Percentiles of embedding one text, and sixteen, that were not seen before."""
    embedder = open_embedder(Settings(embedding_backend=backend), home)
    if embedder is None:
        raise SystemExit(f"no model in {home}")
    texts = [f"{text} {number}" for number in range(5) for text in models.samples()[:70]]
    embedder.embed(texts[:3])
    return {
        "1": percentiles(partial(step, embedder.embed, texts, 1), ROUNDS),
        "16": percentiles(partial(step, embedder.embed, texts, 16), 60),
    }


def step(embed: Callable[[Sequence[str]], Any], texts: list[str], count: int, turn: int) -> None:
    """Embed the next ``count`` texts."""
    first = turn * count % (len(texts) - count)
    embed(texts[first : first + count])


def percentiles(once: Callable[[int], None], rounds: int) -> list[float]:
    """50, 95 and 99 per cent of the runs take at most so many CPU milliseconds."""
    times = []
    for turn in range(rounds):
        began = time.process_time()
        once(turn)
        times.append(1000 * (time.process_time() - began))
    return [float(np.percentile(times, rank)) for rank in (50, 95, 99)]


def first(backend: str, home: Path) -> dict[str, float]:
    """CPU and peak memory of a process from its start to its first vector.

    Before the vector only Mind and the packages that the backend needs are imported.
    """
    script = (
        "import resource\n"
        "from pathlib import Path\n"
        "from mind.domain.settings import Settings\n"
        "from mind.search.embedding import open_embedder\n"
        f"embedder = open_embedder(Settings(embedding_backend={backend!r}), Path({str(home)!r}))\n"
        "embedder.embed(['where do we keep the sessions?'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((1000 * used, int(done.stdout) / (1e6 if sys.platform == "darwin" else 1e3)))
    return {"cpu": min(cpu for cpu, _ in found), "rss": found[0][1]}


def quality(home: Path, data: Path) -> None:
    """MRR@10 and Recall@10 of vectors alone, by evaluation set and backend."""
    for path in sorted((data / "retrieval").glob("*.json")):
        corpora = json.loads(path.read_text(encoding="utf-8"))["corpora"]
        print(f"\n{path.stem}: vectors alone")
        for backend in find(home, NAME).manifest.backends:
            embedder = open_embedder(Settings(embedding_backend=backend), home)
            if embedder is not None:
                ranks, found = scores(embedder.embed, corpora)
                print(f"{backend:<12} MRR@10 {ranks:.4f}  Recall@10 {found:.4f}", flush=True)


def scores(
    embed: Callable[[Sequence[str]], Any], corpora: list[dict[str, Any]]
) -> tuple[float, float]:
    """MRR@10 and Recall@10 over the queries of all corpora."""
    ranks, found = [], []
    for corpus in corpora:
        documents = embed([one["text"] for one in corpus["docs"]])
        queries = embed([one["text"] for one in corpus["queries"]])
        names = [one["id"] for one in corpus["docs"]]
        best = np.argsort(-queries @ documents.T, axis=1)[:, :10]
        for query, row in zip(corpus["queries"], best.tolist(), strict=True):
            wanted = set(query["qrels"])
            hits = [names[index] in wanted for index in row]
            ranks.append(1 / (hits.index(True) + 1) if any(hits) else 0.0)
            found.append(sum(hits) / len(wanted))
    return float(np.mean(ranks)), float(np.mean(found))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--measure", backend_, home_]:
            print(json.dumps(measure(backend_, Path(home_))))
        case ["--first", backend_, home_]:
            print(json.dumps(first(backend_, Path(home_))))
        case [folder_]:
            main(Path(folder_))
        case _:
            main()
