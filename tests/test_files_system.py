"""What operating systems differ in: Windows by its own branch, with its calls played here."""

import errno
import importlib.util
import os
import sys
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from mind.setup.install import made
from mind.storage.files import system

JUNCTION = 0xA0000003


class Bytes:
    """What ``msvcrt`` does: a lock on a byte of a file, held by one descriptor."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self.held: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, length: int) -> None:
        assert length == 1
        file = os.fstat(descriptor).st_ino
        if mode == self.LK_UNLCK:
            del self.held[file]
        elif file in self.held:
            raise OSError(errno.EACCES, "Permission denied")
        else:
            self.held[file] = descriptor


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as Windows loads it."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", Bytes())
    place = importlib.util.spec_from_file_location("windows_system", system.__file__)
    assert place
    assert place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)


@pytest.mark.parametrize("name", ["posix", "windows"])
def test_a_lock_is_held_by_one(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    module = system if name == "posix" else request.getfixturevalue("windows")
    if name == "posix" and sys.platform == "win32":
        pytest.skip("its branch is the other one")
    one, two = opened(tmp_path / "lock"), opened(tmp_path / "lock")
    try:
        assert module.try_lock(one)
        assert not module.try_lock(two)
        module.release(one)
        assert module.try_lock(two)
        module.release(two)
    finally:
        os.close(one)
        os.close(two)


def test_a_lock_that_cannot_be_tried_is_no_lock_of_somebody_else(
    windows: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sys.modules["msvcrt"], "locking", refuse)
    descriptor = opened(tmp_path / "lock")
    try:
        with pytest.raises(OSError, match="Input/output"):
            windows.try_lock(descriptor)
    finally:
        os.close(descriptor)


class Held:
    """Somebody has a file open, until it is let go: replacing it is refused, as Windows does."""

    def __init__(self) -> None:
        self.is_open = True
        self.refused = 0
        self._replace = os.replace

    def replace(self, new: Path, path: Path) -> None:
        if self.is_open:
            self.refused += 1
            raise PermissionError(errno.EACCES, "Access is denied", str(path))
        self._replace(new, path)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    file = Held()
    monkeypatch.setattr(os, "replace", file.replace)
    return file


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A new file, and the one whose place it is to take."""
    new, path = tmp_path / ".MEMORY.md.1.tmp", tmp_path / "MEMORY.md"
    new.write_text("new\n", encoding="utf-8")
    path.write_text("old\n", encoding="utf-8")
    return new, path


def test_a_file_that_is_open_is_replaced_once_it_is_closed(
    windows: ModuleType, held: Held, pair: tuple[Path, Path]
) -> None:
    writer = threading.Thread(target=windows.replace, args=pair)
    writer.start()
    while held.refused < 2:
        time.sleep(0.001)
    assert pair[1].read_text(encoding="utf-8") == "old\n"
    held.is_open = False
    writer.join()
    assert pair[1].read_text(encoding="utf-8") == "new\n"
    assert not pair[0].exists()


def test_a_file_that_stays_open_is_left_as_it_is(
    windows: ModuleType, held: Held, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(
        windows, "time", SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: None)
    )
    with pytest.raises(PermissionError):
        windows.replace(*pair)
    assert held.refused > 1
    assert [path.read_text(encoding="utf-8") for path in pair] == ["new\n", "old\n"]


def test_where_files_may_be_open_a_refusal_is_final(held: Held, pair: tuple[Path, Path]) -> None:
    if not system.KEEPS_OPEN:
        pytest.skip("here they may not")
    with pytest.raises(PermissionError):
        system.replace(*pair)
    assert held.refused == 1


def test_windows_replaces_instead_of_swapping(windows: ModuleType, pair: tuple[Path, Path]) -> None:
    assert not windows.KEEPS_OPEN
    assert not windows.exchange(*pair)
    assert pair[1].read_text(encoding="utf-8") == "old\n"


def test_windows_asks_no_process_whether_it_lives(windows: ModuleType) -> None:
    assert not windows.lives(os.getpid())  # a signal would end it


def test_a_new_file_of_windows_keeps_the_rights_of_its_folder(
    windows: ModuleType, pair: tuple[Path, Path]
) -> None:
    descriptors = [opened(path) for path in pair]
    try:
        windows.take_after(*descriptors)
        windows.set_mode(descriptors[0], pair[0], 0o600)
    finally:
        for one in descriptors:
            os.close(one)
    assert pair[0].read_text(encoding="utf-8") == "new\n"


# --- links --------------------------------------------------------------------------------


def test_links_are_told_wherever_they_lead(tmp_path: Path) -> None:
    for name, target in (("file", "none"), ("loop", "loop"), ("folder", str(tmp_path))):
        (tmp_path / name).symlink_to(target)
        assert system.is_link(tmp_path / name)
    (tmp_path / "plain").touch()
    assert not system.is_link(tmp_path / "plain")
    assert not system.is_link(tmp_path)
    assert not system.is_link(tmp_path / "none")
    assert not system.is_link("a\0b")


def test_nothing_behind_a_junction_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    (cache / "reads").mkdir(parents=True)
    for name in ("index.db", "reads/index.db"):
        (cache / name).touch()
    before = list(made.derived(cache))
    assert cache / "index.db" in before
    real = os.lstat

    def lstat(path: Path | str) -> object:
        if Path(path) == cache:
            return SimpleNamespace(st_mode=0o040755, st_reparse_tag=JUNCTION)
        return real(path)

    monkeypatch.setattr(os, "lstat", lstat)
    assert system.is_link(cache)
    assert list(made.derived(cache)) == []
