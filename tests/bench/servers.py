"""What every measurement of speed uses: servers as processes, and the same sentences for all."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil


class Server:
    """An MCP server as a process, greeted and asked for its tools."""

    def __init__(
        self, command: Sequence[str], env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
        )
        self._watch = psutil.Process(self.process.pid)
        self._number = 0
        client = {"name": "bench", "version": "1"}
        greeting = self.ask(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = self.ask("tools/list")["result"]["tools"]
        compact = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
        self.definitions = len(compact) + len(greeting["result"].get("instructions", ""))

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self.process.stdout
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server has ended")
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._number:
                return answer

    def cpu(self) -> float:
        """CPU milliseconds so far, children included."""
        times = self._watch.cpu_times()
        return 1000 * (times.user + times.system + times.children_user + times.children_system)

    def memory(self) -> float:
        """Resident megabytes."""
        return self._watch.memory_info().rss / 1e6

    def per_call(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> float:
        """Mean CPU milliseconds of ``calls`` (name, arguments)."""
        before = self.cpu()
        for name, arguments in calls:
            result = self.ask("tools/call", name=name, arguments=arguments)["result"]
            assert not result.get("isError"), result
        return (self.cpu() - before) / len(calls)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


WORDS = (
    "cache parser login upload report search export theme router index token queue session schema "
    "worker client server filter column header cookie branch release deploy metric timeout retry"
).split()


def sentence(number: int) -> str:
    """A sentence of about 150 characters, the same for a number in every run."""
    picked = [WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 5, 7, 11)]
    return (
        f"the {picked[0]} of the {picked[1]} goes through the {picked[2]} number {number} instead "
        f"of the {picked[3]} because the {picked[4]} was not safe under load in test {number % 97}"
    )
