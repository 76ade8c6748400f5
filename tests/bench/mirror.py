"""The mirror beside the local index, and at a size that no single project has.

Usage: python -m tests.bench.mirror parity FOLDER
       python -m tests.bench.mirror large [ROWS] [PROJECTS]

The first takes evaluation sets (see :mod:`tests.bench.corpora`): each corpus is a project of one
mirror, and every query is searched in both. The second fills a mirror with generated rows.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mind.memory import mirror, search
from mind.search import query as parsing
from mind.search.engine import Page
from mind.storage.mirror.postgres import VARIABLE
from tests.bench import corpora, mirror_large, retrieval
from tests.postgres import Server, served


@contextmanager
def database(*settings: str) -> Iterator[Server]:
    """A server with an empty database, and a user's folder that knows it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        retrieval.own_home(Path(folder) / "home"),
        served(Path(folder) / "postgres", *settings) as server,
    ):
        os.environ[VARIABLE] = server.dsn()
        try:
            yield server
        finally:
            os.environ.pop(VARIABLE)


def parity(folder: Path) -> None:
    """Mean share of the best five hits that both have, by set, with vectors and without."""
    print(
        "| set | model | queries | mean Jaccard@5 | same first hit | here p50 | mirror p50, p95 |"
    )
    print("| --- | --- | --: | --: | --: | --: | --: |")
    sets = corpora.load(folder)
    if not sets:
        raise SystemExit(f"{folder} holds no evaluation sets")
    with database():
        for with_model in (False, True):
            if with_model:
                retrieval.model()
            for name, of in sets.items():
                _row(name, of, "MiniLM" if with_model else "none")


def _row(name: str, of: Sequence[corpora.Corpus], model: str) -> None:
    shares: list[float] = []
    firsts: list[bool] = []
    here_seconds: list[float] = []
    there_seconds: list[float] = []
    for corpus in of:
        with retrieval.opened(corpus) as one:
            memory = one.memory
            memory.project = mirror.choose(memory.project)
            mirror.drain(memory.project, memory.index, memory.meaning)
            for query in corpus.queries:
                asked = parsing.parse(query.text, memory.now(), lambda _one: None)
                began = time.perf_counter()
                here = search.find(memory.project, memory.index, memory.meaning, asked, Page(5))
                here_seconds.append(time.perf_counter() - began)
                began = time.perf_counter()
                there = mirror.find(memory.project, memory.index, memory.meaning, asked, Page(5))
                there_seconds.append(time.perf_counter() - began)
                if not there.mirrored:
                    raise SystemExit(f"{corpus.name}: {there.fallback}")
                ids = [[hit.entry.id for hit in found.hits] for found in (here, there)]
                both, either = set(ids[0]) & set(ids[1]), set(ids[0]) | set(ids[1])
                shares.append(len(both) / len(either) if either else 1.0)
                firsts.append(ids[0][:1] == ids[1][:1])
    cuts = statistics.quantiles(there_seconds, n=20)
    print(
        f"| {name} | {model} | {len(shares)} | {statistics.mean(shares):.4f} "
        f"| {statistics.mean(firsts):.3f} | {statistics.median(here_seconds) * 1e3:.0f} ms "
        f"| {cuts[9] * 1e3:.0f} ms, {cuts[18] * 1e3:.0f} ms |",
        flush=True,
    )


def main(arguments: Sequence[str]) -> None:
    """One of the two."""
    if arguments[0] == "parity":
        parity(Path(arguments[1]))
        return
    rows = int(arguments[1]) if len(arguments) > 1 else 1_000_000
    projects = int(arguments[2]) if len(arguments) > 2 else 1_000
    settings = (
        "shared_buffers=4GB",
        "maintenance_work_mem=4GB",
        "max_wal_size=20GB",
        "max_parallel_maintenance_workers=2",
        "work_mem=64MB",
        "autovacuum=off",
        "wal_level=minimal",
        "max_wal_senders=0",
    )
    with database(*settings) as server:
        mirror_large.measure(server, rows, projects)


if __name__ == "__main__":
    main(sys.argv[1:])
