"""What changed in a memory between two commits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mind.documents import archive, parser
from mind.documents.archive import Archived
from mind.domain.entry import Entry
from mind.domain.errors import InputError
from mind.memory.entry_history.past import no_memory
from mind.sources.git.revisions import Revisions
from mind.storage import files
from mind.storage.project import Project

_ALIKE = 0.60


@dataclass(frozen=True, slots=True)
class Change:
    """An entry before and after."""

    before: Entry
    after: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What changed in a memory between two revisions; ``new`` is "" for the files as they are."""

    old: str
    new: str
    added: tuple[Entry, ...] = ()
    changed: tuple[Change, ...] = ()
    archived: tuple[Archived, ...] = ()
    removed: tuple[Entry, ...] = ()


def difference(project: Project, spec: str) -> Difference:
    """What changed between two revisions, ``OLD..NEW``; without NEW, up to the files as they are.

    Raises:
        NotFound: A revision is not there, or has no memory.
        ProjectError: There is no repository, or no git.
    """
    revisions = Revisions(project.root)
    old, dots, new = spec.partition("..")
    first = revisions.commit(old or "HEAD")
    second = revisions.commit(new.lstrip(".") or "HEAD") if dots else ""
    if dots and new.startswith("."):
        raise InputError(
            f"{spec!r} has three dots", remedy="Use two: OLD..NEW compares these two revisions."
        )
    read = _reader(project, revisions)
    before, after = read(project.memory, first), read(project.memory, second)
    if not before and not after:
        raise no_memory(project, spec)
    return _compared(
        project,
        Difference(old=first, new=second),
        (before, after),
        (read(project.archive, first), read(project.archive, second)),
    )


def _reader(project: Project, revisions: Revisions) -> Callable[[Path, str], bytes]:
    def read(path: Path, commit: str) -> bytes:
        if not commit:
            return files.read(path)
        return revisions.read([commit], project.relative(path))[0]

    return read


def _compared(
    project: Project,
    made: Difference,
    memories: tuple[bytes, bytes],
    archives: tuple[bytes, bytes],
) -> Difference:
    name = project.relative(project.memory)
    old, new = (
        {
            one.id: one
            for one in parser.number_and_resolve(parser.parse(source, name, project.settings))
        }
        for source in memories
    )
    changed = [
        Change(old[one], new[one]) for one in new if one in old and _differs(old[one], new[one])
    ]
    gone = [one for key, one in old.items() if key not in new]
    came = [one for key, one in new.items() if key not in old]
    known = {(one.id, one.text) for one in archive.blocks(archives[0])}
    archived = [
        one for one in archive.blocks(archives[1])
        if (one.id, one.text) not in known and one.id not in new and one.reason != "corrected"
    ]  # fmt: skip
    kept = {one.id for one in archived}
    gone = [one for one in gone if one.id not in kept]
    for before, after in _edited(gone, came):
        gone.remove(before)
        came.remove(after)
        changed.append(Change(before, after))
    return replace(
        made,
        added=tuple(came),
        changed=tuple(sorted(changed, key=lambda one: one.after.line)),
        archived=tuple(archived),
        removed=tuple(gone),
    )


def _differs(old: Entry, new: Entry) -> bool:
    told = [(one.text, one.kind, one.status, one.fields, one.section) for one in (old, new)]
    return told[0] != told[1]


def _edited(gone: Sequence[Entry], came: Sequence[Entry]) -> list[tuple[Entry, Entry]]:
    """Pairs of entries of one section that are alike: an edit by hand makes a new id."""
    from mind.text.similarity import similarity  # noqa: PLC0415 - only where something came and went

    scored = sorted(
        (
            (-score, at, to)
            for at, old in enumerate(gone)
            for to, new in enumerate(came)
            if old.section == new.section and (score := similarity(old.text, new.text)) >= _ALIKE
        ),
    )
    pairs: list[tuple[Entry, Entry]] = []
    for _, at_, to in scored:
        if all(gone[at_] is not one and came[to] is not other for one, other in pairs):
            pairs.append((gone[at_], came[to]))
    return pairs
