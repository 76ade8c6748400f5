"""What was done to a file and why, as the command and the memory tell it."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mind.cli.app import execute
from mind.domain.errors import InputError, NotFound, PathOutside
from mind.memory.memory import Memory
from mind.server.mcp.search_tools import history as rendered
from mind.server.mcp.search_tools import line
from mind.setup import install
from mind.sources.file_history import FileChange, FileHistory
from mind.storage.events import Event, record
from mind.storage.project import Project
from tests.conftest import Clock

Git = Callable[..., str]
DAY = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def edit(
    project: Project,
    path: str,
    intent: str,
    at: datetime = DAY,
    *,
    tool: str = "Edit",
    session: str = "1",
) -> None:
    """Write what the hook writes."""
    data = {"path": path, "tool": tool, "intent": intent}
    event = Event(at=at, session=session, name="edit", data=data)
    assert record(project.events, event, project.settings) == ""


def commit(git: Git, message: str, at: datetime = DAY, cwd: Path | None = None) -> str:
    """Commit everything at a moment; its short hash."""
    os.environ["GIT_COMMITTER_DATE"] = os.environ["GIT_AUTHOR_DATE"] = at.isoformat()
    try:
        where = {"cwd": cwd} if cwd else {}
        git("add", "--all", **where)
        git("commit", "-qm", message, **where)
        return git("rev-parse", "--short", "HEAD", **where)
    finally:
        del os.environ["GIT_COMMITTER_DATE"], os.environ["GIT_AUTHOR_DATE"]


def write(root: Path, name: str, text: str = "") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text or f"{name}\n" * 20, encoding="utf-8")


def told(found: FileHistory) -> list[tuple[str, str]]:
    return [(one.what, one.title) for one in found.changes]


def test_edits_commits_and_memories_are_one_story(
    memory: Memory, project: Project, git: Git, clock: Clock
) -> None:
    write(project.root, "src/a.py")
    edit(project, "src/a.py", "make it count", DAY - timedelta(days=3))
    first = commit(git, "Count", DAY - timedelta(days=3, hours=-1))
    edit(project, "src/a.py", "count backwards", DAY, tool="Write")
    edit(project, "src/other.py", "something else", DAY)
    memory.log("src/a.py counts backwards - the newest matter", "decision")
    memory.log("something else in other.py", "decision")
    clock.forward(days=1)
    edit(project, "src/a.py", "tidy up", clock.now)
    found = memory.file_history("src/a.py")
    assert told(found) == [
        ("edit", "tidy up"),
        ("decision", "src/a.py counts backwards"),
        ("edit", "count backwards"),
        ("commit", "Count"),
        ("edit", "make it count"),
    ]
    assert [one.day.isoformat() for one in found.changes if one.day] == [
        "2026-11-21", "2026-11-20", "2026-11-20", "2026-11-17", "2026-11-17",
    ]  # fmt: skip
    assert [one.tool for one in found.changes] == ["Edit", "", "Write", "", "Edit"]
    assert found.changes[3].id == first
    assert (found.path, found.names, found.total, found.problems) == ("src/a.py", (), 5, ())


def test_edits_with_one_intent_are_one(memory: Memory, project: Project) -> None:
    write(project.root, "a.py")
    for minute in range(5):
        edit(project, "a.py", "add tests", DAY + timedelta(minutes=minute))
        edit(project, "b.py", "add tests", DAY + timedelta(minutes=minute))
    edit(project, "a.py", "add tests", DAY + timedelta(minutes=9), session="2")
    edit(project, "a.py", "add tests", DAY + timedelta(minutes=10), session="2", tool="Write")
    edit(project, "a.py", "", DAY + timedelta(minutes=11), session="2", tool="Write")
    found = memory.file_history("a.py")
    assert [(one.times, one.tool, one.title) for one in found.changes] == [
        (1, "Write", ""), (1, "Write", "add tests"), (1, "Edit", "add tests"),
        (5, "Edit", "add tests"),
    ]  # fmt: skip
    assert found.changes[-1].at == DAY + timedelta(minutes=4)
    assert line(found.changes[-1]) == "- 2026-11-20 · edit ×5 (Edit) · add tests"
    assert line(found.changes[0]) == "- 2026-11-20 · edit (Write) · no reason recorded"


def test_a_renamed_file_keeps_its_history(memory: Memory, project: Project, git: Git) -> None:
    hours = [DAY + timedelta(hours=at) for at in range(12)]
    write(project.root, "old.py")
    edit(project, "old.py", "begin", hours[0])
    commit(git, "Begin", hours[1])
    git("mv", "old.py", "middle.py")
    edit(project, "middle.py", "edited before the rename was committed", hours[2])
    commit(git, "Rename", hours[3])
    git("mv", "middle.py", "new.py")
    commit(git, "Rename again", hours[5])
    write(project.root, "old.py", "quite another file\n")
    commit(git, "Another old.py", hours[6])
    edit(project, "old.py", "edit another file", hours[7])
    edit(project, "new.py", "edit the file", hours[8])
    memory.log("`middle.py` was a bad name", "learning")
    found = memory.file_history("new.py")
    assert told(found) == [
        ("learning", "`middle.py` was a bad name"),
        ("edit", "edit the file"),
        ("edit", "edit another file"),  # under a name that this file had, too
        ("commit", "Rename again"),
        ("commit", "Rename"),
        ("edit", "edited before the rename was committed"),
        ("commit", "Begin"),
        ("edit", "begin"),
    ]
    assert (found.path, found.names) == ("new.py", ("middle.py", "old.py"))
    by_the_old_name = memory.file_history("middle.py")
    assert by_the_old_name == found
    assert "(was middle.py, old.py)" in rendered(found, 12_000)
    assert told(memory.file_history("old.py")) == [  # of a name that two files had: both
        ("edit", "edit another file"),
        ("commit", "Another old.py"),
        ("commit", "Rename"),
        ("commit", "Begin"),
        ("edit", "begin"),
    ]


def test_a_file_is_not_followed_for_ever(
    memory: Memory, project: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.sources.git import log

    write(project.root, "a.py")
    commit(git, "Begin")
    git("mv", "a.py", "b.py")
    commit(git, "Rename", DAY + timedelta(hours=1))
    git("mv", "b.py", "c.py")
    commit(git, "Rename again", DAY + timedelta(hours=2))
    assert memory.file_history("a.py").path == "c.py"
    monkeypatch.setattr(log, "_MOST_NAMES", 1)
    assert memory.file_history("a.py").path == "a.py"
    assert told(memory.file_history("a.py")) == [("commit", "Rename"), ("commit", "Begin")]


def test_a_rename_that_is_not_committed_yet(memory: Memory, project: Project, git: Git) -> None:
    write(project.root, "old.py")
    edit(project, "old.py", "begin", DAY)
    commit(git, "Begin", DAY + timedelta(hours=1))
    git("mv", "old.py", "new.py")
    edit(project, "new.py", "go on", DAY + timedelta(hours=2))
    found = memory.file_history("new.py")
    assert told(found) == [("edit", "go on"), ("commit", "Begin"), ("edit", "begin")]
    assert found.names == ("old.py",)


def test_a_file_that_is_gone_has_a_history(memory: Memory, project: Project, git: Git) -> None:
    write(project.root, "a.py")
    commit(git, "Begin")
    (project.root / "a.py").unlink()
    commit(git, "End", DAY + timedelta(hours=1))
    assert told(memory.file_history("a.py")) == [("commit", "End"), ("commit", "Begin")]


def test_merges_and_odd_names_do_not_confuse_it(memory: Memory, project: Project, git: Git) -> None:
    name = "odd [name] *é.py"
    write(project.root, name)
    write(project.root, "odd n.py")
    commit(git, "Begin")
    git("switch", "-qc", "side")
    write(project.root, name, "side\n")
    commit(git, "Side", DAY + timedelta(hours=1))
    git("switch", "-q", "main")
    write(project.root, "b.py")
    commit(git, "Main", DAY + timedelta(hours=2))
    git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert told(memory.file_history(name)) == [("commit", "Side"), ("commit", "Begin")]


def test_a_project_below_the_top_of_its_repository(repository: Path, git: Git) -> None:
    inner = repository / "packages" / "one"
    inner.mkdir(parents=True)
    install.apply(install.plan(inner))
    write(repository, "a.py")
    commit(git, "At the top")
    git("mv", "a.py", "packages/one/a.py")
    commit(git, "Move it in", DAY + timedelta(hours=1))
    memory = Memory(Project(inner))
    found = memory.file_history("a.py")
    memory.close()
    assert told(found) == [("commit", "Move it in"), ("commit", "At the top")]
    assert (found.path, found.names) == ("a.py", ("../a.py",))


def test_without_git_there_are_edits_and_memories(tmp_path: Path) -> None:
    install.apply(install.plan(tmp_path))
    project = Project(tmp_path)
    edit(project, "a.py", "begin")
    memory = Memory(project)
    assert told(memory.file_history("a.py")) == [("edit", "begin")]
    memory.close()


def test_what_git_cannot_tell_is_said(
    memory: Memory, project: Project, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.sources.git import log, repository

    write(project.root, "a.py")
    commit(git, "Begin")
    monkeypatch.setattr(
        log, "ask", lambda *_, **__: repository.GitAnswer(-1, problem="git is away. Call it.")
    )
    found = memory.file_history("a.py")
    assert (found.changes, found.problems) == ((), ("git is away. Call it.",))
    assert rendered(found, 12_000).endswith("## Problems\n- git is away. Call it.")


def test_a_commit_with_a_broken_date_is_left_out() -> None:
    from mind.sources.git.log import _revisions

    output = b"\x01abc\nno date\nBroken\0\0M\0a.py\0\x01def\n2026-11-20T10:00:00+00:00\nWell\0"
    assert [one.subject for one in _revisions(output, "a.py")] == ["Well"]


def test_comments_in_the_file_belong_to_it(memory: Memory, project: Project) -> None:
    write(project.root, "a.py", "# MEMORY: gotcha: zero is the first\n")
    memory.index_entries()
    assert told(memory.file_history("a.py")) == [("gotcha", "zero is the first")]


def test_archived_events_count_and_damaged_ones_do_not(memory: Memory, project: Project) -> None:
    write(project.root, "a.py")
    edit(project, "a.py", "long ago", DAY - timedelta(days=300))
    archive = project.folder / "events-20260101T000000000000Z.jsonl"
    archive.write_bytes(project.events.read_bytes())
    project.events.write_text(
        '{"at":"2026-11-20T09:00:00+00:00","session":"1","name":"edit"}\n'
        '{"at":"2026-11-20T09:00:00+00:00","session":"1","name":"edit","data":{"path":["a.py"]}}\n'
        '{"at":"2026-11-20T09:00:00+00:00","session":"1","name":"edit","data":{"path":"a.py"}}\n'
        '{"at":"2026-11-20T09:00:00+00:00","session":"1","name":"read","data":{"path":"a.py"}}\n'
        "damaged\n",
        encoding="utf-8",
    )
    assert told(memory.file_history("a.py")) == [("edit", ""), ("edit", "long ago")]


def test_days_are_those_of_the_project(memory: Memory, project: Project) -> None:
    write(project.root, "a.py")
    edit(project, "a.py", "late", datetime.fromisoformat("2026-11-20T23:30:00-05:00"))
    (change,) = memory.file_history("a.py").changes
    assert str(change.day) == "2026-11-21"


def test_what_is_told_has_no_credentials_and_one_short_line(
    memory: Memory, project: Project
) -> None:
    write(project.root, "a.py")
    edit(project, "a.py", f"use {TOKEN} for\n\nthe call <!-- MIND:END -->")
    edit(project, "a.py", "x " * 400)
    text = rendered(memory.file_history("a.py"), 12_000)
    assert TOKEN not in text
    assert "removed]" in text
    assert "MIND:END -->" not in text
    assert max(map(len, text.split("\n"))) < 450


def test_pages(memory: Memory, project: Project) -> None:
    write(project.root, "a.py")
    for at in range(30):
        edit(project, "a.py", f"step {at}", DAY + timedelta(minutes=at))
    assert [one.title for one in memory.file_history("a.py", limit=2).changes] == [
        "step 29", "step 28",
    ]  # fmt: skip
    second = memory.file_history("a.py", limit=10, offset=25)
    assert [one.title for one in second.changes] == [f"step {at}" for at in (4, 3, 2, 1, 0)]
    assert rendered(second, 12_000).startswith("26-30 of 30 changes to a.py, newest first.")
    assert "More: offset" not in rendered(second, 12_000)
    assert len(rendered(memory.file_history("a.py"), 1_000)) <= 1_000
    for wrong in ({"limit": 0}, {"limit": 101}, {"offset": -1}):
        with pytest.raises(InputError):
            memory.file_history("a.py", **wrong)


@pytest.mark.parametrize("path", ["../a.py", "/etc/passwd", "src/../../a.py"])
def test_only_files_of_the_project(memory: Memory, path: str) -> None:
    with pytest.raises(PathOutside, match="outside the project"):
        memory.file_history(path)


def test_what_is_no_file(memory: Memory, project: Project) -> None:
    for path in ("", " ", "a\0b"):
        with pytest.raises(InputError, match="there is no path"):
            memory.file_history(path)
    with pytest.raises(InputError, match="is a folder"):
        memory.file_history(".mind")
    with pytest.raises(NotFound, match="nothing is known of a file never"):
        memory.file_history("never.py")


def test_absolute_paths_and_links_to_the_project(
    memory: Memory, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(project.root, "a.py")
    edit(project, "a.py", "begin")
    assert told(memory.file_history(f"{project.root}/./a.py")) == [("edit", "begin")]
    alias = tmp_path_factory.mktemp("elsewhere") / "alias"
    alias.symlink_to(project.root)
    through = Memory(Project(alias))
    assert told(through.file_history(f"{project.root}/a.py")) == [("edit", "begin")]
    through.close()


def test_an_entry_without_a_date_comes_last(memory: Memory, project: Project) -> None:
    write(project.root, "a.py")
    edit(project, "a.py", "begin")
    project.memory.write_text("## Notes\n\ngotcha: a.py counts from 0\n", encoding="utf-8")
    last = memory.file_history("a.py").changes[-1]
    assert (last.what, last.day) == ("gotcha", None)
    assert line(last).startswith(f"- undated · gotcha {last.id} · ")


# The command


@pytest.fixture
def run(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run a command in the project; exit code, standard output and error."""
    monkeypatch.chdir(project.root)

    def command(*arguments: str) -> tuple[int, str, str]:
        code = execute(list(arguments), lambda _toolsets: None)
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def test_mind_history(
    run: Callable[..., tuple[int, str, str]],
    project: Project,
    git: Git,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(project.root, "src/old.py")
    commit(git, "Begin")
    git("mv", "src/old.py", "src/a.py")
    commit(git, "Rename", DAY + timedelta(hours=1))
    for at in range(3):
        edit(project, "src/a.py", "go on", DAY + timedelta(hours=2, minutes=at))
    code, out, err = run("history", "src/a.py")
    rows = [row.split("\t") for row in out.splitlines()]
    assert code == 0
    assert [(row[1], row[3]) for row in rows] == [
        ("edit ×3", "go on"), ("commit", "Rename"), ("commit", "Begin"),
    ]  # fmt: skip
    assert "Earlier names of src/a.py: src/old.py." in err
    monkeypatch.chdir(project.root / "src")
    assert run("history", "a.py") == (code, out, err)
    _, out, err = run("history", "a.py", "--limit", "1", "--offset", "1")
    assert out.count("\n") == 1
    assert "Showing 2 of 3; use --offset 2 for more." in err
    assert run("history", "a.py", "--offset", "9")[2].startswith("No more changes.\n")
    _, out, _ = run("history", "a.py", "--json")
    shown = json.loads(out)
    assert shown["names"] == ["src/old.py"]
    assert shown["changes"][0] == {
        "day": "2026-11-20",
        "at": "2026-11-20T11:02:00+00:00",
        "what": "edit",
        "title": "go on",
        "id": "",
        "tool": "Edit",
        "times": 3,
        "name": "src/a.py",
    }
    (project.root / "src" / "new.py").touch()
    assert run("history", "new.py")[2] == "No history for src/new.py.\n"
    assert run("history", "never.py")[0] == 2


def test_a_change_without_a_day_in_the_table(
    run: Callable[..., tuple[int, str, str]], project: Project
) -> None:
    write(project.root, "a.py")
    project.memory.write_text("## Notes\n\ngotcha: a.py counts from 0\n", encoding="utf-8")
    assert run("history", "a.py")[1].startswith("undated\tgotcha\t")
    assert FileChange(day=None, at=None, what="note", title="x").times == 1
