"""Which models there are: folders under ``models`` in ``~/.mind``, each with a manifest."""

from dataclasses import dataclass
from pathlib import Path

from mind.domain.errors import InputError, ModelError, NotFound
from mind.domain.settings import Settings
from mind.search.embedding import manifest
from mind.search.embedding.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Installed:
    """A model's folder and what its manifest says."""

    folder: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(content.size for content in self.manifest.files.values())


def folder_of(home: Path) -> Path:
    """Where models are, below the user's own folder."""
    return home / "models"


def installed(home: Path) -> tuple[list[Installed], list[ModelError]]:
    """All models by name, and what keeps others from being used."""
    found, broken = [], []
    for folder in sorted(folder_of(home).glob("*/")):
        if folder.name.startswith("."):
            continue
        try:
            found.append(Installed(folder, manifest.read(folder)))
        except ModelError as error:
            broken.append(error)
    return found, broken


def find(home: Path, name: str) -> Installed:
    """The model called ``name``.

    Raises:
        NotFound: There is none.
        ModelError: Its manifest is missing or broken.
    """
    folder = folder_of(home) / valid(name)
    if not folder.is_dir():
        names = ", ".join(one.folder.name for one in installed(home)[0])
        raise NotFound(
            f"there is no model {name!r}",
            remedy=f"There are: {names}." if names else "Run `mind models add` first.",
            name=name,
        )
    return Installed(folder, manifest.read(folder))


def choose(settings: Settings, home: Path) -> Installed | None:
    """The model that the settings name, else the first by name; None if there is none.

    Raises:
        NotFound: The one that the settings name is not installed.
        ModelError: It is broken, or all are.
    """
    if settings.embedding_model:
        return find(home, settings.embedding_model)
    found, broken = installed(home)
    if broken and not found:
        raise broken[0]
    return found[0] if found else None


def memo(home: Path, name: str) -> Path:
    """Where the checksums of a model's files are remembered."""
    return home / "cache" / "models" / f"{name}.json"


def valid(name: str) -> str:
    """``name`` if a model can be called so.

    Raises:
        InputError: It cannot.
    """
    try:
        return manifest.valid_name(name)
    except ValueError as error:
        raise InputError(
            str(error), remedy="Use letters, digits, dots, underscores and hyphens.", name=name
        ) from error
