"""The server as a process: bad lines, clients that leave, signals at a bad time, stray output."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from mind.setup import install
from mind.storage.project import Project

CLIENT = {"name": "test", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": CLIENT,
}
MIND = ("-P", "-m", "mind", "mcp")


class Process:
    """A server, spoken to in lines of JSON of the stateless revision."""

    def __init__(
        self, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *(arguments or MIND)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **(env or {})},
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.stdin, self.stdout = self._process.stdin, self._process.stdout
        self.stderr = self._process.stderr

    @property
    def id(self) -> int:
        return self._process.pid

    def write(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def send(self, number: int, method: str, **parameters: object) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.write(json.dumps({**message, "params": {**parameters, "_meta": META}}).encode())

    def call(self, number: int, tool: str, **arguments: object) -> None:
        self.send(number, "tools/call", name=tool, arguments=arguments)

    def receive(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.stdout.readline())
        return answer

    def text(self) -> str:
        said: str = self.receive()["result"]["content"][0]["text"]
        return said

    def stop(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> tuple[bytes, bytes]:
        """What is left on both outputs, after the process ended by itself."""
        output, errors = self._process.communicate(timeout=20)
        assert self._process.returncode == 0, errors
        return output, errors

    def close(self) -> None:
        """Hang up, and do not wait for ever."""
        try:
            for stream in (self.stdin, self.stdout, self.stderr):
                if not stream.closed:
                    stream.close()
            self._process.wait(timeout=20)
        finally:
            self._process.kill()


Start = Callable[..., Process]


@pytest.fixture
def start(project: Project) -> Iterator[Start]:
    started = []

    def one(*arguments: str, **options: Any) -> Process:
        options.setdefault("cwd", project.root)
        started.append(Process(*arguments, **options))
        return started[-1]

    yield one
    for process in started:
        process.close()


def test_half_a_character_is_answered_like_any_other(start: Start, project: Project) -> None:
    server = start()
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    arguments = {"message": "cut \ud83d here", "type": "decision"}
    parameters = {"name": "mind_log", "arguments": arguments, "_meta": META}
    server.write(json.dumps({**line, "params": parameters}).encode())
    assert server.text().startswith("Recorded decision")
    assert "decided: cut ? here" in project.memory.read_text(encoding="utf-8")


def test_after_an_illegible_line_the_next_is_answered(start: Start) -> None:
    server = start()
    lines = (b"{nonsense", b"[]", b"", b"\xff\xfe", b"[" * 5_000, b'"\\ud83d"', b"null")
    for number, line in enumerate(lines):
        server.write(line)
        server.call(number, "mind_status")
        assert "entries: 0" in server.text()


def test_who_writes_and_hangs_up_is_still_served(start: Start, project: Project) -> None:
    server = start()
    for number in range(8):
        server.call(number, "mind_log", message=f"note {number}", type="decision")
    output, errors = server.end()
    assert sorted(json.loads(line)["id"] for line in output.splitlines()) == list(range(8))
    assert project.memory.read_text(encoding="utf-8").count("decided: note") == 8
    assert errors == b""


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_client_that_does_not_read_is_left_without_a_traceback(
    start: Start, project: Project, *, hangs_up: bool
) -> None:
    server = start()
    server.stdout.close()
    server.call(2, "mind_log", message="nobody listens", type="decision")
    if hangs_up:
        server.stdin.close()
    assert server.stderr.read() == b""  # reads until the server is gone
    assert "nobody listens" in project.memory.read_text(encoding="utf-8")


PARENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(server.pid, flush=True)
sys.stdin.read()
"""


def test_no_orphan_is_left_when_the_client_is_killed(project: Project) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, sys.executable, *MIND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=project.root,
    ) as parent:
        assert parent.stdout
        server = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        server.wait(timeout=20)


WAITING = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp":
            print("importing", file=sys.stderr, flush=True)
            signal.pause()
sys.meta_path.insert(0, Finder())
from mind.server import mcp as server
server.run()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_still_loads_ends_it_quietly(
    start: Start, number: signal.Signals
) -> None:
    server = start("-c", WAITING)
    server.call(1, "mind_session")
    assert server.stderr.readline() == b"importing\n"
    server.stop(number)
    assert server.end() == (b"", b"")


NOISY = """
import dataclasses, os, sys
from mind.server import mcp as server
from mind.server.mcp import tools
def run(memory, **given):
    print("noise")
    os.system("echo more noise; cat")
    return "quiet"
noisy = [dataclasses.replace(tool, run=run) for tool in tools.TOOLSETS["core"]]
tools.TOOLSETS["core"] = tuple(noisy)
server.run()
"""


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_nothing_but_the_protocol_reaches_standard_output(start: Start, unbuffered: str) -> None:
    server = start("-c", NOISY, env={"PYTHONUNBUFFERED": unbuffered})
    server.call(1, "mind_status")
    server.call(2, "mind_status")
    assert [server.text(), server.text()] == ["quiet", "quiet"]
    output, errors = server.end()
    assert output == b""
    assert b"more noise" in errors


def test_the_project_is_named_by_the_environment_or_the_folder(
    start: Start, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    install.apply(install.plan(other))
    here, there = str(project.root), str(other)
    for env, folder, served in (
        ({}, project.root, here),
        ({"CLAUDE_PROJECT_DIR": there}, project.root, there),
        ({"CLAUDE_PROJECT_DIR": here, "MIND_PROJECT": there}, project.root, there),
        ({"CLAUDE_PROJECT_DIR": here}, other, here),
    ):
        server = start(env=env, cwd=folder)
        server.call(1, "mind_status")
        assert f"({served})" in server.text()
    server = start("-P", "-m", "mind", "--project", there, "mcp", env={"MIND_PROJECT": here})
    server.call(1, "mind_status")
    assert f"({there})" in server.text()


def test_a_project_set_up_later_is_found_without_a_restart(start: Start, home: Path) -> None:
    folder = home / "new"
    folder.mkdir()
    server = start(cwd=folder)
    server.call(1, "mind_recall")
    refused = server.receive()["result"]
    assert refused["isError"]
    assert "mind init" in refused["content"][0]["text"]
    install.apply(install.plan(folder))
    server.call(2, "mind_recall")
    assert "The block has all current rejected approaches" in server.text()


def test_what_does_not_change_may_be_cached(start: Start) -> None:
    server = start()
    for method in ("server/discover", "tools/list"):
        server.send(1, method)
        result = server.receive()["result"]
        assert result["resultType"] == "complete"
        assert result["ttlMs"] == 3_600_000
        assert result["cacheScope"] == "private"


def test_an_unknown_revision_is_refused_with_those_there_are(start: Start) -> None:
    server = start()
    meta = META | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    server.write(json.dumps(message).encode())
    error = server.receive()["error"]
    assert error["code"] == -32022
    assert "2026-07-28" in error["data"]["supported"]


def test_loading_the_package_does_not_load_the_sdk() -> None:
    check = (
        "import sys, mind.server.mcp;"
        "print({'mcp', 'pydantic', 'mind.memory.memory'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", check], check=True, capture_output=True)
    assert done.stdout.strip() == b"set()"
