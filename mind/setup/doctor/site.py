"""The project that is looked at, with what several checks read of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mind.documents import parser
from mind.domain.entry import Entry
from mind.storage import files
from mind.storage.index import Soundness, soundness
from mind.storage.project import Project


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
        """What is understood of it."""
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
