"""`mind mcp --remote`: a real stdio server that forwards to a real service."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mind.domain.errors import InputError
from mind.memory.memory import Memory
from mind.server.mcp.remote import RemoteService
from mind.storage import tokens
from tests.http_service import NOW, Running, at_home, project_at, serving


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, str]]:
    folder = tmp_path_factory.mktemp("remote")
    home = folder / "home"
    with at_home(home):
        project_at(folder / "one", ("decision", "SQLite over Postgres because it is one file"))
        project_at(folder / "two", ("rejected", "polling the queue - it wakes the disk"))
        secret, _ = tokens.add("laptop", "write", NOW)
    with serving(home, "--all") as running:
        yield running, secret


def _no_memory() -> Memory:
    raise AssertionError("no file is read")


def _session(
    address: str, token: str, *calls: tuple[str, dict[str, object]], at: Path
) -> tuple[list[Any], str]:
    """Results of the handshake, the list and of calls, and what was written to standard error."""
    hello: dict[str, object] = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    asked: list[tuple[str, dict[str, object]]] = [("initialize", hello), ("tools/list", {})]
    asked += [("tools/call", {"name": name, "arguments": given}) for name, given in calls]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    lines.insert(1, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_TOKEN", token)
        done = subprocess.run(
            [sys.executable, "-m", "mind", "mcp", "--remote", address, "--token-env", "MY_TOKEN"],
            input="\n".join(lines) + "\n",
            cwd=at,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    answers = {
        one["id"]: one.get("result", one) for one in map(json.loads, done.stdout.splitlines())
    }
    return [answers[number] for number in range(len(asked)) if number in answers], done.stderr


def test_tools_work_on_the_memory_elsewhere(site: tuple[Running, str], tmp_path: Path) -> None:
    running, secret = site
    address = f"http://127.0.0.1:{running.port}/?project=one"
    results, errors = _session(
        address,
        secret,
        ("mind_search", {"query": "sqlite"}),
        ("mind_log", {"message": "uv over pip - faster", "type": "decision"}),
        ("mind_nonsense", {}),
        ("mind_search", {}),
        at=tmp_path,
    )
    assert "unknown tool" in results.pop(4)["error"]["message"]
    # what is asked at once is answered in any order: this is asked when that is done
    found, _ = _session(address, secret, ("mind_search", {"query": "uv pip"}), at=tmp_path)
    results += found[2:]
    texts = [one["content"][0]["text"] for one in results[2:]]
    assert "SQLite over Postgres" in texts[0]
    assert "Recorded" in texts[1]
    assert "needs 'query'" in texts[2]
    assert "uv over pip" in texts[3]
    assert [one["isError"] for one in results[2:]] == [False, False, True, False]
    assert secret not in errors + json.dumps(results)
    assert not (tmp_path / ".mind").exists()


def test_code_is_checked_here_and_the_intent_there(
    site: tuple[Running, str], tmp_path: Path
) -> None:
    running, secret = site
    (tmp_path / "requirements.txt").write_text("fastapi\nrequests\n", encoding="utf-8")
    results, _ = _session(
        f"http://127.0.0.1:{running.port}/mcp?project=two",
        secret,
        (
            "mind_edges",
            {
                "intent": "polling the queue again",
                "code": "def f(items=[]):\n    items.append(1)\n    return items\n",
                "stack": ["python"],
            },
        ),
        at=tmp_path,
    )
    text = results[2]["content"][0]["text"]
    assert "it wakes the disk" in text
    assert "In the code, checked here" in text
    assert "items=[]" not in running.log.read_text(encoding="utf-8")


def test_several_projects_have_to_be_told_apart(site: tuple[Running, str], tmp_path: Path) -> None:
    running, secret = site
    results, _ = _session(
        f"http://127.0.0.1:{running.port}", secret, ("mind_status", {}), at=tmp_path
    )
    assert results[2]["isError"]
    assert "2 projects" in results[2]["content"][0]["text"]


@pytest.mark.parametrize("port", ["1", "99"])
def test_a_service_that_is_not_there_is_told_at_each_call(tmp_path: Path, port: str) -> None:
    results, errors = _session(
        f"http://127.0.0.1:{port}", "mind_x", ("mind_status", {}), at=tmp_path
    )
    assert len(results[1]["tools"]) == 13
    assert results[2]["isError"]
    assert "cannot be reached" in results[2]["content"][0]["text"]
    assert "mind serve" in results[2]["content"][0]["text"]
    assert "mind_x" not in errors


def test_a_token_that_opens_nothing_is_told(site: tuple[Running, str], tmp_path: Path) -> None:
    running, _ = site
    results, _ = _session(
        f"http://127.0.0.1:{running.port}", tokens.new_secret(), ("mind_status", {}), at=tmp_path
    )
    assert "the token is not valid" in results[2]["content"][0]["text"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "not a service address"),
        ("mind.example.org", "not a service address"),
        ("ftp://mind.example.org", "not a service address"),
        ("https://user@mind.example.org", "not a service address"),
        ("https://mind.example.org:port", "not a service address"),
        ("http://mind.example.org", "in clear"),
    ],
)
def test_an_address_that_cannot_be_used_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    monkeypatch.setenv("T", "mind_x")
    with pytest.raises(InputError, match=said):
        RemoteService(address, "T", _no_memory)


@pytest.mark.parametrize("value", ["", "  ", "a\nb", "clé"])
def test_a_variable_without_a_token_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("T", value)
    with pytest.raises(InputError, match="token"):
        RemoteService("https://mind.example.org", "T", _no_memory)
