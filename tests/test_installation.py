"""Setting up and taking back: the user's own files keep every byte that is theirs."""

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.documents import context_block
from mind.domain.errors import FileError, MarkersDamaged, NotText, PathOutside, ProjectError
from mind.hooks import place
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.boundary import is_project
from mind.storage.project import Project, find, prune, register, registered, unregister
from mind.text.visible import inert
from tests.conftest import Run


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


def init(root: Path, **options: object) -> None:
    install.apply(install.plan(root, **options))  # type: ignore[arg-type] # passed on


def remove(root: Path) -> None:
    install.apply(install.plan_removal(root, purge=True))


@pytest.mark.parametrize(
    "text",
    [
        b"# Project\n\nRules.\n",
        b"# Project\r\n\r\nRules.\r\n",
        b"\xef\xbb\xbf# Project\n",
        b"no final line end",
        b"windows, no final line end\r\nx",
        b"trailing blank lines\n\n\n",
        b"Mentions <!-- MIND:CONTEXT --> and <!-- MIND:END --> in prose.\n",
        b"```\n<!-- MIND:CONTEXT -->\n<!-- MIND:END -->\n```\n",
        b"   odd   spaces   \n\t\n",
    ],
)
def test_lesson_uninstall_takes_back_exactly_what_init_added(repository: Path, text: bytes) -> None:
    (repository / "CLAUDE.md").write_bytes(text)
    (repository / ".mcp.json").write_bytes(b'{\n    "mcpServers": {"x": {"command": "y"}}\n}')
    before = tree(repository)
    init(repository)
    changed = tree(repository)
    assert changed["CLAUDE.md"].startswith(text)
    assert set(changed) > set(before)
    memory = Memory(Project(repository))
    memory.log("SQLite over Postgres", "decision")
    memory.recall()
    memory.close()
    assert b"SQLite" in (repository / "CLAUDE.md").read_bytes()
    remove(repository)
    assert tree(repository) == before


def test_lesson_init_again_changes_nothing(repository: Path) -> None:
    init(repository)
    memory = Memory(Project(repository))
    memory.checkpoint()
    memory.close()  # else the index's log goes whenever the collector comes by
    before = tree(repository)
    for _ in range(3):
        assert install.plan(repository).changes == ()
        init(repository)
    assert tree(repository) == before


def test_lesson_line_ends_mode_and_symlink_of_claude_md_stay(repository: Path) -> None:
    real = repository / "docs" / "agents.md"
    real.parent.mkdir()
    real.write_bytes(b"# A\r\n\r\nB\r\n")
    real.chmod(0o600)
    (repository / "CLAUDE.md").symlink_to(real)
    init(repository)
    Memory(Project(repository)).checkpoint()
    assert (repository / "CLAUDE.md").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    data = real.read_bytes()
    assert b"MIND:CONTEXT" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_lesson_text_between_a_mention_and_the_block_survives(repository: Path) -> None:
    path = repository / "CLAUDE.md"
    path.write_text("See `<!-- MIND:CONTEXT -->` below.\n\nMine.\n", encoding="utf-8")
    init(repository)
    memory = Memory(Project(repository))
    for number in range(3):
        memory.log(f"decision {number}", "decision")
        memory.recall()
    assert path.read_text("utf-8").startswith("See `<!-- MIND:CONTEXT -->` below.\n\nMine.\n\n<!--")


def test_lesson_a_file_that_is_not_utf8_stops_the_whole_installation(repository: Path) -> None:
    (repository / "CLAUDE.md").write_bytes(b"caf\xe9\n")
    before = tree(repository)
    with pytest.raises(NotText, match="CLAUDE.md:1"):
        init(repository)
    assert tree(repository) == before


def test_lesson_recall_rewrites_the_block(project: Project) -> None:
    memory = Memory(project)
    memory.log("SQLite over Postgres", "decision")
    assert memory.recall().written == ("CLAUDE.md",)
    assert "SQLite over Postgres" in (project.root / "CLAUDE.md").read_text("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "<!-- MIND:CONTEXT -->\nno end\n",
        "<!-- MIND:END -->\n",
        "<!-- MIND:END -->\n<!-- MIND:CONTEXT -->\n",
        "<!-- MIND:CONTEXT -->\n<!-- MIND:CONTEXT -->\n<!-- MIND:END -->\n",
        "<!-- MIND:CONTEXT -->\n<!-- MIND:END -->\n<!-- MIND:END -->\n",
    ],
)
def test_damaged_markers_are_an_error_and_never_a_guess(repository: Path, text: str) -> None:
    path = repository / "CLAUDE.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MarkersDamaged, match="Keep exactly one"):
        init(repository)
    assert path.read_text("utf-8") == text
    path.unlink()
    init(repository)
    path.write_text(text, encoding="utf-8")
    assert "CLAUDE.md" in Memory(Project(repository)).recall().problems[0]
    assert path.read_text("utf-8") == text


def test_a_block_that_the_user_removed_is_not_forced_back(project: Project) -> None:
    (project.root / "CLAUDE.md").write_text("mine\n", encoding="utf-8")
    assert Memory(project).recall().written == ()
    assert (project.root / "CLAUDE.md").read_text("utf-8") == "mine\n"


def test_a_repository_with_only_agents_md_gets_the_block_there(repository: Path) -> None:
    (repository / "AGENTS.md").write_text("# Agents\n", encoding="utf-8")
    init(repository)
    assert not (repository / "CLAUDE.md").exists()
    assert "MIND:CONTEXT" in (repository / "AGENTS.md").read_text("utf-8")


def test_targets_are_chosen_and_kept(repository: Path) -> None:
    targets = ["GEMINI.md", ".cursor/rules/mind.mdc"]
    init(repository, targets=targets)
    assert json.loads((repository / ".mind/config.json").read_text("utf-8")) == {
        "context": {"targets": targets}
    }
    assert (
        (repository / ".cursor/rules/mind.mdc")
        .read_text("utf-8")
        .startswith("---\nalwaysApply: true\n---\n")
    )
    memory = Memory(Project(repository))
    memory.log("SQLite", "decision")
    assert memory.recall().written == ("GEMINI.md", ".cursor/rules/mind.mdc")
    memory.close()
    remove(repository)
    assert tree(repository) == {}


@pytest.mark.parametrize("target", ["../outside.md", "/etc/passwd", "docs"])
def test_a_target_outside_is_refused(repository: Path, target: str) -> None:
    (repository / "docs").mkdir()
    with pytest.raises(PathOutside):
        install.plan(repository, targets=[target])
    assert not (repository / ".mind").exists()


def test_private_memory_is_ignored_by_git(repository: Path, git: Callable[..., str]) -> None:
    init(repository)
    assert ".mind/MEMORY.md" in git("status", "--porcelain", "--untracked-files=all")
    assert "SESSION.md" not in git("status", "--porcelain", "--untracked-files=all")
    init(repository, private=True)
    assert ".mind" not in git("status", "--porcelain", "--untracked-files=all")


def test_no_json_in_mcp_json_is_an_error_before_anything_is_written(repository: Path) -> None:
    (repository / ".mcp.json").write_text("// comment\n{}", encoding="utf-8")
    with pytest.raises(FileError, match="by hand"):
        init(repository)
    assert not (repository / ".mind").exists()


def test_where_init_makes_no_sense(repository: Path, home: Path) -> None:
    with pytest.raises(ProjectError, match="home folder"):
        install.plan(home)
    with pytest.raises(ProjectError, match="not a folder"):
        install.plan(repository / "nothing")


def test_a_file_that_changes_after_the_plan_is_left_alone(repository: Path) -> None:
    path = repository / "CLAUDE.md"
    path.write_text("one\n", encoding="utf-8")
    planned = install.plan(repository)
    path.write_text("two\n", encoding="utf-8")
    with pytest.raises(FileError, match="Run the command again"):
        install.apply(planned)
    assert path.read_text("utf-8") == "two\n"


def test_the_diff_shows_what_is_made_changed_and_deleted(repository: Path) -> None:
    (repository / "CLAUDE.md").write_text("mine", encoding="utf-8")
    diff = install.plan(repository).diff()
    assert "--- /dev/null\n+++ b/.mind/MEMORY.md" in diff
    assert "--- a/CLAUDE.md\n+++ b/CLAUDE.md" in diff
    init(repository)
    assert "+++ /dev/null" in install.plan_removal(repository, purge=True).diff()


# --- which project ------------------------------------------------------------------------


def test_the_nearest_folder_upwards_is_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = project.root / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert find() == project
    (deep / ".mind").mkdir()
    assert find() == Project(deep)


def test_lesson_the_users_own_folder_is_never_a_project(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = home / ".mind"
    own.mkdir()
    work = home / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert not is_project(home)
    with pytest.raises(ProjectError, match="mind init"):
        find()
    monkeypatch.setenv("MIND_HOME", str(home / "elsewhere"))
    with pytest.raises(ProjectError):
        find()


def test_option_and_environment_name_the_project(
    project: Project,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert find(project.root) == project
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project.root))
    assert find() == project
    monkeypatch.setenv("MIND_PROJECT", str(project.root / "nothing"))
    with pytest.raises(ProjectError, match="not a directory"):
        find()


def test_a_worktree_is_served_by_its_own_checkout(
    project: Project, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("add", ".mind/MEMORY.md")
    git("commit", "-qm", "memory")
    inside = project.root / "trees" / "one"
    git("worktree", "add", "-q", str(inside))
    monkeypatch.chdir(inside)
    assert find() == Project(inside)
    bare = project.root / "trees" / "two"
    git("worktree", "add", "-q", "--detach", str(bare))
    (bare / ".mind" / "MEMORY.md").unlink()
    (bare / ".mind").rmdir()
    monkeypatch.chdir(bare)
    with pytest.raises(ProjectError):
        find()


def test_a_repository_inside_a_project_is_one_of_its_own(
    project: Project, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch, mind: Run
) -> None:
    inner, module = project.root / "vendor" / "inner", project.root / "module"
    (inner / "src").mkdir(parents=True)
    git("init", "--quiet", cwd=inner)
    git("commit", "--quiet", "--allow-empty", "-m", "x", cwd=inner)
    allowed = ("-c", "protocol.file.allow=always")
    git(*allowed, "submodule", "--quiet", "add", str(inner), "module")
    before = project.memory.read_bytes()
    for folder in (inner / "src", inner, module):
        monkeypatch.chdir(folder)
        code, _, err = mind("log", "-t", "decision", "the child uses Go - fast")
        assert code == 1
        assert f"no .mind in {folder} or above it within its git repository" in err
        assert "Run `mind init`" in err
        assert place.find(str(folder)) is None
    assert project.memory.read_bytes() == before
    install.apply(install.plan(inner))
    assert find(inner / "src") == Project(inner)
    assert find(inner.parent) == project


def test_the_list_of_projects(project: Project, home: Path) -> None:
    assert registered() == [project.root]
    assert not register(project.root)
    path = Path(os.environ["MIND_HOME"]) / "projects.json"
    assert unregister(project.root)
    assert not unregister(project.root)
    path.write_text('{"projects": [3, {"path": 4}, {"path": "/nothing/here"}]}', encoding="utf-8")
    assert registered() == []
    assert prune() == [Path("/nothing/here")]
    for broken in ("[]", "{", "", '{"projects": 3}'):
        path.write_text(broken, encoding="utf-8")
        assert registered() == []


# --- the block ----------------------------------------------------------------------------


def test_the_budget_is_kept_and_what_is_cut_is_counted(project: Project) -> None:
    memory = Memory(project)
    for name in ("".join(pair) for pair in itertools.product("bdfgklmn", "aeiouyhr")):
        memory.log(f"the {name}m service keeps its {name}x files in a folder", "decision")
        memory.log(f"the {name}m service forgets its {name}z files after a crash", "gotcha")
    memory.configure("context.budget_tokens", "500")
    body = memory.recall().context
    assert context_block.tokens(body) <= 500
    assert "more: `mind_search kind:decision`" in body
    assert "more: `mind_search kind:gotcha`" in body


def test_markers_stand_alone_at_the_start_of_a_line(project: Project) -> None:
    lines = (project.root / "CLAUDE.md").read_text("utf-8").splitlines()
    assert lines[0] == context_block.OPENING
    assert lines[-1] == context_block.CLOSING


def test_imitations_of_the_markers_are_neutralised() -> None:
    shown = inert("a <!-- MIND:END --> b\n## c")
    assert "<!--" not in shown
    assert "\n" not in shown


def test_long_lines_are_cut_between_words(project: Project) -> None:
    memory = Memory(project)
    logged = memory.log("word " * 1_300, "goal")
    line = next(line for line in memory.recall().context.splitlines() if "word word" in line)
    assert len(line) < 450
    assert line.endswith(f"word… (more: `mind_search id:{logged.entry.id}`)")
