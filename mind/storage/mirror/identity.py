"""Who mirrors what: this machine, this folder, and the folders that its user chose to mirror."""

import secrets
import socket
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from mind.storage import files
from mind.storage.home import home
from mind.storage.project import Project


@dataclass(frozen=True, slots=True)
class Clone:
    """One folder with a memory, on one machine.

    Attributes:
        key: Equal for the same folder of the same user, whatever became of its cache.
        place: For people.
    """

    key: str
    place: str


def _path() -> Path:
    return home() / "mirror.json"


def _known() -> tuple[str, list[str]]:
    """The name of this machine, "" before it has one, and the folders that are mirrored."""
    data = files.read_json(_path())
    if not isinstance(data, dict):
        return "", []
    machine, folders = data.get("machine"), data.get("folders")
    return (
        machine if isinstance(machine, str) else "",
        [one for one in folders if isinstance(one, str)] if isinstance(folders, list) else [],
    )


def is_chosen(project: Project) -> bool:
    """Whether the user ran `mind mirror sync` here: what a repository says is not enough."""
    return bool(project.settings.mirror_project) and str(project.folder) in _known()[1]


def choose(project: Project) -> None:
    """From now on a server may send what changes here."""
    machine, folders = _known()
    if machine and str(project.folder) in folders:
        return
    home().mkdir(mode=0o700, parents=True, exist_ok=True)
    data = {
        "machine": machine or secrets.token_hex(8),
        "folders": sorted({*folders, str(project.folder)}),
    }
    files.write_json(_path(), data, mode=0o600)


def clone(project: Project) -> Clone:
    """This folder on this machine."""
    machine = _known()[0]
    data = f"{machine}\0{project.folder}".encode("utf-8", "surrogateescape")
    key = blake2b(data, digest_size=8).hexdigest()
    return Clone(key, f"{socket.gethostname()}:{project.root.name}")


def new_key() -> str:
    """A name for a project in the mirror, which no other has."""
    return secrets.token_hex(8)
