"""The encoder as a Core ML program in half precision, written operation by operation.

Every shape follows from the shapes of the inputs, never from numbers that are computed: of those
Core ML makes errors, and worse, when texts differ in length (coremltools issue 2825). Pooling and
normalisation are in single precision, since sums over a text, and squares, leave the range of a
half.
"""

import contextlib
import io
import json
import math
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.search.embedding.bert import Bert
from mind.search.embedding.coreml import INPUTS, OUTPUT, coremltools, translating

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Var = Any
    """A value of the program; coremltools has no types."""

MANIFEST = "Manifest.json"
SPECIFICATION = "Data/com.apple.CoreML/model.mlmodel"

_MASKED = 1e4  # far beyond any score, and with one still a half
_LEAST = 2.0**-24  # the smallest half above zero
_SMALLEST = 1e-12  # length of a vector, before it is divided by it
_USUAL_TOKENS = 32
_DATE = "com.github.apple.coremltools.conversion_date"


def write(bert: Bert, path: Path) -> None:
    """Write ids and mask (int32, 1 x tokens) → vectors (float32, 1 x dimension).

    The same weights make the same bytes.

    Args:
        bert: The weights.
        path: A folder to be made, whose name ends in ``.mlpackage``.

    Raises:
        DependencyMissing: The package coremltools is not installed.
        ModelError: It cannot write this model.
    """
    import numpy as np  # noqa: PLC0415 - only to build

    ct = coremltools()
    longest = int(bert.config["max_position_embeddings"])
    tokens = ct.RangeDim(1, longest, default=min(_USUAL_TOKENS, longest))
    quiet = contextlib.redirect_stderr(io.StringIO())  # else it draws progress bars
    with translating(path, "written"), quiet:
        model = ct.convert(
            _program(bert, tokens.symbol),
            convert_to="mlprogram",
            inputs=[ct.TensorType(name, shape=(1, tokens), dtype=np.int32) for name in INPUTS],
            compute_precision=ct.precision.FLOAT32,  # the program says what is a half
            minimum_deployment_target=ct.target.macOS13,
            skip_model_load=True,
            package_dir=str(path),
        )
    _settle(path, model.get_spec())


def _settle(path: Path, specification: Any) -> None:  # noqa: ANN401 - coremltools has no types
    """Take out of a saved package what is another each time: dates, orders, identifiers."""
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


def _program(bert: Bert, tokens: "Var") -> "Var":
    from coremltools.converters.mil import Builder, mil  # noqa: PLC0415 - only to build

    specs = [Builder.TensorSpec(shape=(1, tokens), dtype=mil.types.int32) for _ in INPUTS]

    def encoder(ids: "Var", mask: "Var") -> "Var":
        return _Parts(bert, Builder).encoder(ids, mask)

    return Builder.program(input_specs=specs, opset_version=coremltools().target.iOS16)(encoder)


class _Parts:
    """The operations, in the order in which they are added.

    Args:
        bert: The weights.
        builder: Of coremltools; adds an operation to the program that is being written.
    """

    def __init__(self, bert: Bert, builder: Any) -> None:  # noqa: ANN401 - coremltools has no types
        self.bert = bert
        self.mb = builder

    def encoder(self, ids: "Var", mask: "Var") -> "Var":
        """Everything, from the ids to the vectors."""
        present = self.mb.cast(x=mask, dtype="fp16")
        hidden = self.mb.sub(x=self.mb.expand_dims(x=present, axes=[1, 2]), y=_half(1))
        bias = self.mb.mul(x=hidden, y=_half(_MASKED))
        state = self.embeddings(ids, mask)
        for number in range(self.bert.layers):
            state = self.layer(state, bias, f"encoder.layer.{number}")
        return self.pooling(state, mask)

    def embeddings(self, ids: "Var", mask: "Var") -> "Var":
        """Word, position and type vectors, added and normed.

        A token's position is how many tokens are before it, so that padding has to be at the end.
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
        """The heads side by side; the query is scaled beforehand."""
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
        """The mean over the tokens, scaled to length one."""
        import numpy as np  # noqa: PLC0415 - only to build

        weight = self.mb.expand_dims(x=self.mb.cast(x=mask, dtype="fp32"), axes=[2])
        weighted = self.mb.mul(x=self.mb.cast(x=state, dtype="fp32"), y=weight)
        total = self.mb.reduce_sum(x=weighted, axes=[1], keep_dims=False)
        length = self.mb.reduce_l2_norm(x=total, axes=[-1], keep_dims=True)
        length = self.mb.maximum(x=length, y=np.float32(_SMALLEST))
        return self.mb.real_div(x=total, y=length, name=OUTPUT)


def _half(value: "float | Floats") -> "NDArray[np.float16]":
    import numpy as np  # noqa: PLC0415 - only to build

    with np.errstate(over="ignore"):  # what becomes infinite is measured, and not installed
        return np.asarray(value).astype(np.float16)
