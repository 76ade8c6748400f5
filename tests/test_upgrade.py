"""A memory, its settings and its registrations of an earlier version, read by this one."""

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage.index.connection import VERSION
from mind.storage.project import Project
from tests.conftest import Clock, Run

EARLIER = Path(__file__).parent / "upgrade"
ENTRIES = {
    "wck2ex51": "SQLite over Postgres in src/app.py - one file, no server, no password",
    "5tzmcpgc": "Ship the shop before Christmas",
    "tnk5xezb": "The test database is dropped at every start",
    "tmbte1hv": "Prices are stored as cents, floats lose them",
    "m9pfqfph": "Write a page about the import",
    "e1besnq1": "The basket keeps its rows",
    "dezb08qk": "Redis for the session store - one more server to run",
}
NOTES = {
    "hw4prcgg": "The basket test passes since the clock is fixed",
    "dsywzc34": "The payment sandbox is down",
    "r8zbp2c3": "Celery for the mails - a queue in SQLite is enough",
    "s8axbxef": "Nobody orders more than 99 of one thing",
}
ARCHIVED = {
    "vm1s1rnd": ("Prices are stored as floats", "a later entry puts it right", "tmbte1hv"),
    "f4wt5a8t": ("Orders are counted twice #orders", "it was a fault of the report", ""),
    "wck2ex51": (
        "SQLite over Postgres in src/app.py - one file, no server",
        "corrected",
        "wck2ex51",
    ),
}
PENDING = {
    "rzchym7e": "check the security audit",
    "rr4p6p43": "renew the certificate",
    "r3vm0rab": "read the plan",
    "rvmrcger": "ask about tokens",
}
DONE = {"r37gyn6w": "order the cake"}


@pytest.fixture
def earlier(repository: Path) -> Project:
    """A repository as the earlier version left it, with a session that is running."""
    for source in EARLIER.rglob("*"):
        if source.is_dir() or source.name == "README.md":
            continue
        parts = source.relative_to(EARLIER).parts
        target = repository.joinpath(*(part.replace("dot_", ".", 1) for part in parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".gz":
            target.with_suffix("").write_bytes(gzip.decompress(source.read_bytes()))
        else:
            shutil.copyfile(source, target)
    (repository / "src").mkdir()
    (repository / "src" / "app.py").touch()
    return Project(repository)


@pytest.fixture
def opened(earlier: Project, clock: Clock) -> Iterator[Memory]:
    """The memory, twenty minutes after the last note."""
    with closing(Memory(earlier, clock=clock)) as memory:
        yield memory


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands that the registrations name are on PATH."""
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", folder + os.pathsep + os.environ["PATH"])


def lost(project: Project) -> list[str]:
    """What the earlier version recorded and no file of the memory says any more."""
    said = "\n".join(path.read_text("utf-8") for path in project.folder.glob("*.md"))
    return [text for text in (ENTRIES | NOTES).values() if text not in said]


def test_entries_and_notes_keep_their_ids_and_texts(opened: Memory) -> None:
    found = {entry.id: entry.text for entry in opened.index_entries()}
    assert found == ENTRIES | NOTES
    for one, text in found.items():
        assert opened.search(text).hits[0].entry.id == one
        assert opened.get([one]).entries[0].text == text


def test_the_running_session_goes_on(opened: Memory) -> None:
    assert {entry.id for entry in opened.session().entries} == set(NOTES)
    opened.log("The sandbox is up again")
    assert len(opened.session().entries) == len(NOTES) + 1
    opened.end_session("c0ffee")
    assert not opened.session().entries
    assert lost(opened.project) == []


def test_reminders_stay_pending_and_done(opened: Memory) -> None:
    known = {one.id: (one.text, one.done is None) for one in opened.reminders(everything=True)}
    pending = {one: (text, True) for one, text in PENDING.items()}
    assert known == pending | {one: (text, False) for one, text in DONE.items()}
    assert {"rr4p6p43"} <= {one.id for one in opened.due()}
    assert [one.id for one in opened.search("the login fails").reminders] == ["rvmrcger"]
    assert opened.reminder_done("rzchym7e").done


def said(line: bytes) -> str:
    """What a line says behind its label."""
    return line.decode().partition(": ")[2].strip()


def test_the_archive_is_found_and_restored(opened: Memory) -> None:
    blocks = opened.archive().blocks
    archived = {one.id: (said(one.text), one.reason, one.replaced_by) for one in blocks}
    assert archived == ARCHIVED
    opened.restore("f4wt5a8t")
    assert opened.get(["f4wt5a8t"]).entries[0].text == ARCHIVED["f4wt5a8t"][0]


def test_settings_hold(opened: Memory, mind: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(opened.project.root)
    assert mind("config", "session.gap_minutes") == (0, "45\n", "")
    assert mind("config", "search.limit") == (0, "7\n", "")


def test_the_earlier_index_is_made_again(earlier: Project, clock: Clock) -> None:
    path = earlier.folder / "cache" / "index.db"

    def version() -> int:
        with closing(sqlite3.connect(path)) as database:
            number: int = database.execute("PRAGMA user_version").fetchone()[0]
        return number

    assert version() < VERSION
    with closing(Memory(earlier, clock=clock)) as memory:
        with_it = [memory.search(text).hits for text in ENTRIES.values()]
    assert version() == VERSION
    shutil.rmtree(path.parent)
    with closing(Memory(earlier, clock=clock)) as memory:
        assert [memory.search(text).hits for text in ENTRIES.values()] == with_it


def hook_lines() -> list[tuple[str, str]]:
    """Event and command line of each hook that the earlier version registered."""
    settings = json.loads((EARLIER / "dot_claude" / "settings.json").read_text("utf-8"))
    return [
        (event, hook["command"])
        for event, groups in settings["hooks"].items()
        for group in groups
        for hook in group["hooks"]
    ]


@pytest.mark.parametrize(("event", "line"), hook_lines(), ids=[name for name, _ in hook_lines()])
@pytest.mark.usefixtures("on_path")
def test_a_registered_hook_still_answers(
    earlier: Project, git: Callable[..., str], event: str, line: str
) -> None:
    given = {
        "hook_event_name": event, "session_id": "c0ffee", "cwd": str(earlier.root),
        "source": "startup", "prompt": "where do the prices come from?", "tool_name": "Bash",
        "tool_input": {"command": "redis-server for the session store"}, "tool_response": {},
        "error": "no such command", "trigger": "manual", "reason": "exit",
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", line],
        input=json.dumps(given),
        cwd=earlier.root,
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.stderr == ""
    if event == "SessionStart":
        assert "rr4p6p43): renew the certificate" in done.stdout
    assert lost(earlier) == []
    seen = git("status", "--porcelain", "--untracked-files=all", ".mind").split()
    assert [name for name in seen if name.endswith((".tmp", ".json", ".lock"))] == [
        ".mind/config.json"
    ]


@pytest.mark.usefixtures("on_path")
def test_the_registered_server_still_answers(earlier: Project) -> None:
    registered = json.loads((earlier.root / ".mcp.json").read_text("utf-8"))
    server = registered["mcpServers"]["mind"]
    client = {"name": "test", "version": "1"}
    asked: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {
            "name": "mind_search", "arguments": {"query": "SQLite Postgres"}}},
    ]  # fmt: skip
    with subprocess.Popen(
        [server["command"], *server["args"]],
        cwd=earlier.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin
        assert process.stdout
        for one in asked:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
        process.stdin.flush()
        replies = {}
        for _ in range(3):
            reply = json.loads(process.stdout.readline())
            replies[reply["id"]] = reply["result"]
        process.communicate(timeout=60)
    assert {"mind_recall", "mind_log"} <= {tool["name"] for tool in replies[2]["tools"]}
    assert "wck2ex51" in str(replies[3])


def test_init_again_says_what_it_changes_and_loses_nothing(
    earlier: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(earlier.root)
    kept = [".mind/REMINDERS.md", ".mind/ARCHIVE.md", ".mind/config.json", ".mcp.json",
            ".claude/settings.json", ".mind/.gitattributes"]  # fmt: skip
    before = [(earlier.root / name).read_bytes() for name in kept]
    code, out, err = mind("init")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith(("create", "change"))] == [
        "change  .git/config",
        "change  .git/info/attributes",
    ]
    assert [(earlier.root / name).read_bytes() for name in kept] == before
    assert lost(earlier) == []  # the session, long idle by now, ended, and its notes were promoted
    with closing(Memory(earlier)) as memory:
        assert {entry.id for entry in memory.index_entries()} >= {*ENTRIES}
    block = (earlier.root / "CLAUDE.md").read_text("utf-8")
    assert block.startswith("# Shop\n\nRules for agents.\n\n<!-- MIND:CONTEXT")
    assert block.count("MIND:END") == 1
    code, out, err = mind("init")
    assert [line for line in out.splitlines() if line.startswith(("create", "change"))] == []


@pytest.mark.usefixtures("on_path")
def test_doctor_finds_nothing_broken_and_mends_the_rest(
    earlier: Project, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(earlier.root)

    def told(*arguments: str) -> dict[str, str]:
        found = json.loads(mind("doctor", "--quick", "--json", *arguments)[1])
        return {one["name"]: one["verdict"] for one in found if one["verdict"] != "fine"}

    upgraded = {"ignored files": "warning", "index": "warning"}
    machine = {"list of projects": "warning", "permissions": "warning"}  # as in any fresh clone
    assert told().items() <= (upgraded | machine).items()
    assert told("--fix") == {}
    assert lost(earlier) == []
