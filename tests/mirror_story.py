"""Writers, one process that mirrors, and a server that everything happens to.

Usage: python -m tests.mirror_story write ROOT SEED | drain ROOT
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

from mind import mirroring
from mind.errors import MirrorError
from mind.home import home
from mind.meaning import Meaning
from mind.memory import Memory
from mind.project import Project
from tests.postgres import Database
from tests.proxy import Proxy

TROUBLES = ("stop", "kill", "drop", "cut", "full")
_WORDS = "redis kafka queue cache index token build test deploy retry limit schema".split()


@dataclass
class Told:
    """What came of a story.

    Attributes:
        writes: How many there were.
        failed: What a writer was told when one failed.
        seconds: What each took.
        troubles: How often each came.
        recovered: Seconds from the end of the last trouble until the mirror equalled the files.
        is_exact: It did.
    """

    writes: int = 0
    failed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    troubles: dict[str, int] = field(default_factory=dict)
    recovered: float = 0.0
    is_exact: bool = False


def write(root: Path, seed: int) -> None:
    """Log, edit and forget until standard input ends; print what each write took."""
    pick = random.Random(seed)  # noqa: S311 - no secret
    memory = Memory(Project(root))
    mine: list[str] = []
    ended = _ended()
    while not ended():
        began = time.perf_counter()
        problem = ""
        try:
            _one(memory, pick, mine)
        except Exception as error:  # noqa: BLE001 - whatever it is, the story tells it
            problem = repr(error)
        print(json.dumps([time.perf_counter() - began, problem]), flush=True)  # noqa: T201 - for the story
        time.sleep(pick.uniform(0, 0.05))
    memory.close()


def _one(memory: Memory, pick: random.Random, mine: list[str]) -> None:
    if mine and pick.random() < 0.2:
        memory.forget(mine.pop(pick.randrange(len(mine))), "over")
        return
    text = f"{' '.join(pick.choices(_WORDS, k=8))} {pick.getrandbits(40):x}"
    text += " " + " ".join(f"{pick.getrandbits(60):x}" for _ in range(60))
    mine.append(memory.log(text, "learning", acknowledge=True).entry.id)


def drain(root: Path) -> None:
    """Mirror as a server does, until standard input ends."""
    project = Project(root)
    meaning = Meaning(project.settings, home(), patient=False)
    drainer = mirroring.Drainer()
    ended = _ended()
    while not ended():
        drainer.step(project, meaning, lambda: not ended())
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
        # no file of the server may grow beyond what a segment of its log needs
        "full": (lambda: restart(1 << 20), restart),
    }[name]


def undisturbed(root: Path, writers: int, seconds: float) -> list[float]:
    """What each write takes where there is no mirror: the machine's own share of the waiting."""
    started = [
        _started("write", root, str(at), environment=dict(os.environ)) for at in range(writers)
    ]
    time.sleep(seconds)
    lines = [line for one in started for line in one.communicate()[0].splitlines()]
    return [json.loads(line)[0] for line in lines]


def story(  # noqa: PLR0917 - what happens
    root: Path, database: Database, wire: Proxy, writers: int, seconds: float, seed: int
) -> Told:
    """Writers write, the mirror is in trouble most of the time, and then it recovers."""
    told = Told()
    pick = random.Random(seed)  # noqa: S311 - no secret
    environment = {**os.environ, "MIND_MIRROR_DSN": database.dsn(port=wire.port)}
    project = mirroring.choose(Project(root))
    started = [
        _started("write", root, str(seed * 100 + at), environment=environment)
        for at in range(writers)
    ]
    mirrorer = _started("drain", root, environment=environment)
    until = time.monotonic() + seconds
    order: list[str] = []
    while time.monotonic() < until:
        order = order or pick.sample(TROUBLES, len(TROUBLES))
        name = order.pop()
        told.troubles[name] = told.troubles.get(name, 0) + 1
        with trouble(name, database, wire):
            time.sleep(pick.uniform(0.3, min(4.0, seconds / 5)))
        time.sleep(pick.uniform(0, 0.5))
    for one in started:
        out, err = one.communicate()
        told.failed += [err] if one.returncode else []
        for took, problem in map(json.loads, out.splitlines()):
            told.writes += 1
            told.seconds.append(took)
            told.failed += [problem] if problem else []
    began = time.monotonic()
    meaning = Meaning(project.settings, home())
    while time.monotonic() < began + 90 and not told.is_exact:
        with suppress(MirrorError):
            told.is_exact = mirroring.verify(project, meaning).is_exact
        time.sleep(0.1)
    told.recovered = time.monotonic() - began
    mirrorer.communicate()
    return told


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
        write(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        drain(Path(sys.argv[2]))
