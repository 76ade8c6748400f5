"""An index that is built by processes that are killed, or have little time: each call goes on."""

import random
import re
import signal
from collections.abc import Callable
from contextlib import closing
from operator import methodcaller

import pytest

from mind.domain.errors import MindError
from mind.memory.memory import Memory
from mind.storage.index import Index
from mind.storage.project import Project
from tests import hooking
from tests.index_stories import differences, lines, output, start, write

PARTIAL = re.compile(r"The index is (\d+) % complete; answers are from its last complete state\.")


@pytest.fixture
def large(project: Project) -> Project:
    """A memory of 2,000 entries in 50 sections, and no index."""
    write(project, random.Random(1), 50, 40)  # noqa: S311 - what it says, no secret
    return project


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is one section, however fast the machine is."""
    monkeypatch.setattr("mind.storage.index.entries._SECONDS", 0)


def hurried(project: Project) -> Memory:
    """A memory that has time for one batch a call."""
    return Memory(project, seconds=0)


def partial(problems: tuple[str, ...]) -> int | None:
    """How much of the index is there, as an answer says; None if it is complete."""
    found = [said for one in problems if (said := PARTIAL.match(one))]
    return int(found[0][1]) if found else None


def prepared(project: Project) -> int:
    """How many chunks wait to be put in place."""
    with closing(Index(project.cache / "index.db")) as index:
        count: int = index.db.execute("SELECT count(*) FROM prepared").fetchone()[0]
    return count


def entries(memory: Memory) -> int:
    return sum(memory.index.counts("family").values())


def test_a_killed_process_loses_one_batch_at_most(large: Project) -> None:
    for deaths in (1, 2):
        process = start("make", large.root, "batches", 3)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert prepared(large) == 2 * deaths
    assert differences(large, sound=True) == []
    assert prepared(large) == 0


@pytest.mark.usefixtures("small_batches")
def test_a_call_with_little_time_says_that_its_answer_is_not_of_all(large: Project) -> None:
    said: list[int] = []
    with closing(hurried(large)) as memory:
        while (done := partial(memory.status().problems)) is not None:
            said.append(done)
            if len(said) <= 20:
                assert entries(memory) == 0
        assert said[:20] == sorted(set(said[:20]))  # the sections; comments come behind them
        assert all(0 <= done < 100 for done in said)
        assert len(said) > 20
        assert entries(memory) == 2000
        assert memory.search("cachea").problems == ()
    assert differences(large) == []


@pytest.mark.usefixtures("small_batches")
def test_the_last_complete_state_answers_while_much_changed(large: Project) -> None:
    with closing(Memory(large)) as memory, closing(hurried(large)) as other:
        assert entries(memory) == 0
        before = memory.search("cachea", limit=100)
        text = large.memory.read_text(encoding="utf-8")
        large.memory.write_text(text.replace("cachea ", "cachez "), encoding="utf-8")
        seen = other.search("cachea", limit=100)
        assert partial(seen.problems) is not None
        assert [hit.entry for hit in seen.hits] == [hit.entry for hit in before.hits]
        assert memory.search("cachea").problems == ()
        assert memory.search("cachea").total == 0
        assert other.search("cachez", limit=100).problems == ()


@pytest.mark.usefixtures("small_batches")
def test_ids_follow_an_edit_of_many_entries_that_was_interrupted(large: Project) -> None:
    with closing(Memory(large)) as memory:
        old = [hit.entry for hit in memory.search("gotcha cachea", limit=20).hits]
    text = large.memory.read_text(encoding="utf-8")
    large.memory.write_text(re.sub(r"(?m)^(- .*)$", r"\1 indeed", text), encoding="utf-8")
    for _ in range(2):
        with closing(hurried(large)) as memory:
            assert partial(memory.status().problems) is not None
    with closing(Memory(large)) as memory:
        for one in old:
            (now,) = memory.get([one.id]).entries
            assert now.text == f"{one.text} indeed"


@pytest.mark.usefixtures("small_batches")
def test_a_block_is_not_written_from_a_part_of_memory(large: Project) -> None:
    with closing(Memory(large)) as memory:
        memory.recall()
        wanted = (large.root / "CLAUDE.md").read_bytes()
        memory.index.clear()
    for call in (methodcaller("recall"), methodcaller("checkpoint")):
        with closing(hurried(large)) as memory:
            answer = call(memory)
            assert partial(answer.problems) is not None
            assert answer.written == ()
        assert (large.root / "CLAUDE.md").read_bytes() == wanted


@pytest.mark.usefixtures("small_batches")
def test_a_session_is_not_closed_by_a_part_of_memory(large: Project) -> None:
    known = large.memory.read_text(encoding="utf-8").splitlines()[-1].removeprefix("- ")
    with closing(Memory(large, session_id="a")) as memory:
        memory.log("blocker: none of the caches answers", "blocker")
        memory.log(known, "experience")
        noted = large.session.read_bytes()
        memory.index.clear()
        large.memory.touch()
    with closing(Memory(large, session_id="b", seconds=0)) as memory:
        memory.recall(event="startup")
        assert large.session.read_bytes() == noted
        memory.index.clear()  # nothing of the first call is left
        large.memory.touch()
        with pytest.raises(MindError, match="not complete"):
            memory.end_session("a")
        assert large.session.read_bytes() == noted
    with closing(Memory(large, session_id="b")) as memory:
        memory.end_session("a")
    assert large.session.read_bytes() != noted
    assert large.memory.read_text(encoding="utf-8").count(known.partition(": ")[2]) == 1


@pytest.mark.usefixtures("small_batches")
def test_comments_and_commits_are_read_in_several_calls(
    project: Project, git: Callable[..., str]
) -> None:
    body = "".join(f"def f{at}(x):\n    return x + {at}  # plain\n" for at in range(150))
    for at in range(60):
        text = f"{body}# MEMORY: decided: module {at} stays small\n{body}"
        (project.root / f"m{at}.py").write_text(text, encoding="utf-8")
    git("add", "-A")
    for at in range(80):
        message = f"Work {at}\n\n" + "".join(
            f"learned: cache {at} needs step {step}\n\n" for step in range(30)
        )
        git("commit", "--quiet", "--allow-empty", "-m", message)
    said = 0
    with closing(hurried(project)) as memory:
        while partial(memory.status().problems) is not None:
            said += 1
        assert memory.status().by_source == {"commits": 2400, "comments": 60}
    assert said >= 2
    assert differences(project) == []


@pytest.mark.usefixtures("small_batches")
def test_hooks_go_on_with_an_index_and_say_how_far_it_is(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, random.Random(2), 50, 40)  # noqa: S311 - as above
    with project.memory.open("a", encoding="utf-8") as file:
        file.write("\n- gotcha: `frobnicate()` hangs -> call `twiddle()`\n")
    monkeypatch.setattr("mind.hooks.building._SECONDS", 0.0)
    first = hooking.start(project)
    assert partial(tuple(first.removeprefix("Memory problem: ").splitlines())) is not None
    for at in range(60):
        told = hooking.edit(project, "frobnicate()\n", session=f"s{at}")
        if "twiddle" in told and PARTIAL.search(told) is None:
            break
        assert told == "" or PARTIAL.search(told)  # comments and commits may come in a later call
    assert "twiddle" in told
    assert PARTIAL.search(told) is None
    assert PARTIAL.search(hooking.start(project, "b")) is None


@pytest.mark.usefixtures("small_batches")
def test_a_warning_from_a_part_of_memory_is_labelled(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.memory.write_text(
        "- gotcha: `frobnicate()` hangs -> call `twiddle()`\n", encoding="utf-8"
    )
    with closing(Memory(project)) as memory:
        memory.recall()
    with project.memory.open("a", encoding="utf-8") as file:
        for day in range(1, 29):
            file.write(f"\n## 2026-10-{day:02}\n\n{lines(random.Random(day), 40)}")  # noqa: S311 - as above
    monkeypatch.setattr("mind.hooks.building._SECONDS", 0.0)
    told = hooking.edit(project, "frobnicate()\n")
    assert "twiddle" in told
    assert PARTIAL.search(told)


def test_several_processes_prepare_an_index_together(large: Project) -> None:
    both = [start("make", large.root, "", 0) for _ in range(3)]
    for process in both:
        output(process)
    assert differences(large, sound=True) == []
