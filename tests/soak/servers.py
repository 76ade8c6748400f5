"""Eight MCP servers that log, four editors that save, kills, and a busy machine: what is left.

Usage: python -m tests.soak.servers [RUNS] [LOAD] [SEED]. Each editor reads MEMORY.md, thinks, and
saves its copy with a line more: by renaming, by truncating, by truncating and writing 500 ms later,
or by appending. Each acknowledged entry has to be in MEMORY.md once, or in ARCHIVE.md and reported.
"""

import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mind.memory.memory import Memory
from mind.storage import archives
from mind.storage.files import recent
from mind.storage.project import Project
from tests.test_server_wire import Process

_SERVERS, _ENTRIES = 8, 100
_THINKING = 0.3
"""Seconds an editor has the file open before it saves."""
_KILLED = 0.03
"""Share of calls after which the server is killed."""


def _renamed(path: Path, content: bytes) -> None:
    new = path.with_name(".editor.swp")
    new.write_bytes(content)
    new.replace(path)


def _truncated(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _truncated_slowly(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        time.sleep(0.5)
        file.write(content)


def _appended(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content[content.rstrip(b"\n").rfind(b"\n") + 1 :])


_EDITORS: tuple[Callable[[Path, bytes], None], ...] = (
    _renamed, _truncated, _truncated_slowly, _appended,
)  # fmt: skip


def _edit(path: Path, number: int, done: threading.Event) -> None:
    """Save copies until ``done``; nobody else's line is taken out."""
    turn = 0
    while not done.is_set():
        turn += 1
        with suppress(FileNotFoundError):
            content = path.read_bytes()
            time.sleep(_THINKING)
            if content:
                _EDITORS[number](path, content + b"- by hand %d %d\n" % (number, turn))
        time.sleep(_THINKING * 4)


def _log(root: Path, home: Path, number: int, kept: list[str], pick: random.Random) -> None:
    """Log through a server; it is killed now and then, and another takes its place."""
    env = {**os.environ, "MIND_HOME": str(home), "HOME": str(home)}
    server = Process(cwd=root, env=env)
    for entry in range(_ENTRIES):
        text = f"server {number} holds value {entry} of {pick.randrange(10**9)}"
        server.call(entry + 1, "mind_log", message=text, type="learning")
        line = server.stdout.readline()
        if line and not json.loads(line)["result"].get("isError"):
            kept.append(text)
        if not line or pick.random() < _KILLED:
            server.stop(signal.SIGKILL)
            server = Process(cwd=root, env=env)
    server.stdin.close()


def _burn() -> None:
    while True:
        sum(range(10_000))


def run(seed: int) -> dict[str, int]:
    """One run; what it counted."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project, home = Project(Path(folder) / "project"), Path(folder) / "home"
        project.folder.mkdir(parents=True)
        home.mkdir()
        project.memory.write_bytes(b"# Memory\n")
        kept: list[str] = []
        done = threading.Event()
        editors = [
            threading.Thread(target=_edit, args=(project.memory, number, done))
            for number in range(len(_EDITORS))
        ]
        picks = [random.Random(seed * 100 + at) for at in range(_SERVERS)]  # noqa: S311 - no secrets
        loggers = [
            threading.Thread(target=_log, args=(project.root, home, at, kept, pick))
            for at, pick in enumerate(picks)
        ]
        for thread in (*editors, *loggers):
            thread.start()
        for thread in loggers:
            thread.join()
        done.set()
        for thread in editors:
            thread.join()
        ring = recent.ring_of(project.memory)
        looks = 0
        while (
            ring
            and (looks < 3 or any(one.state is recent.State.OWED for one in ring.load()))
            and looks < 200
        ):
            looks += 1  # what an editor saved last is looked at once it is quiet
            time.sleep(1)
            memory = Memory(project)
            memory.recall()
            memory.close()
        there = Counter(project.memory.read_text(encoding="utf-8").split("\n"))
        apart = b"".join(one.text for one in archives.read(project.archive)).decode()
        in_memory = {text: sum(n for line, n in there.items() if text in line) for text in kept}
        whole = Counter({line.removeprefix("- "): n for line, n in there.items()})
        torn = [
            line for line in there
            if line and not line.startswith(("- learned: server", "- by hand", "#"))
        ]  # fmt: skip
        joined = [
            line for line in there
            if line.count("server ") + line.count("by hand ") > 1 and line not in torn
        ]  # fmt: skip
        for line in (*torn, *joined):  # an editor tore it, or joined it with a line of its own
            sys.stdout.write(f"  torn or joined: {line!r}\n")
        doubled = [text for text in kept if whole[f"learned: {text}"] > 1]
        for text in doubled:
            sys.stdout.write(f"  doubled: {text}\n")
        return {
            "acknowledged": len(kept),
            "lost": sum(not n and text not in apart for text, n in in_memory.items()),
            "archived": sum(not n and text in apart for text, n in in_memory.items()),
            "doubled": len(doubled),
            "torn or joined": len(torn) + len(joined),
        }


def main(runs: int = 20, load: int = 20, seed: int = 1) -> int:
    """Print a line a run; 1 if anything was lost or doubled."""
    burning = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(load)]
    for one in burning:
        one.start()
    bad = 0
    for at in range(seed, seed + runs):
        began = time.monotonic()
        found = run(at)
        bad += bool(found["lost"] or found["doubled"])
        found["load"] = round(os.getloadavg()[1])
        sys.stdout.write(f"{at:3} {found} {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    for one in burning:
        one.kill()
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
