"""Clients' files: what Mind puts in, what it takes out, and everything else as it was."""

import json
import tomllib
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mind.documents import jsontext, tomltext
from mind.domain.errors import FileError, NotFound
from mind.setup.clients import claude_hooks, reading, record, registering
from mind.setup.clients import command as commands
from mind.setup.clients.known import CLIENTS, Client, Format, client
from mind.setup.clients.registrations import Machine
from tests import client_cases

PATH = ("mcpServers", "mind")
CLAUDE, CODEX, GOOSE, ZED = (client(name) for name in ("claude-code", "codex", "goose", "zed"))
START = ["mind", "mcp"]
EDITED = [one for one in CLIENTS if not one.by_hand]
by_name = pytest.mark.parametrize("one", EDITED, ids=lambda one: one.name)

keys = st.text(min_size=1, max_size=5).filter(lambda key: key != "mind")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


# --- every client -------------------------------------------------------------------------


@by_name
def test_every_state_of_a_clients_file_becomes_what_the_page_says(one: Client) -> None:
    page = (client_cases.FOLDER / f"{one.name}.md").read_text(encoding="utf-8")
    assert client_cases.page(one) == page


@by_name
def test_what_was_registered_is_taken_out_to_the_byte(one: Client) -> None:
    texts = [text for _, text in client_cases.inputs(one)]
    for text in [*texts, *(text.replace("\n", "\r\n") for text in texts)]:
        try:
            after = registering.register(one, text, START)
        except FileError:
            continue
        before = registering.was(one, text)
        assert registering.registered(one, after) == START
        assert registering.register(one, after, ["other"]) == after
        assert registering.unregister(one, after, before) == text


@by_name
def test_a_file_that_holds_nothing_else_is_gone_again(one: Client) -> None:
    assert registering.unregister(one, registering.snippet(one, START)) is None
    assert registering.unregister(one, "") == ""


@by_name
def test_a_program_that_moved_is_named_anew_and_the_rest_kept(one: Client) -> None:
    text = registering.snippet(one, ["/old/mind", "mcp", "--toolsets", "all"])
    after = registering.repoint(one, text, ["/new/mind", "mcp"])
    assert registering.registered(one, after) == ["/new/mind", "mcp"]
    assert registering.repoint(one, after, ["/old/mind", "mcp", "--toolsets", "all"]) == text


@by_name
def test_environment_variables_are_told_but_for_those_that_the_client_fills_in(
    one: Client,
) -> None:
    entry = {**registering.entry(one, START), one.shape.env: {"A": "1", "B": "${B}"}}
    if one.format is Format.TOML:
        text = "[mcp_servers.mind]\ncommand = 'mind'\nenv = {A = '1', B = '${B}'}\n"
    else:
        text = json.dumps({one.path[0]: {"mind": entry}})
    assert registering.environment(one, text) == {"A": "1"}
    assert registering.environment(one, "") == {}


def test_an_unknown_client_is_told_apart_from_those_that_are_known() -> None:
    with pytest.raises(NotFound, match="claude-code, claude-desktop, cursor"):
        client("netscape")


# --- JSON ---------------------------------------------------------------------------------


@given(st.dictionaries(keys, values, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_object_survives_put_and_take(
    data: dict[str, object], indent: int | str | None
) -> None:
    data.pop("mcpServers", None)
    text = json.dumps(data, indent=indent)
    put = jsontext.put(text, PATH, {"command": "mind"})
    assert json.loads(put) == data | {"mcpServers": {"mind": {"command": "mind"}}}
    assert jsontext.take(put, PATH, was=jsontext.hollow(text, PATH)) == text


spaces = st.sampled_from(
    ["", " ", "\n", "\n\t", "\r\n  ", " // a, }\n", "/* b: { */ ", "\n/* c\n*/"]
)


@st.composite
def commented(draw: st.DrawFn) -> str:
    """An object with comments anywhere, and trailing commas."""
    members: list[str] = []
    for key in draw(st.lists(st.sampled_from(["a", "b", "mcpServers"]), unique=True)):
        inner = draw(st.sampled_from(["1", '"// x, }"', '"\\",}"', "[1, 2,]", "{}"]))
        value = draw(st.sampled_from(["{}", '{"x": {},}', '{"x": 1 /* , */}', "{ // y\n}"]))
        space = [draw(spaces), draw(spaces), draw(spaces), draw(spaces)]
        shown = value if key == "mcpServers" else inner
        members.append(f'{space[0]}"{key}"{space[1]}:{space[2]}{shown}{space[3]}')
    comma = draw(st.sampled_from(["", ","])) if members else ""
    return f"{draw(spaces)}{{{','.join(members)}{comma}{draw(spaces)}}}{draw(spaces)}"


@given(commented())
def test_comments_and_trailing_commas_survive_put_and_take(text: str) -> None:
    put = jsontext.put(text, PATH, {"command": "mind"})
    was = jsontext.hollow(text, PATH)
    data = jsontext.load(text)
    servers = data.get("mcpServers")
    assert isinstance(servers, dict | None)
    wanted = {**data, "mcpServers": {**(servers or {}), "mind": {"command": "mind"}}}
    assert jsontext.load(put) == wanted
    assert jsontext.take(put, PATH, was=was) == text


def test_what_somebody_wrote_after_it_stays_when_it_is_taken() -> None:
    text = '{\n  "mind": {},\n  // about b\n  "b": 1\n}\n'
    assert jsontext.take(text, ("mind",)) == '{\n  // about b\n  "b": 1\n}\n'
    text = '{\n  "a": 1, // one\n  // about mind\n  "mind": {}\n}\n'
    left = jsontext.take(text, ("mind",))
    assert left == '{\n  "a": 1 // one\n  // about mind\n}\n'
    text = '{"x": {/* mine */ "mind": 1}}'
    assert jsontext.take(text, ("x", "mind")) == '{"x": {/* mine */}}'


def test_a_value_is_replaced_in_place() -> None:
    text = '{"a": {"b": 1, "c": 2}}'
    assert jsontext.put(text, ("a", "b"), [3]).replace("\n", "").replace(" ", "") == (
        '{"a":{"b":[3],"c":2}}'
    )


def test_the_first_and_a_missing_member_can_be_taken() -> None:
    assert jsontext.take('{"a": 1, "b": 2}', ("a",)) == '{"b": 2}'
    assert jsontext.take('{"a": 1}', ("b",)) == '{"a": 1}'
    assert jsontext.take('{"a": 1}', ("a",)) == "{}"
    assert jsontext.take('{"a": {"b": 1}}', ("a", "c")) == '{"a": {"b": 1}}'


@pytest.mark.parametrize("text", ["[]", "{", "nonsense", '{"mcpServers": 3}'])
def test_what_is_no_object_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(FileError, match="add the entry by hand"):
        jsontext.put(text, PATH, {})


@pytest.mark.parametrize("text", ['{"a": 1,}', '{"a": /* b */ 1}'])
def test_comments_are_refused_where_the_client_does(text: str) -> None:
    assert jsontext.load(text) == {"a": 1}
    with pytest.raises(FileError, match="add the entry by hand"):
        jsontext.load(text, strict=True)


@pytest.mark.parametrize("text", ['{"a": 1 /* b }', "{,}", '{"a": "x\n"}', "[" * 100_000])
def test_what_is_broken_with_comments_too(text: str) -> None:
    with pytest.raises(FileError, match="not a JSON object"):
        jsontext.put(text, PATH, {})


def test_what_is_there_is_told_from_what_is_not() -> None:
    assert jsontext.value_at('{"a": {"b": 1}}', ("a", "b")) == 1
    assert jsontext.value_at('{"a": 3}', ("a", "b")) is None
    text = '{\n"a": {\n"b": 1}}'
    assert [jsontext.line(text, path) for path in (("a",), ("a", "b"), ("a", "b", "c"))] == [
        2,
        3,
        3,
    ]
    assert jsontext.line(text, ("x",)) == 1


def test_where_the_last_object_on_the_way_is() -> None:
    assert jsontext.hollow(" \n", PATH) is None
    assert jsontext.hollow('{"mcpServers": {"x": 1}}', PATH) is None
    assert jsontext.hollow('{"mcpServers": { }}', PATH) == (1, "{ }")
    for text in ("", '{"mcpServers": 3}', "{}"):
        assert jsontext.take(text, PATH) == text


def test_where_a_key_is_given_twice_the_last_counts() -> None:
    text = '{"mcpServers": {}, "mcpServers": {"x": 1}}'
    assert json.loads(jsontext.put(text, PATH, 2)) == {"mcpServers": {"x": 1, "mind": 2}}


# --- TOML ---------------------------------------------------------------------------------

lines = st.sampled_from(
    [
        "a = 1",
        "b.c = [\n 1, # [x]\n]",
        's = """\n[mcp_servers.mind]\n"""',
        "# comment",
        "",
        "[t]",
        "[t.u]",
        "[mcp_servers.other]",
        '["mcp_servers".x]',
        "[[array]]",
    ]
)


@given(st.lists(lines, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_tables_survive_put_and_take(chosen: list[str], newline: str, is_ended: bool) -> None:
    text = "\n".join(chosen).replace("\n", newline) + (newline if chosen and is_ended else "")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    path = CODEX.path
    put = tomltext.put(text, path, {"command": "mind"})
    data.setdefault("mcp_servers", {})["mind"] = {"command": "mind"}
    assert tomllib.loads(put) == data
    assert tomltext.take(put, path) == text


def test_tables_of_the_entry_go_with_it_and_comments_of_others_stay() -> None:
    text = (
        'a = 1\n\n[mcp_servers.mind]\ncommand = "x"\n\n[mcp_servers.mind.env]\nA = "1"\n'
        "\n# about z\n[z]\nb = 1\n"
    )
    assert tomltext.take(text, CODEX.path) == "a = 1\n\n# about z\n[z]\nb = 1\n"
    assert tomltext.take('[mcp_servers]\nmind = {command = "x"}\n', CODEX.path) == "[mcp_servers]\n"


def test_arguments_that_are_missing_are_added_to_their_table() -> None:
    text = '[mcp_servers.mind]\n  command = "/old/mind" # mine\n[z]\n'
    after = registering.repoint(CODEX, text, START)
    assert after == '[mcp_servers.mind]\nargs = ["mcp"]\n  command = "mind" # mine\n[z]\n'


def test_an_entry_in_another_form_is_an_error_and_not_a_guess() -> None:
    text = 'mcp_servers = {mind = {command = "/old/mind", args = ["mcp"]}}\n'
    with pytest.raises(FileError, match="no heading of its own"):
        registering.repoint(CODEX, text, START)
    with pytest.raises(FileError, match="without changing something else"):
        registering.register(CODEX, 'mcp_servers = {x = {command = "y"}}\n', START)
    with pytest.raises(FileError, match="without changing something else"):
        registering.unregister(CODEX, 'mcp_servers = {mind = {}, x = {command = "y"}}\n')
    text = 'mcp_servers.mind = {command = "/old/mind"}\n'
    with pytest.raises(FileError, match="without changing something else") as caught:
        registering.repoint(CODEX, text, START)
    assert "--print" in caught.value.remedy


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = ", 2), ("a = 1\nb c\nd = 1\n", 2)])
def test_the_line_of_broken_toml_is_told(text: str, line: int) -> None:
    with pytest.raises(FileError, match="not TOML") as caught:
        tomltext.load(text)
    assert caught.value.data["line"] == line


# --- YAML ---------------------------------------------------------------------------------


def test_what_to_paste_into_yaml_is_yaml() -> None:
    for word in ("C:\\Program Files\\mind.exe", "yes", "é: #", "12", ""):
        pasted = yaml.safe_load(registering.snippet(GOOSE, [word, "mcp"]))
        assert pasted["extensions"]["mind"] == registering.entry(GOOSE, [word, "mcp"])


# --- the command --------------------------------------------------------------------------


def test_the_installed_command_is_named_as_short_as_it_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mind"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    root = Path("/nowhere")
    assert commands.command(root) == ["mind", "mcp"]
    assert commands.command(root, here=True) == [str(program), "mcp"]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.syspath_prepend(str(packages(tmp_path / "lib", "")))
    assert commands.command(root) == [str(program), "mcp"]
    program.unlink()
    assert commands.command(root) == [str(tmp_path / "python"), "-P", "-m", "mind", "mcp"]


def packages(folder: Path, record: str) -> Path:
    """Where pip installed Mind, with its list of the package's files."""
    about = folder / "mind_lens-0.1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mind-lens\nVersion: 0.1.0\n", "utf-8"
    )
    (about / "RECORD").write_text(record, encoding="utf-8")
    return folder


def test_programs_are_named_where_pip_put_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As after `pip install --user`, if PATH lacks the folder."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("mind", "mind-hook"):
        (folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", str(tmp_path / "usr" / "python"))
    record = "../../bin/mind,,\n../../bin/mind-hook,,\nmind/mind.py,,\n"
    monkeypatch.syspath_prepend(str(packages(tmp_path / "lib" / "packages", record)))
    root = Path("/nowhere")
    assert commands.command(root) == [str(folder / "mind"), "mcp"]
    assert claude_hooks.program(root) == str(folder / "mind-hook")
    assert claude_hooks.own(str(folder / "mind-hook"), root) == str(folder / "mind-hook")


@pytest.mark.parametrize(
    ("known", "own"),
    [
        (["/old/mind", "mcp"], ["mcp"]),
        (["mind", "--project", "/x", "mcp", "--toolsets", "all"],
         ["--project", "/x", "mcp", "--toolsets", "all"]),
        (["/old/python", "-P", "-m", "mind", "-g", "mcp"], ["-g", "mcp"]),
        (["/old/uvx", "mind-lens", "mcp"], ["mcp"]),
        (["/old/mind"], ["mcp"]),
    ],
)  # fmt: skip
def test_own_options_are_kept_when_the_program_moves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, known: list[str], own: list[str]
) -> None:
    program = tmp_path / "mind"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    root = Path("/nowhere")
    assert commands.repointed(known, root) == ["mind", *own]
    assert commands.repointed(known, root, here=True) == [str(program), *own]


def test_what_only_this_machine_lacks_is_not_gone_for_a_team(tmp_path: Path) -> None:
    for here in (True, False):
        assert commands.is_gone(["/nothing/here", "mcp"], tmp_path, here=here)
        assert commands.is_gone(["C:\\nothing\\mind.exe", "mcp"], tmp_path, here=here)
        assert commands.is_gone(["python3.99", "-m", "mind", "mcp"], tmp_path, here=here) == here
        assert not commands.is_gone(["some-launcher", "mind-lens", "mcp"], tmp_path, here=here)
    (tmp_path / "start").write_text("", encoding="utf-8")
    (tmp_path / "start").chmod(0o755)
    assert not commands.is_gone(["./start", "mcp"], tmp_path, here=False)


# --- places -------------------------------------------------------------------------------

LINUX = Machine("linux", {}, "/home/u")
MAC = Machine("darwin", {"APPDATA": "no"}, "/Users/u")
ROO = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"
WINDOWS = Machine("win32", {"APPDATA": "D:\\Roaming", "XDG_CONFIG_HOME": "no"}, "C:\\Users\\u")


@pytest.mark.parametrize(
    ("name", "linux", "mac", "windows"),
    [
        ("claude-code", ".claude.json", ".claude.json", ".claude.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "D:/Roaming/Claude/claude_desktop_config.json",
        ),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
        ),
        (
            "zed",
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "D:/Roaming/Zed/settings.json",
        ),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "D:/Roaming/Code/User/mcp.json",
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"),
        (
            "goose",
            ".config/goose/config.yaml",
            ".config/goose/config.yaml",
            "D:/Roaming/Block/goose/config/config.yaml",
        ),
        (
            "roo",
            f".config/{ROO}",
            f"Library/Application Support/{ROO}",
            f"D:/Roaming/{ROO}",
        ),
    ],
)
def test_the_users_file_on_each_platform(name: str, linux: str, mac: str, windows: str) -> None:
    one = client(name)
    found = [
        machine.path(one.user_files(machine.platform)[-1]) for machine in (LINUX, MAC, WINDOWS)
    ]
    assert found == [
        PurePosixPath("/home/u", linux),
        PurePosixPath("/Users/u", mac),
        PureWindowsPath("C:/Users/u", windows),
    ]


def test_the_environment_moves_places() -> None:
    moved = Machine("linux", {"XDG_CONFIG_HOME": "/c", "CODEX_HOME": "/d"}, "/home/u")
    assert str(moved.path(ZED.user[0])) == "/c/zed/settings.json"
    assert str(moved.path(CODEX.user[0])) == "/d/config.toml"
    bare = Machine("win32", {}, "C:\\Users\\u")
    assert str(bare.path(client("vscode").user[0])) == (
        "C:\\Users\\u\\AppData\\Roaming\\Code\\User\\mcp.json"
    )


# --- where the block is read --------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "there", "wanted"),
    [
        (["cursor"], [], [".cursor/rules/mind.mdc"]),
        (["cursor"], ["AGENTS.md"], ["AGENTS.md"]),
        (["cursor", "codex"], [], ["AGENTS.md", "AGENTS.md"]),
        (["claude-code", "codex"], [], ["AGENTS.md", "AGENTS.md"]),
        (["claude-code", "codex"], ["CLAUDE.md"], ["CLAUDE.md", "AGENTS.md"]),
        (["claude-code"], [], ["CLAUDE.md"]),
        (["claude-code"], ["AGENTS.md"], ["AGENTS.md"]),
        (["zed"], ["AGENTS.md", ".github/copilot-instructions.md"],
         [".github/copilot-instructions.md"]),
        (["zed"], ["CLAUDE.md"], ["CLAUDE.md"]),
        (["zed"], [], ["AGENTS.md"]),
        (["opencode", "amp"], ["CLAUDE.md"], ["CLAUDE.md", "CLAUDE.md"]),
        (["gemini-cli"], ["AGENTS.md"], ["GEMINI.md"]),
        (["cline"], [".clinerules"], [".clinerules"]),
        (["vscode"], [], [".github/instructions/mind.instructions.md"]),
        (["claude-desktop"], [], []),
    ],
)  # fmt: skip
def test_the_file_that_each_client_reads(
    names: list[str], there: list[str], wanted: list[str]
) -> None:
    assert list(reading.targets(names, there.__contains__).values()) == wanted


def test_rule_files_say_that_they_always_apply() -> None:
    for one in CLIENTS:
        own = reading.own_file(one.name)
        assert own is None or reading.front(own) or own.startswith((".clinerules/", ".roo/"))
    assert reading.front(".cursor/rules/mind.mdc") == "---\nalwaysApply: true\n---\n"
    assert reading.front("docs/x.mdc") == "---\nalwaysApply: true\n---\n"
    assert reading.front("AGENTS.md") == ""


# --- the record ---------------------------------------------------------------------------


def test_a_damaged_record_holds_what_can_be_read(home: Path) -> None:
    path = home / ".mind" / "clients.json"
    assert record.rows() == []
    path.parent.mkdir()
    for text in ("{", "[]", '{"registrations": 3}', '{"registrations": [3, {"client": 1}]}'):
        path.write_text(text, encoding="utf-8")
        assert record.rows() == []
    path.write_text(
        '{"registrations": [{"client": "codex", "file": "/x", "was": [1, 2], "projects": 3}]}',
        encoding="utf-8",
    )
    assert record.rows() == [record.RegistrationRow(client="codex", file=Path("/x"), projects=())]


def test_the_record_keeps_the_first_state_and_is_gone_with_its_last_row(home: Path) -> None:
    first = record.RegistrationRow(
        client="codex", file=Path("/x"), projects=(Path("/a"),), was=(0, "{}"), created=True
    )
    record.add([first])
    record.add([record.RegistrationRow(client="codex", file=Path("/x"), projects=(Path("/b"),))])
    (row,) = record.rows()
    assert (row.was, row.created, row.projects) == ((0, "{}"), True, (Path("/a"), Path("/b")))
    record.drop([], Path("/a"))
    assert record.rows()[0].projects == (Path("/b"),)
    record.drop([("codex", Path("/x"))])
    assert not (home / ".mind" / "clients.json").exists()
