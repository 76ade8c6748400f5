"""Load on an HTTP service of this machine: by wrk where it is installed, else by plain sockets.

Connections stay open, and each asks again as soon as it is answered. `@@@@@@@@@@@@` in a request
becomes a number that no other request has.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NUMBER = "@" * 12
"""Becomes a number of as many digits."""
_SCRIPT = Path(__file__).with_name("load.lua")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """What a service did under load.

    Attributes:
        answers: In all.
        rate: A second.
        p50: Milliseconds.
        p99: The same.
        size: Bytes of an answer with its head; 0 if it is not known.
        failed: Answers of a status over 399, and connections that broke.
    """

    answers: int
    rate: float
    p50: float
    p99: float
    size: float
    failed: int


def request(
    method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """A request as it goes over the wire."""
    sent = b"" if body is None else json.dumps(body).encode()
    lines = {
        "Host": "localhost",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Content-Length": str(len(sent)),
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + sent


def tool() -> str | None:
    """wrk, as the variable WRK names it or PATH finds it."""
    return os.environ.get("WRK") or shutil.which("wrk")


_number = 0


def press(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Pressed:
    """What a service on ``port`` does when it is asked by so many at once.

    Raises:
        RuntimeError: wrk could not be run.
    """
    global _number  # noqa: PLW0603 - numbers go on, so that what is written is new each time
    _number += 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requests"
        file.write_bytes(b"".join(b"%d\n%b" % (len(one), one) for one in requests))
        if wrk := tool():
            return _by_wrk(wrk, port, file, connections, seconds)
        return _by_sockets(port, file, connections, seconds)


def _by_wrk(wrk: str, port: int, file: Path, connections: int, seconds: float) -> Pressed:
    done = subprocess.run(
        [
            *(wrk, "-t1", f"-c{connections}", f"-d{seconds:.0f}s", "--timeout", "120s"),
            *("-s", str(_SCRIPT), f"http://127.0.0.1:{port}", "--", str(file), str(_number)),
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("=")]
    if not found:
        raise RuntimeError(done.stdout + done.stderr)
    answers, lasted, size, failed, p50, p99 = map(float, found[0][1:].split())
    return Pressed(
        answers=int(answers),
        rate=answers / (lasted / 1e6),
        p50=p50,
        p99=p99,
        size=size / max(1, answers),
        failed=int(failed),
    )


def _by_sockets(port: int, file: Path, connections: int, seconds: float) -> Pressed:
    """In a process of its own, so that it does not wait for this one."""
    told = json.dumps([port, str(file), connections, seconds, _number])
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.load", told],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    spent, failed = json.loads(done.stdout)
    enough = len(spent) > 1
    marks = statistics.quantiles(spent, n=100) if enough else [0.0] * 99
    return Pressed(
        answers=len(spent),
        rate=len(spent) / seconds,
        p50=marks[49] * 1000,
        p99=marks[98] * 1000,
        size=0,
        failed=failed,
    )


def _clients(port: int, file: str, connections: int, seconds: float, number: int) -> None:
    raw, made, at = Path(file).read_bytes(), [], 0
    while at < len(raw):
        size, _, _ = raw[at : at + 20].partition(b"\n")
        at += len(size) + 1
        made.append(raw[at : at + int(size)])
        at += int(size)
    until = time.monotonic() + seconds
    found: list[tuple[float, bool]] = []
    threads = [
        threading.Thread(
            target=lambda turn=turn: found.extend(
                _asked(port, made[turn:] + made[:turn], until, number + turn * 1_000_000)
            )
        )
        for turn in range(connections)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps([[spent for spent, _ in found], sum(failed for _, failed in found)]))


def _asked(
    port: int, requests: Sequence[bytes], until: float, number: int
) -> Iterator[tuple[float, bool]]:
    """How long each answer of one connection took, and whether it was a refusal."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = sock.makefile("rb")
        while time.monotonic() < until:
            number += 1
            made = requests[number % len(requests)]
            began = time.perf_counter()
            sock.sendall(made.replace(NUMBER.encode(), b"%012d" % number, 1))
            status = int(stream.readline().split()[1])
            size, pieces = 0, False
            while line := stream.readline().strip().lower():
                if line.startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
                pieces |= line.startswith(b"transfer-encoding:")
            stream.read(size)
            while pieces and (piece := int(stream.readline(), 16)) + 1:
                stream.read(piece + 2)
                pieces = piece > 0
            yield time.perf_counter() - began, status >= 400
        stream.close()


if __name__ == "__main__":
    _clients(*json.loads(sys.argv[1]))
