"""A project's memory through git: as it was, who wrote it, and how two of them become one."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mind.answers import Found
from mind.deferred import Deferred
from mind.reading import Reading

if TYPE_CHECKING:
    from mind import versions
    from mind.versions import Difference, Life
else:
    versions = Deferred("versions")


class LookingBack(Reading):
    """A project's memory and its commits; arguments are those of :class:`Reading`."""

    def search_at(self, revision: str, query: str, **how: Any) -> Found:  # noqa: ANN401 - passed on
        """As :meth:`search`, in the memory as it was at a revision.

        Raises:
            NotFound: There is no such revision, or no memory in it.
            ProjectError: There is no repository, or no git.
        """
        with versions.at(self.project, revision) as old:
            then = type(self)(old, clock=self._clock, meaning=self._meaning)
            try:
                return then.search(query, **how)
            finally:
                then.close()

    def life(self, identifier: str) -> "Life":
        """Every version of an entry that git knows (see :func:`mind.versions.life`)."""
        return self._current(lambda: versions.life(self.project, self.index, identifier))

    def difference(self, revisions: str) -> "Difference":
        """What changed between two revisions (see :func:`mind.versions.difference`)."""
        return versions.difference(self.project, revisions)

    @staticmethod
    def merge_file(base: Path, ours: Path, theirs: Path, name: str, marks: int) -> int:
        """Merge a file of a memory into ``ours`` for git (see :mod:`mind.sharing.driver`)."""
        from mind.sharing import driver  # noqa: PLC0415 - only git asks for it

        return driver.main([str(base), str(ours), str(theirs), name, str(marks)])
