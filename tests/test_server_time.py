"""The toolset ``time``, called through the server, by a clock that stands still."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import anyio
import pytest
from mcp import Client

from mind.memory.memory import Memory
from mind.server.mcp import app as mcp
from mind.server.mcp.tools import TOOLSETS
from mind.storage.project import Project

TIME = ["mind_now", "mind_parse_date", "mind_relative", "mind_calendar_context"]
NOW = datetime(2026, 11, 20, 16, 0, 5, tzinfo=UTC)
Call = Callable[..., str]


@pytest.fixture
def call(project: Project) -> Call:
    """Call a tool of a server with the toolset; its text, behind "error: " if it is one."""

    async def through(name: str, arguments: dict[str, Any]) -> str:
        built = mcp.build(lambda: Memory(project, clock=lambda: NOW), "time")
        async with Client(built) as client:
            result = await client.call_tool(name, arguments)
            text: str = result.content[0].text  # type: ignore[union-attr]
            return f"error: {text}" if result.is_error else text

    return lambda name, **arguments: anyio.run(through, name, arguments)


def names(toolsets: str) -> list[str]:
    return [tool["name"] for tool in anyio.run(mcp.list_tools, toolsets)]


def test_the_toolset_is_offered_only_to_those_who_choose_it() -> None:
    core = names("core")
    assert not set(core) & set(TIME)
    assert names("time") == names("core,time") == names("time, core") == [*core, *TIME]
    assert set(TIME) <= set(names("all"))
    assert [tool.name for tool in TOOLSETS["time"]] == TIME


def test_the_tools_only_read_and_cost_few_tokens() -> None:
    tools = anyio.run(mcp.list_tools, "time")[-len(TIME) :]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
    assert not any(tool["annotations"]["destructiveHint"] for tool in tools)
    assert len(str(tools)) < 2_500
    assert not any("anthropic/alwaysLoad" in (tool.get("_meta") or {}) for tool in tools)


def test_none_of_them_writes_anything(call: Call, project: Project) -> None:
    def state() -> dict[str, bytes]:
        folder = project.memory.parent
        return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    before = state()
    call("mind_now")
    call("mind_parse_date", text="last week")
    call("mind_relative", date="2026-11-17")
    call("mind_calendar_context")
    assert state() == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "2026-11-20T16:00:05+00:00 Friday, UTC, 2026-W47"),
        ({"time_zone": "Europe/Madrid"}, "2026-11-20T17:00:05+01:00 Friday, CET, 2026-W47"),
        ({"time_zone": "Asia/Tokyo"}, "2026-11-21T01:00:05+09:00 Saturday, JST, 2026-W47"),
    ],
)
def test_now(call: Call, arguments: dict[str, str], expected: str) -> None:
    assert call("mind_now", **arguments) == expected


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "\0"])
def test_a_zone_that_is_unknown_is_an_error_that_shows_one(call: Call, name: str) -> None:
    text = call("mind_now", time_zone=name)
    assert text.startswith("error: ")
    assert "unknown time zone" in text
    assert "Europe/Madrid" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "last week",
            "As past days: 2026-11-09 (Monday) to 2026-11-15 (Sunday)\nRelative: 11 days ago",
        ),
        (
            "since March",
            "As past days: 2026-03-01 (Sunday) to open\nRelative: 8 months ago",
        ),
        (
            "friday",
            (
                "As past days: 2026-11-20 (Friday) to 2026-11-20 (Friday)\n"
                "As a future time: 2026-11-27T09:00:00+00:00 Friday\nRelative: in 7 days"
            ),
        ),
        (
            "in 2 hours",
            "As a future time: 2026-11-20T18:00:05+00:00 Friday\nRelative: in 2 hours",
        ),
        (
            "上周",
            "As past days: 2026-11-09 (Monday) to 2026-11-15 (Sunday)\nRelative: 11 days ago",
        ),
    ],
)
def test_words_are_read_both_ways(call: Call, text: str, expected: str) -> None:
    assert call("mind_parse_date", text=text) == expected


def test_releases_are_those_of_the_repository(
    call: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("mind_parse_date", text="before v1.2").startswith("error: ")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-05-07T12:00:00+00:00")
    git("commit", "--quiet", "--allow-empty", "-m", "release")
    git("tag", "v1.2.0")
    assert call("mind_parse_date", text="before v1.2") == (
        "As past days: open to 2026-05-07 (Thursday)\nRelative: 6 months ago"
    )


@pytest.mark.parametrize("text", ["soon", "", "may fail", "x" * 5_000])
def test_words_that_name_no_time_are_an_error_with_a_remedy(call: Call, text: str) -> None:
    said = call("mind_parse_date", text=text)
    assert said.startswith("error: ")
    assert '"last week"' in said
    assert len(said) < 500


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"date": "2026-11-17"}, "3 days ago"),
        ({"date": "2026-11-17", "language": "es"}, "hace 3 días"),
        ({"date": "2026-11-20T13:00"}, "3 hours ago"),
        ({"date": " 2026-11-20T13:00:05+01:00 "}, "4 hours ago"),
        ({"date": "2026-11-20T16:00:05Z"}, "now"),
        ({"date": "yesterday"}, "yesterday"),
        ({"date": "in 3 days"}, "in 3 days"),
        ({"date": "0001-01-01"}, "2025 years ago"),
        ({"date": "9999-12-31"}, "in 7973 years"),
    ],
)
def test_a_date_is_said_as_people_say_it(
    call: Call, arguments: dict[str, str], expected: str
) -> None:
    assert call("mind_relative", **arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"date": "2026-02-30"}, "names no time"),
        ({"date": "nonsense"}, "names no time"),
        ({"date": "0001-01-01T00:00:00+14:00"}, "names no time"),
        ({"date": "2026-11-17", "language": "xx"}, "Use one of: de, en, es"),
        ({}, "needs 'date'"),
    ],
)
def test_a_date_that_is_none_is_an_error(call: Call, arguments: dict[str, str], said: str) -> None:
    text = call("mind_relative", **arguments)
    assert text.startswith("error: ")
    assert said in text


def test_the_calendar_around_today(call: Call) -> None:
    assert call("mind_calendar_context") == (
        "2026-11-20 (Friday), working day, day 324 of the year\n"
        "- week: 2026-W47, 2026-11-16 to 2026-11-22, 2 days left\n"
        "- month: 2026-11-01 to 2026-11-30, 10 days left\n"
        "- quarter: Q4, 2026-10-01 to 2026-12-31, 41 days left\n"
        "- year: 2026-01-01 to 2026-12-31, 41 days left\n"
        "- working day before: 2026-11-19 (Thursday)\n"
        "- working day after: 2026-11-23 (Monday)"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"date": "2027-01-02"}, "2027-01-02 (Saturday), weekend, day 2 of the year"),
        ({"date": "2027-01-02"}, "- week: 2026-W53, 2026-12-28 to 2027-01-03, 1 day left"),
        (
            {"date": "2026-11-22", "week_starts": "sunday"},
            "- week: 2026-W47, 2026-11-22 to 2026-11-28, 6 days left",
        ),
        (
            {"date": "2026-11-22", "week_starts": "saturday"},
            "- week: 2026-W47, 2026-11-21 to 2026-11-27, 5 days left",
        ),
        ({"date": "tomorrow"}, "2026-11-21 (Saturday), weekend"),
        ({"date": "last week"}, "2026-11-09 (Monday), working day"),
        ({"date": "2026-03-29T23:30:00Z"}, "2026-03-29 (Sunday), weekend"),
        ({"date": "someday"}, "names no time"),
        ({"week_starts": "tuesday"}, "Use one of: monday, saturday, sunday"),
    ],
)
def test_the_calendar_around_a_day(call: Call, arguments: dict[str, str], said: str) -> None:
    assert said in call("mind_calendar_context", **arguments)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_beyond_the_ends_of_the_calendar_there_is_none(call: Call, day: str) -> None:
    text = call("mind_calendar_context", date=day)
    assert text.startswith(f"error: the calendar around {day} is not known")
    assert "year 2 to 9998" in text


def test_days_are_those_of_the_project_s_zone(project: Project) -> None:
    project.config.write_text('{"time": {"zone": "Asia/Tokyo"}}', encoding="utf-8")
    memory = Memory(Project(project.root))
    try:
        assert memory.now().utcoffset() == memory.when("today").now.utcoffset()
        assert memory.now().tzname() == "JST"
        assert memory.when("today").day == memory.now().date()
    finally:
        memory.close()
