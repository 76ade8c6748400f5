"""Reading only what was appended: the same entries as reading the whole file anew."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mind.domain.entry import Entry
from mind.domain.settings import Settings
from mind.memory import sync
from mind.memory.memory import Memory
from mind.memory.sync import LastChunk, cut
from mind.storage.index import Index
from mind.storage.project import Project
from tests.conftest import Clock

DAY = b"## 2026-11-20\n\n"
PLAIN = st.sampled_from(
    [
        b"decided: one\n",
        b"learned: two\n  more of it\n",
        b"problem: three\r\n",
        b"\n",
        b"fixed: x",
        b"- decided: one\n",
        b"- learned: two\n  more of it\n",
        b"- rejected: four\n  \\- five\n",
    ]
)
OTHER = st.sampled_from(
    [b"## 2026-11-21\n\n", b"### Decision 4: x\n", b"- **Why:** because\n", b"- loose item\n",
     b"Title\n", b"====\n", b"```\n", b"<!--\n", b"[2026-01-20 09:00] - dated\n", b"# Gotchas\n",
     b"\xff\n", b"  ```\n"]
)  # fmt: skip
MANY = [b"learned: the service number %d listens\n" % at for at in range(600)]
STEPS = st.lists(st.one_of(PLAIN, PLAIN, OTHER), max_size=12)
STARTS = st.sampled_from(
    [b"", DAY, b"# Memory\n\n" + DAY, DAY + b"decided: y\n" * 230,
     DAY + b"- decided: y\n" * 230, b"## Why we chose this\n\n" + b"- decided: y\n" * 230]
)  # fmt: skip


def entries(index: Index) -> list[Entry]:
    return index.entries()


def refreshed(index: Index, source: bytes, known: LastChunk | None) -> LastChunk | None:
    """Put ``source`` into the index as a refresh does."""
    made = cut(source, "a.md", Settings(), known)
    with index.writing():
        index.replace(
            "a.md", family="memory", rank=0, stamp="", chunks=made.chunks, first=made.first
        )
    return made.tail


@given(STARTS, STEPS)
@example(DAY + b"decided: y\n" * 195, [b"decided: one\n"] * 12)
@example(DAY + b"".join(MANY[:180]), MANY[180:])
@example(DAY + b"decided: y\n", [b"```\n", b"decided: one\n"])
@example(b"### Decision 4: x\n" + DAY, [b"learned: two\n  more of it\n", b"- **Why:** because\n"])
@settings(deadline=None)
def test_what_is_appended_step_by_step_reads_as_the_whole(start: bytes, steps: list[bytes]) -> None:
    kept, anew = Index(None), Index(None)
    source = start
    tail = refreshed(kept, source, None)
    for step in steps:
        source += step
        tail = refreshed(kept, source, tail)
    refreshed(anew, source, None)
    assert entries(kept) == entries(anew)
    kept.close()
    anew.close()


def test_lines_as_mind_writes_them_are_read_from_the_last_chunk_on() -> None:
    source = DAY + b"decided: y\n" * 230
    first = cut(source, "a.md", Settings())
    assert first.tail
    more = cut(source + b"learned: new\n", "a.md", Settings(), first.tail)
    assert more.first == len(first.chunks) - 1 > 0
    assert more.tail == LastChunk.from_json(more.tail.to_json()) if more.tail else False
    assert more.digest == cut(source + b"learned: new\n", "a.md", Settings()).digest


def test_an_edit_above_or_another_kind_of_line_reads_the_whole() -> None:
    source = DAY + b"decided: y\n" * 230
    known = cut(source, "a.md", Settings()).tail
    assert (
        cut(source.replace(b"y", b"z", 1) + b"learned: n\n", "a.md", Settings(), known).first == 0
    )
    assert cut(source + b"- loose\n", "a.md", Settings(), known).first == 0
    assert cut(source[:-5], "a.md", Settings(), known).first == 0
    assert cut(b"# Memory\n\ntext\n", "a.md", Settings()).tail is None
    assert LastChunk.from_json("") is None


def test_other_settings_read_the_whole(project: Project, clock: Clock) -> None:
    memory = Memory(project, clock=clock)
    memory.log("one", "decision")
    memory.checkpoint()
    memory.configure("parser.keywords", '{"gotcha": ["trap"]}')
    with project.memory.open("a", encoding="utf-8") as file:
        file.write("trap: the cache\n")
    assert sync.refresh(memory.project, memory.index).change.added
    assert [one.kind.value for one in memory.index.entries()] == ["decision", "gotcha"]
    memory.close()


def test_a_line_less_in_the_morning_leaves_the_rest_of_a_busy_day_as_it_was() -> None:
    def digests(lines: list[bytes]) -> list[bytes]:
        made = cut(DAY + b"".join(lines), "a.md", Settings())
        return [chunk.digest for chunk in made.chunks]

    whole = digests(MANY)
    assert 600 / 100 < len(whole) < 600 / 25
    for at in (0, 3, 60, 300):
        assert len(set(digests(MANY[:at] + MANY[at + 1 :])) - set(whole)) <= 2
    alike = digests([b"decided: y\n"] * 1_000)
    assert 1_000 / 200 <= len(alike) <= 1 + 1_000 / 25  # whatever their lines are


def test_items_as_mind_writes_them_are_divided_and_read_as_lines_without_the_mark() -> None:
    lines = b"".join(
        b"learned: the service number %d listens\n  on port %d\n" % (at, at) for at in range(600)
    )
    items = lines.replace(b"learned", b"- learned")
    for heading in (DAY, b"## Why we chose this\n\n"):
        marked, bare = (cut(heading + body, "a.md", Settings()) for body in (items, lines))
        assert len(marked.chunks) > 10
        told = [
            [
                (one.id, one.kind, one.text, one.line)
                for chunk in made.chunks
                for one in chunk.parse()
            ]
            for made in (marked, bare)
        ]
        assert told[0] == told[1]


def test_an_item_reads_the_same_among_other_items(project: Project, clock: Clock) -> None:
    memory = Memory(project, clock=clock)
    entry = memory.log("the list:\n- a\n# b", "learning").entry
    source = project.memory.read_bytes()
    assert b"\n- learned: the list:\n  \\- a\n  \\# b\n" in source
    for after in (b"- loose item\n", b"**Why:** because\n", b"decided: an earlier version\n"):
        project.memory.write_bytes(source + after)
        there = {one.id: one.text for one in memory.index_entries()}
        assert there[entry.id] == entry.text
        assert len(there) == 2
    memory.close()
