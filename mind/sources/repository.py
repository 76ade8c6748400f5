"""Git, asked through GitPython: only what the sources need, and never more than reading."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, TimeoutExpired
from threading import RLock

_SECONDS = 60
_REFRESH = "GIT_PYTHON_REFRESH"
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # a reader refreshes nobody's index
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch what is missing
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
}
_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
            "-c", "grep.fullName=false")  # fmt: skip

# Set inside git hooks and `git rebase --exec`; they would lead to another repository or index.
_LOCAL = """GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_OBJECT_DIRECTORY
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_SHALLOW_FILE GIT_GRAFT_FILE
    GIT_IMPLICIT_WORK_TREE GIT_INTERNAL_SUPER_PREFIX""".split()
_environment_lock = RLock()


@dataclass(frozen=True, slots=True)
class Answer:
    """What git said.

    Attributes:
        status: Its exit status; -1 if it could not be started or did not end.
        output: What it printed.
        problem: Why it failed, with a remedy; "" after a status of 0 or 1.
    """

    status: int
    output: bytes = b""
    problem: str = ""


def ask(root: Path, *arguments: str, seconds: float = 0, feed: bytes | None = None) -> Answer:
    """Run a git command that only reads, in ``root``; wait so long for it, or a minute.

    ``feed`` is what it reads from standard input.
    """
    folder = root.absolute()
    with _own_environment():
        from git.cmd import Git  # noqa: PLC0415 - 50 ms of CPU, only where there is news
        from git.exc import GitCommandNotFound  # noqa: PLC0415 - the same

        try:
            process = Git(str(folder)).execute(
                ["git", "-C", str(folder), *_OPTIONS, *arguments],
                as_process=True,
                shell=False,
                env=_ENVIRONMENT,
                istream=None if feed is None else PIPE,
            )
        except (GitCommandNotFound, OSError):
            return Answer(-1, problem=_MISSING)
    seconds = seconds or _SECONDS
    try:
        output, said = process.communicate(feed, timeout=seconds)
    except TimeoutExpired:
        process.kill()
        process.communicate()
        return Answer(-1, problem=f"git gave no answer within {seconds:g} seconds. {_LOOK}")
    return _answer(process.returncode, output, said.decode("utf-8", "replace"), folder)


_LOOK = "Run `git status` to see why."
_MISSING = (
    "git cannot be started, so commit messages are not read. Install git, or run "
    "`mind config capture.commits false`."
)


def _answer(status: int, output: bytes, said: str, folder: Path) -> Answer:
    if status in (0, 1):
        return Answer(status, output)
    if "dubious ownership" in said:
        remedy = f"If you trust it, run `git config --global --add safe.directory {folder}`."
        return Answer(status, problem=f"git refuses {folder}: another user owns it. {remedy}")
    if "not a git repository" in said:
        return Answer(status)
    reason = (said.strip().splitlines() or [f"exit status {status}"])[0]
    return Answer(status, problem=f"git cannot read {folder}: {reason}. {_LOOK}")


@contextmanager
def _own_environment() -> Iterator[None]:
    """Nothing of a surrounding git command, and no error at import where git is missing."""
    with _environment_lock:
        before = {name: os.environ.pop(name, None) for name in (*_LOCAL, _REFRESH)}
        os.environ[_REFRESH] = "quiet"
        try:
            yield
        finally:
            del os.environ[_REFRESH]
            os.environ.update({name: value for name, value in before.items() if value is not None})


def grep(root: Path, word: str) -> list[str] | None:
    """Paths below ``root`` of text files that contain ``word``; None where git cannot tell.

    Tracked files, and untracked ones that are not ignored; no submodules. A folder that an outer
    repository ignores is none of git's business: None.
    """
    found = ask(
        root, "grep", "-l", "-z", "-I", "--no-color", "--untracked", "--no-recurse-submodules",
        "-F", "-e", word, "--", ".",
    )  # fmt: skip
    if found.status not in (0, 1):
        return None
    if not found.output and not is_top(root) and not ask(root, "check-ignore", "-q", ".").status:
        return None
    return [os.fsdecode(name) for name in found.output.split(b"\0") if name]


def is_top(root: Path) -> bool:
    """Whether ``root`` is where a worktree begins, not a folder further down in it."""
    return _git_of(root) is not None


def folder_of(root: Path) -> Path | None:
    """The git folder that serves ``root``: of its own worktree where it is one; None if none."""
    start = root.absolute()
    for folder in (start, *start.parents):
        git = _git_of(folder)
        if git is not None:
            return git
        if not _same_device(folder, folder.parent):
            return None
    return None


def _git_of(folder: Path) -> Path | None:
    git = folder / ".git"
    if git.is_file():
        git = folder / text_of(git).removeprefix("gitdir:").strip()
    return git if os.path.lexists(git / "HEAD") else None


def _same_device(folder: Path, parent: Path) -> bool:
    """Git does not look beyond a file system either."""
    try:
        return folder.stat().st_dev == parent.stat().st_dev
    except OSError:
        return False


def text_of(path: Path) -> str:
    """The stripped text of one of git's small files; "" if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
