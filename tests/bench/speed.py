"""CPU time of starting, writing, recalling and searching, as ratios within one run.

Every figure is CPU milliseconds (user and system) of the whole process, the median of several
runs. The server is spoken to over real stdio.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mind.setup import install
from tests.bench.servers import Server, sentence

BIN = Path(sys.executable).parent
BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool
async def listed(context, params):
    return ListToolsResult(tools=[Tool(name="echo", input_schema={"type": "object"})])
async def called(context, params):
    return CallToolResult(content=[TextContent(type="text", text="hello")])
async def main():
    server = Server("bare", on_list_tools=listed, on_call_tool=called)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
anyio.run(main)
"""


def cpu_of(command: Sequence[str], times: int = 11, stdin: bytes = b"") -> float:
    """Median CPU milliseconds of a whole process."""
    spent = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=stdin, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * statistics.median(spent)


def filled(root: Path, count: int) -> Path:
    """A project whose memory has ``count`` entries over many days."""
    root.mkdir()
    install.apply(install.plan(root))
    kinds = ("decided", "learned", "problem", "fixed", "gotcha", "rejected")
    lines = ["# bench", ""]
    for number in range(count):
        if number % 25 == 0:
            lines += ["", f"## {day(number)}", ""]
        lines.append(f"{kinds[number % len(kinds)]}: {sentence(number)}")
    (root / ".mind" / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def mind_server(root: Path) -> Server:
    """Mind's server on a project."""
    return Server([str(BIN / "mind"), "mcp"], {"MIND_PROJECT": str(root)})


def day(number: int) -> str:
    """A day for an entry: 25 entries a day, 28 days a month."""
    days = number // 25
    return f"20{10 + days // 336:02}-{days // 28 % 12 + 1:02}-{days % 28 + 1:02}"


def starts() -> None:
    """Programs against a bare interpreter."""
    bare = cpu_of([sys.executable, "-c", "pass"])
    print(f"python -c pass                {bare:8.1f} ms")
    for name, command in (
        ("mind --version", [str(BIN / "mind"), "--version"]),
        ("mind --help", [str(BIN / "mind"), "--help"]),
    ):
        spent = cpu_of(command)
        print(f"{name:30}{spent:8.1f} ms  {spent / bare:5.2f} x")


EDITED = "def total(rows, rate):\n    found = collect(rows)\n    return sum(found) * rate\n" * 20
HOOKS: tuple[tuple[str, dict[str, object]], ...] = (
    ("SessionStart", {"source": "startup"}),
    ("SessionStart, resumed", {"source": "resume"}),
    ("UserPromptSubmit", {"prompt": "make the report of the week load in less than a second"}),
    ("PreToolUse, an edit", {"tool_name": "Edit", "tool_input": {
        "file_path": "app.py", "old_string": "pass", "new_string": EDITED}}),
    ("PreToolUse, a command", {"tool_name": "Bash", "tool_input": {
        "command": "make check && pytest -q tests/test_app.py"}}),
    ("PostToolUse, an edit", {"tool_name": "Edit", "tool_input": {
        "file_path": "app.py", "old_string": "pass", "new_string": EDITED}}),
    ("PreCompact", {"trigger": "auto"}),
    ("Stop", {"stop_hook_active": False}),
    ("SessionEnd", {"reason": "other"}),
)  # fmt: skip


def hooks(folder: Path, sizes: Sequence[int]) -> None:
    """Each event of a client when nothing is new, against a bare interpreter, by size."""
    program = [str(BIN / "mind-hook")]
    roots = [repository(folder / f"hooks{size}", size) for size in sizes]
    bare = cpu_of([sys.executable, "-c", "pass"], 41)
    print(f"{'python -c pass':30}{bare:8.1f} ms")
    print(f"{'':30}" + "".join(f"{size:>10,} entries" for size in sizes))
    events = [*HOOKS, ("where there is no memory", {})]
    for name, fields in events:
        spent = []
        for number, root in enumerate(roots):
            cwd = folder if name.startswith("where") else root
            given = {"cwd": str(cwd), **fields}
            if name != "SessionStart":  # without a name each is a new one
                given["session_id"] = f"s{number}"
            given["hook_event_name"] = name.partition(",")[0] if fields else "Stop"
            stdin = json.dumps(given).encode()
            cpu_of(program, 2, stdin)  # what is new is read
            spent.append(cpu_of(program, 31, stdin))
        ratios = "".join(f"{one:9.1f} {one / bare:5.2f} x" for one in spent)
        print(f"{name:30}{ratios}   {spent[-1] / spent[0]:.2f} x")
    for name, fields in (HOOKS[3], HOOKS[7]):
        spent = [after_a_change(root, program, name.partition(",")[0], fields) for root in roots]
        print(f"{name + ', MEMORY.md is new':38}" + "".join(f"{one:9.1f} ms" for one in spent))


def after_a_change(root: Path, program: Sequence[str], name: str, fields: object) -> float:
    """Median CPU of the event that finds an entry more in the memory."""
    given = {"hook_event_name": name, "session_id": "s0", "cwd": str(root)}
    stdin = json.dumps(given | dict(fields) if isinstance(fields, dict) else given).encode()
    spent = []
    for number in range(5):
        with (root / ".mind" / "MEMORY.md").open("a", encoding="utf-8") as memory:
            memory.write(f"gotcha: {sentence(10**6 + number)}\n")
        spent.append(cpu_of(program, 1, stdin))
    return statistics.median(spent)


def repository(root: Path, count: int) -> Path:
    """A git repository with a commit, whose memory has ``count`` entries."""
    filled(root, count)
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
    for arguments in (
        ["init", "--quiet"],
        ["add", "."],
        [*who, "commit", "--quiet", "-m", "begin"],
    ):
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return root


def server_start(root: Path) -> None:
    """From the start to the list of tools."""
    figures: dict[str, list[tuple[float, float]]] = {"bare server": [], "mind mcp": []}
    makers: list[tuple[str, Callable[[], Server]]] = [
        ("bare server", lambda: Server([sys.executable, "-c", BARE_SERVER])),
        ("mind mcp", lambda: mind_server(root)),
    ]
    for _ in range(7):
        for name, make in makers:
            server = make()
            figures[name].append((server.cpu(), server.memory()))
            server.close()
    medians = {name: statistics.median(cpu for cpu, _ in rows) for name, rows in figures.items()}
    for name, rows in figures.items():
        size = statistics.median(memory for _, memory in rows)
        ratio = medians[name] / medians["bare server"]
        print(f"{name:30}{medians[name]:8.1f} ms  {ratio:5.2f} x  {size:5.0f} MB")


def calls(folder: Path, sizes: Sequence[int]) -> None:
    """Writing, recalling and searching at several sizes."""
    print(f"{'':30}" + "".join(f"{size:>10,}" for size in sizes))
    rows: dict[str, list[float]] = {}
    for size in sizes:
        server = mind_server(filled(folder / f"p{size}", size))
        server.ask("tools/call", name="mind_recall", arguments={})
        server.per_call([("mind_log", {"message": "warm up", "type": "decision"})] * 3)
        queries = [{"query": " ".join(sentence(n).split()[1:9:3])} for n in range(0, 80, 2)]
        figures = {
            "mind_log": server.per_call(
                [
                    ("mind_log", {"message": sentence(10**6 + n), "type": "decision"})
                    for n in range(100)
                ]
            ),
            "mind_recall after a change": server.per_call([("mind_recall", {})]),
            "mind_recall unchanged": server.per_call([("mind_recall", {})] * 50),
            "mind_search": server.per_call([("mind_search", query) for query in queries]),
            "mind_edges": server.per_call([("mind_edges", {"intent": sentence(7)})] * 10),
            "memory MB": server.memory(),
        }
        for name, value in figures.items():
            rows.setdefault(name, []).append(value)
        server.close()
    for name, values in rows.items():
        ratio = f"   {values[-1] / values[0]:.2f} x" if values[0] else ""
        print(f"{name:30}" + "".join(f"{value:10.2f}" for value in values) + ratio)


def main() -> None:
    """Print all tables."""
    sizes = (100, 1_000, 10_000)
    sections: list[tuple[str, Callable[[Path], None]]] = [
        ("Starting, CPU", lambda _folder: starts()),
        ("A hook when nothing is new, CPU", lambda folder: hooks(folder, (sizes[0], sizes[-1]))),
        (
            "The server, from start to the list of tools, CPU",
            lambda folder: server_start(filled(folder / "start", 100)),
        ),
        ("A call over stdio by size of memory, CPU ms", lambda folder: calls(folder, sizes)),
    ]
    with tempfile.TemporaryDirectory(prefix="mind-bench-") as name:
        os.environ["MIND_HOME"] = str(Path(name) / "home")
        for title, measure in sections:
            print(f"\n{title}")
            measure(Path(name))


if __name__ == "__main__":
    main()
