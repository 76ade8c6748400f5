"""Goals, lessons and pinned entries leave memory only with an explicit override, everywhere."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mind.domain.errors import MindError, Protected
from mind.memory.answers import Logged
from mind.memory.memory import Memory
from mind.server.mcp.app import answer
from mind.server.mcp.tools import TOOLSETS
from mind.storage import events
from mind.storage.project import Project
from tests.conftest import Clock, Run
from tests.http_service import Running, at_home, project_at, serving

TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
PROTECTED = {
    "target11": "goal", "thebank1": "gotcha", "loginbug": "problem", "noredis1": "rejected",
    "pinned11": "pinned", "vital111": "pinned", "warned11": "realize",
}  # fmt: skip
TEXT = """\
# Memory

## 2026-11-19

- goal: ship the shop before Christmas ^target11
- gotcha: the bank counts cents ^thebank1
- problem: the login page loops when cookies are off ^loginbug
- rejected: Redis for sessions, it loses carts ^noredis1
- decided: invoices are numbered without gaps [pinned:: yes] ^pinned11
- learned: taxes are rounded per line [importance:: 0.95] ^vital111
- note: never restart the queue at noon [layer:: warnings] ^warned11
- decided: sessions are kept in cookies ^cookies1
- note: parcels leave on Monday ^outer111
  - gotcha: the scanner drops leading zeros ^inner111
"""


def used(project: Project, name: str) -> list[events.Event]:
    return [one for one in events.events(project.events) if one.name == name]


@pytest.fixture
def kept(memory: Memory) -> Memory:
    memory.project.memory.write_text(TEXT, encoding="utf-8")
    memory.recall()
    return memory


@pytest.fixture
def tool(kept: Memory, clock: Clock) -> Callable[..., tuple[str, bool]]:
    """Call a tool: its text, and whether that is an error."""

    def call(name: str, **given: object) -> tuple[str, bool]:
        return answer(TOOLS[name], name, given, lambda: Memory(kept.project, clock=clock))

    return call


WAYS: dict[str, Callable[[Memory, str, bool], object]] = {
    "forget": lambda memory, one, yes: memory.forget(one, "over", acknowledge=yes),
    "replaces": lambda memory, one, yes: memory.log(
        "ledgers are closed at night", "decision", replaces=one, acknowledge=yes
    ),
    "consolidate": lambda memory, one, yes: memory.consolidate(
        [one, "cookies1"], "cookies, and what came of them", acknowledge=yes
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("one", PROTECTED)
def test_a_protected_entry_leaves_only_with_an_override_that_is_logged(
    kept: Memory, way: str, one: str
) -> None:
    with pytest.raises(MindError) as caught:
        WAYS[way](kept, one, False)
    assert caught.value.code == "protected"
    assert f"{one} ({PROTECTED[one]}) is protected; nothing was changed" in str(caught.value)
    assert "set acknowledge" in caught.value.remedy
    assert kept.project.memory.read_text("utf-8") == TEXT
    assert not kept.project.archive.exists()
    done = WAYS[way](kept, one, True)
    taken = done.replaced if isinstance(done, Logged) else done
    assert getattr(taken, "protected") == (one,)  # noqa: B009 - of one of two kinds of answers
    event = used(kept.project, "consolidate" if way == "consolidate" else "forget")[-1]
    assert event.data["protected"] == [one]
    assert f"^{one}" not in kept.project.memory.read_text("utf-8")
    kept.restore(one)
    assert f"^{one}" in kept.project.memory.read_text("utf-8")


@pytest.mark.parametrize("way", WAYS)
def test_what_is_not_protected_needs_no_override(kept: Memory, way: str) -> None:
    other = kept.log("the queue is drained at night", "decision").entry.id
    done = WAYS[way](kept, other, False)
    taken = done.replaced if isinstance(done, Logged) else done
    assert not getattr(taken, "protected")  # noqa: B009 - of one of two kinds of answers
    assert not any("protected" in event.data for event in events.events(kept.project.events))


def test_a_protected_entry_within_another_one_protects_it(kept: Memory) -> None:
    with pytest.raises(MindError, match=r"inner111 \(gotcha\) is protected"):
        kept.forget("outer111", "over")
    assert kept.project.memory.read_text("utf-8") == TEXT
    done = kept.forget("outer111", "over", acknowledge=True)
    assert done.protected == ("inner111",)


def test_an_entry_that_somebody_just_pinned_is_protected(kept: Memory) -> None:
    kept.get(["cookies1"])
    text = TEXT.replace("in cookies ^", "in cookies [pinned:: yes] ^")
    kept.project.memory.write_text(text, encoding="utf-8")
    with pytest.raises(MindError, match=r"cookies1 \(pinned\) is protected"):
        kept.forget("cookies1", "over")


def test_tidying_leaves_what_is_protected(kept: Memory, clock: Clock) -> None:
    kept.project.memory.write_text(
        TEXT.replace(" ^", " [expires:: 2026-11-19] ^"), encoding="utf-8"
    )
    clock.forward(days=4_000)
    planned = kept.tidy()
    assert [one.id for step in planned.steps for one in step.entries] == ["cookies1"]
    left = kept.project.memory.read_text("utf-8")
    assert [one for one in (*PROTECTED, "inner111", "outer111") if f"^{one}" not in left] == []


@pytest.mark.parametrize("mark", ["[pinned:: yes]", "[importance:: 1]", "[layer:: rule]"])
def test_the_end_of_a_session_replaces_nothing_that_is_protected(
    memory: Memory, clock: Clock, mark: str
) -> None:
    old = f"- assumption: the deploy script runs the migrations first {mark} ^assumed1\n"
    memory.project.memory.write_text(f"# Memory\n\n## 2026-11-19\n\n{old}", encoding="utf-8")
    memory.recall()
    memory.log("the deploy script does not run the migrations first", "assumption")
    clock.forward(hours=2)
    (kept,) = [one for one in memory.recall().promoted if one.outcome != "left"]
    assert kept.outcome == "linked"
    text = memory.project.memory.read_text("utf-8")
    assert old in text
    assert "[related:: assumed1]" in text
    assert not memory.project.archive.exists()


def test_a_claim_that_waits_remembers_the_override(kept: Memory) -> None:
    claim = "The user prefers cents over euros"
    with pytest.raises(MindError, match=r"thebank1 \(gotcha\) is protected"):
        kept.log(claim, "learning", replaces="thebank1")
    assert kept.waiting() == []
    waits = kept.log(claim, "learning", replaces="thebank1", acknowledge=True).pending
    assert waits is not None
    done = kept.confirm(waits.id)
    assert isinstance(done, Logged)
    assert done.replaced is not None
    assert done.replaced.protected == ("thebank1",)


def test_a_claim_replaces_nothing_that_was_pinned_meanwhile(kept: Memory) -> None:
    waits = kept.log("The user prefers cookies", "learning", replaces="cookies1").pending
    assert waits is not None
    text = TEXT.replace("in cookies ^", "in cookies [pinned:: yes] ^")
    kept.project.memory.write_text(text, encoding="utf-8")
    with pytest.raises(MindError, match=r"cookies1 \(pinned\) is protected"):
        kept.confirm(waits.id)
    assert kept.project.memory.read_text("utf-8") == text
    assert [one.id for one in kept.waiting()] == [waits.id]


# The interfaces


def test_a_model_is_refused_and_overrides(tool: Callable[..., tuple[str, bool]]) -> None:
    said, failed = tool("mind_forget", id="thebank1", reason="over")
    assert failed
    assert "thebank1 (gotcha) is protected; nothing was changed" in said
    assert "set acknowledge" in said
    said, failed = tool("mind_forget", id="thebank1", reason="over", acknowledge=True)
    assert not failed
    assert "\nProtection overridden: thebank1.\n" in said
    new = {"message": "ledgers close at night", "type": "decision", "replaces": "target11"}
    assert tool("mind_log", **new)[1]
    said, failed = tool("mind_log", **new, acknowledge=True)
    assert not failed
    assert "Protection overridden: target11." in said
    both = {"ids": ["pinned11", "cookies1"], "summary": "cookies and invoices"}
    assert tool("mind_consolidate", **both)[1]
    said, failed = tool("mind_consolidate", **both, acknowledge=True)
    assert not failed
    assert said.endswith("Protection overridden: pinned11.")


def test_a_person_is_refused_and_overrides(
    kept: Memory, mind: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kept.project.root)
    code, _, err = mind("forget", "thebank1", "-r", "over")
    assert code == 2
    assert "thebank1 (gotcha) is protected; nothing was changed." in err
    assert "pass --acknowledge" in err
    code, out, _ = mind("forget", "thebank1", "-r", "over", "--acknowledge")
    assert code == 0
    assert "Protection overridden: thebank1." in out
    new = ("log", "-t", "decision", "ledgers close at night", "--replaces", "target11")
    assert mind(*new)[0] == 2
    code, out, _ = mind(*new, "--acknowledge", "--json")
    assert code == 0
    assert json.loads(out)["replaced"]["protected"] == ["target11"]
    told = json.loads(mind("forget", "loginbug", "-r", "x", "-y", "--json")[1])
    assert told["protected"] == ["loginbug"]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Running, Project]]:
    home = tmp_path / "home"
    with at_home(home):
        root = project_at(tmp_path / "shop")
    Project(root).memory.write_text(TEXT, encoding="utf-8")
    with serving(home, "--project", str(root), "--rate", "0") as service:
        yield service, Project(root)


def test_a_program_is_refused_and_overrides(running: tuple[Running, Project]) -> None:
    service, project = running
    path = "/api/v1/entries/thebank1/forget"
    refused = service.ask("POST", path, {"reason": "over"})
    assert (refused.status, refused.json["code"]) == (409, "protected")
    assert refused.json["detail"] == "thebank1 (gotcha) is protected; nothing was changed."
    assert "acknowledge" in refused.json["remedy"]
    done = service.ask("POST", path, {"reason": "over", "acknowledge": True})
    assert (done.status, done.json["protected"]) == (200, ["thebank1"])
    new = {"message": "ledgers close at night", "type": "decision", "replaces": "target11"}
    assert service.ask("POST", "/api/v1/entries", new).status == 409
    done = service.ask("POST", "/api/v1/entries", new | {"acknowledge": True})
    assert (done.status, done.json["replaced"]["protected"]) == (201, ["target11"])
    logged = [one.data.get("protected") for one in used(project, "forget")]
    assert logged == [["thebank1"], ["target11"]]


def test_a_blocker_that_is_to_be_forgotten_can_be_solved(memory: Memory) -> None:
    known = memory.log("the licence server is down", "blocker").entry.id
    with pytest.raises(Protected) as caught:
        memory.forget(known, "it is up again")
    assert "log progress that replaces it" in str(caught.value.remedy)
    memory.log("the licence server is up", "progress", replaces=known)
    assert memory.get([known]).entries[0].status == "resolved"
