"""Vectors of texts: models on disk, and the backends that run them.

A model is a folder with a manifest; nothing of it is run whose checksum is another. Everything
heavy is imported when the first text comes.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.settings import Settings

if TYPE_CHECKING:
    from mind.search.embedding.backends import Embedder


def open_embedder(settings: Settings, home: Path) -> "Embedder | None":
    """The embedder that the settings ask for; None if there is none, or they say "off".

    Takes milliseconds: checksums are remembered, and the model is loaded with the first text.
    The errors are no reason to fail: search goes on without vectors, and says why.

    Args:
        settings: ``embedding.model``, ``embedding.backend`` and ``embedding.threads`` count.
        home: The user's own folder.

    Raises:
        ConfigError: ``embedding.backend`` is none that there is.
        NotFound: ``embedding.model`` is not installed.
        ModelError: A file of the model is not the one that was installed, or nothing that runs
            here was built.
        DependencyMissing: A package is not installed.
    """
    if settings.embedding_backend == "off" or not (home / "models").is_dir():
        return None
    from mind.search.embedding import backends, manifest  # noqa: PLC0415 - only with a model

    model = manifest.choose(settings, home)
    if model is None:
        return None
    backend = backends.pick(model.manifest, settings.embedding_backend)
    memo = manifest.memo(home, model.folder.name)
    manifest.check(model.folder, model.manifest, model.manifest.needed(backend), memo=memo)
    return backends.Model(model.folder, model.manifest, backend, settings)


def stamp(home: Path) -> tuple[object, ...]:
    """Another value once a model was added, built, changed or removed; takes a millisecond."""
    found: list[object] = []
    for path in sorted((home / "models").glob("[!.]*/**/*")):
        with suppress(OSError):  # deleted meanwhile
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(found)


__all__ = ["open_embedder", "stamp"]
