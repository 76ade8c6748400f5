"""Servers of two versions on one memory, at the same time: what is left, and what each finds.

Usage: python -m tests.soak.versions FOLDER [ENTRIES] [SEED]. FOLDER is a checkout of the other
version (`git worktree add FOLDER COMMIT`); it runs with the packages that are installed here.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

from tests.test_server_wire import Process

_SERVERS = 4
_HOOK = "from mind.hooks import main; main()"
_CALLS = ("mind_log", "mind_log", "mind_log", "mind_search", "mind_recall", "mind_session")


def _environment(home: Path, source: Path) -> dict[str, str]:
    return {**os.environ, "MIND_HOME": str(home), "HOME": str(home), "PYTHONPATH": str(source)}


def _work(root: Path, env: dict[str, str], number: int, entries: int, kept: list[str]) -> None:
    """Log, search and recall through a server of the version that ``env`` names."""
    pick = random.Random(number)  # noqa: S311 - no secret
    server = Process(cwd=root, env=env)
    noted = call = 0
    while noted < entries:
        call += 1
        tool = pick.choice(_CALLS)
        text = f"server {number} holds value {noted} of {pick.randrange(10**9)}"
        if tool == "mind_log":
            server.call(call, tool, message=text, type="learning")
        elif tool == "mind_search":
            server.call(call, tool, query=text)
        else:
            server.call(call, tool)
        result = json.loads(server.stdout.readline())["result"]
        if tool == "mind_log":
            noted += 1
            if not result.get("isError"):
                kept.append(text)
    server.stdin.close()


def _mind(root: Path, env: dict[str, str], *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=root, env=env, input=stdin, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{arguments}: {done.stderr or done.stdout}")
    return done.stdout


def _found(root: Path, env: dict[str, str], texts: list[str]) -> int:
    """How many of ``texts`` a search of this version finds."""
    return sum(text in _mind(root, env, "-m", "mind", "search", text, "--json") for text in texts)


def run(source: Path, entries: int, seed: int) -> dict[str, int]:
    """One run: two servers of each version."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root, home = Path(folder) / "project", Path(folder) / "home"
        root.mkdir()
        home.mkdir()
        here = Path(__file__).parents[2]
        versions = [_environment(home, source), _environment(home, here)]
        for one, place in zip(versions, (source, here), strict=True):
            if str(place) not in _mind(root, one, "-c", "import mind; print(mind.__file__)"):
                raise SystemExit(f"No package mind in {place}")
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        _mind(root, versions[seed % 2], "-m", "mind", "init")
        kept: list[str] = []
        threads = [
            threading.Thread(
                target=_work, args=(root, versions[at % 2], seed * 100 + at, entries, kept)
            )
            for at in range(_SERVERS)
        ]
        for thread in threads:
            thread.start()
        for at in range(6):  # sessions begin and end beside them
            event = {"session_id": f"s{at}", "cwd": str(root), "source": "startup"}
            event["hook_event_name"] = "SessionStart"
            _mind(root, versions[at % 2], "-c", _HOOK, stdin=json.dumps(event))
        for thread in threads:
            thread.join()
        there = Counter((root / ".mind" / "MEMORY.md").read_text(encoding="utf-8").split("\n"))
        there += Counter((root / ".mind" / "SESSION.md").read_text(encoding="utf-8").split("\n"))
        times = [sum(n for line, n in there.items() if text in line) for text in kept]
        some = random.Random(seed).sample(kept, min(20, len(kept)))  # noqa: S311 - no secret
        return {
            "acknowledged": len(kept),
            "lost": times.count(0),
            "doubled": sum(n > 1 for n in times),
            "asked": len(some),
            "found by the other": _found(root, versions[0], some),
            "found by this": _found(root, versions[1], some),
        }


def main(folder: str, entries: int = 50, seed: int = 1) -> int:
    """Print what was counted; 1 if anything was lost, doubled or not found."""
    found = run(Path(folder).resolve(), entries, seed)
    sys.stdout.write(f"{found}\n")
    asked = found["asked"]
    bad = found["lost"] or found["doubled"] or found["found by this"] < asked
    return 1 if bad or found["found by the other"] < asked else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], *map(int, sys.argv[2:])))
