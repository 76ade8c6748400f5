"""What texts mean: the model that is there, and the vectors it makes of entries and queries.

No write waits for a vector, and no search for many: those that are there count, others are made
when there is time for it.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mind.config import Settings
from mind.errors import MindError
from mind.index import Index, Sense, Vectors

if TYPE_CHECKING:
    from mind.embedding import Embedder

_BATCH = 32
"""Texts between two transactions: a tenth of a second's work."""
_FEW = 200
"""Texts that a search makes vectors of before it answers, at most: half a second's work."""

NO_MODEL = "no embedding model is installed; `mind models add` takes one"
OFF = "embedding.backend is off"
LOADING = "the embedding model is being loaded"
UNMADE = "not all entries have vectors yet; `mind index` makes them"

Progress = Callable[[int, int], None]
"""Called with how many texts are done, and of how many."""


class Meaning:
    """The model of a project's settings, and the vectors it made in the project's index.

    Args:
        settings: Which model, and what runs it.
        home: The user's own folder.
        patient: A search loads the model and makes a few vectors that are missing. Else it goes
            on without, until :meth:`fill` was called by somebody who has time.
    """

    def __init__(self, settings: Settings, home: Path, *, patient: bool = True) -> None:
        self._settings = settings
        self._home = home
        self._patient = patient
        self._warm = threading.Event()
        self._embedder: Embedder | None = None
        self._vectors = Vectors("")

    def beside(self) -> "Meaning":
        """The same model for the index of another project."""
        other = Meaning(self._settings, self._home, patient=self._patient)
        other._embedder, other._warm = self._embedder, self._warm
        return other

    @property
    def profile(self) -> str:
        """The model and what runs it; "" if there is none."""
        embedder, _ = self._open()
        return embedder.profile if embedder else ""

    def lacking(self, index: Index) -> str:
        """Why a search in ``index`` compares words alone; "" if it does not."""
        embedder, reason = self._open()
        if embedder is None:
            return reason
        if not index.has_vectors(embedder.profile):
            return UNMADE
        return "" if self._patient or self._warm.is_set() else LOADING

    def of(self, query: str, index: Index) -> tuple[Sense | None, str]:
        """What ``query`` means, to search ``index`` with; or None, and why."""
        embedder, _ = self._open()
        try:
            if embedder and self._patient and not index.has_all_vectors(embedder.profile):
                self.fill(index, most=_FEW)
            reason = self.lacking(index)
            if embedder is None or reason:
                return None, reason
            if self._vectors.profile != embedder.profile:
                self._vectors = Vectors(embedder.profile)
            return Sense(embedder.embed([query])[0], self._vectors), ""
        except MindError as error:
            return None, str(error)

    def fill(
        self,
        index: Index,
        progress: Progress = lambda _done, _all: None,
        *,
        most: int = -1,
        go_on: Callable[[], bool] = lambda: True,
    ) -> int:
        """Make vectors that are missing in ``index``, and return how many were made.

        It may run beside searches in other threads and processes, with an index of its own.

        Args:
            index: Up to date.
            progress: Told after each batch.
            most: Stop after so many texts.
            go_on: Asked before each batch.

        Raises:
            DependencyMissing: A package is not installed.
            ModelError: The model is damaged, or cannot be run here.
        """
        embedder, _ = self._open()
        if embedder is None:
            return 0
        vectors = Vectors(embedder.profile)
        # entries may be added while vectors are made, and vectors be dropped
        last, name = index.last_row, index.name
        missing = index.without_vector(vectors, most)
        done = 0
        while done < len(missing) and go_on():
            batch = missing[done : done + _BATCH]
            made = embedder.embed([one.text for one in batch])
            index.keep_vectors(vectors, [one.content for one in batch], made)
            done += len(batch)
            progress(done, len(missing))
        is_all = done == len(missing) != most
        if is_all and not index.has_all_vectors(embedder.profile):
            index.complete_vectors(vectors, last, name)
        if is_all and not self._warm.is_set():
            embedder.embed([""])
            self._warm.set()
        return done

    def _open(self) -> "tuple[Embedder | None, str]":
        """The embedder, or why there is none; it may be installed a moment later."""
        if self._embedder is None:
            from mind.embedding import open_embedder  # noqa: PLC0415 - only when it is asked for

            try:
                self._embedder = open_embedder(self._settings, self._home)
            except MindError as error:
                return None, str(error)
        off = self._settings.embedding_backend == "off"
        return self._embedder, "" if self._embedder else OFF if off else NO_MODEL
