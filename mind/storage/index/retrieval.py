"""Answering a query from the index: candidates by words and by meaning, weighed together."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from mind.domain.entry import Entry
from mind.ranking import (
    Candidate,
    Nearness,
    Query,
    Ranked,
    Shortlist,
    Weights,
    heat,
    rank,
    unweighed,
)
from mind.storage.index import fulltext, graph
from mind.storage.index.connection import Connected
from mind.storage.index.graph import Graph
from mind.storage.index.selection import EVERY, NEWEST, PLACE, Filter
from mind.storage.index.usage import standing
from mind.storage.index.vectors import Vectors, windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BY_WORDS = 40
"""Best matches by words that are weighed."""
_BY_MEANING = 30
"""Nearest by meaning that are weighed."""
_READ = 4_000
"""Characters of a query in which things are looked for."""
_BY_NAME = 20
"""Entries that name what the query names, which are weighed."""
_BY_GRAPH = 10
"""Entries near to the best matches in the graph, which are weighed."""
_SEEDS = 5
"""Best matches by words that the graph is walked from."""
_LEADERS = 15
"""Best matches whose neighbours are weighed too."""
_OF_THEN = 10
"""Entries of the time that a query speaks of, weighed if none of them has its words."""


@dataclass(frozen=True, slots=True)
class Sense:
    """The vector of a query, of length one, and the vectors it is compared with."""

    vector: "NDArray[np.float32]"
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A query to the index.

    Attributes:
        query: Its words.
        weights: Of the signals.
        sense: What it means, if there is a model: entries near to it are candidates too.
        which: Only these entries.
        limit: Most entries.
        offset: How many of the best to leave out.
        today: Uses count by their age then; without, none counts.
    """

    query: Query
    weights: Weights
    sense: Sense | None = None
    which: Filter = EVERY
    limit: int = 10
    offset: int = 0
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An entry that was found.

    Attributes:
        entry: It.
        ranked: Its score, and what it is made of.
        places: Its place, from 1, in each branch that found it: "words", "meaning", "names",
            "graph", "time". None has it if it only stands beside one that was found.
        project: Tells those of one project from those of another, in a mirror of many.
    """

    entry: Entry
    ranked: Ranked
    places: Mapping[str, int]
    project: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The best entries, best first.

    Attributes:
        best: Those that were asked for.
        weighed: How many entries were. It is more than were asked for so far just if there are
            more.
        candidates: Name of a branch → how many entries it found.
    """

    best: tuple[Scored, ...]
    weighed: int
    candidates: Mapping[str, int]


Places = Mapping[str, Mapping[int, int]]
"""Name of a branch → row → its place there, from 1."""


def shortlist(index: Connected, asked: Request) -> tuple[Shortlist, Places]:
    """The candidates of every branch, each once, and their places in the branches."""
    db, query, sense = index.db, asked.query, asked.sense
    corpus = fulltext.corpus(db, query.terms)
    match = fulltext.expression(query.terms, corpus.frequency)
    things = graph.rarity(db, Graph(index).named_in(query.text[:_READ]))
    by_words = fulltext.best(db, match, asked.which, _BY_WORDS)
    branches = {
        "words": by_words,
        "meaning": sense.vectors.near(db, sense.vector, asked.which, _BY_MEANING) if sense else [],
        "names": graph.naming(db, things, asked.which, _BY_NAME),
    }
    if query.period and any(branches.values()):
        branches["time"] = _of_then(db, asked, match)
    rows = list(dict.fromkeys(row for found in branches.values() for row, _ in found))
    near = fulltext.around(db, [row for row, _ in by_words[:_SEEDS]], _BY_GRAPH)
    rows += [row for row in near if row not in rows]
    candidates = fulltext.candidates(db, query, rows, asked.which, leaders=_LEADERS)
    named = graph.shares(db, [one.row for one in candidates], things)
    known = Shortlist(
        candidates=candidates,
        corpus=corpus,
        nearness=_nearness(db, sense, candidates) if sense else None,
        named=[named.get(one.row, 0.0) for one in candidates] if things else None,
        standing=standing(index, [one.row for one in candidates], asked.today, heat.signals)
        if asked.today
        else {},
    )
    branches["graph"] = list(near.items())
    places = {
        name: {row: at for at, (row, _) in enumerate(found, 1)} for name, found in branches.items()
    }
    return known, places


def best_of(
    db: sqlite3.Connection,
    asked: Request,
    known: Shortlist,
    places: Places,
    by_row: Callable[[Sequence[int]], Mapping[int, Entry]],
) -> Answer:
    """The best entries of a shortlist for what is asked.

    Those that are weighed are the same for every page; on a page behind them stand further matches
    by words, in the order of their BM25 and without a score.

    Args:
        db: The index.
        asked: The request.
        known: The candidates.
        places: Theirs in the branches.
        by_row: Gives the entries with these numbers.
    """
    last, total = asked.offset + asked.limit, len(known.candidates)
    shown = list(islice(rank(asked.query, known, asked.weights), asked.offset, last))
    if last >= total and len(places["words"]) >= _BY_WORDS:
        behind = _behind(db, asked, known)
        shown += behind.shown
        total += behind.total
        places = {**places, "words": behind.places}
    entries = by_row([one.row for one in shown])
    best = tuple(
        Scored(
            entry=entries[one.row],
            ranked=one,
            places={name: of[one.row] for name, of in places.items() if one.row in of},
        )
        for one in shown
    )
    return Answer(best, total, {name: len(of) for name, of in places.items()})


class _Behind(NamedTuple):
    """Matches by words behind those that are weighed, on one page.

    Attributes:
        shown: Those of the page.
        total: Up to the end of the page, and one more if there is one.
        places: Of every match by words so far.
    """

    shown: list[Ranked]
    total: int
    places: Mapping[int, int]


def _behind(db: sqlite3.Connection, asked: Request, known: Shortlist) -> _Behind:
    query, weighed = asked.query, {one.row for one in known.candidates}
    match = fulltext.expression(query.terms, known.corpus.frequency)
    last = asked.offset + asked.limit
    found = fulltext.best(db, match, asked.which, last + 1)
    rows = [row for row, _ in found if row not in weighed][: last + 1 - len(weighed)]
    wanted = rows[max(0, asked.offset - len(weighed)) : last - len(weighed)]
    held = fulltext.held(db, query, wanted)
    return _Behind(
        shown=list(unweighed(query, known.corpus, held)),
        total=len(rows),
        places={row: at for at, (row, _) in enumerate(found, 1)},
    )


def _of_then(db: sqlite3.Connection, asked: Request, match: str) -> list[tuple[int, float]]:
    """Matches among the entries of the time that a query names, or the latest of them."""
    start, end = asked.query.period or (None, None)
    then = replace(asked.which, since=start, until=end)
    found = dict(fulltext.best(db, match, then, _BY_WORDS))
    if asked.sense:
        near = asked.sense.vectors.near(db, asked.sense.vector, then, _BY_MEANING)
        found |= {row: cosine for row, cosine in near if row not in found}
    return list(found.items()) or _latest(db, then)


def _latest(db: sqlite3.Connection, which: Filter) -> list[tuple[int, float]]:
    where, values = which.clauses()
    rows = db.execute(
        f"SELECT e.rowid FROM entry e {PLACE} WHERE {' AND '.join(where)} "
        f"ORDER BY {NEWEST} LIMIT ?",
        [*values, _OF_THEN],
    )
    return [(row, 0.0) for (row,) in rows]


def _nearness(db: sqlite3.Connection, sense: Sense, weighed: Sequence[Candidate]) -> Nearness:
    """The nearness of candidates to the query; of those in talk, with their surroundings."""
    own = [[one.own.content] for one in weighed]
    around = [
        [passage.content for passage in (*one.before, one.own, *one.after)] if one.is_talk else []
        for one in weighed
    ]
    floats = sense.vectors.floats(db, chain.from_iterable((*own, *around)))
    return Nearness(
        own=windows(floats, sense.vector, own), around=windows(floats, sense.vector, around)
    )
