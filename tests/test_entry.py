import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.documents.context_block import SECTIONS
from mind.domain.entry import (
    LOGGED,
    Entry,
    Kind,
    Layer,
    content_id,
    counted,
    normalise,
    number_repeats,
    parse_kind,
    title_of,
)
from mind.domain.errors import InputError
from mind.hooks import matching

ROOT = Path(__file__).parents[1]


def test_an_id_is_eight_characters_of_crockford_base32() -> None:
    identifier = content_id("SQLite over Postgres")
    assert len(identifier) == 8
    assert set(identifier) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_case_space_and_emphasis_do_not_change_an_id() -> None:
    assert content_id("Use **SQLite**  here") == content_id("use `sqlite`\nhere")


def test_underscores_inside_a_name_do_change_an_id() -> None:
    assert normalise("parse_date") != normalise("parsedate")


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert content_id(once) == content_id(text) or normalise(once) != once


def test_repeats_are_numbered_in_order() -> None:
    assert number_repeats(["a", "b", "a", "a"]) == ["a", "b", "a-2", "a-3"]


def test_lesson_titles_are_not_cut_at_a_full_stop_inside_a_name() -> None:
    assert title_of("server.py crashes when the port is taken") == (
        "server.py crashes when the port is taken"
    )


def test_a_title_is_the_first_sentence() -> None:
    assert title_of("Memory leak after ca. 20 minutes. It grows.") == (
        "Memory leak after ca. 20 minutes"
    )
    assert title_of("SQLite over Postgres for the cache. It needs no server.") == (
        "SQLite over Postgres for the cache"
    )


@pytest.mark.parametrize("text", ["Drop the pool - it leaks", "Drop the pool * Lint * Docs"])
def test_a_list_written_into_the_line_is_no_part_of_the_title(text: str) -> None:
    assert title_of(text) == "Drop the pool"


def test_a_long_title_is_cut_between_words() -> None:
    title = title_of("word " * 60)
    assert len(title) <= 101
    assert title.endswith("word…")


def test_a_layer_can_be_named_on_the_entry() -> None:
    plain = Entry(id="a", kind=Kind.GOTCHA, text="x")
    assert plain.layer is Layer.REALIZE
    assert Entry(id="a", kind=Kind.GOTCHA, text="x", fields={"layer": "context"}).layer is (
        Layer.CONTEXT
    )
    assert Entry(id="a", kind=Kind.NOTE, text="x", fields={"layer": "nonsense"}).layer is (
        Layer.CONTEXT
    )


def test_provenance_is_a_line_or_a_commit() -> None:
    assert Entry(id="a", kind=Kind.NOTE, text="x", source="a.md", line=3).where == "a.md:3"
    assert Entry(id="a", kind=Kind.NOTE, text="x", commit="f" * 40).where == "commit fffffff"


def test_kinds_have_everyday_names() -> None:
    assert parse_kind(" Decided ") is Kind.DECISION
    assert parse_kind("gotcha") is Kind.GOTCHA
    with pytest.raises(InputError, match="Use one of: decision"):
        parse_kind("mood")


def test_entries_are_counted_as_people_say_it() -> None:
    assert [counted(1, "decision"), counted(2_000, "decision")] == ["1 decision", "2,000 decisions"]
    assert [counted(2, "progress"), counted(0, "rejected")] == ["2 progress", "0 rejected"]


@pytest.mark.parametrize(
    ("named", "layer"),
    [
        ("warnings", Layer.REALIZE),
        ("Pitfalls", Layer.REALIZE),
        ("rule", Layer.REALIZE),
        ("insights", Layer.LEARNING),
        ("why", Layer.GOAL),
        ("tried", Layer.IMPLEMENTATION),
    ],
)
def test_a_layer_has_other_names_too(named: str, layer: Layer) -> None:
    assert Entry(id="a", kind=Kind.NOTE, text="x", fields={"layer": named}).layer is layer


def test_each_lesson_has_a_section_of_the_block() -> None:
    own = {one.kind for one in SECTIONS if one.kind}
    assert own == {kind for kind in Kind if kind.traits.lesson}


def test_hooks_that_cannot_wait_for_the_kinds_name_some_of_them() -> None:
    assert set(Kind) >= matching._WARNING | matching._BACKGROUND


@pytest.mark.parametrize(("file", "is_noted"), [("MEMORY.md", False), ("SESSION.md", True)])
def test_the_page_offers_each_kind_by_its_file(file: str, is_noted: bool) -> None:
    source = (ROOT / "templates/page/js/views/add.js").read_text(encoding="utf-8")
    rows = source.partition(f'in {file}", [\n')[2].partition("\n  ]]")[0]
    offered = set(re.findall(r'^ *\["(\w+)", ', rows, re.MULTILINE))
    assert offered == {kind for kind in LOGGED if kind.traits.noted is is_noted}


def test_english_has_words_of_each_kind_and_the_glossary_its_name() -> None:
    words = tomllib.loads((ROOT / "mind/data/words/en.toml").read_text(encoding="utf-8"))
    assert set(words["labels"]) == set(Kind)
    *others, last = Kind
    page = (ROOT / "docs/explanation/glossary.md").read_text(encoding="utf-8")
    assert f"| kind | {', '.join(others)} or {last} |" in page
