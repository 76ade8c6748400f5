"""Mind does not put back entries that git took out, unlike those that an editor overwrote."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage import files
from mind.storage.files import appending, recent
from mind.storage.files.content import whole
from mind.storage.gitindex import wrote
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


@pytest.mark.parametrize("command", ["reset -q --hard", "checkout -q .", "restore .mind"])
def test_what_is_nowhere_else_comes_back(
    committed: Project, git: Git, mind: Run, command: str
) -> None:
    """An agent that discards its code does not discard what it learned from that."""
    mind("log", "-t", "learning", TEXT)
    git(*command.split())
    mind("search", "parser")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


@pytest.mark.parametrize("seconds", [0, 60])
def test_what_git_put_aside_stays_out(
    committed: Project, git: Git, mind: Run, seconds: float
) -> None:
    before = committed.memory.read_bytes()
    mind("log", "-t", "learning", TEXT)
    age(committed, seconds)
    git("stash", "-q")
    assert mind("search", "parser")[1] == "No results for 'parser'.\n"
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


def test_a_copy_that_an_editor_saves_after_a_stash_while_mind_reads_is_overruled(
    committed: Project, git: Git, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind("log", "-t", "learning", TEXT)
    git("stash", "-q")
    content = committed.memory.read_bytes() + b"- decided: pnpm over npm\n"

    def saved_meanwhile(descriptor: int, path: Path) -> bytes:
        monkeypatch.setattr(appending, "whole", whole)
        time.sleep(0.03)
        committed.memory.write_bytes(content)
        return whole(descriptor, path)

    monkeypatch.setattr(appending, "whole", saved_meanwhile)
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


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


@pytest.mark.parametrize("command", ["add -A", "commit -qam more"])
def test_an_older_copy_is_overruled_though_git_stored_it_at_once(
    committed: Project, git: Git, mind: Run, command: str
) -> None:
    copy = committed.memory.read_bytes() + b"- decided: pnpm over npm\n"
    mind("log", "-t", "learning", TEXT)
    committed.memory.write_bytes(copy)
    time.sleep(0.03)  # the clock of the file system ticks
    git(*command.split())
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


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


def test_a_split_index_does_not_show_what_git_took_out(
    committed: Project, git: Git, mind: Run
) -> None:
    git("update-index", "--split-index")
    mind("log", "-t", "learning", TEXT)
    git("stash", "-q")
    mind("status")
    assert committed.memory.read_bytes().count(TEXT.encode()) == 1


# --- who wrote a file ----------------------------------------------------------------------


def by_git(path: Path, **other: int) -> bool:
    status = path.stat()
    known = {"inode": status.st_ino, "size": status.st_size, "modified": status.st_mtime_ns}
    return wrote(os.path.realpath(path), **known | other)


@pytest.fixture(params=["sha1 2", "sha256 2", "sha1 4"])
def clean(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, git: Git
) -> Path:
    """A file that git has just written, a minute after it was committed."""
    root = tmp_path_factory.mktemp("clean")
    digest, version = request.param.split()
    git("init", "-q", f"--object-format={digest}", cwd=root)
    git("config", "index.version", version, cwd=root)
    (root / "a.md").touch()
    path = root / "notes.md"
    path.write_text("one\n", encoding="utf-8")
    git("add", "-A", cwd=root)
    git("commit", "-qm", "base", cwd=root)
    store_earlier(root)
    path.write_text("two\n", encoding="utf-8")
    git("stash", "-q", cwd=root)
    return path


def test_git_wrote_a_file_only_as_the_index_records_it(clean: Path) -> None:
    status = clean.stat()
    assert by_git(clean)
    assert not by_git(clean, inode=status.st_ino + 1)
    assert not by_git(clean, size=3)
    assert not by_git(clean, modified=status.st_mtime_ns + 1)
    assert not by_git(clean, modified=status.st_mtime_ns + 10**9)
    assert not by_git(clean.rename(clean.with_name("other.md")))


@pytest.mark.parametrize(("seconds", "is_near"), [(1, True), (5, False)])
def test_git_stashed_moments_after_it_wrote_the_file(
    clean: Path, git: Git, seconds: float, is_near: bool
) -> None:
    move(clean, -seconds)
    git("status", cwd=clean.parent)
    assert by_git(clean) == is_near


def test_git_for_windows_records_no_inode(clean: Path) -> None:
    index = clean.parent / ".git" / "index"
    inode = (clean.stat().st_ino & 0xFFFFFFFF).to_bytes(4, "big")
    assert index.read_bytes().count(inode) == 1
    index.write_bytes(index.read_bytes().replace(inode, bytes(4)))
    assert by_git(clean)
    assert by_git(clean, inode=7)


def test_a_file_whose_content_git_stored_later_is_not_git_s(clean: Path) -> None:
    for one in (clean.parent / ".git" / "objects").rglob("*"):
        move(one, 120)
    assert not by_git(clean)


def test_only_a_stash_or_a_move_of_head_counts(clean: Path, git: Git) -> None:
    stash = clean.parent / ".git" / "logs" / "refs" / "stash"
    stash.rename(stash.with_name("other"))
    git("commit", "-q", "--allow-empty", "-m", "more", cwd=clean.parent)
    git("reset", "-q", "--hard", cwd=clean.parent)
    assert not by_git(clean)
    git("checkout", "-q", "-b", "other", cwd=clean.parent)
    assert by_git(clean)
    log = clean.parent / ".git" / "logs" / "HEAD"
    log.write_bytes(b"damaged\n\tcheckout: x\na b c\tcheckout: y\n")
    assert not by_git(clean)


def test_in_doubt_it_was_not_git(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = clean.parent / ".git" / "index"
    intact = index.read_bytes()
    for content in (intact[:50], b"", b"DIRC\0\0\0\x09" + intact[8:]):
        index.write_bytes(content)
        assert not by_git(clean)
    index.unlink()
    assert not by_git(clean)
    shutil.rmtree(clean.parent / ".git")
    monkeypatch.chdir(clean.parent)
    Path("index").write_bytes(intact)
    assert not by_git(clean)
