"""Further sources of a search, each with its own index.

The user's own memory, the project's documents and the notes of other worktrees are always searched;
other projects only on request, by ``everywhere`` or ``project:NAME``.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import MindError
from mind.memory import sync
from mind.sources import comments, project_docs
from mind.storage import project as projects
from mind.storage.home import own_memory
from mind.storage.index import Index
from mind.storage.project import Project

DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another memory that a search includes.

    Attributes:
        name: Shown with what it holds; "" for the documents of the project itself.
        project: Whose memory or documents.
        path: Of its index.
        refresh: Brings the index up to date, and gives what could not be read.
        is_worktree: It is the same project in another worktree, which holds much of the same.
    """

    name: str
    project: Project
    path: Path
    refresh: Callable[[Index], Sequence[str]]
    is_worktree: bool = False

    @property
    def label(self) -> str:
        """Return what its problems are told with."""
        return self.name or DOCUMENTS

    @property
    def is_documents(self) -> bool:
        """Return whether it holds documents, which are no memory."""
        return not self.name


def always(project: Project, *, wide: bool = True) -> list[Neighbour]:
    """Return what every search in ``project`` looks into.

    Args:
        project: Whose search.
        wide: Whoever asks may know of other memories of this user.
    """
    found: list[Neighbour] = []
    if not project.is_own and project.settings.capture_documents:
        path = project.cache / "documents.db"
        found.append(Neighbour("", project, path, partial(_documents, project)))
    if not project.is_own and wide:
        own = own_memory().absolute()
        found += [_of(Project(own, own))] if (own / "MEMORY.md").is_file() else []
        found += [
            replace(_of(Project(root), f"{root.name} ({branch or 'no branch'})"), is_worktree=True)
            for root, branch in projects.worktrees(project.root)
        ]
    return found


def everywhere(project: Project) -> list[Neighbour]:
    """Return every memory of this user, plus the sources of every search."""
    found = always(project)
    known = {one.project.folder for one in found if one.name}
    return [*found, *(_of(one) for one in projects.others(project) if one.folder not in known)]


def named(project: Project, names: Sequence[str]) -> list[Neighbour]:
    """Those of :func:`everywhere` that one of ``names`` means: a name, or a git remote."""
    wanted = {name.casefold() for name in names}
    return [
        one
        for one in everywhere(project)
        if one.name and not wanted.isdisjoint(known_as(one.project, one.name))
    ]


def is_named(project: Project, names: Sequence[str]) -> bool:
    """Return whether one of ``names`` means ``project`` itself."""
    return not known_as(project).isdisjoint(name.casefold() for name in names)


def known_as(project: Project, *more: str) -> set[str]:
    """List the names of ``project``: its folder's, its remote, and the ends of that."""
    remote = projects.remote(project.root) if not project.is_own else ""
    parts = remote.split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts)))
    return {name.casefold() for name in (project.name, *more, *ends) if name}


def entry(project: Project, identifier: str, *, wide: bool = True) -> Entry | None:
    """The entry with an id in what searches of ``project`` show besides its own."""
    for one in everywhere(project) if wide else always(project, wide=False):
        try:
            with closing(Index(one.path)) as index:
                found = index.get(identifier)
        except MindError:
            continue
        if found is not None:
            return replace(found, source=f"{one.name}: {found.source}") if one.name else found
    return None


def _of(project: Project, name: str = "") -> Neighbour:
    def refresh(index: Index) -> Sequence[str]:
        return sync.refresh(project, index).problems

    return Neighbour(name or project.name, project, project.cache / "index.db", refresh)


def _documents(project: Project, index: Index) -> Sequence[str]:
    """Update the index of a project's documents."""
    return index.fill(lambda: _documents_read(project, index))


def _documents_read(project: Project, index: Index) -> Sequence[str]:
    known, reading = index.stamps(), project.settings.reading
    paths = project_docs.paths(project.root)
    stamps, places = {}, {}
    for path, name in zip(paths, comments.told(paths), strict=True):
        try:
            status = (project.root / path).stat()
        except OSError:
            continue
        places[name] = path
        stamps[name] = f"{status.st_size}:{status.st_mtime_ns}:{reading}"
    if stamps == known:
        return ()
    with index.writing():
        for name in known.keys() - stamps.keys():
            index.drop(name)
        for name, stamp in stamps.items():
            if known.get(name) != stamp:
                chunk = sync.whole(
                    f"{name} {stamp}",
                    partial(project_docs.entries, project.root, places[name], name=name),
                )
                index.replace(name, family=DOCUMENTS, rank=4, stamp=stamp, chunks=[chunk])
    return ()
