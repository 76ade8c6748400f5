"""Paths of the repository that lead out of it, and state of one machine that git tracks."""

from collections.abc import Iterator
from pathlib import Path

from mind.domain.errors import LeadsOutside
from mind.memory import briefing
from mind.setup.doctor.finding import Finding, broken, fine, several, typed, warning
from mind.setup.doctor.site import Site
from mind.storage import files


def links(site: Site) -> Finding:
    """Links of the memory, and files that carry the block, that lead out of the repository."""
    refused = list(_refused(site))
    if not refused:
        return fine("every path stays in the repository")
    return broken("; ".join(one.message for one in refused), refused[0].remedy)


def _refused(site: Site) -> Iterator[LeadsOutside]:
    for path in dict.fromkeys((*_memory(site), *briefing.named_targets(site.project))):
        try:
            files.check(path, site.project.boundary)
        except LeadsOutside as error:
            yield error


def _memory(site: Site) -> Iterator[Path]:
    """The folders of the memory, and what is in them."""
    project = site.project
    for folder in (project.folder, project.cache, project.cache / "hooks"):
        yield folder
        if files.is_inside(folder, project.boundary) and folder.is_dir():
            yield from sorted(folder.iterdir())


def tracked(site: Site) -> Finding:
    """State of this machine that git tracks: it came with the repository, and is ignored."""
    names = site.project.boundary.tracked if site.project.boundary else ()
    if not names:
        return fine("git tracks none")
    shown = [site.name(site.project.folder / name) for name in names]
    return warning(
        f"git tracks {several(shown)}, which are ignored: this machine's are in "
        f"{site.project.machine}",
        f"Run `git rm -r --cached {typed(shown)}`, and commit that.",
    )
