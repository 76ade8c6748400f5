"""Which relations a line states, and what is written when one is recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.documents import memory_file, parser
from mind.domain.entry import Kind
from mind.domain.errors import InputError
from mind.domain.settings import Settings
from mind.memory.graph import stated
from mind.memory.memory import Memory
from mind.text.relations import Relation, name_of, predicate_of, relation, relations

NAME = ".mind/MEMORY.md"


def told(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.predicate, one.object) for one in relations(text)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [[auth]] depends-on [[redis]]", [("auth", "depends-on", "redis")]),
        ("1. [[auth]] depends on [[redis]] because of x", [("auth", "depends-on", "redis")]),
        (
            "[[a]] --uses--> [[b]], [[c]] and [[d]]",
            [
                ("a", "uses", "b"),
                ("a", "uses", "c"),
                ("a", "uses", "d"),
            ],
        ),
        ("[[a]] uses [[b]] but [[c]]", [("a", "uses", "b")]),
        ("[[a]] -->|calls| [[b]]", [("a", "calls", "b")]),
        ("[[a]] → [[b]]", [("a", "related-to", "b")]),
        ("[[a]] <- [[b]]", [("b", "related-to", "a")]),
        ("[[a]] <--uses-- [[b]]", [("b", "uses", "a")]),
        ("[[js]] = [[JavaScript]]", [("js", "same-as", "JavaScript")]),
        ("[[a]] **uses** `[[b]]`", [("a", "uses", "b")]),
        ("[[a|the a]] uses [[b#part]]", [("a", "uses", "b")]),
        ("auth depends on [[redis]]", [("auth", "depends-on", "redis")]),
        (
            "auth --uses--> [[redis]], [[kafka]]",
            [
                ("auth", "uses", "redis"),
                ("auth", "uses", "kafka"),
            ],
        ),
        ("[[auth]] depends-on redis, for sessions", [("auth", "depends-on", "redis")]),
        ("[[auth]] → redis (cache)", [("auth", "related-to", "redis")]),
        ("[[auth]]", []),
        ("[[auth]] ->", []),
        ("alone [[redis]]", []),
        ("-> [[redis]]", []),
        ("[[a]] and [[b]]", []),
        ("[[a]] [[b]]", []),
        ("[[a]] uses [[A]]", []),
        ("[[a]] one two three four five six seven [[b]]", []),
        ("[[a]] " + "x" * 70 + " [[b]]", []),
        ("a -> b", [("a", "related-to", "b")]),
        ("a <-uses- b", [("b", "uses", "a")]),
        ("a ← b", [("b", "related-to", "a")]),
        ("a -->|reads| b", [("a", "reads", "b")]),
        ("auth uses redis", [("auth", "uses", "redis")]),
        ("auth depends on redis", [("auth", "depends-on", "redis")]),
        ("auth talks-to redis", [("auth", "talks-to", "redis")]),
        ("js same as JavaScript", [("js", "same-as", "JavaScript")]),
        ("auth uses big redis", []),
        ("we went home", []),
        ("two words", []),
        ("one two three four five six words", []),
        ("when it rains one day -> take an umbrella with you please", []),
        ("->", []),
        ("", []),
        ("[[a]] uses x]y", []),
    ],
)
def test_a_line_states_these_relations(line: str, expected: list[tuple[str, str, str]]) -> None:
    assert told(line) == expected
    assert relation(line) == (Relation(*expected[0]) if expected else None)


@pytest.mark.parametrize(
    "words",
    ["depends on", "depends_on", "dependsOn", "Depends-On", " depends  on: ", "**depends on**"],
)
def test_spellings_of_one_predicate(words: str) -> None:
    assert predicate_of(words) == "depends-on"


def test_words_for_another_name_are_one_predicate() -> None:
    assert {predicate_of(one) for one in ("aka", "=", "alias of", "same as")} == {"same-as"}


def test_a_name_loses_its_dress() -> None:
    assert {name_of(one) for one in ("[[a b]]", "`a b`", " **a b** ", "[[a b|c]]", "“a b”")} == {
        "a b"
    }


@given(st.text(max_size=80))
def test_what_is_read_is_read_again_as_it_was(line: str) -> None:
    for one in relations(line):
        assert relation(str(one)) is not None
        assert one.keys == relation(str(one)).keys  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (("", "uses", "b"), "subject is empty"),
        (("a", " ", "b"), "predicate is empty"),
        (("a", "uses", "[[]]"), "cannot be written"),
        (("a", "uses", "A"), "same thing"),
        (("a", "uses", "b\nc"), "cannot be written"),
        (("a", "uses", "b|c"), "cannot be written"),
        (("a", "and", "b"), "cannot be written"),
        (("a", "x" * 80, "b"), "cannot be written"),
        (("a" * 300, "uses", "b"), "cannot be written"),
        (("a\x1b", "uses", "b"), "cannot be written"),
    ],
)
def test_a_relation_that_could_not_be_read_again_is_refused(
    parts: tuple[str, str, str], problem: str
) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        stated(*parts)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "arguments",
    [("", 1, None, "out"), ("a", 0, None, "out"), ("a", 4, None, "out"), ("a", 1, None, "up")],
)
def test_a_walk_that_cannot_be_is_refused(
    memory: Memory, arguments: tuple[str, int, str | None, str]
) -> None:
    with pytest.raises(InputError):
        memory.traverse(*arguments)


def added(source: str, made: Relation) -> str:
    settings = Settings()
    return memory_file.add_relations(source.encode(), [(made, "")], NAME, settings).decode()


USES = Relation("auth", "uses", "redis")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", "## Relations\n\n- [[auth]] uses [[redis]]\n"),
        ("# App\n\ntext", "# App\n\ntext\n\n## Relations\n\n- [[auth]] uses [[redis]]\n"),
        (
            "# App\n\n## 2026-11-20\n\ndecided: x\n",
            "# App\n\n## Relations\n\n- [[auth]] uses [[redis]]\n\n## 2026-11-20\n\ndecided: x\n",
        ),
        (
            "## Relations\n\n* [[a]] uses [[b]]\n\n## 2026-11-20\n\ndecided: x\n",
            (
                "## Relations\n\n* [[a]] uses [[b]]\n* [[auth]] uses [[redis]]\n\n"
                "## 2026-11-20\n\ndecided: x\n"
            ),
        ),
        (
            "## Relations\n\n- [[a]] uses [[b]]",
            "## Relations\n\n- [[a]] uses [[b]]\n- [[auth]] uses [[redis]]\n",
        ),
        ("## Relations\n", "## Relations\n\n- [[auth]] uses [[redis]]\n"),
        (
            "## Relations\r\n\r\n- [[a]] uses [[b]]\r\n",
            "## Relations\r\n\r\n- [[a]] uses [[b]]\r\n- [[auth]] uses [[redis]]\r\n",
        ),
        ("text\n\n", "text\n\n## Relations\n\n- [[auth]] uses [[redis]]\n"),
        ("## Relations\n\n- [[Auth]] uses [[REDIS]]\n", None),
        ("## Relations\n\nauth --uses--> redis\n", None),
    ],
)
def test_a_relation_is_written_once_and_where_it_belongs(source: str, expected: str | None) -> None:
    assert added(source, USES) == (source if expected is None else expected)


@pytest.mark.parametrize(
    "source",
    [
        "```\nopen fence",
        "<!-- open comment",
        "## Relations\n\n```\nopen fence",
        "## Relations\n\nsome prose",
        "## Relations\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "---\ntitle: x\n---\n",
    ],
)
def test_what_was_written_is_found_again(source: str) -> None:
    text = added(source, USES)
    assert source.rstrip("\n") in text
    entries = parser.parse(text.encode(), NAME, Settings())
    found = [one for one in entries if one.kind is Kind.RELATION and relation(one.text) == USES]
    assert len(found) == 1
    assert text.splitlines()[found[0].line - 1] == "- [[auth]] uses [[redis]]"
    assert added(text, USES) == text


@given(st.text(st.sampled_from("ab#-*` \n>[]|1.<!"), max_size=60))
def test_writing_never_loses_what_stands_there(source: str) -> None:
    text = added(source, USES)
    assert all(line in text for line in source.splitlines())
    assert added(text, USES) == text
