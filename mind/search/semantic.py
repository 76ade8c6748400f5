"""The embedding model of a project, and the vectors of its entries and queries.

Writes never wait for vectors, and a search computes only a few: it uses the existing ones, and
the rest are computed in the background.
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

    from mind.search.embedding.backends import Model


_BATCH = 32
"""Texts per transaction: about a tenth of a second of work."""
_FEW = 200
"""Most texts a search embeds before it answers: about half a second of work."""
_SECONDS = 1.0
"""Time limit for that where texts are long or the model is slow; a started batch is finished."""

NO_MODEL = "no embedding model is installed; `mind models add` takes one"
OFF = "embedding.backend is off"
LOADING = "the embedding model is being loaded"
UNMADE = "not all entries have vectors yet; `mind index` makes them"
UNKEPT = "vectors cannot be kept, since the index cannot be written; see `mind doctor`"

Progress = Callable[[int, int], None]
"""Callback with the number of texts done and their total."""


class ProjectVectors:
    """A project's embedding model, and the vectors it computed for the project's index.

    Args:
        settings: Select the model and its backend.
        home: The user's own folder.
        patient: Let a search load the model and compute a few missing vectors. Otherwise searches
            do without until :meth:`fill` has run.
    """

    def __init__(self, settings: Settings, home: Path, *, patient: bool = True) -> None:
        self._model = _Model(settings, home)
        self._patient = patient
        self._vectors = Vectors("")
        self._last: tuple[str, QueryVector] | None = None
        """The last query text and its vector: a note is compared in more than one way."""

    def beside(self, settings: Settings) -> "ProjectVectors":
        """The instance for searching another project: this one, unless its settings differ."""
        other = ProjectVectors(settings, self._model.home, patient=self._patient)
        if _asked(settings) == _asked(self._model.settings):
            other._model = self._model
        return other

    @property
    def profile(self) -> str:
        """The profile of model and backend; "" without a model."""
        embedder, _ = self._model.open()
        return embedder.profile if embedder else ""

    def lacking(self, index: Index) -> str:
        """Reason that a search in ``index`` compares only words; "" if it uses vectors."""
        embedder, reason = self._model.open()
        if embedder is None:
            return reason
        if self._model.problem and not self._patient:
            return self._model.problem
        if not index.has_vectors(embedder.profile):
            return UNMADE if index.is_kept else UNKEPT
        return "" if self._patient or self._model.warm == embedder.profile else LOADING

    def of(self, query: str, index: Index) -> tuple[QueryVector | None, str]:
        """The vector of ``query`` for searching ``index``; or None, and the reason."""
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
        """The vector of ``text``, if the model is already loaded.

        Writes do not wait for a model.
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

    def _sense(self, embedder: "Model", text: str) -> QueryVector:
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
        """Compute missing vectors in ``index``, and return how many were computed.

        Safe to run beside searches in other threads and processes, with its own index connection.

        Args:
            index: An up-to-date index.
            progress: Called after each batch.
            most: Maximum number of texts.
            go_on: Called before each batch; False stops.

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
    """The configured model: opened once, and reopened when the installed models change.

    Attributes:
        settings: The settings.
        home: The user's own folder.
        warm: Profile of the loaded model; "" if none is loaded yet.
        problem: Why it last failed; "" if it did not.
    """

    def __init__(self, settings: Settings, home: Path) -> None:
        self.settings = settings
        self.home = home
        self._opening = threading.Lock()
        self._seen: tuple[object, ...] | None = None
        self._embedder: Model | None = None
        self._reason = ""
        self.warm = ""
        self.problem = ""

    def open(self) -> "tuple[Model | None, str]":
        """The embedder, or why there is none; thread-safe."""
        if self.settings.embedding_backend == "off":
            return None, OFF
        from mind.search.embedding import stamp  # noqa: PLC0415 - only on first use

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
                self._seen = None  # it may be installed later
        if found is None:
            self._reason = self._reason or NO_MODEL
        if not (found and self._embedder and found.profile == self._embedder.profile):
            self._embedder, self.warm = found, ""


def _asked(settings: Settings) -> tuple[object, ...]:
    return settings.embedding_model, settings.embedding_backend, settings.embedding_threads


def _filled(
    embedder: "Model",
    index: Index,
    progress: Progress,
    most: int,
    go_on: Callable[[], bool],
) -> tuple[int, bool]:
    """Number of computed vectors, and whether all are complete now."""
    vectors = Vectors(embedder.profile)
    # entries may be added and vectors dropped meanwhile
    last, name = index.last_row, index.name
    missing = index.without_vector(vectors, most)
    shuffle(missing)  # other servers of the project do the same: each starts at a random place
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


def _embedded(embedder: "Model", texts: list[str]) -> "NDArray[np.float32]":
    """Vectors of ``texts``; one that the model cannot embed becomes a zero vector."""
    made = embedder.embed(texts)
    import numpy as np  # noqa: PLC0415 - already loaded by the embedder

    return np.nan_to_num(made, nan=0.0, posinf=0.0, neginf=0.0)
