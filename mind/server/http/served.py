"""The projects that are served, and which of them a request means."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from mind.memory.memory import Memory
from mind.search.semantic import Meaning
from mind.server.http.access import Grant
from mind.server.http.problem import Refused
from mind.storage import project as projects
from mind.storage.project import Project

Meanings = Callable[[Project], Meaning]


@dataclass(frozen=True, slots=True)
class Place:
    """A project that is served, by its id, which stays while it stays where it is."""

    id: str
    project: Project

    @classmethod
    def of(cls, project: Project) -> "Place":
        """The same of a project."""
        digest = blake2b(str(project.folder).encode("utf-8", "surrogateescape"), digest_size=5)
        return cls(digest.hexdigest(), project)

    def is_called(self, name: str) -> bool:
        """Whether this is its name or its id."""
        return name in (self.id, self.project.name)


class Served:
    """The projects that are served.

    Args:
        starts: Folders to look from; none: from where the process stands.
        everything: Every registered project too, as the list is at the moment.
        meanings: Gives the embedding model of a project.

    Raises:
        ProjectError: There is no project at one of them.
    """

    def __init__(
        self, starts: Sequence[Path], *, everything: bool, meanings: Meanings | None = None
    ) -> None:
        self._everything = everything
        self._meanings = meanings
        self._fixed = [Place.of(projects.find(start)) for start in starts]
        if not starts and not everything:
            self._fixed = [Place.of(projects.find())]

    @property
    def serves_all(self) -> bool:
        """Whether every project of this user is served."""
        return self._everything

    def places(self, grant: Grant) -> list[Place]:
        """Those that a grant opens."""
        listed = list(self._fixed)
        if self._everything:
            listed += [Place.of(Project(root)) for root in projects.registered()]
        unique = list({place.id: place for place in listed}.values())
        if grant.opens_all:
            return unique
        return [one for one in unique if any(one.is_called(name) for name in grant.projects)]

    def place(self, name: str, grant: Grant) -> Place:
        """The one that is meant.

        Raises:
            Refused: None is called so (404), or several are, or none was named and there are
                several (409).
        """
        there = self.places(grant)
        meant = [one for one in there if one.is_called(name)] if name else there
        if len(meant) == 1:
            return meant[0]
        if not meant:
            raise Refused(
                404, "there is no such project", remedy="GET /api/v1/projects lists them."
            )
        ids = ", ".join(one.id for one in meant[:10])
        what = f"{len(meant)} projects are called that" if name else f"{len(meant)} projects"
        raise Refused(409, what, remedy=f"Add the parameter project, with one of the ids {ids}.")

    def open(self, place: Place) -> Memory:
        """Its memory; settings are read anew."""
        return Memory(place.project.anew(), meaning=self._meanings)
