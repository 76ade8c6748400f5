"""Many servers, a person with an editor and a process that is killed, on one memory."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.effort import tries

SERVERS = 8
LOGS = tries(25, 100)


class Server:
    """A real stdio server, spoken to in lines of JSON."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mind", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "MIND_PROJECT": str(root)},
        )
        client: dict[str, object] = {"name": "test", "version": "1"}
        parameters: dict[str, object] = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": client,
        }
        self.ask("initialize", parameters)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, parameters: dict[str, object]) -> dict[str, object]:
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        assert self.process.stdout
        answer: dict[str, object] = json.loads(self.process.stdout.readline())
        return answer

    def log(self, message: str, kind: str) -> str:
        arguments = {"message": message, "type": kind}
        answer = self.ask("tools/call", {"name": "mind_log", "arguments": arguments})
        return json.dumps(answer["result"])

    def close(self) -> None:
        self.process.communicate(timeout=30)


def work(root: Path, name: int, refused: list[str]) -> None:
    server = Server(root)
    for number in range(LOGS):
        kind = "experience" if number % 10 == 9 else ("decision", "learning")[number % 2]
        said = server.log(f"writer {name} remembers fact {number}", kind)
        if "Recorded" not in said:
            refused.append(said)
    server.close()


def edit_by_hand(path: Path, stop: threading.Event, edits: list[str]) -> None:
    """An editor that reads the file, thinks, and puts a changed copy in its place."""
    while not stop.is_set() or len(edits) < 3:
        line = f"gotcha: by hand number {len(edits)}"
        text = path.read_text(encoding="utf-8")
        changed = text.replace("## Gotchas\n", f"## Gotchas\n\n{line}\n", 1)
        copy = path.with_name("MEMORY.md.swp")
        copy.write_text(changed, encoding="utf-8")
        copy.replace(path)
        edits.append(line)
        stop.wait(0.25)


def be_killed(root: Path, stop: threading.Event, acknowledged: list[str]) -> None:
    while not stop.is_set():
        server = Server(root)
        for number in range(5):
            text = f"killed server {server.process.pid} said {number}"
            if "Recorded" in server.log(text, "problem"):
                acknowledged.append(text)
        server.send({
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "mind_log", "arguments": {"message": "half", "type": "problem"}},
        })  # fmt: skip
        server.process.kill()
        server.process.communicate()


@pytest.mark.slow
def test_lesson_eight_servers_an_editor_and_a_killed_process_lose_nothing(
    project: Project,
) -> None:
    refused: list[str] = []
    edits: list[str] = []
    acknowledged: list[str] = []
    stop = threading.Event()
    others = [
        threading.Thread(target=edit_by_hand, args=(project.memory, stop, edits)),
        threading.Thread(target=be_killed, args=(project.root, stop, acknowledged)),
    ]
    writers = [
        threading.Thread(target=work, args=(project.root, name, refused)) for name in range(SERVERS)
    ]
    for thread in (*writers, *others):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in others:
        thread.join()
    assert refused == []
    memory = Memory(project)
    memory.recall()
    counts = Counter(one.text for one in memory.index_entries())
    memory.close()
    wanted = [f"writer {name} remembers fact {n}" for name in range(SERVERS) for n in range(LOGS)]
    assert [text for text in wanted if counts[text] != 1] == []
    assert [line for line in edits if counts[line.removeprefix("gotcha: ")] != 1] == []
    assert [text for text in acknowledged if counts[text] < 1] == []
    assert len(edits) >= 3
    assert len(acknowledged) >= 5
    text = project.memory.read_bytes()
    assert text.decode("utf-8").startswith("<!--")
    assert b"\0" not in text
