"""Stores that the real tools wrote: every memory once, found with its words in any order."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from mind.documents import parser
from mind.domain.entry import Entry
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project
from tests import real_stores
from tests.bench.servers import sentence
from tests.conftest import Clock

COUNT = 30


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    root = tmp_path / "shop"
    root.mkdir()
    install.apply(install.plan(root))
    with closing(Memory(Project(root), clock=clock)) as memory:
        yield memory


def entries(memory: Memory) -> list[Entry]:
    source = memory.project.memory.read_bytes()
    return parser.parse(source, ".mind/MEMORY.md", memory.project.settings)


def check(memory: Memory, source: str, path: Path, expected: int) -> None:
    """Counts match, a second run adds nothing, and each sentence is found by words of it."""
    first = memory.import_from(source, path)
    assert (first.count("added"), len(first.rows)) == (expected, expected)
    before, ids = memory.project.memory.read_bytes(), [one.id for one in entries(memory)]
    again = memory.import_from(source, path)
    assert (again.count("added"), again.count("known")) == (0, expected)
    assert memory.project.memory.read_bytes() == before
    assert [one.id for one in entries(memory)] == ids
    for number in range(COUNT):
        words = sentence(number).split()[1:13]
        hits = memory.search(" ".join(reversed(words)), limit=10).hits
        assert any(sentence(number) in hit.entry.text for hit in hits), number
        assert all(
            hit.entry.fields["from"].startswith(f"{source}:")
            for hit in hits
            if sentence(number) in hit.entry.text
        )


def need(*programs: Path) -> None:
    for program in programs:
        if not program.exists():
            pytest.skip(f"{program} is not installed: make test-stores")


@pytest.mark.client
def test_the_graph_of_server_memory(shop: Memory, home: Path) -> None:
    need(real_stores.NODE_PROGRAM, real_stores.SERVER_MEMORY)
    path, server = real_stores.server_memory(home, COUNT)
    try:
        check(shop, "server-memory", path, 2 * COUNT)
    finally:
        server.close()
    assert "Part 4" in str(shop.traverse("Part 3", depth=1))


@pytest.mark.client
def test_the_notes_of_bettermemory(shop: Memory, home: Path) -> None:
    need(real_stores.BETTERMEMORY)
    path, server = real_stores.bettermemory(home, COUNT)
    try:
        check(shop, "bettermemory", path, COUNT)
    finally:
        server.close()
    made = [one for one in entries(shop) if "from" in one.fields]
    assert {one.date for one in made} <= {
        date.fromisoformat(one.name[:10]) for one in path.glob("2*")
    }
    assert {one.tags for one in made} == {("load",)}


@pytest.mark.stores
def test_the_notes_of_basic_memory(shop: Memory, home: Path) -> None:
    need(real_stores.BASIC_MEMORY)
    path, server = real_stores.basic_memory(home, COUNT)
    try:
        check(shop, "basic-memory", path, 3 * COUNT)
    finally:
        server.close()


@pytest.mark.stores
def test_the_database_of_claude_mem(shop: Memory, home: Path) -> None:
    need(real_stores.BUN, real_stores.CLAUDE_MEM)
    path = real_stores.claude_mem(home, COUNT)
    check(shop, "claude-mem", path, COUNT + 1)
    assert shop.import_from("claude-mem", path, dry_run=True).left_out == {"of other projects": 3}
