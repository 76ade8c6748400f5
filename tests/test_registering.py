"""Telling clients of the server: every file as it was before, once it is taken back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mind.domain.errors import FileError, NotFound
from mind.setup import install
from mind.setup.clients import registering as texts
from mind.setup.clients.known import CLIENTS, Client, Format, client
from mind.setup.clients.registrations import registrations, this_machine, user_files
from mind.storage import project as projects
from mind.storage.boundary import own_memory

EDITED = [one for one in CLIENTS if not one.by_hand]
by_name = pytest.mark.parametrize("one", EDITED, ids=lambda one: one.name)
STATES = {
    Format.TOML: ["", "model = 'x'", "# mine\n[mcp_servers]\n", "[a]\n\n[mcp_servers.x]\nb = 1\n"],
}
JSON = ["", "\n", "{}", "{ }\n", '{"KEY": {}}', '{\r\n\t"a": 1\r\n}', '{"KEY": {"x": {}}, "b": 2}']


pytestmark = pytest.mark.usefixtures("hasty")


@pytest.fixture(autouse=True)
def platform(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's files are where they are on Linux, and nothing moves them."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"):
        monkeypatch.delenv(name, raising=False)


def tree(*roots: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, and every folder."""
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for root in roots
        for path in sorted(root.rglob("*"))
        if ".mind/" not in f"{path}/"
    }


def init(root: Path, *names: str, user: bool = False) -> None:
    install.apply(install.plan(root, clients=names, user=user))


def remove(root: Path, *names: str) -> None:
    install.apply(install.plan_removal(root, clients=names))


def users(one: Client) -> Path:
    return user_files(one, this_machine())[0]


def states(one: Client) -> list[str]:
    return [text.replace("KEY", one.path[0]) for text in STATES.get(one.format, JSON)]


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": {"mind": {"command": "mind"} /* mine */, "x": {}}}',
        '{"servers": {"mind": {"command": "mind"} /* mine */,}}',
        '{"servers": {"x": {}, "mind": {"command": "mind"} /* mine */,}}',
        '{"servers": {\n  // mine\n  "mind": {"command": "mind"}, /* too */ "x": {}}}',
        '{"servers": {"x": {},\n  // mine\n  "mind": {"command": "mind"}}}',
        '{"servers": {\n  // mine\n  "mind": {"command": "mind"}}}',
    ],
)
def test_a_comment_near_the_entry_stays_and_comments_out_nothing(text: str) -> None:
    left = texts.unregister(client("vscode"), text)
    assert left is not None
    assert "mine" in left
    assert texts.registered(client("vscode"), left) is None
    assert ('"x"' in left) == ('"x"' in text)


@by_name
@pytest.mark.parametrize("user", [False, True], ids=["project", "user"])
def test_taking_back_leaves_no_trace(one: Client, user: bool, tmp_path: Path, home: Path) -> None:
    missing = tree(tmp_path, home)
    init(tmp_path, one.name, user=user)
    assert tree(tmp_path, home) != missing
    remove(tmp_path)
    assert tree(tmp_path, home) == missing
    in_project = bool(one.project) and not user
    path = tmp_path / one.project[-1] if in_project else users(one)
    path.parent.mkdir(parents=True, exist_ok=True)
    for text in states(one):
        path.write_bytes(text.encode())
        before = tree(tmp_path, home)
        init(tmp_path, one.name, user=user)
        assert path.read_bytes() != text.encode()
        again = tree(tmp_path, home)
        init(tmp_path, one.name, user=user)
        assert tree(tmp_path, home) == again
        remove(tmp_path)
        assert tree(tmp_path, home) == before
    assert not (home / ".mind" / "clients.json").exists()


@pytest.mark.parametrize(
    "one", [one for one in EDITED if len(one.path) == 2], ids=lambda one: one.name
)
def test_a_comment_that_came_beside_the_entry_stays_when_it_goes(one: Client) -> None:
    sign = {Format.JSONC: "//"}.get(one.format)
    if sign is None:
        pytest.skip("its format has no comments, or keeps no empty object")
    text = '{"KEY": {}}\n'.replace("KEY", one.path[0])
    with_entry = texts.register(one, text, ["mind", "mcp"])
    assert texts.unregister(one, with_entry, texts.was(one, text)) == text
    at = with_entry.index("\n", with_entry.index(one.path[0])) + 1
    noted = f"{with_entry[:at]}    {sign} mine\n{with_entry[at:]}"
    left = texts.unregister(one, noted, texts.was(one, text))
    assert left is not None
    assert f"{sign} mine" in left
    assert texts.registered(one, left) is None


@by_name
def test_a_users_registration_names_no_project(one: Client, tmp_path: Path, home: Path) -> None:
    init(tmp_path, one.name, user=True)
    text = users(one).read_text(encoding="utf-8")
    assert str(tmp_path) not in text.replace(sys.executable, "")
    (seen,) = [row for row in registrations(tmp_path) if row.command]
    assert (seen.client, seen.scope, seen.there) == (one.name, "user", True)
    assert seen.command
    assert Path(seen.command[0]).is_absolute()
    assert ("--global" in seen.command) == (one.name == "claude-desktop")


@by_name
def test_a_damaged_file_is_named_with_its_line_and_nothing_is_written(
    one: Client, tmp_path: Path, home: Path
) -> None:
    path = users(one)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "a = 1\nb = \n" if one.format is Format.TOML else '{\n  "a": 1,,\n}\n'
    path.write_text(text, encoding="utf-8")
    before = tree(tmp_path, home)
    with pytest.raises(FileError, match=rf"{path.name}:2: .*") as caught:
        init(tmp_path, one.name, user=True)
    assert caught.value.data["line"] == 2
    assert tree(tmp_path, home) == before
    assert not (tmp_path / ".mind").exists()
    (seen,) = [row for row in registrations(tmp_path) if row.problem]
    assert seen.client == one.name


def test_the_first_state_of_a_users_file_is_kept_beside_it(tmp_path: Path, home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    aside = path.with_name("mcp.json.mind-backup")
    for text, mode, kept in (
        ('{"a": 1}', 0o644, 0o644),
        ('{"mcpServers": {"x": {"env": {"TOKEN": "1"}}}}', 0o644, 0o600),
    ):
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        init(tmp_path, "cursor", user=True)
        assert aside.read_text(encoding="utf-8") == text
        assert aside.stat().st_mode & 0o777 == kept
        assert path.stat().st_mode & 0o777 == mode
        remove(tmp_path)
        assert not aside.exists()
        assert path.read_text(encoding="utf-8") == text


def test_a_users_registration_stays_until_the_last_project_is_gone(
    tmp_path: Path, home: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    path = home / ".codeium" / "windsurf" / "mcp_config.json"
    init(one, "windsurf")
    init(two, "windsurf")
    remove(one)
    assert path.exists()
    remove(two)
    assert not path.exists()
    init(one, "windsurf")
    init(two, "windsurf")
    remove(one, "windsurf")
    assert not path.exists()
    assert (one / ".mind").exists()


def test_what_the_user_registered_is_not_taken_unless_it_is_named(
    tmp_path: Path, home: Path
) -> None:
    path = home / ".codeium" / "windsurf" / "mcp_config.json"
    path.parent.mkdir(parents=True)
    text = json.dumps({"mcpServers": {"mind": {"command": "uvx", "args": ["mind-lens", "mcp"]}}})
    path.write_text(text, encoding="utf-8")
    init(tmp_path, "windsurf")
    assert path.read_text(encoding="utf-8") == text
    remove(tmp_path)
    assert path.read_text(encoding="utf-8") == text
    remove(tmp_path, "windsurf")
    assert not path.exists()


@by_name
def test_init_mends_a_program_that_moved(one: Client, tmp_path: Path) -> None:
    place = tmp_path / one.project[-1] if one.project else users(one)
    place.parent.mkdir(parents=True, exist_ok=True)
    moved = ["/nothing/here/mind", "mcp", "--toolsets", "all"]
    place.write_text(texts.snippet(one, moved), encoding="utf-8")
    init(tmp_path, one.name)
    known = texts.registered(one, place.read_text(encoding="utf-8"))
    assert known
    assert known[0] != moved[0]
    assert known[-3:] == ["mcp", "--toolsets", "all"]


def test_the_block_goes_where_the_client_reads_it(tmp_path: Path) -> None:
    init(tmp_path, "cursor", "vscode", "kiro", "windsurf", "continue", "roo", "cline")
    for name, front in (
        (".cursor/rules/mind.mdc", "alwaysApply: true"),
        (".github/instructions/mind.instructions.md", 'applyTo: "**"'),
        (".kiro/steering/mind.md", "inclusion: always"),
        (".windsurf/rules/mind.md", "trigger: always_on"),
        (".continue/rules/mind.md", "name: Mind\nalwaysApply: true"),
    ):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.startswith(f"---\n{front}\n---\n\n<!-- MIND:CONTEXT")
    for name in (".roo/rules/mind.md", ".clinerules/mind.md"):
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!-- MIND:CONTEXT")
    assert not (tmp_path / "CLAUDE.md").exists()
    remove(tmp_path, "cursor")
    assert not (tmp_path / ".cursor").exists()
    config = json.loads((tmp_path / ".mind" / "config.json").read_text(encoding="utf-8"))
    assert ".cursor/rules/mind.mdc" not in config["context"]["targets"]
    remove(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".mind"]


def test_the_last_rule_file_goes_with_its_setting(tmp_path: Path) -> None:
    init(tmp_path, "kiro")
    remove(tmp_path, "kiro")
    assert (tmp_path / ".mind" / "config.json").read_text(encoding="utf-8") == "{}\n"


def test_claude_md_is_not_made_where_agents_md_is_read(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n", encoding="utf-8")
    init(tmp_path, "claude-code", "cursor", "codex", "zed")
    assert not (tmp_path / "CLAUDE.md").exists()
    assert "MIND:CONTEXT" in (tmp_path / "AGENTS.md").read_text(encoding="utf-8")
    assert (tmp_path / ".mind" / "config.json").read_text(encoding="utf-8") == "{}\n"


def test_a_block_that_is_there_stays_and_what_a_new_file_hides_is_said(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Rules\n", encoding="utf-8")
    init(tmp_path)
    plan = install.plan(tmp_path, clients=["codex"])
    assert any("instead of CLAUDE.md" in note for note in plan.notes)
    install.apply(plan)
    config = json.loads((tmp_path / ".mind" / "config.json").read_text(encoding="utf-8"))
    assert config["context"]["targets"] == ["CLAUDE.md", "AGENTS.md"]
    assert install.plan(tmp_path, clients=["codex"]).changes == ()


def test_without_names_those_are_told_that_the_project_has(tmp_path: Path) -> None:
    init(tmp_path, "cursor")
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "mcp.json").write_text("{", encoding="utf-8")
    assert install.plan(tmp_path).changes == ()
    assert not (tmp_path / ".mcp.json").exists()


def test_without_names_nothing_is_added_where_clients_were_told_for_all_projects(
    tmp_path: Path,
) -> None:
    init(tmp_path, "codex", user=True)
    assert install.plan(tmp_path).changes == ()


def test_init_repairs_a_registration_that_somebody_took_out(tmp_path: Path) -> None:
    init(tmp_path)
    path = tmp_path / ".mcp.json"
    text = path.read_bytes()
    path.write_text('{"mcpServers": {}}', encoding="utf-8")
    init(tmp_path)
    assert json.loads(path.read_bytes()) == json.loads(text)
    path.unlink()
    init(tmp_path)
    assert path.read_bytes() == text


def test_those_that_are_found_here(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="no client was found"):
        install.plan(tmp_path, clients=["detected"])
    (home / ".cursor").mkdir()
    (tmp_path / "codex").write_text("", encoding="utf-8")
    (tmp_path / "codex").chmod(0o755)
    plan = install.plan(tmp_path, clients=["detected", "cursor"])
    assert [note.partition(" ")[0] for note in plan.notes[:2]] == ["cursor", "codex"]
    assert {"mcp.json", "config.toml"} <= {step.path.name for step in plan.changes}


def test_each_of_several_files_that_a_client_may_read_is_told(tmp_path: Path, home: Path) -> None:
    one = client("cline")
    storage, own = (Path(this_machine().path(path)) for path in one.user)
    storage.parent.mkdir(parents=True)
    own.parent.mkdir(parents=True)
    before = tree(home)
    init(tmp_path, "cline")
    assert storage.exists()
    assert own.exists()
    remove(tmp_path)
    assert tree(home) == before


def test_the_users_own_memory_can_be_shown_by_a_client(home: Path) -> None:
    projects.use(own_memory())
    try:
        plan = install.plan(clients=["claude-desktop"])
        install.apply(plan)
        path = users(client("claude-desktop"))
        assert plan.name(plan.steps[-1]) == "~/.config/Claude/claude_desktop_config.json"
        assert path.exists()
        install.apply(install.plan_removal())
        assert not path.exists()
    finally:
        os.environ.pop("MIND_DIR", None)


def test_a_client_without_a_project_finds_your_own_memory(tmp_path: Path, home: Path) -> None:
    init(tmp_path, "claude-desktop")
    (seen,) = [row for row in registrations(None) if row.command]
    calls: list[dict[str, object]] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "0"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "mind_status", "arguments": {}}},
    ]
    done = subprocess.run(
        seen.command or (),
        cwd=home,
        input="".join(f"{json.dumps({'jsonrpc': '2.0', **call})}\n" for call in calls),
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    answers = {row.get("id"): row for row in map(json.loads, done.stdout.splitlines())}
    assert not answers[2]["result"].get("isError")
    assert (home / ".mind" / "memory" / "MEMORY.md").exists()


def mind(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mind", *arguments],
        cwd=root,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def test_print_shows_what_to_paste_and_touches_nothing(tmp_path: Path, home: Path) -> None:
    before = tree(tmp_path, home)
    done = mind(tmp_path, "init", "--client", "codex", "--print")
    assert done.stdout.startswith("[mcp_servers.mind]\ncommand = ")
    assert done.stderr == "codex: add this to .codex/config.toml\n"
    done = mind(tmp_path, "init", "--client", "zed", "--user", "--print", "--json")
    (row,) = json.loads(done.stdout)
    assert row["file"] == "~/.config/zed/settings.json"
    assert json.loads(row["text"])["context_servers"]["mind"]["source"] == "custom"
    assert tree(tmp_path, home) == before
    assert not (tmp_path / ".mind").exists()


def test_dry_run_shows_a_diff_of_the_users_file_too(tmp_path: Path, home: Path) -> None:
    done = mind(tmp_path, "init", "--client", "windsurf", "--client", "codex", "--dry-run")
    assert "+++ b/~/.codeium/windsurf/mcp_config.json" in done.stdout
    assert "codex reads the memory from AGENTS.md." in done.stdout
    assert tree(tmp_path, home) == {}


def test_a_client_with_yaml_shows_what_to_paste(tmp_path: Path, home: Path) -> None:
    done = mind(tmp_path, "init", "--client", "goose")
    assert "goose: add this to ~/.config/goose/config.yaml:\nextensions:\n  mind: {" in done.stdout
    assert "MIND:CONTEXT" in (tmp_path / "AGENTS.md").read_text(encoding="utf-8")
    assert not (home / ".config").exists()
    assert "\tby hand\t" in mind(tmp_path, "clients", "--all").stdout
    assert mind(tmp_path, "uninstall", "--client", "goose").stdout == "Nothing to remove.\n"


def test_the_list_of_clients(tmp_path: Path, home: Path) -> None:
    mind(tmp_path, "init", "--client", "codex", "--client", "cursor")
    path = tmp_path / ".cursor" / "mcp.json"
    path.write_text('{"mcpServers": {"mind": {"command": "/nothing/mind"}}}', encoding="utf-8")
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text("{", encoding="utf-8")
    done = mind(tmp_path, "clients")
    rows = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in done.stdout.splitlines()}
    assert rows["codex", "project"][1] == "registered"
    assert rows["cursor", "project"][1:] == ["gone", "/nothing/mind"]
    assert rows["gemini-cli", "user"][:2] == ["~/.gemini/settings.json", "damaged"]
    assert "settings.json:1: not a JSON object" in done.stderr
    assert ("kiro", "user") not in rows
    assert "mind clients --all" in done.stdout
    listed = json.loads(mind(tmp_path, "clients", "--json").stdout)
    assert {row["client"] for row in listed} == {one.name for one in CLIENTS}
    codex = next(row for row in listed if row["client"] == "codex")
    assert (codex["scope"], codex["registered"], codex["there"]) == ("project", True, True)
    outside = home / "elsewhere"
    outside.mkdir()
    listed = json.loads(mind(outside, "clients", "--json").stdout)
    assert {row["scope"] for row in listed} == {"user"}


def test_a_damaged_file_that_names_mind_stops_the_removal(tmp_path: Path, home: Path) -> None:
    init(tmp_path)
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mind"', encoding="utf-8")
    before = tree(tmp_path, home)
    with pytest.raises(FileError, match=r"\.cursor/mcp\.json:1: "):
        remove(tmp_path)
    assert tree(tmp_path, home) == before
    path.write_text("{", encoding="utf-8")
    remove(tmp_path)
    assert path.read_text(encoding="utf-8") == "{"


def test_a_file_that_is_not_utf8_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_bytes(b'{"a": "\xe9"}')
    (seen,) = [row for row in registrations(tmp_path) if row.problem]
    assert seen.problem.count(".mcp.json") == 1


def test_a_folder_with_something_else_in_it_stays(tmp_path: Path, home: Path) -> None:
    init(tmp_path, "windsurf")
    (home / ".codeium" / "x").write_text("", encoding="utf-8")
    remove(tmp_path)
    assert list(tree(home)) == [str(home / ".codeium"), str(home / ".codeium" / "x")]


def test_uninstalling_one_client_says_what_was_taken(tmp_path: Path) -> None:
    mind(tmp_path, "init", "--client", "codex")
    done = mind(tmp_path, "uninstall", "--client", "codex")
    assert "delete  .codex/config.toml" in done.stdout
    assert (tmp_path / "AGENTS.md").exists()
    assert mind(tmp_path, "uninstall", "--client", "codex").stdout == "Nothing to remove.\n"
    done = mind(tmp_path, "uninstall", "--client", "codex", "--purge")
    assert done.returncode == 2
