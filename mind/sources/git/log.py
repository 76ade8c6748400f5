"""Git's log of files: commits that changed, renamed, moved or removed them."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mind.sources.git.repository import (
    ask,
    folder_of,
    head,
    is_bare,
    is_top,
    settings_named,
    text_of,
)
from mind.storage import gitindex

_TOUCHED_SECONDS = 1.0
"""Time limit, so that a search does not wait for git."""
MOST = 5_000
"""Maximum number of commits listed."""
_SLACK = timedelta(days=2)
"""Margin for time zones: days start at different moments."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files that a worktree tracks.

    Attributes:
        names: Raw content of git's index if it stores full names; else empty.
        submodules: Their folders.
        partial: Some tracked files are missing from it (sparse checkout), there are no files
            (bare repository), or the index cannot be used.
    """

    names: bytes
    submodules: tuple[str, ...]
    partial: bool
    _known: dict[str, bool] = field(default_factory=dict, compare=False)

    def elsewhere(self, path: str) -> bool:
        """Return True if a tracked file or folder in a subfolder is also called ``path``."""
        if path not in self._known:
            name = b"/" + path.encode("utf-8", "surrogateescape")
            self._known[path] = any(self._holds(name + end) for end in (b"\0", b"/"))
        return self._known[path]

    def _holds(self, ending: bytes) -> bool:
        """Skip matches where the slash is the low byte of a name's length, which precedes it."""
        at = self.names.find(ending)
        while at > 0 and self.names[at - 1] < 0x20:
            at = self.names.find(ending, at + 1)
        return at > 0


def checkout(top: Path) -> Checkout:
    """Return the tracked files of the worktree at ``top``, read from git's own files."""
    folder = folder_of(top) or top
    try:
        now = (folder / "index").stat()
    except OSError:
        return _checkout(top, folder, (0, 0))
    return _checkout(top, folder, (now.st_mtime_ns, now.st_size))


@lru_cache(maxsize=4)
def _checkout(top: Path, folder: Path, _stamp: tuple[int, int]) -> Checkout:
    """Cache by the index's stamp, so that a search does not scan it twice."""
    names = _index(folder)
    sparse = (folder / "info" / "sparse-checkout").exists()
    return Checkout(
        names=names,
        submodules=tuple(settings_named("path", text_of(top / ".gitmodules"))),
        partial=sparse or is_bare(text_of(folder / "config")) or not names,
    )


def is_shallow(top: Path) -> bool:
    """Return True if the clone is shallow: its first commit then seems to add every file."""
    folder = folder_of(top) or top
    return (folder / text_of(folder / "commondir") / "shallow").exists()


def _index(folder: Path) -> bytes:
    """Return the raw index; empty for version 4, which shortens names, and if there is none."""
    data = gitindex.read(folder / "index")
    return data if data[:8] in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3") else b""


def touched(
    top: Path, head: str, paths: Iterable[str], since: date | None, *, only: str = ""
) -> list[tuple[date, str]] | None:
    """Return the changes of ``paths`` in commits up to ``head``: day and file, newest first.

    Args:
        top: Top of the worktree; paths are relative to it.
        head: Hash of a commit.
        paths: Files or folders, which may no longer exist; empty for all.
        since: Skip earlier commits; None for no limit.
        only: The kinds of changes to consider, as in git's ``--diff-filter``; "" for all.

    Returns:
        None if git fails or times out.
    """
    answer = ask(
        top, "log", "-z", "--name-status", "--no-renames", "--full-history",
        f"--diff-filter={only}", *_OPTIONS, *bound(since), head, "--", *_literally(paths),
        seconds=_TOUCHED_SECONDS,
    )  # fmt: skip
    if answer.status != 0:
        return None
    return [(one.day, one.name) for one in _changes(answer.output)]


def older(root: Path, days: Mapping[str, date | None], years: int) -> set[str]:
    """Return the names whose day lies so many ``years`` before the last commit.

    A name without a day counts from the first commit that has it. Empty if git cannot tell.

    Args:
        root: Top of the worktree; names are relative to it.
        days: Name of a file → its day, if it says one.
        years: Age in years.
    """
    newest = head(root)
    if newest is None or not days or not is_top(root):
        return set()
    told = ask(root, "log", "-1", "--no-patch", "--format=%cs", newest).output.decode().strip()
    unsaid = [name for name, day in days.items() if day is None]
    changed = (touched(root, newest, unsaid, None) or []) if unsaid else []
    first = {name: day for day, name in changed}  # newest first
    limit = date.fromisoformat(told) - timedelta(days=365 * years) if told else date.min
    return {name for name, day in days.items() if (day or first.get(name, limit)) < limit}


def bound(since: date | None) -> list[str]:
    """Return the option that skips commits before a day."""
    if since is None or since - date.min <= _SLACK:
        return []
    return [f"--since={since - _SLACK}T00:00:00"]


class _Change(NamedTuple):
    """A change of a file in a commit: git's letter for it, and the new name after a rename."""

    day: date
    how: str
    name: str
    new: str = ""


def _changes(output: bytes) -> Iterator[_Change]:
    """Yield the changes in an answer of ``git log -z --name-status`` in :data:`_OPTIONS`' form."""
    day = date.min
    parts = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for part in parts:
        how = part.lstrip("\n")
        if how.startswith("\x01"):
            day = date.fromisoformat(how[1:11])
        elif how:
            yield _Change(day, how[0], next(parts), next(parts) if how[0] == "R" else "")


def _literally(paths: Iterable[str]) -> list[str]:
    """Return paths from the top of the worktree as arguments in which no sign is a pattern."""
    return [f":(top,literal){path}" for path in paths]


_OPTIONS = (
    "--no-relative", "--no-follow", f"--max-count={MOST}", "--format=tformat:%x01%cs",
)  # fmt: skip
_MOVED_SECONDS = 0.5
"""Time limit of either query, so that a search does not wait for git."""
_MOST_COMPARED = 1_000
"""Maximum number of files per commit compared for renames; git's own default."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NAME = re.compile(rb"(?:--- (?:a/)?|\+\+\+ (?:b/)?)(?!/dev/null$)(.+?)\t?$")


def moved(
    top: Path, head: str, files: Collection[str], seconds: float = _MOVED_SECONDS
) -> dict[str, list[tuple[date, str]]] | None:
    """Return how each file went away, newest first: the day, and its new name, "" if deleted.

    Args:
        top: Top of the worktree; names are relative to it.
        head: Hash of the last commit to consider.
        files: Names of missing files.
        seconds: Time limit; 0 for the rest of the use case's budget.

    Returns:
        None if git fails or times out.
    """
    answer = ask(
        top, "log", "-z", "--name-status", "-M", f"-l{_MOST_COMPARED}", "--full-diff",
        "--diff-filter=RD", *_OPTIONS, head, "--", *_literally(files),
        seconds=seconds,
    )  # fmt: skip
    if answer.status != 0:
        return None
    found: dict[str, list[tuple[date, str]]] = {file: [] for file in files}
    for one in _changes(answer.output):
        if one.name in found:
            found[one.name].append((one.day, one.new))
    return found


def titles(
    top: Path, head: str, files: Collection[str], since: date
) -> list[tuple[date, str, str]]:
    """Return commits to files: day, short hash and title, newest first; empty if git fails.

    A commit that added a file is not one, as in :func:`touched` with ``only="a"``, of which git
    makes nothing without a diff.
    """
    answer = ask(
        top, "log", "--no-follow", f"--max-count={MOST}", "--diff-filter=CDMRTUXB",
        "--format=tformat:%cs %h %s", *bound(since), head, "--", *_literally(files),
        seconds=_MOVED_SECONDS,
    )  # fmt: skip
    lines = answer.output.decode("utf-8", "replace").splitlines() if answer.status == 0 else []
    rows = (line.split(" ", 2) for line in lines)
    return [(date.fromisoformat(day), commit, title) for day, commit, title in rows]


def removed(
    top: Path, head: str, files: Collection[str], lines: Sequence[str], since: date | None
) -> list[tuple[date, str, str]] | None:
    """Return lines that commits removed from files: day, file and line, newest first.

    Args:
        top: Top of the worktree; names are relative to it.
        head: Hash of the last commit to consider.
        files: Names.
        lines: POSIX expressions; lines that match none of them may be included.
        since: Skip earlier commits; None for no limit.

    Returns:
        None if git fails or times out.
    """
    answer = ask(
        top, "log", "--patch", "--unified=0", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
        f"-G{'|'.join(f'({one})' for one in dict.fromkeys(lines))}", *_OPTIONS, *bound(since),
        head, "--", *_literally(files), seconds=_MOVED_SECONDS,
    )  # fmt: skip
    if answer.status:
        return None
    return [
        (
            date.fromisoformat(one.mark[:10]),
            one.file.decode("utf-8", "surrogateescape"),
            one.text.decode("utf-8", "replace"),
        )
        for one in changed_lines(answer.output)
        if not one.is_added
    ]


class ChangedLine(NamedTuple):
    """A line that a commit added or removed.

    Attributes:
        mark: Text after the byte 1 above the commit's patch.
        file: The file's name.
        start: First line of the hunk after the commit, 1-based.
        is_added: False if the line was removed.
        text: The line.
    """

    mark: str
    file: bytes
    start: int
    is_added: bool
    text: bytes


def changed_lines(output: bytes) -> Iterator[ChangedLine]:
    """Yield the lines of patches without context (``--unified=0``)."""
    mark, file, start, old, new = "", b"", 0, 0, 0
    for row in output.split(b"\n"):
        if old and row.startswith(b"-"):
            old -= 1
            yield ChangedLine(mark, file, start, is_added=False, text=row[1:])
        elif new and row.startswith(b"+"):
            new -= 1
            yield ChangedLine(mark, file, start, is_added=True, text=row[1:])
        elif row.startswith(b"\x01"):
            mark = row[1:].decode("ascii", "replace")
        elif name := _NAME.match(row):
            file = name[1]
        elif hunk := _HUNK.match(row):
            old, start, new = (int(count or 1) for count in hunk.groups())


_MOST_NAMES = 5
"""Maximum number of renames followed for a missing file."""
_MOST_GONE = 500
"""Maximum number of missing files compared with a new one; more is no rename."""


class Revision(NamedTuple):
    """A commit that touched a file.

    Attributes:
        at: Commit time.
        commit: Its short hash.
        subject: First line of its message.
        name: The file's name after the commit, relative to the top of the worktree.
        before: The previous name if the commit renamed the file; else "".
    """

    at: datetime
    commit: str
    subject: str
    name: str
    before: str = ""


class Lineage(NamedTuple):
    """History of a file according to git.

    Attributes:
        name: Current name, relative to the top of the worktree.
        revisions: Newest first.
        problem: Failure of git, with a remedy.
    """

    name: str
    revisions: tuple[Revision, ...] = ()
    problem: str = ""


def lineage(top: Path, head: str, file: str) -> Lineage:
    """Return the history of ``file``, which may be deleted or renamed.

    Args:
        top: Top of the worktree; names are relative to it.
        head: Hash of the last commit to consider.
        file: Any name it ever had.
    """
    name = _latest(top, head, file)
    before = _renamed(top, name)
    answer = ask(
        top, "log", "-z", "--follow", "--name-status", "-M", "--no-relative", "--encoding=UTF-8",
        f"--max-count={MOST}", "--format=tformat:%x01%h%n%cI%n%s", head, "--",
        *_literally([before or name]),
    )  # fmt: skip
    if answer.status != 0:
        return Lineage(name, problem=answer.problem)
    return Lineage(name, tuple(_revisions(answer.output, before or name)))


def _latest(top: Path, head: str, file: str) -> str:
    """Return the current name of ``file``, following later renames."""
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
    """Return the new name of a file renamed since the last commit; "" if it was not.

    Does not let git read the worktree, which would run the repository's filters.
    """
    staged = _origin(top, name, ("-M", "--diff-filter=R"))
    if staged:
        return staged
    gone = ask(top, "ls-files", "-z", "--deleted").output.split(b"\0")
    missing = [os.fsdecode(one) for one in gone if one][:_MOST_GONE]
    if not missing:
        return ""
    how = ("-C", "--find-copies-harder", "--diff-filter=C")
    return _origin(top, name, how, *_literally([name, *missing]))


def _origin(top: Path, name: str, how: Sequence[str], *paths: str) -> str:
    """Return the file of the last commit that ``name`` was renamed or copied from."""
    answer = ask(
        top, "diff-index", "-z", "--name-status", "--no-relative", *how, "HEAD", "--", *paths
    )
    parts = answer.output.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[1::3], parts[2::3], strict=False)
    return next((old for old, new in pairs if new == name), "")


def _revisions(output: bytes, name: str) -> Iterator[Revision]:
    """Yield commits with the file's name; commits without name status (merges) keep the name."""
    for record in output.decode("utf-8", "replace").split("\x01")[1:]:
        told, *rest = record.split("\0")
        commit, moment, subject = [*told.split("\n"), "", ""][:3]
        try:
            at = datetime.fromisoformat(moment)
        except ValueError:
            continue  # a broken commit has no timestamp
        status = [part.strip("\n") for part in rest]
        before = status[1] if status and status[0][:1] in ("R", "C") else ""
        yield Revision(at, commit, subject, name, before)
        name = before or name
