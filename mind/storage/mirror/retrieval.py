"""Retrieval from the mirror: its candidates, ranked like those of the local index."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log
from typing import TYPE_CHECKING, Any

from mind.domain.entry import Entry
from mind.ranking import (
    Candidate,
    Corpus,
    EntryText,
    Query,
    Shortlist,
    heat,
    rank,
)
from mind.storage.index import EVERY, Filter, IndexAnswer, IndexRequest, ScoredEntry
from mind.storage.index.retrieval import (
    BY_MEANING,
    BY_NAME,
    BY_WORDS,
    LEADERS,
    OF_THEN,
    POSTINGS,
    READ,
    nearness,
)
from mind.storage.index.selection import affordable, day_of, entry_of
from mind.storage.index.vectors import content_of
from mind.storage.mirror.postgres import MirrorRefused
from mind.storage.mirror.publishing import folded
from mind.storage.mirror.schema import PASSES
from mind.text.entities import phrases, scan, windows
from mind.text.secrets import mask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.storage.mirror.postgres import Connection


_GUESSED = 1_000
"""Entries per term from which table statistics replace counting. They sample 300,000 rows, so the
error is below a tenth up to some millions, and only the logarithm matters."""
_ROUGHLY = 400
"""Most matches pre-selected by rarity and length, before the best by BM25 are taken."""
_EXACT = 50_000
"""Most vectors in the searched projects that are all compared, without the HNSW graph."""
_WIDTH = 200
"""hnsw.ef_search: number of candidates the search keeps."""


@dataclass(frozen=True, slots=True)
class MirrorScope:
    """The projects to search.

    Attributes:
        team: Team of the projects.
        names: Project number → name.
        every: All of the team's projects, so that rows need no comparison with a list.
        documents: Number of entries.
        length: Total number of terms.
    """

    team: int
    names: Mapping[int, str]
    every: bool
    documents: int
    length: int

    @property
    def chosen(self) -> list[int] | None:
        """Project numbers to restrict rows to; None for all."""
        return None if self.every else list(self.names)

    @property
    def average(self) -> float:
        """Mean number of terms per entry, at least one."""
        return max(1.0, self.length / (self.documents or 1))


def scope(connection: "Connection", team: int, project: int | None) -> MirrorScope:
    """Scope of one project, or of all projects of a team."""
    rows = connection.execute(
        "SELECT number, name, documents, length FROM mind.project WHERE team = %s "
        "AND (%s::bigint IS NULL OR number = %s) ORDER BY number",
        (team, project, project),
    ).fetchall()
    return MirrorScope(
        team=team,
        names={row[0]: row[1] for row in rows},
        every=project is None,
        documents=sum(row[2] for row in rows),
        length=sum(row[3] for row in rows),
    )


def corpus_of(connection: "Connection", where: MirrorScope, lexemes: Sequence[str]) -> Corpus:
    """Statistics for ranking: number of entries, mean length, and entries per lexeme.

    Frequent lexemes use the shares that PostgreSQL last estimated for the table: for a whole team
    when many entries match, for one project beyond the lookup limit.
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
    connection: "Connection", where: MirrorScope, lexemes: Sequence[str]
) -> tuple[dict[str, int], bool]:
    """Estimate the number of entries per lexeme from table statistics.

    Returns:
        The estimates, and whether they are reliable for frequent lexemes, whose exact counts take
        longer than the rest of a search. They are not if most entries are out of scope.
    """
    if where.documents <= POSTINGS:  # no term is frequent
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
    where: MirrorScope,
    weights: Mapping[str, float],
    frequency: Mapping[str, int],
    which: Filter,
    *,
    most: int = _ROUGHLY,
) -> list[int]:
    """Numbers of entries with any of the lexemes, highest total weight first.

    As in the local index, the rarest are looked up and all of them count.
    """
    known = sorted(frequency.keys() & weights.keys(), key=lambda one: (frequency[one], one))
    taken = affordable(known, frequency, POSTINGS)
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
    """Inverse document frequency of BM25 as in FTS5: at least 1e-6."""
    return max(1e-6, log((total - count + 0.5) / (count + 0.5)))


def nearest_by(  # noqa: PLR0913, PLR0917 - the parts of one statement
    connection: "Connection",
    where: MirrorScope,
    table: str,
    vector: "NDArray[np.float32]",
    which: Filter,
    most: int,
) -> list[tuple[int, float]]:
    """(number, cosine) of entries nearest to a vector, nearest first."""
    from pgvector import HalfVector  # noqa: PLC0415 - only with a mirror

    is_exact = not where.every or where.documents <= _EXACT
    # the added 0 keeps PostgreSQL from using the HNSW index
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
"""Filter parameters, in the order of the SQL functions' arguments."""
_ARGUMENTS = ", ".join(f"%({name})s::{of}" for name, of in _TYPES.items())


def bound() -> str:
    """Filter condition with its parameters bound by name."""
    names = ", ".join(f"%({name})s::{of} AS {name}" for name, of in _TYPES.items())
    return f"(SELECT {PASSES} FROM (SELECT {names}) AS given)"


def passing(which: Filter, where: MirrorScope) -> dict[str, Any]:
    """Values of the filter's parameters; None matches everything."""
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
        "since": day_of(which.since),
        "until": day_of(which.until),
    }
    return {name: value or None for name, value in given.items()}


def _quoted(lexeme: str) -> str:
    """Lexeme quoted for tsquery."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


_SPARE = 10
"""Extra matches, because several clones may have different versions of an entry."""
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class MirrorFilter:
    """The searched part of the mirror.

    Attributes:
        scope: One project, or all of a team.
        clone: Clone whose versions are preferred; for one project, only its entries count.
        table: Vector table; "" if the query has no vector.
    """

    scope: MirrorScope
    clone: int
    table: str


@dataclass(frozen=True, slots=True)
class MirrorRow:
    """An entry of the mirror."""

    number: int
    project: int
    fits: bool
    passage: EntryText
    day: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    things: frozenset[str]
    rest: tuple[Any, ...]

    @property
    def entry(self) -> Entry:
        """The entry, with its line at the time of sending, and without credentials.

        Another Mind sent it, which may know fewer of them.

        Raises:
            MirrorRefused: Another program wrote the row, or a newer Mind.
        """
        name, kind, day, status, body, payload, *place = self.rest
        try:
            rest = json.dumps(_masked(json.loads(payload)))
            return entry_of([name, kind, day, status, mask(body), rest, *place])
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise MirrorRefused("the mirror has entries that this Mind cannot read") from error


def _masked(value: object, lead: str = "") -> object:
    """Return a value of JSON with all texts masked; a field's name may tell a secret."""
    if isinstance(value, dict):
        return {key: _masked(one, f"{key}: ") for key, one in value.items()}
    if isinstance(value, list):
        return [_masked(one, lead) for one in value]
    return mask(lead + value).removeprefix(lead) if isinstance(value, str) else value


def retrieve(
    connection: "Connection", asked: IndexRequest, where: MirrorFilter
) -> tuple[IndexAnswer, list[str]]:
    """The best entries for a request, and the name of each one's project.

    Usage, graph neighbours and other names (synonyms) are not in the mirror and are ignored.
    """
    search = _Search(connection, asked, where)
    known = search.shortlist()
    shown = list(islice(rank(asked.query, known, asked.weights), asked.limit))
    best = tuple(
        ScoredEntry(
            entry=search.rows[one.row].entry,
            ranked=one,
            places={name: of[one.row] for name, of in search.places.items() if one.row in of},
        )
        for one in shown
    )
    counts = {name: len(of) for name, of in search.places.items()}
    names = [where.scope.names.get(search.rows[one.row].project, "") for one in shown]
    return IndexAnswer(best, len(known.candidates), counts), names


class _Search:
    """State of one query: rows read, and the branches that found them."""

    def __init__(self, connection: "Connection", asked: IndexRequest, where: MirrorFilter) -> None:
        self._db = connection
        self._asked = asked
        self._where = where
        self.rows: dict[int, MirrorRow] = {}
        self._by_id: dict[tuple[int, str], MirrorRow] = {}
        self._keys: dict[int, tuple[int, str]] = {}
        self._naming: Mapping[str, int] = {}
        self.places: dict[str, dict[int, int]] = {}

    def shortlist(self) -> Shortlist:
        """Candidates with the inputs for ranking."""
        asked, scope = self._asked, self._where.scope
        query = asked.query
        corpus = corpus_of(self._db, scope, query.terms)
        things = self._things(query)
        roughly = self._by_words(corpus, asked.which)
        meaning = self._by_meaning(asked.which)
        weights = {f"={key}": value for key, value in things.items()}
        named = matching(self._db, scope, weights, self._naming, asked.which, most=BY_NAME + _SPARE)
        then = self._of_then(corpus) if query.period and (roughly or meaning or named) else []
        self._read_numbers([*roughly, *meaning, *named, *then])
        best = self._best(corpus, roughly)
        found = {"words": best, "meaning": self._own(meaning)[:BY_MEANING]}
        found["names"] = self._own(named)[:BY_NAME]
        if then:
            found["time"] = self._own(then)[:BY_WORDS]
        self.places = {
            name: {row: at for at, row in enumerate(rows, 1)} for name, rows in found.items()
        }
        numbers = list(dict.fromkeys(row for rows in found.values() for row in rows))
        candidates = self._candidates(numbers)
        return Shortlist(
            candidates=candidates,
            corpus=corpus,
            nearness=nearness(candidates, asked.sense.vector, self._vectors)
            if asked.sense and self._where.table
            else None,
            named=self._named(candidates, things) if things else None,
            standing=self._standing(candidates),
        )

    def _things(self, query: Query) -> dict[str, float]:
        """Keys of things named by both query and entries → log(1 + N/n)."""
        text = query.text[:READ]
        told = [one.key for one in scan(text) if one.kind != "start"]
        maybe = list({key for window in windows(text) for key, _, _ in window}.union(told))
        lexemes = [f"={key}" for key in maybe]
        self._naming = counts = corpus_of(self._db, self._where.scope, lexemes).frequency
        there = {one[1:] for one in counts}
        told += [key for key, _, _ in phrases(text, there)]
        total = self._where.scope.documents
        return {key: log(1 + total / counts[f"={key}"]) for key in told if f"={key}" in counts}

    def _by_words(self, corpus: Corpus, which: Filter) -> list[int]:
        weights = {
            term: rarity(corpus.documents, corpus.frequency[term])
            for term in self._asked.query.terms
            if term in corpus.frequency
        }
        return matching(self._db, self._where.scope, weights, corpus.frequency, which)

    def _by_meaning(self, which: Filter) -> list[int]:
        sense, where = self._asked.sense, self._where
        if sense is None or not where.table:
            return []
        most = BY_MEANING + _SPARE
        near = nearest_by(self._db, where.scope, where.table, sense.vector, which, most)
        return [number for number, _ in near]

    def _of_then(self, corpus: Corpus) -> list[int]:
        """Matches from the query's period, or else its latest entries."""
        then = self._asked.which.within(*(self._asked.query.period or (None, None)), None)
        found = [*self._by_words(corpus, then)[:BY_WORDS], *self._by_meaning(then)]
        if found:
            return found
        rows = self._db.execute(
            f"SELECT * FROM mind.latest({_ARGUMENTS}, %(most)s)".encode(),
            {"most": OF_THEN, **passing(then, self._where.scope)},
        )
        return [row[0] for row in rows]

    def _best(self, corpus: Corpus, roughly: Sequence[int]) -> list[int]:
        """The best by BM25 as in FTS5; ties in the order of their texts."""
        scored = []
        for number in self._own(roughly):
            passage = self.rows[number].passage
            length = _K1 * (1 - _B + _B * len(passage.terms) / (corpus.length or 1.0))
            score = sum(
                rarity(corpus.documents, corpus.frequency.get(term, 0))
                * count
                * (_K1 + 1)
                / (count + length)
                for term, count in passage.found.items()
            )
            scored.append((-score, passage.content, number))
        return [number for _, _, number in sorted(scored)[:BY_WORDS]]

    def _own(self, numbers: Sequence[int]) -> list[int]:
        """Entries without repeats, in this clone's version; for one project, only those it has."""
        keys = dict.fromkeys(self._keys.get(number) for number in numbers)
        found = [self._by_id[key] for key in keys if key in self._by_id]
        return [one.number for one in found if one.fits]

    def _read_numbers(self, numbers: Sequence[int]) -> None:
        rows = self._db.execute(
            "SELECT DISTINCT project, id FROM mind.entry WHERE team = %s AND number = ANY (%s)",
            (self._where.scope.team, list(numbers)),
        ).fetchall()
        self._read([(row[0], row[1]) for row in rows])

    def _read(self, wanted: Sequence[tuple[int, str]]) -> None:
        """Read entries by (project, id), in the preferred version."""
        fresh = [one for one in wanted if one not in self._by_id]
        if not fresh:
            return
        terms = frozenset(self._asked.query.terms)
        rows = self._db.execute(
            "SELECT e.number, e.project, e.id, EXISTS (SELECT 1 FROM mind.holding h "
            "WHERE h.clone = %(clone)s AND h.id = e.id AND h.entry = e.number) AS mine, "
            f"coalesce({bound()}, false), e.body, e.terms, e.title, e.day, e.before, "
            "e.after, e.things, e.kind, e.status, e.payload, e.line, e.start "
            "FROM unnest(%(projects)s::bigint[], %(names)s::text[]) AS w (project, id) "
            "JOIN mind.entry e ON e.project = w.project AND e.id = w.id AND e.team = %(team)s "
            "ORDER BY mine, e.number".encode(),
            {
                "clone": self._where.clone,
                "projects": [one[0] for one in fresh],
                "names": [one[1] for one in fresh],
                "team": self._where.scope.team,
                **passing(self._asked.which, self._where.scope),
            },
        ).fetchall()
        for row in rows:
            number, project, name, mine, fits, body, held, title, day = row[:9]
            self._keys[number] = project, name
            if mine or self._where.scope.every:  # the last row is preferred
                self._by_id[project, name] = self.rows[number] = MirrorRow(
                    number=number,
                    project=project,
                    fits=fits,
                    passage=EntryText(body, held.split(), title, terms, content_of(body)),
                    day=day,
                    before=tuple(row[9]),
                    after=tuple(row[10]),
                    things=frozenset(row[11]),
                    rest=(name, row[12], day, row[13], body, *row[14:17]),
                )

    def _candidates(self, numbers: Sequence[int]) -> list[Candidate]:
        """As in :mod:`mind.storage.index.retrieval`: with conversation around the first matches."""
        found = self._made(numbers)
        said = [self.rows[row] for row, one in list(found.items())[:LEADERS] if one.is_talk]
        beside = [
            key
            for one in said
            for key in [(one.project, name) for name in (*one.before[-1:], *one.after)]
        ]
        self._read(beside)
        more = [self._by_id[key].number for key in beside if key in self._by_id]
        fresh = [row for row in more if row not in found and self.rows[row].fits]
        return list({**found, **self._made(fresh)}.values())

    def _made(self, numbers: Sequence[int]) -> dict[int, Candidate]:
        rows = [self.rows[number] for number in dict.fromkeys(numbers)]
        self._read([(row.project, one) for row in rows for one in (*row.before, *row.after)])
        return {
            row.number: Candidate(
                row.number,
                row.passage,
                self._passages(row.project, row.before),
                self._passages(row.project, row.after),
                row.day,
            )
            for row in rows
        }

    def _passages(self, project: int, names: Sequence[str]) -> list[EntryText]:
        found = (self._by_id.get((project, name)) for name in names)
        return [one.passage for one in found if one]

    def _vectors(self, contents: Iterable[int]) -> "dict[int, NDArray[np.float32]]":
        import numpy as np  # noqa: PLC0415 - only with a model

        wanted = set(contents)
        of = {
            row.number: row.passage.content
            for row in self.rows.values()
            if row.passage.content in wanted
        }
        rows = self._db.execute(
            f"SELECT entry, embedding FROM mind.{self._where.table} "
            "WHERE team = %s AND entry = ANY (%s)".encode(),
            (self._where.scope.team, list(of)),
            binary=True,
        )
        return {of[row[0]]: row[1].to_numpy().astype(np.float32) for row in rows}

    def _named(self, weighed: Sequence[Candidate], things: Mapping[str, float]) -> list[float]:
        whole = sum(things.values()) or 1.0
        return [
            sum(value for key, value in things.items() if key in self.rows[one.row].things) / whole
            for one in weighed
        ]

    def _standing(self, weighed: Sequence[Candidate]) -> dict[str, list[float]]:
        """Signals from entries' own fields: importance, expiry and origin."""
        today = self._asked.today
        if today is None:
            return {}
        said = [
            heat.signals(self.rows[one.row].entry.fields, today)
            if '"fields"' in str(self.rows[one.row].rest[5])
            else {}
            for one in weighed
        ]
        names = dict.fromkeys(name for one in said for name in one)
        return {name: [one.get(name, 0.0) for one in said] for name in names}
