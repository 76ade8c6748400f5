"""Requests a second and how long they take: `python -m tests.bench.http [ENTRIES]`.

A real service on loopback; as many connections that stay open as are told, each asking again as
soon as it is answered, over plain sockets in a process of its own. Reported is the median of three
rounds of three seconds, the fastest round's rate, the 50th and 99th percentile of durations, and
the service's CPU time for each answer, which other work on the machine does not change.
"""

import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from tests.bench.servers import sentence
from tests.bench.speed import filled
from tests.http_service import Running, at_home, serving

ENTRIES = 10_000
SECONDS = 3.0
ROUNDS = 3
CONNECTIONS = (1, 8)
Requests = Callable[[random.Random], tuple[str, str, object]]


def requests(at: str) -> Requests:
    """What a kind of load asks for."""

    def made(chance: random.Random) -> tuple[str, str, object]:
        words = "+".join(chance.sample(sentence(chance.randrange(ENTRIES)).split(), 3))
        arguments = {"query": words.replace("+", " ")}
        call = {"name": "mind_search", "arguments": arguments}
        return {
            "liveness": ("GET", "/healthz", None),
            "search": ("GET", f"/api/v1/search?q={words}", None),
            "recent": ("GET", "/api/v1/recent?limit=10", None),
            "reminders": ("GET", "/api/v1/reminders", None),
            "mcp search": (
                "POST",
                "/mcp",
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
            ),
            "log": (
                "POST",
                "/api/v1/entries",
                {"message": f"{sentence(chance.randrange(10**9))} {chance.random()}"},
            ),
        }[at]

    return made


def main() -> int:
    """Print the table."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = folder / "home"
        with at_home(home):
            root = filled(folder / "p", entries)
            subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        print(f"{entries:,} entries")
        heads = "".join(f"{head:>9}" for head in ("req/s", "best", "p50 ms", "p99 ms", "CPU ms"))
        print(f"{'load':<12} {'conn.':>5}{heads}")
        with serving(home, "--project", str(root), "--rate", "0") as running:
            for load in ("liveness", "search", "recent", "reminders", "mcp search", "log"):
                for connections in CONNECTIONS:
                    print(row(running, load, connections), flush=True)
    return 0


def row(running: Running, load: str, connections: int) -> str:
    """One line of the table."""
    rates, durations = [], []
    process = psutil.Process(running.process.pid)
    loaded(running, load, connections, 1.0)  # what is made once is made
    before = sum(process.cpu_times()[:2])
    for _ in range(ROUNDS):
        spent = loaded(running, load, connections, SECONDS)
        rates.append(len(spent) / SECONDS)
        durations += spent
    cpu = 1000 * (sum(process.cpu_times()[:2]) - before) / len(durations)
    p50, p99 = (statistics.quantiles(durations, n=100)[at - 1] * 1000 for at in (50, 99))
    return (
        f"{load:<12} {connections:>5} {statistics.median(rates):>8.0f} {max(rates):>8.0f} "
        f"{p50:>8.1f} {p99:>8.1f} {cpu:>8.2f}"
    )


def loaded(running: Running, load: str, connections: int, seconds: float) -> list[float]:
    """Durations of answers, by clients in a process of their own."""
    told = json.dumps([running.port, running.token, load, connections, seconds])
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.http", "--clients", told],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return [float(line) for line in done.stdout.split()]


def clients(port: int, token: str, load: str, connections: int, seconds: float) -> None:
    """Ask until the time is over, and print how long each answer took."""
    spent: list[float] = []
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(
            target=lambda seed=seed: spent.extend(asked(port, token, load, until, seed))
        )
        for seed in range(connections)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(f"{one:.6f}" for one in spent))


def asked(port: int, token: str, load: str, until: float, seed: int) -> Iterator[float]:
    """How long each answer of one connection took."""
    chance, make = random.Random(seed), requests(load)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = sock.makefile("rb")
        while time.monotonic() < until:
            method, path, value = make(chance)
            body = b"" if value is None else json.dumps(value).encode()
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                "Accept: application/json, text/event-stream\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            began = time.perf_counter()
            sock.sendall(head.encode() + body)
            status = int(stream.readline().split()[1])
            size = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            stream.read(size)
            if status >= 400:
                raise RuntimeError(f"{path} was answered with {status}")
            yield time.perf_counter() - began
        stream.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--clients"]:
        clients(*json.loads(sys.argv[2]))
    else:
        raise SystemExit(main())
