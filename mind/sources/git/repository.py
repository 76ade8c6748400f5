"""Git, asked so that it starts nothing, and for no longer than a use case waits.

A repository's configuration, attributes and hooks can name programs. Git is only asked for what
runs none of them (docs/decisions/0013-git.md).
"""

import os
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from mind.domain.errors import LeadsOutside
from mind.sources.pointers import elsewhere, text_of
from mind.storage import process
from mind.storage.files.inside import allow
from mind.storage.process import GIT_SECONDS, Patience, Unanswered

_DIFFING = ("--no-ext-diff", "--no-textconv", "--no-color")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "cat-file": (),
    "check-attr": (),
    "check-ignore": (),
    "config": (),
    "diff-index": ("--cached", *_DIFFING),
    "for-each-ref": (),
    "grep": ("--no-textconv", "--no-color", "--no-recurse-submodules"),
    "log": (*_DIFFING, "--submodule=short", "--no-show-signature", "--no-notes", "--no-mailmap"),
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "rev-parse": (),
}
"""Commands that run no program, and the options that each of them needs for it.

None of them compares a file of the worktree with what git has of it, as ``status`` and ``diff`` do:
that runs the repository's filters, and git once more in each submodule.
"""
_OPTIONS = (
    "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false", "-c", "grep.fullName=false",
    "-c", "safe.bareRepository=explicit",  # a folder of the worktree can look like a repository
)  # fmt: skip
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # a reader refreshes nobody's index
    "GIT_ALLOW_PROTOCOL": "",  # a partial clone would fetch what is missing
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",  # what it says is looked for
}

# Set inside git hooks and `git rebase --exec`; they would lead to another repository or index.
_LOCAL = frozenset(
    """GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_OBJECT_DIRECTORY
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_SHALLOW_FILE GIT_GRAFT_FILE
    GIT_IMPLICIT_WORK_TREE GIT_INTERNAL_SUPER_PREFIX GIT_EXTERNAL_DIFF""".split()
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What git said.

    Attributes:
        status: Its exit status; -1 if it could not be started or did not end.
        output: What it printed.
        problem: Why it failed, with a remedy; "" after a status of 0 or 1.
        is_late: It did not answer in time, or not any more in this use case.
    """

    status: int
    output: bytes = b""
    problem: str = ""
    is_late: bool = False


def ask(
    root: Path, command: str, *arguments: str, seconds: float = 0, feed: bytes | None = None
) -> Answer:
    """Run a git command that only reads, in ``root``.

    Args:
        root: A folder in the worktree.
        command: One of those that start nothing.
        arguments: Of the command.
        seconds: The longest this question may take; 0 for all that the use case still waits.
        feed: What git reads from standard input.
    """
    options = _COMMANDS[command]
    folder = root.absolute()
    top = _top(folder)
    program = process.find("git", folder) if top else None
    if top is None or program is None:
        return Answer(128) if top is None else Answer(-1, problem=_MISSING)
    refused = _refusal(top)
    if refused is not None:
        return Answer(-1, problem=f"git is not asked: {refused.message}. {refused.remedy}")
    patience = process.patience() or Patience(GIT_SECONDS)
    allowed = min(seconds or patience.left, patience.left)
    if allowed <= 0:
        if not patience.problem:
            patience.end("no answer in time")
        return Answer(-1, problem=patience.problem, is_late=True)
    began = monotonic()
    try:
        done = process.run(
            [program, *_OPTIONS, command, *options, *arguments],
            cwd=folder, env=_environment(top), seconds=allowed, feed=feed,
        )  # fmt: skip
    except Unanswered as error:
        patience.end(str(error))
        return Answer(-1, problem=patience.problem, is_late=True)
    except OSError as error:
        return Answer(-1, problem=f"git cannot be started: {error.strerror}. {_LOOK}")
    patience.left -= monotonic() - began
    return _answer(done.status, done.output, done.said.decode("utf-8", "replace"), folder)


_LOOK = "Run `git status` to see why."
_MISSING = (
    "git cannot be started, so commit messages are not read. Install git, or run "
    "`mind config capture.commits false`."
)


def _environment(top: Path) -> dict[str, str]:
    """Nothing of a surrounding git command; the repository is that of ``top``, whatever it says."""
    own = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    place = {"GIT_WORK_TREE": str(top), "GIT_CEILING_DIRECTORIES": os.path.realpath(top.parent)}
    return own | _ENVIRONMENT | place


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


def grep(root: Path, word: str) -> tuple[list[str] | None, str]:
    """Paths below ``root`` of text files that contain ``word``; None where git cannot tell.

    Tracked files, and untracked ones that are not ignored; no submodules. A folder that an outer
    repository ignores is none of git's business: None. The second value is the problem if git gave
    no answer in time.
    """
    found = ask(root, "grep", "-l", "-z", "-I", "--untracked", "-F", "-e", word, "--", ".")
    if found.status not in (0, 1):
        return None, found.problem if found.is_late else ""
    if not found.output and not is_top(root):
        ignored = ask(root, "check-ignore", "-q", ".")
        if ignored.is_late or not ignored.status:
            return None, ignored.problem
    return [os.fsdecode(name) for name in found.output.split(b"\0") if name], ""


def _top(folder: Path) -> Path | None:
    """Where the worktree of ``folder`` begins; None if no repository serves it."""
    for one in (folder, *folder.parents):
        if _git_of(one) is not None:
            return one
        if _is_bare(one) or not _same_device(one, one.parent):
            return None
    return None


def _is_bare(folder: Path) -> bool:
    """Whether git takes ``folder`` for a repository itself, with all that its author configured.

    Git before 2.38 does not know ``safe.bareRepository``.
    """
    return (folder / "HEAD").is_file() and any(
        os.path.lexists(folder / name) for name in ("objects", "commondir")
    )


def is_top(root: Path) -> bool:
    """Whether ``root`` is where a worktree begins, not a folder further down in it."""
    return _git_of(root) is not None


def folder_of(root: Path) -> Path | None:
    """The git folder that serves ``root``: of its own worktree where it is one.

    None if none does, or one that leads to another repository.
    """
    top = _top(root.absolute())
    return _git_of(top) if top and not _refusal(top) else None


def _refusal(top: Path) -> LeadsOutside | None:
    """Why the repository of ``top`` is not read; None if it may be."""
    git = _git_of(top)
    leading = elsewhere(top, git) if git else None
    try:
        if leading is not None:
            allow(*leading)
    except LeadsOutside as error:
        return error
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
