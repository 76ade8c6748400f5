"""Answering a query from the index: candidates by words and by meaning, weighed together."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from mind.entry import Entry
from mind.index import fulltext, mentions, proximity
from mind.index.filters import EVERY, Filter
from mind.index.graph import Graph
from mind.index.vectors import Vectors, windows
from mind.ranking import Candidate, Links, Nearness, Query, Ranked, Shortlist, Weights, rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BY_WORDS = 40
"""Best matches by words that are weighed."""
_BY_MEANING = 30
"""Nearest by meaning that are weighed."""
_BY_NAME = 20
"""Entries that name what the query names, which are weighed."""
_BY_GRAPH = 10
"""Entries near to the best matches in the graph, which are weighed."""
_SEEDS = 5
"""Best matches by words that the graph is walked from."""
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
        places: Its place, from 1, in each branch that found it: "words", "meaning", "names",
            "graph", "time". None has it if it only stands beside one that was found.
    """

    entry: Entry
    ranked: Ranked
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """The best entries, best first, and how many were weighed."""

    best: tuple[Scored, ...]
    weighed: int


Places = Mapping[str, Mapping[int, int]]
"""Name of a branch → row → its place there, from 1."""


def shortlist(db: sqlite3.Connection, asked: Request) -> tuple[Shortlist, Places]:
    """The candidates of every branch, each once, and their places in the branches."""
    query, sense = asked.query, asked.sense
    corpus = fulltext.corpus(db, query.terms)
    match = fulltext.expression(query.terms, corpus.frequency)
    things = mentions.rarity(db, Graph(db).named_in(query.text))
    by_words = fulltext.best(db, match, asked.which, max(_BY_WORDS, asked.limit))
    branches = {
        "words": by_words,
        "meaning": _by_meaning(db, sense, asked) if sense else [],
        "names": mentions.naming(db, things, asked.which, _BY_NAME),
    }
    if query.period:
        start, end = query.period
        then = replace(asked.which, since=start, until=end)
        branches["time"] = fulltext.best(db, match, then, max(_BY_WORDS, asked.limit))
    rows = list(dict.fromkeys(row for found in branches.values() for row, _ in found))
    near = proximity.around(db, [row for row, _ in by_words[:_SEEDS]], _BY_GRAPH)
    rows += [row for row in near if row not in rows]
    candidates = fulltext.candidates(db, query, rows, asked.which, leaders=_LEADERS)
    named = mentions.shares(db, [one.row for one in candidates], things)
    known = Shortlist(
        candidates=candidates,
        corpus=corpus,
        nearness=_nearness(db, sense, candidates) if sense else None,
        links=Links(
            named=[named.get(one.row, 0.0) for one in candidates],
            near=[near.get(one.row, 0.0) for one in candidates],
        )
        if things or near
        else None,
    )
    branches["graph"] = list(near.items())
    places = {
        name: {row: at for at, (row, _) in enumerate(found, 1)} for name, found in branches.items()
    }
    return known, places


def _by_meaning(db: sqlite3.Connection, sense: Sense, asked: Request) -> list[tuple[int, float]]:
    return sense.vectors.near(db, sense.vector, asked.which, max(_BY_MEANING, asked.limit))


def retrieve(
    db: sqlite3.Connection, asked: Request, by_row: Callable[[Sequence[int]], Mapping[int, Entry]]
) -> Answer:
    """The best entries for what is asked.

    Args:
        db: The index.
        asked: The request.
        by_row: Gives the entries with these numbers.
    """
    known, places = shortlist(db, asked)
    ranked = list(islice(rank(asked.query, known, asked.weights), asked.limit))
    entries = by_row([one.row for one in ranked])
    best = tuple(
        Scored(
            entry=entries[one.row],
            ranked=one,
            places={name: of[one.row] for name, of in places.items() if one.row in of},
        )
        for one in ranked
    )
    return Answer(best, len(known.candidates))


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
