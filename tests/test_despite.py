"""A decision to do what was rejected is marked as one wherever it is shown."""

import json

import anyio
from mcp import Client

from mind.memory.memory import Memory
from mind.server.mcp import app as mcp
from mind.storage.project import Project
from tests.conftest import Run

REJECTED = "Redis for sessions - one more server to run. Postgres instead."
DECIDED = "Redis for sessions, because logins are too slow"
MARK = "(despite: Redis for sessions)"


def call(project: Project, name: str, given: dict[str, object]) -> str:
    """The answer of a tool."""

    async def run() -> str:
        async with Client(mcp.build(lambda: Memory(project), "core,search")) as client:
            result = await client.call_tool(name, given)
            return str(result.content[0].text)  # type: ignore[union-attr]

    return anyio.run(run)


def decided(memory: Memory) -> tuple[str, str]:
    """The ids of a rejection and of a decision that goes against it."""
    written(memory, f"- rejected: {REJECTED}")
    (rejected,) = memory.log(DECIDED, "decision").loops
    (found,) = memory.search("kind:decision").hits
    return rejected.earlier.id, found.entry.id


def written(memory: Memory, lines: str) -> None:
    """Write the tracked memory by hand."""
    memory.project.memory.write_text(f"## 2026-11-20\n\n{lines}\n", "utf-8")
    memory.checkpoint()


def test_the_block_marks_it_in_tracked_files_too(memory: Memory) -> None:
    decided(memory)
    block = memory.recall().context
    assert f"- {DECIDED} {MARK} (" in block
    assert MARK in (memory.project.root / "CLAUDE.md").read_text("utf-8")


def test_the_mark_goes_with_the_rejection(memory: Memory) -> None:
    rejected, _ = decided(memory)
    memory.forget(rejected, "we run Redis now", acknowledge=True)
    assert "despite" not in memory.recall().context


def test_a_rejection_of_this_machine_alone_is_not_named_in_a_tracked_file(memory: Memory) -> None:
    memory.log(REJECTED, "rejected")
    memory.log(DECIDED, "decision")
    assert MARK in memory.recall().context
    assert "despite" not in (memory.project.root / "CLAUDE.md").read_text("utf-8")


def test_two_rejections_are_named(memory: Memory) -> None:
    first = memory.log(REJECTED, "rejected").entry.id
    second = memory.log("Redis for the job queue - lost jobs", "rejected").entry.id
    written(memory, f"- decided: Redis [despite:: {first}, {second}, xxxxxxxx]")
    line = next(one for one in memory.recall().context.splitlines() if "despite" in one)
    assert "Redis for sessions; Redis for the job queue)" in line


def test_commands_show_it_with_day_and_reason(mind: Run, here: Project) -> None:
    rejected, decision = decided(Memory(here))
    said = f"rejected {rejected} of "
    assert said in mind("show", decision)[1]
    assert "one more server to run" in mind("show", decision)[1]
    assert f"despite {said}" in mind("search", "redis sessions logins")[1]
    assert f"despite {said}" in mind("search", "redis sessions logins", "--explain")[1]
    found = json.loads(mind("show", decision, "--json")[1])
    assert found[0]["verdict"]["despite"][0].startswith(said)


def test_a_recall_says_it_of_decisions_that_the_block_has_no_room_for(
    mind: Run, here: Project
) -> None:
    rejected, decision = decided(Memory(here))
    others = [f"- decided: shelf {n} is painted in the colour of ward {n}" for n in range(30)]
    lines = [f"- rejected: {REJECTED}", f"- decided: {DECIDED} [despite:: {rejected}]", *others]
    written(Memory(here), "\n".join(lines))
    (here.root / "CLAUDE.md").unlink()
    mind("config", "context.budget_tokens", "200")
    _, omitted = mind("recall")[1].split("## Not in the block")
    line = next(one for one in omitted.splitlines() if decision in one)
    assert f"despite rejected {rejected} of 2026-11-20: {REJECTED}" in line
    _, omitted = call(Project(here.root), "mind_recall", {}).split("## Not in the block")
    line = next(one for one in omitted.splitlines() if decision in one)
    assert f"despite rejected {rejected} of 2026-11-20: {REJECTED}" in line


def test_tools_show_it_with_day_and_reason(project: Project) -> None:
    rejected, decision = decided(Memory(project))
    said = f"despite rejected {rejected} of "
    tools: list[tuple[str, dict[str, object]]] = [
        ("mind_get", {"ids": [decision]}),
        ("mind_search", {"query": "redis sessions logins"}),
        ("mind_timeline", {"anchor": decision}),
    ]
    for tool, given in tools:
        text = call(project, tool, given)
        assert said in text
        assert "one more server to run" in text
    assert MARK in call(project, "mind_recall", {"block": True})
