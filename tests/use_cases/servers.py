"""The real servers in processes of their own, with the clock stopped, and their clients."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Self

AT = Path(__file__).with_name("at.py")
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@contextmanager
def _process(
    folder: Path, environment: Mapping[str, str], now: datetime, *arguments: str
) -> Iterator["subprocess.Popen[str]"]:
    with (folder.parent / f"{arguments[0]}.log").open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, str(AT), now.isoformat(), "mind", *arguments],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=20)


class McpServer:
    """``mind mcp`` with every toolset, spoken to in lines of JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._number = 0

    @classmethod
    @contextmanager
    def started(cls, folder: Path, environment: Mapping[str, str], now: datetime) -> Iterator[Self]:
        """A server, for as long as it is used."""
        with _process(folder, environment, now, "mcp", "--toolsets", "all") as process:
            yield cls(process)

    def request(self, method: str, **parameters: object) -> Any:
        """Ask for something and return the result."""
        assert self._process.stdin
        assert self._process.stdout
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        message["params"] = {**parameters, "_meta": _META}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        while (answer := json.loads(self._process.stdout.readline())).get("id") != self._number:
            pass  # a notification
        return answer["result"]

    def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Call a tool and return the whole of its answer."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        texts = "".join(part["text"] for part in result["content"])
        return f"error: {texts}\n" if result.get("isError") else f"{texts}\n"

    def tools(self) -> str:
        """All tools, each with the first sentence of its description."""
        rows = self.request("tools/list")["tools"]
        return "".join(f"{row['name']}: {_first_sentence(row['description'])}\n" for row in rows)


class Service:
    """``mind serve`` or ``mind ui``, spoken to with the token or the code that it printed."""

    def __init__(self, address: str) -> None:
        place, _, secret = address.partition("#")
        self._port = int(place.rstrip("/").rpartition(":")[2])
        self._secret = secret.partition("=")[2]

    @classmethod
    @contextmanager
    def started(
        cls, folder: Path, environment: Mapping[str, str], now: datetime, *command: str
    ) -> Iterator[Self]:
        """A service, from when it listens."""
        with _process(folder, environment, now, *command, "--port", "0") as process:
            assert process.stdout
            yield cls(process.stdout.readline().split()[-1])

    def ask(self, method: str, path: str, body: Mapping[str, object]) -> str:
        """Send a request and return its whole answer: status, type, body."""
        sent = json.dumps(body).replace("CODE", self._secret) if body else None
        headers = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        try:
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            kind = answer.headers.get("Content-Type", "")
            text = self._first_event(answer) if "event-stream" in kind else answer.read().decode()
        finally:
            connection.close()
        if "json" in kind:
            self._secret = json.loads(text).get("token", self._secret)
            text = laid_out(text)
        return f"{answer.status} {kind}\n{text}"

    @staticmethod
    def _first_event(answer: http.client.HTTPResponse) -> str:
        lines = iter(lambda: answer.readline().decode(), "\n")
        return "".join(line for line in lines)

    def resources(self) -> str:
        """All resources of the OpenAPI document, each with its summary."""
        document = json.loads(self.ask("GET", "/openapi.json", {}).partition("\n")[2])
        return "".join(
            f"{method.upper()} {path}: {operation.get('summary', '')}\n"
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        )


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") + "."


def laid_out(text: str) -> str:
    """JSON for readers."""
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
