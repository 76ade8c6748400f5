"""Sentences and paragraphs out of what is said in a session."""

from pathlib import Path

import pytest

from mind.sources.transcripts.paragraph import Places, capital, cut, is_prose, listed, plain
from mind.sources.transcripts.prose import sentences
from mind.sources.transcripts.statements import by_agent, by_person, objects

PLACES = Places([Path("/home/dev/shop")], Path("/home/dev"))


def texts(text: str) -> list[str]:
    return [one.text for one in sentences(text)]


def test_sentences_end_where_they_end() -> None:
    assert texts("Use app.py, e.g. for J. Doe. it works! Really?  ") == [
        "Use app.py, e.g. for J. Doe.",
        "it works!",
        "Really?",
    ]
    assert [one.question for one in sentences("Is it? It is.")] == [True, False]
    assert texts("") == []
    assert len(sentences("One. " * 5_000)) == 400


def test_lines_of_a_paragraph_are_joined_and_items_are_not() -> None:
    wrapped = "This sentence is so long that somebody has wrapped it at the\nend of a line."
    assert texts(wrapped) == [wrapped.replace("\n", " ")]
    assert texts("- **one** thing\n- [x] another\n2. a third") == [
        "one thing",
        "another",
        "a third",
    ]
    assert texts("short\nlines stay apart") == ["short", "lines stay apart"]


def test_what_is_only_shown_is_no_sentence() -> None:
    shown = "# Heading\n> quoted\n| a | b |\n    code\n```py\n# Note that x\n```\n~~~\nopen"
    assert texts(shown) == []
    assert texts(f"Before.\n{shown}") == ["Before."]


def test_paths_are_told_from_the_project() -> None:
    assert (
        PLACES.relative("/home/dev/shop/a.py and /home/dev/shop-b/c.py") == "a.py and ~/shop-b/c.py"
    )
    assert PLACES.relative("/home/anna/x, C:\\Users\\anna\\y, /root/z") == "~/x, ~\\y, ~/z"
    assert PLACES.also("/srv/tree/").relative("/srv/tree/a.py") == "a.py"
    assert Places([Path("/")], Path("/")).relative("/etc/hosts") == "/etc/hosts"


def test_a_paragraph_is_cut_between_words_and_not_within_code() -> None:
    assert cut("short") == "short"
    assert cut("a few words, more", 14) == "a few words…"
    assert cut("the call `some very long code` ends", 22) == "the call…"
    assert plain(f"see `{'x ' * 80}` there", PLACES).startswith("see `x x")
    assert len(plain(f"see `{'x ' * 80}` there", PLACES)) < 80


def test_what_looks_like_a_mark_is_none_any_more() -> None:
    assert plain("> - [x] a Vec<string> of <system-reminder>x", PLACES) == "a Vec<string> of x"
    assert plain("text ^abc123", PLACES) == "text abc123"


def test_words_are_told_from_code() -> None:
    assert is_prose("the cache is emptied")
    assert not is_prose("x = {a: [1, 2, 3], b: (4, 5)}")
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert capital("use it") == "Use it"
    assert capital("npm_x is a name") == "npm_x is a name"


@pytest.mark.parametrize(
    "text",
    [
        "always use pnpm here",
        "please never call the gateway from tests",
        "no, use zod instead of joi",
        "we agreed on snake_case for columns",
        "in this repo we mock nothing but the clock",
        "don't use any, use unknown",
        "the lockfile must never be edited by hand",
        "decision: all ids are ULIDs from now on",
        "heads up: the queue drops messages over 256 KB",
        "we don't want language like new or old in the names of files",
        "throughput is more important than latency in the importer",
        "since the label is cut on phones, let's move the price below it",
        "Because the view is cached, the price is old. Let's make the cache depend on the price.",
        "instead of a modal, use an inline message below the field",
        "a partir de ahora todas las fechas van en UTC",
        "以后都使用 pnpm 安装依赖",
        "don't create tables by hand in this project, write a migration",
    ],
)
def test_a_person_decides_or_warns(text: str) -> None:
    assert len(by_person(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "never mind",
        "use it",
        "always use that",
        "don't commit yet",
        "use line 4, not line 5",
        "what if we always used zod?",
        "maybe we should always use zod",
        "he said we never use zod",
        "anna: never use zod in this repo",
        "always answer in german",
        "the log says:\nalways use zod",
        "Traceback (most recent call last):\nalways use zod",
        "note that I am out of office",
        "don't create a new file, use the old one",
        "don't create separate tables, write rows into orders",
        "since I have to leave, let's store it as it is",
        "since it is late let's move on",
        "since the export works, let's move the rest to the next sprint",
        "instead of the whole suite, run the tests of billing",
        "because the tests are slow we lose time. is there a way out?",
        "since the list is long, could we use pages?",
        "because of that the list is far too long",
        "this is more important than that to me",
        "is throughput more important than latency here?",
        "we don't want to lose time on it",
        "You are the reviewer. Never use zod in this repo.",
        "from now on i'll ping you",
    ],
)
def test_a_person_decides_nothing(text: str) -> None:
    assert by_person(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Note that the diff is large, because `a` moved.",
        "Note that this is only half of `a`, not all.",
        "## Summary\nNote that `a` must never be empty.",
        "Note that everything is fine, but not perfect.",
        "Note that `limit` is ten.",
        "Root cause: CPU-only `training`, no GPU at all",
        "I'll go with the simpler approach because it's better.",
        "I'll use grep because the folder has no index.",
        "I'll go with Redis because you asked for it.",
        "I'll go with Redis because it expires keys. Shall I?",
        "I'll go with Redis for now because it expires keys.",
        "I'll use `pip3` because `pip` is not available.",
        "Let's use 3002 since 3001 is already taken.",
        "Important: don't forget to set `API_KEY` before the first run.",
        "The catch of the day is a fish called `wanda`.",
        "Decision: we are waiting for the review of `a` because nobody is here.",
    ],
)
def test_the_agent_only_talks(text: str) -> None:
    assert by_agent(text) == []


def test_the_person_may_object() -> None:
    assert objects("hm, no. rather postgres")
    assert objects("use postgres instead")
    assert not objects("no problem")
    assert not objects("good, go on")
