"""A memory as it was at a commit, in a folder of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mind.domain.errors import NotFound
from mind.sources.git.revisions import Revisions
from mind.storage.project import Project
from mind.text import secrets

_FILES = ("MEMORY.md", "REMINDERS.md", "ARCHIVE.md", "config.json")


@contextmanager
def at(project: Project, revision: str) -> Iterator[Project]:
    """The memory as it was at ``revision``, in a folder that is gone afterwards.

    Raises:
        NotFound: There is no such revision, or no memory in it.
        ProjectError: There is no repository, or no git.
    """
    revisions = Revisions(project.root)
    commit = revisions.commit(revision)
    folder = Path(tempfile.mkdtemp(prefix="mind-at-"))
    try:
        copy = Project(folder / (project.root.name or "project"))
        copy.folder.mkdir(parents=True)
        there = set(revisions.names(commit, project.relative(project.folder)))
        if project.relative(project.memory) not in there:
            raise no_memory(project, revision)
        for name in _FILES:
            path = project.relative(project.folder / name)
            if path in there:
                (copy.folder / name).write_bytes(revisions.read([commit], path)[0])
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def no_memory(project: Project, revision: str) -> NotFound:
    """What to say where a revision has none."""
    path = project.relative(project.memory)
    return NotFound(
        f"there is no {path} at {secrets.mask(revision)!r}",
        remedy=f"`git log --oneline -- {path}` lists the commits that changed it.",
    )
