"""Full text: which entries have the words of a query, and what stands around them."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from json import dumps
from math import inf, log
from typing import NamedTuple

from mind.domain.entry import title_of
from mind.ranking import Candidate, Corpus, Passage, Query
from mind.storage.index import graph
from mind.storage.index.selection import FORWARD, PLACE, Filter
from mind.text.relations import SAME_AS
from mind.text.terms import terms

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
    passage: Passage


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
        passage = Passage(text, held.split(), title, terms_of, content)
        known[row] = _Row(chunk, tuple(place), bool(fits), day, passage)


def _candidate(row: int, known: Mapping[int, _Row]) -> Candidate:
    chunk, _, _, day, own = known[row]
    near = [
        (step, known[row + step]) for step in range(-_BEFORE, _AFTER + 1) if row + step in known
    ]
    before = [one.passage for step, one in near if step < 0 and one.chunk == chunk]
    after = [one.passage for step, one in near if step > 0 and one.chunk == chunk]
    return Candidate(row, own, before, after, day)


_DAMPING = 0.5
_Named = tuple[int, str]
"""Row and id of an entry."""
_COMMON = 400
"""A thing that more entries name than that says nothing about two of them."""
_MOST_THINGS = 200
_MOST_ENTRIES = 4_000


def around(db: sqlite3.Connection, seeds: Sequence[int], limit: int) -> dict[int, float]:
    """Rows near the rows ``seeds``, the first of which weighs most, after one hop and two; 0–1."""
    weights = {row: 1 / at for at, row in enumerate(seeds, 1)}
    things = _same(db, _named(db, weights))
    for key, weight in _same(db, _related(db, things)).items():
        things[key] = max(things.get(key, 0.0), _DAMPING * weight)
    scores = _naming(db, things, _DAMPING, set(seeds))
    return {row: score for (row, _), score in _best(scores, limit)}


def _best(
    scores: Mapping[tuple[int, str], float], limit: int
) -> list[tuple[tuple[int, str], float]]:
    found = [one for one in scores.items() if one[1]]
    return sorted(found, key=lambda one: (-one[1], one[0][1]))[:limit]


def _named(db: sqlite3.Connection, rows: Mapping[int, float]) -> dict[str, float]:
    """Things that the entries name, each with the weight of the heaviest one."""
    found: dict[str, float] = {}
    for key, row in db.execute(
        "SELECT key, entry FROM mention WHERE kind <> 'start' "
        "AND entry IN (SELECT value FROM json_each(?))",
        (dumps(list(rows)),),
    ):
        found[key] = max(found.get(key, 0.0), rows[row])
    return _heaviest(found)


def _heaviest(things: dict[str, float]) -> dict[str, float]:
    order = sorted(things, key=lambda key: (-things[key], key))
    return {key: things[key] for key in order[:_MOST_THINGS]}


def _same(db: sqlite3.Connection, things: Mapping[str, float]) -> dict[str, float]:
    """``things`` with their other names, which are no further away."""
    known = dict(things)
    fresh = known
    while fresh and len(known) < _MOST_THINGS + len(things):
        found = _across(db, fresh, "=")
        fresh = {key: weight for key, weight in found.items() if key not in known}
        known.update(fresh)
    return known


def _related(db: sqlite3.Connection, things: Mapping[str, float]) -> dict[str, float]:
    return _heaviest(_across(db, things, "<>"))


def _across(db: sqlite3.Connection, things: Mapping[str, float], sign: str) -> dict[str, float]:
    """Things one relation away: aliases for "=", what is related otherwise for "<>"."""
    found: dict[str, float] = {}
    wanted = graph.listed(things)
    for here, there in (("subject", "object"), ("object", "subject")):
        for near, far in db.execute(
            f"SELECT g.{here}, g.{there} FROM edge g JOIN entry e ON e.rowid = g.entry "
            f"WHERE e.shown AND g.predicate {sign} ? "
            f"AND g.{here} IN (SELECT value FROM json_each(?)) LIMIT {_MOST_ENTRIES}",
            (SAME_AS, wanted),
        ):
            found[far] = max(found.get(far, 0.0), things[near])
    return found


def _naming(
    db: sqlite3.Connection, things: Mapping[str, float], damping: float, seeds: set[int]
) -> dict[_Named, float]:
    """(row, id) of entries but ``seeds``: 1 - Π(1 - damping · weight · rarity) of things."""
    counts = graph.frequency(db, things, _COMMON + 1)
    total = db.execute("SELECT documents FROM total").fetchone()[0]
    scores: dict[_Named, float] = {}
    for key in _telling(counts, things):
        share = damping * things[key] * log(1 + total / counts[key]) / log(1 + total)
        for row, name in db.execute(
            "SELECT e.rowid, e.id FROM mention m JOIN entry e ON e.rowid = m.entry "
            "WHERE m.key = ? AND m.kind <> 'start' AND e.shown",
            (key,),
        ):
            if row not in seeds:
                scores[row, name] = 1 - (1 - scores.get((row, name), 0.0)) * (1 - share)
    return scores


def _telling(counts: Mapping[str, int], things: Mapping[str, float]) -> Sequence[str]:
    """Things that are looked up, those that count most first: rare ones near the seeds."""
    order = sorted(
        (key for key, count in counts.items() if count <= _COMMON),
        key=lambda key: (-things[key], counts[key], key),
    )
    taken, spent = [], 0
    for key in order:
        spent += counts[key]
        if spent > _MOST_ENTRIES:
            break
        taken.append(key)
    return taken
