"""Where standard output is not UTF-8, as on Windows, nothing fails and nothing is lost."""

import json
import os
import subprocess
import sys

import pytest

from mind.memory.memory import Memory
from mind.storage.project import Project
from tests import hooking

TEXT = "orders → queue, 数据库 is slow 🚀"
ESCAPED = "orders \\u2192 queue, \\u6570\\u636e\\u5e93 is slow \\U0001f680"


@pytest.fixture
def noted(project: Project) -> str:
    """The id of an entry with characters that code pages lack."""
    memory = Memory(project)
    entry = memory.log(TEXT, "decision").entry
    memory.recall()
    memory.close()
    return entry.id


def run(
    project: Project, *command: str, text: bytes = b"", encoding: str = "cp1252"
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        command,
        cwd=project.root,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        input=text,
        capture_output=True,
        check=False,
        timeout=60,
    )


def mind(project: Project, *arguments: str, encoding: str = "cp1252") -> bytes:
    done = run(project, sys.executable, "-P", "-m", "mind", *arguments, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("command", ["search orders", "show ID", "recent", "recall", "timeline ID"])
def test_text_has_escapes(noted: str, project: Project, command: str, encoding: str) -> None:
    arguments = command.replace("ID", noted).split()
    assert ESCAPED in mind(project, *arguments, encoding=encoding).decode(encoding)


@pytest.mark.parametrize("command", ["search orders", "show ID", "recent"])
def test_json_reads_as_what_was_noted(noted: str, project: Project, command: str) -> None:
    rows = json.loads(mind(project, *command.replace("ID", noted).split(), "--json"))
    assert [row["text"] for row in rows] == [TEXT]


@pytest.mark.parametrize("how", ["jsonl", "html"])
def test_an_export_is_utf8(noted: str, project: Project, how: str) -> None:
    text = mind(project, "export", "--format", how).decode("utf-8")
    assert TEXT in text
    assert noted in text


def test_a_hook_answers_in_utf8(project: Project) -> None:
    memory = Memory(project)
    memory.log(f"parse_date ignores the zone, {TEXT}", "gotcha")
    memory.close()
    given = {"file_path": str(project.root / "a.py"), "content": "when = parse_date(text)\n"}
    event = hooking.event(project, "PreToolUse", tool_name="Write", tool_input=given)
    done = run(project, str(hooking.PROGRAM), text=event)
    assert (done.returncode, done.stderr) == (0, b"")
    assert TEXT in hooking.output(done.stdout.decode("utf-8"))["additionalContext"]
