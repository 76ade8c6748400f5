"""What the command line says: an error names its remedy, a success what happened."""

import errno
from datetime import timedelta
from pathlib import Path

import pytest

from mind.memory.memory import Memory
from mind.storage.project import Project
from tests.conftest import Run


def test_help_cuts_no_summary(mind: Run) -> None:
    said = " ".join(mind("--help")[1].split())
    assert "Set Mind up in a repository: .mind/, the context block, the MCP server." in said
    assert "..." not in said.split("Commands:")[1]
    for group in ("archive", "graph", "mirror", "models", "skills", "tags", "token"):
        assert "..." not in mind(group, "--help")[1].split("Commands:")[1], group


def test_a_setting_that_there_is_not_is_an_error(mind: Run, here: Project) -> None:
    code, out, err = mind("config", "session.gap_minute")
    assert (code, out) == (2, "")
    assert "there is no setting 'session.gap_minute'" in err
    assert "session.gap_minutes" in err
    assert mind("config", "session.gap_minutes")[1] == "30\n"


def test_an_empty_intent_is_refused_but_for_code(mind: Run, here: Project) -> None:
    code, _, err = mind("edges", " ")
    assert code == 2
    assert "--code FILE" in err
    (here.root / "a.py").write_text("x = 1\n", encoding="utf-8")
    assert mind("edges", "", "--code", str(here.root / "a.py"))[0] == 0


def test_advice_names_commands_and_not_tools(mind: Run, here: Project) -> None:
    mind("log", "-t", "rejected", "Redis for session storage - one more server")
    said = mind("log", "-t", "rejected", "store the sessions in Redis")[1]
    assert "`mind blocker`" in said
    said = mind("edges", "use Redis to store sessions")[1]
    assert said.count("rejected before") == 2
    assert said.count("`mind blocker`") == 1
    assert "pass --acknowledge" in mind("log", "-t", "decision", "currently we use pnpm")[2]
    assert "`mind graph relate`" in mind("log", "-t", "relation", "auth uses redis")[2]
    assert "mind_" not in said


def test_what_was_archived_says_how_to_take_it_back(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "tabs over spaces")
    one = mind("recent")[1].split("\t")[0]
    assert f"To restore it, run `mind restore {one}`." in mind("forget", one, "-r", "no")[1]
    assert mind("restore", one)[1].startswith(f"Restored {one}")
    mind("update", one, "spaces over tabs")
    assert "replaced by" not in mind("archive", "show", one)[1]


def test_ones_own_memory_is_named_in_what_comes_next(mind: Run, here: Project) -> None:
    assert "Next: record an entry with `mind --global log" in mind("--global", "init")[1]
    assert (
        "`mind --global confirm "
        in mind("--global", "log", "-t", "note", "I prefer short commits")[1]
    )


def test_gotchas_of_every_project_have_a_heading(mind: Run, here: Project) -> None:
    assert "Gotchas for all projects" not in mind("recall")[1]
    mind("add-global-edge", "Pages count from 1", "-w", "start at page=1")
    said = mind("recall")[1]
    assert "## Gotchas for all projects\n- Pages count from 1: start at page=1\n" in said


def test_a_near_entry_is_named_where_it_stands_now(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "colours are named in upper case")
    old = mind("recent")[1].split("\t")[0]
    mind("log", "-t", "decision", "npm installs packages")
    said = mind("log", "-t", "decision", "npm ci installs packages", "--replaces", old)[1]
    near = next(line for line in said.splitlines() if line.startswith("Similar"))
    place = near.rpartition("[")[2].rstrip("]")
    lines = here.memory.read_text(encoding="utf-8").splitlines()
    assert lines[int(place.rpartition(":")[2]) - 1] == "- decided: npm installs packages"


def test_what_is_derived_is_only_named_in_a_removal(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres")
    mind("search", "sqlite")
    said = mind("uninstall", "--dry-run")[1]
    assert "Derived file a/.mind/cache/index.db is deleted\n" in said
    assert "SQLite format" not in said


def test_nothing_to_take_back_is_said_and_no_memory_claimed(
    mind: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert mind("uninstall")[1] == "Nothing to remove.\n"
    mind("init")
    assert mind("uninstall")[1].endswith("The memory stays in .mind/.\n")
    assert mind("uninstall", "--purge", "--yes")[1].endswith("The memory was deleted.\n")


def test_a_read_only_folder_is_told_when_mind_is_taken_out(
    mind: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    mind("init")

    def refuse(_: Path, *, missing_ok: bool = False) -> None:
        del missing_ok
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    code, _, err = mind("uninstall")
    assert code == 1
    assert "CLAUDE.md: read-only file system" in err
    assert "can be read, not changed" in err


def test_health_sends_nobody_to_check_what_is_new(mind: Run, here: Project) -> None:
    for number in range(12):
        mind("log", "-t", "decision", f"{'abcdefghijkl'[number] * 5} over {number}")
    assert "mind verify" not in mind("health")[1]
    checked = Memory.open().health().verification
    assert (checked.never, checked.recent) == (12, 12)
    text = here.memory.read_text(encoding="utf-8")
    day = Memory.open().recent().hits[0].entry.date
    assert day
    long_ago = (day - timedelta(days=100)).isoformat()
    here.memory.write_text(text.replace(day.isoformat(), long_ago), encoding="utf-8")
    assert "12 of 12 lasting entries older than 90 days" in mind("health")[1]
    assert len(mind("verify", "--limit", "20")[1].splitlines()) == 12


def test_an_export_replaces_an_export_and_no_other_file(
    mind: Run, here: Project, tmp_path: Path
) -> None:
    for how in ("jsonl", "html"):
        there = tmp_path / f"memory.{how}"
        for _ in range(2):
            assert mind("export", "--format", how, "-o", str(there))[0] == 0
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    code, _, err = mind("export", "-o", str(tmp_path / "mine.txt"))
    assert code == 2
    assert "mine.txt exists and is not an export" in err
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
    nowhere = mind("export", "-o", str(tmp_path / "nowhere" / "x.jsonl"))[2]
    assert "Its folder is missing: create it" in nowhere


def test_recall_shortens_long_entries_and_says_how_to_show_them(mind: Run, here: Project) -> None:
    lines = "".join(f"- decided: {number} {'words of a record ' * 300}\n" for number in range(60))
    here.memory.write_text(f"## Decisions\n\n{lines}", encoding="utf-8")
    out = mind("recall")[1]
    assert max(map(len, out.splitlines())) < 900
    assert "To show a shortened entry, run `mind show ID`." in out


@pytest.mark.parametrize(
    ("kind", "message", "line"),
    [
        ("", "Entschieden: Rust", "decided: Rust"),
        ("", "rechazado: usar Celery - pesado", "rejected: usar Celery - pesado"),
        ("", "fixed: the login loop", "progress: the login loop"),
        ("", "**Decision:** use Hetzner", "decided: use Hetzner"),
        ("", "Decision - Go for the worker", "decided: Go for the worker"),
        ("", "决定：使用 Postgres", "decided: 使用 Postgres"),
        ("", "decided: Decision: tabs", "decided: tabs"),
        ("", "Issue #42: login loops", "problem: Issue #42: login loops"),
        ("", '"Error: ENOENT" is shown', 'experience: "Error: ENOENT" is shown'),
        ("", "`Error: bad magic` is raised", "experience: `Error: bad magic` is raised"),
        ("", "Redis: it is slow", "experience: Redis: it is slow"),
        ("rejected", "rechazado: usar Django - lento", "rejected: usar Django - lento"),
        ("learning", "Entschieden: Rust", "learned: Entschieden: Rust"),
    ],
)
def test_a_label_of_any_language_gives_the_type_and_is_not_repeated(
    here: Project, mind: Run, kind: str, message: str, line: str
) -> None:
    assert mind("log", *(["-t", kind] if kind else []), message)[0] == 0
    files = (here.memory.read_text("utf-8"), here.session.read_text("utf-8"))
    assert f"- {line}\n" in "".join(files)


def test_one_of_a_thing_is_singular_and_a_rejection_is_named_so(mind: Run, here: Project) -> None:
    assert mind("log", "-t", "rejected", "Kafka - slow")[1].startswith("Recorded rejection ")
    assert mind("sync")[1].startswith("1 entry (1 session); 1 added")
    assert "session\t1 note\n" in mind("status")[1]


def test_an_unknown_type_names_those_that_can_be_logged(mind: Run, here: Project) -> None:
    code, _, err = mind("log", "-t", "banana", "x")
    assert (code, "rejected" in err, "relation" in err) == (2, True, False)


def test_a_port_that_there_is_not_is_an_error(mind: Run, here: Project) -> None:
    code, _, err = mind("serve", "--port", "99999")
    assert (code, err) == (2, "error: port is 99999.\nUse a number from 0 to 65,535.\n")


def test_a_switch_is_true_or_false(mind: Run, here: Project) -> None:
    assert "must be true or false, not 'soon'" in mind("config", "hooks.enabled", "soon")[2]


@pytest.mark.parametrize("command", ["update", "tidy"])
def test_acknowledge_names_no_option_that_the_command_lacks(mind: Run, command: str) -> None:
    told = mind(command, "--help")[1]
    assert "--acknowledge" in told
    assert "--replaces" not in told
