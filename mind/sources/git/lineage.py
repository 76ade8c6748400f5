"""The commits that touched one file, under all the names it had."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mind.sources.git.moved import moved
from mind.sources.git.repository import ask
from mind.sources.git.touched import MOST

_MOST_RENAMES = 5
"""Times that a file which is gone is followed to another name."""
_MOST_GONE = 500
"""Files that are compared with a new one: where more are gone, it is no renaming."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit that touched a file.

    Attributes:
        at: When it was committed.
        commit: Its short hash.
        subject: The first line of its message.
        name: The file's name from then on, from the top of the worktree.
        before: Its name until then, where the commit renamed it; "" elsewhere.
    """

    at: datetime
    commit: str
    subject: str
    name: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Lineage:
    """What git knows of a file.

    Attributes:
        name: Its name now, from the top of the worktree.
        revisions: Newest first.
        problem: What git could not tell, with a remedy.
    """

    name: str
    revisions: tuple[Revision, ...] = ()
    problem: str = ""


def lineage(top: Path, head: str, file: str) -> Lineage:
    """The history of ``file``, which may be gone, or have another name by now.

    Args:
        top: Where the worktree begins; names begin there.
        head: The hash of the last commit to look at.
        file: Any name it ever had.
    """
    name = _latest(top, head, file)
    before = _renamed(top, name)
    answer = ask(
        top, "log", "-z", "--follow", "--name-status", "-M", "--no-relative", "--encoding=UTF-8",
        f"--max-count={MOST}", "--format=tformat:%x01%h%n%cI%n%s", head, "--",
        f":(top,literal){before or name}",
    )  # fmt: skip
    if answer.status != 0:
        return Lineage(name, problem=answer.problem)
    return Lineage(name, tuple(_revisions(answer.output, before or name)))


def _latest(top: Path, head: str, file: str) -> str:
    """The name of ``file`` now: it may have been renamed since."""
    name = file
    for _ in range(_MOST_RENAMES):
        if (top / name).exists():
            return name
        ends = (moved(top, head, [name], seconds=0) or {}).get(name, [])
        if not ends or not ends[0][1]:
            break
        name = ends[0][1]
    return name if (top / name).exists() else file


def _renamed(top: Path, name: str) -> str:
    """The name of a file that was renamed since the last commit; "" if it was not.

    Git is not asked to read the worktree: it would run the repository's filters for that.
    """
    staged = _origin(top, name, ("-M", "--diff-filter=R"))
    if staged:
        return staged
    gone = ask(top, "ls-files", "-z", "--deleted").output.split(b"\0")
    paths = [f":(top,literal){os.fsdecode(one)}" for one in gone if one][:_MOST_GONE]
    if not paths:
        return ""
    how = ("-C", "--find-copies-harder", "--diff-filter=C")
    return _origin(top, name, how, f":(top,literal){name}", *paths)


def _origin(top: Path, name: str, how: Sequence[str], *paths: str) -> str:
    """The file of the last commit that ``name`` comes from, as the index has it."""
    answer = ask(
        top, "diff-index", "-z", "--name-status", "--no-relative", *how, "HEAD", "--", *paths
    )
    parts = answer.output.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[1::3], parts[2::3], strict=False)
    return next((old for old, new in pairs if new == name), "")


def _revisions(output: bytes, name: str) -> Iterator[Revision]:
    """Commits that only look at the file without a word on it (merges) keep its name."""
    for record in output.decode("utf-8", "replace").split("\x01")[1:]:
        told, *rest = record.split("\0")
        commit, moment, subject = [*told.split("\n"), "", ""][:3]
        try:
            at = datetime.fromisoformat(moment)
        except ValueError:
            continue  # a broken commit has no such moment
        status = [part.strip("\n") for part in rest]
        before = status[1] if status and status[0][:1] in ("R", "C") else ""
        yield Revision(at, commit, subject, name, before)
        name = before or name
