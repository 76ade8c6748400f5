"""Candidates for a query in the mirror: by words, by meaning, by the things it names, by time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import log
from typing import TYPE_CHECKING, Any

from mind.ranking import Corpus
from mind.storage.index import EVERY, Filter
from mind.storage.mirror.migrations import PASSES
from mind.storage.mirror.publishing import folded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.storage.mirror.connection import Connection

POSTINGS = 12_000
"""As in the local index: entries that the terms of one query are looked up in."""
_GUESSED = 1_000
"""Entries with a term from which on the statistics of the table are taken for their number. They
come from 300,000 rows: the error is below a tenth up to some millions, and its logarithm counts."""
_ROUGHLY = 400
"""Best matches by rarity and length alone, of which the best by BM25 are taken."""
_EXACT = 50_000
"""Vectors of the searched projects up to which all are compared, and no graph is walked."""
_WIDTH = 200
"""hnsw.ef_search: candidates that the walk keeps."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where is searched.

    Attributes:
        team: Whose projects.
        names: Number of a project → its name.
        every: It is all of the team's projects: rows need not be compared with a list.
        documents: How many entries there are.
        length: Of all their terms.
    """

    team: int
    names: Mapping[int, str]
    every: bool
    documents: int
    length: int

    @property
    def chosen(self) -> list[int] | None:
        """The projects, to compare rows with; None for all."""
        return None if self.every else list(self.names)

    @property
    def average(self) -> float:
        """Mean number of terms of an entry, at least one."""
        return max(1.0, self.length / (self.documents or 1))


def scope(connection: "Connection", team: int, project: int | None) -> Scope:
    """One project, or all of a team."""
    rows = connection.execute(
        "SELECT number, name, documents, length FROM mind.project WHERE team = %s "
        "AND (%s::bigint IS NULL OR number = %s) ORDER BY number",
        (team, project, project),
    ).fetchall()
    return Scope(
        team=team,
        names={row[0]: row[1] for row in rows},
        every=project is None,
        documents=sum(row[2] for row in rows),
        length=sum(row[3] for row in rows),
    )


def corpus(connection: "Connection", where: Scope, lexemes: Sequence[str]) -> Corpus:
    """How many entries there are, how long, and how many have each of ``lexemes``.

    How common one is, shares tell that PostgreSQL estimated the last time it analysed the table: of
    a whole team where many entries have it, of one project past what a search looks up.
    """
    if not lexemes:
        return Corpus(where.documents, where.average, {})
    most = POSTINGS + 1
    guessed, is_sure = _guessed(connection, where, lexemes)
    counts = {one: count for one, count in guessed.items() if is_sure and count >= _GUESSED}
    counted = [one for one in lexemes if one not in counts]
    if counted:
        row = connection.execute(
            "SELECT mind.frequency(%s::tsquery[], %s, %s::bigint[], %s)",
            ([_quoted(one) for one in counted], where.team, where.chosen, most),
        ).fetchone()
        for one, count in zip(counted, row[0] if row else (), strict=True):
            counts[one] = max(count, guessed.get(one, 0)) if count >= most else count
    held = {one: counts[one] for one in lexemes if counts[one]}
    return Corpus(where.documents, where.average, held)


def _guessed(
    connection: "Connection", where: Scope, lexemes: Sequence[str]
) -> tuple[dict[str, int], bool]:
    """How many entries have each of ``lexemes``, by the statistics of the table.

    Returns:
        What they tell, and whether that will do for common ones: counting those takes longer than
        the rest of a search. It will not where most entries are those of others.
    """
    if where.documents <= POSTINGS:  # then none is common
        return {}, False
    row = connection.execute(
        "SELECT mind.shares(%s), (SELECT reltuples FROM pg_class "
        "WHERE oid = 'mind.entry'::regclass)",
        (list(lexemes),),
    ).fetchone()
    shares, rows = row or ((), 0)
    counts = {
        one: round(share * where.documents) for one, share in zip(lexemes, shares, strict=True)
    }
    return counts, where.every and rows <= 2 * where.documents


def matching(  # noqa: PLR0913 - the parts of one statement
    connection: "Connection",
    where: Scope,
    weights: Mapping[str, float],
    frequency: Mapping[str, int],
    which: Filter,
    *,
    most: int = _ROUGHLY,
) -> list[int]:
    """Numbers of entries that have any of the lexemes, those first whose weights are most.

    The rarest are looked up, as in the local index; all count.
    """
    taken: list[str] = []
    spent = 0
    for one in sorted(weights, key=lambda one: (frequency.get(one, 0), one)):
        spent += frequency.get(one, 0)
        if taken and spent > POSTINGS:
            break
        if frequency.get(one):
            taken.append(one)
    if not taken:
        return []
    rows = connection.execute(
        "SELECT found FROM mind.matching(%(match)s::tsquery, %(wanted)s::tsquery[], %(weights)s, "
        f"%(average)s, %(team)s, {_ARGUMENTS}, %(most)s)".encode(),
        {
            "match": "|".join(map(_quoted, taken)),
            "team": where.team,
            "wanted": [_quoted(one) for one in weights],
            "weights": list(weights.values()),
            "average": where.average,
            "most": most,
            **passing(which, where),
        },
    )
    return [row[0] for row in rows]


def rarity(total: int, count: int) -> float:
    """BM25's, as FTS5 has it: never below a millionth."""
    return max(1e-6, log((total - count + 0.5) / (count + 0.5)))


def near(  # noqa: PLR0913, PLR0917 - the parts of one statement
    connection: "Connection",
    where: Scope,
    table: str,
    vector: "NDArray[np.float32]",
    which: Filter,
    most: int,
) -> list[tuple[int, float]]:
    """(number, cosine) of entries nearest to a vector, nearest first."""
    from pgvector import HalfVector  # noqa: PLC0415 - only with a mirror

    is_exact = not where.every or where.documents <= _EXACT
    # with something added the order is none that the graph could give
    order = "(v.embedding <=> %(vector)s) + 0" if is_exact else "v.embedding <=> %(vector)s"
    project = "" if where.every else "AND v.project = ANY (%(chosen)s)"
    join = ""
    if which != EVERY:
        join = "JOIN mind.entry e ON e.team = v.team AND e.number = v.entry AND " + bound()
    with connection.transaction():
        if not is_exact:
            connection.execute(f"SET LOCAL hnsw.ef_search = {_WIDTH}".encode())
            connection.execute("SET LOCAL hnsw.iterative_scan = strict_order")
        rows = connection.execute(
            f"SELECT v.entry, 1 - (v.embedding <=> %(vector)s) FROM mind.{table} v {join} "
            f"WHERE v.team = %(team)s {project} ORDER BY {order} LIMIT %(most)s".encode(),
            {
                "vector": HalfVector(vector),
                "team": where.team,
                "most": most,
                **passing(which, where),
            },
        ).fetchall()
    return [(row[0], row[1]) for row in rows]


def latest(connection: "Connection", where: Scope, which: Filter, most: int) -> list[int]:
    """Numbers of the newest entries that pass."""
    rows = connection.execute(
        f"SELECT * FROM mind.latest({_ARGUMENTS}, %(most)s)".encode(),
        {"most": most, **passing(which, where)},
    )
    return [row[0] for row in rows]


_TYPES = {
    "chosen": "bigint[]",
    "kinds": "text[]",
    "families": "text[]",
    "languages": "text[]",
    "ids": "text[]",
    "tagged": "text[]",
    "muted": "text[]",
    "section": "text",
    "state": "text",
    "since": "text",
    "until": "text",
}
"""Parameters of a filter, in the order of the functions that take them."""
_ARGUMENTS = ", ".join(f"%({name})s::{of}" for name, of in _TYPES.items())


def bound() -> str:
    """The clause of a filter with its parameters bound by name."""
    names = ", ".join(f"%({name})s::{of} AS {name}" for name, of in _TYPES.items())
    return f"(SELECT {PASSES} FROM (SELECT {names}) AS given)"


def passing(which: Filter, where: Scope) -> dict[str, Any]:
    """The values of a filter's parameters; None where everything passes."""
    given: dict[str, Any] = {
        "chosen": where.chosen,
        "kinds": [one.value for one in which.kinds],
        "families": list(which.families),
        "languages": list(which.languages),
        "ids": list(which.ids),
        "tagged": folded(which.tags),
        "muted": folded(which.muted),
        "section": folded([which.section])[0],
        "state": which.status.value if which.status else "",
        "since": _day(which.since),
        "until": _day(which.until),
    }
    return {name: value or None for name, value in given.items()}


def of_then(which: Filter, period: tuple[date | None, date | None]) -> Filter:
    """The entries of a period."""
    return replace(which, since=period[0], until=period[1])


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _quoted(lexeme: str) -> str:
    """A lexeme as tsquery reads it, whatever is in it."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
