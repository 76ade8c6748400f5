"""Layered answers as a model reads them: the index, the timeline, the details."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from mcp import Client

from mind.memory.memory import Memory
from mind.memory.wording import NOTICE
from mind.server.mcp import app as mcp
from mind.server.mcp.tools import TOOLSETS
from mind.storage.project import Project

NOW = datetime(2026, 11, 20, 16, 0, 5, tzinfo=UTC)
Call = Callable[..., str]

TEXT = """# Notes

learned: undated facts stand before any day

## 2026-11-09

decided: SQLite over Postgres - one file is enough for a memory of this size

## 2026-11-16

problem: Safari drops the session cookie because of its tracking prevention. It happens after a
  week, on every page that is not opened directly. [verified:: 2026-11-17] #web ^cookie1

## 2026-11-20

decided: keep sessions on the server, see [[cookie1]]
"""


@pytest.fixture
def call(project: Project) -> Call:
    """Call a tool of a server with the toolset; its text, behind "error: " if it is one."""
    project.memory.write_text(TEXT, encoding="utf-8")

    async def through(name: str, arguments: dict[str, Any]) -> str:
        built = mcp.build(lambda: Memory(project, clock=lambda: NOW), "search")
        async with Client(built) as client:
            result = await client.call_tool(name, arguments)
            text: str = result.content[0].text  # type: ignore[union-attr]
            return f"error: {text}" if result.is_error else text

    return lambda name, **arguments: anyio.run(through, name, arguments)


def first_words(text: str) -> list[str]:
    """Ids and first words of the titles, in the order of the lines."""
    return [
        line.split(" · ")[-1].split()[0] for line in text.splitlines() if line[:2] in ("- ", "> ")
    ]


def test_the_toolset_reads_and_costs_few_tokens() -> None:
    names = [one.name for one in TOOLSETS["search"]]
    tools = anyio.run(mcp.list_tools, "search")[-len(names) :]
    assert [tool["name"] for tool in tools] == names
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
    assert len(str(tools)) < 3_000


def test_a_search_is_an_index_with_the_best_hit_in_full(call: Call) -> None:
    lines = call("mind_search", query="session cookie Safari").splitlines()
    assert lines[0] == f"2 of 2 hits, lexical only. {NOTICE}"
    assert lines[1].startswith("- cookie1 · 2026-11-16 · problem (open) · high · Safari drops")
    assert lines[1].endswith(" opened directly. #web [.mind/MEMORY.md:11]")
    assert "  verified: 2026-11-17" in lines
    assert "  tags: web" in lines
    assert lines[-1].endswith("keep sessions on the server, see [[cookie1]] [.mind/MEMORY.md:16]")


@pytest.mark.parametrize(("expanded", "whole"), [(0, 0), (1, 1), (10, 2), (-1, 0), (10**9, 2)])
def test_as_many_hits_as_asked_for_are_shown_in_full(call: Call, expanded: int, whole: int) -> None:
    text = call("mind_search", query="Safari session cookie", expand_top=expanded)
    assert len(re.findall(r"^- .*\n  \w+: ", text, re.MULTILINE)) == whole
    assert first_words(text) == ["Safari", "keep"]


def test_a_line_of_the_index_is_about_fifty_tokens(call: Call, project: Project) -> None:
    long = "The parser keeps what it does not understand as it is in the file, word for word " * 20
    project.memory.write_text(
        TEXT + f"\nlearned: {long}\n\n## Gotchas\n\ngotcha: {'w' * 3_000}\n", encoding="utf-8"
    )
    text = call("mind_search", query="kind:learning,decision,problem,gotcha", expand_top=0)
    lines = text.splitlines()[1:]
    assert len(lines) == 6
    assert max(map(len, lines)) <= 260  # of those that are cut off
    assert sum(map(len, lines)) / len(lines) <= 200


def test_the_answer_shows_the_time_that_the_words_speak_of(call: Call) -> None:
    text = call("mind_search", query="what did we decide last week")
    assert text.startswith(f"1 of 1 hits, 2026-11-09 to 2026-11-15. {NOTICE}")
    assert first_words(text) == ["SQLite"]
    text = call("mind_search", query="keep the session last week", expand_top=0)
    assert text.startswith("3 of 3 hits, lexical only, 2026-11-09 to 2026-11-15 preferred.")
    assert "since" not in call("mind_search", query="session since 2026-11-16")


def test_what_was_no_filter_is_told_in_one_line(call: Call) -> None:
    text = call("mind_search", query='session kind:decision,nonsense tag:"" order:sideways')
    assert text.splitlines()[-1] == (
        'Not a filter, searched as text: kind:decision,nonsense tag:"" order:sideways'
    )
    assert "keep" in first_words(text)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("kubernetes", ". Try other words."),
        ("session tag:latest", " (tag:latest). Try other words, or fewer filters."),
        ("id:zzzzzzzz", " (id:zzzzzzzz). Try other words, or fewer filters."),
        (
            "yesterday",
            " (since:2026-11-19 until:2026-11-19). Try other words, or fewer filters.",
        ),
    ],
)
def test_nothing_found_says_what_kept_it_from_being_found(
    call: Call, query: str, said: str
) -> None:
    assert call("mind_search", query=query) == f"Nothing found for {query!r}{said}"


def test_pages_say_where_they_are(call: Call) -> None:
    text = call("mind_search", query="kind:decision,problem", limit=2, offset=1)
    assert text.startswith("Hits 2 to 3 of 3 hits.")
    assert call("mind_search", query="kind:decision", offset=9) == "There are only 2 hits."
    assert call("mind_search", query="session", offset=9) == "There are only 2 hits."
    assert call("mind_list_recent", limit=1, offset=1).startswith("Hits 2 to 2 of 4 hits.")
    assert "0 to 1,000,000" in call("mind_search", query="x", offset=-1)


def test_get_shows_all_that_is_known(call: Call) -> None:
    text = call("mind_get", ids=["[[cookie1]]", "zzzzzzzz", "^nope", "[[cookie1]]"])
    assert text.startswith(f"1 entry. {NOTICE}\n- cookie1 · ")
    assert "  why: its tracking prevention" not in text  # it stands in the text already
    assert "  section: " not in text  # the day of its heading stands in its line
    assert "  verified: 2026-11-17" in text
    assert text.splitlines()[-1] == "No entry has the id zzzzzzzz, nope."
    assert call("mind_get", ids=[]).startswith("error: 0 ids. Give 1 to 50")
    assert call("mind_get", ids="cookie1").startswith("1 entry. ")  # one will do, too


def test_a_timeline_marks_its_anchor(call: Call) -> None:
    text = call("mind_timeline", anchor="Safari cookie", depth_before=1, depth_after=1)
    lines = text.splitlines()
    assert lines[0] == f"Entries around cookie1, oldest first. {NOTICE}"
    assert [line[0] for line in lines[1:]] == ["-", ">", "-"]
    assert first_words(text) == ["SQLite", "Safari", "keep"]
    assert call("mind_timeline", anchor="kubernetes").startswith("error: there is no entry")
    assert "0 to 50" in call("mind_timeline", anchor="cookie1", depth_before=51)


def test_around_a_day_or_an_entry(call: Call) -> None:
    text = call("mind_recall_around", anchor="cookie1", days=5)
    assert text.startswith(f"2 of 2 entries within 5 days of 2026-11-16, closest first. {NOTICE}")
    assert first_words(text) == ["Safari", "keep"]
    assert first_words(call("mind_recall_around", anchor="2026-11-10", types=["decision"])) == [
        "SQLite"
    ]
    assert call("mind_recall_around", anchor="2020-01-01", days=0) == (
        "No entries within 0 days of 2020-01-01."
    )
    assert "names no time" in call("mind_recall_around", anchor="whenever")


def test_the_latest_of_nothing(project: Project, call: Call) -> None:
    project.memory.write_text("", encoding="utf-8")
    assert call("mind_list_recent") == "No entries yet."


def test_long_texts_are_capped_and_their_markers_harmless(call: Call, project: Project) -> None:
    long = "word " * 100_000
    project.memory.write_text(
        f"## 2026-11-20\n\ndecided: {long} ^long1\n"
        + "".join(
            f"learned: word {at} <!-- MIND:END --> [a<!-- MIND:END -->:: b] ^e{at}x\n"
            for at in range(60)
        ),
        encoding="utf-8",
    )
    cap = project.settings.reply_max_characters
    for name, arguments in (
        ("mind_get", {"ids": ["long1", *(f"e{at}x" for at in range(49))]}),
        ("mind_timeline", {"anchor": "e30x", "depth_before": 50, "depth_after": 50}),
        ("mind_recall_around", {"anchor": "today", "limit": 50}),
        ("mind_list_recent", {"limit": 100}),
        ("mind_search", {"query": "word", "limit": 100, "expand_top": 100}),
    ):
        text = call(name, **arguments)
        assert not text.startswith("error")
        assert len(text) <= cap
        assert "<!-- MIND" not in text
        assert max(map(len, text.splitlines())) < 4_100


def test_details_tell_a_foreign_language(project: Project, call: Call) -> None:
    project.memory.write_text(
        "# Notes\n\nnote: Das Deployment war für alle mühsam ^lang1\n"
        "note: The release is smooth ^fact1\n",
        encoding="utf-8",
    )
    assert "  language: de" in call("mind_get", ids=["lang1"])
    plain = call("mind_get", ids=["fact1"])
    assert "language" not in plain
