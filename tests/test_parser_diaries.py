"""Memory as people keep it: diaries, tables with states, ticked and answered lines."""

from datetime import date

import pytest

from mind.documents import parser
from mind.domain.entry import Entry
from mind.domain.settings import Settings
from mind.memory.memory import Memory
from mind.ranking.heat import expires
from mind.storage.project import Project

SETTINGS = Settings()


def entries(text: str) -> list[Entry]:
    return parser.parse(text.encode(), ".mind/MEMORY.md", SETTINGS)


def told(text: str) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in entries(text)]


@pytest.mark.parametrize(
    "line",
    [
        "**24 March 2026**", "__2026-03-24__", "2026-03-24:", "2026-03-24", "24.03.2026",
        "24/03/2026", "Tuesday, 24 March 2026", "--- 2026-03-24 ---", "[2026-03-24]",
        "Dienstag, 24. März 2026", "2026年3月24日",
    ],
)  # fmt: skip
def test_a_line_that_is_only_a_date_dates_what_is_below_it(line: str) -> None:
    below = "decided: one queue\n- plain item\n"
    text = f"# Diary\n\n## 2026-03-01\n- one thing here\n\n{line}\n\n{below}"
    first, *others = entries(text)
    assert first.date == date(2026, 3, 1)
    assert [(one.text, one.date) for one in others] == [
        ("one queue", date(2026, 3, 24)),
        ("plain item", date(2026, 3, 24)),
    ]


def test_a_date_and_lines_below_it_are_one_statement_each() -> None:
    text = "2026-03-24\nRavi: the baseline is ready\nAna: no oversampling\n"
    assert told(text) == [
        ("note", "Ravi: the baseline is ready"),
        ("note", "Ana: no oversampling"),
    ]
    assert {one.date for one in entries(text)} == {date(2026, 3, 24)}


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("**2026-04-01**: decided: one queue", "decision", "one queue"),
        ("2 April 2026 - rejected: two queues", "rejected", "two queues"),
        ("3.4.2026: gotcha: cp1252", "gotcha", "cp1252"),
        ("(4 April 2026) todo: ask legal", "todo", "ask legal"),
    ],
)
def test_a_label_behind_a_date_counts(line: str, kind: str, text: str) -> None:
    (one,) = entries(f"- {line}\n")
    assert (one.kind.value, one.text) == (kind, text)
    assert one.date is not None
    assert (one.date.year, one.date.month) == (2026, 4)


def test_what_is_written_by_hand_without_a_label_does_not_expire() -> None:
    plain, labelled = entries(
        "## 2026-01-02\n\n- postgres 16 for the ledger\n- progress: shipped it\n"
    )
    assert (expires(plain), expires(labelled) is None) == (None, False)


def test_a_row_keeps_what_its_columns_say() -> None:
    head = "| Service | Port | State | Owner |\n|---|---|---|---|\n"
    text = f"{head}| worker | 8081 | moving to Go | Ana |\n"
    assert told(text) == [("note", "worker: 8081; moving to Go; Ana")]


def test_the_status_of_a_row_that_says_rejected_is_its_kind() -> None:
    text = (
        "| Decision | Why | Status |\n|---|---|---|\n"
        "| One gateway | one endpoint for all | rejected – nobody owns it |\n"
        "| Unleash | | superseded by GrowthBook (2026-09-02) |\n"
    )
    gateway, flags = entries(text)
    assert gateway.kind.value == "rejected"
    assert "nobody owns it" in gateway.text
    assert flags.kind.value == "rejected"
    assert "superseded by GrowthBook (2026-09-02)" in flags.text


def test_a_name_above_details_finds_them_and_a_statement_is_an_entry() -> None:
    build, *_ = entries(
        "- **Build** – Turborepo\n  - the remote cache runs on the CI box\n"
        "  - nobody may use the hosted one here\n"
    )
    assert "Turborepo" in build.text
    for topic in ("ports", "Front end"):
        found = entries(f"- {topic}\n  - 5173 front end\n  - 8000 api\n")
        assert [(one.text, one.beside) for one in found] == [
            ("5173 front end", topic),
            ("8000 api", topic),
        ]


def test_a_date_within_a_sentence_or_without_items_below_is_part_of_the_text() -> None:
    assert told(
        "We picked Postgres because of a feature that came on\n2026-03-14\nand works.\n"
    ) == [
        ("decision", "We picked Postgres because of a feature that came on 2026-03-14 and works.")
    ]
    assert told("Release date:\n2026-05-01\n") == [("note", "Release date: 2026-05-01")]
    (ticked,) = entries("- [x] 2026-04-01\n  - rotate keys\n")
    assert ticked.status is not None
    assert ticked.status.value == "resolved"


def test_a_todo_struck_through_is_not_open() -> None:
    (one,) = entries("- todo: ~~write docs~~\n")
    assert one.status is not None
    assert one.status.value == "resolved"


@pytest.mark.parametrize(
    "line",
    [
        "TODO: get the docs done", "todo: list what is done - and what is not",
        "TODO: write docs (done except for the API)", "TODO: write docs - done by Friday",
        "TODO: show a badge (completed)", "TODO: actualizar la web (lista de clientes)",
        "[ ] invite testers (done)", "problem: the leak hasn't been fixed",
        "problem: the hostname cannot be resolved", "problem: the leak is only partially fixed",
        "problem: el error aún no fue corregido", "problem: le bug n'est pas corrigé",
    ],
)  # fmt: skip
def test_what_only_mentions_it_stays_open(line: str) -> None:
    (one,) = entries(f"- {line}\n")
    assert one.status is not None
    assert one.status.value == "open"


@pytest.mark.parametrize(
    ("heading", "line", "kind"),
    [
        ("Decisions", "WIP limit of 3 per person", "decision"),
        ("Gotchas", "FIXME markers are stripped", "gotcha"),
        ("Notes", "gcc: error: no such file", "note"),
        ("Notes", "Status: blocked: waiting", "note"),
    ],
)
def test_a_word_that_is_no_label_leaves_the_kind(heading: str, line: str, kind: str) -> None:
    assert told(f"## {heading}\n\n- {line}\n") == [(kind, line)]


@pytest.mark.parametrize(
    "text",
    [
        "The regex is\n[x] matches one letter\nand nothing else.",
        "We use Postgres\n~~and Mongo~~\nfor everything here.",
        "Our certificate for the shop expires on\n2027-01-01",
    ],
)
def test_a_mark_within_a_sentence_does_not_cut_it(text: str) -> None:
    (one,) = entries(f"{text}\n")
    assert one.text == " ".join(text.split())


def test_a_date_with_a_label_above_dates_nothing_below() -> None:
    found = entries("Valid until:\n\n2027-01-01\n\n- Decision: no Kafka\n")
    assert found[-1].text == "no Kafka"
    assert found[-1].date is None


def test_a_weekday_may_stand_before_the_day() -> None:
    (one,) = entries("- Friday, 6 March 2026: we chose Redis\n")
    assert one.date == date(2026, 3, 6)


def test_a_question_with_an_answer_is_not_open() -> None:
    assert told("Q: do we need PCI?\nA: no, SAQ-A is enough\n")[0][0] == "note"
    assert told("- Q: do we need PCI?\n")[0][0] == "todo"


def test_relations_need_no_bullets() -> None:
    text = (
        "## Relations\n\n[[auth]] depends-on [[redis]]\n[[web]] --calls--> [[auth]]\nauth uses pg\n"
    )
    assert [kind for kind, _ in told(text)] == ["relation"] * 3


@pytest.mark.parametrize("line", ["José approves every release", "The café network is slow today"])
def test_a_name_with_an_accent_is_no_past_tense(line: str) -> None:
    assert told(f"- {line}\n")[0][0] != "progress"


@pytest.mark.parametrize(
    "heading",
    [
        "Rejected ideas",
        "Rejected options",
        "Approaches we rejected",
        "Tried and rejected",
        "Do Not Repeat",
    ],
)
def test_a_heading_that_says_rejected_gives_the_kind(heading: str) -> None:
    assert told(f"## {heading}\n\n- Storybook on port 6006\n")[0][0] == "rejected"


def test_a_search_says_of_a_problem_that_it_is_done(project: Project) -> None:
    project.memory.write_text(
        "## 2026-01-02\n\n- problem: tests/test_webhooks.py is flaky on Mondays\n"
        "- todo: add paging to the webhook endpoint\n\n## 2026-01-03\n\n"
        "- progress: Fixed the flaky tests/test_webhooks.py\n"
        "- progress: paging of the webhook endpoint failed\n",
        encoding="utf-8",
    )
    memory = Memory(project)
    states = {
        hit.entry.text: hit.entry.status.value
        for query in ("webhooks flaky", "webhook endpoint")
        for hit in memory.search(query).hits
        if hit.entry.status
    }
    assert states == {
        "tests/test_webhooks.py is flaky on Mondays": "resolved",
        "add paging to the webhook endpoint": "open",
    }
    listed = memory.search("status:open")
    assert [hit.entry.text for hit in listed.hits] == ["add paging to the webhook endpoint"]
    assert listed.total == 1


def test_entries_are_found_by_the_topic_above_them(project: Project) -> None:
    project.memory.write_text(
        "# Shop\n\n## Carriers\n\n- UPS\n  - decided: always use the Track API\n\n### FedEx\n\n"
        "- gotcha: the sandbox resets on Sundays\n- decided: OAuth client credentials\n",
        encoding="utf-8",
    )
    memory = Memory(project)
    found = {
        query: [hit.entry.text for hit in memory.search(query).hits] for query in ("FedEx", "UPS")
    }
    assert set(found["FedEx"]) == {"the sandbox resets on Sundays", "OAuth client credentials"}
    assert found["UPS"] == ["always use the Track API"]


def test_names_without_end_are_text() -> None:
    (one,) = entries("- " + "ann: " * 5_000 + "decided: one queue\n")
    assert one.kind.value == "note"


def test_lines_with_a_hyphen_but_no_space_are_items() -> None:
    text = "-El equipo no tuvo tiempo\n-Costó reunir a todo el grupo\n"
    assert [one.text for one in entries(text)] == text.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        "**Do not restart the broker**\nit loses messages in flight.",
        "gotcha: the deploy script must be called with\n-f and\n-n, never with\n-x, which deletes.",
        "The **new import** is described in\n**import.md**\nwhich is part of the docs",
        "Decided: SQLite over Postgres\n-one file\n-no server",
        "it is set in\n*bold* and\n*italic* at once",
    ],
)
def test_wrapped_text_is_one_statement(text: str) -> None:
    (one,) = entries(text)
    assert one.text.replace("Decided: ", "")[-20:] == " ".join(text.split())[-20:]
