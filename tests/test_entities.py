"""Which things a text names, where they stand, and which spellings are one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mind.text.entities import key_of, page_of, scan


def named(text: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.kind) for one in scan(text) if one.kind != "start"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix src/auth/login.py:12 now", [("src/auth/login.py", "path")]),
        (
            "see ./run.sh, Makefile and .env",
            [
                ("./run.sh", "path"),
                ("Makefile", "path"),
                (".env", "path"),
            ],
        ),
        (r"in C:/Users/x and src\app\x.py", [("C:/Users/x", "path"), (r"src\app\x.py", "path")]),
        (
            "under /etc/hosts and a/.b/c and my_app/views",
            [
                ("/etc/hosts", "path"),
                ("a/.b/c", "path"),
                ("my_app/views", "path"),
            ],
        ),
        ("on 24/7 and/or 11/20/2026", []),
        ("x.y.z. ..py a..py .x", []),
        (
            "call parseDate or parse_date()",
            [("parseDate", "identifier"), ("parse_date()", "identifier")],
        ),
        (
            "foo::bar, a->bc, Foo#bar and app.config.x",
            [
                ("foo::bar", "identifier"),
                ("Foo#bar", "identifier"),
                ("app.config.x", "identifier"),
            ],
        ),
        (
            "set $HOME, __init__ and _private",
            [
                ("$HOME", "identifier"),
                ("__init__", "identifier"),
                ("_private", "identifier"),
            ],
        ),
        ("i.e. U.S.A and e.g a.b", []),
        ("with --no-cache, -v and --1", [("--no-cache", "flag")]),
        (
            "over HTTP, JWTs, OAuth and K8s on macOS",
            [
                ("HTTP", "acronym"),
                ("JWTs", "acronym"),
                ("OAuth", "acronym"),
                ("K8s", "acronym"),
                ("macOS", "identifier"),
            ],
        ),
        ("this is NOT OK, TODO later, P1", []),
        (
            "fixes #12, GH-7, !9 and owner/repo#5",
            [
                ("#12", "issue"),
                ("GH-7", "issue"),
                ("!9", "issue"),
                ("owner/repo#5", "issue"),
            ],
        ),
        (
            "see PR 45 and issue: 7, JIRA-123, CVE-2024-1234",
            [
                ("45", "issue"),
                ("7", "issue"),
                ("JIRA-123", "issue"),
                ("CVE-2024-1234", "issue"),
            ],
        ),
        ("PR 123456789 has 45 lines", []),
        (
            "the [[Auth Service|auth]] and [[#12]] and [[a#part]]",
            [
                ("Auth Service", "link"),
                ("#12", "link"),
                ("a#part", "link"),
            ],
        ),
        ("an empty [[ ]] link, [[-]]", []),
        (
            "from https://api.github.com/x?y=1 and git@gitlab.com:a/b",
            [
                ("api.github.com", "host"),
                ("gitlab.com", "host"),
            ],
        ),
        (
            "on localhost:80, http://localhost:8000, http://10.0.0.1:80/ and 127.0.0.1:99",
            [
                ("localhost", "host"),
                ("localhost", "host"),
                ("10.0.0.1", "host"),
                ("127.0.0.1", "host"),
            ],
        ),
        ("at example.com/path or a@b.com", [("example.com", "host")]),
        ("needs @types/node@4, not @someone", [("@types/node", "package")]),
        (
            "since v1.2.3, 2.0rc1 and 3.x; Python 3.11 is 1.5 times faster",
            [
                ("v1.2.3", "version"),
                ("2.0rc1", "version"),
                ("3.x", "version"),
                ("Python", "name"),
                ("3.11", "version"),
            ],
        ),
        ("the 0.3 release on 2026.11.20", [("0.3", "version")]),
        (
            "a `git push` and `x` and ``a`b``",
            [
                ("git push", "code"),
                ("x", "code"),
                ("a`b", "code"),
            ],
        ),
        ("a `run foo_bar -x` here", [("run foo_bar -x", "code"), ("foo_bar", "identifier")]),
        ("a `git push origin Main` here", [("git push origin Main", "code")]),
        (
            "`unclosed and ``not the same` but `this`",
            [("unclosed and ``not the same", "code"), ("this", "code")],
        ),
        ("` ` `--` `" + "x" * 90 + "` `a\nb`", []),
        ("it runs on Visual Studio with Redis", [("Visual Studio", "name"), ("Redis", "name")]),
        ("Decided against Redis. Redis is slow.", [("Redis", "name"), ("Redis", "name")]),
        ("Caching is slow. Fixed by The Guardian Next", [("Guardian", "name")]),
        ("on Monday, Use it, e.g. Kafka", [("Kafka", "name")]),
        ("A Row Of Very Many Words That Is Heading", []),
        ("Der Fehler ist in der Datenbank und in der Anwendung mit dem Server", []),
        ("send X-Header and Content-Type", [("Header", "name"), ("Content-Type", "name")]),
        (
            "a Redis-backed and HTTP/JSON/2 use 1.5-fold",
            [
                ("Redis", "name"),
                ("HTTP", "acronym"),
                ("JSON", "acronym"),
            ],
        ),
        ("auf Größe und naïve_name", [("Größe", "name"), ("naïve_name", "identifier")]),
        ("x" * 300 + "_y", []),
        ("用Redis缓存", [("Redis", "name")]),
        ("", []),
    ],
)
def test_a_text_names_these_things(text: str, expected: list[tuple[str, str]]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    "spellings",
    [
        (
            "parse_date",
            "parseDate",
            "ParseDate",
            "parse-date",
            "parse date",
            "`parse_date`",
            "parse_date()",
        ),
        ("Auth Service", "auth-service", "AuthService", "auth_service", " auth  service "),
        ("./src/a.py", "src/a.py", "SRC/a.py", r"src\a.py"),
        ("docs/", "docs"),
        ("#12", "GH-12", "!12"),
        ("--no-cache", "--no_cache"),
        ("v1.2", "V1.2"),
        ("JWT", "JWTs", "jwt"),
        ("K8s", "k8s"),
        ("Straße", "STRASSE"),
        ("Redis", "redis", "*Redis*"),
        ("a.b_c", "a.bC"),
    ],
)
def test_spellings_of_one_thing_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len({key_of(one) for one in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("#12", "12"), ("a.py", "a.js"), ("redis", "redis2"), ("a/b.py", "b.py"), ("--all", "all")],
)
def test_different_things_have_different_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


def test_a_name_of_nothing_but_signs_still_has_a_key() -> None:
    assert key_of("--")
    assert key_of("a\u200bb") == "a\u200bb"
    assert key_of("/") == "/"
    assert not key_of(" ")


def test_a_link_names_the_page_not_the_heading_in_it() -> None:
    assert page_of("auth#Tokens") == "auth"
    assert page_of("#12") == "#12"
    assert page_of("repo#12") == "repo#12"


def test_a_word_that_begins_a_sentence_is_kept_apart() -> None:
    found = scan("Kafka is slow")
    assert [(one.kind, one.key) for one in found] == [("start", "kafka")]


def test_text_that_is_hostile_to_the_patterns_is_read_quickly() -> None:
    for text in (
        "`" * 20_000,
        "[[" * 20_000,
        "a/" * 20_000,
        "A " * 20_000,
        "a.b" * 9_000,
        "#" * 9_000,
    ):
        assert len(named(text)) <= len(text)


@given(st.text(st.sampled_from("aB1 _-/.#`[]|:@!$()\n'é漢~<>,"), max_size=60))
def test_every_mention_is_where_it_says(text: str) -> None:
    found = [one for one in scan(text) if one.kind != "start"]
    assert [one.start for one in found] == sorted(one.start for one in found)
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        assert one.key


@given(st.text(max_size=40))
def test_a_key_is_the_same_for_any_case(text: str) -> None:
    assert isinstance(key_of(text), str)
    if text.isascii() and text.isalpha():
        assert key_of(text.lower()) == key_of(text.lower().capitalize())
