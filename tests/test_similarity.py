"""How alike texts are: calibrated, symmetric, and aware of direction."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.domain.settings import Settings
from mind.text.similarity import Severity, opposed, severity, similarity, weight, words
from mind.text.similarity.words import stem

SAME = [
    ("Redis for session storage", "store sessions in Redis"),
    ("use websockets for live updates", "switch to websockets for live updates"),
    ("parseDate fails on Safari", "parse_date fails in Safari"),
    ("cache rendered pages in memory", "in-memory cache for rendered pages"),
    ("authentication with JWT tokens", "JWT token auth"),
    ("Postgres for the job queue", "job queue in PostgreSQL"),
    ("mock the database in tests", "mocking the db for tests"),
    ("a monorepo with npm workspaces", "npm workspaces monorepo"),
    ("使用数据库连接池", "数据库连接池"),
    ("хранить сессии в Redis", "сессии хранить в Redis"),
    ("WebSockets for GlitchTip", "GLITCHTIP by websockets"),
]
DIFFERENT = [
    ("Redis for session storage", "SQLite for full-text search"),
    ("use websockets for live updates", "rename the settings page"),
    ("add a button", "Redis for sessions"),
    ("retry failed downloads", "compress uploaded images"),
    ("split the parser into modules", "write the changelog by hand"),
]
OPPOSITE = [
    ("add a cache for pages", "remove the cache for pages"),
    ("enable CORS for all origins", "disable CORS for all origins"),
    ("use Redis for sessions", "don't use Redis for sessions"),
    ("upgrade React to 19", "downgrade React to 18"),
    ("Postgres over SQLite", "SQLite over Postgres"),
    ("migrate from REST to GraphQL", "migrate from GraphQL to REST"),
    ("allow anonymous uploads", "forbid anonymous uploads"),
    ("validate before saving", "validate after saving"),
    ("Add content-length header", "Revert content-length header"),
    ("always lock the file", "never lock the file"),
    ("Turn on strict mode", "Turn off strict mode"),
    ("Add a header for empty streams", 'Revert "Add a header for empty streams"'),
    ("Wrap errors in ApiError", "Unwrap errors from ApiError"),
    ("Mark the test as slow", "Unmark the test as slow"),
    ("Switch from npm to pnpm", "Switch back to npm from pnpm"),
    ("Make the argument required", "Make the argument optional"),
    ("Run the tests in parallel", "Run the tests sequentially"),
    ("Connect the worker to the queue", "Disconnect the worker from the queue"),
    ("pnpm over npm; do not commit the lockfile", "pnpm over npm; commit the lockfile"),
    ("Vitest over Jest: timers are faked", "Vitest over Jest: timers are not faked"),
    ("run tests over the VPN", "run tests not over the VPN"),
    ("the tests run over the VPN", "the tests do not run over the VPN"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_idea_in_other_words_is_over_the_threshold(a: str, b: str) -> None:
    assert similarity(a, b) >= 0.60
    assert not opposed(a, b)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_unrelated_ideas_stay_far_below(a: str, b: str) -> None:
    assert similarity(a, b) < 0.40


@pytest.mark.parametrize(("a", "b"), OPPOSITE)
def test_lesson_opposite_directions_are_never_a_repeat(a: str, b: str) -> None:
    assert opposed(a, b)
    assert opposed(b, a)
    assert similarity(a, b) < 0.60


def test_the_same_choice_over_different_things_is_no_opposite() -> None:
    assert not opposed("Postgres over SQLite", "Postgres over MySQL")
    assert not opposed("migrate from REST to GraphQL", "move from REST to GraphQL")


def test_two_ways_of_saying_no_agree() -> None:
    assert not opposed("don't use Redis for sessions", "avoid Redis for sessions")
    assert not opposed("Revert the cache of pages", "roll back the cache of pages")
    assert not opposed("move back to npm from pnpm", "switch from pnpm to npm")
    assert not opposed("Revert the cache of pages", "upgrade the compiler")
    assert not opposed("unpin numpy", "the build is slow")


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_are_symmetric_and_between_0_and_1(a: str, b: str) -> None:
    score = similarity(a, b)
    assert 0.0 <= score <= 1.0
    assert math.isclose(score, similarity(b, a))
    assert similarity(a, a) == 1.0


def test_case_and_emphasis_do_not_count() -> None:
    assert similarity("Use **Redis**", "use redis") == 1.0


def test_empty_and_huge_texts_are_scored() -> None:
    assert similarity("", "x") == 0.0
    assert similarity("the of and", "redis") == 0.0
    assert similarity("word " * 50_000, "redis " * 50_000) < 0.2


def test_severities_are_over_their_thresholds() -> None:
    settings = Settings()
    assert severity(0.60, settings) is None
    assert severity(0.61, settings) is Severity.MODERATE
    assert severity(0.81, settings) is Severity.HIGH
    assert severity(0.96, settings) is Severity.CRITICAL


def test_thirty_unrelated_rejections_warn_about_nothing() -> None:
    subjects = "cache queue parser login upload report search export theme router".split()
    rejections = [
        f"{verb} the {one} nightly" for one in subjects for verb in ("rebuild", "mirror", "shard")
    ]
    ideas = ["compress images on upload to the CDN", "write the docs in AsciiDoc",
             "let people sign in by email link", "draw charts on a canvas"]  # fmt: skip
    assert [(a, b) for a in ideas for b in rejections if similarity(a, b) >= 0.60] == []


def test_words_are_split_folded_and_stemmed() -> None:
    assert words("parseDate parse_date Parsing dates") == ("pars", "dat") * 3
    assert words("the db, the database") == words("database database")
    assert words("中文字") == ("中文", "文字")
    assert words("v 2 x") == ("2",)
    assert len(words("word " * 1_000)) == 400


@pytest.mark.parametrize(
    ("one", "other"),
    [("sessions", "session"), ("stopped", "stop"), ("libraries", "library"), ("boxes", "box"),
     ("running", "run"), ("caching", "cache"), ("classes", "class")],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_rare_words_weigh_more() -> None:
    assert weight("frobnicat") > weight(stem("value"))
    assert weight("42") < weight("frobnicat")
    assert stem("é") == "é"
