"""Text embeddings: models on disk, and the backends that run them.

A model is a folder with a manifest; files whose checksum differs are never run. Heavy packages
are imported with the first text.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.settings import Settings

if TYPE_CHECKING:
    from mind.search.embedding.backends import Model


def open_embedder(settings: Settings, home: Path) -> "Model | None":
    """The embedder selected by the settings; None if there is none, or the setting is "off".

    Takes milliseconds: checksums are cached, and the model is loaded with the first text. Errors
    need not be fatal: search continues without vectors and reports the reason.

    Args:
        settings: Reads ``embedding.model``, ``embedding.backend`` and ``embedding.threads``.
        home: The user's own folder.

    Raises:
        ConfigError: ``embedding.backend`` is unknown.
        NotFound: ``embedding.model`` is not installed.
        ModelError: A file differs from the installed one, or no backend built for it runs here.
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
    """Fingerprint of the installed models; changes when one is added, built, changed or removed."""
    found: list[object] = []
    for path in sorted((home / "models").glob("[!.]*/**/*")):
        with suppress(OSError):  # deleted meanwhile
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(found)


__all__ = ["open_embedder", "stamp"]
