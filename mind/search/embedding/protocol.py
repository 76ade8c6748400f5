"""What the rest of Mind knows of an embedder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts to vectors; the model is loaded when the first text comes.

    Any number of threads may share one.
    """

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def profile(self) -> str:
        """Names model, backend and settings: vectors of different profiles are not comparable."""

    @property
    def dimension(self) -> int:
        """Length of the vectors."""

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that count, the two special ones among them; the rest is cut off."""

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """The vectors of ``texts``, (texts x dimension), float32, each of length one.

        A text has the same vector whatever texts it comes with.

        Raises:
            DependencyMissing: A package is not installed; the error says which, and how.
            ModelError: The model is damaged, or cannot be run here.
        """
