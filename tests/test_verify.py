"""Entries that need a check: which, in which order, and how a person works through them."""

import json
from datetime import UTC, datetime

import pytest

from mind.cli import doctor as command
from mind.domain.errors import InputError, NotFound
from mind.memory.memory import Memory
from mind.storage.events import Event, record
from mind.storage.project import Project
from tests.conftest import Run
from tests.test_staleness import Git, commit, write

NOTES = """\
# Memory

## 2026-06-01

- decided: src/a.py keeps the sessions ^aaaaaaaa
- learned: src/a.py is slow ^bbbbbbbb
- gotcha: nothing old was checked ^cccccccc
- problem: src/gone.py is needed ^dddddddd
- [x] problem: src/gone.py was solved ^eeeeeeee
- done: src/gone.py was written ^ffffffff
- note: checked long ago [verified:: 2026-07-01] ^gggggggg
- note: checked lately [verified:: 2026-11-01] ^hhhhhhhh

## 2026-11-01

- decided: young and unchecked ^iiiiiiii
"""


@pytest.fixture
def owing(memory: Memory, git: Git) -> Memory:
    root = memory.project.root
    write(root, "src/a.py", "src/gone.py")
    commit(git, "2026-05-01", cwd=root)
    write(root, "src/a.py")
    (root / "src/gone.py").unlink()
    commit(git, "2026-07-01", "Sessions move to Redis", cwd=root)
    memory.project.memory.write_text(NOTES, encoding="utf-8")
    for name in ("bbbbbbbb", "bbbbbbbb", "dddddddd"):
        moment = datetime(2026, 11, 19, tzinfo=UTC)
        event = Event(at=moment, session="x", name="get", ids=(name,), data={})
        record(memory.project.events, event, memory.project.settings)
    return memory


def test_what_drifted_comes_first_then_old_checks_then_none(owing: Memory) -> None:
    found = owing.debt()
    listed = [(one.entry.id[0], one.why, one.uses) for one in found.owed]
    assert listed == [
        ("b", "drifted", 2),
        ("d", "drifted", 1),
        ("a", "drifted", 0),
        ("g", "stale", 0),
        ("c", "never", 0),
    ]
    assert found.counts == {"drifted": 3, "stale": 1, "never": 1}
    assert found.owed[1].stale == ("src/gone.py is gone",)
    first = owing.debt(limit=2)
    assert len(first.owed) == 2
    assert first.counts == found.counts
    with pytest.raises(InputError, match="limit"):
        owing.debt(limit=0)


def test_a_check_takes_an_entry_out_of_debt(owing: Memory) -> None:
    for one in owing.debt().owed:
        if "gone" not in "".join(one.stale):
            owing.verify(one.entry.id)
    assert [one.entry.id for one in owing.debt().owed] == ["dddddddd"]


def test_an_entry_added_since_the_last_look_supersedes_another(memory: Memory) -> None:
    day = "# Memory\n\n## 2026-06-01\n\n- decided: the session cache is Redis 6 ^aaaaaaaa\n"
    memory.project.memory.write_text(day, encoding="utf-8")
    assert not memory.health().superseded.total
    assert memory.debt().counts == {"never": 1}
    later = "\n## 2026-06-02\n\n- decided: the session cache is Redis 7 ^bbbbbbbb\n"
    memory.project.memory.write_text(day + later, encoding="utf-8")
    for _ in range(2):
        shown = memory.health().superseded.shown
        assert [(one.entry.id, one.by) for one in shown] == [("aaaaaaaa", "bbbbbbbb")]
        assert memory.debt().counts == {"superseded": 1, "never": 1}


def test_commits_since_are_named(owing: Memory) -> None:
    (line,) = owing.changes("aaaaaaaa")
    assert line.startswith("2026-07-01 ")
    assert line.endswith(" Sessions move to Redis")
    assert owing.changes("cccccccc") == []
    assert owing.changes("iiiiiiii") == []
    with pytest.raises(NotFound):
        owing.changes("nothing")


def test_commits_to_the_old_name_are_named_too(owing: Memory, git: Git) -> None:
    root = owing.project.root
    git("mv", "src/a.py", "src/b.py", cwd=root)
    commit(git, "2026-08-01", "Rename", cwd=root)
    assert [line.split(" ", 2)[2] for line in owing.changes("aaaaaaaa")] == [
        "Rename",
        "Sessions move to Redis",
    ]


# The command


def test_ids_are_checked_off(owing: Memory, here: Project, mind: Run) -> None:
    code, out, _ = mind("verify", "aaaaaaaa", "cccccccc", "--note", "read the code")
    assert code == 0
    assert out.splitlines()[0].startswith("Verified aaaaaaaa: ")
    assert here.memory.read_text(encoding="utf-8").count("[verified:: ") == 4
    assert json.loads(mind("verify", "aaaaaaaa", "--json")[1])[0]["id"] == "aaaaaaaa"
    assert mind("verify", "nothing")[0] == 2


def test_a_pipe_gets_a_list(owing: Memory, here: Project, mind: Run) -> None:
    code, out, err = mind("verify", "--limit", "1")
    assert code == 0
    (line,) = out.splitlines()
    assert line.split("\t")[:3] == ["bbbbbbbb", "drifted", "learning"]
    assert line.endswith("1 commit to src/a.py since")
    assert "more; raise --limit to see them." in err
    rows = json.loads(mind("verify", "--json")[1])
    assert rows[0]["needs"] == "drifted"
    assert rows[0]["stale"] == ["1 commit to src/a.py since"]


def test_nothing_to_check_is_told(here: Project, mind: Run) -> None:
    assert mind("verify") == (0, "", "No entries need verification.\n")


def test_a_person_sees_what_changed_since(
    owing: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    command.show_owed(owing, owing.debt())
    out = capsys.readouterr().out
    assert "3 citing paths that were deleted or changed" in out
    assert "learning of 2026-06-01 bbbbbbbb [.mind/MEMORY.md:6]" in out
    assert "! src/gone.py is gone" in out
    assert "Sessions move to Redis" in out
    assert "mind verify ID" in out
