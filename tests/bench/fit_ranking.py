"""Fit the weights of ranking, and say what to expect: `python -m tests.bench.fit_ranking FOLDER`.

FOLDER is one with evaluation sets (see :mod:`tests.bench.corpora`). The weights maximise the
likelihood of the answers under a softmax over each query's candidates (a conditional logit), less
a penalty times their squares; none is below 0. Every set counts the same, and so do searches with
and without a model. The penalty is chosen by cross-validation: each corpus left out of its fit, and
each fifth of the queries. Printed are both, then the weights fitted on everything, and the figures
of those on the data that they were fitted on, beside those of the weights that Mind ships.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from mind.ranking import SIGNALS, Weights
from mind.ranking.signals import signals_of
from tests.bench import corpora
from tests.bench.retrieval import opened

Array = np.ndarray[Any, np.dtype[np.float64]]
Figures = dict[tuple[bool, str], tuple[float, float]]
"""With a model or not, and the set → MRR@10 and Recall@10."""

GIVEN = frozenset({"then", "heat", "momentum", "importance", "expired", "imported", "names"})
"""Signals that the sets say nothing of: nobody used their entries, asked about a week, or stated
an alias. They count as Mind ships them."""
FITTED = tuple(name for name in SIGNALS if name not in GIVEN)
PENALTIES = (0.0005, 0.001, 0.002, 0.003, 0.005)
FOLDS = 5


@dataclass(frozen=True)
class Asked:
    """A query: its candidates' signals, which of them answer, how many do.

    Attributes:
        signals: Signal x candidate.
        given: What the other signals add to each candidate.
        answers: 1 for a candidate that answers.
        wanted: How many answer, candidates or not.
    """

    model: bool
    group: str
    corpus: str
    fold: int
    signals: Array
    given: Array
    answers: Array
    wanted: int


def asked(folder: Path) -> Iterator[Asked]:
    """Every query of the sets in ``folder``, with and without a model."""
    shipped = Weights()
    for group, of in corpora.load(folder).items():
        for corpus in of:
            with opened(corpus) as one:
                for model in (True, False):
                    for at, query in enumerate(corpus.queries):
                        parsed, shortlist = one.shortlist(query.text, meaning=model)
                        found = signals_of(parsed, shortlist)
                        count = len(shortlist.candidates)
                        names = [one.name_of(each.row) for each in shortlist.candidates]
                        yield Asked(
                            model=model,
                            group=group,
                            corpus=corpus.name,
                            fold=at % FOLDS,
                            signals=np.array(
                                [found.get(name, [0.0] * count) for name in FITTED], dtype=float
                            ),
                            given=sum(
                                (
                                    getattr(shipped, name) * np.array(found[name], float)
                                    for name in sorted(GIVEN & found.keys())
                                ),
                                start=np.zeros(count),
                            ),
                            answers=np.array([name in query.answers for name in names], float),
                            wanted=len(query.answers),
                        )


def fit(queries: Iterable[Asked], penalty: float) -> Array:
    """Weights in the order of :data:`FITTED`."""
    groups: dict[tuple[bool, str], list[Asked]] = defaultdict(list)
    for one in queries:
        groups[one.model, one.group].append(one)
    share = {key: 1 / len(of) / len({model for model, _ in groups}) for key, of in groups.items()}
    known = [
        (one.signals, one.given, one.answers / one.answers.sum(), share[key])
        for key, of in groups.items()
        for one in of
        if one.answers.any()
    ]

    def cost(weights: Array) -> tuple[float, Array]:
        total, slope = penalty * float(weights @ weights), 2 * penalty * weights
        for signals, given, answers, counts in known:
            scores = weights @ signals + given
            scores -= scores.max()
            odds = np.exp(scores)
            total -= counts * float(answers @ (scores - np.log(odds.sum())))
            slope = slope - counts * (signals @ (answers - odds / odds.sum()))
        return total, slope

    start = np.ones(len(FITTED))
    bounds = [(0, None)] * len(FITTED)
    return np.asarray(minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds).x)


def figures(pairs: Iterable[tuple[Array, Asked]]) -> Figures:
    """How good these weights are for these queries."""
    found: dict[tuple[bool, str], list[tuple[float, float]]] = defaultdict(list)
    for weights, one in pairs:
        best = one.answers[np.argsort(-(weights @ one.signals + one.given), kind="stable")[:10]]
        first = next((1 / at for at, hit in enumerate(best, 1) if hit), 0.0)
        found[one.model, one.group].append((first, float(best.sum()) / one.wanted))
    return {
        key: (sum(a for a, _ in of) / len(of), sum(b for _, b in of) / len(of))
        for key, of in found.items()
    }


def left_out(queries: list[Asked], penalty: float, part: Callable[[Asked], object]) -> Figures:
    """The figures of every query with weights that are fitted to the other parts alone."""
    weights = {
        held: fit([one for one in queries if part(one) != held], penalty)
        for held in sorted({part(one) for one in queries}, key=str)
    }
    return figures((weights[part(one)], one) for one in queries)


def told(found: Figures) -> str:
    """A line of figures."""
    return "  ".join(
        f"{group}{' +model' if model else ''} {mrr:.3f}/{recall:.3f}"
        for (model, group), (mrr, recall) in sorted(found.items(), key=lambda each: each[0][1])
    )


def mean(found: Figures) -> float:
    """Of all figures."""
    return sum(map(sum, found.values())) / (2 * len(found))


def main(folder: Path) -> None:
    """Print the tables and the weights."""
    queries = list(asked(folder / "retrieval" if (folder / "retrieval").is_dir() else folder))
    value: dict[float, float] = {}
    print("MRR@10 / Recall@10")
    for penalty in PENALTIES:
        by_corpus = left_out(queries, penalty, lambda one: (one.group, one.corpus))
        by_fold = left_out(queries, penalty, lambda one: one.fold)
        value[penalty] = (mean(by_corpus) + mean(by_fold)) / 2
        print(f"penalty {penalty}: {value[penalty]:.4f}")
        print(f"  each corpus left out  {told(by_corpus)}")
        print(f"  each fifth left out   {told(by_fold)}", flush=True)
    best = max(value, key=lambda penalty: value[penalty])
    weights = fit(queries, best).round(1)
    shipped = np.array([getattr(Weights(), name) for name in FITTED])
    print(f"\nfitted on everything, penalty {best}, in sample: {told(_with(weights, queries))}")
    print(f"those that Mind ships:  {told(_with(shipped, queries))}\n")
    for name, new, old in zip(FITTED, weights, shipped, strict=True):
        print(f"    {name}: float = {new}" + (f"  # {old}" if new != old else ""))


def _with(weights: Array, queries: list[Asked]) -> Figures:
    return figures((weights, one) for one in queries)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
