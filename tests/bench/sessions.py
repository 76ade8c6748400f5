"""Thirty sessions of the real client on one repository: `python -m tests.bench.sessions [COUNT]`.

The model is scripted. Each session has a prompt, logs one note and ends. Printed are the block at
the end, which notes it shows, and by how much Mind makes the requests longer, beside the same
sessions without it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.test_real_clients import Model, claude, environment, served, use

NOTES = (
    ("rejected", "{thing} in Redis - it is flushed on every deploy"),
    ("learning", "{thing} needs an index on lower(name), else a search takes seconds"),
    ("gotcha", "`{thing}.load` drops the time zone -> pass tz"),
    ("decision", "{thing} is written by one worker - two of them lock each other"),
    ("progress", "{thing} has tests for empty input"),
)
THINGS = ("orders", "invoices", "stock", "prices", "customers", "exports")
TALK = "make the {thing} page faster. no, we never cache {thing}, because they change every hour"


def prepared(folder: Path, *, mind: bool) -> tuple[Project, dict[str, str]]:
    """A repository, with Mind or without, and the client's environment."""
    root, home = folder / "shop", folder / "home"
    root.mkdir(parents=True)
    (home / ".claude").mkdir(parents=True)
    settings = {"enableAllProjectMcpServers": True}
    (home / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (root / "CLAUDE.md").write_text("# Shop\n\nRun the tests with pytest.\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    env = environment(home)
    if mind:
        init = [sys.executable, "-m", "mind", "init", "--hooks"]
        subprocess.run(init, cwd=root, check=True, capture_output=True, env=env)
    return Project(root), env


def run(project: Project, env: dict[str, str], number: int, *, mind: bool) -> int:
    """One session; the characters of its last request."""
    kind, text = NOTES[number % len(NOTES)]
    thing = THINGS[number // len(NOTES) % len(THINGS)]
    note = text.format(thing=thing)
    said: dict[str, Any] = use(1, "mind_log", message=note, type=kind)
    if not mind:
        said |= {"name": "Bash", "input": {"command": f"echo '{kind}: {note}'"}}
    Model.asked.clear()
    Model.turns[:] = [[said], [{"type": "text", "text": f"The {thing} page is faster."}]]
    prompt = TALK.format(thing=thing)
    allowed = "mcp__mind__mind_log,Bash(echo *)"
    claude(project, env, "-p", prompt, "--allowedTools", allowed)
    return max(len(json.dumps(request, ensure_ascii=False)) for request in Model.asked)


def main(count: int) -> None:
    """Run the sessions, and print what came of them."""
    folder = Path(tempfile.mkdtemp())
    with served(Model) as url:
        sizes: dict[bool, list[int]] = {}
        for mind in (True, False):
            project, env = prepared(folder / str(mind), mind=mind)
            numbers = range(count) if mind else range(0, count, max(1, count // 5))
            env |= {"ANTHROPIC_BASE_URL": url, "ENABLE_TOOL_SEARCH": "true"}  # as by default
            sizes[mind] = [run(project, env, number, mind=mind) for number in numbers]
    root = folder / "True" / "shop"
    block = (root / "CLAUDE.md").read_text(encoding="utf-8")
    print(block)
    memory = Memory(Project(root))
    kinds = ("rejected", "learning", "gotcha", "decision")
    live = [one for one in memory.current() if one.kind.value in kinds]
    shown = [one for one in live if one.title[:40] in block]
    bare = sum(sizes[False]) / len(sizes[False])
    with_mind = sum(sizes[True]) / len(sizes[True])
    print(f"{len(shown)} of {len(live)} rejections, learnings, gotchas, decisions in the block")
    print(f"block and file {len(block) // 4} tokens; request {bare / 4:,.0f} tokens without Mind")
    print(
        f"with Mind {(with_mind / bare - 1):+.1%}, last session {sizes[True][-1] / bare - 1:+.1%}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
