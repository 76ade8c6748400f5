"""Files that were renamed, symbols that left them, and commands that nothing defines any more."""

import json
import os
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from mind.domain.entry import Entry, Kind
from mind.sources import staleness
from mind.sources.git import log
from mind.sources.git import repository as repositories
from mind.sources.staleness import looking
from mind.sources.staleness.citing import commands_in, defines, symbols_in
from tests.test_staleness import commit, told, write

Git = Callable[..., str]
SEEN = date(2026, 11, 20)
LONG = "".join(f"line {number} of a file that git knows again\n" for number in range(20))


def put(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def undated(root: Path, text: str) -> tuple[str, ...]:
    return told(root, text, day="")[0]


# Renames


@pytest.fixture
def renamed(repository: Path, git: Git) -> Path:
    """src/a.py became lib/a.py and then lib/core.py, with commits before, between and after."""
    write(repository, "src/a.py", text=LONG)
    write(repository, "README.md")
    commit(git, "2026-01-01", cwd=repository)
    write(repository, "src/a.py")
    commit(git, "2026-01-05", cwd=repository)
    (repository / "lib").mkdir()
    git("mv", "src/a.py", "lib/a.py", cwd=repository)
    commit(git, "2026-02-01", cwd=repository)
    write(repository, "lib/a.py")
    commit(git, "2026-02-02", cwd=repository)
    git("mv", "lib/a.py", "lib/core.py", cwd=repository)
    commit(git, "2026-03-01", cwd=repository)
    write(repository, "lib/core.py")
    commit(git, "2026-03-02", cwd=repository)
    return repository


def test_a_renamed_file_is_told_by_its_new_name_with_the_commits_to_both(renamed: Path) -> None:
    assert (
        told(renamed, "src/a.py holds it", "src/a.py:3")
        == [("src/a.py is now lib/core.py", "3 commits to lib/core.py since")] * 2
    )
    assert told(renamed, "lib/a.py", "src/a.py", day="2026-02-01") == [
        ("lib/a.py is now lib/core.py", "2 commits to lib/core.py since"),
        ("src/a.py is now lib/core.py", "2 commits to lib/core.py since"),
    ]
    assert told(renamed, "src/a.py", day="2026-01-05") == [
        ("src/a.py is now lib/core.py", "2 commits to lib/core.py since")
    ]
    assert undated(renamed, "src/a.py") == ("src/a.py is now lib/core.py",)


def test_one_that_was_renamed_and_then_deleted_is_gone(renamed: Path, git: Git) -> None:
    git("rm", "-q", "lib/core.py", cwd=renamed)
    commit(git, "2026-04-01", cwd=renamed)
    assert told(renamed, "src/a.py") == [("src/a.py is gone",)]


def test_an_entry_means_the_file_that_had_the_name_then(renamed: Path, git: Git) -> None:
    other = LONG.replace("line", "verse").replace("git", "nobody")
    put(renamed, "src/a.py", other)
    commit(git, "2026-05-01", cwd=renamed)
    (renamed / "src").mkdir(exist_ok=True)
    git("mv", "src/a.py", "src/b.py", cwd=renamed)
    commit(git, "2026-06-01", cwd=renamed)
    assert told(renamed, "src/a.py")[0][0] == "src/a.py is now lib/core.py"
    assert told(renamed, "src/a.py", day="2026-05-10") == [("src/a.py is now src/b.py",)]
    assert told(renamed, "src/a.py", day="2026-07-01") == [("src/a.py is now src/b.py",)]


def test_commits_under_a_name_that_came_back_count_once(repository: Path, git: Git) -> None:
    write(repository, "src/a.py", text=LONG)
    commit(git, "2026-01-01", cwd=repository)
    for day, old, new in (("03", "a", "b"), ("05", "b", "a"), ("07", "a", "c")):
        git("mv", f"src/{old}.py", f"src/{new}.py", cwd=repository)
        commit(git, f"2026-01-{day}", cwd=repository)
        write(repository, f"src/{new}.py")
        commit(git, f"2026-01-{int(day) + 1:02}", cwd=repository)
    assert told(repository, "src/a.py") == [
        ("src/a.py is now src/c.py", "3 commits to src/c.py since")
    ]


def test_names_that_go_round_in_a_circle_end(repository: Path, git: Git) -> None:
    write(repository, "src/a.py", text=LONG)
    commit(git, "2026-01-01", cwd=repository)
    for old, new in (("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")):
        git("mv", f"src/{old}.py", f"src/{new}.py", cwd=repository)
        commit(git, "2026-01-02", cwd=repository)
    (repository / "src/a.py").unlink()
    assert told(repository, "src/a.py and src/b.py")[0] == (
        "src/a.py is gone",
        "src/b.py is gone",
    )


def test_a_project_in_a_folder_is_told_its_own_names(repository: Path, git: Git) -> None:
    write(repository, "web/app/a.py", "web/app/b.py", text=LONG)
    write(repository, "web/app/b.py", text="and more of its own\n" * 20)
    commit(git, "2026-01-01", cwd=repository)
    (repository / "web/lib").mkdir()
    git("mv", "web/app/a.py", "web/lib/z.py", cwd=repository)
    git("mv", "web/app/b.py", "y.py", cwd=repository)
    commit(git, "2026-02-01", cwd=repository)
    assert told(repository / "web", "app/a.py", "app/b.py") == [
        ("app/a.py is now lib/z.py",),
        ("app/b.py is now y.py",),
    ]


def test_git_is_asked_for_all_names_at_once_and_not_again(
    renamed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Sequence[str]] = []
    real = repositories.ask

    def ask(root: Path, *arguments: str, seconds: float) -> repositories.GitAnswer:
        asked.append(arguments)
        return real(root, *arguments, seconds=seconds)

    monkeypatch.setattr(log, "ask", ask)
    texts = ("src/a.py and src/never.py", "lib/a.py", "README.md and `nothing_here`")
    first = told(renamed, *texts)
    before = len(asked)
    assert before == 3  # names, commits, and what is taken out of README.md
    assert told(renamed, *texts) == first
    assert len(asked) == before


def test_folders_that_were_there_are_gone_whoever_asks(renamed: Path, git: Git) -> None:
    git("rm", "-rq", "lib", cwd=renamed)
    commit(git, "2026-04-01", cwd=renamed)
    for _ in range(3):
        assert told(renamed, "README.md") == [()]
        assert told(renamed, "lib/ and never/there") == [("lib is gone",)]
        looking.told.clear()
        assert told(renamed, "lib/ and never/there") == [("lib is gone",)]


# Symbols


@pytest.mark.parametrize(
    ("text", "only", "found"),
    [
        ("src/dates.py:parse_date reads it", "", ["src/dates.py:parse_date"]),
        ("see `src/dates.py::Reader.parse`", "", ["src/dates.py:Reader.parse"]),
        ("`parse_date` in src/dates.py", "", ["src/dates.py:parse_date"]),
        ("`parse_date()` of `src/dates.py`", "", ["src/dates.py:parse_date"]),
        ("parse_date() (src/dates.py) reads", "", ["src/dates.py:parse_date"]),
        ("`parse_date` and `other`", "src/d.py", ["src/d.py:parse_date", "src/d.py:other"]),
        ("`parse_date` and `other`", "", []),
        ("`x`, `a b`, `--flag`, `1.2`, ``two``", "src/d.py", []),
        ("src/dates.py:42 and src/dates.py: parse", "", []),
        ("https://x.org/src/a.py:name, ~/a.py:name, ../a.py:name, /etc/a.py:name", "", []),
        ("C:\\x\\a.py:name and $HOME/a.py:name", "", []),
        ("plain words in src/dates.py", "", []),
    ],
)
def test_symbols_are_those_that_are_said_to_be_in_a_file(
    text: str, only: str, found: list[str]
) -> None:
    assert [f"{one.path}:{one.name}" for one in symbols_in(text, "/home/me/app", only)] == found


@pytest.fixture
def symbols(repository: Path, git: Git) -> Path:
    """src/dates.py lost parse_date in March."""
    before = "def parse_date():\n    never_lost()\n\ndef parse_day(): ...\n"
    put(repository, "src/dates.py", before)
    put(repository, "src/other.py", "x = 1\n")
    commit(git, "2026-01-01", cwd=repository)
    put(
        repository, "src/dates.py", "def parse_dates():\n    never_lost()\n\ndef parse_day(): ...\n"
    )
    commit(git, "2026-03-01", cwd=repository)
    return repository


@pytest.mark.parametrize(
    "text",
    [
        "`parse_date` in src/dates.py reads them",
        "src/dates.py:parse_date reads them",
        "`src/dates.py::parse_date` reads them",
        "`parse_date()` reads them, see src/dates.py:3",
        "parse_date() in src/dates.py, not in src/other.py",
    ],
)
def test_a_symbol_that_left_its_file_is_told(symbols: Path, text: str) -> None:
    flags = told(symbols, text)[0]
    assert [one for one in flags if "commit" not in one] == ["parse_date is gone from src/dates.py"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("`parse_day` and `never_lost` in src/dates.py", "2026-01-02"),
        ("`parse_date` was renamed in src/dates.py", "2026-03-01"),
        ("`parse_date` is long gone from src/dates.py", "2026-04-01"),
        ("`parse_time` was never in src/dates.py", "2026-01-02"),
        ("`parse_date` of src/dates.py or src/other.py, who knows: `x`", "2026-03-02"),
        ("`parse_date` somewhere in src/dates.py and src/other.py", "2026-01-02"),
    ],
)
def test_what_is_there_was_never_there_or_went_before_the_entry_is_not(
    symbols: Path, text: str, day: str
) -> None:
    assert not [one for one in told(symbols, text, day=day)[0] if "gone" in one]


def test_an_entry_without_a_day_is_told_of_what_ever_went(symbols: Path) -> None:
    assert undated(symbols, "`parse_date` in src/dates.py") == (
        "parse_date is gone from src/dates.py",
    )


def test_what_is_too_large_or_no_text_is_not_looked_into(symbols: Path) -> None:
    put(symbols, "src/dates.py", "x" * 1_000_001)
    assert undated(symbols, "`parse_date` in src/dates.py") == ()
    (symbols / "src/dates.py").write_bytes(b"\0x")
    assert undated(symbols, "`parse_date` in src/dates.py") == ()


# Commands


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`make bench` and `make lint test ARGS=-x`", ["make bench", "make lint", "make test"]),
        ("`npm run build -- --fast`, `yarn run x:y`", ["npm run build", "yarn run x:y"]),
        ("`npm test`, `pnpm start`, `just deploy prod`", ["npm test", "pnpm start", "just deploy"]),
        ("make bench, `makes bench`, `npm install`, `make`, `just`, `npm run`", []),
        ("`make -C web bench`, `cd x && make y`, `bun test`, `just --list`, `make $X`", []),
    ],
)
def test_commands_are_those_that_run_what_a_project_defines(text: str, found: list[str]) -> None:
    assert [one.name for one in commands_in(text)] == found


MAKEFILE = """\
.PHONY: bench lint
bench: setup ## Measure
\tpython -m bench
lint format: setup
\truff
"""


@pytest.fixture
def commands(repository: Path, git: Git) -> Path:
    """Every command of the tests was there in January."""
    put(repository, "Makefile", MAKEFILE + "old: setup\n\tx\nolder gone ::\n\tx\n")
    scripts = {"build": "x", "old": "x", "test": "x", "dev:old": "x"}
    put(repository, "package.json", json.dumps({"scripts": scripts}, indent=2))
    recipes = "alias t := test\n\n@test *args:\n    x\n"
    put(repository, "justfile", recipes + "\nold target: test\n    x\n")
    put(repository, "scripts/x.sh", "x\n")
    commit(git, "2026-01-01", cwd=repository)
    put(repository, "Makefile", MAKEFILE)
    put(repository, "package.json", json.dumps({"scripts": {"build": "x"}}, indent=2))
    put(repository, "justfile", recipes)
    (repository / "scripts/x.sh").unlink()
    commit(git, "2026-03-01", cwd=repository)
    return repository


def test_commands_that_nothing_defines_any_more_are_told(commands: Path) -> None:
    assert told(
        commands,
        "run `make old` and `make bench gone`",
        "`npm run old`, `npm run build`, `npm test`, `yarn run dev:old`",
        "`just old x`, `just test -x`, `just t`",
        "`./scripts/x.sh --fast`",
    ) == [
        ("make old is gone from Makefile", "make gone is gone from Makefile"),
        (
            "npm run old is gone from package.json",
            "npm test is gone from package.json",
            "yarn run dev:old is gone from package.json",
        ),
        ("just old is gone from justfile",),
        ("scripts/x.sh is gone",),
    ]
    never = "`make never`, `npm run never`, `just never`, `make setup`"
    assert told(commands, never, "`make old`, `npm run old`", day="2026-03-01") == [(), ()]


def test_a_makefile_that_is_gone_defines_nothing(commands: Path, git: Git) -> None:
    git("rm", "-q", "Makefile", cwd=commands)
    commit(git, "2026-04-01", cwd=commands)
    assert told(commands, "`make bench`, `make never`") == [("make bench is gone from Makefile",)]


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("Makefile", "include other.mk\n", "make old"),
        ("Makefile", "-include other.mk\n", "make old"),
        ("Makefile", "$(TARGETS): x\n", "make old"),
        ("Makefile", "%: x\n", "make old"),
        ("Makefile", "new \\\n old: x\n", "make old"),
        ("justfile", "import 'other.just'\n", "just old"),
    ],
)
def test_what_may_be_defined_elsewhere_is_not_judged(
    commands: Path, name: str, text: str, command: str
) -> None:
    put(commands, name, text)
    assert undated(commands, f"`{command}`") == ()


def test_a_file_that_cannot_be_looked_at_defines_who_knows_what(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (needle,) = commands_in("`make x`")
    assert defines(tmp_path / "loop", needle) is None
    assert defines(tmp_path, needle) is None
    assert defines(tmp_path / "none", needle) is False


def test_a_slow_git_says_nothing_of_them(
    symbols: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path_factory.mktemp("bin") / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    start = time.monotonic()
    assert undated(symbols, "`parse_date` in src/dates.py, src/gone.py") == ("src/gone.py is gone",)
    assert time.monotonic() - start < 10


def test_hits_of_many_entries_are_judged_each_by_its_own_day(renamed: Path) -> None:
    texts = ["2026-02-28", "2026-03-01", "2026-04-01"]
    entries = [
        Entry(id=day, kind=Kind.NOTE, text="lib/core.py", date=date.fromisoformat(day))
        for day in texts
    ]
    assert staleness.of_entries(renamed, entries, SEEN) == [
        ("1 commit to lib/core.py since",),
        ("1 commit to lib/core.py since",),
        (),
    ]


def test_commits_that_made_a_file_and_those_to_an_entrys_own_source_are_no_change(
    repository: Path, git: Git
) -> None:
    write(repository, "adr/0001-go.md", "src/go.py")
    commit(git, "2026-05-06", cwd=repository)
    write(repository, "adr/0001-go.md", "src/go.py")
    commit(git, "2026-05-08", cwd=repository)
    imported = Entry(
        id="a", kind=Kind.DECISION, text="Use src/go.py (adr/0001-go.md) #go",
        date=date(2026, 5, 4), fields={"from": "adr:0001-go"},
    )  # fmt: skip
    assert staleness.of_entries(repository, [imported], SEEN) == [("1 commit to src/go.py since",)]
    assert told(repository, "adr/0001-go.md", day="2026-05-04") == [
        ("1 commit to adr/0001-go.md since",)
    ]
