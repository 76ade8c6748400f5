"""What git does with a memory: in a clone with Mind and without, in worktrees and submodules."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.domain.errors import FileError, ProjectError
from mind.memory.memory import Memory
from mind.setup import doctor, install
from mind.setup.git import driver
from mind.setup.git.installing import pattern, state
from mind.storage.project import Project
from tests.conftest import Run
from tests.merge_story import program, story

Git = Callable[..., str]


@pytest.fixture(autouse=True)
def _with_program(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git finds the ``mind`` of this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    program(folder)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def init(root: Path, *, private: bool = False, git_hooks: bool = False) -> None:
    install.apply(install.plan(root, private=private, git_hooks=git_hooks))


def log(root: Path, text: str, kind: str = "decision") -> str:
    memory = Memory(Project(root))
    done = memory.log(text, kind)
    memory.close()
    return done.entry.id


def branches(git: Git, root: Path, ours: Callable[[], object], theirs: Callable[[], object]) -> str:
    """Commit what two branches do apart, and merge them; what git printed, with its exit code."""
    git("add", "-A", cwd=root)
    git("commit", "-qm", "base", cwd=root)
    for name, work in (("theirs", theirs), ("ours", ours)):
        git("checkout", "-q", "-b", name, "main", cwd=root)
        work()
        git("add", "-A", cwd=root)
        git("commit", "-qm", name, cwd=root)
    done = subprocess.run(
        ["git", "merge", "-m", "merge", "theirs"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return f"{done.stdout}{done.stderr}{done.returncode}"


def test_the_block_of_an_entry_that_both_sides_archived_is_not_added_again(
    repository: Path, git: Git
) -> None:
    init(repository)
    memory = Memory(Project(repository))
    parser = log(repository, "the cache of the parser is keyed by path")
    queue = log(repository, "Redis holds the queue")
    branches(
        git,
        repository,
        lambda: memory.update(parser, "the cache of the parser is keyed by path and time"),
        lambda: memory.forget(parser, "no longer true"),
    )
    index = repository / ".git" / "index"
    os.utime(index, (index.stat().st_mtime + 30,) * 2)  # a later command wrote it
    memory.forget(queue, "gone")
    memory.close()
    text = (repository / ".mind" / "ARCHIVE.md").read_text(encoding="utf-8")
    assert text.count(f" {parser}\n\n- reason: ") == 1
    assert text.count(f" {queue}\n\n- reason: ") == 1


def test_two_branches_that_log_merge_without_a_word(repository: Path, git: Git) -> None:
    init(repository)
    told = branches(
        git,
        repository,
        lambda: log(repository, "SQLite over Postgres"),
        lambda: log(repository, "Redis over memcached"),
    )
    assert told.endswith("0")
    text = (repository / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    assert text.endswith("\n\n- decided: SQLite over Postgres\n- decided: Redis over memcached\n")


def test_a_conflict_is_told_in_words_and_marked_around_one_entry(
    repository: Path, git: Git
) -> None:
    init(repository)
    known = log(repository, "keep sessions for five minutes in the cache")

    def reword(text: str) -> Callable[[], object]:
        def work() -> None:
            memory = Memory(Project(repository))
            memory.update(known, text)
            memory.close()

        return work

    told = branches(
        git,
        repository,
        reword("keep sessions for six minutes in the cache"),
        reword("keep sessions for seven minutes in the cache"),
    )
    assert told.endswith("1")
    assert "mind: .mind/MEMORY.md: entry changed differently on both sides: choose" in told
    text = (repository / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    begin, _, rest = text.partition("<<<<<<< ours\n")
    ours, _, rest = rest.partition("=======\n")
    assert ours == f"- decided: keep sessions for six minutes in the cache ^{known}\n"
    said = f"- decided: keep sessions for seven minutes in the cache ^{known}\n"
    assert rest == f"{said}>>>>>>> theirs\n"
    assert "sessions" not in begin
    blocks = Memory(Project(repository)).archive().blocks
    assert [one.id for one in blocks] == [known]


def test_forgotten_here_and_edited_there_is_kept_and_its_block_stays(
    repository: Path, git: Git
) -> None:
    init(repository)
    known = log(repository, "keep sessions for five minutes in the cache")

    def forget() -> None:
        memory = Memory(Project(repository))
        memory.forget(known, "no longer so")
        memory.close()

    def edit() -> None:
        memory = Memory(Project(repository))
        memory.update(known, "keep sessions for six minutes in the cache")
        memory.close()

    told = branches(git, repository, forget, edit)
    assert told.endswith("0")
    assert "taken away on one side and changed on the other: kept" in told
    memory = Memory(Project(repository))
    assert memory.get([known]).entries[0].text == "keep sessions for six minutes in the cache"
    assert [one.reason for one in memory.archive().blocks] == ["corrected; no longer so"]
    memory.close()


def test_a_clone_without_mind_keeps_both_sides(repository: Path, git: Git) -> None:
    init(repository)
    git("config", "--remove-section", "merge.mind")
    (repository / ".git" / "info" / "attributes").unlink()
    told = branches(
        git,
        repository,
        lambda: log(repository, "SQLite over Postgres"),
        lambda: log(repository, "Redis over memcached"),
    )
    assert told.endswith("0")
    text = (repository / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    assert text.endswith("- decided: SQLite over Postgres\n- decided: Redis over memcached\n")


def test_where_the_program_is_not_found_git_merges_lines(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(repository)
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
    told = branches(
        git,
        repository,
        lambda: log(repository, "SQLite over Postgres"),
        lambda: log(repository, "Redis over memcached"),
    )
    assert told.endswith("0")
    text = (repository / ".mind" / "MEMORY.md").read_text(encoding="utf-8")
    assert text.endswith("- decided: SQLite over Postgres\n- decided: Redis over memcached\n")


def recalled(root: Path, text: str) -> None:
    """A session that notes one decision, after which the block shows it."""
    memory = Memory(Project(root))
    memory.log(text, "decision")
    memory.recall()
    memory.close()


def test_two_branches_with_a_note_each_do_not_conflict_in_the_block(
    repository: Path, git: Git
) -> None:
    (repository / "CLAUDE.md").write_text("# Ours\n\nUse tabs.\n", encoding="utf-8")
    init(repository)
    for number in range(10):
        git("checkout", "-q", "-B", "main")
        for name in ("ours", "theirs"):
            git("branch", "-qD", name) if number else None
        told = branches(
            git,
            repository,
            lambda number=number: recalled(repository, f"pnpm {number} over npm"),  # type: ignore[misc] # bound now
            lambda number=number: recalled(repository, f"Vitest {number} over Jest"),  # type: ignore[misc] # the same
        )
        assert told.endswith("0"), told
        assert git("status", "--porcelain") == ""
        memory = Memory(Project(repository))
        memory.recall()
        memory.close()
        block = (repository / "CLAUDE.md").read_text(encoding="utf-8")
        assert f"pnpm {number} over npm" in block
        assert f"Vitest {number} over Jest" in block
        assert block.startswith("# Ours\n\nUse tabs.\n")


def test_a_block_left_in_conflict_is_made_anew_by_the_next_recall(
    repository: Path, git: Git
) -> None:
    init(repository)
    git("config", "--remove-section", "merge.mind")
    (repository / ".git" / "info" / "attributes").unlink()
    told = branches(
        git,
        repository,
        lambda: recalled(repository, "SQLite over Postgres"),
        lambda: recalled(repository, "Redis over memcached"),
    )
    assert "CONFLICT" in told
    assert "<<<<<<<" in (repository / "CLAUDE.md").read_text(encoding="utf-8")
    memory = Memory(Project(repository))
    assert memory.recall().problems == ()
    memory.close()
    text = (repository / "CLAUDE.md").read_text(encoding="utf-8")
    assert "<<<<<<<" not in text
    assert "SQLite over Postgres" in text
    assert "Redis over memcached" in text


def test_a_driver_that_breaks_leaves_both_sides_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("base", "a\n"), ("ours", "b\n"), ("theirs", "c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def broken(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr("mind.documents.merge.merge", broken)
    names = [str(tmp_path / name) for name in ("base", "ours", "theirs")]
    with pytest.raises(RuntimeError, match="a mistake"):
        driver.main([*names, ".mind/MEMORY.md", "7"])
    text = (tmp_path / "ours").read_text(encoding="utf-8")
    assert text == "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


def test_text_that_git_cannot_merge_is_kept_whole_from_both_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    marked = b"<<<<<<< ours\nb\0\n=======\nc\n>>>>>>> theirs\n"
    assert driver.textual(b"a\0\n", b"b\0", b"c\n", 7) == (marked, 1)
    assert driver.textual(b"a\nx\ny\n", b"b\nx\ny\n", b"a\nx\nz\n", 7) == (b"b\nx\nz\n", 0)
    monkeypatch.setenv("PATH", "")
    assert driver.textual(b"a\0\n", b"b\0", b"c\n", 7) == (marked, 1)


def test_init_again_changes_nothing_and_uninstall_takes_everything_back(
    repository: Path, git: Git
) -> None:
    config = repository / ".git" / "config"
    git("config", "user.name", "Somebody")
    before = config.read_bytes()
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/bash\necho theirs\nexit 0\n")
    hook.chmod(0o755)
    attributes = repository / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_bytes(b"*.png binary")
    init(repository, git_hooks=True)
    assert git("check-attr", "merge", ".mind/ARCHIVE.md") == ".mind/ARCHIVE.md: merge: mind"
    assert install.plan(repository, git_hooks=True).changes == ()
    assert hook.read_bytes().startswith(b"#!/bin/bash\n# >>> mind")
    assert hook.read_bytes().endswith(b"echo theirs\nexit 0\n")
    assert hook.stat().st_mode & 0o111
    other = repository / ".git" / "hooks" / "post-merge"
    assert other.stat().st_mode & 0o111
    install.apply(install.plan_removal(repository))
    assert config.read_bytes() == before
    assert hook.read_bytes() == b"#!/bin/bash\necho theirs\nexit 0\n"
    assert attributes.read_bytes() == b"*.png binary"
    assert not other.exists()


def test_a_dry_run_shows_what_git_is_told(repository: Path) -> None:
    shown = install.plan(repository).diff()
    assert "+++ b/.git/config" in shown
    assert "+/.mind/MEMORY.md merge=mind" in shown
    assert "+MEMORY.md merge=union" in shown
    assert not (repository / ".git" / "info" / "attributes").exists()


def test_a_private_memory_is_none_of_gits_business(repository: Path) -> None:
    init(repository, private=True)
    assert b"merge" not in (repository / ".git" / "config").read_bytes()
    assert not (repository / ".mind" / ".gitattributes").exists()


def test_without_a_repository_nothing_is_planned(tmp_path: Path) -> None:
    assert state(Project(tmp_path)) is None
    assert not any(".git" in step.path.name for step in install.plan(tmp_path).steps[6:])


def test_attributes_of_somebody_else_stay(repository: Path) -> None:
    path = repository / ".mind" / ".gitattributes"
    path.parent.mkdir()
    path.write_bytes(b"MEMORY.md merge=ours")
    init(repository)
    assert path.read_bytes() == b"MEMORY.md merge=ours\nREMINDERS.md merge=union\n"


def test_a_hook_that_is_no_shell_script_is_left_alone(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/usr/bin/env python3\n")
    with pytest.raises(FileError, match="not a shell script"):
        install.plan(repository, git_hooks=True)


def test_lines_below_a_mark_that_lost_its_other_are_nobodys_guess(repository: Path) -> None:
    init(repository, git_hooks=True)
    hook = repository / ".git" / "hooks" / "post-commit"
    whole = hook.read_bytes()
    end = whole.rindex(b"# <<< mind")
    hook.write_bytes(whole[:end] + b"echo mine\n")
    damaged = hook.read_bytes()
    with pytest.raises(FileError, match="damaged"):
        install.plan(repository, git_hooks=True)
    with pytest.raises(FileError, match="damaged"):
        install.plan_removal(repository)
    hook.write_bytes(damaged + whole[whole.index(b"# >>>") :])
    with pytest.raises(FileError, match="damaged"):
        install.plan_removal(repository)
    assert b"echo mine\n" in hook.read_bytes()


def test_the_folder_of_hooks_that_git_is_told_is_used(repository: Path, git: Git) -> None:
    folder = repository / "team hooks"
    git("config", "core.hooksPath", "team hooks")
    init(repository, git_hooks=True)
    assert (folder / "post-merge").exists()
    install.apply(install.plan_removal(repository))
    assert not folder.exists()


def test_a_folder_of_hooks_outside_that_the_repository_names_is_left_alone(
    repository: Path, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("hooks")
    (folder / "post-commit").write_bytes(b"#!/bin/sh\necho theirs\n")
    git("config", "core.hooksPath", str(folder))
    with pytest.raises(ProjectError, match="outside this repository"):
        init(repository, git_hooks=True)
    init(repository)
    install.apply(install.plan_removal(repository))
    assert [one.name for one in folder.iterdir()] == ["post-commit"]


@pytest.fixture
def everywhere(
    tmp_path_factory: pytest.TempPathFactory, git: Git, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder of hooks that the user's configuration names, for all repositories."""
    folder = tmp_path_factory.mktemp("everywhere")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder.parent / "gitconfig"))
    git("config", "--global", "core.hooksPath", str(folder))
    return folder


def test_a_folder_of_hooks_for_all_repositories_is_left_alone(
    repository: Path, git: Git, everywhere: Path
) -> None:
    theirs = everywhere / "post-commit"
    theirs.write_bytes(b"#!/bin/sh\necho theirs\n")
    with pytest.raises(ProjectError, match="other repositories may share") as told:
        init(repository, git_hooks=True)
    assert "core.hooksPath .git/hooks" in told.value.remedy
    assert not (repository / ".mind").exists()  # the whole plan is refused
    assert [one.name for one in everywhere.iterdir()] == ["post-commit"]
    assert theirs.read_bytes() == b"#!/bin/sh\necho theirs\n"
    init(repository)
    git("config", "core.hooksPath", ".git/hooks")  # what the remedy says
    init(repository, git_hooks=True)
    own = repository / ".git" / "hooks" / "post-commit"
    assert b"mind" in own.read_bytes()
    assert [one.name for one in everywhere.iterdir()] == ["post-commit"]
    git("config", "--unset", "core.hooksPath")
    install.apply(install.plan_removal(repository))  # it is found where it was put
    assert not own.exists()


def test_a_folder_of_hooks_in_each_repository_is_its_own(
    repository: Path, git: Git, everywhere: Path
) -> None:
    git("config", "--global", "core.hooksPath", ".githooks")
    init(repository, git_hooks=True)
    assert b"mind" in (repository / ".githooks" / "post-merge").read_bytes()
    install.apply(install.plan_removal(repository))
    assert not (repository / ".githooks").exists()
    assert not any(everywhere.iterdir())


def test_init_says_what_to_do_about_a_folder_of_hooks_for_all(
    repository: Path, everywhere: Path, mind: Run
) -> None:
    code, _, err = mind("init", "--git-hooks", str(repository))
    assert code == 1
    assert str(everywhere) in err
    assert "omit --git-hooks" in err


def test_a_commit_brings_the_index_up_to_date_in_the_background(repository: Path, git: Git) -> None:
    init(repository, git_hooks=True)
    ran = repository / "ran"
    fake = Path(os.environ["PATH"].split(os.pathsep)[0]) / "mind"
    os.mkfifo(repository / "wait")
    fake.write_text(
        f'#!/bin/sh\ncd "{repository}"\nread line < wait\necho "$@" > ran\necho > wait\n',
        encoding="utf-8",
    )
    git("add", ".mind")
    git("commit", "-qm", "one")
    assert not ran.exists()  # the commit did not wait
    with (repository / "wait").open("w", encoding="utf-8") as go:
        go.write("go\n")
    with (repository / "wait").open(encoding="utf-8") as ended:
        ended.read()
    assert ran.read_text(encoding="utf-8") == "--project . index\n"


REJECTED = "- rejected: Redux for the cart - too much boilerplate. Zustand stores.\n"


def committing(root: Path) -> subprocess.CompletedProcess[str]:
    command = ["git", "commit", "-qm", "x"]
    return subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)


def test_a_commit_that_brings_back_what_was_rejected_is_stopped(repository: Path, git: Git) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/sh\nset -e\necho theirs\n")
    hook.chmod(0o755)
    install.apply(install.plan(repository, pre_commit=True))
    assert not (hook.parent / "post-commit").exists()
    (repository / ".mind" / "MEMORY.md").write_text(f"## 2026-11-20\n{REJECTED}", "utf-8")
    git("add", ".mind")
    harmless = committing(repository)
    assert (harmless.returncode, harmless.stderr.strip()) == (0, "theirs")
    cart = repository / "cart.ts"
    cart.write_text("import { createStore } from 'redux';\n", "utf-8")
    git("add", "cart.ts")
    stopped = committing(repository)
    assert stopped.returncode == 1
    assert "rejected before on 2026-11-20" in stopped.stderr
    assert "instead: Zustand stores" in stopped.stderr
    assert "theirs" not in stopped.stderr
    git("commit", "-qnm", "x")
    cart.write_text("import { create } from 'zustand';\n", "utf-8")
    git("add", "cart.ts")
    assert committing(repository).returncode == 0
    install.apply(install.plan_removal(repository))
    assert hook.read_bytes() == b"#!/bin/sh\nset -e\necho theirs\n"


def test_a_commit_goes_on_where_the_check_cannot_run(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    install.apply(install.plan(repository, pre_commit=True))
    git("add", ".mind")
    program_folder = os.environ["PATH"].split(os.pathsep)[0]
    (Path(program_folder) / "mind").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    assert committing(repository).returncode == 0
    monkeypatch.setenv("PATH", os.environ["PATH"].removeprefix(f"{program_folder}{os.pathsep}"))
    (repository / "a.py").write_text("a = 1\n", "utf-8")
    git("add", "a.py")
    assert committing(repository).returncode == 0


def test_the_hook_for_pre_commit_says_what_was_rejected(repository: Path, git: Git) -> None:
    told = (Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"^  entry: (.+)$", told, re.MULTILINE)
    assert entry is not None
    init(repository)
    (repository / ".mind" / "MEMORY.md").write_text(REJECTED, "utf-8")
    for text, status in (("import 'zustand';\n", 0), ("import 'redux';\n", 3)):
        (repository / "cart.ts").write_text(text, "utf-8")
        git("add", "cart.ts")
        done = subprocess.run(
            shlex.split(entry[1]), cwd=repository, capture_output=True, check=False
        )
        assert (done.returncode, b"rejected before" in done.stdout) == (status, status == 3)


def test_a_folder_with_odd_characters_has_a_pattern_of_its_own(tmp_path: Path, git: Git) -> None:
    root = tmp_path / 'a "b" [c]* é\\'
    root.mkdir()
    git("init", "--quiet", "--initial-branch=main")
    init(root)
    assert git("check-attr", "-z", "merge", ".mind/MEMORY.md", cwd=root).split("\0")[2] == "mind"
    assert git("check-attr", "-z", "merge", "MEMORY.md").split("\0")[2] == "unspecified"
    assert pattern("/a b/") == '"/a b/"'
    assert state(Project(root)) == ""


def test_two_projects_of_one_repository_are_taken_out_one_by_one(tmp_path: Path, git: Git) -> None:
    git("init", "--quiet", "--initial-branch=main")
    roots = [tmp_path / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
        init(root)
    install.apply(install.plan_removal(roots[0]))
    assert state(Project(roots[0])) != ""
    assert state(Project(roots[1])) == ""
    install.apply(install.plan_removal(roots[1]))
    assert b"mind" not in (tmp_path / ".git" / "config").read_bytes()


def test_a_worktree_and_a_submodule_are_served_by_their_own_git(tmp_path: Path, git: Git) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    git("init", "--quiet", "--initial-branch=main", str(main))
    (main / "x").write_text("x", encoding="utf-8")
    git("add", "-A", cwd=main)
    git("commit", "-qm", "x", cwd=main)
    git("worktree", "add", "-q", str(tree), cwd=main)
    init(tree)
    assert state(Project(tree)) == ""
    assert b'[merge "mind"]' in (main / ".git" / "config").read_bytes()
    assert "../main/.git/config" in [
        os.path.relpath(step.path, tree) for step in install.plan_removal(tree).changes
    ]
    host = tmp_path / "host"
    git("init", "--quiet", "--initial-branch=main", str(host))
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(main), "sub", cwd=host)
    init(host / "sub")
    assert state(Project(host / "sub")) == ""
    assert b"merge" not in (host / ".git" / "config").read_bytes()


def test_the_doctor_says_that_git_does_not_merge_by_entries_and_mends_it(
    repository: Path, git: Git
) -> None:
    init(repository)
    git("config", "--remove-section", "merge.mind")
    found = {one.name: one for one in doctor.examine(repository)}["merging"]
    assert (found.verdict.value, found.detail.split(",")[0]) == (
        "warning",
        "git has no merge driver for the memory",
    )
    mended = {one.name: one for one in doctor.examine(repository, fix=True)}["merging"]
    assert (mended.verdict.value, mended.mended) == ("fine", True)
    (repository / ".git" / "info" / "attributes").unlink()
    assert state(Project(repository)) == "git merges .mind/MEMORY.md as union"


def test_the_driver_starts_without_what_it_does_not_need(tmp_path: Path) -> None:
    """Git starts it three times in a merge."""
    for name, text in (("base", ""), ("ours", "b\n"), ("theirs", "c\n")):
        (tmp_path / name).write_text(f"# m\n\n## 2026-11-20\n\n{text}", encoding="utf-8")
    code = (
        "import sys, json; from mind.__main__ import merged; "
        "merged(sys.argv[1:]); print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            *(str(tmp_path / name) for name in ("base", "ours", "theirs")),
        ],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"typer", "rich", "git", "markdown_it", "numpy", "mind.memory.memory"}


@pytest.mark.slow
def test_two_clones_that_work_apart_lose_and_double_nothing(tmp_path: Path) -> None:
    told = story(tmp_path, rounds=4, operations=10, seed=5)
    assert told.clean, told
    assert (told.merges, told.entries > 10) == (4, True)
