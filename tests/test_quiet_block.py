"""A file that git tracks changes when memory does, and for no other reason."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project
from tests.conftest import Clock
from tests.test_server import call

Git = Callable[..., str]


@pytest.fixture
def target(memory: Memory) -> Path:
    """The file with the block."""
    return memory.project.root / "CLAUDE.md"


def test_thirty_sessions_change_a_tracked_file_only_with_an_entry_that_it_shows(
    memory: Memory, clock: Clock, target: Path, git: Git
) -> None:
    git("add", "-A")
    git("commit", "-qm", "set up")
    for number in range(3):
        memory.remind(f"renew certificate {number}", f"in {number + 1} days")
    changed = []
    for number in range(30):
        clock.forward(hours=20)
        before = target.read_bytes()
        memory.recall(session_id=f"session-{number}")
        if number % 10 == 0:
            memory.log(f"database number {number} over a file", "decision")
        elif number % 2:
            memory.log(f"the cache of run {number} was cold", "experience")
        else:
            memory.log(f"version 1.{number} went out", "note")
        memory.recall(session_id=f"session-{number}")
        if target.read_bytes() != before:
            changed.append(number)
    assert changed == [0, 10, 20]
    text = target.read_text(encoding="utf-8")
    assert "renew certificate" not in text
    assert "the cache of run" not in text


def test_what_is_due_and_new_reaches_the_agent_all_the_same(
    memory: Memory, clock: Clock, target: Path
) -> None:
    memory.remind("renew the certificate", "tomorrow")
    memory.log("SQLite over Postgres", "decision")
    clock.forward(days=2)
    answer = memory.recall()
    assert "renew the certificate" in answer.context
    text = target.read_text(encoding="utf-8")
    assert "SQLite over Postgres" in text
    assert "renew the certificate" not in text


def test_a_file_that_git_ignores_holds_everything(
    memory: Memory, clock: Clock, target: Path, git: Git
) -> None:
    memory.configure("context.targets", '["CLAUDE.md", "CLAUDE.local.md"]')
    own = memory.project.root / "CLAUDE.local.md"
    own.write_bytes(target.read_bytes())
    (memory.project.root / ".gitignore").write_text("CLAUDE.local.md\n", encoding="utf-8")
    git("add", "-A")
    memory.remind("renew the certificate", "tomorrow")
    clock.forward(days=2)
    memory.recall()
    assert "renew the certificate" in own.read_text(encoding="utf-8")
    assert "renew the certificate" not in target.read_text(encoding="utf-8")


def test_outside_of_git_the_file_holds_everything(tmp_path: Path, clock: Clock) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    install.apply(install.plan(root))
    memory = Memory(Project(root), clock=clock)
    memory.remind("renew the certificate", "tomorrow")
    clock.forward(days=2)
    memory.recall()
    assert "renew the certificate" in (root / "CLAUDE.md").read_text(encoding="utf-8")


def test_comments_and_commits_do_not_change_a_tracked_file(
    memory: Memory, target: Path, git: Git
) -> None:
    git("add", "-A")
    git("commit", "-qm", "set up")
    memory.recall()
    before = target.read_bytes()
    source = memory.project.root / "app.py"
    source.write_text("# MEMORY: decided: parse dates by hand\n", encoding="utf-8")
    git("add", "app.py")
    memory.recall()
    assert [one.text for one in memory.recall(block=False).omitted] == ["parse dates by hand"]
    source.write_text("# MEMORY: decided: no dates\n", encoding="utf-8")
    git("commit", "-qam", "Parse dates\n\ndecided: no library for dates")
    assert "no library for dates" in memory.recall().context
    assert target.read_bytes() == before


def test_a_clone_has_the_same_block(memory: Memory, git: Git, tmp_path: Path) -> None:
    memory.log("SQLite over Postgres", "decision")
    memory.log("login fails on Safari", "problem")
    memory.recall()
    git("add", "-A")
    git("commit", "-qm", "set up")
    clone = tmp_path / "clone"
    git("clone", "--quiet", str(memory.project.root), str(clone))
    Memory(Project(clone)).recall()
    assert git("status", "--porcelain", cwd=clone) == ""


def shown(target: Path) -> str:
    return target.read_text(encoding="utf-8")


def test_a_small_memory_stands_in_the_block_and_asks_for_no_recall(
    memory: Memory, target: Path
) -> None:
    notes = [
        ("Redis for sessions - one more server", "rejected"),
        ("SQLite over Postgres because one file is enough", "decision"),
        ("the vendor counts pages from 1", "learning"),
        ("FastAPI runs def routes in threads -> open a connection each", "gotcha"),
    ]
    memory.project.memory.write_text(
        "# Memory\n\n" + "".join(f"- {kind}: {text}\n" for text, kind in notes), encoding="utf-8"
    )
    memory.recall()
    for text, _ in notes:
        assert text in shown(target)
    assert "mind_recall" not in shown(target)
    again = memory.recall(block=False)
    assert again.read_in == ("CLAUDE.md",)
    assert (again.context, again.omitted) == ("", ())
    assert "The block has all current rejected approaches" in again.completeness
    memory.mute_tag("database")
    assert memory.recall(block=False).completeness == ""


def test_a_recall_returns_what_the_block_omits_nearest_to_the_work_first(
    memory: Memory, target: Path
) -> None:
    lines = [f"- learned: fact {at} about parts of the house {'.' * 90}" for at in range(200)]
    lines[7] = "- learned: the kiln of the pottery needs two hours to cool, " + "." * 90
    memory.project.memory.write_text("# Memory\n\n" + "\n".join(lines), encoding="utf-8")
    memory.log("looked at the kiln all morning", "experience")
    memory.recall()
    assert "kiln" not in shown(target)
    assert "Call `mind_recall` with your task first" in shown(target)
    answer = memory.recall(block=False)
    assert "kiln" in answer.omitted[0].text
    assert all(one.text not in shown(target) for one in answer.omitted)
    assert answer.completeness == ""


@pytest.mark.parametrize("task", [" \n", "!?", "🚀"])
def test_a_task_without_words_is_none(memory: Memory, task: str) -> None:
    lines = [f"- learned: fact {at} about parts of the house {'.' * 90}" for at in range(200)]
    lines[7] = "- learned: the kiln of the pottery needs two hours to cool, " + "." * 90
    memory.project.memory.write_text("# Memory\n\n" + "\n".join(lines), encoding="utf-8")
    memory.log("looked at the kiln all morning", "experience")
    assert "kiln" in memory.recall(task=task).omitted[0].text
    told = call(memory.project, "mind_recall", task=task)[0]
    assert "## Not in the block, closest to the current work first" in told


def test_a_credential_in_a_task_is_masked_in_the_answer(memory: Memory) -> None:
    assert "AKIA" not in memory.recall(task="call S3 with " + "AKIA" + "Z7Q2XK4M" + "N8P5R3TW").task


def test_what_warns_of_a_task_comes_before_what_is_otherwise_close_to_it(
    memory: Memory, target: Path
) -> None:
    lines = [f"- learned: the kiln cools {at} cups an hour {'.' * 90}" for at in range(200)]
    lines += [f"- decided: shelf {at} is for glazes {'.' * 90}" for at in range(100)]
    lines[150:150] = [
        "- rejected: cooling the kiln with a fan - the cups cracked " + "." * 90,
        "- gotcha: a cup in the kiln must not touch another one " + "." * 90,
        *(f"- rejected: wheel {at} for large plates {'.' * 90}" for at in range(60)),
        *(f"- gotcha: clay of sort {at} shrinks {'.' * 90}" for at in range(60)),
    ]
    memory.project.memory.write_text("# Memory\n\n" + "\n".join(lines), encoding="utf-8")
    memory.recall()
    found = [one.text for one in memory.recall(task="cool the cups in the kiln").omitted]
    assert found[0].startswith("the kiln cools")
    assert any("with a fan" in one for one in found[:3])
    assert any("touch another" in one for one in found[:3])
    named = call(memory.project, "mind_recall", task="turn wheel 41 for large plates")[0]
    assert "## Not in the block, closest to the task first; a search" in named
    closest = named.partition("## Not in the block")[2].split("\n- ")[1]
    assert "wheel 41" in closest


def test_a_recall_says_when_a_search_would_find_nothing_else(memory: Memory, target: Path) -> None:
    lines = [f"- learned: fact {at} about parts of the house {'.' * 190}" for at in range(40)]
    memory.project.memory.write_text("# Memory\n\n" + "\n".join(lines), encoding="utf-8")
    memory.recall()
    answer = memory.recall(block=False)
    told = {line[2:] for line in shown(target).splitlines() if line.startswith("- fact")}
    told |= {one.text for one in answer.omitted}
    assert len(told) == 40
    assert answer.omitted
    assert "The block and the list below have all" in answer.completeness


def test_what_was_superseded_or_contradicted_is_not_shown_as_current(
    memory: Memory, target: Path
) -> None:
    memory.project.memory.write_text(
        "# Memory\n\n- decided: deploy by hand ^deploy01\n"
        "- decided: the build deploys [supersedes:: deploy01]\n"
        "- learned: the port is 80 [superseded-by:: a1b2c3d4]\n"
        "- learned: tests need the TZ of Vienna ^vienna01\n",
        encoding="utf-8",
    )
    memory.record_use(["vienna01"], "contradicted")
    answer = memory.recall()
    assert "the build deploys" in shown(target)
    for text in ("by hand", "port is 80"):
        assert text not in shown(target)
    assert "Vienna" not in answer.context


def test_continue_from_names_progress_that_is_more_than_maintenance(
    memory: Memory, target: Path
) -> None:
    memory.project.memory.write_text(
        "# Memory\n\n## 2026-11-18\n\n- progress: invoices are written as PDF\n\n"
        "## 2026-11-19\n\n- progress: Bumped dependencies\n",
        encoding="utf-8",
    )
    memory.recall()
    assert "## Continue From\n- invoices are written as PDF (2026-11-18)" in shown(target)
    assert "Bumped" not in shown(target)


def test_continue_from_prefers_what_is_called_progress_to_a_plain_bullet(
    memory: Memory, target: Path
) -> None:
    memory.project.memory.write_text(
        "# Memory\n\n## 2026-11-18\n\n- progress: invoices are written as PDF\n\n"
        "## 2026-11-19\n\n- Rechnungen brauchen die Steuernummer des Käufers.\n",
        encoding="utf-8",
    )
    memory.recall()
    assert "## Continue From\n- invoices are written as PDF (2026-11-18)" in shown(target)
