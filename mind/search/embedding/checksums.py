"""Checking the files of a model, and remembering what was checked.

Reading 90 MB takes a tenth of a second. So the checksum of a file is kept with its size, time and
inode, and taken again when one of these changed.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from pathlib import Path

from mind.domain.errors import FileError, ModelError
from mind.search.embedding.manifest import Content, Manifest
from mind.search.embedding.progress import Progress, quiet
from mind.storage import files

_PIECE = 1 << 20


def sha256(path: Path, progress: Progress = quiet) -> str:
    """The checksum of a file, in hexadecimal.

    Raises:
        OSError: It cannot be read.
    """
    found, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
            done += len(piece)
            progress(f"checking {path.name}", done, total)
    return found.hexdigest()


def content(path: Path, progress: Progress = quiet) -> Content:
    """What ``path`` holds."""
    return Content(sha256(path, progress), path.stat().st_size)


def contents(folder: Path, name: str) -> dict[str, Content]:
    """What the file ``name``, or every file in the folder ``name``, holds."""
    path = folder / name
    found = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    return {one.relative_to(folder).as_posix(): content(one) for one in found}


def check(
    folder: Path,
    manifest: Manifest,
    names: Iterable[str],
    *,
    memo: Path | None = None,
    progress: Progress = quiet,
) -> None:
    """See that files are what the manifest says.

    Args:
        folder: The model's.
        manifest: Its manifest.
        names: The files to check.
        memo: Where checksums are remembered; None takes each of them anew.
        progress: Told about long work.

    Raises:
        ModelError: A file is missing or is another one; it must not be used.
    """
    known = _known(memo)
    fresh: dict[str, list[object]] = {}
    for name in names:
        fresh[name] = _checked(folder, name, manifest.files[name], known.get(name), progress)
    if memo is not None and any(known.get(name) != state for name, state in fresh.items()):
        with contextlib.suppress(FileError, OSError):  # only costs time at the next start
            memo.parent.mkdir(parents=True, exist_ok=True)
            files.write_json(memo, {**known, **fresh}, sync=False)


def _known(memo: Path | None) -> dict[str, list[object]]:
    with contextlib.suppress(FileError):
        data = files.read_json(memo) if memo is not None else None
        if isinstance(data, dict):
            return data
    return {}


def _checked(
    folder: Path, name: str, wanted: Content, known: object, progress: Progress
) -> list[object]:
    """The file's state: its checksum, size, time in nanoseconds and inode."""
    path = folder / name
    try:
        status = path.stat()
        seen = [status.st_size, status.st_mtime_ns, status.st_ino]
        if status.st_size != wanted.size:
            raise _mismatch(path, f"has {status.st_size:,} bytes, not {wanted.size:,}")
        if known == [wanted.sha256, *seen]:
            return [wanted.sha256, *seen]
        found = sha256(path, progress)
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
