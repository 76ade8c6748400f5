"""Git starts nothing that a repository names, and nobody waits for it for long.

A hostile repository names a program everywhere git looks for one. Each program writes down that it
ran, and git itself writes down what it starts (``GIT_TRACE2_EVENT``).
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import psutil
import pytest

from mind.memory.memory import Memory
from mind.server.mcp.app import answer
from mind.server.mcp.tools import chosen
from mind.setup import install
from mind.sources.file_history import relative
from mind.sources.git import repository
from mind.sources.git.log import lineage
from mind.sources.git.repository import ask
from mind.storage import process
from mind.storage.process import Patience
from mind.storage.project import Project
from tests import hooking
from tests.conftest import Run

Git = Callable[..., str]
T = TypeVar("T")
posix = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")
pytestmark = posix

KEYS = """
    alias.log alias.status alias.grep alias.rev-parse
    core.alternateRefsCommand core.askPass core.editor core.fsmonitor core.gitProxy core.pager
    core.sshCommand credential.helper diff.evil.command diff.evil.textconv diff.external
    difftool.evil.cmd fetch.recurseSubmodules filter.evil.clean filter.evil.process
    filter.evil.smudge gpg.program gpg.ssh.program gpg.x509.program interactive.diffFilter
    man.evil.cmd merge.evil.driver mergetool.evil.cmd pager.diff pager.grep pager.log pager.status
    receive.procReceiveRefs remote.origin.receivepack remote.origin.uploadpack
    remote.origin.vcs sequence.editor submodule.sub.update tar.evil.command
    trailer.evil.command uploadpack.packObjectsHook
""".split()
"""Keys whose value git runs, sooner or later."""
SETTINGS = {
    "core.hooksPath": "{hooks}",
    "diff.submodule": "diff",
    "difftool.prompt": "false",
    "filter.evil.required": "true",
    "gpg.format": "openpgp",
    "log.showSignature": "true",
    "remote.origin.promisor": "true",
    "remote.origin.url": "ext::sh -c {script}% remote",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
}
HOOKS = """
    applypatch-msg commit-msg fsmonitor-watchman p4-pre-submit post-applypatch post-checkout
    post-commit post-index-change post-merge post-rewrite post-update pre-applypatch pre-auto-gc
    pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
    proc-receive push-to-checkout reference-transaction sendemail-validate update
""".split()


class Hostile:
    """A repository that names a program everywhere, and what ran of them."""

    def __init__(self, root: Path, evil: Path) -> None:
        self.root = root
        self._ran = evil / "ran"
        self._trace = evil / "trace"

    def clear(self) -> None:
        for path in (self._ran, self._trace):
            path.unlink(missing_ok=True)

    @property
    def started(self) -> list[str]:
        """What the repository's programs noted, and what git started by itself."""
        noted = self._ran.read_text("utf-8").splitlines() if self._ran.exists() else []
        rows = self._trace.read_text("utf-8").splitlines() if self._trace.exists() else []
        events = [json.loads(row) for row in rows]
        return noted + [
            " ".join(map(str, event["argv"])) for event in events if event["event"] == "child_start"
        ]

    @property
    def asked(self) -> int:
        """How many git processes there were."""
        text = self._trace.read_text("utf-8") if self._trace.exists() else ""
        return text.count('"event":"start"')


def filled(project: Project, git: Git, clone: Path) -> None:
    """Memory, commits, a tag, a submodule and changes that are not committed."""
    memory = Memory(project)
    memory.log("Redis over Memcached, see src/cache.py", "decision")
    memory.log("the submodule sub/inner.txt is pinned; `make build` needs it", "gotcha")
    memory.close()
    root = project.root
    (root / "src").mkdir()
    (root / "src" / "cache.py").write_text("# MEMORY: keep it warm\nsize = 1\n", "utf-8")
    (root / "Makefile").write_text("build:\n\ttrue\n", "utf-8")
    git("add", "--all")
    git("commit", "--quiet", "-m", "decided: tabs over spaces")
    git("tag", "v1.0")
    git("init", "--quiet", "--initial-branch=main", str(clone))
    (clone / "inner.txt").write_text("one\n", "utf-8")
    git("add", "--all", cwd=clone)
    git("commit", "--quiet", "-m", "inner", cwd=clone)
    allowed = ("-c", "protocol.file.allow=always")
    for name in ("sub", ".mind/sub.md"):
        git(*allowed, "submodule", "--quiet", "add", str(clone), name)
    (root / "src" / "cache.py").write_text("# MEMORY: keep it warm\nsize = 2\n", "utf-8")
    git("add", "--all")
    git("commit", "--quiet", "-m", "learned: the cache has two sizes")
    for name in ("sub", ".mind/sub.md"):
        (clone / "inner.txt").write_text(f"{name}\n", "utf-8")
        git("commit", "--quiet", "--all", "-m", "more", cwd=clone)
        git(*allowed, "submodule", "--quiet", "update", "--remote", name)
    git("rm", "--quiet", "Makefile")
    git("commit", "--quiet", "--all", "-m", "rejected: make - too old")
    git("mv", "src/cache.py", "src/store.py")


def armed(root: Path, evil: Path) -> None:
    """Name a program everywhere in ``root``: its configuration, attributes, hooks, submodules."""
    script = evil / "script"
    script.write_text(f'#!/bin/sh\necho "$@" >> {evil}/ran\n', "utf-8")
    script.chmod(0o755)
    for name in HOOKS:
        shutil.copy(script, evil / name)
    folders = [root / ".git", *(root / ".git" / "modules").glob("**/objects/..")]
    for folder in folders:
        config = str((folder / "config").resolve())
        for key in KEYS:
            subprocess.run(["git", "config", "--file", config, key, f"{script} {key}"], check=True)
        for key, value in SETTINGS.items():
            said = value.format(hooks=evil, script=script)
            subprocess.run(["git", "config", "--file", config, key, said], check=True)
        (folder / "info").mkdir(exist_ok=True)
        (folder / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n", "utf-8")
        shutil.rmtree(folder / "hooks", ignore_errors=True)
        shutil.copytree(evil, folder / "hooks", ignore=shutil.ignore_patterns("trace", "ran"))
    (root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n", "utf-8")
    for path in (*root.glob("*/*.py"), *root.glob("**/inner.txt"), root / ".mind" / "MEMORY.md"):
        path.touch()
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")


@pytest.fixture
def benign(project: Project, git: Git, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """An ordinary repository with all that Mind asks git about."""
    filled(project, git, tmp_path_factory.mktemp("clone"))
    return project


@pytest.fixture
def hostile(
    benign: Project, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Hostile:
    """The same one, armed."""
    evil = tmp_path_factory.mktemp("evil")
    armed(benign.root, evil)
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(evil / "trace"))
    return Hostile(benign.root, evil)


def test_the_traps_work(hostile: Hostile) -> None:
    """What Mind no longer asks does start them: so the other tests here see what they look for."""
    for command in (["diff", "HEAD"], ["status"], ["log", "-p", "--all"]):
        hostile.clear()
        subprocess.run(
            ["git", *command], cwd=hostile.root, check=False, capture_output=True, timeout=60
        )
        assert hostile.started, command


COMMANDS = (
    "blame {id}",
    "checkpoint",
    "diff HEAD~1",
    "doctor",
    "doctor --fix",
    "export",
    "health",
    "history Makefile",
    "history src/store.py",
    "index --rebuild",
    "init --git-hooks --dry-run",
    "log-history {id}",
    "log -t decision the_tests_run_in_parallel",
    "recall --force",
    "scan --history",
    "search cache",
    "search --at HEAD~1 cache",
    "search since:v1.0 cache",
    "show {id}",
    "status",
    "timeline {id}",
    "uninstall --dry-run",
    "verify --json",
    "when since_v1.0",
)


def test_no_command_starts_what_the_repository_names(
    mind: Run, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.root)
    known = json.loads(mind("search", "Memcached", "--json")[1])[0]["id"]
    for command in COMMANDS:
        words = [one.format(id=known).replace("_", " ") for one in command.split()]
        hostile.clear()
        code, _, said = mind(*words)
        assert hostile.started == [], command
        assert "Traceback" not in said, command
        assert code in (0, 1) or "doctor" in command, (command, said)
        assert "is a folder" not in said, command
    assert hostile.asked


def test_no_tool_starts_what_the_repository_names(hostile: Hostile) -> None:
    for tool in chosen("all"):
        given = {key: _given(key, tool.properties[key]) for key in tool.required}
        text, _ = answer(tool, tool.name, given, lambda: Memory.open(hostile.root))
        assert hostile.started == [], tool.name
        assert "failed unexpectedly" not in text
    assert hostile.asked


def _given(key: str, schema: Mapping[str, Any]) -> object:
    if "enum" in schema:
        return schema["enum"][0]
    values = {"path": "src/store.py", "query": "cache", "anchor": "cache", "when": "tomorrow"}
    text = values.get(key, "cache")
    return {"array": [text], "integer": 1, "boolean": True}.get(str(schema["type"]), text)


EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop",
          "SessionEnd")  # fmt: skip


def happened(project: Project, event: str) -> bytes:
    return hooking.event(
        project, event, prompt="what of the cache in src/cache.py?", tool_name="Bash",
        tool_input={"command": "make build"}, source="startup",
    )  # fmt: skip


def test_no_hook_starts_what_the_repository_names(hostile: Hostile) -> None:
    for event in EVENTS:
        done = hooking.run(happened(Project(hostile.root), event))
        assert (done.returncode, done.stderr) == (0, b""), event
        assert hostile.started == [], event
    assert hostile.asked


def test_the_answers_are_those_of_an_ordinary_repository(
    benign: Project, mind: Run, monkeypatch: pytest.MonkeyPatch, git: Git,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    monkeypatch.chdir(benign.root)
    git("commit", "--quiet", "-m", "moved")
    asked = (("history", "src/store.py"), ("search", "cache", "--json"), ("scan", "--history"),
             ("diff", "HEAD~1"), ("search", "--at", "v1.0", "--json", "cache"))  # fmt: skip
    before = [mind(*one) for one in asked]
    assert "size" in git("show", "HEAD:src/store.py")
    codes = [code for code, _, _ in before]
    assert codes == [0] * len(asked)
    config = (benign.root / ".git" / "config").read_bytes()
    armed(benign.root, tmp_path_factory.mktemp("evil"))
    assert (benign.root / ".git" / "config").read_bytes() != config
    assert [mind(*one)[0] for one in asked] == codes
    assert mind(*asked[0]) == before[0]
    assert mind(*asked[4]) == before[4]


# what looks like a repository


def test_a_folder_that_looks_like_a_repository_is_none(
    repository: Path, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It comes with a plain clone: a bare repository in a folder, with a configuration."""
    script = tmp_path_factory.mktemp("evil") / "script"
    script.write_text(f'#!/bin/sh\necho "$@" >> {script.parent}/ran\n', "utf-8")
    script.chmod(0o755)
    inner = repository / "package"
    git("init", "--quiet", "--bare", str(inner))
    git("config", "--file", str(inner / "config"), "core.bare", "false")
    git("config", "--file", str(inner / "config"), "core.worktree", str(inner))
    git("config", "--file", str(inner / "config"), "core.fsmonitor", str(script))
    git("config", "--file", str(inner / "config"), "filter.evil.clean", str(script))
    (inner / "a.py").write_text("# MEMORY: keep\n", "utf-8")
    assert repository_of(inner) is None
    assert ask(inner, "ls-files").status == 128
    install.apply(install.plan(inner))
    memory = Memory(Project(inner))
    assert [one.text for one in memory.recall().session.entries] == []
    assert memory.search("keep").total == 1
    memory.close()
    assert not (script.parent / "ran").exists()


def repository_of(folder: Path) -> Path | None:
    return repository.folder_of(folder)


def test_the_worktree_is_the_one_around_the_project(
    repository: Path, git: Git, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.py").write_text("# MEMORY: the outside\n", "utf-8")
    (repository / "a.py").write_text("# MEMORY: the inside\n", "utf-8")
    git("config", "core.worktree", str(outside))
    top = os.fsdecode(ask(repository, "rev-parse", "--show-toplevel").output).strip()
    assert top == os.path.realpath(repository)
    assert repository_files(repository) == ["a.py"]


def repository_files(root: Path) -> list[str] | None:
    return repository.grep(root, "MEMORY:")[0]


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "config"])
def test_a_pipe_in_the_place_of_a_file_of_git_keeps_nobody_waiting(
    repository: Path, git: Git, name: str
) -> None:
    (repository / "a.py").write_text("# MEMORY: keep\n", "utf-8")
    git("add", "a.py")
    git("commit", "--quiet", "-m", "decided: x over y")
    git("pack-refs", "--all")
    install.apply(install.plan(repository))
    (repository / ".git" / name).unlink()
    os.mkfifo(repository / ".git" / name)
    began = monotonic()
    with Patience(0.5):
        memory = Memory(Project(repository))
        memory.recall()
        memory.search("keep in a.py")
        memory.close()
    assert monotonic() - began < 5


# programs of the repository


@pytest.mark.parametrize("how", ["absolute", ".", "relative", "linked"])
def test_a_program_of_the_repository_is_not_taken_for_git(
    repository: Path, git: Git, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "a.py").write_text("# MEMORY: keep\n", "utf-8")
    git("add", "a.py")
    programs = repository / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    real = shutil.which("git")
    fake = programs / "git"
    fake.write_text(f"#!/bin/sh\ntouch {repository}/ran\n", "utf-8")
    fake.chmod(0o755)
    link = repository.parent / f"{repository.name}-link"
    link.symlink_to(repository)
    first = {
        "absolute": str(programs),
        ".": ".",
        "relative": "node_modules/.bin",
        "linked": str(link / "node_modules" / ".bin"),
    }[how]
    monkeypatch.chdir(programs if how == "." else repository)
    monkeypatch.setenv("PATH", f"{first}{os.pathsep}{os.environ['PATH']}")
    assert process.find("git", repository) == real
    assert repository_files(repository) == ["a.py"]
    assert not (repository / "ran").exists()
    link.unlink()


# time


def fake_git(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a git that does what ``script`` says before the real one."""
    fake = folder / "git"
    fake.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs, outside of the project."""
    return tmp_path_factory.mktemp("bin")


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_all_that_git_started_ends_with_it(
    repository: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(programs, f"sleep 60 & echo $! > {programs}/pid; wait", monkeypatch)
    with Patience(0.5):
        assert ask(repository, "log").is_late
    pid = int((programs / "pid").read_text("utf-8"))
    began = monotonic()
    while is_running(pid):
        assert monotonic() - began < 5


def test_a_process_that_git_leaves_behind_keeps_nobody_waiting(
    repository: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds what git printed to open."""
    fake_git(programs, "echo said; sleep 5 & exit 0", monkeypatch)
    began = monotonic()
    told = ask(repository, "log")
    assert (told.status, told.output) == (0, b"said\n")
    assert monotonic() - began < 3


def test_a_flood_is_stopped(
    repository: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_MOST", 1_000_000)
    fake_git(programs, "exec yes", monkeypatch)
    told = ask(repository, "log")
    assert "git gave more than 1 MB" in told.problem


def test_after_one_answer_that_did_not_come_nobody_waits_again(
    repository: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(programs, f"echo >> {programs}/count; exec sleep 60", monkeypatch)
    with Patience(0.5) as waiting:
        told = [ask(repository, "log") for _ in range(20)]
    assert all(one.is_late for one in told)
    assert {one.problem for one in told} == {waiting.problem}
    assert waiting.problem.startswith("git gave no answer within 0.5 s; commits and comments")
    assert (programs / "count").read_text("utf-8") == "\n"


def test_what_is_known_stays_while_git_gives_no_answer(
    benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(benign)
    memory.recall()
    known = sorted(one.text for one in memory.index.entries())
    assert any("warm" in one for one in known)
    assert any("two sizes" in one for one in known)
    (benign.root / "new.py").write_text("# MEMORY: new\n", "utf-8")
    with monkeypatch.context() as patch, Patience(0.3):
        fake_git(programs, "exec sleep 60", patch)
        told = memory.recall()
    assert sorted(one.text for one in memory.index.entries()) == known
    problem = (
        "git gave no answer within 0.3 s; commits and comments are not read. "
        "Run `git status` to see why."
    )
    assert told.problems == (problem,)
    assert memory.recall().problems == ()
    assert "new" in [one.text for one in memory.index.entries()]
    memory.close()


def test_what_git_did_not_say_is_asked_again_later(
    benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch, git: Git
) -> None:
    monkeypatch.setattr("mind.sources.staleness.looking._AGAIN", 0.0)
    with (benign.root / ".gitmodules").open("a", encoding="utf-8") as file:
        file.write("\n")
    git("commit", "--quiet", "-m", "x", ".gitmodules")
    with benign.memory.open("a", encoding="utf-8") as file:
        file.write("\n## 2020-01-01\n\n- decided: Kafka carries events, see .gitmodules\n")
    memory = Memory(benign)
    with monkeypatch.context() as patch, Patience(0.3):
        fake_git(programs, "exec sleep 60", patch)
        assert memory.search("Kafka").hits[0].stale == ()
    assert memory.search("Kafka").hits[0].stale == ("1 commit to .gitmodules since",)
    memory.close()


@pytest.mark.slow
def test_a_git_that_hangs_costs_a_hook_a_second(
    benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hook(event: str) -> "tuple[float, subprocess.CompletedProcess[bytes]]":
        """Nothing is prepared, so that it takes the long way."""
        shutil.rmtree(benign.cache / "hooks", ignore_errors=True)
        return seconds(partial(hooking.run, happened(benign, event)))

    events = ("SessionStart", "UserPromptSubmit", "Stop")
    usual = max(hook(event)[0] for event in events)
    fake_git(programs, "exec sleep 60", monkeypatch)
    for event in events:
        took, done = hook(event)
        assert took < max(usual, 0.5) + 2, event
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"git gave no answer within 1 s" in done.stdout or event != "SessionStart"


def seconds(run: Callable[[], T]) -> tuple[float, T]:
    began = monotonic()
    done = run()
    return monotonic() - began, done


@pytest.mark.slow
def test_a_git_that_hangs_costs_recall_four_seconds(
    benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recall() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-P", "-m", "mind", "recall"],
            cwd=benign.root, capture_output=True, check=False, encoding="utf-8", timeout=60,
        )  # fmt: skip

    usual, _ = seconds(recall)
    fake_git(programs, "exec sleep 60", monkeypatch)
    took, done = seconds(recall)
    assert took < 4 * usual + 5
    assert done.returncode == 0
    assert "Redis over Memcached" in done.stdout
    assert done.stderr.count("git gave no answer within 4 s") == 1


@pytest.mark.parametrize("name", ["mind_recall", "mind_search"])
def test_a_tool_says_that_git_gave_no_answer(
    benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("mind.server.mcp.app.GIT_SECONDS", 0.3)
    fake_git(programs, "exec sleep 60", monkeypatch)
    tool = next(one for one in chosen("core") if one.name == name)
    given = {"query": "Redis"} if name == "mind_search" else {}
    text, failed = answer(tool, name, given, lambda: Memory.open(benign.root))
    assert not failed
    assert "Redis over Memcached" in text
    assert "git gave no answer within 0.3 s" in text


def test_a_command_says_that_git_gave_no_answer(
    mind: Run, benign: Project, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(benign.root)
    monkeypatch.setattr("mind.cli.app.GIT_SECONDS", 0.3)
    fake_git(programs, "exec sleep 60", monkeypatch)
    code, out, said = mind("search", "Redis")
    assert (code, "Redis over Memcached" in out) == (0, True)
    assert said.count("git gave no answer") == 1
    code, out, said = mind("diff", "HEAD~1")
    assert (code, out) == (1, "")
    assert said.startswith("error: git gave no answer within 0.3 s")
    assert "git status" in said
    monkeypatch.setattr("mind.cli.app.is_terminal", lambda: True)
    monkeypatch.setattr("mind.cli.app._PATIENT_SECONDS", 0.6)
    assert mind("diff", "HEAD~1")[2].startswith("error: git gave no answer within 0.6 s")


# renamed, and not committed


@pytest.mark.parametrize("how", ["staged", "moved", "changed"])
def test_a_file_that_was_renamed_since_the_last_commit_keeps_its_past(
    repository: Path, git: Git, how: str
) -> None:
    lines = [f"line {number}\n" for number in range(30)]
    (repository / "old.py").write_text("".join(lines), "utf-8")
    (repository / "gone.py").write_text("something else\n", "utf-8")
    git("add", "--all")
    git("commit", "--quiet", "-m", "made")
    if how == "staged":
        git("mv", "old.py", "new.py")
    else:
        (repository / "old.py").rename(repository / "new.py")
        (repository / "gone.py").unlink()
        if how == "changed":
            (repository / "new.py").write_text("".join([*lines, "more\n"]), "utf-8")
        git("add", "new.py")
    found = lineage(repository, git("rev-parse", "HEAD"), relative("new.py", repository))
    assert [(one.subject, one.name) for one in found.revisions] == [("made", "old.py")]
