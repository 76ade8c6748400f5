"""A server that was started outside of any project works on the client's."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ListRootsResult, Root

from mind.domain.errors import ProjectError
from mind.memory.memory import Memory
from mind.server.mcp import app
from mind.storage.project import Project

MODES = ("auto", "legacy")


def nowhere() -> Memory:
    raise ProjectError("no .mind here or above it")


def called(
    mode: str, roots: list[Path] | None, *, open_in: Any = Memory.open, message: str = "one fact"
) -> str:
    async def listed(_context: object) -> ListRootsResult:
        assert roots is not None
        return ListRootsResult(roots=[Root(uri=one.as_uri()) for one in roots])  # type: ignore[arg-type] # a text

    async def run() -> str:
        given: dict[str, Any] = {} if roots is None else {"list_roots_callback": listed}
        built = app.build(nowhere, open_in=open_in)
        async with Client(built, mode=mode, **given) as client:
            said = {"message": message, "type": "decision"}
            result = await client.call_tool("mind_log", said)
            return str(result.content[0].text)  # type: ignore[union-attr]

    return anyio.run(run)


@pytest.mark.parametrize("mode", MODES)
def test_the_first_root_with_a_memory_is_the_project(
    project: Project, tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    inside = project.root / "src"
    inside.mkdir()
    assert called(mode, [empty, inside]).startswith("Recorded decision ")
    assert "decided: one fact" in project.memory.read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", MODES)
def test_where_no_root_has_a_memory_the_answer_says_how_to_make_one(
    tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    for roots in ([empty], [], None):
        assert called(mode, roots).startswith("no .mind")
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("mode", MODES)
def test_a_project_that_was_named_is_not_exchanged(project: Project, mode: str) -> None:
    before = project.memory.read_bytes()
    assert called(mode, [project.root], open_in=None).startswith("no .mind")
    assert project.memory.read_bytes() == before
