"""Files when the system fails: at every single call, by an error and by a sudden death.

After each fault a file holds its old or its new content, never anything else, and the next call
works. Run as a program, this module does one scenario and dies at the calls it is told.
"""

import contextlib
import errno
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from mind.domain.errors import FileError
from mind.storage import files
from mind.storage.files import recent, system

if sys.platform == "win32":
    pytest.skip("fork, signals and modes", allow_module_level=True)

import resource

OLD = b"# Memory\r\n\r\nfirst\n"
NEW = b"# Memory\r\n\r\n1st\n"
ADDED = b"decided: a\n"

CALLS = (
    "open",
    "read",
    "write",
    "close",
    "fstat",
    "stat",
    "lseek",
    "fsync",
    "ftruncate",
    "replace",
    "rename",
    "link",
    "unlink",
    "fchmod",
    "fchown",
    "mkdir",
    "listxattr",
    "scandir",
    "urandom",
)


def scene(root: Path) -> Path:
    """A memory file of mode 600 that was written a while ago, and the folder for the cache."""
    (root / ".mind" / "cache").mkdir(parents=True)
    path = root / ".mind" / "MEMORY.md"
    path.write_bytes(OLD)
    path.chmod(0o600)
    past = time.time() - 60
    os.utime(path, (past, past))
    return path


def change(old: bytes) -> bytes:
    return old.replace(b"first", b"1st")


def do_append(path: Path) -> None:
    files.append(path, lambda _: ADDED)


def do_create(path: Path) -> None:
    files.append(path.with_name("NEW.md"), lambda _: ADDED)


def do_edit(path: Path) -> None:
    files.edit(path, change)


def do_edit_without_exchange(path: Path) -> None:
    def no_exchange(one: Path, two: Path) -> bool:
        del one, two
        return False

    system.exchange = no_exchange
    files.edit(path, change)


def do_create_by_edit(path: Path) -> None:
    files.edit(path.with_name("NEW.md"), lambda _: ADDED, create=True)


def do_edit_in_place(path: Path) -> None:
    files.edit(path, change)


def do_write(path: Path) -> None:
    files.write(path, NEW)


def do_write_json(path: Path) -> None:
    files.write_json(path, {})


def do_settle(path: Path) -> None:
    files.settle(path)


SCENARIOS: dict[str, Callable[[Path], None]] = {
    name.removeprefix("do_"): action
    for name, action in list(globals().items())
    if name.startswith("do_")
}
OUTCOMES = {
    "append": {OLD, OLD + ADDED},
    "create": {OLD},
    "create_by_edit": {OLD},
    "write_json": {OLD, b"{}\n"},
    "settle": {NEW, NEW + ADDED},
}


def prepare(name: str, root: Path) -> Path:
    path = scene(root)
    if name == "edit_in_place":
        path.with_name("other").hardlink_to(path)
    if name == "settle":  # an older copy has overwritten an entry
        do_append(path)
        path.write_bytes(NEW)
        past = time.time() - 0.5
        os.utime(path, (past, past))
    return path


class Faults:
    """Counts the system calls of :data:`CALLS`, and does something before the chosen one."""

    def __init__(self, at: int, fault: Callable[[str], None]) -> None:
        self.at = at
        self.fault = fault
        self.count = 0
        self.real = {name: getattr(os, name) for name in CALLS if hasattr(os, name)}
        self.swap = system.exchange

    def before(self, name: str) -> None:
        self.count += 1
        if self.count == self.at:
            self.fault(name)

    def __enter__(self) -> Self:
        for name, call in self.real.items():
            setattr(os, name, self.counted(name, call))
        system.exchange = self.counted("exchange", self.swap)
        return self

    def __exit__(self, *_: object) -> None:
        for name, call in self.real.items():
            setattr(os, name, call)
        system.exchange = self.swap

    def counted(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.before(name)
            return call(*arguments, **options)

        return wrapped


# --- sudden death -------------------------------------------------------------------------


def die(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run_and_die(name: str, folder: Path) -> None:
    """For each call: do the scenario in a child that is killed there, then look at the file."""
    at = 0
    while True:
        at += 1
        path = prepare(name, folder / str(at))
        child = os.fork()
        if child == 0:
            with Faults(at, die):
                SCENARIOS[name](path)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:
            break
        assert code == -signal.SIGKILL, (name, at, code)
        look_after_death(name, at, path)
    print(json.dumps({"calls": at - 1}))  # noqa: T201 - what the test reads


def look_after_death(name: str, at: int, path: Path) -> None:
    found = path.read_bytes()
    if name == "edit_in_place":  # the one case that needs the next edit to take it back
        files.edit(path, lambda old: old)
        found = path.read_bytes()
    assert found in OUTCOMES.get(name, {OLD, NEW}), (name, at, found)
    new = path.with_name("NEW.md")
    if new.exists():
        assert new.read_bytes() in (b"", ADDED), (name, at)
        assert name != "create_by_edit" or new.read_bytes() == ADDED, (name, at)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, (name, at)
    SCENARIOS[name](path)  # what was begun can be done again; nobody holds a lock
    if name == "settle":
        assert path.read_bytes() == NEW + ADDED, (name, at)
    elif name.startswith("edit"):
        assert path.read_bytes() == NEW, (name, at)
    elif name == "append":
        assert path.read_bytes() in {OLD + ADDED, OLD + ADDED * 2}, (name, at)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_process_killed_between_any_two_calls_leaves_the_old_or_the_new_content(
    name: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", __file__, name, str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["calls"] > 10


# --- errors -------------------------------------------------------------------------------


@pytest.fixture
def restored() -> Iterator[None]:
    """What a scenario patches for good in a process of its own."""
    swap = system.exchange
    yield
    system.exchange = swap


def open_files(folder: Path) -> list[str]:
    table = Path("/proc/self/fd")
    names = []
    for one in table.iterdir() if table.is_dir() else ():
        try:
            names.append(str(one.readlink()))
        except OSError:
            continue
    return [name for name in names if name.startswith(str(folder))]


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("name", SCENARIOS)
def test_an_error_of_any_call_leaves_the_old_or_the_new_content(
    name: str, number: int, tmp_path: Path
) -> None:
    calls = 0
    while True:
        calls += 1
        path = prepare(name, tmp_path / str(calls))
        faults = Faults(calls, _failing(number))
        refused = None
        with faults:
            try:
                SCENARIOS[name](path)
            except FileError as error:
                refused = error
        _look_after_error(name, path, refused, (name, calls))
        if faults.count < calls:
            break
    assert calls > 10


def _failing(number: int) -> Callable[[str], None]:
    def fail(name: str) -> None:
        if name != "close":  # it closes all the same
            raise OSError(number, os.strerror(number))

    return fail


def _look_after_error(
    name: str, path: Path, refused: FileError | None, where: tuple[str, int]
) -> None:
    found = path.read_bytes()
    assert found in OUTCOMES.get(name, {OLD, NEW}), (where, found)
    made = path.with_name("NEW.md")
    if refused is not None:
        assert found in (OLD, NEW if name == "settle" else OLD), where
        assert not made.exists() or made.read_bytes() == b"", where
        assert refused.remedy, where
    elif name.startswith("create"):
        assert made.read_bytes() == ADDED, where
    elif name not in ("settle", "write_json"):
        assert found != OLD, where
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, where
    assert not open_files(path.parent.parent), where


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.ENOSPC, "disk space"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EFBIG, "limit"),
        (errno.EMFILE, "too many files"),
        (errno.ENFILE, "too many files"),
        (errno.EIO, "permissions and the free disk space"),
    ],
)
def test_each_refusal_says_what_to_do(
    number: int, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    real = os.write

    def refuse(descriptor: int, data: bytes) -> int:
        if bytes(data) in (ADDED, NEW):
            raise OSError(number, os.strerror(number))
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", refuse)
    for action in (do_append, do_edit, do_write):
        with pytest.raises(FileError) as caught:
            action(path)
        assert word in caught.value.remedy
        assert caught.value.data["errno"] == errno.errorcode[number]
        assert path.read_bytes() == OLD
        assert [one.name for one in path.parent.iterdir() if one.name.endswith(".tmp")] == []


# --- half a write -------------------------------------------------------------------------


def halves(monkeypatch: pytest.MonkeyPatch, error: BaseException | None, data: bytes) -> None:
    """The system takes half of ``data`` and then all of the rest, or fails."""
    real = os.write
    turns = iter(range(100))

    def write(descriptor: int, piece: bytes) -> int:
        if not data.endswith(piece) or not piece:
            return real(descriptor, piece)
        turn = next(turns)
        if turn and error:
            raise error
        return real(descriptor, piece[: len(piece) // 2] if not turn else piece)

    monkeypatch.setattr(os, "write", write)


def test_a_write_that_is_cut_short_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    halves(monkeypatch, None, ADDED)
    do_append(path)
    assert path.read_bytes() == OLD + ADDED


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_write_that_cannot_be_finished_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = scene(tmp_path)
    halves(monkeypatch, error, ADDED)
    with pytest.raises((FileError, KeyboardInterrupt)):
        do_append(path)
    assert path.read_bytes() == OLD
    assert not files.settle(path)
    monkeypatch.undo()
    halves(monkeypatch, error, ADDED)
    with pytest.raises((FileError, KeyboardInterrupt)):
        do_create(path)
    assert not path.with_name("NEW.md").exists()


def test_what_somebody_wrote_after_half_an_entry_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    real = os.write

    def write(descriptor: int, piece: bytes) -> int:
        if bytes(piece) == ADDED:
            return real(descriptor, piece[:4])
        if ADDED.endswith(bytes(piece)):
            with path.open("ab") as other:
                other.write(b"by hand\n")
            raise OSError(errno.ENOSPC, "full")
        return real(descriptor, piece)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(FileError):
        do_append(path)
    assert path.read_bytes().startswith(OLD)
    assert path.read_bytes().endswith(b"by hand\n")


def test_half_an_entry_in_a_file_that_was_rewritten_meanwhile_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    real = os.write
    by_hand = b"x" * (len(OLD) + 4)

    def write(descriptor: int, piece: bytes) -> int:
        if bytes(piece) == ADDED:
            return real(descriptor, piece[:4])
        if ADDED.endswith(bytes(piece)):
            path.write_bytes(by_hand)
            raise OSError(errno.ENOSPC, "full")
        return real(descriptor, piece)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(FileError):
        do_append(path)
    assert path.read_bytes() == by_hand


def test_a_file_system_that_cannot_sync_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)

    def refuse(_: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse)
    do_append(path)
    do_edit(path)
    do_write(path.with_name("state.json"))
    assert path.read_bytes() == NEW + ADDED


def test_what_takes_a_place_is_on_disk_before_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    done: list[str] = []
    sync, swap, put = os.fsync, system.exchange, os.replace

    def fsync(descriptor: int) -> None:
        sync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def exchange(one: Path, two: Path) -> bool:
        done.append("exchange")
        return swap(one, two)

    def replace(one: Path, two: Path) -> None:
        if "recent" not in str(two):
            done.append("replace")
        put(one, two)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(system, "exchange", exchange)
    for action, expected in [
        (do_append, ["file"]),
        (do_create, ["folder", "file"]),
        (do_edit, ["file", "exchange", "folder"]),
        (do_write, ["file", "replace", "folder"]),
        (do_write_json, ["file", "replace", "file", "replace"]),
    ]:
        done.clear()
        action(path)
        assert [one for one in done if one != "folder" or "folder" in expected] == expected
    done.clear()
    files.write(path, b"", sync=False)
    assert done == ["replace"]
    path.unlink()
    ring = recent.ring_of(path)
    assert ring
    ring.save([])  # what was appended is not to be put back
    done.clear()
    files.edit(path, lambda _: OLD, create=True)
    assert done == ["file", "folder"]
    path.with_name("other").hardlink_to(path)
    done.clear()
    do_edit(path)
    assert done == ["file", "replace", "folder", "file"]
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    path.with_name("other").unlink()
    ring.save([])
    done.clear()
    files.edit(path, lambda old: old + b"x")
    assert done == ["file", "replace", "folder"]


def test_an_interrupted_edit_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        do_edit(path)
    assert path.read_bytes() == OLD
    assert sorted(one.name for one in path.parent.iterdir()) == ["MEMORY.md", "cache"]


def test_a_write_in_place_that_fails_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path)
    path.with_name("other").hardlink_to(path)
    halves(monkeypatch, OSError(errno.ENOSPC, "full"), NEW)
    with pytest.raises(FileError, match="full"):
        do_edit(path)
    assert path.read_bytes() == OLD
    assert sorted(one.name for one in path.parent.iterdir()) == ["MEMORY.md", "cache", "other"]


# --- the real thing -----------------------------------------------------------------------


def in_a_child(action: Callable[[], None]) -> None:
    """Do it in a process of its own, whose limits and user are its own."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - the parent raises it
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def run_real(name: str, folder: Path) -> None:
    path = scene(folder)
    {"limit": _limited, "user": _as_another_user, "full": _full}[name](path)


def _limited(path: Path) -> None:
    def action() -> None:
        size = len(OLD) + 4
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        _refused(path)

    in_a_child(action)
    assert path.read_bytes() == OLD
    do_append(path)


def _refused(path: Path) -> None:
    for act in (do_append, lambda one: files.edit(one, lambda old: old * 9), do_write_long):
        with pytest.raises(FileError) as caught:
            act(path)
        assert caught.value.data["errno"] == "EFBIG"
        assert files.read(path) == OLD
    assert not [one for one in path.parent.iterdir() if one.name.endswith(".tmp")]


def do_write_long(path: Path) -> None:
    files.write(path, OLD * 9_000)


def _as_another_user(path: Path) -> None:
    def action() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        assert files.read(path) == OLD
        assert files.settle(path) is False
        for act in (do_append, do_edit, do_write):
            with pytest.raises(FileError) as caught:
                act(path)
            assert "chmod" in caught.value.remedy

    path.chmod(0o444)
    path.parent.chmod(0o555)
    (path.parent / "cache").chmod(0o555)
    in_a_child(action)
    assert path.read_bytes() == OLD
    path.parent.chmod(0o755)
    (path.parent / "cache").chmod(0o755)


def _full(path: Path) -> None:
    filler = path.with_name("filler")
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(descriptor, bytes(4096))
    os.close(descriptor)
    do_big = OLD * 500

    for act in (
        lambda: files.append(path, lambda _: do_big),
        lambda: files.edit(path, lambda old: old + do_big),
        lambda: files.write(path, do_big),
    ):
        with pytest.raises(FileError) as caught:
            act()
        assert caught.value.data["errno"] == "ENOSPC"
        assert path.read_bytes() == OLD
    filler.unlink()
    do_append(path)
    assert path.read_bytes() == OLD + ADDED


def real(name: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", __file__, f"real-{name}", str(folder)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_limit_on_the_size_of_files_leaves_them_whole(tmp_path: Path) -> None:
    real("limit", tmp_path / "project")


def test_a_read_only_checkout_can_be_read_and_says_why_it_cannot_be_written() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest keeps other users out of its own
        Path(folder).chmod(0o755)
        real("user", Path(folder) / "project")


def test_a_full_disk_leaves_the_files_whole(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only an administrator may mount a small disk")
    try:
        real("full", disk / "project")
    finally:
        subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    scenario, place = sys.argv[1], Path(sys.argv[2])
    if scenario.startswith("real-"):
        run_real(scenario.removeprefix("real-"), place)
    else:
        run_and_die(scenario, place)
