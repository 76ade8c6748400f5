"""An index whose process dies, or that two processes make at once: the next answer is right."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from mind.memory import sync
from mind.memory.memory import Memory
from mind.search.embedding import models
from mind.sources import commits
from mind.storage.index import Index
from mind.storage.project import Project
from tests import tiny_bert
from tests.index_stories import differences, edit, output, start, write


@pytest.fixture
def tiny(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a model of a few random weights, which is fast."""
    user = tmp_path_factory.mktemp("user")
    models.add(user, str(tiny_bert.write(tmp_path_factory.mktemp("files") / "tiny", limit=12)))
    monkeypatch.setenv("MIND_HOME", str(user))
    return user


def death(project: Project, seconds: float, *, rebuild: bool) -> bool:
    """Kill a process ``seconds`` after it began to index; whether it was still at it."""
    process = start("make", project.root, "rebuild" if rebuild else "", 0)
    assert process.stdout
    assert process.stdout.readline() == "started\n", process.communicate()
    time.sleep(seconds)  # when it dies is the case, not a wait for something
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def deaths(project: Project, count: int, seed: int, days: int, each: int) -> Iterator[str]:
    """Kill ``count`` processes that index, after an edit each; yields what was wrong after each."""
    pick = random.Random(seed)  # noqa: S311 - when processes die, no secret
    write(project, pick, days, each)
    begun = time.monotonic()
    output(start("make", project.root, "rebuild", 0))
    longest = time.monotonic() - begun
    for number in range(count):
        if number % 3 == 2:
            write(project, pick, days, each)
        edit(project, pick)
        rebuild = pick.random() < 0.5
        killed = death(
            project, pick.random() * longest * (0.7 if rebuild else 0.1), rebuild=rebuild
        )
        wrong = differences(project, sound=True)
        yield f"{number}: {wrong}" if wrong else "killed" if killed else "ended"


def test_after_a_sudden_death_the_next_search_is_right(project: Project) -> None:
    seen = list(deaths(project, 3, 1, days=20, each=20))
    assert set(seen) <= {"killed", "ended"}
    assert "killed" in seen


def test_a_death_while_vectors_are_made_loses_only_the_last(tiny: Path, project: Project) -> None:
    seen = list(deaths(project, 2, 2, days=4, each=10))
    assert set(seen) <= {"killed", "ended"}
    assert "killed" in seen


@pytest.mark.parametrize("part", [0.3, 0.999])
def test_a_death_between_two_statements(tiny: Path, project: Project, part: float) -> None:
    pick = random.Random(3)  # noqa: S311 - as above
    write(project, pick, 3, 10)
    statements = int(output(start("make", project.root, "", 0)).split()[1])
    edit(project, pick)
    process = start("make", project.root, "rebuild", max(1, int(statements * part)))
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert differences(project, sound=True) == []


def test_two_processes_may_index_at_once(
    tiny: Path, project: Project, git: Callable[..., str]
) -> None:
    pick = random.Random(4)  # noqa: S311 - as above
    write(project, pick, 3, 18)
    for number in range(20):
        git("commit", "--quiet", "--allow-empty", "-m", f"Decided: cache number {number} stays")
    for _ in range(2):
        both = [start("make", project.root, "", 0) for _ in range(2)]
        for process in both:
            output(process)
        assert differences(project, sound=True) == []
        edit(project, pick)
        git("commit", "--quiet", "--allow-empty", "-m", "Decided: one more cache stays")


class Dying(Index):
    """Its process dies once something is written."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        with super().writing():
            yield
        raise KeyboardInterrupt


def test_a_death_after_a_change_leaves_no_old_block(project: Project) -> None:
    with closing(Memory(project)) as memory:
        memory.log("caches stay", "decision")
        memory.recall()
        memory.log("queues go", "decision")
        with closing(Dying(project.cache / "index.db")) as index, pytest.raises(KeyboardInterrupt):
            sync.refresh(project, index)
        assert "queues go" in memory.recall().context


def test_commits_that_another_process_indexed_meanwhile_come_once(
    project: Project, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "Decided: caches stay")
    with closing(Memory(project)) as memory:
        memory.checkpoint()
        git("commit", "--quiet", "--allow-empty", "-m", "Decided: queues go")
        scan = commits.scan

        def scanned_while_another_indexes(*given: Any) -> commits.Commits:
            monkeypatch.setattr(commits, "scan", scan)
            with closing(Index(project.cache / "index.db")) as other:
                sync.refresh(project, other)
            return scan(*given)

        monkeypatch.setattr(commits, "scan", scanned_while_another_indexes)
        assert memory.checkpoint().by_source == {"commits": 2}
    assert differences(project, sound=True) == []


def test_a_search_sees_one_state_of_the_index(project: Project) -> None:
    project.memory.write_text("decided: caches stay\n", encoding="utf-8")
    with closing(Memory(project)) as memory, closing(Index(project.cache / "index.db")) as other:
        memory.search("caches")

        def write_meanwhile(statement: str) -> None:
            if "MATCH" in statement:
                memory.index.db.set_trace_callback(None)
                project.memory.write_text("decided: queues go\n", encoding="utf-8")
                sync.refresh(project, other)

        memory.index.db.set_trace_callback(write_meanwhile)
        assert [hit.entry.text for hit in memory.search("caches").hits] == ["caches stay"]
        assert memory.search("caches").hits == ()


def test_a_search_does_not_fail_while_another_process_writes(project: Project) -> None:
    project.memory.write_text("decided: caches stay\n", encoding="utf-8")
    with closing(Memory(project)) as memory, closing(Index(project.cache / "index.db")) as other:
        memory.search("caches")
        project.memory.write_text("decided: queues go\n", encoding="utf-8")
        memory.index.db.execute("PRAGMA busy_timeout = 1")
        with other.writing():
            assert [hit.entry.text for hit in memory.search("queues").hits] == ["queues go"]
