"""The mirror in a real PostgreSQL: what is sent, what is found, and that it equals the files."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from mind.domain.errors import MirrorError
from mind.memory import mirror
from mind.memory.memory import Memory
from mind.setup import doctor, install
from mind.storage.index import Index
from mind.storage.mirror import publishing
from mind.storage.project import Project
from tests import tiny_bert
from tests.conftest import Clock
from tests.postgres import Database

pytestmark = pytest.mark.xdist_group("postgres")
Run = Callable[..., tuple[int, str, str]]


def drain(memory: Memory) -> mirror.SendResult:
    return mirror.drain(memory.project, memory.index, memory.meaning)


def is_exact(memory: Memory) -> bool:
    return mirror.verify(memory.project, memory.meaning).is_exact


def texts(database: Database) -> set[str]:
    return {row[0] for row in database.run("SELECT body FROM mind.entry")}


def elsewhere(memory: Memory, folder: Path, clock: Clock) -> Memory:
    """The same project in another folder, which its user mirrors too."""
    root = folder / memory.project.root.name
    shutil.copytree(memory.project.root, root, ignore=shutil.ignore_patterns("cache"))
    return Memory(mirror.choose(Project(root)), clock=clock)


def with_a_model(home: Path, memory: Memory, folder: Path) -> None:
    from mind.search.embedding import models

    models.add(home / ".mind", str(tiny_bert.write(folder / "tiny")), "tiny")
    memory.build_index()


def test_what_was_written_is_there_after_a_sync(mirrored: Memory, database: Database) -> None:
    mirrored.log("redis holds the queue", "decision")
    mirrored.log("tests are slow on macOS", "problem")
    done = drain(mirrored)
    assert (done.sent, done.pending, done.first) == (2, 0, True)
    assert texts(database) == {"redis holds the queue", "tests are slow on macOS"}
    assert is_exact(mirrored)
    again = drain(mirrored)
    assert (again.sent, again.compared) == (0, False)


def test_what_is_edited_forgotten_or_restored_follows(mirrored: Memory, database: Database) -> None:
    first = mirrored.log("redis holds the queue", "decision").entry
    mirrored.log("tests are slow on macOS", "problem")
    drain(mirrored)
    mirrored.forget(first.id, "over")
    path = mirrored.project.memory
    path.write_text(path.read_text(encoding="utf-8").replace("slow", "fast"), encoding="utf-8")
    assert not is_exact(mirrored)
    drain(mirrored)
    assert texts(database) == {"tests are fast on macOS"}
    assert is_exact(mirrored)
    mirrored.restore(first.id)
    drain(mirrored)
    assert "redis holds the queue" in texts(database)
    assert is_exact(mirrored)


def test_a_deleted_cache_costs_one_comparison_and_no_row(
    mirrored: Memory, database: Database
) -> None:
    for at in range(5):
        mirrored.log(f"the service number {at} listens on port 80{at}", "learning")
    drain(mirrored)
    mirrored.log("one more that waits for the mirror", "decision")
    mirrored.close()
    shutil.rmtree(mirrored.project.cache)
    done = drain(mirrored)
    assert done.compared
    assert done.sent <= 3  # the new one, and those that it stands behind
    assert is_exact(mirrored)


def test_a_mirror_that_somebody_changed_is_seen_and_mended(
    mirrored: Memory, database: Database
) -> None:
    kept = mirrored.log("redis holds the queue", "decision").entry
    lost = mirrored.log("tests are slow on macOS", "problem").entry
    drain(mirrored)
    database.run(f"UPDATE mind.entry SET body = 'nonsense' WHERE id = '{kept.id}'")
    database.run(f"DELETE FROM mind.holding WHERE id = '{lost.id}'")
    found = mirror.verify(mirrored.project, mirrored.meaning)
    assert (found.different, found.missing) == ((kept.id,), (lost.id,))
    mirror.rebuild(mirrored.project, mirrored.index)
    drain(mirrored)
    assert is_exact(mirrored)


def test_clones_of_a_project_share_it_and_each_equals_its_files(
    mirrored: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    other = elsewhere(mirrored, tmp_path_factory.mktemp("other"), clock)
    other.log("only this clone knows of kafka", "decision")
    assert not drain(other).first
    assert database.run("SELECT count(*) FROM mind.project") == [(1,)]
    assert len(texts(database)) == 2
    assert is_exact(mirrored)
    assert is_exact(other)
    hits = mirrored.search("redis kafka", mirror=True).hits
    assert [hit.entry.text for hit in hits] == ["redis holds the queue"]
    for one in (mirrored, other):
        one.forget(one.search("redis").hits[0].entry.id, "over")
        drain(one)
        assert is_exact(one)
    assert texts(database) == {"only this clone knows of kafka"}
    mirror.rebuild(mirrored.project, mirrored.index, every_clone=True)
    assert texts(database) == set()
    assert drain(other).sent == 1
    assert is_exact(other)
    other.close()


def test_a_project_keeps_the_name_of_its_first_clone_until_a_setting_changes_it(
    mirrored: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    root = tmp_path_factory.mktemp("x") / "a-folder-for-one-fix"
    shutil.copytree(mirrored.project.root, root, ignore=shutil.ignore_patterns("cache"))

    def shown() -> set[str]:
        found = mirrored.search("queue", mirror=True, everywhere=True)
        assert found.mirrored, found.fallback
        return {hit.project for hit in found.hits}

    with closing(Memory(mirror.choose(Project(root)), clock=clock)) as other:
        drain(other)
        assert shown() == {mirrored.project.name}
        other.configure("mirror.name", " \n")
        drain(other)
        assert shown() == {mirrored.project.name}
        other.configure("mirror.name", f"payments\n{'x' * 5_000}")
        drain(other)
        assert shown() == {f"payments {'x' * 71}"}
        other.configure("mirror.name", "payments")
        drain(other)
        assert shown() == {"payments"}
    drain(mirrored)
    assert shown() == {"payments"}


def test_projects_of_the_same_name_are_two_and_are_searched_as_one(
    mirrored: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    root = tmp_path_factory.mktemp("x") / mirrored.project.root.name
    root.mkdir()
    install.apply(install.plan(root))
    other = Memory(mirror.choose(Project(root)), clock=clock)
    other.log("rabbit holds the queue", "decision")
    drain(other)
    assert database.run("SELECT count(*) FROM mind.project") == [(2,)]
    here = mirrored.search("queue", mirror=True)
    assert [hit.entry.text for hit in here.hits] == ["redis holds the queue"]
    everywhere = mirrored.search("queue", mirror=True, everywhere=True)
    found = {hit.entry.text for hit in everywhere.hits}
    assert found == {"redis holds the queue", "rabbit holds the queue"}
    assert all(hit.project for hit in everywhere.hits)
    other.close()


def test_no_note_of_one_project_puts_one_of_another_right(
    mirrored: Memory, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    mirrored.log("The auth service listens on port 8443 in the cluster.", "decision")
    drain(mirrored)
    root = tmp_path_factory.mktemp("x") / mirrored.project.root.name
    root.mkdir()
    install.apply(install.plan(root))
    with closing(Memory(mirror.choose(Project(root)), clock=clock)) as other:
        clock.forward(days=1)
        moved = "The auth service moved to port 9443 in the cluster."
        other.log(moved, "decision")
        drain(other)
    query = "which port has the auth service"
    hits = mirrored.search(query, mirror=True, everywhere=True).hits
    assert len(hits) == 2
    assert [hit.stale for hit in hits] == [(), ()]
    mirrored.log(moved, "decision")
    drain(mirrored)
    assert mirrored.search(query, mirror=True).hits[1].stale


def test_vectors_go_along_and_are_searched(
    home: Path, mirrored: Memory, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for text in ("redis holds the queue", "tests are slow on macOS", "the build needs node 22"):
        mirrored.log(text, "decision")
    with_a_model(home, mirrored, tmp_path_factory.mktemp("model"))
    assert drain(mirrored).profile
    found = mirror.verify(mirrored.project, mirrored.meaning)
    assert found.is_exact
    assert found.vectors == found.entries == 3
    there = mirrored.search("redis queue", mirror=True)
    here = mirrored.search("redis queue", mirror=False)
    assert there.mirrored, there.fallback
    assert not there.lexical_only
    assert [hit.entry for hit in there.hits] == [hit.entry for hit in here.hits]
    everywhere = mirrored.search("redis queue", mirror=True, everywhere=True)
    assert everywhere.hits[0].entry.id == here.hits[0].entry.id


def test_entries_of_another_model_are_found_by_their_words_and_that_is_told(  # noqa: PLR0917
    mirrored: Memory,
    home: Path,
    here: Project,
    mind: Run,
    database: Database,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    with_a_model(home, mirrored, tmp_path_factory.mktemp("model"))
    found = mirrored.search("redis", mirror=True)
    assert not found.mirrored
    assert "the mirror has no vectors of" in found.fallback
    assert [hit.entry.text for hit in found.hits] == ["redis holds the queue"]
    assert "1 entries have none" in mind("mirror", "status")[1]
    assert drain(mirrored).sent == 1
    assert mirror.verify(mirrored.project, mirrored.meaning).vectors == 1


QUERIES = [
    "queue kind:decision",
    "queue since:2026-01-01 until:2026-12-31",
    "queue since:2027-01-01",
    "queue tag:infra",
    "queue status:open",
    "queue lang:en",
    "queue what did we decide last week",
    "the `run_queue` function in src/queue.py",
    "it's a 'quoted' \\ query & (odd | !)",
    "'''' \\\\ : * <-> @1 #1 =x",
    "queue order:newest",
]


@pytest.mark.parametrize("query", QUERIES)
def test_both_searches_answer_alike(mirrored: Memory, database: Database, query: str) -> None:
    for at, text in enumerate(
        (
            "redis holds the queue #infra",
            "the queue is emptied by `run_queue` in src/queue.py",
            "tests of the queue are slow",
            "rabbit was tried for the queue",
            "it's quoted and odd",
            "node 22 builds the page",
        )
    ):
        mirrored.log(text, ("decision", "learning", "problem")[at % 3])
    drain(mirrored)
    here, there = (mirrored.search(query, mirror=one) for one in (False, True))
    assert there.mirrored, there.fallback
    assert {hit.entry.id for hit in there.hits} == {hit.entry.id for hit in here.hits}


def test_a_mirror_that_is_behind_does_not_answer(mirrored: Memory, database: Database) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    mirrored.log("rabbit was tried for the queue", "learning")
    found = mirrored.search("queue", mirror=True)
    assert not found.mirrored
    assert "behind the files" in found.fallback
    assert len(found.hits) == 2
    assert "no words" in mirrored.search("kind:decision", mirror=True).fallback


def test_a_setting_has_every_search_go_through_the_mirror(
    mirrored: Memory, database: Database
) -> None:
    mirrored.log("redis holds the queue", "decision")
    drain(mirrored)
    assert not mirrored.search("redis").mirrored
    mirrored.configure("mirror.search", "true")
    assert mirrored.search("redis").mirrored


def test_first_syncs_at_once_agree_on_names(
    memory: Memory, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> None:
    others = [Project(tmp_path_factory.mktemp(f"other{at}")) for at in range(3)]
    for one in others:
        install.apply(install.plan(one.root))
    every = [memory.project] * 4 + others
    with ThreadPoolExecutor(len(every)) as pool:
        chosen = list(pool.map(mirror.choose, [one.anew() for one in every]))
    assert len({one.settings.mirror_project for one in chosen[:4]}) == 1
    assert all(publishing.is_chosen(one) for one in chosen)


def test_a_project_is_not_sent_by_rebuilding_what_never_was(
    here: Project, mind: Run, database: Database
) -> None:
    mind("log", "redis holds the queue", "--type", "decision")
    code, _, err = mind("mirror", "rebuild")
    assert (code, "this project is not mirrored" in err) == (1, True)
    assert database.run("SELECT to_regclass('mind.entry')") == [(None,)]
    assert "mirror" not in here.config.read_text(encoding="utf-8")


def test_nothing_leaves_a_project_whose_user_did_not_choose_it(
    memory: Memory, database: Database
) -> None:
    memory.configure("mirror.project", "of-somebody-else")
    memory.log("redis holds the queue", "decision")
    drainer = mirror.OutboxSender()
    assert drainer.step(memory.project, memory.meaning, lambda: True) is None
    assert database.run("SELECT to_regclass('mind.entry')") == [(None,)]
    assert memory.search("redis", mirror=True).fallback == "this project is not mirrored"


def test_a_long_queue_is_told_at_the_start_of_work_and_not_in_the_block(
    mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirrored.log("redis holds the queue", "decision")
    before = mirrored.recall()
    assert not any("mirror" in one for one in before.problems)
    with monkeypatch.context() as patch:
        patch.setattr(mirror, "MOST_PENDING", 1)
        after = mirrored.recall()
        assert any("wait for the mirror" in one for one in after.problems)
        assert any("wait for the mirror" in one for one in mirrored.status().problems)
        assert after.context == before.context
    with monkeypatch.context() as patch:
        patch.setattr(mirror, "LONGEST_SECONDS", 0.0)
        assert any("an hour or more" in one for one in mirrored.recall().problems)
        checks = doctor.examine(mirrored.project.root, quick=True)
        assert "an hour or more" in next(one.detail for one in checks if one.name == "mirror")
    drain(mirrored)
    assert not any("mirror" in one for one in mirrored.recall().problems)
    checks = doctor.examine(mirrored.project.root, quick=True)
    assert "up to date" in next(one.detail for one in checks if one.name == "mirror")


def test_a_row_that_is_refused_holds_nothing_up(mirrored: Memory, database: Database) -> None:
    mirrored.log("a first one", "decision")
    drain(mirrored)
    database.run(
        "CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF NEW.body LIKE '%poison%' THEN RAISE EXCEPTION 'indigestible'; END IF; "
        "RETURN NEW; END $$; CREATE TRIGGER poison BEFORE INSERT ON mind.entry "
        "FOR EACH ROW EXECUTE FUNCTION poison()"
    )
    for text in ("good before it", "poison in between", "good behind it"):
        mirrored.log(text, "decision")
    done = drain(mirrored)
    assert done.pending == 1
    assert set(done.refused) == {"the mirror: indigestible"}
    backlog = mirrored.index.outbox.backlog()
    assert (backlog.failed, backlog.attempts) == (1, 1)
    assert any("indigestible" in one for one in mirrored.recall().problems)
    assert {"good before it", "good behind it"} < texts(database)
    database.run("DROP TRIGGER poison ON mind.entry")
    [waiting] = mirrored.index.outbox.batch(10, 1e12)
    mirrored.index.outbox.refused(waiting.number, "again", 0)
    drain(mirrored)
    assert is_exact(mirrored)


def test_pauses_grow_from_one_second_to_thirty() -> None:
    for failures, longest in ((0, 1), (1, 2), (3, 8), (5, 30), (50, 30)):
        assert all(longest / 2 <= mirror.pause(failures) <= longest for _ in range(50))


def test_the_commands_from_the_first_sync_to_a_comparison(
    here: Project, mind: Run, database: Database, tmp_path: Path
) -> None:
    assert "this project is not mirrored" in mind("mirror", "status")[1]
    mind("log", "redis holds the queue", "--type", "decision")
    code, out, err = mind("mirror", "sync")
    assert code == 0
    assert "1 changes sent; 0 pending." in out
    assert "Commit .mind/config.json" in out
    assert "no embedding model" in err
    assert json.loads(here.config.read_text(encoding="utf-8"))["mirror"]["project"]
    assert "1 of 1 entries" in mind("mirror", "status")[1]
    assert json.loads(mind("mirror", "status", "--json")[1])["held"] == 1
    queries = tmp_path / "queries.txt"
    queries.write_text("redis\n\nqueue\n", encoding="utf-8")
    code, out, _ = mind("mirror", "verify", "--parity", str(queries))
    assert (code, "mean Jaccard similarity 1.000 over 2 queries" in out) == (0, True)
    assert "redis holds the queue" in mind("search", "--mirror", "redis")[1]
    database.run("DELETE FROM mind.holding")
    code, out, _ = mind("mirror", "verify")
    assert (code, "1 missing in the mirror" in out) == (1, True)
    code, out, _ = mind("mirror", "rebuild", "--json")
    assert (code, json.loads(out)["sent"]) == (0, 1)
    code, out, _ = mind("mirror", "verify", "--json")
    assert (code, json.loads(out)["verified"]["missing"]) == (0, [])
    code, _, err = mind("mirror", "verify", "--parity", str(tmp_path))
    assert (code, "cannot be read" in err) == (2, True)


def test_without_a_mirror_the_commands_say_how_to_have_one(here: Project, mind: Run) -> None:
    code, out, _ = mind("mirror", "status")
    assert (code, "mirror.dsn" in out) == (0, True)
    code, _, err = mind("mirror", "sync")
    assert (code, "no mirror is configured" in err) == (2, True)
    assert "mirror" not in here.config.read_text(encoding="utf-8")
    assert "Searched locally, not in the mirror" in mind("search", "--mirror", "redis")[2]


def test_a_refused_connection_names_where_user_and_password_come_from(
    mirrored: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIND_MIRROR_DSN", database.server.dsn("nowhere", "nobody"))
    with pytest.raises(MirrorError, match="nobody|nowhere") as caught:
        drain(mirrored)
    assert "user and password in mirror.dsn, MIND_MIRROR_DSN or ~/.pgpass" in caught.value.remedy


def test_verifying_what_was_never_sent_says_so(mirrored: Memory, database: Database) -> None:
    with pytest.raises(MirrorError, match="mind mirror sync"):
        mirror.verify(mirrored.project, mirrored.meaning)


def test_the_machine_and_its_folders_are_the_users_alone(mirrored: Memory, home: Path) -> None:
    path = home / ".mind" / "mirror.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert publishing.is_chosen(mirrored.project)
    before = path.read_bytes()
    publishing.choose(mirrored.project)
    assert path.read_bytes() == before
    path.write_text("[]", encoding="utf-8")
    assert not publishing.is_chosen(mirrored.project)


def test_an_index_in_memory_queues_nothing_to_be_told(mirrored: Memory) -> None:
    unkept = Index(None)
    assert mirror.warnings(mirrored.project, unkept) == ()
    unkept.close()
