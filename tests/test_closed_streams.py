"""Programs whose streams are closed or full, or whose folder is gone, end with one clear line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage.project import Project
from tests import hooking

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")

MIND = f"{sys.executable} -P -m mind"
HOOK = str(hooking.PROGRAM)
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
CLOSED = "error: standard output is closed; nothing was done.\n"
LOST = "error: standard output cannot be written: no space left on device.\n"


def shell(line: str, cwd: Path, text: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a line of shell; Python writes when it likes to."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", line],
        cwd=cwd, input=text, capture_output=True, check=False, encoding="utf-8", env=env,
        timeout=60,
    )  # fmt: skip


@pytest.fixture
def filled(project: Project) -> Project:
    memory = Memory(project)
    memory.log("Redis over Memcached", "decision")
    memory.recall()
    memory.close()
    return project


COMMANDS = ("--version", "--help", "search redis", "search redis --json")


@pytest.mark.parametrize("command", COMMANDS)
def test_without_standard_output_nothing_is_done(filled: Project, command: str) -> None:
    done = shell(f"{MIND} {command} >&-", filled.root)
    assert (done.returncode, done.stderr) == (1, CLOSED)


def test_what_cannot_be_told_is_not_recorded(filled: Project) -> None:
    before = filled.memory.read_bytes()
    assert shell(f"{MIND} log -t decision 'tabs over spaces' >&-", filled.root).returncode == 1
    assert filled.memory.read_bytes() == before


@FULL
@pytest.mark.parametrize("command", [*COMMANDS, "export"])
def test_a_full_output_is_told(filled: Project, command: str) -> None:
    for early in ("", "PYTHONUNBUFFERED=1"):
        done = shell(f"{early} {MIND} {command} > /dev/full", filled.root)
        assert (done.returncode, done.stderr) == (1, LOST)


@pytest.mark.parametrize("command", ["search redis --json", "export"])
def test_a_reader_that_leaves_is_no_error(filled: Project, command: str) -> None:
    done = shell(f"{MIND} {command} | exec true", filled.root)
    assert done.returncode in (0, 1)
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["search redis", "edges 'use memcached'"])
def test_input_and_errors_may_be_closed(filled: Project, command: str) -> None:
    said = shell(f"{MIND} {command}", filled.root)
    for closed in ("<&-", "2>&-", "<&- 2>&-"):
        done = shell(f"{MIND} {command} {closed}", filled.root)
        assert (done.returncode, done.stderr) == (said.returncode, "")
        assert done.stdout.splitlines()[0] == said.stdout.splitlines()[0]


def test_no_file_takes_the_place_of_a_closed_stream(filled: Project) -> None:
    """The first file that is opened would have the number of standard output."""
    line = f"{MIND} log -t decision 'tabs over spaces' <&- 2>&-"
    done = shell(line, filled.root)
    assert done.returncode == 0
    assert "tabs over spaces" in filled.memory.read_text("utf-8")
    for path in filled.folder.rglob("*"):
        if path.is_file() and path.suffix in (".md", ".json"):
            assert b"Recorded" not in path.read_bytes()


@pytest.mark.parametrize("closed", ["<&-", ">&- </dev/null", "<&- >&-", "<&- >&- 2>&-"])
def test_a_server_without_streams_ends(filled: Project, closed: str) -> None:
    done = shell(f"{MIND} mcp {closed}", filled.root)
    assert done.returncode in (0, 1)
    assert done.stderr in ("", CLOSED)


EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop",
          "SessionEnd")  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_without_streams_is_silent(filled: Project, event: str) -> None:
    text = hooking.event(filled, event, prompt="redis?", source="startup").decode()
    for closed in ("<&-", ">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"):
        done = shell(f"{HOOK} {closed}", filled.root, "" if "<" in closed else text)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), closed


@FULL
def test_a_hook_whose_answer_cannot_be_written_is_silent(filled: Project) -> None:
    text = hooking.event(filled, "SessionStart", source="startup").decode()
    for end in ("> /dev/full", "| exec true"):
        done = shell(f"{HOOK} {end}", filled.root, text)
        assert (done.returncode, done.stderr) == (0, ""), end


# the working folder


GONE = "error: the working folder was deleted.\nChange to a folder that is there.\n"


def gone(line: str, project: Project, text: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a line of shell in a folder of the project that is deleted by then."""
    return shell(f"mkdir gone && cd gone && rmdir ../gone && {line}", project.root, text)


@pytest.mark.parametrize(
    "command",
    ["init", "recall", "log x", "search --all x", "history x.py", "doctor", "export -o x",
     "import adr docs", "uninstall", "skills list", "ui --no-open", "-p relative status"],
)  # fmt: skip
def test_a_command_in_a_deleted_folder_says_so(filled: Project, command: str) -> None:
    done = gone(f"{MIND} {command} </dev/null", filled)
    assert done.returncode in (1, 2)
    if command != "doctor":
        assert (done.stdout, done.stderr) == ("", GONE)
    assert "the working folder was deleted" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_json_says_it_too(filled: Project) -> None:
    done = gone(f"{MIND} status --json", filled)
    assert json.loads(done.stdout)["message"] == "the working folder was deleted"
    assert done.returncode == 1


def test_a_project_that_is_named_is_served_from_a_deleted_folder(filled: Project) -> None:
    done = gone(f"{MIND} --project {filled.root} search redis", filled)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Redis over Memcached" in done.stdout


def test_a_server_in_a_deleted_folder_answers(filled: Project) -> None:
    calls: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "x", "version": "0"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "mind_recall", "arguments": {"block": True}}},
    ]  # fmt: skip
    text = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in calls)
    done = gone(f"{MIND} mcp", filled, text)
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout.splitlines()[-1])["result"]
    assert "`mind init`" in answer["content"][0]["text"]
    named = gone(f"MIND_PROJECT={filled.root} {MIND} mcp", filled, text)
    assert "Redis over Memcached" in named.stdout.splitlines()[-1]


@pytest.mark.parametrize("cwd", ["", ".", "gone", "{root}", "{root}/gone"])
def test_a_hook_in_a_deleted_folder_is_silent_or_answers(filled: Project, cwd: str) -> None:
    folder = cwd.format(root=filled.root)
    for event in ("SessionStart", "PreToolUse", "Stop"):
        given = json.loads(hooking.event(filled, event, source="startup")) | {"cwd": folder}
        done = gone(HOOK, filled, json.dumps(given))
        assert (done.returncode, done.stderr) == (0, "")
