"""Requests a second and how long they take: `python -m tests.bench.http [ENTRIES …] [options]`.

A real service on loopback, asked by wrk if that is there (`WRK=path` names it), else by plain
sockets. Reported is the median of three rounds of three seconds, the 50th and 99th percentile of
durations, and the service's CPU time for each answer, which other work on the machine does not
change. `--peers FOLDER` measures what users would pick instead after it, on the same sentences with
the same queries; `--data FOLDER`, the sets that search is measured on, gives other ones.
"""

import argparse
import random
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from mind.setup import install
from tests.bench import corpora, http_peers
from tests.bench.load import press, request, tool
from tests.bench.servers import sentence
from tests.bench.speed import day
from tests.http_service import at_home, serving

ENTRIES = 10_000
SECONDS = 3.0
ROUNDS = 3
CONNECTIONS = (1, 8)
KINDS = ("decided", "learned", "problem", "fixed", "gotcha", "rejected")
Loads = Mapping[str, Sequence[bytes]]


def asked(data: Path | None, entries: int) -> tuple[list[str], list[str]]:
    """Texts of so many entries, and queries."""
    chance = random.Random(7)
    if data is None:
        texts = [sentence(number) for number in range(entries)]
        return texts, [_part(chance.choice(texts).split(), chance) for _ in range(300)]
    sets = [one for found in corpora.load(data / "retrieval").values() for one in found]
    docs = [text for one in sets for _, text in one.docs]
    queries = [query.text for one in sets for query in one.queries]
    chance.shuffle(docs)
    chance.shuffle(queries)
    return [docs[number % len(docs)] for number in range(entries)], queries[:300]


def _part(words: Sequence[str], chance: random.Random) -> str:
    """Three words as they stand: some of those that are compared find nothing else."""
    first = chance.randrange(len(words) - 2)
    return " ".join(words[first : first + 3])


def loads(token: str, queries: Sequence[str]) -> Loads:
    """What Mind is asked, by the name of each load."""
    head = {"Authorization": f"Bearer {token}"}
    noted = {"message": http_peers.NEW, "type": "decision"}
    return {
        "liveness": [request("GET", "/healthz")],
        "search": [
            request("GET", f"/api/v1/search?q={http_peers.quoted(query)}", None, head)
            for query in queries
        ],
        "search, MCP": [
            http_peers.called("/mcp", "mind_search", {"query": query}, head) for query in queries
        ],
        "recent": [request("GET", "/api/v1/recent?limit=10", None, head)],
        "reminders": [request("GET", "/api/v1/reminders", None, head)],
        "write": [request("POST", "/api/v1/entries", noted, head)],
        "write, MCP": [http_peers.called("/mcp", "mind_log", noted, head)],
    }


def measured(port: int, pid: int, name: str, made: Loads, connections: Sequence[int]) -> None:
    """Print a row for each load and number of connections."""
    for load, requests in made.items():
        for many in connections:
            press(port, requests, many, 1.0)  # what is made once is made
            before = _spent(pid)
            rounds = [press(port, requests, many, SECONDS) for _ in range(ROUNDS)]
            answers = sum(one.answers for one in rounds)
            if not answers:
                print(f"{name:<24}{load:<13}{many:>4}  no answer in {SECONDS:.0f} s", flush=True)
                continue
            cpu = (_spent(pid) - before) / answers
            figures = (
                statistics.median(one.rate for one in rounds),
                *(statistics.median(getattr(one, of) for one in rounds) for of in ("p50", "p99")),
                cpu,
                statistics.median(one.size for one in rounds) / 1000,
            )
            failed = sum(one.failed for one in rounds)
            cells = "".join(f"{one:>10,.1f}" for one in figures)
            print(f"{name:<24}{load:<13}{many:>4}{cells}{failed:>7}", flush=True)


def _spent(pid: int) -> float:
    """CPU milliseconds of a process and of those that it started."""
    root = psutil.Process(pid)
    times = [one.cpu_times() for one in (root, *root.children(recursive=True))]
    return 1000 * sum(one.user + one.system for one in times)


def mind(texts: Sequence[str], queries: Sequence[str], chosen: Sequence[str] = ()) -> None:
    """Measure Mind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home, root = folder / "home", folder / "p"
        with at_home(home):
            root.mkdir()
            install.apply(install.plan(root))
            lines = ["# bench"]
            for number, text in enumerate(texts):
                lines += ["", f"## {day(number)}", ""] if number % 25 == 0 else []
                lines.append(f"{KINDS[number % len(KINDS)]}: {text}")
            (root / ".mind" / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
            subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        with serving(home, "--project", str(root), "--rate", "0") as running:
            made = loads(running.token, queries)
            some = {name: made[name] for name in chosen or made}
            measured(running.port, running.process.pid, "mind", some, CONNECTIONS)


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", type=int, default=[ENTRIES])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", default="", help="names of peers, with commas")
    given = parser.parse_args()
    heads = "".join(f"{head:>10}" for head in ("req/s", "p50 ms", "p99 ms", "CPU ms", "KB"))
    for entries in given.entries:
        texts, queries = asked(given.data, entries)
        print(f"\n{entries:,} entries, asked by {'wrk' if tool() else 'plain sockets'}")
        print(f"{'':<24}{'load':<13}{'at':>4}{heads}{'failed':>7}")
        beside = ("search", "search, MCP", "write", "write, MCP") if given.peers else ()
        mind(texts, queries, beside)
        for peer in http_peers.there(given.peers) if given.peers else ():
            if given.only and peer.name.split()[0] not in given.only.split(","):
                continue
            if entries > peer.largest:
                print(f"{peer.name:<24}takes too long to be filled with {entries:,}")
                continue
            with http_peers.running(peer, texts) as (port, pid, state):
                made = {
                    load: requests
                    for load, requests in peer.loads(state, queries).items()
                    if entries <= peer.written or not load.startswith("write")
                }
                measured(port, pid, peer.name, made, CONNECTIONS)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
