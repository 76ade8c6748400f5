"""Answering a query from the index: candidates by words and by meaning, weighed together."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from mind.domain.entry import Entry, title_of
from mind.ranking import (
    Candidate,
    Corpus,
    EntryText,
    Query,
    Ranked,
    Shortlist,
    VectorSimilarities,
    Weights,
    heat,
    rank,
    unweighed,
)
from mind.storage.index import graph
from mind.storage.index.connection import Connected
from mind.storage.index.graph import Graph
from mind.storage.index.selection import EVERY, FORWARD, NEWEST, PLACE, Filter
from mind.storage.index.usage import standing
from mind.storage.index.vectors import Vectors, windows
from mind.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSTINGS = 12_000
"""Entries that the terms of one query are looked up in. Past that, terms that nearly every entry
has only cost time: the rarer ones choose the candidates, and all of them count in the ranking."""
_SPARE = 100
"""Matches behind the end of a list that are looked at: equals of its last one may be among them."""
_BEFORE, _AFTER = 3, 2
_TITLE, _SHORTEST = 120, 10
_TRAILER = re.compile(
    r",?\s+\(?(?:(?:close[sd]?|fix(?:e[sd])?|refs?|see|re|for|also)\s+)*#\d"
    r"|\s(?:co-authored-by|signed-off-by|refs?|closes|fixes):|\shttps?://",
    re.IGNORECASE,
)
"""What ends the subject of a commit message that was written into one line."""


def stored(text: str) -> str:
    """The indexed form of ``text``: its terms, between spaces."""
    return " ".join(terms(text))


def title_length(text: str) -> int:
    """The number of terms in the first sentence of ``text``, references left out."""
    trailer = _TRAILER.search(text, _SHORTEST)
    return len(terms(title_of(text[: trailer.start()] if trailer else text, _TITLE)))


def add(db: sqlite3.Connection, terms: Sequence[tuple[int, str]]) -> None:
    """Index the terms of entries, as (row, terms)."""
    db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", terms)
    _count(db, 1, terms)


def remove(db: sqlite3.Connection, terms: Sequence[tuple[int, str]]) -> None:
    """Take them out again; they must be the very same."""
    db.executemany("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", terms)
    _count(db, -1, terms)


def _count(db: sqlite3.Connection, sign: int, terms: Sequence[tuple[int, str]]) -> None:
    length = sum(of.count(" ") + 1 for _, of in terms)
    db.execute(
        "UPDATE total SET documents = documents + ?, length = length + ?",
        (sign * len(terms), sign * length),
    )


def corpus(db: sqlite3.Connection, terms_of: Sequence[str]) -> Corpus:
    """Count the entries, their length, and those that have each of the terms."""
    documents, length = db.execute("SELECT documents, length FROM total").fetchone()
    rows = db.execute(
        f"SELECT term, doc FROM vocabulary WHERE term IN ({', '.join('?' * len(terms_of))})",
        list(terms_of),
    )
    return Corpus(documents, length / (documents or 1), dict(rows.fetchall()))


def expression(
    terms_of: Iterable[str], frequency: Mapping[str, int], postings: int = POSTINGS
) -> str:
    """An FTS5 expression for entries with any of the terms; every term is quoted, none is syntax.

    The rarest terms are taken first, as long as the entries that have them are no more than
    ``postings``, and one at least; terms that no entry has are left out.
    """
    known = sorted((count, term) for term in terms_of if (count := frequency.get(term, 0)))
    taken: list[str] = []
    spent = 0
    for count, term in known:
        spent += count
        if taken and spent > postings:
            break
        taken.append(f'"{term}"')
    return " OR ".join(taken)


def best(db: sqlite3.Connection, match: str, which: Filter, limit: int) -> list[tuple[int, float]]:
    """(row, BM25) of the entries that match best and pass the filters; higher is better.

    Of equally good ones their texts decide, and then their ids, not when they were indexed.

    Args:
        db: The index.
        match: An FTS5 expression, or nothing.
        which: Only these.
        limit: Most rows.
    """
    if not match:
        return []
    edge = inf
    if which.is_open:  # then a look at the first of those that match is mostly enough
        most = limit + _SPARE
        ranks = dict(
            db.execute(
                "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
                [match, most],
            ).fetchall()
        )
        order = _in_order(db, ranks)[:limit]
        last = max(ranks.values(), default=inf)
        if len(ranks) < most or (len(order) == limit and order[-1][0] < last):
            return [(row, -rank) for rank, _, _, row in order]
        edge = last if len(order) == limit else inf  # more are as good as the last
    where, values = which.clauses()
    rows = db.execute(
        "SELECT words.rowid, rank FROM words JOIN entry e ON e.rowid = words.rowid "
        f"WHERE words MATCH ? AND rank <= ? AND {' AND '.join(where)} "
        "ORDER BY rank, e.content, e.id LIMIT ?",
        [match, edge, *values, limit],
    )
    return [(row, -rank) for row, rank in rows]


def _in_order(
    db: sqlite3.Connection, ranks: Mapping[int, float]
) -> list[tuple[float, int, str, int]]:
    """(rank, content, id, row) of those that are shown."""
    shown = db.execute(
        f"SELECT rowid, content, id FROM entry WHERE rowid IN ({', '.join(map(str, ranks))}) "
        "AND shown"
    )
    return sorted((ranks[row], content, name, row) for row, content, name in shown)


def held(db: sqlite3.Connection, query: Query, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The query's terms in each of ``rows``, in their order."""
    known = dict(
        db.execute(f"SELECT rowid, terms FROM entry WHERE rowid IN ({', '.join(map(str, rows))})")
    )
    terms_of = {row: frozenset(known[row].split()) for row in rows}
    return {row: tuple(one for one in query.terms if one in terms_of[row]) for row in rows}


class _Row(NamedTuple):
    chunk: int
    place: tuple[int, str, int, int]
    fits: bool
    day: str
    passage: EntryText


def candidates(
    db: sqlite3.Connection,
    query: Query,
    rows: Sequence[int],
    which: Filter,
    *,
    leaders: int,
) -> list[Candidate]:
    """Candidates from ``rows``, and from the talk around the first ``leaders``.

    They come in the order of the files.
    In a conversation an answer often stands beside the line that has the words of the question.
    Entries of a chunk have numbers in a row.
    """
    known: dict[int, _Row] = {}
    _read(db, query, rows, which, known)
    found = {row: _candidate(row, known) for row in rows if known[row].fits}
    said = [row for row, one in list(found.items())[:leaders] if one.is_talk]
    beside = [row + step for row in said for step in (-1, 1, 2)]
    _read(db, query, beside, which, known)
    for at, row in enumerate(beside):
        one, leader = known.get(row), known[said[at // 3]]
        if one and one.fits and one.chunk == leader.chunk:
            found.setdefault(row, _candidate(row, known))
    return sorted(found.values(), key=lambda one: known[one.row].place)


def _read(
    db: sqlite3.Connection,
    query: Query,
    rows: Sequence[int],
    which: Filter,
    known: dict[int, _Row],
) -> None:
    """Put ``rows`` and what stands around them into ``known``."""
    wanted = {row + step for row in rows for step in range(-_BEFORE, _AFTER + 1)} - known.keys()
    if not wanted:
        return
    terms_of = frozenset(query.terms)
    where, values = which.clauses()
    for row, chunk, *place, fits, day, content, text, held, title in db.execute(
        f"SELECT e.rowid, e.chunk, {FORWARD}, {' AND '.join(where)}, "
        "e.date, e.content, e.text, e.terms, e.title "
        f"FROM entry e {PLACE} WHERE e.rowid IN ({', '.join(map(str, wanted))})",
        values,
    ):
        passage = EntryText(text, held.split(), title, terms_of, content)
        known[row] = _Row(chunk, tuple(place), bool(fits), day, passage)


def _candidate(row: int, known: Mapping[int, _Row]) -> Candidate:
    chunk, _, _, day, own = known[row]
    near = [
        (step, known[row + step]) for step in range(-_BEFORE, _AFTER + 1) if row + step in known
    ]
    before = [one.passage for step, one in near if step < 0 and one.chunk == chunk]
    after = [one.passage for step, one in near if step > 0 and one.chunk == chunk]
    return Candidate(row, own, before, after, day)


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
class QueryVector:
    """The vector of a query, of length one, and the vectors it is compared with."""

    vector: "NDArray[np.float32]"
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
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
    sense: QueryVector | None = None
    which: Filter = EVERY
    limit: int = 10
    offset: int = 0
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredEntry:
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
class IndexAnswer:
    """The best entries, best first.

    Attributes:
        best: Those that were asked for.
        weighed: How many entries were. It is more than were asked for so far just if there are
            more.
        candidates: Name of a branch → how many entries it found.
    """

    best: tuple[ScoredEntry, ...]
    weighed: int
    candidates: Mapping[str, int]


Places = Mapping[str, Mapping[int, int]]
"""Name of a branch → row → its place there, from 1."""


def shortlist(index: Connected, asked: IndexRequest) -> tuple[Shortlist, Places]:
    """The candidates of every branch, each once, and their places in the branches."""
    db, query, sense = index.db, asked.query, asked.sense
    figures = corpus(db, query.terms)
    match = expression(query.terms, figures.frequency)
    things = graph.rarity(db, Graph(index).named_in(query.text[:_READ]))
    by_words = best(db, match, asked.which, _BY_WORDS)
    branches = {
        "words": by_words,
        "meaning": sense.vectors.near(db, sense.vector, asked.which, _BY_MEANING) if sense else [],
        "names": graph.naming(db, things, asked.which, _BY_NAME),
    }
    if query.period and any(branches.values()):
        branches["time"] = _of_then(db, asked, match)
    rows = list(dict.fromkeys(row for found in branches.values() for row, _ in found))
    near = graph.around(db, [row for row, _ in by_words[:_SEEDS]], _BY_GRAPH)
    rows += [row for row in near if row not in rows]
    found = candidates(db, query, rows, asked.which, leaders=_LEADERS)
    named = graph.shares(db, [one.row for one in found], things)
    known = Shortlist(
        candidates=found,
        corpus=figures,
        nearness=_nearness(db, sense, found) if sense else None,
        named=[named.get(one.row, 0.0) for one in found] if things else None,
        standing=standing(index, [one.row for one in found], asked.today, heat.signals)
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
    asked: IndexRequest,
    known: Shortlist,
    places: Places,
    by_row: Callable[[Sequence[int]], Mapping[int, Entry]],
) -> IndexAnswer:
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
        ScoredEntry(
            entry=entries[one.row],
            ranked=one,
            places={name: of[one.row] for name, of in places.items() if one.row in of},
        )
        for one in shown
    )
    return IndexAnswer(best, total, {name: len(of) for name, of in places.items()})


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


def _behind(db: sqlite3.Connection, asked: IndexRequest, known: Shortlist) -> _Behind:
    query, weighed = asked.query, {one.row for one in known.candidates}
    match = expression(query.terms, known.corpus.frequency)
    last = asked.offset + asked.limit
    found = best(db, match, asked.which, last + 1)
    rows = [row for row, _ in found if row not in weighed][: last + 1 - len(weighed)]
    wanted = rows[max(0, asked.offset - len(weighed)) : last - len(weighed)]
    terms_of = held(db, query, wanted)
    return _Behind(
        shown=list(unweighed(query, known.corpus, terms_of)),
        total=len(rows),
        places={row: at for at, (row, _) in enumerate(found, 1)},
    )


def _of_then(db: sqlite3.Connection, asked: IndexRequest, match: str) -> list[tuple[int, float]]:
    """Matches among the entries of the time that a query names, or the latest of them."""
    start, end = asked.query.period or (None, None)
    then = replace(asked.which, since=start, until=end)
    found = dict(best(db, match, then, _BY_WORDS))
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


def _nearness(
    db: sqlite3.Connection, sense: QueryVector, weighed: Sequence[Candidate]
) -> VectorSimilarities:
    """The nearness of candidates to the query; of those in talk, with their surroundings."""
    own = [[one.own.content] for one in weighed]
    around = [
        [passage.content for passage in (*one.before, one.own, *one.after)] if one.is_talk else []
        for one in weighed
    ]
    floats = sense.vectors.floats(db, chain.from_iterable((*own, *around)))
    return VectorSimilarities(
        own=windows(floats, sense.vector, own), around=windows(floats, sense.vector, around)
    )
