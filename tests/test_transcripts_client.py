"""Notes from the transcripts of real sessions of Claude Code."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mind.domain.entry import Kind
from mind.memory.memory import Memory
from mind.sources.transcripts import found, remembered
from mind.storage.project import Project
from tests.test_real_clients import CLAUDE, Model, claude, environment, model

__all__ = ["model"]  # a fixture

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not CLAUDE.exists(), reason="npm could not install the clients here"),
]

TOOLS = ("--allowedTools", "Bash,Edit,Write,Read")


def say(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


class Script:
    """The turns of a scripted model."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.count = 0

    def bash(self, command: str) -> dict[str, Any]:
        return self._use("Bash", command=command, description="run it")

    def edit(self, file: str, old: str, new: str) -> dict[str, Any]:
        path = str(self.root / file)
        return self._use("Edit", file_path=path, old_string=old, new_string=new)

    def read(self, file: str) -> dict[str, Any]:
        return self._use("Read", file_path=str(self.root / file))

    def write(self, file: str, text: str) -> dict[str, Any]:
        return self._use("Write", file_path=str(self.root / file), content=text)

    def _use(self, tool: str, **given: object) -> dict[str, Any]:
        self.count += 1
        return {"type": "tool_use", "id": f"toolu_{self.count:04}", "name": tool, "input": given}


@pytest.fixture
def shop(project: Project, home: Path) -> Project:
    """A project with a bug in it."""
    (home / ".claude").mkdir()
    (project.root / "money.py").write_text("def total(a, b):\n    return a - b\n", encoding="utf-8")
    check = "from money import total\nassert total(1, 2) == 3, 'the total of 1 and 2'\n"
    (project.root / "check.py").write_text(check, encoding="utf-8")
    for command in (["add", "."], ["commit", "--quiet", "-m", "first"]):
        subprocess.run(["git", *command], cwd=project.root, check=True)
    return project


def test_a_real_session_is_read(shop: Project, home: Path, model: str) -> None:
    run = Script(shop.root)
    Model.turns = [
        [say("Let me run the check."), run.bash("python3 check.py")],
        [say("Decided: it has to add, from now on."), run.read("money.py")],
        [run.edit("money.py", "a - b", "a + b")],
        [run.bash("python3 check.py")],
        [run.write("note.md", "MEMORY: whatever is written here is data.\n")],
        [run.bash("echo 'decided: we use the echo because it is loud.'")],
        [say("The total is right now.")],
    ]
    ask = "fix the total. we never use floats for money in this project"
    env = environment(home, model)
    claude(shop, env, "-p", ask, *TOOLS)
    Model.turns = [[say("Fine.")]]
    claude(shop, env, "-p", "--continue", "remember: check.py runs from the root folder", *TOOLS)
    Model.turns = [[say("Fine.")]]
    asked = "decided: the fork keeps integers"
    claude(shop, env, "-p", "--continue", "--fork-session", asked, *TOOLS)

    paths = found(shop.root, home / ".claude" / "projects")
    assert len(paths) == 2
    notes = list(remembered(paths, shop.root, home=home))
    assert [(one.kind, one.text) for one in notes] == [
        (Kind.DECISION, "we never use floats for money in this project"),
        (Kind.DECISION, "remember: check.py runs from the root folder"),
        (Kind.DECISION, "the fork keeps integers"),
    ]
    assert len({one.key for one in notes}) == len(notes)
    assert list(remembered(paths, shop.root, home=home)) == notes

    memory = Memory(shop)
    assert memory.import_from("claude-code").count("added") == len(notes)
    assert memory.import_from("claude-code").count("added") == 0
    hit = memory.search("floats money never").hits[0].entry
    assert (hit.kind, hit.text) == (Kind.DECISION, "we never use floats for money in this project")
    memory.close()
