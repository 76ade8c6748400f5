"""``manifest.json``: what a model is, and the checksum of every file of it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from mind.domain.errors import FileError, ModelError
from mind.storage import files

NAME = "manifest.json"
SCHEMA = 1
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds: its SHA-256 in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How a built file compares to the NumPy reference, on texts like those of a memory.

    Attributes:
        cosine: Mean cosine of its vectors to the reference's.
        agreement: Which part of the ten nearest texts of a query are the same, on average.
    """

    cosine: float
    agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A model folder's own description.

    Attributes:
        name: The model's name; also the folder's.
        dimension: Length of the vectors.
        max_tokens: Tokens of a text that count.
        pooling: How the tokens' vectors become one; always "mean".
        normalised: Whether the vectors have length one; always True.
        source: Where the model came from.
        backends: What each backend runs, relative to the folder: a file, or a folder of files.
        files: All files but the manifest, by path relative to the folder, with ``/``.
        accuracy: Of the backends that were built here.
    """

    name: str
    dimension: int
    max_tokens: int
    source: str
    pooling: str = "mean"
    normalised: bool = True
    backends: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Content] = field(default_factory=dict)
    accuracy: Mapping[str, Accuracy] = field(default_factory=dict)

    def needed(self, backend: str) -> list[str]:
        """The files that ``backend`` runs."""
        main = self.backends[backend]
        extra = ("config.json",) if backend == "numpy" else ()
        wanted = (main, TOKENIZER, *extra)
        return [name for name in self.files if name in wanted or name.startswith(f"{main}/")]


def read(folder: Path) -> Manifest:
    """The manifest in ``folder``.

    Raises:
        ModelError: It is missing, broken, or of a kind that this version cannot use.
    """
    path = folder / NAME
    try:
        data = files.read_json(path)
    except FileError as error:
        raise ModelError(error.message, remedy=error.remedy, path=str(path)) from error
    if not isinstance(data, dict):
        raise ModelError(f"{path} is missing or broken", path=str(path))
    if data.get("schema") != SCHEMA:
        raise ModelError(
            f"{path} has schema {data.get('schema')!r}, not {SCHEMA}",
            remedy="Update Mind, or remove the model and add it again.",
            path=str(path),
        )
    try:
        manifest = _manifest(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path} is not as it should be: {error}", path=str(path)) from error
    if manifest.pooling != "mean" or not manifest.normalised:
        raise ModelError(f"{path}: Mind runs mean pooling, normalised, only", path=str(path))
    return manifest


def write(folder: Path, manifest: Manifest) -> None:
    """Put ``manifest`` into ``folder``."""
    files.write_json(folder / NAME, {"schema": SCHEMA, **asdict(manifest)})


def _manifest(data: Mapping[str, Any]) -> Manifest:
    contents = {
        inside(name): Content(_sha256(about["sha256"]), _positive(about["size"], zero=True))
        for name, about in data["files"].items()
    }
    backends = {str(name): inside(main) for name, main in data["backends"].items()}
    for main in backends.values():
        if not any(name == main or name.startswith(f"{main}/") for name in contents):
            raise ValueError(f"{main} has no checksum")
    return Manifest(
        name=valid_name(data["name"]),
        dimension=_positive(data["dimension"]),
        max_tokens=_positive(data["max_tokens"]),
        source=str(data["source"]),
        pooling=data["pooling"],
        normalised=data["normalised"],
        backends=backends,
        files=contents,
        accuracy=_accuracy(data.get("accuracy", {})),
    )


def _accuracy(data: Mapping[str, Mapping[str, float]]) -> dict[str, Accuracy]:
    return {
        name: Accuracy(float(about["cosine"]), float(about["agreement"]))
        for name, about in data.items()
    }


def inside(name: str) -> str:
    """``name`` if it is a path that stays in the folder.

    Raises:
        ValueError: It leads out of the folder.
    """
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or set(name) & set("\\:\0"):
        raise ValueError(f"{name!r} leads out of the folder")
    return str(path)


def valid_name(name: str) -> str:
    """``name`` if a model can be called so: letters, digits, ``.``, ``_`` and ``-``.

    Raises:
        ValueError: It cannot.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", name):
        raise ValueError(f"{name!r} is no name for a model")
    return name


def _sha256(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ValueError(f"{text!r} is no SHA-256")
    return text


def _positive(number: object, *, zero: bool = False) -> int:
    if type(number) is not int or number < (0 if zero else 1):
        raise ValueError(f"{number!r} is no size")
    return number
