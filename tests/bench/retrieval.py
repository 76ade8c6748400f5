"""What search finds: `python -m tests.bench.retrieval [FOLDER] [--repository PATH]… [--plots OUT]`.

FOLDER holds evaluation sets (see :mod:`tests.bench.corpora`). Without one, the corpus is this
repository's commits and changelog, and those of each ``--repository``.

Every corpus is a memory of its own, one line of MEMORY.md for each document, and is searched as
`mind search` does. Tables: each set beside plain BM25; each signal and branch left out; each weight
halved and doubled; tokens that an agent reads until it has the answer.
"""

import argparse
import math
import os
import re
import sqlite3
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path

from mind.domain.errors import ModelError
from mind.memory import wording
from mind.memory.memory import Memory
from mind.ranking import SIGNALS, Query, Shortlist, Weights, rank
from mind.search.embedding import models
from mind.setup import install
from mind.storage.boundary import home
from mind.storage.index import IndexRequest
from mind.storage.project import Project
from tests.bench import corpora
from tests.bench.corpora import Corpus

ROOT = Path(__file__).parents[2]
MODEL = "all-MiniLM-L6-v2"
METRICS = ("MRR@10", "nDCG@10", "Recall@5", "Recall@10", "Success@5")
_TOKEN = 4
"""Characters, about."""

Search = Callable[["Opened", str], list[str]]
"""The ids of the ten best documents for a query."""


@dataclass
class Opened:
    """A corpus as a memory."""

    corpus: Corpus
    memory: Memory
    lines: dict[int, str]
    plain: sqlite3.Connection
    _ranked: dict[tuple[str, bool], tuple[Query, Shortlist]] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)

    def shortlist(self, text: str, *, meaning: bool) -> tuple[Query, Shortlist]:
        """What is ranked for a query."""
        key = (text, meaning)
        if key not in self._ranked:
            query = Query(text)
            sense = self.memory.meaning.of(text, self.memory.index)[0] if meaning else None
            asked = IndexRequest(query=query, weights=Weights(), sense=sense)
            ranked = self.memory.index.retrieve(asked).shortlist
            assert ranked is not None
            self._ranked[key] = query, ranked
        return self._ranked[key]

    def name_of(self, row: int) -> str:
        """The document of an entry of the index."""
        if row not in self._names:
            self._names[row] = self.lines.get(self.memory.index.numbered([row])[0].line, "")
        return self._names[row]

    def ids(self, lines: Sequence[int]) -> list[str]:
        """The documents on these lines of MEMORY.md."""
        return [self.lines[line] for line in lines if line in self.lines]


@contextmanager
def opened(corpus: Corpus) -> Iterator[Opened]:
    """The corpus in a project of its own, indexed, with vectors if there is a model."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        install.apply(install.plan(root))
        text = "# Memory\n\n" + "".join(f"- learned: {text}\n" for _, text in corpus.docs)
        Project(root).memory.write_text(text, encoding="utf-8")
        memory = Memory.open(root)
        memory.build_index()
        plain = sqlite3.connect(":memory:")
        plain.execute(
            "CREATE VIRTUAL TABLE docs USING fts5 (id UNINDEXED, text, tokenize = porter)"
        )
        plain.executemany("INSERT INTO docs VALUES (?, ?)", corpus.docs)
        lines = {at: name for at, (name, _) in enumerate(corpus.docs, 3)}
        try:
            yield Opened(corpus, memory, lines, plain)
        finally:
            plain.close()
            memory.close()


def bm25(one: Opened, query: str) -> list[str]:
    """FTS5 with a stemmer, any of the words: what a small tool would do."""
    match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    if not match:
        return []
    rows = one.plain.execute(
        "SELECT id FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10", (match,)
    )
    return [row[0] for row in rows]


def mind(weights: Weights, *, meaning: bool = True) -> Search:
    """Search with these weights; candidates are found once and ranked for each of them."""

    def search(one: Opened, query: str) -> list[str]:
        asked, shortlist = one.shortlist(query, meaning=meaning)
        best = rank(asked, shortlist, weights)
        return [one.name_of(found.row) for found in islice(best, 10)]

    return search


def scores(search: Search, opened_corpora: Sequence[Opened]) -> dict[str, list[dict[str, float]]]:
    """The metrics of every query, by stratum."""
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for one in opened_corpora:
        for query in one.corpus.queries:
            got = list(dict.fromkeys(search(one, query.text)))[:10]
            found[query.stratum].append(metrics(got, query.answers))
    return found


def metrics(got: Sequence[str], answers: frozenset[str]) -> dict[str, float]:
    """How good a list of ten is (all grades are one)."""
    hits = [name in answers for name in got]
    first = hits.index(True) + 1 if any(hits) else 0
    gain = sum(1 / math.log2(at + 2) for at, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(answers))))
    return {
        "MRR@10": 1 / first if first else 0.0,
        "nDCG@10": gain / ideal,
        "Recall@5": sum(hits[:5]) / len(answers),
        "Recall@10": sum(hits) / len(answers),
        "Success@5": float(any(hits[:5])),
    }


def mean(rows: Sequence[dict[str, float]], metric: str) -> float:
    """Of all queries."""
    return statistics.fmean(row[metric] for row in rows)


def flat(by_stratum: dict[str, list[dict[str, float]]]) -> list[dict[str, float]]:
    """All queries."""
    return [row for rows in by_stratum.values() for row in rows]


def table(title: str, rows: Sequence[tuple[str, Sequence[dict[str, float]]]]) -> None:
    """Print a row of metrics for each."""
    print(f"\n{title}")
    print(" " * 30 + "".join(f"{metric:>11}" for metric in METRICS) + "          n")
    for name, found in rows:
        cells = "".join(f"{mean(found, metric):11.3f}" for metric in METRICS)
        print(f"{name:30}{cells}{len(found):11,}")


def quality(sets: dict[str, list[Opened]], *, has_model: bool) -> None:
    """Every set and stratum, beside plain BM25."""
    for name, of in sets.items():
        plain, words = scores(bm25, of), scores(mind(Weights(), meaning=False), of)
        rows = [("plain BM25", flat(plain)), ("Mind, lexical only", flat(words))]
        both = scores(mind(Weights()), of) if has_model else {}
        rows += [("Mind, with a model", flat(both))] if has_model else []
        for stratum in sorted(plain) if len(plain) > 1 else ():
            rows += [
                (f"{stratum}: plain BM25", plain[stratum]),
                (f"{stratum}: lexical only", words[stratum]),
            ]
            rows += [(f"{stratum}: with a model", both[stratum])] if has_model else []
        table(name, rows)


def ablations(sets: dict[str, list[Opened]], *, has_model: bool) -> dict[str, dict[str, float]]:
    """MRR of every set with one signal left out; the rows by name."""
    rows: dict[str, Search] = {"everything": mind(Weights(), meaning=has_model)}
    for signal in SIGNALS:
        if has_model or "meaning" not in signal:
            rows[f"without {signal}"] = mind(replace(Weights(), **{signal: 0}), meaning=has_model)
    if has_model:
        rows["without vectors"] = mind(Weights(), meaning=False)
        only = {name: 0.0 for name in SIGNALS if "meaning" not in name}
        rows["signals of meaning alone"] = mind(replace(Weights(), **only))
    rows["BM25 of the entry alone"] = mind(
        replace(Weights(), **{name: 0.0 for name in SIGNALS if name != "words"}), meaning=False
    )
    found = {
        row: {name: mean(flat(scores(search, of)), "MRR@10") for name, of in sets.items()}
        for row, search in rows.items()
    }
    print("\nLeft out: MRR@10, and the change")
    print(" " * 30 + "".join(f"{name:>20}" for name in sets))
    for row, of in found.items():
        cells = [
            f"{value:.3f} {value - found['everything'][name]:+.3f}" for name, value in of.items()
        ]
        print(f"{row:30}" + "".join(f"{cell:>20}" for cell in cells))
    return found


FACTORS = (0.25, 0.5, 1, 2, 4)


def sweep(sets: dict[str, list[Opened]], *, has_model: bool) -> dict[str, dict[str, list[float]]]:
    """MRR of every set with one weight changed, by signal and set."""
    print("\nOne weight multiplied: MRR@10 of each set")
    print(" " * 30 + "".join(f"{f'x {factor:g}':>{9 * len(sets)}}" for factor in FACTORS))
    found: dict[str, dict[str, list[float]]] = {}
    for signal in SIGNALS:
        if signal == "then" or ("meaning" in signal and not has_model):
            continue
        found[signal] = {name: [] for name in sets}
        for factor in FACTORS:
            changed = replace(Weights(), **{signal: getattr(Weights(), signal) * factor})
            for name, of in sets.items():
                got = flat(scores(mind(changed, meaning=has_model), of))
                found[signal][name].append(mean(got, "MRR@10"))
        cells = [f"{found[signal][name][at]:9.3f}" for at in range(len(FACTORS)) for name in sets]
        print(f"{signal:30}" + "".join(cells), flush=True)
    return found


def tokens(sets: dict[str, list[Opened]]) -> None:
    """What an agent reads until it has the answer, where search finds it at all.

    Layered: the list of ten hits, then the answer in full. Up front: the same ten hits in full,
    each with five entries before and after. Everything: the whole memory.
    """
    print("\nTokens until the answer is read, at equal success (about 4 characters each)")
    heads = "".join(
        f"{head:>12}" for head in ("success", "layered", "up front", "share", "everything", "share")
    )
    print(" " * 30 + heads)
    for name, of in sets.items():
        layered, up_front, everything, asked = [], [], [], 0
        for one in of:
            whole = len(one.memory.project.memory.read_text(encoding="utf-8"))
            for query in one.corpus.queries:
                asked += 1
                found = one.memory.search(query.text, limit=10)
                ids = [(hit.entry.id, one.ids([hit.entry.line])) for hit in found.hits]
                answer = next((i for i, docs in ids if set(docs) & query.answers), None)
                if answer is None:
                    continue
                listed = len(wording.found(found, 50_000, expanded=0))
                layered.append(listed + len(details(one, answer)))
                up_front.append(sum(len(details(one, i)) + len(context(one, i)) for i, _ in ids))
                everything.append(whole)
        means = [statistics.fmean(values) / _TOKEN for values in (layered, up_front, everything)]
        print(
            f"{name:30}{len(layered) / asked:12.1%}{means[0]:12,.0f}{means[1]:12,.0f}"
            f"{means[0] / means[1]:12.1%}{means[2]:12,.0f}{means[0] / means[2]:12.1%}"
        )


@cache
def _rendered(root: Path, identifier: str, kind: str) -> str:
    memory = Memory.open(root)
    try:
        if kind == "details":
            return wording.details(memory.get([identifier]), 50_000)
        return wording.timeline(memory.timeline(identifier), 50_000)
    finally:
        memory.close()


def details(one: Opened, identifier: str) -> str:
    """An entry in full."""
    return _rendered(one.memory.project.root, identifier, "details")


def context(one: Opened, identifier: str) -> str:
    """What was noted around it."""
    return _rendered(one.memory.project.root, identifier, "timeline")


def model() -> bool:
    """Install the model of the tests in the user's folder; whether there is one."""
    try:
        models.add(home(), MODEL, "minilm")
    except ModelError as error:
        print(f"lexical only: {error} (`make setup` installs it)")
        return False
    return True


@contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """A user's folder of their own, as long as it lasts."""
    kept = os.environ.get("MIND_HOME")
    os.environ["MIND_HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("MIND_HOME")
        if kept is not None:
            os.environ["MIND_HOME"] = kept


def measured(
    data: Path | None, repositories: Sequence[Path] = (), plots: Path | None = None
) -> None:
    """All tables, in a user's folder of their own."""
    with tempfile.TemporaryDirectory() as folder, own_home(Path(folder)):
        _measure(data, repositories, plots)


def _measure(data: Path | None, repositories: Sequence[Path], plots: Path | None) -> None:
    has_model = model()
    sets = corpora.load(data / "retrieval") if data else {}
    made = [
        corpora.from_repository(root) for root in (repositories if data else (ROOT, *repositories))
    ]
    if any(made):
        sets["changelogs"] = [one for one in made if one]
    began = time.process_time()
    with _all_opened(sets) as ready:
        quality(ready, has_model=has_model)
        left_out = ablations(ready, has_model=has_model)
        swept = sweep(ready, has_model=has_model)
        tokens(ready)
    print(f"\n{time.process_time() - began:.0f} s CPU")
    if plots is not None:
        from tests.bench import plots as drawing

        drawing.ablations(left_out, plots)
        drawing.sweep(swept, FACTORS, plots)


@contextmanager
def _all_opened(sets: dict[str, list[Corpus]]) -> Iterator[dict[str, list[Opened]]]:
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield {
            name: [stack.enter_context(opened(corpus)) for corpus in of]
            for name, of in sets.items()
        }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, help="folder with evaluation sets")
    parser.add_argument("--repository", action="append", type=Path, default=[])
    parser.add_argument("--plots", type=Path, help="folder for PNG and SVG")
    given = parser.parse_args(arguments)
    measured(given.data, given.repository, given.plots)


if __name__ == "__main__":
    main()
