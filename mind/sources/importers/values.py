"""The parts of an importer: where its tool keeps things, and how they are read."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path

from mind.domain.settings import Settings
from mind.sources.remembered import ImportedNote

DAMAGED = "damaged"
"""What cannot be read as what it should be: a cut-off line, front matter without an end."""
ELSEWHERE = "of other projects"
EMPTY = "without content"
GONE = "archived there"
LARGE = "too large"
LINKED = "links"
SENSITIVE = "marked sensitive"
SETTLED = "settled"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Places where a tool may keep its things.

    Attributes:
        root: Of the project.
        home: Of the user.
        environment: Its variables.
        main: Root of the git repository's first worktree, which the others share; the project's
            where there is none.
    """

    root: Path
    home: Path
    environment: Mapping[str, str]
    main: Path | None = None

    def named(self, *variables: str) -> list[Path]:
        """The paths that variables name, those that are set."""
        given = (self.environment.get(name, "").strip() for name in variables)
        return [self.expanded(path) for path in given if path]

    def owns(self, path: Path, *, real: bool = False) -> bool:
        """Return whether ``path`` is below the project, or below where that really is."""
        return path.is_relative_to(self.root.resolve() if real else self.root)

    def expanded(self, path: str) -> Path:
        """``path``, with ``~`` as the user's folder; a relative one is below the project."""
        if path == "~" or path.startswith(("~/", "~\\")):
            return self.home / path[2:]
        return self.root / path


@dataclass(slots=True, kw_only=True)
class ImporterInput:
    """The input of an importer, and its counts of what it leaves out.

    Attributes:
        root: Of the project.
        names: Of the project, and of the first worktree: a store of many projects tells by them
            what belongs here.
        everything: What belongs to other projects is wanted too.
        settings: How free text is read.
        zone: In which a moment is a day.
        left_out: How many things were not read as a memory, by the reason.
    """

    root: Path
    names: frozenset[str]
    everything: bool = False
    settings: Settings = field(default_factory=Settings)
    zone: tzinfo = UTC
    left_out: Counter[str] = field(default_factory=Counter)

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count what is no memory."""
        self.left_out[why] += count

    def belongs(self, names: Iterable[str]) -> bool:
        """Return whether what is filed under the projects ``names`` belongs here.

        Under none, it does.
        """
        filed = {name.strip().casefold() for name in names if name.strip()}
        own = {name.casefold() for name in self.names}
        return self.everything or not filed or not own.isdisjoint(filed)

    def place_of(self, path: Path) -> str:
        """``path`` for a person: below the project if it is there."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return str(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A tool whose memories can be imported.

    Attributes:
        name: As ``mind import`` takes it.
        about: What is read, for a person.
        where: Its usual places, for a person.
        gives: What becomes what, for a person.
        places: Where it usually keeps them, those that are named in the environment first; none
            if there is no such place. Whether they are there is not looked at.
        read: Its memories at a place, each with a key that is the same on every run.
        is_file: Whether a place is a file; else it is a folder.
        is_there: Whether a usual place is one of the tool's, where its name does not tell.
        is_shared: What it reads belongs to the repository, not to a person: `mind init` offers it.
    """

    name: str
    about: str
    places: Callable[[Surroundings], list[Path]]
    read: Callable[[Path, ImporterInput], Iterator[ImportedNote]]
    where: str = ""
    gives: str = ""
    is_file: bool = False
    is_there: Callable[[Path], bool] = lambda _place: True
    is_shared: bool = False
