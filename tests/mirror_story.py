"""Writers, one process that mirrors, and a server that everything happens to.

Usage: python -m tests.mirror_story write ROOT SEED TURN | drain ROOT TURN

TURN is a file that names the folder whose turn it is; the others pause.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from mind.domain.errors import MirrorError
from mind.memory import mirror
from mind.memory.memory import Memory
from mind.search.semantic import ProjectVectors
from mind.storage.boundary import home
from mind.storage.project import Project
from tests.postgres import Database
from tests.proxy import Proxy

TROUBLES = ("stop", "kill", "drop", "cut", "full")
_WORDS = "redis kafka queue cache index token build test deploy retry limit schema".split()


@dataclass
class Write:
    """One write: when it began, in seconds since 1970, how long it took, and what went wrong."""

    at: float
    seconds: float
    problem: str


@dataclass
class Told:
    """What came of a story.

    Attributes:
        writes: With a mirror, which was in trouble most of the time.
        beside: The same of other writers on another memory, by turns with them, without a mirror.
        troubles: (name, beginning, end) of each.
        full: How often the server told that there is no space left, if that can be.
        recovered: Seconds from the end of the last trouble until the mirror equalled the files.
        is_exact: It did.
    """

    writes: list[Write] = field(default_factory=list)
    beside: list[Write] = field(default_factory=list)
    troubles: list[tuple[str, float, float]] = field(default_factory=list)
    full: int = 0
    recovered: float = 0.0
    is_exact: bool = False

    @property
    def failed(self) -> list[str]:
        """What writers were told that could not write."""
        return [one.problem for one in (*self.writes, *self.beside) if one.problem]

    def during(self, name: str) -> list[float]:
        """Seconds of the writes that were made during troubles of a name, at least partly."""
        spans = [(begin, end) for what, begin, end in self.troubles if what == name]
        return [
            one.seconds
            for one in self.writes
            if any(one.at < end and one.at + one.seconds > begin for begin, end in spans)
        ]


def write(root: Path, seed: int, turn: Path) -> None:
    """Log, edit and forget until standard input ends; print what each write took."""
    pick = random.Random(seed)  # noqa: S311 - no secret
    memory = Memory(Project(root))
    mine: list[str] = []
    ended = _ended()
    print("ready", flush=True)  # noqa: T201 - for the story, which waits for it
    while not ended():
        if not _is_turn(turn, root):
            time.sleep(0.05)
            continue
        at, began = time.time(), time.perf_counter()
        problem = ""
        try:
            _one(memory, pick, mine)
        except Exception as error:  # noqa: BLE001 - whatever it is, the story tells it
            problem = repr(error)
        print(json.dumps([at, time.perf_counter() - began, problem]), flush=True)  # noqa: T201 - for the story
        time.sleep(pick.uniform(0, 0.05))
    memory.close()


def _is_turn(turn: Path, root: Path) -> bool:
    return turn.read_text(encoding="utf-8") == str(root)


def _give(turn: Path, root: Path) -> None:
    """Whoever reads it meanwhile reads one or the other."""
    new = turn.with_suffix(".new")
    new.write_text(str(root), encoding="utf-8")
    new.replace(turn)


def _one(memory: Memory, pick: random.Random, mine: list[str]) -> None:
    if mine and pick.random() < 0.2:
        memory.forget(mine.pop(pick.randrange(len(mine))), "over")
        return
    text = f"{' '.join(pick.choices(_WORDS, k=8))} {pick.getrandbits(40):x}"
    text += " " + " ".join(f"{pick.getrandbits(60):x}" for _ in range(60))
    mine.append(memory.log(text, "learning", acknowledge=True).entry.id)


def drain(root: Path, turn: Path) -> None:
    """Mirror as a server does, until standard input ends."""
    project = Project(root)
    meaning = ProjectVectors(project.settings, home(), patient=False)
    drainer = mirror.OutboxSender()
    ended = _ended()
    while not ended():
        if _is_turn(turn, root):
            drainer.step(project, meaning, lambda: not ended() and _is_turn(turn, root))
        time.sleep(0.05)


def _ended() -> Callable[[], bool]:
    """Whether standard input came to its end."""
    import threading

    over = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    return over.is_set


@contextmanager
def trouble(name: str, database: Database, wire: Proxy) -> Iterator[None]:
    """Something is wrong with the server until the block ends."""
    begin, end = _trouble(name, database, wire)
    begin()
    try:
        yield
    finally:
        end()


def _trouble(name: str, database: Database, wire: Proxy) -> tuple[Callable[[], None], ...]:
    """What begins it, and what ends it."""
    server = database.server

    def drop() -> None:
        with suppress(psycopg.Error):
            database.run("SET lock_timeout = '5s'; DROP SCHEMA mind CASCADE")

    def restart(*limited: int) -> None:
        server.stop()
        server.start(*limited)

    return {
        "stop": (lambda: server.signal(signal.SIGSTOP), lambda: server.signal(signal.SIGCONT)),
        "kill": (server.kill, server.start),
        "drop": (drop, lambda: None),
        "cut": (wire.cut, wire.mend),
        "full": (server.fill, server.free)
        if server.is_on_small_disk
        # no file of the server may grow beyond what a segment of its log needs
        else (lambda: restart(1 << 20), restart),
    }[name]


def story(  # noqa: PLR0917 - what happens
    root: Path,
    database: Database,
    wire: Proxy,
    writers: int,
    seconds: float,
    seed: int,
    beside: Path | None = None,
) -> Told:
    """Writers write, the mirror is in trouble most of the time, and then it recovers.

    Args:
        root: The project that is mirrored.
        database: Its mirror.
        wire: Between them.
        writers: How many there are, a process each.
        seconds: How long they write.
        seed: Of what they write, and of the troubles.
        beside: A project without a mirror. As many write there, by turns with the others, half as
            long: what they take is the machine's share of the waiting.
    """
    pick = random.Random(seed)  # noqa: S311 - no secret
    environment = {**os.environ, "MIND_MIRROR_DSN": database.dsn(port=wire.port)}
    project = mirror.choose(Project(root))
    turn = root.with_name("turn")
    _give(turn, root)
    plain = {name: value for name, value in os.environ.items() if name != "MIND_MIRROR_DSN"}
    theirs = [
        _started("write", beside, str(seed * 100 + at), str(turn), environment=plain)
        for at in range(writers if beside else 0)
        if beside
    ]
    started = [
        _started("write", root, str(seed * 100 + at), str(turn), environment=environment)
        for at in range(writers)
    ]
    mirrorer = _started("drain", root, str(turn), environment=environment)
    for one in (*theirs, *started):  # a busy machine takes seconds to start them
        assert one.stdout
        one.stdout.readline()
    told = Told()
    _live(told, database, wire, seconds, pick, lambda one: _give(turn, one), root, beside)
    told.writes, told.beside = _written(started), _written(theirs)
    began = time.monotonic()
    meaning = ProjectVectors(project.settings, home())
    while time.monotonic() < began + 90 and not told.is_exact:
        with suppress(MirrorError):
            told.is_exact = mirror.verify(project, meaning).is_exact
        time.sleep(0.1)
    told.recovered = time.monotonic() - began
    mirrorer.communicate()
    told.full = database.server.refused_for_space()
    return told


def _live(  # noqa: PLR0917 - as above
    told: Told,
    database: Database,
    wire: Proxy,
    seconds: float,
    pick: random.Random,
    give: Callable[[Path], None],
    root: Path,
    beside: Path | None,
) -> None:
    """Trouble after trouble, and now and then a while for the others."""
    left = seconds
    order: list[str] = []
    while left > 0:
        began = time.monotonic()
        order = order or pick.sample(TROUBLES, len(TROUBLES))
        name = order.pop()
        with trouble(name, database, wire):
            begin = time.time()
            time.sleep(pick.uniform(0.3, min(4.0, seconds / 5)))
            told.troubles.append((name, begin, time.time()))
        time.sleep(pick.uniform(0, 0.5))
        took = time.monotonic() - began
        left -= took
        if beside:
            give(beside)
            time.sleep(took / 2)
            give(root)


def _written(started: "list[subprocess.Popen[str]]") -> list[Write]:
    """What writers wrote, which end now."""
    for one in started:
        assert one.stdin
        one.stdin.close()
    found = []
    for one in started:
        one.stdin = None
        out, err = one.communicate()
        found += [Write(*json.loads(line)) for line in out.splitlines()]
        found += [Write(0.0, 0.0, err)] if one.returncode else []
    return found


def _started(
    what: str, root: Path, *more: str, environment: dict[str, str]
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.mirror_story", what, str(root), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment,
        cwd=Path(__file__).parents[1],
    )


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        drain(Path(sys.argv[2]), Path(sys.argv[3]))
