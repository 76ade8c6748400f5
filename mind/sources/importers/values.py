"""Interface of an importer: its usual locations, its reader, and the input."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path

from mind.domain.entry import LOGGED
from mind.domain.settings import Settings
from mind.sources.remembered import ImportedNote

DAMAGED = "damaged"
"""Reason for skipping malformed data: a truncated line, front matter without an end."""
DRAWING = "drawings"
ELSEWHERE = "of other projects"
EMPTY = "without content"
FOREIGN = "in a format other than Markdown"
GONE = "archived there"
LARGE = "too large"
LINKED = "links"
SENSITIVE = "marked sensitive"
UNREADABLE = "unreadable"

KINDS = {kind.value: kind for kind in LOGGED}
"""Kinds of statements by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Locations where a tool may store data.

    Attributes:
        root: Root of the project.
        home: The user's home folder.
        environment: Environment variables.
        main: Root of the git repository's main worktree, shared by the others; outside of git the
            project's root.
    """

    root: Path
    home: Path
    environment: Mapping[str, str]
    main: Path | None = None

    def named(self, *variables: str) -> list[Path]:
        """Return the paths in those of the variables that are set."""
        given = (self.environment.get(name, "").strip() for name in variables)
        return [self.expanded(path) for path in given if path]

    def owns(self, path: Path, *, real: bool = False) -> bool:
        """Return True if ``path`` is below the project, or below its real path if ``real``."""
        return path.is_relative_to(self.root.resolve() if real else self.root)

    def expanded(self, path: str) -> Path:
        """Return ``path`` with ``~`` expanded; relative to the project."""
        if path == "~" or path.startswith(("~/", "~\\")):
            return self.home / path[2:]
        return self.root / path


@dataclass(slots=True, kw_only=True)
class ImporterInput:
    """Input of an importer, which also counts skipped items.

    Attributes:
        root: Root of the project.
        names: Names of the project and of the main worktree; stores of many projects are filtered
            by them.
        everything: Include other projects.
        settings: For the parser of free text.
        zone: Time zone for converting timestamps to days.
        left_out: Number of skipped items by reason.
        ended: What its source says is not in force, with the key of its successor or "".
    """

    root: Path
    names: frozenset[str]
    everything: bool = False
    settings: Settings = field(default_factory=Settings)
    zone: tzinfo = UTC
    left_out: Counter[str] = field(default_factory=Counter)
    ended: list[tuple[ImportedNote, str]] = field(default_factory=list)

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count skipped items."""
        self.left_out[why] += count

    def counted(self, notes: Iterable[ImportedNote]) -> Iterator[ImportedNote]:
        """Yield the notes of an item; one that has none is counted as skipped."""
        is_empty = True
        for note in notes:
            is_empty = False
            yield note
        if is_empty:
            self.leave_out(EMPTY)

    def belongs(self, names: Iterable[str]) -> bool:
        """Return True if a memory filed under the projects ``names`` belongs to this one.

        True without names; one of other projects is counted as skipped.
        """
        filed = {name.strip().casefold() for name in names if name.strip()}
        own = {name.casefold() for name in self.names}
        is_own = self.everything or not filed or not own.isdisjoint(filed)
        if not is_own:
            self.leave_out(ELSEWHERE)
        return is_own

    def place_of(self, path: Path) -> str:
        """Return ``path`` for display: relative if it is in the project."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return str(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A tool whose memories can be imported.

    Attributes:
        name: Name for ``mind import``.
        about: Description of the data, for display.
        where: Usual locations, for display.
        gives: Mapping to entries, for display.
        places: Returns the usual locations, those from the environment first; empty if there are
            none. They may not exist.
        read: Yields the memories at a location, each with a key that is stable across runs.
        is_file: True if a location is a file, not a folder.
        is_there: Tests a usual location whose name is ambiguous.
        is_shared: The data belongs to the repository, not to a person: `mind init` offers it.
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
