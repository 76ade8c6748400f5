"""The commits that touched one file, under all the names it had."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mind.sources.moved import moved
from mind.sources.repository import ask
from mind.sources.touched import MOST

_SECONDS = 10
"""Git reads the history once for one file, and somebody asked for just that."""
_MOST_RENAMES = 5
"""Times that a file which is gone is followed to another name."""


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
        top, "log", "-z", "--follow", "--name-status", "-M", "--no-ext-diff", "--no-color",
        "--no-show-signature", "--no-notes", "--no-relative", "--encoding=UTF-8",
        f"--max-count={MOST}", "--format=tformat:%x01%h%n%cI%n%s", head, "--",
        f":(top,literal){before or name}", seconds=_SECONDS,
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
        ends = (moved(top, head, [name]) or {}).get(name, [])
        if not ends or not ends[0][1]:
            break
        name = ends[0][1]
    return name if (top / name).exists() else file


def _renamed(top: Path, name: str) -> str:
    """The name of a file that was renamed since the last commit; "" if it was not."""
    answer = ask(
        top, "diff", "-z", "--name-status", "-M", "--diff-filter=R", "--no-ext-diff", "--no-color",
        "--no-relative", "HEAD", seconds=_SECONDS,
    )  # fmt: skip
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
