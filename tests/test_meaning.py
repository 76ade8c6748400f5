"""Search by meaning: what it finds, when it goes without, and that nothing waits for it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from mind.domain.errors import MindError
from mind.domain.settings import Settings
from mind.memory import sync
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.search.results import SearchResult
from mind.search.semantic import LOADING, NO_MODEL, OFF, UNKEPT, UNMADE, ProjectVectors
from mind.setup import install
from mind.storage.index import Index
from mind.storage.project import Project
from tests import tiny_bert
from tests.bench.servers import Server


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, minilm: Path) -> Path:
    """A user with all-MiniLM-L6-v2."""
    monkeypatch.setenv("MIND_HOME", str(minilm))
    return minilm


@pytest.fixture
def tiny(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a model of a few random weights, which is fast."""
    home = tmp_path_factory.mktemp("user")
    files = tiny_bert.write(tmp_path_factory.mktemp("files") / "tiny", limit=12)
    models.add(home, str(files))
    monkeypatch.setenv("MIND_HOME", str(home))
    return home


@pytest.fixture
def index(tiny: Path, memory: Memory) -> Iterator[Index]:
    """The index of a project with two entries."""
    memory.log("Chose SQLite for the cache", "decision")
    memory.log("Login fails when the clock is skewed", "problem")
    memory.checkpoint()
    with closing(Index(memory.project.cache / "index.db")) as opened:
        yield opened


def titles(found: SearchResult) -> list[str]:
    return [hit.entry.text for hit in found.hits]


def test_what_has_no_word_in_common_is_found_by_meaning(user: Path, memory: Memory) -> None:
    memory.log("Login fails when the clock is skewed", "problem")
    memory.log("Chose SQLite for the cache", "decision")
    memory.log("The tokenizer cuts text off after 256 tokens", "gotcha")
    found = memory.search("why can nobody sign in")
    assert found.lexical_only == ""
    assert titles(found)[0] == "Login fails when the clock is skewed"
    assert found.hits[0].places == {"meaning": 1}
    assert found.hits[0].signals["meaning"] > 0
    both = memory.search("login clock").hits[0]
    assert set(both.places) == {"words", "meaning"}


def test_with_a_model_the_time_that_a_query_speaks_of_comes_first_too(
    tiny: Path, memory: Memory
) -> None:
    memory.project.memory.write_text(
        "## 2026-01-05\n\n"
        + "".join(f"learned: fact {number} of the cache\n" for number in range(40))
        + "\n## 2026-11-11\n\ndecided: SQLite over Postgres\n",
        encoding="utf-8",
    )
    memory.build_index()
    for query in ("login last week", "cache last week"):
        found = memory.search(query, limit=50)
        assert found.lexical_only == ""
        of_then = next(hit for hit in found.hits if hit.entry.text == "SQLite over Postgres")
        assert of_then.signals["then"] > 0
        assert of_then.places["time"] == 1
    assert titles(memory.search("what did we decide last week")) == ["SQLite over Postgres"]


def test_with_a_model_a_rejection_that_is_by_far_the_nearest_interrupts(
    user: Path, memory: Memory
) -> None:
    memory.log("Polling the bank for new payments - they block us. Webhooks.", "rejected")
    memory.log("Self-update command - customers install from their own mirror.", "rejected")
    memory.log("Invoices are numbered by year", "decision")
    intent = "Ask for new transfers at the bank in short intervals"
    assert memory.edges(intent).loops == ()  # a check does not wait for the model
    memory.search("transfers")
    (loop,) = memory.edges(intent).loops
    assert loop.earlier.title == "Polling the bank for new payments"
    assert loop.severity == "moderate"
    assert memory.edges("Number invoices per customer").loops == ()


def test_without_a_model_the_answer_says_lexical_only(memory: Memory) -> None:
    memory.log("Login fails when the clock is skewed", "problem")
    found = memory.search("login")
    assert (found.lexical_only, len(found.hits)) == (NO_MODEL, 1)
    assert memory.search("sign in").hits == ()
    memory.configure("embedding.backend", "off")
    assert memory.search("login").lexical_only == NO_MODEL


def test_the_model_can_be_turned_off(tiny: Path, memory: Memory) -> None:
    memory.configure("embedding.backend", "off")
    memory.log("Login fails", "problem")
    assert memory.search("login").lexical_only == OFF


def test_a_damaged_model_is_no_reason_to_fail(tiny: Path, memory: Memory) -> None:
    memory.log("Login fails", "problem")
    (tiny / "models" / "tiny" / "model.onnx").write_bytes(b"something else")
    found = memory.search("login")
    assert len(found.hits) == 1
    assert "model.onnx" in found.lexical_only


def test_a_model_that_cannot_be_loaded_is_no_reason_to_fail(
    tiny: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.log("Login fails", "problem")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    found = memory.search("login")
    assert len(found.hits) == 1
    assert "mind-lens[onnx]" in found.lexical_only


def test_only_what_changed_gets_a_vector(index: Index, tiny: Path, memory: Memory) -> None:
    meaning = memory.meaning
    told: list[tuple[int, int]] = []
    assert meaning.lacking(index) == UNMADE
    assert meaning.fill(index, lambda done, of: told.append((done, of))) == 2
    assert (told, meaning.lacking(index)) == ([(2, 2)], "")
    assert meaning.fill(index) == 0
    memory.log("Chose Redis for the queue", "decision")
    memory.checkpoint()
    assert meaning.fill(index) == 1
    assert index.count_vectors(meaning.profile) == (3, 3)


def test_another_model_has_vectors_of_its_own(index: Index, tiny: Path) -> None:
    models.add(tiny, str(tiny / "models" / "tiny"), "other")
    one, other = (
        ProjectVectors(Settings(embedding_model=name), tiny) for name in ("tiny", "other")
    )
    assert one.profile != other.profile
    one.fill(index)
    assert (one.lacking(index), other.lacking(index)) == ("", UNMADE)
    assert other.of("cache", index)[0] is not None  # a search makes the few that are missing
    assert (one.lacking(index), other.lacking(index)) == ("", "")
    assert (one.fill(index), other.fill(index)) == (0, 0)  # neither deletes what the other made


def test_a_search_makes_few_vectors_and_no_more(
    tiny: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mind.search.semantic._SECONDS", 60)
    lines = [f"- learned: fact {number} about parts" for number in range(450)]
    text = memory.project.memory.read_text(encoding="utf-8")
    memory.project.memory.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")
    assert memory.search("fact").lexical_only == UNMADE
    assert memory.index.count_vectors(memory.meaning.profile) == (200, 450)
    assert memory.search("fact").lexical_only == UNMADE
    assert memory.search("fact").lexical_only == ""


def test_a_search_does_not_wait_long_for_a_slow_model(
    tiny: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mind.search.semantic._SECONDS", 1e-6)
    lines = [f"- learned: fact {number} about parts" for number in range(50)]
    memory.project.memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert memory.search("fact").lexical_only == UNMADE
    assert memory.index.count_vectors(memory.meaning.profile)[0] <= 32


def test_who_has_no_patience_is_told_why_the_model_cannot_be_run(
    tiny: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = ProjectVectors(Settings(), tiny, patient=False)
    with monkeypatch.context() as without:
        without.setattr("tokenizers.Tokenizer.from_file", None)
        with pytest.raises(MindError, match=r"tokenizer\.json cannot be read"):
            hasty.fill(index)
        assert "tokenizer.json cannot be read" in hasty.of("cache", index)[1]
    assert hasty.fill(index) == 2
    assert hasty.of("cache", index)[1] == ""


def test_a_model_that_is_replaced_or_removed_meanwhile_is_not_used(
    tiny: Path, index: Index, tmp_path: Path
) -> None:
    meaning = ProjectVectors(Settings(), tiny, patient=False)
    meaning.fill(index)
    first = meaning.profile
    assert meaning.of("cache", index)[0] is not None
    models.remove(tiny, "tiny")
    assert (meaning.profile, meaning.of("cache", index)) == ("", (None, NO_MODEL))
    models.add(tiny, str(tiny_bert.write(tmp_path / "tiny", limit=11)))
    assert meaning.profile not in {"", first}
    assert meaning.of("cache", index) == (None, UNMADE)
    assert meaning.fill(index) == 2
    assert meaning.of("cache", index)[0] is not None


def test_what_a_model_cannot_put_in_numbers_is_near_to_nothing(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiny_bert, "weights", partial(tiny_bert.weights, spread=float("nan")))
    models.add(tmp_path / "user", str(tiny_bert.write(tmp_path / "tiny", limit=12)))
    monkeypatch.setenv("MIND_HOME", str(tmp_path / "user"))
    memory.log("Chose SQLite for the cache", "decision")
    memory.log("Login fails when the clock is skewed", "problem")
    found = memory.search("login cache")
    assert found.lexical_only == ""
    assert [hit.likelihood >= 0 for hit in found.hits] == [True, True]
    assert not any("meaning" in hit.signals for hit in found.hits)


def test_where_no_index_can_be_kept_the_answer_says_so(tiny: Path, project: Project) -> None:
    lines = [f"- learned: fact {number} about parts" for number in range(250)]
    project.memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.rmtree(project.cache, ignore_errors=True)
    project.cache.write_text("a file where the folder should be", encoding="utf-8")
    hasty = ProjectVectors(Settings(), tiny, patient=False)
    with (
        closing(Memory(project)) as patient,
        closing(Memory(project, meaning=lambda _: hasty)) as other,
    ):
        assert patient.search("fact").lexical_only == UNKEPT
        assert other.search("fact").lexical_only == UNKEPT


def test_several_servers_share_the_work(tiny: Path, memory: Memory) -> None:
    lines = [f"- learned: fact {number} about parts" for number in range(100)]
    memory.project.memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sync.refresh(memory.project, memory.index, sources=False)
    one, another = ProjectVectors(Settings(), tiny), ProjectVectors(Settings(), tiny)
    by_another: list[int] = []
    with closing(Index(memory.project.cache / "index.db")) as index:
        by_one = one.fill(memory.index, lambda *_: by_another.append(another.fill(index)))
    assert by_one == 32
    assert sum(by_another) == 100 - by_one
    assert one.lacking(memory.index) == ""


def test_filling_can_be_interrupted_and_goes_on_later(tiny: Path, index: Index) -> None:
    meaning = ProjectVectors(Settings(), tiny)
    assert meaning.fill(index, go_on=lambda: False) == 0
    assert meaning.lacking(index) == UNMADE
    assert meaning.fill(index) == 2


def test_an_index_that_is_rebuilt_while_vectors_are_made_lacks_those_that_are_gone(
    tiny: Path, memory: Memory
) -> None:
    memory.project.memory.write_text("decided: one\n", encoding="utf-8")
    meaning, path = ProjectVectors(Settings(), tiny), memory.project.cache / "index.db"
    with closing(Memory(memory.project)) as other, closing(Index(path)) as index:

        def rebuilt(_done: int, _all: int) -> None:
            other.index.forget()
            sync.refresh(other.project, other.index, sources=False)

        index.forget()
        sync.refresh(memory.project, index, sources=False)
        meaning.fill(index, rebuilt)
        assert meaning.lacking(index) == UNMADE
        assert meaning.fill(index) == 1
        assert meaning.lacking(index) == ""


def test_who_has_no_patience_searches_by_words_until_the_model_is_loaded(
    tiny: Path, index: Index
) -> None:
    ProjectVectors(Settings(), tiny).fill(index)
    hasty = ProjectVectors(Settings(), tiny, patient=False)
    assert hasty.of("cache", index) == (None, LOADING)
    assert hasty.fill(index) == 0
    assert hasty.of("cache", index)[0] is not None


def test_a_model_that_is_installed_meanwhile_is_used(
    tmp_path_factory: pytest.TempPathFactory, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("user")
    monkeypatch.setenv("MIND_HOME", str(home))
    memory.log("Login fails", "problem")
    assert memory.search("login").lexical_only == NO_MODEL
    models.add(home, str(tiny_bert.write(tmp_path_factory.mktemp("files") / "tiny", limit=12)))
    assert memory.search("login").lexical_only == ""


def test_other_projects_are_searched_with_vectors_of_their_own(
    user: Path, memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    install.apply(install.plan(other))
    with closing(Memory(Project(other))) as opened:
        opened.log("Login fails when the clock is skewed", "problem")
        opened.log("Lunch is at noon", "note")
    memory.log("Chose SQLite for the cache", "decision")
    found = memory.search("why can nobody sign in", everywhere=True)
    assert found.lexical_only == ""
    places = {hit.entry.text: (hit.project, hit.places) for hit in found.hits}
    assert places["Login fails when the clock is skewed"] == (other.name, {"meaning": 1})


def test_that_another_project_is_compared_by_words_alone_is_told(
    tiny: Path, memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    install.apply(install.plan(other))
    with closing(Memory(Project(other))) as opened:
        opened.log("Login fails when the clock is skewed", "problem")
    memory.log("Chose SQLite for the cache", "decision")
    memory.build_index()
    hasty = ProjectVectors(Settings(), tiny, patient=False)
    hasty.fill(memory.index)
    with closing(Memory(memory.project, meaning=lambda _: hasty)) as served:
        assert served.search("cache").lexical_only == ""
        found = served.search("cache", everywhere=True)
    assert found.lexical_only == f"{other.name}: {UNMADE}"


def test_another_project_is_searched_with_the_model_that_it_asks_for(
    tiny: Path, memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    install.apply(install.plan(other))
    with closing(Memory(Project(other))) as opened:
        opened.log("Login fails when the clock is skewed", "problem")
        opened.configure("embedding.backend", "off")
        memory.log("Chose SQLite for the cache", "decision")
        found = memory.search("cache", everywhere=True)
        assert found.lexical_only == f"{other.name}: {OFF}"
        assert opened.index.count_vectors(memory.meaning.profile) == (0, 1)


def test_a_server_makes_vectors_when_it_has_nothing_to_answer(tiny: Path, project: Project) -> None:
    with closing(Memory(project)) as memory:
        memory.log("Login fails when the clock is skewed", "problem")
    command = [sys.executable, "-m", "mind", "mcp"]
    server = Server(command, cwd=project.root, env={"MIND_HOME": str(tiny)})
    try:

        def search() -> str:
            answer = server.ask("tools/call", name="mind_search", arguments={"query": "login"})
            return str(answer["result"]["content"][0]["text"])

        assert "lexical only" in search()
        deadline = time.monotonic() + 60
        while "lexical only" in search():
            assert time.monotonic() < deadline, "no vectors were made"
            time.sleep(0.05)
        server.ask("tools/call", name="mind_log", arguments={"message": "Chose SQLite"})
        assert "1 of 1 hits. " in search() or "2 of 2 hits. " in search()
    finally:
        server.close()


def test_the_server_ends_at_once_though_vectors_are_missing(tiny: Path, project: Project) -> None:
    lines = [f"- learned: fact {number} about parts" for number in range(3_000)]
    project.memory.write_text("\n".join(lines) + "\n", encoding="utf-8")
    server = Server(
        [sys.executable, "-m", "mind", "mcp"], cwd=project.root, env={"MIND_HOME": str(tiny)}
    )
    server.ask("tools/call", name="mind_search", arguments={"query": "fact"})
    assert server.process.stdin
    server.process.stdin.close()
    assert server.process.stdout
    assert server.process.stdout.read() == b""
    assert server.process.wait(timeout=20) == 0
    server.process.stdout.close()


def test_the_command_line_shows_what_it_makes(tiny: Path, project: Project) -> None:
    with closing(Memory(project)) as memory:
        memory.log("Login fails when the clock is skewed", "problem")

    def mind(*arguments: str, home: Path = tiny) -> str:
        return subprocess.run(
            [sys.executable, "-m", "mind", *arguments],
            cwd=project.root,
            env={**os.environ, "MIND_HOME": str(home)},
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout

    assert mind("index") == "1 entry: 1 added, 0 removed\n1 vectors (tiny/onnx/" + mind(
        "index"
    ).partition("tiny/onnx/")[2].replace("; 0 new", "; 1 new")
    assert "; 1 new\n" in mind("index", "--rebuild")
    shown = mind("search", "login", "--explain")
    assert "found: #1 by words, #1 by meaning, high relevance (" in shown
    assert "Showing 1 of 1 ranked entries." in shown
    assert "lexical and by meaning: 1 of 1 vectors built" in mind("status").replace(";", ":")
    without = mind("index", home=project.root / "nobody")
    assert f"Search is lexical only: {NO_MODEL}." in without
