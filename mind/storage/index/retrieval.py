"""Retrieval from the index: candidates by words, vectors, names, graph and time, ranked."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain, islice
from math import log
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
    rank,
    unweighed,
)
from mind.storage.index import graph
from mind.storage.index.connection import Connected
from mind.storage.index.graph import Graph
from mind.storage.index.selection import (
    EVERY,
    FORWARD,
    NEWEST,
    PLACE,
    Filter,
    affordable,
    by_row,
    marks,
)
from mind.storage.index.usage import standing
from mind.storage.index.vectors import Vectors, windows
from mind.text import lazy_pattern
from mind.text.terms import other_names, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSTINGS = 12_000
"""Most entries looked up for the terms of one query. Beyond that, very common terms only cost time:
the rarer ones select the candidates, and all of them count in the ranking."""
_BEFORE, _AFTER = 3, 2
_TITLE, _SHORTEST = 120, 10
_TRAILER = lazy_pattern(
    r",?\s+\(?(?:(?:close[sd]?|fix(?:e[sd])?|refs?|see|re|for|also)\s+)*#\d"
    r"|\s(?:co-authored-by|signed-off-by|refs?|closes|fixes):|\shttps?://",
    re.IGNORECASE,
)
"""End of the subject of a commit message on a single line."""


def stored(text: str) -> str:
    """Indexed form of ``text``: its terms, separated by spaces."""
    return " ".join(terms(text))


def title_length(text: str) -> int:
    """Number of terms in the first sentence of ``text``, without references."""
    trailer = _TRAILER.search(text, _SHORTEST)
    return len(terms(title_of(text[: trailer.start()] if trailer else text, _TITLE)))


def add(db: sqlite3.Connection, terms: Sequence[tuple[int, str]]) -> None:
    """Index the terms of entries, given as (row, terms)."""
    db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", terms)
    _count(db, 1, terms)


def remove(db: sqlite3.Connection, terms: Sequence[tuple[int, str]]) -> None:
    """Remove terms from the index; they must equal the indexed ones."""
    db.executemany("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", terms)
    _count(db, -1, terms)


def _count(db: sqlite3.Connection, sign: int, terms: Sequence[tuple[int, str]]) -> None:
    length = sum(of.count(" ") + 1 for _, of in terms)
    db.execute(
        "UPDATE total SET documents = documents + ?, length = length + ?",
        (sign * len(terms), sign * length),
    )


def frequencies(terms_of: Sequence[str]) -> tuple[str, list[str]]:
    """Statement, with its values, for the terms that entries have and the number of these."""
    return f"SELECT term, doc FROM vocabulary WHERE term IN ({marks(terms_of)})", list(terms_of)


def expression(
    terms_of: Iterable[str], frequency: Mapping[str, int], postings: int = POSTINGS
) -> str:
    """FTS5 expression for entries with any of the terms; all terms are quoted.

    The rarest terms are taken, at least one, while their entries total at most ``postings``; terms
    without entries are left out. Without any term it matches nothing.
    """
    known = sorted(set(terms_of) & frequency.keys(), key=lambda term: (frequency[term], term))
    return " OR ".join(f'"{term}"' for term in affordable(known, frequency, postings)) or '""'


def matches(match: str, which: Filter, limit: int) -> tuple[str, list[object]]:
    """Statement, with its values, for (row, BM25) of the best matches that pass; higher is better.

    Ties are ordered by text and then by id, independent of the time of indexing.

    Args:
        match: An FTS5 expression.
        which: The filters.
        limit: Maximum number of rows.
    """
    where, values = which.clauses()
    statement = (
        "SELECT words.rowid, -rank FROM words JOIN entry e ON e.rowid = words.rowid "
        f"WHERE words MATCH ? AND {' AND '.join(where)} ORDER BY rank, e.content, e.id LIMIT ?"
    )
    return statement, [match, *values, limit]


def held(db: sqlite3.Connection, query: Query, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Query terms contained in each of ``rows``, in query order."""
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
    """Candidates from ``rows`` in file order, with neighbours in conversations for the ``leaders``.

    In a conversation the answer is often next to the line with the words of the question.
    Entries of a chunk have consecutive row numbers.
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
    """Read ``rows`` and their neighbours into ``known``."""
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


BY_WORDS = 40
"""Most candidates from the word matches."""
BY_MEANING = 30
"""Most candidates from the vector matches."""
READ = 4_000
"""Characters of a query that are searched for names."""
BY_NAME = 20
"""Most candidates that name the same things as the query."""
_NAMING = 500
"""Characters of a query that are searched for names with synonyms."""
_LOOKED_UP = 4_000
"""Most terms whose frequency is looked up."""
_BY_GRAPH = 10
"""Most candidates near the best matches in the graph."""
_SEEDS = 5
"""Number of best word matches from which the graph is walked."""
LEADERS = 15
"""Number of best matches whose neighbours become candidates."""
OF_THEN = 10
"""Most candidates from the query's period, used if none of its entries matches the words."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Vector of a query, of length one, and the vectors to compare it with."""

    vector: "NDArray[np.float32]"
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """A query to the index.

    Attributes:
        query: The parsed words.
        weights: Weights of the signals.
        sense: Its vector, if there is a model; adds nearby entries as candidates.
        which: Filter on the entries.
        limit: Maximum number of entries.
        today: Reference day for the age of uses; without it, uses are ignored.
        lowercase_names: Also find capitalised names that the query has in lower case.
    """

    query: Query
    weights: Weights
    sense: QueryVector | None = None
    which: Filter = EVERY
    limit: int = 10
    today: date | None = None
    lowercase_names: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredEntry:
    """A ranked entry.

    Attributes:
        entry: The entry.
        ranked: Its score and signals.
        places: Rank, from 1, in each branch that found it: "words", "meaning", "names",
            "synonyms", "graph", "time". Empty if it is only a neighbour of a match.
    """

    entry: Entry
    ranked: Ranked
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """The best entries, best first.

    Attributes:
        best: The requested entries.
        weighed: Number of ranked entries; greater than the limit exactly if there are more.
        candidates: Branch name → number of entries it found.
        shortlist: Everything that was ranked; None if a mirror answered.
    """

    best: tuple[ScoredEntry, ...]
    weighed: int
    candidates: Mapping[str, int]
    shortlist: Shortlist | None = None


def retrieve(index: Connected, asked: IndexRequest) -> IndexAnswer:
    """The best entries for a request: candidates of all branches without repeats, ranked."""
    with index.reading():
        db, query, sense = index.db, asked.query, asked.sense
        documents, length = db.execute("SELECT documents, length FROM total").fetchone()
        aliases = _aliases(query.text)
        looked_up = [*query.terms, *(word for words in aliases.values() for word in words)]
        counts = dict(db.execute(*frequencies(looked_up[:_LOOKED_UP])))
        match = expression(query.terms, counts)
        names = Graph(index).named_in(query.text[:READ], lowercase=asked.lowercase_names)
        things = graph.rarity(db, names)
        by_words = db.execute(*matches(match, asked.which, BY_WORDS)).fetchall()
        near = sense.vectors.near(db, sense.vector, asked.which, BY_MEANING) if sense else []
        branches = {
            "words": by_words,
            "meaning": near,
            "names": graph.naming(db, things, asked.which, BY_NAME),
            "synonyms": db.execute(
                *matches(_any_of(aliases, counts, query), asked.which, BY_NAME)
            ).fetchall(),
        }
        if query.period and any(branches.values()):
            branches["time"] = _of_then(db, asked, match)
        rows = list(dict.fromkeys(row for found in branches.values() for row, _ in found))
        branches["graph"] = graph.around(db, [row for row, _ in by_words[:_SEEDS]], _BY_GRAPH)
        rows += [row for row, _ in branches["graph"] if row not in rows]
        found = candidates(db, query, rows, asked.which, leaders=LEADERS)
        named = graph.shares(db, [one.row for one in found], things)
        known = Shortlist(
            candidates=found,
            corpus=Corpus(documents, length / (documents or 1), counts),
            nearness=nearness(found, sense.vector, partial(sense.vectors.floats, db))
            if sense
            else None,
            named=[named.get(one.row, 0.0) for one in found] if things else None,
            standing=standing(index, [one.row for one in found], asked.today)
            if asked.today
            else {},
            synonyms=_strengths(branches["synonyms"], found, documents),
        )
        return _best_of(db, asked, known, branches)


def _aliases(text: str) -> dict[str, list[str]]:
    """Names of what the text names, as indexed, with their terms."""
    names = map(stored, other_names(text[:_NAMING]))
    return {name: name.split() for name in names if name}


def _any_of(
    aliases: Mapping[str, Sequence[str]], frequency: Mapping[str, int], query: Query
) -> str:
    """FTS5 expression for entries with any of the names, as :func:`expression` for terms.

    Names in the query count as much as others, but without others they say no more than its words.
    """
    known = {
        name: min(frequency[term] for term in terms_of)
        for name, terms_of in aliases.items()
        if all(term in frequency for term in terms_of)
    }
    if all(term in query.terms for name in known for term in aliases[name]):
        return '""'
    rarest = sorted(known, key=lambda name: (known[name], name))
    return " OR ".join(f'"{name}"' for name in affordable(rarest, known, POSTINGS))


def _strengths(
    by_synonyms: Sequence[tuple[int, float]], found: Sequence[Candidate], documents: int
) -> list[float] | None:
    """Strengths of the names in the candidates: 1 for one as rare as a name can be."""
    score_of = dict(by_synonyms)
    most = log(documents + 1)
    return [min(1.0, score_of.get(one.row, 0.0) / most) for one in found] if score_of else None


def _best_of(
    db: sqlite3.Connection,
    asked: IndexRequest,
    known: Shortlist,
    branches: Mapping[str, Sequence[tuple[int, float]]],
) -> IndexAnswer:
    """The best entries of a shortlist for a request.

    The ranked entries are the same for every limit; further word matches follow, ordered by BM25
    and without a score.

    Args:
        db: The index.
        asked: The request.
        known: The candidates.
        branches: Branch name → the rows it found, best first.
    """
    places = {
        name: {row: at for at, (row, _) in enumerate(found, 1)} for name, found in branches.items()
    }
    total = len(known.candidates)
    shown = list(islice(rank(asked.query, known, asked.weights), asked.limit))
    if asked.limit >= total and len(places["words"]) >= BY_WORDS:
        behind, more, places["words"] = _behind(db, asked, known)
        shown += behind
        total += more
    entries = by_row(db, [one.row for one in shown])
    best = tuple(
        ScoredEntry(
            entry=entries[one.row],
            ranked=one,
            places={name: of[one.row] for name, of in places.items() if one.row in of},
        )
        for one in shown
    )
    return IndexAnswer(best, total, {name: len(of) for name, of in places.items()}, known)


def _behind(
    db: sqlite3.Connection, asked: IndexRequest, known: Shortlist
) -> tuple[list[Ranked], int, dict[int, int]]:
    """Return the word matches after the ranked entries, within the limit.

    Returns:
        The matches, their number, plus one if there are more, and the ranks of all word matches.
    """
    query, weighed = asked.query, {one.row for one in known.candidates}
    match = expression(query.terms, known.corpus.frequency)
    found = db.execute(*matches(match, asked.which, asked.limit + 1)).fetchall()
    room = asked.limit - len(weighed)
    rows = [row for row, _ in found if row not in weighed][: room + 1]
    terms_of = held(db, query, rows[:room])
    ranks = {row: at for at, (row, _) in enumerate(found, 1)}
    return list(unweighed(query, known.corpus, terms_of)), len(rows), ranks


def _of_then(db: sqlite3.Connection, asked: IndexRequest, match: str) -> list[tuple[int, float]]:
    """Word matches from the query's period, or else its latest entries."""
    start, end = asked.query.period or (None, None)
    then = asked.which.within(start, end, asked.today)
    found: dict[int, float] = dict(db.execute(*matches(match, then, BY_WORDS)).fetchall())
    if asked.sense:
        near = asked.sense.vectors.near(db, asked.sense.vector, then, BY_MEANING)
        found |= {row: cosine for row, cosine in near if row not in found}
    if found:
        return list(found.items())
    where, values = then.clauses()
    rows = db.execute(
        f"SELECT e.rowid FROM entry e {PLACE} WHERE {' AND '.join(where)} "
        f"ORDER BY {NEWEST} LIMIT ?",
        [*values, OF_THEN],
    )
    return [(row, 0.0) for (row,) in rows]


def nearness(
    weighed: Sequence[Candidate],
    vector: "NDArray[np.float32]",
    floats_of: Callable[[Iterable[int]], Mapping[int, "NDArray[np.float32]"]],
) -> VectorSimilarities:
    """Cosines of the candidates with the query; in conversations also with their surroundings.

    Args:
        weighed: The candidates.
        vector: Vector of the query.
        floats_of: Returns the vectors of texts, by their contents.
    """
    own = [[one.own.content] for one in weighed]
    around = [
        [passage.content for passage in (*one.before, one.own, *one.after)] if one.is_talk else []
        for one in weighed
    ]
    floats = floats_of(chain.from_iterable((*own, *around)))
    return VectorSimilarities(
        own=windows(floats, vector, own), around=windows(floats, vector, around)
    )
