"""History of a file: its edits, its commits, and the entries about it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path

from mind.domain.entry import Entry
from mind.domain.errors import InputError, NotFound, PathOutside
from mind.sources.staleness import paths_in
from mind.storage import events
from mind.storage.events import Event
from mind.storage.index import Index
from mind.storage.project import Project
from mind.text import secrets

MOST, FURTHEST = 100, 1_000_000
"""Maximum number of changes per page, and of newer ones before it."""
_LONGEST = 300
"""Maximum length of an intent or a subject, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """An edit or commit of a file, or an entry about it.

    Attributes:
        day: In the project's time zone; None if unknown.
        at: Timestamp; None if only the day is known.
        what: "edit", "commit", or the kind of an entry.
        id: Short hash of a commit, ID of an entry; "" for an edit.
        title: Intent, subject, or title.
        tool: Tool that made the edit.
        times: Number of consecutive edits with this intent.
        name: The file's name at the time.
    """

    day: date | None
    at: datetime | None
    what: str
    title: str
    id: str = ""
    tool: str = ""
    times: int = 1
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHistory:
    """A page of a file's history.

    Attributes:
        path: The file's current name, relative to the project's root.
        names: Its earlier names, latest first.
        changes: Newest first.
        total: Number of all changes.
        offset: Number of newer changes skipped.
        problems: Sources that could not be read.
    """

    path: str
    names: tuple[str, ...]
    changes: tuple[FileChange, ...]
    total: int
    offset: int
    problems: tuple[str, ...] = ()


def of_file(
    project: Project, index: Index, path: str, page: slice, zone: tzinfo | None
) -> FileHistory:
    """Return the known changes to a file, newest first.

    Args:
        project: The project that contains the file.
        index: An up-to-date index.
        path: The file, relative to the project's root or absolute; it may be deleted or renamed.
        page: The changes to return.
        zone: Time zone of the days.

    Raises:
        InputError: The path is empty or a folder.
        PathOutside: The path leads out of the project.
        NotFound: The file does not exist and has no known history.
    """
    wanted = relative(path, project.root)
    names, commits, problem = _in_git(project.root, wanted, zone)
    log = events.read(project.events)
    found = [
        *commits,
        *_edits(log.events, names, zone),
        *_entries(index.entries(), set(names), project.root.as_posix()),
    ]
    if not found and not (project.root / wanted).exists():
        remedy = "Paths begin in the project's folder; look what is there."
        raise NotFound(f"nothing is known of a file {_told(path)}", remedy=remedy)
    found.sort(key=_moment, reverse=True)
    changes = found[page]
    told = {name: secrets.mask(name) for name in (*names, *(one.name for one in changes))}
    return FileHistory(
        path=told[names[0]],
        names=tuple(told[name] for name in names[1:]),
        changes=tuple(replace(one, name=told[one.name]) for one in changes),
        total=len(found),
        offset=page.start,
        problems=(problem,) if problem else (),
    )


def relative(path: str, root: Path) -> str:
    """Return ``path`` relative to the project's root, with ``/``; the file need not exist.

    Raises:
        InputError: The path is empty or a folder.
        PathOutside: The path leads out of the project.
    """
    if not path.strip() or "\0" in path:
        raise InputError("there is no path", remedy="Name a file, from the project's folder.")
    absolute = Path(os.path.normpath(root / path))
    real = Path(os.path.realpath(root))
    inside = next((one for one in (root, real) if absolute.is_relative_to(one)), None)
    if inside is None:
        raise PathOutside(f"{_told(path)} is outside the project", path=path)
    try:
        is_folder = absolute.is_dir()
    except OSError as error:  # too long, or in a folder that may not be read
        why = (error.strerror or "it cannot be read").lower()
        raise InputError(f"{_told(path)}: {why}", remedy="Name a file of the project.") from error
    if is_folder:
        raise InputError(f"{_told(path)} is a folder", remedy="Name a file in it.")
    return absolute.relative_to(inside).as_posix()


def _moment(change: FileChange) -> tuple[date, bool, datetime]:
    """Return the sort key: a change without a time sorts above the rest of its day."""
    at = change.at or datetime.max.replace(tzinfo=UTC)
    return (change.day or date.min, change.at is None, at)


def _in_git(
    root: Path, wanted: str, zone: tzinfo | None
) -> tuple[list[str], list[FileChange], str]:
    """Return the file's names, latest first, its commits, and git's problem if any."""
    from mind.sources.git.log import lineage  # noqa: PLC0415 - only needed in a repository
    from mind.sources.git.repository import head, top_of  # noqa: PLC0415 - the same

    newest = head(root)
    if newest is None:
        return [wanted], [], ""
    absolute = root.absolute()
    top = top_of(absolute) or absolute
    prefix = "".join(f"{part}/" for part in absolute.relative_to(top).parts)
    found = lineage(top, newest, prefix + wanted)

    def local(name: str) -> str:
        return name.removeprefix(prefix) if name.startswith(prefix) else f"../{name}"

    names = {local(found.name): None}
    commits = []
    for one in found.revisions:
        names |= {local(name): None for name in (one.name, one.before) if name}
        commits.append(
            FileChange(
                day=one.at.astimezone(zone).date(),
                at=one.at,
                what="commit",
                id=one.commit,
                title=_told(one.subject),
                name=local(one.name),
            )
        )
    return list(names), commits, found.problem


def _edits(events: Iterable[Event], names: Sequence[str], zone: tzinfo | None) -> list[FileChange]:
    """Return edits of the file; consecutive ones with the same intent are merged."""
    found: list[FileChange] = []
    last = ""
    for event in events:
        path, tool, intent = (event.data.get(name) for name in ("path", "tool", "intent"))
        if event.name != "edit" or path not in names:
            continue
        change = FileChange(
            day=event.at.astimezone(zone).date(),
            at=event.at,
            what="edit",
            title=_told(str(intent or "")),
            tool=str(tool or ""),
            name=str(path),
        )
        same = found and last == event.session and _alike(found[-1], change)
        last = event.session
        if same:
            change = replace(change, times=found.pop().times + 1)
        found.append(change)
    return found


def _alike(one: FileChange, other: FileChange) -> bool:
    return (one.day, one.title, one.tool, one.name) == (
        other.day, other.title, other.tool, other.name,
    )  # fmt: skip


def _entries(entries: Iterable[Entry], names: set[str], root: str) -> Iterator[FileChange]:
    """Yield entries that cite the file or were read from it."""
    ends = tuple(name.rpartition("/")[2] for name in names)
    for entry in entries:
        cited = any(end in entry.text for end in ends) and not names.isdisjoint(
            paths_in(entry.text, root)
        )
        if cited or entry.source in names:
            yield FileChange(
                day=entry.date,
                at=None,
                what=entry.kind.value,
                id=entry.id,
                title=_told(entry.title),
            )


def _told(text: str) -> str:
    """Return the text on one line, without credentials."""
    plain = " ".join(secrets.mask(text).split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
