"""Entries that are both in memory and in the archive.

Archiving and restoring take two writes each. A process killed between them leaves the entry in
both files, never in none.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mind.documents import archive, markdown
from mind.documents.archive import Archived
from mind.storage import files
from mind.storage.project import Project


def home_of(project: Project, one: Archived) -> Path:
    """Return the file that ``one`` is restored to."""
    return project.session if one.file == project.relative(project.session) else project.memory


def doubles(project: Project, archived: bytes | None = None) -> list[Archived]:
    """Return what is archived and stands in memory all the same, the last first.

    The words that an entry had before it was corrected twice may be those that it has now: only
    its last correction can have been left half done.

    Args:
        project: Whose.
        archived: The archive, if it was read.
    """
    known = archive.blocks(files.read(project.archive) if archived is None else archived)
    if not known:
        return []
    last = {one.id: one for one in known}
    left = [one for one in known if one.replaced_by != one.id or last[one.id] is one]
    sources = {path: files.read(path) for path in (project.memory, project.session)}
    found: list[Archived] = []
    while new := _standing(project, sources, [one for one in left if one not in found], known):
        found += new
        for one in new:  # what left within another one left before it
            path = home_of(project, one)
            sources[path] = _without(sources[path], one)
    return found


def _standing(
    project: Project,
    sources: Mapping[Path, bytes],
    asked: Sequence[Archived],
    known: Sequence[Archived],
) -> list[Archived]:
    """Those of ``asked`` that stand in their file.

    Lines may say the same: those that stand and those that are archived are counted together, and
    compared with how many there were when one was archived.
    """
    lines = {path: _lines(source) for path, source in sources.items()}
    left, found = list(known), []
    for one in reversed(asked):
        path = home_of(project, one)
        if not lines[path].issuperset(one.text.splitlines()[:1]):
            continue
        there = archive.places(sources[path], one.text, one.section)
        same = sum(archive.is_copy(one, other) for other in left)
        if there and len(there) + same > one.copies:
            left.remove(one)
            found.append(one)
    return found


def _lines(source: bytes) -> set[bytes]:
    return set(source.removeprefix(b"\xef\xbb\xbf").splitlines())


def _without(source: bytes, one: Archived) -> bytes:
    there = archive.places(source, one.text, one.section)
    if not there:
        return source
    return source[: there[-1]] + source[there[-1] + len(one.text) :]


def place(source: bytes, one: Archived) -> int:
    """Return the location of a duplicate, or its first line."""
    there = archive.places(source, one.text, one.section)
    first = one.text.splitlines(keepends=True)[0]
    return (there or archive.places(source, first, one.section) or [len(source)])[-1]


def settle(project: Project) -> None:
    """Remove from the archive what is in memory."""

    def without(source: bytes) -> bytes:
        gone = sorted(doubles(project, source), key=lambda one: one.span.start)
        return markdown.splice(source, [markdown.Edit(one.span, b"") for one in gone])

    with files.lock(project.lock):
        files.edit(project.archive, without)
