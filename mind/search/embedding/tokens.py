"""Texts to token numbers, as the model was trained on them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import DependencyMissing, ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_LONGEST_WORD = 100
"""Characters of a word that WordPiece still takes apart; it bounds what a token can stand for."""


class Tokens:
    """A model's tokenizer.

    Args:
        path: Its ``tokenizer.json``.
        max_tokens: Where texts are cut, special tokens included.

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
        except Exception as error:  # the package raises nothing narrower
            raise ModelError(f"{path} cannot be read: {error}", path=str(path)) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._longest = max_tokens * _LONGEST_WORD

    def encode(self, text: str) -> list[int]:
        """The token numbers of ``text``, the special ones included."""
        text = text[: self._longest].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids


def padded(rows: Sequence[Sequence[int]]) -> tuple["Ints", "Ints"]:
    """Rows of token numbers as (ids, mask), each (rows x longest), int64."""
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
