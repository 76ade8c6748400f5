"""``manifest.json``: the description of a model, with a checksum for each file."""

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from mind.domain.errors import FileError, InputError, ModelError, NotFound
from mind.domain.settings import Settings
from mind.storage import files

Progress = Callable[[str, int, int], None]
"""Callback with the current step, the amount done, and the total (0 if unknown)."""


def quiet(what: str, done: int, total: int) -> None:
    """A :data:`Progress` that does nothing."""
    del what, done, total


NAME = "manifest.json"
SCHEMA = 1
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class FileDigest:
    """SHA-256 in hexadecimal and size in bytes of a file."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a built file compared to the ONNX file, on sample texts.

    Attributes:
        cosine: Mean cosine of its vectors with those of the ONNX file.
        agreement: Mean share of the ten nearest texts of a query that agree.
    """

    cosine: float
    agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelManifest:
    """Description of a model folder.

    Attributes:
        name: The model's name; also the folder's.
        dimension: Length of the vectors.
        max_tokens: Maximum tokens per text.
        pooling: Pooling of the token vectors; always "mean".
        normalised: Whether the vectors have length one; always True.
        source: Origin of the model.
        backends: Backend → the file or folder it runs, relative to the folder.
        files: All files but the manifest, by path relative to the folder, with ``/``.
        accuracy: Accuracy of the backends built here.
    """

    name: str
    dimension: int
    max_tokens: int
    source: str
    pooling: str = "mean"
    normalised: bool = True
    backends: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, FileDigest] = field(default_factory=dict)
    accuracy: Mapping[str, Accuracy] = field(default_factory=dict)

    def needed(self, backend: str) -> list[str]:
        """The files that ``backend`` runs."""
        main = self.backends[backend]
        wanted = (main, TOKENIZER)
        return [name for name in self.files if name in wanted or name.startswith(f"{main}/")]


def read(folder: Path) -> ModelManifest:
    """The manifest in ``folder``.

    Raises:
        ModelError: It is missing, broken, or not supported by this version.
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


def write(folder: Path, manifest: ModelManifest) -> None:
    """Write ``manifest`` to ``folder``."""
    files.write_json(folder / NAME, {"schema": SCHEMA, **asdict(manifest)})


def _manifest(data: Mapping[str, Any]) -> ModelManifest:
    contents = {
        inside(name): FileDigest(_sha256(about["sha256"]), _positive(about["size"], zero=True))
        for name, about in data["files"].items()
    }
    backends = {str(name): inside(main) for name, main in data["backends"].items()}
    for main in backends.values():
        if not any(name == main or name.startswith(f"{main}/") for name in contents):
            raise ValueError(f"{main} has no checksum")
    return ModelManifest(
        name=valid_name(data["name"]),
        dimension=_positive(data["dimension"]),
        max_tokens=_positive(data["max_tokens"]),
        source=str(data["source"]),
        pooling=data["pooling"],
        normalised=data["normalised"],
        backends=backends,
        files=contents,
        accuracy={
            name: Accuracy(float(about["cosine"]), float(about["agreement"]))
            for name, about in data.get("accuracy", {}).items()
        },
    )


def inside(name: str) -> str:
    """Return ``name`` if it is a path within the folder.

    Raises:
        ValueError: It leads out of the folder.
    """
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or set(name) & set("\\:\0"):
        raise ValueError(f"{name!r} leads out of the folder")
    return str(path)


def valid_name(name: str) -> str:
    """Return ``name`` if it is a valid model name: letters, digits, ``.``, ``_`` and ``-``.

    Raises:
        ValueError: It is not.
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


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content(path: Path) -> FileDigest:
    """Digest of the file ``path``."""
    return FileDigest(sha256(path), path.stat().st_size)


def contents(folder: Path, name: str) -> dict[str, FileDigest]:
    """Digests of the file ``name``, or of every file in the folder ``name``."""
    path = folder / name
    found = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    return {one.relative_to(folder).as_posix(): content(one) for one in found}


def check(
    folder: Path,
    manifest: ModelManifest,
    names: Iterable[str],
    *,
    memo: Path | None = None,
) -> None:
    """Check files against the manifest.

    Args:
        folder: The model's folder.
        manifest: Its manifest.
        names: The files to check.
        memo: Cache of checksums; None computes them anew.

    Raises:
        ModelError: A file is missing or differs; it must not be used.
    """
    known = _known(memo)
    fresh: dict[str, list[object]] = {}
    for name in names:
        fresh[name] = _checked(folder, name, manifest.files[name], known.get(name))
    if memo is not None and any(known.get(name) != state for name, state in fresh.items()):
        with contextlib.suppress(FileError, OSError):  # only slows the next start
            memo.parent.mkdir(parents=True, exist_ok=True)
            files.write_json(memo, {**known, **fresh}, sync=False)


def _known(memo: Path | None) -> dict[str, list[object]]:
    with contextlib.suppress(FileError):
        data = files.read_json(memo) if memo is not None else None
        if isinstance(data, dict):
            return data
    return {}


def _checked(folder: Path, name: str, wanted: FileDigest, known: object) -> list[object]:
    """Checksum, size, modification time in nanoseconds and inode of the file."""
    path = folder / name
    try:
        status = path.stat()
        seen = [status.st_size, status.st_mtime_ns, status.st_ino]
        if status.st_size != wanted.size:
            raise _mismatch(path, f"has {status.st_size:,} bytes, not {wanted.size:,}")
        if known == [wanted.sha256, *seen]:
            return [wanted.sha256, *seen]
        found = sha256(path)
    except OSError as error:
        raise _mismatch(path, f"cannot be read: {error.strerror}") from error
    if found != wanted.sha256:
        raise _mismatch(path, f"has SHA-256 {found[:12]}…, not {wanted.sha256[:12]}…")
    return [found, *seen]


def _mismatch(path: Path, what: str) -> ModelError:
    return ModelError(
        f"{path} {what}",
        remedy="It is not used. Run `mind models remove NAME` and `mind models add` again; search "
        "works without a model until then.",
        path=str(path),
    )


@dataclass(frozen=True, slots=True)
class Installed:
    """A model's folder and its manifest."""

    folder: Path
    manifest: ModelManifest

    @property
    def size(self) -> int:
        """Total size of its files in bytes."""
        return sum(content.size for content in self.manifest.files.values())


def folder_of(home: Path) -> Path:
    """The folder of the models, below the user's own folder."""
    return home / "models"


def installed(home: Path) -> tuple[list[Installed], list[ModelError]]:
    """Installed models by name, and the errors of unusable ones."""
    found, broken = [], []
    for folder in sorted(folder_of(home).glob("*/")):
        if folder.name.startswith("."):
            continue
        try:
            found.append(Installed(folder, read(folder)))
        except ModelError as error:
            broken.append(error)
    return found, broken


def find(home: Path, name: str) -> Installed:
    """The model called ``name``.

    Raises:
        NotFound: No such model.
        ModelError: Its manifest is missing or broken.
    """
    folder = folder_of(home) / valid(name)
    if not folder.is_dir():
        names = ", ".join(one.folder.name for one in installed(home)[0])
        raise NotFound(
            f"there is no model {name!r}",
            remedy=f"There are: {names}." if names else "Run `mind models add` first.",
            name=name,
        )
    return Installed(folder, read(folder))


def choose(settings: Settings, home: Path) -> Installed | None:
    """The configured model, else the first by name; None if there is none.

    Raises:
        NotFound: The configured model is not installed.
        ModelError: It is broken, or all models are.
    """
    if settings.embedding_model:
        return find(home, settings.embedding_model)
    found, broken = installed(home)
    if broken and not found:
        raise broken[0]
    return found[0] if found else None


def memo(home: Path, name: str) -> Path:
    """Path of the checksum cache of a model."""
    return home / "cache" / "models" / f"{name}.json"


def valid(name: str) -> str:
    """Return ``name`` if it is a valid model name.

    Raises:
        InputError: It is not.
    """
    try:
        return valid_name(name)
    except ValueError as error:
        raise InputError(
            str(error), remedy="Use letters, digits, dots, underscores and hyphens.", name=name
        ) from error
