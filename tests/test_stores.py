"""Memories that are not called .mind: the one that MIND_DIR names, and the user's own."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mind.domain.errors import ProjectError
from mind.memory.memory import Memory
from mind.storage import files
from mind.storage import project as projects
from mind.storage.files.system import cache_of
from mind.storage.project import Project
from tests.conftest import Run


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the program sets for itself does not outlive a test."""
    before = {name: os.environ.get(name) for name in ("MIND_DIR", "MIND_PROJECT")}
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(project.root)
    return project


@pytest.fixture
def own(home: Path) -> Path:
    return home / ".mind" / "memory"


@pytest.fixture
def brain(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("notes") / "brain"
    monkeypatch.setenv("MIND_DIR", str(folder))
    return folder


# --- MIND_DIR -----------------------------------------------------------------------------


def test_the_folder_that_is_named_is_the_memory(here: Project, brain: Path, mind: Run) -> None:
    assert mind("init")[0] == 0
    assert sorted(path.name for path in brain.parent.iterdir()) == ["brain"]
    assert projects.registered() == [here.root]
    assert mind("log", "-t", "decision", "SQLite over Postgres")[0] == 0
    assert "SQLite" in (brain / "MEMORY.md").read_text(encoding="utf-8")
    assert "SQLite" not in here.memory.read_text(encoding="utf-8")
    code, out, _ = mind("search", "SQLite", "--json")
    assert (code, json.loads(out)[0]["file"]) == (0, "brain/MEMORY.md")
    found = projects.find()
    assert (found.root, found.folder, found.name) == (brain.parent, brain, brain.parent.name)
    assert not found.is_own


def test_a_memory_of_another_name_in_the_repository_is_no_document(
    here: Project, mind: Run, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under whatever name: git tracks it by that of the folder, or of the file a link leads to."""

    def found() -> list[tuple[str, str]]:
        git("add", "--all", "--force", ":!*cache*")
        told = json.loads(mind("search", "redis", "queue", "--json")[1])
        return [(one["text"], one["file"]) for one in told]

    text = "Redis holds the queue of invoices"
    mind("log", "-t", "decision", text)
    here.folder.rename(here.root / "memory")
    here.folder.symlink_to("memory")
    assert found() == [(text, ".mind/MEMORY.md")]
    here.memory.rename(here.root / "memory" / "notes.md")
    here.memory.symlink_to("../kept/all.md")
    (here.root / "kept").mkdir()
    (here.root / "memory" / "notes.md").rename(here.root / "kept" / "all.md")
    assert found() == [(text, ".mind/MEMORY.md")]
    here.folder.unlink()
    monkeypatch.setenv("MIND_DIR", str(here.root / "memory"))
    assert found() == [(text, "memory/MEMORY.md")]


def test_other_texts_in_the_folder_of_a_memory_and_those_it_links_to_are_documents(
    here: Project, mind: Run, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.root / "docs").mkdir()
    guide = here.root / "docs" / "guide.md"
    guide.write_text("# Guide\n\nRedis holds the queue of invoices.\n", encoding="utf-8")
    git("add", "--all", "--force", ":!*cache*")

    def found() -> list[str]:
        return [one["file"] for one in json.loads(mind("search", "redis", "queue", "--json")[1])]

    (here.folder / "guide.md").symlink_to("../docs/guide.md")
    assert found() == ["docs/guide.md"]
    monkeypatch.setenv("MIND_DIR", str(guide.parent))
    assert mind("log", "-t", "decision", "Kafka carries the events")[0] == 0
    assert found() == ["docs/guide.md"]


def test_what_is_said_outright_wins_over_it(
    here: Project, brain: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    brain.mkdir()
    monkeypatch.setenv("MIND_PROJECT", str(brain.parent))
    assert projects.find().folder == brain
    assert projects.find(here.root).folder == here.folder
    assert mind("--project", str(here.root), "log", "-t", "note", "here it is")[0] == 0
    assert "here it is" in here.memory.read_text(encoding="utf-8")


def test_one_that_is_called_mind_is_that_of_its_project(
    here: Project, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("away"))
    monkeypatch.setenv("MIND_DIR", str(here.folder))
    assert projects.find() == here


def test_one_that_is_not_there_is_an_error_that_says_how(
    here: Project, brain: Path, mind: Run
) -> None:
    with pytest.raises(ProjectError, match="not a directory. Correct or unset it"):
        projects.find()
    code, _, err = mind("status")
    assert (code, "MIND_DIR names" in err) == (1, True)
    assert not brain.exists()


def test_a_target_is_only_added_when_asked_for(here: Project, brain: Path, mind: Run) -> None:
    assert mind("init", "--target", "NOTES.md")[0] == 0
    assert "MIND:CONTEXT" in (brain.parent / "NOTES.md").read_text(encoding="utf-8")
    assert not (brain.parent / ".mcp.json").exists()
    assert mind("uninstall")[0] == 0
    assert sorted(path.name for path in brain.parent.iterdir()) == ["brain"]
    assert (brain / "MEMORY.md").exists()
    assert projects.registered() == [here.root]


def test_its_writers_lock_and_watch_it_as_any_other(brain: Path, mind: Run) -> None:
    mind("init")
    mind("log", "-t", "decision", "SQLite over Postgres")
    assert cache_of(brain / "MEMORY.md") == brain / "cache"
    assert (brain / ".recent.tmp" / "MEMORY").exists()
    memory = Memory.open()
    before = memory.project.memory.read_bytes()
    memory.log("the pool leaks", "learning")
    memory.project.memory.write_bytes(before)  # an editor saves an older copy
    memory.log("caches lie", "learning")
    memory.close()
    assert b"the pool leaks" in files.read(brain / "MEMORY.md")


def test_doctor_asks_nothing_of_it_that_a_repository_has(brain: Path, mind: Run) -> None:
    mind("init")
    _, out, _ = mind("doctor", "--json")
    checks = {one["name"]: one for one in json.loads(out)}
    assert checks["project"]["detail"] == str(brain)
    assert not {"git", "context block", "MCP registration", "list of projects"} & set(checks)
    assert [name for name in ("memory", "writing", "index") if name not in checks] == []
    (brain / "MEMORY.md").unlink()
    out = mind("doctor", "--json")[1]
    told = next(one for one in json.loads(out) if one["name"] == "memory")
    assert told["detail"] == "brain/MEMORY.md is missing"


def test_a_setting_of_it_is_kept_in_it(brain: Path, mind: Run) -> None:
    mind("init")
    assert mind("config", "search.limit", "3")[0] == 0
    assert json.loads((brain / "config.json").read_text(encoding="utf-8"))["search"]["limit"] == 3
    assert mind("config", "search.limit")[1].strip().endswith("3")


# --- --global -----------------------------------------------------------------------------


def test_the_first_note_makes_it(here: Project, own: Path, mind: Run) -> None:
    code, _, err = mind("--global", "status")
    assert (code, "mind --global init" in err) == (1, True)
    assert not own.exists()
    assert mind("-g", "log", "-t", "learning", "prefer small commits")[0] == 0
    assert "prefer small commits" in (own / "MEMORY.md").read_text(encoding="utf-8")
    assert (own.parent.stat().st_mode & 0o077) == 0 or os.name != "posix"
    assert sorted(path.name for path in own.parent.glob("*.md")) == []


def test_it_is_a_memory_and_no_project(here: Project, own: Path, mind: Run) -> None:
    code, out, _ = mind("--global", "init")
    assert (code, "CLAUDE.md" in out, ".mcp.json" in out) == (0, False, False)
    assert not (own / ".gitignore").exists()
    code, out, _ = mind("--global", "status", "--json")
    found = json.loads(out)
    assert (code, found["project"], found["targets"]) == (0, "global", [])
    assert "block\tnone, ~" in mind("--global", "status")[1]
    assert projects.registered() == [here.root]
    assert mind("--global", "recall")[0] == 0
    assert mind("--global", "doctor", "--quick")[0] in (0, 1)
    assert mind("--global", "--project", ".", "status")[0] == 2


def test_commits_around_it_are_not_its_own(
    here: Project, own: Path, mind: Run, git: Callable[..., str]
) -> None:
    mind("--global", "init")
    own.parent.mkdir(exist_ok=True)
    git("init", "--quiet", cwd=own)
    git("add", "MEMORY.md", cwd=own)
    git("commit", "-qm", "decided: dotfiles in git", cwd=own)
    (own / "x.py").write_text("# MEMORY: gotcha: not mine\n", encoding="utf-8")
    assert json.loads(mind("--global", "status", "--json")[1])["by_source"] == {}


def test_a_search_finds_it_in_every_project_and_marks_it(
    here: Project, own: Path, mind: Run
) -> None:
    mind("--global", "log", "-t", "learning", "prefer small commits")
    os.environ.pop("MIND_DIR")
    mind("log", "-t", "learning", "commits are signed")
    hits = json.loads(mind("search", "commits", "--json")[1])
    assert {hit["project"]: hit["text"] for hit in hits} == {
        None: "commits are signed",
        "global": "prefer small commits",
    }
    assert [
        hit["project"] for hit in json.loads(mind("search", "commits project:global", "--json")[1])
    ] == ["global"]
    assert "small commits" not in mind("recall")[1]
    hits = json.loads(mind("--global", "search", "commits", "--all", "--json")[1])
    assert {hit["project"] for hit in hits} == {None, here.name}


def test_it_goes_away_when_that_is_said(here: Project, own: Path, mind: Run) -> None:
    mind("--global", "log", "-t", "note", "anything at all")
    assert mind("--global", "uninstall")[0] == 0
    assert (own / "MEMORY.md").exists()
    assert mind("--global", "uninstall", "--purge", "--yes")[0] == 0
    assert not (own / "MEMORY.md").exists()
    assert here.memory.exists()
    assert projects.registered() == [here.root]


def test_the_tool_finds_it_and_says_whose_it_is(here: Project, own: Path, mind: Run) -> None:
    from mind.server.mcp.core_tools import CORE

    mind("--global", "log", "-t", "learning", "prefer small commits")
    os.environ.pop("MIND_DIR")
    tool = next(one for one in CORE if one.name == "mind_search")
    memory = Memory.open()
    asked = {"query": "small commits"}
    assert "prefer small commits [global: MEMORY.md" in tool.run(memory, **tool.check(asked))
    memory.close()
