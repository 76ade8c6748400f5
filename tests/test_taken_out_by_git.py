"""Mind does not put back entries that git took out, unlike those that an editor overwrote."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage import files
from mind.storage.files import recent
from mind.storage.project import Project
from tests.conftest import Run

Git = Callable[..., str]

TEXT = "the parser trims trailing commas"


@pytest.fixture
def committed(here: Project, git: Git, mind: Run) -> Project:
    """A project whose memory and archive were committed a minute ago."""
    mind("log", "-t", "decision", "MongoDB holds the catalogue")
    archive_one(here)
    git("add", "-A")
    git("commit", "-qm", "base")
    store_earlier(here.root)
    return here


def store_earlier(root: Path) -> None:
    """Let git have stored all content a minute earlier."""
    for path in (root / ".git" / "objects").rglob("*"):
        move(path, -60)


def archive_one(project: Project, text: str = "etcd holds the leases") -> None:
    memory = Memory(project)
    memory.forget(memory.log(text, "decision").entry.id, "not any more")
    memory.close()


def age(project: Project, seconds: float) -> None:
    """Let Mind's additions have been made so much earlier."""
    for path in (project.memory, project.archive):
        ring = recent.ring_of(path)
        assert ring is not None
        ring.save([one._replace(at=one.at - int(seconds * 10**9)) for one in ring.load()])


def move(path: Path, seconds: float) -> None:
    """Let the file have been written so much later."""
    moved = path.stat().st_mtime_ns + int(seconds * 10**9)
    os.utime(path, ns=(moved, moved))


def save(project: Project, content: bytes, seconds: float = 0.5) -> None:
    """An editor saved ``content`` some time ago."""
    project.memory.write_bytes(content)
    move(project.memory, -seconds)


@pytest.mark.parametrize(
    "commands",
    [
        "reset -q --hard",
        "checkout -q .",
        "restore .mind",
        "checkout -qf main",
        "reset -q --hard; switch -qc feature",
        "reset -q --hard; merge -q other",
        "stash push -q code; checkout -q .",
        "checkout -qf other",
    ],
)
def test_what_is_nowhere_else_comes_back(
    committed: Project, git: Git, mind: Run, commands: str
) -> None:
    """An agent that discards its code does not discard what it learned from that."""
    git("switch", "-qc", "other")
    (committed.root / "code").touch()
    git("add", "code")
    git("commit", "-qm", "more")
    git("switch", "-q", "main")
    if "code" in commands:
        git("merge", "-q", "other")
        (committed.root / "code").write_text("x", encoding="utf-8")
    mind("log", "-t", "learning", TEXT)
    for command in commands.split("; "):
        git(*command.split())
    mind("search", "parser")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


@pytest.mark.parametrize("seconds", [0, 60])
@pytest.mark.parametrize(
    "command",
    [
        "reset -q --hard HEAD~1",
        "switch -q base",
        "revert HEAD",
        "revert -n HEAD",
        "rebase -q base",
        "checkout base .mind/MEMORY.md",
    ],
)
def test_what_git_has_in_a_commit_stays_out(
    committed: Project, git: Git, mind: Run, command: str, seconds: float
) -> None:
    before = committed.memory.read_bytes()
    git("branch", "base")
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "more")
    if "rebase" in command:
        git("revert", "--no-edit", "HEAD")
        git("switch", "-qc", "older", "HEAD~1")
        git("config", "sequence.editor", "sed -i 's/^pick/drop/'")
        command = "rebase -q -i base"
    age(committed, seconds)
    git(*command.split())
    mind("status")
    assert committed.memory.read_bytes() == before
    assert TEXT.encode() not in committed.archive.read_bytes()


@pytest.mark.parametrize(
    "commands",
    [
        "revert -n HEAD~1; commit -qm less",
        "merge -q --squash less; commit -qm less",
        "restore -SW --source=base .mind; commit -qm less",
    ],
)
def test_what_is_taken_out_with_git_and_committed_by_hand_stays_out(
    committed: Project, git: Git, mind: Run, commands: str
) -> None:
    git("branch", "base")
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "more")
    (committed.root / "code").touch()
    git("add", "code")
    git("commit", "-qm", "code")
    git("switch", "-qc", "less")
    committed.memory.write_bytes(committed.memory.read_bytes().replace(TEXT.encode(), b"x"))
    git("commit", "-qam", "fewer")
    git("switch", "-q", "main")
    mind("status")
    for command in commands.split("; "):
        git(*command.split())
    before = committed.memory.read_bytes()
    assert TEXT.encode() not in before
    age(committed, 60)
    mind("status")
    assert committed.memory.read_bytes() == before
    assert TEXT.encode() not in committed.archive.read_bytes()


def test_what_an_editor_drops_though_git_has_it_comes_back(
    committed: Project, git: Git, mind: Run
) -> None:
    copy = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "more")
    save(committed, copy + b"- decided: pnpm over npm\n")
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


def test_an_entry_is_protected_again_after_it_came_back_from_a_stash(
    committed: Project, git: Git, mind: Run
) -> None:
    copy = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    git("stash", "-q")
    mind("status")
    git("stash", "pop", "-q")
    mind("status")
    save(committed, copy)
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


def test_nothing_is_decided_while_git_works(committed: Project, git: Git, mind: Run) -> None:
    mind("log", "-t", "learning", TEXT)
    git("checkout", "-q", ".")
    before = committed.memory.read_bytes()
    lock = committed.root / ".git" / "index.lock"
    lock.touch()
    mind("status")
    assert committed.memory.read_bytes() == before
    move(lock, -61)  # a crash left it
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


def test_what_a_branch_forgot_stays_out_of_a_merge_that_is_not_committed(
    committed: Project, git: Git, mind: Run
) -> None:
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "more")
    git("switch", "-qc", "other")
    committed.memory.write_bytes(committed.memory.read_bytes().replace(TEXT.encode(), b"x"))
    (committed.root / "code").write_text("a", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "fewer")
    git("switch", "-q", "main")
    mind("status")
    (committed.root / "code").write_text("b", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "code")
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "other")  # a conflict in the code
    mind("status")
    assert TEXT.encode() not in committed.memory.read_bytes()


def test_a_split_index_changes_nothing(committed: Project, git: Git, mind: Run) -> None:
    before = committed.memory.read_bytes()
    git("update-index", "--split-index")
    mind("log", "-t", "learning", TEXT)
    git("stash", "-q")
    mind("status")
    assert committed.memory.read_bytes() == before


def test_in_a_conflict_git_s_index_has_no_version_of_the_memory(
    committed: Project, git: Git, mind: Run
) -> None:
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "more")
    git("switch", "-qc", "other")
    text = committed.memory.read_bytes()
    for branch, new in (("other", b"another"), ("main", b"a third")):
        git("switch", "-q", branch)
        mind("status")
        committed.memory.write_bytes(text.replace(b"MongoDB", new))
        (committed.root / ".gitattributes").write_text("*.md merge=text\n", encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", branch)
    with pytest.raises(subprocess.CalledProcessError):
        git("merge", "-q", "other")
    resolved = text.replace(TEXT.encode(), b"it counts commas")
    save(committed, resolved)
    mind("status")
    assert committed.memory.read_bytes() == resolved


@pytest.mark.parametrize("seconds", [0, 60])
def test_what_git_put_aside_stays_out(
    committed: Project, git: Git, mind: Run, seconds: float
) -> None:
    before = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    age(committed, seconds)
    git("stash", "-q")
    assert mind("search", "parser")[1] == "Nothing found for 'parser'. Try other words.\n"
    age(committed, 60)
    mind("status")
    assert git("status", "--short", ".mind") == ""
    archive_one(committed, "memcached keeps the sessions")
    assert committed.memory.read_bytes() == before
    assert TEXT.encode() not in committed.archive.read_bytes()


@pytest.mark.parametrize("seconds", [0, 60])
def test_a_stash_can_be_popped_and_the_entry_is_then_only_in_the_memory(
    committed: Project, git: Git, mind: Run, seconds: float
) -> None:
    mind("log", "-t", "learning", TEXT)
    age(committed, seconds)
    with_entry = committed.memory.read_bytes()
    git("stash", "-q")
    mind("search", "parser")
    git("stash", "pop", "-q")
    mind("status")
    assert committed.memory.read_bytes() == with_entry
    assert git("status", "--short", ".mind") == "M .mind/MEMORY.md"


@pytest.mark.parametrize("seconds", [0, 60])
def test_the_reflog_shows_it_when_a_later_command_wrote_the_index(
    committed: Project, git: Git, mind: Run, seconds: float
) -> None:
    before = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    age(committed, seconds)
    git("stash", "-q")
    git("status")  # times are equal, so that it writes the index
    move(committed.root / ".git" / "index", 30)
    mind("search", "parser")
    assert committed.memory.read_bytes() == before
    assert git("status", "--short", ".mind") == ""


def test_what_git_took_out_of_a_linked_worktree_stays_out(
    committed: Project, git: Git, mind: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("worktree") / "other"
    git("worktree", "add", "-q", str(other))
    before = (other / ".mind" / "MEMORY.md").read_bytes()
    mind("--project", str(other), "log", "-t", "learning", TEXT)
    git("stash", "-q", cwd=other)
    mind("--project", str(other), "status")
    assert (other / ".mind" / "MEMORY.md").read_bytes() == before
    assert git("status", "--short", cwd=other) == ""


def test_an_entry_logged_after_a_stash_is_protected(
    committed: Project, git: Git, mind: Run
) -> None:
    mind("log", "-t", "learning", TEXT)
    git("stash", "-q")
    copy = committed.memory.read_bytes()
    mind("log", "-t", "decision", "Redis holds the queue")
    save(committed, copy)
    mind("status")
    assert committed.memory.read_bytes() == copy + b"- decided: Redis holds the queue\n"


def test_what_an_editor_dropped_before_a_stash_is_still_archived(
    committed: Project, git: Git
) -> None:
    memory = Memory(committed)
    memory.log(TEXT, "learning")
    memory.close()
    age(committed, 60)
    save(committed, b"# Memory\n")
    assert not files.settle(committed.memory)
    files.append(committed.memory, lambda _: b"- decided: Redis holds the queue\n")
    git("stash", "-q")
    memory.status()
    memory.close()
    assert TEXT.encode() in committed.archive.read_bytes()
    assert b"Redis" not in committed.archive.read_bytes()


def test_an_older_copy_is_overruled_though_git_status_recorded_it_seconds_later(
    committed: Project, git: Git, mind: Run
) -> None:
    copy = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    save(committed, copy, seconds=5)
    git("status")
    debug = git("ls-files", "--debug", ".mind/MEMORY.md")
    assert f"mtime: {committed.memory.stat().st_mtime_ns // 10**9}:" in debug
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


@pytest.mark.parametrize("first", ["", "commit -qam first"])
@pytest.mark.parametrize(
    "commands",
    [
        "add -A",
        "commit -qam more",
        "commit -qa --amend -m more",
        "commit -qam more; commit -q --allow-empty -m code; switch -qc other",
    ],
)
def test_an_older_copy_is_overruled_though_git_stored_it_at_once(
    committed: Project, git: Git, mind: Run, commands: str, first: str
) -> None:
    copy = committed.memory.read_bytes() + b"- decided: pnpm over npm\n"
    mind("log", "-t", "learning", TEXT)
    if first:
        git(*first.split())
    committed.memory.write_bytes(copy)
    time.sleep(0.03)  # the clock of the file system ticks
    for command in commands.split("; "):
        git(*command.split())
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


def test_an_older_copy_that_was_committed_later_archives_the_entry(
    committed: Project, git: Git, mind: Run
) -> None:
    copy = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    git("commit", "-qam", "first")
    age(committed, 60)
    save(committed, copy + b"- decided: pnpm over npm\n")
    git("commit", "-qam", "work")
    assert "1 entry is missing" in "".join(mind("recall")[1:])
    assert TEXT.encode() in committed.archive.read_bytes()


def test_an_older_copy_is_overruled_where_git_does_not_track_the_file(
    committed: Project, git: Git, mind: Run
) -> None:
    git("rm", "-rq", "--cached", ".mind")
    git("commit", "-qm", "less")
    copy = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    save(committed, copy)
    git("status")
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1
