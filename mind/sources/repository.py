"""Git, asked through GitPython: only what the sources need, and never more than reading."""

import os
from pathlib import Path

_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
}
_PLAIN = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "color.ui=false")


def ask(root: Path, *arguments: str) -> bytes | None:
    """What a git command prints in ``root``; None if it fails or there is no git."""
    before = os.environ.get("GIT_PYTHON_REFRESH")
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"  # or a missing git is an error at import
    try:
        from git.cmd import Git  # noqa: PLC0415 - a tenth of a second, only in a repository
        from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415 - the same
    finally:
        if before is None:
            del os.environ["GIT_PYTHON_REFRESH"]
        else:
            os.environ["GIT_PYTHON_REFRESH"] = before
    try:
        answer = Git(str(root)).execute(
            ["git", *_PLAIN, *arguments],
            with_extended_output=True,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
            env=_QUIET,
        )
    except (GitCommandError, GitCommandNotFound):
        return None
    output: bytes = answer[1]
    return output


def grep(root: Path, word: str) -> list[str] | None:
    """Paths below ``root`` of text files that contain ``word``; None where git cannot tell.

    Tracked files, and untracked ones that are not ignored.
    """
    listed = ask(
        root, "grep", "-l", "-z", "-I", "--untracked", "--no-recurse-submodules", "-F", "-e", word,
        "--", ".",
    )  # fmt: skip
    if listed is None:
        return [] if ask(root, "rev-parse", "--is-inside-work-tree") == b"true\n" else None
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def folder_of(root: Path) -> Path | None:
    """The git folder that serves ``root``: of its own worktree where it is one; None if none."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            return git
        if git.is_file():
            return (folder / text_of(git).removeprefix("gitdir: ")).resolve()
    return None


def text_of(path: Path) -> str:
    """The stripped text of one of git's small files; "" if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
