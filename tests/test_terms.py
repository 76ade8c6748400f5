"""Terms: what entries and queries are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.text.terms import query_terms, telling, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Migrations were running", ["migrat", "were", "run"]),
        ("parseDate", ["parsed", "pars", "date"]),
        ("parse_date --dry-run", ["parse_date", "pars", "date", "dryrun", "dri", "run"]),
        ("E-Mails up-to-date", ["email", "mail", "uptod", "date"]),
        ("Echt\u2011Zeit -x- y--z", ["echtzeit", "echt", "zeit", "x", "y", "z"]),
        ("src/auth/login.py:12", ["src", "auth", "login", "py", "12"]),
        ("HTTPServer2 v1.2.3 #123", ["httpserver2", "http", "server", "v1", "2", "3", "123"]),
        ("Müller's café, Straße", ["muller", "cafe", "strass"]),
        ("don’t it's", ["dont", "it"]),
        ("缓存失效 x", ["缓存", "存失", "失效", "x"]),
        ("库", ["库"]),
        ("用redis做缓存", ["用", "redi", "做缓", "缓存"]),
        ("timeoutは30秒", ["timeout", "は", "30", "秒"]),
        ("parseDate를", ["parsed", "pars", "date", "를"]),
        ("ﬁle ＡＢＣ", ["file", "abc"]),
        ("ошибки сессий", ["ошибк", "сесс"]),
        ("имя_поля", ["имя_пол", "им", "пол"]),
        ("a\0b \ud800 😀 __", ["a", "b"]),
        ("", []),
    ],
)
def test_words_become_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_name_too_long_for_a_hyphenated_word_is_only_split() -> None:
    assert terms("-".join(f"part{n}" for n in range(20)))[:2] == ["part0", "part"]


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    assert query_terms("why is the cache slow") == ["cach", "slow"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]
    assert telling("Why is the Cache slow") == ["Cache", "slow"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Warum haben wir kein Redis?", ["Redis"]),
        ("Was haben wir in der API", ["API"]),
        ("pourquoi pas Redis", ["Redis"]),
        ("Perché non usiamo Redis, che è veloce", ["usiamo", "Redis", "veloce"]),
        ("was haben wir in", ["haben", "wir"]),
        ("comment on error", ["comment", "error"]),
        ("the man in the car has the war file", ["man", "car", "war", "file"]),
        ("the page after the login", ["page", "after", "login"]),
    ],
)
def test_function_words_of_the_language_of_a_query_are_dropped(
    query: str, expected: list[str]
) -> None:
    assert telling(query) == expected


def test_a_query_is_cut_where_it_becomes_a_text() -> None:
    assert len(query_terms(" ".join(f"w{n}" for n in range(99)))) == 32
    assert query_terms("x" * 100_000) == ["x" * 64]


@given(st.text())
def test_terms_are_letters_digits_and_underscores(text: str) -> None:
    assert all(term and not set(term) & set(" \"'\0*():^-") for term in terms(text))
    assert set(query_terms(text)) <= set(terms(text))
