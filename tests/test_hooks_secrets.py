"""A credential in whatever a client tells the hooks is in no file that Mind writes."""

import gzip
import json
import shutil
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mind.hooks import events
from mind.memory.memory import Memory
from mind.storage.project import Project
from tests import secret_cases
from tests.hooking import event, kept, run, start, told
from tests.test_hooks import edits, set_up, with_memory
from tests.transcript_sessions import Case, transcript

TOKEN = next(
    case.value for case in secret_cases.cases() if case.kind == "GitHub personal access token"
)
PART = TOKEN[6:26]
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup", "model": "opus"},
    "UserPromptSubmit": {"prompt": "use redis for the session store"},
    "PreToolUse": {"tool_name": "Edit", "tool_use_id": "t", "tool_input": {
        "file_path": "notes.py", "old_string": "", "new_string": "parse_date(x)"}},
    "PostToolUse": {"tool_name": "Write", "tool_use_id": "t",
                    "tool_input": {"file_path": "notes.py", "content": "# MEMORY: a note"},
                    "tool_response": {"filePath": "notes.py", "success": True}},
    "PostToolUse ": {"tool_name": "MultiEdit", "tool_input": {
        "file_path": "other.py", "edits": [{"old_string": "a", "new_string": "b"}]}},
    "PostToolUse  ": {"tool_name": "NotebookEdit", "tool_input": {
        "notebook_path": "a.ipynb", "new_source": "x", "cell_id": "c"}},
    "PostToolUse   ": {"tool_name": "Bash", "tool_input": {"command": "npm install"},
                       "tool_response": {"stdout": "", "stderr": ""}},
    "PreToolUse ": {"tool_name": "Bash", "tool_input": {
        "command": "npm install", "description": "Install"}},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {
        "command": "deploy now", "description": "Deploy"}, "error": "exit 1"},
    "PreCompact": {"trigger": "manual", "custom_instructions": "keep all"},
    "SessionStart ": {"source": "compact"},
    "Stop": {"last_assistant_message": "done", "permission_mode": "default"},
    "SessionEnd": {"reason": "clear"},
}  # fmt: skip
COMMON = {"agent_id": "", "agent_type": "x", "transcript_path": "t.jsonl", "session_id": "a"}


def with_token(given: Any) -> Iterator[Any]:
    """``given`` with the credential in each of its texts, one at a time."""
    if isinstance(given, str):
        stem, dot, ending = given.partition(".")
        yield f"{stem}-{TOKEN}{dot}{ending}" if dot else f"{given} {TOKEN}".strip()
        yield TOKEN
    elif isinstance(given, dict):
        for key, value in given.items():
            yield from ({**given, key: one} for one in with_token(value))
    elif isinstance(given, list):
        for at, value in enumerate(given):
            yield from ([*given[:at], one, *given[at + 1 :]] for one in with_token(value))


def unpacked(data: bytes) -> bytes:
    for unpack in (gzip.decompress, zlib.decompress):
        with suppress(OSError, EOFError, zlib.error):
            return unpack(data)
    return data


def leaks(*folders: Path) -> list[str]:
    """Files below, or names of files, that tell a part of the credential."""
    found = []
    for path in (path for folder in folders for path in folder.rglob("*")):
        text = unpacked(path.read_bytes()) if path.is_file() else b""
        if PART in path.name or PART.encode() in text:
            found.append(str(path))
    return found


@pytest.fixture
def watched(project: Project) -> Project:
    """All parts of the hooks are on, and memory has something to say."""
    with_memory(project, ("Redis for the session store - one more server", "rejected"),
                ("`npm install` rewrites the lockfile -> use `npm ci`", "gotcha"),
                ("parse_date ignores the time zone", "gotcha"))  # fmt: skip
    set_up(project, titles=True, capture="auto")
    start(project)
    return project


def test_no_field_of_an_event_brings_a_credential_into_a_file(watched: Project, home: Path) -> None:
    sub = watched.root / f"sub-{TOKEN}"
    sub.mkdir()
    for name, fields in EVENTS.items():
        for given in with_token({**COMMON, **fields}):
            session = given.pop("session_id")
            events.answer(event(watched, name.strip(), session, **given))
        given = {**fields, "cwd": str(sub), "session_id": "a", "hook_event_name": name.strip()}
        events.answer(json.dumps(given).encode())
    events.answer(event(watched, f"Stop {TOKEN}"))
    assert edits(watched)
    assert kept(watched)["prompt"]
    assert kept(watched)["snapshot"]
    assert kept(watched)["failed"]
    assert leaks(watched.folder, home) == []
    assert PART not in (watched.root / "CLAUDE.md").read_text(encoding="utf-8")


def test_the_program_itself_keeps_none(watched: Project, home: Path) -> None:
    path = watched.root / f"notes-{TOKEN}.md"
    given = {"file_path": str(path), "content": "x"}
    done = run(event(watched, "PostToolUse", tool_name="Write", tool_input=given))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    named = "notes-[GitHub personal access token removed].md"
    assert [one.data["path"] for one in edits(watched)] == [named]
    assert kept(watched)["edits"] == [[named, "Write"]]
    assert leaks(watched.folder, home) == []


def test_a_transcript_of_such_a_name_is_read_and_not_named(watched: Project, home: Path) -> None:
    path = watched.root / f"session-{TOKEN}.jsonl"
    rule = "from now on we use pnpm here"
    made = transcript(Case("named", ["U: begin", f"U: {rule}", f"U: remember the key {TOKEN}"]))
    shutil.copy(made.write(watched.cache), path)
    (watched.cache / f"{made.session}.jsonl").unlink()
    told(watched, "SessionEnd", transcript_path=str(path))
    path.write_text("", encoding="utf-8")
    assert rule in watched.memory.read_text(encoding="utf-8")
    assert leaks(watched.folder, home) == []


def test_a_note_by_hand_is_not_copied_with_its_credential(watched: Project) -> None:
    note = f"- The deploy token is {TOKEN}\n"
    with watched.session.open("a", encoding="utf-8") as file:
        file.write(note)
    told(watched, "PreCompact")
    assert any("deploy token" in line for line in kept(watched)["snapshot"])
    assert leaks(watched.cache / "hooks") == []


def test_the_history_of_such_a_file_does_not_tell_its_name(memory: Memory) -> None:
    name = f"notes-{TOKEN}.md"
    (memory.project.root / name).write_text("x\n", encoding="utf-8")
    shown = memory.file_history(name)
    assert shown.path == "notes-[GitHub personal access token removed].md"
    assert leaks(memory.project.folder) == []
