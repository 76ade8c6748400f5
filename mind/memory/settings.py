"""Settings of a project, registered projects, and parsing of single files."""

from pathlib import Path

from mind.documents import parser
from mind.domain.errors import NotFound, ProjectError
from mind.domain.settings import Settings
from mind.memory.answers import Parsed
from mind.memory.workspace import Workspace
from mind.storage import files, settings_file
from mind.storage import project as places
from mind.storage.home import home


def parse(path: Path | None = None) -> Parsed:
    """Parse a Markdown file, MEMORY.md by default: entries, and lines that are none.

    Outside a project, the default settings apply.
    """
    try:
        project = places.find()
    except ProjectError:
        if path is None:
            raise
        project = None
    file = path or (project or places.find()).memory
    if not file.is_file():
        raise NotFound(f"{file} is not a file", remedy="Give a Markdown file.")
    settings = project.settings if project else Settings()
    entries, left = parser.explain(files.read(file), file.as_posix(), settings)
    return Parsed(tuple(parser.number_and_resolve(entries)), tuple(left))


def configure(at: Workspace, key: str, value: str | None, *, user: bool = False) -> None:
    """Set ``key`` to ``value`` (JSON or plain text), or reset it with None.

    Raises:
        ConfigError: The key is unknown, or the value does not fit it.
    """
    path = home() / "config.toml" if user else at.project.config
    settings_file.configure(path, key, value)
    at.project = at.project.anew()


def projects(*, prune: bool = False) -> tuple[list[Path], list[Path]]:
    """The registered projects, and those that ``prune`` took off the list."""
    gone = places.prune() if prune else []
    return places.registered(), gone
