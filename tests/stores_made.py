"""Stores of other tools as those tools write them, made by hand for tests."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

CHEST = """
CREATE TABLE entities (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE memories (id INTEGER PRIMARY KEY, entity_id BIGINT NOT NULL, layer TEXT NOT NULL,
  content TEXT NOT NULL, created_at BIGINT NOT NULL, archived_at BIGINT, superseded_by_id BIGINT);
CREATE TABLE edges (id INTEGER PRIMARY KEY, from_id BIGINT NOT NULL, to_id BIGINT NOT NULL,
  relation TEXT NOT NULL, created_at BIGINT NOT NULL);
"""
CLAUDE_MEM = """
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
  project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT,
  narrative TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
  merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL,
  request TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL);
"""
NOON = 1_773_316_800
"""12 March 2026, 12:00 UTC."""


def write(path: Path, text: str) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def database(path: Path, schema: str, rows: Iterable[tuple[str, dict[str, Any]]]) -> Path:
    """A database with a schema and rows (table, values by column)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(schema)
        for table, row in rows:
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            insert = f"INSERT INTO {table} ({names}) VALUES ({marks})"
            db.execute(insert, list(row.values()))
        db.commit()
    return path


def chest(path: Path) -> Path:
    """Six memories, of which three are in force and about this project, and two edges."""
    rows: list[tuple[str, dict[str, Any]]] = [
        ("entities", {"id": 1, "kind": "project", "name": "shop"}),
        ("entities", {"id": 2, "kind": "project", "name": "blog"}),
        ("entities", {"id": 3, "kind": "file", "name": "Checkout"}),
        ("entities", {"id": 4, "kind": "concept", "name": "Stripe"}),
    ]
    told = [
        (1, "realize", "Migrations must never run while the workers are up.", None, None),
        (3, "learning", "Totals are kept in cents; floats lost a cent on refunds.", None, None),
        (1, "goal", "Checkout works without an account.", None, None),
        (2, "learning", "The blog is built by Hugo, once an hour.", None, None),
        (1, "learning", "Totals were kept as floats.", NOON, None),
        (1, "learning", "Totals were kept as strings.", None, 2),
        (1, "emotion", "The user was frustrated by the slow tests.", None, None),
        (1, "learning", '{"file": "a.py", "edits": 3}', None, None),
    ]
    rows += [
        (
            "memories",
            {
                "id": number,
                "entity_id": entity,
                "layer": layer,
                "content": content,
                "created_at": NOON + number,
                "archived_at": archived,
                "superseded_by_id": by,
            },
        )
        for number, (entity, layer, content, archived, by) in enumerate(told, 1)
    ]
    edge = {"id": 1, "from_id": 3, "to_id": 4, "relation": "depends_on", "created_at": NOON}
    rows += [("edges", edge), ("edges", {**edge, "id": 2, "from_id": 99})]
    return database(path, CHEST, rows)


def claude_mem(path: Path, project: str = "shop") -> Path:
    """Seven observations, one of another project, one sensitive, one empty; and a summary."""
    day = {"created_at": "2026-03-12T12:00:00Z", "created_at_epoch": NOON * 1000}
    told = [
        (project, "decision", "SQLite over Postgres", "SQLite was chosen: one file is enough."),
        (
            project,
            "bugfix",
            "Token loop",
            "The refresh token was sent twice, and the second fails.",
        ),
        (project, "feature", "Retries", "Dead jobs are tried again after a minute."),
        (project, "security_alert", "Open port", "Port 9200 of the search host is open to all."),
        ("other", "decision", "React over Vue", "The team knows React from the last project."),
        (project, "sensitive", "Salaries", "The table of salaries lies on the shared drive."),
        (project, "change", "", ""),
    ]
    rows: list[tuple[str, dict[str, Any]]] = [
        (
            "observations",
            {
                "memory_session_id": "s",
                "project": of,
                "type": kind,
                "title": title,
                "narrative": narrative,
                **day,
            },
        )
        for of, kind, title, narrative in told
    ]
    facts = {"type": "discovery", "title": "", "facts": '["Safari drops third-party cookies."]'}
    rows.append(("observations", {"memory_session_id": "s", "project": project, **facts, **day}))
    summary = {"learned": "The pool leaks a worker when a job dies.", "completed": "", **day}
    rows.append(("session_summaries", {"project": project, "next_steps": "Rest.", **summary}))
    return database(path, CLAUDE_MEM, rows)


def graph(path: Path, *lines: object) -> Path:
    """A graph of server-memory."""
    return write(path, "\n".join(json.dumps(one) for one in lines))


def entity(name: str, kind: str, *observations: str) -> dict[str, Any]:
    """An entity of server-memory."""
    return {"type": "entity", "name": name, "entityType": kind, "observations": [*observations]}


def better(folder: Path, number: int, body: str, **fields: str) -> Path:
    """A note as bettermemory writes it."""
    told = {
        "category": "fact",
        "confidence": "medium",
        "created": "2026-03-12 12:00:00.803970+00:00",
        "id": f"01M7Z4ZKXBPE9Y2T71BSBKBX{number:02}",
        "schema_version": "1",
        "scopes": "\n- projects:shop",
        **fields,
    }
    head = "".join(f"{name}: {value}\n" for name, value in told.items())
    return write(folder / f"2026-03-12-note-{number}.md", f"---\n{head}---\n\n{body}")
