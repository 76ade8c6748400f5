"""Full text: which entries have the words of a query, and what stands around them."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

from mind.domain.entry import title_of
from mind.ranking import Candidate, Corpus, Passage, Query
from mind.storage.index.filters import Filter
from mind.storage.index.rows import FORWARD, PLACE
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
    """What is indexed for ``text``: its terms, between spaces."""
    return " ".join(terms(text))


def title_length(text: str) -> int:
    """How many of the terms of ``text`` belong to its first sentence, references left out."""
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
    """How many entries there are, how long, and how many have each of the terms."""
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
    if which.is_open:
        found, edge = _first(db, match, limit)
        if found is not None:
            return found
    where, values = which.clauses()
    rows = db.execute(
        "SELECT words.rowid, rank FROM words JOIN entry e ON e.rowid = words.rowid "
        f"WHERE words MATCH ? AND rank <= ? AND {' AND '.join(where)} "
        "ORDER BY rank, e.content, e.id LIMIT ?",
        [match, edge, *values, limit],
    )
    return [(row, -rank) for row, rank in rows]


def _first(
    db: sqlite3.Connection, match: str, limit: int
) -> tuple[list[tuple[int, float]] | None, float]:
    """The best, without a look at every entry that matches.

    Where the last of them has more equals than are looked at, there is only the rank up to which
    all have to be.
    """
    most = limit + _SPARE
    ranks = dict(
        db.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", [match, most]
        ).fetchall()
    )
    shown = db.execute(
        f"SELECT rowid, content, id FROM entry WHERE rowid IN ({', '.join(map(str, ranks))}) "
        "AND shown"
    )
    order = sorted((ranks[row], content, name, row) for row, content, name in shown)[:limit]
    last = max(ranks.values(), default=inf)
    if len(ranks) < most or (len(order) == limit and order[-1][0] < last):
        return [(row, -rank) for rank, _, _, row in order], last
    return None, last if len(order) == limit else inf


def held(db: sqlite3.Connection, query: Query, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Which of the query's terms each of ``rows`` has, in their order."""
    known = dict(
        db.execute(f"SELECT rowid, terms FROM entry WHERE rowid IN ({', '.join(map(str, rows))})")
    )
    terms_of = {row: frozenset(known[row].split()) for row in rows}
    return {row: tuple(one for one in query.terms if one in terms_of[row]) for row in rows}


class _Row(NamedTuple):
    piece: int
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
    """What the ranking reads of ``rows``, and of what was said around the first ``leaders``.

    They come in the order of the files.
    In a conversation an answer often stands beside the line that has the words of the question.
    Entries of a piece have numbers in a row.
    """
    known: dict[int, _Row] = {}
    _read(db, query, rows, which, known)
    found = {row: _candidate(row, known) for row in rows if known[row].fits}
    said = [row for row, one in list(found.items())[:leaders] if one.is_talk]
    beside = [row + step for row in said for step in (-1, 1, 2)]
    _read(db, query, beside, which, known)
    for at, row in enumerate(beside):
        one, leader = known.get(row), known[said[at // 3]]
        if one and one.fits and one.piece == leader.piece:
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
    for row, piece, *place, fits, day, content, text, held, title in db.execute(
        f"SELECT e.rowid, e.piece, {FORWARD}, {' AND '.join(where)}, "
        "e.date, e.content, e.text, e.terms, e.title "
        f"FROM entry e {PLACE} WHERE e.rowid IN ({', '.join(map(str, wanted))})",
        values,
    ):
        passage = Passage(text, held.split(), title, terms_of, content)
        known[row] = _Row(piece, tuple(place), bool(fits), day, passage)


def _candidate(row: int, known: Mapping[int, _Row]) -> Candidate:
    piece, _, _, day, own = known[row]
    near = [
        (step, known[row + step]) for step in range(-_BEFORE, _AFTER + 1) if row + step in known
    ]
    before = [one.passage for step, one in near if step < 0 and one.piece == piece]
    after = [one.passage for step, one in near if step > 0 and one.piece == piece]
    return Candidate(row, own, before, after, day)
