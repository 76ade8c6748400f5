"""Credentials in the files of a memory, as they are and as git keeps them: where, never what."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from mind import files, secrets
from mind.errors import FileError
from mind.sources.repository import ask

_SECONDS = 600
"""A person waits for a long history."""
_COMMIT, _FILE, _HUNK, _ADDED = "\x01", "file", "hunk", "+"
_HUNK_ROW = re.compile(r"@@ -\S+ \+(\d+)")


@dataclass(frozen=True, slots=True)
class Exposed:
    """A credential that anyone can read.

    Attributes:
        path: The file, from the project's root.
        line: Where it begins, from 1; in history, in the file as that commit left it.
        commit: The first commit on its way that has it; "" for the file as it is.
        name: Its kind.
    """

    path: str
    line: int
    commit: str
    name: str


def in_files(root: Path, folder: Path) -> Iterator[Exposed]:
    """Credentials in the Markdown files of a memory.

    Args:
        root: Paths are told from here.
        folder: Where the files are; not what is further down.

    Raises:
        FileError: A file cannot be read.
    """
    for path in sorted(folder.glob("*.md")):
        text = files.read(path).decode("utf-8", "replace")
        name = path.relative_to(root).as_posix()
        for line, kind, _ in _lines_with(text, 1):
            yield Exposed(name, line, "", kind)


def in_history(root: Path, folder: Path) -> Iterator[Exposed]:
    """Credentials in what any commit, branch, tag or stash added to these files, oldest first.

    Arguments are those of :func:`in_files`. A value that a file got again is told once. Nothing
    where there is no repository.

    Raises:
        FileError: Git cannot read the history.
    """
    names = f":(glob){folder.relative_to(root).as_posix()}/*.md"
    answer = ask(
        root, "-c", "core.quotePath=false", "log", "--all", "--reverse", "--topo-order", "-p", "-m",
        "--unified=0", "--text", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
        "--no-show-signature", "--no-notes", "--no-mailmap", "--no-follow", "--relative",
        "--src-prefix=a/", "--dst-prefix=b/", f"--format=tformat:{_COMMIT}%H", "--", names,
        seconds=_SECONDS,
    )  # fmt: skip
    if answer.problem:
        message, _, remedy = answer.problem.partition(". ")
        raise FileError(message, remedy=remedy or None)
    known: set[tuple[str, str, str]] = set()
    for commit, path, line, text in _added(answer.output.decode("utf-8", "replace").split("\n")):
        for at, kind, value in _lines_with(text, line):
            if (path, kind, value) not in known:
                known.add((path, kind, value))
                yield Exposed(path, at, commit, kind)


def _lines_with(text: str, first: int) -> Iterator[tuple[int, str, str]]:
    """The line, kind and value of each credential; the value is for comparing only."""
    line, last = first, 0
    for one in secrets.find(text):
        line += text.count("\n", last, one.start)
        last = one.start
        yield line, one.name, text[one.start : one.end]


def _added(rows: Iterable[str]) -> Iterator[tuple[str, str, int, str]]:
    """Commit, path, first line and text of each run of lines that a commit added.

    Args:
        rows: Of a patch without context, each commit behind ``_COMMIT``.
    """
    commit = path = ""
    line = 0
    for is_added, run in groupby(_told(rows), key=lambda row: row[0] == _ADDED):
        if is_added:
            yield commit, path, line, "\n".join(text for _, text in run)
            continue
        for kind, text in run:
            commit = text if kind == _COMMIT else commit
            path = text if kind == _FILE else path
            line = int(text) if kind == _HUNK else line


def _told(rows: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What each row of a patch tells: a commit, a file, where a hunk begins, or an added line."""
    within = False
    for row in rows:
        if within and row.startswith("+"):
            yield _ADDED, row[1:]
        elif row.startswith((_COMMIT, "diff --git ")):
            within = False
            if row.startswith(_COMMIT):
                yield _COMMIT, row[1:]
        elif row.startswith("+++ "):
            yield _FILE, row[4:].removeprefix("b/").rstrip("\t")
        elif hunk := _HUNK_ROW.match(row):
            within = True
            yield _HUNK, hunk[1]
