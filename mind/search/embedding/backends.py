"""Which programs can run a model, which of them is taken, and the embedder that they all share."""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mind.domain.errors import ConfigError, DependencyMissing, ModelError
from mind.search.embedding import bert
from mind.search.embedding.coreml import CoreMLSession
from mind.search.embedding.manifest import TOKENIZER, Manifest
from mind.search.embedding.onnx import OnnxSession
from mind.search.embedding.tokens import Tokens, lacking, padded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Run = Callable[[Ints, Ints], Floats]
    """(ids, mask) of (rows x tokens) → vectors, (rows x dimension)."""

ORDER = ("coreml", "onnx-blocks", "onnx-int8", "onnx-fp32", "numpy")
"""Backends, best first: accuracy at the speed that a search allows."""

CHOICES = ("auto", "off", "onnx", *ORDER)


class Model:
    """An embedder; the files are loaded when the first text comes.

    Texts are run one by one. On one thread a batch is no faster, and rounded activations would
    make the vector of a text depend on its company.

    Args:
        folder: The model's.
        manifest: Its manifest; the files are what it says.
        backend: One of its backends.
        threads: How many threads a text may use, where the backend lets that be chosen.
    """

    def __init__(self, folder: Path, manifest: Manifest, backend: str, threads: int = 1) -> None:
        self.name = manifest.name
        self.backend = backend
        self.dimension = manifest.dimension
        self.max_tokens = manifest.max_tokens
        self.profile = profile(manifest, backend)
        self._path = folder / manifest.backends[backend]
        self._tokenizer = folder / TOKENIZER
        self._threads = threads
        self._loading = threading.Lock()
        self._loaded: tuple[Tokens, Run] | None = None

    def embed(self, texts: Sequence[str]) -> "Floats":
        """The vectors of ``texts``; see :class:`~mind.search.embedding.protocol.Embedder`."""
        try:
            import numpy as np  # noqa: PLC0415 - takes 0.1 s
        except ImportError as error:
            raise lacking("numpy") from error
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        tokens, run = self._ready()
        for number, text in enumerate(texts):
            vectors[number] = run(*padded([tokens.encode(text)]))[0]
        return vectors

    def _ready(self) -> "tuple[Tokens, Run]":
        with self._loading:
            if self._loaded is None:
                tokens = Tokens(self._tokenizer, self.max_tokens)
                self._loaded = tokens, load(self.backend, self._path, self._threads)
            return self._loaded


def load(backend: str, path: Path, threads: int = 1) -> "Run":
    """What runs the file (or folder) ``path`` with ``backend``.

    Raises:
        DependencyMissing: A package is not installed.
        ModelError: The file cannot be run.
    """
    if backend == "numpy":
        return partial(bert.forward, bert.load(path.parent))
    if backend.startswith("onnx-"):
        return OnnxSession(path, threads)
    if backend == "coreml":
        return CoreMLSession(path)
    raise ModelError(f"{path}: Mind has no backend {backend!r}", path=str(path))


def profile(manifest: Manifest, backend: str) -> str:
    """What vectors are comparable: those of the same model, backend, files and settings."""
    from hashlib import blake2b  # noqa: PLC0415 - only when there is a model

    parts = [backend, str(manifest.max_tokens), manifest.pooling, str(manifest.normalised)]
    parts += [f"{name}={manifest.files[name].sha256}" for name in sorted(manifest.needed(backend))]
    digest = blake2b("\n".join(parts).encode(), digest_size=6).hexdigest()
    return f"{manifest.name}/{backend}/{digest}"


def pick(manifest: Manifest, wanted: str) -> str:
    """The backend to run: the best one that is there and can run here.

    Args:
        manifest: Of the model.
        wanted: "auto", "onnx" for the best with ONNX Runtime, or a backend by its name.

    Raises:
        ConfigError: There is no backend of that name.
        ModelError: The model has no files for it.
        DependencyMissing: Its packages are not installed.
    """
    if wanted not in CHOICES:
        raise ConfigError(
            f"embedding.backend is {wanted!r}",
            remedy=f"Use one of {', '.join(CHOICES)}.",
            key="embedding.backend",
        )
    family = [name for name in ORDER if wanted == "auto" or name.partition("-")[0] == wanted]
    there = [name for name in family or [wanted] if name in manifest.backends]
    if not there:
        raise ModelError(
            f"the model {manifest.name} has nothing that {wanted} can run",
            remedy=f"Run `mind models build {manifest.name}`, or set embedding.backend to auto.",
        )
    problems = {name: _problem(name) for name in there}
    for name, problem in problems.items():
        if problem is None:
            return name
    raise next(problem for problem in problems.values() if problem)


def _problem(backend: str) -> DependencyMissing | ModelError | None:
    packages = {"numpy": (), "coreml": ("coremltools",)}.get(backend, ("onnxruntime",))
    if backend == "coreml" and sys.platform != "darwin":
        return ModelError("Core ML runs on Apple machines only", remedy="Use another backend.")
    for package in ("numpy", "tokenizers", *packages):
        if find_spec(package) is None:
            return lacking(package, "coreml" if package == "coremltools" else "onnx")
    return None
