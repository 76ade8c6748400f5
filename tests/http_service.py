"""A real service in a process of its own, and a client without any library's help."""

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mind.memory.memory import Memory
from mind.server.http.app import Application
from mind.setup import install
from mind.storage import tokens
from mind.storage.project import register

NOW = datetime.now(UTC)


@dataclass(frozen=True)
class Operation:
    """A method of a path, as the OpenAPI document describes it; a schema for each parameter."""

    name: str
    method: str
    path: str
    scope: tokens.Scope | None
    at: Mapping[str, str] = field(default_factory=dict)
    schemas: Mapping[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()


def operations() -> Iterator[Operation]:
    """What the document describes."""
    document = Application().openapi()
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            sent = {one["name"]: one for one in told.get("parameters", [])}
            body = told.get("requestBody", {}).get("content", {}).get("application/json", {})
            ref = re.search(r"schemas/(\w+)", json.dumps(body))
            members = document["components"]["schemas"][ref[1]] if ref else {}
            schemas = {name: one["schema"] for name, one in sent.items()}
            yield Operation(
                told["operationId"],
                method.upper(),
                path,
                tokens.Scope(told["x-scope"]) if "x-scope" in told else None,
                {name: one["in"] for name, one in sent.items()}
                | dict.fromkeys(members.get("properties", ()), "body"),
                schemas | members.get("properties", {}),
                frozenset(name for name, one in sent.items() if one["required"])
                | frozenset(members.get("required", ())),
            )


OPERATIONS = tuple(operations())


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """A service that runs."""

    port: int
    process: "subprocess.Popen[str]"
    token: str
    log: Path

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request; the token of the run if none is given, none if it is empty."""
        secret = self.token if token is None else token
        sent = {"Authorization": f"Bearer {secret}"} if secret else {}
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if raw is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, raw, sent | dict(headers or {}))
            got = connection.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()

    def call(self, tool: str, token: str | None = None, at: str = "/mcp", **given: object) -> Any:
        """The result of a tool over MCP."""
        sent = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": given},
        }
        accept = {"Accept": "application/json, text/event-stream"}
        return self.ask("POST", at, sent, token=token, headers=accept).json["result"]


@contextmanager
def serving(
    home: Path,
    *options: str,
    at: Path | None = None,
    program: Sequence[str] = ("-m", "mind", "serve"),
) -> Iterator[Running]:
    """A service, from when it listens until it has ended."""
    log = home.parent / "serve.log"
    environment = {**os.environ, "MIND_HOME": str(home), "PYTHONWARNINGS": "error::ResourceWarning"}
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, *program, "--port", "0", *options],
            cwd=at or home.parent,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Serving at "), log.read_text(encoding="utf-8")
            address, _, secret = line.split()[-1].partition("/#token=")
            port = int(address.rstrip("/").rpartition(":")[2])
            yield Running(port, process, secret, log)
        finally:
            process.terminate()
            process.wait(timeout=20)
            if process.stdout is not None:
                process.stdout.close()


def project_at(root: Path, *entries: tuple[str, str]) -> Path:
    """A project with a memory, registered."""
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    install.apply(install.plan(root))
    register(root)
    memory = Memory.open(root)
    for kind, text in entries:
        memory.log(text, kind)
    memory.close()
    return root


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """This process uses that folder of a user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIND_HOME", str(home))
        for name in ("MIND_DIR", "MIND_PROJECT", "CLAUDE_PROJECT_DIR"):
            patch.delenv(name, raising=False)
        yield


def keys(home: Path) -> dict[str, str]:
    """A token of each kind that a caller may have; "" for none."""
    with at_home(home):
        found = {scope: tokens.add(scope, scope, NOW)[0] for scope in tokens.Scope}
        expired, _ = tokens.add("old", "admin", NOW - timedelta(days=2), expires="1d")
        revoked, _ = tokens.add("gone", "admin", NOW)
        tokens.revoke("gone")
    return {
        "none": "",
        "wrong": tokens.new_secret(),
        "expired": expired,
        "revoked": revoked,
        **{scope.value: secret for scope, secret in found.items()},
    }
