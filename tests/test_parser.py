"""What counts as an entry, and of which kind."""

from dataclasses import replace
from pathlib import Path

import pytest

from mind.documents import parser
from mind.domain.entry import Entry, Kind, Status
from mind.domain.settings import Settings
from tests.bench.parser import Score, gold, main, own_cases, score

SETTINGS = Settings()


def entries(text: str, path: str = "MEMORY.md", settings: Settings = SETTINGS) -> list[Entry]:
    return parser.parse(text.encode(), path, settings)


def kinds(text: str, path: str = "MEMORY.md") -> list[tuple[str, str]]:
    return [(entry.kind.value, entry.text) for entry in entries(text, path)]


def test_every_labelled_case_is_found_with_its_kind() -> None:
    total = Score()
    for case in own_cases():
        total.add(score(case))
    assert [line for line in total.missed if " false " not in line] == []
    assert total.f1 > 0.99
    assert total.wanted > 180


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("decided: one queue", Kind.DECISION, "one queue"),
        ("Decided: one queue", Kind.DECISION, "one queue"),
        ("**Decided:** one queue", Kind.DECISION, "one queue"),
        ("**Decided**: one queue", Kind.DECISION, "one queue"),
        ("__Decision:__ one queue", Kind.DECISION, "one queue"),
        ("**Decided: one queue**", Kind.DECISION, "one queue"),
        ("- decided: one queue", Kind.DECISION, "one queue"),
        ("* **Decision** - one queue", Kind.DECISION, "one queue"),
        ("1. Key decision: one queue", Kind.DECISION, "one queue"),
        ("- [x] Decided: one queue", Kind.DECISION, "one queue"),
        ("KEY: decided: one queue", Kind.DECISION, "one queue"),
        ("KEY: decided to use one queue", Kind.DECISION, "decided to use one queue"),
        ("- [decision] one queue for all", Kind.DECISION, "one queue for all"),
        ("decided against: two queues", Kind.REJECTED, "two queues"),
        ("decided NOT to use two queues", Kind.REJECTED, "decided NOT to use two queues"),
        ("TIL: order matters", Kind.LEARNING, "order matters"),
        ("TIL that order matters", Kind.LEARNING, "TIL that order matters"),
        ("IMPORTANT: order matters", Kind.LEARNING, "order matters"),
        ("✅ queue is live", Kind.PROGRESS, "queue is live"),
        ("⚠️ queue is slow", Kind.GOTCHA, "queue is slow"),
        ("Warning: queue is slow", Kind.GOTCHA, "queue is slow"),
        ("fixed the slow queue", Kind.PROGRESS, "fixed the slow queue"),
        ("Fix(queue): order kept", Kind.PROGRESS, "order kept"),
        ("assumption: nobody sends twice", Kind.ASSUMPTION, "nobody sends twice"),
        ("2026-02-03 - decided: one queue", Kind.DECISION, "one queue"),
        ("决定：一个队列就够了", Kind.DECISION, "一个队列就够了"),
    ],
)
def test_a_keyword_is_understood_in_any_dress(line: str, kind: Kind, text: str) -> None:
    found = entries(line)
    assert [(entry.kind, entry.text) for entry in found] == [(kind, text)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Going with X over Y because Z", Kind.DECISION),
        ("After two days we chose the small parser", Kind.DECISION),
        ("The team agreed on one release a week", Kind.DECISION),
        ("It turns out that the vendor rounds down", Kind.LEARNING),
        ("We tried threads but it didn't work", Kind.REJECTED),
        ("The export keeps failing on Mondays", Kind.PROBLEM),
        ("Careful with the second argument", Kind.GOTCHA),
        ("I'm assuming that files are small", Kind.ASSUMPTION),
        ("Still stuck on the certificate", Kind.BLOCKER),
        ("Wir haben uns für eine Warteschlange entschieden", Kind.DECISION),
        ("Nous avons choisi une seule file", Kind.DECISION),
        ("我们决定只用一个队列", Kind.DECISION),
        ("キューは一つだけにすることにした", Kind.DECISION),
    ],
)
def test_a_sentence_tells_what_is_remembered(line: str, kind: Kind) -> None:
    found = entries(line)
    assert [entry.kind for entry in found] == [kind]
    assert 0.5 <= found[0].confidence <= 1.0


@pytest.mark.parametrize(
    "text",
    [
        "```\ndecided: use X\n```",
        "    decided: use X",
        "<!-- decided: use X -->",
        "<!--\ndecided: use X\n-->",
        "- Blocked: None",
        "- Blocked: n/a",
        "- **Problem:** -",
        "**Decided:** <what>",
        "- Goal:",
        "✅",
        "KEY: none",
        "(Start writing here)",
        "## Project State\n- Goal: (your goal)\n- Blocked: None",
        "## Key Decisions\n- None\n- TBD\n- **Name:** (unchanged)",
        "- `make test`",
        "**Prevention**:\n",
        "...notes missing...",
        "*last edited by Jo*",
        "Table of contents\n\n- [Testing the queue](#testing)\n- Deploying it by hand",
        "- [wiki](https://example.org)\n- https://example.org",
        "---\ntitle: The queue\n---\n",
        "## Gotchas\n\nLast updated: 2026-02-03",
        "## Template for new decisions\n\n### Decision 1: [Title]\n**Why:** because",
        "## Decision\n\n*\n\n## Rationale\n\n*\n",
        "### Decision 4: [Title]\n- **What**: ...\n",
        "| Decision | Why |\n|---|---|\n| | |\n| - | |",
        "| Date | Topic |\n|---|---|\n| YYYY-MM-DD | Topic |",
        "| Decision |\n|---|",
        "# Decision Log\n\n2026-02-03 10:00:00 - Log of updates made.\n",
        "[link](decided.md): none",
        "- [ ] \n- \n",
        "- [x] (none)",
        "",
        "\n\n",
    ],
)
def test_what_is_no_memory_makes_no_entry(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The weather was fine.", [("note", "The weather was fine.")]),
        ("`decided:` starts an entry", [("note", "`decided:` starts an entry")]),
        ("Should we decide on a name today?", [("todo", "Should we decide on a name today?")]),
        ("> Ask before you deploy by hand.", [("decision", "Ask before you deploy by hand.")]),
        (
            "Owner: Priya\nOn call: rotates weekly",
            [("note", "Owner: Priya"), ("note", "On call: rotates weekly")],
        ),
        ("- Files:\n  - main.py", [("note", "main.py")]),
        ("## Next Steps\n- call the bank", [("todo", "call the bank")]),
        ("Next: call the bank", [("todo", "call the bank")]),
        ("| Name | Age |\n|---|---|\n| Tom | 7 |", [("note", "Tom: 7")]),
        (
            "| What | State |\n|---|---|\n| two queues | rejected |",
            [("rejected", "two queues")],
        ),
        ("**Q: Why two queues?**\nA: Order.", [("note", "**Q: Why two queues?** A: Order.")]),
        ("Q: who knows it?\n\nNobody does.", [("note", "Q: who knows it? Nobody does.")]),
        (
            "[09:12] ana: the build is red again\n[09:14] tom: it was my branch",
            [
                ("note", "[09:12] ana: the build is red again"),
                ("note", "[09:14] tom: it was my branch"),
            ],
        ),
        (
            "🔜 paginate the export\n🐛 it hangs",
            [("todo", "paginate the export"), ("problem", "it hangs")],
        ),
        (
            "> [!WARNING]\n> The keys expire every 90 days.",
            [("gotcha", "The keys expire every 90 days.")],
        ),
    ],
)
def test_whatever_states_something_is_at_least_a_note(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("- ~~decided: MongoDB~~", Kind.REJECTED, Status.RESOLVED),
        ("- ~~import chokes on a BOM~~ done", Kind.PROBLEM, Status.RESOLVED),
        ("- ~~Decompounder~~ dropped, wrong licence", Kind.REJECTED, Status.RESOLVED),
        ("- Problem: ~~a leak~~ not fixed after all", Kind.PROBLEM, Status.OPEN),
        ("- thumbnails upside down - fixed", Kind.PROBLEM, Status.RESOLVED),
        ("- duplicate calls (fixed in 2.3)", Kind.PROBLEM, Status.RESOLVED),
        ("problem: gradient - tried CSS, fixed with -webkit", Kind.PROBLEM, Status.RESOLVED),
        ("- Problem: clock drifts. Solution: a sidecar.", Kind.PROBLEM, Status.RESOLVED),
        ("- [x] call Tom", Kind.TODO, Status.RESOLVED),
    ],
)
def test_what_is_struck_through_or_says_it_is_fixed_is_over(
    text: str, kind: Kind, status: Status
) -> None:
    assert [(one.kind, one.status) for one in entries(text)] == [(kind, status)]


@pytest.mark.parametrize(
    ("heading", "text", "kind", "said"),
    [
        ("Decisions", "~~Jenkins~~ GitHub Actions", "rejected", "Jenkins - GitHub Actions"),
        ("Decisions", "~~Use Postgres~~ Overkill", "rejected", "Use Postgres - Overkill"),
        ("Decisions", "~~Celery~~ too slow", "rejected", "Celery - too slow"),
        ("Rejected", "~~Puppeteer~~ pdfmake", "rejected", "Puppeteer pdfmake"),
        ("Problems", "~~login fails~~ Safari only", "problem", "login fails Safari only"),
        ("Decisions", "Decision: ~~Use Redis~~ see ADR 7", "rejected", "Use Redis - see ADR 7"),
        ("Decisions", "decided: ~~Use Redis~~ too slow", "rejected", "Use Redis - too slow"),
        ("Decisions", "~~Use tabs~~ -> conflicts", "rejected", "Use tabs - conflicts"),
        ("Decisions", "~~Use npm~~ Use pnpm", "decision", "Use pnpm"),
        ("Decisions", "~~Use Postgres~~ Use Postgres 16", "decision", "Use Postgres 16"),
        ("Learnings", "~~It needs Go~~ It needs Go on CI", "learning", "It needs Go on CI"),
    ],
)
def test_what_is_behind_struck_text_is_kept(heading: str, text: str, kind: str, said: str) -> None:
    (one,) = entries(f"## {heading}\n\n- {text}\n")
    assert (one.kind.value, one.text) == (kind, said)


@pytest.mark.parametrize(
    ("text", "is_struck"),
    [
        ("~~Use React~~ React Native for the app", True),
        ("~~Use React~~ the bundle was too large", False),
    ],
)
def test_what_may_be_done_instead_is_not_warned_of(text: str, is_struck: bool) -> None:
    (one,) = entries(f"## Decisions\n\n- {text}\n")
    assert (one.kind, one.is_struck) == (Kind.REJECTED, is_struck)


@pytest.mark.parametrize(
    "heading",
    [
        "Things not to try again", "Never again", "Don't try this again", "Do Not Repeat",
        "Cosas que NO volver a intentar", "No repetir", "Lo que no funcionó", "Nie wieder",
        "Was nicht funktioniert hat", "À ne pas refaire", "Não tentar de novo", "Do not try",
        "Do not retry", "Nicht noch einmal versuchen", "Lo que no funciona",
    ],
)  # fmt: skip
def test_a_heading_that_says_not_again_lists_what_was_rejected(heading: str) -> None:
    text = f"## {heading}\n\n- WebSockets: cut after 60 s (we use SSE)\n- Puppeteer\n"
    assert [kind for kind, _ in kinds(text)] == ["rejected", "rejected"]


@pytest.mark.parametrize(
    "heading", ["To try again", "How It Should Work", "Don't retry webhooks", "Not tried yet"]
)
def test_a_heading_with_another_topic_rejects_nothing(heading: str) -> None:
    assert kinds(f"## {heading}\n\n- Puppeteer for the invoice\n")[0][0] != "rejected"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- [ ] decide about Expo", "todo"),
        ("> Should we move to Fastify?", "todo"),
        ("- Open source: we publish the SDK", "decision"),
        ("- Decided: Kafka. Not decided yet: topics", "decision"),
        ("- [x] one queue for all mails", "decision"),
    ],
)
def test_an_open_question_below_decisions_is_none(line: str, kind: str) -> None:
    assert [found for found, _ in kinds(f"## Decisions\n\n{line}\n")] == [kind]


def test_what_will_not_be_done_is_no_progress_of_the_day() -> None:
    assert kinds("## 2026-11-21\n\n- We will NOT support IE.\n")[0][0] == "decision"


def test_nested_items_are_entries_where_they_state_something() -> None:
    assert kinds("- Search\n  - we go with Meili\n  - the index is rebuilt at night\n") == [
        ("decision", "we go with Meili"),
        ("note", "the index is rebuilt at night"),
    ]
    assert kinds("- Codes start with `E-`:\n  - E-1 input\n  - E-2 disk\n") == [
        ("note", "Codes start with `E-`: E-1 input; E-2 disk")
    ]
    found = entries("- The ledger has cents.\n  - tried decimals first, too slow in the export\n")
    assert [(one.kind, one.line, one.end) for one in found] == [
        (Kind.NOTE, 1, 1),
        (Kind.REJECTED, 2, 2),
    ]


def test_a_name_with_one_detail_is_one_entry_with_its_reason() -> None:
    source = (
        b"## Rejected\n\n- Kubernetes\n  - too much work for two people\n"
        b"- **Kafka**\n\n  1. one more server\n\n"
        b"## Decisions\n\n- use nomad\n  - because it is simple\n"
        b"- Branches\n  - main is protected\n  - releases are tagged\n"
        b"- Next steps:\n  - write the guide\n"
        b"- Database\n  - We chose PostgreSQL 16\n"
        b"- Backend\n  - Queues\n    - use Redis for jobs\n    - use Kafka for events\n"
    )
    found = parser.parse(source, "MEMORY.md", SETTINGS)
    assert [(one.kind.value, one.text) for one in found[:3]] == [
        ("rejected", "Kubernetes: too much work for two people"),
        ("rejected", "**Kafka**: one more server"),
        ("decision", "use nomad: because it is simple"),
    ]
    assert [one.text for one in found[3:]] == [
        "Branches: main is protected; releases are tagged", "write the guide",
        "Database: We chose PostgreSQL 16", "Queues: use Redis for jobs; use Kafka for events",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "## Rejected\n- Puppeteer\n  - 400 MB image\n  - use `pdfmake`\n",
            ["Puppeteer: 400 MB image; use `pdfmake`"],
        ),
        (
            "## Rejected\n- Frontend\n  - Redux: too much code\n  - MUI - heavy on mobile\n",
            ["Redux: too much code", "MUI - heavy on mobile"],
        ),
        (
            "## Rejected\n- Documents\n  - Puppeteer\n    - 400 MB image\n  - Word\n",
            ["Puppeteer: 400 MB image", "Word"],
        ),
        ("## Rejected\n### Databases\n- MongoDB\n", ["MongoDB"]),
        ("## Rejected\n### Redis\nToo slow.\n", ["Redis: Too slow."]),
        ("## Rejected\n**Redis**\n- Lost sessions\n", ["Redis: Lost sessions"]),
        ("## Rejected\n- Redis at work:\n  - It lost data.\n", ["Redis at work: It lost data."]),
        ("## Problems\n- Login\n  - Fails on Safari\n", ["Login: Fails on Safari"]),
        (
            "## Rejected\n- Redux for the cart\n  - Zustand will do for us\n    - and is smaller\n",
            ["Redux for the cart: Zustand will do for us and is smaller"],
        ),
        ("## Decisions\n|Problem|Decision|\n|-|-|\n|It hangs|a lock|\n", ["It hangs: a lock"]),
        (
            "## Rejected\n- Message queues\n  - RabbitMQ\n  - Kafka - too heavy\n",
            ["RabbitMQ", "Kafka - too heavy"],
        ),
        ("## Decisions\n- Search:\n  - `pg_trgm`\n", ["Search: `pg_trgm`"]),
        ("## Decisions\n### Why not Kafka\nToo heavy.\n", ["Why not Kafka: Too heavy."]),
    ],
)
def test_what_is_read_alone_says_what_it_is_about(text: str, found: list[str]) -> None:
    assert [said for _, said in kinds(text)] == found


def test_code_below_a_statement_belongs_to_it() -> None:
    source = (
        "- Behind the proxy:\n\n  ```\n  export CA=/x.pem\n  ```\n  Without it nothing works.\n"
    )
    (one,) = entries(source)
    assert one.text == "Behind the proxy: … Without it nothing works."
    assert one.code == ("```\nexport CA=/x.pem\n```",)
    found = entries("Install the tools:\n\n```\nasdf install\n```\n")
    assert found == []
    (one,) = entries("Install the tools with asdf.\n\n```\nasdf install\n```\n")
    assert (one.code, one.end) == (("```\nasdf install\n```",), 1)
    (one,) = entries(
        "- Deploy in this order please:\n  - first\n    ```sh\n    up\n    ```\n    then\n"
    )
    assert (one.text, one.code) == (
        "Deploy in this order please: first then",
        ("```sh\nup\n```",),
    )
    (one,) = entries("- Build it so:\n\n      make\n        all\n")
    assert (one.text, one.code) == ("Build it so:", ("~~~\nmake\n  all\n~~~",))


def test_a_long_file_is_read_anew_for_other_settings_and_each_caller() -> None:
    text = "".join(
        f"- entscheidung: queue {at} takes the letters of the day\n" for at in range(500)
    )
    english = replace(SETTINGS, parser_languages=["en"])
    found = [{one.kind for one in entries(text, settings=one)} for one in (SETTINGS, english)]
    assert found == [{Kind.DECISION}, {Kind.NOTE}]
    entries(text).clear()
    assert len(entries(text)) == 500


def test_a_heading_that_states_something_is_searched_with_what_explains_it() -> None:
    (one,) = entries("## Gotchas\n\n### The store is emptied weekly\n\nOnly on iOS, so far.\n")
    assert (one.kind, one.text) == (
        Kind.GOTCHA,
        "The store is emptied weekly: Only on iOS, so far.",
    )
    found = entries("## Gotchas\n\n### The store is emptied weekly\n\n- On iOS.\n- So far.\n")
    assert {(one.text, one.beside) for one in found} == {
        ("On iOS.", "The store is emptied weekly"),
        ("So far.", "The store is emptied weekly"),
    }


def test_what_is_left_out_is_told_with_its_reason() -> None:
    text = "# M\n\nKept as a note here.\n\n- [ ] \n\n```\nx\n```\n\n<!-- y -->\n\n**Files**:\n"
    found, left = parser.explain(text.encode(), "M.md", SETTINGS)
    assert [one.text for one in found] == ["Kept as a note here."]
    assert [(one.line, one.end, one.why) for one in left] == [
        (1, 1, "heading"),
        (5, 5, "empty"),
        (7, 9, "code"),
        (11, 11, "HTML or comment"),
        (13, 13, "label"),
    ]


def test_lesson_the_parser_reads_minds_own_output() -> None:
    assert kinds("## 2026-02-03\n\ndecided: one queue\nproblem: slow\n") == [
        ("decision", "one queue"),
        ("problem", "slow"),
    ]


def test_lesson_titles_are_not_cut_at_a_full_stop() -> None:
    assert entries("problem: server.py crashes at start")[0].title == "server.py crashes at start"


def test_lesson_undecided_is_no_decision_and_none_failed_is_no_issue() -> None:
    found = kinds("undecided about the database\n\nall tests passed, none failed")
    assert [kind for kind, _ in found] == ["note", "note"]


def test_lesson_blocked_chose_and_hit_an_issue_are_understood() -> None:
    found = entries("blocked on API access\n\nchose Postgres\n\nhit an issue with auth")
    assert [entry.kind for entry in found] == [Kind.BLOCKER, Kind.DECISION, Kind.PROBLEM]


def test_lesson_need_to_does_not_mark_a_problem_blocked() -> None:
    found = entries("problem: we need to call the bank, login fails")
    assert found[0].status is Status.OPEN


def test_lesson_an_entry_has_the_date_of_its_own_heading() -> None:
    found = entries("## 2026-02-03\n\ndecided: a queue\n\n## 2026-02-05\n\ndecided: two queues\n")
    assert [str(entry.date) for entry in found] == ["2026-02-03", "2026-02-05"]


def test_lesson_a_line_number_and_span_point_at_the_entry_itself() -> None:
    text = "# M\n\n## 2026-02-03\n\ndecided: a queue\n"
    found = entries(text)[0]
    assert found.line == 5
    assert text[found.span.start : found.span.end] == "decided: a queue\n"


def test_lesson_a_newline_in_a_message_forges_no_entry() -> None:
    found = entries("## 2026-02-03\n\ndecided: a\n  \\## 2026-01-01\n  decided: forged\n")
    assert [entry.text for entry in found] == ["a ## 2026-01-01 decided: forged"]


def test_a_section_heading_gives_its_items_their_kind() -> None:
    assert kinds("## Gotchas\n- The cache is keyed by time -> use a mount\n- Ports are fixed") == [
        ("gotcha", "The cache is keyed by time -> use a mount"),
        ("gotcha", "Ports are fixed"),
    ]
    assert kinds("## Session findings\n1. Users type questions") == [
        ("learning", "Users type questions")
    ]
    assert kinds("## Datenbankentscheidungen\n- Nur eine Tabelle") == [
        ("decision", "Nur eine Tabelle")
    ]
    assert kinds("## Gotchas\n\nThe cache is keyed by the file's time as well.") == [
        ("gotcha", "The cache is keyed by the file's time as well.")
    ]


@pytest.mark.parametrize("heading", ["Gotchas", "Decisions", "Learned"])
def test_a_label_gives_its_kind_below_any_heading(heading: str) -> None:
    text = f"## {heading}\n- Rejected: Kafka, too slow\n- TODO: write the docs\n"
    assert kinds(text) == [("rejected", "Kafka, too slow"), ("todo", "write the docs")]


def test_a_topic_in_front_is_no_label_below_a_heading() -> None:
    for heading, kind in (("TODO", "todo"), ("Known issues", "problem"), ("Decisions", "decision")):
        for topic in ("Updates", "Feature", "Implementation"):
            text = f"{topic}: Celery loses its workers"
            assert kinds(f"## {heading}\n- {text}\n") == [(kind, text)]


def test_an_entry_below_a_dated_line_is_its_own() -> None:
    for own in ("- rejected: Kafka - slow", "- Rejected: Kafka - slow", "* rejected: Kafka - slow"):
        text = f"[2026-01-03] decided: SQLite\n{own[0]} it is one file\n{own}\n{own[0]} x is y\n"
        assert kinds(text) == [
            ("decision", "SQLite: it is one file"),
            ("rejected", "Kafka - slow"),
            ("note", "x is y"),
        ]
    nested = "[2026-01-03] decided: SQLite\n- rejected: Kafka - slow\n  - too many machines\n"
    assert [kind for kind, _ in kinds(nested)] == ["decision", "rejected"]


def test_the_file_name_gives_the_kind_of_plain_items() -> None:
    text = "## Docker\n- The build cache is keyed by the file's time as well\n"
    assert [kind for kind, _ in kinds(text, "docs/GOTCHAS.md")] == ["gotcha"]
    assert [kind for kind, _ in kinds(text, "docs/README.md")] == ["note"]


def test_an_items_own_keyword_speaks_against_its_section() -> None:
    text = "## Known Issues\n- Fixed: login\n- Warning: slow\n- Error in export\n"
    assert [kind for kind, _ in kinds(text)] == ["progress", "gotcha", "problem"]
    text = "## Key Decisions\n- **Fix:** the price\n- Rejected: two queues\n- ✅ One queue only\n"
    assert kinds(text) == [
        ("decision", "**Fix:** the price"),
        ("rejected", "two queues"),
        ("decision", "One queue only"),
    ]
    text = "## Experience\n- Fixed: the cache after lunch\n"
    assert [kind for kind, _ in kinds(text)] == ["experience"]


def test_a_lead_line_gives_its_list_a_kind() -> None:
    assert kinds("**Key decisions made:**\n- one queue\n- one table") == [
        ("decision", "one queue"),
        ("decision", "one table"),
    ]
    assert kinds("Implemented:\n\n- the cache\n- the queue\n") == [
        ("progress", "the cache"),
        ("progress", "the queue"),
    ]
    assert kinds("- Decisions:\n  - one queue\n- Files:\n  - main.py\n") == [
        ("decision", "one queue"),
        ("note", "main.py"),
    ]


def test_wrapped_and_nested_lines_belong_to_their_item() -> None:
    text = "- **Decided:** one queue\n  for all mails\n  - simple\n  - cheap\n\n  And fast.\n"
    found = entries(text)
    assert [entry.text for entry in found] == ["one queue for all mails: simple; cheap; And fast."]
    assert (found[0].line, found[0].end) == (1, 6)


def test_a_nested_keyword_is_an_entry_of_its_own() -> None:
    text = "- Decided: one queue\n  - Learned: order matters\n    - always\n  - Fix: none\n"
    assert kinds(text) == [("decision", "one queue"), ("learning", "order matters: always")]
    text = "- Learned: order matters\n  - Problem: it was lost\n  - Lesson: keep it\n"
    assert [kind for kind, _ in kinds(text)] == ["learning"]
    text = "## Gotchas\n- Decisions:\n  - one queue\n"
    assert kinds(text) == [("decision", "one queue")]


def test_a_record_with_fields_is_one_entry() -> None:
    text = (
        "### Decision 4: One queue\n- **What**: All mails use it\n- **Why**: Order was lost\n"
        "- **Alternatives**: two queues\n- **Date**: 2026-02-03\n- **Status**: active\n"
    )
    found = entries(text)
    assert len(found) == 1
    one = found[0]
    assert one.kind is Kind.DECISION
    assert one.text.startswith("One queue: All mails use it")
    assert one.reasoning == "Order was lost"
    assert one.alternatives == ("two queues",)
    assert str(one.date) == "2026-02-03"
    assert (one.line, one.end) == (1, 6)


def test_a_record_takes_in_its_sub_headings() -> None:
    text = (
        "## [ERR-20260203-001] correction\n\n**Logged**: 2026-02-03\n\n### Summary\nLogin fails\n\n"
        "### Details\n> It was the proxy\n\n| a | b |\n|---|---|\n| c | d |\n\n"
        "### Suggested Action\n1. Call Tom\n   1. at noon\n\n      or later\n\n### Log\nmore\n\n"
        "### Metadata\n- Tags: login\n\n## Other\n"
    )
    found = entries(text)
    assert len(found) == 1
    assert found[0].kind is Kind.PROBLEM
    assert found[0].text.startswith("Login fails")
    assert found[0].workaround == "Call Tom at noon or later"
    assert "It was the proxy" in found[0].text
    assert "login" not in found[0].text


def test_fields_of_a_record_without_identifier_are_entries_of_their_own() -> None:
    text = "## Import\n**Symptom:** nothing comes\n\n**Fix:** press twice\n"
    found = entries(text)
    assert [(one.kind, one.status) for one in found] == [
        (Kind.PROBLEM, Status.RESOLVED),
        (Kind.PROGRESS, None),
    ]
    text = "## Import\n**Decision:** one file\n**Rationale:** order\n"
    assert [kind for kind, _ in kinds(text)] == ["decision"]


def test_headings_below_decisions_are_categories() -> None:
    text = "## Key Decisions\n\n### Storage\n\n- one table\n- one index\n"
    assert kinds(text) == [("decision", "one table"), ("decision", "one index")]
    text = "## Key Decisions\n\n### Testing\n\nall by hand\n"
    assert kinds(text) == [("decision", "all by hand")]


def test_a_heading_with_nothing_below_it_is_the_entry() -> None:
    text = "## Key Decisions\n\n### Keep the old screen for now\n\n### Storage\n"
    assert kinds(text) == [("decision", "Keep the old screen for now")]
    text = "# Decision Log\n\n## 2026-02-03: One queue\n"
    assert kinds(text) == [("decision", "One queue")]


def test_a_dated_line_takes_the_list_and_fields_below_it() -> None:
    text = "# Decision Log\n\n[2026-02-03] - One queue\n- simple\n\n[2026-02-04] - Two tables\n"
    found = entries(text)
    assert [entry.text for entry in found] == ["One queue: simple", "Two tables"]
    assert str(found[1].date) == "2026-02-04"
    text = "# Diary\n\n[2026-02-03] - One queue\n**Decision:** use it\nnow\n**Why:** order\n"
    assert kinds(text) == [("decision", "One queue: use it; now Why: order.")]
    text = "# Diary\n\n[2026-02-03] - rejected: two queues\n\n[2026-02-04] - walked\n"
    assert kinds(text) == [("rejected", "two queues"), ("progress", "walked")]


def test_a_dated_line_that_opens_a_comment_is_not_cut_off() -> None:
    text = "decided: a\n[2026-02-03] - b <!--\n<!--\n\n## Gotchas\n\n-->\n"
    assert entries(text)[0].kind is Kind.DECISION
    text = "## Gotchas\n\n- One two three four\n[2026-02-03] - x\n---\n"
    assert [entry.line for entry in entries(text)]


def test_a_decision_and_its_reason_in_one_paragraph_are_one_entry() -> None:
    found = entries("**Decision:** one queue\n**Rationale:** order was\nlost\n**Impact:** slower\n")
    assert [(entry.text, entry.reasoning) for entry in found] == [
        ("one queue Why: order was; lost. Impact: slower.", "order was lost")
    ]


def test_a_paragraph_may_hold_several_entries() -> None:
    text = "decided to ship\nlearned that it rains\nand snows\nfixed the roof\n"
    assert [text for _, text in kinds(text)] == [
        "decided to ship",
        "learned that it rains and snows",
        "fixed the roof",
    ]
    assert [kind for kind, _ in kinds("It was late.\nFixed the roof.\n")] == ["note", "progress"]
    assert len(kinds("we were unsure and\nadded nothing at all\n")) == 1


def test_a_table_gives_an_entry_for_each_row() -> None:
    text = (
        "| # | Risk | Impact | Mitigation | Status |\n|---|---|---|---|---|\n"
        "| 1 | Jams | high | Dry it | open |\n| 2 | | | | |\n"
    )
    found = entries(text)
    assert [(entry.kind, entry.workaround, entry.line) for entry in found] == [
        (Kind.GOTCHA, "Dry it", 3)
    ]
    assert kinds("## Key Decisions\n\n| Topic | Outcome |\n|---|---|\n| Queue | one only |\n") == [
        ("decision", "Queue Impact: one only.")
    ]
    assert kinds("## Decisions\n\n| # | Date |\n|---|---|\n| 1 | 2026 |\n") == [("decision", "1")]
    rules = (
        "| What | Rule | Why |\n|---|---|---|\n| VAT id | validate with VIES | it is the law |\n"
    )
    assert kinds(rules) == [("gotcha", "VAT id: validate with VIES Why: it is the law.")]
    late = "| Symptom | Cause | Fix |\n|---|---|---|\n| 500 at night | VIES is down | cache it |\n"
    assert kinds(late)[0][0] == "problem"
    assert kinds("**Decisions:**\n\n| A |\n|---|\n| one queue for all |\n") == [
        ("decision", "one queue for all")
    ]


def test_project_state_gives_goals_and_blockers_only_when_filled_in() -> None:
    text = "## Project State\n- Goal: ship in June\n- Stack: Go\n- Blocked: no key\n\nGoal: x y z\n"
    assert kinds(text) == [
        ("goal", "ship in June"),
        ("note", "Stack: Go"),
        ("blocker", "no key"),
        ("goal", "x y z"),
    ]
    assert [kind for kind, _ in kinds("Purpose: this file tells how to build")] == ["note"]


def test_relations_are_read_line_by_line() -> None:
    found = entries("## Relations\n- [[auth]] depends-on [[redis]]\n- nothing\n")
    assert [(entry.kind, entry.links) for entry in found] == [(Kind.RELATION, ("auth", "redis"))]


def test_boxes_are_todos_or_progress() -> None:
    found = entries("- [ ] call Tom\n- [x] called the bank\n- [x] todo: sing\n- [ ] todo: dance\n")
    assert [(entry.kind, entry.text) for entry in found] == [
        (Kind.TODO, "call Tom"),
        (Kind.TODO, "called the bank"),
        (Kind.TODO, "sing"),
        (Kind.TODO, "dance"),
    ]
    assert kinds("## Done\n- [ ] not this\n- [x] but this\n") == [
        ("todo", "not this"),
        ("progress", "but this"),
    ]
    assert kinds("## Known Issues\n- [x] login fails\n")[0][0] == "problem"
    assert entries("## Known Issues\n- [x] login fails\n")[0].status is Status.RESOLVED


def test_a_plain_keyword_counts_even_among_plans() -> None:
    text = "## Next Steps\n- Decided: one queue\n- [ ] Decided: two\n\nLearned: order matters\n"
    assert [kind for kind, _ in kinds(text)] == ["decision", "todo", "learning"]
    assert [kind for kind, _ in kinds("## Next Steps\n\nDecisions:\n- one queue\n")] == ["decision"]


def test_a_summary_in_a_heading_is_of_little_confidence() -> None:
    found = entries("## 2026-02-03 | moved the queue | mood: good\n\ndecided: one queue\n")
    assert [(entry.kind, entry.confidence < 0.5) for entry in found] == [
        (Kind.PROGRESS, True),
        (Kind.DECISION, False),
    ]
    assert kinds("## 2026-02-03 | | mood: good\n") == []


def test_minds_lines_count_right_below_a_list_a_quote_or_a_table() -> None:
    text = "- **Decided:** a queue\n  - nested\ndecided: b\n  more\nlearned: c\n- Learned: d e f\n"
    found = entries(text)
    assert [(entry.text, entry.line, entry.end) for entry in found] == [
        ("a queue: nested", 1, 2),
        ("b more", 3, 4),
        ("c", 5, 5),
        ("d e f", 6, 6),
    ]
    assert text[found[0].span.start : found[0].span.end] == "- **Decided:** a queue\n  - nested\n"
    assert kinds("> a quote\ndecided: b\n") == [("note", "a quote"), ("decision", "b")]
    assert kinds("| Decision |\n|---|\n| a queue |\ndecided: b\n") == [
        ("decision", "a queue"),
        ("decision", "b"),
    ]
    assert kinds("- a\ndecided: b\n\n  ```\n  x\n  ```\n") == [("note", "a"), ("decision", "b")]
    assert entries("- Fixed: a roof\ndecided: b\n")[0].end == 1


def test_the_languages_that_are_understood_can_be_chosen() -> None:
    only_german = replace(SETTINGS, parser_languages=["de"])
    assert [e.kind for e in entries("Entschieden: eine Warteschlange", settings=only_german)] == [
        Kind.DECISION
    ]
    assert [e.kind for e in entries("Chosen: one queue", settings=only_german)] == [Kind.NOTE]
    assert [e.kind for e in entries("decided: one queue", settings=only_german)] == [Kind.DECISION]
    none = replace(SETTINGS, parser_languages=["xx"])
    assert [e.kind for e in entries("Chosen: one", settings=none)] == [Kind.NOTE]


def test_extra_keywords_can_be_set() -> None:
    own = replace(SETTINGS, parser_keywords={"gotcha": ["Trap door"], "nonsense": ["x"]})
    assert [e.kind for e in entries("- Trap door: it opens", settings=own)] == [Kind.GOTCHA]
    assert [e.kind for e in entries("- Trap door: it opens")] == [Kind.NOTE]


def test_entries_below_the_least_confidence_are_left_out() -> None:
    strict = replace(SETTINGS, parser_min_confidence=0.9)
    text = "decided: one queue\n\nfixed the roof\n"
    assert [entry.text for entry in entries(text, settings=strict)] == ["one queue"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("decided: one queue", Kind.DECISION),
        ("Gotcha: ports are fixed", Kind.GOTCHA),
        ("caveat: ports are fixed", Kind.GOTCHA),
        ("learned that ports are fixed", Kind.LEARNING),
        ("IMPORTANT: ports are fixed", Kind.LEARNING),
        ("fixed: the port", Kind.PROGRESS),
        ("fix: the port", None),
        ("Fixed the port", None),
        ("The port keeps failing", None),
        ("Bump the version", None),
    ],
)
def test_keyword_line_tells_what_a_line_announces(line: str, kind: Kind | None) -> None:
    assert parser.keyword_line(line, SETTINGS) is kind


def test_parse_line_reads_one_message() -> None:
    found = parser.parse_line("decided: one queue\n  \\- because of order", SETTINGS)
    assert found is not None
    assert (found.kind, found.text, found.line) == (
        Kind.DECISION,
        "one queue - because of order",
        0,
    )
    spoken = parser.parse_line("We chose one queue", SETTINGS)
    assert spoken is not None
    assert spoken.kind is Kind.DECISION
    noted = parser.parse_line("the sun shines", SETTINGS)
    assert noted is not None
    assert noted.kind is Kind.NOTE
    assert parser.parse_line("...", SETTINGS) is None


def test_the_scorer_reads_a_folder_of_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path
    (folder / "a.md").write_text("decided: x\nlearned: y\n\nfixed: z\ngotcha: q\n", "utf-8")
    (folder / "GOLD.json").write_text(
        '{"files": {"a.md": {"scope": [[1, 5]], "entries": ['
        '{"line": 1, "end": 1, "kind": "decision", "also": [], "confidence": "high"},'
        '{"line": 2, "end": 3, "kind": "gotcha", "also": ["learning"], "confidence": "high"},'
        '{"line": 4, "end": 4, "kind": "progress", "also": [], "confidence": "low"},'
        '{"line": 9, "end": 9, "kind": "progress", "also": [], "confidence": "high"}]}}}',
        "utf-8",
    )
    one = next(gold(folder))
    assert score(one).found == 2
    main([str(folder)])
    printed = capsys.readouterr().out
    assert "a.md:2 gotcha read as learning (accepted)" in printed
    assert "a.md:5 false gotcha: q" in printed
    assert "a.md:9 missed progress" in printed
    main([])
    assert "of 183 entries" in capsys.readouterr().out


def test_headings_are_understood_in_their_many_forms() -> None:
    text = "## Key Decisions\n\n### X (2026-02-03)\n\n- short one here\n"
    assert [text for _, text in kinds(text)] == ["X: short one here"]
    assert kinds("# Decision Log\n\n## 2026-02-03\n- One queue for all mails\n") == [
        ("decision", "One queue for all mails")
    ]
    assert kinds("## Decisions: March\n- One queue for all mails\n")[0][0] == "decision"
    assert kinds("## Session 4: the queue\n- fixed the queue\n") == [
        ("progress", "fixed the queue")
    ]
    assert kinds("# Harbour: Learnings\n\n- Ports are closed to big ships at night\n") == [
        ("learning", "Ports are closed to big ships at night")
    ]
    assert kinds("# Harbour: Ships\n\n- Ports are closed to big ships\n")[0][0] == "note"
    assert kinds("## Findings from the load test\n- It holds a thousand users\n") == [
        ("learning", "It holds a thousand users")
    ]
    assert kinds("## Status\n\n**Decided:** one queue\n")[0][0] == "decision"
    assert kinds("## ADR-7\n\nOne queue for all mails.\n") == [
        ("decision", "ADR-7: One queue for all mails.")
    ]


def test_nested_code_and_paragraphs_do_not_disturb_lists() -> None:
    text = "- Decisions:\n\n  of ours\n\n  - one queue\n- plain\n\n  ```\n  x\n  ```\n"
    assert kinds(text) == [("decision", "one queue"), ("note", "plain")]
    text = "- Decided: one queue\n\n  ```\n  x\n  ```\n"
    assert kinds(text) == [("decision", "one queue")]
    text = "### Decision 1: one queue\n- **Why**: order\n\n  ```\n  x\n  ```\n"
    assert len(kinds(text)) == 1
    assert kinds("- Problem: ~~none~~\n") == []
    assert kinds("## Gotchas\n- **Steps:**\n  - press twice\n") == [
        ("gotcha", "**Steps:** press twice")
    ]


def test_list_leads_nested_in_a_section_of_another_kind() -> None:
    text = "## Recent Changes\n- Implemented:\n  - the cache\n- Decisions:\n  - one queue\n"
    assert [kind for kind, _ in kinds(text)] == ["progress", "decision"]
    assert kinds("- Parts:\n  - fixed the cache\n") == [("progress", "fixed the cache")]


def test_numbers_escaped_by_mind_come_back() -> None:
    assert kinds("## 2026-02-03\n\ndecided: a\n  1\\. b\n  c\\d\n") == [("decision", "a 1. b c\\d")]


def test_the_project_state_keeps_what_is_written_beside_its_labels() -> None:
    assert kinds("## Project State\n\nWe like tea.\n\nBlocked: no key\n") == [
        ("note", "We like tea."),
        ("blocker", "no key"),
    ]


def test_a_title_in_another_script_is_searched_for_its_noun() -> None:
    assert kinds("## 活跃的决策和考虑事项\n- 只用一个队列保存邮件\n")[0][0] == "decision"
    assert kinds("## 待定决策\n- 只用一个队列保存邮件\n")[0][0] == "note"


def test_an_adverb_may_stand_before_what_was_done() -> None:
    assert kinds("Today we fixed the roof")[0][0] == "progress"
    assert kinds("Hoy arreglamos el fallo")[0][0] == "progress"
    assert kinds("Today it rained")[0][0] == "note"


def test_labelled_lines_within_an_item_are_its_fields() -> None:
    found = entries(
        "- **Problem**: build runs out of memory\n  **Fix**: raise the limit\n  twice\n"
    )
    assert [(entry.text, entry.workaround) for entry in found] == [
        ("build runs out of memory Fix: raise the limit; twice.", "raise the limit twice")
    ]


def test_what_stands_in_a_file_of_gotchas_is_one_but_its_introduction() -> None:
    text = "# Gotchas\n\nWhat surprised us.\n\n## Web\n\n**Dates**: the server is in UTC.\n"
    assert kinds(text) == [
        ("note", "What surprised us."),
        ("gotcha", "**Dates**: the server is in UTC."),
    ]


def test_a_records_summary_goes_before_its_generic_title() -> None:
    text = (
        "## [LRN-20260203-001] best_practice\n\n### Summary\nUse one queue\n\n"
        "### Resolution\n- **Status**: done\n- **Notes**: told Tom\n"
    )
    found = entries(text)
    assert [entry.title for entry in found] == ["Use one queue Fix: **Notes**: told Tom."]


def test_chunks_join_a_record_with_its_fields() -> None:
    text = "# Log\n\n## ADR-1: tea\n\n### Why\n\nTom\n\n## Gotchas\n- a\n"
    found = parser.chunks(text.encode(), "M.md", SETTINGS)
    assert [(chunk.line, chunk.headings[-1][1]) for chunk in found] == [
        (1, "Log"),
        (3, "ADR-1: tea"),
        (9, "Gotchas"),
    ]


def test_a_dated_line_within_a_comment_or_above_an_underline_stays_where_it_is() -> None:
    text = "# Decision Log\n\n<!--\n[2026-02-03] - one\n## Gotchas\n-->\n"
    assert kinds(text) == []
    assert len(parser.chunks(text.encode(), "M.md", SETTINGS)) == 1


def test_an_appended_line_below_a_shorter_item_keeps_the_item() -> None:
    text = "- **Decided:** tea\ndecided: milk\n- **Decided:** salt\n"
    assert [text for _, text in kinds(text)] == ["tea", "milk", "salt"]


def test_continuation_lines_beside_other_text_come_back() -> None:
    text = "## 2026-02-03\n\ndecided: a\n\nWe went home.\n\ndecided: d\n  fixed: e\n"
    assert [text for _, text in kinds(text)][-1] == "d fixed: e"


def test_old_line_ends_are_understood() -> None:
    assert [text for _, text in kinds("## 2026-02-03\r\rdecided: a\rlearned: b\r")] == ["a", "b"]


def test_a_lone_carriage_return_ends_a_line_too() -> None:
    assert [text for _, text in kinds("decided: a\rlearned: b\n")] == ["a", "b"]


def test_an_item_of_nothing_but_a_field_is_empty() -> None:
    assert kinds("## Gotchas\n- [since:: june] ^abc123\n") == []


def test_a_section_speaks_for_its_paragraphs() -> None:
    assert kinds("## Gotchas\n\nFixed by a restart of the whole server.\n") == [
        ("gotcha", "Fixed by a restart of the whole server.")
    ]


def test_a_dated_line_begins_an_item_within_a_paragraph() -> None:
    text = "We went home.\n2026-02-03 - fixed the roof\n2026-02-04 - none\n"
    assert kinds(text) == [("note", "We went home."), ("progress", "fixed the roof")]


def test_the_introduction_of_a_log_is_a_note() -> None:
    found = kinds("# Decision Log\n\nThis file records what was agreed on in the team.\n")
    assert [kind for kind, _ in found] == ["note"]


@pytest.mark.parametrize(
    "day",
    ["2026-02-03", "3. Februar 2026", "February 3, 2026", "3 de febrero de 2026", "2026年2月3日"],
)
def test_a_day_in_any_common_form_heads_a_log(day: str) -> None:
    found = entries(
        f"# Decision Log\n\n## {day}\n\n- One queue for all\n\n### Storage\n- a b c d\n"
    )
    assert [(entry.kind, str(entry.date)) for entry in found] == [
        (Kind.DECISION, "2026-02-03"),
        (Kind.DECISION, "2026-02-03"),
    ]


def test_own_lines_below_the_heading_of_a_record_are_entries_of_their_own() -> None:
    own = (
        "- decided: a hand line\n- gotcha: Postfix drops mail\n- rejected: Riak - nobody runs it\n"
    )
    assert kinds(f"## ADR 3: Use Redis for sessions\n\n{own}")[-3:] == [
        ("decision", "a hand line"),
        ("gotcha", "Postfix drops mail"),
        ("rejected", "Riak - nobody runs it"),
    ]
