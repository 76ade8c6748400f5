"""What a token that is limited to one project learns of another: nothing, by any route or tool."""

import itertools
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mind.memory.memory import Memory
from mind.server.mcp.tool import Tool
from mind.server.mcp.tools import TOOLSETS
from mind.storage import tokens
from tests.http_service import (
    NOW,
    OPERATIONS,
    Answer,
    Operation,
    Running,
    at_home,
    project_at,
    serving,
)

OWN, OTHER = "aardvark", "walrusworks"
HIDDEN = (OTHER, "quokka", "numbat", "axolotl", "wombat", "pangolin", "kestrel", "capybara")
"""The name of the other project, and a word of each thing that it has."""
IDS = ("id", "ids", "anchor", "identifier", "entry_id", "entry", "reminder_id", "keep", "merge")
TIMES = ("when", "text", "date", "reference")
ACCEPT = {"Accept": "application/json, text/event-stream"}


@dataclass(frozen=True)
class Site:
    """A service, and tokens: for one project, and for all."""

    running: Running
    limited: str
    whole: str
    id: str


@pytest.fixture(scope="module", params=["--all", "--project"])
def site(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Site]:
    """Every project is served to a token for one; or one alone is, to a token for all."""
    folder = tmp_path_factory.mktemp("limited")
    home = folder / "home"
    with at_home(home):
        own = project_at(
            folder / OWN,
            ("decision", "SQLite over Postgres - one file #db"),
            ("problem", "the build is slow when the cache is cold #ci"),
            ("decision", "npm over yarn - it is there"),
        )
        memory = Memory.open(own)
        memory.remind("look at SQLite again", "in 3 days")
        memory.forget(memory.search("npm").hits[0].entry.id, "we use pnpm")
        memory.close()
        _other_at(folder / OTHER)
        limited, _ = tokens.add("own", "admin", NOW, projects=[OWN])
        tokens.add("capybara", "read", NOW, projects=[OTHER])
        whole, _ = tokens.add("whole", "admin", NOW)
    every = request.param == "--all"
    options = ("--all",) if every else ("--project", str(own))
    with serving(home, *options, "--toolsets", "all", "--rate", "0") as running:
        there = running.ask("GET", "/api/v1/projects", token=whole).json["projects"]
        ids = {one["name"]: one["id"] for one in there}
        yield Site(running, limited if every else whole, whole, ids.get(OTHER, ""))


def _other_at(root: Path) -> None:
    project_at(
        root,
        ("decision", "quokka over RabbitMQ - fewer parts #numbat"),
        ("problem", "SQLite is slow for the axolotl when the cache is cold"),
        ("rejected", "Postgres for the kestrel - too many parts"),
    )
    memory = Memory.open(root)
    memory.remind("feed the wombat", "next session")
    memory.relate("pangolin", "depends-on", "SQLite")
    memory.close()


def _told(answer: Answer) -> list[str]:
    """The hidden words in an answer."""
    whole = (answer.body.decode("utf-8", "replace") + str(dict(answer.headers))).casefold()
    return [word for word in HIDDEN if word in whole]


def _values(schema: Mapping[str, Any], name: str, known: str) -> list[Any]:
    """What a parameter is tried with: each that it can be where those are few."""
    if "enum" in schema:
        return list(schema["enum"])
    if schema["type"] == "boolean":
        return [True, False]
    if schema["type"] == "array":
        return [[one] for one in _values(schema["items"], name, known)[:1]]
    if schema["type"] == "integer":
        return [schema.get("default", 1)]
    if name in IDS:
        return [known]
    return ["next monday" if name in TIMES else f"SQLite {name}"]


def _tries(shapes: Mapping[str, Mapping[str, Any]], known: str) -> Iterator[dict[str, Any]]:
    """Every combination of what is counted out; the rest has one value."""
    shapes = {name: shape.get("anyOf", [shape])[0] for name, shape in shapes.items()}
    values = [_values(shape, name, known) for name, shape in shapes.items()]
    for chosen in itertools.islice(itertools.product(*values), 64):
        yield dict(zip(shapes, chosen, strict=True))


def _asked(site: Site, one: Operation, known: str, more: str = "") -> Iterator[Answer]:
    """The answers to an operation with everything that it takes, and with only what it needs."""
    for bare in (True, False):
        shapes = {
            name: schema
            for name, schema in one.schemas.items()
            if name != "project" and one.at[name] != "header" and (name in one.required or not bare)
        }
        for given in _tries(shapes, known):
            sent = {
                where: {name: value for name, value in given.items() if one.at[name] == where}
                for where in ("path", "query", "body")
            }
            query = [
                f"{name}={quote(str(value[0] if isinstance(value, list) else value).lower())}"
                for name, value in sent["query"].items()
                if value != []
            ] + ([more] if more else [])
            yield site.running.ask(
                one.method,
                one.path.format_map(sent["path"]) + ("?" + "&".join(query) if query else ""),
                sent["body"] if "body" in one.at.values() else None,
                token=site.limited,
            )


def _known(site: Site, wanted: str) -> str:
    """An id for the operation or tool of this name."""
    path, name = {
        "restore": ("archive", "archived"),
        "reminder_done": ("reminders", "reminders"),
    }.get(wanted.removeprefix("mind_"), ("recent", "entries"))
    found = site.running.ask("GET", f"/api/v1/{path}?project={OWN}", token=site.limited)
    return str(found.json[name][0]["id"]) if found.json[name] else "nothing"


@pytest.mark.parametrize(
    "one",
    [one for one in OPERATIONS if one.name not in ("revoke", "events")],
    ids=lambda one: one.name,
)
def test_no_operation_tells_of_another_project(site: Site, one: Operation) -> None:
    if one.name == "tokens" and site.limited == site.whole:
        pytest.skip("a token for all may list all tokens")
    for answer in _asked(site, one, _known(site, one.name)):
        assert _told(answer) == []
        assert answer.status < 500


@pytest.mark.parametrize(
    "one", [one for one in OPERATIONS if "project" in one.at], ids=lambda one: one.name
)
def test_another_project_is_to_no_operation_one_that_is_there(site: Site, one: Operation) -> None:
    """Asked for by its name or id it is answered like one that nobody has."""
    for named in filter(None, (OTHER, site.id)):
        got = [
            [(answer.status, answer.body) for answer in _asked(site, one, "x", f"project={name}")]
            for name in (named, "nobody")
        ]
        assert got[0] == got[1]
        assert {status for status, _ in got[0]} <= {404, 400}


def test_nothing_beside_the_operations_tells_of_another_project(site: Site) -> None:
    for path in ("/openapi.json", "/", "/nothing", f"/api/v1/events?project={OTHER}"):
        assert _told(site.running.ask("GET", path, token=site.limited)) == [], path


def _tool(site: Site, tool: str, token: str, given: object, at: str = "/mcp") -> Answer:
    sent = {"name": tool, "arguments": given}
    return _sent(site, "tools/call", sent, token, at)


def _sent(site: Site, method: str, params: object, token: str, at: str = "/mcp") -> Answer:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return site.running.ask("POST", at, body, token=token, headers=ACCEPT)


@pytest.mark.parametrize(
    "tool",
    [one for name, tools in TOOLSETS.items() if name != "files" for one in tools],
    ids=lambda one: one.name,
)
def test_no_tool_tells_of_another_project(site: Site, tool: Tool) -> None:
    known = _known(site, tool.name)
    shapes = (
        {name: tool.properties[name] for name in tool.required},
        {
            name: shape
            for name, shape in tool.properties.items()
            if name in tool.required or "enum" in shape or shape["type"] == "boolean"
        },
        tool.properties,
    )
    for given in itertools.chain.from_iterable(_tries(shape, known) for shape in shapes):
        answer = _tool(site, tool.name, site.limited, given)
        assert answer.status == 200
        assert _told(answer) == [], given
    for named in filter(None, (OTHER, site.id)):
        answer = _tool(site, tool.name, site.limited, given, f"/mcp?project={named}")
        assert answer.json["result"]["isError"]
        assert _told(answer) == []


def test_what_mcp_says_of_itself_names_no_project(site: Site) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    begun = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    lists = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping")
    for method, params in (
        ("initialize", begun),
        *((name, {}) for name in lists),
        *((name, {"_meta": meta}) for name in ("server/discover", *lists)),
        ("resources/read", {"uri": f"file:///{OWN}/.mind/MEMORY.md"}),
        ("completion/complete", {}),
        ("nothing/at-all", {}),
    ):
        assert _told(_sent(site, method, params, site.limited)) == [], method


def test_a_token_for_all_is_told_of_them_where_all_are_served(site: Site) -> None:
    """Were the words in no answer to anybody, the tests above would show nothing."""
    if site.limited == site.whole:
        pytest.skip("one project is served")
    at = f"/mcp?project={OWN}"
    assert OTHER in _told(_tool(site, "mind_scopes", site.whole, {}, at))
    # in words that are not hidden: what was asked of a project is told by its health
    everywhere = {"query": "SQLite RabbitMQ Postgres parts cache", "scope": "all", "limit": 50}
    told = _told(_tool(site, "mind_search", site.whole, everywhere, at))
    assert {OTHER, "quokka", "numbat", "kestrel", "axolotl"} <= set(told)
    assert "capybara" in _told(site.running.ask("GET", "/api/v1/tokens", token=site.whole))
    assert OTHER in _told(site.running.ask("GET", "/api/v1/projects", token=site.whole))
    at = f"/api/v1/reminders?project={OTHER}"
    assert "wombat" in _told(site.running.ask("GET", at, token=site.whole))
    at = f"/api/v1/graph?start=SQLite&project={OTHER}"
    assert "pangolin" in _told(site.running.ask("GET", at, token=site.whole))


def test_a_limited_token_of_the_scope_admin_manages_no_tokens(site: Site) -> None:
    if site.limited == site.whole:
        pytest.skip("that token is not limited")
    for method, path in (("GET", "/api/v1/tokens"), ("DELETE", "/api/v1/tokens/capybara")):
        answer = site.running.ask(method, path, token=site.limited)
        assert answer.status == 403
        assert _told(answer) == []
    there = site.running.ask("GET", "/api/v1/tokens", token=site.whole).json["tokens"]
    assert "capybara" in [one["name"] for one in there]


def test_who_has_no_token_is_not_told_which_memory_cannot_be_opened(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / OTHER, ("decision", "quokka over RabbitMQ - fewer parts"))
    with serving(home, "--project", str(root)) as running:
        assert running.ask("GET", "/readyz", token="").status == 200
        shutil.rmtree(root / ".mind")
        (root / ".mind").write_text("", encoding="utf-8")
        answer = running.ask("GET", "/readyz", token="")
        assert answer.status == 503
        assert answer.json["detail"] == "the memory cannot be opened."
        assert _told(answer) == []
