"""The one check of a path before it is read, written, replaced or deleted.

A project is enclosed once; from then on every path below it is followed to where it really leads,
and refused if that is outside (:mod:`mind.storage.boundary`). Paths below no enclosed project are
the user's own and are not checked.
"""

from pathlib import Path

from mind.domain.errors import LeadsOutside
from mind.domain.settings import Settings, load_around
from mind.storage.boundary import Boundary, absolute
from mind.storage.home import home

_enclosed: dict[str, Boundary] = {}
"""By the folder that they enclose, as the user named it."""


def enclose(root: Path, folder: Path) -> Boundary:
    """The boundary of a project, which its files are held to in this process from now on.

    Args:
        root: The project's folder.
        folder: The folder of its memory.
    """
    boundary = Boundary(str(root), str(folder))
    _enclosed[boundary.folder if boundary.is_apart else boundary.root] = boundary
    return boundary


def keep(boundary: Boundary) -> Path:
    """The folder of a machine's state, whose files are held to the same boundary."""
    if boundary.state != boundary.folder:
        _enclosed[boundary.state] = boundary
    return Path(boundary.state)


def boundary_of(path: Path) -> Boundary | None:
    """The boundary that ``path`` is held to: of the nearest enclosed folder above it."""
    place = Path(absolute(path))
    for at in (place, *place.parents):
        found = _enclosed.get(str(at))
        if found is not None:
            return found
    return None


def check(path: Path, within: Boundary | None = None) -> None:
    """Follow ``path`` to where it really leads, before anything is done with it.

    Args:
        path: The file or folder, there or not.
        within: The boundary of the project that names it in a file; by default Mind names it,
            and it is held to the boundary of the folder it is in.

    Raises:
        LeadsOutside: That is outside of the repository, and the user did not allow it.
    """
    boundary = within or boundary_of(path)
    named = within is not None
    crossing = boundary.crossing(str(path.absolute()), named=named) if boundary else None
    if crossing is not None:
        allow(*crossing)


def allow(link: str, target: str) -> None:
    """Let a link lead out of its repository if the user named it.

    Raises:
        LeadsOutside: The user's own settings do not name it.
    """
    if f"{link} -> {target}" not in _settings().links_allowed:
        raise LeadsOutside(link, target)


def is_inside(path: Path, within: Boundary | None = None) -> bool:
    """Return whether ``path`` may be opened (see :func:`check`)."""
    try:
        check(path, within)
    except LeadsOutside:
        return False
    return True


def _settings() -> Settings:
    """The user's own settings; a file of them that is wrong allows nothing."""
    return load_around(None, home() / "config.toml")[0]
