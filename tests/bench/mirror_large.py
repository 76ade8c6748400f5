"""A mirror with a million entries of a thousand projects: what a search costs, and what it finds.

Texts are made of words in Zipf's proportions; vectors stand around one centre for each of 2,000
topics, as those of real texts stand around theirs. Rows go in by COPY, and the indexes are built
behind them: that is how one would restore a mirror, and not how changes arrive.
"""

import random
import statistics
import time
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from mind.domain.entry import content_id
from mind.domain.settings import Settings
from mind.ranking import Query, Weights
from mind.storage.index import IndexRequest, QueryVector, Vectors
from mind.storage.mirror import postgres, publishing, retrieval, schema
from mind.storage.mirror.postgres import address
from mind.text.terms import terms
from tests.postgres import Server

DIMENSION = 384
TOPICS = 2_000
WORDS = 60_000
QUERIES = 200
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()
Floats = NDArray[np.float32]


def measure(server: Server, rows: int, projects: int) -> None:
    """Fill the mirror, and print what was measured."""
    pick = random.Random(7)
    vocabulary = ["".join(pick.choice(_SYLLABLES) for _ in range(4)) for _ in range(WORDS)]
    centres = _centres()
    with postgres.connected(address(Settings())) as db:
        schema.ensure(db, "default")
        register_vector(db)
        db.execute("SET statement_timeout = 0")
        db.execute("SET search_path = mind, public")
        began = time.perf_counter()
        profile = publishing.table_of(db, "bench", DIMENSION)
        _bare(db, profile)
        _fill(db, rows, projects, profile, vocabulary, centres)
        print(f"COPY of {rows:,} rows: {time.perf_counter() - began:.0f} s", flush=True)
        _build(db, profile)
        _sizes(db, profile)
        _near(db, profile, centres)
        _searches(db, rows, projects, profile, vocabulary, centres)


def _centres() -> Floats:
    made = np.random.default_rng(7).standard_normal((TOPICS, DIMENSION)).astype(np.float32)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / lengths, dtype=np.float32)


def _around(centres: Floats, topics: NDArray[np.int64], seed: int) -> Floats:
    """Vectors of length one whose cosine with the centre of their topic is about .7."""
    noise = np.random.default_rng(seed).standard_normal((len(topics), DIMENSION))
    made = (centres[topics] + noise.astype(np.float32) / np.sqrt(DIMENSION)).astype(np.float32)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / lengths, dtype=np.float32)


def _bare(db: "postgres.Connection", table: str) -> None:
    for name in ("entry_words", "entry_day", f"{table}_near", f"{table}_project"):
        db.execute(f"DROP INDEX mind.{name}".encode())


def _fill(  # noqa: PLR0917 - a script
    db: "postgres.Connection",
    rows: int,
    projects: int,
    table: str,
    vocabulary: Sequence[str],
    centres: Floats,
) -> None:
    row = db.execute("SELECT number FROM mind.team WHERE name = 'default'").fetchone()
    assert row is not None
    team = row[0]
    db.execute(
        b"INSERT INTO mind.project (team, key, name) "
        b"SELECT %s, 'p' || n, 'project ' || n FROM generate_series(1, %s) AS n",
        (team, projects),
    )
    db.execute(
        b"INSERT INTO mind.clone (team, project, key, place) "
        b"SELECT team, number, 'c', 'bench' FROM mind.project"
    )
    numbers = [one[0] for one in db.execute("SELECT number FROM mind.project ORDER BY number")]
    columns = (
        "team project id hash kind day status language family path line start body terms title "
        "length payload things before after tags sections words"
    ).split()
    cumulative = list(accumulate(1 / (at + 10) for at in range(WORDS)))
    with db.cursor().copy(f"COPY mind.entry ({', '.join(columns)}) FROM STDIN".encode()) as copy:
        for at in range(rows):
            copy.write_row(_entry(at, team, numbers, vocabulary, cumulative))
    db.execute(
        b"INSERT INTO mind.holding (team, clone, id, entry) SELECT e.team, c.number, e.id, "
        b"e.number FROM mind.entry e JOIN mind.clone c ON c.project = e.project"
    )
    db.execute(
        b"UPDATE mind.project p SET (documents, length) = (SELECT count(*), sum(length) "
        b"FROM mind.entry e WHERE e.project = p.number)"
    )
    first = _first(db)
    with db.cursor().copy(
        f"COPY mind.{table} (team, project, entry, embedding) "
        "FROM STDIN WITH (FORMAT BINARY)".encode()
    ) as copy:
        copy.set_types(["int4", "int8", "int8", "halfvec"])
        for start in range(0, rows, 10_000):
            size = min(10_000, rows - start)
            topics = np.random.default_rng(start).integers(0, TOPICS, size)
            made = _around(centres, topics, start + 1).astype(np.float16)
            for at in range(size):
                number = start + at
                copy.write_row(
                    (team, numbers[number % projects], first + number, HalfVector(made[at]))
                )


def _first(db: "postgres.Connection") -> int:
    row = db.execute("SELECT min(number) FROM mind.entry").fetchone()
    assert row is not None
    return int(row[0])


def _entry(
    at: int,
    team: int,
    numbers: Sequence[int],
    vocabulary: Sequence[str],
    cumulative: Sequence[float],
) -> list[Any]:
    pick = random.Random(at)
    text = " ".join(pick.choices(vocabulary, cum_weights=cumulative, k=pick.randint(8, 30)))
    held = terms(text)
    project = numbers[at % len(numbers)]
    words = " ".join(f"'{one}'" for one in {*held, f"@{project}", f"#{team}"})
    day = f"2026-{1 + at % 12:02}-{1 + at % 28:02}"
    name = f"{content_id(text)}{at}"
    return [
        *(team, project, name, f"{at:032x}", "decision", day, "", "en", "memory"),
        *(".mind/MEMORY.md", at, 0, text, " ".join(held), min(8, len(held)), len(held), "{}"),
        *([], [], [], [], [], words),
    ]


def _build(db: "postgres.Connection", table: str) -> None:
    for name, statement in (
        ("project", f"CREATE INDEX {table}_project ON mind.{table} (project)"),
        ("day", "CREATE INDEX entry_day ON mind.entry (project, day DESC)"),
        ("GIN", "CREATE INDEX entry_words ON mind.entry USING gin (words)"),
        (
            "HNSW",
            f"CREATE INDEX {table}_near ON mind.{table} USING hnsw (embedding halfvec_cosine_ops)",
        ),
        ("ANALYZE", "ANALYZE mind.entry"),
        ("ANALYZE vectors", f"ANALYZE mind.{table}"),
    ):
        began = time.perf_counter()
        db.execute(statement.encode())
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


def _sizes(db: "postgres.Connection", table: str) -> None:
    for name in ("entry", "holding", table, "entry_words", f"{table}_near"):
        row = db.execute(
            f"SELECT pg_size_pretty(pg_table_size('mind.{name}')), "
            f"pg_size_pretty(pg_total_relation_size('mind.{name}'))".encode()
        ).fetchone()
        print(f"size of {name}: {row}", flush=True)


def _near(db: "postgres.Connection", table: str, centres: Floats) -> None:
    """Recall of the graph's ten nearest against all vectors compared, and what either takes."""
    topics = np.random.default_rng(99).integers(0, TOPICS, 50)
    asked = _around(centres, topics, 98)
    exact: list[set[int]] = []
    took: list[float] = []
    with db.transaction():
        db.execute("SET LOCAL enable_indexscan = off")
        for one in asked:
            began = time.perf_counter()
            exact.append(_nearest(db, table, one))
            took.append(time.perf_counter() - began)
    print(f"all compared: p50 {statistics.median(took) * 1e3:.0f} ms", flush=True)
    for width in (40, 100, 200, 400):
        took, shares = [], []
        with db.transaction():
            db.execute(f"SET LOCAL hnsw.ef_search = {width}".encode())
            db.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            for one, right in zip(asked, exact, strict=True):
                began = time.perf_counter()
                found = _nearest(db, table, one)
                took.append(time.perf_counter() - began)
                shares.append(len(found & right) / len(right))
        print(
            f"ef_search {width}: recall@10 {statistics.mean(shares):.3f}, "
            f"p50 {statistics.median(took) * 1e3:.1f} ms, p95 {_p95(took):.1f} ms",
            flush=True,
        )


def _nearest(db: "postgres.Connection", table: str, vector: Floats) -> set[int]:
    rows = db.execute(
        f"SELECT entry FROM mind.{table} ORDER BY embedding <=> %s LIMIT 10".encode(),
        (HalfVector(vector),),
        prepare=False,  # a plan that was made with other settings would stay
    )
    return {row[0] for row in rows}


def _searches(  # noqa: PLR0917 - a script
    db: "postgres.Connection",
    rows: int,
    projects: int,
    table: str,
    vocabulary: Sequence[str],
    centres: Floats,
) -> None:
    """Whole searches as `mind search --mirror` makes them, one after another and four at once."""
    row = db.execute("SELECT number FROM mind.team WHERE name = 'default'").fetchone()
    assert row is not None
    team = row[0]
    pick = random.Random(5)
    cumulative = list(accumulate(1 / (at + 10) for at in range(WORDS)))
    texts = [
        " ".join(pick.choices(vocabulary, cum_weights=cumulative, k=pick.randint(2, 8)))
        for _ in range(QUERIES)
    ]
    vectors = _around(centres, np.random.default_rng(3).integers(0, TOPICS, QUERIES), 4)
    some = db.execute("SELECT number FROM mind.project ORDER BY random() LIMIT 1").fetchone()
    assert some is not None
    for name, project in (("one project", some[0]), ("all projects", None)):
        whole = retrieval.scope(db, team, project)
        clone = db.execute(
            "SELECT number FROM mind.clone WHERE project = %s", (some[0],)
        ).fetchone()
        assert clone is not None
        where = retrieval.MirrorFilter(whole, clone[0], table)
        took = [
            _timed(db, Query(text), vector, where)
            for text, vector in zip(texts, vectors, strict=True)
        ]
        print(
            f"search, {name} ({whole.documents:,} entries): p50 "
            f"{statistics.median(took) * 1e3:.0f} ms, p95 {_p95(took):.0f} ms",
            flush=True,
        )


def _timed(
    db: "postgres.Connection", query: Query, vector: Floats, where: retrieval.MirrorFilter
) -> float:
    began = time.perf_counter()
    sense = QueryVector(vector, Vectors("bench"))
    retrieval.retrieve(db, IndexRequest(query=query, weights=Weights(), sense=sense), where)
    return time.perf_counter() - began


def _p95(took: Sequence[float]) -> float:
    return statistics.quantiles(took, n=20)[18] * 1e3
