"""Hits say what may have made them untrue since: real repositories, and what is told of them."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import pytest

from mind.domain.entry import Entry, Kind
from mind.memory.memory import Memory
from mind.search.results import Verdict
from mind.setup import install
from mind.sources import staleness
from mind.sources.git import log
from mind.sources.git import repository as repositories
from mind.sources.staleness import PathState, flags, is_surely_a_file, paths_in, verification
from mind.sources.staleness.looking import told as told_by_git
from mind.storage.project import Project

TODAY = date(2026, 11, 20)
Git = Callable[..., str]


def entry(text: str = "x", day: str = "", **fields: str) -> Entry:
    when = date.fromisoformat(day) if day else None
    return Entry(id="a", kind=Kind.NOTE, text=text, date=when, fields=fields)


# What is cited


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/auth.py:42 for it", ("src/auth.py",)),
        ("see `src/auth.py` and `src/legacy/`", ("src/auth.py", "src/legacy")),
        ("run `cat lib/x.sh` in `parse_date`", ("lib/x.sh",)),
        ("`./lib/x.sh` and lib/x.sh", ("lib/x.sh",)),
        ("/home/me/app/src/a.py, but not /etc/app.conf", ("src/a.py",)),
        ("src\\auth.py on Windows, C:\\x\\auth.py elsewhere", ("src/auth.py",)),
        ("auth.py and and/or and 24/7", ("auth.py",)),
        ("https://example.org/src/auth.py", ()),
        ("~/auth.py, ../auth.py, $HOME/auth.py, path/to/file.py, @/lib/auth.ts", ()),
        ("no path at all", ()),
        ("`mind/py.typed` and `Makefile`, but py.typed", ("mind/py.typed", "Makefile")),
        ("LICENSE and `LICENSE text` and `and/or`", ()),
        ("/home/me/app/", ()),
        (" ".join(f"src/m{at}.py" for at in range(30)), tuple(f"src/m{at}.py" for at in range(10))),
    ],
)
def test_paths_are_found_that_may_be_meant_in_the_project(
    text: str, paths: tuple[str, ...]
) -> None:
    assert paths_in(text, "/home/me/app") == paths


@pytest.mark.parametrize(
    ("path", "sure"),
    [
        ("src/auth.py", True),
        (".github/workflows/test.yml", True),
        ("auth.py", False),
        ("src/auth", False),
        ("docs.rs/serde/index.html", False),
        ("application/vnd.oasis", False),
        ("Node.js/Express.js", False),
        ("node_modules/left-pad/index.js", False),
        ("web/dist/bundle.js", False),
    ],
)
def test_only_a_file_in_a_folder_is_surely_one(path: str, sure: bool) -> None:
    assert is_surely_a_file(path) is sure


# What is told


@pytest.mark.parametrize(
    ("verified", "state"),
    [("", "never"), ("soon", "never"), ("2026-11-19", "fresh"), ("2026-08-22", "fresh"),
     ("2026-08-21", "stale"), ("2026-08-21T10:00", "stale"), ("2027-01-01", "fresh")],
)  # fmt: skip
def test_a_check_holds_for_ninety_days(verified: str, state: str) -> None:
    assert verification(entry(verified=verified), TODAY) == state


def test_the_worst_is_told_first_and_an_entry_that_nobody_checked_tells_nothing() -> None:
    cited = {
        "a.py": PathState(days=[date(2026, 1, 3)]),
        "b.py": PathState(days=[date(2026, 1, 5), date(2026, 1, 4), date(2026, 1, 2)]),
        "c.py": PathState(gone=True),
        "d.py": PathState(days=[date(2026, 1, 2)]),
        "e.py": PathState(days=[date(2026, 2, 1)] * 100),
    }
    assert flags(entry(day="2026-01-02"), cited, TODAY) == (
        "c.py is gone",
        "over 99 commits to e.py since",
        "2 commits to b.py since",
        "1 commit to a.py since",
    )
    checked = entry(day="2026-01-02", verified="2026-05-04")
    assert flags(checked, cited, TODAY) == ("c.py is gone", "verified 200 days ago")
    assert flags(entry(), cited, TODAY) == ("c.py is gone",)
    assert flags(entry(verified="2026-11-01"), {}, TODAY) == ()


# In repositories


def commit(git: Git, day: str, message: str = "x", *, cwd: Path) -> None:
    git("add", "--all", cwd=cwd)
    moment = f"{day}T12:00:00+00:00"
    os.environ["GIT_COMMITTER_DATE"] = os.environ["GIT_AUTHOR_DATE"] = moment
    try:
        git("commit", "--quiet", "--allow-empty", "-m", message, cwd=cwd)
    finally:
        del os.environ["GIT_COMMITTER_DATE"], os.environ["GIT_AUTHOR_DATE"]


def write(root: Path, *names: str, text: str = "x\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)


def told(root: Path, *texts: str, day: str = "2026-01-02") -> Sequence[tuple[str, ...]]:
    return staleness.of_entries(root, [entry(text, day) for text in texts], TODAY)


@pytest.fixture
def history(repository: Path, git: Git) -> Path:
    """A repository in which files came, changed, moved and went."""
    write(repository, "src/auth.py", "src/old.py", "setup.py", "legacy/x/one.c", "web/app/login.ts")
    commit(git, "2026-01-01", cwd=repository)
    write(repository, "src/auth.py")
    commit(git, "2026-01-02", cwd=repository)
    for day in ("2026-01-03", "2026-01-04", "2026-01-05"):
        write(repository, "src/auth.py")
        commit(git, day, cwd=repository)
    git("rm", "-rq", "src/old.py", "legacy", "setup.py", cwd=repository)
    commit(git, "2026-02-01", cwd=repository)
    return repository


def test_files_that_are_gone_and_commits_to_those_that_are_there_are_told(history: Path) -> None:
    assert told(history, "src/auth.py keeps it", "src/old.py:3 and legacy/x/", "setup.py") == [
        ("3 commits to src/auth.py since",),
        ("src/old.py is gone", "legacy/x is gone"),
        ("setup.py is gone",),
    ]
    assert told(history, "see src/never.py", "see src/ and .") == [("src/never.py is gone",), ()]
    assert told(history, "src/auth.py", day="") == [()]
    assert told(history, "src/auth.py", day="2026-01-05") == [()]


@pytest.mark.parametrize(
    "text",
    [
        "login.ts and app/login.ts and app/ are further down",
        "tools/unknown and src/fast and and/or, conftest.py, Node.js, docs.rs/serde/index.html",
        "https://example.org/src/old.py and /etc/src/old.py and ../old.py",
        "node_modules/x/index.js and dist/bundle.js are made",
    ],
)
def test_what_was_never_there_or_stands_elsewhere_is_not_gone(history: Path, text: str) -> None:
    assert told(history, text) == [()]


def test_what_is_deleted_is_gone_before_it_is_committed(history: Path) -> None:
    (history / "src/auth.py").unlink()
    assert told(history, "src/auth.py") == [("src/auth.py is gone",)]


def test_a_file_is_there_whatever_it_is(history: Path) -> None:
    (history / "src/link.py").symlink_to("nowhere")
    assert told(history, "src/link.py", "src/auth.py/inner.py") == [
        (),
        ("src/auth.py/inner.py is gone",),
    ]


def test_what_cannot_be_looked_at_is_not_gone(history: Path) -> None:
    (history / "loop").symlink_to("loop")
    assert told(history, "loop/x.py") == [()]


def test_git_is_asked_once_for_an_answer_and_not_again_until_the_next_commit(
    history: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Sequence[str]] = []
    real = repositories.ask

    def ask(root: Path, *arguments: str, seconds: float) -> repositories.GitAnswer:
        if "--full-history" in arguments:
            asked.append(arguments)
        return real(root, *arguments, seconds=seconds)

    monkeypatch.setattr(log, "ask", ask)
    texts = ("src/auth.py and web/app/login.ts", "setup.py, legacy/x/", "src/auth.py, src/old.py")
    first = told(history, *texts)
    assert len(asked) == 1
    assert told(history, *texts) == first
    assert told(history, "src/auth.py", day="2026-01-03") == [("2 commits to src/auth.py since",)]
    assert told(history, "no path", "src/never.py") == [(), ("src/never.py is gone",)]
    assert len(asked) == 1
    assert told(history, "src/auth.py", day="2026-01-01") == [("4 commits to src/auth.py since",)]
    assert len(asked) == 2
    write(history, "src/auth.py")
    commit(git, "2026-03-01", cwd=history)
    assert told(history, "src/auth.py") == [("4 commits to src/auth.py since",)]
    assert len(asked) == 3


def test_git_that_is_slow_or_missing_says_nothing_and_is_not_waited_for(
    history: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    slow = folder / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    start = time.monotonic()
    assert told(history, "src/auth.py and setup.py and src/old.py") == [("src/old.py is gone",)]
    assert told(history, "src/auth.py and setup.py") == [()]
    assert time.monotonic() - start < 10
    told_by_git.clear()
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    assert told(history, "src/auth.py and setup.py") == [()]


def test_outside_of_git_and_before_the_first_commit_nothing_is_told(
    tmp_path: Path, git: Git
) -> None:
    assert told(tmp_path, "src/old.py") == [()]
    git("init", "--quiet")
    assert told(tmp_path, "src/old.py") == [()]
    checked = entry("src/old.py", verified="2026-05-04")
    assert staleness.of_entries(tmp_path, [checked], TODAY) == [("verified 200 days ago",)]


def test_a_bare_repository_has_no_files_to_miss(history: Path, git: Git, tmp_path: Path) -> None:
    git("config", "core.bare", "true", cwd=history)
    assert told(history, "src/never.py and setup.py") == [()]
    bare = tmp_path / "bare.git"
    git("clone", "--quiet", "--bare", str(history), str(bare))
    assert told(bare, "src/old.py and setup.py") == [()]


def test_a_worktree_is_judged_by_its_own_files(history: Path, git: Git, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("worktree", "add", "--quiet", str(other), "HEAD~1", cwd=history)
    assert told(other, "src/old.py and setup.py", "src/auth.py", "src/never.py") == [
        (),
        ("3 commits to src/auth.py since",),
        ("src/never.py is gone",),
    ]


def test_a_project_in_a_folder_of_a_repository_cites_from_either(history: Path, git: Git) -> None:
    write(history, "web/README.md", "web/app/new.ts")
    commit(git, "2026-03-01", cwd=history)
    (history / "web/app/new.ts").unlink()
    commit(git, "2026-03-02", cwd=history)
    inner = history / "web"
    assert told(inner, "app/login.ts", "web/app/login.ts", "app/new.ts", "src/auth.py") == [
        (),
        (),
        ("app/new.ts is gone",),
        ("3 commits to src/auth.py since",),
    ]


def test_files_of_a_submodule_are_its_own(
    history: Path, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lib = tmp_path_factory.mktemp("lib")
    git("init", "--quiet", cwd=lib)
    write(lib, "core/x.py")
    commit(git, "2026-01-01", cwd=lib)
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    git(*add, str(lib), "libs/lib", cwd=history)
    commit(git, "2026-03-01", cwd=history)
    texts = ("libs/lib/core/x.py", "libs/lib/core/gone.py", "libs/other/gone.py")
    assert told(history, *texts) == [(), (), ("libs/other/gone.py is gone",)]
    assert told(history / "libs/lib", "core/x.py", "core/gone.py") == [
        (),
        ("core/gone.py is gone",),
    ]
    git("submodule", "--quiet", "deinit", "--all", cwd=history)
    assert told(history, *texts) == [(), (), ("libs/other/gone.py is gone",)]


def test_a_sparse_checkout_leaves_files_out(history: Path, git: Git) -> None:
    git("sparse-checkout", "set", "--no-cone", "/web/", cwd=history)
    assert not (history / "src").exists()
    assert told(history, "src/auth.py and src/old.py") == [()]


def test_an_index_that_shortens_names_tells_nothing(history: Path, git: Git) -> None:
    git("update-index", "--index-version", "4", cwd=history)
    assert told(history, "src/old.py and setup.py", "src/auth.py") == [
        (),
        ("3 commits to src/auth.py since",),
    ]
    (history / ".git/index").unlink()
    assert told(history, "src/old.py") == [()]


def test_a_cut_history_counts_no_commits(history: Path, git: Git, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git("clone", "--quiet", "--depth=1", history.as_uri(), str(clone))
    assert told(clone, "src/auth.py", "src/old.py") == [(), ("src/old.py is gone",)]


def test_the_length_of_a_name_is_not_taken_for_a_folder(repository: Path, git: Git) -> None:
    name = f"src/{'x' * 40}.py"
    assert len(name) == ord("/")
    write(repository, name)
    commit(git, "2026-01-01", cwd=repository)
    (repository / name).unlink()
    assert told(repository, name) == [(f"{name} is gone",)]


def test_odd_names_are_asked_for_as_they_are(repository: Path, git: Git) -> None:
    write(repository, "src/ünï.py", "src/a+b@c.py")
    commit(git, "2026-01-01", cwd=repository)
    write(repository, "src/ünï.py", "src/a+b@c.py")
    commit(git, "2026-01-03", cwd=repository)
    for setting in ("diff.relative=true", "log.follow=true", "diff.renames=copies"):
        git("config", *setting.split("="))
    assert told(repository, "src/ünï.py", "src/a+b@c.py") == [
        ("1 commit to src/ünï.py since",),
        ("1 commit to src/a+b@c.py since",),
    ]
    assert told(repository, "src/ünï.py", day="0001-01-01") == [("1 commit to src/ünï.py since",)]


# In answers


NOTES = """\
# Memory

## 2026-01-02

- decided: sessions are kept in src/auth.py ^aaaaaaaa
- learned: sessions of src/old.py were lost; setup.py too ^bbbbbbbb
- gotcha: sessions end at midnight [verified:: 2026-05-04] ^cccccccc
- note: sessions of a day ^dddddddd
"""


def _reasons(verdicts: Mapping[str, Verdict]) -> dict[str, tuple[str, ...]]:
    return {one: verdict.reasons for one, verdict in verdicts.items() if verdict.reasons}


def test_hits_details_and_timelines_carry_it(history: Path, memory: Memory) -> None:
    memory.project.memory.write_text(NOTES, encoding="utf-8")
    expected = {
        "aaaaaaaa": ("3 commits to src/auth.py since",),
        "bbbbbbbb": ("src/old.py is gone", "setup.py is gone"),
        "cccccccc": ("verified 200 days ago",),
    }
    stale = {hit.entry.id: hit.stale for hit in memory.search("sessions").hits}
    assert stale == {**expected, "dddddddd": ()}
    assert {hit.entry.id: hit.stale for hit in memory.recent().hits} == stale
    assert _reasons(memory.get(["aaaaaaaa", "dddddddd"]).verdicts) == {
        "aaaaaaaa": expected["aaaaaaaa"]
    }
    assert _reasons(memory.timeline("bbbbbbbb").verdicts) == expected


def test_a_search_of_every_project_judges_hits_in_their_own(
    history: Path, memory: Memory, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    memory.project.memory.write_text(NOTES, encoding="utf-8")
    other = tmp_path_factory.mktemp("other")
    git("init", "--quiet", cwd=other)
    write(other, "src/old.py")
    commit(git, "2026-01-01", cwd=other)
    install.apply(install.plan(other))
    Project(other).memory.write_text(NOTES, encoding="utf-8")
    found = memory.search("sessions", everywhere=True).hits
    stale = {(hit.project, hit.entry.id): hit.stale for hit in found}
    assert stale["", "bbbbbbbb"] == ("src/old.py is gone", "setup.py is gone")
    assert stale[other.name, "bbbbbbbb"] == ()
    assert stale[other.name, "aaaaaaaa"] == ("src/auth.py is gone",)
