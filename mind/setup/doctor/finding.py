"""Findings of checks, and what would mend them."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from mind.documents import parser
from mind.domain.entry import Entry
from mind.storage import files
from mind.storage.index import Soundness, soundness
from mind.storage.project import Project


class Verdict(StrEnum):
    """The outcome of a check."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What it is, the same in every run.
        verdict: How it ended; after a mending, how it ended then.
        detail: What was seen.
        remedy: What to do about it; "" when it is fine.
        mending: What ``--fix`` does about it, or did; "" if that is left to the user.
        mended: Whether it was done.
    """

    name: str
    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: str = ""
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Mending:
    """Something safe that can be taken back: ``what`` in the imperative, and the deed."""

    what: str
    act: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's outcome, before it is known by name."""

    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: Mending | None = None


def fine(detail: str) -> Finding:
    """Nothing to do."""
    return Finding(Verdict.FINE, detail)


def warning(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """Memory works, but not all of it or not for long."""
    return Finding(Verdict.WARNING, detail, remedy, mending)


def broken(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """Something does not work."""
    return Finding(Verdict.BROKEN, detail, remedy, mending)


def typed(paths: Iterable[Path | str]) -> str:
    """``paths`` as a shell takes them."""
    return " ".join(shlex.quote(str(path)) for path in paths)


def several(texts: list[str], most: int = 3) -> str:
    """The first of ``texts``, and how many more there are."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class Site:
    """A project, and how to look at it.

    Attributes:
        project: It.
        quick: Start no process and read no large file.
        confirm: Asks the user whether to start a command that is not Mind's own: where it stands,
            and the command.
    """

    project: Project
    quick: bool = False
    confirm: Callable[[str, str], bool] = lambda _place, _command: False

    @cached_property
    def memory(self) -> bytes:
        """MEMORY.md.

        Raises:
            FileError: It cannot be read.
        """
        return files.read(self.project.memory)

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries in it."""
        name = self.project.relative(self.project.memory)
        return parser.parse(self.memory, name, self.project.settings)

    @cached_property
    def soundness(self) -> Soundness:
        """Of the index, which exists."""
        files.check(self.index)
        return soundness(self.index, thorough=not self.quick)

    @property
    def index(self) -> Path:
        """The file of the index."""
        return self.project.cache / "index.db"

    def name(self, path: Path) -> str:
        """``path`` as people write it: from the project's root where it is inside."""
        root = self.project.root
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)

    def anew(self) -> "Site":
        """The same, with nothing read yet."""
        return Site(self.project.anew(), self.quick, self.confirm)
