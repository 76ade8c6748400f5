"""Ranking: which of several entries answers a query best, and why."""

from collections.abc import Sequence

import pytest

from mind.ranking import (
    SIGNALS,
    Candidate,
    Corpus,
    EntryText,
    Query,
    Ranked,
    Shortlist,
    Weights,
    rank,
)
from mind.text.terms import terms


def ranked(query: str, *texts: str, talk: bool = False, limit: int = 10) -> list[Ranked]:
    asked = Query(query)
    wanted = frozenset(asked.terms)
    passages = [EntryText(text, terms(text), len(terms(text)), wanted) for text in texts]
    candidates = [
        Candidate(
            row=at,
            own=own,
            before=passages[max(0, at - 5) : at] if talk else (),
            after=passages[at + 1 : at + 3] if talk else (),
        )
        for at, own in enumerate(passages)
    ]
    frequency = {term: sum(term in one.found for one in passages) for term in asked.terms}
    length = sum(len(one.terms) for one in passages) / (len(passages) or 1)
    shortlist = Shortlist(candidates, Corpus(1000, length, frequency))
    ranked = rank(asked, shortlist, Weights())
    return list(ranked)[:limit]


def order(query: str, texts: Sequence[str], *, talk: bool = False) -> list[int]:
    return [one.row for one in ranked(query, *texts, talk=talk)]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("cache invalidation", "cache invalidation is hard", "the cache is a cache of a cache"),
        ("invalidation of the cache", "invalidate the cache first", "the parser is slow"),
        ("retry limit", "retry limit raised", "limit the pool; retry the job of the worker later"),
        ("autodetect charset", "charset auto-detection", "charset names in headers"),
        ("strict mode", "strict mode", "strict mode of the table with columns and defaults"),
        ("add a cache for pages", "pages get a cache", "drop the cache for pages"),
        ("speed up the parser", "the parser is faster", "rename the parser"),
        ("the pool of connections", "connections in a pool", "docs of the pool of connections"),
        ("retry of uploads", "retry uploads", "release the retry of uploads"),
        ("the --raw option", "option for --raw printing", "option for a raw printing"),
        ("New `pool` of threads", "threads: pool()", "threads: pools, pooling, spool of pooled"),
        ("what parse_date() reads", "parse_date reads dates", "dates are read: parse the date"),
        ("Response.next", "drop `Response.next` now", "drop next response now"),
    ],
)
def test_the_better_answer_is_first(query: str, better: str, worse: str) -> None:
    assert order(query, [worse, better]) == [1, 0]


def test_the_order_of_the_words_only_matters_among_equals() -> None:
    texts = ["deploy needs the token", "a token of the theme", "deploy on Friday"]
    assert order("deploy token", texts)[0] == order("token deploy", texts)[0] == 0


def test_what_looks_like_code_is_compared_as_it_stands() -> None:
    query = Query("New --raw, `the columns=` of table.insert(pk=1), HTTP/2 via parseDate or py3; x")
    assert query.codes == [
        "--raw", "columns", "table.insert", "pk", "http/2", "parsedate", "py3"
    ]  # fmt: skip
    words = query.text.split()
    assert set(Query(" ".join(reversed(words))).codes) == set(query.codes)
    assert Query("a plain question about dates, AND `the` NOT").codes == []


def test_a_query_without_code_is_not_weighed_by_it() -> None:
    (found,) = ranked("the cache of pages", "a cache of pages")
    assert "written" not in found.signals
    (found,) = ranked("the `cache` of pages", "a cache of pages")
    assert found.signals["written"] > 0


TALK = [
    "Anna: The weather is fine.",
    "Ben: Which database did you take?",
    "Anna: We went for the small one, last Friday.",
    "Ben: My holiday was long.",
    "Anna: The database is slow?",
]


def test_in_a_conversation_the_answer_is_found_beside_the_question() -> None:
    assert order("which database did Anna take", TALK[:4], talk=True)[0] == 2
    assert order("which database did Anna take", TALK[:4])[0] == 1


def test_who_is_named_and_when_is_asked_counts() -> None:
    named = ranked("What did Anna say of the database", *TALK, talk=True)
    signals = {one.row: one.signals for one in named}
    assert "speaker" in signals[2]
    assert "speaker" not in signals[1]
    asked = ranked("When was the database taken", *TALK, talk=True)
    assert "time" in {one.row: one.signals for one in asked}[2]
    assert {one.row: one.signals for one in asked}[1]["asking"] < 0


def test_what_follows_a_question_with_the_words_is_its_answer() -> None:
    found = ranked("which database did Anna take", *TALK, talk=True)
    signals = {one.row: one.signals for one in found}
    assert signals[2]["answers"] > 0
    assert [row for row, of in signals.items() if "answers" in of] == [2]
    assert "answers" not in {name for one in ranked("database", *TALK) for name in one.signals}


@pytest.mark.parametrize(
    ("query", "text", "against"),
    [
        ("the parser", "tests of the parser", "beside"),
        ("the parser", "document the parser, then fix it", "beside"),
        ("tests of the parser", "tests of the parser", None),
        ("the parser", "fix the parser and its tests", None),
        ("drop the parser", "add a parser", "otherwise"),
        ("drop the parser", "add a parser, drop the old one", None),
        ("drop the parser", "the parser", None),
        ("the parser", "add a parser", None),
    ],
)
def test_what_was_done_counts_against_an_entry_that_did_something_else(
    query: str, text: str, against: str | None
) -> None:
    found = ranked(query, text)[0].signals
    assert {name for name in found if found[name] < 0} == ({against} if against else set())


def test_signals_add_up_to_the_score_and_matched_terms_are_named() -> None:
    best = ranked("slow database query", *TALK, talk=True)[0]
    assert best.score == pytest.approx(sum(best.signals.values()), abs=0.001)
    assert set(best.signals) <= set(SIGNALS)
    assert best.matched == ("slow", "databas")


def test_a_limit_and_nothing_at_all() -> None:
    assert len(ranked("database", *TALK, limit=2)) == 2
    assert ranked("database") == []
    assert ranked("?!", "text") != []


def test_scores_lie_between_nothing_and_one() -> None:
    exact = ranked("Anna: when did the slow database fail last week", *TALK, talk=True)
    assert all(0 <= one.score <= 1 for one in exact)
    assert ranked("slow database", "slow database")[0].score > 0.5
