"""Building the files that fast backends run, and measuring them before they are used."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ModelError
from mind.search.embedding import bert, coreml_program, onnx_graph
from mind.search.embedding.bert import Bert
from mind.search.embedding.coreml import CoreMLSession
from mind.search.embedding.coreml_check import SavedProgram
from mind.search.embedding.manifest import TOKENIZER, Accuracy
from mind.search.embedding.onnx import OnnxSession
from mind.search.embedding.onnx_graph import Precision
from mind.search.embedding.tokens import Tokens, padded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.search.embedding.backends import Run

    Floats = NDArray[np.float32]

LEAST_COSINE = 0.99
"""A build whose vectors are further from the reference, on average, is not installed."""

LEAST_COSINE_OF_HALVES = 0.9999
"""The same for a Core ML program as it is written, whatever the machine makes of it."""

NEAREST = 10
FILES = {
    "onnx-blocks": "model.blocks.onnx",
    "onnx-int8": "model.int8.onnx",
    "onnx-fp32": "model.onnx",
    "coreml": "model.mlpackage",
}
DEFAULT = ("onnx-blocks", "onnx-int8")

_FEWER_LEVELS = 63


@dataclass(frozen=True)
class Reference:
    """The sample texts, and what NumPy makes of them.

    Attributes:
        rows: Token numbers of each text.
        vectors: (texts x dimension).
    """

    rows: list[list[int]]
    vectors: "Floats"


def samples() -> list[str]:
    """Texts like those of a memory, of a few words to a few hundred."""
    text = (Path(__file__).parent / "samples.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line]
    return [*lines, " ".join(lines[:6]), " ".join(lines[6:30])]


def reference(model: Bert, folder: Path, max_tokens: int) -> Reference:
    """The vectors that every build is held to."""
    tokens = Tokens(folder / TOKENIZER, max_tokens)
    rows = [tokens.encode(text) for text in samples()]
    return Reference(rows, vectors(partial(bert.forward, model), rows))


def vectors(run: "Run", rows: list[list[int]]) -> "Floats":
    """The vectors of rows of tokens, run one by one, (rows x dimension)."""
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    return np.concatenate([run(*padded([row])) for row in rows])


def accuracy(run: "Run", wanted: Reference) -> Accuracy:
    """How near ``run`` comes to the reference.

    Each text is once the query, and all others are what it is looked up in.
    """
    found = vectors(run, wanted.rows)
    cosine = float((found * wanted.vectors).sum(axis=1).mean())
    pairs = zip(_nearest(found), _nearest(wanted.vectors), strict=True)
    shared = [len(ours & theirs) / len(theirs) for ours, theirs in pairs]
    return Accuracy(round(cosine, 6), round(sum(shared) / len(shared), 4))


def _nearest(table: "Floats") -> list[set[int]]:
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    scores = table @ table.T
    np.fill_diagonal(scores, -2)
    return [set(row) for row in np.argsort(-scores, axis=1)[:, :NEAREST].tolist()]


def usual() -> tuple[str, ...]:
    """What is built unless somebody says otherwise, by what is installed here."""
    if find_spec("coremltools") is None:
        return DEFAULT
    if sys.platform == "darwin" and find_spec("onnx") is None:
        return ("coreml",)
    return (*DEFAULT, "coreml")


def build(model: Bert, backend: str, path: Path, wanted: Reference) -> Accuracy:
    """Write the file that ``backend`` runs, and measure it.

    Args:
        model: The published weights.
        backend: One of :data:`FILES`.
        path: Where to write.
        wanted: The reference.

    Raises:
        DependencyMissing: A package is not installed.
        ModelError: Its vectors are too far from the reference's; ``path`` must not be used.
    """
    return _near(backend, _BUILDERS[backend](model, path, wanted), LEAST_COSINE)


def _near(backend: str, found: Accuracy, least: float) -> Accuracy:
    if not found.cosine >= least:  # what is no number is not near either
        raise ModelError(
            f"{backend} has a cosine of only {found.cosine:.4f} to the reference here",
            remedy=f"It is not installed: at least {least} is needed. Use another backend.",
            cosine=found.cosine,
        )
    return found


def _coreml(model: Bert, path: Path, wanted: Reference) -> Accuracy:
    """What is written has to be right; what Core ML makes of it is measured where it runs."""
    coreml_program.write(model, path)
    found = accuracy(SavedProgram(path), wanted)
    _near("the program for coreml", found, LEAST_COSINE_OF_HALVES)
    return accuracy(CoreMLSession(path), wanted) if sys.platform == "darwin" else found


def _onnx(precision: Precision, model: Bert, path: Path, wanted: Reference) -> Accuracy:
    _save(onnx_graph.graph(model, precision), path)
    return accuracy(OnnxSession(path), wanted)


def _int8(model: Bert, path: Path, wanted: Reference) -> Accuracy:
    """With as many levels as this processor can multiply without overflow."""
    found = _onnx("int8", model, path, wanted)
    if found.cosine < LEAST_COSINE:
        _save(onnx_graph.graph(model, "int8", levels=_FEWER_LEVELS), path)
        found = accuracy(OnnxSession(path), wanted)
    return found


def _save(graph: Any, path: Path) -> None:  # noqa: ANN401 - onnx has no types
    path.write_bytes(graph.SerializeToString())


_BUILDERS: dict[str, Callable[[Bert, Path, Reference], Accuracy]] = {
    "onnx-blocks": partial(_onnx, "blocks"),
    "onnx-int8": _int8,
    "onnx-fp32": partial(_onnx, "fp32"),
    "coreml": _coreml,
}
