import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mind.hooks import main
from mind.hooks.session_start import run
from mind.memory import Memory
from mind.project import Project


def event(project: Project, session: str, source: str = "startup") -> bytes:
    return json.dumps({
        "hook_event_name": "SessionStart",
        "session_id": session,
        "source": source,
        "cwd": str(project.root),
    }).encode()  # fmt: skip


def test_a_start_begins_a_session_and_says_what_is_due(project: Project) -> None:
    memory = Memory(project)
    memory.recall(session_id="a")
    memory.log("Redis for sessions - one more server", "rejected")
    memory.remind("look at the import", "next session")
    memory.close()
    answer = json.loads(run(event(project, "b")))["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    assert "look at the import" in answer["additionalContext"]
    assert "1 notes of the last session" in answer["additionalContext"]
    assert "Redis" in project.memory.read_text(encoding="utf-8")


def test_compaction_goes_on_with_the_session(project: Project) -> None:
    run(event(project, "a"))
    Memory(project, session_id="a").log("a note", "experience")
    assert run(event(project, "a", "compact")) == ""
    assert "a note" in project.session.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [b"", b"SessionStart", b"[]", b'{"x": "SessionStart"}', b"\xff"])
def test_what_is_no_event_is_let_pass(text: bytes) -> None:
    assert run(text) == ""


def test_an_error_never_stands_in_the_way_and_is_written_down(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = Project(tmp_path_factory.mktemp("outside"))
    assert run(event(outside, "a")) == ""
    project.state.mkdir()
    assert run(event(project, "a")) == ""
    log = project.cache / "hooks.log"
    assert "state.json" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o077 == 0
    log.write_text("x" * 200_000, encoding="utf-8")
    run(event(project, "a"))
    assert log.stat().st_size < 1_000


def test_other_events_end_before_anything_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin = io.BytesIO(b'{"hook_event_name": "Stop"}')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin, encoding="utf-8"))
    main()
    assert capsys.readouterr().out == ""


def test_the_program_answers_from_standard_input(project: Project) -> None:
    Memory(project).remind("look at the import", "next session")
    done = subprocess.run(
        [str(Path(sys.executable).with_name("mind-hook"))],
        input=event(project, "z"),
        check=True,
        capture_output=True,
    )
    assert b"look at the import" in done.stdout
