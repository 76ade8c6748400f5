"""What became of files that are gone (renamed, deleted), and which lines left those that stay."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from pathlib import Path

from mind.sources.git.repository import ask
from mind.sources.git.touched import MOST, bound

_OPTIONS = (
    "--no-relative", "--no-follow", f"--max-count={MOST}", "--format=tformat:%x01%cs",
)  # fmt: skip
_SECONDS = 0.5
"""A search waits no longer for either answer."""
_MOST_RENAMES = 1_000
"""Files of a commit that git compares with each other; its own default."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def moved(
    top: Path, head: str, files: Collection[str], seconds: float = _SECONDS
) -> dict[str, list[tuple[date, str]]] | None:
    """Each file's ends, newest first: the day, and its new name or "" if it was deleted.

    Args:
        top: Where the worktree begins; names begin there.
        head: The hash of the last commit to look at.
        files: That are not there.
        seconds: The longest that this may take; 0 for all that the use case waits.

    Returns:
        None if git cannot tell, or not soon enough.
    """
    answer = ask(
        top, "log", "-z", "--name-status", "-M", f"-l{_MOST_RENAMES}", "--full-diff",
        "--diff-filter=RD", *_OPTIONS, head, "--", *(f":(top,literal){file}" for file in files),
        seconds=seconds,
    )  # fmt: skip
    if answer.status != 0:
        return None
    found: dict[str, list[tuple[date, str]]] = {file: [] for file in files}
    for day, old, new in _ends(answer.output.decode("utf-8", "surrogateescape")):
        if old in found:
            found[old].append((day, new))
    return found


def _ends(output: str) -> Iterator[tuple[date, str, str]]:
    day = date.min
    parts = iter(output.split("\0"))
    for part in parts:
        word = part.lstrip("\n")
        if word.startswith("\x01"):
            day = date.fromisoformat(word[1:11])
        elif word.startswith("R"):
            yield day, next(parts), next(parts)
        elif word == "D":
            yield day, next(parts), ""


def titles(
    top: Path, head: str, files: Collection[str], since: date
) -> list[tuple[date, str, str]]:
    """Commits to files: day, short hash and title, newest first; nothing if git cannot tell."""
    answer = ask(
        top, "log", "--no-follow", f"--max-count={MOST}",
        "--format=tformat:%cs %h %s", *bound(since), head, "--",
        *(f":(top,literal){file}" for file in files), seconds=_SECONDS,
    )  # fmt: skip
    lines = answer.output.decode("utf-8", "replace").splitlines() if answer.status == 0 else []
    rows = (line.split(" ", 2) for line in lines)
    return [(date.fromisoformat(day), commit, title) for day, commit, title in rows]


def removed(
    top: Path, head: str, files: Collection[str], lines: Sequence[str], since: date | None
) -> list[tuple[date, str, str]] | None:
    """Lines that commits took out of files: the day, the file and the line, newest first.

    Args:
        top: Where the worktree begins; names begin there.
        head: The hash of the last commit to look at.
        files: Names.
        lines: POSIX expressions; lines that match none of them may come too.
        since: Earlier commits are left out; None for none.

    Returns:
        None if git cannot tell, or not soon enough.
    """
    answer = ask(
        top, "log", "--patch", "--unified=0", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
        f"-G{'|'.join(f'({one})' for one in dict.fromkeys(lines))}", *_OPTIONS, *bound(since),
        head, "--", *(f":(top,literal){file}" for file in files),
        seconds=_SECONDS,
    )  # fmt: skip
    return list(_taken(answer.output)) if answer.status == 0 else None


def _taken(output: bytes) -> Iterator[tuple[date, str, str]]:
    day, file, old, new = date.min, "", 0, 0
    for line in output.split(b"\n"):
        if old and line.startswith(b"-"):
            old -= 1
            yield day, file, line[1:].decode("utf-8", "replace")
        elif new and line.startswith(b"+"):
            new -= 1
        elif line.startswith(b"\x01"):
            day = date.fromisoformat(line[1:11].decode("ascii", "replace"))
        elif line.startswith(b"--- "):
            file = line[6:].rstrip(b"\t").decode("utf-8", "surrogateescape")
        elif hunk := _HUNK.match(line):
            old, new = (int(count or 1) for count in hunk.groups())
