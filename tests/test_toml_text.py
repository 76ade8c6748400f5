"""TOML is cut into statements by its strings and brackets, in time that follows its length."""

import tomllib
from typing import Any

import pytest

from mind.documents import tomltext

PATH = ("mcp_servers", "mind")
STRINGS = [
    r's = """a " b "" c \""" d \\"""',
    's = """\n# [x]\n"quoted""""',
    's = """""" # [x',
    "s = '''\n[mcp_servers.mind]\n\\'''",
    "s = '''it''s'''''",
    r'"a]b" = "x # \" [y"',
    "'k{' = 'C:\\'",
    'l = [\n  [1, 2], # ]\n  { a = "x]" },\n  """\n]\n""",\n]',
    "i = { a.b = 1, c = [] }",
    "d = 1979-05-27T07:32:00Z",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("one", STRINGS)
def test_what_is_in_strings_and_brackets_divides_nothing(one: str, newline: str) -> None:
    for text in (f"{one}\n", one, f"{one}\n[mcp_servers.other]\n{one}\n# end"):
        whole = text.replace("\n", newline)
        data = tomllib.loads(whole)
        put = tomltext.put(whole, PATH, {"command": "mind"})
        data.setdefault("mcp_servers", {})["mind"] = {"command": "mind"}
        assert tomllib.loads(put) == data
        assert tomltext.take(put, PATH) == whole
        assert put.splitlines()[tomltext.line(put, PATH) - 1] == "[mcp_servers.mind]"


@pytest.mark.parametrize(
    "text",
    [
        's = """\n' + "a line\n" * 2_000 + '"""\n',
        "l = [\n" + '  "x",\n' * 2_000 + "]\n",
        "s = '''\n" + "''[x]\n" * 2_000 + "'''\n",
    ],
    ids=["string", "list", "literal"],
)
def test_a_long_value_is_read_few_times(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    loads = tomllib.loads

    def counted(piece: str) -> dict[str, Any]:
        nonlocal read
        read += len(piece)
        return loads(piece)

    monkeypatch.setattr(tomllib, "loads", counted)
    assert tomltext.take(tomltext.put(text, PATH, {"a": 1}), PATH) == text
    assert read < 6 * len(text)
