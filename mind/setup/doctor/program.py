"""Checks of the program itself: its version, its package, and the commands on PATH."""

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
    """Report the versions of Mind and Python."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    return fine(f"{mind.__version__} on Python {python}, {sys.executable}")


def package() -> Finding:
    """Check the installed package against the running code and its requirements."""
    try:
        found = metadata.distribution(_PACKAGE)
    except metadata.PackageNotFoundError:
        folder = Path(mind.__file__).parents[1]
        return warning(
            f"Mind runs from {folder}, which is not installed",
            f"Run `pip install -e {typed([folder])}`.",
        )
    if found.version != mind.__version__:
        return warning(
            f"{Path(mind.__file__).parent} is version {mind.__version__}, but the installed "
            f"package is version {found.version}",
            _REINSTALL,
        )
    lacking = [name for name in map(_name, found.requires or ()) if name and not _has(name)]
    if lacking:
        needed = " ".join(lacking)
        return broken(
            f"{several(lacking)} is not installed", f"Run `python -m pip install {needed}`."
        )
    return fine(f"{_PACKAGE} {found.version}, with all requirements")


def _name(requirement: str) -> str:
    """The package name in a requirement; "" for one of an extra or another platform."""
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
    """Check that `mind` and `mind-hook` are installed, and that PATH finds no other versions.

    Args:
        start: A folder of the project; programs inside its repository do not count.
    """
    own = _own()
    shown = []
    for name in _PROGRAMS:
        there, here = process.find(name, start), own.get(name)
        first = shutil.which(name)
        if first not in (None, there, str(here)):
            return warning(
                f"PATH finds {first}, which is in the repository",
                "Remove that folder from PATH: the repository's authors control that program.",
            )
        if there is None and here is None:
            return warning(f"the program {name!r} is missing", _REINSTALL)
        if there is not None and here is not None and Path(there).resolve() != here.resolve():
            return warning(
                f"PATH finds {there}, which belongs to another installation than {here}",
                f"To check that one, run `{typed([there])} doctor`. To use this one, run "
                f'`export PATH="{here.parent}:$PATH"`.',
            )
        shown.append(there or f"{here} (not on PATH)")
    return fine(", ".join(shown))


def _own() -> dict[str, Path]:
    """This installation's programs: where pip put them, or next to the Python interpreter."""
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
