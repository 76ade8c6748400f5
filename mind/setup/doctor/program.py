"""The program itself: its version, its package, and the commands that PATH finds."""

import os
import shutil
import sys
from importlib import metadata
from pathlib import Path

import mind
from mind.setup.doctor.finding import Finding, broken, fine, several, typed, warning
from mind.storage import process

_PACKAGE = "mind-lens"
_PROGRAMS = ("mind", "mind-hook")
_REINSTALL = f"Run `{Path(sys.executable).name} -m pip install --force-reinstall {_PACKAGE}`."


def version() -> Finding:
    """Mind's and Python's."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    return fine(f"{mind.__version__} on Python {python}, {sys.executable}")


def package() -> Finding:
    """The installed package, compared with the code that runs and what it needs."""
    try:
        found = metadata.distribution(_PACKAGE)
    except metadata.PackageNotFoundError:
        folder = Path(mind.__file__).parents[1]
        return warning(
            f"{folder} runs without being installed", f"Run `pip install -e {typed([folder])}`."
        )
    if found.version != mind.__version__:
        return warning(
            f"{Path(mind.__file__).parent} is {mind.__version__}, but the package that is "
            f"installed is {found.version}",
            _REINSTALL,
        )
    lacking = [name for name in map(_name, found.requires or ()) if name and not _has(name)]
    if lacking:
        needed = " ".join(lacking)
        return broken(f"it needs {several(lacking)}", f"Run `python -m pip install {needed}`.")
    return fine(f"{_PACKAGE} {found.version}, with all that it needs")


def _name(requirement: str) -> str:
    """The package that a requirement names; "" for those of an extra or another platform."""
    wanted, _, marker = requirement.partition(";")
    if marker:
        return ""
    end = next((at for at, sign in enumerate(wanted) if sign in " <>=!~[("), len(wanted))
    return wanted[:end]


def _has(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def programs(start: Path) -> Finding:
    """True if `mind` and `mind-hook` are there, and PATH finds these and no others.

    Args:
        start: A folder of the project: a program in its repository is not meant.
    """
    own = _own()
    shown = []
    for name in _PROGRAMS:
        there, here = process.find(name, start), own.get(name)
        first = shutil.which(name)
        if first not in (None, there, str(here)):
            return warning(
                f"PATH finds {first}, which is in the repository",
                "Take that folder out of PATH: whoever made the repository wrote the program.",
            )
        if there is None and here is None:
            return warning(f"there is no program {name!r}", _REINSTALL)
        if there is not None and here is not None and Path(there).resolve() != here.resolve():
            return warning(
                f"PATH finds {there}, of another installation than this, {here}",
                f"Run `{typed([there])} doctor` to check that one, or to use this one "
                f'`export PATH="{here.parent}:$PATH"`.',
            )
        shown.append(there or f"{here} (not on PATH)")
    return fine(", ".join(shown))


def _own() -> dict[str, Path]:
    """This installation's programs: those that pip put there, or beside the interpreter."""
    beside = Path(sys.executable).parent
    ending = ".exe" if sys.platform == "win32" else ""
    found = {name: beside / f"{name}{ending}" for name in _PROGRAMS}
    try:
        placed = metadata.distribution(_PACKAGE).files or []
    except metadata.PackageNotFoundError:
        placed = []
    for file in placed:
        if file.stem in found and file.parent.name in ("bin", "Scripts"):
            found[file.stem] = Path(os.path.normpath(file.locate()))
    return {name: path for name, path in found.items() if path.is_file()}
