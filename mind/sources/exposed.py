"""Credentials in memory files, sources and git history: location and type, never the value."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import FileError
from mind.domain.settings import Settings
from mind.sources.git.log import changed_lines
from mind.sources.git.repository import ask
from mind.storage import files
from mind.text import secrets


@dataclass(frozen=True, slots=True)
class Exposed:
    """A credential that is readable in a file or in history.

    Attributes:
        path: The file, relative to the project's root; "" for a commit message.
        line: First line, 1-based; in history, as of that commit; 0 if it is in the file's
            name.
        commit: The first commit that contains it; "" for the current file.
        name: Type of the credential.
    """

    path: str
    line: int
    commit: str
    name: str

    @property
    def where(self) -> str:
        """Location for display: ``file:line``, ``the name of file``, or ``commit abc1234``."""
        if not self.path:
            return f"commit {self.commit[:10]}"
        return f"{self.path}:{self.line}" if self.line else f"the name of {self.path}"


def in_files(root: Path, folder: Path) -> Iterator[Exposed]:
    """Yield credentials in the Markdown files of a memory.

    Args:
        root: Base of the reported paths.
        folder: Folder of the files; subfolders are skipped.

    Raises:
        FileError: A file cannot be read.
    """
    for path in sorted(filter(Path.is_file, folder.glob("*.md"))):
        text = files.read(path).decode("utf-8", "replace")
        name = secrets.mask(path.relative_to(root).as_posix())
        for line, kind, _ in _lines_with(text, 1):
            yield Exposed(name, line, "", kind)


def in_sources(root: Path, settings: Settings) -> Iterator[Exposed]:
    """Yield credentials in the comments and commits that a memory reads.

    Args:
        root: The project.
        settings: Select which of them are read.
    """
    from mind.sources import comments, commits  # noqa: PLC0415 - only needed here

    if settings.capture_comments:
        for name, one in comments.scan(root, settings).files.items():
            yield from (Exposed(name, 0, "", kind) for kind in secrets.masks_in(name))
            yield from (told for entry in one.entries for told in _masked(entry))
    if settings.capture_commits:
        found = commits.scan(root, settings, None, settings.capture_max_commits)
        yield from (told for entry in found.entries for told in _masked(entry))


def _masked(entry: Entry) -> Iterator[Exposed]:
    if not entry.masked:
        return
    said = " ".join((entry.text, *entry.tags, *entry.links, *entry.fields.values()))
    for kind in dict.fromkeys(secrets.masks_in(said)):
        yield Exposed("" if entry.commit else entry.source, entry.line, entry.commit, kind)


def in_history(root: Path, folder: Path) -> Iterator[Exposed]:
    """Yield credentials that any commit, branch, tag or stash added to these files, oldest first.

    Arguments as for :func:`in_files`. A value that was removed from a file and added again is
    reported once. Yields nothing outside of a repository.

    Raises:
        FileError: Git cannot read the history.
    """
    names = f":(glob){folder.relative_to(root).as_posix()}/*.md"
    answer = ask(
        root, "log", "--all", "--reverse", "--topo-order", "-p", "-m", "--unified=0", "--text",
        "--no-renames", "--no-follow", "--relative", "--src-prefix=a/", "--dst-prefix=b/",
        "--format=tformat:%x01%H", "--", names,
    )  # fmt: skip
    if answer.problem:
        message, _, remedy = answer.problem.partition(". ")
        raise FileError(message, remedy=remedy or None)
    known: set[tuple[str, str, str]] = set()
    added = (one for one in changed_lines(answer.output) if one.is_added)
    for (commit, file, line), run in groupby(added, key=lambda one: one[:3]):
        path = file.decode("utf-8", "replace")
        text = b"\n".join(one.text for one in run).decode("utf-8", "replace")
        for at, kind, value in _lines_with(text, line):
            if (path, kind, value) not in known:
                known.add((path, kind, value))
                yield Exposed(path, at, commit, kind)


def _lines_with(text: str, first: int) -> Iterator[tuple[int, str, str]]:
    """Yield line, type and value of each credential; the value is for comparison only."""
    line, last = first, 0
    for one in secrets.find(text):
        line += text.count("\n", last, one.start)
        last = one.start
        yield line, one.name, text[one.start : one.end]
