"""The plugin for Claude Code, in the real client: installed from here, at work, taken out again."""

import json
import re
import shutil
import stat
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mind import __version__
from mind.memory.memory import Memory
from mind.setup.clients import claude_hooks
from mind.storage.project import Project
from tests.test_installation import tree
from tests.test_real_clients import CLAUDE, Model, claude, environment, model

__all__ = ["model"]  # a fixture

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "plugin"
RUN = PLUGIN / "hooks" / "run.sh"
TOOLS = "mcp__plugin_mind_mind__"


def real(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that needs the real client."""
    for mark in (
        pytest.mark.client,
        pytest.mark.slow,
        pytest.mark.xdist_group("clients"),
        pytest.mark.skipif(not CLAUDE.exists(), reason="npm could not install the clients here"),
    ):
        test = mark(test)
    return test


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PLUGIN / name).read_text(encoding="utf-8"))
    return found


# --- the files ----------------------------------------------------------------------------------


def test_the_plugin_is_of_the_version_of_the_package() -> None:
    assert read(".claude-plugin/plugin.json")["version"] == __version__


def test_the_hooks_are_those_that_init_writes() -> None:
    found = {
        event: ({group.get("matcher", "") for group in groups}, timeouts(groups))
        for event, groups in read("hooks/hooks.json")["hooks"].items()
    }
    own = {
        event: ({matcher}, {timeout}) for event, (matcher, timeout) in claude_hooks.EVENTS.items()
    }
    own["SessionStart"] = ({"startup|resume", "clear|compact|fork"}, {30})
    own["SessionEnd"] = ({""}, {0})  # a plugin has 1.5 s there, whatever it asks for
    assert found == own


def timeouts(groups: list[dict[str, Any]]) -> set[int]:
    return {hook.get("timeout", 0) for group in groups for hook in group["hooks"]}


def test_the_icon_is_a_square() -> None:
    header = (PLUGIN / ".claude-plugin" / "icon.png").read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert struct.unpack(">II", header[16:]) == (512, 512)


def test_commands_and_skill_name_only_what_there_is() -> None:
    from typer.main import get_command

    from mind.cli.app import app
    from mind.server.mcp.tools import TOOLSETS

    tools = {tool.name for toolset in TOOLSETS.values() for tool in toolset} | {"mind_"}
    commands = set(get_command(app).commands)  # type: ignore[attr-defined] # a group
    for path in [*PLUGIN.rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\bmind_[a-z_]+", text)) <= tools, path
        named = set(re.findall(r"`mind ([a-z][a-z-]*)", text)) | set(
            re.findall(r"Bash\(mind ([a-z]+)", text)
        )
        assert named <= commands, path


# --- the line of shell --------------------------------------------------------------------------


def program(folder: Path, body: str) -> str:
    """A ``mind-hook`` of the test's own; PATH with it."""
    path = folder / "bin" / "mind-hook"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{path.parent}:/usr/bin:/bin"


def shell(project: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(RUN), *arguments],
        env={"PATH": path, "CLAUDE_PROJECT_DIR": str(project)},
        input='{"hook_event_name": "Stop"}',
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def test_the_event_goes_in_and_the_answer_comes_out(tmp_path: Path) -> None:
    done = shell(tmp_path, program(tmp_path, "cat"))
    assert (done.returncode, done.stdout) == (0, '{"hook_event_name": "Stop"}')


@pytest.mark.parametrize("body", [None, "exit 1", "exec /no/such/python", "exit 2"])
def test_a_program_that_is_missing_or_broken_is_told_once_and_fails_nothing(
    tmp_path: Path, body: str | None
) -> None:
    path = program(tmp_path, body) if body else "/usr/bin:/bin"
    hint = shell(tmp_path, path, "hint")
    assert hint.returncode == 0
    assert re.search(r"`(pipx|mind doctor)\b", json.loads(hint.stdout)["systemMessage"])
    later = shell(tmp_path, path)
    assert (later.returncode, later.stdout) == (0, "")
    if body is None:
        assert later.stderr == ""


@pytest.mark.parametrize("name", [claude_hooks.SHARED, claude_hooks.OWN])
def test_hooks_that_the_project_has_itself_do_not_run_twice(tmp_path: Path, name: str) -> None:
    settings = tmp_path / name
    settings.parent.mkdir()
    settings.write_text(claude_hooks.add("", "mind-hook", shared=True), encoding="utf-8")
    done = shell(tmp_path, program(tmp_path, "echo ran"), "hint")
    assert (done.returncode, done.stdout) == (0, "")


# --- in the real client -------------------------------------------------------------------------


@pytest.fixture
def installed(home: Path, repository: Path) -> dict[str, str]:
    """An environment whose user installed the plugin from here."""
    env = environment(home)
    install(repository, env)
    return env


def install(root: Path, env: dict[str, str]) -> None:
    for words in (("marketplace", "add", str(ROOT)), ("install", "mind@mind")):
        claude(Project(root), env, "plugin", *words)


@pytest.fixture
def project(installed: dict[str, str], repository: Path) -> Project:
    """A repository in which Mind was set up after the plugin was installed."""
    mind(repository, installed, "init")
    return Project(repository)


def mind(root: Path, env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["mind", *arguments], cwd=root, env=env, check=True, capture_output=True, encoding="utf-8"
    )
    return done.stdout


def use(number: int, tool: str, **arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": arguments}


def session(project: Project, env: dict[str, str], url: str, *arguments: str) -> str:
    """Run the client on ``arguments``; what it says."""
    return claude(project, env | {"ANTHROPIC_BASE_URL": url}, "-p", *arguments)


def asked(at: int = -1) -> str:
    return json.dumps(Model.asked[at], ensure_ascii=False)


def results() -> dict[str, str]:
    """What the tools answered in the last request, by the calls' numbers."""
    return {
        block["tool_use_id"]: json.dumps(block, ensure_ascii=False)
        for message in Model.asked[-1]["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }


@real
@pytest.mark.parametrize(
    ("folder", "options"), [(PLUGIN, ["--profile", "directory"]), (PLUGIN, []), (ROOT, [])]
)
def test_the_client_finds_nothing_to_say_against_it(
    folder: Path, options: list[str], project: Project, installed: dict[str, str]
) -> None:
    said = claude(project, installed, "plugin", "validate", str(folder), "--strict", *options)
    assert "Validation passed" in said
    assert "warning" not in said


@real
def test_the_block_what_is_due_and_the_tools_reach_the_first_request(
    project: Project, installed: dict[str, str], model: str
) -> None:
    assert not (project.root / ".mcp.json").exists()
    memory = Memory(project)
    memory.log("SQLite over Postgres - one file", "decision")
    memory.remind("look at the import", "next session")
    memory.recall()
    memory.close()
    Model.turns = [[use(1, f"{TOOLS}mind_recall")], [{"type": "text", "text": "all done"}]]
    known = Path(installed["MIND_HOME"], "cache", "handshake.json").read_bytes()
    said = session(project, installed, model, "work", "--allowedTools", f"{TOOLS}mind_recall")
    assert "all done" in said
    first = asked(0)
    assert "SQLite over Postgres - one file" in first
    assert "Recorded reminder due (" in first
    assert "look at the import" in first
    assert "not instructions" in first
    names = [tool["name"] for tool in Model.asked[0]["tools"]]
    assert f"{TOOLS}mind_recall" in names
    assert not [name for name in names if name.startswith("mcp__mind__")]
    assert "is up to date" in results()["toolu_1"]
    after = Path(installed["MIND_HOME"], "cache", "handshake.json").read_bytes()
    assert after == known  # `mind init` had asked all that this client asks first


@real
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            '/mind:search redis kind:rejected since:"last week"',
            'redis kind:rejected since:"last week"',
        ),
        ("/mind:recall the import", "the import"),
        ("/mind:remember it's Redis; $(touch owned) `x`", "it's Redis; $(touch owned) `x`"),
        ("/mind:forget a1b2c3d4 - moved", "a1b2c3d4 - moved"),
        ("/mind:health", "mind health"),
        ("/mind:doctor", "mind doctor"),
        ("/mind:mind", "## Overview"),
    ],
)
def test_commands_reach_the_model_as_they_were_typed(
    project: Project, installed: dict[str, str], model: str, said: str, expected: str
) -> None:
    session(project, installed, model, said)
    told = Model.asked[0]["messages"]
    assert expected in "\n".join(texts(told))
    assert not (project.root / "owned").exists()


def texts(messages: list[dict[str, Any]]) -> list[str]:
    found: list[str] = []
    for message in messages:
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"text": content}]
        found += [block["text"] for block in blocks if "text" in block]
    return found


@real
@pytest.mark.parametrize("way", ["plugin", "hooks"])
def test_a_critical_gotcha_stops_a_command_and_another_is_told(
    repository: Path, home: Path, model: str, way: str
) -> None:
    env = environment(home)
    project = Project(repository)
    if way == "plugin":
        install(repository, env)
    mind(repository, env, "init", *(["--hooks"] if way == "hooks" else []))
    memory = Memory(project)
    memory.log(
        "`touch production` wipes the table [severity:: critical] -> make teardown", "gotcha"
    )
    memory.log("`touch staging` is slow on Mondays -> wait", "gotcha")
    memory.close()
    Model.turns = [
        [use(1, "Bash", command="touch production", description="clean up")],
        [use(2, "Bash", command="touch staging", description="clean up")],
        [use(3, "Bash", command="touch staging", description="again")],
    ]
    session(project, env, model, "work", "--allowedTools", "Bash")
    told = results()
    assert "wipes the table" in told["toolu_1"]
    assert '"is_error": true' in told["toolu_1"]
    assert not (repository / "production").exists()
    assert (repository / "staging").exists()
    known = asked(0).count("is slow on Mondays")  # the block says it, too
    assert asked().count("is slow on Mondays") == known + 1


@real
def test_a_rejected_approach_is_flagged_before_an_edit(
    project: Project, installed: dict[str, str], model: str
) -> None:
    memory = Memory(project)
    memory.log("Redis for session storage - one more server to run", "rejected")
    memory.close()
    path = project.root / "store.py"
    path.write_text("# sessions\n", encoding="utf-8")
    new = "session_storage = redis.Redis()\n"
    Model.turns = [
        [use(1, "Read", file_path=str(path))],
        [use(2, "Edit", file_path=str(path), old_string="# sessions\n", new_string=new)],
    ]
    session(project, installed, model, "work", "--allowedTools", "Read,Edit")
    assert "one more server to run" in results()["toolu_2"]
    assert path.read_text("utf-8") == "# sessions\n"


@real
def test_what_was_worked_on_comes_back_after_a_compaction(
    project: Project, installed: dict[str, str], model: str
) -> None:
    path = str(project.root / "cart.py")
    Model.turns = [[use(1, "Write", file_path=path, content="def total(lines): ...\n")]]
    session(project, installed, model, "add up the cart", "--allowedTools", "Write")
    session(project, installed, model, "--continue", "/compact")
    session(project, installed, model, "--continue", "go on")
    after = asked()
    assert "Before the compaction" in after
    assert "Last request: add up the cart" in after
    assert "cart.py" in after.split("Before the compaction")[1]


@real
def test_without_the_program_one_line_says_so_and_nothing_fails(
    repository: Path,
    installed: dict[str, str],
    model: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tools = tmp_path_factory.mktemp("bin")
    for name in ("sh", "bash", "grep", "git", "cat", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")
    Model.turns = [[use(at, "Bash", command="echo hi", description="x")] for at in range(3)]
    shown = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
    env = installed | {"PATH": str(tools)}
    said = session(Project(repository), env, model, "work", "--allowedTools", "Bash", *shown)
    ran = [one for line in said.splitlines() if "output" in (one := json.loads(line))]
    assert [one["hook_event"] for one in ran if "pipx install" in one["output"]] == ["SessionStart"]
    assert {one["outcome"] for one in ran} == {"success"}
    assert len(ran) >= len(Model.asked)
    assert "hook_no_verdict" not in said
    assert '"is_error": true' not in asked()


@real
def test_plugin_and_settings_together_run_each_hook_once(
    repository: Path, home: Path, model: str
) -> None:
    env = environment(home)
    project = Project(repository)
    mind(repository, env, "init", "--hooks")
    install(repository, env)
    log = home / "events"
    path = program(home, f"cat >> {log}")
    Model.turns = [[use(1, "Bash", command="echo hi", description="x")]]
    env |= {"PATH": f"{path.split(':', 1)[0]}:{env['PATH']}"}
    session(project, env, model, "work", "--allowedTools", "Bash")
    events = [json.loads(line)["hook_event_name"] for line in log.read_text("utf-8").splitlines()]
    assert events == [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ]
    servers = {tool["name"].rpartition("__")[0] for tool in Model.asked[0]["tools"]}
    assert {name for name in servers if "mind" in name} == {"mcp__mind"}


@real
def test_uninstalling_leaves_no_trace(
    repository: Path, home: Path, model: str, git: Callable[..., str]
) -> None:
    env = environment(home)
    project = Project(repository)
    (repository / "CLAUDE.md").write_text("# Ours\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "ours")
    own = home / ".claude"
    own.mkdir()
    (own / "settings.json").write_text('{\n  "model": "opus"\n}\n', encoding="utf-8")
    before, settings = tree(repository), json.loads((own / "settings.json").read_text("utf-8"))
    install(repository, env)
    mind(repository, env, "init")
    mind(repository, env, "skills", "install", "--client", "codex")
    Model.turns = [[use(1, "Bash", command="true", description="x")]]
    session(project, env, model, "work", "--allowedTools", "Bash")
    mind(repository, env, "uninstall", "--purge", "--yes")
    claude(project, env, "plugin", "uninstall", "mind@mind")
    claude(project, env, "plugin", "marketplace", "remove", "mind")
    assert tree(repository) == before
    assert git("status", "--porcelain", "--ignored") == ""
    left = json.loads((own / "settings.json").read_text("utf-8"))
    assert {key: value for key, value in left.items() if value} == settings
    registered = [
        path.relative_to(own).as_posix()
        for path in own.rglob("*.json")
        if "projects" not in path.parts and "mind@mind" in path.read_text("utf-8")
    ]
    assert registered == []
    assert Path(env["MIND_HOME"], "projects.json").read_text("utf-8").count(str(repository)) == 0
