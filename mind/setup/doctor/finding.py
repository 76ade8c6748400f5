"""Findings of checks and their fixes; checks of the program, its package and PATH."""

import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib import metadata
from pathlib import Path

import mind
from mind.documents import parser
from mind.domain.entry import Entry
from mind.setup.clients.command import PACKAGE, installed
from mind.storage import files, process
from mind.storage.index import Soundness, soundness
from mind.storage.project import Project


class CheckOutcome(StrEnum):
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
    verdict: CheckOutcome
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

    verdict: CheckOutcome
    detail: str
    remedy: str = ""
    mending: Mending | None = None


def fine(detail: str) -> Finding:
    """A finding that needs no action."""
    return Finding(CheckOutcome.FINE, detail)


def warning(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """A finding that limits Mind or will cause trouble later."""
    return Finding(CheckOutcome.WARNING, detail, remedy, mending)


def broken(detail: str, remedy: str, mending: Mending | None = None) -> Finding:
    """A finding of something that does not work."""
    return Finding(CheckOutcome.BROKEN, detail, remedy, mending)


def typed(paths: Iterable[Path | str]) -> str:
    """``paths``, quoted for a shell."""
    return " ".join(shlex.quote(str(path)) for path in paths)


def several(texts: list[str], most: int = 3) -> str:
    """The first ``most`` of ``texts``, and the number of the rest."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True)
class ExaminedProject:
    """A project, and the options for checking it.

    Attributes:
        project: The project.
        quick: Start no process and read no large file.
    """

    project: Project
    quick: bool = False

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

    def anew(self) -> "ExaminedProject":
        """The same site with nothing cached."""
        return ExaminedProject(self.project.anew(), self.quick)


_REINSTALL = f"Run `{Path(sys.executable).name} -m pip install --force-reinstall {PACKAGE}`."


def version() -> Finding:
    """Report the versions of Mind and Python."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    return fine(f"{mind.__version__} on Python {python}, {sys.executable}")


def package() -> Finding:
    """Check the installed package against the running code."""
    try:
        found = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        folder = Path(mind.__file__).parents[1]
        return warning(
            f"Mind runs from {folder}, which is not installed",
            f"Run `pip install -e {typed([folder])}`.",
        )
    if found.version != mind.__version__:
        return warning(
            f"{Path(mind.__file__).parent} is version {mind.__version__}, but the installed "
            f"package is version {found.version}",
            _REINSTALL,
        )
    return fine(f"{PACKAGE} {found.version}")


def programs(start: Path) -> Finding:
    """Check that `mind` and `mind-hook` are installed, and that PATH finds no other versions.

    Args:
        start: A folder of the project; programs inside its repository do not count.
    """
    shown = []
    for name in ("mind", "mind-hook"):
        there, first = process.find(name, start), shutil.which(name)
        own = installed(name)
        here = own if own.is_file() else None
        if first not in (None, there, str(here)):
            return warning(
                f"PATH finds {first}, which is in the repository",
                "Remove that folder from PATH: the repository's authors control that program.",
            )
        if there is None and here is None:
            return warning(f"the program {name!r} is missing", _REINSTALL)
        if there is not None and here is not None and Path(there).resolve() != here.resolve():
            return warning(
                f"PATH finds {there}, which belongs to another installation than {here}",
                f"To check that one, run `{typed([there])} doctor`. To use this one, run "
                f'`export PATH="{here.parent}:$PATH"`.',
            )
        shown.append(there or f"{here} (not on PATH)")
    return fine(", ".join(shown))
