"""Rejected approaches are recognised when they return, and nothing else is."""

import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mind.domain.entry import Kind
from mind.memory.memory import Memory
from mind.text import lines
from mind.text.matching import acts, candidates, score
from mind.text.matching.candidates import weights
from mind.text.matching.subjects import subjects_of
from tests.bench import rejections
from tests.catalogue import Catalogue

REDUX = ("a", "rejected", "Redux for the cart - too much boilerplate. Zustand stores.")
FLOATS = ("b", "rejected", "Floats for prices: rounding errors on invoices. Decimal everywhere.")
NATS = ("c", "decision", "NATS over Kafka for events; nobody here can operate Kafka.")
ATOM = ("d", "gotcha", "`load_all()` reads everything into memory; use `stream_rows()` instead.")
MEMORY = Catalogue([REDUX, FLOATS, NATS, ATOM])


def warned(act: acts.Act) -> list[str]:
    return [one.row["id"] for one in MEMORY.met(act) if one.score >= weights()["least"]]


@pytest.mark.parametrize(
    ("kind", "text", "head", "chosen"),
    [
        ("rejected", REDUX[2], "Redux", "Zustand stores"),
        ("rejected", "We tried Alpine images because they are small. glibc images.",
         "Alpine images", "glibc images"),
        ("rejected", "Do not use threads for downloads; asyncio.", "threads", "asyncio"),
        ("rejected", "Gradle wurde verworfen, zu langsam. Maven.", "Gradle", "Maven"),
        ("rejected", "Snapshot tests: nobody reads them, golden files instead", "Snapshot tests",
         "golden files"),
        ("rejected", "Snapshots: liest keiner. Stattdessen Golden Files. Niemand murrt",
         "Snapshots", "Golden Files"),
        ("rejected", "elkjs. Edges of loops overlap; see https://x.org/12", "elkjs", ""),
        ("rejected", "Redis for carts - stale. See ADR 12.", "Redis", ""),
        ("rejected", "mmap for input files. It breaks on pipes and on Windows.", "mmap", ""),
        ("rejected", "Raw schemas | Zod is required", "Raw schemas", ""),
        ("rejected", "Redis for carts: one more server; lost on restart", "Redis", ""),
        ("rejected", "Cron on the server: no retries; dedicated jobs", "Cron", "dedicated jobs"),
        ("rejected", "We won't use lodash since arrays have it all", "lodash", ""),
        ("rejected", "Wir haben axios erprobt und verworfen, weil es alt ist", "axios erprobt und",
         ""),
        ("rejected", "On a abandonné axios : trop lourd", "axios", ""),
        ("rejected", "Go has no generics", "Go", ""),
        ("rejected", "Next.js/Nuxt.js for the docs site", "Next.js/Nuxt.js", ""),
        ("rejected", "`eval` in src/app/loader.py - unsafe", "`eval`", ""),
        ("decision", NATS[2], "Kafka", "NATS"),
        ("decision", "Vitest instead of Jest", "Jest", "Vitest"),
        ("decision", "Pulumi was evaluated and turned down, Terraform stays", "Pulumi",
         "Terraform stays"),
        ("gotcha", ATOM[2], "`load_all()` reads everything", "use `stream_rows()` instead"),
    ],
)  # fmt: skip
def test_an_entry_has_a_subject_and_an_alternative(
    kind: str, text: str, head: str, chosen: str
) -> None:
    (found,) = subjects_of(kind, text)
    assert (found.head, found.chosen) == (head, chosen)


def test_one_of_several_names_is_rejected_too() -> None:
    found = subjects_of("rejected", "pterm or lipgloss for coloured help - adds a dependency")
    assert [(one.head, one.condition) for one in found] == [
        ("pterm", ""),
        ("lipgloss", ""),
    ]


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("p-retry - adds a dependency", acts.of_prose("retry failed requests three times")),
        ("react-query for server state - big", acts.of_command("npm install react")),
        ("@nestjs/microservices - a broker", acts.of_command("npm install @nestjs/common")),
        ("eslint-config-airbnb - too strict", acts.of_command("npm install -D eslint")),
        ("redis for sessions - ops", acts.of_command('git stash push -m "redis sessions"')),
        (
            "axios-retry for retries - one more package",
            acts.of_edit("package.json", '{"dependencies": {"axios": "^1.0.0"}}'),
        ),
        (
            "Any in src/shop/gen/__init__.py instead of the type - bad values passed",
            acts.of_prose("rename a variable in src/shop/gen/__init__.py"),
        ),
    ],
)
def test_part_of_a_name_a_purpose_and_a_path_are_no_repeat(text: str, act: acts.Act) -> None:
    others = [REDUX, FLOATS, NATS, ("z", "rejected", text)]
    met = Catalogue(others).met(act)
    assert [one.row["id"] for one in met if one.score >= weights()["least"]] == []


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("You should never use axios - bundle size", acts.of_command("npm install axios")),
        ("We also tried Kafka - too much to run", acts.of_prose("Use Kafka for events")),
        ("It was decided not to use axios", acts.of_prose("Use axios for the requests")),
        ("Wir beide haben Kafka verworfen", acts.of_prose("Use Kafka for events")),
        (
            "Redis as the job queue - losing jobs by eviction",
            acts.of_prose("Use Redis as the job queue with RDB persistence"),
        ),
        (
            "Authenticating users with JSON Web Tokens - no revocation",
            acts.of_prose("Authenticate users with JWT"),
        ),
        ("Caching with Redis - stale prices", acts.of_command("pip install redis")),
        ("end-to-end tests of the checkout", acts.of_prose("Add end to end tests of the checkout")),
        ("Vue or Svelte for the admin page - new", acts.of_prose("Use Vue for the admin page")),
        ("@acme/tracing - quota", acts.of_command("npm install @acme/tracing")),
    ],
)
def test_a_rejection_in_natural_wording_comes_back(text: str, act: acts.Act) -> None:
    met = Catalogue([REDUX, FLOATS, ("z", "rejected", text)]).met(act)
    assert [one.row["id"] for one in met if one.score >= weights()["least"]] == ["z"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Celery for the nightly jobs - heavy", "celery -A app worker"),
        ("Poetry - slow resolver", "pipx install poetry"),
        ("nox for the matrix - one more file", "pipx run nox -s tests"),
        ("`git stash` before a rebase - hides files", "git stash push -m wip"),
    ],
)
def test_a_command_that_runs_what_was_rejected_is_a_repeat(text: str, command: str) -> None:
    met = Catalogue([REDUX, FLOATS, ("z", "rejected", text)]).met(acts.of_command(command))
    assert [one.row["id"] for one in met if one.score >= weights()["least"]] == ["z"]


def test_git_stash_list_only_looks() -> None:
    assert acts.of_command("git stash list").is_silent
    assert not acts.of_command("git stash").is_silent


def test_a_read_only_subcommand_that_fixes_is_not_silent() -> None:
    assert acts.of_command("npm audit").is_silent
    assert not acts.of_command("npm audit fix --force").is_silent
    assert not acts.of_command("npm run lint -- --fix").is_silent


@pytest.mark.parametrize(
    "text",
    [
        "Invoices are numbered by year",
        "PostgreSQL 16 in production",
        "Move the carts over to SQLite",
    ],
)
def test_a_decision_that_turns_nothing_down_has_no_subject(text: str) -> None:
    assert subjects_of("decision", text) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install @reduxjs/toolkit react-redux", ["a"]),
        ("cd web && pnpm add redux@5", ["a"]),
        ("pnpm --filter web add redux", ["a"]),
        ("pnpm -C apps/web add redux", ["a"]),
        ("pnpm -r add redux", ["a"]),
        ("yarn workspace web add redux", ["a"]),
        ("yarn workspace web remove redux", []),
        ("git -C web log --grep redux", []),
        ("uv add kafka-python", ["c"]),
        ("cargo add rdkafka", ["c"]),
        ("go get github.com/segmentio/kafka", ["c"]),
        ("npm uninstall redux", []),
        ("npm ls redux", []),
        ("grep -rn redux src", []),
        ("git log -S redux", []),
        ("npm install zustand", []),
        ("npm install redact", []),
    ],
)
def test_what_a_command_installs_is_compared(command: str, expected: list[str]) -> None:
    assert warned(acts.of_command(command)) == expected


CRATES = Catalogue([
    ("a", "rejected", "once_cell crate: std::sync::OnceLock since 1.70"),
    ("b", "rejected", "num_cpus. std::thread::available_parallelism."),
    ("c", "rejected", "path-is-absolute dependency (#5830). node:path isAbsolute."),
    ("d", "rejected", "simplejson module (removed in #417): two libraries behaved differently"),
])  # fmt: skip


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        ("src/a.rs", "use once_cell::sync::Lazy;", "a"),
        ("src/a.rs", "let threads = num_cpus::get();", "b"),
        ("src/a.rs", "let threads = std::thread::available_parallelism();", ""),
        ("lib/a.js", "var isAbsolute = require('path-is-absolute');", "c"),
        ("lib/a.js", "var isAbsolute = require('node:path').isAbsolute;", ""),
        ("a.py", "import simplejson", "d"),
        ("a.py", "module = load(module)", ""),
        ("src/lib.rs", "//! This crate is a library.\nmod once;", ""),
    ],
)
def test_a_package_is_met_by_its_name_whatever_sort_of_thing_the_memory_calls_it(
    path: str, new: str, expected: str
) -> None:
    met = CRATES.met(acts.of_edit(path, new))
    found = [one.row["id"] for one in met if one.score >= weights()["least"]]
    assert found == ([expected] if expected else [])


def test_in_code_a_word_that_is_in_any_file_is_no_name() -> None:
    memory = Catalogue([("a", "decision", "httpx over requests in the test client")])
    code = "def test_form(test_client):\n    request = test_client.post('/')\n"
    assert not [one for one in memory.met(acts.of_edit("tests/a.py", code)) if one.score >= 0.7]
    imported = memory.met(acts.of_edit("tests/a.py", "import requests"))
    assert [one.row["id"] for one in imported if one.score >= 0.7] == ["a"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ten issues with a `- [ ]` list - they cannot be searched", ""),
        ("Two jobs, each with its `if:` - they build twice", "if"),
        ("Wire an archive provider in - too complex", ">api"),
    ],
)
def test_punctuation_function_words_and_initials_are_no_names(text: str, name: str) -> None:
    (row,) = Catalogue([("a", "rejected", text)]).rows
    assert name not in {one[0] for one in row["names"]}


def test_an_everyday_word_in_backticks_is_no_name_in_prose() -> None:
    known = Catalogue([("a", "rejected", "Mending artifacts in `package` - asked for otherwise")])
    (met,) = known.met(acts.of_prose("Mark the package as private"))
    assert met.score < weights()["least"]


def test_a_decision_that_shares_a_small_part_of_the_subject_is_no_repeat() -> None:
    memory = Catalogue([("a", "rejected", "Nightly export of invoices by FTP - lost files twice")])
    act = acts.of_prose("Invoices are numbered by year")
    assert not [one for one in memory.met(act) if one.score >= weights()["least"]]


@pytest.mark.parametrize(
    ("path", "new", "old", "expected"),
    [
        ("package.json", '  "redux": "^5.0.0",', "", ["a"]),
        ("package.json", '  "zustand": "^4.0.0",', '  "redux": "^5.0.0",', []),
        ("src/cart.ts", "import { createSlice } from '@reduxjs/toolkit';", "", ["a"]),
        ("src/cart.ts", "// redux was removed here\nconst x = 1;", "", []),
        ("src/cart.ts", "import { a } from 'redux';", "import { a, b } from 'redux';", []),
        ("docs/state.md", "We no longer use Redux for the cart.", "", []),
        ("app/rows.py", "for row in stream_rows():\n    show(row)", "", []),
        ("test/deps.test.js", "expect(deps).not.toContain('redux');", "", []),
    ],
)
def test_what_an_edit_brings_in_is_compared(
    path: str, new: str, old: str, expected: list[str]
) -> None:
    assert warned(acts.of_edit(path, new, old)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keep the cart in a Redux store", ["a"]),
        ("Send the events through Kafka", ["c"]),
        ("Remove Redux from the cart", []),
        ("Replace Kafka by NATS", []),
        ("Migrate the cart from Redux to Zustand", []),
        ("Show the cart in the header", []),
        ("", []),
    ],
)
def test_what_an_intent_proposes_is_compared(text: str, expected: list[str]) -> None:
    assert warned(acts.of_prose(text)) == expected


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("switch over to Kafka", True),
        ("bring the events over from NATS to Kafka", True),
        ("publish mails instead of Kafka events", False),
        ("prefer the queue in Postgres over Kafka", False),
        ("a table in Postgres over Kafka", False),
        ("NATS for the events over Kafka", False),
        ("we rejected Kafka, so take NATS for the events", False),
        ("over the weekend send the events through Kafka", True),
        ("over HTTP send the events to Kafka", True),
        ("over lunch add Kafka for the events", True),
    ],
)
def test_over_names_a_medium_after_a_verb_that_chooses_nothing(intent: str, is_met: bool) -> None:
    assert warned(acts.of_prose(intent)) == (["c"] if is_met else [])


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("not NATS but Kafka for the events", True),
        ("Why not Kafka for the events: it is too much to run", False),
        ("events that are not for Kafka must not be sent", False),
        ("we can't do without Kafka for the events", True),
        ("no reason not to use Kafka for the events", True),
        ("we can't use Kafka for the events", False),
        ("anstatt NATS nehmen wir Kafka für Events", True),
        ("anstatt NATS nutze Kafka für Events", True),
        ("au lieu de NATS utiliser Kafka", True),
        ("instead of polling (too slow) use Kafka for the events", True),
        ("instead of having to use Kafka for the events poll", False),
        ("instead of continuing to use Kafka for the events, poll", False),
        ("ship on Fridays, since events go through Kafka", False),
        ("because events go through Kafka, ship on Fridays", False),
        ("since Kafka lost events, don't send them there", False),
        ("use typer because it is small and use Kafka for events", True),
        ("ship on Fridays, since we lint and use Kafka for events", False),
        ("move to NATS because people hate and use of Kafka is hard", False),
        ("instead of using Kafka for the events, we poll", False),
        ("anstatt Kafka für Events zu nutzen, nehmen wir NATS", False),
        ("Instead of polling we use Kafka for the events", True),
        ("nothing works without Kafka for the events, so we poll", False),
        ("Why not use Kafka for the events any more?", False),
    ],
)
def test_a_proposal_is_told_from_a_denial_and_a_reason(intent: str, is_met: bool) -> None:
    assert warned(acts.of_prose(intent)) == (["c"] if is_met else [])


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("run `npm uninstall kafkajs`, then `grep -r kafka src`", False),
        ("run `docker rm kafka` for the events", False),
        ("run `npm uninstall amqplib` and send the events through Kafka", True),
        ("run `pnpm --filter worker add kafkajs`", True),
    ],
)
def test_a_command_in_a_plan_that_reads_or_removes_is_no_proposal(
    intent: str, is_met: bool
) -> None:
    met = [one for act in acts.of_intent(intent) for one in warned(act)]
    assert bool(met) is is_met


def test_of_a_diff_the_memory_itself_is_not_compared(memory: Memory) -> None:
    memory.log("`npm test` runs the linter first; it hides failures", "gotcha")
    memory.log("Redux for the cart - too much boilerplate", "rejected")
    line = "+- gotcha: `npm test` runs the linter first; import redux\n"
    own = "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n{line}"
        for path in (".mind/MEMORY.md", "CLAUDE.md")
    )
    found = memory.edges("", own)
    assert (found.edges, found.loops, found.perhaps) == ((), (), ())
    other = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n+npm test\n"
    assert [one.gotcha.title for one in memory.edges("", own + other).edges]


def test_of_a_diff_each_file_is_compared_by_what_it_adds() -> None:
    diff = (
        "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n"
        "-import { a } from 'redux';\n+import { a } from 'zustand';\n"
        "diff --git a/package.json b/package.json\n--- a/package.json\n+++ b/package.json\n"
        '@@ -1 +1,2 @@\n+  "kafkajs": "^2.0.0",\n'
    )
    assert [warned(act) for act in acts.of_diff(diff)] == [[], ["c"]]


def test_words_far_apart_in_a_file_say_nothing_together() -> None:
    lines = [f"value_{n} = {n}" for n in range(60)]
    lines[3], lines[50] = "prices = fetch()", "stamp = 'Floats in the harbour'"
    assert warned(acts.of_edit("app.py", "\n".join(lines))) == []


@pytest.mark.parametrize(
    "part",
    ["a", "a ", " ", "/*", ", not a", "- ", "_-", '"""x ', '"', "(", "あ", "->", "is ", "aB"],
)
def test_no_text_takes_long(part: str) -> None:
    text = part * (40_000 // len(part))
    began = time.process_time()
    for path in ("a.py", "package.json"):
        acts.of_edit(path, text)
    acts.of_prose(text)
    acts.of_command(text, text)
    Catalogue([("a", "rejected", text), ("b", "decision", text), ("c", "gotcha", text)])
    assert time.process_time() - began < 3


def test_a_word_that_forbids_silences_its_own_paragraph_only() -> None:
    banned = "no-restricted-imports:\n  - redux\n"
    assert warned(acts.of_edit(".eslintrc.yml", banned)) == []
    assert warned(acts.of_edit("a.ts", banned + "\nimport { a } from 'redux';\n")) == ["a"]


@pytest.mark.parametrize(
    ("name", "has_keywords", "recall", "alarms"),
    [
        ("rejections_further", False, 0.57, 0.04),
        ("rejections_unseen", False, 0.5, 0.08),
        ("rejections_further", True, 0.65, 0.04),
        ("rejections_unseen", True, 0.6, 0.11),
    ],
)
def test_the_checked_in_probes_are_answered_as_well_as_they_were(
    name: str, has_keywords: bool, recall: float, alarms: float
) -> None:
    """The weights are fitted on them too; how others are answered is in docs/benchmarks."""
    path = Path(__file__).parent / "bench" / f"{name}.json"
    found = []
    for case in rejections.cases(json.loads(path.read_text("utf-8"))):
        if case.has_keywords is not has_keywords:
            continue
        met = rejections.judged(case, weights())
        ids = {one.row["id"] for one in rejections.shown(met, weights()["least"])}
        found.append((set(case.probe["expect"]), ids))
    repeated = [bool(expected & ids) for expected, ids in found if expected]
    harmless = [bool(ids) for expected, ids in found if not expected]
    assert sum(repeated) / len(repeated) >= recall
    assert sum(harmless) / len(harmless) <= alarms


@pytest.mark.parametrize(
    ("kind", "text", "act", "is_met"),
    [
        # names in parentheses are all of the subject
        ("rejected", "Third-party loggers (zap, logrus), slog is enough",
         acts.of_edit("a.go", 'import "go.uber.org/zap"'), True),
        ("rejected", "Generated mocks (gomock). Nobody regenerated them.",
         acts.of_command("go install github.com/golang/mock/gomock@latest"), True),
        # "must never" is the trap, not the remedy
        ("gotcha", "fct_clicks must never be rebuilt with full refresh: raw events are deleted",
         acts.of_command("dbt run --select fct_clicks --full-refresh"), True),
        # who installs with a program uses it; the value of an option is no package
        ("decision", "uv over Poetry for dependencies and the lock file",
         acts.of_command("poetry add phonenumbers"), True),
        ("rejected", "Own derive macro crate (tilepack-derive)",
         acts.of_command("cargo add --optional serde --features derive"), False),
        # the group of a Maven package names it
        ("rejected", "Hilt/Dagger: kapt took three minutes",
         acts.of_edit("app/build.gradle.kts", 'ksp("com.google.dagger:dagger-compiler:2.52")'),
         True),
        # "anything that needs X" is X
        ("rejected", "Anything that depends on Play Services",
         acts.of_edit("app/build.gradle", 'implementation "com.google.gms:play-services:21"'),
         True),
        # a kind is met by its members, in another language too
        ("rejected", "Fertige Komponentenbibliothek wie MUI. Zu viele Overrides.",
         acts.of_command("npm install @mantine/core"), True),
        # everyday words are names only where they are imported or installed
        ("rejected", "Task runners. Plain scripts", acts.of_prose("Make the header fixed"), False),
        ("rejected", "Lombok hides too much", acts.of_edit("a.ts", "const data = get()"), False),
        ("rejected", "Hosted payment", acts.of_prose("Let users pay by invoice"), False),
        # a client is no name of its server
        ("rejected", "asyncpg: trouble with pgbouncer",
         acts.of_edit("compose.yaml", "services:\n  db:\n    image: postgres:16"), False),
        # --rm removes a container, not what is run; -w takes no value
        ("rejected", "Redis. One more server.", acts.of_command("docker run --rm redis"), True),
        ("rejected", "Redux. Too much of it.", acts.of_command("pnpm add -w redux"), True),
        ("rejected", "React template of Vite",
         acts.of_command("npm create vite@latest app -- --template react"), False),
        # a punctuation mark alone is the name of nothing
        ("rejected", "Client / server split. One binary.", acts.of_command("npm i redux"), False),
    ],
)  # fmt: skip
def test_what_a_subject_names(kind: str, text: str, act: acts.Act, is_met: bool) -> None:
    met = Catalogue([("a", kind, text)]).met(act)
    assert [one.row["id"] for one in met if one.score >= weights()["least"]] == ["a"] * is_met


def test_the_name_of_the_project_is_evidence_of_nothing_but_a_word_of_it_is() -> None:
    entry = ("a", "rejected", "Sidekiq for the mails. One more process.")
    act = acts.of_edit("lib/a.rb", "require 'sidekiq'\n")
    assert [one for one in Catalogue([entry]).met(act) if one.score >= weights()["least"]]
    own = Catalogue([entry], "sidekiq")
    assert not [one for one in own.met(act) if one.score >= weights()["least"]]
    django = Catalogue([("a", "rejected", "Django. Too heavy for two pages.")], "shop-django")
    installed = acts.of_command("pip install django")
    assert [one for one in django.met(installed) if one.score >= weights()["least"]]


def test_the_names_of_the_data_are_written_as_they_are_read() -> None:
    for line in lines("matching/names"):
        called, _, members = line.partition(" : ")
        for one in (*called.split(", "), *(members.split(", ") if members else ())):
            assert one == one.strip().lower(), line
            assert one.removeprefix("="), line
        assert members or ", " in called, line


PYTHON = Catalogue([("a", "rejected", "Rewrite the tool in Python - a shell is everywhere.")])


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("Rewrite the tool in Python", True),
        ("rewrite adr-tools as a Python program", True),
        ("Rewrite the tool to use Python", True),
        ("Rewrite the texts of the help", False),
    ],
)
def test_what_something_is_rewritten_in_is_proposed(intent: str, is_met: bool) -> None:
    met = [one for one in PYTHON.met(acts.of_prose(intent)) if one.score >= weights()["least"]]
    assert bool(met) == is_met


CLIENT = Catalogue(
    [("a", "rejected", "Redux Toolkit for client state - too much code for three screens")]
)


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("switch from MobX to Redux Toolkit", True),
        ("Move the client state from MobX to Redux Toolkit", True),
        ("remove the feature flag for Redux Toolkit stores", False),
        ("migrate away from Redux Toolkit to MobX", False),
        ("read the client state from Redux Toolkit", False),
    ],
)
def test_what_is_moved_to_is_proposed(intent: str, is_met: bool) -> None:
    met = [one for one in CLIENT.met(acts.of_prose(intent)) if one.score >= weights()["least"]]
    assert bool(met) == is_met


def test_an_article_is_no_part_of_a_name() -> None:
    assert "adb" not in acts.of_prose("add a DB index to the users table").packages
    rows = Catalogue([("a", "rejected", "adding a DB call to the start hook")]).rows
    assert "adb" not in {name for row in rows for name, *_ in row["names"]}


def test_a_decision_turns_down_what_its_beginning_names() -> None:
    reasons = f"{'We want fewer parts. ' * 20}It answers instead of waiting a minute."
    assert subjects_of("decision", "Adopt Vite. It is fast. We chose it over Webpack.")
    (found,) = subjects_of("decision", f"Use SQLite over Postgres. {reasons}")
    assert found.head == "Postgres"
    assert subjects_of("decision", f"Use SQLite. {reasons}") == []


IN_C = Catalogue(
    [
        ("a", "rejected", "jansson for JSON - it leaks memory"),
        ("b", "rejected", "Raise MAX_DEPTH to 10000 - freeing overflows the stack"),
    ]
)


@pytest.mark.parametrize(
    ("code", "is_met"),
    [
        ("#include <jansson.h>", True),
        ('#include "jansson.h"', True),
        ("#if HAVE_JSON\n#include <jansson.h>\n#endif", True),
        ("#define MAX_DEPTH (10000)", True),
        ("# include jansson one day", False),
        ("// #include <jansson.h>", False),
    ],
)
def test_directives_of_the_preprocessor_are_no_comments(code: str, is_met: bool) -> None:
    assert bool(IN_C.met(acts.of_edit("src/parser.c", code))) == is_met


FETCHING = Catalogue([("a", "rejected", "Poll the open file for changes - it drains the battery.")])


@pytest.mark.parametrize(
    ("intent", "is_met"),
    [
        ("Drop fsnotify and poll the open file", True),
        ("Get rid of fsnotify: poll the open file every second", True),
        ("Remove fsnotify, then poll the open file", True),
        ("Remove fsnotify. Poll the open file instead", True),
        ("Entferne fsnotify; poll the open file", True),
        ("Remove the watcher and the polling of the open file", False),
        ("Remove polling, because our polling of the open file is slow", False),
        ("Remove the loops, e.g. polling, from the open file", False),
        ("Search the docs, then poll the open file", True),
        ("Remove the polling of the open file and update the README", False),
    ],
)
def test_what_follows_a_removal_is_proposed(intent: str, is_met: bool) -> None:
    met = [one for one in FETCHING.met(acts.of_prose(intent)) if one.score >= weights()["least"]]
    assert bool(met) == is_met


def test_the_words_of_a_rejection_warn_in_edges_as_in_log(memory: Memory) -> None:
    text = "Everything else in the way it was"
    memory.log(f"{text} - no", "rejected")
    assert [one.earlier.title for one in memory.edges(text).loops] == [text]


def test_code_that_uses_a_name_anyway_makes_a_match_a_related_one(
    memory: Memory, git: Callable[..., str]
) -> None:
    root = memory.project.root
    for number in range(3):
        (root / f"a{number}.py").write_text("class SessionStore: ...\n", encoding="utf-8")
    memory.log("`SessionStore` for the carts - they must outlive a session", "rejected")
    added = "+++ b/a0.py\n+store = SessionStore()  # carts\n"
    (loop,) = memory.edges("", code=added).loops
    assert loop.matched.startswith("SessionStore")
    git("init", "--quiet", cwd=root)
    git("add", "--all", cwd=root)
    (root / "a3.py").write_text("SessionStore()\n", encoding="utf-8")  # unknown to git
    assert memory.edges("", code=added).loops  # the changed file itself does not count
    git("add", "--all", cwd=root)
    found = memory.edges("", code=added)
    assert (found.loops, [one.kind for one in found.perhaps]) == ((), [Kind.REJECTED])
    assert memory.edges("", code=added.replace("a0.py", "n\0.py")).loops == ()
    assert memory.edges("", code=added.replace("a0.py", "../a0.py")).loops == ()


def test_more_matches_than_are_looked_up_keep_their_scores() -> None:
    names = [f"lib{letter}" for letter in "abcdefgh"]
    known = Catalogue([(one, "rejected", f"`{one}_run()` - slow") for one in names])
    act = acts.of_edit("a.py", "\n".join(f"{one}_run()" for one in names))
    met = known.met(act)
    score.doubt(act, met, weights(), lambda _word: 9)
    left = [one for one in met if one.score >= weights()["least"]]
    assert (len(met), len(left)) == (8, 2)


def test_a_decision_against_something_is_not_called_a_rejection(memory: Memory) -> None:
    memory.log("Zustand over Redux - no boilerplate", "decision")
    (loop,) = memory.edges("use Redux for the cart").loops
    assert loop.judgement == "decided otherwise"
    assert memory.log("Redux for the cart - boilerplate", "rejected").loops == ()
    (again,) = memory.log("Redux for carts - too much boilerplate", "rejected").loops
    assert (again.earlier.kind, again.judgement) == (Kind.REJECTED, "rejected before")


def test_what_was_decided_for_is_no_rejection(memory: Memory) -> None:
    memory.log("Zustand over Redux - no boilerplate", "decision")
    assert memory.edges("Zustand over Redux").loops == ()


@pytest.mark.parametrize(
    ("path", "is_manifest"),
    [
        ("requirements.txt", True),
        ("requirements/dev.txt", True),
        ("api/requirements-dev.in", True),
        ("docs/requirements/storage.txt", False),
        ("requirements/notes.md", False),
    ],
)
def test_lists_of_packages_are_told_from_lists_of_requirements(
    path: str, *, is_manifest: bool
) -> None:
    assert acts.is_manifest(path) == is_manifest


def test_what_a_call_is_given_is_no_other_name_of_the_rejected_thing() -> None:
    text = 'Settings live in settings.ini in folder_of("teapot-tools"), INI over TOML - no parser'
    memory = Catalogue([("a", "decision", text)])
    code = "import teapot_tools\n\n\ndef test_settings():\n    assert teapot_tools.settings()\n"
    act = acts.of_edit("tests/test_settings.py", code)
    assert not any(one.score > 0.6 for one in memory.met(act))


def test_words_met_are_quoted_as_written() -> None:
    why = ["reactrouter", "sess", "kueue", "c++", "outer"]
    texts = "We took React-Router 6; its Session_store is in C++", "no sessions"
    assert score.words_met(why, *texts) == ["React-Router", "Session_store", "kueue", "C++"]
    assert score.words_met(["everi", "redi"], "every second", "Redis") == ["every", "Redis"]


@pytest.mark.parametrize("count", [0, 1, 6])
def test_a_package_is_known_however_often_its_word_occurs(count: int) -> None:
    gotchas = [
        (f"g{at}", "gotcha", f"each request has session {at} -> reuse it") for at in range(count)
    ]
    memory = Catalogue([("a", "decision", "Use httpx over requests - async"), *gotchas])
    (first, *_) = memory.met(acts.of_command("pip install requests"))
    assert first.row["id"] == "a"
    assert first.score >= weights()["least"]


def test_what_is_learned_about_two_things_rejects_neither() -> None:
    assert subjects_of("learning", "the UPS API returns XML, not JSON") == []
    assert subjects_of("learning", "the queue is backed by Redis rather than Postgres") == []
    (advice,) = subjects_of("learning", "Prefer fetch over axios, which adds 12 kB")
    assert advice.head == "axios"


def test_a_source_in_parentheses_is_no_alternative() -> None:
    text = "Cache responses in Redis - invalidation is hard. (docs/adr/0002-redis.md)"
    (found,) = subjects_of("rejected", text)
    assert not found.chosen


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("A cache server (redis, memcached): one more thing to run, in-process LRU cache instead",
         "use the in-process LRU cache for prices"),
    ],
)  # fmt: skip
def test_what_was_chosen_instead_is_no_repeat(text: str, intent: str) -> None:
    met = Catalogue([REDUX, FLOATS, NATS, ("z", "rejected", text)]).met(acts.of_prose(intent))
    assert [one.row["id"] for one in met if one.score >= weights()["least"]] == []


@pytest.mark.parametrize(
    ("decision", "follows", "breaks"),
    [
        ("dates are stored in UTC, not in local time", "store the dates of the shipment in UTC",
         "store the dates in local time"),
        ("money is `bigint` in minor units, not `number`",
         "store the price as bigint in minor units", ""),
        ("mails are sent through Postmark, not from our own server",
         "send the invoice mail through Postmark", ""),
        ("sessions live in the cookie `fd_session`, not in localStorage",
         "keep the session in the cookie fd_session", "keep the session in localStorage"),
        ("tests live next to the code, not in a `tests` folder",
         "put the new test next to the code", "put the tests in a tests folder"),
        ("a table in Postgres over polling", "use Postgres for the table", ""),
    ],
)  # fmt: skip
def test_who_does_what_was_chosen_follows_the_decision(
    decision: str, follows: str, breaks: str
) -> None:
    known = Catalogue([REDUX, FLOATS, ("x", "decision", decision)])
    for intent, expected in ((follows, []), (breaks, ["x"] if breaks else [])):
        met = known.met(acts.of_prose(intent))
        assert [one.row["id"] for one in met if one.score >= weights()["least"]] == expected


@pytest.mark.parametrize(
    ("text", "repeats", "differs"),
    [
        ("Kafka statt RabbitMQ - zu schwer", "Kafka statt RabbitMQ einsetzen",
         "RabbitMQ einsetzen"),
        ("MongoDB вместо Postgres - нет транзакций", "использовать MongoDB",
         "использовать Postgres"),
        ("Kafka rather than RabbitMQ for events: two more servers", "use Kafka for the events",
         "use RabbitMQ for the events"),
        ("Sending the tariffs over Kafka - a cluster", "send the tariffs over Kafka", "send mails"),
    ],
)  # fmt: skip
def test_of_a_rejected_choice_the_chosen_side_is_rejected(
    text: str, repeats: str, differs: str
) -> None:
    known = Catalogue([REDUX, FLOATS, ("x", "rejected", text)])
    for intent, expected in ((repeats, ["x"]), (differs, [])):
        met = known.met(acts.of_prose(intent))
        assert [one.row["id"] for one in met if one.score >= weights()["least"]] == expected


def test_a_reworded_decision_is_no_loop(memory: Memory) -> None:
    memory.log("The form saves drafts in `sessionStorage`, not on the server", "decision")
    again = memory.log("The form stores drafts in `sessionStorage`, not on the server", "decision")
    assert not again.loops
    assert again.related


def test_a_name_that_several_entries_share_is_evidence_of_none() -> None:
    text = "Publishing to the VS Code Marketplace from a laptop: nobody could repeat it"
    others = [
        ("g1", "gotcha", "VS Code caches the bundle -> bump the version"),
        ("g2", "gotcha", "VS Code 1.96 cannot load ESM -> ship CJS"),
    ]
    known = Catalogue([REDUX, ("a", "rejected", text), *others])

    def repeats(intent: str) -> list[str]:
        met = known.met(acts.of_prose(intent))
        return [one.row["id"] for one in met if one.score >= weights()["least"]]

    assert repeats("use VS Code icons in the sidebar") == []
    assert repeats("publish to the VS Code Marketplace from a laptop") == ["a"]


@pytest.mark.parametrize("name", ["after_save", "C++"])
def test_a_name_in_code_is_one_whatever_other_entries_say(name: str) -> None:
    others = [(str(at), "gotcha", "after a save the cache is cold") for at in range(3)]
    rows = Catalogue([("a", "rejected", f"Sending by {name}: lost mails"), *others]).rows
    assert name.lower() in {one[0] for one in rows[0]["names"]}


def test_a_reason_is_no_alternative_and_a_choice_is_shown_whole() -> None:
    (raced,) = subjects_of("rejected", "running migrations at startup; two workers raced")
    assert raced.chosen == ""
    (jobs,) = subjects_of("decision", "Polling jobs run on arq instead of Celery")
    assert jobs.clause == "Polling jobs run on arq"


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("Tried polling jobs with Celery, ate 2 GB", True),
        ("Running the polling jobs on Celery", True),
        ("Switching from arq to Celery", True),
        ("Redux with Celery - boilerplate", False),
    ],
)
def test_a_subject_that_names_nothing_is_what_it_is_done_with(text: str, warns: bool) -> None:
    memory = Catalogue([("a", "rejected", text)])
    found = memory.met(acts.of_command("pip install celery"))
    assert any(one.score >= weights()["least"] for one in found) is warns


def test_rejections_are_prepared_again_only_if_one_of_them_changes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[str] = []

    def rows_of(kind: str, text: str, *given: object) -> Iterator[candidates.Row]:
        prepared.append(text)
        return made(kind, text, *given)  # type: ignore[arg-type]

    made = candidates.rows_of
    monkeypatch.setattr(candidates, "rows_of", rows_of)
    names = (
        "Redux MobX Recoil Jotai Zustand Valtio XState Effector Nanostores Overmind Hookstate "
        "Easypeasy Unstated Kea Rematch Akita"
    )
    for name in names.split():
        memory.log(f"{name} for the cart - too much boilerplate", "rejected")
    assert memory.edges("use Redux for the cart").loops
    prepared.clear()
    for at in range(4):
        memory.log(f"Page {at} has a cart", "decision")
    memory.log("Page 9 is drawn", "progress")
    assert memory.edges("use Redux for the cart").loops
    assert not prepared
    memory.log("Preact for the cart - nobody knows it", "rejected")
    assert memory.edges("use Preact for the cart").loops
    assert memory.edges("use Redux for the cart").loops
    assert prepared == ["Preact for the cart - nobody knows it"]


def test_rejections_that_are_edited_by_hand_are_prepared_again(memory: Memory) -> None:
    memory.log("Redux for the cart - too much boilerplate", "rejected")
    assert memory.edges("use Redux for the cart").loops
    for file in memory.project.memory.parent.glob("*.md"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("Redux", "Recoil"), encoding="utf-8")
    assert not memory.edges("use Redux for the cart").loops
    assert memory.edges("use Recoil for the cart").loops


def test_the_weights_of_words_follow_the_number_of_rejections(memory: Memory) -> None:
    kinds = ("rejected", "decision", "gotcha")
    texts = [f"Never use {name} in the {name}view, it is slow" for name in "abcdefghijklmnopqrst"]
    for at, text in enumerate(texts):
        memory.log(text, kinds[at % 3])
        memory.edges("use something")
    found = memory.index.rejections.subjects()
    by_hand = memory.project.root / "copy"
    by_hand.mkdir()
    shutil.copytree(memory.project.folder, by_hand / ".mind")
    shutil.rmtree(by_hand / ".mind" / "cache")
    (by_hand / ".git").mkdir()
    copy = Memory.open(by_hand)
    copy.edges("use something")
    fresh = copy.index.rejections.subjects()
    assert found.keys() == fresh.keys()
    for name, rows in found.items():
        for old, new in zip(rows, fresh[name], strict=True):
            weights_of = [dict(old["head"]), dict(new["head"])]
            assert weights_of[0].keys() == weights_of[1].keys()
            for word, weight in weights_of[0].items():
                assert weight == pytest.approx(weights_of[1][word], abs=0.2)


def test_a_warning_stays_while_another_process_prepares_rejections(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = memory.log("Moment for dates - too large", "rejected").entry.id
    memory.log("Redux for the cart - too much boilerplate", "rejected")
    assert memory.edges("use Redux for the cart").loops
    other = Memory.open(memory.project.root)
    asked = score.likely

    def likely(act: acts.Act, places: Callable[[str], list[int]]) -> list[int]:
        found = asked(act, places)
        if not other.archive():
            other.forget(first, "Moment is small now")
            other.log("Jotai for the cart - nobody knows it", "rejected")
            other.edges("something else")  # numbers the rows anew
        return found

    monkeypatch.setattr(score, "likely", likely)
    assert memory.edges("use Redux for the cart").loops
    other.close()


def test_a_warning_stays_if_the_index_is_replaced_during_the_check(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.log("Redux for the cart - too much boilerplate", "rejected")
    asked, failed = score.likely, list[str]()

    def likely(act: acts.Act, places: Callable[[str], list[int]]) -> list[int]:
        if not failed:
            failed.append("once")
            raise sqlite3.DatabaseError("database disk image is malformed")
        return asked(act, places)

    monkeypatch.setattr(score, "likely", likely)
    assert memory.edges("use Redux for the cart").loops
    assert failed


def test_the_weights_of_words_follow_entries_that_replace_others(memory: Memory) -> None:
    def told(text: str) -> None:
        lines = "".join(f"- rejected: {text.format(at)}\n" for at in range(60))
        memory.project.memory.write_text(f"# Memory\n\n## 2026-01-01\n{lines}", encoding="utf-8")
        memory.edges("use something")

    told("lib{0}a for invoices - too slow")
    told("lib{0}b for the ledger of parcel{0} - too slow")
    found = memory.index.rejections.subjects()
    memory.index.clear()
    memory.edges("use something")
    assert found == memory.index.rejections.subjects()
