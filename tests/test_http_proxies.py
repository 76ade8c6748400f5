"""The examples of proxies, as they stand: real nginx and Caddy with TLS before a real service."""

import http.client
import json
import os
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mind.storage import tokens
from tests.http_service import NOW, Answer, Running, at_home, project_at, serving

EXAMPLES = Path(__file__).parents[1] / "examples" / "serve"
NAME = "mind.example.org"
MIB = 1 << 20
ACCEPT = {"Accept": "application/json, text/event-stream"}


def _program(name: str) -> str | None:
    """Where a program is; a folder of the system's may not be on a user's PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


@dataclass(frozen=True)
class Proxied:
    """A service behind a proxy, whose certificate is trusted by those who ask here."""

    running: Running
    port: int
    token: str
    certificate: Path

    def connected(self, timeout: float = 30) -> http.client.HTTPSConnection:
        """A connection under the service's name, wherever that really is."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        connection = http.client.HTTPSConnection(NAME, self.port, timeout=timeout, context=context)
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        return connection

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request with the token."""
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = self.connected()
        try:
            connection.request(method, path, raw, sent | dict(headers or {}))
            got = connection.getresponse()
            return Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()

    def mcp(self, method: str, params: object) -> Any:
        """The result of a request of MCP."""
        told = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.ask("POST", "/mcp", told, ACCEPT)
        assert answer.status == 200, answer
        return answer.json["result"]


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _changed(text: str, **changes: str) -> str:
    """``text`` with what cannot be the same here; all of it must be there."""
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def _certify(folder: Path) -> Path:
    """A certificate that trusts itself."""
    made = folder / "fullchain.pem", folder / "privkey.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME},DNS:localhost"),
            *("-out", str(made[0]), "-keyout", str(made[1])),
        ],
        capture_output=True,
        check=True,
    )
    return made[0]


def nginx(folder: Path, port: int, behind: int) -> list[str]:
    """How nginx is started with the example, but for ports and the certificate."""
    chain, key = folder / "fullchain.pem", folder / "privkey.pem"
    site = _changed(
        (EXAMPLES / "nginx.conf").read_text(encoding="utf-8"),
        **{
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "listen [::]:443 ssl;": "",
            "listen 80;": f"listen 127.0.0.1:{_free()};",
            "listen [::]:80;": "",
            "/etc/letsencrypt/live/mind.example.org/fullchain.pem": str(chain),
            "/etc/letsencrypt/live/mind.example.org/privkey.pem": str(key),
            "http://127.0.0.1:8765": f"http://127.0.0.1:{behind}",
        },
    )
    (folder / "site.conf").write_text(site, encoding="utf-8")
    kept = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = (
        f"{'user root;' if os.geteuid() == 0 else ''}\ndaemon off;\npid {folder}/nginx.pid;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{kept}include {folder}/site.conf;\n}}\n"
    )
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    return ["-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, behind: int) -> list[str]:
    """How Caddy is started with the example, but for ports and who signs the certificate."""
    site = _changed(
        (EXAMPLES / "Caddyfile").read_text(encoding="utf-8"),
        **{
            "mind.example.org {": (
                f"https://mind.example.org:{port}, https://localhost:{port} {{\n"
                f"\ttls {folder}/fullchain.pem {folder}/privkey.pem"
            ),
            "127.0.0.1:8765": f"127.0.0.1:{behind}",
        },
    )
    options = "{\nadmin off\ngrace_period 2s\nauto_https disable_redirects\nskip_install_trust\n}\n"
    (folder / "Caddyfile").write_text(options + site, encoding="utf-8")
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


PROXIES: Mapping[str, Callable[[Path, int, int], list[str]]] = {"nginx": nginx, "caddy": caddy}


@contextmanager
def _started(name: str, folder: Path, port: int, behind: int) -> Iterator[None]:
    program = _program(name)
    assert program is not None
    log = folder / "log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [program, *PROXIES[name](folder, port, behind)],
            env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
            stdout=errors,
            stderr=errors,
        )
        try:
            until = time.monotonic() + 60
            while not _listens(port):
                assert process.poll() is None, log.read_text(encoding="utf-8")
                assert time.monotonic() < until, log.read_text(encoding="utf-8")
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module", params=PROXIES)
def site(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Proxied]:
    if _program(request.param) is None:
        pytest.skip(f"{request.param} is not installed here")
    if _program("openssl") is None:
        pytest.skip("openssl, which makes the certificate, is not installed here")
    folder = tmp_path_factory.mktemp(request.param)
    home, port = folder / "home", _free()
    with at_home(home):
        root = project_at(folder / "p", ("decision", "SQLite over Postgres - one file"))
        secret, _ = tokens.add("laptop", "write", NOW)
    options = ("--behind-proxy", "--allow-host", NAME, "--rate", "0")
    (folder / "proxy").mkdir()
    certificate = _certify(folder / "proxy")
    with (
        serving(home, "--project", str(root), *options) as running,
        _started(request.param, folder / "proxy", port, running.port),
    ):
        yield Proxied(running, port, secret, certificate)


def test_the_service_is_reached_by_its_name_and_only_with_tls(site: Proxied) -> None:
    found = site.ask("GET", "/api/v1/search?q=sqlite")
    assert found.status == 200
    assert found.json["total"] == 1
    assert found.headers["strict-transport-security"] == "max-age=31536000"
    assert "server" not in found.headers or "uvicorn" not in found.headers["server"]
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
    connection.request("GET", "/healthz", headers={"Host": NAME})
    assert connection.getresponse().status == 400
    connection.close()


def test_mcp_is_spoken_through_it(site: Proxied) -> None:
    begun = site.mcp(
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    )
    assert begun["serverInfo"]["name"] == "mind"
    noted = {"message": "uv over pip - faster", "type": "decision"}
    assert not site.mcp("tools/call", {"name": "mind_log", "arguments": noted})["isError"]
    found = site.mcp("tools/call", {"name": "mind_search", "arguments": {"query": "uv pip"}})
    assert "uv over pip" in found["content"][0]["text"]


def test_a_client_elsewhere_forwards_through_it(site: Proxied, tmp_path: Path) -> None:
    """`mind mcp --remote`, which believes a certificate only if somebody it trusts signed it."""
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "mind_search", "arguments": {"query": "sqlite"}}},
    ]  # fmt: skip
    told = {}
    for trusted in (str(site.certificate), os.devnull):
        done = subprocess.run(
            [sys.executable, "-m", "mind", "mcp", "--remote", f"https://localhost:{site.port}/"],
            input="".join(json.dumps(one) + "\n" for one in asked),
            env={**os.environ, "MIND_TOKEN": site.token, "SSL_CERT_FILE": trusted},
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        told[trusted] = done.stdout.splitlines()[-1]
    assert "SQLite over Postgres" in told[str(site.certificate)]
    assert "SQLite over Postgres" not in told[os.devnull]
    assert "cannot be reached" in told[os.devnull]


def test_events_arrive_when_they_happen(site: Proxied) -> None:
    """Were they buffered, they would come in heaps, or when the stream ends: it does not."""
    connection = site.connected(timeout=20)
    head = {"Authorization": f"Bearer {site.token}", "Accept-Encoding": "gzip"}
    connection.request("GET", "/api/v1/events", headers=head)
    stream = connection.getresponse()
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in stream.headers
    assert _event(stream) == "hello"
    for number in range(3):
        body = {"message": f"the queue {number} is drained at night", "type": "learning"}
        assert site.ask("POST", "/api/v1/entries", body).status == 201
        assert _event(stream) == "changed"
    connection.close()


def _event(stream: http.client.HTTPResponse) -> str:
    """The name of the next event; an error after the connection's time."""
    name = ""
    while line := stream.readline().decode().rstrip("\n"):
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        if line.startswith(":"):
            assert stream.readline() == b"\n"
    return name


def test_pages_of_another_origin_write_nothing(site: Proxied) -> None:
    body = {"message": "we use pnpm over npm", "type": "decision"}
    own = {"Origin": f"https://{NAME}:{site.port}", "Sec-Fetch-Site": "same-origin"}
    for sent in (
        {"Origin": "https://evil.example"},
        {"Origin": f"https://{NAME}.evil.example:{site.port}"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert site.ask("POST", "/api/v1/entries", body, sent).status == 403
    assert site.ask("POST", "/api/v1/entries", body, own).status == 201


def test_other_names_reach_nothing(site: Proxied) -> None:
    answer = site.ask("GET", "/api/v1/search?q=sqlite", None, {"Host": "evil.example"})
    assert b"SQLite" not in answer.body
    assert answer.status in (200, 421)  # Caddy's own empty answer, or what Mind says


def test_what_is_too_large_is_refused_and_what_is_not_is_read(site: Proxied) -> None:
    fits = b" " * (MIB - 2) + b"{}"
    refused = site.ask("POST", "/api/v1/entries", fits)
    assert refused.status == 400  # by Mind, which read it: the message is missing
    assert refused.json["parameter"] == "message"
    try:
        status = site.ask("POST", "/api/v1/entries", b" " * MIB + b"{}").status
    except (ConnectionError, ssl.SSLError):
        status = 413  # hung up on while it was still sent
    assert status == 413


def test_callers_are_told_apart_by_what_the_proxy_says(site: Proxied) -> None:
    """Not by what they say of themselves."""
    forged = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
    assert site.ask("GET", "/api/v1/things", None, forged).status == 200
    until = time.monotonic() + 20
    lines: list[str] = []
    while not lines:
        assert time.monotonic() < until
        time.sleep(0.01)
        told = site.running.log.read_text(encoding="utf-8")
        lines = [line for line in told.splitlines() if '"/api/v1/things"' in line]
    assert json.loads(lines[0])["client"] == "127.0.0.1"


def test_versions_of_what_was_read_survive_compression(site: Proxied) -> None:
    noted = {"message": "the cache is warmed at six", "type": "learning"}
    made = site.ask("POST", "/api/v1/entries", noted).json["entry"]["id"]
    head = {"Accept-Encoding": "gzip"}
    read = site.ask("GET", f"/api/v1/entries/{made}", None, head)
    again = site.ask(
        "GET", f"/api/v1/entries/{made}", None, head | {"If-None-Match": read.headers["etag"]}
    )
    assert again.status == 304
    change = {"text": "the cache is warmed at seven"}
    stale = site.ask("PATCH", f"/api/v1/entries/{made}", change, {"If-Match": '"other"'})
    assert stale.status == 412
    done = site.ask("PATCH", f"/api/v1/entries/{made}", change, {"If-Match": read.headers["etag"]})
    assert done.status == 200


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed here")
def test_the_unit_is_understood_by_systemd(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "mind"
    unit = _changed(
        (EXAMPLES / "mind.service").read_text(encoding="utf-8"),
        **{"/opt/mind/bin/mind": str(program), "User=mind": f"User={os.getuid()}"},
    )
    (tmp_path / "mind.service").write_text(unit, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "mind.service")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "mind.service" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_the_units_command_is_one_that_mind_knows() -> None:
    unit = (EXAMPLES / "mind.service").read_text(encoding="utf-8")
    line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    options = shlex.split(line.removeprefix("ExecStart="))[1:]
    done = subprocess.run(
        [sys.executable, "-m", "mind", *options, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0
    assert all(one in done.stdout for one in options if one.startswith("--"))


def _composes() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    told = subprocess.run([docker, "compose", "version"], capture_output=True, check=False)
    return told.returncode == 0


@pytest.mark.skipif(not _composes(), reason="docker compose is not installed here")
def test_the_compose_file_is_understood_by_docker() -> None:
    done = subprocess.run(
        ["docker", "compose", "-f", str(EXAMPLES / "compose.yaml"), "config", "--quiet"],
        env={**os.environ, "MIND_DOMAIN": NAME},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_script_in_the_compose_file_is_one() -> None:
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((EXAMPLES / "compose.yaml").read_text(encoding="utf-8"))
    service = told["services"]["mind"]
    shell, option, script = service["command"]
    assert (shell, option) == ("sh", "-c")
    done = subprocess.run(
        ["sh", "-n", "-c", script.replace("$$", "$")], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert service["read_only"]
    assert "ports" not in service
