"""Who wrote an entry, what it was before, and what a memory was at another commit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.__main__ import main
from mind.domain.errors import FileError, InputError, NotFound, ProjectError
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.boundary import own_memory
from mind.storage.project import Project
from tests.conftest import Clock

Git = Callable[..., str]


def commit(git: Git, message: str, author: str = "Ann") -> str:
    git("add", "-A")
    git("commit", "-qm", message, f"--author={author} <{author.lower()}@example.org>")
    return git("rev-parse", "HEAD")


def told(memory: Memory, identifier: str) -> list[tuple[str, str]]:
    return [
        (one.what, one.commit.subject if one.commit else "")
        for one in memory.life(identifier).versions
    ]


def test_what_is_not_committed_says_so(memory: Memory, git: Git) -> None:
    known = memory.log("SQLite over Postgres", "decision").entry.id
    assert told(memory, known) == [("written", "")]
    commit(git, "begin")
    assert told(memory, known) == [("written", "begin")]
    memory.verify(known)
    assert told(memory, known) == [("changed", ""), ("written", "begin")]


def test_an_entry_is_followed_through_edits_the_archive_and_back(
    memory: Memory, git: Git, project: Project
) -> None:
    known = memory.log("keep sessions in the cache for five minutes", "decision").entry.id
    commit(git, "begin")
    text = project.memory.read_text(encoding="utf-8")
    project.memory.write_text(text.replace("five minutes", "six minutes"), encoding="utf-8")
    commit(git, "by hand", "Bob")
    known = memory.search("sessions cache").hits[0].entry.id
    memory.update(known, "keep sessions in the cache for seven minutes")
    commit(git, "corrected", "Cleo")
    memory.forget(known, "no cache any more")
    commit(git, "forgotten")
    assert told(memory, known)[0] == ("archived", "forgotten")
    assert memory.life(known).versions[0].reason == "no cache any more"
    memory.restore(known)
    commit(git, "restored")
    (project.root / "other").write_text("x", encoding="utf-8")
    commit(git, "other")
    life = memory.life(known)
    assert told(memory, known) == [
        ("restored", "restored"),
        ("archived", "forgotten"),
        ("changed", "corrected"),
        ("changed", "by hand"),
        ("written", "begin"),
    ]
    assert [one.commit.author for one in life.versions[2:] if one.commit] == ["Cleo", "Bob", "Ann"]
    assert (life.wrote.text, life.changed.text) == (
        "- decided: keep sessions in the cache for five minutes",
        f"- decided: keep sessions in the cache for seven minutes ^{known}",
    )


def test_an_entry_of_a_merged_branch_was_written_on_it(memory: Memory, git: Git) -> None:
    commit(git, "begin")
    git("checkout", "-q", "-b", "topic")
    known = memory.log("SQLite over Postgres", "decision").entry.id
    commit(git, "on topic", "Bob")
    git("checkout", "-q", "main")
    memory.index.clear()
    (memory.project.root / "x").write_text("x", encoding="utf-8")
    commit(git, "beside")
    git("merge", "-q", "-m", "merge", "topic")
    assert told(memory, known) == [("written", "on topic")]


def test_what_git_does_not_keep_has_no_history(memory: Memory, git: Git, project: Project) -> None:
    (project.root / "a.py").write_text("# MEMORY: learned: it must be warm\n", encoding="utf-8")
    commit(git, "begin")
    noted = memory.log("tried without", "experience").entry.id
    with pytest.raises(InputError, match="not a memory file tracked by git"):
        memory.life(noted)
    said = next(one for one in memory.index_entries() if one.source == "a.py")
    with pytest.raises(InputError, match=r"git blame -L 1,1 -- a.py"):
        memory.life(said.id)
    with pytest.raises(NotFound):
        memory.life("nothing")


def test_without_a_repository_or_git_the_remedy_says_what_to_do(
    tmp_path: Path, memory: Memory, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, "begin")
    known = memory.log("SQLite over Postgres", "decision").entry.id
    with monkeypatch.context() as alone:
        alone.setenv("PATH", "")
        with pytest.raises(ProjectError, match="Install git"):
            memory.life(known)
        with pytest.raises(ProjectError, match="Install git"):
            memory.difference("HEAD")
    (tmp_path / ".git").rename(tmp_path / "gone")
    with pytest.raises(ProjectError, match="git init"):
        memory.life(known)


@pytest.mark.parametrize(
    "name", ["nope", "--all", "--output=/tmp/x", "HEAD:.mind", "-n1", "\0", "", "HEAD..HEAD"]
)
def test_what_names_no_commit_is_an_error(memory: Memory, git: Git, name: str) -> None:
    commit(git, "begin")
    if name:
        with pytest.raises(NotFound, match="git knows no commit"):
            memory.search_at(name, "x")
    with pytest.raises(NotFound, match="git knows no commit"):
        memory.difference(f"{name or 'x'}..nope")


def test_a_shallow_clone_says_that_it_is_cut(
    memory: Memory, git: Git, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, clock: Clock
) -> None:
    known = memory.log("SQLite over Postgres", "decision").entry.id
    commit(git, "begin")
    git("branch", "topic")
    memory.log("Redis over memcached", "decision")
    commit(git, "later")
    other = tmp_path_factory.mktemp("clones") / "other"
    git("clone", "-q", "--depth=1", "--no-single-branch", tmp_path.as_uri(), str(other))
    cut = Memory(Project(other), clock=clock)
    assert cut.life(known).cut
    with pytest.raises(NotFound, match="unshallow"):
        cut.search_at("HEAD~1", "x")
    with pytest.raises(NotFound, match=r"no commit in common(?s:.)*unshallow"):
        cut.difference("origin/topic...HEAD")
    cut.close()


def test_a_search_in_an_earlier_memory_leaves_the_users_own_out(
    memory: Memory, git: Git, home: Path
) -> None:
    memory.log("SQLite over Postgres", "decision")
    commit(git, "begin")
    own = own_memory()
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- decided: SQLite for all of mine\n", encoding="utf-8")
    assert [hit.project for hit in memory.search("sqlite").hits] == ["", "global"]
    assert [hit.project for hit in memory.search_at("HEAD", "sqlite").hits] == [""]


def test_a_search_finds_what_memory_held_then(memory: Memory, git: Git, project: Project) -> None:
    known = memory.log("SQLite over Postgres", "decision").entry.id
    memory.remind("check the SQLite backup", "when I mention backups")
    first = commit(git, "begin")
    git("tag", "v1")
    memory.forget(known, "no longer so")
    memory.log("Postgres over SQLite after all", "decision")
    commit(git, "later")
    state = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()}
    for name in ("v1", first, "HEAD~1"):
        assert [hit.entry.id for hit in memory.search_at(name, "sqlite").hits] == [known]
    assert {path: path.read_bytes() for path in state} == state
    assert git("status", "--porcelain") == ""
    assert known not in [hit.entry.id for hit in memory.search("sqlite").hits]


def test_a_commit_before_there_was_memory_has_none(
    memory: Memory, git: Git, project: Project
) -> None:
    (project.root / "x").write_text("x", encoding="utf-8")
    git("add", "x")
    git("commit", "-qm", "none")
    commit(git, "begin")
    with pytest.raises(NotFound, match=r"\.mind/MEMORY\.md does not exist at 'HEAD~1'"):
        memory.search_at("HEAD~1", "x")
    assert memory.difference("HEAD~1..HEAD").removed == ()


def test_the_difference_of_two_commits_is_told_by_entries(
    memory: Memory, git: Git, project: Project
) -> None:
    texts = ["keep sessions in the cache", "index files at night only", "log in JSON, one a line"]
    ids = [memory.log(text, "decision").entry.id for text in texts]
    gone = memory.log("ship on Mondays", "decision").entry.id
    commit(git, "begin")
    added = memory.log("tokens are opaque", "learning").entry.id
    memory.update(ids[0], "keep sessions in the database")
    memory.forget(ids[1], "it runs at noon")
    text = project.memory.read_text(encoding="utf-8")
    text = text.replace("log in JSON, one a line", "log in JSON, one a line, to stderr")
    project.memory.write_text(text.replace("- decided: ship on Mondays\n", ""), encoding="utf-8")
    for revisions in ("HEAD", "HEAD~1..", "HEAD~1..HEAD"):
        if revisions == "HEAD~1..":
            commit(git, "later")
        found = memory.difference(revisions)
        assert [one.id for one in found.added] == [added]
        assert [(one.before.text[:9], one.after.text) for one in found.changed] == [
            ("keep sess", "keep sessions in the database"),
            ("log in JS", "log in JSON, one a line, to stderr"),
        ]
        assert [(one.id, one.reason) for one in found.archived] == [(ids[1], "it runs at noon")]
        assert [one.id for one in found.removed] == [gone]
    assert memory.difference("HEAD~1...HEAD") == memory.difference("HEAD~1..HEAD")


def test_three_dots_leave_out_what_the_other_branch_changed(memory: Memory, git: Git) -> None:
    base = memory.log("keep sessions in the cache", "decision").entry.id
    commit(git, "begin")
    git("branch", "topic")
    memory.forget(base, "it was slow")
    memory.log("the main branch goes on", "learning")
    commit(git, "main")
    git("checkout", "--quiet", "topic")
    added = memory.log("tokens are opaque", "learning").entry.id
    commit(git, "topic")
    found = memory.difference("@{-1}...topic")
    assert [one.id for one in found.added] == [added]
    assert (found.changed, found.archived, found.removed) == ((), (), ())
    git("checkout", "--quiet", "--orphan", "alone")
    commit(git, "alone")
    with pytest.raises(NotFound, match="no commit in common"):
        memory.difference("topic...alone")


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr("sys.argv", ["mind", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    return f"{shown.out}{shown.err}{ended.value.code}"


def test_the_commands_print_text_and_json(
    memory: Memory,
    git: Git,
    project: Project,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(project.root)
    known = memory.log("SQLite over Postgres", "decision").entry.id
    commit(git, "begin", "Ann")
    memory.update(known, "SQLite over MySQL")
    memory.close()
    blamed = run(capsys, monkeypatch, "blame", known)
    assert "Ann <ann@example.org>" in blamed
    assert "not committed yet" in blamed
    data = json.loads(run(capsys, monkeypatch, "blame", known, "--json").removesuffix("0"))
    assert (data["wrote"]["commit"]["subject"], data["changed"]["commit"]) == ("begin", None)
    shown = run(capsys, monkeypatch, "log-history", known)
    assert shown.index("SQLite over MySQL") < shown.index("SQLite over Postgres")
    data = json.loads(run(capsys, monkeypatch, "log-history", known, "--json").removesuffix("0"))
    assert [one["what"] for one in data["versions"]] == ["changed", "written"]
    shown = run(capsys, monkeypatch, "diff")
    assert f"~\t{known}\tdecision\tSQLite over MySQL\n\t\twas\tSQLite over Postgres\n" in shown
    data = json.loads(run(capsys, monkeypatch, "diff", "HEAD", "--json").removesuffix("0"))
    assert data["changed"][0]["before"]["text"] == "SQLite over Postgres"
    assert "SQLite" in run(capsys, monkeypatch, "search", "--at", "HEAD", "postgres")
    assert "exclude each other2" in run(
        capsys, monkeypatch, "search", "--at", "HEAD", "-a", "x"
    ).replace(".\nUse one of them.\n", "")
    helped = run(capsys, monkeypatch, "merge-file", "--help")
    assert "entry by entry" in helped


def test_a_folder_that_git_cannot_be_asked_for_is_an_error(
    tmp_path: Path, git: Git, clock: Clock
) -> None:
    git("init", "--quiet", "--initial-branch=main")
    root = tmp_path / "a\nb"
    root.mkdir()
    install.apply(install.plan(root))
    memory = Memory(Project(root), clock=clock)
    memory.log("SQLite over Postgres", "decision")
    commit(git, "begin")
    with pytest.raises((FileError, NotFound)):
        memory.difference("HEAD")
    memory.close()
