"""What is understood of a query: words, filters and times; nothing in it is wrong."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.entry import Kind, Status
from mind.domain.errors import InputError
from mind.search.query import ParsedQuery, as_id, parse
from mind.storage.index import EVERY, Filter
from mind.text.dates.asked import Reference
from mind.text.dates.periods import Period

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
"""A Friday."""
RELEASED = date(2026, 5, 7)


def no_release(_reference: Reference) -> Period | None:
    return None


def release(reference: Reference) -> Period | None:
    """One release, v1.2, tagged on 7 May 2026; the one before it was on 1 March."""
    if reference.name.removeprefix("v") != "1.2":
        return None
    return {
        "before": Period(None, RELEASED),
        "in": Period(date(2026, 3, 1), RELEASED),
    }.get(reference.relation, Period(RELEASED, None))


def asked(query: str, **more: Any) -> ParsedQuery:
    return parse(query, NOW, more.pop("released", no_release), **more)


@pytest.mark.parametrize("query", ["redis cache", "  two  spaces ", "a:b", "since we moved", "?!"])
def test_a_query_without_filters_stays_as_it_is(query: str) -> None:
    assert asked(query) == ParsedQuery(text=query)


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("kind:decision", Filter(kinds=(Kind.DECISION,))),
        ("KIND:Decision", Filter(kinds=(Kind.DECISION,))),
        ("type:bug", Filter(kinds=(Kind.PROBLEM,))),
        ("kind:decisions", Filter(kinds=(Kind.DECISION,))),
        ("kind:decision,gotcha", Filter(kinds=(Kind.DECISION, Kind.GOTCHA))),
        ("kind:decision type:gotcha", Filter(kinds=(Kind.DECISION, Kind.GOTCHA))),
        ("kind:decision kind:decision", Filter(kinds=(Kind.DECISION,))),
        ("status:Open", Filter(status=Status.OPEN)),
        ("tag:db", Filter(tags=("db",))),
        ("tag:#db,#web", Filter(tags=("db", "web"))),
        ("tag:db tag:web", Filter(tags=("db", "web"))),
        ("section:Gotchas", Filter(section="Gotchas")),
        ('section:"Open questions"', Filter(section="Open questions")),
        ("section:'Open questions'", Filter(section="Open questions")),
        ("section:“Open questions”", Filter(section="Open questions")),
        ("id:^a1b2c3d4", Filter(ids=("a1b2c3d4",))),
        ("id:[[a1b2c3d4]],e5f6", Filter(ids=("a1b2c3d4", "e5f6"))),
        ("id:a id:b", Filter(ids=("a", "b"))),
        ("since:2026-03-01", Filter(since=date(2026, 3, 1))),
        ('since:"last week"', Filter(since=date(2026, 11, 9))),
        ("since:last week", Filter(since=date(2026, 11, 9))),
        ('since:"last week', Filter(since=date(2026, 11, 9))),
        ("since:yesterday,", Filter(since=date(2026, 11, 19))),
        ('until:"last week"', Filter(until=date(2026, 11, 15))),
        ('before:"last week"', Filter(until=date(2026, 11, 8))),
        ('after:"last week"', Filter(since=date(2026, 11, 16))),
        ("after:2026-03-01", Filter(since=date(2026, 3, 2))),
        ("on:yesterday", Filter(since=date(2026, 11, 19), until=date(2026, 11, 19))),
        ("on:2025", Filter(since=date(2025, 1, 1), until=date(2025, 12, 31))),
        (
            "since:2026-01-01 since:2026-02-01 until:2026-06-30 until:2026-05-31",
            Filter(since=date(2026, 2, 1), until=date(2026, 5, 31)),
        ),
        ("since:2026-05 until:2025", Filter(since=date(2026, 5, 1), until=date(2025, 12, 31))),
        ("since:0001-01-01", Filter(since=date.min)),
        ("until:9999-12-31", Filter(until=date.max)),
        ("before:0001-01-01", Filter(until=date.min)),
        ("after:9999-12-31", Filter(since=date.max)),
    ],
)  # fmt: skip
def test_filters_in_a_query(query: str, which: Filter) -> None:
    assert asked(query) == ParsedQuery(text="", which=which)
    found = asked(f"redis {query} cache")
    assert (found.text.split(), found.which) == (["redis", "cache"], which)


@pytest.mark.parametrize(
    "query",
    [
        'since:"99999999"',
        "since:soon",
        "since:2026-02-30",
        "since:10000-01-01",
        'tag:""',
        "tag:#",
        'tag:" "',
        "id:';",
        "id:a,;",
        'since:"until march"',
        "kind:decision,nonsense",
        "kind:s",
        "kind:,",
        "status:done",
        "order:sideways",
        "on:click",
        "id:^,[[]]",
        "tag:" + ",".join("abc" for _ in range(60)),
    ],
)
def test_what_is_no_filter_stays_words_and_is_told(query: str) -> None:
    assert asked(query) == ParsedQuery(text=query, ignored=(query,))
    found = asked(f"{query} kind:decision")
    assert (found.text, found.ignored) == (query, (query,))
    assert found.which == Filter(kinds=(Kind.DECISION,))


@pytest.mark.parametrize(
    "query", ["since: then", "http://tag:80/", "xkind:decision", "tag:", "a:since:2026"]
)
def test_what_only_resembles_a_filter_is_not_even_told(query: str) -> None:
    assert asked(query) == ParsedQuery(text=query)


def test_words_that_follow_a_time_stay() -> None:
    assert asked("since:2026-03-01 redis problems").text == "redis problems"
    assert asked("since:last week kind:decision").which == Filter(
        since=date(2026, 11, 9), kinds=(Kind.DECISION,)
    )
    assert asked('since:"last" week') == ParsedQuery(
        text='since:"last" week', ignored=('since:"last"',)
    )


def test_orders() -> None:
    assert asked("redis").order == "relevance"
    assert asked("redis order:newest") == ParsedQuery(text="redis", order="newest")
    assert asked("redis order:Oldest").order == "oldest"


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("since:v1.2", Filter(since=RELEASED)),
        ("after:v1.2", Filter(since=RELEASED)),
        ("until:v1.2", Filter(until=RELEASED)),
        ("before:1.2", Filter(until=RELEASED)),
        ("on:v1.2", Filter(since=date(2026, 3, 1), until=RELEASED)),
    ],
)
def test_filters_by_a_release(query: str, which: Filter) -> None:
    assert asked(query, released=release) == ParsedQuery(text="", which=which)
    assert asked(query).ignored == (query,)


def test_a_release_with_more_behind_it_is_none() -> None:
    assert asked('since:"v1.2 and a half"', released=release).ignored == (
        'since:"v1.2 and a half"',
    )


def test_a_time_in_the_words() -> None:
    found = asked("redis problem last week")
    assert found == ParsedQuery(
        text="redis problem last week",
        about="redis problem",
        period=Period(date(2026, 11, 9), date(2026, 11, 15)),
    )
    assert asked("cache before v1.2", released=release).period == Period(None, RELEASED)


def test_filters_of_time_count_more_than_the_words() -> None:
    found = asked("redis last week since:2026-01-01")
    assert (found.text, found.period) == ("redis last week", None)


@pytest.mark.parametrize(
    "query",
    [
        "last week",
        "what did we decide last week?",
        "what happened yesterday",
        "anything new since monday",
        "was haben wir letzte Woche gemacht",
        "kind:decision last week",
    ],
)
def test_a_query_about_a_time_and_nothing_else_has_no_words(query: str) -> None:
    found = asked(query)
    assert found.text == ""
    assert found.period is not None


def test_the_words_of_asking_stay_where_no_time_is_asked() -> None:
    assert asked("what changed").text == "what changed"


def test_filters_beside_the_query() -> None:
    given = {"since": "2026-01-01", "until": "last week", "tag": "#db", "status": "open"}
    found = asked("redis", given=given | {"order": "newest"})
    assert found == ParsedQuery(
        text="redis",
        order="newest",
        which=Filter(
            since=date(2026, 1, 1), until=date(2026, 11, 15), tags=("db",), status=Status.OPEN
        ),
    )


def test_days_in_the_query_narrow_those_beside_it_and_the_rest_counts_instead() -> None:
    which = Filter(kinds=(Kind.GOAL,))
    found = asked(
        "since:2025-01-01 until:2026-02-01 tag:web kind:todo",
        which=which,
        given={"since": "2026-01-01", "tag": "db"},
    )
    assert found.which == Filter(
        since=date(2026, 1, 1), until=date(2026, 2, 1), tags=("web",), kinds=(Kind.TODO,)
    )


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("since", "99999999", "last week"),
        ("until", "", "last week"),
        ("tag", "", "without its hash"),
        ("status", "done", "open, resolved, blocked"),
        ("order", "sideways", "relevance, newest, oldest"),
    ],
)
def test_a_wrong_filter_beside_the_query_is_an_error(name: str, value: str, remedy: str) -> None:
    with pytest.raises(InputError, match=f"{name} is '{value}'") as caught:
        asked("redis", given={name: value})
    assert remedy in caught.value.remedy


def test_the_filters_that_hold_can_be_written_again() -> None:
    query = "kind:decision,todo since:2026-01-01 until:2026-02-01 tag:a status:open section:S id:b"
    query += " lang:de,fr"
    found = asked(query)
    assert found.narrowed == query
    assert asked(found.narrowed) == found
    assert asked("yesterday").narrowed == "since:2026-11-19 until:2026-11-19"
    assert asked("redis").narrowed == ""


def test_a_filter_that_is_none_takes_nothing_from_those_that_hold() -> None:
    which = asked("tag:# id:; kind:x", which=Filter(ids=("a",)), given={"tag": "db"}).which
    assert which == Filter(ids=("a",), tags=("db",))


def test_only_so_many_filters_are_read() -> None:
    found = asked(" ".join(f"tag:a{number}" for number in range(2_000)))
    assert len(found.which.tags) == 50
    assert found.text.startswith("tag:a50 tag:a51 ")


def test_what_is_behind_a_hundred_thousand_characters_is_not_read() -> None:
    assert asked("x" * 100_000 + " kind:decision").which == EVERY


@pytest.mark.parametrize("text", ["a1b2", " ^a1b2 ", "[[a1b2]]", "[[ ^a1b2 ]]\n"])
def test_an_id_as_it_stands_in_a_file(text: str) -> None:
    assert as_id(text) == "a1b2"


NAMES = st.sampled_from(
    "kind type since after until before on tag status section order id lang language".split()
)
PIECES = st.one_of(
    st.builds("{}:{}".format, NAMES, st.text(max_size=12)),
    st.builds('{}:"{}"'.format, NAMES, st.text(max_size=12)),
    st.builds("{}:{}".format, NAMES, st.sampled_from(["open", "last week", "v1.2", "2026", "a,b"])),
    st.text(max_size=12),
)


@given(st.lists(PIECES, max_size=6))
def test_nothing_in_a_query_is_wrong_and_no_word_is_lost(pieces: list[str]) -> None:
    query = " ".join(pieces)
    found = asked(query, released=release)
    which = found.which
    if which == EVERY and found.order == "relevance" and found.period is None:
        assert found.text == (query if query.strip() else "")
    for word in found.ignored:
        assert word in query
    where, values = which.clauses()
    assert sum(clause.count("?") for clause in where) == len(values)
