"""Keeping a memory true, as a person sees it on the command line and a model over the server."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
from mcp import Client

from mind.memory.memory import Memory
from mind.server.mcp import app as mcp
from mind.storage.project import Project
from tests.conftest import Run

NOW = datetime(2026, 11, 20, 16, 0, 5, tzinfo=UTC)
Call = Callable[..., str]

TEXT = """# Notes

## 2026-11-16

gotcha: Safari drops cookies after a week ^cookie1
decided: keep sessions on the server ^server1
progress: moved the login page
"""


@pytest.fixture
def call(project: Project) -> Call:
    project.memory.write_text(TEXT, encoding="utf-8")

    async def through(name: str, arguments: dict[str, Any]) -> str:
        built = mcp.build(lambda: Memory(project, clock=lambda: NOW), "curate,search")
        async with Client(built) as client:
            result = await client.call_tool(name, arguments)
            text: str = result.content[0].text  # type: ignore[union-attr]
            return f"error: {text}" if result.is_error else text

    return lambda name, **arguments: anyio.run(through, name, arguments)


@pytest.fixture
def mind(mind: Run, project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mind`` in the project: exit code, standard output, standard error."""
    project.memory.write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(project.root)
    return mind


def memory_of(project: Project) -> str:
    return project.memory.read_text("utf-8")


def test_a_model_verifies_corrects_forgets_and_restores(call: Call, project: Project) -> None:
    assert call("mind_verify", id="cookie1", note="tried it").startswith("Verified cookie1")
    assert "[verified:: 2026-11-20] ^cookie1" in memory_of(project)
    text = call("mind_update", id="server1", text="keep sessions in signed cookies")
    assert text.startswith("Corrected server1 · 2026-11-16 · decision · keep sessions in signed")
    assert "decided: keep sessions in signed cookies ^server1" in memory_of(project)
    gone = call(
        "mind_forget",
        id="cookie1",
        reason="mended in Safari 27",
        replaced_by="server1",
        acknowledge=True,
    )
    assert gone.startswith("Archived cookie1")
    assert "Safari" not in memory_of(project)
    listed = call("mind_archive")
    assert "2 of 2 archived entries, latest first" in listed
    assert "[mended in Safari 27, replaced by server1]" in listed
    assert call("mind_archive", query="nothing of it") == "No archived entries."
    assert call("mind_archive", offset=5) == "There are only 2 archived entries."
    back = call("mind_restore", id="cookie1")
    assert back.startswith("Restored cookie1")
    assert "It was archived on 2026-11-20: mended in Safari 27" in back
    assert "Safari drops cookies after a week [verified:: 2026-11-20] ^cookie1" in memory_of(
        project
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("mind_verify", {"id": "nothing1"}, "nothing1"),
        ("mind_forget", {"id": "cookie1", "reason": " "}, "the reason is missing"),
        ("mind_forget", {"id": "cookie1", "reason": "x", "replaced_by": "cookie1"}, "itself"),
        ("mind_restore", {"id": "cookie1"}, "no archived entry"),
        ("mind_update", {"id": "cookie1", "text": ""}, "nothing to change"),
        ("mind_consolidate", {"ids": ["cookie1"], "summary": "x"}, "nothing to consolidate"),
        ("mind_confirm", {"id": "x"}, "waits to be confirmed"),
    ],
)
def test_what_is_wrong_is_an_error_and_changes_nothing(
    call: Call, project: Project, tool: str, arguments: dict[str, Any], said: str
) -> None:
    answer = call(tool, **arguments)
    assert answer.startswith("error: ")
    assert said in answer
    assert memory_of(project) == TEXT
    assert not project.archive.exists()


def test_a_model_asks_before_it_records_a_claim(call: Call, project: Project) -> None:
    text = call("mind_log", message="The user prefers tabs over spaces", type="learning")
    assert text.startswith("Pending as ")
    identifier = text.split()[2].rstrip(":")
    assert memory_of(project) == TEXT
    assert call("mind_confirm", id=identifier).startswith("Recorded learning")
    assert "prefers tabs" in memory_of(project)
    again = call("mind_log", message="The user hates long answers", type="learning")
    dropped = call("mind_confirm", id=again.split()[2].rstrip(":"), accept=False)
    assert dropped == "Dropped: The user hates long answers"


def test_a_model_says_what_a_note_replaces(call: Call, project: Project) -> None:
    said = {"message": "sessions are kept in the browser, signed", "type": "decision"}
    assert call("mind_log", **said, replaces="nothing1").startswith("error: ")
    assert memory_of(project) == TEXT
    new = call("mind_log", **said).split()[2]
    again = call("mind_log", message=new, replaces="server1")
    assert again.startswith(f"Done: {new}")
    assert "It replaces server1, which is now in the archive." in again
    assert "^server1" not in memory_of(project)
    assert memory_of(project).count("kept in the browser") == 1
    archived = project.archive.read_text(encoding="utf-8")
    assert "server1" in archived
    assert new in archived


def test_a_claim_says_what_it_will_replace_and_what_it_did(
    call: Call, mind: Run, project: Project
) -> None:
    said = {"message": "The user prefers signed cookies", "type": "decision"}
    asked = call("mind_log", **said, replaces="server1")
    assert asked.endswith("When confirmed, it replaces server1, which is archived.")
    assert memory_of(project) == TEXT
    done = call("mind_confirm", id=asked.split()[2].rstrip(":"))
    assert done.startswith("Recorded decision")
    assert "It replaces server1, which is now in the archive." in done
    assert "^server1" not in memory_of(project)
    claim = ("log", "-y", "-t", "gotcha", "The user hates Safari", "--replaces", "cookie1")
    out = mind(*claim)[1]
    assert out.endswith("When confirmed, it replaces cookie1, which is archived.\n")
    row = mind("confirm")[1].rstrip("\n").split("\t")
    assert row[1:] == ["gotcha", "cookie1", "The user hates Safari"]
    assert json.loads(mind(*claim, "--json")[1])["pending"]["replaces"] == "cookie1"
    assert json.loads(mind("confirm", "--json")[1])[0]["replaces"] == "cookie1"
    done = mind("confirm", row[0])[1]
    assert "It replaces cookie1, which is now in the archive." in done
    assert "^cookie1" not in memory_of(project)


def test_what_goes_with_a_replaced_entry_is_named(call: Call, project: Project) -> None:
    project.memory.write_text(
        "# Memory\n\n- decided: keep the sessions in Redis ^redis1\n"
        "  - learned: Redis loses the sessions at a restart ^restart1\n",
        encoding="utf-8",
    )
    answer = call(
        "mind_log", message="sessions live in Postgres", type="decision", replaces="redis1"
    )
    assert (
        "It replaces redis1, which is now in the archive. Archived with it, its nested entries:"
        in answer
    )
    assert "restart1" in answer
    assert "restart1" not in memory_of(project)


def test_a_model_is_told_what_memory_knows(call: Call, project: Project) -> None:
    known = call("mind_log", message="keep sessions on the server", type="decision")
    assert known.startswith("Already recorded: server1")
    related = call("mind_log", message="keep sessions on the server for a day", type="decision")
    assert "Similar: server1" in related
    assert "replaces" in related
    passing = call("mind_log", message="we are currently on the old server", type="decision")
    assert passing.startswith("error: ")
    assert "acknowledge" in passing
    done = call(
        "mind_log",
        message="we are currently on the old server",
        type="decision",
        acknowledge=True,
    )
    assert done.startswith("Recorded decision")
    told = call(
        "mind_consolidate",
        ids=["server1", "cookie1"],
        summary="cookies and sessions",
        acknowledge=True,
    )
    assert told.startswith("consolidated: consolidated into one entry")
    assert "now: learned: cookies and sessions [consolidates:: server1, cookie1]" in told


def test_a_person_does_the_same(mind: Run, project: Project) -> None:
    assert mind("update", "server1", "keep", "sessions", "elsewhere")[1].startswith(
        "Corrected server1 · 2026-11-16 · decision · keep sessions elsewhere "
    )
    assert mind("forget", "-y", "cookie1", "-r", "mended")[1].startswith("Archived cookie1 · ")
    assert mind("archive", "list")[1].splitlines()[0].startswith("cookie1\t")
    out = mind("archive", "show", "cookie1")[1]
    assert "archived on" in out
    assert "gotcha: Safari drops cookies after a week ^cookie1" in out
    rows = json.loads(mind("archive", "list", "--json")[1])
    assert [row["id"] for row in rows] == ["cookie1", "server1"]
    assert rows[1]["replaced_by"] == "server1"
    assert json.loads(mind("archive", "show", "cookie1", "--json")[1])[0]["kind"] == "gotcha"
    assert mind("archive", "show", "nothing")[0] == 2
    assert mind("archive", "list", "nothing", "of", "it")[2] == "No archived entries.\n"
    assert json.loads(mind("restore", "cookie1", "--json")[1])["entry"]["id"] == "cookie1"
    mind("forget", "-y", "cookie1", "-r", "mended")
    assert "It was archived on 2" in (told := mind("restore", "cookie1")[1])
    assert told.endswith(": mended\n")
    assert mind("forget", "-y", "cookie1", "-r", "x")[0] == 0
    assert "1 more" in mind("archive", "list", "-n", "1")[2]
    assert mind("forget", "cookie1")[0] == 2


def test_pruning_asks_first(mind: Run, project: Project) -> None:
    mind("forget", "-y", "cookie1", "-r", "mended")
    text = project.archive.read_text("utf-8")
    old = text.replace(text.split("## ")[1][:10], "2020-01-02")
    project.archive.write_text(old, encoding="utf-8")
    assert "1 would be deleted" in mind("archive", "prune", "--older-than", "30", "--dry-run")[1]
    code, _, err = mind("archive", "prune", "--older-than", "30", stdin="n\n")
    assert code == 1
    assert "Permanently delete 1 archived entries?" in err + _
    assert project.archive.read_text("utf-8") == old
    out = mind("archive", "prune", "--older-than", "30", "--yes")[1]
    assert out.endswith("1 deleted.\n")
    assert json.loads(mind("archive", "prune", "--older-than", "30", "--json")[1]) == []
    assert mind("archive", "prune", "--older-than", "0")[0] == 2


def test_a_person_confirms_or_drops_a_claim(mind: Run, project: Project) -> None:
    out = mind("log", "-t", "learning", "The user prefers tabs over spaces")[1]
    assert "is a claim about the user" in out
    identifier = mind("confirm")[1].split("\t")[0]
    assert identifier in out
    assert json.loads(mind("confirm", "--json")[1])[0]["id"] == identifier
    assert mind("confirm", identifier)[1].startswith("Recorded learning")
    assert mind("confirm")[2] == "No claims are waiting.\n"
    mind("log", "-t", "learning", "The user hates long answers")
    identifier = mind("confirm")[1].split("\t")[0]
    assert mind("confirm", identifier, "--drop")[1] == "Dropped: The user hates long answers\n"
    assert mind("log", "-t", "decision", "keep sessions on the server")[1].startswith(
        "Already recorded: server1"
    )


def test_tidying_says_what_it_would_do(mind: Run, project: Project) -> None:
    project.memory.write_text(
        "## 2020-01-05\n\nnote: the office router is called lucy\n", encoding="utf-8"
    )
    out = mind("tidy", "--dry-run")[1]
    assert out.splitlines()[0].startswith("expired\t")
    assert out.endswith("1 entry would be archived.\n")
    assert json.loads(mind("tidy", "--dry-run", "--json")[1])["steps"][0]["what"] == "expired"
    assert mind("tidy")[1].endswith("1 entry archived.\n")
    assert mind("tidy")[1] == "0 entries archived.\n"


def test_groups_are_listed_and_a_given_summary_replaces_one(
    mind: Run, call: Call, project: Project
) -> None:
    assert call("mind_consolidate") == "No near-duplicate entries found."
    day = datetime.now(UTC).date() - timedelta(days=60)
    said = {
        "moved": "moved the cache to its own package",
        "split": "moved the cache and its tests into a package",
    }
    lines = [f"progress: {text} ^{name}\n" for name, text in said.items()]
    project.memory.write_text(f"## {day}\n\n{''.join(lines)}", encoding="utf-8")
    listed = call("mind_consolidate").splitlines()
    assert listed[1] == "Group 1:"
    assert [line.split()[1] for line in listed[2:]] == ["split", "moved"]
    told = mind("tidy")[1].splitlines()
    assert told[:2] == ["0 entries archived.", "Similar entries that one summary could replace:"]
    assert [line.split("\t")[0] for line in told[2:]] == ["split", "moved"]
    groups = json.loads(mind("tidy", "--json")[1])["groups"]
    assert [one["id"] for one in groups[0]] == ["split", "moved"]
    assert mind("tidy", "moved", "split")[0] == 2
    done = mind("tidy", "moved", "split", "--summary", "the cache is a package")[1]
    assert "now: learned: the cache is a package [consolidates:: moved, split]" in done
    assert "progress" not in project.memory.read_text("utf-8")


def test_new_words_pass_the_gate_too(call: Call, project: Project) -> None:
    passing = {"id": "server1", "text": "sessions are currently kept in Redis"}
    assert "will not be true for long" in call("mind_update", **passing)
    assert call("mind_update", **passing, acknowledge=True).startswith("Corrected server1")
    claim = {"id": "cookie1", "text": "The user prefers short cookies"}
    assert call("mind_update", **claim).startswith("Pending as ")
    ids = ["cookie1", "server1"]
    summary = "The user prefers Redis for sessions"
    asked = call("mind_consolidate", ids=ids, summary=summary, acknowledge=True)
    assert asked.startswith("Pending as ")
    waits = json.loads(project.pending.read_text(encoding="utf-8"))
    told = [call("mind_confirm", id=one["id"]) for one in waits]
    assert told[0].startswith("Corrected cookie1")
    assert told[1].startswith("consolidated")


def test_new_words_pass_the_gate_on_the_command_line(mind: Run, project: Project) -> None:
    code, _, error = mind("update", "server1", "sessions are currently kept in Redis")
    assert code == 2
    assert "will not be true for long" in error
    assert mind("update", "-y", "server1", "sessions are currently kept in Redis")[0] == 0
    code, out, _ = mind("update", "cookie1", "The user prefers short cookies")
    assert code == 0
    assert "is a claim about the user" in out
    shown = json.loads(mind("update", "cookie1", "The user prefers long cookies", "--json")[1])
    assert shown["archived"] is None
    assert "Corrected cookie1" in mind("confirm", shown["pending"]["id"])[1]
    memory = Memory(project)
    ids = ["cookie1", "server1"]
    plan = memory.consolidate(ids, "The user prefers Redis", acknowledge=True)
    memory.close()
    assert plan.pending
    assert "now: learned: The user prefers Redis" in mind("confirm", plan.pending.id)[1]


TOKEN = "ghp_" + "R7qLmZ2xKv9TnB4wYcJ8sHdF3gA6eUpQ1oXi"


def test_no_answer_and_no_error_repeats_a_credential(call: Call, mind: Run) -> None:
    told = [
        call("mind_get", ids=[TOKEN]),
        call("mind_verify", id=TOKEN),
        call("mind_timeline", anchor=TOKEN),
        call("mind_record_use", ids=["cookie1"], outcome=TOKEN),
        call("mind_record_use", ids=["cookie1", TOKEN], outcome="applied"),
        call("mind_record_use", ids=["cookie1"], outcome="applied", **{TOKEN: 1}),
    ]
    for arguments in (
        ["show", TOKEN],
        ["archive", "show", TOKEN],
        ["forget", TOKEN, "-r", "x"],
        ["log", "-t", TOKEN, "a pool"],
        ["around", TOKEN],
        ["search", TOKEN],
        ["archive", "show", TOKEN, "--json"],
        ["when", TOKEN, "--json"],
    ):
        told += mind(*arguments)[1:]
    assert not [one for one in told if TOKEN in one]
    assert len([one for one in told if "removed]" in one or "credential" in one]) >= 12
