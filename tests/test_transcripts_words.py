"""Statements, sentences and plain text out of what a person says in a session."""

from pathlib import Path

import pytest

from mind.domain.settings import Settings
from mind.sources.transcripts.reading import Places, plain
from mind.sources.transcripts.statements import lines, sentences, stated

PLACES = Places([Path("/home/dev/shop")], Path("/home/dev"))


def said(text: str) -> list[str]:
    return [f"{kind}: {words}" for kind, words in stated(text, Settings())]


# --- what is a statement ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "from now on use pnpm"),
        ("decision", "From now on, all dates are in UTC."),
        ("decision", "name the columns in snake_case from now on"),
        ("decision", "we always squash before a merge"),
        ("decision", "no, we never call the gateway from tests"),
        ("decision", "and we only publish from a tag"),
        ("decision", "a partir de ahora todas las fechas van en UTC"),
        ("decision", "désormais les durées sont en millisecondes"),
        ("decision", "今后都使用 pnpm 安装依赖"),
        ("note", "remember that staging is read-only"),
        ("note", "ok, please remember to keep `from __future__ import annotations`"),
        ("note", "Remember, there is no need for redis"),
        ("note", "recuerda que staging es de solo lectura"),
    ],
)
def test_a_sentence_that_is_to_be_kept_is_taken_as_it_is(kind: str, text: str) -> None:
    assert said(text) == [f"{kind}: {text}"]
    assert said(f"Fix the header. {text}") == [f"{kind}: {text}"]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("decided: no need for redis", "decision: no need for redis"),
        ("Rejected: celery - no broker", "rejected: celery - no broker"),
        ("- learned: __init__ must stay", "learning: __init__ must stay"),
        ("**Gotcha:** `a` eats \\. and \\_", "gotcha: `a` eats \\. and \\_"),
        ("MEMORY: dates are in UTC. All of them.", "note: dates are in UTC. All of them."),
        ("MEMORY: decided: use pnpm", "decision: use pnpm"),
        ("remember this: use **pnpm**", "decision: use **pnpm**"),
        ("entscheidung: wir nehmen pnpm", "decision: wir nehmen pnpm"),
    ],
)
def test_a_mark_takes_the_rest_of_its_line(line: str, note: str) -> None:
    assert said(f"Hello.\n{line}\nGo on.") == [note]


def test_what_follows_a_bare_label_has_it() -> None:
    assert said("remember:\n\n- a is b\n2. c is d\n\nGo on.") == ["note: a is b", "note: c is d"]
    assert said("From now on:\n- use pnpm\n- no default exports") == [
        "decision: From now on: use pnpm",
        "decision: From now on: no default exports",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no need for redis",
        "always use tabs",
        "if it is red, we never deploy",
        "what if we always used zod?",
        "he said we never use zod",
        "anna: we never use zod in this repo",
        "do we always use zod?",
        "decided: shall we use zod?",
        "i remember: we use zod",
        "do you remember which port it was",
        "remembering all of that is hard",
        "remember this",
        "from now one it is the second",
        'the docs say "from now on use tabs"',
        "`we always use tabs` is printed",
        "> from now on use tabs",
        "    decided: use tabs",
        "```\ndecided: use tabs\n```",
        "# From now on use tabs",
        "| we always use tabs |",
        "remember that I am a python developer",
        "decided: the build is red today",
    ],
)
def test_what_is_no_statement(text: str) -> None:
    assert said(text) == []


def test_statements_keep_their_words() -> None:
    text = "We never need redis, no need for it in __future__ (*see* ADR 3)"
    assert said(text) == [f"decision: {text}"]


# --- sentences ----------------------------------------------------------------------------------


def test_sentences_end_where_they_end() -> None:
    assert list(sentences("Use app.py, e.g. for J. Doe. it works! Really?  ")) == [
        "Use app.py, e.g. for J. Doe.",
        "it works!",
        "Really?",
    ]
    assert list(sentences("`a. b` is c. 好。对")) == ["`a. b` is c.", "好。", "对"]
    assert list(sentences("")) == []


def test_lines_of_a_paragraph_are_joined_and_items_are_not() -> None:
    wrapped = "This sentence is so long that somebody has wrapped it at the\nend of a line."
    assert list(lines(wrapped)) == [wrapped.replace("\n", " ")]
    assert list(lines("- **one** thing\n- [x] another\n2. a third")) == [
        "**one** thing",
        "another",
        "a third",
    ]
    assert list(lines("short\nlines stay apart")) == ["short", "lines stay apart"]


def test_what_is_only_shown_is_no_line() -> None:
    shown = "# Heading\n> quoted\n| a | b |\n    code\n```py\n# Note that x\n```\n~~~\nopen"
    assert list(lines(shown)) == []
    assert list(lines(f"Before.\n{shown}")) == ["Before."]


# --- plain text ---------------------------------------------------------------------------------


def test_paths_are_relative_to_the_project() -> None:
    assert (
        PLACES.relative("/home/dev/shop/a.py and /home/dev/shop-b/c.py") == "a.py and ~/shop-b/c.py"
    )
    assert PLACES.relative("/home/anna/x, C:\\Users\\anna\\y, /root/z") == "~/x, ~\\y, ~/z"
    assert Places([Path("/")], Path("/")).relative("/etc/hosts") == "/etc/hosts"


def test_only_files_of_the_project_are_named() -> None:
    assert PLACES.file("/home/dev/shop/src/a.py") == "src/a.py"
    for path in ("/etc/hosts", "/home/dev/b.py", "D:\\x.py", "../x.py", ""):
        assert PLACES.file(path) == ""


def test_what_looks_like_a_mark_is_none_any_more() -> None:
    assert plain("a Vec<string> of <system-reminder>x", PLACES) == "a Vec<string> of x"
    assert plain("text ^abc123", PLACES) == "text abc123"
    assert plain("no MEMORY: in [layer:: goal] files", PLACES) == "no MEMORY: in layer: goal files"
