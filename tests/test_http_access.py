"""Who gets in: every route with every kind of token, and requests that a stranger's page sends."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind.storage import tokens
from mind.storage.tokens import Scope
from tests.http_service import (
    NOW,
    OPERATIONS,
    Answer,
    Running,
    at_home,
    keys,
    project_at,
    serving,
)

ROUTES = [
    *((one.method, one.path, one.scope) for one in OPERATIONS),
    ("POST", "/mcp", Scope.READ),
    ("GET", "/openapi.json", None),
]
SCOPES = {one.value for one in Scope}
CALLERS = ("none", "wrong", "expired", "revoked", "read", "write", "admin")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("access")
    home = folder / "home"
    with at_home(home):
        root = project_at(folder / "p", ("decision", "SQLite over Postgres - one file"))
    secrets = keys(home)
    with serving(home, "--project", str(root), "--rate", "0") as running:
        yield running, secrets


@pytest.fixture
def running(site: tuple[Running, dict[str, str]]) -> Running:
    return site[0]


@pytest.mark.parametrize("caller", CALLERS)
def test_each_route_opens_to_the_tokens_that_its_scope_names(
    site: tuple[Running, dict[str, str]], caller: str
) -> None:
    running, secrets = site
    wrong = {}
    for method, path, scope in ROUTES:
        if path == "/api/v1/events" and caller in SCOPES:
            continue  # it never ends; test_http_events reads it
        at = path.replace("{id}", "nothing").replace("{name}", "nobody")
        answer = running.ask(method, at, token=secrets[caller])
        if not _is_right(answer, caller, scope):
            wrong[method, path] = answer.status
        if answer.status >= 400 and path != "/mcp":
            assert answer.headers["content-type"] == "application/problem+json"
            assert {"title", "status", "detail", "remedy", "code"} <= set(answer.json)
    assert wrong == {}


def _is_right(answer: Answer, caller: str, scope: Scope | None) -> bool:
    if scope is None:
        return answer.status < 500 and answer.status not in (401, 403)
    if caller not in SCOPES:
        return answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer")
    if Scope(caller).allows(scope):
        return answer.status < 500 and answer.status not in (401, 403)
    return answer.status == 403


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic bWluZDptaW5k", "Bearer mind_", "bearer \xff", "Bearer a b"],
)
def test_a_header_that_holds_no_token_opens_nothing(running: Running, header: str) -> None:
    sent = {"Authorization": header.encode("latin-1").decode("latin-1")}
    assert running.ask("GET", "/api/v1/status", token="", headers=sent).status == 401


def test_a_token_in_the_address_opens_nothing(site: tuple[Running, dict[str, str]]) -> None:
    running, secrets = site
    for name in ("token", "access_token"):
        path = f"/api/v1/status?{name}={secrets['admin']}"
        assert running.ask("GET", path, token="").status == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:9", 200),
        ("[::1]:80", 200),
        ("LOCALHOST.", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("192.168.1.2", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
def test_another_name_is_not_answered(running: Running, host: str, status: int) -> None:
    """A name of a stranger's that leads here (DNS rebinding) is told by the header Host."""
    assert running.ask("GET", "/healthz", headers={"Host": host}).status == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://127.0.0.1:{port}"}, 201),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Site": "none"}, 201),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:{port}.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "file://127.0.0.1:{port}"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_a_page_of_another_origin_writes_nothing(
    site: tuple[Running, dict[str, str]], headers: dict[str, str], status: int
) -> None:
    running, secrets = site
    sent = {name: value.format(port=running.port) for name, value in headers.items()}
    body = {"message": f"we use pnpm {sent} {status}", "type": "decision"}
    answer = running.ask("POST", "/api/v1/entries", body, token=secrets["write"], headers=sent)
    assert answer.status == status
    assert "access-control-allow-origin" not in answer.headers


def test_a_browser_is_not_allowed_to_ask_first(running: Running) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = running.ask("OPTIONS", "/api/v1/entries", token="", headers=asked)
    assert answer.status == 403
    assert running.ask("OPTIONS", "/api/v1/entries", token="").status == 405


def test_nothing_is_kept_in_a_browser(site: tuple[Running, dict[str, str]]) -> None:
    running, secrets = site
    for path in ("/", "/api/v1/status", "/mcp", "/healthz"):
        answer = running.ask("GET", path, token=secrets["admin"])
        assert "set-cookie" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_a_form_of_another_page_cannot_write(site: tuple[Running, dict[str, str]]) -> None:
    """What a form can send is no JSON, and its browser adds no token."""
    running, secrets = site
    sent = {"Content-Type": "text/plain"}
    body = b'{"message": "sent by a form", "type": "note"}'
    assert running.ask("POST", "/api/v1/entries", body, token="", headers=sent).status == 401
    answer = running.ask("POST", "/api/v1/entries", body, token=secrets["write"], headers=sent)
    assert answer.status == 415


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/tokens.json",
        "//etc/passwd",
        "/index.html/../../x",
        "/api/v1/entries/..%2f..%2fMEMORY.md",
        "/.mind/MEMORY.md",
        "/page/%00",
    ],
)
def test_no_path_leads_to_a_file_beside_the_page(
    site: tuple[Running, dict[str, str]], path: str
) -> None:
    running, secrets = site
    answer = running.ask("GET", path, token=secrets["admin"])
    assert answer.status == 404
    assert b"root:" not in answer.body


def test_a_token_of_one_project_does_not_see_another(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        project_at(tmp_path / "one", ("decision", "SQLite over Postgres - one file"))
        project_at(tmp_path / "two", ("decision", "Redis over RabbitMQ - fewer parts"))
        secret, _ = tokens.add("one", "admin", NOW, projects=["one"])
        full, _ = tokens.add("all", "admin", NOW)
    with serving(home, "--all") as running:
        listed = running.ask("GET", "/api/v1/projects", token=secret).json["projects"]
        assert [one["name"] for one in listed] == ["one"]
        found = running.ask("GET", "/api/v1/search?q=redis", token=secret)
        assert [hit["text"] for hit in found.json["hits"] if "Redis" in hit["text"]] == []
        assert running.ask("GET", "/api/v1/status?project=two", token=secret).status == 404
        two = running.ask("GET", "/api/v1/projects", token=full).json["projects"][1]["id"]
        assert running.ask("GET", f"/api/v1/status?project={two}", token=secret).status == 404
        everywhere = running.call("mind_search", secret, query="redis", scope="all")
        assert everywhere["isError"]
        assert "Redis" in str(
            running.call("mind_search", full, "/mcp?project=one", query="redis", scope="all")
        )
        assert running.call(
            "mind_add_global_edge", secret, title="x", description="y", workaround="z"
        )["isError"]


def test_a_name_that_two_projects_have_is_refused_with_their_ids(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        project_at(tmp_path / "a" / "app", ("decision", "SQLite over Postgres - one file"))
        project_at(tmp_path / "b" / "app", ("decision", "Redis over RabbitMQ - fewer parts"))
    with serving(home, "--all") as running:
        ids = [one["id"] for one in running.ask("GET", "/api/v1/projects").json["projects"]]
        for path in ("/api/v1/status", "/api/v1/status?project=app"):
            answer = running.ask("GET", path)
            assert answer.status == 409
            assert all(one in answer.json["remedy"] for one in ids)
        texts = [
            running.ask("GET", f"/api/v1/recent?project={one}").json["entries"][0]["text"]
            for one in ids
        ]
        assert len(set(texts)) == 2


def test_reading_tokens_cannot_write_over_mcp(site: tuple[Running, dict[str, str]]) -> None:
    running, secrets = site
    refused = running.call("mind_log", secrets["read"], message="we use npm", type="decision")
    assert refused["isError"]
    assert "read-only" in refused["content"][0]["text"]
    done = running.call("mind_log", secrets["write"], message="we use uv now", type="decision")
    assert not done["isError"]
    assert "uv" in str(running.call("mind_search", secrets["read"], query="uv"))


def test_a_revoked_token_is_refused_by_a_service_that_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
        secret, _ = tokens.add("bot", "read", NOW)
        with serving(home, "--project", str(root)) as running:
            assert running.token == ""
            assert running.ask("GET", "/api/v1/status", token=secret).status == 200
            assert tokens.listed()[0].used is not None
            tokens.revoke("bot")
            assert running.ask("GET", "/api/v1/status", token=secret).status == 401


def test_wrong_tokens_are_slowed_down(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
    with serving(home, "--project", str(root)) as running:
        wrong = tokens.new_secret()
        found = [running.ask("GET", "/api/v1/status", token=wrong).status for _ in range(40)]
        assert found[:20] == [401] * 20
        assert found[-1] == 429


def test_one_caller_is_slowed_down_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
        busy, _ = tokens.add("busy", "read", NOW)
        calm, _ = tokens.add("calm", "read", NOW)
    with serving(home, "--project", str(root), "--rate", "1") as running:
        answers = [running.ask("GET", "/api/v1/projects", token=busy) for _ in range(12)]
        assert answers[0].status == 200
        assert answers[-1].status == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert running.ask("GET", "/api/v1/projects", token=calm).status == 200


def test_a_body_that_is_too_large_is_not_read(site: tuple[Running, dict[str, str]]) -> None:
    running, secrets = site
    body = json.dumps({"message": "x" * 2_000_000}).encode()
    for call in ("POST /api/v1/entries", "POST /mcp", "GET /page.css"):
        with socket.create_connection(("127.0.0.1", running.port), timeout=10) as sock:
            head = (
                f"{call} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {secrets['write']}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            sock.sendall(head.encode() + body[:1000])
            assert sock.recv(4096).startswith(b"HTTP/1.1 413")


def test_a_body_in_pieces_without_a_length_is_not_read_to_its_end(
    site: tuple[Running, dict[str, str]],
) -> None:
    running, secrets = site
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as sock:
        head = (
            "POST /api/v1/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {secrets['write']}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        sock.sendall(head.encode())
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        for _ in range(17):
            sock.sendall(piece)
        assert sock.recv(4096).startswith(b"HTTP/1.1 413")


@pytest.mark.slow
def test_a_caller_who_is_slow_on_purpose_is_hung_up_on(
    site: tuple[Running, dict[str, str]],
) -> None:
    running, secrets = site
    began = time.monotonic()
    with (
        socket.create_connection(("127.0.0.1", running.port), timeout=30) as silent,
        socket.create_connection(("127.0.0.1", running.port), timeout=30) as dripping,
        socket.create_connection(("127.0.0.1", running.port), timeout=30) as bodiless,
    ):
        dripping.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ")
        bodiless.sendall(
            b"POST /api/v1/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"
            b"Content-Type: application/json\r\n"
            b"Authorization: Bearer " + secrets["write"].encode() + b"\r\n\r\n{"
        )
        assert silent.recv(10) == b""
        assert dripping.recv(10) == b""
        assert time.monotonic() - began < 14
        assert bodiless.recv(4096).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - began < 20
    assert running.ask("GET", "/healthz").status == 200


def test_a_network_is_not_served_without_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from mind.__main__ import serve_http
    from mind.domain.errors import InputError

    monkeypatch.setenv("MIND_HOME", str(tmp_path / "home"))
    root = project_at(tmp_path / "p")
    tokens.add("old", "admin", NOW.replace(year=2020), expires="1d")
    with pytest.raises(InputError, match="no token exists"):
        serve_http(host="0.0.0.0", port=0, projects=(root,))  # noqa: S104 - it must not be
    assert capfd.readouterr().out == ""


def test_on_a_network_addresses_and_given_names_are_answered(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
        secret, _ = tokens.add("bot", "read", NOW)
    options = ("--project", str(root), "--host", "0.0.0.0", "--allow-host", "mind.example.org")  # noqa: S104 - a test
    with serving(home, *options) as running:
        for host, status in (
            ("mind.example.org", 200),
            ("192.168.1.2:80", 200),
            ("evil.example", 421),
        ):
            answer = running.ask("GET", "/api/v1/status", token=secret, headers={"Host": host})
            assert answer.status == status


def test_the_token_of_a_run_is_written_nowhere(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "p")
    with serving(home, "--project", str(root)) as running:
        assert running.ask("GET", "/api/v1/tokens").status == 200
        written = [one for one in home.rglob("*") if one.is_file()]
        assert not [one for one in written if running.token.encode() in one.read_bytes()]
    told = running.log.read_text(encoding="utf-8")
    assert running.token not in told


def test_the_log_holds_no_secret_query_body_or_id(site: tuple[Running, dict[str, str]]) -> None:
    running, secrets = site
    running.ask("GET", "/api/v1/search?q=unspeakable", token=secrets["read"])
    running.ask("GET", "/api/v1/entries/unmentionable", token=secrets["read"])
    running.ask("POST", "/api/v1/preview", {"message": "unwritable"}, token=secrets["read"])
    until = time.monotonic() + 20
    lines: list[str] = []
    while not lines or '"/api/v1/preview"' not in lines[-1]:  # a line follows its answer
        assert time.monotonic() < until
        time.sleep(0.01)
        lines = running.log.read_text(encoding="utf-8").splitlines()
    for secret in ("unspeakable", "unmentionable", "unwritable", *filter(None, secrets.values())):
        assert not [line for line in lines if secret in line]
    told = json.loads(lines[-1])
    assert told["route"] == "/api/v1/preview"
    assert told["token"] == Scope.READ.value
    assert told["status"] == 200
