"""Installation and removal of the skill for clients that have no plugin."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mind import __version__
from mind.domain.errors import FileError, InputError
from mind.setup.clients import skill_text
from mind.setup.clients.skill_text import FILE, FOLDERS, NAME, SkillState
from mind.setup.install import InstallPlan, InstallStep
from mind.storage import files, templates


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFolder:
    """A place where a skill can be installed.

    Attributes:
        path: The file.
        base: The folder that is never removed: the project's, or the one passed by the user.
        clients: The clients that read it there; none for a folder passed by the user.
    """

    path: Path
    base: Path
    clients: tuple[str, ...] = ()

    @property
    def state(self) -> SkillState:
        """The state of the skill at this place."""
        return skill_text.state(self.text(), shipped())

    def text(self) -> str | None:
        """The file's text, None if there is none."""
        return files.decode(files.read(self.path), self.path) if self.path.exists() else None


def shipped() -> str:
    """The skill of this version, with version and digest."""
    folder = templates.folder("_skills", "plugin/skills")
    text = (folder / NAME / FILE).read_text(encoding="utf-8")
    return skill_text.stamped(text, __version__)


def places(
    root: Path | None, clients: Sequence[str] = (), folder: Path | None = None
) -> list[SkillFolder]:
    """The places for the skill: in ``folder``, those of ``clients``, or all known in ``root``.

    Raises:
        InputError: A client is unknown, or has no skills folder.
    """
    if folder is not None or root is None:
        base = (folder or Path.cwd()).expanduser().absolute()
        return [SkillFolder(path=base / NAME / FILE, base=base)]
    for client in clients:
        if client not in FOLDERS:
            raise InputError(
                f"there is no known skills folder for {client!r}",
                remedy=f"Use one of: {', '.join(FOLDERS)}; or pass --folder DIR.",
            )
    wanted = dict.fromkeys(FOLDERS[client] for client in clients or FOLDERS)
    return [
        SkillFolder(
            path=root / name / NAME / FILE,
            base=root,
            clients=tuple(client for client, known in FOLDERS.items() if known == name),
        )
        for name in wanted
    ]


def plan(wanted: Sequence[SkillFolder]) -> InstallPlan:
    """Return the plan to install the skill in ``wanted``, which have the same base.

    Raises:
        FileError: A skill is there that Mind did not write, or that was edited.
    """
    for place in wanted:
        if place.state is SkillState.CHANGED:
            raise FileError(
                f"{place.path} was edited, or is not Mind's; nothing was changed",
                remedy="Move it away and run the command again, or choose another place with "
                "--client or --folder.",
                path=str(place.path),
            )
    return _planned(wanted[0].base, wanted, shipped().encode())


def plan_removal(wanted: Sequence[SkillFolder]) -> tuple[InstallPlan, list[SkillFolder]]:
    """Plan the removal of the skill from ``wanted``; also return the places that are kept."""
    changed = [place for place in wanted if place.state is SkillState.CHANGED]
    taken = [place for place in wanted if place not in changed]
    return _planned(wanted[0].base, taken, None), changed


def _planned(base: Path, places: Sequence[SkillFolder], after: bytes | None) -> InstallPlan:
    steps = []
    for place in places:
        before = files.read(place.path) if place.path.exists() else None
        is_kept = after and place.state is SkillState.CURRENT  # also with other line ends
        step = InstallStep(path=place.path, before=before, after=before if is_kept else after)
        steps.append(step)
    return InstallPlan(root=base, steps=tuple(steps), registers=None)
