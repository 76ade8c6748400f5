"""The encoder as an ONNX graph, written node by node from the weights.

Linear layers come in three forms. ``fp32``: as published. ``int8``: weights rounded to 8 bits
with one scale an output channel, activations with one scale a tensor, as they come (Jacob et al.
2018, arXiv:1712.05877). ``blocks``: weights rounded to 8 bits with one scale for 32 inputs of an
output, activations with one scale for as many (ONNX Runtime's MatMulNBits). In both of the latter
the word vectors are rounded too, with one scale a word.
"""

import math
from typing import TYPE_CHECKING, Any, Literal

from mind.search.embedding.bert import Bert
from mind.search.embedding.onnx import INPUTS
from mind.search.embedding.tokens import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

Precision = Literal["fp32", "int8", "blocks"]

OPSET = 17
IR_VERSION = 8
BLOCK = 32
OUTPUT = "vectors"

_RUNTIME = "com.microsoft"


def graph(bert: Bert, precision: Precision, *, levels: int = 127) -> Any:  # noqa: ANN401 - onnx has no types
    """The model: ids and mask (int64, batch x tokens) → vectors (float32, batch x dimension).

    Args:
        bert: The weights.
        precision: The form of the linear layers.
        levels: The largest rounded weight of ``int8``: 127, or 63 for processors whose 8-bit
            products overflow 16 bits (x86 without VNNI).

    Raises:
        DependencyMissing: The package onnx is not installed.
    """
    try:
        from onnx import TensorProto, helper  # noqa: PLC0415 - optional, and only to build
    except ImportError as error:
        raise lacking("onnx", "models") from error

    parts = _Parts(bert, precision, levels)
    parts.encoder()
    shape = ["batch", "tokens"]
    vectors = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", bert.dimension])
    made = helper.make_graph(
        parts.nodes,
        "sentence encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in INPUTS],
        [vectors],
        list(parts.constants.values()),
    )
    domains = [helper.make_opsetid("", OPSET), helper.make_opsetid(_RUNTIME, 1)]
    return helper.make_model(
        made, producer_name="mind", opset_imports=domains, ir_version=IR_VERSION
    )


class _Parts:
    """Nodes and constants as they are added; every value is known by its name."""

    def __init__(self, bert: Bert, precision: Precision, levels: int) -> None:
        self.bert = bert
        self.linear = {"fp32": self._floats, "int8": self._channels, "blocks": self._blocks}[
            precision
        ]
        self.rounded = precision != "fp32"
        self.levels = levels
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def add(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:  # noqa: ANN401 - as the operator has them
        """Add a node with one output and return the output's name."""
        return self.split(kind, *inputs, out=[out or f"{kind}.{len(self.nodes)}"], **attributes)[0]

    def split(self, kind: str, *inputs: str, out: list[str], **attributes: Any) -> list[str]:  # noqa: ANN401 - the same
        """Add a node with the outputs ``out``."""
        from onnx import helper  # noqa: PLC0415 - only to build

        self.nodes.append(helper.make_node(kind, list(inputs), out, name=out[0], **attributes))
        return out

    def constant(self, name: str, value: Any) -> str:  # noqa: ANN401 - an array
        """Add an array; the same name again is the same array."""
        import numpy as np  # noqa: PLC0415 - only to build
        from onnx import numpy_helper  # noqa: PLC0415 - only to build

        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(self, value: float) -> str:
        """A float32 scalar."""
        import numpy as np  # noqa: PLC0415 - only to build

        return self.constant(f"number {value}", np.array(value, dtype=np.float32))

    def whole(self, *values: int) -> str:
        """A list of int64: a shape, or axes."""
        import numpy as np  # noqa: PLC0415 - only to build

        return self.constant(f"whole {values}", np.array(values, dtype=np.int64))

    def encoder(self) -> None:
        """Everything, from the ids to the vectors."""
        from onnx import TensorProto  # noqa: PLC0415 - only to build

        mask = self.add("Cast", "mask", to=TensorProto.FLOAT)
        hidden = self.add("Sub", self.add("Unsqueeze", mask, self.whole(1, 2)), self.number(1))
        bias = self.add("Mul", hidden, self.number(1e9))
        state = self.embeddings()
        for number in range(self.bert.layers):
            state = self.layer(state, bias, f"encoder.layer.{number}")
        self.pooling(state, mask)

    def embeddings(self) -> str:
        """Word, position and type vectors, added and normed."""
        tensors = self.bert.tensors
        words = self.words(tensors["embeddings.word_embeddings.weight"])
        places = self.constant(
            "places",
            tensors["embeddings.position_embeddings.weight"]
            + tensors["embeddings.token_type_embeddings.weight"][0],
        )
        length = self.add("Slice", self.add("Shape", "ids"), self.whole(1), self.whole(2))
        here = self.add("Slice", places, self.whole(0), length, self.whole(0))
        return self.norm(self.add("Add", words, here), "embeddings.LayerNorm")

    def words(self, table: "Floats") -> str:
        """The vectors of the words, from a table that is rounded or not."""
        from onnx import TensorProto  # noqa: PLC0415 - only to build

        if not self.rounded:
            return self.add("Gather", self.constant("words", table), "ids")
        rounded, scales = _rounded(table, 127)
        rows = self.add("Gather", self.constant("words", rounded), "ids")
        scale = self.add("Gather", self.constant("words.scales", scales), "ids")
        return self.add("Mul", self.add("Cast", rows, to=TensorProto.FLOAT), scale)

    def layer(self, state: str, bias: str, layer: str) -> str:
        """One encoder layer."""
        tensors = self.bert.tensors

        def linear(x: str, name: str) -> str:
            name = f"{layer}.{name}"
            return self.linear(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], name)

        mixed = linear(self.attention(state, bias, layer), "attention.output.dense")
        state = self.norm(self.add("Add", state, mixed), f"{layer}.attention.output.LayerNorm")
        mixed = linear(self.gelu(linear(state, "intermediate.dense")), "output.dense")
        return self.norm(self.add("Add", state, mixed), f"{layer}.output.LayerNorm")

    def attention(self, state: str, bias: str, layer: str) -> str:
        """Query, key and value from one multiplication; the query is scaled beforehand."""
        import numpy as np  # noqa: PLC0415 - only to build

        width, heads = self.bert.dimension, self.bert.heads
        weights, biases = (
            np.concatenate(
                [
                    self.bert.tensors[f"{layer}.attention.self.{part}.{kind}"]
                    for part in ("query", "key", "value")
                ]
            )
            for kind in ("weight", "bias")
        )
        scale = np.float32(math.sqrt(width // heads))
        weights[:width] /= scale
        biases[:width] /= scale
        three = self.linear(state, weights, biases, f"{layer}.attention.self")
        three = self.add("Reshape", three, self.whole(0, 0, 3, heads, width // heads))
        three = self.add("Transpose", three, perm=[2, 0, 3, 1, 4])
        query, key, value = (
            self.add("Squeeze", part, self.whole(0))
            for part in self.split(
                "Split", three, out=[f"{layer}.{part}" for part in "qkv"], axis=0
            )
        )
        key = self.add("Transpose", key, perm=[0, 1, 3, 2])
        scores = self.add("Add", self.add("MatMul", query, key), bias)
        mixed = self.add("MatMul", self.add("Softmax", scores, axis=-1), value)
        mixed = self.add("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.add("Reshape", mixed, self.whole(0, 0, width))

    def norm(self, x: str, name: str) -> str:
        """Layer norm over the last axis."""
        scale, shift = (
            self.constant(f"{name}.{kind}", self.bert.tensors[f"{name}.{kind}"])
            for kind in ("weight", "bias")
        )
        epsilon = self.bert.epsilon
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def gelu(self, x: str) -> str:
        """``x Φ(x)``, in the nodes that ONNX Runtime recognises and fuses."""
        erf = self.add("Erf", self.add("Div", x, self.number(math.sqrt(2))))
        product = self.add("Mul", x, self.add("Add", erf, self.number(1)))
        return self.add("Mul", product, self.number(0.5))

    def pooling(self, state: str, mask: str) -> None:
        """The mean over the tokens, scaled to length one."""
        weighted = self.add("Mul", state, self.add("Unsqueeze", mask, self.whole(2)))
        total = self.add("ReduceSum", weighted, self.whole(1), keepdims=0)
        count = self.add("ReduceSum", mask, self.whole(1), keepdims=1)
        mean = self.add("Div", total, self.add("Max", count, self.number(1e-9)))
        self.add("LpNormalization", mean, axis=-1, p=2, out=OUTPUT)

    def _floats(self, x: str, weight: "Floats", bias: "Floats", name: str) -> str:
        product = self.add("MatMul", x, self.constant(f"{name}.weight", weight.T))
        return self.add("Add", product, self.constant(f"{name}.bias", bias))

    def _channels(self, x: str, weight: "Floats", bias: "Floats", name: str) -> str:
        import numpy as np  # noqa: PLC0415 - only to build
        from onnx import TensorProto  # noqa: PLC0415 - only to build

        rounded, scales = _rounded(weight, self.levels)
        small, scale, zero = self.split(
            "DynamicQuantizeLinear", x, out=[f"{name}.{part}" for part in ("x", "scale", "zero")]
        )
        matrix = self.constant(f"{name}.weight", rounded.T)
        zeros = self.constant(f"{name}.zeros", np.zeros(len(weight), dtype=np.int8))
        product = self.add("MatMulInteger", small, matrix, zero, zeros)
        scale = self.add("Mul", scale, self.constant(f"{name}.scales", scales[:, 0]))
        product = self.add("Mul", self.add("Cast", product, to=TensorProto.FLOAT), scale)
        return self.add("Add", product, self.constant(f"{name}.bias", bias))

    def _blocks(self, x: str, weight: "Floats", bias: "Floats", name: str) -> str:
        import numpy as np  # noqa: PLC0415 - only to build

        outputs, inputs = weight.shape
        rounded, scales = _rounded(weight.reshape(-1, BLOCK), 127)
        shifted = (rounded.astype(np.int16) + 128).astype(np.uint8)  # its zero point is 128
        return self.add(
            "MatMulNBits",
            x,
            self.constant(f"{name}.weight", shifted.reshape(outputs, -1, BLOCK)),
            self.constant(f"{name}.scales", scales.reshape(-1)),
            "",
            "",
            self.constant(f"{name}.bias", bias),
            domain=_RUNTIME,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,
        )


def _rounded(table: "Floats", levels: int) -> tuple["NDArray[np.int8]", "Floats"]:
    """Rows as whole numbers of at most ``levels``, and the scale of each row, (rows x 1)."""
    import numpy as np  # noqa: PLC0415 - only to build

    largest = np.abs(table).max(axis=1, keepdims=True)
    scales: Floats = np.where(largest > 0, largest / np.float32(levels), np.float32(1))
    return np.rint(table / scales).astype(np.int8), scales.astype(np.float32)
