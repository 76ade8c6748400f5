"""What is stale as a model, a person and a program read it; and the log of searches."""

import json
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from mind.memory.memory import Memory
from mind.server.mcp.app import answer
from mind.server.mcp.tools import TOOLSETS
from mind.storage.project import Project
from tests.conftest import Clock
from tests.http_service import serving

TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
GONE = "src/old.py is gone; lib/older.py is gone; verified 200 days ago"
NOTES = """\
# Memory

## 2026-01-02

- decided: sessions are kept by src/old.py and lib/older.py [verified:: 2026-05-04] ^aaaaaaaa
- learned: sessions end at midnight ^bbbbbbbb
"""


@pytest.fixture
def told(project: Project, git: Callable[..., str]) -> Project:
    project.memory.write_text(NOTES, encoding="utf-8")
    git("commit", "--quiet", "--allow-empty", "-m", "x")
    return project


@pytest.fixture
def call(told: Project, clock: Callable[..., object]) -> Callable[..., str]:
    """Call a tool, and give its text."""

    def through(name: str, **arguments: object) -> str:
        text, failed = answer(
            TOOLS[name],
            name,
            arguments,
            lambda: Memory(told, clock=clock),  # type: ignore[arg-type] # the test's clock
        )
        assert not failed, text
        return text

    return through


def mind(project: Project, *arguments: str, **environment: str) -> tuple[str, str]:
    """Standard output and standard error of the command."""
    done = subprocess.run(
        [sys.executable, "-m", "mind", *arguments],
        cwd=project.root,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    return done.stdout, done.stderr


def test_a_line_tells_the_first_thing_and_the_whole_entry_all(call: Callable[..., str]) -> None:
    lines = call("mind_search", query="sessions kept", expand_top=0).splitlines()
    assert lines[1].endswith("[.mind/MEMORY.md:5; src/old.py is gone]")
    assert lines[2].endswith("[.mind/MEMORY.md:6]")
    whole = call("mind_search", query="sessions kept", expand_top=1).splitlines()
    assert whole[1].endswith("[.mind/MEMORY.md:5]")
    assert f"  verdict: {GONE}" in whole
    assert f"  verdict: {GONE}" in call("mind_get", ids=["aaaaaaaa", "bbbbbbbb"]).splitlines()
    assert call("mind_get", ids=["aaaaaaaa", "bbbbbbbb"]).count("verdict: ") == 1


def test_a_timeline_and_the_latest_entries_tell_it_too(call: Callable[..., str]) -> None:
    lines = call("mind_timeline", anchor="bbbbbbbb").splitlines()
    assert [line.endswith("src/old.py is gone]") for line in lines[1:]] == [True, False]
    assert lines[2].startswith("> bbbbbbbb")
    assert "; src/old.py is gone]" in call("mind_list_recent")


def test_a_path_cannot_forge_markup(told: Project, call: Callable[..., str]) -> None:
    name = "src/" + "x" * 150 + ".py"
    told.memory.write_text(f"# M\n\n- decided: keep {name} <!-- MIND:END -->\n", encoding="utf-8")
    text = call("mind_search", query="keep")
    assert f"{name} is gone" in text
    assert "<!--" not in text


def test_the_command_line_shows_it_where_all_is_shown(told: Project) -> None:
    pattern = re.compile(r"src/old.py is gone; lib/older.py is gone(; verified \d+ days ago)?")
    assert pattern.search(mind(told, "search", "sessions kept", "--explain")[0])
    assert pattern.search(mind(told, "show", "aaaaaaaa")[0])
    assert "stale" not in mind(told, "show", "bbbbbbbb")[0]


@pytest.mark.parametrize(
    "command",
    [("search", "sessions", "kept"), ("show", "aaaaaaaa"), ("timeline", "aaaaaaaa"), ("recent",)],
)
def test_json_carries_it(told: Project, command: tuple[str, ...]) -> None:
    found = json.loads(mind(told, *command, "--json")[0])
    entries = [found["anchor"], *found["after"]] if isinstance(found, dict) else found
    stale = {one["id"]: one["stale"] for one in entries}
    assert stale["aaaaaaaa"][:2] == ["src/old.py is gone", "lib/older.py is gone"]
    assert stale.get("bbbbbbbb", []) == []


# The log

LINE = re.compile(
    r"terms=(\d+) filters=(\S+) candidates=(\S+) hits=(\d+) total=(\d+) lexical_only=(yes|no) "
    r"ms=\d+\.\d"
)


def test_a_search_writes_one_line_without_its_words(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    memory.project.memory.write_text(NOTES, encoding="utf-8")
    with caplog.at_level(logging.INFO, "mind.search"):
        memory.search("sessions kept tag:secret")
        memory.search("sessions kept since:2026-01-01 kind:decision,learning")
        memory.search("kind:decision")
        memory.search("sessions", everywhere=True)
    assert {(one.name, one.levelname) for one in caplog.records} == {("mind.search", "INFO")}
    logged = [found.groups() for one in caplog.records if (found := LINE.fullmatch(one.message))]
    nothing = "words:0,meaning:0,names:0,synonyms:0,graph:0"
    assert logged == [
        ("2", "tag", nothing, "0", "0", "yes"),
        ("2", "kind,since", "words:2,meaning:0,names:0,synonyms:0,graph:0", "2", "2", "yes"),
        ("0", "kind", "none", "1", "1", "no"),
        ("1", "none", "words:2,meaning:0,names:0,synonyms:0,graph:0", "2", "2", "yes"),
    ]
    assert "secret" not in caplog.text


def test_nothing_is_logged_unless_it_is_asked_for(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    memory.search("sessions")
    assert not caplog.records


@pytest.mark.parametrize(
    ("level", "lines"), [("info", 1), ("INFO", 1), ("debug", 1), ("warning", 0), ("0", 0), ("", 0)]
)
def test_the_environment_turns_the_log_on(told: Project, level: str, lines: int) -> None:
    out, err = mind(told, "search", "sessions", MIND_LOG=level)
    assert "aaaaaaaa" in out
    assert err.count(" INFO mind.search terms=1 filters=none candidates=words:2,") == lines
    assert len(err.splitlines()) == lines


@pytest.mark.parametrize("toolsets", [(), ("--toolsets", "search")])
def test_the_server_logs_to_standard_error(told: Project, toolsets: tuple[str, ...]) -> None:
    client = {"name": "test", "version": "1"}
    asked: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "mind_search", "arguments": {"query": "sessions"}}},
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "mind", "mcp", *toolsets],
        cwd=told.root,
        env={**os.environ, "MIND_LOG": "info", "PYTHONPATH": str(Path(__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin
        assert server.stdout
        for one in asked:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
        server.stdin.flush()
        replies = [json.loads(server.stdout.readline()) for _ in range(2)]
        _, err = server.communicate(timeout=60)
    assert "aaaaaaaa" in str(replies[1])
    assert err.count(" INFO mind.search terms=1 ") == 1
    assert "sessions" not in err


WARNINGS = {
    "moved": ("decided: src/dates.py parses dates", "src/dates.py is now src/days.py"),
    "gone": ("decided: src/old.py keeps sessions", "src/old.py is gone"),
    "lost symbol": (
        "learned: `parse_week` in src/weeks.py counts from Monday",
        "parse_week is gone from src/weeks.py",
    ),
    "lost command": ("learned: run `make weeks` first", "make weeks is gone from Makefile"),
    "commits": ("learned: src/busy.py is read twice", "1 commit to src/busy.py since"),
    "contradicted": ("learned: invoices round up", "contradicted on 2026-11-20"),
    "superseded": (
        "decided: the retry limit is 5",
        "superseded by bbbbbbbb of 2026-01-09: 5 → 8",
    ),
}


@pytest.fixture
def drifted(
    project: Project,
    git: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    clock: Callable[..., datetime],
) -> Project:
    """A repository in which everything that memory cites has changed, and a note proved wrong."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-02T10:00:00")
    lines = [f"- {text}\n" for text, _ in WARNINGS.values()]
    later = "\n## 2026-01-09\n\n- decided: Retries are limited to 8 attempts. ^bbbbbbbb\n"
    notes = "# Memory\n\n## 2026-01-02\n\n" + "".join(lines) + later
    project.memory.write_text(notes, encoding="utf-8")
    source = project.root / "src"
    source.mkdir()
    for name, text in (
        ("dates.py", "a = 1\nb = 2\nc = 3\n"), ("old.py", "x = 1\n"), ("busy.py", "y = 1\n"),
        ("weeks.py", "def parse_week():\n    pass\n"),
    ):  # fmt: skip
        (source / name).write_text(text, encoding="utf-8")
    (project.root / "Makefile").write_text("weeks:\n\ttrue\nall:\n\ttrue\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "before")
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    git("mv", "src/dates.py", "src/days.py")
    git("rm", "-q", "src/old.py")
    (source / "busy.py").write_text("y = 2\n", encoding="utf-8")
    (source / "weeks.py").write_text("def week():\n    pass\n", encoding="utf-8")
    (project.root / "Makefile").write_text("all:\n\ttrue\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "after")
    with closing(Memory(project, clock=clock)) as memory:
        wrong = memory.search("invoices round up").hits[0].entry.id
        memory.record_use([wrong], "contradicted")
    return project


@pytest.mark.parametrize("kind", WARNINGS)
def test_every_warning_is_told_by_every_interface(
    drifted: Project, kind: str, clock: Callable[..., object]
) -> None:
    text, warning = WARNINGS[kind]
    words = text.partition(": ")[2]

    def tool(name: str, **arguments: object) -> str:
        said, failed = answer(
            TOOLS[name],
            name,
            arguments,
            lambda: Memory(drifted, clock=clock),  # type: ignore[arg-type] # the test's clock
        )
        assert not failed, said
        return said

    with closing(Memory(drifted)) as memory:
        (hit,) = (one for one in memory.search(words).hits if one.entry.text == words)
    assert warning in hit.stale
    assert warning in tool("mind_search", query=words)
    assert warning in tool("mind_get", ids=[hit.entry.id])
    assert warning in mind(drifted, "search", words)[0]
    assert warning in mind(drifted, "show", hit.entry.id)[0]
    told = {warning for row in json.loads(mind(drifted, "search", words, "--json")[0])
            for warning in row["stale"]}  # fmt: skip
    assert warning in told


def test_every_warning_is_told_by_the_service(drifted: Project, home: Path) -> None:
    with serving(home / ".mind", "--project", str(drifted.root), "--rate", "0") as service:
        for text, warning in WARNINGS.values():
            words = text.partition(": ")[2]
            hits = service.ask("GET", f"/api/v1/search?q={quote(words)}").json["hits"]
            (hit,) = (one for one in hits if one["text"] == words)
            assert warning in hit["stale"]
            assert warning in service.ask("GET", f"/api/v1/entries/{hit['id']}").json["stale"]
            said = service.call("mind_search", query=words)["content"][0]["text"]
            assert warning in said


@pytest.mark.parametrize("settling", ["verify", "by hand", "corrected", "update", "edited"])
def test_what_was_looked_into_since_is_contradicted_no_more(
    drifted: Project, settling: str, clock: Clock
) -> None:
    text, warning = WARNINGS["contradicted"]
    notes = drifted.memory.read_text("utf-8")

    def told() -> bool:
        with closing(Memory(drifted, clock=clock)) as memory:
            hit = memory.search("invoices round").hits[0]
            return (
                warning in hit.stale
                and warning in memory.get([hit.entry.id]).verdicts[hit.entry.id].reasons
            )

    assert told()
    clock.forward(days=1)
    with closing(Memory(drifted, clock=clock)) as memory:
        one = memory.search("invoices round").hits[0].entry.id
        if settling == "verify":
            memory.verify(one)
        elif settling == "corrected":
            memory.record_use([one], "corrected")
        elif settling == "update":
            memory.update(one, "invoices round down")
        elif settling == "by hand":
            drifted.memory.write_text(
                notes.replace(text, f"{text} [verified:: 2026-11-21]"), "utf-8"
            )
        else:  # reworded: nobody said that it is right now
            drifted.memory.write_text(notes.replace(text, f"{text} to full cents"), "utf-8")
    assert told() == (settling == "edited")
    shutil.rmtree(drifted.cache)
    assert told() == (settling == "edited")


LATER = """\
# Memory

## 2026-01-02

- decided: The retry limit is 5. ^aaaaaaaa

## 2026-01-09

- decided: Retries are limited to 8 attempts. ^bbbbbbbb
"""


def test_a_newer_answer_is_told_by_every_search(project: Project, home: Path) -> None:
    project.memory.write_text(LATER, encoding="utf-8")
    query, warning = (
        "what is the retry limit",
        "superseded by bbbbbbbb of 2026-01-09: 5 → 8",
    )
    assert warning in mind(project, "search", query)[0]
    rows = json.loads(mind(project, "search", query, "--json")[0])
    assert {row["id"]: row["stale"] for row in rows} == {"bbbbbbbb": [], "aaaaaaaa": [warning]}
    said, failed = answer(TOOLS["mind_search"], "mind_search", {"query": query},
                          lambda: Memory(project))  # fmt: skip
    assert not failed
    assert warning in said
    with serving(home / ".mind", "--project", str(project.root), "--rate", "0") as service:
        hits = service.ask("GET", f"/api/v1/search?q={quote(query)}").json["hits"]
        assert {hit["id"]: hit["stale"] for hit in hits} == {"bbbbbbbb": [], "aaaaaaaa": [warning]}


def test_health_counts_what_memory_cites_and_is_gone_or_changed(drifted: Project) -> None:
    shown = mind(drifted, "health")[0]
    assert "src/old.py is gone" in shown
    found = json.loads(mind(drifted, "health", "--json")[0])
    told = {flag for row in found["drift"]["entries"]["shown"] for flag in row["told"]}
    no_path = {  # drift from none
        WARNINGS[kind][1] for kind in ("lost command", "contradicted", "superseded")
    }
    assert told >= {warning for _, warning in WARNINGS.values()} - no_path
    assert found["contradictions"]["total"] == 1
    said, failed = answer(TOOLS["mind_health"], "mind_health", {}, lambda: Memory(drifted))
    assert not failed
    assert "src/old.py is gone" in said
