"""What a newer version of Mind wrote is refused with the remedy, and nothing is changed."""

import json
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.server.mcp.app import answer
from mind.server.mcp.tools import TOOLSETS
from mind.storage.project import Project
from tests import hooking
from tests.conftest import Run
from tests.http_service import at_home, project_at, serving
from tests.test_installation import tree

TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
COMMANDS = (
    ("recall",), ("search", "redis"), ("log", "-t", "decision", "npm over yarn"), ("export",),
    ("config", "session.gap_minutes", "40"), ("sync",), ("init",), ("tidy",), ("archive", "list"),
)  # fmt: skip


@pytest.fixture(params=["config.json", "state.json"])
def newer(memory: Memory, request: pytest.FixtureRequest) -> Project:
    """A memory in which one file is of a version that does not exist yet."""
    memory.log("Redis over Memcached", "decision")
    memory.log("the tests pass since the fix")
    memory.recall()
    memory.close()
    path: Path = memory.project.folder / str(request.param)
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(known | {"schema_version": 2, "later": {"a": [1]}}), "utf-8")
    return memory.project


def told(text: str) -> bool:
    return "was written by a newer version of Mind" in text and "pip install --upgrade" in text


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_changes_nothing(
    newer: Project, mind: Run, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(newer.root)
    before = tree(newer.root)
    code, out, err = mind(*command)
    assert (code, out) == (1, "")
    assert told(err)
    assert tree(newer.root) == before


def test_a_tool_changes_nothing(newer: Project) -> None:
    before = tree(newer.root)
    for name, given in (("mind_recall", {}), ("mind_log", {"message": "npm over yarn"})):
        said, failed = answer(TOOLS[name], name, given, lambda: Memory(newer))
        assert failed
        assert told(said)
    assert tree(newer.root) == before


def test_a_hook_says_nothing_and_changes_nothing(newer: Project) -> None:
    before = tree(newer.root)
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        done = hooking.run(hooking.event(newer, event, source="startup", prompt="redis?"))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    after = tree(newer.root)
    derived = ".mind/cache/"
    assert {name: text for name, text in after.items() if not name.startswith(derived)} == {
        name: text for name, text in before.items() if not name.startswith(derived)
    }


def test_the_service_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "shop", ("decision", "Redis over Memcached"))
    with serving(home, "--project", str(root), "--rate", "0") as service:
        path = root / ".mind" / "state.json"
        path.write_text(json.dumps({"schema_version": 2}), encoding="utf-8")
        before = tree(root)
        done = service.ask("POST", "/api/v1/entries", {"message": "npm over yarn"})
        assert (done.status, done.json["code"]) == (409, "newer")
        assert "pip install --upgrade" in done.json["remedy"]
        after = tree(root)
    for name in (".mind/MEMORY.md", ".mind/SESSION.md", ".mind/state.json", ".mind/config.json"):
        assert after.get(name) == before.get(name)
