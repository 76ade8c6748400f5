"""A server greets with what an earlier one said, and loads the SDK only when it is called."""

import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from mind.server.mcp.stdio import Handshake
from mind.setup import install
from tests.test_server_wire import CLIENT, Process

LEGACY = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


Connect = Callable[..., "Client"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a user's folder in which no server has run yet."""
    monkeypatch.setenv("MIND_HOME", str(tmp_path / "home"))
    (tmp_path / "p").mkdir()
    install.apply(install.plan(tmp_path / "p"))
    return tmp_path


class Client:
    """An older client: it initializes, then asks."""

    def __init__(self, folder: Path, protocol: str = "2025-11-25") -> None:
        self.process = Process(cwd=folder / "p")
        self.ask("initialize", **{**LEGACY, "protocolVersion": protocol})
        self.note("notifications/initialized")

    def note(self, method: str) -> None:
        self.process.write(json.dumps({"jsonrpc": "2.0", "method": method}).encode())

    def send(self, number: int, method: str, **parameters: Any) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        self.process.write(json.dumps(message).encode())

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.send(7, method, **parameters)
        return self.process.receive()

    def has_loaded_the_sdk(self) -> bool:
        maps = psutil.Process(self.process.id).memory_maps()
        return any("pydantic_core" in one.path for one in maps)


@pytest.fixture
def connect(folder: Path) -> Iterator[Connect]:
    started: list[Client] = []

    def start(protocol: str = "2025-11-25") -> Client:
        started.append(Client(folder, protocol))
        return started[-1]

    yield start
    for one in started:
        one.process.close()


def test_the_second_server_says_the_same_without_the_sdk_and_then_works(connect: Connect) -> None:
    first = connect()
    tools = first.ask("tools/list")
    second = connect()
    assert second.ask("tools/list") == tools
    assert len(tools["result"]["tools"]) == 13
    assert first.has_loaded_the_sdk()
    assert not second.has_loaded_the_sdk()
    logged = second.ask("tools/call", name="mind_log", arguments={"message": "the cache is slow"})
    assert "Recorded experience" in str(logged["result"])
    assert second.has_loaded_the_sdk()
    assert second.ask("ping") == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_nothing_is_said_twice_when_the_sdk_takes_over(connect: Connect) -> None:
    connect().ask("tools/list")
    later = connect()
    later.send(1, "tools/list")
    later.send(2, "tools/call", name="mind_session", arguments={})
    later.send(3, "tools/list")
    later.send(4, "ping")
    answers = [later.process.receive()["id"] for _ in range(4)]
    assert sorted(answers) == [1, 2, 3, 4]


def test_each_protocol_revision_gets_its_own_answer(connect: Connect, folder: Path) -> None:
    said: dict[str, Any] = {}
    for _ in range(2):
        for protocol in ("2024-11-05", "2025-11-25"):
            client = Process(cwd=folder / "p")
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
            client.write(
                json.dumps({**message, "params": {**LEGACY, "protocolVersion": protocol}}).encode()
            )
            result = client.receive()["result"]
            assert result["protocolVersion"] == protocol
            assert said.setdefault(protocol, result) == result
            client.close()
    modern = Process(cwd=folder / "p")
    modern.send(1, "server/discover")
    assert "2026-07-28" in modern.receive()["result"]["supportedVersions"]
    modern.close()


def test_who_only_greets_and_hangs_up_leaves_no_process(connect: Connect) -> None:
    connect().ask("tools/list")
    later = connect()
    later.ask("tools/list")
    assert later.process.end() == (b"", b"")


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"edition": 1}', b"\xff\xfe"])
def test_damaged_notes_of_earlier_servers_do_no_harm(
    connect: Connect, folder: Path, damage: bytes
) -> None:
    path = folder / "home" / "cache" / "handshake.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)
    assert len(connect().ask("tools/list")["result"]["tools"]) == 13
    assert json.loads(path.read_bytes())["answers"]


def test_answers_of_another_edition_are_not_used(connect: Connect, folder: Path) -> None:
    connect().ask("tools/list")
    path = folder / "home" / "cache" / "handshake.json"
    kept = json.loads(path.read_bytes())
    for key in kept["answers"]:
        kept["answers"][key] = {"tools": []}
    path.write_text(json.dumps({**kept, "edition": "older"}), encoding="utf-8")
    assert len(connect().ask("tools/list")["result"]["tools"]) == 13


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_the_notes_are_the_users_own(connect: Connect, folder: Path) -> None:
    connect().ask("tools/list")
    path = folder / "home" / "cache" / "handshake.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_written_only_costs_time(
    connect: Connect, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = folder / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("MIND_HOME", str(blocked))
    assert len(connect().ask("tools/list")["result"]["tools"]) == 13


def greeted(lines: Sequence[bytes], shaken: Handshake) -> tuple[bool, bytes]:
    chunks = iter(lines)
    sent: list[bytes] = []
    needed = shaken.greet(lambda: next(chunks, b""), sent.append)
    return needed, b"".join(sent)


def test_a_line_in_two_parts_is_one_and_what_is_no_request_is_left_to_the_sdk(
    tmp_path: Path,
) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    known = Handshake("core", tmp_path)
    known.expect(1, "tools/list", None)
    assert known.is_new(1, {"tools": []})
    line = json.dumps(asked).encode() + b"\n"
    answer = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n'
    assert greeted([line[:9], line[9:]], Handshake("core", tmp_path)) == (False, answer)
    for other in (
        b"\n",
        b"[]\n",
        b"{\n",
        b'{"id": 1}\n',
        b'{"jsonrpc":"2.0","id":[],"method":"ping"}\n',
    ):
        needed, sent = greeted([other + line], shaken := Handshake("core", tmp_path))
        assert (needed, sent, shaken.lines) == (True, b"", [other, line])
    assert greeted([line], Handshake("core,extra", tmp_path))[0]
    unfinished = Handshake("core", tmp_path)
    assert greeted([line[:-1]], unfinished) == (False, answer)


def test_errors_are_not_kept(tmp_path: Path) -> None:
    known = Handshake("core", tmp_path)
    known.expect(1, "tools/list", None)
    assert known.is_new(1, None)
    assert not list(tmp_path.iterdir())


def test_a_client_with_ever_new_questions_does_not_fill_the_disk(tmp_path: Path) -> None:
    known = Handshake("core", tmp_path)
    for number in range(100):
        known.expect(number, "tools/list", {"cursor": str(number)})
        known.is_new(number, {"tools": []})
    kept = json.loads((tmp_path / "handshake.json").read_bytes())
    assert 1 <= len(kept["answers"]) <= 32
