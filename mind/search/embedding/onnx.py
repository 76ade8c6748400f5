"""ONNX Runtime, on the processor."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.domain.errors import ModelError
from mind.search.embedding.tokens import lacking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

INPUTS = ("ids", "mask")
"""Of every file that Mind builds."""


class OnnxSession:
    """A loaded ONNX file.

    Threads do not spin while they wait, since other processes want the processor; memory is given
    back after each text rather than kept for the next.

    Args:
        path: The file.
        threads: How many threads one text may use.

    Raises:
        DependencyMissing: The package is not installed.
        ModelError: The file cannot be loaded by the version that is installed.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            import onnxruntime  # noqa: PLC0415 - optional, and takes 0.2 s
        except ImportError as error:
            raise lacking("onnxruntime") from error
        onnxruntime.disable_telemetry_events()  # its builds for Windows report their use
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4  # what goes wrong is raised, not printed
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        with _translating(path):
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        self._path = path

    def __call__(self, ids: "Ints", mask: "Ints") -> "Floats":
        """The vectors of rows of tokens, (rows x dimension).

        Raises:
            ModelError: The file cannot be run on these.
        """
        with _translating(self._path):
            inputs = dict(zip(INPUTS, (ids, mask), strict=True))
            vectors: Floats = self._session.run(None, inputs)[0]
        return vectors


@contextlib.contextmanager
def _translating(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a dozen classes without a common base
        raise ModelError(
            f"{path} cannot be run: {error}",
            remedy="Run `pip install --upgrade onnxruntime`, or `mind models build` again.",
            path=str(path),
        ) from error
