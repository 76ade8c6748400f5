import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Entry, Kind, Span, Status, content_id
from mind.storage.index import Chunk, Filter, Index, RefreshedEntries
from mind.text.terms import query_terms


@pytest.fixture
def index() -> Iterator[Index]:
    opened = Index(None)
    yield opened
    opened.close()


def entry(text: str, line: int = 1, **more: object) -> Entry:
    values = {"kind": Kind.DECISION, "source": "a.md", "end": line, "span": Span(0, len(text))}
    return Entry(id=content_id(text), text=text, line=line, **(values | more))  # type: ignore[arg-type]


def chunk(*texts: str, line: int = 1, **more: object) -> Chunk:
    entries = [entry(text, line + at, **more) for at, text in enumerate(texts)]
    return Chunk("\n".join(texts).encode("utf-8", "replace"), line, 0, lambda: entries)


def put(
    index: Index, *chunks: Chunk, path: str = "a.md", family: str = "memory", rank: int = 0
) -> RefreshedEntries:
    with index.writing():
        return index.replace(path, family=family, rank=rank, stamp="1", chunks=chunks)


def test_entries_come_back_as_they_went_in(index: Index) -> None:
    original = Entry(
        id="abc",
        kind=Kind.PROBLEM,
        text="Safari drops cookies",
        date=date(2026, 11, 20),
        status=Status.OPEN,
        confidence=0.8,
        why='keyword "problem:"',
        reasoning="ITP",
        alternatives=("x", "y"),
        workaround="use the API",
        tags=("web",),
        links=("auth",),
        fields={"verified": "2026-11-20"},
        section=("Top", "2026-11-20"),
        source="a.md",
        line=7,
        end=8,
        span=Span(100, 140),
    )
    put(index, Chunk(b"1", 5, 90, lambda: [original]))
    assert index.get("abc") == original
    assert index.get("nothing") is None


def test_a_chunk_that_only_moved_is_not_parsed_again(index: Index) -> None:
    put(index, chunk("one"), chunk("two", line=3))

    def fail() -> list[Entry]:
        raise AssertionError

    change = put(index, Chunk(b"two", 10, 50, fail), Chunk(b"one", 20, 90, fail))
    assert change == RefreshedEntries()
    assert [(one.text, one.line) for one in index.entries()] == [("two", 10), ("one", 20)]


def test_repeats_are_numbered_and_renumbered_when_the_first_goes(index: Index) -> None:
    first = content_id("same")
    put(index, chunk("same"), chunk("same ", line=5))
    assert [one.id for one in index.entries()] == [first, f"{first}-2"]
    assert put(index, chunk("same ", line=5)) == RefreshedEntries(removed=1)
    assert [one.id for one in index.entries()] == [first]


def test_a_commit_that_repeats_memory_is_not_shown_twice(index: Index) -> None:
    put(index, chunk("use SQLite"))
    put(index, chunk("use SQLite", commit="f" * 40), path="git", family="commits", rank=3)
    assert len(index.entries()) == 1
    with index.writing():
        index.drop("a.md")
    assert [one.commit for one in index.entries()] == ["f" * 40]


def test_extending_a_source_keeps_what_it_had(index: Index) -> None:
    put(index, chunk("one"), path="git", family="commits")
    with index.writing():
        change = index.extend("git", family="commits", rank=3, stamp="2", chunks=[chunk("two")])
    assert change == RefreshedEntries(added=1)
    assert [one.text for one in index.entries()] == ["one", "two"]
    assert index.stamps() == {"git": "2"}
    assert index.paths("commits") == ["git"]


def test_filters_combine(index: Index) -> None:
    put(
        index,
        chunk("old decision", date=date(2026, 1, 1), section=("Log",)),
        chunk("a gotcha", kind=Kind.GOTCHA, date=date(2026, 6, 1), line=5),
        chunk("a problem", kind=Kind.PROBLEM, status=Status.OPEN, line=9),
    )
    put(index, chunk("a note", kind=Kind.NOTE), path="s.md", family="session", rank=1)

    def texts(**filters: Any) -> list[str]:
        return [one.text for one in index.entries(Filter(**filters))]

    assert texts(kinds=(Kind.GOTCHA, Kind.NOTE)) == ["a gotcha", "a note"]
    assert texts(families=("session",)) == ["a note"]
    assert texts(since=date(2026, 2, 1)) == ["a gotcha"]
    assert texts(until=date(2026, 2, 1)) == ["old decision"]
    assert texts(status=Status.OPEN) == ["a problem"]
    assert texts(section="log") == ["old decision"]
    newest = index.entries(newest_first=True, limit=2)
    assert [one.text for one in newest] == ["a gotcha", "old decision"]
    assert index.counts("kind") == {"decision": 1, "gotcha": 1, "note": 1, "problem": 1}
    assert index.counts("family") == {"memory": 3, "session": 1}
    assert index.days() == (date(2026, 1, 1), date(2026, 6, 1))


def test_words_are_found_by_stem_part_and_bigram(index: Index) -> None:
    put(
        index,
        chunk("Migrations run in parseDate and snake_case_name"),
        chunk("café à Montréal", line=3),
        chunk("选择了数据库连接池", line=5),
    )

    def found(query: str) -> list[str]:
        return [one.text[:4] for one, _ in index.match(query_terms(query))]

    assert found("migration") == ["Migr"]
    assert found("date") == ["Migr"]
    assert found("case") == ["Migr"]
    assert found("cafe montreal") == ["café"]
    assert found("数据库") == ["选择了数"]
    assert found("nothing here") == []
    assert index.match([]) == []


@pytest.mark.parametrize(
    "query",
    ['"', "a OR b", "NOT x", "NEAR(a b)", "col:x", "^x", "x*", "-x", "(", ")", "'; DROP TABLE e",
     "\0", "%", "_", "😀", "数据库", "\n\n", "x" * 100_000, "a AND", '"" ""', "{a b}", "+",
     "\ufeff", "\udcff"],
)  # fmt: skip
def test_nothing_in_a_query_is_syntax(index: Index, query: str) -> None:
    put(index, chunk("one entry"))
    index.match(query_terms(query))
    assert [one.text for one, _ in index.match(query_terms(f"{query} entry"))] in (
        ["one entry"],
        [],
    )
    assert len(index.entries()) == 1


@given(st.text(st.characters(codec="latin-1"), max_size=40))
def test_any_text_is_indexed_and_found_by_its_own_words(text: str) -> None:
    index = Index(None)
    put(index, chunk(text))
    terms = [term for term in query_terms(text) if term.isascii() and term.isalnum()]
    if terms:
        assert index.match(terms)
    index.close()


texts = st.sampled_from(["alpha", "beta", "gamma", "delta x", "alpha "])
contents = st.lists(st.lists(texts, min_size=1, max_size=3), max_size=4)


def build(index: Index, sections: list[list[str]]) -> None:
    line = 1
    made = []
    for section in sections:
        made.append(chunk(*section, line=line))
        line += len(section)
    put(index, *made)


@given(st.lists(contents, min_size=1, max_size=5))
def test_any_sequence_of_edits_equals_a_rebuild(versions: list[list[list[str]]]) -> None:
    incremental, fresh = Index(None), Index(None)
    for version in versions:
        build(incremental, version)
    build(fresh, versions[-1])
    assert incremental.entries() == fresh.entries()
    query = ["alpha", "delta"]
    assert sorted(one.id for one, _ in incremental.match(query)) == sorted(
        one.id for one, _ in fresh.match(query)
    )
    incremental.close()
    fresh.close()


def test_notes_and_clearing(index: Index) -> None:
    put(index, chunk("one"))
    with index.writing():
        index.note("a", "1")
    assert (index.meta("a"), index.meta("b")) == ("1", "")
    index.clear()
    assert (index.entries(), index.meta("a"), index.stamps()) == ([], "", {})


def test_a_write_that_fails_leaves_what_was_there(index: Index) -> None:
    put(index, chunk("one"))

    def explode() -> list[Entry]:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        put(index, Chunk(b"new", 1, 0, explode))
    assert [one.text for one in index.entries()] == ["one"]


@pytest.mark.parametrize(
    "damage", [b"", b"not a database at all, but long enough to be read as one"]
)
def test_a_damaged_index_is_replaced(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "cache" / "index.db"
    path.parent.mkdir()
    path.write_bytes(damage)
    index = Index(path)
    put(index, chunk("one"))
    index.close()
    again = Index(path)
    assert [one.text for one in again.entries()] == ["one"]
    again.close()


def test_an_index_of_another_version_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE foreign_table (x)")
    other.close()
    index = Index(path)
    assert index.entries() == []
    index.close()


def test_where_no_index_can_be_written_it_lives_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    index = Index(blocked / "index.db")
    put(index, chunk("one"))
    assert [one.text for one in index.entries()] == ["one"]
    index.close()


def test_bytes_that_are_not_text_are_indexed_around(index: Index) -> None:
    put(index, chunk("caf\udce9 and \0 sqlite"))
    assert [one.text for one, _ in index.match(["sqlite"])] == ["caf\udce9 and \0 sqlite"]


def test_two_connections_share_one_index(tmp_path: Path) -> None:
    first, second = Index(tmp_path / "index.db"), Index(tmp_path / "index.db")
    put(first, chunk("one"))
    assert [one.text for one in second.entries()] == ["one"]
    with first.writing():
        first.replace("a.md", family="memory", rank=0, stamp="2", chunks=[chunk("two")])
        assert [one.text for one in second.entries()] == ["one"]
    assert [one.text for one in second.entries()] == ["two"]
    first.close()
    second.close()


def test_what_is_being_written_can_be_searched_by_its_writer(index: Index) -> None:
    with index.writing():
        index.replace("a.md", family="memory", rank=0, stamp="2", chunks=[chunk("two")])
        assert [one.text for one, _ in index.match(["two"])] == ["two"]
    assert [one.text for one in index.entries()] == ["two"]


def test_what_fails_with_every_index_fails(index: Index) -> None:
    tried = []

    def fail() -> None:
        tried.append(len(index.entries()))
        raise sqlite3.DatabaseError("malformed")

    put(index, chunk("one"))
    with pytest.raises(sqlite3.DatabaseError):
        index.sure(fail)
    assert tried == [1, 0, 0]
