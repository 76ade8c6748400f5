"""The embedding models of this user: the door that adapters go through."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.errors import ModelError
from mind.search.embedding.progress import Progress, quiet
from mind.storage.home import home

if TYPE_CHECKING:
    from mind.search.embedding.installed import Installed


def listed() -> tuple[list["Installed"], list[ModelError]]:
    """All models by name, and what keeps others from being used."""
    from mind.search.embedding.installed import installed  # noqa: PLC0415 - other commands do without

    return installed(home())


def add(source: str, name: str | None = None, progress: Progress = quiet) -> "Installed":
    """Install a model; see :func:`mind.search.embedding.models.add`."""
    from mind.search.embedding import models  # noqa: PLC0415 - the same

    return models.add(home(), source, name, progress)


def build(name: str, backends: Sequence[str] = (), progress: Progress = quiet) -> "Installed":
    """Build fast files for a model; see :func:`mind.search.embedding.models.build`."""
    from mind.search.embedding import models  # noqa: PLC0415 - the same

    return models.build(home(), name, backends, progress)


def verify(name: str | None = None, progress: Progress = quiet) -> list["Installed"]:
    """Take the checksums of a model anew, or of all models.

    Raises:
        NotFound: There is no such model.
        ModelError: A file is not the one that was installed.
    """
    from mind.search.embedding import models  # noqa: PLC0415 - the same

    found, broken = listed()
    if name is None and broken:
        raise broken[0]
    names = [name] if name is not None else [model.folder.name for model in found]
    return [models.verify(home(), one, progress) for one in names]


def remove(name: str, *, dry_run: bool = False) -> Path:
    """Delete a model and return its folder; see :func:`mind.search.embedding.models.remove`."""
    from mind.search.embedding import models  # noqa: PLC0415 - the same

    return models.remove(home(), name, dry_run=dry_run)
