"""The BERT encoder in NumPy, from the published weights: the reference, and the last fallback.

The layers are those of Devlin et al. 2018 (arXiv:1810.04805); pooling and normalisation are those
of Reimers and Gurevych 2019 (arXiv:1908.10084): the mean over the tokens, scaled to length one.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ModelError
from mind.search.embedding.tokens import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

CONFIG = "config.json"
WEIGHTS = "model.safetensors"

_TYPES = {"F32": "<f4", "F16": "<f2"}
_LARGEST_HEADER = 100_000_000
_SMALLEST_NORM = 1e-12
_MASKED = -3e38  # what is left of a float32 after adding it to any score is still finite
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
class Bert:
    """Weights as published.

    Attributes:
        config: ``config.json``, its numbers and strings.
        tensors: Float32 arrays by name, without the prefix ``bert.``; linear layers are
            (outputs x inputs).
    """

    config: Mapping[str, int | float | str]
    tensors: Mapping[str, "Floats"]

    @property
    def layers(self) -> int:
        """How many encoder layers there are."""
        return int(self.config["num_hidden_layers"])

    @property
    def heads(self) -> int:
        """How many attention heads a layer has."""
        return int(self.config["num_attention_heads"])

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        return int(self.config["hidden_size"])

    @property
    def epsilon(self) -> float:
        """What keeps the layer norm from dividing by zero."""
        return float(self.config.get("layer_norm_eps", 1e-12))


def load(folder: Path) -> Bert:
    """Map the weights in ``folder`` into memory.

    Args:
        folder: Holds ``config.json`` and ``model.safetensors``.

    Raises:
        ModelError: A file is missing or broken, or is no BERT encoder that Mind can run.
    """
    config = _config(folder / CONFIG)
    bert = Bert(config, _tensors(folder / WEIGHTS))
    for name, shape in shapes(config).items():
        there = bert.tensors.get(name)
        if there is None or there.shape != shape:
            found = "missing" if there is None else f"{there.shape}, not {shape}"
            raise ModelError(f"{folder / WEIGHTS}: {name} is {found}", path=str(folder))
    return bert


def shapes(config: Mapping[str, int | float | str]) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors that ``forward`` needs."""
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
    """Views of a file of safetensors: 8 bytes length, a JSON header, the numbers."""
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


def forward(bert: Bert, ids: "Ints", mask: "Ints") -> "Floats":
    """The vectors of texts.

    Args:
        bert: The weights.
        ids: Token numbers, (batch x tokens), padded with anything.
        mask: 1 for a token, 0 for padding, of the same shape; each row has a token.

    Returns:
        (batch x dimension), each row of length one.
    """
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    t = bert.tensors
    state = t["embeddings.word_embeddings.weight"][ids]
    state = state + t["embeddings.position_embeddings.weight"][: ids.shape[1]]
    state = state + t["embeddings.token_type_embeddings.weight"][0]
    state = _norm(bert, state, "embeddings.LayerNorm")
    bias = np.where(mask[:, None, None, :] > 0, np.float32(0), np.float32(_MASKED))
    for number in range(bert.layers):
        layer = f"encoder.layer.{number}"
        mixed = _linear(
            bert, _attention(bert, state, bias, layer), f"{layer}.attention.output.dense"
        )
        state = _norm(bert, state + mixed, f"{layer}.attention.output.LayerNorm")
        inner = gelu(_linear(bert, state, f"{layer}.intermediate.dense"))
        mixed = _linear(bert, inner, f"{layer}.output.dense")
        state = _norm(bert, state + mixed, f"{layer}.output.LayerNorm")
    return _pooled(state, mask)


def _linear(bert: Bert, x: "Floats", name: str) -> "Floats":
    y: Floats = x @ bert.tensors[f"{name}.weight"].T + bert.tensors[f"{name}.bias"]
    return y


def _norm(bert: Bert, x: "Floats", name: str) -> "Floats":
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    x = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(bert.epsilon))
    y: Floats = x / spread * bert.tensors[f"{name}.weight"] + bert.tensors[f"{name}.bias"]
    return y


def _attention(bert: Bert, x: "Floats", bias: "Floats", layer: str) -> "Floats":
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    batch, length, width = x.shape
    query, key, value = (
        _linear(bert, x, f"{layer}.attention.self.{name}")
        .reshape(batch, length, bert.heads, -1)
        .transpose(0, 2, 1, 3)
        for name in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width / bert.heads)) + bias
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed: Floats = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return mixed


def gelu(x: "Floats") -> "Floats":
    """``x Φ(x)``, with erf by Abramowitz and Stegun 1964, formula 7.1.26 (error ≤ 1.5e-7)."""
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    erf = np.copysign(1 - series * np.exp(-z * z), x)
    y: Floats = x * np.float32(0.5) * (1 + erf)
    return y


def _pooled(state: "Floats", mask: "Ints") -> "Floats":
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    weight = mask[..., None].astype(np.float32)
    mean = (state * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9)
    norm = np.linalg.norm(mean, axis=1, keepdims=True)
    vectors: Floats = (mean / np.maximum(norm, _SMALLEST_NORM)).astype(np.float32)
    return vectors
