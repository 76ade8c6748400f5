"""Hooks in the settings of Claude Code: put in and taken out, with every other byte left."""

import json
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mind.cli.app import execute
from mind.documents import jsontext
from mind.domain.errors import FileError
from mind.setup import install
from mind.setup.clients import claude_hooks
from mind.setup.clients.claude_hooks import EVENTS, add, present, remove
from mind.storage.project import Project
from tests.effort import tries
from tests.test_doctor import look, seen

COMMENTED = """\
// what everybody here uses
{
    "model": "opus", // the large one
    "hooks": {
        /* ours */
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}, // keep
        ],
        "Stop": [
            // nothing yet
        ]
    },
    "permissions": {"allow": ["Bash(ls:*)"]},
}
"""
TEXTS = [
    "",
    "{}\n",
    '{"a": 1}',
    '{\r\n\t"a": 1,\r\n\t"b": []\r\n}\r\n',
    '\ufeff{\n  "a": {}\n}\n',
    '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  },\n  "z": 1\n}\n',
    '{"a": "// no comment", "b": "mind-hook is not here"}\n',
    COMMENTED,
]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("text", TEXTS)
def test_hooks_are_added_once_and_taken_out_again(text: str, shared: bool) -> None:
    added = add(text, "mind-hook", shared=shared)
    assert present(added)
    assert add(added, "mind-hook", shared=shared) == added
    loaded = jsontext.load(added)
    assert set(loaded["hooks"]) >= set(EVENTS)  # type: ignore[call-overload] # an object
    left = remove(added)
    assert not present(left)
    assert "mind-hook" not in left.replace("mind-hook is not here", "")
    without = jsontext.load(text)
    emptied = {key: value for key, value in without.items() if key != "hooks"}
    assert {k: v for k, v in jsontext.load(left).items() if k != "hooks"} == emptied
    assert remove(left) == left


@pytest.mark.parametrize("text", [one for one in TEXTS if one != "{}\n"])
def test_what_is_left_is_what_was_there(text: str) -> None:
    left = remove(add(text, "mind-hook", shared=True))
    assert left == text


def test_comments_and_order_stay() -> None:
    added = add(COMMENTED, "mind-hook", shared=True)
    at = [
        added.index(one) for one in ("// what", "// the large", "/* ours */", "// keep", "// noth")
    ]
    assert at == sorted(at)
    assert '"command": "lint"}]}, // keep' in added


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // mine\n  "hooks": {}\n}\n',
        '{\n  // mine\n  "hooks": {}}\n',
        '{"hooks": {"Stop": [] /* mine */, "Zed": []}}\n',
        '{"hooks": {"Stop": [] /* mine */,}}\n',
        '{"hooks": /* mine */ {}}\n',
        '{"hooks":\n  // mine\n  {"Stop": []}, "a": 1}\n',
    ],
)
def test_a_comment_anywhere_near_stays_and_comments_out_nothing(text: str) -> None:
    left = remove(add(text, "mind-hook", shared=True))
    assert "mine" in left
    assert not present(left)
    assert add(left, "mind-hook", shared=True)


@pytest.mark.parametrize("opened", ["/*", "/* ", '"\\\\'])
def test_comments_and_strings_without_an_end_are_an_error_at_once(opened: str) -> None:
    began = time.process_time()
    with pytest.raises(FileError, match="not a JSON object"):
        jsontext.load('{"a": 1} ' + opened * 50_000)
    assert time.process_time() - began < 5


def test_what_the_user_put_beside_the_hooks_stays() -> None:
    text = """\
{
  "hooks": {
    "Stop": [
      {"hooks": [
        {"type": "command", "command": "/opt/mind-hook"}, // ours
        {"type": "command", "command": "theirs"}
      ]}
    ],
    "SessionEnd": [
      {"hooks": [{"type": "command", "command": "mind-hook"}]}, {"hooks": []},
    ],
    "PreCompact": [{"hooks": [{"command": "x"}]}, {"hooks": [{"command": "mind-hook"}]},]
  }
}
"""
    left = remove(text)
    assert jsontext.load(left)["hooks"] == {
        "Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}],
        "SessionEnd": [{"hooks": []}],
        "PreCompact": [{"hooks": [{"command": "x"}]}],
    }
    assert "// ours" in left


def test_the_program_is_named_as_short_as_it_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    root = Path("/nowhere")
    assert Path(claude_hooks.program(root)).parent == Path(sys.executable).parent
    (tmp_path / "mind-hook").touch(mode=0o755)
    assert claude_hooks.program(root) == "mind-hook"


def test_another_place_of_the_program_replaces_the_old_one() -> None:
    old = add("", "/old/bin/mind-hook", shared=False)
    changed = json.loads(old)
    changed["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 3
    new = json.loads(add(json.dumps(changed, indent=2), "/new/bin/mind-hook", shared=False))
    assert new["hooks"]["Stop"][0]["hooks"] == [
        {"type": "command", "command": "/new/bin/mind-hook", "args": [], "timeout": 3}
    ]
    assert "/old/" not in json.dumps(new)


def test_a_shared_file_says_nothing_to_who_has_no_mind(tmp_path: Path) -> None:
    import subprocess

    text = add("", "/no such place/mind-hook", shared=True)
    command = json.loads(text)["hooks"]["Stop"][0]["hooks"][0]["command"]
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "[" * 9999]
)
def test_settings_of_another_form_are_an_error_with_a_remedy(text: str) -> None:
    with pytest.raises(FileError, match="Correct the file"):
        add(text, "mind-hook", shared=True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": st.text()}))})
)


@settings(deadline=None, max_examples=tries(10, 60))
@given(
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), JSON),
    st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), GROUPS.filter(bool), min_size=1),
    st.sampled_from([None, 2, "\t"]),
    st.booleans(),
)
def test_adding_and_removing_leaves_every_byte(
    other: dict[str, object], hooks: dict[str, object], indent: int | str | None, last: bool
) -> None:
    whole = {**other, "hooks": hooks} if last else {"hooks": hooks, **other}
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    added = add(text, "mind-hook", shared=False)
    loaded = json.loads(added)
    assert {key: loaded[key] for key in other} == other
    for event, groups in hooks.items():
        assert isinstance(groups, list)
        assert loaded["hooks"][event][: len(groups)] == groups
    assert remove(added) == text


# --- in a project -------------------------------------------------------------------------------


@pytest.mark.parametrize(("private", "name"), [(False, "settings"), (True, "settings.local")])
def test_init_hooks_and_uninstall(repository: Path, private: bool, name: str) -> None:
    path = repository / ".claude" / f"{name}.json"
    install.apply(install.plan(repository, private=private, hooks=True))
    assert present(path.read_text("utf-8"))
    assert install.plan(repository, private=private, hooks=True).changes == ()
    install.apply(install.plan_removal(repository))
    assert not (repository / ".claude").exists()


@pytest.mark.parametrize(
    ("settings", "expected"),  # the user's, the project's, the project's of this machine
    [
        (({}, {}, {}), ""),
        (({"mind@mind": True}, {}, {}), "mind@mind"),
        (({"mind@mind": True}, {"mind@mind": False}, {}), ""),
        (({"mind@mind": True}, {"mind@mind": False}, {"mind@mind": True}), "mind@mind"),
        (({}, {"mind@team": True}, {}), "mind@team"),
        (({"mindful@mind": True}, {}, {}), ""),
    ],
)
def test_the_nearest_settings_say_whether_the_plugin_is_enabled(
    repository: Path, home: Path, settings: tuple[object, ...], expected: str
) -> None:
    paths = (
        home / ".claude/settings.json",
        repository / ".claude/settings.json",
        repository / ".claude/settings.local.json",
    )
    for path, value in zip(paths, settings, strict=True):
        path.parent.mkdir(exist_ok=True)
        text = f'{{"enabledPlugins": {json.dumps(value)}, // ours\n}}'
        path.write_text(text, encoding="utf-8")
    assert claude_hooks.enabled(repository) == expected
    install.apply(install.plan(repository, hooks=True))
    assert (repository / ".mcp.json").exists() is not bool(expected)
    assert present((repository / ".claude/settings.json").read_text("utf-8")) is not bool(expected)


def test_init_says_that_the_plugin_brings_the_rest(
    repository: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".claude").mkdir()
    settings = {"enabledPlugins": {"mind@team": True}}
    (home / ".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    assert execute(["init", str(repository), "--hooks"], lambda _: None) == 0
    assert "plugin mind@team provides the server and the hooks" in capsys.readouterr().out


def test_doctor_knows_the_plugin(project: Project, home: Path) -> None:
    (home / ".claude").mkdir()
    settings = {"enabledPlugins": {"mind@mind": True}}
    (home / ".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")

    assert seen(look(project, "hooks")) == ("fine", "provided by the plugin mind@mind")
    registered = project.root / ".mcp.json"
    entry = {"command": str(Path(sys.executable)), "args": ["-m", "mind", "mcp"]}
    registered.write_text(json.dumps({"mcpServers": {"mind": entry}}), encoding="utf-8")
    assert "every tool twice" in look(project, "MCP registration").detail
    registered.unlink()
    plugin = "provided by the Claude Code plugin mind@mind"
    assert seen(look(project, "MCP registration")) == ("fine", plugin)


def test_settings_that_cannot_be_read_say_nothing(repository: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("[", encoding="utf-8")
    assert claude_hooks.enabled(repository) == ""
