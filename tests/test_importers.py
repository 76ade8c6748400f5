"""Importers: what each store says becomes entries once, with its source, and nothing else does."""

import json
import os
import random
import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mind.documents import additions, parser
from mind.domain.entry import Entry, Kind, Status
from mind.domain.errors import FileError, InputError, NotFound
from mind.domain.settings import Settings
from mind.memory import importing
from mind.memory.importing import ImportReport
from mind.memory.memory import Memory
from mind.setup import install
from mind.sources import prose
from mind.sources.importers import (
    ImporterInput,
    Surroundings,
    found,
    importers,
    memory_text,
    wording,
)
from mind.sources.importers import folder as frontmatter
from mind.sources.remembered import ImportedNote
from mind.storage import files
from mind.storage.files import recent
from mind.storage.project import Project
from mind.text import secrets
from tests import stores_made as made
from tests.conftest import Clock, Run
from tests.effort import tries

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Memory:
    """A project of the name "shop"."""
    root = tmp_path / "shop"
    root.mkdir()
    install.apply(install.plan(root))
    return Memory(Project(root), clock=clock)


def read(source: str, path: Path, *, everything: bool = False) -> list[ImportedNote]:
    return list(importers()[source].read(path, reading(path, everything=everything)))


def reading(path: Path, *, everything: bool = False) -> ImporterInput:
    return ImporterInput(root=path.parent, names=frozenset({"shop"}), everything=everything)


def said(memories: list[ImportedNote]) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in memories]


def left_out(source: str, path: Path) -> dict[str, int]:
    told = reading(path)
    list(importers()[source].read(path, told))
    return {why: count for why, count in told.left_out.items() if count}


def lines(memory: Memory) -> list[str]:
    text = memory.project.memory.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if "[from::" in line]


def entries(memory: Memory) -> list[Entry]:
    source = memory.project.memory.read_bytes()
    return parser.parse(source, ".mind/MEMORY.md", memory.project.settings)


# --- each tool ----------------------------------------------------------------------------


def test_chest_memory_gives_what_is_in_force_by_layer(tmp_path: Path) -> None:
    path = made.chest(tmp_path / "chest.db")
    assert said(read("chest-memory", path)) == [
        ("gotcha", "Migrations must never run while the workers are up."),
        ("learning", "Checkout: Totals are kept in cents; floats lost a cent on refunds."),
        ("goal", "Checkout works without an account."),
        ("relation", "[[Checkout]] depends-on [[Stripe]]"),
    ]
    assert left_out("chest-memory", path) == {
        "of other projects": 1,
        "archived there": 2,
        "without content": 3,
    }
    assert len(read("chest-memory", path, everything=True)) == 5
    assert read("chest-memory", path)[0].day == date(2026, 3, 12)


def test_claude_mem_gives_this_projects_observations_and_what_was_learned(tmp_path: Path) -> None:
    path = made.claude_mem(tmp_path / "claude-mem.db")
    assert said(read("claude-mem", path)) == [
        ("decision", "SQLite over Postgres: SQLite was chosen: one file is enough."),
        ("progress", "Token loop: The refresh token was sent twice, and the second fails."),
        ("progress", "Retries: Dead jobs are tried again after a minute."),
        ("gotcha", "Open port: Port 9200 of the search host is open to all."),
        ("learning", "Safari drops third-party cookies."),
        ("learning", "The pool leaks a worker when a job dies."),
    ]
    assert [one.key for one in read("claude-mem", path)][-2:] == ["obs-8", "sum-1-learned"]
    assert left_out("claude-mem", path) == {
        "of other projects": 1,
        "marked sensitive": 1,
        "without content": 1,
    }


def test_claude_mem_gives_facts_titles_notes_and_next_steps(tmp_path: Path) -> None:
    day = {"project": "shop", "created_at": "2026-03-12", "created_at_epoch": made.NOON}
    observed = {"memory_session_id": "s", "type": "discovery", **day}
    told: list[dict[str, object]] = [
        {"title": "Hub", "narrative": "It keeps clients.", "facts": '["Cap: 500", "HUB_MAX"]'},
        {"title": "Rust", "subtitle": "It was rejected.", "narrative": "The team knows Go."},
        {"title": "C", "subtitle": "Nobody knows it.", "narrative": "Nobody knows it. It is old."},
        {"title": "The licence is AGPL-3.0", "narrative": "The licence is AGPL-3.0"},
        {"title": "Retries end after five attempts"},
    ]
    summary = {"next_steps": "Watch the error rate.", "notes": "Do not touch `legacy`.", **day}
    asked = {"request": "Try Postgres 18", "completed": "The cluster runs.", **day}
    path = made.database(
        tmp_path / "claude-mem.db",
        made.CLAUDE_MEM,
        [
            *(("observations", observed | one) for one in told),
            ("session_summaries", summary),
            ("session_summaries", asked),
        ],
    )
    assert said(read("claude-mem", path)) == [
        ("learning", "Hub: It keeps clients.\n- Cap: 500\n- HUB_MAX"),
        ("learning", "Rust: It was rejected.\n\nThe team knows Go."),
        ("learning", "C: Nobody knows it. It is old."),
        ("learning", "The licence is AGPL-3.0"),
        ("learning", "Retries end after five attempts"),
        ("note", "Do not touch `legacy`."),
        ("note", "Next steps: Watch the error rate."),
        ("progress", "Try Postgres 18: The cluster runs."),
    ]
    assert left_out("claude-mem", path) == {}


def test_facts_that_are_no_list_are_passed_over(tmp_path: Path) -> None:
    path = made.claude_mem(tmp_path / "claude-mem.db")
    for facts in ("[", '{"a": 1}'):
        with closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE observations SET facts = ? WHERE id = 8", [facts])
            db.commit()
        assert "obs-8" not in {one.key for one in read("claude-mem", path)}


def test_server_memory_gives_observations_and_relations(tmp_path: Path) -> None:
    path = made.graph(
        tmp_path / "memory.jsonl",
        made.entity("Auth", "service", "Auth signs tokens with EdDSA", "times out after 30 s", "x"),
        made.entity("Rounding", "decision", "Totals are kept in cents"),
        made.entity("Empty", "service"),
        {"type": "relation", "from": "Auth", "to": "Redis", "relationType": "depends on"},
        {"type": "relation", "from": "Auth", "to": "Auth", "relationType": "is"},
        ["no", "row"],
        {"type": "other"},
    )
    with path.open("a", encoding="utf-8") as file:
        file.write('\n\n{"type":"entity","name":"Cut","observations":["it was cu')
    assert said(read("server-memory", path)) == [
        ("note", "Auth signs tokens with EdDSA"),
        ("note", "Auth: times out after 30 s"),
        ("decision", "Rounding: Totals are kept in cents"),
        ("relation", "[[Auth]] depends-on [[Redis]]"),
    ]
    assert left_out("server-memory", path) == {"damaged": 3, "without content": 3}


def test_server_memory_keeps_names_lists_and_long_observations(tmp_path: Path) -> None:
    name = "gateway [v2] | <b>core</b>"
    steps = " ".join(f"Step {number} closes lock {number} of the canal." for number in range(60))
    path = made.graph(
        tmp_path / "memory.jsonl",
        made.entity(name, "service", "Deploy:\n1. build it\n2. push it", steps),
        made.entity("Dock ^abc", "Rejected", "port 80"),
        {"type": "relation", "from": "Auth", "to": name, "relationType": "served by"},
        {"type": "relation", "from": "Dock ^abc", "to": "Auth", "relationType": "uses"},
        {"type": "relation", "from": "Auth", "to": "Web", "relationType": "is [[the]] | of"},
    )
    listed, first, second, *rest = said(read("server-memory", path))
    assert listed == ("note", f"{name}: Deploy:\n1. build it\n2. push it")
    assert first[1].startswith(f"{name}: Step 0 closes")
    assert second[0] == "note"
    assert second[1].startswith(f"{name}: Step ")
    assert second[1].endswith("Step 59 closes lock 59 of the canal.")
    assert rest == [
        ("rejected", "Dock ^abc: port 80"),
        ("note", f'"Auth" served by "{name}"'),
        ("relation", "[[Dock ^abc]] uses [[Auth]]"),
        ("note", '"Auth" is [[the]] | of "Web"'),
    ]


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.RELATION])
@pytest.mark.parametrize("source", ["server-memory", "basic-memory"])
def test_a_type_that_is_a_kind_of_mind_gives_that_kind(
    tmp_path: Path, source: str, kind: Kind
) -> None:
    path = tmp_path / "store" / "memory.jsonl"
    if source == "server-memory":
        made.graph(path, made.entity("Slots", kind.value, "Slots are never shared"))
    else:
        made.write(path.with_suffix(".md"), f"- [{kind.value}] Slots are never shared\n")
    where = path if source == "server-memory" else path.parent
    assert [one.kind for one in read(source, where)] == [kind]


def test_bettermemory_gives_notes_of_this_project_or_of_none(tmp_path: Path) -> None:
    folder = tmp_path / ".claude-memory"
    made.better(folder, 1, "# Deploys\n\nDeploys go through the script, never by hand.\n\nMore.")
    made.better(folder, 2, "The API runs on port 8443.", scopes="\n- tools\n- ci: fast")
    made.better(folder, 3, "Of another project altogether.", scopes="[projects:blog]")
    made.better(folder, 4, "The user prefers small commits.", category="user-inference")
    made.better(folder, 5, "# Nothing")
    made.write(folder / "2026-03-12-broken.md", "---\nid: x\nno end, and no text\n")
    made.write(folder / "2026-03-12-foreign.md", "No front matter, so no memory of it.")
    made.write(folder / ".tombstones" / "gone.md", "---\nid: y\n---\nForgotten there already.")
    memories = read("bettermemory", folder)
    assert said(memories) == [
        ("learning", "Deploys go through the script, never by hand.\n\nMore."),
        ("learning", "The API runs on port 8443."),
        ("note", "The user prefers small commits."),
    ]
    assert memories[0].key == "01M7Z4ZKXBPE9Y2T71BSBKBX01"
    assert (memories[1].tags, memories[0].day) == (("tools",), date(2026, 3, 12))
    assert left_out("bettermemory", folder) == {
        "of other projects": 1,
        "without content": 1,
        "damaged": 2,
    }


LINKS = """
- note: 'set at write time: ''switched'' in this memory, ''x''
    (kin)'
  target_id: {0}03
  type: supersedes
- target_id: {0}01
  type: supersedes
- target_id: {0}03
  type: depends_on
- target_id: {0}02
  type: supersedes"""


def test_bettermemory_gives_no_memory_that_another_one_supersedes(tmp_path: Path) -> None:
    folder = tmp_path / ".claude-memory"
    made.better(folder, 1, "Builds run on Jenkins.")
    made.better(folder, 2, "Builds run on Travis.")
    made.better(folder, 3, "Builds need 8 GB of memory.")
    body = "Builds run on Forgejo.\n\ntarget_id: 01M7Z4ZKXBPE9Y2T71BSBKBX03\n type: supersedes\n"
    made.better(folder, 4, body, links=LINKS.format("01M7Z4ZKXBPE9Y2T71BSBKBX"))
    assert [one.text.split(".")[0] for one in read("bettermemory", folder)] == [
        "Builds need 8 GB of memory",
        "Builds run on Forgejo",
    ]
    assert left_out("bettermemory", folder) == {"archived there": 2}


BASIC = """---
title: Auth design
type: note
permalink: design/auth-design
tags:
- auth
- Two Words
- "1"
---

# Auth design

Tokens are signed with EdDSA.

## Observations
- [decision] Use EdDSA over RS256 #security (smaller keys)
- [gotcha] Clock skew of 30 s breaks login to Auth design
- [odd] What has no kind of its own
- [00:01:02] somebody says hello in a recording
- [x] a task that is done
- [tip] ok

## Relations
- depends_on [[Key Store]]
- "is part of" [[Platform|the platform]] (since 2025)
- mentions [[Auth design]]
"""


def test_basic_memory_gives_observations_relations_and_the_note(tmp_path: Path) -> None:
    made.write(tmp_path / "basic" / "design" / "Auth design.md", BASIC)
    made.write(tmp_path / "basic" / "stub.md", "---\ntitle: Stub\ntype: note\n---\n\n# Stub\n")
    memories = read("basic-memory", tmp_path / "basic")
    assert said(memories) == [
        ("decision", "Auth design: Use EdDSA over RS256 #security (smaller keys)"),
        ("gotcha", "Clock skew of 30 s breaks login to Auth design"),
        ("note", "Auth design: What has no kind of its own"),
        ("relation", "[[Auth design]] depends-on [[Key Store]]"),
        ("relation", "[[Auth design]] is-part-of [[Platform]]"),
        (
            "note",
            (
                "Auth design: Tokens are signed with EdDSA.\n"
                "## Observations\n"
                "- [00:01:02] somebody says hello in a recording\n"
                "- [x] a task that is done\n"
                "- [tip] ok\n"
                "\n"
                "## Relations\n- mentions [[Auth design]]"
            ),
        ),
    ]
    assert memories[-1].tags == ("auth", "Two-Words")
    assert memories[-1].key == "design:auth-design"
    assert re.fullmatch(r"design:auth-design:obs-[0-9a-f]{8}", memories[0].key)
    assert left_out("basic-memory", tmp_path / "basic") == {"without content": 1}


@pytest.mark.parametrize("status", ["superseded", "Archived", "deprecated"])
def test_basic_memory_gives_no_note_that_is_no_longer_valid(tmp_path: Path, status: str) -> None:
    folder = tmp_path / "basic"
    made.write(folder / "a.md", f"---\nstatus: {status}\n---\n\n- [decision] Use Heroku for all\n")
    made.write(folder / "b.md", "---\nstatus: active\n---\n\n- [decision] Use Hetzner for all\n")
    assert said(read("basic-memory", folder)) == [("decision", "b: Use Hetzner for all")]
    assert left_out("basic-memory", folder) == {"archived there": 1}


def test_basic_memory_keeps_what_is_below_an_observation_and_long_ones(tmp_path: Path) -> None:
    long = " ".join(f"Step {number} closes lock {number} of the canal." for number in range(60))
    body = f"# Web [v2]\n\n- [gotcha] Locks stay open\n  - after a power cut\n- [fact] {long}\n"
    made.write(
        tmp_path / "basic" / "web.md", f"{body}- uses [[Redis#Keys]]\n- [ ] ask the harbour\n"
    )
    below, first, second, uses, rest = said(read("basic-memory", tmp_path / "basic"))
    assert below == ("gotcha", "Web [v2]: Locks stay open\n- after a power cut")
    assert (first[0], second[0]) == ("learning", "note")
    assert second[1].startswith("Web [v2]: Step ")
    assert second[1].endswith("Step 59 closes lock 59 of the canal.")
    assert uses == ("note", '"Web [v2]" uses "Redis"')
    assert rest == ("note", "Web [v2]: [ ] ask the harbour")


NYGARD = """# 9. Use Redis for sessions

Date: 2025-03-01

## Status

Accepted


## Context

Sessions were lost.

## Decision

We will keep sessions in Redis, because restarts lose memory.
"""
MADR = """---
status: "{status}"
date: 2025-04-01
tags: [storage, db]
---
# Use MongoDB for orders

## Considered Options

* MongoDB
* Postgres

## Decision Outcome

Chosen option: "Postgres", because MongoDB has no joins.
"""
LISTED = """# ADR-003: Monorepo

* Status: accepted
* Date: 2025-05-06
* Deciders: all

## Decision

We will:

- keep everything in one repository;
- build with one tool.
"""


def test_adrs_give_title_decision_and_what_became_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "adr"
    made.write(folder / "0001-nygard.md", NYGARD)
    made.write(folder / "0002-rejected.md", MADR.format(status="rejected"))
    made.write(folder / "0003-listed.md", LISTED)
    made.write(folder / "0004-proposed.md", MADR.format(status="proposed"))
    made.write(folder / "0005-bare.md", "# 5. Only a title\n\nText that decides nothing.\n")
    made.write(folder / "0006-status.md", "# 6. Tabs rather than spaces\n\n## Status\n\nAccepted\n")
    made.write(folder / "0007-index-merges.md", "# 7. Index merges\n\n## Decision\n\nMerge.\n")
    made.write(folder / "0000-template-short.md", MADR.format(status="accepted"))
    made.write(folder / "ODH-0000-template.md", MADR.format(status="accepted"))
    made.write(folder / "template.md", MADR.format(status="accepted"))
    made.write(folder / "README.md", "# Decisions\n\n## Status\n\nAccepted\n")
    told = reading(tmp_path / "docs")
    memories = list(importers()["adr"].read(folder, told))
    rejected = (
        'Use MongoDB for orders: Chosen option: "Postgres", because MongoDB has no joins.\n'
        "Options:\n- MongoDB\n- Postgres"
    )
    assert said(memories) == [
        (
            "decision",
            (
                "Use Redis for sessions: We will keep sessions in Redis, because restarts lose "
                "memory.\n"
                "Context: Sessions were lost.\n"
                "(docs/adr/0001-nygard.md)"
            ),
        ),
        ("rejected", f"{rejected}\n\n(docs/adr/0002-rejected.md)"),
        (
            "decision",
            (
                "Monorepo: We will:\n"
                "- keep everything in one repository;\n"
                "- build with one tool.\n"
                "\n"
                "(docs/adr/0003-listed.md)"
            ),
        ),
        ("decision", "Tabs rather than spaces (docs/adr/0006-status.md)"),
        ("decision", "Index merges: Merge. (docs/adr/0007-index-merges.md)"),
    ]
    assert [one.day for one in memories[:3]] == [
        date(2025, 3, 1),
        date(2025, 4, 1),
        date(2025, 5, 6),
    ]
    assert memories[1].tags == ("storage", "db")
    assert told.left_out["without content"] == 1
    assert told.left_out["only proposed"] == 1


PROPOSAL = """# GPIO

## Proposal

- No new drivers
- Old ones go

### Exceptions

None yet

## Consequences

because

- fewer
- smaller

Less work
"""
WHAT_AND_WHY = """# Tests

| | |
|--|--|
| Status | Approved |

## What

We test.

## Why

Bugs.

## How

By hand.

## Alternatives

**Decision: Rejected.** Slow.
"""
TOGETHER = """GPIO:
- No new drivers
- Old ones go

Exceptions:
None yet
Consequences: because
- fewer
- smaller

Less work"""


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            "# 0005 A derived index\n\n**Context.** Slow.\n\n**Decision.** One file\nholds it.",
            "decision",
            "A derived index: One file\nholds it.\nContext: Slow.",
        ),
        (
            "# [ADR] Use Go\n\n> **Status:** Declined\n> **Date:** 2025-02-03\n",
            "rejected",
            "Use Go",
        ),
        (
            "| Status | Date |\n|:--|:--|\n| Rejected | 2025-02-03 |\n\n# Use gRPC inside\n",
            "rejected",
            "Use gRPC inside",
        ),
        (
            "# Use REST\n\n| Status | Declined |\n|---|---|\n| Date | 2025-02-03 |\n",
            "rejected",
            "Use REST",
        ),
        (PROPOSAL, "decision", TOGETHER),
        (
            "---\ntitle: ADR-4\n---\n# adr/4: Use Go\n\n## Decision\n\nGo.\n\n### Context 1\n\nA",
            "decision",
            "Use Go: Go.\nContext 1:\nA",
        ),
        (
            "# Go\n\n## Context\n\nSlow.\n\n## Decision Drivers\n\n- speed\n\n## Decision\n\nGo.",
            "decision",
            "Go\nContext: Slow.\nDecision Drivers:\n- speed",
        ),
        (
            "# Context\n\nSlow.\n\n# Decision\n\nOne file.\n",
            "decision",
            "x: One file.\nContext: Slow.",
        ),
        (
            "# Use Go\n\nStatus: Accepted\n\nDecided\n\nGo is fast enough.",
            "decision",
            "Use Go: Decided\nGo is fast enough.",
        ),
        (
            "# Use Go\n\n## Decision\n\nGo.\n\n## Consequences\n\nFast.\n\n## Tradeoffs\n\nBig.",
            "decision",
            "Use Go: Go.\nConsequences: Fast.\nTradeoffs:\nBig.",
        ),
        (
            "# Use Go\n\n## Decision\n\nGo.\n\n## Alternatives\n\n### Rust\n\n- Bad, because hard.",
            "decision",
            "Use Go: Go.\nAlternatives: Rust:\n- Bad, because hard.",
        ),
        (
            WHAT_AND_WHY,
            "decision",
            (
                "Tests: What: We test - Bugs.\n"
                "How: By hand.\n"
                "Alternatives: **Decision: Rejected.** Slow."
            ),
        ),
    ],
)
def test_adrs_of_other_forms(tmp_path: Path, text: str, kind: str, expected: str) -> None:
    made.write(tmp_path / "adr" / "0001-x.md", text)
    (found,) = read("adr", tmp_path / "adr")
    text, place = found.text[: -len("(adr/0001-x.md)")], found.text[-len("(adr/0001-x.md)") :]
    assert (found.kind.value, text.rstrip(), place) == (kind, expected, "(adr/0001-x.md)")
    assert found.day in {None, date(2025, 2, 3)}
    assert found.day or "Date" not in text


def test_an_adr_may_be_the_readme_of_its_own_folder(tmp_path: Path) -> None:
    made.write(tmp_path / "adr" / "README.md", "# Records\n\n## Decision\n\nWe write them.\n")
    record = "# Go\n\n## Decision\n\nWe use Go.\n"
    made.write(tmp_path / "adr" / "2024-05-02-use-go" / "README.md", record)
    (found,) = read("adr", tmp_path / "adr")
    assert (found.text, found.day) == (
        "Go: We use Go. (adr/2024-05-02-use-go/README.md)",
        date(2024, 5, 2),
    )


@pytest.mark.parametrize(
    "text",
    [
        "# ~~Use Go~~\n\n**Superseded by [adr/5](5.md)**\n\n## Decision\n\nGo.\n",
        "# Use Go\n\n- Status: [proposed]\n\n## Decision\n\nGo.\n",
        "# Use Go\n\n## Decision\n\nGo.\n\n### State\n\nIt is kept.\n\n## Status\n\nProposed\n",
    ],
)
def test_an_adr_struck_through_or_proposed_in_brackets_is_left_out(
    tmp_path: Path, text: str
) -> None:
    made.write(tmp_path / "adr" / "0001-x.md", text)
    assert read("adr", tmp_path / "adr") == []


@pytest.mark.parametrize(
    "status",
    [
        "Superseded by [12. Use Postgres](0012-use-postgres.md)",
        "Deprecated",
        "Reverted by [discussion 7](https://example.org/discussions/7).\n\nIt is gone.",
    ],
)
def test_a_decision_record_that_no_longer_holds_is_left_out(tmp_path: Path, status: str) -> None:
    body = f"# 1. Use Go\n\n## Status\n\nAccepted\n\n{status}\n\n## Decision\n\nWe use Go.\n"
    made.write(tmp_path / "adr" / "0001-go.md", body)
    told = reading(tmp_path)
    assert list(importers()["adr"].read(tmp_path / "adr", told)) == []
    assert told.left_out["no longer in force"] == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("Accepted; supersedes ADR 3", "decision"),
        ("Accepted; supercedes ADR 3", "decision"),
        ("Accepted, superceded by ADR 12", None),
        ("Angenommen", "decision"),
        ("Remplacé par ADR 12", None),
        ("Ersetzt durch ADR 12", None),
        ("Reemplazado por ADR 12", None),
        ("已废弃", None),
        ("已接受，取代 ADR-0003", "decision"),
        ("Approved; draft removed", "decision"),
        ("Approved; the other proposal was withdrawn", "decision"),
        ("Withdrawn by the author", None),
        ("Aceptado y pendiente de implementación", "decision"),
        ("Entwurf", None),
        ("In review", None),
        ("🤔 Incomplete", None),
        ("Abgelehnt", "rejected"),
        ("Rejeté", "rejected"),
        ("却下", "rejected"),
    ],
)
@pytest.mark.parametrize("head", ["# Use UDP", "---\ntitle: 17. Use UDP\n---"])
def test_the_status_of_an_adr_is_read_in_its_language_and_without_a_title(
    tmp_path: Path, head: str, status: str, kind: str | None
) -> None:
    body = f"{head}\n\n## Status\n\n{status}\n\n## Decision\n\nNodes talk UDP.\n"
    made.write(tmp_path / "adr" / "0017-udp.md", body)
    found = [one.kind.value for one in read("adr", tmp_path / "adr")]
    assert found == ([kind] if kind else [])


def test_an_adr_keeps_code_a_foreign_date_and_its_whole_context(tmp_path: Path) -> None:
    context = " ".join(f"Reason number {n} is a good one." for n in range(100))
    body = f"""# ADR for OCR {{#adr_0003}}

Date: 26/03/2018

## Status

Accepted

## Context

{context}

## Decision

We use these ranges:

```
10.41.0.0/16
```
"""
    made.write(tmp_path / "adr" / "0003-ocr.md", body)
    made.write(tmp_path / "adr" / "0004-other.rst", "Use Redis\n=========\n")
    (found,) = read("adr", tmp_path / "adr")
    assert found.text == (
        "ADR for OCR: We use these ranges:\n```\n10.41.0.0/16\n```\n"
        f"Context: {context}\n(adr/0003-ocr.md)"
    )
    assert found.day == date(2018, 3, 26)
    assert left_out("adr", tmp_path / "adr") == {"in a format other than Markdown": 1}


def test_an_adr_keeps_sections_below_each_other_and_lines_that_begin_like_a_field(
    tmp_path: Path,
) -> None:
    made.write(
        tmp_path / "adr" / "0004-proxy.md",
        """# Use a proxy

**Entscheidungsdatum:** 18. Januar 2026

## Status

Accepted as originally proposed, see the open question in #4

## Decision

Option 4: Use Envoy as a proxy.

### Implementation

Code it.

### Timing

Answer after the write.

- **Data markers**: stay
- Status: 403 is passed on

| code | answer | log |
|---|---|---|
| 403 | | yes |

## Consequences

### Benefits

It is fast.

### Trade-offs

One more server.
""",
    )
    (found,) = read("adr", tmp_path / "adr")
    assert (found.kind, found.day) == (Kind.DECISION, date(2026, 1, 18))
    assert found.text == (
        "Use a proxy: Option 4: Use Envoy as a proxy.\n"
        "Timing:\n"
        "Answer after the write.\n"
        "- **Data markers**: stay\n"
        "- Status: 403 is passed on\n"
        "\n"
        "| code | answer | log |\n"
        "|---|---|---|\n"
        "| 403 | | yes |\n"
        "\n"
        "Consequences: Benefits:\n"
        "It is fast.\n"
        "Trade-offs:\n"
        "One more server.\n"
        "(adr/0004-proxy.md)"
    )


def test_what_does_not_fit_into_an_adr_from_elsewhere_follows_as_notes(tmp_path: Path) -> None:
    sentences = [f"Reason number {n} is a good one." for n in range(250)]
    reasons = " ".join(sentences)
    body = f"# Use Redis\n\n## Context\n\n{reasons}\n\n## Decision\n\nKeep sessions.\n"
    made.write(tmp_path / "adr" / "0001-redis.md", body)
    elsewhere = ImporterInput(root=tmp_path / "shop", names=frozenset({"shop"}))
    first, *rest = importers()["adr"].read(tmp_path / "adr", elsewhere)
    assert (first.kind, first.text) == (Kind.DECISION, "Use Redis: Keep sessions.")
    assert [one.kind for one in rest] == [Kind.NOTE, Kind.NOTE]
    assert all(one.text.startswith("Use Redis: ") for one in rest)
    whole = " ".join(one.text for one in rest)
    assert [one for one in sentences if whole.count(one) != 1] == []
    assert len({first.key, *(one.key for one in rest)}) == 3
    (found,) = read("adr", tmp_path / "adr")  # search reads the record in place
    assert found.text == "Use Redis: Keep sessions. (adr/0001-redis.md)"


TURNED_DOWN = {
    """
## Considered Options
* TanStack Query
* Redux Toolkit
* Apollo

## Decision Outcome
Chosen option: "TanStack Query", because it fits.

### Pros and Cons of the Options
#### Redux Toolkit
* Good, because known
* Bad, because a store is too much
""": ["Redux Toolkit - a store is too much", "Apollo - chosen: TanStack Query"],
    """
## Decision
Use pg-boss.

## Alternatives considered
* BullMQ on Redis: rejected, two systems
* **Cron** — we would write retries. Rejected.
* Kafka, which we may need later
""": ["BullMQ on Redis - two systems", "Cron - we would write retries"],
    """
## Options
### Option 1: Netlify (Chosen)
Easy.
### Option 2: Vercel (Rejected)
**Pros:**
- Fast

**Cons:**
- Dear
- Closed

## Decision
Netlify.
""": ["Vercel - Dear; Closed"],
    """
## Considered Options
1. One queue - simple
2. Two queues - costly

## Decision
Chosen: **Option 1**

## Pros and Cons of the Options
### A single queue
- Bad, because slow
""": ["Two queues - costly; chosen: One queue"],
    """
## Context
Options considered:

1. **Use Go**
2. **Use C** - unsafe

## Decision
Go.
""": ["Use C - unsafe; chosen: Use Go"],
    """
## Options
- **PostgreSQL with Drizzle**
- **PostgreSQL with Prisma**: large
- **PostgreSQL** as it is

## Decision
Chosen option: PostgreSQL with Drizzle
""": ["Prisma - large; chosen: PostgreSQL with Drizzle"],
    """
## Options
- Postgres
- Redis

## Decision
We use Postgres.

Not chosen: Redis, because it loses data.
""": [],
    """
## Options
- Option A: Memcached
- Option B: A small in-process cache

## Decision
Chosen option: "A small in-process cache"
""": ["Memcached - chosen: A small in-process cache"],
    """
## Options
- Postgres
- MongoDB
- ClickHouse

## Decision
Chosen option: "ClickHouse" for metrics and "Postgres" for orders, because MongoDB is slow.
""": ["MongoDB - chosen: ClickHouse"],
    """
## Options
1. React
2. Vue
3. Svelte

## Decision
Chosen options: 1 and 2
""": ["Svelte - chosen: React"],
    """
## Alternatives

### Solution 1: Reflection

Store the types.

**Good** because it is central

**Bad** because it is slow

### Solution 2: Decorators

## Decision
Chosen: Solution 2.
""": ["Reflection - it is slow"],
    """
## Alternativas
### 1. Actualización síncrona (Rechazada)
- Menos resiliente
- Acoplamiento fuerte
""": ["Actualización síncrona - Menos resiliente; Acoplamiento fuerte"],
    """
## Options
1. React
2. Vue
3. Svelte

## Decision
Chosen: Options 2 and 1.
""": ["Svelte - chosen: Vue"],
    """
## Decision
Go.

## Options
- Go
- Rust, which rejects less
""": [],
    """
## Options
1. React - known
2. React Native

## Decision
Chosen option: "React", because our site needs no app.
""": ["React Native - chosen: React"],
}
DATABASES = """
## Options
1. Postgres
2. MySQL
3. MongoDB

## Decision
Chosen option: """
NOT_POSTGRES = ["MySQL - chosen: Postgres", "MongoDB - chosen: Postgres"]
TURNED_DOWN |= {
    f"{DATABASES}{said}": expected
    for said, expected in {
        '"Postgres", as it is faster than MySQL and safer than MongoDB.': NOT_POSTGRES,
        "Postgres over MySQL and MongoDB": NOT_POSTGRES,
        "Postgres, not MySQL.": NOT_POSTGRES,
        '"Postgres" (MySQL lost data)': NOT_POSTGRES,
        "Option 1 (3 votes to 2)": NOT_POSTGRES,
        "1, 2 is too slow": NOT_POSTGRES,
        "Postgres, MySQL, MongoDB, all of them": [],
        "Postgres for orders, MySQL for metrics": NOT_POSTGRES[1:],
        "Postgres for orders and MySQL": NOT_POSTGRES[1:],
        "We prefer Postgres over MySQL": NOT_POSTGRES[1:],
    }.items()
}


@pytest.mark.parametrize(("text", "expected"), TURNED_DOWN.items())
def test_options_that_an_adr_turned_down_are_rejected(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    made.write(tmp_path / "adr" / "0001-x.md", f"# Use Go\n\n## Status\n\nAccepted\n\n{text}")
    (kind, _), *others = said(read("adr", tmp_path / "adr"))
    told = [(kind, one.removesuffix("(adr/0001-x.md)").rstrip()) for kind, one in others]
    assert (kind, told) == ("decision", [("rejected", one) for one in expected])


def test_an_adr_keeps_sections_of_any_name(tmp_path: Path) -> None:
    made.write(
        tmp_path / "adr" / "0001-x.md",
        """---
status: accepted
date: { 2024-05-02 }
---

# Use Multus

## Question

Which plugin?

## Decision

Details:

- only the thick one

  ```sql
  -- one table
  CREATE TABLE a
  ```

## Key considerations:

- It must be kept

## Considered Options

- thin

## Related

- Issue #1: the origin
- Issue [#2](https://example.org/2) — the statement
""",
    )
    (found,) = read("adr", tmp_path / "adr")
    assert found.text == (
        "Use Multus: Details:\n"
        "- only the thick one\n"
        "  ```sql\n"
        "  -- one table\n"
        "  CREATE TABLE a\n"
        "  ```\n"
        "\n"
        "Question: Which plugin?\n"
        "Key considerations: It must be kept\n"
        "Options: thin\n"
        "(adr/0001-x.md)"
    )
    assert found.day == date(2024, 5, 2)


@pytest.mark.parametrize(("told", "count"), [("src/records", 1), ("../other", 0), ("a\0b", 0)])
def test_the_folder_that_adr_tools_uses_is_found_inside_the_repository(
    tmp_path: Path, told: str, count: int
) -> None:
    for folder in ("shop/src/records", "other"):
        made.write(tmp_path / folder / "0001-x.md", "# X of it\n\n## Decision\n\nUse X for all.\n")
    made.write(tmp_path / "shop" / ".adr-dir", f"{told}\n")
    around = Surroundings(root=tmp_path / "shop", home=tmp_path, environment={})
    there = [one for one in importers()["adr"].places(around) if one.is_dir()]
    assert len(there) == count


def test_a_day_that_could_be_a_month_is_not_guessed() -> None:
    assert wording.day("03/04/2018") is None
    assert wording.day("03.04.2018 (draft)") == date(2018, 4, 3)


def test_a_form_of_an_adr_is_no_decision(tmp_path: Path) -> None:
    for status in ("Proposed | Accepted | Superseded", "Proposed / Accepted / Superseded"):
        made.write(tmp_path / "a" / "x.md", f"# Some title here\n\n## Status\n\n{status}\n")
        assert read("adr", tmp_path / "a") == []


def test_a_memory_bank_gives_what_its_headings_tell(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    made.write(
        bank / "activeContext.md",
        "# Active Context\n\n## Current Focus\n\n- Working on the login page\n\n"
        "## Recent Changes\n\n- [2025-06-01 12:00:00] - Moved the cart into its own module\n\n"
        "## Next Steps\n\n- Write the tests for refunds\n- [x] Rename the workers\n\n"
        "## Open Questions\n\n- Which currency comes next?\n",
    )
    made.write(
        bank / "systemPatterns.md",
        "# System Patterns\n\nThe cart talks to the stock over events.\n\n"
        "## Overview\n\nIt is a shop with a cart.\n",
    )
    made.write(
        bank / "progress.md",
        "# Progress\n\n## Known Issues\n\n- The stock is counted twice on retries\n- None\n\n"
        "Last updated: 2025-06-01\n\nThese are the issues that remain:\n",
    )
    made.write(bank / "projectbrief.md", "# Brief\n\n## Goals\n\n- (add your goals)\n\nShort.\n")
    made.write(bank / "productContext.md", "# Product\n\nPeople want to buy things here.\n")
    memories = read("memory-bank", bank)
    assert said(memories) == [
        ("note", "Current Focus: Working on the login page"),
        ("progress", "Moved the cart into its own module"),
        ("todo", "Write the tests for refunds"),
        ("progress", "Rename the workers"),
        ("note", "Open Questions: Which currency comes next?"),
        ("note", "People want to buy things here."),
        ("problem", "The stock is counted twice on retries"),
        ("note", "The cart talks to the stock over events."),
        ("note", "Overview: It is a shop with a cart."),
    ]
    assert memories[1].day == date(2025, 6, 1)
    assert left_out("memory-bank", bank) == {"without content": 1}


LOG = """# Decision Log

This file records architectural decisions using a list format.
2025-08-25 07:59:10 - Log of updates made.

## Decision

* Adopt a local-first architecture
*

## Rationale

* No network is needed for it.

## Implementation Details

* Frontend: whatever is at hand

[2025-08-25 07:59:10] - Initialized Decision Log and its first entry.
[2025-08-26 08:19:34] - Keep the state in the browser
- Decision: Proceed with one route a tool
- Scope:
  - the first tool
"""
PROGRESS = """# Progress

## Status

- Created `projectbrief.md`
- ✅ The search is fuzzy now
- 🔄 Collections of tools
- Phase 2: Providers - pending
"""


def test_a_decision_log_gives_decisions_and_nothing_about_itself(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    made.write(bank / "decisionLog.md", LOG)
    made.write(bank / "progress.md", PROGRESS)
    memories = read("memory-bank", bank)
    assert said(memories) == [
        (
            "decision",
            (
                "Adopt a local-first architecture - No network is needed for it.\n"
                "Implementation Details: Frontend: whatever is at hand"
            ),
        ),
        (
            "decision",
            (
                "Keep the state in the browser: Proceed with one route a tool\n"
                "Scope:\n"
                "- the first tool"
            ),
        ),
        (
            "note",
            (
                "Status:\n"
                "- Created `projectbrief.md`\n"
                "- ✅ The search is fuzzy now\n"
                "- 🔄 Collections of tools\n"
                "- Phase 2: Providers - pending"
            ),
        ),
    ]
    assert memories[1].day == date(2025, 8, 26)


JOURNAL = """# Prices

## Fixes

### Rounding

**File**: `src/cart.py` (new)

- Round at the end, once

### Parsing

- **File**: `src/price.py`
- **Fix**: Read the comma as a point

**Why it was hard to find:**
- No test had a comma
- The log was silent

Call it so:

```python
price("1,5")
```

## Completed

### Names

- `total` (was: sum)

## Key Decisions Made

1. ✅ **Cents**: No floats for money

### Currency

- **Decision**: One currency a cart
- **Rationale**: The bank wants it

## What users see

- ❌ The page jumps
- ...
"""


def test_a_memory_bank_keeps_what_belongs_together(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    made.write(bank / "journal" / "prices.md", JOURNAL)
    assert said(read("memory-bank", bank)) == [
        ("note", "Fixes: Rounding: **File**: `src/cart.py` (new): Round at the end, once"),
        (
            "note",
            (
                "Fixes: Parsing:\n"
                "- **File**: `src/price.py`\n"
                "- **Fix**: Read the comma as a point\n"
                "\n"
                "**Why it was hard to find:**\n"
                "- No test had a comma\n"
                "- The log was silent\n"
                "\n"
                "Call it so:\n"
                "```python\n"
                'price("1,5")\n'
                "```"
            ),
        ),
        ("progress", "Names: `total` (was: sum)"),
        ("decision", "**Cents**: No floats for money"),
        ("decision", "Currency: One currency a cart - The bank wants it"),
        ("note", "What users see: ❌ The page jumps"),
    ]


def test_a_memory_bank_loses_no_section_and_no_quotation(tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "activeContext.md",
        """# Active Context

## Current Focus

Search.

### Root cause

- The trigger fires on stale zones

## **Security:**

> Never commit from the agent.

## Incomplete

- The exporter still lacks paging
""",
    )
    log = (
        "# Log\n\n- **Decision:** Keep `memory-bank/issueLog.md` apart\n- **Rationale:** It grows\n"
    )
    made.write(tmp_path / "memory-bank" / "decisionLog.md", log)
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        ("note", "Current Focus: Root cause: The trigger fires on stale zones"),
        ("note", "Security: Never commit from the agent."),
        ("note", "Incomplete: The exporter still lacks paging"),
        ("decision", "Keep `memory-bank/issueLog.md` apart - It grows"),
    ]


TASKS = """# TASK ARCHIVE: Paging

## Summary

The memory bank is set up. Pages have 50 rows.

This file is kept by hand.

## Left to build

**Before the release:**

- [ ] Tables
  - [x] Sorting of the rows
  - [ ] Sticky header of the table
- [x] Export of the rows

Then we ship.

## Testing status

- [x] Unit tests of paging
- [ ] Load tests of paging

## 6. 学びと洞察 (Learnings & Insights)

- 索引は並べ替えより先に作る

## Known Issues and Limitations

| Where | What |
| ----- | ---- |
| Safari | The header jumps |
| Firefox | The header is late |

Nobody has reported them yet.

## Key Technical Decisions

1. Cursors, not offsets

### Cache Patterns

- Pages are cached by cursor
"""


def test_a_memory_bank_keeps_states_of_tasks_headings_and_lead_ins(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    made.write(bank / "archive" / "archive-7.md", TASKS)
    made.write(bank / "progress.md", "# Progress Template\n\n## What works\n\n- Feature A of all\n")
    task = "TASK ARCHIVE: Paging"
    assert said(read("memory-bank", bank)) == [
        ("note", f"{task}: Summary: The memory bank is set up. Pages have 50 rows."),
        ("todo", f"{task}: **Before the release:** Tables\n- Sticky header of the table"),
        ("progress", f"{task}: **Before the release:** Tables\n- Sorting of the rows"),
        ("progress", f"{task}: **Before the release:** Export of the rows"),
        ("note", f"{task}: Then we ship."),
        ("todo", f"{task}: Testing status: Load tests of paging"),
        ("note", f"{task}: Testing status: [x] Unit tests of paging"),
        ("learning", f"{task}: 索引は並べ替えより先に作る"),
        ("problem", f"{task}: Where: Safari; What: The header jumps"),
        ("problem", f"{task}: Where: Firefox; What: The header is late"),
        ("problem", f"{task}: Nobody has reported them yet."),
        ("decision", f"{task}: Cursors, not offsets"),
        ("note", f"{task}: Cache Patterns: Pages are cached by cursor"),
    ]
    assert left_out("memory-bank", bank) == {"without content": 1}


TOPIC = """---
name: prefer-pnpm
description: Use pnpm rather than npm in this repository
metadata:
  type: feedback
---

Use pnpm, never npm.

**Why:** npm wrote a second lock that broke the build.

**How to apply:** every install command.

See [[tooling]].
"""


def test_auto_memory_gives_facts_with_their_reasons(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    made.write(folder / "feedback_pnpm.md", TOPIC)
    made.write(
        folder / "who.md",
        "---\nname: who\ndescription: The user knows Go well\nmetadata: {type: user}\n---\n\n",
    )
    made.write(folder / "empty.md", "---\nname: x\n---\n")
    made.write(
        folder / "MEMORY.md",
        "# Memory\n\n- [Prefer pnpm](feedback_pnpm.md) - use pnpm\n\n## Ports\n\n"
        "- The mock server listens on 4010\n- These are taken:\n",
    )
    assert said(read("auto-memory", folder)) == [
        ("learning", "Ports: The mock server listens on 4010"),
        (
            "learning",
            (
                "Use pnpm rather than npm in this repository: Use pnpm, never npm.\n\n"
                "Why: npm wrote a second lock that broke the build.\n\n"
                "How to apply: every install command.\n\n"
                "See [[tooling]]."
            ),
        ),
        ("note", "The user knows Go well"),
    ]
    assert left_out("auto-memory", folder) == {"without content": 1}


def test_obsidian_gives_entries_or_the_gist_and_typed_links(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    made.write(
        vault / "Redis.md",
        '---\ntags: [db, cache]\ndate: 2025-07-01\npart-of: "[[Platform]]"\n'
        'aliases: ["[[R]]"]\n---\n\n> [!info] ![pic](a.png)\n\n'
        "Redis holds the sessions of the [[Shop|shop]]. %%hidden%%\n\nIt is small.\n",
    )
    made.write(
        vault / "2025-07-02 daily.md",
        "# Tuesday\n\ndecided: carts expire after a day #cart\n\n- gotcha: cents, not floats\n",
    )
    made.write(vault / "templates" / "daily.md", "decided: nothing at all here\n")
    made.write(vault / "Form.md", "# {{title}}\n\nA paragraph that is a form.\n")
    made.write(vault / "Untitled.md", "# Untitled\n")
    made.write(vault / ".trash" / "gone.md", "A note that was thrown away.\n")
    memories = read("obsidian", vault)
    assert said(memories) == [
        ("decision", "2025-07-02 daily: carts expire after a day #cart"),
        ("gotcha", "2025-07-02 daily: cents, not floats"),
        (
            "note",
            (
                "Redis: ![pic](a.png)\n\nRedis holds the sessions of the [[Shop|shop]].\n\n"
                "It is small."
            ),
        ),
        ("relation", "[[Redis]] part-of [[Platform]]"),
    ]
    assert memories[0].day == date(2025, 7, 2)
    assert (memories[2].tags, memories[2].day) == (("db", "cache"), date(2025, 7, 1))
    assert left_out("obsidian", vault) == {"without content": 3}


CONTAINERS = """Tags:
- [[Docker]]
---
(+)

- runs anywhere

(-)

- shares a kernel
    - issue: less apart

decided: we build with one image

| signal | number |
| ------ | ------ |
| TERM   | 15     |

## Usage

### Daily

```sh
docker run it
```

## Problems

Nobody reads prose that stands under a heading.

## Rules

Note: images are pinned

- one process each
  - no shell

## References
-
"""


def test_a_long_note_is_several_entries_and_none_of_it_is_lost(tmp_path: Path) -> None:
    sentences = [
        f"Sentence number {n} speaks of queue {n * 7} and of its workers." for n in range(99)
    ]
    sections = ["\n\n".join(sentences[at : at + 9]) for at in range(0, 99, 9)]
    body = "".join(f"## Part {n}\n\n{text}\n\n" for n, text in enumerate(sections))
    made.write(tmp_path / "notes" / "Queues.md", body)
    memories = read("markdown", tmp_path / "notes")
    assert len(memories) > 3
    assert all(len(one.text) <= wording.MOST for one in memories)
    assert all(one.text.startswith("Queues: Part ") for one in memories)
    assert len({one.key for one in memories}) == len(memories)
    whole = " ".join(one.text for one in memories)
    assert [one for one in sentences if whole.count(one) != 1] == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "Avoid\n\n```\nfind()\n```\n\nIt fails. Use:\n\n```py\nfor x in y:\n    x()\n```",
            [
                (
                    "note",
                    (
                        "Qt: Avoid\n"
                        "```\n"
                        "find()\n"
                        "```\n"
                        "It fails. Use:\n"
                        "```py\n"
                        "for x in y:\n"
                        "    x()\n"
                        "```"
                    ),
                )
            ],
        ),
        (
            "- one\n  - two\n    - three\n  - four\n- five",
            [("note", "Qt:\n- one\n  - two\n    - three\n  - four\n- five")],
        ),
        (
            "## Tasks\n\n- [x] uninstall of all\n- [ ] reload of all\n- [-] a wizard",
            [
                ("todo", "Qt: reload of all"),
                ("note", "Qt: Tasks:\n- [x] uninstall of all\n- a wizard (dropped)"),
            ],
        ),
        (
            "> [!tip] Reload\n> ### Unity\n> - cannot override\n> ### Maya\n> - can override",
            [("note", "Qt: Reload\n### Unity\n- cannot override\n\n### Maya\n- can override")],
        ),
        (
            "Tasks of the week:\n\n- paint\n  - [ ] buy red paint\n  - [x] brushes",
            [("note", "Qt: Tasks of the week:\n- paint\n  - [ ] buy red paint\n  - [x] brushes")],
        ),
        (
            "The mage walks unseen.\nTODO: update this part\nHe carries a cape.",
            [("note", "Qt: The mage walks unseen.\nTODO: update this part\nHe carries a cape.")],
        ),
        (
            "Log in:\n\n![[login.png]]\n\nThen:\n\nssh tony@app01\nsudo yum install -y nginx\nexit",
            [
                (
                    "note",
                    (
                        "Qt: Log in: ![[login.png]]\n\nThen:\n\nssh tony@app01\n"
                        "sudo yum install -y nginx\nexit"
                    ),
                )
            ],
        ),
        (
            (
                "A paragraph that its author wrapped at a width of sixty\n"
                "columns is one line, also where one of its lines\n"
                "was cut short by an edit that nobody wrapped again since\nthen."
            ),
            [
                (
                    "note",
                    (
                        "Qt: A paragraph that its author wrapped at a width of sixty\n"
                        "columns is one line, also where one of its lines\n"
                        "was cut short by an edit that nobody wrapped again since\n"
                        "then."
                    ),
                )
            ],
        ),
        (
            (
                "## Params\n\n- [ ] Tables\n  - [x] sorting of rows\n  - [ ] sticky header\n"
                "- Опыт - сколько лет\n- Город - где живёт"
            ),
            [
                (
                    "note",
                    (
                        "Qt: Params:\n"
                        "- [ ] Tables\n"
                        "  - [x] sorting of rows\n"
                        "  - [ ] sticky header\n"
                        "- Опыт - сколько лет\n"
                        "- Город - где живёт"
                    ),
                ),
            ],
        ),
        (
            "1. delete at once\n2. one long lock\n\n(The second one is slow.)",
            [("note", "Qt:\n1. delete at once\n2. one long lock\n\n(The second one is slow.)")],
        ),
        (
            "## The set was built by ourselves\n\n## Tests\n\nAll of them pass.",
            [("note", "Qt: The set was built by ourselves\n## Tests\nAll of them pass.")],
        ),
        (
            "[[<% tp.date.now() %>|Yesterday]]\n\nSlept until noon.",
            [("note", "Qt: Slept until noon.")],
        ),
        (
            "Jinja writes `{{ name }}` into the mails.",
            [("note", "Qt: Jinja writes `{{ name }}` into the mails.")],
        ),
        (
            "<< [[2024-01-01]] | [[2024-01-03]] >>\n\nSlept until noon.",
            [("note", "Qt: Slept until noon.")],
        ),
        (
            "```ad-note\ntitle: Keys\nThey **rotate** every hour.\n```\n\nSlept until noon.",
            [("note", "Qt: title: Keys\nThey **rotate** every hour.\n\nSlept until noon.")],
        ),
        (
            "## Why __init__.py and __main__.py\n\nThey start the program.",
            [("note", "Qt: Why __init__.py and __main__.py: They start the program.")],
        ),
        (
            "## **Where it runs** ✅\n\nIn the cellar, behind the door.",
            [("note", "Qt: Where it runs ✅: In the cellar, behind the door.")],
        ),
        (
            "```dataview\nlist from #a\n```\n\nSlept until noon.",
            [("note", "Qt: Slept until noon.")],
        ),
    ],
)
def test_what_a_note_is_made_of_keeps_its_meaning(
    tmp_path: Path, body: str, expected: list[tuple[str, str]]
) -> None:
    made.write(tmp_path / "vault" / "Qt.md", body)
    assert said(read("obsidian", tmp_path / "vault")) == expected


def test_a_sentence_that_announces_a_list_begins_the_next_entry_with_it(tmp_path: Path) -> None:
    body = (
        "A long sentence of the story. " * 48 + "\n\nIt has these parts:\n\n- " + "one of them " * 9
    )
    made.write(tmp_path / "vault" / "Qt.md", body)
    texts = [one.text for one in read("obsidian", tmp_path / "vault")]
    assert [text[:30] for text in texts] == [
        "Qt: A long sentence of the sto",
        "Qt: It has these parts: one of",
    ]


def test_each_part_of_a_long_list_has_its_lead_in_and_whole_items(tmp_path: Path) -> None:
    items = [f"`run {n}`: does the job number {n} and. says so." for n in range(60)]
    code = "```\n" + "call(). done\n" * 80 + "```\n"
    body = "**Use it when:**\n\n" + "".join(f"- {one}\n" for one in items) + f"\nSee:\n\n{code}"
    made.write(tmp_path / "vault" / "Qt.md", body)
    texts = [one.text for one in read("obsidian", tmp_path / "vault")]
    *lists, last = texts
    assert len(lists) == 2
    assert all(one.startswith("Qt: **Use it when:**\n- `run ") for one in lists)
    assert all(sum(item in one for one in texts) == 1 for item in items)
    assert last == "Qt: See:\n```\n" + "call(). done\n" * 80 + "```"


@pytest.mark.parametrize(
    "line",
    [
        "A  key is pressed with <kbd>K</kbd>ey <b>down</b>.",
        "![the plan](plan.png) of it, and ![[plan.png]]",
        "Set this:\n    retries: 3\n      wait: 2",
        "| a   | b <br> c |\n|---|---|\n| 1   | `x  y`   |",
        "The sum:\n\n$$\n\\begin{gather}\n\na = b. c\n\n\\end{gather}\n$$",
        "## Where **it** runs\n\nIn the cellar.",
    ],
)
def test_lines_of_a_note_are_carried_as_they_are(tmp_path: Path, line: str) -> None:
    made.write(tmp_path / "vault" / "Qt.md", f"It begins here.\n\n{line}\n")
    (one,) = read("obsidian", tmp_path / "vault")
    wanted = [part for part in line.split("\n") if part]
    assert [part for part in one.text.split("\n")[1:] if part] == wanted


def test_a_formula_is_not_divided(tmp_path: Path) -> None:
    formula = "$$\n" + "a + b; c = d. e\n" * 120 + "$$"
    made.write(tmp_path / "vault" / "Qt.md", f"It begins here.\n\n{formula}\n\nIt ends here.\n")
    assert any(formula in one.text for one in read("obsidian", tmp_path / "vault"))


@given(st.text("ab,;: .。\n", max_size=300), st.integers(3, 40))
def test_a_text_is_split_into_parts_that_fit_and_none_of_it_is_lost(text: str, most: int) -> None:
    parts = wording.split(text, most)
    assert all(len(one) <= most for one in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "body",
    [
        "## Data\n\n" + "QUJD" * 900,
        "## 概要\n\n" + "日本語の文章です" * 400,
        "Some words: " + ":" * 3_000,
        "Some words <!--" + "<!--" * 40_000,
        "Some words ![" + "![" * 40_000,
    ],
)
def test_text_without_spaces_and_open_comments_is_read_to_its_end(
    tmp_path: Path, body: str
) -> None:
    made.write(tmp_path / "vault" / "Qt.md", body)
    assert all(len(one.text) <= 1_520 for one in read("obsidian", tmp_path / "vault"))


def test_parts_of_a_note_are_known_by_their_text(tmp_path: Path) -> None:
    old = "\n\n".join(f"Fact {n} of the queue is good to know." for n in range(90))
    new = "\n\n".join(f"Fact {n} of the stack is good to know." for n in range(90))
    made.write(tmp_path / "n" / "a" / "2.md", "Another note with some text.\n")
    made.write(tmp_path / "n" / "a.md", old)
    before = {one.key: one.text for one in read("markdown", tmp_path / "n")}
    made.write(tmp_path / "n" / "a.md", f"{old}\n\n{new}")
    after = {one.key: one.text for one in read("markdown", tmp_path / "n")}
    assert [key for key, text in before.items() if after.get(key, text) != text] == []
    whole = " ".join((before | after).values())
    assert [n for n in range(90) if f"Fact {n} of the stack" not in whole] == []


ROO = """# Decision Log

## Decision

*   [2025-04-01 19:35:46] Pause the clean-up of `climate.py`.

## Rationale

*   The rest renames most names.
*   That is risky.

## Implementation Details (Plan)

*   Deferred.

---

## Decision

*   [2025-04-02 10:00:00] Tag releases by a script.

## Rationale

*   Tagging by hand went wrong.
"""


def test_each_decision_of_a_log_keeps_the_reason_below_its_own_heading(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", ROO)
    memories = read("memory-bank", tmp_path / "memory-bank")
    assert said(memories) == [
        (
            "decision",
            (
                "Pause the clean-up of `climate.py`.\nRationale:\n"
                "- The rest renames most names.\n- That is risky.\n\n"
                "Implementation Details: Deferred."
            ),
        ),
        ("decision", "Tag releases by a script - Tagging by hand went wrong."),
    ]
    assert [one.day for one in memories] == [date(2025, 4, 1), date(2025, 4, 2)]


CODE_MODE = """# Decision Log

---
### Decision (Code)
[2025-06-01 12:00:00] - Switch to httpx

**Rationale:**
requests has no async; it blocks the loop.

**Details:**
Replace the session in client.py

---
### Decision (Code)
[2025-06-02 12:00:00] - Pin numpy below two

**Rationale:**
pandas crashes at import with two.
"""


def test_decisions_of_a_mode_keep_their_own_reasons(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", CODE_MODE)
    memories = read("memory-bank", tmp_path / "memory-bank")
    first, second = (text for _, text in said(memories))
    assert first.startswith("Switch to httpx - requests has no async; it blocks the loop.")
    assert "Replace the session in client.py" in first
    assert second == "Pin numpy below two - pandas crashes at import with two."
    assert [one.day for one in memories] == [date(2025, 6, 1), date(2025, 6, 2)]


def test_minutes_with_a_decision_are_no_decision_record(tmp_path: Path) -> None:
    body = (
        '---\nrelated: "[[Storage]]"\n---\n# Queue choice\n\n'
        "gotcha: the broker drops 1 MB -> split\n\n## Context\n\nEvents get lost.\n\n"
        "## Decision\n\nUse Kafka.\n\n## Tasks\n\n- [ ] order the cluster\n"
    )
    made.write(tmp_path / "vault" / "Rec.md", body)
    found = said(read("obsidian", tmp_path / "vault"))
    assert ("gotcha", "Rec: the broker drops 1 MB -> split") in found
    assert ("todo", "Rec: order the cluster") in found
    assert ("relation", "[[Rec]] related [[Storage]]") in found


DATED = """# Decision Log

创建时间：2025-08-02 12:51:50 CST

[2025-08-02 14:29:37] - Write the notes in one language
- Reason: that of the team
- Impact: new notes too
- See `decisionLog.md`

[2025-08-03 10:00:00] - Keep one table of prices
- Reason: two went apart
"""


def test_a_list_below_a_dated_line_of_a_log_belongs_to_it(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", DATED)
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        (
            "decision",
            (
                "Write the notes in one language - that of the team\n"
                "Impact: new notes too\n"
                "See `decisionLog.md`"
            ),
        ),
        ("decision", "Keep one table of prices - two went apart"),
    ]


BANK = """# Active Context

## Evolution of Decisions

- **Place of the button**: moved to the page of the alliance
- [2025-04-26] Units are loaded on demand

[2025-04-27] The forum keeps its ids

## DEV-007: Prefetching

### Why We Reverted

- Impact: the scanner hangs
- Archive: [note](.cursor/memory-bank/archive/7.md)

## Next Steps

- ✅ Page "About"
- Page "Help"
"""


def test_a_memory_bank_keeps_undated_items_all_headings_and_ticks(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "activeContext.md", BANK)
    found = said(read("memory-bank", tmp_path / "memory-bank"))
    told = " | ".join(text for _, text in found)
    assert "Place of the button" in told
    assert "The forum keeps its ids" in told
    assert "DEV-007: Prefetching: Why We Reverted" in told
    assert "Archive: " in told
    assert ("progress", 'Page "About"') in found
    assert ("todo", 'Page "Help"') in found


RECORD = """---
status: accepted
---
# ADR-0008: Explicit outbox

## Contexto

Events were lost.

## Decisión

Write an outbox table.

## Opciones consideradas

### Kafka

**Ventajas**: known. **Por qué no**: 400 MB more.
"""


def test_a_decision_record_in_a_vault_is_one_decision(tmp_path: Path) -> None:
    made.write(tmp_path / "vault" / "0008-outbox.md", RECORD)
    ((kind, text),) = said(read("obsidian", tmp_path / "vault"))
    assert kind == "decision"
    assert text.startswith("Explicit outbox: Write an outbox table.\nContexto: Events were lost.")
    assert "400 MB more" in text


def test_a_wrapped_sentence_stands_on_the_first_line_and_paragraphs_stay_apart() -> None:
    wrapped = (
        "The roster of a campaign has two faults\nat once: doubles, and gaps.\nNo bot uses it."
    )
    made_of = [
        (f"Roster: {wrapped}\n\nSee above.", "has two faults at once: doubles, and gaps."),
        ("Magic: Colour based magic\nGenes decide the colour of the eyes", "Colour based magic"),
        ("Ends here.\nThe next sentence is longer than the first.", "Ends here."),
        ("日本語 版の説明が\n必要になった", "日本語 版の説明が必要になった"),
        ("我们在生产环境中使用\nRedis 作为缓存", "我们在生产环境中使用 Redis 作为缓存"),
        (f"{'In any use ' * 5}never\n**delete columns**\nbefore a release.", "before a release."),
    ]
    for text, end in made_of:
        entry, below = additions.imported(Kind.NOTE, text, "vault:a", Settings()) or (None, "")
        assert entry is not None
        line = additions.line_of(entry, Settings(), below).split("\n")[0]
        assert line.endswith(f"{end} [from:: vault:a]"), line


def test_a_record_in_an_unknown_language_is_a_note_and_a_title_is_not_repeated(
    tmp_path: Path,
) -> None:
    body = "# Kutumia Redis\n\n## Uamuzi\n\nTunatumia Redis.\n\n## Sababu\n\nNi ya haraka.\n"
    made.write(tmp_path / "docs" / "adr" / "0001-redis.md", body)
    made.write(tmp_path / "docs" / "adr" / "miongozo.md", body)  # no record's name
    told = read("adr", tmp_path / "docs" / "adr")
    text = "Kutumia Redis: Uamuzi: Tunatumia Redis.\nSababu: Ni ya haraka.\n(adr/0001-redis.md)"
    assert said(told) == [("note", text)]
    named = tmp_path / "v" / "Sku Repetido Nao E Bug.md"
    made.write(named, "# SKU Repetido Não é Bug\n\nFalta o dado na origem.\n")
    assert said(read("obsidian", named.parent))[0][1].count("Bug") == 1


def test_entries_of_a_note_keep_the_lead_in_and_an_index_stays_in_the_note(tmp_path: Path) -> None:
    body = (
        "## Decisions\n\nFor the shop:\n\n- Cents, not floats\n"
        "- [[oauth-stub]] - why it is stubbed\n"
        "\nIt stands between `<!-- begin` and `end -->`.\n"
    )
    made.write(tmp_path / "vault" / "Money.md", body)
    assert said(read("obsidian", tmp_path / "vault")) == [
        ("decision", "Money: For the shop: Cents, not floats"),
        (
            "note",
            (
                "Money: Decisions: For the shop: [[oauth-stub]] - why it is stubbed\n\n"
                "It stands between `<!-- begin` and `end -->`."
            ),
        ),
    ]


def test_signs_and_words_without_end_are_read_in_linear_time(tmp_path: Path) -> None:
    """Patterns that begin anew at each sign took minutes."""
    assert prose.plain(f"{'`' * 20_000} a <!-- b --> c").endswith("` a c")
    word = "A" * 100_000
    bank = tmp_path / "memory-bank"
    made.write(bank / "progress.md", f"# P\n\n## Done\n\n- {word}\n- finished the login\n")
    assert "finished the login" in said(read("memory-bank", bank))[-1][1]


@pytest.mark.parametrize("flood", ["<!-- a\n", "\n", "supersedes\n"])
def test_floods_in_a_decision_record_take_time_as_they_are_long(tmp_path: Path, flood: str) -> None:
    record = "# Use Go\n\n## Status\n\nAccepted\n\n## Decision\n\nGo.\n\n## Options\n\n- Rust\n\n"
    made.write(tmp_path / "adr" / "0001-x.md", record + flood * (50_000 // len(flood)) + "x\n")
    began = time.process_time()
    assert said(read("adr", tmp_path / "adr"))[0][1].startswith("Use Go")
    assert time.process_time() - began < 5


def test_more_options_than_a_record_weighs_are_none(tmp_path: Path) -> None:
    def rejected(count: int) -> int:
        listed = "".join(f"- Tool{at} (rejected)\n" for at in range(count))
        record = "# Use Go\n\n## Status\n\nAccepted\n\n## Decision\n\nGo.\n\n## Options\n\n"
        made.write(tmp_path / "adr" / "0001-x.md", record + listed)
        return [kind for kind, _ in said(read("adr", tmp_path / "adr"))].count("rejected")

    assert [rejected(count) for count in (13, 30, 31, 600)] == [13, 30, 0, 0]


def test_addresses_of_links_do_not_make_a_note_much_longer() -> None:
    """A file of 640 KB took 10 GB."""
    far, near = f"http://{'x' * 3_000}", f"http://{'y' * 1_500}"
    defined = f"\n[far]: {far}\n[near]: {near}\n"
    found = prose.resolved("[far][]\n[near][]\n" * 10_000 + defined)
    assert found.startswith(f"[far][]\n[near]({near})\n[far][]\n")
    assert found.endswith(f"[far][]\n[near][]\n{defined}")
    assert len(found) < 600_000


def test_a_section_that_fits_into_a_line_is_not_parted(tmp_path: Path) -> None:
    body = "".join(f"## Part {at}\n\n{'word ' * 150}\n\n- end of {at}\n\n" for at in range(3))
    made.write(tmp_path / "vault" / "Long.md", body)
    found = [text for _, text in said(read("obsidian", tmp_path / "vault"))]
    assert [text.count("Part") for text in found] == [1, 1, 1]
    assert [text.endswith(f"end of {at}") for at, text in enumerate(found)] == [True] * 3


def test_an_open_task_has_its_items_once_and_no_field_of_its_own(tmp_path: Path) -> None:
    body = "- [ ] do the thing\n  - sub item [from:: a:b]\n\n`a`[from:: a:b]`b` is text"
    made.write(tmp_path / "n" / "a.md", body)
    assert said(read("markdown", tmp_path / "n")) == [
        (
            "note",
            "a:\n- [ ] do the thing\n  - sub item [ from:: a:b]\n\n`a`[ from:: a:b]`b` is text",
        ),
    ]


def test_code_too_long_for_a_line_is_left_in_the_file(tmp_path: Path) -> None:
    made.write(
        tmp_path / "vault" / "Qt.md",
        "Run this script:\n\n```\n" + "call()\n" * 1_200 + "```\n\nThen rest.",
    )
    assert said(read("obsidian", tmp_path / "vault")) == [
        ("note", "Qt: Run this script: (code in vault/Qt.md)\n\nThen rest.")
    ]


def test_a_note_keeps_its_headings_and_what_is_no_entry(tmp_path: Path) -> None:
    made.write(tmp_path / "notes" / "Containers.md", CONTAINERS)
    made.write(tmp_path / "notes" / "Links.md", "Tags:\n- [[Docker]]\n\n```sh\nls\n```\n")
    memories = read("markdown", tmp_path / "notes")
    assert said(memories) == [
        ("decision", "Containers: we build with one image"),
        (
            "note",
            (
                "Containers: Tags: [[Docker]]\n(+)\n- runs anywhere\n\n(-)\n- shares a kernel\n"
                "  - issue: less apart\n\n| signal | number |\n|---|---|\n| TERM   | 15     |\n\n"
                "## Usage\n### Daily\n```sh\ndocker run it\n```\n"
                "## Problems\nNobody reads prose that stands under a heading.\n"
                "## Rules\nNote: images are pinned\n- one process each\n  - no shell"
            ),
        ),
        ("note", "Links: Tags: [[Docker]]\n```sh\nls\n```"),
    ]
    assert left_out("markdown", tmp_path / "notes") == {}


def test_plain_files_give_what_the_parser_finds(tmp_path: Path) -> None:
    path = made.write(
        tmp_path / "notes.md", "# Notes\n\n## Decisions\n\n- Use cents over floats for totals\n"
    )
    (found,) = read("markdown", path)
    assert (found.kind, found.text) == (Kind.DECISION, "Use cents over floats for totals")
    assert found.key == f"notes:{found.key[-8:]}"
    assert [one.key for one in read("markdown", tmp_path)] == [found.key]


def test_what_is_settled_there_stays_in_the_note(tmp_path: Path) -> None:
    made.write(
        tmp_path / "n" / "a.md",
        "# Log\n\nproblem: the cart loses items\n\n- [x] problem: the disk is full again\n",
    )
    made.write(tmp_path / "n" / "b.md", "# Log\n\n- [x] problem: the lamp is broken again\n")
    assert said(read("markdown", tmp_path / "n")) == [
        ("problem", "Log: the cart loses items"),
        ("note", "Log: [x] problem: the disk is full again"),
        ("note", "Log: [x] problem: the lamp is broken again"),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2025-05-01: The login works", ("2025-05-01", "The login works")),
        ("2025-05-02 Tests pass", ("2025-05-02", "Tests pass")),
        ("2025-05-03: 3 servers", ("2025-05-03", "3 servers")),
        ("[2024-05-01 10:00:00 UTC] - x", ("2024-05-01", "x")),
        ("2024-05-01 10:00 AM - y", ("2024-05-01", "y")),
        ("2024-05-01 (Anna): z", ("2024-05-01", "(Anna): z")),
        ("🚀 **2025-05-01**: z", ("2025-05-01", "z")),
        ("**2025-05-01: Title** text", ("2025-05-01", "**Title** text")),
        ("~~**2025-05-02** z~~", ("2025-05-02", "~~z~~")),
        ("2024-05-01: **Bold** text", ("2024-05-01", "**Bold** text")),
        ("[2024-05-03](adr/1.md) Use", ("", "[2024-05-03](adr/1.md) Use")),
        ("2024-05-01-foo.md is old", ("", "2024-05-01-foo.md is old")),
        ("**2026-02-01:** Use it", ("2026-02-01", "Use it")),
        ("**2026-02-01 -** Use it", ("2026-02-01", "Use it")),
        ("2026-02-01: [[Redis]] is the cache", ("2026-02-01", "[[Redis]] is the cache")),
        ("[2026-02-01]Use it", ("2026-02-01", "Use it")),
        ("[2026-02-01 10:00:00]使用Redis", ("2026-02-01", "使用Redis")),
        ("2026-02-01，使用Redis", ("2026-02-01", "使用Redis")),
        ("[2026-02-01 v2.3.0] fixed", ("2026-02-01", "[v2.3.0] fixed")),
        ("[2026-02-01 14:00 Europe/Berlin] - fixed", ("2026-02-01", "fixed")),
        ("[2026-02-01 14:00:10 GMT+8] - fixed", ("2026-02-01", "fixed")),
        ("[2026-02-01 - Roo] - fixed", ("2026-02-01", "[Roo] fixed")),
        ("[[2026-02-01 Meeting]] is over", ("", "[[2026-02-01 Meeting]] is over")),
        ("2024-05-01", ("2024-05-01", "")),
    ],
)
def test_only_the_date_is_cut_from_a_dated_line(line: str, expected: tuple[str, str]) -> None:
    assert wording.dated(line) == expected


def bank_of(path: Path, **files: str) -> list[tuple[str, str]]:
    for name, text in files.items():
        made.write(path / "memory-bank" / f"{name}.md", text)
    return said(read("memory-bank", path / "memory-bank"))


MOMENTS = """# Decision Log

[2025-08-17 11:21:20] - **Keep Streamlit**

## Decision
Keep the user interface in Streamlit.

## Rationale
- It is fast enough.

## Usage Examples
- `make ui`

## Impact
- Nothing moves.

[2025-08-18 07:52:27] - Content gate
**Decision:** Check content in the reader
**Rationale:** Bad pages came through
[2025-08-19 10:00:00] - Use uv for builds
"""


def test_headings_below_a_dated_line_belong_to_its_record(tmp_path: Path) -> None:
    assert bank_of(tmp_path, decisionLog=MOMENTS) == [
        (
            "decision",
            (
                "Keep Streamlit: Keep the user interface in Streamlit - It is fast enough.\n"
                "Impact: Nothing moves.\n"
                "Usage Examples: `make ui`"
            ),
        ),
        ("decision", "Use uv for builds"),
        ("decision", "Content gate: Check content in the reader - Bad pages came through"),
    ]


def test_a_bank_keeps_emphasised_dates_code_and_what_is_done(tmp_path: Path) -> None:
    long = "module { x = add y }\n" * 400
    active = (
        "# Now\n\n## Current\n\n🚀 **2025-05-01**: The login works.\n\n## Next Steps\n\n"
        "- 🎨 **Forms**:\n  - ✅ Method one\n  - ✅ Method two\n- Write the manual\n\n"
        f"## Commands\n\n```sh\nmake all\n```\n\n## Definition\n\n```mlir\n{long}```\n"
        "\n## Known Problems (solved)\n\n- Safari lost the login\n"
        "\n## Log\n\n- 2025-05-02: Did it\n  - [x] a part of it\n- another item\n"
    )
    found = bank_of(tmp_path, activeContext=active)
    assert ("note", "Now: Current: The login works.") in found
    assert ("progress", "Now: 🎨 **Forms**:\n- ✅ Method one\n- ✅ Method two") in found
    assert ("todo", "Now: Write the manual") in found
    assert ("note", "Now: Commands:\n```sh\nmake all\n```") in found
    assert any(text.startswith("Now: Definition: (code in ") for _, text in found)
    assert ("note", "Now: Known Problems (solved): Safari lost the login") in found
    assert sum("a part of it" in text for _, text in found) == 1


def test_a_list_under_a_heading_that_only_names_a_kind_keeps_the_heading(tmp_path: Path) -> None:
    told = "# Progress\n\n## Completed\n\n- The bank is set up\n- The plan is written\n"
    ((kind, text),) = bank_of(tmp_path, progress=told)
    assert (kind, text) == ("progress", "Completed:\n- The bank is set up\n- The plan is written")


def test_a_day_in_another_language_than_english_comes_before_the_month(tmp_path: Path) -> None:
    for name, field in (("pt", "criado"), ("en", "created")):
        note = f"---\n{field}: 10/07/2026\n---\n> The tax table is wrong.\n\nIt is corrected now.\n"
        made.write(tmp_path / "v" / f"{name}.md", note)
    told = {one.place.rpartition("/")[2]: one.day for one in read("markdown", tmp_path / "v")}
    assert told == {"en.md": None, "pt.md": date(2026, 7, 10)}


def test_roos_own_sentences_about_a_file_are_no_notes(tmp_path: Path) -> None:
    text = (
        "# Product Context\n\nThis file provides an overview of the project. Initially it is based "
        "upon projectBrief.md. This file is intended to be updated.\n"
        "YYYY-MM-DD HH:MM:SS - Log of updates made will be appended.\n\n"
        "## Project Goal\n\n* Make an app for teachers\n"
    )
    assert bank_of(tmp_path, productContext=text) == [("goal", "Make an app for teachers")]


def test_a_bank_below_a_folder_without_git_is_found(tmp_path: Path) -> None:
    made.write(tmp_path / "web" / ".memory-bank" / "productContext.md", "## What\n\nTea for all.\n")
    made.write(tmp_path / "web" / "README.md", "## Decisions\n\n- Sell coffee too\n")
    assert said(read("memory-bank", tmp_path / "web")) == [("note", "What: Tea for all.")]


def adr_of(path: Path, text: str) -> list[tuple[str, str]]:
    made.write(path / "adr" / "0005-x.md", text)
    return said(read("adr", path / "adr"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Sessions\n\n## Context\n\nSlow.\n\n**Decision:** Use Redis.\n\n**Why:** Fast.\n",
            "Sessions: Use Redis - Fast.\nContext: Slow.\n(adr/0005-x.md)",
        ),
        (
            "# ADR 5: DB\n\n- **Status:** Accepted\n- **Owner:** Anna\n\nWe use Postgres.\n",
            "DB: We use Postgres.\nOwner: Anna\n(adr/0005-x.md)",
        ),
        (
            "# Redis\n\nStatus: Accepted\n\nWe keep sessions in it.\n\n## Moving\n\nAt night.\n",
            "Redis: We keep sessions in it.\nMoving: At night.\n(adr/0005-x.md)",
        ),
        (
            "# A\n\n## Context\n\n|Path|Status|\n|-|-|\n|/a|archived|\n\n## Decision\n\nDrop.\n",
            "A: Drop.\nContext:\n|Path|Status|\n|---|---|\n|/a|archived|\n\n(adr/0005-x.md)",
        ),
        (
            "## Context\n\nSo:\n\n![](h.jpg)\n\n[#7][i]\n\n## Decision\n\nYes.\n\n[i]: x.y/7\n",
            "x: Yes.\nContext: So:\n![](h.jpg)\n[#7](x.y/7)\n(adr/0005-x.md)",
        ),
        (
            "# Q\n\n**Decision:** Redis\n\n**Alternatives:**\n\n- Memcached\n- Reason: slow\n",
            "Q: Redis\nAlternatives:\n- Memcached\n- Reason: slow\n\n(adr/0005-x.md)",
        ),
        ("# U\n\n## Status\n\n承認（ADR-003 を置換）\n\n## Decision\n\nRedis\n", "U: Redis"),
    ],
)
def test_a_record_keeps_its_text_and_its_parts(tmp_path: Path, text: str, expected: str) -> None:
    [(kind, said_)] = adr_of(tmp_path, text)
    assert (kind, said_.partition(" (adr/")[0].partition(" (tmp")[0]) == ("decision", expected)


@pytest.mark.parametrize(
    ("name", "tasks", "kind"),
    [
        ("Decisions/Store.md", "", "decision"),
        ("012 Store.md", "", "decision"),
        ("RFC-0012 Store.md", "", "decision"),
        ("2024 Offsite.md", "", "note"),
        ("0930 Standup.md", "## Tasks\n\n- [ ] Order the servers\n", "todo"),
        ("decisions/Offsite.md", "## Tasks\n\n- [ ] Order the servers\n", "todo"),
    ],
)
def test_a_note_without_status_is_a_record_by_its_place(
    tmp_path: Path, name: str, tasks: str, kind: str
) -> None:
    text = f"## Context\n\nIt is slow.\n\n## Decision\n\nUse one store.\n\n{tasks}"
    made.write(tmp_path / "v" / name, text)
    assert said(read("obsidian", tmp_path / "v"))[0][0] == kind


def test_prose_below_relations_stays_in_its_note(tmp_path: Path) -> None:
    text = "## Relations\n\n- Feeds: what is used by [[Orders]] and [[Shop]].\n- Uses: nothing\n"
    made.write(tmp_path / "v" / "Stock.md", text)
    [(kind, text)] = said(read("obsidian", tmp_path / "v"))
    assert kind == "note"
    assert "Feeds: what is used by [[Orders]] and [[Shop]]" in text


def test_a_vaults_labelled_line_has_its_heading_and_types_in_its_language(tmp_path: Path) -> None:
    text = "---\ntipo: decision\n---\n## Status flag\n\n**Decision:** `status` is plain text\n"
    made.write(tmp_path / "v" / "Stock.md", text)
    assert said(read("obsidian", tmp_path / "v"))[0] == (
        "decision",
        "Stock: Status flag: `status` is plain text",
    )
    made.write(tmp_path / "w" / "Commit.md", "---\ntipo: decision\n---\nSe decreta un commit.\n")
    assert said(read("obsidian", tmp_path / "w"))[0][0] == "decision"


def test_a_cell_with_a_bar_in_code_or_a_link_is_whole(tmp_path: Path) -> None:
    text = "## Plan\n\n|step|time|\n|---|---|\n| drop `a || b` | 30 min |\n| see [[a|B]] | 1 h |\n"
    made.write(tmp_path / "v" / "Plan of it.md", text)
    [(_, found)] = said(read("obsidian", tmp_path / "v"))
    assert "| drop `a || b` | 30 min |\n| see [[a|B]] | 1 h |" in found


def test_imported_progress_resolves_nothing(shop: Memory) -> None:
    text = (
        "## Current Blockers\n\n- The split op creates 2D vectors\n\n## Done\n\n"
        "- Identified that the split op creates 2D vectors\n"
    )
    made.write(shop.project.root / "memory-bank" / "activeContext.md", text)
    shop.import_from("memory-bank")
    [hit] = shop.search("split op kind:blocker").hits
    assert (hit.entry.kind, hit.entry.status) == (Kind.BLOCKER, "blocked")


def test_records_below_a_dated_line_or_heading_stay_apart(tmp_path: Path) -> None:
    log = (
        "# 2026-02-01 Decision Log\n\n[2026-02-01 10:00:00] - Use Postgres\n"
        "**Decision:** Postgres 16 for all data\n\n## Use Kafka\n**Decision:** Kafka 3\n\n"
        "## Log lines\n\n**Decision:** each begins with the time\n\n```\n[2026-02-01] ERROR\n"
        "Reason: timeout\n```\n\n## More\n\n- 2026-02-03: [[Redis]] is the cache\n"
        "- 2026-02-04: `[tool.ruff]` holds the rules\n"
    )
    assert bank_of(tmp_path, decisionLog=log) == [
        ("decision", "Use Postgres: Postgres 16 for all data"),
        ("decision", "Use Kafka: Kafka 3"),
        (
            "decision",
            "Log lines: each begins with the time\n```\n[2026-02-01] ERROR\nReason: timeout\n```",
        ),
        ("decision", "[[Redis]] is the cache"),
        ("decision", "`[tool.ruff]` holds the rules"),
    ]


def test_labels_inside_the_sections_of_a_record_are_text(tmp_path: Path) -> None:
    text = (
        "# Redis\n\n## Context\n\nSlow.\n\nSolution: none so far.\n\n## Decision\n\nRedis 7.\n\n"
        "## Consequences\n\n- Reason: it is in memory\n"
    )
    [(_, said_)] = adr_of(tmp_path, text)
    assert said_.startswith(
        "Redis 7.\nContext: Slow.\nSolution: none so far.\nConsequences: Reason: it is in memory"
    )


def test_footnotes_code_and_what_is_indented_are_no_links() -> None:
    body = (
        "A[^1][^2] x [d][My  Docs]\n\n    y[0][1]\n\n`z[0][1]`\n\n~~~\nw[0][1]\n[d]: no\n~~~\n\n"
        '[^1]: March\n[^2]: Anna\n[1]: http://x.y\n[my docs]: <http://d.e> "T"\n'
    )
    assert prose.resolved(body) == body.replace("[d][My  Docs]", "[d](http://d.e)")


def test_a_labelled_paragraph_of_a_vault_is_whole(tmp_path: Path) -> None:
    text = (
        "# Audit\n\nMeasured.\n\n**Decision:** runs with `spawn` because a fork with no\n"
        "limit only moved the fault: it answers 503 and\nsays so.\n"
    )
    made.write(tmp_path / "v" / "Audit.md", text)
    found = said(read("obsidian", tmp_path / "v"))
    assert any("moved the fault: it answers 503 and says so." in one for _, one in found)


def test_each_labelled_line_of_a_paragraph_is_an_entry_of_its_own(tmp_path: Path) -> None:
    lines = (
        "Decided: use Redis for the cache\nhere: for sessions, too\n"
        "Rejected: Memcached because it has no persistence #cache [pinned:: true]\n"
        "Gotcha: the staging key AKIAIOSFODNN7EXAMPLE is in the vault\n"
    )
    made.write(tmp_path / "v" / "Set-up notes.md", lines)
    assert said(read("obsidian", tmp_path / "v")) == [
        ("decision", "Set-up notes: use Redis for the cache here: for sessions, too"),
        ("rejected", "Set-up notes: Memcached because it has no persistence #cache"),
        ("gotcha", "Set-up notes: the staging key [AWS access key removed] is in the vault"),
    ]


def test_a_list_of_tasks_keeps_its_kind_below_a_title_of_the_note(tmp_path: Path) -> None:
    made.write(tmp_path / "v" / "Tasks.md", "# Shop project\n\n- [ ] buy a domain for the shop\n")
    assert [kind for kind, _ in said(read("obsidian", tmp_path / "v"))] == ["todo"]


def test_records_of_a_log_that_begin_with_their_context_stay_apart(tmp_path: Path) -> None:
    log = (
        "```npm ci``` stands in each workflow.\n\n"
        "[2025-03-01 12:00:00] - Split the API\n\n## Context\nThe load differs.\n\n"
        "## Decision\nRun two services.\n\n"
        "[2025-03-02 12:00:00] - Merge the web\n\n## Context\nIt was slow.\n\n"
        "## Decision\nShip one bundle.\n"
    )
    decided = [text for kind, text in bank_of(tmp_path, decisionLog=log) if kind == "decision"]
    assert decided == [
        "Split the API: Run two services.\nContext: The load differs.",
        "Merge the web: Ship one bundle.\nContext: It was slow.",
    ]


def test_a_log_in_lower_case_is_parted_at_its_dates(tmp_path: Path) -> None:
    log = "## Log\n\n2025-03-04 added the footer\n2025-03-05 added the header\n"
    assert len(bank_of(tmp_path, progress=log)) == 2


def test_a_row_with_more_cells_than_the_head_loses_none(tmp_path: Path) -> None:
    text = "## Parts\n\n| Name | Note |\n|---|---|\n| Kafka | log | durable |\n"
    made.write(tmp_path / "v" / "Parts of it.md", text)
    [(_, found)] = said(read("obsidian", tmp_path / "v"))
    assert "log | durable" in found


def test_links_in_nested_items_and_after_longer_fences_are_resolved() -> None:
    body = "````\n```\n````\n\n- one\n    - see [the guide][g]\n\n```npm ci``` runs.\n\n[g]: http://g.e\n"
    assert "see [the guide](http://g.e)" in prose.resolved(body)


def test_a_record_whose_title_is_decision_keeps_its_labels(tmp_path: Path) -> None:
    text = (
        "# Decision\n\n## Context\n\nWe need a queue.\n\n**Decision:** Use RabbitMQ.\n\n"
        "**Status:** Accepted\n"
    )
    assert [kind for kind, _ in adr_of(tmp_path, text)] == ["decision"]


# --- folders and databases that are not as they should be ---------------------------------


def test_links_large_files_and_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    folder, outside = tmp_path / "notes", tmp_path / "outside"
    made.write(outside / "secret.md", "decided: this is outside of the folder\n")
    made.write(folder / "own.md", "decided: this is inside of the folder\n")
    made.write(folder / "empty.md", " \n")
    made.write(folder / "large.md", "decided: x " * 400_000)
    (folder / "nul.md").write_bytes(b"decided: \0 and more\n")
    (folder / "linked").symlink_to(outside)
    (folder / "linked.md").symlink_to(outside / "secret.md")
    assert [one.text for one in read("markdown", folder)] == ["own: this is inside of the folder"]
    assert left_out("markdown", folder) == {
        "links": 2,
        "too large": 1,
        "damaged": 1,
        "without content": 1,
    }


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_counted(tmp_path: Path) -> None:
    made.write(tmp_path / "notes" / "closed.md", "decided: nobody may read this\n").chmod(0)
    assert left_out("markdown", tmp_path / "notes") == {"unreadable": 1}


def test_a_graph_that_is_gone_meanwhile_is_counted(tmp_path: Path) -> None:
    assert left_out("server-memory", tmp_path / "gone.jsonl") == {"unreadable": 1}


def tree(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_a_database_in_use_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    path = made.claude_mem(tmp_path / "store" / "claude-mem.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("UPDATE observations SET narrative = 'Only in the write-ahead log.' WHERE id=1")
        db.commit()
        before = tree(path.parent)
        assert "Only in the write-ahead log." in read("claude-mem", path)[0].text
        assert tree(path.parent) == before
    before = tree(path.parent)
    assert list(before) == ["claude-mem.db"]
    assert len(read("claude-mem", path)) == 6
    assert tree(path.parent) == before


def test_a_locked_database_is_read_as_it_was_committed(tmp_path: Path) -> None:
    path = made.claude_mem(tmp_path / "claude-mem.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert len(read("claude-mem", path)) == 6
        db.execute("UPDATE observations SET narrative = 'Not committed.'")
        assert "Not committed" not in read("claude-mem", path)[0].text
        db.execute("ROLLBACK")


def test_a_copy_made_while_somebody_writes_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.sources.importers import database

    path = made.claude_mem(tmp_path / "claude-mem.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    copied: list[Path] = []
    real = shutil.copyfile

    def copyfile(source: Path, target: Path) -> None:
        real(source, target)
        if not copied:
            os.utime(source, ns=(1, 1))
        copied.append(source)

    monkeypatch.setattr(shutil, "copyfile", copyfile)
    assert len(read("claude-mem", path)) == 6
    assert copied == [path, path]
    moving = iter(range(99))
    monkeypatch.setattr(database, "_stamps", lambda _path: [(next(moving), 0)])
    assert len(read("claude-mem", path)) == 6
    assert next(moving) == 10


@pytest.mark.parametrize("damage", ["text", "other", "large", "gone", "header"])
def test_what_is_no_such_database_is_told(
    shop: Memory, tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mind.sources.importers import database

    path = made.chest(tmp_path / "chest.db")
    if damage == "text":
        path.write_bytes(b"this is no database at all, but text")
    elif damage == "other":
        path.unlink()
        made.claude_mem(path)
    elif damage == "large":
        monkeypatch.setattr(database, "LARGEST", 10)
    elif damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100] + b"x" * 4_000)
    before = tree(shop.project.folder) if damage != "gone" else {}
    with pytest.raises(NotFound if damage == "gone" else FileError):
        shop.import_from("chest-memory", path)
    assert not before or shop.project.memory.read_bytes() == before["MEMORY.md"]


def test_rows_before_a_damaged_page_are_read(tmp_path: Path) -> None:
    rows = [
        (
            "memories",
            {
                "id": number,
                "entity_id": 1,
                "layer": "learning",
                "content": f"Lesson number {number}: " + "never do that again. " * 20,
                "created_at": made.NOON,
            },
        )
        for number in range(1, 400)
    ]
    path = made.database(tmp_path / "chest.db", made.CHEST, rows)
    source = bytearray(path.read_bytes())
    source[len(source) // 2 : len(source) // 2 + 40_000] = b"\xff" * 40_000
    path.write_bytes(source)
    told = reading(path)
    memories = list(importers()["chest-memory"].read(path, told))
    assert 20 < len(memories) < 399
    assert told.left_out["damaged"] == 1


# --- into the memory ----------------------------------------------------------------------


def test_entries_stand_under_their_day_with_their_source(shop: Memory, tmp_path: Path) -> None:
    path = made.claude_mem(tmp_path / "claude-mem.db")
    done = shop.import_from("claude-mem", path)
    assert (done.count("added"), done.places) == (6, (str(path),))
    assert done.written == (".mind/MEMORY.md",)
    text = shop.project.memory.read_text(encoding="utf-8")
    assert (
        "## 2026-03-12\n- decided: SQLite over Postgres: SQLite was chosen: one file is enough. "
        "[from:: claude-mem:obs-1]\n" in text
    )
    hit = shop.search("file enough SQLite").hits[0].entry
    assert hit.text == "SQLite over Postgres: SQLite was chosen: one file is enough."
    assert (hit.fields, hit.date) == ({"from": "claude-mem:obs-1"}, date(2026, 3, 12))
    assert not any(hit.likelihood > 0.5 for hit in shop.search("claude-mem obs-1").hits)


@pytest.mark.parametrize(
    "source", ["chest-memory", "server-memory", "basic-memory", "bettermemory"]
)
def test_a_second_import_adds_nothing(shop: Memory, tmp_path: Path, source: str) -> None:
    path = tmp_path / "store"
    if source == "chest-memory":
        made.chest(path)
    elif source == "server-memory":
        relation = {"type": "relation", "from": "Auth", "to": "Redis", "relationType": "uses"}
        made.graph(path, made.entity("Auth", "service", "Auth signs tokens"), relation)
    elif source == "basic-memory":
        made.write(path / "Auth design.md", BASIC)
    else:
        made.better(path, 1, "Deploys go through the script, never by hand.")
    first = shop.import_from(source, path)
    assert first.count("added") == len(first.rows) > 0
    before = shop.project.memory.read_bytes()
    ids = {one.id for one in entries(shop)}
    again = shop.import_from(source, path)
    assert (again.count("added"), again.count("known")) == (0, len(first.rows))
    assert again.written == ()
    assert shop.project.memory.read_bytes() == before
    assert {one.id for one in entries(shop)} == ids


def test_what_was_edited_or_forgotten_here_does_not_come_back(
    shop: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "WINDOW_SECONDS", 0.0)  # the edit is a person's, of another day
    path = made.claude_mem(tmp_path / "claude-mem.db")
    shop.import_from("claude-mem", path)
    text = shop.project.memory.read_text(encoding="utf-8")
    edited = text.replace("Dead jobs are tried again after a minute.", "We gave up on all this.")
    assert edited != text
    shop.project.memory.write_text(edited, encoding="utf-8")
    shop.forget(shop.search("Safari cookies").hits[0].entry.id, "not true any more")
    corrected = shop.search("refresh token").hits[0].entry
    shop.update(corrected.id, "The client sends the refresh token only once now.")
    before = shop.project.memory.read_bytes()
    again = shop.import_from("claude-mem", path)
    assert (again.count("known"), again.count("added")) == (6, 0)
    assert shop.project.memory.read_bytes() == before
    reasons = {row.key: row.reason for row in again.rows}
    assert reasons["claude-mem:obs-8"] == "already imported, then archived"


def test_a_drawing_in_a_vault_is_no_note(tmp_path: Path) -> None:
    text = "---\nexcalidraw-plugin: parsed\n---\nSwitch to EXCALIDRAW VIEW\n\n# Text\nField ^O2b\n"
    made.write(tmp_path / "vault" / "Field.excalidraw.md", text)
    assert read("obsidian", tmp_path / "vault") == []
    assert left_out("obsidian", tmp_path / "vault") == {"drawings": 1}


def test_a_forgotten_relation_does_not_come_back(shop: Memory, tmp_path: Path) -> None:
    path = made.chest(tmp_path / "chest.db")
    shop.import_from("chest-memory", path)
    assert "- [[Checkout]] depends-on [[Stripe]] [from:: chest-memory:edge-1]" in lines(shop)
    related = next(one for one in entries(shop) if one.kind is Kind.RELATION)
    assert related.text == "[[Checkout]] depends-on [[Stripe]]"
    shop.forget(related.id, "it is Adyen now")
    assert shop.import_from("chest-memory", path).count("added") == 0


def test_what_memory_says_and_what_was_forgotten_by_its_words(shop: Memory, tmp_path: Path) -> None:
    shop.log("Deploys go through the script, never by hand", "learning")
    shop.log("The API runs on port 8443", "learning")
    shop.forget(shop.search("API port").hits[0].entry.id, "it is 9443")
    folder = tmp_path / "store"
    made.better(folder, 1, "Deploys go through the script, never by hand.")
    made.better(folder, 2, "The API runs on port 8443")
    made.better(folder, 3, "Refunds are paid in the currency of the order.")
    made.better(folder, 4, "Refunds are paid in the currency of the order")
    done = shop.import_from("bettermemory", folder)
    assert [row.outcome for row in done.rows] == ["known", "refused", "known", "added"]
    assert done.rows[1].reason == "forgotten on 2026-11-20: it is 9443"


def test_credentials_are_refused_without_an_echo(
    shop: Memory, tmp_path: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made.graph(
        tmp_path / "memory.jsonl",
        made.entity("Deploy", "note", f"The token is {KEY}", "Deploys run at night"),
        made.entity(KEY, "note", "The name of this one is a token"),
    )
    monkeypatch.chdir(shop.project.root)
    for options in ([], ["--dry-run"], ["--json"]):
        code, out, err = mind("import", "server-memory", str(path), *options)
        assert code == 0
        assert KEY not in out + err
    assert "contains a credential (GitHub" in out
    assert KEY not in shop.project.memory.read_text(encoding="utf-8")
    assert len(lines(shop)) == 1


API_KEYS = """# API keys

gotcha: the rotation job runs only on Mondays -> rotate by hand before

## Decisions

- Keep them in Vault, not in the env files
- Rotate once per quarter

## Tasks

- [ ] tell the team about the rotation
"""


@pytest.mark.parametrize("name", ["API keys.md", "Passwords.md", "password/reset-flow-2024.md"])
def test_a_name_that_speaks_of_secrets_makes_no_credential_of_its_key(
    shop: Memory, tmp_path: Path, name: str
) -> None:
    vault = tmp_path / "vault"
    made.write(vault / name, API_KEYS)
    done = shop.import_from("obsidian", vault)
    assert (done.count("added"), done.count("refused")) == (4, 0)
    assert secrets.find(shop.project.memory.read_text("utf-8")) == []
    assert shop.import_from("obsidian", vault).count("added") == 0


def test_what_only_looks_like_an_origin_can_be_a_credential() -> None:
    assert secrets.find("The staging database [from:: ops, password: 20240131] runs")


def test_what_may_not_be_true_for_long_comes_in(shop: Memory, tmp_path: Path) -> None:
    made.better(tmp_path / "store", 1, "We do the deploy by hand for now.")
    done = shop.import_from("bettermemory", tmp_path / "store")
    assert done.count("added") == 1


def test_a_text_cannot_pass_for_a_mark(shop: Memory, tmp_path: Path) -> None:
    text = "Fixed [pinned:: yes] by hand [from:: adr:1] and <!-- MIND:END --> never again ^abc123"
    made.better(tmp_path / "store", 1, text)
    shop.import_from("bettermemory", tmp_path / "store")
    entry = next(one for one in entries(shop) if "Fixed" in one.text)
    assert entry.fields == {"from": "bettermemory:01M7Z4ZKXBPE9Y2T71BSBKBX01"}
    assert entry.id != "abc123"
    assert "MIND:END" not in entry.text
    assert shop.import_from("bettermemory", tmp_path / "store").count("added") == 0


def test_a_key_says_nothing_about_an_entry(shop: Memory, tmp_path: Path) -> None:
    problem = made.write(tmp_path / "n" / "x-fixed.md", "# Log\n\nproblem: the cart loses items\n")
    shop.import_from("markdown", problem.parent)
    entry = next(one for one in entries(shop) if "cart" in one.text)
    assert entry.fields["from"].startswith("markdown:x-fixed:")
    assert entry.status is not None
    assert entry.status.value == "open"


def test_only_allowed_tags_come_in(shop: Memory, tmp_path: Path) -> None:
    shop.project.config.write_text('{"scopes.allowed": ["db"]}', encoding="utf-8")
    project = shop.project.anew()
    made.better(tmp_path / "store", 1, "The index is rebuilt at night.", scopes="[db, other]")
    with closing(Memory(project, clock=shop.now)) as memory:
        memory.import_from("bettermemory", tmp_path / "store")
        (line,) = lines(memory)
    assert "at night. #db [from::" in line


def test_what_came_from_elsewhere_does_not_expire(shop: Memory, tmp_path: Path) -> None:
    made.better(
        tmp_path / "store", 1, "The blue host is old.", created="2020-01-01", category="ambient"
    )
    shop.import_from("bettermemory", tmp_path / "store")
    assert not shop.tidy(dry_run=True, by_hand=False).steps
    assert not shop.tidy(dry_run=True).steps


class Stop(Exception):
    pass


def stopping(at: int) -> Callable[[str, int, int], None]:
    def told(what: str, done: int, _total: int) -> None:
        if what == "comparing" and done == at:
            raise Stop

    return told


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes of several days, of which some say the same, and some relations."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(12):
        day = f"2026-03-{1 + number % 5:02}"
        words = ("carts", "stock", "refunds", "events")[number % 4]
        made.write(
            folder / f"{number}.md",
            f"---\ntitle: Note {words}\ndate: {day}\n---\n\nThe {words} are counted at night.\n\n"
            f"- [decision] The {words} go through queue {number}\n- uses [[Part {number}]]\n",
        )
    return folder


@settings(
    deadline=None,
    max_examples=tries(5, 20),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(stops=st.lists(st.integers(0, 35), max_size=3), batch=st.integers(1, 9))
def test_a_broken_off_import_goes_on_where_it_was(  # noqa: PLR0917 - fixtures
    many: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    clock: Clock,
    stops: list[int],
    batch: int,
) -> None:
    monkeypatch.setattr(importing, "BATCH", batch)
    results = []
    for at in (stops, []):
        root = tmp_path_factory.mktemp("p") / "shop"
        root.mkdir()
        install.apply(install.plan(root))
        with closing(Memory(Project(root), clock=clock)) as memory:
            for one in at:
                with pytest.raises(Stop):
                    memory.import_from("basic-memory", many, progress=stopping(one))
            memory.import_from("basic-memory", many)
            results.append(memory.project.memory.read_bytes())
            assert memory.import_from("basic-memory", many).count("added") == 0
    assert results[0] == results[1]


def test_a_dry_run_tells_the_same_and_writes_nothing(shop: Memory, many: Path) -> None:
    before = shop.project.memory.read_bytes()
    tried = shop.import_from("basic-memory", many, dry_run=True)
    assert shop.project.memory.read_bytes() == before
    done = shop.import_from("basic-memory", many)
    assert (tried.rows, tried.written) == (done.rows, done.written)
    assert tried.dry_run


def test_progress_is_told(shop: Memory, many: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    shop.import_from("basic-memory", many, progress=lambda *told: heard.append(told))
    assert ("reading", 35, 0) in heard
    assert ("comparing", 35, 36) in heard


def test_what_is_written_meanwhile_is_met(shop: Memory, tmp_path: Path) -> None:
    made.better(tmp_path / "store", 1, "Refunds are paid in the currency of the order.")
    done = ImportReport(source="bettermemory")
    under_way = importing.ToolImport(shop.project, shop.index, False, lambda *_: None)
    memories = read("bettermemory", tmp_path / "store")
    files.append(
        shop.project.memory,
        lambda _: b"\n## 2026-03-01\nlearned: Refunds are paid in the currency of the order.\n",
    )
    under_way.run(memories, done)
    assert [row.reason for row in done.rows] == ["already in memory"]


# --- the command --------------------------------------------------------------------------


def test_the_command_lists_what_is_found_and_imports_it(
    shop: Memory, home: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.project.root)
    assert "No data of another tool found" in mind("import")[1]
    assert json.loads(mind("import", "--list", "--json")[1]) == []
    made.claude_mem(home / ".claude-mem" / "claude-mem.db")
    made.write(home / ".chest-memory" / "chest.db", "no database")
    made.write(shop.project.root / "docs" / "adr" / "0001-x.md", NYGARD)
    _, out, _ = mind("import")
    assert "claude-mem" in out
    assert "1 marked sensitive, 1 of other projects, 1 without content" in " ".join(out.split())
    assert "not a database" in out
    listed = json.loads(mind("import", "--list", "--json")[1])
    assert {one["source"]: one["memories"] for one in listed} == {
        "claude-mem": 6,
        "chest-memory": 0,
        "adr": 1,
    }
    code, out, _ = mind("import", "claude-mem", "--dry-run")
    assert code == 0
    assert out.startswith(
        f"Read {home / '.claude-mem' / 'claude-mem.db'}.\nWould add 6 from claude"
    )
    assert "  + learning" in out
    code, out, _ = mind("import", "claude-mem", "--all", "--json")
    done = json.loads(out)
    assert (done["added"], done["left_out"]) == (7, {"marked sensitive": 1, "without content": 1})
    assert done["records"][0]["key"].startswith("claude-mem:")
    code, out, _ = mind("import", "adr")
    assert "Added 1 from adr; 0 already recorded, 0 rejected." in out
    assert "Changed .mind/MEMORY.md." in out
    (hit, *_) = json.loads(mind("search", "sessions Redis", "--json")[1])
    assert hit["fields"] == {"from": "adr:0001-x"}
    assert ", from adr:0001-x" in mind("search", "sessions Redis", "--explain")[1]
    assert "adr:0001-x" in mind("show", hit["id"])[1]


NUMBERED = "# {title}\n\nDate: 2025-03-01\n\n## Status\n\n{status}\n\n## Decision\n\n{said}\n"


def test_an_import_follows_the_status_of_a_decision_record(
    shop: Memory, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.project.root)
    folder, memory = shop.project.root / "docs" / "adr", shop.project.memory
    said = "Use pg-boss.\n\n## Alternatives considered\n\n- SQS: rejected, needs an emulator"
    first = NUMBERED.format(title="3. Jobs in Postgres", status="Accepted", said=said)
    made.write(folder / "0003-jobs.md", first)
    other = NUMBERED.format(title="4. Tabs", status="Accepted", said="We use tabs, not spaces.")
    made.write(folder / "0004-tabs.md", other)
    assert "By kind: 2 decisions, 1 rejected." in mind("import", "adr")[1]
    status = "Accepted\n\nSupersedes [3. Jobs in Postgres](0003-jobs.md)"
    later = NUMBERED.format(title="7. Jobs in NATS", status=status, said="Use JetStream.")
    made.write(folder / "0007-nats.md", later)
    made.write(folder / "0004-tabs.md", other.replace("Accepted", "Deprecated"))
    before = memory.read_bytes()
    planned = mind("import", "adr", "--dry-run")[1]
    assert "Would archive 3 entries no longer in force" in planned
    assert memory.read_bytes() == before
    out = mind("import", "adr")[1]
    (new,) = (hit.entry for hit in shop.search("JetStream").hits if "NATS" in hit.entry.text)
    assert "Archived 3 entries no longer in force; `mind restore ID` undoes it." in out
    assert re.search(rf"Use pg-boss\..*: superseded by {new.id}", out)
    assert "(docs/adr/0004-tabs.md): no longer in force where it comes from" in out
    assert [word in memory.read_text("utf-8") for word in ("pg-boss", "SQS", "tabs")] == [False] * 3
    before = memory.read_bytes()
    assert "Archived" not in mind("import", "adr")[1]
    assert memory.read_bytes() == before
    mind("restore", *re.findall(r"decision (\w+) Tabs", out))
    out = mind("import", "adr")[1]
    assert ("Archived" in out, "but it was restored" in out) == (False, True)


GO = "0001-go.md"


@pytest.mark.parametrize(
    ("path", "status", "hand", "expected"),
    [
        (GO, "Superseded by ADR-9", (), "Archived 1"),
        (GO, "Accepted, superseded by ADR-9", (), "Archived 1"),
        (GO, "~~Accepted~~ Deprecated", (), "Archived 1"),
        (GO, "This record is superseded by ADR-9", (), "Archived 1"),
        (GO, "ADR-9 に置き換えられた", (), "Archived 1"),
        (GO, "Superseded by [9. Partial rewrite](9.md) as part of 2.0", (), "Archived 1"),
        (GO, "Accepted, to be superseded by ADR-9", (), ""),
        (GO, "Accepted. Replaced the old API in 2023", (), ""),
        (GO, "Accepted (partially superseded by ADR-9)", (), ""),
        (GO, "Superseded in part by ADR-9", (), ""),
        (GO, "Deprecated", ("We use Go", "We use Go 1.22"), "but its text or kind"),
        (GO, "Deprecated", (" [from::", " [pinned:: yes] [from::"), "pinned) is protected"),
        (
            GO,
            "Deprecated",
            ("[from:: adr:0001-go]", "[from:: adr:0001-go]\n  - rejected: C"),
            "(rejected) is protected",
        ),
        ("0009-c.md", "Rejected\n\nSupersedes ADR-0001", (), ""),
        ("0009-c.md", "Accepted\n\nSupersedes ADR-1 (only the part about C)", (), ""),
        ("0009-c.md", "Accepted\n\n```\nSupersedes ADR-1\n```", (), ""),
        ("0009-c.md", "Accepted\n\nSupersedes ADR-1", (), "Archived 1"),
        ("../../packages/a/docs/adr/0001-go.md", "Deprecated", (), ""),
        ("../../../other/docs/adr/0001-go.md", "Deprecated", (), ""),
    ],
)
def test_an_import_archives_only_what_ended_and_nobody_changed(
    shop: Memory,
    mind: Run,
    monkeypatch: pytest.MonkeyPatch,
    *,
    path: str,
    status: str,
    hand: tuple[str, str] | tuple[()],
    expected: str,
) -> None:
    monkeypatch.chdir(shop.project.root)
    folder, memory = shop.project.root / "docs" / "adr", shop.project.memory
    first = NUMBERED.format(title="1. Decision: Go", status="Accepted", said="We use Go.")
    made.write(folder / GO, first)
    mind("import", "adr")
    if hand:
        memory.write_text(memory.read_text("utf-8").replace(*hand), "utf-8")
    later = first.replace("1. Decision: Go", "9. C") if path[3] == "9" else first
    made.write(folder / path, later.replace("Accepted", status))
    out = mind("import", "adr", str((folder / path).parent.resolve()))[1]
    assert expected in out
    assert ("from:: adr:0001-go]" in memory.read_text("utf-8")) == ("Archived" not in expected)
    assert ("protected" in out or "text or kind" in out) == bool(hand)


QUEUE = """# 1. Use Redis for the queue

## Status

Accepted

## Context

We could use a Postgres backed queue with DelayedJob instead of Redis.

- decided: nothing yet
- [ ] ask the team

| queue | lost jobs |
|---|---|
| Kafka | none |

## Decision

We will use Sidekiq and Redis.

```sh
bundle add sidekiq
```
"""


def test_what_is_below_the_first_line_of_an_import_belongs_to_it_and_stays_as_it_is(
    shop: Memory, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.project.root)
    made.write(shop.project.root / "docs" / "adr" / "0001-queue.md", QUEUE)
    mind("import", "adr")
    said_ = "Use Redis for the queue: We will use Sidekiq and Redis."
    lines = f"""- decided: {said_} [from:: adr:0001-queue]
  ```sh
  bundle add sidekiq
  ```
  Context: We could use a Postgres backed queue with DelayedJob instead of Redis.
  - decided\\: nothing yet
  - [ ] ask the team

  | queue | lost jobs |
  |---|---|
  | Kafka | none |

  (docs/adr/0001-queue.md)
"""
    assert lines in shop.project.memory.read_text("utf-8")
    assert "Added 0 from adr; 1 already recorded" in mind("import", "adr")[1]
    (entry,) = (hit.entry for hit in shop.search("DelayedJob").hits if hit.entry.fields)
    assert entry.statement == said_
    assert "queue: Kafka; lost jobs: none" in entry.text
    assert (entry.alternatives, entry.reasoning, entry.code) == (
        (),
        "",
        ("```sh\nbundle add sidekiq\n```",),
    )
    assert lines.partition("\n")[2] in mind("show", entry.id)[1] + "\n"
    assert "DelayedJob" not in (shop.project.root / "CLAUDE.md").read_text("utf-8")
    assert "No warnings" in mind("edges", "use Redis for the job queue")[1]


WHOLE = """- decided: Use Redis for the queue. [from:: adr:1]
  - no jobs are lost [verified:: 2020-01-01]

  | queue | lost jobs |
  |---|---|
  | Kafka | none |

  ```make
  \tredis-server

  ```
  See [the record].

  [the record]: docs/adr/1.md
"""


def test_what_is_below_an_import_survives_every_change_of_its_statement(
    shop: Memory, tmp_path: Path
) -> None:
    memory = shop.project.memory
    memory.write_text(f"# Shop\n\n## 2026-01-02\n{WHOLE}- decided: Use Pg\n", "utf-8")
    _, below = WHOLE.split("\n", 1)
    entry = shop.verify(shop.search("lost jobs").hits[0].entry.id).entry
    verified = memory.read_bytes()
    assert b"[from:: adr:1] [verified:: 20" in verified
    shop.update(entry.id, "Use Valkey for the queue")
    said_ = f"- decided: Use Valkey for the queue [from:: adr:1] ^{entry.id}\n"
    assert said_ + below in memory.read_text("utf-8")
    with pytest.raises(InputError, match="already says that"):
        shop.update(entry.id, "Use Valkey for the queue")
    export = made.write(tmp_path / "shop.jsonl", shop.export().text)
    shop.restore(entry.id)
    assert memory.read_bytes() == verified
    memory.write_text("# Shop\n\n## 2026-01-02\n- decided: Use Go\n", "utf-8")
    shop.import_(export)
    assert said_ + below in memory.read_text("utf-8")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "- note: X is so. [from:: a]\n  - rejected: Y - slow\n  - [ ] todo: Z",
            "note rejected todo",
        ),
        ("- note: X is so. [from:: a]\n  - deep\n    * gotcha: Y\n  - rest", "note gotcha"),
        ("* note: X is so. [from:: a]\n  - part\n  - learned it", "note"),
        ("- **note:** X is so. [from:: a]\n  - part\n  - learned it", "note"),
        ("- [x] todo: X is so. [from:: a]\n  - part\n  - learned it", "todo"),
        ("- note: Mind writes `[from:: x]` there\n  - rejected: a file", "note rejected"),
        ("- note: X is so. [from:: a]\n\n  > said\ndecided: Y is fast", "note decision"),
        ("- note: X is so. [from:: a]\n  - part\n\n    more\ndecided: Y", "note decision"),
    ],
)
def test_a_label_begins_an_entry_of_its_own_below_an_import_too(lines: str, expected: str) -> None:
    found = parser.parse(f"## 2026-01-02\n{lines}\n".encode(), ".mind/MEMORY.md", Settings())
    assert " ".join(one.kind for one in found) == expected


@pytest.mark.parametrize(("item", "added"), [("another thing", 0), ("a thing nobody said", 1)])
def test_a_note_that_was_imported_on_one_line_is_not_imported_again(
    shop: Memory, tmp_path: Path, item: str, added: int
) -> None:
    before = "Setup: To do in the shop: paint the door; another thing"
    line = f"- note: {before} [from:: markdown:Setup:part-0a1b2c3d]\n"
    with shop.project.memory.open("a", encoding="utf-8") as memory:
        memory.write(f"\n## 2026-01-02\n{line}")
    made.write(tmp_path / "n" / "Setup.md", f"To do in the shop:\n\n- paint the door\n- {item}\n")
    report = shop.import_from("markdown", tmp_path / "n")
    assert (report.count("added"), report.count("known")) == (added, 1 - added)


def test_a_part_does_not_end_in_what_announces_the_next(tmp_path: Path) -> None:
    wall = "It is a sentence of a wall. " * 48
    announced = f"{'A longer sentence comes before it. ' * 8}It looks like this:"
    code = "call it again\n" * 9
    body = f"{wall}\n\n{announced}\n\n```\n{code}```\n"
    made.write(tmp_path / "notes" / "Walls.md", body)
    first, second = (one.text for one in read("markdown", tmp_path / "notes"))
    assert first.endswith("of a wall.")
    assert "It looks like this:\n```\ncall it" in second


def test_a_numbered_decision_keeps_its_heading_and_a_sign_its_place(tmp_path: Path) -> None:
    log = "# Log\n\n## Decision 001: Readers\n\n**Decision**: Use both\n\n**Context**: Two sorts\n"
    found = bank_of(
        tmp_path, decisionLog=log, progress="# P\n\n- Done:\n  - Types: ✅\n  - 9 pass\n"
    )
    assert ("decision", "Decision 001: Readers: Use both\nContext: Two sorts") in found
    assert ("note", "Done:\n- Types: ✅\n- 9 pass") in found


def test_each_dated_heading_of_a_diary_begins_an_entry_of_that_day(tmp_path: Path) -> None:
    body = "# Journal\n\n## 2019-11-14 Queues\n\n- [ ] one\n\n### More\n\nText of it.\n\n"
    body += "## 2019-11-19\n\nNothing happened.\n\n## Links\n\nSee the others.\n"
    made.write(tmp_path / "notes" / "log.md", body)
    found = [(str(one.day), one.text) for one in read("markdown", tmp_path / "notes")]
    assert found == [
        ("2019-11-14", "Journal: 2019-11-14 Queues: [ ] one\n### More\nText of it."),
        ("2019-11-19", "Journal: 2019-11-19: Nothing happened."),
        ("None", "Journal: Links: See the others."),
    ]


def test_the_command_tells_what_is_not_there(
    shop: Memory, tmp_path: Path, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.project.root)
    for arguments, message in (
        (["non-sense"], "neither a file nor a tool"),
        (["markdown"], "markdown has no usual place"),
        (["adr"], "nothing of adr is at"),
        (["adr", "nowhere"], "nowhere does not exist"),
        (["claude-mem", str(tmp_path)], "is not claude-mem's observations"),
        (["nonsense.jsonl"], "is not a file"),
    ):
        code, _, err = mind("import", *arguments)
        assert (code, message in err) == (2, True), err


def test_a_link_that_leads_out_of_the_project_is_no_usual_place(
    shop: Memory, tmp_path: Path
) -> None:
    made.write(tmp_path / "private" / "0001-x.md", NYGARD)
    (shop.project.root / "adr").symlink_to(tmp_path / "private")
    made.write(shop.project.root / "records" / "0001-x.md", NYGARD)
    (shop.project.root / "decisions").symlink_to(shop.project.root / "records")
    assert [one.place for one in shop.stores()] == [str(shop.project.root / "decisions")]


def test_worktrees_have_a_part_in_the_projects_store(
    repository: Path, git: Callable[..., str], clock: Clock
) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x")
    other = repository / "feature"
    git("worktree", "add", "--quiet", str(other))
    install.apply(install.plan(other))
    path = made.claude_mem(repository / "a.db", f"{repository.name}/feature")
    plain = made.claude_mem(repository / "b.db", repository.name)
    with closing(Memory(Project(other), clock=clock)) as memory:
        assert memory.import_from("claude-mem", path, dry_run=True).count("added") == 6
        assert memory.import_from("claude-mem", plain, dry_run=True).count("added") == 6


def test_a_folder_leads_to_the_file_in_it(shop: Memory, tmp_path: Path) -> None:
    made.claude_mem(tmp_path / "store" / "claude-mem.db")
    assert shop.import_from("claude-mem", tmp_path / "store").count("added") == 6


def test_places_are_those_of_the_environment_and_the_home() -> None:
    root, home = Path("/home/dev/shop"), Path("/home/me")
    bare = Surroundings(root=root, home=home, environment={}, main=Path("/home/dev/main.git"))
    assert importers()["auto-memory"].places(bare) == [
        home / ".claude/projects/-home-dev-main-git/memory",
        home / ".claude/projects/-home-dev-shop/memory",
    ]
    assert importers()["chest-memory"].places(bare) == [home / ".chest-memory/chest.db"]
    assert importers()["bettermemory"].places(bare) == [
        root / ".claude-memory",
        home / ".claude-memory",
    ]
    environment = {
        "CLAUDE_CONFIG_DIR": "~/conf",
        "CHEST_DB_PATH": "/data/c.db",
        "BETTERMEMORY_DIR": "notes",
        "BASIC_MEMORY_HOME": "~",
        "CLAUDE_MEM_DATA_DIR": " ",
    }
    named = Surroundings(root=root, home=home, environment=environment)
    assert importers()["auto-memory"].places(named) == [
        home / "conf/projects/-home-dev-shop/memory"
    ]
    assert importers()["chest-memory"].places(named)[0] == Path("/data/c.db")
    assert importers()["bettermemory"].places(named) == [root / "notes"]
    assert importers()["basic-memory"].places(named)[0] == home
    assert importers()["claude-mem"].places(named) == [home / ".claude-mem/claude-mem.db"]
    for store in importers().values():
        assert all(place.is_absolute() for place in store.places(bare))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("{root}/notes/graph.jsonl", ["notes/graph.jsonl"]),
        ("notes/graph.jsonl", ["notes/graph.jsonl"]),
        ("notes/linked.jsonl", []),
        ("{outside}", []),
        ("{root}/../outside.jsonl", []),
        ("~/outside.jsonl", []),
    ],
)
def test_the_graph_that_the_projects_mcp_settings_name_is_found_if_it_is_inside(
    tmp_path: Path, named: str, expected: list[str]
) -> None:
    root, outside = tmp_path / "shop", tmp_path / "outside.jsonl"
    made.graph(outside, made.entity("Auth", "service", "Auth signs tokens"))
    made.graph(root / "notes" / "graph.jsonl", made.entity("Auth", "service", "Auth signs tokens"))
    (root / "notes" / "linked.jsonl").symlink_to(outside)
    variables = {"MEMORY_FILE_PATH": named.format(root=root, outside=outside)}
    server = {"command": "npx", "args": ["server-memory"], "env": variables}
    made.write(root / ".mcp.json", json.dumps({"mcpServers": {"memory": server}}, indent=2))
    around = Surroundings(root=root, home=tmp_path, environment={})
    assert list(found(importers()["server-memory"], around)) == [root / one for one in expected]


def test_mcp_settings_that_lead_out_of_the_project_are_not_read(tmp_path: Path) -> None:
    graph = made.graph(tmp_path / "shop" / "graph.jsonl", made.entity("Auth", "service"))
    made.write(tmp_path / "settings.json", f'{{"MEMORY_FILE_PATH": "{graph}"}}')
    (tmp_path / "shop" / ".mcp.json").symlink_to(tmp_path / "settings.json")
    around = Surroundings(root=tmp_path / "shop", home=tmp_path, environment={})
    assert list(found(importers()["server-memory"], around)) == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"projects": {"shop": "~/notes/shop", "main": "~/main"}}, ["notes/shop"]),
        ({"projects": {"Shop": {"path": "~/a"}}, "default_project": "x"}, ["a"]),
        ({"projects": {"x": "~/x", "y": "~/y"}, "default_project": "y"}, ["y", "basic-memory"]),
        ({"projects": {"x": 1}}, ["basic-memory"]),
        ({"projects": ["x"]}, ["basic-memory"]),
        ([], ["basic-memory"]),
    ],
)
def test_basic_memorys_settings_name_the_folder_of_the_repositorys_project(
    tmp_path: Path, settings: object, expected: list[str]
) -> None:
    made.write(tmp_path / ".basic-memory" / "config.json", json.dumps(settings))
    around = Surroundings(root=tmp_path / "shop", home=tmp_path, environment={})
    places = importers()["basic-memory"].places(around)
    assert places == [tmp_path / one for one in expected]
    variables = {"BASIC_MEMORY_CONFIG_DIR": str(tmp_path / "none")}
    elsewhere = Surroundings(root=tmp_path / "shop", home=tmp_path, environment=variables)
    assert importers()["basic-memory"].places(elsewhere) == [tmp_path / "basic-memory"]


def test_worktrees_share_the_auto_memory_of_the_first(
    repository: Path, git: Callable[..., str], home: Path, clock: Clock
) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x")
    other = repository / "other"
    git("worktree", "add", "--quiet", str(other))
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(repository))
    made.write(
        home / ".claude" / "projects" / slug / "memory" / "MEMORY.md", "- Ports begin at 4010\n"
    )
    install.apply(install.plan(other))
    with closing(Memory(Project(other), clock=clock)) as memory:
        assert memory.import_from("auto-memory").count("added") == 1


# --- words --------------------------------------------------------------------------------


def test_a_wall_of_text_becomes_several_texts_with_its_title() -> None:
    wall = "It is a sentence of a wall. " * 60
    first, second = whole("The wall", f"{wall}\n\nMore of it all.")
    assert first.startswith("The wall: It is a sentence of a wall. It is")
    assert first.endswith("of a wall.")
    assert len(first) <= wording.MOST
    assert second.startswith("The wall: It is a sentence of a wall.")
    assert second.endswith("More of it all.")
    assert f"{first} {second}".count("It is a sentence") == 60
    assert wording.cut("word " * 400).endswith("word…")
    assert whole("", "") == whole("Short", "") == whole("", "TODO") == []
    code = "".join(f"step {number}\n" for number in range(900))
    parts = whole("", f"```\n{code}```")
    assert len(parts) > 1
    assert all(one.startswith("```\n") and one.endswith("\n```") for one in parts)
    assert "".join(f"{one[4:-4]}\n" for one in parts) == code


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("Title alone says it", "", "Title alone says it"),
        ("Title alone says it", "Title `alone` says it.", "Title `alone` says it."),
        ("Title alone says it", "ok", "Title alone says it: ok"),
        ("Why?", "It is what it is.", "Why? It is what it is."),
        (
            "T",
            "- one thing to do\n- another thing\n\nand text",
            "T:\n- one thing to do\n- another thing\n\nand text",
        ),
        (
            "Query",
            "```sql\nSELECT 1\nFROM slots;\n```",
            "Query:\n```sql\nSELECT 1\nFROM slots;\n```",
        ),
        ("", "- [x] moved the service\n- [ ] delete", "- [x] moved the service\n- [ ] delete"),
        ("", "---\nkind: an example\n---\nof a note", "kind: an example\n\nof a note"),
    ],
)
def test_a_memory_is_kept_with_its_code_its_boxes_and_its_title(
    title: str, body: str, expected: str
) -> None:
    assert whole(title, body) == [expected]


def whole(title: str, body: str) -> list[str]:
    return memory_text.texts(title, body, "note 1")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (made.NOON, date(2026, 3, 12)),
        (made.NOON * 1000, date(2026, 3, 12)),
        (str(made.NOON), date(2026, 3, 12)),
        ("2026-03-12T23:30:00-02:00", date(2026, 3, 13)),
        ("2026-03-12 10:00", date(2026, 3, 12)),
        ("2026-03-12", date(2026, 3, 12)),
        ("12 March, or 2026/03/12", date(2026, 3, 12)),
        ("2026-13-45", None),
        ("soon", None),
        (0, None),
        (1e30, None),
        ("", None),
        (None, None),
    ],
)
def test_days_are_read_in_every_form(value: object, expected: date | None) -> None:
    assert wording.day(value) == expected


def test_keys_are_readable_and_apart() -> None:
    assert wording.key("docs/a", "b") == "docs:a:b"
    assert re.fullmatch(r"Auth-design-[0-9a-f]{8}", wording.key("Auth design"))
    assert wording.key("Auth design") != wording.key("Auth-design")
    assert re.fullmatch(r"-?[0-9a-f]{8}", wording.key("日本"))


@given(st.lists(st.text(max_size=80), min_size=1, max_size=3))
def test_every_key_can_stand_in_a_field(parts: list[str]) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", wording.key(*parts))


def test_a_stub_says_nothing() -> None:
    for text in ("", "TODO", "n/a", "(add your stack)", "Untitled", "x" * 7, "readme"):
        assert not wording.says_something(text)
    assert wording.says_something("缓存是冷的。")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("---\na: 1\n---\nx", {"a": ["1"]}),
        ("---\r\nA: 'q: r' # c\r\nb: \"s\r\n...\r\nx", {"a": ["q: r"], "b": ["s"]}),
        ("---\nl:\n  - a\n  -\n- b\nm: [c, 'd']\n---\nx", {"l": ["a", "b"], "m": ["c", "d"]}),
        ("---\no:\n  p: 1\n  q: {r: 2, s: t}\nz: # none\n---\n", {"o.p": ["1"], "o.q.r": ["2"]}),
        ("---\nt: >\n  two\n  lines\nu: |-\n\n  v\n---\n", {"t": ["two lines"], "u": ["v"]}),
        ("---\n---\nx", {}),
        ("---\nA rule above a text, no more.\n", {}),
        ("no front matter", {}),
    ],
)
def test_front_matter_is_read(text: str, fields: dict[str, list[str]]) -> None:
    found = frontmatter.split(text).fields
    assert {name: found.get(name) for name in fields} == fields
    assert not fields or found


@pytest.mark.parametrize("text", ["---\na: 1\nx\n", "---\n# only a comment\n!\n---\nx"])
def test_broken_front_matter_is_told(text: str) -> None:
    with pytest.raises(frontmatter.FrontMatterBroken):
        frontmatter.split(text)


def test_several_texts_on_a_line_are_a_list() -> None:
    note = frontmatter.split("---\ntags: a, b\nother: c\n---\n")
    assert note.texts("tags") == ["a", "b"]
    assert note.text("none", "other") == "c"


@given(st.text(max_size=400))
def test_any_text_can_be_imported_twice(text: str) -> None:
    for note in whole("", text):
        assert len(note) <= wording.MOST
        assert wording.safe(note) == note


def test_a_second_import_of_notes_that_resemble_each_other_adds_nothing(
    shop: Memory, tmp_path: Path
) -> None:
    pick = random.Random(2)  # noqa: S311 - makes notes, not secrets
    said = "queue cache token retry worker index schema lock".split()
    notes = tmp_path / "notes"
    notes.mkdir()
    lines = ["decided: " + " ".join(pick.choices(said, k=pick.randint(3, 8))) for _ in range(500)]
    (notes / "a.md").write_text("\n\n".join(["# Notes", *lines]) + "\n", encoding="utf-8")
    assert shop.import_from("markdown", notes).count("added") > 50
    before = shop.project.memory.read_bytes()
    assert shop.import_from("markdown", notes).count("added") == 0
    assert shop.project.memory.read_bytes() == before


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("named adr_help_<command>_<subcommand>", "named adr_help_<command>_<subcommand>"),
        ("a <b>bold</b> word<br>below", "a bold word below"),
        ("<Tabs>one</Tabs> and <Note kind=x/> two", "one and two"),
        ("a list of `<br>` tags", "a list of `<br>` tags"),
        ("clone <your repo> first", "clone <your repo> first"),
        ("<section>Sell flowers", "Sell flowers"),
    ],
)
def test_placeholders_are_no_tags(raw: str, expected: str) -> None:
    assert prose.plain(raw) == expected


def test_a_credential_in_a_note_is_masked_and_the_rest_is_kept(
    shop: Memory, tmp_path: Path
) -> None:
    notes = f"# ERP\n\nBackups run at 03:00. The token is {KEY}.\n\n- Port 8443 since the move\n"
    made.write(tmp_path / "notes" / "erp.md", notes)
    done = shop.import_from("markdown", tmp_path / "notes")
    assert done.count("refused") == 0
    text = shop.project.memory.read_text(encoding="utf-8")
    assert "Backups run at 03:00" in text
    assert "Port 8443" in text
    assert KEY not in text


# --- what a review found ------------------------------------------------------------------

PLANNED = """# Progress

## What works

- 2025-08-02: Login with passkeys

## Known issues

- 2025-08-04: Export hangs on big carts

## Next steps

- [ ] 2025-09-01: Launch the beta
- [ ] 2025-09-02 Rotate the keys
"""
CONSTRAINTS = """# Active Context

## Constraints

- Node EOL: 2026-04-30
- Contract ends: 2025-12-31

## Recent Changes

*Last updated: 2025-08-04*

Created: 2025-08-02 12:57:20 CST
"""


def test_dated_items_of_a_bank_are_no_footers(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    made.write(bank / "progress.md", PLANNED)
    made.write(bank / "activeContext.md", CONSTRAINTS)
    assert sorted(said(read("memory-bank", bank))) == [
        ("note", "Constraints:\n- Node EOL: 2026-04-30\n- Contract ends: 2025-12-31"),
        ("problem", "Export hangs on big carts"),
        ("progress", "Login with passkeys"),
        ("todo", "Launch the beta"),
        ("todo", "Rotate the keys"),
    ]


LINKED = """# Shop

## Decisions

- [[SQLite]] over [[Postgres]] - one file, no server
- [[Carts]] - how they expire

## Gotchas

- [[Redis]] drops keys under memory pressure -> set maxmemory-policy
"""


def test_an_item_that_begins_with_a_link_keeps_its_kind_but_an_index_is_a_note(
    tmp_path: Path,
) -> None:
    made.write(tmp_path / "v" / "Shop.md", LINKED)
    kinds = Counter(kind for kind, _ in said(read("obsidian", tmp_path / "v")))
    assert kinds == {"decision": 1, "gotcha": 1, "note": 1}


SPRINT = """---
status: active
---
# Sprint review

## Decision

Ship on Friday without the export.

## Gotchas

- The printer jams at noon -> restart it

## Tasks

- [ ] tell the customers
"""
USE_POSTGRES = """# Use Postgres

## Context

Orders need transactions.

## Decision

We use Postgres for orders.

## Consequences

One more server to run.
"""
DETAILED = """# Brokers

Status: accepted

## Context

Shops talk to each other.

## Decision

We run three brokers.

## Details

One per zone; retention 7 days.
"""


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (SPRINT, {"gotcha": 1, "todo": 1, "note": 1}),
        (USE_POSTGRES, {"note": 1}),
        (USE_POSTGRES + "\n## Status\n\nAccepted\n", {"decision": 1}),
        ("# WSL\n\n## Problem\n\nIt stops.\n\n## Solution\n\nStart it again.\n", {"note": 1}),
    ],
)
def test_a_note_of_a_vault_is_a_record_by_its_sections(
    tmp_path: Path, text: str, kinds: dict[str, int]
) -> None:
    made.write(tmp_path / "v" / "Note.md", text)
    assert Counter(kind for kind, _ in said(read("obsidian", tmp_path / "v"))) == kinds


@pytest.mark.parametrize("name", ["adr/Postgres.md", "0012-postgres.md", "ADR 12 Postgres.md"])
def test_a_record_without_a_status_is_one_by_its_place(tmp_path: Path, name: str) -> None:
    made.write(tmp_path / "v" / name, USE_POSTGRES)
    assert [kind for kind, _ in said(read("obsidian", tmp_path / "v"))] == ["decision"]


def test_the_details_of_a_record_elsewhere_come_in(tmp_path: Path) -> None:
    made.write(tmp_path / "v" / "Brokers.md", DETAILED)
    path = tmp_path / "v"
    told = ImporterInput(root=tmp_path / "shop", names=frozenset({"shop"}))
    [(kind, text)] = said(list(importers()["obsidian"].read(path, told)))
    assert kind == "decision"
    assert text.endswith("Details: One per zone; retention 7 days.")


def test_ticks_of_rules_are_no_progress(tmp_path: Path) -> None:
    text = "# Patterns\n\n## API\n\n- ✅ All routes live in one file\n- ✅ Results are typed\n"
    made.write(tmp_path / "memory-bank" / "systemPatterns.md", text)
    assert [kind for kind, _ in said(read("memory-bank", tmp_path / "memory-bank"))] == ["note"]


REASONED = """# Decision Log

A sentence about all of them.
[2025-08-02 12:51:30] - Keep carts in Redis
- Reason: they expire
[2025-08-03 12:51:46] - Keep orders in Postgres
- Reason: they are money

[2025-08-04] - One price table

Rationale: two went apart
"""


def test_dated_lines_of_a_log_are_told_apart_without_blank_lines(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", REASONED)
    found = read("memory-bank", tmp_path / "memory-bank")
    assert [(one.kind.value, one.text, str(one.day)) for one in found] == [
        ("note", "A sentence about all of them.", "None"),
        ("decision", "Keep carts in Redis - they expire", "2025-08-02"),
        ("decision", "Keep orders in Postgres - they are money", "2025-08-03"),
        ("decision", "One price table - two went apart", "2025-08-04"),
    ]


DATED_PROGRESS = """# Progress

## Open Issues

[2025-08-02 12:51:30] - The bank exists
- Summary: the first files
- State: done

[2025-08-03 12:51:46] - The log exists
"""


def test_a_dated_line_of_any_file_of_a_bank_takes_its_list(tmp_path: Path) -> None:
    text = DATED_PROGRESS.replace("Open Issues", "Done")
    made.write(tmp_path / "memory-bank" / "progress.md", text)
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        ("progress", "The bank exists\n- Summary: the first files\n- State: done"),
        ("progress", "The log exists"),
    ]


def test_a_record_in_another_language_keeps_the_names_of_its_parts(tmp_path: Path) -> None:
    text = USE_POSTGRES.replace("Context", "Kontext").replace("Decision", "Entscheidung")
    text = text.replace("Consequences", "Konsequenzen") + "\n## Status\n\nAngenommen\n"
    made.write(tmp_path / "docs" / "adr" / "0001-x.md", text)
    [(_, found)] = said(read("adr", tmp_path / "docs" / "adr"))
    assert "Kontext: Orders need transactions.\nKonsequenzen: One more" in found


def test_markdown_files_give_no_relations(tmp_path: Path) -> None:
    text = '---\nstatus: accepted\nrelated: "[[Storage]]"\n---\n' + USE_POSTGRES
    made.write(tmp_path / "v" / "Use.md", text)
    assert [kind for kind, _ in said(read("markdown", tmp_path / "v"))] == ["decision"]


def test_a_lead_in_never_replaces_its_list(tmp_path: Path) -> None:
    lead = f"{'We talked about money for long. ' * 60}In the end:"
    text = f"# Money\n\n## Decisions\n\n{lead}\n\n- Cents as integers\n- Round at the end\n"
    made.write(tmp_path / "v" / "Money.md", text)
    found = [text for kind, text in said(read("obsidian", tmp_path / "v")) if kind == "decision"]
    assert [one.rpartition(": ")[2] for one in found] == ["Cents as integers", "Round at the end"]


# --- what readers of fresh stores found ---------------------------------------------------

FRENCH = """# Base de données

* Statut: accepté

## Contexte

Il faut garder les offres.

## Options envisagées

- Base de données relationnelle
- Fichiers

## Résultat de la décision

Option choisie : "Base de données relationnelle", parce que c'est connu.
"""


def test_a_label_that_only_begins_like_a_part_stays_in_its_section(tmp_path: Path) -> None:
    made.write(tmp_path / "adr" / "0002-base.md", FRENCH)
    [(kind, text)] = said(read("adr", tmp_path / "adr"))
    assert kind == "decision"
    assert 'Base de données: Option choisie : "Base de données relationnelle", parce' in text


LINKED_RECORD = """# Pages

Status: 2020-04-22 {status}

## Context

Reviewers need previews.

## Decision

We deploy previews to pages.

## Consequences

More branches.

## Refinement

Deploy them from one branch.

### Consequences

Fewer branches.

## Resources

- Issue: [#204](https://example.org/204)
- Related: [ADR 3](0003.md)
"""


def test_sections_of_other_names_keep_their_labels_and_parts(tmp_path: Path) -> None:
    path = made.write(tmp_path / "adr" / "0002-x.md", LINKED_RECORD.format(status="accepted"))
    [(_, text)] = said(read("adr", path.parent))
    assert "Consequences: More branches.\nRefinement: Deploy" in text
    assert "one branch.\nConsequences:\nFewer branches.\nResources:\n- Issue: [#204]" in text
    assert "Related: [ADR 3]" in text
    path.write_text(LINKED_RECORD.format(status="proposed"), encoding="utf-8")
    assert read("adr", path.parent) == []


BANK_LOG = """# Decision Log

## 2025-05-23

### Typed messages

#### Decision

- Messages are objects

#### Motivação

- Errors at compile time

#### Where it is

- `src/types.ts`

#### Notes

Agreed by all.
"""


def test_a_record_of_a_log_keeps_what_is_below_its_heading(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", BANK_LOG)
    [one] = read("memory-bank", tmp_path / "memory-bank")
    assert one.text == (
        "Typed messages: Messages are objects - Errors at compile time\n"
        "Where it is: `src/types.ts`\n"
        "Notes: Agreed by all."
    )
    assert str(one.day) == "2025-05-23"


PRODUCT = """# Contexto do Produto

## Problems It Solves

### Technical Problems

- Rules differ between environments

## Recent Changes

- Updated README.md with a table
- Detailed plan in memory-bank
- Documented the code

## Stack

- Roles: [admin, editor]
- Owner: [Anna Meier]

### Blockers

- None currently identified
"""


def test_a_bank_keeps_lists_whole_and_leaves_out_what_nobody_filled_in(tmp_path: Path) -> None:
    made.write(tmp_path / "shop" / ".memory-bank" / "productContext.md", PRODUCT)
    (tmp_path / "shop" / ".git").mkdir()
    made.write(tmp_path / "shop" / "README.md", "# Shop\n\n## Decisions\n\n- Sell things\n")
    assert sorted(said(read("memory-bank", tmp_path / "shop"))) == [
        (
            "note",
            "Contexto do Produto: Problems It Solves: Rules differ between environments",
        ),
        ("note", "Contexto do Produto: Stack:\n- Roles: [admin, editor]\n- Owner: [Anna Meier]"),
        (
            "progress",
            (
                "Contexto do Produto:\n"
                "- Updated README.md with a table\n"
                "- Detailed plan in memory-bank\n"
                "- Documented the code"
            ),
        ),
    ]


WRAPPED = """# Decision Log

- Decision: Use S3 for exports, see
  [2024-05-03](notes/2024-05-03.md) for the numbers.

2024-05-01: we moved the deadline from spring to
2024-06-15 because of the audit
"""


def test_a_sentence_wrapped_before_a_date_stays_one(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", WRAPPED)
    assert [text for _, text in said(read("memory-bank", tmp_path / "memory-bank"))] == [
        "Use S3 for exports, see [2024-05-03](notes/2024-05-03.md) for the numbers.",
        "we moved the deadline from spring to 2024-06-15 because of the audit",
    ]


BELOW = """# Active Context

## Current Focus

* Writing the importer
[2025-05-03 10:00:00] - Wrote the reader of tables
[2025-05-04 10:00:00] - Wrote the reader of lists

## Open problems (not yet solved)

- The login fails on Safari 17
"""


def test_dated_lines_below_a_bullet_come_in_once(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "activeContext.md", BELOW)
    assert sorted(said(read("memory-bank", tmp_path / "memory-bank"))) == [
        ("note", "Current Focus: Writing the importer"),
        ("note", "Current Focus: Wrote the reader of lists"),
        ("note", "Current Focus: Wrote the reader of tables"),
        ("problem", "Open problems (not yet solved): The login fails on Safari 17"),
    ]


def test_a_vault_note_has_the_kind_of_its_front_matter(tmp_path: Path) -> None:
    vault = tmp_path / "v"
    made.write(vault / "A.md", "---\ntype: gotcha\n---\nThe pool leaks when a job dies.\n")
    made.write(vault / "A2.md", "---\ntype: rejected\nstatus: rejected\n---\nA second pool.\n")
    made.write(vault / "B.md", "---\ntype: decision\nstatus: superseded\n---\nUse the old pool.\n")
    drawing = "---\n\nexcalidraw-plugin: parsed\ntags: [x]\n\n---\n# Text\nLunch and dinner\n"
    made.write(vault / "C.md", drawing)
    steps = "It goes on after the break:\nthe last ones\n3. Start the solver\n4. Check it\n"
    made.write(vault / "E.md", steps)
    assert said(read("obsidian", vault)) == [
        ("gotcha", "A: The pool leaks when a job dies."),
        ("rejected", "A2: A second pool."),
        ("note", "B: Use the old pool."),
        (
            "note",
            "E: It goes on after the break:\nthe last ones\n3. Start the solver\n4. Check it",
        ),
    ]


CLONES = """# クローンの扱い

## ステータス

{status}

## コンテキスト

重複がある。

## 決定

### クローン 1

対処不要:

理由:

- 意図的な構造

### クローン 2

共通化する:

#### 方法

- 関数に出す
"""


def test_a_reason_inside_a_section_stays_at_its_place(tmp_path: Path) -> None:
    path = made.write(tmp_path / "adr" / "0049-x.md", CLONES.format(status="承認"))
    [(kind, text)] = said(read("adr", path.parent))
    assert kind == "decision"
    assert "クローン 1:\n対処不要:\n理由:\n- 意図的な構造\n" in text
    assert "クローン 2:\n共通化する:\n方法:\n- 関数に出す" in text
    path.write_text(CLONES.format(status="廃止 → ADR-028"), encoding="utf-8")
    assert read("adr", path.parent) == []


EDITORS = """# Editor

Status: accepted

## Considered Options

### Toast UI

#### Advantages

- Small

### TipTap

#### Advantages

- Extensible

## Decision

We take TipTap (see #1480)
+ a schema of our own.
"""


def test_headings_of_options_and_wrapped_lines_are_kept(tmp_path: Path) -> None:
    made.write(tmp_path / "adr" / "0013-x.md", EDITORS)
    [(_, text)] = said(read("adr", tmp_path / "adr"))
    assert "Options: Toast UI:\nAdvantages:\n- Small\n\nTipTap:\nAdvantages:\n- Extensible" in text


LABELLED = """# Decisions

### ADR-054: A key for the origin

- **Date:** 2026-03-23
- **Context:** It crashed in landscape.
- **Options Considered:**
  1. **A fixed one** - breaks on other screens
  2. **A key**
- **Decision:** A key
- **Rationale:** It is read at tap time.
- **Trade-offs Accepted:** It falls back to zero.
"""


def test_labels_of_a_record_that_are_no_known_part_keep_their_text(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "decisionLog.md", LABELLED)
    [one] = read("memory-bank", tmp_path / "memory-bank")
    assert one.text == (
        "ADR-054: A key for the origin: A key - It is read at tap time.\n"
        "Context: It crashed in landscape.\n"
        "Trade-offs Accepted: It falls back to zero.\n"
        "Options:\n"
        "1. **A fixed one** - breaks on other screens\n"
        "2. **A key**"
    )


def test_a_ticked_part_of_an_imported_task_is_not_imported_again(
    shop: Memory, tmp_path: Path
) -> None:
    bank = tmp_path / "memory-bank" / "progress.md"
    text = "# Progress\n\n## What is left\n\n- Build billing\n  - [ ] invoices\n  - [ ] refunds\n"
    made.write(bank, text)
    assert shop.import_from("memory-bank", bank.parent).count("added") > 0
    made.write(bank, text.replace("[ ] invoices", "[x] invoices"))
    assert shop.import_from("memory-bank", bank.parent).count("added") == 0


# --- forms met in repositories of others ----------------------------------------------------


def test_parts_of_a_note_that_are_only_code_are_all_kept(shop: Memory, tmp_path: Path) -> None:
    code = (
        "```\n" + f"value_{name} = compute('{name}', retries=3)\n" * 30 + "```" for name in "abc"
    )
    made.write(tmp_path / "vault" / "Calls.md", "# Calls\n\n" + "\n\n".join(code) + "\n")
    done = shop.import_from("obsidian", tmp_path / "vault")
    assert (done.count("added"), done.count("known")) == (3, 0)
    text = shop.project.memory.read_text(encoding="utf-8")
    assert [text.count(f"value_{name}") for name in "abc"] == [30, 30, 30]
    assert len({row.id for row in done.rows}) == 3
    assert {one.id for one in shop.index_entries()} >= {row.id for row in done.rows}
    assert shop.import_from("obsidian", tmp_path / "vault").count("added") == 0


def test_links_below_the_text_of_a_note_are_part_of_it(tmp_path: Path) -> None:
    made.write(
        tmp_path / "vault" / "Donut.md",
        "[[2024-01-01]]\n\nStyles end where the content of users begins.\n\n[[css]]\n[[scope]]\n",
    )
    made.write(tmp_path / "vault" / "Map.md", "# Map\n\n[[css]]\n[[scope]]\n")
    assert said(read("obsidian", tmp_path / "vault")) == [
        ("note", "Donut: Styles end where the content of users begins.\n\n[[css]]\n[[scope]]")
    ]


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("20210716112154-ampersand", date(2021, 7, 16)),
        ("202107161121 Ampersand", date(2021, 7, 16)),
        ("20210716T112154-ampersand", date(2021, 7, 16)),
        ("2021071611-ampersand", None),
        ("20219916112154-ampersand", None),
    ],
)
def test_a_moment_in_the_name_of_a_note_is_its_day(
    tmp_path: Path, name: str, day: date | None
) -> None:
    made.write(tmp_path / "vault" / f"{name}.md", "It refers to the component itself.\n")
    made.write(tmp_path / "vault" / "Z.md", "---\ncreated: 20210716112154\n---\n\nStyles nest.\n")
    assert [one.day for one in read("obsidian", tmp_path / "vault")] == [day, date(2021, 7, 16)]


FRONT = "---\ntitle: Debounce deployments\nstatus: {}\n---\n"
DEBOUNCED = (
    "\n## Context\n\nToo many calls.\n\n## Decision\n\nThe client waits a second.\n\n"
    "## Participants\n\n- Marcos\n- Pablo\n"
)


@pytest.mark.parametrize("front", [FRONT.format("Final"), ""])
def test_a_later_heading_of_a_record_is_no_title_of_it(tmp_path: Path, front: str) -> None:
    made.write(tmp_path / "adr" / "0010-debounce-deployments.md", f"{front}{DEBOUNCED}")
    (one,) = read("adr", tmp_path / "adr")
    assert one.text.casefold() == (
        "debounce deployments: the client waits a second.\n"
        "context: too many calls.\n"
        "participants:\n- marcos\n- pablo\n\n"
        "(adr/0010-debounce-deployments.md)"
    )


def test_the_first_section_of_a_record_titled_elsewhere_keeps_its_heading(tmp_path: Path) -> None:
    text = (
        FRONT.format("Final") + "\n## Goals\n\nFewer calls.\n\n## Decision\n\nThe client waits.\n"
    )
    made.write(tmp_path / "adr" / "0010-x.md", text)
    (one,) = read("adr", tmp_path / "adr")
    assert (
        one.text == "Debounce deployments: The client waits.\nGoals: Fewer calls.\n(adr/0010-x.md)"
    )


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ("Withdrawn", "no longer in force"),
        ("Review", "only proposed"),
        ("Last Call", "only proposed"),
        ("Stagnant", "only proposed"),
        ("Accepted, review in 2027", ""),
        ("Reviewed and accepted", ""),
    ],
)
def test_a_record_that_was_taken_back_or_is_in_review_is_left_out(
    tmp_path: Path, status: str, why: str
) -> None:
    made.write(tmp_path / "adr" / "0010-x.md", FRONT.format(status) + DEBOUNCED)
    assert left_out("adr", tmp_path / "adr") == ({why: 1} if why else {})
    assert [one.kind.value for one in read("adr", tmp_path / "adr")] == ["decision"] * (not why)


def test_a_heading_without_text_states_an_option_but_no_consequence(tmp_path: Path) -> None:
    text = (
        "# Encoding\n\n## Decision\n\nA fixed length.\n\n## Options\n\n### A varint\n\n"
        "### A fixed length\n\n## Consequences\n\n### Positive\n\n### Neutral\n\n- Blobs vary\n"
    )
    made.write(tmp_path / "adr" / "0012-x.md", text)
    assert read("adr", tmp_path / "adr")[0].text == (
        "Encoding: A fixed length.\n"
        "Consequences: Neutral:\n- Blobs vary\n\n"
        "Options: A varint\nA fixed length\n"
        "(adr/0012-x.md)"
    )


def test_a_part_of_a_record_begins_on_its_own_line(shop: Memory) -> None:
    text = (
        "# Wallets\n\n## Context\n\nCalls are signed.\n\n## Decision\n\n"
        "We choose option 2, as wallets on two chains differ (Argent or Authereum)\n"
    )
    made.write(shop.project.root / "docs" / "adr" / "0028-x.md", text)
    shop.import_from("adr")
    text = shop.project.memory.read_text(encoding="utf-8")
    assert (
        "differ (Argent or Authereum) [from:: adr:0028-x]\n  Context: Calls are signed.\n" in text
    )


FORM = """# System Patterns

## Queues

- **Description:** One queue a tenant.
- **Example:** [to be written]
- **Limits:** [10, 20]

## Sync

- **Description:** [one way, by replication]
- **Limits:** [no more than 50 documents]

## Pattern 2: [Pattern Name]

* **Description:** [Brief description of the pattern]
* **Example:** ...

## Pattern 3

* **Description:** ...
* **Example:** …

## Log

* **[YYYY-MM-DD] - Decision:** Go
    * **Why:** It is fast
* **[YYYY-MM-DD] - Decision:** [Brief summary]
    * **Why:** [Why was this option chosen?]

*This document describes how it is built.*
"""


def test_a_form_that_nobody_filled_in_is_left_out_of_a_bank(tmp_path: Path) -> None:
    made.write(tmp_path / "memory-bank" / "systemPatterns.md", FORM)
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        (
            "note",
            (
                "Queues:\n- **Description:** One queue a tenant.\n"
                "- **Example:** [to be written]\n- **Limits:** [10, 20]"
            ),
        ),
        (
            "note",
            (
                "Sync:\n- **Description:** [one way, by replication]\n"
                "- **Limits:** [no more than 50 documents]"
            ),
        ),
        ("note", "Log:\n- **[YYYY-MM-DD] - Decision:** Go\n  - **Why:** It is fast"),
    ]


def test_a_problem_that_says_it_was_resolved_is_not_open(shop: Memory, tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "progress.md",
        "# Progress\n\n## Known Issues\n\n"
        "- Previously, the list was empty after a search. This has been resolved.\n"
        "- The export is slow. This has not been resolved.\n"
        "- CSV files are read twice. It has been fixed only for UTF-8.\n"
        "- The backup fails. This was solved before the move; since then it fails again.\n"
        "- Login fails after a change of time. This has been corrected since 2.1.\n",
    )
    shop.import_from("memory-bank", tmp_path / "memory-bank")
    found = {one.text[:10]: one.status for one in shop.index_entries() if one.kind is Kind.PROBLEM}
    assert found == {
        "Previously": Status.RESOLVED,
        "The export": Status.OPEN,
        "CSV files ": Status.OPEN,
        "The backup": Status.OPEN,
        "Login fail": Status.RESOLVED,
    }


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (
            "- **Pending**: not yet done\n- **Fulfilled**: it worked\n- **Rejected**: it failed\n",
            [],
        ),
        ("- **Rejected**: Redis, as it lost messages\n- Postgres keeps them\n", ["rejected"]),
        ("- **Context**: many writes\n- **Rejected**: Redis, it lost them\n", ["rejected"]),
        ("**The problem**: opacity makes a context of its own\n", []),
        ("**Problem**: the export is cut off at midnight\n", ["problem"]),
        ("**The decision**: we keep messages in Postgres\n", ["decision"]),
        ("Warning: [[20250304-attribute-selectors]]\n", []),
        ("Warning: the selectors match a prefix too\n", ["gotcha"]),
        ("## Experience\n\n- Job title, name of the company\n", []),
        ("## Gotchas\n\n- The selectors match a prefix too\n", ["gotcha"]),
        ("## Tasks\n\n- [ ] [[Selectors]] - finish it\n", ["todo"]),
    ],
)
def test_a_term_or_an_explanation_is_no_entry_of_a_note(
    tmp_path: Path, body: str, kinds: list[str]
) -> None:
    made.write(tmp_path / "vault" / "Promises.md", f"Notes of the course.\n\n{body}")
    found = [one.kind.value for one in read("obsidian", tmp_path / "vault")]
    assert [one for one in found if one != "note"] == kinds


def test_a_list_of_contents_is_no_part_of_a_record_or_a_note(tmp_path: Path) -> None:
    contents = "Contents:\n\n- [Status](#status)\n  - [Decision](#decision)\n\n"
    record = f"# Arrays\n\n{contents}## Decision\n\nValues are JSON arrays.\n"
    made.write(tmp_path / "adr" / "0002-x.md", record)
    (one,) = read("adr", tmp_path / "adr")
    assert one.text == "Arrays: Values are JSON arrays. (adr/0002-x.md)"
    made.write(tmp_path / "vault" / "Arrays.md", f"{contents}Values are JSON arrays.\n")
    assert said(read("obsidian", tmp_path / "vault")) == [
        ("note", "Arrays: Values are JSON arrays.")
    ]
    bank = f"# Product\n\n{contents[11:]}Values are JSON arrays.\n"
    made.write(tmp_path / "memory-bank" / "productContext.md", bank)
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        ("note", "Values are JSON arrays.")
    ]


def test_a_paragraph_of_a_decision_is_not_taken_for_a_wrapped_line(shop: Memory) -> None:
    text = (
        "# Registry\n\n## Decision\n\nIt was decided to move forward with the above design\n\n"
        "After the first release, the flag was kept.\n"
    )
    made.write(shop.project.root / "docs" / "adr" / "0001-x.md", text)
    shop.import_from("adr")
    text = shop.project.memory.read_text(encoding="utf-8")
    assert "with the above design [from:: adr:0001-x]\n\n  After the first release" in text


def test_a_decision_still_to_be_made_is_none(tmp_path: Path) -> None:
    text = "# Filters\n\n## Context\n\nToo many events.\n\n## Decision\n\n*To be determined*\n"
    made.write(tmp_path / "adr" / "0012-x.md", text)
    assert "determined" not in "".join(one.text for one in read("adr", tmp_path / "adr"))


def test_a_checklist_of_a_bank_is_no_list_of_tasks(tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "guide.md",
        "# Guide\n\n## Refactoring Checklist\n\nBefore it is done, verify:\n\n"
        "- [ ] All tests pass\n- [ ] No new names are public\n\n## Tasks\n\n- [ ] Write it down\n",
    )
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        (
            "note",
            (
                "Refactoring Checklist: Before it is done, verify:\n"
                "- [ ] All tests pass\n- [ ] No new names are public"
            ),
        ),
        ("todo", "Write it down"),
    ]


def test_bold_lines_of_a_record_are_headings_of_its_parts(tmp_path: Path) -> None:
    text = (
        "# Search ADR\n\n**Author**\nAnna (https://github.com/anna)\n\n**Status**\nACCEPTED\n\n"
        "**Date**\n2025-02-03\n\n**Problem**\n\nIt is slow.\n\n**Criteria**\n\n- speed\n\n"
        "**Decision**\n\n**We select Tantivy** because it is fast.\n"
    )
    made.write(tmp_path / "ADRs" / "001_search.md", text)
    (one,) = read("adr", tmp_path / "ADRs")
    assert (one.kind.value, one.day) == ("decision", date(2025, 2, 3))
    assert one.text == (
        "Search ADR: **We select Tantivy** because it is fast.\n"
        "Problem: It is slow.\n**Criteria**\n- speed\n\n"
        "(ADRs/001_search.md)"
    )


def test_dated_details_of_a_decision_are_no_decision_of_their_own(tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "decisionLog.md",
        "# Decision Log\n\n## Decision\n2025-09-26 00:17:41 - Keep messages in Postgres\n\n"
        "## Rationale\n2025-09-26 00:17:41 - They must survive a restart\n\n"
        "## Implementation Details\n2025-09-26 00:17:41 - One table, partitioned by day\n",
    )
    made.write(
        tmp_path / "memory-bank" / "systemPatterns.md",
        "# System Patterns\n\nThis file documents recurring patterns used in the project.\n"
        "It is optional, but recommended to be updated as the project evolves.\n",
    )
    [one] = read("memory-bank", tmp_path / "memory-bank")
    assert (one.kind.value, one.day) == ("decision", date(2025, 9, 26))
    assert one.text.startswith("Keep messages in Postgres")
    assert "survive a restart" in one.text
    assert "One table, partitioned by day" in one.text


def test_positions_and_arguments_below_details_are_parts_of_a_record(tmp_path: Path) -> None:
    text = (
        "# One repository\n\n* Status: **accepted**\n* Date: 2021-09-28\n\n## Summary\n\n"
        "### Issue\n\nVersions do not fit.\n\n### Decision\n\nUse one repository.\n\n## Details\n\n"
        "### Assumptions\n\nDeployments get easier.\n\n### Positions\n\n- one repository\n"
        "- one for each service\n\n### Arguments\n\nOne commit can change both sides.\n"
    )
    made.write(tmp_path / "adr" / "2021-09-28_repository.md", text)
    one = read("adr", tmp_path / "adr")[0]
    assert (one.kind.value, one.day) == ("decision", date(2021, 9, 28))
    assert one.text == (
        "One repository: Use one repository - One commit can change both sides.\n"
        "Issue: Versions do not fit.\n"
        "Assumptions:\nDeployments get easier.\n"
        "Positions:\n- one repository\n- one for each service\n\n"
        "(adr/2021-09-28_repository.md)"
    )


def test_a_heading_that_leads_elsewhere_is_part_of_a_note(tmp_path: Path) -> None:
    made.write(
        tmp_path / "vault" / "Layers.md",
        "Each layer adds a header of its own.\n\n## [IP](internet-protocol.md)\n\n## Later\n",
    )
    assert said(read("obsidian", tmp_path / "vault")) == [
        ("note", "Layers: Each layer adds a header of its own.\n\n[IP](internet-protocol.md)")
    ]


def test_a_note_of_links_tags_and_labels_says_nothing(tmp_path: Path) -> None:
    head = "---\ncreation date: 2023-03-09 09:50\n---\n\n"
    form = "## Definition:\n## Example:\n## Link:\n---\nLink : [[ORM]], [[Java]]\nTag: #ORM #JPA\n"
    made.write(tmp_path / "vault" / "JPA.md", head + form)
    filled = form.replace("## Example", "It maps rows to objects.\n## Example")
    made.write(tmp_path / "vault" / "ORM.md", head + filled)
    (one,) = read("obsidian", tmp_path / "vault")
    assert one.text.startswith("ORM: Definition: It maps rows to objects.")
    assert one.day == date(2023, 3, 9)
    assert left_out("obsidian", tmp_path / "vault") == {"without content": 1}


@pytest.mark.parametrize("body", ["Never deploy on Fridays: [[Incident 12]]", "#port\nPort: 8443"])
def test_a_note_of_one_statement_or_value_is_kept(tmp_path: Path, body: str) -> None:
    made.write(tmp_path / "vault" / "Note.md", f"{body}\n")
    assert said(read("obsidian", tmp_path / "vault")) == [("note", f"Note: {body}")]


def test_the_readme_of_a_bank_is_about_the_bank(tmp_path: Path) -> None:
    bank = tmp_path / "memory-bank"
    about = (
        "# Files\n\n## Brief\n\nIt shapes all others.\n\n## Gotchas\n\n- Staging has no backup\n"
    )
    made.write(bank / "MEMORY_BANK_README.md", about)
    made.write(bank / "techContext.md", "# Tech\n\nThe API is written in Go.\n")
    assert said(read("memory-bank", bank)) == [
        ("gotcha", "Files: Staging has no backup"),
        ("note", "The API is written in Go."),
    ]


def test_what_is_labelled_as_completed_is_no_task_of_a_bank(tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "progress.md",
        "# Progress\n\n## Next Steps\n\n- Add more models\n\n"
        "[2025-08-16 20:26:40] - **Completed: providers are configured**\n",
    )
    assert said(read("memory-bank", tmp_path / "memory-bank")) == [
        ("todo", "Add more models"),
        ("progress", "**Completed: providers are configured**"),
    ]


def test_a_list_of_contents_with_text_of_its_own_is_kept(tmp_path: Path) -> None:
    body = (
        "# Mail\n\nNever send by day. It has these parts:\n\n- [Queue](#queue)\n\n## Queue\n\n"
        "It is on disk.\n\n## Rules\n\n- [Lost](#lost)\n  when it was in memory\n"
        "- [Late](#late)\n\n## Lessons\n\n- [No floats for money](#)\n"
    )
    made.write(tmp_path / "vault" / "Mail.md", body)
    (one,) = read("obsidian", tmp_path / "vault")
    for text in ("Never send by day.", "when it was in memory", "No floats for money"):
        assert text in one.text
    made.write(tmp_path / "adr" / "0001-mail.md", f"{body}\n## Decision\n\nUse SES.\n")
    (one,) = read("adr", tmp_path / "adr")
    assert "Never send by day." in one.text
    assert "when it was in memory" in one.text


def test_each_label_of_a_record_is_kept(tmp_path: Path) -> None:
    made.write(
        tmp_path / "adr" / "0001-tests.md",
        "# Tests\n\n**Status:** accepted\n**Context:** Tests are slow.\n"
        "**Assumptions:** CI has 16 cores.\n**Decision:** Use xdist.\n"
        "**Rationale:** It is 4 times faster.\n**Argument:** Kim knows it.\n",
    )
    (one,) = read("adr", tmp_path / "adr")
    assert one.text == (
        "Tests: Use xdist.\nRationale: It is 4 times faster.\nArgument: Kim knows it.\n"
        "Context: Tests are slow.\nAssumptions: CI has 16 cores.\n(adr/0001-tests.md)"
    )


def test_a_note_that_was_corrected_by_hand_is_not_imported_again(
    shop: Memory, tmp_path: Path
) -> None:
    made.write(tmp_path / "vault" / "Port.md", "The port is 8080 on every host.\n")
    row = shop.import_from("obsidian", tmp_path / "vault").rows[0]
    text = shop.project.memory.read_text(encoding="utf-8")
    text = text.replace(f"8080 on every host. [from:: {row.key}]", f"9090 ^{row.id}")
    shop.project.memory.write_text(text, encoding="utf-8")
    done = shop.import_from("obsidian", tmp_path / "vault")
    assert [(one.outcome, one.reason) for one in done.rows] == [
        ("known", f"{row.id} has other words here")
    ]


def test_a_list_with_ticks_or_of_tasks_is_no_checklist(tmp_path: Path) -> None:
    made.write(
        tmp_path / "memory-bank" / "guide.md",
        "# Guide\n\n## Migration checklist\n\n- [x] Create the stream\n- [ ] Move the worker\n\n"
        "## Next steps (checklist)\n\n- [ ] Delete the cluster\n\n"
        "## 任务清单\n\n- [ ] 部署到新的服务器\n",
    )
    found = [
        text for kind, text in said(read("memory-bank", tmp_path / "memory-bank")) if kind == "todo"
    ]
    assert [text.rpartition(": ")[2] for text in found] == [
        "Move the worker",
        "Delete the cluster",
        "部署到新的服务器",
    ]
