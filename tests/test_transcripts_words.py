"""Sentences and plain text out of what is said in a session."""

from pathlib import Path

from mind.sources.transcripts.nominating import lines, sentences
from mind.sources.transcripts.reading import KnownFolders, plain

PLACES = KnownFolders([Path("/home/dev/shop")], Path("/home/dev"))


# --- sentences ----------------------------------------------------------------------------------


def texts(text: str) -> list[str]:
    return [line for line, _ in lines(text)]


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
    assert texts(wrapped) == [wrapped.replace("\n", " ")]
    assert texts("- **one** thing\n- [x] another\n2. a third") == [
        "**one** thing",
        "another",
        "a third",
    ]
    assert texts("short\nlines stay apart") == ["short", "lines stay apart"]


def test_what_is_only_shown_is_no_line() -> None:
    shown = "# Heading\n> quoted\n| a | b |\n    code\n```py\n# Note that x\n```\n~~~\nopen"
    assert texts(shown) == []
    assert texts(f"Before.\n{shown}") == ["Before."]


# --- plain text ---------------------------------------------------------------------------------


def test_paths_are_relative_to_the_project() -> None:
    assert (
        PLACES.relative("/home/dev/shop/a.py and /home/dev/shop-b/c.py") == "a.py and ~/shop-b/c.py"
    )
    assert PLACES.relative("/home/anna/x, C:\\Users\\anna\\y, /root/z") == "~/x, ~\\y, ~/z"
    assert KnownFolders([Path("/")], Path("/")).relative("/etc/hosts") == "/etc/hosts"


def test_what_looks_like_a_mark_is_none_any_more() -> None:
    assert plain("a Vec<string> of <system-reminder>x", PLACES) == "a Vec<string> of x"
    assert plain("text ^abc123", PLACES) == "text abc123"
    assert plain("no MEMORY: in [layer:: goal] files", PLACES) == "no MEMORY: in layer: goal files"


def test_items_of_a_list_are_told_from_paragraphs() -> None:
    assert list(lines("From now on:\n- use pnpm\n\nThanks.")) == [
        ("From now on:", False), ("use pnpm", True), ("Thanks.", False),
    ]  # fmt: skip
