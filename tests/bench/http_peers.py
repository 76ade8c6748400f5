"""What users would pick instead of Mind, as HTTP services: how each is filled, started and asked.

Those that speak MCP over stdio alone are served by supergateway, with one process for the session.
`python -m tests.bench.http_peers FOLDER` installs them below FOLDER.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.bench.load import NUMBER, request
from tests.bench.peers import CROCKFORD, entity
from tests.bench.speed import day

NEW = f"the deploy {NUMBER} goes through the queue because the old way was not safe under load"
"""What is written: a text that is not there yet."""
_BOTH = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}

Loads = Mapping[str, Sequence[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A service.

    Attributes:
        name: With its version.
        program: Must be there.
        command: "{port}" and "{home}" become what they are.
        fill: Puts texts into the folder that is its home, before it is started.
        serve: Puts them into what runs, on that port, where it takes them so.
        search: The tool and its arguments.
        write: The same.
        rest: Method, path and body of what it offers besides MCP, by the name of the load; "{q}" in
            them is the query.
        mcp: The path; "" if it has none.
        environment: Beside HOME.
        largest: More texts take it too long to be filled with.
        written: Beside more of them a write takes it too long.
        install: Arguments of pip or, with "npm" first, of npm.
    """

    name: str
    program: Path
    command: Sequence[str]
    search: Callable[[str], tuple[str, Mapping[str, Any]]] | None = None
    write: tuple[str, Mapping[str, Any]] | None = None
    fill: Callable[[Path, Sequence[str]], None] = lambda _home, _texts: None
    serve: Callable[[int, str, Sequence[str]], None] = lambda _port, _session, _texts: None
    rest: Mapping[str, tuple[str, str, Any]] = field(default_factory=dict)
    mcp: str = "/mcp"
    environment: Mapping[str, str] = field(default_factory=dict)
    largest: int = 10_000
    written: int = 10_000
    install: Sequence[str] = ()

    def loads(self, session: str, queries: Sequence[str]) -> Loads:
        """The requests of each load."""
        made: dict[str, Sequence[bytes]] = {}
        for load, (method, path, body) in self.rest.items():
            made[load] = [
                request(method, path.replace("{q}", quoted(query)), _put(body, query))
                for query in (queries if load == "search" else queries[:1])
            ]
        more = {"Mcp-Session-Id": session} if session else {}
        if self.search and self.mcp:
            made["search, MCP"] = [called(self.mcp, *self.search(q), more) for q in queries]
        if self.write and self.mcp:
            made["write, MCP"] = [called(self.mcp, *self.write, more)]
        return made


def quoted(text: str) -> str:
    """``text`` within an address."""
    return quote(text, safe="")


def _put(body: Any, query: str) -> Any:
    return json.loads(json.dumps(body).replace("{q}", json.dumps(query)[1:-1]))


def called(path: str, tool: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    """A call of a tool."""
    call = {"name": tool, "arguments": arguments}
    told = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return request("POST", path, told, {"MCP-Protocol-Version": "2025-11-25", **headers})


def _server_memory(home: Path, texts: Sequence[str]) -> None:
    rows = [{"type": "entity", **entity(f"note {n}", text)} for n, text in enumerate(texts)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (home / "memory.jsonl").write_text(lines, encoding="utf-8")


def _bettermemory(home: Path, texts: Sequence[str]) -> None:
    folder = home / ".claude-memory"
    folder.mkdir()
    for number, text in enumerate(texts):
        digits = [CROCKFORD[number >> shift & 31] for shift in (20, 15, 10, 5, 0)]
        name = "01M7YFV9QY6DAQDFY97RF" + "".join(digits)
        made = f"{day(number)} 12:00:00+00:00"
        head = (
            f"---\ncategory: fact\nconfidence: medium\ncreated: {made}\nid: {name}\n"
            "schema_version: 1\nscopes:\n- project:bench\nsource: explicit-statement\n"
            f"updated: {made}\n---\n\n{text}\n"
        )
        (folder / f"{day(number)}-note-{name.lower()}.md").write_text(head, encoding="utf-8")


def _basic_memory(home: Path, texts: Sequence[str]) -> None:
    folder = home / "basic-memory" / "notes"
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        page = f"---\ntitle: Note {number}\ntype: note\n---\n\n# Note {number}\n\n{text}\n"
        (folder / f"note-{number}.md").write_text(page, encoding="utf-8")


def _taken(path: str, body: Mapping[str, Any]) -> Callable[[int, str, Sequence[str]], None]:
    """Fills a service by what it takes over HTTP, one text after another."""

    def filled(port: int, _session: str, texts: Sequence[str]) -> None:
        for text in texts:
            _sent(port, "POST", path, _put(body, text))

    return filled


def _sent(
    port: int, method: str, path: str, body: object, headers: Mapping[str, str] | None = None
) -> tuple[str, Mapping[str, str]]:
    """What is answered, and the head of that.

    Raises:
        OSError: It was refused.
    """
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        None if body is None else json.dumps(body).encode(),
        _BOTH | dict(headers or {}),
        method=method,
    )
    with urllib.request.urlopen(asked, timeout=300) as answer:  # noqa: S310 - of this machine
        return answer.read().decode(), {k.lower(): v for k, v in answer.headers.items()}


def peers(folder: Path) -> list[Peer]:
    """Those below ``folder``."""
    node = folder / "node" / "node_modules"
    gate = node / ".bin" / "supergateway"
    through = (str(gate), *"--outputTransport streamableHttp --stateful --port".split())
    theirs = folder / "claude-mem-hooks" / "node_modules"
    worker = theirs / "claude-mem" / "plugin" / "scripts" / "worker-service.cjs"
    more = {"scopes": ["project:bench"], "force": True, "acknowledge_transient": True}
    return [
        Peer(
            name="server-memory 2026.8",
            program=gate,
            command=(
                *(*through, "{port}", "--logLevel", "none", "--stdio"),
                f"node {node / '@modelcontextprotocol' / 'server-memory' / 'dist' / 'index.js'}",
            ),
            environment={"MEMORY_FILE_PATH": "{home}/memory.jsonl"},
            fill=_server_memory,
            search=lambda query: ("search_nodes", {"query": query}),
            write=("create_entities", {"entities": [entity(NEW, NEW)]}),
            install=("npm", "supergateway", "@modelcontextprotocol/server-memory"),
        ),
        Peer(
            name="bettermemory 8.0",
            program=folder / "bettermemory" / "bin" / "bettermemory",
            command=(
                *(*through, "{port}", "--logLevel", "none", "--stdio"),
                str(folder / "bettermemory" / "bin" / "bettermemory"),
            ),
            fill=_bettermemory,
            search=lambda query: ("memory_search", {"query": query}),
            write=("memory_write", {"content": NEW, **more}),
            written=1_000,
            install=("bettermemory==8.0.0",),
        ),
        Peer(
            name="mcp-memory-service 12.2",
            program=folder / "mcp-memory-service" / "bin" / "memory",
            command=("{program}", "server", "--http", "--http-port", "{port}"),
            environment={
                "MCP_ALLOW_ANONYMOUS_ACCESS": "true",
                "MCP_MEMORY_SQLITE_PATH": "{home}/memory.db",
            },
            serve=_taken("/api/memories", {"content": "{q}", "tags": ["bench"]}),
            search=lambda query: ("memory_search", {"query": query, "limit": 10}),
            write=("memory_store", {"content": NEW}),
            rest={
                "search": ("POST", "/api/search", {"query": "{q}", "n_results": 10}),
                "write": ("POST", "/api/memories", {"content": NEW, "tags": ["bench"]}),
            },
            largest=1_000,
            install=("mcp-memory-service==12.2.0",),
        ),
        Peer(
            name="basic-memory 0.22",
            program=folder / "basic-memory" / "bin" / "basic-memory",
            command=(
                *("{program}", "mcp", "--transport", "streamable-http"),
                *("--host", "127.0.0.1", "--port", "{port}"),
            ),
            environment={"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"},
            fill=_basic_memory,
            serve=_indexed,
            search=lambda query: ("search_notes", {"query": query, "project": "main"}),
            write=(
                "write_note",
                {"title": NEW, "content": NEW, "directory": "new", "project": "main"},
            ),
            largest=1_000,
            install=("basic-memory==0.22.1", "fastmcp<3.5"),
        ),
        Peer(
            name="claude-mem 13.25",
            program=worker,
            command=(str(theirs / ".bin" / "bun"), "{program}"),
            environment={
                "CLAUDE_MEM_WORKER_PORT": "{port}",
                "CLAUDE_MEM_DATA_DIR": "{home}/.claude-mem",
                "CLAUDE_MEM_CHROMA_ENABLED": "false",
            },
            serve=_taken("/api/memory/save", {"text": "{q}", "title": "{q}", "project": "bench"}),
            mcp="",
            rest={
                "search": ("GET", "/api/search/observations?query={q}&limit=10", None),
                "write": (
                    "POST",
                    "/api/memory/save",
                    {"text": NEW, "title": NEW, "project": "bench"},
                ),
            },
        ),
    ]


def there(folder: Path) -> Iterator[Peer]:
    """Those that are installed; it is told which are not."""
    for peer in peers(folder):
        if peer.program.exists():
            yield peer
        else:
            print(f"{peer.name:<24}is not at {peer.program}")


@contextmanager
def running(peer: Peer, texts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """A peer that is filled and answers: its port, its process, its session."""
    with tempfile.TemporaryDirectory(prefix="mind-peer-", ignore_cleanup_errors=True) as home:
        peer.fill(Path(home), texts)
        port = _free()
        known = {"home": home, "port": str(port), "program": str(peer.program)}
        process = subprocess.Popen(
            [_named(one, known) for one in peer.command],
            cwd=home,
            env={
                **os.environ,
                "HOME": home,
                **{key: _named(value, known) for key, value in peer.environment.items()},
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            session = _greeted(peer, port)
            peer.serve(port, session, texts)
            _shown(peer, port, session, texts)
            yield port, process.pid, session
        finally:
            with suppress(ProcessLookupError):  # and whatever it started
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _named(text: str, known: Mapping[str, str]) -> str:
    for name, value in known.items():
        text = text.replace("{" + name + "}", value)
    return text


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _greeted(peer: Peer, port: int) -> str:
    """Its session, once it answers; "" where there is none.

    Raises:
        RuntimeError: It does not answer.
    """
    until = time.monotonic() + 120
    while True:
        try:
            if not peer.mcp:
                _sent(port, "GET", peer.rest["search"][1].replace("{q}", "x"), None)
                return ""
            told = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO}
            session = _sent(port, "POST", peer.mcp, told)[1].get("mcp-session-id", "")
            break
        except OSError:
            if time.monotonic() > until:
                raise RuntimeError(f"{peer.name} does not answer") from None
            time.sleep(0.5)
    head = {"Mcp-Session-Id": session} if session else {}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    _sent(port, "POST", peer.mcp, done, head)
    return session


def _called(peer: Peer, port: int, session: str, tool: str, given: Mapping[str, Any]) -> str:
    head = {"Mcp-Session-Id": session} if session else {}
    call = {"name": tool, "arguments": given}
    told = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return _sent(port, "POST", peer.mcp, told, head)[0]


def _indexed(port: int, session: str, texts: Sequence[str]) -> None:
    """Wait until the last of its files is found.

    Raises:
        RuntimeError: It is not after a quarter of an hour.
    """
    peer, last = peers(Path())[3], len(texts) - 1
    given = {"query": f"Note {last}", "project": "main"}
    until = time.monotonic() + 900
    while f"note-{last}" not in _called(peer, port, session, "search_notes", given):
        if time.monotonic() > until:
            raise RuntimeError("its files are not indexed")
        time.sleep(2)


def _shown(peer: Peer, port: int, session: str, texts: Sequence[str]) -> None:
    """Make sure that what is measured is not an error.

    Raises:
        RuntimeError: It is.
    """
    if not peer.mcp or not peer.search or not peer.write:
        return
    written = (peer.write[0], _put(peer.write[1], "").copy())
    calls = [peer.search(" ".join(texts[0].split()[:3])), written]
    for tool, given in calls[: 2 if len(texts) <= peer.written else 1]:
        told = _called(peer, port, session, tool, given)
        if '"isError":true' in told.replace(" ", "") or '"error":{' in told:
            raise RuntimeError(f"{peer.name}, {tool}: {told[:400]}")


def install(folder: Path) -> None:
    """Get them from their registries."""
    for peer in peers(folder):
        if not peer.install or peer.program.exists():
            continue
        print(f"{peer.name}: {' '.join(peer.install)}", flush=True)
        if peer.install[0] == "npm":
            (folder / "node").mkdir(parents=True, exist_ok=True)
            (folder / "node" / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            command = ["npm", "install", "--no-audit", "--no-fund", *peer.install[1:]]
            subprocess.run(command, cwd=folder / "node", check=False)
            continue
        place = peer.program.parents[1]
        venv.create(place, with_pip=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *peer.install], check=False)


if __name__ == "__main__":
    install(Path(sys.argv[1]))
