"""The skill for agents without plugins: installed once, brought up to date, taken out again."""

import json
import re
from pathlib import Path

import pytest

from mind import __version__
from mind.cli.app import execute
from mind.setup import install, skills
from mind.setup.clients import skill_text
from mind.setup.clients.skill_text import FOLDERS, SkillState
from mind.storage.project import Project
from tests.test_installation import tree

SHIPPED = Path(__file__).parents[1] / "plugin" / "skills" / "mind" / "SKILL.md"


def run(*arguments: str) -> int:
    return execute(["skills", *arguments], lambda _: None)


@pytest.fixture
def inside(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project.root)
    return project.root


def test_the_skill_keeps_to_the_specification() -> None:
    text = SHIPPED.read_text("utf-8")
    front = text.split("---\n")[1]
    name, description = re.findall(r"^(?:name|description): (.+)$", front, re.MULTILINE)
    assert name == SHIPPED.parent.name
    assert 100 < len(description) <= 1_024
    assert len(text.splitlines()) <= 500


def test_a_skill_that_cannot_be_read_is_listed(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = inside / ".claude/skills/mind/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    assert run("list") == 0
    assert "is not UTF-8" in capsys.readouterr().out


def test_install_again_and_remove(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(inside)
    assert run("install") == 0
    path = inside / ".claude/skills/mind/SKILL.md"
    text = path.read_text("utf-8")
    assert f'mind-version: "{__version__}"' in text
    assert text.endswith(SHIPPED.read_text("utf-8").split("\n---\n", 1)[1])
    stamp = path.stat().st_mtime_ns
    capsys.readouterr()
    assert run("install") == 0
    assert capsys.readouterr().out == "Nothing to change.\n"
    assert path.stat().st_mtime_ns == stamp
    assert run("remove") == 0
    assert tree(inside) == before
    assert not (inside / ".claude").exists()


def test_a_dry_run_shows_the_file_and_writes_nothing(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", "--client", "cursor", "--dry-run") == 0
    assert "+++ b/.agents/skills/mind/SKILL.md" in capsys.readouterr().out
    assert not (inside / ".agents").exists()


def test_clients_share_folders(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("install", *(word for name in FOLDERS for word in ("--client", name))) == 0
    files = {path.parent.parent for path in inside.rglob("SKILL.md")}
    assert files == {inside / folder for folder in FOLDERS.values()}
    capsys.readouterr()
    assert run("list", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["state"] for row in rows} == {"installed"}
    assert sorted(name for row in rows for name in row["clients"]) == sorted(FOLDERS)


def test_what_somebody_changed_is_never_touched(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("install")
    path = inside / ".claude/skills/mind/SKILL.md"
    for text in (path.read_text("utf-8") + "mine\n", "---\nname: mind\n---\nmine\n", ""):
        path.write_text(text, encoding="utf-8")
        assert run("install") == 1
        assert "Move it away" in capsys.readouterr().err
        assert run("remove") == 0
        assert "was edited" in capsys.readouterr().err
        install.apply(install.plan_removal(inside))
        assert path.read_text("utf-8") == text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_older_text_that_nobody_changed_is_brought_up_to_date(
    inside: Path, line_end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = inside / ".claude/skills/mind/SKILL.md"
    path.parent.mkdir(parents=True)
    old = skill_text.stamped("---\nname: mind\ndescription: x\n---\n\nOld.\n", "0.0.1")
    path.write_bytes(old.replace("\n", line_end).encode())
    run("list")
    assert "another version" in capsys.readouterr().out
    assert run("install") == 0
    assert path.read_text("utf-8") == skills.shipped()


def test_a_folder_may_be_named(
    inside: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / ".claude" / "skills"
    (folder / "other").mkdir(parents=True)
    assert run("install", "--folder", "~/.claude/skills") == 0
    (folder / "mind" / "notes.md").write_text("mine\n", encoding="utf-8")
    assert run("list", "--folder", str(folder)) == 0
    assert "installed" in capsys.readouterr().out
    assert run("remove", "--folder", str(folder)) == 0
    assert [path.name for path in folder.rglob("*.md")] == ["notes.md"]


def test_uninstall_takes_the_skill_along(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("install", "--client", "claude-code", "--client", "codex", "--json")
    written = json.loads(capsys.readouterr().out)
    assert [one["action"] for one in written] == ["create", "create"]
    install.apply(install.plan_removal(inside))
    assert list(inside.rglob("SKILL.md")) == []


def test_an_unknown_client_is_told_which_are_known(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", "--client", "claude-desktop") == 2
    assert "--folder DIR" in capsys.readouterr().err
    assert run("list") == 0
    assert "mind skills install" in capsys.readouterr().err


def test_a_file_that_is_no_text_is_told(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / ".claude/skills/mind/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff")
    assert run("install") == 1
    run("list")
    assert "UTF-8" in capsys.readouterr().out
    assert path.read_bytes() == b"\xff"


def test_states() -> None:
    assert skill_text.state(None, "x") is SkillState.ABSENT
    assert skill_text.state("x", "x") is SkillState.CURRENT
    assert skill_text.state("y", "x") is SkillState.CHANGED
