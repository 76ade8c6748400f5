"""The model that is there, and the vectors it makes of entries and queries.

No write waits for a vector, and no search for many: those that are there count, others are made
when there is time for it.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from random import shuffle
from time import monotonic
from typing import TYPE_CHECKING

from mind.domain.errors import DependencyMissing, MindError
from mind.domain.settings import Settings
from mind.storage.index import Index, QueryVector, Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mind.search.embedding.backends import Embedder


_BATCH = 32
"""Texts between two transactions: a tenth of a second's work."""
_FEW = 200
"""Texts that a search makes vectors of before it answers, at most: half a second's work."""
_SECONDS = 1.0
"""What it may take where texts are long or the model is slow, and the batch that is begun."""

NO_MODEL = "no embedding model is installed; `mind models add` takes one"
OFF = "embedding.backend is off"
LOADING = "the embedding model is being loaded"
UNMADE = "not all entries have vectors yet; `mind index` makes them"
UNKEPT = "vectors cannot be kept, since the index cannot be written; see `mind doctor`"

Progress = Callable[[int, int], None]
"""Called with how many texts are done, and of how many."""


class ProjectVectors:
    """The model of a project's settings, and the vectors it made in the project's index.

    Args:
        settings: Which model, and what runs it.
        home: The user's own folder.
        patient: A search loads the model and makes a few vectors that are missing. Else it goes
            on without, until :meth:`fill` was called by somebody who has time.
    """

    def __init__(self, settings: Settings, home: Path, *, patient: bool = True) -> None:
        self._model = _Model(settings, home)
        self._patient = patient
        self._vectors = Vectors("")
        self._last: tuple[str, QueryVector] | None = None
        """The text that was asked about last: a note is compared in more than one way."""

    def beside(self, settings: Settings) -> "ProjectVectors":
        """Return the model to search another project with: the same, unless it asks for another."""
        other = ProjectVectors(settings, self._model.home, patient=self._patient)
        if _asked(settings) == _asked(self._model.settings):
            other._model = self._model
        return other

    @property
    def profile(self) -> str:
        """The model and what runs it; "" if there is none."""
        embedder, _ = self._model.open()
        return embedder.profile if embedder else ""

    def lacking(self, index: Index) -> str:
        """Return why a search in ``index`` compares words alone; "" if it does not."""
        embedder, reason = self._model.open()
        if embedder is None:
            return reason
        if self._model.problem and not self._patient:
            return self._model.problem
        if not index.has_vectors(embedder.profile):
            return UNMADE if index.is_kept else UNKEPT
        return "" if self._patient or self._model.warm == embedder.profile else LOADING

    def of(self, query: str, index: Index) -> tuple[QueryVector | None, str]:
        """Return what ``query`` means, to search ``index`` with; or None, and why."""
        embedder, _ = self._model.open()
        try:
            if embedder and self._patient and not index.has_all_vectors(embedder.profile):
                until = monotonic() + _SECONDS
                self.fill(index, most=_FEW, go_on=lambda: monotonic() < until)
            reason = self.lacking(index)
            if embedder is None or reason:
                return None, reason
            return self._sense(embedder, query), ""
        except MindError as error:
            return None, str(error)

    def at_hand(self, text: str, index: Index) -> QueryVector | None:
        """Return what ``text`` means, if the model is loaded already.

        Who writes waits for no model.
        """
        if not self._model.warm:
            return None
        embedder, _ = self._model.open()
        if embedder is None or self._model.warm != embedder.profile or self.lacking(index):
            return None
        try:
            return self._sense(embedder, text)
        except MindError:
            return None

    def _sense(self, embedder: "Embedder", text: str) -> QueryVector:
        if self._vectors.profile != embedder.profile:
            self._vectors, self._last = Vectors(embedder.profile), None
        if self._last is None or self._last[0] != text:
            self._last = text, QueryVector(_embedded(embedder, [text])[0], self._vectors)
            self._model.warm = embedder.profile
        return self._last[1]

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
        embedder, _ = self._model.open()
        if embedder is None:
            return 0
        try:
            made, is_all = _filled(embedder, index, progress, most, go_on)
            if is_all and self._model.warm != embedder.profile:
                embedder.embed([""])
                self._model.warm = embedder.profile
        except MindError as error:
            self._model.problem = str(error)
            raise
        self._model.problem = ""
        return made


class _Model:
    """The model that the settings ask for: opened once, and again when what is installed changes.

    Attributes:
        settings: Those.
        home: The user's own folder.
        warm: The profile that was loaded already; "" before.
        problem: Why it could not be run the last time.
    """

    def __init__(self, settings: Settings, home: Path) -> None:
        self.settings = settings
        self.home = home
        self._opening = threading.Lock()
        self._seen: tuple[object, ...] | None = None
        self._embedder: Embedder | None = None
        self._reason = ""
        self.warm = ""
        self.problem = ""

    def open(self) -> "tuple[Embedder | None, str]":
        """The embedder, or why there is none; any thread may ask."""
        if self.settings.embedding_backend == "off":
            return None, OFF
        from mind.search.embedding import stamp  # noqa: PLC0415 - only when it is asked for

        with self._opening:
            seen = stamp(self.home)
            if seen != self._seen:
                self._seen = seen
                self._reopen()
            return self._embedder, self._reason

    def _reopen(self) -> None:
        from mind.search.embedding import open_embedder  # noqa: PLC0415 - as above

        found, self._reason, self.problem = None, "", ""
        try:
            found = open_embedder(self.settings, self.home)
        except MindError as error:
            self._reason = str(error)
            if isinstance(error, DependencyMissing):
                self._seen = None  # it may be installed a moment later
        if found is None:
            self._reason = self._reason or NO_MODEL
        if not (found and self._embedder and found.profile == self._embedder.profile):
            self._embedder, self.warm = found, ""


def _asked(settings: Settings) -> tuple[object, ...]:
    return settings.embedding_model, settings.embedding_backend, settings.embedding_threads


def _filled(
    embedder: "Embedder",
    index: Index,
    progress: Progress,
    most: int,
    go_on: Callable[[], bool],
) -> tuple[int, bool]:
    """Return how many vectors were made, and whether none is missing now."""
    vectors = Vectors(embedder.profile)
    # entries may be added while vectors are made, and vectors be dropped
    last, name = index.last_row, index.name
    missing = index.without_vector(vectors, most)
    shuffle(missing)  # other servers of the project are at it too: each begins somewhere else
    done = made = 0
    while done < len(missing) and go_on():
        batch = missing[done : done + _BATCH]
        lacking = index.lacking_vectors(vectors, batch)
        if lacking:
            floats = _embedded(embedder, [one.text for one in lacking])
            index.keep_vectors(vectors, [one.content for one in lacking], floats)
        done, made = done + len(batch), made + len(lacking)
        progress(done, len(missing))
    is_all = done == len(missing) != most
    if is_all and not index.has_all_vectors(embedder.profile):
        index.complete_vectors(vectors, last, name)
    return made, is_all


def _embedded(embedder: "Embedder", texts: list[str]) -> "NDArray[np.float32]":
    """The vectors of ``texts``; what a model cannot put in numbers is near to nothing."""
    made = embedder.embed(texts)
    import numpy as np  # noqa: PLC0415 - the embedder has it already

    return np.nan_to_num(made, nan=0.0, posinf=0.0, neginf=0.0)
