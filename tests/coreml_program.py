"""Running a saved Core ML program in NumPy, where Core ML is not.

Only the operations that Mind writes. Each result is rounded to the precision that the program
states; inside an operation numbers are single, as on Apple's processors.
"""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mind.domain.errors import ModelError
from mind.search.embedding.coreml import INPUTS, copied, coremltools, translating
from tests import bert

Array = NDArray[Any]
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_ENTRY = 64
_SENTINEL = 0xDEADBEEF
_KINDS = {1: "<f2", 2: "<f4"}
_PRECISIONS = {10: "float16", 11: "float32", 23: "int32"}


class SavedProgram:
    """The program in a package, read back from its files.

    Args:
        path: The package, a folder.

    Raises:
        DependencyMissing: The package coremltools is not installed.
        ModelError: It cannot be read, or holds what Mind does not write.
    """

    def __init__(self, path: Path) -> None:
        ct = coremltools()
        self._path = path
        with translating(path), copied(path) as copy:
            specification = ct.models.MLModel(str(copy), skip_model_load=True).get_spec()
            main = specification.mlProgram.functions["main"]
            block = main.block_specializations[main.opset]
            weights = _Weights(path / "Data" / "com.apple.CoreML")
            self._constants = {
                operation.outputs[0].name: weights.value(operation.attributes["val"])
                for operation in block.operations
                if operation.type == "const"
            }
            self._operations = [one for one in block.operations if one.type != "const"]
            for one in self._operations:
                _OPERATIONS[one.type]
            self._output = block.outputs[0]
            self._longest = min(map(_longest, specification.description.input))

    def __call__(self, ids: Ints, mask: Ints) -> Floats:
        """The vectors of rows of tokens, (rows x dimension); rows are run one by one.

        Raises:
            ModelError: The rows are longer than the program allows.
        """
        if ids.shape[1] > self._longest:
            raise ModelError(f"{self._path} takes at most {self._longest} tokens")
        return np.concatenate([self._run(ids[n : n + 1], mask[n : n + 1]) for n in range(len(ids))])

    def _run(self, ids: Ints, mask: Ints) -> Floats:
        values = {**self._constants, **dict(zip(INPUTS, (ids, mask), strict=True))}
        # What leaves the range of a half is infinite for Core ML too, and no reason to stop.
        with translating(self._path), np.errstate(all="ignore"):
            for one in self._operations:
                inputs = {key: values[given.arguments[0].name] for key, given in one.inputs.items()}
                output, made = one.outputs[0], _OPERATIONS[one.type](**inputs)
                values[output.name] = _rounded(made, output.type.tensorType.dataType)
        vectors: Floats = values[self._output]
        return vectors


class _Weights:
    """The constants of a program: short ones stand in it, long ones in a file beside it.

    That file has entries at the offsets that the program names: sentinel, kind, size and place of
    the numbers, little-endian.

    Args:
        folder: In which the program is.
    """

    def __init__(self, folder: Path) -> None:
        self._data = np.memmap(folder / "weights" / "weight.bin", dtype=np.uint8, mode="r")

    def value(self, stated: Any) -> Any:
        """An array, a number, a string or a truth value; halves as singles."""
        shape = [one.constant.size for one in stated.type.tensorType.dimensions]
        if stated.WhichOneof("value") == "blobFileValue":
            return self._long(stated.blobFileValue).reshape(shape)
        tensor = stated.immediateValue.tensor
        kind = tensor.WhichOneof("value")
        if kind == "bytes":
            values = np.frombuffer(tensor.bytes.values, dtype="<f2").astype(np.float32)
        else:
            values = np.array(getattr(tensor, kind).values)
        return values.reshape(shape) if shape else values.item()

    def _long(self, stated: Any) -> Floats:
        if stated.fileName != "@model_path/weights/weight.bin":
            raise ValueError(f"there are weights in {stated.fileName}")
        entry = self._data[stated.offset : stated.offset + _ENTRY].tobytes()
        sentinel, kind, size, place = struct.unpack_from("<IIQQ", entry)
        if sentinel != _SENTINEL or kind not in _KINDS or place + size > len(self._data):
            raise ValueError(f"there are no weights at {stated.offset}")
        return self._data[place : place + size].view(_KINDS[kind]).astype(np.float32)


def _longest(stated: Any) -> int:
    """How many tokens an input takes."""
    return int(stated.type.multiArrayType.shapeRange.sizeRanges[1].upperBound)


def _rounded(value: Array, precision: int) -> Array:
    """``value`` as if kept in that precision; what was a half is a single that a half can hold."""
    kept = value.astype(_PRECISIONS[precision])
    return kept.astype(np.float32) if kept.dtype == np.float16 else kept


# The operations; unknown parameters are errors.


def _expanded(*, x: Array, axes: Array) -> Array:
    return np.expand_dims(x, tuple(axes))


def _maximum(*, x: Array, y: Array) -> Array:
    return np.maximum(x, y)


def _summed_up(*, x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
    if reverse:
        raise ValueError("a sum runs backwards")
    return x.cumsum(axis) - (x if exclusive else 0)


def _taken(*, x: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    if batch_dims:
        raise ValueError("rows are taken by batch")
    return x.take(indices, axis)


def _layer_norm(*, x: Array, axes: Array, gamma: Array, beta: Array, epsilon: float) -> Array:
    x = x - x.mean(tuple(axes), keepdims=True)
    spread = ((x * x).mean(tuple(axes), keepdims=True) + epsilon) ** 0.5
    made: Array = x / spread * gamma + beta
    return made


def _matmul(*, x: Array, y: Array, transpose_x: bool, transpose_y: bool) -> Array:
    return (x.swapaxes(-1, -2) if transpose_x else x) @ (y.swapaxes(-1, -2) if transpose_y else y)


def _softmax(*, x: Array, axis: int) -> Array:
    x = np.exp(x - x.max(axis, keepdims=True))
    made: Array = x / x.sum(axis, keepdims=True)
    return made


def _gelu(*, x: Array, mode: str) -> Array:
    if mode != "EXACT":
        raise ValueError(f"there is a gelu of mode {mode}")
    return bert.gelu(x)


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda *, x, y: x + y,
    "cast": lambda *, x, dtype: x,  # noqa: ARG005 - as the type of its result says
    "cumsum": _summed_up,
    "expand_dims": _expanded,
    "gather": _taken,
    "gelu": _gelu,
    "layer_norm": _layer_norm,
    "linear": lambda *, x, weight, bias: x @ weight.T + bias,
    "matmul": _matmul,
    "maximum": _maximum,
    "mul": lambda *, x, y: x * y,
    "real_div": lambda *, x, y: x / y,
    "reduce_l2_norm": lambda *, x, axes, keep_dims: (
        (x * x).sum(tuple(axes), keepdims=keep_dims) ** 0.5
    ),
    "reduce_sum": lambda *, x, axes, keep_dims: x.sum(tuple(axes), keepdims=keep_dims),
    "reshape": lambda *, x, shape: x.reshape(shape),
    "softmax": _softmax,
    "sub": lambda *, x, y: x - y,
    "transpose": lambda *, x, perm: x.transpose(perm),
}
