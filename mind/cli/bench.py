"""`mind bench`: how well and how fast search works on one's own memory."""

from typing import TYPE_CHECKING, Annotated

import typer

from mind.cli.output import AsJson, problems, say, show_json, table
from mind.cli.progress import progress
from mind.memory.memory import Memory

if TYPE_CHECKING:
    from mind.memory.benchmark import Benchmark


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


def bench(
    queries: Annotated[
        int, typer.Option("--queries", help="Entries that queries are made of, at most.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Chooses other entries, spread as evenly.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure search on this memory: how often it finds an entry again, and how fast.

    Known-item search, without labels: queries are made of the words of one entry, which has to
    come back. Keywords are its three rarest words, shuffled; beginning is its first sentence
    without every second telling word; rest is words that its title does not have. Entries with
    the same text count as one.

    Plain BM25 compares the words of the entry alone; lexical only is search without a model; with
    vectors is search with one. Success@K: the entry is among the first K. MRR@10: the mean of 1
    by its place.

    Such queries have words in common with what they look for: the figures compare ways of
    searching, and this memory with itself. Nothing is written but the index, as by any search; no
    session begins.
    """
    with progress(as_json=as_json) as shown:
        found = Memory.open().benchmark(entries=queries, seed=seed, progress=shown)
    if as_json:
        show_json(found)
    else:
        _show(found)
    problems(found.problems)


def _show(found: "Benchmark") -> None:
    say("Known-item search: queries are made of the words of one entry, which has to come back.")
    say(f"{found.entries} entries; queries of {found.asked} of them (seed {found.seed}).")
    say()
    table(
        ("query", "search", "queries", "Success@1", "Success@5", "MRR@10"),
        [
            (
                one.kind,
                one.way,
                str(one.queries),
                f"{one.success_at_1:.3f}",
                f"{one.success_at_5:.3f}",
                f"{one.mrr_at_10:.3f}",
            )
            for one in found.quality
        ],
    )
    say()
    table(
        ("CPU ms a search", "searches", "first", "p50", "p95", "p99"),
        [
            (
                one.way,
                str(one.searches),
                *(f"{spent:.1f}" for spent in (one.first, one.p50, one.p95, one.p99)),
            )
            for one in found.cpu_milliseconds
        ],
    )
    say()
    peak = f"; peak memory {_megabytes(found.peak_bytes)}" if found.peak_bytes else ""
    say(f"Index {_megabytes(found.index_bytes)}; {found.vectors} vectors{peak}.")
    if found.lexical_only:
        say(f"Nothing was searched with vectors: {found.lexical_only}.")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
