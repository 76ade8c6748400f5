"""Parts of the service that need no connection to be seen."""

import asyncio
import json
import logging
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect, Request

from mind.domain import errors
from mind.domain.errors import InputError
from mind.memory import overview
from mind.memory.memory import Memory
from mind.server import http
from mind.server.http import access, app, serving
from mind.server.http.access import (
    Access,
    Hosts,
    Rate,
    RateLimits,
    RequestRefused,
    Slots,
    is_loopback,
    limited,
)
from mind.server.http.resources import service
from mind.server.http.routing import check_match, details, etag, matches
from mind.storage.project import Project


def test_a_rate_lets_bursts_pass_and_fills_up_again() -> None:
    now = [0.0]
    rate = Rate(2, 3, lambda: now[0])
    for _ in range(3):
        rate.take("a")
    with pytest.raises(RequestRefused) as refused:
        rate.take("a")
    assert refused.value.headers["Retry-After"] == "1"
    rate.take("b")
    now[0] = 0.5
    rate.take("a")
    with pytest.raises(RequestRefused):
        rate.check("a")


def test_callers_who_are_silent_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_MOST_CALLERS", 2)
    rate = Rate(0.001, 1, lambda: 0.0)
    for caller in "abc":
        rate.take(caller)
    rate.take("a")
    with pytest.raises(RequestRefused):
        rate.take("c")


def test_places_are_given_back() -> None:
    slots = Slots(1, "operations")
    with slots.one(), pytest.raises(RequestRefused, match="1 concurrent operations"), slots.one():
        pass
    with slots.one():
        assert slots.taken == 1


def test_who_leaves_in_the_middle_of_a_body_is_answered_nothing() -> None:
    async def received() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def read() -> bytes:
        return await Request({"type": "http"}, limited(received, RateLimits(), "")).body()

    with pytest.raises(ClientDisconnect):
        asyncio.run(read())


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.NotFound("x"), 404),
        (errors.InputError("x"), 422),
        (errors.DateNotUnderstood("x"), 422),
        (errors.ChangedMeanwhile("x"), 409),
        (errors.LockTimeout("x"), 503),
        (errors.ConfigError("x"), 409),
        (errors.FileError("x"), 500),
        (errors.MindError("x"), 500),
        (RequestRefused(418, "x"), 418),
    ],
)
def test_each_error_has_a_status_and_a_remedy(error: errors.MindError, status: int) -> None:
    told = details(error)
    assert told["status"] == status
    assert told["remedy"] == error.remedy
    assert told["title"]


def test_a_problem_repeats_no_credential_and_no_path_of_the_machine() -> None:
    key = "AKIAIOSFODNN7EXAMPLA"
    told = details(InputError(f"{key} is wrong", path="/home/me", value=f"is {key}"))
    assert key not in json.dumps(told)
    assert "/home/me" not in json.dumps(told)


def test_versions_are_compared_as_the_headers_write_them() -> None:
    tag = etag(b"{}")
    assert matches(tag, tag)
    assert matches(f'"x", W/{tag}', tag)
    assert matches("*", tag)
    assert not matches("", tag)
    check_match("", lambda: pytest.fail("nothing is asked for"))
    check_match(tag, dict)
    with pytest.raises(RequestRefused, match="changed since you read it"):
        check_match('"x"', dict)


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("LocalHost", True),
     ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("mind.example.org", False)],  # noqa: S104 - nothing is bound
)  # fmt: skip
def test_what_only_this_machine_reaches_is_known(host: str, *, alone: bool) -> None:
    assert is_loopback(host) == alone


def test_a_name_that_was_given_is_right_on_loopback_too() -> None:
    hosts = Hosts("127.0.0.1", ["Mind.Example.org."])
    hosts.check("mind.example.org", "https://mind.example.org", "same-origin")
    with pytest.raises(RequestRefused):
        hosts.check("mind.example.org", "https://example.org", "")
    with pytest.raises(RequestRefused):
        hosts.check("other.example.org", "", "")


def test_a_use_that_cannot_be_noted_keeps_nobody_waiting(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.storage import tokens

    now = datetime(2026, 11, 20, tzinfo=UTC)
    secret, _ = tokens.add("ci", "read", now)
    access = Access(lambda: now)
    grant = access.grant(f"Bearer {secret}")
    assert access.is_unnoted(grant)
    assert not access.is_unnoted(grant)

    def full(_name: str, _day: object) -> None:
        raise errors.FileError("the disk is full")

    monkeypatch.setattr(tokens, "note_use", full)
    access.note(grant)
    assert access.is_unnoted(grant)
    assert home.exists()


def test_a_silent_stream_says_that_it_lives_and_ends_with_the_service() -> None:
    asked = iter([False] * 16 + [True])

    async def told() -> list[bytes]:
        stream = service.changes(lambda: {"MEMORY.md": "1"}, lambda: next(asked), every=0)
        return [one async for one in stream]

    slow, service._BEAT = service._BEAT, 0.0
    try:
        found = asyncio.run(told())
    finally:
        service._BEAT = slow
    assert found[0].startswith(b"event: hello")
    assert set(found[1:]) == {b": still here\n\n"}


def test_the_log_tells_where_an_error_was_but_not_its_words() -> None:
    try:
        raise ValueError("unspeakable")
    except ValueError:
        record = logging.LogRecord("mind.http", 40, "", 0, "failed", (), sys.exc_info())
    told = serving.JsonLines().format(record)
    assert json.loads(told)["error"] == "ValueError"
    assert "test_http_parts.py" in told
    assert "unspeakable" not in told
    assert "error" not in serving.JsonLines().format(
        logging.LogRecord("mind.http", 20, "", 0, "answered", (), None)
    )


def test_files_of_the_page_are_listed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paths() -> set[str]:
        return {getattr(route, "path", "") for route in app.Application().routes}

    monkeypatch.setattr(app, "page_folder", lambda: tmp_path)
    without = paths()
    for name in ("index.html", "app.js", "icons/a.svg"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x", encoding="utf-8")
    assert paths() - without == {"/app.js", "/icons/a.svg", "/index.html"}


def test_a_package_that_is_missing_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "mind.server.http.serving")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(errors.DependencyMissing) as missing:
        http.run(http.Serving(), lambda _: pytest.fail("nothing is served"))
    assert "mind-lens[http]" in missing.value.remedy


def test_the_files_toolset_is_not_given_over_a_network() -> None:
    from mind.server.mcp.streamable import Endpoint, _without_files

    with pytest.raises(InputError, match="not served over a network"):
        Endpoint("core,files")
    assert "files" not in _without_files("all").split(",")
    assert _without_files("core,time") == "core,time"


def test_facets_of_a_listing_count_all_of_it(memory: Memory, project: Project) -> None:
    for number in range(120):
        memory.log(f"the module m{number} is slow because of index {number * 7} #perf", "problem")
    memory.log("Zig over C for the parser #lang", "decision")
    seeing = Memory(project)
    found, facets = overview.browse(seeing, "tag:perf", limit=5, offset=110)
    assert (facets.counted, facets.complete, facets.tags) == (120, True, {"perf": 120})
    assert len(found.hits) == 5
    _, facets = overview.browse(seeing, "module slow", limit=5)
    assert facets.counted <= 100
    assert facets.kinds["problem"] > 20
    _, facets = overview.browse(seeing, "tag:perf since:2020-01-01")
    assert set(facets.years) == {"2026"}
    seeing.close()


def test_fastapi_is_loaded_only_to_serve() -> None:
    program = (
        "import sys, mind.__main__, mind.cli.app, mind.server.http, mind.hooks\n"
        "print([one for one in ('fastapi', 'uvicorn', 'starlette') if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "[]\n"
