"""The skill for agents that have no plugin: put into a client's folder, and taken out again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mind import __version__
from mind.domain.errors import FileError, InputError
from mind.setup import install
from mind.setup.clients import skill_text
from mind.setup.clients.skill_text import FILE, FOLDERS, NAME, State
from mind.setup.install import Plan, Step
from mind.storage import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place for a skill.

    Attributes:
        path: The file.
        base: The folder that stays when what is in it goes: the project's, or the one named.
        clients: The clients that read it there; none for a folder that was named.
    """

    path: Path
    base: Path
    clients: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        """Return what is there."""
        return skill_text.state(self.text(), shipped())

    def text(self) -> str | None:
        """The file's text, None if there is none."""
        return files.decode(files.read(self.path), self.path) if self.path.exists() else None


def shipped() -> str:
    """The skill of this version as it is installed.

    It is found inside the installed package, else in the plugin's folder of a checkout.
    """
    package = Path(__file__).parents[1]
    installed = package / "_skills"
    folder = installed if installed.is_dir() else package.parent / "plugin" / "skills"
    text = (folder / NAME / FILE).read_text(encoding="utf-8")
    return skill_text.stamped(text, __version__)


def places(
    root: Path | None, clients: Sequence[str] = (), folder: Path | None = None
) -> list[Place]:
    """The places that are meant: a folder, the clients', or all that Mind knows in ``root``.

    Raises:
        InputError: A client that is not known, or that has no folder for skills.
    """
    if folder is not None or root is None:
        base = (folder or Path.cwd()).expanduser().absolute()
        return [Place(path=base / NAME / FILE, base=base)]
    for client in clients:
        if client not in FOLDERS:
            raise InputError(
                f"no folder for skills is known of {client!r}",
                remedy=f"Use one of: {', '.join(FOLDERS)}; or --folder DIR.",
            )
    wanted = dict.fromkeys(FOLDERS[client] for client in clients or FOLDERS)
    return [
        Place(
            path=root / name / NAME / FILE,
            base=root,
            clients=tuple(client for client, known in FOLDERS.items() if known == name),
        )
        for name in wanted
    ]


def plan(wanted: Sequence[Place]) -> list[Plan]:
    """Return what installing the skill in ``wanted`` would write, a plan for each place.

    Raises:
        FileError: There is a skill that Mind did not write, or that was changed since.
    """
    text = shipped()
    for place in wanted:
        if place.state is State.CHANGED:
            raise FileError(
                f"{place.path} was changed, or is not Mind's",
                remedy="It is left as it is. Move it away and run the command again, "
                "or choose another place with --client or --folder.",
                path=str(place.path),
            )
    return [_planned(place, None if _is_there(place) else text.encode()) for place in wanted]


def _is_there(place: Place) -> bool:
    return place.state is State.CURRENT


def plan_removal(wanted: Sequence[Place]) -> tuple[list[Plan], list[Place]]:
    """Plan the removal of the skill from ``wanted``, with the places left as they are."""
    found = [place for place in wanted if place.state is not State.ABSENT]
    changed = [place for place in found if place.state is State.CHANGED]
    return [_planned(place, b"") for place in found if place not in changed], changed


def _planned(place: Place, after: bytes | None) -> Plan:
    """A plan for one place: None keeps what is there, nothing deletes it."""
    before = files.read(place.path) if place.path.exists() else None
    new = before if after is None else after or None
    step = Step(path=place.path, before=before, after=new)
    return Plan(root=place.base, steps=(step,), registers=None)


def apply(planned: Sequence[Plan]) -> None:
    """Write what ``planned`` says."""
    for one in planned:
        install.apply(one)
