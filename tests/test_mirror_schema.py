"""The schema of the mirror: made once, by whoever comes first, and closed to other teams."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import date
from typing import Any

import psycopg
import pytest

from mind.domain.entry import Kind, Status
from mind.domain.errors import MirrorError
from mind.domain.settings import Settings
from mind.memory import mirror
from mind.memory.memory import Memory
from mind.storage.index.selection import Filter
from mind.storage.mirror import retrieval, schema
from mind.storage.mirror.postgres import address, connected
from mind.text.terms import terms
from tests.postgres import Database

pytestmark = pytest.mark.xdist_group("postgres")
TABLES = ("project", "clone", "entry", "holding")


def made(database: Database, team: str = "default") -> None:
    with connected(address(Settings())) as connection:
        schema.ensure(connection, team)


def catalogue(database: Database) -> list[tuple[object, ...]]:
    return database.run(
        "SELECT c.oid, relname, relkind FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace WHERE nspname = 'mind' ORDER BY 1"
    )


def drain(memory: Memory) -> mirror.SendResult:
    return mirror.drain(memory.project, memory.index, memory.meaning)


def as_role(database: Database, role: str) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(database.dsn(role), autocommit=True)


def test_making_it_again_changes_nothing(database: Database) -> None:
    made(database)
    before = catalogue(database)
    made(database)
    assert catalogue(database) == before
    assert database.run("SELECT number FROM mind.version") == [(schema.VERSION,)]


def test_clients_that_start_at_once_make_it_once(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(made, [database] * 8))
    assert database.run("SELECT number FROM mind.version") == [(schema.VERSION,)]
    assert database.run("SELECT name FROM mind.team") == [("default",)]


def test_profiles_that_are_added_at_once_are_one_table(database: Database) -> None:
    made(database)

    def add(_at: int) -> object:
        with connected(address(Settings())) as connection:
            return connection.execute("SELECT mind.add_profile('m', 8)").fetchone()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(add, range(8)))) == 1
    with (
        pytest.raises(MirrorError, match="another dimension"),
        connected(address(Settings())) as connection,
    ):
        connection.execute("SELECT mind.add_profile('m', 9)")


def test_a_newer_schema_is_left_alone(database: Database, mirrored: Memory) -> None:
    made(database)
    database.run(f"INSERT INTO mind.version (number) VALUES ({schema.VERSION + 1})")
    with pytest.raises(MirrorError, match="Install the newer Mind"):
        drain(mirrored)


def test_dropped_tables_come_back_with_members_and_entries(
    database: Database, mirrored: Memory
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    role = database.login("anna")
    database.run(f"SELECT mind.admit('{role}', 'default')")
    database.run("DROP TABLE mind.holding; DROP TABLE mind.entry CASCADE")
    drain(mirrored)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact
    with as_role(database, role) as anna:
        assert anna.execute("SELECT count(*) FROM mind.entry").fetchone() == (1,)
    for damage in (
        "DELETE FROM mind.version",
        "DROP TABLE mind.version",
        "DROP SCHEMA mind CASCADE",
    ):
        database.run(damage)
        drain(mirrored)
        assert mirror.verify(mirrored.project, mirrored.meaning).is_exact, damage


def test_a_server_without_pgvector_is_named(
    database: Database, mirrored: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "EXTENSION", "of_nobody")
    with pytest.raises(MirrorError, match="has no pgvector") as caught:
        drain(mirrored)
    assert caught.value.remedy.startswith("Install pgvector 0.8 or later on the server")


@pytest.mark.parametrize(
    ("made_by_others", "named"),
    [
        ("CREATE TABLE mind.precious AS SELECT 1 AS one", "precious"),
        ("CREATE TABLE mind.project AS SELECT 1 AS one", "project"),
        ("CREATE TABLE mind.version AS SELECT 1 AS one", "version"),
        ("CREATE TABLE mind.vector_1 AS SELECT 1 AS one", "vector_1"),
        ("CREATE VIEW mind.precious AS SELECT 1 AS one", "precious"),
        ("CREATE VIEW mind.profile AS SELECT 1 AS number, '' AS name, 8 AS dimension", "profile"),
        ("CREATE MATERIALIZED VIEW mind.precious AS SELECT 1 AS one", "precious"),
        ("CREATE TABLE mind.entry (one int) PARTITION BY LIST (one)", "entry"),
        ("CREATE SEQUENCE mind.precious", "precious"),
        ("CREATE TYPE mind.precious AS (one int)", "precious"),
    ],
)
def test_tables_of_somebody_else_are_not_dropped(
    made_by_others: str, named: str, database: Database, mirrored: Memory
) -> None:
    database.run(f"CREATE SCHEMA mind; {made_by_others}")
    before = catalogue(database)
    with pytest.raises(MirrorError, match=f"tables that Mind did not make: {named}"):
        drain(mirrored)
    assert catalogue(database) == before


def test_what_others_made_beside_the_tables_outlives_their_repair(
    database: Database, mirrored: Memory
) -> None:
    """Their vectors too, which need pgvector, although Mind installed it."""
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    database.run(
        "CREATE FUNCTION mind.precious() RETURNS int LANGUAGE sql AS 'SELECT 7';"
        "CREATE TABLE public.pictures AS SELECT '[1,2]'::mind.vector AS one"
    )
    database.run("DROP TABLE mind.holding")
    drain(mirrored)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact
    assert database.run("SELECT mind.precious(), one::text FROM pictures") == [(7, "[1,2]")]


def test_a_view_of_the_tables_is_not_dropped_with_them(
    database: Database, mirrored: Memory
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    database.run("CREATE VIEW public.report AS SELECT body FROM mind.entry")
    database.run("DROP TABLE mind.holding")
    with pytest.raises(MirrorError, match="view report depends on table") as caught:
        drain(mirrored)
    assert "Drop or move that" in caught.value.remedy
    assert database.run("SELECT body FROM report") == [("redis holds the queue",)]
    database.run("DROP VIEW report")
    drain(mirrored)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact


def test_a_team_sees_nothing_of_another(
    database: Database, mirrored: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    role = database.login("bert")
    database.run(f"SELECT mind.admit('{role}', 'other')")
    with as_role(database, role) as bert:
        for table in (*TABLES, "team"):
            found = bert.execute(f"SELECT * FROM mind.{table}").fetchall()
            assert table == "team" or found == []
        assert bert.execute("SELECT name FROM mind.team").fetchall() == [("other",)]
        counts = bert.execute(
            "SELECT mind.frequency(ARRAY['redi'::tsquery], 1, NULL, 10) "
            "|| mind.frequency(ARRAY['redi'::tsquery], 1, ARRAY[1], 10)"
            "|| mind.frequency(ARRAY['redi'::tsquery], 2, ARRAY[1], 10)"
        ).fetchone()
        assert counts == ([0, 0, 0],)
        nothing = ", ".join(["NULL"] * 11)
        for of in ("1, NULL", "1, ARRAY[1]", "2, ARRAY[1]"):
            found = bert.execute(
                "SELECT * FROM mind.matching('redi', ARRAY['redi'::tsquery], ARRAY[1.0], 10, "
                f"{of}, {', '.join(['NULL'] * 10)}, 10)"
            ).fetchall()
            assert found == []
        assert bert.execute(f"SELECT * FROM mind.latest({nothing}, 10)").fetchall() == []
        for statement in (
            "UPDATE mind.entry SET body = 'x'",
            "DELETE FROM mind.holding",
            "DELETE FROM mind.project",
        ):
            assert bert.execute(statement).rowcount == 0
        for statement in (
            "INSERT INTO mind.project (team, key, name) VALUES (1, 'x', 'x')",
            "INSERT INTO mind.clone (team, project, key, place) VALUES (2, 1, 'x', 'x')",
            "SELECT * FROM mind.member",
            "SELECT mind.admit(session_user, 'default')",
            "CREATE TABLE mind.mine (x int)",
            "DROP TABLE mind.entry",
            "ALTER TABLE mind.entry DISABLE ROW LEVEL SECURITY",
        ):
            with pytest.raises(psycopg.Error):
                bert.execute(statement)
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact
    monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn(role))
    with pytest.raises(MirrorError, match="no member of the team 'default'"):
        drain(mirrored)


def test_a_member_needs_no_right_but_those_of_its_team(
    database: Database, mirrored: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(database)
    role = database.login("carla")
    monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn(role))
    with pytest.raises(MirrorError, match="SELECT mind.admit"):
        drain(mirrored)
    database.run(f"SELECT mind.admit('{role}', 'default')")
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    found = mirrored.search("redis", mirror=True)
    assert found.mirrored, found.fallback
    assert mirror.verify(mirrored.project, mirrored.meaning).is_exact
    with connected(address(Settings())) as connection:
        connection.execute("SELECT mind.add_profile('a model', 8)")
        rows = connection.execute("SELECT count(*) FROM mind.vector_1").fetchone()
        assert rows == (0,)
    database.run(f"SELECT mind.dismiss('{role}', 'default')")
    assert not mirrored.search("redis", mirror=True).mirrored


def test_somebody_without_rights_is_told_whom_to_ask(
    database: Database, mirrored: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIND_MIRROR_DSN", database.dsn(database.login("dora")))
    with pytest.raises(MirrorError, match="Ask the owner"):
        drain(mirrored)


def test_teams_that_the_owner_names_are_founded(database: Database, mirrored: Memory) -> None:
    made(database)
    mirrored.configure("mirror.team", "payments")
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    assert database.run(
        "SELECT t.name FROM mind.project p JOIN mind.team t ON t.number = p.team"
    ) == [("payments",)]


def test_many_entries_are_found_by_the_graph_of_vectors(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past some size not every vector is compared; what stands out is found all the same."""
    np = pytest.importorskip("numpy")
    from mind.storage.index import EVERY
    from mind.storage.mirror.postgres import know_vectors

    monkeypatch.setattr(retrieval, "_EXACT", 0)
    made(database)
    with connected(address(Settings())) as connection:
        know_vectors(connection)
        connection.execute("SELECT mind.add_profile('m', 8)")
        connection.execute("INSERT INTO mind.project (team, key, name) VALUES (1, 'p', 'p')")
        connection.execute(
            "INSERT INTO mind.entry (team, project, id, hash, kind, day, status, language, family,"
            "path, line, start, body, terms, title, length, payload, things, before, after, tags,"
            "sections, words) SELECT 1, 1, n::text, 'h', 'decision', '', '', 'en', 'memory', 'p',"
            "1, 0, '', '', 0, 0, '{}', '{}', '{}', '{}', '{}', '{}', '' FROM generate_series(1, "
            "2000) AS n"
        )
        connection.execute(
            "INSERT INTO mind.vector_1 SELECT 1, 1, number, ARRAY[sin(number), cos(number), "
            "sin(2 * number), 1, 0, 0, 0, 0]::real[]::halfvec FROM mind.entry"
        )
        where = retrieval.scope(connection, 1, None)
        wanted = np.array([np.sin(77), np.cos(77), np.sin(154), 1, 0, 0, 0, 0], dtype=np.float32)
        found = retrieval.nearest_by(connection, where, "vector_1", wanted, EVERY, 3)
        assert found[0][0] == 77
        assert len(found) == 3


def test_common_words_are_counted_only_where_statistics_do_not_tell(
    mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(12):
        mirrored.log(f"the queue {at} holds jobs of service number {at}", "decision")
    drain(mirrored)
    [queue] = terms("queue")
    monkeypatch.setattr(retrieval, "POSTINGS", 3)
    monkeypatch.setattr(retrieval, "_GUESSED", 4)
    with connected(address(Settings())) as connection:
        whole = retrieval.scope(connection, 1, None)
        asked = (queue, "unheard")
        assert retrieval.corpus_of(connection, whole, asked).frequency == {queue: 4}  # 4 or more
        connection.execute("ANALYZE mind.entry")
        assert retrieval.corpus_of(connection, whole, asked).frequency == {queue: 12}
        of_others = replace(whole, documents=5)  # a team that has less than half of the entries
        assert retrieval.corpus_of(connection, of_others, asked).frequency == {queue: 5}
        database.run("DELETE FROM mind.holding; DELETE FROM mind.entry")
        assert retrieval.corpus_of(connection, whole, (queue,)).frequency == {queue: 12}
        assert retrieval.corpus_of(connection, of_others, (queue,)).frequency == {}
        few = replace(whole, documents=3)
        assert retrieval.corpus_of(connection, few, (queue,)).frequency == {}


def test_every_filter_reaches_the_mirror() -> None:
    """One without a parameter would be ignored, and the mirror would return what it excludes."""
    given: dict[str, Any] = {
        "kinds": (Kind.GOAL,), "families": ("git",), "since": date(2026, 1, 2),
        "until": date(2026, 1, 2), "status": Status.OPEN, "tags": ("a",), "section": "a",
        "ids": ("a",), "muted": ("a",), "languages": ("de",),
    }  # fmt: skip
    where = retrieval.MirrorScope(team=1, names={}, every=True, documents=0, length=0)
    none = retrieval.passing(Filter(), where)
    for one in fields(Filter):
        if one.compare:
            assert retrieval.passing(Filter(**{one.name: given[one.name]}), where) != none, one.name
