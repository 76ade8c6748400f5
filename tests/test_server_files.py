"""The toolset ``files``, as a client sees it: in memory through the SDK, and over stdio."""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse, ListRootsResult, Root

from mind.cli.serve import mcp
from mind.memory.memory import Memory
from mind.server.mcp import app as server
from mind.server.mcp.stdio import Handshake
from mind.server.mcp.tools import TOOLSETS
from mind.server.mcp.wire import Answers
from mind.storage.project import Project
from tests.conftest import Clock

FILES = ["mind_read", "mind_file_history"]
TEXT = "".join(f"line {at} of the file\n" for at in range(1, 41))
Call = Callable[..., str]
MODES = ["legacy", "auto"]


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outside") / "other.txt"
    path.write_text("of another folder\n", encoding="utf-8")
    return path


def called(
    project: Project, name: str, arguments: dict[str, Any], *, mode: str = "auto", **client: Any
) -> str:
    """The text of one call, behind "error: " if it is one."""

    async def through() -> str:
        built = server.build(lambda: Memory(project, session_id="s"), "files")
        async with Client(built, mode=mode, **client) as opened:
            result = await opened.call_tool(name, arguments)
            text: str = result.content[0].text  # type: ignore[union-attr]
            return f"error: {text}" if result.is_error else text

    return anyio.run(through)


def test_the_toolset_is_off_unless_it_is_chosen() -> None:
    core = [tool["name"] for tool in anyio.run(server.list_tools)]
    assert not set(core) & set(FILES)
    tools = anyio.run(server.list_tools, "files")
    assert [tool["name"] for tool in tools] == [*core, *FILES]
    assert [tool.name for tool in TOOLSETS["files"]] == FILES
    for tool in tools[-2:]:
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert tool["inputSchema"]["required"] == ["path"]
    assert len(str(tools[-2:])) < 2_200


@pytest.mark.parametrize("mode", MODES)
def test_a_file_is_read_once(project: Project, mode: str) -> None:
    (project.root / "a.py").write_text(TEXT, encoding="utf-8")
    assert called(project, "mind_read", {"path": "a.py"}, mode=mode) == TEXT
    assert "unchanged" in called(project, "mind_read", {"path": "a.py"}, mode=mode)
    (project.root / "a.py").write_text(TEXT.replace("line 9 ", "line nine "), encoding="utf-8")
    told = called(project, "mind_read", {"path": "a.py"}, mode=mode)
    assert told.endswith("-line 9 of the file\n+line nine of the file\n")
    again = {"path": "a.py", "offset": 2, "limit": 2, "whole": True}
    assert called(project, "mind_read", again).endswith(
        "\nline 2 of the file\nline 3 of the file\n"
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_root_of_the_client_may_be_read(project: Project, outside: Path, mode: str) -> None:
    asked = 0

    async def roots(_context: object) -> ListRootsResult:
        nonlocal asked
        asked += 1
        return ListRootsResult(roots=[Root(uri=outside.parent.as_uri())])  # type: ignore[arg-type] # a text

    (project.root / "a.py").write_text(TEXT, encoding="utf-8")
    for path, expected in (("a.py", TEXT), (str(outside), "of another folder\n")):
        told = called(project, "mind_read", {"path": path}, mode=mode, list_roots_callback=roots)
        assert told == expected
    assert asked == 1  # only where it matters
    told = called(
        project, "mind_read", {"path": "/etc/passwd"}, mode=mode, list_roots_callback=roots
    )
    assert told.startswith("error: /etc/passwd is outside the project. Use a path inside")


@pytest.mark.parametrize("mode", MODES)
def test_without_roots_there_is_only_the_project(
    project: Project, outside: Path, mode: str
) -> None:
    async def none(_context: object) -> ListRootsResult:
        return ListRootsResult(roots=[])

    async def broken(_context: object) -> ListRootsResult:
        raise RuntimeError("no roots today")

    for client in ({}, {"list_roots_callback": none}):
        told = called(project, "mind_read", {"path": str(outside)}, mode=mode, **client)
        assert told.startswith(f"error: {outside} is outside the project.")
    if mode == "legacy":  # elsewhere the client itself gives the call up
        told = called(
            project, "mind_read", {"path": str(outside)}, mode=mode, list_roots_callback=broken
        )
        assert told.startswith(f"error: {outside} is outside the project.")


def test_nobody_passes_roots_as_an_argument(project: Project, outside: Path) -> None:
    arguments = {"path": str(outside), "roots": [str(outside.parent)]}
    assert called(project, "mind_read", arguments).startswith("error: mind_read has no parameter")


def test_a_client_that_does_not_tell_its_roots_is_not_waited_for(
    project: Project, outside: Path
) -> None:
    """Over stdio, with a number for the request that the server uses for its own too."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mind", "-p", str(project.root), "mcp", "--toolsets", "files"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ},
        encoding="utf-8",
    )
    assert process.stdin
    assert process.stdout

    def say(**message: object) -> None:
        assert process.stdin
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()

    def hear() -> dict[str, Any]:
        assert process.stdout
        heard: dict[str, Any] = json.loads(process.stdout.readline())
        return heard

    try:
        client = {"name": "test", "version": "1"}
        capabilities: dict[str, object] = {"roots": {}}
        say(
            id=0, method="initialize",
            params={
                "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client,
            },
        )  # fmt: skip
        assert hear()["id"] == 0
        say(method="notifications/initialized")
        read = {"name": "mind_read", "arguments": {"path": str(outside)}}
        say(id=1, method="tools/call", params=read)
        asked = hear()
        assert asked["method"] == "roots/list"
        answered = hear()  # after two seconds
        if answered.get("method"):  # that it no longer waits
            answered = hear()
        assert answered["id"] == 1
        assert answered["result"]["isError"]
        say(id=2, method="tools/call", params=read)
        asked = hear()
        assert asked["method"] == "roots/list"
        say(id=asked["id"], result={"roots": [{"uri": outside.parent.as_uri()}]})
        answered = hear()
        assert answered["result"]["content"][0]["text"] == "of another folder\n"
        process.stdin.close()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def test_the_history_of_a_file(
    project: Project, git: Callable[..., str], memory: Memory, clock: Clock
) -> None:
    (project.root / "a.py").write_text("a = 1\n", encoding="utf-8")
    git("add", "a.py")
    git("commit", "-qm", "Count to one")
    memory.log("`a.py` counts to one only - more is not needed", "decision")
    memory.close()
    told = called(project, "mind_file_history", {"path": "a.py"})
    commit = git("rev-parse", "--short", "HEAD")
    assert told.startswith("1-2 of 2 changes to a.py, newest first. Recorded notes, data and not")
    assert "· decision " in told
    assert f"commit {commit} · Count to one" in told
    page = called(project, "mind_file_history", {"path": "a.py", "limit": 1})
    assert page.endswith("\nFor more, set offset to 1")
    none = called(project, "mind_file_history", {"path": "a.py", "offset": 5})
    assert none == "There are only 2 changes."
    (project.root / "b.py").write_text("", encoding="utf-8")
    assert called(project, "mind_file_history", {"path": "b.py"}) == "No recorded changes to b.py."
    assert called(project, "mind_file_history", {"path": "c.py"}).startswith("error: nothing is")
    assert called(project, "mind_file_history", {"path": "../c"}).startswith(
        "error: ../c is outside"
    )
    long = called(project, "mind_file_history", {"path": "c" * 5_000})
    assert long.endswith(": file name too long. Name a file of the project.")


def test_a_question_of_the_server_answers_none_of_the_client() -> None:
    """Both sides number their requests from the same beginning."""

    class Wire:
        def __init__(self) -> None:
            self.sent: list[SessionMessage] = []

        async def send(self, item: SessionMessage) -> None:
            self.sent.append(item)

    async def through() -> None:
        wire = Wire()
        answers = Answers(wire, Handshake("files"))
        answers.expect(JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call"))
        question = JSONRPCRequest(jsonrpc="2.0", id=1, method="roots/list")
        await answers.send(SessionMessage(question))
        with anyio.move_on_after(0.05) as waited:
            await answers.settled()
        assert waited.cancelled_caught  # the call is still to be answered
        await answers.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={})))
        await answers.settled()
        assert len(wire.sent) == 2

    anyio.run(through)


def test_the_command_names_every_toolset() -> None:
    told = str(inspect.get_annotations(mcp)["toolsets"].__metadata__[0].help)
    assert all(name in told for name in TOOLSETS)
