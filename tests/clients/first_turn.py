"""How many real sessions of Claude Code have Mind's tools in the model's first turn, under load.

python -m tests.clients.first_turn [--sessions 20] [--load 2]

Each session is a fresh process of the client with the plugin installed and a model that a stub on
this machine plays. Its first request is looked at, nothing later. Half of the sessions are those of
a user whose servers have answered before; half are of a new one each, with nothing remembered.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from mind.storage.project import Project
from tests.test_plugin import TOOLS, install
from tests.test_real_clients import CLAUDE, Model, claude, environment

MARK = f"{TOOLS}mind_recall"


def spin() -> None:
    """Keep one core busy."""
    while True:
        sum(range(10_000))


@contextmanager
def load(count: int) -> Iterator[None]:
    """``count`` processes that never rest."""
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(count)]
    for process in busy:
        process.start()
    yield
    for process in busy:
        process.terminate()
        process.join()


@contextmanager
def stub() -> Iterator[str]:
    """The address of a model that always says the same."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def project(folder: Path, url: str) -> tuple[Project, dict[str, str]]:
    """A repository with a memory, and a user who has the plugin."""
    root, home = folder / "project", folder / "home"
    root.mkdir(parents=True)
    home.mkdir()
    env = environment(home, url)
    subprocess.run(["git", "init", "--quiet"], cwd=root, env=env, check=True)
    install(root, env)
    subprocess.run(["mind", "init"], cwd=root, env=env, check=True, capture_output=True)
    return Project(root), env


def has_tools(where: Project, env: dict[str, str]) -> tuple[bool, float]:
    """Whether the first request of a session offers Mind's tools, and how long it all took."""
    Model.turns, Model.asked = [], []
    began = time.monotonic()
    claude(where, env, "-p", "work")
    offered = [tool["name"] for tool in Model.asked[0]["tools"]]
    others = json.dumps(Model.asked[0])
    return MARK in offered and f"{TOOLS}mind_search" in others, time.monotonic() - began


def main() -> int:
    """Run the sessions and print how many had the tools; 0 if all had."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sessions", type=int, default=20)
    options.add_argument("--load", type=int, default=os.cpu_count() or 2)
    asked = options.parse_args()
    if not CLAUDE.exists():
        print("The client is not installed: `make clients`.")
        return 2
    found = {"known user": [], "new user": []}  # type: dict[str, list[tuple[bool, float]]]
    with tempfile.TemporaryDirectory() as name, stub() as url, load(asked.load):
        known = project(Path(name) / "known", url)
        subprocess.run([*"mind doctor".split()], env=known[1], cwd=known[0].root, check=False,
                       capture_output=True)  # fmt: skip
        for at in range(asked.sessions):
            which = "new user" if at % 2 else "known user"
            where, env = project(Path(name) / str(at), url) if at % 2 else known
            found[which].append(has_tools(where, env))
            print(
                f"{at + 1:>3}  {which:<10}  {found[which][-1][0]!s:<5}  {found[which][-1][1]:.1f} s"
            )
    for which, seen in found.items():
        print(f"{which}: {sum(had for had, _ in seen)} of {len(seen)}")
    had = sum(one for seen in found.values() for one, _ in seen)
    print(f"{had} of {asked.sessions} sessions had Mind's tools in the first turn "
          f"({asked.load} busy processes, {os.cpu_count()} cores).")  # fmt: skip
    return 0 if had == asked.sessions else 1


if __name__ == "__main__":
    sys.exit(main())
