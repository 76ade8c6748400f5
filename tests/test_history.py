"""What happened around an entry or a day, and lately; pages of lists, against plain sorting."""

from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Entry, Kind, content_id
from mind.domain.errors import DateNotUnderstood, InputError, NotFound
from mind.memory.memory import Memory
from mind.search import timeline
from mind.storage.index import EVERY, Chunk, Filter, Index

DAY = date(2026, 11, 10)
SOURCES = (
    ("b.md", "memory", 0),
    ("a.md", "session", 1),
    ("c.py", "comments", 2),
    ("d.py", "comments", 2),
    ("//commits", "commits", 3),
)

Told = tuple[int, str | None]
"""Days after DAY, or none; and a text that others may have too."""
days = st.one_of(st.none(), st.integers(-2, 2).map(lambda by: (DAY + timedelta(by)).isoformat()))
chunks = st.lists(st.tuples(st.sampled_from("abcdefgh"), days), max_size=4)
memories = st.lists(st.lists(chunks, max_size=3), min_size=1, max_size=len(SOURCES))


def entry(text: str, day: str | None, path: str, line: int) -> Entry:
    when = date.fromisoformat(day) if day else None
    kind = Kind.DECISION if text < "e" else Kind.NOTE
    identifier = content_id(text)
    return Entry(id=identifier, kind=kind, text=text, date=when, source=path, line=line)


def filled(told: Sequence[Sequence[Sequence[tuple[str, str | None]]]]) -> Index:
    index = Index(None)
    with index.writing():
        for (path, family, rank), of in zip(SOURCES, told, strict=False):
            made = []
            for number, texts in enumerate(of):
                entries = [entry(*one, path, at) for at, one in enumerate(texts, 10 * number + 1)]
                digest = f"{path}{number}".encode()
                made.append(Chunk(digest, 0, 0, lambda entries=entries: entries))  # type: ignore[misc]
            index.replace(path, family=family, rank=rank, stamp="1", chunks=made)
    return index


def in_time(entries: Sequence[Entry]) -> list[Entry]:
    """Those with a date, oldest first, those of a day as they stand in the files."""
    return sorted((one for one in entries if one.date), key=lambda one: one.date or date.min)


@given(memories, st.integers(0, 4), st.integers(0, 4))
def test_beside_an_entry_stand_its_neighbours_in_time(
    told: Sequence[Sequence[Sequence[tuple[str, str | None]]]], before: int, after: int
) -> None:
    with closing(filled(told)) as index:
        everything = index.entries()
        for one in everything:
            notes = [other for other in everything if other.source == "a.md" and not other.date]
            others = [*in_time(everything), *notes]
            if one not in others:
                others = [other for other in everything if other.source == one.source]
            at = others.index(one)
            assert index.beside(one, before, after) == (
                others[max(0, at - before) : at],
                others[at + 1 : at + 1 + after],
            )


FILTERS = (
    EVERY,
    Filter(kinds=(Kind.DECISION,)),
    Filter(kinds=(Kind.NOTE, Kind.DECISION)),
    Filter(kinds=(Kind.NOTE, Kind.GOAL), families=("memory", "comments")),
    Filter(kinds=(Kind.NOTE, Kind.DECISION), since=DAY),
)


@given(memories, st.integers(1, 5), st.sampled_from(FILTERS))
def test_pages_of_a_list_have_no_overlaps_and_no_gaps(
    told: Sequence[Sequence[Sequence[tuple[str, str | None]]]], size: int, which: Filter
) -> None:
    with closing(filled(told)) as index:
        files = index.entries(which)
        dated, undated = in_time(files), [one for one in files if not one.date]
        assert index.count(which) == len(files)
        oldest = [*dated, *undated]
        assert index.page(which, "oldest", -1) == oldest
        newest = index.page(which, "newest", -1)
        assert [one.date for one in newest] == [
            *(one.date for one in reversed(dated)),
            *(None for _ in undated),
        ]
        for order, expected in (("files", files), ("oldest", oldest), ("newest", newest)):
            paged: list[Entry] = []
            for offset in range(0, len(files) + size, size):
                paged += index.page(which, order, size, offset)  # type: ignore[arg-type]
            assert paged == expected


@given(memories, st.integers(0, 3), st.integers(1, 6))
def test_around_a_day_the_nearest_come_first(
    told: Sequence[Sequence[Sequence[tuple[str, str | None]]]], within: int, limit: int
) -> None:
    with closing(filled(told)) as index:
        found = timeline.around(index, DAY, within, EVERY, limit)
        away = [abs((one.date - DAY).days) for one in index.entries() if one.date]
        near = sorted(by for by in away if by <= within)
        shown = [abs((one.date - DAY).days) for one in found.entries if one.date]
        assert (shown, found.total) == (near[:limit], len(near))
        assert len({one.id for one in found.entries}) == len(found.entries)


def test_of_the_first_and_the_last_entry_there_is_one_side() -> None:
    with closing(filled([[[("a", "2026-01-01"), ("b", "2026-01-02"), ("c", None)]]])) as index:
        first, last, undated = index.entries()
        assert index.beside(first, 5, 5) == ([], [last])
        assert index.beside(last, 5, 5) == ([first], [])
        assert index.beside(undated, 5, 5) == ([first, last], [])
        assert index.beside(last, 0, 0) == ([], [])


def test_beside_what_is_gone_stands_nothing() -> None:
    with closing(filled([])) as index:
        assert index.beside(entry("gone", None, "b.md", 1), 5, 5) == ([], [])


def test_a_repeat_that_is_not_shown_does_not_lend_its_day() -> None:
    told = [
        [[("a", "2026-01-01"), ("b", "2026-02-01")]],
        [],
        [],
        [],
        [[("b", "2020-01-01"), ("c", "2020-01-02")]],
    ]
    with closing(filled(told)) as index:
        found = index.get(content_id("b"))
        assert found is not None
        assert found.date == date(2026, 2, 1)
        assert [one.text for one in index.beside(found, 5, 5)[0]] == ["c", "a"]


@pytest.mark.parametrize("day", [date.min, date.max])
def test_around_the_ends_of_the_calendar(day: date) -> None:
    told = [[[("a", "0001-01-01"), ("b", "0001-01-02"), ("c", "9999-12-31")]]]
    with closing(filled(told)) as index:
        found = timeline.around(index, day, 3_660, EVERY, 10)
        assert [one.text for one in found.entries] == (["a", "b"] if day == date.min else ["c"])
        for one in index.entries():
            earlier, later = index.beside(one, 9, 9)
            assert [other.text for other in (*earlier, one, *later)] == ["a", "b", "c"]


def test_lists_of_time_walk_along_the_dates(tmp_path: Path) -> None:
    """The plans of SQLite, where a sort of every entry would cost half a second."""
    with closing(Index(tmp_path / "index.db")) as index:
        plans: list[str] = []

        def explain(statement: str) -> None:
            if statement.startswith("SELECT e.id"):
                rows = index.db.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
                plans.append(" | ".join(row[3] for row in rows))

        told = entry("a", "2026-01-01", "b.md", 1)
        with index.writing():
            chunk = Chunk(b"1", 0, 0, lambda: [told])
            index.replace("b.md", family="memory", rank=0, stamp="1", chunks=[chunk])
        index.db.set_trace_callback(explain)
        index.beside(told, 5, 5)
        timeline.around(index, DAY, 7, EVERY, 20)
        index.page(EVERY, "newest", 10)
        index.db.set_trace_callback(None)
        assert len(plans) == 6
        notes = plans.pop(1)
        assert "entry_chunk" in notes
        for plan in plans:
            assert "entry_date" in plan
            assert "TEMP B-TREE FOR ORDER BY" not in plan  # only "FOR RIGHT PART OF ORDER BY"


# --- through the memory --------------------------------------------------------------------

TEXT = """# Notes

learned: undated facts stand before any day

## 2026-11-09

decided: SQLite over Postgres - one file
learned: Redis evicts keys under memory pressure

## 2026-11-16

problem: Safari drops the session cookie [verified:: 2026-11-17] ^cookie1

## 2026-11-20

decided: keep sessions on the server because cookies are dropped
"""


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.project.memory.write_text(TEXT, encoding="utf-8")
    return memory


def titles(entries: Sequence[Entry]) -> list[str]:
    return [one.text.split()[0] for one in entries]


def test_details_come_in_the_order_they_are_asked_for(told: Memory) -> None:
    ids = [one.id for one in told.index_entries()]
    wanted = [ids[3], f"^{ids[1]}", f"[[{ids[3]}]]", "zzzzzzzz", "\ud800", "'; DROP TABLE entry"]
    found = told.get(wanted)
    assert [one.id for one in found.entries] == [ids[3], ids[1]]
    assert found.missing == ("zzzzzzzz", "\ud800", "'; DROP TABLE entry")
    assert told.get(["[[ ^cookie1 ]]"]).entries[0].text.startswith("Safari")


@pytest.mark.parametrize("ids", [[], ["", " ", "^"], [str(number) for number in range(51)]])
def test_no_ids_or_too_many_are_an_error(told: Memory, ids: list[str]) -> None:
    with pytest.raises(InputError, match="ids") as caught:
        told.get(ids)
    assert "1 to 50" in caught.value.remedy


@pytest.mark.parametrize(
    "anchor", ["cookie1", " ^cookie1", "[[cookie1]]", "Safari cookie", "id:cookie1"]
)
def test_a_timeline_begins_from_an_id_or_words(told: Memory, anchor: str) -> None:
    found = told.timeline(anchor, before=1, after=5)
    assert found.anchor.id == "cookie1"
    assert (titles(found.before), titles(found.after)) == (["Redis"], ["keep"])


def test_a_timeline_that_cannot_be(told: Memory) -> None:
    for anchor in ("", "  "):
        with pytest.raises(InputError, match="the anchor is empty"):
            told.timeline(anchor)
    with pytest.raises(NotFound, match="no entry 'kubernetes'"):
        told.timeline("kubernetes")
    for wrong in (-1, 51):
        with pytest.raises(InputError, match=f"before is {wrong}"):
            told.timeline("cookie1", before=wrong)
        with pytest.raises(InputError, match=f"after is {wrong}"):
            told.timeline("cookie1", after=wrong)


def test_around_an_entry_or_a_date(told: Memory) -> None:
    found = told.around("cookie1", days=7)
    assert (found.day, found.total) == (date(2026, 11, 16), 4)
    assert titles(found.entries) == ["Safari", "keep", "Redis", "SQLite"]
    assert titles(told.around("2026-11-19", days=1).entries) == ["keep"]
    assert titles(told.around("yesterday", days=3, kinds=["problem"]).entries) == ["Safari"]
    assert titles(told.around("yesterday", days=1).entries) == ["keep"]
    limited = told.around("cookie1", limit=1)
    assert (titles(limited.entries), limited.total) == (["Safari"], 4)
    assert told.around("0001-01-01").entries == told.around("9999-12-31").entries == ()


def test_around_what_has_no_date(told: Memory) -> None:
    undated = next(one for one in told.index_entries() if one.date is None)
    with pytest.raises(InputError, match="has no date") as caught:
        told.around(undated.id)
    assert "timeline" in caught.value.remedy
    with pytest.raises(DateNotUnderstood, match="'zzzzzzzz' names no time"):
        told.around("zzzzzzzz")
    for wrong in (-1, 3_661):
        with pytest.raises(InputError, match=f"days is {wrong}"):
            told.around("cookie1", days=wrong)
    for wrong in (0, 51):
        with pytest.raises(InputError, match=f"limit is {wrong}"):
            told.around("cookie1", limit=wrong)


def test_the_latest(told: Memory) -> None:
    found = told.recent(limit=2)
    assert titles([hit.entry for hit in found.hits]) == ["keep", "Safari"]
    assert found.total == 5
    assert titles([hit.entry for hit in told.recent(limit=3, offset=2).hits]) == [
        "Redis", "SQLite", "undated",
    ]  # fmt: skip
    assert titles([hit.entry for hit in told.recent(kinds=["decision"]).hits]) == ["keep", "SQLite"]
    for limit, offset in ((0, 0), (101, 0), (1, -1), (1, 1_000_001)):
        with pytest.raises(InputError, match="is"):
            told.recent(limit=limit, offset=offset)
