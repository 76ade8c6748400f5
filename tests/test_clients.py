import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.clients import claude_code, jsontext
from mind.errors import FileError

PATH = ("mcpServers", "mind")
keys = st.text(min_size=1, max_size=5).filter(lambda key: key != "mind")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def test_registering_in_an_empty_file_makes_a_whole_one() -> None:
    text = claude_code.register("")
    assert json.loads(text)["mcpServers"]["mind"]["type"] == "stdio"
    assert claude_code.unregister(text) == ""


def test_registering_twice_changes_nothing() -> None:
    once = claude_code.register("")
    assert claude_code.register(once) == once


def test_a_command_that_the_user_chose_is_left_alone() -> None:
    text = '{"mcpServers": {"mind": {"command": "uvx", "args": ["mind-lens", "mcp"]}}}'
    assert claude_code.register(text) == text
    assert claude_code.registered(text) == ["uvx", "mind-lens", "mcp"]


@pytest.mark.parametrize(
    "text",
    ["", '{"mcpServers": {"mind": 3}}', '{"mcpServers": {"mind": {"command": "a", "args": 3}}}'],
)
def test_no_usable_registration_is_none(text: str) -> None:
    assert claude_code.registered(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '{\n\t"mcpServers": {\n\t\t"x": {"command": "y"}\n\t},\n\t"z": 1\n}\n',
        '{"mcpServers":{"x":{}},"a":[1,2]}',
        '{\r\n  "a": 1\r\n}\r\n',
        '\ufeff{"a": "\\u00e9", "b": {"c": [{}]}}',
        '{"mcpServers": {"a": {}, "b": {}}}   \n',
    ],
)
def test_taking_out_what_was_put_in_restores_every_byte(text: str) -> None:
    put = claude_code.register(text)
    assert put != text
    assert json.loads(put.removeprefix("\ufeff"))["mcpServers"]["mind"]
    assert claude_code.unregister(put) == text


@given(st.dictionaries(keys, values, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_object_survives_put_and_take(
    data: dict[str, object], indent: int | str | None
) -> None:
    data.pop("mcpServers", None)
    text = json.dumps(data, indent=indent)
    put = jsontext.put(text, PATH, {"command": "mind"})
    assert json.loads(put) == data | {"mcpServers": {"mind": {"command": "mind"}}}
    assert json.loads(jsontext.take(put, PATH)) == data


def test_a_value_is_replaced_in_place() -> None:
    text = '{"a": {"b": 1, "c": 2}}'
    assert jsontext.put(text, ("a", "b"), [3]).replace("\n", "").replace(" ", "") == (
        '{"a":{"b":[3],"c":2}}'
    )


def test_the_first_and_a_missing_member_can_be_taken() -> None:
    assert jsontext.take('{"a": 1, "b": 2}', ("a",)) == '{"b": 2}'
    assert jsontext.take('{"a": 1}', ("b",)) == '{"a": 1}'
    assert jsontext.take('{"a": 1}', ("a",)) == "{}"


@pytest.mark.parametrize("text", ["[]", "{", "nonsense", '{"mcpServers": 3}'])
def test_what_is_no_object_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(FileError, match="add the entry by hand"):
        jsontext.put(text, PATH, {})


def test_what_is_given_twice_is_told_from_what_is_not_there() -> None:
    assert jsontext.value_at('{"a": {"b": 1}}', ("a", "b")) == 1
    assert jsontext.value_at('{"a": 3}', ("a", "b")) is None


def test_the_installed_command_is_named_as_short_as_it_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mind"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert claude_code.command() == ["mind", "mcp"]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert claude_code.command() == [str(program), "mcp"]
    program.unlink()
    assert claude_code.command() == [str(tmp_path / "python"), "-P", "-m", "mind", "mcp"]


def test_what_is_not_there_cannot_be_taken_and_no_path_changes_nothing() -> None:
    assert jsontext.take('{"a": {"b": 1}}', ("a", "c")) == '{"a": {"b": 1}}'
    assert jsontext.put('{"a": 1}', (), 2) == '{"a": 1}'
