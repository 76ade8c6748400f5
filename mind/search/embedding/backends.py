"""Backends that run a model, their selection, and the embedder they share."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ConfigError, DependencyMissing, ModelError
from mind.domain.settings import Settings
from mind.search.embedding.manifest import TOKENIZER, ModelManifest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Run = Callable[[Ints, Ints], Floats]
    """(ids, mask) of (rows x tokens) → vectors, (rows x dimension)."""


_LONGEST_WORD = 100
"""Longest word, in characters, that WordPiece splits; bounds the text behind one token."""


class Tokens:
    """A model's tokenizer.

    Args:
        path: Path of its ``tokenizer.json``.
        max_tokens: Maximum length of a text, special tokens included.

    Raises:
        DependencyMissing: The package is not installed.
        ModelError: The file cannot be read.
    """

    def __init__(self, path: Path, max_tokens: int) -> None:
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - optional
        except ImportError as error:
            raise lacking("tokenizers") from error
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(path))
        except Exception as error:  # the package raises nothing more specific
            raise ModelError(f"{path} cannot be read: {error}", path=str(path)) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._longest = max_tokens * _LONGEST_WORD

    def encode(self, text: str) -> list[int]:
        """Token ids of ``text``, including the special ones."""
        text = text[: self._longest].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids


def padded(rows: Sequence[Sequence[int]]) -> tuple["Ints", "Ints"]:
    """Rows of token ids, padded, as (ids, mask), each (rows x longest), int64."""
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    longest = max(map(len, rows))
    ids = np.array([[*row, *[0] * (longest - len(row))] for row in rows], dtype=np.int64)
    mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in rows], dtype=np.int64)
    return ids, mask


def lacking(package: str, extra: str = "onnx") -> DependencyMissing:
    """The error for a package that is not installed."""
    return DependencyMissing(
        f"{package} is not installed",
        remedy=f"Run `pip install 'mind-lens[{extra}]'`.",
        package=package,
    )


class OnnxSession:
    """A loaded sentence encoder in the standard ONNX layout.

    Inputs are ``input_ids``, ``attention_mask`` and optionally ``token_type_ids``; the output is
    ``sentence_embedding``, or one vector per token, which are averaged. Threads do not spin while
    waiting, to leave the processor to others; memory is freed after each text.

    Args:
        path: The ONNX file.
        threads: Threads per text.

    Raises:
        DependencyMissing: The package is not installed.
        ModelError: The installed version cannot load the file.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            import onnxruntime  # noqa: PLC0415 - optional, and takes 0.2 s
        except ImportError as error:
            raise lacking("onnxruntime") from error
        onnxruntime.disable_telemetry_events()  # Windows builds send telemetry by default
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4  # errors are raised, not printed
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._path = path
        with _translating(path):
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
            self._inputs = [one.name for one in self._session.get_inputs()]
            outputs = [one.name for one in self._session.get_outputs()]
            self._output = next((one for one in outputs if one == _SENTENCE), outputs[0])

    def __call__(self, ids: "Ints", mask: "Ints") -> "Floats":
        """Vectors of rows of tokens, (rows x dimension), normalised to length one.

        Raises:
            ModelError: The model fails on this input.
        """
        import numpy as np  # noqa: PLC0415 - takes 0.1 s

        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with _translating(self._path):
            inputs = {name: given[name] for name in self._inputs}
            found: Floats = self._session.run([self._output], inputs)[0]
        if found.ndim == 3:
            weight = mask[..., None].astype(np.float32)
            found = (found * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        found = found / np.maximum(norms, _SMALLEST_NORM)
        return found.astype(np.float32)


@contextlib.contextmanager
def _translating(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a dozen classes without a common base
        raise ModelError(
            f"{path} cannot be run: {error}",
            remedy="Run `pip install --upgrade onnxruntime`, or add the model again.",
            path=str(path),
        ) from error


DEFAULTS = Settings()
ORDER = ("coreml", "onnx")
"""Backends, best first."""

CHOICES = ("auto", "off", *ORDER)
_SENTENCE = "sentence_embedding"
_SMALLEST_NORM = 1e-12


class Model:
    """An embedder of texts whose files are loaded with the first text. Thread-safe.

    Texts run one by one: on one thread a batch is no faster, and rounded activations would make a
    text's vector depend on the rest of the batch.

    Args:
        folder: The model's folder.
        manifest: Its manifest.
        backend: One of its backends.
        settings: Reads ``embedding.threads`` and ``embedding.compute_units``.
    """

    def __init__(
        self, folder: Path, manifest: ModelManifest, backend: str, settings: Settings = DEFAULTS
    ) -> None:
        self.name = manifest.name
        self.backend = backend
        self.dimension = manifest.dimension
        self.max_tokens = manifest.max_tokens
        self.profile = profile(manifest, backend, settings.embedding_compute_units)
        self._path = folder / manifest.backends[backend]
        self._tokenizer = folder / TOKENIZER
        self._settings = settings
        self._loading = threading.Lock()
        self._loaded: tuple[Tokens, Run] | None = None

    def embed(self, texts: Sequence[str]) -> "Floats":
        """Vectors of ``texts``, (texts x dimension), float32, normalised to length one.

        A text's vector does not depend on the other texts.

        Raises:
            DependencyMissing: A package is not installed; the error says which, and how.
            ModelError: The model is damaged, or cannot be run here.
        """
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
                self._loaded = tokens, load(self.backend, self._path, self._settings)
            return self._loaded


def load(backend: str, path: Path, settings: Settings = DEFAULTS) -> "Run":
    """Session that runs the file or folder ``path`` with ``backend``.

    Raises:
        DependencyMissing: A package is not installed.
        ModelError: The file cannot be run.
    """
    if backend == "onnx":
        return OnnxSession(path, settings.embedding_threads)
    if backend == "coreml":
        from mind.search.embedding.coreml import CoreMLSession  # noqa: PLC0415 - on Apple machines

        return CoreMLSession(path, settings.embedding_compute_units)
    raise ModelError(f"{path}: Mind has no backend {backend!r}", path=str(path))


def profile(manifest: ModelManifest, backend: str, units: str = "cpu_only") -> str:
    """Profile: the same for vectors of the same model, backend, files and settings."""
    from hashlib import blake2b  # noqa: PLC0415 - only when there is a model

    runs_on = f"{backend}+{units}" if backend == "coreml" and units != "cpu_only" else backend
    parts = [runs_on, str(manifest.max_tokens), manifest.pooling, str(manifest.normalised)]
    parts += [f"{name}={manifest.files[name].sha256}" for name in sorted(manifest.needed(backend))]
    digest = blake2b("\n".join(parts).encode(), digest_size=6).hexdigest()
    return f"{manifest.name}/{runs_on}/{digest}"


def pick(manifest: ModelManifest, wanted: str) -> str:
    """Backend to run: the best one that the model has and this machine supports.

    Args:
        manifest: The model's manifest.
        wanted: "auto", or the name of a backend.

    Raises:
        ConfigError: Unknown backend.
        ModelError: The model has no files for it.
        DependencyMissing: Its packages are not installed.
    """
    if wanted not in CHOICES:
        raise ConfigError(
            f"embedding.backend is {wanted!r}",
            remedy=f"Use one of {', '.join(CHOICES)}.",
            key="embedding.backend",
        )
    there = [name for name in ORDER if wanted in ("auto", name) and name in manifest.backends]
    if not there:
        raise ModelError(
            f"the model {manifest.name} has nothing that {wanted} can run",
            remedy=f"Run `mind models remove {manifest.name}` and `mind models add` again, or set "
            "embedding.backend to auto.",
        )
    problems = {name: _problem(name) for name in there}
    for name, problem in problems.items():
        if problem is None:
            return name
    raise next(problem for problem in problems.values() if problem)


def _problem(backend: str) -> DependencyMissing | ModelError | None:
    runtime = "coremltools" if backend == "coreml" else "onnxruntime"
    if backend == "coreml" and sys.platform != "darwin":
        return ModelError("Core ML runs on Apple machines only", remedy="Use another backend.")
    for package in ("numpy", "tokenizers", runtime):
        if find_spec(package) is None:
            return lacking(package, "coreml" if package == "coremltools" else "onnx")
    return None
