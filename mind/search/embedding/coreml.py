"""Core ML, on Apple machines."""

import contextlib
import logging
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ModelError
from mind.search.embedding.tokens import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

INPUTS = ("ids", "mask")
OUTPUT = "vectors"
"""Of every package that Mind builds."""


class CoreMLSession:
    """A loaded package.

    It runs on the processor alone: with texts of any length, other units end the process
    (coremltools issue 2825), and they would have to compile the program for each length.

    Args:
        path: The package, a folder.

    Raises:
        DependencyMissing: The package coremltools is not installed.
        ModelError: This is no Apple machine, or the package cannot be loaded.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._running = threading.Lock()  # a model is for one thread at a time, says Apple
        if sys.platform != "darwin":
            raise ModelError(
                f"{path} cannot be run: Core ML runs on Apple machines only",
                remedy="Set embedding.backend to auto, and run `mind models build`.",
                path=str(path),
            )
        ct = coremltools()
        with translating(path), copied(path) as copy:
            self._model: Any = ct.models.MLModel(str(copy), compute_units=ct.ComputeUnit.CPU_ONLY)

    def __call__(self, ids: "Ints", mask: "Ints") -> "Floats":
        """The vectors of rows of tokens, (rows x dimension).

        Raises:
            ModelError: The package cannot be run on these.
        """
        import numpy as np  # noqa: PLC0415 - takes 0.1 s

        vectors = []
        with translating(self._path), self._running:
            for row in zip(ids.astype(np.int32), mask.astype(np.int32), strict=True):
                inputs = {name: part[None] for name, part in zip(INPUTS, row, strict=True)}
                vectors.append(self._model.predict(inputs)[OUTPUT])
            return np.concatenate(vectors)


def coremltools() -> Any:  # noqa: ANN401 - it has no types
    """The package, imported without its words on what else is installed.

    Raises:
        DependencyMissing: It is not installed.
    """
    logging.getLogger("coremltools").setLevel(logging.ERROR)
    try:
        import coremltools as package  # noqa: PLC0415 - optional, and takes 2 s
    except ImportError as error:
        raise lacking("coremltools", "coreml") from error
    return package


@contextlib.contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of a package to open: opening one writes its ``Manifest.json`` anew."""
    with tempfile.TemporaryDirectory(prefix="mind-") as folder:
        yield Path(shutil.copytree(path, Path(folder) / path.name))


@contextlib.contextmanager
def translating(path: Path, action: str = "run") -> Iterator[None]:
    """Turn what coremltools raises while ``path`` is run (or written) into a ModelError."""
    try:
        yield
    except Exception as error:  # it raises plain exceptions
        raise ModelError(
            f"{path} cannot be {action}: {error}",
            remedy="Run `pip install --upgrade coremltools`, or `mind models build` again.",
            path=str(path),
        ) from error
