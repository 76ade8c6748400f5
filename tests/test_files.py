"""Reading, locking, appending and editing files, as a caller sees it."""

import errno
import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.errors import ChangedMeanwhile, FileError, LockTimeout, NotText
from mind.storage import files
from mind.storage.files import appending, beside, content, recent, replacing, system
from mind.storage.files.recent import Addition, State

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's ``.mind``."""
    made = tmp_path / ".mind"
    made.mkdir()
    return made


@pytest.fixture
def memory(folder: Path) -> Path:
    """A memory file that nobody has written for a while."""
    path = folder / "MEMORY.md"
    path.write_bytes(b"# Memory\n\nfirst\n")
    rest(path)
    return path


def rest(path: Path, seconds: float = 60) -> None:
    """Let the file look as if it was last written ``seconds`` ago."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, time.time_ns() - int(seconds * 10**9)))


def saved(path: Path, data: bytes, seconds: float = 0.5) -> None:
    """What an editor does that knows nothing of Mind; it has been quiet for some time since."""
    path.write_bytes(data)
    rest(path, seconds)


def adding(data: bytes) -> Callable[[bytes], bytes]:
    return lambda _: data


def left_in(folder: Path) -> list[str]:
    names = (one.name for one in folder.iterdir() if one.name != recent.FOLDER)
    return sorted(name for name in names if name.endswith((".tmp", ".journal")))


class Clock:
    """The time that files.py sees, ahead of the system's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        real, real_ns = time.time, time.time_ns
        monkeypatch.setattr(time, "time", lambda: real() + self.ahead)
        monkeypatch.setattr(time, "time_ns", lambda: real_ns() + int(self.ahead * 10**9))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


# --- reading ------------------------------------------------------------------------------


def test_a_missing_file_reads_as_empty(tmp_path: Path) -> None:
    assert files.read(tmp_path / "none" / "MEMORY.md") == b""


def test_all_bytes_are_read_as_they_are(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf# A\r\n\0\xff" * 30_000
    (tmp_path / "a").write_bytes(data)
    assert files.read(tmp_path / "a") == data


@POSIX
def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, word in [
        (tmp_path, "a folder"),
        (tmp_path / "pipe", "a pipe"),
        (Path("/dev/null"), "a device"),
        (tmp_path / "loop", "symbolic link"),
        (tmp_path / ("x" * 300), "too long"),
    ]:
        with pytest.raises(FileError) as caught:
            files.read(path)
        assert word in caught.value.message
        assert caught.value.data["path"] == str(path)
    with pytest.raises(FileError, match="a pipe"):
        files.append(tmp_path / "pipe", adding(b"x"))
    with pytest.raises(FileError, match="a folder"):
        files.edit(tmp_path, adding(b"x"))
    with pytest.raises(FileError, match="link"):
        files.append(tmp_path / "loop", adding(b"x"))
    with pytest.raises(FileError, match="link"):
        files.edit(tmp_path / "loop", adding(b"x"), create=True)


def test_a_file_of_64_mib_is_read_and_a_larger_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.LARGEST == 64 * 2**20
    monkeypatch.setattr(content, "LARGEST", 10)
    (tmp_path / "a").write_bytes(b"0123456789")
    assert files.read(tmp_path / "a") == b"0123456789"
    (tmp_path / "a").write_bytes(b"0123456789x")
    with pytest.raises(FileError, match="11 bytes, more than 10") as caught:
        files.read(tmp_path / "a")
    assert "another file" in caught.value.remedy
    with pytest.raises(FileError, match="11 bytes"):
        files.edit(tmp_path / "a", adding(b""))
    assert (tmp_path / "a").read_bytes() == b"0123456789x"


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 200_000)
    descriptor = os.open(tmp_path / "a", os.O_RDONLY)
    real = os.fstat(descriptor)
    try:
        assert content.part(descriptor, 199_990, 50) == b"x" * 10
        assert len(content.whole(descriptor, tmp_path / "a")) == real.st_size
    finally:
        os.close(descriptor)


def test_lesson_text_that_is_not_utf8_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(NotText) as caught:
        files.decode(b"one\ntwo\ncaf\xe9\n", tmp_path / "CLAUDE.md")
    assert caught.value.message == "CLAUDE.md:3 is not UTF-8"
    assert caught.value.data["line"] == 3
    with pytest.raises(NotText, match=":1 "):
        files.decode("text".encode("utf-16"), tmp_path / "CLAUDE.md")


def test_a_byte_order_mark_is_no_text() -> None:
    assert files.decode(b"\xef\xbb\xbfa\r\n", Path("a")) == "a\r\n"
    assert files.decode(b"", Path("a")) == ""


@pytest.mark.parametrize("data", [None, b"", b" \n", b"{", b"\xff", b"[" * 100_000, b"1" * 5000])
def test_lesson_a_broken_json_file_reads_as_nothing(tmp_path: Path, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "state.json").write_bytes(data)
    assert files.read_json(tmp_path / "state.json") is None


def test_json_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'\xef\xbb\xbf{"a": [1]}')
    assert files.read_json(tmp_path / "a") == {"a": [1]}
    with pytest.raises(FileError):
        files.read_json(tmp_path)


# --- locking ------------------------------------------------------------------------------


def test_the_holder_of_a_lock_may_enter_again(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "lock"
    with files.lock(path), files.lock(path), files.lock(path.parent / "." / "lock"):
        assert path.is_file()
    with files.lock(path, timeout=0):
        pass


def test_a_lock_excludes_the_other_threads_of_the_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    refused = []

    def other() -> None:
        with pytest.raises(LockTimeout) as caught, files.lock(path, timeout=0.01):
            pass
        refused.append(caught.value)

    with files.lock(path):
        with files.lock(path):
            pass
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert str(path) in refused[0].message
    assert "0.01 s" in refused[0].message
    assert "nothing was changed" in refused[0].remedy


def test_a_lock_is_free_after_an_error_in_its_holder(tmp_path: Path) -> None:
    with pytest.raises(KeyError), files.lock(tmp_path / "lock"):
        raise KeyError
    with pytest.raises(KeyError), files.lock(tmp_path / "lock"), files.lock(tmp_path / "lock"):
        raise KeyError
    done = []
    thread = threading.Thread(target=lambda: done.append(_locks(tmp_path / "lock")))
    thread.start()
    thread.join()
    assert done == [True]


def _locks(path: Path) -> bool:
    with files.lock(path, timeout=0):
        return True


def test_many_threads_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside: list[int] = []
    most: list[int] = []

    def work(name: int) -> None:
        for _ in range(20):
            with files.lock(path):
                inside.append(name)
                most.append(len(inside))
                inside.remove(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 120


@pytest.mark.parametrize(("turns", "waited"), [(0, 10), (1, 20), (99, 70)])
def test_who_waits_for_a_lock_leaves_the_processor_to_its_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: int, waited: int
) -> None:
    """The time to wait begins anew a few times if others had the lock in between."""
    pauses: list[float] = []
    ahead = 0.0

    def slept(seconds: float) -> None:
        nonlocal ahead
        pauses.append(seconds)
        ahead += seconds
        if ahead < turns * 10:
            os.utime(tmp_path / "lock", (ahead, ahead))

    def other() -> None:
        with pytest.raises(LockTimeout), files.lock(tmp_path / "lock", timeout=10):
            pass

    monkeypatch.setattr(time, "monotonic", lambda: ahead)
    monkeypatch.setattr(time, "sleep", slept)
    with files.lock(tmp_path / "lock"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert sum(pauses) == pytest.approx(waited)
    assert 100 * waited < len(pauses) < 250 * waited
    assert max(pauses) < 0.02  # once it is free, the one who waits has it at once
    assert max(pauses[:100]) > 2 * min(pauses[:100])  # they do not ask in step


def test_a_deleted_lock_file_does_not_let_two_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    try_lock = system.try_lock
    tries = []

    def deleting(descriptor: int) -> bool:
        tries.append(descriptor)
        if len(tries) == 1:
            path.unlink()
        return try_lock(descriptor)

    monkeypatch.setattr(system, "try_lock", deleting)
    with files.lock(path):
        assert len(tries) == 2
        assert path.is_file()


@POSIX
def test_a_forked_child_does_not_hold_its_parents_lock(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom mind.storage import files\n"
        "from mind.domain.errors import LockTimeout\n"
        "path = Path(sys.argv[1])\n"
        "with files.lock(path):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            with files.lock(path, timeout=0): os._exit(1)\n"
        "        except LockTimeout: os._exit(7)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "    start, end = os.pipe()\n"
        "    child = os.fork()\n"
        "    if child == 0: os.close(end); os.read(start, 1); os._exit(0)\n"
        "with files.lock(path, timeout=0): pass\n"  # though the child still has the descriptor
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "lock")], check=True)


@POSIX
def test_a_lock_that_cannot_be_made_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="not a directory"), files.lock(tmp_path / "file" / "lock"):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(FileError), files.lock(tmp_path / "link"):
        pass
    assert not (tmp_path / "target").exists()

    def refused(descriptor: int, operation: int) -> None:
        del descriptor, operation
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refused)
    with pytest.raises(FileError) as caught, files.lock(tmp_path / "lock"):
        pass
    assert "local disk" in caught.value.remedy
    assert not _open_descriptors(tmp_path)


@POSIX
def test_another_users_lock_file_can_be_locked_without_writing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def as_other_user(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", as_other_user)
    with pytest.raises(FileError, match="permission"), files.lock(tmp_path / "lock"):
        pass
    (tmp_path / "lock").touch()
    with files.lock(tmp_path / "lock"):
        pass


def _open_descriptors(folder: Path) -> list[str]:
    """Open files below ``folder``, where the system can tell."""
    table = Path("/proc/self/fd")
    found = []
    for one in table.iterdir() if table.is_dir() else ():
        try:
            name = str(one.readlink())
        except OSError:  # the descriptor that lists the table
            continue
        if name.startswith(str(folder)):
            found.append(name)
    return found


def test_the_lock_of_a_project_serves_every_file_in_it(tmp_path: Path) -> None:
    assert system.cache_of(tmp_path / "CLAUDE.md") is None
    (tmp_path / ".mind").mkdir()
    cache = tmp_path / ".mind" / "cache"
    assert system.cache_of(tmp_path / "CLAUDE.md") == cache
    assert system.cache_of(tmp_path / "docs" / "x" / "AGENTS.md") == cache
    assert system.cache_of(tmp_path / ".mind" / "MEMORY.md") == cache
    assert system.cache_of(tmp_path / ".mind" / "sub" / "MEMORY.md") == cache


def test_a_writer_waits_for_the_projects_lock(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system.lock, "__wrapped__", None, raising=False)
    caught: list[type[BaseException]] = []
    slow = system.lock

    def hasty(path: Path, timeout: float = 10.0) -> object:
        del timeout
        return slow(path, timeout=0.01)

    monkeypatch.setattr(system, "lock", hasty)

    def other() -> None:
        for action in (
            lambda: files.append(memory, adding(b"x\n")),
            lambda: files.edit(memory, adding(b"x\n")),
        ):
            with pytest.raises(LockTimeout) as info:
                action()
            caught.append(info.type)

    with files.lock(memory.parent / "cache" / "lock"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert caught == [LockTimeout, LockTimeout]
    assert memory.read_bytes() == b"# Memory\n\nfirst\n"


# --- appending ----------------------------------------------------------------------------


def test_what_compose_gives_is_added_at_the_end(memory: Path) -> None:
    seen = []

    def compose(tail: bytes) -> bytes:
        seen.append(tail)
        return b"second\n"

    inode = memory.stat().st_ino
    assert files.append(memory, compose, tail=6) == b"second\n"
    assert seen == [b"first\n"]
    assert memory.read_bytes() == b"# Memory\n\nfirst\nsecond\n"
    assert memory.stat().st_ino == inode
    files.append(memory, compose)
    assert seen[1] == b"# Memory\n\nfirst\nsecond\n"


def test_an_addition_is_one_write(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    real = os.write

    def write(descriptor: int, data: bytes) -> int:
        written.append(bytes(data))
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    files.append(memory, adding(b"x" * 100_000))
    assert written[0] == b"x" * 100_000


def test_a_missing_file_is_made(folder: Path) -> None:
    assert files.append(folder / "MEMORY.md", adding(b"one\n")) == b"one\n"
    assert (folder / "MEMORY.md").read_bytes() == b"one\n"


def test_nothing_to_add_writes_nothing(memory: Path, folder: Path) -> None:
    before = memory.stat()
    assert files.append(memory, adding(b"")) == b""
    assert memory.stat().st_mtime_ns == before.st_mtime_ns
    assert files.append(folder / "NEW.md", adding(b"")) == b""
    assert not (folder / "NEW.md").exists()

    def failing(_: bytes) -> bytes:
        raise KeyError

    with pytest.raises(KeyError):
        files.append(folder / "NEW.md", failing)
    assert not (folder / "NEW.md").exists()
    with pytest.raises(KeyError):
        files.append(memory, failing)
    assert memory.read_bytes() == b"# Memory\n\nfirst\n"
    assert not _open_descriptors(folder)


def test_a_missing_folder_is_an_error_that_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        files.append(tmp_path / "none" / "MEMORY.md", adding(b"x"))
    assert "mind init" in caught.value.remedy


@POSIX
def test_lesson_mode_owner_and_symlink_stay(tmp_path: Path, folder: Path) -> None:
    target = tmp_path / "real.md"
    target.write_bytes(b"\xef\xbb\xbfone\r\n")
    target.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(target, 1234, 4321)
    (folder / "MEMORY.md").symlink_to("../real.md")
    link = folder / "MEMORY.md"
    owner = (target.stat().st_uid, target.stat().st_gid)
    files.append(link, adding(b"two\r\n"))
    assert files.edit(link, lambda old: old.replace(b"one", b"uno"))
    assert files.edit(link, lambda old: old + b"three\r\n")
    assert link.is_symlink()
    assert target.read_bytes() == b"\xef\xbb\xbfuno\r\ntwo\r\nthree\r\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert (target.stat().st_uid, target.stat().st_gid) == owner


@POSIX
def test_a_link_to_a_missing_file_makes_that_file(tmp_path: Path, folder: Path) -> None:
    (folder / "MEMORY.md").symlink_to(tmp_path / "a.md")
    assert files.append(folder / "MEMORY.md", adding(b"")) == b""
    assert not (tmp_path / "a.md").exists()
    assert (folder / "MEMORY.md").is_symlink()
    (folder / "SESSION.md").symlink_to(tmp_path / "b.md")
    files.append(folder / "MEMORY.md", adding(b"one\n"))
    assert not files.edit(folder / "SESSION.md", adding(b"one\n"))
    assert files.edit(folder / "SESSION.md", adding(b"one\n"), create=True)
    assert (tmp_path / "a.md").read_bytes() == (tmp_path / "b.md").read_bytes() == b"one\n"
    assert (folder / "MEMORY.md").is_symlink()
    assert (folder / "SESSION.md").is_symlink()


def test_an_addition_to_a_file_that_an_editor_replaced_meanwhile_goes_to_the_new_one(
    memory: Path,
) -> None:
    def compose(tail: bytes) -> bytes:
        if b"by hand" not in tail:
            (memory.parent / "swap").write_bytes(b"by hand\n")
            (memory.parent / "swap").replace(memory)
        return b"added\n"

    files.append(memory, compose)
    assert memory.read_bytes() == b"by hand\nadded\n"


def test_an_addition_that_an_editor_took_along_is_not_made_twice(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def sync(descriptor: int) -> None:
        real(descriptor)
        monkeypatch.setattr(os, "fsync", real)
        (memory.parent / "swap").write_bytes(b"by hand\n" + memory.read_bytes())
        (memory.parent / "swap").replace(memory)

    monkeypatch.setattr(os, "fsync", sync)
    files.append(memory, adding(b"added\n"))
    assert memory.read_bytes() == b"by hand\n# Memory\n\nfirst\nadded\n"


def test_compose_sees_what_was_written_while_it_thought(memory: Path) -> None:
    def compose(tail: bytes) -> bytes:
        if not tail.endswith(b"other\n"):
            memory.write_bytes(tail + b"other\n")
        return b"after " + tail.splitlines()[-1] + b"\n"

    files.append(memory, compose)
    assert memory.read_bytes() == b"# Memory\n\nfirst\nother\nafter other\n"


def test_a_file_that_is_replaced_again_and_again_is_given_up(memory: Path) -> None:
    def compose(_: bytes) -> bytes:
        (memory.parent / "swap").write_bytes(b"by hand\n")
        (memory.parent / "swap").replace(memory)
        return b"added\n"

    with pytest.raises(ChangedMeanwhile, match=r"MEMORY.md is being replaced"):
        files.append(memory, compose)
    assert memory.read_bytes() == b"by hand\n"


def test_a_file_deleted_while_it_was_written_is_made_anew(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def sync(descriptor: int) -> None:
        real(descriptor)
        monkeypatch.setattr(os, "fsync", real)
        memory.unlink()

    monkeypatch.setattr(os, "fsync", sync)
    files.append(memory, adding(b"added\n"))
    assert memory.read_bytes() == b"added\n"


def test_an_editor_that_has_just_emptied_the_file_is_given_time_to_write_it(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write_bytes(b"")
    slept = []

    def writes(seconds: float) -> None:
        slept.append(seconds)
        memory.write_bytes(b"by hand\n")

    monkeypatch.setattr(time, "sleep", writes)
    files.append(memory, lambda tail: b"after " + tail)
    assert memory.read_bytes() == b"by hand\nafter by hand\n"
    assert len(slept) == 1


def test_a_file_that_stays_empty_is_not_waited_for_long(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write_bytes(b"")
    began = time.monotonic()
    files.append(memory, adding(b"one\n"))
    assert time.monotonic() - began < 4
    session = memory.with_name("SESSION.md")
    saved(session, b"", 60)
    monkeypatch.setattr(time, "sleep", None)  # an old empty file is not waited for at all
    files.append(session, adding(b"two\n"))
    assert session.read_bytes() == b"two\n"


def test_a_file_from_the_future_is_not_waited_for(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(memory, b"", seconds=-3600)
    monkeypatch.setattr(time, "sleep", None)
    files.append(memory, adding(b"one\n"))
    assert memory.read_bytes() == b"one\n"


def test_a_file_outside_a_project_is_written_without_a_lock(tmp_path: Path) -> None:
    files.append(tmp_path / "a.md", adding(b"one\n"))
    files.edit(tmp_path / "a.md", lambda old: old + b"two\n")
    assert not files.settle(tmp_path / "a.md")
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


# --- what a stale copy overwrote ----------------------------------------------------------


def test_lesson_an_entry_overwritten_by_an_older_copy_is_put_back(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, b"by hand\n" + copy)
    assert files.settle(memory)
    assert memory.read_bytes() == b"by hand\n" + copy + b"decided: a\n"
    assert not files.settle(memory)


def test_an_editor_that_saves_the_entry_just_before_it_is_put_back_does_not_double_it(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, write = memory.read_bytes(), os.write
    files.append(memory, adding(b"decided: a\n"))
    whole = memory.read_bytes()
    saved(memory, copy + b"by hand\n")

    def late(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        memory.write_bytes(whole + b"by hand 2\n")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", late)
    files.append(memory, adding(b"decided: b\n"))
    files.settle(memory)
    assert memory.read_bytes() == whole + b"by hand 2\ndecided: b\n"


def test_a_copy_goes_even_if_mind_is_called_much_later(memory: Path, clock: Clock) -> None:
    once = _restored(memory, b"decided: a\n")
    saved(memory, once + b"by hand\ndecided: a\n")
    clock.ahead = 3600
    files.settle(memory)
    assert memory.read_bytes() == once + b"by hand\n"


def _restored(memory: Path, data: bytes) -> bytes:
    """Content after an addition was overwritten and put back."""
    copy = memory.read_bytes()
    files.append(memory, adding(data))
    saved(memory, copy)
    assert files.settle(memory)
    return memory.read_bytes()


_TWO_DAYS = b"\n## 2026-11-25\n\n- decided: a\n\n## 2026-11-26\n\n- decided: b\n"


@pytest.mark.parametrize(
    ("data", "saves", "left"),
    [
        (b"- decided: a\n", b"- decided: a\n- decided: a 7\n", b"- decided: a 7\n"),
        (b"- note: a\n  #1 says why\n", b"- note: a\n  #1 says why\n", b""),
        (_TWO_DAYS, _TWO_DAYS, b"\n## 2026-11-25\n\n"),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_copy_goes_however_long_it_is(
    memory: Path, data: bytes, saves: bytes, left: bytes, end: bytes
) -> None:
    once = _restored(memory, data)
    saved(memory, (once + b"by hand\n" + saves).replace(b"\n", end))
    files.settle(memory)
    assert memory.read_bytes() == (once + b"by hand\n" + left).replace(b"\n", end)


@pytest.mark.parametrize(
    "text",
    [
        b"* decided: a\n",
        b"- by hand:\n  - decided: a\n",
        b"- by hand:\n  decided: a\n",
        b"- decided: ab\n",
    ],
)
def test_what_only_resembles_a_copy_stays(memory: Path, text: bytes) -> None:
    once = _restored(memory, b"- decided: a\n")
    saved(memory, once + text)
    files.settle(memory)
    assert memory.read_bytes() == once + text
    assert not files.settle(memory)


def test_of_two_copies_the_one_that_says_more_stays(memory: Path) -> None:
    once = _restored(memory, b"- decided: a\n")
    said = once.replace(b"- decided: a\n", b"- decided: a\n  - because: b\n")
    saved(memory, said + b"- decided: a\n")
    files.settle(memory)
    assert memory.read_bytes() == said


@pytest.mark.parametrize(
    "added",
    [
        (b"- a\n", b"- a\n- b\n"),
        (b"- a\n- b\n", b"- a\n"),
        (b"- q\n- q\n", b"- q\n"),
        (b"- a\n", b"- b\n", b"- a\n- b\n"),
    ],
)
def test_entries_that_share_lines_are_no_copies(memory: Path, added: tuple[bytes, ...]) -> None:
    copy = memory.read_bytes()
    for data in added:
        files.append(memory, adding(data))
    saved(memory, copy)
    for _ in range(3):
        files.settle(memory)
    assert memory.read_bytes() == copy + b"".join(added)


def test_a_copy_goes_and_the_same_words_in_the_next_entry_stay(memory: Path) -> None:
    once = _restored(memory, b"- decided: a\n")
    saved(memory, once + b"by hand\n- decided: a\n")
    files.append(memory, adding(b"- note: what was said\n  decided: a\n"))
    rest(memory, 0.5)
    files.settle(memory)
    assert memory.read_bytes() == once + b"by hand\n- note: what was said\n  decided: a\n"


def test_a_copy_goes_without_the_heading_that_others_stand_below(memory: Path) -> None:
    data = b"\n## 2026-11-26\n\n- decided: a\n"
    once = _restored(memory, data)
    saved(memory, once + b"\n## Notes\n\nby hand" + data + b"- decided: b\n")
    files.settle(memory)
    kept = b"\n## Notes\n\nby hand\n## 2026-11-26\n\n- decided: b\n"
    assert memory.read_bytes() == once + kept


def test_of_two_equal_entries_and_a_copy_two_stay(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- decided: a\n"))
    files.append(memory, adding(b"- decided: a\n"))
    saved(memory, copy)
    files.settle(memory)
    twice = memory.read_bytes()
    saved(memory, twice + b"by hand\n- decided: a\n")
    files.settle(memory)
    assert memory.read_bytes() == twice + b"by hand\n"


def test_the_only_copy_stays_if_the_other_is_deleted_at_that_moment(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(memory, memory.read_bytes() + b"- decided: a 7\n", 60)
    once = _restored(memory, b"- decided: a\n")
    saved(memory, once + b"by hand\n- decided: a\n")
    read = "mind.storage.files.appending.read"

    def late(path: Path) -> bytes:
        monkeypatch.setattr(read, files.read)
        content = files.read(path)
        saved(memory, once + b"by hand\n")
        return content

    monkeypatch.setattr(read, late)
    files.settle(memory)
    files.settle(memory)
    assert memory.read_bytes() == once + b"by hand\n"


def test_a_deletion_soon_after_a_copy_was_taken_out_stands(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    once = _restored(memory, b"decided: a\n")
    clock.ahead = 40
    saved(memory, once + b"by hand\ndecided: a\n")
    files.settle(memory)
    clock.ahead = 46
    saved(memory, copy + b"by hand\n")
    files.settle(memory)
    assert memory.read_bytes() == copy + b"by hand\n"


def test_an_addition_composed_again_before_it_was_written_may_be_reworded(memory: Path) -> None:
    calls = []

    def compose(_: bytes) -> bytes:
        calls.append(1)
        if len(calls) == 1:
            saved(memory, memory.read_bytes() + b"by hand\n")
        return b"decided: use Postgres for the the queue\n"

    files.append(memory, compose)
    new = memory.read_bytes().replace(b"the the", b"the")
    saved(memory, new, 0.1)
    files.settle(memory)
    assert memory.read_bytes() == new


def test_the_next_append_puts_it_back_too(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    files.append(memory, adding(b"decided: b\n"))
    saved(memory, copy)
    files.append(memory, adding(b"decided: c\n"))
    assert memory.read_bytes() == copy + b"decided: a\ndecided: b\ndecided: c\n"


def test_the_next_edit_puts_it_back_too(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, copy)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == copy.replace(b"first", b"1st") + b"decided: a\n"


def test_lines_that_an_edit_inserted_are_put_back_too(memory: Path) -> None:
    copy = memory.read_bytes()
    files.edit(memory, lambda old: old.replace(b"# Memory\n", b"# Memory\ndecided: a\n"))
    saved(memory, copy)
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: a\n"


def test_what_an_edit_took_out_stays_out(memory: Path) -> None:
    files.append(memory, adding(b"decided: a\n"))
    files.append(memory, adding(b"decided: b\n"))
    files.edit(memory, lambda old: old.replace(b"decided: a\n", b""))
    assert not files.settle(memory)
    saved(memory, b"by hand\n")
    assert files.settle(memory)
    assert memory.read_bytes() == b"by hand\ndecided: b\n"


def is_kept(path: Path, entry: bytes) -> bool:
    """Whether an entry is still there once everything is settled, or is to be archived."""
    for _ in range(3):
        files.settle(path)
        rest(path, 0.5)
    return entry in path.read_bytes() or entry in b"".join(files.left_out(path))


def test_an_edit_that_failed_leaves_the_entry_protected(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- decided: a\n"))
    written = beside.written

    def full(path: Path, data: bytes, **options: Any) -> Path:
        if path == memory:
            raise OSError(errno.ENOSPC, "full")
        return written(path, data, **options)

    with monkeypatch.context() as broken:
        broken.setattr(beside, "written", full)
        with pytest.raises(FileError):
            files.edit(memory, lambda old: old.replace(b"- decided: a\n", b""))
    saved(memory, copy)
    assert is_kept(memory, b"- decided: a\n")


def test_an_edit_that_gave_up_leaves_the_entry_protected(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- todo: a\n"))
    monkeypatch.setattr(replacing, "PATIENCE_SECONDS", 0.3)

    def change(old: bytes) -> bytes:
        saved(memory, old + b"by hand\n")
        return old.replace(b"- todo: a\n", b"")

    with pytest.raises(ChangedMeanwhile):
        files.edit(memory, change)
    saved(memory, copy)
    assert is_kept(memory, b"- todo: a\n")


def saving_first(memory: Path, other: bytes, then: replacing.Change) -> replacing.Change:
    """A change during whose first call another program saves ``other``."""
    calls: list[bytes] = []

    def change(old: bytes) -> bytes:
        calls.append(old)
        if len(calls) == 1:
            saved(memory, other)
        return then(old)

    return change


def test_what_an_edit_reworded_is_not_lost_if_an_older_copy_made_it_start_again(
    memory: Path,
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- decided: a\n"))
    pin = saving_first(
        memory, copy + b"by hand\n", lambda old: old.replace(b": a\n", b": a #pin\n")
    )
    assert not files.edit(memory, pin)
    assert is_kept(memory, b"- decided: a\n")


def test_what_an_edit_took_out_stays_out_though_an_older_copy_made_it_start_again(
    memory: Path,
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- todo: a\n"))
    take_out = saving_first(
        memory, copy + b"by hand\n", lambda old: old.replace(b"- todo: a\n", b"")
    )
    files.edit(memory, take_out)
    assert not is_kept(memory, b"- todo: a\n")
    assert memory.read_bytes() == copy + b"by hand\n"


def test_what_an_edit_took_out_only_at_its_first_attempt_stays_protected(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"- todo: a\n"))
    careful = saving_first(
        memory,
        memory.read_bytes() + b"keep all\n",
        lambda old: old if b"keep all" in old else old.replace(b"- todo: a\n", b""),
    )
    assert not files.edit(memory, careful)
    saved(memory, copy)
    assert is_kept(memory, b"- todo: a\n")


def test_what_was_already_missing_is_not_taken_for_taken_out_by_an_edit(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    real = replacing.standing_at

    def clobbered(path: Path, ring: recent.Ring | None) -> object:
        monkeypatch.setattr("mind.storage.files.replacing.standing_at", real)
        saved(memory, copy)
        return real(path, ring)

    monkeypatch.setattr("mind.storage.files.replacing.standing_at", clobbered)
    files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == copy.replace(b"first", b"1st")
    rest(memory, 0.5)
    assert files.settle(memory)
    assert memory.read_bytes() == copy.replace(b"first", b"1st") + b"decided: a\n"


def test_an_addition_to_a_clobbered_file_does_not_hide_what_is_missing(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    real = appending._open_end

    def clobbered(path: Path) -> tuple[int, Path | None]:
        saved(memory, copy)
        return real(path)

    monkeypatch.setattr(appending, "_open_end", clobbered)
    files.append(memory, adding(b"decided: b\n"))
    monkeypatch.setattr(appending, "_open_end", real)
    rest(memory, 0.5)
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: b\ndecided: a\n"


def test_a_person_who_deletes_it_again_wins(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, copy, 0.1)
    clock.ahead = 0.5
    assert files.settle(memory)
    clock.ahead = 3
    saved(memory, copy, 0.1)
    clock.ahead = 4
    assert not files.settle(memory)
    assert not files.settle(memory)
    assert memory.read_bytes() == copy


def test_a_tool_that_overwrites_it_again_at_once_does_not_win(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    for turn in range(3):
        memory.write_bytes(copy)
        status = memory.stat()
        now = time.time_ns() - 10**7
        os.utime(memory, ns=(status.st_atime_ns, now))
        clock.ahead += 0.3
        assert files.settle(memory), turn
    assert memory.read_bytes() == copy + b"decided: a\n"


def test_in_the_end_a_tool_that_overwrites_it_every_time_wins(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    times = 0
    for _ in range(recent.MOST_TIMES + 10):
        memory.write_bytes(copy)
        now = time.time_ns() - 10**7
        os.utime(memory, ns=(now, now))
        clock.ahead += 30
        times += files.settle(memory)
    assert times == recent.MOST_TIMES
    assert memory.read_bytes() == copy


def test_what_was_restored_is_not_taken_for_reworded_in_its_old_place() -> None:
    now, second = 10**18, 10**9
    anchor = recent.anchor_of(b"# Memory\n")
    record = recent.Addition(
        b"decided: use Redis 6 for the session cache\n", 99, now - 90 * second, anchor,
        times=1,
    )  # fmt: skip
    content = b"# Memory\ndecided: use Redis 7 for the session cache\n"
    (found,) = recent.judge([record], content, modified=now, now=now)
    assert found == record._replace(state=State.LEFT_OUT)


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (b"# M\n\n- a\n\n## 2026-11-26\n\n- a\n", b"# M\n\n- a\n\n## 2026-11-26\n\n"),
        (b"# M\n\n## 2026-11-26\n\n- a\n- b\n- a\n", b"# M\n\n## 2026-11-26\n\n- a\n- b\n"),
        (b"# M\n\n## 2026-11-26\n\n- a\n- ab\n", b"# M\n\n## 2026-11-26\n\n- a\n- ab\n"),
    ],
)
def test_a_copy_goes_even_if_only_one_of_the_two_has_the_heading(
    content: bytes, left: bytes
) -> None:
    record = Addition(b"\n## 2026-11-26\n\n- a\n", 0, 0, times=1)
    assert appending._once([record], [record], content) == left


@pytest.mark.parametrize(("times", "least"), [(0, 0.025), (1, 0.05), (2, 0.1), (30, 0.2)])
def test_a_restoration_waits_longer_but_not_for_long(
    memory: Path, clock: Clock, times: int, least: float
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    ring = _ring(memory)
    ring.save(one._replace(times=times, at=one.at + 10**9) for one in ring.load())
    memory.write_bytes(copy)
    for seconds, restored in ((0.7 * least, None), (1.1 * least, True)):
        clock.ahead = memory.stat().st_mtime + seconds - (time.time() - clock.ahead)
        assert appending.put_back(memory, ring) is restored


def test_many_additions_to_a_large_file_are_restored_without_delay(memory: Path) -> None:
    copy = b"# Memory\n" + b"".join(b"- number %d, as before\n" % at for at in range(15_000))
    memory.write_bytes(copy)
    added = [b"- decided: number %d of many\n" % at for at in range(300)]
    for one in added:
        files.append(memory, adding(one))
    memory.write_bytes(copy)
    began = time.process_time()
    assert files.settle(memory)
    saved(memory, copy + b"- by hand\n" + b"".join(added) * 2)
    files.settle(memory)
    assert time.process_time() - began < 2
    assert memory.read_bytes() == copy + b"- by hand\n" + b"".join(added)


def test_a_deletion_after_the_window_stays(memory: Path, clock: Clock) -> None:
    files.append(memory, adding(b"decided: a\n"))
    clock.ahead = files.WINDOW_SECONDS + 1
    now = time.time_ns()
    memory.write_bytes(b"by hand\n")
    os.utime(memory, ns=(now, now))
    clock.ahead += 5
    assert not files.settle(memory)
    assert memory.read_bytes() == b"by hand\n"
    files.append(memory, adding(b"decided: b\n"))
    assert memory.read_bytes() == b"by hand\ndecided: b\n"


def test_a_clobber_within_the_window_is_found_however_late_one_looks(
    memory: Path, clock: Clock
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    memory.write_bytes(copy)
    clock.ahead = 24 * 3600
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: a\n"


def test_a_copy_put_in_place_with_an_old_date_is_a_clobber_too(memory: Path) -> None:
    files.append(memory, adding(b"decided: a\n"))
    (memory.parent / "swap").write_bytes(b"old\n")
    rest(memory.parent / "swap", 3600)
    (memory.parent / "swap").replace(memory)
    assert files.settle(memory)
    assert memory.read_bytes() == b"old\ndecided: a\n"


def test_a_copy_of_the_same_size_and_time_is_a_clobber_too(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    status = memory.stat()
    memory.write_bytes(copy + b"by hand: b\n")
    os.utime(memory, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not files.settle(memory) or True  # a settle right now may still wait for quiet
    rest(memory, 0.5)
    files.settle(memory)
    assert memory.read_bytes() == copy + b"by hand: b\ndecided: a\n"


def test_nothing_is_put_back_while_somebody_is_writing(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    memory.write_bytes(copy[:4])
    assert appending.put_back(memory, _ring(memory)) is None
    assert memory.read_bytes() == copy[:4]
    files.append(memory, adding(b"\ndecided: b\n"))
    assert memory.read_bytes() == copy[:4] + b"\ndecided: b\n"
    assert files.settle(memory)
    assert memory.read_bytes() == copy[:4] + b"\ndecided: b\ndecided: a\n"


def _ring(path: Path) -> recent.Ring:
    ring = recent.ring_of(path)
    assert ring is not None
    return ring


def test_what_is_owed_is_put_back_even_after_the_window(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    memory.write_bytes(copy)
    assert appending.put_back(memory, _ring(memory)) is None
    clock.ahead = 60
    now = time.time_ns() - 10**9
    memory.write_bytes(copy + b"by hand\n")
    os.utime(memory, ns=(now, now))
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"by hand\ndecided: a\n"


def test_settling_gives_up_on_a_file_that_is_never_quiet(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    memory.write_bytes(copy)
    ticks = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks) * 0.4)
    monkeypatch.setattr(time, "sleep", lambda _: memory.write_bytes(copy))
    assert not files.settle(memory)
    monkeypatch.undo()
    rest(memory, 0.5)
    assert files.settle(memory)


def test_an_entry_reworded_by_hand_is_not_put_back(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: use Postgres for the the queue\n"))
    saved(memory, copy + b"decided: use Postgres for the queue\n\nby hand\n")
    assert not files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: use Postgres for the queue\n\nby hand\n"


def test_what_is_missing_beside_a_later_entry_was_taken_out_on_purpose(memory: Path) -> None:
    copy = memory.read_bytes()
    for number in range(3):
        files.append(memory, adding(b"progress: writer 3 has done entry %d\n" % number))
    saved(memory, copy + b"progress: writer 3 has done entry 2\n")
    assert not files.settle(memory)
    assert files.left_out(memory) == []
    assert memory.read_bytes() == copy + b"progress: writer 3 has done entry 2\n"


@pytest.mark.parametrize("seconds", [0, 120])
@pytest.mark.parametrize("by_hand", [b"", b"decided: b is reworded by hand\n"])
def test_nobodys_deletion_is_believed_while_editors_overwrite_each_other(
    memory: Path, seconds: int, by_hand: bytes
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, copy)
    assert files.settle(memory)
    ring = _ring(memory)
    ring.save([one._replace(at=one.at - seconds * 10**9) for one in ring.load()])
    files.append(memory, adding(b"decided: b is worded by hand\n"))
    files.append(memory, adding(b"decided: c\n"))
    edited = memory.read_bytes().replace(b"decided: b is worded by hand\n", by_hand)
    saved(memory, edited)
    assert not files.settle(memory)
    assert memory.read_bytes() == edited
    kept = [] if seconds else [b"decided: b is worded by hand\n"]
    assert files.left_out(memory) == kept


def test_a_similar_entry_is_no_rewording_of_a_lost_one(memory: Path) -> None:
    copy = memory.read_bytes()
    for number in range(3):
        files.append(memory, adding(b"progress: writer 3 has done entry %d\n" % number))
    saved(memory, copy + b"progress: writer 3 has done entry 0\n")
    assert files.settle(memory)
    assert sorted(memory.read_bytes().splitlines()[3:]) == [
        b"progress: writer 3 has done entry %d" % number for number in range(3)
    ]


@pytest.mark.parametrize("gone", ["archived", "forgotten", "deleted by hand"])
def test_a_similar_entry_that_an_older_copy_brings_back_is_no_rewording(
    memory: Path, clock: Clock, gone: str
) -> None:
    copy = memory.read_bytes()
    one, other = (b"learned: server %d holds value 7 of 9131\n" % number for number in (1, 2))
    files.append(memory, adding(one))
    with_one = memory.read_bytes()
    if gone == "archived":
        clock.ahead = 60
        saved(memory, copy, -clock.ahead + 1)
        assert not files.settle(memory)
        files.let_go(memory, files.left_out(memory))
    elif gone == "forgotten":
        files.edit(memory, lambda old: old.replace(one, b""))
    else:
        files.append(memory, adding(b"decided: b\n"))
        saved(memory, copy + b"decided: b\n", -clock.ahead + 1)
        assert not files.settle(memory)
        files.edit(memory, lambda old: old.replace(b"decided: b\n", b""))
    assert memory.read_bytes() == copy
    files.append(memory, adding(other))
    saved(memory, with_one, -clock.ahead + 1)
    assert files.settle(memory)
    assert memory.read_bytes() == with_one + other


def test_a_memory_that_became_small_is_not_taken_for_one_being_saved(memory: Path) -> None:
    small = memory.read_bytes() + b"decided: keep\n"
    files.append(memory, adding(b"decided: " + b"x" * 5_000 + b"\n"))
    files.append(memory, adding(b"decided: keep\n"))
    saved(memory, small)
    assert not files.settle(memory)
    files.append(memory, adding(b"decided: next\n"))
    saved(memory, small)
    assert appending.put_back(memory, _ring(memory)) is True
    assert memory.read_bytes() == small + b"decided: next\n"


def test_an_older_copy_written_over_the_beginning_deletes_nothing(memory: Path) -> None:
    copy = memory.read_bytes() + b"by hand\n"
    files.append(memory, adding(b"decided: a is kept\n"))
    files.append(memory, adding(b"decided: b is kept\n"))
    with memory.open("r+b") as file:  # as of an editor that emptied the file before
        file.write(copy)
    rest(memory, 0.5)
    assert files.settle(memory)
    assert memory.read_bytes().startswith(copy)
    assert memory.read_bytes().endswith(b"\ndecided: b is kept\ndecided: a is kept\n")


def test_of_what_was_deleted_nothing_readable_is_kept(memory: Path) -> None:
    files.append(memory, adding(b"decided: a private thought\n"))
    files.edit(memory, lambda old: old.replace(b"decided: a private thought\n", b""))
    assert b"private" not in _ring(memory).path.read_bytes()


def test_an_unlike_line_by_hand_is_no_rewording(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: use Postgres for the queue\n"))
    saved(memory, copy + b"remember the milk\n")
    assert files.settle(memory)
    assert b"Postgres" in memory.read_bytes()


def test_what_an_editor_does_to_white_space_is_no_loss(memory: Path) -> None:
    files.append(memory, adding(b"\n## 2026-11-20\n\ndecided: a  \n  more of it\n"))
    saved(memory, b"# Memory\r\n## 2026-11-20\r\nby hand\r\ndecided: a\r\nmore of it")
    assert not files.settle(memory)


def test_a_heading_that_is_there_does_not_hide_a_missing_entry(memory: Path) -> None:
    files.append(memory, adding(b"## 2026-11-20\n\ndecided: a\n"))
    saved(memory, b"## 2026-11-20\n\n")
    assert files.settle(memory)
    assert b"decided: a" in memory.read_bytes()


def test_a_heading_alone_is_put_back_too(memory: Path) -> None:
    files.append(memory, adding(b"## Goals\n"))
    saved(memory, b"# Memory\n")
    assert files.settle(memory)
    assert memory.read_bytes() == b"# Memory\n## Goals\n"


def test_an_entry_is_not_mistaken_for_a_longer_one(memory: Path) -> None:
    files.append(memory, adding(b"progress: entry 1\n"))
    saved(memory, b"progress: entry 10\nnot progress: entry 1\n")
    assert files.settle(memory)
    assert memory.read_bytes().endswith(b"\nprogress: entry 1\n")


def test_the_same_entry_twice_is_missed_if_one_is_left(memory: Path) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, copy + b"decided: a\n")
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: a\n" * 2


def test_it_is_put_back_on_a_line_of_its_own(memory: Path) -> None:
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, b"no line end")
    assert files.settle(memory)
    assert memory.read_bytes() == b"no line end\ndecided: a\n"
    saved(memory, b"x and y")
    assert files.settle(memory)
    assert memory.read_bytes() == b"x and y\ndecided: a\n"
    files.append(memory, adding(b"\r\ndecided: b\r\n"))
    saved(memory, b"no line end\ndecided: a")
    assert files.settle(memory)
    assert memory.read_bytes() == b"no line end\ndecided: a\r\ndecided: b\r\n"


def rewrites_in_place(monkeypatch: pytest.MonkeyPatch, path: Path, data: bytes) -> None:
    """An editor saves its older copy just after the addition was written."""
    real = os.fsync

    def sync(descriptor: int) -> None:
        real(descriptor)
        monkeypatch.setattr(os, "fsync", real)
        path.write_bytes(data)

    monkeypatch.setattr(os, "fsync", sync)


def test_an_addition_overwritten_while_it_is_written_is_put_back_once_the_editor_is_done(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrites_in_place(monkeypatch, memory, b"by hand\n")
    files.append(memory, adding(b"decided: a\n"))
    assert memory.read_bytes() == b"by hand\n"
    assert files.settle(memory)
    assert memory.read_bytes() == b"by hand\ndecided: a\n"


def test_what_is_overwritten_while_it_is_put_back_is_not_taken_for_deleted(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, copy)
    rewrites_in_place(monkeypatch, memory, copy)
    files.settle(memory)
    files.append(memory, adding(b"decided: b\n"))
    saved(memory, memory.read_bytes() + b"by hand\n")
    files.settle(memory)
    there = memory.read_bytes() + b"".join(files.left_out(memory))
    assert [there.count(b"decided: " + one) for one in (b"a", b"b")] == [1, 1]


def test_an_addition_that_cannot_be_remembered_is_written_again_at_once(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory.parent / recent.FOLDER / "MEMORY").mkdir(parents=True)
    rewrites_in_place(monkeypatch, memory, b"by hand\n")
    files.append(memory, adding(b"decided: a\n"))
    assert memory.read_bytes() == b"by hand\ndecided: a\n"


def test_an_addition_to_any_other_file_is_written_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"first\n")
    rewrites_in_place(monkeypatch, tmp_path / "a.txt", b"by hand\n")
    files.append(tmp_path / "a.txt", adding(b"added\n"))
    assert (tmp_path / "a.txt").read_bytes() == b"by hand\nadded\n"
    rewrites_in_place(monkeypatch, tmp_path / "a.txt", b"by hand\nmore\n")
    files.append(tmp_path / "a.txt", adding(b"more\n"))  # the editor took it along
    assert (tmp_path / "a.txt").read_bytes() == b"by hand\nmore\n"


def test_an_editor_that_is_still_saving_any_other_file_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"first\n")
    rewrites_in_place(monkeypatch, path, b"fir")
    monkeypatch.setattr(time, "sleep", lambda _: saved(path, b"first\nadded\nby hand\n"))
    files.append(path, adding(b"added\n"))
    assert path.read_bytes() == b"first\nadded\nby hand\n"


def test_a_file_that_somebody_else_makes_at_the_same_time_is_added_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "NEW.md"

    def made(name: Path) -> Path:
        saved(path, b"by hand\n")
        return content.resolved(name)

    monkeypatch.setattr(appending, "resolved", made)
    files.append(path, adding(b"added\n"))
    assert path.read_bytes() == b"by hand\nadded\n"


def test_a_deleted_file_stays_deleted(memory: Path) -> None:
    files.append(memory, adding(b"decided: a\n"))
    memory.unlink()
    assert not files.settle(memory)
    assert appending.put_back(memory, _ring(memory)) is False
    assert not memory.exists()
    memory.mkdir()
    assert not files.settle(memory)
    with pytest.raises(FileError):
        files.append(memory, adding(b"x\n"))


def test_only_memory_files_are_watched(tmp_path: Path, folder: Path) -> None:
    for path in (tmp_path / "CLAUDE.md", folder / "config.json", tmp_path / ".mind" / "s" / "a.md"):
        path.parent.mkdir(exist_ok=True)
        files.append(path, adding(b"one\n"))
        files.edit(path, lambda old: old + b"two\n")
        saved(path, b"")
        assert not files.settle(path)
        assert path.read_bytes() == b""


def test_settling_an_untouched_file_takes_no_lock_and_writes_nothing(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not files.settle(memory)
    assert not (memory.parent / "cache").exists()
    assert appending.put_back(memory, _ring(memory)) is False
    files.append(memory, adding(b"decided: a\n"))
    assert appending.put_back(memory, _ring(memory)) is False
    before = {one: one.stat().st_mtime_ns for one in memory.parent.rglob("*")}
    monkeypatch.setattr(system, "lock", None)
    monkeypatch.setattr(appending, "own_lock", None)
    assert not files.settle(memory)
    assert {one: one.stat().st_mtime_ns for one in memory.parent.rglob("*")} == before
    memory.unlink()
    assert not files.settle(memory)


@pytest.mark.parametrize("lost", [True, False])
def test_settling_again_writes_nothing(memory: Path, *, lost: bool) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    saved(memory, b"by hand\n" + (copy if lost else memory.read_bytes()))
    assert files.settle(memory) is lost
    before = {one: one.stat().st_mtime_ns for one in memory.parent.rglob("*")}
    inode = (memory.parent / recent.FOLDER / "MEMORY").stat().st_ino
    assert not files.settle(memory)
    assert {one: one.stat().st_mtime_ns for one in memory.parent.rglob("*")} == before
    assert (memory.parent / recent.FOLDER / "MEMORY").stat().st_ino == inode
    saved(memory, copy)  # and it is watched as before
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: a\n"


def test_what_is_remembered_is_private(memory: Path) -> None:
    for number in range(50):
        files.append(memory, adding(b"decided: %d\n" % number))
    if sys.platform != "win32":
        assert stat.S_IMODE(_ring(memory).path.stat().st_mode) == 0o600
    assert len(_ring(memory).load()) == 50


def test_a_busy_memory_remembers_the_latest(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "_RING_BYTES", 4_000)
    for number in range(60):
        files.append(memory, adding(b"decided: number %d\n" % number))
    assert _ring(memory).path.stat().st_size < 4_000
    kept = [one.data for one in _ring(memory).load() if one.data]
    assert kept == [b"decided: number %d\n" % number for number in range(60 - len(kept), 60)]
    assert len(kept) >= 10


def test_what_goes_away_later_is_left_out_until_it_is_archived(memory: Path, clock: Clock) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    files.append(memory, adding(b"decided: b\n"))
    clock.ahead = 24 * 3600
    saved(memory, copy + b"by hand\n", -clock.ahead + 1)
    assert not files.settle(memory)
    assert files.left_out(memory) == [b"decided: a\n", b"decided: b\n"]
    files.append(memory, adding(b"decided: c\n"))
    files.edit(memory, lambda old: old.replace(b"by hand", b"by a hand"))
    assert files.left_out(memory) == [b"decided: a\n", b"decided: b\n"]
    files.let_go(memory, [b"decided: a\n", b"decided: b\n"])
    assert files.left_out(memory) == []
    assert memory.read_bytes() == copy + b"by a hand\ndecided: c\n"


def test_a_memory_whose_cache_cannot_be_written_is_still_written(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory.parent / recent.FOLDER / "MEMORY").mkdir(parents=True)
    files.append(memory, adding(b"decided: a\n"))
    files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    saved(memory, b"x\n")
    assert not files.settle(memory)
    monkeypatch.setattr(recent, "write", _refusing)
    _ring(memory).save([Addition(b"x", 0, 0)])
    assert (memory.parent / recent.FOLDER / "MEMORY").is_dir()


def _refusing(*_: object, **__: object) -> None:
    raise OSError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("cut", [1, 5, 11, 12, 13, 40, 80, 90, 130])
def test_a_ring_cut_short_by_a_crash_still_protects_what_is_whole(memory: Path, cut: int) -> None:
    copy = memory.read_bytes()
    files.append(memory, adding(b"decided: a\n"))
    files.append(memory, adding(b"decided: b\n"))
    ring = memory.parent / recent.FOLDER / "MEMORY"
    ring.write_bytes(ring.read_bytes()[:-cut])
    saved(memory, copy)
    assert files.settle(memory)
    assert memory.read_bytes() == copy + b"decided: a\n"


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 12, b"MINDrec2" * 40, b"[]\n", b"\xff\n"])
def test_a_damaged_ring_costs_only_the_protection(memory: Path, damage: bytes) -> None:
    files.append(memory, adding(b"decided: a\n"))
    (memory.parent / recent.FOLDER / "MEMORY").write_bytes(damage)
    files.append(memory, adding(b"decided: b\n"))
    assert not files.settle(memory)
    assert memory.read_bytes().endswith(b"decided: a\ndecided: b\n")


@given(
    st.lists(
        st.builds(
            Addition,
            data=st.binary(max_size=50),
            offset=st.integers(0, 2**62),
            at=st.integers(0, 2**62),
            anchor=st.binary(max_size=20),
            times=st.integers(0, 200),
            state=st.sampled_from(State),
            stamp=st.builds(
                content.Stamp,
                st.integers(0, 2**64 - 1),
                st.integers(0, 2**62),
                st.integers(-(2**62), 2**62),
            ),
        )
    )
)
def test_records_are_read_as_they_were_written(records: list[Addition]) -> None:
    packed = b"".join(map(recent._packed, records))
    assert packed.count(b"\n") == len(records)
    assert recent._unpacked(packed) == records
    for damage in (b'["a", "b"]\n', b"[" * 9_000 + b"\n", b"[] 1\n{}\n", b"\xff\n"):
        assert recent._unpacked(damage + packed + damage + b"MINDrec2" + bytes(90)) == records


lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"- x\n", b"- xy\n", b"\n"]), max_size=6)


@given(lines, lines, lines)
def test_an_insertion_is_found_where_it_is(
    before: list[bytes], new: list[bytes], after: list[bytes]
) -> None:
    old = b"".join(before + after)
    changed = b"".join(before + new + after)
    found = replacing.insertion(old, changed)
    if not new:
        assert found is None
    else:
        assert found is not None
        offset, data = found
        assert old[:offset] + data + old[offset:] == changed
        assert offset == 0 or old[offset - 1 : offset] == b"\n"
        assert data.endswith(b"\n")


def test_a_change_within_a_line_is_no_insertion() -> None:
    assert replacing.insertion(b"one\ntwo\n", b"one x\ntwo\n") is None
    assert replacing.insertion(b"one\ntwo\n", b"one\n2\nthree\n") is None
    assert replacing.insertion(b"one\ntwo\n", b"one\n") is None
    assert replacing.insertion(b"one", b"one\ntwo") == (3, b"\ntwo")


# --- editing ------------------------------------------------------------------------------


def test_an_edit_that_changes_nothing_writes_nothing(memory: Path) -> None:
    before = memory.stat()
    assert not files.edit(memory, lambda old: old)
    after = memory.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert not files.edit(memory.parent / "NEW.md", lambda old: old, create=True)
    assert not (memory.parent / "NEW.md").exists()


def test_an_edit_replaces_the_content_and_leaves_nothing_behind(memory: Path) -> None:
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# Memory\n\n1st\n"
    assert left_in(memory.parent) == []
    assert not _open_descriptors(memory.parent)


def test_a_missing_file_is_made_only_if_asked(folder: Path) -> None:
    path = folder / "REMINDERS.md"
    assert not files.edit(path, adding(b"x\n"))
    assert not path.exists()
    assert files.edit(path, adding(b"x\n"), create=True)
    assert path.read_bytes() == b"x\n"
    assert path.stat().st_nlink == 1
    umask = os.umask(0)
    os.umask(umask)
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_a_file_that_appears_while_it_is_made_is_edited(folder: Path) -> None:
    path = folder / "REMINDERS.md"

    def change(old: bytes) -> bytes:
        if not old:
            saved(path, b"by hand\n")
        return old + b"x\n"

    assert files.edit(path, change, create=True)
    assert path.read_bytes() == b"by hand\nx\n"
    assert left_in(folder) == []


def test_a_file_is_made_where_there_are_no_hard_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert files.edit(folder / "A.md", adding(b"x\n"), create=True)
    assert (folder / "A.md").read_bytes() == b"x\n"
    assert left_in(folder) == []


def saves_in_place(path: Path, data: bytes) -> None:
    saved(path, data, 0.4)


def saves_beside(path: Path, data: bytes) -> None:
    (path.parent / "swap").write_bytes(data)
    rest(path.parent / "swap", 0.4)
    (path.parent / "swap").replace(path)


@pytest.mark.parametrize("save", [saves_in_place, saves_beside])
@pytest.mark.parametrize("exchange", [True, False])
def test_lesson_a_hand_edit_made_meanwhile_is_merged(
    memory: Path,
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], None],
    *,
    exchange: bool,
) -> None:
    if not exchange:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    calls: list[object] = []

    def change(old: bytes) -> bytes:
        calls.append(old)
        if len(calls) == 1:
            save(memory, old + b"by hand\n")
        return old.replace(b"first", b"1st")

    assert files.edit(memory, change)
    assert memory.read_bytes() == b"# Memory\n\n1st\nby hand\n"
    assert len(calls) == 2
    assert left_in(memory.parent) == []


@pytest.mark.parametrize("save", [saves_in_place, saves_beside])
def test_a_hand_edit_in_the_instant_of_the_replacement_is_merged(
    memory: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, bytes], None]
) -> None:
    real = system.exchange
    calls: list[object] = []

    def exchange(new: Path, path: Path) -> bool:
        if not calls:
            save(memory, memory.read_bytes() + b"by hand\n")
        calls.append(new)
        return real(new, path)

    monkeypatch.setattr(system, "exchange", exchange)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# Memory\n\n1st\nby hand\n"
    assert left_in(memory.parent) == []


def test_a_late_write_into_the_replaced_file_is_merged(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.sync_folder
    late = memory.open("r+b")

    def sync(folder: Path) -> None:
        monkeypatch.setattr(system, "sync_folder", real)
        late.write(b"# MEMORY\n\nfirst\nby hand\n")
        late.close()
        real(folder)

    monkeypatch.setattr(system, "sync_folder", sync)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# MEMORY\n\n1st\nby hand\n"
    assert left_in(memory.parent) == []


@pytest.mark.parametrize("exchange", [True, False])
def test_an_editor_that_emptied_the_file_just_before_is_waited_for(
    memory: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool
) -> None:
    if not exchange:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    late = memory.open("wb")

    def writes(seconds: float) -> None:
        del seconds
        if not late.closed:
            late.write(b"by hand\n")
            late.close()
        rest(memory, 0.4)

    monkeypatch.setattr(time, "sleep", writes)
    assert files.edit(memory, lambda old: old + b"added\n")
    assert memory.read_bytes() == b"by hand\nadded\n"


def test_where_files_cannot_be_exchanged_a_late_write_is_merged_too(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    real = system.replace
    late = memory.open("r+b")

    def replace(new: Path, path: Path) -> None:
        monkeypatch.setattr(system, "replace", real)
        real(new, path)
        late.write(b"# MEMORY\n\nfirst\nby hand\n")
        late.close()

    monkeypatch.setattr(system, "replace", replace)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# MEMORY\n\n1st\nby hand\n"
    assert left_in(memory.parent) == []


def test_where_an_open_file_cannot_be_replaced_it_is_closed_first(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "KEEPS_OPEN", False)
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    real = system.replace

    def replace(new: Path, path: Path) -> None:
        assert str(memory) not in _open_descriptors(memory.parent)
        real(new, path)

    def change(old: bytes) -> bytes:
        if b"by hand" not in old:
            saved(memory, old + b"by hand\n")
        return old.replace(b"first", b"1st")

    monkeypatch.setattr(system, "replace", replace)
    assert files.edit(memory, change)
    assert memory.read_bytes() == b"# Memory\n\n1st\nby hand\n"
    memory.write_bytes(b"just now\n")
    assert files.edit(memory, adding(b"x\n"))
    assert memory.read_bytes() == b"x\n"
    assert not files.edit(memory.with_name("NONE.md"), adding(b"x\n"))


def test_two_hand_edits_in_the_instant_of_the_replacement_are_merged(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.exchange
    calls: list[object] = []

    def exchange(new: Path, path: Path) -> bool:
        calls.append(new)
        if len(calls) == 1:
            saves_beside(memory, b"# Memory\n\none by hand\nfirst\n")
        if len(calls) == 2:
            saves_beside(memory, memory.read_bytes() + b"another by hand\n")
        return real(new, path)

    monkeypatch.setattr(system, "exchange", exchange)
    assert files.edit(memory, lambda old: old.replace(b"# Memory", b"# Our memory"))
    assert memory.read_bytes() == b"# Our memory\n\none by hand\nfirst\nanother by hand\n"
    assert left_in(memory.parent) == []


def test_a_file_deleted_in_the_instant_of_the_replacement_comes_back(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.exchange
    calls: list[object] = []

    def exchange(new: Path, path: Path) -> bool:
        calls.append(new)
        if len(calls) == 1:
            saves_beside(memory, b"by hand\n")
        if len(calls) == 2:
            memory.unlink()
        return real(new, path)

    monkeypatch.setattr(system, "exchange", exchange)
    assert files.edit(memory, lambda old: old + b"added\n")
    assert memory.read_bytes() == b"by hand\nadded\n"


def test_a_file_deleted_while_it_is_edited_stays_deleted(memory: Path) -> None:
    def change(old: bytes) -> bytes:
        memory.unlink(missing_ok=True)
        return old + b"added\n"

    assert not files.edit(memory, change)
    assert not memory.exists()
    assert left_in(memory.parent) == []


def test_what_cannot_be_put_back_is_merged(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = system.exchange
    calls: list[object] = []

    def exchange(new: Path, path: Path) -> bool:
        calls.append(new)
        if len(calls) == 1:
            saves_beside(memory, b"# Memory\n\nfirst\nby hand\n")
        if len(calls) == 2:
            raise OSError(errno.EIO, "Input/output error")
        return real(new, path)

    monkeypatch.setattr(system, "exchange", exchange)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# Memory\n\n1st\nby hand\n"
    assert left_in(memory.parent) == []


def test_a_replaced_file_that_cannot_be_looked_at_is_kept(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = replacing._is_unchanged

    def unchanged(path: Path, found: replacing.FoundFile) -> bool:
        if path != memory:
            raise OSError(errno.EIO, "Input/output error")
        return real(path, found)

    monkeypatch.setattr(replacing, "_is_unchanged", unchanged)
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# Memory\n\n1st\n"
    (left,) = left_in(memory.parent)
    assert (memory.parent / left).read_bytes() == b"# Memory\n\nfirst\n"


def test_a_file_that_keeps_changing_is_given_up_and_left_as_it_is(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mind.storage.files.replacing.PATIENCE_SECONDS", 0.2)
    count = iter(range(10**6))

    def change(old: bytes) -> bytes:
        saves_beside(memory, b"by hand %d\n" % next(count))
        return old + b"added\n"

    with pytest.raises(ChangedMeanwhile, match="keeps changing") as caught:
        files.edit(memory, change)
    assert "editor" in caught.value.remedy
    assert memory.read_bytes().startswith(b"by hand")
    assert b"added" not in memory.read_bytes()
    assert left_in(memory.parent) == []


def test_what_was_saved_into_a_file_that_is_given_up_is_kept_and_named(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mind.storage.files.replacing.PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    real = system.replace
    count = iter(range(10**6))

    def replace(new: Path, path: Path) -> None:
        late = memory.open("ab") if path == memory else None
        real(new, path)
        if late:
            late.write(b"by hand %d\n" % next(count))
            late.close()

    monkeypatch.setattr(system, "replace", replace)
    with pytest.raises(ChangedMeanwhile) as caught:
        files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    kept = Path(caught.value.data["kept"])
    assert kept.name in caught.value.remedy
    assert kept.read_bytes().endswith(b"by hand %d\n" % (next(count) - 1))


def test_mind_does_not_wait_for_itself(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.edit(memory, lambda old: old + b"one\n")
    monkeypatch.setattr(time, "sleep", None)
    for _ in range(3):
        assert files.edit(memory, lambda old: old + b"two\n")
        files.append(memory, adding(b"three\n"))


def test_a_reader_sees_the_old_or_the_new_content_and_nothing_else(memory: Path) -> None:
    old, new = b"old\n" * 50_000, b"new\n" * 60_000
    saved(memory, old)
    seen: set[bytes] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(files.read(memory))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(10):
            files.edit(memory, adding(new))
            files.edit(memory, adding(old))
    finally:
        done.set()
        thread.join()
    assert seen <= {old, new}


@POSIX
def test_extended_attributes_stay(memory: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux has them in the standard library")
    try:
        os.setxattr(memory, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has none")
    files.edit(memory, lambda old: old + b"x\n")
    assert os.getxattr(memory, "user.note") == b"mine"


def test_attributes_that_cannot_be_copied_are_no_obstacle(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux has them in the standard library")
    monkeypatch.setattr(os, "listxattr", lambda _: ["user.a"])
    monkeypatch.setattr(os, "getxattr", _refusing)
    assert files.edit(memory, lambda old: old + b"x\n")
    monkeypatch.setattr(os, "listxattr", _refusing)
    assert files.edit(memory, lambda old: old + b"x\n")


def test_what_killed_processes_left_behind_is_swept_up(memory: Path, clock: Clock) -> None:
    def leave(name: str, data: bytes) -> Path:
        path = memory.parent / name
        path.write_bytes(data)
        return path

    done = leave(".MEMORY.md.99999123-0123abcd.tmp", b"# Memory\nfirst\n")
    valuable = leave(".MEMORY.md.99999124-0123abcd.tmp", b"by hand\n")
    foreign = leave(".MEMORY.md.swp", b"")
    theirs = leave(".MEMORY.md.99999123.tmp", b"")
    writing = leave(f".MEMORY.md.{os.getpid()}-0123abcd.tmp", b"")
    other = leave(".SESSION.md.99999123-0123abcd.tmp", b"")
    assert files.edit(memory, lambda old: old + b"x\n")
    assert done.exists()  # its process may be alive
    clock.ahead = 61
    assert files.edit(memory, lambda old: old + b"y\n")
    assert not done.exists()
    assert valuable.exists()
    clock.ahead = 8 * 24 * 3600
    assert files.edit(memory, lambda old: old + b"z\n")
    assert not valuable.exists()
    assert foreign.exists()
    assert theirs.exists()
    assert writing.exists()  # it is alive
    assert other.exists()


def test_no_text_of_what_was_deleted_stays_in_what_a_killed_process_left(
    memory: Path, clock: Clock
) -> None:
    files.append(memory, adding(b"decided: to be forgotten\n"))
    left = _ring(memory).path.with_name(".MEMORY.99999123-0123abcd.tmp")
    left.write_bytes(_ring(memory).path.read_bytes())
    clock.ahead = 61
    assert files.edit(memory, lambda old: old.replace(b"decided: to be forgotten\n", b""))
    there = [one.read_bytes() for one in memory.parent.rglob("*") if one.is_file()]
    assert not any(b"forgotten" in one for one in there)


# --- where nothing can take the file's place ----------------------------------------------


@POSIX
@pytest.mark.parametrize("after", [b"longer than before\n" * 3, b"short\n", b""])
def test_a_hard_link_stays_one(memory: Path, after: bytes) -> None:
    os.link(memory, memory.parent / "other")
    assert files.edit(memory, adding(after))
    assert (memory.parent / "other").read_bytes() == after
    assert (memory.parent / "other").samefile(memory)
    assert left_in(memory.parent) == []
    assert not files.settle(memory)


@POSIX
def test_a_hand_edit_before_a_write_in_place_is_merged(memory: Path) -> None:
    os.link(memory, memory.parent / "other")

    def change(old: bytes) -> bytes:
        if b"by hand" not in old:
            saved(memory, old + b"by hand\n")
        return old.replace(b"first", b"1st")

    assert files.edit(memory, change)
    assert (memory.parent / "other").read_bytes() == b"# Memory\n\n1st\nby hand\n"
    assert left_in(memory.parent) == []


@POSIX
@pytest.mark.parametrize(
    ("call", "number"),
    [("fchown", errno.EPERM), ("open", errno.EACCES), ("exchange", errno.EBUSY)],
)
def test_another_owner_a_closed_folder_and_a_mount_are_written_in_place(
    memory: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    real = os.open

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    def opens(path: Path | str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_EXCL and Path(path).parent == memory.parent:
            refuse()
        return real(path, flags, mode)

    def foreign(descriptor: int) -> os.stat_result:
        status = list(fstat(descriptor))
        status[4] = descriptor
        return os.stat_result(status)

    if call == "exchange":
        monkeypatch.setattr(system, "exchange", refuse)
    elif call == "open":
        monkeypatch.setattr(os, "open", opens)
    else:
        monkeypatch.setattr(beside, "take_after", _other_owner)
        fstat = os.fstat
        del foreign
    inode = memory.stat().st_ino
    assert files.edit(memory, lambda old: old.replace(b"first", b"1st"))
    assert memory.read_bytes() == b"# Memory\n\n1st\n"
    assert memory.stat().st_ino == inode
    assert left_in(memory.parent) == []


def _other_owner(*_: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


@POSIX
def test_giving_a_file_away_needs_an_administrator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"")
    descriptor = os.open(tmp_path / "a", os.O_RDONLY)
    real = os.fstat

    def foreign(number: int) -> os.stat_result:
        status = list(real(number))
        status[4] += number == descriptor
        return os.stat_result(status)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fstat", foreign)
    monkeypatch.setattr(os, "fchown", refuse)
    try:
        with pytest.raises(PermissionError):
            beside.written(tmp_path / "a", b"x", like=descriptor)
    finally:
        os.close(descriptor)
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_without_any_place_for_a_journal_nothing_is_written_in_place(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(memory, memory.parent / "other")
    monkeypatch.setattr(beside, "written", _refusing)
    with pytest.raises(FileError, match="permission denied"):
        files.edit(memory, adding(b"new\n"))
    assert memory.read_bytes() == b"# Memory\n\nfirst\n"


def test_a_write_in_place_that_was_cut_short_is_taken_back(memory: Path) -> None:
    before, after = b"0123456789\n", b"abcdefghijklmno\n"
    for torn in (after[:5] + before[5:], after[:11], after[:14], before, after):
        journal = beside._kept(memory, before, after)
        assert journal == memory.with_name(".MEMORY.md.journal")
        saved(memory, torn)
        files.edit(memory, lambda old: old)
        assert memory.read_bytes() == (after if torn == after else before)
        assert not journal.exists()
    journal = beside._kept(memory, after, before)
    for torn in (before[:5] + after[5:], before + after[11:]):
        journal = beside._kept(memory, after, before)
        saved(memory, torn)
        files.edit(memory, lambda old: old)
        assert memory.read_bytes() == after
        assert not journal.exists()


@pytest.mark.parametrize("foreign", [b"", b"x", b"x" * 24, b"MINDjrn1" + bytes(15) + b"\1"])
def test_what_is_no_journal_is_let_alone(memory: Path, foreign: bytes) -> None:
    journal = memory.with_name(".MEMORY.md.journal")
    journal.write_bytes(foreign)
    assert files.edit(memory, lambda old: old + b"x\n")
    assert memory.read_bytes() == b"# Memory\n\nfirst\nx\n"
    assert journal.read_bytes() == foreign


def test_a_journal_without_its_file_is_let_alone(memory: Path) -> None:
    journal = beside._kept(memory, b"old", b"new")
    memory.unlink()
    assert not files.edit(memory, adding(b"x\n"))
    assert journal.exists()


def test_a_journal_in_the_cache_is_found_too(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (memory.parent / "cache").mkdir()
    beside_file, in_cache = beside._places(memory)
    assert beside_file == memory.with_name(".MEMORY.md.journal")
    assert in_cache.parent == memory.parent / "cache"
    monkeypatch.setattr(beside, "_places", lambda _: [memory / "none" / "x", in_cache])
    assert beside._kept(memory, b"0123456789", b"abcdefghij") == in_cache
    saved(memory, b"abcde56789")
    monkeypatch.undo()
    assert not files.edit(memory, lambda old: old)
    assert memory.read_bytes() == b"0123456789"
    assert not in_cache.exists()


def test_what_a_person_wrote_after_a_write_was_cut_short_stays(memory: Path) -> None:
    journal = beside._kept(memory, b"old content\n", b"new content\n")
    saved(memory, b"by hand\n")
    assert files.edit(memory, lambda old: old + b"x\n")
    assert memory.read_bytes() == b"by hand\nx\n"
    assert not journal.exists()
    assert b"old content\n" in journal.with_name(".MEMORY.md.journal.old").read_bytes()


# --- Mind's own files ---------------------------------------------------------------------


def test_an_own_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    files.write(path, b"one")
    assert path.read_bytes() == b"one"
    files.write(path, b"two", sync=False)
    assert path.read_bytes() == b"two"
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]


@POSIX
def test_an_own_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.write(path, b"one", mode=0o640)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    files.write(path, b"two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "link").symlink_to("a")
    files.write(tmp_path / "link", b"three")
    assert (tmp_path / "link").is_symlink()
    assert path.read_bytes() == b"three"
    files.write(tmp_path / "new", b"")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~umask


@POSIX
def test_an_own_file_that_may_not_be_read_is_still_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    files.write(path, b"one", mode=0o200)

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("mind.storage.files.beside.opened", refuse)
    files.write(path, b"two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o200


def test_an_own_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        files.write(tmp_path / "none" / "a", b"x")
    assert caught.value.data["errno"] == "ENOENT"
    with pytest.raises(FileError, match="a folder"):
        files.write(tmp_path, b"x")


def test_json_is_written_for_people_to_read_and_only_if_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    files.write_json(path, {"ключ": [1]}, mode=0o600)
    assert path.read_text(encoding="utf-8") == '{\n  "ключ": [\n    1\n  ]\n}\n'
    before = path.stat()
    files.write_json(path, {"ключ": [1]})
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    files.write_json(path, {"b": "\udc80"}, sync=False)
    assert json.loads(path.read_bytes()) == {"b": "?"}
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


def test_a_broken_json_file_is_kept_aside_before_it_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for data in (b'{"edges": [', b"[1]", b'{"edges": [', b"[" * 100_000):
        path.write_bytes(data)
        files.write_json(path, {})
        assert path.read_bytes() == b"{}\n"
    kept = {one.name: one.read_bytes() for one in tmp_path.iterdir() if one != path}
    assert kept == {
        "a.json.broken": b'{"edges": [',
        "a.json.broken-2": b"[1]",
        "a.json.broken-3": b"[" * 100_000,
    }


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf \n", b"null", b"[]", b'{"a": 1}'])
def test_a_json_file_with_nothing_to_lose_is_just_overwritten(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    files.write_json(tmp_path / "a.json", {"b": 1})
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


# --- merging ------------------------------------------------------------------------------


def test_changes_in_different_places_are_put_together() -> None:
    base = b"a\nb\nc\nd\ne\n"
    assert replacing.merge(base, b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\ne\nf\n") == b"A\nb\nc\nd\ne\nf\n"
    assert replacing.merge(base, b"a\nc\nd\ne\n", b"a\nb\nc\nX\nd\ne\n") == b"a\nc\nX\nd\ne\n"
    assert replacing.merge(base, b"X\n" + base, base + b"Y\n") == b"X\n" + base + b"Y\n"


def test_the_same_change_made_twice_is_made_once() -> None:
    assert replacing.merge(b"a\nb\n", b"a\nX\nb\n", b"a\nX\nb\nc\n") == b"a\nX\nb\nc\n"


def test_where_both_changed_a_line_both_versions_stay() -> None:
    assert replacing.merge(b"a\nb\nc\n", b"a\n1\nc\n", b"a\n2\nc\n") == b"a\n1\n2\nc\n"
    assert replacing.merge(b"a\n", b"1", b"2") == b"1\n2"


@given(lines, lines, lines)
def test_merging_loses_no_line_that_either_side_added(
    base: list[bytes], one: list[bytes], other: list[bytes]
) -> None:
    merged = replacing.merge(*(b"".join(side) for side in (base, one, other))).splitlines(
        keepends=True
    )
    for side in (one, other):
        assert {line for line in side if line not in base} <= set(merged)
    assert replacing.merge(*(b"".join(side) for side in (base, one, base))) == b"".join(one)
    assert replacing.merge(*(b"".join(side) for side in (base, base, one))) == b"".join(one)
    assert replacing.merge(*(b"".join(side) for side in (base, one, one))) == b"".join(one)


# --- exchanging ---------------------------------------------------------------------------


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    yield tmp_path / "one", tmp_path / "two"
    assert {one.read_bytes() for one in tmp_path.iterdir()} == {b"1", b"2"}


@pytest.mark.skipif(sys.platform != "linux", reason="there may be no such call")
def test_two_files_are_exchanged(pair: tuple[Path, Path]) -> None:
    assert system.exchange(*pair)
    assert pair[0].read_bytes() == b"2"
    with pytest.raises(FileNotFoundError):
        system.exchange(pair[0], pair[0].with_name("none"))


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL, errno.EPERM])
def test_a_system_that_cannot_exchange_says_so(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(system, "_system_exchange", lambda: lambda *_: number)
    assert not system.exchange(*pair)


@pytest.mark.parametrize("error", [AttributeError, OSError, None])
def test_a_system_without_the_call_cannot_exchange(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, error: type[Exception] | None
) -> None:
    def missing() -> None:
        if error:
            raise error

    monkeypatch.setattr(system, "_system_exchange", missing)
    assert not system.exchange(*pair)
    assert pair[0].read_bytes() == b"1"


def test_a_folder_that_cannot_be_synced_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system.sync_folder(tmp_path / "none")
    monkeypatch.setattr(os, "fsync", _refusing)
    system.sync_folder(tmp_path)
    assert not _open_descriptors(tmp_path)
