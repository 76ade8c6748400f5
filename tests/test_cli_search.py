"""`mind search`, `timeline`, `show`, `around` and `recent` as a person and a program see them."""

import json

import pytest

from mind.storage.project import Project
from tests.conftest import Run

TEXT = """# Notes

learned: undated facts stand before any day

## 2026-03-09

decided: SQLite over Postgres - one file #db

## 2026-03-10

problem: Safari drops the session cookie [reviewed:: 2026-03-17] #web ^cookie1

## 2026-03-20

decided: keep sessions on the server #web
"""


@pytest.fixture
def mind(mind: Run, project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mind`` in the project: exit code, standard output, standard error."""
    project.memory.write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(project.root)
    return mind


def column(out: str, number: int) -> list[str]:
    return [line.split("\t")[number] for line in out.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        (["session", "--type", "problem"], ["Safari"]),
        (["session", "--tag", "web", "--order", "oldest"], ["Safari", "keep"]),
        (["session", "--order", "newest"], ["keep", "Safari"]),
        (["session", "--since", "2026-03-15"], ["keep"]),
        (["session", "--until", "2026-03-15"], ["Safari"]),
        (["session", "--status", "open"], ["Safari"]),
        (["session cookie", "--offset", "1"], ["keep"]),
        (["session cookie", "-n", "1"], ["Safari"]),
        (["kind:decision"], ["keep", "SQLite"]),
        (["kind:decision", "order:oldest"], ["SQLite", "keep"]),
        (["since:10 March 2026", "tag:web"], ["keep", "Safari"]),
        (["id:^cookie1"], ["Safari"]),
    ],
)
def test_filters_as_options_or_in_the_query(
    mind: Run, arguments: list[str], titles: list[str]
) -> None:
    code, out, err = mind("search", *arguments)
    assert (code, err) == (0, "")
    assert [title.split()[0] for title in column(out, 4)] == titles


def test_what_is_only_listed_has_no_relevance(mind: Run) -> None:
    assert column(mind("search", "kind:decision")[1], 3) == ["-", "-"]
    assert column(mind("search", "safari cookie")[1], 3)[0] == "high"


@pytest.mark.parametrize(
    ("option", "value", "remedy"),
    [
        ("--since", "99999999", "last week"),
        ("--until", "soon", "last week"),
        ("--status", "done", "open, resolved, blocked"),
        ("--order", "sideways", "relevance, newest, oldest"),
        ("--tag", "#", "without its hash"),
        ("--offset", "-1", "0 to 1,000,000"),
        ("--limit", "0", "1 to 100"),
        ("--type", "mood", "decision, problem"),
    ],
)
def test_a_wrong_option_is_an_error_with_a_remedy(
    mind: Run, option: str, value: str, remedy: str
) -> None:
    code, out, err = mind("search", "session", option, value)
    assert (code, out) == (2, "")
    assert remedy in err


def test_what_was_no_filter_and_which_time_is_meant_are_notes(mind: Run) -> None:
    code, out, err = mind("search", "session", "kind:nonsense", 'tag:""', "in", "March", "2026")
    assert (code, len(column(out, 0))) == (0, 2)
    assert "2026-03-01 to 2026-03-31 preferred.\n" in err
    assert 'Not a filter; searched as text: kind:nonsense tag:""\n' in err
    assert mind("search", "in March 2026")[2] == "2026-03-01 to 2026-03-31.\n"
    assert json.loads(mind("search", "--json", "session", "order:x")[1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kubernetes"], "Nothing found for 'kubernetes'. Try other words."),
        (
            ["session", "tag:latest"],
            (
                "Nothing found for 'session tag:latest' (tag:latest). "
                "Try other words, or fewer filters."
            ),
        ),
        (["session", "--offset", "50"], "There are only 2 hits."),
    ],
)
def test_nothing_found(mind: Run, arguments: list[str], said: str) -> None:
    assert mind("search", *arguments)[:2] == (0, f"{said}\n")
    assert mind("search", "--json", *arguments)[1] == "[]\n"


def test_explain_names_branches_signals_and_words(mind: Run) -> None:
    out = mind("search", "--explain", "Safari cookie in March 2026")[1]
    assert out.startswith("1. ")
    assert "found: #1 by words, #1 by time, high relevance (" in out
    assert "; .mind/MEMORY.md:11" in out
    assert " then +" in out
    assert "matched: Safari, cookie" in out
    assert "Showing 2 of 2 ranked entries." in out
    _, out, err = mind("search", "--explain", "kind:decision in March 2026")
    assert out.count("found: matches the filters; ") == 2
    assert "Showing 2 of 2 matching entries." in out
    assert err == "2026-03-01 to 2026-03-31.\n"


def test_a_timeline(mind: Run) -> None:
    code, out, _ = mind("timeline", "safari", "cookie", "-b", "1", "-a", "1")
    assert code == 0
    assert column(out, 0) == ["", ">", ""]
    assert column(out, 2) == ["2026-03-09", "2026-03-10", "2026-03-20"]
    found = json.loads(mind("timeline", "cookie1", "--json", "--after", "0")[1])
    assert (found["anchor"]["id"], len(found["before"]), found["after"]) == ("cookie1", 1, [])
    undated = json.loads(mind("recent", "--json")[1])[-1]["id"]
    assert column(mind("timeline", undated, "-a", "1")[1], 2) == ["-", "2026-03-09"]
    code, _, err = mind("timeline", "kubernetes")
    assert code == 2
    assert "no entry 'kubernetes'" in err


def test_showing_entries_in_full(mind: Run) -> None:
    code, out, err = mind("show", "[[cookie1]]")
    assert (code, err) == (0, "")
    rows = dict(line.split("\t") for line in out.splitlines() if line)
    assert rows == {
        "id": "cookie1",
        "type": "problem (open)",
        "date": "2026-03-10",
        "text": "Safari drops the session cookie #web",
        "section": "Notes > 2026-03-10",
        "tags": "web",
        "where": ".mind/MEMORY.md:11",
        "reviewed": "2026-03-17",
    }
    code, out, err = mind("show", "zzzzzzzz", "cookie1", "--json")
    assert code == 1
    assert err.startswith("No entry has the id zzzzzzzz.\nFind it with")
    assert [one["id"] for one in json.loads(out)] == ["cookie1"]
    undated = json.loads(mind("recent", "--json")[1])[-1]["id"]
    assert "date\t-\n" in mind("show", undated)[1]
    assert mind("show", " ")[0] == 2


def test_around_a_day(mind: Run) -> None:
    assert column(mind("around", "2026-03-10", "-d", "1")[1], 1) == ["2026-03-10", "2026-03-09"]
    assert column(mind("around", "cookie1", "-t", "decision")[1], 1) == ["2026-03-09"]
    out = mind("around", "cookie1", "--days", "30", "-n", "1")[1]
    assert out.endswith("2 more within 30 days of 2026-03-10.\n")
    assert mind("around", "2020-01-01", "-d", "0")[2] == (
        "No entries within 0 days of 2020-01-01.\n"
    )
    assert len(json.loads(mind("around", "10 March 2026", "--json")[1])) == 2
    assert mind("around", "whenever")[0] == 2


def test_the_latest(mind: Run, project: Project) -> None:
    assert column(mind("recent", "-n", "2")[1], 1) == ["2026-03-20", "2026-03-10"]
    assert column(mind("recent", "--offset", "3")[1], 1) == ["-"]
    assert column(mind("recent", "-t", "problem")[1], 0) == ["cookie1"]
    assert mind("recent", "--offset", "9")[1] == "There are only 4 hits.\n"
    project.memory.write_text("", encoding="utf-8")
    assert mind("recent")[1] == "No entries yet.\n"


SPOKEN = """# Notes

note: Das Deployment war für alle sehr mühsam ^lang1
note: The parser is a really smooth one ^fact1
"""


def test_a_foreign_language_is_shown(mind: Run, project: Project) -> None:
    project.memory.write_text(SPOKEN, encoding="utf-8")
    assert "language\tde\n" in mind("show", "lang1")[1]
    assert "language" not in mind("show", "fact1")[1]
    found = json.loads(mind("show", "lang1", "fact1", "--json")[1])
    assert [one["language"] for one in found] == ["de", "en"]


def test_a_search_in_one_language(mind: Run, project: Project) -> None:
    project.memory.write_text(SPOKEN, encoding="utf-8")
    assert column(mind("search", "kind:note", "--lang", "de")[1], 0) == ["lang1"]
    code, _, err = mind("search", "x", "--lang", "klingon")
    assert code == 2
    assert "lang is 'klingon'" in err
    assert "en, de, es" in err


def test_what_speaks_against_a_hit_stands_beside_it(
    mind: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = (
        "\n## 2026-04-02\n\ndecided: sessions moved from the server to signed cookies ^signed01\n"
    )
    project.memory.write_text(TEXT + changed, encoding="utf-8")
    newer = "superseded by signed01 of 2026-04-02"
    out = mind("search", "where are sessions kept, on the server")[1]
    marks = {
        title.split()[1]: mark for title, mark in zip(column(out, 4), column(out, 6), strict=True)
    }
    assert marks["sessions"] == newer
    assert marks["moved"] == ""
    assert "superseded" not in mind("search", "kind:decision", "SQLite")[1]
    for module in ("output", "search"):
        monkeypatch.setattr(f"mind.cli.{module}.is_terminal", lambda: True)
    assert "! superseded" in mind("search", "where are sessions kept, on the server")[1]


def test_a_passage_is_shown_from_the_sentence_that_matches(mind: Run, here: Project) -> None:
    text = "# Changes\n\nSupport for Python 3.9 has ended. A redirect is a 303 by default.\n"
    (here.root / "CHANGES.md").write_text(text, encoding="utf-8")
    _, out, _ = mind("search", "redirect default")
    assert "… A redirect is a 303 by default" in out
    assert "Python 3.9" not in out
    _, out, _ = mind("search", "support for Python")
    assert "Support for Python 3.9 has ended" in out
