"""Answering a query from the index: candidates by words and by meaning, weighed together."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from mind.entry import Entry
from mind.index import fulltext
from mind.index.filters import EVERY, Filter
from mind.index.vectors import Vectors, windows
from mind.ranking import Candidate, Corpus, Nearness, Query, Ranked, Weights, rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BY_WORDS = 40
"""Best matches by words that are weighed."""
_BY_MEANING = 30
"""Nearest by meaning that are weighed."""
_LEADERS = 15
"""Best matches whose neighbours are weighed too."""


@dataclass(frozen=True, slots=True)
class Sense:
    """What a query means: its vector, of length one, and the vectors it is compared with."""

    vector: "NDArray[np.float32]"
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the index.

    Attributes:
        query: Its words.
        weights: Of the signals.
        sense: What it means, if there is a model: entries near to it are candidates too.
        which: Only these entries.
        limit: Most entries.
    """

    query: Query
    weights: Weights
    sense: Sense | None = None
    which: Filter = EVERY
    limit: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An entry that was found.

    Attributes:
        entry: It.
        ranked: Its score, and what it is made of.
        places: Its place, from 1, in each branch that found it: "words", "meaning". Neither has
            it if it only stands beside one that was found.
    """

    entry: Entry
    ranked: Ranked
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """The best entries, best first, and how many were weighed."""

    best: tuple[Scored, ...]
    weighed: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """What is ranked for a request.

    Attributes:
        candidates: Entries that may answer.
        corpus: Figures of all entries.
        nearness: Of the candidates, if there is a model.
        places: Name of a branch → row → its place there, from 1.
    """

    candidates: Sequence[Candidate]
    corpus: Corpus
    nearness: Nearness | None
    places: Mapping[str, Mapping[int, int]]


def weigh(db: sqlite3.Connection, asked: Request) -> Weighed:
    """The candidates of every branch, each once, with what the ranking reads of them."""
    query, sense = asked.query, asked.sense
    corpus = fulltext.corpus(db, query.terms)
    match = fulltext.expression(query.terms, corpus.frequency)
    branches = {"words": fulltext.best(db, match, asked.which, max(_BY_WORDS, asked.limit))}
    if sense:
        most = max(_BY_MEANING, asked.limit)
        branches["meaning"] = sense.vectors.near(db, sense.vector, asked.which, most)
    if query.period:
        start, end = query.period
        then = replace(asked.which, since=start, until=end)
        branches["time"] = fulltext.best(db, match, then, max(_BY_WORDS, asked.limit))
    rows = list(dict.fromkeys(row for found in branches.values() for row, _ in found))
    candidates = fulltext.candidates(db, query, rows, asked.which, leaders=_LEADERS)
    return Weighed(
        candidates=candidates,
        corpus=corpus,
        nearness=_nearness(db, sense, candidates) if sense else None,
        places={
            name: {row: at for at, (row, _) in enumerate(found, 1)}
            for name, found in branches.items()
        },
    )


def retrieve(
    db: sqlite3.Connection, asked: Request, by_row: Callable[[Sequence[int]], Mapping[int, Entry]]
) -> Answer:
    """The best entries for what is asked.

    Args:
        db: The index.
        asked: The request.
        by_row: Gives the entries with these numbers.
    """
    weighed = weigh(db, asked)
    ordered = rank(asked.query, weighed.candidates, weighed.corpus, asked.weights, weighed.nearness)
    ranked = list(islice(ordered, asked.limit))
    known = by_row([one.row for one in ranked])
    best = tuple(
        Scored(
            entry=known[one.row],
            ranked=one,
            places={name: of[one.row] for name, of in weighed.places.items() if one.row in of},
        )
        for one in ranked
    )
    return Answer(best, len(weighed.candidates))


def _nearness(db: sqlite3.Connection, sense: Sense, weighed: Sequence[Candidate]) -> Nearness:
    """How near the candidates are to the query, and those in talk with what is around them."""
    own = [[one.own.content] for one in weighed]
    around = [
        [passage.content for passage in (*one.before, one.own, *one.after)] if one.is_talk else []
        for one in weighed
    ]
    floats = sense.vectors.floats(db, chain.from_iterable((*own, *around)))
    return Nearness(
        own=windows(floats, sense.vector, own), around=windows(floats, sense.vector, around)
    )
