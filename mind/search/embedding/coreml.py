"""Core ML backend for Apple machines; builds the program from the published weights."""

import contextlib
import io
import json
import logging
import math
import shutil
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ModelError
from mind.search.embedding.backends import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Var = Any
    """A value of the program; coremltools is untyped."""


INPUTS = ("ids", "mask")
OUTPUT = "vectors"
"""Output name in every package that Mind builds."""


class CoreMLSession:
    """A loaded Core ML package.

    It runs on the CPU unless the user chooses otherwise: with texts of varying length, other units
    crash the process on some machines (coremltools issue 2825), and compile the program for each
    length.

    Args:
        path: The package, a folder.
        units: Compute units of coremltools: all, cpu_only, cpu_and_gpu or cpu_and_ne.

    Raises:
        DependencyMissing: The package coremltools is not installed.
        ModelError: Not an Apple machine, or the package cannot be loaded.
    """

    def __init__(self, path: Path, units: str = "cpu_only") -> None:
        self._path = path
        self._running = threading.Lock()  # Apple: a model serves one thread at a time
        if sys.platform != "darwin":
            raise ModelError(
                f"{path} cannot be run: Core ML runs on Apple machines only",
                remedy="Set embedding.backend to auto.",
                path=str(path),
            )
        ct = coremltools()
        with translating(path), copied(path) as copy:
            self._model: Any = ct.models.MLModel(
                str(copy), compute_units=ct.ComputeUnit[units.upper()]
            )

    def __call__(self, ids: "Ints", mask: "Ints") -> "Floats":
        """Vectors of rows of tokens, (rows x dimension).

        Raises:
            ModelError: The package fails on this input.
        """
        import numpy as np  # noqa: PLC0415 - takes 0.1 s

        vectors = []
        with translating(self._path), self._running:
            for row in zip(ids.astype(np.int32), mask.astype(np.int32), strict=True):
                inputs = {name: part[None] for name, part in zip(INPUTS, row, strict=True)}
                vectors.append(self._model.predict(inputs)[OUTPUT])
            return np.concatenate(vectors)


def coremltools() -> Any:  # noqa: ANN401 - it has no types
    """Import coremltools without its messages about other packages.

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
    """Temporary copy of a package to open, because opening one rewrites its ``Manifest.json``."""
    with tempfile.TemporaryDirectory(prefix="mind-") as folder:
        yield Path(shutil.copytree(path, Path(folder) / path.name))


@contextlib.contextmanager
def translating(path: Path, action: str = "run") -> Iterator[None]:
    """Convert exceptions of coremltools while ``path`` is run or written to ModelError."""
    try:
        yield
    except Exception as error:  # it raises plain exceptions
        raise ModelError(
            f"{path} cannot be {action}: {error}",
            remedy="Run `pip install --upgrade coremltools`, or `mind models build` again.",
            path=str(path),
        ) from error


CONFIG = "config.json"
WEIGHTS = "model.safetensors"

_TYPES = {"F32": "<f4", "F16": "<f2"}
_LARGEST_HEADER = 100_000_000
_KIND = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_NUMBERS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "vocab_size",
)


@dataclass(frozen=True)
class Weights:
    """Published weights.

    Attributes:
        config: Numbers and strings of ``config.json``.
        tensors: Float32 arrays by name, without the prefix ``bert.``; linear layers are
            (outputs x inputs).
    """

    config: Mapping[str, int | float | str]
    tensors: Mapping[str, "Floats"]

    @property
    def layers(self) -> int:
        """Number of encoder layers."""
        return int(self.config["num_hidden_layers"])

    @property
    def heads(self) -> int:
        """Number of attention heads per layer."""
        return int(self.config["num_attention_heads"])

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return int(self.config["hidden_size"])

    @property
    def epsilon(self) -> float:
        """Epsilon of the layer norm."""
        return float(self.config.get("layer_norm_eps", 1e-12))


def load(folder: Path) -> Weights:
    """Memory-map the weights in ``folder``.

    Args:
        folder: Folder with ``config.json`` and ``model.safetensors``.

    Raises:
        ModelError: A file is missing or broken, or the model is not a supported BERT encoder.
    """
    config = _config(folder / CONFIG)
    bert = Weights(config, _tensors(folder / WEIGHTS))
    for name, shape in shapes(config).items():
        there = bert.tensors.get(name)
        if there is None or there.shape != shape:
            found = "missing" if there is None else f"{there.shape}, not {shape}"
            raise ModelError(f"{folder / WEIGHTS}: {name} is {found}", path=str(folder))
    return bert


def shapes(config: Mapping[str, int | float | str]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the required tensors."""
    width, inner = int(config["hidden_size"]), int(config["intermediate_size"])
    needed: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (int(config["vocab_size"]), width),
        "embeddings.position_embeddings.weight": (int(config["max_position_embeddings"]), width),
        "embeddings.token_type_embeddings.weight": (int(config.get("type_vocab_size", 2)), width),
        "embeddings.LayerNorm.weight": (width,),
        "embeddings.LayerNorm.bias": (width,),
    }
    for number in range(int(config["num_hidden_layers"])):
        layer = f"encoder.layer.{number}"
        for name, outputs, inputs in (
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("intermediate.dense", inner, width),
            ("output.dense", width, inner),
        ):
            needed[f"{layer}.{name}.weight"] = (outputs, inputs)
            needed[f"{layer}.{name}.bias"] = (outputs,)
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            needed[f"{layer}.{norm}.weight"] = (width,)
            needed[f"{layer}.{norm}.bias"] = (width,)
    return needed


def _config(path: Path) -> dict[str, int | float | str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}", path=str(path)) from error
    if not isinstance(data, dict):
        raise ModelError(f"{path} holds no model settings", path=str(path))
    lacking = [key for key in _NUMBERS if type(data.get(key)) is not int or data[key] < 1]
    if lacking:
        raise ModelError(f"{path}: {', '.join(lacking)} must be positive numbers", path=str(path))
    for key, value in _KIND.items():
        if data.get(key, value) != value:
            raise ModelError(
                f"{path}: {key} is {data[key]!r}; Mind runs only {value!r}", path=str(path)
            )
    if data["hidden_size"] % data["num_attention_heads"]:
        raise ModelError(f"{path}: hidden_size does not divide into its heads", path=str(path))
    return {key: value for key, value in data.items() if isinstance(value, int | float | str)}


def _tensors(path: Path) -> dict[str, "Floats"]:
    """Views of a safetensors file: 8 bytes length, a JSON header, the numbers."""
    try:
        import numpy as np  # noqa: PLC0415 - optional, and takes 0.1 s
    except ImportError as error:
        raise lacking("numpy") from error

    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length <= min(_LARGEST_HEADER, path.stat().st_size):
                raise ModelError(f"{path} is no file of safetensors", path=str(path))
            header = json.loads(file.read(length))
        data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + length)
        return {
            name.removeprefix("bert."): _tensor(data, about)
            for name, about in header.items()
            if name != "__metadata__" and about["dtype"] in _TYPES
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read: {error}", path=str(path)) from error


def _tensor(data: Any, about: Mapping[str, Any]) -> "Floats":  # noqa: ANN401 - a memory map
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    first, end = about["data_offsets"]
    flat = data[first:end].view(_TYPES[about["dtype"]]).reshape(about["shape"])
    return np.asarray(flat, dtype=np.float32)


MANIFEST = "Manifest.json"
SPECIFICATION = "Data/com.apple.CoreML/model.mlmodel"

_MASKED = 1e4  # far beyond any score, and still representable as a half
_LEAST = 2.0**-24  # the smallest positive half
_SMALLEST = 1e-12  # lower bound of a vector's length before division
_USUAL_TOKENS = 32
_DATE = "com.github.apple.coremltools.conversion_date"


def write(bert: Weights, path: Path) -> None:
    """Write the program: ids and mask (int32, 1 x tokens) → vectors (float32, 1 x dimension).

    The output is reproducible: equal weights give equal bytes.

    Args:
        bert: The weights.
        path: Folder to create; its name ends in ``.mlpackage``.

    Raises:
        DependencyMissing: The package coremltools is not installed.
        ModelError: coremltools cannot write this model.
    """
    import numpy as np  # noqa: PLC0415 - only to build

    ct = coremltools()
    longest = int(bert.config["max_position_embeddings"])
    tokens = ct.RangeDim(1, longest, default=min(_USUAL_TOKENS, longest))
    quiet = contextlib.redirect_stderr(io.StringIO())  # suppresses progress bars
    with translating(path, "written"), quiet:
        model = ct.convert(
            _program(bert, tokens.symbol),
            convert_to="mlprogram",
            inputs=[ct.TensorType(name, shape=(1, tokens), dtype=np.int32) for name in INPUTS],
            compute_precision=ct.precision.FLOAT32,  # the program marks the half-precision values
            minimum_deployment_target=ct.target.macOS13,
            skip_model_load=True,
            package_dir=str(path),
        )
    _settle(path, model.get_spec())


def _settle(path: Path, specification: Any) -> None:  # noqa: ANN401 - coremltools has no types
    """Remove varying data from a saved package for reproducibility: dates, orders, identifiers."""
    specification.description.metadata.userDefined.pop(_DATE, None)
    (path / SPECIFICATION).write_bytes(specification.SerializeToString(deterministic=True))
    about = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    names = {
        key: str(uuid.uuid5(uuid.NAMESPACE_URL, entry["path"])).upper()
        for key, entry in about["itemInfoEntries"].items()
    }
    about["itemInfoEntries"] = {
        names[key]: entry for key, entry in about["itemInfoEntries"].items()
    }
    about["rootModelIdentifier"] = names[about["rootModelIdentifier"]]
    text = json.dumps(about, indent=4, sort_keys=True)
    (path / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _program(bert: Weights, tokens: "Var") -> "Var":
    from coremltools.converters.mil import Builder, mil  # noqa: PLC0415 - only to build

    specs = [Builder.TensorSpec(shape=(1, tokens), dtype=mil.types.int32) for _ in INPUTS]

    def encoder(ids: "Var", mask: "Var") -> "Var":
        return _Parts(bert, Builder).encoder(ids, mask)

    return Builder.program(input_specs=specs, opset_version=coremltools().target.iOS16)(encoder)


class _Parts:
    """Builders of the model's operations, in order of execution.

    Args:
        bert: The weights.
        builder: The coremltools builder of the program.
    """

    def __init__(self, bert: Weights, builder: Any) -> None:  # noqa: ANN401 - coremltools has no types
        self.bert = bert
        self.mb = builder

    def encoder(self, ids: "Var", mask: "Var") -> "Var":
        """The whole model, from ids to vectors."""
        present = self.mb.cast(x=mask, dtype="fp16")
        hidden = self.mb.sub(x=self.mb.expand_dims(x=present, axes=[1, 2]), y=_half(1))
        bias = self.mb.mul(x=hidden, y=_half(_MASKED))
        state = self.embeddings(ids, mask)
        for number in range(self.bert.layers):
            state = self.layer(state, bias, f"encoder.layer.{number}")
        return self.pooling(state, mask)

    def embeddings(self, ids: "Var", mask: "Var") -> "Var":
        """Sum of word, position and type vectors, layer-normalised.

        A token's position is the number of tokens before it, so padding has to be at the end.
        """
        tensors = self.bert.tensors
        words = _half(tensors["embeddings.word_embeddings.weight"])
        places = _half(
            tensors["embeddings.position_embeddings.weight"]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        before = self.mb.cumsum(x=mask, axis=1, exclusive=True)
        state = self.mb.add(
            x=self.mb.gather(x=words, indices=ids, axis=0),
            y=self.mb.gather(x=places, indices=before, axis=0),
        )
        return self.norm(state, "embeddings.LayerNorm")

    def layer(self, state: "Var", bias: "Var", layer: str) -> "Var":
        """One encoder layer."""
        tensors = self.bert.tensors

        def linear(x: "Var", name: str) -> "Var":
            name = f"{layer}.{name}"
            return self.linear(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"])

        mixed = linear(self.attention(state, bias, layer), "attention.output.dense")
        state = self.norm(self.mb.add(x=state, y=mixed), f"{layer}.attention.output.LayerNorm")
        inner = self.mb.gelu(x=linear(state, "intermediate.dense"), mode="EXACT")
        mixed = linear(inner, "output.dense")
        return self.norm(self.mb.add(x=state, y=mixed), f"{layer}.output.LayerNorm")

    def attention(self, state: "Var", bias: "Var", layer: str) -> "Var":
        """Multi-head attention; the query is scaled beforehand."""
        width, heads = self.bert.dimension, self.bert.heads
        size = width // heads
        parts = []
        for part, scale in (("query", 1 / math.sqrt(size)), ("key", 1), ("value", 1)):
            name = f"{layer}.attention.self.{part}"
            weight, offset = (self.bert.tensors[f"{name}.{kind}"] for kind in ("weight", "bias"))
            rows = self.linear(state, weight * scale, offset * scale)
            rows = self.mb.reshape(x=rows, shape=[1, -1, heads, size])
            parts.append(self.mb.transpose(x=rows, perm=[0, 2, 1, 3]))
        query, key, value = parts
        scores = self.mb.add(x=self.mb.matmul(x=query, y=key, transpose_y=True), y=bias)
        mixed = self.mb.matmul(x=self.mb.softmax(x=scores, axis=-1), y=value)
        mixed = self.mb.transpose(x=mixed, perm=[0, 2, 1, 3])
        return self.mb.reshape(x=mixed, shape=[1, -1, width])

    def linear(self, x: "Var", weight: "Floats", bias: "Floats") -> "Var":
        """``x Wᵀ + b``."""
        return self.mb.linear(x=x, weight=_half(weight), bias=_half(bias))

    def norm(self, x: "Var", name: str) -> "Var":
        """Layer norm over the last axis."""
        gamma, beta = (_half(self.bert.tensors[f"{name}.{kind}"]) for kind in ("weight", "bias"))
        epsilon = _half(max(self.bert.epsilon, _LEAST))
        return self.mb.layer_norm(x=x, axes=[-1], gamma=gamma, beta=beta, epsilon=epsilon)

    def pooling(self, state: "Var", mask: "Var") -> "Var":
        """Mean over the tokens, normalised to length one."""
        import numpy as np  # noqa: PLC0415 - only to build

        weight = self.mb.expand_dims(x=self.mb.cast(x=mask, dtype="fp32"), axes=[2])
        weighted = self.mb.mul(x=self.mb.cast(x=state, dtype="fp32"), y=weight)
        total = self.mb.reduce_sum(x=weighted, axes=[1], keep_dims=False)
        length = self.mb.reduce_l2_norm(x=total, axes=[-1], keep_dims=True)
        length = self.mb.maximum(x=length, y=np.float32(_SMALLEST))
        return self.mb.real_div(x=total, y=length, name=OUTPUT)


def _half(value: "float | Floats") -> "NDArray[np.float16]":
    import numpy as np  # noqa: PLC0415 - only to build

    with np.errstate(over="ignore"):  # the accuracy check rejects overflow
        return np.asarray(value).astype(np.float16)
