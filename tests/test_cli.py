"""The command line as a person and a program see it."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mind import __version__
from mind.domain.errors import REJECTED_BEFORE
from mind.memory.memory import Memory
from mind.setup import install
from mind.sources.importers import importers
from mind.storage.project import Project
from tests.conftest import Run


def test_lesson_the_version_is_the_version(mind: Run) -> None:
    assert mind("--version") == (0, f"mind {__version__}\n", "")
    assert mind("-p", ".", "--version")[1] == f"mind {__version__}\n"


def test_help_names_every_command_and_teaches(mind: Run) -> None:
    code, out, _ = mind("--help")
    assert code == 0
    for command in (
        "init recall session log blocker search edges add-global-edge graph reminders remind done "
        "status sync bench parse when config projects models doctor uninstall mcp"
    ).split():
        assert re.search(rf"^\s+{command}\s", out, re.MULTILINE), command
        code, text, _ = mind(command, "--help")
        assert code == 0
        assert len(text) > 100
    assert mind()[0] == 2


def test_a_first_session(mind: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    code, out, _ = mind("init", "--dry-run")
    assert code == 0
    assert "+++ b/.mind/MEMORY.md" in out
    assert not (repository / ".mind").exists()
    code, out, _ = mind("init")
    assert "create  .mind/MEMORY.md" in out
    assert "Memory is ready: 0 entries." in out
    assert mind("init")[1].startswith("Memory is ready")
    assert mind("init", "--dry-run")[1] == "Nothing to change.\n"
    out = mind("log", "-t", "decision", "SQLite over Postgres - one file")[1]
    assert re.fullmatch(r"Recorded decision \w{8} in \.mind/MEMORY\.md\.\n", out)
    mind("log", "-t", "rejected", "Redis for sessions - one more server")
    out = mind("log", "-t", "rejected", "use Redis for the sessions")[1]
    assert "rejected before" in out
    out = mind("search", "sqlite")[1]
    assert out.split("\t")[2:5] == ["decision", "high", "SQLite over Postgres"]
    assert "Recent Decisions" in mind("recall")[1]
    assert "rejected · use Redis" in mind("session")[1]
    assert "1 decision" in mind("status")[1]
    assert "3 entries (2 session, 1 memory)" in mind("sync")[1]
    assert "keyword" in mind("parse")[1]
    code, out, _ = mind("edges", "put sessions into Redis")
    assert (code, "rejected before" in out) == (3, True)
    assert mind("edges", "put sessions into Redis", "--json")[0] == 3
    code, out, _ = mind("edges", "rename", "a", "label")
    assert (code, "No warnings (stack: " in out) == (0, True)
    assert mind("edges", "-", stdin="")[:2] == (0, "No warnings (stack: none detected).\n")


def test_reminders(mind: Run, here: Project) -> None:
    assert "No reminders." in mind("reminders")[1]
    out = mind("remind", "check the audit", "--when", "when I mention auth")[1]
    identifier = out.split()[1]
    assert "when auth comes up" in mind("reminders")[1]
    assert mind("remind", "again")[1].count("next session") == 1
    assert "Reminder" in mind("log", "auth works", "-t", "progress")[1]
    assert mind("done", identifier)[1] == "Done: check the audit\n"
    assert "done" in mind("reminders", "--all")[1]
    code, _, err = mind("remind", "x", "--when", "2026-13-45")
    assert code == 2
    assert "next session" in err


def test_a_blocker_and_a_global_gotcha(mind: Run, here: Project) -> None:
    mind("log", "-t", "gotcha", "the sandbox has no DNS -> use the hosts file")
    out = mind("blocker", "the request to the sandbox times out", "-k", "DNS")[1]
    assert "Recorded blocker" in out
    assert "the sandbox has no DNS" in out
    out = mind("add-global-edge", "No bare wildcards", "-w", "name them", "--pattern", r"foo\(")[1]
    assert out == "Recorded for all projects: No bare wildcards\n"
    out = mind("edges", "x", "--code", "-", stdin="a\nfoo()\n")[1]
    assert "line 2 of the code has `foo(`" in out
    assert "do: name them" in out
    code, _, err = mind("add-global-edge", "x", "-w", "y", "--pattern", "(")
    assert code == 2
    assert "does not compile" in err


def test_log_reads_from_a_pipe(mind: Run, here: Project) -> None:
    mind("log", "-t", "learning", "-", stdin="first\nsecond\n")
    assert "learned: first\n  second\n" in here.memory.read_text(encoding="utf-8")


def test_settings(mind: Run, here: Project) -> None:
    assert "session.gap_minutes\tint\t30\t" in mind("config")[1]
    assert mind("config", "session.gap_minutes", "45")[1] == "45\n"
    assert json.loads(here.config.read_text("utf-8")) == {"session": {"gap_minutes": 45}}
    assert mind("config", "session.gap_minutes", "--unset")[1] == "30\n"
    assert json.loads(mind("config", "--json")[1])["search.limit"] == 10
    code, _, err = mind("config", "session.gap", "3")
    assert code == 2
    assert "did you mean 'session.gap_minutes'" in err


def test_projects(mind: Run, here: Project, home: Path) -> None:
    assert mind("projects")[1] == f"{here.name}\t{here.root}\n"
    assert json.loads(mind("projects", "--json")[1]) == [
        {"name": here.name, "path": str(here.root)}
    ]
    (here.folder).rename(home / "elsewhere")
    out = mind("projects", "--prune")[1]
    assert out.startswith(f"No longer exists: {here.root}")
    assert "No projects yet" in mind("projects")[2]


def test_uninstall_asks_before_it_deletes(mind: Run, here: Project) -> None:
    mind("log", "-t", "decision", "kept")
    assert "delete  CLAUDE.md" in mind("uninstall")[1]
    assert here.memory.exists()
    mind("init")
    code, _, _ = mind("uninstall", "--purge", stdin="n\n")
    assert code == 1
    assert here.memory.exists()
    assert "deleted" in mind("uninstall", "--purge", "--yes")[1]
    assert not here.folder.exists()


@pytest.mark.parametrize(
    "command",
    [
        "recall --json",
        "session --json",
        "log --json x",
        "blocker --json x",
        "search --json sqlite",
        "edges --json x",
        "add-global-edge --json x -w y",
        "reminders --json",
        "remind --json x",
        "status --json",
        "sync --json",
        "parse --json",
        "when --json last week",
        "config --json",
        "projects --json",
        "doctor --json --quick",
        "init --json",
        "init --json --dry-run",
        "uninstall --json --dry-run",
        "uninstall --json",
    ],
)
def test_every_command_prints_json_for_programs(mind: Run, here: Project, command: str) -> None:
    mind("log", "-t", "decision", "SQLite over Postgres")
    code, out, _ = mind(*shlex.split(command))
    assert code == 0
    assert json.loads(out) is not None


def test_done_prints_json_too(mind: Run, here: Project) -> None:
    identifier = json.loads(mind("remind", "x", "--json")[1])["id"]
    assert json.loads(mind("done", identifier, "--json")[1])["text"] == "x"


def test_the_json_of_parse_and_search_is_stable(mind: Run, here: Project) -> None:
    mind("log", "-t", "problem", "login fails because the clock is frozen")
    entry = json.loads(mind("parse", "--json")[1])["entries"][0]
    assert {"id", "line", "end", "kind", "status", "confidence", "date", "text"} <= set(entry)
    assert (entry["kind"], entry["status"], entry["line"]) == ("problem", "open", 20)
    hit = json.loads(mind("search", "login", "--json", "--limit", "1")[1])[0]
    assert {"id", "kind", "date", "text", "score", "file", "line"} <= set(hit)
    assert (hit["file"], hit["line"]) == (".mind/MEMORY.md", 20)


def test_lesson_an_error_is_an_error_with_a_remedy(
    mind: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("nowhere"))
    code, out, err = mind("recall")
    assert (code, out) == (1, "")
    assert "mind init" in err
    code, out, _ = mind("recall", "--json")
    assert code == 1
    assert json.loads(out)["error"] == "project"
    assert mind("nonsense")[0] == 2
    assert mind("search")[0] == 2


def test_another_project_by_option(
    mind: Run, here: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("other")
    install.apply(install.plan(root))
    mind("--project", str(root), "log", "-t", "decision", "over there")
    assert "over there" in (root / ".mind" / "MEMORY.md").read_text("utf-8")
    os.environ.pop("MIND_PROJECT")


def test_a_table_on_a_terminal(mind: Run, here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    mind("log", "-t", "decision", "[bold] SQLite")
    monkeypatch.setattr("mind.cli.output.is_terminal", lambda: True)
    out = mind("search", "sqlite")[1]
    assert "relevance" in out
    assert "[bold] SQLite" in out


def test_the_program_starts_by_name_and_as_a_module(here: Project) -> None:
    for command in ([str(Path(sys.executable).with_name("mind"))], [sys.executable, "-m", "mind"]):
        done = subprocess.run(
            [*command, "status"], check=True, capture_output=True, encoding="utf-8"
        )
        assert str(here.root) in done.stdout


def test_completion_is_offered(here: Project) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("mind")), "--show-completion", "bash"],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert "_MIND_COMPLETE" in done.stdout


def test_the_readme_session_works(mind: Run, here: Project) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    session = readme.split("use the same memory from the shell:")[1].split("```")[1]
    lines = [line[2:] for line in session.splitlines() if line.startswith("$ mind ")]
    assert len(lines) >= 6
    for line in lines:
        code, out, err = mind(*shlex.split(line)[1:])
        assert code == (REJECTED_BEFORE if line.startswith("mind edges") else 0), (line, err)
        assert out
        shown = session.split(f"{line}\n")[1].split("$ ")[0]
        out, shown = (re.sub(r"\d{4}-\d\d-\d\d", "DAY", one) for one in (out, shown))
        assert all(told in out for told in shown.splitlines()), (line, out)
    assert "(high, " in session


def test_start_up_imports_only_what_it_needs() -> None:
    script = (
        "import sys; sys.argv = ['mind', '--version']\n"
        "from mind.__main__ import main; main()\n"
        "heavy = {'typer', 'rich', 'mcp', 'markdown_it', 'dateparser', 'git', 'sqlite3', 'json'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_logging_loads_no_parser_and_no_client_libraries(here: Project) -> None:
    script = (
        "import sys\n"
        "from mind.memory.memory import Memory\n"
        "Memory.open().log('x', 'decision')\n"
        "heavy = {'typer', 'rich', 'mcp', 'markdown_it', 'dateparser', 'git', 'sklearn', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    Memory(here).log("the first of the day", "decision")
    Memory(here).search("day")
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_opening_a_memory_loads_nothing_that_only_some_calls_need() -> None:
    script = (
        "import sys\n"
        "import mind.memory.memory\n"
        "some = 'briefing checks curation gotchas graph loops tidy validation'\n"
        "print(sorted({f'mind.memory.{one}' for one in some.split()} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stdout == "[]\n"


def test_what_the_last_session_left_is_shown(mind: Run, here: Project) -> None:
    mind("recall", "--session-id", "a")
    mind("log", "-t", "rejected", "Redis for sessions - one more server")
    mind("log", "looked around")
    now = json.loads(here.state.read_bytes())
    here.state.write_text(json.dumps({**now, "last_activity": 1}), encoding="utf-8")
    mind("add-global-edge", "No bare wildcards", "-w", "name them")
    out = mind("recall", "--session-id", "b", "--force")[1]
    assert "## New session\n- added: Redis for sessions\n" in out
    assert "- No bare wildcards: name them" in out
    assert "No notes in this session yet." in mind("session")[1]


def test_nothing_found_and_nothing_understood(mind: Run, here: Project) -> None:
    assert mind("search", "kubernetes")[1] == "Nothing found for 'kubernetes'. Try other words.\n"
    assert mind("parse")[1].startswith("No entries.")
    mind("remind", "look", "--when", "when I mention auth")
    mind("log", "-t", "decision", "auth by email link")
    assert "Reminder" in mind("search", "auth")[1]
    assert "Reminder" in mind("edges", "change auth")[1]


def test_problems_go_to_standard_error(mind: Run, here: Project) -> None:
    here.memory.write_bytes(b"decided: x\n\xff\n")
    for command in ("recall", "sync", "status", "search x"):
        assert "! .mind/MEMORY.md:2 is not UTF-8" in mind(*command.split())[2]


def test_a_pipe_that_is_none_is_an_error(
    mind: Run, here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(io, "StringIO", Terminal)
    code, _, err = mind("log", "-")
    assert code == 2
    assert "Pipe" in err


def test_the_server_starts_through_the_command_line(here: Project) -> None:
    for arguments in (["mcp"], ["--project", str(here.root), "mcp", "--toolsets", "core"]):
        done = subprocess.run(
            [str(Path(sys.executable).with_name("mind")), *arguments],
            input=b"",
            check=True,
            capture_output=True,
        )
        assert done.stdout == b""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("mind")), "mcp", "--toolsets", "nonsense"],
        input=b"",
        check=False,
        capture_output=True,
    )
    assert done.returncode == 2
    assert b"Use one or more of: core" in done.stderr


def test_init_sets_up_the_project_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mind: Run
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert mind("--project", str(tmp_path / "there"), "init")[0] == 0
    assert (tmp_path / "there" / ".mind" / "MEMORY.md").exists()
    assert not any((tmp_path / "here").iterdir())


def test_the_help_of_import_lists_every_importer(mind: Run) -> None:
    code, out, _ = mind("import", "--help")
    assert code == 0
    listed = out.partition("\nTools:\n")[2]
    for one in importers().values():
        assert one.name in listed
        assert one.about.split()[0] in listed


def test_a_search_loads_rules_for_secrets_only_for_new_documents(here: Project) -> None:
    script = (
        "import sys\n"
        "from mind.memory.memory import Memory\n"
        "Memory.open().search('wheels')\n"
        "print('mind.text.secrets.finding' in sys.modules)"
    )

    def loads() -> bool:
        done = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
        )
        return done.stdout == "True\n"

    (here.root / "CONTRIBUTING.md").write_text("# Wheels\n\nBuild wheels with uv.\n", "utf-8")
    assert [loads(), loads()] == [True, False]
    (here.root / "SECURITY.md").write_text("# Wheels\n\nReport broken wheels.\n", "utf-8")
    assert [loads(), loads()] == [True, False]


@pytest.mark.parametrize(
    ("command", "most"),
    [("search sqlite", 110), ("recall", 90), ("status", 85), ("edges 'use sqlite'", 145)],
)
def test_a_command_compiles_only_the_expressions_that_it_uses(
    here: Project, command: str, most: int
) -> None:
    Memory(here).log("SQLite over Postgres - one file", "decision")
    Memory(here).search("one file")
    script = (
        "import re, re._compiler as compiler, sys\n"
        "made, compile_ = [], compiler.compile\n"
        "compiler.compile = lambda *given: made.append(given[0]) or compile_(*given)\n"
        "import typer, mind.storage.process, tomllib, sqlite3, gettext\n"
        "made.clear()\n"
        f"sys.argv = ['mind', *{shlex.split(command)!r}]\n"
        "from mind.__main__ import main\n"
        "try: main()\n"
        "finally: print(len(made), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, encoding="utf-8"
    )
    assert int(done.stderr.split()[-1]) <= most


def test_a_status_and_a_recall_load_no_code_for_pages_and_checks(here: Project) -> None:
    Memory(here).log("SQLite over Postgres - one file", "decision")
    for command in ("status", "recall"):
        script = (
            "import sys; from mind.memory.memory import Memory\n"
            f"Memory.open().{command}()\n"
            "some = {'mistune', 'mind.memory.checks', 'mind.memory.health', 'mind.memory.mirror'}\n"
            "print(sorted(some & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
        )
        assert done.stdout == "[]\n"
