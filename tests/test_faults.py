"""Files that are not as they should be: a clear message, nothing lost, memory still readable."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mind.domain.errors import FileError
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def write(project: Project, data: bytes) -> None:
    project.memory.write_bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n\n",
        b"\xef\xbb\xbfdecided: with a mark\n",
        b"decided: a\r\ndecided: b\r\n",
        b"decided: no line end",
        b"\0\0\0",
        b"decided: caf\xe9\n",
        b"# " + b"x" * 1_000_000,
    ],
)
def test_lesson_any_bytes_in_memory_are_read_and_kept(project: Project, data: bytes) -> None:
    write(project, data)
    memory = Memory(project)
    memory.recall()
    assert project.memory.read_bytes() == data
    memory.log("added", "decision")
    assert project.memory.read_bytes().startswith(data)
    assert "added" in [one.text for one in memory.index_entries()]


def test_lesson_memory_that_is_not_utf8_is_read_around_and_reported(project: Project) -> None:
    write(project, b"## 2026-11-20\n\ndecided: one\nlearned: caf\xe9\n")
    memory = Memory(project)
    for _ in range(2):
        assert "MEMORY.md:4 is not UTF-8" in memory.recall().problems[0]
    assert [hit.entry.text for hit in memory.search("one").hits] == ["one"]


def test_a_merge_conflict_is_reported_and_both_sides_are_read(project: Project) -> None:
    write(
        project,
        b"## 2026-11-20\n\n<<<<<<< ours\ndecided: left\n=======\ndecided: right\n>>>>>>> theirs\n",
    )
    memory = Memory(project)
    assert "merge conflict" in memory.recall().problems[0]
    assert {"left", "right"} <= {one.text for one in memory.index_entries()}
    assert "merge conflict" in memory.recall().context


def test_lines_of_many_conflicts_without_an_end_take_no_time(project: Project) -> None:
    """One expression for the three lines of a conflict took minutes for 18 KB."""
    write(project, b"<<<<<<< a\n" * 2_000 + b"=======\n" * 2_000 + b"\n- decided: left\n")
    began = time.process_time()
    memory = Memory(project)
    assert memory.recall().problems == ()
    assert "left" in {one.text for one in memory.index_entries()}
    assert time.process_time() - began < 5


@pytest.mark.parametrize("broken", ["[]", "{", "", "null", "3", '{"last_activity": "x"}'])
def test_lesson_broken_state_is_as_if_it_had_never_been(project: Project, broken: str) -> None:
    project.state.write_text(broken, encoding="utf-8")
    memory = Memory(project)
    assert memory.recall().new_session
    assert not memory.recall().new_session


@pytest.mark.parametrize("broken", ["[]", "{", "null", '[{"title": 3}, 4]', '{"edges": 3}'])
def test_lesson_broken_global_gotchas_do_not_crash_a_tool(project: Project, broken: str) -> None:
    path = Path(os.environ["MIND_HOME"]) / "global_edges.json"
    path.write_text(broken, encoding="utf-8")
    memory = Memory(project)
    memory.recall()
    assert memory.edges("anything", "code").edges == ()


@pytest.mark.parametrize("damage", ["delete", "truncate", "garbage"])
def test_an_index_that_is_lost_or_damaged_is_rebuilt(project: Project, damage: str) -> None:
    memory = Memory(project)
    memory.log("SQLite over Postgres", "decision")
    before = memory.recall().context
    memory.close()
    path = project.cache / "index.db"
    for side in project.cache.glob("index.db-*"):
        side.unlink()
    if damage == "delete":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "truncate" else b"garbage " * 2_000)
    again = Memory(project)
    assert again.recall().context == before
    again.close()


def test_missing_files_are_made_when_they_are_needed(project: Project) -> None:
    for path in (project.memory, project.session, project.reminders, project.state):
        path.unlink(missing_ok=True)
    memory = Memory(project)
    memory.recall()
    memory.log("a", "decision")
    memory.log("b", "experience")
    memory.remind("c", "next session")
    assert {one.text for one in memory.index_entries()} == {"a", "b"}
    assert [one.text for one in memory.reminders()] == ["c"]


def test_a_folder_in_the_place_of_memory_is_an_error_with_a_remedy(project: Project) -> None:
    project.memory.unlink()
    project.memory.mkdir()
    memory = Memory(project)
    assert "MEMORY.md" in memory.recall().problems[0]
    with pytest.raises(FileError):
        memory.log("x", "decision")


READ_ONLY = """
import os, sys
from pathlib import Path
os.setgid(65534); os.setuid(65534)
from mind.domain.errors import FileError
from mind.memory.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
answer = memory.recall()
assert "SQLite" in answer.context, answer
assert memory.search("sqlite").hits
try:
    memory.log("x", "decision")
except FileError as error:
    print(error)
else:
    raise SystemExit("written into a read-only checkout")
"""


def interpreter() -> str:
    """A Python of this version that anybody may run."""
    for candidate in (Path(sys.executable), Path("/usr/bin/python3")):
        folders = [candidate.resolve()]
        if candidate == Path(sys.executable):  # it may be a copy that reads its modules elsewhere
            folders.append(Path(sysconfig.get_path("stdlib")).resolve())
        parts = [part for folder in folders for part in (folder, *folder.parents)]
        if all(part.stat().st_mode & 0o005 == 0o005 for part in parts):
            return str(candidate)
    return ""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that anybody may read, unlike those of the test runner."""
    with tempfile.TemporaryDirectory(prefix="mind-shared-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(not ROOT, reason="only root can become nobody")
@pytest.mark.skipif(not interpreter(), reason="no Python here that nobody may run")
def test_a_read_only_checkout_is_readable_and_says_that_it_cannot_be_written(
    public: Path,
) -> None:
    root = public
    install.apply(install.plan(root))
    memory = Memory(Project(root))
    memory.log("SQLite over Postgres", "decision")
    memory.recall()
    memory.close()
    before = Project(root).memory.read_bytes()
    packages = os.pathsep.join([str(Path(__file__).parents[1]), sysconfig.get_path("purelib")])
    done = subprocess.run(
        [interpreter(), "-c", READ_ONLY, str(root)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": packages, "MIND_HOME": str(root / "no")},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "permission" in done.stdout.lower()
    assert Project(root).memory.read_bytes() == before


def test_modes_of_memory_files_stay(project: Project) -> None:
    for path in (project.memory, project.session, project.reminders):
        path.chmod(0o600)
    memory = Memory(project)
    memory.log("a", "decision")
    memory.log("b", "experience")
    memory.remind("c", "tomorrow")
    for path in (project.memory, project.session, project.reminders):
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_symlinked_memory_stays_a_symlink(project: Project) -> None:
    real = project.root / "shared.md"
    project.memory.rename(real)
    project.memory.symlink_to(real)
    memory = Memory(project)
    memory.log("through the link", "decision")
    assert project.memory.is_symlink()
    assert "through the link" in real.read_text("utf-8")
