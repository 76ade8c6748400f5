"""Findings of checks, and their fixes."""

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
    """The result of one check.

    Attributes:
        name: Name of the check, the same in every run.
        verdict: Its outcome; after a fix, the outcome of checking again.
        detail: What was found.
        remedy: What to do about it; "" if fine.
        mending: What ``--fix`` does about it, or did; "" if it can do nothing.
        mended: True if the fix was applied.
    """

    name: str
    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: str = ""
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Mending:
    """A safe, reversible fix: ``what`` describes it in the imperative, ``act`` applies it."""

    what: str
    act: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a check, without the check's name."""

    verdict: Verdict
    detail: str
    remedy: str = ""
    mending: Mending | None = None


def fine(detail: str) -> Finding:
    """A finding that needs no action."""
    return Finding(Verdict.FINE, detail)


def warning(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """A finding that limits Mind or will cause trouble later."""
    return Finding(Verdict.WARNING, detail, remedy, mending)


def broken(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """A finding of something that does not work."""
    return Finding(Verdict.BROKEN, detail, remedy, mending)


def typed(paths: Iterable[Path | str]) -> str:
    """``paths``, quoted for a shell."""
    return " ".join(shlex.quote(str(path)) for path in paths)


def several(texts: list[str], most: int = 3) -> str:
    """The first ``most`` of ``texts``, and the number of the rest."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class Site:
    """A project, and the options for checking it.

    Attributes:
        project: The project.
        quick: Start no process and read no large file.
        confirm: Asks the user whether to run a command that is not Mind's own, given its place
            and the command.
    """

    project: Project
    quick: bool = False
    confirm: Callable[[str, str], bool] = lambda _place, _command: False

    @cached_property
    def memory(self) -> bytes:
        """The content of MEMORY.md.

        Raises:
            FileError: It cannot be read.
        """
        return files.read(self.project.memory)

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries in MEMORY.md."""
        name = self.project.relative(self.project.memory)
        return parser.parse(self.memory, name, self.project.settings)

    @cached_property
    def soundness(self) -> Soundness:
        """The integrity of the index, which must exist."""
        files.check(self.index)
        return soundness(self.index, thorough=not self.quick)

    @property
    def index(self) -> Path:
        """The path of the index."""
        return self.project.cache / "index.db"

    def name(self, path: Path) -> str:
        """``path`` for display: relative to the project's root if it is inside."""
        root = self.project.root
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)

    def anew(self) -> "Site":
        """The same site with nothing cached."""
        return Site(self.project.anew(), self.quick, self.confirm)
