"""What was there before `mind init` is there after `mind uninstall`, however little it held."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mind.domain.errors import FileError
from mind.memory.memory import Memory
from mind.setup import install
from mind.setup.clients import record
from mind.setup.clients.claude_hooks import present
from mind.setup.clients.known import CLIENTS, Client, Format
from mind.storage.project import Project
from tests.test_installation import tree

BLANK = [b"", b"\r\n", b"  \n\t\n", b"\xef\xbb\xbf"]
OBJECTS = [b"{}", b"{\r\n\t\r\n}", b"\xef\xbb\xbf{}\n", b"\n{ }\n\n"]
COMMENTED = [b"// mine\n", b"/* mine */\n{}\n", b"{ // mine\n}\n", b"{} // mine"]
SETTINGS = [
    *BLANK,
    *OBJECTS,
    *COMMENTED,
    b'{"hooks": {}}',
    b'{"hooks": { }, "model": "opus"}\n',
    b'{\n  "model": "opus",\n  "hooks": {}\n}\n',
    b'{\n  "hooks": {\n    // none yet\n  },\n}\n',
    b'{"hooks": {"PreToolUse": []}}',
    b'{"hooks": {"PreToolUse": [], "Stop": [ ], "Unknown": []}}\n',
    b'{\n  "hooks": {\n    "PreToolUse": [],\n    "Stop": [\n    ]\n  }\n}\n',
    b'{\r\n  "hooks": {\r\n    "PreToolUse": [\r\n      // none yet\r\n    ],\r\n  },\r\n}\r\n',
    b'{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}}',
]
pytestmark = pytest.mark.usefixtures("hasty")


def taken_back(root: Path, *, then: Callable[[], None] = lambda: None, **options: object) -> None:
    install.apply(install.plan(root, **options))  # type: ignore[arg-type] # passed on
    then()
    install.apply(install.plan(root, **options))  # type: ignore[arg-type] # a second time
    install.apply(install.plan_removal(root, purge=True))


@pytest.mark.parametrize(
    ("text", "private"),
    [*((text, False) for text in SETTINGS), (b"{}", True), (b'{"hooks": {}}', True)],
)
def test_settings_of_claude_code_are_what_they_were(
    repository: Path, text: bytes, private: bool, home: Path
) -> None:
    name = "settings.local.json" if private else "settings.json"
    path = repository / ".claude" / name
    path.parent.mkdir()
    path.write_bytes(text)

    def is_there() -> None:
        assert present(path.read_text("utf-8-sig"))

    taken_back(repository, then=is_there, hooks=True, private=private)
    assert tree(repository) == {f".claude/{name}": text}
    assert not (home / ".mind" / "clients.json").exists()
    path.unlink()
    taken_back(repository, then=is_there, hooks=True, private=private)  # now Mind makes it
    assert tree(repository) == {}
    assert not path.parent.exists()


@pytest.mark.parametrize("text", [b"{}", b'{"hooks": {}}', b'{"hooks": {"PreToolUse": []}}'])
def test_what_came_into_the_settings_meanwhile_stays_too(repository: Path, text: bytes) -> None:
    path = repository / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text)

    def work() -> None:
        after = path.read_text("utf-8").replace('"hooks"', '"model": "opus", "hooks"', 1)
        path.write_text(after, encoding="utf-8")

    taken_back(repository, then=work, hooks=True)
    left = path.read_text("utf-8")
    assert '"model": "opus"' in left
    assert not present(left)
    assert ('"PreToolUse": []' in left) == (b"PreToolUse" in text)


def texts(one: Client) -> Iterator[bytes]:
    """Files of a client in which there is nothing yet."""
    yield from BLANK
    if one.format in {Format.JSON, Format.JSONC}:
        yield from OBJECTS
        key = one.path[0].encode()
        yield b'{"%b": {}}' % key
        yield b'{\n\t"%b": { },\n\t"other": []\n}\n' % key
    if one.format is Format.JSONC:
        yield from COMMENTED
        yield b'{\n  // mine\n  "%b": {\n    // none yet\n  },\n}\n' % key
    if one.format is Format.TOML:
        yield b"# mine\n"
        yield b"# mine"


@pytest.mark.parametrize("user", [False, True], ids=["project", "user"])
@pytest.mark.parametrize(
    "one", [one for one in CLIENTS if not one.by_hand], ids=lambda one: one.name
)
def test_files_of_clients_are_what_they_were(
    one: Client, user: bool, repository: Path, home: Path
) -> None:
    for text in texts(one):
        planned = install.plan(repository, clients=[one.name], user=user)
        (path,) = {row.file for row in planned.noted}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        taken_back(repository, clients=[one.name], user=user)
        assert path.read_bytes() == text
        assert not (home / ".mind" / "clients.json").exists()
        path.unlink()


def test_a_file_of_a_client_stays_when_all_else_in_it_was_deleted_since(repository: Path) -> None:
    path = repository / ".mcp.json"
    path.write_bytes(b'{"mcpServers": {"x": {"command": "y"}}}')

    def work() -> None:
        path.write_bytes(path.read_bytes().replace(b'"x": {"command": "y"},', b""))

    taken_back(repository, then=work)
    assert path.read_bytes() == b"{}\n"


@pytest.mark.parametrize("text", BLANK)
@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
def test_a_blank_file_for_the_block_stays(repository: Path, name: str, text: bytes) -> None:
    (repository / name).write_bytes(text)
    taken_back(repository)
    assert tree(repository) == {name: text}


@pytest.mark.parametrize("text", [b"", b"#!/bin/sh\n", b"#!/bin/sh\n\n", b"#!/bin/sh", b"\n"])
def test_a_hook_of_git_that_does_nothing_stays(repository: Path, text: bytes) -> None:
    hook = repository / ".git" / "hooks" / "post-commit"
    attributes = repository / ".git" / "info" / "attributes"
    hook.write_bytes(text)
    attributes.write_bytes(b"\n")
    other = hook.with_name("post-merge")

    def is_there() -> None:
        assert b"mind" in hook.read_bytes()
        assert b"mind" in attributes.read_bytes()
        assert other.exists()

    taken_back(repository, then=is_there, git_hooks=True)
    assert hook.read_bytes() == text
    assert attributes.read_bytes() == b"\n"
    assert not other.exists()


def test_a_rule_file_with_its_front_matter_alone_stays(repository: Path) -> None:
    rule = repository / ".cursor" / "rules" / "mind.mdc"
    rule.parent.mkdir(parents=True)
    rule.write_bytes(b"---\nalwaysApply: true\n---\n")
    taken_back(repository, clients=["cursor"])
    assert tree(repository) == {".cursor/rules/mind.mdc": b"---\nalwaysApply: true\n---\n"}


def test_a_damaged_record_gives_nothing_back_and_hinders_nothing(home: Path) -> None:
    path = home / ".mind" / "clients.json"
    path.parent.mkdir()
    for said in ('{"hollow": 3}', '{"hollow": {"/x": 3}}', '{"hollow": {"/x": {"": 3}}}'):
        path.write_text(said, encoding="utf-8")
        assert not any(record.hollows().values())


# --- what changed between the plan and its doing ------------------------------------------------


def test_a_file_that_changed_since_the_plan_is_not_deleted(project: Project) -> None:
    planned = install.plan_removal(project.root, purge=True)
    claude, reminders = project.root / "CLAUDE.md", project.reminders
    claude.write_bytes(b"# Just written\n" + claude.read_bytes())
    reminders.write_bytes(reminders.read_bytes() + b"- call back\n")
    kept = {path: path.read_bytes() for path in (claude, reminders)}
    with pytest.raises(FileError, match=r"CLAUDE\.md, \.mind/REMINDERS\.md changed while") as told:
        install.apply(planned)
    assert "again" in told.value.remedy
    assert {path: path.read_bytes() for path in kept} == kept
    assert not project.memory.exists()  # what did not change is deleted
    assert not (project.root / ".mcp.json").exists()


def test_a_derived_file_goes_whatever_became_of_it(memory: Memory) -> None:
    memory.checkpoint()
    planned = install.plan_removal(memory.project.root)
    memory.log("SQLite over Postgres", "decision")
    memory.search("SQLite")
    memory.close()
    install.apply(planned)
    gone = [step.path for step in planned.steps if step.derived]
    assert gone
    assert not any(path.exists() for path in gone)


def test_uninstall_says_which_file_stays(
    project: Project, monkeypatch: pytest.MonkeyPatch, mind: Callable[..., tuple[int, str, str]]
) -> None:
    claude = project.root / "CLAUDE.md"
    plan = install.plan_removal

    def planned(*arguments: object, **options: object) -> object:
        made = plan(*arguments, **options)  # type: ignore[arg-type] # passed on
        subprocess.run(["sh", "-c", f"echo mine >> '{claude}'"], check=True)
        return made

    monkeypatch.setattr(install, "plan_removal", planned)
    code, _, err = mind("uninstall", str(project.root))
    assert code == 1
    assert "CLAUDE.md changed while the plan was shown" in err
    assert claude.read_bytes().endswith(b"mine\n")


@pytest.mark.parametrize("text", [b"*.png binary", b"*.png binary\r\n*.x text", b"*.png binary\n"])
def test_attributes_without_a_last_line_end_get_none(repository: Path, text: bytes) -> None:
    attributes = repository / ".git" / "info" / "attributes"
    attributes.write_bytes(text)
    taken_back(repository)
    assert attributes.read_bytes() == text

    def work() -> None:
        attributes.write_bytes(attributes.read_bytes() + b"*.jpg binary\n")

    taken_back(repository, then=work)
    left = attributes.read_bytes()
    assert left.splitlines() == [*text.splitlines(), b"*.jpg binary"]
