"""`mind scan`: where credentials stand in the memory's files and history, and never what."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.domain.errors import FileError
from mind.memory.memory import Memory
from mind.sources import exposed
from mind.storage.project import Project
from tests.conftest import Run
from tests.secret_cases import drawn, summed

Git = Callable[..., str]
TOKEN = summed("gh" + "p_", "scanned")
KEY = "AK" + "IA" + drawn("scanned", 16, "ABCDEFGHIJKLMNOP")
KIND = "GitHub personal access token"


@pytest.fixture
def mind(mind: Run, project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mind`` in the project: exit code, standard output, standard error."""
    monkeypatch.chdir(project.root)
    return mind


def write(path: Path, *lines: str) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def commit(git: Git, *paths: str) -> str:
    git("add", "--force", *(paths or ("--all",)))
    git("commit", "--quiet", "-m", "memory")
    return git("rev-parse", "HEAD")


def test_a_memory_without_credentials_is_fine(mind: Run) -> None:
    assert mind("scan") == (0, "No secrets found.\n", "")
    assert mind("scan", "--history") == (0, "No secrets found.\n", "")
    assert mind("scan", "--json") == (0, "[]\n", "")


def test_each_is_told_with_file_line_and_kind(mind: Run, project: Project) -> None:
    write(project.memory, "# Memory", "", f"- learned: the token is {TOKEN}", "- gotcha: x")
    write(project.session, f"- tried: {KEY}, then `{TOKEN}`")
    write(project.folder / "SESSION.last.md", f"- tried: {KEY}")
    write(project.archive, "nothing")
    code, out, err = mind("scan")
    assert code == 1
    assert out.splitlines() == [
        f".mind/MEMORY.md:3  {KIND}",
        ".mind/SESSION.last.md:1  AWS access key",
        ".mind/SESSION.md:1  AWS access key",
        f".mind/SESSION.md:1  {KIND}",
    ]
    assert "revoke each secret with its issuer" in err
    assert "history" not in err
    assert TOKEN[:12] not in out + err
    code, out, _ = mind("scan", "--json")
    assert code == 1
    assert json.loads(out)[0] == {
        "path": ".mind/MEMORY.md", "line": 3, "commit": "", "name": KIND,
    }  # fmt: skip


def test_the_history_tells_which_commit_brought_it(mind: Run, project: Project, git: Git) -> None:
    commit(git)
    lines = ["# Memory", "", "- learned: one", f"- learned: {TOKEN}", "- learned: two"]
    write(project.memory, *lines)
    brought = commit(git)
    write(project.memory, "# Memory", "", "- learned: one", "- learned: two")
    commit(git)
    assert mind("scan")[0] == 0
    code, out, err = mind("scan", "--history")
    assert code == 1
    assert out == f".mind/MEMORY.md:4  {KIND}  in commit {brought[:12]}\n"
    assert "git filter-repo --replace-text" in err
    assert TOKEN[:12] not in out + err


def test_a_line_that_moves_is_told_once_and_a_private_key_by_its_first_line(
    mind: Run, project: Project, git: Git
) -> None:
    dashes = "-" * 5
    key = [f"{dashes}BEGIN RSA PRIVATE KEY{dashes}", *(drawn(f"k{at}", 64) for at in range(4)),
           f"{dashes}END RSA PRIVATE KEY{dashes}"]  # fmt: skip
    write(project.memory, "# Memory", *key)
    first = commit(git)
    write(
        project.memory, "# Memory", "one more line", *key, f"+++ b/{TOKEN}", "--- a/x", "@@ -1 +9"
    )
    second = commit(git)
    _, out, _ = mind("scan", "--history", "--json")
    assert [(one["line"], one["commit"], one["name"]) for one in json.loads(out)] == [
        (3, "", "RSA private key"),
        (9, "", KIND),
        (2, first, "RSA private key"),
        (9, second, KIND),
    ]


def test_other_branches_count_and_merges_too(project: Project, git: Git) -> None:
    write(project.memory, "# Memory", "")
    commit(git)
    git("checkout", "--quiet", "-b", "other")
    write(project.memory, "# Memory", f"- learned: {TOKEN}")
    aside = commit(git)
    git("checkout", "--quiet", "main")
    write(project.root / "README.md", "x")
    commit(git)
    git("merge", "--quiet", "--no-commit", "other")
    write(project.folder / "SESSION.md", f"- tried: {KEY}")
    merged = commit(git)
    write(project.folder / "SESSION.md", "")
    write(project.memory, "")
    found = Memory(project).scan(history=True)
    assert {(one.path, one.commit, one.name) for one in found} == {
        (".mind/MEMORY.md", aside, KIND),
        (".mind/SESSION.md", merged, "AWS access key"),
    }


def test_a_project_further_down_and_names_of_other_letters(project: Project, git: Git) -> None:
    inner = Project(project.root / "pakete" / "größe")
    inner.folder.mkdir(parents=True)
    write(inner.folder / "ÄRGER.md", f"- learned: {TOKEN}")
    write(project.memory, f"- learned: {TOKEN}")
    made = commit(git)
    found = list(exposed.in_history(inner.root, inner.folder))
    assert [(one.path, one.line, one.commit) for one in found] == [(".mind/ÄRGER.md", 1, made)]
    files = list(exposed.in_files(inner.root, inner.folder))
    assert [(one.path, one.line, one.commit) for one in files] == [(".mind/ÄRGER.md", 1, "")]


def test_bytes_that_are_no_text_hide_nothing(mind: Run, project: Project, git: Git) -> None:
    project.memory.write_bytes(b"\xff\xfe\0 \n" + f"- learned: {TOKEN}\n".encode())
    commit(git)
    _, out, _ = mind("scan", "--history")
    assert [row.split("  ")[:2] for row in out.splitlines()] == [[".mind/MEMORY.md:2", KIND]] * 2


def test_without_a_repository_there_is_no_history(tmp_path: Path) -> None:
    folder = tmp_path / ".mind"
    folder.mkdir()
    write(folder / "MEMORY.md", TOKEN)
    assert [one.line for one in Memory(Project(tmp_path)).scan(history=True)] == [1]


def test_a_history_that_cannot_be_read_is_an_error(
    mind: Run, project: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project.memory, f"- learned: {TOKEN}")
    made = commit(git)
    (project.root / ".git" / "objects" / made[:2] / made[2:]).unlink()
    code, _, err = mind("scan", "--history")
    assert code == 1
    assert "git cannot read" in err
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(FileError, match="git cannot be started"):
        Memory(project).scan(history=True)


def test_no_session_begins_and_nothing_is_written(mind: Run, project: Project) -> None:
    before = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()}
    mind("scan", "--history")
    assert before == {
        path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()
    }
