"""Git's log of files: commits that changed, renamed, moved or removed them."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from mind.sources.git.repository import ask, bytes_of, folder_of, text_of

_TOUCHED_SECONDS = 1.0
"""A search waits no longer for git."""
MOST = 5_000
"""Commits that are listed."""
_SLACK = timedelta(days=2)
"""A day begins at other moments elsewhere."""
_BARE = re.compile(r"^\s*bare\s*=\s*true", re.IGNORECASE | re.MULTILINE)
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
REVERTED = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})\b[^\n]*(?:\nchanges made to .*)?")
"""Names a commit that a message says it reverts."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files that a worktree tracks.

    Attributes:
        names: Git's index as it is stored, where it holds whole names; else empty.
        submodules: Their folders.
        partial: Not every tracked file is in it (a sparse checkout), or no file at all (a bare
            one), or the index cannot tell.
    """

    names: bytes
    submodules: tuple[str, ...]
    partial: bool
    _known: dict[str, bool] = field(default_factory=dict, compare=False)

    def elsewhere(self, path: str) -> bool:
        """True if a tracked file or folder further down is called ``path`` too."""
        if path not in self._known:
            name = b"/" + path.encode("utf-8", "surrogateescape")
            self._known[path] = any(self._holds(name + end) for end in (b"\0", b"/"))
        return self._known[path]

    def _holds(self, ending: bytes) -> bool:
        """Before a name stands its length, which can be a slash too, behind a low byte."""
        at = self.names.find(ending)
        while at > 0 and self.names[at - 1] < 0x20:
            at = self.names.find(ending, at + 1)
        return at > 0


def checkout(top: Path) -> Checkout:
    """The files tracked in the worktree at ``top``, read from git's own files."""
    folder = folder_of(top) or top
    try:
        now = (folder / "index").stat()
    except OSError:
        return _checkout(top, folder, (0, 0))
    return _checkout(top, folder, (now.st_mtime_ns, now.st_size))


@lru_cache(maxsize=4)
def _checkout(top: Path, folder: Path, _stamp: tuple[int, int]) -> Checkout:
    """Read again when git wrote its index: a search need not look through all of it twice."""
    names = _index(folder)
    sparse = (folder / "info" / "sparse-checkout").exists()
    bare = _BARE.search(text_of(folder / "config")) is not None
    return Checkout(
        names=names,
        submodules=tuple(_SUBMODULE.findall(text_of(top / ".gitmodules"))),
        partial=sparse or bare or not names,
    )


def is_shallow(top: Path) -> bool:
    """True if the history was cut: its first commit then seems to add every file."""
    folder = folder_of(top) or top
    return (folder / text_of(folder / "commondir") / "shallow").exists()


def _index(folder: Path) -> bytes:
    """Empty in version 4, which shortens names, and where there is none."""
    data = bytes_of(folder / "index")
    return data if data[:8] in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3") else b""


def touched(
    top: Path, head: str, paths: Iterable[str], since: date | None
) -> list[tuple[date, list[str]]] | None:
    """Commits up to ``head`` that changed ``paths``: their days and the files, newest first.

    Args:
        top: Where the worktree begins; paths begin there.
        head: The hash of a commit.
        paths: Files or folders, which need not exist any more; none for all there are.
        since: Earlier commits are left out; None for none.

    Returns:
        None if git cannot tell, or not soon enough.
    """
    answer = ask(
        top, "log", "-z", "--name-only", "--no-renames", "--no-relative", "--no-follow",
        "--full-history", f"--max-count={MOST}", *bound(since),
        "--format=tformat:%x01%cs", head, "--", *(f":(top,literal){path}" for path in paths),
        seconds=_TOUCHED_SECONDS,
    )  # fmt: skip
    return _commits(answer.output) if answer.status == 0 else None


def everything(top: Path, head: str) -> dict[str, list[date]] | None:
    """For every file there was the days of the commits that changed it, newest first.

    Returns:
        None if git cannot tell, or not soon enough, or if there are too many commits.
    """
    commits = touched(top, head, (), None)
    if commits is None or len(commits) >= MOST:
        return None
    days: dict[str, list[date]] = {}
    for day, names in commits:
        for name in names:
            days.setdefault(name, []).append(day)
    return days


def bound(since: date | None) -> list[str]:
    """The option that leaves out what is before a day."""
    if since is None or since - date.min <= _SLACK:
        return []
    return [f"--since={since - _SLACK}T00:00:00"]


def _commits(output: bytes) -> list[tuple[date, list[str]]]:
    found: list[tuple[date, list[str]]] = []
    for part in output.decode("utf-8", "surrogateescape").split("\0"):
        text = part.lstrip("\n")
        if text.startswith("\x01"):
            found.append((date.fromisoformat(text[1:11]), []))
        elif text:
            found[-1][1].append(text)
    return found


_OPTIONS = (
    "--no-relative", "--no-follow", f"--max-count={MOST}", "--format=tformat:%x01%cs",
)  # fmt: skip
_MOVED_SECONDS = 0.5
"""A search waits no longer for either answer."""
_MOST_COMPARED = 1_000
"""Files of a commit that git compares with each other; its own default."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def moved(
    top: Path, head: str, files: Collection[str], seconds: float = _MOVED_SECONDS
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
        top, "log", "-z", "--name-status", "-M", f"-l{_MOST_COMPARED}", "--full-diff",
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
        *(f":(top,literal){file}" for file in files), seconds=_MOVED_SECONDS,
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
        seconds=_MOVED_SECONDS,
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


_MOST_NAMES = 5
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
    """The history of a file, as git knows it.

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
    for _ in range(_MOST_NAMES):
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


def reverted(message: str) -> tuple[str, ...]:
    """The commits that ``message`` says it reverts, as they are written there."""
    return tuple(REVERTED.findall(message))
